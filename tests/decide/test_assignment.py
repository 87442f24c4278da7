"""Unique and tied assignments, against all permutations."""

import random
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symbench.certificates import TiedAssignment, UniqueAssignment
from symbench.decide import certify
from symbench.errors import BadShape, NotSupported
from symbench.exact import GF, QQ, Balls, Matrix

quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def best(rows):
    """(largest sum, the permutations that reach it)."""
    sums = {
        s: sum((Fraction(rows[i][j]) for i, j in enumerate(s)), Fraction(0))
        for s in permutations(range(len(rows)))
    }
    top = max(sums.values())
    return top, {s for s, value in sums.items() if value == top}


def decide(rows):
    M = Matrix(rows)
    certificate = certify(M, question="unique-assignment")
    assert certificate.check() is True
    return certificate


def agrees(rows):
    certificate = decide(rows)
    _, reached = best(rows)
    if len(reached) == 1:
        assert isinstance(certificate, UniqueAssignment)
        assert {certificate.assignment} == reached
    else:
        assert isinstance(certificate, TiedAssignment)
        assert {certificate.first, certificate.second} <= reached


def squares(entries, largest):
    return st.integers(0, largest).flatmap(
        lambda n: st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n, max_size=n)
    )


@quick
@given(squares(st.integers(0, 3), 5))
def test_ties(rows):
    agrees(rows)


@quick
@given(squares(st.integers(-(10**30), 10**30), 5))
def test_big_integers(rows):
    agrees(rows)


@quick
@given(squares(st.fractions(-2, 2, max_denominator=7), 5))
def test_rationals(rows):
    agrees(rows)


@quick
@given(squares(st.integers(-2, 2).map(lambda k: 10**40 + k), 5))
def test_differences_that_floats_do_not_see(rows):
    agrees(rows)


@quick
@given(squares(st.builds(lambda a, b, c: 10**60 * a + 10**30 * b + c, *[st.integers(0, 2)] * 3), 5))
def test_lexicographic_entries(rows):
    agrees(rows)


@quick
@given(squares(st.integers(-2, 2).map(lambda k: k * 10**400), 4))
def test_entries_beyond_floats(rows):
    agrees(rows)


@settings(quick, max_examples=15)
@given(squares(st.integers(-3, 3), 6))
def test_size_six(rows):
    agrees(rows)


def test_the_smallest_sizes():
    empty = decide([])
    assert isinstance(empty, UniqueAssignment)
    assert empty.assignment == ()
    for value in (0, -5, 10**30, "1/3"):
        assert decide([[value]]).assignment == (0,)


def test_a_planted_maximum():
    """Rank-one duals with slack everywhere but on a hidden permutation: size 80."""
    stream = random.Random(2)
    size = 80
    hidden = stream.sample(range(size), size)
    u = [stream.randrange(10**25) for _ in range(size)]
    v = [stream.randrange(10**25) for _ in range(size)]
    rows = [
        [u[i] + v[j] - (0 if hidden[i] == j else stream.randrange(1, 4)) for j in range(size)]
        for i in range(size)
    ]
    certificate = decide(rows)
    assert isinstance(certificate, UniqueAssignment)
    assert certificate.assignment == tuple(hidden)
    # A second permutation made tight: two rows exchange their columns.
    for i, j in ((0, 1), (1, 0)):
        rows[i][hidden[j]] = u[i] + v[hidden[j]]
    assert isinstance(decide(rows), TiedAssignment)


def test_bad_arguments():
    with pytest.raises(BadShape):
        certify([[1, 2]], question="unique-assignment")
    for ring in (GF(7), QQ["x"], Balls(64)):
        with pytest.raises(NotSupported):
            certify(Matrix([[1]], ring), question="unique-assignment")
