"""Rational: exact numbers in (labels, probabilities), their text out."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

from symbench.errors import BadType, BadValue, NotExact
from symbench.words.letters import quote


def exact(number: Any, what: str) -> Fraction:
    """The number as a Fraction; a float is refused.

    >>> from fractions import Fraction
    >>> from symbench.words.rational import exact
    >>> exact(2, "a label"), exact(Fraction(1, 3), "a label")
    (Fraction(2, 1), Fraction(1, 3))
    >>> exact(0.5, "a weight")
    Traceback (most recent call last):
        ...
    symbench.errors.NotExact: a weight is 0.5, a float; give an exact number such as Fraction(1, 2)
    """
    if isinstance(number, Rational) and not isinstance(number, bool):
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, (float, complex)):
        near = Fraction(1, 2)
        if isinstance(number, float) and isfinite(number):
            near = Fraction(number).limit_denominator(1000)
        raise NotExact(
            f"{what} is {quote(number)}, a {type(number).__name__}; "
            f"give an exact number such as {quote(near)}"
        )
    raise BadType(
        f"{what} is an exact number (int or Fraction), not {quote(number)} "
        f"({type(number).__name__})"
    )


def from_text(text: Any, what: str) -> Fraction:
    """The number that a stored text such as ``"-1/3"`` stands for.

    >>> from symbench.words.rational import from_text
    >>> from_text("-1/3", "a label")
    Fraction(-1, 3)
    >>> from_text("0.5", "a label")
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: a label is stored as a text such as '-1/3', not as '0.5'
    """
    refusal = BadValue(f"{what} is stored as a text such as '-1/3', not as {quote(text)}")
    if not isinstance(text, str):
        raise refusal
    top, slash, bottom = text.partition("/")
    if not top.removeprefix("-").isdecimal() or not top.isascii():
        raise refusal
    if slash and not (bottom.isascii() and bottom.isdecimal() and int(bottom)):
        raise refusal
    return Fraction(int(top), int(bottom or 1))
