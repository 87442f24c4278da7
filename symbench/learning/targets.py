"""Functions to be learned: polynomials in signs, functions of a weight, tables, labels of tasks.

A target is a function of words over tokens 0, ..., V - 1 that depends on its first few positions
only; the words may be longer. Bits are also written as signs, 0 as +1 and 1 as -1.

>>> parity(3).value((1, 1, 1, 0)), conjunction(2).value((1, 1, 0, 0))
(-1, 1)
>>> polynomial({(1,): 1, (2,): -1}).value((0, 1))
2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import attrs

from symbench._arguments import call, integer, integers, shown
from symbench._arguments import function as called
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.laws.base import Word, read_word
from symbench.learning.numbers import number, numbers
from symbench.learning.walsh import coefficients, whole
from symbench.words import Task

Term = tuple[tuple[int, ...], Rational]
# More values than this are not tabulated.
_TABLE = 1 << 16
# A function of the weight of more bits than this is not expanded in differences.
_BITS = 1_000


def _source(values: Iterable[Rational]) -> str:
    return ", ".join(str(v) if v.denominator == 1 else f"'{v}'" for v in values)


def _long_enough(word: Any, vocabulary: int, variables: int) -> Word:
    letters = read_word(word, vocabulary)
    if len(letters) < variables:
        raise BadShape(
            f"the word {letters} has {len(letters)} tokens, the target reads {variables}"
        )
    return letters


@attrs.frozen(init=False, repr=False)
class BitPolynomial(Shown):
    """A multilinear polynomial in signs: the terms are (positions counted from 1, coefficient).

    >>> target = BitPolynomial({(1, 2): 1, (3,): "1/2"})
    >>> target, target.variables, target.degree
    (BitPolynomial({(1, 2): 1, (3,): '1/2'}), 3, 2)
    """

    terms: tuple[Term, ...]
    vocabulary = 2

    def __init__(self, coefficients: Any) -> None:
        if not isinstance(coefficients, Mapping):
            raise BadType(
                f"the coefficients are {shown(coefficients)}: give a dictionary such as "
                "{(1, 2): 1, (3,): '1/2'}"
            )
        found: dict[tuple[int, ...], Rational] = {}
        for key, value in coefficients.items():
            if not isinstance(key, tuple):
                raise BadType(f"{shown(key)} is no tuple of positions: write (1, 2)")
            places = tuple(sorted(integer(a, "a position", at_least=1) for a in key))
            if len(set(places)) < len(places):
                raise BadValue(f"the term {key} has a position twice, and a sign squared is 1")
            if places in found:
                raise BadValue(f"the term {places} is given twice")
            found[places] = number(value, f"the coefficient of {places}")
        terms = sorted((t for t in found.items() if t[1]), key=lambda t: (-len(t[0]), t[0]))
        self.__attrs_init__(tuple(terms))

    def __repr__(self) -> str:
        inside = ", ".join(f"{places}: {_source([c])}" for places, c in self.terms)
        return f"BitPolynomial({{{inside}}})"

    @property
    def variables(self) -> int:
        """The length of the shortest words that it is a function of."""
        return max((places[-1] for places, _ in self.terms if places), default=0)

    @property
    def degree(self) -> int:
        """The largest number of positions in a term."""
        return max((len(places) for places, _ in self.terms), default=0)

    def value(self, word: Any) -> Rational:
        """The value at a word of bits."""
        letters = _long_enough(word, 2, self.variables)
        total = Fraction(0)
        for places, coefficient in self.terms:
            odd = sum(letters[a - 1] for a in places) % 2
            total += -coefficient if odd else coefficient
        return Rational(total)


@attrs.frozen(init=False, repr=False)
class WeightFunction(Shown):
    """A function of the number of ones among the first s bits, s + 1 values.

    >>> target = WeightFunction([0, 0, "1/2", 1])
    >>> target, target.variables, target.value((1, 1, 0, 1))
    (WeightFunction([0, 0, '1/2', 1]), 3, 1/2)
    """

    values: tuple[Rational, ...]
    vocabulary = 2

    def __init__(self, values: Any) -> None:
        found = numbers(values, "values")
        if not found:
            raise BadShape("values is empty: give those of the weights 0, 1, ..., s")
        integer(len(found) - 1, "the number of bits", limit=_BITS)
        self.__attrs_init__(found)

    def __repr__(self) -> str:
        return f"WeightFunction([{_source(self.values)}])"

    @property
    def variables(self) -> int:
        """The number s of bits that it reads."""
        return len(self.values) - 1

    def value(self, word: Any) -> Rational:
        """The value at a word of bits."""
        letters = _long_enough(word, 2, self.variables)
        return self.values[sum(letters[: self.variables])]


@attrs.frozen(init=False, repr=False)
class WordFunction(Shown):
    """A function of the first s tokens, V^s values in the order of `itertools.product`.

    >>> same = WordFunction([1, 0, 0, 0, 1, 0, 0, 0, 1], vocabulary=3)
    >>> same.variables, same.value((2, 2, 0)), same.value((2, 1, 0))
    (2, 1, 0)
    """

    values: tuple[Rational, ...]
    vocabulary: int

    def __init__(self, values: Any, *, vocabulary: int) -> None:
        tokens = integer(vocabulary, "the vocabulary", at_least=2)
        found = numbers(values, "values")
        self.__attrs_init__(found, tokens)
        if tokens**self.variables != len(found):
            raise BadShape(
                f"there are {len(found)} values: give a power of {tokens}, the vocabulary"
            )

    def __repr__(self) -> str:
        return f"WordFunction([{_source(self.values)}], vocabulary={self.vocabulary})"

    @property
    def variables(self) -> int:
        """The number of tokens that it reads."""
        size, count = 1, 0
        while size < len(self.values):
            size, count = size * self.vocabulary, count + 1
        return count

    def value(self, word: Any) -> Rational:
        """The value at a word."""
        letters = _long_enough(word, self.vocabulary, self.variables)
        place = 0
        for token in letters[: self.variables]:
            place = place * self.vocabulary + token
        return self.values[place]


Target = BitPolynomial | WeightFunction | WordFunction


def read_target(target: Any, length: Any) -> tuple[Target, int]:
    """The target and the length of the words, which is at least what the target reads.

    >>> read_target(parity(3), 2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: the length is 2, and the target reads 3 positions: give longer words
    """
    if not isinstance(target, (BitPolynomial, WeightFunction, WordFunction)):
        raise BadType(
            f"the target is {shown(target)}: give parity(3), majority(5), polynomial(...), "
            "truth_table(...), of_weight(...), from_function(...) or from_task(...)"
        )
    size = integer(length, "the length", at_least=1)
    if target.variables > size:
        raise BadShape(
            f"the length is {size}, and the target reads {target.variables} positions: give longer "
            "words"
        )
    return target, size


polynomial = BitPolynomial
of_weight = WeightFunction


def parity(bits: int) -> WeightFunction:
    """The product of the first signs: the monomial of this degree, 1 or -1.

    >>> parity(2)
    WeightFunction([1, -1, 1])
    """
    return WeightFunction([(-1) ** w for w in range(_count(bits) + 1)])


def conjunction(bits: int) -> WeightFunction:
    """AND of the first bits, 0 or 1.

    >>> conjunction(3)
    WeightFunction([0, 0, 0, 1])
    """
    count = _count(bits)
    return WeightFunction([0] * count + [1])


def majority(bits: int) -> WeightFunction:
    """1 if most of an odd number of bits are ones, -1 if not.

    >>> majority(3)
    WeightFunction([-1, -1, 1, 1])
    """
    count = _count(bits)
    if count % 2 == 0:
        raise BadValue(f"the majority of {count} bits can be a tie: give an odd number")
    return WeightFunction([1 if 2 * w > count else -1 for w in range(count + 1)])


def disjunction(bits: int) -> WeightFunction:
    """OR of the first bits, 0 or 1.

    >>> disjunction(3)
    WeightFunction([0, 1, 1, 1])
    """
    return threshold(bits, 1)


def threshold(bits: int, least: int) -> WeightFunction:
    """1 if at least `least` of the first bits are ones, 0 if not.

    >>> threshold(3, 2)
    WeightFunction([0, 0, 1, 1])
    """
    count = _count(bits)
    needed = integer(least, "the threshold", at_least=0, at_most=count + 1)
    return WeightFunction([int(w >= needed) for w in range(count + 1)])


def truth_table(values: Any, *, at: Any = None) -> BitPolynomial:
    """The function of s bits with these 2^s values, at 0...00, 0...01, 0...10 and so on.

    The bits are the first s, or those at the positions in `at`, counted from 1.

    >>> truth_table([1, 0, 0, 1])
    BitPolynomial({(1, 2): '1/2', (): '1/2'})
    >>> truth_table([1, 0, 0, 1], at=(5, 20))
    BitPolynomial({(5, 20): '1/2', (): '1/2'})
    """
    table = WordFunction(values, vocabulary=2)
    if len(table.values) > _TABLE:
        raise TooLarge(f"a table of {len(table.values):,} values: give at most {_TABLE:,}")
    bits = table.variables
    places = range(1, bits + 1) if at is None else integers(at, "the positions", at_least=1)
    if len(places) != bits or len(set(places)) < bits:
        raise BadShape(
            f"the positions are {shown(at)}, and a table of {len(table.values)} values has {bits} "
            "bits: give as many different positions"
        )
    found, below = coefficients(*whole(table.values), Rational(1, 2))
    return BitPolynomial(
        {
            tuple(a for i, a in enumerate(places, 1) if mask >> (bits - i) & 1): Rational(c, below)
            for mask, c in enumerate(found.tolist())
            if c
        }
    )


def from_function(
    function: Callable[[Word], Any], *, variables: int, vocabulary: int = 2
) -> BitPolynomial | WordFunction:
    """The target with the values of a function of the first tokens; for bits a polynomial.

    >>> from_function(lambda w: w[0] * w[1], variables=2)
    BitPolynomial({(1, 2): '1/4', (1,): '-1/4', (2,): '-1/4', (): '1/4'})
    >>> from_function(lambda w: w[0] == w[1], variables=2, vocabulary=3).value((2, 2))
    1
    """
    called(function, "the function", "a function of a word")
    count = integer(variables, "variables", at_least=0)
    tokens = integer(vocabulary, "the vocabulary", at_least=2)
    _check_table(tokens, count)
    values = []
    for word in product(range(tokens), repeat=count):
        value = call(function, "the function", word)
        # A Boolean function may answer True or False.
        plain = int(value) if isinstance(value, bool) else value
        values.append(number(plain, f"the value at {word}"))
    return truth_table(values) if tokens == 2 else WordFunction(values, vocabulary=tokens)


def from_task(
    task: Task, *, vocabulary: int, tokens: Mapping[str, int] | None = None, default: Any = 0
) -> BitPolynomial | WordFunction:
    """The labels of a task as a function of words: each word has that of the template it matches.

    `tokens` gives a number below the vocabulary to each regular token of the templates; different
    wildcards of a template stand for different tokens that are no regular tokens of that template.
    A word that matches no template has the value `default`, and one that matches two is refused.

    >>> same = from_task(Task([Template("αα"), Template("αβ")], labels=[1, -1]), vocabulary=3)
    >>> same.value((2, 2)), same.value((2, 0))
    (1, -1)
    >>> task = Task([Template("αS"), Template("Sα")], labels=[1, 2])
    >>> target = from_task(task, vocabulary=3, tokens={"S": 0}, default=-1)
    >>> [target.value(word) for word in ((1, 0), (0, 2), (0, 0), (1, 1))]
    [1, 2, -1, -1]
    """
    if not isinstance(task, Task):
        raise BadType(f"{shown(task)} is no task: give Task(templates, labels=...)")
    labels = task.need_numbers()
    size = integer(vocabulary, "the vocabulary", at_least=2)
    codes = _codes(task, size, tokens)
    other = number(default, "the default")
    _check_table(size, task.length)
    words = list(product(range(size), repeat=task.length))
    values = []
    for word, match in zip(words, task.classify_array(words, codes=codes).tolist(), strict=True):
        if match == -2:
            raise BadValue(
                f"the word {word} matches two templates, which may have different labels: make "
                "the templates disjoint"
            )
        values.append(other if match == -1 else labels[match])
    return truth_table(values) if size == 2 else WordFunction(values, vocabulary=size)


def _codes(task: Task, size: int, tokens: Any) -> dict[str, int]:
    """The numbers of the regular tokens."""
    tokens, wanted = {} if tokens is None else tokens, task.regular_tokens
    if not isinstance(tokens, Mapping):
        raise BadType(f"tokens is {shown(tokens)}: give a dictionary such as {{'S': 0}}")
    if set(tokens) != set(wanted):
        raise BadValue(
            f"tokens has {sorted(map(str, tokens))}, the templates have {sorted(wanted)}: give a "
            "number to each regular token"
        )
    last = size - 1
    codes = {
        token: integer(tokens[token], f"the number of {token!r}", at_least=0, at_most=last)
        for token in wanted
    }
    if len(set(codes.values())) < len(codes):
        raise BadValue(f"tokens is {shown(codes)}: give different numbers")
    return codes


def _check_table(tokens: int, count: int) -> None:
    # The first comparison keeps the power small.
    if count > _TABLE.bit_length() or tokens**count > _TABLE:
        raise TooLarge(
            f"a table of {number_text(tokens)}^{number_text(count)} values: give at most "
            f"{_TABLE:,}, or a polynomial or a function of the weight"
        )


def _count(bits: Any) -> int:
    return integer(bits, "the number of bits", at_least=0, limit=_BITS)
