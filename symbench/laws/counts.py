"""Laws given by token counts, and the uniform law on subsets of one size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import comb
from typing import Any

import attrs

from symbench._arguments import call, function, integer, shown
from symbench.draw.progress import progress
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.laws.base import (
    ByCounts,
    Word,
    asymmetry,
    chance,
    check_counts,
    compositions,
    count_tokens,
    not_symmetric,
    number_of_words,
    read_word,
    sizes,
)
from symbench.laws.base import Counts as TokenCounts
from symbench.young.position_groups import YoungSubgroup

# At most this many words are compared one by one.
_LISTED = 2_000_000
# At most this many token counts have a probability each, and the seconds for one.
_COUNTS, _EACH = 1_000_000, 3e-5
_CHOSEN = 20  # binomial coefficients above are larger than that


@attrs.frozen(repr=False)
class Counts(ByCounts):
    """A law on words of one length, given by the probability of a word for each token counts.

    >>> def chosen(counts):  # a word with exactly two ones, all equally likely
    ...     return "1/6" if counts == (2, 2) else 0
    >>> law = Counts.of(chosen, length=4, vocabulary=2)
    >>> law.probability((0, 1, 1, 0)), law.probability((0, 0, 0, 1))
    (1/6, 0)
    >>> Counts.of(lambda counts: "1/6", length=4, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the probabilities of the 16 words add up to 8/3, not to 1
    """

    table: tuple[tuple[TokenCounts, Rational], ...]
    _lookup: dict[TokenCounts, Rational] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.table, tuple) or not self.table:
            raise BadType(f"the table is {shown(self.table)}: build a law by Counts.of(...)")
        found: dict[TokenCounts, Rational] = {}
        for row in self.table:
            if not isinstance(row, tuple) or len(row) != 2 or not isinstance(row[0], tuple):
                raise BadType(f"a row of the table is {shown(row)}: give (counts, probability)")
            counts = check_counts(row[0], len(row[0]))
            found[counts] = chance(row[1], f"the probability of a word with counts {counts}")
        shapes = {(len(counts), sum(counts)) for counts in found}
        if len(shapes) != 1 or len(found) != len(self.table):
            raise BadShape("the counts must be different, of one length and with one sum")
        total = sum(p * number_of_words(counts) for counts, p in found.items())
        if total != 1:
            ((vocabulary, length),) = shapes
            words = number_text(vocabulary**length)
            raise BadValue(f"the probabilities of the {words} words add up to {total}, not to 1")
        object.__setattr__(self, "table", tuple(found.items()))
        object.__setattr__(self, "_lookup", found)

    @classmethod
    def of(cls, law: Callable[[TokenCounts], Any], *, length: int, vocabulary: int) -> Counts:
        """The law in which a word with counts (n_0, n_1, ...) has probability law(counts)."""
        function(law, "the law", "a function of token counts")
        size, tokens = sizes(length, vocabulary)
        chosen = min(size, tokens - 1)
        count = comb(size + tokens - 1, min(chosen, _CHOSEN))  # of many, fewer than there are
        if count > _COUNTS:
            raise TooLarge(
                f"words of length {shown(size)} over {shown(tokens)} tokens have "
                f"{'more than ' * (chosen > _CHOSEN)}{shown(count)} token counts, which would take "
                f"{'years' if count > 10**12 else f'about {count * _EACH:.2g} s'}: give a law by a "
                "formula, such as Iid or Mixture, or shorter words"
            )
        table = []
        with progress("token counts", count) as report:
            for counts in compositions(size, tokens):
                table.append((counts, call(law, "the law", counts)))
                report(1)
        return cls(tuple(table))

    @classmethod
    def of_words(cls, probabilities: Mapping[Any, Any], *, length: int, vocabulary: int) -> Counts:
        """The law that gives each word its probability; refused if it is not exchangeable.

        Words that are left out have probability 0.

        >>> Counts.of_words({(0, 1): "1/2", (1, 0): "1/2"}, length=2, vocabulary=2)
        Counts((((2, 0), '0'), ((1, 1), '1/2'), ((0, 2), '0')))
        >>> Counts.of_words({(0, 0): "1/2", (0, 1): "1/2"}, length=2, vocabulary=2)
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: the law is not exchangeable: p(0, 1) = 1/2, p(1, 0) = 0
        """
        if not isinstance(probabilities, Mapping):
            raise BadType(
                f"the law is {shown(probabilities)}: give a dictionary from words to probabilities"
            )
        size, tokens = sizes(length, vocabulary)
        if tokens**size > _LISTED:
            raise TooLarge(
                f"there are {number_text(tokens**size)} words: give the law by Counts.of(...)"
            )
        given: dict[Word, Rational] = {}
        for word, p in probabilities.items():
            letters = read_word(word, tokens, size)
            given[letters] = chance(p, f"the probability of {letters}")
        pair = asymmetry(given)
        if pair is not None:
            chances = (given.get(word, Rational(0)) for word in pair)
            raise BadValue(f"the law is {not_symmetric(YoungSubgroup(size), pair, chances)}")
        by_counts = {count_tokens(word, tokens): p for word, p in given.items()}
        return cls.of(lambda counts: by_counts.get(counts, 0), length=size, vocabulary=tokens)

    def __repr__(self) -> str:
        inside = ", ".join(f"({counts}, '{p}')" for counts, p in self.table)
        return f"Counts(({inside}{',' if len(self.table) == 1 else ''}))"

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return len(self.table[0][0])

    @property
    def length(self) -> int:
        """The length of the words."""
        return sum(self.table[0][0])

    def of_counts(self, counts: TokenCounts) -> Rational:
        """The probability of each word with these token counts."""
        return self._lookup.get(check_counts(counts, self.vocabulary), Rational(0))


@attrs.frozen
class Subsets(ByCounts):
    """The uniform law on binary words with exactly `size` ones: subsets of the positions.

    >>> law = Subsets(length=4, size=2)
    >>> law.probability((0, 1, 1, 0)), law.probability((0, 0, 0, 1))
    (1/6, 0)
    >>> Subsets(length=10**6, size=1).of_counts((10**6 - 1, 1))
    1/1000000
    >>> Subsets(length=4, size=5)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the size is 5: give an integer of at most 4
    """

    length: int
    size: int

    def __attrs_post_init__(self) -> None:
        points = integer(self.length, "the length", at_least=1)
        object.__setattr__(self, "length", points)
        size = integer(self.size, "the size", at_least=0, at_most=points)
        object.__setattr__(self, "size", size)

    @property
    def vocabulary(self) -> int:
        """The number of tokens: 2."""
        return 2

    def of_counts(self, counts: TokenCounts) -> Rational:
        """The probability of each word with these token counts."""
        possible = check_counts(counts, 2) == (self.length - self.size, self.size)
        return Rational(1, comb(self.length, self.size)) if possible else Rational(0)
