"""Without CLS: what the theorems say of templates as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symbench.certificates import Certificate, Nonsingular, OnePoint, Singular
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.kernels import attention
from symbench.ktau import plain_templates, template_matrix
from symbench.ktau.points import separating_point
from symbench.ktau.sharpness import gamma_zero_rank, moment_matrix, type_of
from symbench.papers._cases import (
    Templates,
    all_at_once,
    at_most,
    inequivalent,
    template_sets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates


def _exponents_alone(cases: Templates) -> bool | Fails:
    """The variant that asks for different exponents of all templates, tokens aside."""
    subject = plain_templates(cases)
    found = subject.exponents(*separating_point(subject))
    return len(set(found)) == len(found) or Fails("templates with one letter have the exponent 0")


def _at_gamma_zero(cases: Templates) -> bool | Fails:
    rank = gamma_zero_rank(cases)
    return rank == len(cases) or Fails(f"rank {rank} of {len(cases)} at gamma = 0")


@claim(
    "symbench.no-cls",
    source="Theorem of symbench: CLS is not needed",
    category="theorem",
    cases=lambda max_length=6, max_tokens=3: all_at_once(max_length, max_tokens),
    boundary=templates("AA", "BB", "αα"),
    strategy=template_sets,
    applies=inequivalent,
    proof="proofs/symbench/no-cls.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("gamma = 0", templates("αα", "αβ"), _at_gamma_zero),
        NearMiss("the exponents alone", templates("AA", "BB", "αα"), _exponents_alone),
    ],
)
def no_cls(cases: Templates) -> Certificate | Fails:
    r"""For every $\beta \neq 0$, $\gamma \neq 0$ and pairwise inequivalent templates as they
    are, without CLS, the template matrix of the softmax attention kernel, (3) or (23), is positive
    definite. In (3) exponents collide only among the templates with one letter throughout,
    $\rho\rho\dots\rho$ and $\alpha\alpha\dots\alpha$, which the attention on their token tells
    apart.
    """
    at_most(len(cases), 100_000, "templates")
    for scale in ("appendix-H", "main"):
        matrix = template_matrix(cases, attention().with_softmax_scale(scale), cls=False)
        found = certify(matrix, question="positive-definite")
        if isinstance(found, Singular) and found.check(matrix):
            return Fails(found.explain())
        if not isinstance(found, OnePoint) or not found.check(matrix):
            raise Undecided(f"neither a point nor a null vector: {found.explain()}")
    return found


def _with_tokens(max_length: int = 4) -> Iterator[Templates]:
    for length in range(1, max_length + 1):
        yield tuple(all_templates(length, tokens="A"))
    for length in range(1, max_length - 1):
        yield tuple(all_templates(length, tokens="AB"))


def _every_type(cases: Templates) -> bool | Fails:
    """The variant that counts all types, those without a token too."""
    kinds = {type_of(z) for z in cases}
    rank = gamma_zero_rank(cases)
    return rank == len(kinds) or Fails(f"rank {rank}, {len(kinds)} types")


@claim(
    "symbench.no-cls-types",
    source="Theorem of symbench: neither CLS nor positions",
    category="theorem",
    cases=_with_tokens,
    boundary=templates("Aα", "αα"),
    applies=inequivalent,
    proof="proofs/symbench/no-cls.md",
    near_misses=[
        NearMiss("types without a token count too", templates("Aα", "αα"), _every_type),
        NearMiss("full rank", templates("Aα", "αA"), _at_gamma_zero),
    ],
)
def no_cls_types(cases: Templates) -> Certificate | bool | Fails:
    r"""At $\gamma = 0$, $\beta \neq 0$ the rank of the template matrix of templates as they are is
    the number of types that have a regular token; the others have rows of zeros. The moments of
    $\sum_B |B| e^{\beta g_B}$ show the independence for every $\beta$ with $q = e^{\beta^2/2}$
    transcendental; rows are compared to order 4 in $\beta$.
    """
    at_most(len(cases), 200, "templates")
    rows = template_matrix(cases, attention(gamma=0, order=4), cls=False).matrix.rows
    first: dict[Any, int] = {}
    for n, z in enumerate(cases):
        if not z.tokens and any(entry.coefficients != (0,) * 5 for entry in rows[n]):
            return Fails(f"{z} has no token and a row that is not zero")
        if rows[n] != rows[first.setdefault(type_of(z), n)]:
            return Fails(f"{z} and {cases[first[type_of(z)]]} have equal type, different rows")
    chosen = [cases[n] for kind, n in first.items() if kind.tokens]
    rank = gamma_zero_rank(cases)
    if rank != len(chosen):
        return Fails(f"rank {rank} of {len(chosen)} types")
    if not chosen:
        return True  # rows of zeros, all of them
    certificate = certify(moment_matrix(chosen))
    if not isinstance(certificate, Nonsingular):
        raise Undecided("the moments that were looked at do not tell the types apart")
    return certificate
