"""Disjointness: which templates share a string, and which can stand together in a task.

A string matches a template exactly when it repeats its letters at the same places (the same
pattern) and agrees with its regular tokens. So two templates share a string only if their patterns
are equal, and then every block of positions is forced (a token stands there in one of the two) or
free. It remains to see whether two forced blocks carry the same token, and whether the alphabet
has as many tokens as there are blocks: linear time, and nothing is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from symbench._arguments import integer
from symbench.draw.pictures import circle_svg
from symbench.draw.progress import progress
from symbench.draw.views import View, columns_text
from symbench.errors import BadValue, TooLarge
from symbench.words.letters import LATIN, Word, new_letters, read_alphabet, show
from symbench.words.template import Template, check_same_length, check_templates

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.Graph[Template]
else:
    Graph = Any  # networkx is loaded when a graph is made


def common_string(first: Template, second: Template, *, alphabet: Any = None) -> Word | None:
    """A string that matches both templates, or None: then they are disjoint.

    The alphabet is unbounded, or given by its tokens, or by how many it has in all (the regular
    tokens of both templates are among them).

    >>> print(common_string(Template("αA"), Template("αβ")))
    BA
    >>> print(common_string(Template("αα"), Template("αβ")))
    None
    >>> print(common_string(Template("αβ"), Template("βα"), alphabet=1))
    None
    """
    check_same_length((first, second))
    tokens = (*first.tokens, *second.tokens)
    wildcards = {*first.wildcards, *second.wildcards}
    _check_roles(wildcards, tokens)
    alphabet = _enough(alphabet, len(tokens) + len(first))
    if alphabet is None:
        letters: Iterator[str] = new_letters(LATIN, avoid={*tokens, *wildcards})
    else:
        known = read_alphabet(alphabet, holds=tokens, avoid=wildcards)
        letters = (letter for letter in known if letter not in tokens)
    if first.pattern != second.pattern:
        return None
    value: dict[int, str] = {}
    for block, z, u in zip(first.pattern, first.letters, second.letters, strict=True):
        forced = {letter for letter in (z, u) if letter not in wildcards}
        if len(forced) == 2:
            return None
        if forced:
            value[block] = forced.pop()
    if len(set(value.values())) < len(value):
        return None
    for block in first.pattern:
        if block not in value:
            letter = next(letters, None)
            if letter is None:
                return None
            value[block] = letter
    return Word([value[block] for block in first.pattern])


def _enough(alphabet: Any, most: int) -> Any:
    """The alphabet; a number is cut to the largest that could make a difference."""
    if hasattr(alphabet, "__index__") and not isinstance(alphabet, bool):
        return min(integer(alphabet, "the size of the alphabet", at_least=0), most)
    return alphabet


def _check_roles(wildcards: set[str], tokens: Iterable[str]) -> None:
    """Raise if a letter is a wildcard in one template and a token in another."""
    mixed = wildcards.intersection(tokens)
    if mixed:
        raise BadValue(
            f"{show(sorted(mixed))}: a wildcard in one template and a token in another: rename it"
        )


def overlaps(
    templates: Iterable[Template], *, alphabet: Any = None
) -> Iterator[tuple[int, int, Word]]:
    """The pairs of templates that are not disjoint, each with a string that matches both.

    >>> [(i, j, str(x)) for i, j, x in overlaps([Template("αA"), Template("αβ"), Template("αα")])]
    [(0, 1, 'BA')]
    """
    found = check_templates(templates)
    check_same_length(found)
    tokens = dict.fromkeys(token for t in found for token in t.tokens)
    if alphabet is not None:
        alphabet = read_alphabet(_enough(alphabet, len(tokens) + len(found[0])), holds=tokens)
    # Only equal patterns can share a string: the pairs across patterns need not be looked at,
    # once no letter is a wildcard here and a token there.
    by_pattern: dict[tuple[int, ...], list[int]] = {}
    _check_roles({letter for t in found for letter in t.wildcards}, tokens)
    for index, template in enumerate(found):
        by_pattern.setdefault(template.pattern, []).append(index)
    for group in by_pattern.values():
        for i, j in combinations(group, 2):
            string = common_string(found[i], found[j], alphabet=alphabet)
            if string is not None:
                yield i, j, string


def disjointness_graph(templates: Iterable[Template], *, alphabet: Any = None) -> Graph:
    """The graph on the templates in which an edge means: disjoint.

    Its cliques are the sets of templates that a task can have, its maximal cliques the maximal
    tasks.

    >>> graph = disjointness_graph([Template("αα"), Template("αβ"), Template("αA")])
    >>> graph.number_of_edges(), graph.has_edge(Template("αβ"), Template("αA"))
    (2, False)
    """
    from symbench.words.disjointness_graph import Disjointness

    found = check_templates(templates)
    if len(set(found)) < len(found):
        twice = next(t for i, t in enumerate(found) if t in found[:i])
        raise BadValue(f"{twice} is given twice: give distinct templates")
    # Building the overlaps and taking the complement is faster: they are few.
    size, pairs = len(found), comb(len(found), 2)
    if pairs > _PAIRS:
        raise TooLarge(
            f"the graph of {size:,} templates has {pairs:,} pairs, which would take about "
            f"{pairs * _PAIR:.2g} s and {pairs * _BYTES:.2g} GB: give fewer templates, or go "
            "through overlaps(templates), the pairs that share a string"
        )
    sharing = {(i, j) for i, j, _ in overlaps(found, alphabet=alphabet)}
    graph: Graph = Disjointness()
    graph.add_nodes_from(found)
    with progress("pairs of templates", pairs) as report:
        for i in range(size):
            others = (j for j in range(i + 1, size) if (i, j) not in sharing)
            graph.add_edges_from((found[i], found[j]) for j in others)
            report(size - 1 - i)
    return graph


def maximal_tasks(
    templates: Iterable[Template], *, alphabet: Any = None
) -> Iterator[tuple[Template, ...]]:
    """The maximal sets of pairwise disjoint templates, lazily, each in the order given.

    >>> for task in maximal_tasks([Template("αα"), Template("αβ"), Template("αA")]):
    ...     print(*task)
    αα αβ
    αα αA
    """
    import networkx as nx

    found = check_templates(templates)
    graph: Any = disjointness_graph(found, alphabet=alphabet)
    # Numbers instead of templates: sets of str are walked in another order in every process.
    for clique in nx.find_cliques(nx.convert_node_labels_to_integers(graph)):
        yield tuple(found[index] for index in sorted(clique))


# What a line of the picture means, and what it means where most templates are disjoint.
CAPTIONS = (
    "a line: no string matches both",
    "a line: a string matches both; all others are disjoint",
)
_MOST = 60
# Pairs of templates in a graph; the seconds and gigabytes of one.
_PAIRS, _PAIR, _BYTES = 10**7, 1e-5, 2.3e-7


def disjointness_table(templates: Iterable[Template]) -> str:
    """A table of all pairs: a dot for disjoint ones, else a string that matches both.

    >>> print(disjointness_table([Template("αα"), Template("αβ"), Template("αA")]))
        αα  αβ  αA
    αα  -   .   .
    αβ  .   -   BA
    αA  .   BA  -
    """
    found = check_templates(templates)
    _check_size(found)
    names = [str(template) for template in found]
    cells = [["." if i != j else "-" for j in range(len(found))] for i in range(len(found))]
    for i, j, string in overlaps(found):
        cells[i][j] = cells[j][i] = str(string)
    rows = [["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))]
    return columns_text(rows)


def disjointness_svg(templates: Iterable[Template]) -> View:
    """The disjointness graph as SVG: templates on a circle, a line between disjoint ones.

    Among many templates most are disjoint, and the lines would hide each other; then those that
    share a string are joined. The picture says which.

    >>> svg = disjointness_svg([Template("αα"), Template("αβ"), Template("αA")])
    >>> svg.count("<line"), svg.count("<text")
    (2, 4)
    """
    found = check_templates(templates)
    _check_size(found)
    sharing = {(i, j) for i, j, _ in overlaps(found)}
    pairs = combinations(range(len(found)), 2)
    edges = [pair for pair in pairs if pair not in sharing]
    return circle_svg([str(t) for t in found], edges, CAPTIONS)


def _check_size(templates: tuple[Template, ...]) -> None:
    if len(templates) > _MOST:
        raise TooLarge(
            f"a picture of {len(templates)} templates cannot be read: give at most {_MOST}, or ask "
            "disjointness_graph for the graph itself"
        )
