"""Certificates of the rank of K_tau of softmax attention, by the theorems about it."""

from __future__ import annotations

from typing import Any

import attrs

from symbench.certificates.base import NUMBER, NUMBERS, Certificate, field, kind
from symbench.ktau.diagrams import Types
from symbench.ktau.ends import EndPatterns
from symbench.ktau.patterns import Patterns, canonical_row


@kind("template-rank")
@attrs.frozen(kw_only=True)
class TemplateRank(Certificate):
    """The rank of K_tau is the number of inequivalent templates, for every beta, gamma != 0.

    Equivalent templates have equal rows, and a point tells the others apart, as in `OnePoint`.

    >>> rows = ((-1, -1, 0), (-1, -2, 0), (-2, -1, 0))
    >>> TemplateRank(rank=2, xi=(1, 2, -3), y=(5,)).check(Patterns(rows))
    True
    """

    rank: int = field(NUMBER)
    xi: tuple[int, ...] = field(NUMBERS)
    y: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Any) -> bool:
        if type(subject) not in (Patterns, EndPatterns):
            return False
        if not subject.fits(len(self.xi), len(self.y)):
            return False
        different = type(subject)(tuple(dict.fromkeys(map(canonical_row, subject.rows))))
        return len(different.rows) == self.rank and bool(different.separated_at(self.xi, self.y))

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"rank {self.rank} for every beta, gamma != 0: so many inequivalent templates"


@kind("type-rank")
@attrs.frozen(kw_only=True)
class TypeRank(Certificate):
    """The rank of K_tau at gamma = 0, beta != 0, is the number of types that have a token.

    By theorem `symbench.gamma-zero-rank`; a template without tokens has a row of zeros.

    >>> TypeRank(rank=1).check(Types(((-1, -1, 0), (-1, 0, -1), (-1, -2, -3))))
    True
    """

    rank: int = field(NUMBER)

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Types) or not subject.rows:
            return False
        return len({found for found in subject.types if found[0]}) == self.rank

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"rank {self.rank} at gamma = 0 for every beta != 0: so many types with a token"
