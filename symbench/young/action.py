"""Actions of S_n on finite sets: words, subsets, set partitions, templates, tabloids, your own.

An action is kept as one array per generator s_i: the number of the point to which each point
goes. Everything else (orbits, characters, decompositions, projectors, blocks) is computed from
these arrays, never from a matrix of the group.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import comb, factorial, prod
from typing import Any

import attrs

from symbench._arguments import function, instance, integer, sequence, shown
from symbench.draw.progress import progress
from symbench.draw.views import Shown
from symbench.errors import BadType, BadValue, TooLarge
from symbench.exact.arrays import Integers, np
from symbench.young.characters import ClassFunction
from symbench.young.enumeration import partitions
from symbench.young.partition import Partition, as_partition
from symbench.young.permutation import Permutation, as_permutation

LIMIT = 10**7  # points that are numbers
LISTED = 3 * 10**6  # points that are tuples: about 2 GB
CHUNK = 10**5  # points between two reports


@attrs.frozen(eq=False, repr=False)
class Action(Shown):
    """An action of S_n on finitely many points; functions on them are a representation.

    Build one by `Action.words`, `.subsets`, `.set_partitions`, `.templates`, `.tabloids`, or by
    `Action.of` from your own points.

    >>> pairs = Action.subsets(4, 2)
    >>> pairs.size, pairs.decompose()
    (6, {Partition(4): 1, Partition(3, 1): 1, Partition(2, 2): 1})
    >>> Action.words(12, 3).decompose()[Partition(10, 2)]
    162
    """

    degree: int
    size: int
    generators: Integers
    _point: Callable[[int], Any]
    name: str
    fixed: Callable[[Partition], int] | None = None

    def __attrs_post_init__(self) -> None:
        rows = max(integer(self.degree, "degree", at_least=0) - 1, 0)
        shape = getattr(self.generators, "shape", None)
        if shape != (rows, integer(self.size, "size", at_least=0)):
            raise BadType(
                f"the generators have shape {shape}, not {(rows, self.size)} (one row for each, "
                "one column per point): give them by Action.of(...)"
            )
        function(self._point, "the points", "a function from numbers to points")

    @classmethod
    def of(
        cls,
        degree: int,
        points: Iterable[Hashable],
        act: Callable[[Permutation, Any], Hashable],
    ) -> Action:
        """The action of S_n on points of your own; act(g, point) is the point g moves it to.

        It is checked to be an action.

        >>> edges = [frozenset(e) for e in [(1, 2), (1, 3), (2, 3)]]
        >>> Action.of(3, edges, lambda g, e: frozenset(map(g, e))).decompose()
        {Partition(3): 1, Partition(2, 1): 1}
        >>> Action.of(3, [1, 2], lambda g, x: g(x))
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: s_2 moves the point 2 to 3, which is not one of the points
        """
        degree = integer(degree, "degree", at_least=0)
        function(act, "act", "a function act(permutation, point)")
        listed = sequence(points, "points")
        place: dict[Any, int] = {}
        for k, point in enumerate(listed):
            if not isinstance(point, Hashable):
                raise BadType(
                    f"the point {shown(point)} is not hashable: give tuples or frozensets"
                )
            if point in place:
                raise BadValue(f"the point {shown(point)} is listed twice: give every point once")
            place[point] = k
        tables = np.empty((max(degree - 1, 0), len(listed)), dtype=np.int64)
        with progress("points, moved", tables.size) as report:
            for i in range(1, degree):
                s = Permutation.adjacent(degree, i)
                for k, point in enumerate(listed):
                    image = act(s, point)
                    if image not in place:
                        raise BadValue(
                            f"s_{i} moves the point {point!r} to {image!r}, which is not one of "
                            "the points"
                        )
                    tables[i - 1, k] = place[image]
                    report(1)
        action = cls(degree, len(listed), tables, listed.__getitem__, f"Action.of({degree}, ...)")
        action._check_relations()
        return action

    @classmethod
    def words(cls, length: int, letters: int) -> Action:
        """Positions permuted in the words of length L over the letters 1..V.

        >>> Action.words(3, 2).point(3)
        (1, 2, 2)
        """
        L = integer(length, "length", at_least=0)
        V = integer(letters, "letters", at_least=1)
        _room(V**L, f"the words of length {L} over {V} letters", LIMIT)
        index = np.arange(V**L, dtype=np.int64)
        tables = np.empty((max(L - 1, 0), V**L), dtype=np.int64)
        for i in range(1, L):
            high, low = V ** (L - i), V ** (L - i - 1)
            a, b = index // high % V, index // low % V
            tables[i - 1] = index + (b - a) * (high - low)

        def point(k: int) -> tuple[int, ...]:
            return tuple(int(k) // V ** (L - 1 - a) % V + 1 for a in range(L))

        return cls(L, V**L, tables, point, f"Action.words({L}, {V})", lambda mu: V ** len(mu))

    @classmethod
    def subsets(cls, points: int, size: int) -> Action:
        """The subsets of a size of 1..n, each a sorted tuple.

        >>> Action.subsets(3, 2).points
        [(1, 2), (1, 3), (2, 3)]
        """
        n, k = integer(points, "points", at_least=0), integer(size, "size", at_least=0)
        _room(comb(n, k), f"the subsets of {k} of {n} points", LISTED)
        listed = list(itertools.combinations(range(1, n + 1), k))
        return cls._listed(n, listed, move_subset, f"Action.subsets({n}, {k})")

    @classmethod
    def set_partitions(cls, points: int) -> Action:
        """The set partitions of 1..n, each a tuple of sorted blocks.

        >>> Action.set_partitions(3).points[1]
        ((1, 2), (3,))
        """
        from flint import fmpz

        n = integer(points, "points", at_least=0)
        _room(int(fmpz.bell_number(n)), f"the set partitions of {n} points", LISTED)
        listed = [blocks(word) for word in growth_words(n, 0)]
        return cls._listed(n, listed, move_blocks, f"Action.set_partitions({n})")

    @classmethod
    def templates(cls, length: int, tokens: int = 0) -> Action:
        """Templates up to renaming of wildcards: words in tokens 1..t and wildcards t+1, t+2, ...

        Wildcards are numbered in the order of their first positions.

        >>> Action.templates(2, tokens=1).points
        [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)]
        """
        from flint import fmpz

        n, t = integer(length, "length", at_least=0), integer(tokens, "tokens", at_least=0)
        count = sum(comb(n, k) * t ** (n - k) * int(fmpz.bell_number(k)) for k in range(n + 1))
        _room(count, f"the templates of length {n} with {t} tokens", LISTED)
        listed = list(growth_words(n, t))

        def move(i: int, word: tuple[int, ...]) -> tuple[int, ...]:
            return renumber(swap(i, word), t)

        return cls._listed(n, listed, move, f"Action.templates({n}, tokens={t})")

    @classmethod
    def tabloids(cls, shape: Partition) -> Action:
        """The tabloids of a shape, each the word of the rows of 1..n: the module M^mu.

        >>> Action.tabloids(Partition(2, 1)).points
        [(1, 1, 2), (1, 2, 1), (2, 1, 1)]
        """
        mu = as_partition(shape, "shape")
        count = factorial(mu.size) // prod(map(factorial, mu.parts))
        _room(count, f"the tabloids of {mu!r}", LISTED)
        letters = dict(enumerate(mu.parts, 1))
        listed = list(multiset_words(letters, mu.size))
        return cls._listed(mu.size, listed, swap, f"Action.tabloids({mu!r})")

    @classmethod
    def _listed(
        cls, degree: int, listed: list[Any], move: Callable[[int, Any], Any], name: str
    ) -> Action:
        place = {point: k for k, point in enumerate(listed)}
        tables = np.empty((max(degree - 1, 0), len(listed)), dtype=np.int64)
        with progress(f"points of {name}, moved", tables.size) as report:
            for i, row in enumerate(tables, 1):
                for start in range(0, len(listed), CHUNK):
                    some = listed[start : start + CHUNK]
                    row[start : start + CHUNK] = [place[move(i, point)] for point in some]
                    report(len(some))
        return cls(degree, len(listed), tables, listed.__getitem__, name)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        # Rebuilt from its arrays: local functions do not pickle.
        points = self.points
        return Action, (self.degree, self.size, self.generators, points.__getitem__, self.name)

    @property
    def points(self) -> list[Any]:
        """All points, in order."""
        return [self._point(k) for k in range(self.size)]

    def point(self, index: int) -> Any:
        """The point with a number.

        >>> Action.subsets(4, 2).point(5)
        (3, 4)
        """
        return self._point(integer(index, "index", at_least=0, at_most=self.size - 1))

    def permutation(self, g: Permutation) -> Integers:
        """Where a permutation of 1..n moves each point, as an array of point numbers.

        >>> Action.subsets(3, 2).permutation(Permutation(2, 3, 1)).tolist()
        [2, 0, 1]
        """
        g = as_permutation(g, self.degree)
        found = np.arange(self.size)
        for i in reversed(g.reduced_word()):
            found = self.generators[i - 1][found]
        return found

    def character(self) -> ClassFunction:
        """The permutation character: the number of points fixed by each class.

        >>> Action.subsets(3, 1).character().values
        (0, 1, 3)
        """
        if self.fixed is not None:
            return ClassFunction.of(self.degree, self.fixed)
        start = np.arange(self.size)
        values: dict[tuple[int, ...], int] = {}

        def grow(parts: tuple[int, ...], place: int, moved: Any) -> None:
            # Cycle after cycle on consecutive letters; equal beginnings are computed once.
            if place == self.degree:
                values[parts] = int((moved == start).sum())
                return
            cycle = moved
            largest = min(self.degree - place, parts[-1] if parts else self.degree)
            for length in range(1, largest + 1):
                if length > 1:
                    cycle = cycle[self.generators[place + length - 2]]
                grow((*parts, length), place + length, cycle)

        grow((), 0, start)
        return ClassFunction(self.degree, [values[mu.parts] for mu in partitions(self.degree)])

    def decompose(self) -> dict[Partition, int]:
        """The irreducibles in the functions on the points, with multiplicities.

        >>> Action.set_partitions(4).decompose()
        {Partition(4): 5, Partition(3, 1): 2, Partition(2, 2): 2}
        """
        return self.character().decompose()

    def orbits(self) -> list[list[int]]:
        """The orbits, as lists of point numbers.

        >>> Action.words(2, 2).orbits()
        [[0], [1, 2], [3]]
        """
        labels = self.labels(range(1, self.degree))
        found: dict[int, list[int]] = {}
        for k, label in enumerate(labels.tolist()):
            found.setdefault(label, []).append(k)
        return list(found.values())

    def labels(self, generators: Sequence[int]) -> Integers:
        """The number of the orbit of each point under some of the s_i, orbits in order of points.

        >>> Action.words(2, 2).labels([1]).tolist()
        [0, 1, 1, 2]
        """
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        size = self.size
        listed = sequence(generators, "generators")
        most = self.degree - 1
        chosen = [integer(i, "a generator", at_least=1, at_most=most) - 1 for i in listed]
        if not chosen:
            return np.arange(size)
        here = np.tile(np.arange(size), len(chosen))
        there = self.generators[chosen].ravel()
        graph = coo_matrix((np.ones(len(here), dtype=np.int8), (here, there)), shape=(size, size))
        _, labels = connected_components(graph, directed=False)
        _, first = np.unique(labels, return_index=True)
        order = np.empty(len(first), dtype=np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        found: Integers = order[labels]
        return found

    def transpositions(self) -> dict[tuple[int, int], Integers]:
        """The array of each transposition (i j), i < j."""
        found: dict[tuple[int, int], Integers] = {}
        for j in range(2, self.degree + 1):
            last = self.generators[j - 2]
            found[j - 1, j] = last
            for i in range(1, j - 1):
                # (i j) = s (i j-1) s with s = (j-1 j)
                found[i, j] = last[found[i, j - 1][last]]
        return found

    def _check_relations(self) -> None:
        start = np.arange(self.size)
        s = self.generators
        for i in range(len(s)):
            if not (s[i][s[i]] == start).all():
                raise BadValue(f"not an action: s_{i + 1} s_{i + 1} moves points")
            for j in range(i + 1, len(s)):
                a, b = s[i], s[j]
                same = a[b[a]] == b[a[b]] if j == i + 1 else a[b] == b[a]
                if not same.all():
                    raise BadValue(f"not an action: s_{i + 1} and s_{j + 1} break their relation")


def as_action(value: object) -> Action:
    """The value itself, if it is an Action."""
    return instance(value, Action, "the action", "one such as Action.subsets(4, 2)")


def _room(count: int, what: str, most: int) -> None:
    if count > most:
        raise TooLarge(
            f"{what} are {shown(count)} points, more than {most:,}: ask for the multiplicities in "
            "closed form (word_decomposition, kostka) instead"
        )


def swap(i: int, word: tuple[int, ...]) -> tuple[int, ...]:
    """The word with its letters at the positions i and i + 1 exchanged."""
    return (*word[: i - 1], word[i], word[i - 1], *word[i + 1 :])


def move_subset(i: int, subset: tuple[int, ...]) -> tuple[int, ...]:
    """The subset with i and i + 1 exchanged."""
    return tuple(sorted(i + 1 if x == i else i if x == i + 1 else x for x in subset))


def move_blocks(i: int, blocks: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The set partition with i and i + 1 exchanged."""
    return tuple(sorted(move_subset(i, block) for block in blocks))


def growth_words(length: int, tokens: int) -> Iterable[tuple[int, ...]]:
    """Words whose letters above the tokens appear in order: restricted growth."""
    words: list[tuple[tuple[int, ...], int]] = [((), tokens)]
    for _ in range(length):
        words = [
            ((*word, letter), max(top, letter))
            for word, top in words
            for letter in range(1, top + 2)
        ]
    return [word for word, _ in words]


def renumber(word: tuple[int, ...], tokens: int) -> tuple[int, ...]:
    """The word with its letters above the tokens renamed in the order of first places."""
    names: dict[int, int] = {}
    return tuple(x if x <= tokens else names.setdefault(x, tokens + len(names) + 1) for x in word)


def blocks(word: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The positions of each letter: a restricted growth word as a set partition."""
    found: dict[int, list[int]] = {}
    for position, block in enumerate(word, 1):
        found.setdefault(block, []).append(position)
    return tuple(map(tuple, found.values()))


def multiset_words(letters: dict[int, int], length: int) -> Iterable[tuple[int, ...]]:
    """All words with the given number of each letter, in lexicographic order."""
    if length == 0:
        return [()]
    found = []
    for letter, count in letters.items():
        if count:
            rest = {**letters, letter: count - 1}
            found += [(letter, *word) for word in multiset_words(rest, length - 1)]
    return found
