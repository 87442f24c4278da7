"""Two theories of kernel regression: the equivalent kernel and the self-consistent one.

With eigenvalues l_i of the kernel operator and g_i^2 the parts of |f|^2 in its eigenspaces, the
equivalent kernel predicts the error sum (d / (N l_i + d))^2 g_i^2, d the ridge. The self-consistent
theory replaces d by the root q of q = d + sum l_i q / (N l_i + q) and divides by
1 - (1/N) sum (N l_i / (N l_i + q))^2. Both are approximations, given as floats, and decide
nothing.

Under a test law that is not the law of the samples, the mean predictor is sum a_i g_i phi_i with
a_i = N l_i / (N l_i + q), and its variance at x is the error against labels times
sum a_i^2 phi_i(x)^2 / N. The eigenfunctions are extended by the kernel to all words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from symbench._arguments import flag, integer, sequence, shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact.roots import RealRoot
from symbench.learning.numbers import as_float, number

# More samples are not asked about.
MOST = 10**18


class Level(NamedTuple):
    """An eigenvalue of a kernel, how often it occurs, and the part of |f|^2 in its eigenspace."""

    eigenvalue: float
    multiplicity: int
    part: float


def read_levels(levels: Any) -> list[Level]:
    """The levels of a kernel as floats, at least one of them."""
    found = []
    for level in sequence(levels, "levels", "a list of (eigenvalue, multiplicity, part of |f|^2)"):
        if not isinstance(level, (tuple, list)) or len(level) != 3:
            raise BadType(
                f"a level is {shown(level)}: give (eigenvalue, multiplicity, part of |f|^2)"
            )
        value, times, part = level
        count = integer(times, "a multiplicity", at_least=1)
        found.append(Level(_real(value, "an eigenvalue"), count, _real(part, "a part of |f|^2")))
    if not found:
        raise BadShape("levels is empty: give at least one")
    return found


def _real(value: Any, what: str) -> float:
    if not isinstance(value, (float, RealRoot)):
        return as_float(number(value, what, at_least=0), what)
    if not 0 <= float(value) < float("inf"):
        raise BadValue(f"{what} is {shown(value)}: give a number of at least 0")
    return float(value)


def read_setting(
    samples: Any, ridge: Any, noise: Any, train: Any = False
) -> tuple[int, float, float]:
    """The number of samples, the ridge and the variance of the noise, the last two as floats."""
    least = int(flag(train, "train"))
    count = integer(samples, "samples", at_least=least, limit=MOST)
    shift = as_float(number(ridge, "the ridge", above=0), "the ridge", divides=True)
    return count, shift, as_float(number(noise, "the noise", at_least=0), "the noise")


def equivalent_kernel(
    levels: Iterable[Any], *, samples: int, ridge: Any, noise: Any = 0, train: bool = False
) -> float:
    """The error that the equivalent kernel predicts: a heuristic, and a float.

    It knows nothing of the directions that are not learned: with a small ridge it promises a
    small error from one sample. With a_i = N l_i / (N l_i + ridge), noise on the labels adds
    noise sum a_i^2 / N; with train=True the error is that on the samples against their labels,
    to which noise adds noise (1 - sum a_i (2 - a_i) / N). That is below 0 where the samples are
    fewer than the directions taken as learned: the heuristic is out of its range there.

    >>> equivalent_kernel([(1, 100, 1)], samples=1, ridge="1/99")
    0.0001
    >>> equivalent_kernel([(1, 10, 1)], samples=90, ridge=10, noise=1, train=True)
    0.9
    """
    count, shift, variance = read_setting(samples, ridge, noise, train)
    found = read_levels(levels)
    missed = sum(part * (shift / (count * value + shift)) ** 2 for value, _, part in found)
    if not variance or not count:
        return missed
    taken = [(times, count * value / (count * value + shift)) for value, times, _ in found]
    if train:
        return missed + variance * (1 - sum(n * a * (2 - a) for n, a in taken) / count)
    return missed + variance * sum(n * a * a for n, a in taken) / count


def self_consistent(
    levels: Iterable[Any], *, samples: int, ridge: Any, noise: Any = 0, train: bool = False
) -> float:
    """The error that the self-consistent theory predicts: a heuristic, and a float.

    With train=True it is the error on the samples against their labels, (ridge / q)^2 times the
    error on new samples against theirs.

    >>> round(self_consistent([(1, 100, 1)], samples=1, ridge="1/99"), 6)
    0.99
    >>> round(self_consistent([(1, 100, 1)], samples=50, ridge=1, noise="1/4", train=True), 6)
    0.000364
    """
    count, shift, variance = read_setting(samples, ridge, noise, train)
    found = read_levels(levels)
    if count == 0:
        return sum(level.part for level in found)
    q = solved_ridge(found, count, shift)
    total = error_of_labels(found, count, shift, q, variance)
    return (shift / q) ** 2 * total if train else total - variance


def error_of_labels(
    levels: Iterable[Level], count: int, shift: float, q: float, variance: float
) -> float:
    """The error on a new sample against its label, noise included.

    The equation for q makes 1 - sum a^2 / N the same as shift / q + sum a (1 - a) / N, which is
    added up without loss.
    """
    rest, missed = shift / q, variance
    for value, times, part in levels:
        learned, left = count * value / (count * value + q), q / (count * value + q)
        rest += times * learned * left / count
        missed += part * left**2
    return missed / rest


def solved_ridge(levels: Iterable[Level], count: int, shift: float) -> float:
    """The root q of q = shift + sum l q / (N l + q): it lies between shift and shift + trace."""
    from scipy.optimize import brentq

    positive = [(value, times) for value, times, _ in levels if value > 0]
    directions = sum(times for _, times in positive)
    top = shift + sum(times * value for value, times in positive)
    if count == 0:
        return top

    def gap(q: float) -> float:
        # q - sum l q / (N l + q), so written that nothing is lost where N is at least their number
        left = sum(times * (q / (count * value + q)) for value, times in positive)
        return q * ((count - directions) + left) / count - shift

    # Rounding alone can make the equation fail at an end.
    if gap(shift) >= 0:
        return shift
    if gap(top) <= 0:
        return top
    return float(brentq(gap, shift, top, xtol=1e-300, rtol=1e-14, maxiter=500))


def effective_ridge(levels: Iterable[Any], *, samples: int, ridge: Any) -> float:
    """The root q of q = ridge + sum l_i q / (N l_i + q): what is not learned acts as a ridge.

    >>> round(effective_ridge([(1, 2, 0)], samples=1, ridge=1), 6)
    2.414214
    """
    count, shift, _ = read_setting(samples, ridge, 0, False)
    return solved_ridge(read_levels(levels), count, shift)
