"""How a text is read before its symmetry is asked for (`texts.*`): windows, tokens, shuffles."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from symbench.exact.arrays import np
from symbench.papers._cases import at_most, drawn, integer, many, record
from symbench.registry import Fails, NearMiss, claim
from symbench.texts import permutation_symmetry
from symbench.texts.windows import REST, encode, fourier, moments, windows

Text = tuple[int, ...]
# What a float may be off by.
_NEAR = Fraction(1, 10**9)

_TEXTS: tuple[tuple[Text, int, int], ...] = (
    ((0, 1, 0, 2, 0, 1, 3, 0, 1, 2, 0), 2, 2),
    ((0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 0, 1), 3, 2),
    ((2, 2, 2, 1, 1, 0, 2, 1, 0, 2, 2), 4, 3),
    ((0, 1, 2) * 8, 4, 2),
    ((0, 0, 1, 1) * 6, 4, 5),
    ((0, 1, 1, 0, 2, 1, 2, 0) * 3, 4, 3),
)


def _is_text(tokens: Text, length: int, _: int) -> bool:
    return len(tokens) >= length


_CASE = record(many(integer(0)), integer(1), integer(1), where=_is_text)


def _drawn_texts(st: Any) -> Any:
    tokens = st.lists(st.integers(0, 4), min_size=4, max_size=30).map(tuple)
    return st.tuples(tokens, st.integers(1, 4), st.integers(1, 5))


@claim(
    "texts.windows",
    source="How a text is cut into windows, and which tokens are told apart",
    category="definition",
    cases=_TEXTS,
    boundary=((0,), 1, 1),
    strategy=drawn(_drawn_texts),
    applies=_CASE,
    near_misses=[
        NearMiss("windows that overlap", ((0, 1, 0, 2, 0, 1), 3, 3), {"step": 2}),
        NearMiss("the first tokens of the text", ((2, 0, 1, 0, 1, 0), 2, 1), {"by_count": False}),
    ],
)
def cut(
    case: tuple[Text, int, int], step: int | None = None, by_count: bool = True
) -> bool | Fails:
    """A text of n tokens has floor(n / L) windows of L tokens, one after another. The V most
    frequent tokens of the windows, ties in the order of the text, are told apart, and all others
    are one more; the moments of order 2 count pairs of tokens at pairs of positions.
    """
    tokens, length, vocabulary = case
    at_most(len(tokens), 10_000, "tokens")
    at_most(length, 8, "positions")
    starts = range(0, len(tokens) - length + 1, length if step is None else step)
    wanted = [tuple(tokens[a + b] for b in range(length)) for a in starts]
    rows = windows(list(tokens), length)
    if rows != wanted:
        return Fails(f"the windows are {rows}")
    inside = [token for row in wanted for token in row]
    order = sorted(set(inside), key=inside.index)
    if by_count:
        order.sort(key=inside.count, reverse=True)
    names = [*order[:vocabulary], *[REST] * (len(order) > vocabulary)]
    kept, data = encode(rows, vocabulary)
    if list(kept) != names:
        return Fails(f"the tokens are {kept}")
    codes = [[min(order.index(token), vocabulary) for token in row] for row in wanted]
    if data.tolist() != codes:
        return Fails(f"the windows are numbered {data.tolist()}")
    counts = moments(data, len(kept), 2, np.ones(len(rows)))
    for a, b in product(range(length), repeat=2):
        for u, v in product(range(len(kept)), repeat=2):
            number = sum(row[a] == u and row[b] == v for row in codes)
            if counts[a, b, u, v] != number:
                return Fails(f"{u} and {v} stand at {a} and {b} in {number} windows")
    return True


@claim(
    "texts.modes",
    source="The Fourier modes of the windows of a text",
    category="definition",
    cases=[(text, 4, vocabulary) for text, _, vocabulary in _TEXTS],
    boundary=((0, 0, 0, 0), 4, 1),
    strategy=drawn(lambda st: _drawn_texts(st).map(lambda case: (case[0], 4, case[2]))),
    applies=record(
        many(integer(0)), integer(4), integer(1), where=lambda t, n, _: n == 4 <= len(t)
    ),
    near_misses=[
        NearMiss("modes that are not normalised", ((0, 1, 1, 0), 4, 2), {"norm": 1}),
        NearMiss("modes without their phases", ((0, 1, 1, 0), 4, 2), {"turns": 0}),
    ],
)
def modes(case: tuple[Text, int, int], norm: int = 2, turns: int = 1) -> bool | Fails:
    r"""Mode $k$ of a window of four tokens is $\frac12 \sum_a i^{ka} e_{x_a}$, and the mean of
    $\hat x_k \hat x_k^\dagger$ over the windows is what the report calls $C_k$: floats that are off
    by $10^{-9}$ at the most.
    """
    tokens, length, vocabulary = case
    at_most(len(tokens), 2_000, "tokens")
    report = permutation_symmetry(list(tokens), length=length, vocabulary=vocabulary, resamples=2)
    rows, size = report.data.tolist(), report.vocabulary
    for k in range(length):
        found = fourier(report.data, size, k)
        total = [[(Fraction(0), Fraction(0))] * size for _ in range(size)]
        for row, image in zip(rows, found.tolist(), strict=True):
            exact = [_power_sum(row, u, k * turns, norm) for u in range(size)]
            for u in range(size):
                if _apart(image[u], *exact[u]):
                    return Fails(f"mode {k} of {row} has {image[u]} for the token {u}")
            for u, v in product(range(size), repeat=2):
                (a, b), (c, d), (x, y) = exact[u], exact[v], total[u][v]
                total[u][v] = (x + (a * c + b * d) / len(rows), y + (b * c - a * d) / len(rows))
        mode = report.mode(k)
        for u, v in product(range(size), repeat=2):
            if _apart(complex(mode[u, v]), *total[u][v]):
                return Fails(f"C_{k} has {mode[u, v]} for the tokens {u} and {v}")
    return True


def _power_sum(row: list[int], token: int, k: int, norm: int) -> tuple[Fraction, Fraction]:
    """The real and the imaginary part of the sum of i^(ka) over the places of a token."""
    counts = [sum(row[a] == token for a in range(4) if k * a % 4 == r) for r in range(4)]
    return Fraction(counts[0] - counts[2], norm), Fraction(counts[1] - counts[3], norm)


def _apart(value: complex, real: Fraction, imaginary: Fraction) -> bool:
    return abs(Fraction(value.real) - real) + abs(Fraction(value.imag) - imaginary) > _NEAR


@claim(
    "texts.shuffles",
    source="The null of a text: the same windows, each shuffled",
    category="definition",
    cases=_TEXTS,
    boundary=((0,), 1, 1),
    strategy=drawn(_drawn_texts),
    applies=_CASE,
    near_misses=[
        NearMiss("the text is none of its shuffles", ((0, 0, 1, 1) * 6, 4, 2), {"itself": 0}),
        NearMiss("a shuffle must have twice its residual", _TEXTS[1], {"share": 2}),
    ],
)
def shuffles(case: tuple[Text, int, int], itself: int = 1, share: int = 1) -> bool | Fails:
    """The p-value of a text is the part of its shuffles, itself among them, whose residual is not
    below its own; it passes for symmetric if not all shuffles are below it. Its windows have the
    same tokens as before.
    """
    tokens, length, vocabulary = case
    at_most(len(tokens), 2_000, "tokens")
    for resamples in (1, 9):
        report = permutation_symmetry(
            list(tokens), length=length, vocabulary=vocabulary, resamples=resamples
        )
        own = Fraction(report.residual)
        null = [Fraction(x) for x in report.null]
        above = itself + sum(x >= own for x in null)
        if len(null) != resamples or abs(report.p_value - above / (1 + resamples)) > _NEAR:
            return Fails(f"{above} of {1 + resamples} are not below, and p = {report.p_value}")
        if abs(own**2 - report.residual_squared) > _NEAR:
            return Fails(f"the residual {report.residual} is not the root of its square")
        if report.symmetric != any(x >= share * own for x in null):
            return Fails(f"{own} against {max(null)}: {report.symmetric}")
    return True
