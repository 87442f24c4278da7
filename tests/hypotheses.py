"""The page on hypotheses that are left out: `python -m tests.hypotheses` writes it.

proofs/hypotheses.md is for reading; the cases stand beside the claims, in
symbench/papers/hypotheses.jsonl, one line a row, so that each can be run again.
"""

from __future__ import annotations

import json
from typing import Any

from symbench._arguments import shown
from symbench.certificates.plain import from_plain, to_plain
from symbench.papers.hypotheses import CASES, Dropped, ablations, search
from tests.documents import ROOT

PAGE = ROOT / "proofs" / "hypotheses.md"

HEAD = """# Hypotheses left out, one at a time

For every theorem that is registered and holds, each hypothesis is left out, or changed, while the
others are kept. The cases that this lets in are gone through, the smallest first (by the length of
their text, at most 150 of them), until the claim's own function fails on one: the counterexample in
the table. "As it stands" says that one counterexample is known and no smaller one was looked for.
Where nothing fails, the hypothesis may not be needed, and it is said how many cases were tried.

This page is written by `python -m tests.hypotheses`; a test runs every counterexample again. That a
case fails is **checked** by running the claim; that a hypothesis is not needed is not **proved**
here.

```python
>>> import symbench as sb
>>> verdict = sb.verify("boix2024.lemma-E.1", max_two=1)
>>> print(verdict.near_misses["a transposition ties with the identity"])
fails, as it must (...)
```
"""


def row(dropped: Dropped) -> dict[str, Any]:
    """What came out for a hypothesis, as plain data."""
    found = search(dropped)
    return {
        "claim": dropped.claim,
        "hypothesis": dropped.hypothesis,
        "among": dropped.reach,
        "tried": found.tried,
        "case": None if found.case is None else to_plain(found.case),
        "reason": found.reason,
    }


def page(rows: list[dict[str, Any]]) -> str:
    """The page with a table for each source."""
    text = HEAD
    paper = ""
    for r in rows:
        source = r["claim"].split(".")[0]
        if source != paper:
            paper = source
            text += f"\n## {paper}\n\n| claim | left out or changed | counterexample | why |\n"
            text += "|---|---|---|---|\n"
        text += f"| {' | '.join(map(_cell, _columns(r)))} |\n"
    return text


def _columns(r: dict[str, Any]) -> tuple[str, str, str, str]:
    name = r["claim"]
    if r["reason"] == "":
        tried = f"none among {r['tried']} ({r['among']})"
        return name, r["hypothesis"], tried, "not needed there"
    where = r["among"] if r["among"] == "as it stands" else f"case {r['tried']} of {r['among']}"
    return name, r["hypothesis"], f"{shown(from_plain(r['case']))} ({where})", r["reason"]


def _cell(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|")
    return flat if len(flat) <= 160 else flat[:157] + "..."


def main() -> None:
    """Search for all counterexamples, and write them and the page."""
    rows = []
    for dropped in sorted(ablations(), key=lambda d: d.claim.split(".")[0]):
        rows.append(row(dropped))
        print(f"{dropped.claim}: {dropped.hypothesis}: {rows[-1]['tried']} tried", flush=True)
    CASES.write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8"
    )
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
