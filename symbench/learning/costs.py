"""What tasks cost: the numbers c_j of labellings, for many tasks and kernels side by side.

From n training strings without common tokens the error at template j is about c_j / n; see
`symbench.learning.template_split`. So the largest c_j says how many strings an error of 1 would
take, and an error of 1/10 takes ten times as many.

>>> incidence = inner_product(lambda n: n * n, incidence=True)
>>> print(cost_table({"incidence": incidence, "MLP": inner_product(lambda n: n)},
...                  {"same_different": tasks.same_different(), "aba_abb": tasks.aba_abb()}))
task            templates  incidence  MLP
same_different  2          10         never
aba_abb         2          4.875      never
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import mapping, sequence
from symbench.draw.figures import Figure, heat_map
from symbench.draw.progress import progress
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadValue, NotInvertible, Undecided
from symbench.exact.arrays import Floats, np
from symbench.kernels import attention
from symbench.kernels.base import Kernel
from symbench.learning.numbers import number
from symbench.learning.template_split import Number, TemplateSplit
from symbench.words import Task, tasks


@attrs.frozen(repr=False)
class CostTable(Shown):
    """The largest c_j of each task and kernel: a number, 'never' or '?'.

    >>> found = cost_table({"MLP": inner_product(lambda n: n)}, {"same": tasks.same_different()})
    >>> found.costs["same"]["MLP"], found.notes["same"]["MLP"]
    (None, 'never')

    'never' stands where the labels are not learned from any number of strings, '?' where floats do
    not tell. `costs[task][kernel]` has all numbers c_j, None in these two cases.
    """

    costs: Mapping[str, Mapping[str, tuple[Number, ...] | None]]
    notes: Mapping[str, Mapping[str, str]]
    sizes: Mapping[str, int]
    exactness = "float"

    def __repr__(self) -> str:
        kernels = list(next(iter(self.costs.values())))
        rows = [["task", "templates", *kernels]]
        for name, found in self.costs.items():
            cells = []
            for kernel in kernels:
                values = found[kernel]
                worst = self.notes[name][kernel] if values is None else _worst(values)
                cells.append(worst)
            rows.append([name, str(self.sizes[name]), *cells])
        return columns_text(rows)

    __str__ = __repr__


def _worst(values: tuple[Number, ...]) -> str:
    return f"{max(map(float, values)):.4g}"


def cost_table(
    kernels: Mapping[str, Kernel], listed: Mapping[str, Task] | None = None, *, ridge: Any = 0
) -> CostTable:
    """The cost of each task for each kernel; without tasks those of the catalogue.

    Of the catalogue, tasks whose labels are letters are left out, and those of more than 50
    templates, which take longer: give them by name.

    >>> cost_table({"squares": inner_product(lambda n: n * n, incidence=True)},
    ...            {"same_different": tasks.same_different()}, ridge=1).costs
    {'same_different': {'squares': (7, 65/6)}}
    """
    named = mapping(kernels, "the kernels", "a dictionary from names to kernels")
    if listed is None:
        entries = tasks.catalogue.values()
        listed = {e.name: e.task() for e in entries if e.labels == "real" and e.templates <= _MANY}
    given = mapping(listed, "the tasks", "a dictionary from names to tasks")
    if not named or not given:
        raise BadValue("there is no kernel, or no task: give one of each at least")
    shift = number(ridge, "the ridge", at_least=0)
    costs: dict[str, dict[str, tuple[Number, ...] | None]] = {}
    notes: dict[str, dict[str, str]] = {}
    for name, task in given.items():
        costs[name], notes[name] = {}, {}
        for title, kernel in named.items():
            found, note = None, ""
            try:
                found = TemplateSplit(task, kernel).cost(ridge=shift)
            except NotInvertible:
                note = "never"
            except Undecided:
                note = "?"
            costs[name][title], notes[name][title] = found, note
    return CostTable(costs, notes, {name: len(task) for name, task in given.items()})


# Templates of a task of the catalogue that goes into the table without being asked for.
_MANY = 50


@attrs.frozen(eq=False, repr=False)
class CostMap(Shown):
    """The largest c_j of a task over a grid of beta (rows) and gamma (columns): floats.

    >>> cost_map(tasks.same_different(), [1, 2], [1]).best
    (2.0, 1.0)

    A cell is infinite where no digits can be had.
    """

    betas: tuple[float, ...]
    gammas: tuple[float, ...]
    costs: Floats
    exactness = "float"

    def __repr__(self) -> str:
        rows = [["beta \\ gamma", *(f"{gamma:g}" for gamma in self.gammas)]]
        for beta, row in zip(self.betas, self.costs.tolist(), strict=True):
            rows.append([f"{beta:g}", *(f"{c:.4g}" if np.isfinite(c) else "-" for c in row)])
        return columns_text(rows, right=range(len(rows[0])))

    @property
    def best(self) -> tuple[float, float]:
        """The beta and gamma with the smallest cost."""
        row, column = np.unravel_index(int(np.argmin(self.costs)), self.costs.shape)
        return self.betas[int(row)], self.gammas[int(column)]

    def heat_map(self, path: str | Path | None = None) -> Figure:
        """log10 of the cost as a matplotlib figure, saved if a path is given."""
        shown = np.log10(np.where(np.isfinite(self.costs), self.costs, np.nan))
        return heat_map(
            path,
            shown,
            self.betas,
            self.gammas,
            names=("β", "γ"),
            title="log10 of the cost c (float)",
        )


def cost_map(
    task: Task, betas: Iterable[Any], gammas: Iterable[Any], *, ridge: Any = 0, digits: int = 8
) -> CostMap:
    r"""What a task costs softmax attention, over a grid of its parameters.

    >>> cost_map(tasks.same_different(), [1, 2, 8], [1, 2])
    beta \ gamma      1      2
               1  676.9  367.5
               2  204.4  130.2
               8  86.09  55.96
    """
    rows = sequence(betas, "betas", "a list of numbers")
    columns = sequence(gammas, "gammas", "a list of numbers")
    if not rows or not columns:
        raise BadValue("the grid is empty: give at least one beta and one gamma")
    found = np.full((len(rows), len(columns)), np.inf)
    with progress("costs", found.size) as report:
        for (i, beta), (j, gamma) in product(enumerate(rows), enumerate(columns)):
            kernel = attention(beta=beta, gamma=gamma)
            with suppress(Undecided):
                costs = TemplateSplit(task, kernel, digits=digits).cost(ridge=ridge)
                found[i, j] = max(map(float, costs))
            report(1)
    return CostMap(tuple(map(float, rows)), tuple(map(float, columns)), found)
