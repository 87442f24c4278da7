"""Graphs in layers, edges from one layer to the next: lattices and Bratteli diagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symbench.draw.boxes import check_rows, svg, text
from symbench.errors import BadType

Edges = Mapping[tuple[str, str], str]
GAP = 2


def layers_text(layers: Sequence[Sequence[str]], edges: Edges) -> str:
    """Layers from the top down, each a line of labels, with the edges listed between them.

    Where every label of two layers is joined to one label only, the edge is a bar; otherwise a
    line says which labels of the next layer each label goes to.

    >>> print(layers_text([["a"], ["b", "c"]], {("a", "b"): "", ("a", "c"): ""}))
    a
    │ a → b, c
    b  c
    """
    _check(layers, edges)
    lines = []
    for i, layer in enumerate(layers):
        lines.append((" " * GAP).join(layer))
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
    """The layers as rows of labels with straight edges between them.

    >>> layers_svg([["a"], ["b", "c"]], {("a", "b"): "", ("a", "c"): ""}).count("<line")
    2
    """
    _check(layers, edges)
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
                drawn.append(
                    f'<line x1="{x:g}" y1="{y + 10:g}" x2="{u:g}" y2="{v - 10:g}" stroke="gray"/>'
                )
                if edges[low, high]:
                    drawn.append(text((x + u) / 2, (y + v) / 2, edges[low, high]))
    drawn += [text(x, y, label) for (_, label), (x, y) in place.items()]
    return svg(width, height * (len(layers) - 1) + 40, drawn)


def _check(layers: object, edges: object) -> None:
    check_rows(layers)
    if not isinstance(edges, Mapping):
        raise BadType(f"the edges are {edges!r}: expected a dictionary from pairs to labels")


def _mark(label: str) -> str:
    return f" ({label})" if label else ""
