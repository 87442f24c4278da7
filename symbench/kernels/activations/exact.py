"""Activations with exact duals: cosines, the exponential function, polynomials.

Cosines and exp give exponential polynomials in q = e, the base of the natural logarithm, which
is transcendental: two of them are equal as numbers only if they are equal as polynomials.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench._arguments import integer, sequence
from symbench.draw.views import Shown
from symbench.errors import BadValue
from symbench.exact import QQ, Exponential, Exponentials, Rational, Series
from symbench.exact.polynomials import POLYNOMIALS
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, exact_parameter, fmpq, is_sympy, number_source
from symbench.kernels.activations.covariance import covariance
from symbench.kernels.activations.hermite import polynomial_coefficient, polynomial_dual

GUARD = 64
_RING = Exponentials("q")
_HALF = Rational(1, 2)
_PI = re.compile(r"\s*([+-]?)\s*(?:(\d+)\s*\*?\s*)?(?:pi|π)\s*(?:/\s*([1-9]\d*))?\s*\Z")


def _over_pi(text: str) -> Rational | None:
    """The multiple of pi that a text says, or None."""
    found = _PI.match(text)
    return found and Rational(int(f"{found[1]}{found[2] or 1}"), int(found[3] or 1))


def _phase(value: Any) -> Rational | str:
    """A rational number of radians, or a multiple of pi written as '3*pi/4'."""
    if isinstance(value, str):
        multiple = _over_pi(value)
        if multiple is not None:
            return _pi_text(multiple)
        if "pi" in value or "π" in value:
            raise BadValue(f"b2 is {value!r}: write a multiple of pi as '3*pi/4'")
    if is_sympy(value) and not value.is_Rational:
        import sympy

        ratio = value / sympy.pi
        if ratio.is_Rational:
            return _pi_text(Rational(int(ratio.p), int(ratio.q)))
        raise BadValue(f"b2 is {value!r}: give a rational number or a rational multiple of pi")
    return exact_parameter(value, "b2")


def _pi_text(multiple: Rational) -> Rational | str:
    if multiple == 0:
        return Rational(0)
    top, bottom = multiple.numerator, multiple.denominator
    size = "pi" if abs(top) == 1 else f"{abs(top)}*pi"
    return f"{'-' if top < 0 else ''}{size}{'' if bottom == 1 else f'/{bottom}'}"


def rational_cosine(multiple: Fraction) -> Rational | None:
    """cos(multiple * pi) if it is rational: 0, 1, -1, 1/2 or -1/2 (Niven), else None."""
    folded = multiple % 2
    folded = min(folded, 2 - folded)
    # At 0, 1/3, 1/2, 2/3 and 1.
    values: dict[Fraction | int, int] = {0: 2, 2: 1, 3: 0, 4: -1, 6: -2}
    twice = values.get(6 * folded)
    return None if twice is None else Rational(twice, 2)


def _b1(value: Any) -> Rational:
    return exact_parameter(value, "b1")


@attrs.frozen(repr=False)
class Cosine(Shown):
    """The cosine of b1 t + b2: b1 rational, b2 rational or a multiple of pi.

    >>> cos(2, "pi/4"), cos(2, "pi/4").exactness, cos(2, 1).exactness
    (cos(2, 'pi/4'), 'exact', 'ball')
    >>> cos("1/2", "pi/4").dual(4, 4, 2)
    1/2*q^(-1/2)
    >>> cos(1, 0.5)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: 0.5 is a float, not an exact number: write '1/2' or Fraction(1, 2)
    """

    b1: Rational = attrs.field(converter=_b1)
    b2: Rational | str = attrs.field(default=Rational(0), converter=_phase)

    def __repr__(self) -> str:
        shift = repr(self.b2) if isinstance(self.b2, str) else number_source(self.b2)
        return f"cos({number_source(self.b1)}, {shift})"

    @property
    def _multiple(self) -> Rational | None:
        """b2 / pi where that is rational."""
        if isinstance(self.b2, str):
            return _over_pi(self.b2)
        return Rational(0) if self.b2 == 0 else None

    def _exact_cosine(self, factor: int, quarters: int) -> Rational | None:
        """cos(factor b2 + quarters pi/2) if it is rational."""
        multiple = self._multiple
        if multiple is None:
            return None
        return rational_cosine(factor * multiple + Rational(quarters, 2))

    def _ball_cosine(self, factor: int, quarters: int) -> flint.arb:
        if self._multiple is not None:
            return flint.arb.cos_pi_fmpq(fmpq(factor * self._multiple + Rational(quarters, 2)))
        assert isinstance(self.b2, Rational)
        angle = flint.arb(fmpq(factor * self.b2))
        turned = (angle.cos(), -angle.sin(), -angle.cos(), angle.sin())
        return turned[quarters % 4]

    @property
    def exactness(self) -> str:
        """'exact' if cos(2 b2) is rational, else 'ball'."""
        return "ball" if self._exact_cosine(2, 0) is None else "exact"

    @property
    def is_constant(self) -> bool:
        """Whether b1 = 0."""
        return self.b1 == 0

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> Any:
        """(e^(s C) + cos(2 b2) e^(-s C)) e^(-s (A + B)/2) / 2 with s = b1^2, in q = e.

        >>> Cosine(1, 0).dual(1, 1, "1/2")
        1/2*q^(-3/2) + 1/2*q^(-1/2)
        """
        a, b, c = covariance(A, B, C)
        square = self.b1 * self.b1
        near, far = square * (c - (a + b) / 2), square * (-c - (a + b) / 2)
        weight = self._exact_cosine(2, 0)
        if weight is not None:
            return _HALF * _RING.monomial(near) + _HALF * weight * _RING.monomial(far)
        with working_precision(precision(bits) + GUARD):
            first, second = (flint.arb(fmpq(power)).exp() for power in (near, far))
            return (first + self._ball_cosine(2, 0) * second) / 2

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> Any:
        """b1^n e^(-b1^2 a/2) cos(b2 + n pi/2): exact where that cosine is rational.

        >>> Cosine(2, 0).hermite(2, 1)
        -4*q^(-2)
        """
        degree, variance = hermite_arguments(n, a)
        power = -self.b1 * self.b1 * variance / 2
        weight = self._exact_cosine(1, degree)
        if weight is not None:
            return self.b1**degree * weight * _RING.monomial(power)
        with working_precision(precision(bits) + GUARD):
            scale = flint.arb(fmpq(self.b1**degree)) * flint.arb(fmpq(power)).exp()
            return scale * self._ball_cosine(1, degree)


cos = Cosine


@attrs.frozen
class Exp(Shown):
    """The exponential function."""

    exactness = "exact"
    is_constant = False

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> Any:
        """e^((A + B)/2 + C), in q = e."""
        a, b, c = covariance(A, B, C)
        return _RING.monomial((a + b) / 2 + c)

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> Any:
        """e^(a/2) for every n."""
        return _RING.monomial(hermite_arguments(n, a)[1] / 2)


def _coefficients(given: Any) -> tuple[Rational, ...]:
    listed = sequence(given, "the list of coefficients", "one such as [0, 1], constant term first")
    numbers = [exact_parameter(c, f"coefficient {n}") for n, c in enumerate(listed)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@attrs.frozen(repr=False)
class Polynomial(Shown):
    """The polynomial activation with these exact coefficients, constant term first.

    >>> polynomial([1, "1/2", 0]), polynomial([3]).is_constant
    (polynomial([1, '1/2']), True)
    >>> polynomial([0, 1, 1]).dual(1, 1, "1/2")
    2
    >>> polynomial(3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the list of coefficients is 3: give one such as [0, 1], ...
    """

    coefficients: tuple[Rational, ...] = attrs.field(converter=_coefficients)

    exactness = "exact"

    def __repr__(self) -> str:
        return f"polynomial([{', '.join(map(number_source, self.coefficients))}])"

    @property
    def is_constant(self) -> bool:
        """Whether only the constant term is there."""
        return len(self.coefficients) <= 1

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> Any:
        """A polynomial in A, B and C, which may themselves be polynomials or series.

        >>> Polynomial([0, 0, 1]).dual(2, 3, 1)
        8
        """
        if any(isinstance(entry, (*POLYNOMIALS, Series)) for entry in (A, B, C)):
            return polynomial_dual(self.coefficients, A, B, C)
        return polynomial_dual(self.coefficients, *covariance(A, B, C))

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> Any:
        """c_n(a), exactly.

        >>> Polynomial([0, 0, 0, 1]).hermite(1, 5)
        15
        """
        degree, variance = hermite_arguments(n, a)
        return QQ.coerce(polynomial_coefficient(self.coefficients, degree, variance))


polynomial = Polynomial


def hermite_arguments(n: Any, a: Any) -> tuple[int, Rational]:
    """The degree and the variance of a Hermite coefficient, checked."""
    return (
        integer(n, "the degree n", at_least=0),
        exact_parameter(a, "the variance a", at_least=0),
    )


def precision(bits: Any) -> int:
    """The number of bits, checked."""
    return integer(bits, "bits", at_least=2)


def enclosure(value: Any, bits: int = 128) -> flint.arb:
    """A ball around a number, an exponential polynomial in q = e, or a ball."""
    with working_precision(bits + GUARD):
        if isinstance(value, Exponential):
            terms = (flint.arb(fmpq(c)) * flint.arb(fmpq(e)).exp() for e, c in value.terms)
            return sum(terms, flint.arb(0))
        return value if isinstance(value, flint.arb) else flint.arb(fmpq(exact_number(value)))
