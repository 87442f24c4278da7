"""Families of templates: all of a length over a few regular tokens, or those of one task.

>>> family = Family.of_length(3, 1)
>>> family, len(family)
(Family.of_length(3, 1), 15)
>>> family.places([Template("αSα"), Template("SβS")])  # S is the token of the family
(6, 2)
>>> family.places([Template("αST")]) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import attrs

from symbench._arguments import integer
from symbench.draw.views import Shown
from symbench.words import Task, Template, Templates
from symbench.words.letters import CLS

_TOKENS = "ABCDEFGH"
# Templates of a family that is listed: a matrix of them is still quick to eliminate.
_MOST = 1_000

Key = tuple[int, ...]


@attrs.frozen(repr=False, slots=False)
class Family(Shown):
    """Templates of one length that an entry of the atlas is about.

    Make one by `Family.of_length(length, tokens)` or `Family.of_task(name, task)`. In the first
    kind the names of regular tokens do not matter, as kernels do not read them; CLS is no regular
    token there, because kernels that ask for it get it appended.
    """

    name: str
    templates: tuple[Template, ...] = attrs.field(eq=False)
    complete: bool

    @classmethod
    def of_length(cls, length: int, tokens: int = 0) -> Family:
        """All templates of a length over so many regular tokens, up to the names of wildcards.

        >>> len(Family.of_length(5)), len(Family.of_length(5, 1))
        (52, 203)
        >>> Family.of_length(12)
        Traceback (most recent call last):
        ...
        symbench.errors.TooLarge: the number of templates is 4213597: ask for at most 1,000
        """
        length = integer(length, "the length", at_least=1)
        count = integer(tokens, "the number of tokens", at_least=0, at_most=len(_TOKENS))
        listed = Templates(length, tokens=_TOKENS[:count])
        integer(listed.count, "the number of templates", limit=_MOST)
        return cls(f"{length} {_TOKENS[:count]}".strip(), tuple(listed), True)

    @classmethod
    def of_task(cls, name: str, task: Task) -> Family:
        """The templates of a task."""
        return cls(name, task.templates, False)

    def __repr__(self) -> str:
        if self.complete:
            return f"Family.of_length({self.length}, {len(self.tokens)})"
        return f"<Family of {len(self)} templates: {self.name}>"

    def __len__(self) -> int:
        return len(self.templates)

    @property
    def length(self) -> int:
        """The length of the templates."""
        return len(self.templates[0])

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The regular tokens."""
        return _tokens(self.templates)

    @cached_property
    def _index(self) -> dict[Key, int]:
        number = {token: n for n, token in enumerate(self.tokens)}
        return {_key(z, number): n for n, z in enumerate(self.templates)}

    def places(self, templates: Sequence[Template]) -> tuple[int, ...] | None:
        """Where these templates stand in the family, up to renaming; None if one is not there."""
        tokens = _tokens(templates)
        if self.complete:
            if len(tokens) > len(self.tokens) or CLS in tokens:
                return None
            number = {token: n for n, token in enumerate(tokens)}
        elif set(tokens) <= set(self.tokens):
            number = {token: n for n, token in enumerate(self.tokens)}
        else:
            return None
        found = [self._index.get(_key(z, number)) for z in templates]
        known = tuple(n for n in found if n is not None)
        return known if len(known) == len(found) else None


def _tokens(templates: Sequence[Template]) -> tuple[str, ...]:
    """The regular tokens of templates, by first appearance."""
    return tuple(dict.fromkeys(token for z in templates for token in z.tokens))


def _key(z: Template, number: dict[str, int]) -> Key:
    """The template with numbers for its letters: tokens from 0 on, wildcards below 0."""
    names: dict[str, int] = {}
    wild = set(z.wildcards)
    return tuple(
        names.setdefault(a, -1 - len(names)) if a in wild else number[a] for a in z.letters
    )


def shipped_families(tasks: Sequence[tuple[str, Task]], *, largest: int) -> tuple[Family, ...]:
    """The families up to a length, and one for each task that is in none of them."""
    found = [Family.of_length(n, 2 if n < 5 else 1) for n in range(1, largest + 1)]
    for name, task in tasks:
        if all(family.places(task.templates) is None for family in found):
            found.append(Family.of_task(name, task))
    return tuple(found)
