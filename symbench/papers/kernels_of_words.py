"""Kernels of words (`kernels.*`): linear attention over any covariance of positions, invariants.

The other road writes down the covariance of every two positions of two words and multiplies it
out, layer by layer; which permutations of positions leave it unchanged is tried one by one, and so
is every numbering of the nodes of a graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from symbench.exact import Rational
from symbench.exact.arrays import np
from symbench.kernels.derivatives.invariants import Component, Invariant
from symbench.kernels.positions import PositionalAttention
from symbench.kernels.tables import tables_of
from symbench.papers._by_hand import attention_layer, fraction, read_out
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young.position_groups import CyclicGroup, YoungSubgroup

Word = tuple[int, ...]
Rows = tuple[tuple[Any, ...], ...]

# --- positions ------------------------------------------------------------------------------------
# alpha, the covariance of positions, readout, layers
Case = tuple[Any, Rows, str, int]
_READOUTS = ("sum", "flatten")
_HALF = Rational(1, 2)

_ALIKE: Rows = ((3, -1, -1), (-1, 3, -1), (-1, -1, 3))
_RING: Rows = ((2, -1, 0, -1), (-1, 2, -1, 0), (0, -1, 2, -1), (-1, 0, -1, 2))
_ENDS: Rows = ((2, -1, 0, 0), (-1, 2, 0, 0), (0, 0, 1, 0), (0, 0, 0, 3))
_CHAIN: Rows = ((2, -1, 0), (-1, 2, -1), (0, -1, 2))
_TWO: Rows = ((2, -1, _HALF), (-1, 2, _HALF), (_HALF, _HALF, 1))


def _cases() -> Iterator[Case]:
    yield 1, _RING, "sum", 1
    yield _HALF, _ENDS, "flatten", 1
    for rows, readout in product((_ALIKE, _CHAIN, _TWO), _READOUTS):
        yield 2, rows, readout, 1
    yield 1, _TWO, "sum", 2
    yield 1, ((1, -1), (-1, 2)), "flatten", 2
    yield 0, ((1,),), "sum", 1


def _is_covariance(alpha: Any, rows: Rows, *_: Any) -> bool:
    """Whether the table is symmetric and has no minor about its diagonal below zero."""
    size = range(len(rows))
    if {*map(len, rows)} != {len(rows)} or len(rows) > 4:
        return False
    if any(rows[a][b] != rows[b][a] for a, b in product(size, repeat=2)):
        return False
    chosen = ([a for a in size if 1 << a & bits] for bits in range(1, 1 << len(rows)))
    return all(_minor(rows, places) >= 0 for places in chosen)


def _minor(rows: Rows, places: list[int]) -> Fraction:
    """The determinant of some rows and columns, term by term."""
    total = Fraction(0)
    for order in permutations(range(len(places))):
        term = Fraction(1)
        for i, j in enumerate(order):
            term *= rows[places[i]][places[j]] * (-1) ** sum(j < k for k in order[:i])
        total += term
    return total


def _by_definition(case: Case, x: Word, y: Word, size: bool = False) -> Any:
    """The kernel of two words, layer by layer; `size` drops the signs of the covariances."""
    alpha, rows, readout, layers = case
    places = range(len(x))
    K = [
        [alpha * (x[a] == y[b]) + (abs(rows[a][b]) if size else rows[a][b]) for b in places]
        for a in places
    ]
    for _ in range(layers):
        K = attention_layer(K)
    return read_out(K, readout)


def _group(rows: Rows, rotations: bool = False) -> Any:
    """All permutations, else the rotations, else those inside of segments of positions alike."""
    size = len(rows)

    def kept(g: Word) -> bool:
        return all(
            rows[g[a]][g[b]] == rows[a][b] for a, b in product(range(size), repeat=2)
        )  # fmt: skip

    if all(map(kept, permutations(range(size)))):
        return YoungSubgroup(size)
    turns = [tuple((a + t) % size for a in range(size)) for t in range(size)]
    if all(map(kept, turns)) or rotations:
        return CyclicGroup(size)
    parts = [1]
    for a in range(size - 1):
        if kept((*range(a), a + 1, a, *range(a + 2, size))):
            parts[-1] += 1
        else:
            parts.append(1)
    return YoungSubgroup(*parts)


def _drawn_case(st: Any) -> Any:
    """Covariances are products of integer vectors, which are never negative."""
    vectors = st.integers(1, 3).flatmap(
        lambda n: st.tuples(*[st.tuples(*[st.integers(-2, 2)] * 2)] * n)
    )
    rows = vectors.map(
        lambda v: tuple(
            tuple(sum(a * b for a, b in zip(x, y, strict=True)) for y in v) for x in v
        )
    )  # fmt: skip
    return st.tuples(st.integers(0, 3), rows, st.sampled_from(_READOUTS), st.integers(1, 2))


@claim(
    "kernels.positions",
    source="Linear attention with a covariance of positions: its definition",
    category="definition",
    cases=_cases,
    boundary=(0, ((1,),), "sum", 1),
    strategy=drawn(_drawn_case),
    applies=record(
        number(0), many(many(number())), one_of(*_READOUTS), integer(1), where=_is_covariance
    ),
    near_misses=[
        NearMiss("covariances without their signs", (2, _CHAIN, "sum", 1), {"size": True}),
        NearMiss("every covariance is that of a ring", (2, _CHAIN, "sum", 1), {"rotations": True}),
    ],
)
def positions(case: Case, size: bool = False, rotations: bool = False) -> bool | Fails:
    r"""With $K_{ab} = \alpha 1[x_a = y_b] + C_{ab}$ a layer of linear attention multiplies $K$ by
    the sum of the squares of its entries, and the readout adds up all entries or those with
    $a = b$. The kernel has this value for every two words, one pair at a time, all pairs at once,
    and from a table of pairs of letters for each segment of positions that are alike. The group it
    names is that of all permutations of positions if they all leave $C$ unchanged, else the
    rotations if they do, else the permutations inside of these segments.
    """
    alpha, rows, readout, layers = case
    at_most(len(rows), 4, "positions")
    at_most(layers, 3, "layers")
    kernel = PositionalAttention(alpha, rows, readout=readout, layers=layers)
    group = _group(rows, rotations)
    if kernel.symmetry(len(rows)) != group:
        return Fails(f"it names {kernel.symmetry(len(rows))!r}, and {group!r} is right")
    words = list(product(range(2), repeat=len(rows)))
    together = kernel.gram(np.array(words), np.array(words))
    if together is None:
        return Fails("the words of its own length are refused")
    table, below = together
    for (i, x), (j, y) in product(enumerate(words), repeat=2):
        wanted = _by_definition(case, x, y, size)
        found = [kernel.on_tokens(x, y), Fraction(int(table[i, j]), below)]
        if isinstance(group, YoungSubgroup):
            value = kernel.on_table(*tables_of(x, y, group.parts, 2))
            found.append(fraction(value))
        if any(value != wanted for value in found):
            return Fails(f"{x}, {y}: {', '.join(map(str, found))}, not {wanted}")
    return True


# --- invariants -----------------------------------------------------------------------------------
# For each node the exponents of d and e, and the edges
Graph = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
# Two graphs, two words
Graphs = tuple[Graph, Graph, Word, Word]
_RINGS: tuple[Graph, ...] = (
    (((0, 0),) * 4, ((0, 1), (1, 2), (2, 3), (3, 0))),
    (((0, 0),) * 4, ((0, 2), (2, 1), (1, 3), (3, 0))),
    (((0, 0),) * 4, ((0, 1), (1, 2), (2, 3), (3, 0)) * 2),
    (((0, 0),) * 4, ((0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3))),
    (((0, 0),) * 4, ((0, 2), (2, 0), (2, 1), (1, 2), (1, 3), (3, 1), (3, 0), (0, 3))),
)
_SMALL: tuple[Graph, ...] = (
    (((1, 0), (0, 1)), ((0, 1),)),
    (((0, 1), (1, 0)), ((1, 0),)),
    (((0, 1), (1, 0)), ((0, 1),)),
    (((1, 0), (1, 0), (0, 2)), ((0, 2), (1, 2))),
    (((1, 0), (0, 2), (1, 0)), ((0, 1), (2, 1))),
    (((2, 1),), ()),
    (((0, 1),), ((0, 0),)),
)


def _graphs() -> Iterator[Graphs]:
    for group in (_RINGS, _SMALL):
        for one, two in product(group, repeat=2):
            yield one, two, (0, 0, 1, 2), (0, 1, 1, 0)


def _is_graph(value: Any) -> bool:
    """Whether the graph is connected, and two or more factors name each node."""
    pairs = many(record(integer(0), integer(0)), 0)
    if not record(pairs, pairs)(value) or not 1 <= len(value[0]) <= 5:
        return False
    weights, edges = value
    if any(node >= len(weights) for edge in edges for node in edge):
        return False
    together = [{node} for node in range(len(weights))]
    for s, t in edges:
        joined = together[s] | together[t]
        for node in joined:
            together[node] = joined
    ends = [node for edge in edges for node in edge]
    named = (sum(pair) + ends.count(node) for node, pair in enumerate(weights))
    return len(together[0]) == len(weights) and min(named) >= 2


def _renumbered(graph: Graph, order: Word) -> tuple[Any, Any]:
    """The graph with other numbers for its nodes, its edges sorted."""
    weights, edges = graph
    moved = {order[node]: pair for node, pair in enumerate(weights)}
    return (
        tuple(moved[node] for node in range(len(weights))),
        sorted((order[s], order[t]) for s, t in edges),
    )


def _alike(one: Graph, two: Graph, numbered: bool) -> bool:
    """Whether some numbering of the nodes of one graph makes it the other."""
    size = range(len(one[0]))
    orders = [tuple(size)] if numbered else permutations(size)
    return len(one[0]) == len(two[0]) and any(
        _renumbered(one, order) == _renumbered(two, tuple(size)) for order in orders
    )


def _sum_over_tokens(graph: Graph, x: Word, y: Word) -> int:
    """The sum over all tokens at the nodes of the products that the graph stands for."""
    weights, edges = graph
    total = 0
    for tokens in product(sorted({*x, *y}), repeat=len(weights)):
        term = 1
        for token, (p, q) in zip(tokens, weights, strict=True):
            term *= x.count(token) ** p * y.count(token) ** q
        for s, t in edges:
            term *= sum(pair == (tokens[s], tokens[t]) for pair in zip(x, y, strict=True))
        total += term
    return total


@claim(
    "kernels.invariants",
    source="Appendix F of boix2024: sums over tokens of products of counts, as graphs",
    category="definition",
    cases=_graphs,
    boundary=(_SMALL[5], _SMALL[5], (), ()),
    strategy=drawn(
        lambda st: st.sampled_from([_RINGS, _SMALL]).flatmap(
            lambda group: st.tuples(
                *[st.sampled_from(group)] * 2, *[st.tuples(*[st.integers(0, 2)] * 3)] * 2
            )
        )
    ),
    applies=record(
        _is_graph, _is_graph, many(integer(0), 0), many(integer(0), 0),
        where=lambda one, two, x, y: len(x) == len(y),
    ),
    near_misses=[
        NearMiss("nodes have numbers", (*_RINGS[:2], (0, 1, 2), (1, 2, 0)), {"numbered": True}),
        NearMiss("the words exchanged", (_SMALL[5], _SMALL[5], (0, 0, 1), (0, 1, 2)),
                 {"exchanged": True}),
    ],
)  # fmt: skip
def invariants(case: Graphs, numbered: bool = False, exchanged: bool = False) -> bool | Fails:
    r"""Two graphs have one normal form exactly if some numbering of the nodes of the one makes it
    the other. A graph stands for the sum, over all ways to put tokens to its nodes, of the products
    of $d_s^p e_s^q$ over nodes and of $n_{st}$ over edges, where $d_s$ and $e_s$ are how often a
    token occurs in $x$ and in $y$, and $n_{st}$ at how many positions $x$ has $s$ and $y$ has $t$.
    """
    one, two, x, y = case
    at_most(len({*x, *y}), 4, "tokens")
    letters = [tuple(map(str, word)) for word in (x, y)]
    forms = [Component.of(*graph) for graph in (one, two)]
    if (forms[0] == forms[1]) != _alike(one, two, numbered):
        return Fails(f"the normal forms of {one} and {two} are {forms[0]!r} and {forms[1]!r}")
    for graph, form in zip((one, two), forms, strict=True):
        wanted = _sum_over_tokens(graph, *((y, x) if exchanged else (x, y)))
        value = Invariant([form]).evaluate(*letters)
        if value != wanted:
            return Fails(f"{form.formula} is {value}, not {wanted}")
    return True
