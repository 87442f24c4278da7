"""Determinants of polynomial matrices, by integer determinants at well-chosen points.

A symbolic elimination swells; this does not. One variable is set to a power of two so large
that the determinant's coefficients can be read off the digits of one integer determinant
(Kronecker substitution); the other variables run over a grid of small integers, and are
interpolated. The size of the coefficients is bounded by proof, not guessed: the l1 norm of
polynomials is submultiplicative, so the product over the rows of their l1 norms bounds every
coefficient, and so does the product over the columns.

>>> x, one = {(1,): 1}, {(0,): 1}
>>> determinant([[x, one], [one, x]], 1)
{(0,): -1, (2,): 1}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

import flint

from symbench.errors import TooLarge

Terms = dict[tuple[int, ...], int]
Univariate = dict[int, int]

# Word operations that a determinant may cost (some minutes), and words that it may fill.
_LIMIT = 3 * 10**11
_WORDS = 10**7


def determinant(table: list[list[Terms]], variables: int) -> Terms:
    """The terms of the determinant of a square table of integer polynomials."""
    size = len(table)
    if size == 0:
        return {(0,) * variables: 1}
    degrees = degree_bounds(table, variables)
    coefficients, bits = prod(d + 1 for d in degrees), coefficient_bound(table).bit_length()
    words = coefficients * (bits // 32 + 1)
    if words > _WORDS or words * size**3 > _LIMIT:
        count = f"{coefficients:,}" if coefficients < 10**30 else "more than 10^30"
        raise TooLarge(
            f"this determinant has up to {count} coefficients of {bits:,} bits: "
            "certify() decides whether it is zero from one point"
        )
    main = degrees.index(max(degrees))
    others = [k for k in range(variables) if k != main]
    # Points on both sides of zero keep the values small.
    axes = [range(-(degrees[k] // 2), degrees[k] - degrees[k] // 2 + 1) for k in others]
    values = [
        coefficient
        for point in product(*axes)
        for coefficient in _univariate(_specialise(table, main, others, point), degrees[main])
    ]
    for place, axis in enumerate(axes):
        inner = prod(len(a) for a in axes[place + 1 :]) * (degrees[main] + 1)
        values = _interpolate(values, axis, inner)
    grid = product(*(range(len(axis)) for axis in axes), range(degrees[main] + 1))
    back = [*others, main]
    terms: Terms = {}
    for exponents, coefficient in zip(grid, values, strict=True):
        if coefficient:
            terms[tuple(e for _, e in sorted(zip(back, exponents, strict=True)))] = coefficient
    return dict(sorted(terms.items()))


def degree_bounds(table: list[list[Terms]], variables: int) -> tuple[int, ...]:
    """An upper bound on the determinant's degree in each variable."""

    def bound(lines: Iterable[Sequence[Terms]], k: int) -> int:
        return sum(max((e[k] for terms in line for e in terms), default=0) for line in lines)

    columns = list(zip(*table, strict=True))
    return tuple(min(bound(table, k), bound(columns, k)) for k in range(variables))


def coefficient_bound(table: Sequence[Sequence[dict[Any, int]]]) -> int:
    """An upper bound on the absolute values of the determinant's coefficients."""

    def bound(lines: Iterable[Sequence[dict[Any, int]]]) -> int:
        return prod(sum(abs(c) for terms in line for c in terms.values()) for line in lines)

    return min(bound(table), bound(zip(*table, strict=True)))


def _specialise(
    table: list[list[Terms]], main: int, others: list[int], point: tuple[int, ...]
) -> list[list[Univariate]]:
    """The table with all variables but the main one set to the point."""
    # The same few monomials stand in all entries: their values are computed once.
    values = {
        e: prod(x ** e[k] for k, x in zip(others, point, strict=True))
        for e in {e for row in table for terms in row for e in terms}
    }

    def at(terms: Terms) -> Univariate:
        result: Univariate = {}
        for e, c in terms.items():
            result[e[main]] = result.get(e[main], 0) + c * values[e]
        return result

    return [[at(terms) for terms in row] for row in table]


def _integer_determinant(size: int, entries: list[int]) -> int:
    """The determinant, with a unit block beside matrices that FLINT takes for small ones.

    FLINT eliminates without fractions below 25 rows; from there on it works modulo primes, which
    is up to twice as fast from 20 rows on, unless the entries are long.
    """
    if 20 <= size < 25 and max(map(int.bit_length, entries)) < 4000:
        rows = [[*entries[i : i + size], *[0] * (25 - size)] for i in range(0, size * size, size)]
        rows += [[int(i == j) for j in range(25)] for i in range(size, 25)]
        return int(flint.fmpz_mat(rows).det())
    return int(flint.fmpz_mat(size, size, entries).det())


def _univariate(table: list[list[Univariate]], degree: int) -> list[int]:
    """The degree + 1 coefficients of a univariate determinant, from one integer determinant."""
    width = coefficient_bound(table).bit_length() // 8 + 1  # bytes for a signed digit
    size = len(table)
    entries = [sum(c << 8 * width * e for e, c in terms.items()) for row in table for terms in row]
    value = _integer_determinant(size, entries)
    # Half of the base added to every digit makes the digits unsigned.
    half = 1 << (8 * width - 1)
    shifted = value + int.from_bytes(half.to_bytes(width, "little") * (degree + 1), "little")
    digits = shifted.to_bytes(width * (degree + 1), "little")
    return [
        int.from_bytes(digits[k : k + width], "little") - half for k in range(0, len(digits), width)
    ]


def _interpolate(values: list[int], axis: range, inner: int) -> list[int]:
    """Values on an axis turned into coefficients; the axis has stride inner in the list."""
    count = len(axis)
    if count == 1:
        return values
    vandermonde = flint.fmpz_mat([[x**n for n in range(count)] for x in axis])
    result: list[int] = []
    for start in range(0, len(values), count * inner):
        block = flint.fmpz_mat(count, inner, values[start : start + count * inner])
        solved: Any = vandermonde.solve(block)  # rational, which FLINT's stubs do not say
        coefficients, denominator = solved.numer_denom()
        assert denominator == 1, "the interpolated coefficients are integers"
        result.extend(int(c) for c in coefficients.entries())
    return result
