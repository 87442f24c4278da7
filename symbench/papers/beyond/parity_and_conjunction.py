"""How a conjunction of s bits spreads over the irreducibles as T grows, and parity beside it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, factorial

from flint import arb

from symbench.exact.precision import working_precision
from symbench.laws import Iid
from symbench.learning.orbit_average import orbit_average
from symbench.learning.targets import conjunction
from symbench.papers._cases import at_most, drawn, integer, number, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young import Partition

# T, s, the chance of a one.
Case = tuple[int, int, Fraction]
_WRITTEN_OUT = 6  # positions whose permutations are gone through


def _fixed_sets(g: tuple[int, ...], size: int) -> int:
    """How many sets of so many positions a permutation maps to themselves."""
    if size < 0:
        return 0
    return sum({g[a] for a in places} == {*places} for places in combinations(range(len(g)), size))


def _by_characters(T: int, s: int, p: Fraction) -> list[Fraction]:
    """The weights by averaging <f, gf> = p^(size of the union) against the characters."""
    weights = [Fraction(0)] * (min(s, T - s) + 1)
    for g in permutations(range(T)):
        product = p ** len({*range(s)} | {g[a] for a in range(s)})
        for m in range(len(weights)):
            character = _fixed_sets(g, m) - _fixed_sets(g, m - 1)
            weights[m] += Partition(T - m, m).dim * character * product / factorial(T)
    return weights


def _cases() -> Iterator[Case]:
    for p in (Fraction(1, 2), Fraction(4, 5)):
        for T, s in (
            (2, 1),
            (4, 1),
            (4, 2),
            (5, 2),
            (6, 3),
            (10, 3),
            (100, 3),
            (10**6, 3),
            (60, 7),
        ):
            yield T, s, p


@claim(
    "symbench.parity-against-and",
    source="Theorem of symbench: why kernels learn most of a conjunction, and nothing of parity",
    category="theorem",
    cases=_cases,
    boundary=(2, 1, Fraction(1, 2)),
    strategy=drawn(
        lambda st: st.integers(1, 5).flatmap(
            lambda s: st.tuples(
                st.integers(2 * s, 10**4),
                st.just(s),
                st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)]),
            )
        )
    ),
    applies=record(
        integer(2), integer(1), number(above=0, below=1), where=lambda T, s, _: 2 * s <= T
    ),
    assumes=["symbench.kernel-lower-bound"],
    proof="proofs/symbench/parity-against-and.md",
    near_misses=[
        NearMiss("the limit at a finite T", (10, 3, Fraction(4, 5)), {"slack": 0}),
    ],
)
def parity_against_and(case: Case, slack: int = 1) -> bool | Fails:
    r"""The conjunction of $s$ of $T \ge 2s$ independent bits that are 1 with chance $p$ has in the
    irreducible $(T - m, m)$ a weight within $\frac{p^s (s + 1)^2}{4 (T - 2s + 2)}$ of
    $p^s \binom{s}{m} (1 - p)^m p^{s - m}$, its limit for $T \to \infty$. If $p^s = \frac12$ and
    $s \to \infty$ as well, the part of the variance at level $m$ tends to $(\ln 2)^m / m!$: 69%,
    24%, 6%, 1%. All of the parity of $s$ fair bits is at the levels up to $s$, with
    $1 - O(s/T)$ of it at $s$. So kernel regression cannot leave less than 31% of the variance of a
    conjunction with fewer than about $T$ samples, 7% with $T^2/2$, and learns nothing of a parity
    with fewer than $\binom{T}{s}$. Weights are compared with characters for $T \le 6$.
    """
    T, s, p = case
    at_most(s, 60, "bits")
    found = orbit_average(conjunction(s), length=T, law=Iid(1 - p, p)).weights
    listed = [found.get(Partition(T - m, m), Fraction(0)) for m in range(min(s, T - s) + 1)]
    if sum(listed) != p**s:
        return Fails(f"the weights add up to {sum(listed)}")
    if T <= _WRITTEN_OUT and listed != _by_characters(T, s, p):
        return Fails(f"the weights are {listed}")
    room = slack * p**s * Fraction((s + 1) ** 2, 4 * max(T - 2 * s + 2, 1))
    for m, weight in enumerate(listed):
        limit = p**s * comb(s, m) * (1 - p) ** m * p ** (s - m)
        if abs(weight - limit) > room:
            return Fails(f"level {m}: the weight is {weight}, the limit {limit}")
    return _tends_to_powers_of_ln_2(s)


def _tends_to_powers_of_ln_2(s: int) -> bool | Fails:
    """Whether C(s, m) (2^(1/s) - 1)^m is within m^2/s of (ln 2)^m / m!, for the first levels."""
    with working_precision(128):
        ln2, odds = arb(2).log(), arb(2) ** (arb(1) / s) - 1
        for m in range(1, min(s, 4) + 1):
            part, limit = comb(s, m) * odds**m, ln2**m / factorial(m)
            if abs(part - limit) > arb(m * m) / s:
                return Fails(f"level {m} of {s} bits has {part.str(5, radius=False)}")
    return True
