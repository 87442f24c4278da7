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


def saturate(coefficients: Sequence[Any]) -> tuple[int, Any]:
    """(how often the variable was divided out, constant matrix), from A_0 + A_1 x + ...

    The constant matrix has full row rank, or the known orders were too few to reach it.

    >>> valuation, constant = saturate([flint.fmpq_mat(2, 2, [1, 1, 1, 1]),
    ...                                 flint.fmpq_mat(2, 2, [0, 0, 0, 3])])
    >>> valuation, constant.det()
    (1, 3)
    """
    known = [flint.fmpq_mat(a) for a in coefficients]
    height, width = known[0].nrows(), known[0].ncols()
    divided = [0] * height
    while True:
        # Rows divided often come last: a combination then is known as well as its last row.
        order = sorted(range(height), key=lambda i: divided[i])
        turned = flint.fmpq_mat(
            width, height, [known[0][i, j] for j in range(width) for i in order]
        )
        relations = QQ.nullspace(turned, (width, height))
        last = [order[max(k for k, c in enumerate(v) if c != 0)] for v in relations]
        if not relations or any(divided[i] + 1 == len(known) for i in last):
            return sum(divided), known[0]
        weights = flint.fmpq_mat(len(last), height)
        for k, vector in enumerate(relations):
            for i, c in zip(order, vector, strict=True):
                weights[k, i] = fmpq(c)
        combined = [weights * a for a in known[1:]]
        for k, i in enumerate(last):
            divided[i] += 1
            for j in range(width):
                for n, a in enumerate(combined):
                    known[n][i, j] = a[k, j]
                known[-1][i, j] = 0  # unknown; `divided` says so
