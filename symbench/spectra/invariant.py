"""Kernels that do not change when the positions of both words are permuted.

k(gx, gy) = k(x, y) for all g in S_L means: k is a function of the contingency table of the pair,
which says at how many positions x has token u and y has token v. That is checked before a
spectrum is computed, and a kernel that fails is refused with the permutation that shows it.

>>> from symbench.kernels import linear_attention
>>> from symbench.spectra.invariant import invariant_kernel
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

from symbench.errors import BadType, BadValue, NotExact, SymbenchError
from symbench.exact.rational import exact_number, fmpq, shown
from symbench.kernels.base import Kernel
from symbench.kernels.diagram import Diagram
from symbench.kernels.inner_product import InnerProduct
from symbench.kernels.linear_attention import LinearAttention
from symbench.spectra.law import compositions

Word = tuple[int, ...]
Table = tuple[Word, ...]  # entry [u][v]: at how many positions x has u and y has v
# Pairs of words that are all compared with their images; beyond it, representatives are.
_EVERY_PAIR = 20_000
_REPRESENTATIVES = 3_000


@attrs.frozen(repr=False)
class TableKernel:
    """A kernel given on contingency tables, so invariant by construction.

    The function takes a V x V tuple of tuples; entry [u][v] says at how many positions the
    first word has token u and the second token v.

    >>> matches = TableKernel(lambda table: sum(table[v][v] for v in range(len(table))))
    >>> matches.value((0, 1, 1), (0, 0, 1), vocabulary=2)
    2
    """

    function: Callable[[Table], Any]

    def __attrs_post_init__(self) -> None:
        if not callable(self.function):
            raise BadType(f"{shown(self.function)} is no function of a contingency table")

    def __repr__(self) -> str:
        return f"TableKernel({getattr(self.function, '__name__', repr(self.function))})"

    def value(self, x: Word, y: Word, *, vocabulary: int) -> Any:
        """The kernel of two words over the tokens 0, ..., V - 1."""
        return self.function(table_of(x, y, vocabulary))


@attrs.frozen(eq=False, repr=False)
class InvariantKernel:
    """A kernel as a function of tables, and how its invariance is known.

    The last `fixed` positions stay where they are; `value` takes the table of the others, and
    the tokens that the two words have at the fixed positions.
    """

    source: Any
    length: int
    vocabulary: int
    fixed: int
    invariance: str  # 'by construction', 'all pairs' or 'sampled pairs'
    _value: Callable[[Table, Word, Word], flint.fmpq]

    def value(self, table: Table, left: Word = (), right: Word = ()) -> flint.fmpq:
        """The kernel on a pair with this table, as a FLINT rational."""
        return self._value(table, left, right)

    def tables(self) -> Iterator[Table]:
        """All contingency tables of the positions that move."""
        V = self.vocabulary
        for cells in compositions(self.length - self.fixed, V * V):
            yield tuple(cells[u * V : u * V + V] for u in range(V))


def table_of(x: Word, y: Word, vocabulary: int) -> Table:
    """The contingency table of two words.

    >>> table_of((0, 1, 1), (0, 0, 1), 2)
    ((1, 0), (1, 1))
    """
    rows = [[0] * vocabulary for _ in range(vocabulary)]
    for u, v in zip(x, y, strict=True):
        rows[u][v] += 1
    return tuple(map(tuple, rows))


def pair_of(table: Table) -> tuple[Word, Word]:
    """A pair of words with this table: the first of them sorted.

    >>> pair_of(((1, 0), (1, 1)))
    ((0, 1, 1), (0, 0, 1))
    """
    x = tuple(u for u, row in enumerate(table) for n in row for _ in range(n))
    y = tuple(v for row in table for v, n in enumerate(row) for _ in range(n))
    return x, y


def invariant_kernel(
    kernel: Any, length: int, vocabulary: int, *, fixed: int = 0
) -> InvariantKernel:
    """The kernel as a function of tables, after its invariance and symmetry are checked."""
    if isinstance(kernel, InvariantKernel):
        return kernel
    closed = _closed_form(kernel, length, vocabulary, fixed)
    if closed is not None:
        found = InvariantKernel(kernel, length, vocabulary, fixed, "by construction", closed)
    else:
        on_words = _on_words(kernel)
        every = vocabulary ** (2 * length) <= _EVERY_PAIR
        how = "all pairs" if every else "sampled pairs"

        def value(table: Table, left: Word, right: Word) -> flint.fmpq:
            x, y = pair_of(table)
            return on_words(x + left, y + right)

        found = InvariantKernel(kernel, length, vocabulary, fixed, how, value)
        _check_invariance(found, on_words, every)
    if closed is None or isinstance(kernel, TableKernel):
        _check_symmetry(found)
    return found


# --- values ---------------------------------------------------------------------------------
def number(value: Any, kernel: Any, x: Any, y: Any) -> flint.fmpq:
    """A value of the kernel as a FLINT rational, or an error that says where it is none."""
    try:
        return fmpq(exact_number(value))
    except NotExact as error:
        raise NotExact(f"{kernel!r} at {x}, {y}: {error}") from None
    except SymbenchError:
        raise BadType(
            f"{kernel!r} is {shown(value)} at {x}, {y}: a spectrum needs rational values, so give "
            "the kernel all of its parameters as exact numbers"
        ) from None


def _closed_form(
    kernel: Any, length: int, vocabulary: int, fixed: int
) -> Callable[[Table, Word, Word], flint.fmpq] | None:
    """The kernel on tables, for kernels that are known to see only tables."""
    if isinstance(kernel, TableKernel):
        function = kernel.function

        def from_table(table: Table, left: Word, right: Word) -> flint.fmpq:
            full = _completed(table, left, right)
            try:
                return number(function(full), kernel, *pair_of(full))
            except SymbenchError:
                raise
            except Exception as error:
                raise BadValue(f"{kernel!r} fails at the table {full}: {error!r}") from error

        return from_table
    if isinstance(kernel, LinearAttention) and not kernel.causal:
        if kernel.readout == "last" and fixed == 0:
            return None
        return _linear_attention(kernel, length)
    if isinstance(kernel, InnerProduct) and not kernel.incidence:
        known: dict[int, flint.fmpq] = {}

        def from_matches(table: Table, left: Word, right: Word) -> flint.fmpq:
            matches = sum(row[u] for u, row in enumerate(table)) + _agreements(left, right)
            if matches not in known:
                x, y = (0,) * length, (0,) * matches + (1,) * (length - matches)
                known[matches] = number(kernel.on_diagram(Diagram.from_codes(x + y)), kernel, x, y)
            return known[matches]

        return from_matches
    return None


def _linear_attention(
    kernel: LinearAttention, length: int
) -> Callable[[Table, Word, Word], flint.fmpq]:
    if kernel.alpha is None or kernel.beta is None:
        raise BadType(
            f"{kernel!r} has variables: a spectrum needs rational values, so give alpha and beta"
        )
    alpha, beta = fmpq(kernel.alpha), fmpq(kernel.beta)
    exponent = (3**kernel.layers - 1) // 2
    known: dict[tuple[int, int, bool], flint.fmpq] = {}

    def from_statistics(table: Table, left: Word, right: Word) -> flint.fmpq:
        # Only these numbers matter: pairs of positions with equal tokens, and equal positions.
        full = _completed(table, left, right) if left else table
        matches = sum(row[u] for u, row in enumerate(full))
        columns = map(sum, zip(*full, strict=True))
        meetings = sum(sum(row) * n for row, n in zip(full, columns, strict=True))
        last = bool(left) and left[-1] == right[-1]
        key = (meetings, matches, last)
        if key not in known:
            norm = alpha * alpha * meetings + 2 * alpha * beta * matches + length * beta * beta
            if kernel.readout == "sum":
                read = alpha * meetings + length * beta
            elif kernel.readout == "flatten":
                read = alpha * matches + length * beta
            else:
                read = alpha * int(last) + beta
            known[key] = read * norm**exponent
        return known[key]

    return from_statistics


def _completed(table: Table, left: Word, right: Word) -> Table:
    """The table with the fixed positions counted in."""
    if not left:
        return table
    rows = [list(row) for row in table]
    for u, v in zip(left, right, strict=True):
        rows[u][v] += 1
    return tuple(map(tuple, rows))


def _agreements(left: Word, right: Word) -> int:
    return sum(u == v for u, v in zip(left, right, strict=True))


def _on_words(kernel: Any) -> Callable[[Word, Word], flint.fmpq]:
    """The kernel on pairs of words over 0, ..., V - 1."""
    if isinstance(kernel, type) or kernel is None:
        raise BadType(f"{shown(kernel)} is no kernel: sb.kernels has some")
    if isinstance(kernel, Kernel):
        on_diagram = kernel.on_diagram

        def from_diagram(x: Word, y: Word) -> flint.fmpq:
            return number(on_diagram(Diagram.from_codes(x + y)), kernel, x, y)

        return from_diagram
    function = getattr(kernel, "value", kernel)
    if not callable(function):
        raise BadType(
            f"{shown(kernel)} is no kernel: give one of sb.kernels, a function of two tuples of "
            "tokens 0, ..., V - 1, an object with value(x, y), or TableKernel(function)"
        )

    def from_function(x: Word, y: Word) -> flint.fmpq:
        try:
            value = function(x, y)
        except SymbenchError:
            raise
        except Exception as error:
            raise BadValue(f"{kernel!r} fails at {x}, {y}: {error!r}") from error
        return number(value, kernel, x, y)

    return from_function


# --- checks ---------------------------------------------------------------------------------
def _check_invariance(
    kernel: InvariantKernel, on_words: Callable[[Word, Word], flint.fmpq], every: bool
) -> None:
    """Compare pairs with their images under the transpositions of neighbours."""
    moving = kernel.length - kernel.fixed
    pairs = _every_pair(kernel) if every else _representatives(kernel)
    cache: dict[tuple[Word, Word], flint.fmpq] = {}

    def value(x: Word, y: Word) -> flint.fmpq:
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
            gx, gy = _swapped(x, i), _swapped(y, i)
            there = value(gx, gy)
            if here != there:
                raise BadValue(
                    f"{kernel.source!r} is not invariant: k({_text(x)}, {_text(y)}) = {here}, and "
                    f"after the transposition ({i + 1} {i + 2}) of positions "
                    f"k({_text(gx)}, {_text(gy)}) = {there}; {_remedy(kernel)}"
                )


def _remedy(kernel: InvariantKernel) -> str:
    last = isinstance(kernel.source, LinearAttention) and not kernel.source.causal
    if last:
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
            if here != there:
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
