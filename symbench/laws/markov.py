"""Hidden Markov models and their mixtures: exact probabilities, samples, and exchangeability.

The probability of a word is p M_a M_b ... M_z 1 with one matrix for each token. Two neighbours
may always be swapped, p(u ab v) = p(u ba v), iff R (M_a M_b - M_b M_a) O = 0 for the space R of
all rows p M_u and the space O of all columns M_v 1. These are finite-dimensional, so whether a
mixture is exchangeable is decided exactly: at one length, or at all lengths.

>>> sticky = HiddenMarkov(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], [[1, 0], [0, 1]])
>>> sticky.probability((0, 0, 1)), sticky.probability((0, 1, 0))
(3/32, 1/32)
>>> print(MarkovMixture([(1, sticky)]).exchangeability())
not exchangeable: p(0, 1, 0) = 1/32, p(1, 0, 0) = 3/32
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations
from math import lcm
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, fmpq, number_text, rational
from symbench.laws.exchangeable import IidLaw, MixtureLaw, read_word

Word = tuple[int, ...]
Row = tuple[Rational, ...]
# Longer words are not decided by themselves.
_LENGTH = 4_000


def _distribution(values: Any, what: str) -> Row:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadType(f"{what} is {shown(values)}: give a list of exact probabilities")
    row = tuple(Rational(exact_number(v)) for v in values)
    if any(p < 0 for p in row):
        raise BadValue(f"{what} has the negative entry {min(row)}")
    if sum(row) != 1:
        raise BadValue(f"{what} adds up to {sum(row)}, not to 1")
    return row


def _table(values: Any, what: str, rows: int) -> tuple[Row, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadType(f"the {what} is {shown(values)}: give a list of rows")
    found = tuple(_distribution(v, f"row {i} of the {what}") for i, v in enumerate(values))
    if len(found) != rows or len({len(row) for row in found}) != 1:
        sizes = [len(row) for row in found]
        raise BadShape(f"the {what} has rows of lengths {sizes}: give {rows} equal ones")
    return found


@attrs.frozen(init=False)
class HiddenMarkov:
    """A hidden Markov model: where it starts, how it moves, what each state emits.

    A state emits a token, then moves. Row i of `transition` and of `emission` belongs to state i.

    >>> coin = HiddenMarkov([1], [[1]], [["1/3", "2/3"]])
    >>> coin.states, coin.vocabulary, coin.probability((1, 1, 0))
    (1, 2, 4/27)
    >>> HiddenMarkov([1], [[1]], [["1/3", "1/3"]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: row 0 of the emission adds up to 2/3, not to 1
    """

    start: Row
    transition: tuple[Row, ...]
    emission: tuple[Row, ...]

    def __init__(self, start: Any, transition: Any, emission: Any) -> None:
        first = _distribution(start, "the start")
        states = len(first)
        moves = _table(transition, "transition", states)
        if len(moves[0]) != states:
            raise BadShape(f"the transition has {len(moves[0])} columns for {states} states")
        self.__attrs_init__(first, moves, _table(emission, "emission", states))

    def __repr__(self) -> str:
        def row(values: Row) -> str:
            return "[" + ", ".join(f"'{v}'" for v in values) + "]"

        def table(rows: tuple[Row, ...]) -> str:
            return "[" + ", ".join(map(row, rows)) + "]"

        return f"HiddenMarkov({row(self.start)}, {table(self.transition)}, {table(self.emission)})"

    @property
    def states(self) -> int:
        """The number of hidden states."""
        return len(self.start)

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return len(self.emission[0])

    def probability(self, word: Any) -> Rational:
        """The exact probability that a word of this length is this one."""
        return MarkovMixture([(1, self)]).probability(word)


@attrs.frozen
class Exchangeability:
    """Whether a law is exchangeable, at one length (None: at every length), with the witness.

    The witness is two words with the same tokens and different probabilities.

    >>> fair = HiddenMarkov([1], [[1]], [["1/2", "1/2"]])
    >>> MarkovMixture([(1, fair)]).exchangeability(length=5)
    Exchangeability(holds=True, length=5, words=None, probabilities=None)
    """

    holds: bool
    length: int | None
    words: tuple[Word, Word] | None
    probabilities: tuple[Rational, Rational] | None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.words is None or self.probabilities is None:
            return "exchangeable at " + (
                "every length" if self.length is None else f"length {self.length}"
            )
        (x, y), (p, q) = self.words, self.probabilities
        return f"not exchangeable: p{x} = {p}, p{y} = {q}"


@attrs.frozen(init=False, repr=False)
class MarkovMixture:
    """A mixture of hidden Markov models: one is drawn, then the whole word from it.

    >>> left = HiddenMarkov([1], [[1]], [["1/4", "3/4"]])
    >>> right = HiddenMarkov([1], [[1]], [["3/4", "1/4"]])
    >>> mixture = MarkovMixture([("1/2", left), ("1/2", right)])
    >>> print(mixture.exchangeability())
    exchangeable at every length
    >>> mixture.iid_law().probability((0, 1)) == mixture.probability((0, 1))
    True
    """

    components: tuple[tuple[Rational, HiddenMarkov], ...]

    def __init__(self, components: Any) -> None:
        if isinstance(components, (str, bytes)) or not isinstance(components, Iterable):
            raise BadType(f"a mixture is a list of (weight, HiddenMarkov), not {shown(components)}")
        found = []
        for item in components:
            if not isinstance(item, (tuple, list)) or len(item) != 2:
                raise BadType(f"a mixture has pairs (weight, HiddenMarkov), not {shown(item)}")
            if not isinstance(item[1], HiddenMarkov):
                raise BadType(f"{shown(item[1])} is no HiddenMarkov")
            found.append((item[0], item[1]))
        weights = _distribution([weight for weight, _ in found], "the list of weights")
        sizes = sorted({model.vocabulary for _, model in found})
        if len(sizes) != 1:
            raise BadShape(f"the models have vocabularies of {sizes} tokens: give equal ones")
        models = (model for _, model in found)
        self.__attrs_init__(tuple(zip(weights, models, strict=True)))

    def __repr__(self) -> str:
        inside = ", ".join(f"('{weight}', {model!r})" for weight, model in self.components)
        return f"MarkovMixture([{inside}])"

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return self.components[0][1].vocabulary

    def probability(self, word: Any) -> Rational:
        """The exact probability that a word of this length is this one.

        >>> coin = HiddenMarkov([1], [[1]], [["1/2", "1/2"]])
        >>> MarkovMixture([(1, coin)]).probability((0, 1, 1))
        1/8
        """
        letters = read_word(word, self.vocabulary)
        start, steps = self._automaton()
        for token in letters:
            start = start * steps[token]
        return rational(sum((start[0, j] for j in range(start.ncols())), flint.fmpq(0)))

    def sample(self, length: int, *, count: int = 1, seed: int | None = None) -> list[Word]:
        """Words of this length, drawn with the exact probabilities.

        >>> coin = HiddenMarkov([1], [[1]], [[0, 1]])
        >>> MarkovMixture([(1, coin)]).sample(3, count=2, seed=0)
        [(1, 1, 1), (1, 1, 1)]
        """
        size = integer(length, "the length", at_least=0)
        many = integer(count, "count", at_least=0)
        generator = random.Random(None if seed is None else integer(seed, "seed"))
        weights = tuple(weight for weight, _ in self.components)
        words = []
        for _ in range(many):
            model = self.components[_draw(weights, generator)][1]
            state = _draw(model.start, generator)
            word = []
            for _ in range(size):
                word.append(_draw(model.emission[state], generator))
                state = _draw(model.transition[state], generator)
            words.append(tuple(word))
        return words

    def exchangeability(self, *, length: int | None = None) -> Exchangeability:
        """Whether words with the same tokens are equally likely, at one length or at all lengths.

        >>> flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
        >>> flips = MarkovMixture([(1, flip)])
        >>> print(flips.exchangeability(length=2))
        exchangeable at length 2
        >>> print(flips.exchangeability(length=3))
        not exchangeable: p(0, 1, 0) = 1/2, p(1, 0, 0) = 0
        """
        size = None if length is None else integer(length, "the length", at_least=0)
        if size is not None and size > _LENGTH:
            raise TooLarge(
                f"words of length {number_text(size)}: at most {_LENGTH:,} are decided by "
                "themselves; exchangeability() decides all lengths at once"
            )
        start, steps = self._automaton()
        ones = flint.fmpq_mat([[1]] * start.ncols())
        if size is None:
            every = _closure(start, steps, left=True), _closure(ones, steps, left=False)
            found = _swap(*every, steps)
        else:
            found = None
            rows = _by_length(start, steps, size - 2, left=True)
            columns = _by_length(ones, steps, size - 2, left=False)
            for k in range(size - 1):
                found = found or _swap(rows[k], columns[size - 2 - k], steps)
        if found is None:
            return Exchangeability(True, size, None, None)
        chances = self.probability(found[0]), self.probability(found[1])
        return Exchangeability(False, size, found, chances)

    def iid_law(self) -> IidLaw | MixtureLaw:
        """The same law as a mixture of independent tokens, where every model has one state.

        An exchangeable mixture in which a model has more states is one too (de Finetti), with
        components that need not be rational; it is refused here.

        >>> MarkovMixture([(1, HiddenMarkov([1], [[1]], [["1/2", "1/2"]]))]).iid_law()
        MixtureLaw([(1, IidLaw('1/2', '1/2'))])
        """
        for _, model in self.components:
            if model.states > 1:
                raise BadValue(
                    f"a model has {model.states} states: only models of one state are read off; "
                    "ask exchangeability() whether the law is exchangeable"
                )
        return MixtureLaw([(w, IidLaw(*model.emission[0])) for w, model in self.components])

    def _automaton(self) -> tuple[Any, list[Any]]:
        """The row p and the matrices M_a of all models together, block by block."""
        total = sum(model.states for _, model in self.components)
        start = flint.fmpq_mat(1, total)
        steps = [flint.fmpq_mat(total, total) for _ in range(self.vocabulary)]
        offset = 0
        for weight, model in self.components:
            for i in range(model.states):
                start[0, offset + i] = fmpq(weight * model.start[i])
                for token, chance in enumerate(model.emission[i]):
                    for j, move in enumerate(model.transition[i]):
                        steps[token][offset + i, offset + j] = fmpq(chance * move)
            offset += model.states
        return start, steps


# A vector that was reached, with the word that leads to it.
_Reached = tuple[Word, Any]


def _swap(
    rows: list[_Reached], columns: list[_Reached], steps: list[Any]
) -> tuple[Word, Word] | None:
    """Words u ab v and u ba v of different probability, the shortest of those looked at."""
    pairs = sorted(
        ((u, v) for u in rows for v in columns), key=lambda pair: len(pair[0][0]) + len(pair[1][0])
    )
    for (u, row), (v, column) in pairs:
        for a, b in combinations(range(len(steps)), 2):
            difference = row * (steps[a] * steps[b] - steps[b] * steps[a]) * column
            if difference[0, 0] != 0:
                return (*u, a, b, *v), (*u, b, a, *v)
    return None


def _closure(first: Any, steps: list[Any], *, left: bool) -> list[_Reached]:
    """A basis of all rows p M_u (left), or of all columns M_v 1, with its words, shortest first."""
    found = _independent([((), first)])
    front = found
    while front:
        kept = len(found)
        found = _independent(found + _next(front, steps, left))
        front = found[kept:]
    return found


def _by_length(first: Any, steps: list[Any], last: int, *, left: bool) -> list[list[_Reached]]:
    """For each length 0, ..., last a basis of the rows (columns) of words of this length."""
    found = [_independent([((), first)])]
    for _ in range(last):
        found.append(_independent(_next(found[-1], steps, left)))
    return found


def _next(front: list[_Reached], steps: list[Any], left: bool) -> list[_Reached]:
    return [
        ((*word, a), vector * step) if left else ((a, *word), step * vector)
        for word, vector in front
        for a, step in enumerate(steps)
    ]


def _independent(reached: list[_Reached]) -> list[_Reached]:
    """Those that do not depend on the ones before them."""
    if not reached:
        return []
    rows = [vector.entries() for _, vector in reached]
    echelon, rank = flint.fmpq_mat(rows).transpose().rref()
    pivots = [next(j for j in range(len(rows)) if echelon[i, j] != 0) for i in range(rank)]
    return [reached[j] for j in pivots]


def _draw(row: Row, generator: random.Random) -> int:
    """An index with these exact probabilities."""
    scale = lcm(*(p.denominator for p in row))
    ticket = generator.randrange(scale)
    for index, p in enumerate(row):
        ticket -= int(p * scale)
        if ticket < 0:
            return index
    raise AssertionError("the probabilities add up to 1")
