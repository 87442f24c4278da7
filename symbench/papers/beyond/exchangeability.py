"""Symmetric moments of low order do not make a law symmetric."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import Any

from symbench.exact import Rational
from symbench.laws.base import Word, asymmetry
from symbench.laws.moments import hidden_triple, moment_residual, moment_witness
from symbench.papers._cases import at_most, drawn, integer, record
from symbench.papers.lavie2024.data import moment, residual
from symbench.registry import Fails, NearMiss, claim
from symbench.texts.symmetry import permutation_symmetry


def _even(count: int, length: int) -> list[Word]:
    """Words of bits whose first bits add up to an even number."""
    return [w for w in product((0, 1), repeat=length) if sum(w[:count]) % 2 == 0]


@claim(
    "symbench.second-moments-not-enough",
    source="Proposition of symbench: what the pair correlations of lavie2024's poster cannot see",
    category="proposition",
    cases=lambda max_length=5: (
        (order, length) for length in range(3, max_length + 1) for order in range(1, length - 1)
    ),
    boundary=(1, 3),
    strategy=drawn(
        lambda st: st.integers(3, 5).flatmap(lambda n: st.tuples(st.integers(1, n - 2), st.just(n)))
    ),
    applies=record(integer(1), integer(3), where=lambda order, length: order + 2 <= length),
    proof="proofs/lavie2024/exchangeability.md",
    near_misses=[
        NearMiss("all bits add up to an even number", (2, 3)),
        NearMiss("moments of one order more", (2, 4), {"further": 1}),
    ],
)
def second_moments_not_enough(case: tuple[int, int], further: int = 0) -> bool | Fails:
    r"""For $1 \le r \le L - 2$ the uniform law on words of $L$ bits with $x_1 + \dots + x_{r+1}$
    even has, at every $r$ positions, the moments of independent fair bits, and it is not
    exchangeable: the moments of order $r + 1$ depend on the positions. So symmetric second moments
    do not make a law symmetric ($r = 2$).
    """
    order, length = case
    at_most(length, 5, "positions")
    words = _even(order + 1, length)
    law = {word: Rational(1, len(words)) for word in words}
    if case == (2, 4) and law != hidden_triple():
        return Fails("hidden_triple is another law")
    for r in range(1, min(order + 2, 4 if length < 5 else 3)):
        if moment_residual(law, order=r) != residual(law, r):
            return Fails(f"the residual of order {r} is not {moment_residual(law, order=r)}")
    for places in permutations(range(length), order):
        for letters in product((0, 1), repeat=order):
            if moment(law, places, letters) != Fraction(1, 2**order):
                return Fails(f"{letters} at {places} are not independent fair bits")
    if moment_witness(law, order=order + further) is not None:
        return Fails(f"the moments of order {order + further} depend on the positions")
    seen = moment_witness(law, order=order + 1)
    if seen is None:
        return Fails(f"the moments of order {order + 1} do not depend on the positions")
    first, second, letters, p, q = seen
    found = [moment(law, [a - 1 for a in places], letters) for places in (first, second)]
    if found != [p, q] or p == q:
        return Fails(f"the witness says {p} and {q}, the law {found}")
    pair = asymmetry(law)
    if pair is None or law.get(pair[0], 0) == law.get(pair[1], 0) or _sorted(pair) != 1:
        return Fails(f"{pair} do not show that the law is not exchangeable")
    return _as_text(words, order)


def _sorted(pair: tuple[Word, Word]) -> int:
    """How many words these are, up to the order of their letters."""
    return len({tuple(sorted(word)) for word in pair})


def _as_text(words: list[Any], order: int) -> bool | Fails:
    """Whether a text of these windows passes the test of order r, and not that of order r + 1."""
    for r in (order, order + 1):
        report = permutation_symmetry(words, order=r, resamples=1)
        if (report.residual_squared == 0) != (r == order):
            return Fails(f"as a text it has the residual {report.residual_squared}, order {r}")
    return True
