"""How a matrix prints: a repr that can be typed back when small, and never more than a screen."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from symbench.exact.dense import QQ, ZZ, PrimeField
from symbench.exact.latex import cut_formula, in_latex
from symbench.exact.rational import number_text

if TYPE_CHECKING:
    from symbench.exact.matrix import Matrix

_WIDTH, _LINES, _CELL = 88, 12, 24


def repr_text(matrix: Matrix) -> str:
    """`Matrix([[...]])` that evaluates to the matrix if it is small, else size and a corner."""
    rows, columns = matrix.shape
    typed = matrix.ring in (ZZ, QQ) or isinstance(matrix.ring, PrimeField)
    if typed and rows and columns and rows <= _LINES and columns <= _WIDTH // 3:
        body = ",\n        ".join(
            "[" + ", ".join(_literal(x) for x in row) + "]" for row in matrix.rows
        )
        text = f"Matrix([{body}]{_ring_argument(matrix)})"
        if all(len(line) <= _WIDTH for line in text.splitlines()):
            return text
    head = f"<{rows} x {columns} matrix over {matrix.ring!r}>"
    if len(head) > _WIDTH:
        head = f"{head[: _WIDTH - 4]}...>"
    return f"{head}\n{grid_text(matrix)}" if rows and columns else head


def _literal(value: Any) -> str:
    text = number_text(value)
    return f"'{text}'" if "/" in text else text


def _ring_argument(matrix: Matrix) -> str:
    """What must be said beside the rows so that the ring comes out the same."""
    fractions = any("/" in number_text(x) for row in matrix.rows for x in row)
    inferred = QQ if fractions else ZZ
    return "" if matrix.ring == inferred else f", {matrix.ring!r}"


def _window(size: int, limit: int) -> list[int | None]:
    """The indices shown, None where some are left out."""
    if size <= limit:
        return list(range(size))
    head = (limit - 1) // 2 + (limit - 1) % 2
    return [*range(head), None, *range(size - (limit - 1 - head), size)]


def _cells(matrix: Matrix, lines: int, columns: int, write: Any, gap: str) -> list[list[str]]:
    return [
        [gap if i is None or j is None else write(i, j) for j in _window(matrix.shape[1], columns)]
        for i in _window(matrix.shape[0], lines)
    ]


def grid_text(matrix: Matrix) -> str:
    """The entries in columns, dots for what does not fit."""

    @lru_cache(maxsize=_LINES * _WIDTH)  # asked for again at every number of columns
    def short(i: int, j: int) -> str:
        text = matrix.ring.text(matrix[i, j])
        return text if len(text) <= _CELL else f"{text[: _CELL - 9]}..{text[-7:]}"

    if not matrix.shape[0] or not matrix.shape[1]:
        return f"[{matrix.shape[0]} x {matrix.shape[1]}]"
    # Two columns of _CELL characters always fit.
    for columns in range(max(2, min(matrix.shape[1], _WIDTH // 3)), 1, -1):
        cells = _cells(matrix, _LINES, columns, short, "..")
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        if sum(widths) + 2 * len(widths) + 2 <= _WIDTH:
            break
    lines = []
    for row in cells:
        padded = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"[ {padded.rstrip()}]")
    return "\n".join(lines)


def latex_text(matrix: Matrix) -> str:
    """A pmatrix, with dots where it would not fit on a page."""

    def short(i: int, j: int) -> str:
        return in_latex(cut_formula(matrix.ring.text(matrix[i, j]), 4 * _CELL))

    cells = _cells(matrix, 10, 10, short, r"\cdots")
    body = r" \\ ".join(" & ".join(row) for row in cells)
    return rf"$\begin{{pmatrix}} {body} \end{{pmatrix}}$"
