"""The kind of certificate about attention heads that compute a mean of a few signs."""

from __future__ import annotations

from fractions import Fraction

import attrs

from symbench.certificates.base import MATRIX, NUMBER, NUMBERS, RATIONAL, Certificate, field
from symbench.exact import QQ, ZZ, Matrix, Rational

# Bits of the longest power that is formed.
_BITS = 1 << 20


@attrs.frozen(kw_only=True)
class HeadComputes(Certificate):
    """A softmax head has the mean of s of T signs up to an error, which is attained.

    The subject has the inner products of the vectors of positions with those that make up the key
    u: a row for each of the s positions and one for each class of the others, with its size in
    `counts`. The rows times `key` are r_t = u . v_t, which is 1 on the s positions. The scores are
    R r_t with base = exp(R / denominator), and 0 for one more token of value 0; so weights are
    powers of the base over their sum. The head's output minus the mean is linear in the signs, and
    the sum of the absolute values of its coefficients is its largest value.

    >>> head = HeadComputes(sparsity=2, length=6, key=Matrix([[1], [1]]), denominator=1,
    ...                     base=Rational(20), counts=(4,), error=Rational(9, 45))
    >>> head.check([[1, 0], [0, 1], [0, 0]]), head.check([[1, 0], [0, 2], [0, 0]])
    (True, False)
    """

    kind = "head-computes"
    sparsity: int = field(NUMBER)
    length: int = field(NUMBER)
    key: Matrix = field(MATRIX)
    denominator: int = field(NUMBER)
    base: Rational = field(RATIONAL)
    counts: tuple[int, ...] = field(NUMBERS)
    error: Rational = field(RATIONAL)

    def _holds(self, subject: Matrix) -> bool:
        s, classes = self.sparsity, len(self.counts)
        if {subject.ring, self.key.ring} - {ZZ, QQ}:
            return False
        if s < 1 or subject.shape[0] != s + classes or self.key.shape != (subject.shape[1], 1):
            return False
        if self.denominator < 1 or self.base <= 0 or any(n < 1 for n in self.counts):
            return False
        if s + sum(self.counts) != self.length:
            return False
        scores = [Fraction(row[0]) for row in (subject @ self.key).rows]
        if any(r != 1 for r in scores[:s]):
            return False
        # Exponents are counted from those of the s positions.
        steps = [(r - 1) * self.denominator for r in scores[s:]]
        if any(e.denominator > 1 for e in steps):
            return False
        longest = max((abs(int(e)) for e in steps), default=0) + self.denominator
        long = max(self.base.numerator, self.base.denominator).bit_length()
        if longest * long > _BITS:
            return False
        base = Fraction(self.base)
        off = sum(n * base ** int(e) for n, e in zip(self.counts, steps, strict=True))
        rest = off + base**-self.denominator
        return bool((rest + off) / (s + rest) == self.error)

    def explain(self) -> str:
        mean = f"the mean of {self.sparsity} of {self.length} signs"
        return f"a head of attention computes {mean} with error at most {self.error}, attained"
