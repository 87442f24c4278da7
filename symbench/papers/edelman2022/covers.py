"""Sections 2 and 4, appendix A: covering numbers, softmax, and how covers make covers of heads.

The text of the paper is not at hand with its formulas: statements are reconstructed.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from flint import arb

from symbench.exact import QQ, Matrix, Rational
from symbench.exact.precision import working_precision
from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.papers._second_roads import ball
from symbench.registry import Fails, NearMiss, claim
from symbench.sparse.capacity import covering_number, head_cover, softmax_distance

BITS = 128
_HALF = Fraction(1, 2)
_SMALL = 1e-25  # what balls of 128 bits may be wide


def agree(found: arb, wanted: arb) -> bool:
    """Whether two balls are the same number, as far as 128 bits tell."""
    width = found.rad() + wanted.rad()
    return found.overlaps(wanted) and bool(width <= _SMALL * (1 + abs(wanted)))


# --- Definition 2.1 -------------------------------------------------------------------------------
Functions = tuple[tuple[Any, ...], ...]


def distance(f: tuple[Any, ...], g: tuple[Any, ...]) -> Any:
    """The largest difference of two functions."""
    return max(abs(x - y) for x, y in zip(f, g, strict=True))


def _least_cover(functions: Functions, error: Any) -> int:
    """The least number of functions of the class that cover it, all sets being tried."""
    for size in range(1, len(functions) + 1):
        for chosen in combinations(functions, size):
            if all(any(distance(f, g) <= error for g in chosen) for f in functions):
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
    powers = [ball(x).exp() for x in logits]
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
    gap, moved = distance(a, b), distance(v, w)
    with working_precision(BITS):
        p, q = _softmax(a), _softmax(b)
        apart = sum((abs(x - y) for x, y in zip(p, q, strict=True)), arb(0))
        bound = softmax_distance(gap)
        if apart > bound:
            return Fails(f"softmax moves by {apart.str(8, radius=False)}")
        if len(a) == 2 and tuple(-x for x in a) == b and a[0] == -a[1] and not agree(apart, bound):
            return Fails("two opposite logits do not attain the bound")
        f, g = (
            sum((x * ball(y) for x, y in zip(weights, values, strict=True)), arb(0))
            for weights, values in ((p, v), (q, w))
        )
        limit = ball(constant * gap + moved)
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
    cases=lambda: product(((0, 1), (0, 1, 3), (-1, 0, _HALF)), (1, 2, 3), (Fraction(1, 4), 1)),
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
    with working_precision(BITS):
        same = agree(many_heads.value, heads * single.value)
    return same or Fails("the calculator does not take H covers up to error / H")
