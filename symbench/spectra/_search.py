"""spectrum: the eigenvalues of any kernel under any group of positions, in the numbers asked for.

Permutations within segments (S_L is one segment) and rotations have blocks of their own; balls and
floats are found from exact blocks of nearby kernels. One layer of linear attention, and words of
one weight, have closed forms.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, cast

import attrs
import flint

from symbench._arguments import choice, integer, renamed, shown
from symbench.draw.progress import progress
from symbench.errors import (
    BadValue,
    NotExact,
    NotSupported,
    TooLarge,
)
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.exact.rational import exact_number, fmpq, number_text
from symbench.kernels.float_value import MOST_DIGITS
from symbench.kernels.on_words import WordKernel, whole_numbers
from symbench.kernels.tables import Tables, flipped, merging, tables_of, tables_with
from symbench.laws.base import Law, Word, read_law
from symbench.laws.counts import Subsets
from symbench.spectra import linear_forms
from symbench.spectra._spectrum import (
    FrequencyBlock,
    Listed,
    MatrixBlock,
    Piece,
    Spectrum,
)
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
from symbench.spectra.ring_blocks import Necklaces, check_sizes, ring_blocks, ring_trace
from symbench.spectra.segment_blocks import (
    Chance,
    Value,
    chance_of,
    choose_algorithm,
    segment_blocks,
    segment_trace,
    words_up_to,
)
from symbench.young import johnson_spectrum, word_decomposition
from symbench.young.position_groups import (
    CyclicGroup,
    Group,
    Irrep,
    YoungSubgroup,
    read_group,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any

BACKENDS = ("exact", "ball", "float")
ALGORITHMS = ("binary", "tableaux", "words", "ring", "closed-form", "johnson")
# The longest words on which a kernel that sees words is asked for a value.
_LONGEST = 10**6


@renamed(road="algorithm")
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
    words where only numbers are wanted, and for functions that return floats, which are taken to
    have 13 correct digits). None or 'auto' takes what the kernel's values are: softmax attention at
    finite parameters has floats, a relu layer over linear attention balls; a function that returns
    floats is refused.

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

    @cached_property
    def chance(self) -> Chance:
        return chance_of(self.law)

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
            **{"numbers": "exact", **more},
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
            return Rational(exact_number(value((((L - 2 * d + t, d - t), (d - t, t)),))))

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
            return self._made(cast(Value, value), invariance, None)
        return self._made(*self._midpoints(value, invariance))

    def _kernel(self) -> WordKernel:
        if self.kind != "exact":
            if self.kind == "ball" or self.algorithm != "binary":
                check_work(self._sizes(), self.group.degree)
            return attrs.evolve(self.request.words, balls=True, floats=self.kind == "float")
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
        request = self.request
        return segment_blocks(
            value,
            self.group,
            request.vocabulary,
            request.chance,
            algorithm=self.algorithm,
            every=request.words.on_every_table(self.group) if self.kind == "exact" else None,
        )

    def _made(
        self, value: Callable[[Tables], flint.fmpq], invariance: str, radius: Rational | None
    ) -> Spectrum:
        blocks = self._blocks(value)
        trace = segment_trace(value, self.group, self.request.vocabulary, self.request.chance)
        return self.request.made(
            [(irrep, MatrixBlock(matrix, radius)) for irrep, matrix in blocks.items()],
            trace,
            invariance,
            self.algorithm,
            numbers=self.kind,
            radius=radius or Rational(0),
        )

    def _floats(self) -> Spectrum:
        """Floats with the digits that two computations share."""
        request, chance = self.request, self.request.chance
        V, digits = request.vocabulary, request.digits
        kernel = self._kernel()
        kernel.foresee(digits=digits)
        invariance = kernel.require(self.group)
        if kernel.has_lists:
            own = kernel.symmetry
            assert isinstance(own, YoungSubgroup)
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
            arrays = request.words.on_every_table(self.group)
            two = TwoKernels.rounded(kernel.by_tables(self.group), arrays)
        if self.algorithm == "binary" and self.group.moving:
            found = binary_floats(two, self.group, chance)
        elif two.exact is None:
            apart = self._blocks(two.difference)
            found = _with_bar(
                self._blocks(two.dyadic),
                lambda irrep, matrix: of_two_lists(
                    enclosures(matrix, radius=0), enclosures(apart[irrep], radius=0)
                ),
            )
        else:
            near, _, radius = self._midpoints(two.exact, invariance)
            found = _with_bar(
                self._blocks(near),
                lambda irrep, matrix: against_lapack(
                    enclosures(matrix, radius=0),
                    [[nearest(x) for x in row] for row in flint.fmpq_mat(matrix.flint).table()],
                    nearest(fmpq(radius)),
                    self.group.dimension(irrep),
                ),
            )
        check_digits(found.values())
        trace = float_trace(two, words_up_to(self.group, V, chance), digits)
        return request.made(
            _stated(found, digits),
            trace,
            invariance,
            self.algorithm,
            numbers="float",
            digits=digits,
        )


def _with_bar(
    blocks: Mapping[Irrep, Matrix], function: Callable[[Irrep, Matrix], FloatBlock]
) -> dict[Irrep, FloatBlock]:
    """A function of each block; what it takes grows with the cube of the size."""
    found = {}
    work = {irrep: matrix.shape[0] ** 3 for irrep, matrix in blocks.items()}
    with progress("eigenvalues", sum(work.values())) as report:
        for irrep, matrix in blocks.items():
            found[irrep] = function(irrep, matrix)
            report(work[irrep])
    return found


def _stated(found: Mapping[Any, FloatBlock], digits: int) -> Iterator[tuple[Irrep, Listed]]:
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
        check_sizes(request.length, request.vocabulary, fast=True)
        if not kernel.has_gram:
            check_sizes(request.length, request.vocabulary, fast=False)
        if self.kind != "exact":
            kernel = attrs.evolve(kernel, balls=True, floats=self.kind == "float")
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
        found = np.empty(len(self.necklaces.words) * len(self.necklaces.every), dtype=object)
        for k, pair in enumerate(self._pairs()):
            found[k] = value(pair)
        return whole_numbers(found.reshape(len(self.necklaces.words), -1))

    def _blocks(self, table: tuple[Any, int]) -> dict[int, FrequencyBlock]:
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
            numbers=self.kind,
            radius=radius or Rational(0),
        )

    def _floats(self, kernel: WordKernel, invariance: str) -> Spectrum:
        request, digits = self.request, self.request.digits
        radius = Rational(0)
        if kernel.has_lists:
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
            _stated(found, digits), trace, invariance, "ring", numbers="float", digits=digits
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
