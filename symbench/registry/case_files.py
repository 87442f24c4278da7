"""Failing cases of a property test as files: what was drawn, so that it can be drawn again.

They say nothing about a claim of the book and are no certificates; those are `Counterexample`s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import symbench
from symbench._arguments import mapping, shown
from symbench._arguments import path as file_name
from symbench.certificates.files import parse, read
from symbench.certificates.plain import digest, from_plain, register_type, to_plain
from symbench.errors import BadCertificate, BadValue, SymbenchError
from symbench.registry import statement as statement  # which teaches files templates and tasks
from symbench.words import Word
from symbench.young import Partition, Permutation, Tableau

FORMAT = "symbench case 1"


def _register(cls: type, to_tuple: Callable[[Any], Any], made: Callable[[Any], Any]) -> None:
    """Teach files a type that a tuple makes; its constructor validates what is read."""

    def from_json(data: Any) -> Any:
        found = from_plain(data)
        if not isinstance(found, tuple):
            raise BadCertificate(f"{shown(found)} makes no {cls.__name__}")
        return made(found)

    register_type(cls.__name__, cls, lambda value: to_plain(to_tuple(value)), from_json)


_register(Partition, lambda p: p.parts, Partition)
_register(Permutation, lambda g: [g(i) for i in range(1, g.degree + 1)], Permutation)
_register(Tableau, lambda t: t.rows, Tableau)
_register(Word, tuple, Word)


def save_case(
    folder: str | Path, arguments: Mapping[str, Any], *, test: str = "", error: str = ""
) -> Path:
    """Write the arguments of a failing test to a new file in the folder, and return its path.

    An argument of a type that files do not hold is written as its repr.

    >>> import tempfile
    >>> path = save_case(tempfile.mkdtemp(), {"t": Template("αα"), "n": 2}, test="test_it")
    >>> load_case(path)
    {'t': Template('αα'), 'n': 2}
    """
    written = {str(k): _written(v) for k, v in mapping(arguments, "the arguments").items()}
    body = {
        "format": FORMAT,
        "writer": f"symbench {symbench.__version__}",
        "test": test,
        "error": error,
        "arguments": written,
    }
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", test).strip("-.")[-100:] or "case"
    path = file_name(folder, "the folder") / f"{name}-{digest(written)[:8]}.json"
    text = json.dumps(body, indent=1, ensure_ascii=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise BadValue(f"cannot write {str(path)!r}: {reason}") from None
    return path


def _written(value: Any) -> dict[str, Any]:
    try:
        return {"shown": shown(value), "value": to_plain(value)}
    except SymbenchError:
        try:
            return {"repr": repr(value)}
        except Exception:
            return {"repr": shown(value)}


def load_case(path: str | Path) -> dict[str, Any]:
    """The arguments in a file that `save_case` wrote; those of other types as text, their repr.

    >>> load_case("missing.json")
    Traceback (most recent call last):
    ...
    symbench.errors.BadCertificate: cannot read 'missing.json': No such file or directory
    """
    found = parse(read(path))
    try:
        if found.get("format") != FORMAT or not isinstance(found.get("arguments"), dict):
            raise BadCertificate(f"not a case of a test: the format is no {FORMAT!r}")
        return {name: _value(data) for name, data in found["arguments"].items()}
    except SymbenchError as error:
        raise BadCertificate(f"{path}: {error}") from None


def _value(data: Any) -> Any:
    match data:
        case {"repr": str(text), **rest} if not rest:
            return text
        case {"shown": str(), "value": plain, **rest} if not rest:
            return from_plain(plain)
    raise BadCertificate(f"{shown(data)} is no argument of a test")
