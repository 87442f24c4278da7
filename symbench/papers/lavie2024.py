"""Claims of lavie2024, "Towards understanding inductive bias in transformers".

arXiv 2402.05173, and its poster.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

from symbench.registry import Fails, NearMiss, claim


def _standard_tableaux(first: int, second: int) -> int:
    """How many standard tableaux have rows of these lengths, by filling in the largest entry."""
    if second > first or second < 0:
        return 0
    counts = [1] * (first + 1)  # rows (a, 0)
    for b in range(1, second + 1):
        below = counts
        counts = [0] * (first + 1)
        for a in range(b, first + 1):
            counts[a] = below[a] + (counts[a - 1] if a > b else 0)
    return counts[first]


def _two_rows(max_length: int = 24) -> Iterator[tuple[int, int]]:
    """All (L, m) with 0 <= 2m <= L <= max_length."""
    for length in range(1, max_length + 1):
        for m in range(length // 2 + 1):
            yield length, m


def _two_row_strategy() -> Any:
    from hypothesis import strategies as st

    return st.integers(1, 200).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(0, n // 2)),
    )


def _without_subtraction(case: tuple[int, int]) -> bool:
    length, m = case
    return comb(length, m) == _standard_tableaux(length - m, m)


@claim(
    "lavie2024.dimension",
    source="Section on the irreps of S_L, dim of (L-m, m); poster, Theorem",
    category="count",
    cases=_two_rows,
    boundary=(2, 1),
    strategy=_two_row_strategy,
    near_misses=[
        NearMiss("m beyond L/2: not a partition", (2, 2)),
        NearMiss("without the subtraction: dim = C(L, m)", (2, 1), _without_subtraction),
    ],
)
def dimension(case: tuple[int, int]) -> bool | Fails:
    r"""The irrep $(L-m, m)$ of $S_L$, $0 \le m \le L/2$, has dimension
    $\binom{L}{m} - \binom{L}{m-1}$: that many standard Young tableaux have this shape.
    """
    length, m = case
    formula = comb(length, m) - (comb(length, m - 1) if m else 0)
    count = _standard_tableaux(length - m, m)
    return formula == count or Fails(f"the formula gives {formula}, there are {count} tableaux")
