"""Integer partitions: the names of the irreducible representations of the symmetric groups.

Diagrams are drawn the English way (Sagan, 2nd ed.): row 1 on top, cells are (row, column)
counted from 1, the content of a cell is column - row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import factorial, prod
from operator import lt
from typing import Any

import attrs
from flint import fmpz

from symbench import exact, young
from symbench._arguments import integer, shown
from symbench.draw.views import Shown, View
from symbench.errors import BadType, BadValue, TooLarge

Cell = tuple[int, int]
Parts = tuple[int, ...]  # bare parts, for inner loops


@attrs.frozen(init=False, repr=False)
class Partition(Shown):
    """A partition of an integer: weakly decreasing positive parts.

    Trailing zeros are dropped, so `Partition(L - m, m)` is right for m = 0 as well.

    >>> Partition(3, 1) == Partition("3+1") == Partition([3, 1, 0])
    True
    >>> Partition(3, 1).size, Partition(3, 1).dim, Partition(3, 1).conjugate
    (4, 3, Partition(2, 1, 1))
    >>> Partition(1, 3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: (1, 3) is not a partition: part 2 is 3, larger than the part before \
it (1): sort the parts in decreasing order
    """

    parts: tuple[int, ...]

    def __init__(self, *parts: int | str | Sequence[int]) -> None:
        given: Sequence[Any] = parts
        if len(parts) == 1 and isinstance(parts[0], str):
            given = _parse(parts[0])
        elif len(parts) == 1 and isinstance(parts[0], list | tuple):
            given = parts[0]
        numbers = tuple(
            part if type(part) is int else integer(part, "a part of a partition") for part in given
        )
        while numbers and numbers[-1] == 0:
            numbers = numbers[:-1]
        if numbers and (min(numbers) < 1 or any(map(lt, numbers, numbers[1:]))):
            i = next(i for i, p in enumerate(numbers) if p < 1 or (i and p > numbers[i - 1]))
            wrong = f"{numbers} is not a partition: part {i + 1} is {numbers[i]}"
            if numbers[i] < 1:
                raise BadValue(f"{wrong}: give at least 1")
            raise BadValue(
                f"{wrong}, larger than the part before it ({numbers[i - 1]}): "
                "sort the parts in decreasing order"
            )
        self.__attrs_init__(numbers)

    def __repr__(self) -> str:
        return f"Partition({', '.join(map(str, self.parts))})"

    def __str__(self) -> str:
        return "+".join(map(str, self.parts)) or "0"

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[int]:
        return iter(self.parts)

    @property
    def size(self) -> int:
        """The number that is partitioned: Partition(3, 1).size is 4."""
        return sum(self.parts)

    @property
    def conjugate(self) -> Partition:
        """The partition whose rows are the columns of this one.

        >>> Partition(4, 2, 1).conjugate
        Partition(3, 2, 1, 1)
        """
        return trusted(conjugate(self.parts))

    @property
    def dim(self) -> int:
        """The number of standard tableaux, which is the dimension of the irreducible.

        >>> Partition(3, 2, 1).dim
        16
        >>> Partition(500_000, 500_000).dim.bit_length()
        999971
        """
        return dimension(self.parts)

    @property
    def hooks(self) -> tuple[tuple[int, ...], ...]:
        """The hook length of every cell, row by row.

        >>> Partition(3, 1).hooks
        ((4, 2, 1), (1,))
        """
        columns = conjugate(self.parts)
        return tuple(
            tuple(part - j + columns[j] - i - 1 for j in range(part))
            for i, part in enumerate(self.parts)
        )

    @property
    def contents(self) -> tuple[tuple[int, ...], ...]:
        """The content, column - row, of every cell, row by row.

        >>> Partition(3, 1).contents
        ((0, 1, 2), (-1,))
        """
        return tuple(tuple(range(-i, part - i)) for i, part in enumerate(self.parts))

    @property
    def content_sum(self) -> int:
        """The sum of the contents: the eigenvalue of the sum of all transpositions.

        >>> Partition(3, 1).content_sum
        2
        """
        return sum(part * (part - 1) // 2 - i * part for i, part in enumerate(self.parts))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells (row, column), counted from 1, row by row.

        >>> Partition(2, 1).cells
        ((1, 1), (1, 2), (2, 1))
        """
        return tuple((i, j) for i, part in enumerate(self.parts, 1) for j in range(1, part + 1))

    @property
    def corners(self) -> tuple[Cell, ...]:
        """The cells that can be removed, from the top down (Sagan's inner corners).

        >>> Partition(3, 1).corners
        ((1, 3), (2, 1))
        """
        return tuple((i + 1, self.parts[i]) for i in corner_rows(self.parts))

    @property
    def outer_corners(self) -> tuple[Cell, ...]:
        """The cells that can be added, from the top down.

        >>> Partition(3, 1).outer_corners
        ((1, 4), (2, 2), (3, 1))
        """
        return tuple(
            (i + 1, part + 1)
            for i, part in enumerate((*self.parts, 0))
            if i == 0 or self.parts[i - 1] > part
        )

    def down(self) -> tuple[Partition, ...]:
        """The partitions covered by this one: the restriction to one letter less.

        >>> Partition(3, 1).down()
        (Partition(2, 1), Partition(3))
        """
        return tuple(trusted(remove(self.parts, i)) for i in corner_rows(self.parts))

    def up(self) -> tuple[Partition, ...]:
        """The partitions that cover this one: the induction to one letter more.

        >>> Partition(3, 1).up()
        (Partition(4, 1), Partition(3, 2), Partition(3, 1, 1))
        """
        padded = (*self.parts, 0)
        found = ((*padded[: i - 1], j, *padded[i:]) for i, j in self.outer_corners)
        return tuple(trusted(parts if parts[-1] else parts[:-1]) for parts in found)

    def contains(self, other: Partition) -> bool:
        """Whether the diagram of the other one lies inside this one.

        >>> Partition(3, 1).contains(Partition(2)), Partition(3, 1).contains(Partition(2, 2))
        (True, False)
        """
        inner = as_partition(other, "other").parts
        return len(inner) <= len(self.parts) and all(map(int.__le__, inner, self.parts))

    def dominates(self, other: Partition) -> bool:
        """Whether every sum of first parts is at least the other's: dominance order.

        >>> Partition(3, 1).dominates(Partition(2, 2))
        True
        >>> Partition(3, 1, 1, 1).dominates(Partition(2, 2, 2))
        False
        """
        other = as_partition(other, "other")
        same_size(self, other)
        mine = theirs = 0
        for a, b in zip(self.parts, other.parts, strict=False):
            mine, theirs = mine + a, theirs + b
            if mine < theirs:
                return False
        return len(self.parts) <= len(other.parts)

    def border_strips(self, length: int) -> tuple[tuple[Partition, int], ...]:
        """What is left after removing a border strip (rim hook), with the strip's height.

        The height is the number of rows it touches less one, the sign's exponent in the rule
        of Murnaghan and Nakayama.

        >>> Partition(3, 2).border_strips(2)
        ((Partition(3), 0),)
        >>> Partition(3, 2).border_strips(4)
        ((Partition(1), 1),)
        """
        length = integer(length, "length", at_least=1)
        beads = betas(self.parts)
        taken = set(beads)
        found = []
        for bead in beads:
            target = bead - length
            if target >= 0 and target not in taken:
                height = sum(target < other < bead for other in beads)
                left = sorted((taken - {bead}) | {target}, reverse=True)
                found.append((trusted(from_betas(left)), height))
        return tuple(found)

    def count_semistandard(self, letters: int) -> int:
        """The number of semistandard tableaux in the letters 1..V (hook content formula).

        It is the multiplicity of this irreducible on words over V letters.

        >>> Partition(2, 1).count_semistandard(3)
        8
        """
        letters = integer(letters, "letters", at_least=0)
        rows = len(self.parts)
        if rows > letters:
            return 0
        if self.size <= rows * letters:
            over = prod(letters + c for row in self.contents for c in row)
            return over // prod(h for row in self.hooks for h in row)
        # Wide diagrams: Weyl's formula sees only the rows.
        padded = (*self.parts, *([0] * (letters - rows)))
        top = bottom = 1
        for i in range(rows):
            top *= prod(padded[i] - padded[j] + j - i for j in range(i + 1, letters))
            bottom *= factorial(letters - 1 - i)
        return top // bottom

    @property
    def multiplicities(self) -> dict[int, int]:
        """How often each part occurs.

        >>> Partition(3, 1, 1).multiplicities
        {3: 1, 1: 2}
        """
        return dict(Counter(self.parts))

    @property
    def centralizer_order(self) -> int:
        """The order z of the centralizer of a permutation of this cycle type.

        >>> Partition(2, 1, 1).centralizer_order
        4
        """
        return prod(part**m * factorial(m) for part, m in self.multiplicities.items())

    @property
    def class_size(self) -> int:
        """The number of permutations of this cycle type.

        >>> Partition(2, 1, 1).class_size
        6
        """
        return factorial(self.size) // self.centralizer_order

    @property
    def sign(self) -> int:
        """The sign of the permutations of this cycle type.

        >>> Partition(2, 1, 1).sign
        -1
        """
        return -1 if (self.size - len(self.parts)) % 2 else 1

    def standard_tableaux(self) -> young.StandardTableaux:
        """The standard tableaux of this shape: a lazy sequence.

        >>> len(Partition(3, 2).standard_tableaux())
        5
        """
        return young.StandardTableaux(self)

    def semistandard_tableaux(self, letters: int) -> young.SemistandardTableaux:
        """The semistandard tableaux of this shape in the letters 1..V: a lazy sequence.

        >>> len(Partition(2, 1).semistandard_tableaux(3))
        8
        """
        return young.SemistandardTableaux(self, letters)

    def character(self, mu: Partition | str | Sequence[int]) -> int:
        """The irreducible character at the permutations of cycle type mu.

        >>> Partition(3, 1).character(Partition(2, 2))
        -1
        """
        return young.character(self, mu)

    def matrix(
        self, permutation: young.Permutation, *, form: str = "seminormal"
    ) -> exact.Matrix | young.SurdMatrix:
        """The matrix of a permutation: "seminormal", "orthogonal" or "natural".

        >>> Partition(2, 1).matrix(Permutation(1, 3, 2), form="natural").rows
        ((0, 1), (1, 0))
        """
        return young.Representation(self, form=form)(permutation)

    def diagram(self) -> str:
        """The Young diagram as text.

        >>> print(Partition(3, 1).diagram())
        □□□
        □
        """
        return "\n".join("□" * part for part in self.parts) or "∅"

    def latex(self) -> str:
        r"""The diagram for LaTeX's package ytableau.

        >>> print(Partition(3, 1).latex())
        \ydiagram{3,1}
        """
        return r"\ydiagram{" + ",".join(map(str, self.parts)) + "}" if self.parts else r"\emptyset"

    def _view(self) -> View:
        from symbench.draw import boxes_svg

        return boxes_svg(self._boxes)

    @property
    def _boxes(self) -> list[list[str]]:
        """The rows of the diagram, boxes without labels."""
        return [[""] * part for part in self.parts]


Multiplicities = dict[Partition, int]

_new = object.__new__
_set_parts = Partition.__dict__["parts"].__set__


def _parse(text: str) -> list[int]:
    words = [word.strip() for word in text.split("+")]
    if not all(word.isascii() and word.isdigit() for word in words):
        raise BadValue(f'{text!r} is not a partition: give parts joined by "+", as in "3+1"')
    return [int(word) for word in words]


def trusted(parts: Parts) -> Partition:
    """A Partition from parts that are known to be right: no checks, for inner loops."""
    made = _new(Partition)
    _set_parts(made, parts)
    return made


def as_partition(value: object, name: str) -> Partition:
    """The value as a Partition: one already, or the text or parts of one."""
    if isinstance(value, Partition):
        return value
    if isinstance(value, str | list | tuple):
        return Partition(value)
    raise BadType(f"{name} is {shown(value)}: give a Partition such as Partition(3, 1)")


def same_size(first: Partition, second: Partition) -> None:
    """Raise unless both partition the same number."""
    if first.size != second.size:
        raise BadValue(
            f"{first!r} has size {first.size} and {second!r} has size {second.size}: "
            "give two partitions of the same number"
        )


# Diagrams as bare parts: nothing below checks anything.

# FLINT takes machine words for its binomials.
_WORD = 2**63


def conjugate(parts: Parts) -> Parts:
    """The column lengths of the diagram with these rows."""
    columns: list[int] = []
    for i in range(len(parts) - 1, -1, -1):
        columns.extend([i + 1] * (parts[i] - len(columns)))
    return tuple(columns)


def corner_rows(parts: Parts) -> Parts:
    """The rows, counted from 0, that end in a removable cell."""
    last = len(parts) - 1
    return tuple(i for i, part in enumerate(parts) if i == last or part > parts[i + 1])


def remove(parts: Parts, row: int) -> Parts:
    """The parts without the last cell of a corner row."""
    if parts[row] == 1:
        return parts[:row]
    return (*parts[:row], parts[row] - 1, *parts[row + 1 :])


def betas(parts: Sequence[int]) -> list[int]:
    """The first-column hook lengths: the beads of the abacus, largest first."""
    rows = len(parts)
    return [part + rows - 1 - i for i, part in enumerate(parts)]


def from_betas(beads: Sequence[int]) -> Parts:
    """The partition with these beads, largest first."""
    rows = len(beads)
    return tuple(part for i, bead in enumerate(beads) if (part := bead - rows + 1 + i) > 0)


@lru_cache(maxsize=1 << 17)
def dimension(parts: Parts) -> int:
    """The number of standard tableaux."""
    if not parts:
        return 1
    if len(parts) > parts[0]:
        parts = conjugate(parts)
    return beta_dim(betas(parts))


def beta_dim(beads: Sequence[int]) -> int:
    """The dimension from beads l (largest first): n! prod (l_i - l_j) / prod l_i!, by Frobenius.

    n!/l_1! is taken as a binomial, so a long first row costs nothing.
    """
    rows = len(beads)
    size = sum(beads) - rows * (rows - 1) // 2
    if size < 150:
        top = factorial(size)
        for i, bead in enumerate(beads):
            top *= prod(bead - other for other in beads[i + 1 :])
        return top // prod(factorial(bead) for bead in beads)
    rest = size - beads[0]
    if size >= _WORD and rest < 1000:  # too long for a machine word: few factors, of any length
        top = prod(range(beads[0] + 1, size + 1))
        for i, bead in enumerate(beads):
            top *= prod(bead - other for other in beads[i + 1 :])
        return top // prod(factorial(bead) for bead in beads[1:])
    if size >= _WORD or rest > 10**8:
        raise TooLarge(
            f"the dimension of a partition of {shown(size)} with {shown(rest)} cells "
            "outside its longest hook has more digits than fit in memory: ask for a smaller one, "
            "or for its hooks"
        )
    if rows == 2:  # binomial(L, m) (L - 2m + 1) / (L - m + 1): no factorials at all
        first, second = beads[0] - 1, beads[1]
        return int(fmpz.bin_uiui(size, second) * (first - second + 1) // (first + 1))
    # The stubs of FLINT take fac_ui for a method of an instance.
    above = fmpz.bin_uiui(size, rest) * fmpz.fac_ui(rest)  # type: ignore[arg-type]
    below = fmpz(1)
    for i, bead in enumerate(beads):
        # One bead at a time: a long number is multiplied as often as there are beads.
        above *= prod(bead - other for other in beads[i + 1 :])
        if i:
            below *= fmpz.fac_ui(bead)  # type: ignore[arg-type]
    return int(above // below)
