"""All partitions of n at once: beads of the abacus as bits of machine words.

A partition is the set of its first-column hook lengths (beads); as a bit mask it fits a 64-bit
word up to n = 63, and moving a bead is two flipped bits. Everything here is an array over all
partitions of n in the order of `partitions(n)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from typing import Any

from flint import fmpz

from symbench._arguments import integer
from symbench.errors import TooLarge
from symbench.exact.arrays import Array, Integers, np
from symbench.young.partition import Partition

Masks = Array  # of 64-bit words
LARGEST = 63
DENSE = 1000  # partitions of 0..n, up to which one dense matrix is cheaper than sparse ones


@lru_cache(maxsize=LARGEST + 1)
def level(n: int) -> tuple[Masks, tuple[int, ...]]:
    """The masks of all partitions of n, and where those with largest part <= a begin, a = 0..n."""
    if n > LARGEST:
        raise TooLarge(
            f"the partitions of {n} are too many for one array: give at most n = {LARGEST}, "
            "iterate over partitions(n), or draw from it at random"
        )
    if n == 0:
        return np.zeros(1, dtype=np.uint64), (0,)
    rests = []
    for first in range(n, 0, -1):
        masks, begin = level(n - first)
        rests.append(masks[begin[min(first, n - first)] :])
    lengths = [len(rest) for rest in rests]
    starts = (*accumulate(lengths, initial=0),)
    below = np.concatenate(rests)
    bead = np.bitwise_count(below) + np.repeat(np.arange(n, 0, -1, dtype=np.uint64), lengths)
    found = below | (np.uint64(1) << bead)
    found.setflags(write=False)
    return found, starts[::-1]


def parts_array(n: int) -> Array:
    """The parts of all partitions of n, one row each, padded with zeros."""
    masks, _ = level(n)
    found = np.zeros((len(masks), max(n, 1)), dtype=np.uint8)
    for bead in range(n, 0, -1):
        place = np.uint64(bead)
        rows = np.nonzero((masks >> place) & np.uint64(1))[0]
        here = masks[rows]
        column = np.bitwise_count(here >> (place + np.uint64(1)))
        below = np.bitwise_count(here & ((np.uint64(1) << place) - np.uint64(1)))
        found[rows, column] = bead - below
    return found[:, :n]


def dimensions(n: int) -> list[int]:
    """The dimensions of all irreducibles of S_n, in the order of `partitions(n)`.

    Hook lengths are differences of a bead and a gap, so their number is a population count;
    the rest is arithmetic with exponents of primes.

    >>> dimensions(4)
    [1, 3, 2, 3, 1]
    """
    n = integer(n, "n", at_least=0)
    masks, _ = level(n)
    primes = [p for p in range(2, n + 1) if all(p % q for q in range(2, p))]
    exponents = np.zeros((len(primes), len(masks)), dtype=np.int16)
    for h in range(2, n + 1):
        hooks = np.bitwise_count((masks >> np.uint64(h)) & ~masks)
        for prime, power in fmpz(h).factor():
            exponents[primes.index(int(prime))] -= hooks if power == 1 else hooks * np.uint8(power)
    limbs = [np.ones(len(masks), dtype=np.uint64)]
    for row, p in zip(exponents, primes, strict=True):
        row += sum(n // p**e for e in range(1, n.bit_length()))  # the exponent in n!
        chunk = 1
        while p ** (chunk + 1) < 2**31:
            chunk += 1
        while row.any():
            step = np.minimum(row, chunk)
            row -= step
            powers = np.array([p**e for e in range(chunk + 1)], dtype=np.uint64)
            _multiply(limbs, powers[step])
    total: Any = limbs[-1].astype(object)
    for limb in reversed(limbs[:-1]):
        total = total * 2**31 + limb
    found: list[int] = total.tolist()
    return found


def _multiply(limbs: list[Any], factor: Any) -> None:
    """Multiply numbers, given by limbs of 31 bits, by factors below 2^31, in place."""
    carry = np.zeros(len(factor), dtype=np.uint64)
    low = np.uint64(2**31 - 1)
    for i, limb in enumerate(limbs):
        product = limb * factor + carry
        limbs[i] = product & low
        carry = product >> np.uint64(31)
    if carry.any():
        limbs.append(carry)


# All ways to take something off diagrams: for each the number of the diagram, how many cells are
# taken (at most the diagram's limit), the mask that is left (low beads may be left over), a sign.
Removals = tuple[Integers, Integers, Masks, Integers]


def rim_hooks(masks: Masks, limits: Integers, *, at_least: int = 1) -> Removals:
    """All rim hooks, with the signs of the rule of Murnaghan and Nakayama."""
    one = np.uint64(1)
    length = np.arange(at_least, limits.max() + 1)[:, None]
    gaps = (masks >> length.astype(np.uint64)) & ~masks  # where a bead may jump to
    length, rows = np.nonzero((gaps > 0) & (length <= limits))
    gaps, length = gaps[length, rows], length + at_least
    found: list[Removals] = []
    while len(rows) or not found:
        gap = gaps & (~gaps + one)  # the lowest
        bead = gap << length.astype(np.uint64)
        old = masks[rows]
        jumped = np.bitwise_count(old & (bead - (gap << one)))
        found.append((rows, length, old ^ gap ^ bead, 1 - 2 * (jumped & 1).astype(np.int64)))
        gaps ^= gap
        more = np.nonzero(gaps)[0]
        gaps, rows, length = gaps[more], rows[more], length[more]
    rows, length, left, signs = map(np.concatenate, zip(*found, strict=True))
    return rows, length, left, signs


def horizontal_strips(masks: Masks, limits: Integers) -> Removals:
    """All horizontal strips, the empty ones as well; the signs are 1."""
    one = np.uint64(1)
    rows, left, spare = np.arange(len(masks)), masks, limits
    # No bead may pass where another one started: only the lowest of each run moves, as far as
    # the run below, whose end is where a carry through it stops.
    lowest = masks & ~(masks << one)
    end = np.ones_like(masks)
    while lowest.any():
        bead = lowest & (~lowest + one)
        room = np.where(bead > 0, np.bitwise_count(bead - end), 0)
        ways = np.minimum(room[rows], spare) + 1
        rows, left, spare = (np.repeat(each, ways) for each in (rows, left, spare))
        down = np.arange(len(rows)) - np.repeat(np.cumsum(ways) - ways, ways)
        moved = bead[rows]
        left ^= moved ^ (moved >> down.astype(np.uint64))
        spare -= down
        end = (masks + bead) & ~masks
        lowest ^= bead
    return rows, limits[rows] - spare, left, np.ones(len(rows), dtype=np.int64)


@lru_cache(maxsize=8)
def table(n: int, removals: Any) -> Integers:
    """The matrix (lambda, mu) whose column mu is a product of steps, one per part of mu.

    The largest part goes first; what remains has smaller parts, so the columns needed of each
    smaller table are the last ones of its order, and no column is computed twice.
    """
    step = _steps(n, removals)
    tables: list[Integers] = [np.ones((1, 1), dtype=np.int64)]
    for m in range(1, n + 1):
        largest = m if m == n else min(m, n - m)
        masks, starts = level(m)
        found = np.empty((len(masks), len(masks) - starts[largest]), dtype=np.int64)
        for k in range(largest, 0, -1):
            rest = m - k
            width = starts[k - 1] - starts[k]
            columns = tables[rest][:, tables[rest].shape[1] - width :]
            begin = starts[k] - starts[largest]
            found[:, begin : begin + width] = step(m, k) @ columns
        tables.append(found)
    result = tables[n]
    result.setflags(write=False)
    return result


def _steps(n: int, removals: Any) -> Callable[[int, int], Any]:
    """The matrix of removing k cells from the partitions of m, for each m and k of a table."""
    levels = [level(m)[0] for m in range(n + 1)]
    sizes = [len(masks) for masks in levels]
    begins = [*accumulate(sizes, initial=0)]
    masks = np.concatenate(levels)
    size = np.repeat(np.arange(n + 1), sizes)
    rows, lengths, left, signs = removals(masks, np.where(size < n, n - size, n))
    columns = _places(left, masks)
    if len(masks) <= DENSE:
        whole = np.zeros((len(masks), len(masks)), dtype=np.int64)
        whole[rows, columns] = signs
        return lambda m, k: whole[begins[m] : begins[m + 1], begins[m - k] : begins[m - k + 1]]
    from scipy.sparse import csr_matrix

    # In the order of m, k and the row: the entries of each matrix lie together.
    key = (size[rows] * (n + 1) + lengths).astype(np.int16)
    order = np.lexsort((rows, key))
    key, rows, columns, signs = (each[order] for each in (key, rows, columns, signs))
    bounds = np.searchsorted(key, np.arange((n + 1) ** 2 + 1))

    def step(m: int, k: int) -> Any:
        here = slice(bounds[m * (n + 1) + k], bounds[m * (n + 1) + k + 1])
        starts = np.searchsorted(rows[here], np.arange(begins[m], begins[m + 1] + 1))
        return csr_matrix(
            (signs[here], columns[here] - begins[m - k], starts), shape=(sizes[m], sizes[m - k])
        )

    return step


def _places(left: Masks, masks: Masks) -> Integers:
    """Where diagrams, from which something was taken, stand among the masks."""
    # A run of beads at the very bottom stands for empty rows: shift it out.
    empty = np.bitwise_count(left ^ (left + np.uint64(1))) - 1
    order = np.argsort(masks)
    found: Integers = order[np.searchsorted(masks, left >> empty.astype(np.uint64), sorter=order)]
    return found


def characters_at(cycle_type: Partition) -> list[int]:
    """All irreducible characters at one class, in the order of `partitions(n)`.

    From the small parts to the large ones: the shapes of each size in between are one array.
    """
    n = ones = cycle_type.multiplicities.get(1, 0)
    # The squares of a column add up to the order of the centralizer. So below 2^126 sums modulo
    # 2^64 are exact at the end, whatever happens in between.
    kind = np.int64 if cycle_type.centralizer_order < 2**126 else object
    values = np.array(dimensions(ones), dtype=kind)
    for part in reversed(cycle_type.parts[: len(cycle_type) - ones]):
        n += part
        masks = level(n)[0]
        rows, _, left, signs = rim_hooks(masks, np.full(len(masks), part), at_least=part)
        old, values = values, np.zeros(len(masks), dtype=kind)
        np.add.at(values, rows, signs.astype(kind) * old[_places(left, level(n - part)[0])])
    found: list[int] = values.tolist()
    return found


def check_table(n: int, what: str, instead: str) -> None:
    """Raise TooLarge for a table whose entries or whose memory do not fit."""
    classes = int(fmpz(n).partitions_p())
    if n > 34:
        gigabytes = classes**2 * 8 / 1e9
        raise TooLarge(
            f"the {what} of S_{n} has {classes} x {classes} entries ({gigabytes:.3g} GB), some "
            f"larger than a machine word: give at most n = 34, or {instead}"
        )
