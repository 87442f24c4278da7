"""How many samples tell sparse functions apart: the lower bound, and the experiments' protocol."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import Any

from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.sparse.information import (
    KINDS,
    certain_identification,
    expected_rivals,
    samples_to_identify,
    version_space,
)

# T, s, and the constant K of a bound.
Bound = tuple[int, int, int]
_is_bound = record(integer(1), integer(1), integer(1), where=lambda T, s, _: s <= T)
_LONG = 100_000  # bits of the powers that are compared


def _at_least(case: Bound, over: bool) -> bool | Fails:
    """Whether 2^(K m) >= T^s, or (T/s)^s, for the least m with 2^m >= C(T, s)."""
    T, s, factor = case
    at_most(s * T.bit_length() * factor, _LONG, "bits")
    m = certain_identification(T, s)
    if 2**m < comb(T, s) or (m and 2 ** (m - 1) >= comb(T, s)):
        return Fails(f"2^{m} is not the first power of two that is at least C({T}, {s})")
    base = Fraction(T, s) if over else Fraction(T)
    return 2 ** (factor * m) >= base**s or Fails(
        f"{m} labels tell all C({T}, {s}) = {comb(T, s)} sets apart: less than s log(T) / {factor}"
    )


@claim(
    "edelman2022.lower-bound",
    source="Section 5: learning s-sparse functions of T bits takes Omega(s log T) samples",
    wording="reconstructed",
    category="claim",
    cases=[(2, 2, 1), (50, 50, 100), (400, 399, 10), (300, 3, 1)],
    boundary=(2, 2, 1),
    strategy=drawn(
        lambda st: st.integers(1, 60).flatmap(
            lambda T: st.tuples(st.just(T), st.integers(1, T), st.integers(1, 9))
        )
    ),
    applies=_is_bound,
    expected="fails",
    repaired_by="edelman2022.lower-bound-repaired",
    near_misses=[
        NearMiss("all bits but one", (400, 399, 10), {}),
    ],
    controls=[
        Control("three of 300 bits", (300, 3, 2)),
        Control("s log(T/s) instead", (50, 50, 1), {"over": True}),
    ],
)
def lower_bound(case: Bound, over: bool = False) -> bool | Fails:
    r"""There is a constant $K$ such that for all $s \le T$ the number of binary labels that tell
    all sets of $s$ out of $T$ bits apart is at least $s \log_2(T) / K$. Refuted by $s = T$: there
    is one such set, and no label is needed, whatever $K$. (For $s \le \sqrt T$ it is true.)
    """
    return _at_least(case, over)


@claim(
    "edelman2022.lower-bound-repaired",
    source="Section 5, with s log(T/s)",
    wording="our reading",
    category="claim",
    cases=lambda max_length=24: (
        (T, s, 1) for T in range(1, max_length + 1) for s in range(1, T + 1)
    ),
    boundary=(2, 2, 1),
    strategy=drawn(
        lambda st: st.integers(1, 300).flatmap(
            lambda T: st.tuples(st.just(T), st.integers(1, T), st.just(1))
        )
    ),
    applies=lambda case: _is_bound(case) and case[2] == 1,
    near_misses=[
        NearMiss("s log T", (5, 5, 1), {"over": False}),
    ],
)
def lower_bound_repaired(case: Bound, over: bool = True) -> bool | Fails:
    r"""The number of binary labels that tell all sets of $s$ out of $T$ bits apart is at least
    $\lceil \log_2 \binom{T}{s} \rceil \ge s \log_2 (T/s)$.
    """
    return _at_least(case, over)


# --- the protocol of the experiments --------------------------------------------------------------
# The kind, T, s, m, p.
Protocol = tuple[str, int, int, int, Fraction]


def _value(kind: str, word: tuple[int, ...], places: tuple[int, ...]) -> int:
    bits = [word[a] for a in places]
    if kind == "parity":
        return sum(bits) % 2
    return min(bits) if kind == "and" else max(bits)


def _protocols() -> Iterator[Protocol]:
    for kind, p in product(KINDS, (Fraction(1, 2), Fraction(3, 4))):
        for T, s, m in ((3, 1, 2), (4, 2, 2), (3, 2, 3), (4, 3, 1), (5, 2, 1)):
            yield kind, T, s, m, p


@claim(
    "edelman2022.information-limits",
    source="Section 6 and appendix C: random training sets, consistent hypotheses",
    wording="our reading",
    category="claim",
    cases=_protocols,
    boundary=("and", 1, 1, 1, Fraction(1, 2)),
    strategy=drawn(
        lambda st: st.tuples(st.sampled_from(KINDS), st.integers(1, 4)).flatmap(
            lambda kt: st.tuples(
                st.just(kt[0]),
                st.just(kt[1]),
                st.integers(1, kt[1]),
                st.integers(0, 2),
                st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)]),
            )
        )
    ),
    applies=record(
        one_of(*KINDS), integer(1), integer(1), integer(0), number(above=0, below=1),
        where=lambda _, T, s, *__: s <= T,
    ),
    near_misses=[
        NearMiss("rivals agree on half of all words", ("and", 4, 2, 2, Fraction(1, 2)),
                 {"independent": True}),
    ],
)  # fmt: skip
def information_limits(case: Protocol, independent: bool = False) -> bool | Fails:
    r"""The labels are the conjunction, disjunction or parity of $s$ of $T$ independent bits that
    are 1 with chance $p$. The mean number of other sets of $s$ bits that are consistent with $m$
    samples, over all $2^{Tm}$ training sets with their probabilities, is
    $\sum_{j < s} \binom{s}{j} \binom{T - s}{s - j} a_j^m$, $a_j$ the chance that two functions with
    $j$ common bits agree; the least $m$ with at most $\frac15$ is found by `samples_to_identify`.
    """
    kind, T, s, m, p = case
    at_most(T * m, 12, "bits of a training set")
    words = list(product((0, 1), repeat=T))
    chance = {w: prod(p if b else 1 - p for b in w) for w in words}
    true = tuple(range(s))
    if independent:
        wanted = Fraction(comb(T, s) - 1, 2**m)
    else:
        wanted = Fraction(0)
        for sample in product(words, repeat=m):
            labels = [_value(kind, w, true) for w in sample]
            consistent = _consistent(kind, sample, labels, T, s)
            if m and version_space(sample, labels, kind, s) != consistent:
                return Fails(f"the sets consistent with {sample} are {consistent}")
            wanted += prod(chance[w] for w in sample) * (len(consistent) - 1)
    found = expected_rivals(kind, T, s, m, p=p)
    if found != wanted:
        return Fails(f"{wanted} rivals are expected, not {found}")
    least = samples_to_identify(kind, T, s, p=p)
    rivals = [expected_rivals(kind, T, s, n, p=p) for n in range(max(least - 1, 0), least + 1)]
    few = [bool(r <= Fraction(1, 5)) for r in rivals if isinstance(r, Fraction)]
    right = few == [False] * (least > 0) + [True]
    return right or Fails(f"{least} samples are not the least")


def _consistent(
    kind: str, sample: Any, labels: list[int], T: int, s: int
) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(a + 1 for a in places)
        for places in combinations(range(T), s)
        if all(_value(kind, w, places) == y for w, y in zip(sample, labels, strict=True))
    )


@claim(
    "edelman2022.figures",
    source="Figures 2 to 4: the sample complexity of trained transformers, sparse parities",
    wording="quoted",
    category="observation",
    expected="undecided",
    why="it needs thousands of transformers trained at scale; `sparse.identification` has the "
    "information limits of the same protocol",
)
def figures(case: None) -> None:
    r"""Main experimental finding: the sample complexity of learning a 3-sparse AND function of $T$
    input bits with Transformers. For each $T$, we measure the smallest sample size $m$ necessary to
    reach 100% validation accuracy on $\ge 80\%$ of random trials. We find that this threshold
    scales logarithmically with $T$.
    """
