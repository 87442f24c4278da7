"""Which permutation has the largest sum: condition (22) of boix2024, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from symbench.certificates import Certificate, Singular, Stage, TiedAssignment, UniqueAssignment
from symbench.decide import certify
from symbench.errors import Undecided
from symbench.exact import QQ, ZZ, Matrix, Rational, exponential_matrix
from symbench.kernels import attention, inner_product
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, integer, many
from symbench.papers._second_roads import determinant, first_difference, fresh
from symbench.papers._symmetric_groups import sign
from symbench.papers._templates import (
    Templates,
    all_at_once,
    are_templates,
    before_cls,
    every,
    inequivalent,
    template_sets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim

_MOST = 5  # rows whose permutations are all gone through
_PRIME = 2**31 - 1


# --- a unique maximum -----------------------------------------------------------------------------
def _is_square(value: Any) -> bool:
    """Whether this is a square matrix of rational numbers."""
    if not isinstance(value, Matrix) or value.ring not in (ZZ, QQ):
        return False
    return value.shape[0] == value.shape[1] >= 1


def _small_matrices(max_size: int = 3) -> Iterator[Matrix]:
    for size in range(1, max_size + 1):
        every_matrix = product((0, 2, 1), repeat=size * size)
        for n, flat in enumerate(every_matrix):
            if size < 3 or n % 211 == 0:
                yield Matrix([flat[size * i : size * (i + 1)] for i in range(size)])


def _squares(st: Any) -> Any:
    def of_size(n: int) -> Any:
        return st.lists(
            st.lists(st.integers(-2, 3), min_size=n, max_size=n), min_size=n, max_size=n
        )

    return st.integers(1, 4).flatmap(of_size).map(Matrix)


@claim(
    "symbench.unique-assignment",
    source="Theorem of symbench: what shows condition (9)/(22) of boix2024 without r! permutations",
    category="theorem",
    cases=_small_matrices,
    boundary=Matrix([[0, 0], [0, 0]]),
    strategy=drawn(_squares),
    applies=_is_square,
    proof="proofs/symbench/unique-assignment.md",
    near_misses=[
        NearMiss(
            "dual numbers alone, without an order", Matrix([[0, 0], [0, 0]]), {"reading": "dual"}
        ),
        NearMiss(
            "a determinant that is not zero only if the maximum is unique",
            Matrix([[0, 0, -1], [-1, 0, 0], [0, -1, 0]]),
            {"reading": "only if"},
        ),
    ],
)
def unique_assignment(c: Matrix, reading: str = "order") -> Certificate | Fails:
    r"""The sum $\sum_i C_{i,\sigma(i)}$ of a rational square matrix is largest for one permutation
    alone iff there are numbers with $C_{ij} \le u_i + v_j$, equal on the permutation, and an order
    of the rows in which every other tight entry points forward. Then $\det [q^{C_{ij}}]$ is not
    zero: its leading term has the coefficient $\pm 1$. All permutations are gone through, and the
    determinant is the sum over them.
    """
    size = c.shape[0]
    at_most(size, _MOST, "rows")
    rows = [[Fraction(x) for x in row] for row in c.rows]
    sums: dict[Fraction, int] = {}
    best: dict[Fraction, list[tuple[int, ...]]] = {}
    for sigma in permutations(range(size)):
        total = sum((rows[i][j] for i, j in enumerate(sigma)), Fraction(0))
        sums[total] = sums.get(total, 0) + sign(sigma)
        best.setdefault(total, []).append(sigma)
    largest = max(best)
    found = certify(c, question="unique-assignment")
    if not isinstance(found, (UniqueAssignment, TiedAssignment)) or not found.check(c):
        return Fails("there is no certificate of a unique or of a tied maximum")
    dual = all(
        u + v >= x
        for u, row in zip(found.rows.rows[0], rows, strict=True)
        for v, x in zip(found.columns.rows[0], row, strict=True)
    )
    unique = dual if reading == "dual" else isinstance(found, UniqueAssignment)
    if unique != (len(best[largest]) == 1):
        return Fails(f"{len(best[largest])} permutations reach the largest sum")
    if isinstance(found, UniqueAssignment) and found.assignment != best[largest][0]:
        return Fails(f"the largest sum is that of {best[largest][0]}")
    if isinstance(found, TiedAssignment) and not {found.first, found.second} <= {*best[largest]}:
        return Fails("one of the two permutations does not reach the largest sum")
    terms = {Fraction(e): Fraction(k) for e, k in exponential_matrix(c).det().terms}
    if terms != {e: k for e, k in sums.items() if k}:
        return Fails("the determinant is not the sum over all permutations")
    if unique and abs(terms.get(largest, 0)) != 1:
        return Fails("the leading term does not survive")
    if reading == "only if" and terms and not unique:
        return Fails("the maximum is tied, and the determinant is not zero")
    return found


# --- for Gram matrices it is a condition on pairs -------------------------------------------------
_PAIRINGS = templates("ααββ", "αβαβ", "αββα")  # told apart at beta^6 gamma^4, not before


def _is_case(value: Any) -> bool:
    """Whether these are templates before CLS, or integer vectors of one length."""
    if before_cls(value):
        return True
    return many(many(integer()))(value) and len(set(map(len, value))) == 1


def _vectors(max_length: int) -> Iterator[Any]:
    """Templates and, as Gram matrices by themselves, small sets of integer vectors."""
    yield from (every(n, "A"[: n < 4]) for n in range(1, max_length))
    if max_length >= 4:
        yield _PAIRINGS
    plane = list(product((0, 1, -2), (0, 2)))
    yield from combinations(plane, 3)
    yield from ((v, w, v, (5, 5)) for v, w in combinations(plane, 2))


def _drawn_vectors(st: Any) -> Any:
    lists = st.integers(1, 3).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-3, 3), min_size=n, max_size=n).map(tuple), min_size=1, max_size=4
        ).map(tuple)
    )
    return st.one_of(lists, template_sets(max_size=3, max_length=3)())


@claim(
    "symbench.pairwise-condition",
    source="Theorem of symbench: condition (9)/(22) of boix2024 is pairwise for Gram matrices",
    category="theorem",
    cases=lambda max_length=4: _vectors(max_length),
    boundary=templates("αα", "αβ"),
    applies=_is_case,
    strategy=drawn(_drawn_vectors),
    proof="proofs/symbench/pairwise-condition.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("a form that is not positive", ((0,), (1,)), {"sign": -1}),
        NearMiss("order 4 only: the pairings of four positions", _PAIRINGS, {"order": 4}),
    ],
)
def pairwise_condition(case: Any, order: int = 6, sign: int = 1) -> Certificate | Fails:
    r"""For a Gram matrix $\sum_i N_{ii} - \sum_i N_{i\sigma(i)} = \frac12 \sum_i |f_i -
    f_{\sigma(i)}|^2$, so (22) says that $N_{ii} + N_{jj} > 2 N_{ij}$ for all $i \neq j$, that the
    features are pairwise different, and that the identity is the unique maximum. For the
    attention kernel the gap of inequivalent templates is a series whose first coefficient (up to
    $\beta^6$ at these lengths) is positive for every $\gamma \neq 0$: a polynomial in $\gamma^2$
    with coefficients $\ge 0$. Entries are those of the definition, and permutations are gone
    through one by one.
    """
    if are_templates(case):
        return _gaps(case, order, later=order == 6)
    at_most(len(case), _MOST, "vectors")
    f = Matrix([[Rational(x) for x in vector] for vector in case], QQ)
    gram = f @ f.transpose() * Rational(sign)
    found = certify(gram, question="unique-assignment")
    size = range(len(case))
    identity = tuple(size)
    condition = True
    for sigma in permutations(size):
        gap = sum(gram[i, i] - gram[i, sigma[i]] for i in size)
        apart = sum(
            (x - y) ** 2 for i in size for x, y in zip(case[i], case[sigma[i]], strict=True)
        )
        if 2 * gap != sign * apart:
            return Fails(f"the gap of {sigma} is {gap}, not half of {apart}")
        condition = condition and (gap != 0 or sigma == identity)
    answers = {
        condition,
        len(set(case)) == len(case),
        all(gram[i, i] + gram[j, j] > 2 * gram[i, j] for i, j in combinations(size, 2)),
        isinstance(found, UniqueAssignment) and found.assignment == identity,
    }
    return found if len(answers) == 1 else Fails("condition (22) and that on pairs differ")


def _gaps(cases: Templates, order: int, *, later: bool) -> Certificate | Fails:
    """Whether every pair has a gap to this order, and the first coefficient is positive.

    If gaps may come later, none to this order says nothing of inequivalent templates.
    """
    at_most(len(cases), 1_000, "templates")
    found = template_matrix(cases, attention(order=order))
    matrix = found.matrix
    wrong = first_difference(found.templates, matrix.rows, order, most=10)
    if wrong:
        return Fails(wrong)
    for i, j in combinations(range(len(cases)), 2):
        gap = matrix[i, i] + matrix[j, j] - matrix[i, j] - matrix[j, i]
        first = next((c for c in gap.coefficients if c != 0), None)
        if first is None:
            text = f"{cases[i]}, {cases[j]}: no gap up to beta^{order}"
            if later and not cases[i].is_equivalent(cases[j]):
                raise Undecided(text)
            return Fails(text)
        if any(c <= 0 for c in QQ["gamma"].terms(first).values()):
            return Fails(f"{cases[i]}, {cases[j]}: the first gap is {first}")
    for sigma in permutations(range(len(cases))) if len(cases) <= _MOST else ():
        if sigma == tuple(range(len(cases))):
            continue
        total = sum((matrix[i, i] - matrix[i, j] for i, j in enumerate(sigma)), matrix[0, 0] * 0)
        first = next((c for c in total.coefficients if c != 0), None)
        if first is None or any(c <= 0 for c in QQ["gamma"].terms(first).values()):
            return Fails(f"the sum of {sigma} is not below that of the identity")
    return _positive_near_zero(matrix)


def _positive_near_zero(matrix: Matrix) -> Certificate:
    """The certificate that all gaps of the truncated series are positive at a small beta.

    Where the first coefficients are positive, every beta that is small enough will do.
    """
    terms = QQ["gamma"].terms
    size = matrix.shape[0]
    at_one = [
        [[sum(terms(c).values()) for c in x.coefficients] for x in row] for row in matrix.rows
    ]
    for bits in (4, 16, 64, 256):
        beta = Rational(1, 2**bits)
        rows = [[sum(c * beta**n for n, c in enumerate(x)) for x in row] for row in at_one]
        found = Stage(
            before=(0,) * size,
            after=tuple(range(size)),
            subject=Matrix(rows, QQ),
            about={"matrix": f"the series of N to this order at beta = 2^-{bits}, gamma = 1"},
        )
        if found.check():
            return found
    raise Undecided("the gaps are positive at no beta that was tried")


# --- incidences: what an MLP needs to see equal symbols -------------------------------------------
def _inner_product(z: Any, w: Any, incidence: bool) -> int:
    """<X, Y>, with incidence plus <XX^T, YY^T>, the matrices written out and multiplied."""
    x, y = fresh(z, "left"), fresh(w, "right")
    letters = list(dict.fromkeys((*x, *y)))
    one, two = ([[int(a == letter) for letter in letters] for a in string] for string in (x, y))

    def inner(a: list[list[int]], b: list[list[int]]) -> int:
        return sum(p * q for r, s in zip(a, b, strict=True) for p, q in zip(r, s, strict=True))

    def square(a: list[list[int]]) -> list[list[int]]:
        return [[sum(p * q for p, q in zip(r, s, strict=True)) for s in a] for r in a]

    return inner(one, two) + (inner(square(one), square(two)) if incidence else 0)


@claim(
    "symbench.incidence",
    source="Theorem of symbench on the data augmentation of boix2024 (inputs X and XX^T)",
    category="theorem",
    cases=lambda max_length=4, max_tokens=1: all_at_once(max_length, max_tokens),
    boundary=templates("αα", "αβ"),
    applies=inequivalent,
    strategy=template_sets(max_length=6),
    proof="proofs/symbench/incidence.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("without the incidence matrix", templates("αα", "αβ"), {"incidence": False}),
    ],
)
def incidence(cases: Templates, incidence: bool = True) -> Certificate | Fails:
    r"""An MLP whose input is $X$ together with $XX^\top$ has the kernel $\kappa(s)$, $s = \langle
    X, Y\rangle + \langle XX^\top, YY^\top\rangle$. Its template matrix is nonsingular for generic
    $\kappa$ iff the templates are pairwise inequivalent. The exponents $s_{ij}$ are a Gram matrix
    of features (the places of the regular tokens, and the incidence matrix) that differ for
    inequivalent templates, so the identity is the unique maximum of $\sum_i s_{i\sigma(i)}$, and
    already $\kappa(s) = q^s$ gives a determinant that is not zero. The $s_{ij}$ are computed again
    by multiplying the matrices, and the determinant at $q = 3$ modulo a prime.
    """
    at_most(len(cases), 500, "templates")
    found = template_matrix(cases, inner_product(lambda s: s, incidence=incidence)).matrix
    expected = [[_inner_product(z, w, incidence) for w in cases] for z in cases]
    if [list(row) for row in found.rows] != expected:
        return Fails("an inner product is not that of the matrices multiplied out")
    unique = certify(found, question="unique-assignment")
    if not unique.check():
        raise Undecided("the assignment that was found does not check")
    if not isinstance(unique, UniqueAssignment) or unique.assignment != (*range(len(cases)),):
        return Fails("the identity is not the unique maximum")
    for i, j in combinations(range(len(cases)), 2):
        if expected[i][i] + expected[j][j] <= 2 * expected[i][j]:
            return Fails(f"{cases[i]} and {cases[j]} have equal features")
    certificate = certify(template_matrix(cases, inner_product(incidence=incidence)).matrix)
    if isinstance(certificate, Singular):
        return Fails(certificate.explain())
    if determinant([[pow(3, s, _PRIME) for s in row] for row in expected], _PRIME) == 0:
        raise Undecided("the determinant of 3^s vanishes modulo the prime")
    return certificate
