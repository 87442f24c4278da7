"""Activations whose dual has a closed form in real numbers: relu, sign, step, erf, gelu.

With D = sqrt(A B - C^2) the angle between the two Gaussians is atan2(D, C), which is exact where
they are multiples of each other (D = 0); so nothing is divided by a variance that may be zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench.draw.views import Shown
from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq
from symbench.kernels.activations.covariance import Covariance, covariance
from symbench.kernels.activations.exact import GUARD, hermite_arguments, precision
from symbench.kernels.activations.hermite import bump_coefficient


def ball(value: Fraction) -> flint.arb:
    """The ball of a rational number, at the precision in force."""
    return flint.arb(fmpq(value))


class InBalls(Shown, ABC):
    """An activation whose values are balls, computed from checked arguments with guard bits."""

    __slots__ = ()

    exactness = "ball"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> flint.arb:
        """A ball that contains E[phi(u) phi(v)]."""
        given, wanted = covariance(A, B, C), precision(bits)
        with working_precision(wanted + GUARD):
            return self.of_covariance(given, wanted)

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> flint.arb:
        """A ball that contains c_n(a)."""
        (degree, variance), wanted = hermite_arguments(n, a), precision(bits)
        with working_precision(wanted + GUARD):
            return self.of_degree(degree, variance, wanted)

    @abstractmethod
    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """The dual, at the precision in force."""

    @abstractmethod
    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """The Hermite coefficient, at the precision in force."""


def _angle_over_pi(given: Covariance) -> flint.arb:
    """The angle between the Gaussians, as a part of pi; both variances positive."""
    if given.gap == 0:
        return flint.arb(0 if given.C > 0 else 1)
    if given.C == 0:
        return flint.arb(1) / 2
    return flint.arb.atan2(ball(given.gap).sqrt(), ball(given.C)) / flint.arb.pi()


def _kink(degree: int, variance: Rational, name: str) -> flint.arb:
    """The coefficient of a point mass at zero."""
    if variance == 0:
        raise BadValue(f"{name} is not smooth at 0: its coefficients need a variance a > 0")
    return bump_coefficient(degree, variance)


@attrs.frozen
class Relu(InBalls):
    """max(t, 0)."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """The arc-cosine kernel: (D + C (pi - angle)) / (2 pi)."""
        if given.gap == 0:
            return ball(max(given.C, Rational(0))) / 2
        root = ball(given.gap).sqrt() / flint.arb.pi()
        return (root + ball(given.C) * (1 - _angle_over_pi(given))) / 2

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """The second derivative of relu is a point mass at zero."""
        if degree == 0:
            return (ball(variance) / (2 * flint.arb.pi())).sqrt()
        mass = _kink(max(0, degree - 2), variance, "relu")
        return flint.arb(1) / 2 if degree == 1 else mass


@attrs.frozen
class Sign(InBalls):
    """-1, 0 or 1."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """1 - 2 angle / pi; zero if a variance is, which comes with C = 0."""
        return flint.arb(0) if given.C == 0 else 1 - 2 * _angle_over_pi(given)

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """The derivative of sign is twice a point mass at zero."""
        return flint.arb(0) if degree == 0 else 2 * _kink(degree - 1, variance, "sign")


@attrs.frozen
class Step(InBalls):
    """0 for negative numbers, 1 for positive ones, 1/2 at zero."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """The probability that both are positive: (1 + dual of sign) / 4."""
        return (1 + Sign().of_covariance(given, bits)) / 4

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """Half of that of sign but for n = 0."""
        return flint.arb(1) / 2 if degree == 0 else Sign().of_degree(degree, variance, bits) / 2


@attrs.frozen
class Erf(InBalls):
    """The error function."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """The arc-sine kernel, with the sine's tangent: its root never vanishes."""
        a, b, c = given
        root = ball((1 + 2 * a) * (1 + 2 * b) - 4 * c * c).sqrt()
        return 2 * (2 * ball(c) / root).atan() / flint.arb.pi()

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """erf' is twice the density of a Gaussian of variance 1/2."""
        if degree == 0:
            return flint.arb(0)
        return 2 * bump_coefficient(degree - 1, variance + Rational(1, 2))


@attrs.frozen
class Gelu(InBalls):
    """t Phi(t), Phi the distribution function of a standard Gaussian."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """By parts, from E[Phi Phi] and the density E[phi phi] at zero of two sums."""
        a, b, c = given
        root = ball((1 + a) * (1 + b) - c * c).sqrt()
        turn = 2 * flint.arb.pi()
        both = flint.arb(1) / 4 + (ball(c) / root).atan() / turn
        rest = a * b - c * c + c * c / (1 + a) + c * c / (1 + b)
        return ball(c) * both + ball(rest) / (turn * root)

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """n E[Phi^(n-1)] + a E[Phi^(n+1)] at a Gaussian of variance a."""
        total = ball(variance) * bump_coefficient(degree, 1 + variance)
        if degree == 1:
            return total + flint.arb(1) / 2
        return total + degree * bump_coefficient(degree - 2, 1 + variance) if degree else total
