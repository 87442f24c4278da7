"""Exactly the activations that are not constant: the layer on top of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from math import factorial
from typing import Any

from symbench.certificates import Certificate, PositiveDefinite
from symbench.certifying import certify
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.roots import compare, eigenvalues
from symbench.kernels import Diagram, inner_product
from symbench.kernels.activations.exact import polynomial
from symbench.kernels.transformer import transformer
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, many, number, record
from symbench.papers._templates import Templates, inequivalent, subsets, templates
from symbench.registry import Fails, NearMiss, claim

# Templates and the coefficients of a polynomial activation, lowest first.
Case = tuple[Templates, tuple[int, ...]]

_POLYNOMIALS = ((0, 1), (1, 1), (0, 0, 1), (1, -2, 3), (0, 1, 0, -1))
_MOST = 12  # templates, and coefficients


def _below() -> Any:
    """A kernel with rational values that sees which symbols are equal."""
    return inner_product(lambda s: (1 + s) ** 2, incidence=True)


def _hypotheses(chosen: Templates, coefficients: tuple[int, ...]) -> bool:
    """Whether the polynomial is not constant and N is positive definite, by its minors.

    The minors of more templates than are gone through are not computed.
    """
    if not any(coefficients[1:]):
        return False
    if len(chosen) > _MOST:
        return True
    below = template_matrix(chosen, _below()).matrix.change_ring(QQ)
    corners = (range(size) for size in range(1, len(chosen) + 1))
    return all(below.submatrix(places, places).det() > 0 for places in corners)


def _hermite(chosen: Templates, coefficients: tuple[int, ...]) -> list[list[Rational]]:
    """c_n(a_i) for every degree n up to that of the polynomial and every template i."""
    phi = polynomial(list(coefficients))
    own = [_below().on_diagram(Diagram.from_codes(z.letters + z.letters)) for z in chosen]
    return [[phi.hermite(n, Rational(a)) for a in own] for n in range(len(coefficients))]


def _expansion(below: Matrix, hermite: list[list[Rational]]) -> Matrix:
    """The sum over n of D_n N^(o n) D_n / n!, D_n the diagonal of the Hermite coefficients."""
    size = below.shape[0]
    total = Matrix([[0] * size] * size, QQ)
    for n, c in enumerate(hermite):
        power = below.entrywise_power(n) * Rational(1, factorial(n))
        total += Matrix([[c[i] * power[i, j] * c[j] for j in range(size)] for i in range(size)], QQ)
    return total


@claim(
    "symbench.every-activation",
    source="Theorem of symbench; boix2024 has shifted cosines and conjectures most others",
    category="theorem",
    cases=lambda max_length=3: product(subsets(max_length, 1, 2, 3), _POLYNOMIALS),
    boundary=(templates("αα", "αβ"), (0, 1)),
    applies=record(inequivalent, many(number()), where=_hypotheses),
    proof="proofs/symbench/every-activation.md",
    near_misses=[
        NearMiss("a constant activation", (templates("αα", "αβ"), (1,))),
        NearMiss("equivalent templates", (templates("αβ", "βα"), (0, 1))),
        NearMiss(
            "the bound with the largest Hermite coefficients",
            (templates("αα", "αβ"), (0, 1, 0, -1)),
            {"choose": max},
        ),
    ],
)
def every_activation(
    case: Case, choose: Callable[[Iterable[Rational]], Rational] = min
) -> Certificate | Fails:
    r"""Let $N$ be positive definite and $\phi$ an activation, square integrable for the Gaussians
    that occur. Then $K_\tau^{trans} = \sum_n \frac{1}{n!} D_n N^{\circ n} D_n$ with
    $D_n = \mathrm{diag}(c_n(a_i))$, $c_n(a) = a^{-n/2} \mathbb{E}[\phi(\sqrt a g) He_n(g)]$, and
    it is positive definite if $\phi$ is not constant (for $r \ge 2$ templates: iff). Moreover
    $\lambda_{\min}(K_\tau^{trans}) \ge \lambda_{\min}(N) \sum_{n \ge 1} \frac{1}{n!}
    \min_i c_n(a_i)^2 (\min_i N_{ii})^{n-1}$. Checked exactly, the eigenvalues as algebraic
    numbers, for polynomial activations over a kernel with rational values.
    """
    chosen, coefficients = case
    at_most(len(chosen), _MOST, "templates")
    at_most(len(coefficients), _MOST, "coefficients")
    kernels = transformer(polynomial(list(coefficients)), _below()), _below()
    layer, below = (template_matrix(chosen, k).matrix.change_ring(QQ) for k in kernels)
    hermite = _hermite(chosen, coefficients)
    if layer != _expansion(below, hermite):
        return Fails("the Hermite expansion differs from the layer's matrix")
    certificate = certify(layer, question="positive-definite")
    if not isinstance(certificate, PositiveDefinite):
        return Fails(certificate.explain())
    # s is rational, so s lambda_min(N) is the smallest eigenvalue of the rational matrix s N.
    low = min(below[i, i] for i in range(below.shape[0]))
    share = sum(
        choose(Rational(c * c) for c in row) * low ** (n - 1) / factorial(n)
        for n, row in enumerate(hermite)
        if n
    )
    found, bound = (eigenvalues(m)[-1][0] for m in (layer, below * Rational(share)))
    if compare(found, bound) < 0:
        return Fails(f"the smallest eigenvalue is {float(found):.6g}, below {float(bound):.6g}")
    return certificate
