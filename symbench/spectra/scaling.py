"""eigenvalue_scaling: how the largest eigenvalue of each (L - m, m) falls as the words grow.

The trace bound says eigenvalue <= trace / dim, and dim S^(L-m,m) grows like L^m / m!. Whether
eigenvalues come near to their bound is a question to the kernel: eigenvalue dim / trace stays away
from zero where the bound is tight, and goes down like a power of L where it is not.

>>> found = eigenvalue_scaling(linear_attention(1, 1, readout="flatten"), lengths=[10, 100, 1000])
>>> [round(float(point.ratio), 4) for point in found.of(1)]
[0.2647, 0.2544, 0.2505]
>>> [round(float(point.ratio), 5) for point in found.of(2)]
[0.02059, 0.00453, 0.0005]
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, Any

import attrs
import flint

from symbench._arguments import integer, integers
from symbench.draw.axes import legend, zeros
from symbench.draw.figures import plotted
from symbench.draw.views import Shown, columns_text, sheet
from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.kernels.float_value import MOST_DIGITS, FloatValue
from symbench.laws.base import Law, read_law
from symbench.spectra._search import spectrum
from symbench.spectra._spectrum import Spectrum
from symbench.spectra.linear_forms import has_closed_form
from symbench.spectra.picture import is_positive, quotient, value_text
from symbench.young import Partition
from symbench.young.position_groups import YoungSubgroup

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any

# Digits of a ratio in a table.
_SHOWN = 5
_KINDS = ("exact", "ball", "float")


@attrs.frozen
class ScalingPoint(Shown):
    """The largest eigenvalue on S^(L-m,m), beside the dimension and the trace.

    >>> ScalingPoint(4, 1, 3, Rational(12), Rational(314)).ratio
    18/157
    """

    length: int
    m: int
    dimension: int
    eigenvalue: Any
    trace: Any

    @property
    def partition(self) -> Partition:
        """(L - m, m)."""
        return Partition(self.length - self.m, self.m)

    @property
    def share(self) -> Rational | float:
        """Eigenvalue / trace: exact where both are rational, else a float."""
        found = quotient(self.eigenvalue, self.trace)
        return found if isinstance(found, Rational) else float(found)

    @property
    def ratio(self) -> Rational | float:
        """Eigenvalue times dimension / trace, at most one for a positive semidefinite kernel."""
        share = self.share
        exact = isinstance(share, Rational)
        return Rational(share * self.dimension) if exact else float(share) * self.dimension


@attrs.frozen
class Exponent(Shown):
    """Powers of L fitted by least squares to one m: of eigenvalue / trace, and times dim.

    `eigenvalue` would be about -m, and `ratio` about 0, if the trace bound were tight. A fit to
    some lengths proves nothing.

    >>> Exponent(1, -1.98, -0.97, 4).exactness
    'float'
    """

    m: int
    eigenvalue: float
    ratio: float
    lengths: int

    @property
    def exactness(self) -> str:
        """'float': a fit."""
        return "float"


@attrs.frozen(repr=False)
class EigenvalueScaling(Shown):
    """The largest eigenvalues for several lengths; `eigenvalue_scaling(...)` makes one.

    >>> eigenvalue_scaling(linear_attention(1, 1), lengths=[4, 6], max_m=1)
    <EigenvalueScaling of linear_attention(1, 1, readout='sum'), vocabulary 2: 2 lengths, exact>
    """

    kernel: Any
    vocabulary: int
    points: tuple[ScalingPoint, ...]
    exactness: str

    def __repr__(self) -> str:
        many = f"{len(self.lengths)} lengths, {self.exactness}"
        return f"<EigenvalueScaling of {self.title}: {many}>"

    def __str__(self) -> str:
        return self.table()

    @property
    def title(self) -> str:
        """What was computed, in a line."""
        return f"{self.kernel!r}, vocabulary {self.vocabulary}"

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths, shortest first."""
        return tuple(sorted({point.length for point in self.points}))

    @property
    def orders(self) -> tuple[int, ...]:
        """The m that occur."""
        return tuple(sorted({point.m for point in self.points}))

    def of(self, m: int) -> tuple[ScalingPoint, ...]:
        """The points of one m, shortest words first."""
        wanted = integer(m, "m", at_least=0)
        return tuple(point for point in self.points if point.m == wanted)

    @property
    def exponents(self) -> tuple[Exponent, ...]:
        """Fitted powers of L, for every m with at least two lengths of positive eigenvalues.

        >>> found = eigenvalue_scaling(linear_attention(1, 1), lengths=[100, 1000, 10000])
        >>> [(fit.m, round(fit.eigenvalue, 2), round(fit.ratio, 2)) for fit in found.exponents]
        [(0, 0.01, 0.01), (1, -1.98, -0.98)]
        """
        found = []
        for m in self.orders:
            points = [point for point in self.of(m) if is_positive(point.eigenvalue)]
            if len(points) < 2:
                continue
            lengths = [math.log(point.length) for point in points]
            shares = [_logarithm(point.share) for point in points]
            ratios = [_logarithm(point.ratio) for point in points]
            slopes = [linear_regression(lengths, values).slope for values in (shares, ratios)]
            found.append(Exponent(m, slopes[0], slopes[1], len(points)))
        return tuple(found)

    def table(self) -> str:
        """One line per irreducible and length, then the fitted powers of L.

        >>> print(eigenvalue_scaling(linear_attention(1, 1), lengths=[4, 8], max_m=2).table())
        linear_attention(1, 1, readout='sum'), vocabulary 2: exact
        m  length  dim  eigenvalue     eigenvalue dim / trace
        0  4       1    198.2852837..  0.63148
        0  8       1    1940.367383..  0.72727
        1  4       3    12             0.11465
        1  8       7    40             0.10495
        2  4       2    0              0
        2  8       20   0              0
        fitted powers of L (floats): m = 0: 0.20, 0.20; m = 1: -1.35, -0.13
        """
        rows = [["m", "length", "dim", "eigenvalue", "eigenvalue dim / trace"]]
        for point in sorted(self.points, key=lambda p: (p.m, p.length)):
            digits = _digits(point) if is_positive(point.eigenvalue) else 0
            known = digits > 0 or point.eigenvalue == 0
            rows.append(
                [
                    str(point.m),
                    number_text(point.length),
                    number_text(point.dimension),
                    value_text(point.eigenvalue),
                    f"{float(point.ratio):.{digits}g}" if known else "?",
                ]
            )
        fits = "; ".join(
            f"m = {fit.m}: {fit.eigenvalue:.2f}, {fit.ratio:.2f}" for fit in self.exponents
        )
        last = [f"fitted powers of L (floats): {fits}"] if fits else []
        return sheet(f"{self.title}: {self.exactness}", columns_text(rows), *last)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Eigenvalue / trace against the dimension, a line per m, and the bound 1 / dim.

        Returns the matplotlib figure, and saves it if a path is given.
        """
        with plotted(path, 6, 4) as figure:
            axes = figure.subplots()
            axes.set(xscale="log", yscale="log", xlabel="dimension of the irrep")
            axes.set_ylabel("largest eigenvalue / trace")
            for m in self.orders:
                points = [point for point in self.of(m) if is_positive(point.eigenvalue)]
                if points:
                    across = [float(point.dimension) for point in points]
                    shares = [float(point.share) for point in points]
                    axes.plot(across, shares, "o-", label=f"(L-{m}, {m})" if m else "(L)")
            absent = [p for p in self.points if not is_positive(p.eigenvalue)]
            # Longer numbers are those of irreducibles without an eigenvalue to be drawn.
            dims = sorted({float(p.dimension) for p in self.points if p.dimension < 10**300})
            axes.plot(dims, [1 / d for d in dims], "--", color="gray", label="1 / dim")
            named = dict.fromkeys(f"(L-{p.m}, {p.m})" for p in absent)
            places = [float(p.dimension) for p in absent if p.dimension < 10**300]
            zeros(axes, places, f"not above zero: {', '.join(named)} ({len(absent)} points)")
            legend(axes, self.title)
        return figure


def _digits(point: ScalingPoint) -> int:
    """How many digits of a ratio a table shows: no more than eigenvalue and trace have."""
    numbers = (point.eigenvalue, point.trace)
    stated = [n.digits for n in numbers if isinstance(n, FloatValue)]
    # A ratio may be off by twice as much as each of the two.
    bits = [n.rel_accuracy_bits() - 1 for n in numbers if isinstance(n, flint.arb)]
    return max(0, min([_SHOWN, *stated, *(int(n * math.log10(2)) for n in bits)]))


def _logarithm(value: Rational | float) -> float:
    """log of a positive number; of a fraction, also where it is too small for a float."""
    if isinstance(value, Rational):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def eigenvalue_scaling(
    kernel: Any,
    *,
    lengths: Iterable[int],
    vocabulary: int = 2,
    law: Law | None = None,
    max_m: int = 3,
    digits: int = 6,
) -> EigenvalueScaling:
    """The largest eigenvalue of each (L - m, m), m = 0, ..., max_m, for several lengths L.

    The kernel is anything that `spectrum` takes; its eigenvalues are exact, balls, or floats with
    at most `digits` digits. One layer of linear attention on independent tokens has closed forms,
    so that any length will do. law None is the uniform law.

    >>> found = eigenvalue_scaling(linear_attention(1, 1), lengths=[10, 20], max_m=1)
    >>> [(point.length, point.eigenvalue) for point in found.of(1)]
    [(10, 60), (20, 220)]
    >>> eigenvalue_scaling(linear_attention(1, 1), lengths=[])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: no lengths are given: write lengths=[4, 8, 16]
    """
    sizes = sorted(set(integers(lengths, "lengths", at_least=1)))
    if not sizes:
        raise BadValue("no lengths are given: write lengths=[4, 8, 16]")
    V = integer(vocabulary, "the vocabulary", at_least=1)
    most = integer(max_m, "max_m", at_least=0)
    wanted = integer(digits, "digits", at_least=1, at_most=MOST_DIGITS)
    points: list[ScalingPoint] = []
    kinds = set()
    # The longest words first: what is too large is refused before anything is computed.
    for length in reversed(sizes):
        orders = range(min(most, length // 2) + 1 if V > 1 else 1)
        whole, found = _largest(kernel, length, V, law, orders, wanted)
        kinds.add((_KINDS.index(whole.numbers), whole.is_sampled, whole.exactness))
        points = found + points
    return EigenvalueScaling(kernel, V, tuple(points), max(kinds)[-1])


def _largest(
    kernel: Any, length: int, V: int, law: Law | None, orders: range, digits: int
) -> tuple[Spectrum, list[ScalingPoint]]:
    """The spectrum of one length, and its points."""
    shapes = {m: Partition(length - m, m) for m in orders}
    chosen = read_law(law, length, V, YoungSubgroup(length))
    closed = has_closed_form(kernel, length, V, chosen)
    whole = spectrum(
        kernel,
        length=length,
        vocabulary=V,
        law=chosen,
        digits=digits,
        algorithm="closed-form" if closed else None,
    )
    pieces = {m: whole[shape].values for m, shape in shapes.items()}
    # Closed forms leave out the eigenvalue 0.
    values: dict[int, Any] = {m: v[0][0] if v else Rational(0) for m, v in pieces.items()}
    trace = whole.trace
    if not is_positive(trace):
        raise BadValue(
            f"{kernel!r} has trace {value_text(trace)} at length {length}: nothing falls"
        )
    return whole, [
        ScalingPoint(length, m, shapes[m].dim, value, trace) for m, value in values.items()
    ]
