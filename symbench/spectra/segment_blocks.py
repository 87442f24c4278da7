"""The blocks of a kernel that is invariant under permutations within segments of the positions.

A pair of words is known, up to the group, by the contingency table of each segment. What a kernel
does on one segment is linear in its values on tables, and turns them into one small block for each
partition: a square matrix, as many tables as entries of blocks. For several segments the values
are an array with one axis for each, and the axes are transformed one after the other: the block of
(lambda, mu, ...) is indexed by tuples of tableaux.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import prod
from typing import Any

import attrs
import flint

from symbench.errors import TooLarge
from symbench.exact import Matrix, Rational
from symbench.exact.rational import fmpq, number_text, rational
from symbench.exact.roots import Eigenvalue, eigenvalues
from symbench.laws.exchangeable import Counts, compositions, number_of_words
from symbench.spectra.bideterminants import tableau_blocks
from symbench.spectra.binary import binary_blocks
from symbench.spectra.on_table import Table, pair_of
from symbench.spectra.pair_values import PairKernel
from symbench.young import Partition, orbits_on_pairs
from symbench.young.position_groups import Irrep, Shapes, YoungSubgroup, irrep_order

Word = tuple[int, ...]
Chance = Callable[[Word], Rational]
# Pairs of words up to the group, tables of each segment but the longest, rows of a block.
_ORBITS = 400_000
_TABLES = 800
_ROWS = 600
_POSITIONS = 200  # a word has so many only where there is one token
# So many tuples of other tables, at most, for which the longest segment is done by itself.
_FEW = 64


@attrs.frozen(eq=False, repr=False)
class SegmentBlock:
    """The operator on the copies of one irreducible, a tuple of partitions."""

    irreps: tuple[Shapes, ...]
    matrix: Matrix

    @property
    def copies(self) -> int:
        """How often the irreducible occurs."""
        return self.matrix.shape[0]

    def eigenvalues(self) -> dict[Irrep, tuple[tuple[Eigenvalue, int], ...]]:
        """The eigenvalues of the block with their multiplicities in it."""
        if self.copies > _ROWS:
            raise TooLarge(
                f"the block of {' x '.join(map(str, self.irreps[0]))} has {self.copies} rows, more "
                f"than {_ROWS}: take shorter segments or fewer tokens"
            )
        return {self.irreps[0]: eigenvalues(self.matrix)}


def check_sizes(group: YoungSubgroup, V: int) -> None:
    """Refuse what is too large, before any work.

    >>> check_sizes(YoungSubgroup(30, 30), 2)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: pairs of words have 29767936 tuples of contingency tables, ...
    """
    counts = [orbits_on_pairs(part, V) for part in group.parts]
    if prod(counts) > _ORBITS:
        raise TooLarge(
            f"pairs of words have {number_text(prod(counts))} tuples of contingency tables, one "
            f"for each segment, more than {_ORBITS:,}: take shorter segments or fewer tokens"
        )
    most = max(counts)
    if most > _TABLES and prod(counts) // most > _FEW:
        raise TooLarge(
            f"the longest segment has {number_text(most)} contingency tables, more than {_TABLES} "
            f"with so much beside it: take shorter segments or fewer tokens"
        )
    if group.degree > _POSITIONS:
        raise TooLarge(
            f"words of {number_text(group.degree)} positions, more than {_POSITIONS}: take shorter "
            "segments"
        )


def segment_blocks(
    kernel: PairKernel, group: YoungSubgroup, chance: Chance
) -> tuple[SegmentBlock, ...]:
    """The block of each tuple of partitions with at most V rows.

    >>> from symbench.spectra.pair_values import pair_kernel
    >>> group = YoungSubgroup(2, 1)
    >>> kernel = pair_kernel(inner_product(lambda n: n), 3, 2, group)
    >>> for block in segment_blocks(kernel, group, lambda word: Rational(1, 8)):
    ...     print(*block.irreps[0], block.matrix.charpoly())
    2 1 (0, 0, 0, -3/8, 7/4, -5/2, 1)
    1+1 1 (0, -1/2, 1)
    """
    parts, V = group.parts, kernel.vocabulary
    axes = list(range(len(parts)))
    big = max(axes, key=lambda i: parts[i])
    others = [i for i in axes if i != big]
    # The blocks of the longest segment are found for each tuple of other tables, unless it has
    # fewer tables of its own: then it is cheaper to transform that axis as well.
    first: tuple[tuple[Shapes, Any], ...]
    beside = prod(orbits_on_pairs(parts[i], V) for i in others)
    if beside <= min(_FEW, orbits_on_pairs(parts[big], V) - 1):
        first, rest, order = _of_longest(kernel, parts, big, others), others, [big, *others]
    else:
        first, rest, order = (((), _values(kernel, parts)),), axes, axes
    transforms = [transform(parts[i], V) for i in rest]
    found = []
    for shape, data in first:
        for chosen, flat in _transformed(data, transforms):
            named = dict(zip(order, (*shape, *chosen), strict=True))
            found.append(_assembled(tuple(named[i] for i in axes), flat, order, V, chance))
    return tuple(sorted(found, key=lambda block: irrep_order(block.irreps[0])))


def _tables(length: int, V: int) -> Iterator[Table]:
    for cells in compositions(length, V * V):
        yield tuple(cells[u * V : u * V + V] for u in range(V))


def _one(length: int, V: int, value: Callable[[Table], flint.fmpq]) -> dict[Partition, Any]:
    """The blocks on one segment, with no law."""
    if V == 2:
        return binary_blocks(length, value, lambda counts: flint.fmpq(1), symmetric=False)
    return tableau_blocks(length, V, value, lambda counts: flint.fmpq(1))


def _of_longest(
    kernel: PairKernel, parts: tuple[int, ...], big: int, others: list[int]
) -> tuple[tuple[Shapes, Any], ...]:
    """The blocks on the longest segment: a row for each tuple of tables of the others."""
    V = kernel.vocabulary
    rows: dict[Partition, list[list[flint.fmpq]]] = {}
    for rest in itertools.product(*(list(_tables(parts[i], V)) for i in others)):

        def value(table: Table, rest: tuple[Table, ...] = rest) -> flint.fmpq:
            return _value(kernel, (*rest[:big], table, *rest[big:]))

        for shape, block in _one(parts[big], V, value).items():
            rows.setdefault(shape, []).append(block.entries())
    return tuple(((shape,), flint.fmpq_mat(listed)) for shape, listed in rows.items())


def _values(kernel: PairKernel, parts: tuple[int, ...]) -> Any:
    """The kernel on all tuples of tables, as one column."""
    tables = [list(_tables(part, kernel.vocabulary)) for part in parts]
    return flint.fmpq_mat([[_value(kernel, chosen)] for chosen in itertools.product(*tables)])


def _value(kernel: PairKernel, tables: tuple[Table, ...]) -> flint.fmpq:
    """The kernel on a pair of words whose segments have these tables."""
    pairs = [pair_of(table) for table in tables]
    x = tuple(itertools.chain.from_iterable(pair[0] for pair in pairs))
    y = tuple(itertools.chain.from_iterable(pair[1] for pair in pairs))
    return kernel.value(x, y)


@lru_cache(maxsize=32)
def transform(length: int, V: int) -> tuple[tuple[Partition, Any], ...]:
    """For each partition the matrix from values on tables to the entries of its block.

    >>> [(str(shape), matrix.nrows(), matrix.ncols()) for shape, matrix in transform(2, 2)]
    [('2', 9, 10), ('1+1', 1, 10)]
    """
    tables = list(_tables(length, V))
    columns: dict[Partition, list[list[flint.fmpq]]] = {}
    for wanted in tables:

        def unit(table: Table, wanted: Table = wanted) -> flint.fmpq:
            return flint.fmpq(int(table == wanted))

        for shape, block in _one(length, V, unit).items():
            columns.setdefault(shape, []).append(block.entries())
    return tuple((shape, flint.fmpq_mat(listed).transpose()) for shape, listed in columns.items())


def _transformed(
    data: Any, transforms: list[tuple[tuple[Partition, Any], ...]]
) -> Iterator[tuple[tuple[Partition, ...], list[flint.fmpq]]]:
    """All blocks: the axes of the segments, transformed one after the other.

    The first axis is multiplied and moved to the end, so that after all of them the axes are in
    order again, after what there was at the end of the data.
    """
    if not transforms:
        yield (), data.entries()
        return
    first, rest = transforms[0], transforms[1:]
    for shape, matrix in first:
        tables = matrix.ncols()
        entries = data.entries()
        wide = flint.fmpq_mat(tables, len(entries) // tables, entries)
        turned = (matrix * wide).transpose()
        for shapes, flat in _transformed(turned, rest):
            yield (shape, *shapes), flat


@lru_cache(maxsize=1024)
def contents(shape: Partition, V: int) -> tuple[Counts, ...]:
    """The token counts of each row of a block: those of its semistandard tableau.

    >>> contents(Partition(2, 1), 2)
    ((2, 1), (1, 2))
    """
    if V == 2:
        m = shape.parts[1] if len(shape.parts) > 1 else 0
        return tuple((shape.size - j, j) for j in range(m, shape.size - m + 1))
    return tuple(
        tuple(sum(row.count(v) for row in tableau.rows) for v in range(1, V + 1))
        for tableau in shape.semistandard_tableaux(V)
    )


def _assembled(
    shapes: Shapes, flat: list[flint.fmpq], order: list[int], V: int, chance: Chance
) -> SegmentBlock:
    """The square matrix over tuples of tableaux, from an array with the segments in some order."""
    rows = [contents(shape, V) for shape in shapes]
    sizes = [len(found) for found in rows]
    strides, step = [0] * len(shapes), 1
    for i in reversed(order):
        strides[i] = step
        step *= sizes[i] ** 2
    places = list(itertools.product(*map(range, sizes)))
    above = [sum(a[i] * sizes[i] * strides[i] for i in order) for a in places]
    along = [sum(b[i] * strides[i] for i in order) for b in places]
    weights = [fmpq(chance(word_with([rows[i][b[i]] for i in range(len(shapes))]))) for b in places]
    table = [
        [flat[r + c] * weight for c, weight in zip(along, weights, strict=True)] for r in above
    ]
    return SegmentBlock((shapes,), Matrix(flint.fmpq_mat(table)))


def word_with(counts: list[Counts]) -> Word:
    """The word whose segments are sorted and have these token counts.

    >>> word_with([(2, 1), (0, 1)])
    (0, 0, 1, 1)
    """
    return tuple(v for segment in counts for v, n in enumerate(segment) for _ in range(n))


def segment_trace(kernel: PairKernel, group: YoungSubgroup, chance: Chance) -> Rational:
    """E k(x, x), from the kernel and the law alone."""
    total = flint.fmpq(0)
    V = kernel.vocabulary
    for counts in itertools.product(*(compositions(part, V) for part in group.parts)):
        word = word_with(list(counts))
        p = chance(word)
        if p:
            total += fmpq(p * prod(map(number_of_words, counts))) * kernel.value(word, word)
    return rational(total)
