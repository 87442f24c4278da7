"""A spectrum as text, as LaTeX and as a plot."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flint

from symbench.draw.axes import legend, tags, zeros
from symbench.draw.figures import plotted
from symbench.draw.views import View, columns_text, sheet
from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import number_text
from symbench.exact.roots import RealRoot
from symbench.kernels.float_value import FloatValue
from symbench.young import Partition

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symbench.spectra._spectrum import Spectrum

_WIDE = 28
_KINDS = {"ball": "balls", "float": "floats, nothing proved"}


def value_text(value: Any, slack: float = 0.0) -> str:
    """An eigenvalue in a table: a ball with its radius, a float with the digits that it states.

    >>> value_text(flint.arb(2).sqrt()), value_text(flint.arb(0, "0.25"))
    ('1.414213562.. ± 3e-16', '0 ± 3e-01')
    >>> value_text(FloatValue(0.123456789, 5)), value_text(FloatValue(1e-12, 0), 3e-11)
    ('0.12346', '0 ± 4e-11')
    """
    if isinstance(value, flint.arb):
        around = value.contains(0)
        with working_precision(64):
            middle = "0" if around else f"{_middle(value.mid())}.."
            return f"{middle} ± {_radius(value.abs_upper() if around else value.rad())}"
    if isinstance(value, FloatValue) and value.digits == 0:
        return f"0 ± {_above(abs(value.value) + slack)}"
    return str(value)


def _middle(value: flint.arb) -> str:
    near = float(value)
    if near and math.isfinite(near):
        return f"{near:.10g}"
    mantissa, power = _scientific(abs(value).mid())
    return f"{'-' if value < 0 else ''}{mantissa:.10g}e{power:+03d}"


def _radius(value: flint.arb) -> str:
    """A number of one digit that is not below a radius."""
    near = float(value.upper())
    if value == 0 or (near > 1e-300 and math.isfinite(near)):
        return _above(near)
    mantissa, power = _scientific(value.upper())
    return f"{math.ceil(mantissa * (1 + 1e-6))}e{power:+03d}"


def _scientific(value: flint.arb) -> tuple[float, int]:
    """A positive number that has no room in a float, as a mantissa and a power of ten."""
    digits, exponent = value.man_exp()
    size = int(digits)
    more = size.bit_length()
    logarithm = math.log10(size / (1 << more)) + (int(exponent) + more) * math.log10(2)
    power = math.floor(logarithm)
    return 10 ** (logarithm - power), power


def _above(size: float) -> str:
    """A number of one digit that is not below a size."""
    if size == 0:
        return "0"
    power = math.floor(math.log10(size))
    return f"{math.ceil(size / 10.0**power) * 10.0**power:.0e}"


def is_positive(value: Any) -> bool:
    """Whether an eigenvalue is positive as far as is known: a float, by the digits it states.

    >>> is_positive(flint.arb(1, 2)), is_positive(FloatValue(1e-12, 0)), is_positive(3)
    (False, False, True)
    """
    if isinstance(value, FloatValue):
        return value.digits > 0 and value.value > 0
    return bool(value > 0)


def is_nonzero(value: Any) -> bool:
    """Whether an eigenvalue is not zero, as far as is known.

    >>> is_nonzero(flint.arb(1, 2)), is_nonzero(FloatValue(-1e-12, 3)), is_nonzero(0)
    (False, True, False)
    """
    if isinstance(value, FloatValue):
        return value.digits > 0 and value.value != 0
    return not value.contains(0) if isinstance(value, flint.arb) else bool(value != 0)


def quotient(value: Any, whole: Any) -> Any:
    """value / whole: exact where both are rational, a ball of balls, else a float; 0 / 0 is 1.

    >>> quotient(Rational(12), Rational(314)), quotient(flint.arb(0), flint.arb(0)) == 1
    (6/157, True)
    """
    if isinstance(value, flint.arb) and isinstance(whole, flint.arb):
        with working_precision():
            return flint.arb(1) if value == 0 and whole == 0 else value / whole
    if isinstance(value, (flint.arb, FloatValue)):
        below = float(whole)
        return float(value) / below if below else 1.0
    if whole == 0:
        return Rational(1)
    if isinstance(value, RealRoot):  # both may have no room in floats
        low, high = value.interval()
        return float((low + high) / (2 * whole))
    return Rational(value / whole)


def spectrum_table(spectrum: Spectrum, limit: int) -> View:
    """One line per level: irreducible, dimension, eigenvalue, multiplicity.

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
    rows = [["irrep", "dim", "eigenvalue", "multiplicity"]]
    for piece in spectrum.pieces:
        for value, times in piece.values:
            if len(rows) <= limit:
                cells = (
                    spectrum.group.text(piece.irrep),
                    number_text(piece.dimension),
                    value_text(value, piece.error),
                    number_text(times * piece.dimension),
                )
                rows.append(list(map(short, cells)))
    left = len(spectrum.levels) - limit
    more = [f"... and {left} more levels"] if left > 0 else []
    kind = "" if spectrum.numbers == "exact" else f": {_KINDS[spectrum.numbers]}"
    return sheet(f"{spectrum.title}{kind}", columns_text(rows), *more)


def spectrum_latex(spectrum: Spectrum) -> str:
    r"""A tabular with one line per level.

    >>> print(spectrum(inner_product(lambda n: n), length=1, vocabulary=2).latex())
    \begin{tabular}{llll}
    irrep & $\dim$ & eigenvalue & multiplicity \\
    $(1)$ & $1$ & $1/2$ & $2$ \\
    \end{tabular}
    """
    lines = [r"\begin{tabular}{llll}", r"irrep & $\dim$ & eigenvalue & multiplicity \\"]
    for piece in spectrum.pieces:
        shape, dim = spectrum.group.latex(piece.irrep), number_text(piece.dimension)
        for value, count in piece.values:
            text, times = _latex(value, piece.error), number_text(count * piece.dimension)
            lines.append(rf"${shape}$ & ${dim}$ & ${text}$ & ${times}$ \\")
    if spectrum.is_sampled:
        lines.append(r"\multicolumn{4}{l}{invariance sampled} \\")
    return "\n".join([*lines, r"\end{tabular}"])


def _latex(value: Any, slack: float) -> str:
    if isinstance(value, RealRoot):
        return value.latex()
    if isinstance(value, (flint.arb, FloatValue)):
        text = value_text(value, slack).replace("..", r"\ldots").replace("±", r"\pm")
        return re.sub(r"e([+-])0*(\d+)", _power, text)
    return number_text(value)


def _power(found: re.Match[str]) -> str:
    sign = "-" if found[1] == "-" else ""
    return rf" \cdot 10^{{{sign}{found[2]}}}"


def spectrum_plot(spectrum: Spectrum, path: str | Path | None) -> Figure:
    """Positive eigenvalues and the line trace / dim, against dimensions or irrep by irrep.

    What is not known to be positive is counted in the legend, with marks where it is.
    """
    pieces = spectrum.pieces
    names = [spectrum.group.text(piece.irrep) for piece in pieces]
    by_size = isinstance(pieces[0].irrep, Partition)
    across = [float(p.dimension) if by_size else float(k) for k, p in enumerate(pieces)]
    points = [
        (x, drawn(value), name)
        for x, piece, name in zip(across, pieces, names, strict=True)
        for value, _ in piece.values
        if is_positive(value)
    ]
    bounds = {}
    if is_positive(spectrum.trace):
        trace = drawn(spectrum.trace)
        bounds = {x: trace / float(p.dimension) for x, p in zip(across, pieces, strict=True)}
    with plotted(path, 6, 4) as figure:
        axes = figure.subplots()
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], "o", label="eigenvalues")
        if bounds:
            listed = sorted(bounds.items())
            axes.plot(*zip(*listed, strict=True), "--", color="gray", label="trace / dim")
        axes.set(yscale="log" if points else "linear", ylabel="eigenvalue")
        zeros(axes, *_zeros(spectrum, across))
        if by_size:
            axes.set(xscale="log", xlabel="dimension of the irrep")
            sizes = sorted(set(across))
            if len(sizes) <= 4:
                axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
                axes.set_xticks([], minor=True)
            tags(axes, {name: (x, y, name) for x, y, name in reversed(points)}.values())
        else:
            axes.set_xlabel("frequency" if isinstance(pieces[0].irrep, int) else "irrep")
            axes.set_xticks(across, names)
        legend(axes, spectrum.title)
    return figure


def _zeros(spectrum: Spectrum, across: list[float]) -> tuple[list[float], str]:
    """The places of irreps with eigenvalues that are not known to be positive, and their number."""
    positive = sum(level.multiplicity for level in spectrum.levels if is_positive(level.eigenvalue))
    listed = [not all(is_positive(value) for value, _ in p.values) for p in spectrum.pieces]
    what = "zero" if spectrum.exactness == "exact" else "not above zero"
    count = number_text(spectrum.dimension - positive)
    if len(count) > 15:
        count = f"{count[0]}.{count[1:3]}e{len(count) - 1}"
    label = f"{what}: {count} of the eigenvalues, on {sum(listed)} of {len(listed)} irreps"
    return [x for x, zero in zip(across, listed, strict=True) if zero], label


def drawn(value: Any) -> float:
    """A positive number as a float, if it has room in one.

    >>> drawn(10**400)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: a number of this spectrum is below 10^-300 or above 10^300, which \
cannot be drawn: multiply the kernel by a number
    """
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not 1e-300 <= found <= 1e300:
        raise BadValue(
            "a number of this spectrum is below 10^-300 or above 10^300, which cannot be drawn: "
            "multiply the kernel by a number"
        )
    return found


def short(text: str) -> str:
    """A text that fits into a column of a table."""
    return text if len(text) <= _WIDE else f"{text[:14]}..{text[-8:]}"
