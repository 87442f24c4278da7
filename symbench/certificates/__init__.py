"""Certificates: every kind, what each is about, files and bundles. The trusted base.

This room imports only errors and exact. It never searches: `symbench.decide` does.
"""

from symbench.certificates.assignments import Stage, TiedAssignment, UniqueAssignment
from symbench.certificates.base import Certificate
from symbench.certificates.blocks import BlockDiagonal, TraceBoundHolds
from symbench.certificates.claims import Counterexample, Exhausted
from symbench.certificates.definite import NotPositiveDefinite, PositiveDefinite
from symbench.certificates.files import load
from symbench.certificates.kinds import KINDS
from symbench.certificates.ranks import Nonsingular, NonsingularBalls, RankIs, Singular
from symbench.certificates.separation import ModularPoints, OnePoint, TemplateRank, TypeRank
from symbench.certificates.templates import KernelFacts, Templates

__all__ = [
    "KINDS",
    "BlockDiagonal",
    "Certificate",
    "Counterexample",
    "Exhausted",
    "KernelFacts",
    "ModularPoints",
    "Nonsingular",
    "NonsingularBalls",
    "NotPositiveDefinite",
    "OnePoint",
    "PositiveDefinite",
    "RankIs",
    "Singular",
    "Stage",
    "TemplateRank",
    "Templates",
    "TiedAssignment",
    "TraceBoundHolds",
    "TypeRank",
    "UniqueAssignment",
    "load",
]
