"""Points that S_n moves: subsets, set partitions, words, as tuples."""

from __future__ import annotations

from collections.abc import Iterable


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
    """All words with so many of each letter, in lexicographic order."""
    if length == 0:
        return [()]
    found = []
    for letter, count in letters.items():
        if count:
            rest = {**letters, letter: count - 1}
            found += [(letter, *word) for word in multiset_words(rest, length - 1)]
    return found
