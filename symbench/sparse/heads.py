"""Attention heads that compute sparse functions, as exact objects.

A head reads T bits through the vectors of their positions: a token is E_b + v_t, the last one, CLS,
is v_CLS, and CLS asks. Its query is R v_CLS, its key a vector u with u . v_t = 1 on the positions
I that matter and less elsewhere, its value +1 at a one and -1 at a zero. So the score of a position
is R r_t with r_t = u . v_t, and if D is a common denominator of the r_t and q = exp(R / D) is
rational, then all attention weights are rational. Nothing but classes of positions with equal r_t
matters, so T may be 10^9.

>>> found = head(conjunction(3), 10**6)
>>> found
Head of attention: mean of 3 of 1000000 signs, exp(R/1) = 3999992, error 1999995/12999974
>>> found.certificate().check()
True
>>> network(parity(3), 12).value((1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1))
1
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import lcm
from pathlib import Path
from typing import Any

import attrs
import flint

from symbench._arguments import choice, instance, integer, sequence, shown
from symbench.certificates import HeadComputes
from symbench.draw.figures import Figure, plotted
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue, TooLarge, Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.arrays import Array, np
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_parameter, fmpq
from symbench.learning.targets import Target, WeightFunction
from symbench.sparse.encodings import Encoding, Places, orthonormal, refuse
from symbench.sparse.functions import bars, read_function, support, table
from symbench.sparse.memoriser import Memoriser, memoriser

CONSTRUCTIONS = ("mean", "trainable", "bag")
# Bits of which all words are gone through, and classes of a bag whose extremes are.
_MOST_BITS, _MOST_CLASSES = 20, 12


@attrs.frozen
class Norms(Shown):
    """The norms of the weights of a head: each matrix has one column that is not zero.

    So its Frobenius, spectral and (2, 1) norms are equal. The query's is R, a ball; of the others
    the squares are exact.

    >>> head(conjunction(2), 32, encoding=hadamard(2), positions=(1, 17)).norms.key_squared
    8/5
    """

    query: flint.arb
    key_squared: Rational
    value_squared: Rational
    output_squared: Rational


@attrs.frozen(repr=False)
class Head(Shown):
    """A head that computes a function of the bits at a few positions up to a known error.

    `inside` has the inner products of those positions with the ones that make up the key, `outside`
    those of the others, equal rows once with how often they occur; values have the factor `scale`.
    A head of the bag construction reads only ones: a token is v_t where the bit is 1 and 0 where
    it is 0, CLS has the score R and the value -s.

    >>> found = head(conjunction(3), 16, base=60)
    >>> found.error, found.attention, found.mass
    (27/194, (30/97, 30/97, 30/97), 90/97)
    """

    construction: str
    positions: Places
    length: int
    encoding: Encoding
    key: tuple[Rational, ...]
    inside: tuple[tuple[Rational, ...], ...]
    outside: tuple[tuple[tuple[Rational, ...], int], ...]
    denominator: int
    base: Rational
    scale: Rational = Rational(1)

    def __repr__(self) -> str:
        which = "sum of ones" if self.construction == "bag" else "mean"
        what = f"{which} of {len(self.positions)} of {self.length} signs"
        heat = f"exp(R/{self.denominator}) = {self.base}"
        return f"Head of attention: {what}, {heat}, error {self.error}"

    @property
    def sparsity(self) -> int:
        """The number of positions that matter."""
        return len(self.positions)

    @property
    def own_scores(self) -> tuple[Rational, ...]:
        """The scores r of the positions that matter: all 1, unless the key is the plain sum."""
        return tuple(_dot(row, self.key) for row in self.inside)

    @property
    def scores(self) -> tuple[tuple[Rational, int], ...]:
        """The scores r of the other positions, with how many have each, largest first."""
        found: dict[Rational, int] = {}
        for row, count in self.outside:
            r = _dot(row, self.key)
            found[r] = found.get(r, 0) + count
        return tuple(sorted(found.items(), reverse=True))

    @property
    def leak(self) -> Rational:
        """The largest score off the positions that matter, CLS's zero included."""
        return max((Rational(0), *(r for r, _ in self.scores)))

    def power(self, score: Fraction) -> Rational:
        """exp(R (score - 1)): how much less attention than with the score 1."""
        exponent = (score - 1) * self.denominator
        return Rational(Fraction(self.base) ** int(exponent))

    @property
    def total(self) -> Rational:
        """The sum of all weights, if those of the score 1 are one."""
        own = sum(self.power(r) for r in self.own_scores)
        rest = sum(n * self.power(r) for r, n in self.scores)
        return Rational(own + rest + self.power(Rational(0)))

    @property
    def attention(self) -> tuple[Rational, ...]:
        """The attention to each of the positions that matter."""
        total = self.total
        return tuple(Rational(self.power(r) / total) for r in self.own_scores)

    @property
    def mass(self) -> Rational:
        """The attention to all of them."""
        return Rational(sum(self.attention))

    @property
    def logit_gap(self) -> flint.arb:
        """R = denominator ln(base), the score of the positions that matter, in a ball."""
        with working_precision(64):
            return flint.arb(fmpq(self.base)).log() * self.denominator

    @property
    def norms(self) -> Norms:
        """The norms of all weight matrices."""
        square = sum(
            x * y * g
            for x, row in zip(self.key, self.inside, strict=True)
            for y, g in zip(self.key, row, strict=True)
        )
        if self.construction == "bag":
            value = (square + self.sparsity**2) * self.scale**2
            return Norms(self.logit_gap, Rational(square + 1), Rational(value), Rational(1))
        value = 2 * self.scale**2
        return Norms(self.logit_gap, Rational(square), Rational(value), Rational(1))

    # --- what it computes -------------------------------------------------------------------------
    def goal(self, ones: int) -> Rational:
        """What it approximates where this many of the positions that matter are ones."""
        s = self.sparsity
        if self.construction == "bag":
            return Rational(ones - s, ones + 1)
        return Rational(2 * ones - s, s)

    @property
    def error(self) -> Rational:
        """The largest distance from the goal over all 2^T inputs; it is attained.

        The output minus the mean is linear in the signs, so that its largest value is the sum of
        the absolute values of its coefficients. In a bag the output is a quotient of functions
        that are linear in the numbers of ones in each class: the largest and smallest values are
        at their extremes.
        """
        if self.construction == "bag":
            return self._bag_error()
        share = Rational(1, self.sparsity)
        own = sum(abs(self.scale * w - share) for w in self.attention)
        off = sum(n * self.power(r) for r, n in self.scores)
        return Rational(own + self.scale * off / self.total)

    def _bag_error(self) -> Rational:
        if len(self.scores) > _MOST_CLASSES or self.sparsity > _MOST_CLASSES:
            raise TooLarge(
                f"a bag of {self.sparsity} positions and {len(self.scores)} other scores: give at "
                f"most {_MOST_CLASSES} of each"
            )
        low, own = self.power(Rational(0)), self.own_scores
        # Which of the positions that matter are ones; equal scores need the number alone.
        words = (
            [(1,) * k + (0,) * (len(own) - k) for k in range(len(own) + 1)]
            if len(set(own)) == 1
            else list(product((0, 1), repeat=len(own)))
        )
        ends = [
            (
                sum((n * r * self.power(r) for t, (r, n) in chosen if t), Fraction(0)),
                sum((n * (self.power(r) if t else low) for t, (r, n) in chosen), Fraction(0)),
            )
            for taken in product((0, 1), repeat=len(self.scores))
            for chosen in [list(zip(taken, self.scores, strict=True))]
        ]
        worst = Fraction(0)
        for word in words:
            present = [r for r, b in zip(own, word, strict=True) if b]
            top = sum((r * self.power(r) for r in present), Fraction(-self.sparsity))
            bottom = sum(map(self.power, present), (len(own) - len(present)) * low + 1)
            goal = self.goal(len(present))
            for more_top, more_bottom in ends:
                output = self.scale * (top + more_top) / (bottom + more_bottom)
                worst = max(worst, abs(output - goal))
        return Rational(worst)

    def _by_position(self) -> list[Rational]:
        """The score of each position."""
        if self.length > 1 << 16:
            raise TooLarge(f"{self.length:,} positions one by one: ask for at most 65,536")
        if self.construction == "trainable":
            own = set(self.positions)
            return [Rational(int(a in own)) for a in range(1, self.length + 1)]
        columns = [self.encoding.column(a).tolist() for a in self.positions]
        return [
            Rational(_dot(row, self.key) / self.encoding.norm) for row in zip(*columns, strict=True)
        ]

    def value(self, bits: Any) -> Rational:
        """The output on a word of T bits.

        >>> head(conjunction(1), 2, base=3).value((1, 0))
        2/5
        >>> head(conjunction(1), 2, base=3).value([1])
        Traceback (most recent call last):
        ...
        symbench.errors.BadShape: the word has 1 bits, the head reads 2
        """
        word = _word(bits, self.length)
        scores = self._by_position()
        if self.construction == "bag":
            seen = [r if b else Rational(0) for r, b in zip(scores, word, strict=True)]
            high = sum(r * self.power(r) for r in seen)
            return Rational(self.scale * (high - self.sparsity) / (sum(map(self.power, seen)) + 1))
        total = sum((2 * b - 1) * self.power(r) for r, b in zip(scores, word, strict=True))
        return Rational(self.scale * total / self.total)

    def outputs(self) -> tuple[Array, int]:
        """The outputs on all 2^T words, in the order of `itertools.product`, over one denominator.

        >>> outputs, below = head(conjunction(1), 2, base=3).outputs()
        >>> outputs.tolist(), below
        ([-4, -2, 2, 4], 5)
        """
        if self.construction == "bag":
            raise BadValue("a bag's outputs have different denominators: ask for value(bits)")
        integer(self.length, "the length", limit=_MOST_BITS)
        total = self.total
        parts = [Fraction(self.scale * self.power(r) / total) for r in self._by_position()]
        below = lcm(*(p.denominator for p in parts))
        steps = [int(p * below) for p in parts]
        short = max(below, sum(steps)) * self.sparsity < 1 << 62
        found = np.zeros(1, dtype=np.int64 if short else object)
        for step in steps:
            found = np.stack((found - step, found + step), axis=1).reshape(-1)
        return found, below

    def certificate(self) -> HeadComputes:
        """What shows the error: the inner products, the key, the base and the classes.

        >>> head(conjunction(3), 16, base=60).certificate().explain()
        'a head of attention computes the mean of 3 of 16 signs with error at most 27/194, attained'
        """
        if self.construction == "bag" or self.scale != 1 or set(self.own_scores) != {1}:
            raise BadValue(
                "a certificate is about the mean of signs by scores that are equal on them: leave "
                "out construction=, key= and scale="
            )
        rows = [*self.inside, *(row for row, _ in self.outside)]
        return HeadComputes(
            sparsity=self.sparsity,
            length=self.length,
            key=Matrix([[c] for c in self.key], QQ),
            denominator=self.denominator,
            base=self.base,
            counts=tuple(count for _, count in self.outside),
            error=self.error,
            subject=Matrix(rows, QQ),
            about={"head": repr(self), "encoding": repr(self.encoding)},
        )

    # --- pictures ---------------------------------------------------------------------------------
    def weights(self) -> dict[str, Rational]:
        """How the attention is divided: each position that matters, the others by score, CLS.

        >>> print(head(conjunction(2), 8, base=20).table())
        position        attention
        1                   20/47  █████████
        2                   20/47  █████████
        6 with score 0       6/47  ███
        CLS                  1/47
        """
        if self.construction == "bag":
            raise BadValue("the attention of a bag depends on the bits: use construction='mean'")
        found = dict(zip(map(str, self.positions), self.attention, strict=True))
        for r, n in self.scores:
            found[f"{n} with score {r}"] = Rational(n * self.power(r) / self.total)
        found["CLS"] = Rational(self.power(Rational(0)) / self.total)
        return found

    def table(self) -> str:
        """The attention as a table with bars."""
        return bars(self.weights(), "attention")

    def plot(self, path: str | Path | None = None) -> Figure:
        """The attention as bars."""
        found = self.weights()
        with plotted(path, 7, 3) as figure:
            axes = figure.subplots()
            axes.bar(list(found), [float(v) for v in found.values()])
            axes.set(ylabel="attention", ylim=(0, 1))
            axes.grid(False, axis="x")
            ticks = axes.get_xticklabels()
            if sum(len(tick.get_text()) for tick in ticks) > 60:
                axes.set_xticks(
                    range(len(ticks)), list(found), rotation=30, ha="right", rotation_mode="anchor"
                )
        return figure


def head(
    f: Target,
    length: int,
    *,
    construction: str = "mean",
    encoding: Encoding | None = None,
    positions: Any = None,
    key: str = "gram",
    gamma: Any = None,
    base: Any = None,
    scale: Any = 1,
) -> Head:
    """The head for the relevant positions of a function of T bits, or for other `positions`.

    "mean" computes the mean of their signs (-1 for a zero, 1 for a one) by the key that the inverse
    of their Gram matrix gives; "trainable" chooses the vectors of positions itself, one for those
    that matter and zero for the others; "bag" computes (r - s) / (r + 1) of their number r of ones.
    The error is at most gamma / 4, where gamma is the least difference of two goals if nothing else
    is given; or the base is given. With key="sum" the key is the plain sum of their vectors, whose
    scores are not equal unless the vectors are orthogonal; then give a base.

    >>> head(parity(2), 32, encoding=hadamard(2), positions=(1, 17), base=3).error
    181/577
    >>> head(majority(3), 2)
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: the function depends on position 3 of 2: give a larger length
    >>> head(parity(2), 4, encoding=flipped_simplex(2))
    Traceback (most recent call last):
    ...
    symbench.errors.TooCoherent: the positions (1, 2) cannot be told from the others by the key ...
    """
    which = choice(construction, "the construction", CONSTRUCTIONS)
    size = integer(length, "the length", at_least=1)
    chosen = orthonormal(size) if encoding is None else instance(
        encoding, Encoding, "the encoding", "one such as orthonormal(8)")  # fmt: skip
    if chosen.length != size:
        raise BadShape(f"the encoding has {chosen.length} positions and the length is {size}")
    relevant = support(read_function(f))
    if relevant and relevant[-1] > size:
        raise BadShape(
            f"the function depends on position {relevant[-1]} of {size}: give a larger length"
        )
    places = chosen.positions(relevant if positions is None else positions)
    if not places:
        raise BadValue("the function is constant: a head needs a position that matters")
    s = len(places)
    stretch = exact_parameter(scale, "the scale")
    kind = choice(key, "the key", ("gram", "sum"))
    if kind == "sum" and base is None:
        raise BadValue("with key='sum' the scores are not equal: give base=")
    if which == "trainable":
        if encoding is not None or kind == "sum":
            raise BadValue("trainable positions have vectors and a key of their own")
        rows = [[Rational(1)] * s for _ in places]
        others = [([Rational(0)] * s, size - s)] if size > s else []
        made = (Rational(1), *(Rational(0),) * (s - 1))
    else:
        rows, others = chosen.classes(places)
        made = (Rational(1),) * s if kind == "sum" else _gram_key(chosen, places, rows)
    scores = [_dot(row, made) for row in (*rows, *(row for row, _ in others))]
    if kind == "gram" and any(r >= 1 for r in scores[s:]):
        raise refuse(chosen, places)
    found = Head(
        which,
        places,
        size,
        chosen,
        made,
        tuple(map(tuple, rows)),
        tuple((tuple(row), count) for row, count in others),
        lcm(*(r.denominator for r in scores)),
        Rational(2),
        stretch,
    )
    return _heated(found, gamma, base)


def _gram_key(
    encoding: Encoding, places: Places, rows: list[list[Rational]]
) -> tuple[Rational, ...]:
    """The coefficients whose combination of the vectors has the product 1 with each of them."""
    gram = Matrix(rows, QQ)
    if gram.det() == 0:
        raise refuse(encoding, places)
    return tuple(Rational(Fraction(x)) for x in gram.solve([1] * len(places)))


def _heated(cold: Head, gamma: Any, base: Any) -> Head:
    """The head with its base: the one given, or one for an error of gamma / 4."""
    if base is not None:
        chosen = exact_parameter(base, "the base")
        if chosen <= 1:
            raise BadValue(f"the base is {chosen}: give a number above 1, exp(R / denominator)")
        return attrs.evolve(cold, base=chosen)
    s, size = cold.sparsity, cold.length
    if cold.construction == "bag":
        gap = Rational(1, s) if gamma is None else _gap(gamma)
        if cold.leak == 0 == min((r for r, _ in cold.scores), default=0):
            # The worst input has no ones: s T / (e^R + T).
            return attrs.evolve(cold, base=Rational(size * (4 * s / gap - 1)))
        # A score is at most 1 - 1/D, so the error is of the order 1/q.
        for power in range(1, 1024):
            hot = attrs.evolve(cold, base=Rational(2**power))
            if hot.error <= gap / 4:
                return hot
        raise Undecided(f"no base up to 2^1023 has an error of {gap / 4}: give base=")
    gap = Rational(2, s) if gamma is None else _gap(gamma)
    # The mass off I is at most (T + 1 - s) q^-steps / s, and the error at most twice that.
    steps = int((1 - cold.leak) * cold.denominator)
    wanted = Rational(8 * (size + 1 - s) / (s * gap))
    if steps == 1:
        return attrs.evolve(cold, base=Rational(max(wanted, 2)))
    root = int(flint.fmpz(-(-wanted.numerator // wanted.denominator)).root(steps))
    while root**steps < wanted:
        root += 1
    return attrs.evolve(cold, base=Rational(max(root, 2)))


def _gap(gamma: Any) -> Rational:
    found = exact_parameter(gamma, "gamma")
    if found <= 0:
        raise BadValue(f"gamma is {found}: give a positive number")
    return found


# --- heads and a memoriser: the function itself ---------------------------------------------------
@attrs.frozen
class Network(Shown):
    """Heads and a memoriser above them that output a function of T bits exactly.

    >>> found = network(conjunction(3), 10**6)
    >>> found.exact, found.memoriser.width, len(found.heads)
    (True, (16, 8), 1)
    >>> found.memoriser.outputs([[x] for x in (1, "5/6", "1/3")])
    [1, 1, 0]
    """

    function: Target
    heads: tuple[Head, ...]
    memoriser: Memoriser
    gamma: Rational

    @property
    def exact(self) -> bool:
        """Whether the heads' errors are small enough: each output is the function's value then.

        The memoriser has the value of a point wherever all coordinates are within delta of it, and
        nothing of it where one is 2 delta away.
        """
        error, delta = max(head.error for head in self.heads), self.memoriser.delta
        return error <= delta and 2 * delta <= self.gamma - error

    def value(self, bits: Any) -> Rational:
        """The output on a word of T bits, through all weights."""
        return self.memoriser.value([head.value(bits) for head in self.heads])

    def outputs(self) -> list[Rational]:
        """The outputs on all words of T bits, T at most 20, in the order of `itertools.product`."""
        columns = [head.outputs() for head in self.heads]
        listed = [[Rational(int(x), below) for x in out] for out, below in columns]
        return self.memoriser.outputs(zip(*listed, strict=True))


def network(
    f: Target,
    length: int,
    *,
    construction: str = "mean",
    encoding: Encoding | None = None,
    delta: Any = None,
    base: Any = None,
) -> Network:
    """The network that outputs f: one head if f depends on the number of ones alone, or s heads.

    `construction` is that of the heads; a function of more than the number of ones needs "mean" or
    "trainable", and has a head for each of its positions.

    >>> network(parity(2), 10**9).exact, len(network(from_anf([(1, 2), (3,)]), 20).heads)
    (True, 3)
    """
    function = read_function(f)
    places = support(function)
    if not places:
        raise BadValue("the function is constant: a head needs a position that matters")
    values = (
        function.values if isinstance(function, WeightFunction) else _by_weight(table(function))
    )
    if values is not None:
        single = head(function, length, construction=construction, encoding=encoding, base=base)
        s = single.sparsity
        gap = Rational(1, s) if construction == "bag" else Rational(2, s)
        points = {(single.goal(ones),): v for ones, v in enumerate(values)}
        return Network(f, (single,), memoriser(points, gamma=gap, delta=delta), gap)
    if construction == "bag":
        raise BadValue(f"{shown(f)} is no function of the number of ones: use construction='mean'")
    heads = tuple(
        head(
            function,
            length,
            construction=construction,
            encoding=encoding,
            positions=(a,),
            base=base,
        )
        for a in places
    )
    words = product((-1, 1), repeat=len(places))
    listed = dict(zip(words, table(function), strict=True))
    return Network(f, heads, memoriser(listed, gamma=2, delta=delta), Rational(2))


def _by_weight(values: tuple[Rational, ...]) -> tuple[Rational, ...] | None:
    """The values by weight, if a table has one for each weight."""
    bits = len(values).bit_length() - 1
    found = tuple(values[(1 << w) - 1] for w in range(bits + 1))
    return found if all(v == found[m.bit_count()] for m, v in enumerate(values)) else None


# --- helpers --------------------------------------------------------------------------------------
def _dot(row: Any, key: Any) -> Rational:
    return Rational(sum((x * c for x, c in zip(row, key, strict=True)), Fraction(0)))


def _word(bits: Any, length: int) -> tuple[int, ...]:
    found = sequence(bits, "the word", "a list of bits")
    if len(found) != length:
        raise BadShape(f"the word has {len(found)} bits, the head reads {length}")
    return tuple(integer(b, "a bit", at_least=0, at_most=1) for b in found)
