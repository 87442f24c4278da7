"""The trace bound with its constant: the j-th eigenvalue of an irrep is at most trace / (j dim).

At least j dim S^lambda eigenvalues of the operator are as large as the j-th one of S^lambda, and no
eigenvalue is negative, so they add up to at most the trace, E k(x, x).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import attrs
import flint

from symbench.errors import BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import fmpq, number_text
from symbench.spectra.blocks import DENSE
from symbench.spectra.law import count_tokens
from symbench.spectra.roots import Eigenvalue, compare

if TYPE_CHECKING:
    from symbench.spectra.decomposition import Spectrum
    from symbench.young import Partition


@attrs.frozen(repr=False)
class TraceBound:
    """The j-th eigenvalue of an irreducible, j = 1, 2, ..., beside its bound.

    >>> from symbench.young import Partition
    >>> bound = TraceBound(Partition(3, 1), 1, Rational(12), Rational(314, 3))
    >>> bound.holds, bound.ratio
    (True, 18/157)
    """

    partition: Partition
    place: int
    eigenvalue: Eigenvalue
    bound: Rational

    def __repr__(self) -> str:
        inside = (self.partition, self.place, self.eigenvalue, self.bound)
        return f"TraceBound({', '.join(map(repr, inside))})"

    @property
    def holds(self) -> bool:
        """Whether the eigenvalue is at most the bound, compared exactly."""
        return compare(self.eigenvalue, self.bound) <= 0

    @property
    def ratio(self) -> Rational | float:
        """Eigenvalue / bound: exact where the eigenvalue is rational, else a float."""
        if self.bound == 0:
            return Rational(1)
        if isinstance(self.eigenvalue, Rational):
            return Rational(self.eigenvalue / self.bound)
        return float(self.eigenvalue) / float(self.bound)


def trace_bounds(spectrum: Spectrum) -> tuple[TraceBound, ...]:
    """The bound of every eigenvalue; a kernel with a negative one is refused.

    >>> from symbench.spectra import TableKernel, spectrum
    >>> unequal = TableKernel(lambda table: table[0][1] + table[1][0])
    >>> trace_bounds(spectrum(unequal, length=1, vocabulary=2))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: TableKernel(<lambda>) is not positive semidefinite: -1/2 is an \
eigenvalue on Partition(1); v^T k v < 0 for v = (1, -1)
    """
    for level in spectrum.levels:
        if compare(level.eigenvalue, 0) < 0:
            raise BadValue(
                f"{spectrum.kernel!r} is not positive semidefinite: {level.eigenvalue} is an "
                f"eigenvalue on {level.partition!r}{_vector_text(spectrum)}"
            )
    found = []
    for partition in spectrum.partitions:
        piece = spectrum[partition]
        for j, value in enumerate(piece.eigenvalues, 1):
            bound = spectrum.trace / (j * piece.dimension)
            found.append(TraceBound(partition, j, value, Rational(bound)))
    return tuple(found)


def _vector_text(spectrum: Spectrum) -> str:
    if spectrum.vocabulary**spectrum.length > DENSE:
        return ""
    vector = negative_vector(spectrum)
    shown = str(vector) if vector is not None and len(vector) <= 16 else "negative_vector()"
    return f"; v^T k v < 0 for v = {shown}"


def negative_vector(spectrum: Spectrum) -> tuple[int, ...] | None:
    """An integer vector with a negative square, found in floats and checked exactly.

    >>> from symbench.kernels import linear_attention
    >>> from symbench.spectra import spectrum
    >>> negative_vector(spectrum(linear_attention(1, 1), length=2, vocabulary=2)) is None
    True
    """
    if all(compare(level.eigenvalue, 0) >= 0 for level in spectrum.levels):
        return None
    size = spectrum.vocabulary**spectrum.length
    if size > DENSE:
        raise TooLarge(f"a vector over {number_text(size)} words, more than {DENSE}")
    import numpy as np

    words = list(itertools.product(range(spectrum.vocabulary), repeat=spectrum.length))
    law = spectrum.law
    alive = [
        k for k, w in enumerate(words) if law.of_counts(count_tokens(w, spectrum.vocabulary)) != 0
    ]
    operator = spectrum.matrix().flint
    chances = [fmpq(law.of_counts(count_tokens(words[k], spectrum.vocabulary))) for k in alive]
    kernel = [
        [operator[i, j] / chance for j, chance in zip(alive, chances, strict=True)] for i in alive
    ]
    exact = flint.fmpq_mat(kernel)
    floats = np.array([[float(x.p) / float(x.q) for x in row] for row in kernel])
    direction = np.linalg.eigh((floats + floats.T) / 2)[1][:, 0]
    direction = direction / np.abs(direction).max()
    if direction[np.abs(direction).argmax()] < 0:
        direction = -direction
    scale = 1
    while scale < 1 << 60:
        column = flint.fmpq_mat([[flint.fmpq(round(float(x) * scale))] for x in direction])
        if (column.transpose() * exact * column)[0, 0] < 0:
            values = dict(zip(alive, (int(x.p) for x in column.entries()), strict=True))
            return tuple(values.get(k, 0) for k in range(size))
        scale *= 4
    raise AssertionError("a negative eigenvalue, and floats too coarse to find its vector")
