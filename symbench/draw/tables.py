"""Tables of text."""

from __future__ import annotations


def columns_text(rows: list[list[str]]) -> str:
    """Rows of texts as a table with aligned columns.

    >>> print(columns_text([["a", "b"], ["10", "2"]]))
    a   b
    10  2
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
