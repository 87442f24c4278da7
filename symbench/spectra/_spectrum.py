"""Spectrum: the eigenvalues of an invariant kernel operator, irreducible by irreducible of a group.

The operator is (K f)(x) = sum over y of k(x, y) p(y) f(y) on functions of words of length L over
V tokens, k(gx, gy) = k(x, y) and p(gx) = p(x) for all permutations g of positions in a group. It
commutes with the group, so on the copies of an irreducible it is one small block, and every
eigenvalue of the block has the multiplicity of the irreducible's dimension in the operator, times
its own. Exact numbers, balls and floats are three ways to find the eigenvalues of a block.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import attrs
import flint

from symbench._arguments import integer
from symbench.certificates import Certificate, TraceBoundHolds
from symbench.draw.progress import progress
from symbench.draw.views import Shown, View, card, columns_text
from symbench.errors import (
    BadValue,
    NotExact,
    NotSupported,
    TooLarge,
    UnknownName,
)
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, number_text
from symbench.exact.roots import eigenvalues
from symbench.kernels.float_value import FloatValue
from symbench.kernels.on_words import (
    WordKernel,
)
from symbench.laws.base import Law
from symbench.spectra import picture
from symbench.spectra.bounds import TraceBound, negative_vector, trace_bounds
from symbench.spectra.enclosures import enclosures, ring_enclosures
from symbench.spectra.ring_blocks import RingBlock
from symbench.spectra.segment_blocks import (
    DENSE,
)
from symbench.young import Action, Partition
from symbench.young.position_groups import (
    CyclicGroup,
    Group,
    Irrep,
    YoungSubgroup,
    partition_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any

# A Rational, a RealRoot, a ball (FLINT's arb) or a FloatValue.
Number = Any
Times = tuple[tuple[Number, int], ...]

C = TypeVar("C", bound=Certificate)
_SAMPLED = ", invariance sampled"

# Rows whose eigenvalues are found, eigenvalues that are listed one by one.
_ROWS = 600
_LISTED = 1_000_000


# --- blocks -------------------------------------------------------------------------------------
class Block(Protocol):
    """Where the eigenvalues of a piece come from."""

    @property
    def copies(self) -> int:
        """How often the irreducible occurs: one eigenvalue for each copy."""
        ...

    @property
    def error(self) -> float:
        """How far a float eigenvalue may be off; 0 for what is proved."""
        ...

    @property
    def matrix(self) -> Matrix:
        """The small exact matrix of the operator; NotSupported where there is none."""
        ...

    def values(self) -> Times:
        """The eigenvalues, largest first, with their multiplicities in the block."""
        ...


@attrs.frozen
class MatrixBlock:
    """An exact matrix; with a radius, that of the midpoints of a kernel of balls."""

    matrix: Matrix
    radius: Rational | None = None
    error = 0.0

    @property
    def copies(self) -> int:
        """The rows of the matrix."""
        return self.matrix.shape[0]

    def values(self) -> Times:
        """The eigenvalues: exact, or as balls."""
        if self.copies > _ROWS:
            raise TooLarge(
                f"a block has {self.copies} rows, more than {_ROWS}: take shorter words or fewer "
                "tokens; block(irrep) is there"
            )
        if self.radius is None:
            return eigenvalues(self.matrix)
        return tuple((ball, 1) for ball in enclosures(self.matrix, radius=self.radius))


@attrs.frozen
class FrequencyBlock:
    """One frequency of a block on a ring."""

    block: RingBlock
    frequency: int
    radius: Rational | None = None
    error = 0.0

    @property
    def copies(self) -> int:
        """How often the frequency occurs."""
        return self.block.copies

    @property
    def matrix(self) -> Matrix:
        """The rational block of all frequencies that are conjugate to this one."""
        return self.block.matrix

    def values(self) -> Times:
        """The eigenvalues: exact, or as balls."""
        if self.radius is None:
            return self.block.eigenvalues[self.frequency]
        balls = ring_enclosures(self.block, self.frequency, radius=self.radius)
        return tuple((ball, 1) for ball in balls)


@attrs.frozen
class Listed:
    """Eigenvalues that are known without a block of their own."""

    found: Times
    error: float = 0.0

    @property
    def copies(self) -> int:
        """How many eigenvalues there are."""
        return sum(times for _, times in self.found)

    @property
    def matrix(self) -> Matrix:
        """Refused: closed forms and floats keep no blocks."""
        raise NotSupported(
            "closed forms and floats keep no blocks: take backend='exact' or 'ball', and the "
            "algorithm 'binary' or 'tableaux'"
        )

    def values(self) -> Times:
        """The eigenvalues, as they are listed."""
        return self.found


# --- spectra ------------------------------------------------------------------------------------
@attrs.frozen
class Level(Shown):
    """An eigenvalue of the operator on the copies of one irreducible.

    >>> Level(Partition(3, 1), Rational(12), 3).multiplicity
    3
    """

    irrep: Irrep
    eigenvalue: Number
    multiplicity: int

    @property
    def partition(self) -> Partition:
        """The irreducible as a partition: of S_L, or of the first of several segments."""
        return partition_of(self.irrep)


@attrs.frozen
class _Fields:
    """Values that travel by their fields alone: balls do not pickle, and are computed again."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}


@attrs.frozen(repr=False, slots=False)
class Piece(Shown, _Fields):
    """What a spectrum says of one irreducible: all of its copies, largest eigenvalues first.

    >>> Piece(Partition(2, 1), 2, Listed(((Rational(1), 1), (Rational(0), 2)))).eigenvalues
    (1, 0, 0)
    """

    irrep: Irrep
    dimension: int
    source: Block

    def __repr__(self) -> str:
        return f"<Piece {self.irrep!r}: {self.copies} eigenvalues, dimension {self.dimension}>"

    def _view(self) -> View:
        rows = [["eigenvalue", "copies"]]
        for value, times in self.values:
            rows.append([picture.value_text(value, self.error), number_text(times)])
        dimension = number_text(self.dimension)
        return card(f"irrep {self.irrep}, dimension {dimension}", columns_text(rows, right=(1,)))

    @property
    def partition(self) -> Partition:
        """The irreducible as a partition: of S_L, or of the first of several segments."""
        return partition_of(self.irrep)

    @cached_property
    def values(self) -> Times:
        """The different eigenvalues, largest first, each with how often it occurs in the copies."""
        return self.source.values()

    @property
    def eigenvalues(self) -> tuple[Number, ...]:
        """One eigenvalue for each copy, largest first."""
        if sum(times for _, times in self.values) > _LISTED:
            raise TooLarge(f"there are more than {_LISTED:,} copies: ask for values")
        return tuple(itertools.chain.from_iterable([v] * times for v, times in self.values))

    @property
    def copies(self) -> int:
        """How often the irreducible occurs: one eigenvalue for each copy."""
        return self.source.copies

    @property
    def block(self) -> Matrix:
        """The small matrix of the operator on the copies; with balls, that of their midpoints."""
        return self.source.matrix

    @property
    def error(self) -> float:
        """How far a float eigenvalue may be off; 0 for what is proved."""
        return self.source.error


@attrs.frozen(repr=False, slots=False, kw_only=True)
class Spectrum(Shown, _Fields):
    """The spectrum of a kernel; `spectrum(kernel, length=L, vocabulary=V)` makes one.

    `pieces` has what is known of each irreducible of the `group`; `trace` is E k(x, x), computed
    from the kernel and not from the blocks. `numbers` is 'exact' (rational numbers and roots of
    polynomials), 'ball' (the j-th ball of an irreducible holds its j-th eigenvalue) or 'float' (at
    most `digits` digits, as many as two computations share; nothing is proved). `invariance` says
    how the kernel's symmetry is known; `exactness` is both: the numbers, and that the invariance of
    a function was only sampled, where it was. `algorithm` says how the blocks were found.

    In balls, every eigenvalue is within `radius`, the largest radius of a value of the kernel, of
    the one in the same place for the kernel of midpoints (Weyl). Closed forms leave out the
    eigenvalue 0.

    >>> found = spectrum(linear_attention(1, 1), length=4, vocabulary=2)
    >>> found
    <Spectrum of linear_attention(1, 1, readout='sum'), length 4, vocabulary 2: 8 levels>
    >>> found["3+1"].eigenvalues, found["3+1"].dimension, found.trace
    ((12, 1, 0), 3, 314)
    """

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    group: Group
    pieces: tuple[Piece, ...]
    centre: Rational | FloatValue
    numbers: str
    invariance: str
    algorithm: str
    radius: Rational = Rational(0)
    digits: int | None = None

    def __repr__(self) -> str:
        return f"<Spectrum of {self.title}: {len(self.levels)} levels>"

    def __str__(self) -> str:
        return self.table()

    @property
    def title(self) -> str:
        """What it is the spectrum of, in a line, with what it rests on."""
        size = f"length {number_text(self.length)}, vocabulary {number_text(self.vocabulary)}"
        group = "" if self._is_symmetric else f", under {self.group!r}"
        return f"{self.kernel!r}, {size}{group}{_SAMPLED * self.is_sampled}"

    @property
    def is_sampled(self) -> bool:
        """Whether the kernel is a function whose invariance was seen on some pairs of words only.

        >>> def agreements(x, y):
        ...     return sum(u == v for u, v in zip(x, y, strict=True))
        >>> found = spectrum(agreements, length=10, vocabulary=2)
        >>> found.is_sampled, found.exactness, found.numbers
        (True, 'exact, invariance sampled', 'exact')
        """
        return self.invariance.startswith("sampled")

    @property
    def exactness(self) -> str:
        """What the numbers are, and whether they rest on a sample."""
        return f"{self.numbers}{_SAMPLED * self.is_sampled}"

    @property
    def _is_symmetric(self) -> bool:
        """Whether the group is S_L."""
        return isinstance(self.group, YoungSubgroup) and len(self.group.parts) == 1

    @property
    def trace(self) -> Number:
        """E k(x, x), from the kernel and not from the blocks."""
        if self.numbers != "ball":
            return self.centre
        with working_precision(256):
            radius = flint.arb(fmpq(self.radius)).upper()
            return flint.arb(fmpq(Rational(self.centre)), radius)

    # --- pieces and levels ----------------------------------------------------------------------
    @property
    def irreps(self) -> tuple[Irrep, ...]:
        """The irreducibles that occur; with closed forms, those with an eigenvalue but 0."""
        return tuple(piece.irrep for piece in self.pieces)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The irreducibles as partitions: of S_L, or of the positions that move."""
        return tuple(map(partition_of, self.irreps))

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All eigenvalues by irreducible, each with its largest eigenvalue first.

        The multiplicities add up to the number of words, unless the eigenvalue 0 is left out.
        """
        found = []
        with progress("eigenvalues", sum(piece.copies**3 for piece in self.pieces)) as report:
            for piece in self.pieces:
                for value, times in piece.values:
                    found.append(Level(piece.irrep, value, times * piece.dimension))
                report(piece.copies**3)
        return tuple(found)

    @property
    def dimension(self) -> int:
        """The number of words."""
        return int(self.vocabulary**self.length)

    @property
    def reached(self) -> tuple[Irrep, ...]:
        """The irreducibles with an eigenvalue that is known not to be zero.

        Exact numbers and balls prove it; floats say it by the digits that they state.

        >>> spectrum(linear_attention(1, 1), length=6, vocabulary=3).reached
        (Partition(6), Partition(5, 1))
        """
        found = (x.irrep for x in self.levels if picture.is_nonzero(x.eigenvalue))
        return tuple(dict.fromkeys(found))

    @property
    def errors(self) -> dict[Irrep, float]:
        """How far the float eigenvalues of each irreducible may be off."""
        return {piece.irrep: piece.error for piece in self.pieces}

    def __iter__(self) -> Iterator[Level]:
        return iter(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    @cached_property
    def _places(self) -> dict[Irrep, Piece]:
        return {piece.irrep: piece for piece in self.pieces}

    def __getitem__(self, irrep: Any) -> Piece:
        wanted = self.group.irrep(irrep)
        if wanted in self._places:
            return self._places[wanted]
        if self.algorithm in ("closed-form", "johnson"):
            return Piece(wanted, self.group.dimension(wanted), Listed(()))
        listed = ", ".join(map(self.group.text, self.irreps[:8]))
        raise UnknownName(
            f"{self.group.text(wanted)} does not occur: there are {listed}"
            f"{', ...' if len(self.irreps) > 8 else ''}"
        )

    def block(self, irrep: Any) -> Matrix:
        """The small matrix of the operator on the copies of an irreducible.

        With balls it is that of the kernel of midpoints. For a frequency of a ring it is the block
        of all frequencies j with one value of gcd(j, L), which are conjugate over the rational
        numbers; 0 and L/2 have blocks of their own.

        >>> spectrum(linear_attention(1, 1), length=3, vocabulary=2).block("2+1")
        Matrix([[4, '7/2'],
                ['7/2', 4]])
        """
        return self[irrep].block

    # --- what follows ---------------------------------------------------------------------------
    def trace_bounds(self) -> tuple[TraceBound, ...]:
        """The bounds E k(x, x) / (j dim) on the j-th eigenvalue of each irreducible.

        The dimensions of a cyclic group are 1 and 2, so there the bound says little: it does not
        fall with L, as that of S_L does.

        >>> bounds = spectrum(linear_attention(1, 1), length=4, vocabulary=2).trace_bounds()
        >>> all(bound.holds for bound in bounds), bounds[5]
        (True, TraceBound(Partition(3, 1), 1, 12, 314/3))
        """
        return trace_bounds(self)

    def negative_vector(self) -> tuple[int, ...] | None:
        """A vector v over the words with v^T k v < 0, or None if the operator is semidefinite.

        The words are in lexicographic order, those of probability 0 left at 0.
        """
        self._need_exact("a vector")
        return negative_vector(self)

    def matrix(self) -> Matrix:
        """The whole operator over the words in lexicographic order: k(x, y) p(y).

        >>> spectrum(inner_product(lambda n: 4 * n), length=1, vocabulary=2).matrix()
        Matrix([[2, 0],
                [0, 2]], QQ)
        """
        self._need_exact("the operator")
        if self.dimension > DENSE:
            raise TooLarge(
                f"the operator is a matrix of {number_text(self.dimension)} rows, more than "
                f"{DENSE}: ask for block(irrep)"
            )
        words = list(itertools.product(range(self.vocabulary), repeat=self.length))
        array = np.array(words)
        values, below = WordKernel(self.kernel, self.length, self.vocabulary).gram(array, array)
        chances = [fmpq(self.law.probability(word)) / below for word in words]
        return Matrix(
            flint.fmpq_mat(
                [[p * v for v, p in zip(row, chances, strict=True)] for row in values.tolist()]
            )
        )

    def certificate(self) -> Certificate:
        """A certificate that re-multiplies: the operator is block diagonal in an exact basis.

        >>> spectrum(linear_attention(1, 1), length=3, vocabulary=2).certificate().explain()
        'block diagonal in a basis: 4 x 4 (1 time), 2 x 2 (2 times)'
        """
        from symbench.decide import block_certificate
        from symbench.young import block_form

        self._need_exact("a certificate")
        if not self._is_symmetric:
            raise BadValue("a certificate is made for the whole S_L: take no group")
        whole = self.matrix()
        form = block_form(Action.words(self.length, self.vocabulary), whole)
        return self._noted(block_certificate(form, whole))

    def _noted(self, certificate: C) -> C:
        """A certificate with a note of what the spectrum rests on, which no check can see."""
        if not self.is_sampled:
            return certificate
        said = f"that {self.kernel!r} is invariant under {self.group!r} was only sampled"
        return attrs.evolve(certificate, note=said)

    def trace_certificate(self, irrep: Any, place: int = 1) -> TraceBoundHolds:
        """The certificate that the j-th eigenvalue of an irreducible is within its trace bound.

        >>> found = spectrum(linear_attention(1, 1), length=4, vocabulary=2)
        >>> certificate = found.trace_certificate("3+1")
        >>> certificate.explain(), certificate.check()
        ('eigenvalue 1 of the block is at most 314/3 = 314 / (1 * 3)', True)
        """
        self._need_exact("a certificate")
        if isinstance(self.group, CyclicGroup):
            raise NotSupported("a block on a ring has several frequencies: take segments, or S_L")
        piece = self[irrep]
        number = integer(place, "the place", at_least=1, at_most=piece.copies)
        found = TraceBoundHolds(
            place=number, dimension=piece.dimension, trace=self.trace, subject=piece.block
        )
        if not found.check():
            raise BadValue(
                f"the bound {found.bound} does not hold for eigenvalue {number} of "
                f"{piece.irrep!r}: the kernel is not positive semidefinite"
            )
        return self._noted(found)

    def _need_exact(self, what: str) -> None:
        if self.numbers != "exact":
            raise NotExact(
                f"{what} needs exact numbers, and the spectrum of {self.kernel!r} has "
                f"{self.numbers}s: take a kernel with rational values and backend='exact'; "
                "trace_bounds() says what balls decide"
            )

    # --- pictures -------------------------------------------------------------------------------
    def table(self, *, limit: int = 40) -> str:
        """The levels as text, at most `limit` lines."""
        return picture.spectrum_table(self, integer(limit, "limit", at_least=1))

    def latex(self) -> str:
        """The levels as a LaTeX tabular."""
        return picture.spectrum_latex(self)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Positive eigenvalues beside the bound trace / dim (matplotlib), saved to a path if given.

        They stand against the dimension of their irreducible for S_L; dimensions say little for
        smaller groups, where each irreducible has a place of its own.
        """
        return picture.spectrum_plot(self, path)
