"""Exactly the activations that are not constant: the layer on top of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, factorial
from typing import Any

from symbench.certificates import Certificate, PositiveDefinite
from symbench.certifying import certify
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.roots import compare, eigenvalues
from symbench.kernels import attention, from_function, inner_product
from symbench.kernels.activations.exact import polynomial
from symbench.kernels.transformer import transformer
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, many, number, one_of, record
from symbench.papers._second_roads import (
    Coefficients,
    attention_series,
    fresh,
    series_coefficients,
)
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    subsets,
    template_sets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim

# Templates, the coefficients of a polynomial activation, lowest first, and the kernel below.
Case = tuple[Templates, tuple[int, ...], str]

_POLYNOMIALS = ((0, 1), (1, 1), (0, 0, 1), (1, -2, 3), (0, 1, 0, -1), (2, 0, 1, 1, 1))
_MOST = 12  # templates, and coefficients
_ORDER = 4  # in beta
_BETA, _GAMMA = Fraction(1, 4), Fraction(1)


# --- kernels below, in the library and from the definition ----------------------------------------
@lru_cache(maxsize=1 << 10)
def _truncated(x: Any, y: Any) -> Rational:
    """Softmax attention, its series cut off after beta^4, at beta = 1/4 and gamma = 1."""
    terms = attention().taylor(list(x), list(y), beta=_ORDER).items()
    return Rational(sum(c * _BETA**i * _GAMMA**j for (i, j), c in terms))


_KERNELS: dict[str, Any] = {
    "incidence": inner_product(lambda s: (1 + s) ** 2, incidence=True),
    "attention at 1/4": from_function(_truncated, needs_cls=True),
    "attention": attention(order=_ORDER),
}


@lru_cache(maxsize=1 << 10)
def _below(x: tuple[Hashable, ...], y: tuple[Hashable, ...], name: str) -> Coefficients:
    """The kernel below on two strings, by definition; a number is the coefficient (0, 0)."""
    if name == "incidence":
        pairs = list(product(range(len(x)), repeat=2))
        agree = sum(a == b for a, b in zip(x, y, strict=True))
        squares = sum(x[a] == x[b] and y[a] == y[b] for a, b in pairs)
        return {(0, 0): Fraction((1 + agree + squares) ** 2)}
    series = attention_series(x, y, _ORDER)
    if name == "attention":
        return series
    return {(0, 0): sum((c * _BETA**i * _GAMMA**j for (i, j), c in series.items()), Fraction(0))}


# --- Isserlis -------------------------------------------------------------------------------------
def _times(f: Coefficients, g: Coefficients) -> Coefficients:
    """The product of two series, to the order that is known."""
    found: Coefficients = {}
    for ((i, j), a), ((k, m), b) in product(f.items(), g.items()):
        if i + k <= _ORDER:
            found[i + k, j + m] = found.get((i + k, j + m), Fraction(0)) + a * b
    return found


def _mean(p: int, q: int, variances: tuple[Coefficients, ...]) -> Coefficients:
    """E[u^p v^q]: the sum over all ways to pair p factors u and q factors v.

    r pairs join a u with a v, in C(p, r) C(q, r) r! ways; the others are paired among themselves,
    2n of them in (2n)! / (2^n n!) ways.
    """
    first, second, shared = variances
    total: Coefficients = {}
    for r in range(min(p, q) + 1):
        if (p - r) % 2 or (q - r) % 2:
            continue
        ways = comb(p, r) * comb(q, r) * factorial(r) * _pairings(p - r) * _pairings(q - r)
        term: Coefficients = {(0, 0): Fraction(ways)}
        for factor, n in ((shared, r), (first, (p - r) // 2), (second, (q - r) // 2)):
            for _ in range(n):
                term = _times(term, factor)
        for place, c in term.items():
            total[place] = total.get(place, Fraction(0)) + c
    return total


def _pairings(n: int) -> int:
    return int(factorial(n) // (2 ** (n // 2) * factorial(n // 2)))


def _layer(z: Any, w: Any, case: Case) -> Coefficients:
    """An entry of the layer's matrix: E[phi(u) phi(v)], phi multiplied out."""
    _, phi, name = case
    # K(x, x) and K(y, y) have one substitution, K(x, y) two.
    variances = (
        _below(fresh(z, "left"), fresh(z, "left"), name),
        _below(fresh(w, "right"), fresh(w, "right"), name),
        _below(fresh(z, "left"), fresh(w, "right"), name),
    )
    total: Coefficients = {}
    for (p, a), (q, b) in product(enumerate(phi), repeat=2):
        for place, c in _mean(p, q, variances).items() if a * b else ():
            total[place] = total.get(place, Fraction(0)) + a * b * c
    return {place: c for place, c in total.items() if c}


def _known(entry: Any) -> Coefficients:
    """An entry of the library, a series or a number, as coefficients."""
    if hasattr(entry, "coefficients"):
        return series_coefficients(entry)
    number = Fraction(entry)
    return {(0, 0): number} if number else {}


# --- the claim ------------------------------------------------------------------------------------
def _hypotheses(chosen: Templates, coefficients: tuple[int, ...], name: str) -> bool:
    """Whether the polynomial is not constant and N is positive definite, by its minors.

    The minors of more templates than are gone through are not computed. Series are not asked: of
    them the expansion alone is looked at.
    """
    if name == "attention":
        return True
    if not any(coefficients[1:]):
        return False
    if len(chosen) > _MOST:
        return True
    below = template_matrix(chosen, _KERNELS[name]).matrix.change_ring(QQ)
    corners = (range(size) for size in range(1, len(chosen) + 1))
    return all(below.submatrix(places, places).det() > 0 for places in corners)


def _cases(max_length: int = 3) -> Iterator[Case]:
    sets = [
        *subsets(max_length, 1, 2, token_below=3),
        every(max_length),
        every(2, "A"),
    ]
    for n, chosen in enumerate(sets):
        for k, phi in enumerate(_POLYNOMIALS):
            # Every set with one or two of the polynomials, every polynomial with some of the sets.
            if (n + k) % 5 == 0 and _hypotheses(chosen, phi, "incidence"):
                yield chosen, phi, "incidence"
    small = (*subsets(2, 2, token_below=3), templates("αAα", "αββ"))
    for n, (chosen, phi) in enumerate(product(small, _POLYNOMIALS)):
        if n % 5 == 0 and _hypotheses(chosen, phi, "attention at 1/4"):
            yield chosen, phi, "attention at 1/4"
        if n % 17 == 0:
            yield chosen, phi, "attention"


@claim(
    "symbench.every-activation",
    source="Theorem of symbench; boix2024 has shifted cosines and conjectures most others",
    category="theorem",
    cases=_cases,
    boundary=(templates("αα", "αβ"), (0, 1), "incidence"),
    applies=record(before_cls, many(number()), one_of(*_KERNELS), where=_hypotheses),
    strategy=drawn(
        lambda st: st.tuples(
            template_sets(max_size=3, max_length=3, tokens="A")(),
            st.lists(st.integers(-2, 2), min_size=2, max_size=4).map(tuple),
            st.sampled_from(sorted(_KERNELS)),
        ).filter(lambda case: _hypotheses(*case))
    ),
    proof="proofs/symbench/every-activation.md",
    near_misses=[
        NearMiss("a constant activation", (templates("αα", "αβ"), (1,), "incidence")),
        NearMiss("equivalent templates", (templates("αβ", "βα"), (0, 1), "incidence")),
        NearMiss(
            "the bound with the largest Hermite coefficients",
            (templates("αα", "αβ"), (0, 1, 0, -1), "incidence"),
            {"choose": max},
        ),
    ],
)
def every_activation(
    case: Case, choose: Callable[[Iterable[Rational]], Rational] = min
) -> Certificate | bool | Fails:
    r"""Let $N$ be positive definite and $\phi$ an activation, square integrable for the Gaussians
    that occur. Then $K_\tau^{trans} = \sum_n \frac{1}{n!} D_n N^{\circ n} D_n$ with
    $D_n = \mathrm{diag}(c_n(a_i))$, $c_n(a) = a^{-n/2} \mathbb{E}[\phi(\sqrt a g) He_n(g)]$, and
    it is positive definite if $\phi$ is not constant (for $r \ge 2$ templates: iff). Moreover
    $\lambda_{\min}(K_\tau^{trans}) \ge \lambda_{\min}(N) \sum_{n \ge 1} \frac{1}{n!}
    \min_i c_n(a_i)^2 (\min_i N_{ii})^{n-1}$. For polynomial activations the layer and its expansion
    are compared with the mean of $\phi(u) \phi(v)$, paired factor by factor, over kernels with
    rational values, softmax attention cut off among them, and over the series of softmax attention;
    eigenvalues are compared as algebraic numbers.
    """
    chosen, coefficients, name = case
    at_most(len(chosen), _MOST, "templates")
    at_most(len(coefficients), _MOST, "coefficients")
    phi, below = polynomial(list(coefficients)), _KERNELS[name]
    layer = template_matrix(chosen, transformer(phi, below))
    for (i, z), (j, w) in product(enumerate(layer.templates), repeat=2):
        if _known(layer.matrix[i, j]) != _layer(z, w, case):
            return Fails(f"the entry of {z} and {w} is not the mean of phi(u) phi(v)")
    if name == "attention":
        return True
    own = [
        Rational(_below(fresh(z, "left"), fresh(z, "left"), name)[0, 0]) for z in layer.templates
    ]
    hermite = [[Rational(phi.hermite(n, a)) for a in own] for n in range(len(coefficients))]
    plain = template_matrix(chosen, below).matrix.change_ring(QQ)
    matrix = layer.matrix.change_ring(QQ)
    if matrix != _expansion(plain, hermite):
        return Fails("the Hermite expansion differs from the layer's matrix")
    certificate = certify(matrix, question="positive-definite")
    if not isinstance(certificate, PositiveDefinite):
        return Fails(certificate.explain())
    # s is rational, so s lambda_min(N) is the smallest eigenvalue of the rational matrix s N.
    low = min(plain[i, i] for i in range(plain.shape[0]))
    share = sum(
        choose(Rational(c * c) for c in row) * low ** (n - 1) / factorial(n)
        for n, row in enumerate(hermite)
        if n
    )
    found, bound = (eigenvalues(m)[-1][0] for m in (matrix, plain * Rational(share)))
    if compare(found, bound) < 0:
        return Fails(f"the smallest eigenvalue is {float(found):.6g}, below {float(bound):.6g}")
    return certificate


def _expansion(below: Matrix, hermite: list[list[Rational]]) -> Matrix:
    """The sum over n of D_n N^(o n) D_n / n!, D_n the diagonal of the Hermite coefficients."""
    size = below.shape[0]
    total = Matrix([[0] * size] * size, QQ)
    for n, c in enumerate(hermite):
        power = below.entrywise_power(n) * Rational(1, factorial(n))
        total += Matrix([[c[i] * power[i, j] * c[j] for j in range(size)] for i in range(size)], QQ)
    return total
