"""Spectrum: the exact spectrum of an invariant kernel operator, block by irreducible.

The operator is (K f)(x) = sum over y of k(x, y) p(y) f(y) on functions of words of length L over
V tokens, k(gx, gy) = k(x, y) and p(gx) = p(x) for all permutations g of positions. It commutes with
S_L, so on the s_lambda(1^V) copies of the irreducible S^lambda it is one small block, and every
eigenvalue of the block has multiplicity dim S^lambda in the operator, times its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from symbench._arguments import integer, shown
from symbench.certificates import TraceBoundHolds
from symbench.errors import BadValue, TooLarge
from symbench.exact import Matrix, Rational
from symbench.exact.rational import number_text
from symbench.exact.roots import Eigenvalue, eigenvalues
from symbench.kernels.float_value import MOST_DIGITS
from symbench.laws.exchangeable import Law, read_law, sizes
from symbench.spectra.approximate import ball_spectrum, float_spectrum
from symbench.spectra.backends import choose_backend
from symbench.spectra.blocks import (
    DENSE,
    choose_road,
    mean_diagonal,
    operator_blocks,
    whole_operator,
)
from symbench.spectra.bounds import negative_vector
from symbench.spectra.face import BlockFace, Level, Piece
from symbench.spectra.invariant import invariant_kernel
from symbench.young import Action, Block, Partition

if TYPE_CHECKING:
    from symbench.spectra.group_spectrum import GroupSpectrum

__all__ = ["Level", "Piece", "Spectrum", "spectrum"]


@attrs.frozen(repr=False, slots=False)
class Spectrum(BlockFace):
    """An exact spectrum; `spectrum(kernel, length=L, vocabulary=V)` makes one.

    `blocks` has the small matrix of each irreducible and how often it is repeated; `trace` is
    E k(x, x), computed from the kernel and not from the blocks; `invariance` says how the
    kernel's symmetry is known, `road` how the blocks were found.

    >>> found = spectrum(linear_attention(1, 1), length=4, vocabulary=2)
    >>> found
    <Spectrum of linear_attention(1, 1, readout='sum'), length 4, vocabulary 2: 8 levels>
    >>> found[Partition(3, 1)].eigenvalues, found[Partition(3, 1)].dimension
    ((12, 1, 0), 3)
    >>> found.trace
    314
    """

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    fixed: int
    blocks: tuple[Block, ...]
    trace: Rational
    invariance: str
    road: str

    @property
    def exactness(self) -> str:
        """'exact': every eigenvalue is a rational number or a root of a polynomial."""
        return "exact"

    @cached_property
    def _eigenvalues(self) -> dict[Partition, tuple[tuple[Eigenvalue, int], ...]]:
        return {block.partition: eigenvalues(block.matrix) for block in self.blocks}

    def _found(self, partition: Partition) -> tuple[tuple[Eigenvalue, int], ...]:
        return self._eigenvalues[partition]

    # --- what follows ---------------------------------------------------------------------
    def negative_vector(self) -> tuple[int, ...] | None:
        """A vector v over the words with v^T k v < 0, or None if the operator is semidefinite.

        The words are in lexicographic order, those of probability 0 left at 0.
        """
        return negative_vector(self)

    def matrix(self) -> Matrix:
        """The whole operator over the words in lexicographic order: k(x, y) p(y).

        >>> spectrum(inner_product(lambda n: 4 * n), length=1, vocabulary=2).matrix()
        Matrix([[2, 0],
                [0, 2]], QQ)
        """
        size = self.vocabulary**self.length
        if size > DENSE:
            raise TooLarge(
                f"the operator is a matrix of {number_text(size)} rows, more than {DENSE}: ask "
                "for block(partition)"
            )
        kernel = invariant_kernel(self.kernel, self.length, self.vocabulary, fixed=self.fixed)
        return whole_operator(kernel, self.law)

    def certificate(self) -> Any:
        """A certificate that re-multiplies: the operator is block diagonal in an exact basis.

        >>> found = spectrum(linear_attention(1, 1), length=3, vocabulary=2)
        >>> found.certificate().explain()
        'block diagonal in a basis: 4 x 4 (1 time), 2 x 2 (2 times)'
        """
        from symbench.decide import block_certificate
        from symbench.young import block_form

        if self.fixed:
            raise BadValue("a certificate is made for the whole S_L: take fixed=0")
        whole = self.matrix()
        return block_certificate(
            block_form(Action.words(self.length, self.vocabulary), whole), whole
        )

    def trace_certificate(self, partition: Any, place: int = 1) -> TraceBoundHolds:
        """The certificate that the j-th eigenvalue of an irreducible is within its trace bound.

        >>> found = spectrum(linear_attention(1, 1), length=4, vocabulary=2)
        >>> certificate = found.trace_certificate("3+1")
        >>> certificate.explain(), certificate.check()
        ('eigenvalue 1 of the block is at most 314/3 = 314 / (1 * 3)', True)
        """
        wanted = self._known(partition)
        block = self.block(wanted)
        number = integer(place, "the place", at_least=1, at_most=block.shape[0])
        found = TraceBoundHolds(
            place=number, dimension=self.repeats[wanted], trace=self.trace, subject=block
        )
        if not found.check():
            raise BadValue(
                f"the bound {found.bound} does not hold for eigenvalue {number} of {wanted!r}: "
                "the kernel is not positive semidefinite"
            )
        return found


def spectrum(
    kernel: Any,
    *,
    length: int,
    vocabulary: int,
    law: Law | None = None,
    fixed: int = 0,
    group: Any = None,
    road: str | None = None,
    backend: str | None = None,
    digits: int = 8,
) -> Any:
    """The spectrum of a kernel on words of length L over V tokens, by irreducible of S_L.

    The kernel is one of `sb.kernels`, a `TableKernel`, or a function of two words (tuples of
    tokens 0, ..., V - 1) with exact values. It must be symmetric, and must not change when
    the positions of both words are permuted; with `fixed=k` the last k positions stay where
    they are, and the group is S_(L-k). law None is the uniform law. road is 'binary' (V = 2),
    'tableaux' (every V) or 'words' (all V^L words, small cases), None for the cheapest.

    backend is 'exact' (a `Spectrum`), 'ball' (a `BallSpectrum`: rigorous enclosures) or 'float'
    (a `FloatSpectrum`: at most `digits` digits, as many as two computations share; for long
    words where only numbers are wanted). None or 'auto' takes what the kernel's values are:
    softmax attention at finite parameters has floats, a relu layer over linear attention balls.

    group is a smaller group than S_L, if the kernel and the law have no more: 'cyclic' for
    rotations (stationary data), or the sizes of segments, such as (3, 2), for permutations inside
    each; see `group_spectrum`.

    >>> flatten = linear_attention(1, 1, readout="flatten")
    >>> for level in spectrum(flatten, length=3, vocabulary=2, law=IidLaw("1/3", "2/3")):
    ...     print(level.partition, level.eigenvalue, level.multiplicity)
    3 57.69946191.. 1
    3 13.25644381.. 1
    3 1.488538725.. 1
    3 0 1
    2+1 8.805719723.. 2
    2+1 0.9720580544.. 2
    >>> spectrum(transformer("relu", flatten), length=3, vocabulary=2).exactness
    'ball'
    >>> spectrum(flatten, length=100, vocabulary=2, backend="float")["98+2"].eigenvalues[0]
    FloatValue(value=..., digits=8)
    >>> spectrum(flatten, length=4, vocabulary=2, group="cyclic")
    <GroupSpectrum of ...>
    >>> spectrum(linear_attention(1, 1, readout="last"), length=2, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: linear_attention(1, 1, readout='last') is not invariant: \
k((0, 0), (0, 1)) = 6, and after the transposition (1 2) of positions k((0, 0), (1, 0)) = 12; with \
fixed=1 the last position stays put, and S_(L-1) is its symmetry
    """
    if group is not None:
        return _under_group(
            group, kernel, length, vocabulary, law, fixed=fixed, road=road, backend=backend
        )
    L, V = sizes(length, vocabulary)
    held = integer(fixed, "fixed", at_least=0)
    if held >= L:
        raise BadValue(f"fixed is {held}: at least one of the {L} positions must move")
    wanted = integer(digits, "digits", at_least=1, at_most=MOST_DIGITS)
    chosen = read_law(law, L, V)
    kind = choose_backend(backend, kernel, L, V, held)
    way = choose_road(road, L - held, V, floats=kind == "float")
    if V**held > 64:
        raise TooLarge(f"the {held} fixed positions have {V}^{held} words: take fewer")
    if kind == "float":
        return float_spectrum(kernel, L, V, chosen, held, way, wanted)
    if kind == "ball":
        return ball_spectrum(kernel, L, V, chosen, held, way)
    found = invariant_kernel(kernel, L, V, fixed=held)
    blocks, trace = operator_blocks(found, chosen, way), mean_diagonal(found, chosen)
    return Spectrum(found.source, L, V, chosen, held, blocks, trace, found.invariance, way)


def _under_group(
    group: Any, kernel: Any, length: int, vocabulary: int, law: Any, **others: Any
) -> GroupSpectrum:
    from symbench.spectra.group_spectrum import group_spectrum

    if others["backend"] in ("auto", "exact"):
        others["backend"] = None
    for name, value in others.items():
        if value:
            raise BadValue(f"{name} is {shown(value)}: a group has one exact road, leave it out")
    return group_spectrum(kernel, length=length, vocabulary=vocabulary, law=law, group=group)
