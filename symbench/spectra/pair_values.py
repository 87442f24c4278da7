"""The values of a kernel on pairs of words, after its invariance under a group is checked.

k(gx, gy) = k(x, y) for all g of the group is known by construction for the kernels that see only
contingency tables, or whose covariance of positions is invariant. Any other kernel is compared
with its images: on all pairs of words where these are few, on some of them otherwise.

>>> pair_kernel(linear_attention(1, 1, readout="last"), 3, 2, YoungSubgroup(2, 1)).invariance
'by construction'
>>> pair_kernel(linear_attention(1, 1, readout="last"), 3, 2, YoungSubgroup(1, 2))
Traceback (most recent call last):
...
symbench.errors.BadValue: linear_attention(1, 1, readout='last') is not invariant under \
YoungSubgroup(1, 2): k((0, 0, 0), (0, 0, 1)) = 13, and after the transposition (2 3) of positions \
k((0, 0, 0), (0, 1, 0)) = 26
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from math import lcm
from typing import Any

import attrs
import flint

from symbench._arguments import shown
from symbench.errors import BadValue, NotExact
from symbench.exact.rational import fmpq
from symbench.kernels.float_value import FloatValue
from symbench.kernels.inner_product import InnerProduct
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.positions import PositionalAttention, gram
from symbench.spectra.invariant import TableKernel
from symbench.spectra.on_table import is_ball, number, table_function, table_of, word_function
from symbench.young.position_groups import Group, Move, YoungSubgroup, moved

Word = tuple[int, ...]
Value = Callable[[Word, Word], flint.fmpq]
# Pairs of words that are all compared with their images; beyond it, so many are drawn.
_EVERY_PAIR = 20_000
_DRAWN = 3_000


@attrs.frozen(eq=False, repr=False)
class PairKernel:
    """A kernel on words over 0, ..., V - 1, and how its invariance is known."""

    source: Any
    length: int
    vocabulary: int
    group: Group
    invariance: str  # 'by construction', 'all pairs' or 'sampled pairs'
    value: Value

    def table(self, left: Any, right: Any) -> tuple[Any, int]:
        """All values on two arrays of words, as integers over one denominator.

        >>> import numpy as np
        >>> half = pair_kernel(inner_product(lambda n: f"{n}/2"), 2, 2, YoungSubgroup(2))
        >>> words = np.array([[0, 0], [0, 1]])
        >>> half.table(words, words)[0].tolist(), half.table(words, words)[1]
        ([[2, 1], [1, 2]], 2)
        """
        import numpy as np

        found = gram(self.source, left, right, self.vocabulary)
        if found is not None:
            return found
        others = [tuple(word) for word in right.tolist()]
        rows = [[self.value(tuple(x), y) for y in others] for x in left.tolist()]
        denominator = lcm(*{int(v.q) for row in rows for v in row})
        whole = [[int(v.p) * (denominator // int(v.q)) for v in row] for row in rows]
        most = max((abs(v) for row in whole for v in row), default=0)
        return np.array(whole, dtype=np.int64 if most < 1 << 62 else object), denominator


def fast(kernel: Any) -> bool:
    """Whether all values are computed at once, not pair by pair."""
    if isinstance(kernel, LinearAttention):
        return not kernel.causal and kernel.readout in ("sum", "flatten")
    return isinstance(kernel, PositionalAttention)


def pair_kernel(kernel: Any, length: int, vocabulary: int, group: Group) -> PairKernel:
    """The kernel on pairs of words, checked: invariant under the group, and symmetric."""
    closed = _closed_form(kernel, length, vocabulary, group)
    every = vocabulary ** (2 * length) <= _EVERY_PAIR
    if closed is not None:
        found = PairKernel(kernel, length, vocabulary, group, "by construction", closed)
        if not isinstance(kernel, TableKernel):
            return found
    else:
        how = "all pairs" if every else "sampled pairs"
        value = word_function(kernel, _rational)
        found = PairKernel(kernel, length, vocabulary, group, how, value)
    # A function of tables is invariant as it is, but need not be symmetric.
    moves = () if closed is not None else tuple(group.generators)
    _check(found, _every_pair(found) if every else _drawn_pairs(found), every, moves)
    return found


def _rational(value: Any, kernel: Any, x: Any, y: Any) -> flint.fmpq:
    """A value of the kernel; balls and floats have no spectrum here, and no backend to ask for."""
    if is_ball(value) or isinstance(value, FloatValue):
        raise NotExact(
            f"{kernel!r} is {shown(value)} at {x}, {y}, no rational number: under a smaller group "
            "give a kernel with rational values; spectrum(...), under all permutations, takes "
            "balls and floats"
        )
    return number(value, kernel, x, y)


def _closed_form(kernel: Any, length: int, V: int, group: Group) -> Value | None:
    """The kernel on words, for kernels whose invariance needs no check."""
    if isinstance(kernel, PositionalAttention):
        on_tokens = kernel.on_tokens
        return (lambda x, y: fmpq(on_tokens(x, y))) if _keeps(kernel, length, group) else None
    if not isinstance(kernel, (LinearAttention, InnerProduct, TableKernel)):
        return None
    # A readout of the last position alone is invariant where that position is a segment.
    ends = isinstance(group, YoungSubgroup) and group.parts[-1] == 1 and length > 1
    fixed = int(ends)
    seen = table_function(kernel, length, V, fixed, _rational)
    if seen is None:
        return None
    moving = length - fixed
    known: dict[Any, flint.fmpq] = {}

    def value(x: Word, y: Word) -> flint.fmpq:
        key = (table_of(x[:moving], y[:moving], V), x[moving:], y[moving:])
        if key not in known:
            known[key] = seen(*key)
        return known[key]

    return value


def _keeps(kernel: PositionalAttention, length: int, group: Group) -> bool:
    """Whether the covariance of positions does not change under the group."""
    rows = kernel.covariance
    return kernel.length == length and all(
        moved(tuple(moved(row, move) for row in rows), move) == rows for _, move in group.generators
    )


def _every_pair(kernel: PairKernel) -> Iterable[tuple[Word, Word]]:
    words = list(itertools.product(range(kernel.vocabulary), repeat=kernel.length))
    return itertools.product(words, words)


def _drawn_pairs(kernel: PairKernel) -> Iterable[tuple[Word, Word]]:
    generator = random.Random(0)
    tokens = range(kernel.vocabulary)
    for _ in range(_DRAWN):
        yield (
            tuple(generator.choices(tokens, k=kernel.length)),
            tuple(generator.choices(tokens, k=kernel.length)),
        )


def _check(
    kernel: PairKernel,
    pairs: Iterable[tuple[Word, Word]],
    every: bool,
    moves: tuple[tuple[str, Move], ...],
) -> None:
    known: dict[tuple[Word, Word], flint.fmpq] = {}

    def value(x: Word, y: Word) -> flint.fmpq:
        if not every:
            return kernel.value(x, y)
        if (x, y) not in known:
            known[x, y] = kernel.value(x, y)
        return known[x, y]

    for x, y in pairs:
        here = value(x, y)
        for name, move in moves:
            gx, gy = moved(x, move), moved(y, move)
            there = value(gx, gy)
            if here != there:
                raise BadValue(
                    f"{kernel.source!r} is not invariant under {kernel.group!r}: k({x}, {y}) = "
                    f"{here}, and after {name} k({gx}, {gy}) = {there}"
                )
        back = value(y, x)
        if here != back:
            raise BadValue(
                f"{kernel.source!r} is not symmetric: k({x}, {y}) = {here} and k({y}, {x}) = {back}"
            )
