"""Eigenvalues in floats, and how far they may be off: two computations of every block.

By Weyl's inequality eigenvalues differ by no more than the norm of the difference of two operators.
So each block is computed twice, and the difference of the two, with what LAPACK may lose, says how
many digits of its eigenvalues are stated. For two tokens the computations are the two sums of
`hahn`, from one list of values each; else they are exact blocks of the two lists, or FLINT's
eigenvalues against LAPACK's where the kernel has only one list.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from math import comb
from typing import Any

import attrs
import flint

from symbench.errors import BadValue, TooLarge, Undecided
from symbench.exact.rational import fmpq
from symbench.kernels.float_value import FloatValue
from symbench.laws.exchangeable import Law, compositions, number_of_words
from symbench.spectra.blocks import operator_blocks
from symbench.spectra.enclosures import canonical, enclosures, midpoints
from symbench.spectra.float_values import Place, float_values
from symbench.spectra.hahn import float_blocks, root_of_dimension
from symbench.spectra.invariant import InvariantKernel, Table, Word
from symbench.spectra.on_table import diagonal
from symbench.young import Partition

_EPSILON = 2.0**-52
# Numbers that are smaller, and not zero, lose digits when they are made floats.
_SMALL = 2.0**-960
_LARGE = flint.fmpz(10) ** 300
# Entries of all blocks, each of which is about one value of the kernel: minutes.
_ROOM = 22_000_000


@attrs.frozen
class FloatBlock:
    """The float eigenvalues of one irreducible, largest first, and how far they may be off."""

    partition: Partition
    eigenvalues: tuple[float, ...]
    error: float

    def stated(self, digits: int) -> tuple[FloatValue, ...]:
        """The eigenvalues with the digits that two computations share, at most so many.

        >>> [str(v) for v in FloatBlock(Partition(2), (1 / 3, 1e-9), 1e-7).stated(8)]
        ['0.333333', '1e-09']
        """
        return tuple(FloatValue(v, shared_digits(v, self.error, digits)) for v in self.eigenvalues)


def shared_digits(value: float, error: float, most: int) -> int:
    """How many significant digits of a value an error leaves, from 0 to most.

    >>> shared_digits(0.5, 1e-6, 13), shared_digits(1e-9, 1e-6, 13), shared_digits(0.0, 0.0, 8)
    (5, 0, 8)
    """
    if error == 0:
        return most
    if abs(value) <= error:
        return 0
    return min(most, math.floor(-math.log10(max(error / abs(value), _EPSILON))))


@attrs.frozen(eq=False)
class TwoKernels:
    """A kernel in two float computations: what each of them says at a place.

    `exact` is the kernel itself where it has exact values or balls, and then both are its
    values rounded.
    """

    first: Callable[[Place], float]
    second: Callable[[Place], float]
    exact: InvariantKernel | None

    @classmethod
    def rounded(cls, kernel: InvariantKernel) -> TwoKernels:
        """The roundings of a kernel with exact values or balls."""
        value = _Rounding(kernel)
        return cls(value, value, kernel)

    @property
    def radius(self) -> float:
        """How far the values asked for so far may be from the kernel's, beside their rounding."""
        return self.first.radius if isinstance(self.first, _Rounding) else 0.0

    @classmethod
    def computed(
        cls, kernel: Any, length: int, vocabulary: int, fixed: int, digits: int
    ) -> TwoKernels:
        """The two computations of a kernel with float values, on all tables."""
        shape = InvariantKernel(kernel, length, vocabulary, fixed, "by construction", _no_value)
        ends = list(itertools.product(range(vocabulary), repeat=fixed))
        whole = itertools.product(shape.tables(), ends, ends)
        places = list(dict.fromkeys(canonical(*place) for place in whole))
        one, two = float_values(kernel, places, digits=digits)
        firsts = dict(zip(places, one, strict=True))
        seconds = dict(zip(places, two, strict=True))
        return cls(
            lambda place: firsts[canonical(*place)],
            lambda place: seconds[canonical(*place)],
            None,
        )


@attrs.define(eq=False)
class _Rounding:
    """A kernel with exact values or balls, rounded; the largest radius that was met."""

    kernel: InvariantKernel
    radius: float = 0.0

    def __call__(self, place: Place) -> float:
        value = self.kernel.value(*place)
        if isinstance(value, flint.fmpq):
            found = _nearest(value)
            lost = _SMALL if value != 0 and abs(found) < _SMALL else 0.0
        else:
            found = _nearest(value.mid().fmpq())
            lost = max(_above(value.rad()), _SMALL if abs(found) < _SMALL else 0.0)
        self.radius = max(self.radius, lost)
        return found


def _no_value(table: Table, left: Word, right: Word) -> Any:
    raise AssertionError("only the tables are asked for")


def _nearest(value: flint.fmpq) -> float:
    if abs(value) > _LARGE:
        raise BadValue(
            "a number of this spectrum is beyond 10^300, too large for sums of doubles: divide the "
            "kernel by a number, or take backend='exact' or 'ball'"
        )
    return int(value.p) / int(value.q)


def _above(radius: flint.arb) -> float:
    """A float that is not below a radius."""
    return _nearest(radius.fmpq()) * (1 + 4 * _EPSILON)


def _dyadic(value: float) -> flint.fmpq:
    return flint.fmpq(*value.as_integer_ratio())


def float_spectrum_blocks(
    two: TwoKernels, length: int, vocabulary: int, fixed: int, law: Law, road: str
) -> tuple[FloatBlock, ...]:
    """The eigenvalues of every irreducible, by the road chosen."""
    if road == "binary":
        _check_room(length - fixed, 2**fixed)
        return _binary(two, length, fixed, law)
    shape = InvariantKernel(None, length, vocabulary, fixed, "by construction", _no_value)
    if two.exact is not None:
        return _against_lapack(two.exact, law, road)
    first = attrs.evolve(shape, value=lambda *place: _dyadic(two.first(place)))
    second = attrs.evolve(shape, value=lambda *place: _dyadic(two.second(place)))
    found = []
    pairs = zip(operator_blocks(first, law, road), operator_blocks(second, law, road), strict=True)
    for a, b in pairs:
        values = tuple(float(ball.mid()) for ball in enclosures(b.matrix, radius=0))
        apart = enclosures(a.matrix - b.matrix, radius=0)
        error = max(float(ball.abs_upper()) for ball in apart) + _EPSILON * max(map(abs, values))
        found.append(FloatBlock(b.partition, values, error))
    return tuple(found)


def _against_lapack(kernel: InvariantKernel, law: Law, road: str) -> tuple[FloatBlock, ...]:
    """Exact blocks; their eigenvalues by FLINT, and by LAPACK from rounded entries.

    Where the kernel's values are balls, the operator is off by their radius in the Hilbert-Schmidt
    norm at most, and has each block as often as its irreducible is large.
    """
    import numpy as np

    near = midpoints(kernel)
    found = []
    for block in operator_blocks(near.kernel, law, road):
        balls = enclosures(block.matrix, radius=0)
        values = [float(ball.mid()) for ball in balls]
        rows = [[_nearest(x) for x in row] for row in flint.fmpq_mat(block.matrix.flint).table()]
        others = sorted(np.linalg.eigvals(np.array(rows)).real.tolist(), reverse=True)
        apart = max(abs(a - b) for a, b in zip(values, others, strict=True))
        error = apart + _EPSILON * max(map(abs, values))
        error += _nearest(fmpq(near.radius)) / math.sqrt(block.repeats)
        if max(map(abs, values)) < _SMALL and not all(ball == 0 for ball in balls):
            error += _SMALL
        found.append(FloatBlock(block.partition, tuple(values), error))
    return tuple(found)


def _binary(two: TwoKernels, length: int, fixed: int, law: Law) -> tuple[FloatBlock, ...]:
    """Two tokens: sums against Hahn polynomials, computed and reflected in two ways."""
    import numpy as np

    n = length - fixed
    ends = list(itertools.product(range(2), repeat=fixed))
    pieces: dict[tuple[Word, Word], tuple[list[Any], list[Any]]] = {}
    largest = 0.0
    for x, y in itertools.product(ends, ends):
        first, second, most = _both(two, n, x, y)
        pieces[x, y], largest = (first, second), max(largest, most)
    roots = [[math.sqrt(_chance(law, n, i, end)) for i in range(n + 1)] for end in ends]
    found = []
    for m in range(n // 2 + 1):
        root = root_of_dimension(n, m)
        scale = np.concatenate([part[m : n - m + 1] for part in roots])
        outer = np.outer(scale, scale) / root
        one, other = (
            np.block([[pieces[x, y][which][m] for y in ends] for x in ends]) * outer
            for which in (0, 1)
        )
        values = np.linalg.eigvalsh(other)[::-1]
        # The same numbers in another order take another way through LAPACK.
        again = np.linalg.eigvalsh(one[::-1, ::-1])[::-1]
        apart = max(_norm(one - other), float(np.abs(values - again).max()))
        # What both may have lost: LAPACK's rounding, and that of the values themselves, which
        # changes an entry by at most sqrt(P_i P_j / dim) times the largest of them.
        rounding = 4 * _EPSILON * (len(scale) * float(np.abs(values).max()) + largest / root)
        error = apart + rounding + two.radius / root
        found.append(FloatBlock(Partition(n - m, m), tuple(values.tolist()), error))
    return tuple(found)


def _norm(matrix: Any) -> float:
    """The Frobenius norm, also where squares have no room in doubles."""
    import numpy as np

    most = float(np.abs(matrix).max())
    return most * float(np.linalg.norm(matrix / most)) if most else 0.0


def _check_room(moving: int, ends: int) -> None:
    """Refuse more entries of blocks, for all pairs of fixed tokens, than there is time for."""
    entries = 2 * ends**2 * (moving + 1) ** 3 // 6
    if entries > _ROOM:
        raise TooLarge(
            f"the blocks of length {moving} for {ends}^2 choices of the fixed tokens have about "
            f"{entries:,} entries, more than {_ROOM:,}: take a shorter length or fewer fixed ones"
        )


def _both(two: TwoKernels, n: int, left: Word, right: Word) -> tuple[list[Any], list[Any], float]:
    """The sums of both computations for two choices of the fixed tokens; the largest value."""
    most = 0.0
    known: dict[tuple[int, int], list[float]] = {}

    def values(i: int, j: int, which: Callable[[Place], float]) -> list[float]:
        nonlocal most
        if two.exact is not None and (i, j) in known:
            return known[i, j]
        found = [
            which((((n - i - j + t, j - t), (i - t, t)), left, right))
            for t in range(max(0, i + j - n), min(i, j) + 1)
        ]
        most = max(most, *map(abs, found))
        known[i, j] = found
        return found

    one, other = (
        float_blocks(n, partial(values, which=which), symmetric=left == right, mirrored=mirrored)
        for which, mirrored in ((two.first, False), (two.second, True))
    )
    return one, other, most


def _chance(law: Law, n: int, i: int, end: Word) -> float:
    """The probability that the moving positions have weight i and the others are as in end."""
    counts = (n - i + end.count(0), i + end.count(1))
    return _nearest(fmpq(law.of_counts(counts)) * comb(n, i))


def float_trace(two: TwoKernels, length: int, V: int, fixed: int, law: Law) -> tuple[float, float]:
    """E k(x, x) by the second computation, and how far it may be off."""
    firsts, seconds = [], []
    for end in itertools.product(range(V), repeat=fixed):
        for counts in compositions(length - fixed, V):
            whole = tuple(n + end.count(v) for v, n in enumerate(counts))
            chance = _nearest(fmpq(law.of_counts(whole)) * number_of_words(counts))
            if chance:
                place = (diagonal(counts), end, end)
                firsts.append(chance * two.first(place))
                seconds.append(chance * two.second(place))
    found = math.fsum(seconds)
    rounding = 4 * _EPSILON * math.fsum(map(abs, seconds))
    return found, abs(math.fsum(firsts) - found) + rounding + two.radius


def check_digits(blocks: tuple[FloatBlock, ...]) -> None:
    """Refuse a spectrum of which not one digit is known."""
    error = max(block.error for block in blocks)
    known = any(
        v and shared_digits(v, block.error, 1) > 0 for block in blocks for v in block.eigenvalues
    )
    if error > 0 and not known:
        raise Undecided(
            f"eigenvalues may be off by {error:.1e}, and not one digit of any is known: ask the "
            "kernel for more digits or bits, or take backend='exact' or 'ball' if its values are"
        )
