"""Matrices of power series over the rationals, saturated until the constant term has full rank.

A row combination whose constant term vanishes is divided by the variable; a determinant loses
one order each time and keeps its leading coefficient. What was known of a row modulo x^n is
then known modulo x^(n-1), and a row whose constant term is unknown ends the attempt.
Everything is rational: no prime decides how large an unknown coefficient may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint

from symbench.exact.dense import QQ
from symbench.exact.rational import fmpq

# Row i of a polynomial matrix: the coefficients of each power that occurs.
FrameRow = dict[int, list[flint.fmpq]]


def saturate(coefficients: Sequence[Any]) -> tuple[list[int], list[FrameRow], Any]:
    """(orders, frame, constant matrix), from A = A_0 + A_1 x + ...

    Row i of frame A begins at x^orders[i], and the matrix of these first coefficients is the
    constant one. It has full row rank, or the known orders were too few to reach it.

    >>> orders, frame, constant = saturate([flint.fmpq_mat(2, 2, [1, 1, 1, 1]),
    ...                                     flint.fmpq_mat(2, 2, [0, 0, 0, 3])])
    >>> orders, frame, constant.det()
    ([0, 1], [{0: [1, 0]}, {0: [-1, 1]}], 3)
    """
    known = [flint.fmpq_mat(a) for a in coefficients]
    height, width = known[0].nrows(), known[0].ncols()
    divided = [0] * height
    frame: list[FrameRow] = [
        {0: [flint.fmpq(int(i == j)) for j in range(height)]} for i in range(height)
    ]
    while True:
        # Rows divided often come last: a combination then is known as well as its last row.
        order = sorted(range(height), key=lambda i: divided[i])
        turned = flint.fmpq_mat(
            width, height, [known[0][i, j] for j in range(width) for i in order]
        )
        relations = QQ.nullspace(turned, (width, height))
        last = [order[max(k for k, c in enumerate(v) if c != 0)] for v in relations]
        if not relations or any(divided[i] + 1 == len(known) for i in last):
            return divided, frame, known[0]
        weights = flint.fmpq_mat(len(last), height)
        for k, vector in enumerate(relations):
            for i, c in zip(order, vector, strict=True):
                weights[k, i] = fmpq(c)
        combined = [weights * a for a in known[1:]]
        framed = [_combine(weights, k, frame, divided, i) for k, i in enumerate(last)]
        for k, i in enumerate(last):
            frame[i] = framed[k]
            for j in range(width):
                for n, a in enumerate(combined):
                    known[n][i, j] = a[k, j]
                known[-1][i, j] = 0  # unknown; `divided` says so
        for i in last:
            divided[i] += 1


def _combine(
    weights: Any, k: int, frame: list[FrameRow], divided: list[int], last: int
) -> FrameRow:
    """The frame of a combination of rows that were divided at most as often as its last."""
    found: FrameRow = {}
    for i, row in enumerate(frame):
        weight = weights[k, i]
        if weight != 0:
            for power, values in row.items():
                place = power + divided[last] - divided[i]
                known = found.setdefault(place, [flint.fmpq(0)] * len(values))
                found[place] = [a + weight * b for a, b in zip(known, values, strict=True)]
    return found
