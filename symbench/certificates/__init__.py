"""Certificates: every kind, what each is about, files and bundles. The trusted base.

This room imports only errors and exact. It never searches: `symbench.decide` does. Kinds are loaded
when they are first used, so that checking a file costs little more than reading it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "assignments": "Stage TiedAssignment UniqueAssignment",
    "base": "Certificate",
    "blocks": "BlockDiagonal TraceBoundHolds",
    "claims": "Counterexample Exhausted",
    "definite": "NotPositiveDefinite PositiveDefinite",
    "files": "load",
    "kinds": "KINDS",
    "ranks": "Nonsingular NonsingularBalls RankIs Singular",
    "separation": "ModularPoints OnePoint TemplateRank TypeRank",
    "templates": "KernelFacts Templates",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

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


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'symbench.certificates' has no attribute {name!r}")
    value = getattr(import_module(f"symbench.certificates.{_HOME[name]}"), name)
    globals()[name] = value
    return value
