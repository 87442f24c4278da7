"""An atlas in a file: a header, a line for each entry and each task of the catalogue.

The text is plain and every number has one spelling, so that an atlas that is found anew is the
same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import choice, instance, shown
from symbench._arguments import path as file_name
from symbench.atlas.entry import AtlasEntry
from symbench.atlas.families import Family
from symbench.atlas.kernels import KERNELS
from symbench.atlas.orders import LeastOrder
from symbench.certificates.plain import digest
from symbench.draw.views import Shown
from symbench.errors import BadValue, NotSupported, SymbenchError
from symbench.kernels.base import Kernel
from symbench.kernels.from_text import from_text
from symbench.words import Task, tasks

FORMAT = "symbench atlas 1"
SHORT = (",", ":")
# What is raised by the reading of plain data of any other form.
_MALFORMED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


@attrs.frozen
class StoredTask(Shown):
    """What is stored of a task of the catalogue: its least order, and costs by kernel."""

    order: LeastOrder
    costs: Mapping[str, str]


Parts = tuple[
    dict[str, Kernel],
    tuple[Family, ...],
    dict[tuple[str, str], AtlasEntry],
    dict[str, StoredTask],
]


# --- writing ------------------------------------------------------------------------------------
def text(
    kernels: Mapping[str, Kernel],
    families: tuple[Family, ...],
    entries: Mapping[tuple[str, str], AtlasEntry],
    stored: Mapping[str, StoredTask],
) -> str:
    """The lines of an atlas."""
    lines: list[dict[str, Any]] = [
        {"kernel": name, "is": None if name in KERNELS else _source(name, kernel)}
        for name, kernel in kernels.items()
    ]
    for family in families:
        templates = None if family.complete else Task(family.templates, wildcards="").to_json()
        shape = [str(family.length), str(len(family.tokens))] if family.complete else None
        lines.append({"family": family.name, "shape": shape, "task": templates})
        lines += [{"of": family.name, **entries[family.name, name].to_json()} for name in kernels]
    for name, known in stored.items():
        order = None if known.order.order is None else str(known.order.order)
        found = {"order": order, "tried": str(known.order.tried), "costs": dict(known.costs)}
        lines.append({"catalogue": name, **found})
    body = "".join(f"{json.dumps(line, ensure_ascii=False, separators=SHORT)}\n" for line in lines)
    return f"{json.dumps({'format': FORMAT, 'digest': digest({'body': body})})}\n{body}"


def _source(name: str, kernel: Kernel) -> str:
    source = repr(kernel)
    try:
        from_text(source)
    except SymbenchError:
        raise NotSupported(
            f"the kernel {name} is {shown(kernel)}, which no text names: only kernels of symbench "
            "with numbers can be saved"
        ) from None
    return source


# --- reading ------------------------------------------------------------------------------------
def read(path: str | Path) -> str:
    """The content of a file."""
    try:
        return file_name(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadValue(f"cannot read {str(path)!r}: {reason}") from None


def parsed(content: str) -> Parts:
    """The parts of an atlas; a text that is none, or was changed, is refused."""
    head, _, body = content.partition("\n")
    try:
        header = json.loads(head)
        known = header["format"], header["digest"]
    except _MALFORMED:
        raise BadValue(f"not an atlas: the first line is {shown(head)}") from None
    if known[0] != FORMAT:
        raise BadValue(f"the format of the atlas is {shown(known[0])}: give one in {FORMAT!r}")
    if known[1] != digest({"body": body}):
        raise BadValue("the atlas has been changed: its digest does not fit, so build it anew")
    try:
        return _parts([json.loads(line) for line in body.splitlines()])
    except _MALFORMED as error:
        raise BadValue(f"not an atlas: {error}") from None


def _parts(lines: list[dict[str, Any]]) -> Parts:
    kernels: dict[str, Kernel] = {}
    families: dict[str, Family] = {}
    entries: dict[tuple[str, str], AtlasEntry] = {}
    stored: dict[str, StoredTask] = {}
    for line in lines:
        if "family" in line:
            name, shape = instance(line["family"], str, "the family", "a text"), line["shape"]
            if shape is not None:
                families[name] = Family.of_length(*map(int, shape))
            else:
                families[name] = Family.of_task(name, Task.from_json(line["task"]))
            if families[name].name != name:
                raise ValueError(f"the templates of the family {name} are others")
        elif "of" in line:
            of, name = line["of"], line["kernel"]
            entries[of, name] = AtlasEntry.from_json(families[of], kernels[name], line)
        elif "catalogue" in line:
            order = None if line["order"] is None else int(line["order"])
            found = LeastOrder(order, int(line["tried"]))
            name = choice(line["catalogue"], "a task of the catalogue", tasks.catalogue)
            costs = instance(line["costs"], dict, "the costs", "texts by kernel")
            for cost in costs.values():
                instance(cost, str, "a cost", "a text")
            stored[name] = StoredTask(found, costs)
        else:
            name = instance(line["kernel"], str, "the kernel", "a text")
            if name in KERNELS and line["is"] is not None:
                raise ValueError(f"{name} is a kernel of the atlas, but not that of this file")
            kernels[name] = KERNELS[name] if line["is"] is None else from_text(line["is"])
    missing = {(f, k) for f in families for k in kernels} - set(entries)
    if missing:
        raise ValueError(f"the entry {min(missing)} is missing")
    return kernels, tuple(families.values()), entries, stored
