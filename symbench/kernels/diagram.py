"""Diagram: the equality pattern of a pair of strings, all that a token-symmetric kernel sees.

A token-symmetric kernel has K(pi x, pi y) = K(x, y) for every permutation pi of the tokens, so it
is a function of the set partition of the 2k positions of x and y: which of them carry the same
token.

>>> Diagram.of("AAB", "BCA")
Diagram((0, 0, 1), (1, 2, 0))
>>> Diagram.of("AAB", "BCA") == Diagram.of("PPQ", "QRP")
True
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import attrs

from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.words import Template
from symbench.words.letters import Word, pattern_of

Codes = tuple[int, ...]


@attrs.frozen(repr=False)
class Diagram(Shown):
    """Two strings of one length up to renaming tokens, as numbers in order of appearance.

    >>> Diagram.of("AB", "B")
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: the strings AB and B have lengths 2 and 1: give equal ones
    """

    left: Codes
    right: Codes

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.left, tuple) or not isinstance(self.right, tuple):
            raise BadType(f"{self!r} needs two tuples of numbers: write Diagram.of(x, y)")
        if len(self.left) != len(self.right):
            raise BadShape(f"{self!r} has sides of different lengths: write Diagram.of(x, y)")
        # One pattern, one diagram: kernels tell diagrams apart by their numbers.
        codes: tuple[Any, ...] = (*self.left, *self.right)
        if any(type(code) is not int for code in codes) or pattern_of(codes) != codes:
            raise BadValue(f"{self!r} is not numbered by appearance: write Diagram.of(x, y)")

    def __repr__(self) -> str:
        return f"Diagram({self.left!r}, {self.right!r})"

    @classmethod
    def of(cls, x: Any, y: Any) -> Diagram:
        """The diagram of two strings, as given."""
        a, b = Word(x), Word(y)
        if len(a) != len(b):
            raise BadShape(
                f"the strings {a} and {b} have lengths {len(a)} and {len(b)}: give equal ones"
            )
        return cls.from_codes((*a, *b))

    @classmethod
    def from_codes(cls, letters: tuple[Any, ...]) -> Diagram:
        """The diagram of 2k labels, the first k of them the left string."""
        if not isinstance(letters, tuple):
            raise BadType(f"{letters!r} is not a tuple of labels: write Diagram.of(x, y)")
        codes = pattern_of(letters)
        half = len(codes) // 2
        return cls(codes[:half], codes[half:])

    @classmethod
    def of_templates(cls, z: Template, w: Template) -> Diagram:
        """The diagram of sub(z, s), sub(w, s') for substitutions by different, new tokens.

        >>> Diagram.of_templates(Template("ααS"), Template("αβS"))
        Diagram((0, 0, 1), (2, 3, 1))
        """
        for template in (z, w):
            if not isinstance(template, Template):
                raise BadType(f"{template!r} is not a template: write Template('ααβ')")
        if len(z) != len(w):
            raise BadShape(f"the templates {z} and {w} have lengths {len(z)} and {len(w)}")
        # A wildcard's token is its own: marked by the side it stands on.
        left = [(letter, "left" if letter in z.wildcards else "") for letter in z.letters]
        right = [(letter, "right" if letter in w.wildcards else "") for letter in w.letters]
        return cls.from_codes((*left, *right))

    def __len__(self) -> int:
        return len(self.left)

    def flip(self) -> Diagram:
        """The diagram of the strings exchanged.

        >>> Diagram.of("AB", "CC").flip()
        Diagram((0, 0), (1, 2))
        """
        return Diagram.from_codes((*self.right, *self.left))

    @cached_property
    def left_counts(self) -> Counter[int]:
        """How often each token occurs in the left string."""
        return Counter(self.left)

    @cached_property
    def right_counts(self) -> Counter[int]:
        """How often each token occurs in the right string."""
        return Counter(self.right)

    @cached_property
    def pair_counts(self) -> Counter[tuple[int, int]]:
        """How many positions carry token s on the left and t on the right."""
        return Counter(zip(self.left, self.right, strict=True))

    @property
    def matches(self) -> int:
        """At how many positions the strings agree: the inner product of their one-hot matrices.

        >>> Diagram.of("ABC", "ABD").matches
        2
        """
        return sum(a == b for a, b in zip(self.left, self.right, strict=True))

    @property
    def meetings(self) -> int:
        """How many pairs of positions (one of each string) carry the same token.

        >>> Diagram.of("AAB", "ABB").meetings
        4
        """
        return sum(n * self.right_counts[token] for token, n in self.left_counts.items())


def check_diagram(value: Any) -> Diagram:
    """value itself, if it is a diagram."""
    if not isinstance(value, Diagram):
        raise BadType(f"{value!r} is not a Diagram: write Diagram.of(x, y)")
    return value


def check_positions(value: Any) -> Diagram:
    """value itself, if it is a diagram of nonempty strings: attention needs a position."""
    if not len(check_diagram(value)):
        raise BadValue("attention on empty strings: give at least one letter")
    diagram: Diagram = value
    return diagram
