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
H -> infinity only. By Wick's rule, with W the matrix of the readout (the identity, all ones, or
one entry), r = tr((WK)^2) / tr(WK)^2 and c = tr(K^4) / tr(K^2)^2, its excess kurtosis is

    6/H [ rc + (r + c + rc)(1/d_k + 1/d_v) + (1 + r + c + 3rc) / (d_k d_v) ].

Why: the output is a sum of products w q k v of four independent Gaussian families, so its fourth
moment is a sum over four pairings of four copies. Neighbours in the ring w, q, k, v share an index;
where their pairings differ, the term has the factor r (the positions of w and q), 1/d_k (the
numbers of q and k), c (the positions of k and v) or 1/d_v (the numbers of v and w). Heads are
independent, so the fourth cumulant has the factor 1/H. The steps are in
proofs/symbench/excess-kurtosis.md. The output is Gaussian given the hidden units, so a third of
the excess kurtosis is the relative variance of the kernel k(x, x) of the hidden units of one
network.

>>> kernel = linear_attention(1, 1, readout="flatten")
>>> excess_kurtosis(kernel, (0, 1, 1), heads=1, key_width=None)  # d_k to infinity: not Gaussian
7/6
>>> hidden = hidden_units(linear_attention(1, 1), [(0, 0), (0, 1)], (1000, None, 4), vocabulary=2)
>>> linear_attention(1, 1).value("AA", "AB"), bool(20 < (hidden @ hidden.T)[0, 1] < 28)
(24, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

from symbench._arguments import integer, sequence, shown
from symbench.draw.axes import counted, legend, logarithm
from symbench.draw.figures import Figure, plotted
from symbench.draw.progress import progress
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.arrays import Floats, np
from symbench.exact.rational import number_text
from symbench.laws.base import Word, read_word
from symbench.learning.numbers import as_float
from symbench.learning.regression import Pair

if TYPE_CHECKING:
    from numpy.random import Generator
else:
    Generator = Any

# The longest words whose kernel at finite width is summed up; a token is any integer up to this.
_LONGEST, _TOKENS = 16, 1 << 62
# Numbers in the hidden layer of one network on all words, its weights counted in.
_UNITS = 20_000_000


@runtime_checkable
class NetworkKernel(Protocol):
    """What is asked of a kernel: the numbers of a layer of linear attention.

    alpha and beta are the variances of the embeddings of tokens and of positions.

    >>> isinstance(linear_attention(1, 1), NetworkKernel), isinstance(generic(), NetworkKernel)
    (True, False)
    """

    @property
    def alpha(self) -> Rational | None: ...
    @property
    def beta(self) -> Rational | None: ...
    @property
    def readout(self) -> str: ...
    @property
    def layers(self) -> int: ...
    @property
    def causal(self) -> bool: ...


def read_network_kernel(kernel: Any) -> NetworkKernel:
    """The kernel of one layer of linear attention with numbers in it, or an error."""
    if isinstance(kernel, type) or not isinstance(kernel, NetworkKernel):
        raise BadType(f"the kernel is {shown(kernel)}: give linear_attention(1, 1)")
    if kernel.alpha is None or kernel.beta is None:
        raise BadType(f"the kernel is {kernel!r}: give alpha and beta as exact numbers")
    if kernel.layers != 1 or kernel.causal:
        raise BadValue(f"the kernel is {kernel!r}: give one of one layer and without mask")
    return kernel


# --- exact moments --------------------------------------------------------------------------------
def excess_kurtosis(
    kernel: NetworkKernel,
    word: Any,
    *,
    heads: int,
    key_width: int | None,
    value_width: int | None = None,
) -> Rational:
    """The excess kurtosis of the output at a word: exact, and 0 for a Gaussian.

    The embeddings are fixed with the Gram matrix K, or their width is infinite. key_width None
    is the limit of infinitely wide keys and values; value_width None is the same as key_width.

    >>> excess_kurtosis(linear_attention(1, 0), (0,), heads=1, key_width=1)  # E (wqkv)^4 = 3^4
    78
    >>> [str(excess_kurtosis(linear_attention(1, 1), (0, 1), heads=h, key_width=8))
    ...  for h in (1, 2, 4)]
    ['51/8', '51/16', '51/32']
    """
    chosen, count = read_network_kernel(kernel), _positive(heads, "heads")
    keys = Rational(0) if key_width is None else Rational(1, _positive(key_width, "key_width"))
    values = keys if value_width is None else Rational(1, _positive(value_width, "value_width"))
    r, c = concentrations(chosen, word)
    inside = r * c + (r + c + r * c) * (keys + values) + (1 + r + c + 3 * r * c) * keys * values
    return Rational(6 * inside / count)


def concentrations(kernel: NetworkKernel, word: Any) -> tuple[Rational, Rational]:
    """The numbers r = tr((WK)^2) / tr(WK)^2 and c = tr(K^4) / tr(K^2)^2 of a word.

    Both are between 1/L and 1.

    >>> concentrations(linear_attention(1, 1, readout="flatten"), (0, 1))
    (1/2, 1/2)
    """
    chosen = read_network_kernel(kernel)
    letters = read_word(word, _TOKENS)
    size = len(letters)
    if size == 0:
        raise BadValue("the empty word has no attention: give at least one token")
    alpha, beta = Fraction(chosen.alpha or 0), Fraction(chosen.beta or 0)
    if alpha == 0 and beta == 0:
        raise BadValue(f"{chosen!r} is 0: the output is constant and has no kurtosis")
    # A token that occurs n times has the eigenvalues beta + n alpha, and beta n - 1 times.
    counts = Counter(letters).values()

    def trace(power: int) -> Fraction:
        found = (size - len(counts)) * beta**power
        return found + sum((beta + n * alpha) ** power for n in counts)

    # The other readouts have a W of rank 1.
    r = trace(2) / trace(1) ** 2 if chosen.readout == "flatten" else Fraction(1)
    return Rational(r), Rational(trace(4) / trace(2) ** 2)


def finite_width_kernel(kernel: NetworkKernel, x: Any, y: Any, *, width: int | None) -> Rational:
    """The covariance of the outputs at two words, with random embeddings of this width: exact.

    It is the same for every number of heads and width of keys and values, and tends to the
    kernel as 1/width; None is the limit.

    >>> kernel = linear_attention(1, 0, readout="flatten")
    >>> [str(finite_width_kernel(kernel, (0,), (0,), width=d)) for d in (1, 2, 100, None)]
    ['15', '6', '663/625', '1']
    """
    chosen = read_network_kernel(kernel)
    first, second = read_word(x, _TOKENS), read_word(y, _TOKENS)
    size = len(first)
    if len(second) != size or not size:
        raise BadShape(
            f"the words {first} and {second} must have one length, and at least one token"
        )
    if size > _LONGEST:
        raise TooLarge(f"words of length {size}: the sum has L^4 terms, give at most {_LONGEST}")
    alpha, beta = Fraction(chosen.alpha or 0), Fraction(chosen.beta or 0)
    share = Fraction(0) if width is None else Fraction(1, _positive(width, "width"))
    places = range(size)
    read = [
        (a, b)
        for a, b in product(places, repeat=2)
        if chosen.readout == "sum" or (a == b and (chosen.readout == "flatten" or a == size - 1))
    ]

    def covariance(s: tuple[Word, int], t: tuple[Word, int]) -> Fraction:
        return alpha * (s[0][s[1]] == t[0][t[1]]) + beta * (s[1] == t[1])

    # The mean of z_a.z'_b (z_c.z'_d)^2, a factor 1/width for each cycle that is missing.
    matchings = [(pairs, share ** (3 - _cycles(pairs))) for pairs in _matchings(tuple(range(6)))]
    total = Fraction(0)
    with progress("terms of the kernel", len(read) * size**2) as report:
        for (a, b), c, d in product(read, places, places):
            slots = ((first, a), (second, b), (first, c), (second, d), (first, c), (second, d))
            for pairs, factor in matchings:
                for s, t in pairs:
                    factor *= covariance(slots[s], slots[t])
                    if not factor:
                        break
                total += factor
            report(1)
    return Rational(total)


def _matchings(slots: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways to pair the slots."""
    if not slots:
        yield ()
        return
    for k in range(1, len(slots)):
        for rest in _matchings(slots[1:k] + slots[k + 1 :]):
            yield ((slots[0], slots[k]), *rest)


def _cycles(pairs: tuple[tuple[int, int], ...]) -> int:
    """The cycles of a matching together with the pairs (0, 1), (2, 3), (4, 5)."""
    partner = {s: t for pair in pairs for s, t in (pair, pair[::-1])}
    left, count = set(partner), 0
    while left:
        here = next(iter(left))
        while here in left:
            left -= {here, partner[here]}
            here = partner[here] ^ 1  # the other end of the factor
        count += 1
    return count


# --- networks ---------------------------------------------------------------------------------
@attrs.frozen(init=False)
class NetworkSize(Shown):
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
        keys = _positive(key_width, "key_width")
        self.__attrs_init__(
            _positive(heads, "heads"),
            None if width is None else _positive(width, "width"),
            keys,
            keys if value_width is None else _positive(value_width, "value_width"),
        )


def read_size(size: Any) -> NetworkSize:
    """A size, from the tuple of its numbers."""
    if isinstance(size, NetworkSize):
        return size
    if not isinstance(size, (tuple, list)) or len(size) not in (3, 4):
        raise BadType(
            f"the size is {shown(size)}: give (heads, width, key_width), width None for the limit"
        )
    return NetworkSize(*size)


def hidden_units(
    kernel: NetworkKernel, words: Sequence[Word], size: Any, *, vocabulary: int, seed: int = 0
) -> Floats:
    """The hidden units of one random network at each word: all of it but the readout.

    The products of two rows are the kernel of this network; floats.

    >>> hidden_units(linear_attention(1, 1), [(0, 1), (1, 1)], (4, 16, 3), vocabulary=2).shape
    (2, 12)
    """
    chosen, shape = read_network_kernel(kernel), read_size(size)
    tokens = _positive(vocabulary, "the vocabulary")
    letters = [read_word(word, tokens) for word in sequence(words, "words", "a list of words")]
    if len({len(word) for word in letters}) != 1 or not letters[0]:
        raise BadValue(f"words is {shown(words)}: give some, of one length of at least 1")
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    return units(chosen, np.array(letters), shape, tokens, generator)


def units(
    kernel: NetworkKernel, words: Any, size: NetworkSize, tokens: int, generator: Generator
) -> Floats:
    """The hidden units, by word; the words are an array."""
    count, length = words.shape
    numbers, rows = size.heads * (size.value_width + 2 * size.key_width), tokens + length
    amount = count * length * (size.heads * length + numbers)
    amount += rows * numbers if size.width is None else size.width * (rows + numbers)
    if amount > _UNITS:
        raise TooLarge(
            f"{size} has {number_text(amount)} hidden numbers and weights on {count} words over "
            f"{number_text(tokens)} tokens: at most {_UNITS:,} are formed; give fewer heads or "
            "smaller widths"
        )
    variances = ((tokens, kernel.alpha), (length, kernel.beta))
    shapes = [(n, sqrt(as_float(Fraction(x or 0), "a variance"))) for n, x in variances]
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
    found: Floats = outputs.reshape(count, -1)
    return found / sqrt(size.heads * size.value_width * size.key_width)


# --- beside the Gaussian process ------------------------------------------------------------------
@attrs.frozen
class NetworkRow(Shown):
    """Networks of one size beside the Gaussian process: means over draws, with standard errors.

    `kernel` is |k_net - k| / |k| for the kernel of the hidden units of one network, and
    `mean_kernel` the same for the mean over all draws; `distance` the squared distance in L2 of
    the law between the two predictions from the same samples; `error` that of the network to the
    target. All floats.
    """

    size: NetworkSize
    kernel: Pair
    mean_kernel: float
    distance: Pair
    error: Pair


@attrs.frozen(repr=False)
class NetworkComparison(Shown):
    """Networks of several sizes beside the Gaussian process, from the same samples.

    `process` is the error of the Gaussian process and its standard error; `norm` is |f|^2.

    >>> problem = Problem(linear_attention(1, 1), targets.parity(1), length=2)
    >>> print(problem.networks(2, sizes=[(2, 16, 4)], draws=3).table().splitlines()[0])
    H   d   d_k  kernel off by  mean of draws  from the GP  error
    """

    rows: tuple[NetworkRow, ...]
    process: Pair
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
            near = [_with_error(row.kernel), f"{row.mean_kernel:.3g}"]
            near += map(_with_error, (row.distance, row.error))
            lines.append([str(row.size.heads), width, str(row.size.key_width), *near])
        lines.append(["GP", "", "", "0", "0", "0", _with_error(self.process)])
        return columns_text(lines)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Distance to the prediction of the Gaussian process, and error, size by size."""
        groups: dict[str, list[NetworkRow]] = {}
        for row in self.rows:
            width = "∞" if row.size.width is None else row.size.width
            groups.setdefault(f"d = {width}, d_k = {row.size.key_width}", []).append(row)
        with plotted(path, 10, 4) as figure:
            left, right = figure.subplots(1, 2)
            for label, rows in groups.items():
                heads = [row.size.heads for row in rows]
                for axes, name in ((left, "distance"), (right, "error")):
                    means, spreads = zip(*(getattr(row, name) for row in rows), strict=True)
                    axes.errorbar(heads, means, yerr=spreads, fmt="o-", label=label)
            right.axhline(self.process[0], color="black", linestyle=":", label="Gaussian process")
            left.set(ylabel="squared distance to the GP prediction")
            logarithm(left)
            right.set(ylabel="expected squared error")
            for axes in (left, right):
                axes.set(xlabel="heads")
                counted(axes, (row.size.heads for row in self.rows))
                legend(axes)
        return figure


def _with_error(pair: Pair) -> str:
    return f"{pair[0]:.3g} ± {pair[1]:.1g}"


def _positive(value: Any, what: str) -> int:
    return integer(value, what, at_least=1)
