"""Arguments, read by one grammar: "X is Y: give Z", and one exception for each mistake.

A wrong type raises BadType (a float where an integer is meant NotExact), a value out of range
BadValue, an unknown name UnknownName. TooLarge is for what would cost too much, and nothing else.
Exact numbers are read by `symbench.exact.rational.exact_number`.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast
from warnings import warn

from symbench.errors import BadType, BadValue, NotExact, SymbenchError, TooLarge, UnknownName

if TYPE_CHECKING:
    import random
    from pathlib import Path

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def shown(value: object) -> str:
    """What was given, for a message: its repr, cut to a line, and never an error of its own.

    >>> shown([1, 2]), shown(10**5000), len(shown("α" * 1000))
    ('[1, 2]', 'an integer of about 5000 digits', 77)
    """
    # Python refuses to print integers of more than 4300 digits.
    if isinstance(value, int) and value.bit_length() > 3000:
        return f"an integer of about {value.bit_length() * 30103 // 100000} digits"
    try:
        text = repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:60]} ... {text[-12:]}"


def visible(text: str) -> str:
    r"""The text on one line: what cannot be printed, a line break too, stands there by its number.

    >>> print(visible("αβ\x1b[31m\nchecked"))
    αβ\x1b[31m\nchecked
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def integer(
    value: Any,
    what: str,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    limit: int | None = None,
) -> int:
    """The int that value stands for; at_least and at_most are bounds of sense, limit one of cost.

    >>> integer("3", "order")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: order is '3': give an integer
    >>> integer(99, "the place", at_least=1, at_most=3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the place is 99: give an integer of at most 3
    >>> integer(10**9, "the length", limit=1000)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: the length is 1000000000: ask for at most 1,000
    """
    if isinstance(value, float):
        raise NotExact(f"{what} is {shown(value)}, a float: give an integer")
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadType(f"{what} is {shown(value)}: give an integer")
    try:
        number = operator.index(value)
    except TypeError:  # an array with __index__ and more than one entry
        raise BadType(f"{what} is {shown(value)}: give an integer") from None
    if at_least is not None and number < at_least:
        raise BadValue(f"{what} is {shown(number)}: give an integer of at least {at_least}")
    if at_most is not None and number > at_most:
        raise BadValue(f"{what} is {shown(number)}: give an integer of at most {at_most:,}")
    if limit is not None and number > limit:
        raise TooLarge(f"{what} is {shown(number)}: ask for at most {limit:,}")
    return number


def sequence(value: Any, what: str, give: str = "a list") -> tuple[Any, ...]:
    """The items of anything but a text or a dictionary that can be gone through.

    >>> sequence(range(3), "lengths")
    (0, 1, 2)
    >>> sequence("abc", "lengths", "a list such as [4, 8]")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: lengths is 'abc': give a list such as [4, 8]
    """
    if not isinstance(value, (str, bytes, Mapping)):
        with suppress(TypeError):  # an array without dimensions has __iter__ all the same
            return tuple(value)
    raise BadType(f"{what} is {shown(value)}: give {give}")


def integers(value: Any, what: str, *, at_least: int | None = None) -> tuple[int, ...]:
    """The items of a sequence, each an integer.

    >>> integers([4, -1], "lengths", at_least=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: an entry of lengths is -1: give an integer of at least 1
    """
    items = sequence(value, what, "a list of integers")
    return tuple(integer(item, f"an entry of {what}", at_least=at_least) for item in items)


def mapping(value: Any, what: str, give: str = "a dictionary") -> Mapping[Any, Any]:
    """The value itself, if it is a mapping.

    >>> mapping([1], "the element", "a dictionary from permutations to numbers")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the element is [1]: give a dictionary from permutations to numbers
    """
    if not isinstance(value, Mapping):
        raise BadType(f"{what} is {shown(value)}: give {give}")
    return value


def choice(value: Any, what: str, names: Iterable[str]) -> str:
    """The value itself, if it is one of the names.

    >>> choice("mean", "the readout", ("sum", "last"))
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the readout is 'mean': give one of sum, last
    """
    listed = tuple(names)
    if not isinstance(value, str) or value not in listed:
        raise UnknownName(f"{what} is {shown(value)}: give one of {', '.join(listed)}")
    return value


def flag(value: Any, what: str) -> bool:
    """The value itself, if it is True or False.

    >>> flag(1, "causal")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: causal is 1: give True or False
    """
    if not isinstance(value, bool):
        raise BadType(f"{what} is {shown(value)}: give True or False")
    return value


def path(value: Any, what: str = "the path") -> Path:
    """A file name as a Path.

    >>> path(3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the path is 3: give a file name
    """
    from pathlib import Path

    if not isinstance(value, (str, os.PathLike)):
        raise BadType(f"{what} is {shown(value)}: give a file name")
    return Path(value)


def instance(value: Any, kind: type[T], what: str, give: str) -> T:
    """The value itself, if it is of the kind.

    >>> instance("αα", int, "the template", "a Template such as Template('αβ')")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the template is 'αα': give a Template such as Template('αβ')
    """
    if not isinstance(value, kind):
        raise BadType(f"{what} is {shown(value)}: give {give}")
    return value


def randomness(value: Any, what: str = "the seed", *, unseeded: bool = False) -> random.Random:
    """A random.Random from a seed, from another or from a numpy generator; from None if unseeded.

    >>> randomness(7).randrange(100) == randomness(7).randrange(100)
    True
    >>> randomness(None)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the seed is None: give an integer, a random.Random or a numpy Generator
    """
    import random

    if value is None and unseeded:
        return random.Random()
    if isinstance(value, random.Random):
        return value
    if hasattr(value, "bit_generator"):
        return random.Random(int.from_bytes(value.bytes(32), "big"))
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadType(
            f"{what} is {shown(value)}: give an integer, a random.Random or a numpy Generator"
        )
    return random.Random(integer(value, what))


def function(value: Any, what: str, give: str = "a function") -> Callable[..., Any]:
    """The value itself, if it can be called.

    >>> function(3, "the law", "a function of token counts")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the law is 3: give a function of token counts
    """
    if not callable(value) or isinstance(value, type):
        raise BadType(f"{what} is {shown(value)}: give {give}")
    called: Callable[..., Any] = value
    return called


def call(function: Callable[..., Any], what: str, *arguments: Any) -> Any:
    """What a user's function says; an exception of its own becomes a BadValue that says where.

    >>> call(lambda n: 1 // n, "the kernel", 0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the kernel fails at 0: ZeroDivisionError('integer division or ...
    """
    try:
        return function(*arguments)
    except SymbenchError:
        raise
    except Exception as error:
        where = ", ".join(map(shown, arguments))
        raise BadValue(f"{what} fails at {where}: {error!r}") from error


def renamed(**names: str) -> Callable[[F], F]:
    """A decorator: some keywords are also taken by their former names, with a warning.

    >>> renamed(road="algorithm")(lambda *, algorithm: algorithm)(algorithm="binary")
    'binary'
    """

    def decorate(called: F) -> F:
        @wraps(called)
        def with_former_names(*arguments: Any, **options: Any) -> Any:
            for old, new in names.items():
                if old in options:
                    warn(f"{old}= is now {new}=: use that", DeprecationWarning, stacklevel=2)
                    options[new] = options.pop(old)
            return called(*arguments, **options)

        return cast(F, with_former_names)

    return decorate
