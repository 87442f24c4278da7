"""The blocks of an invariant kernel on binary words, in closed form.

Take m disjoint pairs of positions (a, b) and the function that is 0 unless x has weight j and
tells each pair apart, and otherwise the product of x_a - x_b. Under permutations it spans S^(L-m,m)
for each weight j = m, ..., L - m. At a word of weight i with every pair (1, 0), the operator gives

    B^(m)_ij = sum_s C(i-m, s) C(L-m-i, j-m-s) (D^m k_ij)(s)

times the probability of a word of weight j, where k_ij(t) is the kernel at words of weights i, j
with t common ones, and D the forward difference in t: each pair of y agrees with the pair of x,
which counts one more common one, or is its opposite, with the sign -1. So a kernel of degree d in t
has no block with m > d.

Written by its differences at the least t, in binomials of t, the kernel turns the sum into one term
for each difference (Vandermonde): a kernel of low degree has few, whatever the length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flint

from symbench.draw.progress import progress
from symbench.exact.arrays import Integers, np
from symbench.young import Partition

# From an array of tables, one after the other, to the values as integers over one denominator.
Values = Callable[[Integers], tuple[Any, int]]


def binary_blocks(
    length: int,
    values: Values,
    *,
    symmetric: bool = True,
) -> dict[Partition, Any]:
    """The block of each (L - m, m) without a law, rows and columns for the weights: p_j is 1.

    For a kernel that is symmetric only half of the entries are computed.

    >>> def matches(tables):
    ...     return tables[:, 0, 0] + tables[:, 1, 1], 1
    >>> {str(shape): block.table() for shape, block in binary_blocks(2, matches).items()}
    {'2': [[2, 2, 0], [1, 2, 1], [0, 2, 2]], '1+1': [[2]]}
    """
    L = length
    differences, denominator = _differences(L, values, symmetric)
    choose = [_row_of_pascal(n) for n in range(L + 1)]
    blocks = {}
    with progress(f"blocks of length {L}", sum((n + 1) ** 2 for n in range(L, -1, -2))) as report:
        for m in range(L // 2 + 1):
            blocks[Partition(L - m, m)] = _block(L, m, differences, choose, symmetric, denominator)
            # Where a difference vanishes, so do all that follow.
            differences = {
                (i, j): known
                for (i, j), known in differences.items()
                if m < min(i, j) and max(i, j) < L - m and len(known) > m + 1
            }
            report((L - 2 * m + 1) ** 2)
    return blocks


def _block(
    L: int,
    m: int,
    differences: dict[tuple[int, int], list[int]],
    choose: list[list[int]],
    symmetric: bool,
    denominator: int,
) -> Any:
    """The block of (L - m, m), from the values' differences that are not zero from the m-th on."""
    n = L - 2 * m  # positions outside of the pairs
    rows = [[0] * (n + 1) for _ in range(n + 1)]
    for (i, j), known in differences.items():
        # Counted by common ones, or by common zeros where there must be common ones.
        a, c = (i - m, j - m) if i + j <= L else (L - m - i, L - m - j)
        total = sum(
            known[m + r] * choose[a][r] * choose[n - r][c - r]
            for r in range(min(len(known) - m, a + 1, c + 1))
        )
        rows[i - m][j - m] = total
        if symmetric and i != j:
            # C(n, i) words of weight i see as much of weight j as the other way round.
            rows[j - m][i - m] = total * choose[n][i - m] // choose[n][j - m]
    return flint.fmpq_mat(flint.fmpz_mat(rows)) / denominator


def _differences(
    L: int, values: Values, symmetric: bool
) -> tuple[dict[tuple[int, int], list[int]], int]:
    """k_ij and its differences at the least t, times a denominator; i <= j, if that is enough."""
    places = [(i, j) for i in range(L + 1) for j in range(i if symmetric else 0, L + 1)]
    common = [np.arange(max(0, i + j - L), min(i, j) + 1) for i, j in places]
    counts = [len(t) for t in common]
    i, j = np.repeat(np.array(places), counts, axis=0).T
    t = np.concatenate(common)
    tables = np.stack([L - i - j + t, j - t, i - t, t], axis=1).reshape(-1, 2, 2)
    found, denominator = values(tables)
    bits = int(max(found.max(), -found.min())).bit_length()
    parts = np.split(found, np.cumsum(counts)[:-1])
    return {
        place: _at_first(part, bits) for place, part in zip(places, parts, strict=True)
    }, denominator


def _at_first(values: Any, bits: int) -> list[int]:
    """The first value and its differences, up to the last that is not zero for all values."""
    found: list[int] = []
    while values.any():
        found.append(int(values[0]))
        if bits + len(found) > 62:
            values = values.astype(object)
        values = values[1:] - values[:-1]
    return found


def _row_of_pascal(n: int) -> list[int]:
    row = [1]
    for k in range(n):
        row.append(row[-1] * (n - k) // (k + 1))
    return row
