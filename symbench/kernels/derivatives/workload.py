"""Workload: what the features of strings take, in seconds and bytes, before any is formed.

The counts are numbers of monomials; the seconds and bytes that each takes were measured, on one
slow core, for orders from 4 to 60 and lengths from 1 to 12, and agree within a factor of two.

>>> Workload.of([("AB", 2)] * 2, order=6)
<about 1 s and 1 MB>
>>> Workload.check([("AB", 2)] * 2, order=100)
Traceback (most recent call last):
...
symbench.errors.TooLarge: order 100 in beta at length 2 would take about 1,... s and 26,... MB: \
order 59 takes ... s; take a lower order or shorter strings
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import Any

import attrs

from symbench.errors import TooLarge

# Exponents are held in one signed byte.
_MOST_ORDER = 126
# What may be spent on one call: a few minutes, and what small machines have.
_SECONDS, _BYTES = 150.0, 1.5e9

# A string's letters, and how many of its tokens are shared with the others.
Kind = tuple[Sequence[Any], int]


def sizes(codes: Sequence[Any]) -> tuple[int, ...]:
    """How often the tokens of a string occur, most often first.

    >>> sizes("ABCBB")
    (3, 1, 1)
    """
    return tuple(sorted(Counter(codes).values(), reverse=True))


def derivative_seconds(form: tuple[int, ...], d: int, j: int, order: int) -> float:
    """Seconds for the derivatives of order d of one string with j inner pairs, i of them fixed."""
    length = sum(form)
    here = comb(length + d - 1, d)
    # Without a repeated token all exponents of the inner pairs are even.
    distinct = len(form) == length
    inner = comb(length + j - 1, j) if distinct else comb(length + 2 * j - 1, 2 * j)
    # From about order 12 on the numbers no longer fit into machine words.
    each = 2e-7 if order < 12 else 1e-6
    return 1.1e-4 * here + each * here * inner * length


def mixing_seconds(length: int, shared: int, d: int) -> float:
    """Seconds to combine the derivatives of order d of one string for the shared tokens."""
    width = length + shared
    here, rows = comb(length + d - 1, d), comb(width + d - 1, d)
    return 2.5e-8 * rows * length * (here + width) + 2e-6 * rows * width


@attrs.frozen(repr=False)
class Workload:
    """Seconds and bytes of the features of some strings and of their products."""

    seconds: float
    bytes: float

    def __repr__(self) -> str:
        return f"<about {math.ceil(self.seconds):,} s and {math.ceil(self.bytes / 1e6):,} MB>"

    @property
    def fits(self) -> bool:
        """Whether it may be started."""
        return self.seconds <= _SECONDS and self.bytes <= _BYTES

    @classmethod
    def of(cls, kinds: Sequence[Kind], *, order: int) -> Workload:
        """The features of all strings to an order in beta, and the products of any two.

        Strings whose tokens occur equally often have their derivatives in common.
        """
        half = order // 2
        terms = [(d, j) for d in range(half + 1) for j in range(half - d + 1)]
        seconds = size = 0.0
        for form in {sizes(codes) for codes, _ in kinds}:
            seconds += sum((j + 1) * derivative_seconds(form, d, j, order) for d, j in terms)
        for (length, shared), count in Counter((len(c), shared) for c, shared in kinds).items():
            width = length + shared
            for d, j in terms:
                rows = comb(width + d - 1, d)
                seconds += count * (j + 1) * mixing_seconds(length, shared, d)
                size += count * 100.0 * (j + 1) * rows * width
                size += 10.0 * rows * comb(length + d - 1, d) * (j == 0)
        codes, shared = kinds[0]
        return cls(seconds + cls._of_products(len(codes), shared, order, len(kinds)), size)

    @staticmethod
    def _of_products(length: int, shared: int, order: int, strings: int) -> float:
        half, width = order // 2, length + shared
        products = multiplications = 0
        for d in range(half + 1):
            left = half - d
            # Pairs (j, i), (j', i') with i <= j, i' <= j' and j + j' <= left.
            pairs = sum((j + 1) * comb(left - j + 2, 2) for j in range(left + 1))
            products += pairs * (d + 2 if shared else 1)
            multiplications += pairs * comb(width + d - 1, d) * width
        return 3e-6 * products + 2e-8 * multiplications * strings**2

    @classmethod
    def check(cls, kinds: Sequence[Kind], *, order: int) -> Workload:
        """Refuse what would take more than a few minutes, and say which order would not."""
        length = len(kinds[0][0])
        advice = "take a lower order or shorter strings"
        if order > _MOST_ORDER:
            raise TooLarge(
                f"order {order} in beta: {_MOST_ORDER} is the highest that is expanded, and not "
                f"for long strings; {advice}"
            )
        found = cls.of(kinds, order=order)
        if found.fits:
            return found
        many = f" for {len(kinds):,} strings" if len(kinds) > 2 else ""
        needs = f"{found!r}"[1:-1]
        within = next(n for n in range(order - 1, -1, -1) if n == 0 or cls.of(kinds, order=n).fits)
        lower = cls.of(kinds, order=within)
        fits = f"order {within} takes {math.ceil(lower.seconds)} s; " if lower.fits else ""
        raise TooLarge(
            f"order {order} in beta at length {length}{many} would take {needs}: {fits}{advice}"
        )
