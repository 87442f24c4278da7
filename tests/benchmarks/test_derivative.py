"""Gaussian moments and the derivatives' formulas."""

import random

import pytest

from symbench.kernels.derivatives import formulas as derivative
from symbench.kernels.derivatives import graph_gas, invariants, series
from symbench.kernels.derivatives.formulas import attention_derivative
from symbench.kernels.derivatives.moments import gaussian_moment

ROWS = [(0, 0), (2, 2), (4, 0), (4, 2), (6, 4)]


def forget():
    """Empty what is remembered between calls: each round starts from nothing."""
    for module in (derivative, graph_gas, invariants, series):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def formulas(orders):
    return [len(attention_derivative(i, j).terms) for i, j in orders]


def test_five_rows_of_the_table(compare):
    found = compare(
        "derivatives at zero: the rows of boix2024", lambda: formulas(ROWS),
        {"the authors' notebook": "(22 s, timed apart)"}, size="five formulas", before=forget,
    )  # fmt: skip
    assert found == [1, 2, 23, 17, 27]


@pytest.mark.parametrize(("order", "terms"), [((6, 6), 5), ((8, 6), 27), ((10, 0), 520)])
def test_one_formula(compare, order, terms):
    found = compare(
        "derivative at zero: a formula", lambda: formulas([order]), size=f"order {order}",
        before=forget,
    )  # fmt: skip
    assert found == [terms]


def test_a_thousand_pairs_at_order_ten(compare):
    chance = random.Random(1)
    pairs = [
        tuple("".join(chance.choice("ABCDEF") for _ in range(9)) for _ in range(2))
        for _ in range(1000)
    ]
    f = attention_derivative(10, 0)
    values = compare(
        "a formula evaluated, order (10, 0)", lambda: f.evaluate_many(pairs), size="1,000 pairs"
    )
    assert len(values) == 1000


@pytest.mark.parametrize("points", [12, 20, 24])
def test_gaussian_moment(compare, points):
    chance = random.Random(1)
    lower = [[chance.randint(-5, 5) for _ in range(n + 1)] for n in range(points)]
    rows = [[lower[max(i, j)][min(i, j)] for j in range(points)] for i in range(points)]
    recursion = lambda: by_recursion(rows, tuple(range(points)), {})  # noqa: E731
    compare(
        "Gaussian moment",
        lambda: gaussian_moment(rows, [1] * points),
        {"recursion with memory": recursion if points < 20 else "(too long)"},
        size=f"{points} points",
        agrees=lambda ours, theirs: ours == theirs,
    )


def by_recursion(rows, points, known):
    """Pair the first point with each other one; subsets are remembered."""
    if not points:
        return 1
    if points not in known:
        first, *others = points
        known[points] = sum(
            rows[first][other] * by_recursion(rows, (*others[:n], *others[n + 1 :]), known)
            for n, other in enumerate(others)
        )
    return known[points]
