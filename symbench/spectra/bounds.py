"""The trace bound with its constant: the j-th eigenvalue of an irrep is at most trace / (j dim).

At least j dim S^lambda eigenvalues of the operator are as large as the j-th one of S^lambda, and no
eigenvalue is negative, so they add up to at most the trace, E k(x, x). Exact numbers decide whether
the bound holds, balls decide it or leave it undecided, and floats only suggest it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import attrs
import flint

from symbench.draw.views import Shown
from symbench.errors import BadValue, TooLarge, Undecided
from symbench.exact import Rational
from symbench.exact.arrays import np
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, number_text
from symbench.exact.roots import compare
from symbench.kernels.float_value import FloatValue
from symbench.spectra.picture import quotient
from symbench.spectra.segment_blocks import DENSE
from symbench.young import Partition
from symbench.young.position_groups import Irrep, partition_of

if TYPE_CHECKING:
    from symbench.spectra._spectrum import Spectrum


@attrs.frozen(repr=False)
class TraceBound(Shown):
    """The j-th eigenvalue of an irreducible, j = 1, 2, ..., beside its bound.

    >>> bound = TraceBound(Partition(3, 1), 1, Rational(12), Rational(314, 3))
    >>> bound.holds, bound.ratio
    (True, 18/157)
    """

    irrep: Irrep
    place: int
    eigenvalue: Any
    bound: Any
    slack: float = attrs.field(default=0.0, kw_only=True)

    def __repr__(self) -> str:
        inside = (self.irrep, self.place, self.eigenvalue, self.bound)
        return f"TraceBound({', '.join(map(repr, inside))})"

    @property
    def partition(self) -> Partition:
        """The irreducible as a partition: of S_L, or of the first of several segments."""
        return partition_of(self.irrep)

    @property
    def exactness(self) -> str:
        """'exact', 'ball' or 'float': the numbers that were compared."""
        if isinstance(self.eigenvalue, FloatValue):
            return "float"
        return "ball" if isinstance(self.eigenvalue, flint.arb) else "exact"

    @property
    def status(self) -> str:
        """'holds', 'fails' or 'undecided', as far as the numbers can tell.

        >>> TraceBound(Partition(1), 1, flint.arb(1, 1), flint.arb(1)).status
        'undecided'
        """
        if self.exactness == "exact":
            return "holds" if compare(self.eigenvalue, self.bound) <= 0 else "fails"
        if self.exactness == "ball":
            value, bound = self.eigenvalue, self.bound
            holds, fails = bool(value <= bound), bool(value > bound)
        else:
            gap = float(self.bound) - float(self.eigenvalue)
            holds, fails = gap >= self.slack, gap < -self.slack
        return "holds" if holds else "fails" if fails else "undecided"

    @property
    def proved(self) -> bool:
        """Whether the status is a proof: not for floats, not where it is undecided."""
        return self.exactness != "float" and self.status != "undecided"

    @property
    def holds(self) -> bool:
        """Whether the eigenvalue is at most the bound; Undecided where balls or floats overlap."""
        if self.status == "undecided":
            raise Undecided(
                f"{self.eigenvalue} and the bound {self.bound} are too close to compare: ask for "
                "more bits or digits"
            )
        return self.status == "holds"

    @property
    def ratio(self) -> Any:
        """Eigenvalue / bound: exact where the eigenvalue is rational, a ball of balls, or a float.

        0 / 0 counts as 1.
        """
        return quotient(self.eigenvalue, self.bound)


def trace_bounds(spectrum: Spectrum) -> tuple[TraceBound, ...]:
    """The bound of every eigenvalue; a kernel with a negative one is refused.

    >>> unequal = from_table(lambda table: table[0][1] + table[1][0])
    >>> trace_bounds(spectrum(unequal, length=1, vocabulary=2))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: ... is not positive semidefinite: -1/2 is an eigenvalue on \
Partition(1); v^T k v < 0 for v = (1, -1)
    """
    found = []
    for piece in spectrum.pieces:
        for value, _ in piece.values:
            if _negative(value, piece.error):
                raise BadValue(
                    f"{spectrum.kernel!r} is not positive semidefinite: {value} is an eigenvalue "
                    f"on {piece.irrep!r}{_vector_text(spectrum)}"
                )
        for j, value in enumerate(piece.eigenvalues, 1):
            bound, slack = _share(spectrum.trace, j * piece.dimension), piece.error
            if isinstance(spectrum.trace, FloatValue):
                slack += float(bound) * 10.0**-spectrum.trace.digits
            found.append(TraceBound(piece.irrep, j, value, bound, slack=slack))
    return tuple(found)


def _negative(value: Any, slack: float) -> bool:
    """Whether an eigenvalue is surely negative (for floats: by more than they may be off)."""
    if isinstance(value, FloatValue):
        return float(value) < -slack
    return bool(value < 0) if isinstance(value, flint.arb) else compare(value, 0) < 0


def _share(trace: Any, count: int) -> Any:
    if isinstance(trace, FloatValue):
        return FloatValue(trace.value / count, trace.digits)
    if isinstance(trace, flint.arb):
        # The count may be longer than the precision in force.
        with working_precision(256 + count.bit_length()):
            return trace / count
    return Rational(trace / count)


def _vector_text(spectrum: Spectrum) -> str:
    if spectrum.numbers != "exact" or spectrum.dimension > DENSE:
        return ""
    vector = negative_vector(spectrum)
    shown = str(vector) if vector is not None and len(vector) <= 16 else "negative_vector()"
    return f"; v^T k v < 0 for v = {shown}"


def negative_vector(spectrum: Spectrum) -> tuple[int, ...] | None:
    """An integer vector with a negative square, found in floats and checked exactly.

    >>> negative_vector(spectrum(linear_attention(1, 1), length=2, vocabulary=2)) is None
    True
    """
    if all(compare(level.eigenvalue, 0) >= 0 for level in spectrum.levels):
        return None
    if spectrum.dimension > DENSE:
        raise TooLarge(f"a vector over {number_text(spectrum.dimension)} words, more than {DENSE}")
    words = list(itertools.product(range(spectrum.vocabulary), repeat=spectrum.length))
    chances = [fmpq(spectrum.law.probability(word)) for word in words]
    alive = [k for k, chance in enumerate(chances) if chance != 0]
    operator = flint.fmpq_mat(spectrum.matrix().flint)
    kernel = [[operator[i, j] / chances[j] for j in alive] for i in alive]
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
            return tuple(values.get(k, 0) for k in range(len(words)))
        scale *= 4
    raise AssertionError("a negative eigenvalue, and floats too coarse to find its vector")
