"""Eigenvalue scaling: against blocks by Schrijver's formula, closed forms and published values."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.exact import Rational
from symbench.kernels import from_table, linear_attention
from symbench.kernels.float_value import FloatValue
from symbench.kernels.softmax_attention import softmax_attention
from symbench.laws import Counts, Iid
from symbench.spectra.scaling import EigenvalueScaling, ScalingPoint, eigenvalue_scaling
from symbench.young import Partition


# --- the slow road: Schrijver's blocks of a function of (|x|, |y|, |x and y|), in floats ----------
def choose(n, k):
    return math.comb(n, k) if 0 <= k <= n else 0


def largest(length, m, kernel, chance):
    """The largest eigenvalue on S^(L-m,m) of k(x, y) p(y); p is `chance` of the weight."""
    rows = []
    for i in range(m, length - m + 1):
        row = []
        for j in range(m, length - m + 1):
            total = Fraction(0)
            for t in range(max(0, i + j - length), min(i, j) + 1):
                beta = sum(
                    (-1) ** (u - t)
                    * choose(u, t)
                    * choose(length - 2 * m, u - m)
                    * choose(length - m - u, i - u)
                    * choose(length - m - u, j - u)
                    for u in range(length + 1)
                )
                if beta:
                    total += beta * Fraction(kernel(i, j, t))
            row.append(float(total * chance(j) / choose(length - 2 * m, i - m)))
        rows.append(row)
    return max(np.linalg.eigvals(np.array(rows)).real)


def linear(length, alpha, beta, readout):
    """The kernel of linear attention on binary words, straight from the covariance."""

    def value(i, j, t):
        x = [1] * t + [1] * (i - t) + [0] * (j - t) + [0] * (length - i - j + t)
        y = [1] * t + [0] * (i - t) + [1] * (j - t) + [0] * (length - i - j + t)
        table = [
            [alpha * (a == b) + beta * (p == q) for q, b in enumerate(y)] for p, a in enumerate(x)
        ]
        norm = sum(entry**2 for row in table for entry in row)
        everything = sum(map(sum, table))
        return norm * (everything if readout == "sum" else sum(table[p][p] for p in range(length)))

    return value


def on_table(length, alpha, beta, readout):
    """The same as a function of the contingency table: `spectrum` takes the general road."""
    value = linear(length, alpha, beta, readout)
    return from_table(lambda t: value(t[1][0] + t[1][1], t[0][1] + t[1][1], t[1][1]))


@pytest.mark.parametrize("readout", ["sum", "flatten"])
@pytest.mark.parametrize("law", [None, Iid("1/3", "2/3")])
def test_linear_attention_against_blocks(readout, law):
    found = eigenvalue_scaling(
        linear_attention(1, 2, readout=readout), lengths=[5, 3, 6, 5], law=law
    )
    assert found.exactness == "exact"
    assert found.lengths == (3, 5, 6)
    one = Fraction(1, 2) if law is None else Fraction(2, 3)
    for point in found.points:
        L = point.length
        weights = [one**j * (1 - one) ** (L - j) for j in range(L + 1)]
        expected = largest(L, point.m, linear(L, 1, 2, readout), weights.__getitem__)
        assert float(point.eigenvalue) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert point.dimension == math.comb(L, point.m) - (
            math.comb(L, point.m - 1) if point.m else 0
        )
        assert point.partition == Partition(L - point.m, point.m)
        trace = sum(
            math.comb(L, j) * weights[j] * linear(L, 1, 2, readout)(j, j, j) for j in range(L + 1)
        )
        assert point.trace == trace
    assert [point.m for point in found.points] == [0, 1, 0, 1, 2, 0, 1, 2, 3]


@settings(max_examples=6, deadline=None)
@given(st.integers(4, 7), st.sampled_from(["sum", "flatten"]), st.integers(0, 3))
def test_closed_forms_and_the_general_road_agree(length, readout, max_m):
    closed = eigenvalue_scaling(
        linear_attention(1, "1/2", readout=readout), lengths=[length], max_m=max_m
    )
    general = eigenvalue_scaling(
        on_table(length, 1, Fraction(1, 2), readout), lengths=[length], max_m=max_m
    )
    assert closed.points == general.points


def test_values_from_outside():
    """The figures for L = 60, alpha = beta = 1, and the formula for sum pooling."""
    flatten = eigenvalue_scaling(linear_attention(1, 1, readout="flatten"), lengths=[60])
    assert [round(float(p.ratio), 3) for p in flatten.points] == [0.717, 0.257, 0.007, 0]
    pooled = eigenvalue_scaling(linear_attention(3, 2), lengths=[8, 31], max_m=1)
    assert [p.eigenvalue for p in pooled.of(1)] == [
        Rational(3 * 2 * L * (3 * L + 4), 2) for L in (8, 31)
    ]


def test_powers_of_long_words():
    lengths = [10**4, 10**5, 10**6]
    flatten = eigenvalue_scaling(linear_attention(1, 1, readout="flatten"), lengths=lengths)
    powers = {fit.m: (fit.eigenvalue, fit.ratio) for fit in flatten.exponents}
    # Tight at m = 1, a power of L too small at m = 2, and nothing at m = 3.
    assert powers[1] == pytest.approx((-1, 0), abs=1e-3)
    assert powers[2] == pytest.approx((-3, -1), abs=1e-3)
    assert set(powers) == {0, 1, 2}
    pooled = eigenvalue_scaling(linear_attention(1, 1), lengths=lengths)
    powers = {fit.m: (fit.eigenvalue, fit.ratio) for fit in pooled.exponents}
    assert powers[1] == pytest.approx((-2, -1), abs=1e-3)
    assert {fit.exactness for fit in pooled.exponents} == {"float"}


@pytest.mark.parametrize("readout", ["sum", "flatten"])
def test_softmax_against_blocks(readout):
    kernel = softmax_attention(1, "1/2", readout=readout)
    L = 4
    found = eigenvalue_scaling(kernel, lengths=[L], digits=5)
    assert found.exactness == "float"
    places = [
        (i, j, t)
        for i in range(L + 1)
        for j in range(L + 1)
        for t in range(max(0, i + j - L), min(i, j) + 1)
    ]
    some = [((L - i - j + t, j - t), (i - t, t)) for i, j, t in places]
    values = dict(zip(places, kernel.on_tables(some, digits=6)[1], strict=True))
    trace = sum(math.comb(L, j) * values[j, j, j] for j in range(L + 1)) / 2**L
    for point in found.points:
        expected = largest(L, point.m, lambda *place: values[place], lambda j: Fraction(1, 2**L))
        assert float(point.eigenvalue) == pytest.approx(expected, rel=1e-4)
        assert isinstance(point.eigenvalue, FloatValue)
        assert float(point.trace) == pytest.approx(trace, rel=1e-4)
        assert 0 < point.ratio < 1


def test_softmax_sees_every_irreducible_unlike_linear_attention():
    lengths = [6]
    kernel = softmax_attention(1, 1, readout="flatten")
    softmax = eigenvalue_scaling(kernel, lengths=lengths, digits=5)
    straight = eigenvalue_scaling(linear_attention(1, 1, readout="flatten"), lengths=lengths)
    assert float(softmax.of(3)[0].eigenvalue) > 0
    assert softmax.of(3)[0].eigenvalue.digits > 0
    assert straight.of(3)[0].eigenvalue == 0


def test_text_and_plot(tmp_path):
    found = eigenvalue_scaling(linear_attention(1, 1), lengths=[4, 6, 8], max_m=2)
    text = str(found)
    assert text.splitlines()[0] == "linear_attention(1, 1, readout='sum'), vocabulary 2: exact"
    assert len(text.splitlines()) == 2 + 3 * 3 + 1
    figure = found.plot(tmp_path / "scaling.svg")
    assert (tmp_path / "scaling.svg").stat().st_size > 1000
    lines = {line.get_label(): line.get_xydata() for line in figure.axes[0].get_lines()}
    # The eigenvalues of m = 2 are zero: no line, but marks at their dimensions, and their number.
    zero = "not above zero: (L-2, 2) (3 points)"
    assert set(lines) == {"(L)", "(L-1, 1)", "1 / dim", zero}
    assert lines[zero].tolist() == [[2, 0], [9, 0], [20, 0]]
    shares = [float(point.share) for point in found.of(1)]
    assert lines["(L-1, 1)"].tolist() == [[3, shares[0]], [5, shares[1]], [7, shares[2]]]
    assert np.allclose(lines["1 / dim"].prod(axis=1), 1)
    with pytest.raises(BadType):
        found.plot(3)


def test_an_eigenvalue_without_digits_is_not_shown_as_one():
    points = (
        ScalingPoint(4, 2, 2, FloatValue(1e-12, 0), FloatValue(1.0, 6)),
        ScalingPoint(8, 2, 20, FloatValue(0.5, 6), FloatValue(1.0, 6)),
    )
    found = EigenvalueScaling("k", 2, points, "float")
    assert found.exponents == ()
    assert "?" in found.table().splitlines()[2]
    lines = found.plot().axes[0].get_lines()
    assert [len(line.get_xdata()) for line in lines] == [1, 2, 1]


def test_what_is_too_large_is_refused_before_the_rest_is_computed():
    asked = []

    def value(table):
        asked.append(table)
        return 1

    with pytest.raises(TooLarge):
        eigenvalue_scaling(from_table(value), lengths=[3, 4, 100_000])
    assert {sum(map(sum, table)) for table in asked} <= {100_000}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"lengths": None}, BadType),
        ({"lengths": "12"}, BadType),
        ({"lengths": 4}, BadType),
        ({"lengths": []}, BadValue),
        ({"lengths": [0]}, BadValue),
        ({"lengths": [None]}, BadType),
        ({"lengths": [4.0]}, NotExact),
        ({"lengths": [4], "vocabulary": 0}, BadValue),
        ({"lengths": [4], "vocabulary": None}, BadType),
        ({"lengths": [4], "max_m": -1}, BadValue),
        ({"lengths": [4], "max_m": "a"}, SymbenchError),
        ({"lengths": [4], "digits": 0}, BadValue),
        ({"lengths": [4], "digits": None}, BadType),
        ({"lengths": [4], "law": 3}, BadType),
        ({"lengths": [4], "law": Iid("1/3", "1/3", "1/3")}, BadShape),
    ],
)
def test_bad_options(options, error):
    with pytest.raises(error) as caught:
        eigenvalue_scaling(linear_attention(1, 1), **options)
    assert isinstance(caught.value, SymbenchError)


@pytest.mark.parametrize("kernel", [None, 3, "linear", linear_attention(), float])
def test_bad_kernels(kernel):
    with pytest.raises(SymbenchError):
        eigenvalue_scaling(kernel, lengths=[3])


def test_a_law_of_one_length_fits_only_that_length():
    law = Counts.of(lambda counts: "1/6" if counts == (2, 2) else 0, length=4, vocabulary=2)
    found = eigenvalue_scaling(linear_attention(1, 1), lengths=[4], law=law)
    # Every word has two of each token: E k(x, x) = (n.n + L) (n.n + 2 L + L) with n.n = 8.
    assert found.of(0)[0].trace == (8 + 4) * (8 + 2 * 4 + 4)
    with pytest.raises(BadShape):
        eigenvalue_scaling(linear_attention(1, 1), lengths=[4, 5], law=law)
    with pytest.raises(BadValue, match="trace"):
        eigenvalue_scaling(from_table(lambda table: 0), lengths=[3])


def test_ratios_show_no_digit_that_a_ball_leaves_open():
    for radius, shown in (("1e-9", 5), ("0.01", 1), ("0.5", 0)):
        kernel = from_table(lambda t, r=radius: flint.arb(1 + t[0][0] + t[1][1], r))
        line = eigenvalue_scaling(kernel, lengths=[3], max_m=0).table().splitlines()[2]
        ratio = line.split()[-1]
        assert ratio == ("?" if shown == 0 else f"{2.5 / 4:.{shown}g}")


def test_numbers_without_room_in_floats():
    """Six layers: eigenvalues of more than 10^308, whose shares are plain numbers."""
    found = eigenvalue_scaling(linear_attention(1, 1, layers=6), lengths=[8, 12], max_m=1)
    for point in found.points:
        with pytest.raises(OverflowError):
            float(point.trace)
        low, high = (
            point.eigenvalue.interval()
            if not isinstance(point.eigenvalue, Rational)
            else (point.eigenvalue, point.eigenvalue)
        )
        expected = float((low + high) / 2 / point.trace)
        assert float(point.share) == pytest.approx(expected, rel=1e-12)
        assert 0 < float(point.ratio) <= 1
    assert len(found.exponents) == 2
    # Dimensions of hundreds of digits belong to no eigenvalue that is drawn.
    long = eigenvalue_scaling(linear_attention(1, 1), lengths=[10**6], max_m=120)
    assert long.plot().axes
