"""Appendix I: inner-product kernels, that is MLPs (Remark I.6)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import certify
from symbench.kernels.inner_product import inner_product
from symbench.ktau import template_matrix
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template, all_templates


def _wildcard_tasks(max_length: int = 4) -> Iterator[tuple[Template, ...]]:
    """All pairs of inequivalent wildcard-only templates of a length, and all templates at once."""
    for length in range(2, max_length + 1):
        templates = list(all_templates(length))
        yield from combinations(templates, 2)
        if len(templates) > 2:
            yield tuple(templates)


def _wildcard_strategy() -> Any:
    from symbench.strategies import inequivalent_templates

    return inequivalent_templates(min_size=2, max_size=6, max_length=7, tokens="")


def _wildcards_only(templates: tuple[Template, ...]) -> bool:
    """At least two inequivalent templates, none with a regular token."""
    distinct = len({z.canonical for z in templates}) == len(templates) >= 2
    return distinct and not any(z.tokens for z in templates)


def _templates(*texts: str) -> tuple[Template, ...]:
    return tuple(map(Template, texts))


@claim(
    "boix2024.remark-I.6",
    source="Appendix I, Remark I.6 (wording reconstructed; 'wildcard-only' is not printed there)",
    category="remark",
    cases=_wildcard_tasks,
    boundary=_templates("αα", "αβ"),
    strategy=_wildcard_strategy,
    applies=_wildcards_only,
    near_misses=[
        NearMiss("templates with regular tokens", _templates("Aα", "Bα")),
        NearMiss("a single template", _templates("αα")),
        NearMiss("a common last token: the entries are kappa(1)", _templates("αα*", "αβ*")),
    ],
)
def remark_i6(templates: tuple[Template, ...]) -> Certificate | Fails:
    r"""For wildcard-only templates and an inner-product kernel $\kappa(\langle x, y\rangle)$ every
    entry of the template matrix is $\kappa(0)$, so for $r \ge 2$ it is singular, whatever $\kappa$.

    The matrix is taken over $\mathbb{Q}[\kappa_0, \dots, \kappa_k]$, one indeterminate for each
    value of the inner product: its null vector annihilates it for every kernel function.
    """
    matrix = template_matrix(templates, inner_product()).matrix
    certificate = certify(matrix)
    if certificate.kind != "singular":
        return Fails("the template matrix is nonsingular for generic kappa")
    kappa_zero = inner_product().value("A", "B")
    ring = matrix.ring
    if any(entry != ring.coerce(kappa_zero) for row in matrix.rows for entry in row):
        return Fails("not every entry is kappa(0)")
    return certificate
