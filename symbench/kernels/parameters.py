"""Parameters: the exact numbers that kernels and activations are given."""

from __future__ import annotations

from typing import Any

from symbench._arguments import integer, shown
from symbench.errors import BadType, BadValue, UnknownName
from symbench.exact import Rational
from symbench.exact.rational import exact_number


def exact_parameter(value: Any, what: str, *, at_least: int | None = None) -> Rational:
    """The rational number that value stands for, or an error that names the argument.

    >>> exact_parameter("1/2", "alpha")
    1/2
    >>> exact_parameter(True, "alpha")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: alpha is True: give an exact number such as 2 or '1/2'
    >>> exact_parameter(-1, "alpha", at_least=0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: alpha is -1: give a number of at least 0
    """
    if isinstance(value, bool) or value is None:
        raise BadType(f"{what} is {value!r}: give an exact number such as 2 or '1/2'")
    number = Rational(exact_number(value))
    if at_least is not None and number < at_least:
        raise BadValue(f"{what} is {number}: give a number of at least {at_least}")
    return number


def whole_parameter(value: Any, what: str, *, at_least: int) -> int:
    """The integer that value stands for, or an error that names the argument.

    >>> whole_parameter(False, "layers", at_least=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: layers is False: give an integer
    """
    if isinstance(value, bool):
        raise BadType(f"{what} is {value!r}: give an integer")
    return integer(value, what, at_least=at_least)


def yes_or_no(value: Any, what: str) -> bool:
    """value itself, if it is True or False.

    >>> yes_or_no(1, "incidence")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: incidence is 1: give True or False
    """
    if not isinstance(value, bool):
        raise BadType(f"{what} is {value!r}: give True or False")
    return value


def one_of(value: Any, what: str, names: tuple[str, ...]) -> str:
    """value itself, if it is one of the names.

    >>> one_of("mean", "the readout", ("sum", "last"))
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the readout is 'mean': give one of sum, last
    """
    if not isinstance(value, str) or value not in names:
        raise UnknownName(f"{what} is {shown(value)}: give one of {', '.join(names)}")
    return value


def number_source(value: Rational) -> str:
    """value as a Python expression: 2, or '1/2' in quotes.

    >>> print(number_source(Rational(2)), number_source(Rational(1, 2)))
    2 '1/2'
    """
    return str(value) if value.denominator == 1 else repr(str(value))
