"""Answers: what each kernel of the atlas makes of one task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from symbench.atlas.kernels import LADDERS
from symbench.atlas.orders import LeastOrder, least_order
from symbench.draw.views import Shown, columns_text
from symbench.errors import UnknownName
from symbench.learning.learnable import Learnable
from symbench.words import Task, Template

_UNKNOWN = "?"


@attrs.frozen(eq=False, repr=False)
class Answers(Shown, Mapping[str, Learnable]):
    """For each kernel of the atlas whether it learns a task: what `atlas[task]` is.

    Each is a `Learnable`, with its certificate; `costs` has the largest c_j of the kernels for
    which it is stored, as a text.

    >>> found = sb.atlas()[tasks.same_different()]
    >>> found["mlp"].confused, found.learned_by[:2]
    (((Template('αα'), Template('αβ')),), ('polynomial-2', 'polynomial-3'))
    >>> found.least_degree("incidence"), found.least_order.order
    (1, 4)
    """

    task: Task | tuple[Template, ...]
    found: Mapping[str, Learnable]
    costs: Mapping[str, str] = attrs.field(factory=dict)
    stored_order: LeastOrder | None = None

    def __getitem__(self, name: str) -> Learnable:
        if name not in self.found:
            raise UnknownName(f"no kernel is named {name!r}: there are {', '.join(self.found)}")
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def learned_by(self) -> tuple[str, ...]:
        """The kernels that learn the task."""
        return tuple(name for name, answer in self.found.items() if answer.status == "learnable")

    def least_degree(self, ladder: str) -> int | None:
        """The least degree of 'polynomial' or 'incidence' that learns the task; None if no one.

        >>> sb.atlas()["aabb_abab"].least_degree("polynomial") is None
        True
        """
        if ladder not in LADDERS:
            raise UnknownName(f"the ladder is {ladder!r}: give one of {', '.join(LADDERS)}")
        steps = {int(n.rpartition("-")[2]): n for n in self.found if n.startswith(f"{ladder}-")}
        return next((d for d, name in sorted(steps.items()) if name in self.learned_by), None)

    @property
    def least_order(self) -> LeastOrder:
        """The least order in beta at which attention tells all of the templates apart."""
        return self.stored_order or least_order(self.task)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A line for each kernel: whether it learns the task, its rank, what is confused."""
        return [
            {
                "kernel": name,
                "status": answer.status,
                "rank": answer.rank,
                "templates": len(answer.templates),
                "confused": [list(map(str, members)) for members in answer.confused],
                "cost": self.costs.get(name),
            }
            for name, answer in self.found.items()
        ]

    def __repr__(self) -> str:
        table = [["kernel", "learns it", "rank", "confused", "cost"]]
        words = {"learnable": "yes", "not learnable": "no", "undecided": _UNKNOWN}
        for row in self.rows:
            groups = len(row["confused"])
            table.append(
                [
                    row["kernel"],
                    words[row["status"]],
                    _UNKNOWN if row["rank"] is None else f"{row['rank']} of {row['templates']}",
                    f"{groups} group{'s' * (groups > 1)}" if groups else "",
                    row["cost"] or "",
                ]
            )
        return columns_text(table)

    __str__ = __repr__
