"""Speed of softmax attention on all contingency tables; run with --benchmark-only."""

import pytest

from symbench.kernels.softmax_attention import softmax_attention
from symbench.spectra import spectrum


def every_table(length):
    return [
        ((a, b), (c, length - a - b - c))
        for a in range(length + 1)
        for b in range(length + 1 - a)
        for c in range(length + 1 - a - b)
    ]


@pytest.mark.parametrize(("length", "digits"), [(12, 6), (12, 9), (24, 6), (40, 4)])
def test_all_tables_over_two_tokens(benchmark, capsys, length, digits):
    tables, kernel = every_table(length), softmax_attention(1, 1)
    one, two = benchmark.pedantic(lambda: kernel.on_tables(tables, digits=digits), rounds=1)
    assert len(one) == len(two) == len(tables)
    with capsys.disabled():
        seconds = benchmark.stats.stats.min
        print(f"\n{len(tables)} tables of length {length}, {digits} digits: {seconds:.1f} s")


def test_a_spectrum_of_length_twelve(benchmark):
    kernel = softmax_attention(1, 1, readout="flatten")
    found = benchmark.pedantic(
        lambda: spectrum(kernel, length=12, vocabulary=2, digits=6), rounds=1
    )
    assert found.exactness == "float"


def test_three_tokens_one_by_one(benchmark):
    kernel = softmax_attention(1, 1)
    value = benchmark.pedantic(lambda: kernel.value("AABBC", "ABCAC", digits=5), rounds=1)
    assert value.digits == 5
