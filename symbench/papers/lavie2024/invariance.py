"""The kernel of a transformer does not change when positions are permuted in both words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import linear_attention, softmax_attention
from symbench.kernels.activations.sigmoids import Sigmoid
from symbench.kernels.positions import PositionalAttention
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.papers.lavie2024 import _definitions as definitions
from symbench.papers.lavie2024._definitions import Letters, diagonal, words
from symbench.registry import Fails, NearMiss, claim
from symbench.young import Action, block_form

PROOF = "proofs/lavie2024/trace-bound.md"
READOUTS = ("sum", "flatten")
_HALF = Fraction(1, 2)


def _text(word: Letters) -> str:
    return "".join("ABCDEFGH"[letter] for letter in word)


def _swapped(word: Letters, i: int) -> Letters:
    return (*word[:i], word[i + 1], word[i], *word[i + 2 :])


# --- linear attention -------------------------------------------------------------------------
# (readout, causal mask, layers, length, vocabulary)
Attention = tuple[str, bool, int, int, int]


def _attention_cases(max_length: int = 4) -> Iterator[Attention]:
    for readout, layers in product(READOUTS, (1, 2)):
        for length in range(1, max_length + 1):
            yield readout, False, layers, length, 2
        yield readout, False, layers, min(max_length, 3), 3
    yield "flatten", False, 3, min(max_length, 3), 2


@claim(
    "lavie2024.invariance",
    source='Poster, Theory: "the permutation symmetry present in transformer models with learned '
    'positional encoding"; for linear attention',
    wording="our reading",
    category="proposition",
    cases=_attention_cases,
    boundary=("sum", False, 1, 1, 2),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(READOUTS),
            st.just(False),
            st.integers(1, 2),
            st.integers(1, 3),
            st.integers(1, 3),
        )
    ),
    applies=record(one_of(*READOUTS), one_of(False), integer(1), integer(1), integer(1)),
    proof=PROOF,
    near_misses=[
        NearMiss("a causal mask", ("sum", True, 1, 2, 2)),
        NearMiss("a causal mask, three positions", ("flatten", True, 2, 3, 2)),
        NearMiss("only the last position is read", ("last", False, 1, 2, 2)),
        NearMiss(
            "positional embeddings of different variances",
            ("flatten", False, 1, 3, 2),
            {"variance": lambda a: a + 1},
        ),
    ],
)
def invariance(
    case: Attention, variance: Callable[[int], int] | None = None
) -> Certificate | Fails:
    r"""With no causal mask, positional vectors that are independent and of one law, and a readout
    that treats positions alike (sum or flatten), the kernel of linear attention at initialisation
    has $k(gx, gy) = k(x, y)$ for every permutation $g$ of positions. The kernel is computed from
    $K_{ab}$, layer by layer, with all sums over positions multiplied out, for $\alpha = 2$,
    $\beta = 3$; the library's closed form is the same number for every pair of words.
    """
    # It is enough to exchange neighbours.
    readout, causal, layers, length, vocabulary = case
    at_most(layers, 8, "layers")
    at_most(length, 8, "positions")
    at_most(vocabulary, 8, "tokens")
    at_most(vocabulary**length, 256, "words")
    positions = diagonal(3, length)
    kernel: Any = linear_attention(2, 3, readout=readout, layers=layers, causal=causal)
    if variance is not None:
        positions = [[c * variance(a) for c in row] for a, row in enumerate(positions)]
        kernel = PositionalAttention(2, positions, readout=readout, layers=layers)
    every = words(length, vocabulary)
    value: dict[tuple[Letters, Letters], Any] = {}
    for x, y in product(every, repeat=2):
        if (y, x) in value:
            value[x, y] = value[y, x]
        else:
            value[x, y] = definitions.linear(x, y, 2, positions, readout, layers, causal)
        found = kernel.value(_text(x), _text(y))
        if found != value[x, y]:
            return Fails(f"k({_text(x)}, {_text(y)}) = {value[x, y]}, the library has {found}")
    for (x, y), here in value.items():
        for i in range(length - 1):
            there = value[_swapped(x, i), _swapped(y, i)]
            if here != there:
                return Fails(
                    f"k({_text(x)}, {_text(y)}) = {here}, and with positions {i + 1}, {i + 2} "
                    f"exchanged it is {there}"
                )
    gram = Matrix([[value[x, y] for y in every] for x in every], QQ)
    return block_certificate(block_form(Action.words(length, vocabulary), gram), gram)


# --- softmax attention ------------------------------------------------------------------------
# (how it is known, readout, length, vocabulary, alpha, beta, scale)
Softmax = tuple[str, str, int, int, Fraction, Fraction, Fraction]
_ROADS = ("series", "two positions", "balanced")
# Digits that floats are asked for, and the order of the series.
_DIGITS, _ORDER = 6, 4


def _softmax_fits(
    road: str, readout: str, length: int, vocabulary: int, alpha: Any, beta: Any, scale: Any
) -> bool:
    if road == "two positions":
        return length == 2 and beta > 0
    if road == "balanced":
        return length % 2 == 0 and vocabulary == 2 and beta == 0
    return bool(scale * (alpha + beta) <= Fraction(1, 8))


def _softmax_cases() -> Iterator[Softmax]:
    one, none, small = Fraction(1), Fraction(0), Fraction(1, 16)
    yield "series", "flatten", 3, 2, _HALF, _HALF, small
    yield "series", "sum", 4, 2, one, none, small
    yield "series", "flatten", 3, 3, one, none, small
    yield "two positions", "sum", 2, 2, one, one, one
    yield "balanced", "flatten", 4, 2, one, none, one
    yield "balanced", "sum", 6, 2, _HALF, none, Fraction(2)


def _drawn_softmax(st: Any) -> Any:
    numbers = st.fractions(Fraction(1, 4), 2, max_denominator=4)
    return st.tuples(
        st.just("two positions"), st.sampled_from(READOUTS), st.just(2), st.integers(1, 2),
        numbers, numbers, numbers,
    )  # fmt: skip


@claim(
    "lavie2024.invariance-softmax",
    source='Poster, Theory: "the permutation symmetry present in transformer models with learned '
    'positional encoding"; for softmax attention',
    wording="our reading",
    category="proposition",
    cases=_softmax_cases,
    boundary=("series", "flatten", 1, 2, _HALF, _HALF, Fraction(1, 16)),
    strategy=drawn(_drawn_softmax),
    applies=record(
        one_of(*_ROADS),
        one_of(*READOUTS),
        integer(1),
        integer(1),
        number(above=0),
        number(0),
        number(above=0),
        where=_softmax_fits,
    ),
    proof=PROOF,
    near_misses=[
        NearMiss(
            "only the last position is read",
            ("series", "last", 3, 2, _HALF, _HALF, Fraction(1, 16)),
        ),
        NearMiss(
            "a causal mask",
            ("series", "flatten", 3, 2, _HALF, _HALF, Fraction(1, 16)),
            {"causal": True},
        ),
        NearMiss(
            "all pairs of positions read where equal ones are meant",
            ("two positions", "flatten", 2, 2, Fraction(1), Fraction(1), Fraction(1)),
            {"readout_of": lambda readout: "sum"},
        ),
    ],
)
def softmax_invariance(
    case: Softmax,
    causal: bool = False,
    readout_of: Callable[[str], str] = lambda readout: readout,
) -> bool | Fails:
    r"""With no causal mask, positional vectors that are independent and of one law, and a readout
    that treats positions alike, the kernel of many heads of softmax attention has
    $k(gx, gy) = k(x, y)$. It is
    $\mathbb{E}[\sum_{cd} \mathrm{softmax}(s_a)_c K_{cd}\, \mathrm{softmax}(s'_b)_d]$ for Gaussian
    scores of covariance $t^2 K_{ab} K_{cd}$, added up over what is read. From this definition:
    exact series in $t$ with a bound of the rest, equal on words whose positions are permuted
    alike; at two positions, and on balanced words of two letters without positional vectors, balls
    by Gaussian means of two sigmoids. The library's floats lie in these.
    """
    road, readout, length, vocabulary, alpha, beta, scale = case
    at_most(length, 8, "positions")
    at_most(vocabulary**length, 100, "words")
    every = words(length, vocabulary)
    kernel = softmax_attention(
        Rational(alpha), Rational(beta), readout=readout_of(readout), scale=Rational(scale)
    )
    if road != "series":
        one = _of_two_positions if road == "two positions" else _of_balanced_words
        pairs = [
            (x, y)
            for x, y in product(every, repeat=2)
            if road == "two positions" or 2 * sum(x) == 2 * sum(y) == length
        ]
        exact = [one(x, y, case) for x, y in pairs]
        return _floats_within(kernel, pairs, exact)
    at_most(length, 5, "positions of a series")
    seen: dict[Any, tuple[Letters, Letters]] = {}
    for x, y in combinations(every, 2):
        seen.setdefault(tuple(sorted(zip(x, y, strict=True))), (x, y))
    chosen = [(x, x) for x in every[: 2 * vocabulary]] + list(seen.values())[:: 1 + vocabulary // 3]
    found: list[tuple[Letters, Letters]] = []
    for k, (x, y) in enumerate(chosen):
        here = _coefficients(x, y, case, causal)
        for i in range(length - 1):
            gx, gy = _swapped(x, i), _swapped(y, i)
            if (gx, gy) != (x, y) and (k + i) % 3 == 0:
                there = _coefficients(gx, gy, case, causal)
                if here != there:
                    return Fails(
                        f"k({_text(x)}, {_text(y)}) has the series {_series_text(here)}, and with "
                        f"positions {i + 1}, {i + 2} exchanged {_series_text(there)}"
                    )
        found.append((x, y))
    asked = found[:: 4 if vocabulary == 2 else 12]
    balls = [definitions.softmax_ball(x, y, alpha, beta, scale, readout, _ORDER) for x, y in asked]
    return _floats_within(kernel, asked, balls)


def _series_text(series: list[Fraction]) -> str:
    return ", ".join(map(str, series[::2]))


def _coefficients(x: Letters, y: Letters, case: Softmax, causal: bool) -> list[Fraction]:
    """The series of the kernel, added up over what is read."""
    _, readout, length, _, alpha, beta, _ = case
    total = [Fraction(0)] * (_ORDER + 1)
    if causal:  # flatten: query a sees the keys up to its own
        for a in range(length):
            between = alpha * (x[a] == y[a]) + beta
            seen = x[: a + 1], y[: a + 1]
            series = definitions.softmax_series(*seen, between, alpha, beta, _ORDER)
            total = [t + c for t, c in zip(total, series, strict=True)]
        return total
    for between, times in definitions.queries(x, y, alpha, beta, readout).items():
        series = definitions.softmax_series(x, y, between, alpha, beta, _ORDER)
        total = [t + times * c for t, c in zip(total, series, strict=True)]
    return total


def _of_two_positions(x: Letters, y: Letters, case: Softmax) -> flint.arb:
    """Softmax over two positions is a sigmoid of the difference of the scores."""
    _, readout, _, _, alpha, beta, scale = case
    K, left, right = (
        definitions.covariance(u, v, alpha, diagonal(beta, 2)) for u, v in ((x, y), (x, x), (y, y))
    )

    def difference(rows: Any) -> Fraction:
        return Fraction(rows[0][0] - rows[0][1] - rows[1][0] + rows[1][1])

    here = (alpha + beta) * scale**2
    total = flint.arb(0)
    for between, times in definitions.queries(x, y, alpha, beta, readout).items():
        both = Sigmoid().dual(
            Rational(here * difference(left)),
            Rational(here * difference(right)),
            Rational(between * scale**2 * difference(K)),
            bits=96,
        )
        # E[p p'] of the first position, E[p] = 1/2 by symmetry.
        mixed = (K[0][1] + K[1][0] - 2 * K[1][1]) * _HALF + K[1][1]
        total += times * (definitions.ball(mixed, Fraction(0)) + _number(difference(K)) * both)
    return total


def _of_balanced_words(x: Letters, y: Letters, case: Softmax) -> flint.arb:
    """Without positional vectors equal letters have equal scores: half of them weigh a sigmoid."""
    _, readout, _, _, alpha, beta, scale = case
    total = flint.arb(0)
    variance = 2 * alpha * alpha * scale**2
    for between, times in definitions.queries(x, y, alpha, beta, readout).items():
        shared = 2 * alpha * between * scale**2
        both = Sigmoid().dual(*map(Rational, (variance, variance, shared)), bits=96)
        # alpha times E[p p' + (1 - p)(1 - p')]
        total += times * _number(alpha) * 2 * both
    return total


def _number(value: Fraction) -> flint.arb:
    return definitions.ball(value, Fraction(0))


def _floats_within(kernel: Any, pairs: list[Any], exact: list[flint.arb]) -> bool | Fails:
    """Whether the library's floats have the digits that they say, against balls."""
    size = 1 + max(letter for pair in pairs for word in pair for letter in word)
    tables = []
    for x, y in pairs:
        table = [[0] * size for _ in range(size)]
        for u, v in zip(x, y, strict=True):
            table[u][v] += 1
        tables.append(tuple(map(tuple, table)))
    lists = kernel.on_tables(tables, digits=_DIGITS)
    for (x, y), wanted, *floats in zip(pairs, exact, *lists, strict=True):
        for value in floats:
            near = wanted * flint.arb(1, 10.0 ** (1 - _DIGITS))
            if not near.overlaps(flint.arb(value)):
                # With few digits: the last ones depend on what else is asked for.
                found = f"{wanted.str(6)}, the library has {value:.4g}"
                return Fails(f"k({_text(x)}, {_text(y)}) = {found}")
    return True
