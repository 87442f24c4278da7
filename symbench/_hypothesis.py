"""What Hypothesis calls when it is imported: `st.from_type` finds the types of symbench.

Nothing is loaded for that. A type is registered when its module is, whichever of symbench and
Hypothesis comes first, and `symbench.strategies` is loaded when a strategy is asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from symbench._lazy import on_load

# Module, type, and the strategy of that type.
_TYPES = {
    "symbench.words.template": ("Template", "templates"),
    "symbench.words.substitution": ("Substitution", "substitutions"),
    "symbench.words.letters": ("Word", "strings"),
    "symbench.words.task": ("Task", "tasks"),
    "symbench.exact.matrix": ("Matrix", "matrices"),
    "symbench.young.partition": ("Partition", "partitions"),
    "symbench.young.permutation": ("Permutation", "permutations"),
    "symbench.young.tableau": ("Tableau", "tableaux"),
    "symbench.laws.base": ("Law", "laws"),
    "symbench.kernels.base": ("Kernel", "kernels"),
}


def register() -> None:
    """Register the types that are loaded, and from now on those that will be."""
    if _register not in on_load:
        on_load.append(_register)
    for name in _TYPES:
        if name in sys.modules:
            _register(sys.modules[name])


def _register(module: ModuleType) -> None:
    name, strategy = _TYPES.get(module.__name__, ("", ""))
    # A module that is just being loaded does not have its type yet, and is heard of again.
    if name in vars(module):
        from hypothesis.strategies import register_type_strategy

        def made(_: Any) -> Any:
            return getattr(import_module("symbench.strategies"), strategy)()

        register_type_strategy(getattr(module, name), made)
