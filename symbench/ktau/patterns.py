"""Templates as plain data, and their exponents at a point: the subject of the certificates here.

For integers xi (sum zero) and y, a template has the exponent
e = 2 sum_rho y_rho sum_{a in A_rho} xi_a + sum_B (sum_{a in B} xi_a)^2, A_rho the positions of the
regular token rho, B the wildcard blocks.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import attrs

from symbench.certificates.plain import register_type
from symbench.errors import BadCertificate, BadShape, BadType
from symbench.exact import ZZ

# A letter of a template and its positions; all wildcards have the letter -1.
Part = tuple[int, tuple[int, ...]]


def _check_rows(_: TemplateRows, __: Any, rows: Any) -> None:
    well_formed = isinstance(rows, tuple) and all(
        isinstance(row, tuple) and all(type(letter) is int for letter in row) for row in rows
    )
    if not well_formed:
        raise BadType("the rows of patterns are tuples of integers, in a tuple")
    if len({len(row) for row in rows}) > 1 or not all(rows):
        raise BadShape("the rows of patterns have one length, at least 1")


def canonical_row(row: tuple[int, ...]) -> tuple[int, ...]:
    """The row with its wildcards numbered -1, -2, ... by appearance: equal iff equivalent.

    >>> canonical_row((-3, 0, -3, -1))
    (-1, 0, -1, -2)
    """
    names: dict[int, int] = {}
    return tuple(a if a >= 0 else names.setdefault(a, -1 - len(names)) for a in row)


@attrs.frozen
class TemplateRows:
    """Templates as plain data: one row each, regular tokens 0, 1, ..., wildcards -1, -2, ..."""

    rows: tuple[tuple[int, ...], ...] = attrs.field(validator=_check_rows)

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The rows that to_json wrote."""
        if not isinstance(data, list) or not all(isinstance(row, str) for row in data):
            raise BadCertificate("templates are written as strings of integers")
        return cls(tuple(tuple(ZZ.coerce(a) for a in row.split()) for row in data))

    def to_json(self) -> list[str]:
        """One string of integers a template."""
        return [" ".join(map(str, row)) for row in self.rows]


@attrs.frozen
class Patterns(TemplateRows):
    """Templates whose K_tau is that of a kernel of theorem `symbench.positive-definite`.

    >>> Patterns(((-1, -1, 0), (-1, -2, 0))).exponents((1, 2, -3), (5,))
    [-21, -25]
    """

    @cached_property
    def parts(self) -> tuple[tuple[Part, ...], ...]:
        """The letters of every template, each with its positions."""
        found = []
        for row in self.rows:
            places: dict[int, tuple[int, ...]] = {}
            for position, letter in enumerate(row):
                places[letter] = (*places.get(letter, ()), position)
            found.append(tuple((max(letter, -1), where) for letter, where in places.items()))
        return tuple(found)

    @cached_property
    def distinct_parts(self) -> frozenset[Part]:
        """The parts that occur."""
        return frozenset(part for parts in self.parts for part in parts)

    def part_exponents(self, xi: tuple[int, ...], y: tuple[int, ...]) -> dict[Part, int]:
        """What a part adds to the exponent of its template, for all that occur."""
        found = {}
        for letter, places in self.distinct_parts:
            total = sum(xi[a] for a in places)
            found[letter, places] = total * total if letter < 0 else 2 * y[letter] * total
        return found

    def exponents(self, xi: tuple[int, ...], y: tuple[int, ...]) -> list[int]:
        """The exponent e of every template at a point."""
        if not self.fits(len(xi), len(y)):
            raise BadShape(f"a point of {len(xi)} and {len(y)} numbers does not fit the templates")
        value = self.part_exponents(xi, y)
        return [sum(value[part] for part in parts) for parts in self.parts]

    def fits(self, length: int, tokens: int) -> bool:
        """Whether there are rows, all of this length and with tokens below this number."""
        return bool(self.rows) and all(
            len(row) == length and max(row) < tokens for row in self.rows
        )

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """The letters of the templates with one letter throughout, -1 for a wildcard.

        Their exponents vanish at every point; the attention on their token tells them apart.
        """
        return tuple(max(row[0], -1) for row in self.rows if len(set(row)) == 1)

    def separated_at(self, xi: tuple[int, ...], y: tuple[int, ...]) -> bool:
        """Whether a point tells all templates apart, those with one letter by that letter."""
        found = [
            e for e, row in zip(self.exponents(xi, y), self.rows, strict=True) if len(set(row)) > 1
        ]
        letters = self.constants
        alone = not letters or (0 not in found and len(set(letters)) == len(letters))
        return sum(xi) == 0 and alone and len(set(found)) == len(found)


register_type("Patterns", Patterns, Patterns.to_json, Patterns.from_json)
