"""Learning curves: two theories of kernel regression beside the bound, exact errors, simulation.

With eigenvalues l_i of the kernel operator and g_i^2 the parts of |f|^2 in its eigenspaces, the
equivalent kernel predicts the error sum (d / (N l_i + d))^2 g_i^2, d the ridge. The self-consistent
theory replaces d by the root q of q = d + sum l_i q / (N l_i + q) and divides by
1 - (1/N) sum (N l_i / (N l_i + q))^2. Both are approximations, given as floats, and decide
nothing; the lower bound and the average over all training sets are exact.

>>> from symbench.spectra.learning_curves import equivalent_kernel, self_consistent
>>> levels = [(2, 1, 1), ("1/2", 4, 0)]  # (eigenvalue, multiplicity, part of |f|^2)
>>> equivalent_kernel(levels, samples=1, ridge=1)
0.1111111111111111
>>> round(self_consistent(levels, samples=1, ridge=1), 4)
0.5361
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from symbench.draw.figures import new_figure
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, integer, shown
from symbench.spectra.law import Law
from symbench.spectra.lower_bounds import orbit_spectrum
from symbench.spectra.orbit_average import columns_text
from symbench.spectra.regression import Problem, error_by_simulation, error_over_sets, read_ridge
from symbench.spectra.roots import RealRoot
from symbench.spectra.targets import Target

# (eigenvalue, multiplicity, part of |f|^2 in the eigenspace); numbers of any kind
Level = tuple[Any, int, Any]
_Floats = list[tuple[float, int, float]]
# Eigenvalues closer than this part of the largest are taken as one level.
_CLOSE = 1e-9


def _real(value: Any, what: str) -> float:
    if isinstance(value, float):
        number = value
    elif isinstance(value, RealRoot):
        number = float(value)
    else:
        number = float(Rational(exact_number(value)))
    if not 0 <= number < float("inf"):
        raise BadValue(f"{what} is {shown(value)}: give a number of at least 0")
    return number


def _levels(levels: Any) -> _Floats:
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


def equivalent_kernel(levels: Iterable[Level], *, samples: int, ridge: Any) -> float:
    """The error that the equivalent kernel predicts: a heuristic, and a float.

    It knows nothing of the directions that are not learned: with a small ridge it promises a
    small error from one sample.

    >>> equivalent_kernel([(1, 100, 1)], samples=1, ridge="1/99")
    0.0001
    """
    count = integer(samples, "samples", at_least=0)
    shift = float(read_ridge(ridge))
    return sum(part * (shift / (count * value + shift)) ** 2 for value, _, part in _levels(levels))


def self_consistent(levels: Iterable[Level], *, samples: int, ridge: Any) -> float:
    """The error that the self-consistent theory predicts: a heuristic, and a float.

    >>> round(self_consistent([(1, 100, 1)], samples=1, ridge="1/99"), 6)
    0.99
    """
    count = integer(samples, "samples", at_least=0)
    shift = float(read_ridge(ridge))
    found = _levels(levels)
    if count == 0:
        return sum(part for _, _, part in found)
    q = _effective_ridge(found, count, shift)
    learned = sum(times * (count * v / (count * v + q)) ** 2 for v, times, _ in found)
    missed = sum(part * (q / (count * v + q)) ** 2 for v, _, part in found)
    return missed / (1 - learned / count)


def _effective_ridge(levels: _Floats, count: int, shift: float) -> float:
    """The root q of q = shift + sum l q / (N l + q): it lies between shift and shift + trace."""
    from scipy.optimize import brentq

    def gap(q: float) -> float:
        return q - shift - sum(times * v * q / (count * v + q) for v, times, _ in levels)

    top = shift + sum(times * v for v, times, _ in levels)
    if top == shift:
        return shift
    return float(brentq(gap, shift, top, xtol=1e-300, rtol=1e-14, maxiter=500))


def kernel_levels(problem: Problem) -> list[tuple[float, int, float]]:
    """Eigenvalues, multiplicities and parts of |f|^2 of a small problem, by numpy: floats.

    >>> from symbench.spectra.targets import parity
    >>> def overlap(x, y):
    ...     return sum(a == b for a, b in zip(x, y))
    >>> [(round(v, 6), n, round(g, 6))
    ...  for v, n, g in kernel_levels(Problem.of(overlap, parity(1), length=2))]
    [(1.0, 1, 0.0), (0.5, 2, 1.0), (0.0, 1, 0.0)]
    """
    import numpy as np

    if not isinstance(problem, Problem):
        raise BadType(f"{shown(problem)} is no Problem: build one by Problem.of(kernel, target)")
    K, f, p = problem.arrays()
    root = np.sqrt(p)
    values, vectors = np.linalg.eigh(root[:, None] * K * root[None, :])
    if values[0] < -_CLOSE * max(1.0, values[-1]):
        raise BadValue(
            f"the kernel has the eigenvalue {values[0]:.6g}: regression needs one that is positive "
            "semidefinite"
        )
    parts = (vectors.T @ (root * f)) ** 2
    found: list[tuple[float, int, float]] = []
    for value, part in zip(values[::-1], parts[::-1], strict=True):
        level = max(float(value), 0.0)
        if found and found[-1][0] - level <= _CLOSE * float(values[-1]):
            head, times, sum_ = found[-1]
            found[-1] = (head, times + 1, sum_ + float(part))
        else:
            found.append((level, 1, float(part)))
    return found


@attrs.frozen
class CurvePoint:
    """What is known and what is predicted for one number of samples.

    >>> CurvePoint(samples=0, bound=Rational(1), equivalent=1.0, self_consistent=1.0,
    ...            simulated=1.0, spread=0.0, exact=Rational(1)).exact
    1
    """

    samples: int
    bound: Rational
    equivalent: float
    self_consistent: float
    simulated: float
    spread: float
    exact: Rational | None


@attrs.frozen(repr=False)
class LearningCurve:
    """The error of kernel regression against the number of samples, five ways side by side.

    `bound` and `exact` are exact numbers; the others are floats, and heuristics or simulations.
    """

    points: tuple[CurvePoint, ...]
    ridge: Rational
    norm: Rational
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """The curve as text; a dash where there are too many training sets to go through."""
        rows = [["N", "bound", "exact", "simulated", "self-consistent", "equivalent kernel"]]
        for x in self.points:
            rows.append(
                [
                    str(x.samples),
                    f"{float(x.bound):.4f}",
                    "-" if x.exact is None else f"{float(x.exact):.4f}",
                    f"{x.simulated:.4f}",
                    f"{x.self_consistent:.4f}",
                    f"{x.equivalent:.4f}",
                ]
            )
        return columns_text(rows)

    def plot(self, path: Any = None) -> Any:
        """The curves in one matplotlib figure, saved if a path is given."""
        if path is not None and not isinstance(path, (str, Path)):
            raise BadType(f"the path is {shown(path)}: give a file name")
        figure = new_figure(6, 4)
        axes = figure.add_subplot()
        n = [x.samples for x in self.points]
        axes.plot(n, [float(x.bound) for x in self.points], "k-", label="lower bound")
        axes.errorbar(
            n,
            [x.simulated for x in self.points],
            yerr=[x.spread for x in self.points],
            fmt="o",
            label="simulated",
        )
        known = [x for x in self.points if x.exact is not None]
        axes.plot(
            [x.samples for x in known],
            [float(x.exact) for x in known if x.exact is not None],
            "x",
            label="exact",
        )
        axes.plot(n, [x.self_consistent for x in self.points], "--", label="self-consistent")
        axes.plot(n, [x.equivalent for x in self.points], ":", label="equivalent kernel")
        axes.set_xlabel("samples")
        axes.set_ylabel("expected squared error")
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure


def learning_curve(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: Sequence[int],
    ridge: Any,
    law: Law | None = None,
    levels: Iterable[Level] | None = None,
    trials: int = 200,
    seed: int = 0,
) -> LearningCurve:
    """The learning curve of kernel regression, by the bound, exactly, simulated and predicted.

    The levels of the kernel may be given; by default numpy computes them.

    >>> from symbench.kernels import linear_attention
    >>> from symbench.spectra.targets import polynomial
    >>> curve = learning_curve(linear_attention(1, 1, readout="flatten"),
    ...     polynomial({(1,): 1, (2,): -1}), length=3, samples=[0, 1, 2], ridge="1/20")
    >>> [str(x.bound) for x in curve.points], all(x.bound <= x.exact for x in curve.points)
    (['2', '1', '0'], True)
    """
    if isinstance(samples, (str, bytes)) or not isinstance(samples, Iterable):
        raise BadType(f"samples is {shown(samples)}: give a list of numbers of samples")
    counts = [integer(n, "a number of samples", at_least=0) for n in samples]
    shift = read_ridge(ridge)
    problem = Problem.of(kernel, target, length=length, law=law)
    orbit = orbit_spectrum(target, length=length, law=law)
    known = kernel_levels(problem) if levels is None else list(levels)
    points = []
    for count in counts:
        mean, spread = error_by_simulation(problem, count, shift, trials=trials, seed=seed)
        try:
            exact: Rational | None = error_over_sets(problem, count, shift)
        except TooLarge:
            exact = None
        points.append(
            CurvePoint(
                samples=count,
                bound=orbit.tail(count),
                equivalent=equivalent_kernel(known, samples=count, ridge=shift),
                self_consistent=self_consistent(known, samples=count, ridge=shift),
                simulated=mean,
                spread=spread,
                exact=exact,
            )
        )
    return LearningCurve(tuple(points), shift, problem.norm)
