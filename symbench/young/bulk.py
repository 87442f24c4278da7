"""All partitions of n at once: beads of the abacus as bits of machine words.

A partition is the set of its first-column hook lengths (beads); as a bit mask it fits a 64-bit
word up to n = 63, and moving a bead is two flipped bits. Everything here is an array over all
partitions of n in the order of `partitions(n)`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flint import fmpz

from symbench._arguments import integer
from symbench.errors import TooLarge
from symbench.exact.arrays import Array, Integers, np

Masks = Array  # of 64-bit words
LARGEST = 63


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
    blocks: list[Masks] = []
    starts = [0] * (n + 1)
    for first in range(n, 0, -1):
        starts[first] = sum(len(block) for block in blocks)
        masks, begin = level(n - first)
        rest = masks[begin[min(first, n - first)] :]
        bead = np.bitwise_count(rest).astype(np.uint64) + np.uint64(first)
        blocks.append(rest | (np.uint64(1) << bead))
    starts[0] = sum(len(block) for block in blocks)
    found = np.concatenate(blocks)
    found.setflags(write=False)
    return found, tuple(starts)


@lru_cache(maxsize=LARGEST + 1)
def _sorted(n: int) -> tuple[Any, Masks]:
    masks, _ = level(n)
    order = np.argsort(masks)
    return order, masks[order]


def positions(n: int, masks: Masks) -> Any:
    """Where the partitions of n with these masks stand in the list; low beads may be left over."""
    one = np.uint64(1)
    # A run of beads at the very bottom stands for empty rows: shift it out.
    empty = np.bitwise_count(masks ^ (masks + one)) - 1
    order, ranked = _sorted(n)
    return order[np.searchsorted(ranked, masks >> empty.astype(np.uint64))]


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


def rim_hook_step(n: int, k: int) -> Any:
    """The sparse matrix of signs of removing rim hooks of length k, from n to n - k."""
    from scipy.sparse import csr_matrix

    masks, _ = level(n)
    one, shift = np.uint64(1), np.uint64(k)
    movable = (masks >> shift) & ~masks
    rows, found, signs = [], [], []
    for gap in range(n - k + 1):
        place = np.uint64(gap)
        here = np.nonzero((movable >> place) & one)[0]
        if not len(here):
            continue
        old = masks[here]
        jumped = (old >> (place + one)) & ((one << (shift - one)) - one)
        rows.append(here)
        found.append(old ^ (one << place) ^ (one << (place + shift)))
        signs.append(1 - 2 * (np.bitwise_count(jumped) & 1).astype(np.int64))
    target = len(level(n - k)[0])
    if not rows:
        return csr_matrix((len(masks), target), dtype=np.int64)
    columns = positions(n - k, np.concatenate(found))
    return csr_matrix(
        (np.concatenate(signs), (np.concatenate(rows), columns)), shape=(len(masks), target)
    )


def horizontal_strip_step(n: int, k: int) -> Any:
    """The 0-1 matrix of removing horizontal strips of k cells, from n to n - k."""
    from scipy.sparse import csr_matrix

    rows, masks = _strips(n)[k]
    target = len(level(n - k)[0])
    columns = positions(n - k, masks)
    ones = np.ones(len(rows), dtype=np.int64)
    return csr_matrix((ones, (rows, columns)), shape=(len(level(n)[0]), target))


@lru_cache(maxsize=LARGEST + 1)
def _strips(n: int) -> tuple[tuple[Any, Masks], ...]:
    """For every k: the row numbers and the masks left after removing a strip of k cells."""
    masks, _ = level(n)
    one = np.uint64(1)
    rows = np.arange(len(masks))
    left = masks.copy()
    removed = np.zeros(len(masks), dtype=np.int64)
    gaps = np.zeros(len(masks), dtype=np.int64)  # empty places right below the current one
    for bead in range(n + 1):
        place = np.uint64(bead)
        taken = ((masks >> place) & one).astype(bool)
        # A strip is horizontal when each bead moves down without passing another bead's start.
        choices = np.where(taken, gaps, 0)[rows]
        if choices.any():
            repeats = choices + 1
            offset = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
            rows, left = np.repeat(rows, repeats), np.repeat(left, repeats)
            removed = np.repeat(removed, repeats) + offset
            moved = offset > 0
            target = (bead - offset[moved]).astype(np.uint64)
            left[moved] ^= (one << place) | (one << target)
        gaps = np.where(taken, 0, gaps + 1)
    order = np.argsort(removed, kind="stable")
    bounds = np.searchsorted(removed[order], np.arange(n + 2))
    cut = [order[bounds[k] : bounds[k + 1]] for k in range(n + 1)]
    return tuple((rows[chosen], left[chosen]) for chosen in cut)


@lru_cache(maxsize=8)
def table(n: int, step: Any) -> Integers:
    """The matrix (lambda, mu) whose column mu is a product of steps, one per part of mu.

    The largest part goes first; what remains has smaller parts, so the columns needed of each
    smaller table are the last ones of its order, and no column is computed twice.
    """
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


def check_table(n: int, what: str, instead: str) -> None:
    """Raise TooLarge for a table whose entries or whose memory do not fit."""
    classes = int(fmpz(n).partitions_p())
    if n > 34:
        gigabytes = classes**2 * 8 / 1e9
        raise TooLarge(
            f"the {what} of S_{n} has {classes} x {classes} entries ({gigabytes:.3g} GB), some "
            f"larger than a machine word: give at most n = 34, or {instead}"
        )
