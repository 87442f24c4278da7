"""The whole path, and predictions word by word, against sums over all words and permutations."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.kernels import linear_attention
from symbench.spectra import spectrum
from symbench.spectra.data.markov import HiddenMarkov, MarkovMixture
from symbench.spectra.law import CountsLaw, IidLaw
from symbench.spectra.learnability.analysis import analyse
from symbench.spectra.learnability.isotypic import parts_by_irrep
from symbench.spectra.learnability.lower_bounds import lower_bound, samples_needed
from symbench.spectra.learnability.predictions import compare_predictions, equivalent_predictor
from symbench.spectra.learnability.regression import Problem
from symbench.spectra.learnability.symmetry import exchangeable_law, symmetry_of
from symbench.spectra.learnability.targets import (
    from_function,
    majority,
    parity,
    polynomial,
    truth_table,
)
from symbench.spectra.learnability.theories import equivalent_kernel, kernel_levels
from tests.spectra import oracles

DIFFERENCE = polynomial({(1,): 1, (2,): -1})
FLATTEN = linear_attention(1, 1, readout="flatten")
by_hand = oracles.linear_attention(1, 1, "flatten")
FLIP = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
COIN = HiddenMarkov([1], [[1]], [["1/3", "2/3"]])


def solve(matrix, right):
    """Gauss and Jordan with fractions."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(j for j in range(i, len(rows)) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def predictor(value, length, law, samples, ridge):
    """f_N = K g, (K + ridge/N) g = f on the words that can be drawn."""
    words = oracles.words(length, 2)
    drawn = [x for x in words if law.probability(x)]
    system = [
        [by_hand(x, y) * law.probability(y) + (Fraction(ridge) / samples if x == y else 0)
         for y in drawn]
        for x in drawn
    ]  # fmt: skip
    g = solve(system, [Fraction(value(x)) for x in drawn])
    return [
        sum((by_hand(x, y) * law.probability(y) * c for y, c in zip(drawn, g, strict=True)), 0)
        for x in words
    ]


# --- predictions ------------------------------------------------------------------------------
@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    st.integers(1, 9),
    st.sampled_from([Fraction(1, 20), Fraction(3)]),
    st.sampled_from([IidLaw("1/2", "1/2"), IidLaw("1/4", "3/4"), IidLaw(0, 1)]),
    st.sampled_from([IidLaw("1/2", "1/2"), IidLaw("9/10", "1/10"), IidLaw(1, 0)]),
)
def test_the_equivalent_predictor(table, samples, ridge, law, other):
    target = truth_table(table)
    found = equivalent_predictor(FLATTEN, target, length=2, samples=samples, ridge=ridge, law=law)
    wanted = predictor(target.value, 2, law, samples, ridge)
    words = oracles.words(2, 2)
    assert found.exactness == "exact"
    assert list(found.values) == wanted == [found.value(x) for x in words]
    for one, given_law in ((law, None), (other, other)):
        error = sum(
            one.probability(x) * (y - target.value(x)) ** 2
            for x, y in zip(words, wanted, strict=True)
        )
        assert found.error(given_law) == error
    levels = kernel_levels(found.problem)
    theory = equivalent_kernel(levels, samples=samples, ridge=ridge)
    assert float(found.error()) == pytest.approx(theory, abs=1e-12)


def test_floats_where_exact_numbers_are_too_many():
    setting = {"length": 5, "samples": 7, "law": IidLaw("1/3", "2/3")}
    exact = equivalent_predictor(FLATTEN, majority(3), **setting)
    found = equivalent_predictor(FLATTEN, majority(3), backend="float", **setting)
    assert found.exactness == "float"
    assert found.digits >= 8
    assert np.allclose(found.values, [float(v) for v in exact.values], rtol=1e-9)
    assert found.error() == pytest.approx(float(exact.error()))
    assert isinstance(found.error(), float)
    large = equivalent_predictor(FLATTEN, parity(1), length=9, samples=2)
    assert large.exactness == "float"


def test_no_samples_no_prediction():
    found = equivalent_predictor(FLATTEN, DIFFERENCE, length=2, samples=0)
    assert set(found.values) == {0}
    assert found.error() == 2
    assert found.ridge == found.problem.trace / 20


def test_regression_beside_it(tmp_path):
    """The mean prediction over all ordered samples; the test law is off the support."""
    law, other = (
        CountsLaw.of(lambda c: "1/3" if c[0] > 0 else 0, length=2, vocabulary=2),
        IidLaw(0, 1),
    )
    found = compare_predictions(
        FLATTEN, majority(1), length=2, samples=2, ridge=3, law=law, test_law=other, trials=2000
    )
    words = oracles.words(2, 2)
    drawn = [x for x in words if law.probability(x)]
    means, error = [Fraction(0)] * 4, Fraction(0)
    for x, y in product(drawn, repeat=2):
        chance = law.probability(x) * law.probability(y)
        a = solve(
            [[Fraction(by_hand(s, t)) + 3 * (i == j) for j, t in enumerate((x, y))]
             for i, s in enumerate((x, y))],
            [Fraction(majority(1).value(s)) for s in (x, y)],
        )  # fmt: skip
        predicted = [a[0] * by_hand(w, x) + a[1] * by_hand(w, y) for w in words]
        means = [m + chance * v for m, v in zip(means, predicted, strict=True)]
        error += chance * (predicted[3] - 1) ** 2
    assert list(found.exact_mean) == means
    assert found.exact.shifted == error
    for mean, spread, exact in zip(found.mean, found.deviation, means, strict=True):
        assert abs(mean - float(exact)) < 5 * spread / 2000**0.5 + 1e-12
    wanted = predictor(majority(1).value, 2, law, 2, 3)
    assert found.equivalent[1] == (wanted[3] - 1) ** 2
    assert found.table().splitlines()[-1].startswith("test law")
    (axes,) = found.plot(tmp_path / "predictions.png").axes
    assert len(axes.get_legend().get_texts()) == 3  # seen, never seen, equal
    with pytest.raises(BadType):
        found.plot(3)


# --- irreducibles -----------------------------------------------------------------------------
def isotypic(values, partition, length, vocabulary):
    """The projection dim/L! sum chi(g) g f, over the whole group."""
    listed = oracles.words(length, vocabulary)
    place = {w: k for k, w in enumerate(listed)}
    total = np.zeros(len(listed))
    for g in permutations(range(length)):
        seen, cycles = set(), []
        for a in range(length):
            n = 0
            while a not in seen:
                seen.add(a)
                a, n = g[a], n + 1
            if n:
                cycles.append(n)
        chi = partition.character(sorted(cycles, reverse=True))
        total += chi * np.array(
            [values[place[tuple(w[g[a]] for a in range(length))]] for w in listed]
        )
    return total * partition.dim / factorial(length)


@pytest.mark.parametrize(
    ("target", "length", "law"),
    [
        (majority(3), 4, None),
        (truth_table([3, -1, 0, 2, 5, 1, 1, 0]), 4, IidLaw("1/3", "2/3")),
        (from_function(lambda w: 3 * w[0] - w[1] * w[2], variables=3, vocabulary=3), 3, None),
    ],
)
def test_parts_by_irrep(target, length, law):
    tokens = target.vocabulary
    problem = Problem.of(FLATTEN, target, length=length, law=law)
    found = spectrum(FLATTEN, length=length, vocabulary=tokens, law=law)
    parts = parts_by_irrep(problem, found)
    analysis = analyse(FLATTEN, law, target, length=length, samples=[1], trials=2)
    K, f, p = problem.arrays()
    for shape in found.partitions:
        here = isotypic(f, shape, length, tokens)
        weight = p @ here**2
        assert float(analysis.weights.get(shape, 0)) == pytest.approx(weight, abs=1e-9)
        assert sum(part for x, _, part in parts if x == shape) == pytest.approx(weight, abs=1e-9)
        # The mean of the kernel and of its square on this part: two moments of the parts.
        image = (K * p) @ here
        first = sum(float(v) * part for x, v, part in parts if x == shape)
        assert first == pytest.approx(p @ (here * image), abs=1e-7)
        second = sum(float(v) ** 2 * part for x, v, part in parts if x == shape)
        assert second == pytest.approx(p @ image**2, abs=1e-6)


def test_irreps_that_transpositions_do_not_tell_apart():
    """L = 6: (4,1,1) and (3,3) have the same content sum, and three tokens have both."""
    target = from_function(lambda w: w[0] + 2 * w[0] * w[1], variables=2, vocabulary=3)
    kernel = sb.spectra.TableKernel(lambda t: 1 + sum(t[v][v] for v in range(3)) ** 4)
    problem = Problem.of(kernel, target, length=6)
    found = spectrum(kernel, length=6, vocabulary=3)
    parts = parts_by_irrep(problem, found)
    _, f, p = problem.arrays()
    for shape in (sb.Partition(4, 1, 1), sb.Partition(4, 2)):
        weight = p @ isotypic(f, shape, 6, 3) ** 2
        assert sum(part for x, _, part in parts if x == shape) == pytest.approx(weight, abs=1e-12)
    assert sum(part for _, _, part in parts) == pytest.approx(float(problem.norm))


# --- the whole path ---------------------------------------------------------------------------
def test_the_whole_path(tmp_path):
    law = IidLaw("9/10", "1/10")
    found = analyse(
        FLATTEN, None, DIFFERENCE, length=4, samples=[0, 1, 2, 12], ridge="1/20", test_law=law,
        trials=50,
    )  # fmt: skip
    assert (found.symmetry.kernel, found.symmetry.law) == ("by construction", "by construction")
    assert {str(s): w for s, w in found.weights.items()} == {"3+1": 2}
    assert found.spectrum["3+1"].eigenvalues[0] == 14
    (meeting,) = found.meetings
    assert (meeting.eigenvalue, meeting.dimension) == (14, 3)
    assert meeting.part == pytest.approx(2)
    assert meeting.bound == samples_needed(DIFFERENCE, length=4, error=1) == 2
    assert meeting.equivalent == pytest.approx(1 / 280)
    for point in found.curve.points[:3]:
        assert point.bound == lower_bound(DIFFERENCE, length=4, samples=point.samples)
        assert point.bound <= point.exact
        assert point.shifted.bound <= point.shifted.exact
    assert found.curve.points[3].exact is None
    assert "3+1" in found.table()
    assert "under the test law" in str(found)
    assert "  100% meets the eigenvalue 14, half learned at N = " in found.explain()
    figure = found.plot(tmp_path / "analysis.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "analysis.png").stat().st_size > 1000
    assert found.exactness == "float"
    assert found.spectrum.exactness == "exact"


def test_how_many_samples_the_theory_wants():
    """Go through N = 1, 2, ...: the first at which N l >= q, q by fixed-point iteration."""
    found = analyse(FLATTEN, None, majority(3), length=4, samples=[1], trials=2)
    problem = Problem.of(FLATTEN, majority(3), length=4)
    values = np.linalg.eigvalsh(problem.arrays()[0] / 16)
    ridge = float(found.ridge)
    assert ridge == pytest.approx(values.sum() / 20)
    for x in found.meetings:
        if x.self_consistent is None:
            assert x.eigenvalue == 0
            continue
        n = 0
        while True:
            n += 1
            q = ridge + values.sum()
            for _ in range(5000):
                q = ridge + (values * q / (n * values + q)).sum()
            if n * float(x.eigenvalue) >= q:
                break
        assert x.self_consistent == n


def test_the_default_ridge_does_not_see_the_scale():
    def tenfold(x, y):
        return 10 * by_hand(x, y)

    one, other = (
        analyse(k, None, majority(3), length=3, samples=[1, 2], trials=3)
        for k in (by_hand, tenfold)
    )
    assert other.ridge == 10 * one.ridge
    assert [x.exact for x in one.curve.points] == [x.exact for x in other.curve.points]
    assert one.symmetry.kernel == "all pairs"


def test_a_kernel_without_the_symmetry(tmp_path):
    last = linear_attention(1, 1, readout="last")
    found = analyse(last, None, majority(3), length=3, samples=[1, 4], trials=5)
    assert not found.symmetry
    assert not found.symmetry.holds
    assert found.symmetry.kernel is None
    assert "transposition (2 3)" in found.symmetry.witness
    assert found.weights is found.spectrum is None
    assert found.meetings == ()
    assert [x.bound for x in found.curve.points] == [None, None]
    assert found.explain().startswith("There is no symmetry: linear_attention")
    assert "not symmetric" in repr(found)
    assert len(found.plot(tmp_path / "no.png").axes) == 2


def test_hidden_markov_laws():
    found = analyse(FLATTEN, FLIP, majority(3), length=3, samples=[1], trials=5)
    assert not found.symmetry
    assert found.symmetry.kernel == "by construction"
    assert "not exchangeable: p(" in found.symmetry.witness
    assert found.weights is None
    coin = analyse(
        FLATTEN, MarkovMixture([(1, COIN)]), majority(3), length=3, samples=[1], trials=5
    )
    iid = analyse(FLATTEN, IidLaw("1/3", "2/3"), majority(3), length=3, samples=[1], trials=5)
    assert coin.symmetry.law == "all words"
    assert coin.weights == iid.weights
    assert coin.curve.points[0].exact == iid.curve.points[0].exact
    assert coin.spectrum.trace == iid.spectrum.trace
    assert exchangeable_law(FLIP, length=3, vocabulary=2) is None
    assert symmetry_of(FLATTEN, FLIP, length=2, vocabulary=2).law == "all words"
    law = analyse(FLATTEN, None, majority(3), length=3, samples=[1], test_law=FLIP, trials=5)
    assert law.symmetry
    assert law.curve.points[0].bound is not None
    assert law.curve.points[0].shifted.bound is None


def test_a_target_that_is_zero():
    found = analyse(FLATTEN, None, polynomial({}), length=2, samples=[1], trials=2)
    assert found.explain().endswith("The target is 0.")
    assert found.meetings == ()
    found.plot()


def test_asymmetric_kernels_are_refused():
    with pytest.raises(BadValue, match="not symmetric"):
        analyse(lambda x, y: sum(x), None, parity(1), length=2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: analyse(None, None, parity(1), length=2), BadType),
        (lambda: analyse(FLATTEN, parity(1), None, length=2), BadType),
        (lambda: analyse(FLATTEN, 0.5, parity(1), length=2), BadType),
        (lambda: analyse(FLATTEN, IidLaw.uniform(3), parity(1), length=2), BadShape),
        (lambda: analyse(FLATTEN, None, lambda w: w[0], length=2), BadType),
        (lambda: analyse(FLATTEN, None, parity(1), length=None), BadType),
        (lambda: analyse(FLATTEN, None, parity(1), length=11), TooLarge),
        (lambda: analyse(FLATTEN, None, parity(3), length=2), BadShape),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, samples=None), BadType),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, samples=[1.5]), NotExact),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, samples=[]), BadValue),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, ridge=0.1), NotExact),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, ridge=0), BadValue),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, noise="x"), SymbenchError),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, test_law="uniform"), BadType),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, trials=True), BadType),
        (lambda: analyse(FLATTEN, None, parity(1), length=2, seed=None), BadType),
        (lambda: analyse(linear_attention(), None, parity(1), length=2), SymbenchError),
        (lambda: analyse(FLATTEN, None, parity(1), length=1, samples=[1]).plot(3), BadType),
        (lambda: equivalent_predictor(FLATTEN, parity(1), length=1, samples=-1), SymbenchError),
        (
            lambda: equivalent_predictor(FLATTEN, parity(1), length=1, samples=1, backend="ball"),
            SymbenchError,
        ),
        (
            lambda: equivalent_predictor(FLATTEN, parity(1), length=1, samples=1).value((0, 1)),
            BadShape,
        ),
        (lambda: equivalent_predictor(FLATTEN, parity(1), length=1, samples=1).value("a"), BadType),
        (lambda: equivalent_predictor(FLATTEN, parity(1), length=1, samples=1).error(3), BadType),
        (
            lambda: compare_predictions(FLATTEN, parity(1), length=1, samples=1, trials=0),
            SymbenchError,
        ),
        (lambda: symmetry_of(None, None, length=2, vocabulary=2), BadType),
        (lambda: exchangeable_law(COIN, length=2, vocabulary=3), BadShape),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
