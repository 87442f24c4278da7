"""Which template a string matches: for one string, and for a million rows of an array.

A row matches a template exactly when it has its pattern and agrees with its regular tokens. The
pattern of all rows comes from comparing columns; rows are then grouped by a 64-bit key of their
pattern. The key only finds the candidate: the pattern itself is compared afterwards, so nothing
depends on the key being unique.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs

from symbench._arguments import integer, mapping, shown
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact.arrays import Array, Integers, np
from symbench.words.substitution import Substitution
from symbench.words.template import Template

Label = Fraction | str

_ROWS = 1 << 16  # rows at a time: the temporary columns stay in the cache


@attrs.frozen
class Classification(Shown):
    """The answer of `Task.classify`: template, label and substitution map, or the reason.

    >>> task = Task([Template("αα"), Template("αβ")], labels=[1, -1])
    >>> answer = task.classify("QQ")
    >>> bool(answer), answer.template, answer.label, answer.substitution
    (True, Template('αα'), 1, Substitution({'α': 'Q'}))
    """

    template: Template | None
    label: Label | None
    substitution: Substitution | None
    reason: str

    def __bool__(self) -> bool:
        return self.template is not None

    def __str__(self) -> str:
        if self.template is None:
            return self.reason
        label = "no label" if self.label is None else f"label {self.label}"
        return f"{self.template} ({label}; {self.substitution})"

    def _view(self) -> View:
        if self.template is None:
            return card("no template matches", self.reason, tone="bad")
        said: list[tuple[str, Any]] = [("label", self.label), ("substitution", self.substitution)]
        return card(f"matches {self.template}", facts(said), tone="good")


class Classifier:
    """Templates of one length, prepared for classifying many strings."""

    def __init__(self, templates: tuple[Template, ...]) -> None:
        self._length = len(templates[0])
        self._tokens = tuple(dict.fromkeys(token for t in templates for token in t.tokens))
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, template in enumerate(templates):
            groups.setdefault(template.pattern, []).append(index)
        self._places = [template.token_positions for template in templates]
        self._members = list(groups.values())
        # For each position the first one with the same letter.
        places = [[pattern.index(number) for number in pattern] for pattern in groups]
        firsts = np.array(places, dtype=np.uint16)
        # Odd multipliers; other ones until the keys of the templates' patterns differ.
        seed = 0
        while True:
            factors = np.random.default_rng(seed).integers(
                2**63, size=self._length, dtype=np.uint64
            )
            keys = _keys(firsts, factors)
            if len(np.unique(keys)) == len(keys):
                break
            seed += 1
        order = np.argsort(keys)
        self._factors, self._keys, self._order, self._firsts = factors, keys[order], order, firsts

    def __call__(self, strings: Any, codes: Mapping[str, int] | None) -> Integers:
        array = _read_array(strings, self._length)
        code_of = self._read_codes(codes)
        result = np.full(len(array), -1, dtype=np.int64)
        for start in range(0, len(array), _ROWS):
            part = slice(start, start + _ROWS)
            result[part] = self._classify(array[part], code_of)
        return result

    def _read_codes(self, codes: Mapping[str, int] | None) -> dict[str, int]:
        given = mapping({} if codes is None else codes, "codes")
        found = {}
        for token in self._tokens:
            if token not in given:
                raise BadValue(
                    f"no integer is given for the regular token {shown(token)}: "
                    f"give codes={{{shown(token)}: ...}}"
                )
            found[token] = integer(given[token], f"the code of {shown(token)}", at_least=0)
        if len(set(found.values())) < len(found):
            raise BadValue(f"two regular tokens have the same code: {found}: give distinct ones")
        return found

    def _classify(self, rows: Array, code_of: dict[str, int]) -> Integers:
        columns = np.ascontiguousarray(rows.T)
        length = self._length
        first = np.empty((length, len(rows)), dtype=np.uint16)
        for j in range(length):
            first[j] = j
            for i in range(j - 1, -1, -1):
                # The smallest place wins because it is written last.
                np.copyto(first[j], i, where=columns[i] == columns[j])
        keys = _keys(first.T, self._factors)
        slot = np.searchsorted(self._keys, keys)
        slot[slot == len(self._keys)] = 0
        group = np.where(self._keys[slot] == keys, self._order[slot], -1)
        result = np.full(len(rows), -1, dtype=np.int64)
        by_group = np.argsort(group, kind="stable")
        edges = np.searchsorted(group[by_group], np.arange(len(self._members) + 1))
        for number, members in enumerate(self._members):
            chosen = by_group[edges[number] : edges[number + 1]]
            if not len(chosen):
                continue
            true = (first[:, chosen] == self._firsts[number][:, None]).all(axis=0)
            chosen = chosen[true]
            for index in members:
                hits = chosen
                for token, places in self._places[index].items():
                    hits = hits[columns[places[0]][hits] == code_of[token]]
                result[hits] = np.where(result[hits] == -1, index, -2)
        return result


def _keys(first: Array, factors: Array) -> Array:
    """A number modulo 2^64 for every row; equal rows have equal numbers."""
    keys = np.zeros(len(first), dtype=np.uint64)
    for column, factor in zip(first.T, factors, strict=True):
        keys += column.astype(np.uint64) * factor
    return keys


def _read_array(strings: Any, length: int) -> Array:
    try:
        array = np.asarray(strings)
    except ValueError:
        raise BadShape("the rows have unequal lengths: give an n x k array of integers") from None
    if array.size == 0:
        array = array.reshape(0, length).astype(np.int64)
    if array.dtype.kind not in "iu":
        raise BadType(f"the array has entries of type {array.dtype}: give integers")
    if array.ndim != 2 or array.shape[1] != length:
        raise BadShape(f"the array has the shape {array.shape}: give an n x {length} array")
    return array
