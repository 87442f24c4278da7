"""Slow arithmetic straight from the definitions: every ring as dictionaries of terms.

A value is {exponents: coefficient}: numbers have the one exponent (), polynomials a tuple of
naturals, exponentials a tuple with one rational, series their order in front. Nothing here
calls an operation of symbench; only elements are taken apart and put together.
"""

from fractions import Fraction
from itertools import combinations, permutations

import attrs
from hypothesis import strategies as st

from symbench.exact import GF, QQ, ZZ, Exponential, Exponentials, Matrix, PowerSeries, Rational
from symbench.exact.dense import PrimeField
from symbench.exact.polynomials import Polynomials


@attrs.frozen
class Formal:
    """The arithmetic of one ring on dictionaries."""

    ring: object

    @property
    def modulus(self):
        base = self.ring
        while not isinstance(base, PrimeField):
            base = getattr(base, "base", None)
            if base is None:
                return None
        return base.modulus

    @property
    def order(self):
        return self.ring.precision if isinstance(self.ring, PowerSeries) else None

    def clean(self, terms):
        modulus = self.modulus
        result = {}
        for e, c in terms.items():
            c = Fraction(c)
            if modulus:
                c = c.numerator * pow(c.denominator, -1, modulus) % modulus
            if c and (self.order is None or e[0] < self.order):
                result[e] = c
        return result

    def add(self, a, b, sign=1):
        total = dict(a)
        for e, c in b.items():
            total[e] = total.get(e, 0) + sign * c
        return self.clean(total)

    def mul(self, a, b):
        total = {}
        for e, c in a.items():
            for f, d in b.items():
                key = tuple(x + y for x, y in zip(e, f, strict=True))
                total[key] = total.get(key, 0) + c * d
        return self.clean(total)

    def number(self, value):
        return self.clean({(0,) * self.arity: value})

    @property
    def arity(self):
        if isinstance(self.ring, PowerSeries):
            return 1 + len(self.ring.variables)
        return len(self.ring.variables)

    def product(self, a, b, width):
        return [
            [self.total(self.mul(x, b[k][j]) for k, x in enumerate(row)) for j in range(width)]
            for row in a
        ]

    def total(self, values):
        result = {}
        for value in values:
            result = self.add(result, value)
        return result

    def det(self, table):
        """Leibniz: the sum over permutations."""
        result = {}
        for s in permutations(range(len(table))):
            inversions = sum(s[i] > s[j] for i, j in combinations(range(len(s)), 2))
            term = self.number(-1 if inversions % 2 else 1)
            for i, j in enumerate(s):
                term = self.mul(term, table[i][j])
            result = self.add(result, term)
        return result

    def minors(self, table, shape, size):
        for rows in combinations(range(shape[0]), size):
            for columns in combinations(range(shape[1]), size):
                yield self.det([[table[i][j] for j in columns] for i in rows])

    def rank(self, table, shape):
        """The size of the largest minor that is not zero."""
        return max(k for k in range(min(shape) + 1) if k == 0 or any(self.minors(table, shape, k)))

    # --- to and from symbench -------------------------------------------------------------
    def element(self, terms, ring=None):
        ring = self.ring if ring is None else ring
        if isinstance(ring, Polynomials):
            return ring.from_terms(terms)
        if isinstance(ring, Exponentials):
            pairs = sorted((Rational(e), Rational(c)) for (e,), c in terms.items())
            return Exponential(ring.variable, tuple(pairs))
        if isinstance(ring, PowerSeries):
            return ring.series(
                [
                    self.element({e[1:]: c for e, c in terms.items() if e[0] == n}, ring.base)
                    for n in range(ring.precision)
                ]
            )
        value = terms.get((), 0)
        return value if ring == QQ else int(value)

    def terms(self, element, ring=None):
        ring = self.ring if ring is None else ring
        if isinstance(ring, Polynomials):
            read = {tuple(map(int, e)): c for e, c in element.to_dict().items()}
            return self.clean({e: _fraction(c) for e, c in read.items()})
        if isinstance(ring, Exponentials):
            return self.clean({(e,): c for e, c in element.terms})
        if isinstance(ring, PowerSeries):
            return self.clean(
                {
                    (n, *e): d
                    for n, c in enumerate(element.coefficients)
                    for e, d in Formal(ring.base).terms(c).items()
                }
            )
        return self.clean({(): element})

    def matrix(self, table, shape):
        rows = [[self.element(x) for x in row] for row in table]
        if 0 in shape:
            return Matrix.from_json(
                {
                    "ring": self.ring.to_json(),
                    "shape": [str(n) for n in shape],
                    "rows": [[] for _ in range(shape[0])],
                }
            )
        return Matrix(rows, self.ring)

    def table(self, matrix):
        assert matrix.ring == self.ring
        return [[self.terms(x) for x in row] for row in matrix.rows]


def _fraction(value):
    """A FLINT or Python number as a Fraction."""
    return Fraction(str(value))


NUMBERS = [ZZ, QQ, GF(2), GF(7), GF(2**61 - 1)]
POLYNOMIALS = [ZZ["x"], QQ["x"], QQ["x", "y"], GF(3)["x"], GF(101)["x", "y"]]
EXPONENTIALS = [Exponentials("q")]
SERIES = [
    PowerSeries(ZZ, "b", 3),
    PowerSeries(QQ, "b", 4),
    PowerSeries(GF(5), "b", 3),
    PowerSeries(QQ["y"], "b", 2),
]
EXACT = NUMBERS + POLYNOMIALS + EXPONENTIALS + SERIES


def coefficients(ring):
    small = st.integers(-3, 3)
    integral = ring is ZZ or getattr(ring, "base", None) in (ZZ, ZZ["x"])
    if integral:
        return small
    modulus = Formal(ring).modulus
    if modulus is not None and modulus < 7:
        return small
    return st.builds(Fraction, small, st.sampled_from([1, 1, 2, 3]))


def elements(ring):
    """Terms of elements, zero more often than not too rarely."""
    formal = Formal(ring)
    if formal.arity == 0:
        exponents = st.just(())
    elif isinstance(ring, Exponentials):
        exponents = st.tuples(st.builds(Fraction, st.integers(-2, 3), st.sampled_from([1, 2])))
    else:
        exponents = st.tuples(*[st.integers(0, 2)] * formal.arity)
    return st.dictionaries(exponents, coefficients(ring), max_size=2).map(formal.clean)


SIZES = st.integers(0, 3)


@st.composite
def tables(draw, ring, *, rows=SIZES, columns=None, square=False):
    """(table of terms, shape); rows repeat now and then, so that some matrices are singular."""
    height = draw(rows)
    width = height if square else draw(columns if columns is not None else rows)
    line = st.lists(elements(ring), min_size=width, max_size=width)
    table = draw(st.lists(line, min_size=height, max_size=height))
    if height > 1 and draw(st.integers(0, 3)) == 0:
        table[-1] = [dict(x) for x in table[0]]
    return table, (height, width)
