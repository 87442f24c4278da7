"""Young's lattice and Bratteli diagrams as networkx graphs, and their pictures."""

from __future__ import annotations

from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from symbench._arguments import integer, shown
from symbench.draw.progress import progress
from symbench.draw.views import View
from symbench.errors import BadType, BadValue, TooLarge
from symbench.young.enumeration import partitions
from symbench.young.partition import Partition, as_partition

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[Partition]
else:
    Graph = Any  # networkx is loaded when a graph is made

MOST = 1_000_000  # nodes of a graph
EACH = 2e-4  # seconds for one


def young_lattice(low: int, high: int) -> Graph:
    """The partitions of low..high, an edge from each to those that cover it.

    Each node carries its `level` and its `dim`; the paths from the empty partition to a shape
    are its standard tableaux.

    >>> import networkx as nx
    >>> G = young_lattice(0, 4)
    >>> paths = list(nx.all_simple_paths(G, Partition(), Partition(2, 2)))
    >>> [Tableau.from_path(path) for path in paths]
    [Tableau([[1, 2], [3, 4]]), Tableau([[1, 3], [2, 4]])]
    """
    from symbench.young.lattice_graph import Lattice

    low = integer(low, "low", at_least=0)
    high = integer(high, "high", at_least=low)
    nodes = sum(partitions(n).count for n in range(low, high + 1))
    if nodes > MOST:
        raise TooLarge(
            f"Young's lattice between levels {low} and {high} has {nodes} nodes, which would take "
            f"about {nodes * EACH:.2g} s: ask for fewer levels, or for the interval between two "
            "partitions"
        )
    graph: Graph = Lattice()
    with progress("nodes of Young's lattice", nodes) as report:
        for n in range(low, high + 1):
            for shape in partitions(n):
                graph.add_node(shape, level=n, dim=shape.dim)
                if n > low:
                    graph.add_edges_from((smaller, shape) for smaller in shape.down())
                report(1)
    return graph


def interval(bottom: Partition, top: Partition) -> Graph:
    """The part of Young's lattice between two partitions; its paths are skew tableaux.

    >>> sorted(map(str, interval(Partition(1), Partition(2, 1))))
    ['1', '1+1', '2', '2+1']
    """
    from symbench.young.lattice_graph import Lattice

    bottom, top = as_partition(bottom, "bottom"), as_partition(top, "top")
    if not top.contains(bottom):
        raise BadValue(f"the bottom is {bottom!r}: give a partition inside {top!r}")
    nodes = _between(bottom, top)
    if nodes > MOST:
        raise TooLarge(
            f"the interval from {bottom!r} to {top!r} has {shown(nodes)} partitions, which would "
            f"take about {float(nodes) * EACH:.2g} s: ask for a smaller one"
        )
    graph: Graph = Lattice()
    graph.add_node(top, level=top.size, dim=top.dim)
    waiting = [top]
    with progress("partitions of the interval", nodes) as report:
        while waiting:
            shape = waiting.pop()
            for smaller in shape.down():
                if not smaller.contains(bottom):
                    continue
                if smaller not in graph:
                    graph.add_node(smaller, level=smaller.size, dim=smaller.dim)
                    waiting.append(smaller)
                graph.add_edge(smaller, shape)
            report(1)
    return graph


def _between(bottom: Partition, top: Partition) -> int:
    """The number of partitions between two, row by row.

    >>> _between(Partition(1), Partition(2, 1)), _between(Partition(2), Partition(2))
    (4, 1)
    """
    ways, first = [1], top.parts[0] if top.parts else 0  # by the last row, from `first` down
    for row, longest in enumerate(top.parts):
        shortest = bottom.parts[row] if row < len(bottom) else 0
        # Row above of at least each length, from the longest down to the shortest here.
        sums = list(accumulate(ways))
        ways = [sums[min(first - part, len(sums) - 1)] for part in range(longest, shortest - 1, -1)]
        first = longest
    return sum(ways)


def bratteli_diagram(n: int) -> Graph:
    """The Bratteli diagram of S_0 < ... < S_n: how irreducibles restrict, each multiplicity 1.

    >>> print(lattice_text(bratteli_diagram(3)))
    0
    │
    1
    │ 1 → 2, 1+1
    2  1+1
    │ 2 → 3, 2+1
    │ 1+1 → 2+1, 1+1+1
    3  2+1  1+1+1
    """
    return young_lattice(0, n)


def lattice_text(graph: Graph) -> str:
    """A graph of partitions as text, one line per level.

    >>> print(lattice_text(interval(Partition(1), Partition(2))))
    1
    │
    2
    """
    from symbench.draw import layers_text

    return layers_text(*_layers(graph))


def lattice_svg(graph: Graph) -> View:
    """A graph of partitions as an SVG picture, a Young diagram in every node.

    >>> picture = lattice_svg(young_lattice(0, 3))
    >>> picture.count("<line"), picture.count("<rect")
    (7, 14)
    """
    from symbench.draw import layers_svg

    layers, edges = _layers(graph)
    return layers_svg(layers, edges, {str(shape): shape._boxes for shape in graph})


def _layers(graph: Any) -> tuple[list[list[str]], dict[tuple[str, str], str]]:
    import networkx as nx

    if not isinstance(graph, nx.DiGraph) or not all(isinstance(p, Partition) for p in graph):
        raise BadType(f"the graph is {shown(graph)}: give one such as young_lattice(0, 3)")
    shapes = sorted(graph, key=lambda p: (-p.size, p.parts), reverse=True)
    layers = [list(map(str, level)) for _, level in groupby(shapes, key=lambda p: p.size)]
    return layers, {(str(low), str(high)): "" for low, high in graph.edges}
