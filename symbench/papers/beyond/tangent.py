"""The tangent kernel of linear attention: what training all weights changes in the spectrum."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate, certify
from symbench.exact import QQ, Matrix
from symbench.kernels import from_table, linear_attention
from symbench.kernels.tangent import tangent
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Word
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import spectrum
from symbench.young import Action, Block, BlockForm, Partition, block_form

SOURCE = "symbench: the tangent kernel of lavie2024's transformer, with linear attention"
_PAGE = "proofs/symbench/tangent-kernel.md"
READOUTS = ("sum", "flatten")

# (readout, layers, causal mask, length, token rate, position rate)
Rates = tuple[str, int, bool, int, Fraction, Fraction]
ALPHA, BETA = Fraction(2), Fraction(3)
_RATES = (number(0), number(0))


# --- one layer, from networks of finite width -----------------------------------------------------
# (readout, causal mask, two words, alpha, beta, token rate, position rate)
Layer = tuple[str, bool, Word, Word, Fraction, Fraction, Fraction, Fraction]
_ALL_READOUTS = (*READOUTS, "last")
_WIDTHS = (1, 2, 3)


def _layer_cases(max_length: int = 2) -> Iterator[Layer]:
    numbers = (Fraction(2), Fraction(1, 3), Fraction(1, 2), Fraction(3))
    yield "sum", False, (0,), (0,), *numbers
    yield "sum", False, (0,), (1,), *numbers
    if max_length >= 2:
        for readout, causal in product(_ALL_READOUTS, (False, True)):
            yield readout, causal, (0, 1), (0, 0), *numbers
        yield "flatten", False, (0, 1), (1, 2), Fraction(1), Fraction(1), Fraction(1), Fraction(0)
    yield "last", False, (0, 1, 0), (1, 1, 0), *numbers


def _drawn_layer(st: Any) -> Any:
    number = st.fractions(min_value=0, max_value=5, max_denominator=5)
    words = st.integers(1, 2).flatmap(
        lambda n: st.tuples(*[st.tuples(*[st.integers(0, 2)] * n)] * 2)
    )
    return st.tuples(
        st.sampled_from(_ALL_READOUTS), st.booleans(), words, number, number, number, number
    ).map(lambda t: (*t[:2], *t[2], *t[3:]))


def _letters(word: Word) -> str:
    return "".join("ABCDEFGHI"[token] for token in word)


@claim(
    "symbench.tangent-layer",
    source=SOURCE,
    category="lemma",
    cases=_layer_cases,
    boundary=("sum", False, (0,), (0,), Fraction(1), Fraction(0), Fraction(0), Fraction(0)),
    strategy=drawn(_drawn_layer),
    applies=record(
        one_of(*_ALL_READOUTS),
        one_of(False, True),
        many(integer(0)),
        many(integer(0)),
        number(0),
        number(0),
        *_RATES,
        where=lambda _, __, x, y, *numbers: len(x) == len(y),
    ),
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "embeddings of width 3",
            ("sum", False, (0, 1), (0, 0), Fraction(1), Fraction(1), Fraction(1), Fraction(1)),
            {"limit": False},
        ),
        NearMiss(
            "three matrices in the layer and a readout",
            ("flatten", False, (0, 1), (0, 1), Fraction(1), Fraction(1), Fraction(1), Fraction(1)),
            {"weights": 4},
        ),
    ],
)
def tangent_layer(case: Layer, limit: bool = True, weights: int = 5) -> bool | Fails:
    r"""The mean tangent kernel of one layer of linear attention with embeddings of width $d$, the
    sum over all weights of the products of derivatives, is a polynomial in $1/d$ of degree at
    most 2. At $1/d = 0$ it is what the recursion says, $K' = \|K\|^2 K$ and $\Theta' = \|K\|^2
    \Theta + 2 \langle K, \Theta \rangle K + 4 \|K\|^2 K$, read out with the readout's own weights.
    The means at $d = 1, 2, 3$ are sums over all pairings of Gaussian variables, coordinate by
    coordinate; each of the readout, the output and the three matrices enters the output once, so
    its derivatives give the covariance.
    """
    readout, causal, x, y, alpha, beta, token, place = case
    at_most(len(x), 3, "positions")
    at_most(max(*x, *y), 8, "the largest token")
    found = []
    for width in _WIDTHS:
        numbers = by_hand.rational(alpha), by_hand.rational(beta)
        network = by_hand.Network(x, y, *numbers, readout, causal, width)
        below = network.mean_derivatives(by_hand.rational(token), by_hand.rational(place))
        found.append(weights * network.mean_product() + below)
    # The polynomial through the values at 1, 1/2 and 1/3, at 0.
    mean = found[2] if not limit else (found[0] - 8 * found[1] + 9 * found[2]) / 2
    plain = linear_attention(alpha, beta, readout=readout, causal=causal)
    value = tangent(plain, token_rate=token, position_rate=place).value(_letters(x), _letters(y))
    return value == mean or Fails(f"the tangent kernel is {value}, that of networks {mean}")


# --- equal rates ----------------------------------------------------------------------------------
def _rate_cases(max_length: int = 3) -> Iterator[Rates]:
    rates = (Fraction(0), Fraction(1), Fraction(2, 3))
    for readout, causal, rate in product(_ALL_READOUTS, (False, True), rates):
        for layers in (1, 2):
            yield readout, layers, causal, min(2, max_length), rate, rate
    if max_length >= 3:
        for readout, causal in product(_ALL_READOUTS, (False, True)):
            yield readout, 1, causal, max_length, rates[2], rates[2]
        yield "sum", 3, False, 2, rates[2], rates[2]


def _drawn_rates(st: Any) -> Any:
    rate = st.fractions(min_value=0, max_value=9, max_denominator=9)
    shape = st.tuples(
        st.sampled_from(["sum", "flatten", "last"]), st.integers(1, 3), st.booleans(),
        st.integers(1, 3), rate,
    )  # fmt: skip
    return shape.map(lambda case: (*case, case[-1]))


def factor(layers: int, rate: Fraction, *, matrices: int = 4, readout: int = 1) -> Fraction:
    """What equal rates multiply the kernel with: c -> 3 c + 4 for each layer, then + 1."""
    for _ in range(layers):
        rate = 3 * rate + matrices
    return rate + readout


EQUAL, _TOKENS = (Fraction(1), Fraction(1)), (Fraction(1), Fraction(0))


@claim(
    "symbench.tangent-kernel",
    source=SOURCE,
    category="proposition",
    cases=_rate_cases,
    boundary=("sum", 1, False, 1, Fraction(0), Fraction(0)),
    strategy=drawn(_drawn_rates),
    applies=record(
        one_of(*READOUTS, "last"),
        integer(1),
        one_of(False, True),
        integer(1),
        *_RATES,
        where=lambda *case: case[-2] == case[-1],
    ),
    assumes=["symbench.tangent-layer"],
    proof=_PAGE,
    formerly=["lavie2024.tangent-kernel"],
    near_misses=[
        NearMiss(
            "positions are not trained: no number does",
            ("sum", 1, False, 2, *_TOKENS),
            {"any_number": True},
        ),
        NearMiss(
            "tokens are not trained: no number does",
            ("flatten", 2, False, 2, Fraction(0), Fraction(1)),
            {"any_number": True},
        ),
        NearMiss(
            "three matrices in a layer, the output being none of them",
            ("sum", 1, False, 2, *EQUAL),
            {"matrices": 3},
        ),
        NearMiss("a readout that is not trained", ("flatten", 2, True, 2, *EQUAL), {"readout": 0}),
    ],
)
def tangent_kernel(case: Rates, any_number: bool = False, **variant: int) -> Certificate | Fails:
    r"""If the embeddings of tokens and of positions have the same rate $c_0$, the tangent kernel of
    $n$ layers of linear attention is $(c_n + 1)$ times the kernel at initialisation, with
    $c_{n+1} = 3 c_n + 4$, with and without a causal mask: if $\Theta = c K$ then
    $\Theta' = \|K\|^2 \Theta + 2 \langle K, \Theta \rangle K + 4 \|K\|^2 K = (3c + 4) K'$.
    """
    readout, layers, causal, length, token, place = case
    at_most(layers, 8, "layers")
    at_most(length, 4, "positions")
    plain = linear_attention(ALPHA, BETA, readout=readout, layers=layers, causal=causal)
    trained = tangent(plain, token_rate=token, position_rate=place)
    times = factor(layers, token, **variant)
    if any_number:  # then the ratios at two pairs of words agree
        times = trained.value("A" * length, "A" * length) / plain.value("A" * length, "A" * length)
    pairs = []
    # Tokens may be renamed, so the first word begins with A.
    first = [(0, *rest) for rest in product(range(2), repeat=length - 1)]
    for x, y in product(first, product(range(3 if length < 3 else 2), repeat=length)):
        texts = _letters(x), _letters(y)
        kernel, here = plain.value(*texts), trained.value(*texts)
        known = by_hand.tangent_value(x, y, ALPHA, BETA, token, place, readout, layers, causal)
        if (kernel, here) != known:
            return Fails(f"at {texts} the kernels are {kernel} and {here}, not {known}")
        if here != times * kernel:
            return Fails(f"at {texts} it is {here}, not {times * kernel}")
        pairs.append([kernel, here])
    # Two columns of rank one: the null vector is (-times, 1), up to a factor.
    return certify(Matrix(pairs, QQ), question="rank")


# --- spectra ------------------------------------------------------------------------------------
# (readout, layers, length, vocabulary, token rate, position rate)
Trained = tuple[str, int, int, int, Fraction, Fraction]
# Matrices over more words are not formed.
_SQUARE = 9


def _trained_cases(max_length: int = 4) -> Iterator[Trained]:
    for readout, layers, rate in product(("sum", "flatten"), (1, 2), (Fraction(0), Fraction(1, 2))):
        for length in range(2, max_length + 1):
            yield readout, layers, length, 2, rate, rate
        yield readout, layers, 2, 3, rate, rate


def _can_be_decomposed(length: int, vocabulary: int) -> None:
    at_most(length, 60 if vocabulary == 2 else 8, "positions")
    at_most(vocabulary, 4, "tokens")


def _gram(kernel: Any, words: list[str]) -> Matrix:
    """The values of a symmetric kernel."""
    value = {(x, y): kernel.value(x, y) for x in words for y in words if x <= y}
    return Matrix([[value[min(x, y), max(x, y)] for y in words] for x in words], QQ)


@claim(
    "symbench.tangent-spectrum",
    source=SOURCE,
    category="corollary",
    cases=_trained_cases,
    boundary=("sum", 1, 2, 2, Fraction(0), Fraction(0)),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(READOUTS),
            st.integers(1, 2),
            st.integers(2, 6),
            st.just(2),
            st.fractions(min_value=0, max_value=9, max_denominator=9),
        ).map(lambda t: (*t, t[-1]))
    ),
    applies=record(
        one_of(*READOUTS),
        integer(1),
        integer(1),
        integer(1),
        *_RATES,
        where=lambda *case: case[-2] == case[-1],
    ),
    assumes=["symbench.tangent-kernel"],
    proof=_PAGE,
    formerly=["lavie2024.tangent-spectrum"],
    near_misses=[
        NearMiss("positions are not trained", ("flatten", 1, 4, 2, *_TOKENS)),
        NearMiss("positions learn faster", ("sum", 2, 3, 2, Fraction(1), Fraction(2))),
    ],
)
def tangent_spectrum(case: Trained) -> Certificate | bool | Fails:
    r"""With equal rates the tangent kernel has the eigenspaces of the kernel at initialisation:
    on every irreducible the same block, times $c_n + 1$.
    """
    readout, layers, length, vocabulary, token, place = case
    at_most(layers, 8, "layers")
    _can_be_decomposed(length, vocabulary)
    plain = linear_attention(1, 1, readout=readout, layers=layers)
    kernel = tangent(plain, token_rate=token, position_rate=place)
    first, second = (
        spectrum(k, length=length, vocabulary=vocabulary)
        for k in (plain, from_table(kernel.on_table))
    )
    times = factor(layers, token)
    for piece, trained in zip(first.pieces, second.pieces, strict=True):
        if piece.block * times != trained.block:
            return Fails(f"on {piece.partition} the block is not {times} times the other")
    if vocabulary**length > _SQUARE:
        return True
    # In the basis of the kernel at initialisation, over all words.
    action = Action.words(length, vocabulary)
    words = ["".join("ABCDEFGHI"[letter - 1] for letter in x) for x in action.points]
    before, after = (_gram(k, words) for k in (plain, kernel))
    for i, x in enumerate(action.points):
        y = action.points[-1]
        known = by_hand.tangent_value(x, y, 1, 1, token, place, readout, layers)
        if (before[i, len(words) - 1], after[i, len(words) - 1]) != known:
            return Fails(f"at {x}, {y} the kernels are not {known}")
    form = block_form(action, before)
    blocks = tuple(Block(b.partition, b.matrix * times, b.repeats) for b in form.blocks)
    return block_certificate(BlockForm(form.basis, blocks), after)


# (length, alpha, beta, token rate, position rate)
Frozen = tuple[int, Fraction, Fraction, Fraction, Fraction]


def _frozen_cases(max_length: int = 6) -> Iterator[Frozen]:
    scales = (EQUAL, (Fraction(2, 3), Fraction(5, 7)))
    rates = (_TOKENS, (Fraction(0), Fraction(1)), (Fraction(2), Fraction(1, 3)))
    for scale, rate, length in product(scales, rates, range(4, max_length + 1, 2)):
        yield length, *scale, *rate


def _drawn_frozen(st: Any) -> Any:
    number = st.fractions(min_value=Fraction(1, 20), max_value=9, max_denominator=20)
    return st.tuples(st.integers(4, 30), number, number, number, number)


def _spectrum(case: Frozen) -> Any:
    L, alpha, beta, s, t = case
    _can_be_decomposed(L, 2)
    kernel = tangent(
        linear_attention(alpha, beta, readout="flatten"), token_rate=s, position_rate=t
    )
    return spectrum(from_table(kernel.on_table), length=L, vocabulary=2)


def _eigenvalues(found: Any) -> tuple[Any, Any]:
    """The largest eigenvalues of (L-1, 1) and (L-2, 2)."""
    first, second = (found[Partition(found.length - m, m)].eigenvalues[0] for m in (1, 2))
    return first, second


def _plain_ratio(case: Frozen, new: tuple[Any, Any]) -> bool | Fails:
    """Whether the two eigenvalues keep the ratio that they have at initialisation."""
    L, alpha, beta, _, _ = case
    plain = linear_attention(alpha, beta, readout="flatten")
    old = _eigenvalues(spectrum(plain, length=L, vocabulary=2, algorithm="closed-form"))
    return new[0] * old[1] == new[1] * old[0] or Fails(
        f"the ratio is {new[0] / new[1]}, at initialisation {old[0] / old[1]}"
    )


def _are_eigenvalues(case: Frozen, first: Fraction, second: Fraction) -> bool:
    """Whether chi_1 - chi_2 and (chi_1 - chi_2)(chi_3 - chi_4) have them, over all words."""
    L, alpha, beta, s, t = case
    words = by_hand.words_over(2, L)
    x = (0, 1, 0, 1, *(0,) * (L - 4))  # both functions are not 0 there
    sums = [Fraction(0), Fraction(0)]
    for y in words:
        one, two = (1 - 2 * y[0]) - (1 - 2 * y[1]), (1 - 2 * y[2]) - (1 - 2 * y[3])
        if one:
            value = by_hand.tangent_value(x, y, alpha, beta, s, t, "flatten")[1]
            sums[0] += value * one
            sums[1] += value * one * two
    return sums == [2 * first * len(words), 4 * second * len(words)]


@claim(
    "symbench.tangent-frozen",
    source=SOURCE,
    category="proposition",
    cases=_frozen_cases,
    boundary=(4, *EQUAL, *_TOKENS),
    strategy=drawn(_drawn_frozen),
    applies=record(integer(4), number(0), number(0), *_RATES),
    proof=_PAGE,
    formerly=["lavie2024.tangent-frozen"],
    near_misses=[
        NearMiss(
            "the eigenvalues keep their ratio when positions are not trained",
            (4, *EQUAL, *_TOKENS),
            {"same_ratio": True},
        ),
        NearMiss("the rates exchanged", (4, *EQUAL, *_TOKENS), {"exchanged": True}),
    ],
)
def tangent_frozen(
    case: Frozen, exchanged: bool = False, same_ratio: bool = False
) -> Certificate | Fails:
    r"""One layer with the flatten readout on two tokens, uniform, $L \ge 4$, token rate $s$ and
    position rate $t$. The largest eigenvalue of $(L-1, 1)$ is
    $\tfrac14 (3s+5) \alpha^3 L^2 + (2s+t+5) \alpha^2\beta L + \tfrac32 (s+2t+5) \alpha\beta^2 L$,
    that of $(L-2, 2)$ is $(2s+t+5)\,\alpha^2\beta$. Against the kernel at initialisation they grow
    by $3s+5$ (for large $L$) and by $2s+t+5$: training the tokens alone favours $(L-1, 1)$.
    """
    L, a, b, *rates = case
    s, t = reversed(rates) if exchanged else rates
    first = (
        L**2 * a**3 * (3 * s + 5) / 4
        + L * a**2 * b * (2 * s + t + 5)
        + L * a * b**2 * (3 * s + 6 * t + 15) / 2
    )
    wanted = first, a**2 * b * (2 * s + t + 5)
    decomposed = _spectrum(case)
    found = _eigenvalues(decomposed)
    if found != wanted:
        return Fails(f"the eigenvalues are {found}, not {wanted}")
    if L == 4 and not _are_eigenvalues(case, *wanted):
        return Fails(f"over all words {wanted} are no eigenvalues")
    outcome = _plain_ratio(case, found) if same_ratio else True
    if isinstance(outcome, Fails):
        return outcome
    block = decomposed.block(Partition(L - 1, 1))
    return certify(block - Matrix.identity(L - 1, QQ) * first)  # its null vector: an eigenvector
