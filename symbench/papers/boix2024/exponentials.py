"""Appendix E: determinants of exponentials, the Gaussian integral of cosines, and Lemma 4.6."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, cycle, permutations, product
from math import comb, factorial, lcm
from typing import Any

import flint

from symbench.certificates import Certificate, UniqueAssignment
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.exact import QQ, ZZ, Exponential, Matrix
from symbench.exact.precision import working_precision
from symbench.kernels import attention
from symbench.kernels.activations.exact import cos
from symbench.kernels.diagram import Diagram
from symbench.kernels.from_function import from_function
from symbench.kernels.transformer import transformer
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, number, record
from symbench.papers._second_roads import attention_series, ball, fresh, leibniz
from symbench.papers._symmetric_groups import sign
from symbench.papers._templates import Templates, before_cls, every, templates, with_cls
from symbench.registry import Fails, NearMiss, claim

_BITS = 256
# Phases b2 with a rational cos(2 b2), and that cosine; and some without.
_PHASES: dict[Any, Fraction] = {
    "pi/4": Fraction(0), "pi/6": Fraction(1, 2), "pi/3": Fraction(-1, 2), 0: Fraction(1),
    "pi/2": Fraction(-1),
}  # fmt: skip
_OTHERS = (1, Fraction(-1, 3), "pi/5", "3*pi/8")
_ALL_PHASES = (*_PHASES, *_OTHERS)


def _is_phase(value: Any) -> bool:
    return (type(value) is str or number()(value)) and value in _ALL_PHASES


def _angle(phase: Any) -> flint.arb:
    """b2 as a ball: '3*pi/8', or a number."""
    if not isinstance(phase, str):
        return ball(Fraction(phase))
    factor, _, below = phase.replace("pi", "1", 1).partition("/")
    top = Fraction(factor.partition("*")[0])
    return flint.arb.pi() * ball(top / int(below or 1))


# --- Claim E.2 ------------------------------------------------------------------------------------
# A, B, C of the covariance, b1 and b2.
CosineCase = tuple[Any, Any, Any, Any, Any]


def _moments(a: int, b: int, c: int) -> Callable[[int, int], int]:
    """E[u^m v^n], by pairing one factor with each of the others."""

    @cache
    def moment(m: int, n: int) -> int:
        if m == n == 0:
            return 1
        if m == 0:
            return (n - 1) * b * moment(0, n - 2) if n > 1 else 0
        own = (m - 1) * a * moment(m - 2, n) if m > 1 else 0
        return own + (n * c * moment(m - 1, n - 1) if n else 0)

    return moment


def _integral(a: Fraction, b: Fraction, c: Fraction, b1: Fraction, b2: Any, bits: int) -> flint.arb:
    """E[cos(b1 u + b2) cos(b1 v + b2)] from the Taylor series of the cosines.

    Its part of degree 2r in b1 is at most E(|u| + |v|)^2r b1^2r / (2r)! <= s^r / r! with
    s = b1^2 (A + B), because the norm of |u| + |v| in L_2r is at most that of their sum.
    """
    scale, size = lcm(a.denominator, b.denominator, c.denominator), b1 * b1 * (a + b)
    moment = _moments(*(int(scale * x) for x in (a, b, c)))
    # Of cos and its derivatives at b2 the even ones are +- cos(b2), the odd ones +- sin(b2).
    even, odd, r, part = Fraction(0), Fraction(0), 0, Fraction(1)
    while r < 2 * size or part * 2**bits > 1:
        terms = [comb(2 * r, m) * moment(m, 2 * r - m) for m in range(2 * r + 1)]
        share = (-b1 * b1 / scale) ** r / factorial(2 * r)
        even += share * sum(terms[::2])
        # Derivatives 2i + 1 and 2j + 1 have the sign (-1)^(i + j), and i + j is r - 1.
        odd -= share * sum(terms[1::2])
        r += 1
        part *= size / r
    total = _angle(b2).cos() ** 2 * ball(even) + _angle(b2).sin() ** 2 * ball(odd)
    return total + flint.arb(0, 2) * ball(part)  # the rest is at most twice its first term


def _same_different(a: Fraction, b: Fraction, c: Fraction) -> Callable[[Any, Any], Fraction]:
    """A kernel on strings of two letters: A on AA, B on AB, C between them."""

    def kernel(x: Any, y: Any) -> Fraction:
        same = [word[0] == word[1] for word in (x, y)]
        return c if same[0] != same[1] else a if same[0] else b

    return kernel


def _gaussian(st: Any) -> Any:
    numbers = st.fractions(0, 3, max_denominator=6)
    signs = st.fractions(-1, 1, max_denominator=6)
    steps = st.fractions(-2, 2, max_denominator=4)
    return st.tuples(numbers, numbers, signs, steps, st.sampled_from(_ALL_PHASES)).map(
        lambda case: (*case[:2], case[2] * min(case[:2]), *case[3:])
    )


@claim(
    "boix2024.claim-E.2",
    source="Appendix E, Claim E.2: the Gaussian integral of shifted cosines",
    wording="reconstructed",
    category="claim",
    cases=lambda: (
        (*covariance, b1, b2)
        for covariance in ((1, 1, 1), (1, 2, Fraction(-1, 2)), (Fraction(3, 2), 0, 0))
        for b1 in (1, Fraction(-3, 4))
        for b2 in ("pi/4", "pi/6", "pi/3", "pi/2", 0, 1, "3*pi/8")
    ),
    boundary=(1, 1, 1, 1, 0),
    strategy=drawn(_gaussian),
    applies=record(
        *[number(0, most=50)] * 2, number(), number(-20, most=20), _is_phase,
        where=lambda a, b, c, *_: c * c <= a * b,
    ),
    near_misses=[
        NearMiss("without the shift", (1, 2, Fraction(1, 3), 1, "pi/6"), {"shifted": False}),
        NearMiss("the second cosine without its sign", (1, 2, 1, 1, "pi/3"), {"mirrored": True}),
    ],
)  # fmt: skip
def claim_e2(case: CosineCase, shifted: bool = True, mirrored: bool = False) -> bool | Fails:
    r"""For $(u, v)$ Gaussian with covariance $\begin{pmatrix} A & C \\ C & B \end{pmatrix}$,
    $\mathbb{E} \cos(b_1 u + b_2) \cos(b_1 v + b_2) = \frac12 e^{-b_1^2 (A + B)/2}
    (e^{b_1^2 C} + \cos(2 b_2) e^{-b_1^2 C})$.

    The right side is the library's: a layer of cosines over a kernel with the values $A, B, C$.
    The left side is summed from the Taylor series of the cosines and Gaussian moments, with a bound
    on the rest; both are balls narrower than $2^{-100}$.
    """
    a, b, c, b1 = (Fraction(int(x.numerator), int(x.denominator)) for x in case[:4])
    b2 = case[4]
    layer = transformer(
        cos(b1, b2 if shifted else 0), from_function(_same_different(a, b, c)), bits=_BITS
    )
    value = layer.value("AA", "AB")
    with working_precision(_BITS + 64):
        integral = _integral(a, b, -c if mirrored else c, b1, b2, bits=110)
        difference = ball(value) - integral
    if not difference.contains(0):
        return Fails(f"the integral is {integral.str(10)}, the formula {ball(value).str(10)}")
    if not abs(difference) < flint.arb(2) ** -100:
        raise Undecided("the balls are too wide")
    return True


# --- Lemma E.1 ------------------------------------------------------------------------------------
def _identity_alone(c: Any) -> bool:
    """Condition (22): no permutation but the identity has the sum of the diagonal."""
    identity, *others = permutations(range(c.shape[0]))
    diagonal = sum(c[i, i] for i in identity)
    return all(sum(c[i, s[i]] for i in identity) != diagonal for s in others)


_MOST = 6  # rows or templates, all of whose permutations are gone through


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

    return st.integers(1, 4).flatmap(square).filter(_identity_alone)


def _variances(c: Matrix) -> tuple[list[Fraction], list[Fraction]]:
    """K'(X_i, X_i) and K'(Y_j, Y_j), so large that K' is positive semidefinite."""
    size = range(c.shape[0])
    rows = [1 + sum(abs(c[i, j]) for j in size) for i in size]
    return rows, [1 + sum(abs(c[i, j]) for i in size) for j in size]


def _layer(c: Matrix, phase: Any) -> Matrix:
    """M of (21) for b1 = 1, which is every b1 if q stands for e^(b1^2)."""
    rows, columns = _variances(c)
    activation = cos(1, phase)
    return Matrix(
        [
            [activation.dual(rows[i], b, c[i, j]) for j, b in enumerate(columns)]
            for i in range(len(rows))
        ]
    )


def _leibniz(c: Matrix, weight: Fraction) -> dict[Fraction, Fraction]:
    """The terms of det M: over all permutations, and both terms of Claim E.2 in each factor."""
    rows, columns = _variances(c)
    size = range(c.shape[0])
    found: dict[Fraction, Fraction] = {}
    for s in permutations(size):
        for signs in product((1, -1) if weight else (1,), repeat=len(s)):
            parts = [signs[i] * c[i, s[i]] - Fraction(rows[i] + columns[s[i]]) / 2 for i in size]
            exponent = sum(parts, Fraction(0))
            term = sign(s) * weight ** signs.count(-1) / 2 ** len(s)
            found[exponent] = found.get(exponent, Fraction(0)) + term
    return {e: x for e, x in found.items() if x}


@claim(
    "boix2024.lemma-E.1",
    source="Appendix E, Lemma E.1 with condition (22)",
    wording="quoted",
    category="lemma",
    cases=_small_exponents,
    boundary=Matrix([[1, 0], [0, 0]]),
    strategy=drawn(_exponents),
    applies=_hypotheses,
    assumes=["boix2024.claim-E.2"],
    proof="proofs/boix2024/lemma-E.1.md",
    near_misses=[
        NearMiss("a transposition ties with the identity", Matrix([[0, 0], [0, 0]])),
        NearMiss("equal rows: ties everywhere", Matrix([[1, 2, 0], [1, 2, 0], [0, 0, 5]])),
        NearMiss(
            "only 'the identity is a maximum' is asked", Matrix([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
        ),
        NearMiss("for every b2: b2 = 0", Matrix([[1, -1], [1, 1]]), {"phases": (0,)}),
    ],
)
def lemma_e1(c: Matrix, phases: Sequence[Any] = tuple(_PHASES)) -> Certificate | Fails:
    r"""Let $M_{ij} = \mathbb{E} \phi(u) \phi(v)$ with $(u, v)$ Gaussian of covariance
    $\begin{pmatrix} K'(X_i, X_i) & K'(X_i, Y_j) \\ K'(Y_j, X_i) & K'(Y_j, Y_j) \end{pmatrix}$ and
    $\phi(t) = \cos(b_1 t + b_2)$. If no permutation $\sigma \neq \mathrm{id}$ has
    $\sum_i K'(X_i, Y_{\sigma(i)}) = \sum_i K'(X_i, Y_i)$, then $M$ is nonsingular for all $(b_1,
    b_2)$ except for a set of measure zero.

    A case is the matrix $C_{ij} = K'(X_i, Y_j)$; the variances are chosen. $\det M$ is a polynomial
    in $\cos(2 b_2)$ whose coefficients are exponential polynomials in $q = e^{b_1^2}$, so one
    $b_2$ at which it is not the zero function of $q$ is enough: $b_2 = \pi/4$, where the identity's
    term survives. It is zero for every $b_2$ only if it is so at more values of $\cos(2 b_2)$ than
    $M$ has rows.
    """
    size = c.shape[0]
    at_most(size, _MOST, "rows")
    nonzero = None
    for phase in phases:
        matrix = _layer(c, phase)
        determinant: Exponential = matrix.det()
        if dict(determinant.terms) != _leibniz(c, _PHASES[phase]):
            return Fails(f"at b2 = {phase} the determinant is not {determinant}")
        if determinant != 0:
            if matrix.rank() != size:
                return Fails(f"at b2 = {phase} the rank is {matrix.rank()}")
            nonzero = nonzero or matrix
            if phase == "pi/4" and not _leading_term(c, determinant):
                return Fails("the identity's term does not survive, or does not lead")
            if size > 2:  # the other phases have 2^size terms for each permutation
                break
    if nonzero is not None:
        return certify(nonzero)
    if len(phases) == len(_PHASES) <= size:
        raise Undecided("the determinant is zero at every b2 that was tried")
    return Fails("the determinant is identically zero")


def _leading_term(c: Matrix, determinant: Exponential) -> bool:
    """Whether the identity's term is there, and leads if the identity is the unique maximum."""
    rows, columns = _variances(c)
    identity = tuple(range(c.shape[0]))
    shift = Fraction(sum(rows) + sum(columns)) / 2
    terms = {exponent + shift: x * 2 ** len(identity) for exponent, x in determinant.terms}
    diagonal = Fraction(sum(c[i, i] for i in identity))
    assignment = certify(c, question="unique-assignment")
    unique = isinstance(assignment, UniqueAssignment) and assignment.assignment == identity
    if unique:
        others = (sum(c[i, s[i]] for i in identity) for s in permutations(identity))
        if not assignment.check() or sum(total >= diagonal for total in others) != 1:
            return False
    return terms.get(diagonal) == 1 and (not unique or max(terms) == diagonal)


# --- Lemma 4.6 ------------------------------------------------------------------------------------
# Templates without CLS, which is appended; beta, gamma, b1 and b2.
LayerCase = tuple[Templates, Any, Any, Any, Any]
_ORDER = 6
_SMALL = Fraction(1, 2000)


@lru_cache(maxsize=1 << 10)
def _truncated(
    x: tuple[Hashable, ...], y: tuple[Hashable, ...], beta: Fraction, gamma: Fraction
) -> Fraction:
    """K_attn on two strings to the order beta^6, by Wick sums from its definition."""
    series = attention_series(x, y, 0 if beta == 0 else _ORDER)
    return sum((c * beta**i * gamma**j for (i, j), c in series.items()), Fraction(0))


def _remainder(length: int, beta: Fraction, gamma: Fraction) -> Fraction:
    """A bound on what the series to the order beta^6 leaves out of K_attn.

    Softmax of beta u is bounded by sqrt 2 for complex beta with |Im beta| osc(u) <= pi/2, so that
    by Cauchy the 8th derivative of smax_a(beta u) smax_b(beta v) is at most 2 8! (2 osc/pi)^8, osc
    the larger of both. E osc^8 <= 2 * 16 * 105 (k (1 + gamma^2))^4, for osc(u)^2 <= 2 |u|^2.
    """
    weight = length**2 + gamma**2 * length
    eighth = 3360 * (length * (1 + gamma**2)) ** 4
    return 2 * weight * eighth * Fraction(2, 3) ** 8 * beta**8


def _below(cases: Templates, beta: Fraction, gamma: Fraction) -> list[list[Fraction]]:
    """K_attn(X_i, Y_j) by the second road, to the order beta^6."""
    sides = [[fresh(z, side) for z in with_cls(cases)] for side in ("left", "right")]
    return [[_truncated(x, y, beta, gamma) for y in sides[1]] for x in sides[0]]


def _condition(cases: Templates, beta: Fraction, gamma: Fraction) -> bool:
    """Condition (9), with room for what the series leaves out."""
    values, rest = _below(cases, beta, gamma), _remainder(len(cases[0]) + 1, beta, gamma)
    identity, *others = permutations(range(len(cases)))
    diagonal = sum((values[i][i] for i in identity), Fraction(0))
    sums = (sum((values[i][s[i]] for i in identity), Fraction(0)) for s in others)
    return all(abs(total - diagonal) > 2 * len(cases) * rest for total in sums)


def _is_layer(cases: Any, beta: Fraction, gamma: Fraction, b1: Fraction, b2: Any) -> bool:
    if b1 == 0:
        return False
    small = len(cases) <= _MOST and len(cases[0]) <= 3
    return not small or _condition(cases, Fraction(beta), Fraction(gamma))


def _layer_cases() -> Iterator[LayerCase]:
    """Sets of templates at beta = 0 that satisfy condition (9) there, and some at a small beta."""
    numbers = product((Fraction(1, 2), 1), (1, 2, Fraction(-1, 2)), ("pi/4", "pi/6", 1))
    short = [z for size in (1, 2, 3) for z in combinations(every(2, "A"), size)]
    longer = [templates("ααα", "αAβ"), templates("AAα", "αβA"), templates("ααA", "AAA", "αβγ")]
    at_zero = [z for z in (*short, *longer) if _condition(z, Fraction(0), Fraction(1))]
    for cases, (gamma, b1, b2) in zip(at_zero, cycle(list(numbers)), strict=False):
        yield cases, 0, gamma, b1, b2
    for b1, b2 in ((1, "pi/4"), (3, 1), (Fraction(-1, 2), "3*pi/8")):
        yield templates("αα", "αβ"), _SMALL, 1, b1, b2
    yield templates("αα", "αβ", "αA"), _SMALL, Fraction(1, 2), 2, "pi/5"


def _layer_strategy(st: Any) -> Any:
    from symbench.strategies import inequivalent_templates

    few = inequivalent_templates(min_size=1, max_size=3, max_length=2, tokens="AB")
    return st.tuples(
        few,
        st.sampled_from([0, _SMALL]),
        st.sampled_from([Fraction(1, 2), 1]),
        st.sampled_from([1, 2, Fraction(-3, 2)]),
        st.sampled_from(_ALL_PHASES),
    )


@claim(
    "boix2024.lemma-4.6",
    source="Lemma 4.6 = C.3, with condition (9) = (15) = (22)",
    wording="quoted",
    category="lemma",
    cases=_layer_cases,
    boundary=(templates("αα", "αβ"), _SMALL, 1, 1, "pi/4"),
    strategy=drawn(_layer_strategy),
    applies=record(
        before_cls, number(0, most=_SMALL), number(most=2), number(-4, most=4), _is_phase,
        where=_is_layer,
    ),
    assumes=["boix2024.lemma-E.1", "boix2024.claim-E.2"],
    near_misses=[
        NearMiss(
            "condition (9) does not hold: same and different at beta = 0",
            (templates("αα", "αβ"), 0, 1, 1, "pi/4"),
        ),
        NearMiss("for every b1: b1 = 0", (templates("αα", "AA"), 0, 1, 0, "pi/4")),
    ],
)  # fmt: skip
def lemma_4_6(case: LayerCase) -> bool | Certificate | Fails:
    r"""Suppose for every non-identity permutation $\sigma$, $\sum_i K_{attn}(\mathrm{sub}(z_i, s),
    \mathrm{sub}(z_i, s')) \neq \sum_i K_{attn}(\mathrm{sub}(z_i, s), \mathrm{sub}(z_{\sigma(i)},
    s'))$. Let the activation be $\phi(t) = \cos(b_1 t + b_2)$. Then for almost any choice of $b_1,
    b_2$ (except for a Lebesgue-measure-zero set) the template matrix $N$ is nonsingular.

    A case has numbers for $\beta, \gamma, b_1, b_2$. At $\beta = 0$ the kernel $K_{attn}$ is
    rational; at a small $\beta$ it is known to order 6 with a bound on the rest, and determinants
    are balls. A matrix that is singular at one $(b_1, b_2)$ decides nothing: where $q = e^{b_1^2}$
    is transcendental, five $b_2$ decide for up to four templates.
    """
    cases, b1, b2 = case[0], Fraction(case[3]), case[4]
    beta, gamma = Fraction(case[1]), Fraction(case[2])
    at_most(len(cases), _MOST, "templates")
    at_most(len(cases[0]), 3, "letters of a template")
    matrix = _cosine_matrix(cases, beta, gamma, b1, b2)
    with working_precision(_BITS):
        entries = _second_matrix(cases, beta, gamma, b1, b2)
        for i, j in product(range(len(cases)), repeat=2):
            if not ball(matrix[i, j]).overlaps(entries[i][j]):
                return Fails(f"entry ({i}, {j}) is {matrix[i, j]}, not {entries[i][j].str(10)}")
        exact = isinstance(matrix[0, 0], Exponential)
        # Exponents such as (1/2000)^6 make a determinant of exponentials too long to write.
        if not (exact and beta):
            determinant = leibniz(entries)
            if not ball(matrix.det()).overlaps(determinant):
                return Fails(f"the determinant is {matrix.det()}, not {determinant.str(10)}")
        # The derivatives of an entry by the three values of the kernel add up to 2 b1^2 at most.
        rest = 2 * b1 * b1 * _remainder(len(cases[0]) + 1, beta, gamma)
        wide = [[x + flint.arb(0, 1) * ball(rest) for x in row] for row in entries]
        nonsingular = not leibniz(wide).contains(0)
    if beta or not exact:
        if nonsingular:
            return True
        raise Undecided("zero is in the ball of the determinant")
    if matrix.det() != 0:
        return certify(matrix)
    if b1 and (
        len(cases) >= len(_PHASES)
        or any(_cosine_matrix(cases, beta, gamma, b1, phase).det() != 0 for phase in _PHASES)
    ):
        raise Undecided("singular at this b2, which may be an exception")
    return Fails(f"the determinant is zero for {'every (b1, b2)' if b1 else 'b1 = 0'}")


def _cosine_matrix(
    cases: Templates, beta: Fraction, gamma: Fraction, b1: Fraction, b2: Any
) -> Matrix:
    """The library's template matrix, over attention to the order beta^6."""
    series = attention(gamma=gamma, order=_ORDER)

    @cache
    def at(diagram: Diagram) -> Fraction:
        coefficients = series.on_diagram(diagram).coefficients
        return sum((Fraction(c) * beta**i for i, c in enumerate(coefficients)), Fraction(0))

    def value(x: Any, y: Any) -> Fraction:
        return at(Diagram.of(x, y))

    below = from_function(value) if beta else attention(beta=0, gamma=gamma)
    return template_matrix(with_cls(cases), transformer(cos(b1, b2), below)).matrix


def _second_matrix(
    cases: Templates, beta: Fraction, gamma: Fraction, b1: Fraction, b2: Any
) -> list[list[flint.arb]]:
    """The template matrix by the second road and the formula of Claim E.2, in balls."""
    words = [fresh(z, "left") for z in with_cls(cases)]
    variances = [_truncated(x, x, beta, gamma) for x in words]
    values, double = _below(cases, beta, gamma), (2 * _angle(b2)).cos()
    square = b1 * b1

    def entry(i: int, j: int) -> flint.arb:
        mean, c = (variances[i] + variances[j]) / 2, values[i][j]
        return (ball(square * (c - mean)).exp() + double * ball(square * (-c - mean)).exp()) / 2

    return [[entry(i, j) for j in range(len(cases))] for i in range(len(cases))]
