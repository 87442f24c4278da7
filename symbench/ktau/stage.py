"""Stage: one step of the way from a table of derivatives to condition (9) of boix2024.

Templates that agree so far form groups. The symmetric matrix C of one derivative separates each
group into finer ones: its gaps C_ii + C_jj - 2 C_ij within a group are not negative, and zero
exactly inside the finer groups. With u_i = v_i = C_ii / 2 half the gaps are the slacks of a dual
solution of the assignment problem, so among permutations that respect the groups the identity has
the largest sum, and only permutations that respect the finer groups reach it. (Without symmetry
that is false: a cycle of three may have a larger sum though all gaps vanish.)
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.certificates.base import NUMBERS, Certificate, field, kind
from symbench.exact import QQ, ZZ, Matrix


@kind("stage")
@attrs.frozen(kw_only=True)
class Stage(Certificate):
    """The coefficient of beta^i gamma^j tells the groups `before` apart into the groups `after`.

    The subject is the matrix of that coefficient; a group is a number per template. What is
    checked is the matrix: that it is the coefficient's, `stages` sees to.

    >>> C = Matrix([[2, 1, 1], [1, 1, 1], [1, 1, 1]])
    >>> Stage(order=(2, 0), before=(0, 0, 0), after=(0, 1, 1)).check(C)
    True
    >>> Stage(order=(2, 0), before=(0, 0, 0), after=(0, 1, 2)).check(C)
    False
    """

    order: tuple[int, ...] = field(NUMBERS)
    before: tuple[int, ...] = field(NUMBERS)
    after: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Any) -> bool:
        size = len(self.before)
        if not isinstance(subject, Matrix) or subject.ring not in (ZZ, QQ):
            return False
        if subject.shape != (size, size) or len(self.after) != size or len(self.order) != 2:
            return False
        if not subject.is_symmetric():
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
        """What is proved, in a sentence."""
        i, j = self.order
        first, last = len(set(self.before)), len(set(self.after))
        return f"beta^{i} gamma^{j} separates {first} groups of templates into {last}"
