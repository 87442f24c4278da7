"""Verdict: holds, fails or undecided, how far it reaches, and what shows it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import attrs
import flint

import symbench
from symbench.certificates import Certificate
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadValue, Undecided
from symbench.registry.statement import Scope

Status = Literal["holds", "fails", "undecided"]


def versions(edition: str = "unknown") -> dict[str, str]:
    """What computed the verdict: the libraries, and the edition of the claim's module.

    >>> versions("0123456789ab")["edition"]
    '0123456789ab'
    """
    return {
        "symbench": symbench.__version__,
        "python": platform.python_version(),
        "python-flint": flint.__version__,
        "edition": edition,
    }


@attrs.frozen(kw_only=True)
class Verdict(Shown):
    """The answer to a claim.

    `status` is holds, fails or undecided; `scope` says what it covers: 'proved' (the statement,
    for these parameters), 'all cases' (a finite list gone through, `cases` many) or 'sampled'
    (drawn with `seed`). `bool()` is True or False, and raises Undecided where there is no
    answer. Cases that failed, raised an error, or ran out of time or memory are counted apart.
    `certified` says how many cases carry a certificate of their own, which `verify(..., keep=PATH)`
    writes to a bundle; the others can only be run again.

    >>> verdict = verify("lavie2024.dimension", max_length=4)
    >>> verdict.as_expected, verdict.cases, verdict.failed
    (True, 8, 0)
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
    controls: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = attrs.field(factory=dict, hash=False)
    seed: int | None = None
    seconds: float = attrs.field(default=0.0, eq=False)
    certificate: Certificate | None = attrs.field(default=None, eq=False, repr=False)
    certified: int = attrs.field(default=0, eq=False)
    versions: Mapping[str, str] = attrs.field(factory=versions, eq=False, repr=False)

    @property
    def sharp(self) -> int:
        """How many near-misses fail, as they all must."""
        return sum(text.startswith("fails") for text in self.near_misses.values())

    @property
    def as_expected(self) -> bool:
        """Whether the status is the one that the claim announces, and came about cleanly.

        A broken claim is undecided too, and a statement that is false as printed has failing
        near-misses like any other: neither may pass for what was expected.
        """
        clean = self.errors == 0 and self.sharp == len(self.near_misses)
        return self.status == self.expected and clean

    def __bool__(self) -> bool:
        if self.status == "undecided":
            raise Undecided(f"{self.claim} is undecided: {'; '.join(self.notes) or 'no answer'}")
        return self.status == "holds"

    def explain(self) -> str:
        """The verdict in a few lines that a person can read."""
        reach = {
            "holds": {
                "proved": "the statement is covered for these parameters",
                "all cases": f"every one of {self.cases:,} cases was looked at",
                "sampled": f"{self.cases:,} cases were drawn with seed {self.seed}",
                "no cases": "",
            }[self.scope],
            "fails": f"{self.cases:,} cases were looked at",
            "undecided": f"{self.cases:,} cases were looked at, without an answer to the whole"
            if self.cases
            else "nothing of it can be looked at here",
        }[self.status]
        expected = f" (expected: {self.expected})" if self.status != self.expected else ""
        lines = [f"{self.claim}: {self.status}{expected}", f"  {self.scope}: {reach}"]
        if self.parameters:
            sizes = ", ".join(f"{k}={v}" for k, v in self.parameters.items())
            lines.append(f"  parameters: {sizes}")
        counts = {"failed": self.failed, "errors": self.errors, "unfinished": self.unfinished}
        if any(counts.values()):
            lines.append("  " + ", ".join(f"{n} {name}" for name, n in counts.items() if n))
        lines += [f"  near-miss: {text}: {result}" for text, result in self.near_misses.items()]
        lines += [f"  control: {text}: {result}" for text, result in self.controls.items()]
        if self.certified:
            rest = self.cases - self.certified
            lines.append(f"  certificates: {self.certified:,} cases carry one, {rest:,} do not")
        if self.certificate is not None:
            lines.append(f"  to re-run: {self.certificate.explain()}")
        lines += [f"  note: {note}" for note in self.notes]
        lines.append(
            f"  {self.seconds:.2f} s, " + ", ".join(f"{k} {v}" for k, v in self.versions.items())
        )
        return "\n".join(lines)

    def _view(self) -> View:
        first, *lines = self.explain().splitlines()
        tone = "open" if self.status == "undecided" else "good" if self.as_expected else "bad"
        mark = first.removeprefix(f"{self.claim}: ")
        if self.status == "fails" and self.as_expected:
            mark += ", as expected: what is printed is refuted"
        *said, last = (line.strip() for line in lines)
        pairs = [line.split(": ", 1) if ": " in line else ["counts", line] for line in said]
        rows = [(name, text) for name, text in pairs]
        return card(self.claim, facts([*rows, ("computed in", last)]), mark=mark, tone=tone)

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
        if isinstance(data, dict):  # what an earlier version did not write
            data = {"certified": 0, "controls": {}, **data}
        if not isinstance(data, dict) or set(data) != set(_JSON):
            raise BadValue("a verdict in JSON has exactly the fields " + ", ".join(sorted(_JSON)))
        for name, kind in _JSON.items():
            if type(data[name]) not in kind:
                raise BadValue(f"{name} is {str(data[name])[:80]!r} in a verdict")
        if data["status"] not in get_args(Status) or data["expected"] not in get_args(Status):
            raise BadValue(f"{data['status']!r}, expected {data['expected']!r}, is no verdict")
        if data["scope"] not in get_args(Scope):
            raise BadValue(f"{data['scope']!r} is no scope of a verdict")
        texts = *data["near_misses"].values(), *data["controls"].values(), *data["notes"]
        if not all(isinstance(text, str) for text in texts):
            raise BadValue("near-misses, controls and notes are texts")
        return cls(**{**data, "notes": tuple(data["notes"]), "certificate": None})


# The fields of a verdict in JSON, and their types there.
_JSON: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("claim", "status", "expected", "scope"), (str,)),
    **dict.fromkeys(("cases", "failed", "errors", "unfinished", "certified"), (int,)),
    **dict.fromkeys(("near_misses", "controls", "parameters", "versions"), (dict,)),
    "notes": (list,),
    "seed": (int, type(None)),
    "seconds": (int, float),
    "certificate": (str, type(None)),
}
