"""Groups of positions: who contains whom, by listing; names and order of irreducibles."""

import itertools

import pytest

from symbench.errors import BadType
from symbench.young import CyclicGroup, Partition, YoungSubgroup
from symbench.young.position_groups import (
    contains,
    elements,
    irrep_order,
    is_irrep,
    partition_of,
)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_one_group_inside_another(length):
    cuts = itertools.product(range(1, length + 1), repeat=length)
    segments = {parts[:k] for parts in cuts for k in range(length + 1) if sum(parts[:k]) == length}
    groups = [CyclicGroup(length), *(YoungSubgroup(*parts) for parts in segments)]
    for big, small in itertools.product(groups, repeat=2):
        assert contains(big, small, length) == (set(elements(small)) <= set(elements(big)))


def test_names_of_irreducibles():
    pair = (Partition(2), Partition(1))
    named = [is_irrep(x) for x in (Partition(2), pair, 1, "2", ())]
    assert named == [True, True, True, False, False]
    shapes = [Partition(2, 1), Partition(1, 1, 1), Partition(3)]
    assert sorted(shapes, key=irrep_order) == [shapes[2], shapes[0], shapes[1]]
    assert (partition_of(Partition(3, 1)), partition_of(pair)) == (Partition(3, 1), Partition(2))
    with pytest.raises(BadType):
        partition_of(1)
