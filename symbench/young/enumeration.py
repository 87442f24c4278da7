"""The partitions of n as one lazy sequence: iterate, index, count, draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

import attrs
from flint import fmpz

from symbench._arguments import integer, shown
from symbench._listing import Listing
from symbench.draw.progress import progress
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Array
from symbench.young import bulk
from symbench.young.partition import Partition, as_partition, trusted

T = TypeVar("T")

MOST = 2_000_000  # partitions gone through one by one
EACH = 6e-5  # seconds for one


@attrs.frozen(init=False, repr=False)
class Partitions(Listing[Partition]):
    """The partitions of n, lazily, in decreasing lexicographic order.

    With `max_length`, those with at most that number of parts.

    >>> list(partitions(4))
    [Partition(4), Partition(3, 1), Partition(2, 2), Partition(2, 1, 1), Partition(1, 1, 1, 1)]
    >>> len(partitions(100)), partitions(100)[190_569_290]
    (190569292, Partition(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
1, 1, 1, 1, 1, 1, 1, 1, 1))
    >>> [str(p) for p in partitions(5, max_length=2)]
    ['5', '4+1', '3+2']
    >>> partitions(6, max_length=2).index(Partition(4, 2)), partitions(30).random(seed=1).size
    (2, 30)
    """

    n: int
    max_length: int | None

    def __init__(self, n: int, *, max_length: int | None = None) -> None:
        n = integer(n, "n", at_least=0)
        if max_length is not None:
            max_length = integer(max_length, "max_length", at_least=0)
        self.__attrs_init__(n, max_length)

    def __repr__(self) -> str:
        bound = "" if self.max_length is None else f", max_length={self.max_length}"
        return f"partitions({self.n}{bound})"

    @property
    def count(self) -> int:
        """The number of partitions, found without listing them.

        >>> partitions(1000).count
        24061467864032622473692149727991
        """
        if self._rows >= self.n:
            return int(fmpz(self.n).partitions_p())
        return _number(self.n, self._rows)

    def __iter__(self) -> Iterator[Partition]:
        return map(trusted, _descending(self.n, self._rows))

    def __contains__(self, item: object) -> bool:
        return isinstance(item, Partition) and item.size == self.n and len(item) <= self._rows

    def _at(self, rank: int) -> Partition:
        left, rows, parts = self.n, self._rows, list[int]()
        while left:
            # Skip, from the largest first part down, the partitions that begin with it.
            for first in range(min(left, parts[-1] if parts else left), 0, -1):
                here = self._starting(left, first, rows)
                if rank < here:
                    break
                rank -= here
            parts.append(first)
            left, rows = left - first, rows - 1
        return trusted(tuple(parts))

    def index(self, partition: Partition) -> int:
        """The place of a partition in the sequence.

        >>> partitions(5).index(Partition(3, 1, 1))
        3
        """
        partition = as_partition(partition, "partition")
        if partition not in self:
            raise BadValue(f"{partition!r} is not one of {self!r}")
        rank, left, rows, bound = 0, self.n, self._rows, self.n
        for part in partition.parts:
            rank += sum(
                self._starting(left, first, rows) for first in range(part + 1, min(left, bound) + 1)
            )
            left, rows, bound = left - part, rows - 1, part
        return rank

    def array(self) -> Array:
        """All partitions as one numpy array of parts, padded with zeros.

        >>> partitions(3).array().tolist()
        [[3, 0, 0], [2, 1, 0], [1, 1, 1]]
        """
        rows = bulk.parts_array(self.n)
        if self._rows < self.n:
            rows = rows[rows[:, self._rows] == 0][:, : self._rows]
        return rows

    def dimensions(self) -> list[int]:
        """The dimensions of the irreducibles, in order.

        >>> partitions(4).dimensions()
        [1, 3, 2, 3, 1]
        """
        if self._rows < self.n or self.n > bulk.LARGEST:
            found = on_each(self, lambda partition: partition.dim, "iterate, and ask for .dim")
            return list(found.values())
        return bulk.dimensions(self.n)

    @property
    def _rows(self) -> int:
        return self.n if self.max_length is None else min(self.n, self.max_length)

    def _starting(self, size: int, first: int, rows: int) -> int:
        """The number of partitions of the size with this first part and at most `rows` rows."""
        if rows < 1:
            return 0
        # Without a bound on the rows one table serves all steps.
        rest, bound = size - first, self.n if self._rows >= self.n else rows - 1
        return _table(self.n, bound)[min(first, rest)][rest]


partitions = Partitions


def on_each(
    shapes: Partitions, function: Callable[[Partition], T], instead: str
) -> dict[Partition, T]:
    """The function's value on each of some partitions, one after the other.

    >>> on_each(partitions(2), len, "ask for one length")
    {Partition(2): 1, Partition(1, 1): 2}
    >>> on_each(partitions(100), len, "ask for one length")
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: partitions(100) has 190569292 members, which would take about ...
    """
    if (count := shapes.count) > MOST:
        raise TooLarge(
            f"{shapes!r} has {shown(count)} members, which would take about {count * EACH:.2g} s "
            f"one by one: {instead}"
        )
    found = {}
    with progress(f"members of {shapes!r}", count) as report:
        for shape in shapes:
            found[shape] = function(shape)
            report(1)
    return found


@lru_cache(maxsize=256)
def _number(n: int, rows: int) -> int:
    """The number of partitions of n into at most `rows` parts."""
    if n * rows > 10**7:
        raise TooLarge(
            f"the partitions of {n} into at most {rows} parts are not counted: iterate instead, "
            "or ask for a smaller n"
        )
    counts = [1] + [0] * n
    for part in range(1, rows + 1):
        for m in range(part, n + 1):
            counts[m] += counts[m - part]
    return counts[n]


@lru_cache(maxsize=256)
def _table(n: int, rows: int) -> list[list[int]]:
    """counts[a][m]: partitions of m <= n into at most `rows` parts, each at most a."""
    tables = rows if rows < n else 1
    if n * n * tables > 10**7:
        raise TooLarge(
            f"ranks among the partitions of {n} into at most {rows} parts need {n * n * tables} "
            "counts: iterate instead, or ask for a smaller n"
        )
    counts = [[1] + [0] * n]
    # Without a bound on the rows another part may follow in the same table.
    fewer = _table(n, rows - 1) if 0 < rows < n else counts
    for a in range(1, n + 1):
        row = counts[-1][:]
        if rows:
            source = row if rows >= n else fewer[a]
            for m in range(a, n + 1):
                row[m] += source[m - a]
        counts.append(row)
    return counts


def _descending(n: int, rows: int) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
        return
    if rows == 0:
        return
    parts = [n]
    while True:
        yield tuple(parts)
        # The rightmost part that can shrink with what follows it still fitting in the rows.
        tail = 0
        while parts:
            part = parts.pop()
            tail += part
            if part > 1 and tail - (part - 1) <= (part - 1) * (rows - len(parts) - 1):
                part -= 1
                tail -= part
                full, rest = divmod(tail, part)
                parts += [part] * (full + 1)
                if rest:
                    parts.append(rest)
                break
        else:
            return
