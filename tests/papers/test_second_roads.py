"""The second roads themselves, by hand and by other people's software."""

from fractions import Fraction
from itertools import permutations

import pytest
import sympy

from symbench.papers._second_roads import (
    attention_series,
    determinant,
    expansion,
    leibniz,
    rank,
    template_entry,
)
from symbench.papers._symmetric_groups import sign
from symbench.words import Template


def test_one_position_has_all_the_attention():
    assert attention_series("A", "B", 6) == {(0, 2): 1}
    assert attention_series("A", "A", 6) == {(0, 0): 1, (0, 2): 1}


def test_two_positions_are_a_tanh():
    """K(ab, ab) at gamma = 0 is 1/2 + E tanh^2(beta g / sqrt 2) / 2 (templates.md, E1)."""
    found = {i: c for (i, j), c in attention_series("ab", "ab", 8).items() if j == 0}
    assert found == {
        0: Fraction(1, 2), 2: Fraction(1, 4), 4: Fraction(-1, 4), 6: Fraction(17, 48),
        8: Fraction(-31, 48),
    }  # fmt: skip


def test_the_printed_spot_check():
    """boix2024: N(AA*, BB*), N(AA*, BC*), N(AB*, CD*) at beta^2."""
    for x, y, first in (("AA*", "BB*", 8), ("AA*", "BC*", 6), ("AB*", "CD*", 4)):
        found = attention_series(x, y, 2)
        assert found == {
            (0, 0): Fraction(1, 9), (0, 2): Fraction(1, 3), (2, 0): Fraction(first, 81),
            (2, 2): Fraction(4, 27), (2, 4): Fraction(2, 9),
        }  # fmt: skip


def test_wildcards_of_the_two_sides_are_different():
    z = Template("αβ").with_cls()
    assert template_entry(z, z, 4) == attention_series("AB*", "CD*", 4)


@pytest.mark.parametrize("weights", ["softmax", "sigmoid", "exponential", "linear"])
def test_expansions_are_those_of_sympy(weights):
    t, *u = sympy.symbols("t u0 u1 u2")
    function = {
        "softmax": sympy.exp(t * u[0]) / sum(sympy.exp(t * x) for x in u),
        "sigmoid": 1 / (1 + sympy.exp(-t * u[0])),
        "exponential": sympy.exp(t * u[0]),
        "linear": t * u[0],
    }[weights]
    for n in range(4):
        expected = sympy.diff(function, t, n).subs(t, 0) / sympy.factorial(n)
        terms = expansion(3, 3, weights)[n][0].items()
        found = sum(
            sympy.Rational(int(c.p), int(c.q)) * sympy.prod(x**m for x, m in zip(u, e, strict=True))
            for e, c in terms
        )
        assert sympy.expand(found - expected) == 0


def test_ranks_and_determinants():
    rows = [[0, 2, 1], [3, 4, 5], [6, 8, 7]]
    assert determinant(rows) == leibniz(rows) == sympy.Matrix(rows).det() == 18
    assert determinant(rows, prime=7) == 18 % 7
    assert rank([[1, 2, 3], [2, 4, 6]]) == 1
    assert rank([[0, 0], [0, 1]]) == 1
    assert determinant([[0, 0], [0, 1]]) == 0


def test_signs():
    assert [sign(s) for s in permutations(range(3))] == [1, -1, -1, 1, 1, -1]
