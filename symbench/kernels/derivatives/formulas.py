"""attention_derivative: the derivatives of the attention kernel at beta = gamma = 0, as formulas.

K_attn(X, Y) = E[smax(beta u)^T (XY^T + gamma^2 I) smax(beta v)] is smooth, and each of its
derivatives at the origin is a sum of graph invariants with coefficients that depend on the length
k only: one formula for all strings.

>>> print(attention_derivative(2, 2))
(8*k^-2) t + (-8*k^-3) a
>>> attention_derivative(4, 0).evaluate("AAB", "ABC")
-64/27
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import factorial, lcm
from typing import Any

import attrs
import numpy as np

from symbench._arguments import integer, sequence
from symbench.draw.progress import progress
from symbench.draw.views import Shown, View, as_html, card, columns_text
from symbench.errors import TooLarge
from symbench.exact.rational import Rational
from symbench.kernels.derivatives.counts import Counts, as_diagram
from symbench.kernels.derivatives.graph_gas import leading, same_position, same_token
from symbench.kernels.derivatives.invariants import Component, Invariant
from symbench.kernels.derivatives.laurent import Laurent
from symbench.kernels.derivatives.series import Gas
from symbench.kernels.diagram import Diagram

Terms = tuple[tuple[Invariant, Laurent], ...]
# About 10 kB a term while the products are formed.
_MOST_TERMS = 100_000
# The orders, added up, up to which a notebook shows the formula.
_SHOWN = 8
# Seconds that may be spent on one formula.
_MOST_SECONDS = 60


def _order(value: Any) -> int:
    return integer(value, "an order", at_least=0)


@attrs.frozen(repr=False)
class AttentionDerivative(Shown):
    """The formula of d^i/dbeta^i d^j/dgamma^j K_attn at beta = gamma = 0.

    It is i! j! times the coefficient of beta^i gamma^j; zero if i or j is odd or j > i + 2.

    >>> f = attention_derivative(4, 2)
    >>> f, f.order, len(f.terms)
    (attention_derivative(4, 2), (4, 2), 17)
    >>> f.terms[0]
    (Invariant('t'), Laurent({-2: 72}))
    >>> f.evaluate("AB", "CB")
    -15
    >>> attention_derivative(3, 2).terms
    ()
    >>> attention_derivative(40, 8)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: attention_derivative(40, 8) would take about ... s and have about ...
    """

    i: int = attrs.field(converter=_order)
    j: int = attrs.field(converter=_order)

    def __attrs_post_init__(self) -> None:
        if not self._vanishes():
            _refuse_if_too_large(self.i, self.j)

    def _vanishes(self) -> bool:
        return bool(self.i % 2 or self.j % 2 or self.j > self.i + 2)

    def __repr__(self) -> str:
        return f"attention_derivative({self.i}, {self.j})"

    def __str__(self) -> str:
        shown = [f"({coefficient}) {invariant}" for invariant, coefficient in self.terms]
        return " + ".join(shown) or "0"

    def _view(self) -> View:
        if self.i + self.j > _SHOWN:  # so long that nobody reads it
            return card(repr(self), "The formula is long: .terms has it, .latex() writes it.")
        rows = [["coefficient", "invariant", "that is"]]
        rows += [[as_html(str(c)), str(x), as_html(x.formula)] for x, c in self.terms]
        return card(repr(self), columns_text(rows))

    @property
    def order(self) -> tuple[int, int]:
        """How often it is differentiated by beta and by gamma."""
        return self.i, self.j

    @property
    def terms(self) -> Terms:
        """Pairs (invariant, coefficient), small invariants first.

        >>> [str(invariant) for invariant, _ in attention_derivative(6, 6).terms]
        ['1', 't', 'a', 'x', 'y']
        """
        return () if self._vanishes() else _terms(self.i, self.j)

    def coefficient(self, invariant: Any) -> Laurent:
        """The coefficient of an invariant, zero if it does not occur.

        >>> print(attention_derivative(6, 4).coefficient("g"))
        17280*k^-4
        >>> print(attention_derivative(6, 4).coefficient("q1"))
        0
        """
        wanted = invariant if isinstance(invariant, Invariant) else Invariant(invariant)
        return dict(self.terms).get(wanted, Laurent({}))

    def evaluate(self, x: Any, y: Any = None) -> Rational:
        """The exact value on two strings, as given, or on one Diagram.

        >>> f = attention_derivative(2, 0)
        >>> f.evaluate("AA*", "BB*"), f.evaluate(Diagram.of("AA*", "BB*"))
        (16/81, 16/81)
        """
        return self.evaluate_many([x if y is None else (x, y)])[0]

    def evaluate_many(self, pairs: Iterable[Any]) -> list[Rational]:
        """The exact values on many pairs of strings or diagrams, computed together.

        >>> attention_derivative(2, 2).evaluate_many([("AB", "AB"), ("AB", "BA"), ("A", "A")])
        [2, -2, 0]
        """
        listed = sequence(pairs, "the list of pairs", "one such as [('AAB', 'ABC')]")
        diagrams = [as_diagram(pair) for pair in listed]
        lengths: dict[int, list[Diagram]] = {}
        for diagram in dict.fromkeys(diagrams):
            lengths.setdefault(len(diagram), []).append(diagram)
        values: dict[Diagram, Rational] = {}
        for length, group in lengths.items():
            values.update(zip(group, self._values(length, group), strict=True))
        return [values[diagram] for diagram in diagrams]

    def _values(self, length: int, diagrams: list[Diagram]) -> list[Rational]:
        """The values on diagrams of one length: integers over one denominator."""
        counts = Counts.of_pairs(diagrams)
        coefficients = [coefficient(length) for _, coefficient in self.terms]
        denominator = lcm(*(c.denominator for c in coefficients))
        factors = [int(c * denominator) for c in coefficients]
        bound = sum(
            abs(c) * length**invariant.degree
            for c, (invariant, _) in zip(factors, self.terms, strict=True)
        )
        kind: Any = np.int64 if bound < 1 << 62 else object
        known: dict[Component, Any] = {}
        total = np.zeros(len(diagrams), dtype=kind)
        for factor, (invariant, _) in zip(factors, self.terms, strict=True):
            value = counts.ones(invariant.degree)
            for component, times in invariant.factors:
                if component not in known:
                    known[component] = counts.total(component.weights, component.edges)
                value = value * known[component].astype(value.dtype) ** times
            total += factor * value.astype(kind)
        return [Rational(int(n), denominator) for n in total]

    def latex(self) -> str:
        r"""A table: each coefficient with the invariants that have it, then what they mean.

        >>> print(attention_derivative(2, 2).latex())
        \begin{array}{r|l}
        \multicolumn{2}{l}{\partial_\beta^{2}\partial_\gamma^{2}K(0,0)} \\ \hline
        8k^{-2} & t \\
        -8k^{-3} & a \\ \hline
        t & \sum_{s} n_{ss} \\
        a & \sum_{s} d_{s} e_{s}
        \end{array}
        """
        rows: dict[Laurent, list[Invariant]] = {}
        named: dict[Component, None] = {}
        for invariant, coefficient in self.terms:
            rows.setdefault(coefficient, []).append(invariant)
            named.update({c: None for c, _ in invariant.factors if c.name != c.formula})
        body = [
            f"{coefficient.latex()} & {' + '.join(f.latex() for f in invariants)}"
            for coefficient, invariants in rows.items()
        ] or ["0 &"]
        legend = [f"{c.latex()} & {c.latex(named=False)}" for c in named]
        title = rf"\partial_\beta^{{{self.i}}}\partial_\gamma^{{{self.j}}}K(0,0)"
        blocks = [[rf"\multicolumn{{2}}{{l}}{{{title}}}"], body, *([legend] if legend else [])]
        text = " \\\\ \\hline\n".join(" \\\\\n".join(block) for block in blocks)
        return f"\\begin{{array}}{{r|l}}\n{text}\n\\end{{array}}"


attention_derivative = AttentionDerivative


@lru_cache(maxsize=1 << 14)
def _terms(i: int, j: int) -> Terms:
    """The terms of a derivative of even orders, j <= i + 2.

    beta comes with every Gaussian and gamma with those of positions: beta^i gamma^j is
    (i - j)/2 pairs at tokens and j/2 at positions, or gamma^2 is the factor of the identity.
    """
    found: dict[tuple[Component, ...], dict[int, Fraction]] = {}
    parts: list[dict[tuple[Component, ...], Any]] = []
    with progress(f"attention_derivative({i}, {j})", (j <= i) + (j > 0)) as report:
        if j <= i:
            gas = Gas(tokens=(i - j) // 2, positions=j // 2)
            parts.append(leading(gas, same_token(gas), report))
        if j:
            gas = Gas(tokens=(i - j) // 2 + 1, positions=j // 2 - 1)
            parts.append(leading(gas, same_position(gas), report))
    scale = factorial(i) * factorial(j)
    for part in parts:
        for components, polynomial in part.items():
            coefficient = found.setdefault(components, {})
            for (left, right, k), c in polynomial.to_dict().items():
                # Z^l is z^l k^-l, and z^l stands for (-1)^l l!.
                sign = -1 if (left + right) % 2 else 1
                whole = sign * scale * factorial(left) * factorial(right)
                exponent = k - left - right - 2
                value = coefficient.get(exponent, Fraction(0))
                coefficient[exponent] = value + whole * Fraction(int(c.p), int(c.q))
    terms = [(Invariant(c), Laurent(coefficient)) for c, coefficient in found.items()]
    # Nonzero ones only: different graphs may cancel.
    return tuple(sorted((t for t in terms if t[1].terms), key=lambda t: t[0].place))


def _refuse_if_too_large(i: int, j: int) -> None:
    if _fits(i, j):
        return
    within = max((n for n in range(0, min(i, 200), 2) if n + 2 >= j and _fits(n, j)), default=None)
    lower = (
        f"({within}, {j}) can be had" if within is not None else "no order (i, j) of this j fits"
    )
    raise TooLarge(
        f"attention_derivative({i}, {j}) would take about {_seconds(i, j):.0e} s and have about "
        f"{_estimate(min(i, 200), min(j, 200)):.0e} terms; {lower}: ask for a lower order, or for "
        "one pair of strings: attention().taylor(x, y)"
    )


def _fits(i: int, j: int) -> bool:
    return _seconds(i, j) <= _MOST_SECONDS and _estimate(i, j) <= _MOST_TERMS


def _seconds(i: int, j: int) -> float:
    """What the formula takes on one core, within a factor of about three: a fit.

    Measured for pairs (i - j)/2 at tokens up to 10 and j/2 at positions up to 15.
    """
    tokens, positions = (i - j) // 2, j // 2
    if tokens > 200 or positions > 10**6:
        return math.inf
    each = 6e-5 * 4.2**tokens if tokens > 0 else 1.6e-5
    return each * (positions + 0.5) ** 5


@lru_cache(maxsize=1 << 14)
def _estimate(i: int, j: int) -> int:
    """About how many terms there are: exact in its growth at j = 0, a fit beyond."""
    spare = (i - j) // 2 + (1 if j else 0)
    # Products of sums of d^p e^q: c + 1 marked ones and c + 2 others need c more powers.
    counts = [c + 1 for c in range(spare + 1)]
    for cost in range(1, spare + 1):
        for _ in range(cost + 2):
            for c in range(cost, spare + 1):
                counts[c] += counts[c - cost]
    free = (i - j) // 2
    return int(sum(counts) * (1 + free / 2) ** min(j // 2, free / 2))
