"""The tableaux of a shape as lazy sequences: iterate, index, count, draw, list as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from math import comb, factorial
from typing import Any

import attrs
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from symbench.errors import BadType, BadValue, TooLarge
from symbench.young._check import choice, generator, integer
from symbench.young.listing import Parts, Paths, State, check_chunk
from symbench.young.partition import Partition, as_partition, trusted
from symbench.young.shapes import corner_rows, remove
from symbench.young.tableau import Tableau, make


@attrs.frozen(init=False, repr=False)
class _Tableaux:
    """What the two kinds of sequences share."""

    shape: Partition
    inner: Partition

    def _set(self, shape: object, inner: object) -> None:
        outer, hole = as_partition(shape, "shape"), as_partition(inner, "inner")
        if not outer.contains(hole):
            raise BadValue(f"inner is {hole!r}, expected a partition inside {outer!r}")
        object.__setattr__(self, "shape", outer)
        object.__setattr__(self, "inner", hole)

    @property
    def _paths(self) -> Paths:
        raise AssertionError("every kind of tableaux has its own")

    @property
    def count(self) -> int:
        """How many there are, without listing them."""
        return self._paths.total()

    def __len__(self) -> int:
        count = self.count
        if count >= 2**63:
            raise TooLarge(f"{self!r} has {count} members, more than len() can say: use .count")
        return count

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

    def __getitem__(self, index: int) -> Tableau:
        count, rank = self.count, integer(index, "index")
        if not -count <= rank < count:
            raise BadValue(f"index {rank} is out of range: {self!r} has {count} members")
        path = self._paths.unrank(rank % count)
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

    def __contains__(self, item: object) -> bool:
        raise AssertionError("every kind of tableaux has its own")

    def random(self, *, seed: Any = None) -> Tableau:
        """One of them, all equally likely."""
        count = self.count
        if not count:
            raise BadValue(f"{self!r} is empty: there is nothing to draw from")
        return self[generator(seed).randrange(count)]

    def arrays(self, *, chunk: int = 1 << 16, form: str = "entries") -> Iterator[Any]:
        """All of them as numpy arrays of at most `chunk` rows, in order.

        A row holds the entries, row by row from the top; with form="word" (standard tableaux
        only) it holds, for each of 1..n, the row in which it stands, counted from 0.
        """
        chunk = check_chunk(integer(chunk, "chunk"))
        forms = ("entries", "word") if isinstance(self, StandardTableaux) else ("entries",)
        return self._paths.arrays(chunk, choice(form, "form", forms) == "word")

    def array(self, *, form: str = "entries") -> Any:
        """All of them as one numpy array."""
        import numpy as np

        size = self.shape.size - self.inner.size
        if self.count * size > 1 << 32:
            raise TooLarge(
                f"{self!r} has {self.count} members of {size} entries: too large for one array; "
                "ask for arrays(chunk=...), or for a random one"
            )
        chunks = list(self.arrays(chunk=max(1, min(self.count, 1 << 28)), form=form))
        return chunks[0] if chunks else np.zeros((0, size), dtype=np.uint8)


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
        self._set(shape, inner)

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

    def random(self, *, seed: Any = None) -> Tableau:
        """One of them, all equally likely: by the hook walk of Greene, Nijenhuis and Wilf.

        >>> StandardTableaux(Partition(20, 20, 10)).random(seed=7).is_standard
        True
        """
        if self.inner.parts:
            return super().random(seed=seed)
        source = generator(seed)
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
        self._set(shape, inner)
        object.__setattr__(self, "letters", integer(letters, "letters", minimum=0))

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
        return fmpq(0) if n < 0 else fmpq(1, fmpz.fac_ui(n))

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


def as_tableau(value: object) -> Tableau:
    """The value as a Tableau, or an error."""
    if not isinstance(value, Tableau):
        raise BadType(f"{value!r} is not a Tableau: write Tableau([[1, 2], [3]])")
    return value
