"""How far a finite network of linear attention is from a Gaussian process, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from symbench.exact import Rational
from symbench.kernels import linear_attention
from symbench.learning.networks import concentrations, excess_kurtosis
from symbench.papers._by_hand import Q, rational
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

# readout, word, alpha, beta, heads, key width, value width
Network = tuple[str, tuple[int, ...], Fraction, Fraction, int, int, int]
_ONE = Rational(1)
_READOUTS = ("sum", "flatten", "last")
_PAGE = "proofs/symbench/excess-kurtosis.md"
# Terms of the output in the fourth power; more are not multiplied out.
_TERMS = 40_000


_is_network = record(
    one_of(*_READOUTS),
    many(integer(0)),
    number(0),
    number(0),
    *[integer(1)] * 3,
    where=lambda *case: case[2] + case[3] > 0,
)


def _can_be_read(word: tuple[int, ...]) -> None:
    at_most(len(word), 10_000, "positions")
    at_most(max(word), 10**9, "the largest token")


def _by_pairings(case: Network) -> Rational:
    """The excess kurtosis from the definition: the fourth power of the output, multiplied out.

    The output is the sum over heads h, positions a, c and units i, j of
    w[h,j,a] q[h,i,a] k[h,i,c] v[h,j,c], a product of four independent Gaussian families; the
    mean of four variables of a family is a sum over three pairings.
    """
    readout, word, alpha, beta, heads, keys, values = case
    size, last = range(len(word)), len(word) - 1

    def embedded(a: int, b: int) -> Q:
        return rational(alpha * (word[a] == word[b]) + beta * (a == b))

    def read(a: int, b: int) -> Q:
        return Q(int(readout == "sum" or (a == b and (readout == "flatten" or a == last))))

    terms = list(product(range(heads), range(keys), range(values), size, size))
    families = [
        (read, [((h, j), a) for h, _, j, a, _ in terms]),
        (embedded, [((h, i), a) for h, i, _, a, _ in terms]),
        (embedded, [((h, i), c) for h, i, _, _, c in terms]),
        (embedded, [((h, j), c) for h, _, j, _, c in terms]),
    ]
    tables = [
        [[base(s, t) if x == y else Q(0) for y, t in names] for x, s in names]
        for base, names in families
    ]
    count = range(len(terms))
    second = sum((prod(m[s][t] for m in tables) for s in count for t in count), Q(0))
    fourth = Q(0)
    for s, t, u, v in product(count, repeat=4):
        factor = Q(1)
        for m in tables:
            factor *= m[s][t] * m[u][v] + m[s][u] * m[t][v] + m[s][v] * m[t][u]
            if not factor:
                break
        fourth += factor
    found = fourth / second**2 - 3
    return Rational(int(found.p), int(found.q))


def _networks(max_terms: int = 9) -> Iterator[Network]:
    for word in ((0,), (0, 0), (0, 1), (0, 1, 1)):
        for heads, keys, values in product((1, 2, 4), repeat=3):
            # 9 terms have a fourth power of 6,561 for each readout: once is enough.
            if heads * keys * values * len(word) ** 2 <= min(max_terms, 4 + 5 * (len(word) > 2)):
                # A word of one token is the same for every readout.
                for readout in _READOUTS if len(word) > 1 else ("sum",):
                    yield readout, word, _ONE, Rational(1, 2), heads, keys, values
    yield "flatten", (0,), _ONE, Rational(0), 2, 1, 2


def _drawn_network(st: Any) -> Any:
    number = st.fractions(min_value=0, max_value=3, max_denominator=5)
    small = st.sampled_from(
        [((0,), 1, 1, 1), ((0,), 1, 3, 1), ((0,), 2, 1, 2), ((0, 0), 1, 1, 1), ((0, 1), 1, 1, 1)]
    )
    cases = st.tuples(st.sampled_from(_READOUTS), small, number, number).map(
        lambda t: (t[0], t[1][0], t[2], t[3], *t[1][1:])
    )
    return cases.filter(_is_network)


@claim(
    "symbench.excess-kurtosis",
    source="Theorem of symbench: how fast the heads of lavie2024's network become Gaussian",
    category="theorem",
    cases=_networks,
    boundary=("flatten", (0,), _ONE, Rational(0), 1, 1, 1),
    strategy=drawn(_drawn_network),
    applies=_is_network,
    proof=_PAGE,
    formerly=["lavie2024.gaussian-limit-repaired"],
    near_misses=[
        NearMiss(
            "the limit of wide keys at a finite width",
            ("flatten", (0, 1), _ONE, _ONE, 1, 1, 1),
            {"key_width": None, "value_width": None},
        ),
        NearMiss(
            "1/H^2 in place of 1/H",
            ("sum", (0,), _ONE, _ONE, 2, 1, 1),
            {"heads": 4},
        ),
        NearMiss(
            "without the readout: r = 1",
            ("flatten", (0, 1), _ONE, _ONE, 1, 1, 1),
            {"readout": "sum"},
        ),
    ],
)
def excess(case: Network, readout: str | None = None, **sizes: int | None) -> bool | Fails:
    r"""For embeddings with the Gram matrix $K$ the output of linear attention with $H$ heads at a
    word has the excess kurtosis
    $$\frac6H \Bigl[rc + (r + c + rc)\Bigl(\frac1{d_k} + \frac1{d_v}\Bigr)
    + \frac{1 + r + c + 3rc}{d_k d_v}\Bigr], \quad
    r = \frac{\mathrm{tr}(WKWK)}{(\mathrm{tr}\,WK)^2}, \quad
    c = \frac{\mathrm{tr}\,K^4}{(\mathrm{tr}\,K^2)^2},$$
    with $\frac1L \le r, c \le 1$. It goes to 0 as $1/H$ at all widths, and at fixed $H$ for no
    width; the heads are independent, so the limit $H \to \infty$ is Gaussian. Checked against the
    fourth power of the output multiplied out, every term by its pairings.
    """
    _can_be_read(case[1])
    at_most((case[4] * case[5] * case[6] * len(case[1]) ** 2) ** 4, _TERMS, "terms of f^4")
    name, word, alpha, beta, heads, keys, values = case
    kernel = linear_attention(alpha, beta, readout=name if readout is None else readout)
    widths: Any = {"heads": heads, "key_width": keys, "value_width": values, **sizes}
    found, wanted = excess_kurtosis(kernel, word, **widths), _by_pairings(case)
    if found != wanted:
        return Fails(f"the excess kurtosis is {wanted}, not {found}")
    least = Fraction(1, len(word))
    if not all(least <= x <= 1 for x in concentrations(kernel, word)):
        return Fails("r or c is not between 1/L and 1")
    many = excess_kurtosis(kernel, word, **{**widths, "heads": heads * 10**6})
    return many * 10**6 == found or Fails("it does not fall as 1/H")
