"""Attention at beta = infinity, gamma = 0: all weight on the token of the largest logit.

The winner of x and that of y are the same token with probability 1/n for each token that both have,
n the number of tokens in x or y: the kernel is the Jaccard similarity of the two sets of tokens.
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.exact import Rational
from symbench.kernels.diagram import Diagram, check_positions


@attrs.frozen
class HardAttention:
    """The limit of the attention kernel for beta to infinity at gamma = 0.

    >>> HardAttention().value("AAB*", "ABC*")
    3/4
    """

    needs_cls = True
    exactness = "exact"

    def value(self, x: Any, y: Any) -> Rational:
        """The value on two strings as given."""
        return self.on_diagram(Diagram.of(x, y))

    def on_diagram(self, diagram: Diagram) -> Rational:
        """Common tokens over all tokens."""
        left, right = set(check_positions(diagram).left), set(diagram.right)
        return Rational(len(left & right), len(left | right))
