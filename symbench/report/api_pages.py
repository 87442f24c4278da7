"""Pages of the public names: one for each room, and the source that they link to."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import attrs

from symbench.report import sources
from symbench.report.api import Name, RoomNames, markdown
from symbench.report.prose import highlighted, prose
from symbench.report.site import Entry, Page, relative

if TYPE_CHECKING:
    from symbench.report.site import Site

_MOST = 6  # pages that are said to use a name


def room_page(site: Site, room: RoomNames) -> Page:
    """Every public name of a room, with an anchor each."""
    path = f"api/{room.name}.html"
    links = site.links(path, room.name)
    intro = prose(markdown(room.doc), claim=links.claim, name=links.name).html
    rows = []
    for shown, name in sorted([*room.names.items(), *room.elsewhere.items()]):
        summary = prose(name.summary, claim=links.claim, name=links.name, inline=True).html
        target = escape(relative(path, name.address))
        alias = f' id="{escape(shown)}"' if shown in room.elsewhere else ""
        rows.append(
            f'<tr{alias}><td><a href="{target}"><code>{escape(shown)}</code></a></td>'
            f"<td>{summary}</td></tr>\n"
        )
    names = [name for _, name in sorted(room.names.items())]
    body = (
        f"<h1>{escape(room.title)}</h1>\n{intro}"
        f'<div class="wide"><table class="names"><tbody>{"".join(rows)}</tbody></table></div>\n'
        f"{''.join(_entry(site, path, name) for name in names)}"
    )
    entries = [Entry("", room.title, room.doc)]
    for name in names:
        for one in (name, *name.members.values()):
            entries.append(Entry(one.path, one.label, f"{one.signature} {one.doc}"))
    outline = tuple((name.path, name.path) for name in names)
    return Page(path, "API", room.title, body, "", tuple(entries), outline)


def _entry(site: Site, path: str, name: Name, owner: Name | None = None) -> str:
    """A name: how it is called, where its source is, what its docstring says, and its members."""
    links = site.links(path, name.room, owner or name)
    types = attrs.evolve(site.links(path), claim=None)
    own = name.path.rpartition(".")[2]
    level, sort = ("h3", "member") if owner else ("h2", "name")
    source = ""
    if name.source is not None:
        file, line = name.source
        target = relative(path, f"{file}.html#L{line}")
        source = f'<a class="source" href="{escape(target)}">{escape(file)}, line {line}</a>'
    kind = f"{name.kind} of {owner.path}" if owner else name.kind
    said = prose(markdown(name.doc), claim=links.claim, name=links.name).html
    signature = highlighted(name.signature, "python")
    if types.name is not None:
        of = types.name
        types = attrs.evolve(
            types, name=lambda code: of(code) if code.rstrip("()") != own else None
        )
    return (
        f'<section class="{sort}" id="{escape(name.path)}">\n'
        f'<{level}><a class="self" href="#{escape(name.path)}">{escape(own)}</a></{level}>\n'
        f'<p class="where soft">{escape(kind)}, <code>{escape(name.label)}</code> {source}</p>\n'
        f'<div class="signature">{types.of_code(signature)}</div>\n'
        f"{said}{_around(site, path, name)}"
        f"{''.join(_entry(site, path, member, name) for member in name.members.values())}"
        "</section>\n"
    )


def _around(site: Site, path: str, name: Name) -> str:
    """Fields, what is inherited, sessions that end in this error, and pages with the name."""

    def link(target: str, text: str) -> str:
        return f'<a href="{escape(relative(path, target))}">{text}</a>'

    lines = []
    if name.kind == "error":
        bases = [base for base in name.value.__bases__ if base is not Exception]
        named = [(base.__name__, site.names.of(base)) for base in bases]
        of = [link(n.address, f"<code>{text}</code>") if n else f"<code>{text}</code>"
              for text, n in named]  # fmt: skip
        lines.append(f"Refines {' and '.join(of)}." if of else "")
    if name.fields:
        fields = ", ".join(
            f'<code id="{escape(f"{name.path}.{field}")}">{escape(field)}</code>'
            for field in name.fields
            if field not in name.members
        )
        lines.append(f"Fields: {fields}." if fields else "")
    for base, members in name.inherited.items():
        home = site.names.of(base)
        if home is not None:
            inner = (link(home.members[m].address, f"<code>{escape(m)}</code>") for m in members)
            base_link = link(home.address, f"<code>{escape(home.path)}</code>")
            lines.append(f"From {base_link}: {', '.join(inner)}.")
    pages = [
        site.pages[other]
        for other in site.mentions.get(name.address, {})
        if other in site.pages and site.pages[other].group in ("Start", "Examples", "Proofs")
    ]
    if pages:
        shown = ", ".join(link(page.path, escape(page.title)) for page in pages[:_MOST])
        more = f" and {len(pages) - _MOST} more" if len(pages) > _MOST else ""
        lines.append(f"On pages: {shown}{more}.")
    text = "".join(f'<p class="around">{line}</p>\n' for line in lines if line)
    return text + (_raised(site, path, name) if name.kind == "error" else "")


def _raised(site: Site, path: str, name: Name) -> str:
    """What raises an error, and what it says: sessions out of the docstrings."""
    links = attrs.evolve(site.links(path), name=None)
    found = site.names.raised(name.path)
    items = []
    for where, call, message in found:
        target = escape(relative(path, where.address))
        items.append(
            f'<li><a href="{target}"><code>{escape(where.label)}</code></a>'
            f"{links.of_code(highlighted(call, 'python'))}"
            f'<p class="message"><code>{links.of_text(message)}</code></p></li>\n'
        )
    if not items:
        return ""
    return f'<p class="around">Raised, for example:</p><ul class="raised">{"".join(items)}</ul>\n'


def index_page(site: Site) -> Page:
    """The rooms, with what lives there."""
    path = "api/index.html"
    rows = []
    for room in site.names.rooms:
        summary = prose(room.doc.split("\n\n")[0], name=site.links(path).name, inline=True).html
        rows.append(
            f'<tr><td><a href="{room.name}.html"><code>{escape(room.title)}</code></a></td>'
            f"<td>{summary}</td><td>{len(room.names) + len(room.elsewhere)}</td></tr>\n"
        )
    intro = prose(_INTRO, name=site.links(path).name).html
    table = (
        '<div class="wide"><table><thead><tr><th>room</th><th></th><th>names</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>\n"
    )
    words = "API rooms public names modules reference"
    return Page(path, "API", "All rooms", intro + table, "", (Entry("", "API: rooms", words),))


_INTRO = """# Public names, room by room

`import symbench as sb` gives about forty names at the top; everything else is one dot away, in
its room. Sessions begin with `>>>` and are run by the tests, in a namespace that has the public
names of all rooms. Options are given by keyword.
"""


def source_files(site: Site) -> list[str]:
    """The files in which public names are written, by path."""
    return sorted({name.source[0] for name in site.names if name.source is not None})


def code_page(path: str, group: str, language: str) -> Page:
    """A file of code, line by line."""
    text = sources.read(path).decode()
    made = highlighted(text, language)
    start, end = made.index("<pre>") + len("<pre>"), made.rindex("</pre>")
    lines = made[start:end].removeprefix("<span></span>").removesuffix("\n").split("\n")
    numbered = "".join(f'<span id="L{n}">{line}</span>' for n, line in enumerate(lines, 1))
    body = f'<h1>{escape(path)}</h1>\n<div class="highlight source"><pre>{numbered}</pre></div>\n'
    return Page(f"{path}.html", group, path, body, listed=False)
