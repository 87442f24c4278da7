"""Products of Schur functions by lattice words: one strip for each letter, row by row.

A tableau of Littlewood and Richardson adds the strip of its first letter to a shape, then that of
the second and so on; the lattice rule compares each strip with the last one only. So states that
agree in their shape and their last strip are counted together, and all states grow at once as the
columns of one array. The `lrcalc` package (`pip install 'symbench[lrcalc]'`) lists the tableaux
one after the other in C, which is faster where there are few: it is asked there if it is
installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, starmap
from math import prod
from operator import gt, sub
from types import ModuleType

from symbench.errors import TooLarge
from symbench.exact.arrays import Array, Integers, np
from symbench.young.partition import Parts, conjugate

FEW = 3_000_000  # tableaux that lrcalc lists in about 0.1 s; its counts are C ints, 700 times this
SURELY_FEW = 40  # products of this many cells have fewer
MANY = 10**10  # the bound of `_at_most` up to which one coefficient is counted by lrcalc
# The squares of the coefficients of a product add up to at most binomial(n, n / 2), n its size.
SURELY_NOT_MANY = 68
LARGEST = 50_000_000  # states times rows in one step: 2 GB and a few seconds
WORD = 2.0**62  # sums of counts that a machine word holds for sure
MULTIPLIER = 0x9E3779B97F4A7C15  # odd: mixes the rows of a state into one key


def product(mu: Parts, nu: Parts) -> dict[Parts, int]:
    """The shapes of the product and their multiplicities."""
    if (lrcalc := _lrcalc()) is not None and _has_few(mu, nu):
        found: dict[Parts, int] = lrcalc.mult(list(mu), list(nu))
        return found
    return strips(mu, nu)


def coefficient(lam: Parts, mu: Parts, nu: Parts) -> int:
    """The multiplicity of lam in the product of the others; sizes must agree."""
    if len(mu) > len(lam) or len(nu) > len(lam):
        return 0
    if any(map(gt, mu, lam)) or any(map(gt, nu, lam)):
        return 0
    lrcalc = _lrcalc() if lam[:1] < (2**15,) else None
    if lrcalc and (sum(lam) <= SURELY_NOT_MANY or _at_most(lam, mu, nu) <= MANY):
        # A long long counts here, so no value below the bounds overflows.
        return int(lrcalc.lrcoef(list(lam), list(mu), list(nu)))
    return strips(mu, nu, lam).get(lam, 0)


@cache
def _lrcalc() -> ModuleType | None:
    try:
        import lrcalc
    except ImportError:
        return None
    module: ModuleType = lrcalc
    return module


def _at_most(lam: Parts, mu: Parts, nu: Parts) -> int:
    """A bound for the coefficient: dim mu dim nu / dim lam over GL_m, with lam of m rows."""
    rows = len(lam)

    def differences(parts: Parts) -> Iterator[int]:
        beads = map(sub, (*parts, *[0] * (rows - len(parts))), range(rows))
        return starmap(sub, combinations(beads, 2))

    above = prod(differences(mu)) * prod(differences(nu))
    return above // (prod(differences(lam)) * prod(differences(())))


def _has_few(mu: Parts, nu: Parts) -> bool:
    """Whether lrcalc answers at once: it lists all tableaux and cannot be interrupted."""
    cells = sum(mu) + sum(nu)
    return cells <= SURELY_FEW or (cells < 2**15 and _Filling(mu, nu, sample=60).tableaux <= FEW)


def strips(mu: Parts, nu: Parts, lam: Parts | None = None) -> dict[Parts, int]:
    """The product, or its part at lam, by strips of letters; TooLarge says what it would take."""
    rows, columns = min(len(mu), len(nu)), min(mu[0], nu[0]) if mu and nu else 0
    if columns < rows:
        # Columns in place of rows: fewer letters.
        mu, nu, lam = conjugate(mu), conjugate(nu), None if lam is None else conjugate(lam)
    if len(mu) < len(nu):
        mu, nu = nu, mu
    filled = _Filling(mu, nu, lam)
    found: dict[Parts, int] = {}
    for column, count in zip(filled.shapes.T.tolist(), filled.counts.tolist(), strict=True):
        shape = tuple(filter(None, column))
        shape = conjugate(shape) if columns < rows else shape
        found[shape] = found.get(shape, 0) + count
    return found


class _Filling:
    """All states after the last letter; with `sample`, about that many drawn after each letter.

    `shapes` has a column for each state, `counts` the number of tableaux that lead to it. The
    number of all tableaux in `tableaux` is an estimate if states were drawn.
    """

    def __init__(
        self, mu: Parts, nu: Parts, lam: Parts | None = None, *, sample: int | None = None
    ) -> None:
        rows = len(lam) if lam is not None else len(mu) + len(nu)
        small = sum(mu) + sum(nu) < 2**15
        self.lam, self.rows = lam, rows
        self.shapes = np.zeros((rows, 1), dtype=np.int16 if small else np.int64)
        self.shapes[: len(mu), 0] = mu
        self.last = np.zeros_like(self.shapes)
        self.counts: Array = np.ones(1, dtype=np.int64)
        share = 1.0
        random = np.random.default_rng(0) if sample else None
        for letter, size in enumerate(nu):
            later = len(nu) - letter - 1
            parents, strip = self._strips(letter, size, later, min(rows, len(mu) + letter + 1))
            self._merge(self.shapes[:, parents] + strip, strip, self.counts[parents], not later)
            states = len(self.counts)
            if random is not None and sample is not None and states > sample:
                drawn = random.choice(states, sample, replace=False)
                self.shapes, self.last = self.shapes[:, drawn], self.last[:, drawn]
                self.counts, share = self.counts[drawn], share * (states / sample)
        self.tableaux = float(self.counts.sum(dtype=float)) * share

    def _strips(self, letter: int, size: int, later: int, top: int) -> tuple[Integers, Array]:
        """All strips of a letter on all states: the state each grows from, its cells by row."""
        shapes, lam = self.shapes, self.lam
        parents = np.arange(shapes.shape[1])
        left = np.full(len(parents), size, dtype=shapes.dtype)
        # How many more of the last letter than of this one stand above the row.
        ahead = np.zeros_like(left)
        chosen: list[Array] = []
        for row in range(top):
            here = shapes[row, parents]
            # At least what does not fit below, at most what fits under the row above.
            least = left - (here - shapes[top - 1, parents])
            most = left if row == 0 else np.minimum(left, shapes[row - 1, parents] - here)
            if letter:
                most = np.minimum(most, ahead)
            if lam is not None:
                # Later strips add at most one cell to a column.
                low = lam[row + later] if row + later < len(lam) else 0
                least = np.maximum(least, low - here)
                most = np.minimum(most, lam[row] - here)
            least = np.maximum(least, 0)
            ways = np.maximum(most - least + 1, 0).astype(np.int64)
            if (states := int(ways.sum())) * self.rows > LARGEST:
                raise TooLarge(
                    f"strip {letter + 1} leads to more than {states} states "
                    f"({states * self.rows * 4e-8:.2g} GB, {states * self.rows / 3e7:.2g} s for "
                    "this step): give smaller shapes, or ask for one coefficient"
                )
            grown = np.repeat(np.arange(len(ways)), ways)
            first = np.repeat(least - (np.cumsum(ways) - ways), ways)
            taken = (np.arange(len(grown)) + first).astype(shapes.dtype)
            parents, left = parents[grown], left[grown] - taken
            chosen = [cells[grown] for cells in chosen]
            chosen.append(taken)
            if letter:
                ahead = ahead[grown] - taken + self.last[row, parents]
        strip = np.zeros((self.rows, len(parents)), dtype=shapes.dtype)
        strip[:top] = chosen
        return parents, strip

    def _merge(self, shapes: Array, strip: Array, counts: Array, final: bool) -> None:
        """Equal states become one; after the last letter only the shapes matter."""
        states = shapes if final else np.concatenate([shapes, strip])
        key = np.zeros(states.shape[1], dtype=np.uint64)
        for row in states:
            key = (key + row.astype(np.uint64)) * np.uint64(MULTIPLIER)
            key ^= key >> np.uint64(29)
        order = np.argsort(key)
        states, counts = states[:, order], counts[order]
        # Where different states share a key, equal ones may stay apart: `strips` adds them up.
        first = np.ones(len(order), dtype=bool)
        first[1:] = (states[:, 1:] != states[:, :-1]).any(axis=0)
        if counts.sum(dtype=float) > WORD:
            counts = counts.astype(object)
        starts = np.flatnonzero(first)
        self.counts = np.add.reduceat(counts, starts) if len(starts) else counts
        self.shapes, self.last = states[: self.rows, starts], strip[:, order[starts]]
