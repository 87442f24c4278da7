"""AtlasTable: tasks of the catalogue against kernels, as text, as a file and as a picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import choice
from symbench._arguments import path as file_name
from symbench.atlas.answers import Answers
from symbench.atlas.kernels import COSTED
from symbench.draw.charts import grid_svg
from symbench.draw.views import Shown, View, columns_text
from symbench.errors import BadValue, NotExact, NotInvertible, NotSupported, TooLarge, Undecided
from symbench.kernels.base import Kernel
from symbench.learning.template_split import TemplateSplit
from symbench.words import Task

# Templates, and places of one, of a task whose costs are found: floats take long.
_COSTED = {"exact": (150, 20), "float": (16, 5)}
_WORDS = {"learnable": "yes", "not learnable": "no", "undecided": "?"}
_TONES = {"learnable": "good", "not learnable": "bad", "undecided": "open"}


@attrs.frozen(eq=False, repr=False)
class AtlasTable(Shown):
    """Which kernel learns which task, with the cost c: `atlas.table()` makes one.

    A cell has the largest c_j (an error of c/n is left by n strings) where it is stored, else yes,
    no or '?'.

    >>> table = sb.atlas(kernels=["mlp", "gamma-zero"]).table(["aba_abb", "aabb_abab"])
    >>> [row["status"] for row in table.where(kernel="gamma-zero").rows]
    ['not learnable', 'not learnable']
    """

    kernels: tuple[str, ...]
    answers: Mapping[str, Answers]
    status: str | None = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A line for each task and kernel."""
        return [
            {"task": name, "order": answers.least_order.order, **row}
            for name, answers in self.answers.items()
            for row in answers.rows
            if row["kernel"] in self.kernels and self.status in (None, row["status"])
        ]

    def where(self, *, kernel: str | None = None, status: str | None = None) -> AtlasTable:
        """The lines of one kernel, or of one status such as 'not learnable'."""
        names = self.kernels if kernel is None else (choice(kernel, "the kernel", self.kernels),)
        wanted = self.status if status is None else choice(status, "the status", _WORDS)
        return attrs.evolve(self, kernels=names, status=wanted)

    def __repr__(self) -> str:
        return columns_text([["task", "templates", "order", *self.kernels], *self._cells()])

    __str__ = __repr__

    def _cells(self) -> Iterable[list[str]]:
        for name, answers in self.answers.items():
            order = answers.least_order
            cells = [name, str(len(answers.task))]
            cells.append(f"> {order.tried}" if order.order is None else str(order.order))
            for kernel in self.kernels:
                status = answers[kernel].status
                shown = self.status in (None, status)
                cells.append(answers.costs.get(kernel, _WORDS[status]) if shown else "")
            yield cells

    # --- files --------------------------------------------------------------------------------
    def export(self, path: str | Path) -> None:
        """Write the lines to a file: .csv, or .jsonl with one JSON object a line."""
        target = file_name(path)
        ending = target.suffix.lower()
        if ending not in (".csv", ".jsonl"):
            raise BadValue(f"the path is {str(path)!r}: give a file name in .csv or .jsonl")
        try:
            target.write_text(self.csv() if ending == ".csv" else self.jsonl(), encoding="utf-8")
        except OSError as error:
            raise BadValue(f"cannot write {str(path)!r}: {error.strerror}") from None

    def jsonl(self) -> str:
        """The lines as JSON objects."""
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.rows)

    def csv(self) -> str:
        """The lines with commas; templates that look alike are joined by =, groups by spaces.

        >>> print(sb.atlas(kernels=["mlp"]).table(["same_different"]).csv())
        task,order,kernel,status,rank,templates,confused,cost
        same_different,4,mlp,not learnable,1,2,αα=αβ,
        <BLANKLINE>
        """
        file = io.StringIO()
        names = ["task", "order", "kernel", "status", "rank", "templates", "confused", "cost"]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            groups = " ".join("=".join(members) for members in row["confused"])
            writer.writerow({**row, "confused": groups})
        return file.getvalue()

    @property
    def picture(self) -> View:
        """The table in colours: a picture that a notebook shows, with `save(path)` for an SVG."""
        cells = [
            [
                (text, _TONES[answers[kernel].status])
                for kernel, text in zip(self.kernels, row[3:], strict=True)
            ]
            for row, answers in zip(self._cells(), self.answers.values(), strict=True)
        ]
        return grid_svg(tuple(self.answers), self.kernels, cells)


def cost_texts(task: Task, kernels: Mapping[str, Kernel], learned: Iterable[str]) -> dict[str, str]:
    """The largest c_j of a task, to 4 digits, for the kernels for which it is found."""
    if task.labels is None or task.is_symbolic:
        return {}
    found = {}
    for name in learned:
        kernel = COSTED.get(name, kernels[name])
        size, length = _COSTED["float" if kernel.exactness == "float" else "exact"]
        if len(task) > size or len(task.templates[0]) > length:
            continue
        try:
            costs = TemplateSplit(task, kernel).cost()
        except (NotExact, NotInvertible, NotSupported, TooLarge, Undecided):
            continue
        found[name] = f"{max(map(float, costs)):.4g}"
    return found
