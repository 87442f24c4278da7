"""Tables of entries as they come in: rows, shapes and indices, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, NotInRing
from symbench.exact.dense import ZZ
from symbench.exact.ring import Shape

_ROWS = "a sequence of rows, each a sequence of numbers"
# No matrix in a file has more rows or columns.
_LONGEST = 10**6


def read_table(rows: Any) -> tuple[list[list[Any]], Shape]:
    """rows (lists, a numpy array, a FLINT or sympy matrix) as a list of lists, and its shape."""
    if hasattr(rows, "table") and hasattr(rows, "nrows"):  # FLINT
        return rows.table(), (rows.nrows(), rows.ncols())
    if hasattr(rows, "tolist") and hasattr(rows, "shape"):  # numpy, sympy
        if len(rows.shape) != 2:
            raise BadShape(f"the array has {len(rows.shape)} dimensions: give two")
        return rows.tolist(), (rows.shape[0], rows.shape[1])
    table = [listed(row, "a row is", _ROWS) for row in listed(rows, "the rows are", _ROWS)]
    width = len(table[0]) if table else 0
    for i, row in enumerate(table):
        if len(row) != width:
            raise BadShape(
                f"row {i} has {len(row)} entries, row 0 has {width}: all rows must be of one length"
            )
    return table, (len(table), width)


def listed(values: Any, what: str, expected: str) -> list[Any]:
    """values as a list; text and mappings are iterable, but no rows."""
    try:
        if not isinstance(values, (str, bytes, Mapping)):
            return list(values)
    except TypeError:
        pass
    raise BadType(f"{what} {shown(values)}: give {expected}")


def read_shape(data: Any) -> Shape:
    """A shape from a file."""
    if not isinstance(data, list) or len(data) != 2:
        raise BadShape(f"the shape is {shown(data)}: two numbers in strings")
    rows, columns = (ZZ.decode(n) for n in data)
    # A matrix without rows may claim any number of columns: FLINT must not see it.
    if not (0 <= rows <= _LONGEST and 0 <= columns <= _LONGEST):
        raise BadShape(f"the shape is {shown(data)}: two numbers from 0 to {_LONGEST:,}")
    return rows, columns


def read_stored_table(data: Any) -> tuple[list[list[Any]], Shape]:
    """The rows and the shape of a matrix in a file, which must fit together."""
    if not isinstance(data, Mapping) or set(data) != {"ring", "shape", "rows"}:
        raise NotInRing("a matrix in JSON has exactly ring, shape and rows")
    shape, rows = read_shape(data["shape"]), data["rows"]
    if not isinstance(rows, list) or len(rows) != shape[0]:
        raise BadShape(f"the file announces {shape[0]} rows and has others")
    if any(not isinstance(row, list) or len(row) != shape[1] for row in rows):
        raise BadShape(f"the file announces rows of {shape[1]} entries and has others")
    return rows, shape


def check_same_shape(a: Shape, b: Shape, operation: str) -> None:
    """Refuse two shapes that differ."""
    if a != b:
        raise BadShape(f"cannot {operation} {size_text(a)} and {size_text(b)}")


def index(value: Any, size: int, what: str) -> int:
    """value as an index from 0 to size - 1."""
    number = integer(value, f"the {what}")
    if not 0 <= number < size:
        last = f"they run from 0 to {size - 1}" if size else "there are none"
        raise BadShape(f"there is no {what} {shown(number)}: {last}")
    return number


def indices(values: Any, size: int, what: str) -> list[int]:
    """values as a list of indices."""
    return [index(k, size, what) for k in listed(values, f"the {what}s are", "a list of indices")]


def size_text(shape: Shape) -> str:
    """A shape in words."""
    return f"a {shape[0]} x {shape[1]} matrix"
