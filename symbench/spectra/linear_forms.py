"""Closed forms of one layer of linear attention on independent tokens, for every length.

The kernel is a quadratic polynomial in how many pairs of positions meet and how many positions
agree, so the operator is a block of bounded size for each of (L), (L - 1, 1), (L - 2, 2) and
(L - 2, 1, 1), with entries polynomial in L, alpha and beta (`linear_blocks`). With a length it has
its exact eigenvalues at no cost: `spectrum(..., algorithm="closed-form")`. Without one an
eigenvalue is a polynomial in L, alpha and beta, or a root of an irreducible one in x with such
coefficients; how it compares with the bound trace / dimension as L grows is read off degrees.

>>> family = closed_forms(linear_attention(readout="flatten"), vocabulary=2)
>>> family[2][0].eigenvalue, family.at(length=60, alpha=1, beta=1)["58+2"].eigenvalues[0]
(alpha^2*beta, 1)
>>> for row in family.tightness()[2:]:
...     print(row)
(L - 1, 1): L^0, limit 1/2*alpha/(alpha + beta)
(L - 1, 1): L^-1, limit 1/2*alpha/(alpha + beta)
(L - 2, 2): L^-1, limit beta/(alpha + beta)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import flint

from symbench import spectra
from symbench._arguments import integer, shown
from symbench.draw.views import Shown, View, as_html, card, columns_text, facts, sheet
from symbench.errors import BadType, BadValue, NotSupported, TooLarge, UnknownName
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.rational import exact_number, fmpq, number_text, rational
from symbench.exact.roots import Eigenvalue, eigenvalues
from symbench.laws.base import Law, read_law
from symbench.laws.iid import Iid
from symbench.spectra._spectrum import Listed, Piece, Spectrum
from symbench.spectra.linear_blocks import (
    BELOW,
    Below,
    Blocks,
    Quadratic,
    block_sizes,
    iid_blocks,
    mean_diagonal,
    uniform_blocks,
)
from symbench.young import Partition
from symbench.young.position_groups import YoungSubgroup

RING = QQ["L", "alpha", "beta"]
_WITH_X = QQ["x", "L", "alpha", "beta"]
# The shortest words that the blocks are right for.
SHORTEST = 4
# Rows of the largest block for a law that is not uniform: with numbers, and with variables.
_ROWS = 132
_SYMBOLIC_ROWS = 12


# --- with a length --------------------------------------------------------------------------------
def has_closed_form(kernel: Any, length: int, vocabulary: int, law: Law) -> bool:
    """Whether the spectrum has a closed form.

    >>> has_closed_form(linear_attention(1, 1), 10**6, 3, Iid("1/2", "1/3", "1/6"))
    True
    """
    if length < SHORTEST or not isinstance(law, Iid) or not callable(_in_counts(kernel)):
        return False
    rows = 0 if _is_uniform(law) else max(block_sizes(vocabulary))
    return rows <= _ROWS and _quadratic(kernel, length) is not None


def check(kernel: Any, length: int, vocabulary: int, law: Law) -> None:
    """Refuse what has no closed form, with the reason."""
    if not isinstance(_formula(kernel)(0, 0, length), (int, flint.fmpq)):
        raise BadType(
            f"{kernel!r} has variables: give alpha and beta as exact numbers, or ask for "
            "closed_forms(kernel, vocabulary=...) in L, alpha and beta"
        )
    if length < SHORTEST:
        raise BadValue(
            f"the length is {length}: closed forms are for at least {SHORTEST}; leave the "
            "algorithm out"
        )
    _iid(law, vocabulary, _ROWS)
    if _quadratic(kernel, length) is None:
        raise _no_form(kernel)


def nonzero_values(
    kernel: Any, length: int, vocabulary: int, law: Law
) -> tuple[dict[Partition, tuple[tuple[Eigenvalue, int], ...]], Rational]:
    """The eigenvalues that are not 0 by partition, largest first, and the trace."""
    q = _quadratic(kernel, length)
    if q is None:
        raise _no_form(kernel)
    chosen = _iid(law, vocabulary, _ROWS)
    numbers = q.map(lambda c: fmpq(Rational(c)))
    blocks, trace = _blocks(numbers, fmpq(length), vocabulary, chosen, lambda x: fmpq(Rational(x)))
    return values_of(blocks, length), rational(trace)


def values_of(blocks: Blocks, length: int) -> dict[Partition, tuple[tuple[Eigenvalue, int], ...]]:
    """The nonzero eigenvalues of blocks of rational numbers, by partition.

    >>> values_of([((), [[3]], 1), ((1,), [[2]], 4)], 5)
    {Partition(5): ((3, 1),), Partition(4, 1): ((2, 4),)}
    """
    found: dict[Partition, dict[Eigenvalue, int]] = {}
    for below, rows, copies in blocks:
        values = found.setdefault(Partition(length - sum(below), *below), {})
        for value, times in eigenvalues(Matrix(rows)) if copies else ():
            if value != 0:
                values[value] = values.get(value, 0) + times * copies
    return {
        shape: tuple((value, values[value]) for value in sorted(values, reverse=True))
        for shape, values in found.items()
        if values
    }


def _in_counts(kernel: Any) -> Any:
    return None if isinstance(kernel, type) else getattr(kernel, "in_counts", None)


def _formula(kernel: Any) -> Callable[..., Any]:
    """The kernel by how many pairs of positions meet, how many agree, and the length."""
    found = _in_counts(kernel)
    if not callable(found):
        raise BadType(f"{shown(kernel)} is not a kernel of linear attention")
    if found(0, 0, SHORTEST) is None:
        raise _no_form(kernel)
    formula: Callable[..., Any] = found
    return formula


def _no_form(kernel: Any) -> NotSupported:
    return NotSupported(
        f"{kernel!r}: closed forms are for one layer without a mask, and sum or flatten; "
        "spectrum(...) takes other kernels"
    )


def _quadratic(kernel: Any, length: int) -> Quadratic | None:
    value = _in_counts(kernel)
    if value(0, 0, length) is None:
        return None
    return Quadratic.through(lambda m, h: Rational(exact_number(value(m, h, length))))


def _is_uniform(law: Iid) -> bool:
    return len(set(law.probabilities)) == 1


def _iid(law: Any, V: int, most: int) -> Iid | None:
    """The law, None if it is uniform; one that makes no blocks of bounded size is refused."""
    if not isinstance(law, Iid):
        raise NotSupported(
            f"{shown(law)}: closed forms are for independent tokens; spectrum(...) takes other laws"
        )
    if _is_uniform(law):
        return None
    rows = max(block_sizes(V))
    if rows > most:
        raise TooLarge(
            f"the largest block has {rows} rows for {V} tokens of different probabilities, more "
            f"than {most}: take fewer tokens or the uniform law"
        )
    return law


def _blocks(
    q: Quadratic, L: Any, V: int, law: Iid | None, number: Callable[[Any], Any]
) -> tuple[Blocks, Any]:
    """The blocks and the trace, in the arithmetic of L and the coefficients."""
    share = Rational(1, V)
    if law is None:
        trace = mean_diagonal(q, L, number(share), number(share**2))
        return uniform_blocks(q.for_uniform_words(L, number(share)), L, V), trace
    p = [number(x) for x in law.probabilities]
    second, third = (number(sum(x**k for x in law.probabilities)) for k in (2, 3))
    return iid_blocks(q, L, p, number(0)), mean_diagonal(q, L, second, third)


# --- without a length -----------------------------------------------------------------------------
def closed_forms(kernel: Any, *, vocabulary: int, law: Law | None = None) -> ClosedForms:
    """The eigenvalues of one layer of linear attention as polynomials in L, alpha and beta.

    The kernel is linear attention or its tangent kernel, alpha and beta numbers or variables. The
    tokens are independent; law None is the uniform one, for which any vocabulary is free.

    >>> family = closed_forms(linear_attention(), vocabulary=2)
    >>> [level.eigenvalue for level in family[1]]
    [1/2*L^2*alpha^2*beta + L*alpha*beta^2, 1/2*L*alpha^2*beta - alpha^2*beta]
    """
    V = integer(vocabulary, "the vocabulary", at_least=1)
    chosen = _iid(read_law(law, SHORTEST, V), V, _SYMBOLIC_ROWS)
    formula, (L, alpha, beta) = _formula(kernel), RING.gens
    q = Quadratic.through(lambda m, h: RING.coerce(formula(m, h, L, alpha=alpha, beta=beta)))
    if q is None:
        raise _no_form(kernel)
    blocks, trace = _blocks(q, L, V, chosen, RING.coerce)
    kept = tuple(
        FamilyBlock(below, Matrix(rows, RING), copies) for below, rows, copies in blocks if copies
    )
    return ClosedForms(kernel, V, chosen or Iid.uniform(V), kept, trace)


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
class Quotient(Shown):
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

    def _view(self) -> View:
        return as_html(repr(self))


@attrs.frozen(eq=False)
class FamilyBlock(Shown):
    """A block of polynomials, for the partition with these rows below the first.

    >>> FamilyBlock((1,), Matrix([[RING.gens[0]]]), 2).copies
    2
    """

    below: Below
    matrix: Matrix
    copies: int


@attrs.frozen(repr=False)
class FamilyLevel(Shown):
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

    def _view(self) -> View:
        said = [("eigenvalue", as_html(self.text())), ("copies", self.copies)]
        return card(
            f"irrep {partition_text(self.below)}", facts([*said, ("growth", f"L^{self.growth}")])
        )

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
            return RING.latex(self.eigenvalue)
        return _WITH_X.latex(self._in_x()) + " = 0"

    @property
    def growth(self) -> Rational:
        """The power of L by which the largest of the roots grows, for general alpha and beta."""
        degree = len(self.polynomial) - 1
        return max(
            Rational(_degree(c), degree - k) for k, c in enumerate(self.polynomial[:-1]) if c != 0
        )


@attrs.frozen(repr=False)
class Tightness(Shown):
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

    def _view(self) -> View:
        said: list[tuple[str, Any]] = [("eigenvalue", as_html(self.level.text()))]
        said.append(("times dimension / trace, grows like", as_html(f"L^{self.exponent}")))
        for name, value in (("that is", self.ratio), ("limit", self.limit)):
            said += [(name, as_html(repr(value)))] * (value is not None)
        mark = "tight" if self.tight else "not tight"
        return card(f"irrep {partition_text(self.level.below)}", facts(said), mark=mark)

    @property
    def tight(self) -> bool:
        """Whether the eigenvalue stays a fixed part of its bound."""
        return self.exponent == 0


@attrs.frozen(repr=False, eq=False)
class ClosedForms(Shown):
    """Closed forms in L, alpha and beta; `closed_forms(kernel, vocabulary=V)` makes one.

    `blocks` are over QQ['L', 'alpha', 'beta'], `trace` is E k(x, x) there; they are right for
    every L of at least 4. A level of `levels` is an eigenvalue for general numbers, at special
    ones two of them may meet.

    >>> family = closed_forms(linear_attention(), vocabulary=2)
    >>> family
    <ClosedForms of linear_attention(None, None, readout='sum'), vocabulary 2: 4 levels>
    >>> family.trace
    1/4*L^4*alpha^3 + 1/2*L^3*alpha^3 + 3/2*L^3*alpha^2*beta + 1/2*L^3*alpha*beta^2 + ...
    """

    kernel: Any
    vocabulary: int
    law: Iid
    blocks: tuple[FamilyBlock, ...]
    trace: Any
    exactness = "exact"

    def __repr__(self) -> str:
        size = number_text(self.vocabulary)
        return f"<ClosedForms of {self.kernel!r}, vocabulary {size}: {len(self.levels)} levels>"

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

    def at(self, *, length: int, alpha: Any = None, beta: Any = None) -> spectra.Spectrum:
        """The spectrum at numbers, put into the blocks; only variables need a value.

        >>> family = closed_forms(linear_attention(1), vocabulary=3)
        >>> [str(value) for value, _ in family.at(length=4, beta=2)["3+1"].values]
        ['18.24498435..', '16/9', '8/9', '0.8661267573..']
        """
        size = integer(length, "the length", at_least=SHORTEST)
        kernel = self.kernel.with_variances(alpha, beta)
        point = {"L": size, "alpha": kernel.plain.alpha, "beta": kernel.plain.beta}
        blocks: Blocks = [
            (block.below, [list(row) for row in block.matrix.evaluate(point).rows], block.copies)
            for block in self.blocks
        ]
        group = YoungSubgroup(size)
        return Spectrum(
            kernel=kernel,
            length=size,
            vocabulary=self.vocabulary,
            law=self.law,
            group=group,
            pieces=tuple(
                Piece(shape, shape.dim, Listed(values))
                for shape, values in values_of(blocks, size).items()
            ),
            centre=Rational(Matrix([[self.trace]], RING).evaluate(point)[0, 0]),
            numbers="exact",
            invariance="by construction",
            algorithm="closed-form",
        )

    def tightness(self) -> tuple[Tightness, ...]:
        """Each eigenvalue beside its bound trace / dimension, as L goes to infinity: exact.

        >>> family = closed_forms(linear_attention(1, 1), vocabulary=2)
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

    def _view(self) -> View:
        rows = [["irrep", "eigenvalue", "copies"]]
        for level in self.levels:
            rows.append([partition_text(level.below), as_html(level.text()), str(level.copies)])
        size = number_text(self.vocabulary)
        title = f"{self.kernel!r}, vocabulary {size}: eigenvalues for every length L of at least 4"
        return sheet(title, columns_text(rows, right=(2,)))


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
