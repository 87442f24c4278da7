"""matplotlib's figure, as a picture that notebooks show without `%matplotlib inline`.

It is apart because it loads matplotlib.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from symbench.draw.figures import STYLE


class DrawnFigure(Figure):
    """A figure that notebooks show as SVG; what is saved as SVG depends on nothing but itself."""

    def savefig(self: Any, fname: Any, **options: Any) -> None:
        ending = options.get("format") or Path(str(fname)).suffix[1:]
        if ending.lower() == "svg":
            options["metadata"] = {"Date": None, **(options.get("metadata") or {})}
        with rc_context(STYLE):
            super().savefig(fname, **options)

    def _repr_svg_(self: Any) -> str:
        file = StringIO()
        self.savefig(file, format="svg")
        return file.getvalue()
