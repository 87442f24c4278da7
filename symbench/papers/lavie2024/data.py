"""Permutation symmetry of a data set: what it says of pair correlations, and WikiText."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import lcm
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.exact import QQ, Matrix, Rational
from symbench.laws import Iid, Mixture
from symbench.laws.base import Word
from symbench.laws.moments import moment_residual
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import fraction, rational
from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.registry import Fails, NearMiss, claim
from symbench.texts.symmetry import permutation_symmetry
from symbench.texts.windows import fourier
from symbench.young import Block, BlockForm, Partition

Component = tuple[Fraction, tuple[Fraction, ...]]
Chances = Mapping[Word, Fraction]
_PAGE = "proofs/lavie2024/exchangeability.md"
_HALF = Rational(1, 2)
_WINDOWS = 6_000  # of a text that is made with exact frequencies


# --- moments, from the law ------------------------------------------------------------------------
def moment(law: Chances, places: Sequence[int], letters: Sequence[int]) -> Fraction:
    """The probability of some tokens at some positions."""
    pairs = list(zip(places, letters, strict=True))
    return sum((p for w, p in law.items() if all(w[a] == u for a, u in pairs)), Fraction(0))


def residual(law: Chances, order: int) -> Fraction:
    """|S - PS|^2 / |S|^2 with S the moments and P the mean over all permutations of positions."""
    length, size = len(next(iter(law))), 1 + max(map(max, law))
    places = list(product(range(length), repeat=order))
    moves = list(permutations(range(length)))
    lost = total = Fraction(0)
    for letters in product(range(size), repeat=order):
        S = {a: moment(law, a, letters) for a in places}
        for a in places:
            mean = sum((S[tuple(g[i] for i in a)] for g in moves), Fraction(0)) / len(moves)
            lost += (S[a] - mean) ** 2
            total += S[a] ** 2
    return lost / total


def _modes_agree(law: Chances) -> bool | Fails:
    """Whether C_0 = D + (L-1) O, C_k = D - O, and different modes are uncorrelated: exactly.

    The roots of unity are polynomials modulo the cyclotomic polynomial.
    """
    length, letters = len(next(iter(law))), range(1 + max(map(max, law)))
    modulus = flint.fmpq_poly(flint.fmpz_poly.cyclotomic(length))
    for u, v in product(letters, repeat=2):
        S = [[moment(law, (a, b), (u, v)) for b in range(length)] for a in range(length)]
        D, O = S[0][0], S[0][-1]  # noqa: E741
        for k, j in product(range(length), repeat=2):
            coefficients = [flint.fmpq(0)] * length
            for a, b in product(range(length), repeat=2):
                coefficients[(k * a - j * b) % length] += rational(S[a][b] / length)
            found = flint.fmpq_poly(coefficients) % modulus
            wanted = Fraction(0) if k != j else D - O + (length * O if k == 0 else 0)
            if found != flint.fmpq_poly([rational(wanted)]):
                return Fails(f"modes {k}, {j}, tokens {u}, {v}: {found}, not {wanted}")
    return True


def tilted(law: Chances) -> dict[Word, Fraction]:
    """The law with the words that begin with token 0 twice as likely: not symmetric."""
    total = sum((p * (2 - min(w[0], 1)) for w, p in law.items()), Fraction(0))
    return {w: p * (2 - min(w[0], 1)) / total for w, p in law.items()}


def _as_text(law: Chances) -> list[Word]:
    """A text whose windows have exactly these frequencies."""
    scale = lcm(*(p.denominator for p in law.values()))
    return [word for word, p in law.items() for _ in range(int(p * scale))]


def _report_agrees(law: Chances) -> bool | Fails:
    """Whether the library's report on a text with these frequencies is right.

    Its residual is exact; modes and eigenvalues are floats, which may be off by 10^-9.
    """
    windows = _as_text(law)
    report = permutation_symmetry(windows, resamples=3)
    if report.residual_squared != residual(law, 2):
        return Fails(f"the text has the residual {report.residual_squared}")
    symmetric = report.residual_squared == 0
    if report.symmetric != (report.residual <= max(report.null)):
        return Fails("the report is not compared with the largest residual of shuffled windows")
    # The same windows as one sequence; then with the most frequent token alone told apart.
    text = [token for window in windows for token in window]
    cut = permutation_symmetry(text, length=len(windows[0]), resamples=1)
    if cut.windows != len(windows) or cut.residual_squared != report.residual_squared:
        return Fails(f"as one sequence the text has {cut.windows} windows")
    kept = max(sorted(set(text)), key=text.count)
    joined: dict[Word, Fraction] = {}
    for word, p in law.items():
        other = tuple(int(token != kept) for token in word)
        joined[other] = joined.get(other, Fraction(0)) + p
    few = permutation_symmetry(windows, vocabulary=1, resamples=1)
    if text.count(kept) > len(text) / 2 and few.residual_squared != residual(joined, 2):
        return Fails(f"with one token the residual is {few.residual_squared}")
    if symmetric and (not report.symmetric or report.p_value != 1):
        return Fails("the report takes a symmetric text for one that is not")
    length, size = len(windows[0]), report.vocabulary
    first, second = (0,) * 2, (0, length - 1)
    for k in range(length):
        mode, values = report.mode(k), report.eigenvalues(k)
        modes = fourier(report.data, size, k)
        again = modes.T @ modes.conj() / len(windows)
        if any(
            abs(Fraction(float(abs(x - y)))) > Fraction(1, 10**9)
            for x, y in zip(again.ravel(), mode.ravel(), strict=True)
        ):
            return Fails(f"window by window the mode {k} is {again}")
        trace = Fraction(0)
        for i, j in product(range(size), repeat=2):
            letters = report.tokens[i], report.tokens[j]
            D, O = moment(law, first, letters), moment(law, second, letters)  # noqa: E741
            wanted = D - O + (length * O if k == 0 else 0)
            trace += wanted if i == j else 0
            here = mode[i, j]
            near = abs(Fraction(float(here.real)) - wanted) + abs(Fraction(float(here.imag)))
            if symmetric and near > Fraction(1, 10**9):
                return Fails(f"the text has {here} in mode {k}, not {wanted}")
        if symmetric and abs(sum(map(Fraction, values)) - trace) > Fraction(1, 10**9):
            return Fails(f"the eigenvalues of mode {k} add up to {sum(values)}, not {trace}")
        if symmetric and k and values != sorted(values, reverse=True):
            return Fails(f"the eigenvalues of mode {k} are not in order")
        if symmetric and k and _apart(values, report.eigenvalues(1)):
            return Fails(f"the modes 1 and {k} have different eigenvalues")
        same = Fraction(report.component_similarity(k, k, components=size))
        if abs(same - 1) > Fraction(1, 10**9):
            return Fails(f"the components of mode {k} span not what they span: {same}")
    return True


def _apart(first: Sequence[float], second: Sequence[float]) -> bool:
    pairs = zip(first, second, strict=True)
    return any(abs(Fraction(x) - Fraction(y)) > Fraction(1, 10**9) for x, y in pairs)


# --- exchangeable laws ----------------------------------------------------------------------------
def _word_law(length: int, components: tuple[Component, ...]) -> dict[Word, Fraction]:
    """A mixture of independent tokens, word by word."""
    words = by_hand.words_over(len(components[0][1]), length)
    tables = [by_hand.independent(tokens, length) for _, tokens in components]
    found = {}
    for i, word in enumerate(words):
        p = sum((rational(w) * t[i] for (w, _), t in zip(components, tables, strict=True)),
                flint.fmpq(0))  # fmt: skip
        found[word] = fraction(p)
    return found


def _sticky(length: int) -> dict[Word, Fraction]:
    """A chain of bits that stays with probability 3/4: stationary, and not exchangeable."""
    law = {}
    for word in product((0, 1), repeat=length):
        stays = sum(a == b for a, b in pairwise(word))
        law[word] = Fraction(3**stays, 2 * 4 ** (length - 1))
    return law


def _is_mixture(_: int, components: tuple[Component, ...]) -> bool:
    """Whether weights and probabilities add up to 1, over one vocabulary."""
    weights, laws = zip(*components, strict=True)
    return {sum(weights), *map(sum, laws)} == {1} and len(set(map(len, laws))) == 1


def _mixtures(max_length: int = 4) -> Iterator[tuple[int, tuple[Component, ...]]]:
    third, quarter = Rational(1, 3), Rational(1, 4)
    for length in range(2, max_length + 1):
        yield length, ((Rational(1), (_HALF, _HALF)),)
        yield length, ((third, (quarter, 1 - quarter)), (1 - third, (third, 1 - third)))
        yield length, ((_HALF, (third, third, third)), (_HALF, (_HALF, quarter, quarter)))


def _drawn_mixture(st: Any) -> Any:
    part = st.integers(1, 5)

    def law(n: tuple[int, int]) -> tuple[Rational, Rational]:
        return Rational(n[0], sum(n)), Rational(n[1], sum(n))

    def mixture(t: Any) -> Any:
        weights = law(t[1])
        return t[0], tuple((w, law(n)) for w, n in zip(weights, t[2], strict=True))

    pair = st.tuples(part, part)
    return st.tuples(st.integers(1, 4), pair, st.tuples(pair, pair)).map(mixture)


@claim(
    "lavie2024.exchangeability",
    source="Poster, Experimental Results: the irreps (L) and (L-1, 1) of first-order correlations",
    category="claim",
    wording="our reading",
    cases=_mixtures,
    boundary=(2, ((Rational(1), (_HALF, _HALF)),)),
    strategy=drawn(_drawn_mixture),
    applies=record(integer(1), many(record(number(0), many(number(0)))), where=_is_mixture),
    proof=_PAGE,
    formerly=["lavie2024.exchangeability-repaired"],
    near_misses=[
        NearMiss(
            "a stationary chain: C_k is its spectral density",
            (4, ((Rational(1), (_HALF, _HALF)),)),
            {"law": _sticky(4)},
        ),
        NearMiss(
            "words that begin with token 0 are twice as likely",
            (3, ((_HALF, (Rational(1, 3), Rational(2, 3))), (_HALF, (_HALF, _HALF)))),
            {"law": tilted(_word_law(3, ((Fraction(1), (Fraction(1, 3), Fraction(2, 3))),)))},
        ),
    ],
)
def exchangeability(
    case: tuple[int, tuple[Component, ...]], law: Chances | None = None
) -> Certificate | Fails:
    r"""Printed: "we probe the permutation symmetry in the first-order correlations of WikiText-2.
    We find a large similarity in the $(L-1, 1)$ irrep ($k \ne 0$), that does not exist with the
    $(L)$ irrep ($k = 0$). The spectrum of the different correlation matrices inside the $(L-1, 1)$
    irrep is almost identical as well." Read as what is exact for an exchangeable law: with $D =
    \mathbb{E} x_a x_a^\top$, $O = \mathbb{E} x_a x_b^\top$, the Fourier modes $\hat x_k = L^{-1/2}
    \sum_a e^{2\pi i k a/L} x_a$ have $\mathbb{E} \hat x_0 \hat x_0^\dagger = D + (L-1) O$,
    $\mathbb{E} \hat x_k \hat x_k^\dagger = D - O$ for every $k \ne 0$, and $\mathbb{E} \hat x_k
    \hat x_j^\dagger = 0$ for $k \ne j$. It is necessary for symmetry, a test to second order.
    """
    length, components = case
    at_most(length, 5, "positions")
    at_most(len(components[0][1]) ** length, 100, "words")
    given = law is not None
    chances = _word_law(length, components) if law is None else law
    mixture = Mixture([(weight, Iid(*tokens)) for weight, tokens in components])
    for word, p in chances.items():
        if not given and mixture.probability(word) != p:
            return Fails(f"p{word} = {p}, not {mixture.probability(word)}")
    if lost := moment_residual(chances, order=2):
        return Fails(f"the second moments depend on the positions: {lost} of them is lost")
    agree = _modes_agree(chances)
    if isinstance(agree, Fails):
        return agree
    # The statistic is the mean over all permutations, on this law and on one that is not symmetric.
    for here in (chances, tilted(chances)):
        for order in (1, 2, 3) if length == 3 else (1, 2):
            if moment_residual(here, order=order) != residual(here, order):
                return Fails(f"the residual of order {order} is not {residual(here, order)}")
    for here in (chances, tilted(chances)):
        if lcm(*(p.denominator for p in here.values())) > _WINDOWS:
            continue
        report = _report_agrees(here)
        if isinstance(report, Fails):
            return report
    return _two_blocks(chances)


def _two_blocks(law: Chances) -> Certificate:
    """The second moments in a rational basis: D + (L-1) O on the mean, D - O on differences."""
    length, size = len(next(iter(law))), 1 + max(map(max, law))
    places = list(product(range(length), range(size)))
    moments = Matrix([[moment(law, (a, b), (u, v)) for b, v in places] for a, u in places], QQ)
    first, last = range(size), range((length - 1) * size, length * size)
    D, O = moments.submatrix(first, first), moments.submatrix(first, last)  # noqa: E741
    blocks = [Block(Partition(length), D + O * (length - 1), 1)]
    if length > 1:
        blocks.append(Block(Partition(length - 1, 1), D - O, length - 1))
    mean = [[int(v == u) for _, v in places] for u in first]
    differences = [
        [int(v == u) * ((b == a) - (b == length - 1)) for b, v in places]
        for u, a in product(first, range(length - 1))
    ]
    basis = Matrix([*mean, *differences], QQ).transpose()
    return block_certificate(BlockForm(basis, tuple(blocks)), moments)


# --- WikiText -------------------------------------------------------------------------------------
@claim(
    "lavie2024.wikitext",
    source="Poster, Contributions and Experimental Results; abstract of the paper",
    category="observation",
    wording="quoted",
    expected="undecided",
    why=(
        "It is about the text of WikiText-2, which is not part of symbench, and says how similar "
        "correlations are, not that they are equal. permutation_symmetry computes the statistic "
        "for a text that is given to it, against the same windows shuffled"
    ),
)
def wikitext(case: Any) -> None:
    """We analyze WikiText-2 and show evidence for permutation symmetry in its principal components;
    it does indeed possess a degree of permutation symmetry.
    """
