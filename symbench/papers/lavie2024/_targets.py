"""Cases that speak of a polynomial in signs, or of a shape (L-m, m) of two rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symbench.papers._cases import integer, many, number, record

Terms = tuple[tuple[tuple[int, ...], int], ...]


def is_polynomial(value: Any) -> bool:
    """Whether these are the terms of a polynomial in signs: (positions, coefficient), each once.

    >>> is_polynomial((((1, 2), 3), ((), -1))), is_polynomial((((1, 1), 1),))
    (True, False)
    """
    if not many(record(many(integer(1), 0), number()))(value):
        return False
    places = [tuple(sorted(term)) for term, _ in value]
    return len(set(places)) == len(places) and all(len(set(p)) == len(p) for p in places)


def positions(terms: tuple[tuple[tuple[int, ...], Any], ...]) -> int:
    """The last position that a polynomial reads, 0 for a constant."""
    return max((a for term, _ in terms for a in term), default=0)


def two_rows(max_length: int, most: int | None = None) -> Iterator[tuple[int, int]]:
    """All (L, m) with 0 <= 2m <= L <= max_length, m up to a bound if there is one."""
    for length in range(1, max_length + 1):
        for m in range(min(length // 2, length if most is None else most) + 1):
            yield length, m


is_two_rows = record(integer(1), integer(0), where=lambda length, m: 2 * m <= length)
# The same with a constant C of a bound.
is_two_rows_bound = record(
    integer(1), integer(0), integer(1), where=lambda length, m, _: 2 * m <= length
)
