"""Two theories of kernel regression: the equivalent kernel and the self-consistent one.

With eigenvalues l_i of the kernel operator and g_i^2 the parts of |f|^2 in its eigenspaces, the
equivalent kernel predicts the error sum (d / (N l_i + d))^2 g_i^2, d the ridge. The self-consistent
theory replaces d by the root q of q = d + sum l_i q / (N l_i + q) and divides by
1 - (1/N) sum (N l_i / (N l_i + q))^2. Both are approximations, given as floats, and decide
nothing.

Under a test law that is not the law of the samples, the mean predictor is sum a_i g_i phi_i with
a_i = N l_i / (N l_i + q), and its variance at x is the error against labels times
sum a_i^2 phi_i(x)^2 / N. The eigenfunctions are extended by the kernel to all words.

>>> levels = [(2, 1, 1), ("1/2", 4, 0)]  # (eigenvalue, multiplicity, part of |f|^2)
>>> equivalent_kernel(levels, samples=1, ridge=1)
0.1111111111111111
>>> round(self_consistent(levels, samples=1, ridge=1), 4)
0.5361
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symbench._arguments import integer, shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import Rational
from symbench.exact.rational import exact_number
from symbench.exact.roots import RealRoot
from symbench.learning.regression import (
    Problem,
    as_float,
    float_ridge,
    read_noise,
    read_problem,
)

# (eigenvalue, multiplicity, part of |f|^2 in the eigenspace); numbers of any kind
Level = tuple[Any, int, Any]
_Floats = list[tuple[float, int, float]]
# Eigenvalues closer than this part of the largest are taken as one level, those below the second
# part of it as 0.
_CLOSE, _NOTHING = 1e-9, 1e-13
# More samples are not asked about.
MOST = 10**18


def _real(value: Any, what: str) -> float:
    if isinstance(value, float):
        number = value
    elif isinstance(value, RealRoot):
        number = float(value)
    else:
        number = as_float(Rational(exact_number(value)), what)
    if not 0 <= number < float("inf"):
        raise BadValue(f"{what} is {shown(value)}: give a number of at least 0")
    return number


def read_levels(levels: Any) -> _Floats:
    """The levels of a kernel as floats, at least one of them."""
    if isinstance(levels, (str, bytes)) or not isinstance(levels, Iterable):
        raise BadType(f"the levels are {shown(levels)}: give a list of triples")
    found = []
    for level in levels:
        if not isinstance(level, (tuple, list)) or len(level) != 3:
            raise BadType(
                f"{shown(level)} is no level: give (eigenvalue, multiplicity, part of |f|^2)"
            )
        value, times, part = level
        found.append(
            (
                _real(value, "an eigenvalue"),
                integer(times, "a multiplicity", at_least=1),
                _real(part, "a part of |f|^2"),
            )
        )
    if not found:
        raise BadShape("there are no levels")
    return found


def equivalent_kernel(
    levels: Iterable[Level], *, samples: int, ridge: Any, noise: Any = 0, train: bool = False
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
    count, shift, variance = _setting(samples, ridge, noise, train)
    found = read_levels(levels)
    missed = sum(part * (shift / (count * value + shift)) ** 2 for value, _, part in found)
    if not variance or not count:
        return missed
    taken = [(times, count * value / (count * value + shift)) for value, times, _ in found]
    if train:
        return missed + variance * (1 - sum(n * a * (2 - a) for n, a in taken) / count)
    return missed + variance * sum(n * a * a for n, a in taken) / count


def self_consistent(
    levels: Iterable[Level], *, samples: int, ridge: Any, noise: Any = 0, train: bool = False
) -> float:
    """The error that the self-consistent theory predicts: a heuristic, and a float.

    With train=True it is the error on the samples against their labels, (ridge / q)^2 times the
    error on new samples against theirs.

    >>> round(self_consistent([(1, 100, 1)], samples=1, ridge="1/99"), 6)
    0.99
    >>> round(self_consistent([(1, 100, 1)], samples=50, ridge=1, noise="1/4", train=True), 6)
    0.000364
    """
    count, shift, variance = _setting(samples, ridge, noise, train)
    found = read_levels(levels)
    if count == 0:
        return sum(part for _, _, part in found)
    q = _effective_ridge(found, count, shift)
    total = _error_of_labels(found, count, shift, q, variance)
    return (shift / q) ** 2 * total if train else total - variance


def _setting(samples: Any, ridge: Any, noise: Any, train: Any) -> tuple[int, float, float]:
    if not isinstance(train, bool):
        raise BadType(f"train is {shown(train)}: give True or False")
    count = integer(samples, "samples", at_least=1 if train else 0, limit=MOST)
    return count, float_ridge(ridge), as_float(read_noise(noise), "the noise")


def _error_of_labels(levels: _Floats, count: int, shift: float, q: float, variance: float) -> float:
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


def _effective_ridge(levels: _Floats, count: int, shift: float) -> float:
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


def _eigenfunctions(problem: Problem) -> tuple[Any, Any, Any]:
    """The root of the law, the eigenvalues of the kernel in increasing order, the vectors."""
    import numpy as np

    K, _, p = problem.arrays()
    root = np.sqrt(p)
    values, vectors = np.linalg.eigh(root[:, None] * K * root[None, :])
    largest = max(float(values[-1]), 0.0)
    if values[0] < -_CLOSE * max(float(np.abs(values).max()), 0.0):
        raise BadValue(
            f"the kernel has the eigenvalue {values[0]:.6g}: regression needs one that is positive "
            "semidefinite"
        )
    return root, np.where(values > _NOTHING * largest, values, 0.0), vectors


def kernel_levels(problem: Problem) -> list[tuple[float, int, float]]:
    """Eigenvalues, multiplicities and parts of |f|^2 of a small problem, by numpy: floats.

    >>> from symbench.learning.targets import parity
    >>> def overlap(x, y):
    ...     return sum(a == b for a, b in zip(x, y))
    >>> [(round(v, 6), n, round(g, 6))
    ...  for v, n, g in kernel_levels(Problem.of(overlap, parity(1), length=2))]
    [(1.0, 1, 0.0), (0.5, 2, 1.0), (0.0, 1, 0.0)]
    """
    root, values, vectors = _eigenfunctions(read_problem(problem))
    parts = (vectors.T @ (root * problem.arrays()[1])) ** 2
    found: list[tuple[float, int, float]] = []
    for value, part in zip(values[::-1], parts[::-1], strict=True):
        level = float(value)
        if found and found[-1][0] - level <= _CLOSE * float(values[-1]):
            head, times, sum_ = found[-1]
            found[-1] = (head, times + 1, sum_ + float(part))
        else:
            found.append((level, 1, float(part)))
    return found


def effective_ridge(levels: Iterable[Level], *, samples: int, ridge: Any) -> float:
    """The root q of q = ridge + sum l_i q / (N l_i + q): what is not learned acts as a ridge.

    >>> round(effective_ridge([(1, 2, 0)], samples=1, ridge=1), 6)
    2.414214
    """
    count, shift, _ = _setting(samples, ridge, 0, False)
    return _effective_ridge(read_levels(levels), count, shift)


def shifted_errors(
    problem: Problem, *, samples: int, ridge: Any, noise: Any = 0
) -> tuple[float, float]:
    """The errors that the two theories predict under the test law of the problem: floats.

    The equivalent kernel first, then the self-consistent theory.

    >>> from symbench.learning.targets import parity
    >>> problem = Problem.of(lambda x, y: int(x == y), parity(1), length=1,
    ...                      law=IidLaw(1, 0), test_law=IidLaw(0, 1))
    >>> shifted_errors(problem, samples=100, ridge=1)  # what was never seen is predicted 0
    (1.0, 1.0)
    """
    import numpy as np

    count, shift, variance = _setting(samples, ridge, noise, False)
    if not isinstance(problem, Problem) or problem.test is None:
        raise BadType(f"{shown(problem)} has no test law: build it by Problem.of(..., test_law=)")
    law = np.array(problem.test, dtype=float)
    K, f, _ = problem.arrays()
    if count == 0:
        start = float(law @ f**2)
        return start, start
    root, values, vectors = _eigenfunctions(problem)
    parts = vectors.T @ (root * f)
    # l_i phi_i, on all words: a positive semidefinite kernel has 0 where l_i is 0.
    sections = (K * root[None, :]) @ vectors * (values > 0)

    def error(q: float, against_labels: float) -> float:
        taken = sections * (count / (count * values + q))[None, :]
        bias = law @ (taken @ parts - f) ** 2
        return float(bias + against_labels / count * (law @ (taken**2).sum(axis=1)))

    levels = [(float(v), 1, float(g) ** 2) for v, g in zip(values, parts, strict=True)]
    q = _effective_ridge(levels, count, shift)
    return error(shift, variance), error(q, _error_of_labels(levels, count, shift, q, variance))
