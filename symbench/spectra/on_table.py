"""Values of kernels on contingency tables and on words, read as exact numbers or as balls.

Kernels that are known to see only the table of a pair are evaluated on tables, without words: the
closed forms of linear attention and of inner products, kernels with a method `on_table`, and layers
of neurons over any of these. K(x, x) and K(y, y), which a layer needs beside K(x, y), are values on
the diagonal tables of the row sums and of the column sums.

>>> value = table_function(transformer("relu", linear_attention(1, 1)), 2, 2, 0, ball_or_number)
>>> value(((1, 1), (0, 0)), (), ()).overlaps(transformer("relu", linear_attention(1, 1)).value(
...     "AA", "AB"))
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flint

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, NotExact, NotSupported, SymbenchError
from symbench.exact import Exponential
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, fmpq, rational
from symbench.kernels.activations.exact import GUARD
from symbench.kernels.base import Kernel, symmetry_of
from symbench.kernels.diagram import Diagram
from symbench.kernels.inner_product import InnerProduct
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.transformer import Transformer
from symbench.young.position_groups import YoungSubgroup

Word = tuple[int, ...]
Table = tuple[Word, ...]  # entry [u][v]: at how many positions x has u and y has v
TableFunction = Callable[[Table, Word, Word], Any]
# What makes a value of the kernel at a pair of words a number.
Reader = Callable[[Any, Any, Any, Any], Any]


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


# --- numbers --------------------------------------------------------------------------------
def number(value: Any, kernel: Any, x: Any, y: Any) -> flint.fmpq:
    """A value of the kernel as a FLINT rational, or an error that says where it is none."""
    if is_ball(value):
        raise NotExact(
            f"{kernel!r} is {shown(value)} at {x}, {y}, no rational: take backend='ball'"
        )
    try:
        return fmpq(exact_number(value))
    except NotExact as error:
        raise NotExact(f"{kernel!r} at {x}, {y}: {error}") from None
    except SymbenchError:
        raise BadType(
            f"{kernel!r} is {shown(value)} at {x}, {y}: a spectrum needs rational values, so give "
            "the kernel all of its parameters as exact numbers"
        ) from None


def number_below(value: Any, kernel: Any, x: Any, y: Any) -> flint.fmpq:
    """The same under a layer of neurons, for which a ball will not do."""
    if is_ball(value):
        raise NotExact(
            f"{kernel!r} is {shown(value)} at {x}, {y}, no rational, and a layer of neurons needs "
            "rational values below it: take a polynomial activation there"
        )
    return number(value, kernel, x, y)


def ball_or_number(value: Any, kernel: Any, x: Any, y: Any) -> Any:
    """A value of the kernel as a finite ball if it is one or has one, else as a rational.

    >>> ball_or_number(activation("exp").dual(1, 1, 0), None, (0,), (1,)).overlaps(
    ...     flint.arb(1).exp())
    True
    """
    if isinstance(value, flint.arb):
        if not value.is_finite():
            raise BadValue(f"{kernel!r} is {value} at {x}, {y}: give a finite ball")
        return value
    if isinstance(value, Exponential):
        return exponential_ball(value, getattr(kernel, "bits", 128) + GUARD)
    return number(value, kernel, x, y)


def exponential_ball(value: Exponential, bits: int) -> flint.arb:
    """A sum of c e^a as a ball; the duals of activations are in q = e."""
    with working_precision(bits):
        terms = (flint.arb(fmpq(c)) * flint.arb(fmpq(e)).exp() for e, c in value.terms)
        return sum(terms, flint.arb(0))


def is_ball(value: Any) -> bool:
    """Whether a kernel's value is not rational but has a ball."""
    return isinstance(value, (flint.arb, Exponential))


def differ(a: Any, b: Any) -> bool:
    """Whether two numbers are surely different: rationals, or balls that do not overlap.

    >>> differ(flint.fmpq(1), flint.fmpq(2)), differ(flint.arb(1, 1), flint.fmpq(2))
    (True, False)
    """
    if isinstance(a, flint.fmpq) and isinstance(b, flint.fmpq):
        return bool(a != b)
    with working_precision():
        return not flint.arb(a).overlaps(flint.arb(b))


# --- on tables ------------------------------------------------------------------------------
def table_function(
    kernel: Any, length: int, vocabulary: int, fixed: int, read: Reader
) -> TableFunction | None:
    """The kernel on tables, for kernels that are known to see only tables; else None.

    The function takes the table of the positions that move, and the tokens of the two words at
    the fixed positions.
    """
    if isinstance(kernel, type):
        return None
    if isinstance(kernel, Transformer):
        below = table_function(kernel.attention, length, vocabulary, fixed, number_below)
        return None if below is None else _layer(kernel, below, read)
    if isinstance(kernel, LinearAttention) and not kernel.causal:
        if kernel.readout == "last" and fixed == 0:
            return None
        return _linear_attention(kernel, length)
    if isinstance(kernel, InnerProduct) and not kernel.incidence:
        return _inner_product(kernel, length)
    alike = symmetry_of(kernel, length) == YoungSubgroup(length)
    if alike and callable(getattr(kernel, "on_table", None)):
        return _given(kernel, length, vocabulary, read)
    return None


def _given(kernel: Any, length: int, vocabulary: int, read: Reader) -> TableFunction | None:
    """A kernel's own on_table; None if it says that a table is not enough."""

    def from_table(table: Table, left: Word, right: Word) -> Any:
        full = completed(table, left, right)
        try:
            return read(kernel.on_table(full), kernel, *pair_of(full))
        except SymbenchError:
            raise
        except Exception as error:
            raise BadValue(f"{kernel!r} fails at the table {full}: {error!r}") from error

    try:
        from_table(diagonal((length,) + (0,) * (vocabulary - 1)), (), ())
    except NotSupported:
        return None
    except SymbenchError:
        pass  # it is told again where the value is needed
    return from_table


def _layer(kernel: Transformer, below: TableFunction, read: Reader) -> TableFunction:
    """A layer of neurons over a kernel on tables, which must have rational values."""
    known: dict[tuple[int, ...], Any] = {}
    variances: dict[tuple[Word, Word], Any] = {}

    def variance(counts: Word, end: Word) -> Any:
        if (counts, end) not in variances:
            variances[counts, end] = below(diagonal(counts), end, end)
        return variances[counts, end]

    def from_table(table: Table, left: Word, right: Word) -> Any:
        rows = tuple(map(sum, table))
        columns = tuple(map(sum, zip(*table, strict=True)))
        entries = variance(rows, left), variance(columns, right), below(table, left, right)
        # The integers hash much faster than FLINT's rationals.
        key = tuple(int(part) for entry in entries for part in (entry.p, entry.q))
        if key not in known:
            found = kernel.activation.dual(*map(rational, entries), bits=kernel.bits)
            x, y = pair_of(table)
            known[key] = read(found, kernel, x + left, y + right)
        return known[key]

    return from_table


def _inner_product(kernel: InnerProduct, length: int) -> TableFunction:
    known: dict[int, flint.fmpq] = {}

    def from_matches(table: Table, left: Word, right: Word) -> flint.fmpq:
        matches = sum(row[u] for u, row in enumerate(table)) + _agreements(left, right)
        if matches not in known:
            x, y = (0,) * length, (0,) * matches + (1,) * (length - matches)
            known[matches] = number(kernel.on_diagram(Diagram.from_codes(x + y)), kernel, x, y)
        return known[matches]

    return from_matches


def _linear_attention(kernel: LinearAttention, length: int) -> TableFunction:
    if kernel.alpha is None or kernel.beta is None:
        raise BadType(
            f"{kernel!r} has variables: a spectrum needs rational values, so give alpha and beta"
        )
    alpha, beta = fmpq(kernel.alpha), fmpq(kernel.beta)
    exponent = (3**kernel.layers - 1) // 2
    known: dict[tuple[int, int, bool], flint.fmpq] = {}

    def from_statistics(table: Table, left: Word, right: Word) -> flint.fmpq:
        # Only these numbers matter: pairs of positions with equal tokens, and equal positions.
        full = completed(table, left, right) if left else table
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


def completed(table: Table, left: Word, right: Word) -> Table:
    """The table with the fixed positions counted in."""
    if not left:
        return table
    rows = [list(row) for row in table]
    for u, v in zip(left, right, strict=True):
        rows[u][v] += 1
    return tuple(map(tuple, rows))


def diagonal(counts: Word) -> Table:
    """The table of a word with these token counts and itself.

    >>> diagonal((2, 1))
    ((2, 0), (0, 1))
    """
    size = range(len(counts))
    return tuple(tuple(n if u == v else 0 for v in size) for u, n in enumerate(counts))


def _agreements(left: Word, right: Word) -> int:
    return sum(u == v for u, v in zip(left, right, strict=True))


# --- on words -------------------------------------------------------------------------------
def word_function(kernel: Any, read: Reader) -> Callable[[Word, Word], Any]:
    """The kernel on pairs of words over 0, ..., V - 1."""
    if isinstance(kernel, type) or kernel is None:
        raise BadType(f"{shown(kernel)} is no kernel: sb.kernels has some")
    if isinstance(kernel, Kernel):
        on_diagram = kernel.on_diagram

        def from_diagram(x: Word, y: Word) -> Any:
            return read(on_diagram(Diagram.from_codes(x + y)), kernel, x, y)

        return from_diagram
    function = getattr(kernel, "value", kernel)
    if not callable(function):
        raise BadType(
            f"{shown(kernel)} is no kernel: give one of sb.kernels, a function of two tuples of "
            "tokens 0, ..., V - 1, an object with value(x, y), or TableKernel(function)"
        )

    def from_function(x: Word, y: Word) -> Any:
        try:
            value = function(x, y)
        except SymbenchError:
            raise
        except Exception as error:
            raise BadValue(f"{kernel!r} fails at {x}, {y}: {error!r}") from error
        return read(value, kernel, x, y)

    return from_function
