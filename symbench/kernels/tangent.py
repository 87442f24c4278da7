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

from operator import mul
from typing import Any

import attrs

from symbench._arguments import instance
from symbench.exact import Rational
from symbench.exact.rational import exact_parameter, number_source
from symbench.kernels.diagram import Diagram
from symbench.kernels.linear_attention import LinearAttention, OfCounts, running_sums, scalar

# Query, key, value and output.
_MATRICES = 4


def _kernel(value: Any) -> LinearAttention:
    return instance(value, LinearAttention, "the kernel", "linear_attention(...)")


def _token_rate(value: Any) -> Rational:
    return exact_parameter(value, "token_rate", at_least=0)


def _position_rate(value: Any) -> Rational:
    return exact_parameter(value, "position_rate", at_least=0)


@attrs.frozen(repr=False, slots=False)
class TangentKernel(OfCounts):
    """The neural tangent kernel of a linear-attention transformer, exactly.

    It is the limit of many heads and wide layers, in the parametrisation whose weights have
    variance 1. `covariance` is the kernel at initialisation. The rates multiply the learning rates
    of the embeddings of tokens and positions; a rate of 0 says that these are not trained. All
    other weights have rate 1.

    >>> tangent(linear_attention(), position_rate=0).value("A", "A")
    8*alpha^3 + 21*alpha^2*beta + 18*alpha*beta^2 + 5*beta^3
    >>> tangent(linear_attention(1, 1, layers=2)).value("AB", "AB")
    425984
    >>> frozen = tangent(linear_attention(1, 1, readout="flatten"), position_rate=0)
    >>> frozen, frozen.needs_cls, frozen.exactness
    (tangent(linear_attention(1, 1, readout='flatten'), position_rate=0), False, 'exact')
    >>> tangent("relu")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the kernel is 'relu': give linear_attention(...)
    """

    covariance: LinearAttention = attrs.field(converter=_kernel)
    token_rate: Rational = attrs.field(default=Rational(1), converter=_token_rate, kw_only=True)
    position_rate: Rational = attrs.field(
        default=Rational(1), converter=_position_rate, kw_only=True
    )

    def __repr__(self) -> str:
        given = [repr(self.covariance)]
        for name in ("token_rate", "position_rate"):
            if getattr(self, name) != 1:
                given.append(f"{name}={number_source(getattr(self, name))}")
        return f"tangent({', '.join(given)})"

    @property
    def plain(self) -> LinearAttention:
        """The kernel at initialisation."""
        return self.covariance

    def with_variances(self, alpha: Any = None, beta: Any = None) -> TangentKernel:
        """The same kernel with numbers for its variables."""
        return attrs.evolve(self, covariance=self.covariance.with_variances(alpha, beta))

    def variances(self, alpha: Any, beta: Any) -> tuple[Any, ...]:
        """Alpha and beta, and each times its rate."""
        return alpha, beta, alpha * scalar(self.token_rate), beta * scalar(self.position_rate)

    def of_counts(
        self, variances: tuple[Any, ...], meetings: Any, matches: Any, length: Any, last: Any
    ) -> Any:
        """Without a mask K stays a multiple of itself, and Theta a combination of two matrices."""
        alpha, beta, tangent_alpha, tangent_beta = variances
        norm, inner = overlaps(variances, meetings, matches, length)
        scale, first, second = combination(norm, inner, self.covariance.layers)
        covariance = self.covariance.read(alpha, beta, meetings, matches, length, last)
        own = self.covariance.read(tangent_alpha, tangent_beta, meetings, matches, length, last)
        return first * own + (second + scale) * covariance

    def with_mask(self, variances: tuple[Any, ...], diagram: Diagram) -> Any:
        """The layers one after another, as pairs of matrices."""
        alpha, beta, tangent_alpha, tangent_beta = variances
        zero = 0 * alpha
        K, theta = [], []
        for a, s in enumerate(diagram.left):
            same = [(int(s == t), int(a == b)) for b, t in enumerate(diagram.right)]
            K.append([alpha * m + beta * n for m, n in same])
            theta.append([tangent_alpha * m + tangent_beta * n for m, n in same])
        for _ in range(self.covariance.layers):
            K, theta = _masked_layer(K, theta)
        # The readout's own weights are trained too.
        total = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(K, theta, strict=True)]
        return self.covariance.read_matrix(total, zero)


tangent = TangentKernel


def overlaps(
    variances: tuple[Any, ...], meetings: Any, matches: Any, length: Any
) -> tuple[Any, Any]:
    """|K|^2 and <K, Theta> of the embeddings, from how many pairs of positions meet and agree."""
    alpha, beta, tangent_alpha, tangent_beta = variances
    norm = alpha * alpha * meetings + 2 * (alpha * beta * matches) + beta * beta * length
    inner = (
        alpha * tangent_alpha * meetings
        + (alpha * tangent_beta + beta * tangent_alpha) * matches
        + beta * tangent_beta * length
    )
    return norm, inner


def combination(norm: Any, inner: Any, layers: int) -> tuple[Any, Any, Any]:
    """(k, a, b) so that after some layers the pair is k K and a Theta + b K."""
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
    K: list[list[Any]], theta: list[list[Any]]
) -> tuple[list[list[Any]], list[list[Any]]]:
    """One layer with a causal mask: the sums are over c <= a and d <= b."""
    norms = running_sums([list(map(mul, row, row)) for row in K])
    inners = running_sums([list(map(mul, row, own)) for row, own in zip(K, theta, strict=True)])
    tangents = [
        [n * t + (2 * i + _MATRICES * n) * k for k, t, n, i in zip(*rows, strict=True)]
        for rows in zip(K, theta, norms, inners, strict=True)
    ]
    return [list(map(mul, row, norm)) for row, norm in zip(K, norms, strict=True)], tangents
