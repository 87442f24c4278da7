"""Windows of a text: cut, numbered, and their moments over positions and tokens."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbench._arguments import integer, sequence
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import Rational

REST = "(other)"


def windows(tokens: Any, length: Any) -> list[tuple[Any, ...]]:
    """The windows of a sequence, or a list of windows as it is.

    >>> windows("abcde", 2)
    [('a', 'b'), ('c', 'd')]
    """
    if hasattr(tokens, "tolist"):
        tokens = tokens.tolist()
    listed = list(tokens) if isinstance(tokens, str) else tokens
    items = sequence(listed, "the text", "a string, a list of tokens or a list of windows")
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


def encode(
    rows: list[tuple[Any, ...]], vocabulary: Any
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """The tokens that are told apart, most frequent first, and the windows as numbers.

    >>> encode([("a", "b"), ("b", "c")], 1)
    (('b', '(other)'), array([[1, 0],
           [0, 1]]))
    """
    try:
        found = Counter(token for row in rows for token in row)
    except TypeError as error:
        raise BadType(f"a token cannot be compared: {error}") from None
    kept = [token for token, _ in found.most_common()]
    rest = len(kept)
    if vocabulary is not None:
        rest = min(rest, integer(vocabulary, "the vocabulary", at_least=1))
    place = {token: i for i, token in enumerate(kept[:rest])}
    if rest < len(kept):
        kept = [*kept[:rest], REST]
    data = np.array([[place.get(token, rest) for token in row] for row in rows], dtype=np.int64)
    return tuple(kept), data


def moments(
    data: NDArray[np.int64], letters: int, order: int, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How often tokens u, v, ... stand at positions a, b, ...: indexed [a, b, ..., u, v, ...].

    The counts are whole numbers below 2^53, so the floats are exact.

    >>> moments(np.array([[0, 1], [0, 0]]), 2, 1, np.ones(2)).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    size = data.shape[1]
    shape = (size,) * order + (letters,) * order
    found = np.zeros((size**order, letters**order))
    for row, places in enumerate(product(range(size), repeat=order)):
        code = np.zeros(len(data), dtype=np.int64)
        for a in places:
            code = code * letters + data[:, a]
        found[row] = np.bincount(code, weights=weights, minlength=letters**order)
    return found.reshape(shape)


@lru_cache(maxsize=16)
def _classes(size: int, order: int) -> tuple[int, ...]:
    """The number of the equality pattern of each tuple of positions."""
    numbers: dict[tuple[int, ...], int] = {}
    found = []
    for places in product(range(size), repeat=order):
        pattern = tuple(places.index(a) for a in places)
        found.append(numbers.setdefault(pattern, len(numbers)))
    return tuple(found)


def exact_residual(counts: NDArray[np.float64], order: int) -> Rational:
    """|S - PS|^2 / |S|^2 = 1 - |PS|^2 / |S|^2, in whole numbers.

    >>> exact_residual(moments(np.array([[0, 1]]), 2, 1, np.ones(1)), 1)
    1/2
    """
    size = counts.shape[0]
    rows = counts.reshape(size**order, -1)
    classes = np.array(_classes(size, order))
    sizes = np.bincount(classes)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, classes, rows)
    kept = sum(
        (Rational(_sum_of_squares(part), int(n)) for part, n in zip(sums, sizes, strict=True)),
        Rational(0),
    )
    return Rational(1 - kept / _sum_of_squares(rows))


def _sum_of_squares(values: NDArray[np.float64]) -> int:
    """The sum of the squares of whole numbers of at least 0."""
    whole = values.ravel().astype(np.int64)
    if int(whole.max()) * int(whole.sum()) < 1 << 63:
        return int(whole @ whole)
    return sum(x * x for x in whole.tolist())


def fourier(data: NDArray[np.int64], letters: int, frequency: int) -> NDArray[np.complex128]:
    """The Fourier mode of the one-hot vectors of each window: a row of V numbers each.

    >>> fourier(np.array([[0, 1]]), 2, 0).real.round(3).tolist()
    [[0.707, 0.707]]
    """
    size = data.shape[1]
    phase = np.exp(2j * np.pi * frequency * np.arange(size) / size) / size**0.5
    found = np.zeros((len(data), letters), dtype=np.complex128)
    for a in range(size):
        found[np.arange(len(data)), data[:, a]] += phase[a]
    return found


def resampled(generator: np.random.Generator, count: int) -> NDArray[np.float64]:
    """How often each window is drawn when as many are drawn with replacement.

    >>> float(resampled(np.random.default_rng(0), 5).sum())
    5.0
    """
    drawn = np.bincount(generator.integers(count, size=count), minlength=count)
    return drawn.astype(np.float64)


def spectrum_of(matrix: NDArray[np.complex128]) -> list[float]:
    """The eigenvalues of a Hermitian matrix, largest first, rounding errors at 0 left out.

    >>> spectrum_of(np.eye(2))
    [1.0, 1.0]
    """
    values = np.linalg.eigvalsh(matrix)[::-1]
    return [0.0 if abs(v) < 1e-12 else float(v) for v in values]
