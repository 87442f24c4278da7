"""The trusted base (`certificates.*`): what passes a check is true, and what is not true does not.

Certificates are made up here, right and wrong ones, and the answer of their check is compared with
the truth of what they say, which is found from the definition: by Leibniz's sum, the leading
minors, all permutations, the corners of a box of matrices. A check that lets a false one pass is
the worst mistake that this project can make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import lcm
from typing import Any

import attrs
import flint

from symbench.certificates import (
    BlockDiagonal,
    Certificate,
    Exhausted,
    Nonsingular,
    NonsingularBalls,
    NotPositiveDefinite,
    PositiveDefinite,
    RankIs,
    Singular,
    Stage,
    TiedAssignment,
    TraceBoundHolds,
    UniqueAssignment,
)
from symbench.certificates.claims import CaseDigest
from symbench.decide.witnesses import inverse_modulo
from symbench.errors import NotInvertible
from symbench.exact import QQ, Balls, Matrix, PowerSeries
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

Rows = tuple[tuple[Any, ...], ...]
_PRIME = 7
_SOURCE = "The page on certificates: why passing its check is a proof"


# --- the truth, from the definition ---------------------------------------------------------------
def _sign(s: tuple[int, ...]) -> int:
    return -1 if sum(a > b for a, b in combinations(s, 2)) % 2 else 1


def _determinant(rows: Rows) -> Fraction:
    total = Fraction(0)
    for s in permutations(range(len(rows))):
        term = Fraction(_sign(s))
        for i, j in enumerate(s):
            term *= rows[i][j]
        total += term
    return total


def _times(rows: Rows, vector: tuple[Any, ...]) -> tuple[Fraction, ...]:
    return tuple(
        sum((Fraction(a) * b for a, b in zip(row, vector, strict=True)), Fraction(0))
        for row in rows
    )


def _rank(rows: Rows) -> int:
    sizes = range(min(len(rows), len(rows[0])), 0, -1)
    return next(
        (
            size
            for size in sizes
            for chosen in combinations(range(len(rows)), size)
            for columns in combinations(range(len(rows[0])), size)
            if _determinant(tuple(tuple(rows[i][j] for j in columns) for i in chosen))
        ),
        0,
    )


def _definite(rows: Rows) -> bool:
    symmetric = all(rows[i][j] == rows[j][i] for i, j in combinations(range(len(rows)), 2))
    corners = (tuple(row[:k] for row in rows[:k]) for k in range(1, len(rows) + 1))
    return symmetric and all(_determinant(corner) > 0 for corner in corners)


def _sums(rows: Rows, allowed: Callable[[tuple[int, ...]], bool]) -> dict[tuple[int, ...], Any]:
    every = permutations(range(len(rows)))
    return {s: sum(rows[i][j] for i, j in enumerate(s)) for s in every if allowed(s)}


def _winners(rows: Rows) -> set[tuple[int, ...]]:
    sums = _sums(rows, lambda s: True)
    return {s for s, total in sums.items() if total == max(sums.values())}


def _are(value: Any) -> bool:
    """Rows of numbers, all of one length."""
    return many(many(number()))(value) and len({*map(len, value)}) == 1


def _square(value: Any) -> bool:
    return _are(value) and len(value) == len(value[0])


def _believed(certificate: Certificate, subject: Any, believe: bool) -> bool:
    """Whether the certificate passes its check; the near-misses believe it unchecked."""
    return certificate.check(subject) or believe


def _verdict(passed: bool, right: bool, said: str) -> bool | Fails:
    """A certificate that passes says the truth; one that is right in all its parts passes."""
    if passed == right:
        return True
    return Fails(f"{said}: {'it passes and is wrong' if passed else 'it is right and refused'}")


_BOX = tuple(product((-1, 0, 1), repeat=2))


def _pairs(*ranges: Any) -> Iterator[Rows]:
    for a, b, c, d in product(*ranges):
        yield ((a, b), (c, d))


# --- ranks ----------------------------------------------------------------------------------------
def _residues() -> Iterator[tuple[Rows, int]]:
    for rows in _pairs(*[range(-1, 2)] * 4):
        for residue in (0, 1, 2, 5, 6):
            yield rows, residue
    yield ((Fraction(1, 2), 1), (1, Fraction(2, 3))), 4
    yield ((2, 1, 0), (1, 3, 1), (0, 1, 4)), 4
    yield ((7, 0), (0, 1)), 1


@claim(
    "certificates.nonsingular",
    source=_SOURCE,
    category="theorem",
    cases=_residues,
    boundary=(((7, 0), (0, 1)), 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-9, 9)] * 3)] * 3), st.integers(0, 6)
        )
    ),
    applies=record(_square, integer(0), where=lambda rows, residue: residue < _PRIME),
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
    subject, det = Matrix(rows, QQ), _determinant(rows)
    right = residue != 0 and (det.numerator - residue * det.denominator) % _PRIME == 0
    plain = Nonsingular(prime=_PRIME, point={}, residue=residue)
    passed = _believed(plain, subject, believe)
    outcome = _verdict(passed, right, f"det = {residue} modulo {_PRIME}")
    if not outcome or not passed:
        return outcome
    zeros = Matrix([[0] * len(rows)] * len(rows))
    forged = attrs.evolve(plain, modulus=5, inverse=zeros)
    return not forged.check(subject) or Fails("an inverse of zeros is not noticed")


@claim(
    "certificates.singular",
    source=_SOURCE,
    category="theorem",
    cases=lambda: product(_pairs(*[range(-1, 2)] * 4), _BOX),
    boundary=(((0, 0), (0, 0)), (0, 0)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-2, 2)] * 3)] * 3),
            st.tuples(*[st.integers(-2, 2)] * 3),
        )
    ),
    applies=record(_square, many(number()), where=lambda rows, vector: len(rows) == len(vector)),
    near_misses=[
        NearMiss("the zero vector counts", (((1, 0), (0, 1)), (0, 0)), {"zero": True}),
    ],
)
def singular(case: tuple[Rows, tuple[Any, ...]], zero: bool = False) -> bool | Fails:
    r"""A certificate of a null vector passes iff $M v = 0$ and $v \ne 0$."""
    rows, vector = case
    at_most(len(rows), 6, "rows")
    null = Matrix([[x] for x in vector], QQ)
    right = not any(_times(rows, vector)) and (any(vector) or zero)
    return _verdict(Singular(null=null).check(Matrix(rows, QQ)), right, f"null vector {vector}")


# rows, rank, rows and columns of the minor, null vectors
RankCase = tuple[Rows, int, tuple[int, ...], tuple[int, ...], Rows]


def _rank_cases() -> Iterator[RankCase]:
    vectors = tuple(product((-1, 0, 1), repeat=2))
    for rows in _pairs(*[range(2)] * 4):
        for i, j, v in product(range(2), range(2), vectors):
            yield rows, 1, (i,), (j,), (v,)
        yield rows, 2, (0, 1), (0, 1), ()
    wide = ((1, 0, 0), (0, 1, 0))
    for null in (((0, 0, 1), (0, 0, 1)), ((0, 1, 0), (0, 0, 1)), ((0, 0, 1),)):
        yield wide, 1, (0,), (0,), null
    yield wide, 2, (0, 1), (0, 1), ((0, 0, 1),)


@claim(
    "certificates.rank",
    source=_SOURCE,
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
        _are, integer(1), many(integer(0)), many(integer(0)), many(many(number()), 0),
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
    minor = _determinant(tuple(tuple(rows[i][j] for j in columns) for i in chosen))
    table = [[v[j] for v in null] for j in range(len(rows[0]))]
    residue = minor.numerator * pow(minor.denominator, -1, 10007) % 10007
    certificate = RankIs(
        rank=size, rows=chosen, columns=columns, prime=10007, residue=residue,
        null=Matrix(table, QQ),
    )  # fmt: skip
    if not _believed(certificate, Matrix(rows, QQ), believe):
        return True
    return size == _rank(rows) or Fails(f"rank {size} passes, and it is {_rank(rows)}")


# A matrix of centres, a radius for all entries, an approximate inverse.
BallCase = tuple[Rows, Fraction, Rows]


def _ball_cases() -> Iterator[BallCase]:
    identity = ((1, 0), (0, 1))
    for rows in _pairs(range(2), (0, 1), (-1, 0, 1), range(2)):
        for radius in (Fraction(0), Fraction(1, 8), Fraction(1, 2)):
            yield rows, radius, identity
            yield rows, radius, ((1, -1), (0, 1))


@claim(
    "certificates.nonsingular-balls",
    source=_SOURCE,
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
        _square, number(0, most=1), _square,
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
        det = _determinant(moved)
        corners.add((det > 0) - (det < 0))
    if passed and corners not in ({1}, {-1}):
        return Fails("it passes, and a matrix in the box is singular")
    columns = [_times(inverse, column) for column in zip(*rows, strict=True)]
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
    source=_SOURCE,
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
    source=_SOURCE,
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
    return _verdict(passed, right, f"the determinant begins with {residue} x^{order} modulo 7")


@claim(
    "certificates.inverse",
    source=_SOURCE,
    category="theorem",
    cases=lambda: (
        *_pairs(*[(-1, 0, 2, 3)] * 4),
        ((2, 1), (0, 3)), ((6, 1), (0, 5)), ((4, 1, 0), (2, 3, 1), (0, 6, 5)),
        ((Fraction(1, 2), 1), (1, Fraction(2, 3))), ((30, 7), (0, 77)),
    ),
    boundary=((2, 1), (0, 3)),
    strategy=drawn(lambda st: st.tuples(*[st.tuples(*[st.integers(-9, 9)] * 3)] * 3)),
    applies=_square,
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
    det, subject = int(_determinant(cleared)), Matrix(rows, QQ)
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
        product_row = [
            sum(map(_product, zip(row, c, strict=True))) for c in zip(*cleared, strict=True)
        ]
        if [x % found for x in product_row] != [int(i == j) for j in range(len(rows))]:
            return Fails(f"row {i} is none of an inverse modulo {found}")
    prime = 10007
    value = _determinant(rows)
    if value.numerator % prime == 0 or value.denominator % prime == 0:
        return True
    residue = value.numerator * pow(value.denominator, -1, prime) % prime
    right = Nonsingular(prime=prime, residue=residue, modulus=found, inverse=table)
    other = Matrix([[(x + 1) % found for x in row] for row in table.rows])
    wrong = attrs.evolve(right, inverse=other)
    return _verdict(right.check(subject), True, "its inverse") and _verdict(
        wrong.check(subject), False, "another inverse"
    )


# --- definiteness ---------------------------------------------------------------------------------
def _symmetric(value: Any) -> bool:
    return _square(value) and all(
        value[i][j] == value[j][i] for i, j in combinations(range(len(value)), 2)
    )


def _forms() -> Iterator[tuple[str, Rows, Rows]]:
    factors = (((1, 0), (0, 1)), ((1, 1), (0, 1)), ((1, -1), (0, 1)), ((1, 0), (0, 0)))
    for a, b, d in product(range(-1, 4), range(-3, 4), range(4)):
        rows = ((a, b), (b, d))
        for factor in factors:
            yield "factor", rows, factor
        yield "gram", rows, ((1, 1),)
        for v in ((1, 0), (1, -1), (1, 1), (0, 0)):
            yield "direction", rows, (v,)
    yield "factor", ((2, 1), (0, 2)), factors[0]


@claim(
    "certificates.definite",
    source=_SOURCE,
    category="theorem",
    cases=_forms,
    boundary=("factor", ((1, 1), (1, 1)), ((1, 0), (0, 1))),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(["factor", "gram"]),
            st.tuples(*[st.integers(-4, 4)] * 3).map(lambda v: ((v[0], v[1]), (v[1], v[2]))),
            st.tuples(*[st.tuples(*[st.integers(-2, 2)] * 2)] * 2),
        )
    ),
    applies=record(
        one_of("factor", "gram", "direction"), _square, _are,
        where=lambda way, rows, other: len(other[0]) == len(rows) and (
            way == "gram" or len(other) == (1 if way == "direction" else len(rows))),
    ),
    near_misses=[
        NearMiss("a diagonal that weighs as much as the rest",
                 ("factor", ((1, 1), (1, 1)), ((1, 0), (0, 1))), {"weak": True}),
    ],
)  # fmt: skip
def definite(case: tuple[str, Rows, Rows], weak: bool = False) -> bool | Fails:
    r"""A certificate that $M$ is positive definite passes only if all leading minors are positive;
    and it passes if $F^\top M F$, or $M - G^\top G$, is symmetric with a diagonal that outweighs
    the rest of each row. One that $M$ is not passes iff $v^\top M v \le 0$ for its $v \ne 0$.
    """
    way, rows, other = case
    at_most(len(rows), 6, "rows")
    subject, given = Matrix(rows, QQ), Matrix(other)
    symmetric = _symmetric(rows)
    if way == "direction":
        (v,) = other
        value = sum((a * b for a, b in zip(v, _times(rows, v), strict=True)), Fraction(0))
        passed = NotPositiveDefinite(direction=given.transpose()).check(subject)
        return _verdict(passed, symmetric and any(v) and value <= 0, f"direction {v}")
    columns = list(zip(*other, strict=True))
    size = range(len(rows))
    if way == "factor":
        certificate = PositiveDefinite(factor=given)
        made = [
            [
                sum(map(_product, zip(columns[i], _times(rows, columns[j]), strict=True)))
                for j in size
            ]
            for i in size
        ]
    else:
        certificate = PositiveDefinite(scale=1, gram=given)
        made = [
            [
                rows[i][j] - sum(map(_product, zip(columns[i], columns[j], strict=True)))
                for j in size
            ]
            for i in size
        ]
    rest = [sum(abs(made[i][j]) for j in size if j != i) for i in size]
    outweighs = all(made[i][i] >= rest[i] if weak else made[i][i] > rest[i] for i in size)
    passed = certificate.check(subject)
    if passed and not _definite(rows):
        return Fails("it passes, and a leading minor is not positive")
    return _verdict(passed, symmetric and outweighs, f"by {way} {other}")


def _product(pair: tuple[Any, Any]) -> Any:
    return pair[0] * pair[1]


# --- assignments ----------------------------------------------------------------------------------
# Rows, dual numbers of rows and columns, the assignment, the order of the rows.
DualCase = tuple[Rows, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _duals() -> Iterator[DualCase]:
    both = ((0, 1), (1, 0))
    for rows in _pairs(*[range(2)] * 4):
        for u, v in product(((0, 0), (1, 0), (1, 1)), ((0, 0), (0, 1), (1, -1))):
            for assignment, order in product(both, both):
                yield rows, u, v, assignment, order
    ring = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
    for places in permutations(range(3)):
        yield ring, (1, 1, 1), (0, 0, 0), (1, 2, 0), places
        yield ((1, 1, 0), (0, 1, 1), (1, 0, 1)), (1, 1, 1), (0, 0, 0), (0, 1, 2), places
        yield ((1, 1, 0), (0, 1, 1), (0, 0, 1)), (1, 1, 1), (0, 0, 0), (0, 1, 2), places
        # Two that the dual numbers fit, and entries elsewhere that exceed them: there is a better.
        yield ((0, 0, 1), (0, 0, 1), (1, 1, 0)), (0, 0, 0), (0, 0, 0), (0, 1, 2), places


def _is_permutation(value: Any) -> bool:
    return many(integer(0))(value) and sorted(value) == list(range(len(value)))


@claim(
    "certificates.assignment",
    source=_SOURCE,
    category="theorem",
    cases=_duals,
    boundary=(((0, 0), (0, 0)), (0, 0), (0, 0), (0, 1), (0, 1)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(0, 2)] * 3)] * 3),
            st.tuples(*[st.integers(0, 2)] * 3),
            st.tuples(*[st.integers(-1, 1)] * 3),
            st.permutations(range(3)).map(tuple),
            st.permutations(range(3)).map(tuple),
        )
    ),
    applies=record(
        _square, many(integer()), many(integer()), _is_permutation, _is_permutation,
        where=lambda rows, *parts: {*map(len, parts)} == {len(rows)},
    ),
    near_misses=[
        NearMiss("a certificate that nobody checks",
                 (((1, 1), (1, 1)), (1, 1), (0, 0), (0, 1), (0, 1)), {"believe": True}),
    ],
)  # fmt: skip
def assignment(case: DualCase, believe: bool = False) -> bool | Fails:
    r"""If a certificate of a unique assignment passes, its permutation alone has the largest sum;
    if one of a tie passes (with the permutation read backwards as the other one), both have it.
    """
    rows, u, v, chosen, order = case
    at_most(len(rows), 7, "rows")
    subject, above, left = Matrix(rows, QQ), Matrix([u]), Matrix([v])
    best = _winners(rows)
    unique = UniqueAssignment(assignment=chosen, order=order, rows=above, columns=left)
    if _believed(unique, subject, believe) and best != {chosen}:
        return Fails(f"{chosen} passes as the only one, and the largest sum has {sorted(best)}")
    other = order if order != chosen else chosen[::-1]
    if other == chosen:
        return True
    tied = TiedAssignment(first=chosen, second=other, rows=above, columns=left)
    if tied.check(subject) and not {chosen, other} <= best:
        return Fails(f"{chosen} and {other} pass as tied, and the largest sum has {sorted(best)}")
    return True


# Rows, the groups before and after.
StageCase = tuple[Rows, tuple[int, ...], tuple[int, ...]]


def _stages() -> Iterator[StageCase]:
    groups = ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2))
    tables = (
        ((2, 1, 1), (1, 1, 1), (1, 1, 1)),
        ((1, 1, 1), (1, 1, 1), (1, 1, 1)),
        ((1, 2, 0), (2, 1, 0), (0, 0, 1)),
        ((2, 0, 1), (0, 2, 1), (1, 1, 2)),
        ((1, 1, 0), (0, 1, 1), (1, 0, 1)),
    )
    return product(tables, groups, groups)


@claim(
    "certificates.stage",
    source=_SOURCE,
    category="theorem",
    cases=_stages,
    boundary=(((1, 1, 1), (1, 1, 1), (1, 1, 1)), (0, 0, 0), (0, 1, 2)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(0, 2)] * 3)] * 3),
            st.tuples(*[st.integers(0, 2)] * 3),
            st.tuples(*[st.integers(0, 2)] * 3),
        )
    ),
    applies=record(
        _square, many(integer(0)), many(integer(0)),
        where=lambda rows, before, after: len(rows) == len(before) == len(after),
    ),
    near_misses=[
        NearMiss("gaps of a matrix that is not symmetric",
                 (((1, 1, 0), (0, 1, 1), (1, 0, 1)), (0, 0, 0), (0, 1, 2)), {"believe": True}),
    ],
)  # fmt: skip
def stage(case: StageCase, believe: bool = False) -> bool | Fails:
    r"""If a stage passes, then among the permutations that respect the groups before it the
    identity has the largest sum, only those that respect the groups after it have that sum too, and
    groups that were apart stay apart.
    """
    rows, before, after = case
    at_most(len(rows), 7, "rows")
    if not _believed(Stage(before=before, after=after), Matrix(rows, QQ), believe):
        return True
    sums = _sums(rows, lambda s: all(before[i] == before[j] for i, j in enumerate(s)))
    best = sums[tuple(range(len(rows)))]
    for s, total in sums.items():
        inside = all(after[i] == after[j] for i, j in enumerate(s))
        if total > best or (total == best) != inside:
            return Fails(f"{s} has the sum {total}, the identity {best}")
    mixed = any(
        before[i] != before[j] and after[i] == after[j]
        for i, j in combinations(range(len(rows)), 2)
    )
    return not mixed or Fails("rows of different groups are in one group after it")


# --- spectra --------------------------------------------------------------------------------------
# A block, the place j, the dimension, the trace.
TraceCase = tuple[Rows, int, int, Fraction]


def _traces() -> Iterator[TraceCase]:
    for a, b, c, d in product(range(-1, 2), (-1, 0, 1, 2), (-1, 0, 1, 2), range(4)):
        for place, dimension in ((1, 1), (2, 1), (1, 2)):
            yield ((a, b), (c, d)), place, dimension, Fraction(3)


def _roots_at_most(rows: Rows, bound: Fraction, place: int) -> bool:
    """Whether a 2 x 2 matrix has real eigenvalues, fewer than `place` of them above the bound."""
    (a, b), (c, d) = rows
    half, disc = Fraction(a + d, 2), Fraction((a - d) ** 2 + 4 * b * c, 4)
    if disc < 0:
        return False
    # half + sqrt(disc) > bound iff half > bound, or disc > (bound - half)^2.
    low, high = (
        half > bound and disc < (half - bound) ** 2,
        (half > bound or disc > (bound - half) ** 2),
    )
    return int(low) + int(high) < place


@claim(
    "certificates.trace-bound",
    source=_SOURCE,
    category="theorem",
    cases=_traces,
    boundary=(((3, 0), (0, 0)), 1, 1, Fraction(3)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-4, 4)] * 2)] * 2),
            st.integers(1, 2),
            st.integers(1, 4),
            st.integers(0, 9).map(Fraction),
        )
    ),
    applies=record(
        _square, integer(1), integer(1), number(),
        where=lambda rows, place, *_: place <= len(rows) == 2,
    ),
    near_misses=[
        NearMiss("without the dimension", (((2, 0), (0, 0)), 1, 2, Fraction(3)),
                 {"dimension": 1}),
    ],
)  # fmt: skip
def trace_bound(case: TraceCase, dimension: int | None = None) -> bool | Fails:
    r"""A certificate that the $j$-th largest eigenvalue of a $2 \times 2$ block is at most
    $t / (j d)$ passes iff its eigenvalues are real and this is so.
    """
    rows, place, size, trace = case
    certificate = TraceBoundHolds(place=place, dimension=size, trace=trace)
    bound = Fraction(trace) / (place * (dimension or size))
    right = _roots_at_most(rows, bound, place)
    return _verdict(certificate.check(Matrix(rows, QQ)), right, f"eigenvalue {place} <= {bound}")


# Rows, the columns of the basis, the blocks with their repeats.
BlockCase = tuple[Rows, Rows, tuple[tuple[Rows, int], ...]]
_BASIS = ((1, 1, 1), (1, -1, 0), (1, 0, -1))
_TURN = ((1, 1, 0, 0), (0, 0, 1, 1), (1, -1, 0, 0), (0, 0, 1, -1))


def _blocks() -> Iterator[BlockCase]:
    for a, b in product(range(3), range(-1, 2)):
        rows = tuple(tuple(a if i == j else b for j in range(3)) for i in range(3))
        for x, y in product((a + 2 * b, a), (a - b, a)):
            yield rows, _BASIS, ((((x,),), 1), (((y,),), 2))
    # Two blocks of two, the second of them repeated as a whole.
    pair = ((2, 1, 0, 0), (1, 2, 0, 0), (0, 0, 2, 1), (0, 0, 1, 2))
    units = tuple(tuple(int(i == j) for j in range(4)) for i in range(4))
    turned = (units[0], units[2], units[1], units[3])
    for basis in (units, turned):
        yield pair, basis, ((((2, 1), (1, 2)), 2),)
    yield pair, _TURN, ((((3,),), 2), (((1,),), 2))


def _spectrum_is(rows: Rows, blocks: tuple[tuple[Rows, int], ...]) -> bool:
    """Whether det(t - M) is the product of those of the blocks, at more points than its degree."""

    def characteristic(table: Rows, t: int) -> Fraction:
        return _determinant(
            tuple(
                tuple((t if i == j else 0) - x for j, x in enumerate(row))
                for i, row in enumerate(table)
            )
        )

    for t in range(len(rows) + 1):
        expected = Fraction(1)
        for block, repeats in blocks:
            expected *= characteristic(block, t) ** repeats
        if characteristic(rows, t) != expected:
            return False
    return True


@claim(
    "certificates.blocks",
    source=_SOURCE,
    category="theorem",
    cases=_blocks,
    boundary=(((0, 0, 0), (0, 0, 0), (0, 0, 0)), _BASIS, ((((0,),), 1), (((0,),), 2))),
    strategy=drawn(
        lambda st: st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3)).map(
            lambda v: (
                tuple(tuple(v[0] if i == j else v[1] for j in range(3)) for i in range(3)),
                _BASIS,
                ((((v[0] + 2 * v[1],),), 1), (((v[2],),), 2)),
            )
        )
    ),
    applies=record(
        _square, _square, many(record(_square, integer(1))),
        where=lambda rows, basis, blocks: len(rows) == len(basis) == sum(
            len(block) * repeats for block, repeats in blocks),
    ),
    near_misses=[
        NearMiss("a certificate that nobody checks",
                 (((1, 0, 0), (0, 1, 0), (0, 0, 1)), _BASIS, ((((1,),), 1), (((0,),), 2))),
                 {"believe": True}),
    ],
)  # fmt: skip
def blocks(case: BlockCase, believe: bool = False) -> bool | Fails:
    r"""A block form passes iff $M B = B D$ with $D$ made of the blocks, each times an identity, and
    $B$ is invertible; then $\det(t - M)$ is the product of those of the blocks, each to the power
    of its repeats. The columns of $B$ come block by block, and for each row of a block its repeats.
    """
    rows, basis, parts = case
    at_most(len(rows), 6, "rows")
    columns = Matrix(basis).transpose()
    det = _determinant(basis)
    residue = det.numerator * pow(det.denominator, -1, 10007) % 10007
    certificate = BlockDiagonal(
        basis=columns, blocks=tuple(Matrix(block) for block, _ in parts),
        repeats=tuple(times for _, times in parts), prime=10007, residue=residue,
    )  # fmt: skip
    passed = _believed(certificate, Matrix(rows, QQ), believe)
    if passed and not _spectrum_is(rows, parts):
        return Fails("it passes, and the characteristic polynomials differ")
    return believe or _verdict(passed, det != 0 and _is_block_form(rows, basis, parts), "blocks")


def _is_block_form(rows: Rows, basis: Rows, parts: tuple[tuple[Rows, int], ...]) -> bool:
    """Whether M sends each vector of the basis to the combination that its block says."""
    start = 0
    for block, times in parts:
        for j, t in product(range(len(block)), range(times)):
            image = _times(rows, basis[start + j * times + t])
            wanted = [Fraction(0)] * len(rows)
            for i in range(len(block)):
                vector = basis[start + i * times + t]
                wanted = [w + block[i][j] * x for w, x in zip(wanted, vector, strict=True)]
            if image != tuple(wanted):
                return False
        start += len(block) * times
    return True


# --- cases gone through again ---------------------------------------------------------------------
@attrs.frozen
class _Small:
    """A statement about the numbers up to a bound, as the certificates see one."""

    bound: int
    id: str = "demo.small"
    formerly: tuple[str, ...] = ()

    def sizes(self, parameters: Any) -> dict[str, Any]:
        return {"most": 5, **parameters}

    def list_cases(self, most: int = 5) -> Iterator[int]:
        return iter(range(most))

    def fails(self, case: int) -> str | None:
        return None if case < self.bound else f"{case} is too large"


@claim(
    "certificates.exhausted",
    source=_SOURCE,
    category="theorem",
    cases=lambda: product(range(7), range(6), range(5)),
    boundary=(5, 5, 5),
    strategy=drawn(lambda st: st.tuples(*[st.integers(0, 9)] * 3)),
    applies=record(*[integer(0)] * 3),
    near_misses=[
        NearMiss("a list that ends before the counterexample", (3, 5, 3), {"counted": False}),
    ],
)
def exhausted(case: tuple[int, int, int], counted: bool = True) -> bool | Fails:
    r"""A certificate that a statement holds in $n$ cases passes iff these are all cases, with the
    digest of their list, there is at least one, and it holds in each.
    """
    bound, most, count = case
    at_most(most, 1_000, "cases")
    running = CaseDigest()
    for n in range(count):
        running.add(n)
    certificate = Exhausted(
        claim="demo.small", parameters={"most": most}, count=count, digest=running.hexdigest()
    )
    right = count >= 1 and (count == most or not counted) and all(n < bound for n in range(count))
    return _verdict(certificate.check(_Small(bound)), right, f"{count} of {most} cases")
