"""Pictures as text and as SVG: rows of boxes, graphs in layers, graphs on a circle.

Nothing here knows what it draws: the rooms below decide what the labels mean. Lines and letters
have the colour of the text around the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from math import atan2, cos, degrees, pi, sin

from symbench._arguments import mapping, sequence, shown
from symbench.draw.views import View, picture
from symbench.errors import BadType

Edges = Mapping[tuple[str, str], str]

_SIDE = 26  # of a box
_SMALL = 9  # of a box in a node of a graph
_GAP = "  "  # between the labels of a layer
_RADIUS = 150
_LINES = 3  # for each label on a circle: more hide each other
_FEW = 12  # labels on a circle that have room for a horizontal text


def boxes_text(rows: Sequence[Sequence[str]]) -> str:
    """The labels in columns of one width, row by row.

    >>> print(boxes_text([["1", "10"], ["2"]]))
     1 10
     2
    """
    _check_rows(rows)
    width = max((len(label) for row in rows for label in row), default=0)
    return "\n".join(" ".join(label.rjust(width) for label in row) for row in rows)


def boxes_svg(rows: Sequence[Sequence[str | None]]) -> View:
    """Boxes with labels as one SVG picture; None leaves the place empty.

    >>> boxes_svg([["1"]]).startswith("<svg")
    True
    """
    _check_rows(rows)
    drawn = list(_boxes(rows, 1, 1, _SIDE))
    if not drawn:
        return _svg(_SIDE, _SIDE, [_text(_SIDE / 2, _SIDE / 2, "∅")])
    return _svg(2 + _SIDE * max(map(len, rows)), 2 + _SIDE * len(rows), drawn)


def _boxes(
    rows: Sequence[Sequence[str | None]], left: float, top: float, side: float
) -> Iterator[str]:
    for i, row in enumerate(rows):
        for j, label in enumerate(row):
            if label is None:
                continue
            x, y = left + j * side, top + i * side
            yield (
                f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" fill="none" '
                'stroke="currentColor"/>'
            )
            if label:
                yield _text(x + side / 2, y + side / 2, label)


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


def layers_svg(
    layers: Sequence[Sequence[str]],
    edges: Edges,
    boxes: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> View:
    """A graph in layers as SVG: rows of labels with straight edges between them.

    A label that has rows in `boxes` is drawn as these boxes, and is told by the pointer.

    >>> layers_svg([["a"], ["b", "c"]], {("a", "b"): "", ("a", "c"): ""}).count("<line")
    2
    """
    _check_layers(layers, edges)
    rows = {} if boxes is None else mapping(boxes, "boxes", "a dictionary from labels to rows")
    sizes = {label: _size(label, rows.get(label)) for layer in layers for label in layer}
    step = 20 + max((wide for wide, _ in sizes.values()), default=8)
    width = step * max(map(len, layers), default=1)
    top, place, drawn = 10.0, dict[tuple[int, str], tuple[float, float]](), list[str]()
    for i, layer in enumerate(layers):
        tall = max((sizes[label][1] for label in layer), default=0)
        for j, label in enumerate(layer):
            place[i, label] = (width * (2 * j + 1) / (2 * len(layer)), top + tall / 2)
        top += tall + 40
    for i, layer in enumerate(layers[:-1]):
        for low in layer:
            for high in layers[i + 1]:
                if (low, high) not in edges:
                    continue
                (x, y), (u, v) = place[i, low], place[i + 1, high]
                drawn.append(_line(x, y + sizes[low][1] / 2 + 3, u, v - sizes[high][1] / 2 - 3))
                if edges[low, high]:
                    drawn.append(_text((x + u) / 2, (y + v) / 2, edges[low, high]))
    for (_, label), (x, y) in place.items():
        drawn += _node(label, rows.get(label), x, y, sizes[label])
    return _svg(width, max(top - 30, 20), drawn)


def _size(label: str, rows: Sequence[Sequence[str]] | None) -> tuple[float, float]:
    """Width and height of a node."""
    if not rows:
        return 8.0 * len(label), 16.0
    return float(_SMALL * max(map(len, rows))), float(_SMALL * len(rows))


def _node(
    label: str, rows: Sequence[Sequence[str]] | None, x: float, y: float, size: tuple[float, float]
) -> Iterator[str]:
    if not rows:
        yield _text(x, y, label if rows is None else "∅")
        return
    yield f"<g><title>{escape(label)}</title>"
    yield from _boxes(rows, x - size[0] / 2, y - size[1] / 2, _SMALL)
    yield "</g>"


def circle_svg(
    labels: Sequence[str], edges: Iterable[tuple[int, int]], captions: tuple[str, str]
) -> View:
    """A graph as SVG: the labels on a circle, a line for each edge between two of their numbers.

    So many edges that they would hide each other are not drawn, but the pairs without one, where
    these are fewer. The captions say what a line means, in the first case and in the second. Many
    labels stand on the circle like the rays of a star, so that none covers the next.
    """
    joined = {(min(edge), max(edge)) for edge in edges}
    others = {*combinations(range(len(labels)), 2)} - joined
    turned = len(joined) > max(len(others), _LINES * len(labels))
    lines, caption = (sorted(others if turned else joined), captions[turned])
    centre = _RADIUS + 24 + 8 * max(map(len, labels))
    turns = [2 * pi * i / len(labels) for i in range(len(labels))]
    places = [(sin(turn), -cos(turn)) for turn in turns]
    at = [(centre + _RADIUS * x, centre + _RADIUS * y) for x, y in places]
    drawn = [_line(*at[i], *at[j]) for i, j in lines]
    for label, (x, y), (u, v) in zip(labels, places, at, strict=True):
        drawn.append(f'<circle cx="{u:.1f}" cy="{v:.1f}" r="4" fill="currentColor"/>')
        if len(labels) > _FEW:
            angle = degrees(atan2(y, x)) + (0 if x > -0.01 else 180)
            ray = f'<g transform="translate({u + 8 * x:.1f} {v + 8 * y:.1f}) rotate({angle:.1f})">'
            drawn.append(ray + _text(0, 0, label, "start" if x > -0.01 else "end") + "</g>")
            continue
        anchor = "middle" if abs(x) < 0.01 else "start" if x > 0 else "end"
        drawn.append(_text(u + 14 * x, v + 14 * y, label, anchor))
    drawn.append(_text(centre, 2 * centre + 8, caption))
    return _svg(2 * centre, 2 * centre + 24, drawn)


def _text(x: float, y: float, label: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" fill="currentColor" font-family="serif" font-size="13" '
        f'text-anchor="{anchor}" dominant-baseline="central">{escape(label)}</text>'
    )


def _line(x: float, y: float, u: float, v: float) -> str:
    return f'<line x1="{x:g}" y1="{y:g}" x2="{u:g}" y2="{v:g}" stroke="gray"/>'


def _svg(width: float, height: float, drawn: Sequence[str]) -> View:
    """The frame around the elements of a picture; a narrow page shows all of it smaller."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" style="max-width:100%;height:auto">'
    )
    return picture(head + "".join(drawn) + "</svg>")


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
