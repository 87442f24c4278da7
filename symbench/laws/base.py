"""What a law of words is, how one is read, and the small functions on words and counts.

A word is a tuple of tokens 0, ..., V - 1. A law gives each word of a length a probability, and may
say which permutations of positions leave it unchanged; where it does not say so, the words are
compared one by one, if they are few.

>>> sticky = ring_chain([["3/4", "1/4"], ["1/4", "3/4"]], length=4)
>>> sticky.symmetry(4), read_law(sticky, 4, 2, "cyclic") is sticky
(CyclicGroup(4), True)
>>> read_law(sticky, 4, 2, (4,))
Traceback (most recent call last):
...
symbench.errors.BadValue: the law is not exchangeable: p(0, 1, 0, 1) = 1/272, p(1, 0, 0, 1) = 9/272
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import factorial, prod
from operator import itemgetter
from typing import Any, Protocol, runtime_checkable

import attrs

from symbench._arguments import call, integer, sequence, shown
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, number_text
from symbench.young.position_groups import Group, YoungSubgroup, contains, read_group

Word = tuple[int, ...]
Counts = tuple[int, ...]
# At most this many words are gone through one by one.
MOST_WORDS = 100_000


@runtime_checkable
class Law(Protocol):
    """What a law needs; nothing is subclassed.

    >>> isinstance(Iid("1/2", "1/2"), Law), isinstance("iid", Law)
    (True, False)
    """

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        ...

    @property
    def length(self) -> int | None:
        """The length of the words, None for a law of every length."""
        ...

    def probability(self, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        ...

    def symmetry(self, length: int) -> Group | None:
        """Permutations of positions that leave the law unchanged, None if none are known."""
        ...


@runtime_checkable
class ExchangeableLaw(Law, Protocol):
    """A law in which a word's probability depends only on how often each token occurs in it."""

    def of_counts(self, counts: Counts) -> Rational:
        """The probability of each word with these token counts."""
        ...


class ByCounts(Shown):
    """What the laws given by `of_counts` share: they are unchanged by every permutation."""

    __slots__ = ()

    def probability(self: Any, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        found: Rational = self.of_counts(count_tokens(word, self.vocabulary))
        return found

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions."""
        return YoungSubgroup(length)


@attrs.frozen
class _Given:
    """A law that a user wrote without `length` or `symmetry`, with both."""

    law: Any
    vocabulary: int
    length: int

    def __repr__(self) -> str:
        return repr(self.law)

    def probability(self, word: Any) -> Rational:
        return chance(
            call(self.law.probability, "the law", word), f"the probability of {shown(word)}"
        )

    def symmetry(self, length: int) -> Group | None:
        return None


@attrs.frozen(repr=False)
class _Counted(ByCounts, _Given):
    """A law that was found to be exchangeable, or that a user gave by token counts alone."""

    def of_counts(self, counts: Counts) -> Rational:
        found: Any = check_counts(counts, self.vocabulary)
        method = getattr(self.law, "of_counts", None)
        if method is None:
            method = self.law.probability
            found = tuple(token for token, n in enumerate(found) for _ in range(n))
        return chance(call(method, "the law", found), f"the probability of {shown(found)}")


def read_law(law: Any, length: int, vocabulary: int, group: Any = None) -> Law:
    """The law itself, None for the uniform one; it must fit the length and the vocabulary.

    With a group of permutations of positions (what `read_group` reads), the law must not change
    under them. If these are all permutations, the law that is returned has `of_counts`. A law that
    does not say its symmetry is compared with itself word by word, if there are at most 100,000.

    >>> coin = HiddenMarkov([1], [[1]], [["1/3", "2/3"]])
    >>> read_law(coin, 60, 2, (60,)).of_counts((59, 1)) == Iid("1/3", "2/3").of_counts((59, 1))
    True
    >>> read_law(Iid("1/2", "1/2"), 3, 3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: the law is on 2 tokens, the vocabulary has 3
    """
    if law is None:
        from symbench.laws.iid import Iid  # which imports this file

        return Iid.uniform(vocabulary)
    _check(law, length, vocabulary)
    made = _Counted if callable(getattr(law, "of_counts", None)) else _Given
    found: Law = law if isinstance(law, Law) else made(law, vocabulary, length)
    if group is None:
        return found
    wanted = read_group(group, length)
    known = found.symmetry(length)
    trivial = isinstance(wanted, YoungSubgroup) and len(wanted.parts) == length
    if not trivial and (known is None or not contains(known, wanted, length)):
        own = getattr(found, "asymmetry", None)  # a way that does not go through all words
        pair = own(length, wanted) if own else asymmetry(word_table(found, length), wanted)
        if pair is not None:
            chances = (found.probability(word) for word in pair)
            raise BadValue(f"the law is {not_symmetric(wanted, pair, chances)}")
    if wanted == YoungSubgroup(length) and not isinstance(found, ExchangeableLaw):
        return _Counted(law, vocabulary, length)
    return found


def exchangeable_law(law: Any, length: int, vocabulary: int) -> ExchangeableLaw:
    """The law by its token counts, None for the uniform one; refused if the order matters."""
    found = read_law(law, length, vocabulary, YoungSubgroup(length))
    assert isinstance(found, ExchangeableLaw)
    return found


def _check(law: Any, length: int, vocabulary: int) -> None:
    tokens, size = getattr(law, "vocabulary", None), getattr(law, "length", None)
    methods = (getattr(law, name, None) for name in ("probability", "of_counts"))
    if isinstance(law, type) or not isinstance(tokens, int) or not any(map(callable, methods)):
        from symbench.words.substitution_law import SubstitutionLaw  # for the message only

        kind = "a law of substitutions" if isinstance(law, SubstitutionLaw) else "no law"
        raise BadType(
            f"{shown(law)} is {kind}: give a law of words, None (uniform), Iid('1/2', '1/2'), or "
            "another of sb.laws"
        )
    if tokens != vocabulary:
        raise BadShape(f"the law is on {tokens} tokens, the vocabulary has {vocabulary}")
    if size is not None and size != length:
        raise BadShape(f"the law is on words of length {size}, the length is {length}")


def not_symmetric(group: Group, words: Iterable[Word], chances: Iterable[Rational]) -> str:
    """What a law is not, with two words that show it.

    >>> not_symmetric(YoungSubgroup(2), [(0, 1), (1, 0)], [1, 0])
    'not exchangeable: p(0, 1) = 1, p(1, 0) = 0'
    """
    whole = group == YoungSubgroup(group.degree)
    shows = (f"p{word} = {p}" for word, p in zip(words, chances, strict=True))
    return f"not {'exchangeable' if whole else f'invariant under {group!r}'}: {', '.join(shows)}"


def word_table(law: Law, length: int) -> dict[Word, Rational]:
    """The probability of each word of a length, the words in lexicographic order.

    >>> word_table(Iid("1/3", "2/3"), 2)
    {(0, 0): 1/9, (0, 1): 2/9, (1, 0): 2/9, (1, 1): 4/9}
    """
    size, tokens = few_words(length, law.vocabulary)
    exchangeable = isinstance(law, ExchangeableLaw)
    found: dict[Word, Rational] = {}
    for word in itertools.product(range(tokens), repeat=size):
        # A word of an exchangeable law has the probability of the sorted one, which came before.
        first = tuple(sorted(word)) if exchangeable else word
        p = found[first] if first in found else law.probability(word)
        found[word] = p if isinstance(p, Rational) else chance(p, f"the probability of {word}")
    total = sum(found.values())
    if total != 1:
        raise BadValue(
            f"the probabilities of the {len(found):,} words of length {size} add up to {total} "
            f"under {shown(law)}: give a law on words of this length"
        )
    return found


def few_words(length: Any, vocabulary: Any) -> tuple[int, int]:
    """A length and a vocabulary, checked, over which at most 100,000 words are gone through."""
    size, tokens = sizes(length, vocabulary)
    if size > MOST_WORDS or tokens > MOST_WORDS or tokens ** min(size, 17) > MOST_WORDS:
        raise TooLarge(
            f"there are {number_text(tokens)}^{number_text(size)} words of {number_text(size)} "
            f"tokens, and at most {MOST_WORDS:,} get a probability each: give an exchangeable law "
            "such as Iid, or shorter words"
        )
    return size, tokens


def asymmetry(
    given: Mapping[Word, Rational], group: Group | None = None
) -> tuple[Word, Word] | None:
    """Two words that a group exchanges with different probabilities, or None if there are none.

    Words that are left out have probability 0; without a group, all permutations are meant.

    >>> asymmetry({(0, 1): Rational(1, 2), (1, 0): Rational(1, 2)}) is None
    True
    >>> asymmetry({(0, 0, 1): Rational(1)}, YoungSubgroup(2, 1)) is None
    True
    """
    # A word of one repeated token does not move, and a group on long words has many generators.
    if all(len(set(word)) <= 1 for word in given):
        return None
    chosen = group or YoungSubgroup(len(next(iter(given))))
    return next((pair for pair in changes(given, chosen) if pair), None)


def changes(given: Mapping[Word, Rational], group: Group) -> Iterator[tuple[Word, Word] | None]:
    """For each generator of the group a word whose probability it changes, and the image."""
    # Integers are compared faster than fractions. If every possible word goes to one with the same
    # probability, no word goes to a possible one from elsewhere: a generator permutes the words.
    names: dict[Rational, int] = {}
    named = {word: names.setdefault(p, len(names)) for word, p in given.items() if p}
    for _, move in group.generators:
        image = itemgetter(*move)
        yield next(
            ((w, image(w)) for w, name in named.items() if named.get(image(w)) != name), None
        )


def joined(swaps: Iterable[bool]) -> YoungSubgroup:
    """The coarsest segments, from whether each position may be swapped with the next one.

    >>> joined([True, False, True])
    YoungSubgroup(2, 2)
    """
    parts = [1]
    for free in swaps:
        if free:
            parts[-1] += 1
        else:
            parts.append(1)
    return YoungSubgroup(*parts)


def compositions(total: int, parts: int) -> Iterator[Counts]:
    """All ways to write total as an ordered sum of `parts` numbers >= 0, the first one falling.

    >>> list(compositions(2, 2))
    [(2, 0), (1, 1), (0, 2)]
    """
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def number_of_words(counts: Counts) -> int:
    """How many words have these token counts: the multinomial coefficient."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def sizes(length: Any, vocabulary: Any) -> tuple[int, int]:
    """A length and a vocabulary, checked."""
    return (
        integer(length, "the length", at_least=1),
        integer(vocabulary, "the vocabulary", at_least=1),
    )


def read_word(word: Any, vocabulary: int, length: int | None = None) -> Word:
    """A word as a tuple of tokens 0, ..., V - 1, of a given length if there is one."""
    letters = tuple(
        integer(token, "a token", at_least=0, at_most=vocabulary - 1)
        for token in sequence(word, "the word", f"a tuple of tokens 0, ..., {vocabulary - 1}")
    )
    if length is not None and len(letters) != length:
        raise BadShape(f"the word {shown(letters)} has length {len(letters)}, not {length}")
    return letters


def count_tokens(word: Any, vocabulary: int) -> Counts:
    """How often each token occurs in a word.

    >>> count_tokens((0, 2, 2), 3)
    (1, 0, 2)
    """
    found = Counter(read_word(word, vocabulary))
    return tuple(found[token] for token in range(vocabulary))


def check_counts(counts: Any, vocabulary: int) -> Counts:
    """One count for each token, or an error."""
    if not isinstance(counts, tuple) or len(counts) != vocabulary:
        raise BadShape(f"the counts are {shown(counts)}: give a tuple of {vocabulary} numbers")
    return tuple(integer(n, "a count", at_least=0) for n in counts)


def chance(value: Any, what: str) -> Rational:
    """An exact number of at least 0, or an error that names it."""
    number = Rational(exact_number(value))
    if number < 0:
        raise BadValue(f"{what} is {number}: give a number of at least 0")
    return number


def distribution(values: Any, what: str) -> tuple[Rational, ...]:
    """Exact numbers of at least 0 that add up to 1.

    >>> distribution(["1/2", "1/3"], "the start")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the start adds up to 5/6: give numbers that add up to 1
    """
    listed = sequence(values, what, "a list of exact probabilities")
    found = tuple(chance(value, f"an entry of {what}") for value in listed)
    if sum(found) != 1:
        raise BadValue(f"{what} adds up to {sum(found)}: give numbers that add up to 1")
    return found


def source(value: Any) -> str:
    """How exact numbers, or tuples of them, are written in a repr.

    >>> source((Rational(1, 2), Rational(1)))
    "['1/2', 1]"
    """
    if isinstance(value, tuple):
        return f"[{', '.join(map(source, value))}]"
    return f"'{value}'" if value.denominator != 1 else str(value)
