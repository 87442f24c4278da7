"""The one table of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def columns_text(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """The rows as a table with aligned columns; the columns in `right` are aligned to the right."""
    columns = []
    for number, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        aligned = str.rjust if number in right else str.ljust
        columns.append([aligned(cell, width) for cell in column])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))
