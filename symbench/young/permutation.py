"""Permutations of 1..n, composed from right to left as in Sagan: (g * h)(i) = g(h(i))."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import lcm
from typing import Any, TypeVar

import attrs

from symbench._arguments import instance, integer, integers, randomness, sequence, shown
from symbench.draw.views import Shown, View, formula
from symbench.errors import BadType, BadValue
from symbench.young.partition import Partition, as_partition, trusted

T = TypeVar("T")


_IMAGES = 20  # that a notebook shows


@attrs.frozen(init=False, repr=False)
class Permutation(Shown):
    """A permutation in one-line notation: Permutation(2, 3, 1) sends 1 to 2, 2 to 3, 3 to 1.

    >>> g = Permutation(2, 3, 1)
    >>> g(1), g.cycles, g.cycle_type, g.sign
    (2, ((1, 2, 3),), Partition(3), 1)
    >>> g * g.inverse == Permutation.identity(3)
    True
    >>> Permutation(1, 1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: (1, 1) is not a permutation: give each of 1..2 once
    """

    images: tuple[int, ...]

    def __init__(self, *images: int | Sequence[int]) -> None:
        given: Any = images
        if len(images) == 1 and isinstance(images[0], list | tuple):
            given = images[0]
        found = integers(given, "the images of a permutation")
        if sorted(found) != list(range(1, len(found) + 1)):
            raise BadValue(f"{found} is not a permutation: give each of 1..{len(found)} once")
        self.__attrs_init__(found)

    @classmethod
    def identity(cls, degree: int) -> Permutation:
        """The permutation that moves nothing.

        >>> Permutation.identity(3)
        Permutation(1, 2, 3)
        """
        return _trusted(range(1, integer(degree, "degree", at_least=0) + 1))

    @classmethod
    def from_cycles(cls, degree: int, *cycles: Sequence[int]) -> Permutation:
        """The product of disjoint cycles.

        >>> Permutation.from_cycles(5, (1, 3), (2, 4, 5))
        Permutation(3, 4, 1, 5, 2)
        """
        degree = integer(degree, "degree", at_least=0)
        images = list(range(1, degree + 1))
        seen: set[int] = set()
        for cycle in cycles:
            points = integers(cycle, "a cycle", at_least=1)
            for point in points:
                if point > degree or point in seen:
                    raise BadValue(
                        f"the cycle {points} moves {point}: give disjoint cycles of 1..{degree}"
                    )
                seen.add(point)
            for point, image in zip(points, points[1:] + points[:1], strict=True):
                images[point - 1] = image
        return _trusted(images)

    @classmethod
    def adjacent(cls, degree: int, i: int) -> Permutation:
        """The Coxeter generator s_i, which swaps i and i + 1.

        >>> Permutation.adjacent(4, 2)
        Permutation(1, 3, 2, 4)
        """
        return cls.from_cycles(degree, (integer(i, "i", at_least=1), i + 1))

    @classmethod
    def of_type(cls, cycle_type: Partition) -> Permutation:
        """The permutation of a cycle type whose cycles are runs of consecutive numbers.

        >>> Permutation.of_type(Partition(3, 2))
        Permutation(2, 3, 1, 5, 4)
        """
        images: list[int] = []
        for part in as_partition(cycle_type, "cycle_type").parts:
            start = len(images)
            images += [*range(start + 2, start + part + 1), start + 1]
        return _trusted(images)

    @classmethod
    def random(cls, degree: int, *, seed: Any = None) -> Permutation:
        """Draw a permutation, all equally likely.

        >>> Permutation.random(6, seed=3).degree
        6
        """
        images = list(range(1, integer(degree, "degree", at_least=0) + 1))
        randomness(seed, unseeded=True).shuffle(images)
        return _trusted(images)

    @classmethod
    def from_sympy(cls, permutation: Any) -> Permutation:
        """Read a sympy Permutation, whose points are 0..n-1.

        >>> from sympy.combinatorics import Permutation as SympyPermutation
        >>> Permutation.from_sympy(SympyPermutation([1, 0, 2]))
        Permutation(2, 1, 3)
        """
        form = getattr(permutation, "array_form", None)
        if form is None:
            raise BadType(f"the permutation is {shown(permutation)}: give one of sympy")
        return cls(*(image + 1 for image in form))

    def to_sympy(self) -> Any:
        """The sympy Permutation of 0..n-1.

        Sympy composes from left to right: the product g * h here is h * g there.

        >>> Permutation(2, 1, 3).to_sympy().array_form
        [1, 0, 2]
        """
        from sympy.combinatorics import Permutation as SympyPermutation

        return SympyPermutation([image - 1 for image in self.images])

    def __repr__(self) -> str:
        return f"Permutation({', '.join(map(str, self.images))})"

    def __str__(self) -> str:
        """The cycles that move something."""
        moved = [cycle for cycle in self.cycles if len(cycle) > 1]
        return "".join("(" + " ".join(map(str, cycle)) + ")" for cycle in moved) or "()"

    def _view(self) -> View:
        few = range(1, min(self.degree, _IMAGES) + 1)
        more = [r"\cdots"] if self.degree > _IMAGES else []
        lines = [map(str, few), (str(self.images[i - 1]) for i in few)]
        rows = r" \\ ".join(" & ".join([*line, *more]) for line in lines)
        both = rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"
        cycles = str(self).replace(" ", r"\ ")
        return formula(str(self), both if more else f"{both} = {cycles}")

    def __call__(self, point: int) -> int:
        return self.images[integer(point, "point", at_least=1, at_most=self.degree) - 1]

    def __mul__(self, other: Permutation) -> Permutation:
        other = as_permutation(other, self.degree)
        return _trusted(self.images[i - 1] for i in other.images)

    def __pow__(self, exponent: int) -> Permutation:
        exponent = integer(exponent, "exponent")
        images = [0] * self.degree
        for cycle in self.cycles:
            for i, point in enumerate(cycle):
                images[point - 1] = cycle[(i + exponent) % len(cycle)]
        return _trusted(images)

    @property
    def degree(self) -> int:
        """The number of points, moved or not."""
        return len(self.images)

    @property
    def inverse(self) -> Permutation:
        """The inverse permutation.

        >>> Permutation(2, 3, 1).inverse
        Permutation(3, 1, 2)
        """
        images = [0] * self.degree
        for point, image in enumerate(self.images, 1):
            images[image - 1] = point
        return _trusted(images)

    @property
    def cycles(self) -> tuple[tuple[int, ...], ...]:
        """All cycles, fixed points included, each from its least point.

        >>> Permutation(2, 1, 3).cycles
        ((1, 2), (3,))
        """
        found, seen = [], set[int]()
        for start in range(1, self.degree + 1):
            if start in seen:
                continue
            cycle, point = [start], self.images[start - 1]
            while point != start:
                cycle.append(point)
                point = self.images[point - 1]
            seen.update(cycle)
            found.append(tuple(cycle))
        return tuple(found)

    @property
    def cycle_type(self) -> Partition:
        """The lengths of the cycles, a partition of the degree.

        >>> Permutation(2, 1, 3).cycle_type
        Partition(2, 1)
        """
        return trusted(tuple(sorted(map(len, self.cycles), reverse=True)))

    @property
    def order(self) -> int:
        """The least positive power that is the identity.

        >>> Permutation(2, 1, 4, 5, 3).order
        6
        """
        return lcm(*map(len, self.cycles))

    @property
    def sign(self) -> int:
        """1 for an even permutation, -1 for an odd one."""
        return -1 if (self.degree - len(self.cycles)) % 2 else 1

    @property
    def length(self) -> int:
        """The number of inversions, which is the length of a reduced word.

        >>> Permutation(3, 2, 1).length
        3
        """
        return sum(a > b for a, b in itertools.combinations(self.images, 2))

    @property
    def descents(self) -> tuple[int, ...]:
        """The places i with g(i) > g(i + 1).

        >>> Permutation(2, 3, 1).descents
        (2,)
        """
        return tuple(i for i in range(1, self.degree) if self.images[i - 1] > self.images[i])

    def reduced_word(self) -> tuple[int, ...]:
        """A shortest word i_1 ... i_k with g = s_{i_1} ... s_{i_k}; the last one acts first.

        >>> Permutation(3, 2, 1).reduced_word()
        (1, 2, 1)
        """
        images, word = list(self.images), []
        for end in range(1, self.degree):
            # Sort by insertion: g s_i swaps the images at i and i + 1.
            for i in range(end, 0, -1):
                if images[i - 1] < images[i]:
                    break
                images[i - 1], images[i] = images[i], images[i - 1]
                word.append(i)
        return tuple(reversed(word))

    def reduced_words(self) -> Iterator[tuple[int, ...]]:
        """All reduced words, lazily.

        >>> sorted(Permutation(3, 2, 1).reduced_words())
        [(1, 2, 1), (2, 1, 2)]
        """
        if not self.descents:
            yield ()
        for i in self.descents:
            shorter = self * Permutation.adjacent(self.degree, i)
            for word in shorter.reduced_words():
                yield (*word, i)

    def act(self, word: Sequence[T]) -> tuple[T, ...]:
        """The word with the letter at position a moved to position g(a): a left action.

        >>> "".join(Permutation(2, 3, 1).act("abc"))
        'cab'
        """
        letters: Any = tuple(word) if isinstance(word, str) else sequence(word, "word")
        as_permutation(self, len(letters))
        moved = list(letters)
        for letter, image in zip(letters, self.images, strict=True):
            moved[image - 1] = letter
        return tuple(moved)


def permutations(degree: int) -> Iterator[Permutation]:
    """All permutations of 1..n, lazily, in lexicographic order of their images.

    >>> [str(g) for g in permutations(3)]
    ['()', '(2 3)', '(1 2)', '(1 2 3)', '(1 3 2)', '(1 3)']
    """
    degree = integer(degree, "degree", at_least=0)
    return map(_trusted, itertools.permutations(range(1, degree + 1)))


def as_permutation(value: object, degree: int) -> Permutation:
    """The value as a Permutation of the degree, or an error."""
    found = instance(value, Permutation, "the permutation", "one such as Permutation(2, 1, 3)")
    if len(found.images) != degree:
        raise BadValue(f"{found!r} permutes 1..{found.degree}: give a permutation of 1..{degree}")
    return found


def _trusted(images: Any) -> Permutation:
    made = object.__new__(Permutation)
    object.__setattr__(made, "images", tuple(images))
    return made
