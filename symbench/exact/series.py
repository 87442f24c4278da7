"""Power series in one variable, known modulo variable^precision.

The coefficients are rationals, residues or polynomials. Sums and products of series that are
known modulo x^n are known modulo x^n, so the precision belongs to the ring. A coefficient
beyond it is unknown, which is not zero: full rank can be certified, a deficiency never.

>>> ring = PowerSeries(QQ, "b", 3)
>>> one_plus = ring.series([1, 1])
>>> one_plus * one_plus
1 + 2*b + b^2 + O(b^3)
>>> Matrix([[1, one_plus], [1, 1]], ring).rank()
2
>>> Matrix([[1, 1], [1, 1]], ring).rank()
Traceback (most recent call last):
...
symbench.errors.Undecided: rank at least 1: more cannot be seen modulo b^3: try precision 6
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import attrs

from symbench._arguments import integer, sequence, shown
from symbench.errors import BadType, BadValue, NotInRing, Undecided
from symbench.exact.arrays import np
from symbench.exact.dense import QQ, DenseRing, PrimeField
from symbench.exact.latex import dollars, in_latex
from symbench.exact.polynomials import POLYNOMIALS, Polynomials, variable_names, witness_points
from symbench.exact.ring import Rep, Ring, Shape, is_matrix
from symbench.exact.saturation import saturate


@attrs.frozen(repr=False, eq=False)
class Series:
    """A power series: its ring and the known coefficients, lowest first.

    >>> Series(PowerSeries(QQ, "b", 3), (1, 0, -2))
    1 - 2*b^2 + O(b^3)
    """

    ring: PowerSeries
    coefficients: tuple[Any, ...]

    def _repr_latex_(self) -> str:
        return dollars(self)

    def __repr__(self) -> str:
        name, text = self.ring.variable, ""
        for n, c in enumerate(self.coefficients):
            if c == 0:
                continue
            power = {0: "", 1: name}.get(n, f"{name}^{n}")
            body = self.ring.base.text(c)
            body = f"({body})" if " " in body else body
            if power:
                body = {"1": power, "-1": f"-{power}"}.get(body, f"{body}*{power}")
            text += f"{body} + "
        return f"{text}O({name}^{self.ring.precision})".replace("+ -", "- ")

    def __eq__(self, other: object) -> bool:
        """Equal as far as known; series of different precision, and numbers, are different."""
        if not isinstance(other, Series):
            return NotImplemented
        return self.ring == other.ring and all(
            a == b for a, b in zip(self.coefficients, other.coefficients, strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.ring, *map(self.ring.base.text, self.coefficients)))

    def __add__(self, other: Any) -> Series:
        pairs = zip(self.coefficients, self.ring.coerce(other).coefficients, strict=True)
        return self.ring.series([a + b for a, b in pairs])

    def __neg__(self) -> Series:
        return self.ring.series([-a for a in self.coefficients])

    def __sub__(self, other: Any) -> Series:
        return self + -self.ring.coerce(other)

    def __rsub__(self, other: Any) -> Series:
        return self.ring.coerce(other) - self

    def __mul__(self, other: Any) -> Series:
        if is_matrix(other):
            return NotImplemented
        factor = self.ring.coerce(other).coefficients
        product = [self.ring.base.coerce(0)] * self.ring.precision
        for i, a in enumerate(self.coefficients):
            if a != 0:
                for j in range(self.ring.precision - i):
                    product[i + j] = product[i + j] + a * factor[j]
        return self.ring.series(product)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: int) -> Series:
        result = self.ring.coerce(1)
        for _ in range(integer(exponent, "the exponent", at_least=0)):
            result = result * self
        return result


# A product of two series takes time like the square of it: some minutes at the most.
_MOST_PRECISION = 10**4


def _precision(value: Any) -> int:
    return integer(value, "the precision", at_least=1, limit=_MOST_PRECISION)


@attrs.frozen(repr=False)
class PowerSeries(Ring):
    """Series over a base ring (ZZ, QQ, GF(p) or polynomials) modulo variable^precision.

    The precision is at most 10,000: a product of two series takes time like the square of it.

    >>> PowerSeries(QQ, "b", 200_000)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: the precision is 200000: ask for at most 10,000
    >>> PowerSeries("QQ", "b", 3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the base is 'QQ': give ZZ, QQ, GF(p) or a ring of polynomials
    """

    base: DenseRing | Polynomials = attrs.field()
    variable: str = attrs.field()
    precision: int = attrs.field(converter=_precision)
    advice = "series have rank, with tracked precision; evaluate their coefficients for the rest"

    @base.validator
    def _check_base(self, attribute: Any, value: Any) -> None:
        if not isinstance(value, (DenseRing, Polynomials)):
            raise BadType(
                f"the base is {shown(value)}: give ZZ, QQ, GF(p) or a ring of polynomials"
            )

    @variable.validator
    def _check_variable(self, attribute: Any, value: Any) -> None:
        variable_names((value, *self.base.variables))

    @property
    def variables(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parameters in the coefficients; the series variable is none of them."""
        return self.base.variables

    @property
    def scalars(self) -> DenseRing:
        return self.base.scalars

    def __repr__(self) -> str:
        return f"PowerSeries({self.base!r}, {self.variable!r}, {self.precision})"

    def _symbol(self) -> str:
        x = in_latex(self.variable)
        return rf"{self.base._symbol()}[[{x}]] / ({x}^{{{self.precision}}})"

    def to_json(self) -> Any:
        return {
            "series": self.base.to_json(),
            "variable": self.variable,
            "precision": str(self.precision),
        }

    def series(self, coefficients: Sequence[Any]) -> Series:
        """The series with these lowest coefficients, further ones zero up to the precision."""
        given = sequence(coefficients, "the list of coefficients", "a list, the lowest first")
        known = [self.base.coerce(c) for c in given[: self.precision]]
        known += [self.base.coerce(0)] * (self.precision - len(known))
        return Series(self, tuple(known))

    def coerce(self, value: Any) -> Series:
        """A series known to at least this precision, a coefficient, or a polynomial."""
        if isinstance(value, Series):
            if value.ring == self:
                return value
            if value.ring.variable != self.variable or value.ring.precision < self.precision:
                raise NotInRing(f"{shown(value)} is not known in {self!r}")
            return self.series(value.coefficients)
        if isinstance(value, POLYNOMIALS) and self.variable in value.context().names():
            return self._from_polynomial(value)
        return self.series([value])

    def _from_polynomial(self, value: Any) -> Series:
        names = value.context().names()
        place = names.index(self.variable)
        others = names[:place] + names[place + 1 :]
        parts: list[dict[tuple[int, ...], Any]] = [{} for _ in range(self.precision)]
        for exponents, coefficient in value.to_dict().items():
            if exponents[place] < self.precision:
                rest = (*exponents[:place], *exponents[place + 1 :])
                parts[int(exponents[place])][tuple(map(int, rest))] = coefficient
        if not others:
            return self.series([part.get((), 0) for part in parts])
        ring = Polynomials(self.scalars, others)
        return self.series([ring.from_terms(part) for part in parts])

    def encode(self, element: Series) -> Any:
        return [self.base.encode(c) for c in element.coefficients]

    def decode(self, data: Any) -> Series:
        if not isinstance(data, list) or len(data) != self.precision:
            raise NotInRing(f"{shown(data)} is not a list of {self.precision} coefficients")
        return Series(self, tuple(self.base.decode(c) for c in data))

    def is_zero(self, element: Series) -> bool:
        """False: what lies beyond the precision is unknown, so no series is known to be zero."""
        return False

    def rank(self, a: Rep, shape: Shape) -> int:
        """The rank, if it is full; otherwise Undecided with what is known."""
        best = 0
        for prime, point in witness_points(self):
            try:
                _, image = self.reduce(a, shape, prime, point)
            except NotInRing:  # the prime divides a denominator
                continue
            pivots = series_pivots(image, prime)
            best = max(best, len(pivots) if self._proves(pivots) else 0)
            if best < min(shape) <= len(pivots):
                _, _, constant = saturate(self.rationals(a, shape, point, wide=True))
                best = max(best, int(constant.rank()))
            if best == min(shape):
                return best
        raise Undecided(
            f"rank at least {best}: more cannot be seen modulo "
            f"{self.variable}^{self.precision}: try precision {2 * self.precision}"
        )

    def leading_residue(
        self, a: Rep, size: int, prime: int, point: Mapping[str, int]
    ) -> tuple[int, int]:
        """(order, first coefficient) of the determinant modulo the prime, at the point.

        Modulo the prime only: a coefficient before it may be divisible by the prime.
        """
        _, image = self.reduce(a, (size, size), prime, point)
        pivots = series_pivots(image, prime)
        if len(pivots) < size:
            raise Undecided(f"the determinant vanishes modulo {self.variable}^{self.precision}")
        if not self._proves(pivots):
            raise Undecided(
                f"the determinant begins beyond {self.variable}^{self.precision}, where rational "
                "coefficients are unknown: a frame is needed"
            )
        leading = prod(coefficient * sign for _, coefficient, sign in pivots) % prime
        return sum(order for order, _, _ in pivots), leading

    def _proves(self, pivots: list[tuple[int, int, int]]) -> bool:
        """Whether pivots modulo a prime prove a minor of that size nonzero.

        Over the integers and prime fields always: reduction maps the unknown coefficients too.
        Unknown rationals may have denominators that the prime divides and then have no image;
        only orders below the precision, where every coefficient is known, are proved.
        """
        return self.scalars != QQ or sum(order for order, _, _ in pivots) < self.precision

    def rationals(
        self, a: Rep, shape: Shape, point: Mapping[str, int], *, wide: bool = False
    ) -> list[Any]:
        """The rational coefficient matrices at the point; with wide no more rows than columns."""
        _, values = self.evaluate(a, shape, point)
        matrices = [
            QQ.rep([[x.coefficients[n] for x in row] for row in values], shape)
            for n in range(self.precision)
        ]
        return [m.transpose() for m in matrices] if wide and shape[0] > shape[1] else matrices

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        """Coefficients modulo the prime, at the point: a series over GF(p).

        Only the known ones: see leading_residue for what the image of a determinant proves.
        """
        field = PrimeField(prime)
        target = PowerSeries(field, self.variable, self.precision)
        if not shape[0] or not shape[1]:
            return target, a
        flat = [x.coefficients for row in a for x in row]
        wide = (len(flat), self.precision)
        _, image = self.base.reduce(self.base.rep(flat, wide), wide, prime, point)
        series = [Series(target, tuple(row)) for row in field.table(image)]
        rows = [series[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])]
        return target, target.rep(rows, shape)

    def evaluate(self, a: Rep, shape: Shape, point: Mapping[str, Any]) -> tuple[Ring, Rep]:
        """Values of the parameters in the coefficients; the series variable has none."""
        if isinstance(point, Mapping) and self.variable in point:
            raise BadValue(
                f"{self.variable} is the variable of truncated series, which have no values; "
                f"give values to {list(self.variables)}"
            )
        flat = [x.coefficients for row in a for x in row]
        wide = (len(flat), self.precision)
        base, image = self.base.evaluate(self.base.rep(flat, wide), wide, point)
        assert isinstance(base, DenseRing)
        target = PowerSeries(base, self.variable, self.precision)
        series = [target.series(tuple(row)) for row in base.table(image)]
        return target, tuple(
            tuple(series[i * shape[1] : (i + 1) * shape[1]]) for i in range(shape[0])
        )


def series_pivots(a: Rep, prime: int) -> list[tuple[int, int, int]]:
    """(valuation, leading coefficient, sign) of each pivot of a matrix over GF(p)[[x]].

    Full pivoting: an entry of least valuation in the whole remaining block. Then the
    quotients are series, and every entry stays known modulo x^n: no precision is lost, and
    a pivot that is seen to be nonzero is nonzero.
    """
    rows = len(a)
    columns = len(a[0]) if rows else 0
    if not columns:
        return []
    # Python integers: a certificate may name any word-size prime, and products must not wrap.
    kind = np.int64 if prime < 1 << 31 else object
    block = np.array([[x.coefficients for x in row] for row in a], dtype=kind)
    order = block.shape[2]
    pivots = []
    while block.size:
        nonzero = block != 0
        valuations = np.where(nonzero.any(axis=2), nonzero.argmax(axis=2), order)
        i, j = np.unravel_index(int(valuations.argmin()), valuations.shape)
        v = int(valuations[i, j])
        if v == order:
            break
        sign = -1 if (i + j) % 2 else 1
        pivots.append((v, int(block[i, j, v]), sign))
        if min(block.shape[:2]) == 1:  # nothing is left to eliminate
            break
        # Everything in the block is divisible by x^v; work with the quotients there.
        inverse = _inverse([int(c) for c in block[i, j, v:]], prime)
        row = block[i]
        column = np.zeros((block.shape[0], order), dtype=kind)
        for s, c in enumerate(inverse):
            width = order - v - s
            column[:, s : s + width] = (
                column[:, s : s + width] + block[:, j, v : v + width] * c
            ) % prime
        updated = block.copy()
        for s in range(order - v):
            part = column[:, s, None, None] * row[None, :, : order - s] % prime
            updated[:, :, s:] = (updated[:, :, s:] - part) % prime
        block = np.delete(np.delete(updated, i, axis=0), j, axis=1)
    return pivots


def _inverse(unit: list[int], prime: int) -> list[int]:
    """The coefficients of 1/unit, as many as unit has."""
    first = pow(unit[0], -1, prime)
    result = [first]
    for n in range(1, len(unit)):
        total = sum(unit[k] * result[n - k] for k in range(1, n + 1))
        result.append(-first * total % prime)
    return result
