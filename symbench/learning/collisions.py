"""Which strings share tokens, and how: the sparse residual part of a kernel on many strings.

Strings are rows of integers, some of which are regular tokens. Two strings meet where a token put
for a wildcard of one is put for a wildcard of the other; all others have a residual kernel of 0.
An index from tokens to strings lists the pairs that meet, without looking at the other pairs, and
each different way to meet is looked up once.
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.draw.views import Shown
from symbench.errors import TooLarge
from symbench.exact.arrays import Integers, np
from symbench.words import Template

# Meetings are one 64-bit number: a digit for each wildcard of the left string.
_WILDCARDS = 15
# At most this many meetings are listed: about a gigabyte.
_MEETINGS = 20_000_000


@attrs.frozen(eq=False)
class Coded(Shown):
    """Strings as rows of integers, the pattern of each row, and where its wildcards' tokens are.

    `patterns` are the different templates of the rows; `rows`, `slots` and `tokens` have an entry
    for every wildcard of every row: which row, which of its wildcards, and the token put for it.
    """

    codes: Integers
    patterns: tuple[Template, ...]
    which: Integers
    rows: Integers
    slots: Integers
    tokens: Integers

    @classmethod
    def of(cls, codes: Integers, regular: tuple[str, ...]) -> Coded:
        """The rows read with 0, ..., |R| - 1 as the codes of the regular tokens."""
        count, length = codes.shape
        # Where the token of a place stands first, or, for a regular token, which it is.
        first = np.broadcast_to(np.arange(length), codes.shape).copy()
        for place in range(length - 1, 0, -1):
            for before in range(place - 1, -1, -1):
                same = codes[:, place] == codes[:, before]
                first[same, place] = before
        fixed = codes < len(regular)
        name = np.where(fixed, length + codes, first)
        _, index, which = np.unique(
            _packed(name, length + len(regular)), return_index=True, return_inverse=True
        )
        free = ~fixed & (first == np.arange(length))
        rows, places = np.nonzero(free)
        slots = (np.cumsum(free, axis=1) - 1)[rows, places]
        patterns = tuple(_template(row, length, regular) for row in name[index].tolist())
        return cls(codes, patterns, which.reshape(count), rows, slots, codes[rows, places])


def _packed(columns: Integers, base: int) -> Integers:
    """One integer for each row, different for different rows."""
    key, size = np.zeros(len(columns), dtype=np.int64), 1
    for column in columns.T:
        if size * base >= 1 << 62:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key, size = key.reshape(-1) * base + column, size * base
    return key


def _template(names: list[int], length: int, regular: tuple[str, ...]) -> Template:
    """A template from its places: a number below the length is a wildcard."""
    wild = {name: f"ω{n}" for n, name in enumerate(dict.fromkeys(names)) if name < length}
    letters = [wild[name] if name < length else regular[name - length] for name in names]
    return Template(letters, wildcards=tuple(wild.values())).canonical


@attrs.frozen(eq=False)
class Meetings(Shown):
    """The pairs of rows that share a token put for wildcards: which rows, and the way they meet.

    `ways` numbers the different ways, and `shown` has one pair of rows for each.
    """

    left: Integers
    right: Integers
    ways: Integers
    shown: tuple[tuple[int, int], ...]

    @classmethod
    def within(cls, strings: Coded) -> Meetings:
        """The pairs of different rows of one list; the left one comes first."""
        order = np.argsort(strings.tokens, kind="stable")
        tokens = strings.tokens[order]
        start = np.searchsorted(tokens, tokens)
        before = np.arange(len(tokens)) - start
        return cls._joined(strings, strings, order[_run(start, before)], np.repeat(order, before))

    @classmethod
    def between(cls, left: Coded, right: Coded) -> Meetings:
        """The pairs of a row of one list and a row of another."""
        order = np.argsort(right.tokens, kind="stable")
        tokens = right.tokens[order]
        start = np.searchsorted(tokens, left.tokens, side="left")
        found = np.searchsorted(tokens, left.tokens, side="right") - start
        return cls._joined(
            left, right, np.repeat(np.arange(len(left.tokens)), found), order[_run(start, found)]
        )

    @classmethod
    def _joined(cls, left: Coded, right: Coded, a: Integers, b: Integers) -> Meetings:
        """Entries with one token, put together for each pair of rows."""
        base = 1 + int(right.slots.max(initial=0)) + 1
        digits = int(left.slots.max(initial=0)) + 1
        if max(base - 1, digits) > _WILDCARDS:
            raise TooLarge(
                f"a string has {max(base - 1, digits)} tokens for wildcards: at most {_WILDCARDS} "
                "are compared"
            )
        pair = left.rows[a] * len(right.codes) + right.rows[b]
        digit = (right.slots[b] + 1) * base ** left.slots[a]
        order = np.argsort(pair, kind="stable")
        pair, starts = np.unique(pair[order], return_index=True)
        way = np.add.reduceat(digit[order], starts) if len(starts) else digit
        i, j = np.divmod(pair, max(1, len(right.codes)))
        columns = np.stack([left.which[i], right.which[j]], axis=1)
        size = max(len(left.patterns), len(right.patterns))
        _, way = np.unique(way, return_inverse=True)
        key = way.reshape(-1) * size * size + _packed(columns, size)
        _, index, ways = np.unique(key, return_index=True, return_inverse=True)
        shown = tuple(zip(i[index].tolist(), j[index].tolist(), strict=True))
        return cls(i, j, ways.reshape(-1), shown)

    def __len__(self) -> int:
        return len(self.left)


def _run(starts: Integers, counts: Integers) -> Any:
    """start, start + 1, ... for each start, so many as counted."""
    total = int(counts.sum())
    if total > _MEETINGS:
        raise TooLarge(
            f"{total:,} pairs of strings share a token: at most {_MEETINGS:,} are listed, so give "
            "fewer strings or more tokens"
        )
    ends = np.cumsum(counts)
    return np.arange(total) - np.repeat(ends - counts, counts) + np.repeat(starts, counts)
