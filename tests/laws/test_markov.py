"""Hidden Markov models against the sum over all hidden paths, and all words."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.laws.markov import HiddenMarkov, MarkovMixture


def by_paths(model, word):
    """The sum over all paths of hidden states."""
    total = Fraction(0)
    for path in product(range(len(model.start)), repeat=len(word)):
        chance = Fraction(1)
        for i, (state, token) in enumerate(zip(path, word, strict=True)):
            chance *= model.transition[path[i - 1]][state] if i else model.start[state]
            chance *= model.emission[state][token]
        total += chance
    return total


def by_words(mixture, length):
    """Whether all words with the same tokens have the same probability, all of them compared."""
    words = product(range(mixture.vocabulary), repeat=length)
    chances = {w: sum(c * by_paths(m, w) for c, m in mixture.components) for w in words}
    return all(chances[w] == chances[tuple(sorted(w))] for w in chances)


@st.composite
def rows(draw, size):
    parts = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size).filter(any))
    return [Fraction(p, sum(parts)) for p in parts]


@st.composite
def models(draw, tokens=2, most=3):
    states = draw(st.integers(1, most))
    transition = [draw(rows(states)) for _ in range(states)]
    if draw(st.booleans()):  # a chain that forgets: independent tokens after the first
        transition = [transition[0]] * states
    emission = [draw(rows(tokens)) for _ in range(states)]
    start = transition[0] if draw(st.booleans()) else draw(rows(states))
    return HiddenMarkov(start, transition, emission)


@st.composite
def mixtures(draw):
    tokens = draw(st.integers(2, 3))
    found = draw(st.lists(models(tokens, 2), min_size=1, max_size=2))
    return MarkovMixture(list(zip(draw(rows(len(found))), found, strict=True)))


@settings(max_examples=40, deadline=None)
@given(models(), st.lists(st.integers(0, 1), max_size=4))
def test_probabilities(model, word):
    assert model.probability(word) == by_paths(model, word)
    assert eval(repr(model)) == model
    assert pickle.loads(pickle.dumps(model)) == model


@settings(max_examples=60, deadline=None)
@given(mixtures(), st.integers(0, 4))
def test_exchangeability_at_one_length(mixture, length):
    assert eval(repr(mixture)) == mixture
    found = mixture.exchangeability(length=length)
    assert found.length == length
    assert found.holds == bool(found) == by_words(mixture, length)
    check_witness(mixture, found)
    if found.words:
        assert len(found.words[0]) == length


def check_witness(mixture, found):
    if found.holds:
        assert found.words is found.probabilities is None
        assert str(found).startswith("exchangeable at")
        return
    first, second = found.words
    assert sorted(first) == sorted(second)
    chances = [sum(c * by_paths(m, w) for c, m in mixture.components) for w in found.words]
    assert chances[0] != chances[1]
    assert list(found.probabilities) == chances
    assert str(found).startswith("not exchangeable")


@settings(max_examples=40, deadline=None)
@given(mixtures())
def test_exchangeability_at_every_length(mixture):
    """At most 4 states together: spaces of dimension 4 are reached by words of length 3."""
    found = mixture.exchangeability()
    check_witness(mixture, found)
    if found.holds:
        assert all(by_words(mixture, n) for n in range(5))
    else:
        assert not by_words(mixture, len(found.words[0]))


def test_a_sticky_chain():
    sticky = HiddenMarkov(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], [[1, 0], [0, 1]])
    assert sticky.probability((0, 0, 1)) != sticky.probability((0, 1, 0))
    mixture = MarkovMixture([(1, sticky)])
    assert mixture.exchangeability(length=2)
    assert not mixture.exchangeability(length=3)
    assert not mixture.exchangeability(length=200)


def test_only_long_words_show_it():
    """A clock that emits fair coins for a while, and then counts: symmetric up to a length."""
    ticks = 5
    transition = [
        [int(j == min(i + 1, ticks + 1)) for j in range(ticks + 2)] for i in range(ticks + 2)
    ]
    emission = [["1/2", "1/2"]] * ticks + [[1, 0], ["1/2", "1/2"]]
    late = MarkovMixture([(1, HiddenMarkov([1] + [0] * (ticks + 1), transition, emission))])
    assert late.exchangeability(length=ticks)
    assert not late.exchangeability(length=ticks + 1)
    found = late.exchangeability()
    assert not found
    assert len(found.words[0]) == ticks + 1


def test_mixtures_of_coins_are_exchangeable():
    coins = [HiddenMarkov([1], [[1]], [[Fraction(k, 5), 1 - Fraction(k, 5)]]) for k in range(1, 4)]
    mixture = MarkovMixture([(Fraction(1, 3), c) for c in coins])
    assert mixture.exchangeability()
    law = mixture.iid_law()
    for word in product((0, 1), repeat=4):
        assert law.probability(word) == mixture.probability(word)
    two = MarkovMixture([(1, HiddenMarkov(["1/2", "1/2"], [["1/2", "1/2"]] * 2, [[1, 0], [0, 1]]))])
    assert two.exchangeability()  # two states, and yet independent
    with pytest.raises(BadValue, match="states"):
        two.iid_law()


def test_samples_have_the_law():
    sticky = HiddenMarkov(
        ["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], [["5/6", "1/6"], [0, 1]]
    )
    mixture = MarkovMixture([("1/4", sticky), ("3/4", HiddenMarkov([1], [[1]], [["1/3", "2/3"]]))])
    drawn = mixture.sample(3, count=20_000, seed=7)
    assert drawn == mixture.sample(3, count=20_000, seed=7)
    counts = Counter(drawn)
    for word in product((0, 1), repeat=3):
        p = float(mixture.probability(word))
        assert abs(counts[word] - 20_000 * p) < 5 * (20_000 * p * (1 - p)) ** 0.5
    assert mixture.sample(0, count=2) == [(), ()]


def test_a_permutation_of_three_tokens():
    cycle = HiddenMarkov(
        ["1/3"] * 3, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    )
    mixture = MarkovMixture([(1, cycle)])
    chances = {w: mixture.probability(w) for w in permutations(range(3))}
    assert sorted(chances.values()) == [0, 0, 0, Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]
    assert not mixture.exchangeability(length=2)


COIN = HiddenMarkov([1], [[1]], [["1/2", "1/2"]])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: HiddenMarkov(None, [[1]], [[1]]), BadType),
        (lambda: HiddenMarkov("1", [[1]], [[1]]), BadType),
        (lambda: HiddenMarkov([0.5, 0.5], [[1, 0], [0, 1]], [[1], [1]]), NotExact),
        (lambda: HiddenMarkov(["1/2"], [[1]], [[1]]), BadValue),
        (lambda: HiddenMarkov([2, -1], [[1, 0], [0, 1]], [[1], [1]]), BadValue),
        (lambda: HiddenMarkov([1], [[1], [1]], [[1]]), BadShape),
        (lambda: HiddenMarkov([1], [[1, 0]], [[1]]), BadShape),
        (lambda: HiddenMarkov([1], [1], [[1]]), BadType),
        (lambda: HiddenMarkov([1], None, [[1]]), BadType),
        (lambda: HiddenMarkov([1, 0], [[1, 0], [0, 1]], [[1], [1, 0]]), BadShape),
        (lambda: HiddenMarkov([], [], []), BadValue),
        (lambda: MarkovMixture(None), BadType),
        (lambda: MarkovMixture([]), BadValue),
        (lambda: MarkovMixture([COIN]), BadType),
        (lambda: MarkovMixture([(1, None)]), BadType),
        (lambda: MarkovMixture([("1/2", COIN)]), BadValue),
        (lambda: MarkovMixture([(0.5, COIN), (0.5, COIN)]), NotExact),
        (
            lambda: MarkovMixture([("1/2", COIN), ("1/2", HiddenMarkov([1], [[1]], [[1]]))]),
            BadShape,
        ),
        (lambda: COIN.probability((2,)), BadValue),
        (lambda: COIN.probability(None), BadType),
        (lambda: MarkovMixture([(1, COIN)]).sample(-1), BadValue),
        (lambda: MarkovMixture([(1, COIN)]).sample(2, count=None), BadType),
        (lambda: MarkovMixture([(1, COIN)]).sample(2, seed=0.5), NotExact),
        (lambda: MarkovMixture([(1, COIN)]).exchangeability(length=-1), BadValue),
        (lambda: MarkovMixture([(1, COIN)]).exchangeability(length="3"), BadType),
        (lambda: MarkovMixture([(1, COIN)]).exchangeability(length=10**15), TooLarge),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


def test_the_probability_of_a_long_word_in_fractions():
    """Against the forward recursion, with every number reduced."""
    start, transition = [Fraction(1, 3), Fraction(2, 3)], [[Fraction(1, 2)] * 2, [0, 1]]
    emission = [[Fraction(1, 5), Fraction(4, 5)], [Fraction(3, 7), Fraction(4, 7)]]
    law, word = HiddenMarkov(start, transition, emission), (0, 1, 1, 0, 1) * 60
    here = start
    for n, token in enumerate(word):
        if n:
            here = [sum(here[i] * transition[i][j] for i in (0, 1)) for j in (0, 1)]
        here = [here[j] * emission[j][token] for j in (0, 1)]
    assert law.probability(word) == sum(here)
    assert law.probability(()) == 1
