"""Irreducible characters of the symmetric groups by the rule of Murnaghan and Nakayama.

Partitions are sets of beads kept as bits, a rim hook is a bead that moves down. A single value
removes one part of the cycle type after the other from a dictionary of shapes; a table does the
same to all shapes at once with one sparse matrix per part.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice
from math import factorial, lcm
from typing import Any

import attrs

from symbench import _arguments
from symbench._arguments import instance, integer, sequence
from symbench.draw.views import Shown, View, columns_text, sheet
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import Matrix
from symbench.exact.arrays import Integers, np
from symbench.exact.rational import exact_number
from symbench.young import bulk
from symbench.young.enumeration import on_each, partitions
from symbench.young.partition import Partition, as_partition, beta_dim, betas, same_size

Shape = Partition | str | Sequence[int]


def character(shape: Shape, cycle_type: Shape) -> int:
    """The irreducible character of a shape at the permutations of a cycle type.

    >>> character("3+2", "2+2+1")
    1
    >>> character(Partition(20, 15, 10, 8, 4, 3), Partition(9, 8, 7, 6, 6, 5, 5, 4, 4, 3, 2, 1))
    2
    >>> character(Partition(3), Partition(2))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: Partition(3) has size 3 and Partition(2) has size 2: give two \
partitions of the same number
    """
    lam, mu = as_partition(shape, "shape"), as_partition(cycle_type, "cycle_type")
    same_size(lam, mu)
    states = {sum(1 << bead for bead in betas(lam.parts)): 1}
    for i, part in enumerate(mu.parts):
        if part == mu.parts[-1]:
            # Equal parts to the end: each shape has a closed form.
            count = len(mu.parts) - i
            return sum(c * _equal_hooks(mask, part, count) for mask, c in states.items())
        states = _remove_hooks(states, part)
    return sum(states.values())


def _remove_hooks(states: dict[int, int], part: int) -> dict[int, int]:
    found: dict[int, int] = {}
    between = (1 << (part - 1)) - 1
    for mask, coefficient in states.items():
        movable = (mask >> part) & ~mask
        while movable:
            bit = movable & -movable
            movable ^= bit
            gap = bit.bit_length() - 1
            height = (mask >> (gap + 1) & between).bit_count()
            left = mask ^ bit ^ (bit << part)
            # A run of beads at the bottom stands for empty rows: shift it out.
            left >>= (left ^ (left + 1)).bit_length() - 1
            found[left] = found.get(left, 0) + (-coefficient if height & 1 else coefficient)
    return {mask: c for mask, c in found.items() if c}


def _equal_hooks(mask: int, part: int, count: int) -> int:
    """The character at (part, ..., part): the abacus with `part` runners, one shape on each."""
    beads = [i for i, bit in enumerate(reversed(bin(mask)[2:])) if bit == "1"]
    if part == 1:
        return beta_dim(beads[::-1]) if beads else 1
    runners: list[list[int]] = [[] for _ in range(part)]
    for bead in beads:
        runners[bead % part].append(bead // part)
    total = factorial(count)
    cells = 0
    for runner in runners:
        size = sum(runner) - len(runner) * (len(runner) - 1) // 2
        if size:
            total = total // factorial(size) * beta_dim(runner[::-1])
        cells += size
    if cells != count:
        return 0  # the core is not empty: the hooks cannot all be removed
    # The sign is that of the permutation which sorts the beads back to their first places.
    home, seen, inversions = [0] * part, list[int](), 0
    for bead in beads:
        place = home[bead % part] * part + bead % part
        home[bead % part] += 1
        index = bisect_right(seen, place)
        inversions += len(seen) - index
        seen.insert(index, place)
    return -total if inversions % 2 else total


@attrs.frozen(init=False, repr=False)
class CharacterTable(Shown):
    """The character table of S_n; rows and columns in the order of `partitions(n)`.

    >>> t = CharacterTable(3)
    >>> t.values.tolist()
    [[1, 1, 1], [-1, 0, 2], [1, -1, 1]]
    >>> t["2+1", "3"], t.class_sizes
    (-1, (2, 3, 1))
    >>> print(t)
            3  2+1  1+1+1
    3       1    1      1
    2+1    -1    0      2
    1+1+1   1   -1      1
    """

    n: int

    def __init__(self, n: int) -> None:
        self.__attrs_init__(integer(n, "n", at_least=0))

    def __repr__(self) -> str:
        return f"CharacterTable({self.n})"

    @property
    def values(self) -> Integers:
        """The table as a read-only numpy array of 64-bit integers (all values fit, n <= 34)."""
        bulk.check_table(self.n, "character table", "ask for columns: .column(cycle_type), n <= 63")
        return bulk.table(self.n, bulk.rim_hooks)

    @property
    def shapes(self) -> tuple[Partition, ...]:
        """The partitions that name the rows, and the columns."""
        return tuple(partitions(self.n))

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """The sizes of the conjugacy classes, in the order of the columns."""
        return tuple(shape.class_size for shape in self.shapes)

    def __getitem__(self, key: tuple[Shape, Shape]) -> int:
        if not isinstance(key, tuple) or len(key) != 2:
            raise BadType(f"the index is {key!r}: give a shape and a cycle type")
        shape, cycle_type = key
        return character(self._of_size(shape, "shape"), self._of_size(cycle_type, "cycle_type"))

    def row(self, shape: Shape) -> tuple[int, ...]:
        """The character of one irreducible, class by class.

        >>> CharacterTable(3).row("2+1")
        (-1, 0, 2)
        """
        place = partitions(self.n).index(self._of_size(shape, "shape"))
        return tuple(self.values[place].tolist())

    def column(self, cycle_type: Shape) -> tuple[int, ...]:
        """All irreducible characters at one class, without the rest of the table; n <= 63.

        >>> CharacterTable(3).column("2+1")
        (1, 0, -1)
        >>> column = CharacterTable(40).column("10+10+5+5+5+5")
        >>> sum(x * x for x in column) == Partition(10, 10, 5, 5, 5, 5).centralizer_order
        True
        """
        return tuple(bulk.characters_at(self._of_size(cycle_type, "cycle_type")))

    def is_orthogonal(self) -> bool:
        """Whether the rows are orthonormal, multiplied out in exact integers.

        >>> CharacterTable(8).is_orthogonal()
        True
        """
        rows, sizes = self.values.tolist(), self.class_sizes
        weighted = [[a * s for a, s in zip(row, sizes, strict=True)] for row in rows]
        product = Matrix(weighted) @ Matrix(rows).transpose()
        return product == Matrix.identity(len(rows)) * factorial(self.n)

    def __str__(self) -> str:
        first = list(islice(partitions(self.n), 12))
        grid = [["", *map(str, first)]]
        grid += [[str(row), *(str(character(row, mu)) for mu in first)] for row in first]
        table = columns_text(grid, right=range(1, len(first) + 1))
        count = partitions(self.n).count
        return table if count <= 12 else sheet(table, f"... {count:,} rows and columns in all")

    def _of_size(self, shape: Shape, name: str) -> Partition:
        found = as_partition(shape, name)
        if found.size != self.n:
            raise BadValue(
                f"{name} is {found!r}, of size {found.size}: give a partition of {self.n}"
            )
        return found


Number = int | Fraction


@attrs.frozen(init=False)
class ClassFunction(Shown):
    """A function on the conjugacy classes of S_n; values in the order of `partitions(n)`.

    Products are pointwise: the tensor product of representations.

    >>> fixed = ClassFunction.of(4, lambda mu: mu.multiplicities.get(1, 0))
    >>> fixed.decompose()
    {Partition(4): 1, Partition(3, 1): 1}
    >>> (fixed * fixed).inner(fixed)
    5
    """

    n: int
    values: tuple[Number, ...]

    def __init__(self, n: int, values: Sequence[Number]) -> None:
        n = integer(n, "n", at_least=0)
        found = [Fraction(exact_number(value)) for value in sequence(values, "values")]
        if len(found) != partitions(n).count:
            raise BadShape(
                f"{len(found)} values for the {partitions(n).count} classes of S_{n}: "
                "give one per partition, in the order of partitions(n)"
            )
        self.__attrs_init__(n, tuple(map(_plain, found)))

    def _view(self) -> View:
        pairs = zip(partitions(self.n), self.values, strict=True)
        rows = [[str(mu), str(mu.class_size), str(value)] for mu, value in pairs]
        table = columns_text([["cycle type", "permutations", "value"], *rows], right=(1, 2))
        return sheet(f"a class function of S_{self.n}", table)

    @classmethod
    def of(cls, n: int, function: Callable[[Partition], Number]) -> ClassFunction:
        """The class function whose value at each cycle type is computed by a function.

        >>> ClassFunction.of(3, lambda mu: mu.sign).values
        (1, -1, 1)
        """
        _arguments.function(function, "the function", "a function of cycle types")
        values = on_each(partitions(n), function, "take a smaller n")
        return cls(n, list(values.values()))

    @classmethod
    def irreducible(cls, shape: Partition) -> ClassFunction:
        """The character of an irreducible.

        >>> ClassFunction.irreducible(Partition(2, 1)).values
        (-1, 0, 2)
        """
        shape = as_partition(shape, "shape")
        return cls(shape.size, CharacterTable(shape.size).row(shape))

    def __call__(self, cycle_type: Partition) -> Number:
        return self.values[partitions(self.n).index(as_partition(cycle_type, "cycle_type"))]

    def __add__(self, other: ClassFunction) -> ClassFunction:
        return self._with(other, operator.add)

    def __sub__(self, other: ClassFunction) -> ClassFunction:
        return self._with(other, operator.sub)

    def __mul__(self, other: ClassFunction | Number) -> ClassFunction:
        if not isinstance(other, ClassFunction):
            factor = Fraction(exact_number(other))
            return ClassFunction(self.n, [factor * value for value in self.values])
        return self._with(other, operator.mul)

    __rmul__ = __mul__

    def inner(self, other: ClassFunction) -> Number:
        """The mean over the group of the product (all values are real).

        >>> chi = ClassFunction.irreducible(Partition(2, 1))
        >>> chi.inner(chi), chi.inner(ClassFunction.irreducible(Partition(3)))
        (1, 0)
        """
        product = self._with(other, operator.mul).values
        shapes = partitions(self.n)
        total = sum(s.class_size * value for s, value in zip(shapes, product, strict=True))
        mean = Fraction(total) / factorial(self.n)
        return _plain(mean)

    def decompose(self) -> dict[Partition, int]:
        """The multiplicity of each irreducible that occurs; negative for a virtual character.

        >>> (ClassFunction.irreducible(Partition(2, 1)) * ClassFunction(3, [1, -1, 1])).decompose()
        {Partition(2, 1): 1}
        >>> ClassFunction(2, [0, 1]).decompose()
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: the class function is not a character: Partition(2) would occur \
1/2 times
        """
        scale = lcm(*(value.denominator for value in self.values))
        shapes = list(partitions(self.n))
        weighted = [int(s.class_size * v * scale) for s, v in zip(shapes, self.values, strict=True)]
        sums = exact_product(CharacterTable(self.n).values, weighted)
        order = factorial(self.n) * scale
        for shape, total in zip(shapes, sums, strict=True):
            if total % order:
                raise BadValue(
                    f"the class function is not a character: {shape!r} would occur "
                    f"{Fraction(total, order)} times"
                )
        return {s: total // order for s, total in zip(shapes, sums, strict=True) if total}

    def restrict(self) -> ClassFunction:
        """The restriction to S_(n-1), the permutations that fix n.

        >>> ClassFunction.irreducible(Partition(2, 1)).restrict().decompose()
        {Partition(2): 1, Partition(1, 1): 1}
        """
        if self.n == 0:
            raise BadValue("n is 0: give a class function of a group that has a smaller one")
        return ClassFunction.of(self.n - 1, lambda mu: self(Partition(*mu.parts, 1)))

    def induce(self) -> ClassFunction:
        """The class function induced to S_(n+1).

        >>> ClassFunction.irreducible(Partition(2)).induce().decompose()
        {Partition(3): 1, Partition(2, 1): 1}
        """

        def value(mu: Partition) -> Number:
            ones = mu.multiplicities.get(1, 0)
            return ones * self(Partition(*mu.parts[:-1])) if ones else 0

        return ClassFunction.of(self.n + 1, value)

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> ClassFunction:
        theirs = instance(other, ClassFunction, "the other one", "a ClassFunction")
        if theirs.n != self.n:
            raise BadValue(
                f"the groups are S_{self.n} and S_{theirs.n}: give class functions of one group"
            )
        return ClassFunction(self.n, list(map(operation, self.values, theirs.values)))


def _plain(number: Fraction) -> Number:
    return number.numerator if number.denominator == 1 else number


def exact_product(table: Any, vector: Sequence[int]) -> list[int]:
    """A matrix of 64-bit integers times a vector of integers of any size, exactly.

    Both are cut into limbs so small that sums of products fit in 64 bits.
    """
    half, limb = 32, 16
    assert len(vector) < 2**14, "sums of products must fit in 63 bits"
    cuts = range(0, max((abs(v).bit_length() for v in vector), default=0) + 1, limb)
    mask = (1 << limb) - 1
    cut_up = [[(abs(v) >> cut & mask) * (-1 if v < 0 else 1) for cut in cuts] for v in vector]
    limbs = np.array(cut_up, dtype=np.int64).reshape(len(vector), len(cuts))
    result: list[int] = []
    for start in range(0, len(table), 512):
        rows = table[start : start + 512]
        high = rows >> half
        sums = (high @ limbs).astype(object) * 2**half + (rows - (high << half)) @ limbs
        result += (sums @ np.array([1 << cut for cut in cuts], dtype=object)).tolist()
    return result
