"""Samples that tell sparse functions apart, against enumeration of all words and all sets."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, log, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbench as sb
from symbench.errors import BadShape, BadValue, TooLarge, UnknownName
from symbench.sparse import (
    certain_identification,
    expected_rivals,
    identification,
    kernels_against_features,
    samples_to_identify,
    version_space,
)

FUNCTIONS = {"and": min, "or": max, "parity": lambda bits: sum(bits) % 2}
KINDS = st.sampled_from(sorted(FUNCTIONS))


def label(kind, word, places):
    return FUNCTIONS[kind]([word[a - 1] for a in places])


def rivals_by_enumeration(kind, T, s, m, p):
    """All words, all other sets: the chance to agree on one word, to the power m."""
    true = tuple(range(1, s + 1))
    total = Fraction(0)
    for other in combinations(range(1, T + 1), s):
        if other == true:
            continue
        agree = sum(
            prod(p if b else 1 - p for b in word)
            for word in product((0, 1), repeat=T)
            if label(kind, word, true) == label(kind, word, other)
        )
        total += agree**m
    return total


@given(KINDS, st.integers(1, 6), st.data(), st.integers(0, 5), st.integers(1, 7))
def test_expected_rivals(kind, T, data, m, eighths):
    s = data.draw(st.integers(1, T))
    p = Fraction(eighths, 8)
    assert expected_rivals(kind, T, s, m, p=p) == rivals_by_enumeration(kind, T, s, m, p)


@pytest.mark.parametrize(("T", "s", "m"), [(6, 2, 4), (9, 3, 6), (5, 1, 2)])
def test_the_balanced_chance(T, s, m):
    # With p^s = 1/2 the chance to agree is 2 p^(2s-j); here as floats.
    p = 2 ** (-1 / s)
    wanted = sum(comb(s, j) * comb(T - s, s - j) * (2 * p ** (2 * s - j)) ** m for j in range(s))
    for kind in ("and", "or"):
        assert float(expected_rivals(kind, T, s, m).mid()) == pytest.approx(wanted)


def test_vectors():
    lengths = (100, 300, 1100)
    assert [certain_identification(T, 3) for T in lengths] == [18, 23, 28]
    assert [samples_to_identify("and", T, 3) for T in lengths] == [32, 37, 43]
    assert [samples_to_identify("parity", T, 3) for T in lengths] == [20, 25, 31]


@given(KINDS, st.integers(2, 40), st.integers(1, 3), st.sampled_from(["1/5", "1/100", 3]))
def test_the_least_number(kind, T, s, goal):
    s = min(s, T)
    m = samples_to_identify(kind, T, s, rivals=goal)
    bound = Fraction(goal)

    def count(samples):
        found = expected_rivals(kind, T, s, samples)
        return float(found.mid()) if not isinstance(found, Fraction) else found

    assert count(m) <= bound
    assert m == 0 or count(m - 1) > bound


@given(st.integers(1, 60), st.integers(1, 6))
def test_certain(T, s):
    s = min(s, T)
    m = certain_identification(T, s)
    assert 2**m >= comb(T, s)
    assert m == 0 or 2 ** (m - 1) < comb(T, s)


@given(KINDS, st.integers(1, 4), st.data())
def test_version_space(kind, s, data):
    T = data.draw(st.integers(s, 6))
    words = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * T), min_size=1, max_size=6))
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(words), max_size=len(words)))
    wanted = tuple(
        places
        for places in combinations(range(1, T + 1), s)
        if [label(kind, word, places) for word in words] == labels
    )
    assert version_space(words, labels, kind, s) == wanted


@pytest.mark.parametrize("kind", sorted(FUNCTIONS))
def test_experiments_count_unique_sets(kind):
    found = identification([8], [1, 30], bits=2, kind=kind, trials=30, seed=5)
    assert found.unique[8][1] == 0  # one sample never tells 28 sets apart
    assert found.unique[8][30] >= 28  # less than one rival in 10^2 trials is expected
    assert found.threshold(8) == 30
    assert found.threshold(8, share=0) == 1


def test_growth_with_log_T():
    found = identification([50, 200, 800], range(10, 80, 5), bits=3, trials=20, seed=2)
    thresholds = [found.threshold(T) for T in (50, 200, 800)]
    assert thresholds == sorted(thresholds)
    assert thresholds[-1] < 2 * thresholds[0] + 10  # a power of T would be sixteen times as many


class TestKernelsAgainstFeatures:
    table = kernels_against_features([10, 100, 10**6])

    def test_parity_by_the_closed_form(self):
        # err >= 1 - N / C(T, s)
        for row in self.table.rows:
            assert row.kernel_parity == -(-9 * comb(row.length, 3) // 10)

    def test_conjunction_by_the_lower_bound(self):
        p = self.table.p
        law, variance = sb.laws.Iid(1 - p, p), p**3 - p**6
        for row in self.table.rows[:2]:
            errors = [
                sb.lower_bound(
                    sb.sparse.conjunction(3), length=row.length, samples=n, law=law
                ) / variance
                for n in (row.kernel_and - 1, row.kernel_and)
            ]  # fmt: skip
            assert errors[0] > Fraction(1, 10) >= errors[1]

    def test_the_gap(self):
        for row in self.table.rows:
            assert float(row.logit_gap.mid()) == pytest.approx(log((row.length - 3) / 0.3))

    def test_it_prints_and_plots(self, tmp_path):
        assert str(self.table).count("\n") == 3
        self.table.plot(tmp_path / "table.svg")
        assert (tmp_path / "table.svg").stat().st_size > 1000


def test_plot_of_an_experiment(tmp_path):
    found = identification([100, 300], [30, 60], trials=5)
    figure = found.plot(tmp_path / "curve.svg")
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert "transformers, as printed (about 70)" in labels


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: certain_identification(3, 4), BadShape),
        (lambda: certain_identification(3, 0), BadValue),
        (lambda: expected_rivals("xor", 4, 2, 1), UnknownName),
        (lambda: expected_rivals("and", 4, 2, 1, p=1), BadValue),
        (lambda: samples_to_identify("and", 4, 2, rivals=0), BadValue),
        (lambda: samples_to_identify("and", 4, 2, p="3/2"), BadValue),
        (lambda: version_space([(0, 1)], [0, 1], "and", 1), BadShape),
        (lambda: version_space([], [], "and", 1), BadShape),
        (lambda: version_space([(0, 1), (1,)], [0, 1], "and", 1), BadShape),
        (lambda: version_space([(0, 1)], [2], "and", 1), BadValue),
        (lambda: version_space([(0,) * 2000], [0], "and", 3), TooLarge),
        (lambda: identification([], [1]), BadShape),
        (lambda: identification([2], [1], bits=3), BadValue),
        (lambda: identification([4], [1]).threshold(5), BadValue),
        (lambda: kernels_against_features([10], error=2), BadValue),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
