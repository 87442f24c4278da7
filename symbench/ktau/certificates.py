"""Certificates about templates: what theorem `symbench.positive-definite` reduces K_tau to.

If the matrix of softmax attention annihilated a vector v, then sum_i v_i q^{t^2 e_i} = 0 for all t
at every integer point, where q = exp(-beta^2/2) and e_i are the exponents of the templates there
(proofs/symbench/positive-definite.md).
"""

from __future__ import annotations

from math import prod
from typing import Any

import attrs

from symbench.certificates.base import MATRIX, NUMBER, NUMBERS, Certificate, field, kind
from symbench.exact import GF, ZZ, Matrix
from symbench.exact.primes import is_prime
from symbench.ktau.ends import EndPatterns
from symbench.ktau.patterns import Patterns


@kind("one-point")
@attrs.frozen(kw_only=True)
class OnePoint(Certificate):
    """K_tau of softmax attention is positive definite for every beta, gamma != 0.

    At one integer point the exponents of all templates are different, so the functions
    q^{t^2 e_i} of t are independent. Templates with one letter throughout have the exponent 0
    everywhere; no other may have it, and their token, which gets all the attention, tells them
    apart. (For kernel (23) see `EndPatterns`.) Positive semidefinite K_tau is anyway, a Gram
    matrix.

    >>> OnePoint(xi=(1, 2, -3), y=(5,)).check(Patterns(((-1, -1, 0), (-1, -2, 0))))
    True
    """

    xi: tuple[int, ...] = field(NUMBERS)
    y: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Any) -> bool:
        if type(subject) not in (Patterns, EndPatterns):
            return False
        return subject.fits(len(self.xi), len(self.y)) and bool(
            subject.separated_at(self.xi, self.y)
        )

    def explain(self) -> str:
        """What is proved, in a sentence."""
        which = "kernel (23) " if type(self.subject) is EndPatterns else ""
        return (
            f"{which}positive definite for every beta, gamma != 0: distinct exponents at one point"
        )


@kind("modular-points")
@attrs.frozen(kw_only=True)
class ModularPoints(Certificate):
    """K_tau of softmax attention is nonsingular for gamma != 0 and every nonzero algebraic beta^2.

    The matrix q^{e_i at point l} has a determinant that is not zero modulo a prime at q = base, so
    it is not zero at the transcendental q = exp(-beta^2/2). No positivity is used, but for
    transformers over attention, which inherit it by `symbench.every-activation`.

    >>> points = Matrix([[0, 0, 0, 0], [1, 1, -2, 0]])
    >>> subject = Patterns(((-1, -1, 0), (-1, -2, 0)))
    >>> ModularPoints(prime=7, base=3, points=points, residue=5).check(subject)
    True
    """

    prime: int = field(NUMBER)
    base: int = field(NUMBER)
    points: Matrix = field(MATRIX)
    residue: int = field(NUMBER)

    def _holds(self, subject: Any) -> bool:
        if type(subject) is not Patterns or not subject.rows or not is_prime(self.prime):
            return False
        templates, size, length = subject, len(subject.rows), len(subject.rows[0])
        if self.points.ring != ZZ or self.points.shape[0] != size or self.base % self.prime == 0:
            return False
        if not templates.fits(length, self.points.shape[1] - length):
            return False
        if any(sum(row[:length]) for row in self.points.rows):
            return False
        matrix = Matrix([self._powers(templates, row) for row in self.points.rows], GF(self.prime))
        return bool(matrix.det() == self.residue != 0)

    def _powers(self, templates: Patterns, point: tuple[int, ...]) -> list[int]:
        """base^e for the exponents e at a point, as products over the parts of a template."""
        length, order = len(templates.rows[0]), self.prime - 1  # base^order = 1
        exponents = templates.part_exponents(point[:length], point[length:])
        power = {part: pow(self.base, e % order, self.prime) for part, e in exponents.items()}
        return [prod(power[part] for part in parts) % self.prime for parts in templates.parts]

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"nonsingular for gamma != 0, algebraic beta^2 != 0: det != 0 mod {self.prime}"
