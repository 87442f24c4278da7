"""Kernels on the d-subsets of L points that see only the overlap: one eigenvalue per irreducible.

The functions on d-subsets hold each (L - m, m), m <= min(d, L - d), once, so nothing is left to
diagonalise: Eberlein's polynomials give the eigenvalues for any L.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import attrs

from symbench._arguments import integer, shown
from symbench.errors import BadType, BadValue, SymbenchError, UnknownName
from symbench.exact import Rational
from symbench.exact.rational import exact_number
from symbench.spectra.decomposition import Level
from symbench.young import johnson_spectrum
from symbench.young.partition import as_partition


@attrs.frozen(repr=False)
class SubsetSpectrum:
    """The spectrum of phi(|A n B|) on d-subsets; `subset_spectrum(...)` makes one.

    >>> found = subset_spectrum(lambda overlap: overlap, points=4, size=2)
    >>> [(str(level.partition), level.eigenvalue, level.multiplicity) for level in found.levels]
    [('4', 1, 1), ('3+1', 1/3, 3), ('2+2', 0, 2)]
    >>> found[Partition(3, 1)].eigenvalue, found.trace
    (1/3, 2)
    """

    points: int
    size: int
    levels: tuple[Level, ...]
    trace: Rational
    exactness = "exact"

    def __repr__(self) -> str:
        text = f"<SubsetSpectrum of the {self.size}-subsets of {self.points} points: "
        return f"{text}{len(self.levels)} levels>"

    def __getitem__(self, partition: Any) -> Level:
        wanted = as_partition(partition, "the partition")
        for level in self.levels:
            if level.partition == wanted:
                return level
        raise UnknownName(f"{wanted!r} does not occur in {self!r}")


def subset_spectrum(kernel: Callable[[int], Any], *, points: int, size: int) -> SubsetSpectrum:
    """The exact spectrum of the kernel phi(|A n B|) on d-subsets, all equally likely.

    The same as a kernel on binary words under the law that picks a word of weight d.

    >>> found = subset_spectrum(lambda overlap: overlap, points=10**6, size=12)
    >>> found[Partition(10**6 - 1, 1)].eigenvalue, found[Partition(10**6 - 2, 2)].eigenvalue
    (22727/1893937500, 0)
    """
    L = integer(points, "points", at_least=1)
    d = integer(size, "size", at_least=0)
    if d > L:
        raise BadValue(f"there are no subsets of {d} among {L} points")
    if not callable(kernel):
        raise BadType(f"{shown(kernel)} is no function of the size of an overlap")

    def value(overlap: int) -> Rational:
        try:
            return Rational(exact_number(kernel(overlap)))
        except SymbenchError:
            raise
        except Exception as error:
            raise BadValue(f"the kernel fails at the overlap {overlap}: {error!r}") from error

    found = johnson_spectrum(L, d, value)
    total = comb(L, d)
    levels = tuple(
        Level(partition, Rational(value / total), partition.dim)
        for partition, value in found.items()
    )
    return SubsetSpectrum(L, d, levels, value(d))
