"""Speed of the words room, side by side with peers; run with --benchmark-only."""

import time

import numpy as np
import pytest

from symbench.words import Task, all_templates, count_templates, disjointness_graph, tasks

BELL_12 = 4213597


def consume(chunks):
    return sum(len(chunk) for chunk in chunks)


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_all_set_partitions_of_12(benchmark, capsys):
    result = benchmark(lambda: consume(all_templates(12).arrays()))
    assert result == BELL_12
    ours = benchmark.stats.stats.median
    with capsys.disabled():
        try:
            from sage.combinat.set_partition import SetPartitions
        except ImportError:
            print("\nset partitions of 12: Sage is not installed, its ratio is not measured")
        else:
            peer = seconds(lambda: sum(1 for _ in SetPartitions(12)))
            print(f"\nset partitions of 12: Sage / symbench = {peer / ours:.0f}")


def test_set_partitions_of_9_against_sympy(benchmark, capsys):
    from sympy.utilities.iterables import multiset_partitions

    assert benchmark(lambda: consume(all_templates(9).arrays())) == 21147
    ours = benchmark.stats.stats.median
    peer = seconds(lambda: sum(1 for _ in multiset_partitions(list(range(9)))))
    objects = seconds(lambda: sum(1 for _ in all_templates(9)))
    with capsys.disabled():
        print(f"\nset partitions of 9: sympy / symbench = {peer / ours:.0f} (arrays)", end=", ")
        print(f"{peer / objects:.1f} (Template objects)")


@pytest.mark.parametrize("options", [{}, {"tokens": 3}, {"min_block": 2}])
def test_count_and_unrank_at_length_60(benchmark, options):
    def work():
        family = all_templates(60, **options)
        return family.rank(family[family.count // 3]) == family.count // 3

    assert benchmark(work)
    assert count_templates(60, **options) > 10**40


def test_disjointness_of_144_templates(benchmark):
    templates = tasks.distribution_of_three().templates
    graph = benchmark(lambda: disjointness_graph(templates))
    assert graph.number_of_edges() == 144 * 143 // 2


def test_pairwise_disjointness_of_144_templates(benchmark):
    templates = tasks.distribution_of_three().templates
    assert benchmark(lambda: sum(t.is_disjoint(u) for t in templates for u in templates)) == 20592


def test_building_the_144_templates(benchmark):
    assert len(benchmark(tasks.distribution_of_three)) == 144


def test_a_million_strings_against_144_templates(benchmark):
    task: Task = tasks.distribution_of_three()
    train, _ = task.sample(1_000_000, 0, 100, test=1)
    found = benchmark(lambda: task.classify_array(train.array))
    assert np.array_equal(found, train.indices)
