"""Pictures as text and as SVG: rows of boxes, graphs in layers, graphs on a circle.

Nothing here knows what it draws: the rooms below decide what the labels mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import cos, pi, sin

from symbench._arguments import mapping, sequence, shown
from symbench.errors import BadType

Edges = Mapping[tuple[str, str], str]

_SIDE = 26  # of a box
_GAP = "  "  # between the labels of a layer
_RADIUS = 150


def boxes_text(rows: Sequence[Sequence[str]]) -> str:
    """The labels in columns of one width, row by row.

    >>> print(boxes_text([["1", "10"], ["2"]]))
     1 10
     2
    """
    _check_rows(rows)
    width = max((len(label) for row in rows for label in row), default=0)
    return "\n".join(" ".join(label.rjust(width) for label in row) for row in rows)


def boxes_svg(rows: Sequence[Sequence[str | None]]) -> str:
    """Boxes with labels as one SVG picture; None leaves the place empty.

    >>> boxes_svg([["1"]]).startswith("<svg")
    True
    """
    _check_rows(rows)
    drawn = []
    for i, row in enumerate(rows):
        for j, label in enumerate(row):
            if label is None:
                continue
            x, y = 1 + j * _SIDE, 1 + i * _SIDE
            drawn.append(
                f'<rect x="{x}" y="{y}" width="{_SIDE}" height="{_SIDE}" fill="none" '
                'stroke="black"/>'
            )
            if label:
                drawn.append(_text(x + _SIDE // 2, y + _SIDE // 2, label))
    width = 2 + _SIDE * max(map(len, rows), default=0)
    return _svg(width, 2 + _SIDE * len(rows), drawn)


def layers_text(layers: Sequence[Sequence[str]], edges: Edges) -> str:
    """A graph in layers from the top down, each a line of labels, with the edges between them.

    Where every label of two layers is joined to one label only, the edge is a bar; otherwise a
    line says which labels of the next layer each label goes to.

    >>> print(layers_text([["a"], ["b", "c"]], {("a", "b"): "", ("a", "c"): ""}))
    a
    │ a → b, c
    b  c
    """
    _check_layers(layers, edges)
    lines = []
    for i, layer in enumerate(layers):
        lines.append(_GAP.join(layer))
        if i + 1 == len(layers):
            break
        after = layers[i + 1]
        if len(layer) == len(after) == 1 and (layer[0], after[0]) in edges:
            lines.append("│" + _mark(edges[layer[0], after[0]]))
            continue
        for label in layer:
            ends = [b + _mark(edges[label, b]) for b in after if (label, b) in edges]
            if ends:
                lines.append(f"│ {label} → {', '.join(ends)}")
    return "\n".join(lines)


def layers_svg(layers: Sequence[Sequence[str]], edges: Edges) -> str:
    """A graph in layers as SVG: rows of labels with straight edges between them.

    >>> layers_svg([["a"], ["b", "c"]], {("a", "b"): "", ("a", "c"): ""}).count("<line")
    2
    """
    _check_layers(layers, edges)
    step = 24 + 8 * max((len(label) for layer in layers for label in layer), default=1)
    width = step * max(map(len, layers), default=1)
    height = 60
    place = {}
    for i, layer in enumerate(layers):
        for j, label in enumerate(layer):
            place[i, label] = (width * (2 * j + 1) / (2 * len(layer)), height * i + 20)
    drawn = []
    for i, layer in enumerate(layers[:-1]):
        for low in layer:
            for high in layers[i + 1]:
                if (low, high) not in edges:
                    continue
                (x, y), (u, v) = place[i, low], place[i + 1, high]
                drawn.append(_line(x, y + 10, u, v - 10))
                if edges[low, high]:
                    drawn.append(_text((x + u) / 2, (y + v) / 2, edges[low, high]))
    drawn += [_text(x, y, label) for (_, label), (x, y) in place.items()]
    return _svg(width, height * (len(layers) - 1) + 40, drawn)


def circle_svg(labels: Sequence[str], edges: Iterable[tuple[int, int]]) -> str:
    """A graph as SVG: the labels on a circle, a line for each edge between two of their numbers."""
    centre = _RADIUS + 20 + 6 * max(map(len, labels))
    turns = [2 * pi * i / len(labels) for i in range(len(labels))]
    places = [(sin(turn), -cos(turn)) for turn in turns]
    at = [(centre + _RADIUS * x, centre + _RADIUS * y) for x, y in places]
    drawn = [_line(*at[i], *at[j]) for i, j in edges]
    for label, (x, y), (u, v) in zip(labels, places, at, strict=True):
        drawn.append(f'<circle cx="{u:.1f}" cy="{v:.1f}" r="4" fill="black"/>')
        anchor = "middle" if abs(x) < 0.01 else "start" if x > 0 else "end"
        drawn.append(_text(u + 14 * x, v + 14 * y, label, anchor))
    return _svg(2 * centre, 2 * centre, drawn)


def _text(x: float, y: float, label: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="serif" font-size="13" text-anchor="{anchor}" '
        f'dominant-baseline="central">{escape(label)}</text>'
    )


def _line(x: float, y: float, u: float, v: float) -> str:
    return f'<line x1="{x:g}" y1="{y:g}" x2="{u:g}" y2="{v:g}" stroke="gray"/>'


def _svg(width: float, height: float, drawn: Sequence[str]) -> str:
    """The frame around the elements of a picture."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">'
    )
    return head + "".join(drawn) + "</svg>"


def _check_rows(rows: object) -> None:
    """Raise unless rows is a sequence of sequences of labels; None stands for no label."""
    give = "rows of labels, each a str"
    for row in sequence(rows, "the picture", give):
        for label in sequence(row, "a row of the picture", "labels, each a str"):
            if label is not None and not isinstance(label, str):
                raise BadType(f"a label of the picture is {shown(label)}: give a str")


def _check_layers(layers: object, edges: object) -> None:
    _check_rows(layers)
    mapping(edges, "the value of edges", "a dictionary from pairs to labels")


def _mark(label: str) -> str:
    return f" ({label})" if label else ""
