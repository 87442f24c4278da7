"""Sparse functions and heads, beside numpy, scipy and sympy."""

import numpy as np

from symbench import sparse


def test_a_head_on_a_million_positions(compare):
    """Built, its error found and its certificate checked, beside one plain forward pass."""
    bits = np.random.default_rng(0).integers(0, 2, 10**6)

    def forward():
        scores = np.zeros(10**6 + 1)
        scores[:3] = np.log(3999992)
        weights = np.exp(scores - scores.max())
        return (weights[:-1] @ (2 * bits - 1)) / weights.sum()

    assert compare(
        "a head certified on all inputs",
        lambda: sparse.head(sparse.conjunction(3), 10**6).certificate().check(),
        {"numpy, one input": forward},
        size="10^6 bits",
    )


def test_all_inputs_of_16_bits(compare):
    head = sparse.head(sparse.conjunction(3), 16, base=60)

    def plain():
        signs = 2 * ((np.arange(1 << 16)[:, None] >> np.arange(15, -1, -1)) & 1) - 1
        weights = np.full(17, 1 / 194)
        weights[:3] = 60 / 194
        return signs @ weights[:16]

    outputs, below = compare(
        "a head on all inputs, exact", head.outputs, {"numpy, floats": plain}, size="2^16 inputs"
    )
    ones = sum((np.arange(1 << 16) >> (16 - a)) & 1 for a in (1, 2, 3))
    assert np.abs(3 * outputs - (2 * ones - 3) * below).max() * 194 == 27 * 3 * below


def test_fourier_of_12_bits(compare):
    from scipy.linalg import hadamard
    from sympy import fwht

    f = sparse.junta(12, 12, seed=1)
    table = [int(v) for v in sparse.table(f)]
    found = compare(
        "Fourier coefficients by sets",
        lambda: sparse.fourier(f),
        {
            "scipy.linalg.hadamard": lambda: hadamard(1 << 12) @ np.array(table),
            "sympy.fwht": lambda: fwht(table),
        },
        size="12 bits",
    )
    assert sum(c != 0 for c in (hadamard(1 << 12) @ np.array(table)).tolist()) == len(found)


def test_walsh_transform(compare):
    from sympy import fwht

    from symbench.learning.walsh import values

    table = np.random.default_rng(1).integers(0, 2, 1 << 14).astype(object)
    compare(
        "Walsh transform of Python's integers",
        lambda: values(table),
        {"sympy.fwht": lambda: fwht(table.tolist())},
        size="2^14 values",
        agrees=lambda ours, theirs: [int(x) for x in ours] == [int(x) for x in theirs],
    )


def test_a_network_on_all_words(compare):
    network = sparse.network(sparse.from_anf([(1, 2), (3,)]), 10)
    assert sum(compare("a network on all words", network.outputs, size="10 bits")) == 512
