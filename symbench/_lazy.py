"""Rooms whose public names are listed once, in a stub, and loaded when they are first used.

A room's `__init__.pyi` has one line for each public name, such as `from symbench.words.task import
Task as Task`, which is what type checkers read; its `__init__.py` says
`__all__ = open_room(__name__)`, and importing it costs the reading of that list.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import pairwise
from warnings import warn

# Importing symbench should cost next to nothing, and typing is most of what it would cost.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any
else:
    ModuleType = type(sys)

# What wants to hear of each module that is loaded into a room.
on_load: list[Callable[[ModuleType], object]] = []


class Room(ModuleType):
    """A package that loads its public names on demand."""

    _homes: dict[str, str]
    _moved: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        home = self._homes.get(name)
        if home is None:
            return self._moved_name(name)
        if home == self.__name__:
            return import_module(f"{home}.{name}")
        module = import_module(home)
        value = getattr(module, name)
        self.__dict__[name] = value
        for hear in on_load:  # of a module that is deeper than one step, too
            hear(module)
        return value

    def _moved_name(self, name: str) -> Any:
        place = self._moved.get(name)
        if place is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home, _, new = f"{self.__name__}.{place}".rpartition(".")
        found = getattr(import_module(home), new)
        # A call that is written otherwise now has the new words as its docstring.
        now = found.__doc__.rstrip(".") if place.startswith("_before.") else f"{home}.{new}"
        warn(f"{self.__name__}.{name} is now {now}: use that", DeprecationWarning, stacklevel=3)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            # The import system binds a loaded module to its name in the package; a public name that
            # is spelled like its module (`kernels.attention`) stays the public name.
            for hear in on_load:
                hear(value)
            if self._homes.get(name, self.__name__) != self.__name__:
                return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted([*self._homes, *(name for name in self.__dict__ if name.startswith("__"))])


def open_room(package: str, moved: dict[str, str] | None = None) -> list[str]:
    """Make a package a Room by its stub; the public names, for `__all__`.

    moved tells where names of before are now: they are found there, with a DeprecationWarning.
    """
    room = sys.modules[package]
    with open(f"{room.__file__}i", encoding="utf-8") as stub:
        words = stub.read().replace("(", " ").replace(",", " ").split()
    homes: dict[str, str] = {}
    for before, word in pairwise(words):
        if before == "from":
            home = word
        elif before == "as":
            homes[word] = home
    room.__dict__.update(_homes=homes, _moved=moved or {})
    room.__class__ = Room
    return sorted(homes)
