"""The blocks of an operator by the road chosen, its trace, and the operator itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import flint

from symbench._arguments import shown
from symbench.errors import BadValue, TooLarge, UnknownName
from symbench.exact import Matrix, Rational
from symbench.exact.rational import fmpq, number_text, rational
from symbench.laws.exchangeable import Counts, Law, compositions, count_tokens, number_of_words
from symbench.spectra.bideterminants import tableau_blocks
from symbench.spectra.binary import binary_blocks
from symbench.spectra.invariant import InvariantKernel, Table, table_of
from symbench.young import Action, Block, Partition, commuting_blocks, orbits_on_pairs

ROADS = ("binary", "tableaux", "words")
# Words whose square matrix is written down, tables to be evaluated, the longest binary words.
DENSE = 1000
_TABLES = 3_000_000
_BINARY, _BINARY_FLOATS = 250, 400


def choose_road(road: Any, moving: int, V: int, *, floats: bool = False) -> str:
    """The road asked for, or the cheapest; sizes that do not fit are refused before any work.

    >>> choose_road(None, 60, 2), choose_road(None, 12, 3)
    ('binary', 'tableaux')
    """
    if road is None:
        road = "binary" if V == 2 else "tableaux"
    if not isinstance(road, str) or road not in ROADS:
        raise UnknownName(f"no road {shown(road)}: take one of {', '.join(ROADS)}")
    if road == "binary" and V != 2:
        raise BadValue(f"the road 'binary' is for two tokens, the vocabulary has {V}")
    most = _BINARY_FLOATS if floats else _BINARY
    if road == "binary" and moving > most:
        raise TooLarge(
            f"the blocks of length {moving} have {number_text((moving + 1) ** 3 // 6)} tables: ask "
            f"for at most {most}, or subset_spectrum for words of one weight"
        )
    tables = orbits_on_pairs(moving, V)
    if road == "tableaux" and tables > _TABLES:
        raise TooLarge(
            f"pairs of words of length {moving} over {V} tokens have {number_text(tables)} "
            f"contingency tables, more than {_TABLES:,}: take a shorter length or fewer tokens"
        )
    if road == "words" and V**moving > DENSE:
        raise TooLarge(
            f"there are {number_text(V**moving)} words, more than {DENSE}: leave the road out"
        )
    return road


def operator_blocks(kernel: InvariantKernel, law: Law, road: str) -> tuple[Block, ...]:
    """The block of each irreducible; with fixed positions, one block for each choice of tokens."""
    moving, V = kernel.length - kernel.fixed, kernel.vocabulary
    ends = list(itertools.product(range(V), repeat=kernel.fixed))
    pieces = {
        (left, right): _one(
            road, moving, V, _value(kernel, left, right), _weight(law, right), left == right
        )
        for left in ends
        for right in ends
    }
    shapes = list(pieces[ends[0], ends[0]])
    return tuple(
        Block(shape, _joined([[pieces[x, y][shape] for y in ends] for x in ends]), shape.dim)
        for shape in shapes
    )


def _value(kernel: InvariantKernel, left: Counts, right: Counts) -> Callable[[Table], flint.fmpq]:
    return lambda table: kernel.value(table, left, right)


def _weight(law: Law, right: Counts) -> Callable[[Counts], flint.fmpq]:
    def probability(counts: Counts) -> flint.fmpq:
        whole = [n + right.count(v) for v, n in enumerate(counts)]
        return fmpq(law.of_counts(tuple(whole)))

    return probability


def _one(
    road: str,
    length: int,
    V: int,
    value: Callable[[Table], flint.fmpq],
    probability: Callable[[Counts], flint.fmpq],
    symmetric: bool,
) -> dict[Partition, Any]:
    if road == "binary":
        return binary_blocks(length, value, probability, symmetric=symmetric)
    if road == "tableaux":
        return tableau_blocks(length, V, value, probability)

    def entry(x: tuple[int, ...], y: tuple[int, ...]) -> Rational:
        # The words of an Action have the tokens 1, ..., V.
        table = table_of(tuple(u - 1 for u in x), tuple(v - 1 for v in y), V)
        return rational(value(table) * probability(tuple(map(sum, zip(*table, strict=True)))))

    found = commuting_blocks(Action.words(length, V), entry)
    return {shape: flint.fmpq_mat(block.flint) for shape, block in found.items()}


def _joined(blocks: list[list[Any]]) -> Matrix:
    """One matrix from a square of matrices of one size."""
    if len(blocks) == 1:
        return Matrix(blocks[0][0])
    rows = []
    for line in blocks:
        tables = [block.table() for block in line]
        rows += [[x for part in parts for x in part] for parts in zip(*tables, strict=True)]
    return Matrix(flint.fmpq_mat(rows))


def mean_diagonal(kernel: InvariantKernel, law: Law) -> Rational:
    """E k(x, x), from the kernel and the law alone."""
    V, total = kernel.vocabulary, flint.fmpq(0)
    for end in itertools.product(range(V), repeat=kernel.fixed):
        probability = _weight(law, end)
        for counts in compositions(kernel.length - kernel.fixed, V):
            chance = probability(counts)
            if chance == 0:
                continue
            table = tuple(tuple(n if u == v else 0 for v in range(V)) for u, n in enumerate(counts))
            total += chance * number_of_words(counts) * kernel.value(table, end, end)
    return rational(total)


def whole_operator(kernel: InvariantKernel, law: Law) -> Matrix:
    """The matrix k(x, y) p(y) over all words."""
    V, moving = kernel.vocabulary, kernel.length - kernel.fixed
    words = list(itertools.product(range(V), repeat=kernel.length))
    chances = [fmpq(law.of_counts(count_tokens(word, V))) for word in words]
    rows = [
        [
            kernel.value(table_of(x[:moving], y[:moving], V), x[moving:], y[moving:]) * chance
            for y, chance in zip(words, chances, strict=True)
        ]
        for x in words
    ]
    return Matrix(flint.fmpq_mat(rows))
