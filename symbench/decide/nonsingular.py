"""The search for Nonsingular, Singular and RankIs: one modular elimination decides, mostly.

A determinant that is not zero modulo one word-size prime is not zero. If it vanishes, a null
vector is looked for: the modular elimination says which rows and columns to solve with, FLINT
solves over the rationals by lifting, and the product with the matrix confirms it.
"""

from __future__ import annotations

from typing import Any

import flint

from symbench.certificates import Certificate, Nonsingular, NonsingularBalls, RankIs, Singular
from symbench.errors import BadShape, NotInRing, NotSupported, Undecided
from symbench.exact import QQ, ZZ, Balls, Matrix, PowerSeries
from symbench.exact.dense import PrimeField, primitive
from symbench.exact.polynomials import pivot_columns, witness_points


def decide_nonsingular(matrix: Matrix) -> Certificate:
    """Nonsingular or Singular."""
    if matrix.shape[0] != matrix.shape[1]:
        raise BadShape(
            f"a {matrix.shape[0]} x {matrix.shape[1]} matrix is neither singular nor not: "
            "ask for question='rank'"
        )
    if isinstance(matrix.ring, Balls):
        certificate = NonsingularBalls(bits=matrix.ring.bits, subject=matrix)
        if certificate.check():
            return certificate
        raise Undecided(f"the determinant's ball contains zero: try more than {matrix.ring!r}")
    generic = bool(matrix.ring.variables) or isinstance(matrix.ring, PowerSeries)
    for prime, point in witness_points(matrix.ring):
        try:
            valuation, residue = matrix.reduce(prime, point).leading_determinant()
        except (NotInRing, Undecided):  # the prime divides a denominator; too low a precision
            continue
        if residue:
            return Nonsingular(
                prime=prime,
                point=point,
                residue=residue,
                valuation=valuation,
                generic=generic,
                subject=matrix,
            )
        if not isinstance(matrix.ring, PowerSeries):
            break  # a zero by bad luck has odds of about 1 : 2^31; null_vectors sees through it
    if isinstance(matrix.ring, PowerSeries):
        raise Undecided(
            f"the determinant vanishes to the known order {matrix.ring.precision}: "
            f"try precision {2 * matrix.ring.precision}"
        )
    rank, _, _, null = null_vectors(matrix, only_first=True)
    if rank == matrix.shape[0]:
        return _nonsingular_elsewhere(matrix, generic)
    return Singular(null=null, subject=matrix)


def _nonsingular_elsewhere(matrix: Matrix, generic: bool) -> Certificate:
    """The certificate at a later prime, after the first one had divided the determinant."""
    for prime, point in witness_points(matrix.ring, tries=64):
        try:
            residue = matrix.reduce(prime, point).det()
        except NotInRing:
            continue
        if residue:
            return Nonsingular(
                prime=prime, point=point, residue=residue, generic=generic, subject=matrix
            )
    raise Undecided("the determinant is zero at 64 points, and yet there is no null vector")


def decide_rank(matrix: Matrix) -> Certificate:
    """RankIs."""
    if isinstance(matrix.ring, (Balls, PowerSeries)):
        raise NotSupported(
            f"an exact rank cannot be certified over {matrix.ring!r}: a deficiency is never seen"
        )
    rank, prime_point, minor, null = null_vectors(matrix)
    prime, point = prime_point
    residue = matrix.reduce(prime, point).minor(*minor)
    return RankIs(
        rank=rank,
        rows=minor[0],
        columns=minor[1],
        prime=prime,
        point=point,
        residue=residue,
        null=null,
        subject=matrix,
    )


Places = tuple[tuple[int, ...], tuple[int, ...]]


def null_vectors(
    matrix: Matrix, *, only_first: bool = False
) -> tuple[int, tuple[int, dict[str, int]], Places, Matrix]:
    """(rank, witness, minor, null): null vectors as columns, one for each column off the minor."""
    for prime, point in witness_points(matrix.ring, tries=16):
        try:
            image = matrix.reduce(prime, point)
        except NotInRing:
            continue
        columns = pivot_columns(image.flint)
        rows = pivot_columns(image.flint.transpose())
        free = [j for j in range(matrix.shape[1]) if j not in set(columns)]
        if only_first:
            free = free[:1]
        null = _null_columns(matrix, rows, columns, free)
        if all(matrix.ring.is_zero(x) for row in (matrix @ null).rows for x in row):
            return len(rows), (prime, point), (rows, columns), null
    raise Undecided("the rank differs between the matrix and its images modulo 16 primes")


def _null_columns(
    matrix: Matrix, rows: tuple[int, ...], columns: tuple[int, ...], free: list[int]
) -> Matrix:
    """For each free column j the vector v with v_j = 1 and M v = 0 on the given rows."""
    size, ring = matrix.shape[1], matrix.ring
    if not free:
        return Matrix([[] for _ in range(size)], ring)
    if ring not in (ZZ, QQ) and not isinstance(ring, PrimeField):
        basis = [v for v in matrix.nullspace() if any(not ring.is_zero(v[j]) for j in free)]
        return Matrix(list(zip(*basis, strict=True)), ring)
    vectors: list[list[Any]] = [[0] * size for _ in free]
    if rows:
        core, right = matrix.submatrix(rows, columns), matrix.submatrix(rows, free)
        solution = _solve(core, right)
        for k in range(len(free)):
            for place, column in enumerate(columns):
                vectors[k][column] = -solution[place, k]
    for vector, j in zip(vectors, free, strict=True):
        vector[j] = 1
    if ring in (ZZ, QQ):
        vectors = [list(primitive([QQ.coerce(x) for x in v])) for v in vectors]
    return Matrix(list(zip(*vectors, strict=True)), ring)


def _solve(core: Matrix, right: Matrix) -> Matrix:
    """core^-1 right; over ZZ by Dixon's lifting, which needs no determinant."""
    if core.ring == ZZ:
        return Matrix(flint.fmpq_mat(core.flint).solve(flint.fmpq_mat(right.flint), "dixon"), QQ)
    return core.solve(right)  # type: ignore[no-any-return]
