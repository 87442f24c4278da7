"""The correspondence of Robinson, Schensted and Knuth: words and pairs of tableaux."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from symbench.errors import BadType, BadValue
from symbench.young._check import integers
from symbench.young.permutation import Permutation
from symbench.young.tableau import Tableau, make


def rsk(word: Permutation | Sequence[int]) -> tuple[Tableau, Tableau]:
    """Row insertion: the semistandard tableau P and the standard tableau Q of a word.

    >>> rsk(Permutation(2, 3, 1))
    (Tableau([[1, 3], [2]]), Tableau([[1, 2], [3]]))
    >>> rsk([2, 1, 1])
    (Tableau([[1, 1], [2]]), Tableau([[1, 3], [2]]))
    """
    letters = word.images if isinstance(word, Permutation) else integers(word, "word", minimum=1)
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
        if not isinstance(tableau, Tableau):
            raise BadType(f"expected a Tableau, given {tableau!r}")
        tableau.need_straight("the inverse of RSK")
    recording.need_standard("the inverse of RSK (recording tableau)")
    if not insertion.is_semistandard:
        raise BadValue(f"the insertion tableau {insertion!r} is {insertion.explain()}")
    if insertion.shape != recording.shape:
        raise BadValue(
            f"the shapes differ: {insertion.shape!r} and {recording.shape!r}; expected one shape"
        )
    rows = [list(row) for row in insertion.rows]
    cells = recording.cells
    word = []
    for k in range(recording.size, 0, -1):
        i = cells[k][0] - 1
        letter = rows[i].pop()
        assert letter is not None
        while i:
            i -= 1
            # The rightmost smaller entry is the one that bumped this letter.
            row = [cell for cell in rows[i] if cell is not None]
            place = max(j for j, cell in enumerate(row) if cell < letter)
            letter, rows[i][place] = row[place], letter
        word.append(letter)
    return tuple(reversed(word))
