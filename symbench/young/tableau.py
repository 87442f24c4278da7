"""Fillings of diagrams: standard, semistandard and skew tableaux, and RSK, which makes them."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from symbench._arguments import instance, integer, integers, sequence, shown
from symbench.draw.views import Shown, View
from symbench.errors import BadShape, BadValue
from symbench.young.partition import Cell, Partition, trusted
from symbench.young.permutation import Permutation, as_permutation

Row = tuple[int | None, ...]


@attrs.frozen(init=False, repr=False)
class Tableau(Shown):
    """A diagram filled with positive integers; None marks the missing cells of a skew shape.

    >>> t = Tableau([[1, 2, 4], [3]])
    >>> t.shape, t.is_standard, t.descents
    (Partition(3, 1), True, (2,))
    >>> print(t)
    1 2 4
    3
    >>> Tableau([[None, 1], [2]]).inner
    Partition(1)
    >>> Tableau([[1], [2, 3]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: row 2 has 2 cells and row 1 has 1: give rows that do not grow \
downwards
    """

    rows: tuple[Row, ...]

    def __init__(self, rows: Sequence[Sequence[int | None]]) -> None:
        found: list[Row] = []
        for i, row in enumerate(sequence(rows, "rows"), 1):
            cells = sequence(row, f"row {i}")
            holes = sum(cell is None for cell in cells)
            if any(cell is None for cell in cells[holes:]):
                raise BadShape(f"row {i} is {list(cells)}: give None only at its beginning")
            if not cells:
                raise BadShape(f"row {i} is empty: leave it out")
            for cell in cells[holes:]:
                integer(cell, f"an entry of row {i}", at_least=1)
            found.append((None,) * holes + tuple(int(cell) for cell in cells[holes:]))
            if i == 1:
                continue
            above = found[i - 2]
            if len(cells) > len(above):
                raise BadShape(
                    f"row {i} has {len(cells)} cells and row {i - 1} has {len(above)}: "
                    "give rows that do not grow downwards"
                )
            if holes > above.count(None):
                raise BadShape(
                    f"row {i} begins with {holes} missing cells and row {i - 1} with "
                    f"{above.count(None)}: give a skew shape"
                )
        self.__attrs_init__(tuple(found))

    @classmethod
    def from_path(cls, path: Sequence[Partition]) -> Tableau:
        """The standard tableau of a path in Young's lattice.

        >>> Tableau.from_path([Partition(), Partition(1), Partition(1, 1), Partition(2, 1)])
        Tableau([[1, 3], [2]])
        """
        steps = sequence(path, "path")
        if not steps or not all(isinstance(step, Partition) for step in steps):
            raise BadValue(f"the path is {shown(path)}: give a list of partitions")
        rows: list[list[int | None]] = [[None] * part for part in steps[0].parts]
        for k, (low, high) in enumerate(itertools.pairwise(steps), 1):
            if high not in low.up():
                raise BadValue(f"step {k} of the path goes from {low!r} to {high!r}: add one cell")
            row = next(i for i, p in enumerate(high.parts) if p != (*low.parts, 0)[i])
            if row == len(rows):
                rows.append([])
            rows[row].append(k)
        return make(tuple(map(tuple, rows)))

    def __repr__(self) -> str:
        return f"Tableau({[list(row) for row in self.rows]})"

    def __str__(self) -> str:
        from symbench.draw import boxes_text

        return boxes_text([["·" if cell is None else str(cell) for cell in r] for r in self.rows])

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def shape(self) -> Partition:
        """The outer shape."""
        return trusted(tuple(map(len, self.rows)))

    @property
    def inner(self) -> Partition:
        """The shape of the missing cells: empty unless the tableau is skew."""
        return trusted(tuple(n for row in self.rows if (n := row.count(None))))

    @property
    def size(self) -> int:
        """The number of entries."""
        return sum(len(row) - row.count(None) for row in self.rows)

    @property
    def is_skew(self) -> bool:
        """Whether cells are missing."""
        return any(row[0] is None for row in self.rows)

    @property
    def entries(self) -> tuple[int, ...]:
        """The entries, row by row from the top."""
        return tuple(cell for row in self.rows for cell in row if cell is not None)

    @property
    def cells(self) -> dict[int, Cell]:
        """The cell (row, column) of each entry of a tableau without repeated entries.

        >>> Tableau([[1, 3], [2]]).cells
        {1: (1, 1), 3: (1, 2), 2: (2, 1)}
        """
        found = {cell: (i, j) for i, j, cell in self._filled()}
        if len(found) < self.size:
            raise BadValue(f"{self!r} repeats an entry, so an entry has no one cell")
        return found

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The entries of each column, from the top.

        >>> Tableau([[1, 3], [2]]).columns
        ((1, 2), (3,))
        """
        width = len(self.rows[0]) if self.rows else 0
        found: list[list[int]] = [[] for _ in range(width)]
        for _, j, cell in self._filled():
            found[j - 1].append(cell)
        return tuple(map(tuple, found))

    @property
    def weight(self) -> tuple[int, ...]:
        """How often each of 1, 2, 3, ... occurs (Sagan's content of a tableau).

        >>> Tableau([[1, 1], [3]]).weight
        (2, 0, 1)
        """
        entries = self.entries
        return tuple(entries.count(k) for k in range(1, max(entries, default=0) + 1))

    @property
    def is_semistandard(self) -> bool:
        """Whether rows grow weakly and columns strictly."""
        return self._order_problem() is None

    @property
    def is_standard(self) -> bool:
        """Whether rows and columns grow and the entries are 1..n."""
        return self._standard_problem() is None

    def explain(self) -> str:
        """Why this is a standard tableau, or the first thing in the way.

        >>> Tableau([[1, 2], [1]]).explain()
        'not semistandard: column 1 has 1 above 1'
        """
        problem = self._order_problem()
        if problem:
            return f"not semistandard: {problem}"
        problem = self._standard_problem()
        return f"semistandard, not standard: {problem}" if problem else "standard"

    def need_standard(self, what: str) -> None:
        """Raise unless the tableau is standard; the message says what needs it."""
        problem = self._standard_problem()
        if problem:
            raise BadValue(f"{what} needs a standard tableau, and {self!r} is not one: {problem}")

    def need_straight(self, what: str) -> None:
        """Raise for a skew tableau; the message says what needs a straight one."""
        if self.is_skew:
            raise BadValue(f"{what} needs a straight shape, and {self!r} is skew")

    @property
    def reading_word(self) -> tuple[int, ...]:
        """The rows from the bottom up, each from the left; insertion gives the tableau back.

        >>> Tableau([[1, 3], [2]]).reading_word
        (2, 1, 3)
        """
        return tuple(cell for row in reversed(self.rows) for cell in row if cell is not None)

    @property
    def column_word(self) -> tuple[int, ...]:
        """The columns from the left, each from the bottom up.

        >>> Tableau([[1, 3], [2]]).column_word
        (2, 1, 3)
        """
        return tuple(cell for column in self.columns for cell in reversed(column))

    @property
    def content_vector(self) -> tuple[int, ...]:
        """The contents of the cells of 1..n: the eigenvalues of the Jucys-Murphy elements.

        >>> Tableau([[1, 3], [2]]).content_vector
        (0, -1, 1)
        """
        self.need_standard("the content vector")
        cells = self.cells
        return tuple(cells[k][1] - cells[k][0] for k in range(1, self.size + 1))

    @property
    def descents(self) -> tuple[int, ...]:
        """The i with i + 1 in a lower row.

        >>> Tableau([[1, 3], [2]]).descents
        (1,)
        """
        self.need_standard("the descent set")
        cells = self.cells
        return tuple(i for i in range(1, self.size) if cells[i + 1][0] > cells[i][0])

    @property
    def major_index(self) -> int:
        """The sum of the descents."""
        return sum(self.descents)

    @property
    def conjugate(self) -> Tableau:
        """The tableau mirrored in its diagonal.

        >>> Tableau([[1, 3], [2]]).conjugate
        Tableau([[1, 2], [3]])
        """
        width = len(self.rows[0]) if self.rows else 0
        return make(tuple(tuple(row[j] for row in self.rows if j < len(row)) for j in range(width)))

    @property
    def path(self) -> tuple[Partition, ...]:
        """The shapes of the entries up to k, for k = 0..n: a path in Young's lattice.

        >>> [str(p) for p in Tableau([[1, 3], [2]]).path]
        ['0', '1', '1+1', '2+1']
        """
        self.need_standard("the path in Young's lattice")
        return tuple(self.restrict(k).shape for k in range(self.size + 1))

    def restrict(self, largest: int) -> Tableau:
        """The tableau of the entries up to a bound, for rows and columns that grow.

        >>> Tableau([[1, 3], [2]]).restrict(2)
        Tableau([[1], [2]])
        """
        bound = integer(largest, "largest", at_least=0)
        if not self.is_semistandard:
            raise BadValue(f"{self!r} cannot be cut off: {self._order_problem()}")
        kept = (tuple(c for c in row if c is None or c <= bound) for row in self.rows)
        return make(tuple(row for row in kept if row))

    def act(self, permutation: Permutation) -> Tableau:
        """The tableau with each entry replaced by its image (left action on entries).

        >>> Tableau([[1, 2], [3]]).act(Permutation(3, 2, 1))
        Tableau([[3, 2], [1]])
        """
        g = as_permutation(permutation, max(self.entries, default=0)).images
        return make(tuple(tuple(None if c is None else g[c - 1] for c in r) for r in self.rows))

    def promotion(self) -> Tableau:
        """Remove 1, slide the hole out, lower every entry, fill the last hole with n (Stanley).

        >>> Tableau([[1, 3], [2]]).promotion()
        Tableau([[1, 2], [3]])
        """
        self.need_standard("promotion")
        self.need_straight("promotion")
        if not self.rows:
            return self
        rows, (i, j) = _slide([list(row) for row in self.rows])
        rows[i][j] = self.size + 1
        return make(tuple(tuple(cell - 1 for cell in row) for row in rows))

    def evacuation(self) -> Tableau:
        """Schützenberger's involution: record where the holes of repeated promotion leave.

        >>> Tableau([[1, 2], [3]]).evacuation()
        Tableau([[1, 3], [2]])
        """
        self.need_standard("evacuation")
        self.need_straight("evacuation")
        rows: Any = [list(row) for row in self.rows]
        result = [list(row) for row in self.rows]
        for k in range(self.size, 0, -1):
            rows, (i, j) = _slide(rows)
            rows[i].pop(j)
            result[i][j] = k
        return make(tuple(map(tuple, result)))

    def latex(self) -> str:
        r"""The tableau for LaTeX's package ytableau.

        >>> print(Tableau([[1, 3], [2]]).latex())
        \begin{ytableau} 1 & 3 \\ 2 \end{ytableau}
        """
        cells = ((r"\none" if c is None else str(c) for c in row) for row in self.rows)
        body = r" \\ ".join(" & ".join(row) for row in cells)
        return rf"\begin{{ytableau}} {body} \end{{ytableau}}"

    def _view(self) -> View:
        from symbench.draw import boxes_svg

        return boxes_svg([[None if c is None else str(c) for c in row] for row in self.rows])

    def _filled(self) -> Iterator[tuple[int, int, int]]:
        for i, row in enumerate(self.rows, 1):
            for j, cell in enumerate(row, 1):
                if cell is not None:
                    yield i, j, cell

    def _order_problem(self) -> str | None:
        above: Row = ()
        for i, row in enumerate(self.rows, 1):
            for j, cell in enumerate(row):
                if cell is None:
                    continue
                left = row[j - 1] if j else None
                if left is not None and left > cell:
                    return f"row {i} has {left} before {cell}"
                up = above[j] if j < len(above) else None
                if up is not None and up >= cell:
                    return f"column {j + 1} has {up} above {cell}"
            above = row
        return None

    def _standard_problem(self) -> str | None:
        if sorted(self.entries) != list(range(1, self.size + 1)):
            return f"its entries are not 1..{self.size}, each once"
        return self._order_problem()


def _slide(rows: list[list[Any]]) -> tuple[list[list[Any]], tuple[int, int]]:
    """Jeu de taquin: the hole left by the first cell goes out; rows, and where it left."""
    i = j = 0
    while True:
        right = rows[i][j + 1] if j + 1 < len(rows[i]) else None
        below = rows[i + 1][j] if i + 1 < len(rows) and j < len(rows[i + 1]) else None
        if right is None and below is None:
            return rows, (i, j)
        if below is None or (right is not None and right < below):
            rows[i][j], j = right, j + 1
        else:
            rows[i][j], i = below, i + 1


def make(rows: tuple[Row, ...]) -> Tableau:
    """A Tableau from rows that are known to be right: no checks, for inner loops."""
    made = _new(Tableau)
    _set_rows(made, rows)
    return made


_new = object.__new__
_set_rows = Tableau.__dict__["rows"].__set__  # the slot itself: frozen classes have no faster door


def as_tableau(value: object) -> Tableau:
    """The value itself, if it is a Tableau."""
    return instance(value, Tableau, "the tableau", "one such as Tableau([[1, 2], [3]])")


def rsk(word: Permutation | Sequence[int]) -> tuple[Tableau, Tableau]:
    """Row insertion: the semistandard tableau P and the standard tableau Q of a word.

    >>> rsk(Permutation(2, 3, 1))
    (Tableau([[1, 3], [2]]), Tableau([[1, 2], [3]]))
    >>> rsk([2, 1, 1])
    (Tableau([[1, 1], [2]]), Tableau([[1, 3], [2]]))
    """
    letters = word.images if isinstance(word, Permutation) else integers(word, "word", at_least=1)
    insertion: list[list[int]] = []
    recording: list[list[int]] = []
    for k, letter in enumerate(letters, 1):
        for row, record in zip(insertion, recording, strict=True):
            place = bisect_right(row, letter)
            if place == len(row):
                row.append(letter)
                record.append(k)
                break
            row[place], letter = letter, row[place]
        else:
            insertion.append([letter])
            recording.append([k])
    return make(tuple(map(tuple, insertion))), make(tuple(map(tuple, recording)))


def rsk_inverse(insertion: Tableau, recording: Tableau) -> tuple[int, ...]:
    """The word of a semistandard P and a standard Q of the same shape.

    >>> rsk_inverse(Tableau([[1, 1], [2]]), Tableau([[1, 3], [2]]))
    (2, 1, 1)
    """
    for tableau in (insertion, recording):
        as_tableau(tableau).need_straight("the inverse of RSK")
    recording.need_standard("the inverse of RSK (recording tableau)")
    if not insertion.is_semistandard:
        raise BadValue(f"the insertion tableau {insertion!r} is {insertion.explain()}")
    if insertion.shape != recording.shape:
        raise BadValue(
            f"the shapes differ: {insertion.shape!r} and {recording.shape!r}: give one shape"
        )
    rows: list[list[Any]] = [list(row) for row in insertion.rows]
    cells, word = recording.cells, []
    for k in range(recording.size, 0, -1):
        i = cells[k][0] - 1
        letter = rows[i].pop()
        for row in rows[i - 1 :: -1] if i else ():
            # The rightmost smaller entry is the one that bumped this letter.
            place = bisect_left(row, letter) - 1
            letter, row[place] = row[place], letter
        word.append(letter)
    return tuple(reversed(word))
