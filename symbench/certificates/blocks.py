"""Block forms and trace bounds: the kinds of certificate about the spectrum of a matrix."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import attrs
import flint

from symbench.certificates.base import (
    MATRICES,
    MATRIX,
    NUMBER,
    NUMBERS,
    RATIONAL,
    Certificate,
    field,
)
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.exact.rational import fmpq, number_text


@attrs.frozen(kw_only=True)
class BlockDiagonal(Certificate):
    """B^-1 M B is block diagonal: each block, times an identity as large as it is repeated.

    The check multiplies M B = B D out in rational numbers; that B is invertible is seen modulo a
    prime. So the characteristic polynomial of M is the product of those of the blocks, each to
    the power of its repeats. That M commutes with a group, and which irreducible a block belongs
    to, is how the basis was found and no part of what is proved.

    >>> M = Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    >>> basis = Matrix([[1, 1, 0], [1, -1, 1], [1, 0, -1]])
    >>> c = BlockDiagonal(basis=basis, blocks=(Matrix([[4]]), Matrix([[1]])), repeats=(1, 2),
    ...                   prime=7, residue=3)
    >>> c.check(M), c.check(Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 3]]))
    (True, False)
    """

    kind = "block-form"
    basis: Matrix = field(MATRIX)
    blocks: tuple[Matrix, ...] = field(MATRICES)
    repeats: tuple[int, ...] = field(NUMBERS)
    prime: int = field(NUMBER)
    residue: int = field(NUMBER)

    def _holds(self, subject: Matrix) -> bool:
        blocks, repeats = self.blocks, self.repeats
        matrices = (subject, self.basis, *blocks)
        if len(blocks) != len(repeats) or any(m.ring not in (ZZ, QQ) for m in matrices):
            return False
        if any(m.shape[0] != m.shape[1] for m in matrices) or any(r < 1 for r in repeats):
            return False
        size = sum(b.shape[0] * r for b, r in zip(blocks, repeats, strict=True))
        if not self.basis.shape == subject.shape == (size, size) or self.residue == 0:
            return False
        if not all(b.shape[0] for b in blocks):
            return False
        if self.basis.leading_residue(self.prime) != (0, self.residue):
            return False
        return bool(subject @ self.basis == self.basis @ self._diagonal(size))

    def _diagonal(self, size: int) -> Matrix:
        table: list[list[Any]] = [[0] * size for _ in range(size)]
        start = 0
        for block, repeats in zip(self.blocks, self.repeats, strict=True):
            for i, row in enumerate(block.rows):
                for j, entry in enumerate(row):
                    for t in range(start, start + repeats):
                        table[i * repeats + t][j * repeats + t] = entry
            start += block.shape[0] * repeats
        return Matrix(table, QQ)

    def explain(self) -> str:
        pairs = zip(self.blocks, self.repeats, strict=True)
        shown = ", ".join(
            f"{b.shape[0]} x {b.shape[0]} ({r} time{'s' * (r > 1)})" for b, r in pairs
        )
        return f"block diagonal in a basis: {shown}"


@attrs.frozen(kw_only=True)
class TraceBoundHolds(Certificate):
    """The j-th largest eigenvalue of a block is at most trace / (j dimension).

    All eigenvalues are real: the characteristic polynomial has as many distinct real roots
    (Sturm's theorem) as distinct roots at all. Shifted by the bound c it has at most j - 1 sign
    changes, so by Descartes' rule at most j - 1 eigenvalues are larger than c.

    >>> found = TraceBoundHolds(place=2, dimension=3, trace=Rational(12))
    >>> found.check([[5, 1], [1, 1]]), found.check([[5, 0], [0, 3]]), found.check([[0, -1], [1, 0]])
    (True, False, False)
    """

    kind = "trace-bound"
    place: int = field(NUMBER)
    dimension: int = field(NUMBER)
    trace: Fraction = field(RATIONAL)

    @property
    def bound(self) -> Rational:
        """trace / (j dimension)."""
        return Rational(self.trace / (self.place * self.dimension))

    def _holds(self, subject: Matrix) -> bool:
        size = subject.shape[0]
        if subject.ring not in (ZZ, QQ) or subject.shape != (size, size):
            return False
        if not 1 <= self.place <= size or self.dimension < 1:
            return False
        polynomial = flint.fmpq_poly([fmpq(c) for c in subject.charpoly()])
        if not _has_real_roots(polynomial):
            return False
        shifted = polynomial(flint.fmpq_poly([fmpq(self.bound), 1]))
        return _sign_changes(shifted.coeffs()) < self.place

    def explain(self) -> str:
        return (
            f"eigenvalue {self.place} of the block is at most {self.bound} = "
            f"{number_text(self.trace)} / ({self.place} * {self.dimension})"
        )


def _has_real_roots(polynomial: flint.fmpq_poly) -> bool:
    """Whether all roots are real, by Sturm's chain."""
    chain = [polynomial, polynomial.derivative()]
    while chain[-1].degree() >= 0:  # the zero polynomial has degree -1
        chain.append(-(chain[-2] % chain[-1]))
    chain.pop()
    leading = [p[p.degree()] for p in chain]
    # Far to the left the sign of a member of odd degree is the opposite.
    left = [c if p.degree() % 2 == 0 else -c for c, p in zip(leading, chain, strict=True)]
    distinct_real = _sign_changes(left) - _sign_changes(leading)
    return bool(distinct_real == polynomial.degree() - chain[-1].degree())


def _sign_changes(coefficients: list[Any]) -> int:
    signs = [x > 0 for x in coefficients if x != 0]
    return sum(a != b for a, b in pairwise(signs))
