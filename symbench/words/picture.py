"""Picture: the disjointness graph of some templates, as a table of text or as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import cos, pi, sin

from symbench.errors import TooLarge
from symbench.words.disjointness import check_templates, overlaps
from symbench.words.template import Template

_MOST = 60
_RADIUS = 150


def disjointness_table(templates: Iterable[Template]) -> str:
    """Which pairs are disjoint: a dot for disjoint, else a string that matches both.

    >>> print(disjointness_table([Template("αα"), Template("αβ"), Template("αA")]))
        αα  αβ  αA
    αα  -   .   .
    αβ  .   -   BA
    αA  .   BA  -
    """
    found = check_templates(templates)
    _check_size(found)
    names = [str(template) for template in found]
    cells = [["." if i != j else "-" for j in range(len(found))] for i in range(len(found))]
    for i, j, string in overlaps(found):
        cells[i][j] = cells[j][i] = str(string)
    rows = [["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))]
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows))]
    lines = ("  ".join(f"{c:{w}}" for c, w in zip(row, wide, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def disjointness_svg(templates: Iterable[Template]) -> str:
    """The disjointness graph as SVG: templates on a circle, a line between disjoint ones.

    >>> svg = disjointness_svg([Template("αα"), Template("αβ"), Template("αA")])
    >>> svg.count("<line"), svg.count("<text")
    (2, 3)
    """
    found = check_templates(templates)
    _check_size(found)
    sharing = {(i, j) for i, j, _ in overlaps(found)}
    margin = 20 + 6 * max(len(str(template)) for template in found)
    centre = _RADIUS + margin
    places = [
        (
            centre + _RADIUS * sin(2 * pi * i / len(found)),
            centre - _RADIUS * cos(2 * pi * i / len(found)),
        )
        for i in range(len(found))
    ]
    side = 2 * centre
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" '
        f'viewBox="0 0 {side} {side}" font-family="monospace" font-size="14">'
    ]
    for j, (x2, y2) in enumerate(places):
        for i, (x1, y1) in enumerate(places[:j]):
            if (i, j) not in sharing:
                lines.append(
                    f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#888"/>'
                )
    for template, (x, y) in zip(found, places, strict=True):
        outward = 1.0 + 14 / _RADIUS
        tx, ty = centre + (x - centre) * outward, centre + (y - centre) * outward
        anchor = "middle" if abs(x - centre) < 1 else "start" if x > centre else "end"
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#246"/>')
        lines.append(
            f'<text x="{tx:.1f}" y="{ty:.1f}" text-anchor="{anchor}" '
            f'dominant-baseline="middle">{escape(str(template))}</text>'
        )
    return "\n".join([*lines, "</svg>"])


def _check_size(templates: tuple[Template, ...]) -> None:
    if len(templates) > _MOST:
        raise TooLarge(
            f"a picture of {len(templates)} templates cannot be read (at most {_MOST}); "
            "ask disjointness_graph for the graph itself"
        )
