"""Component: a connected piece of the pairwise model on tokens, contracted along a tree.

Given the two times, the average of attention_value is a product over positions of a function of
the position's two tokens: a graph on the tokens with one edge per position. It is summed over one
token after another, in the order of a tree decomposition. The kernel marks one position of each
string: marks travel with the factors, and a pair is complete when both marks sit on the same
position (weight gamma^2) or on the same token.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import combinations, permutations, product
from typing import Any

import attrs
import numpy as np

from symbench.kernels.softmax.quadrature import Floats, Lattice
from symbench.kernels.tables import Table, column_sums, row_sums

# (left token, right token): how many positions. None: no token of that string (gamma = 0).
Edge = tuple[int | None, int | None]
Edges = tuple[tuple[Edge, int], ...]

Axis = tuple[str, int]
Axes = tuple[Axis, ...]
LEFT_TIME: Axis = ("left", -1)
RIGHT_TIME: Axis = ("right", -1)

Mark = tuple[str, int]
PLAIN: Mark = ("", -1)
DONE: Mark = ("done", -1)

# Entries of the largest array held at once (doubles): more is cut into slices of right times.
_ENTRIES = 2**22


def components(pairs: Counter[Edge]) -> list[Edges]:
    """The connected pieces of the graph with these edges, each in a normal form.

    Pieces that differ only in the names of their tokens mostly get the same normal form (always,
    for up to 720 ways to break ties), so that a table of results can be shared.
    """
    import networkx as nx

    graph: nx.MultiGraph[int] = nx.MultiGraph()
    for edge in pairs:
        ends = [token for token in edge if token is not None]
        graph.add_edge(ends[0], ends[-1])
    found = []
    for tokens in nx.connected_components(graph):
        inside = {e: n for e, n in pairs.items() if (e[0] if e[0] is not None else e[1]) in tokens}
        found.append(_normal_form(inside))
    return sorted(found, key=repr)


def pieces_of(tables: Iterable[Table], *, positions: bool) -> tuple[Edges, ...]:
    """The pieces of the graph of a table or of its flip: they have one value, to the last bit.

    Positions are edges between tokens; without position Gaussians every token is alone.
    """
    return min((tuple(components(_edges(table, positions))) for table in tables), key=repr)


def _edges(table: Table, positions: bool) -> Counter[Edge]:
    edges: dict[Edge, int] = {}
    if positions:
        edges = {(u, v): n for u, row in enumerate(table) for v, n in enumerate(row)}
    else:
        edges.update({(u, None): n for u, n in enumerate(row_sums(table))})
        edges.update({(None, v): n for v, n in enumerate(column_sums(table))})
    return Counter({edge: n for edge, n in edges.items() if n})


def _normal_form(pairs: dict[Edge, int]) -> Edges:
    def signature(token: int) -> tuple[Any, ...]:
        out = sorted(n for (a, b), n in pairs.items() if a == token != b)
        into = sorted(n for (a, b), n in pairs.items() if b == token != a)
        return pairs.get((token, token), 0), out, into

    tokens = {token for edge in pairs for token in edge if token is not None}
    classes: dict[str, list[int]] = {}
    for token in sorted(tokens):
        classes.setdefault(repr(signature(token)), []).append(token)
    groups = [classes[key] for key in sorted(classes, reverse=True)]
    if math.prod(math.factorial(len(group)) for group in groups) <= 720:
        orders: Iterable[tuple[Any, ...]] = product(*(permutations(group) for group in groups))
    else:
        orders = [tuple(map(tuple, groups))]
    return min((_renamed(pairs, order) for order in orders), key=repr)


def _renamed(pairs: dict[Edge, int], order: Iterable[Iterable[int]]) -> Edges:
    names: dict[int | None, int | None] = {None: None}
    for group in order:
        for token in group:
            names[token] = len(names) - 1
    renamed = [((names[a], names[b]), n) for (a, b), n in pairs.items()]
    return tuple(sorted(renamed, key=repr))


@attrs.frozen(eq=False)
class Factor:
    """A function of some tokens and times, one array per mark, all over the same axes."""

    axes: Axes
    parts: dict[Mark, Floats]


@attrs.frozen
class Plan:
    """The axes of a piece: all of its contraction that no lattice enters."""

    edges: Edges
    # Whether every token lives on the spots around its time, or those of one string on all sums.
    windowed: bool
    # Whether the two strings see the same Gaussian of a token.
    shared: bool

    @cached_property
    def sides(self) -> dict[int, tuple[str, ...]]:
        """The strings that each token is in."""
        found: dict[int, tuple[str, ...]] = {}
        for side, place in (("left", 0), ("right", 1)):
            for token in {token for e, _ in self.edges if (token := e[place]) is not None}:
                found[token] = (*found.get(token, ()), side)
        return dict(sorted(found.items()))

    def variable(self, token: int, side: str) -> Axis:
        """The axis of a token on one side: one for both where the two copies are the same."""
        return ("both" if self.shared and len(self.sides[token]) == 2 else side, token)

    def has_spots(self, variable: Axis) -> bool:
        """Whether a token's axis is that of the spots around its time."""
        return self.windowed or variable[0] == "both"

    def end(self, token: int, side: str) -> Axes:
        """The axes that a position's logit depends on."""
        variable = self.variable(token, side)
        return ((side, -1), variable) if self.has_spots(variable) else (variable,)

    @cached_property
    def priors(self) -> list[Axes]:
        """The axes of the Gaussian weights of every token."""
        found: list[Axes] = []
        for token, sides in self.sides.items():
            variables = tuple(dict.fromkeys(self.variable(token, side) for side in sides))
            alone = len(variables) == 1 and not self.has_spots(variables[0])
            found.append(((variables[0][0], -1), *variables) if alone else variables)
        return found

    @cached_property
    def scopes(self) -> list[Axes]:
        """The axes of every factor: priors, then edges."""
        found = list(self.priors)
        for (a, b), _ in self.edges:
            left = () if a is None else self.end(a, "left")
            right = () if b is None else self.end(b, "right")
            found.append(tuple(dict.fromkeys((*left, *right))))
        return found

    @cached_property
    def order(self) -> list[Axis]:
        """The tokens in the order in which they are summed over.

        The two times take part in the tree decomposition: they are what is left at its root.
        """
        import networkx as nx

        graph: nx.Graph[Axis] = nx.Graph()
        times = frozenset((LEFT_TIME, RIGHT_TIME))
        for scope in (times, *self.scopes):
            graph.add_edges_from(combinations(scope, 2))
        _, tree = nx.approximation.treewidth_min_fill_in(graph)
        root = next(bag for bag in tree if times <= bag)
        parents = dict(nx.bfs_predecessors(tree, root))
        result: list[Axis] = []
        for bag in reversed([root, *parents]):
            result += sorted(bag - parents.get(bag, times))
        return result


# A piece is planned once for all of its lattices.
_planned = lru_cache(maxsize=1 << 10)(Plan)


@attrs.frozen(eq=False)
class Component:
    """One connected piece on one lattice."""

    edges: Edges
    lattice: Lattice
    windowed: bool = True

    @classmethod
    def cheapest(cls, edges: Edges, lattice: Lattice) -> Component:
        """The better of the two ways to place tokens that occur in one string only.

        All sums are an alternative only if the steps agree; two correlated copies need the spots.
        """
        if lattice.ratio > 1 or lattice.law.shared < 1:
            return cls(edges, lattice)
        return min((cls(edges, lattice, way) for way in (False, True)), key=lambda c: c.cost()[0])

    @cached_property
    def _plan(self) -> Plan:
        return _planned(self.edges, self.windowed, self.lattice.law.shared == 1)

    def _size(self, axis: Axis) -> int:
        lattice = self.lattice
        if axis[1] < 0:
            return int(lattice.times.size)
        return int(lattice.spots.size if self._plan.has_spots(axis) else lattice.sums.size)

    def cost(self) -> tuple[int, int]:
        """Multiplications of the contraction, and entries of its largest array; both rough."""

        def entries(scope: frozenset[Axis]) -> int:
            return math.prod(map(self._size, scope))

        scopes = [frozenset(scope) for scope in self._plan.scopes]
        work, largest = 0, max(map(entries, scopes))
        for variable in self._plan.order:
            group = [scope for scope in scopes if variable in scope]
            scopes = [scope for scope in scopes if variable not in scope]
            while len(group) > 2:
                one, two = min(combinations(group, 2), key=lambda pair: entries(pair[0] | pair[1]))
                group.remove(one)
                group.remove(two)
                group.append(one | two)
                work += entries(one | two)
                largest = max(largest, entries(one | two))
            union = frozenset().union(*group)
            work += entries(union)
            scopes.append(union - {variable})
            largest = max(largest, entries(union - {variable}))
        return work, largest

    def contract(self) -> tuple[Floats, Floats]:
        """The sum over all tokens, without marks and with a complete pair: on times x times."""
        count, order = self.lattice.times.size, self._plan.order
        width = max(1, count * _ENTRIES // max(_ENTRIES, self.cost()[1]))
        columns: list[tuple[Floats, Floats]] = []
        for start in range(0, count, width):
            columns.append(self._slice(slice(start, min(count, start + width)), order))
        return np.hstack([c[0] for c in columns]), np.hstack([c[1] for c in columns])

    def _slice(self, rows: slice, order: list[Axis]) -> tuple[Floats, Floats]:
        factors = [Factor(axes, {PLAIN: self._prior(axes, rows)}) for axes in self._plan.priors]
        factors += [self._edge(edge, n, rows) for edge, n in self.edges]
        left = list(order)
        for variable in order:
            left.remove(variable)
            group = [factor for factor in factors if variable in factor.axes]
            closes = not any(other[1] == variable[1] for other in left)
            factors = [factor for factor in factors if variable not in factor.axes]
            factors.append(_eliminate(group, variable, closes))
        total = factors[0]
        for factor in factors[1:]:
            total = _multiplied(total, factor)
        axes = (LEFT_TIME, RIGHT_TIME)
        shape = (self.lattice.times.size, self.lattice.times[rows].size)
        blank = np.zeros(shape)
        plain, done = (
            np.broadcast_to(_aligned(total.parts[mark], total.axes, axes), shape)
            if mark in total.parts
            else blank
            for mark in (PLAIN, DONE)
        )
        return plain, done

    def _prior(self, axes: Axes, rows: slice) -> Floats:
        """The Gaussian weights of a token with these axes."""
        if len(axes) == 1:
            return self.lattice.weights
        if axes[0] == LEFT_TIME:
            return self.lattice.bands
        return self.lattice.bands[rows] if axes[0] == RIGHT_TIME else self.lattice.pair_weights

    def _edge(self, edge: Edge, n: int, rows: slice) -> Factor:
        """n positions with the same two tokens."""
        a, b = edge
        ends = [(token, side) for token, side in ((a, "left"), (b, "right")) if token is not None]
        tables: tuple[Floats, ...] = self.lattice.tables
        if len(ends) == 1:
            tables = self.lattice.single
        plain = tables[0]
        # Powers are taken on the tables, which are far smaller than the views into them.
        rest = n * plain ** (n - 1)
        parts: dict[Mark, Floats] = {PLAIN: plain**n}
        for (token, side), marked in zip(ends, tables[1:], strict=False):
            if len(self._plan.sides[token]) == 2:
                parts[side, token] = rest * marked
        if len(ends) == 2:
            parts[DONE] = self.lattice.law.weight * rest * tables[3]
        if a is not None and a == b:
            parts["pair", a] = rest * tables[3]
            if n > 1:
                twice = n * (n - 1) * plain ** (n - 2)
                parts["pair", a] += twice * tables[1] * tables[2]
        axes = tuple(dict.fromkeys(x for token, side in ends for x in self._plan.end(token, side)))
        return Factor(axes, {m: self._view(part, ends, axes, rows) for m, part in parts.items()})

    def _view(self, table: Floats, ends: list[tuple[int, str]], axes: Axes, rows: slice) -> Floats:
        """The table at the sums of times and spots: a read-only view, nothing is copied."""
        from numpy.lib.stride_tricks import as_strided

        steps = dict.fromkeys(axes, 0)
        for place, (token, side) in enumerate(ends):
            for axis in self._plan.end(token, side):
                steps[axis] += table.strides[place] * (self.lattice.stride if axis[1] < 0 else 1)
        if RIGHT_TIME in axes:
            table = table[..., rows.start * self.lattice.stride :]
        count = rows.stop - rows.start
        shape = [count if axis == RIGHT_TIME else self._size(axis) for axis in axes]
        return as_strided(table, shape, [steps[axis] for axis in axes], writeable=False)


def _joined(one: Mark, two: Mark) -> Mark | None:
    """The mark of a product; None where it cannot become one complete pair."""
    if PLAIN in (one, two):
        return two if one == PLAIN else one
    if one[1] == two[1] and {one[0], two[0]} == {"left", "right"}:
        return ("pair", one[1])
    return None


def _eliminate(group: list[Factor], variable: Axis, closes: bool) -> Factor:
    """The product of the factors, summed over a variable; closes: the last one of its token."""
    token = variable[1]
    lost: tuple[Mark, ...] = (("left", token), ("right", token)) if closes else ()
    group = list(group)
    while len(group) > 2:
        # Cheapest pair first: two factors on the same axes before any that adds new ones.
        one, two = min(combinations(group, 2), key=lambda pair: _joint_size(*pair))
        group = [factor for factor in group if factor is not one and factor is not two]
        group.append(_multiplied(one, two))
    if len(group) == 2:
        total = _multiplied(group[0], group[1], summed=variable, lost=lost)
    else:
        place = group[0].axes.index(variable)
        axes = tuple(axis for axis in group[0].axes if axis != variable)
        total = Factor(axes, {mark: part.sum(axis=place) for mark, part in group[0].parts.items()})
    pair = total.parts.pop(("pair", token), None) if closes else None
    if pair is not None:
        total.parts[DONE] = total.parts[DONE] + pair if DONE in total.parts else pair
    return total


def _joint_size(one: Factor, two: Factor) -> int:
    lengths = dict(zip(one.axes, one.parts[PLAIN].shape, strict=True))
    lengths.update(zip(two.axes, two.parts[PLAIN].shape, strict=True))
    return math.prod(lengths.values())


def _multiplied(
    one: Factor, two: Factor, *, summed: Axis | None = None, lost: tuple[Mark, ...] = ()
) -> Factor:
    """The product of two factors without the lost marks, summed over an axis of both if given."""
    axes = tuple(axis for axis in dict.fromkeys((*one.axes, *two.axes)) if axis != summed)
    parts: dict[Mark, Floats] = {}
    for (mark_one, a), (mark_two, b) in product(one.parts.items(), two.parts.items()):
        mark = _joined(mark_one, mark_two)
        if mark is None or mark in lost:
            continue
        if summed is None:
            part = _aligned(a, one.axes, axes) * _aligned(b, two.axes, axes)
        else:
            part = _contracted(a, one.axes, b, two.axes, summed, axes)
        parts[mark] = parts[mark] + part if mark in parts else part
    return Factor(axes, parts)


def _contracted(a: Floats, a_axes: Axes, b: Floats, b_axes: Axes, over: Axis, to: Axes) -> Floats:
    """sum over one axis of a b, as a stack of matrix products."""
    batch = tuple(x for x in a_axes if x in b_axes and x != over)
    rows = tuple(x for x in a_axes if x not in b_axes)
    columns = tuple(x for x in b_axes if x not in a_axes)
    left = _aligned(a, a_axes, (*batch, *rows, over))
    right = _aligned(b, b_axes, (*batch, over, *columns))
    shape = left.shape[: len(batch)]
    rows_shape, columns_shape = left.shape[len(batch) : -1], right.shape[len(batch) + 1 :]
    left = left.reshape(*shape, -1, left.shape[-1])
    right = right.reshape(*shape, right.shape[len(batch)], -1)
    if left.shape[-2] == 1 and right.shape[-1] == 1:
        found = np.einsum("...z,...z->...", left[..., 0, :], right[..., 0])
    else:
        found = left @ right
    return _aligned(
        found.reshape(*shape, *rows_shape, *columns_shape), (*batch, *rows, *columns), to
    )


def _aligned(array: Floats, axes: Axes, target: Axes) -> Floats:
    """The array with its axes in the order of target, new ones of length one."""
    order = sorted(range(len(axes)), key=lambda i: target.index(axes[i]))
    moved = array.transpose(order)
    shape = iter(moved.shape)
    return moved.reshape([next(shape) if axis in axes else 1 for axis in target])


def joined(
    parts: Iterable[Edges], known: Mapping[Edges, tuple[Floats, Floats]], lattice: Lattice
) -> float:
    """The sum over both times of a graph in pieces: one of them holds both marks."""
    plain: Any = 1.0
    done: Any = 0.0
    for part in parts:
        here, marked = known[part]
        plain, done = plain * here, plain * marked + done * here
    return float(lattice.time_weights @ done @ lattice.time_weights)
