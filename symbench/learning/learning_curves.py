"""Learning curves: two theories of kernel regression beside the bound, exact errors, simulation.

For each number of samples: the error on new words, the error on the samples themselves, and, where
a test law is given, the error under it. The theories are approximations, given as floats, and
decide nothing; the lower bound and the average over all training sets are exact.

>>> from symbench.learning.targets import parity
>>> def same(x, y):  # remembers the samples, and nothing else
...     return int(x == y)
>>> curve = learning_curve(same, parity(1), length=2, samples=[1, 2], ridge=1)
>>> [(str(x.bound), str(x.exact), str(x.train.exact)) for x in curve.points]
[('1/2', '13/16', '1/4'), ('0', '191/288', '31/144')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import integer, shown
from symbench.draw.figures import new_figure
from symbench.draw.tables import columns_text
from symbench.errors import BadType, BadValue, TooLarge, UnknownName
from symbench.exact import Rational
from symbench.laws.exchangeable import Law
from symbench.learning.orbit_average import OrbitAverage, orbit_average
from symbench.learning.regression import (
    Errors,
    Problem,
    errors_over_sets,
    read_noise,
    read_ridge,
)
from symbench.learning.simulation import errors_by_simulation
from symbench.learning.symmetry import Symmetry, exchangeable_law, symmetry_of
from symbench.learning.targets import Target, read_target
from symbench.learning.theories import (
    Level,
    equivalent_kernel,
    kernel_levels,
    read_levels,
    self_consistent,
    shifted_errors,
)

__all__ = [
    "CurvePoint",
    "LearningCurve",
    "Losses",
    "equivalent_kernel",
    "kernel_levels",
    "learning_curve",
    "self_consistent",
]
LOSSES = ("test", "train", "shifted")
_TITLES = {
    "test": "expected squared error",
    "train": "squared error on the samples",
    "shifted": "expected squared error, test law",
}


@attrs.frozen
class Losses:
    """An error five ways: two theories, a simulation with its spread, exactly, and from below.

    `exact` is None where there are too many training sets to go through; `bound` is None where
    no bound is known: on the samples, and where the symmetry is missing.

    >>> Losses(0.5, 0.6, 0.61, 0.01, None).bound is None
    True
    """

    equivalent: float
    self_consistent: float
    simulated: float
    spread: float
    exact: Rational | None
    bound: Rational | None = None


@attrs.frozen
class CurvePoint:
    """What is known and what is predicted for one number of samples, under the law of the samples.

    `train` has the same of the error on the samples against their labels, None without samples;
    `shifted` that of the error under the test law, None where there is no other.

    >>> CurvePoint(samples=0, bound=Rational(1), equivalent=1.0, self_consistent=1.0,
    ...            simulated=1.0, spread=0.0, exact=Rational(1)).exact
    1
    """

    samples: int
    bound: Rational | None
    equivalent: float
    self_consistent: float
    simulated: float
    spread: float
    exact: Rational | None
    train: Losses | None = None
    shifted: Losses | None = None

    def losses(self, name: str) -> Losses | None:
        """The losses called 'test', 'train' or 'shifted'."""
        if name == "test":
            return Losses(
                self.equivalent,
                self.self_consistent,
                self.simulated,
                self.spread,
                self.exact,
                self.bound,
            )
        return self.train if name == "train" else self.shifted


@attrs.frozen(repr=False)
class LearningCurve:
    """The error of kernel regression against the number of samples, five ways side by side.

    `bound` and `exact` are exact numbers; the others are floats, and heuristics or simulations.

    >>> from symbench.learning.targets import parity
    >>> curve = learning_curve(lambda x, y: int(x == y), parity(1), length=2, samples=[1],
    ...                        ridge=1, trials=2)
    >>> print(curve.table())
    N  bound   exact   simulated  self-consistent  equivalent kernel
    1  0.5000  0.8125  0.8125     0.8246           0.6400
    >>> curve.names, curve.norm
    (('test', 'train'), 1)
    """

    points: tuple[CurvePoint, ...]
    ridge: Rational
    norm: Rational
    noise: Rational = Rational(0)
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    @property
    def names(self) -> tuple[str, ...]:
        """Which losses there are: 'test', and 'train' and 'shifted' where some point has them."""
        return tuple(name for name in LOSSES if any(x.losses(name) for x in self.points))

    def table(self, *, loss: str = "test", spreads: bool = False) -> str:
        """One of the losses as text; a dash where there are too many training sets, or no bound.

        With spreads=True the simulation has its standard error beside it.
        """
        if not isinstance(spreads, bool):
            raise BadType(f"spreads is {shown(spreads)}: give True or False")
        rows = [["N", "bound", "exact", "simulated", "self-consistent", "equivalent kernel"]]
        for point in self.points:
            x = point.losses(_loss(loss))
            if x is None:
                rows.append([str(point.samples), *["-"] * 5])
                continue
            rows.append(
                [
                    str(point.samples),
                    _decimal(x.bound),
                    _decimal(x.exact),
                    _decimal(x.simulated) + (f" ± {x.spread:.4f}" if spreads else ""),
                    _decimal(x.self_consistent),
                    _decimal(x.equivalent),
                ]
            )
        return columns_text(rows)

    def plot(self, path: Any = None, *, losses: Sequence[str] = ("test",)) -> Any:
        """The curves in one matplotlib figure, a panel for each loss, saved if a path is given."""
        if path is not None and not isinstance(path, (str, Path)):
            raise BadType(f"the path is {shown(path)}: give a file name")
        if isinstance(losses, (str, bytes)) or not isinstance(losses, Iterable):
            raise BadType(f"losses is {shown(losses)}: give a list of {', '.join(LOSSES)}")
        names = [_loss(name) for name in losses]
        if not names or not set(names) <= set(self.names):
            raise BadValue(f"losses is {names}: this curve has {', '.join(self.names)}")
        figure = new_figure(6 * len(names), 4)
        figure.set_layout_engine("constrained")
        for place, axes in enumerate(figure.subplots(1, len(names), squeeze=False)[0]):
            self.draw(axes, names[place])
        if path is not None:
            figure.savefig(path)
        return figure

    def draw(self, axes: Any, loss: str) -> None:
        """One of the losses on matplotlib axes."""
        found = [(x.samples, y) for x in self.points if (y := x.losses(_loss(loss))) is not None]
        n = [samples for samples, _ in found]
        below = [(samples, float(x.bound)) for samples, x in found if x.bound is not None]
        if below:
            axes.plot(*zip(*below, strict=True), "k-", label="lower bound")
        axes.errorbar(
            n,
            [x.simulated for _, x in found],
            yerr=[x.spread for _, x in found],
            fmt="o",
            label="simulated",
        )
        known = [(samples, float(x.exact)) for samples, x in found if x.exact is not None]
        if known:
            axes.plot(*zip(*known, strict=True), "x", label="exact")
        axes.plot(n, [x.self_consistent for _, x in found], "--", label="self-consistent")
        axes.plot(n, [x.equivalent for _, x in found], ":", label="equivalent kernel")
        axes.set_xlabel("samples")
        axes.set_ylabel(_TITLES[loss])
        axes.legend()


def _loss(name: Any) -> str:
    if not isinstance(name, str) or name not in LOSSES:
        raise UnknownName(f"the loss is {shown(name)}: give one of {', '.join(LOSSES)}")
    return name


def _decimal(value: Rational | float | None) -> str:
    return "-" if value is None else f"{float(value):.4f}"


def learning_curve(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: Sequence[int],
    ridge: Any,
    law: Law | None = None,
    test_law: Law | None = None,
    noise: Any = 0,
    levels: Iterable[Level] | None = None,
    trials: int = 200,
    most_sets: int = 200_000,
    seed: int = 0,
) -> LearningCurve:
    """The learning curve of kernel regression, by the bound, exactly, simulated and predicted.

    With a test law the errors under it are there too. noise is the variance of independent
    noise on the labels. The levels of the kernel may be given; by default numpy computes them.
    Averages over all training sets are taken where there are at most `most_sets`. There is a
    bound where the kernel is invariant and the laws are exchangeable.

    >>> from symbench.learning.targets import polynomial
    >>> curve = learning_curve(linear_attention(1, 1, readout="flatten"),
    ...     polynomial({(1,): 1, (2,): -1}), length=3, samples=[0, 1, 2], ridge="1/20")
    >>> [str(x.bound) for x in curve.points], all(x.bound <= x.exact for x in curve.points)
    (['2', '1', '0'], True)
    """
    counts = read_samples(samples)
    shift, variance = read_ridge(ridge), read_noise(noise)
    most, tokens = (
        integer(most_sets, "most_sets", at_least=0),
        read_target(target, length)[0].vocabulary,
    )
    known = None if levels is None else read_levels(levels)
    problem = Problem.of(kernel, target, length=length, law=law, test_law=test_law)
    laws = (law,) if test_law is None else (law, test_law)
    symmetry = symmetry_of(kernel, law, length=length, vocabulary=tokens, table=problem.kernel)
    return curve_of(
        problem,
        bounds_of(symmetry, target, laws, length),
        kernel_levels(problem) if known is None else known,
        counts,
        ridge=shift,
        noise=variance,
        trials=trials,
        most_sets=most,
        seed=seed,
    )


def curve_of(
    problem: Problem,
    bounds: Sequence[OrbitAverage | None],
    levels: Iterable[Level],
    samples: Iterable[int],
    *,
    ridge: Rational,
    noise: Rational,
    trials: int,
    most_sets: int,
    seed: int,
) -> LearningCurve:
    """The learning curve of a tabulated problem, with a bound (or None) for each of its laws."""
    known = list(levels)
    points = []
    for count in samples:
        drawn = errors_by_simulation(problem, count, ridge, noise=noise, trials=trials, seed=seed)
        try:
            exact: Errors | None = errors_over_sets(
                problem, count, ridge, noise=noise, most=most_sets
            )
        except TooLarge:
            exact = None

        def theories(train: bool, count: int = count) -> tuple[float, float]:
            first = equivalent_kernel(known, samples=count, ridge=ridge, noise=noise, train=train)
            second = self_consistent(known, samples=count, ridge=ridge, noise=noise, train=train)
            return first, second

        train = shifted = None
        if drawn.train is not None:
            train = Losses(*theories(True), *drawn.train, exact.train if exact else None)
        if drawn.shifted is not None:
            predicted = shifted_errors(problem, samples=count, ridge=ridge, noise=noise)
            shifted = Losses(
                *predicted,
                *drawn.shifted,
                exact.shifted if exact else None,
                None if bounds[1] is None else bounds[1].tail(count),
            )
        points.append(
            CurvePoint(
                count,
                None if bounds[0] is None else bounds[0].tail(count),
                *theories(False),
                *drawn.test,
                exact.test if exact else None,
                train,
                shifted,
            )
        )
    return LearningCurve(tuple(points), ridge, problem.norm, noise)


def read_samples(samples: Any) -> list[int]:
    """Numbers of samples, at least one of them."""
    if isinstance(samples, (str, bytes)) or not isinstance(samples, Iterable):
        raise BadType(f"samples is {shown(samples)}: give a list of numbers of samples")
    counts = [integer(n, "a number of samples", at_least=0) for n in samples]
    if not counts:
        raise BadValue("samples is empty: give at least one number of samples")
    return counts


def bounds_of(
    symmetry: Symmetry, target: Target, laws: Sequence[Any], length: int
) -> list[OrbitAverage | None]:
    """For each law the eigenvalues that the lower bound adds up; None without the symmetry.

    The first law is that of the samples. The bound holds under any other exchangeable law of the
    words that are predicted: the samples and the predictor are permuted together, and the error
    under such a law does not change.
    """
    if not symmetry:
        return [None] * len(laws)
    found = []
    for law in laws:
        chosen = exchangeable_law(law, length=length, vocabulary=target.vocabulary)
        found.append(None if chosen is None else orbit_average(target, length=length, law=chosen))
    return found
