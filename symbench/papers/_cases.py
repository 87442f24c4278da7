"""Which values are cases of a statement: predicates that answer for anything a file may hold.

A claim's `applies` is put together from these. None of them raises: what is no case at all is
just not one. How long a case may take is no hypothesis; a claim's function says `at_most`.

>>> pairs = record(integer(1), one_of("sum", "last"))
>>> pairs((3, "sum")), pairs((0, "sum")), pairs((3, "sum", 1)), pairs(None)
(True, False, False, False)
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from symbench._arguments import shown
from symbench.errors import Undecided

Predicate = Callable[[Any], bool]


def at_most(size: int, most: int, what: str) -> None:
    """Undecided, if a case has more of something than is gone through here.

    >>> at_most(3, 2, "templates")
    Traceback (most recent call last):
    ...
    symbench.errors.Undecided: templates: 3 is more than the 2 that are gone through
    """
    if size > most:
        raise Undecided(f"{what}: {shown(size)} is more than the {most:,} that are gone through")


# --- shapes ---------------------------------------------------------------------------------------
def integer(least: int | None = None) -> Predicate:
    """Integers, of at least this much.

    >>> integer(0)(2), integer(0)(-1), integer(0)(True)
    (True, False, False)
    """
    return lambda value: type(value) is int and (least is None or value >= least)


def number(
    least: Any = None, *, most: Any = None, above: Any = None, below: Any = None
) -> Predicate:
    """Rational numbers between bounds; they are reached, `above` and `below` are not.

    >>> number(above=0)(Fraction(1, 2)), number(above=0)(0), number()("1/2")
    (True, False, False)
    """

    def check(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            return False
        return (
            (least is None or value >= least)
            and (most is None or value <= most)
            and (above is None or value > above)
            and (below is None or value < below)
        )

    return check


def one_of(*values: Any) -> Predicate:
    """These values alone: 1 is not True."""
    return lambda value: any(type(value) is type(known) and value == known for known in values)


def is_text(value: Any) -> bool:
    """Strings that are not empty.

    >>> is_text("AB*"), is_text(""), is_text(("A", "B"))
    (True, False, False)
    """
    return type(value) is str and len(value) > 0


def many(field: Predicate, least: int = 1) -> Predicate:
    """Tuples of such values, at least so many."""
    return lambda value: type(value) is tuple and len(value) >= least and all(map(field, value))


def record(*fields: Predicate, where: Callable[..., bool] | None = None) -> Predicate:
    """Tuples with these fields; `where` is asked of their values if they have this shape.

    >>> record(integer(), integer(), where=lambda n, m: m <= n)((1, 2))
    False
    """

    def check(value: Any) -> bool:
        if type(value) is not tuple or len(value) != len(fields):
            return False
        if not all(field(x) for field, x in zip(fields, value, strict=True)):
            return False
        return where is None or bool(where(*value))

    return check


def is_partition(value: Any) -> bool:
    """Whether this is the tuple of the parts of a partition of some n >= 1.

    >>> is_partition((3, 1)), is_partition((1, 3)), is_partition(())
    (True, False, False)
    """
    return many(integer(1))(value) and list(value) == sorted(value, reverse=True)


# --- strategies -----------------------------------------------------------------------------------
def drawn(build: Callable[[Any], Any]) -> Callable[[], Any]:
    """A claim's strategy, built of `hypothesis.strategies` when it is asked for."""

    def strategy() -> Any:
        from hypothesis import strategies

        return build(strategies)

    return strategy
