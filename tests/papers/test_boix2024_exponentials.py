"""Appendix E of boix2024: its second roads by a third one, and hunts."""

from fractions import Fraction

import mpmath
import pytest

from symbench.exact import Matrix
from symbench.exact.precision import working_precision
from symbench.papers._templates import templates
from symbench.papers.boix2024 import exponentials
from symbench.registry import claims, hunt


@pytest.mark.parametrize("b2", exponentials._ALL_PHASES)
def test_angles(b2):
    value = mpmath.mpf(eval(str(b2), {"pi": mpmath.pi, "Fraction": Fraction}))
    assert abs(float(exponentials._angle(b2)) - value) < 1e-15
    if b2 in exponentials._PHASES:
        assert abs(mpmath.cos(2 * value) - float(exponentials._PHASES[b2])) < 1e-15


@pytest.mark.parametrize("b2", [0, 1, "pi/6"])
def test_the_integral_by_quadrature(b2):
    a, b, c, b1 = Fraction(1), Fraction(2), Fraction(-1, 2), Fraction(3, 4)
    with working_precision(300):
        found = exponentials._integral(a, b, c, b1, b2, 60)
        shift = float(exponentials._angle(b2))

    def integrand(s, t):
        # u = s, v = c s + sqrt(b - c^2) t for independent s, t
        v = -s / 2 + mpmath.sqrt(mpmath.mpf(7) / 4) * t
        return (
            mpmath.cos(0.75 * s + shift)
            * mpmath.cos(0.75 * v + shift)
            * mpmath.npdf(s)
            * mpmath.npdf(t)
        )

    with mpmath.workdps(12):
        value = mpmath.quad(integrand, [-9, 0, 9], [-9, 0, 9])
    assert abs(float(found) - value) < 1e-9


def test_leibniz_terms():
    c = Matrix([[2, 1], [0, 3]])
    rows, columns = exponentials._variances(c)
    shift = Fraction(sum(rows) + sum(columns), 2)
    assert exponentials._leibniz(c, Fraction(0)) == {
        5 - shift: Fraction(1, 4),
        1 - shift: Fraction(-1, 4),
    }


def test_condition_9_excludes_some_sets():
    zero, one = Fraction(0), Fraction(1)
    pair = templates("αα", "αβ")
    assert not exponentials._condition(pair, zero, one)
    assert exponentials._condition(pair, exponentials._SMALL, one)
    assert exponentials._condition(templates("αα", "AA"), zero, one)
    assert not exponentials._condition(templates("αβ", "βα"), exponentials._SMALL, one)


def test_a_singular_matrix_at_one_phase_decides_nothing():
    # cosh is even: at b2 = 0 the matrix is singular, at pi/4 it is not.
    case = Matrix([[1, -1], [1, 1]])
    assert claims["boix2024.lemma-E.1"].look(case)[0] == "holds"
    assert not exponentials.lemma_e1.function(case, phases=(0,))


@pytest.mark.parametrize(("id", "count"), [("claim-E.2", 25), ("lemma-E.1", 60), ("lemma-4.6", 20)])
def test_hunts(id, count):
    assert hunt(f"boix2024.{id}", max_examples=count) is None
