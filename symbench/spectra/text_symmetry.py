"""Is a text permutation symmetric? Moments of windows of tokens, against a shuffled null.

Cut a text into windows of L tokens. If the law of a window is exchangeable, the joint law of the
tokens at positions a, b depends only on whether a = b: with D = E x_a x_a^T, O = E x_a x_b^T the
Fourier modes have covariances C_0 = D + (L-1) O and C_k = D - O for every k != 0. The residual is
the part of the moments that is lost when they are averaged over positions, |S - PS| / |S|: zero
for a symmetric law, and for a finite text compared with windows shuffled one by one. Symmetric
second moments do not make a law symmetric: `moments.hidden_triple` passes order 2 and fails 3.

>>> from symbench.spectra.text_symmetry import permutation_symmetry
>>> report = permutation_symmetry("abababababababababab" * 10, length=4)
>>> report.windows, report.vocabulary, report.residual_squared, report.symmetric
(50, 2, 2/3, False)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from symbench.draw.figures import new_figure
from symbench.errors import BadShape, BadType, BadValue, NotSupported, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import integer, shown
from symbench.spectra.orbit_average import columns_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Moments with more entries than this are not held.
_ENTRIES = 4_000_000
REST = "(other)"


@attrs.frozen(eq=False, repr=False)
class SymmetryReport:
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
    counts: NDArray[np.float64]
    residual_squared: Rational
    bootstrap: tuple[float, ...]
    null: tuple[float, ...]
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
        return sum(self.null) / len(self.null)

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
        import numpy as np

        if self.order != 2:
            raise NotSupported(f"modes are second moments, this report has order {self.order}")
        frequency = integer(k, "k") % self.length
        phase = np.exp(2j * np.pi * frequency * np.arange(self.length) / self.length)
        weight = np.outer(phase, phase.conj()) / (self.length * self.windows)
        found: NDArray[np.complex128] = np.einsum("ab,abuv->uv", weight, self.counts)
        return found

    def eigenvalues(self, k: int) -> list[float]:
        """The eigenvalues of C_k, largest first: their CDFs are what the poster compares.

        >>> permutation_symmetry([[0, 1], [1, 0]]).eigenvalues(1)
        [1.0, 0.0]
        """
        import numpy as np

        values = np.linalg.eigvalsh(self.mode(k))[::-1]
        return [0.0 if abs(v) < 1e-12 else float(v) for v in values]

    def table(self) -> str:
        """The report in one line and its header."""
        return compare_reports([self])

    def plot(self, path: Any = None) -> Any:
        """The empirical CDFs of the eigenvalues of C_k for all k (matplotlib).

        Returns the figure, and saves it if a path is given.
        """
        if path is not None and not isinstance(path, (str, Path)):
            raise BadType(f"the path is {shown(path)}: give a file name")
        figure = new_figure(6, 4)
        axes = figure.add_subplot()
        share = [(i + 1) / self.vocabulary for i in range(self.vocabulary)]
        for k in range(self.length // 2 + 1):
            axes.step(sorted(self.eigenvalues(k)), share, where="post", label=f"k = {k}")
        axes.set_xlabel("eigenvalue of C_k")
        axes.set_ylabel("part of the eigenvalues")
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure


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
    import numpy as np

    degree = integer(order, "order", at_least=1)
    rounds = integer(resamples, "resamples", at_least=1)
    rows = _windows(tokens, length)
    if not isinstance(name, str):
        raise BadType(f"name is {shown(name)}: give a string")
    letters, data = _encode(rows, vocabulary)
    windows, size = data.shape
    entries = (size * len(letters)) ** degree
    if entries > _ENTRIES:
        raise TooLarge(
            f"the moments of order {degree} have ({size} x {len(letters)})^{degree} = {entries:,} "
            f"entries: at most {_ENTRIES:,} are held; give a smaller length or vocabulary"
        )
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    counts = _moments(data, len(letters), degree, np.ones(windows))
    resampled = []
    for _ in range(rounds):
        weights = np.bincount(generator.integers(windows, size=windows), minlength=windows)
        drawn = _moments(data, len(letters), degree, weights.astype(float))
        resampled.append(sqrt(_float_residual(drawn, degree)))
    null = []
    for _ in range(rounds):
        shuffled = generator.permuted(data, axis=1)
        drawn = _moments(shuffled, len(letters), degree, np.ones(windows))
        null.append(sqrt(_float_residual(drawn, degree)))
    return SymmetryReport(
        name,
        degree,
        windows,
        size,
        letters,
        counts,
        _exact_residual(counts, degree),
        tuple(resampled),
        tuple(null),
    )


def compare_texts(
    texts: Mapping[str, Any],
    *,
    length: int | None = None,
    vocabulary: int | None = None,
    order: int = 2,
    resamples: int = 100,
    seed: int = 0,
) -> list[SymmetryReport]:
    """The reports of several texts, each with its own shuffled null.

    >>> reports = compare_texts({"sorted": "aabb" * 20, "mixed": "abbabaab" * 10}, length=4)
    >>> [report.residual_squared for report in reports]
    [2/3, 1/3]
    """
    if not isinstance(texts, Mapping) or not texts:
        raise BadType(f"texts is {shown(texts)}: give a dictionary from names to tokens")
    return [
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
    ]


def compare_reports(reports: Iterable[SymmetryReport]) -> str:
    """A table of reports, one line for each.

    >>> print(compare_reports(compare_texts({"a": "ab" * 40}, length=2)))
    text  order  windows  L  V  residual         shuffled  p-value
    a     2      40       2  2  0.7071 ± 0.0000  0.1...    0.0099
    """
    rows = [["text", "order", "windows", "L", "V", "residual", "shuffled", "p-value"]]
    for report in reports:
        if not isinstance(report, SymmetryReport):
            raise BadType(f"{shown(report)} is no SymmetryReport")
        rows.append(
            [
                report.name,
                str(report.order),
                str(report.windows),
                str(report.length),
                str(report.vocabulary),
                f"{report.residual:.4f} ± {report.spread:.4f}",
                f"{report.null_residual:.4f}",
                f"{report.p_value:.4f}",
            ]
        )
    return columns_text(rows)


# --- data -----------------------------------------------------------------------------------
def _windows(tokens: Any, length: Any) -> list[tuple[Any, ...]]:
    if hasattr(tokens, "tolist"):
        tokens = tokens.tolist()
    if isinstance(tokens, (bytes, Mapping)) or not isinstance(tokens, Iterable):
        raise BadType(f"the tokens are {shown(tokens)}: give a list of tokens, or of windows")
    items = list(tokens)
    if items and all(isinstance(item, (list, tuple)) for item in items):
        if length is not None:
            raise BadValue("these are windows already: give no length")
        sizes = sorted({len(item) for item in items})
        if len(sizes) > 1:
            raise BadShape(f"the windows have lengths {sizes}: give equal ones")
        rows = [tuple(item) for item in items]
    else:
        if length is None:
            raise BadValue("a single sequence is cut into windows: give their length")
        size = integer(length, "the length", at_least=1)
        rows = [tuple(items[i : i + size]) for i in range(0, len(items) - size + 1, size)]
    if not rows or not rows[0]:
        raise BadShape(f"{len(items)} tokens make no window: give more, or a smaller length")
    return rows


def _encode(
    rows: list[tuple[Any, ...]], vocabulary: Any
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """The tokens that are told apart, most frequent first, and the windows as numbers."""
    import numpy as np

    try:
        found = Counter(token for row in rows for token in row)
    except TypeError as error:
        raise BadType(f"a token cannot be compared: {error}") from None
    kept = [token for token, _ in found.most_common()]
    if vocabulary is not None:
        size = integer(vocabulary, "the vocabulary", at_least=1)
        if len(kept) > size:
            kept = [*kept[:size], REST]
    place = {token: i for i, token in enumerate(kept)}
    rest = len(kept) - 1
    data = np.array([[place.get(token, rest) for token in row] for row in rows], dtype=np.int64)
    return tuple(kept), data


def _moments(
    data: NDArray[np.int64], letters: int, order: int, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How often tokens u, v, ... stand at positions a, b, ...: indexed [a, b, ..., u, v, ...].

    The counts are whole numbers below 2^53, so the floats are exact.
    """
    import numpy as np

    size = data.shape[1]
    shape = (size,) * order + (letters,) * order
    found = np.zeros((size**order, letters**order))
    for row, places in enumerate(product(range(size), repeat=order)):
        code = np.zeros(len(data), dtype=np.int64)
        for a in places:
            code = code * letters + data[:, a]
        found[row] = np.bincount(code, weights=weights, minlength=letters**order)
    return found.reshape(shape)


@cache
def _classes(size: int, order: int) -> tuple[int, ...]:
    """The number of the equality pattern of each tuple of positions."""
    numbers: dict[tuple[int, ...], int] = {}
    found = []
    for places in product(range(size), repeat=order):
        pattern = tuple(places.index(a) for a in places)
        found.append(numbers.setdefault(pattern, len(numbers)))
    return tuple(found)


def _parts(counts: NDArray[np.float64], order: int) -> tuple[Any, Any, Any]:
    """The moments as rows by position tuples, the sums of rows by pattern, and their sizes."""
    import numpy as np

    size = counts.shape[0]
    rows = counts.reshape(size**order, -1)
    classes = np.array(_classes(size, order))
    sizes = np.bincount(classes)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, classes, rows)
    return rows, sums, sizes


def _float_residual(counts: NDArray[np.float64], order: int) -> float:
    rows, sums, sizes = _parts(counts, order)
    total = float((rows**2).sum())
    kept = float(((sums**2).sum(axis=1) / sizes).sum())
    return max(0.0, 1 - kept / total)


def _exact_residual(counts: NDArray[np.float64], order: int) -> Rational:
    """|S - PS|^2 / |S|^2 = 1 - |PS|^2 / |S|^2, in whole numbers."""
    rows, sums, sizes = _parts(counts, order)
    total = sum(int(x) ** 2 for x in rows.flat if x)
    kept = sum(
        Rational(sum(int(x) ** 2 for x in part if x), int(n))
        for part, n in zip(sums, sizes, strict=True)
    )
    return Rational(1 - kept / total)


def _deviation(values: tuple[float, ...]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((x - mean) ** 2 for x in values) / max(1, len(values) - 1))
