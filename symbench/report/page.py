"""The report: one HTML file about the verdicts of a ledger, which checks its certificates itself.

The file asks the network for nothing, and says so to the browser (a Content-Security-Policy that
allows its own script by its hash). A ledger is text from anybody: the template escapes all of it.
"""

from __future__ import annotations

import shlex
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import attrs

import symbench
from symbench._arguments import shown, visible
from symbench.draw.views import html_of
from symbench.errors import BadLedger, BadValue
from symbench.registry import Verdict
from symbench.registry.ledger import Ledger, Row
from symbench.report.citation import PAPERS
from symbench.report.embedded import Embedded, embed
from symbench.report.entries import Entry, case_text, entries, short
from symbench.report.pictures import graphs, pictures
from symbench.report.prose import extra, prose, stylesheet

_HERE = Path(__file__).parent
_VERDICTS = {
    "holds": "holds",
    "fails": "refuted as printed",
    "undecided": "undecided",
    "no verdict": "no verdict",
}
_MOST = 12  # notes, and runs on other sizes, that are shown
_SPECIALS = 40

# Where the documentation has a page of a checkout, such as proofs/certificates.md; None: nowhere.
PageLink = Callable[[str], str | None]


@attrs.frozen
class Section:
    """A part of the page: its anchor, its title and its HTML."""

    anchor: str
    title: str
    html: str


class Report:
    """What a ledger says, as a page and as tables.

    paper is the first part of the ids that are wanted, if not all; documentation says where a page
    of the documentation is, seen from the report.

    >>> verdict = verify("boix2024.lemma-E.1", ledger="reported.db")
    >>> page = Report(Ledger("reported.db")).html()
    >>> page.count("<article"), 'id="boix2024.lemma-E.1"' in page
    (1, True)
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        paper: str | None = None,
        documentation: PageLink | None = None,
    ) -> None:
        self.entries = entries(ledger, paper=paper)
        self._documentation = documentation
        written = {_versions(e.verdict) for e in self.entries if e.verdict is not None}
        # What computed all verdicts is said once.
        self._common = written.pop() if len(written) == 1 else ""
        self._known = {entry.id: entry for entry in self.entries}
        if not self.entries:
            of = "" if paper is None else f" of {shown(paper)}"
            raise BadLedger(f"the ledger {str(ledger.path)!r} has no claims{of}: nothing to report")

    @property
    def summary(self) -> str:
        """The verdicts in a sentence."""
        counts = Counter(entry.status for entry in self.entries)
        texts = {
            "holds": "hold",
            "fails": "refuted as printed",
            "undecided": "undecided",
            "no verdict": "without a verdict",
        }
        sorts = ", ".join(f"{counts[s]} {text}" for s, text in texts.items() if counts[s])
        surprises = sum(not entry.expected for entry in self.entries)
        cases = sum(_cases(entry) for entry in self.entries)
        certified = sum(entry.with_certificate for entry in self.entries)
        return (
            f"{len(self.entries)} claim{'s' * (len(self.entries) != 1)}: {sorts}. "
            f"{surprises or 'None'} {'is' if surprises == 1 else 'are'} other than expected. "
            f"{certified:,} of {cases:,} cases carry a certificate that anybody can check."
        )

    def html(
        self, *, title: str = "Claims and their verdicts", more: Sequence[Section] = ()
    ) -> str:
        """The page; further sections come before the part that lists what can only be re-run."""
        embedded = embed(self.entries)
        sections = [
            Section("overview", "Overview", self._overview()),
            Section("claims", "Claims", self._claims(embedded)),
            Section("try", "Try it: a task of your own", _read("templates/try.html")),
            *self._graph(),
            *self._hypotheses(),
            *_atlas(),
            *more,
            Section("re-run", "What only symbench can re-run", self._re_run(embedded)),
        ]
        script = _code(_HERE / "report.js")
        digest = b64encode(sha256(script.encode()).digest()).decode()
        return _render(
            "report.html",
            title=title,
            summary=self.summary,
            sections=sections,
            style=f"{stylesheet()}\n{_read('report.css')}",
            policy=(
                f"default-src 'none'; script-src 'sha256-{digest}'; worker-src blob:; "
                "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
            ),
            script=script,
            checker=_code(_HERE.parent / "certificates" / "check_certificate.js"),
            separate=_code(_HERE / "separate.js"),
            version=symbench.__version__,
        )

    # --- sections -----------------------------------------------------------------------------
    def _overview(self) -> str:
        papers = list(dict.fromkeys(entry.paper for entry in self.entries))
        columns = [s for s in _VERDICTS if any(entry.status == s for entry in self.entries)]
        rows = [self._row(paper, columns) for paper in [*papers, *[""] * (len(papers) > 1)]]
        scopes = Counter(entry.scope for entry in self.entries)
        older = [
            entry
            for entry in self.entries
            if entry.claim is not None
            and entry.verdict is not None
            and entry.verdict.versions.get("edition") != entry.claim.edition
        ]
        return _render(
            "overview.html",
            columns=[(s, _VERDICTS[s]) for s in columns],
            rows=rows,
            scopes=scopes.most_common(),
            common=self._common,
            older=len(older),
        )

    def _row(self, paper: str, columns: Iterable[str]) -> dict[str, Any]:
        """The counts of a paper, or of all."""
        chosen = [entry for entry in self.entries if paper in ("", entry.paper)]
        counts = Counter(entry.status for entry in chosen)
        about = PAPERS.get(paper)
        return {
            "paper": paper,
            "title": f"{about.title} ({about.conference} {about.year})" if about else "",
            "counts": [(status, counts[status]) for status in columns],
            "claims": len(chosen),
            "unexpected": sum(not entry.expected for entry in chosen),
            "cases": sum(_cases(entry) for entry in chosen),
            "certified": sum(entry.with_certificate for entry in chosen),
        }

    def _claims(self, embedded: dict[str, Embedded]) -> str:
        def options(values: Iterable[str]) -> list[str]:
            return list(dict.fromkeys(values))

        verdicts = [s for s in _VERDICTS if any(entry.status == s for entry in self.entries)]
        if any(not entry.expected for entry in self.entries):
            verdicts.append("not as expected")
        kinds = sorted({kind for entry in self.entries for kind in entry.kinds})
        return _render(
            "cards.html",
            cards=[self._card(entry, embedded[entry.id]) for entry in self.entries],
            known=self._known,
            embedded=sum(found.count for found in embedded.values()),
            filters=[
                ("paper", "any paper", options(entry.paper for entry in self.entries)),
                ("verdict", "any verdict", verdicts),
                ("scope", "any scope", options(entry.scope for entry in self.entries)),
                ("certificate", "with or without certificate", ["any kind", "none", *kinds]),
            ],
        )

    def _card(self, entry: Entry, embedded: Embedded) -> dict[str, Any]:
        claim, verdict = entry.claim, entry.verdict
        assumed = [e.id for e in self.entries if e.claim and entry.id in e.claim.assumes]
        repairs = [e.id for e in self.entries if e.claim and e.claim.repaired_by == entry.id]
        near = _specials(entry, "near_misses")
        total = _cases(entry)
        listed = [*entry.others, *entry.cases]
        return {
            "id": entry.id,
            "paper": entry.paper,
            "scope": entry.scope,
            "verdicts": entry.status + ("" if entry.expected else "|not as expected"),
            "kinds": "|".join(entry.kinds),
            "verdict": _VERDICTS[entry.status] + ("" if entry.expected else ", not as expected"),
            "tone": entry.status if entry.expected else "bad",
            "badges": [
                t for t in (claim and claim.category, entry.scope, claim and claim.wording) if t
            ],
            "statement": None if claim is None else _statement(claim.statement, self._address),
            "source": claim and claim.source,
            "covered": self._covered(entry),
            "refuted": _refuted(entry),
            "broken": _broken(entry),
            "assumes": claim.assumes if claim else (),
            "assumed_by": assumed,
            "repaired_by": [claim.repaired_by] if claim and claim.repaired_by else (),
            "repairs": repairs,
            "proof": claim and claim.proof and (claim.proof, self._page(claim.proof)),
            "notes": _notes(verdict),
            "versions": None if self._common or verdict is None else _versions(verdict),
            "command": _command(entry),
            "near": near,
            "sharp": 0 if verdict is None else verdict.sharp,
            "controls": _specials(entry, "controls"),
            "cases": [_line(row) for row in listed],
            "cases_of": f" of {total:,}" if len(listed) < total else "",
            "runs": _runs(entry)[:_MOST],
            "runs_of": f" of {len(_runs(entry)):,}" if len(_runs(entry)) > _MOST else "",
            "pictures": [
                {
                    "svg": p.svg,
                    "caption": p.caption,
                    "sort": "shapes" if "Shapes" in p.caption else "",
                }
                for p in pictures(entry)
            ],
            "embedded": embedded,
        }

    def _address(self, id: str) -> str | None:
        return f"#{id}" if id in self._known else None

    def _page(self, path: str) -> str | None:
        return None if self._documentation is None else self._documentation(path)

    def _covered(self, entry: Entry) -> str:
        total, certified = _cases(entry), entry.with_certificate
        if not total:
            return "nothing of it can be looked at"
        many = f"{total:,} case{'s' * (total != 1)}"
        sizes = {} if entry.verdict is None else entry.verdict.parameters
        at = f" ({short(', '.join(f'{k}={v}' for k, v in sizes.items()))})" if sizes else ""
        return f"{many}{at}, {certified:,} of them with a certificate"

    def _graph(self) -> list[Section]:
        drawn = graphs(self.entries)
        html = _render("graph.html", graphs=drawn)
        return [Section("graph", "Which claims rest on which", html)] if drawn else []

    def _hypotheses(self) -> list[Section]:
        from symbench.papers.hypotheses import stored

        place = {id: number for number, id in enumerate(self._known)}
        rows = [row for row in stored() if row["claim"] in place]
        rows.sort(key=lambda row: place[row["claim"]])
        for row in rows:
            row["shown"] = case_text(row["case"]) if row["reason"] else ""
            row["reason"] = short(row["reason"])
        html = _render("hypotheses.html", rows=rows)
        return [Section("hypotheses", "Hypotheses left out, one at a time", html)] if rows else []

    def _re_run(self, embedded: dict[str, Embedded]) -> str:
        rows = []
        for entry in self.entries:
            total = _cases(entry)
            rest = total - entry.with_certificate
            what = "its counterexample" if entry.status == "fails" else "its list of cases"
            if rest:
                rows.append((entry.id, rest, total, what, embedded[entry.id].count))
        none = [entry.id for entry in self.entries if not _cases(entry)]
        return _render("rerun.html", rows=rows, none=none, total=sum(map(_cases, self.entries)))

    # --- tables -------------------------------------------------------------------------------
    def table(self, style: str) -> str:
        """The verdicts as a table for an appendix: style is latex or markdown.

        >>> verdict = verify("lavie2024.dimension", ledger="table.db")
        >>> print(Report(Ledger("table.db")).table("markdown"))
        | claim | source | verdict | scope | cases | certified | near-misses |
        |---|---|---|---|---:|---:|---:|
        | lavie2024.dimension | Poster, Theorem: ... | holds | all cases | 168 | 34 | 2/2 |
        <BLANKLINE>
        """
        from symbench.report.tables import latex, markdown

        styles = {"latex": latex, "markdown": markdown}
        if style not in styles:
            raise BadValue(f"the style is {shown(style)}: give latex or markdown")
        rows = []
        for entry in self.entries:
            v = entry.verdict
            sharp = "" if v is None else f"{v.sharp}/{len(v.near_misses)}"
            verdict = _VERDICTS[entry.status] + ("" if entry.expected else ", not as expected")
            source = visible(" ".join(entry.claim.source.split())) if entry.claim else ""
            numbers = [f"{_cases(entry)}", f"{entry.with_certificate}", sharp]
            rows.append([entry.id, source, verdict, entry.scope, *numbers])
        return styles[style](rows)


# --- parts of a card ----------------------------------------------------------------------------
def _atlas() -> list[Section]:
    """Which kernel of the atlas learns which task of the catalogue: a picture and a table."""
    from symbench.atlas import atlas, what

    found = atlas()
    table = found.table()
    lines = [(name, what(name)) for name in found.kernels]
    html = _render("atlas.html", picture=table.picture.html, table=html_of(str(table)), lines=lines)
    return [Section("atlas", "Which kernel learns which task", html)]


def _cases(entry: Entry) -> int:
    if entry.verdict is not None:
        return entry.verdict.cases
    return sum(c.holds + c.fails + c.error + c.unfinished + c.pending for c in entry.counts)


def _statement(text: str, address: Callable[[str], str | None]) -> Any:
    """The statement as HTML; one that is no good LaTeX as it was written."""
    from markupsafe import Markup

    try:
        return Markup(prose(text, claim=address).html)
    except BadValue:
        return Markup(f'<p class="plain">{escape(text)}</p>')


def _words(text: Any) -> str:
    return short(str(text), 600)


def _specials(entry: Entry, sort: str) -> list[list[str]]:
    """What was changed, the witness if the claim is known here, and what came out."""
    declared = getattr(entry.claim, sort, ())
    cases = {special.description: short(repr(special.case)) for special in declared}
    found = list(getattr(entry.verdict, sort, {}).items())[:_SPECIALS]
    return [[_words(text), cases.get(text, ""), _words(result)] for text, result in found]


def _refuted(entry: Entry) -> tuple[str, str] | None:
    """The counterexample and its reason, where the verdict is that it fails."""
    if entry.status != "fails":
        return None
    row = next((row for row in entry.others if row.outcome == "fails"), None)
    if row is not None:
        return case_text(row.case), _words(row.reason)
    verdict = entry.verdict
    certificate: Any = None if verdict is None else verdict.certificate
    if getattr(certificate, "kind", "") == "counterexample":
        return short(repr(certificate.case)), _words(certificate.reason)
    return None


def _broken(entry: Entry) -> list[str]:
    """What is other than the claim announces, or does not belong to it."""
    verdict, n = entry.verdict, entry.strays
    found = [f"Left out: {n:,} certificate{'s' * (n != 1)} of another claim or case."] * bool(n)
    if verdict is None or verdict.as_expected:
        return found
    if verdict.status != verdict.expected:
        found.append(f"Expected: {verdict.expected}. Found: {verdict.status}.")
    blunt = len(verdict.near_misses) - verdict.sharp
    if blunt:
        found.append(f"{blunt} near-miss{'es' * (blunt != 1)} did not fail, as each must.")
    counts = {"cases failed": verdict.failed, "errors": verdict.errors}
    counts["cases without an answer"] = verdict.unfinished
    numbers = ", ".join(f"{n:,} {name}" for name, n in counts.items() if n)
    return [*found, *[numbers.capitalize() + "."] * bool(numbers)]


def _notes(verdict: Verdict | None) -> list[str]:
    if verdict is None:
        return []
    # The failing cases stand in the table; a claim that is refuted repeats them as notes.
    notes = [note for note in verdict.notes if not note.startswith(("fails: ", "holds: "))]
    return [_words(note) for note in notes[:_MOST]]


def _versions(verdict: Verdict) -> str:
    return ", ".join(f"{name} {_words(version)}" for name, version in verdict.versions.items())


def _command(entry: Entry) -> str:
    """The command that comes to the same verdict, as a shell reads it."""
    verdict = entry.verdict
    if verdict is None:
        return ""
    defaults = entry.claim.parameters if entry.claim else {}
    words = ["symbench", "verify", entry.id]
    if entry.claim is None:
        words += ["--module", "FILE.py"]
    elif entry.claim.function.__module__ == "<run_path>":  # of a file of one's own
        words += ["--module", Path(entry.claim.function.__code__.co_filename).name]
    for name, value in verdict.parameters.items():
        if defaults.get(name) != value:
            words += ["--size", f"{name}={value}"]
    return short(shlex.join(words), 1000)


def _line(row: Row) -> list[str]:
    return [f"{row.number:,}", case_text(row.case), _words(f"{row.outcome} {row.reason}".strip())]


def _runs(entry: Entry) -> list[list[str]]:
    """Other verdicts, and the points of a sweep without one: sizes and what came out."""
    found = []
    for verdict in entry.earlier:
        version = short(str(verdict.versions.get("edition", "")), 20)
        found.append(["", _sizes(verdict.parameters), f"{verdict.status} (edition {version})"])
    if entry.verdict is None:
        for c in entry.counts:
            tally = {"hold": c.holds, "fail": c.fails, "errors": c.error}
            tally |= {"without an answer": c.unfinished, "pending": c.pending}
            told = ", ".join(f"{n:,} {name}" for name, n in tally.items() if n) or "no cases"
            found.append(
                ["", _sizes(c.parameters), told + ("" if c.listed else ", not all listed")]
            )
    return found


def _sizes(parameters: Any) -> str:
    return short(", ".join(f"{name}={value}" for name, value in parameters.items())) or "no sizes"


# --- files beside this one ----------------------------------------------------------------------
def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _render(name: str, **values: Any) -> str:
    """A template of this folder, in which all values are escaped."""
    with extra("the report"):
        from jinja2 import Environment, StrictUndefined

    settings = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return settings.from_string(_read(f"templates/{name}")).render(**values)


def _code(path: Path) -> str:
    """A program that can stand in an element of a page: nothing in it ends the element."""
    text = path.read_text(encoding="utf-8")
    assert "</script" not in text.lower()
    assert "<!--" not in text
    return text
