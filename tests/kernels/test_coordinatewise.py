"""Attention without normalisation at finite parameters: integrals, random numbers, series."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.kernels import Diagram, attention, polynomial, transformer
from symbench.kernels.activations.exact import enclosure
from symbench.kernels.softmax.conditioning import conditioning
from symbench.kernels.softmax.coordinatewise import coordinatewise_value
from tests.kernels.simulation import simulate_attention_kernel, simulate_network

FUNCTIONS = {
    "exponential": np.exp,
    "linear": lambda t: t,
    "sigmoid": lambda t: 1 / (1 + np.exp(-t)),
}


def dual(f, variance, covariance):
    """E f(u) f(v) by the trapezoid rule in two independent Gaussians."""
    nodes = np.arange(-12, 12, 0.04)
    weights = 0.04 * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)
    a = math.sqrt(max((variance + covariance) / 2, 0)) * nodes[:, None]
    b = math.sqrt(max((variance - covariance) / 2, 0)) * nodes[None, :]
    return float(weights @ (f(a + b) * f(a - b)) @ weights)


def oracle(x, y, beta, gamma, f, scale="main"):
    """The sum over pairs of positions, each mean an integral, from the printed covariances."""
    own, across = 1.0, 1.0
    if scale == "appendix-H":
        own, across = 1 + gamma**2, (x[-1] == y[-1]) + gamma**2
    total = 0.0
    for a, s in enumerate(x):
        for b, t in enumerate(y):
            link = (s == t) + gamma**2 * (a == b)
            if link:
                variance = beta**2 * own * (1 + gamma**2)
                total += link * dual(f, variance, beta**2 * across * link)
    return total


def number(value):
    """A float from any of the three kinds of value."""
    if isinstance(value, sb.rings.Exponential):
        return float(sum(float(c) * math.exp(float(e)) for e, c in value.terms))
    return float(value)


words = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.text("ABCD", min_size=k, max_size=k)] * 2)
)


@settings(max_examples=25, deadline=None)
@given(
    words,
    st.sampled_from(list(FUNCTIONS)),
    st.sampled_from(["1/3", "1", "3/2"]),
    st.sampled_from(["0", "1/2", "1"]),
    st.sampled_from(["main", "appendix-H"]),
)
def test_values_are_sums_of_integrals(pair, weights, beta, gamma, scale):
    kernel = attention(beta=beta, gamma=gamma, normalise=False, weights=weights)
    value = kernel.with_softmax_scale(scale).value(*pair)
    f = FUNCTIONS[weights]
    expected = oracle(*pair, float(Fraction(beta)), float(Fraction(gamma)), f, scale)
    assert abs(number(value) - expected) <= 1e-7 * abs(expected) + 1e-14
    floats = attention(
        beta=float(Fraction(beta)), gamma=float(Fraction(gamma)), normalise=False, weights=weights
    )
    again = floats.with_softmax_scale(scale).value(*pair, digits=9)
    assert abs(number(again) - number(value)) <= 1e-9 * abs(expected)


def test_kinds_of_number():
    exact, ball = (
        attention(beta=1, gamma=1, normalise=False, weights=w) for w in ("exponential", "sigmoid")
    )
    # Covariance 1 at two pairs, 1 = gamma^2 at two: 4 e^(2 + 1).
    assert exact.value("AB", "BA").terms == ((3, 4),)
    assert isinstance(ball.value("AB", "BA", digits=40), flint.arb)
    assert ball.value("AB", "BA", digits=40).rad() < flint.arb("1e-40")
    linear = attention(beta="1/2", gamma=2, normalise=False, weights="linear")
    # Two pairs share a token (1), two a place (4): (1/4) (2 * 1^2 + 2 * 4^2).
    assert linear.value("AB", "BA") == Fraction(34, 4)
    assert [k.exactness for k in (exact, ball, linear)] == ["exact", "ball", "exact"]
    apart = attention(beta=1, gamma=0, normalise=False, weights="sigmoid")
    assert apart.value("AB", "CD") == 0


@pytest.mark.parametrize("weights", FUNCTIONS)
def test_small_beta_is_the_series(weights):
    beta = Fraction(1, 40)
    series = attention(normalise=False, weights=weights).taylor("ABA", "BAC", beta=6)
    expected = sum(c * beta**i * Fraction(1, 2) ** j for (i, j), c in series.items())
    kernel = attention(beta=beta, gamma="1/2", normalise=False, weights=weights)
    assert abs(number(kernel.value("ABA", "BAC")) / float(expected) - 1) < 1e-9


@pytest.mark.parametrize("weights", FUNCTIONS)
def test_random_numbers_and_networks(weights):
    x, y, beta, gamma = "AB*", "BC*", 0.4, 0.5
    kernel = attention(beta=beta, gamma=gamma, normalise=False, weights=weights)
    found = simulate_attention_kernel(x, y, beta, gamma, samples=60_000, seed=2, weights=weights)
    assert found.is_near(number(kernel.value(x, y)))
    network = simulate_network(
        x, y, beta, gamma, samples=1200, seed=4, embedding=120, head=60, weights=weights
    )
    assert network.is_near(number(kernel.with_softmax_scale("appendix-H").value(x, y)))


@pytest.mark.parametrize("weights", FUNCTIONS)
def test_template_matrices(weights):
    kernel = attention(beta=1, gamma="1/2", normalise=False, weights=weights)
    wild = sb.template_matrix([sb.Template("αα"), sb.Template("αβ")], kernel)
    assert sb.certify(wild).kind == "singular"
    seen = sb.template_matrix([sb.Template("Aα"), sb.Template("αA")], kernel)
    rows = [["AB*", "BA*"], ["AC*", "CA*"]]
    for i in range(2):
        for j in range(2):
            value = kernel.value(rows[0][i], rows[1][j])
            assert abs(number(seen.matrix[i, j]) - number(value)) < 1e-12
    assert sb.certify(seen).kind in ("nonsingular", "nonsingular-balls")


def test_conditioning_with_other_weights():
    found = conditioning([sb.Template("Aα"), sb.Template("αA")], [1], [1], weights="linear")
    # The diagonal has the two shared tokens and the places, the rest their parts: exact numbers.
    kernel = attention(beta=1, gamma=1, normalise=False, weights="linear")
    a, b = kernel.value("AB*", "AC*"), kernel.value("AB*", "CA*")
    assert abs(found.smallest[0, 0] - float(a - b)) < 1e-9


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: simulate_attention_kernel("A", "A", 1, 1, samples=9, seed=0, weights=None),
         errors.UnknownName),
        (lambda: simulate_attention_kernel("", "", 1, 1, samples=9, seed=0, scale="appendix-H"),
         errors.BadValue),
        (lambda: conditioning([sb.Template("α")], [1], [1], weights="hard"), errors.UnknownName),
        (lambda: attention(beta=1.0, gamma=1, normalise=False).value("A", "A", digits=20),
         errors.Undecided),
        (lambda: attention(beta=50.0, gamma=1, normalise=False).value("A", "A"), errors.BadValue),
        (lambda: attention(beta=1, gamma=1, normalise=False).value("", ""), errors.BadValue),
        (lambda: attention(beta=1, gamma=1, normalise=False).value("A", "A", digits=0),
         errors.BadValue),
        (lambda: attention(beta=10**9, gamma=1, normalise=False, weights="sigmoid").value(
            "A", "B"), errors.TooLarge),
    ],
)  # fmt: skip
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_a_value_beyond_all_floats_is_not_zero():
    pair = Diagram.of("AB", "BA")
    for beta in (1e30, 1e10, 30.0):
        with pytest.raises(errors.BadValue, match="beyond the largest float"):
            coordinatewise_value(pair, beta, 1, weights="exponential")
    with pytest.raises(errors.Undecided, match="not known to 10 digits"):
        coordinatewise_value(pair, 1e200, 1, weights="exponential")
    with pytest.raises(errors.BadValue, match="below the smallest float"):
        coordinatewise_value(pair, 1e-200, 1, weights="linear")
    assert float(coordinatewise_value(pair, 0.0, 1, weights="linear")) == 0


def test_digits_beyond_reason_are_refused_where_they_matter():
    pair = Diagram.of("AB", "BA")
    with pytest.raises(errors.TooLarge, match="at most 10000"):
        coordinatewise_value(pair, 1, 1, weights="sigmoid", digits=10**9)
    for weights in ("exponential", "linear"):
        exact = coordinatewise_value(pair, 1, 1, weights=weights)
        assert coordinatewise_value(pair, 1, 1, weights=weights, digits=10**9) == exact


@pytest.mark.parametrize("given", [None, "a", 1.5, True])
def test_only_numbers_have_an_enclosure(given):
    with pytest.raises(errors.SymbenchError):
        enclosure(given)


@given(
    st.tuples(*[st.text("AB", min_size=2, max_size=2)] * 2),
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    st.sampled_from(["exponential", "sigmoid", "linear"]),
)
@settings(max_examples=25, deadline=None)
def test_polynomial_layers_over_attention_without_normalisation(pair, coefficients, weights):
    x, y = pair
    below = attention(beta="1/2", gamma=1, normalise=False, weights=weights)
    kernel = transformer(polynomial(coefficients), below)
    found = kernel.value(x, y)
    # E (a + b u + c u^2)(a + b v + c v^2), by hand.
    A, B, C = below.value(x, x), below.value(y, y), below.value(x, y)
    a, b, c = coefficients
    by_hand = a * a + a * c * (A + B) + b * b * C + c * c * (A * B + 2 * (C * C))
    if weights == "sigmoid":
        assert kernel.exactness == "ball"
        assert found.overlaps(by_hand)
        assert float(found.rad()) < 1e-30
    else:
        assert kernel.exactness == "exact"
        assert found == by_hand


def test_other_layers_over_them_say_what_to_do():
    for weights in ("exponential", "sigmoid"):
        below = attention(beta=1, gamma=1, normalise=False, weights=weights)
        with pytest.raises(errors.NotSupported, match="floats if one of them is a float"):
            transformer("relu", below).value("AB", "AB")
        floats = attention(beta=1.0, gamma=1, normalise=False, weights=weights)
        assert transformer("relu", floats).value("AB", "AB").exactness == "float"
