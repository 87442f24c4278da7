"""The documentation as a site: pages, claims, public names and a search, without any network.

The layout is that of a checkout (examples/spectrum.md is examples/spectrum.html), so that links
between pages go on working; claims/ has a page for each paper, api/ one for each room, and
symbench/ the source. All is made in memory and then written: a build that fails leaves what was
there.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

import symbench
from symbench._arguments import shown
from symbench.errors import BadValue
from symbench.report import sources
from symbench.report.api import Name, PublicNames, public_names
from symbench.report.prose import Links, Prose, stylesheet

if TYPE_CHECKING:
    import click

    from symbench.registry import Claim

_HERE = Path(__file__).parent
_MANIFEST = "site.txt"
_MARK = "symbench site 1"
_COMMAND = re.compile(r"(?:\$ )?symbench ([a-z]+)\b.*", re.S)
# The groups of pages in the order of the navigation, each with its first page.
GROUPS = {
    "Start": "index.html",
    "Examples": "examples/index.html",
    "Claims": "claims/index.html",
    "Proofs": "proofs/index.html",
    "API": "api/index.html",
    "Reference": "command.html",
}


@attrs.frozen
class Entry:
    """What the search finds: an anchor of a page, what stands there, and its words."""

    anchor: str
    title: str
    words: str


@attrs.frozen
class Page:
    """A page of the site: where it is, its place in the navigation, and what stands on it."""

    path: str
    group: str
    title: str
    body: str
    section: str = ""  # within the group
    entries: tuple[Entry, ...] = ()
    outline: tuple[tuple[str, str], ...] = ()  # anchors and texts of the headings below the title
    listed: bool = True  # in the navigation, and for the search


def of_prose(path: str, group: str, text: Prose, body: str = "", section: str = "") -> Page:
    """A page of prose, perhaps with something below it; its headings are its entries."""
    below = text.headings[1:]
    words = [text.words[0] + " " + text.words[1], *text.words[2:]]
    anchors = ["", *(heading.anchor for heading in below)]
    titles = [text.title, *(heading.text for heading in below)]
    return Page(
        path,
        group,
        text.title,
        text.html + body,
        section,
        tuple(map(Entry, anchors, titles, words)),
        tuple((heading.anchor, heading.text) for heading in below if heading.level == 2),
    )


def relative(path: str, target: str) -> str:
    """The address of a page as a link from the page at this path.

    >>> relative("examples/spectrum.html", "api/words.html#Template")
    '../api/words.html#Template'
    """
    file, mark, anchor = target.partition("#")
    if file == path and mark:
        return mark + anchor
    return posixpath.relpath(file, posixpath.dirname(path) or ".") + mark + anchor


def of_claim(claim: Claim) -> str:
    """Where the site has a claim."""
    return f"claims/{claim.paper}.html#{claim.id}"


class Site:
    """The pages and files of the documentation, as they are made."""

    def __init__(self, command: click.Group) -> None:
        from symbench.registry import claims

        self.command = command
        self.claims: dict[str, Claim] = dict(claims)
        self._former = {old: claim for claim in self.claims.values() for old in claim.formerly}
        self.names: PublicNames = public_names()
        self.pages: dict[str, Page] = {}
        self.files: dict[str, bytes] = {path: sources.read(path) for path in sources.files()}
        # By address, the pages that have a link to it.
        self.mentions: dict[str, dict[str, None]] = defaultdict(dict)
        self._places = dict(_places(self.files, sources.pages()))
        self._commands = set(command.list_commands(context(command)))

    def add(self, page: Page) -> None:
        """Take a page in, after those that are there."""
        self.pages[page.path] = page

    def links(self, path: str, room: str | None = None, owner: Name | None = None) -> Links:
        """Where claims, names and links lead from the page at this path."""

        def to(target: str | None) -> str | None:
            if target is None:
                return None
            self.mentions[target][path] = None
            return relative(path, target)

        def claim(id: str) -> str | None:
            found = self.claims.get(id) or self._former.get(id)
            return None if found is None else to(of_claim(found))

        def name(code: str) -> str | None:
            command = _COMMAND.fullmatch(code)
            if command is not None:
                known = command[1] in self._commands
                return to(f"command.html#symbench-{command[1]}") if known else None
            return to(self._places.get(code.rstrip("/")) or self.names.find(code, room, owner))

        def address(old: str) -> str:
            if re.match(r"[a-z]+:|#", old):
                return old
            file, mark, anchor = old.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
            return to(self._places.get(target, target) + mark + anchor) or old

        return Links(claim, name, address)

    def place(self, path: str) -> str | None:
        """The page that shows a file or folder of a checkout."""
        return self._places.get(path)

    def write(self, folder: Path, *, force: bool = False) -> int:
        """Write the site into a folder that is new, empty or a site; how many files it has."""
        made = self.files | self._assets()
        for page, before, after in self._neighbours():
            made[page.path] = self._framed(page, before, after).encode()
        check_folder(folder, force=force)
        _prepare(folder, made)
        for path, content in made.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        return len(made)

    def _assets(self) -> dict[str, bytes]:
        style = stylesheet() + _HERE.joinpath("site.css").read_text(encoding="utf-8")
        index = [
            [page.path, page.title, page.group, [attrs.astuple(entry) for entry in page.entries]]
            for page in self.pages.values()
            if page.listed
        ]
        packed = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        return {
            "style.css": style.encode(),
            "site.js": _HERE.joinpath("site.js").read_bytes(),
            "search.js": f"const SYMBENCH_INDEX = {packed};\n".encode(),
        }

    def _group(self, group: str) -> list[Page]:
        """The pages of a group that the navigation lists, its first page first."""
        pages = [page for page in self.pages.values() if page.group == group and page.listed]
        return sorted(pages, key=lambda page: page.path != GROUPS[group])

    def _neighbours(self) -> Iterable[tuple[Page, Page | None, Page | None]]:
        """Each page with the one before and the one after it in its group."""
        for group in GROUPS:
            pages = self._group(group)
            yield from zip(pages, [None, *pages], [*pages[1:], None], strict=False)
        yield from ((page, None, None) for page in self.pages.values() if not page.listed)

    def _framed(self, page: Page, before: Page | None, after: Page | None) -> str:
        """The whole page: what stands on it, and the ways to others."""

        def link(target: str, text: str, attributes: str = "") -> str:
            return f'<a href="{escape(relative(page.path, target))}"{attributes}>{escape(text)}</a>'

        def tab(group: str) -> str:
            return link(GROUPS[group], group, ' aria-current="true"' if group == page.group else "")

        parts = []
        for section, members in groupby(self._group(page.group), key=lambda p: p.section):
            head = f"<h2>{escape(section)}</h2>" if section else ""
            items = [
                f"<li>{link(p.path, p.title, _CURRENT)}{self._outline(p)}</li>"
                if p.path == page.path
                else f"<li>{link(p.path, p.title)}</li>"
                for p in members
            ]
            parts.append(f"{head}<ul>{''.join(items)}</ul>")
        ways = [
            f'<span class="{name}">{link(p.path, p.title)}</span>' if p else "<span></span>"
            for name, p in (("before", before), ("after", after))
        ]
        root = posixpath.relpath(".", posixpath.dirname(page.path) or ".")
        return _FRAME.format(
            title=escape(f"{page.title} - symbench" if page.path != "index.html" else "symbench"),
            root=root,
            group=escape(page.group),
            home=link("index.html", "symbench", ' class="home"'),
            tabs="".join(map(tab, GROUPS)),
            body=page.body,
            ways=f'<nav class="ways on-screen" aria-label="Neighbours">{"".join(ways)}</nav>',
            side="".join(parts),
            version=escape(symbench.__version__),
        )

    def _outline(self, page: Page) -> str:
        items = [
            f'<li><a href="#{escape(anchor)}">{escape(text)}</a></li>'
            for anchor, text in page.outline
        ]
        return f"<ul>{''.join(items)}</ul>" if items else ""


_CURRENT = ' aria-current="page"'
_FRAME = """<!doctype html>
<html lang="en" data-root="{root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}/style.css">
<script defer src="{root}/site.js"></script>
</head>
<body class="site">
<header class="on-screen">
<a class="skip" href="#content">Skip to the page</a>
{home}
<nav class="tabs" aria-label="Parts">{tabs}<a class="down" href="#side">Contents</a></nav>
<form class="search" role="search" aria-label="Search">
<input type="search" placeholder="Search" aria-label="Search: words, names, ids of claims"
 autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found">
<div id="found" role="listbox" aria-label="Results" hidden></div>
</form>
</header>
<div class="columns">
<main id="content">
{body}
{ways}
</main>
<nav id="side" class="on-screen" aria-label="{group}">{side}</nav>
</div>
<footer class="soft">symbench {version}</footer>
</body>
</html>
"""


def context(command: click.Command, within: click.Context | None = None) -> click.Context:
    """What click needs to say how a command is called."""
    import click

    return click.Context(command, parent=within, info_name=command.name if within else "symbench")


def _places(files: Iterable[str], pages: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Of each file and folder of a checkout, what shows it."""
    for path in files:
        yield path, f"{path}.html" if Path(path).suffix in sources.LANGUAGES else path
    for path in pages:
        folder, name = posixpath.split(path)
        stem = "index" if name == "README.md" else Path(name).stem
        yield path, posixpath.join(folder, f"{stem}.html")
    for folder in sources.folders():
        yield folder, f"{folder}/index.html"


# --- the folder ---------------------------------------------------------------------------------
def check_folder(folder: Path, *, force: bool = False) -> None:
    """Refuse a folder that has something else in it."""
    if folder.exists() and not folder.is_dir():
        raise BadValue(f"{shown(str(folder))} is a file: give a folder")
    if not force and folder.exists() and any(folder.iterdir()) and _written(folder) is None:
        raise BadValue(
            f"{shown(str(folder))} is not empty, and no site of symbench: give another folder, "
            "or --force, which overwrites files that are in the way and leaves the others"
        )


def _prepare(folder: Path, made: Iterable[str]) -> None:
    """Make room in a folder: what a former build wrote and this one does not is removed."""
    old = _written(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [*made]
    # First, so that a build that is interrupted is a site of ours all the same.
    (folder / _MANIFEST).write_text("\n".join([_MARK, *wanted, ""]), encoding="utf-8")
    for path in {*(old or ())} - {*wanted}:
        place = folder / path
        if place.is_file() and place.resolve().is_relative_to(folder.resolve()):
            place.unlink()


def _written(folder: Path) -> list[str] | None:
    """The files that a former build has written, None where there was none."""
    manifest = folder / _MANIFEST
    if not manifest.is_file():
        return None
    first, *paths = manifest.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
    return paths if first == _MARK else None
