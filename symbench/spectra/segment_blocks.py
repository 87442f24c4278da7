"""The blocks of a kernel that is invariant under permutations within segments of the positions.

A pair of words is known, up to the group, by the contingency table of each segment. What a kernel
does on one segment is linear in its values on tables, and turns them into one small block for each
partition: a square matrix, as many tables as entries of blocks. For several segments the values
are an array with one axis for each, and the axes are transformed one after the other: the block of
(lambda, mu, ...) is indexed by tuples of tableaux. One segment is S_L itself; segments of one
position stay where they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import flint

from symbench._arguments import choice
from symbench.draw.progress import progress
from symbench.errors import BadValue, TooLarge
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import Integers, np
from symbench.exact.rational import fmpq, number_text, rational
from symbench.kernels.on_words import whole_numbers
from symbench.kernels.tables import Table, Tables, diagonal, flipped, table_of, tables_with
from symbench.laws.base import Counts, Law, Word, compositions, number_of_words
from symbench.spectra.bideterminants import tableau_blocks, token_counts
from symbench.spectra.binary import Values, binary_blocks
from symbench.young import Action, Partition, commuting_blocks, orbits_on_pairs
from symbench.young.position_groups import Irrep, Shapes, YoungSubgroup, irrep_order

ALGORITHMS = ("binary", "tableaux", "words")
Value = Callable[[Tables], flint.fmpq]
Chance = Callable[[Sequence[Counts]], flint.fmpq]  # of each word with these counts in its segments

# Words whose square matrix is written down, tables to be evaluated, the longest binary words.
DENSE = 1000
_TABLES = 3_000_000
_MANY = 10_000
_BINARY, _BINARY_FLOATS = 250, 400
# Words at the positions that stay put.
_ENDS = 64
# Several segments: pairs of words up to the group, tables of each segment but the longest.
_ORBITS = 400_000
_OTHER_TABLES = 800
_POSITIONS = 200  # a word is longer only where there is one token
# Tuples of other tables, at most, for which the longest segment is done by itself.
_FEW = 64


def choose_algorithm(
    algorithm: Any, group: YoungSubgroup, vocabulary: int, *, floats: bool = False
) -> str:
    """The algorithm asked for, or the cheapest; what is too large is refused before any work.

    >>> choose_algorithm(None, YoungSubgroup(60), 2), choose_algorithm(None, YoungSubgroup(12), 3)
    ('binary', 'tableaux')
    >>> choose_algorithm(None, YoungSubgroup(30, 30), 2)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: pairs of words have 29767936 tuples of contingency tables, ...
    """
    V = vocabulary
    chosen = "binary" if V == 2 else "tableaux"
    if algorithm is not None:
        chosen = choice(algorithm, "the algorithm", ALGORITHMS)
    if chosen == "binary" and V != 2:
        raise BadValue(f"the algorithm 'binary' is for two tokens, the vocabulary has {V}")
    if group.moving:
        _check_one(chosen, group, V, _BINARY_FLOATS if floats else _BINARY)
    else:
        _check_several(chosen, group, V)
    return chosen


def _check_one(algorithm: str, group: YoungSubgroup, V: int, longest: int) -> None:
    moving, fixed = group.moving, len(group.parts) - 1
    if algorithm == "binary" and moving > longest:
        raise TooLarge(
            f"the blocks of length {moving} have {number_text((moving + 1) ** 3 // 6)} tables: ask "
            f"for at most {longest}, or for words of one weight by the law Subsets"
        )
    # The first comparisons keep the number of tables small enough to be computed.
    many = V > 1 and max(moving, V) > _MANY
    tables = 0 if many else orbits_on_pairs(moving, V)
    if algorithm == "tableaux" and (many or tables > _TABLES):
        count = f"more than {_TABLES:,}" if many else number_text(tables)
        raise TooLarge(
            f"pairs of words of length {moving} over {V} tokens have {count} contingency tables; "
            f"at most {_TABLES:,} are gone through: take a shorter length or fewer tokens"
        )
    if algorithm == "words" and V**moving > DENSE:
        raise TooLarge(
            f"there are {number_text(V**moving)} words, more than {DENSE}: leave the algorithm out"
        )
    if V**fixed > _ENDS:
        raise TooLarge(f"the {fixed} fixed positions have {V}^{fixed} words: take fewer")


def _check_several(algorithm: str, group: YoungSubgroup, V: int) -> None:
    if algorithm == "words":
        raise BadValue("the algorithm 'words' is for one segment: leave the algorithm out")
    counts = [orbits_on_pairs(part, V) for part in group.parts]
    if prod(counts) > _ORBITS:
        raise TooLarge(
            f"pairs of words have {number_text(prod(counts))} tuples of contingency tables, one "
            f"for each segment, more than {_ORBITS:,}: take shorter segments or fewer tokens"
        )
    most = max(counts)
    if most > _OTHER_TABLES and prod(counts) // most > _FEW:
        raise TooLarge(
            f"the longest segment has {number_text(most)} contingency tables, more than "
            f"{_OTHER_TABLES} beside {prod(counts) // most:,} of the others: take shorter segments "
            "or fewer tokens"
        )
    if group.degree > _POSITIONS:
        raise TooLarge(
            f"words of {number_text(group.degree)} positions, more than {_POSITIONS}: take shorter "
            "segments"
        )


def chance_of(law: Law) -> Chance:
    """The probability of a word by the token counts of its segments.

    >>> chance_of(Iid("1/3", "2/3"))([(1, 1), (0, 1)])
    4/27
    """
    of_counts = getattr(law, "of_counts", None)
    if of_counts is None:
        return lambda counts: fmpq(law.probability(word_with(counts)))
    known: dict[Counts, flint.fmpq] = {}

    def chance(counts: Sequence[Counts]) -> flint.fmpq:
        total = tuple(map(sum, zip(*counts, strict=True)))
        if total not in known:
            known[total] = fmpq(of_counts(total))
        return known[total]

    return chance


def segment_blocks(
    value: Value,
    group: YoungSubgroup,
    vocabulary: int,
    chance: Chance,
    *,
    algorithm: str | None = None,
    every: Values | None = None,
) -> dict[Irrep, Matrix]:
    """The block of each irreducible that occurs, from the values of a symmetric kernel on tables.

    `every` gives the same values on arrays of the tables of a group's only segment, if a kernel
    has such a function.

    >>> def matches(tables):
    ...     return flint.fmpq(sum(table[0][0] + table[1][1] for table in tables))
    >>> found = segment_blocks(matches, YoungSubgroup(2, 1), 2, lambda counts: flint.fmpq(1, 8))
    >>> for irrep, block in found.items():
    ...     print(*irrep, block.charpoly())
    2 1 (0, 0, 0, -3/8, 7/4, -5/2, 1)
    1+1 1 (0, -1/2, 1)
    """
    parts, V = group.parts, vocabulary
    way = algorithm or ("binary" if V == 2 else "tableaux")
    if way == "words":
        return _by_words(value, group, V, chance)
    axes = list(range(len(parts)))
    big = max(axes, key=lambda i: parts[i])
    others = [i for i in axes if i != big]
    # The blocks of the longest segment are found for each tuple of other tables, unless it has
    # fewer tables of its own: then it is cheaper to transform that axis as well.
    first: tuple[tuple[Shapes, Any], ...]
    beside = prod(orbits_on_pairs(parts[i], V) for i in others)
    if group.moving or beside <= min(_FEW, orbits_on_pairs(parts[big], V) - 1):
        first = _of_longest(value, every, parts, V, big, others, way)
        rest, order = others, [big, *others]
    else:
        column = flint.fmpq_mat([[value(tables)] for tables in tables_with(parts, V)])
        first, rest, order = (((), column),), axes, axes
    transforms = [transform(parts[i], V, way) for i in rest]
    found: dict[Irrep, Matrix] = {}
    for shape, data in first:
        for chosen, flat in _transformed(data, transforms):
            named = dict(zip(order, (*shape, *chosen), strict=True))
            shapes = tuple(named[i] for i in axes)
            found[group.irrep(shapes)] = _assembled(shapes, flat, order, V, way, chance)
    return {irrep: found[irrep] for irrep in sorted(found, key=irrep_order)}


def _one(
    algorithm: str, length: int, V: int, values: Values, symmetric: bool
) -> dict[Partition, Any]:
    """The blocks on one segment, with no law."""
    if algorithm == "binary":
        return binary_blocks(length, values, symmetric=symmetric)
    return tableau_blocks(length, V, values)


def _one_by_one(value: Callable[[Table], flint.fmpq]) -> Values:
    """A function of one table as one of arrays of tables."""

    def values(tables: Integers) -> tuple[Any, int]:
        listed = []
        with progress("values on pairs of words", len(tables)) as report:
            for table in tables.tolist():
                listed.append(value(tuple(map(tuple, table))))
                report(1)
        return whole_numbers(np.array(listed, dtype=object))

    return values


def _of_longest(
    value: Value,
    every: Values | None,
    parts: tuple[int, ...],
    V: int,
    big: int,
    others: list[int],
    algorithm: str,
) -> tuple[tuple[Shapes, Any], ...]:
    """The blocks on the longest segment: a row for each tuple of tables of the others."""
    rows: dict[Partition, list[list[flint.fmpq]]] = {}
    for rest in tables_with([parts[i] for i in others], V) if others else [()]:

        def at(table: Table, rest: Tables = rest) -> flint.fmpq:
            return value((*rest[:big], table, *rest[big:]))

        values = every if every is not None and not rest else _one_by_one(at)
        symmetric = flipped(rest) == rest
        for shape, block in _one(algorithm, parts[big], V, values, symmetric).items():
            rows.setdefault(shape, []).append(block.entries())
    return tuple(((shape,), flint.fmpq_mat(listed)) for shape, listed in rows.items())


@lru_cache(maxsize=32)
def transform(length: int, V: int, algorithm: str) -> tuple[tuple[Partition, Any], ...]:
    """For each partition the matrix from values on tables to the entries of its block.

    >>> [(str(shape), m.nrows(), m.ncols()) for shape, m in transform(2, 2, "binary")]
    [('2', 9, 10), ('1+1', 1, 10)]
    """
    columns: dict[Partition, list[list[flint.fmpq]]] = {}
    for (wanted,) in tables_with((length,), V):

        def unit(table: Table, wanted: Table = wanted) -> flint.fmpq:
            return flint.fmpq(int(table == wanted))

        for shape, block in _one(algorithm, length, V, _one_by_one(unit), False).items():
            columns.setdefault(shape, []).append(block.entries())
    return tuple((shape, flint.fmpq_mat(listed).transpose()) for shape, listed in columns.items())


def _transformed(
    data: Any, transforms: list[tuple[tuple[Partition, Any], ...]]
) -> Iterator[tuple[Shapes, list[flint.fmpq]]]:
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
def contents(shape: Partition, V: int, algorithm: str) -> tuple[Counts, ...]:
    """The token counts of each row of a block: those of its semistandard tableau.

    >>> contents(Partition(2, 1), 2, "binary")
    ((2, 1), (1, 2))
    """
    if algorithm == "binary":
        m = shape.parts[1] if len(shape.parts) > 1 else 0
        return tuple((shape.size - j, j) for j in range(m, shape.size - m + 1))
    return token_counts(shape, V)


def _assembled(
    shapes: Shapes,
    flat: list[flint.fmpq],
    order: list[int],
    V: int,
    algorithm: str,
    chance: Chance,
) -> Matrix:
    """The square matrix over tuples of tableaux, from an array with the segments in some order."""
    rows = [contents(shape, V, algorithm) for shape in shapes]
    sizes = [len(found) for found in rows]
    if not any(flat):  # a kernel of low degree has few blocks that are not zero
        return Matrix(flint.fmpq_mat(prod(sizes), prod(sizes)))
    strides, step = [0] * len(shapes), 1
    for i in reversed(order):
        strides[i] = step
        step *= sizes[i] ** 2
    places = list(itertools.product(*map(range, sizes)))
    above = [sum(a[i] * sizes[i] * strides[i] for i in order) for a in places]
    along = [sum(b[i] * strides[i] for i in order) for b in places]
    weights = [chance([rows[i][b[i]] for i in range(len(shapes))]) for b in places]
    table = [
        [flat[r + c] * weight for c, weight in zip(along, weights, strict=True)] for r in above
    ]
    return Matrix(flint.fmpq_mat(table))


def _by_words(value: Value, group: YoungSubgroup, V: int, chance: Chance) -> dict[Irrep, Matrix]:
    """The same from all words: one block for each choice of tokens at the positions that stay."""
    moving, fixed = group.moving, len(group.parts) - 1
    ends = list(itertools.product(range(V), repeat=fixed))

    def entry_at(left: Word, right: Word) -> Callable[[Word, Word], Rational]:
        beside = tuple(table_of((u,), (v,), V) for u, v in zip(left, right, strict=True))

        def entry(x: Word, y: Word) -> Rational:
            # The words of an Action have the tokens 1, ..., V.
            tables = (table_of([u - 1 for u in x], [v - 1 for v in y], V), *beside)
            columns = [tuple(map(sum, zip(*table, strict=True))) for table in tables]
            return rational(value(tables) * chance(columns))

        return entry

    pieces = {
        (left, right): commuting_blocks(Action.words(moving, V), entry_at(left, right))
        for left in ends
        for right in ends
    }
    return {
        group.irrep((shape, *[Partition(1)] * fixed)): _joined(
            [[pieces[x, y][shape] for y in ends] for x in ends]
        )
        for shape in pieces[ends[0], ends[0]]
    }


def _joined(blocks: list[list[Matrix]]) -> Matrix:
    """One matrix from a square of matrices of one size."""
    rows = []
    for line in blocks:
        tables = [flint.fmpq_mat(block.flint).table() for block in line]
        rows += [[x for part in parts for x in part] for parts in zip(*tables, strict=True)]
    return Matrix(flint.fmpq_mat(rows))


def word_with(counts: Sequence[Counts]) -> Word:
    """The word whose segments are sorted and have these token counts.

    >>> word_with([(2, 1), (0, 1)])
    (0, 0, 1, 1)
    """
    return tuple(v for segment in counts for v, n in enumerate(segment) for _ in range(n))


def words_up_to(
    group: YoungSubgroup, V: int, chance: Chance
) -> Iterator[tuple[Tables, flint.fmpq]]:
    """For one word of each orbit its tables with itself, and the probability of the orbit."""
    for counts in itertools.product(*(list(compositions(part, V)) for part in group.parts)):
        p = chance(counts)
        if p != 0:
            yield tuple(map(diagonal, counts)), p * prod(map(number_of_words, counts))


def segment_trace(value: Value, group: YoungSubgroup, V: int, chance: Chance) -> Rational:
    """E k(x, x), from the kernel and the law alone."""
    orbits = words_up_to(group, V, chance)
    return rational(sum((p * value(tables) for tables, p in orbits), flint.fmpq(0)))
