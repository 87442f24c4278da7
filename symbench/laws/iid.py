"""Independent tokens."""

from __future__ import annotations

from math import prod
from typing import Any

import attrs

from symbench._arguments import integer
from symbench.exact import Rational
from symbench.laws.base import ByCounts, Counts, check_counts, distribution, source


@attrs.frozen(init=False, repr=False)
class Iid(ByCounts):
    """The law of independent tokens, all with the same exact probabilities.

    >>> Iid("1/2", "1/2") == Iid.uniform(2)
    True
    >>> Iid("1/2", "1/3", "1/6").probability((0, 0, 2))
    1/24
    >>> Iid("1/2", "1/3")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the list of probabilities adds up to 5/6: give numbers that add up ...
    """

    probabilities: tuple[Rational, ...]

    def __init__(self, *probabilities: Any) -> None:
        given: Any = probabilities
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = given[0]
        self.__attrs_init__(distribution(given, "the list of probabilities"))

    @classmethod
    def uniform(cls, vocabulary: int) -> Iid:
        """The law in which all words are equally likely.

        >>> Iid.uniform(3)
        Iid('1/3', '1/3', '1/3')
        """
        size = integer(vocabulary, "the vocabulary", at_least=1)
        return cls(*[Rational(1, size)] * size)

    def __repr__(self) -> str:
        return f"Iid({', '.join(map(source, self.probabilities))})"

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return len(self.probabilities)

    @property
    def length(self) -> None:
        """None: the law is one of every length."""

    def of_counts(self, counts: Counts) -> Rational:
        """The probability of each word with these token counts.

        >>> Iid("1/3", "2/3").of_counts((1, 2))
        4/27
        """
        pairs = list(zip(self.probabilities, check_counts(counts, self.vocabulary), strict=True))
        above = prod(p.numerator**n for p, n in pairs)
        return Rational(above, prod(p.denominator**n for p, n in pairs))
