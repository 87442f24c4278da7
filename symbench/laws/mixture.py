"""Mixtures of laws of independent tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import attrs

from symbench._arguments import sequence, shown
from symbench.errors import BadShape, BadType
from symbench.exact import Rational
from symbench.laws.base import ByCounts, Counts, distribution, source
from symbench.laws.iid import Iid

T = TypeVar("T")


def weighted(components: Any, kind: type[T]) -> tuple[tuple[Rational, T], ...]:
    """Pairs of a weight and a law of one kind: the weights add up to 1, the laws fit together."""
    give = f"a list of pairs (weight, {kind.__name__})"
    found = sequence(components, "the mixture", give)
    for item in found:
        if not isinstance(item, (list, tuple)) or len(item) != 2 or not isinstance(item[1], kind):
            raise BadType(f"a component of the mixture is {shown(item)}: give {give}")
    weights = distribution([weight for weight, _ in found], "the list of weights")
    tokens = sorted({law.vocabulary for _, law in found})
    if len(tokens) != 1:
        raise BadShape(f"the laws have vocabularies of {tokens} tokens: give equal ones")
    return tuple(zip(weights, (law for _, law in found), strict=True))


@attrs.frozen(init=False, repr=False)
class Mixture(ByCounts):
    """A mixture of laws of independent tokens: one of them is drawn, then all tokens from it.

    >>> law = Mixture([("1/4", Iid("1/2", "1/2")), ("3/4", Iid(1, 0))])
    >>> law.probability((0, 0)), law.probability((0, 1))
    (13/16, 1/16)
    >>> Mixture([("1/4", Iid("1/2", "1/2"))])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the list of weights adds up to 1/4: give numbers that add up to 1
    """

    components: tuple[tuple[Rational, Iid], ...]

    def __init__(self, components: Any) -> None:
        if isinstance(components, Mapping):
            components = [(weight, law) for law, weight in components.items()]
        self.__attrs_init__(weighted(components, Iid))

    def __repr__(self) -> str:
        inside = ", ".join(f"({source(weight)}, {law!r})" for weight, law in self.components)
        return f"Mixture([{inside}])"

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return self.components[0][1].vocabulary

    @property
    def length(self) -> None:
        """None: the law is one of every length."""

    def of_counts(self, counts: Counts) -> Rational:
        """The probability of each word with these token counts."""
        return Rational(sum(weight * law.of_counts(counts) for weight, law in self.components))
