"""Activations whose dual has a closed form in real numbers: relu, sign, step, erf, gelu.

With D = sqrt(A B - C^2) the angle between the two Gaussians is atan2(D, C), which is exact where
they are multiples of each other (D = 0); so nothing is divided by a variance that may be zero.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq
from symbench.kernels.activations.covariance import Covariance, covariance
from symbench.kernels.activations.exact import GUARD, hermite_arguments, precision
from symbench.kernels.activations.hermite import bump_coefficient


def _ball(value: Fraction) -> flint.arb:
    return flint.arb(fmpq(value))


def _angle_over_pi(given: Covariance) -> flint.arb:
    """The angle between the Gaussians, as a part of pi; both variances positive."""
    if given.gap == 0:
        return flint.arb(0 if given.C > 0 else 1)
    if given.C == 0:
        return flint.arb(1) / 2
    return flint.arb.atan2(_ball(given.gap).sqrt(), _ball(given.C)) / flint.arb.pi()


def _variance_for(degree: int, variance: Rational, name: str) -> Rational:
    if variance == 0 and degree > 0:
        raise BadValue(f"{name} is not smooth at 0: its coefficients need a variance a > 0")
    return variance


@attrs.frozen
class Relu:
    """max(t, 0)."""

    exactness = "ball"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> flint.arb:
        """The arc-cosine kernel: (D + C (pi - angle)) / (2 pi)."""
        given = covariance(A, B, C)
        with working_precision(precision(bits) + GUARD):
            if given.gap == 0:
                return _ball(max(given.C, Rational(0))) / 2
            root = _ball(given.gap).sqrt() / flint.arb.pi()
            return (root + _ball(given.C) * (1 - _angle_over_pi(given))) / 2

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> flint.arb:
        """c_n(a); the second derivative of relu is a point mass at zero."""
        degree, variance = hermite_arguments(n, a)
        with working_precision(precision(bits) + GUARD):
            if degree == 0:
                return (_ball(variance) / (2 * flint.arb.pi())).sqrt()
            variance = _variance_for(degree, variance, "relu")
            return flint.arb(1) / 2 if degree == 1 else bump_coefficient(degree - 2, variance)


@attrs.frozen
class Sign:
    """-1, 0 or 1."""

    exactness = "ball"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> flint.arb:
        """1 - 2 angle / pi; zero if a variance is."""
        given = covariance(A, B, C)
        with working_precision(precision(bits) + GUARD):
            # A vanishing variance comes with C = 0.
            return flint.arb(0) if given.C == 0 else 1 - 2 * _angle_over_pi(given)

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> flint.arb:
        """c_n(a); the derivative of sign is twice a point mass at zero."""
        degree, variance = hermite_arguments(n, a)
        with working_precision(precision(bits) + GUARD):
            if degree == 0:
                return flint.arb(0)
            return 2 * bump_coefficient(degree - 1, _variance_for(degree, variance, "sign"))


@attrs.frozen
class Step:
    """0 for negative numbers, 1 for positive ones, 1/2 at zero."""

    exactness = "ball"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> flint.arb:
        """The probability that both are positive: (1 + dual of sign) / 4."""
        with working_precision(precision(bits) + GUARD):
            return (1 + Sign().dual(A, B, C, bits=bits)) / 4

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> flint.arb:
        """c_n(a), half of that of sign but for n = 0."""
        half = Sign().hermite(n, a, bits=bits)
        with working_precision(precision(bits) + GUARD):
            return flint.arb(1) / 2 if n == 0 else half / 2


@attrs.frozen
class Erf:
    """The error function."""

    exactness = "ball"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> flint.arb:
        """The arc-sine kernel, with the sine's tangent: its root never vanishes."""
        a, b, c = covariance(A, B, C)
        with working_precision(precision(bits) + GUARD):
            root = _ball((1 + 2 * a) * (1 + 2 * b) - 4 * c * c).sqrt()
            return 2 * (2 * _ball(c) / root).atan() / flint.arb.pi()

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> flint.arb:
        """c_n(a); erf' is twice the density of a Gaussian of variance 1/2."""
        degree, variance = hermite_arguments(n, a)
        with working_precision(precision(bits) + GUARD):
            if degree == 0:
                return flint.arb(0)
            return 2 * bump_coefficient(degree - 1, variance + Rational(1, 2))


@attrs.frozen
class Gelu:
    """t Phi(t), Phi the distribution function of a standard Gaussian."""

    exactness = "ball"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> flint.arb:
        """By parts, from E[Phi Phi] and the density E[phi phi] at zero of two sums."""
        a, b, c = covariance(A, B, C)
        with working_precision(precision(bits) + GUARD):
            root = _ball((1 + a) * (1 + b) - c * c).sqrt()
            turn = 2 * flint.arb.pi()
            both = flint.arb(1) / 4 + (_ball(c) / root).atan() / turn
            rest = a * b - c * c + c * c / (1 + a) + c * c / (1 + b)
            return _ball(c) * both + _ball(rest) / (turn * root)

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> flint.arb:
        """n E[Phi^(n-1)] + a E[Phi^(n+1)] at a Gaussian of variance a."""
        degree, variance = hermite_arguments(n, a)
        with working_precision(precision(bits) + GUARD):
            total = _ball(variance) * bump_coefficient(degree, 1 + variance)
            if degree == 1:
                total += flint.arb(1) / 2
            elif degree > 1:
                total += degree * bump_coefficient(degree - 2, 1 + variance)
            return total
