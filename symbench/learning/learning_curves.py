"""Learning curves: two theories of kernel regression beside the bound, exact errors, simulation.

For each number of samples: the error on new points, the error on the samples themselves, and, where
a test law is given, the error under it. The theories are approximations, given as floats, and
decide nothing; the lower bound and the average over all training sets are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import choice, flag, sequence
from symbench.draw.figures import Figure, plotted
from symbench.draw.tables import columns_text
from symbench.errors import BadValue
from symbench.exact import Rational

TITLES = {
    "test": "expected squared error",
    "train": "squared error on the samples",
    "shifted": "expected squared error under the test law",
}


@attrs.frozen
class Losses:
    """An error five ways: two theories, a simulation with its spread, exactly, and from below.

    `exact` is None where there are too many training sets to go through; `bound` is None where
    no bound is known: on the samples, and where the symmetry is missing.
    """

    equivalent: float
    self_consistent: float
    simulated: float
    spread: float
    exact: Rational | None
    bound: Rational | None = None


FIELDS = [field.name for field in attrs.fields(Losses)]


@attrs.frozen(kw_only=True)
class CurvePoint(Losses):
    """What is known and what is predicted for one number of samples, under the law of the samples.

    `train` has the same of the error on the samples against their labels, None without samples;
    `shifted` that of the error under the test law, None where there is no other.
    """

    samples: int
    train: Losses | None = None
    shifted: Losses | None = None

    def losses(self, name: str) -> Losses | None:
        """The losses called 'test' (the point itself), 'train' or 'shifted'."""
        own = {"test": self, "train": self.train, "shifted": self.shifted}
        return own[choice(name, "the loss", TITLES)]


@attrs.frozen(repr=False)
class LearningCurve:
    """The error of kernel regression against the number of samples, five ways side by side.

    `bound` and `exact` are exact numbers; the others are floats, and heuristics or simulations.

    >>> problem = Problem(lambda x, y: int(x == y), targets.parity(1), length=2)
    >>> curve = problem.curve([1], 1, trials=2)
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
        return tuple(name for name in TITLES if any(x.losses(name) for x in self.points))

    def table(self, *, loss: str = "test", spreads: bool = False) -> str:
        """One of the losses as text; a dash where there are too many training sets, or no bound.

        With spreads=True the simulation has its standard error beside it.
        """
        flag(spreads, "spreads")
        rows = [["N", "bound", "exact", "simulated", "self-consistent", "equivalent kernel"]]
        for point in self.points:
            x, cells = point.losses(loss), ["-"] * 5
            if x is not None:
                cells = [_decimal(x.bound), _decimal(x.exact), _decimal(x.simulated)]
                cells += [_decimal(x.self_consistent), _decimal(x.equivalent)]
                cells[2] += f" ± {x.spread:.4f}" if spreads else ""
            rows.append([str(point.samples), *cells])
        return columns_text(rows)

    def plot(self, path: str | Path | None = None, *, losses: Sequence[str] = ("test",)) -> Figure:
        """The curves in one matplotlib figure, a panel for each loss, saved if a path is given."""
        listed = sequence(losses, "losses", f"a list of {', '.join(TITLES)}")
        names = [choice(name, "the loss", TITLES) for name in listed]
        if not names or not set(names) <= set(self.names):
            raise BadValue(f"losses is {names}: this curve has {', '.join(self.names)}")
        with plotted(path, 6 * len(names), 4) as figure:
            for axes, name in zip(
                figure.subplots(1, len(names), squeeze=False)[0], names, strict=True
            ):
                self.draw(axes, name)
        return figure

    def draw(self, axes: Any, loss: str) -> None:
        """One of the losses on matplotlib axes."""
        found = [(x.samples, y) for x in self.points if (y := x.losses(loss)) is not None]
        n = [samples for samples, _ in found]
        below = [(samples, float(x.bound)) for samples, x in found if x.bound is not None]
        if below:
            axes.plot(*zip(*below, strict=True), "k-", label="lower bound")
        means, spreads = [x.simulated for _, x in found], [x.spread for _, x in found]
        axes.errorbar(n, means, yerr=spreads, fmt="o", label="simulated")
        known = [(samples, float(x.exact)) for samples, x in found if x.exact is not None]
        if known:
            axes.plot(*zip(*known, strict=True), "x", label="exact")
        axes.plot(n, [x.self_consistent for _, x in found], "--", label="self-consistent")
        axes.plot(n, [x.equivalent for _, x in found], ":", label="equivalent kernel")
        axes.set(xlabel="samples", ylabel=TITLES[loss])
        axes.legend()


def _decimal(value: Rational | float | None) -> str:
    return "-" if value is None else f"{float(value):.4f}"
