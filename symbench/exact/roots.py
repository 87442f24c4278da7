"""Eigenvalues, exactly: rational numbers, or real roots of irreducible polynomials.

>>> eigenvalues(Matrix([[2, 0, 0], [0, 1, 1], [0, 1, 0]]))
((2, 1), (RealRoot((-1, -1, 1), 1), 1), (RealRoot((-1, -1, 1), 0), 1))
"""

from __future__ import annotations

from fractions import Fraction
from functools import cmp_to_key, lru_cache, total_ordering
from itertools import pairwise
from typing import Any

import attrs
import flint

from symbench._arguments import integer, integers, shown
from symbench.errors import BadType, BadValue
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.exact.latex import cut_formula, in_latex
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, rational

_MOST_BITS = 1 << 16


@total_ordering
@attrs.frozen(repr=False, eq=True, order=False)
class RealRoot:
    """A real number that is not rational: the root of an irreducible integer polynomial.

    `polynomial` has the coefficients, the constant term first; `index` counts the real roots
    from the smallest. Comparisons are exact.

    >>> root = RealRoot((-2, 0, 1), 1)
    >>> root, float(root), root > Fraction(7, 5), root < RealRoot((-3, 0, 1), 1)
    (RealRoot((-2, 0, 1), 1), 1.4142135623730951, True, True)
    >>> low, high = root.interval()
    >>> low * low < 2 < high * high, high - low < Fraction(1, 2**50)
    (True, True)
    >>> low, high = root.interval(200)
    >>> low * low < 2 < high * high, high - low < Fraction(1, 2**150)
    (True, True)
    >>> RealRoot((-4, 0, 1), 1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: (-4, 0, 1) is not irreducible of degree at least 2: ...
    """

    polynomial: tuple[int, ...]
    index: int

    def __attrs_post_init__(self) -> None:
        numbers = integers(self.polynomial, "the polynomial")
        object.__setattr__(self, "polynomial", numbers)
        object.__setattr__(self, "index", integer(self.index, "the index", at_least=0))
        if not _is_minimal(numbers):
            raise BadValue(
                f"{shown(numbers)} is not irreducible of degree at least 2: give a minimal "
                "polynomial with coprime coefficients and the last one positive"
            )
        count = len(_real_roots(numbers, 64))
        if self.index >= count:
            raise BadValue(f"{shown(numbers)} has {count} real roots, there is none {self.index}")

    def __repr__(self) -> str:
        return f"RealRoot({self.polynomial!r}, {self.index})"

    def __str__(self) -> str:
        return f"{float(self):.10g}.."

    @property
    def degree(self) -> int:
        """The degree of the minimal polynomial."""
        return len(self.polynomial) - 1

    def enclosure(self, bits: int = 64) -> flint.arb:
        """A ball (FLINT's arb) around this root that holds no other root of the polynomial."""
        return _real_roots(self.polynomial, integer(bits, "bits", at_least=2))[self.index]

    def interval(self, bits: int = 64) -> tuple[Rational, Rational]:
        """Rational numbers below and above this root, with no other root between them."""
        ball = self.enclosure(bits)
        with working_precision(bits + 64):
            return rational(ball.lower().fmpq()), rational(ball.upper().fmpq())

    def __float__(self) -> float:
        return float(self.enclosure(64).mid())

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, (RealRoot, int, Fraction)) or isinstance(other, bool):
            return NotImplemented
        return compare(self, other) < 0

    def latex(self) -> str:
        r"""The number in decimal, with its minimal polynomial.

        >>> print(RealRoot((-2, 0, 1), 1).latex())
        1.414213562\ldots\ (x^{2} - 2 = 0)
        """
        equation = cut_formula(_polynomial_text(self.polynomial), 600)
        return rf"{in_latex(f'{float(self):.10g}...')}\ ({in_latex(equation)} = 0)"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


Eigenvalue = Rational | RealRoot


def compare(a: Any, b: Any) -> int:
    """-1, 0 or 1 as a < b, a = b or a > b, for rational numbers and real roots.

    >>> compare(RealRoot((-2, 0, 1), 0), -1), compare(Rational(1), Rational(1))
    (-1, 0)
    """
    if not isinstance(a, RealRoot) and not isinstance(b, RealRoot):
        return int(a > b) - int(a < b)
    if a == b:
        return 0
    # Different numbers: some precision tells them apart.
    bits = 64
    while bits <= _MOST_BITS:
        x, y = _ball(a, bits), _ball(b, bits)
        with working_precision(bits):
            if x < y:
                return -1
            if x > y:
                return 1
        bits *= 2
    raise AssertionError("two different algebraic numbers that no precision separates")


_BY_SIZE = cmp_to_key(compare)


def _ball(value: Any, bits: int) -> flint.arb:
    if isinstance(value, RealRoot):
        return value.enclosure(bits)
    with working_precision(bits):
        return flint.arb(fmpq(value))


@lru_cache(maxsize=4096)
def _is_minimal(numbers: tuple[int, ...]) -> bool:
    if len(numbers) < 3 or numbers[-1] <= 0:
        return False
    content, factors = flint.fmpz_poly(list(numbers)).factor()
    return bool(content == 1) and len(factors) == 1 and factors[0][1] == 1


@lru_cache(maxsize=1024)
def _real_roots(polynomial: tuple[int, ...], bits: int) -> tuple[flint.arb, ...]:
    """Certified disjoint balls around the real roots, in increasing order."""
    with working_precision(bits):
        # The stubs of FLINT leave the multiplicities out.
        roots: list[Any] = [*flint.fmpz_poly(list(polynomial)).complex_roots()]
    found = [root.real for root, _ in roots if root.imag == 0]
    found.sort(key=lambda ball: ball.mid().fmpq())
    if any(not a < b for a, b in pairwise(found)):
        return _real_roots(polynomial, 2 * bits)
    return tuple(found)


def eigenvalues(matrix: Matrix) -> tuple[tuple[Eigenvalue, int], ...]:
    """The eigenvalues of a rational matrix whose eigenvalues are all real, largest first.

    Each comes with its multiplicity in the characteristic polynomial.

    >>> eigenvalues(Matrix([[1, 2], [2, 4]]))
    ((5, 1), (0, 1))
    >>> eigenvalues(Matrix([[0, 1], [-1, 0]]))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the eigenvalues that are roots of (1, 0, 1) are not real
    """
    if not isinstance(matrix, Matrix) or matrix.ring not in (ZZ, QQ):
        raise BadType(f"the matrix is {shown(matrix)}: give a Matrix over ZZ or QQ")
    found: list[tuple[Eigenvalue, int]] = []
    core, zeros = _core(flint.fmpq_mat(matrix.flint))
    if zeros:
        found.append((Rational(0), zeros))
    if core.nrows():
        for factor, times in _characteristic(core).factor()[1]:
            coefficients = tuple(int(c) for c in factor.coeffs())
            found += [(root, times) for root in _roots(coefficients)]
    found.sort(key=lambda item: _BY_SIZE(item[0]), reverse=True)
    return tuple(found)


def _core(matrix: Any) -> tuple[Any, int]:
    """An invertible matrix with the same nonzero eigenvalues, and how many zeros are left out.

    B = U W with the pivot columns U and the echelon form W has, but for zeros, the
    characteristic polynomial of W U. Blocks of kernels of bounded degree are nearly all zeros.
    """
    zeros = 0
    while matrix.nrows():
        echelon, rank = matrix.rref()
        size = matrix.nrows()
        if rank == size:
            break
        zeros += size - rank
        if rank == 0:
            return flint.fmpq_mat(0, 0), zeros
        rows = echelon.table()[:rank]
        pivots = [next(j for j, x in enumerate(row) if x != 0) for row in rows]
        columns = [[row[j] for j in pivots] for row in matrix.table()]
        matrix = flint.fmpq_mat(rows) * flint.fmpq_mat(columns)
    return matrix, zeros


def _characteristic(matrix: Any) -> Any:
    """The characteristic polynomial, cleared of denominators."""
    numerators, denominator = matrix.numer_denom()
    scaled, power = [], flint.fmpz(1)
    for c in numerators.charpoly().coeffs():
        scaled.append(c * power)
        power *= denominator
    return flint.fmpz_poly(scaled)


def _roots(coefficients: tuple[int, ...]) -> list[Eigenvalue]:
    """All roots of an irreducible polynomial, which must be real."""
    if coefficients[-1] < 0:
        coefficients = tuple(-c for c in coefficients)
    if len(coefficients) == 2:
        return [Rational(-coefficients[0], coefficients[1])]
    count = len(_real_roots(coefficients, 64))
    if count != len(coefficients) - 1:
        raise BadValue(f"the eigenvalues that are roots of {shown(coefficients)} are not real")
    return [_make(coefficients, k) for k in range(count)]


def _make(polynomial: tuple[int, ...], index: int) -> RealRoot:
    """A RealRoot of a polynomial that is known to be irreducible."""
    made = object.__new__(RealRoot)
    object.__setattr__(made, "polynomial", polynomial)
    object.__setattr__(made, "index", index)
    return made


def _polynomial_text(coefficients: tuple[int, ...]) -> str:
    terms: list[str] = []
    for power in range(len(coefficients) - 1, -1, -1):
        c = coefficients[power]
        if not c:
            continue
        name = "" if power == 0 else "x" if power == 1 else f"x^{{{power}}}"
        size = "" if abs(c) == 1 and power else str(abs(c))
        sign = ("-" if c < 0 else "") if not terms else ("- " if c < 0 else "+ ")
        terms.append(f"{sign}{size}{name}")
    return " ".join(terms)
