"""Kernels that do not change when the positions of both words are permuted.

k(gx, gy) = k(x, y) for all g in S_L means: k is a function of the contingency table of the pair,
which says at how many positions x has token u and y has token v. That is checked before a
spectrum is computed, and a kernel that fails is refused with the permutation that shows it.

A kernel of one's own says that it is invariant by having one of two methods. A table is a V x V
tuple of tuples of counts, and the kernel must be symmetric: a table and its transpose have one
value.

* `on_table(table)` returns an exact number or a ball (FLINT's arb). It may raise NotSupported
  where a table says too little; then the kernel is compared on pairs of words.
* `on_tables(tables, *, digits)` is for float values, many tables at once: it returns two lists of
  floats, from two different computations that aim at so many digits.

>>> invariant_kernel(linear_attention(1, 1), 3, 2).invariance
'by construction'
>>> invariant_kernel(linear_attention(1, 1, causal=True), 2, 2)
Traceback (most recent call last):
...
symbench.errors.BadValue: linear_attention(1, 1, readout='sum', causal=True) is not invariant: ...
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import flint

from symbench.errors import BadValue
from symbench.kernels.from_table import TableKernel
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.transformer import Transformer
from symbench.laws.exchangeable import compositions
from symbench.spectra.on_table import (
    Table,
    Word,
    ball_or_number,
    differ,
    number,
    pair_of,
    table_function,
    table_of,
    word_function,
)

__all__ = [
    "InvariantKernel",
    "Moved",
    "Table",
    "TableKernel",
    "Word",
    "invariant_kernel",
    "invariant_or_moved",
    "number",
    "pair_of",
    "table_of",
]

# Pairs of words that are all compared with their images; beyond it, representatives are.
_EVERY_PAIR = 20_000
_REPRESENTATIVES = 3_000


@attrs.frozen(eq=False, repr=False)
class InvariantKernel:
    """A kernel as a function of tables, and how its invariance is known.

    The last `fixed` positions stay where they are; `value` takes the table of the others, and
    the tokens that the two words have at the fixed positions.

    `invariance` is 'by construction', 'all pairs' or 'sampled pairs' (of words that were compared),
    the last two with ', within balls' if values were balls: then no two of them were seen to
    differ, and that they are equal is not proved.
    """

    source: Any
    length: int
    vocabulary: int
    fixed: int
    invariance: str
    _value: Callable[[Table, Word, Word], flint.fmpq | flint.arb]

    def value(self, table: Table, left: Word = (), right: Word = ()) -> Any:
        """The kernel on a pair with this table: a FLINT rational, or a ball if balls may be."""
        return self._value(table, left, right)

    def tables(self) -> Iterator[Table]:
        """All contingency tables of the positions that move."""
        V = self.vocabulary
        for cells in compositions(self.length - self.fixed, V * V):
            yield tuple(cells[u * V : u * V + V] for u in range(V))


@attrs.frozen(eq=False, repr=False)
class Moved:
    """A pair of words and its image under a transposition, with different values of the kernel.

    The transposition is that of the positions place and place + 1, counted from 1; as text it is
    the sentence with which the kernel is refused.
    """

    source: Any
    pair: tuple[Word, Word]
    here: Any
    place: int
    image: tuple[Word, Word]
    there: Any

    def __str__(self) -> str:
        x, y = map(_text, self.pair)
        gx, gy = map(_text, self.image)
        return (
            f"{self.source!r} is not invariant: k({x}, {y}) = {self.here}, and after the "
            f"transposition ({self.place} {self.place + 1}) of positions k({gx}, {gy}) = "
            f"{self.there}; {_remedy(self.source)}"
        )


def invariant_kernel(
    kernel: Any, length: int, vocabulary: int, *, fixed: int = 0, balls: bool = False
) -> InvariantKernel:
    """The kernel as a function of tables, after its invariance and symmetry are checked.

    Its values must be exact numbers; with balls=True they may be balls, which then count as equal
    where they overlap: `invariance` says so, and symmetry is then a premise.

    >>> third = invariant_kernel(lambda x, y: flint.arb(1) / 3, 2, 2, balls=True)
    >>> third.invariance
    'all pairs, within balls'
    """
    found = invariant_or_moved(kernel, length, vocabulary, fixed=fixed, balls=balls)
    if isinstance(found, Moved):
        raise BadValue(str(found))
    return found


def invariant_or_moved(
    kernel: Any, length: int, vocabulary: int, *, fixed: int = 0, balls: bool = False
) -> InvariantKernel | Moved:
    """The same, or the pair of words which shows that the kernel is not invariant.

    >>> invariant_or_moved(linear_attention(1, 1, readout="last"), 2, 2).image
    ((0, 0), (1, 0))
    """
    if isinstance(kernel, InvariantKernel):
        return kernel
    read = ball_or_number if balls else number
    closed = table_function(kernel, length, vocabulary, fixed, read)
    if closed is not None:
        found = InvariantKernel(kernel, length, vocabulary, fixed, "by construction", closed)
    else:
        on_words = word_function(kernel, read)
        every = vocabulary ** (2 * length) <= _EVERY_PAIR
        how = "all pairs" if every else "sampled pairs"

        def value(table: Table, left: Word, right: Word) -> Any:
            x, y = pair_of(table)
            return on_words(x + left, y + right)

        found = InvariantKernel(kernel, length, vocabulary, fixed, how, value)
        within = False

        def noted(x: Word, y: Word) -> Any:
            nonlocal within
            read_value = on_words(x, y)
            within = within or not isinstance(read_value, flint.fmpq)
            return read_value

        moved = _moved_pair(found, noted, every)
        if moved is not None:
            return moved
        if within:
            found = attrs.evolve(found, invariance=f"{how}, within balls")
    if closed is None or not hasattr(kernel, "needs_cls") or isinstance(kernel, TableKernel):
        _check_symmetry(found)
    return found


# --- checks ---------------------------------------------------------------------------------
def _moved_pair(
    kernel: InvariantKernel, on_words: Callable[[Word, Word], Any], every: bool
) -> Moved | None:
    """Compare pairs with their images under the transpositions of neighbours."""
    moving = kernel.length - kernel.fixed
    pairs = _every_pair(kernel) if every else _representatives(kernel)
    cache: dict[tuple[Word, Word], Any] = {}

    def value(x: Word, y: Word) -> Any:
        if not every:
            return on_words(x, y)
        if (x, y) not in cache:
            cache[x, y] = on_words(x, y)
        return cache[x, y]

    for x, y in pairs:
        here = value(x, y)
        for i in range(moving - 1):
            if x[i] == x[i + 1] and y[i] == y[i + 1]:
                continue
            image = _swapped(x, i), _swapped(y, i)
            there = value(*image)
            if differ(here, there):
                return Moved(kernel.source, (x, y), here, i + 1, image, there)
    return None


def _remedy(source: Any) -> str:
    while isinstance(source, Transformer):
        source = source.attention
    if isinstance(source, LinearAttention) and not source.causal:
        return "with fixed=1 the last position stays put, and S_(L-1) is its symmetry"
    return "with fixed=k the last k positions stay put"


def _every_pair(kernel: InvariantKernel) -> Iterator[tuple[Word, Word]]:
    words = list(itertools.product(range(kernel.vocabulary), repeat=kernel.length))
    return itertools.product(words, words)


def _representatives(kernel: InvariantKernel) -> Iterator[tuple[Word, Word]]:
    """Pairs with tables spread over all of them, with each choice at the fixed positions."""
    from symbench.young import orbits_on_pairs

    fixed = list(itertools.product(range(kernel.vocabulary), repeat=kernel.fixed))
    count = orbits_on_pairs(kernel.length - kernel.fixed, kernel.vocabulary) * len(fixed) ** 2
    step = max(1, count // _REPRESENTATIVES)
    whole = itertools.product(kernel.tables(), fixed, fixed)
    for table, left, right in itertools.islice(whole, 0, None, step):
        x, y = pair_of(table)
        yield x + left, y + right


def _check_symmetry(kernel: InvariantKernel) -> None:
    fixed = list(itertools.product(range(kernel.vocabulary), repeat=kernel.fixed))
    for table in kernel.tables():
        flipped = tuple(zip(*table, strict=True))
        if flipped < table:
            continue
        for left, right in itertools.product(fixed, repeat=2):
            here, there = kernel.value(table, left, right), kernel.value(flipped, right, left)
            if differ(here, there):
                x, y = pair_of(table)
                x, y = x + left, y + right
                raise BadValue(
                    f"{kernel.source!r} is not symmetric: k({_text(x)}, {_text(y)}) = {here} and "
                    f"k({_text(y)}, {_text(x)}) = {there}"
                )


def _swapped(word: Word, i: int) -> Word:
    return (*word[:i], word[i + 1], word[i], *word[i + 2 :])


def _text(word: Word) -> str:
    return f"({', '.join(map(str, word))})"
