"""Appendix G, Lemma G.1: where the attention kernel is analytic, and where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod
from typing import Any

from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.kernels import attention
from symbench.papers._cases import at_most, drawn, integer, number, record
from symbench.papers._second_roads import attention_series
from symbench.papers._templates import is_string
from symbench.registry import Control, Fails, NearMiss, claim

Pair = tuple[str, str]


def tanh_squared(count: int) -> list[Fraction]:
    """The coefficients t_0, ..., t_(count-1) of tanh(x)^2 = sum t_n x^(2n).

    >>> tanh_squared(4)
    [0, 1, -2/3, 17/45]
    """
    # tanh' = 1 - tanh^2, so the coefficients of tanh determine those of its square in turn.
    tanh: list[Fraction] = [Rational(0)] * (2 * count)
    square: list[Fraction] = [Rational(0)] * (2 * count)
    for n in range(2 * count - 1):
        square[n] = sum((tanh[i] * tanh[n - i] for i in range(n + 1)), Rational(0))
        tanh[n + 1] = (int(n == 0) - square[n]) / Rational(n + 1)
    return square[: 2 * count : 2][:count]


def odd_factorial(n: int) -> int:
    """E g^(2n) = (2n - 1)!! of a standard Gaussian g.

    >>> [odd_factorial(n) for n in range(5)]
    [1, 1, 3, 15, 105]
    """
    return prod(range(1, 2 * n, 2))


def _two_logits(count: int, moment: Callable[[int], int] = odd_factorial) -> list[Fraction]:
    """The coefficients of s^(2n) in E |smax(s p)|^2 = 1/2 + 1/2 E tanh(s g / sqrt 2)^2, k = 2."""
    return [
        t * Rational(moment(n), 2 ** (n + 1)) + Rational(int(n == 0), 2)
        for n, t in enumerate(tanh_squared(count))
    ]


_is_pair = record(is_string, is_string, where=lambda x, y: len(x) == len(y))
_ORDER_G1 = 10


def short_pairs(st: Any) -> Any:
    """Two strings of one letter each, or of two."""
    return st.integers(1, 2).flatmap(
        lambda n: st.tuples(*[st.text("ABC", min_size=n, max_size=n)] * 2)
    )


@claim(
    "boix2024.lemma-G.1",
    source="Appendix G, Lemma G.1: 'for any X, Y, the function kappa_{X,Y} is analytic in "
    "(beta, gamma)'; Appendix F uses it at the origin",
    wording="quoted",
    category="lemma",
    cases=[("A", "A"), ("AA", "BB"), ("AB", "AB"), ("AB", "CD")],
    boundary=("AB", "AB"),
    strategy=drawn(short_pairs),
    applies=_is_pair,
    expected="fails",
    repaired_by="boix2024.lemma-G.1-repaired",
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[
        NearMiss("in beta alone, at gamma = 0", ("AB", "AB"), {"in_beta": True}),
        NearMiss("in beta alone, the string turned", ("AB", "BA"), {"in_beta": True}),
    ],
    controls=[
        Control("strings of one letter", ("A", "A")),
        Control("two different letters", ("A", "B")),
    ],
)
def lemma_g1(case: Pair, in_beta: bool = False) -> bool | Fails:
    r"""For any $X, Y$ the function $\kappa_{X,Y}$ is analytic in $(\beta, \gamma)$.

    At the origin the coefficients would be at most $C R^{i+j}$ for some $C, R$. For $k = 1$ the
    kernel is a polynomial. For $k = 2$ the coefficient of $\beta^{2n} \gamma^{2n+2}$ does not
    depend on the strings; it is compared with $\frac12 t_n (2n-1)!!/2^n$, where $\tanh(x)^2 =
    \sum t_n x^{2n}$, for $n \le 5$. That it is larger than $\frac12 (2n-1)!!/5^n$ for every $n$,
    so that no $C, R$ are left, is shown on the proof page.
    """
    x, y = case
    at_most(len(x), 2, "letters of a string")
    series = attention().taylor(x, y, beta=_ORDER_G1)
    if len(x) == 1:
        polynomial = {(0, 0): int(x == y), (0, 2): 1}
        if series != {place: c for place, c in polynomial.items() if c}:
            raise AssertionError("softmax of one logit is 1")
        return True
    for n, expected in enumerate(_two_logits(_ORDER_G1 // 2 + 1)):
        if series.get((2 * n, 0 if in_beta else 2 * n + 2), 0) != expected:
            raise Undecided("this is not the series of the proof page")
        if n and not abs(expected) > Fraction(odd_factorial(n), 2 * 5**n):
            raise AssertionError("the bound of the proof page does not hold")
    place = "beta^(2n)" if in_beta else "beta^(2n) gamma^(2n+2)"
    return Fails(
        f"the coefficient of {place} is larger than (2n-1)!!/(2*5^n): checked for n = 1, ..., "
        f"{_ORDER_G1 // 2}, shown for every n in proofs/boix2024/lemma-G.1.md"
    )


# The strings, gamma or "any" for all powers of gamma, and the order in beta.
SeriesCase = tuple[str, str, Any, int]


def _series_cases() -> Iterator[SeriesCase]:
    for x, y in (("A", "A"), ("AB", "AB"), ("AB", "BA"), ("AA", "BB"), ("AB", "AC")):
        yield from ((x, y, gamma, 8) for gamma in ("any", 0, Fraction(1, 2)))
    for x, y in (("AA*", "BB*"), ("AB*", "BC*"), ("ABB", "BAB")):
        yield from ((x, y, gamma, 6) for gamma in ("any", Fraction(2, 3)))
    yield "AAB*", "ABC*", "any", 4


def _longer_pairs(st: Any) -> Any:
    texts = st.integers(1, 3).flatmap(
        lambda n: st.tuples(*[st.text("ABC", min_size=n, max_size=n)] * 2)
    )
    gammas = st.one_of(st.just("any"), st.fractions(-2, 2, max_denominator=4))
    return st.tuples(texts, gammas, st.sampled_from([2, 4, 6])).map(
        lambda case: (*case[0], *case[1:])
    )


@claim(
    "boix2024.lemma-G.1-repaired",
    source="Appendix G, Lemma G.1 off the axes: there the kernel is analytic",
    wording="our reading",
    category="lemma",
    cases=_series_cases,
    boundary=("A", "A", "any", 2),
    strategy=drawn(_longer_pairs),
    applies=record(
        is_string, is_string, lambda g: g == "any" or number()(g), integer(0),
        where=lambda x, y, *_: len(x) == len(y),
    ),
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[
        NearMiss(
            "without the Gaussian moments (a convergent series)", ("AB", "AB", "any", 6),
            {"moment": lambda n: 1},
        ),
        NearMiss("the series of another gamma", ("AB", "AC", 2, 4), {"factor": 2}),
    ],
)  # fmt: skip
def lemma_g1_repaired(
    case: SeriesCase, moment: Callable[[int], int] = odd_factorial, factor: int = 1
) -> bool | Fails:
    r"""$\kappa_{X,Y}$ is real analytic where $\beta \gamma \neq 0$, and smooth and even in $\beta$
    and in $\gamma$ on $\mathbb{R}^2$; at the origin it has a Taylor series, which diverges for
    $k = 2$.

    The first sentence is shown on the proof page. Checked are the Taylor coefficients to the given
    order, for all powers of $\gamma$ or at a given $\gamma$: the library's against Wick sums from
    the definition, and for $k = 2$ those of $\beta^{2n} \gamma^{2n+2}$ against
    $\frac12 t_n (2n-1)!!/2^n$ with $\tanh(x)^2 = \sum t_n x^{2n}$.
    """
    x, y, gamma, order = case
    at_most(len(x), 4, "letters of a string")
    at_most(order * len(x), 24, "orders of beta times letters")
    wick = attention_series(x, y, order)
    series = attention().taylor(x, y, beta=order)
    if series != wick or any(i % 2 or j % 2 for i, j in series):
        return Fails(f"the series is {series}, the Wick sum {wick}")
    if len(x) == 2:
        for n, expected in enumerate(_two_logits(order // 2 + 1, moment)):
            if wick.get((2 * n, 2 * n + 2), 0) != expected:
                return Fails(f"at beta^{2 * n} gamma^{2 * n + 2}: not {expected}")
    if gamma == "any":
        return True
    values = attention(gamma=gamma, order=order).value(x, y).coefficients
    for i, value in enumerate(values):
        parts = (c * Fraction(gamma * factor) ** j for (n, j), c in wick.items() if n == i)
        if Fraction(value) != sum(parts, Fraction(0)):
            return Fails(f"at gamma = {gamma} the coefficient of beta^{i} is {value}")
    return True
