"""Speed of Gaussian moments and of the derivatives' formulas; run with --benchmark-only."""

import random
import time

import pytest

from symbench.kernels.derivatives import formulas as derivative
from symbench.kernels.derivatives import graph_gas, invariants, series
from symbench.kernels.derivatives.formulas import attention_derivative
from symbench.kernels.derivatives.moments import gaussian_moment

ROWS = [(0, 0), (2, 2), (4, 0), (4, 2), (6, 4)]
# Seconds of the authors' notebook for the five rows (repeated differentiation), timed apart.
NOTEBOOK = 22.0


def forget():
    """Empty what is remembered between calls: each round starts from nothing."""
    for module in (derivative, graph_gas, invariants, series):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def formulas(orders):
    return [len(attention_derivative(i, j).terms) for i, j in orders]


def test_five_rows_of_the_table(benchmark, capsys):
    result = benchmark.pedantic(lambda: formulas(ROWS), setup=forget, rounds=5, iterations=1)
    assert result == [1, 2, 23, 17, 27]
    ours = benchmark.stats.stats.median
    with capsys.disabled():
        print(f"\nfive rows: authors' notebook (timed apart) / symbench = {NOTEBOOK / ours:.0f}")


@pytest.mark.parametrize(
    ("order", "terms"),
    [((6, 0), 73), ((6, 2), 81), ((6, 6), 5), ((8, 0), 203), ((8, 6), 27), ((10, 0), 520)],
)
def test_one_formula(benchmark, order, terms):
    result = benchmark.pedantic(lambda: formulas([order]), setup=forget, rounds=3, iterations=1)
    assert result == [terms]


def test_a_thousand_pairs_at_order_ten(benchmark):
    chance = random.Random(1)
    pairs = [
        tuple("".join(chance.choice("ABCDEF") for _ in range(9)) for _ in range(2))
        for _ in range(1000)
    ]
    f = attention_derivative(10, 0)
    assert f.terms
    assert len(benchmark(lambda: f.evaluate_many(pairs))) == 1000


def test_gaussian_moment_of_20_points(benchmark, capsys):
    chance = random.Random(1)
    lower = [[chance.randint(-5, 5) for _ in range(n + 1)] for n in range(20)]
    rows = [[lower[max(i, j)][min(i, j)] for j in range(20)] for i in range(20)]
    value = benchmark(lambda: gaussian_moment(rows, [1] * 20))
    assert value.denominator == 1
    start = time.perf_counter()
    peer = by_recursion(rows[:12], tuple(range(12)), {})
    seconds = time.perf_counter() - start
    assert peer == gaussian_moment([row[:12] for row in rows[:12]], [1] * 12)
    with capsys.disabled():
        print(f"\nmoment of 12 points by recursion with memory: {1000 * seconds:.1f} ms; no peer")


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
