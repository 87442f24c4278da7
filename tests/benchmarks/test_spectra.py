"""Spectra by irreducible, beside numpy's dense eigenvalues where those fit; --benchmark-only."""

import itertools
import time

import pytest

from symbench.exact import roots
from symbench.kernels import inner_product, linear_attention
from symbench.spectra import spectrum, subset_spectrum


def seconds(work, rounds=3):
    """The best of a few runs; roots that were isolated before are forgotten."""
    best = float("inf")
    for _ in range(rounds):
        roots._real_roots.cache_clear()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def report(capsys, what, ours, peer_seconds=None):
    with capsys.disabled():
        if peer_seconds is None:
            print(f"\n{what}: symbench {ours:.4g} s (no peer fits)")
        else:
            ratio = peer_seconds / ours
            print(f"\n{what}: symbench {ours:.4g} s, numpy {peer_seconds:.4g} s, ratio {ratio:.3g}")


def dense(length, vocabulary):
    """The flatten kernel with alpha = beta = 1 over all words, and its eigenvalues, in floats."""
    import numpy as np

    words = np.array(list(itertools.product(range(vocabulary), repeat=length)))
    onehot = np.eye(vocabulary)[words]
    flat = onehot.reshape(len(words), -1)
    matches = flat @ flat.T
    counts = onehot.sum(axis=1)
    kernel = (matches + length) * (counts @ counts.T + 2 * matches + length)
    return np.linalg.eigvalsh(kernel / vocabulary**length)


@pytest.mark.parametrize(("length", "vocabulary"), [(8, 2), (10, 2), (11, 2), (6, 3), (7, 3)])
def test_beside_numpy(benchmark, capsys, length, vocabulary):
    kernel = linear_attention(1, 1, readout="flatten")

    def run():
        return spectrum(kernel, length=length, vocabulary=vocabulary).levels

    benchmark.pedantic(run, rounds=3)
    peer = seconds(lambda: dense(length, vocabulary))
    report(capsys, f"all eigenvalues, L = {length}, V = {vocabulary}", seconds(run), peer)


@pytest.mark.parametrize("length", [60, 100])
@pytest.mark.parametrize("readout", ["sum", "flatten"])
def test_long_binary_words(benchmark, capsys, length, readout):
    kernel = linear_attention(1, 1, readout=readout)

    def run():
        return spectrum(kernel, length=length, vocabulary=2).levels

    benchmark.pedantic(run, rounds=1)
    report(capsys, f"exact full spectrum, {readout}, L = {length}, V = 2", seconds(run))


def test_long_binary_words_of_full_degree(benchmark, capsys):
    def run():
        return spectrum(inner_product(lambda n: 2**n), length=60, vocabulary=2).levels

    benchmark.pedantic(run, rounds=1)
    report(capsys, "exact full spectrum, 2^matches, L = 60, V = 2", seconds(run))


def test_three_tokens(benchmark, capsys):
    kernel = linear_attention(1, 1, readout="flatten")

    def run():
        return spectrum(kernel, length=12, vocabulary=3).levels

    benchmark.pedantic(run, rounds=1)
    report(capsys, "exact full spectrum, L = 12, V = 3", seconds(run))


def test_a_million_points(benchmark, capsys):
    def run():
        return subset_spectrum(lambda overlap: overlap**2, points=10**6, size=12)

    benchmark.pedantic(run, rounds=3)
    report(capsys, "Johnson scheme, L = 10^6, d = 12", seconds(run))
