"""Entry: a line of the catalogue of tasks; Catalogue: the lines by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches

import attrs

from symbench._arguments import shown
from symbench.draw.tables import columns_text
from symbench.errors import UnknownName
from symbench.words.task import Task


@attrs.frozen
class Entry:
    """A line of the catalogue: a task with its source and the counts it must have.

    >>> entry = tasks.catalogue["raven"]
    >>> entry.templates, entry.length, entry.labels, entry.task() == tasks.raven()
    (37, 8, 'symbolic', True)
    """

    name: str
    source: str
    statement: str
    templates: int
    length: int
    labels: str
    build: Callable[[], Task] = attrs.field(repr=False, eq=False)

    def task(self) -> Task:
        """The task itself, built anew.

        >>> len(tasks.catalogue["copy"].task())
        1
        """
        return self.build()

    def latex(self) -> str:
        r"""The task as LaTeX, for math mode.

        >>> print(tasks.catalogue["copy"].latex())
        \begin{array}{ll}
        \alpha & \mapsto \alpha
        \end{array}
        """
        return self.task().latex()


class Catalogue(Mapping[str, Entry]):
    """The tasks by name.

    >>> "raven" in tasks.catalogue
    True
    >>> tasks.catalogue["ravens"]
    Traceback (most recent call last):
        ...
    symbench.errors.UnknownName: no task is named 'ravens'; near: raven, raven_41
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> Entry:
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None:
            known = name if isinstance(name, str) else ""
            near = get_close_matches(known, self._entries, n=4, cutoff=0.5)
            hint = f"near: {', '.join(near)}" if near else f"there are: {', '.join(self._entries)}"
            raise UnknownName(f"no task is named {shown(name)}; {hint}")
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __repr__(self) -> str:
        rows = [["name", "templates", "length", "labels"]]
        rows += [[e.name, str(e.templates), str(e.length), e.labels] for e in self.values()]
        return columns_text(rows, right=(1, 2))
