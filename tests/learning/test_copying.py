"""The copy task: tangent kernels from Wick sums over single weights, gradients from differences."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import errors
from symbench.learning import Copying
from symbench.learning.copying import BLOCKS, read_rates

GAMMAS = st.fractions(min_value=-2, max_value=2, max_denominator=3)


# --- the mean kernels, from the definition --------------------------------------------------------
def logit(i, x, width, gamma, rows=1):
    """f_i(x) as pairs (coefficient, weights): e_ia O_ra V_rc (e_xc + gamma p_c); b e_ic z_xc."""
    terms = []
    for c in range(width):
        ends = ((Fraction(1), ("E", x, c)), (gamma, ("P", 0, c)))
        for coefficient, end in ends:
            for a, r in product(range(width), range(rows)):
                terms.append((coefficient, (("E", i, a), ("O", r, a), ("V", r, c), end)))
            terms.append((coefficient, (("b", 0, 0), ("E", i, c), end)))
    return terms


def derivative(terms, weight):
    found = []
    for coefficient, weights in terms:
        for n, w in enumerate(weights):
            if w == weight:
                found.append((coefficient, weights[:n] + weights[n + 1 :]))
    return [(c, ws) for c, ws in found if ("b", 0, 0) not in ws]  # b = 0


def wick(weights, variance):
    if not weights:
        return Fraction(1)
    first, *rest = weights
    total = Fraction(0)
    for n, other in enumerate(rest):
        if other == first:
            total += variance(first) * wick(rest[:n] + rest[n + 1 :], variance)
    return total


def mean_kernel(block, i, j, x, y, width, gamma):
    """The sum over the weights of a block of the mean product of derivatives, its factor gone."""

    def variance(weight):
        return Fraction(1, width) if weight[0] in "EP" else Fraction(1)

    left, right = (logit(k, t, width, gamma) for k, t in ((i, x), (j, y)))
    weights = {w for terms in (left, right) for _, ws in terms for w in ws if w[0] == block}
    total = Fraction(0)
    for weight in weights:
        for (c, one), (d, two) in product(derivative(left, weight), derivative(right, weight)):
            total += c * d * wick([*one, *two], variance)
    return total / (width if block in "PE" else 1)


@settings(max_examples=60)
@given(st.sampled_from(BLOCKS), st.tuples(*[st.integers(0, 2)] * 4), st.integers(1, 2), GAMMAS)
def test_the_mean_kernel_is_the_wick_sum(block, tokens, width, gamma):
    found = Copying(3, width=width, gamma=gamma).kernel(block, *tokens)
    assert found == mean_kernel(block, *tokens, width, gamma)


def contracted(copying, block, x, y):
    m = copying.vocabulary
    g = [[Fraction(1, m) - int(i == t) for i in range(m)] for t in range(m)]
    return sum(
        g[x][i] * g[y][j] * copying.kernel(block, i, j, x, y) for i in range(m) for j in range(m)
    )


@settings(max_examples=40)
@given(
    st.integers(2, 5), st.integers(1, 9), GAMMAS, st.data(),
    st.dictionaries(st.sampled_from(BLOCKS), st.fractions(0, 2, max_denominator=3), min_size=1),
)  # fmt: skip
def test_slopes_are_sums_over_samples(m, width, gamma, data, rates):
    counts = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=m - 1))
    copying = Copying(m, width=width, gamma=gamma)
    samples = [t for t, n in enumerate(counts) for _ in range(n)]
    n, test = len(samples), m - 1
    wanted_train = -sum(
        rate * contracted(copying, block, x, y)
        for block, rate in rates.items()
        for x, y in product(samples, repeat=2)
    ) / Fraction(n**2)
    wanted_test = -sum(
        rate * contracted(copying, block, test, x) for block, rate in rates.items() for x in samples
    ) / Fraction(n)
    assert copying.slopes(counts, rates=rates) == (wanted_train, wanted_test)


def test_vectors():
    found = [float(Copying(8, width=d, gamma=1).slopes(4).test) for d in (1, 2, 4, 6)]
    assert found == pytest.approx([-0.65625, -0.265625, -0.0703125, -0.0052083], abs=1e-7)
    # The same by pairings of the coordinates: W_O moves, and W_V leaves (e_i . e_j)(z_x . z_y).
    for d, expected in ((1, -0.65625), (2, -0.265625), (4, -0.0703125)):
        share = dict.fromkeys("EP", Fraction(1, d))
        total = Fraction(0)
        for i, j, a, c in product(range(8), range(8), range(d), range(d)):
            g = (Fraction(1, 8) - int(i == 7)) * (Fraction(1, 8) - int(j == 0))
            for ends in ([("E", 7, c), ("E", 0, c)], [("P", 0, c), ("P", 0, c)]):
                weights = [("E", i, a), ("E", j, a), *ends]
                total -= g * wick(weights, lambda weight, share=share: share[weight[0]])
        assert float(total) == expected


@given(st.integers(2, 40), GAMMAS.filter(bool))
def test_the_critical_width_parts_the_signs(m, gamma):
    copying = Copying(m, gamma=gamma)
    critical = copying.critical_width()
    assert critical == Fraction((m - 1) ** 2 + 1) / (m * gamma**2)
    below, above = int(-(-critical // 1)) - 1, int(critical // 1) + 1
    slope = lambda d: Copying(m, gamma=gamma, width=d).slopes(1).test  # noqa: E731
    assert slope(above) > 0
    assert below < 1 or slope(below) < 0


@given(st.integers(2, 9), st.integers(1, 8), GAMMAS)
def test_limits(m, n, gamma):
    copying, seen = Copying(m, gamma=gamma), min(n, m - 1)
    assert copying.limit(seen).test == gamma**2 / m
    assert copying.limit(seen, rates={"b": 1}) == (-((1 - Fraction(1, m)) ** 2),) * 2
    wide = Copying(m, width=10**9, gamma=gamma).slopes(seen)
    assert all(
        abs(x - y) < Fraction(10, 10**9) for x, y in zip(wide, copying.limit(seen), strict=True)
    )


def test_open_parameters_are_filled_in():
    given_, open_ = Copying(5, width=3, gamma="1/2"), Copying()
    for block in BLOCKS:
        value = open_.slopes([2, 1], rates={block: 1}).test
        at = sum(
            c * Fraction(1, 2) ** g * Fraction(1, 3) ** u * Fraction(1, 5) ** v
            for (g, u, v), c in (
                (tuple(map(int, e)), Fraction(int(c.p), int(c.q)))
                for e, c in value.to_dict().items()
            )
        )
        assert at == given_.slopes([2, 1], rates={block: 1}).test


def test_one_token_is_vacuous():
    assert Copying(1, width=4, gamma=2).slopes(1, rates=dict.fromkeys(BLOCKS, 1)) == (0, 0)
    train, test = Copying(1, width=4, gamma=2).simulate(1, draws=5)
    assert train == test == (0.0, 0.0)


# --- networks -------------------------------------------------------------------------------------
class Prescribed:
    """A generator whose normal numbers are kept."""

    def __init__(self):
        self.random, self.arrays = np.random.default_rng(3), []

    def standard_normal(self, shape):
        self.arrays.append(self.random.standard_normal(shape))
        return self.arrays[-1]


@pytest.mark.parametrize("block", BLOCKS)
def test_the_gradients_are_those_of_the_loss(block):
    from symbench.learning.copying import _Sizes

    m, d, heads, gamma, counts = 4, 3, 2, 0.5, (2, 1)
    copying, generator = Copying(m, width=d, gamma="1/2"), Prescribed()
    size = _Sizes(heads, heads, Fraction(1, 4), Fraction(1))
    found = copying._drawn(1, counts, {block: 1.0}, size, generator)[:, 0]
    e, p, out, value = (array[0] for array in generator.arrays)
    weights = {
        "E": e / np.sqrt(d), "P": p / np.sqrt(d), "O": out / 2, "V": value, "b": np.zeros(heads),
    }  # fmt: skip

    def losses(changed):
        matrix = changed["O"].T @ changed["V"] + changed["b"].sum() * np.eye(d)
        each = []
        for x in range(3):
            f = changed["E"] @ matrix @ (changed["E"][x] + gamma * changed["P"][0])
            each.append(np.log(np.exp(f).sum()) - f[x])
        return np.array([(2 * each[0] + each[1]) / 3, each[2]])

    step, slopes = 1e-5, []
    for index in np.ndindex(weights[block].shape):
        both = []
        for sign in (1, -1):
            moved = weights[block].copy()
            moved[index] += sign * step
            both.append(losses({**weights, block: moved}))
        slopes.append((both[0] - both[1]) / (2 * step))
    train, test = np.array(slopes).T
    assert found == pytest.approx([-train @ train, -train @ test], abs=1e-7)


@pytest.mark.parametrize("block", BLOCKS)
def test_networks_have_the_mean_slopes(block):
    copying, rates = Copying(4, width=3, gamma="1/2"), {block: 1}
    size = {"heads": 2, "head_width": 2, "out_variance": "1/10000000", "draws": 4000, "seed": 1}
    exact = copying.slopes(2, rates=rates)
    for value, (mean, error) in zip(exact, copying.simulate(2, rates=rates, **size), strict=True):
        assert abs(mean - float(value)) < 5 * error


def test_curve(tmp_path: Path):
    curve = Copying(8, gamma=1).curve([8, 1, 4, 4], 4, draws=50, head_width=4)
    assert [row.width for row in curve.rows] == [1, 4, 8]
    assert curve.exactness == "float"
    assert Copying(8, gamma=1).curve([2], 4).exactness == "exact"
    curve.plot(tmp_path / "slopes.svg")
    assert "<svg" in (tmp_path / "slopes.svg").read_text()
    assert "simulated test" in curve.table()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Copying(0), errors.BadValue),
        (lambda: Copying("8"), errors.BadType),
        (lambda: Copying(8, width=2.5), errors.NotExact),
        (lambda: Copying(8, gamma=0.5), errors.NotExact),
        (lambda: Copying(8).slopes(0), errors.BadValue),
        (lambda: Copying(8).slopes([]), errors.BadValue),
        (lambda: Copying(8).slopes([1, 0]), errors.BadValue),
        (lambda: Copying(8).slopes("12"), errors.BadType),
        (lambda: Copying(8).slopes(2.0), errors.NotExact),
        (lambda: Copying(3).slopes(3), errors.BadValue),
        (lambda: Copying(3).slopes(1, rates={"Q": 1}), errors.UnknownName),
        (lambda: Copying(3).slopes(1, rates={"O": -1}), errors.BadValue),
        (lambda: Copying(3).slopes(1, rates=[1]), errors.BadType),
        (lambda: Copying(3).kernel("O", 0, 3, 0, 0), errors.BadValue),
        (lambda: Copying(3).critical_width(), errors.NotSupported),
        (lambda: Copying(3, gamma=1).simulate(1), errors.NotSupported),
        (lambda: Copying(3, width=2, gamma=1).simulate(1, rates={"V": 1}), errors.BadValue),
        (lambda: Copying(3, width=2, gamma=1).simulate(1, draws=1), errors.BadValue),
        (lambda: Copying(3, width=10**5, gamma=1).simulate(1), errors.TooLarge),
        (lambda: Copying(3, gamma=1).curve([], 1), errors.BadValue),
        (lambda: read_rates({3: 1}), errors.UnknownName),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
