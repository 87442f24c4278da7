"""Tables of entries as they come in: rows, shapes and indices, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symbench.errors import BadShape, BadType
from symbench.exact.dense import ZZ
from symbench.exact.rational import integer
from symbench.exact.ring import Shape


def read_table(rows: Any) -> tuple[list[list[Any]], Shape]:
    """rows (lists, a numpy array, a FLINT or sympy matrix) as a list of lists, and its shape."""
    if hasattr(rows, "table") and hasattr(rows, "nrows"):  # FLINT
        return rows.table(), (rows.nrows(), rows.ncols())
    if hasattr(rows, "tolist") and hasattr(rows, "shape"):  # numpy, sympy
        if len(rows.shape) != 2:
            raise BadShape(f"the array has {len(rows.shape)} dimensions: give two")
        return rows.tolist(), (rows.shape[0], rows.shape[1])
    problem = f"the rows are {rows!r}: give a sequence of rows, each a sequence of numbers"
    table = [_listed(row, problem) for row in _listed(rows, problem)]
    width = len(table[0]) if table else 0
    for i, row in enumerate(table):
        if len(row) != width:
            raise BadShape(
                f"row {i} has {len(row)} entries, row 0 has {width}: all rows must be of one length"
            )
    return table, (len(table), width)


def _listed(values: Any, problem: str) -> list[Any]:
    """values as a list; text and mappings are iterable, but no rows."""
    if isinstance(values, (str, bytes, Mapping)):
        raise BadType(problem)
    try:
        return list(values)
    except TypeError:
        raise BadType(problem) from None


def read_shape(data: Any) -> Shape:
    """A shape from a file."""
    if not isinstance(data, list) or len(data) != 2:
        raise BadShape(f"the shape is {data!r}: two numbers in strings")
    rows, columns = (ZZ.decode(n) for n in data)
    if rows < 0 or columns < 0:
        raise BadShape(f"the shape is {data!r}: two numbers that are not negative")
    return rows, columns


def index(value: Any, size: int, what: str) -> int:
    """value as an index from 0 to size - 1."""
    number = integer(value, f"the {what}")
    if not 0 <= number < size:
        raise BadShape(f"there is no {what} {number}: they run from 0 to {size - 1}")
    return number


def indices(values: Any, size: int, what: str) -> list[int]:
    """values as a list of indices."""
    listed = _listed(values, f"the {what}s are {values!r}: give a list of indices")
    return [index(k, size, what) for k in listed]


def size_text(shape: Shape) -> str:
    """A shape in words."""
    return f"a {shape[0]} x {shape[1]} matrix"
