"""Positive definite or nonsingular for all parameters at once: with CLS, without, for MLPs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbench.certificates import Certificate, Nonsingular, OnePoint, Singular, UniqueAssignment
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.kernels import attention, inner_product
from symbench.ktau import plain_templates, template_matrix
from symbench.ktau.points import separating_point
from symbench.ktau.sharpness import gamma_zero_rank, moment_matrix, type_of
from symbench.papers._cases import at_most
from symbench.papers._templates import (
    Templates,
    all_at_once,
    before_cls,
    every,
    full_rank,
    inequivalent,
    template_sets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim

# Templates for which a point is looked for, and for which a determinant is computed.
_POINTS, _DETERMINANTS = 200_000, 5_000


def _definite(cases: Templates, kernel: Any, cls: bool = True) -> Certificate | Fails:
    matrix = template_matrix(cases, kernel, cls=cls)
    found = certify(matrix, question="positive-definite")
    if isinstance(found, Singular) and found.check(matrix):
        return Fails(found.explain())
    if not isinstance(found, OnePoint) or not found.check(matrix):
        raise Undecided(f"neither a point nor a null vector: {found.explain()}")
    return found


def _with_equal_rows(**kernel: Any) -> Callable[[Templates], Certificate | Fails]:
    """The variant with another attention kernel: its rows are compared to order 4 in beta."""

    def check(cases: Templates) -> Certificate | Fails:
        rows = template_matrix(cases, attention(order=4, **kernel)).matrix.rows
        equal = len(set(map(str, rows))) < len(rows)
        return Fails("two rows are equal") if equal else _definite(cases, attention())

    return check


@claim(
    "symbench.positive-definite",
    source="Theorem of symbench, stronger than Lemma 4.7 and Theorem 4.4 of boix2024",
    category="theorem",
    cases=lambda max_length=5, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("αα", "αβ"),
    strategy=template_sets(),
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("gamma = 0", templates("ααβ", "αβα"), _with_equal_rows(gamma=0)),
        NearMiss(
            "attention without normalisation",
            templates("αα", "αβ"),
            _with_equal_rows(normalise=False),
        ),
    ],
)
def positive_definite(cases: Templates) -> Certificate | Fails:
    r"""For every $\beta \neq 0$, $\gamma \neq 0$ and every finite set of pairwise inequivalent
    templates with CLS appended the template matrix of the softmax attention kernel is positive
    definite. Disjointness is not needed. Shown on each set by two roads: distinct exponents at one
    point, and a determinant modulo a prime.
    """
    matrix = template_matrix(cases, attention())
    if not inequivalent(cases):
        return Fails("equivalent templates have equal rows for every kernel")
    at_most(len(cases), _DETERMINANTS, "templates")
    first, second = matrix.certify(algorithm="one-point"), matrix.certify(algorithm="modular")
    if not second.check():
        raise Undecided("the modular determinant does not confirm the point")
    return first


@claim(
    "symbench.one-point",
    source="Theorem of symbench: a certificate for all beta, gamma != 0 at once",
    category="theorem",
    cases=lambda max_length=6, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("A", "B", "α"),
    strategy=template_sets(),
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[NearMiss("equivalent templates", templates("αβ", "βα"))],
)
def one_point(cases: Templates) -> Certificate | Fails:
    r"""Pairwise inequivalent templates with CLS appended have an integer point $(\xi, y)$, $\sum_a
    \xi_a = 0$, at which the exponents $2 \langle Z_i^{\mathcal{R}\top} \xi, y \rangle + \sum_B
    (\sum_{a \in B} \xi_a)^2$ are pairwise different; with it the template matrix of softmax
    attention is positive definite for every $\beta, \gamma \neq 0$.
    """
    at_most(len(cases), _POINTS, "templates")
    return _definite(cases, attention())


# --- without CLS ----------------------------------------------------------------------------------
def _exponents_alone(cases: Templates) -> bool | Fails:
    """The variant that asks for different exponents of all templates, tokens aside."""
    subject = plain_templates(cases)
    found = subject.exponents(*separating_point(subject))
    return len(set(found)) == len(found) or Fails("templates with one letter have the exponent 0")


@claim(
    "symbench.no-cls",
    source="Theorem of symbench: CLS is not needed",
    category="theorem",
    cases=lambda max_length=6, max_tokens=3: all_at_once(max_length, max_tokens),
    boundary=templates("AA", "BB", "αα"),
    strategy=template_sets(),
    applies=inequivalent,
    proof="proofs/symbench/no-cls.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("gamma = 0", templates("αα", "αβ"), full_rank(gamma_zero_rank)),
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
    kernels = [attention().with_softmax_scale(scale) for scale in ("appendix-H", "main")]
    first, second = (_definite(cases, kernel, cls=False) for kernel in kernels)
    return second if first else first


def _every_type(cases: Templates) -> bool | Fails:
    """The variant that counts all types, those without a token too."""
    rank, kinds = gamma_zero_rank(cases), len(set(map(type_of, cases)))
    return rank == kinds or Fails(f"rank {rank}, {kinds} types")


@claim(
    "symbench.no-cls-types",
    source="Theorem of symbench: neither CLS nor positions",
    category="theorem",
    cases=lambda max_length=4: (
        *(every(n, "A") for n in range(1, max_length + 1)),
        *(every(n, "AB") for n in range(1, max_length - 1)),
    ),
    boundary=templates("Aα", "αα"),
    applies=inequivalent,
    proof="proofs/symbench/no-cls.md",
    near_misses=[
        NearMiss("types without a token count too", templates("Aα", "αα"), _every_type),
        NearMiss("full rank", templates("Aα", "αA"), full_rank(gamma_zero_rank)),
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


# --- incidences: what an MLP needs to see equal symbols -------------------------------------------
def _plain_input(cases: Templates) -> Certificate | Fails:
    """The variant without the incidence matrix: the MLP of boix2024, Appendix I."""
    certificate = certify(template_matrix(cases, inner_product()))
    return certificate if certificate.kind == "nonsingular" else Fails(certificate.explain())


@claim(
    "symbench.incidence",
    source="Theorem of symbench on the data augmentation of boix2024 (inputs X and XX^T)",
    category="theorem",
    cases=lambda max_length=4, max_tokens=1: all_at_once(max_length, max_tokens),
    boundary=templates("αα", "αβ"),
    applies=inequivalent,
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("without the incidence matrix", templates("αα", "αβ"), _plain_input),
    ],
)
def incidence(cases: Templates) -> Certificate | Fails:
    r"""An MLP whose input is $X$ together with $XX^\top$ has the kernel $\kappa(s)$, $s = \langle
    X, Y\rangle + \langle XX^\top, YY^\top\rangle$. Its template matrix is nonsingular for generic
    $\kappa$ iff the templates are pairwise inequivalent. The exponents $s_{ij}$ are a Gram matrix
    of features (the places of the regular tokens, and the incidence matrix) that differ for
    inequivalent templates, so the identity is the unique maximum of $\sum_i s_{i\sigma(i)}$, and
    already $\kappa(s) = q^s$ gives a determinant that is not zero.
    """
    at_most(len(cases), 500, "templates")
    exponents = template_matrix(cases, inner_product(lambda s: s, incidence=True)).matrix
    unique = certify(exponents, question="unique-assignment")
    if not unique.check():
        raise Undecided("the assignment that was found does not check")
    if not isinstance(unique, UniqueAssignment) or unique.assignment != (*range(len(cases)),):
        return Fails("the identity is not the unique maximum")
    certificate = certify(template_matrix(cases, inner_product(incidence=True)))
    return Fails(certificate.explain()) if isinstance(certificate, Singular) else certificate
