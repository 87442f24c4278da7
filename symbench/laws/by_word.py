"""Laws of words in which the order of tokens may matter: one probability for each word.

An exchangeable law fits S_L. For a smaller group the law has to be invariant under that group
only: on a ring a stationary law does not change when the word is rotated; in a word of two segments
each segment may have a law of its own.

>>> sticky = ring_chain([["3/4", "1/4"], ["1/4", "3/4"]], length=3)
>>> sticky.probability((0, 0, 1)), sticky.probability((0, 1, 0)), sticky.probability((0, 0, 0))
(1/24, 1/24, 3/8)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.errors import BadShape, BadType, BadValue, SymbenchError, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, number_text
from symbench.laws.exchangeable import (
    CountsLaw,
    IidLaw,
    Law,
    MixtureLaw,
    count_tokens,
    positive,
    read_law,
    read_word,
    sizes,
)
from symbench.young.position_groups import Group, moved

Word = tuple[int, ...]
# More words than this do not get a probability each.
_WORDS = 100_000


@attrs.frozen(repr=False)
class WordLaw:
    """A law on words of one length, given by the probability of each word.

    `WordLaw.of` takes a dictionary or a function of words.

    >>> law = WordLaw.of({(0, 1): "1/3", (1, 0): "2/3"}, length=2, vocabulary=2)
    >>> law, law.probability((1, 0)), law.probability((1, 1))
    (WordLaw: 2 of 4 words of length 2 over 2 tokens, 2/3, 0)
    >>> WordLaw.of({(0, 1): "1/3"}, length=2, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the probabilities of the words add up to 1/3, not to 1
    """

    length: int
    vocabulary: int
    table: tuple[tuple[Word, Rational], ...]
    _lookup: dict[Word, Rational] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        size, tokens = _word_sizes(self.length, self.vocabulary)
        if not isinstance(self.table, tuple):
            raise BadType(f"the table is {shown(self.table)}: build a law by WordLaw.of(...)")
        found: dict[Word, Rational] = {}
        for row in self.table:
            if not isinstance(row, tuple) or len(row) != 2:
                raise BadType(f"{shown(row)} is not (word, probability)")
            word = _fitting(row[0], size, tokens)
            number = Rational(exact_number(row[1]))
            if number < 0:
                raise BadValue(f"the probability of {word} is {number}: give a number >= 0")
            if word in found:
                raise BadValue(f"the word {word} is given twice")
            found[word] = number
        total = sum(found.values())
        if total != 1:
            raise BadValue(f"the probabilities of the words add up to {total}, not to 1")
        kept = {word: p for word, p in sorted(found.items()) if p}
        object.__setattr__(self, "table", tuple(kept.items()))
        object.__setattr__(self, "_lookup", kept)

    @classmethod
    def of(
        cls,
        probabilities: Mapping[Any, Any] | Callable[[Word], Any],
        *,
        length: int,
        vocabulary: int,
    ) -> WordLaw:
        """The law that gives each word its probability; words left out have probability 0.

        >>> WordLaw.of(lambda word: "1/8", length=3, vocabulary=2).probability((0, 1, 1))
        1/8
        """
        size, tokens = _word_sizes(length, vocabulary)
        if isinstance(probabilities, Mapping):
            rows = [(_fitting(word, size, tokens), p) for word, p in probabilities.items()]
        elif callable(probabilities) and not isinstance(probabilities, type):
            rows = []
            for word in itertools.product(range(tokens), repeat=size):
                try:
                    rows.append((word, probabilities(word)))
                except SymbenchError:
                    raise
                except Exception as error:
                    raise BadValue(f"the law fails at {word}: {error!r}") from error
        else:
            raise BadType(
                f"{shown(probabilities)} is neither a dictionary of words nor a function of a word"
            )
        return cls(size, tokens, tuple(rows))

    def __repr__(self) -> str:
        return (
            f"WordLaw: {len(self.table):,} of {self.vocabulary**self.length:,} words of length "
            f"{self.length} over {self.vocabulary} tokens"
        )

    def probability(self, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        return self._lookup.get(_fitting(word, self.length, self.vocabulary), Rational(0))


def ring_chain(transition: Any, *, length: int) -> WordLaw:
    """A Markov chain on a ring: p(x) is proportional to the product of all P(x_a, x_(a+1)).

    The last place is followed by the first, so the law does not change under rotation. The rows
    of P are exact numbers of at least 0, and need not add up to 1: the sum over all words is the
    trace of P^L.

    >>> law = ring_chain([[2, 1], [1, 1]], length=3)
    >>> law.probability((0, 0, 0)), law.probability((0, 0, 1))
    (4/9, 1/9)
    >>> ring_chain([[0, 1], [1, 0]], length=3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: no word of length 3 is possible: every way around the ring has an \
entry 0
    """
    rows = [
        [Rational(exact_number(p)) for p in _listed(row, "a row of the transition")]
        for row in _listed(transition, "the transition")
    ]
    tokens = len(rows)
    if not tokens or any(len(row) != tokens for row in rows):
        raise BadShape(f"the transition is {shown(transition)}: give a square of numbers")
    low = min(p for row in rows for p in row)
    if low < 0:
        raise BadValue(f"the transition has the negative entry {low}")
    size, _ = _word_sizes(length, tokens)
    chances: dict[Word, Rational] = {}
    for word in itertools.product(range(tokens), repeat=size):
        chance = prod(
            (rows[word[a - 1]][word[a]] for a in range(size)),
            start=Rational(1),
        )
        if chance:
            chances[word] = chance
    total = sum(chances.values())
    if not total:
        raise BadValue(
            f"no word of length {size} is possible: every way around the ring has an entry 0"
        )
    return WordLaw(size, tokens, tuple((w, Rational(p / total)) for w, p in chances.items()))


def segments_law(*segments: Any) -> WordLaw:
    """Independent segments, each with a law of its own: pairs (length, law), law None uniform.

    >>> law = segments_law((2, IidLaw("1/4", "3/4")), (1, IidLaw("1/2", "1/2")))
    >>> law.probability((0, 1, 1)), law.probability((0, 0, 1))
    (3/32, 1/32)
    """
    pairs = []
    for item in segments:
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            raise BadType(f"{shown(item)} is no segment: give pairs (length, law)")
        pairs.append((positive(item[0], "the length of a segment"), item[1]))
    laws = [law for _, law in pairs if isinstance(law, (WordLaw, IidLaw, MixtureLaw, CountsLaw))]
    known = {law.vocabulary for law in laws}
    if len(known) != 1:
        raise BadShape(
            "the laws of the segments have no common vocabulary: give at least one law, and laws "
            "on the same tokens"
        )
    tokens = known.pop()
    size, _ = _word_sizes(sum(n for n, _ in pairs), tokens)
    parts = []
    for n, law in pairs:
        chance = chance_of(read_group_law(law, n, tokens))
        parts.append([(w, chance(w)) for w in itertools.product(range(tokens), repeat=n)])
    rows = (
        (
            tuple(itertools.chain.from_iterable(word for word, _ in chosen)),
            Rational(prod((p for _, p in chosen), start=Rational(1))),
        )
        for chosen in itertools.product(*parts)
    )
    return WordLaw(size, tokens, tuple(row for row in rows if row[1]))


def read_group_law(law: Any, length: int, vocabulary: int) -> Law | WordLaw:
    """The law itself, None for the uniform one; it must fit the length and the vocabulary."""
    if isinstance(law, WordLaw):
        if (law.length, law.vocabulary) != (length, vocabulary):
            raise BadShape(
                f"the law is on words of length {law.length} over {law.vocabulary} tokens, "
                f"expected length {length} over {vocabulary}"
            )
        return law
    return read_law(law, length, vocabulary)


def chance_of(law: Law | WordLaw) -> Callable[[Word], Rational]:
    """The probability of a word under either kind of law."""
    if isinstance(law, WordLaw):
        return law.probability
    return lambda word: law.of_counts(count_tokens(word, law.vocabulary))


def check_law(law: Law | WordLaw, group: Group) -> None:
    """Refuse a law that is not invariant, with the word and the permutation that show it.

    >>> from symbench.young.position_groups import CyclicGroup
    >>> law = WordLaw.of({(0, 0, 1): "1/2", (0, 1, 0): "1/2"}, length=3, vocabulary=2)
    >>> check_law(law, CyclicGroup(3))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the law is not invariant under CyclicGroup(3): p(0, 1, 0) = 1/2, \
and after the rotation by one place p(1, 0, 0) = 0
    """
    if not isinstance(law, WordLaw):
        return  # exchangeable: invariant under every permutation
    for word, chance in law.table:
        for name, move in group.generators:
            image = moved(word, move)
            there = law.probability(image)
            if there != chance:
                raise BadValue(
                    f"the law is not invariant under {group!r}: p{word} = {chance}, and after "
                    f"{name} p{image} = {there}"
                )


def _word_sizes(length: Any, vocabulary: Any) -> tuple[int, int]:
    size, tokens = sizes(length, vocabulary)
    if size > _WORDS or (tokens > 1 and (size > _WORDS.bit_length() or tokens**size > _WORDS)):
        raise TooLarge(
            f"there are {number_text(tokens)}^{number_text(size)} words of {number_text(size)} "
            f"tokens, and at most {_WORDS:,} get a probability each: give an exchangeable law such "
            "as IidLaw, or shorter words"
        )
    return size, tokens


def _fitting(word: Any, length: int, vocabulary: int) -> Word:
    letters = read_word(word, vocabulary)
    if len(letters) != length:
        raise BadShape(f"the word {letters} has length {len(letters)}, not {length}")
    return letters


def _listed(values: Any, what: str) -> list[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadType(f"{what} is {shown(values)}: give a list")
    return list(values)
