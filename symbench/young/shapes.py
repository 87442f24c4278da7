"""Diagrams as bare tuples of row lengths: the inner loops of this room.

Nothing here checks anything; `Partition` is the face of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import factorial, prod

from flint import fmpz

from symbench._arguments import shown
from symbench.errors import TooLarge
from symbench.young._check import WORD


def conjugate(parts: tuple[int, ...]) -> tuple[int, ...]:
    """The column lengths of the diagram with these rows."""
    columns: list[int] = []
    for i in range(len(parts) - 1, -1, -1):
        columns.extend([i + 1] * (parts[i] - len(columns)))
    return tuple(columns)


def corner_rows(parts: tuple[int, ...]) -> tuple[int, ...]:
    """The rows, counted from 0, that end in a removable cell."""
    last = len(parts) - 1
    return tuple(i for i, part in enumerate(parts) if i == last or part > parts[i + 1])


def remove(parts: tuple[int, ...], row: int) -> tuple[int, ...]:
    """The parts after the last cell of a corner row is gone."""
    if parts[row] == 1:
        return parts[:row]
    return (*parts[:row], parts[row] - 1, *parts[row + 1 :])


def betas(parts: Sequence[int]) -> list[int]:
    """The first-column hook lengths: the beads of the abacus, largest first."""
    rows = len(parts)
    return [part + rows - 1 - i for i, part in enumerate(parts)]


def from_betas(beads: Sequence[int]) -> tuple[int, ...]:
    """The partition with these beads, largest first."""
    rows = len(beads)
    return tuple(part for i, bead in enumerate(beads) if (part := bead - rows + 1 + i) > 0)


@lru_cache(maxsize=1 << 17)
def dimension(parts: tuple[int, ...]) -> int:
    """The number of standard tableaux."""
    if not parts:
        return 1
    if len(parts) > parts[0]:
        parts = conjugate(parts)
    return beta_dim(betas(parts))


def beta_dim(beads: Sequence[int]) -> int:
    """The dimension from beads l (largest first): n! prod (l_i - l_j) / prod l_i!, by Frobenius.

    n!/l_1! is taken as a binomial, so a long first row costs nothing.
    """
    rows = len(beads)
    size = sum(beads) - rows * (rows - 1) // 2
    if size < 150:
        top = factorial(size)
        for i, bead in enumerate(beads):
            top *= prod(bead - other for other in beads[i + 1 :])
        return top // prod(factorial(bead) for bead in beads)
    rest = size - beads[0]
    if size >= WORD and rest < 1000:  # too long for a machine word: few factors, of any length
        top = prod(range(beads[0] + 1, size + 1))
        for i, bead in enumerate(beads):
            top *= prod(bead - other for other in beads[i + 1 :])
        return top // prod(factorial(bead) for bead in beads[1:])
    if size >= WORD or rest > 10**8:
        raise TooLarge(
            f"the dimension of a partition of {shown(size)} with {shown(rest)} cells "
            "outside its longest hook has more digits than fit in memory; ask for a smaller one, "
            "or for its hooks"
        )
    if rows == 2:  # binomial(L, m) (L - 2m + 1) / (L - m + 1): no factorials at all
        first, second = beads[0] - 1, beads[1]
        return int(fmpz.bin_uiui(size, second) * (first - second + 1) // (first + 1))
    top = fmpz.bin_uiui(size, rest) * fmpz.fac_ui(rest)
    bottom = fmpz(1)
    for i, bead in enumerate(beads):
        for other in beads[i + 1 :]:
            top *= bead - other
        if i:
            bottom *= fmpz.fac_ui(bead)
    return int(top // bottom)
