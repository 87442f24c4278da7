"""The blocks of an invariant kernel on binary words, in closed form.

Take m disjoint pairs of positions (a, b) and the function that is 0 unless x has weight j and
tells each pair apart, and otherwise the product of x_a - x_b. Under permutations it spans S^(L-m,m)
for each weight j = m, ..., L - m. At a word of weight i with every pair (1, 0), the operator gives

    B^(m)_ij = sum_s C(i-m, s) C(L-m-i, j-m-s) (D^m k_ij)(s)

times the probability of a word of weight j, where k_ij(t) is the kernel at words of weights i, j
with t common ones, and D the forward difference in t: each pair of y agrees with the pair of x,
which counts one more common one, or is its opposite, with the sign -1. So a kernel of degree d in t
has no block with m > d.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import flint

from symbench.kernels.tables import Table
from symbench.young import Partition


def binary_blocks(
    length: int,
    value: Callable[[Table], flint.fmpq],
    *,
    symmetric: bool = True,
) -> dict[Partition, Any]:
    """The block of each (L - m, m) without a law, rows and columns for the weights: p_j is 1.

    For a kernel that is symmetric only half of the entries are computed.

    >>> def matches(table):
    ...     return flint.fmpq(table[0][0] + table[1][1])
    >>> {str(shape): block.table() for shape, block in binary_blocks(2, matches).items()}
    {'2': [[2, 2, 0], [1, 2, 1], [0, 2, 2]], '1+1': [[2]]}
    """
    L = length
    differences = _kernel_values(L, value, symmetric)
    blocks = {}
    for m in range(L // 2 + 1):
        size = L - 2 * m + 1
        choose = [_row_of_pascal(n) for n in range(size)]
        rows = [[flint.fmpq(0)] * size for _ in range(size)]
        for (i, j), values in differences.items():
            low = max(0, i + j - L)
            # Words with i - m ones, among the L - 2m positions outside of the pairs.
            ones, zeros = choose[i - m], choose[L - m - i]
            total = sum(
                (ones[s] * zeros[j - m - s] * v for s, v in enumerate(values, low) if v),
                flint.fmpq(0),
            )
            if total == 0:
                continue
            rows[i - m][j - m] = total
            if symmetric and i != j:
                # C(n, i) words of weight i see as much of weight j as the other way round.
                ratio = flint.fmpq(choose[size - 1][i - m], choose[size - 1][j - m])
                rows[j - m][i - m] = total * ratio
        blocks[Partition(L - m, m)] = flint.fmpq_mat(rows)
        following = {
            (i, j): [b - a for a, b in pairwise(values)]
            for (i, j), values in differences.items()
            if m < min(i, j) and max(i, j) < L - m
        }
        # Where a difference vanishes, so do all that follow.
        differences = {place: values for place, values in following.items() if any(values)}
    return blocks


def _kernel_values(
    L: int, value: Callable[[Table], flint.fmpq], symmetric: bool
) -> dict[tuple[int, int], list[flint.fmpq]]:
    """k_ij(t) for all t that occur; for i <= j only, if that is enough."""
    return {
        (i, j): [
            value(((L - i - j + t, j - t), (i - t, t)))
            for t in range(max(0, i + j - L), min(i, j) + 1)
        ]
        for i in range(L + 1)
        for j in range(i if symmetric else 0, L + 1)
    }


def _row_of_pascal(n: int) -> list[int]:
    row = [1]
    for k in range(n):
        row.append(row[-1] * (n - k) // (k + 1))
    return row
