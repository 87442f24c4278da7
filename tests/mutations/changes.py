"""A change of one place in the source: where it stands, and the list of those kept by hand."""

from __future__ import annotations

import ast
import tomllib
from functools import cached_property
from pathlib import Path

import attrs

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("changes.toml")

# The rooms whose errors a claim should notice, in the order of the house. The other modules draw,
# read arguments, make test cases or print: tests look after them.
ROOMS = [
    "exact",
    "certificates",
    "decide",
    "words",
    "young",
    "laws",
    "kernels",
    "ktau",
    "certifying",
    "spectra",
    "learning",
    "sparse",
    "atlas",
    "texts",
    "registry",
]


class DoesNotApply(Exception):
    """The old text does not stand in the file exactly once."""


@attrs.frozen
class Change:
    """One error: in `file` (below symbench/) `old` becomes `new`; `why` says what goes wrong.

    A random change also has the place of `old` in the file, which may hold it more than once.
    """

    file: str
    old: str
    new: str
    why: str
    place: int | None = None

    @property
    def room(self) -> str:
        """The first folder of the file, or the module itself."""
        return self.file.partition("/")[0].removesuffix(".py")

    @property
    def key(self) -> str:
        """What names the change in the file of results."""
        where = "" if self.place is None else f"@{self.place}"
        return f"{self.file}{where}: {self.old} -> {self.new}"

    def start(self, text: str) -> int:
        """Where the old text begins in the file."""
        if self.place is not None and text.startswith(self.old, self.place):
            return self.place
        count = text.count(self.old)
        if count != 1 or self.old == self.new:
            raise DoesNotApply(f"{self.file}: {count} times, not once: {self.old!r}")
        return text.index(self.old)

    def applied(self, text: str) -> str:
        """The text of the file with the error in it; it is still Python."""
        start = self.start(text)
        changed = text[:start] + self.new + text[start + len(self.old) :]
        try:
            compile(changed, self.file, "exec")
        except SyntaxError as error:
            raise DoesNotApply(f"{self.file}: {self.new!r} is no Python there: {error}") from error
        return changed


@attrs.frozen
class Functions:
    """The functions of a file: which one a place belongs to."""

    text: str

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        nodes = (
            node
            for node in ast.walk(ast.parse(self.text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        firsts = ((min([d.lineno for d in n.decorator_list] + [n.lineno]), n) for n in nodes)
        return sorted((first, node.end_lineno or first) for first, node in firsts)

    def first_line(self, start: int) -> int | None:
        """The first line of the innermost function around a place; None outside of functions."""
        line = self.text.count("\n", 0, start) + 1
        around = [first for first, last in self._spans if first <= line <= last]
        return around[-1] if around else None


def listed() -> list[Change]:
    """The changes of the list, in its order."""
    with LIST.open("rb") as file:
        data = tomllib.load(file)
    return [Change(file=name, **entry) for name, found in data.items() for entry in found]
