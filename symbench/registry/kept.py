"""Counterexamples that hunts have found, kept in a folder so that they are looked at first.

A file a counterexample, under the id of its claim: certificates that `symbench check` re-runs.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

from symbench._arguments import path as folder_name
from symbench.certificates import Counterexample
from symbench.certificates.files import from_document, parse, read
from symbench.certificates.plain import digest, to_plain
from symbench.errors import BadCertificate, BadValue
from symbench.registry.statement import Claim

UNSHRUNK = "found, and not shrunk to the end"


def cache_folder() -> Path:
    """The folder for what can be made again: SYMBENCH_CACHE, or one in the user's cache.

    >>> cache_folder().name.startswith("symbench")
    True
    """
    named = os.environ.get("SYMBENCH_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "symbench"
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    return Path(os.environ.get(variable) or Path.home() / ".cache") / "symbench"


class Kept:
    """The counterexamples in a folder.

    >>> import tempfile
    >>> kept = Kept(tempfile.mkdtemp())
    >>> found = hunt("lavie2024.dimension", max_examples=5, database=kept.folder)
    >>> kept.of(claims["lavie2024.dimension"])
    []
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = folder_name(folder, "the database")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: Exception) -> BadValue:
        reason = getattr(error, "strerror", None) or error
        return BadValue(f"cannot write the database {str(self.folder)!r}: {reason}")

    def of(self, claim: Claim) -> list[Counterexample]:
        """The counterexamples to a claim as they were stored, the shrunk ones first.

        Whether the claim still fails there is for the hunt to see. A file that is none is skipped
        with a warning.
        """
        found: list[Counterexample] = []
        for path in sorted(self._home(claim.id).glob("*.json")):
            try:
                stored = from_document(parse(read(path)), claim=claim)
                if not isinstance(stored, Counterexample) or stored.claim != claim.id:
                    raise BadCertificate(f"not a counterexample to {claim.id}")
                found.append(stored)
            except BadCertificate as error:
                warnings.warn(f"{path}: {error}: skipped", stacklevel=3)
        return sorted(found, key=lambda stored: stored.note == UNSHRUNK)

    def path(self, found: Counterexample) -> Path:
        """Where a counterexample is stored."""
        return self._home(found.claim) / f"{digest(to_plain(found.case))[:12]}.json"

    def add(self, found: Counterexample) -> Path:
        """Store a counterexample in one piece; one that is shrunk replaces what it came from."""
        path = self.path(found)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            found.save(part)
            part.replace(path)
            for other in self.of(found.subject):
                if other.note == UNSHRUNK and self.path(other) != path:
                    self.path(other).unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None
        return path

    def _home(self, id: str) -> Path:
        return self.folder / id


def kept_in(database: Any) -> Kept | None:
    """The database of a folder, None for none."""
    return None if database is None else Kept(database)
