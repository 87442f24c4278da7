"""A small certificate of every kind with its subject, and what it says, decided by definition."""

import functools
from fractions import Fraction
from itertools import permutations

import attrs
import flint

from symbench.certificates import (
    Counterexample,
    Nonsingular,
    NonsingularBalls,
    NotPositiveDefinite,
    PositiveDefinite,
    RankIs,
    Singular,
    TiedAssignment,
    UniqueAssignment,
)
from symbench.exact import (
    GF,
    QQ,
    ZZ,
    Balls,
    Exponentials,
    Matrix,
    PowerSeries,
    exponential_matrix,
)
from tests.exact.formal import Formal

(X,) = QQ["x"].gens
SERIES = PowerSeries(QQ, "b", 3)
HOLLOW = Matrix([[0, 1], [1, 0]])


def _with(certificate, subject):
    return attrs.evolve(certificate, subject=subject)


def matrix_samples():
    """Name -> certificate with its subject; each typed in by hand."""
    ones, squares = Matrix([[1, 1], [1, 1]]), Matrix([[X, X * X], [1, X]])
    series = Matrix([[1, SERIES.series([1, 1])], [1, 1]], SERIES)
    root = flint.arb(2).sqrt()
    long = Matrix([[1, 2, 3], [2, 4, 6]])
    return {
        "nonsingular": _with(Nonsingular(prime=7, residue=5), Matrix([[1, 2], [3, 4]])),
        "nonsingular rational": _with(
            Nonsingular(prime=7, residue=2), Matrix([["1/2", 0], [5, "1/2"]])
        ),
        "nonsingular field": _with(
            Nonsingular(prime=5, residue=3), Matrix([[1, 2], [3, 4]], GF(5))
        ),
        "nonsingular polynomials": _with(
            Nonsingular(prime=11, point={"x": 3}, residue=8, generic=True), Matrix([[X, 1], [1, X]])
        ),
        "nonsingular exponentials": _with(
            Nonsingular(prime=11, point={"q": 2}, residue=8 - 1, generic=True),
            exponential_matrix([["3/2", 0], [0, 0]]),
        ),
        "nonsingular series": _with(
            Nonsingular(prime=7, residue=6, valuation=1, generic=True), series
        ),
        "nonsingular empty": _with(Nonsingular(prime=2, residue=1), Matrix([])),
        "nonsingular-balls": _with(
            NonsingularBalls(bits=64), Matrix([[root, 1], [1, root]], Balls(64))
        ),
        "singular": _with(Singular(null=Matrix([[1], [-1]])), ones),
        "singular polynomials": _with(Singular(null=Matrix([[X], [-1]])), squares),
        "singular field": _with(
            Singular(null=Matrix([[1], [1]], GF(2))), Matrix([[1, 1], [1, 1]], GF(2))
        ),
        "singular exponentials": _with(
            Singular(null=Matrix([[1], [-1]], Exponentials("q"))),
            exponential_matrix([[1, 1], [0, 0]]),
        ),
        "rank": _with(
            RankIs(
                rank=1, rows=(0,), columns=(0,), prime=7, residue=1,
                null=Matrix([[-2, -3], [1, 0], [0, 1]]),
            ),
            long,
        ),
        "rank polynomials": _with(
            RankIs(
                rank=1, rows=(1,), columns=(0,), prime=7, point={"x": 2}, residue=1,
                null=Matrix([[-X], [1]]),
            ),
            squares,
        ),
        "rank zero": _with(
            RankIs(rank=0, rows=(), columns=(), prime=7, residue=1, null=Matrix.identity(2)),
            Matrix([[0, 0]]),
        ),
        "positive-definite": _with(
            PositiveDefinite(factor=Matrix([[1, -1], [0, 1]])), Matrix([[3, 3], [3, 5]])
        ),
        "positive-definite rational": _with(
            PositiveDefinite(factor=Matrix.identity(2)), Matrix([["1/2", "1/3"], ["1/3", "1/2"]])
        ),
        "not-positive-definite": _with(
            NotPositiveDefinite(direction=Matrix([[1], [-1]])), Matrix([[1, 2], [2, 1]])
        ),
        "not-positive-definite on the edge": _with(
            NotPositiveDefinite(direction=Matrix([[1], [-1]])), ones
        ),
        "unique-assignment": _with(
            UniqueAssignment(
                assignment=(0, 1), rows=Matrix([[3, 2]]), columns=Matrix([[0, 0]]), order=(1, 0)
            ),
            Matrix([[3, 1], [2, 2]]),
        ),
        "tied-assignment": _with(
            TiedAssignment(
                first=(0, 1), second=(1, 0), rows=Matrix([[1, 1]]), columns=Matrix([[0, 0]])
            ),
            ones,
        ),
    }  # fmt: skip


@functools.cache
def samples():
    """The certificates about matrices, and one of each kind about a claim."""
    from symbench.registry import claims, verify

    claim, case = claims["lavie2024.dimension-growth"], (2, 1, 1)
    exhausted = verify("lavie2024.dimension").certificate
    assert exhausted.kind == "exhausted"
    return {
        **matrix_samples(),
        "exhausted": exhausted,
        "counterexample": Counterexample(
            claim=claim.id, case=case, reason=claim.fails(case), subject=claim
        ),
    }


# --- what a certificate says, by definition -----------------------------------------------------
def _plain(matrix):
    formal = Formal(matrix.ring)
    return formal, formal.table(matrix), matrix.shape


def _leading_minors(matrix):
    formal, table, (size, _) = _plain(matrix)
    for k in range(1, size + 1):
        yield formal.det([row[:k] for row in table[:k]]).get((), Fraction(0))


def _sums(matrix):
    size = matrix.shape[0]
    return sorted(
        sum((Fraction(matrix[i, s[i]]) for i in range(size)), Fraction(0))
        for s in permutations(range(size))
    )


def is_true(certificate):
    """Whether what the certificate says of its own subject is true."""
    subject, kind = certificate.subject, certificate.kind
    if kind == "nonsingular-balls":
        return True  # no oracle: the enclosure is FLINT's
    if kind in ("exhausted", "counterexample"):
        return True  # run again by the registry, whose tests are elsewhere
    formal, table, shape = _plain(subject)
    if kind == "nonsingular":
        if isinstance(subject.ring, PowerSeries):
            # Below the precision every coefficient is known; no sample is changed beyond it.
            return shape[0] == shape[1] and formal.det(table) != {}
        return shape[0] == shape[1] and formal.det(table) != {}
    if kind == "singular":
        return shape[0] == shape[1] and formal.det(table) == {}
    if kind == "rank":
        return formal.rank(table, shape) == certificate.rank
    if kind in ("positive-definite", "not-positive-definite"):
        symmetric = table == [list(column) for column in zip(*table, strict=True)]
        definite = all(m > 0 for m in _leading_minors(subject))
        return symmetric and definite == (kind == "positive-definite")
    sums = _sums(subject)
    unique = len(sums) == 1 or sums[-1] > sums[-2]
    if kind == "tied-assignment":
        return not unique
    best = sum((Fraction(subject[i, j]) for i, j in enumerate(certificate.assignment)), Fraction(0))
    return unique and best == sums[-1]


RINGS = (ZZ, QQ, GF(7), QQ["x"], Exponentials("q"), SERIES, Balls(64))
