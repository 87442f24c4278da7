"""The kernel limit of wide attention with many heads."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from symbench.kernels import linear_attention
from symbench.learning.networks import excess_kurtosis, finite_width_kernel
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Word, rational
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

# readout, two words, alpha, beta, key width, value width, how small the excess kurtosis is to be
Limit = tuple[str, Word, Word, Fraction, Fraction, int, int, Fraction]
_READOUTS = ("sum", "flatten", "last")
_HALF = Fraction(1, 2)


def _covariance(case: Limit, heads: int) -> Fraction:
    """The mean of f(x) f(y) for embeddings with the Gram matrix K: every pair of terms.

    f(x) is the sum over heads h, units i, j and positions a, c of w_hja q_hia k_hic v_hjc over the
    root of their number; different units or heads are independent.
    """
    readout, x, y, alpha, beta, keys, values, _ = case
    K = by_hand.embedded(x, y, alpha, beta)
    size, last = range(len(x)), len(x) - 1
    units = list(product(range(heads), range(keys), range(values)))
    total = Fraction(0)
    for (h, i, j), (g, m, n) in product(units, repeat=2):
        if (h, i, j) != (g, m, n):
            continue  # some factor has mean 0
        for a, b, c, d in product(size, repeat=4):
            read = readout == "sum" or (a == b and (readout == "flatten" or a == last))
            total += int(read) * K[a][b] * K[c][d] * K[c][d]
    return total / len(units)


def _limits(max_length: int = 3) -> Iterator[Limit]:
    for readout, (x, y) in product(_READOUTS, (((0, 1), (0, 0)), ((0, 0, 1), (1, 0, 2)))):
        if len(x) <= max_length:
            yield readout, x, y, Fraction(2), _HALF, 2, 3, Fraction(1, 1000)
    yield "sum", (0,), (0,), Fraction(1), Fraction(0), 1, 1, Fraction(1, 100)
    yield "flatten", (0, 1), (1, 2), Fraction(1), Fraction(1), 4, 1, Fraction(1, 10**6)


def _drawn_limit(st: Any) -> Any:
    positive = st.fractions(min_value=Fraction(1, 9), max_value=9, max_denominator=9)
    words = st.integers(1, 3).flatmap(
        lambda n: st.tuples(*[st.tuples(*[st.integers(0, 2)] * n)] * 2)
    )
    return st.tuples(
        st.sampled_from(_READOUTS), words, positive, positive, st.integers(1, 3),
        st.integers(1, 3), st.sampled_from([Fraction(1, 10), Fraction(1, 10**9)]),
    ).map(lambda t: (t[0], *t[1], *t[2:]))  # fmt: skip


@claim(
    "lavie2024.gaussian-limit",
    source='Poster, Theory: "Infinitely wide transformers (d_k, N_h -> oo) admit kernel limits"',
    category="claim",
    wording="our reading",
    cases=_limits,
    boundary=("sum", (0,), (0,), Fraction(1), Fraction(0), 1, 1, Fraction(1)),
    strategy=drawn(_drawn_limit),
    applies=record(
        one_of(*_READOUTS),
        many(integer(0)),
        many(integer(0)),
        number(0),
        number(0),
        integer(1),
        integer(1),
        number(above=0),
        where=lambda *case: len(case[1]) == len(case[2]) and case[3] + case[4] > 0,
    ),
    assumes=["symbench.excess-kurtosis"],
    proof="proofs/symbench/excess-kurtosis.md",
    near_misses=[
        NearMiss(
            "wide keys and values at any fixed number of heads: one",
            ("flatten", (0, 1), (0, 0), Fraction(1), Fraction(1), 2, 3, Fraction(1, 1000)),
            {"heads": 1, "wide": True},
        ),
        NearMiss(
            "wide keys and values at any fixed number of heads: a hundred",
            ("sum", (0, 0, 1), (0, 1, 1), Fraction(1), Fraction(1), 2, 3, Fraction(1, 1000)),
            {"heads": 100, "wide": True},
        ),
        NearMiss(
            "embeddings of width 1",
            ("flatten", (0, 1), (0, 0), Fraction(1), Fraction(1), 2, 3, Fraction(1, 1000)),
            {"width": 1},
        ),
    ],
)
def gaussian_limit(
    case: Limit, heads: int | None = None, wide: bool = False, width: int | None = None
) -> bool | Fails:
    r"""Printed: "Infinitely wide transformers ($d_k, N_h \to \infty$) admit kernel limits, where
    Bayesian inference is described by the regression with the NNGP kernel." Read as, for one layer
    of linear attention: for embeddings in the limit of wide ones the covariance of the outputs at
    two words is the kernel, at every number of heads and width of keys and values, embeddings of
    width $d$ change it by $O(1/d)$; and with $H \ge 78/\epsilon$ heads the excess kurtosis of the
    output is at most $\epsilon$, at every width: it tends to that of a Gaussian as $H \to \infty$.
    """
    readout, x, y, alpha, beta, keys, values, small = case
    at_most(len(x), 3, "positions")
    at_most(keys * values, 12, "units of a head")
    at_most(max(*x, *y), 10**9, "the largest token")
    kernel = linear_attention(alpha, beta, readout=readout)
    names = {token: "ABCDEF"[n] for n, token in enumerate(dict.fromkeys((*x, *y)))}
    value = kernel.value(*("".join(names[token] for token in word) for word in (x, y)))
    for count in (1, 2):
        if value != _covariance(case, count):
            return Fails(
                f"{count} heads have the covariance {_covariance(case, count)}, not {value}"
            )
    for d in (1, 2) if len(x) < 3 else (1,):
        exact = rational(alpha), rational(beta)
        network = by_hand.Network(x, y, *exact, readout, False, d).mean_product()
        if finite_width_kernel(kernel, x, y, width=d) != network:
            return Fails(f"embeddings of width {d} have the covariance {network}")
    limit = finite_width_kernel(kernel, x, y, width=width)
    if limit != value:
        return Fails(f"embeddings of width {width} have the covariance {limit}, not {value}")
    # The covariance is a polynomial of degree 2 in 1/d with this value at 0.
    one, two, far = (finite_width_kernel(kernel, x, y, width=d) for d in (1, 2, 10**6))
    slope = 4 * two - one - 3 * limit
    square = one - limit - slope
    if far != limit + slope / 10**6 + square / 10**12:
        return Fails(f"at width 10^6 the covariance is {far}")
    many = -(-78 // small) if heads is None else heads
    sizes: Any = {} if wide else {"value_width": values}
    for word in (x, y):
        found = excess_kurtosis(
            kernel, word, heads=int(many), key_width=None if wide else keys, **sizes
        )
        if not 0 <= found <= small:
            return Fails(f"{many} heads have the excess kurtosis {found}, above {small}")
    return True
