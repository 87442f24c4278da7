r"""Conditioning: where in (beta, gamma) a template matrix is easiest to invert, in floats.

>>> found = conditioning([Template("αα"), Template("αβ")], [1, 2], [1])
>>> print(found)
smallest eigenvalue (float) of 2 x 2 template matrices; rows: beta, columns: gamma
beta \ gamma         1
           1  1.63e-03
           2  6.91e-03
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from symbench._arguments import sequence
from symbench.draw.figures import Figure, heat_map
from symbench.draw.progress import progress
from symbench.draw.views import Shown, columns_text, sheet
from symbench.errors import BadShape, BadType, BadValue
from symbench.kernels.derivatives.attention_maps import attention_map
from symbench.kernels.diagram import Diagram
from symbench.kernels.softmax.coordinatewise import coordinatewise_value
from symbench.kernels.softmax.finite_values import attention_values, parameter
from symbench.words import Task, Template

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@attrs.frozen(eq=False, repr=False)
class Conditioning(Shown):
    """Smallest eigenvalue and condition number of a template matrix over a grid (floats).

    Rows belong to `betas`, columns to `gammas`. `noise` is how far an eigenvalue may be off by the
    digits of the entries; where the smallest one is not above it, it says nothing about
    singularity: `resolved` is False there and the condition number infinite.

    >>> found = conditioning([Template("αα"), Template("αβ")], [1, 2], [1])
    >>> found.condition.shape, found.best
    ((2, 1), (2.0, 1.0))
    """

    betas: tuple[float, ...]
    gammas: tuple[float, ...]
    size: int
    smallest: Floats
    largest: Floats
    noise: Floats

    # Nothing here decides whether a matrix is singular.
    exactness = "float"

    @property
    def resolved(self) -> Flags:
        """Where the smallest eigenvalue is larger than the noise of the entries."""
        found: Flags = self.smallest > self.noise
        return found

    @property
    def condition(self) -> Floats:
        """The condition number where it is resolved, infinity elsewhere."""
        safe = np.where(self.resolved, self.smallest, 1.0)
        ratio: Floats = np.where(self.resolved, self.largest / safe, np.inf)
        return ratio

    @property
    def best(self) -> tuple[float, float]:
        """The (beta, gamma) with the smallest condition number."""
        row, column = np.unravel_index(int(np.argmin(self.condition)), self.condition.shape)
        return self.betas[int(row)], self.gammas[int(column)]

    def __repr__(self) -> str:
        return (
            f"<Conditioning of {self.size} x {self.size} template matrices, float: "
            f"{len(self.betas)} betas, {len(self.gammas)} gammas>"
        )

    def __str__(self) -> str:
        title = f"smallest eigenvalue (float) of {self.size} x {self.size} template matrices"
        rows = [["beta \\ gamma", *(f"{gamma:g}".rjust(8) for gamma in self.gammas)]]
        for beta, values, known in zip(self.betas, self.smallest, self.resolved, strict=True):
            cells = [f"{v:.2e}" if k else "-" for v, k in zip(values, known, strict=True)]
            rows.append([f"{beta:g}", *cells])
        table = columns_text(rows, right=range(len(rows[0])))
        return sheet(f"{title}; rows: beta, columns: gamma", table)

    def heat_map(self, path: str | Path | None = None) -> Figure:
        """log10 of the smallest eigenvalue as a matplotlib figure, saved if a path is given.

        Cells below the noise stay blank.
        """
        shown = np.log10(np.where(self.resolved, self.smallest, np.nan))
        title = "log10 of the smallest eigenvalue (float)"
        return heat_map(path, shown, self.betas, self.gammas, names=("β", "γ"), title=title)


def conditioning(
    templates: Any,
    betas: Iterable[Any],
    gammas: Iterable[Any],
    *,
    digits: int = 11,
    scale: str = "main",
    weights: str = "softmax",
) -> Conditioning:
    """The conditioning of a template matrix of the attention kernel over a grid of parameters.

    templates is a task or a list of templates, to which CLS is appended (the attention kernel reads
    at CLS), or a square matrix of diagrams, taken as it is. weights other than 'softmax' are those
    of attention without normalisation: 'exponential', 'linear' or 'sigmoid'.

    >>> found = conditioning([Template("αα"), Template("αβ")], [0.5, 1, 2, 4], [0, 0.5, 1])
    >>> found
    <Conditioning of 2 x 2 template matrices, float: 4 betas, 3 gammas>
    >>> found.exactness, found.best
    ('float', (4.0, 0.5))

    Without normalisation attention does not see which wildcards are equal, only the tokens.

    >>> same = conditioning([Template("αα"), Template("αβ")], [1], [1], weights="sigmoid")
    >>> places = conditioning([Template("Aα"), Template("αA")], [1], [1], weights="sigmoid")
    >>> bool(same.resolved.any()), bool(places.resolved.all())
    (False, True)
    """
    diagrams = _diagrams(templates)
    rows, columns = _grid(betas, "betas"), _grid(gammas, "gammas")
    size = len(diagrams)
    flat = [pair for row in diagrams for pair in row]
    shape = (len(rows), len(columns))
    smallest, largest, noise = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    with progress("template matrices", len(rows) * len(columns)) as report:
        for (i, beta), (j, gamma) in product(enumerate(rows), enumerate(columns)):
            values = _values(flat, beta, gamma, digits=digits, scale=scale, weights=weights)
            matrix = np.array([float(value) for value in values]).reshape(size, size)
            eigenvalues = np.linalg.eigvalsh((matrix + matrix.T) / 2)
            smallest[i, j], largest[i, j] = eigenvalues[0], eigenvalues[-1]
            noise[i, j] = size * float(abs(matrix).max()) * 10.0 ** (-digits)
            report(1)
    return Conditioning(tuple(rows), tuple(columns), size, smallest, largest, noise)


def _values(
    diagrams: list[Diagram], beta: float, gamma: float, *, digits: int, scale: str, weights: str
) -> list[Any]:
    """The kernel on every diagram: softmax all at once, the other weights one by one."""
    if attention_map(weights).normalised:
        return list(attention_values(diagrams, beta, gamma, digits=digits, scale=scale))
    known = {
        pair: coordinatewise_value(pair, beta, gamma, weights=weights, digits=digits, scale=scale)
        for pair in dict.fromkeys(diagrams)
    }
    return [known[pair] for pair in diagrams]


def _grid(values: Any, name: str) -> list[float]:
    found = [float(parameter(v, name)) for v in sequence(values, name, "a list of numbers")]
    if not found:
        raise BadValue(f"{name} is empty: give at least one number")
    return found


def _diagrams(templates: Any) -> list[list[Diagram]]:
    if isinstance(templates, Task):
        templates = templates.templates
    wanted = "a task, a list of templates or a matrix of diagrams"
    if isinstance(templates, Template):
        raise BadType(f"{templates!r} is one template: give {wanted}")
    listed = sequence(templates, "the list of templates", wanted)
    if not listed:
        raise BadValue("no templates: give at least one")
    if all(isinstance(item, Template) for item in listed):
        ended = [template.with_cls() for template in listed]
        return [[Diagram.of_templates(z, w) for w in ended] for z in ended]
    square = [list(row) if isinstance(row, (list, tuple)) else row for row in listed]
    for row in square:
        if not isinstance(row, list) or not all(isinstance(item, Diagram) for item in row):
            raise BadType(f"{row!r} is neither a Template nor a row of diagrams")
        if len(row) != len(square):
            raise BadShape(f"{len(square)} rows, but one with {len(row)} diagrams: give a square")
    return square
