"""The trusted base (`certificates.*`): what passes a check about the rank of a matrix is true.

Certificates are made up here, right and wrong ones, and the answer of their check is compared with
the truth of what they say, which is found from the definition: by Leibniz's sum, the largest minor
that is not zero, the corners of a box of matrices. A check that lets a false one pass is the worst
mistake that this project can make.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import lcm
from operator import mul
from typing import Any

import attrs
import flint

from symbench.certificates import Certificate, Nonsingular, NonsingularBalls, RankIs, Singular
from symbench.decide.witnesses import inverse_modulo
from symbench.errors import NotInvertible
from symbench.exact import QQ, Balls, Matrix, PowerSeries
from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.papers._second_roads import leibniz
from symbench.registry import Fails, NearMiss, claim

Rows = tuple[tuple[Any, ...], ...]
SOURCE = "The page on certificates: why passing its check is a proof"
_PRIME = 7


# --- the truth, from the definition ---------------------------------------------------------------
def times(rows: Rows, vector: tuple[Any, ...]) -> tuple[Fraction, ...]:
    """The matrix times a vector."""
    return tuple(sum(map(mul, row, vector), Fraction(0)) for row in rows)


def _rank(rows: Rows) -> int:
    sizes = range(min(len(rows), len(rows[0])), 0, -1)
    return next(
        (
            size
            for size in sizes
            for chosen in combinations(range(len(rows)), size)
            for columns in combinations(range(len(rows[0])), size)
            if leibniz(tuple(tuple(rows[i][j] for j in columns) for i in chosen))
        ),
        0,
    )


def are_rows(value: Any) -> bool:
    """Rows of numbers, all of one length."""
    return many(many(number()))(value) and len({*map(len, value)}) == 1


def is_square(value: Any) -> bool:
    """As many rows of numbers as there are columns."""
    return are_rows(value) and len(value) == len(value[0])


def believed(certificate: Certificate, subject: Any, believe: bool) -> bool:
    """Whether the certificate passes its check; the near-misses believe it unchecked."""
    return certificate.check(subject) or believe


def verdict(passed: bool, right: bool, said: str, wrong: str = "is wrong") -> bool | Fails:
    """A certificate that passes says the truth; one that is right in all its parts passes."""
    if passed == right:
        return True
    return Fails(f"{said}: it {f'passes and {wrong}' if passed else 'is right and refused'}")


_BOX = tuple(product((-1, 0, 1), repeat=2))


def pairs(*ranges: Any) -> Iterator[Rows]:
    """Matrices of two rows, with entries in the four ranges."""
    for a, b, c, d in product(*ranges):
        yield ((a, b), (c, d))


def _residues() -> Iterator[tuple[Rows, int]]:
    for rows in pairs(*[range(-1, 2)] * 4):
        for residue in (0, 1, 2, 5, 6):
            yield rows, residue
    yield ((Fraction(1, 2), 1), (1, Fraction(2, 3))), 4
    yield ((2, 1, 0), (1, 3, 1), (0, 1, 4)), 4
    yield ((7, 0), (0, 1)), 1


@claim(
    "certificates.nonsingular",
    source=SOURCE,
    category="theorem",
    cases=_residues,
    boundary=(((7, 0), (0, 1)), 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-9, 9)] * 3)] * 3), st.integers(0, 6)
        )
    ),
    applies=record(is_square, integer(0), where=lambda rows, residue: residue < _PRIME),
    near_misses=[
        NearMiss("a certificate that nobody checks", (((1, 1), (1, 1)), 1), {"believe": True}),
    ],
)
def nonsingular(case: tuple[Rows, int], believe: bool = False) -> bool | Fails:
    r"""A certificate that says $\det M = r$ modulo 7 passes iff this is so and $r \ne 0$; so a
    matrix with such a certificate is nonsingular. An inverse beside it that is none is noticed.
    """
    rows, residue = case
    at_most(len(rows), 6, "rows")
    if any(x.denominator % _PRIME == 0 for row in rows for x in row):
        return True  # it has no residue
    subject, det = Matrix(rows, QQ), leibniz(rows)
    right = residue != 0 and (det.numerator - residue * det.denominator) % _PRIME == 0
    plain = Nonsingular(prime=_PRIME, point={}, residue=residue)
    passed = believed(plain, subject, believe)
    outcome = verdict(passed, right, f"det = {residue} modulo {_PRIME}")
    if not outcome or not passed:
        return outcome
    zeros = Matrix([[0] * len(rows)] * len(rows))
    forged = attrs.evolve(plain, modulus=5, inverse=zeros)
    return not forged.check(subject) or Fails("an inverse of zeros is not noticed")


@claim(
    "certificates.singular",
    source=SOURCE,
    category="theorem",
    cases=lambda: product(pairs(*[range(-1, 2)] * 4), _BOX),
    boundary=(((0, 0), (0, 0)), (0, 0)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-2, 2)] * 3)] * 3),
            st.tuples(*[st.integers(-2, 2)] * 3),
        )
    ),
    applies=record(is_square, many(number()), where=lambda rows, vector: len(rows) == len(vector)),
    near_misses=[
        NearMiss("the zero vector counts", (((1, 0), (0, 1)), (0, 0)), {"zero": True}),
    ],
)
def singular(case: tuple[Rows, tuple[Any, ...]], zero: bool = False) -> bool | Fails:
    r"""A certificate of a null vector passes iff $M v = 0$ and $v \ne 0$."""
    rows, vector = case
    at_most(len(rows), 6, "rows")
    null = Matrix([[x] for x in vector], QQ)
    right = not any(times(rows, vector)) and (any(vector) or zero)
    return verdict(Singular(null=null).check(Matrix(rows, QQ)), right, f"null vector {vector}")


# rows, rank, rows and columns of the minor, null vectors
RankCase = tuple[Rows, int, tuple[int, ...], tuple[int, ...], Rows]


def _rank_cases() -> Iterator[RankCase]:
    vectors = tuple(product((-1, 0, 1), repeat=2))
    for rows in pairs(*[range(2)] * 4):
        for i, j, v in product(range(2), range(2), vectors):
            yield rows, 1, (i,), (j,), (v,)
        yield rows, 2, (0, 1), (0, 1), ()
    wide = ((1, 0, 0), (0, 1, 0))
    for null in (((0, 0, 1), (0, 0, 1)), ((0, 1, 0), (0, 0, 1)), ((0, 0, 1),)):
        yield wide, 1, (0,), (0,), null
    yield wide, 2, (0, 1), (0, 1), ((0, 0, 1),)


@claim(
    "certificates.rank",
    source=SOURCE,
    category="theorem",
    cases=_rank_cases,
    boundary=(((0, 0), (0, 0)), 1, (0,), (0,), ((1, 0),)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-1, 1)] * 3)] * 2),
            st.just(1),
            st.tuples(st.integers(0, 1)),
            st.tuples(st.integers(0, 2)),
            st.tuples(*[st.tuples(*[st.integers(-1, 1)] * 3)] * 2),
        )
    ),
    applies=record(
        are_rows, integer(1), many(integer(0)), many(integer(0)), many(many(number()), 0),
        where=lambda rows, r, chosen, columns, null: (
            len({*chosen}) == len({*columns}) == len(chosen) == len(columns) == r
            and max(chosen) < len(rows) and max(columns) < len(rows[0])
            and all(len(v) == len(rows[0]) for v in null)
        ),
    ),
    near_misses=[
        NearMiss("a certificate that nobody checks",
                 (((1, 0), (0, 1)), 1, (0,), (0,), ((0, 1),)), {"believe": True}),
    ],
)  # fmt: skip
def rank(case: RankCase, believe: bool = False) -> bool | Fails:
    r"""A certificate of the rank that passes says the truth: the rank is the size of the largest
    minor that is not zero.
    """
    rows, size, chosen, columns, null = case
    at_most(max(len(rows), len(rows[0])), 5, "rows or columns")
    minor = leibniz(tuple(tuple(rows[i][j] for j in columns) for i in chosen))
    table = [[v[j] for v in null] for j in range(len(rows[0]))]
    residue = minor.numerator * pow(minor.denominator, -1, 10007) % 10007
    certificate = RankIs(
        rank=size, rows=chosen, columns=columns, prime=10007, residue=residue,
        null=Matrix(table, QQ),
    )  # fmt: skip
    if not believed(certificate, Matrix(rows, QQ), believe):
        return True
    return size == _rank(rows) or Fails(f"rank {size} passes, and it is {_rank(rows)}")


# A matrix of centres, a radius for all entries, an approximate inverse.
BallCase = tuple[Rows, Fraction, Rows]


def _ball_cases() -> Iterator[BallCase]:
    identity = ((1, 0), (0, 1))
    for rows in pairs(range(2), (0, 1), (-1, 0, 1), range(2)):
        for radius in (Fraction(0), Fraction(1, 8), Fraction(1, 2)):
            yield rows, radius, identity
            yield rows, radius, ((1, -1), (0, 1))


@claim(
    "certificates.nonsingular-balls",
    source=SOURCE,
    category="theorem",
    cases=_ball_cases,
    boundary=(((1, 0), (0, 1)), Fraction(1, 2), ((1, 0), (0, 1))),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-2, 2)] * 2)] * 2),
            st.sampled_from([Fraction(0), Fraction(1, 8), Fraction(1, 2)]),
            st.tuples(*[st.tuples(*[st.integers(-1, 1)] * 2)] * 2),
        )
    ),
    applies=record(
        is_square, number(0, most=1), is_square,
        where=lambda rows, r, inverse: len(rows) == len(inverse) and 64 % r.denominator == 0,
    ),
    near_misses=[
        NearMiss("the centres alone",
                 (((1, 0), (0, 1)), Fraction(1, 2), ((1, 0), (0, 1))), {"radii": False}),
    ],
)  # fmt: skip
def nonsingular_balls(case: BallCase, radii: bool = True) -> bool | Fails:
    r"""If a certificate with an approximate inverse passes, every matrix inside the balls is
    nonsingular: the determinant is linear in each entry, so it has one sign in the box iff it has
    at all corners. Conversely it passes where the rows of $|1 - A M|$, radii included, sum to less
    than one.
    """
    rows, radius, inverse = case
    at_most(len(rows), 3, "rows")
    spread = float(radius) if radii else 0.0
    balls = [[flint.arb(int(x), spread) for x in row] for row in rows]
    certificate = NonsingularBalls(bits=64, inverse=Matrix(inverse, QQ))
    passed = certificate.check(Matrix(balls, Balls(64)))
    cells = len(rows) ** 2
    corners = set()
    for signs in product((-1, 1), repeat=cells):
        moved = tuple(
            tuple(Fraction(x) + signs[i * len(rows) + j] * radius for j, x in enumerate(row))
            for i, row in enumerate(rows)
        )
        det = leibniz(moved)
        corners.add((det > 0) - (det < 0))
    if passed and corners not in ({1}, {-1}):
        return Fails("it passes, and a matrix in the box is singular")
    columns = [times(inverse, column) for column in zip(*rows, strict=True)]
    sums = [
        sum(abs((i == j) - columns[j][i]) for j in range(len(rows)))
        + len(rows) * radius * sum(map(abs, inverse[i]))
        for i in range(len(rows))
    ]
    small = all(total < Fraction(999, 1000) for total in sums)
    return passed or not small or Fails("it is refused, though every row sums to less than one")


def _framed(second: tuple[int, int], order: int) -> bool:
    """Whether a frame passes for rows (1, 1 + x), second + (0, x) that are said to begin there."""
    ring = PowerSeries(QQ, "x", 2)
    rows = [[ring.series([1]), ring.series([1, 1])], [ring.series([second[0]]),
            ring.series([second[1], second[1]])]]  # fmt: skip
    certificate = Nonsingular(
        prime=_PRIME, residue=second[1] % _PRIME, valuation=order, generic=True,
        frame=Matrix.identity(2, QQ["x",]), orders=(0, order),
    )  # fmt: skip
    return certificate.check(Matrix(rows, ring))


@claim(
    "certificates.frames",
    source=SOURCE,
    category="theorem",
    cases=lambda: product(product(range(-1, 3), repeat=2), (0, 1)),
    boundary=((1, 1), 1),
    strategy=drawn(lambda st: st.tuples(st.tuples(*[st.integers(-5, 5)] * 2), st.integers(0, 1))),
    applies=record(record(integer(), integer()), integer(0), where=lambda _, order: order <= 1),
    near_misses=[
        NearMiss("rows begin where they are said to", ((1, 1), 1), {"believe": True}),
    ],
)
def frames(case: tuple[tuple[int, int], int], believe: bool = False) -> bool | Fails:
    r"""A frame of a matrix of power series passes only if its rows begin where it says: for
    $\begin{pmatrix} 1 & 1 + x \\ a & b (1 + x) \end{pmatrix}$ what passes is nonsingular, and the
    determinant is $(b - a)(1 + x)$.
    """
    (a, b), order = case
    if not (_framed((a, b), order) or believe):
        return True
    return a != b or Fails("a singular matrix passes")


# The numbers a, b, c, d, e of ((a + b x, c), (c, d + e x)), the order, the residue.
SeriesCase = tuple[tuple[int, int, int, int, int], int, int]


def _series_cases() -> Iterator[SeriesCase]:
    tables = (
        (7, 1, 7, 7, -1), (7, 1, 0, 7, 1), (0, 1, 0, 0, 1), (1, 1, 1, 1, 1), (1, 0, 1, 1, 0),
        (2, 1, 3, 5, 4), (2, 1, 1, 4, 3), (0, 1, 0, 1, 0), (7, 0, 0, 7, 1), (14, 2, 7, 7, 3),
    )  # fmt: skip
    return product(tables, range(3), range(_PRIME))


@claim(
    "certificates.series",
    source=SOURCE,
    category="theorem",
    cases=_series_cases,
    boundary=((7, 1, 7, 7, -1), 2, 6),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.integers(-8, 8)] * 5), st.integers(0, 2), st.integers(0, 6)
        )
    ),
    applies=record(
        record(*[integer()] * 5), integer(0), integer(0),
        where=lambda _, order, residue: order <= 2 and residue < _PRIME,
    ),
    near_misses=[
        NearMiss("an order beyond what is known", ((7, 1, 7, 7, -1), 2, 6), {"known": 3}),
    ],
)  # fmt: skip
def series(case: SeriesCase, known: int = 2) -> bool | Fails:
    r"""For rational series known modulo $x^2$, a certificate that the determinant begins with
    $r x^n$ modulo 7 passes iff this is so of what is known, that is with $n < 2$, and $r \ne 0$.
    $\begin{pmatrix} 7 + x & 7 \\ 7 & 7 - x + \dots \end{pmatrix}$ begins with $6 x^2$ modulo 7, and
    it is singular if it goes on like $49 / (7 + x)$.
    """
    (a, b, c, d, e), order, residue = case
    ring = PowerSeries(QQ, "x", 2)
    rows = [[ring.series([a, b]), ring.series([c])], [ring.series([c]), ring.series([d, e])]]
    certificate = Nonsingular(prime=_PRIME, residue=residue, valuation=order, generic=True)
    passed = certificate.check(Matrix(rows, ring))
    coefficients = [x % _PRIME for x in (a * d - c * c, a * e + b * d, b * e)][:known]
    first = next((n for n, x in enumerate(coefficients) if x), None)
    right = first == order and coefficients[order] == residue
    return verdict(passed, right, f"the determinant begins with {residue} x^{order} modulo 7")


@claim(
    "certificates.inverse",
    source=SOURCE,
    category="theorem",
    cases=lambda: (
        *pairs(*[(-1, 0, 2, 3)] * 4),
        ((2, 1), (0, 3)), ((6, 1), (0, 5)), ((4, 1, 0), (2, 3, 1), (0, 6, 5)),
        ((Fraction(1, 2), 1), (1, Fraction(2, 3))), ((30, 7), (0, 77)),
    ),
    boundary=((2, 1), (0, 3)),
    strategy=drawn(lambda st: st.tuples(*[st.tuples(*[st.integers(-9, 9)] * 3)] * 3)),
    applies=is_square,
    near_misses=[
        NearMiss("two always serves", ((2, 1), (0, 3)), {"modulus": 2}),
    ],
)  # fmt: skip
def inverse(rows: Rows, modulus: int | None = None) -> bool | Fails:
    r"""A matrix whose denominators are cleared is inverted modulo the smallest prime that does not
    divide its determinant, if that is below 256; a singular one is not. With the residue of the
    determinant the inverse is a certificate, and with another inverse it is none.
    """
    at_most(len(rows), 5, "rows")
    scale = lcm(*(Fraction(x).denominator for row in rows for x in row))
    cleared = tuple(tuple(int(x * scale) for x in row) for row in rows)
    det, subject = int(leibniz(cleared)), Matrix(rows, QQ)
    if det == 0:
        try:
            return Fails(f"an inverse modulo {inverse_modulo(subject)[0]} of a singular matrix")
        except NotInvertible:
            return True
    small = (p for p in range(2, 256) if all(p % d for d in range(2, p)))
    wanted = next((p for p in small if det % p), None)
    found, table = inverse_modulo(subject)
    if wanted is not None and found != (modulus or wanted):
        return Fails(f"modulo {found}, and {modulus or wanted} serves")
    for i, row in enumerate(table.rows):
        image = [sum(map(mul, row, column)) for column in zip(*cleared, strict=True)]
        if [x % found for x in image] != [int(i == j) for j in range(len(rows))]:
            return Fails(f"row {i} is none of an inverse modulo {found}")
    prime = 10007
    value = leibniz(rows)
    if value.numerator % prime == 0 or value.denominator % prime == 0:
        return True
    residue = value.numerator * pow(value.denominator, -1, prime) % prime
    right = Nonsingular(prime=prime, residue=residue, modulus=found, inverse=table)
    other = Matrix([[(x + 1) % found for x in row] for row in table.rows])
    wrong = attrs.evolve(right, inverse=other)
    return verdict(right.check(subject), True, "its inverse") and verdict(
        wrong.check(subject), False, "another inverse"
    )
