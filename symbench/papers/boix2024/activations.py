"""Appendix E with activations: the Gaussian integral of cosines, and Lemma 4.6 on templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial
from typing import Any

from symbench.certificates import Certificate, Singular
from symbench.certifying import certify
from symbench.exact import Matrix, Rational
from symbench.kernels import inner_product
from symbench.kernels.activations.named import cos
from symbench.kernels.derivatives.moments import gaussian_moment
from symbench.kernels.transformer import transformer
from symbench.ktau import template_matrix
from symbench.papers._cases import (
    Templates,
    at_most,
    inequivalent,
    integer,
    number,
    record,
    templates,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates

# A, B, C of the covariance, and b2 as a multiple of pi/4.
CosineCase = tuple[int | Fraction, int | Fraction, int | Fraction, int]
_ORDER = 8


def _cosine_derivatives(m: int, n: int, quarter: int) -> Fraction:
    """The product of the m-th and n-th derivative of the cosine at quarter * pi/4."""
    # cos^(m) cos^(n) = (cos of the difference + cos of the sum of the phases) / 2, in eighths.
    turns = (1, None, 0, None, -1, None, 0, None)

    def cosine(eighths: int) -> int:
        value = turns[eighths % 8]
        assert value is not None, "the phases add up to a multiple of a quarter turn"
        return value

    first, second = quarter + 2 * m, quarter + 2 * n
    return Fraction(cosine(first - second) + cosine(first + second), 2)


def _cosine_integral(case: CosineCase, second_sign: int = 1) -> bool | Fails:
    """The integral and the closed form as power series in b1, to order 8."""
    a, b, c, quarter = case
    covariance = Matrix([[Rational(a), Rational(c)], [Rational(c), Rational(b)]])
    double = (1, 0, -1, 0)[quarter % 4]  # cos(2 b2)
    for order in range(_ORDER + 1):
        expected = sum(
            (
                _cosine_derivatives(m, order - m, quarter)
                * gaussian_moment(covariance, (m, order - m))
                / (factorial(m) * factorial(order - m))
                for m in range(order + 1)
            ),
            Fraction(0),
        )
        half, odd = divmod(order, 2)
        mean = Fraction(a + b) / 2
        closed = Fraction(0)
        if not odd:
            powers = (c - mean) ** half + second_sign * double * (-c - mean) ** half
            closed = Fraction(powers) / (2 * factorial(half))
        if expected != closed:
            return Fails(f"at b1^{order}: the integral gives {expected}, the formula {closed}")
    return True


def _covariances(max_size: int = 2) -> Iterator[CosineCase]:
    for a in range(1, max_size + 1):
        for b in range(1, max_size + 1):
            for c in (Fraction(-1, 2), 0, Fraction(1, 3), 1):
                for quarter in (0, 1, 2, 3):
                    yield a, b, c, quarter


@claim(
    "boix2024.claim-E.2",
    source="Appendix E, Claim E.2: the Gaussian integral of shifted cosines",
    category="claim",
    cases=_covariances,
    boundary=(1, 1, 1, 0),
    applies=record(
        number(0), number(0), number(), integer(), where=lambda a, b, c, _: c * c <= a * b
    ),
    near_misses=[
        NearMiss(
            "the second term with the other sign",
            (1, 2, Fraction(1, 3), 0),
            lambda case: _cosine_integral(case, -1),
        )
    ],
)
def claim_e2(case: CosineCase) -> bool | Fails:
    r"""For $(a, b)$ Gaussian with covariance $\begin{pmatrix} A & C \\ C & B \end{pmatrix}$,
    $\mathbb{E} \cos(b_1 a + b_2) \cos(b_1 b + b_2) = \frac12 e^{-b_1^2 (A + B)/2}
    (e^{b_1^2 C} + \cos(2 b_2) e^{-b_1^2 C})$. Both sides as power series in $b_1$, by Isserlis'
    theorem, to order 8, for $b_2$ a multiple of $\pi/4$.
    """
    return _cosine_integral(case)


# --- Lemma 4.6 ------------------------------------------------------------------------------------
def _exponents(cases: Templates) -> Matrix:
    """The template matrix under the layer: a kernel with rational values, seeing incidences."""
    return template_matrix(cases, inner_product(lambda s: s, incidence=True)).matrix


_MOST = 8  # templates, all of whose permutations are gone through


def _hypotheses(cases: Any) -> bool:
    return inequivalent(cases) and (len(cases) > _MOST or _condition(cases))


def _condition(cases: Templates) -> bool:
    """Condition (22): no permutation but the identity has the sum of the diagonal."""
    c = _exponents(cases)
    size = range(len(cases))
    diagonal = sum(c[i, i] for i in size)
    identity = tuple(size)
    return all(
        sum(c[i, s[i]] for i in size) != diagonal for s in permutations(size) if s != identity
    )


def _task_sets(max_length: int = 3) -> Iterator[Templates]:
    for length in range(1, max_length + 1):
        found = list(all_templates(length, tokens="A"[: length < 3]))
        for size in (1, 2, 3):
            for chosen in combinations(found, size):
                if _condition(chosen):
                    yield chosen


def _cosine_layer(kernel_below: Callable[[Templates], object]) -> Callable[[Templates], object]:
    def check(cases: Templates) -> object:
        layer = transformer(cos(1, "pi/4"), kernel_below(cases))
        certificate = certify(template_matrix(cases, layer))
        if isinstance(certificate, Singular):
            return Fails("the determinant is identically zero in b1")
        return certificate

    return check


@claim(
    "boix2024.lemma-4.6",
    source="Lemma 4.6 = C.3, for shifted cosines with b2 = pi/4",
    category="lemma",
    cases=_task_sets,
    boundary=templates("αα", "αβ"),
    applies=_hypotheses,
    assumes=["boix2024.lemma-E.1", "boix2024.claim-E.2"],
    near_misses=[
        NearMiss(
            "a kernel below with ties: inner products on wildcard-only templates",
            templates("αα", "αβ"),
            _cosine_layer(lambda cases: inner_product(lambda s: s)),
        ),
        NearMiss("equivalent templates", templates("αβ", "βα")),
    ],
)
def lemma_4_6(cases: Templates) -> Certificate | Fails:
    r"""If no permutation $\sigma \neq \mathrm{id}$ has
    $\sum_i K'(X_i, Y_{\sigma(i)}) = \sum_i K'(X_i, Y_i)$, then the template matrix of the layer
    with
    activation $\cos(b_1 t + \pi/4)$ over $K'$ is nonsingular for almost every $b_1$: its
    determinant
    is a nonzero exponential polynomial in $q = e^{b_1^2}$. Here $K'$ is the inner product of the
    inputs concatenated with their incidence matrices.
    """
    at_most(len(cases), _MOST, "templates")
    layer = transformer(cos(1, "pi/4"), inner_product(lambda s: s, incidence=True))
    certificate = certify(template_matrix(cases, layer))
    if isinstance(certificate, Singular):
        return Fails("the determinant is identically zero in b1")
    return certificate
