"""Closed forms of linear attention against the spectra computed from blocks."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import errors
from symbench.kernels import inner_product, linear_attention
from symbench.spectra import linear_attention_spectrum, spectrum
from symbench.young import Partition

numbers = st.fractions(min_value=0, max_value=5, max_denominator=7)
shapes = st.sampled_from(
    [(4, 1), (4, 2), (5, 2), (9, 2), (17, 2), (4, 3), (5, 3), (7, 3), (4, 4), (5, 4), (4, 5)]
)


@settings(max_examples=40, deadline=None)
@given(shapes, st.sampled_from(["sum", "flatten"]), numbers, numbers)
def test_all_nonzero_eigenvalues(shape, readout, alpha, beta):
    L, V = shape
    kernel = linear_attention(alpha, beta, readout=readout)
    closed = linear_attention_spectrum(kernel, length=L, vocabulary=V)
    found = spectrum(kernel, length=L, vocabulary=V)
    wanted = [level for level in found.levels if level.eigenvalue != 0]
    assert list(closed.levels) == wanted
    assert closed.trace == found.trace


def test_very_long_words():
    """The first closed forms of symmetry.md A4, at a length that no block reaches."""
    L = 10**9
    found = linear_attention_spectrum(linear_attention(1, 1), length=L, vocabulary=2)
    values = [level.eigenvalue for level in found[Partition(L - 1, 1)]]
    assert values == [Fraction(L * (L + 2), 2), Fraction(L - 2, 2)]
    assert found[Partition(L - 2, 2)] == ()
    total = sum(
        level.multiplicity * Fraction(level.eigenvalue)
        for level in found.levels
        if isinstance(level.eigenvalue, Fraction)
    )
    assert total < found.trace


@pytest.mark.parametrize("vocabulary", [2, 3, 50, 10**5])
@pytest.mark.parametrize("readout", ["sum", "flatten"])
def test_the_levels_add_up_to_the_trace(vocabulary, readout):
    """Conjugate roots come with their polynomial, whose coefficients give their sum."""
    kernel = linear_attention("2/3", "1/7", readout=readout)
    found = linear_attention_spectrum(kernel, length=1000, vocabulary=vocabulary)
    total = Fraction(0)
    for level in found.levels:
        if isinstance(level.eigenvalue, Fraction):
            total += level.multiplicity * level.eigenvalue
        else:
            _, b, a = level.eigenvalue.polynomial
            total += level.multiplicity * Fraction(-b, 2 * a)
    assert total == found.trace


@pytest.mark.parametrize(
    ("kernel", "length", "error"),
    [
        (None, 4, errors.BadType),
        (inner_product(int), 4, errors.BadType),
        (linear_attention(), 4, errors.BadType),
        (linear_attention(1, 1, causal=True), 4, errors.NotSupported),
        (linear_attention(1, 1, readout="last"), 4, errors.NotSupported),
        (linear_attention(1, 1, layers=2), 4, errors.NotSupported),
        (linear_attention(1, 1), 3, errors.BadValue),
        (linear_attention(1, 1), 4.0, errors.NotExact),
        (linear_attention(1, 1), None, errors.BadType),
    ],
)
def test_bad_calls(kernel, length, error):
    with pytest.raises(error):
        linear_attention_spectrum(kernel, length=length, vocabulary=2)


def test_unknown_partitions():
    found = linear_attention_spectrum(linear_attention(1, 1), length=4, vocabulary=2)
    with pytest.raises(errors.UnknownName):
        found[Partition(3)]
    with pytest.raises(errors.BadType):
        found[None]
