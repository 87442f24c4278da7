"""Transformers of finite width beside kernel (23) of boix2024, which they tend to.

The attention layer of a random network with H heads, embeddings of width d and heads of width
d_head puts out at the last position

    z(X) = 1/sqrt(H d_head) sum over heads of W_O^T W_V Z^T softmax(s),
    s = beta Z W_K^T W_Q z_k / sqrt(d_head),

Z = X W_E + gamma P, where W_E and P have entries of variance 1/d and all other weights of variance
1. The kernel of its random features is <z(X), z(Y)> / d. For H, d and d_head to infinity it tends
to (23), which is `attention` in the softmax scale of appendix H; its mean over the weights, order
by order in beta, is the claim `boix2024.appendix-H-width`. Here it is measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from symbench._arguments import integer, sequence
from symbench.draw.axes import counted, legend, logarithm
from symbench.draw.figures import Figure, plotted
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Floats, np
from symbench.kernels.attention import attention
from symbench.kernels.diagram import Diagram, check_positions
from symbench.learning.networks import NetworkSize, read_size
from symbench.learning.numbers import as_float, number
from symbench.learning.regression import Pair

# Weights of all networks of one size.
_WEIGHTS = 400_000_000


class FeatureRow(NamedTuple):
    """A size: the mean kernel over the draws with its standard error, and the typical distance.

    `distance` is the root of the mean squared difference from (23).
    """

    size: NetworkSize
    kernel: Pair
    distance: float


@attrs.frozen(repr=False)
class FeatureConvergence(Shown):
    """The kernel of random features at two strings, size by size, beside its limit (23); floats.

    >>> found = feature_convergence("AA*", "BC*", beta=1, gamma=1, sizes=[(2, 8, 2)], draws=20)
    >>> print(found.table().splitlines()[0])
    H     d  d_head  mean kernel      distance
    >>> found.exactness, round(found.limit, 4)
    ('float', 0.7352)
    """

    rows: tuple[FeatureRow, ...]
    limit: float
    draws: int
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """One line for each size, and the limit."""
        lines = [["H", "d", "d_head", "mean kernel", "distance"]]
        for size, (mean, error), distance in self.rows:
            numbers = [str(n) for n in (size.heads, size.width, size.key_width)]
            lines.append([*numbers, f"{mean:.4f} ± {error:.4f}", f"{distance:.4f}"])
        lines.append(["(23)", "", "", f"{self.limit:.4f}", "0"])
        return columns_text(lines)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The mean kernel and the typical distance from (23) against the width d."""
        widths = [row.size.width for row in self.rows]
        with plotted(path, 9, 3.8) as figure:
            left, right = figure.subplots(1, 2)
            means, errors = zip(*(row.kernel for row in self.rows), strict=True)
            left.errorbar(widths, means, yerr=errors, fmt="o", label="networks")
            left.axhline(self.limit, color="black", linestyle=":", label="(23)")
            left.set(ylabel="mean kernel")
            distances = np.array([row.distance for row in self.rows])
            right.plot(widths, distances, "o-", label="networks")
            rate = distances[-1] * np.sqrt(widths[-1] / np.array(widths))
            right.plot(widths, rate, "k:", label="falls as 1/sqrt(d)")
            right.set(ylabel="distance from (23)")
            logarithm(right)
            for axes in (left, right):
                axes.set(xlabel="width d of the embeddings")
                counted(axes, widths)
                legend(axes)
        return figure


def feature_convergence(
    x: Any,
    y: Any,
    *,
    beta: Any,
    gamma: Any,
    sizes: Iterable[Any],
    draws: int = 100,
    seed: int = 0,
) -> FeatureConvergence:
    """Random networks of some sizes (heads, width, head width) beside kernel (23), at two strings.

    >>> feature_convergence("AA*", "BC*", beta=1, gamma=1, sizes=[(2, None, 2)])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: NetworkSize(heads=2, width=None, ...) has no width: give one
    """
    pair = check_positions(Diagram.of(x, y))
    numbers = number(beta, "beta"), number(gamma, "gamma")
    listed = [read_size(size) for size in sequence(sizes, "sizes", "a list of (H, d, d_head)")]
    if not listed:
        raise BadValue("sizes is empty: give some, such as [(4, 16, 4)]")
    count = integer(draws, "draws", at_least=2)
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    kernel = attention(beta=numbers[0], gamma=numbers[1], softmax_scale="appendix-H")
    limit = float(kernel.on_diagram(pair))
    rows = []
    for size in listed:
        if size.width is None:
            raise BadValue(f"{size} has no width: give one")
        weights = 2 * size.heads * (size.key_width + size.value_width) * size.width
        if weights * count > _WEIGHTS:
            raise TooLarge(
                f"{count:,} networks of {weights:,} weights: ask for at most "
                f"{max(_WEIGHTS // weights, 2):,} draws, or smaller networks"
            )
        floats = (as_float(numbers[0], "beta"), as_float(numbers[1], "gamma"))
        found = np.array([_kernel(pair, *floats, size, generator) for _ in range(count)])
        mean = float(found.mean()), float(found.std(ddof=1) / sqrt(count))
        rows.append(FeatureRow(size, mean, float(np.sqrt(((found - limit) ** 2).mean()))))
    return FeatureConvergence(tuple(rows), limit, count)


def _kernel(pair: Diagram, beta: float, gamma: float, size: NetworkSize, generator: Any) -> float:
    """<z(X), z(Y)> / d of one random network."""
    heads, width, keys, values = size.heads, size.width or 1, size.key_width, size.value_width
    length, tokens = len(pair), max((*pair.left, *pair.right)) + 1

    def normal(*shape: int) -> Floats:
        drawn: Floats = generator.standard_normal(shape)
        return drawn

    embedded, places = normal(tokens, width) / sqrt(width), normal(length, width) / sqrt(width)
    key, query = normal(heads, keys, width), normal(heads, keys, width)
    value, out = normal(heads, values, width), normal(heads, values, width)
    outputs = []
    for codes in (pair.left, pair.right):
        z = embedded[list(codes)] + gamma * places
        scores = (z @ key.swapaxes(1, 2)) @ (query @ z[-1])[:, :, None]  # heads, length, 1
        scores *= beta / sqrt(keys)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mixed = (weights * z).sum(axis=1)  # heads, width
        inside = (value @ mixed[:, :, None])[:, :, 0]
        outputs.append(np.einsum("hi,hij->j", inside, out) / sqrt(heads * values))
    return float(outputs[0] @ outputs[1] / width)
