"""tanh and the logistic sigmoid: duals and Hermite coefficients as rigorous balls.

From tanh(t) = int_0^oo sin(w t) / sinh(pi w/2) dw,

    E[tanh(u) tanh(v)] = int_0^oo int_0^oo e^(-(A w^2 + B z^2)/2) sinh(C w z)
                                           / (sinh(pi w/2) sinh(pi z/2)) dw dz,

whose integrand is positive, even in w and in z, and analytic for imaginary parts below 2. The
midpoint rule with step h is therefore exact up to the factor e^(-3 pi/h): see `_lattice_dual`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, log, pi, sqrt
from typing import Any

import attrs
import flint

from symbench.errors import TooLarge, Undecided
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.kernels.activations.closed_forms import InBalls, ball
from symbench.kernels.activations.covariance import Covariance
from symbench.kernels.activations.exact import GUARD

# Products of lattice points: about five seconds.
_MOST_PRODUCTS = 50_000_000
_LARGEST_VARIANCE = Rational(10**12)
# How far from the real line the integrand is bounded; its poles are at distance 2.
_DEPTH = Rational(3, 2)


@attrs.frozen
class Tanh(InBalls):
    """The hyperbolic tangent."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """The integral above, or one over a line for multiples of one Gaussian."""
        if given.C == 0:
            return flint.arb(0)
        integral = _line_dual if given.gap == 0 else _lattice_dual
        size = integral(given._replace(C=abs(given.C)), bits)
        return size if given.C > 0 else -size

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """(-1)^((n-1)/2) int_0^oo w^n e^(-a w^2/2) / sinh(pi w/2) dw; 0 for even n."""
        if degree % 2 == 0:
            return flint.arb(0)
        size = _frequency_moment(degree, variance, bits)
        return size if degree % 4 == 1 else -size


@attrs.frozen
class Sigmoid(InBalls):
    """The logistic function 1 / (1 + e^(-t)) = (1 + tanh(t/2)) / 2."""

    def of_covariance(self, given: Covariance, bits: int) -> flint.arb:
        """(1 + dual of tanh at a quarter of the covariance) / 4."""
        quarters = Covariance(*(entry / 4 for entry in given))
        return (1 + Tanh().of_covariance(quarters, bits)) / 4

    def of_degree(self, degree: int, variance: Rational, bits: int) -> flint.arb:
        """By the chain rule from tanh at a quarter of the variance."""
        inner = Tanh().of_degree(degree, Rational(variance / 4), bits)
        return flint.arb(1) / 2 if degree == 0 else inner / 2 ** (degree + 1)


@lru_cache(maxsize=4096)
def _line_dual(given: Covariance, bits: int) -> flint.arb:
    """E[tanh(sqrt(A) g) tanh(sqrt(B) g)] for one Gaussian g: a certified integral.

    Outside [-R, R] the integrand adds at most P(|g| > R) <= e^(-R^2/2).
    """
    with working_precision(bits + GUARD):
        first, second = ball(given.A).sqrt(), ball(given.B).sqrt()
        end = flint.arb(ceil(sqrt(2 * (bits + 8) * log(2))))

        def integrand(g: flint.acb, _: bool) -> flint.acb:
            return (g * first).tanh() * (g * second).tanh() * (-g * g / 2).exp()

        half = _certified_integral(integrand, end)
        scale = (2 / flint.arb.pi()).sqrt()
        return half * scale + _spread((-end * end / 2).exp())


@lru_cache(maxsize=4096)
def _frequency_moment(degree: int, variance: Fraction, bits: int) -> flint.arb:
    """The integral of w^n e^(-a w^2/2) / sinh(pi w/2) over the positive numbers, n odd.

    For R >= 4n/pi and R >= 1 the integrand beyond R is at most
    2.1 w^n e^(-pi w/2 - a R^2/2), and w^n e^(-pi w/2) falls at least as fast as e^(-pi w/4)
    there: together at most 3 R^n e^(-pi R/2 - a R^2/2).
    """
    with working_precision(bits + GUARD):
        a, half_pi = ball(variance), flint.arb.pi() / 2

        def integrand(w: flint.acb, _: bool) -> flint.acb:
            # sinh(x)/x = sinc(i x): no division by zero at w = 0.
            bell = (-a * w * w / 2).exp() / (w * half_pi * flint.acb(0, 1)).sinc()
            return w ** (degree - 1) * bell / half_pi

        end = flint.arb(_moment_end(degree, float(min(variance, _LARGEST_VARIANCE)), bits))
        tail = 3 * (degree * end.log() - half_pi * end - a * end * end / 2).exp()
        return _certified_integral(integrand, end) + _spread(tail)


def _moment_end(degree: int, variance: float, bits: int) -> int:
    """Where the integrand has fallen by 2^-bits from its largest value (a guess: no proof)."""

    def height(w: float) -> float:
        return degree * log(w) - pi * w / 2 - variance * w * w / 2

    slope = pi / 2
    peak = 2 * degree / (slope + sqrt(slope * slope + 4 * variance * degree))
    end = max(1, ceil(4 * degree / pi))
    while height(end) > height(peak) - (bits + 8) * log(2):
        end += max(1, end // 8)
    return end


def _certified_integral(integrand: Any, end: flint.arb) -> flint.arb:
    """FLINT's rigorous integral from 0 to end; the integrand is meromorphic and real."""
    found = flint.acb.integral(integrand, 0, end, abs_tol=flint.arb(0)).real
    if not found.is_finite():
        raise Undecided("the certified integral did not converge: ask for fewer bits")
    return found


def _spread(radius: flint.arb) -> flint.arb:
    """The ball [-radius, radius]."""
    return flint.arb(0, radius.abs_upper())


@lru_cache(maxsize=4096)
def _lattice_dual(given: Covariance, bits: int) -> flint.arb:
    """The double integral for C > 0, A B > C^2, by the midpoint rule with its error added.

    Discretisation. For f analytic on |Im w| <= d the rule with step h differs from the integral
    over the line by at most the integrals of |f| along Im w = d and Im w = -d, over
    e^(2 pi d/h) - 1. At d = 3/2, with x the real part of w, |sinh(pi w/2)| >=
    cosh(pi x/2) / sqrt(2), |sinh(C z w)| <= C |z| |w| cosh(C z x) and
    e^(-(A x^2 + B z^2)/2) cosh(C x z) <= 1, so each of the two integrals is at most
    7 C e^(A d^2/2) |z / sinh(pi z/2)|; that function of z has integral 2 over the line, and its
    lattice sum is at most 4. Each quarter of the plane has a quarter of the error.

    Truncation. With r = C / sqrt(A B) the integrand is at most C k(w) k(z) e^(-(1-r) A w^2/2),
    k(w) = w / sinh(pi w/2) <= (4/pi) (1 + x) e^(-x) at x = pi w/2, and k has lattice sum at
    most 2: what lies beyond R adds at most 2 C (2 + x) e^(-x - (1-r) A R^2/2), x = pi R/2.
    """
    A, B, C = given
    if max(A, B) > _LARGEST_VARIANCE:
        raise TooLarge(
            f"the variances {A} and {B} need a lattice of more than {_MOST_PRODUCTS} points: "
            "scale the kernel down"
        )
    steps = [_step(float(variance), bits) for variance in (A, B)]
    with working_precision(bits + GUARD):
        slack = 1 - ball(C) / ball(A * B).sqrt()
        falls = [(slack * ball(variance) / 2).lower() for variance in (A, B)]
        counts = [
            _count(step, max(0.0, float(fall)), bits)
            for step, fall in zip(steps, falls, strict=True)
        ]
        if counts[0] * counts[1] > _MOST_PRODUCTS:
            raise TooLarge(
                f"the covariance [[{A}, {C}], [{C}, {B}]] needs a lattice of {counts[0]} x "
                f"{counts[1]} points for {bits} bits: ask for fewer bits, or scale the kernel down"
            )
        error = flint.arb(0)
        for step, count, fall, variance, weight in zip(
            steps, counts, falls, (A, B), (7, 14), strict=True
        ):
            h = flint.arb(step)
            growth = (ball(variance * _DEPTH * _DEPTH) / 2).exp()
            error += weight * growth / (2 * ball(_DEPTH) * flint.arb.pi() / h).expm1()
            end = (count - flint.arb(1) / 2) * h
            x = flint.arb.pi() * end / 2
            # The fall may be enclosed by a ball that reaches below zero; zero is a bound too.
            error += 2 * (2 + x) * (-x - fall.max(flint.arb(0)) * end * end).exp()
        total = _lattice_sum(given, steps, counts)
        return total + _spread(ball(C) * error)


def _step(variance: float, bits: int) -> float:
    """A step whose discretisation error is below 2^-bits: any float is an exact step."""
    depth = float(_DEPTH)
    return 2 * pi * depth / (variance * depth * depth / 2 + (bits + 8) * log(2))


def _count(step: float, fall: float, bits: int) -> int:
    """How many midpoints until the integrand has fallen below 2^-bits."""
    depth = (bits + 16) * log(2)
    slope = pi / 2
    return 2 + ceil(2 * depth / (slope + sqrt(slope * slope + 4 * fall * depth)) / step)


def _lattice_sum(given: Covariance, steps: list[float], counts: list[int]) -> flint.arb:
    """The midpoint sum: sinh(C w z) splits into powers, so each row is a polynomial's value."""
    first, second = (flint.arb(step) for step in steps)
    rows, columns = (
        _weights(variance, step, count)
        for variance, step, count in zip(given[:2], (first, second), counts, strict=True)
    )
    polynomial = flint.arb_poly(columns)
    exponent = ball(given.C) * first * second / 4
    total = flint.arb(0)
    for i, weight in enumerate(rows):
        # C w z = exponent (2i + 1)(2j + 1)
        growth = (exponent * (2 * i + 1)).exp()
        decay = 1 / growth
        total += weight * (growth * polynomial(growth**2) - decay * polynomial(decay**2))
    return total * first * second / 2


def _weights(variance: Fraction, step: flint.arb, count: int) -> list[flint.arb]:
    """e^(-A w^2/2) / sinh(pi w/2) at the midpoints."""
    a, half_pi = ball(variance), flint.arb.pi() / 2
    points = [(2 * i + 1) * step / 2 for i in range(count)]
    return [(-a * w * w / 2).exp() / (half_pi * w).sinh() for w in points]
