"""Appendix I: inner-product kernels, that is MLPs (Remark I.6)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from symbench.certificates import Certificate, Singular
from symbench.decide import certify
from symbench.kernels.inner_product import inner_product
from symbench.ktau import template_matrix
from symbench.papers._cases import (
    Templates,
    at_most,
    every,
    inequivalent,
    template_sets,
    templates,
    wildcards_only,
)
from symbench.registry import Fails, NearMiss, claim


def _wildcard_tasks(max_length: int = 4) -> Iterator[Templates]:
    """All pairs of inequivalent wildcard-only templates of a length, and all templates at once."""
    for length in range(2, max_length + 1):
        yield from combinations(every(length), 2)
        if length > 2:
            yield every(length)


@claim(
    "boix2024.remark-I.6",
    source="Appendix I, Remark I.6 (wording reconstructed; 'wildcard-only' is not printed there)",
    category="remark",
    cases=_wildcard_tasks,
    boundary=templates("αα", "αβ"),
    strategy=template_sets(min_size=2, max_length=7, tokens=""),
    applies=lambda z: inequivalent(z) and len(z) >= 2 and wildcards_only(z),
    near_misses=[
        NearMiss("templates with regular tokens", templates("Aα", "Bα")),
        NearMiss("a single template", templates("αα")),
        NearMiss("a common last token: the entries are kappa(1)", templates("αα*", "αβ*")),
    ],
)
def remark_i6(cases: Templates) -> Certificate | Fails:
    r"""For wildcard-only templates and an inner-product kernel $\kappa(\langle x, y\rangle)$ every
    entry of the template matrix is $\kappa(0)$, so for $r \ge 2$ it is singular, whatever $\kappa$.

    The matrix is taken over $\mathbb{Q}[\kappa_0, \dots, \kappa_k]$, one indeterminate for each
    value of the inner product: its null vector annihilates it for every kernel function.
    """
    at_most(len(cases), 300, "templates")
    matrix = template_matrix(cases, inner_product()).matrix
    certificate = certify(matrix)
    if not isinstance(certificate, Singular):
        return Fails("the template matrix is nonsingular for generic kappa")
    kappa_zero = matrix.ring.coerce(inner_product().value("A", "B"))
    if any(entry != kappa_zero for row in matrix.rows for entry in row):
        return Fails("not every entry is kappa(0)")
    return certificate
