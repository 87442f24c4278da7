"""A trained MLP and kernel regression side by side, on symbols that training did not see.

The networks are trained in floats, by Adam on the one-hot words, so this shows and proves nothing;
what it shows is Theorem I.2 of boix2024 (`symbench.learning.mlp` is exact).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import instance, integer, integers
from symbench.draw.axes import counted, legend
from symbench.draw.figures import Figure, plotted
from symbench.draw.progress import Report, progress
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadValue
from symbench.exact.arrays import Floats, Integers, np
from symbench.kernels.base import Kernel
from symbench.learning.task_ridge import TaskRidge
from symbench.words import Sample, Task

_RATE, _DECAY, _EPSILON = 0.01, (0.9, 0.999), 1e-8
_NAMES = {
    "network_train": "MLP, training strings",
    "network_seen": "MLP, new strings of seen symbols",
    "network_unseen": "MLP, unseen symbols",
    "kernel_unseen": "kernel, unseen symbols",
}


@attrs.frozen
class UnseenPoint(Shown):
    """Mean squared errors for one number of training strings, over all trials."""

    samples: int
    network_train: float
    network_seen: float
    network_unseen: float
    kernel_unseen: float


@attrs.frozen(repr=False)
class UnseenComparison(Shown):
    """The errors of trained MLPs and of kernel regression against the number of strings: floats.

    `floor` is the constant of Theorem I.2, (max - min)^2 / 4 of the labels: no law of MLP outputs
    has a smaller expected error at all unseen strings.

    >>> found = compare_unseen(tasks.same_different(), attention(beta=2, gamma=1), [40], symbols=8,
    ...                        width=8, steps=100, trials=1)
    >>> point, = found.points
    >>> point.kernel_unseen < 1 < point.network_unseen, found.floor, found.exactness
    (True, 1.0, 'float')
    """

    points: tuple[UnseenPoint, ...]
    floor: float
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """The errors as text, a line for each number of strings."""
        rows = [["n", *_NAMES.values()]]
        for point in self.points:
            rows.append([str(point.samples), *(f"{getattr(point, k):.3f}" for k in _NAMES)])
        return columns_text(rows)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The errors against the number of strings, saved if a path is given."""
        with plotted(path, 6, 4) as figure:
            axes = figure.subplots()
            n = [point.samples for point in self.points]
            for (key, name), style in zip(_NAMES.items(), (":", "--", "o-", "s-"), strict=True):
                axes.plot(n, [getattr(point, key) for point in self.points], style, label=name)
            axes.axhline(self.floor, color="k", linewidth=0.8, label="Theorem I.2")
            axes.set(xlabel="training strings", ylabel="mean squared error")
            counted(axes, n)
            # A line at zero is not to hide on the edge.
            axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
            legend(axes)
        return figure


def compare_unseen(
    task: Task,
    kernel: Kernel,
    samples: Sequence[int],
    *,
    symbols: int = 64,
    width: int = 64,
    steps: int = 1000,
    trials: int = 3,
    ridge: Any = 1,
    seed: int = 0,
) -> UnseenComparison:
    """Train MLPs and regress with a kernel on the same strings, and ask for unseen symbols.

    Half of the symbols are for training. A network has one hidden layer of relu units and sees the
    one-hot words over all symbols; it takes so many steps of Adam with all strings in each. Errors
    are means over the trials, each with its own strings and initial weights.

    >>> compare_unseen(tasks.same_different(), attention(beta=2, gamma=1), [])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: samples is an empty list: give numbers of strings such as [50, 200]
    """
    instance(task, Task, "the task", "a Task with numbers as labels")
    listed = integers(samples, "samples", at_least=1)
    if not listed:
        raise BadValue("samples is an empty list: give numbers of strings such as [50, 200]")
    labels = [float(label) for label in task.need_numbers()]
    size = integer(symbols, "symbols", at_least=2, limit=10_000)
    units = integer(width, "the width", at_least=1, limit=10_000)
    count = integer(steps, "steps", at_least=0, limit=10**6)
    rounds = integer(trials, "trials", at_least=1, limit=1000)
    first = integer(seed, "the seed", at_least=0)
    points = []
    with progress("steps of Adam, by strings", count * rounds * sum(listed)) as report:
        for n in listed:
            found = [
                _trial(task, kernel, n, size, units, count, ridge, (first, n, trial), report)
                for trial in range(rounds)
            ]
            points.append(UnseenPoint(n, *map(float, np.mean(np.array(found), axis=0))))
    return UnseenComparison(tuple(points), (max(labels) - min(labels)) ** 2 / 4)


def _trial(
    task: Task,
    kernel: Kernel,
    n: int,
    symbols: int,
    width: int,
    steps: int,
    ridge: Any,
    seed: Any,
    report: Report,
) -> list[float]:
    """The four errors of one draw of strings and weights."""
    rng = np.random.default_rng(seed)
    train, test = task.sample(n, rng, symbols, test=200)
    seen, _ = task.sample(200, rng, symbols, test=0)
    network = _trained(_one_hot(train), _labels(train), width, steps, rng, report)
    errors = [
        float(np.mean((_forward(network, _one_hot(part))[1] - _labels(part)) ** 2))
        for part in (train, seen, test)
    ]
    predicted = TaskRidge(task, kernel, train, ridge=ridge, digits=4).predict(test)
    off = np.array([float(value) for value in predicted]) - _labels(test)
    return [*errors, float(np.mean(off**2))]


def _labels(sample: Sample) -> Floats:
    return np.array([float(label) for label in sample.numbers()])


def _one_hot(sample: Sample) -> Floats:
    codes: Integers = sample.array
    found = np.zeros((len(codes), codes.shape[1], len(sample.tokens)))
    np.put_along_axis(found, codes[:, :, None], 1.0, axis=2)
    return found.reshape(len(codes), -1)


def _forward(network: list[Floats], inputs: Floats) -> tuple[Floats, Floats]:
    hidden = np.maximum(inputs @ network[0], 0.0)
    return hidden, hidden @ network[1]


def _trained(
    inputs: Floats, labels: Floats, width: int, steps: int, rng: Any, report: Report
) -> list[Floats]:
    """Two layers of Gaussian weights after Adam on the mean squared error of all strings."""
    ones = inputs.sum(axis=1).mean()  # so that the sums of a hidden unit have variance about 2
    network = [
        rng.normal(0.0, np.sqrt(2 / ones), (inputs.shape[1], width)),
        rng.normal(0.0, np.sqrt(1 / width), width),
    ]
    means, squares = [[np.zeros_like(W) for W in network] for _ in range(2)]
    for step in range(1, steps + 1):
        hidden, output = _forward(network, inputs)
        back = 2 * (output - labels) / len(labels)
        through = np.outer(back, network[1]) * (hidden > 0)
        for k, gradient in enumerate((inputs.T @ through, hidden.T @ back)):
            means[k] += (1 - _DECAY[0]) * (gradient - means[k])
            squares[k] += (1 - _DECAY[1]) * (gradient**2 - squares[k])
            root = np.sqrt(squares[k] / (1 - _DECAY[1] ** step))
            network[k] -= _RATE * means[k] / (1 - _DECAY[0] ** step) / (root + _EPSILON)
        report(len(labels))
    return network
