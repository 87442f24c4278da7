"""gaussian_moment: exact moments of centred Gaussian vectors (Isserlis, Wick).

E[z_1^{s_1} ... z_n^{s_n}] is a sum over all ways to pair up the factors, each pair giving its
covariance: (2r - 1)!! ways for 2r factors. The first factor that is left is paired with each of the
others; what is left then depends on few choices only, so equal remainders are counted together:
for n different factors a Fibonacci number of them, 75,025 for n = 24. The sums are taken modulo
primes of 31 bits, as many as the size of the result asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, lcm, prod
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
_MOST_NUMBERS = 50_000_000  # residues that are held at once: about 2 GB


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
    whole = [[rows[i][j].numerator * (scale // rows[i][j].denominator) for j in kept] for i in kept]
    return Rational(_moment(whole, [powers[n] for n in kept]), scale ** (total // 2))


def _covariance(value: Any) -> Sequence[Sequence[Any]]:
    matrix = value if isinstance(value, Matrix) else Matrix(value)
    if matrix.ring not in (ZZ, QQ):
        raise NotInRing(f"the covariance is over {matrix.ring!r}: give one over ZZ or QQ")
    rows, (height, width) = matrix.rows, matrix.shape
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
    primes, modulus = [(1 << 31) - 1], (1 << 31) - 1
    while modulus <= 2 * bound:
        primes.append(_prime_below(primes[-1]))
        modulus *= primes[-1]
    value, modulus = 0, 1
    for prime, residue in zip(primes, _moments_modulo(covariance, powers, primes), strict=True):
        value += modulus * ((residue - value) * pow(modulus, -1, prime) % prime)
        modulus *= prime
    return value - modulus if 2 * value > modulus else value


def _prime_below(number: int) -> int:
    candidate = number - 2
    while not flint.fmpz(candidate).is_prime():
        candidate -= 2
    return candidate


def _moments_modulo(covariance: list[list[int]], powers: list[int], primes: list[int]) -> list[int]:
    """The moment modulo primes below 2^31 and above every exponent."""
    points = len(powers)
    moduli = np.array(primes, dtype=np.int64)[:, None]
    matrix = np.array([[[x % p for x in row] for row in covariance] for p in primes])
    # A remainder is a column of exponents, and the number that has them as digits.
    bases = np.array([prod(s + 1 for s in powers[:i]) for i in range(points)], dtype=np.int64)
    left = np.array(powers, dtype=np.int16)[:, None]
    sums = np.ones((len(primes), 1), dtype=np.int64)
    for _ in range(sum(powers) // 2):
        first = (left > 0).argmax(axis=0)
        left[first, np.arange(left.shape[1])] -= 1
        partner, state = np.nonzero(left)
        if partner.size * len(primes) > _MOST_NUMBERS:
            raise TooLarge(
                f"{left.shape[1]} remainders of the factors lead to {partner.size} modulo "
                f"{len(primes)} primes ({partner.size * len(primes) * 4e-8:.2g} GB): give fewer "
                "factors, or smaller covariances"
            )
        ways = left[partner, state].astype(np.int64)
        terms = sums[:, state] * matrix[:, first[state], partner] % moduli * ways
        keys = (bases @ left)[state] - bases[partner]
        order = np.argsort(keys)
        keys = keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        # At most 2^31 * 1000 a term, and no more terms than 2 * points make one remainder.
        sums = np.add.reduceat(terms[:, order], starts, axis=1) % moduli
        kept = order[starts]
        left = left[:, state[kept]]
        left[partner[kept], np.arange(len(kept))] -= 1
    return [int(x) for x in sums[:, 0]]
