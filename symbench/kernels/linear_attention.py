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

from typing import Any

import attrs

from symbench.errors import TooLarge
from symbench.exact import QQ, Rational
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.parameters import (
    exact_parameter,
    number_source,
    one_of,
    whole_parameter,
    yes_or_no,
)

READOUTS = ("sum", "flatten", "last")
# The value has degree 3^layers in alpha and beta.
_MOST_LAYERS = 8


def _alpha(value: Any) -> Rational | None:
    return None if value is None else exact_parameter(value, "alpha", at_least=0)


def _beta(value: Any) -> Rational | None:
    return None if value is None else exact_parameter(value, "beta", at_least=0)


def _layers(value: Any) -> int:
    number = whole_parameter(value, "layers", at_least=1)
    if number > _MOST_LAYERS:
        raise TooLarge(
            f"layers is {number}: the kernel has degree 3^{number} in alpha and beta; "
            f"ask for at most {_MOST_LAYERS} layers"
        )
    return number


def _readout(value: Any) -> str:
    return one_of(value, "the readout", READOUTS)


def _causal(value: Any) -> bool:
    return yes_or_no(value, "causal")


@attrs.frozen(repr=False)
class LinearAttention:
    """The kernel of linear attention; alpha and beta are variances, None for a variable.

    >>> kernel = LinearAttention(1, "1/2", readout="last")
    >>> kernel, kernel.needs_cls, kernel.exactness
    (linear_attention(1, '1/2', readout='last'), False, 'exact')
    """

    alpha: Rational | None = attrs.field(default=None, converter=_alpha)
    beta: Rational | None = attrs.field(default=None, converter=_beta)
    readout: str = attrs.field(default="sum", converter=_readout, kw_only=True)
    layers: int = attrs.field(default=1, converter=_layers, kw_only=True)
    causal: bool = attrs.field(default=False, converter=_causal, kw_only=True)

    needs_cls = False
    exactness = "exact"

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

    def _variances(self) -> tuple[Any, Any]:
        """Alpha and beta as elements of one ring: QQ, or QQ['alpha', 'beta'] if one is None."""
        if self.alpha is not None and self.beta is not None:
            return self.alpha, self.beta
        ring = QQ["alpha", "beta"]
        alpha, beta = ring.gens
        return (
            alpha if self.alpha is None else ring.coerce(self.alpha),
            beta if self.beta is None else ring.coerce(self.beta),
        )

    def on_diagram(self, diagram: Diagram) -> Any:
        """The kernel on a pair of strings with this diagram.

        >>> LinearAttention(1, 1, readout="flatten").on_diagram(Diagram.of("AB", "AA"))
        18
        """
        check_diagram(diagram)
        alpha, beta = self._variances()
        if self.causal:
            return self._with_mask(diagram, alpha, beta)
        length, agreements = len(diagram), diagram.matches
        norm = (
            alpha * alpha * diagram.meetings + 2 * agreements * alpha * beta + length * beta * beta
        )
        if self.readout == "sum":
            read = alpha * diagram.meetings + length * beta
        elif self.readout == "flatten":
            read = alpha * agreements + length * beta
        else:
            read = alpha * int(_last_agree(diagram)) + beta * int(length > 0)
        # A layer maps c K to c^3 |K|^2 K, so the exponents of |K|^2 are 1, 4, 13, ...
        return read * norm ** ((3**self.layers - 1) // 2)

    def _with_mask(self, diagram: Diagram, alpha: Any, beta: Any) -> Any:
        zero = 0 * alpha
        covariance = [
            [alpha * int(s == t) + beta * int(a == b) for b, t in enumerate(diagram.right)]
            for a, s in enumerate(diagram.left)
        ]
        for _ in range(self.layers):
            covariance = _masked_layer(covariance, zero)
        size = range(len(diagram))
        if self.readout == "sum":
            return sum((covariance[a][b] for a in size for b in size), zero)
        if self.readout == "flatten":
            return sum((covariance[a][a] for a in size), zero)
        return covariance[-1][-1] if covariance else zero

    def value(self, x: Any, y: Any) -> Any:
        """The kernel of two strings, as given.

        >>> LinearAttention(1, 1, causal=True).value("AB", "AA")
        19
        """
        return self.on_diagram(Diagram.of(x, y))


def _last_agree(diagram: Diagram) -> bool:
    return bool(diagram.left) and diagram.left[-1] == diagram.right[-1]


def _masked_layer(covariance: list[list[Any]], zero: Any) -> list[list[Any]]:
    """K_ab times the sum of K_cd^2 over c <= a, d <= b, by running sums."""
    above: list[Any] = [zero] * len(covariance)
    result = []
    for row in covariance:
        running, sums = zero, []
        for entry, before in zip(row, above, strict=True):
            running = running + entry * entry
            sums.append(before + running)
        result.append([entry * total for entry, total in zip(row, sums, strict=True)])
        above = sums
    return result


def linear_attention(
    alpha: Any = None,
    beta: Any = None,
    *,
    readout: str = "sum",
    layers: int = 1,
    causal: bool = False,
) -> LinearAttention:
    """The kernel of a linear-attention transformer, exactly.

    alpha is the variance of the token embeddings and beta that of the positions; None keeps
    them as variables. One layer is exact at every width given the embeddings' covariance; more
    layers are the limit of many heads.

    >>> linear_attention(2, 1, readout="last").value("AB", "CB")
    30
    >>> linear_attention(1, 1, layers=2).value("A", "A")
    512
    >>> linear_attention(1, 1, readout="mean")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the readout is 'mean': give one of sum, flatten, last
    """
    return LinearAttention(alpha, beta, readout=readout, layers=layers, causal=causal)
