"""Lattice: the points and tables on which softmax averages become sums of positive terms.

With 1/S = int exp(-e^r S) e^r dr for both softmaxes, a position whose two tokens have Gaussians
z, z' contributes a function of u = r + z and v = r' + z' alone:

    plain  E exp(-e^(u+q) - e^(v+q'))          left   the same with a factor e^(u+q)
    both   with both factors                   right  the same with a factor e^(v+q')

where q = q' is the position's Gaussian (correlated with q' in general). The trapezoid rule with a
step for r that is a multiple of the step for z makes these two-dimensional tables, indexed by
lattice sums. Every term is positive; only the weights of the first few times have both signs, for
they stand for all times before, where the functions of r are a few powers of e^r. These functions
are analytic in a strip of half-width pi/2, so the error of step h is about e^(-pi^2/h). Its sign
changes if the times are moved by half a step: the mean of two such lattices has an error of about
e^(-2 pi^2/h), so the steps may be twice as large.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# How often each token of a string occurs.
Type = tuple[int, ...]

# What the rules below leave out (constants, powers) as a part of -log of the error.
_SLACK = 2.0

# How many terms before the first time are made up for at most.
_MOST_ORDERS = 6


@attrs.frozen
class Law:
    """The Gaussians of kernel (3) or (23), at one (beta, gamma).

    `token` and `place` are the standard deviations of a token's and of a position's logit;
    `shared` is the correlation of the two strings' copies of it: 1 unless the last tokens of
    kernel (23) differ. `weight` is gamma^2.
    """

    token: float
    place: float
    weight: float
    shared: float = 1.0

    @classmethod
    def main(cls, beta: float, gamma: float) -> Law:
        """The Gaussians of kernel (3)."""
        return cls(float(beta), float(beta * gamma), float(gamma) ** 2)

    @classmethod
    def appendix_h(cls, beta: float, gamma: float, *, same_last: bool) -> Law:
        """The Gaussians of kernel (23).

        The covariance of a string's own logits has the factor 1 + gamma^2, that across two strings
        1(same last token) + gamma^2.
        """
        square = float(gamma) ** 2
        scale = float(beta) * math.sqrt(1 + square)
        shared = 1.0 if same_last else square / (1 + square)
        return cls(scale, scale * float(gamma), square, shared)

    @property
    def spread(self) -> float:
        """The standard deviation of one logit."""
        return math.hypot(self.token, self.place)

    @property
    def narrow(self) -> float:
        """The smallest standard deviation in the law of a token's two copies."""
        return self.token * (math.sqrt(1 - self.shared) if self.shared < 1 else 1.0)


@attrs.frozen(eq=False, repr=False)
class Lattice:
    """One lattice for one law: `times` r, `spots` z with their weights, and the tables.

    `accuracy` is -log of the relative error aimed at; `types` are how often the tokens of the
    strings occur.
    """

    law: Law
    step: float
    ratio: int
    times: Floats
    spots: Floats
    accuracy: float
    # How many powers of e^r are summed in closed form before the first time.
    orders: int = 0

    def __repr__(self) -> str:
        return f"Lattice({self.times.size} times, {self.spots.size} spots, step {self.step!r})"

    @classmethod
    def pair(
        cls, law: Law, *, accuracy: float, types: Iterable[Type], offset: float = 0.0
    ) -> tuple[Lattice, Lattice]:
        """The coarsest two whose mean has the wanted accuracy, their times half a step apart.

        The offset shifts both by a part of their step.
        """
        # What is left out is larger for two frequencies than for one.
        goal = accuracy + _SLACK + 1.0
        widest = 2 * math.pi**2 / goal
        finest = gaussian_step(law.narrow, goal, decay=math.pi)
        # The cost grows with (points in r)^2 (points in z)^2 at worst: take the best multiple.
        near = {max(1, math.floor(widest / finest)), math.ceil(widest / finest)}
        ratio = max(near, key=lambda m: min(widest, m * finest) ** 2 / m)
        step = min(widest, ratio * finest)
        half = math.ceil(gaussian_reach(accuracy) * law.token / (step / ratio))
        spots: Floats = np.arange(-half, half + 1, dtype=float) * (step / ratio)
        kinds = set(types)
        begin, orders = first_time(law, accuracy, kinds, step)
        end = max(last_time(law, accuracy, kind) for kind in kinds)

        def shifted(offset: float) -> Lattice:
            low, high = math.floor(begin / step - offset), math.ceil(end / step - offset)
            times: Floats = (np.arange(low, high + 1, dtype=float) + offset) * step
            return cls(law, step, ratio, times, spots, accuracy, orders)

        return shifted(offset), shifted(offset + 0.5)

    @property
    def stride(self) -> int:
        """Time i and spot j add up to sum i * stride + j."""
        return min(self.ratio, int(self.spots.size))

    @cached_property
    def time_weights(self) -> Floats:
        """The weights of the times: the step, and at the first ones all that comes before."""
        weights = np.full(self.times.size, self.step)
        weights[: self.orders] += self.step * before(self.step, self.orders)[: weights.size]
        return weights

    @cached_property
    def sums(self) -> Floats:
        """Every value of a time plus a spot, in order, once."""
        fresh = self.spots[: self.stride]
        body = (self.times[:-1, None] + fresh).ravel()
        return np.concatenate([body, self.times[-1] + self.spots])

    @cached_property
    def weights(self) -> Floats:
        """The Gaussian weights of the spots."""
        return _gaussian(self.spots, self.law.token, self.step / self.ratio)

    @cached_property
    def pair_weights(self) -> Floats:
        """The weights of the two copies of one token, when their correlation is below one."""
        rho, scaled = self.law.shared, self.spots / self.law.token
        x, y = scaled[:, None], scaled[None, :]
        norm = (self.step / self.ratio / self.law.token) ** 2 / (
            2 * math.pi * math.sqrt(1 - rho * rho)
        )
        density: Floats = norm * np.exp(-(x * x - 2 * rho * x * y + y * y) / (2 * (1 - rho * rho)))
        return density

    @cached_property
    def bands(self) -> Floats:
        """The weights again, as a matrix from sums to times: the law of a sum given its time."""
        matrix = np.zeros((self.times.size, self.sums.size))
        places = np.arange(self.times.size)[:, None] * self.stride + np.arange(self.spots.size)
        np.put_along_axis(matrix, places, self.weights[None, :], axis=1)
        return matrix

    @cached_property
    def single(self) -> tuple[Floats, Floats]:
        """exp(-e^u) and e^u exp(-e^u) on the sums: all there is without position Gaussians."""
        return _gumbel(self.sums)

    @cached_property
    def tables(self) -> tuple[Floats, Floats, Floats, Floats]:
        """plain, left, right, both, each on sums x sums."""
        goal = self.accuracy + _SLACK
        common, common_weights = gaussian_nodes(self.law.place * math.sqrt(self.law.shared), goal)
        own, own_weights = gaussian_nodes(self.law.place * math.sqrt(1 - self.law.shared), goal)
        shape = (self.sums.size, common.size)
        plain, marked = np.zeros(shape), np.zeros(shape)
        for node, weight in zip(own.tolist(), own_weights.tolist(), strict=True):
            one, two = _gumbel(self.sums[:, None] + (common + node))
            plain += weight * one
            marked += weight * two
        heavy, heavy_marked = plain * common_weights, marked * common_weights
        left = heavy_marked @ plain.T
        return heavy @ plain.T, left, left.T, heavy_marked @ marked.T


def before(step: float, orders: int) -> Floats:
    """How often the first points of a lattice stand for all points that come before them.

    The sums of e^r, ..., e^(orders r) over those points are then exact: with z = e^(k step), where
    k is at most orders, they are 1 / (z - 1) times what the function is at the first point, and
    the numbers are the coefficients of the polynomial in z with these values.
    """
    nodes = np.exp(step * np.arange(1, orders + 1))
    # (1 - the product of (z - node) / (1 - node)) / (z - 1)
    found: Floats = np.cumsum(np.poly(nodes))[-2::-1] / -np.prod(1 - nodes)
    return found


def first_time(law: Law, goal: float, kinds: Iterable[Type], step: float) -> tuple[float, int]:
    """From where on times are needed for strings with these token counts, and orders for `before`.

    What is left out is e^-goal. The integrand at time r has the factor e^r S exp(-e^r S), whose
    Taylor series in e^r S alternates: after some terms, the next one bounds the error, and `before`
    sums these terms exactly. Wide Gaussians have too large moments of S: then no term is summed,
    and P(time < r) is bounded, the time being -log S plus the logarithm of an exponential variable.
    """
    listed = list(kinds)
    best = -exponential_reach(law.spread, goal) - math.log(max(map(sum, listed))), 0
    # Larger moments of S are no floats.
    most = int(min(_MOST_ORDERS, 30 / law.spread - 1)) if law.spread else _MOST_ORDERS
    for orders in range(1, most + 1):
        power = orders + 1
        more = np.abs(before(step, orders))
        # The next term at all points before the first one, and at the first ones by their weight.
        rest = 1 / math.expm1(power * step) + more @ np.exp(power * step * np.arange(orders))
        # It stands beside the other string's e^r S exp(-e^r S), at most 1/e, summed by this rule.
        rest *= step * (1 + step * more.sum() / math.e)
        largest = max(moments(law, kind, most + 1)[power] for kind in listed)
        log = goal + math.log(rest) + math.log(largest) - math.lgamma(power)
        best = max(best, (-log / power, orders))
    return best


@lru_cache(maxsize=1 << 14)
def moments(law: Law, kind: Type, most: int) -> tuple[float, ...]:
    """E S^n up to the largest n for S = the sum of e^logit over a string of these token counts."""
    orders = np.arange(most + 1)
    factorials = np.array([math.factorial(n) for n in orders.tolist()], dtype=float)
    # Exponential generating functions: a position's Gaussian is its own, a token's is shared.
    position = np.exp((orders * law.place) ** 2 / 2) / factorials
    token = np.exp((orders * law.token) ** 2 / 2)
    whole = np.eye(1, most + 1)[0]
    for count in kind:
        power = np.eye(1, most + 1)[0]
        for _ in range(count):
            power = np.convolve(power, position)[: most + 1]
        whole = np.convolve(whole, token * power)[: most + 1]
    return tuple((whole * factorials).tolist())


@lru_cache(maxsize=1 << 14)
def last_time(law: Law, goal: float, kind: Type) -> float:
    """The time after which a string with these token counts has e^-goal of all times.

    The time is -log S plus the logarithm of an exponential variable, so P(time > r) is
    E exp(-e^r S), a product over the tokens.
    """
    spots, weights = gaussian_nodes(law.token, goal)
    places, place_weights = gaussian_nodes(law.place, goal)

    def exponent(r: float) -> float:
        plain = _gumbel(r + spots[:, None] + places)[0] @ place_weights
        with np.errstate(divide="ignore"):
            return -float(sum(np.log(weights @ plain**count) for count in kind))

    return _root(exponent, goal)


def gaussian_step(deviation: float, goal: float, *, decay: float = math.pi / 2) -> float:
    """The step with which the trapezoid rule averages over N(0, deviation^2) to e^-goal.

    The function averaged is analytic in a strip of half-width pi/2: its spectrum e^(-pi w/2), or
    whatever decay is given, is convolved with the Gaussian's, and the larger of the two decides at
    w = 2 pi / step.
    """
    frequency = math.sqrt(2 * goal) / deviation
    if frequency > decay / deviation**2:
        frequency = (goal + decay**2 / (2 * deviation**2)) / decay
    return 2 * math.pi / frequency


def gaussian_reach(goal: float) -> float:
    """How many standard deviations from the mean leave less than e^-goal outside."""
    return _root(lambda x: -_log_tail(x), goal)


def exponential_reach(deviation: float, goal: float) -> float:
    """The x with P(Y + deviation g > x) = e^-goal for an exponential Y and a Gaussian g."""
    if deviation == 0:
        return goal

    def exponent(x: float) -> float:
        tail = _log_tail(x / deviation)
        rest = deviation**2 / 2 - x + _log_tail(deviation - x / deviation)
        top = max(tail, rest)
        return -(top + math.log(math.exp(tail - top) + math.exp(rest - top)))

    return _root(exponent, goal)


def gaussian_nodes(deviation: float, goal: float) -> tuple[Floats, Floats]:
    """Nodes and weights of the trapezoid rule for N(0, deviation^2); one node for deviation 0."""
    if deviation == 0:
        return np.zeros(1), np.ones(1)
    step = gaussian_step(deviation, goal)
    half = math.ceil(gaussian_reach(goal) * deviation / step)
    nodes: Floats = np.arange(-half, half + 1, dtype=float) * step
    return nodes, _gaussian(nodes, deviation, step)


def _gaussian(points: Floats, deviation: float, step: float) -> Floats:
    scale = step / (deviation * math.sqrt(2 * math.pi))
    density: Floats = scale * np.exp(-((points / deviation) ** 2) / 2)
    return density


def _gumbel(points: Floats) -> tuple[Floats, Floats]:
    """exp(-e^u) and e^u exp(-e^u)."""
    # Past 700 both are zero and e^u would overflow.
    growth = np.exp(np.minimum(points, 700.0))
    plain = np.exp(-growth)
    return plain, growth * plain


def _log_tail(x: float) -> float:
    """log P(g > x) for a standard Gaussian g."""
    if x < 30:
        return math.log(math.erfc(x / math.sqrt(2)) / 2)
    return -x * x / 2 - math.log(x * math.sqrt(2 * math.pi))


def _root(increasing: Any, value: float) -> float:
    """Where an increasing function takes the value, by bisection to what a range needs."""
    low, high = 0.0, 1.0
    while increasing(high) < value:
        low, high = high, 2 * high
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < value else (low, middle)
    return high
