"""Copying a symbol: the slopes of the losses when the training of attention begins.

The task is the template α with the label α. Attention with tied embeddings reads one token x out of
m and puts out, for each token i, the logit

    f_i(x) = e_i . (W_O^T W_V + b_1 + ... + b_H) z_x,      z_x = e_x + gamma p,

where e_i are the rows of W_E and p is the position, of width d with entries of variance 1/d, and
the rows of all H heads stand below each other in W_O and W_V. The numbers b_h begin with 0; they
are the parameters that boix2024 adds in Theorem 5.2. The loss is the cross-entropy of f(x) with the
label x, the training tokens are different from the test token, and training is a gradient flow.

At f = 0 the slopes of both losses are sums over five blocks of weights (O, V, P, E, b) of the mean
tangent kernel of the block, contracted with the slopes 1/m - [i = x] of the cross-entropy. By
Wick's rule each mean kernel is, up to a factor, A [i = j] + B [i = x][j = y] + C [i = y][j = x]:

    block  factor                  A                    B    C
    O      H d_head var(W_V)       [x = y] + gamma^2    1/d  1/d
    V      H d_head var(W_O)       [x = y] + gamma^2    1/d  1/d
    P      d H d_head var var      gamma^2              0    0
    E      d H d_head var var      2 [x = y] + gamma^2  0    2/d
    b      H                       ([x = y] + gamma^2)/d  1  1/d

at every width d, with all coincidences of indices counted. A rate of a block is its learning rate
times its factor. If W_O begins with 0, then f = 0 and V, P and E do not move, so that the slopes
are exact means and no limit; else they are those of the limit in which f goes to 0.

>>> copying = Copying(8, gamma=1)
>>> copying.slopes(4).test  # u stands for 1 / d
-25/32*u + 1/8
>>> copying.critical_width()  # below it copying improves, above it it gets worse
25/4
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from symbench._arguments import choice, integer, integers, mapping
from symbench.draw.axes import counted, legend
from symbench.draw.figures import Figure, plotted
from symbench.draw.progress import progress
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadValue, NotSupported, TooLarge
from symbench.exact import QQ, Rational
from symbench.exact.arrays import Floats, np
from symbench.learning.numbers import as_float, number
from symbench.learning.regression import Pair

BLOCKS = ("O", "V", "P", "E", "b")
# gamma, 1 / d_emb and 1 / m: those of them that are left open.
_RING = QQ["gamma", "u", "v"]
_GAMMA, _U, _V = _RING.gens
# Weights of all networks of a simulation.
_WEIGHTS = 100_000_000


class Slopes(NamedTuple):
    """The slopes of the training loss and of the loss on an unseen token: below 0 they improve."""

    train: Any
    test: Any


def _vocabulary(value: Any) -> int | None:
    return None if value is None else _positive(value, "the vocabulary")


def _width(value: Any) -> int | None:
    return None if value is None else _positive(value, "the width")


def _gamma(value: Any) -> Rational | None:
    return None if value is None else number(value, "gamma")


@attrs.frozen
class Copying(Shown):
    """The copy task for attention with one token and tied embeddings, at finite width, exactly.

    What is left out stays open: values are then polynomials in gamma, u = 1 / width and
    v = 1 / vocabulary, and u = 0 is the limit of wide embeddings.

    >>> Copying().slopes(1, rates={"b": 1}).test  # Theorem 5.2: -(1 - v)^2 for u = 0
    gamma^2*u*v - u*v^2 - v^2 + 2*v - 1
    >>> Copying(8, width=6, gamma=1).slopes(4).test
    -1/192
    >>> Copying(1, width=5, gamma=1).slopes(1)  # one token: the loss is 0, nothing is learned
    Slopes(train=0, test=0)
    >>> Copying(8, width=0.5)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: the width is 0.5, a float: give an integer
    """

    vocabulary: int | None = attrs.field(default=None, converter=_vocabulary)
    width: int | None = attrs.field(default=None, converter=_width, kw_only=True)
    gamma: Rational | None = attrs.field(default=None, converter=_gamma, kw_only=True)
    exactness = "exact"

    # --- exact means --------------------------------------------------------------------------
    def kernel(self, block: str, i: int, j: int, x: int, y: int) -> Any:
        """The mean tangent kernel of a block between logit i at token x and logit j at token y.

        The factor of the block is left out; tokens are counted from 0.

        >>> Copying(3, width=2, gamma=1).kernel("O", 0, 1, 0, 1)
        1/2
        >>> Copying().kernel("E", 0, 0, 0, 0)
        gamma^2 + 2*u + 2
        >>> Copying(3).kernel("Q", 0, 0, 0, 0)
        Traceback (most recent call last):
        ...
        symbench.errors.UnknownName: the block is 'Q': give one of O, V, P, E, b
        """
        most = None if self.vocabulary is None else self.vocabulary - 1
        for token in (i, j, x, y):
            integer(token, "a token", at_least=0, at_most=most)
        A, B, C = self._parts(_block(block), x == y)
        return _plain(A * int(i == j) + B * int(i == x and j == y) + C * int(i == y and j == x))

    def slopes(self, samples: Any, *, rates: Any = None) -> Slopes:
        """Both slopes at f = 0, for so many different training tokens or for their counts.

        rates is a dictionary of rates by block; without one the rate of O is 1.

        >>> Copying(8, width=4, gamma=1).slopes(4)
        Slopes(train=-75/128, test=-9/128)
        >>> Copying(8, width=4, gamma=1).slopes([2, 1], rates={"O": 1, "b": "1/2"}).train
        -905/512
        >>> Copying(8, gamma=1).slopes(8)
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: there are 8 training tokens of 8: give at most 7, so that one ...
        """
        counts, speeds = self._counts(samples), read_rates(rates)
        if self.vocabulary == 1:
            return Slopes(Rational(0), Rational(0))
        total = sum(counts)
        # The chance that two training samples have the same token.
        same = _RING.coerce(Rational(sum(n * n for n in counts), total**2))
        train, test = _RING.coerce(0), _RING.coerce(0)
        for block, rate in speeds.items():
            factor, apart = _RING.coerce(rate), self._contracted(block, False)
            train -= factor * (same * self._contracted(block, True) + (1 - same) * apart)
            test -= factor * apart
        return Slopes(_plain(train), _plain(test))

    def limit(self, samples: Any, *, rates: Any = None) -> Slopes:
        """The slopes for infinitely wide embeddings.

        >>> Copying(8, gamma=1).limit(4), Copying(8, gamma=1).limit(4, rates={"b": 1})
        (Slopes(train=-11/32, test=1/8), Slopes(train=-49/64, test=-49/64))
        """
        found = attrs.evolve(self, width=None).slopes(samples, rates=rates)
        return Slopes(*(_plain(_narrow(value, 0)) for value in found))

    def critical_width(self, *, rates: Any = None) -> Rational | None:
        """The width at which the slope of the test loss changes its sign; None where it does not.

        With O or V alone it is ((m - 1)^2 + 1) / (m gamma^2), and copying improves below it.

        >>> Copying(100, gamma=1).critical_width(), Copying(8, gamma=0).critical_width()
        (4901/50, None)
        >>> Copying(2, gamma=3).critical_width(rates={"b": 1})  # improves above it
        17
        >>> Copying(8).critical_width()
        Traceback (most recent call last):
        ...
        symbench.errors.NotSupported: gamma is open: give Copying(8, gamma=1), say
        """
        for name in ("vocabulary", "gamma"):
            if getattr(self, name) is None:
                raise NotSupported(f"{name} is open: give Copying(8, gamma=1), say")
        test = attrs.evolve(self, width=None).slopes(1, rates=rates).test
        level = _narrow(test, 0)
        share = _narrow(test, 1) - level  # the slope is level + share / width
        if level == 0 or share == 0 or share / level > 0:
            return None
        return Rational(-share / level)

    def _contracted(self, block: str, same: bool) -> Any:
        """The kernel of a pair of tokens, contracted with the slopes g_i(x) = 1/m - [i = x]."""
        share = _V if self.vocabulary is None else _RING.coerce(Rational(1, self.vocabulary))
        own = (1 - share) ** 2  # g_x(x) g_y(y)
        A, B, C = self._parts(block, same)
        if same:
            return A * (1 - share) + (B + C) * own
        return -A * share + B * own + C * share**2

    def _parts(self, block: str, same: bool) -> tuple[Any, Any, Any]:
        """The numbers A, B and C of a block for equal or for different tokens."""
        gamma = _GAMMA if self.gamma is None else _RING.coerce(self.gamma)
        u = _U if self.width is None else _RING.coerce(Rational(1, self.width))
        position, met, none = gamma**2, int(same), _RING.coerce(0)
        if block == "P":
            return position, none, none
        if block == "E":
            return 2 * met + position, none, 2 * u
        if block == "b":
            return (met + position) * u, none + 1, u
        return met + position, u, u

    def _counts(self, samples: Any) -> tuple[int, ...]:
        """How often each training token occurs."""
        if hasattr(samples, "__index__") or isinstance(samples, float):
            counts = (1,) * integer(samples, "samples", at_least=1, limit=1_000_000)
        else:
            counts = integers(samples, "samples", at_least=1)
        if not counts:
            raise BadValue("samples is empty: give at least one training token")
        most = None if self.vocabulary is None else max(self.vocabulary - 1, 1)
        if most is not None and len(counts) > most:
            raise BadValue(
                f"there are {len(counts)} training tokens of {self.vocabulary}: give at most "
                f"{most}, so that one is unseen"
            )
        return counts

    # --- networks -----------------------------------------------------------------------------
    def simulate(
        self,
        samples: Any,
        *,
        rates: Any = None,
        heads: int = 1,
        head_width: int = 1,
        out_variance: Any = 0,
        value_variance: Any = 1,
        draws: int = 1000,
        seed: int = 0,
    ) -> tuple[Pair, Pair]:
        """The two slopes in random networks: each a mean over draws and its standard error, floats.

        The gradients of both losses are taken at the network's own output, weight by weight; no
        formula of the means enters. With out_variance 0 the output is 0.

        >>> train, test = Copying(8, width=4, gamma=1).simulate(4, draws=400, head_width=8)
        >>> abs(test[0] + 9 / 128) < 4 * test[1] < 0.2
        True
        """
        if None in (self.vocabulary, self.width, self.gamma):
            raise NotSupported(f"{self!r} is open: give a network its three numbers")
        size = _Sizes(
            _positive(heads, "heads") * _positive(head_width, "head_width"),
            heads,
            number(out_variance, "out_variance", at_least=0),
            number(value_variance, "value_variance", at_least=0),
        )
        counts = self._counts(samples)
        speeds = self._learning_rates(read_rates(rates), size)
        chosen = integer(draws, "draws", at_least=2)
        m, d = self.vocabulary or 1, self.width or 1
        amount = (m + 2 * size.rows + d + 1) * d
        if amount * chosen > _WEIGHTS:
            raise TooLarge(
                f"{chosen:,} networks of {amount:,} numbers: ask for at most "
                f"{max(_WEIGHTS // amount, 2):,} draws, or smaller networks"
            )
        generator = np.random.default_rng(integer(seed, "seed", at_least=0))
        found = []
        step = max(1, 1_000_000 // amount)
        with progress("networks", chosen) as report:
            for first in range(0, chosen, step):
                count = min(step, chosen - first)
                found.append(self._drawn(count, counts, speeds, size, generator))
                report(count)
        both = np.concatenate(found, axis=1)
        train, test = ((float(x.mean()), float(x.std(ddof=1) / sqrt(chosen))) for x in both)
        return train, test

    def _learning_rates(self, rates: dict[str, Rational], size: _Sizes) -> dict[str, float]:
        """The learning rates of the blocks that move: their rates without the factors."""
        moved = (self.width or 1) * size.rows * size.out * size.value
        factors = {
            "O": size.rows * size.value,
            "V": size.rows * size.out,
            "P": moved,
            "E": moved,
            "b": Rational(size.heads),
        }
        for block, rate in rates.items():
            if rate and not factors[block]:
                raise BadValue(
                    f"the rate of {block} is {rate}, and its kernel is 0 for these variances: give "
                    "the rate 0, or positive variances"
                )
        return {b: as_float(rate / factors[b], "a rate") for b, rate in rates.items() if rate}

    def _drawn(
        self,
        count: int,
        counts: tuple[int, ...],
        speeds: dict[str, float],
        size: _Sizes,
        generator: Any,
    ) -> Floats:
        """The slopes of the training and of the test loss in each of some networks."""
        m, d = self.vocabulary or 1, self.width or 1
        gamma = as_float(self.gamma or Rational(0), "gamma")

        def normal(variance: float, *shape: int) -> Floats:
            drawn: Floats = sqrt(variance) * generator.standard_normal((count, *shape))
            return drawn

        E, p = normal(1 / d, m, d), normal(1 / d, 1, d)
        out, value = (
            normal(as_float(v, "a variance"), size.rows, d) for v in (size.out, size.value)
        )
        M = out.swapaxes(1, 2) @ value
        tokens = [*range(len(counts)), min(len(counts), m - 1)]  # the last one is the test token
        z = E[:, tokens] + gamma * p
        f = z @ M.swapaxes(1, 2) @ E.swapaxes(1, 2)
        g = np.exp(f - f.max(axis=2, keepdims=True))
        g /= g.sum(axis=2, keepdims=True)
        g[:, range(len(tokens)), tokens] -= 1
        s = g @ E  # the sum of the g_i e_i, by token
        shares = np.zeros((2, len(tokens)))
        shares[0, :-1], shares[1, -1] = np.array(counts) / sum(counts), 1

        def gradients(block: str, weights: Floats) -> Floats:
            w = weights[:, None]
            found: Floats
            if block == "O":
                found = (w * (z @ value.swapaxes(1, 2))).swapaxes(1, 2) @ s
            elif block == "V":
                found = (w * (s @ out.swapaxes(1, 2))).swapaxes(1, 2) @ z
            elif block == "P":
                found = gamma * (w * (s @ M)).sum(axis=1)
            elif block == "b":
                found = np.repeat((w * s * z).sum(axis=(1, 2))[:, None], size.heads, axis=1)
            else:
                found = (w * g).swapaxes(1, 2) @ (z @ M.swapaxes(1, 2))
                found[:, tokens] += w * (s @ M)
            return found

        total = np.zeros((2, count))
        for block, speed in speeds.items():
            train, test = (gradients(block, weights).reshape(count, -1) for weights in shares)
            total[0] -= speed * (train * train).sum(axis=1)
            total[1] -= speed * (train * test).sum(axis=1)
        return total

    # --- curves -------------------------------------------------------------------------------
    def curve(
        self,
        widths: Iterable[int],
        samples: Any,
        *,
        rates: Any = None,
        draws: int = 0,
        **network: Any,
    ) -> CopyCurve:
        """The slopes against the width: exact means, and with draws networks beside them.

        What else is given (heads, head_width, variances, seed) goes to `simulate`.

        >>> print(Copying(8, gamma=1).curve([1, 2, 4, 6, 7], 4))
        width  train    test
        1      -21/16   -21/32
        2      -53/64   -17/64
        4      -75/128  -9/128
        6      -97/192  -1/192
        7      -27/56   3/224
        """
        listed = integers(widths, "widths", at_least=1)
        if not listed:
            raise BadValue("widths is empty: give some, such as [1, 2, 4, 8]")
        times = integer(draws, "draws", at_least=0)
        rows = []
        for width in sorted(set(listed)):
            here = attrs.evolve(self, width=width)
            seen = here.simulate(samples, rates=rates, draws=times, **network) if times else None
            rows.append(CopyRow(width, here.slopes(samples, rates=rates), seen))
        return CopyCurve(self, self._counts(samples), read_rates(rates), tuple(rows))


class CopyRow(NamedTuple):
    """The slopes at a width: exact means, and simulated ones (mean, standard error) or None."""

    width: int
    exact: Slopes
    simulated: tuple[Pair, Pair] | None


@attrs.frozen(repr=False)
class CopyCurve(Shown):
    """How the slopes of the copy task depend on the width of the embeddings.

    >>> curve = Copying(8, gamma=1).curve([2, 8], 4, draws=50, head_width=4)
    >>> [row.exact.test for row in curve.rows], curve.exactness
    ([-17/64, 7/256], 'float')
    """

    copying: Copying
    counts: tuple[int, ...]
    rates: dict[str, Rational]
    rows: tuple[CopyRow, ...]

    @property
    def exactness(self) -> str:
        """'exact', or 'float' where simulated networks stand beside the exact means."""
        return "exact" if all(row.simulated is None for row in self.rows) else "float"

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """One line for each width."""
        simulated = self.exactness == "float"
        lines = [["width", "train", "test", *["simulated train", "simulated test"] * simulated]]
        for row in self.rows:
            pairs = [f"{mean:.4f} ± {error:.4f}" for mean, error in row.simulated or ()]
            lines.append([str(row.width), str(row.exact.train), str(row.exact.test), *pairs])
        return columns_text(lines)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The slope of the loss on an unseen token against the width, in one matplotlib figure."""
        formula = attrs.evolve(self.copying, width=None).slopes(self.counts, rates=self.rates).test
        limit = _narrow(formula, 0)
        share = _narrow(formula, 1) - limit
        low, high = self.rows[0].width, self.rows[-1].width
        fine = np.geomspace(low, max(high, low + 1), 400)
        with plotted(path, 6.4, 4) as figure:
            axes = figure.subplots()
            axes.axhline(0, color="black", linewidth=0.8)
            axes.plot(fine, float(limit) + float(share) / fine, label="exact mean")
            axes.plot([r.width for r in self.rows], [float(r.exact.test) for r in self.rows], "C0.")
            seen = [(row.width, *row.simulated[1]) for row in self.rows if row.simulated]
            if seen:
                at, means, errors = zip(*seen, strict=True)
                axes.errorbar(at, means, yerr=errors, fmt="C1o", ms=4, label="networks, simulated")
            axes.axhline(float(limit), color="C0", linestyle=":", label="infinite width")
            critical = self.copying.critical_width(rates=self.rates)
            if critical is not None and low <= critical <= high:
                axes.axvline(float(critical), color="C3", linestyle="--", label="critical width")
            widths = [row.width for row in self.rows]
            axes.set(xlabel="width of the embeddings", ylabel="slope of the test loss")
            counted(axes, widths)
            legend(axes)
        return figure


class _Sizes(NamedTuple):
    rows: int  # of W_O and W_V, all heads together
    heads: int
    out: Rational
    value: Rational


def read_rates(rates: Any) -> dict[str, Rational]:
    """Rates by block, each of at least 0; without any the rate of O is 1.

    >>> read_rates({"O": "1/2", "b": 1})
    {'O': 1/2, 'b': 1}
    >>> read_rates({"O": -1})
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the rate of O is -1: give a number of at least 0
    """
    given = {"O": 1} if rates is None else mapping(rates, "rates", 'a dictionary such as {"O": 1}')
    return {_block(b): number(rate, f"the rate of {b}", at_least=0) for b, rate in given.items()}


def _block(name: Any) -> str:
    return choice(name, "the block", BLOCKS)


def _narrow(value: Any, u: int) -> Any:
    """An open slope at u = 1 / d; a number where gamma and the vocabulary are given."""
    return _plain(_RING.coerce(value).compose(_GAMMA, _RING.coerce(u), _V))


def _plain(element: Any) -> Any:
    """A polynomial without variables as a number."""
    terms = _RING.terms(_RING.coerce(element))
    if all(not any(exponents) for exponents in terms):
        return Rational(sum(terms.values(), Rational(0)))
    return element


def _positive(value: Any, what: str) -> int:
    return integer(value, what, at_least=1)
