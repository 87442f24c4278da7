"""Closed forms in L, alpha and beta: the blocks of linear attention as polynomials.

An eigenvalue is a polynomial in L, alpha and beta, or a root of an irreducible one in x with such
coefficients. How it compares with the bound trace / dimension as L grows is read off degrees.

>>> flatten = linear_attention(readout="flatten")
>>> family = linear_attention_spectrum(flatten, length=None, vocabulary=2)
>>> family[2][0].eigenvalue, family.at(length=60, alpha=1, beta=1)["58+2"][0].eigenvalue
(alpha^2*beta, 1)
>>> for row in family.tightness()[2:]:
...     print(row)
(L - 1, 1): L^0, limit 1/2*alpha/(alpha + beta)
(L - 1, 1): L^-1, limit 1/2*alpha/(alpha + beta)
(L - 2, 2): L^-1, limit beta/(alpha + beta)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from symbench._arguments import integer, shown
from symbench.errors import BadType, BadValue, UnknownName
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.rational import exact_parameter, number_text, rational
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.tangent import TangentKernel
from symbench.laws.exchangeable import IidLaw
from symbench.spectra.levels import LinearSpectrum, levels_of_blocks
from symbench.spectra.linear_blocks import BELOW, Below, Blocks

RING = QQ["L", "alpha", "beta"]
_WITH_X = QQ["x", "L", "alpha", "beta"]


def partition_text(below: Below) -> str:
    """A partition of L by its rows below the first.

    >>> partition_text((1, 1)), partition_text(())
    ('(L - 2, 1, 1)', '(L)')
    """
    return f"({', '.join([f'L - {sum(below)}' if below else 'L', *map(str, below)])})"


def dimension(below: Below) -> Any:
    """The dimension of the irreducible, a polynomial in L.

    >>> [dimension(below) for below in BELOW]
    [1, L - 1, 1/2*L^2 - 3/2*L, 1/2*L^2 - 3/2*L + 1]
    """
    L, _, _ = RING.gens
    if below == (2,):
        return L * (L - 3) / 2
    if below == (1, 1):
        return (L - 1) * (L - 2) / 2
    return L - 1 if below else RING.coerce(1)


@attrs.frozen
class Quotient:
    """A quotient of two polynomials without a common factor, the second one not 0.

    >>> L, alpha, beta = RING.gens
    >>> Quotient.of(L * alpha, 2 * L), Quotient.of(L, L + 1)
    (1/2*alpha, L/(L + 1))
    """

    # FLINT's polynomials do not hash; in one ring, equal ones have equal texts.
    numerator: Any = attrs.field(eq=str)
    denominator: Any = attrs.field(eq=str)

    @classmethod
    def of(cls, numerator: Any, denominator: Any) -> Quotient:
        """The quotient in lowest terms, its denominator with leading coefficient 1."""
        if denominator == 0:
            raise BadValue("a quotient by 0")
        common = numerator.gcd(denominator)
        top, bottom = numerator / common, denominator / common
        lead = RING.coerce(rational(bottom.leading_coefficient()))
        return cls(top / lead, bottom / lead)

    def __repr__(self) -> str:
        top, bottom = str(self.numerator), str(self.denominator)
        if bottom == "1":
            return top
        top = f"({top})" if " " in top else top
        return f"{top}/({bottom})" if set(bottom) & set(" *") else f"{top}/{bottom}"


@attrs.frozen(eq=False)
class FamilyBlock:
    """A block of polynomials, for the partition with these rows below the first.

    >>> FamilyBlock((1,), Matrix([[RING.gens[0]]]), 2).copies
    2
    """

    below: Below
    matrix: Matrix
    copies: int


@attrs.frozen(repr=False)
class FamilyLevel:
    """An eigenvalue, or the roots of one irreducible polynomial, in some copies of an irrep.

    `polynomial` is monic in x with coefficients in L, alpha and beta, the constant term first.

    >>> L, alpha, beta = RING.gens
    >>> FamilyLevel((1,), (-L * alpha, RING.coerce(1)), 2)
    <FamilyLevel of (L - 1, 1): L*alpha, copies 2>
    """

    below: Below
    polynomial: tuple[Any, ...] = attrs.field(eq=str)
    copies: int

    def __repr__(self) -> str:
        return f"<FamilyLevel of {partition_text(self.below)}: {self.text()}, copies {self.copies}>"

    @property
    def eigenvalue(self) -> Any:
        """The eigenvalue as a polynomial, or None where it is a root of a larger one."""
        return -self.polynomial[0] if len(self.polynomial) == 2 else None

    def text(self) -> str:
        """The eigenvalue, or the equation that it solves."""
        if self.eigenvalue is not None:
            return str(self.eigenvalue)
        return f"{self._in_x()} = 0"

    def _in_x(self) -> Any:
        x = _WITH_X.gens[0]
        return sum(
            (_WITH_X.coerce(c) * x**k for k, c in enumerate(self.polynomial)), _WITH_X.coerce(0)
        )

    def latex(self) -> str:
        """The eigenvalue, or the equation that it solves, as LaTeX."""
        if self.eigenvalue is not None:
            return _latex(RING.latex(self.eigenvalue))
        return _latex(_WITH_X.latex(self._in_x())) + " = 0"

    @property
    def growth(self) -> Rational:
        """The power of L by which the largest of the roots grows, for general alpha and beta."""
        degree = len(self.polynomial) - 1
        return max(
            Rational(_degree(c), degree - k) for k, c in enumerate(self.polynomial[:-1]) if c != 0
        )


@attrs.frozen(repr=False)
class Tightness:
    """How an eigenvalue compares with its bound as L grows.

    Eigenvalue times dimension over trace goes like limit * L^exponent, for positive alpha and
    beta; `ratio` is that quotient itself. The limit or the ratio is None where it is not a quotient
    of polynomials; then exponent is that of the largest root. At exponent 0 the bound is tight up
    to a constant.
    """

    level: FamilyLevel
    ratio: Quotient | None
    exponent: Rational
    limit: Quotient | None

    def __repr__(self) -> str:
        more = "" if self.limit is None else f", limit {self.limit!r}"
        return f"{partition_text(self.level.below)}: L^{self.exponent}{more}"

    @property
    def tight(self) -> bool:
        """Whether the eigenvalue stays a fixed part of its bound."""
        return self.exponent == 0


@attrs.frozen(repr=False, eq=False)
class LinearFamily:
    """Closed forms in L, alpha and beta; `linear_attention_spectrum(..., length=None)` makes one.

    `blocks` are over QQ['L', 'alpha', 'beta'], `trace` is E k(x, x) there; they are right for
    every L of at least 4. A level of `levels` is an eigenvalue for general numbers, at special
    ones two of them may meet.

    >>> family = linear_attention_spectrum(linear_attention(), length=None, vocabulary=2)
    >>> family
    <LinearFamily of linear_attention(None, None, readout='sum'), vocabulary 2: 4 levels>
    >>> family.trace
    1/4*L^4*alpha^3 + 1/2*L^3*alpha^3 + 3/2*L^3*alpha^2*beta + 1/2*L^3*alpha*beta^2 + ...
    """

    kernel: LinearAttention | TangentKernel
    vocabulary: int
    law: IidLaw | None
    blocks: tuple[FamilyBlock, ...]
    trace: Any
    exactness = "exact"

    def __repr__(self) -> str:
        size = number_text(self.vocabulary)
        return f"<LinearFamily of {self.kernel!r}, vocabulary {size}: {len(self.levels)} levels>"

    @property
    def levels(self) -> tuple[FamilyLevel, ...]:
        """The eigenvalues that are not 0, by irreducible; the fastest growing ones first."""
        found: dict[FamilyLevel, int] = {}
        for block in self.blocks:
            for polynomial, times in _factors(block.matrix):
                level = FamilyLevel(block.below, polynomial, 0)
                found[level] = found.get(level, 0) + times * block.copies
        levels = [attrs.evolve(level, copies=n) for level, n in found.items()]
        return tuple(sorted(levels, key=lambda x: (BELOW.index(x.below), -x.growth, x.text())))

    def __iter__(self) -> Iterator[FamilyLevel]:
        return iter(self.levels)

    def __getitem__(self, below: Any) -> tuple[FamilyLevel, ...]:
        """The levels of the partition with these rows below the first: (), 1, 2 or (1, 1)."""
        rows = below if isinstance(below, tuple) else (below,)
        if any(type(n) is not int for n in rows) or rows not in BELOW:
            raise UnknownName(
                f"{shown(below)} are no rows below the first of a partition that occurs: give (), "
                "1, 2 or (1, 1)"
            )
        return tuple(level for level in self.levels if level.below == rows)

    def at(self, *, length: int, alpha: Any = None, beta: Any = None) -> LinearSpectrum:
        """The spectrum at numbers, put into the blocks; only variables need a value.

        >>> family = linear_attention_spectrum(linear_attention(1), length=None, vocabulary=3)
        >>> [str(level.eigenvalue) for level in family.at(length=4, beta=2)["3+1"]]
        ['18.24498435..', '16/9', '8/9', '0.8661267573..']
        """
        L = integer(length, "the length", at_least=4)
        plain = self.kernel.covariance if isinstance(self.kernel, TangentKernel) else self.kernel
        values = {
            "alpha": _value(plain.alpha, alpha, "alpha"),
            "beta": _value(plain.beta, beta, "beta"),
        }
        point = {"L": L, **values}
        plain = attrs.evolve(plain, **values)
        kernel: LinearAttention | TangentKernel = plain
        if isinstance(self.kernel, TangentKernel):
            kernel = attrs.evolve(self.kernel, covariance=plain)
        blocks: Blocks = [
            (block.below, [list(row) for row in block.matrix.evaluate(point).rows], block.copies)
            for block in self.blocks
        ]
        trace = Rational(Matrix([[self.trace]], RING).evaluate(point)[0, 0])
        levels = levels_of_blocks(blocks, L)
        return LinearSpectrum(kernel, L, self.vocabulary, self.law, levels, trace)

    def tightness(self) -> tuple[Tightness, ...]:
        """Each eigenvalue beside its bound trace / dimension, as L goes to infinity: exact.

        >>> family = linear_attention_spectrum(linear_attention(1, 1), length=None, vocabulary=2)
        >>> family.tightness()[2], family.tightness()[2].tight
        ((L - 1, 1): L^-1, limit 2, False)
        >>> family.tightness()[2].ratio
        (2*L^2 + 2*L - 4)/(L^3 + 10*L^2 + 23*L - 2)
        """
        return tuple(self._tightness(level) for level in self.levels)

    def _tightness(self, level: FamilyLevel) -> Tightness:
        dim = dimension(level.below)
        exponent = Rational(level.growth + _degree(dim) - _degree(self.trace))
        ratio = None
        if level.eigenvalue is not None:
            ratio = Quotient.of(level.eigenvalue * dim, self.trace)
        lead = _lead_of_largest(level)
        limit = None
        if lead is not None:
            limit = Quotient.of(lead * _lead(dim), _lead(self.trace))
        return Tightness(level, ratio, exponent, limit)

    def latex(self) -> str:
        """The levels as a LaTeX tabular."""
        lines = [r"\begin{tabular}{lll}", r"irrep & eigenvalue & copies \\", r"\hline"]
        lines += [
            rf"${partition_text(level.below)}$ & ${level.latex()}$ & {level.copies} \\"
            for level in self.levels
        ]
        return "\n".join([*lines, r"\end{tabular}"])

    def _repr_latex_(self) -> str:
        return self.latex()


def family_blocks(blocks: Blocks) -> tuple[FamilyBlock, ...]:
    """The blocks that occur, as matrices over QQ['L', 'alpha', 'beta']."""
    return tuple(
        FamilyBlock(below, Matrix(rows, RING), copies) for below, rows, copies in blocks if copies
    )


def _value(known: Rational | None, given: Any, name: str) -> Rational:
    if known is not None:
        if given is not None:
            raise BadValue(f"{name} is {known} already: give no other")
        return known
    if given is None:
        raise BadType(f"{name} is a variable: give a number for it")
    return exact_parameter(given, name, at_least=0)


def _latex(text: str) -> str:
    return text.replace("alpha", r"\alpha").replace("beta", r"\beta")


# --- characteristic polynomials -----------------------------------------------------------------
def _factors(matrix: Matrix) -> list[tuple[tuple[Any, ...], int]]:
    """The irreducible factors of the characteristic polynomial but x, with multiplicity."""
    rows = [[RING.coerce(x) for x in row] for row in matrix.rows]
    if len(rows) == 1:
        return [((-rows[0][0], RING.coerce(1)), 1)] if rows[0][0] != 0 else []
    x = _WITH_X.gens[0]
    whole = _WITH_X.coerce(0)
    for k, coefficient in enumerate(_characteristic(rows)):
        whole += _WITH_X.coerce(coefficient) * x**k
    found = []
    for factor, times in whole.factor()[1]:
        coefficients: dict[int, dict[tuple[int, ...], Any]] = {}
        for (power, *rest), c in _WITH_X.terms(factor).items():
            coefficients.setdefault(power, {})[tuple(rest)] = c
        degree = max(coefficients)
        if degree == 1 and 0 not in coefficients:  # x itself
            continue
        # The whole is monic in x, so the leading coefficient of a factor is a number.
        (lead,) = coefficients[degree].values()
        polynomial = tuple(
            RING.from_terms({e: c / lead for e, c in coefficients.get(k, {}).items()})
            for k in range(degree + 1)
        )
        found.append((polynomial, int(times)))
    return found


def _characteristic(rows: list[list[Any]]) -> list[Any]:
    """The coefficients of det(x - A), constant term first, by Faddeev and LeVerrier."""
    size = range(len(rows))
    zero, one = RING.coerce(0), RING.coerce(1)
    coefficients = [one]
    power = [[zero] * len(rows) for _ in size]
    for k in range(1, len(rows) + 1):
        for i in size:
            power[i][i] += coefficients[-1]
        power = [[sum((rows[i][j] * power[j][m] for j in size), zero) for m in size] for i in size]
        coefficients.append(-sum((power[i][i] for i in size), zero) / k)
    return coefficients[::-1]


def _degree(polynomial: Any) -> int:
    """The degree in L."""
    return max((exponents[0] for exponents in RING.terms(polynomial)), default=0)


def _lead(polynomial: Any) -> Any:
    """The coefficient of the highest power of L."""
    degree = _degree(polynomial)
    terms = RING.terms(polynomial).items()
    return RING.from_terms({(0, *e[1:]): c for e, c in terms if e[0] == degree})


def _lead_of_largest(level: FamilyLevel) -> Any:
    """The leading coefficient of the largest root, where one root alone grows like that."""
    *rest, before, _ = level.polynomial
    degree = len(level.polynomial) - 1
    others = [Rational(_degree(c), degree - k) for k, c in enumerate(rest) if c != 0]
    if before == 0 or any(growth >= _degree(before) for growth in others):
        return None
    return -_lead(before)
