"""Two layers of attention whose first scores are a Z Z^T: what a I in W_K^T W_Q adds, by itself.

boix2024 (Section 4.3) puts W_K^T W_Q + a I in the place of W_K^T W_Q. With W_K^T W_Q = 0 and wide
embeddings the scores of the first layer are a (X X^T + gamma^2 I), and the second layer, whose
scores are 0, takes the mean of all positions. A token that occurs n times in a string of length k
has the row of scores with the denominator

    D(n) = e^(a (1 + gamma^2)) + (n - 1) e^a + k - n,

so the mean gives each of its positions the weight c/k, c = 1 - k/D(n) + (the sum of 1/D over all
positions), and the kernel is c(x)^T (X Y^T + gamma^2 I) c(y) / k^2. The weights see how often the
token of a position occurs, and nothing else.

>>> kernel = identity_attention(q=2, gamma=1)
>>> template_matrix(tasks.same_different(), kernel).matrix.det()
1/3969
>>> print(template_matrix([Template("ααββ"), Template("αβαβ")], kernel).matrix)
[ 283/1200  283/1200]
[ 283/1200  283/1200]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench._arguments import shown
from symbench.errors import BadType
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_parameter, fmpq, number_source, rational
from symbench.kernels.activations.exact import GUARD, precision
from symbench.kernels.base import OnStrings
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.tables import Table, diagram_of
from symbench.young.position_groups import YoungSubgroup


def _a(value: Any) -> Rational | None:
    return None if value is None else exact_parameter(value, "a")


def _q(value: Any) -> Rational | None:
    return None if value is None else exact_parameter(value, "q", at_least=0)


def _gamma(value: Any) -> Rational:
    return exact_parameter(value, "gamma")


@attrs.frozen(repr=False)
class IdentityAttention(OnStrings):
    """The kernel of a layer with the scores a Z Z^T under one of uniform attention.

    Give a, or q = e^a of at least 0, where q = 0 is the limit of a to -infinity. The values are
    exact if q^(1 + gamma^2) is known to be rational (q is 0 or 1, or gamma^2 an integer), else
    balls of about the given number of bits.

    >>> identity_attention(q=0, gamma=1).value("AA*", "BC*")
    5/9
    >>> identity_attention(q="1/2", gamma=2), identity_attention(a=-1, gamma=1).exactness
    (identity_attention(q='1/2', gamma=2), 'ball')
    >>> identity_attention(gamma=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: a is None and q is None: give one of them, q = e^a
    """

    a: Rational | None = attrs.field(default=None, converter=_a, kw_only=True)
    q: Rational | None = attrs.field(default=None, converter=_q, kw_only=True)
    gamma: Rational = attrs.field(converter=_gamma, kw_only=True)
    bits: int = attrs.field(default=128, converter=precision, kw_only=True)

    needs_cls = True

    def __attrs_post_init__(self) -> None:
        if (self.a is None) == (self.q is None):
            raise BadType(
                f"a is {shown(self.a)} and q is {shown(self.q)}: give one of them, q = e^a"
            )

    def __repr__(self) -> str:
        name, value = ("q", self.q) if self.q is not None else ("a", self.a)
        more = "" if self.bits == 128 else f", bits={self.bits}"
        numbers = f"{name}={number_source(value or Rational(0))}, gamma={number_source(self.gamma)}"
        return f"identity_attention({numbers}{more})"

    @property
    def exactness(self) -> str:
        """'exact', or 'ball' where a power of e^a is not rational."""
        if self.q is None:
            return "exact" if self.a == 0 else "ball"
        known = self.q in (0, 1) or (self.gamma**2).denominator == 1
        return "exact" if known else "ball"

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions."""
        return YoungSubgroup(length)

    def weights(self, word: Any) -> tuple[Any, ...]:
        """The number c of each position: the part of it in the mean, times the length.

        They add up to the length, and equal ones belong to tokens that occur equally often.

        >>> identity_attention(q=0, gamma=1).weights("AA*")
        (1/2, 1/2, 2)
        """
        left = check_positions(Diagram.of(word, word)).left
        with working_precision(self.bits + GUARD):
            found = self._by_token(Counter(left))
            return tuple(self._value(found[token]) for token in left)

    def on_diagram(self, diagram: Diagram) -> Any:
        """The kernel on a pair of strings with this diagram.

        >>> identity_attention(a=0, gamma=1).value("AB*", "AC*")  # uniform attention
        5/9
        """
        pair, length = check_positions(diagram), len(diagram)
        with working_precision(self.bits + GUARD):
            c, d = map(self._by_token, (pair.left_counts, pair.right_counts))
            total = flint.fmpq(0)
            for token, n in pair.left_counts.items():
                if token in d:
                    total += n * c[token] * pair.right_counts[token] * d[token]
            for (s, t), n in pair.pair_counts.items():
                total += fmpq(self.gamma**2) * n * c[s] * d[t]
            return self._value(total / length**2)

    def on_table(self, table: Table) -> Any:
        """The value from a contingency table.

        >>> identity_attention(q=0, gamma=1).on_table(((2, 0), (0, 1)))
        19/18
        """
        return self.on_diagram(diagram_of(table))

    def _by_token(self, counts: Counter[Any]) -> dict[Hashable, Any]:
        """The weight c of each token of a string with these counts."""
        length = sum(counts.values())
        if len(counts) == 1:  # all positions are alike, even where all scores are -infinity
            return {token: flint.fmpq(1) for token in counts}
        one, own = self._powers()
        h = {n: 1 / (own + (n - 1) * one + length - n) for n in {*counts.values()}}
        mean = sum((n * h[n] for n in counts.values()), flint.fmpq(0))
        return {token: 1 - length * h[n] + mean for token, n in counts.items()}

    def _value(self, value: Any) -> Any:
        """A Rational where all values are exact, else a ball."""
        return rational(value) if self.exactness == "exact" else flint.arb(value)

    def _powers(self) -> tuple[Any, Any]:
        """e^a and e^(a (1 + gamma^2))."""
        power = 1 + self.gamma**2
        if self.a is not None:
            if self.a == 0:
                return flint.fmpq(1), flint.fmpq(1)
            return flint.arb(fmpq(self.a)).exp(), flint.arb(fmpq(self.a * power)).exp()
        base = fmpq(self.q or Fraction(0))
        if base in (0, 1):
            return base, base
        if power.denominator == 1:
            return base, base ** int(power)
        return base, flint.arb(base) ** flint.arb(fmpq(power))


identity_attention = IdentityAttention
