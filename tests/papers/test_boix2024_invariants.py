"""Appendix F of boix2024: its second roads by a third one, and hunts."""

from itertools import product

import pytest

from symbench.papers.boix2024 import invariants
from symbench.registry import claims, hunt


def by_counting(name, x, y):
    """The invariant as a number of tuples of positions, read off its letters."""
    word = (invariants._ONES | invariants._TRACES)[name]
    texts = [x if letter == "X" else y for letter in word]
    # Letters 2n and 2n + 1 share a token, letters 2n + 1 and 2n + 2 a position.
    found = 0
    for places in product(range(len(x)), repeat=len(word) // 2 + 1):
        if name in invariants._TRACES and places[0] != places[-1]:
            continue
        found += all(
            texts[2 * n][places[n]] == texts[2 * n + 1][places[n + 1]]
            for n in range(len(word) // 2)
        )
    return found


@pytest.mark.parametrize("name", [*invariants._ONES, *invariants._TRACES])
def test_matrices_multiplied_out(name):
    for x, y in product(("AAB", "ABC", "BAA"), ("ABA", "CAD", "BBB")):
        assert invariants.multiplied_out(name, x, y) == by_counting(name, x, y)


def test_the_printed_table_has_its_numbers_of_terms():
    sizes = [len(list(invariants._terms(row))) for row in invariants.PRINTED.values()]
    assert sizes == [1, 2, 23, 17, 27]


def test_the_hunt_finds_the_counterexample():
    found = hunt("boix2024.section-F.2.1", max_examples=300)
    assert found is not None
    assert sorted(found.case[0]) == ["*", "a", "b"]


@pytest.mark.parametrize(
    "id", ["section-F.2.1-repaired", "section-F.2.2", "section-F.2.3", "section-F.2.4"]
)
def test_hunts(id):
    assert hunt(f"boix2024.{id}", max_examples=60) is None


def test_longer_strings_of_the_table():
    assert hunt("boix2024.table-F.1", max_examples=6) is None
    assert claims["boix2024.table-F.1"].look(("AABCD*", "ABACE*"))[0] == "holds"
