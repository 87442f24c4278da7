"""All tasks up to symmetry: counted by Burnside's lemma, and listed one per orbit.

The symmetries permute the positions of all templates at once, rename the regular tokens and, if
asked, permute the labels. A task here is a set of pairwise disjoint templates, with or without
labels; two tasks are the same up to symmetry when one symmetry turns one into the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Any

from symbench._arguments import flag, integer
from symbench.draw.progress import progress
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Integers, np
from symbench.words.disjointness import overlaps
from symbench.words.task import Task
from symbench.words.templates import Templates

_MOST_TEMPLATES = 25_000
_MOST_IMAGES = 50_000_000
_MOST_LABELS = 8


def count_tasks(
    length: int, *, size: int, tokens: Any = 0, labels: int | None = None, relabel: bool = False
) -> int:
    """The number of tasks with `size` templates up to symmetry, by Burnside's lemma.

    With ``labels=c`` each template has one of c labels and every label occurs; ``relabel=True``
    makes permuted labels the same.

    >>> [count_tasks(n, size=1) for n in range(1, 8)]  # the partitions of n
    [1, 2, 3, 5, 7, 11, 15]
    >>> count_tasks(4, size=2), count_tasks(4, size=2, labels=2)
    (16, 28)
    >>> count_tasks(4, size=3, labels=2), count_tasks(4, size=3, labels=2, relabel=True)
    (220, 110)
    """
    family, size, colours = _read(length, size, tokens, labels, relabel)
    if size > family.count:
        return 0
    sharing = [(i, j) for i, j, _ in overlaps(family)]
    label_types = _cycle_types(colours) if relabel else [((1,) * colours, 1)]
    total = symmetries = 0
    position_types, token_types = _cycle_types(family.length), _cycle_types(len(family.tokens))
    pairs = list(product(position_types, token_types))
    with progress("symmetries of templates", len(pairs)) as report:
        for (positions, position_ways), (renaming, token_ways) in pairs:
            cycles = _cycles(_images(family, [(_of_type(positions), _of_type(renaming))])[0])
            for label_type, label_ways in label_types:
                ways = position_ways * token_ways * label_ways
                symmetries += ways
                total += ways * _fixed_tasks(cycles, sharing, size, label_type)
            report(1)
    return total // symmetries


def all_tasks(
    length: int, *, size: int, tokens: Any = 0, labels: int | None = None, relabel: bool = False
) -> Iterator[Task]:
    """One task per orbit, lazily: the least of each, in lexicographic order of the templates.

    Labels are 0, 1, ..., c - 1; see `count_tasks`.

    >>> for task in all_tasks(3, size=2):
    ...     print(*task.templates)
    ααα ααβ
    ααα αβγ
    ααβ αβα
    ααβ αβγ
    >>> [task.labels for task in all_tasks(2, size=2, labels=2, relabel=True)]
    [(0, 1)]
    """
    family, size, colours = _read(length, size, tokens, labels, relabel)
    order = factorial(family.length) * factorial(len(family.tokens))
    if order * family.count > _MOST_IMAGES:
        raise TooLarge(
            f"{order} symmetries of {family.count} templates are too many to go through: "
            "ask count_tasks for the number, or for a smaller length"
        )
    if size > family.count:
        return iter(())
    return _representatives(family, size, None if labels is None else colours, relabel)


def _read(
    length: int, size: int, tokens: Any, labels: int | None, relabel: bool
) -> tuple[Templates, int, int]:
    """The templates, how many a task has, and the number of labels (one label says nothing)."""
    family = Templates(length, tokens=tokens)
    size = integer(size, "the number of templates", at_least=1)
    if flag(relabel, "relabel") and labels is None:
        raise BadValue("relabel is True and there are no labels to permute: give labels=c")
    what = "the number of labels, which all occur on the templates,"
    given = 1 if labels is None else labels
    colours = integer(given, what, at_least=1, at_most=size, limit=_MOST_LABELS)
    if family.count > _MOST_TEMPLATES:
        raise TooLarge(
            f"{family!r} has {family.count} templates, too many to make tasks of: ask for a length "
            f"and tokens with at most {_MOST_TEMPLATES:,}"
        )
    return family, size, colours


# Symmetries


def _cycle_types(n: int) -> list[tuple[tuple[int, ...], int]]:
    """The cycle types of the permutations of n things, and how many permutations have each."""
    found = []

    def extend(rest: int, most: int, parts: tuple[int, ...]) -> None:
        if rest == 0:
            centre = prod(parts) * prod(factorial(parts.count(part)) for part in set(parts))
            found.append((parts, factorial(n) // centre))
        for part in range(min(rest, most), 0, -1):
            extend(rest - part, part, (*parts, part))

    extend(n, n, ())
    return found


def _of_type(cycle_type: tuple[int, ...]) -> tuple[int, ...]:
    """A permutation with these cycle lengths."""
    image: list[int] = []
    for part in cycle_type:
        start = len(image)
        image += [*range(start + 1, start + part), start]
    return tuple(image)


def _images(
    family: Templates, symmetries: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> Integers:
    """For each symmetry (of positions, of tokens) a row: the rank to which each template goes."""
    q, n = len(family.tokens), family.count
    codes = np.concatenate(list(family.arrays())).astype(np.int64)
    radix = (q + family.length) ** np.arange(family.length - 1, -1, -1)
    keys, rows = codes @ radix, np.arange(n)
    found = np.empty((len(symmetries), n), dtype=np.int64)
    for row, (positions, renaming) in zip(found, symmetries, strict=True):
        # Wildcards are numbered anew, in the order in which they now appear.
        new = np.full((n, q + family.length), -1)
        new[:, :q] = renaming
        used, key = np.full(n, q), np.zeros(n, dtype=np.int64)
        for column, weight in zip(codes[:, positions].T, radix, strict=True):
            fresh = new[rows, column] < 0
            new[rows[fresh], column[fresh]] = used[fresh]
            used += fresh
            key += new[rows, column] * weight
        row[:] = np.searchsorted(keys, key)
    return found


def _cycles(image: Integers) -> list[tuple[int, ...]]:
    seen: set[int] = set()
    found = []
    for start in range(len(image)):
        if start not in seen:
            cycle = [start]
            while image[cycle[-1]] != start:
                cycle.append(int(image[cycle[-1]]))
            seen.update(cycle)
            found.append(tuple(cycle))
    return found


# Counting what a symmetry leaves in place


def _fixed_tasks(
    cycles: list[tuple[int, ...]],
    sharing: list[tuple[int, int]],
    size: int,
    label_type: tuple[int, ...],
) -> int:
    """The number of tasks that a symmetry with these cycles on templates and labels keeps.

    Such a task is a union of cycles. The label of one template of a cycle of length l decides the
    others; it must come back after l steps, so it lies in a cycle of labels whose length divides
    l. That every label occurs is sifted out by inclusion and exclusion over cycles of labels.
    """
    import networkx as nx

    where = {index: number for number, cycle in enumerate(cycles) for index in cycle}
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(cycles)))
    graph.add_edges_from((where[i], where[j]) for i, j in sharing)
    graph.remove_nodes_from([number for number in list(graph) if graph.has_edge(number, number)])
    parts = [sorted(part) for part in nx.connected_components(graph)]
    lengths = [len(cycle) for cycle in cycles]

    def choices(part: list[int], room: int, usable: list[int]) -> list[int]:
        """By total length, the ways to choose cycles, no two sharing a string, with labels."""
        found = [1] + [0] * room
        for number, first in enumerate(part):
            length = lengths[first]
            ways = sum(c for c in usable if length % c == 0)
            if length <= room and ways:
                others = [other for other in part[number + 1 :] if other not in graph[first]]
                for degree, a in enumerate(choices(others, room - length, usable)):
                    found[degree + length] += ways * a
        return found

    total = 0
    for kept in product((False, True), repeat=len(label_type)):
        usable = [length for length, keep in zip(label_type, kept, strict=True) if keep]
        series = [1] + [0] * size
        for part in parts:
            more = choices(part, size, usable)
            series = [sum(series[i] * more[k - i] for i in range(k + 1)) for k in range(size + 1)]
        total += (-1) ** (len(label_type) - len(usable)) * series[size]
    return total


# One task per orbit


def _representatives(
    family: Templates, size: int, colours: int | None, relabel: bool
) -> Iterator[Task]:
    templates = list(family)
    groups = permutations(range(family.length)), permutations(range(len(family.tokens)))
    images = _images(family, list(product(*groups)))
    shared = {frozenset((i, j)) for i, j, _ in overlaps(templates)}

    # The least set of an orbit, without its largest element, is the least of its own orbit: so
    # growing least sets only reaches every orbit, once.
    def grow(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == size:
            yield chosen
            return
        for index in range(chosen[-1] + 1 if chosen else 0, len(templates)):
            longer = (*chosen, index)
            disjoint = not any(frozenset((index, other)) in shared for other in chosen)
            if disjoint and _is_least(images, longer):
                yield from grow(longer)

    for chosen in grow(()):
        found = [templates[index] for index in chosen]
        if colours is None:
            yield Task(found, wildcards="")
        else:
            for labels in _labellings(images, chosen, colours, relabel):
                yield Task(found, labels=labels, wildcards="")


def _is_least(images: Integers, chosen: tuple[int, ...]) -> bool:
    """Whether no symmetry turns a set of templates into a smaller one."""
    moved = np.sort(images[:, chosen], axis=1) - np.array(chosen)
    first = np.argmax(moved != 0, axis=1)
    return bool((moved[np.arange(len(moved)), first] >= 0).all())


def _labellings(
    images: Integers, chosen: tuple[int, ...], colours: int, relabel: bool
) -> Iterator[tuple[int, ...]]:
    """The labellings onto all labels, the least of each class under what fixes the set."""
    moved = images[:, chosen]
    fixing = moved[(np.sort(moved, axis=1) == np.array(chosen)).all(axis=1)]
    place = {index: number for number, index in enumerate(chosen)}
    stabiliser = {tuple(place[index] for index in row) for row in fixing.tolist()}
    renamings = list(permutations(range(colours))) if relabel else [tuple(range(colours))]
    for labels in product(range(colours), repeat=len(chosen)):
        if len(set(labels)) == colours and all(
            labels <= tuple(renaming[labels[index]] for index in move)
            for move in stabiliser
            for renaming in renamings
        ):
            yield labels
