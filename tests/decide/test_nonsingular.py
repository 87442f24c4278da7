"""certify for nonsingularity and rank: answers by definition, and certificates that check."""

from fractions import Fraction

import flint
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from symbench.certificates import Nonsingular, NonsingularBalls, RankIs, Singular
from symbench.decide import certify
from symbench.errors import BadShape, NotSupported, Undecided
from symbench.exact import GF, QQ, ZZ, Balls, Exponentials, Matrix, PowerSeries, exponential_matrix
from symbench.exact.polynomials import witness_points
from symbench.exact.primes import witness_primes
from tests.exact.formal import EXPONENTIALS, NUMBERS, POLYNOMIALS, SERIES, Formal, tables

quick = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
decided = pytest.mark.parametrize("ring", NUMBERS + POLYNOMIALS + EXPONENTIALS, ids=repr)
FIRST = [p for p, _ in zip(witness_primes(), range(5), strict=False)]


def answer(matrix, question):
    """The certificate, checked; or None where a small field has too few points to see it."""
    try:
        certificate = certify(matrix, question=question)
    except Undecided:
        modulus = Formal(matrix.ring).modulus
        assert modulus is not None
        assert modulus < 100
        return None
    assert certificate.check() is True
    assert certificate.check(matrix) is True
    assert certificate.subject is matrix
    return certificate


@decided
@quick
@given(data=st.data())
def test_nonsingular_or_singular(ring, data):
    formal = Formal(ring)
    table, shape = data.draw(tables(ring, square=True))
    certificate = answer(formal.matrix(table, shape), "nonsingular")
    assume(certificate is not None)
    assert isinstance(certificate, Nonsingular if formal.det(table) else Singular)
    if isinstance(certificate, Nonsingular):
        assert certificate.generic == bool(ring.variables)
        assert certificate.scope in certificate.explain()


@decided
@quick
@given(data=st.data())
def test_rank(ring, data):
    formal = Formal(ring)
    table, shape = data.draw(tables(ring))
    certificate = answer(formal.matrix(table, shape), "rank")
    assume(certificate is not None)
    assert isinstance(certificate, RankIs)
    assert certificate.rank == formal.rank(table, shape)


def test_the_first_primes_are_those_typed_here():
    assert FIRST[:2] == [2147483647, 2147483629]


@pytest.mark.parametrize("count", range(1, 6))
@pytest.mark.parametrize("ring", [ZZ, QQ], ids=repr)
def test_determinants_divisible_by_the_first_witness_primes(ring, count):
    product = 1
    for prime in FIRST[:count]:
        product *= prime
    for M in (
        Matrix([[product]], ring),
        Matrix([[product, 0], [0, 1]], ring),
        Matrix([[1, 1], [1, 1 + product]], ring),
        Matrix([[2, 1, 0], [1, 1, 1], [0, 1, 2 + product]], ring),
    ):
        certificate = answer(M, "nonsingular")
        assert isinstance(certificate, Nonsingular)
        assert certificate.prime not in FIRST[:count]
        assert answer(M, "rank").rank == M.shape[0]


def test_rank_where_the_first_prime_sees_less():
    p = FIRST[0]
    M = Matrix([[1, 1, 0], [1, 1 + p, 0], [0, 0, 0]])
    assert answer(M, "rank").rank == 2
    assert isinstance(answer(M, "nonsingular"), Singular)
    assert answer(Matrix([[p, 0], [0, p]]), "rank").rank == 2
    assert answer(Matrix([[p, 2 * p]]), "rank").rank == 1


@pytest.mark.parametrize("count", range(1, 6))
def test_denominators_divisible_by_the_first_witness_primes(count):
    entries = [Fraction(1, p) for p in FIRST[:count]]
    fill = [Fraction(1)] * (5 - count)
    diagonal = [*entries, *fill]
    M = Matrix([[x if i == j else 0 for j in range(5)] for i, x in enumerate(diagonal)], QQ)
    assert isinstance(answer(M, "nonsingular"), Nonsingular)
    S = Matrix([diagonal] * 5, QQ)
    assert isinstance(answer(S, "nonsingular"), Singular)
    assert answer(S, "rank").rank == 1
    (x,) = QQ["x"].gens
    P = M.change_ring(QQ["x"]) * x
    assert isinstance(answer(P, "nonsingular"), Nonsingular)


def test_polynomials_that_vanish_at_the_first_witness_points():
    ring = QQ["x"]
    (x,) = ring.gens
    points = [point["x"] for _, point in witness_points(ring)]
    for count in range(1, 4):
        product = x**0
        for value in points[:count]:
            product *= x - value
        for M in (Matrix([[product]]), Matrix([[1, 1], [1, 1 + product]])):
            assert isinstance(answer(M, "nonsingular"), Nonsingular)
            assert answer(M, "rank").rank == M.shape[0]
        assert answer(Matrix([[product, 0], [0, 0]]), "rank").rank == 1
        assert isinstance(answer(Matrix([[product, 0], [0, 0]]), "nonsingular"), Singular)


def test_null_vectors_that_are_not_constant():
    x, y = QQ["x", "y"].gens
    M = Matrix([[x, y, x + y], [x * x, x * y, x * x + x * y], [1, y, x * y]])
    certificate = answer(M, "nonsingular")
    assert isinstance(certificate, Singular)
    assert any(v != 0 and not v.is_constant() for v in certificate.vector)
    assert answer(M, "rank").rank == 2
    q = Exponentials("q").monomial
    E = Matrix([[q(1), q("1/2")], [q("3/2"), q(1)]])
    assert isinstance(answer(E, "nonsingular"), Singular)
    assert answer(E, "rank").rank == 1


def test_small_fields():
    (x,) = GF(2)["x"].gens
    assert isinstance(answer(Matrix([[x + 1]]), "nonsingular"), Nonsingular)
    assert isinstance(answer(Matrix([[x]]), "nonsingular"), Nonsingular)
    assert isinstance(answer(Matrix([[x, x * x], [1, x]]), "nonsingular"), Singular)
    assert answer(Matrix([[x + 1, x], [x * (x + 1), x * x]]), "rank").rank == 1
    # Zero at both points of the field and yet not zero: no witness, and no null vector either.
    with pytest.raises(Undecided):
        certify(Matrix([[x * x + x]]))
    assert Matrix([[x * x + x]]).det() != 0


@pytest.mark.parametrize("ring", SERIES, ids=repr)
@quick
@given(data=st.data())
def test_series_are_nonsingular_or_undecided(ring, data):
    formal = Formal(ring)
    table, shape = data.draw(tables(ring, square=True))
    M = formal.matrix(table, shape)
    try:
        certificate = certify(M)
    except Undecided:
        # A determinant with a known nonzero coefficient may be missed over a small field only.
        assert not formal.det(table) or formal.modulus == 5
        return
    assert isinstance(certificate, Nonsingular)
    assert certificate.check()
    assert certificate.generic
    known = formal.det(table)
    if certificate.valuation < ring.precision and not ring.variables:
        assert min(e[0] for e in known) == certificate.valuation
    with pytest.raises(NotSupported):
        certify(M, question="rank")


def test_a_series_determinant_beyond_the_precision_is_proved_over_the_rationals():
    ring = PowerSeries(QQ, "b", 3)
    square = ring.series([0, 0, 1])
    good = Matrix([[square, 0], [0, square]], ring)
    certificate = certify(good)
    assert certificate.valuation == 4
    assert certificate.check()
    for prime in (2, 3, 2147483647):
        bad = Matrix([[square, prime], [0, square]], ring)
        with pytest.raises(Undecided):
            certify(bad)
        # [[b^2, p], [b^4 / p, b^2]] is a singular completion.
        assert not Nonsingular(prime=prime, residue=1, valuation=4, generic=True).check(bad)
    # Over the integers b^4 / p is no completion, so the prime does prove it.
    integral = PowerSeries(ZZ, "b", 3)
    square = integral.series([0, 0, 1])
    assert Nonsingular(prime=2, residue=1, valuation=4, generic=True).check(
        Matrix([[square, 2], [0, square]], integral)
    )


def test_balls():
    root = flint.arb(2).sqrt()
    certificate = certify(Matrix([[root, 1], [1, root]]))
    assert isinstance(certificate, NonsingularBalls)
    assert certificate.check()
    with pytest.raises(Undecided):
        certify(Matrix([[root, 1], [2, root]]))
    for question in ("rank", "positive-definite", "unique-assignment"):
        with pytest.raises(NotSupported):
            certify(Matrix([[root]]), question=question)


@settings(quick, max_examples=60)
@given(st.lists(st.lists(st.fractions(-3, 3, max_denominator=4), min_size=3, max_size=3),
                min_size=3, max_size=3))  # fmt: skip
def test_balls_are_never_nonsingular_where_the_exact_matrix_is_singular(rows):
    M = Matrix(rows, QQ)
    formal = Formal(QQ)
    nonzero = bool(formal.det(formal.table(M)))
    try:
        certify(M.change_ring(Balls(64)))
    except Undecided:
        return
    assert nonzero


def test_medium_sizes():
    import random

    stream = random.Random(3)
    base = [[stream.randrange(-(10**20), 10**20) for _ in range(40)] for _ in range(35)]
    low = Matrix(base)
    M = low.transpose() @ low
    assert answer(M, "rank").rank == 35
    assert isinstance(answer(M, "nonsingular"), Singular)
    assert isinstance(answer(low @ low.transpose(), "nonsingular"), Nonsingular)
    assert answer(low, "rank").rank == 35
    assert answer(low.transpose(), "rank").rank == 35
    assert answer(M.change_ring(QQ) * "1/3", "rank").rank == 35
    C = exponential_matrix([[i * j for j in range(12)] for i in range(12)])
    assert isinstance(answer(C, "nonsingular"), Nonsingular)


def test_shapes():
    with pytest.raises(BadShape):
        certify([[1, 2]])
    assert answer(Matrix([]), "nonsingular").kind == "nonsingular"
    assert answer(Matrix([]), "rank").rank == 0
    assert answer(Matrix([[], []]), "rank").rank == 0
    assert answer(Matrix([[0, 0, 0]]), "rank").rank == 0
