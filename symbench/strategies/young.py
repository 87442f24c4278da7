"""Strategies for partitions, permutations, tableaux and groups of positions."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from symbench._arguments import integer
from symbench.strategies._bounds import bounds
from symbench.young import CyclicGroup, Partition, Permutation, Tableau, YoungSubgroup, rsk
from symbench.young.position_groups import Group


def partitions(
    *, min_size: int = 1, max_size: int = 8, max_parts: int | None = None
) -> st.SearchStrategy[Partition]:
    """Partitions of the numbers between two, into at most some parts.

    >>> from hypothesis import find
    >>> find(partitions(), lambda p: len(p.parts) == 2 and p.size == 3)
    Partition(2, 1)
    >>> find(partitions(min_size=5, max_parts=2), lambda p: True)
    Partition(5)
    """
    low, high = bounds(min_size, max_size, "size")
    most = None if max_parts is None else integer(max_parts, "max_parts", at_least=1)

    def of_size(size: int) -> st.SearchStrategy[Partition]:
        if not size:
            return st.just(Partition())
        if most is not None and most < size:
            rows = st.lists(st.integers(0, most - 1), min_size=size, max_size=size)
            return rows.map(lambda found: _sorted([found.count(row) for row in set(found)]))
        growing = st.lists(st.booleans(), min_size=size - 1, max_size=size - 1)
        return growing.map(lambda cuts: _sorted(stretches(cuts)))

    return st.integers(low, high).flatmap(of_size)


def _sorted(parts: Iterable[int]) -> Partition:
    return Partition(sorted(parts, reverse=True))


def stretches(cuts: list[bool]) -> tuple[int, ...]:
    """How long the stretches between the cuts are."""
    parts = [1]
    for cut in cuts:
        if cut:
            parts.append(1)
        else:
            parts[-1] += 1
    return tuple(parts)


def permutations(*, min_size: int = 1, max_size: int = 6) -> st.SearchStrategy[Permutation]:
    """Permutations of 1..n.

    >>> from hypothesis import find
    >>> find(permutations(max_size=2), lambda g: g(1) == 2)
    Permutation(2, 1)
    """
    low, high = bounds(min_size, max_size, "size")
    sizes = st.integers(low, high)
    return sizes.flatmap(lambda n: st.permutations(range(1, n + 1))).map(Permutation)


def tableaux(*, min_size: int = 1, max_size: int = 8) -> st.SearchStrategy[Tableau]:
    """Standard tableaux: the recording tableaux of permutations, so each of them is met.

    >>> from hypothesis import find
    >>> find(tableaux(max_size=2), lambda t: len(t.rows) == 2)
    Tableau([[1], [2]])
    """
    return permutations(min_size=min_size, max_size=max_size).map(lambda g: rsk(g)[1])


def semistandard_tableaux(
    *, min_size: int = 1, max_size: int = 6, max_letter: int = 4
) -> st.SearchStrategy[Tableau]:
    """Semistandard tableaux in the letters 1..V: the insertion tableaux of words.

    >>> from hypothesis import find
    >>> find(semistandard_tableaux(max_size=2, max_letter=2), lambda t: len(t.rows) == 2)
    Tableau([[1], [2]])
    >>> semistandard_tableaux(max_letter=0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: max_letter is 0: give an integer of at least 1
    """
    low, high = bounds(min_size, max_size, "size")
    letters = st.integers(1, integer(max_letter, "max_letter", at_least=1))
    return st.lists(letters, min_size=low, max_size=high).map(lambda word: rsk(word)[0])


def groups(*, length: int) -> st.SearchStrategy[Group]:
    """Groups of permutations of some positions: Young subgroups and the rotations.

    >>> from hypothesis import find
    >>> find(groups(length=3), lambda group: group.order > 3)
    YoungSubgroup(3)
    """
    size = integer(length, "length", at_least=1)
    return young_subgroups(min_size=size, max_size=size) | st.just(CyclicGroup(size))


def young_subgroups(*, min_size: int = 1, max_size: int = 6) -> st.SearchStrategy[YoungSubgroup]:
    """Young subgroups: positions are permuted within segments, which come in any order.

    >>> from hypothesis import find
    >>> find(young_subgroups(), lambda group: sorted(group.parts) == [1, 2]).order
    2
    """
    least = max(integer(min_size, "min_size", at_least=0), 1)
    parts = partitions(min_size=least, max_size=max_size).map(lambda p: p.parts)
    return parts.flatmap(st.permutations).map(YoungSubgroup)
