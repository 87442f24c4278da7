"""The source list: which statements the papers make, and which claims answer to them.

The list is `statements.txt` beside this file, one line a statement, so that a reader sees what is
covered without running anything.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import attrs

from symbench.errors import BadValue

Kind = Literal["H", "R", "D", "N"]
_PATH = Path(__file__).with_name("statements.txt")


@attrs.frozen
class Statement:
    """One line of the source list.

    `kind` is H (holds), R (refuted as printed, and repaired), D (a definition) or N (cannot be
    decided here). `later` names the room that will carry it where there are no claims yet.
    """

    id: str
    text: str
    kind: Kind
    claims: tuple[str, ...]
    later: str | None = None


def statements() -> tuple[Statement, ...]:
    """Every statement of the source list, in the order of the sources.

    >>> statements()[0].id
    'boix2024.theorem-1.1'
    """
    lines = _PATH.read_text(encoding="utf-8").splitlines()
    return tuple(read_line(line) for line in lines if line.strip() and not line.startswith("#"))


def read_line(line: str) -> Statement:
    """The statement on a line of the list.

    >>> read_line("demo.sums | sums of odd numbers are squares | H | demo.odd-sums, demo.repaired")
    Statement(id='demo.sums', text='sums ...', kind='H', claims=('demo.odd-sums', ...), later=None)
    >>> read_line("demo.sums | sums of odd numbers")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: 'demo.sums | sums of odd numbers' is no line of the source list: ...
    """
    fields: list[Any] = [field.strip() for field in line.split("|")]
    if len(fields) != 4 or not all(fields) or fields[2] not in get_args(Kind):
        raise BadValue(
            f"{line!r} is no line of the source list: write id | text | H, R, D or N | claims"
        )
    id, text, kind, named = fields
    if named.startswith("later:"):
        return Statement(id, text, kind, (), named.removeprefix("later:").strip())
    return Statement(id, text, kind, tuple(name.strip() for name in named.split(",")))
