"""Exact rational numbers that print as p/q, and the one door through which numbers come in.

>>> exact_number("3/7"), exact_number("-0.25")
(3/7, -1/4)
>>> exact_number(0.5)
Traceback (most recent call last):
...
symbench.errors.NotExact: 0.5 is a float, not an exact number: write '1/2' or Fraction(1, 2)
"""

from __future__ import annotations

import operator
import re
import sys
from fractions import Fraction
from typing import Any

import flint

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, NotExact, NotInRing
from symbench.exact.latex import dollars

_NUMBER = re.compile(r"\s*([+-]?[0-9]+)(?:/([0-9]+))?\s*\Z")
_DECIMAL = re.compile(r"\s*([+-]?[0-9]+)\.([0-9]+)\s*\Z")


class Rational(Fraction):
    """A Fraction that prints as p/q and stays one under arithmetic.

    >>> Rational(1, 2) + 1
    3/2
    >>> Rational(4, 2)
    2
    >>> Rational(1, 2) == Fraction(1, 2) and hash(Rational(1, 2)) == hash(Fraction(1, 2))
    True
    >>> Rational(0.1)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: 0.1 is a float, not an exact number: write '1/10' or Fraction(1, 10)
    """

    __slots__ = ()

    def __new__(cls, numerator: Any = 0, denominator: Any = None) -> Rational:
        # A Fraction takes a float for the binary number that is next to what was written.
        if type(numerator) not in (int, Fraction, Rational):
            numerator = exact_number(numerator)
        if denominator is not None and type(denominator) not in (int, Fraction, Rational):
            denominator = exact_number(denominator)
        return Fraction.__new__(cls, numerator, denominator)

    def __repr__(self) -> str:
        return number_text(self)

    __str__ = __repr__

    def _repr_latex_(self) -> str:
        return dollars(self)

    def __reduce__(self) -> tuple[type[Rational], tuple[int, int]]:
        return Rational, (self.numerator, self.denominator)


def _closed(name: str) -> Any:
    """The Fraction operation `name`, its rational results turned into Rational."""
    plain = getattr(Fraction, name)

    def method(self: Rational, *others: Any) -> Any:
        result = plain(self, *others)
        return Rational(result) if type(result) is Fraction else result

    method.__name__ = name
    return method


for _name in ("add", "sub", "mul", "truediv", "mod", "pow"):
    for _side in ("", "r"):
        setattr(Rational, f"__{_side}{_name}__", _closed(f"__{_side}{_name}__"))
for _name in ("neg", "pos", "abs"):
    setattr(Rational, f"__{_name}__", _closed(f"__{_name}__"))


def rational(value: flint.fmpq) -> Rational:
    """The Rational equal to a FLINT rational (or integer)."""
    value = flint.fmpq(value)
    return Rational(int(value.p), int(value.q))


def fmpq(value: int | Fraction) -> flint.fmpq:
    """The FLINT rational equal to an int or Fraction."""
    return flint.fmpq(value.numerator, value.denominator)


def number_text(value: int | Fraction) -> str:
    """The number in decimal, at any length (Python itself stops at 4,300 digits).

    >>> number_text(Fraction(6, 4)), len(number_text(10**5000))
    ('3/2', 5001)
    """
    return str(fmpq(value))


def is_sympy(value: object) -> bool:
    """Whether value is a sympy object, told without importing sympy."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def exact_number(value: Any) -> int | Rational:
    """The exact number that value stands for; an int where it was written as an integer.

    >>> exact_number("-12"), exact_number(Fraction(6, 4)), exact_number("0.1")
    (-12, 3/2, 1/10)
    >>> exact_number("x")
    Traceback (most recent call last):
    ...
    symbench.errors.NotInRing: 'x' is not a number: write '12', '3/7' or '0.5'
    """
    if isinstance(value, bool):
        raise BadType(f"{shown(value)} is a bool, not a number: write {int(value)}")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction):
        return Rational(value)
    if isinstance(value, str):
        decimal = _DECIMAL.match(value)
        if decimal:
            return _from_decimal(*decimal.groups())
        return _from_text(value, "a number: write '12', '3/7' or '0.5'")
    if isinstance(value, flint.fmpz):
        return int(value)
    if isinstance(value, flint.fmpq):
        return rational(value)
    if isinstance(value, float):
        raise NotExact(f"{value!r} is a float, not an exact number: write {_remedy(value)}")
    if is_sympy(value) and value.is_Rational:
        return int(value) if value.is_Integer else Rational(int(value.p), int(value.q))
    try:
        return operator.index(value)
    except TypeError:
        pass
    if is_sympy(value) or isinstance(value, (complex, flint.arb, flint.acb)):
        raise NotExact(
            f"{shown(value)} is not an exact rational number: write an int or a Fraction"
        )
    if hasattr(value, "dtype"):
        raise NotExact(
            f"{shown(value)} is not an integer: symbench computes exactly, write a Fraction"
        )
    raise BadType(
        f"{shown(value)} is a {type(value).__name__}, not a number: "
        "give an int, a Fraction or a string such as '3/7'"
    )


def exact_parameter(value: Any, what: str, *, at_least: int | None = None) -> Rational:
    """The rational number that value stands for, or an error that names the argument.

    >>> exact_parameter("1/2", "alpha")
    1/2
    >>> exact_parameter(None, "alpha")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: alpha is None: give an exact number such as 2 or '1/2'
    >>> exact_parameter(-1, "alpha", at_least=0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: alpha is -1: give a number of at least 0
    """
    if isinstance(value, bool) or value is None:
        raise BadType(f"{what} is {value!r}: give an exact number such as 2 or '1/2'")
    number = Rational(exact_number(value))
    if at_least is not None and number < at_least:
        raise BadValue(f"{what} is {shown(number)}: give a number of at least {at_least}")
    return number


def number_source(value: Fraction) -> str:
    """The number as a Python expression: 2, or '1/2' in quotes, for 1/2 would be a float.

    >>> print(number_source(Rational(2)), number_source(Rational(1, 2)))
    2 '1/2'
    """
    return str(value) if value.denominator == 1 else repr(str(value))


def stored_number(text: Any) -> int | Rational:
    """The number behind a string in a file: '12' or '3/7', one way to write it and no other.

    >>> stored_number("0.5")
    Traceback (most recent call last):
    ...
    symbench.errors.NotInRing: '0.5' is not a number in a file: write '12' or '3/7'
    """
    if not isinstance(text, str):
        raise NotInRing(f"{shown(text)} should be a number in a string, such as '3/7'")
    return _from_text(text, "a number in a file: write '12' or '3/7'")


def _from_decimal(whole: str, digits: str) -> Rational:
    return Rational(int(flint.fmpz((whole + digits).lstrip("+"))), 10 ** len(digits))


def _from_text(text: str, expected: str) -> int | Rational:
    found = _NUMBER.match(text)
    if found is None:
        raise NotInRing(f"{shown(text)} is not {expected}")
    numerator, denominator = int(flint.fmpz(found[1].lstrip("+"))), found[2]
    if denominator is None:
        return numerator
    bottom = int(flint.fmpz(denominator))
    if bottom == 0:
        raise NotInRing(f"{shown(text)} has denominator zero")
    return Rational(numerator, bottom)


def _remedy(value: float) -> str:
    """How to write a float exactly, in words."""
    if value != value or value in (float("inf"), float("-inf")):
        return "a finite exact number"
    fraction = Fraction(str(value))
    if fraction.denominator == 1:
        return f"{fraction.numerator}"
    return f"'{fraction}' or Fraction({fraction.numerator}, {fraction.denominator})"
