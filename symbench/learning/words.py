"""All words of one length, and pairs of them up to permutations of positions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from symbench.errors import TooLarge
from symbench.exact.arrays import np
from symbench.exact.rational import number_text
from symbench.laws.base import Word


def words_of(length: int, vocabulary: int, limit: int) -> tuple[Word, ...]:
    """All words in lexicographic order, at most `limit`.

    >>> words_of(2, 2, 4)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    >>> words_of(3, 2, 4)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: there are 2^3 words, and at most 4 are gone through: give shorter ...
    """
    # The first comparison keeps the power small.
    if length > limit.bit_length() or vocabulary**length > limit:
        raise TooLarge(
            f"there are {vocabulary}^{number_text(length)} words, and at most {limit:,} are gone "
            "through: give shorter words"
        )
    return tuple(product(range(vocabulary), repeat=length))


def pair_classes(words: Iterable[Word], parts: Iterable[int], vocabulary: int) -> tuple[Any, Any]:
    """The pairs of words with the same contingency table in each segment have the same number.

    A matrix of numbers, and for each number the place of a pair in the flattened matrix.

    >>> keys, first = pair_classes(words_of(1, 2, 2), (1,), 2)
    >>> keys.tolist(), first.tolist()
    ([[3, 2], [1, 0]], [3, 2, 1, 0])
    """
    array = np.array(words)
    keys, start = np.zeros((len(array), len(array)), dtype=np.int64), 0
    first = np.zeros(1, dtype=np.int64)
    for part in parts:
        for u, v in product(range(vocabulary), repeat=2):
            left, right = array[:, start : start + part] == u, array[:, start : start + part] == v
            together = left.astype(np.int64) @ right.astype(np.int64).T
            # Numbered anew, so that the numbers stay small.
            mixed = keys * (part + 1) + together
            _, first, back = np.unique(mixed, return_index=True, return_inverse=True)
            keys = back.reshape(keys.shape)
        start += part
    return keys, first
