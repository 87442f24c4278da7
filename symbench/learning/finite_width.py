"""Finite networks of linear attention, exactly: their kernel, and how far they are from Gaussian.

The network is the one of `networks`: H heads of key width d_k and value width d_v, embeddings that
are fixed with the Gram matrix K_ab = alpha 1[x_a = x_b] + beta 1[a = b], or infinitely wide. By
Wick's rule, with W the matrix of the readout (the identity, all ones, or one entry),
r = tr((WK)^2) / tr(WK)^2 and c = tr(K^4) / tr(K^2)^2, the excess kurtosis of the output is

    6/H [ rc + (r + c + rc)(1/d_k + 1/d_v) + (1 + r + c + 3rc) / (d_k d_v) ].

Why: the output is a sum of products w q k v of four independent Gaussian families, so its fourth
moment is a sum over four pairings of four copies. Neighbours in the ring w, q, k, v share an index;
where their pairings differ, the term has the factor r (the positions of w and q), 1/d_k (the
numbers of q and k), c (the positions of k and v) or 1/d_v (the numbers of v and w). Heads are
independent, so the fourth cumulant has the factor 1/H. The steps are in
proofs/lavie2024/gaussian-limit.md.

>>> kernel = linear_attention(1, 1, readout="flatten")
>>> excess_kurtosis(kernel, (0, 1, 1), heads=1, key_width=None)  # d_k to infinity: not Gaussian
7/6
>>> excess_kurtosis(kernel, (0, 1, 1), heads=100, key_width=None)
7/600
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from symbench._arguments import shown
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.kernels.linear_attention import LinearAttention
from symbench.laws.exchangeable import positive, read_word

Word = tuple[int, ...]
_LONGEST = 16


def read_network_kernel(kernel: Any) -> LinearAttention:
    """The kernel of one layer of linear attention with numbers in it, or an error."""
    if not isinstance(kernel, LinearAttention):
        raise BadType(
            f"{shown(kernel)} is not the kernel of a network here: give linear_attention(1, 1)"
        )
    if kernel.alpha is None or kernel.beta is None:
        raise BadType(f"{kernel!r} has variables: give alpha and beta as exact numbers")
    if kernel.layers != 1 or kernel.causal:
        raise BadValue(f"{kernel!r}: networks here have one layer and no mask")
    return kernel


def excess_kurtosis(
    kernel: LinearAttention,
    word: Any,
    *,
    heads: int,
    key_width: int | None,
    value_width: int | None = None,
) -> Rational:
    """The excess kurtosis of the output at a word: exact, and 0 for a Gaussian.

    The embeddings are fixed with the Gram matrix K, or their width is infinite. key_width None
    is the limit of infinitely wide keys and values; value_width None is the same as key_width.

    >>> excess_kurtosis(linear_attention(1, 0), (0,), heads=1, key_width=1)  # E (wqkv)^4 = 3^4
    78
    >>> [str(excess_kurtosis(linear_attention(1, 1), (0, 1), heads=h, key_width=8))
    ...  for h in (1, 2, 4)]
    ['51/8', '51/16', '51/32']
    """
    chosen, count = read_network_kernel(kernel), positive(heads, "heads")
    keys = Rational(0) if key_width is None else Rational(1, positive(key_width, "key_width"))
    values = keys if value_width is None else Rational(1, positive(value_width, "value_width"))
    r, c = concentrations(chosen, word)
    inside = r * c + (r + c + r * c) * (keys + values) + (1 + r + c + 3 * r * c) * keys * values
    return Rational(6 * inside / count)


def concentrations(kernel: LinearAttention, word: Any) -> tuple[Rational, Rational]:
    """The numbers r = tr((WK)^2) / tr(WK)^2 and c = tr(K^4) / tr(K^2)^2 of a word.

    Both are between 1/L and 1.

    >>> concentrations(linear_attention(1, 1, readout="flatten"), (0, 1))
    (1/2, 1/2)
    """
    chosen = read_network_kernel(kernel)
    letters = read_word(word, 1 << 62)
    size = len(letters)
    if size == 0:
        raise BadValue("the empty word has no attention: give at least one token")
    alpha, beta = Fraction(chosen.alpha or 0), Fraction(chosen.beta or 0)
    if alpha == 0 and beta == 0:
        raise BadValue(f"{chosen!r} is 0: the output is constant and has no kurtosis")
    # A token that occurs n times has the eigenvalues beta + n alpha, and beta n - 1 times.
    counts = Counter(letters).values()

    def trace(power: int) -> Fraction:
        found = (size - len(counts)) * beta**power
        return found + sum((beta + n * alpha) ** power for n in counts)

    # The other readouts have a W of rank 1.
    r = trace(2) / trace(1) ** 2 if chosen.readout == "flatten" else Fraction(1)
    return Rational(r), Rational(trace(4) / trace(2) ** 2)


def finite_width_kernel(kernel: LinearAttention, x: Any, y: Any, *, width: int | None) -> Rational:
    """The covariance of the outputs at two words, with random embeddings of this width: exact.

    It is the same for every number of heads and width of keys and values, and tends to the
    kernel as 1/width; None is the limit.

    >>> kernel = linear_attention(1, 0, readout="flatten")
    >>> [str(finite_width_kernel(kernel, (0,), (0,), width=d)) for d in (1, 2, 100, None)]
    ['15', '6', '663/625', '1']
    """
    chosen = read_network_kernel(kernel)
    first, second = read_word(x, 1 << 62), read_word(y, 1 << 62)
    size = len(first)
    if len(second) != size or not size:
        raise BadShape(
            f"the words {first} and {second} must have one length, and at least one token"
        )
    if size > _LONGEST:
        raise TooLarge(f"words of length {size}: the sum has L^4 terms, give at most {_LONGEST}")
    alpha, beta = Fraction(chosen.alpha or 0), Fraction(chosen.beta or 0)
    share = Fraction(0) if width is None else Fraction(1, positive(width, "width"))
    places = range(size)
    read = [
        (a, b)
        for a, b in product(places, repeat=2)
        if chosen.readout == "sum" or (a == b and (chosen.readout == "flatten" or a == size - 1))
    ]

    def covariance(s: tuple[Word, int], t: tuple[Word, int]) -> Fraction:
        return alpha * (s[0][s[1]] == t[0][t[1]]) + beta * (s[1] == t[1])

    # The mean of z_a.z'_b (z_c.z'_d)^2, a factor 1/width for each cycle that is missing.
    matchings = [(pairs, share ** (3 - _cycles(pairs))) for pairs in _matchings(tuple(range(6)))]
    total = Fraction(0)
    for (a, b), c, d in product(read, places, places):
        slots = ((first, a), (second, b), (first, c), (second, d), (first, c), (second, d))
        for pairs, factor in matchings:
            for s, t in pairs:
                factor *= covariance(slots[s], slots[t])
                if not factor:
                    break
            total += factor
    return Rational(total)


def _matchings(slots: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways to pair the slots."""
    if not slots:
        yield ()
        return
    for k in range(1, len(slots)):
        for rest in _matchings(slots[1:k] + slots[k + 1 :]):
            yield ((slots[0], slots[k]), *rest)


def _cycles(pairs: tuple[tuple[int, int], ...]) -> int:
    """The cycles of a matching together with the pairs (0, 1), (2, 3), (4, 5)."""
    partner = {s: t for pair in pairs for s, t in (pair, pair[::-1])}
    left, count = set(partner), 0
    while left:
        here = next(iter(left))
        while here in left:
            left -= {here, partner[here]}
            here = partner[here] ^ 1  # the other end of the factor
        count += 1
    return count
