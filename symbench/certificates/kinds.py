"""The kinds of certificate: a closed list, which nobody's import adds to or replaces."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symbench.certificates.assignments import Stage, TiedAssignment, UniqueAssignment
from symbench.certificates.base import Certificate
from symbench.certificates.blocks import BlockDiagonal, TraceBoundHolds
from symbench.certificates.claims import Counterexample, Exhausted
from symbench.certificates.definite import NotPositiveDefinite, PositiveDefinite
from symbench.certificates.ranks import Nonsingular, NonsingularBalls, RankIs, Singular
from symbench.certificates.separation import ModularPoints, OnePoint, TemplateRank, TypeRank

_ALL: tuple[type[Certificate], ...] = (
    Nonsingular,
    NonsingularBalls,
    Singular,
    RankIs,
    PositiveDefinite,
    NotPositiveDefinite,
    UniqueAssignment,
    TiedAssignment,
    Stage,
    BlockDiagonal,
    TraceBoundHolds,
    OnePoint,
    ModularPoints,
    TemplateRank,
    TypeRank,
    Exhausted,
    Counterexample,
)

KINDS: Mapping[str, type[Certificate]] = MappingProxyType({cls.kind: cls for cls in _ALL})

# Where the theorems that certificates rest on are proved.
PAGES: Mapping[str, str] = MappingProxyType(
    {
        "symbench.positive-definite": "proofs/symbench/positive-definite.md",
        "symbench.every-activation": "proofs/symbench/every-activation.md",
        "symbench.gamma-zero-rank": "proofs/symbench/gamma-zero-rank.md",
        "symbench.no-cls": "proofs/symbench/no-cls.md",
        "symbench.no-cls-types": "proofs/symbench/no-cls.md",
        "symbench.normalisation-needed": "proofs/symbench/normalisation-needed.md",
    }
)
