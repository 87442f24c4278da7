"""Eigenvalues and real roots against sympy's polynomials and signs, and what is refused."""

import pickle
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import errors
from symbench.exact import Matrix
from symbench.exact.roots import RealRoot, compare, eigenvalues


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=6, max_size=6))
def test_eigenvalues_of_symmetric_matrices(entries):
    """Against sympy's polynomials: the same factors, and a change of sign at each interval."""
    import sympy

    a, b, c, d, e, f = entries
    matrix = [[a, b, c], [b, d, e], [c, e, f]]
    found = eigenvalues(Matrix(matrix))
    x = sympy.Symbol("x")
    polynomial = sympy.Matrix(matrix).charpoly(x).as_expr()
    assert sum(times for _, times in found) == 3
    assert sum(times * float(value) for value, times in found) == pytest.approx(a + d + f, abs=1e-9)
    for value, times in found:
        if not isinstance(value, RealRoot):
            for n in range(times):
                assert sympy.diff(polynomial, x, n).subs(x, sympy.Rational(str(value))) == 0
            continue
        low, high = value.interval()
        factor = sum(k * x**n for n, k in enumerate(value.polynomial))
        assert sympy.rem(polynomial, factor, x) == 0
        ends = [sum(k * end**n for n, k in enumerate(value.polynomial)) for end in (low, high)]
        assert ends[0] * ends[1] < 0
    values = [value for value, _ in found]
    assert all(u > v for u, v in pairwise(values))


def test_close_roots_are_told_apart():
    # x^2 - 2 and (10^20 x)^2 - 2 10^40 - 1: square roots that agree to forty digits
    near = RealRoot((-2 * 10**40 - 1, 0, 10**40), 1)
    root = RealRoot((-2, 0, 1), 1)
    assert root < near
    assert not near < root
    assert near != root
    assert compare(root, near) == -1
    assert float(root) == float(near) == 2**0.5
    assert root > Fraction(14142135623730950488, 10**19)
    assert root < Fraction(14142135623730950489, 10**19)


def test_roots_are_values():
    root = RealRoot((-1, -1, 1), 0)
    assert eval(repr(root)) == root
    assert pickle.loads(pickle.dumps(root)) == root
    assert len({root, RealRoot([-1, -1, 1], 0), RealRoot((-1, -1, 1), 1)}) == 2
    assert root.degree == 2
    assert sorted([RealRoot((-1, -1, 1), 1), root, Fraction(1)]) == [
        root, Fraction(1), RealRoot((-1, -1, 1), 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: RealRoot((1, 0, 1), 0), errors.BadValue),  # no real root
        (lambda: RealRoot((-2, 0, 1), 2), errors.BadValue),
        (lambda: RealRoot((-2, 0, 1), -1), errors.BadValue),
        (lambda: RealRoot((2, 0, -1), 0), errors.BadValue),
        (lambda: RealRoot((-4, 0, 2), 0), errors.BadValue),
        (lambda: RealRoot((1, 1), 0), errors.BadValue),
        (lambda: RealRoot(None, 0), errors.BadType),
        (lambda: RealRoot("x^2", 0), errors.BadType),
        (lambda: RealRoot((-2.0, 0, 1), 0), errors.NotExact),
        (lambda: RealRoot((-2, 0, 1), None), errors.BadType),
        (lambda: eigenvalues(None), errors.BadType),
        (lambda: eigenvalues(Matrix([[0, 1], [-1, 0]])), errors.BadValue),
    ],
)
def test_bad_roots(make, error):
    with pytest.raises(error):
        make()
