"""Exponential polynomials: sums of c * q^e with rational exponents e of either sign.

They stand for exact values of sums of exponentials: with q = exp(a), a algebraic and not
zero, q is transcendental (Lindemann), so such a sum vanishes only if it is formally zero.

>>> M = exponential_matrix([[1, 0], ["1/2", 2]])
>>> print(M)
[ q        1]
[ q^(1/2)  q^2]
>>> M.det()
-q^(1/2) + q^3
>>> M.rank()
2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

import attrs

from symbench._arguments import integer, shown
from symbench.errors import BadValue, NotInRing
from symbench.exact.dense import QQ, DenseRing, PrimeField
from symbench.exact.latex import dollars, in_latex
from symbench.exact.polynomials import Polynomials, pairs, variable_names
from symbench.exact.primes import residue
from symbench.exact.rational import Rational, exact_number, number_text
from symbench.exact.ring import Rep, Ring, Shape, Vector, is_matrix


@attrs.frozen(repr=False)
class Exponential:
    """A sum of terms (exponent, coefficient), exponents increasing, in one variable.

    >>> q = Exponentials("q").monomial(1)
    >>> (q - 1) * (q + 1) == q * q - 1
    True
    >>> q ** -2 + "x"
    Traceback (most recent call last):
    ...
    symbench.errors.NotInRing: 'x' is not a number: write '12', '3/7' or '0.5'
    """

    variable: str
    terms: tuple[tuple[Fraction, Fraction], ...]

    def _repr_latex_(self) -> str:
        return dollars(self)

    def __repr__(self) -> str:
        text = ""
        for exponent, coefficient in self.terms:
            sign, size = "-" if coefficient < 0 else "+", abs(coefficient)
            power = _power_text(self.variable, exponent)
            body = power if power else number_text(size)
            if power and size != 1:
                body = f"{number_text(size)}*{power}"
            text += f" {sign} {body}" if text else (body if sign == "+" else f"-{body}")
        return text or "0"

    def _with(self, other: Any) -> Exponential:
        return Exponentials(self.variable).coerce(other)

    def __add__(self, other: Any) -> Exponential:
        return _collect(self.variable, (*self.terms, *self._with(other).terms))

    def __neg__(self) -> Exponential:
        return Exponential(self.variable, tuple((e, -c) for e, c in self.terms))

    def __sub__(self, other: Any) -> Exponential:
        return self + -self._with(other)

    def __rsub__(self, other: Any) -> Exponential:
        return self._with(other) - self

    def __mul__(self, other: Any) -> Exponential:
        if is_matrix(other):
            return NotImplemented
        factor = self._with(other)
        return _collect(
            self.variable, ((e + f, c * d) for e, c in self.terms for f, d in factor.terms)
        )

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: int) -> Exponential:
        power = integer(exponent, "the exponent")
        if len(self.terms) == 1:
            ((e, c),) = self.terms
            return Exponential(self.variable, ((e * power, c**power),))
        if power < 0:
            raise NotInRing(f"{shown(self)} has no inverse among the exponential polynomials")
        result = self._with(1)
        for _ in range(power):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, Fraction)):
            other = self._with(other)
        if not isinstance(other, Exponential):
            return NotImplemented
        return self.terms == other.terms and (self.variable == other.variable or not self.terms)

    def __hash__(self) -> int:
        # A constant equals its number, so it hashes like it.
        constant = all(e == 0 for e, _ in self.terms)
        return hash(sum(c for _, c in self.terms) if constant else self.terms)


def _power_text(variable: str, exponent: Fraction) -> str:
    if exponent == 0:
        return ""
    if exponent == 1:
        return variable
    plain = exponent.denominator == 1 and exponent > 0
    text = number_text(exponent)
    return f"{variable}^{text}" if plain else f"{variable}^({text})"


def _collect(variable: str, terms: Iterable[tuple[Fraction, Fraction]]) -> Exponential:
    sums: dict[Fraction, Fraction] = {}
    for exponent, coefficient in terms:
        sums[exponent] = sums.get(exponent, Rational(0)) + coefficient
    return Exponential(variable, tuple(sorted((e, c) for e, c in sums.items() if c)))


@attrs.frozen(repr=False)
class Exponentials(Ring):
    """The ring of exponential polynomials in one variable over the rationals.

    >>> Exponentials("q").monomial("1/2") * 3
    3*q^(1/2)
    """

    variable: str = attrs.field()
    advice = "exponentials have det, rank and nullspace; reduce or evaluate for the rest"

    @variable.validator
    def _check(self, attribute: Any, value: Any) -> None:
        variable_names((value,))

    @property
    def variables(self) -> tuple[str, ...]:  # type: ignore[override]
        """The one variable."""
        return (self.variable,)

    def __repr__(self) -> str:
        return f"Exponentials({self.variable!r})"

    def _symbol(self) -> str:
        return rf"\mathbb{{Q}}[{in_latex(self.variable)}^{{\mathbb{{Q}}}}]"

    def to_json(self) -> Any:
        return {"exponentials": self.variable}

    @property
    def scalars(self) -> DenseRing:
        return QQ

    def monomial(self, exponent: Any) -> Exponential:
        """The variable to a rational power."""
        return Exponential(self.variable, ((Rational(exact_number(exponent)), Rational(1)),))

    def coerce(self, value: Any) -> Exponential:
        """A number or an exponential in this variable."""
        if isinstance(value, Exponential):
            if value.terms and value.variable != self.variable:
                raise NotInRing(f"{shown(value)} is not in {self!r}")
            return value
        number = Rational(exact_number(value))
        return Exponential(self.variable, ((Rational(0), number),) if number else ())

    def encode(self, element: Exponential) -> Any:
        """A list of [coefficient, exponent]."""
        return [[number_text(c), number_text(e)] for e, c in element.terms]

    def decode(self, data: Any) -> Exponential:
        terms = [(QQ.decode(e), QQ.decode(c)) for c, e in pairs(data)]
        return _collect(self.variable, terms)

    # --- through polynomials in t = q^(1/d) -------------------------------------------------
    def _clear(self, a: Rep) -> tuple[Polynomials, Rep, int, list[int]]:
        """(ring, polynomial rows in t, d, shifts): row i times t^shift_i, where q = t^d."""
        root = exponent_denominator(a)
        ring = QQ["t"]
        rows, shifts = [], []
        for row in a:
            shift = -min((int(e * root) for x in row for e, _ in x.terms), default=0)
            shifts.append(shift)
            rows.append(
                tuple(
                    ring.from_terms({(int(e * root) + shift,): c for e, c in x.terms}) for x in row
                )
            )
        return ring, tuple(rows), root, shifts

    def _back(self, ring: Polynomials, element: Any, root: int, shift: int) -> Exponential:
        terms = ring.terms(element).items()
        return _collect(
            self.variable, ((Rational(e - shift, root), Rational(c)) for (e,), c in terms)
        )

    def det(self, a: Rep, size: int) -> Exponential:
        """The determinant, through polynomials in a root of the variable."""
        ring, rows, root, shifts = self._clear(a)
        return self._back(ring, ring.det(rows, size), root, sum(shifts))

    def rank(self, a: Rep, shape: Shape) -> int:
        """The rank for transcendental q."""
        ring, rows, _, _ = self._clear(a)
        return ring.rank(rows, shape)

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        """A basis of the null vectors; scaling rows does not change it."""
        ring, rows, root, _ = self._clear(a)
        return tuple(
            tuple(self._back(ring, x, root, 0) for x in vector)
            for vector in ring.nullspace(rows, shape)
        )

    # --- maps -------------------------------------------------------------------------------
    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        """The image under q^(1/d) -> the point's value, d the exponents' common denominator."""
        field = PrimeField(prime)
        (value,) = self.check_point(point)
        base = field.coerce(value)
        if base == 0:
            raise BadValue(f"{self.variable} must not be 0 modulo {prime}: it has negative powers")
        root = exponent_denominator(a)
        powers: dict[Fraction, int] = {}

        def image(element: Exponential) -> int:
            total = 0
            for exponent, coefficient in element.terms:
                if exponent not in powers:
                    powers[exponent] = pow(base, int(exponent * root) % (prime - 1), prime)
                total += residue(coefficient, prime) * powers[exponent]
            return total % prime

        return field, field.rep([[image(x) for x in row] for row in a], shape)

    def evaluate(self, a: Rep, shape: Shape, point: Mapping[str, Any]) -> tuple[Ring, Rep]:
        """Rational values; the exponents must be integers."""
        (value,) = self.check_point(point)
        base = Rational(exact_number(value))
        if base == 0 or exponent_denominator(a) != 1:
            raise NotInRing(
                f"{self.variable} = {shown(base)} gives no rational values: "
                "take a nonzero value and integer exponents"
            )

        def at(element: Exponential) -> Rational:
            return Rational(sum((c * base ** int(e) for e, c in element.terms), Rational(0)))

        return QQ, QQ.rep([[at(x) for x in row] for row in a], shape)


def exponent_denominator(a: Rep) -> int:
    """The least d such that all exponents are multiples of 1/d."""
    return lcm(*(e.denominator for row in a for x in row for e, _ in x.terms))
