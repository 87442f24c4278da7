"""The kinds of certificate: a closed list, which nobody's import adds to or replaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType

from symbench.certificates.base import Certificate

# Where each kind is: a module is loaded when a file asks for one of its kinds.
_HOMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "nonsingular": ("ranks", "Nonsingular"),
        "nonsingular-balls": ("ranks", "NonsingularBalls"),
        "singular": ("ranks", "Singular"),
        "rank": ("ranks", "RankIs"),
        "positive-definite": ("definite", "PositiveDefinite"),
        "not-positive-definite": ("definite", "NotPositiveDefinite"),
        "unique-assignment": ("assignments", "UniqueAssignment"),
        "tied-assignment": ("assignments", "TiedAssignment"),
        "stage": ("assignments", "Stage"),
        "block-form": ("blocks", "BlockDiagonal"),
        "trace-bound": ("blocks", "TraceBoundHolds"),
        "one-point": ("separation", "OnePoint"),
        "modular-points": ("separation", "ModularPoints"),
        "template-rank": ("separation", "TemplateRank"),
        "type-rank": ("separation", "TypeRank"),
        "head-computes": ("heads", "HeadComputes"),
        "equivariant-training": ("training", "EquivariantTraining"),
        "ridge-prediction": ("regression", "RidgePrediction"),
        "exhausted": ("claims", "Exhausted"),
        "counterexample": ("claims", "Counterexample"),
    }
)


class _Kinds(Mapping[str, type[Certificate]]):
    """The class of every kind, by its name; nothing can be added."""

    __slots__ = ()

    def __getitem__(self, name: str) -> type[Certificate]:
        module, cls = _HOMES[name]
        found: type[Certificate] = getattr(import_module(f"symbench.certificates.{module}"), cls)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


KINDS: Mapping[str, type[Certificate]] = _Kinds()

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
