"""Covering numbers and bounds, against formulas written out in floats and covers by brute force."""

from fractions import Fraction
from itertools import combinations
from math import ceil, cos, exp, log, pi, sqrt, tanh

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbench.errors import BadShape, BadValue, TooLarge
from symbench.sparse import (
    cheapest_split,
    covering_number,
    deep_cover,
    generalisation_gap,
    head_cover,
    linear_cover,
    selected_mass,
    softmax_distance,
)

SIZES = {"dimension": 8, "length": 64, "samples": 10}


def number(ball):
    return float(ball.mid())


def linear(rho, d, n, theta):
    first = ceil((rho / theta) ** 2) * log(2 * d + 1)
    grid = 2 * ceil(4 * rho / (1 - theta) + 2) * n + 1
    return first + 36 * (rho / (1 - theta)) ** 2 * log(grid)


GRID = [Fraction(k, 24) for k in range(1, 24)]


def best(rho, d, n):
    return min(linear(rho, d, n, theta) for theta in GRID)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 50), st.integers(1, 99))
def test_linear_functions(above, below, d, n):
    rho = Fraction(above, below)
    found = linear_cover(error=below, norm=above, dimension=d, points=n)
    assert number(found.value) == pytest.approx(best(rho, d, n))
    for theta in ("1/3", "9/10"):
        one = linear_cover(error=below, norm=above, dimension=d, points=n, theta=theta)
        assert number(one.value) == pytest.approx(linear(rho, d, n, Fraction(theta)))
    proper = linear_cover(error=below, norm=above, dimension=d, points=n, proper=True)
    halved = linear_cover(error=Fraction(below, 2), norm=above, dimension=d, points=n)
    assert number(proper.value) == pytest.approx(number(halved.value))


def heads_by_hand(error, qk, v, v21, bx, bq, bp, lip, heads):
    b, q, e = bx + bp, bq + bp, Fraction(error) / heads
    n = SIZES["samples"] * SIZES["length"]
    return heads * min(
        best(qk * q * b * lip * v * b / (alpha * e), SIZES["dimension"], n)
        + best(lip * v21 * b / ((1 - alpha) * e), SIZES["dimension"], n)
        for alpha in GRID
    )


@pytest.mark.parametrize(
    "values",
    [(1, 2, 3, 4, 1, 1, 0, 1, 1), (Fraction(1, 6), 5, 1, 2, 2, 3, Fraction(1, 2), 2, 3)],
)
def test_heads(values):
    error, qk, v, v21, bx, bq, bp, lip, heads = values
    found = head_cover(
        error=error, score_norm=qk, value_norm=v, value_sum_norm=v21, radius=bx, query_radius=bq,
        positions=bp, lipschitz=lip, heads=heads, **SIZES,
    )  # fmt: skip
    assert number(found.value) == pytest.approx(heads_by_hand(*values))
    assert set(found.parameters) >= {"alpha", "error", "positions"}
    assert "ln N <=" in found.explain()


def test_it_does_not_change_with_the_unit():
    """Tokens c times as long and scores by c^-2, values by c^-1: the same heads."""
    numbers = []
    for c in (1, 7, 1000):
        found = head_cover(
            error=1, score_norm=Fraction(3, c * c), value_norm=Fraction(2, c), radius=c, **SIZES
        )
        numbers.append(number(found.value))
    assert numbers[1:] == pytest.approx([numbers[0]] * 2)


@pytest.mark.parametrize(("T", "printed"), [(10**2, 2.7e7), (10**4, 8.4e7), (10**6, 1.8e8)])
def test_the_example(T, printed):
    near = [Fraction(x).limit_denominator(10**6) for x in (log(12 * T), sqrt(3), sqrt(2))]
    found = head_cover(
        error="1/6", score_norm=near[0] * near[1], value_norm=near[2], dimension=T + 3, length=T,
        samples=10**6,
    )  # fmt: skip
    assert number(found.value) == pytest.approx(printed, rel=0.03)


def test_depth():
    found = deep_cover(
        error=2, depth=3, spectral_norm=2, sum_norm=5, output_norm=3, radius=7, lipschitz=3,
        exponent=2, **SIZES,
    )  # fmt: skip
    wanted = 6**6 * (7 * 3 * 5 / 2) ** 2 * log(8 * 64 * 10)
    assert number(found.value) == pytest.approx(wanted)


@given(st.integers(1, 1000), st.integers(1, 10**6), st.integers(1, 20))
def test_gap(C, m, A):
    found = generalisation_gap(
        capacity=C, samples=m, lipschitz=2, bound=A, loss_range=3, delta="1/10"
    )
    spread = sqrt(C / m)
    wanted = 48 * spread * (1 + max(0, log(A / spread / 3))) + 3 * sqrt(log(10) / 2 / m)
    assert number(found.value) == pytest.approx(wanted)


numbers = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=3)


@given(numbers, st.integers(1, 5), st.data())
def test_cheapest_split(pairs, total, data):
    costs, prices = zip(*pairs, strict=True)
    least, at = cheapest_split(costs, prices, total)
    x = [number(v) for v in at]
    assert sum(b * v for b, v in zip(prices, x, strict=True)) == pytest.approx(total)
    assert sum(a / v**2 for a, v in zip(costs, x, strict=True)) == pytest.approx(number(least))
    # No other positive point on the plane is cheaper.
    other = [data.draw(st.integers(1, 50)) for _ in costs]
    scale = total / sum(b * v for b, v in zip(prices, other, strict=True))
    cost = sum(a / (v * scale) ** 2 for a, v in zip(costs, other, strict=True))
    assert cost >= number(least) * (1 - 1e-12)


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=6))
def test_softmax_distance(pairs):
    a, b = zip(*pairs, strict=True)
    first, second = ([exp(v) / sum(map(exp, x)) for v in x] for x in (a, b))
    gap = max(abs(u - v) for u, v in pairs)
    bound = number(softmax_distance(Fraction(gap)))
    assert sum(abs(u - v) for u, v in zip(first, second, strict=True)) <= bound + 1e-12
    assert bound == pytest.approx(2 * tanh(gap / 2))


def test_softmax_distance_is_attained():
    first, second = ([exp(v) / (exp(v) + exp(-v)) for v in (x, -x)] for x in (0.5, -0.5))
    apart = sum(abs(u - v) for u, v in zip(first, second, strict=True))
    assert apart == pytest.approx(number(softmax_distance(1)))


@pytest.mark.parametrize("T", [1, 2, 3, 4, 5, 6, 17, 64])
@pytest.mark.parametrize("scale", ["1", "1/10", "1/20"])
def test_selected_mass(T, scale):
    c = float(Fraction(scale))
    wanted = 1 / sum(exp(-c * T * T * (1 - cos(2 * pi * t / T))) for t in range(T))
    assert number(selected_mass(T, scale)) == pytest.approx(wanted)


def brute_force(functions, radius):
    different = list(dict.fromkeys(functions))
    for size in range(len(different) + 1):
        for chosen in combinations(different, size):
            if all(
                any(max(abs(x - y) for x, y in zip(f, g, strict=True)) <= radius for g in chosen)
                for f in different
            ):
                return size
    raise AssertionError


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=1, max_size=8), st.integers(0, 3))
def test_covering_number(functions, radius):
    assert covering_number(functions, error=radius) == brute_force(functions, radius)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: linear_cover(error=1, norm=-1, dimension=1, points=1), BadValue),
        (lambda: linear_cover(error=1, norm=1, dimension=1, points=1, theta=1), BadValue),
        (lambda: head_cover(error=1, score_norm=1, value_norm=1, alpha=2, **SIZES), BadValue),
        (lambda: head_cover(error=1, score_norm=1, value_norm=1, positions=-1, **SIZES), BadValue),
        (lambda: generalisation_gap(capacity=1, samples=1, delta=1), BadValue),
        (lambda: cheapest_split([1], [1, 2], 1), BadShape),
        (lambda: cheapest_split([], [], 1), BadShape),
        (lambda: softmax_distance(-1), BadValue),
        (lambda: selected_mass(3, 0), BadValue),
        (lambda: covering_number([], 1), BadShape),
        (lambda: covering_number([(k,) for k in range(40)], 1), TooLarge),
        (lambda: deep_cover(error=1, depth=1, spectral_norm=0, sum_norm=1, **SIZES), BadValue),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
