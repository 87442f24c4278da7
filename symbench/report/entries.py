"""What a ledger says of each claim, as much of it as a page can show.

A ledger may come from anybody: whatever cannot be read raises BadLedger, and nothing in it is
believed but as text.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from symbench._arguments import instance, shown, visible
from symbench.certificates.plain import from_plain
from symbench.errors import BadLedger, BadValue, SymbenchError
from symbench.registry import Claim, Verdict, claims
from symbench.registry.ledger import Count, Ledger, Row
from symbench.report.citation import PAPERS

_ID = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z0-9][A-Za-z0-9.\-]*\Z")
_SHOWN = 8  # cases of a claim that a page lists, and as many that do not hold
_DOCUMENTS = 2000  # certificates of a claim that are looked at,
_CHARACTERS = 20_000_000  # and all of their text
_LONG = 20_000  # characters of a case that is still read as a value
_TEXT = 240  # characters of a text that are shown
_UNREADABLE = (SymbenchError, ArithmeticError, LookupError, TypeError, ValueError)


@attrs.frozen
class Certified:
    """A certificate of a case: the case as text, and the document as it is in files."""

    case: str
    kind: str
    document: str


@attrs.frozen(kw_only=True)
class Entry:
    """A claim in a ledger.

    `verdict` is the last one, of this version and on the default sizes if there is such; `earlier`
    are those on other sizes or by other versions. `cases` are the first cases and `others` the
    first that do not hold, each without its certificate; `certified` are certificates, of which
    `left_out` more are in the ledger, and `strays` that name another claim or case.
    """

    id: str
    claim: Claim | None
    verdict: Verdict | None
    earlier: tuple[Verdict, ...]
    counts: tuple[Count, ...]
    cases: tuple[Row, ...]
    others: tuple[Row, ...]
    certified: tuple[Certified, ...]
    left_out: int
    strays: int

    @property
    def paper(self) -> str:
        """The first part of the id."""
        return self.id.split(".")[0]

    @property
    def status(self) -> str:
        """The verdict in a word; a sweep that was not concluded has none."""
        return "no verdict" if self.verdict is None else self.verdict.status

    @property
    def expected(self) -> bool:
        """Whether the verdict is what the claim announces, or there is none to compare."""
        return self.verdict is None or self.verdict.as_expected

    @property
    def scope(self) -> str:
        """What the verdict covers."""
        return "some cases" if self.verdict is None else self.verdict.scope

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the certificates."""
        return tuple(sorted({certified.kind for certified in self.certified}))

    @property
    def with_certificate(self) -> int:
        """How many cases carry a certificate, in the run that is shown."""
        if self.verdict is None:
            return len(self.certified) + self.left_out
        return self.verdict.certified


def entries(ledger: Ledger, *, paper: str | None = None) -> list[Entry]:
    """The claims in a ledger, paper by paper and by name.

    >>> verdict = verify("boix2024.lemma-E.1", ledger="entries.db")
    >>> [found] = entries(Ledger("entries.db"))
    >>> found.status, len(found.certified) == verdict.certified
    ('holds', True)
    """
    instance(ledger, Ledger, "the ledger", "symbench.registry.ledger.Ledger(path)")
    try:
        return list(_read(ledger, paper))
    except BadLedger:
        raise
    except (*_UNREADABLE, AttributeError, RecursionError, zlib.error) as error:
        raise BadLedger(f"cannot read the ledger {str(ledger.path)!r}: {error}") from None


def _read(ledger: Ledger, paper: str | None) -> Iterator[Entry]:
    verdicts: dict[str, list[Verdict]] = {}
    for verdict in ledger.verdicts():
        verdicts.setdefault(verdict.claim, []).append(verdict)
    counts: dict[str, list[Count]] = {}
    for count in ledger.counts():
        counts.setdefault(count.claim, []).append(count)
    for id in {**verdicts, **counts}:
        if not _ID.match(id):
            raise BadLedger(f"cannot read the ledger {str(ledger.path)!r}: {shown(id)} is no id")
    for id in sorted({*verdicts, *counts}, key=_place):
        if paper is None or id.split(".")[0] == paper:
            yield _entry(id, ledger, verdicts.get(id, []), counts.get(id, []))


def _entry(id: str, ledger: Ledger, verdicts: list[Verdict], counts: list[Count]) -> Entry:
    claim = claims.get(id)
    edition = None if claim is None else claim.edition
    defaults = {} if claim is None else claim.parameters
    ordered = sorted(  # stable: of those that are alike the last one comes last
        verdicts,
        key=lambda v: (v.versions.get("edition") == edition, dict(v.parameters) == defaults),
    )
    verdict = ordered[-1] if ordered else None
    cases: list[Row] = []
    others: list[Row] = []
    certified: list[Certified] = []
    left_out = strays = characters = 0
    seen: set[int] = set()
    for row in ledger.rows(id):
        if verdict is not None and not _of(row, verdict):
            continue
        if row.number in seen:  # the same run with another version of Python
            continue
        seen.add(row.number)
        bare = attrs.evolve(row, certificate=None)
        if row.outcome not in ("holds", "pending"):
            others += [bare] * (len(others) < _SHOWN)
        elif len(cases) < _SHOWN:
            cases.append(bare)
        if row.certificate is None:
            continue
        document = json.dumps(row.certificate, separators=(",", ":"))
        if len(certified) == _DOCUMENTS or characters + len(document) > _CHARACTERS:
            left_out += 1
            continue
        characters += len(document)
        if not _names(row.certificate, row):
            strays += 1
            continue
        certified.append(Certified(case_text(row.case), kind_of(row.certificate), document))
    return Entry(
        id=id,
        claim=claim,
        verdict=verdict,
        earlier=tuple(ordered[:-1]),
        counts=tuple(counts),
        cases=tuple(cases),
        others=tuple(others),
        certified=tuple(certified),
        left_out=left_out,
        strays=strays,
    )


def _place(id: str) -> tuple[int, str, list[str]]:
    """Papers first, then our own theorems, then all else; in each by name, numbers as numbers."""
    paper, name = id.split(".", 1)
    first = [*PAPERS, "symbench"]
    parts = [part.zfill(9) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
    return first.index(paper) if paper in first else len(first), paper, parts


def _of(row: Row, verdict: Verdict) -> bool:
    same = dict(row.parameters) == dict(verdict.parameters)
    return same and row.edition == verdict.versions.get("edition")


def _names(document: Mapping[str, Any], row: Row) -> bool:
    """Whether a certificate names this claim and case; what it proves of them it does not say."""
    about = document["about"]
    if about.get("claim") != row.claim:
        return False
    try:
        return bool(about.get("case") == shown(_value(row.case)))
    except _UNREADABLE:
        return True


def kind_of(document: Mapping[str, Any]) -> str:
    """The kind that a document names, as text."""
    return short(str(document.get("kind", "")), 40)


def case_text(plain: Any) -> str:
    """A case as it is written in Python, or as its JSON where it is none of ours."""
    try:
        return short(repr(_value(plain)))
    except _UNREADABLE:
        return short(json.dumps(plain, ensure_ascii=False))


def _value(plain: Any) -> Any:
    """The case, unless it is a value of somebody else's type, or too long to be read."""
    if len(json.dumps(plain)) > _LONG:
        raise BadValue("it is long")
    return from_plain(plain)


def short(text: str, most: int = _TEXT) -> str:
    """The text on one line, cut where it is long."""
    flat = " ".join(text[: 4 * most].split())
    return visible(flat if len(flat) <= most else flat[: most - 4] + " ...")
