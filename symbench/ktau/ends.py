"""Templates of kernel (23), which reads the last letter: what a point must tell apart."""

from __future__ import annotations

from typing import Any

import attrs

from symbench.certificates.plain import register_type
from symbench.ktau.patterns import Patterns


@attrs.frozen
class EndPatterns(Patterns):
    """Templates of kernel (23), which reads the last letter: they need not end alike.

    Strings that end alike share Gaussians of their own, so a relation between all templates is
    one between those that end in a token, for each token, and one between those that end in a
    wildcard. There the exponent is 2 kappa a_i + (1 + gamma^2) Q_i + n_i for every kappa: a_i and
    n_i = sum_rho (sum_{A_rho} xi)^2 see the places of tokens alone, Q_i the blocks.

    >>> EndPatterns(((-1, -1), (-1, -2), (0, -1), (0, 0))).separated_at((1, -1), (2,))
    True
    """

    def separated_at(self, xi: tuple[int, ...], y: tuple[int, ...]) -> bool:
        """Whether a point tells apart all templates that end alike."""
        ends: dict[int, list[tuple[int, ...]]] = {}
        for row in self.rows:
            ends.setdefault(max(row[-1], -1), []).append(row)
        for end, rows in ends.items():
            found: list[Any] = Patterns(tuple(rows)).exponents(xi, y)
            if end < 0:
                # The layout of tokens gives a_i; what else the exponent holds is Q_i.
                layouts = [tuple(max(letter, -1) for letter in row) for row in rows]
                a = {
                    layout: sum(y[t] * x for t, x in zip(layout, xi, strict=True) if t >= 0)
                    for layout in layouts
                }
                if len(set(a.values())) < len(a):
                    return False
                found = list(zip(layouts, found, strict=True))
            if len(set(found)) < len(found):
                return False
        return sum(xi) == 0


register_type("EndPatterns", EndPatterns, EndPatterns.to_json, EndPatterns.from_json)
