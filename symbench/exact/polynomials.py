"""Polynomials over ZZ, QQ or GF(p) in named variables; elements are FLINT polynomials.

>>> x, y = QQ["x", "y"].gens
>>> M = Matrix([[x, y], [y, x]])
>>> M.det()
x^2 - y^2
>>> M.rank()
2

The rank is that at generic parameters, over the field of rational functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import lcm
from random import Random
from typing import Any

import attrs
import flint

from symbench._arguments import instance, shown
from symbench.errors import BadType, BadValue, NotInRing, TooLarge, Undecided
from symbench.exact.dense import QQ, ZZ, DenseRing, PrimeField, pivot_columns, primitive
from symbench.exact.interpolation import determinant
from symbench.exact.latex import in_latex
from symbench.exact.primes import residue, witness_primes
from symbench.exact.rational import Rational, exact_number, fmpq, is_sympy, number_text, rational
from symbench.exact.ring import Element, Rep, Ring, Shape, Vector

POLYNOMIALS = (flint.fmpz_mpoly, flint.fmpq_mpoly, flint.nmod_mpoly)
# FLINT writes names in ASCII only.
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
# An elimination at a few random points settles the generic rank with overwhelming odds.
_TRIES = 4
# A small field has so few points that all of them are tried.
_FEW = 64

Terms = dict[tuple[int, ...], Any]


def variable_names(names: Any) -> tuple[str, ...]:
    """The names, if they are distinct identifiers and at least one."""
    if not isinstance(names, tuple) or not all(isinstance(n, str) for n in names):
        raise BadType(f"the variables are {shown(names)}: give strings such as 'x', 'y'")
    if not names or len(set(names)) < len(names) or not all(map(_NAME.match, names)):
        raise BadValue(f"the variables are {shown(names)}: give distinct names such as 'x', 'y'")
    return names


@attrs.frozen(repr=False)
class Polynomials(Ring):
    """The polynomials over a base ring; `QQ["x", "y"]` is the short way to write it.

    >>> QQ["x"].coerce("1/2") + QQ["x"].gens[0]
    x + 1/2
    >>> QQ["x", "x"]
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the variables are ('x', 'x'): give distinct names such as 'x', 'y'
    """

    base: DenseRing = attrs.field()
    variables: tuple[str, ...] = attrs.field(converter=variable_names)
    advice = "polynomials have det, rank and nullspace; evaluate or reduce for the rest"

    @base.validator
    def _check_base(self, attribute: Any, value: Any) -> None:
        instance(value, DenseRing, "the base", "ZZ, QQ or GF(p)")  # type: ignore[type-abstract]

    def __repr__(self) -> str:
        return f"{self.base!r}[{', '.join(map(repr, self.variables))}]"

    def _symbol(self) -> str:
        return f"{self.base._symbol()}[{', '.join(map(in_latex, self.variables))}]"

    def to_json(self) -> Any:
        return {"polynomials": self.base.to_json(), "variables": list(self.variables)}

    @property
    def scalars(self) -> DenseRing:
        return self.base

    @property
    def context(self) -> Any:
        """FLINT's context for these polynomials."""
        if isinstance(self.base, PrimeField):
            return flint.nmod_mpoly_ctx.get(self.variables, modulus=self.base.modulus)
        kind = flint.fmpz_mpoly_ctx if self.base == ZZ else flint.fmpq_mpoly_ctx
        return kind.get(self.variables)

    @property
    def gens(self) -> tuple[Any, ...]:
        """The variables as elements."""
        return tuple(self.context.gens())

    # --- elements ---------------------------------------------------------------------------
    def coerce(self, value: Any) -> Any:
        """A number, a FLINT or sympy polynomial in these variables, as an element."""
        if isinstance(value, POLYNOMIALS):
            if value.context() == self.context:
                return value
            return self._from_terms(value.context().names(), value.to_dict())
        if is_sympy(value) and not value.is_number:
            from symbench.exact.conversions import polynomial_terms

            return self._from_terms(*polynomial_terms(value))
        return self.from_terms({(0,) * len(self.variables): value})

    def from_terms(self, terms: Mapping[tuple[int, ...], Any]) -> Any:
        """The polynomial with the given exponents and coefficients."""
        coefficients = {e: self.base.coerce(c) for e, c in terms.items()}
        if self.base == QQ:
            return self.context.from_dict({e: fmpq(c) for e, c in coefficients.items()})
        return self.context.from_dict(coefficients)

    def _from_terms(self, names: Sequence[str], terms: Terms) -> Any:
        """The polynomial with terms in other variables, as far as they occur here too."""
        moved: Terms = {}
        for exponents, coefficient in terms.items():
            here = [0] * len(self.variables)
            for name, exponent in zip(names, exponents, strict=True):
                if exponent and name not in self.variables:
                    raise NotInRing(f"the variable {name} does not occur in {self!r}")
                if exponent:
                    here[self.variables.index(name)] = int(exponent)
            moved[tuple(here)] = coefficient
        return self.from_terms(moved)

    def terms(self, element: Any) -> Terms:
        """Exponents and coefficients (ints or Rationals) of an element."""
        plain = rational if self.base == QQ else int
        return {tuple(map(int, e)): plain(c) for e, c in element.to_dict().items()}

    def encode(self, element: Any) -> Any:
        """A list of [coefficient, exponents]."""
        terms = sorted(self.terms(element).items(), reverse=True)
        return [[number_text(c), [str(i) for i in e]] for e, c in terms]

    def decode(self, data: Any) -> Any:
        terms: Terms = {}
        for coefficient, exponents in pairs(data):
            if not isinstance(exponents, list) or len(exponents) != len(self.variables):
                raise NotInRing(f"a list of exponents is {shown(exponents)}: give one per variable")
            key = tuple(_exponent(e) for e in exponents)
            if key in terms:
                raise NotInRing(f"the exponents {shown(exponents)} come twice")
            terms[key] = self.base.decode(coefficient)
        return self.from_terms(terms)

    # --- maps -------------------------------------------------------------------------------
    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        """Values at the point modulo the prime."""
        field = PrimeField(prime)
        values = [field.coerce(v) for v in self.check_point(point)]
        if isinstance(self.base, PrimeField) and self.base != field:
            raise NotInRing(f"a matrix over {self!r} has no image modulo {prime}")
        powers: dict[tuple[int, int], int] = {}

        def image(element: Any) -> int:
            total = 0
            for exponents, coefficient in element.to_dict().items():
                term = residue(exact_number(coefficient), prime)
                for k, e in enumerate(exponents):
                    if e:
                        if (k, e) not in powers:
                            powers[k, e] = pow(values[k], int(e), prime)
                        term = term * powers[k, e] % prime
                total += term
            return total % prime

        # Matrices of a kernel hold few different elements, each many times.
        images = {key: image(x) for key, x in {id(x): x for row in a for x in row}.items()}
        return field, field.rep([[images[id(x)] for x in row] for row in a], shape)

    def evaluate(self, a: Rep, shape: Shape, point: Mapping[str, Any]) -> tuple[Ring, Rep]:
        """Exact values at the point."""
        numbers = [exact_number(v) for v in self.check_point(point)]
        integral = all(v.denominator == 1 for v in numbers)
        target = QQ if self.base == ZZ and not integral else self.base
        values = [target.coerce(v) for v in numbers]

        def at(element: Any) -> Any:
            total = target.coerce(0)
            for exponents, coefficient in self.terms(element).items():
                term = target.coerce(coefficient)
                for value, e in zip(values, exponents, strict=True):
                    term = term * target.power(value, e)
                total += term
            return target.coerce(total)

        return target, target.rep([[at(x) for x in row] for row in a], shape)

    # --- linear algebra -----------------------------------------------------------------------
    def det(self, a: Rep, size: int) -> Any:
        """The determinant, by integer determinants at well-chosen points."""
        table, denominator = self.integral(a)
        terms = determinant(table, len(self.variables))
        return self.from_terms({e: Rational(c, denominator) for e, c in terms.items()})

    def integral(self, a: Rep) -> tuple[list[list[dict[tuple[int, ...], int]]], int]:
        """(terms of the rows times their denominators, the product of these denominators)."""
        table, scales = [], 1
        for row in a:
            # FLINT's own rationals: thousands of Fractions would take as long as the determinant.
            terms = [x.to_dict() for x in row]
            scale = 1
            if self.base == QQ:
                scale = lcm(*(int(c.q) for t in terms for c in t.values()))
            scales *= scale
            table.append(
                [{tuple(map(int, e)): int(c * scale) for e, c in t.items()} for t in terms]
            )
        return table, scales

    def rank(self, a: Rep, shape: Shape) -> int:
        """The generic rank: a lower bound by a witness, met by null vectors."""
        if shape[0] < shape[1]:  # fewer null vectors to find on that side
            return self.rank(self.transpose(a, shape), shape[::-1])
        return shape[1] - len(self.nullspace(a, shape))

    def multiply(self, a: Rep, b: Rep, shape: Shape) -> Rep:
        # Null vectors are mostly zeros, and each product of polynomials takes a microsecond.
        zero = self.coerce(0)
        columns = [
            [(k, y) for k, y in enumerate(column) if y != 0] for column in zip(*b, strict=True)
        ] or [[]] * shape[1]
        known: dict[tuple[int, ...], Vector] = {}
        for row in a:  # template matrices have many rows of the same elements
            if (name := tuple(map(id, row))) not in known:
                known[name] = tuple(
                    sum((row[k] * y for k, y in column), zero) for column in columns
                )
        return tuple(known[tuple(map(id, row))] for row in a)

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        """A basis, one vector per free column, from one column and one row of those that agree."""
        numbers = self._numbered(a)
        alike = _classes(zip(*numbers, strict=True)) or [[j] for j in range(shape[1])]
        rows = [members[0] for members in _classes(numbers)]
        small = tuple(tuple(a[i][members[0]] for members in alike) for i in rows)
        zero, one = self.coerce(0), self.coerce(1)
        found: dict[int, Vector] = {}
        pivots = dict(enumerate(alike))
        for short in self._distinct_nullspace(small, (len(rows), len(alike))):
            # The free column of a vector is its last that does not vanish.
            last = max(k for k, x in enumerate(short) if x != 0)
            vector = [zero] * shape[1]
            for members, x in zip(alike, short, strict=True):
                vector[members[0]] = x
            vector[alike[last][0]] = zero
            for j in pivots.pop(last):
                found[j] = (*vector[:j], short[last], *vector[j + 1 :])
        for first, *others in pivots.values():
            for j in others:
                vector = [zero] * shape[1]
                vector[first], vector[j] = -one, one
                found[j] = tuple(vector)
        return tuple(found[j] for j in sorted(found))

    def _numbered(self, a: Rep) -> list[tuple[int, ...]]:
        """The matrix with equal elements as equal numbers (FLINT's polynomials do not hash)."""
        by_terms: dict[Any, int] = {}
        by_id: dict[int, int] = {}
        for x in chain.from_iterable(a):
            if id(x) not in by_id:
                terms = frozenset((tuple(map(int, e)), str(c)) for e, c in x.to_dict().items())
                by_id[id(x)] = by_terms.setdefault(terms, len(by_terms))
        return [tuple(by_id[id(x)] for x in row) for row in a]

    def _distinct_nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        """A basis: constant vectors if they suffice, else by Cramer's rule."""
        found = self._pivots(a, shape)
        if isinstance(self.base, PrimeField):  # few points: some of them see too low a rank
            found = iter([max(found, key=lambda pivots: len(pivots[0]))])
        constant, most = None, 0
        for rows, columns in found:
            most = max(most, len(rows))
            missing = shape[1] - len(columns)
            if missing == 0:
                return ()
            if constant is None:
                constant = self._constant_nullspace(a, shape)
            if len(constant) == missing:
                return constant
            try:
                basis = tuple(
                    self._cramer(a, rows, columns, j) for j in range(shape[1]) if j not in columns
                )
            except TooLarge as error:
                raise Undecided(
                    f"the generic rank is at least {len(rows)}; null vectors are out of reach: "
                    f"{error}"
                ) from None
            if all(self._is_null(a, vector) for vector in basis):
                return basis
        raise Undecided(f"the generic rank is more than {most}, seen at no point tried")

    def _is_null(self, a: Rep, vector: Vector) -> bool:
        zero = self.coerce(0)
        products = (sum((x * v for x, v in zip(row, vector, strict=True)), zero) for row in a)
        return all(product == 0 for product in products)

    def _pivots(self, a: Rep, shape: Shape) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """(pivot rows, pivot columns) of the image at a few points, until the rank is full."""
        for prime, point in witness_points(self):
            try:
                _, image = self.reduce(a, shape, prime, point)
            except NotInRing:  # the prime divides a denominator
                continue
            columns = pivot_columns(image)
            yield pivot_columns(image.transpose()), columns
            if len(columns) == min(shape):
                return

    def _constant_nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        """The null vectors without variables: those of all coefficient matrices at once."""
        stacked: dict[tuple[int, tuple[int, ...]], list[Any]] = {}
        for i, row in enumerate(a):
            for j, element in enumerate(row):
                for exponents, coefficient in self.terms(element).items():
                    stacked.setdefault((i, exponents), [0] * shape[1])[j] = coefficient
        tall = (len(stacked), shape[1])
        vectors = self.base.nullspace(self.base.rep(list(stacked.values()), tall), tall)
        if self.base == QQ:
            vectors = tuple(primitive(v) for v in vectors)
        return tuple(tuple(self.coerce(x) for x in v) for v in vectors)

    def _cramer(
        self, a: Rep, rows: Sequence[int], columns: Sequence[int], extra: int
    ) -> tuple[Element, ...]:
        """The null vector on columns + extra whose entries are the signed maximal minors."""
        chosen = [*columns, extra]
        vector = [self.coerce(0)] * len(a[0])
        for k, column in enumerate(chosen):
            others = chosen[:k] + chosen[k + 1 :]
            minor = self.det(tuple(tuple(a[i][j] for j in others) for i in rows), len(rows))
            vector[column] = minor if (len(rows) - k) % 2 == 0 else -minor
        common = self.coerce(0)
        for entry in vector:
            common = common.gcd(entry)
        return tuple(entry / common if entry != 0 else entry for entry in vector)


def _classes(lines: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """The places of equal lines, in order of first appearance."""
    found: dict[tuple[int, ...], list[int]] = {}
    for place, line in enumerate(lines):
        found.setdefault(line, []).append(place)
    return list(found.values())


def witness_points(ring: Ring, *, tries: int = _TRIES) -> Iterator[tuple[int, dict[str, int]]]:
    """A few primes with a pseudo-random point each, the same ones every time.

    Over a small prime field all points, if they are few.
    """
    scalars, names = ring.scalars, ring.variables
    if isinstance(scalars, PrimeField) and scalars.modulus ** len(names) <= _FEW:
        for values in product(range(scalars.modulus), repeat=len(names)):
            yield scalars.modulus, dict(zip(names, values, strict=True))
        return
    stream = Random(0)
    primes = witness_primes()
    for _ in range(tries):
        prime = scalars.modulus if isinstance(scalars, PrimeField) else next(primes)
        yield prime, {name: stream.randrange(1, prime) for name in names}


def pairs(data: Any) -> list[list[Any]]:
    """The data of a file, if it is a list of pairs."""
    if not isinstance(data, list) or not all(isinstance(p, list) and len(p) == 2 for p in data):
        raise NotInRing(f"a polynomial is {shown(data)}: give a list of terms, each a pair")
    return data


def _exponent(data: Any) -> int:
    if not isinstance(data, str) or not data.isascii() or not data.isdigit() or len(data) > 9:
        raise NotInRing(f"an exponent is {shown(data)}: give a string of at most nine digits")
    return int(data)
