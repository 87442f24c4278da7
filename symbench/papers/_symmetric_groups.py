"""Second roads for symmetric groups: characters and moves of words, from their definitions.

Claims compare the library with these. Nothing here calls it: a permutation is a tuple of images
counted from 0, a partition the tuple of its parts.

>>> character_by_bins((2, 1), (3,)), cycle_type((1, 2, 0))
(-1, (3,))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, permutations, product
from math import factorial, prod
from typing import Any

from symbench.papers._cases import drawn

Parts = tuple[int, ...]
Images = tuple[int, ...]


def partitions_of(n: int, most: int | None = None) -> Iterator[Parts]:
    """All partitions of n, parts at most `most`.

    >>> list(partitions_of(3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if n == 0:
        yield ()
    for first in range(min(n, n if most is None else most), 0, -1):
        for rest in partitions_of(n - first, first):
            yield (first, *rest)


def partitions_up_to(max_size: int) -> Iterator[Parts]:
    """All partitions of 1, 2, ..., max_size."""
    return (shape for n in range(1, max_size + 1) for shape in partitions_of(n))


def pairs_of_partitions(max_size: int) -> Iterator[tuple[Parts, Parts]]:
    """All pairs of partitions of one size."""
    for n in range(1, max_size + 1):
        yield from product(partitions_of(n), partitions_of(n))


def drawn_partition(max_size: int) -> Callable[[], Any]:
    """A claim's strategy: a partition."""
    return drawn(lambda st: st.integers(1, max_size).flatmap(lambda n: _drawn_of(st, n)))


def drawn_pair(max_size: int, *, same: bool = True) -> Callable[[], Any]:
    """A claim's strategy: two partitions, of one size or of any."""
    if not same:
        return drawn(lambda st: st.tuples(*[drawn_partition(max_size)()] * 2))
    return drawn(
        lambda st: st.integers(1, max_size).flatmap(lambda n: st.tuples(*[_drawn_of(st, n)] * 2))
    )


def _drawn_of(st: Any, n: int) -> Any:
    return st.sampled_from(list(partitions_of(n)))


def cycle_type(g: Images) -> Parts:
    """The lengths of the cycles, the longest first."""
    seen: set[int] = set()
    found = []
    for a in range(len(g)):
        size = 0
        while a not in seen:
            seen.add(a)
            a, size = g[a], size + 1
        if size:
            found.append(size)
    return tuple(sorted(found, reverse=True))


def of_cycle_type(mu: Parts) -> Images:
    """A permutation that turns mu_1 neighbours, then the next mu_2, and so on."""
    images: list[int] = []
    for part in mu:
        start = len(images)
        images += [start + (k + 1) % part for k in range(part)]
    return tuple(images)


def class_size(mu: Parts) -> int:
    """How many permutations have this cycle type: n! / prod m_k! k^{m_k}."""
    centraliser: int = prod(factorial(mu.count(k)) * k ** mu.count(k) for k in set(mu))
    return factorial(sum(mu)) // centraliser


def sign(g: Images) -> int:
    """1 or -1, by counting inversions."""
    inversions = sum(g[a] > g[b] for a, b in combinations(range(len(g)), 2))
    return -1 if inversions % 2 else 1


@lru_cache(maxsize=100_000)
def _fillings(bins: Parts, cycles: Parts) -> int:
    """In how many ways the cycles can be put into bins of these sizes, filling each."""
    if not cycles:
        return 1
    return sum(
        _fillings((*bins[:i], room - cycles[0], *bins[i + 1 :]), cycles[1:])
        for i, room in enumerate(bins)
        if room >= cycles[0]
    )


@lru_cache(maxsize=100_000)
def character_by_bins(shape: Parts, mu: Parts) -> int:
    """The character, as a determinant of permutation characters (Frobenius).

    It is the sum over orders w of the rows of sgn(w) times the number of ways to put the cycles
    into bins of sizes shape_i - i + w(i).
    """
    total = 0
    for w in permutations(range(len(shape))):
        bins = tuple(part - i + w[i] for i, part in enumerate(shape))
        if min(bins, default=0) >= 0:
            total += sign(w) * _fillings(bins, mu)
    return total
