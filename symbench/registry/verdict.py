"""Verdict: holds, fails or undecided, how far it reaches, and what shows it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import attrs
import flint

import symbench
from symbench.certificates import Certificate
from symbench.errors import BadValue, Undecided

Status = Literal["holds", "fails", "undecided"]
Scope = Literal["proved", "all cases", "sampled"]


@cache
def versions() -> dict[str, str]:
    """What computed the verdict."""
    return {
        "symbench": symbench.__version__,
        "python": platform.python_version(),
        "python-flint": flint.__version__,
    }


@attrs.frozen(kw_only=True)
class Verdict:
    """The answer to a claim.

    `status` is holds, fails or undecided; `scope` says what it covers: 'proved' (the statement,
    for these parameters), 'all cases' (a finite list gone through, `cases` many) or 'sampled'
    (drawn with `seed`). `bool()` is True or False, and raises Undecided where there is no
    answer. Cases that failed, raised an error, or ran out of time or memory are counted apart.
    """

    claim: str
    status: Status
    expected: Status
    scope: Scope
    cases: int
    failed: int = 0
    errors: int = 0
    unfinished: int = 0
    near_misses: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = attrs.field(factory=dict, hash=False)
    seed: int | None = None
    seconds: float = attrs.field(default=0.0, eq=False)
    certificate: Certificate | None = attrs.field(default=None, eq=False, repr=False)
    versions: Mapping[str, str] = attrs.field(factory=versions, eq=False, repr=False)

    @property
    def as_expected(self) -> bool:
        """Whether the status is the one that the claim announces."""
        return self.status == self.expected

    def __bool__(self) -> bool:
        if self.status == "undecided":
            raise Undecided(f"{self.claim} is undecided: {'; '.join(self.notes) or 'no answer'}")
        return self.status == "holds"

    def explain(self) -> str:
        """The verdict in a few lines that a person can read."""
        reach = {
            "proved": "the statement is covered for these parameters",
            "all cases": f"every one of {self.cases:,} cases was looked at",
            "sampled": f"{self.cases:,} cases were drawn with seed {self.seed}",
        }[self.scope]
        expected = "" if self.as_expected else f" (expected: {self.expected})"
        lines = [f"{self.claim}: {self.status}{expected}", f"  {self.scope}: {reach}"]
        if self.parameters:
            sizes = ", ".join(f"{k}={v}" for k, v in self.parameters.items())
            lines.append(f"  parameters: {sizes}")
        counts = {"failed": self.failed, "errors": self.errors, "unfinished": self.unfinished}
        if any(counts.values()):
            lines.append("  " + ", ".join(f"{n} {name}" for name, n in counts.items() if n))
        lines += [f"  near-miss: {text}: {result}" for text, result in self.near_misses.items()]
        if self.certificate is not None:
            lines.append(f"  certificate: {self.certificate.explain()}")
        lines += [f"  note: {note}" for note in self.notes]
        lines.append(
            f"  {self.seconds:.2f} s, " + ", ".join(f"{k} {v}" for k, v in self.versions.items())
        )
        return "\n".join(lines)

    def save(self, path: str | Path) -> None:
        """Write the verdict's certificate to a file that `symbench.check(path)` re-checks."""
        if self.certificate is None:
            raise BadValue(f"the verdict on {self.claim} is {self.status} and has no certificate")
        self.certificate.save(path)

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain JSON, without its certificate: a line of a ledger."""
        data = attrs.asdict(self, filter=lambda a, _: a.name != "certificate")
        data["notes"] = list(self.notes)
        data["seconds"] = round(self.seconds, 3)
        data["certificate"] = None if self.certificate is None else self.certificate.explain()
        return data

    @classmethod
    def from_json(cls, data: Any) -> Verdict:
        """The verdict that to_json wrote; its certificate is a note now."""
        names = {field.name for field in attrs.fields(cls)}
        if not isinstance(data, dict) or set(data) != names:
            raise BadValue("a verdict in JSON has exactly the fields " + ", ".join(sorted(names)))
        if data["status"] not in get_args(Status) or data["scope"] not in get_args(Scope):
            raise BadValue(f"{data['status']!r}, {data['scope']!r} is no verdict")
        return cls(**{**data, "notes": tuple(data["notes"]), "certificate": None})
