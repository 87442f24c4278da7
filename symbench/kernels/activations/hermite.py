"""Hermite coefficients of activations, and the expansion of a dual activation in them.

For phi in L^2 of a Gaussian of variance a > 0, c_n(a) = a^(-n/2) E[phi(sqrt(a) g) He_n(g)], which
is E[phi^(n)(sqrt(a) g)] where phi has n derivatives. For (u, v) Gaussian with variances A, B and
covariance C (Mehler): E[phi(u) phi(v)] is the sum of c_n(A) c_n(B) C^n / n!.

>>> [polynomial_coefficient((0, 0, 0, 1), n, 5) for n in range(5)]
[0, 15, 0, 6, 0]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial
from typing import Any

import flint

from symbench.exact import QQ, Rational, rings
from symbench.exact.rational import fmpq


def hermite_at_zero(n: int) -> int:
    """He_n(0): zero for odd n, else (-1)^(n/2) (n - 1)!!."""
    if n % 2:
        return 0
    half = n // 2
    size = int(factorial(n) // (2**half * factorial(half)))
    return -size if half % 2 else size


def monomial_moment(power: int, n: int) -> int:
    """E[g^power He_n(g)] for a standard Gaussian g."""
    pairs, odd = divmod(power - n, 2)
    if odd or pairs < 0:
        return 0
    return int(factorial(power) // (2**pairs * factorial(pairs)))


def polynomial_coefficient(coefficients: Sequence[Any], n: int, a: Any) -> Any:
    """c_n(a) of the polynomial with these coefficients, constant term first: exact in any ring."""
    return sum(
        (
            coefficients[power] * monomial_moment(power, n) * a ** ((power - n) // 2)
            for power in range(n, len(coefficients), 2)
        ),
        0 * a,
    )


def polynomial_dual(coefficients: Sequence[Rational], A: Any, B: Any, C: Any) -> Any:
    """E[phi(u) phi(v)] for a polynomial phi: a polynomial in A, B and C, which may be variables."""
    ring = rings.common(rings.infer([[A, B, C]]), QQ)
    a, b, c = (ring.coerce(entry) for entry in (A, B, C))
    numbers = [ring.coerce(number) for number in coefficients]
    total, power = ring.coerce(0), ring.coerce(1)
    for n in range(len(numbers)):
        total += (
            polynomial_coefficient(numbers, n, a) * polynomial_coefficient(numbers, n, b) * power
        )
        power = power * c * ring.coerce(Rational(1, n + 1))
    return total


def bump_coefficient(n: int, variance: Fraction) -> flint.arb:
    """E[delta^(n)(h)] for h Gaussian: how often h passes through zero, and its derivatives.

    It is He_n(0) / sqrt(2 pi variance^(n+1)); the jumps and kinks of relu, sign and, with a
    larger variance, the bells of erf and gelu all come down to it.
    """
    root = flint.arb(fmpq(variance)).sqrt()
    return hermite_at_zero(n) / ((2 * flint.arb.pi()).sqrt() * root ** (n + 1))
