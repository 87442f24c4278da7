"""Data augmentation by incidences: what an MLP needs to see equal symbols."""

from __future__ import annotations

from symbench.certificates import Certificate, Singular, UniqueAssignment
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.kernels import inner_product
from symbench.ktau import template_matrix
from symbench.papers._cases import Templates, at_most, inequivalent, templates
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates


def _plain_input(cases: Templates) -> Certificate | Fails:
    """The variant without the incidence matrix: the MLP of boix2024, Appendix I."""
    certificate = certify(template_matrix(cases, inner_product()))
    return certificate if certificate.kind == "nonsingular" else Fails(certificate.explain())


@claim(
    "symbench.incidence",
    source="Theorem of symbench on the data augmentation of boix2024 (inputs X and XX^T)",
    category="theorem",
    cases=lambda max_length=4, max_tokens=1: (
        tuple(all_templates(n, tokens="AB"[:t]))
        for n in range(1, max_length + 1)
        for t in range(max_tokens + 1)
        if n + t <= max_length
    ),
    boundary=templates("αα", "αβ"),
    applies=inequivalent,
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("without the incidence matrix", templates("αα", "αβ"), _plain_input),
    ],
)
def incidence(cases: Templates) -> Certificate | Fails:
    r"""An MLP whose input is $X$ together with $XX^\top$ has the kernel $\kappa(s)$,
    $s = \langle X, Y\rangle + \langle XX^\top, YY^\top\rangle$. Its template matrix is nonsingular
    for generic $\kappa$ iff the templates are pairwise inequivalent. The exponents $s_{ij}$ are a
    Gram matrix of features (the places of the regular tokens, and the incidence matrix) that differ
    for inequivalent templates, so the identity is the unique maximum of $\sum_i s_{i\sigma(i)}$,
    and
    already $\kappa(s) = q^s$ gives a determinant that is not zero.
    """
    at_most(len(cases), 500, "templates")
    exponents = template_matrix(cases, inner_product(lambda s: s, incidence=True)).matrix
    unique = certify(exponents, question="unique-assignment")
    if not unique.check():
        raise Undecided("the assignment that was found does not check")
    identity = tuple(range(len(cases)))
    if not isinstance(unique, UniqueAssignment) or unique.assignment != identity:
        return Fails("the identity is not the unique maximum")
    certificate = certify(template_matrix(cases, inner_product(incidence=True)))
    return Fails(certificate.explain()) if isinstance(certificate, Singular) else certificate
