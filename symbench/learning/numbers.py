"""Exact numbers among the arguments, and their floats where a computation is one in floats."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from symbench._arguments import sequence, shown
from symbench.errors import BadValue, SymbenchError
from symbench.exact import Rational
from symbench.exact.rational import exact_number

# Numbers outside are not computed with as floats: their squares must not overflow.
_SMALLEST, _LARGEST = 1e-100, 1e100


def number(
    value: Any, what: str, *, at_least: int | None = None, above: int | None = None
) -> Rational:
    """The exact number that value stands for, in its range.

    >>> number("1/2", "the ridge", above=0)
    1/2
    >>> number(0.1, "the ridge", above=0)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: the ridge: 0.1 is a float, not an exact number: write '1/10' or ...
    >>> number(-1, "the noise", at_least=0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the noise is -1: give a number of at least 0
    """
    try:
        found = Rational(exact_number(value))
    except SymbenchError as error:
        raise type(error)(f"{what}: {error}") from None
    if at_least is not None and found < at_least:
        raise BadValue(f"{what} is {shown(found)}: give a number of at least {at_least}")
    if above is not None and found <= above:
        raise BadValue(f"{what} is {shown(found)}: give a number above {above}")
    return found


def numbers(values: Any, what: str) -> tuple[Rational, ...]:
    """Exact numbers, from anything but a text or a dictionary that can be gone through.

    >>> numbers([1, "1/2"], "values")
    (1, 1/2)
    """
    listed = sequence(values, what, "a list of exact numbers")
    return tuple(number(value, f"an entry of {what}") for value in listed)


def as_float(value: Fraction, what: str, *, divides: bool = False) -> float:
    """A number as a float, or an error that names it where floats cannot hold its square.

    >>> as_float(Rational(1, 10**200), "the ridge", divides=True)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the ridge is 1/1000...: the part in floats takes numbers from ...
    """
    try:
        found = float(value)
    except OverflowError:
        found = inf
    if abs(found) > _LARGEST or (divides and found < _SMALLEST):
        raise BadValue(
            f"{what} is {shown(value)}: the part in floats takes numbers from {_SMALLEST:g} to "
            f"{_LARGEST:g}; multiply the kernel and the ridge, or the target, by a number"
        )
    return found
