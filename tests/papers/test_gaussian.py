"""Claims about Gaussian vectors: their second roads by sympy and mpmath, and hunts."""

from fractions import Fraction

import mpmath
import pytest

from symbench.exact.precision import working_precision
from symbench.papers import gaussian
from symbench.registry import claims, hunt


def test_there_are_odd_factorials_of_pairings():
    counts = [len(list(gaussian.pairings(list(range(2 * n))))) for n in range(6)]
    assert counts == [1, 1, 3, 15, 105, 945]


@pytest.mark.parametrize("name", ["relu", "tanh", "sign", "gelu"])
def test_hermite_coefficients_by_quadrature(name):
    functions = {
        "relu": lambda t: max(t, mpmath.mpf(0)),
        "tanh": mpmath.tanh,
        "sign": mpmath.sign,
        "gelu": lambda t: t * mpmath.ncdf(t),
    }
    root = mpmath.sqrt(1.5)
    with working_precision(80):
        found = gaussian._hermite_coefficient(name, 3, Fraction(3, 2))

    def integrand(x):
        return functions[name](root * x) * (x**3 - 3 * x) * mpmath.npdf(x)

    value = mpmath.quad(integrand, [-12, -4, 0, 4, 12]) / root**3
    assert abs(float(found) - value) < 1e-10


@pytest.mark.parametrize(
    ("id", "count"), [("algebra.isserlis", 60), ("algebra.dual-activation", 8)]
)
def test_hunts(id, count):
    assert hunt(id, max_examples=count) is None


def test_a_wide_covariance_is_no_case():
    assert not claims["algebra.dual-activation"].applies(("relu", 1, 1, Fraction(1, 2)))
