"""Contingency tables of pairs of words: how many positions carry u on the left and v on the right.

A kernel that does not change when the positions of both strings are permuted alike is a function
of this V x V table of counts. A kernel that may be permuted within segments of positions only is a
function of one table for each segment.

>>> table_of("AAB", "ABB")
((1, 1), (0, 1))
>>> pair_of(((1, 1), (0, 1)))
((0, 0, 1), (0, 1, 1))
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from symbench._arguments import integer, sequence, shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact.arrays import Integers, np
from symbench.kernels.diagram import Diagram
from symbench.laws.base import compositions

Table = tuple[tuple[int, ...], ...]  # entry [u][v]: at how many positions x has u and y has v
Tables = tuple[Table, ...]  # one for each segment of the positions


def check_table(table: Any) -> Table:
    """The table itself as tuples of ints, if it is a square of counts."""
    give = "a tuple of tuples of counts, as ((1, 0), (0, 1))"
    rows = tuple(sequence(row, "the table", give) for row in sequence(table, "the table", give))
    if any(len(row) != len(rows) for row in rows):
        raise BadShape(f"the table is {shown(table)}: give as many columns as rows")
    return tuple(tuple(integer(n, "a count", at_least=0) for n in row) for row in rows)


def counts_of(table: Table) -> tuple[int, int, int]:
    """How many pairs of positions meet (equal tokens), how many positions agree, the length."""
    meetings = matches = length = u = 0
    try:
        for row, column in zip(table, zip(*table, strict=True), strict=True):
            if min(row) < 0:
                raise BadValue("a count is negative")
            here = sum(row)
            length += here
            meetings += here * sum(column)
            matches += row[u]
            u += 1
    except (TypeError, ValueError, IndexError):
        check_table(table)
        raise
    if type(meetings + matches) is not int:  # numpy's integers, or floats
        return counts_of(check_table(table))
    return meetings, matches, length


def added(tables: Sequence[Table]) -> Table:
    """The table of all segments together."""
    if len(tables) == 1:
        return tables[0]
    try:
        return tuple(tuple(map(sum, zip(*rows, strict=True))) for rows in zip(*tables, strict=True))
    except (TypeError, ValueError):
        raise BadShape(
            f"the tables of segments are {shown(tables)}: give at least one, all of one size"
        ) from None


def diagonal(counts: Iterable[int]) -> Table:
    """The table of a word with these token counts and itself."""
    listed = tuple(counts)
    size = range(len(listed))
    return tuple(tuple(n if u == v else 0 for v in size) for u, n in enumerate(listed))


def row_sums(table: Table) -> tuple[int, ...]:
    """How often each token occurs on the left."""
    return tuple(map(sum, table))


def column_sums(table: Table) -> tuple[int, ...]:
    """How often each token occurs on the right."""
    return tuple(map(sum, zip(*table, strict=True)))


def transposed(table: Table) -> Table:
    """The table of the two words exchanged."""
    return tuple(zip(*table, strict=True))


def flipped(tables: Tables) -> Tables:
    """The tables of the two words exchanged."""
    return tuple(map(transposed, tables))


def table_of(x: Sequence[Any], y: Sequence[Any], vocabulary: int | None = None) -> Table:
    """The table of two words: over 0, ..., V - 1, or over the tokens that occur, by appearance."""
    if vocabulary is None:
        return of_diagram(Diagram.of(x, y))
    rows = [[0] * vocabulary for _ in range(vocabulary)]
    try:
        for u, v in zip(x, y, strict=True):
            rows[u][v] += 1
    except (TypeError, IndexError, ValueError):
        raise BadType(
            f"{shown(x)} and {shown(y)} are no words of one length over {vocabulary} tokens: give "
            f"tuples of 0, ..., {vocabulary - 1}"
        ) from None
    return tuple(map(tuple, rows))


def tables_of(x: Sequence[int], y: Sequence[int], parts: Iterable[int], vocabulary: int) -> Tables:
    """The table of each segment of two words."""
    found, start = [], 0
    for part in parts:
        found.append(table_of(x[start : start + part], y[start : start + part], vocabulary))
        start += part
    return tuple(found)


def tables_with(parts: Sequence[int], vocabulary: int) -> Iterator[Tables]:
    """All tuples of tables, one for each segment."""
    V = vocabulary

    def tables(length: int) -> Iterator[Table]:
        for cells in compositions(length, V * V):
            yield tuple(cells[u * V : u * V + V] for u in range(V))

    listed = [list(tables(part)) for part in parts[1:]]
    for first in tables(parts[0]):
        for rest in itertools.product(*listed):
            yield (first, *rest)


def merging(own: Iterable[int], parts: Iterable[int]) -> Callable[[Tables], Tables]:
    """The tables of coarser segments, from those of finer ones."""
    ends, runs, start = list(itertools.accumulate(parts)), [], 0
    for end in itertools.accumulate(own):
        stop = ends.index(end) + 1
        runs.append(slice(start, stop))
        start = stop
    return lambda tables: tuple(added(tables[run]) for run in runs)


def of_diagram(diagram: Diagram) -> Table:
    """The table of a pair of strings over the tokens that occur, by appearance."""
    tokens = range(1 + max((*diagram.left, *diagram.right), default=-1))
    return tuple(tuple(diagram.pair_counts[u, v] for v in tokens) for u in tokens)


def pair_of(*tables: Table) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A pair of words with these tables, segment by segment; the first is sorted in each."""
    cells = [
        (u, v)
        for table in tables
        for u, row in enumerate(table)
        for v, n in enumerate(row)
        for _ in range(n)
    ]
    return tuple(u for u, _ in cells), tuple(v for _, v in cells)


def diagram_of(*tables: Any) -> Diagram:
    """The diagram of a pair of words with these tables."""
    x, y = pair_of(*map(check_table, tables))
    return Diagram.from_codes(x + y)


def places_of(places: Any, several: bool) -> list[tuple[Table, ...]]:
    """The tables of each place: itself, or those of its segments if there are several."""
    give = "a list of pairs of tables" if several else "a list such as [((1, 0), (0, 1))]"
    found = []
    for place in sequence(places, "the tables", give):
        tables = sequence(place, "a place", "a tuple of tables") if several else (place,)
        found.append(tuple(map(check_table, tables)))
    return found


def one_hots(left: Any, right: Any) -> tuple[Any, Any]:
    """The words of two arrays as arrays of zeros and ones: word, position, token."""
    for words in (left, right):
        if not isinstance(words, np.ndarray) or words.ndim != 2 or words.dtype.kind not in "iu":
            raise BadType(f"{shown(words)} is no array of words: give one word of tokens a row")
    if left.shape[1] != right.shape[1]:
        raise BadShape(f"the words have lengths {left.shape[1]} and {right.shape[1]}: give equals")
    tokens = np.arange(1 + max(left.max(initial=0), right.max(initial=0)))
    x, y = ((words[:, :, None] == tokens).astype(np.int64) for words in (left, right))
    return x, y


def products_of(left: Any, right: Any) -> Integers:
    """The inner products of all pairs of rows of two arrays of small counts."""
    # Floats, which are exact here, because numpy multiplies matrices of integers slowly.
    x, y = (rows.reshape(len(rows), -1).astype(np.float64) for rows in (left, right))
    found: Integers = np.rint(x @ y.T).astype(np.int64)
    return found


def occurring(numbers: Integers) -> list[int]:
    """The different entries of an array of small counts, in increasing order."""
    found: list[int] = np.flatnonzero(np.bincount(numbers.ravel())).tolist()
    return found
