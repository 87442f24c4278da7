"""The tableaux of a shape as lazy sequences: iterate, index, count, draw, list as arrays.

A tableau of either kind is a path of growing shapes, one step per letter: a standard tableau
adds one cell per step, a semistandard one a horizontal strip. The tableaux of a shape are
ordered by what their last letter leaves, then by the next to last, and so on, so the list of a
shape is a chain of blocks, each the list of a smaller shape with the same cells added; arrays
are built block by block, each block with one addition.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import comb, factorial
from typing import Any

import attrs
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from symbench._arguments import choice, integer, randomness
from symbench._listing import Listing
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Array
from symbench.young.partition import Partition, Parts, as_partition, corner_rows, remove, trusted
from symbench.young.tableau import Tableau, make

State = tuple[int, Parts]  # (letters used, shape)

# Rows of the lists of small shapes that are kept in memory at once.
KEPT = 1 << 16


@attrs.frozen
class Paths:
    """Paths from the inner shape to the outer one; `below` and `count` say what a step is."""

    inner: Parts
    outer: Parts
    letters: int
    below: Callable[[State], list[Parts]]
    count: Callable[[State], int]

    def total(self) -> int:
        """The number of paths."""
        return self.count((self.letters, self.outer))

    def steps(self, state: State) -> list[tuple[Parts, int]]:
        """The shapes one letter earlier that a path can come from, with their numbers of paths."""
        found = ((parts, self.count((state[0] - 1, parts))) for parts in self.below(state))
        return [(parts, count) for parts, count in found if count]

    def unrank(self, rank: int) -> list[Parts]:
        """The shapes of the path with this rank, from the inner shape on."""
        state = (self.letters, self.outer)
        path = [self.outer]
        while state[0]:
            for parts, count in self.steps(state):
                if rank < count:
                    path.append(parts)
                    break
                rank -= count
            state = (state[0] - 1, path[-1])
        return path[::-1]

    def rank(self, path: list[Parts]) -> int:
        """The rank of a path given by its shapes."""
        rank = 0
        for letter in range(self.letters, 0, -1):
            for parts, count in self.steps((letter, path[letter])):
                if parts == path[letter - 1]:
                    break
                rank += count
        return rank

    def arrays(self, chunk: int, words: bool) -> Iterator[Array]:
        """Arrays of at most `chunk` rows: entries row by row, or with `words` the rows of 1..n."""
        import numpy as np

        total = self.total()
        size = sum(self.outer) - sum(self.inner)
        dtype = np.uint8 if max(self.letters, size) < 256 else np.uint16
        if total == 0:
            return
        lists = self._lists(dtype, words)
        done = filled = 0
        out = np.empty((min(chunk, total), size), dtype=dtype)
        for state, cells in self._blocks((self.letters, self.outer), lists, [], words):
            block = lists[state]
            added = np.zeros(size, dtype=dtype)
            for place, value in cells:
                added[place] = value
            start = 0
            while start < len(block):
                width = min(len(block) - start, len(out) - filled)
                np.add(block[start : start + width], added, out=out[filled : filled + width])
                start, filled = start + width, filled + width
                if filled == len(out):
                    done += filled
                    yield out
                    filled = 0
                    out = np.empty((min(chunk, total - done), size), dtype=dtype)

    def _offsets(self) -> list[int]:
        inner = (*self.inner, *([0] * (len(self.outer) - len(self.inner))))
        found = [0]
        for part, hole in zip(self.outer, inner, strict=True):
            found.append(found[-1] + part - hole)
        return found

    def _added(self, low: Parts, high: Parts, letter: int, words: bool) -> list[tuple[int, int]]:
        """Where a step writes in a row of the array, and what."""
        if words:
            row = next(i for i, p in enumerate(high) if i >= len(low) or p > low[i])
            return [(letter - 1, row)]
        offsets = self._offsets()
        cells = []
        for i, part in enumerate(high):
            before = low[i] if i < len(low) else 0
            hole = self.inner[i] if i < len(self.inner) else 0
            cells += [(offsets[i] + j - hole, letter) for j in range(before, part)]
        return cells

    def _lists(self, dtype: Any, words: bool) -> dict[State, Any]:
        """The lists of all shapes that occur after the same number of letters."""
        import numpy as np

        reach = [{self.outer}]
        for letter in range(self.letters, 0, -1):
            reach.append({p for parts in reach[-1] for p, _ in self.steps((letter, parts))})
        reach.reverse()
        size = sum(self.outer) - sum(self.inner)
        lists: dict[State, Any] = {(0, self.inner): np.zeros((1, size), dtype=dtype)}
        for letter in range(1, self.letters + 1):
            if sum(self.count((letter, parts)) for parts in reach[letter]) > KEPT:
                break
            grown: dict[State, Any] = {}
            for parts in reach[letter]:
                blocks = []
                for low, _ in self.steps((letter, parts)):
                    block = lists[(letter - 1, low)].copy()
                    for place, value in self._added(low, parts, letter, words):
                        block[:, place] = value
                    blocks.append(block)
                grown[(letter, parts)] = np.concatenate(blocks)
            lists = grown
        return lists

    def _blocks(
        self, state: State, lists: dict[State, Any], cells: list[tuple[int, int]], words: bool
    ) -> Iterator[tuple[State, list[tuple[int, int]]]]:
        if state in lists:
            yield state, cells
            return
        letter, parts = state
        for low, _ in self.steps(state):
            more = self._added(low, parts, letter, words)
            yield from self._blocks((letter - 1, low), lists, more + cells, words)


@attrs.frozen(init=False, repr=False)
class _Tableaux(Listing[Tableau]):
    """What standard and semistandard tableaux share: their shape, and paths that list them."""

    shape: Partition
    inner: Partition

    @property
    @abstractmethod
    def _paths(self) -> Paths:
        """The paths of shapes that the tableaux are."""

    @property
    def count(self) -> int:
        """The number of tableaux, found without listing them."""
        return self._paths.total()

    def __iter__(self) -> Iterator[Tableau]:
        if not self.shape.parts:
            return iter([make(())] * self.count)
        bounds = [0]
        holes = (*self.inner.parts, *([0] * (len(self.shape) - len(self.inner))))
        for part, hole in zip(self.shape.parts, holes, strict=True):
            bounds.append(bounds[-1] + part - hole)
        known = [_Rows(hole) for hole in holes]
        return itertools.chain.from_iterable(
            map(make, _row_tuples(chunk, bounds, known)) for chunk in self.arrays(chunk=4096)
        )

    def _at(self, rank: int) -> Tableau:
        path = self._paths.unrank(rank)
        rows: list[list[int | None]] = [[None] * part for part in path[0]]
        for letter, parts in enumerate(path[1:], 1):
            for i, part in enumerate(parts):
                if i == len(rows):
                    rows.append([])
                rows[i] += [letter] * (part - len(rows[i]))
        return make(tuple(map(tuple, rows)))

    def index(self, tableau: Tableau) -> int:
        """The place of a tableau in the sequence."""
        if tableau not in self:
            raise BadValue(f"{tableau!r} is not one of {self!r}")
        paths = self._paths
        rows_of: list[list[int]] = [[] for _ in range(paths.letters + 1)]
        for i, row in enumerate(tableau.rows):
            for cell in row:
                rows_of[cell or 0].append(i)
        lengths = [0] * len(tableau.rows)
        shapes = []
        for rows in rows_of:
            for i in rows:
                lengths[i] += 1
            shapes.append(tuple(filter(None, lengths)))
        return paths.rank(shapes)

    def arrays(self, *, chunk: int = 1 << 16, form: str = "entries") -> Iterator[Array]:
        """All tableaux as numpy arrays of at most `chunk` rows, in order.

        A row holds the entries, row by row from the top; with form="word" (standard tableaux
        only) it holds, for each of 1..n, the row in which it stands, counted from 0.
        """
        chunk = integer(chunk, "chunk", at_least=1, limit=1 << 28)
        forms = ("entries", "word") if isinstance(self, StandardTableaux) else ("entries",)
        return self._paths.arrays(chunk, choice(form, "form", forms) == "word")

    def array(self, *, form: str = "entries") -> Array:
        """All tableaux as one numpy array."""
        import numpy as np

        size = self.shape.size - self.inner.size
        if self.count * size > 1 << 32:
            raise TooLarge(
                f"{self!r} has {self.count} members of {size} entries, too many for one array: "
                "ask for arrays(chunk=...), or for a random one"
            )
        chunks = list(self.arrays(chunk=max(1, min(self.count, 1 << 28)), form=form))
        return chunks[0] if chunks else np.zeros((0, size), dtype=np.uint8)


def _skew(shape: object, inner: object) -> tuple[Partition, Partition]:
    outer, hole = as_partition(shape, "shape"), as_partition(inner, "inner")
    if not outer.contains(hole):
        raise BadValue(f"inner is {hole!r}: give a partition inside {outer!r}")
    return outer, hole


class _Rows(dict[bytes, tuple[int | None, ...]]):
    """Rows of tableaux by their bytes: few are different, so each tuple is made once."""

    def __init__(self, hole: int) -> None:
        self.hole = (None,) * hole

    def __missing__(self, key: bytes) -> tuple[int | None, ...]:
        if len(self) > 1 << 16:
            self.clear()
        row = self[key] = self.hole + tuple(key)
        return row


def _row_tuples(chunk: Any, bounds: list[int], known: list[_Rows]) -> Iterator[Any]:
    """The rows of every tableau in an array of entries."""
    import numpy as np

    columns: list[Any] = []
    for a, b, rows in zip(bounds, bounds[1:], known, strict=False):
        cells = np.ascontiguousarray(chunk[:, a:b])
        if cells.dtype == np.uint8 and b > a:
            columns.append(map(rows.__getitem__, cells.view(f"V{b - a}").ravel().tolist()))
        else:
            columns.append(map(rows.hole.__add__, map(tuple, cells.tolist())))
    return zip(*columns, strict=True)


@attrs.frozen(init=False, repr=False)
class StandardTableaux(_Tableaux):
    """The standard tableaux of a shape, or of a skew shape, in the last letter order.

    First come those with n in the lowest row; the first of all is filled row by row.

    >>> ts = StandardTableaux(Partition(3, 2))
    >>> len(ts), ts[0], ts.index(Tableau([[1, 3, 5], [2, 4]]))
    (5, Tableau([[1, 2, 3], [4, 5]]), 4)
    >>> ts.array().tolist()[1], ts.array(form="word").tolist()[1]
    ([1, 2, 4, 3, 5], [0, 0, 1, 0, 1])
    >>> list(StandardTableaux(Partition(2, 1), inner=Partition(1)))
    [Tableau([[None, 1], [2]]), Tableau([[None, 2], [1]])]
    """

    def __init__(self, shape: Partition, *, inner: Partition = Partition()) -> None:  # noqa: B008
        self.__attrs_init__(*_skew(shape, inner))

    def __repr__(self) -> str:
        skew = f", inner={self.inner!r}" if self.inner.parts else ""
        return f"StandardTableaux({self.shape!r}{skew})"

    @property
    def _paths(self) -> Paths:
        inner = self.inner.parts

        def below(state: State) -> list[Parts]:
            return [remove(state[1], row) for row in reversed(corner_rows(state[1]))]

        def count(state: State) -> int:
            return skew_dim(state[1], inner)

        letters = self.shape.size - self.inner.size
        return Paths(inner, self.shape.parts, letters, below, count)

    def __contains__(self, item: object) -> bool:
        return (
            isinstance(item, Tableau)
            and item.shape == self.shape
            and item.inner == self.inner
            and item.is_standard
        )

    def random(self, seed: Any = None) -> Tableau:
        """One of the tableaux, all equally likely: by the hook walk of Greene, Nijenhuis and Wilf.

        >>> StandardTableaux(Partition(20, 20, 10)).random(seed=7).is_standard
        True
        """
        if self.inner.parts:
            return super().random(seed)
        source = randomness(seed, unseeded=True)
        parts = list(self.shape.parts)
        rows = [[0] * part for part in parts]
        columns = list(self.shape.conjugate.parts)
        for entry in range(self.shape.size, 0, -1):
            place = source.randrange(entry)
            i = 0
            while place >= parts[i]:
                place -= parts[i]
                i += 1
            j = place
            while arm_leg := parts[i] - j - 1 + columns[j] - i - 1:
                step = source.randrange(arm_leg)
                arm = parts[i] - j - 1
                if step < arm:
                    j += step + 1
                else:
                    i += step - arm + 1
            rows[i][j] = entry
            parts[i] -= 1
            columns[j] -= 1
        return make(tuple(map(tuple, rows)))


@attrs.frozen(init=False, repr=False)
class SemistandardTableaux(_Tableaux):
    """The semistandard tableaux of a shape, or of a skew shape, in the letters 1..V.

    >>> ts = SemistandardTableaux(Partition(2, 1), 2)
    >>> list(ts)
    [Tableau([[1, 1], [2]]), Tableau([[1, 2], [2]])]
    >>> SemistandardTableaux(Partition(12, 5, 3), 40).count
    365011204373607792000
    """

    letters: int = 0

    def __init__(
        self,
        shape: Partition,
        letters: int,
        *,
        inner: Partition = Partition(),  # noqa: B008
    ) -> None:
        self.__attrs_init__(*_skew(shape, inner), integer(letters, "letters", at_least=0))

    def __repr__(self) -> str:
        skew = f", inner={self.inner!r}" if self.inner.parts else ""
        return f"SemistandardTableaux({self.shape!r}, {self.letters}{skew})"

    @property
    def _paths(self) -> Paths:
        inner = self.inner.parts

        def below(state: State) -> list[Parts]:
            return horizontal_strips(state[1])

        def count(state: State) -> int:
            return skew_semistandard(state[1], inner, state[0])

        return Paths(inner, self.shape.parts, self.letters, below, count)

    def __contains__(self, item: object) -> bool:
        return (
            isinstance(item, Tableau)
            and item.shape == self.shape
            and item.inner == self.inner
            and item.is_semistandard
            and max(item.entries, default=0) <= self.letters
        )


def horizontal_strips(parts: Parts) -> list[Parts]:
    """The shapes left after removing a horizontal strip of any size, the smallest strips first."""
    ranges = [range(high, low - 1, -1) for high, low in zip(parts, (*parts[1:], 0), strict=False)]
    found = []
    for rows in itertools.product(*ranges):
        # Only the last part can be 0: every other one is at least the next old part.
        found.append(rows[:-1] if rows and rows[-1] == 0 else rows)
    return found


@lru_cache(maxsize=1 << 16)
def skew_dim(outer: Parts, inner: Parts) -> int:
    """The number of standard tableaux of a skew shape: Aitken's determinant."""
    if not inner:
        return trusted(outer).dim
    if not trusted(outer).contains(trusted(inner)):
        return 0
    holes = (*inner, *([0] * (len(outer) - len(inner))))

    def entry(i: int, j: int) -> fmpq:
        n = outer[i] - holes[j] - i + j
        return fmpq(0) if n < 0 else fmpq(1, fmpz.fac_ui(n))  # type: ignore[arg-type]

    rows = range(len(outer))
    matrix = fmpq_mat([[entry(i, j) for j in rows] for i in rows])
    value = matrix.det() * factorial(sum(outer) - sum(inner))
    return int(value.p)


@lru_cache(maxsize=1 << 16)
def skew_semistandard(outer: Parts, inner: Parts, letters: int) -> int:
    """The number of semistandard tableaux of a skew shape in V letters: Jacobi and Trudi."""
    if not inner:
        return trusted(outer).count_semistandard(letters)
    if not trusted(outer).contains(trusted(inner)):
        return 0
    holes = (*inner, *([0] * (len(outer) - len(inner))))

    def entry(i: int, j: int) -> int:
        n = outer[i] - holes[j] - i + j
        if n < 0 or letters == 0:
            return int(n == 0)
        return comb(n + letters - 1, n)

    rows = range(len(outer))
    return int(fmpz_mat([[entry(i, j) for j in rows] for i in rows]).det())
