"""The kind of certificate about what ridge regression predicts at one more string."""

from __future__ import annotations

from fractions import Fraction

import attrs

from symbench.certificates.base import MATRIX, NUMBERS, RATIONAL, Certificate, field
from symbench.exact import QQ, ZZ, Matrix, Rational


@attrs.frozen(kw_only=True)
class RidgePrediction(Certificate):
    """Kernel ridge regression on some strings predicts a number at one more.

    The subject is the template matrix N of the r patterns of the training strings. String i has
    the pattern `patterns[i]`; `own` has K(x, x) for each pattern and `column` N between each
    pattern and that of the new string. So K of two strings is N at their patterns, but for equal
    strings' places and for the `meetings`: rows (i, j, K(x_i, x_j)) with i < j, in order, of pairs
    that share a token put for wildcards; n stands for the new string. The `weights` a solve
    (K + ridge) a = k(x), so every c with (K + ridge) c = labels has c . k(x) = labels . a, the
    prediction.

    >>> found = RidgePrediction(
    ...     patterns=(0, 0, 1), own=Matrix([[8], [6]]), column=Matrix([[6], [4]]),
    ...     meetings=Matrix([[0, 2, 5], [2, 3, 5]]), ridge=Rational(1),
    ...     labels=Matrix([[1], [1], [-1]]), weights=Matrix([["15/62"], ["11/31"], ["21/62"]]),
    ...     prediction=Rational(8, 31))
    >>> found.check([[6, 4], [4, 4]]), found.check([[7, 4], [4, 4]])
    (True, False)
    """

    kind = "ridge-prediction"
    patterns: tuple[int, ...] = field(NUMBERS)
    own: Matrix = field(MATRIX)
    column: Matrix = field(MATRIX)
    meetings: Matrix | None = field(MATRIX, optional=True)
    ridge: Rational = field(RATIONAL)
    labels: Matrix = field(MATRIX)
    weights: Matrix = field(MATRIX)
    prediction: Rational = field(RATIONAL)

    def _holds(self, subject: Matrix) -> bool:
        r, n = subject.shape[0], len(self.patterns)
        parts = [subject, self.own, self.column, self.labels, self.weights]
        parts += [] if self.meetings is None else [self.meetings]
        if any(part.ring not in (ZZ, QQ) for part in parts) or not subject.is_symmetric():
            return False
        shapes = [part.shape for part in parts[1:5]]
        if shapes != [(r, 1), (r, 1), (n, 1), (n, 1)] or n == 0 or self.ridge < 0:
            return False
        if not all(0 <= p < r for p in self.patterns):
            return False
        N = [[Fraction(x) for x in row] for row in subject.rows]
        own, column, labels, a = ([Fraction(x) for (x,) in part.rows] for part in parts[1:5])
        sums = [Fraction(0)] * r
        for p, weight in zip(self.patterns, a, strict=True):
            sums[p] += weight
        # What is left of k(x) - (K + ridge) a.
        through = [sum(map(Fraction.__mul__, row, sums), Fraction(0)) for row in N]
        left = [
            column[p] - through[p] - (self.ridge + own[p] - N[p][p]) * weight
            for p, weight in zip(self.patterns, a, strict=True)
        ]
        before = (-1, -1)
        for row in () if self.meetings is None else self.meetings.rows:
            i, j, value = map(Fraction, row)
            if i.denominator > 1 or j.denominator > 1 or not 0 <= i < j <= n:
                return False
            pair = int(i), int(j)
            if not before < pair:
                return False
            before = pair
            p = self.patterns[pair[0]]
            if pair[1] == n:
                left[pair[0]] += value - column[p]
                continue
            more = value - N[p][self.patterns[pair[1]]]
            left[pair[0]] -= more * a[pair[1]]
            left[pair[1]] -= more * a[pair[0]]
        found = sum(map(Fraction.__mul__, labels, a), Fraction(0))
        return not any(left) and bool(found == self.prediction)

    def explain(self) -> str:
        strings = f"{len(self.patterns)} strings with {self.own.shape[0]} patterns"
        return f"ridge regression on {strings} and ridge {self.ridge} predicts {self.prediction}"
