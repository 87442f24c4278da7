"""The re-run kinds: a claim's cases are gone through again, by the claim itself.

They are no proofs that stand alone: whoever checks one trusts the claim's function and everything
it calls. The subject is the claim of this installation, found by its id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.certificates.base import NUMBER, PLAIN, TEXT, Certificate, field
from symbench.certificates.plain import canonical, to_plain
from symbench.errors import BadType


class CaseDigest:
    """How many cases there were, and the SHA-256 of all of them, one at a time.

    >>> running = CaseDigest()
    >>> running.add((1, 2))
    >>> running.count, running.hexdigest()[:8]
    (1, '5f126e2c')
    """

    def __init__(self) -> None:
        self.count = 0
        self._running = hashlib.sha256()

    def add(self, case: Any) -> None:
        """Take one more case in."""
        self.add_written(canonical(to_plain(case)))

    def add_written(self, line: bytes) -> None:
        """Take one more case in, as its canonical plain JSON."""
        self.count += 1
        self._running.update(line + b"\n")

    def hexdigest(self) -> str:
        """The digest so far."""
        return self._running.hexdigest()


@attrs.frozen(kw_only=True)
class ReRun(Certificate):
    """What the re-run kinds share: the subject is a claim with the id that is named."""

    about_types = ()
    re_run = True
    claim: str = field(TEXT)

    def _names(self, subject: Any) -> bool:
        """Whether the claim has this id, or had it when the file was written."""
        return self.claim == subject.id or self.claim in subject.formerly

    def _plain(self, given: Any) -> Iterator[Any]:
        if not isinstance(getattr(given, "id", None), str) or not hasattr(given, "fails"):
            raise BadType(f"a {self.kind} certificate is about a claim, not {shown(given)}")
        yield given


@attrs.frozen(kw_only=True)
class Exhausted(ReRun):
    """A claim holds in every case of a finite list: how many there are, and the list's digest.

    The check lists the cases again and runs the claim on each; the first that does not hold ends
    it, and so does another list. No cases prove nothing.

    >>> print(sb.verify("lavie2024.dimension").certificate.explain())
    lavie2024.dimension holds in all 168 cases (max_length=24)
    """

    kind = "exhausted"
    parameters: Any = field(PLAIN, factory=dict, hash=False)
    count: int = field(NUMBER)
    digest: str = field(TEXT)

    def _holds(self, subject: Any) -> bool:
        sizes = self.parameters
        # Every size is written, so that a default that changes later does not change the list.
        known = isinstance(sizes, Mapping) and dict(subject.sizes(sizes)) == dict(sizes)
        if not self._names(subject) or not known or self.count < 1:
            return False
        running = CaseDigest()
        for case in subject.list_cases(**sizes):
            running.add(case)
            if running.count > self.count or subject.fails(case) is not None:
                return False
        return (running.count, running.hexdigest()) == (self.count, self.digest)

    def explain(self) -> str:
        sizes = ", ".join(f"{k}={v}" for k, v in dict(self.parameters).items())
        return f"{self.claim} holds in all {self.count} cases{f' ({sizes})' if sizes else ''}"


@attrs.frozen(kw_only=True)
class Counterexample(ReRun):
    """A case in which a claim fails: the claim is run on it again, and must give the same reason.

    A case that does not satisfy the claim's hypotheses is no counterexample.

    >>> print(sb.verify("lavie2024.one-hot").certificate.explain())
    lavie2024.one-hot fails for (3, 3, 2): (1+1+1) occurs, with multiplicity 1
    """

    kind = "counterexample"
    case: Any = field(PLAIN)
    reason: str = field(TEXT)

    def _holds(self, subject: Any) -> bool:
        return self._names(subject) and bool(subject.fails(self.case) == self.reason)

    def explain(self) -> str:
        return f"{self.claim} fails for {shown(self.case)}: {self.reason}"
