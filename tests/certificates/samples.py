"""A small certificate of every kind with its subject, and what it says, decided by definition."""

import functools
from fractions import Fraction
from itertools import permutations, product
from math import prod

import attrs
import flint

from symbench.certificates import (
    BlockDiagonal,
    Counterexample,
    EquivariantTraining,
    HeadComputes,
    KernelFacts,
    ModularPoints,
    Nonsingular,
    NonsingularBalls,
    NotPositiveDefinite,
    OnePoint,
    PositiveDefinite,
    RankIs,
    RidgePrediction,
    Singular,
    Stage,
    TemplateRank,
    Templates,
    TiedAssignment,
    TraceBoundHolds,
    TypeRank,
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
    Rational,
    exponential_matrix,
)
from tests.certificates.regression import is_true as regression_is_true
from tests.certificates.training import is_true as training_is_true
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
        "nonsingular with an inverse": _with(
            Nonsingular(prime=7, residue=2, modulus=3, inverse=Matrix([[1, 1], [0, 1]])),
            Matrix([["1/2", 1], [0, "1/2"]]),
        ),
        "nonsingular series with a frame": _with(
            Nonsingular(
                prime=7, residue=1, valuation=4, generic=True, orders=(2, 2),
                frame=Matrix.identity(2, QQ["b"]),
            ),
            Matrix([[SERIES.series([0, 0, 1]), 0], [0, SERIES.series([0, 0, 1])]], SERIES),
        ),
        "nonsingular-balls": _with(
            NonsingularBalls(bits=64, inverse=Matrix([["7/5", -1], [-1, "7/5"]])),
            Matrix([[root, 1], [1, root]], Balls(64)),
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
        "positive-definite by a Gram matrix": _with(
            PositiveDefinite(scale=2, gram=Matrix([[1, 1]])), Matrix([[2, "3/4"], ["3/4", 1]])
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
        "stage": _with(
            Stage(before=(0, 0, 1), after=(0, 1, 2)), Matrix([[2, 1, 9], [1, 1, 9], [9, 9, 0]])
        ),
        "block-form": _with(
            BlockDiagonal(
                basis=Matrix([[1, 1, 0], [1, -1, 1], [1, 0, -1]]),
                blocks=(Matrix([[4]]), Matrix([[1]])), repeats=(1, 2), prime=7, residue=3,
            ),
            Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 2]]),
        ),
        "trace-bound": _with(
            TraceBoundHolds(place=2, dimension=3, trace=Rational(25, 2)), Matrix([[5, 1], [1, 1]])
        ),
        # Scores 1, 1, 1/2 twice, -1/4 and 0: weights 32, 32, 8, 8, 1 and 2.
        "head-computes": _with(
            HeadComputes(
                sparsity=2, length=5, key=Matrix([["4/5"], ["4/5"]]), denominator=4,
                base=Rational(2), counts=(2, 1), error=Rational(36, 83),
            ),
            Matrix([[1, "1/4"], ["1/4", 1], ["5/16", "5/16"], ["-5/8", "5/16"]]),
        ),
        # Both weights that meet the samples go from 1 to 1/2 and to 7/16.
        # (K + 1) a = k(x) with the rows 9 6 5, 6 9 4, 5 4 7 and the right side 6, 6, 5.
        "ridge-prediction": _with(
            RidgePrediction(
                patterns=(0, 0, 1), own=Matrix([[8], [6]]), column=Matrix([[6], [4]]),
                meetings=Matrix([[0, 2, 5], [2, 3, 5]]), ridge=Rational(1),
                labels=Matrix([[1], [1], [-1]]),
                weights=Matrix([["15/62"], ["11/31"], ["21/62"]]), prediction=Rational(8, 31),
            ),
            Matrix([[6, 4], [4, 4]]),
        ),
        # Nobody meets: 9 a + 4 b = 6, 4 a + 7 b = 4.
        "ridge-prediction apart": _with(
            RidgePrediction(
                patterns=(0, 1), own=Matrix([[8], [6]]), column=Matrix([[6], [4]]),
                ridge=Rational(1), labels=Matrix([[1], [-1]]),
                weights=Matrix([["26/47"], ["12/47"]]), prediction=Rational(14, 47),
            ),
            Matrix([[6, 4], [4, 4]]),
        ),
        "equivariant-training": _with(
            EquivariantTraining(
                permutation=(0, 2, 1), tests=Matrix([[0, 1, 0, 1], [0, 0, 1, 0]]), widths=(1,),
                starts=Matrix([[1, 1, 0, 1], [1, 0, 1, 1]]), rate=Rational(1, 4),
                momentum=Rational(1, 2), decay=Rational(0), batch=1, error=Rational(337, 512),
            ),
            Matrix([[1, 0, 0, 0], [1, 0, 0, 1]]),
        ),
        # The mean slope of the two samples is -2, and the decay adds half of each weight.
        "equivariant-training polynomial": _with(
            EquivariantTraining(
                permutation=(0, 2, 1), tests=Matrix([[0, 1, 0, 0], [0, 0, 1, 1]]), widths=(1,),
                starts=Matrix([[1, 2, 2, 1]]), activation=Matrix([[0, 0, 1]]),
                rate=Rational(1, 2), momentum=Rational(0), decay=Rational(1, 2), batch=2,
                error=Rational(3969, 256),
            ),
            Matrix([[1, 0, 0, 1], [1, 0, 0, 3]]),
        ),
    }  # fmt: skip


# The pair of same and different, and three more templates.
ROWS = ((-1, -1, 0), (-1, -2, 0), (0, -1, 0), (-1, 1, 0), (1, 1, 0))


def _templates(kernel, rows=ROWS):
    """Templates with letters that a person reads."""
    letters = {-1: "α", -2: "β", 0: "CLS", 1: "A"}
    named = tuple(tuple(letters[a] for a in row) for row in rows)
    seen = dict.fromkeys(a for row in named for a in row)
    return Templates(
        tuple(a for a in seen if a in ("CLS", "A")),
        tuple(a for a in seen if a in ("α", "β")),
        named,
        labels=tuple(str(n) for n in range(len(rows))),
        kernel=kernel,
    )


def template_samples():
    """Name -> certificate about templates, each typed in by hand."""
    softmax, twice = KernelFacts(), (*ROWS, (-2, -1, 0))
    point = {"xi": (1, 2, -3), "y": (5, 7)}
    end = KernelFacts(scale="appendix-H")
    nothing = Rational(0)
    return {
        "one-point": _with(OnePoint(**point), _templates(softmax)),
        "one-point relu": _with(OnePoint(**point), _templates(KernelFacts(activation=("relu",)))),
        "one-point (23)": _with(
            OnePoint(xi=(1, 2, -3), y=(5,)),
            _templates(end, ((-1, -1, 0), (-1, 0, -1), (-1, -2, 0), (-1, -2, -1))),
        ),
        "one-point generic": _with(OnePoint(**point), _templates(None)),
        "template-rank generic": _with(TemplateRank(rank=5, **point), _templates(None, twice)),
        "modular-points": _with(
            ModularPoints(prime=7, base=3, points=Matrix([[0, 0, 0, 0], [1, 1, -2, 0]]), residue=5),
            _templates(softmax, ROWS[:2]),
        ),
        "template-rank": _with(TemplateRank(rank=5, **point), _templates(softmax, twice)),
        "type-rank": _with(
            TypeRank(rank=5), _templates(KernelFacts(gamma=nothing), (*ROWS, (1, -1, 0)))
        ),
        "singular templates": _with(
            Singular(null=Matrix([[0], [1], [0], [0], [0], [-1]])), _templates(None, twice)
        ),
        "singular without positions": _with(
            Singular(null=Matrix([[0], [0], [0], [1], [0], [-1]])),
            _templates(KernelFacts(gamma=nothing, beta=Rational(1, 2)), (*ROWS, (1, -1, 0))),
        ),
        "singular without normalisation": _with(
            Singular(null=Matrix([["1/2"], ["-1/2"], [0], [0], [0]])),
            _templates(KernelFacts(normalised=False)),
        ),
    }


@functools.cache
def samples():
    """The certificates about matrices and templates, and one of each kind about a claim."""
    from symbench.registry import claims, verify

    claim, case = claims["lavie2024.one-hot"], (3, 3, 2)
    exhausted = verify("lavie2024.dimension").certificate
    assert exhausted.kind == "exhausted"
    return {
        **matrix_samples(),
        **template_samples(),
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


def _pattern(row, wildcards, *, per_place=False):
    """A template as which places hold which token, and which places hold equal wildcards."""
    tokens = tuple((n, a) for n, a in enumerate(row) if a not in wildcards)
    if per_place:
        return tokens
    blocks = {a: tuple(n for n, b in enumerate(row) if b == a) for a in row if a in wildcards}
    return tokens, tuple(sorted(blocks.values()))


def _type(row, wildcards):
    tokens = tuple(sorted((a, row.count(a)) for a in set(row) if a not in wildcards))
    return tokens, tuple(sorted(row.count(a) for a in set(row) if a in wildcards))


def _is_true_of_templates(certificate):
    subject, kind = certificate.subject, certificate.kind
    kernel, wildcards = subject.kernel, set(subject.wildcards)
    patterns = [_pattern(row, wildcards) for row in subject.rows]
    types = [_type(row, wildcards) for row in subject.rows]
    with_token = {t for t in types if t[0]}
    if kind == "singular":
        if kernel is None or (kernel.normalised and kernel.gamma != 0):
            seen = patterns
        elif kernel.normalised:
            if kernel.activation is None and len(with_token) < len(set(types)):
                return True
            seen = types
        else:
            seen = [_pattern(row, wildcards, per_place=True) for row in subject.rows]
        return len(set(seen)) < len(seen)
    wanted = certificate.rank if kind == "template-rank" else len(patterns)
    if kernel is None:  # of generic values
        return kind in ("one-point", "template-rank") and len(set(patterns)) == wanted
    if not kernel.normalised or kernel.beta == 0:
        return False
    if kind == "type-rank":
        return kernel.gamma == 0 and len(with_token) == certificate.rank
    return kernel.gamma != 0 and len(set(patterns)) == wanted


def _is_true_of_spectrum(certificate):
    subject = certificate.subject
    size = subject.shape[0]
    if certificate.kind == "stage":
        rows = [[Fraction(x) for x in row] for row in subject.rows]
        for s in permutations(range(size)):
            if all(certificate.before[i] == certificate.before[j] for i, j in enumerate(s)):
                gap = sum((rows[i][i] - rows[i][j] for i, j in enumerate(s)), Fraction(0))
                respects = all(
                    certificate.after[i] == certificate.after[j] for i, j in enumerate(s)
                )
                if gap < 0 or (gap == 0) != respects:
                    return False
        return True
    if certificate.kind == "block-form":
        blocks = list(zip(certificate.blocks, certificate.repeats, strict=True))
        return sum(b.shape[0] * r for b, r in blocks) == size and all(
            _shifted_det(subject, t) == prod(_shifted_det(b, t) ** r for b, r in blocks)
            for t in range(size + 1)
        )
    import sympy

    polynomial = subject.to_sympy().charpoly(sympy.Symbol("x")).as_expr()
    roots = sympy.real_roots(polynomial)
    bound = certificate.trace / (certificate.place * certificate.dimension)
    if len(roots) < size or certificate.place > size:
        return False
    return bool(
        sorted(roots)[-certificate.place] <= sympy.Rational(bound.numerator, bound.denominator)
    )


def _shifted_det(matrix, t):
    """det(t - M), by Leibniz."""
    formal, size = Formal(QQ), matrix.shape[0]
    shifted = Matrix([[(t if i == j else 0) - x for j, x in enumerate(row)]
                      for i, row in enumerate(matrix.rows)], QQ)  # fmt: skip
    return formal.det(formal.table(shifted)).get((), Fraction(0)) if size else Fraction(1)


def _is_true_of_heads(certificate):
    """Every word is gone through, with the scores as they are."""
    rows = [[Fraction(x) for x in row] for row in certificate.subject.rows]
    key = [Fraction(row[0]) for row in certificate.key.rows]
    scores = [sum((x * c for x, c in zip(row, key, strict=True)), Fraction(0)) for row in rows]
    s, counts = certificate.sparsity, (1,) * certificate.sparsity + certificate.counts
    each = [r for r, n in zip(scores, counts, strict=True) for _ in range(n)]
    powers = [Fraction(certificate.base) ** int(r * certificate.denominator) for r in (*each, 0)]
    worst = max(
        abs(
            sum(x * w for x, w in zip(signs, powers[:-1], strict=True)) / sum(powers)
            - Fraction(sum(signs[:s]), s)
        )
        for signs in product((-1, 1), repeat=len(each))
    )
    return len(each) == certificate.length and worst == certificate.error


def is_true(certificate):
    """Whether what the certificate says of its own subject is true."""
    subject, kind = certificate.subject, certificate.kind
    if isinstance(subject, Templates):
        return _is_true_of_templates(certificate)
    if kind == "head-computes":
        return _is_true_of_heads(certificate)
    if kind == "ridge-prediction":
        return regression_is_true(certificate.to_json(), subject.to_json())
    if kind == "equivariant-training":
        return training_is_true(certificate.to_json(), subject.to_json())
    if kind in ("stage", "block-form", "trace-bound"):
        return _is_true_of_spectrum(certificate)
    if kind == "nonsingular-balls":
        return True  # no oracle: the enclosure is FLINT's
    if kind in ("exhausted", "counterexample"):
        return True  # run again by the registry, whose tests are elsewhere
    formal, table, shape = _plain(subject)
    if kind == "nonsingular":
        if isinstance(subject.ring, PowerSeries) and certificate.frame is not None:
            # A completion by zeros, known far enough to see its determinant.
            ring = PowerSeries(subject.ring.base, subject.ring.variable, 12)
            longer = [[ring.series(x.coefficients) for x in row] for row in subject.rows]
            formal, table, shape = _plain(Matrix(longer, ring))
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
