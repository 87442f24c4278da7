"""Witnesses in plain integers: inverses modulo a number, and Gram matrices near a given one.

What they prove is checked by multiplication, without a determinant or a factorisation, so that
very small programs can check it (the Coq library in proofs/coq proves that such a check is right).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from math import isqrt
from typing import Any

import flint

from symbench.errors import BadShape, BadValue, NotInvertible, NotSupported
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.primes import is_prime, witness_primes


def cleared(matrix: Matrix) -> tuple[int, Matrix]:
    """(D, D M), where D is the least common multiple of the denominators in M.

    >>> cleared(Matrix([["1/2", "1/3"]]))
    (6, Matrix([[3, 2]]))
    >>> cleared(Matrix([[1]], QQ["x"]))
    Traceback (most recent call last):
    ...
    symbench.errors.NotSupported: only matrices over ZZ and QQ have denominators, not QQ['x']
    """
    if matrix.ring == ZZ:
        return 1, matrix
    if matrix.ring != QQ:
        raise NotSupported(f"only matrices over ZZ and QQ have denominators, not {matrix.ring!r}")
    numerators, denominator = matrix.flint.numer_denom()
    return int(denominator), Matrix(numerators)


def inverse_modulo(matrix: Matrix) -> tuple[int, Matrix]:
    """(m, A) with A (D M) = 1 modulo m, for the D of `cleared` and the first prime m that serves.

    >>> m, A = inverse_modulo(Matrix([[2, 1], [1, "3/2"]]))
    >>> m, A @ Matrix([[4, 2], [2, 3]])
    (3, Matrix([[4, 6],
            [12, 10]]))
    >>> inverse_modulo(Matrix([[1, 2], [2, 4]]))
    Traceback (most recent call last):
    ...
    symbench.errors.NotInvertible: the matrix is singular: certify() finds a null vector
    """
    _, integers = cleared(matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise BadShape(f"only a square matrix has an inverse, not one of shape {matrix.shape}")
    for prime in _moduli(integers):
        try:
            inverse = flint.nmod_mat(integers.flint, prime).inv()
        except ZeroDivisionError:
            continue
        return prime, Matrix([[int(x) for x in row] for row in inverse.table()], ZZ)
    raise NotInvertible("the matrix is singular: certify() finds a null vector")


def _moduli(integers: Matrix) -> Iterator[int]:
    """Small primes, which are quick to compute with; then more than can divide a determinant."""
    yield from filter(is_prime, range(2, 1 << 8))
    # Hadamard: |det| is at most the product of the lengths of the rows. The primes have 31 bits.
    bits = sum(sum(x * x for x in row).bit_length() for row in integers.rows) // 2 + 1
    yield from islice(witness_primes(), bits // 30 + 1)


def gram(matrix: Matrix) -> tuple[int, Matrix]:
    """(c, G) such that c M - G^T G is strictly diagonally dominant, for M positive definite.

    G is an upper triangular integer matrix: a Cholesky factor of c M - T, for a diagonal matrix T
    that outweighs the rounding.

    >>> scale, G = gram(Matrix([[2, 1], [1, 2]]))
    >>> scale * Matrix([[2, 1], [1, 2]]) - G.transpose() @ G
    Matrix([[751, -166],
            [-166, 604]])
    >>> gram(Matrix([[1, 2], [2, 1]]))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the matrix is not positive definite: certify() finds a direction
    """
    denominator, integers = cleared(matrix)
    if not matrix.is_symmetric():
        raise BadValue("the matrix is not symmetric: only a symmetric one is near a Gram matrix")
    table, size = integers.rows, matrix.shape[0]
    # A positive definite integer matrix has determinant >= 1 and eigenvalues <= trace, so none
    # is below trace^(1 - size); with that many bits the rounding is.
    trace = sum(table[i][i] for i in range(size))
    enough = (2 * size + 3).bit_length() + size * max(trace, 1).bit_length()
    bits = 8
    while (factor := _cholesky(table, bits)) is None:
        if bits > enough:
            raise BadValue("the matrix is not positive definite: certify() finds a direction")
        bits *= 2
    return denominator << 2 * bits, Matrix(
        flint.fmpz_mat(size, size, [*chain.from_iterable(factor)])
    )


def _cholesky(table: Any, bits: int) -> list[list[int]] | None:
    """The rows of G for c = 4^bits, or None if a pivot is not positive.

    Row k of G is divided out of the rest exactly, so that what is left of c M - T at (k, j) is one
    rounding, at most half of the pivot G_kk; and that is at most the root of c M_kk.
    """
    size = len(table)
    if any(table[i][i] <= 0 for i in range(size)):
        return None
    rest = [[x << 2 * bits for x in row] for row in table]
    roots = [isqrt(rest[i][i]) + 1 for i in range(size)]
    for i in range(size):
        rest[i][i] -= (sum(roots[:i]) + (size - 1 - i) * roots[i]) // 2 + 1
    factor = []
    for k in range(size):
        if rest[k][k] <= 0:
            return None
        pivot = isqrt(rest[k][k])
        row = [0] * k + [pivot] + [(2 * x + pivot) // (2 * pivot) for x in rest[k][k + 1 :]]
        factor.append(row)
        for i in range(k + 1, size):
            entry = row[i]
            rest[i][i:] = [x - entry * y for x, y in zip(rest[i][i:], row[i:], strict=True)]
    return factor
