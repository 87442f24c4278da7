"""The second roads for learning against still plainer ones."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import flint
import pytest

from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Network, Q
from symbench.registry import claims, hunt

MINE = [
    "lavie2024.predictor", "lavie2024.sample-complexity", "lavie2024.train-and-ood",
    "lavie2024.omega-l-m", "lavie2024.exchangeability", "lavie2024.gaussian-limit",
    "symbench.kernel-lower-bound", "symbench.orbit-average", "symbench.two-row-samples",
    "symbench.kernel-versus-features", "symbench.stationary-bound",
    "symbench.smaller-group-weaker-bound", "symbench.second-moments-not-enough",
    "symbench.excess-kurtosis", "symbench.tangent-layer", "symbench.tangent-kernel",
    "symbench.tangent-spectrum", "symbench.tangent-frozen",
]  # fmt: skip


@pytest.mark.parametrize("id", MINE)
def test_no_counterexample_further_on(id):
    assert hunt(id, max_examples=8) is None


FORMER = {
    "lavie2024.lower-bound": "symbench.kernel-lower-bound",
    "lavie2024.omega-l-m-repaired": "symbench.two-row-samples",
    "lavie2024.stationary-bound": "symbench.stationary-bound",
    "lavie2024.exchangeability-repaired": "lavie2024.exchangeability",
    "lavie2024.gaussian-limit-repaired": "symbench.excess-kurtosis",
    "lavie2024.tangent-kernel": "symbench.tangent-kernel",
    "lavie2024.tangent-spectrum": "symbench.tangent-spectrum",
    "lavie2024.tangent-frozen": "symbench.tangent-frozen",
}


@pytest.mark.parametrize(("old", "new"), FORMER.items())
def test_former_ids(old, new):
    with pytest.warns(DeprecationWarning, match="now"):
        assert claims[old].id == new


# --- networks, multiplied out ---------------------------------------------------------------------
def output(word, width, readout, causal):
    """The output as a polynomial: monomials of independent variables, each sorted."""
    found = Counter()
    size = range(len(word))
    for a, c, (i, j, k) in product(size, size, product(range(width), repeat=3)):
        if (causal and c > a) or (readout == "last" and a != len(word) - 1):
            continue
        weights = [("r", a if readout == "flatten" else 0), ("o",), ("Q", i), ("K", j), ("V", k)]
        choices = [
            [("token", word[place], at), ("place", place, at)]
            for place, at in ((a, i), (c, j), (c, k))
        ]
        for embedded in product(*choices):
            found[tuple(sorted(map(str, [*weights, *embedded])))] += 1
    return found


def mean(monomial, variances):
    """Odd moments are 0, the others products of double factorials."""
    total = Fraction(1)
    for name, n in Counter(monomial).items():
        if n % 2:
            return 0
        total *= prod(range(1, n, 2)) * variances(name) ** (n // 2)
    return total


def derivative(polynomial, name):
    found = Counter()
    for monomial, coefficient in polynomial.items():
        n = monomial.count(name)
        if n:
            rest = list(monomial)
            rest.remove(name)
            found[tuple(rest)] += n * coefficient
    return found


def mean_product(f, g, variances):
    return sum(a * b * mean(x + y, variances) for (x, a), (y, b) in product(f.items(), g.items()))


@pytest.mark.parametrize(
    ("x", "y", "width", "readout", "causal"),
    [
        ((0,), (0,), 1, "sum", False),
        ((0,), (1,), 2, "sum", False),
        ((0,), (0,), 2, "last", False),
        ((0, 1), (0, 0), 1, "sum", False),
        ((0, 1), (0, 0), 1, "flatten", True),
        ((0, 1), (1, 1), 1, "last", False),
    ],
)
def test_the_mean_tangent_kernel_multiplied_out(x, y, width, readout, causal):
    """Every weight and every entry of an embedding is an own variable, and is differentiated."""
    alpha, beta, s, t = Fraction(2), Fraction(1, 3), Fraction(1, 2), Fraction(3)

    def variances(name):
        return alpha if "token" in name else beta if "place" in name else Fraction(1)

    def rate(name):
        # A derivative by an entry is one by a variable of variance 1, times the rate.
        return alpha * s if "token" in name else beta * t if "place" in name else Fraction(1)

    f, g = output(x, width, readout, causal), output(y, width, readout, causal)
    names = {name for monomial in [*f, *g] for name in monomial}
    total = Fraction(0)
    for name in names:
        here, there = derivative(f, name), derivative(g, name)
        total += rate(name) * mean_product(here, there, variances)
    network = Network(x, y, Q(2), Q(1, 3), readout, causal, width)
    covariance = mean_product(f, g, variances) / width**3
    assert network.mean_product() == covariance
    below = network.mean_derivatives(Q(1, 2), Q(3))
    assert 5 * covariance + below == total / width**3


def test_pairings():
    assert by_hand.isserlis([0] * 6, lambda s, t: 1) == 15
    assert by_hand.isserlis([0, 1, 0, 1], lambda s, t: Q(1) if s == t else Q(1, 2)) == 1 + Q(2, 4)
    assert by_hand.isserlis([0] * 3, lambda s, t: 1) == 0


# --- regression and orbits ------------------------------------------------------------------------
def test_two_regressions_agree():
    """By counts, and sample by sample: the same means."""
    K = flint.fmpq_mat([[2, 1, 0], [1, 3, 1], [0, 1, 1]])
    f, p = [Q(1), Q(-1), Q(2)], [Q(1, 2), Q(1, 3), Q(1, 6)]
    for samples in (1, 2, 3):
        one, two = ([Q(0)] * 3 for _ in range(2))
        for weight, counts, predicted in by_hand.regressions(K, f, p, samples, Fraction(1, 2)):
            assert sum(counts.values()) == samples
            one = [a + weight * b for a, b in zip(one, predicted, strict=True)]
        for weight, _, _, predicted in by_hand.with_noise(K, f, p, samples, Fraction(1, 2), 0):
            two = [a + weight * b for a, b in zip(two, predicted, strict=True)]
        assert one == two


def test_roots_are_compared_exactly():
    nine, four, one = Q(9), Q(4), Q(1)
    assert by_hand.root_within(nine, four, one)  # 3 - 2 = 1
    assert not by_hand.root_within(nine, four, one - Q(1, 10**9))
    assert by_hand.root_within(four, nine, one)
    assert by_hand.root_within(four, four, Q(0))
    assert not by_hand.root_within(nine + Q(1, 10**9), four, one)


def test_groups_of_positions():
    assert by_hand.group_of("cyclic", 3) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert sorted(by_hand.group_of((2, 1), 3)) == [(0, 1, 2), (1, 0, 2)]
    assert len(by_hand.group_of((2, 2), 4)) == 4
    assert len(by_hand.group_of((4,), 4)) == 24


def test_eigenvalues_of_an_orbit():
    """chi_1 on three fair bits: one third on the sum, one third on each of two differences."""
    words = by_hand.words_over(2, 3)
    f = by_hand.polynomial_values((((1,), 1),), 3)
    p = by_hand.independent((Fraction(1, 2),) * 2, 3)
    found = by_hand.orbit_eigenvalues(f, p, words, by_hand.group_of((3,), 3))
    assert found == [Q(1, 3)] * 3
    assert by_hand.tail_agrees(Fraction(2, 3), found, 1)
    assert not by_hand.tail_agrees(Fraction(1, 2), found, 1)


def test_dimensions():
    # OEIS A000108 for (m, m), and C(L, m) - C(L, m - 1).
    assert [by_hand.two_row_dimension(2 * m, m) for m in range(6)] == [1, 1, 2, 5, 14, 42]
    assert [by_hand.two_row_dimension(n, 1) for n in range(2, 6)] == [1, 2, 3, 4]
    assert by_hand.two_row_dimension(3, 2) == 0
