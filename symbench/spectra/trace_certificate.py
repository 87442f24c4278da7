"""The certificate of a trace bound: at most j - 1 eigenvalues of a block exceed trace / (j dim)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import attrs

from symbench.certificates.base import NUMBER, PLAIN, Certificate, field, kind
from symbench.exact import QQ, ZZ, Matrix, Rational


@kind("trace-bound")
@attrs.frozen(kw_only=True)
class TraceBoundHolds(Certificate):
    """The j-th largest eigenvalue of a block is at most trace / (j dimension).

    The characteristic polynomial, shifted by the bound c, has at most j - 1 sign changes, so by
    Descartes' rule at most j - 1 real eigenvalues are larger than c. (All eigenvalues of a block
    are real, and then the rule misses none.)

    >>> found = TraceBoundHolds(place=2, dimension=3, trace=Rational(12))
    >>> found.check(Matrix([[5, 1], [1, 1]])), found.check(Matrix([[5, 0], [0, 3]]))
    (True, False)
    """

    place: int = field(NUMBER)
    dimension: int = field(NUMBER)
    trace: Rational = field(PLAIN)

    @property
    def bound(self) -> Rational:
        """trace / (j dimension)."""
        return Rational(self.trace / (self.place * self.dimension))

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Matrix) or subject.ring not in (ZZ, QQ):
            return False
        if subject.shape[0] != subject.shape[1] or not isinstance(self.trace, Fraction):
            return False
        if self.place < 1 or self.dimension < 1:
            return False
        return _sign_changes(_shifted(subject.charpoly(), self.bound)) < self.place

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return (
            f"eigenvalue {self.place} of the block is at most {self.bound} = "
            f"{self.trace} / ({self.place} * {self.dimension})"
        )


def _shifted(coefficients: tuple[Any, ...], c: Rational) -> list[Fraction]:
    """The coefficients of P(t + c), lowest first, by Horner's scheme."""
    found: list[Fraction] = []
    for coefficient in reversed(coefficients):
        product = [Fraction(0), *found]
        for n, x in enumerate(found):
            product[n] += c * x
        product[0] += coefficient
        found = product
    return found


def _sign_changes(coefficients: list[Fraction]) -> int:
    signs = [x > 0 for x in coefficients if x != 0]
    return sum(a != b for a, b in pairwise(signs))
