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

from collections.abc import Iterable
from functools import cached_property
from math import lcm
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import fmpq
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.parameters import exact_parameter, number_source, one_of, whole_parameter

READOUTS = ("sum", "flatten")
_MOST_LAYERS = 8
_MOST_POSITIONS = 200

Rows = tuple[tuple[Rational, ...], ...]


def _alpha(value: Any) -> Rational:
    return exact_parameter(value, "alpha", at_least=0)


def _readout(value: Any) -> str:
    return one_of(value, "the readout", READOUTS)


def _layers(value: Any) -> int:
    number = whole_parameter(value, "layers", at_least=1)
    if number > _MOST_LAYERS:
        raise TooLarge(f"layers is {number}: ask for at most {_MOST_LAYERS}")
    return number


def _covariance(rows: Any) -> Rows:
    """A symmetric positive semidefinite matrix of exact numbers, checked."""
    found = tuple(
        tuple(exact_parameter(c, "a covariance of positions") for c in _listed(row, "a row"))
        for row in _listed(rows, "the covariance of positions")
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
    if positions > _MOST_POSITIONS:
        raise TooLarge(f"there are {positions} positions: give at most {_MOST_POSITIONS}")
    return positions


def _listed(values: Any, what: str) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadType(f"{what} is {shown(values)}: give a list")
    return tuple(values)


def _matrix_text(rows: Rows) -> str:
    return "[" + ", ".join(_row_text(row) for row in rows) + "]"


def _row_text(row: Iterable[Rational]) -> str:
    return "[" + ", ".join(map(number_source, row)) + "]"


@attrs.frozen(repr=False, slots=False)
class PositionalAttention:
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
    layers: int = attrs.field(default=1, converter=_layers, kw_only=True)
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

    def on_diagram(self, diagram: Diagram) -> Rational:
        """The kernel on a pair of strings with this diagram.

        >>> PositionalAttention(1, [[1, 0], [0, 1]]).on_diagram(Diagram.of("AB", "AA"))
        24
        """
        left, right = check_diagram(diagram).left, diagram.right
        return self.on_tokens(left, right)

    def on_tokens(self, left: tuple[int, ...], right: tuple[int, ...]) -> Rational:
        """The kernel on two words of tokens of the right length, by their equalities alone.

        >>> PositionalAttention(1, [[1, 0], [0, 1]]).on_tokens((5, 7), (5, 5))
        24
        """
        for word in (left, right):
            if not isinstance(word, tuple):
                raise BadType(f"{shown(word)} is no word: give a tuple of tokens")
            if len(word) != self.length:
                raise BadShape(
                    f"the strings have length {len(word)}, the kernel has {self.length} positions"
                )
        weight, rows, total, square, scale = self._whole
        meetings, crossed, own = 0, 0, 0
        for a, (s, row) in enumerate(zip(left, rows, strict=True)):
            own += row[a] + (weight if s == right[a] else 0)
            for t, c in zip(right, row, strict=True):
                if s == t:
                    meetings += 1
                    crossed += c
        norm = weight * weight * meetings + 2 * weight * crossed + square
        read = weight * meetings + total if self.readout == "sum" else own
        # A layer maps c K to c^3 |K|^2 K, so the exponents of |K|^2 are 1, 4, 13, ...
        exponent = (3**self.layers - 1) // 2
        return Rational(read * norm**exponent, scale ** (1 + 2 * exponent))

    @cached_property
    def _whole(self) -> tuple[int, list[list[int]], int, int, int]:
        """Alpha and C as integers over one denominator, the sums of C_ab and of their squares."""
        rows = self.covariance
        scale = lcm(self.alpha.denominator, *(c.denominator for row in rows for c in row))
        whole = [[int(c * scale) for c in row] for row in rows]
        flat = [c for row in whole for c in row]
        return int(self.alpha * scale), whole, sum(flat), sum(c * c for c in flat), scale

    def value(self, x: Any, y: Any) -> Rational:
        """The kernel of two strings, as given.

        >>> PositionalAttention(1, [[1, 0], [0, 1]]).value("AB", "A")
        Traceback (most recent call last):
        ...
        symbench.errors.BadShape: the strings AB and A have lengths 2 and 1: give equal ones
        """
        return self.on_diagram(Diagram.of(x, y))


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
        exact_parameter(c, "a covariance of positions") for c in _listed(positions, "positions")
    ]
    size = _size(len(given))
    for t in range(1, size):
        if given[t] != given[size - t]:
            raise BadValue(
                f"positions has {given[t]} at distance {t} and {given[size - t]} at distance "
                f"{size - t}, the same on a ring of {size}: give equal ones"
            )
    rows = [[scale * given[(a - b) % size] for b in range(size)] for a in range(size)]
    variance = _alpha(alpha)
    source = (
        f"ring_attention({number_source(variance)}, {number_source(scale)}, "
        f"positions={_row_text(given)}"
    )
    return PositionalAttention(variance, rows, readout=readout, layers=layers, source=source)


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
        for n in _listed(segments, "segments")
    )
    _size(sum(lengths))
    label = [k for k, n in enumerate(lengths) for _ in range(n)]
    rows = [
        [own * int(a == b) + common * int(s == t) for b, t in enumerate(label)]
        for a, s in enumerate(label)
    ]
    variance = _alpha(alpha)
    source = (
        f"segment_attention({number_source(variance)}, {number_source(own)}, "
        f"{number_source(common)}, segments={lengths}"
    )
    return PositionalAttention(variance, rows, readout=readout, layers=layers, source=source)


def gram(kernel: Any, left: Any, right: Any, vocabulary: int) -> tuple[Any, int] | None:
    """The kernel on all pairs of words of two arrays, as integers over one denominator.

    None for a kernel that is not linear attention with a covariance of positions. The arrays
    have a word over 0, ..., V - 1 in each row.

    >>> import numpy as np
    >>> words = np.array([[0, 0, 1], [0, 1, 1]])
    >>> values, denominator = gram(ring_attention(1, 1, positions=[1, 0, 0]), words, words, 2)
    >>> values.tolist(), denominator
    ([[112, 77], [77, 112]], 1)
    """
    import numpy as np

    length = left.shape[1]
    found = kernel
    if isinstance(kernel, LinearAttention):
        plain = not kernel.causal and kernel.readout in READOUTS
        if not plain or kernel.alpha is None or kernel.beta is None:
            return None
        found = ring_attention(
            kernel.alpha, kernel.beta, positions=[1] + [0] * (length - 1), readout=kernel.readout
        )
    if not isinstance(found, PositionalAttention) or found.length != length:
        return None
    weight, whole, sum_of, square, scale = found._whole
    exponent = (3**kernel.layers - 1) // 2
    most = weight * length**2 + sum(abs(c) for row in whole for c in row)
    # Python's integers where 64 bits might not hold a value.
    small = most ** (1 + 2 * exponent) < 1 << 62
    kind = np.int64 if small else object
    x, y = (_one_hot(words, vocabulary).astype(kind) for words in (left, right))
    C = np.array(whole, dtype=kind)
    meetings = x.sum(axis=1) @ y.sum(axis=1).T
    flat_x, flat_y = x.reshape(len(x), -1), y.reshape(len(y), -1)
    moved = np.einsum("ab,nbv->nav", C, y) if small else np.tensordot(y, C, (1, 0)).swapaxes(1, 2)
    crossed = flat_x @ moved.reshape(len(y), -1).T
    norm = weight**2 * meetings + 2 * weight * crossed + square
    if kernel.readout == "sum":
        read = weight * meetings + sum_of
    else:
        read = weight * (flat_x @ flat_y.T) + sum(row[a] for a, row in enumerate(whole))
    return read * norm**exponent, scale ** (1 + 2 * exponent)


def _one_hot(words: Any, vocabulary: int) -> Any:
    import numpy as np

    return (words[:, :, None] == np.arange(vocabulary)).astype(np.int64)
