"""What Hypothesis calls when it is imported: `st.from_type` finds the types of symbench.

Nothing is loaded for that. The public classes of a module are registered when it is, whichever of
symbench and Hypothesis comes first, and `symbench.strategies` is loaded when a strategy is asked
for.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from symbench._lazy import Room, on_load


def register() -> None:
    """Register the types that are loaded, and from now on those that will be."""
    if _register not in on_load:
        on_load.append(_register)
    for name, module in list(sys.modules.items()):
        if name.startswith("symbench."):
            _register(module)


def _register(module: ModuleType) -> None:
    """Register the classes of a module; one that is being loaded is heard of again."""
    found = [cls for cls in public_classes(module) if not issubclass(cls, BaseException)]
    if found:
        from hypothesis.strategies import register_type_strategy

        for cls in found:
            register_type_strategy(cls, _made)


def _made(cls: type) -> Any:
    return import_module("symbench.strategies.by_type").strategy_of(cls)


def public_classes(module: ModuleType) -> list[type]:
    """The classes of a module that have a public name: one in the stub of a room that is loaded.

    A module that is itself a public name, such as `learning.targets`, has all of its own, but
    those that begin with an underscore.
    """
    home, (package, _, last) = module.__name__, module.__name__.rpartition(".")
    names: set[str] = set()
    for room in [room for room in sys.modules.values() if isinstance(room, Room)]:
        names |= {name for name, place in room._homes.items() if place == home}
        if room.__name__ == package == room._homes.get(last):
            names |= {name for name in vars(module) if not name.startswith("_")}
    values = [vars(module)[name] for name in names & set(vars(module))]
    return [v for v in values if isinstance(v, type) and v.__module__ == home]
