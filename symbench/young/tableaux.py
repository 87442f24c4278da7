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
from flint import fmpq, fmpq_mat, fmpz

from symbench._arguments import choice, integer, randomness
from symbench._listing import Listing
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Array, np
from symbench.young.partition import Partition, Parts, as_partition, corner_rows, remove, trusted
from symbench.young.tableau import Tableau, make

# Rows of the lists of small shapes that are kept in memory at once.
KEPT = 1 << 16

Places = list[tuple[int, int]]  # where a row of an array is written, and what


@attrs.frozen(init=False, repr=False)
class _Tableaux(Listing[Tableau]):
    """What both kinds share: paths of shapes from `inner` to `shape`, one step for each letter."""

    shape: Partition
    inner: Partition

    @abstractmethod
    def _below(self, parts: Parts) -> list[Parts]:
        """The shapes from which one letter leads to this one."""

    @abstractmethod
    def _ways(self, letters: int, parts: Parts) -> int:
        """The number of paths to this shape by this number of letters."""

    @abstractmethod
    def _allows(self, tableau: Tableau) -> bool:
        """Whether a tableau of the right shape is one of these."""

    @property
    def _letters(self) -> int:
        return self.shape.size - self.inner.size

    @property
    def _holes(self) -> Parts:
        """The number of missing cells of each row."""
        return (*self.inner.parts, *([0] * (len(self.shape) - len(self.inner))))

    @property
    def _bounds(self) -> list[int]:
        """Where each row begins in the row of an array, and where the last one ends."""
        widths = map(int.__sub__, self.shape.parts, self._holes)
        return list(itertools.accumulate(widths, initial=0))

    def __repr__(self) -> str:
        shape, inner, *letters = attrs.astuple(self, recurse=False)
        skew = [f"inner={inner!r}"] if inner.parts else []
        return f"{type(self).__name__}({', '.join([repr(shape), *map(str, letters), *skew])})"

    @property
    def count(self) -> int:
        """The number of tableaux, found without listing them."""
        return self._ways(self._letters, self.shape.parts)

    def __iter__(self) -> Iterator[Tableau]:
        if not self.shape.parts:
            return iter([make(())] * self.count)
        known = [_Rows(hole) for hole in self._holes]
        return itertools.chain.from_iterable(
            map(make, _row_tuples(chunk, self._bounds, known)) for chunk in self.arrays(chunk=4096)
        )

    def __contains__(self, item: object) -> bool:
        return (
            isinstance(item, Tableau)
            and (item.shape, item.inner) == (self.shape, self.inner)
            and self._allows(item)
        )

    def _steps(self, letter: int, parts: Parts) -> list[tuple[Parts, int]]:
        """The shapes one letter earlier that a path can come from, with their numbers of paths."""
        found = ((low, self._ways(letter - 1, low)) for low in self._below(parts))
        return [(low, ways) for low, ways in found if ways]

    def _at(self, rank: int) -> Tableau:
        path = [self.shape.parts]
        for letter in range(self._letters, 0, -1):
            for low, ways in self._steps(letter, path[-1]):
                if rank < ways:
                    path.append(low)
                    break
                rank -= ways
        rows: list[list[int | None]] = [[None] * hole for hole in self._holes]
        for letter, parts in enumerate(path[-2::-1], 1):
            for row, part in zip(rows, parts, strict=False):
                row += [letter] * (part - len(row))
        return make(tuple(map(tuple, rows)))

    def index(self, tableau: Tableau) -> int:
        """The place of a tableau in the sequence."""
        if tableau not in self:
            raise BadValue(f"{tableau!r} is not one of {self!r}")
        rows_of: dict[int | None, list[int]] = {}
        for i, row in enumerate(tableau.rows):
            for cell in row:
                rows_of.setdefault(cell, []).append(i)
        rank, lengths, high = 0, list(self.shape.parts), self.shape.parts
        for letter in range(self._letters, 0, -1):
            for i in rows_of.get(letter, ()):
                lengths[i] -= 1
            low = tuple(filter(None, lengths))
            for parts, ways in self._steps(letter, high):
                if parts == low:
                    break
                rank += ways
            high = low
        return rank

    def arrays(self, *, chunk: int = 1 << 16, form: str = "entries") -> Iterator[Array]:
        """All tableaux as numpy arrays of at most `chunk` rows, in order.

        A row holds the entries, row by row from the top; with form="word" (standard tableaux
        only) it holds, for each of 1..n, the row in which it stands, counted from 0.
        """
        chunk = integer(chunk, "chunk", at_least=1, limit=1 << 28)
        forms = ("entries", "word") if isinstance(self, StandardTableaux) else ("entries",)
        return self._arrays(chunk, choice(form, "form", forms) == "word")

    def array(self, *, form: str = "entries") -> Array:
        """All tableaux as one numpy array."""
        size = self.shape.size - self.inner.size
        if self.count * size > 1 << 32:
            raise TooLarge(
                f"{self!r} has {self.count} members of {size} entries, too many for one array: "
                "ask for arrays(chunk=...), or for a random one"
            )
        chunks = list(self.arrays(chunk=max(1, min(self.count, 1 << 28)), form=form))
        return chunks[0] if chunks else np.zeros((0, size), dtype=np.uint8)

    def _arrays(self, chunk: int, words: bool) -> Iterator[Array]:
        total, size = self.count, self.shape.size - self.inner.size
        if total == 0:
            return
        dtype = np.dtype(np.uint8 if max(self._letters, size) < 256 else np.uint16)
        lists = self._lists(np.zeros((1, size), dtype=dtype), words)
        done = filled = 0
        out = np.empty((min(chunk, total), size), dtype=dtype)
        for block, places in self._blocks(self._letters, self.shape.parts, lists, [], words):
            added = np.zeros(size, dtype=dtype)
            for place, value in places:
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

    def _places(self, letter: int, low: Parts, high: Parts, words: bool) -> Places:
        """Where a step writes in a row of the array, and what."""
        rows = list(enumerate(zip((*low, *([0] * (len(high) - len(low)))), high, strict=True)))
        if words:
            return [(letter - 1, i) for i, (before, after) in rows if before < after]
        starts = list(map(int.__sub__, self._bounds, self._holes))
        return [(starts[i] + j, letter) for i, ends in rows for j in range(*ends)]

    def _lists(self, start: Array, words: bool) -> dict[tuple[int, Parts], Array]:
        """The lists of all shapes that occur after the same number of letters."""
        reach = [{self.shape.parts}]
        for letter in range(self._letters, 0, -1):
            reach.append({low for parts in reach[-1] for low, _ in self._steps(letter, parts)})
        lists = {(0, self.inner.parts): start}
        for letter, shapes in enumerate(reach[-2::-1], 1):
            if sum(self._ways(letter, parts) for parts in shapes) > KEPT:
                break
            grown = {}
            for parts in shapes:
                blocks = []
                for low, _ in self._steps(letter, parts):
                    block = lists[letter - 1, low].copy()
                    for place, value in self._places(letter, low, parts, words):
                        block[:, place] = value
                    blocks.append(block)
                grown[letter, parts] = np.concatenate(blocks)
            lists = grown
        return lists

    def _blocks(
        self,
        letter: int,
        parts: Parts,
        lists: dict[tuple[int, Parts], Array],
        places: Places,
        words: bool,
    ) -> Iterator[tuple[Array, Places]]:
        """The kept lists, in order, each with what the letters after it write."""
        if (letter, parts) in lists:
            yield lists[letter, parts], places
            return
        for low, _ in self._steps(letter, parts):
            more = self._places(letter, low, parts, words) + places
            yield from self._blocks(letter - 1, low, lists, more, words)


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

    def _below(self, parts: Parts) -> list[Parts]:
        return [remove(parts, row) for row in reversed(corner_rows(parts))]

    def _ways(self, letters: int, parts: Parts) -> int:
        return skew_dim(parts, self.inner.parts)

    def _allows(self, tableau: Tableau) -> bool:
        return tableau.is_standard

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

    @property
    def _letters(self) -> int:
        return self.letters

    def _below(self, parts: Parts) -> list[Parts]:
        return horizontal_strips(parts)

    def _ways(self, letters: int, parts: Parts) -> int:
        return skew_semistandard(parts, self.inner.parts, letters)

    def _allows(self, tableau: Tableau) -> bool:
        return tableau.is_semistandard and max(tableau.entries, default=0) <= self.letters


def horizontal_strips(parts: Parts) -> list[Parts]:
    """The shapes left after removing a horizontal strip of any size, the smallest strips first."""
    ranges = [range(high, low - 1, -1) for high, low in zip(parts, (*parts[1:], 0), strict=False)]
    found = []
    for rows in itertools.product(*ranges):
        # Only the last part can be 0: every other one is at least the next old part.
        found.append(rows[:-1] if rows and rows[-1] == 0 else rows)
    return found


def _determinant(outer: Parts, inner: Parts, entry: Callable[[int], fmpq]) -> fmpq:
    if not trusted(outer).contains(trusted(inner)):
        return fmpq(0)
    holes = (*inner, *([0] * (len(outer) - len(inner))))
    return fmpq_mat(
        [
            [entry(part - hole - i + j) for j, hole in enumerate(holes)]
            for i, part in enumerate(outer)
        ]
    ).det()


@lru_cache(maxsize=1 << 16)
def skew_dim(outer: Parts, inner: Parts) -> int:
    """The number of standard tableaux of a skew shape: Aitken's determinant."""
    if not inner:
        return trusted(outer).dim

    def entry(n: int) -> fmpq:
        return fmpq(0) if n < 0 else fmpq(1, fmpz.fac_ui(n))  # type: ignore[arg-type]

    return int((_determinant(outer, inner, entry) * factorial(sum(outer) - sum(inner))).p)


@lru_cache(maxsize=1 << 16)
def skew_semistandard(outer: Parts, inner: Parts, letters: int) -> int:
    """The number of semistandard tableaux of a skew shape in V letters: Jacobi and Trudi."""
    if not inner:
        return trusted(outer).count_semistandard(letters)

    def entry(n: int) -> fmpq:
        return fmpq(n == 0 if n < 0 or letters == 0 else comb(n + letters - 1, n))

    return int(_determinant(outer, inner, entry).p)
