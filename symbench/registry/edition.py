"""Edition: a digest of the source that a claim can reach, which changes when any of it does.

A verdict of an older edition says nothing of the code as it is now, so no ledger gives it back.
"""

from __future__ import annotations

import hashlib
import sys
import uuid
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import symbench


def edition_of(function: Callable[..., Any]) -> str:
    """The edition of a claim's function: of all of symbench, and of what the function is part of.

    That is its whole top-level package, or its file if it is in none. A function typed in at a
    prompt has no source that could be compared: its edition is another one each time.

    >>> edition_of(claims["lavie2024.dimension"].function) == symbench_edition()
    True
    """
    home = getattr(function, "__module__", None) or ""
    module = sys.modules.get(home)
    name = getattr(module, "__package__", None) or home
    top = sys.modules.get(name.partition(".")[0], module)
    if top is symbench:
        return symbench_edition()
    if top is None:  # a file that was run, as by --module, is no module afterwards
        file = getattr(function, "__globals__", {}).get("__file__")
        own = None if file is None else _digest_of([(Path(file).name, Path(file))])
    else:
        own = _digest(top)
    return _short(f"{symbench_edition()} {own or uuid.uuid4()}".encode())


# Programs that the pages show: an installed package has them, a checkout elsewhere; none is loaded.
_PAGES = "report/pages"


@lru_cache(maxsize=1)
def symbench_edition() -> str:
    """The digest of symbench's own source, taken once: what is edited later is not what runs."""
    return _digest(symbench, without=_PAGES) or _short(uuid.uuid4().bytes)


def _digest(module: ModuleType, without: str | None = None) -> str | None:
    """The digest of a module's source, or of a package's with all that it holds; None without."""
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    files = [(f, f.relative_to(folder)) for folder in folders for f in folder.rglob("*.py")]
    if without is not None:
        files = [(file, name) for file, name in files if not name.is_relative_to(without)]
    if not folders and getattr(module, "__file__", None):
        path = Path(str(module.__file__))
        files = [(path, Path(path.name))]
    return _digest_of((name.as_posix(), file) for file, name in files)


def _digest_of(files: Iterable[tuple[str, Path]]) -> str | None:
    """The digest of files, each by its name and what it holds; None if there are none."""
    found = sorted((name, file) for name, file in files if file.is_file())
    if not found:
        return None
    whole = hashlib.sha256()
    for name, file in found:
        whole.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return _short(whole.digest())


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]
