"""Counts: how often tokens occur and meet in many pairs of strings, as numpy arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from symbench.errors import BadShape, BadType
from symbench.kernels.diagram import Diagram

_BITS = 62


def as_diagram(pair: Any) -> Diagram:
    """A Diagram as it is; two strings as their diagram."""
    if isinstance(pair, Diagram):
        return pair
    if isinstance(pair, (tuple, list)) and len(pair) == 2:
        return Diagram.of(*pair)
    raise BadType(f"{pair!r} is neither a pair of strings nor a Diagram: write ('AAB', 'ABC')")


@attrs.frozen(eq=False)
class Counts:
    """d_s, e_s and n_st of pairs of strings of one length k, for all pairs at once."""

    length: int
    pairs: NDArray[np.int64]

    @classmethod
    def of_pairs(cls, pairs: Iterable[Any]) -> Counts:
        """The counts of pairs of strings (or diagrams) of one length."""
        diagrams = [as_diagram(pair) for pair in pairs]
        lengths = sorted({len(diagram) for diagram in diagrams})
        if len(lengths) != 1:
            raise BadShape(f"the pairs have lengths {lengths}: give pairs of one length")
        k = lengths[0]
        codes = np.array([(d.left, d.right) for d in diagrams], dtype=np.int64)
        tokens = int(codes.max(initial=0)) + 1
        table = np.zeros((len(diagrams), tokens, tokens), dtype=np.int64)
        rows = np.repeat(np.arange(len(diagrams)), k)
        np.add.at(table, (rows, codes[:, 0].ravel(), codes[:, 1].ravel()), 1)
        return cls(k, table)

    def dtype(self, degree: int) -> Any:
        """int64 where k^degree fits, otherwise Python's ints."""
        return np.int64 if self.length**degree < 1 << _BITS else object

    def ones(self, degree: int) -> NDArray[Any]:
        """1 for every pair, in a type that holds k^degree."""
        return np.ones(len(self.pairs), dtype=self.dtype(degree))

    def total(
        self, weights: Sequence[tuple[int, int]], edges: Sequence[tuple[int, int]]
    ) -> NDArray[Any]:
        """The sum over all tokens of prod d_s^p e_s^q prod n_st, for every pair."""
        kind = self.dtype(sum(p + q for p, q in weights) + len(edges))
        n = self.pairs.astype(kind)
        d, e = n.sum(axis=2), n.sum(axis=1)
        # Subscripts for einsum: 0 is the pair, s + 1 the token of node s.
        operands: list[Any] = []
        links = Counter(edges)
        for s, (p, q) in enumerate(weights):
            at_node = d**p * e**q
            if (s, s) in links:
                at_node = at_node * np.einsum("zss->zs", n) ** links[s, s]
            operands += [at_node, [0, s + 1]]
        for (s, t), times in links.items():
            if s != t:
                operands += [n**times, [0, s + 1, t + 1]]
        total: NDArray[Any] = np.einsum(*operands, [0], optimize=len(weights) > 2)
        return total
