"""Attention maps at zero: all their partial derivatives there, exactly.

The derivative of coordinate a with respect to the positions with multiplicities m depends only on
m_a and on the multiset of the other multiplicities. For softmax, with E = sum_c (e^{u_c} - 1),

    smax_a(u) = e^{u_a} / (k + E) = (1/k) sum_l (-1/k)^l e^{u_a} E^l,

and the coefficient of u^m in e^{u_a} E^l is l! times a product of Stirling numbers of the second
kind S over the factors of E, so that

    d^m smax_a (0) = sum over (l_c) of
                     (1/k) (-1/k)^l l! S(m_a + 1, l_a + 1) prod_{c != a} S(m_c, l_c),

l the sum of the l_c. A map is normalised if its coordinates add up to one; the others here are
coordinatewise: coordinate a is a function of the logit u_a alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import factorial

import attrs

from symbench._arguments import choice


@lru_cache(maxsize=1 << 14)
def stirling(n: int, m: int) -> int:
    """The Stirling number of the second kind: partitions of n points into m blocks."""
    if n == 0 or m == 0:
        return int(n == m)
    return m * stirling(n - 1, m) + stirling(n - 1, m - 1)


@attrs.frozen
class AttentionMap:
    """An attention map by its derivatives at zero, made integers by powers of `base(k)`.

    `derivative(k, m_a, others)` is base(k)^(|m| + 1) d^m f_a(0), where `others` are the
    multiplicities of the other positions, decreasing, without zeros.
    """

    name: str
    # The function of its own logit that every coordinate is; None where the map is normalised.
    activation: str | None
    base: Callable[[int], int] = attrs.field(repr=False, eq=False)
    derivative: Callable[[int, int, tuple[int, ...]], int] = attrs.field(repr=False, eq=False)

    @property
    def normalised(self) -> bool:
        """Whether the coordinates add up to one."""
        return self.activation is None


@lru_cache(maxsize=1 << 14)
def _softmax(length: int, own: int, others: tuple[int, ...]) -> int:
    order = own + sum(others)
    # The generating polynomial of (l_c), one factor per position.
    counts = [stirling(own + 1, n + 1) for n in range(own + 1)]
    for m in others:
        new = [0] * (len(counts) + m)
        for i, c in enumerate(counts):
            for n in range(m + 1):
                new[i + n] += c * stirling(m, n)
        counts = new
    return sum(
        (-1) ** n * factorial(n) * c * length ** (order - n) for n, c in enumerate(counts) if c
    )


def _coordinatewise(
    name: str, activation: str, base: int, derivative: Callable[[int], int]
) -> AttentionMap:
    def at_zero(length: int, own: int, others: tuple[int, ...]) -> int:
        return 0 if others else derivative(own)

    return AttentionMap(name, activation, lambda length: base, at_zero)


_MAPS = {
    map_.name: map_
    for map_ in (
        AttentionMap("softmax", None, lambda length: length, _softmax),
        _coordinatewise("exponential", "exp", 1, lambda n: 1),
        _coordinatewise("linear", "identity", 1, lambda n: int(n == 1)),
        # 1/(1 + e^-u) is the first of two softmax coordinates at (u, 0).
        _coordinatewise("sigmoid", "sigmoid", 2, lambda n: _softmax(2, n, ())),
    )
}


def attention_map(name: str) -> AttentionMap:
    """The attention map of this name."""
    return _MAPS[choice(name, "the attention map", _MAPS)]
