"""Which eigenvalues of a kernel a target meets, irreducible by irreducible.

The sums of all transpositions and of all 3-cycles commute with every permutation, so each is one
number on all copies of an irreducible: a polynomial in them projects a function to its part in one.
That part, in the eigenfunctions of the kernel, says how much of the target meets each eigenvalue.

>>> from symbench.learning.targets import parity
>>> kernel = linear_attention(1, 1, readout="flatten")
>>> problem = Problem.of(kernel, parity(1), length=4)
>>> found = parts_by_irrep(problem, spectrum(kernel, length=4, vocabulary=2))
>>> [(str(shape), str(value), round(part, 6)) for shape, value, part in found]
[('4', '26', 0.25), ('3+1', '14', 0.75)]
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from symbench.errors import Undecided
from symbench.exact.roots import Eigenvalue
from symbench.learning.regression import Problem
from symbench.spectra.decomposition import Spectrum
from symbench.young import Partition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A part of |f|^2 below this share is rounding.
_NOTHING = 1e-12


def parts_by_irrep(
    problem: Problem, spectrum: Spectrum
) -> list[tuple[Partition, Eigenvalue, float]]:
    """The positive parts of |f|^2 by irreducible and eigenvalue: the parts are floats."""
    import numpy as np

    K, f, p = problem.arrays()
    root = np.sqrt(p)
    values, vectors = np.linalg.eigh(root[:, None] * K * root[None, :])
    least = _NOTHING * float(p @ f**2)
    found = []
    for shape, part in _projections(problem, f, spectrum.partitions).items():
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


def _projections(
    problem: Problem, f: Floats, shapes: tuple[Partition, ...]
) -> dict[Partition, Floats]:
    """The parts of f in the irreducibles, by Lagrange interpolation in a central element."""
    import numpy as np

    weight, numbers = _central_numbers(shapes)
    places = {word: i for i, word in enumerate(problem.words)}
    length = len(problem.words[0])

    def moved(cycle: tuple[int, ...]) -> Any:
        to = list(range(length))
        for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            to[a] = b
        return np.array([places[tuple(word[a] for a in to)] for word in problem.words])

    pairs = [moved(pair) for pair in combinations(range(length), 2)]
    triples = []
    if weight:
        for a, b, c in combinations(range(length), 3):
            triples += [moved((a, b, c)), moved((a, c, b))]

    def apply(vector: Floats) -> Floats:
        total = sum((vector[g] for g in pairs), np.zeros_like(vector))
        return total + weight * sum((vector[g] for g in triples), np.zeros_like(vector))

    found = {}
    for shape in shapes:
        vector = f.copy()
        for other in shapes:
            if other != shape:
                gap = numbers[shape] - numbers[other]
                vector = (apply(vector) - numbers[other] * vector) / gap
        found[shape] = vector
    return found


def _central_numbers(shapes: tuple[Partition, ...]) -> tuple[int, dict[Partition, int]]:
    """By what the transpositions plus w times the 3-cycles act: different for all, w small.

    With contents c the transpositions act by sum c, the 3-cycles by sum c^2 - C(L, 2).
    """
    for weight in range(len(shapes) ** 2 + 1):
        numbers = {}
        for shape in shapes:
            contents = [j - i for i, row in enumerate(shape.parts) for j in range(row)]
            size = len(contents)
            cycles = sum(c * c for c in contents) - size * (size - 1) // 2
            numbers[shape] = sum(contents) + weight * cycles
        if len(set(numbers.values())) == len(shapes):
            return weight, numbers
    raise Undecided(
        "the sums of transpositions and of 3-cycles do not tell the irreducibles apart: give "
        "shorter words"
    )
