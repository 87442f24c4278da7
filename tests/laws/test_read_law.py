"""A law is read under a group iff no permutation in it changes a probability: all words compared.

The probabilities are written down here from the definition of each law, and every permutation of
every group is listed, so that nothing of the package decides what is expected.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import accumulate, chain, pairwise, permutations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench.errors import BadShape, BadType, BadValue, NotExact, TooLarge
from symbench.laws import (
    Counts,
    HiddenMarkov,
    Iid,
    MarkovMixture,
    Mixture,
    Subsets,
    Words,
    read_law,
    ring_chain,
    segments,
)
from symbench.laws.base import ExchangeableLaw, Law, exchangeable_law, word_table
from symbench.young.position_groups import CyclicGroup, YoungSubgroup


# --- what is expected --------------------------------------------------------------------------
def all_permutations(group, length):
    """Every permutation of a tuple of segments, or of 'cyclic', as a tuple of places."""
    if group == "cyclic":
        return [tuple((a + k) % length for a in range(length)) for k in range(length)]
    ends = list(accumulate(group))
    inside = [permutations(range(end - n, end)) for n, end in zip(group, ends, strict=True)]
    return [tuple(chain(*chosen)) for chosen in product(*inside)]


def unchanged(chances, group, length):
    """Whether no permutation of the group changes a probability."""
    moves = all_permutations(group, length)
    return all(p == chances[tuple(w[a] for a in g)] for w, p in chances.items() for g in moves)


def splittings(length):
    """All tuples of segments of this total length."""
    if length == 0:
        return [()]
    return [(n, *rest) for n in range(1, length + 1) for rest in splittings(length - n)]


def by_paths(model, word):
    """The sum over all paths of hidden states."""
    start, transition, emission = model
    total = Fraction(0)
    for path in product(range(len(start)), repeat=len(word)):
        chance = Fraction(1)
        for i, (state, token) in enumerate(zip(path, word, strict=True)):
            chance *= transition[path[i - 1]][state] if i else start[state]
            chance *= emission[state][token]
        total += chance
    return total


# --- laws, each with its probabilities from the definition ---------------------------------------
@st.composite
def rows(draw, size):
    parts = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size).filter(any))
    return [Fraction(p, sum(parts)) for p in parts]


@st.composite
def markov(draw, tokens):
    states = draw(st.integers(1, 2))
    transition = [draw(rows(states)) for _ in range(states)]
    if draw(st.booleans()):  # independent tokens after the first
        transition = [transition[0]] * states
    start = transition[0] if draw(st.booleans()) else draw(rows(states))
    return start, transition, [draw(rows(tokens)) for _ in range(states)]


@st.composite
def tables(draw, words, length):
    """Probabilities of all words, averaged over a group that is drawn."""
    weights = draw(st.lists(st.integers(0, 2), min_size=len(words), max_size=len(words)))
    assume(any(weights))
    raw = dict(zip(words, weights, strict=True))
    group = draw(st.sampled_from(["cyclic", *splittings(length)]))
    moves = all_permutations(group, length)
    mean = {w: sum(raw[tuple(w[a] for a in g)] for g in moves) for w in words}
    return {w: Fraction(n, sum(mean.values())) for w, n in mean.items()}


class Own:
    """A user's law: no more than the protocol asks for."""

    def __init__(self, chances, length, vocabulary):
        self.chances, self.length, self.vocabulary = chances, length, vocabulary

    def probability(self, word):
        return self.chances[tuple(word)]


KINDS = ["iid", "mixture", "counts", "subsets", "words", "own", "markov", "mixed markov"]


@st.composite
def cases(draw):
    """A law, its length, and the probability of each word."""
    L, V = draw(st.sampled_from([(1, 2), (2, 2), (3, 2), (4, 2), (2, 3), (3, 3)]))
    words = list(product(range(V), repeat=L))
    kind = draw(st.sampled_from(KINDS))
    if kind == "iid":
        p = draw(rows(V))
        return Iid(*p), L, {w: math.prod(p[u] for u in w) for w in words}
    if kind == "mixture":
        parts = [draw(rows(V)) for _ in range(draw(st.integers(1, 3)))]
        weights = draw(rows(len(parts)))
        pairs = list(zip(weights, parts, strict=True))
        chances = {w: sum(c * math.prod(p[u] for u in w) for c, p in pairs) for w in words}
        return Mixture([(c, Iid(*p)) for c, p in pairs]), L, chances
    if kind == "subsets":
        size = draw(st.integers(0, L))
        words = list(product(range(2), repeat=L))
        number = sum(sum(w) == size for w in words)
        return Subsets(L, size), L, {w: Fraction(sum(w) == size, number) for w in words}
    if kind in ("counts", "words", "own"):
        chances = draw(tables(words, L))
        if kind == "own":
            return Own(chances, L, V), L, chances
        if kind == "words" or not unchanged(chances, (L,), L):
            return Words.of(chances, length=L, vocabulary=V), L, chances
        return Counts.of_words(chances, length=L, vocabulary=V), L, chances
    models = [draw(markov(V)) for _ in range(1 if kind == "markov" else 2)]
    weights = draw(rows(len(models)))
    chances = {
        w: sum(c * by_paths(m, w) for c, m in zip(weights, models, strict=True)) for w in words
    }
    made = [HiddenMarkov(*model) for model in models]
    law = made[0] if kind == "markov" else MarkovMixture(list(zip(weights, made, strict=True)))
    return law, L, chances


# --- the comparison ------------------------------------------------------------------------------
def shown_words(message):
    """The two words of a message with their probabilities."""
    found = re.findall(r"p\(([\d, ]+?),?\) = ([\d/]+)", message)
    assert len(found) == 2
    return [(tuple(map(int, word.split(","))), Fraction(p)) for word, p in found]


@settings(max_examples=400, deadline=None)
@given(cases(), st.data())
def test_accepted_iff_unchanged(case, data):
    law, L, chances = case
    assert sum(chances.values()) == 1
    assert {w: law.probability(w) for w in chances} == chances
    group = data.draw(st.sampled_from(["cyclic", *splittings(L)]))
    if unchanged(chances, group, L):
        found = read_law(law, L, law.vocabulary, group)
        assert isinstance(found, Law)
        assert {w: found.probability(w) for w in chances} == chances
        if group == (L,):
            assert isinstance(found, ExchangeableLaw)
            for word, p in chances.items():
                counts = tuple(word.count(v) for v in range(law.vocabulary))
                assert found.of_counts(counts) == p
        return
    with pytest.raises(BadValue) as caught:
        read_law(law, L, law.vocabulary, group)
    (x, p), (y, q) = shown_words(str(caught.value))
    assert (chances[x], chances[y]) == (p, q)
    assert p != q
    assert y in [tuple(x[a] for a in g) for g in all_permutations(group, L)]
    name = {(L,): "exchangeable", "cyclic": "under CyclicGroup"}.get(group, "under YoungSubgroup")
    assert f"not {name}" in str(caught.value) or f"not invariant {name}" in str(caught.value)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_the_symmetry_that_a_law_says_is_one(case):
    law, L, chances = case
    if isinstance(law, Own):
        assert read_law(law, L, law.vocabulary).symmetry(L) is None
        return
    found = law.symmetry(L)
    group = "cyclic" if isinstance(found, CyclicGroup) else found.parts
    assert unchanged(chances, group, L)
    kept = [parts for parts in splittings(L) if unchanged(chances, parts, L)]
    if isinstance(law, Words) and unchanged(chances, "cyclic", L) and kept[-1] != (L,):
        assert found == CyclicGroup(L)
    else:  # segments that cannot be joined
        assert len(found.parts) == min(map(len, kept))


@settings(max_examples=100, deadline=None)
@given(cases())
def test_tables_of_words(case):
    law, L, chances = case
    assert word_table(read_law(law, L, law.vocabulary), L) == chances


# --- long words ----------------------------------------------------------------------------------
STICKY = HiddenMarkov(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], [[1, 0], [0, 1]])
COIN = HiddenMarkov([1], [[1]], [["1/3", "2/3"]])


def test_a_hidden_markov_model_of_one_state_is_exchangeable_at_any_length():
    for L in (60, 10_000):
        found = exchangeable_law(COIN, L, 2)
        assert found.symmetry(L) == YoungSubgroup(L)
        assert found.of_counts((L - 2, 2)) == Fraction(1, 3) ** (L - 2) * Fraction(4, 9)
    assert repr(found) == repr(COIN)
    coins = MarkovMixture([("1/2", COIN), ("1/2", HiddenMarkov([1], [[1]], [[1, 0]]))])
    found = exchangeable_law(coins, 60, 2)
    assert found.of_counts((60, 0)) == (1 + Fraction(1, 3) ** 60) / 2


def test_a_hidden_markov_model_of_long_words_shows_its_witness():
    with pytest.raises(BadValue) as caught:
        exchangeable_law(STICKY, 60, 2)
    (x, p), (y, q) = shown_words(str(caught.value))
    steps = [sum(a != b for a, b in pairwise(w)) for w in (x, y)]
    assert sorted(x) == sorted(y)
    assert [p, q] == [Fraction(1, 2) * Fraction(3, 4) ** (59 - n) / 4**n for n in steps]
    assert p != q
    assert read_law(STICKY, 60, 2, (1,) * 60) is STICKY
    with pytest.raises(TooLarge):
        read_law(STICKY, 60, 2, "cyclic")
    with pytest.raises(TooLarge):
        exchangeable_law(STICKY, 10**9, 2)


def test_symmetric_for_a_while():
    """Fair coins at the first four places, then a sure token and coins again."""
    L, transition = 60, [[int(j == min(i + 1, 5)) for j in range(6)] for i in range(6)]
    half = ["1/2", "1/2"]
    clock = HiddenMarkov([1, 0, 0, 0, 0, 0], transition, [half] * 4 + [[1, 0], half])
    assert clock.symmetry(L) == YoungSubgroup(4, 1, L - 5)
    assert read_law(clock, L, 2, (2, 2, 1, L - 5)) is clock
    with pytest.raises(BadValue, match=r"not invariant under YoungSubgroup\(5, 55\)"):
        read_law(clock, L, 2, (5, L - 5))


def test_subsets_of_many_points():
    law = exchangeable_law(Subsets(10**6, 2), 10**6, 2)
    assert law.of_counts((10**6 - 2, 2)) == Fraction(2, 10**6 * (10**6 - 1))
    assert law.of_counts((10**6 - 1, 1)) == 0


def test_one_token_makes_one_word():
    law = Words.of({(0,) * 50_000: 1}, length=50_000, vocabulary=1)
    assert law.symmetry(50_000) == YoungSubgroup(50_000)
    assert exchangeable_law(law, 50_000, 1).of_counts((50_000,)) == 1


def test_rings_and_segments():
    ring = ring_chain([["3/4", "1/4"], ["1/4", "3/4"]], length=4)
    assert ring.symmetry(4) == CyclicGroup(4)
    law = segments((2, Iid("1/4", "3/4")), (3, STICKY))
    assert law.symmetry(5) == YoungSubgroup(2, 1, 1, 1)
    assert law.probability((0, 1, 0, 0, 1)) == Fraction(3, 16) * Fraction(3, 32)
    assert segments((2, ring_chain([[1, 1], [1, 1]], length=2)), (1, None)).symmetry(3).parts == (
        3,
    )


# --- laws that users write -----------------------------------------------------------------------
class Polya:
    """By token counts alone, of every length."""

    vocabulary = 2

    def of_counts(self, counts):
        a, b = counts
        return Fraction(math.factorial(a) * math.factorial(b), math.factorial(a + b + 1))


def test_a_law_by_counts_alone():
    found = exchangeable_law(Polya(), 50, 2)
    assert found.probability((0,) * 49 + (1,)) == Fraction(1, 50 * 51)
    assert found.length == 50
    assert sum(word_table(exchangeable_law(Polya(), 5, 2), 5).values()) == 1


def test_nothing_is_compared_under_the_trivial_group():
    law = Own({}, 60, 2)
    assert read_law(law, 60, 2, (1,) * 60).length == 60


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: read_law(sb.words.UniformSubstitutions("PQ"), 2, 2),
            BadType,
            "a law of substitutions",
        ),
        (lambda: read_law(Iid, 2, 2), BadType, "is no law: give a law of words, None"),
        (lambda: read_law("uniform", 2, 2), BadType, "is no law"),
        (lambda: read_law(Iid(1), 2, 2), BadShape, "on 1 tokens, the vocabulary has 2"),
        (lambda: read_law(Subsets(3, 1), 2, 2), BadShape, "of length 3, the length is 2"),
        (lambda: read_law(Iid(1, 0), 2, 2, "ring"), sb.errors.UnknownName, "'ring'"),
        (lambda: read_law(Iid(1, 0), 2, 2, (3,)), BadShape, "permutes 3 positions"),
        (lambda: read_law(Own({}, 2, 2), 2, 2, (2,)), BadValue, "the law fails at"),
        (lambda: read_law(Own({(0, 0): 2}, 2, 1), 2, 1, (2,)), BadValue, "add up to 2"),
        (lambda: read_law(Own({(0, 0): -1}, 2, 1), 2, 1, (2,)), BadValue, "is -1"),
        (lambda: read_law(Own({(0, 0): 0.5}, 2, 1), 2, 1, (2,)), NotExact, "0.5"),
        (lambda: read_law(Own({}, 60, 2), 60, 2, (60,)), TooLarge, "at most 100,000"),
        (lambda: Subsets(0, 0), BadValue, "the length is 0"),
        (lambda: Subsets(3, 4), BadValue, "the size is 4"),
        (lambda: Subsets(3, None), BadType, "the size is None"),
        (lambda: Subsets(3, 1).of_counts((1,)), BadShape, "a tuple of 2 numbers"),
        (lambda: COIN.symmetry(0), BadValue, "the length is 0"),
        (lambda: ring_chain([[1, 1], [1, 1]], length=3).symmetry(4), BadShape, "of length 3"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()
