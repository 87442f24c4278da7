"""Sections 2 and 4, appendix A: covering numbers, softmax, and how large the class of heads is.

The text of the paper is not at hand with its formulas: statements are reconstructed. Dudley's
integral and Zhang's covers are textbook results, which are cited and not claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import ceil, isqrt
from typing import Any

from flint import arb

from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq
from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.sparse.capacity import (
    cheapest_split,
    covering_number,
    generalisation_gap,
    head_cover,
    linear_cover,
    selected_mass,
    softmax_distance,
)

_BITS = 128
_HALF = Fraction(1, 2)
_SMALL = 1e-25  # what balls of 128 bits may be wide


def _ball(value: Any) -> arb:
    return arb(fmpq(Rational(value)))


def _agree(found: arb, wanted: arb) -> bool:
    """Whether two balls are the same number, as far as 128 bits tell."""
    width = found.rad() + wanted.rad()
    return found.overlaps(wanted) and bool(width <= _SMALL * (1 + abs(wanted)))


# --- Definition 2.1 -------------------------------------------------------------------------------
Functions = tuple[tuple[Any, ...], ...]


def _distance(f: tuple[Any, ...], g: tuple[Any, ...]) -> Any:
    return max(abs(x - y) for x, y in zip(f, g, strict=True))


def _least_cover(functions: Functions, error: Any) -> int:
    """The least number of functions of the class that cover it, all sets being tried."""
    for size in range(1, len(functions) + 1):
        for chosen in combinations(functions, size):
            if all(any(_distance(f, g) <= error for g in chosen) for f in functions):
                return size
    return 0


def _least_intervals(functions: Functions, error: Any) -> int:
    """Any functions may cover: intervals of twice the error on a line."""
    count, reached = 0, None
    for value in sorted(f[0] for f in functions):
        if reached is None or value > reached:
            count, reached = count + 1, value + 2 * error
    return count


_is_class = record(many(many(number())), number(0), where=lambda fs, _: len({*map(len, fs)}) == 1)


@claim(
    "edelman2022.definition-2.1",
    source="Definition 2.1: covering number, proper, in the largest difference",
    wording="reconstructed",
    category="definition",
    cases=lambda: (
        (functions, error)
        for functions in (
            ((0,), (2,), (4,)),
            ((0, 0), (1, 0), (2, 0), (5, 5)),
            ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (0, 4)),
            ((_HALF, 0, 1), (0, _HALF, 1), (0, 0, 2), (1, 1, 1)),
        )
        for error in (0, _HALF, 1, 2)
    ),
    boundary=(((0,), (2,), (4,)), 0),
    strategy=drawn(
        lambda st: st.tuples(
            st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=1, max_size=6).map(tuple),
            st.integers(0, 3),
        )
    ),
    applies=_is_class,
    near_misses=[
        NearMiss("functions outside of the class may cover", (((0,), (2,)), 1), {"proper": False})
    ],
)
def definition_2_1(case: tuple[Functions, Any], proper: bool = True) -> bool | Fails:
    r"""$\mathcal{N}_\infty(\mathcal{F}; \varepsilon; z^{(1)}, \dots, z^{(m)})$ is the least number
    of functions of $\mathcal{F}$ such that each $f \in \mathcal{F}$ has one of them with
    $\max_i |f(z^{(i)}) - \hat f(z^{(i)})| \le \varepsilon$.
    """
    functions, error = case
    at_most(len(functions), 12, "functions")
    wanted = (_least_cover if proper else _least_intervals)(functions, error)
    found = covering_number(functions, error)
    return found == wanted or Fails(f"the covering number is {wanted}, not {found}")


# --- softmax: Lemma 4.3, A.6, A.7 -----------------------------------------------------------------
# Logits, other logits, values, other values: the last two are bounded by 1.
HeadPair = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


def _softmax(logits: tuple[Any, ...]) -> list[arb]:
    powers = [_ball(x).exp() for x in logits]
    total = sum(powers, arb(0))
    return [x / total for x in powers]


def _head_pairs() -> Iterator[HeadPair]:
    for a in (Fraction(1, 100), _HALF, Fraction(2)):
        yield (a / 2, -a / 2), (-a / 2, a / 2), (1, -1), (1, -1)
    for first, second in product(product((0, 1, -_HALF), repeat=3), ((0, 0, 0), (1, 0, 2))):
        yield first, second, (1, -1, _HALF), (1, -_HALF, 0)
    yield (3, 1, 0, -2), (0, 1, 0, 1), (1, 1, -1, 0), (1, 1, -1, 0)


@claim(
    "edelman2022.lemma-4.3",
    source="Lemma 4.3: a head is Lipschitz in its scores and values, C_Norm = 2 for softmax",
    wording="reconstructed",
    category="lemma",
    cases=_head_pairs,
    boundary=((_HALF, -_HALF), (-_HALF, _HALF), (1, -1), (1, -1)),
    strategy=drawn(
        lambda st: st.integers(2, 5).flatmap(
            lambda n: st.tuples(
                *[st.tuples(*[st.integers(-3, 3)] * n)] * 2,
                *[st.tuples(*[st.integers(-1, 1)] * n)] * 2,
            )
        )
    ),
    applies=record(
        *[many(number(), 2)] * 2, *[many(number(-1, most=1), 2)] * 2,
        where=lambda *parts: len({*map(len, parts)}) == 1,
    ),
    near_misses=[
        NearMiss("half of the constant: C = 1/2",
                 ((_HALF, -_HALF), (-_HALF, _HALF), (1, -1), (1, -1)), {"constant": _HALF}),
        NearMiss("values beyond the bound", ((1, 0), (0, 1), (9, -9), (9, -9))),
    ],
)  # fmt: skip
def lemma_4_3(case: HeadPair, constant: Any = 1) -> bool | Fails:
    r"""For scores $a, \hat a$ and values $|v_t|, |\hat v_t| \le 1$ (that is $L_{out} = 1$,
    $B_{in} B_X = 1$) the outputs $f = \sum_t \mathrm{softmax}(a)_t v_t$ have
    $|f - \hat f| \le C \|a - \hat a\|_\infty + \|v - \hat v\|_\infty$ with $C = 2$ as printed, and
    with $C = 1$ already: $\|\mathrm{softmax}(a) - \mathrm{softmax}(\hat a)\|_1 \le
    2 \tanh(\|a - \hat a\|_\infty / 2)$, attained by two logits $a = -\hat a$.
    """
    a, b, v, w = case
    at_most(len(a), 50, "positions")
    gap, moved = _distance(a, b), _distance(v, w)
    with working_precision(_BITS):
        p, q = _softmax(a), _softmax(b)
        apart = sum((abs(x - y) for x, y in zip(p, q, strict=True)), arb(0))
        bound = softmax_distance(gap)
        if apart > bound:
            return Fails(f"softmax moves by {apart.str(8, radius=False)}")
        if len(a) == 2 and tuple(-x for x in a) == b and a[0] == -a[1] and not _agree(apart, bound):
            return Fails("two opposite logits do not attain the bound")
        f, g = (
            sum((x * _ball(y) for x, y in zip(weights, values, strict=True)), arb(0))
            for weights, values in ((p, v), (q, w))
        )
        limit = _ball(constant * gap + moved)
        if abs(f - g) > limit:
            return Fails(f"the output moves by {abs(f - g).str(8, radius=False)}, beyond the bound")
    return True


@claim(
    "edelman2022.lemma-A.6",
    source="Lemma A.6, Corollary A.7 and Assumption 4.1: the Jacobian of softmax, C_Norm = 2",
    wording="reconstructed",
    category="lemma",
    cases=lambda: (weights for size in (2, 3, 4) for weights in product((1, 2, 5), repeat=size)),
    boundary=(1, 1),
    strategy=drawn(lambda st: st.lists(st.integers(1, 30), min_size=2, max_size=6).map(tuple)),
    applies=many(number(above=0), 2),
    near_misses=[
        NearMiss("the entries add up to at most 1", (1, 1, 1), {"most": 1}),
        NearMiss("signed measures", (3, -1, -1)),
    ],
)
def lemma_a6(weights: tuple[Any, ...], most: int = 2) -> bool | Fails:
    r"""For a probability vector $p$ the Jacobian $J = \mathrm{diag}(p) - p p^\top$ of softmax has
    entries with $\sum_{ij} |J_{ij}| = 2 \sum_i p_i (1 - p_i) \le 2 (1 - 1/T) < 2$, and it moves
    vectors of largest entry 1 by at most 1 in the sum of absolute values: what Lemma 4.3 needs.
    """
    at_most(len(weights), 12, "positions")
    total, T = sum(weights), len(weights)
    p = [Fraction(w) / total for w in weights]
    jacobian = Matrix([[p[i] * (i == j) - p[i] * p[j] for j in range(T)] for i in range(T)], QQ)
    entries = sum(abs(x) for row in jacobian.rows for x in row)
    if entries != 2 * sum(x * (1 - x) for x in p):
        return Fails(f"the entries add up to {entries}")
    if entries > most * Fraction(T - 1, T):
        return Fails(f"the entries add up to {entries}, more than {most} (1 - 1/T)")
    for signs in product((-1, 1), repeat=T):
        image = jacobian @ Matrix([[s] for s in signs], QQ)
        if sum(abs(row[0]) for row in image.rows) > 1:
            return Fails(f"the signs {signs} are moved by more than 1")
    return True


# --- Theorem 4.2 ----------------------------------------------------------------------------------
# Integer logits, in units of ln 2, for each score function; values for each value function; the
# radius of the score cover in these units, the radius of the value cover.
Composed = tuple[tuple[tuple[int, ...], ...], Functions, int, Any]


def _composed() -> Iterator[Composed]:
    scores = ((0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 3, 0))
    values = ((1, -1, 0), (1, -_HALF, 0), (-1, 1, 1))
    for radius, error in product((0, 1, 2), (0, _HALF)):
        yield scores, values, radius, error
        yield ((0, 0), (4, 0), (0, 4), (4, 4)), ((1, -1), (-1, 1)), radius, error


def _heads(scores: Any, values: Any) -> Functions:
    found = []
    for logits, v in product(scores, values):
        powers = [Fraction(2) ** k for k in logits]
        found.append((sum(p * x for p, x in zip(powers, v, strict=True)) / sum(powers),))
    return tuple(found)


@claim(
    "edelman2022.theorem-4.2",
    source="Theorem 4.2: covers of scores and of values make a cover of heads",
    wording="reconstructed",
    category="theorem",
    cases=_composed,
    boundary=(((0, 0), (4, 0)), ((1, -1),), 0, 0),
    strategy=drawn(
        lambda st: st.tuples(
            st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=4).map(tuple),
            st.lists(st.tuples(*[st.integers(-1, 1)] * 3), min_size=1, max_size=3).map(tuple),
            st.integers(0, 3),
            st.sampled_from([0, _HALF, 1]),
        )
    ),
    applies=record(
        many(many(integer())), many(many(number(-1, most=1))), integer(0), number(0),
        where=lambda scores, values, *_: len({*map(len, scores), *map(len, values)}) == 1,
    ),
    near_misses=[
        NearMiss("the error of the values is left out",
                 (((0, 0),), ((1, 1), (0, 0)), 0, 1), {"values_count": False}),
    ],
)  # fmt: skip
def theorem_4_2(case: Composed, values_count: bool = True) -> bool | Fails:
    r"""If scores are covered up to $r$ and values (bounded by 1) up to $\eta$, the heads of all
    pairs are covered up to $C r + \eta$ by the pairs of the covers:
    $\mathcal{N}(\mathrm{heads}; 2 \tanh(r/2) + \eta) \le \mathcal{N}(\mathrm{scores}; r) \,
    \mathcal{N}(\mathrm{values}; \eta)$. Least covers are found by search, with scores that are
    multiples of $\ln 2$, where $2 \tanh(r/2)$ is rational.
    """
    scores, values, radius, error = case
    at_most(len(scores) * len(values), 24, "heads")
    ratio = Fraction(2) ** radius
    together = 2 * (ratio - 1) / (ratio + 1) + (error if values_count else 0)
    heads = covering_number(_heads(scores, values), together)
    first, second = covering_number(scores, radius), covering_number(values, error)
    return heads <= first * second or Fails(f"{heads} heads, {first} scores, {second} values")


@claim(
    "edelman2022.lemma-A.12",
    source="Lemma A.12: several heads, each covered up to error / H",
    wording="reconstructed",
    category="lemma",
    cases=lambda: product(_composed_heads(), (1, 2, 3), (Fraction(1, 4), 1)),
    boundary=((0, 1), 1, 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.lists(st.integers(-4, 4), min_size=1, max_size=3).map(tuple),
            st.integers(1, 2),
            st.sampled_from([Fraction(1, 4), Fraction(1, 2), 1]),
        )
    ),
    applies=record(many(number()), integer(1), number(above=0)),
    near_misses=[
        NearMiss("each up to the whole error", ((0, 1), 3, 1), {"divided": False}),
    ],
)
def lemma_a12(case: tuple[tuple[Any, ...], int, Any], divided: bool = True) -> bool | Fails:
    r"""Sums of $H$ heads are covered up to $\varepsilon$ by sums of covers up to $\varepsilon / H$:
    $\mathcal{N}(\mathcal{F}^{+H}; \varepsilon) \le \mathcal{N}(\mathcal{F}; \varepsilon / H)^H$;
    so the bound of a head becomes $H$ times itself at $\varepsilon / H$, a factor $H^3$ up to the
    logarithm. The calculator is compared with this.
    """
    outputs, heads, error = case
    at_most(len(outputs) ** heads, 27, "sums of heads")
    one = covering_number([(x,) for x in outputs], Fraction(error) / heads if divided else error)
    sums = {(sum(chosen),) for chosen in product(outputs, repeat=heads)}
    found = covering_number(tuple(sums), error)
    if found > one**heads:
        return Fails(f"{found} sums are needed, {one}^{heads} are there")
    sizes: dict[str, Any] = {"score_norm": 1, "value_norm": 1, "dimension": 3, "length": 4}
    sizes |= {"samples": 5, "alpha": "1/2"}
    many_heads = head_cover(error=error, heads=heads, **sizes)
    single = head_cover(error=Rational(error) / heads, **sizes)
    with working_precision(_BITS):
        same = _agree(many_heads.value, heads * single.value)
    return same or Fails("the calculator does not take H covers up to error / H")


def _composed_heads() -> tuple[tuple[Any, ...], ...]:
    return ((0, 1), (0, 1, 3), (-1, 0, _HALF))


# --- Proposition 4.4 ------------------------------------------------------------------------------
@claim(
    "edelman2022.proposition-4.4",
    source="Proposition 4.4: heads without bounds shatter log2(T) points in three dimensions",
    wording="reconstructed",
    category="proposition",
    cases=lambda max_length=64: range(2, max_length + 1),
    boundary=2,
    strategy=drawn(lambda st: st.integers(2, 200)),
    applies=integer(2),
    proof="proofs/edelman2022/proposition-4.4.md",
    near_misses=[
        NearMiss("scores T^2 / 20 instead of T^2", 4, {"scale": Fraction(1, 20)}),
    ],
)
def proposition_4_4(length: int, scale: Any = 1) -> bool | Fails:
    r"""For every $T \ge 2$ attention heads in dimension 3 shatter $\lfloor \log_2 T \rfloor$
    sequences of length $T$: with tokens $(\cos\frac{2\pi t}{T}, \sin\frac{2\pi t}{T}, b_i(t))$, the
    $i$-th binary digit of $t$, and scores $T^2 \cos\frac{2\pi (t - s)}{T}$ more than half of the
    attention is at $t = s$, so the output exceeds $\frac12$ iff the $i$-th digit of $s$ is 1; and
    $s$ has any digits. For each $T$ by balls, for all $T$ on the page; the outputs are multiplied
    out for $T \le 16$.
    """
    at_most(length, 2_000, "positions")
    mass = selected_mass(length, scale)
    if not 2 * mass > 1:
        return Fails(f"the mass at s is {mass.str(5, radius=False)}")
    if length > 16:
        return True
    with working_precision(_BITS):
        for s, i in product(range(length), range(length.bit_length() - 1)):
            logits = [
                _ball(scale * length**2) * (2 * arb.pi() * (t - s) / length).cos()
                for t in range(length)
            ]
            powers = [x.exp() for x in logits]
            output = sum((p for t, p in enumerate(powers) if t >> i & 1), arb(0)) / sum(
                powers, arb(0)
            )
            if not (2 * output > 1 if s >> i & 1 else 2 * output < 1):
                return Fails(f"s = {s}, digit {i}: the output is {output.str(5, radius=False)}")
    return True


# --- Corollary 4.5 --------------------------------------------------------------------------------
# The number of sequences m, the constant K, the scale c of the tokens, e^R.
Scaled = tuple[int, int, int, int]
_is_scaled = record(integer(1), integer(1), integer(1), integer(2))


def _separated(m: int, c: int, q: int) -> tuple[int, Fraction]:
    """(2^m, half of the square of their distance / c^2): heads that differ at some sequence.

    The head of pi in {1, 2}^m has at the i-th of m sequences of three tokens the weights
    1, q, 1 or 1, 1, q over q + 2, and the values 0, c/sqrt 2, -c/sqrt 2.
    """
    outputs = set()
    for choice in product((1, 2), repeat=min(m, 4)):
        weights = [[Fraction(q if t == k else 1, q + 2) for t in range(3)] for k in choice]
        outputs.add(tuple(w[1] - w[2] for w in weights))
    assert len(outputs) == 2 ** min(m, 4)
    apart = min(_distance(f, g) for f, g in combinations(outputs, 2))
    return 2**m, apart**2


def _printed(m: int, c: int, q: int, squared: Fraction, corrected: bool, dimension: bool) -> arb:
    """The printed bound for these heads, at an error just below half of their distance."""
    error = _ball(squared).sqrt() * c / arb(2).sqrt() * (1 - arb(2) ** -20)
    # sqrt(2) R / c^2 for each of m rows.
    score = arb(2).sqrt() * arb(q).log() * m / c**2
    factor = arb(c) ** 2 if corrected else arb(1)
    shares = (1 + (score * factor) ** (arb(2) / 3)) ** 3
    inside = 3 * m * ((m + 3) if dimension else 1)
    return (arb(c) / error) ** 2 * shares * arb(inside).log()


def _exceeds(case: Scaled, corrected: bool = False, dimension: bool = False) -> bool | Fails:
    m, factor, c, q = case
    at_most(m, 10**6, "sequences")
    _, squared = _separated(m, c, q)
    with working_precision(_BITS):
        needed = arb(m) * arb(2).log()
        allowed = factor * _printed(m, c, q, squared, corrected, dimension)
        if needed > allowed:
            return Fails(
                f"2^{m} heads pairwise further apart than twice the error need ln N >= "
                f"{needed.str(4, radius=False)}, the formula has {allowed.str(4, radius=False)}"
            )
        if needed <= allowed:
            return True
    raise Undecided("the two numbers are too close")


@claim(
    "edelman2022.corollary-4.5",
    source="Corollary 4.5 in the form of the main text, without B_X in the second term",
    wording="reconstructed",
    category="corollary",
    cases=[(400, 1, 1000, 403), (4000, 10, 10**4, 403), (10**5, 100, 10**6, 403)],
    boundary=(400, 1, 1000, 403),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(1, 2000), st.integers(1, 3), st.integers(1, 10**5), st.just(403)
        )
    ),
    applies=_is_scaled,
    expected="fails",
    repaired_by="edelman2022.corollary-4.5-repaired",
    proof="proofs/edelman2022/corollary-4.5.md",
    near_misses=[
        NearMiss("with log(d m T) in place of log(m T)", (4000, 1, 10**4, 403),
                 {"dimension": True}),
    ],
    controls=[
        Control("tokens of length one", (400, 100, 1, 403)),
        Control("with the factors B_X in the second term", (400, 1, 1000, 403),
                {"corrected": True}),
    ],
)  # fmt: skip
def corollary_4_5(case: Scaled, corrected: bool = False, dimension: bool = False) -> bool | Fails:
    r"""There is a constant $K$ such that for all norms $\ln \mathcal{N}_\infty \le K (L_\sigma
    B_X)^2 \frac{((B_V^{2,1})^{2/3} + (B_{QK}^{2,1} B_V)^{2/3})^3}{\varepsilon^2} \log(mT)$.
    Refuted: tokens $c$ times as long with scores $c^{-2}$ times as large are the same heads, and
    the second term vanishes; $2^m$ heads at distance of order $c$ remain. A case $(m, K, c, e^R)$
    refutes one $K$; the page has one for every $K$.
    """
    return _exceeds(case, corrected, dimension)


@claim(
    "edelman2022.corollary-4.5-repaired",
    source="Corollary 4.5 with B_X and the query's norm in the second term, constants written out",
    wording="our reading",
    category="corollary",
    cases=lambda: product((1, 4, 400), (1, 7, 1000), (20, 403)),
    boundary=(1, 1, 20),
    strategy=drawn(
        lambda st: st.tuples(st.integers(1, 500), st.integers(1, 10**4), st.integers(2, 10**3))
    ),
    applies=record(integer(1), integer(1), integer(2)),
    proof="proofs/edelman2022/corollary-4.5.md",
    near_misses=[
        NearMiss("without the length of the query's token", (4, 1000, 403), {"query": False}),
    ],
)
def corollary_4_5_repaired(case: tuple[int, int, int], query: bool = True) -> bool | Fails:
    r"""$\ln \mathcal{N}_\infty \le \Lambda\bigl(\tfrac{B_{QK} \|x_\tau\| B_X \cdot B_V B_X
    L}{\alpha \varepsilon}\bigr) + \Lambda\bigl(\tfrac{L B_V^{2,1} B_X}{(1 - \alpha)
    \varepsilon}\bigr)$, the bounds of linear functions at $mT$ points. It does not change when
    tokens are $c$ times as long, scores $c^{-2}$ and values $c^{-1}$ times as large, and it is at
    least $m \ln 2$ for the $2^m$ heads of the counterexample. A case is $(m, c, e^R)$.
    """
    m, c, q = case
    at_most(m, 10**5, "sequences")
    _, squared = _separated(m, c, q)
    # Rational bounds: sqrt(2) R <= 3/2 log2(q), and the distance c sqrt(2 squared) from below.
    score = Rational(3 * q.bit_length() * m, 2 * c * c)
    root = Rational(isqrt(int(squared * 10**12)), 10**6)
    sizes: dict[str, Any] = {"dimension": m + 3, "length": 3, "samples": m, "alpha": "1/2"}
    found = head_cover(
        error=root * c * Rational(7, 10), score_norm=score, value_norm=1, radius=c, **sizes,
        query_radius=c if query else 1,
    )  # fmt: skip
    one = head_cover(
        error=root * Rational(7, 10), score_norm=score * c * c, value_norm=1, radius=1, **sizes
    )
    with working_precision(_BITS):
        if not _agree(found.value, one.value):
            return Fails(f"{found.value} for tokens of length {c}, {one.value} for length one")
        by_hand = _two_parts(score * c * c / (root * Rational(7, 10)), 1 / (root * Rational(7, 10)),
                             m + 3, 3 * m)  # fmt: skip
        if not _agree(found.value, by_hand):
            return Fails(f"{found.value}, by hand {by_hand}")
        return bool(found.value >= arb(m) * arb(2).log()) or Fails("it is below m ln 2")


def _linear(rho: Fraction, theta: Fraction, dimension: int, points: int) -> arb:
    """The bound of Lemma 4.6 with its constants, written out once more."""
    terms = ceil((rho / theta) ** 2)
    rest = rho / (1 - theta)
    grid = 2 * ceil(4 * rest + 2) * points + 1
    return terms * arb(2 * dimension + 1).log() + 36 * _ball(rest) ** 2 * arb(grid).log()


def _two_parts(scores: Fraction, values: Fraction, dimension: int, points: int) -> arb:
    """Both parts at alpha = 1/2, each with the best theta of the grid of 24ths."""
    total = arb(0)
    for rho in (2 * scores, 2 * values):
        grid = [_linear(rho, Rational(k, 24), dimension, points) for k in range(1, 24)]
        total += min(grid, key=lambda x: float(x.mid()))
    return total


# --- Lemma 4.6, A.11 ------------------------------------------------------------------------------
# Rows of rational norms, and a number of terms.
Weights = tuple[tuple[tuple[int, int], ...], int]


def _norm(row: tuple[Any, ...]) -> Fraction:
    square = sum(Fraction(x) ** 2 for x in row)
    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return root if root**2 == square else Fraction(-1)


@claim(
    "edelman2022.lemma-4.6",
    source="Lemma 4.6: covers of linear functions, the step of Maurey",
    wording="reconstructed",
    category="lemma",
    cases=lambda: product(
        (((3, 4), (0, 5)), ((1, 0), (0, 2), (3, 4)), ((0, -1), (5, 12), (4, 3)), ((2, 0),)),
        (1, 2, 3),
    ),
    boundary=(((1, 0), (0, 1)), 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.lists(
                st.sampled_from([(3, 4), (0, 5), (1, 0), (0, -2), (-4, 3), (5, 12)]),
                min_size=1,
                max_size=3,
            ).map(tuple),
            st.integers(1, 3),
        )
    ),
    applies=record(
        many(many(number())), integer(1),
        where=lambda rows, _: len({*map(len, rows)}) == 1 and all(_norm(r) > 0 for r in rows),
    ),
    near_misses=[
        NearMiss("a quarter of the terms", (((1, 0), (0, 1)), 1), {"share": 4}),
    ],
)  # fmt: skip
def lemma_4_6(case: Weights, share: int = 1) -> bool | Fails:
    r"""A matrix $W$ whose rows have norms that add up to $B_W$ is within $B_W / \sqrt{k}$, in the
    norm of all entries, of a mean of $k$ of the matrices $\pm B_W e_i w_i^\top / \|w_i\|$; so
    $\lceil (B_W B_X / (\theta \varepsilon))^2 \rceil$ terms out of $2 d_1 + 1$ suffice for the
    error $\theta \varepsilon$. All means are tried, and the calculator is compared with the sum of
    this and Zhang's bound (cited).
    """
    rows, terms = case
    at_most(len(rows) ** terms, 5_000, "means")
    norms = [_norm(row) for row in rows]
    total = sum(norms, Fraction(0))
    found = linear_cover(
        error=1, norm=total, dimension=len(rows), points=terms, theta=Rational(1, 3)
    )
    with working_precision(_BITS):
        same = _agree(found.value, _linear(Rational(total), Rational(1, 3), len(rows), terms))
    if not same:
        return Fails("the calculator is not the sum of the two parts")
    best = None
    for chosen in combinations_with_replacement(range(len(rows)), terms):
        error = Fraction(0)
        for i in range(len(rows)):
            weight = total * chosen.count(i) / (norms[i] * terms)
            error += (1 - weight) ** 2 * norms[i] ** 2
        best = error if best is None or error < best else best
    if best is None or best > total**2 / (share * terms):
        return Fails(f"the nearest mean is at the squared distance {best}")
    return True


@claim(
    "edelman2022.lemma-A.11",
    source="Lemma A.11: fixed positional vectors, B_X + B_P in place of B_X",
    wording="reconstructed",
    category="lemma",
    cases=lambda: product((1, _HALF, 3), (0, 1, _HALF), (1, 4)),
    boundary=(1, 0, 1),
    strategy=drawn(lambda st: st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))),
    applies=record(number(above=0), number(0), integer(1)),
    near_misses=[
        NearMiss("positions at no cost", (1, 1, 1), {"counted": False}),
    ],
)
def lemma_a11(case: tuple[Any, Any, int], counted: bool = True) -> bool | Fails:
    r"""Fixed vectors with $\|p_t\| \le B_P$ added to tokens with $\|x_t\| \le B_X$ give tokens of
    norm at most $B_X + B_P$, so the bound of a head is the one for $B_X + B_P$.
    """
    radius, positions, score = case
    sizes: dict[str, Any] = {"error": 1, "value_norm": 2, "dimension": 5, "length": 6, "samples": 7,
             "alpha": "1/2", "score_norm": score}  # fmt: skip
    found = head_cover(radius=radius, positions=positions, **sizes)
    B = Rational(radius) + (Rational(positions) if counted else 0)
    with working_precision(_BITS):
        same = _agree(found.value, _two_parts(score * B**3 * 2, 2 * B, 5, 42))
    return same or Fails(f"the bound is {found.value}, another one for tokens of norm {B}")


# --- Lemma 2.2, A.8 -------------------------------------------------------------------------------
@claim(
    "edelman2022.lemma-2.2",
    source="Lemma 2.2 and A.5: generalisation by covering numbers; Dudley's integral is cited",
    wording="reconstructed",
    category="lemma",
    cases=lambda: product((1, 10, 500), (10, 10**4, 10**6), (1, 5)),
    boundary=(1, 1, 1),
    strategy=drawn(
        lambda st: st.tuples(st.integers(1, 10**3), st.integers(1, 10**6), st.integers(1, 20))
    ),
    applies=record(number(above=0), integer(1), number(above=0)),
    near_misses=[
        NearMiss("half of the constant of Dudley's integral", (10, 10**4, 1), {"constant": 6}),
    ],
)
def lemma_2_2(case: tuple[Any, int, Any], constant: int = 12) -> bool | Fails:
    r"""If $\ln \mathcal{N} \le C / \varepsilon^2$ at every radius, functions are bounded by $A$ and
    the loss is 1-Lipschitz with values in $[0, 1]$, the gap is at most
    $2 (4 a + \frac{12}{\sqrt m} \int_a^A \frac{\sqrt C}{\varepsilon} d\varepsilon) +
    \sqrt{\ln(1/\delta) / 2m}$ for every $a \le A$; the best is $a = 3 \sqrt{C/m}$, or $A$ where
    that is larger, and this is the number that the calculator gives.
    """
    capacity, samples, bound = case
    found = generalisation_gap(capacity=capacity, samples=samples, bound=bound, delta="1/20")
    with working_precision(_BITS):
        root = _ball(Rational(capacity) / samples).sqrt()
        rest = (arb(20).log() / (2 * samples)).sqrt()

        def at(share: arb) -> arb:
            """The bound with the integral from a on."""
            return 2 * (4 * share + constant * root * (_ball(bound) / share).log()) + rest

        best = 3 * root
        if best > _ball(bound):
            wanted = 2 * constant * root + rest
        else:
            wanted = at(best)
            for other in (best / 2, best * 2):
                if other < _ball(bound) and at(other) < wanted:
                    return Fails("another a is better")
        return _agree(found.value, wanted) or Fails(f"it is {wanted}, not {found.value}")


# Costs, prices, the total, a point.
Split = tuple[tuple[Any, ...], tuple[Any, ...], Any, tuple[Any, ...]]


def _on_the_plane(costs: Any, prices: Any, total: Any, x: Any) -> bool:
    same = len(costs) == len(prices) == len(x)
    return same and all(x) and sum(b * v for b, v in zip(prices, x, strict=True)) == total


_positive = number(above=0)
_is_split = record(many(_positive), many(_positive), _positive, many(number()), where=_on_the_plane)


def _cheapest(case: Split, at_least: int = 1) -> bool | Fails:
    costs, prices, total, x = case
    at_most(len(costs), 50, "terms")
    least, at = cheapest_split(costs, prices, total)
    cost = sum((Fraction(a) / v**2 for a, v in zip(costs, x, strict=True)), Fraction(0))
    with working_precision(_BITS):
        reached = sum((_ball(a) / v**2 for a, v in zip(costs, at, strict=True)), arb(0))
        spent = sum((_ball(b) * v for b, v in zip(prices, at, strict=True)), arb(0))
        if not _agree(reached, least) or not _agree(spent, _ball(total)):
            return Fails("the point that is named does not reach the minimum")
        wanted = _ball(at_least) * least
        if _ball(cost) < wanted and not _agree(_ball(cost), wanted):
            return Fails(f"{cost} at {x}, and the formula has {least.str(6, radius=False)}")
    return True


@claim(
    "edelman2022.lemma-A.8",
    source="Lemma A.8, without the condition that the x_i are positive",
    wording="reconstructed",
    category="lemma",
    cases=[((1, 1), (1, 1), 1, (101, -100)), ((2, 1, 3), (1, 2, 1), 4, (5, -1, 1))],
    boundary=((1, 1), (1, 1), 1, (101, -100)),
    strategy=drawn(
        lambda st: st.tuples(st.integers(-50, 50), st.integers(-50, 50)).filter(
            lambda v: v[0] + v[1] > 0 and all(v)
        ).map(lambda v: ((1, 1), (1, 1), v[0] + v[1], v))
    ),
    applies=_is_split,
    expected="fails",
    repaired_by="edelman2022.lemma-A.8-repaired",
    near_misses=[
        NearMiss("half of the printed minimum", ((1, 1), (1, 1), 1, (101, -100)),
                 {"at_least": Fraction(1, 2)}),
    ],
    controls=[
        Control("positive numbers", ((1, 1), (1, 1), 1, (_HALF, _HALF))),
        Control("positive numbers that are not equal", ((1, 8), (1, 1), 3, (2, 1))),
    ],
)  # fmt: skip
def lemma_a8(case: Split, at_least: Any = 1) -> bool | Fails:
    r"""For $\alpha, \beta > 0$ the minimum of $\sum_i \alpha_i / x_i^2$ over all $x$ with
    $\sum_i \beta_i x_i = C$ is $\gamma^3 / C^2$, $\gamma = \sum_i \alpha_i^{1/3} \beta_i^{2/3}$.
    Refuted by $\alpha = \beta = (1, 1)$, $C = 1$, $x = (101, -100)$: with negative numbers there is
    no minimum.
    """
    return _cheapest(case, at_least)


@claim(
    "edelman2022.lemma-A.8-repaired",
    source="Lemma A.8 for positive x_i",
    wording="our reading",
    category="lemma",
    cases=lambda: (
        (costs, prices, sum(map(_times, zip(prices, x, strict=True))), x)
        for costs, prices in (((1, 1), (1, 1)), ((1, 8), (3, 1)), ((2, 5), (1, 7)))
        for x in product((_HALF, 1, 3), repeat=2)
    ),
    boundary=((1, 1), (1, 1), 1, (_HALF, _HALF)),
    strategy=drawn(
        lambda st: st.tuples(
            *[st.tuples(*[st.integers(1, 9)] * 3)] * 3
        ).map(lambda v: (v[0], v[1], sum(map(_times, zip(v[1], v[2], strict=True))), v[2]))
    ),
    applies=lambda case: _is_split(case) and all(x > 0 for x in case[3]),
    near_misses=[
        NearMiss("negative numbers", ((1, 1), (1, 1), 1, (101, -100))),
        NearMiss("twice the minimum", ((1, 1), (1, 1), 1, (_HALF, _HALF)), {"at_least": 2}),
    ],
)  # fmt: skip
def lemma_a8_repaired(case: Split, at_least: int = 1) -> bool | Fails:
    r"""For $\alpha, \beta > 0$ the minimum of $\sum_i \alpha_i / x_i^2$ over all $x > 0$ with
    $\sum_i \beta_i x_i = C$ is $\gamma^3 / C^2$, $\gamma = \sum_i \alpha_i^{1/3} \beta_i^{2/3}$,
    reached at $x_i = C (\alpha_i / \beta_i)^{1/3} / \gamma$.
    """
    return _cheapest(case, at_least)


def _times(pair: tuple[Any, Any]) -> Any:
    return pair[0] * pair[1]


# --- what cannot be looked at ---------------------------------------------------------------------
@claim(
    "edelman2022.theorem-4.7",
    source="Theorem 4.7 = A.17 and Lemmas A.13 to A.16",
    wording="reconstructed",
    category="theorem",
    expected="undecided",
    why="the exponent and the factor in front are unspecified absolute constants, and the lemmas "
    "it rests on are not in the text that we have; `sparse.deep_cover` computes its growth",
)
def theorem_4_7(case: None) -> None:
    r"""$\log \mathcal{N}_\infty \lesssim (C_2 L_\sigma)^{O(L)} B_X^2 B_w^2 C_{2,1}^2
    \varepsilon^{-2} \log(dmT)$ for transformers of depth $L$.
    """
