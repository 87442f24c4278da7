"""Bounds of strategies, read by one grammar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symbench._arguments import integer, sequence, shown
from symbench.errors import BadType, BadValue, TooLarge

_MOST = 1000


def bounds(least: Any, most: Any, what: str, *, floor: int = 0) -> tuple[int, int]:
    """The two bounds min_ and max_ of something, in their order.

    >>> bounds(2, 1, "size")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: min_size=2 is greater than max_size=1; exchange them
    >>> bounds(0, 10**9, "size")
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: max_size=1000000000 is too much for an example; take 1000 at most
    """
    low = integer(least, f"min_{what}", at_least=floor)
    high = integer(most, f"max_{what}", at_least=floor)
    if low > high:
        raise BadValue(
            f"min_{what}={shown(low)} is greater than max_{what}={shown(high)}; exchange them"
        )
    if high > _MOST:
        raise TooLarge(f"max_{what}={shown(high)} is too much for an example; take {_MOST} at most")
    return low, high


def chosen(kinds: Any, known: Iterable[type], default: Iterable[type]) -> tuple[type, ...]:
    """The classes that are asked for: None for the default ones, one class, or several.

    >>> chosen(int, [int, bool], [bool]), chosen(None, [int, bool], [bool])
    ((<class 'int'>,), (<class 'bool'>,))
    >>> chosen([str], [int, bool], [bool])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the kinds have str: give some of int, bool
    """
    if kinds is None:
        return tuple(default)
    found = (kinds,) if isinstance(kinds, type) else sequence(kinds, "kinds", "a list of classes")
    if not found:
        raise BadValue("kinds is empty: give a class, or leave it out")
    listed = list(known)
    for kind in found:
        if not isinstance(kind, type):
            raise BadType(f"a kind is {shown(kind)}: give a class")
        if kind not in listed:
            names = ", ".join(one.__name__ for one in listed)
            raise BadValue(f"the kinds have {kind.__name__}: give some of {names}")
    return tuple(dict.fromkeys(found))
