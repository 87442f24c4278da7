"""Products of irreducibles: Kostka numbers, Pieri, Littlewood-Richardson, Kronecker.

Results are dictionaries from partitions to positive multiplicities, in the order of
`partitions(n)`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from symbench._arguments import integer, integers, shown
from symbench.draw.progress import progress
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Array, Integers, np
from symbench.young import bulk, lattice_words
from symbench.young.characters import ClassFunction
from symbench.young.partition import (
    Multiplicities,
    Partition,
    Parts,
    as_partition,
    conjugate,
    dimension,
    same_size,
    trusted,
)

FEW_SHAPES = 100  # inside one, up to which all steps are one dense matrix
MOST_ENTRIES = 20_000_000  # of the array of all shapes inside one: 160 MB
MOST_STEPS = 10**11  # comparisons of rows of two shapes, 5e8 a second
MOST_SHAPES = 1_000_000  # of a product with one row
MOST_INSIDE = 100_000  # shapes of one size inside another
MOST_PAIRS, PAIR = 10**7, 1e-4  # of shapes of a restriction, and seconds for one
WORD = 2.0**62  # sums of counts that a machine word holds for sure


def kostka(shape: Partition, weight: Sequence[int] | Partition) -> int:
    """The number of semistandard tableaux of a shape and a weight: multiplicity in M^mu.

    >>> kostka(Partition(3, 2), Partition(2, 2, 1)), kostka(Partition(3, 2), [1, 2, 2])
    (2, 2)
    >>> kostka(Partition(20, 10, 10, 10), [5] * 10)
    702864120
    """
    lam = as_partition(shape, "shape")
    mu = weight.parts if isinstance(weight, Partition) else integers(weight, "weight", at_least=0)
    if sum(mu) != lam.size:
        raise BadValue(
            f"the weight {mu} has size {sum(mu)}: give one of the size {lam.size} of {lam!r}"
        )
    sizes = tuple(sorted(filter(None, mu), reverse=True))
    if not lam.dominates(trusted(sizes)):
        return 0
    return lam.dim if sizes[:1] <= (1,) else _chains(lam.parts, sizes)


def _chains(lam: Parts, sizes: Parts) -> int:
    """The number of chains of shapes from the empty one to lam by horizontal strips."""
    rows = len(lam)
    if sum(lam) >= 1 << 62:  # sizes are numbers of 64 bits here
        raise TooLarge(f"the shape {lam} has {sum(lam)} cells: give one of fewer than 2^62")
    # All shapes below the first row, which their size decides.
    below = np.zeros((0, 1), dtype=np.int64)
    for part in lam[1:]:
        ways = (np.minimum(below[-1], part) if len(below) else np.full(1, part)) + 1
        if (states := int(ways.sum())) * rows > MOST_ENTRIES:
            raise TooLarge(f"more than {states} shapes lie inside {lam}: give a smaller shape")
        last = np.arange(states) - np.repeat(np.cumsum(ways) - ways, ways)
        below = np.concatenate([np.repeat(below, ways, axis=1), last[None]])
    if below.shape[1] <= FEW_SHAPES:
        return _dense_chains(below, sizes)
    taken = below.sum(axis=0)
    levels = [np.zeros((rows, 1), dtype=below.dtype)]
    for strip, size in enumerate(itertools.accumulate(sizes), 1):
        first = size - taken
        # Each strip that is left adds at most one cell to a column.
        low = (*lam[len(sizes) - strip :], *[0] * rows)[:rows]
        fits = (first >= low[0]) & (first <= lam[0])
        if rows > 1:
            fits &= first >= below[0]
        for row in range(1, rows):
            if strip <= row:
                fits &= below[row - 1] == 0
                break
            if low[row]:
                fits &= below[row - 1] >= low[row]
        levels.append(np.concatenate([first[None, fits], below[:, fits]]))
    steps = sum(old.size * new.shape[1] for old, new in itertools.pairwise(levels))
    if steps > MOST_STEPS:
        raise TooLarge(
            f"{steps:.2g} comparisons of shapes inside {lam} would take about {steps / 5e8:.2g} s: "
            "give a smaller shape, or fewer parts"
        )
    counts: list[int] | Array = [1]
    with progress("steps between shapes", steps) as report:
        for old, new in itertools.pairwise(levels):
            counts = _strips_between(old, new, np.asarray(counts))
            report(old.size * new.shape[1])
    return int(counts[0])


def _dense_chains(below: Integers, sizes: Parts) -> int:
    """The number of chains from the first to the last of some shapes without their first rows."""
    # All shapes lie inside this one, whose dimension bounds all counts.
    outer = (sum(sizes), *filter(None, below[:, -1].tolist()))
    counts: Array = np.zeros(below.shape[1], dtype=object if dimension(outer) > WORD else np.int64)
    counts[0] = 1
    new, old, taken = below[:, :, None], below[:, None], below.sum(axis=0)
    strips = (new >= old).all(axis=0) & (new[1:] <= old[:-1]).all(axis=0)
    cells = taken[:, None] - taken
    # A second row fits under the first one of the shape before.
    room = below[:1].sum(axis=0)[:, None] + taken
    before = 0
    for size, run in itertools.groupby(sizes):
        step = strips & (cells <= size)
        for _ in run:
            counts = (step & (room <= before)) @ counts
            before += size
    return int(counts[-1])


def _strips_between(old: Array, new: Array, counts: Array) -> Array:
    """The sum for each new shape of the counts of the old ones that it leaves by a strip."""
    if counts.dtype != object and counts.sum(dtype=float) > WORD:
        counts = counts.astype(object)
    found = []
    block = max(1, 10**7 // old.shape[1])
    for start in range(0, new.shape[1], block):
        part = new[:, start : start + block, None]
        step = part[0] >= old[0]
        for row in range(1, len(old)):
            step &= part[row] <= old[row - 1]
            step &= part[row] >= old[row]
        found.append(step @ counts)
    return np.concatenate(found)


def kostka_table(n: int) -> Integers:
    """All Kostka numbers as a read-only numpy array, rows (shapes) and columns as partitions(n).

    >>> kostka_table(3).tolist()
    [[1, 1, 1], [0, 1, 2], [0, 0, 1]]
    """
    n = integer(n, "n", at_least=0)
    bulk.check_table(n, "Kostka table", "ask for single numbers: kostka(shape, weight)")
    return bulk.table(n, bulk.horizontal_strips)


def pieri(shape: Partition, size: int, *, vertical: bool = False) -> Multiplicities:
    """The product with a row of `size` cells (or a column): one shape per strip added.

    >>> list(pieri(Partition(2, 1), 2))
    [Partition(4, 1), Partition(3, 2), Partition(3, 1, 1), Partition(2, 2, 1)]
    >>> list(pieri(Partition(2), 2, vertical=True))
    [Partition(3, 1), Partition(2, 1, 1)]
    """
    lam, size = as_partition(shape, "shape"), integer(size, "size", at_least=0)
    parts = lam.conjugate.parts if vertical else lam.parts
    found = (conjugate(p) if vertical else p for p in _strips_added(parts, size))
    return {trusted(p): 1 for p in sorted(found, reverse=True)}


def _inside(bound: Parts, size: int) -> list[Parts]:
    """The partitions of a size inside a diagram, largest first."""

    def grow(row: int, left: int, longest: int) -> Iterator[Parts]:
        if left == 0:
            yield ()
        elif row < len(bound):
            for part in range(min(left, longest, bound[row]), 0, -1):
                for rest in grow(row + 1, left - part, part):
                    yield (part, *rest)

    found = list(itertools.islice(grow(0, size, size), MOST_INSIDE + 1))
    if len(found) > MOST_INSIDE:
        raise TooLarge(
            f"more than {MOST_INSIDE:,} shapes of {size} cells lie inside {bound}: ask for single "
            "coefficients: littlewood_richardson_coefficient"
        )
    return found


def _strips_added(parts: Parts, size: int) -> list[Parts]:
    """The shapes from adding a horizontal strip of the size."""
    # Row i may grow up to the old length of row i - 1; the first takes what is left.
    room = [high - low for high, low in zip(parts, (*parts[1:], 0), strict=False)]
    if (count := _ways(room, size)) > MOST_SHAPES:
        raise TooLarge(
            f"the product has {shown(count)} shapes of up to {len(parts) + 1} rows "
            f"({float(count) * (len(parts) + 10) * 1e-8:.2g} GB): give a smaller shape, or ask for "
            "single ones: littlewood_richardson_coefficient"
        )
    partial: list[tuple[Parts, int]] = [((), size)]
    for most in room:
        partial = [
            ((*grown, cells), left - cells)
            for grown, left in partial
            for cells in range(min(most, left) + 1)
        ]
    found: list[Parts] = []
    for grown, first in partial:
        new = tuple(a + b for a, b in zip((*parts, 0), (first, *grown), strict=True))
        found.append(new if new[-1] else new[:-1])
    return found


def _ways(room: list[int], size: int) -> int:
    """In how many ways at most `size` cells fit into some rooms.

    >>> _ways([1, 2], 2), _ways([], 5), _ways([3], 2)
    (5, 1, 3)
    """
    ways = [1]  # by the number of cells
    for most in filter(None, room):
        sums = list(itertools.accumulate([*ways, *[0] * most]))[: size + 1]
        ways = [high - (sums[n - most - 1] if n > most else 0) for n, high in enumerate(sums)]
    return sum(ways)


def littlewood_richardson(first: Partition, second: Partition) -> Multiplicities:
    """The product of two Schur functions: the representation induced from S_a x S_b.

    >>> product = littlewood_richardson(Partition(2, 1), Partition(2, 1))
    >>> product[Partition(3, 2, 1)], len(product)
    (2, 7)
    """
    mu, nu = as_partition(first, "first"), as_partition(second, "second")
    found = lattice_words.product(mu.parts, nu.parts)
    return {trusted(p): found[p] for p in sorted(found, reverse=True)}


def littlewood_richardson_coefficient(outer: Partition, first: Partition, second: Partition) -> int:
    """The multiplicity of one shape in the product of two others.

    >>> from symbench.young import littlewood_richardson_coefficient as coefficient
    >>> coefficient(Partition(3, 2, 1), Partition(2, 1), Partition(2, 1))
    2
    """
    lam = as_partition(outer, "outer").parts
    mu, nu = as_partition(first, "first").parts, as_partition(second, "second").parts
    if sum(lam) != sum(mu) + sum(nu):
        raise BadValue(
            f"the outer shape has size {sum(lam)}: give one of size {sum(mu)} + {sum(nu)}"
        )
    return lattice_words.coefficient(lam, mu, nu)


def restriction(shape: Partition, first: int) -> dict[tuple[Partition, Partition], int]:
    """The restriction to S_a x S_(n-a), with a given: pairs of shapes and multiplicities.

    >>> restriction(Partition(2, 1), 2)
    {(Partition(2), Partition(1)): 1, (Partition(1, 1), Partition(1)): 1}
    """
    lam = as_partition(shape, "shape")
    first = integer(first, "first", at_least=0, at_most=lam.size)
    one, other = (_inside(lam.parts, size) for size in (first, lam.size - first))
    if (pairs := len(one) * len(other)) > MOST_PAIRS:
        raise TooLarge(
            f"{pairs:,} pairs of shapes inside {lam!r} would take about {pairs * PAIR:.2g} s: ask "
            "for single ones: littlewood_richardson_coefficient"
        )
    found: dict[tuple[Partition, Partition], int] = {}
    with progress("pairs of shapes", pairs) as report:
        for mu, nu in itertools.product(one, other):
            count = lattice_words.coefficient(lam.parts, mu, nu)
            if count:
                found[trusted(mu), trusted(nu)] = count
            report(1)
    return found


def kronecker(first: Partition, second: Partition) -> Multiplicities:
    """The tensor product of two irreducibles of one S_n.

    >>> kronecker(Partition(2, 1), Partition(2, 1))
    {Partition(3): 1, Partition(2, 1): 1, Partition(1, 1, 1): 1}
    """
    mu, nu = as_partition(first, "first"), as_partition(second, "second")
    same_size(mu, nu)
    return (ClassFunction.irreducible(mu) * ClassFunction.irreducible(nu)).decompose()


def kronecker_coefficient(first: Partition, second: Partition, third: Partition) -> int:
    """The multiplicity of the third irreducible in the tensor product of the others.

    >>> kronecker_coefficient(Partition(3, 2, 1), Partition(3, 2, 1), Partition(3, 2, 1))
    5
    """
    shapes = [as_partition(s, "a shape") for s in (first, second, third)]
    same_size(shapes[0], shapes[1])
    same_size(shapes[0], shapes[2])
    mu, nu, lam = map(ClassFunction.irreducible, shapes)
    return int((mu * nu).inner(lam))
