"""Exact errors over all ordered training sets, and the two theories from their equations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

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
from symbench.kernels import linear_attention
from symbench.spectra.invariant import TableKernel
from symbench.spectra.law import IidLaw
from symbench.spectra.learning_curves import (
    equivalent_kernel,
    kernel_levels,
    learning_curve,
    self_consistent,
)
from symbench.spectra.regression import Problem, expected_error, simulated_error
from symbench.spectra.targets import from_function, parity, polynomial, truth_table

DIFFERENCE = polynomial({(1,): 1, (2,): -1})


def flatten(x, y):
    """Linear attention with alpha = beta = 1 and flatten readout, from its covariance matrix."""
    size = len(x)
    K = [[int(x[a] == y[b]) + int(a == b) for b in range(size)] for a in range(size)]
    norm = sum(k * k for row in K for k in row)
    return sum(K[a][a] for a in range(size)) * norm


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
        a = solve(gram, [Fraction(value(x)) for x in chosen])
        for x in words:
            predicted = sum(c * kernel(x, y) for c, y in zip(a, chosen, strict=True))
            total += chance * law.probability(x) * (predicted - value(x)) ** 2
    return total


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    st.integers(0, 2),
    st.sampled_from([Fraction(1, 20), Fraction(3)]),
    st.sampled_from([IidLaw("1/2", "1/2"), IidLaw("1/4", "3/4"), IidLaw(0, 1)]),
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
    law = IidLaw("1/2", "1/4", "1/4")
    table = TableKernel(lambda t: 1 + sum(t[v][v] for v in range(3)))

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
        problem = Problem.of(kernel, target, length=6)
        levels, norm = kernel_levels(problem), float(problem.norm)
        found.append(round(self_consistent(levels, samples=samples, ridge="1/20") / norm, 3))
        found.append(round(equivalent_kernel(levels, samples=samples, ridge="1/20") / norm, 3))
    assert found == [0.573, 0.027, 0.878, 0.291]


def test_levels_add_up():
    problem = Problem.of(flatten, DIFFERENCE, length=4)
    levels = kernel_levels(problem)
    assert sum(n for _, n, _ in levels) == 16
    trace = float(sum(problem.kernel[i][i] for i in range(16))) / 16
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
    problem = Problem.of(lambda x, y: -int(x == y), parity(1), length=2)
    with pytest.raises(BadValue, match="positive"):
        kernel_levels(problem)
    with pytest.raises(NotInvertible):
        expected_error(lambda x, y: -int(x == y), parity(1), length=1, samples=1, ridge=1)


def test_no_float_gets_through():
    assert isinstance(expected_error(flatten, DIFFERENCE, length=2, samples=1, ridge=1), Fraction)
    assert np.isfinite(self_consistent([(1, 1, 1)], samples=1, ridge=1))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: equivalent_kernel(None, samples=1, ridge=1), BadType),
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
        (lambda: kernel_levels(None), BadType),
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
            BadValue,
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
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
