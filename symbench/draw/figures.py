"""Figures by matplotlib, which is loaded when one is drawn."""

from __future__ import annotations

from typing import Any

from symbench.errors import NotSupported


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
