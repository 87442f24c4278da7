"""Three layers of ReLUs that remember values at points, and are exact near them.

Around each coordinate of each point four ReLUs make a bump that is 1 within delta and 0 from
2 delta on; two more in the second layer make 1 where all bumps of a point are 1 and 0 where one
of them is 0; the last layer adds up the values. Points that differ by gamma in some coordinate and
inputs within gamma / 4 of their point are served by every delta from gamma / 4 to 3 gamma / 8.

>>> network = memoriser({(0,): 5, (1,): 7}, gamma=1)
>>> network.value(["1/4"]), network.value(["-1/4"]), network.value(["3/4"]), network.width
(5, 5, 7, (8, 4))
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import attrs

from symbench._arguments import mapping, sequence
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.arrays import Array, np
from symbench.exact.rational import exact_parameter
from symbench.learning.walsh import whole

Point = tuple[Rational, ...]
# u = (x - x_0) / delta goes into (u + 2)_+ - (u + 1)_+ + (2 - u)_+ - (1 - u)_+, which is 1 + bump.
_SLOPES, _SHIFTS, _SIGNS = (1, 1, -1, -1), (2, 1, 2, 1), (1, -1, 1, -1)
# Points times points that are compared, and ReLUs in the first layer.
_MOST = 1 << 12


@attrs.frozen
class Memoriser(Shown):
    """A network x -> w . relu(W_2 relu(W_1 x + b_1) + b_2) with rational weights.

    >>> network = memoriser({(-1, 1): 0, (1, 1): 1}, gamma=2)
    >>> network.norms
    {'W_1': 2, 'b_1': 4, 'W_2': 1, 'b_2': 4, 'w': 1}
    """

    points: tuple[Point, ...]
    values: tuple[Rational, ...]
    delta: Rational

    @property
    def width(self) -> tuple[int, int]:
        """The numbers of ReLUs in the two hidden layers."""
        return 4 * len(self.points) * len(self.points[0]), 2 * len(self.points)

    def layers(self) -> tuple[Array, Array, Array, Array, Array]:
        """The arrays W_1, b_1, W_2, b_2, w of exact numbers."""
        count, d = len(self.points), len(self.points[0])
        first: list[list[Rational]] = []
        bias = []
        second = [[0] * (4 * count * d) for _ in range(2 * count)]
        for k, point in enumerate(self.points):
            for i, x in enumerate(point):
                for slope, shift, sign in zip(_SLOPES, _SHIFTS, _SIGNS, strict=True):
                    second[2 * k][len(first)] = second[2 * k + 1][len(first)] = sign
                    first.append([Rational(slope * (i == j) / self.delta) for j in range(d)])
                    bias.append(shift - slope * x / self.delta)
        return (
            np.array(first, dtype=object),
            np.array(bias, dtype=object),
            np.array(second, dtype=object),
            np.array([1 - 2 * d, -2 * d] * count, dtype=object),
            np.array([c for v in self.values for c in (v, -v)], dtype=object),
        )

    @property
    def norms(self) -> dict[str, Rational]:
        """The largest absolute value of an entry of each array."""
        names = ("W_1", "b_1", "W_2", "b_2", "w")
        return {
            name: Rational(max(abs(x) for x in array.reshape(-1)))
            for name, array in zip(names, self.layers(), strict=True)
        }

    def value(self, point: Any) -> Rational:
        """The output at one input, exactly."""
        given = sequence(point, "the input", "a list of exact numbers")
        exact = [exact_parameter(x, "an entry of the input") for x in given]
        return self.outputs([exact])[0]

    def outputs(self, inputs: Any) -> list[Rational]:
        """The outputs at a list of inputs, through all layers, in integers."""
        listed = [[_exact(x) for x in row] for row in inputs]
        d = len(self.points[0])
        if any(len(row) != d for row in listed):
            raise BadShape(f"an input has another number of entries than {d}, that of the points")
        numerators, below = whole(x for row in listed for x in row)
        first, bias, second, shift, last = self.layers()
        slopes, scale = whole([*first.reshape(-1), *bias])
        last, under = whole(last)
        # Everything is multiplied by scale * below, which ReLUs do not mind.
        weights = slopes[: first.size].reshape(first.shape)
        hidden = numerators.reshape(-1, d) @ weights.T + slopes[first.size :] * below
        hidden = np.maximum(hidden, 0) @ second.T + shift * (scale * below)
        found = np.maximum(hidden, 0) @ last
        return [Rational(v, under * scale * below) for v in found.tolist()]


def memoriser(values: Mapping[Any, Any], *, gamma: Any, delta: Any = None) -> Memoriser:
    """The network with these values at points that differ by at least gamma in some coordinate.

    delta is gamma / 4 where nothing else is given.

    >>> memoriser({(0,): 1, ("1/2",): 2}, gamma=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: two points are (0,) and (1/2,): they differ by less than gamma, 1
    """
    table = mapping(values, "the table", "a dictionary from points to numbers")
    gap = exact_parameter(gamma, "gamma")
    width = Rational(gap / 4) if delta is None else exact_parameter(delta, "delta")
    if gap <= 0 or width <= 0:
        raise BadValue(f"gamma is {gap} and delta {width}: give positive numbers")
    points = [
        tuple(exact_parameter(x, "an entry of a point") for x in sequence(p, "a point"))
        for p in table
    ]
    if not points or not points[0] or len({len(p) for p in points}) > 1:
        raise BadShape("the points are none, or have different numbers of entries")
    if len(points) * len(points[0]) > _MOST:
        raise TooLarge(f"{len(points):,} points: give at most {_MOST:,} coordinates in all")
    for a, b in combinations(points, 2):
        if max(abs(x - y) for x, y in zip(a, b, strict=True)) < gap:
            raise BadValue(f"two points are {a} and {b}: they differ by less than gamma, {gap}")
    return Memoriser(
        tuple(points), tuple(exact_parameter(v, "a value") for v in table.values()), width
    )


def _exact(x: Any) -> Fraction:
    return x if isinstance(x, Fraction) else exact_parameter(x, "an entry of the input")


def bump(x: Any, *, delta: Any) -> Rational:
    """The bump around 0: 1 for |x| <= delta, 0 for |x| >= 2 delta, straight between.

    >>> [bump(x, delta=1) for x in (0, 1, "3/2", 2, -3)]
    [1, 1, 1/2, 0, 0]
    """
    width = exact_parameter(delta, "delta")
    if width <= 0:
        raise BadValue(f"delta is {width}: give a positive number")
    u = exact_parameter(x, "x") / width
    terms = zip(_SLOPES, _SHIFTS, _SIGNS, strict=True)
    return Rational(
        sum(sign * max(slope * u + shift, Fraction(0)) for slope, shift, sign in terms) - 1
    )
