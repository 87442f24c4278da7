"""gaussian_moment: exact moments of centred Gaussian vectors (Isserlis, Wick).

E[z_1^{s_1} ... z_n^{s_n}] is a sum over all ways to pair up the factors, each pair giving its
covariance: (2r - 1)!! ways for 2r factors. Kan (2008) sums them in prod (s_i + 1) terms, half of
them by symmetry, because the polynomial prod z_i^{s_i} is a combination of powers of linear forms:

    E = sum over 0 <= v_i <= s_i of prod (-1)^{v_i} C(s_i, v_i) (h^T C h / 2)^r / r!,  h = s/2 - v.

The terms are summed modulo primes of 31 bits, as many as the size of the result asks for.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, lcm, prod
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from symbench._arguments import integers
from symbench.errors import BadShape, BadValue, NotInRing, TooLarge
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.rational import Rational

Integers = NDArray[np.int64]

_MOST_TERMS = 1 << 30
_MOST_FACTORS = 1000
_CHUNK = 1 << 20


def gaussian_moment(covariance: Any, exponents: Any) -> Rational:
    """E[prod z_i^{s_i}] for a centred Gaussian z with the given covariance, exactly.

    The covariance is a symmetric matrix over ZZ or QQ, a Matrix or rows; the exponents are s.
    Nothing asks that it be positive semidefinite: the sum over pairings is a polynomial in it.

    >>> gaussian_moment([[1]], [6])
    15
    >>> gaussian_moment([[1, "1/2"], ["1/2", 1]], [2, 2])
    3/2
    >>> gaussian_moment([[1, 0], [1, 1]], [1, 1])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the covariance is not symmetric: entry (0, 1) is 0, (1, 0) is 1
    """
    rows = _covariance(covariance)
    powers = integers(exponents, "exponents", at_least=0)
    if len(powers) != len(rows):
        raise BadShape(f"there are {len(powers)} exponents for {len(rows)} points: give one each")
    total = sum(powers)
    if total % 2:
        return Rational(0)
    kept = [n for n, s in enumerate(powers) if s]
    terms = prod(powers[n] + 1 for n in kept)
    if total > _MOST_FACTORS or terms > _MOST_TERMS:
        raise TooLarge(
            f"a moment of {total} factors at {len(kept)} points is a sum of {terms} terms: at most "
            f"{_MOST_FACTORS} factors and {_MOST_TERMS} terms (prod of exponent + 1) are summed"
        )
    if not kept:
        return Rational(1)
    # An odd exponent first: then exactly half of the terms need to be looked at.
    kept.sort(key=lambda n: powers[n] % 2 == 0)
    scale = lcm(*(rows[i][j].denominator for i in kept for j in kept))
    whole = [[int(rows[i][j] * scale) for j in kept] for i in kept]
    return Rational(_moment(whole, [powers[n] for n in kept]), scale ** (total // 2))


def _covariance(value: Any) -> list[list[Fraction]]:
    matrix = value if isinstance(value, Matrix) else Matrix(value)
    if matrix.ring not in (ZZ, QQ):
        raise NotInRing(f"the covariance is over {matrix.ring!r}: give one over ZZ or QQ")
    rows = [[Fraction(x) for x in row] for row in matrix.rows]
    height, width = matrix.shape
    if height != width:
        raise BadShape(f"the covariance is {height} x {width}: give a square matrix")
    for i in range(height):
        for j in range(i):
            if rows[i][j] != rows[j][i]:
                raise BadValue(
                    f"the covariance is not symmetric: entry ({j}, {i}) is {rows[j][i]}, "
                    f"({i}, {j}) is {rows[i][j]}"
                )
    return rows


def _moment(covariance: list[list[int]], powers: list[int]) -> int:
    """The moment for an integer covariance and positive exponents with an even sum."""
    half = sum(powers) // 2
    largest = max(abs(x) for row in covariance for x in row)
    bound = factorial(2 * half) // (2**half * factorial(half)) * largest**half
    grids = _Grids(covariance, powers)
    value, modulus, prime = 0, 1, (1 << 31) - 1
    while modulus <= 2 * bound:
        residue = grids.moment_modulo(prime)
        value += modulus * ((residue - value) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        prime = _prime_below(prime)
    return value - modulus if 2 * value > modulus else value


def _prime_below(number: int) -> int:
    candidate = number - 2
    while not flint.fmpz(candidate).is_prime():
        candidate -= 2
    return candidate


class _Grids:
    """All vectors 2 h, split in two halves of the points so that the forms come from a product."""

    def __init__(self, covariance: list[list[int]], powers: list[int]) -> None:
        self.covariance, self.powers = covariance, powers
        self.half = sum(powers) // 2
        # The cut that makes the two grids about equally large.
        sizes = [prod(s + 1 for s in powers[:n]) for n in range(len(powers) + 1)]
        cut = min(range(1, len(powers) + 1), key=lambda n: max(sizes[n], sizes[-1] // sizes[n]))
        self.cut = cut
        ranges = [range(s + 1) for s in powers]
        ranges[0] = range(powers[0] // 2 + 1)
        self.left, self.right = _grid(ranges[:cut], powers[:cut]), _grid(ranges[cut:], powers[cut:])

    def moment_modulo(self, prime: int) -> int:
        """The moment modulo a prime below 2^31 and above every exponent."""
        matrix = np.array([[x % prime for x in row] for row in self.covariance], dtype=np.int64)
        a, b = self.left, self.right
        near = matrix[: self.cut, : self.cut]
        far = matrix[self.cut :, self.cut :]
        cross = 2 * (a @ matrix[: self.cut, self.cut :] % prime) % prime
        left, right = _form(a, near, prime), _form(b, far, prime)
        signs_left = self._signs(a, 0, prime)
        signs_right = self._signs(b, self.cut, prime)
        total = 0
        step = max(1, _CHUNK // max(1, len(b)))
        for start in range(0, len(a), step):
            rows = slice(start, start + step)
            # |2h| is at most the number of factors: sums of products stay below 2^62.
            forms = (cross[rows] @ b.T + left[rows, None] + right[None, :]) % prime
            powers = _power(forms, self.half, prime)
            sums = (powers * signs_right % prime).sum(axis=1) % prime
            total += int((sums * signs_left[rows] % prime).sum())
        return int(total * pow(8**self.half * factorial(self.half), -1, prime) % prime)

    def _signs(self, grid: Integers, first: int, prime: int) -> Integers:
        """prod (-1)^v C(s, v) for every vector, twice that where its opposite is left out."""
        result = np.ones(len(grid), dtype=np.int64)
        for n in range(grid.shape[1]):
            s = self.powers[first + n]
            table = [(-1) ** v * comb(s, v) for v in range(s + 1)]
            if first + n == 0:
                table = [c * (1 if 2 * v == s else 2) for v, c in enumerate(table)]
            values = np.array([c % prime for c in table], dtype=np.int64)
            result = result * values[(s - grid[:, n]) // 2] % prime
        return result


def _grid(ranges: list[range], powers: list[int]) -> Integers:
    if not ranges:
        return np.zeros((1, 0), dtype=np.int64)
    axes = [s - 2 * np.array(r, dtype=np.int64) for r, s in zip(ranges, powers, strict=True)]
    return np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=1)


def _form(grid: Integers, matrix: Integers, prime: int) -> Integers:
    """The quadratic form on every vector of the grid."""
    form: Integers = (grid @ matrix % prime * grid).sum(axis=1) % prime
    return form


def _power(base: Integers, exponent: int, prime: int) -> Integers:
    """base^exponent modulo the prime, by squaring from the highest bit; exponent >= 1."""
    result = base
    for bit in bin(exponent)[3:]:
        result = result * result % prime
        if bit == "1":
            result = result * base % prime
    return result
