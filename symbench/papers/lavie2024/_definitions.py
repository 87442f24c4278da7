"""Second roads for kernels of attention and their spectra: the definitions, multiplied out.

Claims compare the library with these. Nothing here calls a kernel, a law or a spectrum of the
library. A word is a tuple of letters 0, 1, ...; K_ab = alpha 1[x_a = y_b] + C_ab, where C is the
covariance of the positional embeddings, a multiple of the identity where positions are alike.

>>> linear((0, 1), (0, 0), 1, diagonal(1, 2), "sum")
24
>>> [str(c) for c in softmax_series((0, 1), (0, 0), 1, 1, 1, 2)]
['1', '0', '1/4']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, prod
from typing import Any

import flint

from symbench.papers._by_hand import rational
from symbench.papers._second_roads import gaussian_attention
from symbench.papers._symmetric_groups import (
    Images,
    Parts,
    character_by_bins,
    class_size,
    of_cycle_type,
    partitions_of,
)

Letters = tuple[int, ...]
Rows = list[list[Any]]


def words(length: int, letters: int) -> list[Letters]:
    """All words, in lexicographic order."""
    return list(product(range(letters), repeat=length))


def diagonal(value: Any, length: int) -> Rows:
    """The covariance of independent positional embeddings of one law."""
    return [[value * (a == b) for b in range(length)] for a in range(length)]


def covariance(x: Letters, y: Letters, alpha: Any, positions: Rows) -> Rows:
    """K_ab between position a of x and position b of y."""
    return [[alpha * (s == t) + positions[a][b] for b, t in enumerate(y)] for a, s in enumerate(x)]


# --- linear attention -----------------------------------------------------------------------------
def linear(
    x: Letters,
    y: Letters,
    alpha: Any,
    positions: Rows,
    readout: str,
    layers: int = 1,
    causal: bool = False,
) -> Any:
    """The kernel of linear attention: the layers one after another, then what is read.

    The score of query a and key c is q_a . k_c / sqrt(d_k) with independent Gaussian queries and
    keys, so scores of x and y have the mean product K_ab K_cd; values add another K_cd. With a
    mask a query sees the keys up to its own position.
    """
    size = range(len(x))
    K = covariance(x, y, alpha, positions)
    for _ in range(layers):
        K = [
            [
                sum(
                    (K[a][b] * K[c][d]) * K[c][d]
                    for c in size
                    for d in size
                    if not causal or (c <= a and d <= b)
                )
                for b in size
            ]
            for a in size
        ]
    if readout == "sum":
        return sum(map(sum, K))
    return sum(K[a][a] for a in size) if readout == "flatten" else K[-1][-1]


# --- softmax attention ----------------------------------------------------------------------------
# Values of K_ab between two queries, and how many pairs of queries that are read have it.
Queries = dict[Fraction, int]
# cos(7/5) = 0.16996...
_ANGLE, _COSINE = Fraction(7, 5), Fraction(169, 1000)


def queries(x: Letters, y: Letters, alpha: Fraction, beta: Fraction, readout: str) -> Queries:
    """What a readout adds up, by the covariance of the two queries."""
    K = covariance(x, y, alpha, diagonal(beta, len(x)))
    if readout == "sum":
        read = [entry for row in K for entry in row]
    else:
        read = [K[a][a] for a in range(len(x))] if readout == "flatten" else [K[-1][-1]]
    return {Fraction(value): read.count(value) for value in read}


def softmax_series(
    x: Letters, y: Letters, between: Any, alpha: Any, beta: Any, order: int
) -> list[Fraction]:
    """E[softmax(t s)^T K softmax(t s')] to an order in t, for queries of covariance `between`.

    The scores s_c, s'_d are Gaussian, of covariance K_aa K_cc' inside a word and K_ab K_cd between
    the words. Softmax is expanded by dividing power series, and means are sums over pairings.
    """
    L = len(x)
    here = alpha + beta
    C = diagonal(beta, L)
    K, left, right = (covariance(u, v, alpha, C) for u, v in ((x, y), (x, x), (y, y)))
    whole = [[*(here * k for k in left[c]), *(between * k for k in K[c])] for c in range(L)] + [
        [*(between * K[c][d] for c in range(L)), *(here * k for k in right[d])] for d in range(L)
    ]
    found = gaussian_attention(_constants(whole), _constants(K), order)
    return [found.get((n, 0), Fraction(0)) for n in range(order + 1)]


def _constants(rows: Rows) -> Any:
    return [[flint.fmpq_poly([rational(Fraction(entry))]) for entry in row] for row in rows]


def softmax_remainder(x: Letters, y: Letters, alpha: Any, beta: Any, order: int) -> Fraction:
    """A bound of what is left after t^order (an even one), divided by t^(order + 2).

    Softmax over the pairs (c, d) has the logits t (s_c + s'_d), which differ by at most t R. For
    complex t with |Im t| R / 2 <= w < pi/2 the sum of exponentials is at least cos w times that of
    their moduli, so the mean of K, of entries in [0, alpha + beta], is within (alpha + beta) / (2
    cos w) of the middle. Cauchy's estimate with the radius 2 w / R bounds the n-th derivative over
    n! by this times (R / (2 w))^n, and R is at most the sum of the ranges of s and of s'. The
    Gaussian moments of the differences of scores bound those of the ranges. Odd terms have mean 0.
    """
    n, here = order + 2, alpha + beta
    moments = Fraction(0)
    double = prod(range(1, n, 2))  # (n - 1)!!, the moment of a standard Gaussian
    for word in (x, y):
        for c, d in combinations(range(len(word)), 2):
            variance = here * 2 * (beta + alpha * (word[c] != word[d]))
            moments += double * Fraction(variance) ** (n // 2)
    most: Fraction = Fraction(here) / (2 * _COSINE) * 2 ** (n - 1) * moments
    return most / (2 * _ANGLE) ** n


def softmax_ball(
    x: Letters, y: Letters, alpha: Fraction, beta: Fraction, scale: Fraction, readout: str,
    order: int,
) -> flint.arb:  # fmt: skip
    """The kernel of softmax attention as a ball: the series and what may be left of it."""
    read = queries(x, y, alpha, beta, readout)
    middle = Fraction(0)
    for between, times in read.items():
        series = softmax_series(x, y, between, alpha, beta, order)
        middle += times * sum(c * scale**n for n, c in enumerate(series))
    left = softmax_remainder(x, y, alpha, beta, order) * scale ** (order + 2)
    return ball(middle, left * sum(read.values()))


def ball(middle: Fraction, radius: Fraction) -> flint.arb:
    """All numbers within a radius of the middle."""
    return flint.arb(rational(Fraction(middle)), flint.arb(rational(Fraction(radius))).upper())


def softmax_second_order(
    table: Sequence[Sequence[int]], alpha: Fraction, beta: Fraction
) -> Callable[[Fraction], tuple[Fraction, Fraction]]:
    """The coefficients of 1 and t^2 by the covariance of the queries, from numbers of letters.

    The weights are 1/L times 1 + (s_c - mean) + ((s_c - mean)^2 - the mean of these) / 2 to second
    order, so with P = 1 - 11^T/L the second coefficient is, over L^2, K_ab sum K (P K P), and for
    each word K_aa / 2 times the sum of K_cd ((P K_x P)_cc - their mean).
    """
    n, p = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    L, here = sum(n), alpha + beta
    matches = sum(row[v] for v, row in enumerate(table))
    meetings = sum(a * b for a, b in zip(n, p, strict=True))
    total = alpha * meetings + beta * L
    # Row sums of K at a letter of x, column sums at one of y; those of K_x and K_y the other way.
    rows, columns = [alpha * b + beta for b in p], [alpha * a + beta for a in n]
    squares = alpha**2 * meetings + 2 * alpha * beta * matches + beta**2 * L
    centred = squares + Fraction(total) ** 2 / L**2
    alone = Fraction(0)
    for numbers, outer, inner in ((n, rows, columns), (p, columns, rows)):
        centred -= Fraction(sum(k * r * r for k, r in zip(numbers, outer, strict=True))) / L
        own = sum(k * r for k, r in zip(numbers, inner, strict=True))
        mixed = sum(k * r * s for k, r, s in zip(numbers, outer, inner, strict=True))
        alone -= Fraction(here) / L * (mixed - Fraction(total * own) / L)
    return lambda between: (Fraction(total) / L**2, (between * centred + alone) / L**2)


def words_of(table: Sequence[Sequence[int]]) -> tuple[Letters, Letters]:
    """A pair of words with this table of letters."""
    pairs = [(u, v) for u, row in enumerate(table) for v, n in enumerate(row) for _ in range(n)]
    return tuple(u for u, _ in pairs), tuple(v for _, v in pairs)


# --- spectra --------------------------------------------------------------------------------------
def operator(kernel: Callable[[Letters, Letters], Any], law: dict[Letters, Fraction]) -> Any:
    """k(x, y) p(y) over all words."""
    return flint.fmpq_mat(
        [[rational(Fraction(kernel(x, y)) * p) for y, p in law.items()] for x in law]
    )


def power_sums(
    matrix: Any, every: list[Letters], group: str | Parts, irrep: Any, powers: int
) -> list[flint.arb]:
    """The power sums of the eigenvalues on the copies of one irrep, from the whole matrix.

    It commutes with the group, so sum over j-th powers = 1/|G| sum over g of chi(g) tr(g M^j). The
    group is 'cyclic' (irreps are frequencies) or the sizes of segments (tuples of partitions).
    """
    place = {word: k for k, word in enumerate(every)}
    length = len(every[0])
    weighted: list[tuple[flint.arb, list[int]]] = []
    for g, weight in _elements(group, irrep, length):
        image = [place[tuple(word[g[a]] for a in range(length))] for word in every]
        weighted.append((weight, image))
    found, power = [], matrix
    for j in range(powers):
        power = power * matrix if j else matrix
        total = flint.arb(0)
        for weight, image in weighted:
            total += weight * sum((power[k, moved] for k, moved in enumerate(image)), flint.fmpq(0))
        found.append(total)
    return found


def _elements(group: str | Parts, irrep: Any, length: int) -> list[tuple[Images, flint.arb]]:
    """Permutations, one for each class, with the size of the class times chi / |G|."""
    if group == "cyclic":
        return [
            (
                tuple((a + t) % length for a in range(length)),
                (flint.arb.pi() * 2 * irrep * t / length).cos() / length,
            )
            for t in range(length)
        ]
    found = []
    for types in product(*(list(partitions_of(int(size))) for size in group)):
        g: list[int] = []
        weight = Fraction(1)
        for mu, shape in zip(types, irrep, strict=True):
            g += [len(g) + image for image in of_cycle_type(mu)]
            weight *= Fraction(class_size(mu) * character_by_bins(shape, mu), factorial(sum(mu)))
        found.append((tuple(g), flint.arb(rational(weight))))
    return found


def dimension_of(group: str | Parts, irrep: Any, length: int) -> int:
    """The dimension of an irrep: the character at the identity; real ones of rotations."""
    if group == "cyclic":
        return 1 if 2 * irrep % length == 0 else 2
    return prod(character_by_bins(shape, (1,) * sum(shape)) for shape in irrep)


def two_row_dimension(length: int, m: int) -> int:
    """C(L, m) - C(L, m - 1)."""
    return comb(length, m) - (comb(length, m - 1) if m else 0)
