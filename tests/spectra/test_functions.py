"""Kernels that are functions of one's own: what is known of their invariance, and their floats."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadValue, NotExact
from symbench.kernels import from_function
from symbench.spectra import spectrum


def matches(x, y):
    return sum(u == v for u, v in zip(x, y, strict=True))


def test_one_pair_of_eight_bits_that_differs_is_found():
    odd = (0, 1, 1, 0, 1, 0, 0, 1), (1, 1, 0, 0, 1, 0, 1, 0)

    def almost(x, y):
        return matches(x, y) + ((x, y) in (odd, odd[::-1]))

    assert spectrum(matches, length=8, vocabulary=2).invariance == "all pairs"
    with pytest.raises(BadValue, match="not invariant"):
        spectrum(almost, length=8, vocabulary=2)


def test_what_is_sampled_says_so_wherever_it_is_seen(tmp_path):
    sampled = spectrum(matches, length=9, vocabulary=2)
    seen = spectrum(matches, length=4, vocabulary=2)
    path = tmp_path / "spectrum.svg"
    sampled.plot(path)
    for text in sampled.exactness, str(sampled), repr(sampled), sampled.latex(), path.read_text():
        assert "invariance sampled" in text
    assert "was only sampled" in sampled.trace_certificate("8+1").note
    assert seen.trace_certificate("3+1").note == ""
    assert (seen.exactness, sampled.numbers) == ("exact", "exact")
    assert "sampled" not in seen.latex() + str(seen) + repr(seen)
    # floats over a sample are said to be both
    rough = spectrum(lambda x, y: math.exp(-matches(x, y)), length=9, vocabulary=2, backend="float")
    assert rough.exactness == "float, invariance sampled"
    assert "invariance sampled: floats, nothing proved" in str(rough)


@settings(max_examples=12)
@given(
    st.sampled_from([(5, 2, None), (3, 3, None), (4, 2, "cyclic"), (4, 2, (3, 1))]),
    st.floats(0.01, 3),
    st.booleans(),
)
def test_floats_of_a_function_against_a_dense_matrix(case, width, declared):
    length, vocabulary, group = case

    def rbf(x, y):
        return math.exp(-width * (len(x) - matches(x, y)))

    kernel = from_function(rbf, exactness="float") if declared else rbf
    backend = None if declared else "float"
    found = spectrum(kernel, length=length, vocabulary=vocabulary, group=group, backend=backend)
    assert found.exactness == "float"
    words = list(itertools.product(range(vocabulary), repeat=length))
    whole = np.array([[rbf(x, y) for y in words] for x in words]) / len(words)
    values = sorted(float(one.eigenvalue) for one in found for _ in range(one.multiplicity))
    apart = np.abs(np.array(values) - np.linalg.eigvalsh(whole)).max()
    assert apart < 1e-12
    # The errors that are stated are no smaller than those that are met, and say something.
    assert apart <= max(found.errors.values()) + 1e-14 < 1e-10
    assert found.trace.value == pytest.approx(1)


def test_floats_that_are_not_asked_for_or_are_none():
    def rbf(x, y):
        return math.exp(-matches(x, y))

    for backend in None, "exact", "ball":
        with pytest.raises(NotExact, match="or take backend='float'"):
            spectrum(rbf, length=3, vocabulary=2, backend=backend)
    for bad in math.nan, math.inf:
        with pytest.raises(BadValue, match="give a finite number"):
            spectrum(lambda x, y, bad=bad: bad, length=3, vocabulary=2, backend="float")
    with pytest.raises(BadValue, match="not invariant"):
        spectrum(lambda x, y: 1.0 * x[0] * y[0], length=3, vocabulary=2, backend="float")
