import pickle
from fractions import Fraction
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotInRing,
    SymbenchError,
    TooLarge,
)
from symbench.exact import GF, QQ, Matrix
from symbench.kernels.derivatives import moments
from symbench.kernels.derivatives.moments import gaussian_moment


def pairings(points):
    """All ways to pair up a list, the slow way."""
    if not points:
        yield []
        return
    first, *others = points
    for n, other in enumerate(others):
        for rest in pairings(others[:n] + others[n + 1 :]):
            yield [(first, other), *rest]


def isserlis(covariance, exponents):
    points = [n for n, s in enumerate(exponents) for _ in range(s)]
    if len(points) % 2:
        return 0
    return sum(prod(covariance[i][j] for i, j in pairs) for pairs in pairings(points))


@st.composite
def cases(draw):
    size = draw(st.integers(1, 5))
    numbers = st.fractions(-10, 10, max_denominator=9) | st.integers(-(10**12), 10**12)
    lower = [[draw(numbers) for _ in range(n + 1)] for n in range(size)]
    rows = [[lower[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]
    exponents = draw(
        st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(lambda s: sum(s) <= 10)
    )
    return rows, exponents


@settings(max_examples=150, deadline=None)
@given(cases())
def test_against_all_pairings(case):
    rows, exponents = case
    assert gaussian_moment(rows, exponents) == isserlis(rows, exponents)
    assert gaussian_moment(Matrix(rows, QQ), exponents) == isserlis(rows, exponents)


def test_double_factorials():
    # A001147: the moments of one standard Gaussian.
    known = [1, 1, 3, 15, 105, 945, 10395, 135135, 2027025, 34459425, 654729075]
    assert [gaussian_moment([[1]], [2 * n]) for n in range(11)] == known
    # The same number from ten, and from twenty equal points.
    assert gaussian_moment([[1] * 10] * 10, [2] * 10) == known[10]
    assert gaussian_moment([[1] * 20] * 20, [1] * 20) == known[10]
    assert gaussian_moment([["1/2"]], [100]) == Fraction(factorial(100), 2**100 * factorial(50))


def test_matchings_of_the_cube_graph():
    # A005271: perfect matchings of the n-cube; independent points off the edges.
    for n, known in [(1, 1), (2, 2), (3, 9), (4, 272)]:
        size = 2**n
        rows = [[int((i ^ j).bit_count() == 1) for j in range(size)] for i in range(size)]
        assert gaussian_moment(rows, [1] * size) == known


def test_a_polynomial_identity_in_the_points():
    # E[(z_1 + z_2)^6] expanded equals the moment of the sum, whose variance is 1 + 4 + 2 * 3/2.
    rows = [[1, "3/2"], ["3/2", 4]]
    expanded = sum(
        factorial(6) // (factorial(n) * factorial(6 - n)) * gaussian_moment(rows, [n, 6 - n])
        for n in range(7)
    )
    assert expanded == gaussian_moment([[8]], [6]) == 15 * 8**3


def test_odd_and_empty():
    assert gaussian_moment([[5]], [3]) == 0
    assert gaussian_moment([[5]], [0]) == 1
    assert gaussian_moment([[0]], [4]) == 0
    assert gaussian_moment(np.array([[2]]), np.array([4])) == 12
    value = gaussian_moment([["1/2"]], [2])
    assert repr(value) == "1/2"
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize(
    ("covariance", "exponents", "error"),
    [
        ([[1, 2], [3, 4]], [1, 1], BadValue),
        ([[1, 2]], [1], BadShape),
        ([[1]], [1, 1], BadShape),
        ([[0.5]], [2], NotExact),
        ([[1]], [2.0], NotExact),
        ([[1]], [-2], BadValue),
        ([[1]], [True], BadType),
        ([[1]], None, BadType),
        ([[1]], 2, BadType),
        ([[1]], "2", BadType),
        ([[1]], [None], BadType),
        ([[1]], np.int64(2), BadType),
        ([[1]], np.array([2.0]), NotExact),
        (None, [1], SymbenchError),
        (Matrix([[QQ["x"].gens[0]]]), [2], NotInRing),
        (Matrix([[1]], GF(7)), [2], NotInRing),
        ([[1] * 40] * 40, [1] * 40, TooLarge),
        ([[1]], [10**9], TooLarge),
    ],
)
def test_bad_input(covariance, exponents, error):
    with pytest.raises(error):
        gaussian_moment(covariance, exponents)


def test_too_large_says_how_many():
    with pytest.raises(TooLarge, match="1099511627776 terms"):
        gaussian_moment([[1] * 40] * 40, [1] * 40)


def test_too_many_remainders_are_refused_before_they_are_made(monkeypatch):
    # 8 different factors: 15 remainders of two pairs taken, with 3 partners each
    rows, expected = [[1] * 8] * 8, 105
    monkeypatch.setattr(moments, "_MOST_NUMBERS", 45)
    assert gaussian_moment(rows, [1] * 8) == expected
    monkeypatch.setattr(moments, "_MOST_NUMBERS", 44)
    with pytest.raises(TooLarge, match="lead to 45 modulo 1 primes"):
        gaussian_moment(rows, [1] * 8)
