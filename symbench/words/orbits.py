"""Orbits: all tasks up to symmetry, counted by Burnside's lemma and listed one per orbit.

The symmetries permute the positions of all templates at once, rename the regular tokens and, if
asked, permute the labels. A task here is a set of pairwise disjoint templates, with or without
labels; two tasks are the same up to symmetry when one symmetry turns one into the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING, Any

from symbench._arguments import flag, integer
from symbench.errors import BadValue, TooLarge
from symbench.words.disjointness import overlaps
from symbench.words.letters import read_tokens
from symbench.words.task import Task
from symbench.words.template import Template
from symbench.words.templates import Templates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    size, names, colours = _read(length, size, tokens, labels, relabel)
    family = _family(length, names)
    if size > family.count:
        return 0
    templates = list(family)
    sharing = [(i, j) for i, j, _ in overlaps(templates)]
    label_types = _cycle_types(colours) if relabel else [((1,) * colours, 1)]
    total = 0
    for positions, position_ways in _cycle_types(length):
        for renaming, token_ways in _cycle_types(len(names)):
            image = _action(family, templates, _of_type(positions), _of_type(renaming))
            cycles = _cycles(image)
            for label_type, label_ways in label_types:
                fixed = _fixed_tasks(cycles, sharing, size, label_type if labels else None)
                total += position_ways * token_ways * label_ways * fixed
    order = factorial(length) * factorial(len(names)) * (factorial(colours) if relabel else 1)
    return total // order


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
    size, names, colours = _read(length, size, tokens, labels, relabel)
    family = _family(length, names)
    if size > family.count:
        return iter(())
    order = factorial(length) * factorial(len(names))
    if order * family.count > _MOST_IMAGES:
        raise TooLarge(
            f"{order} symmetries of {family.count} templates are too many to walk through; "
            "ask count_tasks for the number, or take a smaller length"
        )
    return _representatives(family, size, colours if labels else None, relabel)


def _read(
    length: int, size: int, tokens: Any, labels: int | None, relabel: bool
) -> tuple[int, tuple[str, ...], int]:
    integer(length, "the length of a template", at_least=1)
    size = integer(size, "the number of templates", at_least=1)
    names = read_tokens(tokens)
    flag(relabel, "relabel")
    if labels is None:
        if relabel:
            raise BadValue("relabel is True and there are no labels to permute: give labels=c")
        return size, names, 0
    what = "the number of labels, which all occur on the templates,"
    colours = integer(labels, what, at_least=1, at_most=size, limit=_MOST_LABELS)
    return size, names, colours


def _family(length: int, names: tuple[str, ...]) -> Templates:
    family = Templates(length, tokens=names)
    if family.count > _MOST_TEMPLATES:
        raise TooLarge(
            f"tasks among all {family.count} templates of length {length} with {len(names)} tokens "
            f"are too many to sort out (at most {_MOST_TEMPLATES} templates); take a smaller length"
        )
    return family


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


def _of_type(cycle_type: tuple[int, ...]) -> list[int]:
    """A permutation with these cycle lengths."""
    image: list[int] = []
    for part in cycle_type:
        start = len(image)
        image += [*range(start + 1, start + part), start]
    return image


def _action(
    family: Templates, templates: list[Template], positions: Any, renaming: Any
) -> list[int]:
    """Where each template goes when positions are permuted and tokens renamed."""
    names = {token: family.tokens[renaming[i]] for i, token in enumerate(family.tokens)}
    place = {template: index for index, template in enumerate(templates)}
    found = []
    for template in templates:
        letters = [""] * family.length
        for position, letter in enumerate(template.letters):
            letters[positions[position]] = names.get(letter, letter)
        found.append(place[Template(letters, wildcards=template.wildcards).canonical])
    return found


def _cycles(image: list[int]) -> list[tuple[int, ...]]:
    seen: set[int] = set()
    found = []
    for start in range(len(image)):
        if start not in seen:
            cycle = [start]
            while image[cycle[-1]] != start:
                cycle.append(image[cycle[-1]])
            seen.update(cycle)
            found.append(tuple(cycle))
    return found


# Counting what a symmetry leaves in place


def _fixed_tasks(
    cycles: list[tuple[int, ...]],
    sharing: list[tuple[int, int]],
    size: int,
    label_type: tuple[int, ...] | None,
) -> int:
    """The tasks that a symmetry with these cycles on templates (and on labels) leaves in place.

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
    parts = [frozenset(part) for part in nx.connected_components(graph)]
    near = {number: frozenset(graph[number]) for number in graph}
    if label_type is None:
        return _choices(parts, near, [len(cycle) for cycle in cycles], None, size)
    total = 0
    for kept in product((False, True), repeat=len(label_type)):
        usable = [length for length, keep in zip(label_type, kept, strict=True) if keep]
        sign = (-1) ** (len(label_type) - len(usable))
        total += sign * _choices(parts, near, [len(cycle) for cycle in cycles], usable, size)
    return total


def _choices(
    parts: list[frozenset[int]],
    near: dict[int, frozenset[int]],
    lengths: list[int],
    usable: list[int] | None,
    size: int,
) -> int:
    """The ways to choose cycles, none near another, of total length `size`, with their labels."""

    def ways(length: int) -> int:
        return 1 if usable is None else sum(c for c in usable if length % c == 0)

    def times(left: list[int], right: list[int]) -> list[int]:
        found = [0] * (size + 1)
        for i, a in enumerate(left):
            if a:
                for j, b in enumerate(right[: size + 1 - i]):
                    found[i + j] += a * b
        return found

    def independent(part: list[int], room: int) -> list[int]:
        """The generating polynomial of the choices inside a part: by their first member."""
        found = [1] + [0] * room
        for number, first in enumerate(part):
            length = lengths[first]
            if length <= room:
                others = [other for other in part[number + 1 :] if other not in near[first]]
                for degree, a in enumerate(independent(others, room - length)):
                    found[degree + length] += ways(length) * a
        return found

    total = [1] + [0] * size
    for part in parts:
        total = times(total, independent(sorted(part), size))
    return total[size]


# One task per orbit


def _representatives(
    family: Templates, size: int, colours: int | None, relabel: bool
) -> Iterator[Task]:
    import numpy as np

    templates = list(family)
    images = np.array(
        [
            _action(family, templates, positions, renaming)
            for positions in permutations(range(family.length))
            for renaming in permutations(range(len(family.tokens)))
        ],
        dtype=np.int64,
    )
    shared = {frozenset((i, j)) for i, j, _ in overlaps(templates)}

    # The least set of an orbit, without its largest element, is the least of its own orbit: so
    # growing least sets only reaches every orbit, once.
    def grow(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == size:
            yield chosen
            return
        start = chosen[-1] + 1 if chosen else 0
        for index in range(start, len(templates)):
            if any(frozenset((index, other)) in shared for other in chosen):
                continue
            longer = (*chosen, index)
            if _is_least(images, longer):
                yield from grow(longer)

    for chosen in grow(()):
        found = [templates[index] for index in chosen]
        if colours is None:
            yield Task(found)
        else:
            for labels in _labellings(images, chosen, colours, relabel):
                yield Task(found, labels=labels)


def _is_least(images: NDArray[np.int64], chosen: tuple[int, ...]) -> bool:
    """Whether no symmetry turns a set of templates into a smaller one."""
    import numpy as np

    moved = np.sort(images[:, chosen], axis=1) - np.array(chosen)
    differs = moved != 0
    first = np.argmax(differs, axis=1)
    return bool((moved[np.arange(len(moved)), first] >= 0).all())


def _labellings(
    images: NDArray[np.int64], chosen: tuple[int, ...], colours: int, relabel: bool
) -> Iterator[tuple[int, ...]]:
    """The labellings onto all labels, the least of each class under what fixes the set."""
    import numpy as np

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
