"""Picture: the disjointness graph of some templates, as a table of text or as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from symbench.draw.pictures import circle_svg
from symbench.draw.tables import columns_text
from symbench.errors import TooLarge
from symbench.words.disjointness import check_templates, overlaps
from symbench.words.template import Template

_MOST = 60


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
    return columns_text(rows)


def disjointness_svg(templates: Iterable[Template]) -> str:
    """The disjointness graph as SVG: templates on a circle, a line between disjoint ones.

    >>> svg = disjointness_svg([Template("αα"), Template("αβ"), Template("αA")])
    >>> svg.count("<line"), svg.count("<text")
    (2, 3)
    """
    found = check_templates(templates)
    _check_size(found)
    sharing = {(i, j) for i, j, _ in overlaps(found)}
    pairs = combinations(range(len(found)), 2)
    return circle_svg([str(t) for t in found], (pair for pair in pairs if pair not in sharing))


def _check_size(templates: tuple[Template, ...]) -> None:
    if len(templates) > _MOST:
        raise TooLarge(
            f"a picture of {len(templates)} templates cannot be read (at most {_MOST}); "
            "ask disjointness_graph for the graph itself"
        )
