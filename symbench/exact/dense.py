"""ZZ, QQ and GF(p): the rings whose matrices are FLINT matrices.

>>> ZZ, QQ, GF(7), QQ["x", "y"]
(ZZ, QQ, GF(7), QQ['x', 'y'])
>>> GF(8)
Traceback (most recent call last):
...
symbench.errors.BadValue: the modulus is 8, which is not prime: give a prime below 2^64
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

import attrs
import flint

from symbench._arguments import shown
from symbench.errors import NotInRing
from symbench.exact.primes import residue, residues_of_inverses, word_prime
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
    """What ZZ, QQ and GF(p) share: FLINT computes, and its numbers are turned into elements."""

    @abstractmethod
    def _element(self, number: Any) -> Element:
        """A FLINT number of this ring as an element."""

    def __getitem__(self, variables: str | tuple[str, ...]) -> Polynomials:
        """The polynomials over this ring in the named variables."""
        from symbench.exact.polynomials import Polynomials

        return Polynomials(self, variables if isinstance(variables, tuple) else (variables,))

    @property
    def scalars(self) -> DenseRing:
        return self

    def encode(self, element: Element) -> str:
        """The number in a string."""
        return number_text(element)

    def text(self, element: Element) -> str:
        """The number in decimal, at any length."""
        return number_text(element)

    def decode(self, data: Any) -> Element:
        """The number behind a string, and nothing but a string."""
        return self.coerce(stored_number(data))

    def table(self, rep: Rep) -> Sequence[Sequence[Element]]:
        return [[self._element(x) for x in row] for row in rep.table()]

    def entry(self, rep: Rep, i: int, j: int) -> Element:
        return self._element(rep[i, j])

    def submatrix(self, a: Rep, rows: Sequence[int], columns: Sequence[int]) -> Rep:
        # FLINT's own numbers, which need not become elements
        return self.rep([[a[i, j] for j in columns] for i in rows], (len(rows), len(columns)))

    def equal(self, a: Rep, b: Rep) -> bool:
        return bool(a == b)

    def add(self, a: Rep, b: Rep) -> Rep:
        return a + b

    def subtract(self, a: Rep, b: Rep) -> Rep:
        return a - b

    def multiply(self, a: Rep, b: Rep, shape: Shape) -> Rep:
        return a * b

    def transpose(self, a: Rep, shape: Shape) -> Rep:
        return a.transpose()

    def rank(self, a: Rep, shape: Shape) -> int:
        return int(a.rank())

    def det(self, a: Rep, size: int) -> Element:
        return self._element(a.det()) if size else self.coerce(1)

    def charpoly(self, a: Rep, size: int) -> Vector:
        return tuple(map(self._element, a.charpoly().coeffs()))

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        echelon, rank = a.rref()
        columns = pivots(echelon, rank)
        basis = []
        for j in sorted(set(range(shape[1])) - set(columns)):
            vector = [self.coerce(int(k == j)) for k in range(shape[1])]
            for row, column in enumerate(columns):
                if echelon[row, j] != 0:
                    vector[column] = self._element(-echelon[row, j])
            basis.append(tuple(vector))
        return tuple(basis)

    def solve(self, a: Rep, b: Rep) -> Rep:
        try:
            return a.solve(b)
        except ZeroDivisionError:
            raise singular() from None

    def evaluate(self, a: Rep, shape: Shape, point: Mapping[str, Any]) -> tuple[Ring, Rep]:
        """Numbers are their own values, at the point without variables."""
        self.check_point(point)
        return self, a


@attrs.frozen(repr=False)
class _Integers(DenseRing):
    """The ring of integers; elements are ints."""

    def __repr__(self) -> str:
        return "ZZ"

    def _symbol(self) -> str:
        return r"\mathbb{Z}"

    __reduce__ = to_json = __repr__

    def fraction_field(self) -> Ring:
        return QQ

    def coerce(self, value: Any) -> int:
        number = exact_number(value)
        if number.denominator != 1:
            raise NotInRing(f"{shown(number)} is not an integer: use ring=QQ")
        return int(number)

    def _element(self, number: Any) -> int:
        return int(number)

    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        return flint.fmpz_mat(*shape, [x for row in rows for x in row])

    def scale(self, factor: Element, a: Rep) -> Rep:
        return a if factor == 1 else a * flint.fmpz(factor)

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        return tuple(primitive(v) for v in QQ.nullspace(flint.fmpq_mat(a), shape))

    def solve(self, a: Rep, b: Rep) -> Rep:
        return QQ.solve(flint.fmpq_mat(a), flint.fmpq_mat(b))

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        return PrimeField(prime), flint.nmod_mat(a, prime)


@attrs.frozen(repr=False)
class _Rationals(DenseRing):
    """The field of rationals; elements are Rational, a Fraction that prints as p/q."""

    def __repr__(self) -> str:
        return "QQ"

    def _symbol(self) -> str:
        return r"\mathbb{Q}"

    __reduce__ = to_json = __repr__

    def coerce(self, value: Any) -> Rational:
        return Rational(exact_number(value))

    def _element(self, number: Any) -> Rational:
        return rational(number)

    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        return flint.fmpq_mat(*shape, [fmpq(x) for row in rows for x in row])

    def scale(self, factor: Element, a: Rep) -> Rep:
        return a * fmpq(factor)

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        # Entry by entry: a common denominator of a whole matrix can be enormous.
        numbers = a.entries()
        try:
            below = residues_of_inverses([int(x.q) for x in numbers], prime)
        except ValueError:  # name the entry that has no image
            below = [residue(Rational(int(x.p), int(x.q)), prime) for x in numbers]
        entries = [int(x.p) * y % prime for x, y in zip(numbers, below, strict=True)]
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

    def _symbol(self) -> str:
        return rf"\mathbb{{F}}_{{{self.modulus}}}"

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

    def _element(self, number: Any) -> int:
        return int(number)

    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        return flint.nmod_mat(*shape, [x for row in rows for x in row], self.modulus)

    def scale(self, factor: Element, a: Rep) -> Rep:
        return a * factor

    def power(self, element: Element, exponent: int) -> int:
        return pow(element, exponent, self.modulus)

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


def pivots(echelon: Rep, rank: int) -> tuple[int, ...]:
    """The pivot columns of a FLINT matrix in row echelon form."""
    found, column = [], 0
    for row in range(rank):
        while echelon[row, column] == 0:
            column += 1
        found.append(column)
    return tuple(found)


def pivot_columns(matrix: Rep) -> tuple[int, ...]:
    """The pivot columns of a FLINT matrix over a field."""
    return pivots(*matrix.rref())


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
