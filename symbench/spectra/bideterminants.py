"""The blocks of an invariant kernel on words over V tokens, without a V^L x V^L matrix.

Fill the rows of a shape lambda with the positions 1, ..., L. The functions that do not change when
positions are permuted within rows depend only on the contents of the rows: b_iv positions of row i
have token v. For a semistandard tableau T the product over its columns of the minors
det(x_(T(r,j), i)) is a polynomial sum c_T(b) x^b; the functions f_T(b) = c_T(b) prod b_iv! are what
Young's symmetriser of lambda makes of words, so they span one vector from each copy of S^lambda,
s_lambda(1^V) of them. Their leading monomials, the row contents of the T themselves, are all
different and have the coefficient 1; so G_ST = c_T(S) has an inverse with whole entries.

The sum of k(x, y) over the words x with row contents S, at a word y with row contents b, is found
by one row after the other: of the positions of row i that were token i, S_iu become u. With the
matrix R of these sums and that of the c_T(b) the block of the operator is R c G^-1.

On V positions that stand in one column of length V, a determinant is all there is: x has every
token once and y every permutation of them, with its sign. These differences of the kernel leave
shapes with fewer rows than tokens.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from math import comb, factorial, lcm, prod
from typing import Any

import attrs
import flint

from symbench.draw.progress import Report, progress
from symbench.errors import TooLarge
from symbench.exact.arrays import Array, Integers, np
from symbench.laws.base import Counts, compositions, number_of_words
from symbench.spectra.binary import Values
from symbench.young import Partition, partitions

# Entries of tables whose values are asked for at once, entries that are gathered at once.
_ENTRIES = 1 << 19
_BATCH = 1 << 16
_EXACT_BITS = 53  # numbers below 2^53, and sums below it, are exact in float64
# Values are cut in pieces of as many bits as leave all sums exact, but not of fewer than these.
_FEWEST_BITS = 8

Heights = tuple[int, ...]  # of the columns of a shape, the longest first


def tableau_blocks(length: int, vocabulary: int, values: Values) -> dict[Partition, Any]:
    """The block of each shape with at most V rows without a law, over semistandard tableaux.

    >>> def matches(tables):
    ...     return tables.trace(axis1=1, axis2=2), 1
    >>> blocks = tableau_blocks(2, 3, matches)
    >>> {str(shape): (block.nrows(), block.charpoly()) for shape, block in blocks.items()}
    {'2': (6, x^6 + (-12)*x^5 + 45*x^4 + (-54)*x^3), '1+1': (3, x^3 + (-6)*x^2 + 9*x)}
    """
    V = vocabulary
    shapes = _shapes(length, V)
    kernel = _Kernel.of(length, V, values, max(shape.growth for shape in shapes))
    found = {}
    work = sum(shape.straight.size for shape in shapes)
    with progress(f"blocks of length {length}", work) as report:
        for full in range(length // V + 1):
            if full:
                kernel = kernel.differences()
            for shape in shapes:
                if shape.full == full:
                    found[shape.partition] = kernel.block(shape, report)
    return {shape: found[shape] for shape in partitions(length, max_length=V)}


# --- tableaux -----------------------------------------------------------------------------------
def token_counts(shape: Partition, V: int) -> tuple[Counts, ...]:
    """The token counts of each row of a block: those of its semistandard tableau.

    >>> token_counts(Partition(2, 1), 2)
    ((2, 1), (1, 2))
    """
    heights = shape.conjugate.parts
    full = heights.count(V)
    found = _tableaux(heights[full:], V).contents.sum(axis=1) + full
    return tuple(map(tuple, found.tolist()))


@attrs.frozen(eq=False)
class _Tableaux:
    """All semistandard tableaux of a shape: what they are without their last columns, and those."""

    contents: Integers  # of each row of each tableau
    before: Integers  # the place of the tableau without its last column
    last: Integers  # that column, from 0


@lru_cache(maxsize=1024)
def _tableaux(heights: Heights, V: int) -> _Tableaux:
    if not heights:
        return _Tableaux(
            np.zeros((1, 0, V), np.int64), np.zeros(1, np.int64), np.zeros((1, V), np.int64)
        )
    shorter, height = _tableaux(heights[:-1], V), heights[-1]
    columns = np.array(list(itertools.combinations(range(V), height)))
    before, which = np.nonzero((shorter.last[:, None, :height] <= columns).all(axis=2))
    last = columns[which]
    contents = shorter.contents[before]
    if len(heights) == 1:
        contents = np.zeros((len(last), height, V), np.int64)
    contents[np.arange(len(last))[:, None], np.arange(height), last] += 1
    return _Tableaux(contents, before, last)


@attrs.frozen(eq=False)
class _Shape:
    """What is known of a shape before there is a kernel; its columns of length V are only counted.

    `straight` is c G^-1: a row for each row contents, a column for each tableau. No sum that makes
    a block is larger than the largest value times `growth`.
    """

    heights: Heights
    full: int
    contents: Integers
    straight: Array
    growth: int

    @property
    def partition(self) -> Partition:
        """The whole shape."""
        V = self.contents.shape[2]
        return Partition(*[V] * self.full, *self.heights).conjugate


@lru_cache(maxsize=1)
def _shapes(length: int, V: int) -> tuple[_Shape, ...]:
    return tuple(_longer((), np.ones(1), length, V))


def _longer(heights: Heights, coefficients: Array, length: int, V: int) -> Iterator[_Shape]:
    """A shape and those with more columns; c_T(b) has an axis for T, and one for each row of b."""
    full, rest = divmod(length - sum(heights), V)
    if not rest:
        yield _straightened(heights, full, coefficients, V)
    for height in range(1, min(V, length - sum(heights) + 1)):
        if not heights or height <= heights[-1]:
            grown = (*heights, height)
            yield from _longer(grown, _with_column(grown, coefficients, V), length, V)


def _with_column(heights: Heights, coefficients: Array, V: int) -> Array:
    """The coefficients of the products with one more minor."""
    found, height = _tableaux(heights, V), heights[-1]
    rows = max(heights)
    if len(heights) == 1:
        coefficients = np.ones((1,) * (rows + 1), coefficients.dtype)
    # A row in which nothing can be missing has a place at the end, with zeros.
    padded = np.pad(coefficients, [(0, 0)] + [(0, 1)] * height + [(0, 0)] * (rows - height))
    total: Any = 0
    for order, sign in _signed(height):
        index = [found.before.reshape(-1, *[1] * rows)]
        for row in range(rows):
            size = sum(h > row for h in heights)
            if row < height:
                place = _without_one(size, V)[found.last[:, order[row]]]
            else:
                place = np.arange(len(_compositions(size, V)))[None]
            index.append(place.reshape(len(place), *[1] * row, -1, *[1] * (rows - row - 1)))
        total = total + sign * padded[tuple(index)]
    longer: Array = total
    return longer


@lru_cache(maxsize=256)
def _without_one(n: int, V: int) -> Integers:
    """For each token and each composition of n: the place of that with one less of the token."""
    smaller = _compositions(n, V) - np.eye(V, dtype=np.int64)[:, None]
    outside = len(_compositions(n - 1, V))
    places: Integers = _place(np.maximum(smaller, 0), n)
    places[(smaller < 0).any(axis=2)] = outside
    return places


def _straightened(heights: Heights, full: int, coefficients: Array, V: int) -> _Shape:
    contents = _tableaux(heights, V).contents
    parts = [sum(h > row for h in heights) for row in range(contents.shape[1])]
    at: list[Any] = [_place(contents[:, row], n) for row, n in enumerate(parts)]
    gram = coefficients[:, *at].T
    straight = _product(coefficients.reshape(len(contents), -1).T, _inverse(gram))
    words = prod(number_of_words(_even(n, V)) for n in parts)
    terms = int(abs(straight).sum(axis=0).max())
    growth = factorial(V) ** full * words * terms
    # As they are kept, in as few bytes as they need.
    small = straight.astype(np.min_scalar_type(-int(abs(straight).max()) - 1))
    return _Shape(heights, full, contents, small, growth)


def _even(n: int, V: int) -> Counts:
    """The counts with most words."""
    return tuple(n // V + (v < n % V) for v in range(V))


def _inverse(unipotent: Array) -> Array:
    """The inverse of 1 - N, N nilpotent: (1 + N)(1 + N^2)(1 + N^4)..."""
    one = np.eye(len(unipotent), dtype=unipotent.dtype)
    power = one - unipotent
    found = one
    while power.any():
        found = found + _product(found, power)
        power = _product(power, power)
    return found


def _product(left: Array, right: Array) -> Array:
    """The product of two matrices of whole numbers in floats, if they show it exactly."""
    most = prod(int(abs(matrix).max()) for matrix in (left, right)) * len(right)
    if most >= 1 << _EXACT_BITS:
        raise TooLarge("bideterminants have coefficients beyond 2^53: take a shorter length")
    product: Array = left @ right
    return product


def _whole(array: Array, kind: Any) -> Array:
    """Whole numbers as floats or as Python's integers."""
    if kind is object and array.dtype != object:
        array = array.astype(np.int64)
    return array.astype(kind, copy=False)


@lru_cache(maxsize=32)
def _signed(n: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """All permutations of 0, ..., n - 1 with their signs."""
    return tuple(
        (order, (-1) ** sum(a > b for a, b in itertools.combinations(order, 2)))
        for order in itertools.permutations(range(n))
    )


# --- the kernel ---------------------------------------------------------------------------------
@attrs.frozen(eq=False)
class _Kernel:
    """A kernel on all tables of one size, as whole numbers over one denominator.

    For each left margin there is an array with an axis for each row of a table, over the
    compositions of its sum, and a last axis for the pieces of the values: bits from each shift on.
    Tokens that do not occur have no axis, unless a shape may have a row of their number.
    """

    length: int
    vocabulary: int
    arrays: dict[Counts, Array]
    shifts: list[int]
    denominator: int

    @classmethod
    def of(cls, length: int, V: int, values: Values, growth: int) -> _Kernel:
        """The values in pieces that may grow by a factor with all sums exact."""
        found = [
            (batch, *values(np.concatenate([_tables(margin, V) for margin in batch])))
            for batch in _batches(length, V)
        ]
        denominator = lcm(*(below for _, _, below in found))
        most = max(
            int(max(array.max(), -array.min())) * (denominator // below)
            for _, array, below in found
        )
        bits = _EXACT_BITS - growth.bit_length()
        pieces = bits >= _FEWEST_BITS
        shifts = list(range(0, max(1, most.bit_length()), bits)) if pieces else [0]
        arrays = {}
        for batch, array, below in found:
            whole = (array.astype(object) if most >= 1 << 62 else array) * (denominator // below)
            if pieces:
                size, sign = abs(whole), np.sign(whole)
                cut = [((size >> shift) & ((1 << bits) - 1)) * sign for shift in shifts]
                whole = np.stack(cut, axis=1).astype(np.float64)
            else:  # Python's integers, which are slow, for very long words
                whole = whole.astype(object)[:, None]
            ends = np.cumsum([_number_of_tables(margin, V) for margin in batch])
            parts = np.split(whole, ends[:-1])
            for margin, part in zip(batch, parts, strict=True):
                arrays[margin] = part.reshape(*_sizes(margin, V), len(shifts))
        return cls(length, V, arrays, shifts, denominator)

    def differences(self) -> _Kernel:
        """The kernel on V positions less: x has every token once in these, y a permutation."""
        V, length = self.vocabulary, self.length - self.vocabulary
        arrays = {}
        for margin in compositions(length, V):
            larger = self.arrays[tuple(n + 1 for n in margin)]
            places = [_given(n, 1, V).T for n in margin]
            total: Any = 0
            for order, sign in _signed(V):
                moved = (place[v] for place, v in zip(places, order, strict=True))
                total = total + sign * larger[np.ix_(*moved)]
            arrays[margin] = total.reshape(*_sizes(margin, V), len(self.shifts))
        return attrs.evolve(self, length=length, arrays=arrays)

    def block(self, shape: _Shape, report: Report) -> Any:
        """The block of a shape whose columns of length V are gone."""
        listed = shape.contents.tolist()
        known: dict[tuple[Any, ...], Array] = {}
        margin: Counts = ()
        margins = list(map(tuple, shape.contents.sum(axis=1).tolist()))
        sums: list[Any] = [None] * len(listed)
        for place in sorted(range(len(listed)), key=margins.__getitem__):
            if margins[place] != margin:
                margin = margins[place]
                known.clear()
            moves = tuple(
                (row, u, n)
                for row, contents in enumerate(listed[place])
                for u, n in enumerate(contents)
                if n and u != row
            )
            sums[place] = self._after(margin, moves, known).reshape(-1, len(self.shifts))
            report(len(shape.straight))
        every = np.stack(sums)
        size = len(listed)
        total = flint.fmpz_mat(size, size)
        straight = _whole(shape.straight, object if every.dtype == object else np.float64)
        for piece, shift in enumerate(self.shifts):
            entries = _whole(every[:, :, piece] @ straight, object).ravel().tolist()
            total += flint.fmpz_mat(size, size, entries) * (1 << shift)
        return flint.fmpq_mat(total) / self.denominator

    def _after(
        self, margin: Counts, moves: tuple[tuple[int, int, int], ...], known: dict[Any, Array]
    ) -> Array:
        """The sums over all x, n of whose positions of a row become u, for some (row, u, n)."""
        if not moves:
            return self.arrays[margin]
        if moves not in known:
            before = self._after(margin, moves[:-1], known)
            counts = list(margin)
            for row, u, n in moves:
                counts[row] += n
                counts[u] -= n
            row, u, n = moves[-1]
            axes = _axes(margin, self.vocabulary)
            exact = before.dtype == object
            taken = _taken(counts[row], n, self.vocabulary, exact)
            given = _given(counts[u], n, self.vocabulary)
            known[moves] = _turned(before, row, axes.index(u), taken, given)
        return known[moves]


def _turned(
    array: Array, row: int, axis: int, taken: tuple[Integers, Array], given: Integers
) -> Array:
    """One step: a sum over what the positions that move have in the other word."""
    order = [row, axis, *(k for k in range(array.ndim) if k not in (row, axis))]
    source = array.transpose(order)
    rest = source.shape[2:]
    source = source.reshape(*source.shape[:2], -1)
    places, ways = taken
    size = len(places) * len(given) * source.shape[2]
    step = max(1, _BATCH // size)
    total: Any = 0
    for start in range(0, places.shape[1], step):
        now = slice(start, start + step)
        gathered = source[places[:, None, now], given[None, :, now]]
        total = total + (ways[:, None, None, now] @ gathered)[:, :, 0]
    back = sorted(range(array.ndim), key=order.__getitem__)
    turned: Array = total.reshape(len(places), len(given), *rest).transpose(back)
    return turned


def _batches(length: int, V: int) -> Iterator[list[Counts]]:
    """The left margins, those of some tables at a time."""
    batch: list[Counts] = []
    size = 0
    for margin in compositions(length, V):
        batch.append(margin)
        size += _number_of_tables(margin, V) * V * V
        if size >= _ENTRIES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _number_of_tables(margin: Counts, V: int) -> int:
    return prod(comb(n + V - 1, V - 1) for n in margin)


def _axes(margin: Counts, V: int) -> list[int]:
    rows = min(V - 1, sum(margin))
    return [*range(rows), *(u for u in range(rows, V) if margin[u])]


def _sizes(margin: Counts, V: int) -> list[int]:
    return [comb(margin[u] + V - 1, V - 1) for u in _axes(margin, V)]


def _tables(margin: Counts, V: int) -> Integers:
    """All tables with these row sums."""
    rows = [u for u in range(V) if margin[u]]
    listed = [_compositions(margin[u], V) for u in rows]
    found = np.zeros((_number_of_tables(margin, V), V, V), dtype=np.int64)
    chosen = np.indices([len(row) for row in listed]).reshape(len(rows), -1)
    for u, row, k in zip(rows, listed, chosen, strict=True):
        found[:, u] = row[k]
    return found


# --- compositions -------------------------------------------------------------------------------
@lru_cache(maxsize=1024)
def _compositions(n: int, V: int) -> Integers:
    """All ways to split n among V tokens."""
    return np.array(list(compositions(n, V)), dtype=np.int64)


def _place(found: Integers, n: int) -> Integers:
    """The places of some compositions of n in that list."""
    after, before = _after(found), _before(n, found.shape[-1])
    places: Integers = before[after, np.arange(after.shape[-1])].sum(axis=-1)
    return places


def _after(found: Integers) -> Integers:
    """How much of a composition comes after each of its parts but the last."""
    return found[..., ::-1].cumsum(axis=-1)[..., ::-1][..., 1:]


@lru_cache(maxsize=1024)
def _before(n: int, V: int) -> Integers:
    """How many compositions come first because token j is more frequent: r tokens come after it."""
    counts = [[comb(r + V - j - 2, V - j - 1) for j in range(V - 1)] for r in range(n + 1)]
    return np.array(counts, dtype=np.int64)


@lru_cache(maxsize=1024)
def _given(n: int, more: int, V: int) -> Integers:
    """For each composition of n and each of what is added to it: the place of their sum."""
    return _places_of_sums(_compositions(n, V), _compositions(more, V), n + more)


@lru_cache(maxsize=1024)
def _taken(n: int, less: int, V: int, exact: bool) -> tuple[Integers, Array]:
    """For each composition of n and each of what is taken: the place of the rest, and the ways."""
    whole, parts = _compositions(n, V), _compositions(less, V)
    table = np.array(
        [[comb(a, b) for b in range(less + 1)] for a in range(n + 1)],
        dtype=object if exact else np.float64,
    )
    ways: Array = np.ones((len(whole), len(parts)), dtype=table.dtype)
    for v in range(V):
        ways = ways * table[whole[:, None, v], parts[:, v]]
    return np.where(ways != 0, _places_of_sums(whole, -parts, n), 0), ways


def _places_of_sums(one: Integers, two: Integers, n: int) -> Integers:
    """The places of the sums of two compositions; of no use where a part is negative."""
    # One part after the other: an array of all sums would be V times as large.
    V = one.shape[1]
    before, first, second = _before(n, V), _after(one), _after(two)
    places = np.zeros((len(one), len(two)), dtype=np.int64)
    for j in range(V - 1):
        places += before[np.maximum(first[:, None, j] + second[:, j], 0), j]
    return places
