"""Templates as plain data, and their exponents at a point: the subject of the certificates here.

For integers xi (sum zero) and y, a template has the exponent
e = 2 sum_rho y_rho sum_{a in A_rho} xi_a + sum_B (sum_{a in B} xi_a)^2, A_rho the positions of the
regular token rho, B the wildcard blocks.
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.certificates.plain import register_type
from symbench.errors import BadCertificate
from symbench.exact import ZZ


@attrs.frozen
class Patterns:
    """Templates as plain data: one row each, regular tokens 0, 1, ..., wildcards -1, -2, ...

    >>> Patterns(((-1, -1, 0), (-1, -2, 0))).exponents((1, 2, -3), (5,))
    [-21, -25]
    """

    rows: tuple[tuple[int, ...], ...]

    def exponents(self, xi: tuple[int, ...], y: tuple[int, ...]) -> list[int]:
        """The exponent e of every template at a point."""
        found = []
        for row in self.rows:
            sums: dict[int, int] = {}
            for letter, x in zip(row, xi, strict=True):
                sums[letter] = sums.get(letter, 0) + x
            found.append(sum(s * s if a < 0 else 2 * y[a] * s for a, s in sums.items()))
        return found

    def fits(self, length: int, tokens: int) -> bool:
        """Whether all rows have this length and tokens below this number."""
        return all(len(row) == length and max(row) < tokens for row in self.rows)

    @classmethod
    def from_json(cls, data: Any) -> Patterns:
        """The patterns that to_json wrote."""
        if not isinstance(data, list) or not all(isinstance(row, str) for row in data):
            raise BadCertificate("patterns are written as strings of integers")
        return cls(tuple(tuple(ZZ.coerce(a) for a in row.split()) for row in data))

    def to_json(self) -> list[str]:
        """One string of integers a template."""
        return [" ".join(map(str, row)) for row in self.rows]


register_type("Patterns", Patterns, Patterns.to_json, Patterns.from_json)
