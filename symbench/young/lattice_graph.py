"""Young's lattice as a graph that notebooks draw; it is apart because it loads networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from symbench.draw.views import Shown, View, card
from symbench.young.partition import Partition

if TYPE_CHECKING:
    Graph = nx.DiGraph[Partition]
else:
    Graph = nx.DiGraph

# Boxes and edges of a picture that can be read.
_MOST = 1500


class Lattice(Shown, Graph):
    """A graph of partitions, an edge from each to what covers it; a notebook draws it.

    >>> young_lattice(0, 3)._repr_html_().count("<rect")
    14
    """

    def _view(self) -> View:
        from symbench.young.lattice import lattice_svg

        nodes: Any = self.nodes
        drawable = all(isinstance(shape, Partition) for shape in nodes)
        if drawable and sum(shape.size for shape in nodes) + self.number_of_edges() <= _MOST:
            return lattice_svg(self)
        return card(str(self), "It is too large to be drawn: ask for fewer levels.")
