"""Laws of words in which the order of tokens may matter: one probability for each word.

On a ring a stationary law does not change when the word is rotated; in a word of two segments each
segment may have a law of its own.

>>> sticky = ring_chain([["3/4", "1/4"], ["1/4", "3/4"]], length=3)
>>> sticky.probability((0, 0, 1)), sticky.probability((0, 1, 0)), sticky.probability((0, 0, 0))
(1/24, 1/24, 3/8)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from math import lcm, prod
from typing import Any

import attrs

from symbench._arguments import call, function, integer, sequence, shown
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import Rational
from symbench.laws.base import (
    Word,
    asymmetry,
    chance,
    changes,
    few_words,
    joined,
    read_law,
    read_word,
    word_table,
)
from symbench.young.position_groups import CyclicGroup, Group, YoungSubgroup


@attrs.frozen(repr=False)
class Words(Shown):
    """A law on words of one length, given by the probability of each word.

    `Words.of` takes a dictionary or a function of words.

    >>> law = Words.of({(0, 1): "1/3", (1, 0): "2/3"}, length=2, vocabulary=2)
    >>> law, law.probability((1, 0)), law.probability((1, 1))
    (Words: 2 of 4 words of length 2 over 2 tokens, 2/3, 0)
    >>> Words.of({(0, 1): "1/3"}, length=2, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the probabilities of the words add up to 1/3, not to 1
    """

    length: int
    vocabulary: int
    table: tuple[tuple[Word, Rational], ...]
    _lookup: dict[Word, Rational] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        size, tokens = few_words(self.length, self.vocabulary)
        if not isinstance(self.table, tuple):
            raise BadType(f"the table is {shown(self.table)}: build a law by Words.of(...)")
        found: dict[Word, Rational] = {}
        for row in self.table:
            if not isinstance(row, tuple) or len(row) != 2:
                raise BadType(f"a row of the table is {shown(row)}: give (word, probability)")
            word = read_word(row[0], tokens, size)
            if word in found:
                raise BadValue(f"the word {word} is given twice")
            found[word] = chance(row[1], f"the probability of {word}")
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
    ) -> Words:
        """The law that gives each word its probability; words left out have probability 0.

        >>> Words.of(lambda word: "1/8", length=3, vocabulary=2).probability((0, 1, 1))
        1/8
        """
        size, tokens = few_words(length, vocabulary)
        if isinstance(probabilities, Mapping):
            return cls(size, tokens, tuple(probabilities.items()))
        law = function(probabilities, "the law", "a dictionary of words or a function of a word")
        words = itertools.product(range(tokens), repeat=size)
        return cls(size, tokens, tuple((word, call(law, "the law", word)) for word in words))

    def __repr__(self) -> str:
        return (
            f"Words: {len(self.table):,} of {self.vocabulary**self.length:,} words of length "
            f"{self.length} over {self.vocabulary} tokens"
        )

    def probability(self, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        return self._lookup.get(read_word(word, self.vocabulary, self.length), Rational(0))

    def symmetry(self, length: int) -> Group:
        """The permutations that leave the law unchanged: all, or rotations, or of segments.

        Segments are as long as possible. A law that does not change under rotations and under one
        swap of neighbours does not change under any permutation.

        >>> law = Words.of({(0, 0, 1): "1/3", (0, 1, 1): "2/3"}, length=3, vocabulary=2)
        >>> law.symmetry(3)
        YoungSubgroup(1, 1, 1)
        """
        read_law(self, length, self.vocabulary)
        whole, ring = YoungSubgroup(self.length), CyclicGroup(self.length)
        if self.asymmetry(length, whole) is None:
            return whole
        found = joined(pair is None for pair in changes(self._lookup, whole))
        trivial = max(found.parts) == 1
        return ring if trivial and self.asymmetry(length, ring) is None else found

    def asymmetry(self, length: int, group: Group) -> tuple[Word, Word] | None:
        """Two words that the group exchanges with different probabilities, or None.

        >>> law = Words.of({(0, 0, 1): "1/3", (0, 1, 1): "2/3"}, length=3, vocabulary=2)
        >>> law.asymmetry(3, CyclicGroup(3))
        ((0, 0, 1), (0, 1, 0))
        """
        read_law(self, length, self.vocabulary)
        return asymmetry(self._lookup, group)


def ring_chain(transition: Any, *, length: int) -> Words:
    """The law of a Markov chain on a ring: p(x) is proportional to all P(x_a, x_(a+1)), multiplied.

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
        [chance(p, "an entry of the transition") for p in sequence(row, "a row of the transition")]
        for row in sequence(transition, "the transition", "a list of rows")
    ]
    if not rows or any(len(row) != len(rows) for row in rows):
        raise BadShape(f"the transition is {shown(transition)}: give a square of numbers")
    size, tokens = few_words(length, len(rows))
    scale = lcm(*(p.denominator for row in rows for p in row))
    whole = [[int(p * scale) for p in row] for row in rows]
    weights = {
        word: prod(whole[word[a - 1]][word[a]] for a in range(size))
        for word in itertools.product(range(tokens), repeat=size)
    }
    total = sum(weights.values())
    if not total:
        raise BadValue(
            f"no word of length {size} is possible: every way around the ring has an entry 0"
        )
    return Words(size, tokens, tuple((w, Rational(n, total)) for w, n in weights.items() if n))


def segments(*parts: Any) -> Words:
    """The law of independent segments, each with its own: pairs (length, law), law None uniform.

    >>> law = segments((2, Iid("1/4", "3/4")), (1, Iid("1/2", "1/2")))
    >>> law.probability((0, 1, 1)), law.probability((0, 0, 1)), law.symmetry(3)
    (3/32, 1/32, YoungSubgroup(2, 1))
    """
    pairs = []
    for item in parts:
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            raise BadType(f"a segment is {shown(item)}: give a pair (length, law)")
        pairs.append((integer(item[0], "the length of a segment", at_least=1), item[1]))
    found = (getattr(law, "vocabulary", None) for _, law in pairs)
    known = {tokens for tokens in found if isinstance(tokens, int)}
    if len(known) != 1:
        raise BadShape(
            "the laws of the segments have no common vocabulary: give at least one law, and laws "
            "on the same tokens"
        )
    tokens = known.pop()
    size, _ = few_words(sum(n for n, _ in pairs), tokens)
    tables = [word_table(read_law(law, n, tokens), n).items() for n, law in pairs]
    rows = (
        (
            tuple(itertools.chain.from_iterable(word for word, _ in chosen)),
            prod((p for _, p in chosen), start=Rational(1)),
        )
        for chosen in itertools.product(*tables)
    )
    return Words(size, tokens, tuple(rows))
