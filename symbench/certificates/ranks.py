"""Nonsingular, singular, rank: the kinds of certificate about the rank of a matrix.

Each check recomputes what it needs from the subject in exact arithmetic. What makes it a proof
is said in the class.
"""

from __future__ import annotations

from contextlib import suppress
from math import lcm
from typing import Any

import attrs
import flint

from symbench.certificates.base import (
    FLAG,
    MATRIX,
    NUMBER,
    NUMBERS,
    POINT,
    Certificate,
    field,
)
from symbench.certificates.templates import Templates
from symbench.errors import NotInRing
from symbench.exact import QQ, ZZ, Balls, Matrix, Polynomials, PowerSeries
from symbench.exact.balls import interval
from symbench.exact.dense import PrimeField
from symbench.exact.primes import WORD
from symbench.exact.ring import Ring


def is_generic(matrix: Matrix) -> bool:
    """Whether entries depend on parameters, so that a verdict is about generic ones."""
    return bool(matrix.ring.variables) or isinstance(matrix.ring, PowerSeries)


def is_zero(matrix: Matrix) -> bool:
    """Whether every entry is zero."""
    return all(matrix.ring.is_zero(x) for row in matrix.rows for x in row)


def _into(null: Matrix, ring: Ring) -> Matrix:
    """Null vectors of rationals, or of the subject's own ring, as vectors over that ring."""
    if null.ring not in (ZZ, QQ, ring) or (
        null.ring == QQ and isinstance(ring.scalars, PrimeField)
    ):
        raise NotInRing(f"null vectors over {null.ring!r} are none over {ring!r}")
    return null.change_ring(ring)


def _is_square(subject: Matrix) -> bool:
    return subject.shape[0] == subject.shape[1]


def _inverts(inverse: Matrix | None, modulus: int | None, matrix: Matrix) -> bool:
    """Whether inverse times the matrix, its denominators cleared, is one modulo the modulus.

    If M v = 0 for an integer vector v, then v = inverse M v = 0 modulo m, and v / m is another
    such vector: v is divisible by every power of m, so it is zero. No prime is needed.
    """
    if inverse is None or modulus is None:
        return inverse is None and modulus is None
    size = matrix.shape[0]
    if matrix.ring not in (ZZ, QQ) or inverse.ring != ZZ or inverse.shape != matrix.shape:
        return False
    if not 1 < modulus < WORD:
        return False
    entries = [x for row in matrix.rows for x in row]
    scale = lcm(*(x.denominator for x in entries))
    image = flint.fmpz_mat(size, size, [int(x * scale) % modulus for x in entries])
    product = (inverse.flint * image).table()
    reduced = all(0 <= x < modulus for row in inverse.rows for x in row)
    return reduced and all(
        int(x) % modulus == (i == j) for i, row in enumerate(product) for j, x in enumerate(row)
    )


@attrs.frozen(kw_only=True)
class Nonsingular(Certificate):
    """det M is not zero, because its image modulo a prime, at a point, is not.

    Reduction and evaluation are ring homomorphisms, so they commute with the determinant.
    With parameters this says: nonzero as a polynomial, exponential or series, hence for
    generic parameters. Over series the determinant modulo the prime begins with the residue at
    the order `valuation`, where every coefficient is known; if that is beyond the precision,
    the rows are first combined by the polynomial matrix `frame`: row i of frame M begins at
    order `orders`[i], below the precision, and the matrix of these coefficients has the residue
    as its determinant. If det M were zero, that of frame M would be.

    An inverse modulo any number, beside the residue, is what a checker without determinants reads.

    >>> c = Nonsingular(prime=7, point={}, residue=5, valuation=0, generic=False)
    >>> c.check([[1, 2], [3, 4]]), c.check([[1, 2], [2, 4]])
    (True, False)
    """

    kind = "nonsingular"
    prime: int = field(NUMBER)
    point: dict[str, int] = field(POINT, factory=dict, hash=False)
    residue: int = field(NUMBER)
    valuation: int = field(NUMBER, default=0)
    generic: bool = field(FLAG, default=False)
    modulus: int | None = field(NUMBER, optional=True, repr=False)
    inverse: Matrix | None = field(MATRIX, optional=True, repr=False)
    frame: Matrix | None = field(MATRIX, optional=True, repr=False)
    orders: tuple[int, ...] | None = field(NUMBERS, optional=True, repr=False)

    def _holds(self, subject: Matrix) -> bool:
        if self.generic != is_generic(subject) or not _is_square(subject) or self.residue == 0:
            return False
        if not _inverts(self.inverse, self.modulus, subject):
            return False
        if self.frame is not None or self.orders is not None:
            return self._holds_framed(subject)
        found = subject.leading_residue(self.prime, self.point)
        return found == (self.valuation, self.residue)

    def _holds_framed(self, subject: Matrix) -> bool:
        ring, frame, orders = subject.ring, self.frame, self.orders
        if frame is None or orders is None or not isinstance(ring, PowerSeries):
            return False
        if ring.scalars != QQ or frame.ring != Polynomials(QQ, (ring.variable,)):
            return False
        if frame.shape != subject.shape or len(orders) != subject.shape[0]:
            return False
        values = subject.evaluate(self.point)
        known = [
            [entry.coefficients for entry in row]
            for row in (frame.change_ring(values.ring) @ values).rows
        ]
        for row, order in zip(known, orders, strict=True):
            if not 0 <= order < ring.precision or any(any(c[:order]) for c in row):
                return False
        table = [[c[order] for c in row] for row, order in zip(known, orders, strict=True)]
        found = Matrix(table, QQ).leading_residue(self.prime)
        return self.valuation == sum(orders) and found == (0, self.residue)

    @property
    def scope(self) -> str:
        """'at these parameters' or 'for generic parameters'."""
        return "for generic parameters" if self.generic else "at these parameters"

    @property
    def valid_for(self) -> str:
        return "generic" if self.generic else "these"

    def explain(self) -> str:
        at = "".join(f", {k} = {v}" for k, v in sorted(self.point.items()))
        ring = self.subject.ring if isinstance(self.subject, Matrix) else None
        if not isinstance(ring, PowerSeries):
            return f"nonsingular {self.scope}: det = {self.residue} modulo {self.prime}{at}"
        which = "det of the combined rows" if self.frame is not None else "det"
        return (
            f"nonsingular {self.scope}: {which} = {self.residue} {ring.variable}^{self.valuation} "
            f"+ higher orders, modulo {self.prime}{at}"
        )


@attrs.frozen(kw_only=True)
class NonsingularBalls(Certificate):
    """Every matrix inside the balls is nonsingular: A M is nearly one for an approximate inverse A.

    In each row the absolute values of 1 - A M, radii included, sum to less than one. So A M v = 0
    would make the largest entry of v smaller than itself. (Files of format 1 have no inverse: for
    them FLINT encloses the determinant.)

    >>> M = Matrix([[1, 2], [3, 4]], Balls(64))
    >>> NonsingularBalls(bits=64, inverse=Matrix([[-2, 1], ["3/2", "-1/2"]])).check(M)
    True
    """

    kind = "nonsingular-balls"
    exactness = "ball"
    needed = ("inverse",)
    bits: int = field(NUMBER)
    inverse: Matrix | None = field(MATRIX, optional=True)

    def _holds(self, subject: Matrix) -> bool:
        if subject.ring != Balls(self.bits) or not _is_square(subject):
            return False
        if self.inverse is None:
            return not subject.det().contains(0)
        size = subject.shape[0]
        if self.inverse.ring not in (ZZ, QQ) or self.inverse.shape != subject.shape:
            return False
        parts = [[interval(ball) for ball in row] for row in subject.rows]
        middle = Matrix._of([[m for m, _ in row] for row in parts], subject.shape, QQ)
        radius = Matrix._of([[r for _, r in row] for row in parts], subject.shape, QQ)
        size_of = Matrix._of([[abs(x) for x in row] for row in self.inverse.rows], radius.shape, QQ)
        error = (Matrix.identity(size, QQ) - self.inverse @ middle).rows
        spread = (size_of @ radius).rows
        return all(sum(map(abs, e)) + sum(s) < 1 for e, s in zip(error, spread, strict=True))

    def explain(self) -> str:
        if self.inverse is None:
            return f"nonsingular: the determinant's enclosure at {self.bits} bits excludes zero"
        return "nonsingular: an approximate inverse serves every matrix in the balls"


@attrs.frozen(kw_only=True)
class Singular(Certificate):
    """det M = 0, because M v = 0 for a vector v that is not zero.

    About templates it says so of K_tau for every kernel that their `kernel` stands for: entries
    with equal names are equal, and the sums over each name vanish.

    >>> Singular(null=Matrix([[1], [-1]])).check([[1, 1], [2, 2]])
    True
    """

    kind = "singular"
    about_types = (Matrix, Templates)
    null: Matrix = field(MATRIX)

    @property
    def vector(self) -> tuple[Any, ...]:
        """The null vector."""
        return tuple(row[0] for row in self.null.rows)

    def _holds(self, subject: Matrix | Templates) -> bool:
        if isinstance(subject, Templates):
            rational = self.null.ring in (ZZ, QQ) and self.null.shape[1] == 1
            return rational and any(self.vector) and subject.annihilated_by(self.vector)
        if not _is_square(subject) or self.null.shape != (subject.shape[1], 1):
            return False
        if subject.exactness != "exact" or isinstance(subject.ring, PowerSeries):
            return False
        v = _into(self.null, subject.ring)
        return is_zero(subject @ v) and not is_zero(v)

    @property
    def valid_for(self) -> str:
        """'these', 'generic', or the parameters of an attention kernel."""
        if isinstance(self.subject, Templates):
            if self.subject.kernel is None:
                return "every"
            beta, gamma = (
                "any" if value is None else f"= {value}"
                for value in (self.subject.kernel.beta, self.subject.kernel.gamma)
            )
            return f"beta {beta}, gamma {gamma}"
        return "generic" if self.subject is not None and is_generic(self.subject) else "these"

    @property
    def theorems(self) -> tuple[str, ...]:
        """About templates: why the kernel does not see more of them."""
        kernel = self.subject.kernel if isinstance(self.subject, Templates) else None
        if kernel is None or kernel.is_constant:
            return ()
        if not kernel.normalised:
            return ("symbench.normalisation-needed",) if kernel.activation is None else ()
        if kernel.gamma == 0:
            one_end = self.subject.one_end
            return ("symbench.gamma-zero-rank" if one_end else "symbench.no-cls-types",)
        return ()

    def explain(self) -> str:
        null, which = self.null, ""
        if isinstance(self.subject, Matrix):  # 7 is no entry modulo 7
            with suppress(NotInRing):
                null = _into(null, self.subject.ring)
        support = sum(not null.ring.is_zero(row[0]) for row in null.rows)
        if isinstance(self.subject, Templates):
            which = f"K_tau of {self.subject.kernel_name} is "
        return f"{which}singular: a null vector with {support} nonzero entries"


@attrs.frozen(kw_only=True)
class RankIs(Certificate):
    """rank M = r: a minor of size r that is not zero modulo a prime, and enough null vectors.

    The columns of `null` are null vectors, one for each column outside the minor: nonzero
    there and zero in the other columns outside, so they are independent.

    >>> M = Matrix([[1, 2], [2, 4]])
    >>> null = Matrix([[-2], [1]])
    >>> RankIs(rank=1, rows=(0,), columns=(0,), prime=7, residue=1, null=null).check(M)
    True
    """

    kind = "rank"
    rank: int = field(NUMBER)
    rows: tuple[int, ...] = field(NUMBERS)
    columns: tuple[int, ...] = field(NUMBERS)
    prime: int = field(NUMBER)
    point: dict[str, int] = field(POINT, factory=dict, hash=False)
    residue: int = field(NUMBER)
    null: Matrix = field(MATRIX)
    modulus: int | None = field(NUMBER, optional=True, repr=False)
    inverse: Matrix | None = field(MATRIX, optional=True, repr=False)

    def _holds(self, subject: Matrix) -> bool:
        if isinstance(subject.ring, (PowerSeries, Balls)):
            return False
        for chosen, count in zip((self.rows, self.columns), subject.shape, strict=True):
            if len(set(chosen)) != self.rank or len(chosen) != self.rank:
                return False
            if not all(0 <= k < count for k in chosen):
                return False
        minor = subject.reduce(self.prime, self.point).minor(self.rows, self.columns)
        free = [j for j in range(subject.shape[1]) if j not in set(self.columns)]
        if minor != self.residue or minor == 0 or self.null.shape != (subject.shape[1], len(free)):
            return False
        if (self.inverse, self.modulus) != (None, None):
            core = subject.submatrix(self.rows, self.columns)
            if not _inverts(self.inverse, self.modulus, core):
                return False
        null = _into(self.null, subject.ring)
        table, nothing = null.rows, subject.ring.is_zero
        independent = all(
            nothing(table[j][k]) == (j != i) for k, i in enumerate(free) for j in free
        )
        return independent and is_zero(subject @ null)

    @property
    def valid_for(self) -> str:
        return "generic" if self.subject is not None and is_generic(self.subject) else "these"

    def explain(self) -> str:
        return f"rank {self.rank}: a nonzero minor modulo {self.prime} and a null space basis"
