"""Template matrices as formal objects: which entries are equal, whatever the kernel's values are.

A vector that annihilates the formal matrix annihilates every kernel's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import attrs

from symbench.certificates.plain import register_type
from symbench.ktau.patterns import TemplateRows

# How often each token occurs, and the sizes of the wildcard blocks, both sorted.
RowType = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]


@attrs.frozen
class _Formal(TemplateRows):
    """A matrix with entries that are names; None is the entry zero."""

    def _entry(self, i: int, j: int) -> Hashable:
        raise AssertionError("every formal matrix has its own entries")

    def annihilated_by(self, vector: Sequence[Any]) -> bool:
        """Whether the matrix times the vector is zero, the names taken as independent."""
        if len(vector) != len(self.rows):
            return False
        support = [(j, x) for j, x in enumerate(vector) if x != 0]
        for i in range(len(self.rows)):
            sums: dict[Hashable, Any] = {}
            for j, x in support:
                name = self._entry(i, j)
                if name is not None:
                    sums[name] = sums.get(name, 0) + x
            if any(total != 0 for total in sums.values()):
                return False
        return True


@attrs.frozen
class Diagrams(_Formal):
    """The matrix of the generic token-symmetric kernel: a name for each diagram and its flip.

    >>> Diagrams(((-1, -2), (-2, -1), (-1, -1))).annihilated_by((1, -1, 0))
    True
    """

    def _entry(self, i: int, j: int) -> Hashable:
        return min(self._pair(i, j), self._pair(j, i))

    def _pair(self, i: int, j: int) -> tuple[int, ...]:
        # Wildcards of the two sides are different tokens: odd and even numbers below zero.
        left = (a if a >= 0 else 2 * a for a in self.rows[i])
        right = (a if a >= 0 else 2 * a + 1 for a in self.rows[j])
        numbers: dict[int, int] = {}
        return tuple(numbers.setdefault(a, len(numbers)) for a in (*left, *right))


@attrs.frozen
class Types(_Formal):
    """K_tau of softmax attention at gamma = 0: the types name an entry, zero if no token is shared.

    With an activation above, entries without a shared token are not zero, but if every template
    has a token the null vectors of the names are null vectors there too: the entry of a type with
    itself has a name of its own, so they sum to zero over each type.

    >>> Types(((-1, -1, 0), (-1, 0, -1), (-1, -2, -3))).annihilated_by((1, -1, 5))
    True
    """

    @cached_property
    def types(self) -> tuple[RowType, ...]:
        """The type of every template."""
        found = []
        for row in self.rows:
            counts = Counter(row)
            tokens = tuple(sorted((a, n) for a, n in counts.items() if a >= 0))
            found.append((tokens, tuple(sorted(n for a, n in counts.items() if a < 0))))
        return tuple(found)

    def _entry(self, i: int, j: int) -> Hashable:
        left, right = sorted((self.types[i], self.types[j]))
        shared = {a for a, _ in left[0]} & {a for a, _ in right[0]}
        return (left, right) if shared else None


register_type("Diagrams", Diagrams, Diagrams.to_json, Diagrams.from_json)
register_type("Types", Types, Types.to_json, Types.from_json)
