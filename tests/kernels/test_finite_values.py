"""Values at finite beta, gamma against integrals, random numbers, networks, known numbers."""

import contextlib
import io
import math
import pickle
import re
import sys
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.draw import progress
from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    SymbenchError,
    TooLarge,
    Undecided,
    UnknownName,
)
from symbench.kernels.attention import attention
from symbench.kernels.derivatives import features, formulas
from symbench.kernels.derivatives.workload import Workload
from symbench.kernels.diagram import Diagram
from symbench.kernels.float_value import FloatValue
from symbench.kernels.softmax import finite_values, point_sums
from symbench.kernels.softmax.conditioning import conditioning
from symbench.kernels.softmax.contraction import Component, components, joined
from symbench.kernels.softmax.finite_values import attention_value, attention_values
from symbench.kernels.softmax.point_sums import PointSum
from symbench.kernels.softmax.quadrature import Lattice, Law
from symbench.words import Template, all_templates, tasks
from tests.kernels import simulation
from tests.kernels.simulation import Estimate, simulate_attention_kernel, simulate_network

PAIRS_OF_TWO = sorted({Diagram.from_codes(c) for c in product(range(4), repeat=4)}, key=repr)


def covariance(x, y, gamma, scale):
    """The covariance of (u, v), block by block, as boix2024 prints it."""
    k = len(x)
    blocks = [[np.zeros((k, k)), np.zeros((k, k))], [np.zeros((k, k)), np.zeros((k, k))]]
    for i, s in enumerate((x, y)):
        for j, t in enumerate((x, y)):
            for a in range(k):
                for b in range(k):
                    blocks[i][j][a, b] = (s[a] == t[b]) + gamma**2 * (a == b)
            if scale == "appendix-H":
                blocks[i][j] *= (s[-1] == t[-1]) + gamma**2
    return np.block(blocks)


def oracle(x, y, beta, gamma, *, step, reach=8.0, scale="main"):
    """K_attn by the trapezoid rule over the 2(k - 1) differences of the logits."""
    k = len(x)
    differences = np.zeros((2 * (k - 1), 2 * k))
    for a in range(k - 1):
        for side in (0, 1):
            differences[side * (k - 1) + a, [side * k + a, side * k + k - 1]] = 1, -1
    spread = differences @ covariance(x, y, gamma, scale) @ differences.T
    values, vectors = np.linalg.eigh(spread)
    used = values > 1e-12
    root = vectors[:, used] * np.sqrt(values[used])
    nodes = np.arange(-reach, reach + step, step)
    weights = np.exp(-(nodes**2) / 2) * step / math.sqrt(2 * math.pi)
    points, weight = np.zeros((1, 2 * (k - 1))), np.ones(1)
    for direction in root.T:
        points = (points[:, None, :] + nodes[:, None] * direction).reshape(-1, 2 * (k - 1))
        weight = np.multiply.outer(weight, weights).ravel()
    softmaxes = []
    for side in (0, 1):
        logits = np.zeros((len(points), k))
        logits[:, :-1] = beta * points[:, side * (k - 1) : (side + 1) * (k - 1)]
        growth = np.exp(logits - logits.max(axis=1, keepdims=True))
        softmaxes.append(growth / growth.sum(axis=1, keepdims=True))
    total = np.zeros(len(points))
    for a in range(k):
        for b in range(k):
            link = (x[a] == y[b]) + gamma**2 * (a == b)
            total += link * softmaxes[0][:, a] * softmaxes[1][:, b]
    return float(total @ weight)


def close(value, expected, digits):
    return abs(float(value) - float(expected)) <= 10.0**-digits * abs(float(expected))


@pytest.mark.parametrize(
    ("beta", "gamma", "digits", "scale"),
    [
        (1, 1, 10, "main"),
        (Fraction(1, 5), 2, 12, "main"),
        (1.5, 0.25, 7, "main"),
        (1.5, 0, 12, "main"),
        (0.5, 0.5, 6, "appendix-H"),
        (Fraction(1, 5), 2, 8, "appendix-H"),
        (1.5, 0, 10, "appendix-H"),
    ],
)
def test_every_diagram_of_length_two_is_a_double_integral(beta, gamma, digits, scale):
    found = attention_values(PAIRS_OF_TWO, beta, gamma, digits=digits, scale=scale)
    assert len(PAIRS_OF_TWO) == 15
    for pair, value in zip(PAIRS_OF_TWO, found, strict=True):
        b, g = float(beta), float(gamma)
        expected = oracle(pair.left, pair.right, b, g, step=0.1, scale=scale)
        assert abs(float(value) - expected) <= 10.0**-digits * expected + 1e-15, pair


@settings(max_examples=8, deadline=None)
@given(
    st.tuples(*[st.integers(0, 4)] * 6),
    st.sampled_from([0.2, 0.4]),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from(["main", "appendix-H"]),
)
def test_diagrams_of_length_three_are_fourfold_integrals(codes, beta, gamma, scale):
    pair = Diagram.from_codes(codes)
    value = attention_value(pair, beta, gamma, digits=6, scale=scale)
    expected = oracle(pair.left, pair.right, beta, gamma, step=0.4, reach=6.5, scale=scale)
    assert close(value, expected, 6)


@pytest.mark.parametrize("beta", [0.1, 1, 3])
def test_two_distinct_tokens_are_the_mean_of_a_squared_tanh(beta):
    def mean_of_tanh_squared(scale):
        density = lambda g: mpmath.tanh(scale * g) ** 2 * mpmath.npdf(g)  # noqa: E731
        return mpmath.quad(density, [-mpmath.inf, -3, 0, 3, mpmath.inf])

    with mpmath.workdps(25):
        half = (1 + mean_of_tanh_squared(mpmath.mpf(beta) / mpmath.sqrt(2))) / 2
        assert close(attention_value(Diagram.of("AB", "AB"), beta, 0, digits=12), half, 12)
        gamma = 0.7
        part = (1 + mean_of_tanh_squared(mpmath.mpf(beta) * gamma / mpmath.sqrt(2))) / 2
        value = attention_value(Diagram.of("AA", "BB"), beta, gamma, digits=12)
        assert close(value, gamma**2 * part, 12)


def test_the_series_of_two_distinct_tokens_at_small_beta():
    # templates.md, E1; the next term is of order 10 beta^12.
    series = ["1/2", "1/4", "-1/4", "17/48", "-31/48", "691/480"]
    beta = Fraction(1, 20)
    expected = sum(Fraction(c) * beta ** (2 * n) for n, c in enumerate(series))
    assert close(attention_value(Diagram.of("AB", "AB"), beta, 0, digits=13), expected, 13)


@pytest.mark.parametrize(
    ("x", "y", "second"),
    [
        ("AA*", "BB*", ("8/81", "4/27", "2/9")),
        ("AA*", "BC*", ("2/27", "4/27", "2/9")),
        ("AB*", "CD*", ("4/81", "4/27", "2/9")),
    ],
)
@pytest.mark.parametrize("gamma", [Fraction(1, 3), 1])
def test_the_first_taylor_coefficients(x, y, second, gamma):
    pair, square = Diagram.of(x, y), Fraction(gamma) ** 2
    start = Fraction(1, 9) + square / 3
    assert attention_value(pair, 0, gamma) == start
    slope = sum(Fraction(c) * square**n for n, c in enumerate(second))

    def quotient(beta):
        value = float(attention_value(pair, beta, gamma, digits=11))
        return (value - float(start)) / float(beta) ** 2

    rough, fine = quotient(Fraction(1, 20)), quotient(Fraction(1, 40))
    assert abs((4 * fine - rough) / 3 - float(slope)) < 1e-5


def template_matrix(templates, beta, gamma, **options):
    ended = [template.with_cls() for template in templates]
    pairs = [Diagram.of_templates(z, w) for z in ended for w in ended]
    values = attention_values(pairs, beta, gamma, **options)
    return np.array([float(value) for value in values]).reshape(len(ended), -1)


def test_the_spectrum_over_set_partitions_of_three():
    # beyond.md, section 8: three copies of the trivial irrep and one of the standard one.
    matrix = template_matrix(all_templates(3), 1, 1, digits=12)
    found = np.linalg.eigvalsh(matrix)
    expected = [2.76e-6, 1.47868775e-3, 1.47868775e-3, 2.738e-3, 2.5293]
    for value, known, tolerance in zip(
        found, expected, [5e-9, 5e-12, 5e-12, 5e-7, 5e-5], strict=True
    ):
        assert abs(value - known) <= tolerance
    assert np.array_equal(matrix, matrix.T)


def test_smallest_eigenvalues_at_lengths_two_and_three():
    # beyond.md, section 9.
    assert f"{np.linalg.eigvalsh(template_matrix(all_templates(2), 1, 1))[0]:.1e}" == "1.6e-03"
    assert f"{np.linalg.eigvalsh(template_matrix(all_templates(3), 1, 1))[0]:.1e}" == "2.8e-06"


def test_without_positions_only_the_type_counts():
    # beyond.md, section 4: at gamma = 0 the rank over set partitions of [3] is p(3) = 3.
    matrix = template_matrix(all_templates(3), 2, 0, digits=12)
    found = np.linalg.eigvalsh(matrix)
    assert found[2] > 1e-7 > 1e-13 > abs(found[1])
    value = attention_value(Diagram.of("AAB*", "CDE*"), 2, 0)
    assert value == attention_value(Diagram.of("ABA*", "CDE*"), 2, 0)


def monte_carlo(x, y, beta, gamma, scale, samples):
    """The mean and its standard error, from the covariance as printed."""
    k = len(x)
    generator = np.random.default_rng(7)
    values, vectors = np.linalg.eigh(covariance(x, y, gamma, scale))
    root = vectors * np.sqrt(np.maximum(values, 0))
    logits = beta * generator.standard_normal((samples, 2 * k)) @ root.T
    parts = []
    for side in (logits[:, :k], logits[:, k:]):
        growth = np.exp(side - side.max(axis=1, keepdims=True))
        parts.append(growth / growth.sum(axis=1, keepdims=True))
    link = np.array([[float(s == t) for t in y] for s in x]) + gamma**2 * np.eye(k)
    found = np.einsum("na,nb,ab->n", *parts, link, optimize=True)
    return float(found.mean()), float(found.std()) / math.sqrt(samples)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("AABBC*", "DEDEF*"),  # a cycle through wildcards
        ("ABCD", "BCDA"),  # a cycle of shared tokens
        ("AABC", "BCAA"),  # edges both ways
        ("AAAA", "ABCD"),
        ("ABAB*A", "CC*BDA"),
    ],
)
@pytest.mark.parametrize(("beta", "gamma", "scale"), [(1.2, 0.6, "main"), (0.3, 1.2, "appendix-H")])
def test_longer_strings_against_random_numbers(x, y, beta, gamma, scale):
    value = attention_value(Diagram.of(x, y), beta, gamma, digits=4, scale=scale)
    mean, error = monte_carlo(x, y, beta, gamma, scale, 100_000)
    assert abs(float(value) - mean) < 5 * error
    assert error < 0.004


@pytest.mark.parametrize(("x", "y"), [("AABBC*", "DEDEF*"), ("ABAC", "BDDA"), ("ABC", "ABC")])
def test_both_placements_of_tokens_give_the_same_sums(x, y):
    pair = Diagram.of(x, y)
    types = [tuple(pair.left_counts.values()), tuple(pair.right_counts.values())]
    lattice, _ = Lattice.pair(Law.main(1, 1), accuracy=8, types=types)
    for piece in components(pair.pair_counts):
        ways = [Component(piece, lattice, windowed=way).contract() for way in (False, True)]
        for one, two in zip(*ways, strict=True):
            assert np.allclose(one, two, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("x", "y", "beta", "gamma"),
    [("ABC", "BCA", 1, 1), ("AABC", "BCAA", 2, 0.3), ("ABCA", "BCCA", 0.2, 1), ("AB", "BC", 1, 2)],
)
def test_sums_over_points_are_contractions(x, y, beta, gamma):
    pair = Diagram.of(x, y)
    types = [tuple(pair.left_counts.values()), tuple(pair.right_counts.values())]
    (piece,) = components(pair.pair_counts)
    lattices = Lattice.pair(Law.main(beta, gamma), accuracy=20, types=types)
    points = sum(PointSum(piece, lattice).value() for lattice in lattices)
    contracted = sum(contraction(piece, lattice) for lattice in lattices)
    assert close(points, contracted, 8)


def contraction(piece, lattice):
    """The value of a piece that is all there is, on one lattice."""
    return joined([piece], {piece: Component(piece, lattice).contract()}, lattice)


def test_the_mean_of_two_lattices_is_better_than_either():
    # Length one: 1 + gamma^2 for every beta. Narrow Gaussians hide nothing of a lattice's error.
    ((piece,), gamma) = components(Diagram.of("A", "A").pair_counts), 0.5
    values = [
        contraction(piece, lattice)
        for lattice in Lattice.pair(Law.main(0.1, gamma), accuracy=24, types=[(1,)])
    ]
    assert abs(sum(values) / 2 - 1.25) < 1e-8 < 1e-6 < min(abs(v - 1.25) for v in values)


words = st.integers(1, 5).flatmap(
    lambda k: st.tuples(*[st.text("ABCDE", min_size=k, max_size=k)] * 2)
)


@settings(max_examples=25, deadline=None)
@given(words, st.sampled_from([0.2, 1, 1.7]), st.sampled_from([0, 0.5, 1]), st.randoms())
def test_symmetries(pair, beta, gamma, random):
    x, y = pair
    value = attention_value(Diagram.of(x, y), beta, gamma, digits=4)
    assert attention_value(Diagram.of(y, x), beta, gamma, digits=4) == value
    assert attention_value(Diagram.of(x, y), -beta, -gamma, digits=4) == value
    order = random.sample(range(len(x)), len(x))
    moved = Diagram.of([x[i] for i in order], [y[i] for i in order])
    assert attention_value(moved, beta, gamma, digits=4) == value


def test_a_common_last_token_in_appendix_h_is_another_beta():
    pair, gamma = Diagram.of("AB*", "CC*"), 0.75
    scaled = attention_value(pair, 2, gamma, scale="appendix-H")
    assert close(scaled, attention_value(pair, 2 * 1.25, gamma), 10)
    apart = Diagram.of("AB", "BA")
    other = attention_value(apart, 1, gamma, scale="appendix-H", digits=5)
    assert not close(other, attention_value(apart, 1.25, gamma, digits=5), 2)
    assert close(other, oracle("AB", "BA", 1, gamma, step=0.1, scale="appendix-H"), 5)


def test_what_needs_no_integral_is_exact():
    assert attention_value(Diagram.of("A", "A"), 3, Fraction(1, 2)) == Fraction(5, 4)
    assert attention_value(Diagram.of("A", "B"), "1/3", 2) == 4
    # A float among the parameters makes the value a float, even where it does not matter.
    assert attention_value(Diagram.of("A", "B"), 0.3, 2) == FloatValue(4.0, 10)
    assert attention_value(Diagram.of("AAB", "BCA"), 0, "1/2") == Fraction(3, 9) + Fraction(1, 12)
    assert attention_value(Diagram.of("AB", "CD"), 5, 0) == 0
    assert isinstance(attention_value(Diagram.of("A", "A"), "3/10", 1), Fraction)
    assert attention(beta=0.0, gamma=1).value("AB", "AB") == FloatValue(1.0, 10)
    floating = attention_value(Diagram.of("A", "A"), 0.3, 0.5)
    assert isinstance(floating, FloatValue)
    assert floating.value == 1.25


@pytest.mark.parametrize(
    ("beta", "gamma"),
    [(1, 1e200), (1e-200, 1), (1, 1e-200), (1, 1e-160), (Fraction(1, 10**400), 1), (1e200, 1)],
)
def test_parameters_whose_squares_are_no_floats_are_refused(beta, gamma):
    for pair in (Diagram.of("AB", "BA"), Diagram.of("AB", "CD")):
        for scale in ("main", "appendix-H"):
            with pytest.raises(Undecided, match="floats are had for 0 and from 1e-100"):
                attention_value(pair, beta, gamma, scale=scale)


def test_floats_without_digits_are_refused():
    # gamma^2 / 2 is rounded to zero, to a float with fewer digits, or to infinity.
    for gamma, what in ((1e-200, "below"), (1e-158, "below"), (1e200, "beyond")):
        for pair in (Diagram.of("AB", "CD"), Diagram.of("A", "C")):
            with pytest.raises(BadValue, match=f"{what} the .* float"):
                attention_value(pair, 0, gamma)
    assert attention_value(Diagram.of("AB", "CD"), 0, Fraction(1, 10**200)) == Fraction(
        1, 2 * 10**400
    )
    assert attention_value(Diagram.of("AB", "CD"), 1.0, 0) == FloatValue(0.0, 10)


def test_a_refusal_names_digits_that_can_be_had(monkeypatch):
    pair = Diagram.of("ABC", "BCA")
    monkeypatch.setattr(finite_values, "_BUDGET", 2 * 10**6)
    with pytest.raises(Undecided, match="12 digits would take") as refused:
        attention_value(pair, 1, 1, digits=12)
    can = int(re.search(r"; (\d+) can be had", str(refused.value))[1])
    assert 1 < can < 12
    assert attention_value(pair, 1, 1, digits=can).digits == can
    with pytest.raises(Undecided):
        attention_value(pair, 1, 1, digits=can + 1)


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    pair = Diagram.of("AA", "BC")
    rows = Lattice.pair(Law.main(1, 1), accuracy=19, types=[(2,), (1, 1)])[0].sums.size
    monkeypatch.setattr(finite_values, "_ROWS", rows)
    assert attention_value(pair, 1, 1, digits=4)
    with pytest.raises(Undecided, match="too large tables"):
        attention_value(pair, 1, 1, digits=13)


def test_digits_are_an_agreement_and_hold():
    pair = Diagram.of("ABC*", "DDE*")
    best = attention_value(pair, 1, 1, digits=13)
    for digits in (2, 4, 6, 8, 10, 12):
        value = attention_value(pair, 1, 1, digits=digits)
        assert value.digits == digits
        assert close(value, best, digits)


@pytest.mark.parametrize(("beta", "gamma"), [(1e-3, 1), (1e-8, 1e-8), (1, 1e-6), (8, 0.5), (1, 12)])
def test_extreme_parameters(beta, gamma):
    pair = Diagram.of("AB*", "CC*")
    value = attention_value(pair, beta, gamma, digits=6)
    mean, error = monte_carlo("AB*", "CC*", beta, gamma, "main", 50_000)
    assert abs(float(value) - mean) < 5 * error + 1e-6 * mean


def test_large_beta_tends_to_hardmax():
    pair = Diagram.of("AB", "AB")
    assert close(attention_value(pair, 40, 0, digits=6), oracle("AB", "AB", 40, 0, step=0.002), 5)


def test_simulations_agree_and_are_repeatable():
    pair = Diagram.of("AB*", "CC*")
    for scale in ("main", "appendix-H"):
        found = simulate_attention_kernel("AB*", "CC*", 2, 1, samples=40_000, seed=3, scale=scale)
        assert found.is_near(float(attention_value(pair, 2, 1, digits=6, scale=scale)))
    again = simulate_attention_kernel("AB*", "CC*", 2, 1, samples=40_000, seed=3, scale=scale)
    assert found == again
    assert found.exactness == "float"
    other = simulate_attention_kernel(
        "AB", "BA", 1, 0.5, samples=40_000, seed=3, scale="appendix-H"
    )
    value = attention_value(Diagram.of("AB", "BA"), 1, 0.5, digits=4, scale="appendix-H")
    assert other.is_near(float(value))


@pytest.mark.parametrize(("x", "y"), [("AB*", "AB*"), ("ABC", "BAA")])
def test_networks_of_finite_width_tend_to_appendix_h(x, y):
    found = simulate_network(x, y, 1, 1, samples=1500, seed=5, embedding=160, head=80)
    value = attention_value(Diagram.of(x, y), 1, 1, digits=4, scale="appendix-H")
    assert found.is_near(float(value))
    if x == y:  # the pair on which the two kernels differ most
        assert not found.is_near(float(attention_value(Diagram.of(x, y), 1, 1, digits=4)))


def test_more_heads_have_the_same_mean():
    found = simulate_network(
        "AB*", "AB*", 1, 1, samples=400, seed=6, embedding=80, head=40, heads=4
    )
    value = attention_value(Diagram.of("AB*", "AB*"), 1, 1, digits=6, scale="appendix-H")
    assert found.is_near(float(value))


def test_conditioning_over_a_grid():
    found = conditioning(tasks.same_different(), [0, 1, 2], [0, 1])
    assert found.smallest.shape == found.condition.shape == (3, 2)
    assert not found.resolved[0].any()  # beta = 0: rank one
    assert np.isinf(found.condition[0]).all()
    direct = np.linalg.eigvalsh(template_matrix([Template("αα"), Template("αβ")], 2, 1))
    assert abs(found.smallest[2, 1] - direct[0]) < 1e-9
    assert found.condition[2, 1] == pytest.approx(direct[1] / direct[0])
    assert found.exactness == "float"
    assert found.best[0] == 2
    assert "-" in str(found).splitlines()[2]


def test_conditioning_knows_what_it_cannot_resolve():
    # ααβ and αβα have one type: at gamma = 0 the matrix is singular, in floats only nearly.
    found = conditioning([Template("ααβ"), Template("αβα")], [1], [0, 1])
    assert found.resolved.tolist() == [[False, True]]
    pairs = [[Diagram.of("AA*", "BB*"), Diagram.of("AA*", "BC*")]] * 2
    assert not conditioning(pairs, [1], [1]).resolved.any()


def test_heat_map(tmp_path):
    path = tmp_path / "map.png"
    found = conditioning([Template("αα"), Template("αβ")], [1, 2], [0, 1], digits=6)
    found.heat_map(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_value_types():
    value = attention_value(Diagram.of("AB", "AB"), 1, 1, digits=6)
    assert eval(repr(value)) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert hash(value) == hash(pickle.loads(pickle.dumps(value)))
    assert len(str(value).replace(".", "").lstrip("0")) <= value.digits
    estimate = Estimate(0.5, 0.1, 10)
    assert eval(repr(estimate)) == estimate


PAIR = Diagram.of("AB", "AB")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: attention_value(None, 1, 1), BadType),
        (lambda: attention_value(("AB", "AB"), 1, 1), BadType),
        (lambda: attention_value(PAIR, None, 1), BadType),
        (lambda: attention_value(PAIR, 1, True), BadType),
        (lambda: attention_value(PAIR, 1j, 1), BadType),
        (lambda: attention_value(PAIR, float("nan"), 1), BadValue),
        (lambda: attention_value(PAIR, 1, float("inf")), BadValue),
        (lambda: attention_value(PAIR, 10**400, 1), BadValue),
        (lambda: attention_value(PAIR, "x", 1), BadValue),
        (lambda: attention_value(PAIR, 1, 1, digits=0), BadValue),
        (lambda: attention_value(PAIR, 1, 1, digits=None), BadType),
        (lambda: attention_value(PAIR, 1, 1, digits=2.5), BadType),
        (lambda: attention_value(PAIR, 1, 1, scale="H"), UnknownName),
        (lambda: attention_value(PAIR, 1, 1, scale=None), UnknownName),
        (lambda: attention_value(Diagram((), ()), 1, 1), BadValue),
        (lambda: attention_value(Diagram((0,), (0, 1)), 1, 1), BadShape),
        (lambda: attention_values(PAIR, 1, 1), BadType),
        (lambda: attention_values(None, 1, 1), BadType),
        (lambda: attention_value(PAIR, 1, 1, digits=14), Undecided),
        (lambda: attention_value(PAIR, 1e6, 1), Undecided),
        (lambda: simulate_attention_kernel("AB", "A", 1, 1, samples=9, seed=0), BadShape),
        (lambda: simulate_attention_kernel("AB", "AB", 1, 1, samples=1, seed=0), BadValue),
        (lambda: simulate_attention_kernel("AB", "AB", 1, 1, samples=9, seed=None), BadType),
        (
            lambda: simulate_attention_kernel("AB", "AB", 1, 1, samples=9, seed=0, scale=""),
            BadValue,
        ),
        (lambda: simulate_attention_kernel("", "", 1, 1, samples=9, seed=0), BadValue),
        (lambda: simulate_network("", "", 1, 1, samples=9, seed=0), BadValue),
        (lambda: simulate_network("A", "A", 1, 1, samples=9, seed=0, heads=0), BadValue),
        (lambda: conditioning(None, [1], [1]), BadType),
        (lambda: conditioning([], [1], [1]), BadValue),
        (lambda: conditioning([Template("α"), "β"], [1], [1]), BadType),
        (lambda: conditioning([[PAIR], [PAIR, PAIR]], [1], [1]), BadShape),
        (lambda: conditioning([Template("α")], 1, [1]), BadType),
        (lambda: conditioning([Template("α")], [], [1]), BadValue),
        (lambda: conditioning([Template("α"), Template("αα")], [1], [1]), BadShape),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
    assert len(str(caught.value)) > 10


@pytest.mark.parametrize(
    ("x", "y"),
    [("A", "A"), ("AAAA", "AAAA"), ("ABAB", "BABA"), ("ABCDEFGHIJKL", "ABCDEFGHIJKL"),
     ("ABCDEFGHIJKL", "MNOPQRSTUVWX"), ("AABBCCDDEEF*", "GHGHIJIJKKL*")],
)  # fmt: skip
def test_strings_as_given(x, y):
    kernel = attention(beta=2, gamma=1)
    value = kernel.value(x, y, digits=6)
    found = simulate_attention_kernel(x, y, 2, 1, samples=20_000, seed=1)
    assert found.is_near(float(value)) or abs(float(found) - float(value)) < 1e-12


def test_out_of_reach_says_what_is_within():
    with pytest.raises(Undecided, match=r"[1-9] can be had: ask for fewer digits"):
        attention_value(Diagram.of("ABCDAB", "BCDACD"), 3, 1, digits=12)


@pytest.mark.parametrize("entries", [1, 50, 2**14])
@pytest.mark.parametrize(("x", "y"), [("ABCA", "BCAC"), ("ABCD", "BCDA")])
def test_strips_of_times_do_not_change_a_point_sum(monkeypatch, x, y, entries):
    (edges,) = finite_values._pieces(Diagram.of(x, y), Law.main(1, 1))
    lattice, _ = Lattice.pair(Law.main(1, 1), accuracy=9, types=[(2, 1, 1), (1, 1, 1, 1)])
    whole = PointSum(edges, lattice).value()
    for name in ("_ENTRIES", "_WINDOWS"):
        monkeypatch.setattr(point_sums, name, entries)
    assert close(PointSum(edges, lattice).value(), whole, 12)


def test_simulations_merge_their_batches(monkeypatch):
    monkeypatch.setattr(simulation, "_BATCH", 7)
    seen = []

    def draw(generator, count):
        seen.append(generator.standard_normal(count))
        return seen[-1]

    found = simulation._mean(draw, 100, 3, numbers=1)
    values = np.concatenate(seen)
    assert len(seen) == 15
    assert math.isclose(found.value, values.mean(), rel_tol=1e-12)
    assert math.isclose(found.standard_error, values.std(ddof=1) / 10, rel_tol=1e-12)


def test_simulations_refuse_what_is_too_large():
    with pytest.raises(TooLarge, match="samples can be had"):
        simulate_attention_kernel("AB", "AB", 1, 1, samples=10**15, seed=0)
    with pytest.raises(TooLarge, match="take smaller widths"):
        simulate_network("AB", "AB", 1, 1, samples=10, seed=0, embedding=10**9)
    with pytest.raises(BadValue, match="beyond the largest float"):
        simulate_attention_kernel("A", "A", 1e99, 1, samples=9, seed=0, weights="exponential")
    with pytest.raises(Undecided):
        simulate_attention_kernel("A", "A", 1, 1e200, samples=9, seed=0)


class Terminal(io.StringIO):
    """A standard error that says it is a terminal, or not."""

    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


@pytest.mark.parametrize("shown", [True, False])
def test_long_work_shows_one_bar_on_a_terminal(monkeypatch, shown):
    monkeypatch.setattr(sys, "stderr", Terminal(shown))
    monkeypatch.setattr(progress, "_AFTER", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    works = {
        "attention values": lambda: attention_value(Diagram.of("AB", "BA"), 1, 1, digits=3),
        "derivatives of attention": lambda: attention().taylor("AB", "BA", beta=2),
        "attention_derivative(2, 2)": lambda: formulas._terms.__wrapped__(2, 2),
        "template matrices": lambda: conditioning([Template("α")], [1], [1], digits=3),
        "random samples": lambda: simulate_attention_kernel("A", "A", 1, 1, samples=9, seed=0),
    }
    for title, work in works.items():
        sys.stderr.truncate(0)
        work()
        assert (title in sys.stderr.getvalue()) == shown
        # Values inside of a grid show no bar of their own.
        assert title != "template matrices" or "attention values" not in sys.stderr.getvalue()


def test_short_work_shows_nothing_and_an_error_ends_a_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal(True))
    with progress.progress("short", 2) as report:
        report(1)
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(progress, "_AFTER", 0.0)

    def interrupted():
        with progress.progress("long", 2) as report:
            report(1)
            raise KeyboardInterrupt

    for _ in range(2):
        sys.stderr.truncate(0)
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert "long" in sys.stderr.getvalue()


def test_lattices_must_agree_and_a_finer_one_is_tried(monkeypatch):
    pair, means = Diagram.of("AB", "BA"), finite_values._means
    errors = []

    def disturbed(graphs, lattices, report):
        found = means(graphs, lattices, report)
        return {parts: value * (1 + errors.pop(0)) for parts, value in found.items()}

    monkeypatch.setattr(finite_values, "_means", disturbed)
    errors[:] = [1e-3, 0, 0, 0]
    assert close(attention_value(pair, 1, 1, digits=6), 1.0, 6)
    assert errors == [0]  # The first lattices were off: a third pair was asked.
    errors[:] = [1e-3, 2e-3, 3e-3, 4e-3]
    with pytest.raises(Undecided, match=r"two lattices agree in [23] digits, not 6"):
        attention_value(pair, 1, 1, digits=6)


def test_what_features_report_adds_up_to_their_estimate(monkeypatch):
    told = []

    @contextlib.contextmanager
    def recorded(title, total):
        yield told.append

    monkeypatch.setattr(features, "progress", recorded)
    attention().taylor("ABA", "ABB", beta=6)
    one = Workload.of([("ABA", 2)], order=6).seconds - Workload._of_products(3, 2, 6, 1)
    expected = 2 * one
    assert math.isclose(sum(told), expected, rel_tol=1e-9)
