"""Which eigenvalues of a kernel a target meets, irreducible by irreducible, and when it learns.

The part of the target in one irreducible, written in the eigenfunctions of the kernel, says how
much of it meets each eigenvalue.

>>> kernel = linear_attention(1, 1, readout="flatten")
>>> problem = Problem(kernel, targets.parity(1), length=4)
>>> found = parts_by_irrep(problem, spectrum(kernel, length=4, vocabulary=2))
>>> [(str(shape), str(value), round(part, 6)) for shape, value, part in found]
[('4', '26', 0.25), ('3+1', '14', 0.75)]
"""

from __future__ import annotations

from bisect import bisect_left

import attrs

from symbench.draw.views import Shown
from symbench.exact import Rational
from symbench.exact.arrays import np
from symbench.exact.roots import Eigenvalue
from symbench.learning.orbit_average import OrbitAverage
from symbench.learning.problem import Problem
from symbench.learning.theories import MOST, effective_ridge
from symbench.spectra._spectrum import Spectrum
from symbench.young import Action, Partition
from symbench.young.projectors import project

# A part of |f|^2 below this share is rounding.
_NOTHING = 1e-12


@attrs.frozen
class Meeting(Shown):
    """A part of the target that meets one eigenvalue of the kernel in one irreducible.

    `part` is how much of |f|^2 it is (a float). `bound` is proved: with fewer samples the error in
    the whole irreducible is above half of what the target has there. `equivalent` (ridge over
    eigenvalue) and `self_consistent` are where the theories predict half of the function; None
    for never, or beyond 10^18 samples.

    >>> Meeting(Partition(3, 1), Rational(14), 3, 2.0, 2, 0.5, 3).eigenvalue
    14
    """

    partition: Partition
    eigenvalue: Eigenvalue
    dimension: int
    part: float
    bound: int
    equivalent: float | None
    self_consistent: int | None
    exactness = "float"


def meetings(
    problem: Problem, spectrum: Spectrum, average: OrbitAverage, ridge: Rational
) -> tuple[Meeting, ...]:
    """All meetings of the target with eigenvalues of the kernel, by irreducible."""
    rows = []
    for shape, value, part in parts_by_irrep(problem, spectrum):
        own = average.part(shape)
        half = _half_learned(problem, float(value), ridge) if value > 0 else None
        equivalent = None if half is None else float(ridge) / float(value)
        bound = own.samples(own.norm / 2)
        rows.append(Meeting(shape, value, spectrum[shape].dimension, part, bound, equivalent, half))
    return tuple(rows)


def _half_learned(problem: Problem, value: float, ridge: Rational) -> int | None:
    """The least N with N times the eigenvalue at least the effective ridge, which falls with N."""

    def learned(count: int) -> bool:
        return count * value >= effective_ridge(problem.levels(), samples=count, ridge=ridge)

    high = 1
    while not learned(high):
        high *= 2
        if high > MOST:
            return None
    first = high // 2 + 1  # half of it was not enough
    return first + bisect_left(range(first, high), True, key=learned)


def parts_by_irrep(
    problem: Problem, spectrum: Spectrum
) -> list[tuple[Partition, Eigenvalue, float]]:
    """The positive parts of |f|^2 by irreducible and eigenvalue: the parts are floats."""
    _, f, p = problem.arrays
    root, values, vectors = problem.eigenfunctions
    least = _NOTHING * float(p @ f**2)
    action, average = Action.words(problem.length, problem.target.vocabulary), problem.averages[0]
    found = []
    for shape in () if average is None else average.weights:
        part = np.array(project(action, shape, problem.values), dtype=float)
        squares = (vectors.T @ (root * part)) ** 2
        levels = list(dict.fromkeys(spectrum[shape].eigenvalues))
        nearest = np.abs(values[:, None] - np.array([float(v) for v in levels])).argmin(axis=1)
        sums = np.bincount(nearest, weights=squares, minlength=len(levels))
        found += [
            (shape, value, float(amount))
            for value, amount in zip(levels, sums, strict=True)
            if amount > least
        ]
    return found
