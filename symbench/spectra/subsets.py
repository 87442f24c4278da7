"""Kernels on the d-subsets of L points that see only the overlap: one eigenvalue per irreducible.

The functions on d-subsets hold each (L - m, m), m <= min(d, L - d), once, so nothing is left to
diagonalise: Eberlein's polynomials give the eigenvalues for any L.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbench import _arguments
from symbench.kernels.from_table import from_table
from symbench.laws import Subsets
from symbench.spectra._search import spectrum
from symbench.spectra._spectrum import Spectrum


def subset_spectrum(kernel: Callable[[int], Any], *, points: int, size: int) -> Spectrum:
    """The exact spectrum of the kernel phi(|A n B|) on d-subsets, all equally likely.

    It is that of a kernel on binary words under the law that picks a word of weight d; words of
    other weights are left out.

    >>> found = subset_spectrum(lambda overlap: overlap, points=10**6, size=12)
    >>> found[Partition(10**6 - 1, 1)].eigenvalues, found[Partition(10**6 - 2, 2)].eigenvalues
    ((22727/1893937500,), (0,))
    """
    law = Subsets(points, size)
    phi = _arguments.function(kernel, "the kernel", "a function of the size of an overlap")
    return spectrum(
        from_table(lambda table: phi(table[1][1])),
        length=law.length,
        vocabulary=2,
        law=law,
        algorithm="johnson",
    )
