"""Is a text permutation symmetric? Moments of windows of tokens, against a shuffled null.

Cut a text into windows of L tokens. If the law of a window is exchangeable, the joint law of the
tokens at positions a, b depends only on whether a = b: with D = E x_a x_a^T, O = E x_a x_b^T the
Fourier modes have covariances C_0 = D + (L-1) O and C_k = D - O for every k != 0. The residual is
the part of the moments that is lost when they are averaged over positions, |S - PS| / |S|: zero
for a symmetric law, and for a finite text compared with windows shuffled one by one. Symmetric
second moments do not make a law symmetric: `moments.hidden_triple` passes order 2 and fails 3.

>>> report = permutation_symmetry("abababababababababab" * 10, length=4)
>>> report.windows, report.vocabulary, report.residual_squared, report.symmetric
(50, 2, 2/3, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from symbench._arguments import integer, shown
from symbench.draw.axes import legend
from symbench.draw.figures import Figure, panels, plotted
from symbench.draw.progress import progress
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadShape, BadType, NotSupported, TooLarge, UnknownName
from symbench.exact import Rational
from symbench.texts.windows import (
    encode,
    exact_residual,
    fourier,
    moments,
    resampled,
    spectrum_of,
    windows,
)

# Moments with more entries than this are not held.
_ENTRIES = 4_000_000
_MOST_ORDER = 16


@attrs.frozen(eq=False, repr=False)
class SymmetryReport(Shown):
    """The moments of the windows of a text, and how far they are from symmetric ones.

    `residual_squared` is an exact number; error bars, the null and eigenvalues are floats.

    >>> report = permutation_symmetry([[0, 1], [1, 0], [0, 0], [1, 1]], seed=1)
    >>> report.residual, report.symmetric
    (0.0, True)
    """

    name: str
    order: int
    windows: int
    length: int
    tokens: tuple[Any, ...]
    data: NDArray[np.int64]
    counts: NDArray[np.float64]
    residual_squared: Rational
    bootstrap: tuple[float, ...]
    null: tuple[float, ...]
    seed: int
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    @property
    def vocabulary(self) -> int:
        """The number of different tokens that are told apart."""
        return len(self.tokens)

    @property
    def residual(self) -> float:
        """|S - PS| / |S|: 0 for symmetric moments, at most 1."""
        return sqrt(self.residual_squared)

    @property
    def spread(self) -> float:
        """The bootstrap standard error of the residual: windows drawn again with replacement."""
        return _deviation(self.bootstrap)

    @property
    def null_residual(self) -> float:
        """The mean residual of the same windows, each shuffled: a symmetric law."""
        return fmean(self.null)

    @property
    def p_value(self) -> float:
        """How often a shuffled text has a residual as large: (1 + how many) / (1 + shuffles)."""
        return (1 + sum(x >= self.residual for x in self.null)) / (1 + len(self.null))

    @property
    def symmetric(self) -> bool:
        """Whether the residual is not above that of every shuffled text: a test, no proof."""
        return self.residual <= max(self.null)

    def mode(self, k: int) -> NDArray[np.complex128]:
        """C_k = E x_k x_k^H for the Fourier mode k of the one-hot vectors (order 2).

        >>> report = permutation_symmetry([[0, 1], [1, 0]])
        >>> report.mode(0).real.tolist(), report.mode(1).real.tolist()
        ([[0.5, 0.5], [0.5, 0.5]], [[0.5, -0.5], [-0.5, 0.5]])
        """
        frequency = self._frequency(k)
        phase = np.exp(2j * np.pi * frequency * np.arange(self.length) / self.length)
        weight = np.outer(phase, phase.conj()) / (self.length * self.windows)
        found: NDArray[np.complex128] = np.einsum("ab,abuv->uv", weight, self.counts)
        return found

    def eigenvalues(self, k: int) -> list[float]:
        """The eigenvalues of C_k, largest first: their CDFs are what the poster compares.

        >>> permutation_symmetry([[0, 1], [1, 0]]).eigenvalues(1)
        [1.0, 0.0]
        """
        return spectrum_of(self.mode(k))

    def eigenvalue_spread(self, k: int) -> list[float]:
        """The bootstrap standard error of each eigenvalue of C_k, largest eigenvalue first.

        >>> report = permutation_symmetry([[0, 1], [1, 0], [0, 0]], seed=1)
        >>> [round(error, 1) for error in report.eigenvalue_spread(1)]
        [0.3, 0.0]
        """
        modes = fourier(self.data, self.vocabulary, self._frequency(k))
        generator = np.random.default_rng(self.seed)
        drawn = []
        for _ in self.bootstrap:
            weights = resampled(generator, self.windows)
            drawn.append(spectrum_of((modes.T * weights) @ modes.conj() / self.windows))
        return list(map(_deviation, zip(*drawn, strict=True)))

    def component_similarity(self, k: int, j: int = 0, *, components: int = 1) -> float:
        """How alike the leading principal components of C_k and C_j are: 1 if they span the same.

        This is the mean of the squared cosines between the spaces of the first `components`
        eigenvectors, near components / V for spaces drawn at random. Where the last eigenvalue that
        is taken equals the next one, the space is not determined.

        >>> report = permutation_symmetry([[0, 1], [1, 0], [0, 0]])
        >>> round(report.component_similarity(1, 1), 6), round(report.component_similarity(1), 2)
        (1.0, 0.15)
        """
        count = integer(components, "components", at_least=1, at_most=self.vocabulary)
        first, second = (np.linalg.eigh(self.mode(n))[1][:, -count:] for n in (k, j))
        return float((np.abs(first.conj().T @ second) ** 2).sum() / count)

    def _frequency(self, k: Any) -> int:
        if self.order != 2:
            raise NotSupported(f"modes are second moments, this report has order {self.order}")
        return integer(k, "k") % self.length

    def table(self) -> str:
        """The report in one line and its header."""
        return TextComparison((self,)).table()

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the empirical CDFs of the eigenvalues of C_k for all k, with error bars.

        Returns the figure of matplotlib, and saves it if a path is given.
        """
        with plotted(path, 6, 4) as figure:
            _draw_distributions(figure.add_subplot(), self)
        return figure


@attrs.frozen(eq=False, repr=False)
class TextComparison(Shown):
    """The reports of several texts side by side, each with its own shuffled null.

    >>> found = compare_texts({"sorted": "aabb" * 20, "mixed": "abbabaab" * 10}, length=4)
    >>> len(found), found["mixed"].residual_squared, found[0].name
    (2, 1/3, 'sorted')
    >>> found["other"]
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: no text 'other': there are sorted, mixed
    """

    reports: tuple[SymmetryReport, ...]
    exactness = "float"

    def __attrs_post_init__(self) -> None:
        found = self.reports
        if not isinstance(found, tuple) or not all(isinstance(x, SymmetryReport) for x in found):
            raise BadType(f"the reports are {shown(found)}: give a tuple of SymmetryReports")

    def __repr__(self) -> str:
        return self.table()

    def __iter__(self) -> Iterator[SymmetryReport]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __getitem__(self, name: Any) -> SymmetryReport:
        for number, report in enumerate(self.reports):
            if name == report.name or (type(name) is int and name == number):
                return report
        names = ", ".join(report.name for report in self.reports)
        raise UnknownName(f"no text {shown(name)}: there are {names}")

    def table(self) -> str:
        """One line for each text.

        >>> print(compare_texts({"a": "ab" * 40}, length=2).table())
        text  order  windows  L  V  residual         shuffled  p-value
        a     2      40       2  2  0.7071 ± 0.0000  0.1...    0.0099
        """
        rows = [["text", "order", "windows", "L", "V", "residual", "shuffled", "p-value"]]
        for report in self.reports:
            sizes = (report.order, report.windows, report.length, report.vocabulary)
            rows.append(
                [
                    report.name,
                    *map(str, sizes),
                    f"{report.residual:.4f} ± {report.spread:.4f}",
                    f"{report.null_residual:.4f}",
                    f"{report.p_value:.4f}",
                ]
            )
        return columns_text(rows)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw residuals beside those of shuffled texts, then the CDFs of each text.

        Returns the figure of matplotlib, and saves it if a path is given.
        """
        if not self.reports:
            raise BadShape("there are no reports to plot: compare at least one text")
        with_modes = [report for report in self.reports if report.order == 2]
        with panels(path, 1 + len(with_modes), 4.5) as (figure, (axes, *others)):
            places = list(range(1, len(self) + 1))
            residuals = [report.residual for report in self.reports]
            errors = [report.spread for report in self.reports]
            axes.boxplot([report.null for report in self.reports], positions=places, whis=(0, 100))
            axes.errorbar(places, residuals, yerr=errors, fmt="o", label="text")
            axes.set_xticks(places, [report.name for report in self.reports])
            axes.set_ylabel("residual; boxes: shuffled")
            legend(axes)
            for panel, report in zip(others, with_modes, strict=True):
                _draw_distributions(panel, report, report.name)
        return figure


def _draw_distributions(axes: Any, report: SymmetryReport, title: str = "") -> None:
    share = [(i + 1) / report.vocabulary for i in range(report.vocabulary)]
    for k in range(report.length // 2 + 1):
        # Both lists come with the largest eigenvalue first.
        values, errors = report.eigenvalues(k)[::-1], report.eigenvalue_spread(k)[::-1]
        # From nothing at the smallest eigenvalue up.
        steps = [values[0], *values], [0, *share]
        (line,) = axes.step(*steps, where="post", label=f"k = {k}")
        axes.errorbar(values, share, xerr=errors, fmt="none", ecolor=line.get_color(), capsize=2)
    axes.set_xlabel("eigenvalue of C_k")
    axes.set_ylabel("part of the eigenvalues")
    axes.set_ylim(bottom=0)
    legend(axes, title)


def permutation_symmetry(
    tokens: Any,
    *,
    length: int | None = None,
    vocabulary: int | None = None,
    order: int = 2,
    resamples: int = 100,
    seed: int = 0,
    name: str = "text",
) -> SymmetryReport:
    """How far a tokenised text is from permutation symmetric, by the moments of its windows.

    `tokens` is one sequence (a string is one of characters), cut into windows of `length`, or a
    list of windows of equal length. The `vocabulary` most frequent tokens are told apart, all
    others are one more; without it, all are. `resamples` texts are drawn for the error bar, and
    as many shuffled for the null.

    >>> words = "the cat saw the dog and the dog saw the cat".split()
    >>> report = permutation_symmetry(words, length=2, vocabulary=2)
    >>> report.windows, report.tokens
    (5, ('the', 'saw', '(other)'))
    >>> permutation_symmetry("abc")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: a single sequence is cut into windows: give their length
    """
    degree = integer(order, "the order", at_least=1, limit=_MOST_ORDER)
    rounds = integer(resamples, "resamples", at_least=1)
    rows = windows(tokens, length)
    if not isinstance(name, str):
        raise BadType(f"name is {shown(name)}: give a string")
    letters, data = encode(rows, vocabulary)
    count, size = data.shape
    entries = (size * len(letters)) ** degree
    if entries > _ENTRIES:
        raise TooLarge(
            f"the moments of order {degree} have ({size} x {len(letters)})^{degree} = {entries:,} "
            f"entries: at most {_ENTRIES:,} are held; give a smaller length or vocabulary"
        )
    start = integer(seed, "seed", at_least=0)
    generator = np.random.default_rng(start)
    counts = moments(data, len(letters), degree, np.ones(count))

    def residual(rows: NDArray[np.int64], weights: NDArray[np.float64]) -> float:
        # Exact under the root, so that a text as symmetric as this one has the same number.
        return sqrt(exact_residual(moments(rows, len(letters), degree, weights), degree))

    bootstrap, null = [], []
    with progress("resamples", 2 * rounds) as report:
        for _ in range(rounds):
            bootstrap.append(residual(data, resampled(generator, count)))
            report(1)
        for _ in range(rounds):
            null.append(residual(generator.permuted(data, axis=1), np.ones(count)))
            report(1)
    return SymmetryReport(
        name=name,
        order=degree,
        windows=count,
        length=size,
        tokens=letters,
        data=data,
        counts=counts,
        residual_squared=exact_residual(counts, degree),
        bootstrap=tuple(bootstrap),
        null=tuple(null),
        seed=start,
    )


def compare_texts(
    texts: Mapping[str, Any],
    *,
    length: int | None = None,
    vocabulary: int | None = None,
    order: int = 2,
    resamples: int = 100,
    seed: int = 0,
) -> TextComparison:
    """The reports of several texts, each with its own shuffled null.

    >>> found = compare_texts({"sorted": "aabb" * 20, "mixed": "abbabaab" * 10}, length=4)
    >>> [report.residual_squared for report in found]
    [2/3, 1/3]
    """
    if not isinstance(texts, Mapping) or not texts:
        raise BadType(f"texts is {shown(texts)}: give a dictionary from names to tokens")
    return TextComparison(
        tuple(
            permutation_symmetry(
                tokens,
                length=length,
                vocabulary=vocabulary,
                order=order,
                resamples=resamples,
                seed=seed,
                name=name,
            )
            for name, tokens in texts.items()
        )
    )


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0
