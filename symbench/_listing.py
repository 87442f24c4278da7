"""Families too large to list: counted, indexed by rank and drawn from without being listed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar, Generic, TypeVar

from symbench._arguments import integer, randomness, shown
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadValue, TooLarge

T = TypeVar("T", covariant=True)


class Listing(Shown, ABC, Generic[T]):
    """What lazy sequences share; each kind has its own `count`, order and members.

    `list` and `len` are refused above `_longest` members.
    """

    __slots__ = ()
    _longest: ClassVar[int] = 10**9  # `list` asks for the length, and for memory to hold it

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of members, found without listing them."""

    @abstractmethod
    def _at(self, rank: int) -> T:
        """The member with this rank, counted from 0."""

    @abstractmethod
    def __iter__(self) -> Iterator[T]: ...

    @abstractmethod
    def __contains__(self, item: object) -> bool: ...

    def __len__(self) -> int:
        if self.count > self._longest:
            raise TooLarge(
                f"{shown(self)} has {shown(self.count)} members, too many to list: iterate, or ask "
                "for .count"
            )
        return self.count

    def __getitem__(self, index: int) -> T:
        count, rank = self.count, integer(index, "the index")
        if not -count <= rank < count:
            raise BadValue(
                f"the index is {shown(rank)}: {shown(self)} has {shown(count)} members; give an "
                f"integer below {shown(count)}"
            )
        return self._at(rank % count)

    def _view(self) -> View:
        count, first = self.count, list(islice(self, 5))
        named: list[tuple[str, Any]] = [(f"[{rank}]", member) for rank, member in enumerate(first)]
        if count > len(first):
            named.append(("...", f"{shown(count)} in all"))
        return card(shown(self), "" if count else "There are none.", facts(named))

    def random(self, seed: Any = None) -> T:
        """One of the members, all equally likely; the same seed gives the same member."""
        if not self.count:
            raise BadValue(f"{shown(self)} is empty: there is nothing to draw from")
        return self._at(randomness(seed, unseeded=True).randrange(self.count))
