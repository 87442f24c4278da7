"""Figures by matplotlib, which is loaded when one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symbench.errors import BadType, NotSupported


def new_figure(width: float, height: float) -> Any:
    """An empty matplotlib figure of this size in inches, bound to no screen.

    >>> new_figure(3, 2).get_size_inches().tolist()
    [3.0, 2.0]
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NotSupported("drawing needs matplotlib: pip install 'symbench[report]'") from None
    return Figure(figsize=(width, height))


def finished(figure: Any, path: Any) -> Any:
    """The figure, laid out, and saved if a path is given."""
    if path is not None and not isinstance(path, (str, Path)):
        raise BadType(f"the path is {path!r}: give a file name")
    figure.set_layout_engine("constrained")
    if path is not None:
        figure.savefig(path)
    return figure
