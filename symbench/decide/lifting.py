"""Null vectors of large integer matrices, by p-adic lifting and lattice reduction.

The solution X of A X = B has a denominator of about as many digits as det A, and Dixon's lifting
needs twice as many digits p-adically to see it. But the integer vectors c for which X c is
integral form a lattice, and its short vectors share those digits out among the k columns of B:
both c and X c then have about one k-th of them. So lifting to the 2/k-th part is enough for LLL to
find them. Whatever is found is multiplied out, so nothing rests on how likely any of this is; and
the search ends, because with the digits that Cramer's rule asks for X is read off without LLL.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import flint

from symbench.draw.progress import progress
from symbench.exact.primes import WORD, witness_primes

_PRIME = WORD >> 1  # primes are below
# LLL reduces twice as many columns as it is given; with more of them it costs more than it saves.
_TOGETHER = 6
# Bits by which other entries may be larger than those that LLL has seen, at first.
_ROOM = 32


def short_solutions(core: Any, right: Any) -> Iterator[tuple[list[int], Any, Any]]:
    """(columns, Y, C) for groups of columns of the right side: core Y = right[columns] C.

    core is a nonsingular integer matrix, C a nonsingular one as large as the group, and the
    entries of Y and C are about as small as they can be.
    """
    lift, table = _Lifting(core, right), right.table()
    count = right.ncols()
    groups = -(-count // _TOGETHER)
    for group in range(groups):  # as even as can be
        columns = list(range(group * count // groups, (group + 1) * count // groups))
        part = [row[j] for row in table for j in columns]
        yield columns, *lift.solutions(flint.fmpz_mat(len(table), len(columns), part))


class _Lifting:
    """A nonsingular integer matrix with its inverses modulo two primes of a machine word.

    A product with the matrix costs the same for digits of one word and of two.
    """

    def __init__(self, core: Any, right: Any) -> None:
        self.core, self.size = core, core.nrows()
        # Hadamard: no minor of both is larger, so no denominator and no numerator of a solution.
        width, both = self.size + right.ncols(), zip(core.table(), right.table(), strict=True)
        largest = (max(*row, *more, -min(*row, *more)) for row, more in both)
        norms = (width * int(entry) ** 2 for entry in largest)
        self.minors = 1 << (sum(norm.bit_length() for norm in norms) + 1) // 2
        self.images: list[tuple[int, Any]] = []
        primes = witness_primes(_PRIME)
        for prime in islice(primes, 2 + self.minors.bit_length() // (_PRIME.bit_length() - 2)):
            if len(self.images) == 2:
                break
            with suppress(ZeroDivisionError):  # it divides the determinant
                self.images.append((prime, flint.nmod_mat(core, prime).inv()))
        if len(self.images) < 2:
            raise AssertionError("more primes than fit divide the determinant of a core")
        (self.first, _), (self.second, _) = self.images
        self.base = self.first * self.second

    def solutions(self, right: Any) -> tuple[Any, Any]:
        """(Y, C) with core Y = right C."""
        found, power, lifted, rest = 0 * right, 1, 0, right
        likely, most = self._digits(right.ncols())
        with progress("digits of null vectors", likely) as report:
            while True:
                digits = []
                # Short answers are found early; the digits of a random matrix are known beforehand.
                goal = max((8 if lifted < likely else 2) * lifted, 1)
                goal = likely if lifted < likely < 4 * goal else min(goal, most)
                for _ in range(goal - lifted):
                    digits.append(self._digit(rest))
                    rest = (rest - self.core * digits[-1]) / self.base
                    report(1)
                found = found + power * _joined(digits, self.base)
                power, lifted = power * self.base ** len(digits), lifted + len(digits)
                sure = lifted == most
                reduced = _cleared(found, power, self.minors) if sure else _reduced(found, power)
                if reduced is not None and self.core * reduced[0] == right * reduced[1]:
                    return reduced
                if sure:
                    raise AssertionError("a solution with more digits than Cramer's rule allows")

    def _digits(self, count: int) -> tuple[int, int]:
        """How many digits a random matrix needs for so many columns, and how many are enough."""
        width = self.base.bit_length() - 1
        most = (2 * self.minors**2).bit_length() // width + 1
        share = (count + _seen(count)) / (2 * count * _seen(count))
        return min(int(share * most) + 2 * _ROOM // width + 1, most), most

    def _digit(self, rest: Any) -> Any:
        """The solution modulo the base."""
        first, second = (inverse * flint.nmod_mat(rest, prime) for prime, inverse in self.images)
        low = _integers(first)
        high = (second - flint.nmod_mat(low, self.second)) * pow(self.first, -1, self.second)
        return low + self.first * _integers(high)


def _seen(columns: int) -> int:
    """How many combinations of rows LLL is shown."""
    return max(columns, 2)


def _reduced(found: Any, power: int) -> tuple[Any, Any] | None:
    """(Y, C) with Y = found C modulo the power and small entries, or None.

    LLL sees some combinations of the rows. Where their denominators are not all, the entries of
    the other rows show what is missing.
    """
    size, count = found.nrows(), found.ncols()
    seen, stream = _seen(count), random.Random(0)
    mixed = flint.fmpz_mat(seen, size, stream.choices((-1, 1), k=seen * size)) * found
    table = [[int(i == j) for j in range(count + seen)] for i in range(count)]
    for j in range(count):
        table[j][count:] = [int(mixed[i, j]) % power for i in range(seen)]
    table += [[0] * (count + i) + [power] + [0] * (seen - 1 - i) for i in range(seen)]
    rows = flint.fmpz_mat(table).lll().table()[:count]
    # The room grows with the digits, so that entries which cancel in the combinations are found.
    room = max(_ROOM, power.bit_length() // 8)
    bound = max(abs(int(x)) for row in rows for x in row) << room
    combined = flint.fmpz_mat([[int(row[j]) for row in rows] for j in range(count)])
    if combined.det() == 0:
        return None
    cleared = _cleared(found * combined, power, bound)
    return None if cleared is None else (cleared[0], combined * cleared[1])


def _cleared(values: Any, power: int, bound: int) -> tuple[Any, Any] | None:
    """(Y, C) with Y = values C modulo the power, where C is the least number that makes Y small.

    Where a number makes them at most the bound, and power > 2 * bound * that number, the least one
    makes them so over the integers, too: it is their denominator. None if there is no such number.
    """
    entries = [_balanced(int(x), power) for x in values.entries()]
    scale, count = 1, values.ncols()
    while (large := next((x for x in entries if abs(x) > bound), None)) is not None:
        factor = _denominator(large, power, bound)
        bound, scale = bound * factor, scale * factor
        if 2 * bound >= power:
            return None
        entries = [_balanced(factor * x, power) for x in entries]
    diagonal = [[scale * int(i == j) for j in range(count)] for i in range(count)]
    return flint.fmpz_mat(values.nrows(), count, entries), flint.fmpz_mat(diagonal)


def _denominator(value: int, power: int, bound: int) -> int:
    """The least d > 0 for which d times the value, modulo the power, is at most the bound."""
    old, new, before, now = power, value % power, 0, 1
    while new > bound:
        quotient = old // new
        old, new = new, old - quotient * new
        before, now = now, before - quotient * now
    return abs(now)


def _balanced(value: int, power: int) -> int:
    """The residue of least absolute value."""
    value %= power
    return value - power if 2 * value > power else value


def _integers(residues: Any) -> Any:
    entries = list(map(int, residues.entries()))
    return flint.fmpz_mat(residues.nrows(), residues.ncols(), entries)


def _joined(digits: Sequence[Any], base: int) -> Any:
    """The matrix with these digits, the lowest first: halves first, so that products are few."""
    if len(digits) == 1:
        return digits[0]
    half = len(digits) // 2
    return _joined(digits[:half], base) + base**half * _joined(digits[half:], base)
