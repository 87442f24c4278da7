"""Views: texts that notebooks show richer, as HTML, as LaTeX or as a picture.

A `View` is a str, so what prints a table also shows it: `columns_text`, `boxes_text` and
`layers_text` make views, `sheet` puts texts and views one below another, `facts` names values, and
`card` frames the answer to a question. A class whose values have a view is `Shown`: its `str()` is
the view, or its method `_view()` makes another one.

HTML has styles inline, takes its colours from the page around it, so that it can be read on light
and on dark, and needs no network and no script. All texts are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from types import FunctionType
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.errors import NotSupported

# What notebooks may take for formulas is none in here: a text may have dollars.
_FRAME = (
    '<div class="symbench tex2jax_ignore mathjax_ignore" '
    'style="max-width:100%;overflow-x:auto;text-align:left">{}</div>'
)
_LINE = "1px solid rgba(128,128,128,0.4)"
_CELL = f"padding:0.2em 0.7em;vertical-align:top;border:0;border-bottom:{_LINE};"
_NAME = "text-align:left;font-weight:600;"
_TABLE = '<table style="border-collapse:collapse;margin:0.4em 0;font-size:inherit">{}</table>'
# Middle tones, which stand out from white and from black.
_COLOURS = {"good": "#1f9d55", "bad": "#d6452b", "open": "#b8860b", "": "rgba(128,128,128,0.7)"}

_NAMES = re.compile(r"(?<![&A-Za-z])[A-Za-z]+")
_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
}

_ROWS = 60  # of a table, and
_COLUMNS = 24  # its columns: what is left out is said
_MEMBERS = 8  # of a sequence among facts
_CHARACTERS = 240  # of a fact


class View(str):
    """A text that notebooks show as HTML, and as LaTeX or SVG where it is a formula or a picture.

    >>> table = columns_text([["n", "n^2"], ["3", "9"]])
    >>> print(table)
    n  n^2
    3  9
    >>> table.html.count("<td")
    2
    """

    html: str
    latex: str
    svg: str

    def __new__(cls, text: str, *, html: str = "", latex: str = "", svg: str = "") -> View:
        self = super().__new__(cls, text)
        self.html, self.latex, self.svg = html, latex, svg
        return self

    def bundle(self) -> dict[str, str]:
        """The view by MIME type, without the plain text."""
        found = {
            "text/html": _FRAME.format(self.html) if self.html else "",
            "text/latex": f"${self.latex}$" if self.latex else "",
            "image/svg+xml": self.svg,
        }
        return {kind: text for kind, text in found.items() if text}

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, with white behind it: it has no page around it there.

        >>> columns_text([["n"]]).save("n.svg")
        Traceback (most recent call last):
        ...
        symbench.errors.NotSupported: this view is no picture: print it instead
        """
        from symbench.draw.figures import writable

        if not self.svg:
            raise NotSupported("this view is no picture: print it instead")
        target = writable(path, ["svg"])
        head, rest = self.svg.split(">", 1)
        white = '<rect width="100%" height="100%" fill="white"/>'
        target.write_text(f"{head}>{white}{rest}\n", encoding="utf-8")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str.__str__(self), **self.bundle()}

    def _repr_html_(self) -> str | None:
        return self.bundle().get("text/html")


class Shown:
    """What all values with a view share; `_view` may be made anew, `str()` is where it begins.

    >>> Partition(2, 1)._repr_html_().count("<rect")
    3
    """

    __slots__ = ()

    def _view(self) -> View:
        """What a notebook shows: the text, where it is a view, else what is known of the fields."""
        own: Any = type(self)
        text = str(self)
        if isinstance(text, View):
            return text
        title, about = own.__name__, (own.__doc__ or "").partition("\n")[0].replace("`", "")
        if "\n" not in text and len(text) < 100 and not text.startswith(f"{title}("):
            title = text[1:-1] if text[0] + text[-1] == "<>" else text
        elif own.__str__ is not object.__str__:
            return card(title, text)
        return card(title, about, facts((name, getattr(self, name)) for name in self._told()))

    def _told(self) -> list[str]:
        """The names of what a view tells: the public fields, and what the number is worth."""
        own: Any = type(self)
        fields = attrs.fields(own) if attrs.has(own) else ()
        names = [field.name for field in fields if field.name[0] != "_"]
        return [*names, *["exactness"] * (hasattr(own, "exactness") and "exactness" not in names)]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self._view().bundle()

    def _repr_html_(self) -> str | None:
        return self._view().bundle().get("text/html")


# --- texts and tables ---------------------------------------------------------------------------
def paragraph(text: str) -> str:
    """A text as HTML, its lines and its spaces as they are."""
    return f'<div style="white-space:pre-wrap;margin:0.2em 0">{escape(text)}</div>'


def typeset(text: str) -> View:
    """A text with formulas between dollars, which a notebook sets; lines of prose run on."""
    prose = re.sub(r"(?<!\n)\n(?![\n*-])", " ", text)
    html = f'<div class="tex2jax_process mathjax_process">{paragraph(prose)}</div>'
    return View(text, html=html)


def html_of(part: str) -> str:
    """A view as HTML, or a text as a paragraph.

    >>> html_of("a < b")
    '<div style="white-space:pre-wrap;margin:0.2em 0">a &lt; b</div>'
    """
    return part.html if isinstance(part, View) and part.html else paragraph(part) if part else ""


def sheet(*parts: str) -> View:
    """Texts and views one below another.

    >>> print(sheet("squares", columns_text([["n", "n^2"], ["3", "9"]])))
    squares
    n  n^2
    3  9
    """
    return View("\n".join(parts), html="".join(map(html_of, parts)))


def columns_text(rows: Sequence[Sequence[str]], *, right: Iterable[int] = ()) -> View:
    """The rows as a table with aligned columns; the columns in `right` are aligned to the right.

    The first row is the head; a notebook shows the first rows and columns of a large table.
    """
    ends = frozenset(right)
    columns = []
    for number, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        aligned = str.rjust if number in ends else str.ljust
        columns.append([aligned(cell, width) for cell in column])
    text = "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))
    return View(text, html=_table(rows, ends))


def _table(rows: Sequence[Sequence[str]], right: frozenset[int]) -> str:
    width = len(rows[0]) if rows else 0
    body = []
    for i, row in enumerate(rows[: _ROWS + 1]):
        tag = "td" if i else "th"
        cells = [
            f'<{tag} style="{_CELL}text-align:{"right" if j in right else "left"};'
            f'{_wrap(cell, 40)}">{html_of_cell(cell)}</{tag}>'
            for j, cell in enumerate(row[:_COLUMNS])
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    left = []
    if len(rows) > _ROWS + 1:
        left.append(f"{len(rows) - _ROWS - 1:,} more rows")
    if width > _COLUMNS:
        left.append(f"{width - _COLUMNS:,} more columns")
    return _TABLE.format("".join(body)) + (paragraph(f"... and {', '.join(left)}") if left else "")


def _wrap(text: str, most: int) -> str:
    """A short text stays on its line."""
    return f"white-space:{'nowrap' if len(text) <= most else 'normal'}"


def html_of_cell(cell: str) -> str:
    """A cell of a table: a view as its HTML, a text escaped."""
    return cell.html if isinstance(cell, View) and cell.html else escape(cell)


def facts(pairs: Iterable[tuple[str, Any]]) -> View:
    """Names with their values, a line each: a long value is cut, an empty one left out.

    >>> print(facts([("length", 3), ("letters", ("a", "b"))]))
    length: 3
    letters: a, b
    """
    read = [(name, text) for name, value in pairs if (text := _cut(fact(value)))]
    rows = "".join(
        f'<tr><th style="{_CELL}{_NAME}{_wrap(name, 20)}">{escape(name)}</th>'
        f'<td style="{_CELL}text-align:left;overflow-wrap:anywhere">{html_of_cell(value)}</td></tr>'
        for name, value in read
    )
    text = "\n".join(f"{name}: {value}" for name, value in read)
    return View(text, html=_TABLE.format(rows) if rows else "")


def fact(value: Any) -> str:
    """A value as a text in a line, or as its view: of a sequence the first members.

    >>> fact(range(20)), fact({"a": 1}), fact(None)
    ('0, 1, 2, 3, 4, 5, 6, 7, ... (20 in all)', 'a: 1', 'none')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    if isinstance(value, FunctionType):
        return value.__name__
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        parts = [f"{fact(k)}: {fact(v)}" for k, v in _first(value.items())]
        return _joined(parts, len(value))
    if isinstance(value, (tuple, list, range, frozenset)) and not _prints(value):
        return _joined([_member(member) for member in _first(value)], len(value))
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value) if _prints(value) else shown(value)
    return text if isinstance(text, View) or "\n" not in text else " ".join(shown(value).split())


def _member(value: Any) -> str:
    """A member of a sequence: one that is a sequence itself has parentheses."""
    nested = isinstance(value, (tuple, list)) and not _prints(value)
    return f"({fact(value)})" if nested else fact(value)


def _prints(value: Any) -> bool:
    """Whether the type of a value says how it prints."""
    kind: Any = type(value)
    return kind.__str__ is not object.__str__


def _first(values: Iterable[Any]) -> list[Any]:
    return [value for value, _ in zip(values, range(_MEMBERS), strict=False)]


def _joined(parts: list[str], size: int) -> str:
    more = f", ... ({size:,} in all)" if size > len(parts) else ""
    return (", ".join(parts) or "none") + more


def _cut(text: str) -> str:
    short = isinstance(text, View) or len(text) <= _CHARACTERS
    return text if short else f"{text[:_CHARACTERS]} ..."


def card(title: str, *parts: str, mark: str = "", tone: str = "") -> View:
    """An answer: a title, a word in a colour ('good', 'bad', 'open', none), and what is said of it.

    >>> print(card("lemma-1", "all cases: 3", mark="holds", tone="good"))
    lemma-1: holds
    all cases: 3
    """
    colour = _COLOURS[tone]
    head = f"<strong>{escape(title)}</strong>"
    if mark:
        head += f' <strong style="color:{colour};padding-left:0.5em">{escape(mark)}</strong>'
    body = "".join(map(html_of, parts))
    html = (
        f'<div style="border-left:4px solid {colour};padding:0.1em 0.8em;margin:0.4em 0;'
        f'max-width:60em"><div>{head}</div>{body}</div>'
    )
    return View("\n".join([f"{title}: {mark}" if mark else title, *parts]), html=html)


def as_html(text: str) -> View:
    """A polynomial that is written in ASCII, as HTML with exponents and Greek letters.

    >>> print(as_html("alpha^3").html, as_html("k^-2").html, as_html("d_s").html)
    <i>α</i><sup>3</sup> <i>k</i><sup>-2</sup> <i>d</i><sub><i>s</i></sub>
    """
    html = _NAMES.sub(lambda m: f"<i>{_GREEK.get(m[0], m[0])}</i>", escape(text))
    html = re.sub(r"\^\(([^)]*)\)|\^(-?\d+)", r"<sup>\1\2</sup>", html)
    html = re.sub(r"(?<=[\w>])_(\d+|<i>.*?</i>)", r"<sub>\1</sub>", html)
    html = html.replace("*", "\u2009")
    return View(text, html=html)


def formula(text: str, latex: str) -> View:
    """A formula: a text, and LaTeX for math mode.

    >>> formula("x^2", "x^{2}").bundle()
    {'text/latex': '$x^{2}$'}
    """
    return View(text, latex=latex)


def picture(svg: str, text: str | None = None) -> View:
    """An SVG picture; in a notebook it stands in the page, so that it has the page's colours."""
    return View(svg if text is None else text, html=svg, svg=svg)
