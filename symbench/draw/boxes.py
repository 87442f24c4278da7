"""Left-aligned rows of boxes: Young diagrams, tableaux, small tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from symbench.errors import BadType

SIDE = 26


def check_rows(rows: object) -> None:
    """Raise unless rows is a sequence of sequences of labels; None stands for no label."""
    problem = f"{rows!r} cannot be drawn: expected rows of labels, each a str"
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise BadType(problem)
    for row in rows:
        if not isinstance(row, Sequence) or isinstance(row, str):
            raise BadType(problem)
        if not all(label is None or isinstance(label, str) for label in row):
            raise BadType(problem)


def boxes_text(rows: Sequence[Sequence[str]]) -> str:
    """Labels in columns of one width, row by row.

    >>> print(boxes_text([["1", "10"], ["2"]]))
     1 10
     2
    """
    check_rows(rows)
    width = max((len(label) for row in rows for label in row), default=0)
    return "\n".join(" ".join(label.rjust(width) for label in row) for row in rows)


def boxes_svg(rows: Sequence[Sequence[str | None]]) -> str:
    """Boxes with labels as one SVG picture; None leaves the place empty.

    >>> boxes_svg([["1"]]).startswith("<svg")
    True
    """
    check_rows(rows)
    drawn = []
    for i, row in enumerate(rows):
        for j, label in enumerate(row):
            if label is None:
                continue
            x, y = 1 + j * SIDE, 1 + i * SIDE
            drawn.append(
                f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="none" stroke="black"/>'
            )
            if label:
                drawn.append(text(x + SIDE // 2, y + SIDE // 2, label))
    width = 2 + SIDE * max(map(len, rows), default=0)
    return svg(width, 2 + SIDE * len(rows), drawn)


def text(x: float, y: float, label: str) -> str:
    """A centred label."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="serif" font-size="13" text-anchor="middle" '
        f'dominant-baseline="central">{escape(label)}</text>'
    )


def svg(width: float, height: float, drawn: Sequence[str]) -> str:
    """The frame around the elements of a picture."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">'
    )
    return head + "".join(drawn) + "</svg>"
