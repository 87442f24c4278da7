"""Positive definite or not: the kinds of certificate about the sign of a quadratic form."""

from __future__ import annotations

from typing import Any

import attrs

from symbench.certificates.base import MATRIX, NUMBER, Certificate, field
from symbench.certificates.ranks import is_zero
from symbench.exact import QQ, ZZ, Matrix


def _is_dominant(matrix: Matrix) -> bool:
    """Whether it is symmetric, and every diagonal entry outweighs its row (Gershgorin)."""
    if not matrix.is_symmetric():
        return False
    entries, size = matrix.flint.entries(), matrix.shape[0]
    rows = (entries[i * size : (i + 1) * size] for i in range(size))
    return all(2 * row[i] > sum(map(abs, row)) for i, row in enumerate(rows))


@attrs.frozen(kw_only=True)
class PositiveDefinite(Certificate):
    """M is positive definite, because it is made from a strictly diagonally dominant matrix.

    A symmetric S with S_ii > sum over j != i of |S_ij| is positive definite. With a factor F,
    S = F^T M F is one: F v = 0 would give v^T S v = 0, so F is nonsingular and M is positive
    definite too. With a scale c > 0 and an integer matrix G, S = c M - G^T G is one: then
    c v^T M v = |G v|^2 + v^T S v, which needs no inverse. One of the two is enough; what is
    there is checked. In both cases M is symmetric because S is.

    >>> PositiveDefinite(factor=Matrix.identity(2)).check([[2, 1], [1, 2]])
    True
    >>> PositiveDefinite(scale=1, gram=Matrix([[1, 1]])).check([[2, 1], [1, 2]])
    True
    """

    kind = "positive-definite"
    factor: Matrix | None = field(MATRIX, optional=True)
    scale: int | None = field(NUMBER, optional=True)
    gram: Matrix | None = field(MATRIX, optional=True)

    def _holds(self, subject: Matrix) -> bool:
        if subject.ring not in (ZZ, QQ) or subject.shape[0] != subject.shape[1]:
            return False
        if (self.scale is None) != (self.gram is None) or self.factor is self.gram is None:
            return False
        return self._holds_factor(subject) and self._holds_gram(subject)

    def _holds_factor(self, subject: Matrix) -> bool:
        if self.factor is None:
            return True
        if self.factor.shape != subject.shape or self.factor.ring not in (ZZ, QQ):
            return False
        return _is_dominant(self.factor.transpose() @ (subject @ self.factor))

    def _holds_gram(self, subject: Matrix) -> bool:
        if self.gram is None or self.scale is None:
            return True
        fits = self.gram.shape[1] == subject.shape[0] and self.gram.ring == ZZ
        if not fits or self.scale < 1:
            return False
        return _is_dominant(self.scale * subject - self.gram.transpose() @ self.gram)

    def explain(self) -> str:
        if self.factor is None:
            made = "a multiple is a Gram matrix plus a strictly diagonally dominant one"
        else:
            made = "a congruent matrix is strictly diagonally dominant"
        return f"positive definite: {made}"


@attrs.frozen(kw_only=True)
class NotPositiveDefinite(Certificate):
    """M is not positive definite, because v^T M v <= 0 for a vector v that is not zero.

    >>> NotPositiveDefinite(direction=Matrix([[1], [-1]])).check([[1, 2], [2, 1]])
    True
    """

    kind = "not-positive-definite"
    direction: Matrix = field(MATRIX)

    @property
    def vector(self) -> tuple[Any, ...]:
        """The vector v."""
        return tuple(row[0] for row in self.direction.rows)

    def _holds(self, subject: Matrix) -> bool:
        v = self.direction
        if {subject.ring, v.ring} - {ZZ, QQ} or not subject.is_symmetric():
            return False
        if v.shape != (subject.shape[0], 1) or is_zero(v):
            return False
        return bool((v.transpose() @ subject @ v)[0, 0] <= 0)

    def explain(self) -> str:
        return "not positive definite: a vector v with v^T M v <= 0"
