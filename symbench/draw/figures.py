"""The one frame of all plots: a figure by matplotlib, laid out and saved to a checked path.

Every `plot(path)` of the package is written so; the path is checked before anything is drawn, and
the figure is saved, if there is a path, when the block ends:

    def plot(self, path: str | Path | None = None) -> Figure:
        with plotted(path, 6, 4) as figure:
            axes = figure.subplots()
            axes.plot(...)
        return figure

matplotlib is loaded when a figure is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbench import _arguments
from symbench._arguments import shown
from symbench.errors import BadValue, NotSupported

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure
else:
    Figure = Any  # annotations can be evaluated without matplotlib


@contextmanager
def plotted(path: str | Path | None, width: float = 6, height: float = 4) -> Iterator[Figure]:
    """An empty figure of this size in inches, saved to the path, if any, when the block ends."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NotSupported("drawing needs matplotlib: pip install 'symbench[report]'") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    target = None if path is None else _checked(path, figure)
    yield figure
    if target is None:
        return
    try:
        figure.savefig(target)
    except (OSError, ValueError) as error:
        raise BadValue(f"the path is {shown(str(target))}: {error}") from error


def heat_map(
    path: str | Path | None,
    values: Any,
    rows: Sequence[float],
    columns: Sequence[float],
    *,
    names: tuple[str, str],
    title: str,
) -> Figure:
    """A table of numbers in colours, the first row below; a cell that is no number stays blank."""
    with plotted(path, 1.5 + 0.6 * len(columns), 1.2 + 0.5 * len(rows)) as figure:
        axes = figure.subplots()
        image = axes.imshow(values, origin="lower", aspect="auto")
        axes.set_xticks(range(len(columns)), [f"{x:g}" for x in columns])
        axes.set_yticks(range(len(rows)), [f"{y:g}" for y in rows])
        axes.set(xlabel=names[1], ylabel=names[0])
        figure.colorbar(image, label=title)
    return figure


def _checked(path: object, figure: Figure) -> Path:
    """The path, if a figure can be saved there."""
    target = _arguments.path(path)
    endings = figure.canvas.get_supported_filetypes()
    if target.suffix and target.suffix[1:].lower() not in endings:
        known = ", ".join(f".{ending}" for ending in sorted(endings))
        raise BadValue(f"the path is {shown(str(target))}: give a file name that ends in {known}")
    if target.is_dir():
        raise BadValue(f"the path is {shown(str(target))}, a folder: give a file name")
    if not target.parent.is_dir():
        raise BadValue(
            f"the path is {shown(str(target))}: give a file in a folder that exists; "
            f"there is no {shown(str(target.parent))}"
        )
    return target
