"""K_tau is a Gram matrix, and what its series show of its rank."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Any

import attrs
import flint

from symbench.certificates import Certificate
from symbench.decide import certify
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, PowerSeries
from symbench.kernels import Diagram, attention
from symbench.kernels.derivatives.features import products
from symbench.ktau import TemplateMatrix, template_matrix
from symbench.papers._cases import at_most, drawn, integer, many, record
from symbench.papers._second_roads import (
    at_gamma,
    first_difference,
    is_seen,
    last_order,
    series_coefficients,
    template_entry,
)
from symbench.papers._templates import (
    Templates,
    are_templates,
    before_cls,
    every,
    subsets,
    template_sets,
    templates,
    without_cls,
)
from symbench.registry import Fails, NearMiss, claim

_MOST = 1_000  # templates


# --- one feature map per template -----------------------------------------------------------------
def _from_features(matrix: TemplateMatrix, i: int, j: int) -> dict[tuple[int, int], Fraction]:
    """The coefficients of one entry from features that are truncated at half the order."""
    full = matrix.features
    half = full.order // 2
    blocks = {key: block for key, block in full.blocks.items() if key[0] + 2 * key[1] <= half}
    short = attrs.evolve(full, blocks=blocks)
    found: dict[tuple[int, int], Fraction] = {}
    for *_, b, g, part in products(short, short):
        c = Fraction(int(part[i, j].p), int(part[i, j].q))
        found[b, g] = found.get((b, g), Fraction(0)) + c
    return {place: c for place, c in found.items() if c}


@claim(
    "symbench.gram",
    source="Theorem of symbench: one feature map per template",
    category="theorem",
    cases=lambda max_length=3: (
        (chosen, order)
        for n in range(1, max_length + 1)
        for chosen, order in (
            (every(n, "AB"[: 3 - n]), 4),
            (every(n)[-2:], 6),
            (templates(*("αβα"[:n], "αβγ"[:n], "βAB"[:n], "AAα"[:n])), 4),
        )
    ),
    boundary=(templates("A", "α"), 2),
    proof="proofs/symbench/gram.md",
    applies=record(without_cls, integer(0)),
    strategy=lambda: template_sets(max_size=3, max_length=3)().map(lambda chosen: (chosen, 4)),
    near_misses=[
        NearMiss("features to half the order only", (templates("αα", "αβ"), 2), {"half": True})
    ],
)
def gram(case: tuple[Templates, int], half: bool = False) -> bool | Fails:
    r"""$N_{ij} = \langle F_i, F_j \rangle$ for features $F_i$ that depend on template $i$ alone. To
    order $2n$ in $\beta$ the Hermite coefficients of degree $d \le n$ suffice, each to order
    $2n - d$. The products of features are compared, coefficient by coefficient, with the means that
    define the entries (softmax expanded, Gaussians paired), and with the kernel on the two strings.
    """
    cases, order = case
    at_most(len(cases), _MOST, "templates")
    at_most(order, 8, "the order")
    kernel = attention(order=order)
    matrix = template_matrix(cases, kernel)
    rows = matrix.matrix.rows
    for (i, z), (j, w) in product(enumerate(matrix.templates), repeat=2):
        expected = template_entry(z, w, order)
        found = _from_features(matrix, i, j) if half else series_coefficients(rows[i][j])
        if found != expected:
            place = next(p for p in expected if found.get(p) != expected[p])
            return Fails(
                f"{z}, {w}: beta^{place[0]} gamma^{place[1]}: {found.get(place, 0)}, "
                f"not {expected[place]}"
            )
        if i <= j and kernel.on_diagram(Diagram.of_templates(z, w)) != rows[i][j]:
            return Fails(f"the entry of {z}, {w} differs from the kernel's value")
    return True


# --- ranks from truncated series ------------------------------------------------------------------
# Polynomials in one variable, lowest coefficient first.
Rows = tuple[tuple[tuple[int, ...], ...], ...]
_PRECISION = 7  # of the series of attention: order 6
_GAMMA = Fraction(2, 3)  # generic enough: a rank seen here is one for generic gamma


def _certified(matrix: Matrix) -> Certificate | None:
    """The certificate of full rank, or None where the library has no answer."""
    try:
        return certify(matrix)
    except Undecided:
        return None


def _matrices(max_size: int) -> Iterator[tuple[Rows, int]]:
    """Matrices of polynomials with the precision to which they are known."""
    entries = ((0,), (1,), (0, 1), (1, 1))
    for four in product(entries, repeat=4):
        yield (four[:2], four[2:]), 2
    powers = [(0,) * n + (1,) for n in range(4)]
    for size in range(3, max_size + 1):
        # x^(i + j) has rank one, known to this precision or not; on the diagonal more is added.
        for precision, more in product((2, 3, 4, 7), (None, 0, 1, 2)):
            yield (
                tuple(
                    tuple(
                        (*powers[0][1:], *(0,) * (i + j), 1, *(0,) * (more or 0), int(i == j))
                        if more is not None
                        else (0,) * (i + j) + (1,)
                        for j in range(size)
                    )
                    for i in range(size)
                ),
                precision,
            )


def _is_case(value: Any) -> bool:
    """Whether this is a square matrix of polynomials with a precision, or templates."""
    if before_cls(value):
        return True
    polynomials = many(many(many(integer())))
    return record(polynomials, integer(1), where=lambda rows, _: _is_square(rows))(value)


def _is_square(rows: Rows) -> bool:
    return all(len(row) == len(rows) for row in rows)


def _drawn_matrices(st: Any) -> Any:
    entry = st.lists(st.integers(-2, 2), min_size=1, max_size=3).map(tuple)
    square = st.integers(1, 3).flatmap(
        lambda n: st.lists(
            st.lists(entry, min_size=n, max_size=n).map(tuple), min_size=n, max_size=n
        ).map(tuple)
    )
    return st.one_of(
        st.tuples(square, st.integers(1, 4)), template_sets(max_size=3, max_length=3)()
    )


@claim(
    "symbench.series-rank",
    source="Theorem of symbench: full rank over Q(gamma)[[beta]] from truncated series",
    category="theorem",
    cases=lambda max_length=3, max_size=3: (
        *subsets(min(max_length, 2), 3, token_below=3),
        *islice(combinations(every(max_length), 3), 0, None, 3),
        *_matrices(max_size),
    ),
    boundary=((((0,), (0, 1)), ((0, 1), (1,))), 2),
    applies=_is_case,
    strategy=drawn(_drawn_matrices),
    proof="proofs/symbench/series-rank.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss(
            "unknown coefficients taken for zero",
            ((((0,), (0, 1)), ((0, 1), (1,))), 2),
            {"reading": "zero"},
        ),
        NearMiss(
            "rows whose coefficients are independent over Q",
            ((((1,), (1,)), ((0, 1), (0, 1))), 2),
            {"reading": "coefficients"},
        ),
    ],
)
def series_rank(case: Any, reading: str = "unknown") -> Certificate | bool | Fails:
    r"""Let the entries of a square matrix of power series over $\mathbb{Q}$ or
    $\mathbb{Q}(\gamma)$ be known modulo $\beta^n$. Elimination with full pivoting (an entry of
    least valuation in the whole block) loses no precision, and certifies full rank iff every matrix
    with these known parts has it: iff the order of the last elementary divisor is below $n$. A
    deficiency is never certified. The order is computed again from all minors. The template
    matrices of the attention kernel, known to order 6 by definition, are certified at these
    lengths.
    """
    if are_templates(case):
        return _of_attention(case)
    rows, precision = case
    at_most(len(rows), 4, "rows")
    at_most(precision, 100, "the precision")
    at_most(max(len(c) for row in rows for c in row), 100, "coefficients")
    known = [[flint.fmpq_poly(list(c[:precision])) for c in row] for row in rows]
    ring = PowerSeries(QQ, "x", precision)
    matrix = Matrix([[ring.series(c) for c in row] for row in rows], ring)
    if reading == "zero":
        expected = last_order(known) is not None
    elif reading == "coefficients":
        flat = Matrix(
            [[x for c in row for x in (*c, *[0] * precision)[:precision]] for row in rows]
        )
        expected = flat.rank() == len(rows)
    else:
        expected = is_seen(known, precision)
    found = _certified(matrix)
    if (found is not None) != expected or _has_full_rank(matrix) != expected:
        text = f"full rank modulo x^{precision} is {'not ' * (found is None)}certified"
        return Fails(f"{text}, and should {'not ' * (not expected)}be")
    return found if found is not None else True


def _has_full_rank(matrix: Matrix) -> bool:
    """Whether the library says that the rank is full; otherwise it does not say more."""
    try:
        return matrix.rank() == matrix.shape[0]
    except Undecided:
        return False


def _of_attention(cases: Templates) -> Certificate | Fails:
    at_most(len(cases), 4, "templates")
    order = _PRECISION - 1
    found = template_matrix(cases, attention(order=order))
    matrix, closed = found.matrix, found.templates
    wrong = first_difference(closed, matrix.rows, order)
    if wrong:
        return Fails(wrong)
    for i, j in combinations(range(len(cases)), 2):
        if matrix.rows[i] == matrix.rows[j]:
            if cases[i].is_equivalent(cases[j]):
                return Fails(f"the rows of {cases[i]} and {cases[j]} are equal")
            raise Undecided(f"the rows of {cases[i]} and {cases[j]} are equal to order {order}")
    known = [
        [at_gamma(entry, _GAMMA, order) for entry in row]
        for row in ([template_entry(z, w, order) for w in closed] for z in closed)
    ]
    certificate = _certified(matrix)
    if certificate is None and not is_seen(known, _PRECISION):
        raise Undecided(f"full rank is not seen to order {order}")
    if certificate is None or not is_seen(known, _PRECISION):
        return Fails(f"full rank is certified {'not ' * (certificate is None)}rightly")
    return certificate
