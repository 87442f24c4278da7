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
from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotInvertible,
    SymbenchError,
    TooLarge,
)
from symbench.kernels import linear_attention
from symbench.laws import Counts, HiddenMarkov, Iid, MarkovMixture
from symbench.learning import Problem, analyse, learning_curve, lower_bound, samples_needed
from symbench.learning.meetings import parts_by_irrep
from symbench.learning.targets import (
    WordFunction,
    from_function,
    majority,
    parity,
    polynomial,
    truth_table,
)
from symbench.learning.theories import equivalent_kernel
from symbench.spectra import spectrum
from tests.learning.asked import compare_predictions, equivalent_predictor, expected_error
from tests.spectra import oracles

DIFFERENCE = polynomial({(1,): 1, (2,): -1})
FLATTEN = linear_attention(1, 1, readout="flatten")
by_hand = oracles.linear_attention(1, 1, "flatten")
HUGE = linear_attention(10**200, 1)
FLIP = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
TOKENS = WordFunction([0, 1, 2], vocabulary=3)
COIN = HiddenMarkov([1], [[1]], [["1/3", "2/3"]])


def predictor(value, length, law, samples, ridge):
    """f_N = K g, (K + ridge/N) g = f on the words that can be drawn."""
    words = oracles.words(length, 2)
    drawn = [x for x in words if law.probability(x)]
    system = [
        [by_hand(x, y) * law.probability(y) + (Fraction(ridge) / samples if x == y else 0)
         for y in drawn]
        for x in drawn
    ]  # fmt: skip
    g = oracles.solve(system, [Fraction(value(x)) for x in drawn])
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
    st.sampled_from([Iid("1/2", "1/2"), Iid("1/4", "3/4"), Iid(0, 1)]),
    st.sampled_from([Iid("1/2", "1/2"), Iid("9/10", "1/10"), Iid(1, 0)]),
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
    levels = found.problem.levels()
    theory = equivalent_kernel(levels, samples=samples, ridge=ridge)
    assert float(found.error()) == pytest.approx(theory, abs=1e-12)


def test_floats_where_exact_numbers_are_too_many():
    setting = {"length": 5, "samples": 7, "law": Iid("1/3", "2/3")}
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
        Counts.of(lambda c: "1/3" if c[0] > 0 else 0, length=2, vocabulary=2),
        Iid(0, 1),
    )
    found = compare_predictions(
        FLATTEN, majority(1), length=2, samples=2, ridge=3, law=law, test_law=other, trials=2000
    )
    words = oracles.words(2, 2)
    drawn = [x for x in words if law.probability(x)]
    means, error = [Fraction(0)] * 4, Fraction(0)
    for x, y in product(drawn, repeat=2):
        chance = law.probability(x) * law.probability(y)
        a = oracles.solve(
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
        chi = partition.character(oracles.cycle_type(g))
        total += chi * np.array(
            [values[place[tuple(w[g[a]] for a in range(length))]] for w in listed]
        )
    return total * partition.dim / factorial(length)


@pytest.mark.parametrize(
    ("target", "length", "law"),
    [
        (majority(3), 4, None),
        (truth_table([3, -1, 0, 2, 5, 1, 1, 0]), 4, Iid("1/3", "2/3")),
        (from_function(lambda w: 3 * w[0] - w[1] * w[2], variables=3, vocabulary=3), 3, None),
    ],
)
def test_parts_by_irrep(target, length, law):
    tokens = target.vocabulary
    problem = Problem(FLATTEN, target, length=length, law=law)
    found = spectrum(FLATTEN, length=length, vocabulary=tokens, law=law)
    parts = parts_by_irrep(problem, found)
    analysis = analyse(FLATTEN, target, length=length, law=law, samples=[1], trials=2)
    K, f, p = problem.arrays
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
    kernel = sb.kernels.from_table(lambda t: 1 + sum(t[v][v] for v in range(3)) ** 4)
    problem = Problem(kernel, target, length=6)
    found = spectrum(kernel, length=6, vocabulary=3)
    parts = parts_by_irrep(problem, found)
    _, f, p = problem.arrays
    for shape in (sb.Partition(4, 1, 1), sb.Partition(4, 2)):
        weight = p @ isotypic(f, shape, 6, 3) ** 2
        assert sum(part for x, _, part in parts if x == shape) == pytest.approx(weight, abs=1e-12)
    assert sum(part for _, _, part in parts) == pytest.approx(float(problem.norm))


# --- the whole path ---------------------------------------------------------------------------
def test_the_whole_path(tmp_path):
    law = Iid("9/10", "1/10")
    found = analyse(
        FLATTEN, DIFFERENCE, length=4, samples=[0, 1, 2, 12], ridge="1/20", test_law=law,
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
    found = analyse(FLATTEN, majority(3), length=4, samples=[1], trials=2)
    problem = Problem(FLATTEN, majority(3), length=4)
    values = np.linalg.eigvalsh(problem.arrays[0] / 16)
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
        analyse(k, majority(3), length=3, samples=[1, 2], trials=3) for k in (by_hand, tenfold)
    )
    assert other.ridge == 10 * one.ridge
    assert [x.exact for x in one.curve.points] == [x.exact for x in other.curve.points]
    assert one.symmetry.kernel == "all pairs"


def test_a_kernel_without_the_symmetry(tmp_path):
    last = linear_attention(1, 1, readout="last")
    found = analyse(last, majority(3), length=3, samples=[1, 4], trials=5)
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
    found = analyse(FLATTEN, majority(3), length=3, law=FLIP, samples=[1], trials=5)
    assert not found.symmetry
    assert found.symmetry.kernel == "by construction"
    assert "not exchangeable: p(" in found.symmetry.witness
    assert found.weights is None
    coin = analyse(
        FLATTEN, majority(3), length=3, law=MarkovMixture([(1, COIN)]), samples=[1], trials=5
    )
    iid = analyse(FLATTEN, majority(3), length=3, law=Iid("1/3", "2/3"), samples=[1], trials=5)
    assert coin.symmetry.law == "all words"
    assert coin.weights == iid.weights
    assert coin.curve.points[0].exact == iid.curve.points[0].exact
    assert coin.spectrum.trace == iid.spectrum.trace
    assert Problem(FLATTEN, parity(1), length=3, law=FLIP).averages == (None, None)
    assert Problem(FLATTEN, parity(1), length=2, law=FLIP).symmetry.law == "all words"
    law = analyse(FLATTEN, majority(3), length=3, samples=[1], test_law=FLIP, trials=5)
    assert law.symmetry
    assert law.curve.points[0].bound is not None
    assert law.curve.points[0].shifted.bound is None


def test_a_refusal_is_not_told_by_its_words():
    """Errors whose text speaks of invariance are still errors."""

    class Named:
        def __repr__(self):
            return "what is not invariant"

        def __call__(self, x, y):
            return sum(x)

    class Failing(Named):
        def __call__(self, x, y):
            raise RuntimeError("is not invariant")

    with pytest.raises(BadValue, match="is not symmetric"):
        Problem(Named(), parity(1), length=2)
    with pytest.raises(BadValue, match="fails at"):
        Problem(Failing(), parity(1), length=2)


def test_all_pairs_are_compared_before_a_bound_is_called_proved():
    """256 words: a sample of the pairs does not see that one of 65,536 is wrong."""
    a, b = (0, 1, 0, 1, 0, 1, 0, 1), (0, 1, 1, 0, 1, 0, 0, 1)

    def nearly(x, y):
        return 10 * int(x == y) + int({x, y} == {a, b})

    curve = learning_curve(nearly, parity(1), length=8, samples=[1], ridge=1, trials=2)
    assert curve.points[0].bound is None
    found = Problem(nearly, parity(1), length=8).symmetry
    assert found.kernel is None
    # The first transposition of neighbours moves the pair.
    assert "is not invariant under YoungSubgroup(8): k(" in found.witness
    assert "after the transposition (1 2) of positions" in found.witness
    assert str(a) in found.witness

    def even(x, y):
        return 10 * int(x == y) + int(sum(x) == sum(y))

    found = Problem(even, parity(1), length=8).symmetry
    assert (found.kernel, found.witness) == ("all pairs", None)

    def last(x, y):
        return 10 * int(x == y) + x[-1] * y[-1]

    found = Problem(last, parity(1), length=8).symmetry
    assert "after the transposition (7 8) of positions" in found.witness


def test_a_kernel_on_tables_alone():
    """An object that has on_table and nothing else."""

    class Matches:
        def on_table(self, table):
            return 1 + sum(row[u] for u, row in enumerate(table))

    def matches(x, y):
        return 1 + sum(a == b for a, b in zip(x, y, strict=True))

    one, two = (
        analyse(k, majority(3), length=3, samples=[1, 2], trials=2) for k in (Matches(), matches)
    )
    assert one.symmetry.kernel == "by construction"
    assert [x.exact for x in one.curve.points] == [x.exact for x in two.curve.points]


def test_an_eigenvalue_that_is_too_small_to_matter():
    def tiny(x, y):
        return Fraction(int(x == y), 10**400)

    found = analyse(tiny, parity(1), length=1, samples=[1], ridge=1, trials=2)
    assert found.meetings[0].eigenvalue == Fraction(1, 2 * 10**400)
    assert found.meetings[0].self_consistent is found.meetings[0].equivalent is None
    assert "takes over 10^18 samples" in found.explain()


def test_a_target_that_is_zero():
    found = analyse(FLATTEN, polynomial({}), length=2, samples=[1], trials=2)
    assert found.explain().endswith("The target is 0.")
    assert found.meetings == ()
    found.plot()


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x, y: sum(x),
        lambda x, y: x[0] + 2 * y[1] + 20 * int(x == y),  # and not invariant
        lambda x, y: int(x == y) + int(x < y),
    ],
)
def test_asymmetric_kernels_are_refused(kernel):
    for call in (
        lambda: analyse(kernel, parity(1), length=2),
        lambda: equivalent_predictor(kernel, parity(1), length=2, samples=1),
        lambda: expected_error(kernel, parity(1), length=2, samples=1, ridge=1),
    ):
        with pytest.raises(BadValue, match="not symmetric"):
            call()


def test_singular_operators():
    def negative(x, y):
        return -int(x == y)

    for backend in ("exact", "float"):
        with pytest.raises(NotInvertible, match="positive semidefinite"):
            equivalent_predictor(
                negative, parity(1), length=1, samples=1, ridge="1/2", backend=backend
            )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: analyse(None, parity(1), length=2), BadType),
        (lambda: analyse(FLATTEN, None, length=2), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=2, law=0.5), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=2, law=Iid.uniform(3)), BadShape),
        (lambda: analyse(FLATTEN, lambda w: w[0], length=2), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=None), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=11), TooLarge),
        (lambda: analyse(FLATTEN, parity(3), length=2), BadShape),
        (lambda: analyse(FLATTEN, parity(1), length=2, samples=None), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=2, samples=[1.5]), NotExact),
        (lambda: analyse(FLATTEN, parity(1), length=2, samples=[]), BadValue),
        (lambda: analyse(FLATTEN, parity(1), length=2, ridge=0.1), NotExact),
        (lambda: analyse(FLATTEN, parity(1), length=2, ridge=0), BadValue),
        (lambda: analyse(FLATTEN, parity(1), length=2, noise="x"), SymbenchError),
        (lambda: analyse(FLATTEN, parity(1), length=2, test_law="uniform"), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=2, trials=True), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=2, seed=None), BadType),
        (lambda: analyse(linear_attention(), parity(1), length=2), SymbenchError),
        (lambda: analyse(FLATTEN, parity(1), length=1, samples=[1]).plot(3), BadType),
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
        (lambda: Problem(None, parity(1), length=2), BadType),
        (lambda: analyse(FLATTEN, parity(1), length=1, samples=[10**9]), TooLarge),
        (lambda: analyse(FLATTEN, parity(1), length=1, ridge=Fraction(1, 10**400)), BadValue),
        (lambda: analyse(FLATTEN, parity(1), length=1, noise=10**400), BadValue),
        (lambda: analyse(HUGE, parity(1), length=1), BadValue),
        (lambda: analyse(FLATTEN, polynomial({(1,): 10**200}), length=1), BadValue),
        (
            lambda: equivalent_predictor(
                FLATTEN, parity(1), length=1, samples=10**400, ridge=1, backend="float"
            ),
            TooLarge,
        ),
        (
            lambda: Problem(FLATTEN, WordFunction([0, 1, 2], vocabulary=3), length=2, law=COIN),
            BadShape,
        ),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
