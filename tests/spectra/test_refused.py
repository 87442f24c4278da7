"""Kernels and arguments that are refused, and how invariance is known."""

from itertools import product

import pytest

from symbench import errors
from symbench.kernels import attention, from_table, generic, inner_product, linear_attention
from symbench.laws import Iid, Subsets
from symbench.spectra import spectrum, subset_spectrum
from symbench.young import Partition


def first_position(x, y):
    return int(x[0] == y[0])


def test_a_kernel_that_is_not_invariant_shows_the_permutation():
    message = r"k\(\(0, 0\), \(0, 1\)\) = 1, and after the transposition \(1 2\)"
    with pytest.raises(errors.BadValue, match=message):
        spectrum(first_position, length=2, vocabulary=2)
    for length in (2, 12):  # every pair, and representatives
        with pytest.raises(errors.BadValue, match="not invariant"):
            spectrum(linear_attention(1, 1, causal=True), length=length, vocabulary=2)
        with pytest.raises(errors.BadValue, match="fixed=1"):
            spectrum(linear_attention(1, 1, readout="last"), length=length, vocabulary=2)


def test_how_invariance_is_known():
    def matches(x, y):
        return sum(u == v for u, v in zip(x, y, strict=True))

    class Own:
        def value(self, x, y):
            return matches(x, y)

    small = spectrum(matches, length=3, vocabulary=2)
    large = spectrum(Own(), length=9, vocabulary=2)
    closed = spectrum(inner_product(lambda n: n), length=9, vocabulary=2)
    assert small.invariance == "all pairs"
    assert large.invariance == "sampled pairs"
    assert closed.invariance == "by construction"
    assert large.levels == closed.levels
    incidence = spectrum(inner_product(lambda n: n, incidence=True), length=3, vocabulary=2)
    assert incidence.invariance == "by construction"


def test_a_kernel_may_see_the_names_of_tokens():
    found = spectrum(lambda x, y: sum(x) * sum(y), length=3, vocabulary=3)
    # rank one: the function sum(x), of norm E sum(x)^2 = 3 * 2/3 + 9
    nonzero = [level for level in found.levels if level.eigenvalue != 0]
    assert [(level.partition, level.eigenvalue) for level in nonzero] == [(Partition(3), 11)]


def test_a_kernel_that_is_not_symmetric():
    with pytest.raises(errors.BadValue, match="not symmetric"):
        spectrum(from_table(lambda table: table[0][1]), length=2, vocabulary=2)


def test_a_kernel_that_is_not_semidefinite_shows_a_vector():
    found = spectrum(from_table(lambda t: t[0][1] + t[1][0]), length=3, vocabulary=2)
    with pytest.raises(errors.BadValue, match="not positive semidefinite"):
        found.trace_bounds()
    vector = found.negative_vector()
    words = list(product(range(2), repeat=3))
    square = sum(
        a * b * sum(u != v for u, v in zip(x, y, strict=True))
        for a, x in zip(vector, words, strict=True)
        for b, y in zip(vector, words, strict=True)
    )
    assert square < 0


TWO_LAYERS = linear_attention(1, 1, layers=2)


def same(x, y):
    return int(x == y)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: spectrum(None, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(3, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(int, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(same, length=0, vocabulary=2), errors.BadValue),
        (lambda: spectrum(same, length=2.0, vocabulary=2), errors.NotExact),
        (lambda: spectrum(same, length=None, vocabulary=2), errors.BadType),
        (lambda: spectrum(same, length=True, vocabulary=2), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=0), errors.BadValue),
        (lambda: spectrum(same, length=2, vocabulary=2, law="uniform"), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2, law=Iid), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2, law=Iid(1)), errors.BadShape),
        (lambda: spectrum(same, length=3, vocabulary=2, law=Subsets(4, 2)), errors.BadShape),
        (lambda: spectrum(same, length=2, vocabulary=2, fixed=2), errors.BadValue),
        (lambda: spectrum(same, length=2, vocabulary=2, fixed=None), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2, algorithm="dense"), errors.UnknownName),
        (lambda: spectrum(same, length=2, vocabulary=2, algorithm=3), errors.UnknownName),
        (lambda: spectrum(same, length=2, vocabulary=3, algorithm="binary"), errors.BadValue),
        (lambda: spectrum(same, length=12, vocabulary=2, algorithm="words"), errors.TooLarge),
        (lambda: spectrum(same, length=1000, vocabulary=2), errors.TooLarge),
        (lambda: spectrum(TWO_LAYERS, length=40, vocabulary=4), errors.TooLarge),
        (lambda: spectrum(TWO_LAYERS, length=12, vocabulary=40), errors.TooLarge),
        (lambda: spectrum(same, length=40, vocabulary=4), errors.TooLarge),
        (lambda: spectrum(lambda x, y: 0.5, length=2, vocabulary=2), errors.NotExact),
        (lambda: spectrum(lambda x, y: None, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(lambda x, y: 1 // 0, length=2, vocabulary=2), errors.BadValue),
        (lambda: spectrum(lambda x: 1, length=2, vocabulary=2), errors.BadValue),
        (lambda: spectrum(linear_attention(), length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(generic(), length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(attention(), length=2, vocabulary=2), errors.BadType),
        (lambda: from_table(None), errors.BadType),
        (lambda: spectrum(from_table(lambda t: t[5]), length=2, vocabulary=2), errors.BadValue),
        (lambda: spectrum(from_table(lambda t: 0.5), length=2, vocabulary=2), errors.NotExact),
        (lambda: spectrum(same, length=2, vocabulary=2)[Partition(3)], errors.UnknownName),
        (lambda: spectrum(same, length=2, vocabulary=2)[None], errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2).block(2), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2).table(limit=0), errors.BadValue),
        (lambda: spectrum(same, length=2, vocabulary=2).plot(7), errors.BadType),
        (lambda: spectrum(inner_product(int), length=20, vocabulary=2).matrix(), errors.TooLarge),
        (lambda: subset_spectrum(None, points=3, size=1), errors.BadType),
        (lambda: subset_spectrum(lambda t: t, points=3, size=4), errors.BadValue),
        (lambda: subset_spectrum(lambda t: 0.5, points=3, size=1), errors.NotExact),
        (lambda: subset_spectrum(lambda t: 1 // 0, points=3, size=1), errors.BadValue),
        (lambda: subset_spectrum(lambda t: t, points=None, size=1), errors.BadType),
        (lambda: subset_spectrum(lambda t: t, points=4, size=2)[Partition(1)], errors.UnknownName),
    ],
)  # fmt: skip
def test_bad_calls(call, error):
    with pytest.raises(error):
        call()
