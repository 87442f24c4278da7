"""The disjointness graph as one that notebooks draw; it is apart because it loads networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from symbench.draw.pictures import circle_svg
from symbench.draw.views import Shown, View, card
from symbench.words.disjointness import CAPTIONS
from symbench.words.template import Template

if TYPE_CHECKING:
    Graph = nx.Graph[Template]
else:
    Graph = nx.Graph

# Templates of a picture that can be read.
MOST = 60


class Disjointness(Shown, Graph):
    """A graph on templates in which an edge means: disjoint; a notebook draws it.

    >>> graph = disjointness_graph([Template("αα"), Template("αβ"), Template("αA")])
    >>> graph._repr_html_().count("<line")
    2
    """

    def _view(self) -> View:
        if not 0 < len(self) <= MOST:
            return card(str(self), f"A picture is drawn of 1 to {MOST} templates.")
        place = {template: number for number, template in enumerate(self)}
        edges = [(place[left], place[right]) for left, right in self.edges]
        return circle_svg([str(template) for template in self], edges, CAPTIONS)
