"""Strategies for laws of words: each class of `sb.laws`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from symbench._arguments import flag, integer
from symbench.errors import BadValue, TooLarge
from symbench.exact import Rational
from symbench.laws import (
    Counts,
    HiddenMarkov,
    Iid,
    Law,
    MarkovMixture,
    Mixture,
    Subsets,
    Words,
)
from symbench.laws.base import compositions, number_of_words
from symbench.strategies._bounds import bounds, chosen

_EXCHANGEABLE = (Iid, Mixture, Counts, Subsets)
_KINDS = (*_EXCHANGEABLE, HiddenMarkov, MarkovMixture, Words)
_MOST_WORDS = 1024  # of a law that lists its words


def distributions(size: int, *, positive: bool = False) -> st.SearchStrategy[list[Rational]]:
    """Exact probabilities of a list of things, which add up to 1; all above 0 if positive.

    >>> from hypothesis import find
    >>> find(distributions(2), lambda p: p[0] == p[1])
    [1/2, 1/2]
    >>> distributions(0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the size is 0: give an integer of at least 1
    """
    count = integer(size, "the size", at_least=1, limit=_MOST_WORDS)
    least = int(flag(positive, "positive"))
    parts = st.lists(st.integers(least, 4), min_size=count, max_size=count)
    # The first of them is certain where that will do.
    raised = parts.map(lambda found: found if any(found) else [1, *found[1:]])
    return raised.map(lambda found: [Rational(part, sum(found)) for part in found])


def laws(
    *,
    vocabulary: int = 2,
    length: int = 3,
    exchangeable: bool = False,
    positive: bool = False,
    kinds: Any = None,
) -> st.SearchStrategy[Law]:
    """Laws of words of a length: independent tokens, mixtures, counts, Markov chains, any law.

    Exchangeable ones are those that are so by their class. In positive ones every word is
    possible. kinds is a class of `sb.laws` or several: only these are drawn.

    >>> from hypothesis import find
    >>> find(laws(kinds=Iid), lambda law: law.probability((0, 0, 1)) == 0).vocabulary
    2
    >>> find(laws(kinds=[Words, Counts]), lambda law: law.length == 3).length
    3
    >>> laws(kinds=Subsets, vocabulary=3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: Subsets is a law of binary words: give vocabulary=2
    """
    tokens = integer(vocabulary, "vocabulary", at_least=1)
    size = integer(length, "length", at_least=1)
    symmetric, full = flag(exchangeable, "exchangeable"), flag(positive, "positive")
    left_out: list[type] = [Subsets] if tokens != 2 or full else []
    if tokens**size > _MOST_WORDS:
        left_out += [Counts, Words]
    fitting = [k for k in (_EXCHANGEABLE if symmetric else _KINDS) if k not in left_out]
    asked = chosen(kinds, _KINDS, fitting)
    for kind in asked:
        if symmetric and kind not in _EXCHANGEABLE:
            raise BadValue(f"{kind.__name__} is not exchangeable by its class: leave one out")
    return st.one_of([_of_kind(kind, tokens, size, full) for kind in asked])


def _of_kind(kind: type, tokens: int, size: int, full: bool) -> st.SearchStrategy[Any]:
    row = distributions(tokens, positive=full)
    iid = row.map(Iid)
    if kind is Iid:
        return iid
    if kind is Mixture:
        return _mixtures(Mixture, iid)
    if kind is Subsets:
        if tokens != 2:
            raise BadValue("Subsets is a law of binary words: give vocabulary=2")
        if full:
            raise BadValue("Subsets allows words of one weight only: leave out positive=True")
        return st.integers(0, size).map(lambda ones: Subsets(size, ones))
    if kind is HiddenMarkov:
        return hidden_markov_laws(tokens, positive=full)
    if kind is MarkovMixture:
        return _mixtures(MarkovMixture, hidden_markov_laws(tokens, positive=full))
    if tokens**size > _MOST_WORDS:
        raise TooLarge(
            f"{kind.__name__} lists {tokens}^{size} words: ask for {_MOST_WORDS} at most"
        )
    return _counts(tokens, size, full) if kind is Counts else _words(tokens, size, full)


def _mixtures(kind: Any, parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def mixed(weights: list[Rational]) -> st.SearchStrategy[Any]:
        found = st.tuples(*[parts] * len(weights))
        return found.map(lambda laws: kind(list(zip(weights, laws, strict=True))))

    sizes = st.integers(1, 3)
    return sizes.flatmap(lambda n: distributions(n, positive=True)).flatmap(mixed)


def hidden_markov_laws(
    vocabulary: int = 2, *, min_states: int = 1, max_states: int = 2, positive: bool = False
) -> st.SearchStrategy[HiddenMarkov]:
    """Hidden Markov models with a few states.

    >>> from hypothesis import find
    >>> find(hidden_markov_laws(), lambda law: law.probability((0, 1)) > 0).vocabulary
    2
    """
    tokens = integer(vocabulary, "vocabulary", at_least=1)
    low, high = bounds(min_states, max_states, "states", floor=1)
    full = flag(positive, "positive")

    def of_size(states: int) -> st.SearchStrategy[HiddenMarkov]:
        row = distributions(states, positive=full)
        moves = st.lists(row, min_size=states, max_size=states)
        emitted = distributions(tokens, positive=full)
        rows = st.lists(emitted, min_size=states, max_size=states)
        return st.builds(HiddenMarkov, row, moves, rows)

    return st.integers(low, high).flatmap(of_size)


def _counts(tokens: int, size: int, full: bool) -> st.SearchStrategy[Counts]:
    listed = list(compositions(size, tokens))

    def shared(chances: list[Rational]) -> Counts:
        rows = zip(listed, chances, strict=True)
        return Counts(tuple((c, Rational(Fraction(p) / number_of_words(c))) for c, p in rows))

    return distributions(len(listed), positive=full).map(shared)


def _words(tokens: int, size: int, full: bool) -> st.SearchStrategy[Words]:
    every = list(product(range(tokens), repeat=size))
    return distributions(len(every), positive=full).map(
        lambda chances: Words(size, tokens, tuple(zip(every, chances, strict=True)))
    )
