"""Appendix E: determinants of exponentials, the Gaussian integral of cosines, and Lemma 4.6."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

from symbench.certificates import Certificate, Singular, UniqueAssignment
from symbench.certifying import certify
from symbench.exact import QQ, ZZ, Exponential, Matrix, Rational, exponential_matrix
from symbench.kernels import inner_product
from symbench.kernels.activations.exact import cos
from symbench.kernels.derivatives.moments import gaussian_moment
from symbench.kernels.transformer import transformer
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, integer, number, record
from symbench.papers._templates import Templates, inequivalent, subsets, templates
from symbench.registry import Fails, NearMiss, claim

# --- Claim E.2 ------------------------------------------------------------------------------------
# A, B, C of the covariance, and b2 as a multiple of pi/4.
CosineCase = tuple[int | Fraction, int | Fraction, int | Fraction, int]
_ORDER = 8


def _cosine_derivatives(m: int, n: int, quarter: int) -> Fraction:
    """The product of the m-th and n-th derivative of the cosine at quarter * pi/4."""
    # (cos of the difference + cos of the sum of the phases) / 2; both are quarters of a turn.
    turns = (1, 0, -1, 0)
    return Fraction(turns[(m - n) % 4] + turns[(quarter + m + n) % 4], 2)


@claim(
    "boix2024.claim-E.2",
    source="Appendix E, Claim E.2: the Gaussian integral of shifted cosines",
    category="claim",
    cases=lambda max_size=2: product(
        range(1, max_size + 1),
        range(1, max_size + 1),
        (Fraction(-1, 2), 0, Fraction(1, 3), 1),
        range(4),
    ),
    boundary=(1, 1, 1, 0),
    applies=record(
        number(0), number(0), number(), integer(), where=lambda a, b, c, _: c * c <= a * b
    ),
    near_misses=[
        NearMiss("the second term with the other sign", (1, 2, Fraction(1, 3), 0), {"sign": -1})
    ],
)
def claim_e2(case: CosineCase, sign: int = 1) -> bool | Fails:
    r"""For $(a, b)$ Gaussian with covariance $\begin{pmatrix} A & C \\ C & B \end{pmatrix}$,
    $\mathbb{E} \cos(b_1 a + b_2) \cos(b_1 b + b_2) = \frac12 e^{-b_1^2 (A + B)/2}
    (e^{b_1^2 C} + \cos(2 b_2) e^{-b_1^2 C})$. Both sides as power series in $b_1$, by Isserlis'
    theorem, to order 8, for $b_2$ a multiple of $\pi/4$.
    """
    a, b, c, quarter = case
    covariance = Matrix([[Rational(a), Rational(c)], [Rational(c), Rational(b)]])
    mean, double = Fraction(a + b) / 2, (1, 0, -1, 0)[quarter % 4]  # cos(2 b2)
    for order in range(_ORDER + 1):
        expected = sum(
            _cosine_derivatives(m, order - m, quarter)
            * gaussian_moment(covariance, (m, order - m))
            / (factorial(m) * factorial(order - m))
            for m in range(order + 1)
        )
        half, odd = divmod(order, 2)
        powers = 0 if odd else (c - mean) ** half + sign * double * (-c - mean) ** half
        closed = Fraction(powers) / (2 * factorial(half))
        if expected != closed:
            return Fails(f"at b1^{order}: the integral gives {expected}, the formula {closed}")
    return True


# --- Lemma E.1 ------------------------------------------------------------------------------------
def _identity_alone(c: Matrix) -> bool:
    """Condition (22): no permutation but the identity has the sum of the diagonal."""
    identity, *others = permutations(range(c.shape[0]))
    diagonal = sum(c[i, i] for i in identity)
    return all(sum(c[i, s[i]] for i in identity) != diagonal for s in others)


_MOST = 8  # rows or templates, all of whose permutations are gone through


def _hypotheses(c: Any) -> bool:
    """A square matrix of rational numbers with condition (22), as far as it can be gone through."""
    if not isinstance(c, Matrix) or c.ring not in (ZZ, QQ) or not c.shape[0] == c.shape[1] >= 1:
        return False
    return c.shape[0] > _MOST or _identity_alone(c)


def _small_exponents(max_two: int = 2, max_three: int = 1) -> Iterator[Matrix]:
    """All integer matrices with condition (22): 2 x 2 up to max_two, 3 x 3 up to max_three."""
    for size, top in ((1, 1), (2, max_two), (3, max_three)):
        for entries in product(range(top + 1), repeat=size * size):
            c = Matrix([entries[i * size : (i + 1) * size] for i in range(size)])
            if _identity_alone(c):
                yield c


def _exponents(st: Any) -> Any:
    def square(size: int) -> Any:
        rows = st.lists(st.integers(-4, 4), min_size=size, max_size=size)
        return st.lists(rows, min_size=size, max_size=size).map(Matrix)

    return st.integers(1, 5).flatmap(square).filter(_identity_alone)


@claim(
    "boix2024.lemma-E.1",
    source="Appendix E, Lemma E.1 with condition (22); the matrix step of Lemma 4.6",
    category="lemma",
    cases=_small_exponents,
    boundary=Matrix([[1, 0], [0, 0]]),
    strategy=drawn(_exponents),
    applies=_hypotheses,
    proof="proofs/boix2024/lemma-E.1.md",
    near_misses=[
        NearMiss("a transposition ties with the identity", Matrix([[0, 0], [0, 0]])),
        NearMiss("equal rows: ties everywhere", Matrix([[1, 2, 0], [1, 2, 0], [0, 0, 5]])),
        NearMiss(
            "only 'the identity is a maximum' is asked", Matrix([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
        ),
    ],
)
def lemma_e1(c: Matrix) -> Certificate | Fails:
    r"""If no permutation $\sigma \neq \mathrm{id}$ has $\sum_i C_{i,\sigma(i)} = \sum_i C_{ii}$,
    then $\det [q^{C_{ij}}]$ is not the zero function of $q$.

    The identity contributes $q^{\sum_i C_{ii}}$, and nothing cancels it. If moreover the identity
    is the unique maximum, that term leads, and a dual solution of the assignment problem shows
    it in polynomial time.
    """
    at_most(c.shape[0], _MOST, "rows")
    matrix = exponential_matrix(c)
    certificate = certify(matrix)
    if isinstance(certificate, Singular):
        return Fails("the determinant is identically zero")
    identity = tuple(range(c.shape[0]))
    determinant: Exponential = matrix.det()
    diagonal = sum(c[i, i] for i in identity)
    terms = dict(determinant.terms)
    if terms.get(QQ.coerce(diagonal)) != 1:
        return Fails("the identity's term does not survive with coefficient 1")
    assignment = certify(c, question="unique-assignment")
    unique = isinstance(assignment, UniqueAssignment) and assignment.assignment == identity
    if unique and assignment.check() and max(terms) != diagonal:
        return Fails("the identity is the unique maximum and its term does not lead")
    return certificate


# --- Lemma 4.6 ------------------------------------------------------------------------------------
# The kernel under the layer: it has rational values, and sees incidences.
_BELOW = inner_product(lambda s: s, incidence=True)


def _condition(cases: Templates) -> bool:
    return _identity_alone(template_matrix(cases, _BELOW).matrix)


@claim(
    "boix2024.lemma-4.6",
    source="Lemma 4.6 = C.3, for shifted cosines with b2 = pi/4",
    category="lemma",
    cases=lambda max_length=3: filter(_condition, subsets(max_length, 1, 2, 3, token_below=3)),
    boundary=templates("αα", "αβ"),
    applies=lambda cases: inequivalent(cases) and (len(cases) > _MOST or _condition(cases)),
    assumes=["boix2024.lemma-E.1", "boix2024.claim-E.2"],
    near_misses=[
        NearMiss(
            "a kernel below with ties: inner products on wildcard-only templates",
            templates("αα", "αβ"),
            {"below": inner_product(lambda s: s)},
        ),
        NearMiss("equivalent templates", templates("αβ", "βα")),
    ],
)
def lemma_4_6(cases: Templates, below: Any = _BELOW) -> Certificate | Fails:
    r"""If no permutation $\sigma \neq \mathrm{id}$ has $\sum_i K'(X_i, Y_{\sigma(i)}) = \sum_i
    K'(X_i, Y_i)$, then the template matrix of the layer with activation $\cos(b_1 t + \pi/4)$ over
    $K'$ is nonsingular for almost every $b_1$: its determinant is a nonzero exponential polynomial
    in $q = e^{b_1^2}$. Here $K'$ is the inner product of the inputs concatenated with their
    incidence matrices.
    """
    at_most(len(cases), _MOST, "templates")
    certificate = certify(template_matrix(cases, transformer(cos(1, "pi/4"), below)))
    if isinstance(certificate, Singular):
        return Fails("the determinant is identically zero in b1")
    return certificate
