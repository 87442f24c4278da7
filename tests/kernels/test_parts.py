"""The small parts that kernels are made of, at values that can be seen by hand."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import flint
import pytest

from symbench.errors import BadShape, BadType, BadValue, Undecided, UnknownName
from symbench.exact import QQ, Exponentials, Rational
from symbench.kernels import inner_product, linear_attention, ring_attention, transformer
from symbench.kernels.activations.closed_forms import Erf, Gelu, Relu, Sign, Step
from symbench.kernels.activations.covariance import covariance
from symbench.kernels.activations.exact import Exp, cos, enclosure
from symbench.kernels.activations.hermite import (
    bump_coefficient,
    polynomial_coefficient,
    polynomial_dual,
)
from symbench.kernels.activations.named import activation_source, dual_float
from symbench.kernels.activations.sigmoids import Sigmoid, Tanh
from symbench.kernels.base import check_kernel_type, check_templates, last_apart, symmetry_of
from symbench.kernels.derivatives.attention_maps import attention_map
from symbench.kernels.derivatives.counts import Counts
from symbench.kernels.derivatives.series import Gas, joint_cumulant
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.from_function import letters, plain_float, representative, same_value
from symbench.kernels.generic import flip_invariant_diagrams, variable_name
from symbench.kernels.linear_attention import attended, layer_power, over_one_denominator, scalar
from symbench.kernels.on_words import WordKernel, differ
from symbench.kernels.positions import PositionalAttention
from symbench.kernels.softmax.averages import (
    BinarySums,
    ContractedSums,
    Logits,
    binary_form,
    independent_values,
    two_lattices,
    used_tokens,
)
from symbench.kernels.softmax.contraction import Component, components, joined
from symbench.kernels.softmax.coordinatewise import coordinatewise_value
from symbench.kernels.softmax.finite_values import (
    agreement,
    attention_value,
    attention_values,
    check_range,
    most_digits,
    near_float,
    parameter,
)
from symbench.kernels.softmax.point_sums import PointSum
from symbench.kernels.softmax.quadrature import (
    Lattice,
    Law,
    before,
    exponential_reach,
    first_time,
    gaussian_reach,
    gaussian_step,
    last_time,
    moments,
)
from symbench.kernels.tangent import combination, overlaps
from symbench.words import Template
from symbench.young.position_groups import YoungSubgroup

HALF = Rational(1, 2)


def test_duals_in_balls():
    for phi, digits in (
        (Relu(), "0.30449889052211467904"),
        (Gelu(), "0.22729491502199153502"),
        (Tanh(), "0.18632441320344808611"),
    ):
        assert phi.dual(1, 1, "1/2").str(20, radius=False) == digits
    assert (Relu().dual(1, 1, -1), Relu().dual(0, 1, 0)) == (0, 0)
    assert [Sign().dual(*given) for given in ((1, 4, 2), (1, 1, 0), (0, 1, 0))] == [1, 0, 0]
    given = (1, 1, 0), (0, 0, 0), (1, 1, 1)
    assert [4 * Step().dual(*three) for three in given] == [1, 1, 2]
    assert Erf().dual("1/2", "1/2", "1/2").overlaps(flint.arb(1) / 3)
    assert 4 * Sigmoid().dual(1, 1, 0) == 1
    assert (2 * Relu().hermite(1, 7), Relu().hermite(3, 7), Tanh().hermite(2, 1)) == (1, 0, 0)
    assert Tanh().hermite(1, 0).overlaps(flint.arb(1))


def test_exact_duals():
    q = Exponentials("q").monomial
    assert (Exp().dual(1, 1, "1/2"), Exp().hermite(3, 2)) == (q(Rational(3, 2)), q(1))
    assert enclosure(q(1) + 1).overlaps(flint.arb(1).exp() + 1)
    assert polynomial_coefficient((1, 1, 1), 0, HALF) == Rational(3, 2)
    assert polynomial_dual((Rational(0), Rational(0), Rational(1)), 1, 1, "1/2") == Rational(3, 2)
    (x,) = QQ["x"].gens
    found = polynomial_dual((Rational(0), Rational(1), Rational(1)), 1, 1, x)
    assert found == 2 * x**2 + x + 1
    assert bump_coefficient(0, Fraction(1)).overlaps(1 / (2 * flint.arb.pi()).sqrt())
    assert (activation_source(Relu()), activation_source(cos(2, 0))) == ("'relu'", "cos(2, 0)")
    assert dual_float("relu", 1.0, 1.0, 1.0) == 0.5
    assert round(dual_float("tanh", 0.5, 0.7, 0.3), 6) == 0.147384
    assert covariance(1, 2, 1).gap == 1
    with pytest.raises(BadValue, match=r"\[\[1, 2\], \[2, 1\]\] is no covariance"):
        covariance(1, 1, 2)


def test_kernels_and_templates_are_checked():
    with pytest.raises(BadType, match="3 is not a kernel: it needs needs_cls, exactness and"):
        check_kernel_type(3)
    with pytest.raises(BadShape, match=r"the templates have lengths \[1, 2\]: give at least one"):
        check_templates([Template("αα"), Template("α")])
    with pytest.raises(BadValue, match="attention on empty strings: give at least one letter"):
        check_positions(Diagram.of("", ""))
    assert symmetry_of(linear_attention(1, 1, readout="last"), 4) == YoungSubgroup(3, 1)
    assert symmetry_of(linear_attention(1, 1, causal=True), 4) is None
    assert (last_apart(4), last_apart(1)) == (YoungSubgroup(3, 1), YoungSubgroup(1))


def test_derivatives_at_zero():
    softmax = attention_map("softmax").derivative
    assert (softmax(2, 1, ()), softmax(2, 0, (1,))) == (1, -1)  # 4 * 1/4 and 4 * (-1/4)
    assert attention_map("sigmoid").derivative(3, 1, ()) == 1
    with pytest.raises(UnknownName, match="softmax, exponential, linear, sigmoid"):
        attention_map("hardmax")
    counts = Counts.of_pairs([("AB", "AA"), ("AB", "CD")])
    assert (counts.length, counts.pairs.shape) == (2, (2, 4, 4))
    assert counts.total(((1, 1),), ()).tolist() == [2, 0]
    assert joint_cumulant((1, 2), 2) == (0, 2, 7)
    gas = Gas(tokens=2, positions=1)
    assert str(gas.position(1, 1)) == "{(0, 1): Z*W}"
    assert str(gas.half_edges(left=True)) == (
        "{1: {(0, 0): Z, (0, 1): Z*W + 1/2*Z, (1, 1): 1/2*Z*W, (2, 1): 1/8*Z*W}, "
        "2: {(0, 1): 1/2*Z^2}}"
    )


def test_names_of_strings():
    pair = Diagram.of("PQ", "QR")
    assert letters(pair) == ["A", "B", "C"]
    assert [str(word) for word in representative(pair, ["X", "Y", "Z"])] == ["XY", "YZ"]
    assert (plain_float(0.5), plain_float(1)) == (0.5, 1)
    assert (same_value(1, 1), same_value(0.1 + 0.2, 0.3), same_value(1, 2)) == (True, True, False)
    assert variable_name(Diagram.of("ABC", "DDA")) == "K001_123"
    assert [flip_invariant_diagrams(k) for k in range(6)] == [1, 2, 7, 31, 164, 999]


def test_linear_attention_in_numbers():
    assert [layer_power(n) for n in (1, 2, 3)] == [1, 4, 13]
    assert attended(1, 2, 1, 2, 4, 1) == 24
    assert str(scalar(HALF) * QQ["x"].gens[0]) == "1/2*x"
    assert over_one_denominator(HALF, flint.fmpq(1, 3), 1) == ((3, 2, 6), 6)
    assert overlaps((1, 1, 1, 0), 4, 2, 2) == (10, 6)
    assert combination(10, 6, 1) == (10, 10, 52)
    plain = PositionalAttention(1, [[1, 0], [0, 1]])
    assert plain.on_tokens((5, 7), (5, 5)) == plain.on_diagram(Diagram.of("AB", "AA")) == 24
    import numpy as np

    words = np.array([[0, 0, 1], [0, 1, 1]])
    values, below = ring_attention(1, 1, positions=[1, 0, 0]).gram(words, words)
    assert (values.tolist(), below) == ([[112, 77], [77, 112]], 1)


def test_numbers_on_words():
    assert differ(flint.fmpq(1), flint.fmpq(2))
    assert not differ(flint.arb(1, 1), flint.fmpq(2))
    assert WordKernel(transformer("relu", linear_attention(1, 1)), 4, 2).exactness == "ball"
    assert WordKernel(inner_product(lambda n: n), 4, 2).exactness == "exact"


def test_softmax_averages():
    logits = Logits.of(1, 1, scale=1)
    wide = Logits.of(1, 3, scale=1)
    assert (wide.token, wide.alpha, wide.beta) == (2.0, 1.0, 3.0)
    assert wide.place == pytest.approx(math.sqrt(12))
    assert used_tokens(((0, 0, 0), (0, 2, 1), (0, 0, 0))) == ((2, 1), (0, 0))
    assert binary_form(((0, 1), (0, 3))) == binary_form(((3, 0), (1, 0))) == ((3, 0), (1, 0))
    assert binary_form(((4,),)) == ((4, 0), (0, 0))
    two = [((1, 0), (0, 1)), ((2, 0), (0, 0))]
    sums = [s.values() for s in BinarySums.pair(two, logits, 0.5, accuracy=16.0)]
    assert [round(sum(both) / 2, 6) for both in zip(*sums, strict=True)] == [1.236007, 1.593162]
    single = [s.values()[0] for s in ContractedSums.pair(two[:1], logits, 0.5, accuracy=16.0)]
    assert round(sum(single) / 2, 6) == 1.236007
    assert independent_values(two, logits, accuracy=16.0) == pytest.approx([1, 1.5], abs=1e-5)
    whole = {Fraction(1): 2, Fraction(1, 2): 2}
    for values in two_lattices([(two[0], whole)], logits, digits=6):
        assert [round(value, 5) for value in values] == [5.51197]
    with pytest.raises(Undecided, match="20 digits are out of reach of doubles: 13 can be had"):
        two_lattices([(two[0], whole)], logits, digits=20)


def test_lattices():
    assert Law.main(2, 0.5) == Law(2.0, 1.0, 0.25, 1.0)
    root = math.sqrt(2)
    assert Law.appendix_h(1, 1, same_last=False) == Law(root, root, 1.0, 0.5)
    law, types = Law.main(1, 1), [(2, 2, 1), (1, 1, 1, 1, 1)]
    one, two = Lattice.pair(law, accuracy=20, types=types)
    assert repr(one).startswith("Lattice(21 times, 19 spots, step 0.706")
    assert (two.times[0] - one.times[0]) / one.step % 1 == pytest.approx(0.5)
    assert round(last_time(law, 20, (1, 1, 1, 1)), 1) == 3.8
    assert (round(gaussian_step(0.01, 20) / 0.01, 2), round(gaussian_step(100, 20), 2)) == (
        0.99,
        0.49,
    )
    assert round(gaussian_reach(20), 1) == 5.9
    assert [round(exponential_reach(d, 20.0), 1) for d in (0.0, 1.0)] == [20.0, 20.5]


@pytest.mark.parametrize("orders", [1, 2, 3, 6])
@pytest.mark.parametrize("step", [0.2, 0.5, 1.0])
def test_first_points_stand_for_all_before_them(step, orders):
    weights = before(step, orders)
    assert len(weights) == orders
    for k in range(1, orders + 1):
        earlier = math.fsum(math.exp(-k * i * step) for i in range(1, 400))
        found = math.fsum(w * math.exp(k * i * step) for i, w in enumerate(weights.tolist()))
        assert found == pytest.approx(earlier, rel=1e-7)


def test_moments_of_a_sum_over_positions():
    token, place, string = 0.7, 0.4, "AAB"
    for n, found in enumerate(moments(Law(token, place, 0.0), (2, 1), 4)):
        expected = 0.0
        for chosen in product(range(3), repeat=n):
            places = Counter(chosen).values()
            tokens = Counter(string[c] for c in chosen).values()
            variance = sum(token**2 * m**2 for m in tokens) + sum(place**2 * m**2 for m in places)
            expected += math.exp(variance / 2)
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0, 2.0, 6.0])
@pytest.mark.parametrize("goal", [8.0, 20.0])
def test_what_is_left_out_before_the_first_time(spread, goal):
    """One position, S = e^g: the sum over all times against that from the first one on."""
    nodes = [i / 50 for i in range(-600, 601)]
    density = [math.exp(-x * x / 2) / math.sqrt(2 * math.pi) / 50 for x in nodes]

    def mean(time):
        growth = [math.exp(min(time + spread * x, 700)) for x in nodes]
        return math.fsum(p * u * math.exp(-u) for p, u in zip(density, growth, strict=True))

    step = 2 * math.pi**2 / (goal + 3)
    begin, orders = first_time(Law(0.0, spread, 0.0), goal, [(1,)], step)
    assert (orders > 0) == (spread < 6)
    weights = before(step, orders).tolist()
    replaced = math.fsum(w * mean(begin + i * step) for i, w in enumerate(weights))
    left_out = math.fsum(mean(begin - i * step) for i in range(1, 200))
    assert abs(replaced - left_out) * step < math.exp(-goal)
    assert orders == 0 or left_out * step > math.exp(-goal)


def test_what_is_left_out_after_the_last_time():
    spread, goal = 1.0, 12.0
    last = last_time(Law(0.0, spread, 0.0), goal, (1,))
    draws = [i / 50 for i in range(-600, 601)]
    tail = math.fsum(math.exp(-x * x / 2 - math.exp(last + spread * x)) for x in draws)
    assert tail / math.sqrt(2 * math.pi) / 50 == pytest.approx(math.exp(-goal), rel=0.05)


def test_graphs_on_lattices():
    found = components(Counter({(0, 4): 2, (1, 5): 1, (3, 3): 1}))
    assert found == [(((0, 0), 1),), (((1, 0), 1),), (((1, 0), 2),)]
    edges = (((0, 0), 1),)
    values = [
        joined([edges], {edges: Component(edges, lattice).contract()}, lattice)
        for lattice in Lattice.pair(Law.main(1, 1), accuracy=15, types=[(1,)])
    ]
    # X = Y of length one: 1 + gamma^2.
    assert sum(values) / 2 == pytest.approx(2, abs=1e-4)
    crossed = (((0, 1), 1), ((1, 0), 1))  # AB and BA
    graphs = [
        PointSum(crossed, lattice)
        for lattice in Lattice.pair(Law.main(1, 1), accuracy=15, types=[(1, 1)])
    ]
    assert [len(graph.points) for graph in graphs] == [19, 19]
    assert round(sum(graph.value() for graph in graphs) / 2, 4) == 1.0


def test_values_at_numbers():
    pair = Diagram.of("AB", "AB")
    assert str(attention_value(pair, 1, 0, digits=8)).startswith("0.63683815")
    assert attention_value(pair, 0, "1/2") == Rational(5, 8)
    with pytest.raises(Undecided, match="30 digits are out of reach of doubles: 13 can be had"):
        attention_value(pair, 1, 1, digits=30)
    pairs = [Diagram.of("AA*", "BB*"), Diagram.of("AA*", "BC*"), Diagram.of("AB*", "CD*")]
    found = attention_values(pairs, 1, 1, digits=8)
    assert list(map(str, found)) == ["0.67984292", "0.66033432", "0.64456112"]
    crossed = Diagram.of("AB", "BA")
    near = coordinatewise_value(crossed, 0.5, 1, weights="exponential", digits=6)
    assert (near.digits, round(near.value, 2)) == (6, 8.47)
    with pytest.raises(BadValue, match="see all positions at once: take attention_value"):
        coordinatewise_value(crossed, 1, 1, weights="softmax")


def test_parameters_and_digits():
    assert (parameter("-1/2", "beta"), parameter(-0.5, "beta")) == (HALF, 0.5)
    with pytest.raises(BadValue, match="beta is nan: give a finite number"):
        parameter(float("nan"), "beta")
    assert near_float(Fraction(1, 3)) == 1 / 3
    with pytest.raises(BadValue, match="below the smallest float: give beta and gamma as exact"):
        near_float(Fraction(1, 10**400))
    with pytest.raises(Undecided, match="beta is about 1e200: floats are had for 0 and from"):
        check_range(1e200, "beta")
    assert [agreement(0.12345, 0.12346), agreement(1e-9, 0.0), agreement(2.0, 2.0)] == [4, 0, 13]
    assert most_digits(lambda digits: digits < 7, 10) == 6
