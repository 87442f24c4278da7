"""When a finite network of linear attention is a Gaussian process: many heads, not wide ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.kernels import linear_attention
from symbench.learning.networks import concentrations, excess_kurtosis
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

# readout, word, alpha, beta, heads, key width, value width
Network = tuple[str, tuple[int, ...], Fraction, Fraction, int, int, int]
# readout, word, alpha, beta, heads
Limit = tuple[str, tuple[int, ...], Fraction, Fraction, int]
_ONE = Rational(1)
_READOUTS = ("sum", "flatten", "last")
_PAGE = "proofs/lavie2024/gaussian-limit.md"
# Terms of the output in the fourth power; more are not multiplied out.
_TERMS = 40_000


def _kernel(case: Network | Limit) -> Any:
    return linear_attention(case[2], case[3], readout=case[0])


_LIMIT = (one_of(*_READOUTS), many(integer(0)), number(0), number(0), integer(1))
_is_network = record(*_LIMIT, integer(1), integer(1), where=lambda *case: case[2] + case[3] > 0)


def _can_be_read(word: tuple[int, ...]) -> None:
    at_most(len(word), 10_000, "positions")
    at_most(max(word), 10**9, "the largest token")


# --- wide heads -----------------------------------------------------------------------------------
@claim(
    "lavie2024.gaussian-limit",
    source="The limit of the Gaussian process, read as one of wide heads, however few",
    category="claim",
    cases=[
        (readout, word, _ONE, _ONE, heads)
        for readout in _READOUTS
        for word in ((0,), (0, 1), (0, 0, 1, 2))
        for heads in (1, 8, 10**6)
    ],
    boundary=("flatten", (0,), _ONE, Rational(0), 1),
    applies=record(*_LIMIT, where=lambda *case: case[2] + case[3] > 0),
    expected="fails",
    repaired_by="lavie2024.gaussian-limit-repaired",
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "keys of width 4 and wide values",
            ("flatten", (0, 1), _ONE, _ONE, 1),
            {"keys": 4, "values": 10**30},
        ),
        NearMiss(
            "wide keys and values of width 4",
            ("sum", (0, 0, 1), _ONE, _ONE, 1),
            {"keys": 10**30, "values": 4},
        ),
    ],
)
def wide_heads(case: Limit, keys: int | None = None, values: int | None = None) -> bool | Fails:
    r"""Linear attention with $H$ heads and the factor $1/\sqrt{d_k}$ tends to a Gaussian process
    as the widths $d_k = d_v$ of keys and values go to infinity, at any fixed $H$. Refuted by the
    fourth moment: for embeddings with the Gram matrix $K$, and $W$ the matrix of the readout, the
    excess kurtosis of the output at a word tends to
    $$\frac6H \cdot \frac{\mathrm{tr}(WKWK)}{(\mathrm{tr}\,WK)^2} \cdot
    \frac{\mathrm{tr}\,K^4}{(\mathrm{tr}\,K^2)^2} > 0.$$
    The output is a polynomial of fixed degree in Gaussian variables, so its moments converge with
    its law.
    """
    _can_be_read(case[1])
    sizes: Any = {"heads": case[4], "key_width": keys, "value_width": values}
    excess = excess_kurtosis(_kernel(case), case[1], **sizes)
    return excess == 0 or Fails(f"the excess kurtosis is {excess}, and 0 for a Gaussian")


# --- many heads -----------------------------------------------------------------------------------
def _by_pairings(case: Network) -> Rational:
    """The excess kurtosis from the definition: the fourth power of the output, multiplied out.

    The output is the sum over heads h, positions a, c and units i, j of
    w[h,j,a] q[h,i,a] k[h,i,c] v[h,j,c], a product of four independent Gaussian families; the
    mean of four variables of a family is a sum over three pairings.
    """
    readout, word, alpha, beta, heads, keys, values = case
    size, last = range(len(word)), len(word) - 1

    def embedded(a: int, b: int) -> Fraction:
        return Fraction(alpha * (word[a] == word[b]) + beta * (a == b))

    def read(a: int, b: int) -> Fraction:
        return Fraction(readout == "sum" or (a == b and (readout == "flatten" or a == last)))

    terms = list(product(range(heads), range(keys), range(values), size, size))
    families = [
        (read, [((h, j), a) for h, _, j, a, _ in terms]),
        (embedded, [((h, i), a) for h, i, _, a, _ in terms]),
        (embedded, [((h, i), c) for h, i, _, _, c in terms]),
        (embedded, [((h, j), c) for h, _, j, _, c in terms]),
    ]
    tables = [
        [[base(s, t) if x == y else Fraction(0) for y, t in names] for x, s in names]
        for base, names in families
    ]
    count = range(len(terms))
    second = sum((prod(m[s][t] for m in tables) for s in count for t in count), Fraction(0))
    fourth = Fraction(0)
    for s, t, u, v in product(count, repeat=4):
        factor = Fraction(1)
        for m in tables:
            factor *= m[s][t] * m[u][v] + m[s][u] * m[t][v] + m[s][v] * m[t][u]
            if not factor:
                break
        fourth += factor
    return Rational(fourth / second**2 - 3)


def _networks(max_terms: int = 4) -> Iterator[Network]:
    for word in ((0,), (0, 0), (0, 1)):
        for heads, keys, values in product((1, 2, 4), repeat=3):
            if heads * keys * values * len(word) ** 2 <= max_terms:
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


def _agrees(case: Network, found: Rational) -> bool | Fails:
    if (case[4] * case[5] * case[6] * len(case[1]) ** 2) ** 4 > _TERMS:
        raise Undecided(f"{case} has too many terms to be multiplied out")
    wanted = _by_pairings(case)
    return found == wanted or Fails(f"the excess kurtosis is {wanted}, not {found}")


def _found(case: Network, **changed: Any) -> Rational:
    sizes = {"heads": case[4], "key_width": case[5], "value_width": case[6]}
    return excess_kurtosis(_kernel(case), case[1], **{**sizes, **changed})


@claim(
    "lavie2024.gaussian-limit-repaired",
    source="What replaces it: the excess kurtosis of linear attention in closed form",
    category="theorem",
    cases=_networks,
    boundary=("flatten", (0,), _ONE, Rational(0), 1, 1, 1),
    strategy=drawn(_drawn_network),
    applies=_is_network,
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "the limit of wide keys at a finite width",
            ("flatten", (0, 1), _ONE, _ONE, 1, 1, 1),
            lambda case: _agrees(case, _found(case, key_width=None, value_width=None)),
        ),
        NearMiss(
            "1/H^2 in place of 1/H",
            ("sum", (0,), _ONE, _ONE, 2, 1, 1),
            lambda case: _agrees(case, Rational(_found(case) / case[4])),
        ),
        NearMiss(
            "without the readout: r = 1",
            ("flatten", (0, 1), _ONE, _ONE, 1, 1, 1),
            lambda case: _agrees(case, _found(("sum", *case[1:]))),
        ),
    ],
)  # fmt: skip
def many_heads(case: Network) -> bool | Fails:
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
    outcome = _agrees(case, _found(case))
    if not outcome:
        return outcome
    least = Fraction(1, len(case[1]))
    if not all(least <= x <= 1 for x in concentrations(_kernel(case), case[1])):
        return Fails("r or c is not between 1/L and 1")
    many = _found(case, heads=case[4] * 10**6)
    return many * 10**6 == _found(case) or Fails("it does not fall as 1/H")
