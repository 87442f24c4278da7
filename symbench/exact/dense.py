"""ZZ, QQ and GF(p): the rings whose matrices are FLINT matrices.

>>> ZZ, QQ, GF(7), QQ["x", "y"]
(ZZ, QQ, GF(7), QQ['x', 'y'])
>>> GF(8)
Traceback (most recent call last):
...
symbench.errors.BadValue: the modulus is 8, which is not prime: give a prime below 2^64
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

import attrs
import flint

from symbench._arguments import shown
from symbench.errors import NotInRing, UnknownName
from symbench.exact.primes import residue, word_prime
from symbench.exact.rational import (
    Rational,
    exact_number,
    fmpq,
    number_text,
    rational,
    stored_number,
)
from symbench.exact.ring import Element, Rep, Ring, Shape, Vector, singular

if TYPE_CHECKING:
    from symbench.exact.polynomials import Polynomials


class DenseRing(Ring):
    """What ZZ, QQ and GF(p) share."""

    def __getitem__(self, variables: str | tuple[str, ...]) -> Polynomials:
        """The polynomials over this ring in the named variables."""
        from symbench.exact.polynomials import Polynomials

        names = variables if isinstance(variables, tuple) else (variables,)
        return Polynomials(self, names)

    @property
    def scalars(self) -> DenseRing:
        """These rings are their own."""
        return self

    def encode(self, element: Element) -> str:
        """Numbers are strings in JSON."""
        return number_text(element)

    def text(self, element: Element) -> str:
        """Numbers of any length."""
        return number_text(element)

    def decode(self, data: Any) -> Element:
        """The number behind a string, and nothing but a string."""
        return self.coerce(stored_number(data))

    def equal(self, a: Rep, b: Rep) -> bool:
        """FLINT compares."""
        return bool(a == b)

    def add(self, a: Rep, b: Rep) -> Rep:
        """FLINT adds."""
        return a + b

    def subtract(self, a: Rep, b: Rep) -> Rep:
        """FLINT subtracts."""
        return a - b

    def multiply(self, a: Rep, b: Rep, shape: Shape) -> Rep:
        """FLINT multiplies."""
        return a * b

    def transpose(self, a: Rep, shape: Shape) -> Rep:
        """FLINT transposes."""
        return a.transpose()

    def rank(self, a: Rep, shape: Shape) -> int:
        """FLINT's rank."""
        return int(a.rank())

    def evaluate(self, a: Rep, shape: Shape, point: Mapping[str, Any]) -> tuple[Ring, Rep]:
        """Numbers are their own values, at the point without variables."""
        if point:
            raise UnknownName(f"the point is {shown(dict(point))}, but {self!r} has no variables")
        return self, a


@attrs.frozen(repr=False)
class _Integers(DenseRing):
    """The ring of integers; elements are ints."""

    def __repr__(self) -> str:
        return "ZZ"

    def __reduce__(self) -> str:
        return "ZZ"

    def to_json(self) -> Any:
        return "ZZ"

    def fraction_field(self) -> Ring:
        return QQ

    def coerce(self, value: Any) -> int:
        number = exact_number(value)
        if number.denominator != 1:
            raise NotInRing(f"{shown(number)} is not an integer: use ring=QQ")
        return int(number)

    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        return flint.fmpz_mat(*shape, [x for row in rows for x in row])

    def table(self, rep: Rep) -> Sequence[Sequence[Element]]:
        return [[int(x) for x in row] for row in rep.table()]

    def entry(self, rep: Rep, i: int, j: int) -> int:
        return int(rep[i, j])

    def scale(self, factor: Element, a: Rep) -> Rep:
        return a * flint.fmpz(factor)

    def det(self, a: Rep, size: int) -> int:
        return int(a.det())

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        return tuple(primitive(v) for v in QQ.nullspace(flint.fmpq_mat(a), shape))

    def solve(self, a: Rep, b: Rep) -> Rep:
        return QQ.solve(flint.fmpq_mat(a), flint.fmpq_mat(b))

    def charpoly(self, a: Rep, size: int) -> Vector:
        return tuple(int(c) for c in a.charpoly().coeffs())

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        return PrimeField(prime), flint.nmod_mat(a, prime)


@attrs.frozen(repr=False)
class _Rationals(DenseRing):
    """The field of rationals; elements are Rational, a Fraction that prints as p/q."""

    def __repr__(self) -> str:
        return "QQ"

    def __reduce__(self) -> str:
        return "QQ"

    def to_json(self) -> Any:
        return "QQ"

    def coerce(self, value: Any) -> Rational:
        return Rational(exact_number(value))

    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        return flint.fmpq_mat(*shape, [fmpq(x) for row in rows for x in row])

    def table(self, rep: Rep) -> Sequence[Sequence[Element]]:
        return [[rational(x) for x in row] for row in rep.table()]

    def entry(self, rep: Rep, i: int, j: int) -> Rational:
        return rational(rep[i, j])

    def scale(self, factor: Element, a: Rep) -> Rep:
        return a * fmpq(factor)

    def det(self, a: Rep, size: int) -> Rational:
        return rational(a.det())

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        echelon, rank = a.rref()
        return _kernel(echelon, rank, shape[1], lambda x: -rational(x), Rational(1), Rational(0))

    def solve(self, a: Rep, b: Rep) -> Rep:
        try:
            return a.solve(b)
        except ZeroDivisionError:
            raise singular() from None

    def charpoly(self, a: Rep, size: int) -> Vector:
        return tuple(rational(c) for c in a.charpoly().coeffs())

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        # Entry by entry: a common denominator of a whole matrix can be enormous.
        entries = [residue(Rational(int(x.p), int(x.q)), prime) for x in a.entries()]
        return PrimeField(prime), flint.nmod_mat(*shape, entries, prime)


@attrs.frozen(repr=False)
class PrimeField(DenseRing):
    """The integers modulo a prime below 2^64; elements are ints from 0 to p - 1.

    >>> PrimeField(5).coerce("1/2")
    3
    """

    modulus: int = attrs.field(converter=word_prime)

    def __repr__(self) -> str:
        return f"GF({self.modulus})"

    def to_json(self) -> Any:
        return {"GF": str(self.modulus)}

    def coerce(self, value: Any) -> int:
        if isinstance(value, flint.nmod):
            if value.modulus() != self.modulus:
                raise NotInRing(f"{value} lives modulo {value.modulus()}, not {self.modulus}")
            return int(value)
        return residue(exact_number(value), self.modulus)

    def decode(self, data: Any) -> Element:
        number = super().decode(data)
        if str(number) != data:
            raise NotInRing(f"{shown(data)} is not a residue from 0 to {self.modulus - 1}")
        return number

    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        return flint.nmod_mat(*shape, [x for row in rows for x in row], self.modulus)

    def table(self, rep: Rep) -> Sequence[Sequence[Element]]:
        return [[int(x) for x in row] for row in rep.table()]

    def entry(self, rep: Rep, i: int, j: int) -> int:
        return int(rep[i, j])

    def scale(self, factor: Element, a: Rep) -> Rep:
        return a * factor

    def power(self, element: Element, exponent: int) -> int:
        return pow(element, exponent, self.modulus)

    def det(self, a: Rep, size: int) -> int:
        return int(a.det()) if size else 1

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        echelon, rank = a.rref()
        modulus = self.modulus
        return _kernel(echelon, rank, shape[1], lambda x: -int(x) % modulus, 1, 0)

    def solve(self, a: Rep, b: Rep) -> Rep:
        try:
            return a.solve(b)
        except ZeroDivisionError:
            raise singular() from None

    def charpoly(self, a: Rep, size: int) -> Vector:
        return tuple(int(c) for c in a.charpoly().coeffs())

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        if prime != self.modulus:
            raise NotInRing(f"a matrix over {self!r} has no image modulo {prime}")
        return self, a


def GF(modulus: int) -> PrimeField:
    """The field with a prime number of elements, below 2^64.

    >>> GF(2).coerce(7)
    1
    """
    return PrimeField(modulus)


def _kernel(
    echelon: Rep, rank: int, width: int, negative: Any, one: Element, zero: Element
) -> tuple[Vector, ...]:
    """The null vectors read off a reduced row echelon form, one per free column."""
    pivots: list[int] = []
    column = 0
    for row in range(rank):
        while echelon[row, column] == 0:
            column += 1
        pivots.append(column)
    free = [j for j in range(width) if j not in set(pivots)]
    basis = []
    for j in free:
        vector = [zero] * width
        vector[j] = one
        for row, pivot in enumerate(pivots):
            if echelon[row, j] != 0:
                vector[pivot] = negative(echelon[row, j])
        basis.append(tuple(vector))
    return tuple(basis)


def primitive(vector: Sequence[int | Rational]) -> tuple[int, ...]:
    """The integer vector without common factor on the same ray.

    >>> primitive([Rational(1, 2), Rational(-1, 3)])
    (3, -2)
    """
    scale = lcm(*(x.denominator for x in vector))
    integers = [int(x * scale) for x in vector]
    common = gcd(*integers) or 1
    return tuple(x // common for x in integers)


ZZ = _Integers()
QQ = _Rationals()
