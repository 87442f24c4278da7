"""The one frame of all plots: a figure by matplotlib, laid out and saved to a checked path.

Every `plot(path)` of the package is written so; the path is checked before anything is drawn, and
the figure is saved, if there is a path, when the block ends:

    def plot(self, path: str | Path | None = None) -> Figure:
        with plotted(path, 6, 4) as figure:
            axes = figure.subplots()
            axes.plot(...)
        return figure

matplotlib is loaded when a figure is drawn. A notebook shows the figure itself, whatever backend
matplotlib has there. The same figure is saved as the same SVG, with its text as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbench import _arguments
from symbench._arguments import shown
from symbench.draw.axes import wrapped
from symbench.errors import BadValue, NotSupported

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure
else:
    Figure = Any  # annotations can be evaluated without matplotlib


# White behind the figure: what is saved is readable on a dark page.
STYLE = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.facecolor": "white",
    "grid.alpha": 0.3,
    "grid.linewidth": 0.6,
    "legend.fontsize": "small",
    "svg.fonttype": "none",
    "svg.hashsalt": "symbench",
}


@contextmanager
def plotted(path: str | Path | None, width: float = 6, height: float = 4) -> Iterator[Figure]:
    """An empty figure of this size in inches, saved to the path, if any, when the block ends."""
    try:
        from matplotlib import rc_context

        from symbench.draw.drawn_figure import DrawnFigure
    except ImportError:
        raise NotSupported("drawing needs matplotlib: pip install 'symbench[report]'") from None
    with rc_context(STYLE):
        figure = DrawnFigure(figsize=(width, height), layout="constrained")
        endings = figure.canvas.get_supported_filetypes()
        target = None if path is None else writable(path, endings)
        yield figure
    if target is None:
        return
    try:
        figure.savefig(target)
    except (OSError, ValueError) as error:
        raise BadValue(f"the path is {shown(str(target))}: {error}") from error


@contextmanager
def panels(
    path: str | Path | None, count: int, width: float = 5, height: float = 4
) -> Iterator[tuple[Figure, list[Any]]]:
    """A figure with the axes of several plots of this size, two beside each other."""
    columns = min(count, 2)
    rows = -(-count // columns)
    with plotted(path, width * columns, height * rows) as figure:
        axes = list(figure.subplots(rows, columns, squeeze=False).flat)
        for spare in axes[count:]:
            spare.remove()
        yield figure, axes[:count]


def heat_map(
    path: str | Path | None,
    values: Any,
    rows: Sequence[float | str],
    columns: Sequence[float | str],
    *,
    names: tuple[str, str],
    title: str,
    texts: Any = None,
    downwards: bool = False,
) -> Figure:
    """A table of numbers in colours; a cell that is no number is a dash.

    The first row is the lowest one, as of a plot, or with `downwards` the highest, as of a matrix.
    Cells have their numbers in them, or the texts.
    """
    import numpy as np

    width = 1 + 0.7 * len(columns)
    with plotted(path, width, 1.2 + 0.5 * len(rows)) as figure:
        axes = figure.subplots()
        image: Any = axes.pcolormesh(values, edgecolors="white", linewidth=0.5)
        axes.grid(False)
        axes.set_title(wrapped(title, width), fontsize="small", loc="left")
        for (row, column), value in np.ndenumerate(values):
            known = bool(np.isfinite(value))
            text = "-" if not known else f"{value:.3g}" if texts is None else texts[row][column]
            place = (column + 0.5, row + 0.5)
            colour = "white" if known and image.norm(value) < 0.6 else "black"
            axes.text(*place, text, ha="center", va="center", color=colour, fontsize="small")
        for axis, ticks in ((axes.xaxis, columns), (axes.yaxis, rows)):
            found = [tick if isinstance(tick, str) else f"{tick:g}" for tick in ticks]
            axis.set_ticks(np.arange(len(ticks)) + 0.5, found)
        axes.set(xlabel=names[1], ylabel=names[0])
        if downwards:
            axes.invert_yaxis()
    return figure


def writable(path: object, endings: Iterable[str]) -> Path:
    """The path, if a file with one of these endings (without the dot), or none, can be there."""
    target = _arguments.path(path)
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
