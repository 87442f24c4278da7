"""The tangent kernel of linear attention: gradient descent on all of its weights, exactly.

Beside the covariance K_ab of the embeddings there is the tangent kernel Theta_ab, the sum over all
weights below of the products of derivatives. A layer maps the pair to

    K' = |K|^2 K,   Theta' = |K|^2 Theta + 2 <K, Theta> K + 4 |K|^2 K,

sums over pairs of positions, with a causal mask only c <= a and d <= b. The first term are the
weights below as the query sees them, the second as the keys and the values do. Each of the four
matrices of the layer (query, key, value and output) enters linearly, so its own derivatives give
K' once: they are the 4. The readout's weights add the kernel itself.

>>> tangent(linear_attention(1, 1)).value("AB", "AA"), linear_attention(1, 1).value("AB", "AA")
(192, 24)
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, NotSupported
from symbench.exact import QQ, Rational
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.parameters import exact_parameter, number_source

# Query, key, value and output.
_MATRICES = 4


def _kernel(value: Any) -> LinearAttention:
    if not isinstance(value, LinearAttention):
        raise BadType(
            f"{shown(value)} is no kernel of linear attention: give linear_attention(...)"
        )
    return value


def _token_rate(value: Any) -> Rational:
    return exact_parameter(value, "token_rate", at_least=0)


def _position_rate(value: Any) -> Rational:
    return exact_parameter(value, "position_rate", at_least=0)


@attrs.frozen(repr=False)
class TangentKernel:
    """The tangent kernel of a kernel of linear attention; `tangent(kernel)` makes one.

    `covariance` is the kernel at initialisation. A rate of 0 says that the embeddings of tokens
    or of positions are not trained; all other weights have rate 1.

    >>> frozen = tangent(linear_attention(1, 1, readout="flatten"), position_rate=0)
    >>> frozen, frozen.needs_cls, frozen.exactness
    (tangent(linear_attention(1, 1, readout='flatten'), position_rate=0), False, 'exact')
    """

    covariance: LinearAttention = attrs.field(converter=_kernel)
    token_rate: Rational = attrs.field(default=Rational(1), converter=_token_rate, kw_only=True)
    position_rate: Rational = attrs.field(
        default=Rational(1), converter=_position_rate, kw_only=True
    )

    needs_cls = False
    exactness = "exact"

    def __repr__(self) -> str:
        given = [repr(self.covariance)]
        for name in ("token_rate", "position_rate"):
            if getattr(self, name) != 1:
                given.append(f"{name}={number_source(getattr(self, name))}")
        return f"tangent({', '.join(given)})"

    def on_diagram(self, diagram: Diagram) -> Any:
        """The tangent kernel on a pair of strings with this diagram.

        >>> tangent(linear_attention(readout="last")).on_diagram(Diagram.of("A", "B"))
        8*beta^3
        """
        check_diagram(diagram)
        if self.covariance.causal:
            return self._with_mask(diagram)
        last = bool(diagram.left) and diagram.left[-1] == diagram.right[-1]
        return self._of_counts(diagram.meetings, diagram.matches, len(diagram), last)

    def on_table(self, table: Any) -> Any:
        """The value on a contingency table: entry [u][v] counts the positions with u over v.

        A mask or the last position's readout tells positions apart, and then a table says too
        little.

        >>> tangent(linear_attention(1, 1)).on_table(((1, 0), (1, 0)))
        192
        """
        kernel = self.covariance
        if kernel.causal or kernel.readout == "last":
            raise NotSupported(
                f"{self!r} tells positions apart: its value is no function of a table; give a "
                "diagram"
            )
        rows = _table(table)
        matches = sum(row[u] for u, row in enumerate(rows))
        columns = map(sum, zip(*rows, strict=True))
        meetings = sum(sum(row) * n for row, n in zip(rows, columns, strict=True))
        return self._of_counts(meetings, matches, sum(map(sum, rows)), False)

    def value(self, x: Any, y: Any) -> Any:
        """The tangent kernel of two strings, as given.

        >>> tangent(linear_attention(1, 1, causal=True), position_rate=0).value("AB", "AA")
        124
        """
        return self.on_diagram(Diagram.of(x, y))

    def _variances(self) -> tuple[Any, Any, Any, Any]:
        """Alpha and beta, and each times its rate, in one ring."""
        kernel, rates = self.covariance, (self.token_rate, self.position_rate)
        if kernel.alpha is not None and kernel.beta is not None:
            alpha, beta = kernel.alpha, kernel.beta
            return alpha, beta, alpha * rates[0], beta * rates[1]
        ring = QQ["alpha", "beta"]
        first, second = ring.gens
        alpha = first if kernel.alpha is None else ring.coerce(kernel.alpha)
        beta = second if kernel.beta is None else ring.coerce(kernel.beta)
        return alpha, beta, alpha * ring.coerce(rates[0]), beta * ring.coerce(rates[1])

    def _of_counts(self, meetings: int, matches: int, length: int, last: bool) -> Any:
        """Without a mask K stays a multiple of itself, and Theta a combination of two matrices."""
        alpha, beta, tangent_alpha, tangent_beta = self._variances()
        read = {
            "sum": (meetings, length),
            "flatten": (matches, length),
            "last": (int(last), int(length > 0)),
        }[self.covariance.readout]
        norm, inner = overlaps(alpha, beta, tangent_alpha, tangent_beta, meetings, matches, length)
        scale, first, second = combination(norm, inner, self.covariance.layers)
        covariance = alpha * read[0] + beta * read[1]
        own = tangent_alpha * read[0] + tangent_beta * read[1]
        return first * own + (second + scale) * covariance

    def _with_mask(self, diagram: Diagram) -> Any:
        alpha, beta, tangent_alpha, tangent_beta = self._variances()
        zero = 0 * alpha
        K, theta = [], []
        for a, s in enumerate(diagram.left):
            same = [(int(s == t), int(a == b)) for b, t in enumerate(diagram.right)]
            K.append([alpha * m + beta * n for m, n in same])
            theta.append([tangent_alpha * m + tangent_beta * n for m, n in same])
        for _ in range(self.covariance.layers):
            K, theta = _masked_layer(K, theta, zero)
        # The readout's own weights are trained too.
        total = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(K, theta, strict=True)]
        if self.covariance.readout == "sum":
            return sum((x for row in total for x in row), zero)
        if self.covariance.readout == "flatten":
            return sum((row[a] for a, row in enumerate(total)), zero)
        return total[-1][-1] if total else zero


def overlaps(
    alpha: Any, beta: Any, tangent_alpha: Any, tangent_beta: Any,
    meetings: Any, matches: Any, length: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """|K|^2 and <K, Theta> of the embeddings, from how many pairs of positions meet and agree.

    >>> overlaps(1, 1, 1, 0, 4, 2, 2)
    (10, 6)
    """
    norm = alpha * alpha * meetings + 2 * (alpha * beta * matches) + beta * beta * length
    inner = (
        alpha * tangent_alpha * meetings
        + (alpha * tangent_beta + beta * tangent_alpha) * matches
        + beta * tangent_beta * length
    )
    return norm, inner


def combination(norm: Any, inner: Any, layers: int) -> tuple[Any, Any, Any]:
    """(k, a, b) so that after some layers the pair is k K and a Theta + b K.

    >>> combination(10, 6, 1)
    (10, 10, 52)
    """
    scale, first, second = norm, norm, 2 * inner + _MATRICES * norm
    for _ in range(layers - 1):
        square = scale * scale
        first, second, scale = (
            square * norm * first,
            square * (2 * (first * inner) + 3 * (second * norm) + _MATRICES * (scale * norm)),
            square * scale * norm,
        )
    return scale, first, second


def _masked_layer(
    K: list[list[Any]], theta: list[list[Any]], zero: Any
) -> tuple[list[list[Any]], list[list[Any]]]:
    """One layer with a causal mask, the sums over c <= a and d <= b by running sums."""
    above = [(zero, zero)] * len(K)
    covariance, tangents = [], []
    for row, own in zip(K, theta, strict=True):
        norm, inner, sums = zero, zero, []
        for k, t, (norm_above, inner_above) in zip(row, own, above, strict=True):
            norm, inner = norm + k * k, inner + k * t
            sums.append((norm_above + norm, inner_above + inner))
        covariance.append([k * n for k, (n, _) in zip(row, sums, strict=True)])
        tangents.append(
            [
                n * t + (2 * i + _MATRICES * n) * k
                for k, t, (n, i) in zip(row, own, sums, strict=True)
            ]
        )
        above = sums
    return covariance, tangents


def _table(table: Any) -> tuple[tuple[int, ...], ...]:
    if not isinstance(table, tuple) or not all(isinstance(row, tuple) for row in table):
        raise BadType(f"the table is {shown(table)}: give a tuple of tuples of counts")
    if any(len(row) != len(table) for row in table):
        raise BadShape(f"the table is {shown(table)}: give as many columns as rows")
    return tuple(tuple(integer(n, "a count", at_least=0) for n in row) for row in table)


def tangent(
    kernel: LinearAttention, *, token_rate: Any = 1, position_rate: Any = 1
) -> TangentKernel:
    """The neural tangent kernel of a linear-attention transformer, exactly.

    It is the limit of many heads and wide layers, in the parametrisation whose weights have
    variance 1. The rates multiply the learning rates of the embeddings of tokens and positions.

    >>> tangent(linear_attention(), position_rate=0).value("A", "A")
    8*alpha^3 + 21*alpha^2*beta + 18*alpha*beta^2 + 5*beta^3
    >>> tangent(linear_attention(1, 1, layers=2)).value("AB", "AB")
    425984
    >>> tangent("relu")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: 'relu' is no kernel of linear attention: give linear_attention(...)
    """
    return TangentKernel(kernel, token_rate=token_rate, position_rate=position_rate)
