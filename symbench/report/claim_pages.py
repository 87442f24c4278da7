"""Claims as HTML: what each declares as a card, and for each paper a page of them."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from symbench.report.citation import PAPERS
from symbench.report.entries import short
from symbench.report.prose import Links, prose
from symbench.report.site import Entry, Page, of_claim, relative

if TYPE_CHECKING:
    from symbench.registry import Claim
    from symbench.report.site import Site

_EXPECTED = {
    "holds": "expected: holds",
    "fails": "expected: refuted as printed",
    "undecided": "expected: undecided",
}
_TOTALS = {
    "holds": "expected to hold",
    "fails": "to be refuted as printed",
    "undecided": "to stay undecided",
}
_KINDS = {
    "H": "holds",
    "R": "refuted as printed, and repaired",
    "D": "definition",
    "N": "cannot be decided here",
}


# --- a card -------------------------------------------------------------------------------------
def badges(claim: Claim) -> str:
    """The sort of statement, the verdict expected, what a verdict covers, how it is worded."""
    texts = [claim.category, _EXPECTED[claim.expected], claim.scope, claim.wording]
    classes = ["", f" {claim.expected}", "", ""]
    return "".join(
        f'<span class="badge{sort}">{escape(text)}</span> '
        for text, sort in zip(texts, classes, strict=True)
        if text
    )


def facts(claim: Claim, links: Links) -> list[tuple[str, str]]:
    """Source, sizes, near-misses, controls, and the claims around it: names and HTML."""

    def linked(text: str) -> str:
        return prose(text, claim=links.claim, name=links.name, inline=True).html

    def listed(specials: Iterable[Any]) -> str:
        items = [f"<li>{linked(s.description)}: {_case(s.case)}</li>" for s in specials]
        return f"<ul>{''.join(items)}</ul>" if items else ""

    sizes = " ".join(f"{name}={value}" for name, value in claim.parameters.items())
    command = f"symbench verify {claim.id}"
    rows = [
        ("source", linked(claim.source)),
        ("near-misses, which must fail", listed(claim.near_misses)),
        ("controls, which must hold", listed(claim.controls)),
        ("case at the edge", _case(claim.boundary) if claim.has_cases else ""),
        ("sizes", f"<code>{escape(sizes)}</code>" if sizes else ""),
        ("assumes", linked(", ".join(claim.assumes))),
        ("repaired by", linked(claim.repaired_by or "")),
        ("undecided because", linked(claim.why or "")),
        ("not hunted because", linked(claim.unhuntable or "")),
        ("proof", linked(f"`{claim.proof}`") if claim.proof else ""),
        ("formerly", escape(", ".join(claim.formerly))),
        ("to verify it", linked(f"`{command}`").replace(command, escape(command))),
    ]
    return [(name, text) for name, text in rows if text]


def _case(case: Any) -> str:
    return f"<code>{escape(short(repr(case)), quote=False)}</code>"


def definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what belongs to them, as a list."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in rows)
    return f'<dl class="facts">{items}</dl>'


def card(claim: Claim, links: Links, further: Sequence[tuple[str, str]] = ()) -> str:
    """All that a claim declares, with its id as anchor."""
    said = prose(claim.statement, claim=links.claim, name=links.name).html
    return (
        f'<section class="card" id="{escape(claim.id)}">\n'
        f'<h3><a class="self" href="#{escape(claim.id)}">{escape(claim.id)}</a></h3>\n'
        f"<p>{badges(claim)}</p>\n{said}"
        f"{definitions([*facts(claim, links), *further])}\n</section>\n"
    )


# --- pages --------------------------------------------------------------------------------------
def papers(site: Site) -> list[str]:
    """The first parts of the ids: the three papers first, then ours and the textbooks."""
    found = dict.fromkeys(claim.paper for claim in site.claims.values())
    ours = [name for name in found if name not in PAPERS]
    ours.sort(key=lambda name: (name != "symbench", name))
    return [*(name for name in PAPERS if name in found), *ours]


def _title(paper: str) -> str:
    return PAPERS[paper].title if paper in PAPERS else _OURS.get(paper, paper)


# What the claims are about that are from none of the papers.
_OURS = {
    "symbench": "Theorems of symbench",
    "algebra": "Linear algebra",
    "boolean": "Functions of bits",
    "certificates": "What passes a check is true",
    "frames": "Vectors with few angles",
    "kernels": "Kernels against their definitions",
    "ktau": "Template matrices, coefficient by coefficient",
    "laws": "Laws of words against their definitions",
    "registry": "What a verdict says",
    "spectra": "Spectra against the operator over all words",
    "texts": "How a text is read",
    "words": "Templates and tasks against all strings",
    "young": "The symmetric groups, by textbooks",
}


def paper_page(site: Site, paper: str) -> Page:
    """Every claim of a paper, and its statements with the claims that answer to them."""
    from symbench.papers.source_list import statements

    path = f"claims/{paper}.html"
    links = site.links(path)
    chosen = [claim for claim in site.claims.values() if claim.paper == paper]
    parts = [f"<h1>{escape(_title(paper))}</h1>\n"]
    if paper in PAPERS:
        about = PAPERS[paper]
        names = ", ".join(f"{given} {family}" for given, family in about.authors)
        parts.append(
            f"<p>{escape(names)}, {escape(about.conference)} {about.year}, "
            f'<a href="{escape(about.url)}">arXiv:{escape(about.arxiv)}</a></p>\n'
        )
    counts = Counter[str](claim.expected for claim in chosen)
    expected = [f"{counts[key]} {text}" for key, text in _TOTALS.items() if counts[key]]
    parts.append(f"<p>{_number(len(chosen))}: {', '.join(expected)}.</p>\n")
    rows = [s for s in statements() if s.id.split(".")[0] == paper]
    if rows:
        parts.append('<h2 id="statements">Its statements</h2>\n')
        parts.append('<div class="wide"><table><thead><tr><th>statement</th><th>what it says</th>')
        parts.append("<th></th><th>claims</th></tr></thead><tbody>\n")
        for s in rows:
            answers = ", ".join(s.claims) or f"later: {s.later}"
            cells = [s.id.partition(".")[2], s.text, _KINDS[s.kind], answers]
            shown = [prose(cell, claim=links.claim, inline=True).html for cell in cells]
            parts.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in shown)}</tr>\n")
        parts.append("</tbody></table></div>\n")
    entries = [Entry("", f"{_title(paper)} ({paper})", f"claims {paper} {_number(len(chosen))}")]
    outline = [("statements", "Its statements")] if rows else []
    for number, (module, members) in enumerate(groupby(chosen, lambda c: c.function.__module__)):
        heading = inspect.cleandoc(sys.modules[module].__doc__ or module).split("\n\n")[0]
        head = prose(heading.replace("\n", " ").rstrip("."), name=links.name, inline=True).html
        parts.append(f'<h2 id="part-{number}">{head}</h2>\n')
        outline.append((f"part-{number}", heading.replace("`", "").rstrip(".")))
        for claim in members:
            parts.append(card(claim, links, [("on pages", _mentions(site, claim, path))]))
            near = " ".join(n.description for n in claim.near_misses)
            words = f"{claim.statement} {claim.source} {near}"
            entries.append(Entry(claim.id, claim.id, words.replace("$", "")))
    body = "".join(parts)
    return Page(path, "Claims", _short(paper), body, "", tuple(entries), tuple(outline))


def _short(paper: str) -> str:
    return paper if paper in PAPERS else _title(paper)


def _number(count: int) -> str:
    return f"{count} claim{'s' * (count != 1)}"


def _mentions(site: Site, claim: Claim, path: str) -> str:
    """The pages that speak of a claim."""
    found = site.mentions.get(of_claim(claim), {})
    pages = [site.pages[other] for other in found if other in site.pages and other != path]
    return ", ".join(
        f'<a href="{escape(relative(path, page.path))}">{escape(page.title)}</a>' for page in pages
    )


def index_page(site: Site) -> Page:
    """The papers, with the number of their claims by verdict."""
    path = "claims/index.html"
    rows = []
    for paper in papers(site):
        chosen = [claim for claim in site.claims.values() if claim.paper == paper]
        counts = Counter[str](claim.expected for claim in chosen)
        numbers = [len(chosen), *(counts[expected] for expected in _EXPECTED)]
        cells = "".join(f"<td>{number or ''}</td>" for number in numbers)
        rows.append(
            f'<tr><td><a href="{paper}.html">{escape(paper)}</a></td>'
            f"<td>{escape(_title(paper))}</td>{cells}</tr>\n"
        )
    intro = prose(_INTRO, name=site.links(path).name).html
    body = (
        f"{intro}"
        '<div class="wide"><table><thead><tr><th>ids begin with</th><th></th><th>claims</th>'
        "<th>hold</th><th>refuted</th><th>undecided</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>\n"
    )
    words = "claims verdict expected near-miss control scope wording statement papers"
    return Page(path, "Claims", "All papers", body, "", (Entry("", "Claims", words),))


_INTRO = """# Claims

A claim is a statement with its cases, its near-misses and the verdict that is expected of it.
`symbench verify` goes through the cases and says holds, fails or undecided; a **near-miss**
leaves a hypothesis out or changes it, and must fail; a **control** is a case in which a
statement that is refuted must hold. A statement that is false as it is printed keeps its name,
is expected to fail, and names its repair.

What a verdict covers is its scope: **proved**, the cases cover the statement; **all cases**, a
finite list was gone through; **sampled**, cases were drawn at random. The wording says how near
a statement is to the printed words: **quoted**; **reconstructed**, its content is known and the
sentence is not; or **our reading** of something that is printed less precisely.
"""
