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
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.papers.lavie2024.spectra import READOUTS, can_be_decomposed
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import spectrum
from symbench.young import Action, Block, BlockForm, Partition, block_form

SOURCE = "The tangent kernel of the transformer of the poster, with linear attention"
_PAGE = "proofs/lavie2024/tangent-kernel.md"

# (readout, layers, causal mask, length, token rate, position rate)
Rates = tuple[str, int, bool, int, Fraction, Fraction]
ALPHA, BETA = Fraction(2), Fraction(3)


def _rate_cases(max_length: int = 2) -> Iterator[Rates]:
    rates = (Fraction(0), Fraction(1), Fraction(2, 3))
    for readout, causal, rate in product(("sum", "flatten", "last"), (False, True), rates):
        for layers in (1, 2):
            yield readout, layers, causal, max_length, rate, rate


def _drawn_rates(st: Any) -> Any:
    rate = st.fractions(min_value=0, max_value=9, max_denominator=9)
    shape = st.tuples(
        st.sampled_from(["sum", "flatten", "last"]), st.integers(1, 3), st.booleans(),
        st.integers(1, 3), rate,
    )  # fmt: skip
    return shape.map(lambda case: (*case, case[-1]))


_RATES = (number(0), number(0))


def factor(layers: int, rate: Fraction, *, matrices: int = 4, readout: int = 1) -> Fraction:
    """What equal rates multiply the kernel with: c -> 3 c + 4 for each layer, then + 1."""
    for _ in range(layers):
        rate = 3 * rate + matrices
    return rate + readout


EQUAL, _TOKENS = (Fraction(1), Fraction(1)), (Fraction(1), Fraction(0))


@claim(
    "lavie2024.tangent-kernel",
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
    proof=_PAGE,
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
    first = [("A", *rest) for rest in product("AB", repeat=length - 1)]
    for x, y in product(first, product("ABC", repeat=length)):
        kernel, here = plain.value(x, y), trained.value(x, y)
        if here != times * kernel:
            return Fails(f"at {''.join(x)}, {''.join(y)} it is {here}, not {times * kernel}")
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


def _gram(kernel: Any, words: list[str]) -> Matrix:
    """The values of a symmetric kernel."""
    value = {(x, y): kernel.value(x, y) for x in words for y in words if x <= y}
    return Matrix([[value[min(x, y), max(x, y)] for y in words] for x in words], QQ)


@claim(
    "lavie2024.tangent-spectrum",
    source=SOURCE,
    category="corollary",
    cases=_trained_cases,
    boundary=("sum", 1, 2, 2, Fraction(0), Fraction(0)),
    applies=record(
        one_of(*READOUTS),
        integer(1),
        integer(1),
        integer(1),
        *_RATES,
        where=lambda *case: case[-2] == case[-1],
    ),
    assumes=["lavie2024.tangent-kernel"],
    proof=_PAGE,
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
    can_be_decomposed(length, vocabulary)
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
    can_be_decomposed(L)
    kernel = tangent(
        linear_attention(alpha, beta, readout="flatten"), token_rate=s, position_rate=t
    )
    return spectrum(from_table(kernel.on_table), length=L, vocabulary=2)


def _eigenvalues(found: Any) -> tuple[Any, Any]:
    """The largest eigenvalues of (L-1, 1) and (L-2, 2)."""
    first, second = (found[Partition(found.length - m, m)].eigenvalues[0] for m in (1, 2))
    return first, second


def _plain_ratio(case: Frozen) -> bool | Fails:
    """Whether the two eigenvalues keep the ratio that they have at initialisation."""
    L, alpha, beta, _, _ = case
    plain = linear_attention(alpha, beta, readout="flatten")
    found = spectrum(plain, length=L, vocabulary=2, algorithm="closed-form")
    old, new = _eigenvalues(found), _eigenvalues(_spectrum(case))
    return new[0] * old[1] == new[1] * old[0] or Fails(
        f"the ratio is {new[0] / new[1]}, at initialisation {old[0] / old[1]}"
    )


@claim(
    "lavie2024.tangent-frozen",
    source=SOURCE,
    category="proposition",
    cases=_frozen_cases,
    boundary=(4, *EQUAL, *_TOKENS),
    strategy=drawn(_drawn_frozen),
    applies=record(integer(4), number(0), number(0), *_RATES),
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "the eigenvalues keep their ratio when positions are not trained",
            (4, *EQUAL, *_TOKENS),
            _plain_ratio,
        ),
        NearMiss("the rates exchanged", (4, *EQUAL, *_TOKENS), {"exchanged": True}),
    ],
)
def tangent_frozen(case: Frozen, exchanged: bool = False) -> Certificate | Fails:
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
    block = decomposed.block(Partition(L - 1, 1))
    return certify(block - Matrix.identity(L - 1, QQ) * first)  # its null vector: an eigenvector
