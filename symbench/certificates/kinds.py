"""The kinds of certificate and their checks: short, separate from every search.

Each check recomputes what it needs from the subject in exact arithmetic. What makes it a proof
is said in the class.
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.certificates.base import (
    FLAG,
    MATRIX,
    NUMBER,
    NUMBERS,
    PLAIN,
    POINT,
    TEXT,
    Certificate,
    field,
    kind,
)
from symbench.certificates.plain import digest_of_cases
from symbench.exact import QQ, ZZ, Balls, Matrix, PowerSeries


def is_generic(matrix: Matrix) -> bool:
    """Whether entries depend on parameters, so that a verdict is about generic ones."""
    return bool(matrix.ring.variables) or isinstance(matrix.ring, PowerSeries)


def _is_zero(matrix: Matrix) -> bool:
    return all(matrix.ring.is_zero(x) for row in matrix.rows for x in row)


@kind("nonsingular")
@attrs.frozen(kw_only=True)
class Nonsingular(Certificate):
    """det M is not zero, because its image modulo a prime, at a point, is not.

    Reduction and evaluation are ring homomorphisms, so they commute with the determinant.
    With parameters this says: nonzero as a polynomial, exponential or series, hence for
    generic parameters. Over series the image is that of the determinant's leading coefficient,
    and the valuation its order.

    >>> c = Nonsingular(prime=7, point={}, residue=5, valuation=0, generic=False)
    >>> c.check(Matrix([[1, 2], [3, 4]])), c.check(Matrix([[1, 2], [2, 4]]))
    (True, False)
    """

    prime: int = field(NUMBER)
    point: dict[str, int] = field(POINT, factory=dict, hash=False)
    residue: int = field(NUMBER)
    valuation: int = field(NUMBER, default=0)
    generic: bool = field(FLAG, default=False)

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Matrix) or self.generic != is_generic(subject):
            return False
        found = subject.leading_residue(self.prime, self.point)
        return found == (self.valuation, self.residue) and self.residue != 0

    @property
    def scope(self) -> str:
        """'at these parameters' or 'for generic parameters'."""
        return "for generic parameters" if self.generic else "at these parameters"

    def explain(self) -> str:
        """What is proved, in a sentence."""
        at = "".join(f", {k} = {v}" for k, v in self.point.items())
        return f"nonsingular {self.scope}: det = {self.residue} modulo {self.prime}{at}"


@kind("nonsingular-balls")
@attrs.frozen(kw_only=True)
class NonsingularBalls(Certificate):
    """Every matrix inside the balls is nonsingular: the determinant's ball excludes zero.

    >>> NonsingularBalls(bits=64).check(Matrix([[1, 2], [3, 4]], Balls(64)))
    True
    """

    bits: int = field(NUMBER)

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Matrix) or subject.ring != Balls(self.bits):
            return False
        return not subject.det().contains(0)

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"nonsingular: the determinant's enclosure at {self.bits} bits excludes zero"


@kind("singular")
@attrs.frozen(kw_only=True)
class Singular(Certificate):
    """det M = 0, because M v = 0 for a vector v that is not zero.

    The subject is a Matrix, or a formal one whose entries are names (see `ktau.diagrams`).

    >>> Singular(null=Matrix([[1], [-1]])).check(Matrix([[1, 1], [2, 2]]))
    True
    """

    null: Matrix = field(MATRIX)

    @property
    def vector(self) -> tuple[Any, ...]:
        """The null vector."""
        return tuple(row[0] for row in self.null.rows)

    def _holds(self, subject: Any) -> bool:
        if hasattr(type(subject), "annihilated_by"):
            rational = self.null.ring in (ZZ, QQ) and self.null.shape[1] == 1
            return rational and any(self.vector) and bool(subject.annihilated_by(self.vector))
        if not isinstance(subject, Matrix) or subject.shape[0] != subject.shape[1]:
            return False
        if self.null.shape != (subject.shape[1], 1) or subject.exactness != "exact":
            return False
        v = self.null.change_ring(subject.ring)
        return _is_zero(subject @ v) and not _is_zero(v)

    def explain(self) -> str:
        """What is proved, in a sentence."""
        support = sum(not self.null.ring.is_zero(x) for x in self.vector)
        return f"singular: a null vector with {support} nonzero entries"


@kind("rank")
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

    rank: int = field(NUMBER)
    rows: tuple[int, ...] = field(NUMBERS)
    columns: tuple[int, ...] = field(NUMBERS)
    prime: int = field(NUMBER)
    point: dict[str, int] = field(POINT, factory=dict, hash=False)
    residue: int = field(NUMBER)
    null: Matrix = field(MATRIX)

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Matrix) or isinstance(subject.ring, (PowerSeries, Balls)):
            return False
        if not len(self.rows) == len(self.columns) == self.rank:
            return False
        minor = subject.reduce(self.prime, self.point).minor(self.rows, self.columns)
        free = [j for j in range(subject.shape[1]) if j not in set(self.columns)]
        if minor != self.residue or minor == 0 or self.null.shape != (subject.shape[1], len(free)):
            return False
        null = self.null.change_ring(subject.ring)
        table, is_zero = null.rows, subject.ring.is_zero
        independent = all(
            is_zero(table[j][k]) == (j != i) for k, i in enumerate(free) for j in free
        )
        return independent and _is_zero(subject @ null)

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"rank {self.rank}: a nonzero minor modulo {self.prime} and a null space basis"


@kind("positive-definite")
@attrs.frozen(kw_only=True)
class PositiveDefinite(Certificate):
    """M is positive definite, because S = F^T M F is strictly diagonally dominant.

    A symmetric S with S_ii > sum over j != i of |S_ij| is positive definite (Gershgorin).
    Then F v = 0 would give v^T S v = 0, so F is nonsingular and M is positive definite too.

    >>> PositiveDefinite(factor=Matrix.identity(2)).check(Matrix([[2, 1], [1, 2]]))
    True
    """

    factor: Matrix = field(MATRIX)

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Matrix) or subject.ring not in (ZZ, QQ):
            return False
        if not subject.is_symmetric() or self.factor.shape != subject.shape:
            return False
        if self.factor.ring not in (ZZ, QQ):
            return False
        gram = self.factor.transpose() @ (subject @ self.factor)
        return all(2 * row[i] > sum(map(abs, row)) for i, row in enumerate(gram.rows))

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return "positive definite: a congruent matrix is strictly diagonally dominant"


@kind("not-positive-definite")
@attrs.frozen(kw_only=True)
class NotPositiveDefinite(Certificate):
    """M is not positive definite, because v^T M v <= 0 for a vector v that is not zero.

    >>> NotPositiveDefinite(direction=Matrix([[1], [-1]])).check(Matrix([[1, 2], [2, 1]]))
    True
    """

    direction: Matrix = field(MATRIX)

    @property
    def vector(self) -> tuple[Any, ...]:
        """The vector v."""
        return tuple(row[0] for row in self.direction.rows)

    def _holds(self, subject: Any) -> bool:
        if not isinstance(subject, Matrix) or not subject.is_symmetric():
            return False
        v = self.direction
        if {subject.ring, v.ring} - {ZZ, QQ} or v.shape != (subject.shape[0], 1) or _is_zero(v):
            return False
        return bool((v.transpose() @ subject @ v)[0, 0] <= 0)

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return "not positive definite: a vector v with v^T M v <= 0"


def _fits(subject: Any, size: int, rows: Matrix, columns: Matrix) -> bool:
    """Whether the subject is a rational square matrix and the duals are rational rows."""
    if not isinstance(subject, Matrix) or {subject.ring, rows.ring, columns.ring} - {ZZ, QQ}:
        return False
    return subject.shape == (size, size) and rows.shape == columns.shape == (1, size)


def _slacks(subject: Matrix, rows: Matrix, columns: Matrix) -> list[list[Any]]:
    """u_i + v_j - C_ij."""
    u, v = rows.rows[0], columns.rows[0]
    return [
        [u[i] + v[j] - entry for j, entry in enumerate(row)] for i, row in enumerate(subject.rows)
    ]


@kind("unique-assignment")
@attrs.frozen(kw_only=True)
class UniqueAssignment(Certificate):
    """The sum of C_i,sigma(i) is largest for one permutation only.

    Dual numbers with C_ij <= u_i + v_j, equal on the assignment, show that no sum is larger.
    Another optimal permutation would be a cycle of tight entries beside the assignment; an
    order of the rows in which every such entry points forward rules cycles out.

    >>> C = Matrix([[3, 1], [0, 2]])
    >>> c = UniqueAssignment(assignment=(0, 1), rows=Matrix([[3, 2]]), columns=Matrix([[0, 0]]),
    ...                      order=(0, 1))
    >>> c.check(C), c.check(Matrix([[3, 4], [1, 2]]))
    (True, False)
    """

    assignment: tuple[int, ...] = field(NUMBERS)
    rows: Matrix = field(MATRIX)
    columns: Matrix = field(MATRIX)
    order: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Any) -> bool:
        size = len(self.assignment)
        if not _fits(subject, size, self.rows, self.columns):
            return False
        if not sorted(self.assignment) == sorted(self.order) == list(range(size)):
            return False
        place = {row: k for k, row in enumerate(self.order)}
        owner = {column: row for row, column in enumerate(self.assignment)}
        for i, row in enumerate(_slacks(subject, self.rows, self.columns)):
            for j, slack in enumerate(row):
                if slack < 0 or (slack != 0 and owner[j] == i):
                    return False
                if slack == 0 and owner[j] != i and place[i] >= place[owner[j]]:
                    return False
        return True

    def explain(self) -> str:
        """What is proved, in a sentence."""
        which = "identity" if self.assignment == tuple(range(len(self.assignment))) else "one"
        return f"unique maximum: the {which} permutation beats every other"


@kind("tied-assignment")
@attrs.frozen(kw_only=True)
class TiedAssignment(Certificate):
    """The largest sum of C_i,sigma(i) is reached by two different permutations.

    >>> u, v = Matrix([[1, 1]]), Matrix([[0, 0]])
    >>> c = TiedAssignment(first=(0, 1), second=(1, 0), rows=u, columns=v)
    >>> c.check(Matrix([[1, 1], [1, 1]])), c.check(Matrix([[1, 0], [1, 1]]))
    (True, False)
    """

    first: tuple[int, ...] = field(NUMBERS)
    second: tuple[int, ...] = field(NUMBERS)
    rows: Matrix = field(MATRIX)
    columns: Matrix = field(MATRIX)

    def _holds(self, subject: Any) -> bool:
        size = len(self.first)
        if not _fits(subject, size, self.rows, self.columns) or self.first == self.second:
            return False
        if not sorted(self.first) == sorted(self.second) == list(range(size)):
            return False
        slack = _slacks(subject, self.rows, self.columns)
        tight = all(slack[i][s[i]] == 0 for s in (self.first, self.second) for i in range(size))
        return tight and all(x >= 0 for row in slack for x in row)

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return "no unique maximum: two permutations reach it"


@kind("exhausted")
@attrs.frozen(kw_only=True)
class Exhausted(Certificate):
    """A finite list of cases was gone through: how many, and the digest of the list.

    The subject is the list itself; the check counts and digests it again.

    >>> Exhausted.of("demo.pairs", [(1, 2), (1, 3)]).check([(1, 2), (1, 3)])
    True
    """

    claim: str = field(TEXT)
    parameters: Any = field(PLAIN, factory=dict, hash=False)
    count: int = field(NUMBER)
    digest: str = field(TEXT)

    @classmethod
    def of(cls, claim: str, cases: Any, **parameters: Any) -> Exhausted:
        """The certificate of a list of cases."""
        count, digest = digest_of_cases(cases)
        return cls(claim=claim, parameters=parameters, count=count, digest=digest)

    def _holds(self, subject: Any) -> bool:
        try:
            return digest_of_cases(subject) == (self.count, self.digest)
        except TypeError:  # not a list of anything
            return False

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"all {self.count} cases of the list with digest {self.digest[:12]}"


@kind("counterexample")
@attrs.frozen(kw_only=True)
class Counterexample(Certificate):
    """A case in which a claim fails. The subject is the claim, which is run on the case again.

    The subject has an `id` and a `fails(case)` that returns the reason, or None if it holds.
    """

    claim: str = field(TEXT)
    case: Any = field(PLAIN)
    reason: str = field(TEXT)

    def _holds(self, subject: Any) -> bool:
        if getattr(subject, "id", None) != self.claim:
            return False
        return bool(subject.fails(self.case) == self.reason)

    def explain(self) -> str:
        """What is proved, in a sentence."""
        return f"{self.claim} fails for {self.case!r}: {self.reason}"
