"""Attention at beta = infinity, gamma = 0: all weight on the token of the largest logit.

The winner of x and that of y are the same token with probability 1/n for each token that both have,
n the number of tokens in x or y: the kernel is the Jaccard similarity of the two sets of tokens.
"""

from __future__ import annotations

import attrs

from symbench.exact import Rational
from symbench.kernels.base import OnStrings
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.tables import Table, diagram_of
from symbench.young.position_groups import YoungSubgroup


@attrs.frozen
class HardAttention(OnStrings):
    """The limit of the attention kernel for beta to infinity at gamma = 0.

    >>> HardAttention().value("AAB*", "ABC*")
    3/4
    """

    needs_cls = True
    exactness = "exact"

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions."""
        return YoungSubgroup(length)

    def on_diagram(self, diagram: Diagram) -> Rational:
        """Common tokens over all tokens."""
        left, right = set(check_positions(diagram).left), set(diagram.right)
        return Rational(len(left & right), len(left | right))

    def on_table(self, table: Table) -> Rational:
        """The value from a contingency table.

        >>> HardAttention().on_table(((1, 1), (0, 0)))
        1/2
        """
        return self.on_diagram(diagram_of(table))
