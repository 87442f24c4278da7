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
from collections.abc import Callable, Hashable, Iterable
from math import comb
from typing import Any, Generic, TypeVar

import attrs
import flint

from symbench.draw.progress import progress
from symbench.errors import BadValue, TooLarge, Undecided
from symbench.exact.arrays import Floats, Integers, np
from symbench.kernels.float_value import FloatValue
from symbench.kernels.on_words import Number
from symbench.kernels.tables import Tables, tables_of
from symbench.laws.base import Word
from symbench.spectra.binary import Values
from symbench.spectra.hahn import float_blocks, pair_tables, root_of_dimension
from symbench.spectra.segment_blocks import Chance
from symbench.young import Partition
from symbench.young.position_groups import Irrep, YoungSubgroup

_EPSILON = 2.0**-52
# Numbers that are smaller, and not zero, lose digits when they are made floats.
_SMALL = 2.0**-960
_LARGE = flint.fmpz(10) ** 300
# Whole numbers up to this one are floats.
_WHOLE = 2**53
# Entries of all blocks, each of which is about one value of the kernel: minutes.
_ROOM = 22_000_000

Place = TypeVar("Place", bound=Hashable)


@attrs.frozen
class FloatBlock:
    """The float eigenvalues of one irreducible, largest first, and how far they may be off."""

    eigenvalues: tuple[float, ...]
    error: float

    def stated(self, digits: int) -> tuple[FloatValue, ...]:
        """The eigenvalues with the digits that two computations share, at most as many as asked.

        >>> [str(v) for v in FloatBlock((1 / 3, 1e-9), 1e-7).stated(8)]
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
class TwoKernels(Generic[Place]):
    """A kernel in two float computations: what each of them says at a place.

    `exact` is the kernel itself where it has exact values or balls, and then both are its
    values rounded; `every` gives them on arrays of tables.
    """

    first: Callable[[Place], float]
    second: Callable[[Place], float]
    exact: Callable[[Place], Number] | None = None
    every: Callable[[Integers], Floats] | None = None

    @classmethod
    def rounded(
        cls, value: Callable[[Place], Number], every: Values | None = None
    ) -> TwoKernels[Place]:
        """The roundings of a kernel with exact values or balls."""
        near = _Rounding(value, every)
        return cls(near, near, value, None if every is None else near.on_every_table)

    @property
    def radius(self) -> float:
        """How far the values asked for so far may be from the kernel's, beside their rounding."""
        return self.first.radius if isinstance(self.first, _Rounding) else 0.0

    def dyadic(self, place: Place) -> flint.fmpq:
        """The second computation as an exact number."""
        return _dyadic(self.second(place))

    def difference(self, place: Place) -> flint.fmpq:
        """The first computation less the second, exactly."""
        return _dyadic(self.first(place)) - _dyadic(self.second(place))


@attrs.define(eq=False)
class _Rounding:
    """A kernel with exact values or balls, rounded; the largest radius that was met."""

    value: Callable[[Any], Number]
    every: Values | None
    radius: float = 0.0

    def on_every_table(self, tables: Integers) -> Floats:
        """The values on an array of tables, which are exact."""
        assert self.every is not None
        whole, below = self.every(tables)
        most = int(max(whole.max(initial=0), -whole.min(initial=0)))
        nearest(flint.fmpq(most, below))
        # Python's integers are divided without loss; 64 bits lose less than a bit of 53.
        short = whole.dtype != object and below < _WHOLE
        found = ((whole if short else whole.astype(object)) / below).astype(np.float64)
        if ((whole != 0) & (np.abs(found) < _SMALL)).any():
            self.radius = max(self.radius, _SMALL)
        return np.asarray(found)

    def __call__(self, place: Any) -> float:
        value = self.value(place)
        if isinstance(value, flint.fmpq):
            found = nearest(value)
            lost = _SMALL if value != 0 and abs(found) < _SMALL else 0.0
        else:
            found = nearest(value.mid().fmpq())
            lost = max(_above(value.rad()), _SMALL if abs(found) < _SMALL else 0.0)
        self.radius = max(self.radius, lost)
        return found


def nearest(value: flint.fmpq) -> float:
    """The float next to a rational number, if doubles can add up such numbers."""
    if abs(value) > _LARGE:
        raise BadValue(
            "a number of this spectrum is beyond 10^300, too large for sums of doubles: divide the "
            "kernel by a number, or take backend='exact' or 'ball'"
        )
    return int(value.p) / int(value.q)


def _above(radius: flint.arb) -> float:
    """A float that is not below a radius."""
    return nearest(radius.fmpq()) * (1 + 4 * _EPSILON)


def _dyadic(value: float) -> flint.fmpq:
    return flint.fmpq(*value.as_integer_ratio())


def of_two_lists(second: Iterable[flint.arb], apart: Iterable[flint.arb]) -> FloatBlock:
    """A block known by two lists of values: its eigenvalues, and those of the difference."""
    values = tuple(float(ball.mid()) for ball in second)
    error = max((float(ball.abs_upper()) for ball in apart), default=0.0)
    return FloatBlock(values, error + _EPSILON * max(map(abs, values), default=0.0))


def against_lapack(
    balls: tuple[flint.arb, ...], rows: Any, radius: float, dimension: int
) -> FloatBlock:
    """An exact block: its eigenvalues by FLINT, and by LAPACK from rounded entries.

    Where the kernel's values are balls, the operator is off by their radius in the Hilbert-Schmidt
    norm at most, and has each block as often as its irreducible is large.
    """
    values = [float(ball.mid()) for ball in balls]
    others = sorted(np.linalg.eigvals(np.array(rows)).real.tolist(), reverse=True)
    apart = max((abs(a - b) for a, b in zip(values, others, strict=True)), default=0.0)
    most = max(map(abs, values), default=0.0)
    error = apart + _EPSILON * most + radius / math.sqrt(dimension)
    if most < _SMALL and not all(ball == 0 for ball in balls):
        error += _SMALL
    return FloatBlock(tuple(values), error)


def binary_floats(
    two: TwoKernels[Tables], group: YoungSubgroup, chance: Chance
) -> dict[Irrep, FloatBlock]:
    """Two tokens, one segment that moves: sums against Hahn polynomials, reflected in two ways."""
    n, fixed = group.moving, len(group.parts) - 1
    ends = list(itertools.product(range(2), repeat=fixed))
    _check_room(n, len(ends))
    pieces: dict[tuple[Word, Word], tuple[list[Any], list[Any]]] = {}
    largest = 0.0
    for x, y in itertools.product(ends, ends):
        first, second, most = _both(two, n, x, y)
        pieces[x, y], largest = (first, second), max(largest, most)
    alone = ((1, 0), (0, 1))  # the counts of one token
    roots = [
        [
            math.sqrt(nearest(chance([(n - i, i), *(alone[v] for v in end)]) * comb(n, i)))
            for i in range(n + 1)
        ]
        for end in ends
    ]
    found: dict[Irrep, FloatBlock] = {}
    sizes = [len(ends) * (n - 2 * m + 1) for m in range(n // 2 + 1)]
    with progress("eigenvalues", sum(size**3 for size in sizes)) as report:
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
            found[group.irrep(Partition(n - m, m))] = FloatBlock(tuple(values.tolist()), error)
            report(sizes[m] ** 3)
    return found


def _norm(matrix: Any) -> float:
    """The Frobenius norm, also where squares have no room in doubles."""
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


def _both(
    two: TwoKernels[Tables], n: int, left: Word, right: Word
) -> tuple[list[Any], list[Any], float]:
    """The sums of both computations for two choices of the fixed tokens; the largest value."""
    beside = tables_of(left, right, [1] * len(left), 2)

    def values(i: int, which: Callable[[Tables], float]) -> Floats:
        tables = pair_tables(n, i, symmetric=left == right)
        if two.every is not None and not beside:
            return two.every(tables.reshape(-1, 2, 2)).reshape(tables.shape[:3])
        found = []
        for a, b, c, d in tables.reshape(-1, 4).tolist():
            found.append(which((((a, b), (c, d)), *beside)))
            report(1)
        return np.array(found).reshape(tables.shape[:3])

    with progress(f"values on pairs of words of length {n}", None) as report:
        one = [values(i, two.first) for i in range(n // 2 + 1)]
        again = range(n // 2 + 1) if two.exact is None else ()
        other = [values(i, two.second) for i in again] or one
    most = max(float(np.abs(array).max()) for array in (*one, *other))
    first, second = float_blocks(n, one, mirrored=False), float_blocks(n, other, mirrored=True)
    return first, second, most


def float_trace(
    two: TwoKernels[Place], orbits: Iterable[tuple[Place, flint.fmpq]], digits: int
) -> FloatValue:
    """E k(x, x) by the second computation, from one word of each orbit and its probability."""
    firsts, seconds = [], []
    for place, probability in orbits:
        chance = nearest(probability)
        firsts.append(chance * two.first(place))
        seconds.append(chance * two.second(place))
    found = math.fsum(seconds)
    rounding = 4 * _EPSILON * math.fsum(map(abs, seconds))
    error = abs(math.fsum(firsts) - found) + rounding + two.radius
    return FloatValue(found, shared_digits(found, error, digits))


def check_digits(blocks: Iterable[FloatBlock]) -> None:
    """Refuse a spectrum of which not one digit is known."""
    listed = list(blocks)
    error = max(block.error for block in listed)
    known = any(
        v and shared_digits(v, block.error, 1) > 0 for block in listed for v in block.eigenvalues
    )
    if error > 0 and not known:
        raise Undecided(
            f"eigenvalues may be off by {error:.1e}, and not one digit of any is known: ask the "
            "kernel for more digits or bits, or take backend='exact' or 'ball' if its values are"
        )
