"""FloatValue: a float that says how many of its digits are known."""

from __future__ import annotations

import attrs

from symbench.errors import Undecided
from symbench.exact.latex import dollars

# Doubles add up to about this many digits.
MOST_DIGITS = 13


def check_digits(digits: int) -> None:
    """Refuse digits that doubles do not have."""
    if digits > MOST_DIGITS:
        raise Undecided(f"{digits} digits are out of reach of doubles: {MOST_DIGITS} can be had")


@attrs.frozen
class FloatValue:
    """A float, and how many of its significant digits two different computations share.

    >>> value = FloatValue(0.123456789, 5)
    >>> print(value)
    0.12346
    >>> float(value), value.exactness, value == FloatValue(value=0.123456789, digits=5)
    (0.123456789, 'float', True)
    """

    value: float
    digits: int

    exactness = "float"

    def __float__(self) -> float:
        return self.value

    def _repr_latex_(self) -> str:
        return dollars(self)

    def __str__(self) -> str:
        return f"{self.value:.{self.digits}g}"
