import pytest

from symbench.errors import BadType, BadValue, TooLarge
from symbench.words import all_tasks, count_tasks

from . import oracles

A000041 = (1, 1, 2, 3, 5, 7, 11, 15)
A007716 = (1, 1, 4, 10, 33, 91, 298, 910)


def test_single_templates_are_partitions_of_n():
    assert [count_tasks(n, size=1) for n in range(1, 8)] == list(A000041[1:])


def test_ordered_pairs_are_matrices_up_to_permutations():
    # Two set partitions of n up to S_n: their table of intersections up to rows and columns,
    # A007716; the equal pairs are the partitions of n.
    found = [count_tasks(n, size=2, labels=2) for n in range(2, 8)]
    assert found == [A007716[n] - A000041[n] for n in range(2, 8)]


@pytest.mark.parametrize(
    ("length", "q", "size", "labels", "relabel"),
    [
        (2, 0, 1, None, False),
        (2, 0, 2, 2, False),
        (2, 0, 2, 2, True),
        (2, 1, 2, None, False),
        (2, 2, 1, None, False),
        (2, 2, 2, None, False),
        (2, 2, 2, 2, False),
        (2, 2, 2, 2, True),
        (2, 2, 3, None, False),
        (2, 2, 3, 2, True),
        (2, 2, 3, 3, True),
        (2, 3, 2, None, False),
        (3, 0, 2, None, False),
        (3, 0, 3, 2, False),
        (3, 0, 3, 2, True),
        (3, 0, 3, 3, True),
        (3, 0, 4, 2, True),
        (3, 1, 2, None, False),
        (3, 1, 3, 2, True),
        (3, 2, 2, 2, True),
        (4, 0, 2, None, False),
        (4, 0, 3, 2, True),
    ],
)
def test_counts_and_lists_against_brute_force(length, q, size, labels, relabel):
    options = {"size": size, "tokens": q, "labels": labels, "relabel": relabel}
    brute = oracles.orbits(length, q, size, labels, relabel)
    assert count_tasks(length, **options) == brute
    listed = list(all_tasks(length, **options))
    assert len(listed) == brute
    # Each is a Task, so disjointness was checked; all are different.
    assert len(set(listed)) == brute


def test_listing_is_lazy():
    first = next(iter(all_tasks(5, size=10)))
    assert len(first) == 10


def test_bad_input():
    with pytest.raises(BadValue, match="at most"):
        count_tasks(3, size=2, labels=3)
    with pytest.raises(BadValue, match="no labels"):
        all_tasks(3, size=2, relabel=True)
    with pytest.raises(BadType):
        count_tasks(3, size=2, labels=2, relabel=1)
    with pytest.raises(TooLarge, match="115975"):
        count_tasks(10, size=2)
    with pytest.raises(TooLarge, match="symmetries"):
        all_tasks(8, size=2)
    for bad in (None, 1.5, True, "2"):
        with pytest.raises(BadType):
            count_tasks(3, size=bad)
        with pytest.raises(BadType):
            all_tasks(bad, size=2)
    with pytest.raises(BadValue):
        all_tasks(3, size=0)
    assert count_tasks(2, size=3) == 0
    assert list(all_tasks(2, size=3)) == []
