"""Hidden Markov models and their mixtures: exact probabilities, samples, and exchangeability.

The probability of a word is p M_a M_b ... M_z 1 with one matrix for each token. Two neighbours
may always be swapped, p(u ab v) = p(u ba v), iff R (M_a M_b - M_b M_a) O = 0 for the space R of
all rows p M_u and the space O of all columns M_v 1. These are finite-dimensional, so whether a
mixture is exchangeable is decided exactly: at one length, or at all lengths.

>>> sticky = HiddenMarkov(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], [[1, 0], [0, 1]])
>>> sticky.probability((0, 0, 1)), sticky.probability((0, 1, 0))
(3/32, 1/32)
>>> print(sticky.exchangeability())
not exchangeable: p(0, 1, 0) = 1/32, p(1, 0, 0) = 3/32
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations
from math import lcm
from typing import Any

import attrs
import flint

from symbench._arguments import integer, sequence
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue
from symbench.exact import Rational
from symbench.exact.rational import fmpq, rational
from symbench.laws.base import (
    Word,
    asymmetry,
    distribution,
    joined,
    not_symmetric,
    read_word,
    source,
    word_table,
)
from symbench.laws.iid import Iid
from symbench.laws.mixture import Mixture, weighted
from symbench.young.position_groups import Group, YoungSubgroup

Row = tuple[Rational, ...]
# Longer words are not decided by themselves.
_LENGTH = 4_000


@attrs.frozen
class Exchangeability(Shown):
    """Whether a law is exchangeable; if not, two words with the same tokens show it.

    `length` is the length of words that was asked about, None for all lengths.

    >>> flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
    >>> found = flip.exchangeability()
    >>> bool(found), found.words, found.probabilities
    (False, ((0, 1, 0), (1, 0, 0)), (1/2, 0))
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
        whole = YoungSubgroup(len(self.words[0]))
        return not_symmetric(whole, self.words, self.probabilities)


class _Automaton(Shown, ABC):
    """What a hidden Markov model and a mixture of some share."""

    __slots__ = ()
    # A law of every length.
    length = None

    @property
    @abstractmethod
    def components(self) -> tuple[tuple[Rational, HiddenMarkov], ...]:
        """The models, each with its weight."""

    @property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return len(self.components[0][1].emission[0])

    def probability(self, word: Any) -> Rational:
        """The exact probability that a word of this length is this one.

        >>> coin = HiddenMarkov([1], [[1]], [["1/2", "1/2"]])
        >>> MarkovMixture([(1, coin)]).probability((0, 1, 1))
        1/8
        """
        letters = read_word(word, self.vocabulary)
        start, steps = _matrices(self.components)
        # Integers over one denominator: long words have long numbers, which are not reduced.
        (row, below), whole = start.numer_denom(), [step.numer_denom() for step in steps]
        for token in letters:
            numbers, denominator = whole[token]
            row, below = row * numbers, below * denominator
        return rational(flint.fmpq(sum(row.entries(), flint.fmpz(0)), below))

    def sample(self, length: int, *, count: int = 1, seed: int | None = None) -> list[Word]:
        """Words of this length, drawn with the exact probabilities.

        >>> HiddenMarkov([1], [[1]], [[0, 1]]).sample(3, count=2, seed=0)
        [(1, 1, 1), (1, 1, 1)]
        """
        size = integer(length, "the length", at_least=0)
        many = integer(count, "count", at_least=0)
        generator = random.Random(None if seed is None else integer(seed, "seed"))

        def drawn(lots: list[int]) -> int:
            return bisect(lots, generator.randrange(lots[-1]))

        which = _lots([weight for weight, _ in self.components])
        models = [
            (_lots(m.start), list(map(_lots, m.transition)), list(map(_lots, m.emission)))
            for _, m in self.components
        ]
        words = []
        for _ in range(many):
            start, transition, emission = models[drawn(which)]
            state, word = drawn(start), []
            for _ in range(size):
                word.append(drawn(emission[state]))
                state = drawn(transition[state])
            words.append(tuple(word))
        return words

    def exchangeability(self, *, length: int | None = None) -> Exchangeability:
        """Whether words with the same tokens are equally likely, at one length or at all lengths.

        >>> flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
        >>> print(flip.exchangeability(length=2))
        exchangeable at length 2
        >>> print(flip.exchangeability(length=3))
        not exchangeable: p(0, 1, 0) = 1/2, p(1, 0, 0) = 0
        """
        if length is None:
            start, steps = _matrices(self.components)
            rows, columns = _closure(start, steps, left=True), _closure(_ones(start), steps)
            found = _swap(rows, columns, steps)
        else:
            found = next((pair for pair in self._swaps(length) if pair), None)
        if found is None:
            return Exchangeability(True, length, None, None)
        return Exchangeability(
            False, length, found, (self.probability(found[0]), self.probability(found[1]))
        )

    def symmetry(self, length: int) -> Group | None:
        """The coarsest segments of positions that may be permuted: all positions are one segment.

        None for words of more than 4,000 tokens, if shorter ones are not exchangeable. Rotations
        are not looked at.

        >>> flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
        >>> flip.symmetry(2), flip.symmetry(3)
        (YoungSubgroup(2), YoungSubgroup(1, 1, 1))
        """
        size = integer(length, "the length", at_least=1)
        if self.exchangeability():
            return YoungSubgroup(size)
        return joined(pair is None for pair in self._swaps(size)) if size <= _LENGTH else None

    def asymmetry(self, length: int, group: Group) -> tuple[Word, Word] | None:
        """Two words that the group exchanges with different probabilities, or None.

        >>> flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
        >>> flip.asymmetry(3, YoungSubgroup(1, 2))
        ((0, 0, 1), (0, 1, 0))
        """
        if not isinstance(group, YoungSubgroup):
            return asymmetry(word_table(self, length), group)
        ends = set(accumulate(group.parts))
        return next(
            (pair for k, pair in enumerate(self._swaps(length), 1) if pair and k not in ends), None
        )

    def _swaps(self, length: Any) -> Iterator[tuple[Word, Word] | None]:
        """For each position but the last two words that differ by a swap with the next one."""
        last = integer(length, "the length", at_least=0, limit=_LENGTH) - 2
        start, steps = _matrices(self.components)
        rows = _by_length(start, steps, last, left=True)
        columns = _by_length(_ones(start), steps, last)
        for k in range(last + 1):
            yield _swap(rows[k], columns[last - k], steps)


@attrs.frozen(init=False)
class HiddenMarkov(_Automaton):
    """A hidden Markov model: where it starts, how it moves, what each state emits.

    A state emits a token, then moves. Row i of `transition` and of `emission` belongs to state i.

    >>> coin = HiddenMarkov([1], [[1]], [["1/3", "2/3"]])
    >>> coin.states, coin.vocabulary, coin.probability((1, 1, 0))
    (1, 2, 4/27)
    >>> HiddenMarkov([1], [[1]], [["1/3", "1/3"]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: row 0 of the emission adds up to 2/3: give numbers that add up to 1
    """

    start: Row
    transition: tuple[Row, ...]
    emission: tuple[Row, ...]

    def __init__(self, start: Any, transition: Any, emission: Any) -> None:
        first = distribution(start, "the start")
        states = len(first)
        moves = _table(transition, "the transition", states)
        if len(moves[0]) != states:
            raise BadShape(f"the transition has {len(moves[0])} columns for {states} states")
        self.__attrs_init__(first, moves, _table(emission, "the emission", states))

    def __repr__(self) -> str:
        inside = map(source, (self.start, self.transition, self.emission))
        return f"HiddenMarkov({', '.join(inside)})"

    @property
    def states(self) -> int:
        """The number of hidden states."""
        return len(self.start)

    @property
    def components(self) -> tuple[tuple[Rational, HiddenMarkov], ...]:
        """The model itself, with weight 1."""
        return ((Rational(1), self),)


@attrs.frozen(init=False, repr=False)
class MarkovMixture(_Automaton):
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
        self.__attrs_init__(weighted(components, HiddenMarkov))

    def __repr__(self) -> str:
        inside = ", ".join(f"({source(weight)}, {model!r})" for weight, model in self.components)
        return f"MarkovMixture([{inside}])"

    def iid_law(self) -> Mixture:
        """The same law as a mixture of independent tokens, where every model has one state.

        An exchangeable mixture in which a model has more states is one too (de Finetti), with
        components that need not be rational; it is refused here.

        >>> MarkovMixture([(1, HiddenMarkov([1], [[1]], [["1/2", "1/2"]]))]).iid_law()
        Mixture([(1, Iid('1/2', '1/2'))])
        """
        for _, model in self.components:
            if model.states > 1:
                raise BadValue(
                    f"a model has {model.states} states: only models of one state are read off; "
                    "ask exchangeability() whether the law is exchangeable"
                )
        return Mixture([(w, Iid(*model.emission[0])) for w, model in self.components])


def _table(values: Any, what: str, rows: int) -> tuple[Row, ...]:
    listed = sequence(values, what, "a list of rows")
    found = tuple(distribution(v, f"row {i} of {what}") for i, v in enumerate(listed))
    if len(found) != rows or len({len(row) for row in found}) != 1:
        sizes = [len(row) for row in found]
        raise BadShape(f"{what} has rows of lengths {sizes}: give {rows} equal ones")
    return found


@lru_cache(maxsize=32)
def _matrices(components: tuple[tuple[Rational, HiddenMarkov], ...]) -> tuple[Any, list[Any]]:
    """The row p and the matrices M_a of all models together, block by block."""
    total = sum(model.states for _, model in components)
    start = flint.fmpq_mat(1, total)
    steps = [flint.fmpq_mat(total, total) for _ in components[0][1].emission[0]]
    offset = 0
    for weight, model in components:
        for i in range(model.states):
            start[0, offset + i] = fmpq(weight * model.start[i])
            for token, chance in enumerate(model.emission[i]):
                for j, move in enumerate(model.transition[i]):
                    steps[token][offset + i, offset + j] = fmpq(chance * move)
        offset += model.states
    return start, steps


def _ones(start: Any) -> Any:
    return flint.fmpq_mat([[1]] * start.ncols())


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


def _closure(first: Any, steps: list[Any], *, left: bool = False) -> list[_Reached]:
    """A basis of all rows p M_u (left), or of all columns M_v 1, with its words, shortest first."""
    found = _independent([((), first)])
    front = found
    while front:
        kept = len(found)
        found = _independent(found + _next(front, steps, left))
        front = found[kept:]
    return found


def _by_length(
    first: Any, steps: list[Any], last: int, *, left: bool = False
) -> list[list[_Reached]]:
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


def _lots(row: Sequence[Rational]) -> list[int]:
    """The probabilities as shares of whole lots, added up: lot n is drawn for the first above n."""
    scale = lcm(*(p.denominator for p in row))
    return list(accumulate(int(p * scale) for p in row))
