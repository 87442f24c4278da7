"""Finite networks: moments by Wick's rule from the definition, and random networks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, SymbenchError, TooLarge
from symbench.kernels import linear_attention
from symbench.laws import Iid
from symbench.learning.networks import (
    NetworkSize,
    concentrations,
    excess_kurtosis,
    finite_width_kernel,
    hidden_units,
)
from symbench.learning.targets import majority, parity
from symbench.registry import claims
from tests.learning.asked import compare_network, expected_error

READOUTS = ("sum", "flatten", "last")


def wick(variables, covariance):
    """The mean of a product of Gaussian variables: the first is paired with each of the others."""
    if not variables:
        return Fraction(1)
    if len(variables) % 2:
        return Fraction(0)
    total = Fraction(0)
    for k in range(1, len(variables)):
        factor = covariance(variables[0], variables[k])
        if factor:
            total += factor * wick(variables[1:k] + variables[k + 1 :], covariance)
    return total


def network(word, alpha, beta, readout, heads, keys, values):
    """The terms of sqrt(H d_k d_v) times the output, and the covariance of their variables."""
    size = range(len(word))
    read = size if readout != "last" else size[-1:]
    terms = [
        (("w", h, j, 0 if readout == "sum" else a), ("q", h, i, a), ("k", h, i, c), ("v", h, j, c))
        for h in range(heads)
        for i in range(keys)
        for j in range(values)
        for a in read
        for c in size
    ]

    def covariance(s, t):
        if s[:3] != t[:3]:
            return 0
        if s[0] == "w":
            return int(s[3] == t[3])
        return alpha * (word[s[3]] == word[t[3]]) + beta * (s[3] == t[3])

    return terms, covariance


def moments(*setting):
    terms, covariance = network(*setting)
    cache: dict = {}

    def mean(chosen):
        key = tuple(sorted(v for term in chosen for v in term))
        if key not in cache:
            cache[key] = wick(key, covariance)
        return cache[key]

    second = sum(mean(pair) for pair in product(terms, repeat=2))
    fourth = sum(mean(four) for four in product(terms, repeat=4))
    return second, fourth


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(
        [
            ((0,), 1, 1, 1),
            ((0,), 2, 1, 1),
            ((0,), 1, 2, 1),
            ((0,), 1, 1, 3),
            ((0,), 1, 2, 2),
            ((0, 0), 1, 1, 1),
            ((0, 1), 1, 1, 1),
        ]
    ),
    st.sampled_from(READOUTS),
    st.fractions(Fraction(1, 4), 3, max_denominator=4),
    st.fractions(0, 3, max_denominator=4),
)
def test_the_kurtosis_by_wick(shape, readout, alpha, beta):
    word, heads, keys, values = shape
    second, fourth = moments(word, alpha, beta, readout, heads, keys, values)
    kernel = linear_attention(alpha, beta, readout=readout)
    text = "".join("AB"[t] for t in word)
    assert second == heads * keys * values * kernel.value(text, text)
    found = excess_kurtosis(kernel, word, heads=heads, key_width=keys, value_width=values)
    assert found == fourth / second**2 - 3


def traces(word, alpha, beta, readout):
    """The two ratios, from the matrices."""
    size = range(len(word))
    K = [[alpha * (s == t) + beta * (a == b) for b, t in enumerate(word)]
         for a, s in enumerate(word)]  # fmt: skip
    W = [[int(readout == "sum" or (a == b and (readout == "flatten" or a == len(word) - 1)))
          for b in size] for a in size]  # fmt: skip

    def times(A, B):
        return [[sum(A[a][c] * B[c][b] for c in size) for b in size] for a in size]

    def ratio(A):
        square = times(A, A)
        return sum(square[a][a] for a in size) / sum(A[a][a] for a in size) ** 2

    return ratio(times(W, K)), ratio(times(K, K))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
    st.sampled_from(READOUTS),
    st.fractions(0, 3, max_denominator=4),
    st.fractions(0, 3, max_denominator=4),
    st.tuples(*[st.integers(1, 5)] * 3),
)
def test_any_word_and_any_width(word, readout, alpha, beta, sizes):
    """A ring of four pairings: (1+2r)(1+2u)(1+2c)(1+2v) + 2(1-r)(1-u)(1-c)(1-v)."""
    if alpha == beta == 0:
        return
    kernel = linear_attention(alpha, beta, readout=readout)
    r, c = traces(word, alpha, beta, readout)
    assert concentrations(kernel, word) == (r, c)
    heads, keys, values = sizes
    four = (r, Fraction(1, keys), c, Fraction(1, values))
    plus, minus = Fraction(1), Fraction(2)
    for x in four:
        plus, minus = plus * (1 + 2 * x), minus * (1 - x)
    found = excess_kurtosis(kernel, word, heads=heads, key_width=keys, value_width=values)
    assert found == (plus + minus - 3) / heads


def test_a_long_word():
    word = [0, 1] * 5000
    r, c = concentrations(linear_attention(1, 1, readout="flatten"), word)
    # Two eigenvalues 5001, and 1 another 9998 times.
    assert r == Fraction(2 * 5001**2 + 9998, 20_000**2)
    assert c == Fraction(2 * 5001**4 + 9998, (2 * 5001**2 + 9998) ** 2)


def test_the_limits():
    kernel = linear_attention(1, 2, readout="flatten")
    word = (0, 1, 1, 2)
    r, c = concentrations(kernel, word)
    for heads in (1, 5):
        wide = excess_kurtosis(kernel, word, heads=heads, key_width=None)
        assert wide == 6 * r * c / heads > 0
        near = excess_kurtosis(kernel, word, heads=heads, key_width=10**9)
        assert 0 < near - wide < Fraction(1, 10**7)
        keys = excess_kurtosis(kernel, word, heads=heads, key_width=None, value_width=1)
        assert keys == 6 * (r * c + r + c + r * c) / heads
    K = np.array([[float(a == b) + 2.0 * (i == j) for j, b in enumerate(word)]
                  for i, a in enumerate(word)])  # fmt: skip
    values = np.linalg.eigvalsh(K)
    assert float(r) == pytest.approx((values**2).sum() / values.sum() ** 2)
    assert float(c) == pytest.approx((values**4).sum() / (values**2).sum() ** 2)
    assert concentrations(linear_attention(1, 2), word)[0] == 1
    assert concentrations(linear_attention(1, 2, readout="last"), word)[0] == 1


@pytest.mark.parametrize("readout", READOUTS)
def test_the_kernel_at_finite_width_by_wick(readout):
    """Sum over the components of the embeddings, for widths 1 and 2."""
    x, y = (0, 1), (1, 1)
    alpha, beta = Fraction(1, 2), Fraction(3)
    kernel = linear_attention(alpha, beta, readout=readout)
    read = [(a, b) for a, b in product(range(2), repeat=2)
            if readout == "sum" or (a == b and (readout == "flatten" or a == 1))]  # fmt: skip

    def covariance(s, t):
        (u, a, i), (v, b, j) = s, t
        return (alpha * (u[a] == v[b]) + beta * (a == b)) if i == j else 0

    for width in (1, 2):
        total = Fraction(0)
        for (a, b), c, d in product(read, range(2), range(2)):
            for i, j, k in product(range(width), repeat=3):
                six = ((x, a, i), (y, b, i), (x, c, j), (y, d, j), (x, c, k), (y, d, k))
                total += wick(six, covariance)
        assert finite_width_kernel(kernel, x, y, width=width) == total / width**3
    assert finite_width_kernel(kernel, x, y, width=None) == kernel.value("AB", "BB")
    assert finite_width_kernel(kernel, x, y, width=5) == finite_width_kernel(kernel, y, x, width=5)


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("width", [None, 3])
def test_random_networks_have_the_kernel_and_the_kurtosis(readout, width):
    """The mean and the variance of the kernel of the hidden units over many small networks."""
    kernel = linear_attention(1, "1/2", readout=readout)
    words, size = [(0, 1, 1), (0, 0, 1)], (4, width, 3, 2)
    drawn = []
    for seed in range(1500):
        units = hidden_units(kernel, words, size, vocabulary=2, seed=seed)
        drawn.append(units @ units.T)
    drawn = np.array(drawn)
    for i, j in ((0, 0), (0, 1), (1, 1)):
        wanted = float(finite_width_kernel(kernel, words[i], words[j], width=width))
        values = drawn[:, i, j]
        assert abs(values.mean() - wanted) < 5 * values.std() / 1500**0.5
    if width is None:
        wanted = excess_kurtosis(kernel, words[0], heads=4, key_width=3, value_width=2) / 3
        relative = (drawn[:, 0, 0] / float(kernel.value("ABB", "ABB")) - 1) ** 2
        assert abs(relative.mean() - float(wanted)) < 5 * relative.std() / 1500**0.5


def test_outputs_of_the_definition():
    """Outputs drawn straight from the definition, heads with an explicit sum over positions."""
    generator = np.random.default_rng(7)
    word, heads, keys, values, count = (0, 1), 2, 2, 3, 40_000
    alpha, beta = 1.0, 2.0
    out = np.zeros(count)
    for _ in range(heads):

        def linear(number):
            tokens = alpha**0.5 * generator.standard_normal((count, 2, number))
            places = beta**0.5 * generator.standard_normal((count, 2, number))
            return tokens[:, list(word)] + places

        q, k, v = linear(keys), linear(keys), linear(values)
        w = generator.standard_normal((count, 2, values))
        for a, c in product(range(2), repeat=2):
            score = (q[:, a] * k[:, c]).sum(axis=1) / keys**0.5
            out += score * (w[:, a] * v[:, c]).sum(axis=1) / (heads * values) ** 0.5
    kernel = linear_attention(1, 2, readout="flatten")
    variance = float(kernel.value("AB", "AB"))
    assert abs((out**2).mean() - variance) < 5 * (out**2).std() / count**0.5
    kurtosis = float(excess_kurtosis(kernel, word, heads=2, key_width=2, value_width=3)) + 3
    fourth = (out / variance**0.5) ** 4
    assert abs(fourth.mean() - kurtosis) < 5 * fourth.std() / count**0.5
    assert kurtosis - 3 > 5 * fourth.std() / count**0.5  # far from 3


def test_networks_tend_to_the_process_with_heads_only(tmp_path):
    kernel = linear_attention(1, 1, readout="flatten")
    sizes = [(1, None, 16), (16, None, 16), (256, None, 16), (256, 2, 16)]
    found = compare_network(kernel, majority(3), length=3, samples=8, sizes=sizes, draws=20)
    one, some, many, narrow = (row.distance[0] for row in found.rows)
    assert one > 4 * some > 16 * many
    assert narrow > 10 * many
    assert found.rows[2].kernel[0] < 0.15 < 0.4 < found.rows[0].kernel[0]
    assert found.rows[2].mean_kernel < found.rows[2].kernel[0]
    assert abs(found.rows[2].error[0] - found.process[0]) < 0.1
    again = compare_network(kernel, majority(3), length=3, samples=8, sizes=sizes, draws=20)
    assert again == found
    assert found.exactness == "float"
    assert len(found.table().splitlines()) == 6
    _, right = found.plot(tmp_path / "networks.png").axes
    assert len(right.get_legend().get_texts()) == 3
    with pytest.raises(BadType):
        found.plot(0)


def test_the_process_is_regression_with_the_kernel():
    """The error of the process is near the one over all training sets; noise makes it larger."""
    kernel = linear_attention(1, 1)
    setting = {"length": 2, "samples": 2, "ridge": 3, "law": Iid("1/4", "3/4")}
    for noise in (0, 1):
        exact = expected_error(kernel, parity(1), noise=noise, **setting)
        found = compare_network(
            kernel, parity(1), sizes=[(300, None, 16)], draws=300, noise=noise, **setting
        )
        mean, spread = found.process
        assert abs(mean - float(exact)) < 5 * spread
        mean, spread = found.rows[0].error
        assert abs(mean - float(exact)) < 5 * spread + 0.05


def test_the_claims():
    for name in ("lavie2024.gaussian-limit", "symbench.excess-kurtosis"):
        claim = claims[name]
        for miss in claim.near_misses:
            assert claim.look(miss.case, miss)[0] == "fails"
    assert claims["symbench.excess-kurtosis"].look(
        ("last", (0, 1), Fraction(2), Fraction(1, 3), 1, 1, 1)
    ) == ("holds", "")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: excess_kurtosis(None, (0,), heads=1, key_width=1), BadType),
        (lambda: excess_kurtosis(linear_attention(), (0,), heads=1, key_width=1), BadType),
        (lambda: excess_kurtosis(linear_attention(0, 0), (0,), heads=1, key_width=1), BadValue),
        (
            lambda: excess_kurtosis(linear_attention(1, 1, layers=2), (0,), heads=1, key_width=1),
            BadValue,
        ),
        (lambda: excess_kurtosis(linear_attention(1, 1), (), heads=1, key_width=1), BadValue),
        (lambda: excess_kurtosis(linear_attention(1, 1), "AB", heads=1, key_width=1), BadType),
        (lambda: excess_kurtosis(linear_attention(1, 1), (0,), heads=0, key_width=1), BadValue),
        (lambda: excess_kurtosis(linear_attention(1, 1), (0,), heads=1, key_width=0.5), BadType),
        (lambda: finite_width_kernel(linear_attention(1, 1), (0,), (0, 1), width=1), BadShape),
        (lambda: finite_width_kernel(linear_attention(1, 1), (), (), width=1), BadShape),
        (lambda: finite_width_kernel(linear_attention(1, 1), (0,), (0,), width=0), BadValue),
        (
            lambda: finite_width_kernel(linear_attention(1, 1), (0,) * 99, (0,) * 99, width=1),
            TooLarge,
        ),
        (lambda: compare_network(linear_attention(0, 0), parity(1), length=1, samples=1), BadValue),
        (lambda: compare_network(linear_attention(1, 1), parity(1), length=1, samples=10**9),
         TooLarge),
        (lambda: hidden_units(linear_attention(1, 1), [(0,)], (1, 10**12, 1), vocabulary=2),
         TooLarge),
        (lambda: hidden_units(linear_attention(1, 1), [(0,)], (1, None, 1), vocabulary=10**12),
         TooLarge),
        (lambda: hidden_units(linear_attention(10**400, 1), [(0,)], (1, None, 1), vocabulary=2),
         BadValue),
        (lambda: NetworkSize(1, 1, None), BadType),
        (lambda: NetworkSize(True, 1, 1), BadType),
        (lambda: hidden_units(linear_attention(1, 1), None, (1, 1, 1), vocabulary=2), BadType),
        (lambda: hidden_units(linear_attention(1, 1), [], (1, 1, 1), vocabulary=2), BadValue),
        (lambda: hidden_units(linear_attention(1, 1), [(0,), (0, 1)], (1, 1, 1), vocabulary=2),
         BadValue),
        (lambda: hidden_units(linear_attention(1, 1), [(0,)], 3, vocabulary=2), BadType),
        (lambda: hidden_units(linear_attention(1, 1), [(0,)], (10**9, 1, 1), vocabulary=2),
         TooLarge),
        (
            lambda: compare_network(linear_attention(1, 1), None, length=2, samples=1),
            BadType,
        ),
        (
            lambda: compare_network(linear_attention(1, 1), parity(1), length=2, samples=0),
            SymbenchError,
        ),
        (
            lambda: compare_network(
                linear_attention(1, 1), parity(1), length=2, samples=1, sizes=[]
            ),
            BadValue,
        ),
        (
            lambda: compare_network(
                linear_attention(1, 1), parity(1), length=2, samples=1, sizes="11"
            ),
            BadType,
        ),
    ],
)  # fmt: skip
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
