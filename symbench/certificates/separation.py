"""The kinds of certificate about K_tau by the theorems about softmax attention.

If the matrix annihilated a vector v, then sum_i v_i q^{t^2 e_i} = 0 for all t at every integer
point, where q = exp(-beta^2/2) and e_i are the exponents of the templates there
(proofs/symbench/positive-definite.md). Without a kernel they are about the values of a
token-symmetric kernel as variables: softmax attention is one such kernel, and a determinant that is
not zero there is not zero as a polynomial.
"""

from __future__ import annotations

from math import prod

import attrs

from symbench.certificates.base import MATRIX, NUMBER, NUMBERS, Certificate, field
from symbench.certificates.templates import KernelFacts, Row, Templates
from symbench.exact import GF, ZZ, Matrix
from symbench.exact.primes import WORD, is_prime


def _separates(subject: Templates) -> bool:
    return subject.kernel is None or subject.kernel.separates


@attrs.frozen(kw_only=True)
class _AboutTemplates(Certificate):
    """What these kinds share."""

    about_types = (Templates,)

    @property
    def _is_generic(self) -> bool:
        return isinstance(self.subject, Templates) and self.subject.kernel is None

    @property
    def valid_for(self) -> str:
        return "generic" if self._is_generic else "every beta, gamma != 0"

    @property
    def theorems(self) -> tuple[str, ...]:
        """The theorem about exponents, and that a layer above keeps what it says."""
        return self._rests_on("symbench.positive-definite", "symbench.no-cls")

    def _rests_on(self, one_end: str, any_end: str) -> tuple[str, ...]:
        subject = self.subject
        if not isinstance(subject, Templates):
            return ()
        kernel = subject.kernel or KernelFacts()
        plain = subject.one_end and (kernel.scale == "main" or kernel.gamma == 0)
        above = ("symbench.every-activation",) if kernel.activation else ()
        return (one_end if plain else any_end, *above)

    def _matrix(self) -> str:
        named = isinstance(self.subject, Templates)
        return f"K_tau of {self.subject.kernel_name}" if named else "K_tau"


@attrs.frozen(kw_only=True)
class OnePoint(_AboutTemplates):
    """K_tau of softmax attention is positive definite for every beta, gamma != 0.

    Or: K_tau of token-symmetric kernels is nonsingular for generic values. At one integer point the
    exponents of all templates are different, so the functions q^{t^2 e_i} of t are independent.
    Templates with one letter throughout have the exponent 0 everywhere; no other may have it, and
    their token, which gets all the attention, tells them apart. (Kernel (23) reads the last letter:
    there templates that end alike are told apart.) Positive semidefinite K_tau is anyway, a Gram
    matrix.

    >>> pair = Templates.from_numbers(((-1, -1, 0), (-1, -2, 0)), KernelFacts())
    >>> OnePoint(xi=(1, 2, -3), y=(5,)).check(pair)
    True
    """

    kind = "one-point"
    xi: tuple[int, ...] = field(NUMBERS)
    y: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Templates) -> bool:
        fits = _separates(subject) and subject.fits(len(self.xi), len(self.y))
        return fits and subject.separated_at(self.xi, self.y)

    def explain(self) -> str:
        proved = "is positive definite for every beta, gamma != 0"
        if self._is_generic:
            proved = "with generic values is nonsingular"
        return f"{self._matrix()} {proved}: distinct exponents at one point"


@attrs.frozen(kw_only=True)
class ModularPoints(_AboutTemplates):
    """K_tau of softmax attention is nonsingular for gamma != 0 and every nonzero algebraic beta^2.

    The matrix q^{e_i at point l} has a determinant that is not zero modulo a prime at q = base, so
    it is not zero at the transcendental q = exp(-beta^2/2).

    >>> points = Matrix([[0, 0, 0, 0], [1, 1, -2, 0]])
    >>> pair = Templates.from_numbers(((-1, -1, 0), (-1, -2, 0)), KernelFacts())
    >>> ModularPoints(prime=7, base=3, points=points, residue=5).check(pair)
    True
    """

    kind = "modular-points"
    prime: int = field(NUMBER)
    base: int = field(NUMBER)
    points: Matrix = field(MATRIX)
    residue: int = field(NUMBER)

    def _holds(self, subject: Templates) -> bool:
        if not _separates(subject) or subject.kernel is None or subject.kernel.scale != "main":
            return False
        size, length = len(subject.rows), len(subject.rows[0])
        if not 1 < self.prime < WORD or not is_prime(self.prime) or self.base % self.prime == 0:
            return False
        if self.points.ring != ZZ or self.points.shape[0] != size:
            return False
        if not subject.fits(length, self.points.shape[1] - length):
            return False
        if any(sum(row[:length]) for row in self.points.rows):
            return False
        matrix = Matrix([self._powers(subject, row) for row in self.points.rows], GF(self.prime))
        return bool(matrix.det() == self.residue != 0)

    def _powers(self, subject: Templates, point: Row) -> list[int]:
        """base^e for the exponents e at a point, as products over the parts of a template."""
        length, order = len(subject.rows[0]), self.prime - 1  # base^order = 1
        exponents = subject.part_exponents(point[:length], point[length:])
        power = {part: pow(self.base, e % order, self.prime) for part, e in exponents.items()}
        return [prod(power[part] for part in parts) % self.prime for parts in subject.parts]

    @property
    def valid_for(self) -> str:
        return "gamma != 0, algebraic beta^2 != 0"

    def explain(self) -> str:
        proved = "is nonsingular for gamma != 0, algebraic beta^2 != 0"
        return f"{self._matrix()} {proved}: det != 0 mod {self.prime}"


@attrs.frozen(kw_only=True)
class TemplateRank(_AboutTemplates):
    """The rank of K_tau is the number of inequivalent templates, as in `OnePoint`.

    Equivalent templates have equal rows, and a point tells the others apart, as in `OnePoint`.

    >>> rows = ((-1, -1, 0), (-1, -2, 0), (-2, -1, 0))
    >>> TemplateRank(rank=2, xi=(1, 2, -3), y=(5,)).check(
    ...     Templates.from_numbers(rows, KernelFacts()))
    True
    """

    kind = "template-rank"
    rank: int = field(NUMBER)
    xi: tuple[int, ...] = field(NUMBERS)
    y: tuple[int, ...] = field(NUMBERS)

    def _holds(self, subject: Templates) -> bool:
        if not _separates(subject) or not subject.fits(len(self.xi), len(self.y)):
            return False
        different = len(set(subject.numbers)) == self.rank
        return different and subject.separated_at(self.xi, self.y, distinct=True)

    def explain(self) -> str:
        proved = f"has rank {self.rank} for every beta, gamma != 0"
        if self._is_generic:
            proved = f"with generic values has rank {self.rank}"
        return f"{self._matrix()} {proved}: as many inequivalent templates"


@attrs.frozen(kw_only=True)
class TypeRank(_AboutTemplates):
    """The rank of K_tau at gamma = 0, beta != 0, is the number of types that have a token.

    By theorem `symbench.gamma-zero-rank`; a template without tokens has a row of zeros.

    >>> rows = ((-1, -1, 0), (-1, 0, -1), (-1, -2, -3))
    >>> kernel = KernelFacts(gamma=Rational(0))
    >>> TypeRank(rank=1).check(Templates.from_numbers(rows, kernel))
    True
    """

    kind = "type-rank"
    rank: int = field(NUMBER)

    def _holds(self, subject: Templates) -> bool:
        return subject.counted and len({t for t in subject.types if t[0]}) == self.rank

    @property
    def valid_for(self) -> str:
        return "gamma = 0, every beta != 0"

    @property
    def theorems(self) -> tuple[str, ...]:
        """The theorem about types, and that a layer above keeps what it says."""
        return self._rests_on("symbench.gamma-zero-rank", "symbench.no-cls-types")

    def explain(self) -> str:
        proved = f"has rank {self.rank} at gamma = 0 for every beta != 0"
        return f"{self._matrix()} {proved}: as many types with a token"
