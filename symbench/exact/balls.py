"""Balls: real numbers enclosed rigorously by a midpoint and a radius (FLINT's arb).

A ball that excludes zero proves that the number is not zero; a ball that contains zero proves
nothing. Entries are kept as integers (midpoint and radius times powers of two), so that
matrices of balls compare, hash and survive a file unchanged.

>>> import flint
>>> M = Matrix([[flint.arb(2).sqrt(), 1], [1, "1/3"]])
>>> M.ring, M.exactness
(Balls(53), 'ball')
>>> M.det().overlaps(flint.arb(2).sqrt() / 3 - 1)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.errors import BadValue, NotInRing
from symbench.exact.dense import ZZ
from symbench.exact.precision import working_precision
from symbench.exact.rational import Rational, exact_number, fmpq
from symbench.exact.ring import Rep, Ring, Shape, singular

Key = tuple[int, int, int, int]


def _bits(value: Any) -> int:
    return integer(value, "the precision in bits", at_least=2, limit=10**7)


@attrs.frozen(repr=False)
class Balls(Ring):
    """Real balls computed with the given number of bits.

    >>> 3 * Balls(64).coerce("1/3")
    [1.00000000000000 +/- 2.23e-16]
    >>> Balls(64).coerce(flint.arb("nan"))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the ball is nan: give a finite one
    """

    bits: int = attrs.field(default=128, converter=_bits)
    exactness = "ball"
    advice = "balls have det and solve"

    def __repr__(self) -> str:
        return f"Balls({self.bits})"

    def _symbol(self) -> str:
        return rf"\mathbb{{R}}\ \text{{in balls of {self.bits} bits}}"

    def to_json(self) -> Any:
        return {"balls": str(self.bits)}

    def coerce(self, value: Any) -> flint.arb:
        """An arb as it is, an exact number enclosed to the ring's bits."""
        if isinstance(value, flint.arb):
            if not value.is_finite():
                raise BadValue(f"the ball is {value}: give a finite one")
            return value
        number = exact_number(value)
        with working_precision(self.bits):
            return flint.arb(fmpq(number))

    def rep(self, rows: Sequence[Sequence[Any]], shape: Shape) -> Rep:
        """The integers behind each ball."""
        return tuple(tuple(_key(x) for x in row) for row in rows)

    def table(self, rep: Rep) -> Sequence[Sequence[Any]]:
        """The balls behind the integers."""
        return [[_ball(key) for key in row] for row in rep]

    def entry(self, rep: Rep, i: int, j: int) -> flint.arb:
        return _ball(rep[i][j])

    def transpose(self, a: Rep, shape: Shape) -> Rep:
        """The same integers in other places."""
        return tuple(zip(*a, strict=True)) or ((),) * shape[1]

    def text(self, element: flint.arb) -> str:
        """FLINT's text, with the digits of the precision in force."""
        with working_precision():
            return str(element)

    def encode(self, element: flint.arb) -> Any:
        """Midpoint and radius as mantissa and exponent."""
        return [str(flint.fmpz(n)) for n in _key(element)]

    def decode(self, data: Any) -> flint.arb:
        return _ball(_decode_key(data))

    def encode_rep(self, rep: Rep) -> Any:
        """The whole table, from the integers that are kept."""
        return [[[str(flint.fmpz(n)) for n in key] for key in row] for row in rep]

    def decode_rep(self, data: list[list[Any]], shape: Shape) -> Rep:
        """The table that encode_rep wrote, validated."""
        return tuple(tuple(_decode_key(key) for key in row) for row in data)

    def _matrix(self, rep: Rep) -> flint.arb_mat:
        return flint.arb_mat(self.table(rep))

    def _pairwise(self, a: Rep, b: Rep, operation: Any) -> Rep:
        with working_precision(self.bits):
            pairs = zip(self.table(a), self.table(b), strict=True)
            rows = [[operation(x, y) for x, y in zip(r, s, strict=True)] for r, s in pairs]
        return self.rep(rows, (0, 0))

    def add(self, a: Rep, b: Rep) -> Rep:
        return self._pairwise(a, b, lambda x, y: x + y)

    def subtract(self, a: Rep, b: Rep) -> Rep:
        return self._pairwise(a, b, lambda x, y: x - y)

    def scale(self, factor: flint.arb, a: Rep) -> Rep:
        return self._pairwise(a, a, lambda x, _: factor * x)

    def multiply(self, a: Rep, b: Rep, shape: Shape) -> Rep:
        if not shape[0] or not shape[1] or not b:
            return self.rep([[flint.arb(0)] * shape[1]] * shape[0], shape)
        with working_precision(self.bits):
            return self.rep((self._matrix(a) * self._matrix(b)).table(), shape)

    def power(self, element: flint.arb, exponent: int) -> flint.arb:
        with working_precision(self.bits):
            return element**exponent

    def is_zero(self, element: flint.arb) -> bool:
        """Whether the ball is the exact number zero."""
        return bool(element.is_zero())

    def det(self, a: Rep, size: int) -> flint.arb:
        """A ball that contains the determinant."""
        if size == 0:
            return flint.arb(1)
        with working_precision(self.bits):
            return self._matrix(a).det()

    def solve(self, a: Rep, b: Rep) -> Rep:
        """Balls that contain the solution."""
        with working_precision(self.bits):
            try:
                return self.rep(self._matrix(a).solve(self._matrix(b)).table(), (0, 0))
            except ZeroDivisionError:
                raise singular("solve (to this precision)") from None


def interval(ball: flint.arb) -> tuple[Rational, Rational]:
    """(midpoint, radius) as rational numbers.

    >>> interval(flint.arb(3) / 2)
    (3/2, 0)
    """
    mantissa, exponent, radius, scale = _key(ball)
    return Rational(mantissa * Rational(2) ** exponent), Rational(radius * Rational(2) ** scale)


def _key(ball: flint.arb) -> Key:
    mantissa, exponent = ball.mid().man_exp()
    radius, scale = ball.rad().man_exp()
    return int(mantissa), int(exponent), int(radius), int(scale)


def _ball(key: Key) -> flint.arb:
    """The ball with this midpoint and radius; a radius of more than 30 bits is rounded up."""
    mantissa, exponent, radius, scale = key
    if radius.bit_length() <= _RADIUS_BITS:
        # FLINT rounds a radius up to the next number of 30 bits, even one that has no more. So it
        # is handed a number a little below the radius, which is rounded up to the radius.
        radius, scale = max((radius << 2 * _RADIUS_BITS) - 1, 0), scale - 2 * _RADIUS_BITS
    with working_precision(max(2, mantissa.bit_length(), radius.bit_length())):
        middle = flint.arb((mantissa, exponent))
        return flint.arb(middle, flint.arb((radius, scale))) if radius else middle


# FLINT keeps this number of bits of a radius.
_RADIUS_BITS = 30
# Larger exponents belong to no measurement, and FLINT would have to carry them along.
_EXPONENT = 1 << 20


def _decode_key(data: Any) -> Key:
    if not isinstance(data, list) or len(data) != 4 or not all(isinstance(n, str) for n in data):
        raise NotInRing(f"a ball is {shown(data)}: give four integers in strings")
    mantissa, exponent, radius, scale = (ZZ.decode(n) for n in data)
    if radius < 0 or abs(exponent) > _EXPONENT or abs(scale) > _EXPONENT:
        raise NotInRing(f"a ball is {shown(data)}: give a radius >= 0 and exponents below 2^20")
    # Through FLINT, so that equal balls have equal keys.
    return _key(_ball((mantissa, exponent, radius, scale)))
