"""Numbers of a task (labels, probabilities): exact ones in, and how a repr writes them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, NotExact, NotInRing
from symbench.exact import QQ, Rational
from symbench.exact.rational import exact_number


def exact(number: Any, what: str) -> Rational:
    """The number itself, exactly; a float is refused, and so is text.

    >>> exact(2, "a label"), exact(Fraction(1, 3), "a label")
    (2, 1/3)
    >>> exact(0.5, "a weight")
    Traceback (most recent call last):
        ...
    symbench.errors.NotExact: a weight: 0.5 is a float, not an exact number: write ...
    """
    if isinstance(number, (bool, str)):
        raise BadType(f"{what} is an exact number (int or Fraction), not {shown(number)}")
    try:
        return Rational(exact_number(number))
    except NotExact as error:
        raise NotExact(f"{what}: {error}") from None
    except BadType as error:
        raise BadType(f"{what}: {error}") from None


def from_text(text: Any, what: str) -> Rational:
    """The number that a stored text such as ``"-1/3"`` stands for.

    >>> from_text("-1/3", "a label")
    -1/3
    >>> from_text("0.5", "a label")
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: a label is stored as a text such as '-1/3', not as '0.5'
    """
    try:
        return Rational(QQ.decode(text))
    except NotInRing:
        raise BadValue(f"{what} is stored as a text such as '-1/3', not as {shown(text)}") from None


def typed(number: Fraction) -> int | Fraction:
    """The number as a repr writes it: an int, or a Fraction that evaluates to it."""
    return number.numerator if number.denominator == 1 else Fraction(number)
