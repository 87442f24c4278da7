"""Linear attention: the exact kernel of transformers whose attention is not normalised at all.

Embeddings z_a = W x_a + p_a with independent Gaussian entries have the covariance
K_ab = alpha 1[x_a = y_b] + beta 1[a = b] between position a of x and b of y. A layer of linear
attention maps it to K_ab times the sum of all K_cd^2, with a causal mask only those with c <= a
and d <= b. A readout adds up what is read: all pairs of positions ("sum"), equal positions
("flatten": an own readout per position), or the last position alone ("last").

>>> linear_attention(1, 1).value("AB", "AA")
24
>>> linear_attention().value("AB", "AA")
4*alpha^3 + 8*alpha^2*beta + 8*alpha*beta^2 + 4*beta^3
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import accumulate
from math import lcm
from operator import mul
from typing import Any

import attrs
import flint

from symbench._arguments import choice, flag, integer
from symbench.errors import BadType, BadValue, NotSupported
from symbench.exact import QQ, Rational
from symbench.exact.arrays import Integers
from symbench.exact.rational import exact_parameter, fmpq, number_source
from symbench.kernels.base import OnStrings, last_apart
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.tables import (
    Table,
    added,
    check_table,
    counts_of,
    occurring,
    one_hots,
    products_of,
)
from symbench.young.position_groups import YoungSubgroup

READOUTS = ("sum", "flatten", "last")
# The value has degree 3^layers in alpha and beta: 6,561 for eight.
_MOST_LAYERS = 8


def layer_power(layers: int) -> int:
    """The exponent of |K|^2 after some layers: a layer maps c K to c^3 |K|^2 K."""
    return int((3**layers - 1) // 2)


def attended(alpha: Any, meetings: Any, crossed: Any, squares: Any, read: Any, layers: int) -> Any:
    """What is read of K = alpha 1[x_a = y_b] + C_ab after some layers, in numbers or in arrays.

    crossed is the sum of C_ab over the pairs of positions that meet, squares that of all C_ab^2.
    """
    norm = alpha * alpha * meetings + 2 * (alpha * crossed) + squares
    return read * norm ** layer_power(layers)


def scalar(number: Rational) -> int | flint.fmpq:
    """The number as a factor of elements of any ring: an int where it is one, else FLINT's."""
    return number.numerator if number.denominator == 1 else fmpq(number)


def over_one_denominator(*numbers: Any) -> tuple[tuple[int, ...], int]:
    """Some numbers as integers, and the denominator that they share."""
    fractions = [Rational(number) for number in numbers]
    below = lcm(*(number.denominator for number in fractions))
    return tuple(number.numerator * (below // number.denominator) for number in fractions), below


class OfCounts(OnStrings, ABC):
    """A kernel of the numbers of meetings and matches, unless it has a mask; it has `plain`.

    Kernels of linear attention and their tangent kernels are written by three functions: the
    variances that they use, the value from counts, and the value with a mask.
    """

    needs_cls = False
    exactness = "exact"

    @property
    @abstractmethod
    def plain(self) -> LinearAttention:
        """The kernel of linear attention whose readout, layers and mask these are."""

    @abstractmethod
    def with_variances(self, alpha: Any = None, beta: Any = None) -> OfCounts:
        """The same kernel with numbers for its variables."""

    @abstractmethod
    def variances(self, alpha: Any, beta: Any) -> tuple[Any, ...]:
        """What the value is homogeneous in, of degree 3^layers; alpha and beta are in one ring."""

    @abstractmethod
    def of_counts(
        self, variances: tuple[Any, ...], meetings: Any, matches: Any, length: Any, last: Any
    ) -> Any:
        """The value; last is 1 where the last tokens agree, else 0."""

    @abstractmethod
    def with_mask(self, variances: tuple[Any, ...], diagram: Diagram) -> Any:
        """The value with a causal mask."""

    def symmetry(self, length: int) -> YoungSubgroup | None:
        """All permutations of positions; with the readout "last" those that fix the last one.

        >>> linear_attention().symmetry(4), linear_attention(readout="last").symmetry(4)
        (YoungSubgroup(4), YoungSubgroup(3, 1))
        """
        if self.plain.causal:
            return None
        return last_apart(length) if self.plain.readout == "last" else YoungSubgroup(length)

    def on_diagram(self, diagram: Diagram) -> Any:
        """The kernel on a pair of strings with this diagram.

        >>> linear_attention(1, 1, readout="flatten").on_diagram(Diagram.of("AB", "AA"))
        18
        >>> tangent(linear_attention(readout="last")).on_diagram(Diagram.of("A", "B"))
        8*beta^3
        """
        variances, below = self._whole
        if self.plain.causal:
            value = self.with_mask(variances, check_diagram(diagram))
        else:
            meetings, matches = check_diagram(diagram).meetings, diagram.matches
            last = int(bool(diagram.left) and diagram.left[-1] == diagram.right[-1])
            value = self.of_counts(variances, meetings, matches, len(diagram), last)
        return value if below is None else Rational(value, below)

    def on_table(self, *tables: Table) -> Any:
        """The value as an exact number (FLINT's fmpq, unless alpha or beta is a variable).

        >>> linear_attention(1, 1).on_table(((1, 0), (1, 0)))
        24
        >>> tangent(linear_attention(1, 1)).on_table(((1, 0), (1, 0)))
        192
        >>> linear_attention(1, 1, readout="last").on_table(((1, 0), (1, 0)))
        Traceback (most recent call last):
        ...
        symbench.errors.NotSupported: linear_attention(1, 1, readout='last') reads the last ...
        """
        variances, below = self._whole
        last = check_last(self, tables) if self._tells_positions_apart else 0
        meetings, matches, length = counts_of(tables[0] if len(tables) == 1 else added(tables))
        value = self.of_counts(variances, meetings, matches, length, last)
        return value if below is None else flint.fmpq(value, below)

    def in_counts(
        self, meetings: Any, matches: Any, length: Any, *, alpha: Any = None, beta: Any = None
    ) -> Any:
        """The value as a polynomial expression in elements of a ring, such as symbols.

        alpha and beta are elements to use where the kernel has variables. None for a mask or the
        readout "last".

        >>> M, h, L = QQ["M", "h", "L"].gens
        >>> linear_attention(1, 1, readout="flatten").in_counts(M, h, L)
        M*h + M*L + 2*h^2 + 3*h*L + L^2
        """
        if self._tells_positions_apart:
            return None
        variables = self._variables(alpha, beta)
        return self.of_counts(self.variances(*variables), meetings, matches, length, 0)

    def gram(self, left: Any, right: Any) -> tuple[Any, int] | None:
        """The kernel on all pairs of words of two arrays, as integers over one denominator.

        >>> import numpy as np
        >>> words = np.array([[0, 0, 1], [0, 1, 1]])
        >>> values, denominator = linear_attention(1, 1).gram(words, words)
        >>> values.tolist(), denominator
        ([[112, 77], [77, 112]], 1)
        """
        variances, below = self._whole
        if below is None or self.plain.causal:
            return None
        x, y = one_hots(left, right)
        length = x.shape[1]
        x, y = self._large_enough(x, length), self._large_enough(y, length)
        meetings = x.sum(axis=1) @ y.sum(axis=1).T
        matches = x.reshape(len(x), -1) @ y.reshape(len(y), -1).T
        last = x[:, -1] @ y[:, -1].T if length else 0
        return self.of_counts(variances, meetings, matches, length, last), below

    def on_every_table(self, tables: Integers) -> tuple[Any, int] | None:
        """The kernel on all tables of an array, as integers over one denominator.

        >>> import numpy as np
        >>> linear_attention(1, "1/2").on_every_table(np.array([[[1, 0], [1, 0]]]))
        (array([84]), 8)
        """
        variances, below = self._whole
        if below is None or self._tells_positions_apart or not len(tables):
            return None
        rows, columns = tables.sum(axis=2), tables.sum(axis=1)
        length = int(rows[0].sum())
        meetings = self._large_enough((rows * columns).sum(axis=1), length)
        matches = self._large_enough(tables.trace(axis1=1, axis2=2), length)
        return self.of_counts(variances, meetings, matches, length, 0), below

    def _large_enough(self, counts: Any, length: int) -> Any:
        """The counts in 64 bits, or as Python's integers where a value may not fit."""
        # Nothing is negative, so no partial result is larger than the largest value.
        most = self.of_counts(self._whole[0], length**2, length, length, 1)
        return counts.astype(object) if most >= 1 << 62 else counts

    def grouped(self, left: Any, right: Any) -> tuple[Integers, dict[int, Any]] | None:
        """The counts of all pairs of words of two arrays in one number, and the values of these.

        >>> import numpy as np
        >>> words = np.array([[0, 0, 1], [0, 1, 1]])
        >>> numbers, values = linear_attention(1, 1).grouped(words, words)
        >>> [[values[n] for n in row] for row in numbers.tolist()]
        [[112, 77], [77, 112]]
        """
        if self.plain.causal:
            return None
        variances, below = self._whole
        x, y = one_hots(left, right)
        length = x.shape[1]
        meetings = products_of(x.sum(axis=1), y.sum(axis=1))
        last = products_of(x[:, -1], y[:, -1]) if length else 0 * meetings
        numbers = (meetings * (length + 1) + products_of(x, y)) * 2 + last
        values = {}
        for n in occurring(numbers):
            met, matches = divmod(n // 2, length + 1)
            value = self.of_counts(variances, met, matches, length, n % 2)
            values[n] = value if below is None else Rational(value, below)
        return numbers, values

    def __getstate__(self) -> dict[str, Any]:
        """The arguments alone: FLINT's polynomials, which may be remembered, do not travel."""
        return {name: value for name, value in vars(self).items() if name[0] != "_"}

    @cached_property
    def _tells_positions_apart(self) -> bool:
        return self.plain.causal or self.plain.readout == "last"

    @cached_property
    def _whole(self) -> tuple[tuple[Any, ...], int | None]:
        """The variances as integers with the denominator of a value, or with None in a ring."""
        variances = self.variances(*self._variables())
        if self.plain.alpha is None or self.plain.beta is None:
            return variances, None
        whole, below = over_one_denominator(*variances)
        return whole, below ** (3**self.plain.layers)

    def _variables(self, alpha: Any = None, beta: Any = None) -> tuple[Any, Any]:
        """Alpha and beta as numbers, or what stands for them where the kernel has variables."""
        plain, ring = self.plain, QQ["alpha", "beta"]
        first = ring.gens[0] if alpha is None else alpha
        second = ring.gens[1] if beta is None else beta
        return (
            first if plain.alpha is None else scalar(plain.alpha),
            second if plain.beta is None else scalar(plain.beta),
        )


def check_last(kernel: Any, tables: tuple[Any, ...]) -> int:
    """Whether the last tokens agree, if the last of some tables is that of one position."""
    if getattr(getattr(kernel, "plain", None), "causal", False):
        raise NotSupported(f"{kernel!r} has a mask, and no value on tables: give a diagram")
    final = check_table(tables[-1]) if tables else ()
    if sum(map(sum, final)) != 1:
        raise NotSupported(
            f"{kernel!r} reads the last position: give the table of the first positions, then "
            "that of the last one"
        )
    return sum(row[u] for u, row in enumerate(final))


def _variance(value: Any, what: str) -> Rational | None:
    return None if value is None else exact_parameter(value, what, at_least=0)


def layers_of(value: Any) -> int:
    """The number of layers, at most 8."""
    return integer(value, "the number of layers", at_least=1, limit=_MOST_LAYERS)


def _alpha(value: Any) -> Rational | None:
    return _variance(value, "alpha")


def _beta(value: Any) -> Rational | None:
    return _variance(value, "beta")


def readout_of(value: Any) -> str:
    """The readout, one of three."""
    return choice(value, "the readout", READOUTS)


def _causal(value: Any) -> bool:
    return flag(value, "causal")


@attrs.frozen(repr=False, slots=False)
class LinearAttention(OfCounts):
    """The kernel of a linear-attention transformer, exactly.

    alpha is the variance of the token embeddings and beta that of the positions; None keeps
    them as variables. One layer is exact at every width given the embeddings' covariance; more
    layers are the limit of many heads.

    >>> kernel = linear_attention(1, "1/2", readout="last")
    >>> kernel, kernel.needs_cls, kernel.exactness
    (linear_attention(1, '1/2', readout='last'), False, 'exact')
    >>> linear_attention(2, 1, readout="last").value("AB", "CB")
    30
    >>> linear_attention(1, 1, layers=2).value("A", "A")
    512
    >>> linear_attention(1, 1, readout="mean")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the readout is 'mean': give one of sum, flatten, last
    """

    alpha: Rational | None = attrs.field(default=None, converter=_alpha)
    beta: Rational | None = attrs.field(default=None, converter=_beta)
    readout: str = attrs.field(default="sum", converter=readout_of, kw_only=True)
    layers: int = attrs.field(default=1, converter=layers_of, kw_only=True)
    causal: bool = attrs.field(default=False, converter=_causal, kw_only=True)

    def __repr__(self) -> str:
        shown = [
            "None" if variance is None else number_source(variance)
            for variance in (self.alpha, self.beta)
        ]
        shown.append(f"readout={self.readout!r}")
        if self.layers != 1:
            shown.append(f"layers={self.layers}")
        if self.causal:
            shown.append("causal=True")
        return f"linear_attention({', '.join(shown)})"

    @property
    def plain(self) -> LinearAttention:
        """The kernel itself."""
        return self

    def with_variances(self, alpha: Any = None, beta: Any = None) -> LinearAttention:
        """The same kernel with numbers for its variables.

        >>> linear_attention(1, readout="flatten").with_variances(beta="1/2")
        linear_attention(1, '1/2', readout='flatten')
        """
        numbers = {}
        for name, given in (("alpha", alpha), ("beta", beta)):
            known = getattr(self, name)
            if known is not None and given is not None:
                raise BadValue(f"{name} is {known} already: give no other")
            if known is None and given is None:
                raise BadType(f"{name} is a variable: give a number for it")
            numbers[name] = known if given is None else given
        return attrs.evolve(self, **numbers)

    def variances(self, alpha: Any, beta: Any) -> tuple[Any, ...]:
        """Alpha and beta."""
        return alpha, beta

    def read(
        self, alpha: Any, beta: Any, meetings: Any, matches: Any, length: Any, last: Any
    ) -> Any:
        """What the readout adds up of alpha 1[x_a = y_b] + beta 1[a = b]."""
        if self.readout == "sum":
            return alpha * meetings + beta * length
        if self.readout == "flatten":
            return alpha * matches + beta * length
        return alpha * last + beta * int(length > 0)

    def of_counts(
        self, variances: tuple[Any, ...], meetings: Any, matches: Any, length: Any, last: Any
    ) -> Any:
        """What is read, times a power of |K|^2."""
        alpha, beta = variances
        read = self.read(alpha, beta, meetings, matches, length, last)
        return attended(alpha, meetings, beta * matches, beta * beta * length, read, self.layers)

    def with_mask(self, variances: tuple[Any, ...], diagram: Diagram) -> Any:
        """The layers one after another, as matrices."""
        alpha, beta = variances
        zero = 0 * alpha
        K = [
            [alpha * int(s == t) + beta * int(a == b) for b, t in enumerate(diagram.right)]
            for a, s in enumerate(diagram.left)
        ]
        for _ in range(self.layers):
            sums = running_sums([list(map(mul, row, row)) for row in K])
            K = [list(map(mul, row, total)) for row, total in zip(K, sums, strict=True)]
        return self.read_matrix(K, zero)

    def read_matrix(self, K: list[list[Any]], zero: Any) -> Any:
        """What the readout adds up of a matrix over pairs of positions."""
        if self.readout == "sum":
            return sum((entry for row in K for entry in row), zero)
        if self.readout == "flatten":
            return sum((row[a] for a, row in enumerate(K)), zero)
        return K[-1][-1] if K else zero


linear_attention = LinearAttention


def running_sums(rows: list[list[Any]]) -> list[tuple[Any, ...]]:
    """The sum over all c <= a and d <= b at each place a, b: a causal mask on both strings."""
    across = [accumulate(row) for row in rows]
    columns = [accumulate(column) for column in zip(*across, strict=True)]
    return list(zip(*columns, strict=True))
