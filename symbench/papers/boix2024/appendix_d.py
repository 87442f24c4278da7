"""Appendix D, Claims D.2 to D.5: the idealised estimator, and how far regression is from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import flint

from symbench.exact import Rational
from symbench.learning.task_ridge import TaskRidge
from symbench.learning.template_split import TemplateSplit
from symbench.papers import _ridge as by_hand
from symbench.papers._by_hand import Q, fraction, rational
from symbench.papers._cases import at_most, drawn, integer, is_text, many, number, one_of, record
from symbench.papers.beyond.template_residual import library_kernel, task_of
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

_PAGE = "proofs/boix2024/theorem-4.4.md"
_ONE, _HALF = Rational(1), Rational(1, 2)
_SAME, _SIGNS = ("αα*", "αβ*"), (Rational(1), Rational(-1))
_TOKEN = ("αα*", "AB*")

# kernel, templates, labels, training strings, test string, ridge
Ideal = tuple[str, tuple[str, ...], tuple[Fraction, ...], tuple[str, ...], str, Fraction]
_TEN = ("AA*", "BB*", "CC*", "DD*", "EE*", "AB*", "CD*", "EF*", "GH*", "FA*")


def _is_ideal(name: str, templates: Any, labels: Any, strings: Any, x: str, ridge: Any) -> bool:
    """Every template is there, N is nonsingular, and the ridge is below tau."""
    if len(templates) != len(labels) or len({*map(len, (*templates, *strings, x))}) != 1:
        return False
    kept, words = by_hand.regular(templates), (*strings, x)
    hits = [[z for z in templates if by_hand.matches(y, z)] for y in words]
    if any(len(found) != 1 or {*y} & kept != by_hand.regular(found)
           for y, found in zip(words, hits, strict=True)):  # fmt: skip
        return False
    N = by_hand.template_matrix(name, templates)
    counts = [sum(z == found[0] for found in hits[:-1]) for z in templates]
    return min(counts) > 0 and N.det() != 0 and ridge < _tau(N, counts)


def _tau(N: flint.fmpq_mat, counts: Sequence[int]) -> Fraction:
    """min |I_i| / |N^-1|, from just above."""
    return min(counts) / by_hand.norm_below(N.inv())


_is_ideal_case = record(
    one_of(*by_hand.NAMES), many(is_text), many(number()), many(is_text), is_text,
    number(above=0), where=_is_ideal,
)  # fmt: skip


def _ideals() -> Iterator[Ideal]:
    for x in ("XX*", "XY*"):
        yield "incidence", _SAME, _SIGNS, _TEN, x, _HALF
        yield "squared", _SAME, _SIGNS, ("AA*", "AB*", "BB*", "BC*", "CA*"), x, _ONE
    yield "incidence", _SAME, (Rational(3), _HALF), ("AA*", "BC*"), "XX*", Rational(1, 10)
    yield "incidence", _TOKEN, _SIGNS, ("EE*", "FF*", "AB*", "AB*"), "GG*", _HALF


def _drawn_ideal(st: Any) -> Any:
    return st.tuples(
        st.sampled_from(["incidence", "squared"]),
        st.just(_SAME),
        st.tuples(*[st.fractions(-2, 2, max_denominator=2)] * 2),
        st.lists(st.sampled_from(_TEN), min_size=3, max_size=6).map(tuple),
        st.sampled_from(["XX*", "XY*"]),
        st.sampled_from([Fraction(1, 10), Fraction(1, 2)]),
    )


def _ideal(case: Ideal) -> tuple[Any, ...]:
    """N, the class of each string, the idealised kernel matrix and vector, by hand."""
    name, templates, _, strings, x, ridge = case
    at_most(len(strings), 12, "strings")
    kept, N = by_hand.regular(templates), by_hand.template_matrix(name, templates)
    which = [next(i for i, z in enumerate(templates) if by_hand.matches(y, z)) for y in strings]
    j = next(i for i, z in enumerate(templates) if by_hand.matches(x, z))
    K = by_hand.template_part(name, strings, strings, kept)
    v = by_hand.template_part(name, strings, [x], kept)
    system = K + rational(ridge) * flint.fmpq_mat(
        [[Q(int(a == b)) for b in range(len(which))] for a in range(len(which))]
    )
    return N, which, j, K, v, system


def _square(column: flint.fmpq_mat) -> Fraction:
    return sum((fraction(v) ** 2 for v in column.entries()), Fraction(0))


# What the claims about the idealised estimator share: their cases.
_IDEALISED: dict[str, Any] = {
    "category": "claim",
    "cases": _ideals,
    "boundary": ("incidence", _SAME, _SIGNS, ("AA*", "BC*"), "XX*", Rational(1, 10)),
    "strategy": drawn(_drawn_ideal),
    "applies": _is_ideal_case,
    "proof": _PAGE,
}


@claim(
    "boix2024.claim-D.3",
    source="Claim D.3; the exact form is ours",
    wording="reconstructed",
    **_IDEALISED,
    near_misses=[
        NearMiss(
            "a test string with a token of another template",
            ("incidence", _TOKEN, _SIGNS, ("EE*", "FF*", "AB*", "AB*"), "AA*", _HALF),
        ),
        NearMiss(
            "the indicator vector itself",
            ("incidence", _SAME, _SIGNS, _TEN, "XX*", _HALF),
            {"exactly": True},
        ),
    ],
)
def indicator(case: Ideal, exactly: bool = False) -> bool | Fails:
    r"""Let $x$ be a string that matches template $z_j$, and $\lambda < \tau = \min_i |I_i| /
    \|N^{-1}\|$. Then $\hat K^{ideal} + \lambda I$ is invertible,
    $$\|(\hat K^{ideal} + \lambda I)^{-1} v^{ideal}(x)\| \le \frac{1}{\sqrt{|I_j|}}
    \frac{\tau}{\tau - \lambda}, \qquad \Bigl\|\frac{1_{I_j}}{|I_j|} - (\hat K^{ideal} + \lambda
    I)^{-1} v^{ideal}(x)\Bigr\| \le \frac{1}{\sqrt{|I_j|}} \frac{\lambda}{\tau - \lambda}.$$
    Exactly the vector is $\frac{1_{I_j}}{|I_j|} - \lambda Z (N D + \lambda I)^{-1} D^{-1} e_j$.
    """
    N, which, j, _, v, system = _ideal(case)
    name, templates, labels, *_, ridge = case
    split = TemplateSplit(task_of(templates, labels), library_kernel(name))
    own = flint.fmpq_mat([[rational(x) for x in row] for row in split.lists[0][0]])
    found = system.solve(v)
    counts = [which.count(i) for i in range(len(templates))]
    size = range(len(templates))
    small = flint.fmpq_mat([[own[a, b] * counts[b] + (rational(ridge) if a == b else 0)
                             for b in size] for a in size])  # fmt: skip
    right = flint.fmpq_mat([[Q(int(a == j), counts[j])] for a in size])
    inner = small.solve(right)
    exact = flint.fmpq_mat([[Q(int(i == j), counts[j]) - rational(ridge) * inner[i, 0]]
                            for i in which])  # fmt: skip
    if exactly:
        exact = flint.fmpq_mat([[Q(int(i == j), counts[j])] for i in which])
    if exact != found:
        return Fails("the vector is not that of the exact form")
    tau = _tau(N, counts)
    if _square(found) > Fraction(1, counts[j]) * (tau / (tau - ridge)) ** 2:
        return Fails("the vector is longer")
    off = flint.fmpq_mat([[Q(int(i == j), counts[j])] for i in which]) - found
    if _square(off) > Fraction(1, counts[j]) * (ridge / (tau - ridge)) ** 2:
        return Fails("the vector is farther from the indicator")
    return True


@claim(
    "boix2024.claim-D.4",
    source="Claim D.4, for given samples: its two terms before Chernoff's bound",
    wording="our reading",
    **_IDEALISED,
    assumes=["boix2024.claim-D.3"],
    near_misses=[
        NearMiss(
            "a test string with a token of another template",
            ("incidence", _TOKEN, _SIGNS, ("EE*", "FF*", "AB*", "AB*"), "AA*", Rational(1, 10)),
        ),
        NearMiss(
            "without the bias of the ridge",
            ("incidence", _SAME, _SIGNS, _TEN, "XX*", _HALF),
            {"biased": False},
        ),
    ],
)
def ideal_error(case: Ideal, biased: bool = True) -> bool | Fails:
    r"""The idealised estimator is the mean of the labels of the samples of $z_j$ up to a bias: with
    $\lambda < \tau$, $\bigl|\hat f^{ideal}(x) - \frac{1}{|I_j|} \sum_{l \in I_j} y_l\bigr| \le
    \|y\|\, \frac{1}{\sqrt{|I_j|}} \frac{\lambda}{\tau - \lambda}$, so its error is noise of the
    order $\sqrt{\log(1/\delta)/n}$ plus $O(\lambda / n)$.
    """
    N, which, j, _, v, system = _ideal(case)
    name, templates, labels, *_, ridge = case
    # The labels of the samples, with what noise would do to every other one.
    y = [labels[i] + Fraction((-1) ** k, 2) for k, i in enumerate(which)]
    found = system.solve(v)
    value = sum((a * fraction(found[k, 0]) for k, a in enumerate(y)), Fraction(0))
    split = TemplateSplit(task_of(templates, labels), library_kernel(name))
    counts = [which.count(i) for i in range(len(templates))]
    mean = by_hand.mean_of(a for a, i in zip(y, which, strict=True) if i == j)
    # The library's own way: the same estimator is regression with the residual part taken away.
    size = range(len(templates))
    own = flint.fmpq_mat([[rational(x) for x in row] for row in split.lists[0][0]])
    small = flint.fmpq_mat([[own[a, b] + (rational(ridge) / counts[a] if a == b else 0)
                             for b in size] for a in size])  # fmt: skip
    means = [by_hand.mean_of(a for a, k in zip(y, which, strict=True) if k == i) for i in size]
    column = flint.fmpq_mat([[own[a, j]] for a in size])
    short = small.solve(column)
    if value != sum((m * fraction(short[i, 0]) for i, m in enumerate(means)), Fraction(0)):
        return Fails("the estimator is not that of the means of the labels")
    tau = _tau(N, counts)
    share = ridge / (tau - ridge) if biased else Fraction(0)
    bound = sum(a * a for a in y) * Fraction(1, counts[j]) * share**2
    if (value - mean) ** 2 > bound:
        return Fails(f"the estimator is {value}, the mean of the labels {mean}")
    return True


@claim(
    "boix2024.claim-D.5",
    source="Claim D.5",
    wording="reconstructed",
    **_IDEALISED,
    near_misses=[
        NearMiss(
            "without the difference of the matrices",
            ("incidence", _SAME, _SIGNS, _TEN, "XX*", _HALF),
            {"matrices": False},
        ),
        NearMiss(
            "without the difference of the vectors",
            ("incidence", _SAME, _SIGNS, ("AA*", "BC*", "DE*", "FG*"), "AA*", Rational(1, 10)),
            {"vectors": False, "matrices": False},
        ),
    ],
)
def two_regressions(case: Ideal, matrices: bool = True, vectors: bool = True) -> bool | Fails:
    r"""Suppose that $\hat K$ is p.s.d. and that $(\hat K^{ideal} + \lambda I)^{-1}$ is
    well-defined. Then, for any $\lambda > 0$,
    $$|\hat f(x) - \hat f^{ideal}(x)| \le \frac{\|y\|}{\lambda} \Bigl(\|v(x) - v^{ideal}(x)\| +
    \|\hat K - \hat K^{ideal}\|\, \|(\hat K^{ideal} + \lambda I)^{-1} v^{ideal}(x)\|\Bigr).$$
    """
    _, which, _, ideal, v, system = _ideal(case)
    name, templates, labels, strings, x, ridge = case
    y = [labels[i] for i in which]
    found = system.solve(v)
    value = sum((a * fraction(found[k, 0]) for k, a in enumerate(y)), Fraction(0))
    own = TaskRidge(task_of(templates, labels), library_kernel(name), strings, ridge=ridge)
    (predicted,) = own.predict([x])
    if predicted != by_hand.prediction(name, strings, y, x, ridge):
        return Fails(f"the prediction is not {predicted}")
    apart = by_hand.norm_below(by_hand.table(name, strings, strings) - ideal)
    vector = by_hand.root_below(_square(by_hand.table(name, strings, [x]) - v))
    length = by_hand.root_below(_square(found))
    total = (vector if vectors else 0) + (apart * length if matrices else 0)
    bound = by_hand.root_below(sum((a * a for a in y), Fraction(0))) / ridge * total
    off = abs(Fraction(predicted) - value)  # type: ignore[arg-type]
    return off <= bound or Fails(f"the difference is {float(off):.4g}, above {float(bound):.4g}")


# templates, how many strings of each, symbols
Counted = tuple[tuple[str, ...], int, int]


def _counted() -> Iterator[Counted]:
    for symbols in (2, 3, 5):
        yield _SAME, 1, symbols
    yield _SAME, 2, 3
    yield ("αβα*", "αββ*"), 1, 4
    yield ("αβγ*", "ααα*"), 1, 4
    yield ("αS", "βT"), 2, 4


@claim(
    "boix2024.claim-D.2",
    source="Claim D.2, its numbers of bad pairs and bad indices, by uniform maps; with D.3 and D.5 "
    "they bound the difference from the idealised estimator",
    wording="our reading",
    category="claim",
    cases=_counted,
    boundary=(("αα*",), 1, 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from([_SAME, ("αβα*", "αββ*"), ("αS", "βT")]), st.just(1), st.integers(2, 5)
        )
    ),
    applies=record(
        many(is_text),
        integer(1),
        integer(1),
        where=lambda templates, n, symbols: (
            len({*map(len, templates)}) == 1
            and all(len({c for c in z if by_hand.is_wild(c)}) <= symbols for z in templates)
        ),
    ),
    assumes=["boix2024.claim-D.3", "boix2024.claim-D.5"],
    proof=_PAGE,
    near_misses=[
        NearMiss("without the diagonal", (("α*",), 2, 40), {"diagonal": False}),
        NearMiss("one over the square of rho", (_SAME, 1, 5), {"power": 2, "diagonal": False}),
    ],
)
def bad_pairs(case: Counted, diagonal: bool = True, power: int = 1) -> bool | Fails:
    r"""Let $\rho$ be the diversity of the substitution maps. The expected number of pairs of
    samples, a sample with itself among them, whose maps share a token or put a regular token is at
    most $n + n^2 (|W| + 2|R|) / \rho$, and that of samples which share a token with a given string
    is at most $n (|W| + |R|) / \rho$. Exactly two maps of $w$ and $w'$ wildcards into $m$ tokens
    share one with probability $1 - \binom{m-w}{w'} / \binom{m}{w'}$.
    """
    templates, n, symbols = case
    tokens = [chr(ord("a") + k) for k in range(symbols)]
    kept = by_hand.regular(templates)
    every = [by_hand.strings_over(z, tokens) for z in templates]
    at_most(max(map(len, every)) ** 2, 3_000, "pairs of strings")
    split = TemplateSplit([Template(z) for z in templates], library_kernel("incidence"))
    chances = split.meeting_probability(symbols)
    wild = [len({c for c in z if by_hand.is_wild(c)}) for z in templates]
    rho = min((Fraction(symbols, w) for w in wild if w), default=None)
    size = n * len(templates)
    pairs = Fraction(size)
    each = []
    for i, one in enumerate(every):
        total = Fraction(0)
        for j, two in enumerate(every):
            bad = sum(1 for x in one for y in two if ({*x} & {*y}) - kept)
            chance = Fraction(bad, len(one) * len(two))
            if chances[i, j] != chance:
                return Fails(f"strings of {templates[i]} and {templates[j]} meet with {chance}")
            pairs += chance * (n * n - n * (i == j))
            total += n * chance
        each.append(total)
    if rho is None:
        return pairs == size
    most = max(wild)
    bound = (size if diagonal else 0) + size**2 * Fraction(most) / rho**power
    if pairs > bound:
        return Fails(f"{float(pairs):.4g} bad pairs are expected, above {float(bound):.4g}")
    worst = max(each)
    single = size * Fraction(most) / rho**power
    return worst <= single or Fails(f"{float(worst):.4g} bad samples are expected")
