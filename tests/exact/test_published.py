"""Numbers from outside: OEIS, closed forms, and other systems."""

from fractions import Fraction
from itertools import product
from math import comb, gcd, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.exact import GF, QQ, ZZ, Balls, Matrix, exponential_matrix

# A005249: 1 / det of the Hilbert matrix, n = 0, 1, ...
HILBERT = [1, 1, 12, 2160, 6048000, 266716800000, 186313420339200000]
# A055165: invertible 0-1 matrices over the rationals; A002884: over GF(2).
INVERTIBLE_REAL = [1, 1, 6, 174]
INVERTIBLE_BITS = [1, 1, 6, 168]
# A001088: products of the first values of Euler's function (Smith's determinant).
SMITH = [1, 1, 2, 4, 16, 32, 192, 768]
# A000178: superfactorials, the Hankel determinants of the Bell numbers A000110.
SUPERFACTORIALS = [1, 1, 2, 12, 288, 34560]
BELL = [1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975]


def square(size, entry, ring=None):
    return Matrix([[entry(i, j) for j in range(size)] for i in range(size)], ring)


def test_hilbert():
    for n, expected in enumerate(HILBERT):
        if n:
            assert square(n, lambda i, j: Fraction(1, i + j + 1)).det() == Fraction(1, expected)


def test_smith():
    for n, expected in enumerate(SMITH, start=1):
        assert square(n, lambda i, j: gcd(i + 1, j + 1)).det() == expected


def test_hankel_of_bell_and_catalan():
    for n, expected in enumerate(SUPERFACTORIALS):
        assert square(n + 1, lambda i, j: BELL[i + j]).det() == expected
        assert square(n + 1, lambda i, j: comb(2 * (i + j), i + j) // (i + j + 1)).det() == 1


@pytest.mark.parametrize(("ring", "counts"), [(ZZ, INVERTIBLE_REAL), (GF(2), INVERTIBLE_BITS)])
def test_how_many_matrices_of_bits_are_invertible(ring, counts):
    for n, expected in enumerate(counts[1:], start=1):
        bits = product(product((0, 1), repeat=n), repeat=n)
        matrices = (Matrix(rows, ring) for rows in bits)
        ranks = [(M.rank(), M.det() != 0) for M in matrices]
        assert sum(nonzero for _, nonzero in ranks) == expected
        assert all((rank == n) == nonzero for rank, nonzero in ranks)


def test_rank_and_charpoly_of_known_matrices():
    # Pascal's matrix is unimodular; the all-ones matrix has charpoly x^n - n x^(n-1).
    assert square(20, lambda i, j: comb(i + j, i)).det() == 1
    assert square(5, lambda i, j: 1).charpoly() == (0, 0, 0, 0, -5, 1)
    assert square(30, lambda i, j: (i + j) ** 3).rank() == 4
    assert square(30, lambda i, j: (i + j) ** 3).nullspace() != ()


def test_vandermonde():
    names = ("x", "y", "z")
    x = ZZ[names].gens
    M = Matrix([[v**k for k in range(3)] for v in x])
    assert M.det() == prod(
        (x[j] - x[i] for i in range(3) for j in range(i + 1, 3)), start=x[0] ** 0
    )
    nodes = [Fraction(k, 7) for k in range(12)]
    expected = prod((b - a for i, a in enumerate(nodes) for b in nodes[i + 1 :]), start=Fraction(1))
    assert Matrix([[v**k for k in range(12)] for v in nodes]).det() == expected
    # The same with exponentials: nodes q^i.
    q = exponential_matrix([[1]])[0, 0]
    expected = prod((q**j - q**i for i in range(4) for j in range(i + 1, 4)), start=q**0)
    assert exponential_matrix([[i * j for j in range(4)] for i in range(4)]).det() == expected


@pytest.mark.parametrize("variables", [("x",), ("x", "y"), ("x", "y", "z")], ids=len)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_polynomial_determinants_against_domainmatrix(variables, data):
    import sympy
    from sympy.polys.matrices import DomainMatrix

    size = data.draw(st.integers(1, 4))
    symbols = sympy.symbols(variables)
    exponents = st.tuples(*[st.integers(0, 3)] * len(variables))
    terms = st.dictionaries(exponents, st.fractions(-20, 20, max_denominator=9), max_size=4)
    table = [[data.draw(terms) for _ in range(size)] for _ in range(size)]
    domain = sympy.QQ[symbols]

    def expression(t):
        return sum(
            (
                sympy.Rational(str(c)) * sympy.prod(s**e for s, e in zip(symbols, k, strict=True))
                for k, c in t.items()
            ),
            sympy.Integer(0),
        )

    rows = [[domain.from_sympy(expression(t)) for t in row] for row in table]
    expected = domain.to_sympy(DomainMatrix(rows, (size, size), domain).charpoly()[-1])
    ring = QQ[variables]
    M = Matrix([[ring.from_terms(t) for t in row] for row in table], ring)
    assert Matrix([[expected * (-1) ** size]], ring)[0, 0] == M.det()
    assert Matrix([[expression(t) for t in row] for row in table], ring) == M


def test_sizes_beyond_the_oracles():
    """A triangular matrix times a unimodular one: the determinant is known, nothing is sparse."""
    (x,) = QQ["x"].gens
    lower = Matrix([[x**i + j if i >= j else 0 for j in range(12)] for i in range(12)], QQ["x"])
    upper = Matrix([[int(i <= j) for j in range(12)] for i in range(12)], QQ["x"])
    expected = prod((x**i + i for i in range(12)), start=x**0)
    assert (lower @ upper).det() == expected
    assert (lower @ upper).rank() == 12


def test_a_ball_of_a_known_irrational_determinant():
    import flint

    with flint.ctx.workprec(200):
        root = flint.arb(2).sqrt()
        det = Matrix([[root, 1], [1, root]], Balls(200)).det()
    assert det.contains(1)
    assert det.rad() < flint.arb(2) ** -190
