"""The counts of the cost model, against lists; that its measurements run at all."""

import runpy
from itertools import permutations

import pytest

import symbench as sb
from tests.documents import ROOT

COSTS = runpy.run_path(str(ROOT / "examples" / "sweep_costs.py"))


def cycle_type(permutation):
    seen, lengths = set(), []
    for start in permutation:
        length = 0
        while start not in seen:
            seen.add(start)
            start, length = permutation[start], length + 1
        lengths.append(length)
    return tuple(sorted(filter(None, lengths), reverse=True))


@pytest.mark.parametrize("length", range(1, 6))
def test_set_partitions_that_a_permutation_keeps(length):
    def blocks(letters):
        where = {}
        for place, letter in enumerate(letters):
            where.setdefault(letter, set()).add(place)
        return frozenset(map(frozenset, where.values()))

    every = {blocks(z.letters) for z in sb.all_templates(length)}
    shares = {}
    for permutation in permutations(range(length)):
        kept = sum(
            frozenset(frozenset(permutation[a] for a in block) for block in z) == z for z in every
        )
        cycles = cycle_type(permutation)
        assert COSTS["fixed_partitions"](cycles) == kept
        shares[cycles] = shares.get(cycles, 0) + 1
        square = tuple(permutation[a] for a in permutation)
        assert COSTS["power"](cycles, 2) == cycle_type(square)
    assert {*shares} == {*COSTS["cycle_types"](length)}
    total = sum(shares.values())
    assert all(COSTS["permutations_of_type"](c) * total == n for c, n in shares.items())


@pytest.mark.parametrize("length", range(1, 7))
def test_tasks_up_to_symmetry(length):
    for size in range(1, 5):
        assert COSTS["count_tasks"](length, size) == sb.words.count_tasks(length, size=size)


def test_bell_numbers():
    row = [1]
    for length in range(1, 13):  # Bell's triangle
        assert COSTS["fixed_partitions"]((1,) * length) == row[-1]
        triangle = [row[-1]]
        for entry in row:
            triangle.append(triangle[-1] + entry)
        row = triangle


def test_a_case_is_measured():
    assert COSTS["milliseconds"](6, 3, 1) > 0
    cases = list(COSTS["random_cases"](9, 3, 2))
    assert len({case[1] for case in cases}) == COSTS["KERNELS"] == len(cases) / 2
    assert all(sb.claims["symbench.small-tasks"].applies(case) for case in cases)
