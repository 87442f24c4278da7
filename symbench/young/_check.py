"""What a public function of this room does with its arguments before it believes them."""

from __future__ import annotations

import operator
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from symbench.errors import BadType, BadValue, NotExact
from symbench.exact.rational import exact_number

# FLINT takes machine words for its binomials; nothing larger is ever listed here.
WORD = 2**63


def integer(value: object, name: str, *, minimum: int | None = None) -> int:
    """The value as an int, or an error that names the argument."""
    if isinstance(value, float):
        raise NotExact(f"{name} is the float {value!r}, expected an integer: write int(...) of it")
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadType(f"{name} is {value!r} ({type(value).__name__}), expected an integer")
    number = operator.index(value)
    if minimum is not None and number < minimum:
        raise BadValue(f"{name} is {number}, expected at least {minimum}")
    return number


def exact(value: object, name: str) -> Fraction:
    """The value as a Fraction; floats are refused with the remedy."""
    if isinstance(value, bool):
        raise BadType(f"{name} is {value!r}, expected an exact number")
    return Fraction(exact_number(value))


def sequence(value: object, name: str) -> tuple[Any, ...]:
    """The items of any iterable that is not text, as a tuple."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise BadType(f"{name} is {value!r} ({type(value).__name__}), expected a sequence")
    return tuple(value)


def integers(value: object, name: str, *, minimum: int | None = None) -> tuple[int, ...]:
    """The items of a sequence, each an integer."""
    return tuple(
        integer(item, f"an entry of {name}", minimum=minimum) for item in sequence(value, name)
    )


def generator(seed: object) -> random.Random:
    """A random generator: from None (unseeded), an integer, or one that is passed on."""
    if isinstance(seed, random.Random):
        return seed
    if seed is None:
        return random.Random()
    return random.Random(integer(seed, "seed"))


def choice(value: object, name: str, allowed: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str):
        raise BadType(f"{name} is {value!r}, expected one of {', '.join(map(repr, allowed))}")
    if value not in allowed:
        raise BadValue(f"{name} is {value!r}, expected one of {', '.join(map(repr, allowed))}")
    return value
