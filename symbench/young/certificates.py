"""The certificate of a block form: a matrix is block diagonal in a basis, multiplied out.

The subject is the matrix alone. That it commutes with a group, and which irreducible a block
belongs to, is how the basis was found and no part of what is proved.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import attrs

from symbench.certificates.base import MATRIX, NUMBER, NUMBERS, PLAIN, Certificate, field, kind
from symbench.errors import BadType, BadValue, NotInRing
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.primes import witness_primes


@kind("block-form")
@attrs.frozen(kw_only=True)
class BlockDiagonal(Certificate):
    """B^-1 M B is block diagonal: each block, times an identity as large as it is repeated.

    The check multiplies M B = B D out in rational numbers; that B is invertible is seen modulo a
    prime. So the characteristic polynomial of M is the product of those of the blocks, each to
    the power of its repeats.

    >>> M = Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    >>> basis = Matrix([[1, 1, 0], [1, -1, 1], [1, 0, -1]])
    >>> c = BlockDiagonal(basis=basis, blocks=(Matrix([[4]]), Matrix([[1]])), repeats=(1, 2),
    ...                   prime=7, residue=3)
    >>> c.check(M), c.check(Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 3]]))
    (True, False)
    """

    basis: Matrix = field(MATRIX)
    blocks: tuple[Matrix, ...] = field(PLAIN)
    repeats: tuple[int, ...] = field(NUMBERS)
    prime: int = field(NUMBER)
    residue: int = field(NUMBER)

    def _holds(self, subject: Any) -> bool:
        blocks, repeats = self.blocks, self.repeats
        if not isinstance(blocks, tuple) or len(blocks) != len(repeats):
            return False
        matrices = (subject, self.basis, *blocks)
        if not all(isinstance(m, Matrix) and m.ring in (ZZ, QQ) for m in matrices):
            return False
        if any(m.shape[0] != m.shape[1] for m in matrices) or any(r < 1 for r in repeats):
            return False
        size = sum(b.shape[0] * r for b, r in zip(blocks, repeats, strict=True))
        if not self.basis.shape == subject.shape == (size, size) or self.residue == 0:
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
        """What is proved, in a sentence."""
        pairs = zip(self.blocks, self.repeats, strict=True)
        shown = ", ".join(
            f"{b.shape[0]} x {b.shape[0]} ({r} time{'s' * (r > 1)})" for b, r in pairs
        )
        return f"block diagonal in a basis: {shown}"


def block_certificate(form: Any, matrix: Any) -> BlockDiagonal:
    """The certificate of a block form of this matrix, with the first prime that shows the basis.

    >>> from symbench.young import Action, block_form
    >>> K = Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    >>> block_certificate(block_form(Action.subsets(3, 1), K), K).explain()
    'block diagonal in a basis: 1 x 1 (1 time), 1 x 1 (2 times)'
    """
    basis, blocks = getattr(form, "basis", None), getattr(form, "blocks", None)
    if not isinstance(basis, Matrix) or not isinstance(blocks, tuple):
        raise BadType(f"{form!r} is no block form: block_form(action, matrix) makes one")
    subject = matrix if isinstance(matrix, Matrix) else Matrix(matrix)
    given = {"blocks": tuple(b.matrix for b in blocks), "repeats": tuple(b.repeats for b in blocks)}
    for prime in islice(witness_primes(), 16):
        try:
            _, residue = basis.leading_residue(prime)
        except NotInRing:  # the prime divides a denominator
            continue
        found = BlockDiagonal(subject=subject, basis=basis, prime=prime, residue=residue, **given)
        if found.check():
            return found
    raise BadValue("the blocks do not multiply out: take block_form(action, matrix) of this matrix")
