"""The natural (Specht) form: integer matrices in the basis of standard polytabloids.

The polytabloid of t is the signed sum of the tabloids of t with its columns permuted. Standard
polytabloids are unitriangular on standard tabloids, so g e_t is read off on these alone and
written in the basis by forward substitution; no Garnir relations are needed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from symbench.young.partition import trusted
from symbench.young.seminormal import structure
from symbench.young.shapes import conjugate
from symbench.young.tableaux import StandardTableaux

if TYPE_CHECKING:
    from symbench.young.permutation import Permutation

Parts = tuple[int, ...]


@lru_cache(maxsize=64)
def _entries(parts: Parts) -> Any:
    return StandardTableaux(trusted(parts)).array()


def polytabloids(parts: Parts, images: tuple[int, ...]) -> Any:
    """The coefficients of the standard tabloids (rows) in the g e_t, t standard (columns)."""
    import numpy as np

    rows_of = structure(parts).words.astype(np.int8)
    moved = np.array((0, *images))[_entries(parts)] - 1
    offsets = np.concatenate([[0], np.cumsum(parts)]).astype(int)
    found = np.ones((len(rows_of), len(rows_of)), dtype=np.int8)
    for column, length in enumerate(conjugate(parts)):
        if length == 1:
            continue  # what is left over is in the first row of itself
        rows = [rows_of[:, moved[:, offsets[i] + column]] for i in range(length)]
        for j, lower in enumerate(rows):
            found *= lower < length
            for upper in rows[:j]:
                found *= np.sign(lower - upper)
    return found


@lru_cache(maxsize=64)
def _triangle(parts: Parts) -> list[tuple[Any, Any]]:
    """Row by row, where the standard polytabloids have coefficients below the diagonal."""
    import numpy as np

    coefficients = polytabloids(parts, tuple(range(1, sum(parts) + 1)))
    found = []
    for k, row in enumerate(coefficients):
        places = np.nonzero(row[:k])[0]
        found.append((places, row[places].astype(np.int64)))
    return found


def natural(parts: Parts, permutation: Permutation) -> Any:
    """The integer matrix of a permutation on standard polytabloids, as an array."""
    import numpy as np

    result: Any = polytabloids(parts, permutation.images).astype(np.int64)
    largest = 1
    for k, (places, values) in enumerate(_triangle(parts)):
        if not len(places):
            continue
        bound = int(np.abs(values).sum()) * largest + 1
        if bound >= 2**62 and result.dtype != object:
            result = result.astype(object)
        result[k] -= values @ result[places]
        largest = max(largest, int(np.abs(result[k]).max()))
    return result
