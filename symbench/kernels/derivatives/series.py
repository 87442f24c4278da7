"""The attention kernel as a gas of vertices: its series, graph by graph, at any order.

With u = X zeta + gamma p, smax(beta u)_a = e^{beta u_a} / (k (1 + P)), P = 1/k sum_c (e^{beta u_c}
- 1), and 1 / (1 + P) is e^{z P} with z^l replaced by (-1)^l l!. So the kernel is the mean of

    k^-2 sum_ab (XY^T + gamma^2 I)_ab e^{beta u_a} e^{beta v_b}
        exp(Z sum_c (e^{beta u_c} - 1) + W sum_c (e^{beta v_c} - 1)),       Z = z/k, W = w/k.

The mean of an exponential of a sum of exponentials is the exponential of joint cumulants:

1. Over the positions p, all independent. A position that carries A vertices of the x side and B of
   the y side has weight Z^A W^B / (A! B!) times the joint cumulant of A + B equal variables
   e^{beta gamma p}, and is left with e^{beta (A zeta_{x_c} + B zeta_{y_c})}: it has *charge* A at
   the token x_c and charge B at the token y_c.
2. Over the tokens zeta. A token where the charges a_1, .., a_m meet contributes the joint cumulant
   of e^{beta a_i zeta}; summed over the tokens, what remains is a directed multigraph (positions
   are its edges, tokens its nodes: `symbench.kernels.derivatives.invariants`).

A joint cumulant of m exponentials begins with power m - 1 of the variance, so at a given order
only small graphs occur. Connected graphs without the marked positions a and b exponentiate.

A *jet* is a dictionary {(B, G): polynomial in Z, W, k}: the coefficient of (beta^2)^B at the
tokens and (beta^2 gamma^2)^G at the positions.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from math import comb, factorial, prod
from typing import Any

import attrs
import flint

Jet = dict[tuple[int, int], Any]
Charges = tuple[int, ...]
_RING = flint.fmpq_mpoly_ctx.get(("Z", "W", "k"), "lex")


@lru_cache(maxsize=1 << 14)
def joint_cumulant(charges: Charges, order: int) -> tuple[Any, ...]:
    """The joint cumulant of e^{a g}, a in charges, g ~ N(0, v): coefficients of v^0 .. v^order.

    Two of them: e^{(a + b)^2 v / 2} - e^{(a^2 + b^2) v / 2} = a b v + ...
    """
    return tuple(_cumulant(tuple(sorted(charges)), order)[n] for n in range(order + 1))


@lru_cache(maxsize=1 << 14)
def _moment(total: int, order: int) -> Any:
    half = flint.fmpq(total * total, 2)
    return flint.fmpq_poly([half**n / factorial(n) for n in range(order + 1)])


@lru_cache(maxsize=1 << 14)
def _cumulant(charges: Charges, order: int) -> Any:
    """The moment minus the products in which charges[0] is apart from some others."""
    result = _moment(sum(charges), order)
    if not charges:
        return result * 0
    first, others = charges[0], Counter(charges[1:])
    kinds = sorted(others)
    for taken in product(*(range(others[a] + 1) for a in kinds)):
        if not any(taken):
            continue
        apart = sum(n * a for n, a in zip(taken, kinds, strict=True))
        ways = prod(comb(others[a], n) for n, a in zip(taken, kinds, strict=True))
        rest = [a for n, a in zip(taken, kinds, strict=True) for _ in range(others[a] - n)]
        together = _cumulant(tuple(sorted([first, *rest])), order)
        whole = ways * together * _moment(apart, order)
        result -= flint.fmpq_poly(whole.coeffs()[: order + 1])
    return result


@attrs.frozen
class Gas:
    """The weights of positions and tokens, up to order `tokens` in B and `positions` in G."""

    tokens: int
    positions: int

    # --- jets -------------------------------------------------------------------------------
    def monomial(self, left: int, right: int, k: int = 0) -> Any:
        """Z^left W^right k^k."""
        return _RING.from_dict({(left, right, k): flint.fmpq(1)})

    def one(self) -> Jet:
        """The jet 1."""
        return {(0, 0): self.monomial(0, 0)}

    def times(self, f: Jet, g: Jet) -> Jet:
        """The product, truncated."""
        result: Jet = {}
        for (b, e), x in f.items():
            for (c, h), y in g.items():
                if b + c <= self.tokens and e + h <= self.positions:
                    place = (b + c, e + h)
                    result[place] = result[place] + x * y if place in result else x * y
        return {place: x for place, x in result.items() if x != 0}

    def exponential(self, f: Jet) -> Jet:
        """e^f for a jet without constant term."""
        total = power = self.one()
        for n in range(1, self.tokens + self.positions + 1):
            power = scaled(self.times(power, f), flint.fmpq(1, n))
            total = plus(total, power)
        return total

    def token(self, charges: Charges) -> Jet:
        """The joint cumulant of the charges that meet at a token."""
        values = joint_cumulant(tuple(sorted(charges)), self.tokens)
        return {(b, 0): self.monomial(0, 0) * v for b, v in enumerate(values) if v != 0}

    def _at_position(self, vertices: int) -> Jet:
        values = joint_cumulant((1,) * vertices, self.positions)
        return {(0, e): self.monomial(0, 0) * v for e, v in enumerate(values) if v != 0}

    # --- positions --------------------------------------------------------------------------
    def position(self, left: int, right: int) -> Jet:
        """A position with these numbers of vertices of the x side and of the y side."""
        share = self.monomial(left, right) * flint.fmpq(1, factorial(left) * factorial(right))
        return scaled(self._at_position(left + right), share)

    def charges(self) -> range:
        """The charges that a position of nonzero weight may have at one token, without marks."""
        return range(1, self.positions + 2)

    def edges(self) -> dict[tuple[int, int], Jet]:
        """Positions that meet others at both of their tokens, by their charges."""
        pairs = ((a, b) for a in self.charges() for b in self.charges())
        return {pair: jet for pair in pairs if (jet := self.position(*pair))}

    def half_edges(self, *, left: bool) -> dict[int, Jet]:
        """Positions that meet others at their left (or only at their right) token, by charge."""
        result = {}
        for a in self.charges():
            jet: Jet = {}
            for b in range(self.positions + 2):
                alone = self.token((b,)) if b else self.one()
                here = self.position(a, b) if left else self.position(b, a)
                jet = plus(jet, self.times(here, alone))
            if jet:
                result[a] = jet
        return result

    def loners(self) -> Jet:
        """All positions that meet no other: they are k, and their weight exponentiates."""
        total: Jet = {(0, 0): -self.monomial(1, 0) - self.monomial(0, 1)}
        for a, b in product(range(self.positions + 2), repeat=2):
            if a + b:
                alone = self.one()
                for charge in filter(None, (a, b)):
                    alone = self.times(alone, self.token((charge,)))
                total = plus(total, self.times(self.position(a, b), alone))
        return scaled(total, self.monomial(0, 0, 1))

    # --- marked positions -------------------------------------------------------------------
    def marked(self, left: int, right: int, *, marks: str) -> Jet:
        """A position whose charges include one marked vertex on each side named in `marks`.

        `marks` is 'x', 'y', 'xy' (both, joined by the cumulant) or 'x+y' (both, joined or not).
        """
        x, y = left - ("x" in marks), right - ("y" in marks)
        if x < 0 or y < 0:
            return {}
        jet = self._at_position(left + right)
        if marks == "x+y":
            # The x + y other vertices are shared out between the two marked ones.
            for n in range(x + y + 1):
                apart = self.times(self._at_position(n + 1), self._at_position(x + y - n + 1))
                jet = plus(jet, scaled(apart, comb(x + y, n)))
        return scaled(jet, self.monomial(x, y) * flint.fmpq(1, factorial(x) * factorial(y)))


def plus(f: Jet, g: Jet) -> Jet:
    """The sum of two jets."""
    result = dict(f)
    for place, x in g.items():
        result[place] = result[place] + x if place in result else x
    return {place: x for place, x in result.items() if x != 0}


def scaled(f: Jet, factor: Any) -> Jet:
    """The jet times a number or a polynomial."""
    return {place: x * factor for place, x in f.items()}
