"""Spectra by irreducible, beside numpy's dense eigenvalues where those fit."""

import itertools

import numpy as np
import pytest

from symbench.exact import roots
from symbench.kernels import inner_product, linear_attention, transformer
from symbench.kernels.softmax_attention import softmax_attention
from symbench.spectra import spectrum, subset_spectrum

FLATTEN = linear_attention(1, 1, readout="flatten")


def dense(length, vocabulary):
    """The flatten kernel with alpha = beta = 1 over all words, and its eigenvalues, in floats."""
    words = np.array(list(itertools.product(range(vocabulary), repeat=length)))
    onehot = np.eye(vocabulary)[words]
    flat = onehot.reshape(len(words), -1)
    matches = flat @ flat.T
    counts = onehot.sum(axis=1)
    kernel = (matches + length) * (counts @ counts.T + 2 * matches + length)
    return np.linalg.eigvalsh(kernel / vocabulary**length)


def listed(levels):
    """The eigenvalues with their multiplicities, as floats."""
    return sorted(float(one.eigenvalue) for one in levels for _ in range(one.multiplicity))


@pytest.mark.parametrize(
    ("length", "vocabulary"), [(8, 2), (10, 2), (11, 2), (6, 3), (7, 3), (8, 3)]
)
def test_beside_numpy(compare, length, vocabulary):
    compare(
        "all eigenvalues, exact",
        lambda: spectrum(FLATTEN, length=length, vocabulary=vocabulary).levels,
        {"numpy, dense floats": lambda: dense(length, vocabulary)},
        size=f"V = {vocabulary}, L = {length}",
        before=roots._real_roots.cache_clear,
        agrees=lambda ours, theirs: np.allclose(listed(ours), theirs, atol=1e-6 * theirs[-1]),
    )


@pytest.mark.parametrize(
    ("name", "kernel", "length", "vocabulary"),
    [
        ("sum", linear_attention(1, 1, readout="sum"), 100, 2),
        ("flatten", FLATTEN, 100, 2),
        ("flatten", FLATTEN, 250, 2),
        ("2^matches", inner_product(lambda n: 2**n), 60, 2),
        ("flatten", FLATTEN, 12, 3),
        ("flatten", FLATTEN, 18, 3),
    ],
)
def test_long_words(compare, name, kernel, length, vocabulary):
    compare(
        f"exact spectrum, {name}",
        lambda: spectrum(kernel, length=length, vocabulary=vocabulary).levels,
        size=f"V = {vocabulary}, L = {length}",
        before=roots._real_roots.cache_clear,
        rounds=1,
    )


@pytest.mark.parametrize("length", [8, 30])
def test_a_relu_layer(compare, length):
    kernel = transformer("relu", FLATTEN)
    compare(
        "spectrum in balls, relu over linear attention",
        lambda: spectrum(kernel, length=length, vocabulary=2, backend="ball").pieces,
        size=f"V = 2, L = {length}",
        rounds=2,
    )


@pytest.mark.parametrize("length", [100, 400])
def test_in_floats(compare, length):
    compare(
        "spectrum in floats, linear attention",
        lambda: spectrum(FLATTEN, length=length, vocabulary=2, backend="float").pieces,
        size=f"V = 2, L = {length}",
        rounds=1,
    )


@pytest.mark.parametrize("length", [12, 24, 40])
def test_softmax_attention(compare, length):
    kernel = softmax_attention(1, 1, readout="flatten")
    found = compare(
        "spectrum of softmax attention, 6 digits",
        lambda: spectrum(kernel, length=length, vocabulary=2, digits=6),
        size=f"V = 2, L = {length}",
        rounds=1,
    )
    assert found.exactness == "float"


@pytest.mark.parametrize("size", [12, 192])
def test_subsets_of_a_million_points(compare, size):
    compare(
        "Johnson scheme",
        lambda: subset_spectrum(lambda overlap: overlap**2, points=10**6, size=size),
        size=f"L = 10^6, d = {size}",
    )


def test_a_closed_form(compare):
    found = compare(
        "spectrum of linear attention in closed form",
        lambda: spectrum(FLATTEN, length=10**6, vocabulary=50000),
        size="V = 50,000, L = 10^6",
    )
    assert found.exactness == "exact"
