"""Learning curves: the error of kernel regression against the number of samples, side by side.

On words: two theories beside the lower bound, exact errors and a simulation, for the error on new
points, the error on the samples themselves, and, where a test law is given, the error under it. The
theories are approximations, given as floats, and decide nothing; the lower bound and the average
over all training sets are exact. On tasks: the exact curve of strings without common tokens, the
proved upper bound, the simulation and the limit, on unseen and on seen symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs

from symbench._arguments import choice, flag, sequence
from symbench.draw.axes import counted, legend, logarithm
from symbench.draw.figures import Figure, plotted
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadValue
from symbench.exact import Rational

TITLES = {
    "test": "expected squared error",
    "train": "squared error on the samples",
    "shifted": "expected squared error under the test law",
}


# How a column is drawn: its title, and the format of its line; None is a point with its spread.
Columns = dict[str, tuple[str, str | None]]


@attrs.frozen
class Losses(Shown):
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

    columns: ClassVar[Columns] = {
        "bound": ("lower bound", "k-"),
        "exact": ("exact", "x"),
        "simulated": ("simulated", None),
        "self_consistent": ("self-consistent", "--"),
        "equivalent": ("equivalent kernel", ":"),
    }


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

    titles: ClassVar[dict[str, str]] = TITLES
    drawn: ClassVar[tuple[str, ...]] = ("test",)  # where nothing else is asked for

    def losses(self, name: str) -> Losses | None:
        """The losses called 'test' (the point itself), 'train' or 'shifted'."""
        own = {"test": self, "train": self.train, "shifted": self.shifted}
        return own[choice(name, "the loss", TITLES)]


@attrs.frozen
class TaskLosses(Shown):
    """The mean absolute error over the templates of a task, by what is known of it.

    `fresh` is the error from strings without common tokens; on seen symbols it is None. `bound` is
    proved for the mean over training sets, None where there is none; `simulated` is a mean over
    random training sets with its `spread`; `limit` is where `fresh` goes; `rate` is n^(-1/2) plus
    rho^(-1/2), the shape of the printed rate, without its constant.
    """

    fresh: Rational | float | None
    bound: float | None
    simulated: float
    spread: float
    limit: Rational | float | None
    rate: float

    columns: ClassVar[Columns] = {
        "fresh": ("without collisions", "-"),
        "bound": ("upper bound", "k-"),
        "simulated": ("simulated", None),
        "limit": ("limit", ":"),
        "rate": ("printed rate, C = 1", "--"),
    }


@attrs.frozen(kw_only=True)
class TaskPoint(Shown):
    """The errors for one number of training strings, on unseen and on seen symbols."""

    samples: int
    unseen: TaskLosses
    seen: TaskLosses

    titles: ClassVar[dict[str, str]] = {
        "unseen": "mean absolute error on unseen symbols",
        "seen": "mean absolute error on seen symbols",
    }
    drawn: ClassVar[tuple[str, ...]] = ("unseen", "seen")

    def losses(self, name: str) -> TaskLosses:
        """The losses called 'unseen' or 'seen'."""
        found: TaskLosses = getattr(self, choice(name, "the loss", self.titles))
        return found


@attrs.frozen(repr=False)
class LearningCurve(Shown):
    """The error of kernel regression against the number of samples, several ways side by side.

    On words `bound` and `exact` are exact numbers, on tasks `fresh` is where kernel and ridge are;
    the others are floats, and bounds, heuristics or simulations.

    >>> problem = Problem(lambda x, y: int(x == y), targets.parity(1), length=2)
    >>> curve = problem.curve([1], 1, trials=2)
    >>> print(curve.table())
    N  bound   exact   simulated  self-consistent  equivalent kernel
    1  0.5000  0.8125  0.8125     0.8246           0.6400
    >>> curve.names, curve.norm
    (('test', 'train'), 1)
    """

    points: tuple[CurvePoint, ...] | tuple[TaskPoint, ...]
    ridge: Rational
    norm: Rational
    noise: Rational = Rational(0)
    growth: str = (
        ""  # how the ridge grows with the samples; `ridge` is then that of the first point
    )
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    @property
    def _kind(self) -> type[CurvePoint] | type[TaskPoint]:
        return type(self.points[0])

    @property
    def names(self) -> tuple[str, ...]:
        """Which losses there are: 'test', and 'train' and 'shifted' where some point has them.

        On tasks they are 'unseen' and 'seen'.
        """
        titles = self._kind.titles
        return tuple(name for name in titles if any(x.losses(name) for x in self.points))

    def _read(self, loss: str | None) -> str:
        return self._kind.drawn[0] if loss is None else choice(loss, "the loss", self._kind.titles)

    def _losses(self, name: str) -> list[tuple[int, Any]]:
        """The losses of a name by the number of samples, None where a point has none."""
        return [(point.samples, point.losses(name)) for point in self.points]

    def _columns(self, name: str) -> Columns:
        return next(type(x).columns for _, x in self._losses(name) if x is not None)

    def table(self, *, loss: str | None = None, spreads: bool = False) -> str:
        """One of the losses as text; a dash where there are too many training sets, or no bound.

        With spreads=True the simulation has its standard error beside it.
        """
        flag(spreads, "spreads")
        name = self._read(loss)
        found = self._losses(name)
        columns = {} if all(x is None for _, x in found) else self._columns(name)
        columns = columns or Losses.columns
        rows = [["N", *("bound" if c == "bound" else title for c, (title, _) in columns.items())]]
        for samples, x in found:
            cells = ["-"] * len(columns)
            if x is not None:
                cells = [_decimal(getattr(x, column)) for column in columns]
                if spreads:
                    cells[list(columns).index("simulated")] += f" ± {x.spread:.4f}"
            rows.append([str(samples), *cells])
        return columns_text(rows)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        losses: Sequence[str] | None = None,
        logarithmic: bool = False,
    ) -> Figure:
        """The curves in one matplotlib figure, a panel for each loss, saved if a path is given."""
        titles = self._kind.titles
        listed = sequence(
            self._kind.drawn if losses is None else losses,
            "losses",
            f"a list of {', '.join(titles)}",
        )
        names = [choice(name, "the loss", titles) for name in listed]
        if not names or not set(names) <= set(self.names):
            raise BadValue(f"losses is {names}: this curve has {', '.join(self.names)}")
        scaled = flag(logarithmic, "logarithmic")
        with plotted(path, 6 * len(names), 4) as figure:
            for axes, name in zip(
                figure.subplots(1, len(names), squeeze=False)[0], names, strict=True
            ):
                self.draw(axes, name)
                if scaled:
                    _scale(axes)
        return figure

    def draw(self, axes: Any, loss: str) -> None:
        """One of the losses on matplotlib axes."""
        found = [(samples, x) for samples, x in self._losses(self._read(loss)) if x is not None]
        for column, (title, line) in self._columns(loss).items():
            known = [(n, getattr(x, column)) for n, x in found]
            n = [samples for samples, value in known if value is not None]
            values = [float(value) for _, value in known if value is not None]
            if line is None:
                axes.errorbar(n, values, yerr=[x.spread for _, x in found], fmt="o", label=title)
            elif values:
                axes.plot(n, values, line, label=title)
        axes.set(xlabel="samples", ylabel=self._kind.titles[loss])
        counted(axes, (point.samples for point in self.points))
        legend(axes)


def _scale(axes: Any) -> None:
    """A logarithmic axis for losses; where one is zero, its name says it."""
    for line in axes.get_lines():
        counts, values = line.get_data()
        zero = [f"{int(n):,}" for n, value in zip(counts, values, strict=True) if value == 0]
        if zero and line.get_label()[0] != "_":
            where = "0" if len(zero) == len(values) else f"0 at {', '.join(zero)}"
            line.set_label(f"{line.get_label()}: {where}, not on this axis")
    logarithm(axes)
    legend(axes)


def _decimal(value: Rational | float | None) -> str:
    return "-" if value is None else f"{float(value):.4f}"
