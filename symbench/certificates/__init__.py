"""Certificates: what each kind is, and its check. The trusted base.

This room imports only errors and exact. It never searches: `symbench.decide` does.
"""

from symbench.certificates.base import Certificate
from symbench.certificates.files import check, load
from symbench.certificates.kinds import (
    Counterexample,
    Exhausted,
    Nonsingular,
    NonsingularBalls,
    NotPositiveDefinite,
    PositiveDefinite,
    RankIs,
    Singular,
    TiedAssignment,
    UniqueAssignment,
)

__all__ = [
    "Certificate",
    "Counterexample",
    "Exhausted",
    "Nonsingular",
    "NonsingularBalls",
    "NotPositiveDefinite",
    "PositiveDefinite",
    "RankIs",
    "Singular",
    "TiedAssignment",
    "UniqueAssignment",
    "check",
    "load",
]
