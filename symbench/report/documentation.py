"""The documentation: which pages the site has, and the building of it."""

from __future__ import annotations

import inspect
import json
import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from symbench.errors import BadValue
from symbench.report import api_pages, citation, claim_pages, sources
from symbench.report.prose import prose
from symbench.report.site import (
    Entry,
    Page,
    Site,
    check_folder,
    context,
    of_claim,
    of_prose,
    relative,
)

if TYPE_CHECKING:
    import click

_HERE = Path(__file__).parent
_REPORT = "report.html"


def build(
    folder: str | Path,
    command: click.Group,
    *,
    report: str | Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write the site into a folder, and return the number of its files.

    The folder is new, empty or a site that was built before; force takes any other. command is the
    click command whose help makes a page; report a page that `symbench report` wrote, or a ledger
    to make one of. progress is called with the number of parts done, and of all parts.
    """
    check_folder(Path(folder), force=force)
    site = Site(command)
    if report is not None:
        site.files[_REPORT] = _report(site, Path(report))
    parts = list(_parts(site))
    for done, part in enumerate(parts):
        if progress is not None:
            progress(done, len(parts))
        for page in part():
            site.add(page)
    written = site.write(Path(folder), force=force)
    if progress is not None:
        progress(len(parts), len(parts))
    return written


def _report(site: Site, path: Path) -> bytes:
    """A page that `symbench report` wrote, or one made of a ledger, with links into the site."""
    if path.suffix.lower() in (".html", ".htm"):
        try:
            return path.read_bytes()
        except OSError as error:
            raise BadValue(f"cannot read the report {str(path)!r}: {error.strerror}") from None
    from symbench.registry.ledger import Ledger
    from symbench.report.page import Report

    return Report(Ledger(path, create=False), documentation=site.place).html().encode()


def _parts(site: Site) -> Iterator[Callable[[], list[Page]]]:
    """What is made one after the other: first the pages that link, then those that say so."""

    def one(make: Callable[..., Page], *arguments: object) -> Callable[[], list[Page]]:
        return lambda: [make(*arguments)]

    written = sources.pages()
    for path in written:
        yield one(_markdown_page, site, path)
    for folder in sources.folders():
        if f"{folder}/README.md" not in written:
            yield one(_folder_page, site, folder)
    for path in sources.files():
        language = sources.LANGUAGES.get(Path(path).suffix)
        if language is not None:
            yield one(api_pages.code_page, path, _group(path), language)
    yield one(_command_page, site)
    yield one(_changes, site)
    yield one(_cite, site)
    if _REPORT in site.files:
        yield one(_report_page)
    yield one(api_pages.index_page, site)
    for room in site.names.rooms:
        yield one(api_pages.room_page, site, room)
    for path in api_pages.source_files(site):
        yield one(api_pages.code_page, path, "API", "python")
    yield one(claim_pages.index_page, site)
    for paper in claim_pages.papers(site):
        yield one(claim_pages.paper_page, site, paper)


def _group(path: str) -> str:
    """The group of a file of a checkout."""
    return {"examples": "Examples", "proofs": "Proofs"}.get(path.partition("/")[0], "Reference")


# --- pages of prose -----------------------------------------------------------------------------
def _markdown_page(site: Site, source: str) -> Page:
    """A page of a checkout; a proof with its certificate and the claims that rest on it."""
    path = site.place(source) or source
    links = site.links(path)
    try:
        text = prose(
            sources.read(source).decode(), claim=links.claim, name=links.name, address=links.address
        )
    except BadValue as error:
        raise BadValue(f"{source}, {error}") from None
    group = "Start" if source == "README.md" else _group(source)
    page = of_prose(path, group, text, _proof_footer(site, source, path), sources.topic(source))
    # The gallery has a heading for each page, and those stand in the navigation anyway.
    return attrs.evolve(page, outline=()) if source == "examples/README.md" else page


def _proof_footer(site: Site, source: str, path: str) -> str:
    """The certificate beside a proof, and the claims that it proves."""
    beside = f"{source.removesuffix('.md')}.json"
    lines = []
    if beside in site.files:
        said = json.loads(site.files[beside])
        what = prose(str(said.get("statement") or said.get("title")), inline=True).html
        link = (
            f'<a href="{escape(relative(path, beside))}">{escape(posixpath.basename(beside))}</a>'
        )
        lines.append(
            f"<p>The certificate beside this page, {link}: {what}. "
            f"Re-check it: <code>symbench check {escape(beside)}</code></p>"
        )
    claims = [claim for claim in site.claims.values() if claim.proof == source]
    if claims:
        items = "".join(
            f'<li><a class="claim" href="{escape(relative(path, of_claim(claim)))}">'
            f"{escape(claim.id)}</a> {claim_pages.badges(claim)}</li>"
            for claim in claims
        )
        lines.append(f"<p>Claims that this page is the proof of:</p><ul>{items}</ul>")
    return f'<aside class="card">{"".join(lines)}</aside>\n' if lines else ""


def _folder_page(site: Site, folder: str) -> Page:
    """The pages and files of a folder, each with its first sentence."""
    path = f"{folder}/index.html"
    parts: dict[str, list[str]] = defaultdict(list)
    for source in [*sources.pages(), *sources.files()]:
        target = site.place(source)
        if not source.startswith(f"{folder}/") or target is None or target == source:
            continue  # not here, or not on a page of its own
        title = site.pages[target].title if target in site.pages else source
        link = f'<a href="{escape(relative(path, target))}">{escape(title)}</a>'
        parts[source.removeprefix(f"{folder}/").rpartition("/")[0]].append(f"<li>{link}</li>\n")
    title = _FOLDERS.get(folder, f"Proofs: {posixpath.basename(folder)}")
    lists = (
        f"{f'<h2>{escape(name)}</h2>' if name else ''}<ul>\n{''.join(items)}</ul>\n"
        for name, items in parts.items()
    )
    body = f"<h1>{escape(title)}</h1>\n{''.join(lists)}"
    listed = folder in _FOLDERS
    return Page(path, _group(folder), title, body, entries=(Entry("", title, ""),), listed=listed)


_FOLDERS = {"examples": "Examples", "proofs": "Proofs", "proofs/coq": "Checked in Coq"}


def _changes(site: Site) -> Page:
    text = _HERE.joinpath("changes.md").read_text(encoding="utf-8")
    links = site.links("changes.html")
    return of_prose(
        "changes.html",
        "Reference",
        prose(text, claim=links.claim, name=links.name, address=links.address),
    )


def _cite(site: Site) -> Page:
    """What `symbench cite` prints."""
    text = (
        "# How to cite\n\n`symbench cite` prints these entries, and with `--format cff` a citation "
        f"file.\n\n```bibtex\n{citation.bibtex(citation.PAPERS)}```\n"
    )
    links = site.links("cite.html")
    return of_prose("cite.html", "Reference", prose(text, name=links.name))


def _report_page() -> Page:
    """The way to the report, which is a page of its own."""
    body = (
        "<h1>The report</h1>\n"
        f'<p><a href="{_REPORT}">Every claim with its verdict</a>, with certificates that the '
        "browser re-checks: a page of its own, without this navigation.</p>\n"
    )
    words = "report verdicts certificates check in this browser"
    return Page(
        "about_report.html", "Reference", "The report", body, "", (Entry("", "The report", words),)
    )


# --- the command --------------------------------------------------------------------------------
def _command_page(site: Site) -> Page:
    """The help of each command."""
    parent = context(site.command)
    parts = ["# The command line\n", _help_text(site.command.help)]
    for name in site.command.list_commands(parent):
        command = site.command.get_command(parent, name)
        if command is None or command.hidden:
            continue
        within = context(command, parent)
        usage = " ".join(["symbench", name, *command.collect_usage_pieces(within)])
        parts += [f"## symbench {name}", f"```console\n$ {usage}\n```", _help_text(command.help)]
        records = [parameter.get_help_record(within) for parameter in command.get_params(within)]
        rows = [f"| `{_cell(record[0])}` | {_cell(record[1])} |" for record in records if record]
        parts.append("\n".join(["| option | |", "|---|---|", *rows]))
    links = site.links("command.html")
    text = prose("\n\n".join(parts), claim=links.claim, name=links.name)
    return of_prose("command.html", "Reference", text)


def _help_text(text: str | None) -> str:
    """The help as Markdown: paragraphs that click must not fold are blocks."""
    blocks = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(
        f"```console\n{inspect.cleandoc(block[1:])}\n```" if block.startswith("\b") else block
        for block in blocks
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
