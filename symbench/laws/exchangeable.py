"""Exchangeable laws of sequences: how likely a word is, by its token counts alone.

A law p on words of length L over tokens 0, ..., V - 1 is exchangeable if p(gx) = p(x) for every
permutation g of positions, that is, if p(x) depends only on how often each token occurs in x.

>>> IidLaw("1/2", "1/3", "1/6").probability((0, 0, 2))
1/24
>>> urn = MixtureLaw([("1/2", IidLaw(1, 0)), ("1/2", IidLaw(0, 1))])
>>> urn.probability((1, 1, 1)), urn.probability((0, 1, 1))
(1/2, 0)
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import factorial, prod
from typing import Any, Protocol, runtime_checkable

import attrs

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, BadValue, SymbenchError, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, number_text

Counts = tuple[int, ...]
# More words than this are not gone through one by one, nor more counts kept.
_LISTED = 2_000_000


@runtime_checkable
class Law(Protocol):
    """What a law needs; nothing is subclassed."""

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        ...

    @property
    def length(self) -> int | None:
        """The length of the words, None for a law of every length."""
        ...

    def of_counts(self, counts: Counts) -> Rational:
        """The probability of each word with these token counts."""
        ...


@attrs.frozen(init=False, repr=False)
class IidLaw:
    """Independent tokens, all with the same exact probabilities.

    >>> IidLaw("1/2", "1/2") == IidLaw.uniform(2)
    True
    >>> IidLaw("1/2", "1/3")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the probabilities 1/2, 1/3 add up to 5/6, not to 1
    """

    probabilities: tuple[Rational, ...]

    def __init__(self, *probabilities: Any) -> None:
        given = probabilities
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = tuple(given[0])
        numbers = tuple(
            _probability(p, f"the probability of token {v}") for v, p in enumerate(given)
        )
        if sum(numbers) != 1:
            listed = ", ".join(map(str, numbers)) or "(none)"
            raise BadValue(f"the probabilities {listed} add up to {sum(numbers)}, not to 1")
        self.__attrs_init__(numbers)

    @classmethod
    def uniform(cls, vocabulary: int) -> IidLaw:
        """All words equally likely.

        >>> IidLaw.uniform(3)
        IidLaw('1/3', '1/3', '1/3')
        """
        size = positive(vocabulary, "the vocabulary")
        return cls(*[Rational(1, size)] * size)

    def __repr__(self) -> str:
        return f"IidLaw({', '.join(map(_source, self.probabilities))})"

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return len(self.probabilities)

    @property
    def length(self) -> None:
        """None: the law is one of every length."""

    def of_counts(self, counts: Counts) -> Rational:
        """The probability of each word with these token counts.

        >>> IidLaw("1/3", "2/3").of_counts((1, 2))
        4/27
        """
        pairs = zip(self.probabilities, check_counts(counts, self), strict=True)
        return Rational(prod((p**n for p, n in pairs), start=Rational(1)))

    def probability(self, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        return self.of_counts(count_tokens(word, self.vocabulary))


@attrs.frozen(init=False, repr=False)
class MixtureLaw:
    """A mixture of laws of independent tokens: one of them is drawn, then all tokens from it.

    >>> law = MixtureLaw([("1/4", IidLaw("1/2", "1/2")), ("3/4", IidLaw(1, 0))])
    >>> law.probability((0, 0)), law.probability((0, 1))
    (13/16, 1/16)
    >>> MixtureLaw([("1/4", IidLaw("1/2", "1/2"))])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the weights 1/4 add up to 1/4, not to 1
    """

    components: tuple[tuple[Rational, IidLaw], ...]

    def __init__(self, components: Any) -> None:
        if isinstance(components, Mapping):
            components = [(weight, law) for law, weight in components.items()]
        if isinstance(components, (str, bytes)) or not isinstance(components, Iterable):
            raise BadType(f"a mixture is a list of (weight, IidLaw), not {shown(components)}")
        found: list[tuple[Rational, IidLaw]] = []
        for item in components:
            if not isinstance(item, (list, tuple)) or len(item) != 2:
                raise BadType(f"a mixture has pairs (weight, IidLaw), not {shown(item)}")
            if not isinstance(item[1], IidLaw):
                raise BadType(f"{shown(item[1])} is no IidLaw: write IidLaw('1/2', '1/2')")
            found.append((_probability(item[0], "a weight"), item[1]))
        if sum(weight for weight, _ in found) != 1:
            listed = ", ".join(str(weight) for weight, _ in found) or "(none)"
            total = sum(weight for weight, _ in found)
            raise BadValue(f"the weights {listed} add up to {total}, not to 1")
        sizes = sorted({law.vocabulary for _, law in found})
        if len(sizes) > 1:
            raise BadShape(f"the laws have vocabularies of {sizes} tokens: give equal ones")
        self.__attrs_init__(tuple(found))

    def __repr__(self) -> str:
        inside = ", ".join(f"({_source(weight)}, {law!r})" for weight, law in self.components)
        return f"MixtureLaw([{inside}])"

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

    def probability(self, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        return self.of_counts(count_tokens(word, self.vocabulary))


@attrs.frozen(repr=False)
class CountsLaw:
    """A law on words of one length, given by the probability of a word for each token counts.

    >>> def chosen(counts):  # a word with exactly two ones, all equally likely
    ...     return "1/6" if counts == (2, 2) else 0
    >>> law = CountsLaw.of(chosen, length=4, vocabulary=2)
    >>> law.probability((0, 1, 1, 0)), law.probability((0, 0, 0, 1))
    (1/6, 0)
    >>> CountsLaw.of(lambda counts: "1/6", length=4, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the probabilities of the 16 words add up to 8/3, not to 1
    """

    table: tuple[tuple[Counts, Rational], ...]
    _lookup: dict[Counts, Rational] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.table, tuple) or not self.table:
            raise BadType(f"the table is {shown(self.table)}: build a law by CountsLaw.of(...)")
        found: dict[Counts, Rational] = {}
        for row in self.table:
            if not isinstance(row, tuple) or len(row) != 2 or not isinstance(row[0], tuple):
                raise BadType(f"{shown(row)} is not (counts, probability)")
            counts = tuple(integer(n, "a count", at_least=0) for n in row[0])
            found[counts] = _probability(row[1], f"the probability of a word with counts {counts}")
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
    def of(cls, function: Callable[[Counts], Any], *, length: int, vocabulary: int) -> CountsLaw:
        """The law in which a word with counts (n_0, n_1, ...) has probability function(counts)."""
        if not callable(function):
            raise BadType(f"{shown(function)} is no function of token counts")
        size, tokens = sizes(length, vocabulary)
        rows = []
        for counts in compositions(size, tokens):
            try:
                value = function(counts)
            except SymbenchError:
                raise
            except Exception as error:
                raise BadValue(f"the law fails at the counts {counts}: {error!r}") from error
            rows.append((counts, _probability(value, f"the probability at the counts {counts}")))
        return cls(tuple(rows))

    @classmethod
    def of_words(
        cls, probabilities: Mapping[Any, Any], *, length: int, vocabulary: int
    ) -> CountsLaw:
        """The law that gives each word its probability; refused if it is not exchangeable.

        Words that are left out have probability 0.

        >>> CountsLaw.of_words({(0, 1): "1/2", (1, 0): "1/2"}, length=2, vocabulary=2)
        CountsLaw((((2, 0), '0'), ((1, 1), '1/2'), ((0, 2), '0')))
        >>> CountsLaw.of_words({(0, 0): "1/2", (0, 1): "1/2"}, length=2, vocabulary=2)
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: the law is not exchangeable: (0, 1) has probability 1/2, and \
(1, 0), the same tokens in another order, has 0
        """
        if not isinstance(probabilities, Mapping):
            raise BadType(f"{shown(probabilities)} is not a dictionary of words: probabilities")
        size, tokens = sizes(length, vocabulary)
        if tokens**size > _LISTED:
            raise TooLarge(
                f"there are {number_text(tokens**size)} words: give the law by CountsLaw.of(...)"
            )
        given: dict[Counts, Rational] = {}
        for word, p in probabilities.items():
            letters = read_word(word, tokens)
            if len(letters) != size:
                raise BadShape(f"the word {letters} has length {len(letters)}, not {size}")
            given[letters] = _probability(p, f"the probability of {letters}")
        witness = asymmetry(given)
        if witness is not None:
            first, second = witness
            raise BadValue(
                f"the law is not exchangeable: {first} has probability {given[first]}, and "
                f"{second}, the same tokens in another order, has {given.get(second, Rational(0))}"
            )
        by_counts = {count_tokens(word, tokens): p for word, p in given.items()}
        return cls.of(lambda counts: by_counts.get(counts, 0), length=size, vocabulary=tokens)

    def __repr__(self) -> str:
        inside = ", ".join(f"({counts}, '{p}')" for counts, p in self.table)
        return f"CountsLaw(({inside}{',' if len(self.table) == 1 else ''}))"

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return len(self.table[0][0])

    @property
    def length(self) -> int:
        """The length of the words."""
        return sum(self.table[0][0])

    def of_counts(self, counts: Counts) -> Rational:
        """The probability of each word with these token counts."""
        return self._lookup.get(check_counts(counts, self), Rational(0))

    def probability(self, word: Any) -> Rational:
        """The probability of a word, a sequence of tokens 0, ..., V - 1."""
        return self.of_counts(count_tokens(word, self.vocabulary))


def asymmetry(given: Mapping[Counts, Rational]) -> tuple[Counts, Counts] | None:
    """Two words with the same tokens and different probabilities, or None.

    >>> asymmetry({(0, 1): Rational(1, 2), (1, 0): Rational(1, 2)}) is None
    True
    """
    classes: dict[Counts, list[Counts]] = {}
    for word, p in given.items():
        if p:
            classes.setdefault(tuple(sorted(word)), []).append(word)
    for sorted_word, words in classes.items():
        first = words[0]
        for other in words:
            if given[other] != given[first]:
                return first, other
        if len(words) < number_of_words(tuple(Counter(sorted_word).values())):
            present = set(words)
            missing = next(w for w in itertools.permutations(sorted_word) if w not in present)
            return first, missing
    return None


def read_law(law: Any, length: int, vocabulary: int) -> Law:
    """The law itself, None for the uniform one; it must fit the length and the vocabulary."""
    if law is None:
        return IidLaw.uniform(vocabulary)
    if isinstance(law, type) or not isinstance(law, Law):
        raise BadType(
            f"{shown(law)} is no law: give None (uniform), IidLaw(...), MixtureLaw(...) or "
            "CountsLaw.of(...)"
        )
    if law.vocabulary != vocabulary:
        raise BadShape(f"the law is on {law.vocabulary} tokens, the vocabulary has {vocabulary}")
    if law.length is not None and law.length != length:
        raise BadShape(f"the law is on words of length {law.length}, the length is {length}")
    return law


def compositions(total: int, parts: int) -> Iterator[Counts]:
    """All ways to write total as an ordered sum of so many numbers >= 0, the first one falling.

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


def positive(value: Any, what: str) -> int:
    """A positive integer, or an error that names the argument."""
    return integer(value, what, at_least=1)


def sizes(length: Any, vocabulary: Any) -> tuple[int, int]:
    """A length and a vocabulary, checked."""
    return positive(length, "the length"), positive(vocabulary, "the vocabulary")


def read_word(word: Any, vocabulary: int) -> Counts:
    """A word as a tuple of tokens 0, ..., V - 1."""
    if isinstance(word, (str, bytes)) or not isinstance(word, Iterable):
        raise BadType(f"{shown(word)} is no word: give a tuple of tokens 0, ..., {vocabulary - 1}")
    letters = tuple(integer(token, "a token", at_least=0) for token in word)
    if any(token >= vocabulary for token in letters):
        raise BadValue(f"the word {letters} has tokens outside 0, ..., {vocabulary - 1}")
    return letters


def count_tokens(word: Any, vocabulary: int) -> Counts:
    """How often each token occurs in a word.

    >>> count_tokens((0, 2, 2), 3)
    (1, 0, 2)
    """
    found = Counter(read_word(word, vocabulary))
    return tuple(found[token] for token in range(vocabulary))


def check_counts(counts: Any, law: Law) -> Counts:
    """Counts that fit the law, or an error."""
    if not isinstance(counts, tuple) or len(counts) != law.vocabulary:
        raise BadShape(f"the counts are {shown(counts)}: give a tuple of {law.vocabulary} numbers")
    return tuple(integer(n, "a count", at_least=0) for n in counts)


def _probability(value: Any, what: str) -> Rational:
    number = Rational(exact_number(value))
    if number < 0:
        raise BadValue(f"{what} is {number}: give a number >= 0")
    return number


def _source(value: Rational) -> str:
    return f"'{value}'" if value.denominator != 1 else str(value)
