"""K_tau is a Gram matrix, and what its series show."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import attrs

from symbench.certificates import Certificate, Stage
from symbench.decide import certify
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import Diagram, attention
from symbench.kernels.derivatives.features import products
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    inequivalent,
    subsets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim

_MOST = 1_000  # templates


def _features_truncated(cases: Templates) -> bool | Fails:
    """The variant in which features to order 1 should give the kernel to order 2."""
    matrix = template_matrix(cases, attention(order=2))
    full = matrix.features
    blocks = {key: block for key, block in full.blocks.items() if key[0] + 2 * key[1] <= 1}

    def at_order_two(vectors: Any) -> Any:
        first, *others = (m for *_, i, j, m in products(vectors, vectors) if (i, j) == (2, 0))
        return sum(others, first)

    short, long = at_order_two(attrs.evolve(full, blocks=blocks)), at_order_two(full)
    return bool(short == long) or Fails(f"beta^2: {short[0, 0]}, not {long[0, 0]}")


@claim(
    "symbench.gram",
    source="Theorem of symbench: one feature map per template",
    category="theorem",
    cases=lambda max_length=3: (every(n, "A"[: n < 3]) for n in range(1, max_length + 1)),
    boundary=templates("A", "α"),
    proof="proofs/symbench/gram.md",
    applies=before_cls,
    near_misses=[
        NearMiss("features to half the order only", templates("αα", "αβ"), _features_truncated)
    ],
)
def gram(cases: Templates) -> bool | Fails:
    r"""$N_{ij} = \langle F_i, F_j \rangle$ for features $F_i$ that depend on template $i$ alone. To
    order $2n$ in $\beta$ the Hermite coefficients of degree $d \le n$ suffice, each to order
    $2n - d$. Checked coefficient by coefficient against the kernel on pairs of strings.
    """
    at_most(len(cases), _MOST, "templates")
    kernel = attention(order=4)
    together = template_matrix(cases, kernel)
    for i, z in enumerate(together.templates):
        for j, w in enumerate(together.templates):
            if kernel.on_diagram(Diagram.of_templates(z, w)) != together.matrix[i, j]:
                return Fails(f"the entry of {z}, {w} differs from the kernel's value")
    return True


def _too_low(cases: Templates) -> Certificate | Fails:
    """The variant with order 2: what is then undecided counts as a failure."""
    try:
        return certify(template_matrix(cases, attention(order=2)).matrix)
    except Undecided as error:
        return Fails(str(error))


@claim(
    "symbench.series-rank",
    source="Theorem of symbench: full rank over Q(gamma)[[beta]] from truncated series",
    category="theorem",
    cases=lambda max_length=3: subsets(max_length, 1, 2, 3),
    boundary=templates("αα", "αβ"),
    applies=before_cls,
    near_misses=[
        NearMiss(
            "an order too low (undecided, so not certified)",
            templates("ααβ", "αβα", "αββ"),
            _too_low,
        ),
        NearMiss("equivalent templates", templates("αβ", "βα")),
    ],
)
def series_rank(cases: Templates) -> Certificate | Fails:
    r"""Elimination with full pivoting (an entry of least valuation in the whole block) over
    $\mathbb{Q}(\gamma)[[\beta]]$ known modulo $\beta^{n+1}$ loses no precision: every pivot that is
    seen to be nonzero is. So full rank is certified, for generic $\gamma$ and small $\beta > 0$:
    here that of the attention kernel, to order 6. A deficiency never is, and where the order is too
    low there is no answer.
    """
    at_most(len(cases), _MOST, "templates")
    matrix = template_matrix(cases, attention(order=6))
    if not inequivalent(cases):
        return Fails("equivalent templates have equal rows for every kernel")
    return certify(matrix.matrix)


def _gaps(cases: Templates, order: int, *, later: bool) -> Certificate | Fails:
    """Whether every pair has a gap to this order, and the first coefficient is positive.

    If gaps may come later, none to this order says nothing of inequivalent templates.
    """
    matrix = template_matrix(cases, attention(order=order)).matrix
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


@claim(
    "symbench.pairwise-condition",
    source="Theorem of symbench: condition (9)/(22) of boix2024 is pairwise for Gram matrices",
    category="theorem",
    cases=lambda max_length=4: (every(n, "A"[: n < 4]) for n in range(1, max_length + 1)),
    boundary=templates("αα", "αβ"),
    applies=before_cls,
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss(
            "order 4 only: the three pairings of four positions separate at order 6",
            templates("ααββ", "αβαβ"),
            lambda cases: _gaps(cases, 4, later=False),
        ),
    ],
)
def pairwise_condition(cases: Templates) -> Certificate | Fails:
    r"""For a Gram matrix $\sum_i N_{ii} - \sum_i N_{i\sigma(i)} = \frac12 \sum_i |f_i -
    f_{\sigma(i)}|^2$, so (22) says that $N_{ii} + N_{jj} > 2 N_{ij}$ for all $i \neq j$. For the
    attention kernel the gap of inequivalent templates is a series whose first coefficient (up to
    $\beta^6$ at these lengths) is positive for every $\gamma \neq 0$: a polynomial in $\gamma^2$
    with coefficients $\ge 0$.
    """
    at_most(len(cases), _MOST, "templates")
    return _gaps(cases, 6, later=True)
