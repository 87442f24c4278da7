"""Moments of a law on words, exactly: symmetric to some order, or a witness that they are not.

A moment of order r is the joint law of the tokens at r positions. A law is exchangeable iff all
its moments are symmetric, and symmetric moments of low order prove nothing about higher ones.

>>> moment_witness(hidden_triple(), order=2) is None
True
>>> moment_witness(hidden_triple(), order=3)
((1, 2, 3), (1, 2, 4), (0, 0, 0), 1/4, 1/8)
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.laws.base import Word, distribution

Moments = dict[tuple[int, ...], dict[Word, Rational]]
# At most this many tuples of positions, times words, are gone through.
_ENTRIES = 4_000_000


def hidden_triple() -> dict[Word, Rational]:
    """The uniform law on words of four bits with x_1 + x_2 + x_3 even.

    All its moments of order 1 and 2 are those of independent fair bits, and it is not symmetric:
    the first three signs multiply to 1, the last three to 1 or -1.

    >>> law = hidden_triple()
    >>> [moment_residual(law, order=k) for k in (1, 2, 3)]
    [0, 0, 9/236]
    """
    return {word: Rational(1, 8) for word in product(range(2), repeat=4) if sum(word[:3]) % 2 == 0}


def moment_residual(law: Mapping[Word, Any], *, order: int) -> Rational:
    """The exact |S - PS|^2 / |S|^2, where S are the moments of a law given word by word.

    >>> moment_residual({(0, 1): "1/2", (1, 0): "1/2"}, order=2)
    0
    """
    moments = _law_moments(law, integer(order, "the order", at_least=1))
    total = sum(p * p for rows in moments.values() for p in rows.values())
    lost = Fraction(0)
    for pattern in set(map(_pattern, moments)):
        group = [m for places, m in moments.items() if _pattern(places) == pattern]
        for letters in set().union(*group):
            values = [m.get(letters, Rational(0)) for m in group]
            mean = sum(values, Fraction(0)) / len(values)
            lost += sum(((value - mean) ** 2 for value in values), Fraction(0))
    return Rational(lost / total)


def moment_witness(
    law: Mapping[Word, Any], *, order: int
) -> tuple[tuple[int, ...], tuple[int, ...], Word, Rational, Rational] | None:
    """Two tuples of positions and tokens at them whose probabilities differ, or None.

    The positions of a tuple are different, and their order matters: a symmetric law gives the
    tokens u, v at positions 1, 2 the same probability as at 2, 1.

    >>> moment_witness(hidden_triple(), order=2) is None
    True
    >>> moment_witness(hidden_triple(), order=3)
    ((1, 2, 3), (1, 2, 4), (0, 0, 0), 1/4, 1/8)
    >>> moment_witness({(0, 1): "1/3", (1, 2): "1/3", (2, 0): "1/3"}, order=2)
    ((1, 2), (2, 1), (0, 1), 1/3, 0)
    """
    moments = _law_moments(law, integer(order, "the order", at_least=1))
    size = 1 + max(places[0] for places in moments)
    for k in range(1, min(order, size) + 1):
        chosen = list(permutations(range(size), k))
        filled = [places + (places[-1],) * (order - k) for places in chosen]
        for places, full in zip(chosen[1:], filled[1:], strict=True):
            first = moments[filled[0]]
            for letters in sorted({*first, *moments[full]}):
                p, q = first.get(letters, Rational(0)), moments[full].get(letters, Rational(0))
                if p != q:
                    one, other = (tuple(a + 1 for a in x) for x in (chosen[0], places))
                    return one, other, letters[:k], p, q
    return None


def _pattern(places: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(places.index(a) for a in places)


def _law_moments(law: Any, order: int) -> Moments:
    """The probability of tokens u, v, ... at positions a, b, ..., for all tuples of positions."""
    if not isinstance(law, Mapping) or not law:
        raise BadType(f"the law is {shown(law)}: give a dictionary from words to probabilities")
    for word in law:
        if not isinstance(word, tuple):
            raise BadType(f"a word is {shown(word)}: give a tuple of tokens")
    sizes = {len(word) for word in law}
    if len(sizes) != 1 or min(sizes) == 0:
        raise BadShape(f"the words have lengths {sorted(sizes)}: give one length of at least 1")
    chances = distribution(law.values(), "the list of probabilities")
    words, size = dict(zip(law, chances, strict=True)), sizes.pop()
    # A power of two or more is too large before its exponent is 32.
    if order * size ** min(order, 32) * len(words) > _ENTRIES:
        raise TooLarge(
            f"there are {size}^{number_text(order)} tuples of positions for {len(words):,} words: "
            "give a smaller order"
        )
    found: Moments = {}
    for places in product(range(size), repeat=order):
        table: dict[Word, Rational] = {}
        for word, p in words.items():
            letters = tuple(word[a] for a in places)
            table[letters] = Rational(table.get(letters, 0) + p)
        found[places] = table
    return found
