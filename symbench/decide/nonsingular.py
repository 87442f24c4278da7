"""Search for certificates that a matrix is nonsingular or singular, and of its rank.

A determinant that is not zero modulo one word-size prime is not zero. If it vanishes, a null
vector is looked for: the elimination modulo the prime says which rows and columns to solve with,
lifting solves over the rationals, and the product with the matrix confirms the vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

import flint

from symbench.certificates import Nonsingular, NonsingularBalls, RankIs, Singular
from symbench.certificates.ranks import is_generic, is_zero
from symbench.decide.lifting import short_solutions
from symbench.errors import BadShape, NotInRing, NotInvertible, NotSupported, Undecided
from symbench.exact import QQ, Balls, Matrix, PowerSeries
from symbench.exact.balls import interval
from symbench.exact.dense import DenseRing, PrimeField, pivot_columns, primitive
from symbench.exact.polynomials import witness_points
from symbench.exact.saturation import saturate
from symbench.exact.series import series_pivots

# Witnesses tried before the search gives up.
_TRIES = 16

# A prime, a point, and the image of the matrix there.
Image = tuple[int, dict[str, int], Matrix]


def decide_nonsingular(matrix: Matrix) -> Nonsingular | NonsingularBalls | Singular:
    """Find a certificate that a square matrix is nonsingular, or that it is singular."""
    if matrix.shape[0] != matrix.shape[1]:
        raise BadShape(
            f"a {matrix.shape[0]} x {matrix.shape[1]} matrix is neither singular nor not: "
            "ask for question='rank'"
        )
    ring = matrix.ring
    if isinstance(ring, Balls):
        return _nonsingular_balls(matrix, ring)
    if isinstance(ring, PowerSeries):
        return _nonsingular_series(matrix, ring)
    # A zero by bad luck has odds of about 1 : 2^31, so the first one is believed and a null vector
    # looked for. At the few points of a small field bad luck is common: all of them come first.
    few = isinstance(ring.scalars, PrimeField)
    waiting = []
    for prime, point, image in _images(matrix):
        residue = image.det()
        if residue:
            return Nonsingular(
                prime=prime,
                point=point,
                residue=residue,
                valuation=0,
                generic=is_generic(matrix),
                subject=matrix,
            )
        if few:
            waiting.append(image)
        elif (found := _singular(matrix, image)) is not None:
            return found
    for image in waiting:
        if (found := _singular(matrix, image)) is not None:
            return found
    raise Undecided(f"the determinant is zero at {_TRIES} points, and yet no null vector is found")


def _singular(matrix: Matrix, image: Matrix) -> Singular | None:
    """The certificate by a null vector on the pivots of a singular image, if there is one."""
    null = _null_columns(matrix, *_pivots(image), only=1)
    return None if null is None else Singular(null=null, subject=matrix)


def _images(matrix: Matrix) -> Iterator[Image]:
    """The images of the matrix at the witnesses that have one."""
    for prime, point in witness_points(matrix.ring, tries=_TRIES):
        try:
            yield prime, point, matrix.reduce(prime, point)
        except NotInRing:  # the prime divides a denominator
            continue


def _pivots(image: Matrix) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The pivot rows and the pivot columns of a matrix over a prime field."""
    return pivot_columns(image.flint.transpose()), pivot_columns(image.flint)


def _nonsingular_series(matrix: Matrix, ring: PowerSeries) -> Nonsingular:
    """The certificate by the first coefficient of the determinant that is not zero."""
    for prime, point in witness_points(ring):
        try:
            valuation, residue = matrix.leading_residue(prime, point)
            return Nonsingular(
                prime=prime,
                point=point,
                residue=residue,
                valuation=valuation,
                generic=True,
                subject=matrix,
            )
        except (NotInRing, Undecided):  # the prime divides a denominator; too low a precision
            found = _nonsingular_framed(matrix, ring, prime, point)
        if found is not None:
            return found
    raise Undecided(
        f"the determinant vanishes to the known order {ring.precision}: "
        f"try precision {2 * ring.precision}"
    )


def _nonsingular_framed(
    matrix: Matrix, ring: PowerSeries, prime: int, point: dict[str, int]
) -> Nonsingular | None:
    """The certificate by combined rows, for a determinant that begins beyond the precision."""
    try:
        _, image = ring.reduce(matrix.flint, matrix.shape, prime, point)
    except NotInRing:  # the prime divides a denominator
        return None
    if ring.scalars != QQ or len(series_pivots(image, prime)) < matrix.shape[0]:
        return None
    orders, frame, constant = saturate(ring.rationals(matrix.flint, matrix.shape, point))
    try:
        _, residue = Matrix(constant).leading_residue(prime)
    except NotInRing:
        return None
    if not residue:
        return None
    polynomials = QQ[ring.variable]
    size = len(frame)
    table = [
        [polynomials.from_terms({(n,): row[n][j] for n in row}) for j in range(size)]
        for row in frame
    ]
    return Nonsingular(
        prime=prime,
        point=point,
        residue=residue,
        valuation=sum(orders),
        generic=True,
        frame=Matrix(table, polynomials),
        orders=tuple(orders),
        subject=matrix,
    )


def _nonsingular_balls(matrix: Matrix, ring: Balls) -> NonsingularBalls:
    """The certificate by an approximate inverse: that of the midpoints, rounded."""
    middle = Matrix._of(
        [[interval(ball)[0] for ball in row] for row in matrix.rows], matrix.shape, ring
    )
    try:
        inverse = middle.solve(Matrix.identity(matrix.shape[0]))
    except NotInvertible:
        raise Undecided(f"the midpoints look singular: try more than {ring!r}") from None
    rounded = Matrix._of(
        [[interval(ball)[0] for ball in row] for row in inverse.rows], matrix.shape, QQ
    )
    certificate = NonsingularBalls(bits=ring.bits, inverse=rounded, subject=matrix)
    if not certificate.check():
        raise Undecided(f"the balls are too wide to be told from singular: try more than {ring!r}")
    return certificate


def decide_rank(matrix: Matrix) -> RankIs:
    """Find a certificate of the rank of a matrix."""
    if isinstance(matrix.ring, (Balls, PowerSeries)):
        raise NotSupported(
            f"an exact rank cannot be certified over {matrix.ring!r}: a deficiency is never seen"
        )
    for prime, point, image in _images(matrix):
        rows, columns = _pivots(image)
        null = _null_columns(matrix, rows, columns)
        if null is not None:
            return RankIs(
                rank=len(rows),
                rows=rows,
                columns=columns,
                prime=prime,
                point=point,
                residue=image.minor(rows, columns),
                null=null,
                subject=matrix,
            )
    raise Undecided(f"the rank differs between the matrix and its images at {_TRIES} points")


def _null_columns(
    matrix: Matrix, rows: tuple[int, ...], columns: tuple[int, ...], *, only: int | None = None
) -> Matrix | None:
    """Vectors v, as columns, with M v = 0, one for each column off a minor that is not zero.

    The one for column j has v_j != 0 and is zero at the other columns off the minor; `only` says
    how many are wanted. None if the minor is smaller than the rank: then there are none.
    """
    size, ring = matrix.shape[1], matrix.ring
    free = [j for j in range(size) if j not in set(columns)][:only]
    if not free:
        return Matrix([[] for _ in range(size)], ring)
    if not isinstance(ring, DenseRing):
        basis = matrix.nullspace()[:only]
        fits = len(basis) == len(free) and all(
            ring.is_zero(v[k]) == (j != k) for v, j in zip(basis, free, strict=True) for k in free
        )
        return Matrix(list(zip(*basis, strict=True)), ring) if fits else None
    vectors = []
    for k, v in _solutions(matrix.submatrix(rows, columns), matrix.submatrix(rows, free)):
        vector = [0] * size
        vector[free[k]] = v[-1]
        for place, column in enumerate(columns):
            vector[column] = -v[place]
        vectors.append(vector if isinstance(ring, PrimeField) else primitive(vector))
    null = Matrix(list(zip(*vectors, strict=True)), ring)
    # On the rows of the minor the vectors solve the system, so the others decide.
    others = sorted(set(range(matrix.shape[0])) - set(rows))
    return null if is_zero(matrix.submatrix(others, range(size)) @ null) else None


def _solutions(core: Matrix, right: Matrix) -> Iterator[tuple[int, list[int]]]:
    """For each column b of the right side its number, and (x, d) with core x = d b."""
    size, count = right.shape
    if size == 0:
        yield from ((k, [1]) for k in range(count))
        return
    if isinstance(core.ring, PrimeField):
        solved = core.solve(right).rows
        yield from ((k, [*column, 1]) for k, column in enumerate(zip(*solved, strict=True)))
        return
    if core.ring == QQ:  # the same solutions with integers: denominators of each row cleared
        both = [[*row, *more] for row, more in zip(core.rows, right.rows, strict=True)]
        scales = [lcm(*(x.denominator for x in row)) for row in both]
        both = [[int(x * c) for x in row] for row, c in zip(both, scales, strict=True)]
        left = flint.fmpz_mat([row[:size] for row in both])
        b = flint.fmpz_mat([row[size:] for row in both])
    else:
        left, b = core.flint, right.flint
    for columns, short, combined in short_solutions(left, b):
        inverse, denominator = flint.fmpq_mat(combined).inv().numer_denom()
        product = (short * inverse).table()
        for place, k in enumerate(columns):
            yield k, [*(int(row[place]) for row in product), int(denominator)]
