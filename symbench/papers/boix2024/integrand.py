"""Appendix G, Lemmas G.6 to G.9: the types of softmax, of the logits and of the integrand.

Around logarithms of rational numbers softmax has a power series with rational coefficients. The
library's derivatives of softmax and its series are compared with series multiplied out here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import factorial, prod
from typing import Any

from symbench.exact import Rational
from symbench.kernels.derivatives.attention_maps import attention_map
from symbench.papers._cases import at_most, drawn, many, number, record
from symbench.papers._templates import is_string
from symbench.papers.boix2024.analysis import short_pairs
from symbench.papers.boix2024.power_series import (
    HALF,
    ONE,
    ZERO,
    Coefficients,
    Exponents,
    Point,
    derivative_bound,
    expanded,
    exponents,
    forms,
    gens,
    library_series,
    majorant,
    nonzero,
    plus,
    points,
    terms,
    times,
    total_of,
)
from symbench.registry import Fails, NearMiss, claim


# --- Lemma G.6 ------------------------------------------------------------------------------------
@lru_cache(maxsize=1 << 8)
def softmax(weights: tuple[Any, ...], order: int) -> tuple[Coefficients, ...]:
    """The coordinates of softmax around u_0 = log(weights): S_a sum_c w_c e^(u_c) = w_a e^(u_a).

    >>> [str(c) for c in softmax((1, 1), 1)[0].values()]
    ['1/2', '1/4', '-1/4']
    """
    places, total = range(len(weights)), total_of(weights)
    found = []
    for a in places:
        series: Coefficients = {}
        for degree in range(order + 1):
            for m in exponents(len(weights), degree):
                value = Fraction(weights[a]) / factorial(degree) if m[a] == degree else ZERO
                for c in places:
                    for j in range(1, m[c] + 1):
                        lower = (*m[:c], m[c] - j, *m[c + 1 :])
                        value -= series[lower] * Fraction(weights[c]) / factorial(j)
                series[m] = value / total
        found.append(series)
    return tuple(found)


def _library_softmax(length: int, order: int) -> tuple[Coefficients, ...]:
    """The same at u_0 = 0, from the library's derivatives of softmax at zero."""
    derivative = attention_map("softmax").derivative

    def coefficient(m: Exponents, a: int) -> Fraction:
        others = tuple(sorted((n for c, n in enumerate(m) if n and c != a), reverse=True))
        below = length ** (sum(m) + 1) * prod(map(factorial, m))
        return Fraction(derivative(length, m[a], others), below)

    return tuple(
        {m: coefficient(m, a) for n in range(order + 1) for m in exponents(length, n)}
        for a in range(length)
    )


# Below 1/(2e) = 0.1839...
_SOFTMAX_RADIUS, _SOFTMAX_BOUND = Fraction(2, 11), Fraction(3)
_SOFTMAX_ORDER = 6


def _logs(st: Any) -> Any:
    return st.lists(st.fractions(Fraction(1, 8), 8, max_denominator=8), min_size=1, max_size=4).map(
        tuple
    )


@claim(
    "boix2024.lemma-G.6",
    source="Appendix G, Lemma G.6: a coordinate of softmax has (O(1), O(1))-type",
    wording="reconstructed",
    category="lemma",
    cases=[
        (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1), (1, 9), (Fraction(1, 50), 1), (1, 2, 3),
        (7, 1, Fraction(1, 7)), (1, 1, 5, 30),
    ],
    boundary=(1,),
    strategy=drawn(_logs),
    applies=many(number(above=0)),
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[
        NearMiss("in a cube of side 4", (1, 1), {"radius": Fraction(2)}),
        NearMiss("bounded by 1, as softmax is", (1, 1, 1), {"radius": ONE, "bound": ONE}),
    ],
)  # fmt: skip
def lemma_g6(
    weights: tuple[Any, ...],
    radius: Fraction = _SOFTMAX_RADIUS,
    bound: Fraction = _SOFTMAX_BOUND,
) -> bool | Fails:
    r"""For any $j$ the function $u \mapsto e^{u_j} / \sum_i e^{u_i}$ is real-analytic of $(O(1),
    O(1))$-type: the proof page finds $\tau_1 = 1/(2e)$, $\tau_2 = 3$ at every point and for every
    $k$. Looked at around the logarithms of rational numbers, to order 6, with $2/11 < 1/(2e)$; at
    zero the library's derivatives of softmax are compared.
    """
    at_most(len(weights), 5, "logits")
    series = softmax(tuple(weights), _SOFTMAX_ORDER)
    if series != _library_softmax(len(weights), _SOFTMAX_ORDER) and len(set(weights)) == 1:
        return Fails("the derivatives of softmax at zero are others")
    for coordinate in series:
        total = majorant(coordinate, radius)
        if total > bound:
            return Fails(f"the sum of absolute values is at least {total}, not at most {bound}")
    return True


# --- Lemmas G.7, G.8, G.9 -------------------------------------------------------------------------
@claim(
    "boix2024.lemma-G.7",
    source="Appendix G, Lemma G.7: the type of the logits beta zeta + beta gamma p",
    wording="reconstructed",
    category="lemma",
    cases=[
        (zeta, p, (beta, gamma))
        for zeta, p in ((1, 1), (-3, HALF), (0, 5))
        for beta, gamma in ((0, 0), (2, 0), (-1, 3), (HALF, -HALF))
    ],
    boundary=(0, 0, (0, 0)),
    strategy=drawn(lambda st: st.tuples(*[st.fractions(-9, 9)] * 2, points(st, 2))),
    applies=record(*[number()] * 2, record(number(), number())),
    near_misses=[
        NearMiss("without the radius 1 in the bound", (1, 1, (0, 0)), {"plus": 0}),
        NearMiss("with it in one factor only", (0, 2, (1, 0)), {"plus": Fraction(1, 3)}),
    ],
)  # fmt: skip
def lemma_g7(case: tuple[Any, Any, Point], plus: Any = 1) -> bool | Fails:
    r"""For any $\zeta, p$ the function $(\beta, \gamma) \mapsto \beta\zeta + \beta\gamma p$ is
    real-analytic of $(1, (1 + |\beta|)(1 + |\gamma|)(|\zeta| + |p|))$-type.
    """
    zeta, p, point = case
    f = ("polynomial", ((zeta, (1, 0)), (p, (1, 1))))
    series, written = terms(library_series(f, point)), nonzero(expanded(f, point))
    if series != written:
        return Fails(f"the power series is {series}, by the binomial theorem {written}")
    bound = (plus + abs(point[0])) * (plus + abs(point[1])) * (abs(zeta) + abs(p))
    total = majorant(series, ONE)
    return total <= bound or Fails(f"the sum of absolute values is {total}, not at most {bound}")


# Two strings, zeta of their tokens in alphabetical order, p of the positions, and gamma_0.
Integrand = tuple[str, str, tuple[Any, ...], tuple[Any, ...], Any]
_INTEGRAND_ORDER = 5


def _is_integrand(x: str, y: str, zeta: Any, p: Any, gamma: Any) -> bool:
    return len(x) == len(y) == len(p) and len(zeta) == len({*x, *y})


def _integrands(st: Any) -> Any:
    numbers = st.fractions(-3, 3, max_denominator=2)

    def complete(pair: tuple[str, str]) -> Any:
        x, y = pair
        return st.tuples(
            st.just(x), st.just(y), st.tuples(*[numbers] * len({*x, *y})),
            st.tuples(*[numbers] * len(x)), numbers,
        )  # fmt: skip

    return short_pairs(st).flatmap(complete)


def _logits(case: Integrand) -> list[list[tuple[Fraction, Fraction]]]:
    """The coefficients of beta and of beta (gamma - gamma_0) in the logits of both strings."""
    x, y, zeta, p, gamma = case
    tokens = sorted({*x, *y})
    return [
        [
            (Fraction(zeta[tokens.index(token)]) + Fraction(gamma) * Fraction(q), Fraction(q))
            for token, q in zip(word, p, strict=True)
        ]
        for word in (x, y)
    ]


def _written_integrand(case: Integrand) -> Coefficients:
    """The integrand's power series around (0, gamma_0), multiplied out."""
    x, y, _, _, gamma = case
    order, length = _INTEGRAND_ORDER, len(x)
    sides = []
    for logits in _logits(case):
        lines: list[Coefficients] = [{(1, 0): a, (1, 1): b} for a, b in logits]
        coordinates = []
        for series in softmax((1,) * length, order):
            total: Coefficients = {}
            for m, c in series.items():
                term: Coefficients = {(0, 0): c}
                for line, n in zip(lines, m, strict=True):
                    for _ in range(n):
                        term = times(term, line, order)
                total = plus(total, term)
            coordinates.append(total)
        sides.append(coordinates)
    g = Fraction(gamma)
    square: Coefficients = {(0, 0): g * g, (0, 1): 2 * g, (0, 2): ONE}
    parts = []
    for a, b in product(range(length), repeat=2):
        weight = plus({(0, 0): Fraction(int(x[a] == y[b]))}, square if a == b else {})
        parts.append(times(times(sides[0][a], sides[1][b], order), weight, order))
    return nonzero(plus(*parts))


def _library_integrand(case: Integrand) -> Coefficients:
    """The same by the library's series and its derivatives of softmax."""
    x, y, _, _, gamma = case
    ring = forms(2, _INTEGRAND_ORDER)
    b, g = gens(ring)
    sides = []
    for logits in _logits(case):
        lines = [
            ring.series([0, b]) * Rational(u) + ring.series([0, 0, b * g]) * Rational(v)
            for u, v in logits
        ]
        coordinates = []
        for series in _library_softmax(len(x), _INTEGRAND_ORDER):
            total = ring.coerce(0)
            for m, c in series.items():
                term = ring.coerce(Rational(c))
                for line, n in zip(lines, m, strict=True):
                    term = term * line**n
                total = total + term
            coordinates.append(total)
        sides.append(coordinates)
    square = ring.series([Rational(gamma), g]) ** 2
    total = ring.coerce(0)
    for i, j in product(range(len(x)), repeat=2):
        weight = square * int(i == j) + int(x[i] == y[j])
        total = total + sides[0][i] * sides[1][j] * weight
    return terms(total)


def _integrand_type(case: Integrand, shrinks: bool) -> tuple[Fraction, Fraction]:
    """tau_1 and tau_2 at (0, gamma_0), put together by Lemmas G.3, G.4, G.6 and G.7."""
    x, _, zeta, p, gamma = case
    steep = 1 + abs(Fraction(gamma))
    logits = steep * max(abs(Fraction(z)) + abs(Fraction(q)) for z in zeta for q in p)
    radius = min(ONE, _SOFTMAX_RADIUS / logits) if logits and shrinks else _SOFTMAX_RADIUS
    return radius, _SOFTMAX_BOUND**2 * (len(x) ** 2 + len(x) * steep**2)


_LARGE = ("AB", "AB", (20, -20), (1, 1), 1)
_INTEGRANDS = [
    ("A", "B", (1, 2), (3,), 1),
    ("AB", "AB", (1, -1), (2, 1), 0),
    ("AB", "BC", (1, -2, HALF), (0, 3), Fraction(-1, 2)),
    ("AA", "BB", (5, -7), (1, -4), 2),
    ("AB*", "CB*", (1, 0, -1, 2), (1, -1, 0), 1),
]
_integrand_fields = (is_string, is_string, many(number()), many(number()), number())


@claim(
    "boix2024.lemma-G.8",
    source="Appendix G, Lemma G.8: the type of the integrand, with a constant that depends on the "
    "context length",
    wording="reconstructed",
    category="lemma",
    cases=[*_INTEGRANDS, _LARGE],
    boundary=("A", "A", (0,), (0,), 0),
    strategy=drawn(_integrands),
    applies=record(*_integrand_fields, where=_is_integrand),
    assumes=[
        "boix2024.lemma-G.3",
        "boix2024.lemma-G.4",
        "boix2024.lemma-G.6",
        "boix2024.lemma-G.7",
    ],
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[NearMiss("a radius that does not shrink with zeta", _LARGE, {"shrinks": False})],
)
def lemma_g8(case: Integrand, shrinks: bool = True) -> bool | Fails:
    r"""For any $\zeta, p$ the integrand $(\beta, \gamma) \mapsto \mathrm{smax}(\beta X\zeta +
    \beta\gamma p)^\top (XY^\top + \gamma^2 I)\, \mathrm{smax}(\beta Y\zeta + \beta\gamma p)$ is
    real-analytic of type $(\min(1, c / ((1 + |\beta|)(1 + |\gamma|)(\|\zeta\|_\infty +
    \|p\|_\infty))), C_k (1 + |\gamma|)^2)$, here with $c = 2/11$ and $C_k = 9 (k^2 + k)$. Looked at
    around $\beta = 0$ and any $\gamma$, to order 5.
    """
    at_most(len(case[0]), 4, "letters of a string")
    series = _library_integrand(case)
    if series != _written_integrand(case):
        return Fails("the power series of the integrand is another one, multiplied out")
    radius, bound = _integrand_type(case, shrinks)
    total = majorant(series, radius)
    return total <= bound or Fails(f"the sum is at least {total}, not at most {bound}")


@claim(
    "boix2024.lemma-G.9",
    source="Appendix G, Lemma G.9: the derivatives of the integrand",
    wording="reconstructed",
    category="lemma",
    cases=[*_INTEGRANDS, _LARGE],
    boundary=("A", "A", (0,), (0,), 0),
    strategy=drawn(_integrands),
    applies=record(*_integrand_fields, where=_is_integrand),
    assumes=["boix2024.lemma-G.5", "boix2024.lemma-G.8"],
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[NearMiss("a bound that does not grow with zeta", _LARGE, {"grows": False})],
)
def lemma_g9(case: Integrand, grows: bool = True) -> bool | Fails:
    r"""The derivatives of the integrand of Lemma G.8 are at most $C_k (1 + |\gamma|)^2 \mu!\,
    (1 + (1 + |\beta|)(1 + |\gamma|)(\|\zeta\|_\infty + \|p\|_\infty)/c)^{|\mu|}$ in modulus. Looked
    at for $\beta = 0$, any $\gamma$ and $|\mu| \le 5$. (It is a bound for each $\zeta, p$. Its mean
    over Gaussian $\zeta, p$ grows faster than $\mu! R^{|\mu|}$, and Lemma G.1 does not follow.)
    """
    at_most(len(case[0]), 4, "letters of a string")
    series = _library_integrand(case)
    if series != _written_integrand(case):
        return Fails("the power series of the integrand is another one, multiplied out")
    radius, bound = _integrand_type(case, grows)
    return derivative_bound(series, bound, radius)
