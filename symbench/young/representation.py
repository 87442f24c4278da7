"""Irreducible representations as matrices: seminormal, orthogonal, natural.

Young's seminormal form is computed in machine integers with one denominator per row. In the basis
v_T of standard tableaux (last letter order), with r = c(i + 1) - c(i) the axial distance of i and
i + 1 in T,

    s_i v_T = (1/r) v_T + (1 + 1/r) v_{s_i T},

the last term missing when i and i + 1 are neighbours in a row or column. The Jucys-Murphy
element X_k has eigenvalue c_T(k). The basis restricts well: on permutations that fix n the
matrix is the direct sum of those of the shapes one cell smaller. So g = s_j ... s_(n-1) g'
with g' fixing n costs one sum of blocks and at most n - 1 updates of pairs of rows.

The natural (Specht) form has integer matrices in the basis of standard polytabloids. The
polytabloid of t is the signed sum of the tabloids of t with its columns permuted. Standard
polytabloids are unitriangular on standard tabloids, so g e_t is read off on these alone and
written in the basis by forward substitution; no Garnir relations are needed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import Any

import attrs

from symbench._arguments import choice, integer, shown
from symbench.draw.progress import Report, progress
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadType, BadValue, TooLarge
from symbench.exact import Matrix
from symbench.exact.arrays import np
from symbench.young.matrices import SurdMatrix, integer_matrix, rational_matrix
from symbench.young.partition import (
    Partition,
    Parts,
    as_partition,
    conjugate,
    corner_rows,
    remove,
    trusted,
)
from symbench.young.permutation import Permutation, as_permutation
from symbench.young.tableaux import StandardTableaux

FORMS = ("seminormal", "orthogonal", "natural")


@attrs.frozen(init=False)
class Representation(Shown):
    """An irreducible representation of S_n: call it with a permutation for its matrix.

    The basis is indexed by the standard tableaux in their order. "seminormal" is rational and
    diagonalises the Jucys-Murphy elements; "orthogonal" is the same with vectors of length one,
    its entries rational multiples of square roots; "natural" is by integers, on polytabloids.

    >>> rho = Representation(Partition(2, 1))
    >>> rho(Permutation(1, 3, 2)).rows
    ((-1/2, 3/2), (1/2, 1/2))
    >>> Representation(Partition(2, 1), form="orthogonal")(Permutation(1, 3, 2)).tolist()[0][1]
    Surd(coefficient=Fraction(1, 2), radicand=3)
    >>> rho(Permutation(2, 1))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: Permutation(2, 1) permutes 1..2: give a permutation of 1..3
    """

    partition: Partition
    form: str

    def __init__(self, partition: Partition, form: str = "seminormal") -> None:
        self.__attrs_init__(as_partition(partition, "partition"), choice(form, "form", FORMS))

    def _view(self) -> View:
        said = [("of", f"S_{self.degree}"), ("dimension", self.dim), ("form", self.form)]
        return card(
            f"the irreducible representation {self.partition}", self.partition._view(), facts(said)
        )

    @property
    def degree(self) -> int:
        """The n of S_n."""
        return self.partition.size

    @property
    def dim(self) -> int:
        """The number of rows and columns."""
        return self.partition.dim

    @property
    def basis(self) -> StandardTableaux:
        """The standard tableaux that index rows and columns."""
        return self.partition.standard_tableaux()

    def __call__(self, permutation: Permutation) -> Matrix | SurdMatrix:
        g = as_permutation(permutation, self.degree)
        parts = self.partition.parts
        if self.form == "natural":
            return integer_matrix(natural(parts, g))
        rows = seminormal(parts, g)
        rows.reduce()
        common = lcm(*map(int, rows.bottom))
        scale: Any = common // rows.bottom
        if rows.top.dtype != object and int(rows.bits.max()) + common.bit_length() > 62:
            rows.top, scale = rows.top.astype(object), scale.astype(object)
        matrix = rational_matrix(rows.top * scale[:, None], common)
        if self.form == "seminormal":
            return matrix
        return SurdMatrix(matrix, norms(parts))

    def generators(self) -> tuple[Matrix | SurdMatrix, ...]:
        """The matrices of s_1, ..., s_(n-1).

        >>> [g.rows for g in Representation(Partition(1, 1)).generators()]
        [((-1,),)]
        """
        count, rows = max(self.degree - 1, 0), self.partition.dim
        if (entries := count * rows**2) > ENTRIES:
            raise TooLarge(
                f"{count:,} matrices of {rows:,} rows and columns have {entries:,} entries "
                f"({entries * 1.6e-8:.2g} GB): ask for one at a time: "
                "Representation(shape)(Permutation.adjacent(n, i))"
            )
        found = []
        with progress("matrices of the generators", count) as report:
            for i in range(1, self.degree):
                found.append(self(Permutation.adjacent(self.degree, i)))
                report(1)
        return tuple(found)

    def jucys_murphy(self, k: int) -> tuple[int, ...]:
        """The eigenvalues of X_k = (1 k) + ... + (k-1 k), tableau by tableau: contents of k.

        In the seminormal and orthogonal forms X_k is the diagonal matrix of these.

        >>> Representation(Partition(2, 1)).jucys_murphy(3)
        (-1, 1)
        """
        k = integer(k, "k", at_least=1, at_most=self.degree)
        _, contents = structure(self.partition.parts)
        return tuple(contents[:, k - 1].tolist())


def check_representation(rho: Any, *, trials: int = 5, seed: int = 0) -> bool:
    """Whether a user's own rho is a representation of S_n; raises and says where it is not.

    rho has `.degree` and maps permutations to matrices with `@` and `==`. Checked are the
    Coxeter relations (which prove that the generators make a representation), products of
    random pairs and, for an irreducible of this room, the character.

    >>> check_representation(Representation(Partition(3, 2)))
    True
    """
    degree = getattr(rho, "degree", None)
    if not callable(rho) or degree is None:
        raise BadType(
            f"the representation is {shown(rho)}: give an object with .degree that maps "
            "permutations to matrices"
        )
    one = rho(Permutation.identity(degree))
    tried, s = integer(trials, "trials", at_least=0), []
    with progress("relations of the representation", comb(degree + 1, 2) - 1 + tried) as report:
        for i in range(1, degree):
            s.append(rho(Permutation.adjacent(degree, i)))
            report(1)
        for i, a in enumerate(s, 1):
            _need(a @ a == one, f"s_{i} s_{i} is not the identity")
            report(1)
            for j, b in enumerate(s[i:], i + 1):
                if j == i + 1:
                    _need(a @ b @ a == b @ a @ b, f"s_{i} and s_{j} break the braid relation")
                else:
                    _need(a @ b == b @ a, f"s_{i} and s_{j} do not commute")
                report(1)
        _check_products(rho, degree, tried, seed, report)
    return True


def _check_products(rho: Any, degree: int, trials: int, seed: int, report: Report) -> None:
    """Products of random pairs and, for an irreducible of this room, the character."""
    for trial in range(trials):
        g = Permutation.random(degree, seed=seed + 2 * trial)
        h = Permutation.random(degree, seed=seed + 2 * trial + 1)
        _need(rho(g) @ rho(h) == rho(g * h), f"rho({g}) rho({h}) is not rho({g * h})")
        shape = getattr(rho, "partition", None)
        if isinstance(shape, Partition):
            value = shape.character(g.cycle_type)
            _need(trace(rho(g)) == value, f"the trace at {g} is not the character {value}")
        report(1)


def trace(matrix: Any) -> Any:
    """The sum of the diagonal of a Matrix or a SurdMatrix."""
    if isinstance(matrix, SurdMatrix):
        return matrix.trace()
    return sum(matrix[i, i] for i in range(matrix.shape[0]))


def _need(holds: bool, problem: str) -> None:
    if not holds:
        raise BadValue(f"not a representation: {problem}")


# A numerator below 2^62 leaves room for one addition.
ROOM = 62
LARGEST = 4000
ENTRIES = 200_000_000  # of all generators together: 3 GB


def need_small(parts: Parts) -> None:
    """Raise TooLarge for matrices that do not fit."""
    dim = trusted(parts).dim
    if dim > LARGEST:
        raise TooLarge(
            f"matrices of {trusted(parts)!r} have {dim} rows and columns, more than {LARGEST:,}: "
            "ask for the character, or for tableaux and their content vectors"
        )


@lru_cache(maxsize=512)
def structure(parts: Parts) -> tuple[Any, Any]:
    """The row and the content of each entry of all standard tableaux of a shape, as arrays."""
    need_small(parts)
    words = StandardTableaux(trusted(parts)).array(form="word").astype(np.int16)
    contents = np.zeros_like(words)
    for row in range(len(parts)):
        here = words == row
        contents += np.where(here, np.cumsum(here, axis=1, dtype=np.int16) - 1 - row, 0)
    return words, contents


@lru_cache(maxsize=4096)
def _pairs(parts: Parts, i: int) -> tuple[Any, Any, Any, Any]:
    """Tableaux T with i above i + 1, their images s_i T, |r|, and those with s_i v = -v."""
    words, contents = structure(parts)
    distance = (contents[:, i] - contents[:, i - 1]).astype(np.int64)
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

    def apply(self, parts: Parts, i: int) -> None:
        """Multiply by s_i from the left, in place."""
        first, second, d, negative = _pairs(parts, i)
        if len(first):
            common, a, b, need = self._need(first, second, d)
            if self.top.dtype != object and (need > ROOM).any():
                self.reduce()
                common, a, b, need = self._need(first, second, d)
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

    def _need(self, first: Any, second: Any, d: Any) -> tuple[Any, Any, Any, Any]:
        """A common denominator, the factors to it, and the bits that the new rows may need."""
        common = np.lcm(self.bottom[first], self.bottom[second])
        a, b = common // self.bottom[first], common // self.bottom[second]
        rows = np.maximum(self.bits[first] + _bits(a), self.bits[second] + _bits(b))
        below = _bits(self.bottom[first]) + _bits(a) + _bits(d)
        return common, a, b, np.maximum(rows + _bits(d + 1) + 1, below)

    def reduce(self) -> None:
        """Cancel each row against its denominator."""
        factor = np.gcd(np.gcd.reduce(self.top, axis=1), self.bottom)
        self.top //= factor[:, None]
        self.bottom //= factor
        self.bits = _bits(np.abs(self.top).max(axis=1, initial=0))


def _bits(numbers: Any) -> Any:
    """Bit lengths, exactly or one too many."""
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
    one = np.ones(1, dtype=np.int64)
    matrices: dict[Parts, Rows] = {(): Rows(one[:, None], one, one)}
    for (n, j), shapes in zip(reversed(chain), reversed(levels[:-1]), strict=True):
        grown = {}
        for shape in shapes:
            below = [remove(shape, row) for row in reversed(corner_rows(shape))]
            rows = _direct_sum([matrices[p] for p in below])
            for i in range(n - 1, j - 1, -1):
                rows.apply(shape, i)
            grown[shape] = rows
        matrices = grown
    return matrices[parts]


def _direct_sum(blocks: list[Rows]) -> Rows:
    size = sum(len(block.top) for block in blocks)
    dtype = object if any(block.top.dtype == object for block in blocks) else np.int64
    top, start = np.zeros((size, size), dtype=dtype), 0
    for block in blocks:
        here = slice(start, start := start + len(block.top))
        top[here, here] = block.top
    bottom = np.concatenate([block.bottom.astype(dtype) for block in blocks])
    return Rows(top, bottom, np.concatenate([block.bits for block in blocks]))


def tree(parts: Parts) -> list[tuple[int, int, int, int]]:
    """Steps (i, T, s_i T, |r|) that reach every tableau from the first one."""
    edges: dict[int, list[tuple[int, int, int]]] = {}
    for i in range(1, sum(parts)):
        first, second, d, _ = _pairs(parts, i)
        for a, b, r in zip(first.tolist(), second.tolist(), d.tolist(), strict=True):
            edges.setdefault(a, []).append((i, b, r))
    steps, reached, waiting = [], {0}, [0]
    for a in waiting:
        for i, b, r in edges.get(a, ()):
            if b not in reached:
                reached.add(b)
                waiting.append(b)
                steps.append((i, a, b, r))
    return steps


def norms(parts: Parts) -> list[Fraction]:
    """The squared lengths of the v_T in the invariant form, the first being 1."""
    values = {0: Fraction(1)}
    for _, a, b, r in tree(parts):
        values[b] = values[a] * Fraction(r + 1, r - 1)
    return [values[a] for a in range(len(values))]


@lru_cache(maxsize=64)
def _entries(parts: Parts) -> Any:
    return StandardTableaux(trusted(parts)).array()


def polytabloids(parts: Parts, images: tuple[int, ...]) -> Any:
    """The coefficients of the standard tabloids (rows) in the g e_t, t standard (columns)."""
    rows_of = structure(parts)[0].astype(np.int8)
    moved = np.array((0, *images))[_entries(parts)] - 1
    offsets = np.concatenate([[0], np.cumsum(parts)]).astype(int)
    found = np.ones((len(rows_of), len(rows_of)), dtype=np.int8)
    for column, length in enumerate(conjugate(parts)):
        if length == 1:
            continue  # what is left over is in the first row of itself
        rows = [rows_of[:, moved[:, offsets[i] + column]] for i in range(length)]
        for j, lower in enumerate(rows):
            found *= lower < length
            for upper in rows[:j]:
                found *= np.sign(lower - upper)
    return found


@lru_cache(maxsize=64)
def _triangle(parts: Parts) -> list[tuple[Any, Any]]:
    """Row by row, where the standard polytabloids have coefficients below the diagonal."""
    coefficients = polytabloids(parts, tuple(range(1, sum(parts) + 1)))
    found = []
    for k, row in enumerate(coefficients):
        places = np.nonzero(row[:k])[0]
        found.append((places, row[places].astype(np.int64)))
    return found


def natural(parts: Parts, permutation: Permutation) -> Any:
    """The integer matrix of a permutation on standard polytabloids, as an array."""
    result: Any = polytabloids(parts, permutation.images).astype(np.int64)
    largest = 1
    for k, (places, values) in enumerate(_triangle(parts)):
        if not len(places):
            continue
        bound = int(np.abs(values).sum()) * largest + 1
        if bound >= 2**62 and result.dtype != object:
            result = result.astype(object)
        result[k] -= values @ result[places]
        largest = max(largest, int(np.abs(result[k]).max()))
    return result
