"""Young's seminormal form, exactly, in machine integers with one denominator per row.

In the basis v_T of standard tableaux (last letter order), with r = c(i + 1) - c(i) the axial
distance of i and i + 1 in T,

    s_i v_T = (1/r) v_T + (1 + 1/r) v_{s_i T},

the last term missing when i and i + 1 are neighbours in a row or column. The Jucys-Murphy
element X_k has eigenvalue c_T(k). The basis restricts well: on permutations that fix n the
matrix is the direct sum of those of the shapes one cell smaller. So g = s_j ... s_(n-1) g'
with g' fixing n costs one sum of blocks and at most n - 1 updates of pairs of rows.
"""

from __future__ import annotations

from functools import lru_cache
from math import lcm
from typing import TYPE_CHECKING, Any

import attrs

from symbench.errors import TooLarge
from symbench.young.partition import trusted
from symbench.young.shapes import corner_rows, remove
from symbench.young.tableaux import StandardTableaux

if TYPE_CHECKING:
    from symbench.young.permutation import Permutation

Parts = tuple[int, ...]

# A numerator below 2^62 leaves room for one addition.
ROOM = 62
LARGEST = 4000


@attrs.frozen(eq=False)
class Structure:
    """The standard tableaux of a shape and what each s_i does to them, as arrays."""

    words: Any  # the row of each entry
    contents: Any  # the content of each entry

    def pairs(self, i: int) -> tuple[Any, Any, Any, Any]:
        """Tableaux T with i above i + 1, their images s_i T, |r|, and those with s_i v = -v."""
        return _pairs(self, i)


def need_small(parts: Parts) -> None:
    """Raise TooLarge for matrices that do not fit."""
    dim = trusted(parts).dim
    if dim > LARGEST:
        raise TooLarge(
            f"matrices of {trusted(parts)!r} have {dim} rows and columns: matrices are offered up "
            f"to {LARGEST}; ask for the character, or for tableaux and their content vectors"
        )


@lru_cache(maxsize=512)
def structure(parts: Parts) -> Structure:
    """The words and contents of all standard tableaux of a shape."""
    import numpy as np

    need_small(parts)
    words = StandardTableaux(trusted(parts)).array(form="word").astype(np.int16)
    contents = np.zeros_like(words)
    for row in range(len(parts)):
        here = words == row
        contents += np.where(here, np.cumsum(here, axis=1, dtype=np.int16) - 1 - row, 0)
    return Structure(words, contents)


@lru_cache(maxsize=4096)
def _pairs(found: Structure, i: int) -> tuple[Any, Any, Any, Any]:
    import numpy as np

    words = found.words
    distance = (found.contents[:, i] - found.contents[:, i - 1]).astype(np.int64)
    first = np.nonzero(distance < -1)[0]
    swapped = words[first]
    swapped[:, [i - 1, i]] = swapped[:, [i, i - 1]]
    place = {word.tobytes(): k for k, word in enumerate(words)}
    second = np.array([place[word.tobytes()] for word in swapped], dtype=np.int64)
    return first, second, -distance[first], np.nonzero(distance == -1)[0]


@attrs.define(eq=False)
class Rows:
    """A square matrix: integer numerators, one denominator per row, bounds on the bits."""

    top: Any
    bottom: Any
    bits: Any

    def apply(self, found: Structure, i: int) -> None:
        """Multiply by s_i from the left, in place."""
        import numpy as np

        first, second, d, negative = found.pairs(i)
        if len(first):
            common = np.lcm(self.bottom[first], self.bottom[second])
            a, b = common // self.bottom[first], common // self.bottom[second]
            need = self._need(first, second, a, b, d)
            if self.top.dtype != object and (need > ROOM).any():
                self.reduce()
                common = np.lcm(self.bottom[first], self.bottom[second])
                a, b = common // self.bottom[first], common // self.bottom[second]
                need = self._need(first, second, a, b, d)
                if (need > ROOM).any():
                    self.top, self.bottom = self.top.astype(object), self.bottom.astype(object)
                    a, b, common, d = (x.astype(object) for x in (a, b, common, d))
            x, y = self.top[first], self.top[second]
            x *= a[:, None]
            y *= b[:, None]
            self.top[first] = y * (d + 1)[:, None] - x
            x *= (d - 1)[:, None]
            x += y
            self.top[second] = x
            self.bottom[first] = self.bottom[second] = common * d
            self.bits[first] = self.bits[second] = need
        if len(negative):
            self.top[negative] = -self.top[negative]

    def _need(self, first: Any, second: Any, a: Any, b: Any, d: Any) -> Any:
        """Bits that the new rows, and their denominators, may need."""
        import numpy as np

        rows = (
            np.maximum(self.bits[first] + _bits(a), self.bits[second] + _bits(b)) + _bits(d + 1) + 1
        )
        return np.maximum(rows, _bits(self.bottom[first]) + _bits(a) + _bits(d))

    def reduce(self) -> None:
        """Cancel each row against its denominator."""
        import numpy as np

        factor = np.gcd(np.gcd.reduce(self.top, axis=1), self.bottom)
        self.top //= factor[:, None]
        self.bottom //= factor
        self.bits = _bits(np.abs(self.top).max(axis=1, initial=0))


def _bits(numbers: Any) -> Any:
    """Bit lengths, exactly or one too many."""
    import numpy as np

    if numbers.dtype == object:
        return np.array([int(x).bit_length() for x in numbers], dtype=np.int64)
    # The exponent of the nearest float is at most one more than needed: a bound either way.
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64)


def seminormal(parts: Parts, permutation: Permutation) -> Rows:
    """The seminormal matrix of a permutation."""
    need_small(parts)
    chain = []
    g = permutation.images
    for n in range(len(g), 0, -1):
        # g = s_j ... s_(n-1) g' with j = g(n): g' lowers the images above j by one.
        j = g[n - 1]
        chain.append((n, j))
        g = tuple(image - (image > j) for image in g[: n - 1])
    levels: list[set[Parts]] = [{parts}]
    for _ in chain:
        levels.append({remove(p, row) for p in levels[-1] for row in corner_rows(p)})
    matrices: dict[Parts, Rows] = {(): _unit()}
    for (n, j), shapes in zip(reversed(chain), reversed(levels[:-1]), strict=True):
        grown = {}
        for shape in shapes:
            below = [remove(shape, row) for row in reversed(corner_rows(shape))]
            rows = _direct_sum([matrices[p] for p in below])
            for i in range(n - 1, j - 1, -1):
                rows.apply(structure(shape), i)
            grown[shape] = rows
        matrices = grown
    return matrices[parts]


def _unit() -> Rows:
    import numpy as np

    return Rows(np.ones((1, 1), dtype=np.int64), np.ones(1, dtype=np.int64), np.ones(1, np.int64))


def _direct_sum(blocks: list[Rows]) -> Rows:
    import numpy as np

    size = sum(len(block.top) for block in blocks)
    dtype = object if any(block.top.dtype == object for block in blocks) else np.int64
    top = np.zeros((size, size), dtype=dtype)
    start = 0
    for block in blocks:
        stop = start + len(block.top)
        top[start:stop, start:stop] = block.top
        start = stop
    bottom = np.concatenate([block.bottom.astype(dtype) for block in blocks])
    return Rows(top, bottom, np.concatenate([block.bits for block in blocks]))


def norms(parts: Parts) -> list[tuple[int, int]]:
    """The squared lengths of the v_T in the invariant form, as fractions, the first being 1."""
    from fractions import Fraction

    found = structure(parts)
    size = len(found.words)
    values: list[Fraction | None] = [Fraction(1), *([None] * (size - 1))]
    waiting = [0]
    steps: dict[int, list[tuple[int, Fraction]]] = {}
    for i in range(1, sum(parts)):
        first, second, d, _ = found.pairs(i)
        for a, b, r in zip(first.tolist(), second.tolist(), d.tolist(), strict=True):
            steps.setdefault(a, []).append((b, Fraction(r + 1, r - 1)))
    while waiting:
        a = waiting.pop()
        here = values[a]
        assert here is not None
        for b, factor in steps.get(a, ()):
            if values[b] is None:
                values[b] = here * factor
                waiting.append(b)
    return [(v.numerator, v.denominator) for v in values if v is not None]


def common_denominator(rows: Rows) -> int:
    """A number that clears all denominators."""
    return lcm(*(int(b) for b in rows.bottom))
