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


def block_seconds(length: int, shared: int, d: int, j: int, order: int, distinct: bool) -> float:
    """Seconds for the derivatives of order d of one string with j inner pairs, i of them fixed."""
    width = length + shared
    here, rows = comb(length + d - 1, d), comb(width + d - 1, d)
    # Without a repeated token all exponents of the inner pairs are even.
    inner = comb(length + j - 1, j) if distinct else comb(length + 2 * j - 1, 2 * j)
    # From about order 12 on the numbers no longer fit into machine words.
    each = 2e-7 if order < 12 else 1e-6
    mixed, entries = rows * length * (here + width), rows * width
    return 1.1e-4 * here + each * here * inner * length + 2.5e-8 * mixed + 2e-6 * entries


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
        """The features of all strings to an order in beta, and the products of any two."""
        seconds = size = 0.0
        for codes, shared in kinds:
            one = cls._of_features(len(codes), shared, order, len(set(codes)) == len(codes))
            seconds, size = seconds + one.seconds, size + one.bytes
        codes, shared = kinds[0]
        return cls(seconds + cls._of_products(len(codes), shared, order, len(kinds)), size)

    @classmethod
    def _of_features(cls, length: int, shared: int, order: int, distinct: bool) -> Workload:
        half, width = order // 2, length + shared
        seconds = size = 0.0
        for d in range(half + 1):
            rows = comb(width + d - 1, d)
            size += 10.0 * rows * comb(length + d - 1, d)
            for j in range(half - d + 1):
                seconds += (j + 1) * block_seconds(length, shared, d, j, order, distinct)
                size += 100.0 * (j + 1) * rows * width
        return cls(seconds, size)

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
