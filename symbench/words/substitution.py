"""Substitution: an injective map from wildcards to tokens; Substitutions: all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from math import perm
from typing import Any, ClassVar

import attrs

from symbench import _arguments
from symbench._arguments import instance, shown
from symbench._listing import Listing
from symbench.errors import BadValue, UnknownName
from symbench.words.latex import letter_latex
from symbench.words.letters import is_wildcard_name, read, read_alphabet

_PAIRS = 20  # that a notebook shows


@attrs.frozen(init=False, repr=False)
class Substitution(Mapping[str, str]):
    """A substitution map: each wildcard to a token, two wildcards never to the same one.

    It is a mapping: ``s["α"]``, ``dict(s)``, ``len(s)``.

    >>> s = Substitution({"α": "Q", "β": "R"})
    >>> s
    Substitution({'α': 'Q', 'β': 'R'})
    >>> s["β"], sorted(s.image)
    ('R', ['Q', 'R'])
    >>> Substitution({"α": "Q", "β": "Q"})
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: not injective: α and β both go to Q: give each a token of its own
    """

    pairs: tuple[tuple[str, str], ...]

    def __init__(self, mapping: Mapping[str, str]) -> None:
        give = "a mapping from wildcards to tokens such as {'α': 'Q'}"
        _arguments.mapping(mapping, "the substitution", give)
        origin: dict[str, str] = {}
        keys = read(list(mapping), "the domain of a substitution")
        for wildcard in keys:
            (token,) = read([mapping[wildcard]], "the image of a substitution")
            if is_wildcard_name(token):
                raise BadValue(
                    f"{wildcard} goes to the wildcard {token}: give a token, it goes to tokens"
                )
            if token in origin:
                raise BadValue(
                    f"not injective: {origin[token]} and {wildcard} both go to {token}: "
                    "give each a token of its own"
                )
            origin[token] = wildcard
        self.__attrs_init__(tuple(sorted((w, t) for t, w in origin.items())))

    def __getitem__(self, wildcard: str) -> str:
        for source, token in self.pairs:
            if source == wildcard:
                return token
        known = ", ".join(source for source, _ in self.pairs) or "none"
        raise UnknownName(f"the substitution does not map {shown(wildcard)}: give one of {known}")

    def __iter__(self) -> Iterator[str]:
        return (source for source, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Substitution({dict(self.pairs)!r})"

    def __str__(self) -> str:
        return ", ".join(f"{source} -> {token}" for source, token in self.pairs) or "(empty)"

    def _repr_latex_(self) -> str:
        maps = [
            rf"{letter_latex(w, [w])} \mapsto {letter_latex(t)}" for w, t in self.pairs[:_PAIRS]
        ]
        maps += [r"\ldots"] if len(self.pairs) > _PAIRS else []
        shown = ", ".join(maps) or r"\emptyset"
        return f"${shown}$"

    @property
    def image(self) -> frozenset[str]:
        """The tokens that are put for wildcards.

        >>> sorted(Substitution({"α": "Q", "β": "R"}).image)
        ['Q', 'R']
        """
        return frozenset(token for _, token in self.pairs)

    def compose(self, after: Mapping[str, str]) -> Substitution:
        """Apply this map, then rename tokens; those that the renaming does not name stay.

        >>> s = Substitution({"α": "Q", "β": "R"})
        >>> s.compose({"Q": "R", "R": "Q"})
        Substitution({'α': 'R', 'β': 'Q'})
        >>> s.compose({"Q": "R"})
        Traceback (most recent call last):
            ...
        symbench.errors.BadValue: not injective: α and β both go to R: give each a token of its own
        """
        _arguments.mapping(after, "the renaming", "a mapping of tokens to tokens")
        return Substitution({w: after.get(t, t) for w, t in self.pairs})

    def to_json(self) -> dict[str, str]:
        """The map as a plain dictionary.

        >>> Substitution({"α": "Q"}).to_json()
        {'α': 'Q'}
        """
        return dict(self.pairs)

    @classmethod
    def from_json(cls, data: Any) -> Substitution:
        """The map that `to_json` wrote; anything else is refused.

        >>> Substitution.from_json({"α": "Q"})
        Substitution({'α': 'Q'})
        """
        return cls(data)


@attrs.frozen(init=False, repr=False)
class Substitutions(Listing[Substitution]):
    """All substitution maps of some wildcards into an alphabet, lazily, in lexicographic order.

    Nothing is listed: `count`, indexing by rank, `rank` and `random` cost no more for an alphabet
    of a million tokens.

    >>> maps = Substitutions("αβ", "PQR")
    >>> maps.count, maps[0], maps[5]
    (6, Substitution({'α': 'P', 'β': 'Q'}), Substitution({'α': 'R', 'β': 'Q'}))
    >>> maps.rank(maps[4]), maps.random(1) in maps
    (4, True)
    >>> [str(s) for s in maps][:2]
    ['α -> P, β -> Q', 'α -> P, β -> R']
    >>> Substitutions("αβ", 1).count
    0
    >>> Substitutions("αβ", 1).random(1)
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: Substitutions(['α', 'β'], ['A']) is empty: there is nothing to ...
    """

    _longest: ClassVar[int] = 50_000_000
    wildcards: tuple[str, ...]
    alphabet: tuple[str, ...]

    def __init__(self, wildcards: Any, alphabet: Any) -> None:
        names = tuple(dict.fromkeys(read(wildcards, "the wildcards")))
        self.__attrs_init__(names, read_alphabet(alphabet, avoid=names))

    def __repr__(self) -> str:
        return f"Substitutions({list(self.wildcards)!r}, {list(self.alphabet)!r})"

    @property
    def count(self) -> int:
        """The number of maps, m (m - 1) ... (m - w + 1); none if the alphabet is too small.

        >>> Substitutions("αβγ", 1000).count
        997002000
        """
        return perm(len(self.alphabet), len(self.wildcards))

    def __iter__(self) -> Iterator[Substitution]:
        for image in permutations(self.alphabet, len(self.wildcards)):
            yield Substitution(dict(zip(self.wildcards, image, strict=True)))

    def __contains__(self, substitution: object) -> bool:
        return (
            isinstance(substitution, Substitution)
            and set(substitution) == set(self.wildcards)
            and substitution.image <= set(self.alphabet)
        )

    def _at(self, rank: int) -> Substitution:
        free = list(self.alphabet)
        image = {}
        for done, wildcard in enumerate(self.wildcards, start=1):
            place, rank = divmod(rank, perm(len(free) - 1, len(self.wildcards) - done))
            image[wildcard] = free.pop(place)
        return Substitution(image)

    def rank(self, substitution: Substitution) -> int:
        """The index at which a map stands in this order.

        >>> maps = Substitutions("αβ", 10)
        >>> maps.rank(maps[77])
        77
        """
        instance(substitution, Substitution, "the map", "a Substitution such as one of these")
        if substitution not in self:
            raise BadValue(f"{substitution} is not a map of these wildcards into this alphabet")
        free = list(self.alphabet)
        total = 0
        for done, wildcard in enumerate(self.wildcards, start=1):
            place = free.index(substitution[wildcard])
            total += place * perm(len(free) - 1, len(self.wildcards) - done)
            free.pop(place)
        return total
