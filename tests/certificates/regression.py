"""What a certificate of a ridge prediction says, decided from plain data by solving the system.

The whole kernel matrix is written down and solved by elimination; the weights are not looked at.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def _rows(stored: Any) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in stored["rows"]]


def solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The solution by elimination, None where the matrix is singular."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def is_true(fields: Any, stored: Any, statement: str | None = None) -> bool:
    """Whether ridge regression with this kernel predicts the number."""
    N, n = _rows(stored), len(fields["patterns"])
    at, ridge = [int(p) for p in fields["patterns"]], Fraction(fields["ridge"])
    own, column, labels = (
        [x for (x,) in _rows(fields[name])] for name in ("own", "column", "labels")
    )
    if not n or any(not 0 <= p < len(N) for p in at) or ridge < 0:
        return False
    K = [[N[p][q] for q in at] + [column[p]] for p in at]
    for i, p in enumerate(at):
        K[i][i] = own[p]
    for i, j, value in _rows(fields["meetings"]) if "meetings" in fields else ():
        K[int(i)][int(j)] = value
        if j < n:
            K[int(j)][int(i)] = value
    system = [[x + (ridge if i == j else 0) for j, x in enumerate(K[i][:n])] for i in range(n)]
    dual = solved(system, labels)
    if dual is None:
        return False
    found = sum((c * row[n] for c, row in zip(dual, K, strict=True)), Fraction(0))
    told = f"ridge regression on {n} strings with {len(N)} patterns and ridge {fields['ridge']}"
    said = statement is None or statement == f"{told} predicts {fields['prediction']}"
    return said and found == Fraction(fields["prediction"])
