"""Lower bounds from orbits: a hidden pair and a token, beside eigenvalues on all words."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.learning import token_bound


@pytest.mark.parametrize(("m", "k"), [(2, 3), (3, 3), (2, 4), (4, 3)])
def test_hidden_pairs_by_enumeration(m, k):
    """L3 (a): the tail of the eigenvalues of the mean over all pairs, by numpy on all words."""
    words = list(product(range(m), repeat=k))
    pairs = [[float(w[i] == w[j]) for w in words] for i, j in combinations(range(k), 2)]
    mean = sum(np.outer(f, f) for f in pairs) / len(pairs) / len(words)
    levels = sorted(np.linalg.eigvalsh(mean), reverse=True)
    target = sb.targets.from_function(lambda w: w[0] == w[1], variables=2, vocabulary=m)
    for n in range(1, len(pairs) + 1):
        bound = sb.lower_bound(target, length=k, samples=n)
        assert bound == (1 - Fraction(n, len(pairs))) * Fraction(m - 1, m**2)
        assert float(bound) == pytest.approx(sum(levels[n:]), abs=1e-12)


VALUES = st.fractions(-3, 3, max_denominator=3)


@given(st.integers(1, 4), st.integers(0, 5), VALUES, VALUES)
@example(3, 1, Fraction(-1, 3), Fraction(1))  # the constant functions have the least eigenvalue
@example(3, 1, Fraction(-1), Fraction(1))
def test_a_token_by_enumeration(m, samples, other, own):
    """L3 (b): the mean over all permutations of tokens, by numpy on all words of one letter."""
    mean = np.zeros((m, m))
    moves = list(permutations(range(m)))
    for move in moves:
        f = np.array([float(own if move[x] == 0 else other) for x in range(m)])
        mean += np.outer(f, f) / m / len(moves)
    levels = sorted(np.linalg.eigvalsh(mean), reverse=True)
    found = token_bound(m, samples, labels=(other, own))
    assert float(found) == pytest.approx(sum(levels[samples:]), abs=1e-9)
    variance = (own - other) ** 2 * Fraction(m - 1, m**2)
    if m > 1:
        assert found >= (1 - Fraction(samples, m - 1)) * variance
    assert token_bound(m, min(max(samples, 1), m)) == Fraction(m - min(max(samples, 1), m), m**2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: token_bound(0, 1), errors.BadValue),
        (lambda: token_bound(3, -1), errors.BadValue),
        (lambda: token_bound(3, 1.0), errors.NotExact),
        (lambda: token_bound(3, 1, labels=(0.5, 1)), errors.NotExact),
        (lambda: token_bound(3, 1, labels=("no", "yes")), errors.NotInRing),
        (lambda: token_bound(3, 1, labels=(1, 2, 3)), errors.BadShape),
        (lambda: token_bound(3, 1, labels=3), errors.BadType),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
