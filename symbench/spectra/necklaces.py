"""Necklaces: words up to rotation, one word for each orbit."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen(eq=False)
class Necklaces:
    """One word of each orbit under rotation, the size of its orbit, and its rotations.

    >>> found = Necklaces.of(3, 2)
    >>> found.words.tolist(), found.sizes, found.turned[1].tolist()
    ([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], [1, 3, 3, 1], [0, 2, 6, 7])
    """

    every: Any
    words: Any
    sizes: list[int]
    turned: list[Any]

    @classmethod
    def of(cls, length: int, vocabulary: int) -> Necklaces:
        """All necklaces of a length."""
        import numpy as np

        table = np.array(cls.rotations(length, vocabulary))
        codes = table[0]
        first = table.min(axis=0) == codes
        table = table[:, first]
        sizes = (length // (table == table[0]).sum(axis=0)).tolist()
        places = vocabulary ** np.arange(length - 1, -1, -1)
        every = codes[:, None] // places % vocabulary
        return cls(every, every[first], sizes, list(table))

    @staticmethod
    def rotations(length: int, vocabulary: int) -> list[Any]:
        """For each t the number of every word, rotated by t places; words are numbers in base V.

        >>> [array.tolist() for array in Necklaces.rotations(2, 2)]
        [[0, 1, 2, 3], [0, 2, 1, 3]]
        """
        import numpy as np

        count = vocabulary**length
        turned = [np.arange(count)]
        for _ in range(length - 1):
            last = turned[-1]
            turned.append(last * vocabulary % count + last // (count // vocabulary))
        return turned
