"""Listing tableaux by their paths: all at once as arrays, one by one, or by rank.

A tableau of either kind is a path of growing shapes, one step per letter: a standard tableau
adds one cell per step, a semistandard one a horizontal strip. The tableaux of a shape are
ordered by what their last letter leaves, then by the next to last, and so on, so the list of a
shape is a chain of blocks, each the list of a smaller shape with the same cells added; arrays
are built block by block, each block with one addition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from symbench.errors import BadValue, TooLarge

Parts = tuple[int, ...]
State = tuple[int, Parts]  # (letters used, shape)

# Rows of the lists of small shapes that are kept in memory at once.
KEPT = 1 << 16


@attrs.frozen
class Paths:
    """Paths from the inner shape to the outer one; `below` and `count` say what a step is."""

    inner: Parts
    outer: Parts
    letters: int
    below: Callable[[State], list[Parts]]
    count: Callable[[State], int]

    def total(self) -> int:
        """The number of paths."""
        return self.count((self.letters, self.outer))

    def steps(self, state: State) -> list[tuple[Parts, int]]:
        """The shapes one letter earlier that a path can come from, with their numbers of paths."""
        found = ((parts, self.count((state[0] - 1, parts))) for parts in self.below(state))
        return [(parts, count) for parts, count in found if count]

    def unrank(self, rank: int) -> list[Parts]:
        """The shapes of the path with this rank, from the inner shape on."""
        state = (self.letters, self.outer)
        path = [self.outer]
        while state[0]:
            for parts, count in self.steps(state):
                if rank < count:
                    path.append(parts)
                    break
                rank -= count
            state = (state[0] - 1, path[-1])
        return path[::-1]

    def rank(self, path: list[Parts]) -> int:
        """The rank of a path given by its shapes."""
        rank = 0
        for letter in range(self.letters, 0, -1):
            for parts, count in self.steps((letter, path[letter])):
                if parts == path[letter - 1]:
                    break
                rank += count
        return rank

    def arrays(self, chunk: int, words: bool) -> Iterator[Any]:
        """Arrays of at most `chunk` rows: entries row by row, or with `words` the rows of 1..n."""
        import numpy as np

        total = self.total()
        size = sum(self.outer) - sum(self.inner)
        dtype = np.uint8 if max(self.letters, size) < 256 else np.uint16
        if total == 0:
            return
        lists = self._lists(dtype, words)
        done = filled = 0
        out = np.empty((min(chunk, total), size), dtype=dtype)
        for state, cells in self._blocks((self.letters, self.outer), lists, [], words):
            block = lists[state]
            added = np.zeros(size, dtype=dtype)
            for place, value in cells:
                added[place] = value
            start = 0
            while start < len(block):
                width = min(len(block) - start, len(out) - filled)
                np.add(block[start : start + width], added, out=out[filled : filled + width])
                start, filled = start + width, filled + width
                if filled == len(out):
                    done += filled
                    yield out
                    filled = 0
                    out = np.empty((min(chunk, total - done), size), dtype=dtype)

    def _offsets(self) -> list[int]:
        inner = (*self.inner, *([0] * (len(self.outer) - len(self.inner))))
        found = [0]
        for part, hole in zip(self.outer, inner, strict=True):
            found.append(found[-1] + part - hole)
        return found

    def _added(self, low: Parts, high: Parts, letter: int, words: bool) -> list[tuple[int, int]]:
        """Where a step writes in a row of the array, and what."""
        if words:
            row = next(i for i, p in enumerate(high) if i >= len(low) or p > low[i])
            return [(letter - 1, row)]
        offsets = self._offsets()
        cells = []
        for i, part in enumerate(high):
            before = low[i] if i < len(low) else 0
            hole = self.inner[i] if i < len(self.inner) else 0
            cells += [(offsets[i] + j - hole, letter) for j in range(before, part)]
        return cells

    def _lists(self, dtype: Any, words: bool) -> dict[State, Any]:
        """The lists of all shapes that occur after the same number of letters."""
        import numpy as np

        reach = [{self.outer}]
        for letter in range(self.letters, 0, -1):
            reach.append({p for parts in reach[-1] for p, _ in self.steps((letter, parts))})
        reach.reverse()
        size = sum(self.outer) - sum(self.inner)
        lists: dict[State, Any] = {(0, self.inner): np.zeros((1, size), dtype=dtype)}
        for letter in range(1, self.letters + 1):
            if sum(self.count((letter, parts)) for parts in reach[letter]) > KEPT:
                break
            grown: dict[State, Any] = {}
            for parts in reach[letter]:
                blocks = []
                for low, _ in self.steps((letter, parts)):
                    block = lists[(letter - 1, low)].copy()
                    for place, value in self._added(low, parts, letter, words):
                        block[:, place] = value
                    blocks.append(block)
                grown[(letter, parts)] = np.concatenate(blocks)
            lists = grown
        return lists

    def _blocks(
        self, state: State, lists: dict[State, Any], cells: list[tuple[int, int]], words: bool
    ) -> Iterator[tuple[State, list[tuple[int, int]]]]:
        if state in lists:
            yield state, cells
            return
        letter, parts = state
        for low, _ in self.steps(state):
            more = self._added(low, parts, letter, words)
            yield from self._blocks((letter - 1, low), lists, more + cells, words)


def check_chunk(chunk: int) -> int:
    """A chunk size that makes sense."""
    if chunk < 1:
        raise BadValue(f"chunk is {chunk}, expected at least 1")
    if chunk > 1 << 28:
        raise TooLarge(f"chunk is {chunk} rows at once: ask for at most {1 << 28}")
    return chunk
