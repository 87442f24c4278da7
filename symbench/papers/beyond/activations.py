"""Exactly the activations that are not constant: the layer on top of the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import factorial
from typing import Any

from symbench.certificates import Certificate, PositiveDefinite
from symbench.decide import certify
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import Diagram, inner_product
from symbench.kernels.activations import polynomial
from symbench.kernels.transformer import transformer
from symbench.ktau import template_matrix
from symbench.papers.beyond.cases import Templates, inequivalent, templates
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates

# Templates and the coefficients of a polynomial activation, lowest first.
Case = tuple[Templates, tuple[int, ...]]

_POLYNOMIALS = ((0, 1), (1, 1), (0, 0, 1), (1, -2, 3), (0, 1, 0, -1))


def _below() -> Any:
    """A kernel with rational values that sees which symbols are equal."""
    return inner_product(lambda s: (1 + s) ** 2, incidence=True)


def _cases(max_length: int = 3) -> Iterator[Case]:
    for length in range(1, max_length + 1):
        found = list(all_templates(length))
        for size in (1, 2, 3):
            for chosen in combinations(found, size):
                for coefficients in _POLYNOMIALS:
                    yield chosen, coefficients


def _applies(case: Case) -> bool:
    """Whether N is positive definite and the polynomial is not constant."""
    chosen, coefficients = case
    if not inequivalent(chosen) or not any(coefficients[1:]):
        return False
    below = template_matrix(chosen, _below())
    return isinstance(certify(below, question="positive-definite"), PositiveDefinite)


def _expansion(chosen: Templates, phi: Any, degree: int) -> Matrix:
    """The sum over n of D_n N^(o n) D_n / n!, D_n the diagonal of the Hermite coefficients."""
    below = template_matrix(chosen, _below()).matrix.change_ring(QQ)
    size = len(chosen)
    variances = [
        Rational(_below().on_diagram(Diagram.from_codes(z.letters + z.letters))) for z in chosen
    ]
    total = Matrix([[0] * size] * size, QQ)
    for n in range(degree + 1):
        c = [phi.hermite(n, a) for a in variances]
        power = below.entrywise_power(n)
        rows = [[c[i] * power[i, j] * c[j] for j in range(size)] for i in range(size)]
        total = total + Matrix(rows, QQ) * Rational(1, factorial(n))
    return total


@claim(
    "symbench.every-activation",
    source="Theorem of symbench; boix2024 has shifted cosines and conjectures most others",
    category="theorem",
    cases=_cases,
    boundary=(templates("αα", "αβ"), (0, 1)),
    applies=_applies,
    proof="proofs/symbench/every-activation.md",
    near_misses=[
        NearMiss("a constant activation", (templates("αα", "αβ"), (1,))),
        NearMiss("equivalent templates", (templates("αβ", "βα"), (0, 1))),
    ],
)
def every_activation(case: Case) -> Certificate | Fails:
    r"""Let $N$ be positive definite and $\phi$ an activation, square integrable for the Gaussians
    that occur. Then $K_\tau^{trans} = \sum_n \frac{1}{n!} D_n N^{\circ n} D_n$ with
    $D_n = \mathrm{diag}(c_n(a_i))$, $c_n(a) = a^{-n/2} \mathbb{E}[\phi(\sqrt a g) He_n(g)]$, and
    it is positive definite if $\phi$ is not constant (for $r \ge 2$ templates: iff). Checked
    exactly for polynomial activations over a kernel with rational values.
    """
    chosen, coefficients = case
    phi = polynomial(list(coefficients))
    layer = template_matrix(chosen, transformer(phi, _below())).matrix
    if layer.change_ring(QQ) != _expansion(chosen, phi, len(coefficients) - 1):
        return Fails("the Hermite expansion differs from the layer's matrix")
    certificate = certify(layer, question="positive-definite")
    if not isinstance(certificate, PositiveDefinite):
        return Fails(certificate.explain())
    return certificate
