"""Contingency tables of small words, counted by hand."""

import numpy as np
import pytest

from symbench.errors import BadShape
from symbench.kernels import tables
from symbench.kernels.diagram import Diagram


def test_one_table():
    table = ((1, 1), (0, 1))
    assert tables.counts_of(table) == (4, 2, 3)
    assert (tables.row_sums(table), tables.column_sums(table)) == ((2, 1), (1, 2))
    assert tables.diagonal((2, 1)) == ((2, 0), (0, 1))
    assert tables.table_of((0, 1, 1), (0, 0, 1), 3) == ((1, 0, 0), (1, 1, 0), (0, 0, 0))
    assert tables.of_diagram(Diagram.of("AB", "CA")) == ((0, 0, 1), (1, 0, 0), (0, 0, 0))
    assert tables.diagram_of(((1, 0), (1, 1))) == Diagram((0, 1, 1), (0, 0, 1))
    with pytest.raises(BadShape, match=r"is .* give as many columns as rows"):
        tables.check_table(((1, 0), (1,)))


def test_tables_of_segments():
    assert tables.added([((1, 0), (0, 0)), ((0, 1), (0, 0))]) == ((1, 1), (0, 0))
    assert tables.flipped((((1, 2), (0, 0)),)) == (((1, 0), (2, 0)),)
    both = (((1, 0), (1, 0)), ((0, 0), (0, 1)))
    assert tables.tables_of((0, 1, 1), (0, 0, 1), (2, 1), 2) == both
    assert len(set(tables.tables_with((1, 2), 2))) == 40
    assert tables.pair_of(((1, 0), (1, 1)), ((0, 1), (0, 0))) == ((0, 1, 1, 0), (0, 0, 1, 1))
    three = (((1, 1), (0, 0)), ((0, 0), (0, 1)), ((1, 0), (0, 0)))
    assert tables.merging((3, 1), (2, 1, 1))(three) == (((1, 1), (0, 1)), ((1, 0), (0, 0)))


def test_places_and_arrays():
    assert tables.places_of([((1, 0), (0, 1))], False) == [(((1, 0), (0, 1)),)]
    assert tables.places_of([(((1,),), ((1,),))], True) == [(((1,),), ((1,),))]
    x, y = tables.one_hots(np.array([[0, 1]]), np.array([[2, 0], [0, 0]]))
    assert (x.shape, y.shape) == ((1, 2, 3), (2, 2, 3))
