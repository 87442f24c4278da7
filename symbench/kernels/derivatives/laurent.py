"""Laurent: a Laurent polynomial in the length k, the coefficient of an invariant."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from symbench._arguments import integer, mapping
from symbench.exact.rational import Rational, exact_number


def _terms(value: Any) -> tuple[tuple[int, Rational], ...]:
    given = mapping(value, "a Laurent polynomial", "a dictionary such as {-2: 1} for k^-2")
    found = {integer(e, "an exponent"): Rational(exact_number(c)) for e, c in given.items()}
    return tuple(sorted(((e, c) for e, c in found.items() if c), reverse=True))


@attrs.frozen(repr=False)
class Laurent:
    """A sum of rational multiples of powers of k, given as {exponent: coefficient}.

    >>> c = Laurent({-3: -8, -2: "1/2"})
    >>> c
    Laurent({-2: '1/2', -3: -8})
    >>> print(c)
    1/2*k^-2 - 8*k^-3
    >>> c(4)
    -3/32
    """

    terms: tuple[tuple[int, Rational], ...] = attrs.field(converter=_terms)

    def __repr__(self) -> str:
        shown = (f"{e}: {c if c.denominator == 1 else repr(str(c))}" for e, c in self.terms)
        return f"Laurent({{{', '.join(shown)}}})"

    def __call__(self, k: int) -> Rational:
        """The value at a length k >= 1."""
        base = Fraction(integer(k, "the length k", at_least=1))
        return Rational(sum((c * base**e for e, c in self.terms), Fraction(0)))

    def __str__(self) -> str:
        return self._text(str, "*", "k^{}")

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def latex(self) -> str:
        r"""The polynomial in LaTeX.

        >>> Laurent({-3: -8, -2: "1/2"}).latex()
        '\\tfrac{1}{2}k^{-2} - 8k^{-3}'
        """
        return self._text(_latex_number, "", "k^{{{}}}")

    def _text(self, number: Callable[[Fraction], str], times: str, power: str) -> str:
        text = ""
        for e, c in self.terms:
            size = number(abs(c))
            letter = "" if e == 0 else "k" if e == 1 else power.format(e)
            shown = times.join([size, letter] if letter and size != "1" else [letter or size])
            sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
            text += sign + shown
        return text or "0"


def _latex_number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    return rf"\tfrac{{{value.numerator}}}{{{value.denominator}}}"
