"""Speed of kernel values at finite parameters against Monte Carlo; run with --benchmark-only."""

import time

import pytest

from symbench.kernels.diagram import Diagram
from symbench.kernels.softmax.finite_values import attention_value, attention_values
from symbench.words import all_templates
from tests.kernels.simulation import simulate_attention_kernel

PAIRS = {
    "templates": ("AABCD*", "EFEGG*"),
    "a cycle of wildcards": ("AABBC*", "DEDEF*"),
    "three tokens, both ways": ("CCAACB", "BBCABA"),
    "three tokens, every way": ("ABCABC", "BCACAB"),
    "a cycle of six shared tokens": ("ABCDEF", "BCDEFA"),
    "two cycles on five tokens": ("ABCDEA", "BCDEAC"),
    # The last two: slowest of the 753 that were timed of the 3,076 connected graphs with six edges
    # (up to names and the flip), dearest by the estimate first; by points, and contracted.
    "four tokens, each linked to each: the slowest known": ("ABCDAB", "BCDACD"),
    "a loop and three tokens: slow to contract": ("AAACDD", "ABDABC"),
}
FOUR_DIGITS = 1e-4


def monte_carlo(x, y):
    """A mean whose standard error is 1e-4 of it, measured: samples are drawn until it is."""
    pilot = simulate_attention_kernel(x, y, 1, 1, samples=2**14, seed=0)
    ratio = pilot.standard_error / pilot.value / FOUR_DIGITS
    samples = int(1.05 * pilot.samples * ratio**2)
    start = time.perf_counter()
    found = simulate_attention_kernel(x, y, 1, 1, samples=samples, seed=1)
    return time.perf_counter() - start, found


@pytest.mark.parametrize("name", PAIRS)
def test_eight_digits_at_length_six(benchmark, capsys, name):
    x, y = PAIRS[name]
    pair = Diagram.of(x, y)
    value = benchmark.pedantic(lambda: attention_value(pair, 1, 1, digits=8), rounds=2)
    ours = benchmark.stats.stats.min
    peer, found = monte_carlo(x, y)
    assert found.is_near(float(value))
    with capsys.disabled():
        print(f"\n{x} {y} ({name}) = {value}, 8 digits: {ours:.2f} s;", end=" ")
        print(f"Monte Carlo, {found}, {found.samples:.1e} samples: {peer:.1f} s,", end=" ")
        print(f"ratio {peer / ours:.1f}")


@pytest.mark.parametrize("length", [3, 4, 5])
def test_template_matrix_over_all_set_partitions(benchmark, capsys, length):
    templates = [template.with_cls() for template in all_templates(length)]
    pairs = [Diagram.of_templates(z, w) for z in templates for w in templates]
    values = benchmark.pedantic(lambda: attention_values(pairs, 1, 1, digits=8), rounds=1)
    assert len(values) == len(templates) ** 2
    with capsys.disabled():
        seconds = benchmark.stats.stats.min
        print(f"\n{len(templates)} templates, {len(values)} entries to 8 digits: {seconds:.1f} s")
