"""Connected graphs with their weights: the terms of the attention kernel before exponentiation.

`series` says what the positions and the tokens weigh; here they are put together. A node of a graph
is a token where charges meet, an edge a position that meets others at both of its tokens; a
position that meets others at one token only is a half edge there and counts as d_s or e_s.
Nodes are the blocks of a set partition of the edges' ends.

>>> gas = Gas(tokens=0, positions=1)  # order (2, 2), the factor 1(x_a = y_b)
>>> {str(*graphs): polynomial for graphs, polynomial in leading(gas, same_token(gas)).items()}
{'a': 1/2*Z^2*k + Z*W*k + 1/2*Z*k + 2*Z + 1/2*W^2*k + 1/2*W*k + 2*W + 1, 't': 1}
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeVar

import attrs
import flint

from symbench.draw.progress import Report
from symbench.kernels.derivatives.invariants import Component, component, is_connected
from symbench.kernels.derivatives.series import Charges, Gas, Jet, plus, scaled

# What a node may be decorated with: numbers of half edges of the x and y side, and the weight.
Decorations = dict[tuple[int, int], Jet]
Total = dict[Component | None, Jet]
Kind = TypeVar("Kind")


@attrs.frozen
class Core:
    """The marked positions: the graph they make by themselves.

    `charges` are those of its slots, one slot per node of the core; `links` are its edges;
    `weights` the half edges among the marked positions; slot 0 is `closed` if it is a node
    whether or not others meet it.
    """

    charges: Charges
    weights: tuple[tuple[int, int], ...]
    links: tuple[tuple[int, int], ...]
    closed: bool


EMPTY = Core((), (), (), closed=False)


def same_token(gas: Gas) -> dict[Core, Jet]:
    """Marked positions a, b with x_a = y_b: factor 1(x_a = y_b) of the kernel.

    They may be one position (joined by a cumulant, a loop) or two that meet at the token.
    """
    cores: dict[Core, Jet] = {}
    left, right = _ends(gas, "x"), _ends(gas, "y")
    for ((a, b), f), ((c, d), g) in product(left.items(), right.items()):
        # a at the token on the left, b at the far one (0: absorbed); likewise c, d.
        slots, links, p, q = [a + c], [], 1, 1
        if b:
            links.append((0, len(slots)))
            slots.append(b)
            p = 0
        if d:
            links.append((len(slots), 0))
            slots.append(d)
            q = 0
        weights = ((p, q), *((0, 0),) * (len(slots) - 1))
        _add(cores, Core(tuple(slots), weights, tuple(links), closed=True), gas.times(f, g))
    for a, b in product(range(1, gas.positions + 2), repeat=2):
        loop = Core((a + b,), ((0, 0),), ((0, 0),), closed=True)
        _add(cores, loop, gas.marked(a, b, marks="xy"))
    return cores


def _ends(gas: Gas, mark: str) -> dict[tuple[int, int], Jet]:
    """A marked position by its charge at the marked token and at the other (0: none meets it)."""
    ends: dict[tuple[int, int], Jet] = {}
    for a, b in product(range(1, gas.positions + 2), range(gas.positions + 2)):
        jet = gas.marked(a, b, marks="x") if mark == "x" else gas.marked(b, a, marks="y")
        if not jet:
            continue
        alone = gas.times(jet, gas.token((b,))) if b else jet
        ends[a, 0] = plus(ends.get((a, 0), {}), alone)
        if b:
            ends[a, b] = jet
    return ends


def same_position(gas: Gas) -> dict[Core, Jet]:
    """One marked position a = b: factor delta_ab of the kernel."""
    cores: dict[Core, Jet] = {}
    for a, b in product(range(1, gas.positions + 2), repeat=2):
        jet = gas.marked(a, b, marks="x+y")
        if not jet:
            continue
        f, g = gas.times(jet, gas.token((b,))), gas.times(jet, gas.token((a,)))
        _add(cores, Core((a, b), ((0, 0), (0, 0)), ((0, 1),), closed=False), jet)
        _add(cores, Core((a,), ((1, 0),), (), closed=False), f)
        _add(cores, Core((b,), ((0, 1),), (), closed=False), g)
        alone = gas.times(f, gas.token((a,)))
        _add(cores, EMPTY, scaled(alone, gas.monomial(0, 0, 1)))
    return cores


def _add(total: dict[Kind, Jet], key: Kind, jet: Jet) -> None:
    if jet:
        total[key] = plus(total[key], jet) if key in total else jet


@attrs.define
class Graphs:
    """The connected graphs made of a gas of positions, with or without a marked core."""

    gas: Gas
    _left: dict[int, Jet] = attrs.field(init=False)
    _right: dict[int, Jet] = attrs.field(init=False)
    _edges: dict[tuple[int, int], Jet] = attrs.field(init=False)
    _nodes: dict[Charges, Decorations] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._left = self.gas.half_edges(left=True)
        self._right = self.gas.half_edges(left=False)
        self._edges = self.gas.edges()

    def unmarked(self) -> dict[Component, Jet]:
        """All connected graphs without marked positions, two or more positions or a loop each."""
        total: Total = {}
        for (p, q), jet in self._decorations(()).items():
            if p + q >= 2:
                _add(total, component(((p, q),), ()), jet)
        self._with_core(total, EMPTY, self.gas.one())
        return {graph: jet for graph, jet in total.items() if graph is not None}

    def marked(self, cores: dict[Core, Jet]) -> Total:
        """All connected graphs around the given marked positions."""
        total: Total = {}
        for core, jet in cores.items():
            if core == EMPTY:
                _add(total, None, jet)
            else:
                self._with_core(total, core, jet)
        return total

    def _with_core(self, total: Total, core: Core, weight: Jet) -> None:
        # Every edge brings a token or closes a cycle: no more edges than powers of beta^2.
        most = min(self.gas.positions, self.gas.tokens)
        for number in range(0 if core.charges else 1, most + 1):
            for chosen, jet in _multisets(self.gas, self._edges, number, weight):
                self._join(total, core, chosen, jet)

    def _join(
        self, total: Total, core: Core, chosen: tuple[tuple[int, int], ...], weight: Jet
    ) -> None:
        """Let the slots of the core and the ends of the chosen edges meet in every way."""
        charges = (*core.charges, *(a for edge in chosen for a in edge))
        first = len(core.charges)
        links = (*core.links, *((first + 2 * n, first + 2 * n + 1) for n in range(len(chosen))))
        spare = self.gas.tokens - min(b for b, _ in weight)
        for blocks in _partitions(len(charges), spare):
            place = {slot: n for n, block in enumerate(blocks) for slot in block}
            edges = [(place[s], place[t]) for s, t in links]
            if not is_connected(len(blocks), edges):
                continue
            choices = [
                self._at_node(
                    tuple(sorted(charges[slot] for slot in block)), core.closed and 0 in block
                )
                for block in blocks
            ]
            base = [[0, 0] for _ in blocks]
            for slot, (p, q) in enumerate(core.weights):
                base[place[slot]][0] += p
                base[place[slot]][1] += q
            for decoration, jet in self._products(choices, weight):
                weights = [(p + u, q + v) for (p, q), (u, v) in zip(base, decoration, strict=True)]
                _add(total, component(tuple(weights), tuple(sorted(edges))), jet)

    def _products(
        self, choices: list[list[tuple[tuple[int, int], Jet]]], weight: Jet
    ) -> Iterator[tuple[tuple[tuple[int, int], ...], Jet]]:
        """One decoration per node and the product of their weights, where it does not vanish."""
        if not choices:
            yield (), weight
            return
        for decoration, jet in choices[0]:
            here = self.gas.times(weight, jet)
            if here:
                for rest, found in self._products(choices[1:], here):
                    yield (decoration, *rest), found

    def _at_node(self, charges: Charges, closed: bool) -> list[tuple[tuple[int, int], Jet]]:
        """The decorations of a node; one charge alone is a node only if it is closed."""
        found = self._decorations(charges).items()
        return [(pq, jet) for pq, jet in found if closed or len(charges) + sum(pq) >= 2]

    def _decorations(self, charges: Charges) -> Decorations:
        """The weight of a token where these charges meet p + q half edges, for all p, q."""
        if charges in self._nodes:
            return self._nodes[charges]
        room = self.gas.tokens + 1 - len(charges)
        one = self.gas.one()
        left = [list(_multisets(self.gas, self._left, n, one)) for n in range(room + 1)]
        right = [list(_multisets(self.gas, self._right, n, one)) for n in range(room + 1)]
        found: Decorations = {}
        for p, q in product(range(room + 1), repeat=2):
            if p + q > room or not (charges or p + q):
                continue
            total: Jet = {}
            for (a, f), (b, g) in product(left[p], right[q]):
                weight = self.gas.times(f, g)
                if weight:
                    meeting = self.gas.token((*charges, *a, *b))
                    total = plus(total, self.gas.times(weight, meeting))
            if total:
                found[p, q] = total
        self._nodes[charges] = found
        return found


def _multisets(
    gas: Gas, weights: dict[Kind, Jet], number: int, weight: Jet
) -> Iterator[tuple[tuple[Kind, ...], Jet]]:
    """The multisets of this many kinds with the product of their weights over their symmetries."""
    kinds = list(weights)

    def extend(
        chosen: tuple[Kind, ...], start: int, jet: Jet
    ) -> Iterator[tuple[tuple[Kind, ...], Jet]]:
        if not jet:
            return
        if len(chosen) == number:
            yield chosen, jet
            return
        for place in range(start, len(kinds)):
            kind = kinds[place]
            times = chosen.count(kind) + 1
            grown = scaled(gas.times(jet, weights[kind]), flint.fmpq(1, times))
            yield from extend((*chosen, kind), place, grown)

    return extend((), 0, weight)


def _partitions(size: int, spare: int) -> Iterator[list[list[int]]]:
    """The set partitions of range(size) with at most `spare` elements more than blocks."""

    def extend(element: int, blocks: list[list[int]], left: int) -> Iterator[list[list[int]]]:
        if element == size:
            yield blocks
            return
        if left:
            for block in blocks:
                block.append(element)
                yield from extend(element + 1, blocks, left - 1)
                block.pop()
        blocks.append([element])
        yield from extend(element + 1, blocks, left)
        blocks.pop()

    return extend(0, [], spare)


def leading(
    gas: Gas, cores: dict[Core, Jet], report: Report = lambda part: None
) -> dict[tuple[Component, ...], Any]:
    """The polynomial in Z, W, k of every product of components, at the gas's highest order.

    report is told of thirds of the work.
    """
    graphs = Graphs(gas)
    # Components are numbered: products of many small graphs are then cheap to compare.
    alone = graphs.unmarked()
    report(1 / 3)
    numbers = {graph: n for n, graph in enumerate(alone)}
    by_order: dict[tuple[int, int], list[tuple[tuple[int, ...], Any]]] = {}
    for factors, jet in _exponential(gas, list(alone.values())).items():
        for order, polynomial in jet.items():
            by_order.setdefault(order, []).append((factors, polynomial))
    report(1 / 3)
    result: dict[tuple[int, ...], Any] = {}
    for graph, jet in graphs.marked(cores).items():
        extra = () if graph is None else (numbers.setdefault(graph, len(numbers)),)
        for (b, e), x in jet.items():
            for factors, y in by_order.get((gas.tokens - b, gas.positions - e), ()):
                key = tuple(sorted(factors + extra))
                result[key] = result[key] + x * y if key in result else x * y
    report(1 / 3)
    components = list(numbers)
    return {tuple(components[n] for n in key): value for key, value in result.items()}


def _exponential(gas: Gas, graphs: list[Jet]) -> dict[tuple[int, ...], Jet]:
    """e^(loners + graphs), by products of the graphs' numbers."""
    result: dict[tuple[int, ...], Jet] = {(): gas.exponential(gas.loners())}
    for number, jet in enumerate(graphs):
        grown: dict[tuple[int, ...], Jet] = {}
        for factors, first in result.items():
            weight, times = first, 0
            while weight:
                grown[factors + (number,) * times] = weight
                times += 1
                weight = scaled(gas.times(weight, jet), flint.fmpq(1, times))
        result = grown
    return result
