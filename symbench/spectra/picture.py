"""A spectrum as text, as LaTeX and as a plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbench.draw.figures import new_figure
from symbench.errors import BadType
from symbench.exact.rational import number_text, shown
from symbench.spectra.roots import RealRoot

if TYPE_CHECKING:
    from symbench.spectra.decomposition import Spectrum

_WIDE = 28


def spectrum_table(spectrum: Spectrum, limit: int) -> str:
    """One line per level: irreducible, dimension, eigenvalue, multiplicity.

    >>> from symbench.kernels import linear_attention
    >>> from symbench.spectra import spectrum
    >>> print(spectrum(linear_attention(1, 1), length=3, vocabulary=2).table())
    linear_attention(1, 1, readout='sum'), length 3, vocabulary 2
    irrep  dim  eigenvalue     multiplicity
    3      1    82.7411849..   1
    3      1    69/2           1
    3      1    4.758815099..  1
    3      1    0              1
    2+1    2    15/2           2
    2+1    2    1/2            2
    """
    header = ("irrep", "dim", "eigenvalue", "multiplicity")
    dims = {block.partition: block.repeats for block in spectrum.blocks}
    rows = [
        (
            _short(str(level.partition)),
            _short(number_text(dims[level.partition])),
            _short(str(level.eigenvalue)),
            _short(number_text(level.multiplicity)),
        )
        for level in spectrum.levels[:limit]
    ]
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [header, *rows]
    ]
    left = len(spectrum.levels) - limit
    more = [f"... and {left} more levels"] if left > 0 else []
    return "\n".join([spectrum.title, *lines, *more])


def spectrum_latex(spectrum: Spectrum) -> str:
    r"""A tabular with one line per level.

    >>> from symbench.kernels import inner_product
    >>> from symbench.spectra import spectrum
    >>> print(spectrum(inner_product(lambda n: n), length=1, vocabulary=2).latex())
    \begin{tabular}{llll}
    $\lambda$ & $\dim$ & eigenvalue & multiplicity \\
    $(1)$ & $1$ & $1/2$ & $2$ \\
    \end{tabular}
    """
    dims = {block.partition: block.repeats for block in spectrum.blocks}
    lines = [r"\begin{tabular}{llll}", r"$\lambda$ & $\dim$ & eigenvalue & multiplicity \\"]
    for level in spectrum.levels:
        value = level.eigenvalue
        text = value.latex() if isinstance(value, RealRoot) else number_text(value)
        shape = ", ".join(map(str, level.partition))
        dim, times = number_text(dims[level.partition]), number_text(level.multiplicity)
        lines.append(rf"$({shape})$ & ${dim}$ & ${text}$ & ${times}$ \\")
    return "\n".join([*lines, r"\end{tabular}"])


def spectrum_plot(spectrum: Spectrum, path: Any) -> Any:
    """Positive eigenvalues against dimensions on logarithmic axes, and the line trace / dim."""
    if path is not None and not isinstance(path, (str, Path)):
        raise BadType(f"the path is {shown(path)}: give a file name")
    dims = {block.partition: float(block.repeats) for block in spectrum.blocks}
    points = [
        (dims[level.partition], float(level.eigenvalue), str(level.partition))
        for level in spectrum.levels
        if level.eigenvalue > 0
    ]
    figure = new_figure(6, 4)
    figure.set_layout_engine("constrained")
    axes = figure.add_subplot()
    axes.set(xscale="log", yscale="log", xlabel="dimension of the irrep", ylabel="eigenvalue")
    axes.set_title(spectrum.title, fontsize="small")
    axes.plot([d for d, _, _ in points], [e for _, e, _ in points], "o", label="eigenvalues")
    across = sorted(set(dims.values()))
    if spectrum.trace > 0:
        trace = float(spectrum.trace)
        axes.plot(across, [trace / d for d in across], "--", color="gray", label="trace / dim")
    for name in dict.fromkeys(name for _, _, name in points):
        d, e, _ = next(point for point in points if point[2] == name)
        axes.annotate(name, (d, e), textcoords="offset points", xytext=(6, 3), fontsize="small")
    axes.legend(fontsize="small")
    if path is not None:
        figure.savefig(path)
    return figure


def _short(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[:14]}..{text[-8:]}"
