"""Laws against sums over all words, and what is refused."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise, permutations, product

import pytest

from symbench import errors
from symbench.kernels import linear_attention
from symbench.laws import Counts, Iid, Mixture, counts
from symbench.spectra import spectrum


def polya(counts):
    """Drawing from an urn with one ball of each of two colours, returned with another one."""
    a, b = counts
    return Fraction(math.factorial(a) * math.factorial(b), math.factorial(a + b + 1))


LAWS = [
    Iid("1/3", "2/3"),
    Mixture([("1/4", Iid(1, 0)), ("3/4", Iid("1/5", "4/5"))]),
    Counts.of(polya, length=4, vocabulary=2),
]


@pytest.mark.parametrize("law", LAWS)
def test_laws_are_exchangeable_and_add_up(law):
    words = list(product(range(2), repeat=4))
    assert sum(law.probability(w) for w in words) == 1
    for w in words:
        assert {law.probability(g) for g in permutations(w)} == {law.probability(w)}
    table = Counts.of_words({w: law.probability(w) for w in words}, length=4, vocabulary=2)
    assert all(table.probability(w) == law.probability(w) for w in words)
    kernel = linear_attention(1, 1)
    assert (
        spectrum(kernel, length=4, vocabulary=2, law=law).levels
        == spectrum(kernel, length=4, vocabulary=2, law=table).levels
    )


@pytest.mark.parametrize("law", LAWS)
def test_laws_are_values(law):
    assert eval(repr(law)) == law
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    assert hash(again) == hash(law)


def test_polya_by_drawing():
    """The probability of a word, one draw after another."""
    law = Counts.of(polya, length=4, vocabulary=2)
    for word in product(range(2), repeat=4):
        urn, chance = [1, 1], Fraction(1)
        for token in word:
            chance *= Fraction(urn[token], sum(urn))
            urn[token] += 1
        assert law.probability(word) == chance


def test_a_law_that_is_not_exchangeable_shows_its_witness():
    def chance(word):
        steps = [Fraction(3, 4) if a == b else Fraction(1, 4) for a, b in pairwise(word)]
        return math.prod(steps, start=Fraction(1, 2))

    sticky = {w: chance(w) for w in product(range(2), repeat=3)}
    assert sum(sticky.values()) == 1
    witness = r"p\(0, 1, 0\) = 1/32, p\(1, 0, 0\) = 3/32"
    with pytest.raises(errors.BadValue, match=witness):
        Counts.of_words(sticky, length=3, vocabulary=2)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Iid("1/2", "1/3"), errors.BadValue),
        (lambda: Iid(), errors.BadValue),
        (lambda: Iid(2, -1), errors.BadValue),
        (lambda: Iid(0.5, 0.5), errors.NotExact),
        (lambda: Iid(None), errors.BadType),
        (lambda: Iid(True), errors.BadType),
        (lambda: Iid.uniform(0), errors.BadValue),
        (lambda: Iid.uniform(2.0), errors.NotExact),
        (lambda: Mixture(None), errors.BadType),
        (lambda: Mixture([]), errors.BadValue),
        (lambda: Mixture([(1, None)]), errors.BadType),
        (lambda: Mixture([Iid(1)]), errors.BadType),
        (lambda: Mixture([("1/2", Iid(1)), ("1/2", Iid(1, 0))]), errors.BadShape),
        (lambda: Counts(None), errors.BadType),
        (lambda: Counts((((1,), 1), ((1,), 1))), errors.BadShape),
        (lambda: Counts.of(None, length=2, vocabulary=2), errors.BadType),
        (lambda: Counts.of(lambda c: 1 / 0, length=2, vocabulary=2), errors.BadValue),
        (lambda: Counts.of(lambda c: 1, length=2, vocabulary=2), errors.BadValue),
        (lambda: Counts.of_words(None, length=2, vocabulary=2), errors.BadType),
        (lambda: Counts.of_words({"ab": 1}, length=2, vocabulary=2), errors.BadType),
        (lambda: Counts.of_words({(0, 7): 1}, length=2, vocabulary=2), errors.BadValue),
        (lambda: Counts.of_words({(0,): 1}, length=2, vocabulary=2), errors.BadShape),
        (lambda: Counts.of_words({}, length=60, vocabulary=2), errors.TooLarge),
        (lambda: Iid(1, 0).probability(None), errors.BadType),
        (lambda: Iid(1, 0).of_counts((1,)), errors.BadShape),
        (lambda: Iid(1, 0).of_counts((1, -1)), errors.BadValue),
    ],
)
def test_bad_laws(make, error):
    with pytest.raises(error):
        make()


def test_a_law_of_too_many_counts_is_refused_with_what_it_takes(monkeypatch):
    def of(length):
        return Counts.of(lambda n: Fraction(1, 3**length), length=length, vocabulary=3)

    monkeypatch.setattr(counts, "_COUNTS", 15)
    assert len(of(4).table) == 15
    with pytest.raises(
        errors.TooLarge, match=r"length 5 over 3 tokens have 21 token counts, .* 0.00063 s"
    ):
        of(5)
    for length, vocabulary in [(10**9, 40), (10**30, 10**30), (30, 10**9)]:
        with pytest.raises(errors.TooLarge, match=r"have more than [0-9. ]+ token counts.* years"):
            Counts.of(lambda n: 1, length=length, vocabulary=vocabulary)
