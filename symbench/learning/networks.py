"""Finite networks of linear attention beside the Gaussian process that many heads tend to.

A network with H heads reads z_a = (sqrt(alpha) E[x_a] + sqrt(beta) P[a]) / sqrt(d) at position a, E
and P standard Gaussian rows of width d. A head has queries q_a, keys k_a (d_k numbers each) and
values v_a (d_v numbers), each a Gaussian linear map of z_a with entries of variance 1; it puts out
o_a = sum over c of (q_a . k_c) v_c / sqrt(d_k). The heads stand side by side, and the output is a
Gaussian linear map of all o_a ("flatten"), of their sum ("sum") or of the last one ("last"),
divided by sqrt(H d_v).

For d -> infinity, or for fixed embeddings, z_a . z'_b is the number K_ab = alpha 1[x_a = y_b] +
beta 1[a = b], and the covariance of two outputs is the kernel of `linear_attention`, at every H,
d_k and d_v (`finite_width_kernel` has it at finite d). The output is a Gaussian process for
H -> infinity only: `excess_kurtosis` says how far from it, exactly. The output is Gaussian given
the hidden units, so a third of the excess kurtosis is the relative variance of the kernel k(x, x)
of the hidden units of one network.

>>> units = hidden_units(linear_attention(1, 1), [(0, 0), (0, 1)], (1000, None, 4), vocabulary=2)
>>> kernel = units @ units.T
>>> linear_attention(1, 1).value("AA", "AB"), bool(20 < kernel[0, 1] < 28)
(24, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from symbench._arguments import integer, shown
from symbench.draw.figures import new_figure
from symbench.draw.tables import columns_text
from symbench.errors import BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.kernels.linear_attention import LinearAttention
from symbench.laws.exchangeable import Law, positive, read_word
from symbench.learning.finite_width import read_network_kernel
from symbench.learning.regression import Problem, as_float, float_ridge, ridge_for
from symbench.learning.simulation import DRAWN, noise_deviation, predict
from symbench.learning.targets import Target, read_target
from symbench.learning.words import Word, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Numbers in the hidden layer of one network on all words, its weights counted in.
_UNITS = 20_000_000


# --- networks ---------------------------------------------------------------------------------
@attrs.frozen(init=False)
class NetworkSize:
    """How large a network is: heads, width of the embeddings, width of keys and of values.

    width None is the limit of wide embeddings; value_width is that of the keys if it is left out.

    >>> NetworkSize(4, None, 8)
    NetworkSize(heads=4, width=None, key_width=8, value_width=8)
    """

    heads: int
    width: int | None
    key_width: int
    value_width: int

    def __init__(
        self, heads: int, width: int | None, key_width: int, value_width: int | None = None
    ) -> None:
        keys = positive(key_width, "key_width")
        self.__attrs_init__(
            positive(heads, "heads"),
            None if width is None else positive(width, "width"),
            keys,
            keys if value_width is None else positive(value_width, "value_width"),
        )


def _read_size(size: Any) -> NetworkSize:
    if isinstance(size, NetworkSize):
        return size
    if not isinstance(size, (tuple, list)) or len(size) not in (3, 4):
        raise BadType(
            f"{shown(size)} is no size of a network: give (heads, width, key_width), width None "
            "for the limit"
        )
    return NetworkSize(*size)


def hidden_units(
    kernel: LinearAttention, words: Sequence[Word], size: Any, *, vocabulary: int, seed: int = 0
) -> Floats:
    """The hidden units of one random network at each word: all of it but the readout.

    The products of two rows are the kernel of this network; floats.

    >>> hidden_units(linear_attention(1, 1), [(0, 1), (1, 1)], (4, 16, 3), vocabulary=2).shape
    (2, 12)
    """
    import numpy as np

    chosen, shape = read_network_kernel(kernel), _read_size(size)
    tokens = positive(vocabulary, "the vocabulary")
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise BadType(f"the words are {shown(words)}: give a list of words")
    letters = [read_word(word, tokens) for word in words]
    if len({len(word) for word in letters}) != 1 or not letters[0]:
        raise BadValue("the words must have one length, at least 1, and there must be some")
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    return _units(chosen, np.array(letters), shape, tokens, generator)


def _units(
    kernel: LinearAttention, words: Any, size: NetworkSize, tokens: int, generator: Generator
) -> Floats:
    count, length = words.shape
    numbers = size.heads * (size.value_width + 2 * size.key_width)
    amount = count * length * (size.heads * length + numbers)
    if size.width is None:
        amount += (tokens + length) * numbers
    else:
        amount += size.width * (tokens + length + numbers)
    if amount > _UNITS:
        raise TooLarge(
            f"{size} has {number_text(amount)} hidden numbers and weights on {count} words over "
            f"{number_text(tokens)} tokens: at most {_UNITS:,} are formed; give fewer heads or "
            "smaller widths"
        )
    alpha, beta = (as_float(Fraction(x or 0), "a variance") for x in (kernel.alpha, kernel.beta))
    scales = sqrt(alpha), sqrt(beta)
    shapes = ((tokens, scales[0]), (length, scales[1]))
    if size.width is not None:
        tables = [s * generator.standard_normal((n, size.width)) for n, s in shapes]

    def read(width: int) -> Floats:
        """Gaussian linear maps of z, by word, head, position and number."""
        columns = size.heads * width
        if size.width is None:  # linear in independent Gaussian coefficients
            parts = [s * generator.standard_normal((n, columns)) for n, s in shapes]
        else:
            weights = generator.standard_normal((size.width, columns)) / sqrt(size.width)
            parts = [table @ weights for table in tables]
        found: Floats = parts[0][words] + parts[1][None, :, :]
        return found.reshape(count, length, size.heads, width).transpose(0, 2, 1, 3)

    queries, keys, values = read(size.key_width), read(size.key_width), read(size.value_width)
    outputs = queries @ keys.transpose(0, 1, 3, 2) @ values  # by word, head, position and number
    if kernel.readout == "sum":
        outputs = outputs.sum(axis=2)
    elif kernel.readout == "last":
        outputs = outputs[:, :, -1]
    units: Floats = outputs.reshape(count, -1)
    return units / sqrt(size.heads * size.value_width * size.key_width)


# --- regression -------------------------------------------------------------------------------
@attrs.frozen
class NetworkRow:
    """Networks of one size beside the Gaussian process: means over draws, with standard errors.

    `kernel` is |k_net - k| / |k| for the kernel of the hidden units of one network, and
    `mean_kernel` the same for the mean over all draws; `distance` the squared distance in L2 of
    the law between the two predictions from the same samples; `error` that of the network to the
    target. All floats.

    >>> NetworkRow(NetworkSize(1, None, 1), (1.0, 0.1), 0.5, (1.0, 0.1), (1.0, 0.1)).size.heads
    1
    """

    size: NetworkSize
    kernel: tuple[float, float]
    mean_kernel: float
    distance: tuple[float, float]
    error: tuple[float, float]


@attrs.frozen(repr=False)
class NetworkComparison:
    """Networks of several sizes beside the Gaussian process, from the same samples.

    `process` is the error of the Gaussian process and its standard error; `norm` is |f|^2.

    >>> from symbench.learning.targets import parity
    >>> found = compare_network(linear_attention(1, 1), parity(1), length=2, samples=2,
    ...                         sizes=[(2, 16, 4)], draws=3)
    >>> print(found.table().splitlines()[0])
    H   d   d_k  kernel off by  mean of draws  from the GP  error
    """

    rows: tuple[NetworkRow, ...]
    process: tuple[float, float]
    norm: Rational
    samples: int
    draws: int
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """One line for each size."""
        lines = [["H", "d", "d_k", "kernel off by", "mean of draws", "from the GP", "error"]]
        for row in self.rows:
            width = "inf" if row.size.width is None else str(row.size.width)
            lines.append(
                [
                    str(row.size.heads),
                    width,
                    str(row.size.key_width),
                    _with_error(row.kernel),
                    f"{row.mean_kernel:.3g}",
                    _with_error(row.distance),
                    _with_error(row.error),
                ]
            )
        lines.append(["GP", "", "", "0", "0", "0", _with_error(self.process)])
        return columns_text(lines)

    def plot(self, path: Any = None) -> Any:
        """Distance to the prediction of the Gaussian process, and error, size by size."""
        if path is not None and not isinstance(path, (str, Path)):
            raise BadType(f"the path is {shown(path)}: give a file name")
        figure = new_figure(10, 4)
        figure.set_layout_engine("constrained")
        left, right = figure.subplots(1, 2)
        groups: dict[tuple[int | None, int], list[NetworkRow]] = {}
        for row in self.rows:
            groups.setdefault((row.size.width, row.size.key_width), []).append(row)
        for (width, keys), rows in groups.items():
            label = f"d = {'inf' if width is None else width}, d_k = {keys}"
            heads = [row.size.heads for row in rows]
            for axes, name in ((left, "distance"), (right, "error")):
                pairs = [getattr(row, name) for row in rows]
                axes.errorbar(
                    heads,
                    [mean for mean, _ in pairs],
                    yerr=[spread for _, spread in pairs],
                    fmt="o-",
                    label=label,
                )
        right.axhline(self.process[0], color="black", linestyle=":", label="Gaussian process")
        left.set(xlabel="heads", ylabel="squared distance to the GP prediction", xscale="log")
        left.set_yscale("log")
        right.set(xlabel="heads", ylabel="expected squared error", xscale="log")
        left.legend(fontsize="small")
        right.legend(fontsize="small")
        if path is not None:
            figure.savefig(path)
        return figure


def _with_error(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.3g} ± {pair[1]:.1g}"


def compare_network(
    kernel: LinearAttention,
    target: Target,
    *,
    length: int,
    samples: int,
    sizes: Sequence[Any] = ((1, None, 8), (4, None, 8), (16, None, 8), (64, None, 8)),
    ridge: Any = None,
    law: Law | None = None,
    noise: Any = 0,
    draws: int = 20,
    seed: int = 0,
) -> NetworkComparison:
    """Regression with the hidden units of random networks beside the Gaussian process.

    All weights but the readout are drawn and kept, so that a network is ridge regression with its
    own kernel. For each draw all sizes and the Gaussian process see the same samples. A size is
    (heads, width, key_width), width None for the limit of wide embeddings; ridge None is
    E k(x, x) / 20.

    >>> from symbench.learning.targets import majority
    >>> found = compare_network(linear_attention(1, 1, readout="flatten"), majority(3), length=3,
    ...     samples=6, sizes=[(1, None, 4), (64, None, 4)], draws=10)
    >>> found.rows[1].distance[0] < found.rows[0].distance[0], found.exactness
    (True, 'float')
    """
    import numpy as np

    chosen, (function, _) = read_network_kernel(kernel), read_target(target, length)
    if isinstance(sizes, (str, bytes)) or not isinstance(sizes, Iterable):
        raise BadType(f"sizes is {shown(sizes)}: give a list of (heads, width, key_width)")
    shapes = [_read_size(size) for size in sizes]
    if not shapes:
        raise BadValue("sizes is empty: give at least one (heads, width, key_width)")
    count = integer(samples, "samples", at_least=1, limit=DRAWN)
    rounds = integer(draws, "draws", at_least=2)
    if not chosen.alpha and not chosen.beta:
        raise BadValue(f"{chosen!r} is 0: there is nothing to compare")
    problem = Problem.of(chosen, function, length=length, law=law)
    shift, deviation = float_ridge(ridge_for(problem, ridge)), noise_deviation(noise)
    K, f, p = problem.arrays()
    words = np.array(words_of(len(problem.words[0]), function.vocabulary))
    streams = np.random.default_rng(integer(seed, "seed", at_least=0)).spawn(1 + len(shapes))
    sets = []
    for _ in range(rounds):
        places = streams[0].choice(len(p), size=count, p=p)
        sets.append((places, f[places] + deviation * streams[0].standard_normal(count)))

    process = [predict(K, *one, shift) for one in sets]
    rows = []
    for shape, stream in zip(shapes, streams[1:], strict=True):
        off, apart, errors, total = [], [], [], np.zeros_like(K)
        for one, expected in zip(sets, process, strict=True):
            units = _units(chosen, words, shape, function.vocabulary, stream)
            gram = units @ units.T
            total += gram
            off.append(np.linalg.norm(gram - K) / np.linalg.norm(K))
            predicted = predict(gram, *one, shift)
            apart.append(p @ (predicted - expected) ** 2)
            errors.append(p @ (predicted - f) ** 2)
        mean = float(np.linalg.norm(total / rounds - K) / np.linalg.norm(K))
        rows.append(NetworkRow(shape, _mean(off), mean, _mean(apart), _mean(errors)))
    gaussian = _mean([p @ (predicted - f) ** 2 for predicted in process])
    return NetworkComparison(tuple(rows), gaussian, problem.norm, count, rounds)


def _mean(values: Any) -> tuple[float, float]:
    import numpy as np

    found = np.array(values, dtype=float)
    return float(found.mean()), float(found.std(ddof=1)) / sqrt(len(found))
