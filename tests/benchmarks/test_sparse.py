"""Speed of the room sparse, side by side with peers; run with --benchmark-only."""

import time

import numpy as np

from symbench import sparse


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_a_head_on_a_million_positions(benchmark, capsys):
    """Built, its error found and its certificate checked, beside one plain forward pass."""

    def certified():
        return sparse.head(sparse.conjunction(3), 10**6).certificate().check()

    assert benchmark(certified)
    ours = benchmark.stats.stats.median
    dice = np.random.default_rng(0)
    bits = dice.integers(0, 2, 10**6)

    def forward():
        scores = np.zeros(10**6 + 1)
        scores[:3] = np.log(3999992)
        weights = np.exp(scores - scores.max())
        return (weights[:-1] @ (2 * bits - 1)) / weights.sum()

    forward()
    peer = seconds(forward)
    with capsys.disabled():
        print(f"\n10^6 bits, all inputs: {ours * 1000:.2f} ms; numpy, one: {peer * 1000:.2f} ms")


def test_all_inputs_of_16_bits(benchmark, capsys):
    head = sparse.head(sparse.conjunction(3), 16, base=60)
    outputs, below = benchmark(head.outputs)
    ones = sum((np.arange(1 << 16) >> (16 - a)) & 1 for a in (1, 2, 3))
    assert np.abs(3 * outputs - (2 * ones - 3) * below).max() * 194 == 27 * 3 * below
    ours = benchmark.stats.stats.median

    def plain():
        signs = 2 * ((np.arange(1 << 16)[:, None] >> np.arange(15, -1, -1)) & 1) - 1
        weights = np.full(17, 1 / 194)
        weights[:3] = 60 / 194
        return signs @ weights[:16]

    plain()
    peer = seconds(plain)
    with capsys.disabled():
        print(f"\n2^16 inputs, exact: {ours * 1000:.2f} ms; numpy in floats: {peer * 1000:.2f} ms")


def test_fourier_of_12_bits(benchmark, capsys):
    from scipy.linalg import hadamard
    from sympy import fwht

    f = sparse.junta(12, 12, seed=1)
    table = [int(v) for v in sparse.table(f)]
    found = benchmark(lambda: sparse.fourier(f))
    ours = benchmark.stats.stats.median
    matrix = hadamard(1 << 12)
    coefficients = matrix @ np.array(table)
    assert sum(c != 0 for c in coefficients.tolist()) == len(found)
    peers = {
        "scipy.linalg.hadamard": seconds(lambda: hadamard(1 << 12) @ np.array(table)),
        "sympy.fwht": seconds(lambda: fwht(table)),
    }
    with capsys.disabled():
        for name, peer in peers.items():
            print(f"\n4096 coefficients by sets: {name} / symbench = {peer / ours:.1f}")


def test_the_walsh_transform_of_20_bits(benchmark, capsys):
    from fractions import Fraction

    from sympy import fwht

    from symbench.learning.walsh import values

    table = np.random.default_rng(1).integers(0, 2, 1 << 20).astype(object)
    short = table[: 1 << 14]
    found = benchmark(lambda: values(table))
    assert Fraction(int(found[0])) == sum(table)
    ours = benchmark.stats.stats.median
    mine, peer = seconds(lambda: values(short)), seconds(lambda: fwht(short.tolist()))
    with capsys.disabled():
        print(
            f"\n2^20 values: {ours * 1000:.0f} ms; 2^14: sympy.fwht / symbench = {peer / mine:.0f}"
        )


def test_a_network_on_all_words(benchmark):
    network = sparse.network(sparse.from_anf([(1, 2), (3,)]), 10)
    assert sum(benchmark(network.outputs)) == 512
