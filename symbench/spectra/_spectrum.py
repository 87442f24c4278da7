"""Spectrum: the eigenvalues of an invariant kernel operator, irreducible by irreducible of a group.

The operator is (K f)(x) = sum over y of k(x, y) p(y) f(y) on functions of words of length L over
V tokens, k(gx, gy) = k(x, y) and p(gx) = p(x) for all permutations g of positions in a group. It
commutes with the group, so on the copies of an irreducible it is one small block, and every
eigenvalue of the block has the multiplicity of the irreducible's dimension in the operator, times
its own. Exact numbers, balls and floats are three ways to find the eigenvalues of a block.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import flint

from symbench._arguments import choice, integer, shown
from symbench.certificates import Certificate, TraceBoundHolds
from symbench.errors import (
    BadType,
    BadValue,
    NotExact,
    NotSupported,
    TooLarge,
    UnknownName,
)
from symbench.exact import Matrix, Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, number_text
from symbench.exact.roots import eigenvalues
from symbench.kernels.float_value import MOST_DIGITS, FloatValue
from symbench.kernels.on_words import (
    Tables,
    Word,
    WordKernel,
    flipped,
    merging,
    tables_of,
    tables_with,
    whole_numbers,
)
from symbench.laws.base import Law, read_law
from symbench.laws.counts import Subsets
from symbench.spectra import linear_forms, picture
from symbench.spectra.bounds import TraceBound, negative_vector, trace_bounds
from symbench.spectra.enclosures import check_work, enclosures, midpoints, ring_enclosures
from symbench.spectra.floats import (
    FloatBlock,
    TwoKernels,
    against_lapack,
    binary_floats,
    check_digits,
    float_trace,
    nearest,
    of_two_lists,
)
from symbench.spectra.ring_blocks import Necklaces, RingBlock, check_sizes, ring_blocks, ring_trace
from symbench.spectra.segment_blocks import (
    DENSE,
    chance_of,
    choose_algorithm,
    segment_blocks,
    segment_trace,
    words_up_to,
)
from symbench.young import Action, Partition, johnson_spectrum, word_decomposition
from symbench.young.position_groups import CyclicGroup, Group, Irrep, YoungSubgroup, read_group

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any

# A Rational, a RealRoot, a ball (FLINT's arb) or a FloatValue.
Number = Any
Times = tuple[tuple[Number, int], ...]

BACKENDS = ("exact", "ball", "float")
ALGORITHMS = ("binary", "tableaux", "words", "ring", "closed-form", "johnson")
# The longest words on which a kernel that sees words is asked for a value; rows whose eigenvalues
# are found, eigenvalues that are listed one by one.
_LONGEST = 10**6
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
class Level:
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


def partition_of(irrep: Irrep) -> Partition:
    """The partition of an irreducible of S_L; of several segments, that of the first."""
    first = irrep[0] if isinstance(irrep, tuple) else irrep
    if not isinstance(first, Partition):
        raise BadType(f"the irrep {shown(irrep)} is no partition: S_L has partitions")
    return first


class _Fields:
    """Values that travel by their fields alone: balls do not pickle, and are computed again."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}


@attrs.frozen(repr=False, slots=False)
class Piece(_Fields):
    """What a spectrum says of one irreducible: all of its copies, largest eigenvalues first.

    >>> Piece(Partition(2, 1), 2, Listed(((Rational(1), 1), (Rational(0), 2)))).eigenvalues
    (1, 0, 0)
    """

    irrep: Irrep
    dimension: int
    source: Block

    def __repr__(self) -> str:
        return f"<Piece {self.irrep!r}: {self.copies} eigenvalues, dimension {self.dimension}>"

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
class Spectrum(_Fields):
    """The spectrum of a kernel; `spectrum(kernel, length=L, vocabulary=V)` makes one.

    `pieces` has what is known of each irreducible of the `group`; `trace` is E k(x, x), computed
    from the kernel and not from the blocks. `exactness` is 'exact' (rational numbers and roots of
    polynomials), 'ball' (the j-th ball of an irreducible holds its j-th eigenvalue) or 'float' (at
    most `digits` digits, as many as two computations share; nothing is proved). `invariance` says
    how the kernel's symmetry is known, `algorithm` how the blocks were found.

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
    exactness: str
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
        sampled = ", invariance sampled" if self.invariance.startswith("sampled") else ""
        return f"{self.kernel!r}, {size}{group}{sampled}"

    @property
    def _is_symmetric(self) -> bool:
        """Whether the group is S_L."""
        return isinstance(self.group, YoungSubgroup) and len(self.group.parts) == 1

    @property
    def trace(self) -> Number:
        """E k(x, x), from the kernel and not from the blocks."""
        if self.exactness != "ball":
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
        return tuple(
            Level(piece.irrep, value, times * piece.dimension)
            for piece in self.pieces
            for value, times in piece.values
        )

    @property
    def dimension(self) -> int:
        """The number of words."""
        return self.vocabulary**self.length

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
        import numpy as np

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
        return block_certificate(form, whole)

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
        return found

    def _need_exact(self, what: str) -> None:
        if self.exactness != "exact":
            raise NotExact(
                f"{what} needs exact numbers, and the spectrum of {self.kernel!r} has "
                f"{self.exactness}s: take a kernel with rational values and backend='exact'; "
                "trace_bounds() says what balls decide"
            )

    # --- pictures -------------------------------------------------------------------------------
    def table(self, *, limit: int = 40) -> str:
        """The levels as text, at most `limit` lines."""
        return picture.spectrum_table(self, integer(limit, "limit", at_least=1))

    def latex(self) -> str:
        """The levels as a LaTeX tabular."""
        return picture.spectrum_latex(self)

    def _repr_latex_(self) -> str:
        return self.latex()

    def plot(self, path: str | Path | None = None) -> Figure:
        """Positive eigenvalues beside the bound trace / dim (matplotlib), saved to a path if given.

        They stand against the dimension of their irreducible for S_L; dimensions say little for
        smaller groups, where each irreducible has a place of its own.
        """
        return picture.spectrum_plot(self, path)


# --- how a spectrum is found --------------------------------------------------------------------
def spectrum(
    kernel: Any,
    *,
    length: int,
    vocabulary: int,
    law: Law | None = None,
    group: Any = None,
    fixed: int = 0,
    algorithm: str | None = None,
    backend: str | None = None,
    digits: int = 8,
) -> Spectrum:
    """The spectrum of a kernel on words of length L over V tokens, by irreducible of a group.

    The kernel is one of `sb.kernels`, an object with on_table or on_tables, or a function of two
    words (tuples of tokens 0, ..., V - 1). It must be symmetric, and must not change when the same
    permutation of the group is applied to both words; the law, None for the uniform one, must not
    change either. The group is S_L if it is left out; 'cyclic' for rotations, or the sizes of
    segments, such as (3, 2), for permutations inside each. fixed=k is the group (L - k, 1, ..., 1):
    the last k positions stay where they are.

    backend is 'exact', 'ball' (rigorous enclosures) or 'float' (at most `digits` digits, for long
    words where only numbers are wanted). None or 'auto' takes what the kernel's values are:
    softmax attention at finite parameters has floats, a relu layer over linear attention balls.

    algorithm is 'binary' (V = 2), 'tableaux' (every V), 'words' (all V^L words, small cases),
    'ring' (rotations), 'closed-form' (one layer of linear attention on independent tokens, any
    length) or 'johnson' (words of one weight, by the law Subsets); None takes the cheapest that
    gives every eigenvalue, and closed forms where the others do not reach.

    >>> flatten = linear_attention(1, 1, readout="flatten")
    >>> for level in spectrum(flatten, length=3, vocabulary=2, law=Iid("1/3", "2/3")):
    ...     print(level.irrep, level.eigenvalue, level.multiplicity)
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
    >>> spectrum(flatten, length=10**6, vocabulary=50000)["999998+1+1"].eigenvalues[0]
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: there are more than 1,000,000 copies: ask for values
    >>> ring = spectrum(flatten, length=4, vocabulary=2, group="cyclic")
    >>> ring[1].eigenvalues[:2], ring[1].dimension
    ((14, 3/2), 2)
    >>> spectrum(linear_attention(1, 1, readout="last"), length=2, vocabulary=2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: linear_attention(1, 1, readout='last') is not invariant under \
YoungSubgroup(2): k((0, 0), (0, 1)) = 6, and after the transposition (1 2) of positions \
k((0, 0), (1, 0)) = 12; with fixed=1 the last position stays put
    """
    L = integer(length, "the length", at_least=1)
    V = integer(vocabulary, "the vocabulary", at_least=1)
    chosen = _group(group, fixed, L)
    wanted = integer(digits, "digits", at_least=1, at_most=MOST_DIGITS)
    request = _Request(kernel, L, V, read_law(law, L, V, chosen), chosen, wanted)
    kind = _backend(backend, request.words)
    way = request.algorithm(algorithm, kind)
    if way == "closed-form":
        return request.closed_form()
    if way == "johnson":
        return request.johnson()
    if isinstance(chosen, CyclicGroup):
        return _Ring(request, kind).spectrum()
    return _Segments(request, kind, way, chosen).spectrum()


def _group(group: Any, fixed: Any, length: int) -> Group:
    held = integer(fixed, "fixed", at_least=0)
    if not held:
        return read_group(group, length)
    if group is not None:
        raise BadValue(f"fixed is {held} and the group is {shown(group)}: give one of them")
    if held >= length:
        raise BadValue(f"fixed is {held}: at least one of the {length} positions must move")
    return YoungSubgroup(length - held, *[1] * held)


def _backend(backend: Any, kernel: WordKernel) -> str:
    """The backend asked for, if the kernel's values allow it; None and 'auto' take the values'."""
    if backend is not None:
        choice(backend, "the backend", ("auto", *BACKENDS))
    if kernel.segments is None and kernel.length > _LONGEST:
        raise TooLarge(
            f"words of length {number_text(kernel.length)}: ask for at most {_LONGEST:,}"
        )
    kind = kernel.exactness
    if backend is None or backend == "auto":
        return kind
    asked = str(backend)
    if BACKENDS.index(asked) < BACKENDS.index(kind):
        what = "exact" if asked == "exact" else "proved by a radius"
        raise NotExact(
            f"the values of {kernel.source!r} are {kind}s, not {what}: take backend={kind!r}, or "
            "leave the backend out"
        )
    return asked


@attrs.frozen(eq=False, slots=False)
class _Request:
    """What is asked for, with its arguments read."""

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    group: Group
    digits: int

    @cached_property
    def words(self) -> WordKernel:
        return WordKernel(self.kernel, self.length, self.vocabulary)

    def made(
        self, pieces: Any, centre: Any, invariance: str, algorithm: str, **more: Any
    ) -> Spectrum:
        """A spectrum with these pieces."""
        return Spectrum(
            kernel=self.kernel,
            length=self.length,
            vocabulary=self.vocabulary,
            law=self.law,
            group=self.group,
            pieces=tuple(
                Piece(irrep, self.group.dimension(irrep), block) for irrep, block in pieces
            ),
            centre=centre,
            invariance=invariance,
            algorithm=algorithm,
            **{"exactness": "exact", **more},
        )

    def algorithm(self, given: Any, kind: str) -> str:
        """The algorithm asked for, or the cheapest that gives every eigenvalue."""
        if given is not None:
            choice(given, "the algorithm", ALGORITHMS)
        if given in ("closed-form", "johnson"):
            self._need_known_form(str(given), kind)
            return str(given)
        if isinstance(self.group, CyclicGroup):
            if given not in (None, "ring"):
                raise BadValue(f"the algorithm is {given!r}: rotations have the algorithm 'ring'")
            return "ring"
        if given is None and self._has("johnson", kind):
            return "johnson"
        try:
            return choose_algorithm(given, self.group, self.vocabulary, floats=kind == "float")
        except TooLarge:
            if given is None and self._has("closed-form", kind):
                return "closed-form"
            raise

    def _has(self, form: str, kind: str) -> bool:
        whole = YoungSubgroup(self.length)
        if kind != "exact" or self.group != whole or self.words.segments != whole.parts:
            return False
        if form == "johnson":
            return isinstance(self.law, Subsets)
        return linear_forms.has_closed_form(self.kernel, self.length, self.vocabulary, self.law)

    def _need_known_form(self, form: str, kind: str) -> None:
        if form == "closed-form":
            linear_forms.check(self.kernel, self.length, self.vocabulary, self.law)
        if not self._has(form, kind):
            raise NotSupported(
                f"the algorithm {form!r} is not for {self.kernel!r} under {self.group!r} with the "
                f"law {shown(self.law)}: leave the algorithm out"
            )

    def closed_form(self) -> Spectrum:
        """One layer of linear attention: blocks whose size does not depend on the length."""
        found, trace = linear_forms.nonzero_values(
            self.kernel, self.length, self.vocabulary, self.law
        )
        pieces = [(shape, Listed(values)) for shape, values in found.items()]
        return self.made(pieces, trace, "by construction", "closed-form")

    def johnson(self) -> Spectrum:
        """Words of one weight: each (L - m, m) occurs once, words of probability 0 left out."""
        law = self.law
        assert isinstance(law, Subsets)
        L, d = self.length, law.size
        value = self.words.by_tables(YoungSubgroup(L))

        def overlap(t: int) -> Rational:
            found = value((((L - 2 * d + t, d - t), (d - t, t)),))
            return Rational(int(found.p), int(found.q))

        share = law.of_counts((L - d, d))
        pieces = [
            (shape, Listed(((Rational(total * share), 1),)))
            for shape, total in johnson_spectrum(L, d, overlap).items()
        ]
        return self.made(pieces, overlap(d), "by construction", "johnson")


@attrs.frozen(eq=False)
class _Segments:
    """Permutations within segments: S_L, positions that stay put, several segments."""

    request: _Request
    kind: str
    algorithm: str
    group: YoungSubgroup

    def spectrum(self) -> Spectrum:
        """The spectrum in the numbers asked for."""
        if self.kind == "float":
            return self._floats()
        kernel = self._kernel()
        invariance, value = kernel.require(self.group), kernel.by_tables(self.group)
        if self.kind == "exact":
            return self._made(value, invariance, None)
        return self._made(*self._midpoints(value, invariance))

    def _kernel(self) -> WordKernel:
        if self.kind != "exact":
            if self.kind == "ball" or self.algorithm != "binary":
                check_work(self._sizes(), self.group.degree)
            return attrs.evolve(self.request.words, balls=True)
        return self.request.words

    def _sizes(self) -> Iterator[int]:
        """The sizes of all blocks."""
        V = self.request.vocabulary
        if V == 2:
            listed = [[part - 2 * m + 1 for m in range(part // 2 + 1)] for part in self.group.parts]
        else:
            listed = [list(word_decomposition(part, V).values()) for part in self.group.parts]
        return map(prod, itertools.product(*listed))

    def _midpoints(
        self, value: Callable[[Tables], Any], invariance: str
    ) -> tuple[Callable[[Tables], flint.fmpq], str, Rational]:
        places = tables_with(self.group.parts, self.request.vocabulary)
        near, radius = midpoints(value, places, flipped)
        return near, invariance, radius

    def _blocks(self, value: Callable[[Tables], flint.fmpq]) -> dict[Irrep, Matrix]:
        V, chance = self.request.vocabulary, chance_of(self.request.law)
        return segment_blocks(value, self.group, V, chance, algorithm=self.algorithm)

    def _made(
        self, value: Callable[[Tables], flint.fmpq], invariance: str, radius: Rational | None
    ) -> Spectrum:
        V, chance = self.request.vocabulary, chance_of(self.request.law)
        blocks = self._blocks(value)
        trace = segment_trace(value, self.group, V, chance)
        return self.request.made(
            [(irrep, MatrixBlock(matrix, radius)) for irrep, matrix in blocks.items()],
            trace,
            invariance,
            self.algorithm,
            exactness=self.kind,
            radius=radius or Rational(0),
        )

    def _floats(self) -> Spectrum:
        """Floats with the digits that two computations share."""
        request, chance = self.request, chance_of(self.request.law)
        V, digits = request.vocabulary, request.digits
        kernel = self._kernel()
        invariance = kernel.require(self.group)
        if kernel.exactness == "float":
            own = kernel.symmetry
            merged = merging(own.parts, self.group.parts)
            every = tables_with(self.group.parts, V)
            places = dict.fromkeys(max(place, flipped(place)) for place in map(merged, every))
            lists = kernel.two_lists(list(places), digits=digits)

            def read(which: int) -> Callable[[Tables], float]:
                def value(tables: Tables) -> float:
                    place = merged(tables)
                    return lists[max(place, flipped(place))][which]

                return value

            two = TwoKernels(read(0), read(1))
        else:
            two = TwoKernels.rounded(kernel.by_tables(self.group))
        if self.algorithm == "binary" and self.group.moving:
            found = binary_floats(two, self.group, chance)
        elif two.exact is None:
            apart = self._blocks(two.difference)
            found = {
                irrep: of_two_lists(
                    enclosures(matrix, radius=0), enclosures(apart[irrep], radius=0)
                )
                for irrep, matrix in self._blocks(two.dyadic).items()
            }
        else:
            near, _, radius = self._midpoints(two.exact, invariance)
            found = {
                irrep: against_lapack(
                    enclosures(matrix, radius=0),
                    [[nearest(x) for x in row] for row in flint.fmpq_mat(matrix.flint).table()],
                    nearest(fmpq(radius)),
                    self.group.dimension(irrep),
                )
                for irrep, matrix in self._blocks(near).items()
            }
        check_digits(found.values())
        trace = float_trace(two, words_up_to(self.group, V, chance), digits)
        return request.made(
            _stated(found, digits),
            trace,
            invariance,
            self.algorithm,
            exactness="float",
            digits=digits,
        )


def _stated(found: dict[Irrep, FloatBlock], digits: int) -> Iterator[tuple[Irrep, Listed]]:
    for irrep, block in found.items():
        values = tuple((value, 1) for value in block.stated(digits))
        yield irrep, Listed(values, block.error)


Pair = tuple[Word, Word]


@attrs.frozen(eq=False, slots=False)
class _Ring:
    """Rotations: blocks by frequency, from the kernel on necklaces and all words."""

    request: _Request
    kind: str

    @cached_property
    def necklaces(self) -> Necklaces:
        return Necklaces.of(self.request.length, self.request.vocabulary)

    @cached_property
    def weights(self) -> list[Rational]:
        law = self.request.law
        return [law.probability(tuple(word)) for word in self.necklaces.words.tolist()]

    def spectrum(self) -> Spectrum:
        """The spectrum in the numbers asked for."""
        request, kernel = self.request, self.request.words
        check_sizes(request.length, request.vocabulary, fast=hasattr(request.kernel, "gram"))
        if self.kind != "exact":
            kernel = attrs.evolve(kernel, balls=True)
        invariance = kernel.require(request.group)
        if self.kind == "float":
            return self._floats(kernel, invariance)
        if self.kind == "exact":
            table = kernel.gram(self.necklaces.words, self.necklaces.every)
            return self._made(table, invariance, None)
        near, radius = midpoints(lambda pair: kernel.value(*pair), self._pairs(), _exchanged)
        return self._made(self._table(near), invariance, radius)

    def _pairs(self) -> Iterator[Pair]:
        every = [tuple(word) for word in self.necklaces.every.tolist()]
        for word in self.necklaces.words.tolist():
            x = tuple(word)
            yield from ((x, y) for y in every)

    def _table(self, value: Callable[[Pair], flint.fmpq]) -> tuple[Any, int]:
        import numpy as np

        found = np.empty(len(self.necklaces.words) * len(self.necklaces.every), dtype=object)
        for k, pair in enumerate(self._pairs()):
            found[k] = value(pair)
        return whole_numbers(found.reshape(len(self.necklaces.words), -1))

    def _blocks(self, table: tuple[Any, int]) -> dict[Irrep, FrequencyBlock]:
        blocks = ring_blocks(self.necklaces, *table, self.weights)
        found = {j: FrequencyBlock(block, j) for block in blocks for j in block.irreps}
        return {j: found[j] for j in sorted(found)}

    def _made(self, table: tuple[Any, int], invariance: str, radius: Rational | None) -> Spectrum:
        pieces = [(j, attrs.evolve(b, radius=radius)) for j, b in self._blocks(table).items()]
        return self.request.made(
            pieces,
            ring_trace(self.necklaces, *table, self.weights),
            invariance,
            "ring",
            exactness=self.kind,
            radius=radius or Rational(0),
        )

    def _floats(self, kernel: WordKernel, invariance: str) -> Spectrum:
        request, digits = self.request, self.request.digits
        radius = Rational(0)
        if kernel.exactness == "float":
            lists = self._lists(kernel)
            two: TwoKernels[Pair] = TwoKernels(lambda p: lists[p][0], lambda p: lists[p][1])
            blocks = self._blocks(self._table(two.dyadic))
            apart = self._blocks(self._table(two.difference))
            found = {
                j: of_two_lists(
                    ring_enclosures(block.block, j, radius=0),
                    ring_enclosures(apart[j].block, j, radius=0),
                )
                for j, block in blocks.items()
            }
        else:
            two = TwoKernels.rounded(lambda pair: kernel.value(*pair))
            near, radius = midpoints(lambda pair: kernel.value(*pair), self._pairs(), _exchanged)
            found = {
                j: against_lapack(
                    ring_enclosures(block.block, j, radius=0),
                    block.block.floats(j),
                    nearest(fmpq(radius)),
                    request.group.dimension(j),
                )
                for j, block in self._blocks(self._table(near)).items()
            }
        check_digits(found.values())
        orbits = (
            ((tuple(word), tuple(word)), fmpq(p * n))
            for word, p, n in zip(
                self.necklaces.words.tolist(), self.weights, self.necklaces.sizes, strict=True
            )
            if p
        )
        trace = float_trace(two, orbits, digits)
        return request.made(
            _stated(found, digits), trace, invariance, "ring", exactness="float", digits=digits
        )

    def _lists(self, kernel: WordKernel) -> dict[Pair, tuple[float, float]]:
        """Both computations on all pairs, by the tables that the kernel sees."""
        V, group = self.request.vocabulary, kernel.symmetry
        parts = group.parts if isinstance(group, YoungSubgroup) else ()
        keys = {}
        for pair in self._pairs():
            place = tables_of(*pair, parts, V)
            keys[pair] = max(place, flipped(place))
        found = kernel.two_lists(list(dict.fromkeys(keys.values())), digits=self.request.digits)
        return {pair: found[place] for pair, place in keys.items()}


def _exchanged(pair: Pair) -> Pair:
    return pair[1], pair[0]
