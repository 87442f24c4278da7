"""Which functions are learned first, and how near eigenvalues come to their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.decide import block_certificate, certify
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.precision import working_precision
from symbench.kernels import from_table, linear_attention, softmax_attention
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.papers.lavie2024 import _definitions as definitions
from symbench.papers.lavie2024.spectra import (
    PROOF,
    READOUTS,
    can_be_decomposed,
    chances,
    law_of,
)
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.spectra import softmax_tightness, spectrum
from symbench.young import Block, BlockForm, Partition, pure_multiplicity

_ONE = Fraction(1)


# --- more symmetric is easier -----------------------------------------------------------------
_KERNELS: dict[str, Callable[[], Any]] = {
    "sum": lambda: linear_attention(1, 1),
    "flatten": lambda: linear_attention(1, 1, readout="flatten"),
    "two layers": lambda: linear_attention(1, "1/2", layers=2),
}


@claim(
    "lavie2024.more-symmetric-is-easier",
    source='Summary of the paper, Key Results: "more symmetric functions having higher '
    'eigenvalues and being easier to learn" (the poster: "transformers tend to be biased towards '
    'more permutation symmetric functions"), read as: always, with the dimension of the irrep as '
    "the measure of symmetry",
    wording="our reading",
    category="claim",
    cases=[("sum", 4), ("flatten", 4), ("two layers", 4), ("sum", 12), ("flatten", 30)],
    boundary=("sum", 4),
    strategy=drawn(lambda st: st.tuples(st.sampled_from(sorted(_KERNELS)), st.integers(1, 9))),
    applies=record(one_of(*_KERNELS), integer(1)),
    expected="fails",
    repaired_by="symbench.degree-decides",
    proof=PROOF,
    controls=[
        Control("two positions have irreps of dimension one alone", ("sum", 2)),
        Control("three positions, the largest eigenvalues", ("sum", 3), {"least": 0}),
    ],
    near_misses=[
        NearMiss("only the largest eigenvalue of each irrep", ("flatten", 4), {"least": 0})
    ],
)
def more_symmetric_is_easier(case: tuple[str, int], least: int = -1) -> bool | Fails:
    r"""Read without "tend to": functions in an irrep of smaller dimension have the larger
    eigenvalues. False: the parity of all $L \ge 3$ bits does not change under permutations, so it
    lies in the irrep $(L)$ of dimension 1, and one layer of linear attention has eigenvalue 0
    there, while $\chi_1 - \chi_2$ in $(L-1, 1)$ has a positive one.
    """
    name, length = case
    can_be_decomposed(length)
    found = spectrum(_KERNELS[name](), length=length, vocabulary=2)
    for small, large in product([found[partition] for partition in found.partitions], repeat=2):
        low, high = small.eigenvalues[least], large.eigenvalues[0]
        if small.dimension < large.dimension and low < high:
            return Fails(
                f"({small.partition}), of dimension {small.dimension}, has eigenvalue {low}; "
                f"({large.partition}), of dimension {large.dimension}, has {high}"
            )
    return True


# (readout, law, length, vocabulary, layers)
Degree = tuple[str, str, int, int, int]


def _degree_cases(max_length: int = 7) -> Iterator[Degree]:
    for readout, law in product(READOUTS, ("uniform", "iid")):
        for length in range(1, max_length + 1):
            yield readout, law, length, 2, 1
        for length in range(1, min(max_length, 5) + 1):
            yield readout, law, length, 3, 1


@claim(
    "symbench.degree-decides",
    source="Theorem of symbench: what decides is the degree that a layer of linear attention sees",
    category="proposition",
    cases=_degree_cases,
    boundary=("sum", "uniform", 3, 2, 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(READOUTS),
            st.sampled_from(["uniform", "iid"]),
            st.integers(1, 6),
            st.integers(1, 2),
            st.just(1),
        )
    ),
    applies=record(one_of(*READOUTS), one_of("uniform", "iid"), integer(1), integer(1), one_of(1)),
    proof=PROOF,
    formerly=["lavie2024.more-symmetric-is-easier-repaired"],
    near_misses=[
        NearMiss("two layers", ("flatten", "uniform", 5, 2, 2)),
        NearMiss("degree one", ("flatten", "uniform", 4, 2, 1), {"degree": 1}),
    ],
)
def degree_decides(case: Degree, degree: int = 2) -> Certificate | Fails:
    r"""One layer of linear attention has a kernel of degree 2 in each argument, so every function
    of pure degree 3 or more (depending on that many positions, with mean zero in each) has
    eigenvalue 0, however symmetric it is. $S^\lambda$ has at most $\sum_{k \le 2}
    \mathrm{mult}^{\mathrm{pure}}_k(\lambda)$ nonzero eigenvalues, none if $L - \lambda_1 > 2$.
    The parity of three positions, made of letters less their means, is mapped to 0 word by word.
    """
    readout, law, length, vocabulary, layers = case
    can_be_decomposed(length, vocabulary)
    kernel = linear_attention(1, 1, readout=readout, layers=layers)
    found = spectrum(kernel, length=length, vocabulary=vocabulary, law=law_of(law, vocabulary))
    for partition in found.partitions:
        rank = sum(value != 0 for value in found[partition].eigenvalues)
        degrees = range(min(degree, length) + 1)
        room = sum(pure_multiplicity(partition, vocabulary, k) for k in degrees)
        if rank > room:
            return Fails(f"({partition}) has {rank} nonzero eigenvalues, room for {room}")
    if length > degree and 1 < vocabulary**length <= 32:
        seen = _image_of_parity(case, degree + 1)
        if seen:
            return Fails(f"a function of {degree + 1} letters has {seen} in its image")
    return certify(found.block(Partition(length)), question="rank")


def _image_of_parity(case: Degree, places: int) -> Fraction:
    """A value of K f other than 0, f a product of letters less their means; 0 if there is none."""
    readout, law, length, vocabulary, layers = case
    chance = chances(law, length, vocabulary)
    mean = sum((p * (word[0] == 0) for word, p in chance.items()), Fraction(0))
    positions = definitions.diagonal(1, length)
    values = {}
    for word in chance:
        values[word] = _ONE
        for letter in word[:places]:
            values[word] *= int(letter == 0) - mean
    for x in chance:
        image = sum(
            (
                definitions.linear(x, y, 1, positions, readout, layers) * p * values[y]
                for y, p in chance.items()
            ),
            Fraction(0),
        )
        if image:
            return image
    return Fraction(0)


# --- softmax attention ----------------------------------------------------------------------------
# (readout, m, length, alpha, beta)
Tight = tuple[str, int, int, Fraction, Fraction]
# Scores are this small where balls of the second order are narrow.
_SCALE = Fraction(1, 10**4)


def _of_second_order(alpha: Fraction, beta: Fraction, scale: Fraction, readout: str) -> Any:
    """Softmax attention in balls, from numbers of letters: the terms 1 and t^2 and the rest."""

    def value(table: Any) -> flint.arb:
        x, y = definitions.words_of(table)
        coefficients = definitions.softmax_second_order(table, alpha, beta)
        read = definitions.queries(x, y, alpha, beta, readout)
        middle = Fraction(0)
        for between, times in read.items():
            first, second = coefficients(between)
            middle += times * (first + scale**2 * second)
        left = definitions.softmax_remainder(x, y, alpha, beta, 2) * scale**4
        return definitions.ball(middle, left * sum(read.values()))

    return from_table(value)


def _tight_cases() -> Iterator[Tight]:
    half = Fraction(1, 2)
    for length in (4, 5, 8):
        yield "flatten", 1, length, half, half
    for alpha, beta in ((_ONE, Fraction(0)), (Fraction(2), half), (Fraction(1, 4), Fraction(2))):
        yield "flatten", 1, 6 if beta else 4, alpha, beta


@claim(
    "lavie2024.tight",
    source='Poster, Experimental Results: "the spectrum of the kernel, for a NN with softmax '
    "attention and linear MLP is shown. The eigenvalues take the maximum scaling possible based on "
    'the degeneracy of the irrep"; looked at for (L-1, 1) and a readout for each position',
    wording="our reading",
    category="claim",
    cases=_tight_cases,
    boundary=("flatten", 1, 4, _ONE, Fraction(0)),
    strategy=drawn(
        lambda st: st.tuples(
            st.just("flatten"),
            st.just(1),
            st.integers(4, 7),
            st.fractions(Fraction(1, 4), 3, max_denominator=6),
            st.fractions(0, 3, max_denominator=6),
        )
    ),
    applies=record(one_of("flatten"), one_of(1), integer(4), number(above=0), number(0)),
    assumes=["lavie2024.proposition", "lavie2024.invariance-softmax"],
    proof="proofs/symbench/softmax-tight.md",
    near_misses=[
        NearMiss("all positions read as one", ("sum", 1, 4, Fraction(2), Fraction(1, 2))),
        NearMiss("(L-2, 2) with the same constant", ("flatten", 2, 4, _ONE, _ONE)),
        NearMiss(
            "twice the limit's bound, at every length",
            ("flatten", 1, 4, _ONE, Fraction(0)),
            {"share": Fraction(2)},
        ),
    ],
)
def tight(case: Tight, share: Fraction = Fraction(1, 3)) -> bool | Fails:
    r"""Softmax attention with a readout for each position, uniform words of two tokens: the largest
    eigenvalue on $(L-1, 1)$ has the order of its bound, $\lambda \dim \ge c\, \mathbb{E}\,k(x,x)$
    with one $c$ for all $L \ge 4$. In the limit of long words $c$ is at least
    $b(\alpha, \beta, t) > 0$ (symbench.softmax-tight); at each length looked at here it is at least
    $b/3$, in balls, at scores of the scale $t = 10^{-4}$. The balls are computed from the
    definition, by the terms $1$ and $t^2$ and a bound of the rest.
    """
    readout, m, length, alpha, beta = case
    can_be_decomposed(length)
    at_most(length, 30, "positions in balls")
    if length <= 4:
        wrong = _second_order_is_wrong(length, alpha, beta)
        if wrong:
            return Fails(wrong)
    kernel = _of_second_order(alpha, beta, _SCALE, readout)
    found = spectrum(kernel, length=length, vocabulary=2, backend="ball")
    piece = found[Partition(length - m, m)]
    if piece.dimension != definitions.two_row_dimension(length, m):
        return Fails(f"({length - m}, {m}) has dimension {piece.dimension}")
    limit = softmax_tightness(Rational(alpha), Rational(beta), scale=Rational(_SCALE), bits=192)
    with working_precision(192):
        ratio = piece.eigenvalues[0] * piece.dimension / found.trace
        least = limit * definitions.ball(share, Fraction(0))
    if not limit > 0 or ratio < least:
        return Fails(f"eigenvalue times dimension over trace is {ratio.str(5)}, not {least.str(5)}")
    if not ratio >= least:
        raise Undecided(f"{ratio.str(5)} and {least.str(5)} are too close to compare")
    # Floats of words of four positions take long where these have vectors of their own.
    return _floats_agree(length, alpha, beta) if length <= 4 and beta == 0 else True


def _second_order_is_wrong(length: int, alpha: Fraction, beta: Fraction) -> str | None:
    """The second order from numbers of letters, against the series over pairings."""
    for table in (((1, 1), (1, length - 3)), ((2, 0), (1, length - 3)), ((0, 3), (length - 3, 0))):
        x, y = definitions.words_of(table)
        coefficients = definitions.softmax_second_order(table, alpha, beta)
        for between in (alpha + beta, beta):
            first, _, second = definitions.softmax_series(x, y, between, alpha, beta, 2)
            if coefficients(between) != (first, second):
                return f"the second order at {table} is not {second}"
    return None


def _floats_agree(length: int, alpha: Fraction, beta: Fraction) -> bool | Fails:
    """The library's floats for softmax attention, at scores where the fourth order is enough."""
    scale = Fraction(1, 16) / (alpha + beta)
    known: dict[Any, flint.arb] = {}

    def value(table: Any) -> flint.arb:
        # Words and letters may be exchanged.
        turned = tuple(zip(*table, strict=True))
        alike = [t for s in (table, turned) for t in (s, tuple(row[::-1] for row in s[::-1]))]
        first = min(alike)
        if first not in known:
            x, y = definitions.words_of(first)
            known[first] = definitions.softmax_ball(x, y, alpha, beta, scale, "flatten", 4)
        return known[first]

    balls = spectrum(from_table(value), length=length, vocabulary=2, backend="ball")
    kernel = softmax_attention(
        Rational(alpha), Rational(beta), readout="flatten", scale=Rational(scale)
    )
    floats = spectrum(kernel, length=length, vocabulary=2, digits=6)
    if floats.numbers != "float":
        return Fails(f"the spectrum of {kernel!r} is {floats.numbers}")
    for mine, piece in zip(floats.pieces, balls.pieces, strict=True):
        for found, wanted in zip(mine.eigenvalues, piece.eigenvalues, strict=True):
            if not flint.arb(float(found), mine.error).overlaps(wanted):
                return Fails(f"({piece.partition}) has {wanted}, the library has {found}")
    return True


# --- linear attention -------------------------------------------------------------------------
# (readout, length, alpha, beta)
Closed = tuple[str, int, Fraction, Fraction]


def _closed_cases(max_length: int = 16) -> Iterator[Closed]:
    values = [
        (Fraction(1), Fraction(1)),
        (Fraction(2, 3), Fraction(5, 7)),
        (Fraction(3), Fraction(1, 9)),
    ]
    for readout, (alpha, beta) in product(READOUTS, values):
        for length in range(4, max_length + 1):
            yield readout, length, alpha, beta


def _drawn_closed(st: Any) -> Any:
    number = st.fractions(min_value=Fraction(1, 20), max_value=9, max_denominator=20)
    return st.tuples(st.sampled_from(READOUTS), st.integers(4, 40), number, number)


def _closed_forms(
    readout: str, L: int, a: Fraction, b: Fraction
) -> tuple[list[Fraction], Fraction, Fraction]:
    """The nonzero eigenvalues of (L-1, 1), the one of (L-2, 2), and the trace; two tokens."""
    if readout == "sum":
        first = [a * b * L * (a * L + 2 * b) / 2, a**2 * b * (L - 2) / 2]
        trace = (
            a**3 * (L**3 + 2 * L**2 + 3 * L - 2)
            + a**2 * b * (6 * L**2 + 6 * L)
            + a * b**2 * (2 * L**2 + 10 * L)
            + 4 * L * b**3
        ) * Fraction(L, 4)
        return first, Fraction(0), trace
    first = [a * L * (a**2 * L + 4 * a * b + 6 * b**2) / 4, a**2 * (a * (L - 2) + 4 * b) / 4]
    meetings = L + Fraction(L * (L - 1), 2)
    return first, a**2 * b, L * (a + b) * (a**2 * meetings + 2 * a * b * L + L * b**2)


def _diagonal(shape: Partition, block: Matrix, values: list[Fraction]) -> Certificate:
    """The certificate that a block has these eigenvalues and no other: a basis of eigenvectors."""
    one = Matrix.identity(block.shape[0], QQ)
    vectors: list[Any] = []
    blocks: list[Block] = []
    for value in dict.fromkeys(values):
        space = (block - one * value).nullspace()
        vectors += space
        blocks.append(Block(shape, Matrix([[value]], QQ), len(space)))
    return block_certificate(BlockForm(Matrix(vectors, QQ).transpose(), tuple(blocks)), block)


@claim(
    "symbench.linear-attention-tightness",
    source="Theorem of symbench: one layer of linear attention on uniform binary words, exactly",
    category="proposition",
    cases=_closed_cases,
    boundary=("flatten", 4, Fraction(1), Fraction(1)),
    strategy=drawn(_drawn_closed),
    applies=record(one_of(*READOUTS), integer(4), number(above=0), number(above=0)),
    assumes=["symbench.degree-decides"],
    proof=PROOF,
    formerly=["lavie2024.tight-repaired"],
    near_misses=[
        NearMiss(
            "the forms of the other readout",
            ("sum", 6, Fraction(1), Fraction(1)),
            {"read": lambda _, *others: ("flatten", *others)},
        ),
        NearMiss(
            "alpha and beta exchanged",
            ("flatten", 5, Fraction(1), Fraction(2)),
            {"read": lambda readout, L, a, b: (readout, L, b, a)},
        ),
        NearMiss(
            "tight for (L-2, 2) too: at least a tenth of the bound",
            ("flatten", 40, Fraction(1), Fraction(1)),
            {"tight": {1, 2}},
        ),
        NearMiss(
            "tight for sum pooling: at least a tenth of the bound",
            ("sum", 40, Fraction(1), Fraction(1)),
            {"tight": {1}},
        ),
    ],
)
def linear_attention_tightness(
    case: Closed,
    read: Callable[..., Closed] = lambda *case: case,
    tight: frozenset[int] = frozenset(),
) -> Certificate | Fails:
    r"""Two tokens, uniform, $L \ge 4$. The nonzero eigenvalues of $(L-1,1)$ are
    $\tfrac12 \alpha\beta L(\alpha L + 2\beta)$ and $\tfrac12 \alpha^2\beta (L-2)$ for sum pooling,
    $\tfrac14 \alpha L(\alpha^2 L + 4\alpha\beta + 6\beta^2)$ and
    $\tfrac14\alpha^2(\alpha(L-2) + 4\beta)$ for flatten; $(L-2,2)$ has none for sum pooling and
    one, $\alpha^2\beta$, for flatten. With the traces, eigenvalue times dimension over trace tends
    to $\alpha/(2(\alpha+\beta))$ for flatten and $m = 1$: tight up to a constant. It goes to 0
    like $1/L$ for sum pooling and $m = 1$ and for flatten and $m = 2$: linear attention is not
    tight there. (The poster's sentence on tightness is about softmax attention.)
    """
    readout, L, alpha, beta = case
    can_be_decomposed(L)
    found = spectrum(linear_attention(alpha, beta, readout=readout), length=L, vocabulary=2)
    first, second, trace = _closed_forms(*read(*case))
    seen = [[v for v in found[Partition(L - m, m)].eigenvalues if v != 0] for m in (1, 2)]
    if seen[0] != sorted(first, reverse=True):
        return Fails(f"({L - 1}, 1) has {seen[0]}, not {first}")
    if seen[1] != ([second] if second else []):
        return Fails(f"({L - 2}, 2) has {seen[1]}, not {second}")
    if found.trace != trace:
        return Fails(f"E k(x, x) = {found.trace}, not {trace}")
    for m in sorted(tight):
        ratio = seen[m - 1][0] * definitions.two_row_dimension(L, m) / trace
        if 10 * ratio < 1:
            return Fails(f"({L - m}, {m}) has {float(ratio):.4f} of its bound")
    if L == 4:
        wrong = _of_eigenfunctions(case, first, second)
        if wrong:
            return Fails(wrong)
    return _diagonal(Partition(L - 1, 1), found.block(Partition(L - 1, 1)), [*first, Fraction(0)])


def _of_eigenfunctions(case: Closed, first: list[Fraction], second: Fraction) -> str | None:
    """The eigenfunctions x_1 - x_2, times the sum of all, and (x_1 - x_2)(x_3 - x_4), as signs."""
    readout, L, alpha, beta = case
    every = definitions.words(L, 2)
    positions = definitions.diagonal(beta, L)
    signs = {word: [1 - 2 * letter for letter in word] for word in every}
    functions: list[tuple[Callable[[list[int]], int], Fraction]] = [
        (lambda s: s[0] - s[1], first[0]),
        (lambda s: (s[0] - s[1]) * sum(s), first[1]),
        (lambda s: (s[0] - s[1]) * (s[2] - s[3]), second),
    ]
    for x in every[1::5]:
        row = [definitions.linear(x, y, alpha, positions, readout) for y in every]
        for function, eigenvalue in functions:
            image = sum(k * function(signs[y]) for k, y in zip(row, every, strict=True))
            if Fraction(image, 2**L) != eigenvalue * function(signs[x]):
                return f"{eigenvalue} is not an eigenvalue: {image} / {2**L} at {x}"
    return None
