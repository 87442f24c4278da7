"""Which permutation has the largest sum: the kinds of certificate about assignments."""

from __future__ import annotations

from math import lcm

import attrs

from symbench.certificates.base import MATRIX, NUMBERS, Certificate, field
from symbench.exact import QQ, ZZ, Matrix


def _fits(subject: Matrix, size: int, rows: Matrix, columns: Matrix) -> bool:
    """Whether the subject is a rational square matrix and the duals are rational rows."""
    if {subject.ring, rows.ring, columns.ring} - {ZZ, QQ}:
        return False
    return subject.shape == (size, size) and rows.shape == columns.shape == (1, size)


def _slacks(subject: Matrix, rows: Matrix, columns: Matrix) -> list[list[int]]:
    """A multiple of u_i + v_j - C_ij by a positive integer: what counts are its signs."""
    scales, tables = zip(*map(_cleared, (subject, rows, columns)), strict=True)
    scale = lcm(*scales)
    table, (u,), (v,) = (
        [[x * (scale // s) for x in row] for row in t] for s, t in zip(scales, tables, strict=True)
    )
    return [
        [a + b - c for b, c in zip(v, row, strict=True)] for a, row in zip(u, table, strict=True)
    ]


def _cleared(matrix: Matrix) -> tuple[int, list[list[int]]]:
    """(D, the entries of D M), with integers in place of fractions."""
    integers, scale = (matrix.flint, 1) if matrix.ring == ZZ else matrix.flint.numer_denom()
    return int(scale), [[int(x) for x in row] for row in integers.table()]


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

    kind = "unique-assignment"
    assignment: tuple[int, ...] = field(NUMBERS)
    rows: Matrix = field(MATRIX)
    columns: Matrix = field(MATRIX)
    order: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Matrix) -> bool:
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
        which = "identity" if self.assignment == tuple(range(len(self.assignment))) else "one"
        return f"unique maximum: the {which} permutation beats every other"


@attrs.frozen(kw_only=True)
class TiedAssignment(Certificate):
    """The largest sum of C_i,sigma(i) is reached by two different permutations.

    >>> u, v = Matrix([[1, 1]]), Matrix([[0, 0]])
    >>> c = TiedAssignment(first=(0, 1), second=(1, 0), rows=u, columns=v)
    >>> c.check(Matrix([[1, 1], [1, 1]])), c.check(Matrix([[1, 0], [1, 1]]))
    (True, False)
    """

    kind = "tied-assignment"
    first: tuple[int, ...] = field(NUMBERS)
    second: tuple[int, ...] = field(NUMBERS)
    rows: Matrix = field(MATRIX)
    columns: Matrix = field(MATRIX)

    def _holds(self, subject: Matrix) -> bool:
        size = len(self.first)
        if not _fits(subject, size, self.rows, self.columns) or self.first == self.second:
            return False
        if not sorted(self.first) == sorted(self.second) == list(range(size)):
            return False
        slack = _slacks(subject, self.rows, self.columns)
        tight = all(slack[i][s[i]] == 0 for s in (self.first, self.second) for i in range(size))
        return tight and all(x >= 0 for row in slack for x in row)

    def explain(self) -> str:
        return "no unique maximum: two permutations reach it"


@attrs.frozen(kw_only=True)
class Stage(Certificate):
    """A symmetric matrix C tells the groups `before` of its rows apart into the groups `after`.

    A group is a number per row. The gaps C_ii + C_jj - 2 C_ij within a group are not negative, and
    zero exactly inside the finer groups. With u_i = v_i = C_ii / 2 half the gaps are the slacks of
    a dual solution of the assignment problem, so among permutations that respect the groups the
    identity has the largest sum, and only permutations that respect the finer groups reach it.
    (Without symmetry that is false: a cycle of three may have a larger sum though all gaps vanish.)
    That C is the matrix of a coefficient of the attention kernel is what `stages` found it for, and
    no part of what is checked.

    >>> C = Matrix([[2, 1, 1], [1, 1, 1], [1, 1, 1]])
    >>> Stage(before=(0, 0, 0), after=(0, 1, 1)).check(C)
    True
    >>> Stage(before=(0, 0, 0), after=(0, 1, 2)).check(C)
    False
    """

    kind = "stage"
    before: tuple[int, ...] = field(NUMBERS)
    after: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Matrix) -> bool:
        size = len(self.before)
        if subject.ring not in (ZZ, QQ) or not subject.is_symmetric():
            return False
        if subject.shape != (size, size) or len(self.after) != size:
            return False
        rows, before, after = subject.rows, self.before, self.after
        for i in range(size):
            for j in range(i):
                if before[i] != before[j]:
                    if after[i] == after[j]:
                        return False
                    continue
                gap = rows[i][i] + rows[j][j] - 2 * rows[i][j]
                if gap < 0 or (gap == 0) != (after[i] == after[j]):
                    return False
        return True

    def explain(self) -> str:
        first, last = len(set(self.before)), len(set(self.after))
        return f"separates {first} groups of templates into {last}"
