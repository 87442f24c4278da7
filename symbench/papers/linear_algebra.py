"""Textbook linear algebra (`algebra.*`): what everything else here stands on.

Determinants, ranks, null spaces, solutions, eigenvalues and the search for certificates, compared
with sums over permutations. The second road is written out below on plain dictionaries from
exponents to fractions: one arithmetic for numbers, residues, polynomials, exponentials and series.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import gcd
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.decide import certify
from symbench.errors import Undecided
from symbench.exact import (
    GF,
    QQ,
    ZZ,
    Balls,
    Exponential,
    Exponentials,
    Matrix,
    PowerSeries,
    Rational,
)
from symbench.exact.balls import interval
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, fmpq
from symbench.exact.roots import RealRoot, eigenvalues
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._symmetric_groups import sign
from symbench.registry import Fails, NearMiss, claim

# An entry: terms (exponents, coefficient), each exponent once. A matrix: the name of its ring and
# its rows. The ring of series is known to order 4 in one variable.
Entry = tuple[tuple[tuple[Any, ...], Any], ...]
Table = tuple[tuple[Entry, ...], ...]
Case = tuple[str, Table]
Sums = dict[tuple[Any, ...], Fraction]
_PRECISION = 4
_VARIABLES = {"ZZ": 0, "QQ": 0, "GF(2)": 0, "GF(7)": 0, "QQ[x]": 1, "QQ[x, y]": 2, "GF(2)[x]": 1,
              "q": 1, "series": 1}  # fmt: skip
_SOURCE = "Any textbook of linear algebra: the sum over permutations"
_MOST = 5  # rows, all of whose permutations are gone through


# --- plain arithmetic -----------------------------------------------------------------------------
def _prime(ring: str) -> int | None:
    return int(ring[3]) if ring.startswith("GF") else None


def _tidy(ring: str, sums: Sums) -> Sums:
    """Coefficients modulo the prime, orders below the precision, and no zeros."""
    prime = _prime(ring)
    if prime is not None:
        sums = {e: Fraction(c.numerator % prime) for e, c in sums.items()}
    if ring == "series":
        sums = {e: c for e, c in sums.items() if e[0] < _PRECISION}
    return {e: c for e, c in sums.items() if c}


def _add(ring: str, a: Sums, b: Sums, sign: int = 1) -> Sums:
    return _tidy(ring, {e: a.get(e, Fraction(0)) + sign * b.get(e, Fraction(0)) for e in {*a, *b}})


def _multiply(ring: str, a: Sums, b: Sums) -> Sums:
    found: Sums = {}
    for (e, c), (f, d) in product(a.items(), b.items()):
        place = tuple(x + y for x, y in zip(e, f, strict=True))
        found[place] = found.get(place, Fraction(0)) + c * d
    return _tidy(ring, found)


def _dot(ring: str, left: list[Sums], right: list[Sums]) -> Sums:
    total: Sums = {}
    for a, b in zip(left, right, strict=True):
        total = _add(ring, total, _multiply(ring, a, b))
    return total


def _read(case: Case) -> list[list[Sums]]:
    ring, rows = case
    return [[_tidy(ring, {e: Fraction(c) for e, c in entry}) for entry in row] for row in rows]


def leibniz(ring: str, rows: list[list[Sums]], *, signs: bool = True) -> Sums:
    """The determinant as the sum over all permutations, with their signs."""
    size = len(rows)
    total: Sums = {}
    for s in permutations(range(size)):
        term: Sums = {(0,) * _VARIABLES[ring]: Fraction(1)}
        for i in range(size):
            term = _multiply(ring, term, rows[i][s[i]])
        total = _add(ring, total, term, sign(s) if signs else 1)
    return total


def _rank(ring: str, rows: list[list[Sums]]) -> int:
    """The size of the largest square submatrix whose determinant is not zero."""
    height, width = len(rows), len(rows[0])
    for size in range(min(height, width), 0, -1):
        for chosen, columns in product(
            combinations(range(height), size), combinations(range(width), size)
        ):
            if leibniz(ring, [[rows[i][j] for j in columns] for i in chosen]):
                return size
    return 0


# --- the library's side ---------------------------------------------------------------------------
def _entry(ring: str, terms: Entry) -> Any:
    values = {e: Rational(c) for e, c in terms}
    if ring == "q":
        return Exponential("q", tuple(sorted((Rational(e[0]), c) for e, c in values.items())))
    if ring == "series":
        orders = [values.get((n,), Rational(0)) for n in range(_PRECISION)]
        return PowerSeries(QQ, "b", _PRECISION).series(orders)
    if ring in ("QQ[x]", "QQ[x, y]", "GF(2)[x]"):
        return _ring(ring).from_terms(values)
    return values.get((), Rational(0))


def _ring(ring: str) -> Any:
    prime = _prime(ring)
    scalars = QQ if prime is None else GF(prime)
    if ring.endswith("]"):
        return scalars["x", "y"] if "y" in ring else scalars["x",]
    special = {"ZZ": ZZ, "q": Exponentials("q"), "series": PowerSeries(QQ, "b", _PRECISION)}
    return special.get(ring, scalars)


def _matrix(case: Case) -> Matrix:
    ring, rows = case
    return Matrix([[_entry(ring, entry) for entry in row] for row in rows], _ring(ring))


def _plain(ring: str, element: Any) -> Sums:
    """An element of the library as a dictionary."""
    if ring == "q":
        return {(e,): Fraction(c) for e, c in element.terms}
    if ring == "series":
        return _tidy(ring, {(n,): Fraction(c) for n, c in enumerate(element.coefficients)})
    if ring.endswith("]"):
        return _tidy(ring, {e: Fraction(c) for e, c in _ring(ring).terms(element).items()})
    return _tidy(ring, {(): Fraction(element)})


# --- cases ----------------------------------------------------------------------------------------
def _numbers(*rows: tuple[Any, ...]) -> Table:
    return tuple(tuple((((), x),) if x else () for x in row) for row in rows)


def _powers(*rows: tuple[Any, ...]) -> Table:
    """Entries given by their coefficients in one variable, the lowest first."""
    return tuple(
        tuple(tuple(((n,), c) for n, c in enumerate(entry) if c) for entry in row) for row in rows
    )


_HALF, _THIRD = Fraction(1, 2), Fraction(1, 3)
_XY: Table = (
    ((((1, 0), 1), ((0, 0), _HALF)), (((0, 3), 2),), (((2, 1), -1),)),
    ((((0, 1), _THIRD),), (((1, 1), 3), ((0, 0), -1)), (((0, 0), 2),)),
    ((((3, 0), 5), ((0, 2), -_HALF)), (((0, 0), 1),), (((1, 2), _THIRD),)),
)
_SAMPLES: tuple[Case, ...] = (
    ("ZZ", _numbers((2, 3, 5, 7), (1, -4, 0, 2), (300, 1, 1, -1), (0, 2, 6, 5))),
    ("ZZ", _numbers((1, 2, 3, 4), (2, 4, 6, 8), (0, 3, 6, 9), (5, 5, 5, 5))),
    ("ZZ", _numbers((0, 0, 2, 4, 1), (0, 0, 1, 2, 3), (0, 6, 0, 9, 1), (0, 2, 0, 3, 0))),
    ("ZZ", _numbers((0, 0, 0, 0, 5), (0, 0, 0, 3, 1), (0, 0, 2, 1, 1), (0, 7, 1, 1, 1))),
    ("ZZ", _numbers((1, 0, 0, 0, 2), (3, 1, 0, 0, 1), (0, 5, 1, 0, 1), (2, 2, 2, 1, 7))),
    ("ZZ", _numbers((3, 1, 1), (1, 3, 1))),
    ("QQ", _numbers((_HALF, _THIRD, 1), (2, Fraction(3, 7), 0), (-1, 5, Fraction(5, 2)))),
    ("QQ", _numbers((_HALF, _THIRD, 1), (2, Fraction(4, 3), 4), (-1, 5, Fraction(5, 2)))),
    ("QQ", _numbers((_HALF, _THIRD, 1, 0), (1, Fraction(2, 3), 2, 0), (0, 0, Fraction(2, 5), 1))),
    ("GF(7)", _numbers((3, 5, 1), (6, 2, 4), (1, 1, 6))),
    ("GF(2)", _numbers((1, 1, 0), (0, 1, 1), (1, 0, 1))),
    ("QQ[x]", _powers(((1, 2), (0, 0, 3)), ((_HALF,), (-1, 0, 0, 4)))),
    ("QQ[x]", _powers(((0, 1), (0, 0, 1)), ((1,), (0, 1)))),
    ("QQ[x]", _powers(((1, 1), (0, 2), (1, 3)), ((2,), (1, -1), (3, -1)))),
    ("QQ[x]", _powers(((0, 1), (1,), (), ()), ((), (0, 1), (1,), ()), ((), (), (0, 1), (1,)))),
    ("QQ[x, y]", _XY),
    ("QQ[x, y]", (*_XY[:2], tuple(tuple((e, 2 * c) for e, c in entry) for entry in _XY[0]))),
    ("GF(2)[x]", _powers(((0, 1), (0, 0, 1)), ((1,), (0, 1)))),
    ("GF(2)[x]", _powers(((0, 1, 1), (1,)), ((1,), (0, 1)))),
    ("q", (((((2,), 1),), (((-_HALF,), 3),)), ((((_THIRD,), -1),), (((0,), 2), ((1,), 1))))),
    ("q", (((((_HALF,), 1),), (((1,), 1),)), ((((0,), 1),), (((_HALF,), 1),)))),
)
# Series whose determinant is seen below the precision, and at last one for which it is not.
_SERIES: tuple[Case, ...] = (
    ("series", _powers(((1, 1), (2,)), ((_HALF, 0, 3), (1, 5, 0, 1)))),
    ("series", _powers(((0, 1, 2, 7), (0, 1, 0, 5)), ((0, 1, 1, 1), (1, 4, 0, 2)))),
    ("series", _powers(((0, 0, 1), (0, 1), (1, 3)), ((0, 1, 5), (2, 1), (0, 1)),
                       ((1, 1, 1, 1), (0, 2), (0, 0, 3)))),
    ("series", _powers(((1, 1, 1, 1), (1,)), ((1,), (1, -1, 0, 1)))),
    ("series", _powers(((0, 0, 1), ()), ((5,), (0, 0, 0, 1)))),
)  # fmt: skip


def _small(top: int = 1) -> Iterator[Case]:
    """All 2 x 2 integer matrices with entries up to a bound, then the samples."""
    for a, b, c, d in product(range(-top, top + 1), repeat=4):
        yield "ZZ", _numbers((a, b), (c, d))
    yield from _SAMPLES


def _is_entry(ring: str) -> Callable[[Any], bool]:
    count = _VARIABLES[ring]
    whole = integer(0 if ring != "q" else None)
    exponent = number() if ring == "q" else whole
    scalar = integer() if ring == "ZZ" or ring.startswith("GF") else number()

    def check(entry: Any) -> bool:
        shaped = many(record(many(exponent, 0), scalar, where=lambda e, c: len(e) == count), 0)
        return shaped(entry) and len({e for e, _ in entry}) == len(entry)

    return check


def _is_case(case: Any) -> bool:
    if not record(one_of(*_VARIABLES), many(many(lambda _: True)))(case):
        return False
    ring, rows = case
    entries = _is_entry(ring)
    return len({*map(len, rows)}) == 1 and all(entries(x) for row in rows for x in row)


def _is_square(case: Any) -> bool:
    return _is_case(case) and len(case[1]) == len(case[1][0])


def _drawn_case(st: Any, rings: tuple[str, ...] = ("ZZ", "QQ", "GF(7)", "GF(2)")) -> Any:
    def table(ring: str, rows: int, columns: int) -> Any:
        small = st.integers(-3, 3)
        scalars = small if ring != "QQ" else st.builds(Fraction, small, st.integers(1, 4))
        row = st.tuples(*[scalars] * columns)
        return st.tuples(st.just(ring), st.tuples(*[row] * rows).map(lambda r: _numbers(*r)))

    sizes = st.tuples(st.sampled_from(rings), st.integers(1, 4), st.integers(1, 4))
    return sizes.flatmap(lambda size: table(*size))


def _drawn_square(st: Any) -> Any:
    return _drawn_case(st).filter(_is_square)


def _sized(case: Case) -> None:
    at_most(max(len(case[1]), len(case[1][0])), _MOST, "rows or columns")


# --- determinants, ranks, solutions ---------------------------------------------------------------
@claim(
    "algebra.determinant",
    source=_SOURCE,
    category="theorem",
    cases=lambda top=1: (case for case in (*_small(top), *_SERIES) if _is_square(case)),
    boundary=("ZZ", _numbers((0,))),
    strategy=drawn(_drawn_square),
    applies=_is_square,
    near_misses=[
        NearMiss("without signs: the permanent", ("ZZ", _numbers((1, 2), (3, 4))), {"signs": False})
    ],
)
def determinant(case: Case, signs: bool = True) -> bool | Fails:
    r"""$\det M = \sum_\sigma \mathrm{sgn}(\sigma) \prod_i M_{i, \sigma(i)}$, over the integers, the
    rationals, prime fields, polynomials, exponentials $q^e$; over power series as far as they are
    known, by the order at which the determinant begins and its first coefficient.
    """
    _sized(case)
    ring, matrix = case[0], _matrix(case)
    wanted = leibniz(ring, _read(case), signs=signs)
    if ring == "series":
        prime = 1_000_003
        try:
            order, first = matrix.leading_residue(prime)
        except Undecided:  # as it must be where nothing of the determinant is known
            return not wanted or Fails(f"it begins with {wanted}, and that is not seen")
        if not wanted:
            return Fails(f"it is said to begin at order {order}, where it is not known")
        (lowest,) = min(wanted)
        begins = wanted[lowest,]
        same = order == lowest and (first * begins.denominator - begins.numerator) % prime == 0
        return same or Fails(f"it begins with {first} at order {order}, not {begins} at {lowest}")
    found = _plain(ring, matrix.det())
    return found == wanted or Fails(f"the determinant is {wanted}, not {found}")


def _annihilates(ring: str, rows: list[list[Sums]], vector: list[Sums]) -> bool:
    return not any(_dot(ring, row, vector) for row in rows)


@claim(
    "algebra.rank",
    source=_SOURCE,
    category="theorem",
    cases=_small,
    boundary=("ZZ", _numbers((0,))),
    strategy=drawn(_drawn_case),
    applies=lambda case: _is_case(case) and case[0] != "series",
    near_misses=[
        NearMiss(
            "the rank modulo 2 of an integer matrix", ("ZZ", _numbers((2, 0), (0, 1))),
            {"among": "GF(2)"},
        )
    ],
)  # fmt: skip
def rank(case: Case, among: str | None = None) -> Certificate | Fails:
    r"""The rank of a matrix is the size of its largest nonzero minor; the null space has as many
    independent vectors as there are columns less the rank, those of an integer matrix with coprime
    integer entries, in the certificate of the rank too; and this passes its check.
    """
    _sized(case)
    ring, matrix, rows = case[0], _matrix(case), _read(case)
    other = among or ring
    wanted = _rank(other, [[_tidy(other, entry) for entry in row] for row in rows])
    if matrix.rank() != wanted:
        return Fails(f"the rank is {wanted}, not {matrix.rank()}")
    vectors = matrix.nullspace()
    if len(vectors) != len(rows[0]) - wanted:
        return Fails(f"there are {len(vectors)} null vectors")
    plain = [[_plain(ring, x) for x in vector] for vector in vectors]
    if not all(_annihilates(ring, rows, vector) for vector in plain):
        return Fails("a vector of the null space is not annihilated")
    if plain and _rank(ring, plain) < len(plain):
        return Fails("the null vectors depend on each other")
    if ring == "ZZ" and any(gcd(*(int(x) for x in vector)) != 1 for vector in vectors):
        return Fails("a null vector has a common factor")
    found = certify(matrix, question="rank")
    stored: Any = getattr(found, "null", None)
    if ring == "ZZ" and stored is not None:
        columns = zip(*stored.rows, strict=True)
        if any(gcd(*map(int, column)) != 1 for column in columns):
            return Fails("a null vector of the certificate has a common factor")
    return found


@claim(
    "algebra.solve",
    source="Any textbook of linear algebra",
    category="theorem",
    cases=lambda: (
        case for case in _SAMPLES
        if case[0] in ("ZZ", "QQ", "GF(7)") and _is_square(case)
        and leibniz(case[0], _read(case))
    ),
    boundary=("ZZ", _numbers((2,))),
    strategy=drawn(lambda st: _drawn_square(st).filter(lambda c: leibniz(c[0], _read(c)))),
    applies=lambda case: _is_square(case) and case[0] in ("ZZ", "QQ", "GF(7)", "GF(2)")
    and (len(case[1]) > _MOST or bool(leibniz(case[0], _read(case)))),
    near_misses=[
        NearMiss("the transposed equation", ("ZZ", _numbers((1, 1), (0, 1))), {"turned": True})
    ],
)  # fmt: skip
def solve(case: Case, turned: bool = False) -> bool | Fails:
    r"""For a nonsingular $M$ the $x$ that `solve` returns has $M x = b$; $b = (1, 2, \dots)$."""
    _sized(case)
    ring, rows = case[0], _read(case)
    right = list(range(1, len(rows) + 1))
    found = [_plain(ring, x) for x in _matrix(case).solve(right)]
    if turned:
        rows = [list(column) for column in zip(*rows, strict=True)]
    for row, b in zip(rows, right, strict=True):
        total = _dot(ring, row, found)
        if total != _tidy(ring, {(): Fraction(b)}):
            return Fails(f"M x has an entry {total}, not {b}")
    return True


_BITS, _SMALL = 128, 1e-20  # of the balls


# --- eigenvalues ----------------------------------------------------------------------------------
def _real(case: Any) -> bool:
    """A rational matrix that is symmetric, or triangular: its eigenvalues are real."""
    if not _is_square(case) or case[0] not in ("ZZ", "QQ"):
        return False
    rows = _read(case)
    pairs = list(combinations(range(len(rows)), 2))
    return all(rows[i][j] == rows[j][i] for i, j in pairs) or not any(rows[j][i] for i, j in pairs)


def _spectral_cases(top: int = 2) -> Iterator[Case]:
    entries = range(-top, top + 1)
    for a, b, d in product(entries, repeat=3):
        yield "ZZ", _numbers((a, b), (b, d))
    yield "ZZ", _numbers((2, 1, 0), (1, 2, 1), (0, 1, 2))
    yield "ZZ", _numbers((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0))
    yield "ZZ", _numbers((2, 1, 0, 0), (1, 1, 0, 0), (0, 0, 2, 1), (0, 0, 1, 1))
    yield "ZZ", _numbers((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1))
    yield "ZZ", _numbers((0, 1, 5), (0, 0, 1), (0, 0, 3))
    yield "QQ", _numbers((_HALF, _THIRD, 0), (_THIRD, 1, _HALF), (0, _HALF, 2))
    yield "QQ", _numbers((_HALF, 5, 1), (0, _HALF, 7), (0, 0, _THIRD))


def _ball(value: Any) -> flint.arb:
    return value.enclosure(_BITS) if isinstance(value, RealRoot) else flint.arb(fmpq(value))


@claim(
    "algebra.eigenvalues",
    source="Any textbook of linear algebra: sums of powers and traces of powers",
    category="theorem",
    cases=_spectral_cases,
    boundary=("ZZ", _numbers((0, 0), (0, 0))),
    strategy=drawn(lambda st: st.tuples(*[st.integers(-5, 5)] * 6).map(
        lambda v: ("ZZ", _numbers((v[0], v[1], v[2]), (v[1], v[3], v[4]), (v[2], v[4], v[5]))))),
    applies=_real,
    near_misses=[
        NearMiss("each eigenvalue once", ("ZZ", _numbers((1, 0), (0, 1))), {"repeated": False})
    ],
)  # fmt: skip
def eigenvalues_claim(case: Case, repeated: bool = True) -> bool | Fails:
    r"""The eigenvalues of a matrix $M$ with real ones, with their multiplicities, are listed from
    the largest to the smallest and have $\sum_i \lambda_i^k = \mathrm{tr}\, M^k$ for
    $k = 0, \dots, n$, which determines them.
    """
    _sized(case)
    ring, rows = case[0], _read(case)
    with working_precision(_BITS):
        listed = eigenvalues(_matrix(case))
        roots = [x for x, _ in listed if isinstance(x, RealRoot)]
        if any(
            x.polynomial == y.polynomial and x.index <= y.index for x, y in combinations(roots, 2)
        ):
            return Fails("the roots of a polynomial are not numbered from the smallest")
        found = [(_ball(x), times if repeated else 1) for x, times in listed]
        return _have_power_sums(ring, rows, found)


def _have_power_sums(
    ring: str, rows: list[list[Sums]], found: list[tuple[flint.arb, int]]
) -> bool | Fails:
    size = len(rows)
    if any(not later < former for (former, _), (later, _) in pairwise(found)):
        return Fails("they are not listed from the largest to the smallest")
    power = [
        [{(): Fraction(int(i == j))} if i == j else {} for j in range(size)] for i in range(size)
    ]
    for k in range(size + 1):
        trace = sum((power[i][i].get((), Fraction(0)) for i in range(size)), Fraction(0))
        total = sum((times * x**k for x, times in found), flint.arb(0))
        if not (total - flint.arb(fmpq(trace))).contains(0) or not total.rad() < _SMALL:
            return Fails(f"the powers {k} add up to {total.str(8, radius=False)}, not {trace}")
        power = [
            [_dot(ring, power[i], [rows[h][j] for h in range(size)]) for j in range(size)]
            for i in range(size)
        ]
    return True


# --- the search for certificates ------------------------------------------------------------------
# question, matrix
Asked = tuple[str, Case]
_QUESTIONS = ("nonsingular", "positive-definite", "unique-assignment")
_KINDS = {
    ("nonsingular", True): "nonsingular",
    ("nonsingular", False): "singular",
    ("positive-definite", True): "positive-definite",
    ("positive-definite", False): "not-positive-definite",
    ("unique-assignment", True): "unique-assignment",
    ("unique-assignment", False): "tied-assignment",
}


def _symmetric(case: Case) -> bool:
    rows = _read(case)
    return all(rows[i][j] == rows[j][i] for i, j in combinations(range(len(rows)), 2))


def _identity_first(case: Case) -> bool:
    """Whether the product of the diagonal is of lower order than all others, known or not."""
    orders = [
        [min((e for (e,) in entry), default=_PRECISION) for entry in row] for row in _read(case)
    ]
    identity, *others = permutations(range(len(orders)))
    sums = [sum(orders[i][s[i]] for i in identity) for s in (identity, *others)]
    return all(total > sums[0] for total in sums[1:])


def _can_be_asked(question: str, case: Any) -> bool:
    if not _is_square(case):
        return False
    if question == "nonsingular":
        return case[0] != "series" or _identity_first(case)
    return case[0] in ("ZZ", "QQ") and (question != "positive-definite" or _symmetric(case))


def _answer(question: str, case: Case, weak: bool) -> bool:
    ring, rows = case[0], _read(case)
    size = len(rows)
    if ring == "series":  # no matrix that goes on like this is singular
        return all(rows[i][i] for i in range(size))
    if question == "nonsingular":
        return bool(leibniz(ring, rows))
    if question == "positive-definite":  # by the leading minors
        corners = ([row[:k] for row in rows[:k]] for k in range(1, size + 1))
        minors = [leibniz(ring, corner).get((), Fraction(0)) for corner in corners]
        return not any(m < 0 if weak else m <= 0 for m in minors)
    sums = [
        sum((rows[i][s[i]].get((), Fraction(0)) for i in range(size)), Fraction(0))
        for s in permutations(range(size))
    ]
    return bool(sums.count(max(sums)) == 1)


def _asked(top: int = 2) -> Iterator[Asked]:
    for case in _small(1):
        if _is_square(case):
            yield "nonsingular", case
            if case[0] == "ZZ":
                yield "unique-assignment", case
    yield "nonsingular", ("series", _powers(((0, 0, 1), ()), ((), (0, 0, 0, 1))))
    yield "nonsingular", ("series", _powers(((0, 0, 1), ()), ((0, 3), (0, 0, 2, 1))))
    yield "nonsingular", ("ZZ", _numbers((3, 1, 1), (1, 3, 1), (4, 4, 2)))
    for a, b, d in product(range(-1, top + 1), repeat=3):
        yield "positive-definite", ("ZZ", _numbers((a, b), (b, d)))
    large = 10**9
    for rows in (
        ((2, 1, 0), (1, 2, 1), (0, 1, 2)),
        ((1, 1, 1), (1, 1, 1), (1, 1, 2)),
        ((1, 5, 0), (5, 1, 0), (0, 0, 1)),
        ((1, 0, 0), (0, 0, 0), (0, 0, 1)),
        ((2, -1, -1), (-1, 2, -1), (-1, -1, 2)),
        ((1, 2, 0), (2, 5, 1), (0, 1, 1)),
        ((1, 2, 0), (2, 5, 1), (0, 1, 2)),
        ((large, large - 1, 0), (large - 1, large, 1), (0, 1, 1)),
        ((large, large - 1), (large - 1, large - 2)),
        ((3, 2, 2, 2), (2, 3, 2, 2), (2, 2, 3, 2), (2, 2, 2, 3)),
    ):
        yield "positive-definite", ("ZZ", _numbers(*rows))
    yield "positive-definite", ("QQ", _numbers((1, _HALF), (_HALF, _THIRD)))
    yield "positive-definite", ("QQ", _numbers((1, _HALF), (_HALF, Fraction(1, 4))))
    for rows in (
        ((1, 5, 2), (4, 1, 7), (3, 6, 1)),
        ((0, 3, 1), (3, 0, 1), (1, 1, 0)),
        ((1, 2, 3), (2, 3, 4), (3, 4, 5)),
        ((0, 9, 1, 1), (1, 0, 9, 1), (1, 1, 0, 9), (9, 1, 1, 0)),
        ((7, 1, 9, 0), (9, 7, 0, 8), (2, 9, 3, 1), (5, 4, 1, 6)),
    ):
        yield "unique-assignment", ("ZZ", _numbers(*rows))


@claim(
    "algebra.certify",
    source="Leibniz's sum, Sylvester's criterion, and all permutations one by one",
    category="theorem",
    cases=_asked,
    boundary=("positive-definite", ("ZZ", _numbers((0,)))),
    strategy=drawn(lambda st: st.tuples(st.sampled_from(_QUESTIONS), _drawn_square(st))),
    applies=record(one_of(*_QUESTIONS), _is_square, where=_can_be_asked),
    near_misses=[
        NearMiss("semidefinite is definite",
                 ("positive-definite", ("ZZ", _numbers((1, 1), (1, 1)))), {"weak": True}),
    ],
)  # fmt: skip
def search(case: Asked, weak: bool = False) -> Certificate | Fails:
    r"""`certify` finds the right answer, with a certificate that passes its check: a matrix is
    nonsingular iff its determinant is not zero, a symmetric one is positive definite iff its
    leading minors are positive, and the largest sum $\sum_i C_{i, \sigma(i)}$ belongs to one
    permutation or to several.
    """
    question, asked = case
    _sized(asked)
    certificate = certify(_matrix(asked), question=question)
    truth = _answer(question, asked, weak)
    if certificate.kind != _KINDS[question, truth]:
        return Fails(f"the answer is {certificate.kind}, and the truth is {truth}")
    vector = getattr(certificate, "vector", ())
    if asked[0] in ("ZZ", "QQ") and certificate.kind == "singular" and gcd(*map(int, vector)) != 1:
        return Fails(f"the null vector {vector} has a common factor")
    return certificate


# --- series ---------------------------------------------------------------------------------------
@claim(
    "algebra.series",
    source="The product of Cauchy",
    category="definition",
    cases=lambda: product(
        ((1, 1, 1, 1), (0, 1, 0, 5), (2, _HALF, -1, 3)), ((1, -1, 0, 1), (1, 2, 3, 4), (0, 0, 1, 7))
    ),
    boundary=((0, 0, 0, 0), (0, 0, 0, 0)),
    strategy=drawn(lambda st: st.tuples(*[st.tuples(*[st.integers(-5, 5)] * _PRECISION)] * 2)),
    applies=record(*[lambda c: many(number())(c) and len(c) == _PRECISION] * 2),
    near_misses=[
        NearMiss("a product of coefficients", ((1, 1, 1, 1), (1, 1, 1, 1)), {"cauchy": False})
    ],
)
def series(case: tuple[Any, Any], cauchy: bool = True) -> bool | Fails:
    r"""Power series known to order 4 have $(ab)_n = \sum_k a_k b_{n-k}$ and
    $(a + b)_n = a_n + b_n$, to the last order that is known; a polynomial of degree 3 is a series
    with its coefficients.
    """
    a, b = case
    ring, polynomials = PowerSeries(QQ, "b", _PRECISION), QQ["b",]
    first = ring.coerce(polynomials.from_terms({(n,): c for n, c in enumerate(a)}))
    second = ring.series(b)
    orders = range(_PRECISION)
    if tuple(first.coefficients) != tuple(a):
        return Fails(f"the polynomial with the coefficients {a} becomes {first}")
    product_of = [
        sum((Fraction(a[k]) * b[n - k] for k in range(n + 1)), Fraction(0)) if cauchy
        else a[n] * b[n] for n in orders
    ]  # fmt: skip
    if list((first * second).coefficients) != product_of:
        return Fails(f"the product is {first * second}")
    if list((first + second).coefficients) != [a[n] + b[n] for n in orders]:
        return Fails(f"the sum is {first + second}")
    return first * first * first == first**3 or Fails("a power is not a product")


# --- numbers --------------------------------------------------------------------------------------
@claim(
    "algebra.numbers",
    source="The decimal notation, and the definition of a square root",
    category="definition",
    cases=["0", "12", "-3", "1/2", "-7/21", "0.5", "-0.25", "3.140", "10.01", "0.001", "2/1"],
    boundary="0.5",
    strategy=drawn(
        lambda st: st.tuples(st.integers(-999, 999), st.integers(0, 999)).map(
            lambda pair: f"{pair[0]}.{pair[1]}"
        )
    ),
    applies=lambda text: type(text) is str and _fraction(text) is not None,
    near_misses=[
        NearMiss("a decimal without its point", "0.5", {"read": lambda text: text.replace(".", "")})
    ],
)
def numbers(text: str, read: Callable[[str], str] = str) -> bool | Fails:
    r"""A number in a string, '12', '3/7' or '0.25', is that number exactly; and a ball that is
    written to a file and read again still contains the square root of its square.
    """
    at_most(len(text), 1_000, "characters")
    found, wanted = exact_number(text), Fraction(read(text))
    if found != wanted:
        return Fails(f"{text} is read as {found}")
    root = flint.arb(fmpq(abs(wanted))).sqrt()
    stored = Matrix.from_json(Matrix([[root]], Balls(64)).to_json())[0, 0]
    middle, radius = interval(stored)
    low, high = max(middle - radius, Rational(0)), middle + radius
    inside = low**2 <= abs(wanted) <= high**2
    return inside or Fails(f"the stored ball does not contain the root of {abs(wanted)}")


def _fraction(text: str) -> Fraction | None:
    plain = text.removeprefix("-")
    if not plain.replace(".", "", 1).replace("/", "", 1).isascii() or "e" in plain.lower():
        return None
    try:
        return Fraction(text) if plain[:1].isdigit() and plain[-1:].isdigit() else None
    except (ValueError, ZeroDivisionError):
        return None
