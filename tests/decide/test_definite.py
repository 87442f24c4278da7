"""Positive definiteness: against leading minors, and where floats are at their end."""

import random
from fractions import Fraction
from math import gcd

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symbench.certificates import NotPositiveDefinite, PositiveDefinite
from symbench.decide import certify, definite
from symbench.errors import BadShape, BadValue, NotSupported
from symbench.exact import GF, QQ, Matrix

quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def is_definite(rows):
    """All leading principal minors positive: elimination without exchanges, in Fractions."""
    table = [[Fraction(x) for x in row] for row in rows]
    for k in range(len(table)):
        pivot = table[k][k]
        if pivot <= 0:
            return False
        for i in range(k + 1, len(table)):
            factor = table[i][k] / pivot
            if factor:
                table[i] = [x - factor * y for x, y in zip(table[i], table[k], strict=True)]
    return True


def decide(rows):
    M = Matrix(rows)
    certificate = certify(M, question="positive-definite")
    assert certificate.check() is True
    assert isinstance(certificate, (PositiveDefinite, NotPositiveDefinite))
    return isinstance(certificate, PositiveDefinite)


def agrees(rows):
    assert decide(rows) == is_definite(rows)


def symmetric(entries, size):
    table = [[0] * size for _ in range(size)]
    values = iter(entries)
    for i in range(size):
        for j in range(i + 1):
            table[i][j] = table[j][i] = next(values)
    return table


def gram(factor):
    return [[sum(x * y for x, y in zip(r, s, strict=True)) for s in factor] for r in factor]


NUMBERS = st.integers(-5, 5) | st.fractions(-3, 3, max_denominator=5)
WILD = st.builds(
    lambda m, e: Fraction(m) * Fraction(10) ** e, st.integers(-3, 3), st.integers(-400, 400)
)


@quick
@given(st.data())
def test_small_matrices(data):
    size = data.draw(st.integers(0, 5))
    count = size * (size + 1) // 2
    rows = symmetric(data.draw(st.lists(NUMBERS, min_size=count, max_size=count)), size)
    for i in range(size):
        rows[i][i] += data.draw(st.sampled_from([0, 4, 10]))
    agrees(rows)


@quick
@given(st.data())
def test_gram_matrices_on_and_near_the_edge(data):
    """Gram matrices of possibly too few vectors, moved by very little."""
    size, width = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    line = st.lists(st.integers(-4, 4), min_size=width, max_size=width)
    rows = gram(data.draw(st.lists(line, min_size=size, max_size=size)))
    agrees(rows)
    tiny = Fraction(1, 10 ** data.draw(st.sampled_from([1, 8, 16, 17, 30, 100, 400])))
    for sign in (1, -1):
        moved = [[x + sign * tiny * (i == j) for j, x in enumerate(r)] for i, r in enumerate(rows)]
        agrees(moved)


@quick
@given(st.data())
def test_scales_beyond_floats(data):
    """D A D with D up to 10^400 either way is definite if and only if A is."""
    size = data.draw(st.integers(1, 4))
    count = size * (size + 1) // 2
    entries = data.draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
    rows = symmetric(entries, size)
    for i in range(size):
        rows[i][i] += data.draw(st.sampled_from([0, 3, 9]))
    scales = [Fraction(10) ** data.draw(st.integers(-400, 400)) for _ in range(size)]
    scaled = [[scales[i] * x * scales[j] for j, x in enumerate(row)] for i, row in enumerate(rows)]
    assert decide(scaled) == is_definite(rows)


@quick
@given(st.data())
def test_wild_entries(data):
    size = data.draw(st.integers(1, 4))
    count = size * (size + 1) // 2
    agrees(symmetric(data.draw(st.lists(WILD, min_size=count, max_size=count)), size))


@pytest.mark.parametrize("exponent", [1070, 1074, 1078, 2000])
def test_rationals_that_round_to_few_bits_or_none(exponent):
    """[[1.6, 2.45], [2.45, 2.6]] is indefinite, but rounded to integers it is not."""
    rows = [[Fraction(16, 10), Fraction(245, 100)], [Fraction(245, 100), Fraction(26, 10)]]
    assert not is_definite(rows)
    assert not decide([[x / 2**exponent for x in row] for row in rows])
    rows[0][1] = rows[1][0] = Fraction(2)
    assert is_definite(rows)
    assert decide([[x / 2**exponent for x in row] for row in rows])


def hilbert(size):
    return [[Fraction(1, i + j + 1) for j in range(size)] for i in range(size)]


@pytest.mark.parametrize("size", [1, 5, 12, 13, 20, 40])
def test_hilbert(size):
    assert decide(hilbert(size))


@pytest.mark.parametrize("size", [12, 20])
@pytest.mark.parametrize("digits", [5, 10, 15, 16, 17, 18, 20, 25, 30, 35, 60])
def test_hilbert_moved_down_by_very_little(size, digits):
    rows = hilbert(size)
    for i in range(size):
        rows[i][i] -= Fraction(1, 10**digits)
    agrees(rows)


def test_singular_and_semidefinite():
    for rows in (
        [[0]],
        [[1, 1], [1, 1]],
        [[0, 1], [1, 0]],
        [[1, 0], [0, 0]],
        [[0, 0], [0, 0]],
        [[int(x) for x in row] for row in np.ones((30, 30))],
        gram([[i + j, i * j, 1] for i in range(2) for j in range(6)]),
    ):
        assert not decide(rows)


def test_one_tiny_negative_eigenvalue():
    """A unimodular congruence of diag(1, ..., 1, -10^-k)."""
    stream = random.Random(5)
    for size in (3, 8, 15):
        for digits in (3, 20, 60, 300):
            lower = [
                [stream.randrange(-9, 10) if j < i else int(i == j) for j in range(size)]
                for i in range(size)
            ]
            for last in (-1, 1):
                diagonal = [Fraction(1)] * (size - 1) + [Fraction(last, 10**digits)]
                scaled = [[x * d for x, d in zip(row, diagonal, strict=True)] for row in lower]
                rows = [
                    [sum(x * y for x, y in zip(r, s, strict=True)) for s in lower] for r in scaled
                ]
                assert decide(rows) == (last > 0)


def test_entries_that_outweigh_the_diagonal():
    for big in (3, 10**5, 10**200, 10**400, 10**5000):
        assert not decide([[1, big], [big, 1]])
        assert not decide([[1, -big, 0], [-big, 1, 5], [0, 5, 1]])
        assert not decide([["1/2", big, big], [big, 1, -big], [big, -big, 1]])
    assert not decide([[Fraction(1, 10**400), 1], [1, 1]])


def test_known_definite_matrices():
    assert decide([[min(i, j) + 1 for j in range(60)] for i in range(60)])
    assert decide([[gcd(i + 1, j + 1) for j in range(30)] for i in range(30)])  # Smith
    assert decide([])
    stream = random.Random(1)
    factor = [[stream.randrange(-(10**20), 10**20) for _ in range(30)] for _ in range(30)]
    assert decide(gram(factor))


def test_bad_arguments():
    with pytest.raises(BadShape):
        certify([[1, 2]], question="positive-definite")
    with pytest.raises(BadValue, match="not symmetric"):
        certify([[1, 2], [3, 4]], question="positive-definite")
    for ring in (GF(7), QQ["x"]):
        with pytest.raises(NotSupported):
            certify(Matrix([[1]], ring), question="positive-definite")


# --- the float bound ----------------------------------------------------------------------------
def exactly_dominant(scaled, factor):
    """F^T B F strictly diagonally dominant, in Fractions, for B within one rounding of scaled.

    Every entry of B is moved by half a unit in the last place, against the dominance as far as
    one choice of signs can be.
    """
    size = len(scaled)
    F = [[Fraction(x) for x in row] for row in factor.tolist()]
    B = [[Fraction(x) for x in row] for row in scaled.tolist()]

    def congruent(b):
        left = [
            [sum(b[i][k] * F[k][j] for k in range(size)) for j in range(size)] for i in range(size)
        ]
        return [
            [sum(F[k][i] * left[k][j] for k in range(size)) for j in range(size)]
            for i in range(size)
        ]

    exact = congruent(B)
    spread = [
        [sum(abs(F[k][i]) * abs(B[k][m]) * abs(F[m][j]) for k in range(size) for m in range(size))
         for j in range(size)] for i in range(size)
    ]  # fmt: skip
    unit = Fraction(1, 2**53)
    return all(
        2 * row[i] > sum(map(abs, row)) + unit * sum(spread[i]) for i, row in enumerate(exact)
    )


def near_the_edge(seed):
    """A scaled matrix whose smallest eigenvalue is between 1e-14 and 1e-18, about one rounding."""
    stream = np.random.default_rng(seed)
    size = int(stream.integers(2, 7))
    q, _ = np.linalg.qr(stream.standard_normal((size, size)))
    values = stream.random(size) + 0.5
    values[0] = 10.0 ** -stream.uniform(14, 18)
    scaled = (q * values) @ q.T
    scale = 1 / np.sqrt(scaled.diagonal())
    scaled = scaled * scale[:, None] * scale
    return (scaled + scaled.T) / 2


def test_the_bound_never_promises_more_than_is_true():
    """Where floats alone would promise too much, which this counts too."""
    deceived = proved = 0
    for seed in range(700):
        scaled = near_the_edge(seed)
        inverse = definite._inverse_cholesky(scaled)
        if inverse is None:
            continue
        rounded = definite._round(inverse, 46)
        computed = rounded.T @ (scaled @ rounded)
        looks = bool((2 * computed.diagonal() > np.abs(computed).sum(axis=1)).all())
        if not looks:
            continue
        if definite._dominant(scaled, rounded):
            proved += 1
            assert exactly_dominant(scaled, rounded)
        else:
            deceived += not exactly_dominant(scaled, rounded)
    assert deceived > 20
    assert proved > 20


def exactly_near(scaled, rounded, bits, weights):
    """4^bits B - G^T G dominant with these weights, for B within one rounding, in Fractions."""
    size = len(scaled)
    G = [[Fraction(x) for x in row] for row in rounded.tolist()]
    w = [Fraction(x) for x in weights.tolist()]
    for i in range(size):
        goal = [4**bits * Fraction(x) for x in scaled[i].tolist()]
        rest = [goal[j] - sum(row[i] * row[j] for row in G) for j in range(size)]
        others = sum(abs(rest[j]) * w[j] for j in range(size) if j != i)
        moved = sum(abs(goal[j]) * w[j] for j in range(size)) / 2**53
        if rest[i] * w[i] <= others + moved:
            return False
    return True


def test_the_bound_of_a_gram_matrix_never_promises_more_than_is_true():
    """Around the point where the rounded factor is too coarse: both answers occur."""
    stream = np.random.default_rng(1)
    proved = refused = deceived = 0
    for seed in range(400):
        size = int(stream.integers(2, 7))
        q, _ = np.linalg.qr(stream.standard_normal((size, size)))
        values = stream.random(size) + 0.5
        bits = int(stream.choice([16, 26]))
        values[0] = 2.0 ** (-bits + stream.uniform(-1, 4))
        scaled = (q * values) @ q.T
        scaled = (scaled + scaled.T) / 2
        part = definite._part_of_smallest(scaled)
        rounded = np.rint(np.ldexp(np.linalg.cholesky(scaled - part * np.eye(size)).T, bits))
        weights = 2.0 ** stream.integers(0, 3, size)
        true = exactly_near(scaled, rounded, bits, weights)
        if definite._leaves_dominant(scaled, rounded, bits, weights):
            proved += 1
            assert true, seed
        else:
            refused += not true
    # With 52 bits the products round, and a difference that looks positive may not be.
    for seed in range(400):
        size = int(stream.integers(2, 7))
        scaled = gram(stream.standard_normal((size, size)) / size) + np.eye(size)
        part = 2.0 ** -stream.uniform(46, 51)
        rounded = np.rint(np.ldexp(np.linalg.cholesky(scaled - part * np.eye(size)).T, 52))
        rest = np.ldexp(scaled, 104) - rounded.T @ rounded
        looks = bool((2 * rest.diagonal() > np.abs(rest).sum(axis=1)).all())
        true = exactly_near(scaled, rounded, 52, np.ones(size))
        deceived += looks and not true
        if definite._leaves_dominant(scaled, rounded, 52, np.ones(size)):
            assert true, seed
    assert min(proved, refused) > 50
    assert deceived > 10


def test_the_bound_is_not_vacuous():
    """It proves what is easy, and refuses what is singular to within rounding."""
    easy = np.array([[1.0, 0.5], [0.5, 1.0]])
    factor, proved = definite._factor(easy)
    assert proved
    assert exactly_dominant(easy, factor)
    close = np.array([[1.0, 1 - 2.0**-53], [1 - 2.0**-53, 1.0]])
    assert definite._factor(close)[1] is False
    assert not definite._dominant(np.full((3, 3), np.nan), np.eye(3))
    assert not definite._dominant(np.full((3, 3), np.inf), np.eye(3))
    assert not definite._dominant(np.zeros((3, 3)), np.eye(3))


def test_thousands_of_matrices_are_never_proved_wrongly():
    """Random integer matrices around the edge; what certify returns must check every time."""
    stream = random.Random(0)
    counts = {True: 0, False: 0}
    for _ in range(1500):
        size = stream.randrange(1, 8)
        width = size + stream.choice([-1, 0, 0, 1])
        reach = stream.choice([1, 3, 10, 10**6, 10**12])
        factor = [
            [stream.randint(-reach, reach) for _ in range(max(width, 1))] for _ in range(size)
        ]
        rows = gram(factor)
        if stream.random() < 0.5:
            i = stream.randrange(size)
            rows[i][i] += stream.choice([-1, 1])
        expected = is_definite(rows)
        assert decide(rows) == expected
        counts[expected] += 1
    assert min(counts.values()) > 300
