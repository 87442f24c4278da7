"""The Johnson scheme in closed form: kernels on subsets that see only the size of overlaps.

The functions on d-subsets of 1..L are the sum of the irreducibles (L - m, m), m <= min(d, L-d),
once each, so a kernel k(A, B) = phi(|A n B|) has one eigenvalue per m. The kernel C(|A n B|, k)
has C(d - m, k - m) C(L - k - m, d - k) there, and every phi is a combination of these, its finite
differences at 0 being the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, lcm

from flint import fmpz

from symbench._arguments import function, integer
from symbench.draw.progress import progress
from symbench.exact.rational import exact_number
from symbench.young.partition import Partition


def johnson_eigenvalue(points: int, size: int, distance: int, m: int) -> int:
    """The eigenvalue E_i(m) on (L - m, m) of the graph of pairs with |A - B| = i.

    >>> [johnson_eigenvalue(5, 2, 1, m) for m in range(3)]
    [6, 1, -2]
    """
    return _eigenvalue(*_scheme(points, size, m), integer(distance, "distance", at_least=0))


def _eigenvalue(L: int, d: int, m: int, i: int) -> int:
    total, last = 0, min(i, m)
    with progress("terms of the eigenvalue", last + 1) as report:
        for j in range(last + 1):
            total += (-1) ** j * comb(m, j) * comb(d - m, i - j) * comb(L - d - m, i - j)
            report(1)
    return total


def johnson_spectrum(
    points: int, size: int, kernel: Callable[[int], int | Fraction]
) -> dict[Partition, Fraction]:
    """The eigenvalue on each irreducible of the matrix phi(|A n B|) over d-subsets.

    >>> [(str(p), str(e)) for p, e in johnson_spectrum(4, 2, lambda overlap: overlap).items()]
    [('4', '6'), ('3+1', '2'), ('2+2', '0')]
    """
    L, d, _ = _scheme(points, size, 0)
    function(kernel, "the kernel", "a function of the size of the overlap")
    top = min(d, L - d)
    # Complements of more than half of the points meet in d - top cells fewer.
    values = [Fraction(exact_number(kernel(d - top + t))) for t in range(top + 1)]
    below = lcm(*(v.denominator for v in values))
    differences = [fmpz(int(v * below)) for v in values]
    for k in range(1, top + 1):
        for t in range(top, k - 1, -1):
            differences[t] -= differences[t - 1]
    found = {}
    with progress("eigenvalues of the Johnson scheme", (top + 1) ** 2) as report:
        for m in range(top + 1):
            found[Partition(L - m, m)] = Fraction(_combined(L, top, m, differences), below)
            report(2 * (top - m) + 1)
    return found


def _combined(L: int, d: int, m: int, differences: list[fmpz]) -> int:
    """The sum over k of differences[k] C(d - m, k - m) C(L - k - m, d - k)."""
    total, binomials = fmpz(0), fmpz(1)
    for k in range(d, m - 1, -1):
        total += differences[k] * binomials
        if k > m:
            binomials = binomials * ((k - m) * (L - k - m + 1)) // (d - k + 1) ** 2
    return int(total)


def johnson_projector(points: int, size: int, m: int) -> tuple[Fraction, ...]:
    """The entries of the projector to (L - m, m) at the distances 0, 1, ..., min(d, L - d).

    >>> [str(entry) for entry in johnson_projector(4, 2, 1)]
    ['1/2', '0', '-1/2']
    """
    L, d, m = _scheme(points, size, m)
    dim = Partition(L - m, m).dim
    entries, last = [], min(d, L - d)
    with progress("entries of the projector", last + 1) as report:
        for i in range(last + 1):
            pairs = comb(L, d) * comb(d, i) * comb(L - d, i)
            entries.append(Fraction(dim * _eigenvalue(L, d, m, i), pairs))
            report(1)
    return tuple(entries)


def _scheme(points: int, size: int, m: int) -> tuple[int, int, int]:
    L = integer(points, "points", at_least=0)
    d = integer(size, "size", at_least=0, at_most=L)
    return L, d, integer(m, "m", at_least=0, at_most=min(d, L - d))
