"""Groups of permutations of positions, with their irreducibles.

A Young subgroup S_a x S_b x ... permutes a consecutive positions, then the b after them, and so
on; its irreducibles are tuples of partitions. With one segment it is S_L itself, whose irreducibles
are partitions; (L - 1, 1) keeps the last position where it is. The cyclic group rotates all
positions; over the real numbers its irreducibles are the frequencies 0, ..., L // 2, of dimension 2
except 0 and L/2.

>>> YoungSubgroup(3, 2).order, YoungSubgroup(3, 2).dimension(("2+1", "2"))
(12, 2)
>>> YoungSubgroup(3).irreps
(Partition(3), Partition(2, 1), Partition(1, 1, 1))
>>> CyclicGroup(6).irreps, CyclicGroup(6).dimension(5)
((0, 1, 2, 3), 2)
"""

from __future__ import annotations

import itertools
from math import factorial, gcd, prod
from typing import Any, TypeAlias

import attrs

from symbench._arguments import integer, shown
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType, TooLarge, UnknownName
from symbench.young import Partition, partitions
from symbench.young.enumeration import MOST
from symbench.young.partition import as_partition

Move = tuple[int, ...]  # entry a: the place, counted from 0, of what comes to place a
Shapes = tuple[Partition, ...]
Irrep: TypeAlias = Partition | Shapes | int  # of S_L, of a Young subgroup, of the cyclic group


def is_irrep(given: object) -> bool:
    """Whether this names an irreducible of some group: a partition, some of them, a frequency."""
    shapes = given if isinstance(given, tuple) and given else (given,)
    return type(given) is int or all(isinstance(shape, Partition) for shape in shapes)


def irrep_order(irrep: Irrep) -> tuple[tuple[int, ...], ...]:
    """A key by which irreducibles of one group are sorted: (3), (2, 1), ...; frequencies rise."""
    if isinstance(irrep, int):
        return ((irrep,),)
    return tuple(tuple(-n for n in shape.parts) for shape in _listed(irrep))


def partition_of(irrep: Irrep) -> Partition:
    """The partition of an irreducible of S_L; of several segments, that of the first."""
    first = irrep[0] if isinstance(irrep, tuple) else irrep
    if not isinstance(first, Partition):
        raise BadType(f"the irrep {shown(irrep)} is no partition: S_L has partitions")
    return first


@attrs.frozen(init=False, repr=False)
class YoungSubgroup(Shown):
    """The permutations that keep each of some consecutive segments of positions.

    >>> YoungSubgroup(3, 2).degree, YoungSubgroup(3, 2).generators[0]
    (5, ('the transposition (1 2) of positions', (1, 0, 2, 3, 4)))
    >>> [" x ".join(map(str, irrep)) for irrep in YoungSubgroup(2, 1).irreps]
    ['2 x 1', '1+1 x 1']
    >>> YoungSubgroup(3, 0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the length of a segment is 0: give an integer of at least 1
    """

    parts: tuple[int, ...]

    def __init__(self, *parts: Any) -> None:
        given = parts
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = tuple(given[0])
        found = tuple(integer(n, "the length of a segment", at_least=1) for n in given)
        if not found:
            raise BadShape("there are no segments: write YoungSubgroup(3, 2)")
        self.__attrs_init__(found)

    def __repr__(self) -> str:
        return f"YoungSubgroup({', '.join(map(str, self.parts))})"

    @property
    def degree(self) -> int:
        """The number of positions."""
        return sum(self.parts)

    @property
    def order(self) -> int:
        """The number of its permutations."""
        return prod(map(factorial, self.parts))

    @property
    def irreps(self) -> tuple[Partition | Shapes, ...]:
        """All irreducibles: a partition of each part; with one part, the partitions themselves."""
        if len(self.parts) == 1:
            return tuple(partitions(self.parts[0]))
        count = prod(partitions(part).count for part in self.parts)
        if count > MOST:
            raise TooLarge(
                f"{self!r} has {shown(count)} irreducibles, more than {MOST:,}: name single ones, "
                "such as .irrep(...)"
            )
        return tuple(itertools.product(*map(partitions, self.parts)))

    @property
    def moving(self) -> int:
        """The length of the first segment, if all others have one position: these stay put.

        >>> YoungSubgroup(3, 1, 1).moving, YoungSubgroup(4).moving, YoungSubgroup(2, 2).moving
        (3, 4, 0)
        """
        return self.parts[0] if all(part == 1 for part in self.parts[1:]) else 0

    @property
    def generators(self) -> tuple[tuple[str, Move], ...]:
        """The transpositions of neighbours in one segment, each with its name."""
        found, start = [], 0
        for part in self.parts:
            for i in range(start, start + part - 1):
                move = list(range(self.degree))
                move[i], move[i + 1] = i + 1, i
                name = f"the transposition ({i + 1} {i + 2}) of positions"
                found.append((name, tuple(move)))
            start += part
        return tuple(found)

    def irrep(self, given: Any) -> Partition | Shapes:
        """An irreducible, from partitions or what can be read as such.

        Positions that stay put may be left out.

        >>> YoungSubgroup(3, 2).irrep(("2+1", [2])), YoungSubgroup(3).irrep("2+1")
        ((Partition(2, 1), Partition(2)), Partition(2, 1))
        >>> YoungSubgroup(3, 1).irrep("2+1")
        (Partition(2, 1), Partition(1))
        >>> YoungSubgroup(3, 2).irrep(("2+1",))
        Traceback (most recent call last):
        ...
        symbench.errors.UnknownName: ('2+1',) is no irrep of YoungSubgroup(3, 2): give a tuple ...
        """
        shapes = self._shapes(given)
        if shapes is None or tuple(shape.size for shape in shapes) != self.parts:
            wanted = "a tuple of partitions" if len(self.parts) > 1 else "a partition"
            raise UnknownName(
                f"{shown(given)} is no irrep of {self!r}: give {wanted} of "
                f"{', '.join(map(str, self.parts))}"
            )
        return shapes if len(shapes) > 1 else shapes[0]

    def _shapes(self, given: Any) -> Shapes | None:
        single = not isinstance(given, (tuple, list)) or all(isinstance(n, int) for n in given)
        if single and self.moving:
            first = as_partition(given, "the partition")
            return (first, *[Partition(1)] * (len(self.parts) - 1))
        if single or len(given) != len(self.parts):
            return None
        return tuple(as_partition(shape, "a partition") for shape in given)

    def dimension(self, irrep: Any) -> int:
        """The dimension of an irreducible: the product of those of its partitions."""
        return prod(shape.dim for shape in _listed(self.irrep(irrep)))

    def text(self, irrep: Any) -> str:
        """An irreducible in a line, such as 2+1 x 2."""
        return " x ".join(map(str, _listed(self.irrep(irrep))))

    def latex(self, irrep: Any) -> str:
        r"""An irreducible in LaTeX.

        >>> print(YoungSubgroup(3, 2).latex(("2+1", "2")))
        (2, 1) \otimes (2)
        """
        shapes = _listed(self.irrep(irrep))
        return r" \otimes ".join(f"({', '.join(map(str, shape))})" for shape in shapes)


@attrs.frozen(repr=False)
class CyclicGroup(Shown):
    """The rotations of L positions on a ring.

    The functions of frequency j are multiplied by exp(2 pi i j / L) when the word is rotated by
    one place. Frequencies j and L - j are conjugate, and make one irreducible over the real
    numbers; it is named by the smaller one.

    >>> group = CyclicGroup(5)
    >>> group.order, group.irreps, group.irrep(4), group.dimension(1), group.dimension(0)
    (5, (0, 1, 2), 1, 2, 1)
    """

    degree: int = attrs.field()

    @degree.validator
    def _check(self, _: Any, value: Any) -> None:
        integer(value, "the length of the ring", at_least=1)

    def __repr__(self) -> str:
        return f"CyclicGroup({self.degree})"

    @property
    def order(self) -> int:
        """The number of rotations."""
        return self.degree

    @property
    def irreps(self) -> tuple[int, ...]:
        """The frequencies 0, ..., L // 2."""
        return tuple(range(self.degree // 2 + 1))

    @property
    def generators(self) -> tuple[tuple[str, Move], ...]:
        """The rotation by one place, with its name."""
        move = (*range(1, self.degree), 0)
        return (("the rotation by one place", move),) if self.degree > 1 else ()

    def irrep(self, given: Any) -> int:
        """The frequency in 0, ..., L // 2 that goes with a given one."""
        if isinstance(given, (str, tuple, list, Partition)):
            raise UnknownName(f"{shown(given)} is no irrep of {self!r}: give a frequency such as 1")
        found = integer(given, "the frequency") % self.degree
        return min(found, self.degree - found)

    def dimension(self, irrep: Any) -> int:
        """2 for a frequency and its conjugate, 1 for 0 and L/2."""
        return 1 if 2 * self.irrep(irrep) % self.degree == 0 else 2

    def turn(self, irrep: Any) -> int:
        """The order of exp(2 pi i j / L): the smallest rotation that a frequency does not see.

        >>> [CyclicGroup(6).turn(j) for j in range(4)]
        [1, 6, 3, 2]
        """
        return self.degree // gcd(self.irrep(irrep), self.degree)

    def text(self, irrep: Any) -> str:
        """The frequency as text, and in LaTeX."""
        return str(self.irrep(irrep))

    latex = text


Group = YoungSubgroup | CyclicGroup


def _listed(irrep: Partition | Shapes) -> Shapes:
    return irrep if isinstance(irrep, tuple) else (irrep,)


def read_group(group: Any, length: int) -> Group:
    """The group of permutations of L positions that is meant; None is S_L."""
    if group is None:
        return YoungSubgroup(length)
    if isinstance(group, str):
        if group != "cyclic":
            raise UnknownName(
                f"the group is {shown(group)}: give 'cyclic' or a tuple such as (3, 2)"
            )
        found: Group = CyclicGroup(length)
    elif isinstance(group, (tuple, list)):
        found = YoungSubgroup(*group)
    elif isinstance(group, (YoungSubgroup, CyclicGroup)):
        found = group
    else:
        raise BadType(
            f"the group is {shown(group)}: give 'cyclic', YoungSubgroup(3, 2) or a tuple such as "
            "(3, 2)"
        )
    if found.degree != length:
        raise BadShape(f"{found!r} permutes {found.degree} positions, the words have {length}")
    return found


def moved(word: tuple[Any, ...], move: Move) -> tuple[Any, ...]:
    """The word after a permutation of its positions."""
    return tuple(word[a] for a in move)


def elements(group: Group) -> list[Move]:
    """All permutations of a small group."""
    first = tuple(range(group.degree))
    found, front = {first: None}, [first]
    while front:
        grown = [moved(g, move) for g in front for _, move in group.generators]
        front = list(dict.fromkeys(g for g in grown if g not in found))
        found.update(dict.fromkeys(front))
    return list(found)


def contains(group: Any, smaller: Any, length: int) -> bool:
    """Whether one group of permutations of L positions is inside of another."""
    big, small = read_group(group, length), read_group(smaller, length)
    if isinstance(big, CyclicGroup):
        return isinstance(small, CyclicGroup) or length == 2 or max(small.parts) == 1
    if isinstance(small, CyclicGroup):
        return len(big.parts) == 1
    # Segments that end where others end are not cut by them; no permutation is written down.
    return set(itertools.accumulate(big.parts)) <= set(itertools.accumulate(small.parts))
