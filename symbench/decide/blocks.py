"""Search for certificates of block forms: a prime must show that the basis is invertible."""

from __future__ import annotations

from itertools import islice
from typing import Any

from symbench._arguments import shown
from symbench.certificates import BlockDiagonal
from symbench.errors import BadType, BadValue, NotInRing
from symbench.exact import Matrix
from symbench.exact.primes import witness_primes


def block_certificate(form: Any, matrix: Any) -> BlockDiagonal:
    """Certify that a matrix has this block form, by the first prime that shows the basis to be one.

    >>> K = Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    >>> block_certificate(block_form(Action.subsets(3, 1), K), K).explain()
    'block diagonal in a basis: 1 x 1 (1 time), 1 x 1 (2 times)'
    """
    basis, blocks = getattr(form, "basis", None), getattr(form, "blocks", None)
    if not isinstance(basis, Matrix) or not isinstance(blocks, tuple):
        raise BadType(f"the form is {shown(form)}: give block_form(action, matrix)")
    subject = matrix if isinstance(matrix, Matrix) else Matrix(matrix)
    for prime in islice(witness_primes(), 16):
        try:
            _, residue = basis.leading_residue(prime)
        except NotInRing:  # the prime divides a denominator
            continue
        found = BlockDiagonal(
            subject=subject,
            basis=basis,
            blocks=tuple(block.matrix for block in blocks),
            repeats=tuple(block.repeats for block in blocks),
            prime=prime,
            residue=residue,
        )
        if found.check():
            return found
    raise BadValue("the blocks do not multiply out: take block_form(action, matrix) of this matrix")
