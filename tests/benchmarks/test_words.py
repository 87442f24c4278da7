"""Templates and tasks, beside Sage and sympy."""

import numpy as np
import pytest

from symbench.words import all_templates, count_templates, disjointness_graph, tasks
from tests.benchmarks.peers import sage


def multisets(n):
    from sympy.utilities.iterables import multiset_partitions

    return lambda: sum(1 for _ in multiset_partitions(list(range(n))))


SAGE = sage(
    "sum(1 for _ in SetPartitions(12))",
    "import sage.all__sagemath_combinat\nfrom sage.combinat.set_partition import SetPartitions",
)


@pytest.mark.parametrize("form", ["arrays", "objects"])
def test_set_partitions(compare, form):
    family = all_templates(12)
    work = {
        "arrays": lambda: sum(map(len, family.arrays())),
        "objects": lambda: sum(1 for _ in family),
    }
    found = compare(
        f"set partitions listed, as {form}",
        work[form],
        {"sympy": multisets(12), "Sage": SAGE},
        size="n = 12",
        agrees=lambda ours, theirs: ours == theirs,
    )
    assert found == 4213597


@pytest.mark.parametrize("options", [{}, {"tokens": 3}, {"min_block": 2}], ids=str)
def test_count_and_unrank(compare, options):
    def work():
        family = all_templates(60, **options)
        return family.rank(family[family.count // 3]) == family.count // 3

    assert compare(
        f"a template counted and unranked, {options or 'no tokens'}", work, size="n = 60"
    )
    assert count_templates(60, **options) > 10**40


def test_disjointness(compare):
    templates = tasks.distribution_of_three().templates
    graph = compare(
        "disjoint pairs of templates", lambda: disjointness_graph(templates), size="144 templates"
    )
    assert graph.number_of_edges() == 144 * 143 // 2


def test_building_a_task(compare):
    assert len(compare("a task built", tasks.distribution_of_three, size="144 templates")) == 144


def test_a_million_strings(compare):
    task = tasks.distribution_of_three()
    train, _ = task.sample(1_000_000, 0, 100, test=1)
    found = compare(
        "strings matched with 144 templates",
        lambda: task.classify_array(train.array),
        size="10^6 strings",
    )
    assert np.array_equal(found, train.indices)
