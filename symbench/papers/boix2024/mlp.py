"""Appendix I: inner-product kernels, that is MLPs (Remark I.6)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from symbench.certificates import Certificate, Singular
from symbench.decide import certify
from symbench.kernels.inner_product import inner_product
from symbench.ktau import template_matrix
from symbench.papers._cases import Templates, at_most, inequivalent, templates, wildcards_only
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates


def _wildcard_tasks(max_length: int = 4) -> Iterator[Templates]:
    """All pairs of inequivalent wildcard-only templates of a length, and all templates at once."""
    for length in range(2, max_length + 1):
        found = list(all_templates(length))
        yield from combinations(found, 2)
        if len(found) > 2:
            yield tuple(found)


def _wildcard_strategy() -> Any:
    from symbench.strategies import inequivalent_templates

    return inequivalent_templates(min_size=2, max_size=6, max_length=7, tokens="")


def _several_wildcards_only(cases: Any) -> bool:
    """At least two inequivalent templates, none with a regular token."""
    return inequivalent(cases) and len(cases) >= 2 and wildcards_only(cases)


@claim(
    "boix2024.remark-I.6",
    source="Appendix I, Remark I.6 (wording reconstructed; 'wildcard-only' is not printed there)",
    category="remark",
    cases=_wildcard_tasks,
    boundary=templates("αα", "αβ"),
    strategy=_wildcard_strategy,
    applies=_several_wildcards_only,
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
    kappa_zero = inner_product().value("A", "B")
    ring = matrix.ring
    if any(entry != ring.coerce(kappa_zero) for row in matrix.rows for entry in row):
        return Fails("not every entry is kappa(0)")
    return certificate
