"""Exact errors over all ordered training sets, and the two theories from their equations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotInvertible,
    SymbenchError,
    TooLarge,
)
from symbench.kernels import from_table, linear_attention
from symbench.laws import HiddenMarkov, Iid
from symbench.learning import Problem, Regression, learning_curve, lower_bound
from symbench.learning.regression import predict
from symbench.learning.targets import (
    from_function,
    majority,
    parity,
    polynomial,
    truth_table,
)
from symbench.learning.theories import effective_ridge, equivalent_kernel, self_consistent
from tests.learning.asked import expected_error, simulated_error
from tests.spectra import oracles

DIFFERENCE = polynomial({(1,): 1, (2,): -1})


def flatten(x, y):
    """Linear attention with alpha = beta = 1 and flatten readout, from its covariance matrix."""
    size = len(x)
    K = [[int(x[a] == y[b]) + int(a == b) for b in range(size)] for a in range(size)]
    norm = sum(k * k for row in K for k in row)
    return sum(K[a][a] for a in range(size)) * norm


def by_definition(kernel, value, vocabulary, length, samples, ridge, law):
    """The mean error over all ordered training sets."""
    words = list(product(range(vocabulary), repeat=length))
    total = Fraction(0)
    for chosen in product(words, repeat=samples):
        chance = Fraction(1)
        for x in chosen:
            chance *= law.probability(x)
        if not chance:
            continue
        gram = [
            [Fraction(kernel(x, y)) + (ridge if i == j else 0) for j, y in enumerate(chosen)]
            for i, x in enumerate(chosen)
        ]
        a = oracles.solve(gram, [Fraction(value(x)) for x in chosen])
        for x in words:
            predicted = sum(c * kernel(x, y) for c, y in zip(a, chosen, strict=True))
            total += chance * law.probability(x) * (predicted - value(x)) ** 2
    return total


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    st.integers(0, 2),
    st.sampled_from([Fraction(1, 20), Fraction(3)]),
    st.sampled_from([Iid("1/2", "1/2"), Iid("1/4", "3/4"), Iid(0, 1)]),
)
def test_the_exact_error(table, samples, ridge, law):
    target = truth_table(table)
    wanted = by_definition(flatten, target.value, 2, 2, samples, ridge, law)
    found = expected_error(flatten, target, length=2, samples=samples, ridge=ridge, law=law)
    assert found == wanted
    kernel = linear_attention(1, 1, readout="flatten")
    again = expected_error(kernel, target, length=2, samples=samples, ridge=ridge, law=law)
    assert again == wanted


def test_three_tokens_and_tables():
    target = from_function(lambda w: w[0] - w[1], variables=2, vocabulary=3)
    law = Iid("1/2", "1/4", "1/4")
    table = from_table(lambda t: 1 + sum(t[v][v] for v in range(3)))

    def matches(x, y):
        return 1 + sum(a == b for a, b in zip(x, y, strict=True))

    wanted = by_definition(matches, target.value, 3, 2, 2, Fraction(1, 2), law)
    assert expected_error(table, target, length=2, samples=2, ridge="1/2", law=law) == wanted


def test_the_simulation_is_near_the_exact_error():
    for samples in (1, 2):
        exact = expected_error(flatten, DIFFERENCE, length=3, samples=samples, ridge="1/20")
        mean, spread = simulated_error(
            flatten, DIFFERENCE, length=3, samples=samples, ridge="1/20", trials=2000
        )
        assert spread > 0
        assert abs(mean - float(exact)) < 5 * spread
    again = simulated_error(flatten, DIFFERENCE, length=3, samples=2, ridge="1/20", trials=2000)
    assert again == (mean, spread)


def test_the_equivalent_kernel():
    levels = [(3, 1, 2), (Fraction(1, 2), 5, Fraction(1, 4)), (0, 2, 1)]
    for n in (0, 1, 10):
        wanted = sum(float(g) * (0.25 / (n * float(v) + 0.25)) ** 2 for v, _, g in levels)
        assert equivalent_kernel(levels, samples=n, ridge="1/4") == pytest.approx(wanted)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.fractions(0, 5, max_denominator=9),
            st.integers(1, 30),
            st.fractions(0, 2, max_denominator=9),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 40),
    st.fractions(Fraction(1, 100), 3, max_denominator=100),
)
def test_the_self_consistent_theory(levels, samples, ridge):
    """Bisection with 40 digits on the printed equation."""
    with mpmath.workdps(40):
        rows = [
            (mpmath.mpf(v.numerator) / v.denominator, n, mpmath.mpf(g.numerator) / g.denominator)
            for v, n, g in levels
        ]
        d = mpmath.mpf(ridge.numerator) / ridge.denominator
        low, high = d, d + sum(v * n for v, n, _ in rows)
        for _ in range(140):
            q = (low + high) / 2
            if q - d - sum(n * v * q / (samples * v + q) for v, n, _ in rows) < 0:
                low = q
            else:
                high = q
        top = sum(g * (q / (samples * v + q)) ** 2 for v, _, g in rows)
        bottom = 1 - sum(n * (samples * v / (samples * v + q)) ** 2 for v, n, _ in rows) / samples
        wanted = float(top / bottom)
    found = self_consistent(levels, samples=samples, ridge=ridge)
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_as_in_the_notes():
    """L = 6, flatten readout divided by its trace, ridge 1/20: both theories, four values."""
    words = list(product((0, 1), repeat=6))
    trace = Fraction(sum(flatten(x, x) for x in words), len(words))

    def kernel(x, y):
        return flatten(x, y) / trace

    second = polynomial({(1, 3): 1, (1, 4): -1, (2, 3): -1, (2, 4): 1})
    found = []
    for target, samples in ((DIFFERENCE, 5), (second, 20)):
        problem = Problem(kernel, target, length=6)
        levels, norm = problem.levels(), float(problem.norm)
        found.append(round(self_consistent(levels, samples=samples, ridge="1/20") / norm, 3))
        found.append(round(equivalent_kernel(levels, samples=samples, ridge="1/20") / norm, 3))
    assert found == [0.573, 0.027, 0.878, 0.291]


def test_levels_add_up():
    problem = Problem(flatten, DIFFERENCE, length=4)
    levels = problem.levels()
    assert sum(n for _, n, _ in levels) == 16
    trace = float(sum(problem.matrix[i, i] for i in range(16))) / 16
    assert sum(v * n for v, n, _ in levels) == pytest.approx(trace)
    weights = [(round(v, 9), g) for v, _, g in levels if g > 1e-9]
    assert weights == [(14.0, pytest.approx(2.0))]


def test_the_curve_and_its_plot(tmp_path):
    curve = learning_curve(
        flatten, DIFFERENCE, length=4, samples=[0, 1, 2, 9], ridge="1/20", trials=50
    )
    assert curve.exactness == "float"
    assert [x.exact is None for x in curve.points] == [False, False, False, True]
    for x in curve.points[:3]:
        assert x.bound <= x.exact
    zero = curve.points[0]
    assert zero.bound == zero.exact == curve.norm == 2
    assert zero.simulated == pytest.approx(2)
    assert zero.equivalent == zero.self_consistent == pytest.approx(2)
    assert repr(curve).splitlines()[4].split()[2] == "-"
    (axes,) = curve.plot(tmp_path / "curve.svg").axes
    assert len(axes.get_legend().get_texts()) == 5
    assert (tmp_path / "curve.svg").stat().st_size > 1000
    with pytest.raises(BadType):
        curve.plot(3)
    given_levels = learning_curve(
        flatten, DIFFERENCE, length=2, samples=[1], ridge=1, levels=[(1, 4, 2)], trials=2
    )
    assert given_levels.points[0].equivalent == pytest.approx(0.5)


def test_a_kernel_that_is_not_positive():
    problem = Problem(lambda x, y: -int(x == y), parity(1), length=2)
    with pytest.raises(BadValue, match="positive"):
        problem.levels()
    with pytest.raises(NotInvertible):
        expected_error(lambda x, y: -int(x == y), parity(1), length=1, samples=1, ridge=1)


def test_a_small_kernel_that_is_not_positive():
    """The comparison is with the largest eigenvalue, not with 1."""
    for scale in (1, 10**12):
        kernel = {0: Fraction(-1, scale), 1: Fraction(1, scale)}
        problem = Problem(lambda x, y, k=kernel: k[x[0]] * int(x == y), parity(1), length=1)
        with pytest.raises(BadValue, match="positive"):
            problem.levels()
    with pytest.raises(NotInvertible):
        simulated_error(lambda x, y: -int(x == y), parity(1), length=1, samples=1, ridge=1)
    with pytest.raises(BadValue, match="has the eigenvalue -1"):
        predict(np.diag([2.0, -1.0]), np.array([0, 1]), np.ones(2), 1e-20)


# --- very small ridges, very many samples -----------------------------------------------------
def remembering(count, ridge, test):
    """The kernel 1[x = y] on one bit, sign labels: sum over how often the words are drawn."""
    total = Fraction(0)
    for n in range(count + 1):
        chance = Fraction(comb(count, n), 2**count)
        parts = [(ridge / (m + ridge)) ** 2 for m in (n, count - n)]
        weights = (1, 1) if test else (Fraction(2 * n, count), Fraction(2 * (count - n), count))
        total += chance * sum(p * w for p, w in zip(parts, weights, strict=True)) / 2
    return total


@pytest.mark.parametrize(
    ("samples", "ridge"), [(3, Fraction(1, 10**30)), (40, Fraction(3)), (300, Fraction(1, 7))]
)
def test_words_that_are_drawn_often(samples, ridge):
    problem = Problem(lambda x, y: int(x == y), parity(1), length=1)
    found = problem.errors(samples, ridge)
    assert found.test == remembering(samples, ridge, True)
    assert found.train == remembering(samples, ridge, False)
    drawn = problem.simulate(samples, ridge, trials=400, seed=3)
    for name in ("test", "train"):
        mean, spread = getattr(drawn, name)
        assert abs(mean - float(getattr(found, name))) < 5 * spread + 1e-12


@pytest.mark.parametrize("ridge", [Fraction(1, 10**12), Fraction(1, 10**20), Fraction(1, 10**60)])
def test_a_ridge_that_rounding_loses(ridge):
    """A kernel of low rank; the limit of small ridges is projection to the span of the sections."""
    kernel = linear_attention(1, 1, readout="flatten")
    problem = Problem(kernel, majority(3), length=4, test_law=Iid("1/5", "4/5"))
    exact = problem.errors(2, ridge)
    drawn = problem.simulate(2, ridge, trials=2000, seed=5)
    for name in ("test", "shifted"):
        mean, spread = getattr(drawn, name)
        assert abs(mean - float(getattr(exact, name))) < 5 * spread
    many = problem.simulate(500, ridge, trials=3, seed=5)
    levels = problem.levels()
    missed = sum(part for value, _, part in levels if value == 0)
    # From all 16 words: what is outside the span of the kernel stays, and little else is wrong.
    assert missed - 1e-9 < many.test[0] < 1.1 * missed
    for x in (self_consistent(levels, samples=10**6, ridge=ridge),
              Problem(kernel, majority(3), length=4, test_law=Iid.uniform(2)).theories(
                  10**6, ridge).shifted[1]):  # fmt: skip
        assert x == pytest.approx(missed, rel=1e-4)


@pytest.mark.parametrize("ridge", [Fraction(1, 10**11), Fraction(1, 10**30), Fraction(1, 2)])
def test_a_singular_kernel_weighs_words_by_how_often_they_are_drawn(ridge):
    """The kernel 1 predicts the mean of all labels; two words, each drawn any number of times."""
    target = truth_table([3, -1])
    problem = Problem(lambda x, y: 1, target, length=1, law=Iid("1/4", "3/4"))
    samples, wanted = 3, Fraction(0)
    for n in range(samples + 1):
        chance = comb(samples, n) * Fraction(1, 4) ** n * Fraction(3, 4) ** (samples - n)
        mean = (3 * n - (samples - n)) / (samples + ridge)
        wanted += chance * (Fraction(1, 4) * (mean - 3) ** 2 + Fraction(3, 4) * (mean + 1) ** 2)
    assert problem.errors(samples, ridge).test == wanted
    mean, spread = problem.simulate(samples, ridge, trials=4000, seed=1).test
    assert abs(mean - float(wanted)) < 4 * spread
    assert spread < 0.03
    places = np.array([0, 0, 1])
    found = predict(np.ones((2, 2)), places, np.array([3.0, 3.0, -1.0]), float(ridge))
    assert found == pytest.approx(np.full(2, 5 / (3 + float(ridge))))


def test_the_effective_ridge_where_digits_cancel():
    """N equal to the number of directions: q^2 + (N - N) q = ... has the root by a formula."""
    for ridge in (Fraction(1, 10**6), Fraction(1, 10**20), Fraction(1, 10**40)):
        # q = d + 10 q / (10 + q): q^2 = d (10 + q)
        q = effective_ridge([(1, 10, 1)], samples=10, ridge=ridge)
        wanted = (float(ridge) + (float(ridge) ** 2 + 40 * float(ridge)) ** 0.5) / 2
        assert q == pytest.approx(wanted, rel=1e-12)
        a = 10 / (10 + wanted)
        error = self_consistent([(1, 10, 1)], samples=10, ridge=ridge)
        # 1 - a^2 = (1 - a)(1 + a), and 1 - a = q / (10 + q)
        assert error == pytest.approx((wanted / (10 + wanted)) / (1 + a), rel=1e-10)


def test_the_effective_ridge_of_eigenvalues_that_rounding_hides():
    for k in range(1, 60):
        q = effective_ridge([(k * 1e-17, 3, 0)], samples=1, ridge=1)
        assert 1 <= q <= 1 + 4e-15


@given(
    st.lists(st.tuples(st.floats(1e-20, 10), st.integers(1, 5)), min_size=1, max_size=4),
    st.integers(0, 20),
    st.fractions(Fraction(1, 100), 100, max_denominator=100),
)
@settings(max_examples=60, deadline=None)
def test_the_effective_ridge_solves_its_equation(levels, samples, ridge):
    q = effective_ridge([(v, n, 0) for v, n in levels], samples=samples, ridge=ridge)
    rest = float(ridge) + sum(n * v * q / (samples * v + q) for v, n in levels)
    assert q == pytest.approx(rest, rel=1e-9)


# --- noise, the samples themselves, another law ---------------------------------------------------
def all_three(kernel, value, length, samples, ridge, law, test_law, deviation):
    """Train, test and shifted errors over ordered samples of bits and all signs of the noise."""
    words = list(product(range(2), repeat=length))
    totals = [Fraction(0)] * 3
    for chosen in product(words, repeat=samples):
        chance = Fraction(1, 2**samples)
        for x in chosen:
            chance *= law.probability(x)
        for signs in product((-1, 1), repeat=samples):
            labels = [
                Fraction(value(x)) + s * deviation for x, s in zip(chosen, signs, strict=True)
            ]
            gram = [
                [Fraction(kernel(x, y)) + (ridge if i == j else 0) for j, y in enumerate(chosen)]
                for i, x in enumerate(chosen)
            ]
            a = oracles.solve(gram, labels)
            predicted = {
                x: sum((c * kernel(x, y) for c, y in zip(a, chosen, strict=True)), Fraction(0))
                for x in words
            }
            for x, label in zip(chosen, labels, strict=True):
                totals[0] += chance * (predicted[x] - label) ** 2 / samples
            for place, other in ((1, law), (2, test_law)):
                for x in words:
                    gap = predicted[x] - value(x)
                    totals[place] += chance * other.probability(x) * gap**2
    return totals


LAWS = [Iid("1/2", "1/2"), Iid("1/4", "3/4"), Iid(0, 1)]


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    st.integers(1, 2),
    st.sampled_from([Fraction(1, 20), Fraction(3)]),
    st.sampled_from(LAWS),
    st.sampled_from([*LAWS, Iid(1, 0)]),
    st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(3)]),
)
def test_noise_and_another_law(table, samples, ridge, law, test_law, deviation):
    target = truth_table(table)
    wanted = all_three(flatten, target.value, 2, samples, ridge, law, test_law, deviation)
    problem = Problem(flatten, target, length=2, law=law, test_law=test_law)
    found = problem.errors(samples, ridge, noise=deviation**2)
    assert [found.train, found.test, found.shifted] == wanted
    assert problem.errors(samples, ridge, noise=deviation**2).test == wanted[1]


def test_three_samples_with_noise():
    """Words that are drawn twice and three times."""
    law, test_law = Iid("1/3", "2/3"), Iid("4/5", "1/5")
    wanted = all_three(flatten, parity(1).value, 1, 3, Fraction(1, 2), law, test_law, Fraction(2))
    problem = Problem(flatten, parity(1), length=1, law=law, test_law=test_law)
    found = problem.errors(3, "1/2", noise=4)
    assert [found.train, found.test, found.shifted] == wanted


def test_no_samples():
    problem = Problem(flatten, parity(2), length=2, test_law=Iid(0, 1))
    found = problem.errors(0, 1, noise=5)
    assert (found.train, found.test, found.shifted) == (None, 1, 1)
    drawn = problem.simulate(0, 1, noise=5, trials=3, seed=0)
    assert (drawn.train, drawn.test, drawn.shifted) == (None, (1.0, 0.0), (1.0, 0.0))


def test_the_simulation_with_noise_is_near_the_exact_errors():
    problem = Problem(flatten, DIFFERENCE, length=3, test_law=Iid("1/5", "4/5"))
    exact = problem.errors(2, 4, noise="1/2")
    drawn = problem.simulate(2, 4, noise="1/2", trials=3000, seed=1)
    for name in ("train", "test", "shifted"):
        mean, spread = getattr(drawn, name)
        assert 0 < spread < 0.1
        assert abs(mean - float(getattr(exact, name))) < 5 * spread


def dense(problem, samples, ridge):
    """The operator N K / (N K + ridge) on functions of words, by a solve."""
    K, f, p = problem.arrays
    size = len(f)
    operator = K * p[None, :]
    return operator @ np.linalg.inv(operator + ridge / samples * np.eye(size)), f, p


def test_the_equivalent_kernel_with_noise():
    problem = Problem(flatten, majority(3), length=4)
    levels = problem.levels()
    for n in (3, 50):
        A, f, p = dense(problem, n, 7.0)
        missed = p @ (f - A @ f) ** 2
        test = missed + 0.25 * np.trace(A @ A) / n
        train = missed + 0.25 * (1 - 2 * np.trace(A) / n + np.trace(A @ A) / n)
        setting = {"samples": n, "ridge": 7, "noise": "1/4"}
        assert equivalent_kernel(levels, **setting) == pytest.approx(test)
        assert equivalent_kernel(levels, **setting, train=True) == pytest.approx(train)


def test_both_theories_under_another_law():
    law, other = Iid("1/3", "2/3"), Iid("4/5", "1/5")
    problem = Problem(flatten, majority(3), length=4, law=law, test_law=other)
    levels = problem.levels()
    chances = np.array(problem.test_chances, dtype=float)
    for n, noise in ((2, Fraction(0)), (20, Fraction(1, 3))):
        A, f, p = dense(problem, n, 5.0)
        variance = np.diag(A @ A) / p
        plain = chances @ ((A @ f - f) ** 2 + float(noise) / n * variance)
        q = effective_ridge(levels, samples=n, ridge=5)
        A, f, p = dense(problem, n, q)
        labels = (p @ (f - A @ f) ** 2 + float(noise)) / (1 - np.trace(A @ A) / n)
        full = chances @ ((A @ f - f) ** 2 + labels / n * np.diag(A @ A) / p)
        found = problem.theories(n, 5, noise=noise).shifted
        assert found == pytest.approx((plain, full))
        same = Problem(flatten, majority(3), length=4, law=law, test_law=law)
        pair = same.theories(n, 5, noise=noise).shifted
        setting = {"samples": n, "ridge": 5, "noise": noise}
        assert pair == pytest.approx(
            (equivalent_kernel(levels, **setting), self_consistent(levels, **setting))
        )
    assert problem.theories(0, 5).shifted == pytest.approx((1, 1))


@pytest.mark.parametrize("noise", [0, Fraction(3, 10)])
@pytest.mark.parametrize("samples", [8, 40])
def test_the_self_consistent_theory_is_near_the_simulation(samples, noise):
    """Train, test and shifted: within a quarter; the equivalent kernel is off by more."""
    kernel = linear_attention(1, 1, readout="flatten")
    problem = Problem(kernel, majority(3), length=6, test_law=Iid("1/5", "4/5"))
    ridge = problem.trace / 20
    levels = problem.levels()
    drawn = problem.simulate(samples, ridge, noise=noise, trials=300, seed=2)
    setting = {"samples": samples, "ridge": ridge, "noise": noise}
    assert self_consistent(levels, **setting) == pytest.approx(drawn.test[0], rel=1 / 4)
    train = self_consistent(levels, **setting, train=True)
    assert train == pytest.approx(drawn.train[0], rel=1 / 4)
    assert problem.theories(**setting).shifted[1] == pytest.approx(drawn.shifted[0], rel=1 / 4)
    assert abs(equivalent_kernel(levels, **setting, train=True) / drawn.train[0] - 1) > 1 / 3


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    st.integers(0, 2),
    st.sampled_from(LAWS),
    st.sampled_from([*LAWS, Iid("9/10", "1/10")]),
)
def test_the_bound_holds_under_another_law(table, samples, law, test_law):
    target = truth_table(table)
    problem = Problem(flatten, target, length=3, law=law, test_law=test_law)
    bound = lower_bound(target, length=3, samples=samples, law=test_law)
    assert problem.errors(samples, "1/20").shifted >= bound


def test_a_curve_with_everything(tmp_path):
    law, other = Iid("1/3", "2/3"), Iid("9/10", "1/10")
    curve = learning_curve(
        flatten, DIFFERENCE, length=2, samples=[0, 1, 2], ridge=2, law=law, test_law=other,
        noise="1/4", trials=400,
    )  # fmt: skip
    assert curve.names == ("test", "train", "shifted")
    assert curve.points[0].train is None
    start = curve.points[0]
    assert start.bound == start.exact == Fraction(16, 9)  # 8 p (1 - p)
    assert start.shifted.bound == start.shifted.exact == Fraction(18, 25)
    for n, point in ((1, curve.points[1]), (2, curve.points[2])):
        wanted = all_three(flatten, DIFFERENCE.value, 2, n, 2, law, other, Fraction(1, 2))
        assert [point.train.exact, point.exact, point.shifted.exact] == wanted
        assert point.bound == lower_bound(DIFFERENCE, length=2, samples=n, law=law)
        assert point.shifted.bound == lower_bound(DIFFERENCE, length=2, samples=n, law=other)
        assert point.train.bound is None
        for losses in (point.losses("test"), point.train, point.shifted):
            assert abs(losses.simulated - float(losses.exact)) < 5 * losses.spread
    for name in curve.names:
        assert len(curve.table(loss=name).splitlines()) == 4
    assert "±" in curve.table(spreads=True)
    assert "±" not in curve.table()
    figure = curve.plot(tmp_path / "all.png", losses=["train", "shifted"])
    assert [axes.get_ylabel().split()[-1] for axes in figure.axes] == ["samples", "law"]
    for bad in ("train", [], ["loss"], 3):
        with pytest.raises(SymbenchError):
            curve.plot(losses=bad)
    with pytest.raises(BadValue, match="has test, train"):
        learning_curve(flatten, parity(1), length=1, samples=[1], ridge=1, trials=2).plot(
            losses=["shifted"]
        )
    with pytest.raises(SymbenchError, match="one of test, train"):
        curve.table(loss="validation")


def test_no_bound_without_symmetry():
    def first(x, y):
        return (1 - 2 * x[0]) * (1 - 2 * y[0])

    curve = learning_curve(first, parity(1), length=2, samples=[0, 1], ridge=1, trials=2)
    assert [point.bound for point in curve.points] == [None, None]
    assert curve.points[1].exact == Fraction(1, 4)  # below what an invariant kernel could reach
    flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
    curve = learning_curve(
        flatten,
        parity(1),
        length=3,
        samples=[1],
        ridge=1,
        law=flip,
        test_law=Iid(1, 0),
        trials=2,
    )
    assert (curve.points[0].bound, curve.points[0].shifted.bound) == (None, None)
    assert curve.points[0].exact is not None


def test_linear_attention_by_tables():
    """Kernels that see only tables are evaluated once for each: the same numbers."""
    for readout in ("sum", "flatten", "last"):
        kernel = linear_attention("1/2", 3, readout=readout)
        problem = Problem(kernel, parity(1), length=3)
        text = ["".join("AB"[t] for t in word) for word in problem.points]
        assert problem.matrix.rows == tuple(tuple(kernel.value(x, y) for y in text) for x in text)


# --- points that are no words -------------------------------------------------------------------
def test_points_of_any_kind():
    """The tables of a problem, given as they are, answer as the problem does."""
    law, other = Iid("1/4", "3/4"), Iid("1/5", "4/5")
    problem = Problem(flatten, majority(1), length=2, law=law, test_law=other)
    words = [tuple(w) for w in product(range(2), repeat=2)]
    tables = Regression(
        ["".join(map(str, w)) for w in words],
        [[flatten(x, y) for y in words] for x in words],
        [majority(1).value(w) for w in words],
        [law.probability(w) for w in words],
        [other.probability(w) for w in words],
    )
    assert tables.errors(2, 3, noise="1/2") == problem.errors(2, 3, noise="1/2")
    assert tables.errors(2) == problem.errors(2, problem.trace / 20)
    assert tables.simulate(2, 3, trials=5) == problem.simulate(2, 3, trials=5)
    assert tables.levels() == problem.levels()
    assert tables.theories(4, 3) == problem.theories(4, 3)
    assert tables.bound(1) is None
    assert problem.bound(1) is not None
    assert (tables.place("10"), problem.place((1, 0))) == (2, 2)
    assert repr(tables) == "Regression: 4 points, |f|^2 = 1"


ONE, HALVES = [[1, 0], [0, 1]], ["1/2", "1/2"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Regression(3, ONE, [1, 2], HALVES), BadType),
        (lambda: Regression([], [], [], []), SymbenchError),
        (lambda: Regression([0, 1], [[1, 0]], [1, 2], HALVES), BadShape),
        (lambda: Regression([0, 1], ONE, [1], HALVES), BadShape),
        (lambda: Regression([0, 1], ONE, [1, 2], [1]), BadShape),
        (lambda: Regression([0, 1], ONE, [1, 2], HALVES, [1]), BadShape),
        (lambda: Regression([0, 1], ONE, [1, 0.5], HALVES), NotExact),
        (lambda: Regression([0, 1], [[0.5, 0], [0, 1]], [1, 2], HALVES), NotExact),
        (lambda: Regression([0, 1], ONE, [1, 2], ["1/2", "1/3"]), BadValue),
        (lambda: Regression([0, 1], ONE, [1, 2], [2, -1]), BadValue),
        (lambda: Regression([0, 1], [[1, 2], [0, 1]], [1, 2], HALVES), BadValue),
        (lambda: Regression([0, 1], ONE, [1, 2], HALVES).place(7), BadValue),
        (lambda: Regression([0, 1], ONE, [1, 2], HALVES).chances_under([1]), BadShape),
    ],
)
def test_bad_tables(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


def test_no_float_gets_through():
    assert isinstance(expected_error(flatten, DIFFERENCE, length=2, samples=1, ridge=1), Fraction)
    assert np.isfinite(self_consistent([(1, 1, 1)], samples=1, ridge=1))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: equivalent_kernel(None, samples=1, ridge=1), BadType),
        (lambda: equivalent_kernel([(10**400, 1, 1)], samples=1, ridge=1), BadValue),
        (lambda: self_consistent([(1, 1, 1)], samples=10**400, ridge=1), TooLarge),
        (
            lambda: learning_curve(flatten, parity(1), length=1, samples=[1], ridge=1, levels=3),
            BadType,
        ),
        (
            lambda: expected_error(
                flatten, parity(1), length=1, samples=10**9, ridge=1, law=Iid(1, 0)
            ),
            TooLarge,
        ),
        (lambda: expected_error(flatten, parity(1), length=1, samples=190_000, ridge=1), TooLarge),
        (lambda: simulated_error(flatten, parity(1), length=1, samples=10**30, ridge=1), TooLarge),
        (
            lambda: Problem(flatten, parity(1), length=1).errors(1, 1, most_sets=None),
            BadType,
        ),
        (lambda: equivalent_kernel([], samples=1, ridge=1), BadShape),
        (lambda: equivalent_kernel([(1, 1)], samples=1, ridge=1), BadType),
        (lambda: equivalent_kernel([(-1, 1, 1)], samples=1, ridge=1), BadValue),
        (lambda: equivalent_kernel([(None, 1, 1)], samples=1, ridge=1), BadType),
        (lambda: equivalent_kernel([(float("nan"), 1, 1)], samples=1, ridge=1), BadValue),
        (lambda: equivalent_kernel([(1, 0, 1)], samples=1, ridge=1), BadValue),
        (lambda: self_consistent([(1, 1, 1)], samples=-1, ridge=1), BadValue),
        (lambda: self_consistent([(1, 1, 1)], samples=1, ridge=0), BadValue),
        (lambda: self_consistent([(1, 1, 1)], samples=1, ridge=0.1), NotExact),
        (lambda: self_consistent([(1, 1, 1)], samples=1, ridge=None), BadType),
        (lambda: expected_error(None, parity(1), length=1, samples=1, ridge=1), BadType),
        (lambda: expected_error(3, parity(1), length=1, samples=1, ridge=1), BadType),
        (lambda: expected_error(flatten, None, length=1, samples=1, ridge=1), BadType),
        (lambda: expected_error(flatten, parity(2), length=1, samples=1, ridge=1), BadShape),
        (lambda: expected_error(flatten, parity(2), length=99, samples=1, ridge=1), TooLarge),
        (lambda: expected_error(flatten, parity(2), length=4, samples=99, ridge=1), TooLarge),
        (
            lambda: expected_error(lambda x, y: 0.5, parity(1), length=1, samples=1, ridge=1),
            NotExact,
        ),
        (
            lambda: expected_error(lambda x, y: x[9], parity(1), length=1, samples=1, ridge=1),
            BadValue,
        ),
        (
            lambda: expected_error(linear_attention(), parity(1), length=1, samples=1, ridge=1),
            BadType,
        ),
        (
            lambda: simulated_error(flatten, parity(1), length=1, samples=1, ridge=1, trials=1),
            BadValue,
        ),
        (
            lambda: simulated_error(flatten, parity(1), length=1, samples=1, ridge=1, seed=-1),
            BadValue,
        ),
        (lambda: learning_curve(flatten, parity(1), length=2, samples=3, ridge=1), BadType),
        (lambda: learning_curve(flatten, parity(1), length=2, samples=[], ridge=1), BadValue),
        (
            lambda: learning_curve(
                flatten, parity(1), length=2, samples=[1], ridge=1, most_sets=None
            ),
            BadType,
        ),
        (
            lambda: expected_error(flatten, parity(1), length=1, samples=1, ridge=1, noise=-1),
            BadValue,
        ),
        (
            lambda: expected_error(flatten, parity(1), length=1, samples=1, ridge=1, noise=0.5),
            NotExact,
        ),
        (
            lambda: expected_error(flatten, parity(1), length=1, samples=1, ridge=1, noise=None),
            BadType,
        ),
        (lambda: Problem(flatten, parity(1), length=1, test_law=3), BadType),
        (
            lambda: Problem(
                flatten, parity(1), length=1, law=HiddenMarkov([1], [[1]], [["1/3"] * 3])
            ),
            BadShape,
        ),
        (lambda: self_consistent([(1, 1, 1)], samples=0, ridge=1, train=True), BadValue),
        (lambda: self_consistent([(1, 1, 1)], samples=1, ridge=1, train=1), BadType),
        (lambda: equivalent_kernel([(1, 1, 1)], samples=1, ridge=1, noise=-1), BadValue),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
