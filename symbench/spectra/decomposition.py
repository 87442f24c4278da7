"""Spectrum: the exact spectrum of an invariant kernel operator, block by irreducible.

The operator is (K f)(x) = sum over y of k(x, y) p(y) f(y) on functions of words of length L over
V tokens, k(gx, gy) = k(x, y) and p(gx) = p(x) for all permutations g of positions. It commutes with
S_L, so on the s_lambda(1^V) copies of the irreducible S^lambda it is one small block, and every
eigenvalue of the block has multiplicity dim S^lambda in the operator, times its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import attrs

from symbench.errors import BadValue, TooLarge, UnknownName
from symbench.exact import Matrix, Rational
from symbench.exact.rational import integer, number_text
from symbench.spectra.blocks import (
    DENSE,
    choose_road,
    mean_diagonal,
    operator_blocks,
    whole_operator,
)
from symbench.spectra.bounds import TraceBound, negative_vector, trace_bounds
from symbench.spectra.invariant import invariant_kernel
from symbench.spectra.law import Law, read_law, sizes
from symbench.spectra.picture import spectrum_latex, spectrum_plot, spectrum_table
from symbench.spectra.roots import Eigenvalue, eigenvalues
from symbench.young import Action, Block, Partition
from symbench.young.partition import as_partition


@attrs.frozen
class Level:
    """An eigenvalue of the operator on the copies of one irreducible.

    >>> from symbench.young import Partition
    >>> Level(Partition(3, 1), Rational(12), 3).multiplicity
    3
    """

    partition: Partition
    eigenvalue: Eigenvalue
    multiplicity: int


@attrs.frozen
class Piece:
    """What a spectrum says of one irreducible: all of its copies, largest eigenvalues first.

    >>> from symbench.young import Partition
    >>> Piece(Partition(2, 1), (Rational(1), Rational(0)), 2).copies
    2
    """

    partition: Partition
    eigenvalues: tuple[Eigenvalue, ...]
    dimension: int

    @property
    def copies(self) -> int:
        """How often the irreducible occurs: one eigenvalue for each copy."""
        return len(self.eigenvalues)


@attrs.frozen(repr=False, slots=False)
class Spectrum:
    """An exact spectrum; `spectrum(kernel, length=L, vocabulary=V)` makes one.

    `blocks` has the small matrix of each irreducible and how often it is repeated; `trace` is
    E k(x, x), computed from the kernel and not from the blocks; `invariance` says how the
    kernel's symmetry is known, `road` how the blocks were found.

    >>> from symbench.kernels import linear_attention
    >>> from symbench.spectra import spectrum
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

    def __repr__(self) -> str:
        return f"<Spectrum of {self.title}: {len(self.levels)} levels>"

    @property
    def title(self) -> str:
        """What it is the spectrum of, in a line."""
        more = f", last {self.fixed} fixed" if self.fixed else ""
        return f"{self.kernel!r}, length {self.length}, vocabulary {self.vocabulary}{more}"

    def __str__(self) -> str:
        return self.table()

    @cached_property
    def _eigenvalues(self) -> dict[Partition, tuple[tuple[Eigenvalue, int], ...]]:
        return {block.partition: eigenvalues(block.matrix) for block in self.blocks}

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All eigenvalues by irreducible; the multiplicities add up to the dimension.

        Irreducibles come in the order of partitions, each with its largest eigenvalue first.
        """
        return tuple(
            Level(block.partition, value, times * block.repeats)
            for block in self.blocks
            for value, times in self._eigenvalues[block.partition]
        )

    @property
    def dimension(self) -> int:
        """The number of words: the sum of all multiplicities."""
        return sum(block.matrix.shape[0] * block.repeats for block in self.blocks)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The irreducibles that occur."""
        return tuple(block.partition for block in self.blocks)

    def __iter__(self) -> Iterator[Level]:
        return iter(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, partition: Any) -> Piece:
        block = self._block(partition)
        values = self._eigenvalues[block.partition]
        repeated = itertools.chain.from_iterable([value] * times for value, times in values)
        return Piece(block.partition, tuple(repeated), block.repeats)

    def block(self, partition: Any) -> Matrix:
        """The small matrix of the operator on the copies of an irreducible.

        >>> from symbench.kernels import linear_attention
        >>> from symbench.spectra import spectrum
        >>> spectrum(linear_attention(1, 1), length=3, vocabulary=2).block(Partition(2, 1))
        Matrix([[4, '7/2'],
                ['7/2', 4]])
        """
        found: Matrix = self._block(partition).matrix
        return found

    def _block(self, partition: Any) -> Block:
        wanted = as_partition(partition, "the partition")
        for block in self.blocks:
            if block.partition == wanted:
                return block
        raise UnknownName(
            f"{wanted!r} does not occur: there are {', '.join(map(repr, self.partitions[:8]))}"
            f"{', ...' if len(self.blocks) > 8 else ''}"
        )

    # --- what follows ---------------------------------------------------------------------
    def trace_bounds(self) -> tuple[TraceBound, ...]:
        """The bounds E k(x,x) / (j dim) on the j-th eigenvalue of each irreducible.

        >>> from symbench.kernels import linear_attention
        >>> from symbench.spectra import spectrum
        >>> bounds = spectrum(linear_attention(1, 1), length=4, vocabulary=2).trace_bounds()
        >>> all(bound.holds for bound in bounds), bounds[5]
        (True, TraceBound(Partition(3, 1), 1, 12, 314/3))
        """
        return trace_bounds(self)

    def negative_vector(self) -> tuple[int, ...] | None:
        """A vector v over the words with v^T k v < 0, or None if the operator is semidefinite.

        The words are in lexicographic order, those of probability 0 left at 0.
        """
        return negative_vector(self)

    def matrix(self) -> Matrix:
        """The whole operator over the words in lexicographic order: k(x, y) p(y).

        >>> from symbench.kernels import inner_product
        >>> from symbench.spectra import spectrum
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

        >>> from symbench.kernels import linear_attention
        >>> from symbench.spectra import spectrum
        >>> found = spectrum(linear_attention(1, 1), length=3, vocabulary=2)
        >>> found.certificate().explain()
        'block diagonal in a basis: 4 x 4 (1 time), 2 x 2 (2 times)'
        """
        from symbench.young import block_form
        from symbench.young.certificates import block_certificate

        if self.fixed:
            raise BadValue("a certificate is made for the whole S_L: take fixed=0")
        whole = self.matrix()
        return block_certificate(
            block_form(Action.words(self.length, self.vocabulary), whole), whole
        )

    def table(self, *, limit: int = 40) -> str:
        """The levels as text, at most so many lines."""
        return spectrum_table(self, integer(limit, "limit", at_least=1))

    def latex(self) -> str:
        """The levels as a LaTeX tabular."""
        return spectrum_latex(self)

    def _repr_latex_(self) -> str:
        return self.latex()

    def plot(self, path: Any = None) -> Any:
        """Positive eigenvalues against the dimension of their irreducible (matplotlib).

        Returns the figure, and saves it if a path is given.
        """
        return spectrum_plot(self, path)


def spectrum(
    kernel: Any,
    *,
    length: int,
    vocabulary: int,
    law: Law | None = None,
    fixed: int = 0,
    road: str | None = None,
) -> Spectrum:
    """The exact spectrum of a kernel on words of length L over V tokens, by irreducible of S_L.

    The kernel is one of `sb.kernels`, a `TableKernel`, or a function of two words (tuples of
    tokens 0, ..., V - 1) with exact values. It must be symmetric, and must not change when
    the positions of both words are permuted; with `fixed=k` the last k positions stay where
    they are, and the group is S_(L-k). law None is the uniform law. road is 'binary' (V = 2),
    'tableaux' (every V) or 'words' (all V^L words, small cases), None for the cheapest.

    >>> from symbench.kernels import linear_attention
    >>> from symbench.spectra import IidLaw, spectrum
    >>> flatten = linear_attention(1, 1, readout="flatten")
    >>> for level in spectrum(flatten, length=3, vocabulary=2, law=IidLaw("1/3", "2/3")):
    ...     print(level.partition, level.eigenvalue, level.multiplicity)
    3 57.69946191.. 1
    3 13.25644381.. 1
    3 1.488538725.. 1
    3 0 1
    2+1 8.805719723.. 2
    2+1 0.9720580544.. 2
    >>> spectrum(linear_attention(1, 1, readout="last"), length=2, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: linear_attention(1, 1, readout='last') is not invariant: \
k((0, 0), (0, 1)) = 6, and after the transposition (1 2) of positions k((0, 0), (1, 0)) = 12; with \
fixed=1 the last position stays put, and S_(L-1) is its symmetry
    """
    L, V = sizes(length, vocabulary)
    held = integer(fixed, "fixed", at_least=0)
    if held >= L:
        raise BadValue(f"fixed is {held}: at least one of the {L} positions must move")
    chosen = read_law(law, L, V)
    way = choose_road(road, L - held, V)
    if V**held > 64:
        raise TooLarge(f"the {held} fixed positions have {V}^{held} words: take fewer")
    found = invariant_kernel(kernel, L, V, fixed=held)
    blocks, trace = operator_blocks(found, chosen, way), mean_diagonal(found, chosen)
    return Spectrum(found.source, L, V, chosen, held, blocks, trace, found.invariance, way)
