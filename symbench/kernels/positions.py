"""Linear attention whose positions are not alike: any covariance of the positional embeddings.

Embeddings z_a = W x_a + p_a with Gaussian p_a of covariance C have the covariance
K_ab = alpha 1[x_a = y_b] + C_ab between position a of x and b of y; a layer of linear attention
multiplies it by the sum of all K_cd^2. With C = beta I it is `linear_attention`. On a ring C_ab
depends on a - b alone, so the kernel does not change when both words are rotated. With an
embedding for each segment C_ab also says whether a and b are in one segment, and positions may
be permuted within segments.

>>> near = ring_attention(1, 1, positions=[2, 1, 0, 1])
>>> near.value("AABB", "AABB"), near.value("ABBA", "ABBA"), near.value("ABAB", "ABAB")
(1344, 1344, 1152)
>>> segment_attention(1, 1, 1, segments=(2, 1)).value("ABA", "ABB")
312
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import cached_property
from operator import mul
from typing import Any

import attrs
import flint

from symbench._arguments import choice, integer, sequence, shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import Rational
from symbench.exact.arrays import np
from symbench.exact.rational import exact_parameter, fmpq, number_source
from symbench.kernels.base import OnStrings
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.linear_attention import attended, layers_of, over_one_denominator
from symbench.kernels.tables import Table, added, column_sums, counts_of, one_hots, row_sums
from symbench.young.position_groups import CyclicGroup, Move, YoungSubgroup, moved

READOUTS = ("sum", "flatten")
_MOST_POSITIONS = 200

Rows = tuple[tuple[Rational, ...], ...]


def _alpha(value: Any) -> Rational:
    return exact_parameter(value, "alpha", at_least=0)


def _readout(value: Any) -> str:
    return choice(value, "the readout", READOUTS)


def _covariance(rows: Any) -> Rows:
    """A symmetric positive semidefinite matrix of exact numbers, checked."""
    found = tuple(
        tuple(exact_parameter(c, "a covariance of positions") for c in sequence(row, "a row"))
        for row in sequence(rows, "the covariance of positions")
    )
    size = len(found)
    if not size or any(len(row) != size for row in found):
        raise BadShape(f"the covariance of positions is {shown(rows)}: give a square of numbers")
    _size(size)
    for a in range(size):
        for b in range(a):
            if found[a][b] != found[b][a]:
                raise BadValue(
                    f"the covariance of positions is not symmetric: {found[a][b]} at "
                    f"({a + 1}, {b + 1}) and {found[b][a]} at ({b + 1}, {a + 1})"
                )
    # All roots are real, so none is negative iff the signs of det(x - C) alternate.
    coefficients = flint.fmpq_mat([[fmpq(c) for c in row] for row in found]).charpoly().coeffs()
    if any(c * (-1) ** (size - k) < 0 for k, c in enumerate(coefficients)):
        raise BadValue(
            f"the covariance of positions, {_matrix_text(found)}, has a negative eigenvalue: a "
            "covariance is positive semidefinite"
        )
    return found


def _size(positions: int) -> int:
    return integer(positions, "the number of positions", limit=_MOST_POSITIONS)


def _matrix_text(rows: Rows) -> str:
    return f"[{', '.join(map(_row_text, rows))}]"


def _row_text(row: Iterable[Rational]) -> str:
    return f"[{', '.join(map(number_source, row))}]"


@attrs.frozen(repr=False, slots=False)
class PositionalAttention(OnStrings):
    """Linear attention with a covariance of positions; alpha is the variance of the tokens.

    >>> kernel = PositionalAttention(1, [[1, 0], [0, "1/2"]], readout="flatten")
    >>> kernel, kernel.length, kernel.exactness
    (PositionalAttention(1, [[1, 0], [0, '1/2']], readout='flatten'), 2, 'exact')
    >>> PositionalAttention(1, [[1, 2], [2, 1]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the covariance of positions, [[1, 2], [2, 1]], has a negative \
eigenvalue: a covariance is positive semidefinite
    """

    alpha: Rational = attrs.field(converter=_alpha)
    covariance: Rows = attrs.field(converter=_covariance)
    readout: str = attrs.field(default="sum", converter=_readout, kw_only=True)
    layers: int = attrs.field(default=1, converter=layers_of, kw_only=True)
    # How it was written, where that is shorter than the matrix.
    _source: str = attrs.field(default="", kw_only=True, eq=False)

    needs_cls = False
    exactness = "exact"

    def __repr__(self) -> str:
        head = self._source or (
            f"PositionalAttention({number_source(self.alpha)}, {_matrix_text(self.covariance)}"
        )
        more = f", layers={self.layers}" if self.layers != 1 else ""
        return f"{head}, readout={self.readout!r}{more})"

    @property
    def length(self) -> int:
        """The number of positions, the length of the strings that it takes."""
        return len(self.covariance)

    def symmetry(self, length: int) -> YoungSubgroup | CyclicGroup:
        """The permutations of positions that leave the covariance unchanged.

        These are all of them, else the rotations, else those within segments of consecutive
        positions that are alike.

        >>> PositionalAttention(1, [[1, 0, 0], [0, 1, 0], [0, 0, 2]]).symmetry(3)
        YoungSubgroup(2, 1)
        """
        if length != self.length:
            raise BadShape(f"the length is {shown(length)}, the kernel has {self.length} positions")
        rotated = (*range(1, length), 0)
        if len(self._segments) > 1 and self._keeps(rotated):
            return CyclicGroup(length)
        return YoungSubgroup(*self._segments)

    def _keeps(self, move: Move) -> bool:
        """Whether a permutation of positions leaves the covariance unchanged."""
        rows = self.covariance
        return moved(tuple(moved(row, move) for row in rows), move) == rows

    @cached_property
    def _segments(self) -> tuple[int, ...]:
        """The lengths of the longest segments whose neighbours may all be exchanged."""
        found = [1]
        for a in range(self.length - 1):
            swapped = (*range(a), a + 1, a, *range(a + 2, self.length))
            if self._keeps(swapped):
                found[-1] += 1
            else:
                found.append(1)
        return tuple(found)

    def on_diagram(self, diagram: Diagram) -> Rational:
        """The kernel on a pair of strings with this diagram."""
        return self.on_tokens(check_diagram(diagram).left, diagram.right)

    def on_tokens(self, left: tuple[int, ...], right: tuple[int, ...]) -> Rational:
        """The kernel on two words of tokens of the right length, by their equalities alone."""
        for word in (left, right):
            if not isinstance(word, tuple):
                raise BadType(f"{shown(word)} is no word: give a tuple of tokens")
            if len(word) != self.length:
                raise BadShape(
                    f"the strings have length {len(word)}, the kernel has {self.length} positions"
                )
        meetings, crossed = 0, 0
        for s, row in zip(left, self._whole[1], strict=True):
            for t, c in zip(right, row, strict=True):
                if s == t:
                    meetings += 1
                    crossed += c
        matches = sum(s == t for s, t in zip(left, right, strict=True))
        return Rational(self._of_counts(meetings, matches, crossed), self._below)

    def on_table(self, *tables: Table) -> flint.fmpq:
        """The value as an exact number, from one table for each segment of consecutive positions.

        >>> segment_attention(1, 1, 1, segments=(2, 1)).on_table(((1, 0), (0, 1)), ((0, 1), (0, 0)))
        312
        """
        starts = [0, *itertools.accumulate(self._segments)]
        if tuple(counts_of(table)[2] for table in tables) != self._segments:
            raise BadShape(
                f"the tables are {shown(tables)}: give one for each of the segments of "
                f"{self._segments} positions"
            )
        rows, matches, crossed = self._whole[1], 0, 0
        left, right = (
            [row_sums(table) for table in tables],
            [column_sums(table) for table in tables],
        )
        for s, (table, a) in enumerate(zip(tables, starts, strict=False)):
            here = counts_of(table)[1]
            matches += here
            # The covariance of one position with itself, with another of its segment, with others.
            apart = rows[a][a + 1] if self._segments[s] > 1 else 0
            crossed += (rows[a][a] - apart) * here
            for t, b in enumerate(starts[:-1]):
                common = apart if s == t else rows[a][b]
                crossed += common * sum(map(mul, left[s], right[t]))
        meetings = counts_of(added(tables))[0]
        return flint.fmpq(self._of_counts(meetings, matches, crossed), self._below)

    def gram(self, left: Any, right: Any) -> tuple[Any, int] | None:
        """The kernel on all pairs of words of two arrays, as integers over one denominator."""
        x, y = one_hots(left, right)
        if x.shape[1] != self.length:
            return None
        weight, whole, *_ = self._whole
        most = weight * self.length**2 + sum(abs(c) for row in whole for c in row)
        # Python's integers where 64 bits might not hold a value.
        small = most ** (3**self.layers) < 1 << 62
        kind = np.int64 if small else object
        x, y, C = x.astype(kind), y.astype(kind), np.array(whole, dtype=kind)
        flat_x, flat_y = x.reshape(len(x), -1), y.reshape(len(y), -1)
        turned = np.einsum("ab,nbv->nav", C, y) if small else np.tensordot(y, C, (1, 0))
        turned = turned if small else turned.swapaxes(1, 2)
        crossed = flat_x @ turned.reshape(len(y), -1).T
        meetings = x.sum(axis=1) @ y.sum(axis=1).T
        return self._of_counts(meetings, flat_x @ flat_y.T, crossed), self._below

    def _of_counts(self, meetings: Any, matches: Any, crossed: Any) -> Any:
        """The numerator of a value; crossed is the sum of C_ab over the positions that meet."""
        weight, _, total, trace, squares, _ = self._whole
        if self.readout == "sum":
            read = weight * meetings + total
        else:
            read = weight * matches + trace
        return attended(weight, meetings, crossed, squares, read, self.layers)

    @cached_property
    def _whole(self) -> tuple[int, list[list[int]], int, int, int, int]:
        """Alpha, C, its sum, trace and sum of squares as integers, and the denominator."""
        flat = [c for row in self.covariance for c in row]
        (alpha, *entries), below = over_one_denominator(self.alpha, *flat)
        L = self.length
        rows = [entries[a * L : a * L + L] for a in range(L)]
        trace = sum(entries[:: L + 1])
        return alpha, rows, sum(entries), trace, sum(c * c for c in entries), below

    @cached_property
    def _below(self) -> int:
        return int(self._whole[-1] ** (3**self.layers))


def ring_attention(
    alpha: Any, beta: Any, *, positions: Any, readout: str = "sum", layers: int = 1
) -> PositionalAttention:
    """Linear attention on a ring: K_ab = alpha 1[x_a = y_b] + beta c(a - b mod L).

    positions is c(0), c(1), ..., c(L - 1), the covariance of positions at each distance; it has
    c(t) = c(L - t) and no negative Fourier coefficient. The kernel does not change when both
    words are rotated by the same number of places.

    >>> ring = ring_attention(1, 1, positions=[1, 0, 0])
    >>> ring.value("AAB", "ABB") == linear_attention(1, 1).value("AAB", "ABB")
    True
    >>> ring_attention(1, 1, positions=[1, 1, 0, 1])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the covariance of positions, [[1, 1, 0, 1], [1, 1, 1, 0], ...
    """
    scale = exact_parameter(beta, "beta", at_least=0)
    given = [
        exact_parameter(c, "a covariance of positions") for c in sequence(positions, "positions")
    ]
    size = _size(len(given))
    for t in range(1, size):
        if given[t] != given[size - t]:
            raise BadValue(
                f"positions has {given[t]} at distance {t} and {given[size - t]} at distance "
                f"{size - t}, the same on a ring of {size}: give equal ones"
            )
    rows = [[scale * given[(a - b) % size] for b in range(size)] for a in range(size)]
    numbers = ", ".join(map(number_source, (_alpha(alpha), scale)))
    source = f"ring_attention({numbers}, positions={_row_text(given)}"
    return PositionalAttention(alpha, rows, readout=readout, layers=layers, source=source)


def segment_attention(
    alpha: Any, beta: Any, gamma: Any, *, segments: Any, readout: str = "sum", layers: int = 1
) -> PositionalAttention:
    """Linear attention with an embedding for each segment of the positions.

    K_ab = alpha 1[x_a = y_b] + beta 1[a = b] + gamma 1[a and b in one segment]. segments has the
    lengths of the segments, such as (3, 2): three positions of a question and two of an
    answer. Positions may be permuted within segments, not between them.

    >>> segment_attention(1, 1, 2, segments=(2, 1))
    segment_attention(1, 1, 2, segments=(2, 1), readout='sum')
    >>> segment_attention(1, 1, 2, segments=(2, 0))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the length of a segment is 0: give an integer of at least 1
    """
    own = exact_parameter(beta, "beta", at_least=0)
    common = exact_parameter(gamma, "gamma", at_least=0)
    lengths = tuple(
        integer(n, "the length of a segment", at_least=1, at_most=_MOST_POSITIONS)
        for n in sequence(segments, "segments")
    )
    _size(sum(lengths))
    label = [k for k, n in enumerate(lengths) for _ in range(n)]
    rows = [
        [own * int(a == b) + common * int(s == t) for b, t in enumerate(label)]
        for a, s in enumerate(label)
    ]
    numbers = ", ".join(map(number_source, (_alpha(alpha), own, common)))
    source = f"segment_attention({numbers}, segments={lengths}"
    return PositionalAttention(alpha, rows, readout=readout, layers=layers, source=source)
