"""Boolean functions against sums over all words."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard

import symbench as sb
from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.learning import orbit_average
from symbench.strategies import targets

sparse = sb.sparse
chances = st.fractions("1/9", "8/9", max_denominator=9)
tables = st.integers(0, 4).flatmap(
    lambda n: st.lists(st.integers(0, 1), min_size=2**n, max_size=2**n)
)


def words(n):
    return list(product((0, 1), repeat=n))


def chance_of(word, p):
    return prod((p if b else 1 - p for b in word), start=Fraction(1))


@settings(max_examples=60)
@given(targets(max_variables=4), chances)
def test_coefficients_are_projections_on_characters(f, p):
    n, found = 4, sparse.fourier(f, p)
    for size in range(n + 1):
        for places in combinations(range(1, n + 1), size):

            def character(word, places=places):
                return prod((2 * (p - word[a - 1]) for a in places), start=Fraction(1))

            inner = sum(chance_of(w, p) * f.value(w) * character(w) for w in words(n))
            assert found.get(places, 0) * (4 * p * (1 - p)) ** size == inner
    squares = sparse.weights(f, p)
    assert sum(squares) == sum(chance_of(w, p) * f.value(w) ** 2 for w in words(n))
    for size, weight in enumerate(squares):
        level = sum(c**2 for places, c in found.items() if len(places) == size)
        assert weight == level * (4 * p * (1 - p)) ** size
    assert sparse.degree(f) == max(map(len, found), default=0) if p == Fraction(1, 2) else True


@settings(max_examples=60)
@given(targets(max_variables=4))
def test_support_and_table(f):
    relevant = tuple(
        i + 1
        for i in range(4)
        if any(f.value(w) != f.value((*w[:i], 1 - w[i], *w[i + 1 :])) for w in words(4))
    )
    assert sparse.support(f) == relevant
    for word, value in zip(words(len(relevant)), sparse.table(f), strict=True):
        full = [0] * 4
        for place, bit in zip(relevant, word, strict=True):
            full[place - 1] = bit
        assert f.value(full) == value


@settings(max_examples=60)
@given(tables, chances)
def test_boolean_functions(values, p):
    f = sparse.boolean(values)
    n = len(values).bit_length() - 1
    at = dict(zip(words(n), values, strict=True))
    flips = {
        i + 1: [w for w in words(n) if at[w] != at[(*w[:i], 1 - w[i], *w[i + 1 :])]]
        for i in range(n)
    }
    wanted = {i: sum(chance_of(w, p) for w in found) for i, found in flips.items() if found}
    assert sparse.influences(f, p) == wanted
    assert sparse.sensitivity(f) == max(sum(w in found for found in flips.values()) for w in at)
    monomials = sparse.anf(f)
    for word, value in at.items():
        assert value == sum(all(word[a - 1] for a in m) for m in monomials) % 2
    assert sparse.from_anf(monomials) == f


@pytest.mark.parametrize("s", [1, 2, 3, 5, 6])
def test_functions_of_the_weight_are_seen_alike(s):
    for values in product((0, 1), repeat=s + 1):
        f = sparse.of_weight(values)
        same = sparse.truth_table([values[sum(w)] for w in words(s)])
        for p in ("1/2", "2/7"):
            assert sparse.influences(f, p) == sparse.influences(same, p)
            if sparse.support(f):
                assert sparse.weights(f, p) == sparse.weights(same, p)
        assert sparse.sensitivity(f) == sparse.sensitivity(same)
        assert sparse.degree(f) == sparse.degree(same)
        assert sparse.support(f) == sparse.support(same)


def test_the_transform_is_a_hadamard_matrix():
    f = sparse.junta(8, 8, seed=3)
    coefficients = hadamard(256) @ np.array([int(v) for v in sparse.table(f)])
    found = sparse.fourier(f)
    for mask, c in enumerate(coefficients.tolist()):
        places = tuple(a for a in range(1, 9) if mask >> (8 - a) & 1)
        assert found.get(places, 0) == Fraction(c, 256)


def test_large_values_are_exact():
    big = 10**30
    assert sparse.fourier(sparse.truth_table([big, 0, 0, big + 2])) == {
        (): Fraction(big + 1, 2), (1,): Fraction(-1, 2), (2,): Fraction(-1, 2),
        (1, 2): Fraction(big + 1, 2),
    }  # fmt: skip


def test_positions_do_not_matter_to_orbits():
    moved = sparse.moved(sparse.conjunction(3), (2, 5, 9))
    first = orbit_average(sparse.conjunction(3), length=12, law=sb.laws.Iid("1/3", "2/3"))
    assert orbit_average(moved, length=12, law=sb.laws.Iid("1/3", "2/3")).weights == first.weights


def test_far_positions_and_many_bits():
    f = sparse.moved(sparse.majority(3), (1, 10**6, 10**9))
    assert sparse.influences(f) == {1: Fraction(1, 2), 10**6: Fraction(1, 2), 10**9: Fraction(1, 2)}
    assert sparse.sensitivity(sparse.parity(1000)) == 1000
    assert sum(sparse.weights(sparse.majority(999))) == 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: sparse.boolean([0, 1, 1]), BadShape),
        (lambda: sparse.boolean([0, 2]), BadValue),
        (lambda: sparse.boolean([0, -1]), BadValue),
        (lambda: sparse.boolean([0, 0.5]), NotExact),
        (lambda: sparse.boolean("01"), BadType),
        (lambda: sparse.boolean([0, 1], at=(1, 2)), BadShape),
        (lambda: sparse.boolean([0, 1, 1, 0], at=(2, 2)), BadShape),
        (lambda: sparse.boolean([0, 1], at=(0,)), BadValue),
        (lambda: sparse.junta(5, 4, seed=1), BadShape),
        (lambda: sparse.junta(17, 40, seed=1), TooLarge),
        (lambda: sparse.table(sparse.parity(17)), TooLarge),
        (lambda: sparse.threshold(3, 5), BadValue),
        (lambda: sparse.influences(sparse.of_weight([0, 1, 2])), BadValue),
        (lambda: sparse.sensitivity(sparse.of_weight([0, "1/2"])), BadValue),
        (lambda: sparse.anf(sparse.parity(2)), BadValue),
        (lambda: sparse.anf(sparse.of_weight(["1/2", "1/3"])), BadValue),
        (lambda: sparse.fourier(sparse.parity(2), 0), BadValue),
        (lambda: sparse.fourier(sparse.parity(2), "3/2"), BadValue),
        (lambda: sparse.fourier(sparse.parity(2), 0.5), NotExact),
        (lambda: sparse.weights(sparse.parity(2), 1), BadValue),
        (lambda: sparse.support(sb.targets.from_function(
            lambda w: w[0], variables=1, vocabulary=3)), BadType),
        (lambda: sparse.support(3), BadType),
        (lambda: sparse.moved(sparse.parity(2), (1,)), BadShape),
        (lambda: sparse.from_anf(3), BadType),
    ],
)  # fmt: skip
def test_bad_input(call, error):
    with pytest.raises(SymbenchError) as caught:
        call()
    assert type(caught.value) is error


def test_a_plot_of_influences(tmp_path):
    figure = sparse.plot_influences(sparse.conjunction(3), "2/3", path=tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 0
    assert [bar.get_height() for bar in figure.axes[0].patches] == pytest.approx([4 / 9] * 3)
