"""Positive definite for every beta, gamma != 0: certificates from one point, or modulo a prime."""

from __future__ import annotations

from symbench.certificates import Certificate, OnePoint, Singular
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.kernels import attention
from symbench.ktau import template_matrix
from symbench.papers._cases import (
    Templates,
    all_at_once,
    at_most,
    before_cls,
    inequivalent,
    template_sets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim

# Templates for which a point is looked for, and for which a determinant is computed.
_POINTS, _DETERMINANTS = 200_000, 5_000


def _definite(cases: Templates) -> Certificate | Fails:
    at_most(len(cases), _POINTS, "templates")
    certificate = certify(template_matrix(cases, attention()), question="positive-definite")
    if isinstance(certificate, Singular) and certificate.check():
        return Fails(certificate.explain())
    if not isinstance(certificate, OnePoint):
        raise Undecided(f"neither a point nor a null vector: {certificate.explain()}")
    return certificate


def _at_gamma_zero(cases: Templates) -> Certificate | Fails:
    """The variant with gamma = 0: equal rows, to order 4 in beta."""
    rows = template_matrix(cases, attention(gamma=0, order=4)).matrix.rows
    return Fails("two rows are equal") if len(set(map(str, rows))) < len(rows) else _definite(cases)


def _unnormalised(cases: Templates) -> Certificate | Fails:
    """The variant with exponential weights that are not normalised."""
    rows = template_matrix(cases, attention(normalise=False, order=4)).matrix.rows
    return Fails("two rows are equal") if len(set(map(str, rows))) < len(rows) else _definite(cases)


def _both_roads(cases: Templates) -> Certificate | Fails:
    matrix = template_matrix(cases, attention())
    if not inequivalent(cases):
        return Fails("equivalent templates have equal rows for every kernel")
    at_most(len(cases), _DETERMINANTS, "templates")
    first, second = matrix.certify(algorithm="one-point"), matrix.certify(algorithm="modular")
    if not second.check():
        raise Undecided("the modular determinant does not confirm the point")
    return first


@claim(
    "symbench.positive-definite",
    source="Theorem of symbench, stronger than Lemma 4.7 and Theorem 4.4 of boix2024",
    category="theorem",
    cases=lambda max_length=5, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("αα", "αβ"),
    strategy=template_sets,
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("gamma = 0", templates("ααβ", "αβα"), _at_gamma_zero),
        NearMiss("attention without normalisation", templates("αα", "αβ"), _unnormalised),
    ],
)
def positive_definite(cases: Templates) -> Certificate | Fails:
    r"""For every $\beta \neq 0$, $\gamma \neq 0$ and every finite set of pairwise inequivalent
    templates with CLS appended the template matrix of the softmax attention kernel is positive
    definite. Disjointness is not needed. Shown on each set by two roads: distinct exponents at one
    point, and a determinant modulo a prime.
    """
    return _both_roads(cases)


@claim(
    "symbench.one-point",
    source="Theorem of symbench: a certificate for all beta, gamma != 0 at once",
    category="theorem",
    cases=lambda max_length=6, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("A", "B", "α"),
    strategy=template_sets,
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[NearMiss("equivalent templates", templates("αβ", "βα"))],
)
def one_point(cases: Templates) -> Certificate | Fails:
    r"""Pairwise inequivalent templates with CLS appended have an integer point $(\xi, y)$,
    $\sum_a \xi_a = 0$, at which the exponents
    $2 \langle Z_i^{\mathcal{R}\top} \xi, y \rangle + \sum_B (\sum_{a \in B} \xi_a)^2$ are pairwise
    different; with it the template matrix of softmax attention is positive definite for every
    $\beta, \gamma \neq 0$.
    """
    return _definite(cases)
