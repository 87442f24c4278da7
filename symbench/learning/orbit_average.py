"""The orbit average of a target: its eigenvalues, exactly, and what they add up to.

For a function f of words, C_f is the average of (gf) x (gf) over the permutations g of positions,
an operator on L2(p). It commutes with all g, so an eigenvalue belongs to an irreducible and is
repeated as often as its dimension says; all of them add up to |f|^2.

>>> from symbench.learning.targets import parity
>>> orbit_spectrum(parity(2), length=5)
OrbitSpectrum: 3 levels, 10 eigenvalues, sum 1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.draw.tables import columns_text
from symbench.errors import BadType, BadValue, Undecided
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, fmpq, number_text, rational
from symbench.exact.roots import Eigenvalue, RealRoot
from symbench.young import Partition
from symbench.young.position_groups import Irrep, irrep_order, is_irrep

_MOST_BITS = 1 << 14


@attrs.frozen
class OrbitLevel:
    """An eigenvalue of C_f, the irreducible that it belongs to and how often it occurs.

    >>> OrbitLevel(Partition(3, 1), Rational(1, 6), 3).weight
    1/2
    """

    irrep: Irrep
    eigenvalue: Eigenvalue
    multiplicity: int

    def __attrs_post_init__(self) -> None:
        if not is_irrep(self.irrep):
            raise BadType(
                f"the irrep is {shown(self.irrep)}: give a Partition, a tuple of them or a "
                "frequency"
            )
        if not isinstance(self.eigenvalue, RealRoot):
            object.__setattr__(self, "eigenvalue", Rational(exact_number(self.eigenvalue)))
        integer(self.multiplicity, "the multiplicity", at_least=1)

    @property
    def partition(self) -> Partition:
        """The irreducible, where the group is S_L."""
        if not isinstance(self.irrep, Partition):
            raise BadType(f"the irrep {shown(self.irrep)} is no partition: S_L has partitions")
        return self.irrep

    @property
    def weight(self) -> Rational | float:
        """Eigenvalue times multiplicity; a float where the eigenvalue is not rational."""
        if isinstance(self.eigenvalue, RealRoot):
            # A ball, since neither factor need fit in a float.
            with working_precision(64):
                return float(self.eigenvalue.enclosure(64) * self.multiplicity)
        return Rational(self.eigenvalue * self.multiplicity)


@attrs.frozen(repr=False)
class OrbitSpectrum:
    """The positive eigenvalues of the orbit average of a target, largest first.

    >>> from symbench.learning.targets import of_weight
    >>> spectrum = orbit_spectrum(of_weight([0, 0, 1]), length=4)
    >>> spectrum
    OrbitSpectrum: 3 levels, 6 eigenvalues, sum 1/4
    >>> print(spectrum.table())
    irrep  eigenvalue  multiplicity  weight
    4      13/96       1             13/96
    3+1    1/32        3             3/32
    2+2    1/96        2             1/48
    """

    levels: tuple[OrbitLevel, ...]

    def __attrs_post_init__(self) -> None:
        found = self.levels
        if not isinstance(found, tuple) or not all(isinstance(x, OrbitLevel) for x in found):
            raise BadType(f"the levels are {shown(found)}: give a tuple of OrbitLevels")

    def __repr__(self) -> str:
        return (
            f"{self._title}: {len(self.levels)} levels, {number_text(self.rank)} eigenvalues, "
            f"sum {self.norm}"
        )

    @property
    def _title(self) -> str:
        return "OrbitSpectrum"

    def _text(self, irrep: Any) -> str:
        return str(irrep)

    @property
    def exactness(self) -> str:
        """'exact' where all eigenvalues are rational, 'ball' where a bound is an enclosure."""
        irrational = any(isinstance(level.eigenvalue, RealRoot) for level in self.levels)
        return "ball" if irrational else "exact"

    @property
    def rank(self) -> int:
        """How many eigenvalues there are, with multiplicity: enough samples for no bound."""
        return sum(level.multiplicity for level in self.levels)

    @property
    def norm(self) -> Rational:
        """The sum of all eigenvalues, |f|^2."""
        return _add((level.eigenvalue, level.multiplicity) for level in self.levels)[0]

    @property
    def weights(self) -> dict[Any, Rational]:
        """How much of |f|^2 is in each irreducible: exact.

        >>> from symbench.learning.targets import of_weight
        >>> {str(p): w for p, w in orbit_spectrum(of_weight([1, -1]), length=3).weights.items()}
        {'3': 1/3, '2+1': 2/3}
        """
        parts: dict[Any, list[tuple[Eigenvalue, int]]] = {}
        for level in self.levels:
            parts.setdefault(level.irrep, []).append((level.eigenvalue, level.multiplicity))
        return {irrep: _add(parts[irrep])[0] for irrep in sorted(parts, key=irrep_order)}

    def tail(self, samples: int) -> Rational:
        """The sum of all eigenvalues but the largest so many: the lower bound.

        Where it is not rational, this is a rational number below it by less than 2^-60.

        >>> from symbench.learning.targets import of_weight
        >>> orbit_spectrum(of_weight([0, 0, 1]), length=4).tail(2)
        1/12
        """
        count = integer(samples, "samples", at_least=0)
        total, rest = _add(self._after(count))
        if not rest:
            return total
        bits = 128
        while True:
            with working_precision(bits):
                ball = _ball_sum(rest, bits)
            radius = ball.rad().fmpq()
            if radius < flint.fmpq(1, 2**62):
                low = ball.mid().fmpq() - radius
                return Rational(max(Fraction(0), total + rational(low)))
            bits *= 2  # large eigenvalues need more bits before the point

    def samples(self, error: Any) -> int:
        """The smallest number of samples for which the bound is at most the error.

        >>> from symbench.learning.targets import of_weight
        >>> orbit_spectrum(of_weight([0, 0, 1]), length=4).samples("1/16")
        3
        """
        goal = read_error(error)
        start = 0
        for level in self.levels:
            if self._at_most(start, goal):
                return start
            end = start + level.multiplicity
            if self._at_most(end, goal):
                return self._within(level, start, end, goal)
            start = end
        return start

    def table(self) -> str:
        """The levels as text."""
        rows = [["irrep", "eigenvalue", "multiplicity", "weight"]]
        rows += [
            [self._text(x.irrep), str(x.eigenvalue), number_text(x.multiplicity), _weight_text(x)]
            for x in self.levels
        ]
        return columns_text(rows)

    def _after(self, count: int) -> Iterator[tuple[Eigenvalue, int]]:
        for level in self.levels:
            taken = min(count, level.multiplicity)
            count -= taken
            if taken < level.multiplicity:
                yield level.eigenvalue, level.multiplicity - taken

    def _at_most(self, count: int, goal: Fraction) -> bool:
        """Whether the tail after so many eigenvalues is at most the goal: decided, not rounded."""
        total, rest = _add(self._after(count))
        if not rest:
            return total <= goal
        bits = 64
        while bits <= _MOST_BITS:
            with working_precision(bits):
                difference = _ball_sum(rest, bits) + flint.arb(fmpq(total - goal))
                if difference > 0:
                    return False
                if difference < 0:
                    return True
            bits *= 2
        raise Undecided(
            f"whether a sum of irrational eigenvalues is at most {goal}: {_MOST_BITS} bits do not "
            "tell; ask for a slightly different error"
        )

    def _within(self, level: OrbitLevel, start: int, end: int, goal: Fraction) -> int:
        if not isinstance(level.eigenvalue, RealRoot):
            over, rest = _add(self._after(start))
            if not rest:
                return start - int((goal - over) // level.eigenvalue)
        while end - start > 1:  # the tail is above the goal at start and not at end
            middle = (start + end) // 2
            if self._at_most(middle, goal):
                end = middle
            else:
                start = middle
        return end


def positive_levels(levels: Iterable[OrbitLevel]) -> tuple[OrbitLevel, ...]:
    """The levels of an orbit average but for those of 0, largest eigenvalue first.

    >>> found = positive_levels([OrbitLevel(0, 0, 1), OrbitLevel(1, 2, 2), OrbitLevel(2, 3, 1)])
    >>> [level.irrep for level in found]
    [2, 1]
    """
    kept = [level for level in levels if level.eigenvalue != 0]
    return tuple(sorted(kept, key=lambda level: level.eigenvalue, reverse=True))


def _weight_text(level: OrbitLevel) -> str:
    weight = level.weight
    return f"{weight:.10g}.." if isinstance(weight, float) else str(weight)


def _add(
    terms: Iterable[tuple[Eigenvalue, int]],
) -> tuple[Rational, list[tuple[RealRoot, int]]]:
    """A sum of multiples of eigenvalues: its rational part, and what is left over.

    The roots of one polynomial add up to a rational number, so whole sets of them are exact.
    """
    total = Fraction(0)
    roots: dict[tuple[int, ...], dict[RealRoot, int]] = {}
    for value, count in terms:
        if isinstance(value, RealRoot):
            found = roots.setdefault(value.polynomial, {})
            found[value] = found.get(value, 0) + count
        else:
            total += value * count
    rest = []
    for coefficients, found in roots.items():
        whole = min(found.values()) if len(found) == len(coefficients) - 1 else 0
        total += Rational(-coefficients[-2], coefficients[-1]) * whole
        rest += [(root, count - whole) for root, count in found.items() if count > whole]
    return Rational(total), rest


def _ball_sum(rest: list[tuple[RealRoot, int]], bits: int) -> Any:
    return sum((root.enclosure(bits) * count for root, count in rest), flint.arb(0))


def read_error(value: Any) -> Rational:
    """An expected squared error: an exact number of at least 0."""
    number = Rational(exact_number(value))
    if number < 0:
        raise BadValue(f"the error is {number}: a squared error is at least 0")
    return number
