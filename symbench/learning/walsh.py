"""The fast Walsh transform, exact: tables of functions of bits to coefficients and back.

Under bits that are one with probability p the characters are products of 2 (p - b), which at
p = 1/2 are signs: their mean is 0 and their variance 4p (1 - p).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm

from symbench.exact import Rational
from symbench.exact.arrays import Array, np

# Integers below this are computed with in machine words.
_WORD = 1 << 62


def whole(values: Iterable[Fraction]) -> tuple[Array, int]:
    """Rationals as an array of integers over one denominator."""
    listed = list(values)
    below = lcm(*(v.denominator for v in listed))
    found = [v.numerator * (below // v.denominator) for v in listed]
    return np.array(found, dtype=object), below


def coefficients(table: Array, below: int, p: Fraction) -> tuple[Array, int]:
    """Coefficients of a table of integers over one denominator, as integers over another.

    The sets are masks, as the words are.

    >>> found, below = coefficients(*whole([1, 0, 0, 0]), Rational(1, 3))
    >>> [Rational(int(c), below) for c in found]
    [4/9, 1/3, 1/3, 1/4]
    """
    # (f at 0, f at 1) becomes (the mean, half of the difference).
    d, one, zero = p.denominator, 2 * p.numerator, 2 * (p.denominator - p.numerator)
    common = gcd(d, one, zero)
    d, one, zero = d // common, one // common, zero // common
    found = _butterflies(table, ((zero, one), (d, -d)))
    return found, below * ((one + zero) ** (len(table).bit_length() - 1))


def values(numerators: Array) -> Array:
    """The table of a function with these coefficients of products of signs."""
    return _butterflies(numerators, ((1, 1), (1, -1)))


def weight_coefficients(values: tuple[Rational, ...], p: Rational) -> list[Rational]:
    """The coefficient of a product of k factors b - p, k = 0, ..., s, in a function of the weight.

    It is the mean of the k-th difference over the other bits.

    >>> weight_coefficients((Rational(0), Rational(0), Rational(1)), Rational(1, 2))
    [1/4, 1/2, 1]
    """
    s, below = len(values) - 1, p.denominator
    row, scale = whole(values)
    ones = [p.numerator**j for j in range(s + 1)]
    zeros = [(below - p.numerator) ** j for j in range(s + 1)]
    found = []
    for rest in range(s, -1, -1):
        total, ways = 0, 1
        for j, value in enumerate(row):
            total += ways * ones[j] * zeros[rest - j] * value
            ways = ways * (rest - j) // (j + 1)
        found.append(Rational(total, scale * below**rest))
        row = row[1:] - row[:-1]
    return found


def _butterflies(numbers: Array, step: tuple[tuple[int, int], tuple[int, int]]) -> Array:
    """The Kronecker power of a 2 x 2 matrix times a vector of 2^s integers."""
    (a, b), (c, d) = step
    bits = len(numbers).bit_length() - 1
    growth = max(abs(a) + abs(b), abs(c) + abs(d)) ** bits
    short = int(np.abs(numbers).max()) * growth < _WORD
    found = numbers.astype(np.int64 if short else object)
    for k in range(bits):
        pairs = found.reshape(-1, 2, 1 << k)
        x, y = pairs[:, 0], pairs[:, 1]
        found = np.stack((a * x + b * y, c * x + d * y), axis=1).reshape(-1)
    return found
