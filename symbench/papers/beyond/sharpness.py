"""What each hypothesis of the theorem buys: gamma = 0, beta = 0, beta = infinity, normalisation."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from symbench.certificates import Certificate, Nonsingular
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import HardAttention, attention
from symbench.ktau import template_matrix
from symbench.ktau.sharpness import gamma_zero_rank, moment_matrix, type_of
from symbench.papers._cases import at_most, one_of, record
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    full_rank,
    templates,
    wildcards_only,
    with_cls,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import count_templates


@claim(
    "symbench.gamma-zero-rank",
    source="Theorem of symbench: what is left of the template matrix without positions",
    category="theorem",
    cases=lambda max_length=4: (
        *(every(n) for n in range(1, max_length + 1)),
        every(2, "A"),
        every(1, "AB"),
    ),
    boundary=templates("α"),
    proof="proofs/symbench/gamma-zero-rank.md",
    applies=before_cls,
    near_misses=[
        NearMiss(
            "full rank at gamma = 0",
            templates("ααβ", "αβα"),
            full_rank(lambda z: gamma_zero_rank(with_cls(z))),
        )
    ],
)
def gamma_zero(cases: Templates) -> Certificate | Fails:
    r"""At $\gamma = 0$, $\beta \neq 0$ the template matrix of templates ending in CLS depends on
    the types only (how often each regular token occurs, the sizes of the wildcard blocks), and its
    rank is the number of types; over all set partitions of $[n]$ it is $p(n)$, the number of
    integer partitions. The moments of $\sum_B |B| e^{\beta g_B}$, exponential polynomials in
    $q = e^{\beta^2/2}$, show the independence for every $\beta$ with $q$ transcendental; that rows
    of equal type are equal is looked at to order 4 in $\beta$.
    """
    at_most(len(cases), 200, "templates")
    rows = template_matrix(cases, attention(gamma=0, order=4)).matrix.rows
    types = list(map(type_of, cases))
    for i, j in combinations(range(len(cases)), 2):
        if types[i] == types[j] and rows[i] != rows[j]:
            return Fails(f"{cases[i]} and {cases[j]} have equal type and different rows")
    chosen = with_cls(tuple(dict(zip(types, cases, strict=True)).values()))
    certificate = certify(moment_matrix(chosen))
    if not isinstance(certificate, Nonsingular):
        raise Undecided("the moments that were looked at do not tell the types apart")
    rank = gamma_zero_rank(with_cls(cases))
    return certificate if rank == len(chosen) else Fails(f"rank {rank} of {len(chosen)} types")


@claim(
    "symbench.beta-zero-rank",
    source="Theorem of symbench: uniform attention",
    category="theorem",
    cases=lambda max_length=3: (
        every(n, "AB"[:t]) for n in range(1, max_length + 1) for t in (0, 1, 2)
    ),
    boundary=templates("αα", "αβ"),
    applies=before_cls,
    near_misses=[
        NearMiss(
            "full rank at beta = 0",
            templates("αα", "αβ"),
            full_rank(lambda z: template_matrix(z, attention(beta=0, gamma=1)).matrix.rank()),
        )
    ],
)
def beta_zero(cases: Templates) -> Certificate | Fails:
    r"""At $\beta = 0$, $N = k^{-2} D D^\top + (\gamma^2/k) 1 1^\top$ with $D_{i\rho}$ the number of
    occurrences of token $\rho$ in template $i$; for $\gamma \neq 0$ its rank is that of $[D | 1]$,
    and one on wildcard-only tasks. Checked at $\gamma = 1$.
    """
    at_most(len(cases), 500, "templates")
    closed = with_cls(cases)
    matrix = template_matrix(cases, attention(beta=0, gamma=1)).matrix
    tokens = sorted({t for z in closed for t in z.tokens})
    length = len(closed[0])
    counts = [[z.letters.count(t) for t in tokens] for z in closed]
    d = Matrix(counts, QQ)
    ones = Matrix([[1] * len(cases)] * len(cases), QQ)
    if matrix != (d @ d.transpose()) * Rational(1, length**2) + ones * Rational(1, length):
        return Fails("N is not k^-2 D D^T + (gamma^2 / k) 1 1^T")
    expected = Matrix([[*row, 1] for row in counts], QQ).rank()
    if matrix.rank() != expected:
        return Fails(f"rank {matrix.rank()}, not {expected}")
    return certify(matrix, question="rank")


def _all_partitions(cases: Any) -> bool:
    """Whether these are all set partitions of [n], each once: at least 2^(n-1) of them."""
    if not before_cls(cases) or not wildcards_only(cases):
        return False
    length = len(cases[0])
    return length <= len(cases).bit_length() and len(cases) == count_templates(length)


@claim(
    "symbench.hard-attention",
    source="Theorem of symbench: beta = infinity, gamma = 0",
    category="theorem",
    cases=lambda max_length=5: map(every, range(1, max_length + 1)),
    boundary=templates("α"),
    applies=_all_partitions,
    near_misses=[
        NearMiss(
            "the rank is that of finite beta, p(n)",
            every(4),
            lambda cases: (
                template_matrix(cases, HardAttention()).matrix.rank()
                == gamma_zero_rank(with_cls(cases))
            ),
        )
    ],
)
def hard_attention(cases: Templates) -> Certificate | Fails:
    r"""At $\beta = \infty$, $\gamma = 0$ the attention kernel is the Jaccard similarity of the two
    sets of tokens. On wildcard-only templates with CLS it is $1/(b_i + b_j + 1)$, $b$ the numbers
    of blocks, and over all set partitions of $[n]$ its rank is $n$.
    """
    at_most(len(cases), 1_000, "templates")
    matrix = template_matrix(cases, HardAttention()).matrix
    blocks = [len(z.wildcards) for z in cases]
    if matrix != Matrix([[Rational(1, a + b + 1) for b in blocks] for a in blocks], QQ):
        return Fails("an entry is not 1/(b_i + b_j + 1)")
    if matrix.rank() != len(cases[0]):
        return Fails(f"the rank is {matrix.rank()}")
    return certify(matrix, question="rank")


_COORDINATEWISE = ("exponential", "linear", "sigmoid")
_SQUARE = 8  # null vectors of larger matrices of polynomials take long


def _truncated(series: Any) -> Any:
    """A series in beta over polynomials in gamma as the polynomial that is known of it."""
    terms: dict[tuple[int, ...], Any] = {
        (i, j): c
        for i, coefficient in enumerate(series.coefficients)
        for (j,), c in QQ["gamma"].terms(coefficient).items()
    }
    return QQ["beta", "gamma"].from_terms(terms)


@claim(
    "symbench.normalisation-needed",
    source="Theorem of symbench: coordinatewise attention is blind to equality",
    category="theorem",
    cases=lambda max_length=4: product(map(every, range(1, max_length + 1)), _COORDINATEWISE),
    boundary=(templates("αα", "αβ"), "exponential"),
    proof="proofs/symbench/normalisation-needed.md",
    applies=record(before_cls, one_of(*_COORDINATEWISE), where=lambda z, _: wildcards_only(z)),
    near_misses=[
        NearMiss("softmax", (templates("αα", "αβ"), "softmax")),
        NearMiss("templates with regular tokens", (templates("Aα", "αA"), "exponential")),
    ],
)
def normalisation_needed(case: tuple[Templates, str]) -> Certificate | bool | Fails:
    r"""If the weight of a position is a function of its own logit alone (exponential, linear,
    sigmoid: no normalisation), the features of wildcard-only templates of one length are all the
    same, so the template matrix has rank at most one. Equal rows are checked to order 4 in $\beta$.
    """
    cases, weights = case
    at_most(len(cases), 200, "templates")
    kernel = attention(normalise=weights == "softmax", weights=weights, order=4)
    rows = template_matrix(cases, kernel).matrix.rows
    # Rank at most one where all rows are equal: the features do not see the partition.
    if any(row != rows[0] for row in rows):
        return Fails(f"{weights}: rows differ")
    if len(cases) > _SQUARE:
        return True
    return certify(Matrix([list(map(_truncated, row)) for row in rows]), question="rank")
