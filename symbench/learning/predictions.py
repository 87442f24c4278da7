"""What is predicted at each point: by the equivalent kernel, exactly, and by regression.

On L2 of the law of the samples the kernel is an operator K, and the equivalent kernel predicts
f_N = K (K + d/N)^-1 f, d the ridge: rational numbers, found by one exact solve. The kernel extends
f_N to all points, those outside the support of the law included, so its error is known exactly
under any test law. Beside it stands Gaussian-process regression on N samples: its mean over all
training sets, exactly where they are few, simulated with a seed where not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import flint

from symbench._arguments import integer
from symbench.draw.axes import legend
from symbench.draw.figures import Figure, plotted
from symbench.draw.views import Shown, columns_text, sheet
from symbench.errors import NotInvertible
from symbench.exact import Rational
from symbench.exact.arrays import np
from symbench.exact.rational import fmpq, rational
from symbench.learning.numbers import as_float
from symbench.learning.regression import Errors, Pair, Regression
from symbench.learning.theories import MOST

# Up to this many points the equivalent kernel is solved exactly unless floats are asked for.
_EXACT = 256
# Averages over all training sets are taken where there are at most this many: a second or so.
FEW_SETS = 5_000
_SINGULAR = "the kernel operator plus ridge/N is singular: is the kernel positive semidefinite?"
Number = Rational | float


@attrs.frozen(eq=False, repr=False)
class EquivalentPredictor(Shown):
    """The predictor of the equivalent kernel at all points, and its error under any law.

    `exactness` is 'exact', or 'float' with the number of `digits` to which two computations
    agree.

    >>> problem = Problem(lambda x, y: 1 + int(x == y), targets.parity(1), length=1, law=Iid(1, 0))
    >>> found = problem.predictor(6, 1)
    >>> found.values, found.error(), found.error(Iid(0, 1))  # 1 is never seen
    ((12/13, 6/13), 1/169, 361/169)
    """

    problem: Regression
    samples: int
    ridge: Rational
    values: tuple[Number, ...]
    exactness: str = "exact"
    digits: int | None = None

    def __repr__(self) -> str:
        return (
            f"EquivalentPredictor: {len(self.values)} points, N = {self.samples}, "
            f"ridge {self.ridge}, {self.exactness}"
        )

    def value(self, point: Any) -> Number:
        """What is predicted at a point."""
        return self.values[self.problem.place(point)]

    def error(self, test_law: Any = None) -> Number:
        """The squared error against the target: under the law of the samples, or a test law."""
        problem = self.problem
        chances = problem.chances if test_law is None else problem.chances_under(test_law)
        total: Any = sum(
            p * (predicted - wanted) ** 2
            for p, predicted, wanted in zip(chances, self.values, problem.values, strict=True)
        )
        return Rational(total) if self.exactness == "exact" else float(total)


def exact_values(problem: Regression, count: int, ridge: Rational) -> tuple[Rational, ...]:
    """Solve (K p + ridge/N) g = f on the support of the law; then f_N = K p g everywhere."""
    K = problem.matrix.flint
    chances = {i: fmpq(p) for i, p in enumerate(problem.chances) if p}
    shift = fmpq(ridge / count)
    system = flint.fmpq_mat(
        [[K[i, j] * p + (shift if i == j else 0) for j, p in chances.items()] for i in chances]
    )
    labels = flint.fmpq_mat([[fmpq(problem.values[i])] for i in chances])
    try:
        g = system.solve(labels)
    except ZeroDivisionError:
        raise NotInvertible(_SINGULAR) from None
    weighted = flint.fmpq_mat([[p * g[s, 0]] for s, p in enumerate(chances.values())])
    sections = flint.fmpq_mat([[K[i, j] for j in chances] for i in range(len(problem.points))])
    found = sections * weighted
    return tuple(rational(found[i, 0]) for i in range(len(problem.points)))


def float_values(problem: Regression, count: int, ridge: Rational) -> tuple[tuple[float, ...], int]:
    """By one solve, and by eigenfunctions: the digits are what the two have in common."""
    K, f, p = problem.arrays
    shift = as_float(ridge, "the ridge", divides=True) / integer(count, "samples", limit=MOST)
    try:
        solved = (K * p) @ np.linalg.solve(K * p + shift * np.eye(len(p)), f)
    except np.linalg.LinAlgError:
        raise NotInvertible(_SINGULAR) from None
    root, values, vectors = problem.eigenfunctions
    parts = vectors.T @ (root * f) / (np.maximum(values, 0) + shift)
    again = (K * root) @ (vectors @ parts)
    gap, size = float(np.abs(solved - again).max()), float(np.abs(solved).max())
    digits = 15 if gap == 0 or size == 0 else max(0, min(15, int(-np.log10(gap / size))))
    return tuple(map(float, solved)), digits


@attrs.frozen(eq=False, repr=False)
class PredictionComparison(Shown):
    """The equivalent kernel beside Gaussian-process regression, point by point.

    `mean` and `deviation` are those of the prediction over random training sets (floats);
    `exact_mean` is the mean over all of them, and `exact` the errors, where they are few.

    >>> problem = Problem(linear_attention(1, 1), targets.parity(1), length=2,
    ...                   law=Iid("2/3", "1/3"), test_law=Iid("1/3", "2/3"))
    >>> print(problem.predictions(1, 4, trials=20).table())
    point  p    target  equivalent kernel  regression  deviation
    0 0    4/9  1       0.8485             0.4097      0.7...
    0 1    2/9  1       0.5163             0.2238      0.5...
    1 0    2/9  -1      -0.4249            0.0262      0.6...
    1 1    1/9  -1      -0.6454            -0.0764     0.5...
    <BLANKLINE>
    error               equivalent kernel  regression
    law of the samples  0.1497             0.9579 exactly
    test law            0.1839             1.0829 exactly
    """

    predictor: EquivalentPredictor
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    exact_mean: tuple[Rational, ...] | None
    simulated: Errors[Pair]
    exact: Errors[Rational] | None
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    @property
    def equivalent(self) -> tuple[Number, Number | None]:
        """The errors of the equivalent kernel under the law and under the test law."""
        other = self.predictor.problem.test_chances
        return self.predictor.error(), None if other is None else self.predictor.error(other)

    def table(self, *, limit: int = 16) -> str:
        """Point by point, at most `limit` of them, then the errors under the two laws."""
        problem, most = self.predictor.problem, integer(limit, "limit", at_least=1)
        means = self.mean if self.exact_mean is None else self.exact_mean
        rows = [["point", "p", "target", "equivalent kernel", "regression", "deviation"]]
        for i, point in enumerate(problem.points[:most]):
            name = " ".join(map(str, point)) if isinstance(point, tuple) else str(point)
            numbers = (self.predictor.values[i], means[i], self.deviation[i])
            known = [name, str(problem.chances[i]), str(problem.values[i])]
            rows.append([*known, *(f"{float(v):.4f}" for v in numbers)])
        left = len(problem.points) - most
        more = [f"... and {left} more points"] if left > 0 else []
        errors = [["error", "equivalent kernel", "regression"]]
        names = ("law of the samples", "test law")
        for name, field, predicted in zip(names, ("test", "shifted"), self.equivalent, strict=True):
            if predicted is None:
                continue
            if self.exact is not None:
                text = f"{float(getattr(self.exact, field)):.4f} exactly"
            else:
                text = "{:.4f} ± {:.4f}".format(*getattr(self.simulated, field))
            errors.append([name, f"{float(predicted):.4f}", text])
        return sheet(columns_text(rows), *more, "", columns_text(errors))

    def plot(self, path: str | Path | None = None) -> Figure:
        """The mean of regression against the equivalent kernel, a point with a bar for each.

        Points that the samples never show are drawn apart. Saved if a path is given.
        """
        problem, predicted = self.predictor.problem, [float(v) for v in self.predictor.values]
        with plotted(path, 5, 4.5) as figure:
            axes = figure.subplots()
            for label, seen in (("points of the samples", True), ("points never sampled", False)):
                chosen = [i for i, p in enumerate(problem.chances) if (p > 0) == seen]
                at, means, bars = (
                    [column[i] for i in chosen] for column in (predicted, self.mean, self.deviation)
                )
                if chosen:
                    axes.errorbar(
                        at, means, yerr=bars, fmt="o", ms=4, capsize=2, alpha=0.7, label=label
                    )
            ends = [min(predicted), max(predicted)]
            axes.plot(ends, ends, "k:", label="equal")
            axes.set(xlabel="equivalent kernel", ylabel="regression, mean and deviation")
            legend(axes, f"N = {self.predictor.samples:,}")
        return figure


def mean_over_sets(problem: Regression, count: int, ridge: Rational) -> tuple[Rational, ...]:
    """The mean prediction at every point, over all training sets; noise has mean 0."""
    K, size = problem.matrix.flint, len(problem.points)
    total = flint.fmpq_mat(size, 1)
    for points, times, chance in problem.training_sets(count, FEW_SETS):
        if points:
            a, _ = problem.solve(points, times, fmpq(ridge))
            sections = flint.fmpq_mat([[K[i, j] for j in points] for i in range(size)])
            total += chance * (sections * a)
    return tuple(rational(total[i, 0]) for i in range(size))
