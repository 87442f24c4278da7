"""Spectra whose numbers are not exact: balls that are proved, floats that state their digits.

A layer of neurons such as relu makes irrational values of rational ones, so its spectrum is one of
balls. A kernel of degree d in each word sees only irreducibles with L - lambda_1 <= d; a layer
whose activation is no polynomial has no degree, and sees the others too:

>>> linear = linear_attention(1, 1, readout="flatten")
>>> [str(p) for p in spectrum(linear, length=8, vocabulary=2).reached]
['8', '7+1', '6+2']
>>> layer = spectrum(transformer("relu", linear), length=8, vocabulary=2)
>>> [str(p) for p in layer.reached], layer.exactness
(['8', '7+1', '6+2', '5+3', '4+4'], 'ball')
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import attrs
import flint

from symbench.errors import NotExact, NotSupported
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq
from symbench.kernels.float_value import FloatValue
from symbench.laws.exchangeable import Law
from symbench.spectra.blocks import mean_diagonal, operator_blocks
from symbench.spectra.enclosures import check_work, enclosures, midpoints
from symbench.spectra.face import BlockFace, Face
from symbench.spectra.float_values import has_float_values
from symbench.spectra.floats import (
    FloatBlock,
    TwoKernels,
    check_digits,
    float_spectrum_blocks,
    float_trace,
    shared_digits,
)
from symbench.spectra.invariant import invariant_kernel
from symbench.young import Block, Partition


@attrs.frozen(repr=False, slots=False)
class BallSpectrum(BlockFace):
    """A spectrum of balls (FLINT's arb): the j-th ball of an irreducible holds its j-th eigenvalue.

    `blocks` are the exact blocks of the kernel of midpoints. Every eigenvalue of the operator is
    within `radius`, the largest radius of a value of the kernel, of the one in the same place
    there (Weyl). Balls that overlap are listed one by one, and may be of one eigenvalue or of
    different ones. All of it is of a symmetric invariant kernel: `invariance` says whether the
    kernel is one by construction, or was only not seen to differ within its balls.

    >>> found = spectrum(transformer("erf", linear_attention(1, 1)), length=2, vocabulary=2)
    >>> print(found)
    transformer('erf', linear_attention(1, 1, readout='sum')), length 2, vocabulary 2: balls
    irrep  dim  eigenvalue               multiplicity
    2      1    0.4568417313.. ± ...   1
    2      1    0.2189938249.. ± ...   1
    2      1    0.08718245542.. ± ...  1
    1+1    1    0.1401232024.. ± ...   1
    >>> found.trace_bounds()[0].status, found.dimension, found.radius < Rational(1, 10**40)
    ('holds', 4, True)
    """

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    fixed: int
    blocks: tuple[Block, ...]
    centre: Rational
    radius: Rational
    invariance: str
    road: str

    def __getstate__(self) -> dict[str, Any]:
        # Balls do not pickle, and are computed again.
        return {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}

    @property
    def exactness(self) -> str:
        """'ball': every eigenvalue is enclosed rigorously."""
        return "ball"

    @property
    def trace(self) -> flint.arb:
        """E k(x, x) as a ball, from the kernel and not from the blocks."""
        with working_precision(256):
            return flint.arb(fmpq(self.centre), flint.arb(fmpq(self.radius)).upper())

    @cached_property
    def _eigenvalues(self) -> dict[Partition, tuple[tuple[flint.arb, int], ...]]:
        return {
            block.partition: tuple(
                (ball, 1) for ball in enclosures(block.matrix, radius=self.radius)
            )
            for block in self.blocks
        }

    def _found(self, partition: Partition) -> tuple[tuple[flint.arb, int], ...]:
        return self._eigenvalues[partition]

    def certificate(self) -> Any:
        """Refused: a certificate re-multiplies exact matrices."""
        raise _no_certificate(self)


@attrs.frozen(repr=False, slots=False)
class FloatSpectrum(Face):
    """A spectrum of floats, each with the digits that two computations share; nothing is proved.

    An eigenvalue with 0 digits cannot be told from zero. `errors` says for each irreducible how
    far its eigenvalues may be off, by the two computations.

    >>> found = spectrum(attention(beta=1, gamma=1), length=2, vocabulary=2, digits=5)
    >>> print(found)
    attention(beta=1, gamma=1), length 2, vocabulary 2: floats, nothing proved
    irrep  dim  eigenvalue  multiplicity
    2      1    1.14        1
    2      1    0.25        1
    2      1    0.026976    1
    1+1    1    0.098574    1
    >>> found.exactness, found.trace_bounds()[0].status, found.trace_bounds()[0].proved
    ('float', 'holds', False)
    """

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    fixed: int
    floats: tuple[FloatBlock, ...]
    trace: FloatValue
    digits: int
    invariance: str
    road: str

    @property
    def exactness(self) -> str:
        """'float': stated digits, nothing proved."""
        return "float"

    @property
    def errors(self) -> dict[Partition, float]:
        """How far the eigenvalues of each irreducible may be off."""
        return {block.partition: block.error for block in self.floats}

    def slack(self, partition: Partition) -> float:
        """How far the eigenvalues of an irreducible may be off."""
        return self.errors[partition]

    @cached_property
    def _eigenvalues(self) -> dict[Partition, tuple[tuple[FloatValue, int], ...]]:
        return {
            block.partition: tuple((value, 1) for value in block.stated(self.digits))
            for block in self.floats
        }

    def _found(self, partition: Partition) -> tuple[tuple[FloatValue, int], ...]:
        return self._eigenvalues[partition]

    @property
    def repeats(self) -> dict[Partition, int]:
        """How often the block of each irreducible is repeated: its dimension."""
        return {block.partition: block.partition.dim for block in self.floats}

    def block(self, partition: Any) -> Any:
        """Refused: the basis of float blocks is not written down."""
        self._known(partition)
        raise NotSupported(
            f"{self.kernel!r} was taken in floats, which keep no blocks: take backend='exact' or "
            "'ball' where the kernel has exact values or balls"
        )

    def certificate(self) -> Any:
        """Refused: floats certify nothing."""
        raise _no_certificate(self)


def _no_certificate(spectrum: Face) -> NotExact:
    return NotExact(
        f"a certificate needs exact numbers, and the spectrum of {spectrum.kernel!r} has "
        f"{spectrum.exactness}s: take a kernel with rational values and backend='exact'; "
        "trace_bounds() says what balls decide"
    )


def ball_spectrum(
    kernel: Any, length: int, vocabulary: int, law: Law, fixed: int, road: str
) -> BallSpectrum:
    """The spectrum in balls of a kernel with exact values or balls."""
    check_work(length - fixed, vocabulary, vocabulary**fixed)
    found = invariant_kernel(kernel, length, vocabulary, fixed=fixed, balls=True)
    near = midpoints(found)
    return BallSpectrum(
        kernel,
        length,
        vocabulary,
        law,
        fixed,
        operator_blocks(near.kernel, law, road),
        mean_diagonal(near.kernel, law),
        near.radius,
        found.invariance,
        road,
    )


def float_spectrum(
    kernel: Any, length: int, vocabulary: int, law: Law, fixed: int, road: str, digits: int
) -> FloatSpectrum:
    """The spectrum in floats of any kernel, with the digits that two computations share."""
    L, V = length, vocabulary
    if road != "binary":
        check_work(L - fixed, V, V**fixed)
    if has_float_values(kernel):
        two, invariance = TwoKernels.computed(kernel, L, V, fixed, digits), "by construction"
    else:
        found = invariant_kernel(kernel, L, V, fixed=fixed, balls=True)
        two, invariance = TwoKernels.rounded(found), found.invariance
    blocks = float_spectrum_blocks(two, L, V, fixed, law, road)
    check_digits(blocks)
    value, error = float_trace(two, L, V, fixed, law)
    trace = FloatValue(value, shared_digits(value, error, digits))
    return FloatSpectrum(kernel, L, V, law, fixed, blocks, trace, digits, invariance, road)
