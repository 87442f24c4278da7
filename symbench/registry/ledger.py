"""A ledger: a file with one verdict a line, written as it happens, from which a run goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import symbench
from symbench.errors import BadValue
from symbench.registry.verdict import Verdict


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
        self.path = Path(path)
        self._verdicts: list[Verdict] = []
        if self.path.exists():
            lines = self.path.read_text(encoding="utf-8").split("\n")
            # A run that was killed may have left half a last line: it is written again.
            for number, line in enumerate(lines):
                if line.strip():
                    self._read(line, number, last=number == len(lines) - 1)

    def _read(self, line: str, number: int, *, last: bool) -> None:
        try:
            self._verdicts.append(Verdict.from_json(json.loads(line)))
        except (ValueError, TypeError) as error:
            if not last:
                raise BadValue(f"{self.path}, line {number + 1}: not a verdict: {error}") from None
            text = self.path.read_text(encoding="utf-8")
            self.path.write_text(text[: len(text) - len(line)], encoding="utf-8")

    def find(self, claim: str, parameters: Mapping[str, Any]) -> Verdict | None:
        """The decided verdict of this version of symbench on these parameters, if there is one."""
        for verdict in reversed(self._verdicts):
            same = verdict.claim == claim and dict(verdict.parameters) == dict(parameters)
            current = verdict.versions.get("symbench") == symbench.__version__
            if same and current and verdict.as_expected:
                return verdict
        return None

    def add(self, verdict: Verdict) -> None:
        """Append a verdict and hand it to the disk at once."""
        self._verdicts.append(verdict)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(verdict.to_json(), ensure_ascii=False) + "\n")
            file.flush()
