"""Chance: one way to ask for randomness, reproducible and without rounding."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, TypeAlias

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, TooLarge

if TYPE_CHECKING:
    import numpy as np

    Rng: TypeAlias = int | random.Random | np.random.Generator


def source_of(rng: Any) -> random.Random:
    """A `random.Random` from a seed, from another, or from a numpy generator.

    >>> source_of(7).randrange(100) == source_of(7).randrange(100)
    True
    >>> source_of(None)
    Traceback (most recent call last):
        ...
    symbench.errors.BadType: rng is a seed (an int), a random.Random or a numpy Generator, not None
    """
    if isinstance(rng, random.Random):
        return rng
    if hasattr(rng, "__index__") and not isinstance(rng, bool):
        return random.Random(rng.__index__())
    if hasattr(rng, "bit_generator"):
        return random.Random(int.from_bytes(rng.bytes(32), "big"))
    raise BadType(f"rng is a seed (an int), a random.Random or a numpy Generator, not {shown(rng)}")


def generator_of(rng: Any) -> np.random.Generator:
    """A numpy generator from a seed, a `random.Random` or another numpy generator.

    >>> int(generator_of(3).integers(10)) == int(generator_of(3).integers(10))
    True
    """
    import numpy as np

    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(source_of(rng).getrandbits(128))


def below(number: int, rng: Any, what: str) -> int:
    """A uniform integer 0, ..., number - 1; `what` names the set that would be empty.

    >>> below(1, 0, "templates")
    0
    """
    if number < 1:
        raise BadValue(f"there are no {what} to draw from")
    return source_of(rng).randrange(number)


LISTABLE = 50_000_000


def listable(number: int, what: str) -> int:
    """The number itself if so many objects can be held in a list, else `TooLarge`.

    >>> listable(10, "templates")
    10
    >>> listable(10**9, "maps")
    Traceback (most recent call last):
        ...
    symbench.errors.TooLarge: maps: 1000000000 cannot be listed; iterate or use .count
    """
    if number > LISTABLE:
        raise TooLarge(f"{what}: {number} cannot be listed; iterate or use .count")
    return number
