"""Numbers as SVG: tables in shades and in boxes, points on a line, stems, graphs of lines.

The pictures are small, as a page may have hundreds of them: cells of one shade are one path.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from symbench._arguments import sequence
from symbench.draw.pictures import _svg
from symbench.draw.views import View

_SHADES = 8  # on each side of zero
_CELL = 11
_LINE = 22  # the height of a line of a graph
_FONT = 'font-family="sans-serif" font-size="11"'


def shades_svg(rows: Sequence[Sequence[float]]) -> str:
    """A table of numbers as squares: blue above zero, red below, the darker the larger.

    >>> shades_svg([[1, 0], [0, -1]]).count("<path fill")
    2
    """
    table = [sequence(row, "a row of the table", "numbers") for row in sequence(rows, "the table")]
    width = max(map(len, table), default=0)
    most = max((abs(x) for row in table for x in row), default=0) or 1
    paths: dict[int, list[str]] = {}
    for i, row in enumerate(table):
        for j, x in enumerate(row):
            shade = round(x / most * _SHADES) or ((x > 0) - (x < 0))
            if shade:
                paths.setdefault(shade, []).append(f"M{j} {i}h1v1h-1z")
    drawn = "".join(
        f'<path fill="{_colour(shade)}" d="{"".join(cells)}"/>'
        for shade, cells in sorted(paths.items())
    )
    frame = f'<path d="M0 0h{width}v{len(table)}h-{width}z" fill="none" stroke="gray" '
    frame += 'stroke-width=".08"/>'
    scale = f'<g transform="translate(1 1) scale({_CELL})">{drawn}{frame}</g>'
    return _svg(width * _CELL + 2, len(table) * _CELL + 2, [scale])


def _colour(shade: int) -> str:
    part = abs(shade) / _SHADES
    strong = (31, 90, 160) if shade > 0 else (180, 50, 40)
    mixed = (round(255 + (channel - 255) * (0.15 + 0.85 * part)) for channel in strong)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def stems_svg(places: Sequence[float], heights: Sequence[float], *, names: tuple[str, str]) -> str:
    """Stems of these heights at places on a line; the names are those of the two axes.

    >>> stems_svg([0, 1, 4], [1, 1, 2], names=("eigenvalue", "multiplicity")).count("<circle")
    3
    """
    low, high = min([0, *places]), max([0, *places])
    span, top = (high - low) or 1, max([1, *heights])
    left, right, up, down = 40, 300, 24, 84
    drawn = [_stroke(left - 8, down, right + 8, down)]
    for x, height in zip(places, heights, strict=True):
        u = left + (right - left) * (x - low) / span
        v = down - (down - up) * height / top
        drawn.append(_stroke(u, down, u, v))
        drawn.append(f'<circle cx="{u:.1f}" cy="{v:.1f}" r="2.5" fill="#1f5aa0"/>')
    ticks = [(x, left + (right - left) * (x - low) / span) for x in dict.fromkeys((low, high))]
    drawn += [_word(u, down + 12, _short(x), "middle") for x, u in ticks]
    drawn.append(_word((left + right) / 2, down + 12, names[0], "middle"))
    if len(set(heights)) > 1:
        drawn.append(_word(left - 8, up - 14, f"{names[1]}: up to {top:g}", "start"))
    return _svg(right + 40, down + 20, drawn)


def _short(x: float) -> str:
    return f"{x:,}" if isinstance(x, int) and abs(x) < 10**7 else f"{x:.4g}"


_TONES = {"good": "#1f9d55", "bad": "#d6452b", "open": "#b8860b"}
_WIDE, _HIGH = 64, 20  # a cell of a grid


def grid_svg(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[tuple[str, str]]],
) -> View:
    """A table of short texts in boxes, each with a tone: 'good', 'bad', 'open', or none.

    >>> grid_svg(["a"], ["x", "y"], [[("yes", "good"), ("no", "bad")]]).svg.count("<rect")
    2
    """
    left = 12 + 6.4 * max(map(len, rows), default=0)
    longest = max(map(len, columns), default=0)
    top = 14 + 4.6 * longest
    drawn = []
    for j, name in enumerate(columns):
        x, y = left + _WIDE * (j + 0.4), top - 8
        drawn.append(
            f'<text x="{x:g}" y="{y:g}" {_FONT} fill="currentColor" '
            f'transform="rotate(-45 {x:g} {y:g})">{escape(name)}</text>'
        )
    for i, row in enumerate(rows):
        y = top + _HIGH * i
        drawn.append(_word(left - 6, y + _HIGH / 2, row, "end"))
        for j, (text, tone) in enumerate(cells[i]):
            x = left + _WIDE * j
            drawn.append(
                f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{_WIDE - 2}" height="{_HIGH - 2}" '
                f'rx="2" fill="{_TONES.get(tone, "gray")}" fill-opacity=".25"/>'
                + _word(x + _WIDE / 2, y + _HIGH / 2, text, "middle")
            )
    width = left + _WIDE * len(columns) + 4.6 * longest
    return _svg(width, top + _HIGH * len(rows) + 2, drawn)


def arcs_svg(
    labels: Sequence[str],
    edges: Sequence[tuple[int, int, str]],
    *,
    links: Sequence[str],
    marks: Sequence[str],
) -> str:
    """A graph whose nodes are lines of text, with arcs beside them: it fits a narrow screen.

    An edge is two numbers of labels and the class of its arc, which a stylesheet draws. links are
    the addresses of the labels, marks the classes of their dots.

    >>> arcs_svg(["a", "b"], [(0, 1, "assumes")], links=["#a", "#b"], marks=["", ""]).count("<a ")
    2
    """
    reach = max((abs(i - j) for i, j, _ in edges), default=0)
    left = 16 + min(9 * reach, 60)
    drawn = []
    for i, j, kind in edges:
        y, v = (_LINE * n + _LINE / 2 for n in (i, j))
        bend = left - 14 - min(9 * abs(i - j), 60) * 4 / 3
        drawn.append(
            f'<path class="{escape(kind)}" fill="none" '
            f'd="M{left - 5} {y:g}C{bend:.1f} {y:g} {bend:.1f} {v:g} {left - 10} {v:g}"/>'
            f'<path class="{escape(kind)} head" d="M{left - 11} {v - 4:g}l7 4l-7 4z"/>'
        )
    for n, label in enumerate(labels):
        y = _LINE * n + _LINE / 2
        drawn.append(
            f'<a href="{escape(links[n])}"><circle class="{escape(marks[n])}" cx="{left}" '
            f'cy="{y:g}" r="4"/>{_word(left + 9, y, label, "start")}</a>'
        )
    width = left + 18 + 6.6 * max(map(len, labels), default=0)
    return _svg(width, _LINE * len(labels), drawn)


def _word(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" {_FONT} fill="currentColor" text-anchor="{anchor}" '
        f'dominant-baseline="central">{escape(text)}</text>'
    )


def _stroke(x: float, y: float, u: float, v: float) -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="gray"/>'
