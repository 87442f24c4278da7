"""Appendix G of boix2024: its second roads by sympy, the printed refutation, and hunts."""

from fractions import Fraction
from math import factorial

import pytest
import sympy

import symbench as sb
from symbench.papers.boix2024 import analysis, integrand, power_series
from symbench.registry import claims, hunt


def test_tanh_squared():
    x = sympy.Symbol("x")
    expected = sympy.series(sympy.tanh(x) ** 2, x, 0, 12).removeO()
    assert [expected.coeff(x, 2 * n) for n in range(6)] == analysis.tanh_squared(6)


@pytest.mark.parametrize("weights", [(1, 1), (1, 2, 3), (Fraction(1, 2), 5)])
def test_softmax_around_logarithms(weights):
    u = sympy.symbols(f"u:{len(weights)}")
    total = sum(sympy.Rational(w) * sympy.exp(v) for w, v in zip(weights, u, strict=True))
    f = sympy.Rational(weights[0]) * sympy.exp(u[0]) / total
    for e, c in integrand.softmax(weights, 3)[0].items():
        value = f
        for v, n in zip(u, e, strict=True):
            value = sympy.diff(value, v, n)
        below = sympy.prod([factorial(n) for n in e])
        assert value.subs(dict.fromkeys(u, 0)) / below == sympy.Rational(c)


def test_power_series_of_a_pole():
    x, y = sympy.symbols("x y")
    for (i, j), c in power_series.expanded(("pole", 5), (1, Fraction(1, 2)), 4).items():
        value = sympy.diff(1 / (5 - x - y), x, i, y, j).subs({x: 1, y: sympy.Rational(1, 2)})
        assert value / (factorial(i) * factorial(j)) == sympy.Rational(c)


def test_the_whole_sum_of_a_pole_is_the_limit():
    whole = power_series.whole(("pole", 3), (0, 0), Fraction(1))
    parts = [
        power_series.majorant(power_series.expanded(("pole", 3), (0, 0), n), Fraction(1))
        for n in (10, 40)
    ]
    assert parts[0] < parts[1] < whole
    assert whole - parts[1] < Fraction(1, 10**6)


def test_what_the_counterexample_says():
    """No more than is shown: the strings, what was checked and where the rest is proved."""
    found = hunt("boix2024.lemma-G.1", max_examples=50)
    assert found is not None
    assert found.case == ("AA", "AA")
    assert "checked for n = 1, ..., 5, shown for every n in proofs/" in found.explain()
    assert sb.verify("boix2024.lemma-G.1").status == "fails"


def test_longer_strings_are_undecided():
    assert claims["boix2024.lemma-G.1"].look(("ABC", "ABC"))[0] == "unfinished"


@pytest.mark.parametrize(
    ("id", "count"),
    [("lemma-G.1-repaired", 15), ("definition-G.2", 40), ("lemma-G.3", 20), ("lemma-G.4", 20),
     ("lemma-G.5", 40), ("lemma-G.6", 15), ("lemma-G.7", 40), ("lemma-G.8", 8), ("lemma-G.9", 8)],
)  # fmt: skip
def test_hunts(id, count):
    assert hunt(f"boix2024.{id}", max_examples=count) is None
