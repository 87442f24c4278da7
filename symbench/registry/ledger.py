"""A ledger: a file with one verdict a line, written as it happens, from which a run goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symbench.errors import BadType, BadValue
from symbench.registry.book import claims
from symbench.registry.verdict import Verdict, versions

_HEAD = b'{"claim": '  # how every line begins


class Ledger:
    """The verdicts in a file of JSON lines.

    >>> import tempfile, os
    >>> from symbench.registry import verify
    >>> path = os.path.join(tempfile.mkdtemp(), "ledger.jsonl")
    >>> Ledger(path).add(verify("lavie2024.dimension", max_length=4))
    >>> Ledger(path).find("lavie2024.dimension", {"max_length": 4}).status
    'holds'
    """

    def __init__(self, path: str | Path) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise BadType(f"the ledger is {path!r}: give a path")
        self.path = Path(path)
        try:
            with self.path.open("a+b") as file:  # made now: an hour's work later is too late
                file.seek(0)
                text = file.read()
                whole = text.rfind(b"\n") + 1
                half = text[whole:]
                # A run that was killed may have left half a last line: it is computed again.
                if half and half.startswith(_HEAD[: len(half)]):
                    file.truncate(whole)
                    text = text[:whole]
        except OSError as error:
            raise BadValue(f"cannot write the ledger {str(path)!r}: {error.strerror}") from None
        lines = enumerate(text.split(b"\n"), start=1)
        self._verdicts = [self._read(line, number) for number, line in lines if line.strip()]

    def _read(self, line: bytes, number: int) -> Verdict:
        try:
            return Verdict.from_json(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise BadValue(
                f"{self.path}, line {number}: not a verdict: {error}; "
                "remove the line, or name another file"
            ) from None

    def find(self, claim: str, parameters: Mapping[str, Any]) -> Verdict | None:
        """The expected verdict on these parameters by this version of everything, if any."""
        current = versions(claims[claim].edition)
        for verdict in reversed(self._verdicts):
            same = verdict.claim == claim and verdict.parameters == dict(parameters)
            if same and verdict.versions == current and verdict.as_expected:
                return verdict
        return None

    def add(self, verdict: Verdict) -> None:
        """Append a verdict and hand it to the disk at once."""
        self._verdicts.append(verdict)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(verdict.to_json(), ensure_ascii=False) + "\n")
