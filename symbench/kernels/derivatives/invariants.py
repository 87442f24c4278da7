"""Invariant: a polynomial in the counts of a pair of strings, written as a directed multigraph.

For strings x, y of length k let d_s, e_s be how often the token s occurs in x and in y, and n_st
at how many positions x has s and y has t. A connected graph with tokens as nodes stands for the
sum over all tokens of prod d_s^p e_s^q times one factor n_st per edge; an invariant is a product
of such sums. The names of boix2024, appendix F, are used where there is one.

>>> Invariant("a*x^2*sum(d_s^4)")
Invariant('a*x^2*sum(d_s^4)')
>>> Invariant("sum(e_t n_st d_s)") == Invariant("w")
True
>>> Invariant("a").evaluate("AAB", "ABC"), Invariant("g").evaluate("AAB", "BBC")
(3, 5)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations, product
from math import prod
from typing import Any

import attrs

from symbench._arguments import integer
from symbench.draw.views import Shown
from symbench.errors import BadType, BadValue
from symbench.kernels.derivatives.counts import Counts

Weight = tuple[int, int]
Edge = tuple[int, int]
Graph = tuple[tuple[Weight, ...], tuple[Edge, ...]]
_LETTERS = "stuvwabcfghijlmopqr"
_FACTOR = re.compile(r"(?:([de])_([a-z])|n_([a-z])([a-z]))(?:\^([0-9]+))?\Z")


@attrs.frozen(repr=False, order=True)
class Component(Shown):
    """A connected graph in normal form: node weights (p, q) and directed edges between nodes.

    >>> Component(((1, 0), (0, 1)), ((0, 1),))
    Component(((1, 0), (0, 1)), ((0, 1),))
    >>> print(Component(((1, 0), (0, 1)), ((0, 1),)))
    w
    """

    weights: tuple[Weight, ...]
    edges: tuple[Edge, ...]

    def __attrs_post_init__(self) -> None:
        if (self.weights, self.edges) != _normal_form(*_read_graph(self.weights, self.edges)):
            raise BadValue(f"{self!r} is not in normal form: write Component.of(weights, edges)")

    @classmethod
    def of(cls, weights: Sequence[Weight], edges: Sequence[Edge]) -> Component:
        """The normal form of a connected graph: isomorphic graphs give equal components.

        >>> Component.of([(0, 1), (1, 0)], [(1, 0)])
        Component(((1, 0), (0, 1)), ((0, 1),))
        >>> Component.of([(1, 0)], [])
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: sum(d_s) has a token that occurs once: sum d_s = sum e_s = k, \
sum_t n_st = d_s, sum_s n_st = e_t
        """
        return component(*_read_graph(weights, edges))

    def __repr__(self) -> str:
        return f"Component({self.weights!r}, {self.edges!r})"

    def __str__(self) -> str:
        return self.name

    @property
    def degree(self) -> int:
        """The number of factors: the value is at most k^degree."""
        return sum(p + q for p, q in self.weights) + len(self.edges)

    @property
    def name(self) -> str:
        """The name in boix2024, or else the sum itself."""
        return _names().get(self) or self.formula

    @property
    def formula(self) -> str:
        """The sum over tokens, in one line.

        >>> Component.of([(2, 1)], []).formula
        'sum(d_s^2 e_s)'
        """
        return _formula(self.weights, self.edges)

    def latex(self, *, named: bool = True) -> str:
        r"""The name, or the sum, in LaTeX.

        >>> Component.of([(2, 1)], []).latex(), Component.of([(2, 1)], []).latex(named=False)
        ('p_{1}', '\\sum_{s} d_{s}^{2} e_{s}')
        """
        name = _names().get(self)
        if named and name is not None:
            return name if len(name) == 1 else f"{name[0]}_{{{name[1]}}}"
        tokens = _LETTERS[: len(self.weights)]
        found = _symbols(self.weights, self.edges, "_{{{}}}")
        factors = [symbol + (f"^{{{n}}}" if n > 1 else "") for symbol, n in found]
        return rf"\sum_{{{','.join(tokens)}}} {' '.join(factors)}"


def _symbols(weights: Sequence[Weight], edges: Sequence[Edge], index: str) -> list[tuple[str, int]]:
    """The factors d_s, e_s, n_st with their exponents; `index` is how subscripts are written."""
    found = []
    for token, (p, q) in zip(_LETTERS, weights, strict=False):
        found += [("d" + index.format(token), p)] if p else []
        found += [("e" + index.format(token), q)] if q else []
    for (s, t), n in sorted(Counter(edges).items()):
        found.append(("n" + index.format(_LETTERS[s] + _LETTERS[t]), n))
    return found


def _formula(weights: Sequence[Weight], edges: Sequence[Edge]) -> str:
    return f"sum({' '.join(s + _power(n) for s, n in _symbols(weights, edges, '_{}'))})"


def _power(exponent: int) -> str:
    return f"^{exponent}" if exponent > 1 else ""


def _read_graph(weights: Any, edges: Any) -> Graph:
    """A connected graph in which every token occurs twice or more, or an error."""
    try:
        nodes = tuple(
            (integer(p, "p", at_least=0), integer(q, "q", at_least=0)) for p, q in weights
        )
        links = tuple((integer(s, "s", at_least=0), integer(t, "t", at_least=0)) for s, t in edges)
    except (TypeError, ValueError) as error:
        raise BadType(
            f"the graph is {weights!r}, {edges!r}: give pairs (p, q), one per node, and "
            f"pairs of nodes ({error})"
        ) from None
    if not 0 < len(nodes) <= len(_LETTERS) or any(v >= len(nodes) for link in links for v in link):
        raise BadValue(
            f"the graph has {len(nodes)} nodes and edges {links!r}: give 1 to {len(_LETTERS)} "
            "nodes, edges between nodes counted from 0"
        )
    text = _formula(nodes, links)
    if not is_connected(len(nodes), links):
        raise BadValue(f"{text} is not connected: write a product of connected sums")
    ends = Counter(v for link in links for v in link)
    if any(p + q + ends[v] < 2 for v, (p, q) in enumerate(nodes)):
        raise BadValue(
            f"{text} has a token that occurs once: sum d_s = sum e_s = k, "
            "sum_t n_st = d_s, sum_s n_st = e_t"
        )
    return nodes, links


@lru_cache(maxsize=1 << 14)
def component(weights: tuple[Weight, ...], edges: tuple[Edge, ...]) -> Component:
    """Component.of for tuples, remembered: the same small graphs come up again and again."""
    return Component(*_normal_form(weights, edges))


@lru_cache(maxsize=1 << 14)
def _normal_form(weights: tuple[Weight, ...], edges: tuple[Edge, ...]) -> Graph:
    """The least of the graph's encodings among renumberings that sort the nodes' signatures."""
    size = len(weights)
    out, into = Counter(s for s, _ in edges), Counter(t for _, t in edges)
    loops = Counter(s for s, t in edges if s == t)
    signatures = [(weights[v], out[v], into[v], loops[v]) for v in range(size)]
    classes: dict[Any, list[int]] = {}
    for v in sorted(range(size), key=signatures.__getitem__, reverse=True):
        classes.setdefault(signatures[v], []).append(v)
    encodings = []
    for orders in product(*(permutations(group) for group in classes.values())):
        number = {v: n for n, v in enumerate(v for group in orders for v in group)}
        encodings.append(tuple(sorted((number[s], number[t]) for s, t in edges)))
    return tuple(sorted(weights, reverse=True)), min(encodings)


# boix2024, appendix F, in the order of its table.
_PAPER = {
    "a": "d_s e_s",
    "x": "d_s^2",
    "y": "e_s^2",
    "t": "n_ss",
    "p1": "d_s^2 e_s",
    "p2": "d_s e_s^2",
    "q1": "d_s^3 e_s",
    "q2": "d_s^2 e_s^2",
    "q3": "d_s e_s^3",
    "x3": "d_s^3",
    "y3": "e_s^3",
    "t1": "d_s n_ss",
    "t2": "e_s n_ss",
    "o1": "e_s d_t n_st",
    "o2": "e_s e_t n_st",
    "o3": "d_s d_t n_st",
    "w": "d_s e_t n_st",
    "g": "n_st^2",
    "h": "n_st n_ts",
}


@lru_cache(maxsize=1 << 14)
def _named() -> dict[str, Component]:
    return {name: _read_sum(text, name) for name, text in _PAPER.items()}


@lru_cache(maxsize=1 << 14)
def _names() -> dict[Component, str]:
    return {component: name for name, component in _named().items()}


@lru_cache(maxsize=1 << 14)
def _place(component: Component) -> tuple[int, Component]:
    name = _names().get(component)
    return (list(_PAPER).index(name) if name else len(_PAPER)), component


def _read_sum(text: str, whole: str) -> Component:
    """The component written as a product of factors d_s, e_s, n_st."""
    nodes: dict[str, list[int]] = {}
    edges: list[tuple[str, str]] = []
    for word in text.split():
        found = _FACTOR.match(word)
        times = int(found[5] or 1) if found else 0
        if found is None or not times:
            raise BadValue(f"{word!r} in {whole!r} is no factor: write d_s, e_s^2 or n_st")
        for token in filter(None, (found[2], found[3], found[4])):
            nodes.setdefault(token, [0, 0])
        if found[1]:
            nodes[found[2]]["de".index(found[1])] += times
        else:
            edges += [(found[3], found[4])] * times
    number = {token: n for n, token in enumerate(nodes)}
    links = [(number[s], number[t]) for s, t in edges]
    try:
        return Component.of([(p, q) for p, q in nodes.values()], links)
    except BadValue as error:
        raise BadValue(f"{whole!r}: {error}") from None


def is_connected(size: int, edges: Sequence[Edge]) -> bool:
    """Whether the edges connect all nodes."""
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for s, t in edges:
            if (s in reached) != (t in reached):
                reached |= {s, t}
    return len(reached) == size


def _factors(value: Any) -> tuple[tuple[Component, int], ...]:
    """The factors and their exponents, sorted, of a text or of a sequence of components."""
    if isinstance(value, str):
        components = _read_product(value)
    elif isinstance(value, Sequence) and all(isinstance(c, Component) for c in value):
        components = list(value)
    else:
        raise BadType(f"an invariant is written as a text such as 'a*x^2', not {value!r}")
    return tuple(sorted(Counter(components).items()))


def _read_product(text: str) -> list[Component]:
    components: list[Component] = []
    for word in text.split("*") if text.strip() != "1" else []:
        found = re.fullmatch(r"\s*(?:sum\(([^()]*)\)|(\w+))(?:\^([0-9]+))?\s*", word)
        if found is None or (found[2] is not None and found[2] not in _PAPER):
            raise BadValue(
                f"{word!r} in {text!r} is no invariant: write a sum such as sum(d_s^2 n_st) "
                f"or one of {', '.join(_PAPER)}"
            )
        one = _named()[found[2]] if found[2] else _read_sum(found[1], text)
        components += [one] * int(found[3] or 1)
    return components


@attrs.frozen(repr=False, order=True)
class Invariant:
    """A product of connected sums; '1' is the empty product.

    >>> Invariant("t*x").formula
    'sum(d_s^2)*sum(n_ss)'
    >>> Invariant("sum(d_s n_st)")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: 'sum(d_s n_st)': sum(d_s n_st) has a token that occurs once: \
sum d_s = sum e_s = k, sum_t n_st = d_s, sum_s n_st = e_t
    """

    factors: tuple[tuple[Component, int], ...] = attrs.field(converter=_factors)

    def __repr__(self) -> str:
        return f"Invariant({str(self)!r})"

    def __str__(self) -> str:
        return "*".join(c.name + _power(n) for c, n in self._shown()) or "1"

    def _shown(self) -> list[tuple[Component, int]]:
        """The factors in the order of the paper's names, sums without a name last."""
        return sorted(self.factors, key=lambda factor: _place(factor[0]))

    @property
    def place(self) -> tuple[Any, ...]:
        """What tables sort by: the degree, then the factors in the order of the paper's names."""
        return self.degree, [_place(component) for component, n in self._shown() for _ in range(n)]

    @property
    def degree(self) -> int:
        """The number of factors d, e, n: the value is at most k^degree."""
        return sum(c.degree * n for c, n in self.factors)

    @property
    def formula(self) -> str:
        """The product with every sum written out."""
        return "*".join(c.formula + _power(n) for c, n in self._shown()) or "1"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def latex(self) -> str:
        r"""The product in LaTeX.

        >>> Invariant("a*p1^2*sum(d_s^4)").latex()
        'a\\,p_{1}^{2}\\,\\bigl(\\sum_{s} d_{s}^{4}\\bigr)'
        """
        names = _names()
        shown = []
        for component, n in self._shown():
            text = component.latex()
            text = text if component in names else rf"\bigl({text}\bigr)"
            shown.append(text + (f"^{{{n}}}" if n > 1 else ""))
        return r"\,".join(shown) or "1"

    def evaluate(self, x: Any, y: Any = None) -> int:
        """The value on two strings, or on one Diagram.

        >>> Invariant("t1").evaluate("AB", "AA")
        1
        """
        counts = Counts.of_pairs([x if y is None else (x, y)])
        return prod(int(counts.total(c.weights, c.edges)[0]) ** n for c, n in self.factors)
