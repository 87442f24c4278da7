"""Appendices F.2 and G: what determines which invariants, and where the kernel is analytic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod

from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.kernels import attention, attention_derivative
from symbench.papers._cases import at_most, integer, record
from symbench.papers._templates import is_string
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates

Strings = tuple[str, str, str]


# --- Lemma G.1 ------------------------------------------------------------------------------------
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


def _double_factorial(n: int) -> int:
    return prod(range(1, 2 * n, 2))


def _coefficients(count: int, weights: Callable[[int], int] = _double_factorial) -> list[Fraction]:
    """The coefficients of beta^(2n) of kappa for X = Y = (1, 2) at gamma = 0.

    kappa = 1/2 + 1/2 E tanh(beta g / sqrt 2)^2, and E g^(2n) = (2n - 1)!!.
    """
    return [
        t * Rational(weights(n), 2 ** (n + 1)) + Rational(int(n == 0), 2)
        for n, t in enumerate(tanh_squared(count))
    ]


@claim(
    "boix2024.lemma-G.1",
    source="Appendix G, Lemma G.1: kappa is analytic in (beta, gamma), at the origin too",
    category="lemma",
    cases=[(1, 1), (10, 2), (100, 4), (1000, 8)],
    boundary=(1, 1),
    applies=record(integer(1), integer(1)),
    expected="fails",
    repaired_by="boix2024.lemma-G.1-repaired",
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[
        NearMiss("a polynomial is granted: |c_n| <= C (n + 1)^2 R^n", (1, 1), {"power": 2})
    ],
)
def lemma_g1(case: tuple[int, int], power: int = 0) -> bool | Fails:
    r"""$\kappa_{X,Y}$ is analytic at $\beta = 0$: its Taylor coefficients satisfy
    $|c_n| \le C R^n$ for some $C, R$. Refuted for $X = Y = (1, 2)$, $\gamma = 0$: each pair
    $(C, R)$ has an $n$ with $|c_n| > C R^n$. The cases are pairs $(C, R)$; that none is left over
    follows from $|c_n| \ge \frac12 (2n-1)!!/5^n$ (the proof page).
    """
    factor, base = case
    at_most(base, 50, "the base of the bound")
    for n, c in enumerate(_coefficients(8 * base + 40)):
        if abs(c) > factor * (n + 1) ** power * base**n:
            return Fails(f"the coefficient of beta^{2 * n} is larger than {factor} * {base}^{n}")
    raise Undecided("no violation among the coefficients looked at")


@claim(
    "boix2024.lemma-G.1-repaired",
    source="Appendix G; analytic on the open quadrants, smooth with a divergent series at zero",
    category="lemma",
    cases=[2, 4, 6, 8, 10, 12],
    boundary=2,
    applies=integer(0),
    proof="proofs/boix2024/lemma-G.1.md",
    near_misses=[
        NearMiss("without the Gaussian moments (a convergent series)", 6, {"weights": lambda n: 1})
    ],
)
def lemma_g1_repaired(
    order: int, weights: Callable[[int], int] = _double_factorial
) -> bool | Fails:
    r"""$\kappa_{X,Y}$ is real analytic on each open quadrant and smooth on $\mathbb{R}^2$; its
    Taylor series at zero may diverge. For $X = Y = (1, 2)$, $\gamma = 0$ the coefficient of
    $\beta^{2n}$, $n \ge 1$, is $\frac12 t_n (2n-1)!!/2^n$ with $\tanh(x)^2 = \sum t_n x^{2n}$, and
    the radius of convergence is zero. The coefficients are checked to this order.
    """
    at_most(order, 24, "orders of beta")
    series = attention().taylor("AB", "AB", beta=order)
    for n, expected in enumerate(_coefficients(order // 2 + 1, weights)):
        if series.get((2 * n, 0), 0) != expected:
            return Fails(f"the coefficient of beta^{2 * n} is {series.get((2 * n, 0), 0)}")
    return True


# --- F.2.1 ----------------------------------------------------------------------------------------
# Powers of the numbers of a token in X, in Y, and at the same place in both.
_SUMS = {
    "a": (1, 1, 0), "p1": (2, 1, 0), "p2": (1, 2, 0),
    "q1": (3, 1, 0), "q2": (2, 2, 0), "q3": (1, 3, 0),
}  # fmt: skip
_POWERS = {**_SUMS, "t1": (1, 0, 1), "t2": (0, 1, 1)}


def _invariants(x: str, y: str) -> dict[str, int]:
    """The eight pink invariants of F.2.1, by their closed forms in the counts."""
    d, e = Counter(x), Counter(y)
    c = Counter(a for a, b in zip(x, y, strict=True) if a == b)
    return {
        name: sum(d[s] ** i * e[s] ** j * c[s] ** k for s in {*x, *y})
        for name, (i, j, k) in _POWERS.items()
    }


def _rearrangements(max_length: int = 3) -> Iterator[Strings]:
    """x, y and a rearrangement of y: the same column sums."""
    for length in range(1, max_length + 1):
        for x in product("ab", repeat=length):
            for y in product("abc", repeat=length):
                for moved in sorted(set(permutations(y))):
                    yield "".join(x) + "*", "".join(y) + "*", "".join(moved) + "*"


_same_sums = record(
    *[is_string] * 3, where=lambda x, y, z: len(x) == len(y) and Counter(y) == Counter(z)
)


def _determined(case: Strings, names: Iterable[str]) -> bool | Fails:
    x, y, moved = case
    first, second = _invariants(x, y), _invariants(x, moved)
    wrong = [name for name in names if first[name] != second[name]]
    return not wrong or Fails(", ".join(f"{n}: {first[n]} and {second[n]}" for n in wrong))


@claim(
    "boix2024.section-F.2.1",
    source="Appendix F.2.1: eight invariants determined by the column sums (colours as read)",
    category="claim",
    cases=_rearrangements,
    boundary=("ab*", "ab*", "ba*"),
    applies=_same_sums,
    expected="fails",
    repaired_by="boix2024.section-F.2.1-repaired",
    near_misses=[NearMiss("t_1 alone", ("abc*", "abc*", "bca*"), {"names": ("t1",)})],
)
def section_f21(case: Strings, names: Iterable[str] = _POWERS) -> bool | Fails:
    r"""The invariants $a, p_1, p_2, q_1, q_2, q_3, t_1, t_2$ of $X$ and $Y$ depend on $Y$ through
    $1^\top Y$ only. Refuted for $t_1 = \mathrm{tr}(XX^\top XY^\top)$ and $t_2$.
    """
    return _determined(case, names)


@claim(
    "boix2024.section-F.2.1-repaired",
    source="Appendix F.2.1 for the six invariants that are sums over tokens",
    category="claim",
    cases=_rearrangements,
    boundary=("ab*", "ab*", "ba*"),
    applies=_same_sums,
    near_misses=[NearMiss("another number of tokens", ("ab*", "ab*", "aa*"))],
)
def section_f21_repaired(case: Strings) -> bool | Fails:
    r"""The invariants $a, p_1, p_2, q_1, q_2, q_3$ depend on $Y$ through $1^\top Y$ only. ($t_1$
    and $t_2$ occur in the paper only where the places of the regular tokens are known already.)
    """
    return _determined(case, _SUMS)


# --- Table F.1 ------------------------------------------------------------------------------------
# The order of beta, that of gamma, and two strings.
TableCase = tuple[int, int, str, str]
_ROWS = {(0, 0): "a", (2, 2): "t", (4, 0): "a*x*y", (4, 2): "w", (6, 4): "g"}


def _table_cases(max_length: int = 2) -> Iterator[TableCase]:
    for i, j in _ROWS:
        for length in range(1, max_length + 1):
            for z in all_templates(2 * length):
                letters = z.fresh()
                text = "".join(letters[a] for a in z.letters)
                yield i, j, text[:length], text[length:]


@claim(
    "boix2024.table-F.1",
    source="Appendix F.1: five derivatives at zero as sums of invariants, a constant > 0 in each",
    category="lemma",
    cases=_table_cases,
    boundary=(0, 0, "A", "A"),
    applies=record(
        *[integer()] * 2,
        *[is_string] * 2,
        where=lambda i, j, x, y: (i, j) in _ROWS and len(x) == len(y),
    ),
    proof="proofs/boix2024/lemma-4.7.md",
    near_misses=[
        NearMiss(
            "the invariant a is decisive in the second row too", (2, 2, "A", "A"), {"decisive": "a"}
        ),
        NearMiss(
            "Taylor coefficients, not derivatives", (2, 2, "AB", "AB"), {"derivatives": False}
        ),
    ],
)
def table_f1(
    case: TableCase, decisive: str | None = None, derivatives: bool = True
) -> bool | Fails:
    r"""The derivatives $\partial_\beta^i \partial_\gamma^j \kappa(0, 0)$ for $(i, j) = (0,0),
    (2,2), (4,0), (4,2), (6,4)$ are sums of invariants of the two strings with coefficients that
    depend on $k$ alone, and the coefficients of $a$, $t$, $a x y$, $w$ and $g$ in them are
    positive. The formulas are compared with the features' series on every equality pattern.
    """
    i, j, x, y = case
    at_most(len(x), 10, "letters of a string")
    formula, decisive = attention_derivative(i, j), decisive or _ROWS[i, j]
    if not all(c > 0 for _, c in formula.coefficient(decisive).terms):
        return Fails(f"the coefficient of {decisive} is {formula.coefficient(decisive)}")
    series = attention().taylor(x, y, beta=i).get((i, j), Rational(0))
    value = formula.evaluate(x, y)
    expected = series * factorial(i) * factorial(j) if derivatives else series
    return value == expected or Fails(f"the formula gives {value}, the series {expected}")
