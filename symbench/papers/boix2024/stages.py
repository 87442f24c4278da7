"""Appendix F.3: the five stages of Lemma 4.7, Claims F.2 to F.6."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

from symbench.certificates import Certificate, Stage
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import attention
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most
from symbench.papers._second_roads import template_entry
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    subsets,
    template_sets,
    templates,
    with_cls,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

Coefficient = tuple[int, int]
Values = dict[tuple[int, int], Fraction]

# The orders (of beta, of gamma) at which the five stages of Appendix F look.
STAGES: tuple[Coefficient, ...] = ((0, 0), (2, 2), (4, 0), (4, 2), (6, 4))
# How many entries of a matrix are computed a second time, to an order in beta.
_AGAIN = {0: 100, 2: 40, 4: 12, 6: 3}

# What the stages conclude, from the letters alone: x x^T has 1 where two letters are equal.
_INVARIANTS: tuple[Callable[[Template], Any], ...] = (
    # F.2: 1^T x on the regular tokens, how often each occurs; F.3: x there, where they stand.
    lambda z: sorted((t, z.letters.count(t)) for t in set(z.letters) - set(z.wildcards)),
    lambda z: [a if a not in z.wildcards else None for a in z.letters],
    # F.4: 1^T x x^T 1; F.5: 1^T x x^T; F.6: x x^T.
    lambda z: sum(a == b for a, b in product(z.letters, repeat=2)),
    lambda z: [sum(a == b for a in z.letters) for b in z.letters],
    lambda z: [[a == b for a in z.letters] for b in z.letters],
)


def _coefficient(closed: Templates, at: Coefficient) -> Values | Fails:
    """[beta^i gamma^j] of every entry of the template matrix; some are computed again."""
    matrix = template_matrix(closed, attention(order=at[0]), cls=False).matrix
    found: Values = {}
    for i, j in product(range(len(closed)), repeat=2):
        terms = QQ["gamma"].terms(matrix[i, j].coefficients[at[0]])
        found[i, j] = Rational(terms.get((at[1],), 0))
    places = list(combinations_with_replacement(range(len(closed)), 2))
    for i, j in places:
        if found[i, j] != found[j, i]:
            return Fails(f"entry {i, j} is {found[i, j]}, entry {j, i} is {found[j, i]}")
    # From the last on: there the templates have the most wildcards.
    for i, j in places[:: -max(1, -(-len(places) // _AGAIN[at[0]]))]:
        expected = _entry(closed[i], closed[j], at[0]).get(at, 0)
        if found[i, j] != expected:
            return Fails(f"{closed[i]}, {closed[j]}: {found[i, j]} at {at}, not {expected}")
    return found


_entry = lru_cache(maxsize=1 << 10)(template_entry)


def _distance(z: Template, w: Template, stage: int) -> Fraction:
    """The gap of two templates that agree so far, by the Cauchy-Schwarz step of each stage.

    It is a constant times the squared distance of what the stage compares: numbers of occurrences,
    positions, 1^T x x^T 1 (times a, the number of common pairs), 1^T x x^T, x x^T.
    """
    k = len(z)
    regular = {*z.letters, *w.letters} - {*z.wildcards, *w.wildcards}
    if stage == 0:
        found = sum((z.letters.count(t) - w.letters.count(t)) ** 2 for t in regular)
    elif stage == 1:
        found = sum(
            (a == t) != (b == t) for t in regular for a, b in zip(z.letters, w.letters, strict=True)
        )
    elif stage == 2:
        common = sum(z.letters.count(t) * w.letters.count(t) for t in regular)
        found = common * (_INVARIANTS[2](z) - _INVARIANTS[2](w)) ** 2
    elif stage == 3:
        found = sum((a - b) ** 2 for a, b in zip(_INVARIANTS[3](z), _INVARIANTS[3](w), strict=True))
    else:
        rows = zip(_INVARIANTS[4](z), _INVARIANTS[4](w), strict=True)
        found = sum(a != b for one, two in rows for a, b in zip(one, two, strict=True))
    times, power = ((1, 2), (2, 2), (1, 6), (1, 4), (1, 4))[stage]
    return Fraction(times * found, k**power)


def _agree(z: Template, w: Template, stages: range) -> bool:
    return all(_INVARIANTS[n](z) == _INVARIANTS[n](w) for n in stages)


def _respecting(closed: Templates, stages: range) -> Iterator[tuple[int, ...]]:
    """All permutations that match templates which agree in the conclusions of these stages."""
    size = range(len(closed))
    for s in permutations(size):
        if all(_agree(closed[i], closed[s[i]], stages) for i in size):
            yield s


def _stage(
    cases: Templates, stage: int, *, cls: bool = True, order: int | None = None, after: int = 0
) -> Certificate | Fails:
    """One stage on all permutations that respect the stages before it, from `after` on.

    Few templates: all permutations. Many: the gaps N_ii + N_jj - N_ij - N_ji >= 0 are a dual
    solution of the assignment problem, u_i = v_i = N_ii / 2: for a permutation the difference of
    the sums is half the sum of its gaps, so it is zero iff i and sigma(i) always agree in the
    stage's invariant. (N is symmetric.)
    """
    at_most(len(cases), 500, "templates")
    closed = with_cls(cases) if cls else cases
    at = STAGES[stage if order is None else order]
    values = _coefficient(closed, at)
    if isinstance(values, Fails):
        return values
    before, size = range(after, stage), range(len(closed))
    if len(closed) <= 5:
        diagonal = sum(values[i, i] for i in size)
        for s in _respecting(closed, before):
            gap = diagonal - sum(values[i, s[i]] for i in size)
            same = all(_agree(closed[i], closed[s[i]], range(stage, stage + 1)) for i in size)
            if gap < 0 or (gap == 0) != same:
                return Fails(f"{', '.join(map(str, closed))}: {s} has the gap {gap} at {at}")
    for i, j in combinations(size, 2):
        if _agree(closed[i], closed[j], before):
            gap = values[i, i] + values[j, j] - values[i, j] - values[j, i]
            if gap < 0 or (gap == 0) != _agree(closed[i], closed[j], range(stage, stage + 1)):
                return Fails(f"{closed[i]}, {closed[j]}: gap {gap} at beta^i gamma^j, {at}")
            if order is None and gap != _distance(closed[i], closed[j], stage):
                return Fails(f"{closed[i]}, {closed[j]}: gap {gap} is not the squared distance")
    return Stage(
        before=_groups(closed, before),
        after=_groups(closed, range(after, stage + 1)),
        subject=Matrix([[values[i, j] for j in size] for i in size], QQ),
        about={"coefficient": "beta^{} gamma^{}".format(*at)},
    )


def _groups(closed: Templates, stages: range) -> tuple[int, ...]:
    """Templates that agree in the conclusions of these stages have the same number."""
    numbers: dict[str, int] = {}
    found = [str([_INVARIANTS[n](z) for n in stages]) for z in closed]
    return tuple(numbers.setdefault(values, len(numbers)) for values in found)


def _cases(max_length: int = 4) -> Iterator[Templates]:
    """All templates of a length at once: every subset is covered; and small sets, by permutations.

    The sets are of templates that agree in much, so that late stages have something to tell apart.
    """
    for n in range(1, max_length + 1):
        yield every(n, "AB"[: max(0, 4 - n)])
    yield templates("Aαβ", "αAβ", "αβA", "AAα")
    yield templates("ααβ", "αβα", "αββ", "αβγ", "ααα")
    yield templates("ααA", "αβA", "βαB", "AαA")
    yield templates("ααββ", "αβαβ", "αββα")
    yield templates("αααβ", "ααβα", "ααββ")


def _declare_stage(stage: int, statement: str, *near_misses: NearMiss) -> None:
    """Register Claim F.(stage + 2)."""

    def check(cases: Templates, **variant: Any) -> Certificate | Fails:
        return _stage(cases, stage, **variant)

    check.__doc__ = statement
    check.__qualname__ = f"claim_f{stage + 2}"
    claim(
        f"boix2024.claim-F.{stage + 2}",
        source=f"Appendix F, Claim F.{stage + 2} (its formulas are not in our text of the paper)",
        wording="reconstructed",
        category="claim",
        cases=_cases,
        boundary=templates("αα", "αβ"),
        strategy=template_sets(min_size=2, max_size=4, max_length=4, tokens="A"),
        applies=before_cls,
        near_misses=near_misses,
        assumes=[f"boix2024.claim-F.{n}" for n in range(2, stage + 2)],
        proof="proofs/boix2024/lemma-4.7.md",
    )(check)


_declare_stage(
    0,
    r"""If $\sum_i \kappa_{X_i, Y_{\sigma(i)}}(0, 0) = \sum_i \kappa_{X_i, Y_i}(0, 0)$, then $1^\top
    [x_i]_{:,\mathcal{R}} = 1^\top [y_{\sigma(i)}]_{:,\mathcal{R}}$ for all $i$: every regular token
    occurs equally often in both. The identity has the largest sum.""",
    NearMiss("the order (2, 2) says so too", templates("Aα", "αA"), {"order": 1}),
)
_declare_stage(
    1,
    r"""If $\sum_i \partial_\beta^2 \partial_\gamma^2 \kappa_{X_i, Y_{\sigma(i)}}(0, 0) = \sum_i
    \partial_\beta^2 \partial_\gamma^2 \kappa_{X_i, Y_i}(0, 0)$ and $1^\top [x_i]_{:,\mathcal{R}} =
    1^\top [y_{\sigma(i)}]_{:,\mathcal{R}}$ for all $i$, then we must have $[x_i]_{:,\mathcal{R}} =
    [y_{\sigma(i)}]_{:,\mathcal{R}}$ for all $i$: the regular tokens stand at the same places.""",
    NearMiss("the order (0, 0) is enough", templates("Aα", "αA"), {"order": 0}),
)
_declare_stage(
    2,
    r"""Suppose that $[x_i]_{:,\mathcal{R}} = [y_{\sigma(i)}]_{:,\mathcal{R}}$ for all $i$, and that
    $\sum_i \partial_\beta^4 \kappa_{X_i, Y_{\sigma(i)}}(0, 0) = \sum_i \partial_\beta^4
    \kappa_{X_i, Y_i}(0, 0)$. Then $1^\top x_i x_i^\top 1 = 1^\top y_{\sigma(i)} y_{\sigma(i)}^\top
    1$ for all $i$.""",
    NearMiss("the order (2, 2) is enough", templates("αα", "αβ"), {"order": 1}),
    NearMiss("without CLS", templates("αα", "αβ"), {"cls": False}),
    NearMiss("without CLS, three letters", templates("ααβ", "αβγ"), {"cls": False}),
)
_declare_stage(
    3,
    r"""Suppose that $[x_i]_{:,\mathcal{R}} = [y_{\sigma(i)}]_{:,\mathcal{R}}$ and $1^\top x_i
    x_i^\top 1 = 1^\top y_{\sigma(i)} y_{\sigma(i)}^\top 1$ for all $i$. Suppose also that $\sum_i
    \partial_\beta^4 \partial_\gamma^2 \kappa_{X_i, Y_{\sigma(i)}}(0, 0) = \sum_i \partial_\beta^4
    \partial_\gamma^2 \kappa_{X_i, Y_i}(0, 0)$. Then $1^\top x_i x_i^\top = 1^\top y_{\sigma(i)}
    y_{\sigma(i)}^\top$ for all $i$.""",
    NearMiss("the order (4, 0) is enough", templates("ααβ", "αββ"), {"order": 2}),
)
_declare_stage(
    4,
    r"""Suppose that $[x_i]_{:,\mathcal{R}} = [y_{\sigma(i)}]_{:,\mathcal{R}}$ and $1^\top x_i
    x_i^\top = 1^\top y_{\sigma(i)} y_{\sigma(i)}^\top$ for all $i$. Suppose also that $\sum_i
    \partial_\beta^6 \partial_\gamma^4 \kappa_{X_i, Y_{\sigma(i)}}(0, 0) = \sum_i \partial_\beta^6
    \partial_\gamma^4 \kappa_{X_i, Y_i}(0, 0)$. Then $x_i x_i^\top = y_{\sigma(i)}
    y_{\sigma(i)}^\top$ for all $i$; so the templates are equivalent.""",
    NearMiss("the order (4, 2) is enough", templates("ααββ", "αβαβ"), {"order": 3}),
)


# --- Lemma 4.7 ------------------------------------------------------------------------------------
_PAIRINGS = templates("ααββ", "αβαβ", "αββα")


@claim(
    "boix2024.lemma-4.7",
    source="Lemma 4.7 = C.4 = F.1, through the derivatives of Appendix F; that inequivalent "
    "templates suffice is ours (printed: disjoint)",
    wording="our reading",
    category="lemma",
    cases=lambda max_length=3: (*subsets(max_length, 3, token_below=3), _PAIRINGS),
    boundary=_PAIRINGS,
    strategy=template_sets(min_size=2, max_size=3, max_length=4, tokens="A"),
    applies=before_cls,
    proof="proofs/boix2024/lemma-4.7.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("without the derivative of order 10", _PAIRINGS, {"stages": 4}),
        NearMiss("without CLS, the five derivatives", templates("αα", "αβ"), {"cls": False}),
    ],
)
def lemma_4_7(cases: Templates, stages: int = 5, cls: bool = True) -> Certificate | Fails:
    r"""The condition (9), $\sum_i K_{attn}(X_i, Y_i) \neq \sum_i K_{attn}(X_i, Y_{\sigma(i)})$ for
    every permutation $\sigma \neq \mathrm{id}$, holds for Lebesgue-almost any $\beta, \gamma$, for
    templates that end in CLS.

    For each $\sigma$ the two sums differ in one of the five derivatives of Appendix F at zero, of
    order at most 6 in $\beta$ and 4 in $\gamma$. (`symbench.positive-definite` has it for every
    $\beta, \gamma \neq 0$.)
    """
    at_most(len(cases), 6, "templates")
    closed, size = with_cls(cases) if cls else cases, range(len(cases))
    left = [s for s in permutations(size) if list(s) != list(size)]
    for at in STAGES[:stages]:
        if not left:
            break
        values = _coefficient(closed, at)
        if isinstance(values, Fails):
            return values
        diagonal = sum(values[i, i] for i in size)
        left = [s for s in left if sum(values[i, s[i]] for i in size) == diagonal]
    if left:
        return Fails(f"the permutation {left[0]} has the same sums in all of them")
    # The first stage after which no two templates agree in all invariants.
    apart = (n for n in range(5) if len(set(_groups(closed, range(n + 1)))) == len(cases))
    return _stage(cases, next(apart), cls=cls)
