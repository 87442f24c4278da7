"""What all plots do alike with matplotlib's axes: legends, counts, logarithms, what is zero.

A legend stands above its axes, where no point or error bar is; numbers such as 1, 16 and 256 are
ticks of a logarithmic axis; and a zero, which a logarithmic axis has no place for, is a mark on its
lower edge with its number in the legend.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

# Letters of a legend and of a small title, for each inch; and the width of a sign in letters.
_LETTERS = 13
_SIGN = 6

# Counts are on a logarithmic axis if the largest is so many times the smallest.
_SPREAD = 16
_TICKS = 8


def legend(axes: Any, title: str = "") -> None:
    """The legend of the axes above them, in as many columns as fit, below a title."""
    handles, labels = axes.get_legend_handles_labels()
    # Before the layout is known, the axes have their part of the figure.
    width = axes.figure.get_figwidth() / axes.get_subplotspec().get_gridspec().ncols
    longest = max(map(len, labels), default=0) + _SIGN
    axes.legend(
        handles,
        labels,
        title=wrapped(title, width) or None,
        title_fontsize="medium",
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        borderaxespad=0,
        borderpad=0.2,
        ncols=max(1, min(len(labels), int(width * _LETTERS / longest))),
        frameon=False,
        alignment="left",
    )


def wrapped(text: str, width: float) -> str:
    """A title in lines of so many inches."""
    from textwrap import fill

    return fill(text, int(0.8 * _LETTERS * width))


def counted(axes: Any, counts: Iterable[Any]) -> None:
    """The horizontal axis for these counts: logarithmic if they are far apart, with them as ticks.

    A zero among them has no logarithm, so the axis stays linear then.
    """
    places = sorted(set(counts))
    if not places or places[0] <= 0 or places[-1] < _SPREAD * places[0]:
        return
    axes.set_xscale("log", base=2)
    step = -(-len(places) // _TICKS)
    chosen = places[::-1][::step]
    axes.set_xticks(chosen, [f"{n:,}" for n in chosen])
    axes.set_xticks([], minor=True)


def logarithm(axes: Any) -> None:
    """A logarithmic vertical axis; over a few decades its ticks are plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if low > 0 and high < 1000 * low:
        axis = axes.yaxis
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 50 * low else (1, 3)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.12g}"))
        axis.set_minor_locator(NullLocator())


def zeros(axes: Any, across: Sequence[float], label: str, colour: str = "gray") -> None:
    """Marks on the lower edge for what is zero at these places, so not on a logarithmic axis."""
    if across:
        axes.plot(
            across,
            [0.0] * len(across),
            "v",
            color=colour,
            markerfacecolor="white",
            clip_on=False,
            zorder=3,
            transform=axes.get_xaxis_transform(),
            label=label,
        )


def tags(axes: Any, points: Iterable[tuple[float, float, str]]) -> None:
    """Names beside points of logarithmic axes; one that would hide another name is left out."""
    from math import log

    found = list(points)
    if not found:
        return
    wide, tall = ((log(b) - log(a)) or 1.0 for a, b in (axes.get_xlim(), axes.get_ylim()))
    taken: list[tuple[float, float]] = []
    for x, y, name in found:
        at = (log(x) / wide, log(y) / tall)
        if all(abs(at[0] - u) > 0.1 or abs(at[1] - v) > 0.05 for u, v in taken):
            taken.append(at)
            axes.annotate(name, (x, y), (6, 3), textcoords="offset points", fontsize="small")
