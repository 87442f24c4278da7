"""How many samples tell which few of T bits a label depends on, whoever learns from them.

A label that is the conjunction, the disjunction or the parity of s unknown bits out of T. From m
labels nobody tells more than 2^m functions apart; on the other hand few wrong functions fit the
data of m samples once m is of the order log C(T, s). Beside it stands what kernel regression needs,
which cannot tell bits apart but by their names: a power of T.

>>> certain_identification(300, 3)
23
>>> samples_to_identify("parity", 300, 3), samples_to_identify("and", 300, 3)
(25, 37)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import comb
from operator import and_, xor
from pathlib import Path
from typing import Any

import attrs
from flint import arb

from symbench._arguments import choice, integer, integers, sequence, shown
from symbench.draw.axes import counted, legend
from symbench.draw.figures import Figure, plotted
from symbench.draw.progress import progress
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadShape, BadValue, TooLarge, Undecided
from symbench.exact import Rational
from symbench.exact.arrays import np
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_parameter, fmpq, number_text
from symbench.laws import Iid
from symbench.learning.lower_bounds import samples_needed
from symbench.learning.targets import conjunction, parity
from symbench.sparse.functions import read_chance

KINDS = ("and", "or", "parity")
_BITS = (64, 256, 1024)  # of the balls, as many as are needed
_SEARCHED = 10**8  # sets of positions that are gone through


def _sizes(length: Any, bits: Any) -> tuple[int, int]:
    """T and s, with 1 <= s <= T."""
    T, s = integer(length, "T", at_least=1), integer(bits, "s", at_least=1)
    if s > T:
        raise BadShape(f"s is {s} and T is {T}: give at most as many bits as there are positions")
    return T, s


# --- limits ---------------------------------------------------------------------------------------
def certain_identification(length: int, bits: int) -> int:
    """The least m with 2^m >= C(T, s): with fewer labels some two functions are not told apart.

    With m binary labels a learner finds a function drawn at random from C(T, s) with probability
    at most 2^m / C(T, s).

    >>> [certain_identification(T, 3) for T in (100, 300, 1100)]
    [18, 23, 28]
    >>> certain_identification(10**9, 3), certain_identification(5, 5)
    (88, 0)
    """
    T, s = _sizes(length, bits)
    return (comb(T, s) - 1).bit_length()


def expected_rivals(
    kind: str, length: int, bits: int, samples: int, *, p: Any = None
) -> Rational | arb:
    """How many wrong functions of the same kind fit m random samples, in the mean.

    Bits are independent and 1 with probability p. Without p it is 1/2 for parity, and for the
    conjunction (the disjunction) the one that makes both labels equally likely, 2^(-1/s) (one minus
    that); the answer is a ball then, otherwise it is exact.

    >>> expected_rivals("parity", 100, 3, 20)
    161699/1048576
    >>> print(expected_rivals("and", 300, 3, 37).str(6, radius=False))
    0.177636
    >>> expected_rivals("and", 4, 2, 1, p="1/2")
    29/8
    """
    name = choice(kind, "the kind", KINDS)
    T, s = _sizes(length, bits)
    m = integer(samples, "the number of samples", at_least=0)
    return _rivals(name, T, s, m, p, _BITS[0])


def _rivals(kind: str, T: int, s: int, m: int, p: Any, precision: int) -> Rational | arb:
    # Sets with j positions in common, j = s being the true one alone.
    counts = [(j, comb(s, j) * comb(T - s, s - j)) for j in range(max(0, 2 * s - T), s)]
    if kind != "parity" and p is None:
        # Both are 1 with chance p^(2s-j), where p^s = 1/2: they agree with chance 2^((j-s)/s).
        with working_precision(precision):
            return sum((arb(n) * arb(2) ** (arb(m * (j - s)) / s) for j, n in counts), arb(0))
    chance = read_chance("1/2" if p is None else p)
    agree = _agreement(kind, s, chance)
    return Rational(sum((n * agree(j) ** m for j, n in counts), Fraction(0)))


def _agreement(kind: str, s: int, p: Rational) -> Callable[[int], Fraction]:
    """The chance that two functions with j positions in common have the same value."""
    if kind == "parity":  # the parity of the 2 (s - j) positions of one of the two
        return lambda j: Fraction(1 + (1 - 2 * p) ** (2 * (s - j))) / 2
    one = p if kind == "and" else 1 - p
    return lambda j: Fraction(1 - 2 * one**s + 2 * one ** (2 * s - j))


def samples_to_identify(
    kind: str, length: int, bits: int, *, rivals: Any = "1/5", p: Any = None
) -> int:
    """The least number of samples after which at most so many rivals are expected.

    With at most 1/5 of a rival expected, the true function is the only one that fits with
    probability 4/5 or more.

    >>> [samples_to_identify("and", T, 3) for T in (100, 300, 1100)]
    [32, 37, 43]
    >>> [samples_to_identify("parity", T, 3) for T in (100, 300, 1100)]
    [20, 25, 31]
    >>> samples_to_identify("and", 10**9, 3, p="4/5")
    103
    >>> samples_to_identify("xor", 100, 3)
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the kind is 'xor': give one of and, or, parity
    """
    name = choice(kind, "the kind", KINDS)
    T, s = _sizes(length, bits)
    goal = exact_parameter(rivals, "the number of rivals")
    if goal <= 0:
        raise BadValue(f"the number of rivals is {goal}: give a positive number, such as '1/5'")
    if p is not None:
        read_chance(p)

    def enough(m: int) -> bool:
        for precision in _BITS:
            found = _rivals(name, T, s, m, p, precision)
            if isinstance(found, Rational):
                return found <= goal
            with working_precision(precision):
                if found <= fmpq(goal):
                    return True
                if found > fmpq(goal):
                    return False
        raise Undecided(f"{m} samples leave {goal} rivals, to {_BITS[-1]} bits")

    # Every chance of agreement is below one, so the number of rivals falls to zero.
    most = 1
    while not enough(most):
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return 0 if most == 1 and enough(0) else most


# --- version spaces -------------------------------------------------------------------------------
def version_space(words: Any, labels: Any, kind: str, bits: int) -> tuple[tuple[int, ...], ...]:
    """All sets of s positions whose conjunction, disjunction or parity has these labels, in order.

    Words and labels are of zeros and ones; the label of an odd number of ones is 1.

    >>> version_space([(1, 1, 0, 1), (1, 0, 1, 1)], [1, 0], "and", 2)
    ((1, 2), (2, 4))
    >>> version_space([(1, 1, 0, 1), (1, 0, 1, 1)], [0, 1], "parity", 2)
    ((1, 2), (2, 4))
    >>> version_space([(1, 2)], [1], "and", 1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: a word is (1, 2): give zeros and ones
    """
    name = choice(kind, "the kind", KINDS)
    rows = [_bits(word, "a word") for word in sequence(words, "the words", "a list of words")]
    wanted = _bits(labels, "the labels")
    if not rows or len(set(map(len, rows))) > 1 or len(wanted) != len(rows):
        raise BadShape(
            f"{len(rows)} words and {len(wanted)} labels: give words of one length, a label each"
        )
    columns = [sum(row[a] << i for i, row in enumerate(rows)) for a in range(len(rows[0]))]
    label = sum(y << i for i, y in enumerate(wanted))
    _, s = _sizes(len(columns), bits)
    return tuple(
        tuple(a + 1 for a in places) for places in _consistent(name, columns, label, s, len(rows))
    )


def _bits(word: Any, what: str) -> list[int]:
    found = integers(word, what)
    if not {*found} <= {0, 1}:
        raise BadValue(f"{what} is {shown(word)}: give zeros and ones")
    return list(found)


def _consistent(
    kind: str, columns: Sequence[int], label: int, s: int, samples: int
) -> Iterator[tuple[int, ...]]:
    """The sets of columns, as numbers with a bit for each sample, that give the label."""
    if kind == "parity":
        yield from _odd_sets(columns, label, s)
        return
    if kind == "or":  # not a or not b is not (a and b)
        whole = (1 << samples) - 1
        columns, label = [whole ^ c for c in columns], whole ^ label
    # A position of the set is 1 wherever the label is.
    inside = [a for a, c in enumerate(columns) if c & label == label]
    if comb(len(inside), s) > _SEARCHED:
        raise TooLarge(
            f"{comb(len(inside), s):,} sets of {s} positions fit the positive samples: give more "
            f"of these, or fewer bits; at most {_SEARCHED:,} are gone through, in about a minute"
        )
    yield from _with_meet(columns, inside, label, s, (), (1 << samples) - 1)


def _with_meet(
    columns: Sequence[int],
    inside: list[int],
    label: int,
    s: int,
    chosen: tuple[int, ...],
    meet: int,
) -> Iterator[tuple[int, ...]]:
    """All ways to choose s more of the positions so that all of them meet in the label."""
    if s == 1:
        for a in inside:
            if meet & columns[a] == label:
                yield (*chosen, a)
        return
    for i, a in enumerate(inside[: len(inside) - s + 1], 1):
        yield from _with_meet(columns, inside[i:], label, s - 1, (*chosen, a), meet & columns[a])


def _odd_sets(columns: Sequence[int], label: int, s: int) -> Iterator[tuple[int, ...]]:
    """All but one of the positions are chosen, and the last one is looked up."""
    if comb(len(columns), s - 1) > _SEARCHED:
        raise TooLarge(
            f"{comb(len(columns), s - 1):,} sets of {s - 1} positions: at most {_SEARCHED:,} are "
            "gone through, in about a minute"
        )
    places: dict[int, list[int]] = {}
    for a, column in enumerate(columns):
        places.setdefault(column, []).append(a)
    for chosen in combinations(range(len(columns)), s - 1):
        last = reduce(xor, (columns[a] for a in chosen), label)
        for a in places.get(last, ()):
            if not chosen or a > chosen[-1]:
                yield (*chosen, a)


# --- experiments ----------------------------------------------------------------------------------
@attrs.frozen(repr=False)
class Identification(Shown):
    """How often the training set leaves one function, for some T and m; made by `identification`.

    `unique[T][m]` is the number of training sets, out of `trials`, with which no other function of
    the kind is consistent. It prints the least m at which this is so in four of five.

    >>> print(identification([20, 40], [10, 20, 30, 40], bits=2, trials=20, seed=1))
    T   measured  1/5 rival expected  certain
    20  20        16                  8
    40  20        18                  10
    """

    kind: str
    bits: int
    trials: int
    samples: tuple[int, ...]
    unique: dict[int, dict[int, int]]

    def threshold(self, length: int, share: Any = "4/5") -> int | None:
        """The least number of samples that left one function in this share of the trials."""
        part = exact_parameter(share, "the share")
        found = self.unique.get(length)
        if found is None:
            raise BadValue(f"T is {length}: give one of {', '.join(map(str, self.unique))}")
        return next((m for m in self.samples if found[m] >= part * self.trials), None)

    def __repr__(self) -> str:
        lines = [("T", "measured", "1/5 rival expected", "certain")]
        for T in self.unique:
            measured = self.threshold(T)
            lines.append((
                str(T),
                "-" if measured is None else str(measured),
                str(samples_to_identify(self.kind, T, self.bits)),
                str(certain_identification(T, self.bits)),
            ))  # fmt: skip
        return columns_text(lines)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The thresholds against T, beside what the paper's transformers needed at T = 300."""
        lengths = list(self.unique)
        with plotted(path, 6, 4) as figure:
            axes = figure.subplots()
            measured = [(T, m) for T in lengths if (m := self.threshold(T)) is not None]
            axes.plot(*zip(*measured, strict=True), "o-", label="one function fits, measured")
            expected = [samples_to_identify(self.kind, T, self.bits) for T in lengths]
            axes.plot(lengths, expected, "--", label="1/5 of a rival expected")
            certain = [certain_identification(T, self.bits) for T in lengths]
            axes.plot(lengths, certain, ":", label="certain: 2$^m$ ≥ C(T, s)")
            if self.kind == "and" and self.bits == 3:
                axes.plot(
                    [300], [70], "x", markersize=9, label="transformers, as printed (about 70)"
                )
            axes.set(xlabel="T", ylabel="samples", ylim=(0, None))
            counted(axes, lengths)
            legend(axes)
        return figure


def identification(
    lengths: Iterable[int],
    samples: Iterable[int],
    *,
    bits: int = 3,
    kind: str = "and",
    trials: int = 40,
    seed: int = 0,
) -> Identification:
    """Training sets drawn at random, and how many functions are consistent with each: exactly.

    The protocol of edelman2022: bits that make both labels equally likely, and for each T the least
    m at which the data are unambiguous in four trials of five. The version space is exact; that the
    sets are random is the only chance in it.

    >>> identification([30], [5, 60], bits=2, trials=10, seed=3).unique
    {30: {5: 0, 60: 10}}
    """
    name, s = choice(kind, "the kind", KINDS), integer(bits, "s", at_least=1)
    sizes = integers(lengths, "the lengths", at_least=s)
    numbers = tuple(sorted(set(integers(samples, "the numbers of samples", at_least=1))))
    count = integer(trials, "the number of trials", at_least=1)
    if not sizes or not numbers:
        raise BadShape("give at least one length and one number of samples")
    one = {"and": 2 ** (-1 / s), "or": 1 - 2 ** (-1 / s), "parity": 1 / 2}[name]
    dice = np.random.default_rng(integer(seed, "the seed", at_least=0))
    unique: dict[int, dict[int, int]] = {}
    with progress("training sets", len(sizes) * len(numbers) * count) as report:
        for T in sizes:
            unique[T] = dict.fromkeys(numbers, 0)
            for m in numbers:
                for _ in range(count):
                    packed = np.packbits(dice.random((T, m)) < one, axis=1)
                    columns = [int.from_bytes(row.tobytes(), "big") >> (-m % 8) for row in packed]
                    unique[T][m] += _is_unique(name, columns, s, m)
                    report(1)
    return Identification(name, s, count, numbers, unique)


def _is_unique(kind: str, columns: list[int], s: int, samples: int) -> bool:
    """Whether the function of the first s positions is the only one with its labels."""
    whole = (1 << samples) - 1
    true = columns[:s]
    if kind == "parity":
        label = reduce(xor, true)
    elif kind == "and":
        label = reduce(and_, true)
    else:
        label = whole ^ reduce(and_, (whole ^ c for c in true))
    found = _consistent(kind, columns, label, s, samples)
    next(found)
    return next(found, None) is None


# --- kernels against features ---------------------------------------------------------------------
@attrs.frozen
class Comparison(Shown):
    """What s bits out of T cost: one row of `kernels_against_features`."""

    length: int
    kernel_parity: int
    kernel_and: int
    identify_parity: int
    identify_and: int
    logit_gap: arb


@attrs.frozen(repr=False)
class ComparisonTable(Shown):
    """Samples for kernels, samples for anybody, and the logits of a head, for each T.

    >>> print(kernels_against_features([10, 1000, 10**6]))
    T        parity: kernel      AND: kernel   parity: any  AND: any  logit gap
    10       108                 20            10           21        3.15
    1000     149550300           295911        30           42        8.11
    1000000  149999550000300000  296691527244  60           72        15.02
    """

    bits: int
    error: Rational
    p: Rational
    rows: tuple[Comparison, ...]

    def __repr__(self) -> str:
        lines: list[Sequence[str]] = [
            ("T", "parity: kernel", "AND: kernel", "parity: any", "AND: any", "logit gap")
        ]
        for row in self.rows:
            numbers = (row.length, row.kernel_parity, row.kernel_and)
            others = (row.identify_parity, row.identify_and)
            gap = f"{float(row.logit_gap.mid()):.2f}"
            lines.append((*map(number_text, numbers), *map(str, others), gap))
        return columns_text(lines)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Samples against T, both axes logarithmic: straight lines for kernels, flat ones else."""
        lengths = [row.length for row in self.rows]
        with plotted(path, 6, 4) as figure:
            axes = figure.subplots()
            for style, name, label in (
                ("o-", "kernel_parity", "parity, any kernel"),
                ("s-", "kernel_and", "AND, any kernel"),
                ("--", "identify_parity", "parity, information"),
                (":", "identify_and", "AND, information"),
            ):
                axes.plot(lengths, [float(getattr(r, name)) for r in self.rows], style, label=label)
            gaps = [float(row.logit_gap.mid()) for row in self.rows]
            axes.plot(lengths, gaps, "-.", label="logit gap of a head")
            axes.set(xscale="log", yscale="log", xlabel="T", ylabel="samples (logits)")
            legend(axes)
        return figure


def kernels_against_features(
    lengths: Iterable[int], *, bits: int = 3, error: Any = "1/10", p: Any = None
) -> ComparisonTable:
    """Parity and conjunction of s bits: kernel regression, information, and a head that selects.

    The kernel columns are the least numbers of samples with which the regression of any kernel that
    is invariant under permutations of positions can get below the error, a part of the variance,
    in the mean. The others are the samples after which 1/5 of a rival is expected, and the least
    difference of logits with which a head averages the s bits up to the error, ln((T-s)/(s error)).
    Parity is on fair bits, the conjunction on bits that are 1 with chance p, by default a fraction
    near 2^(-1/s).

    >>> kernels_against_features([100], bits=2).rows[0].kernel_parity
    4455
    >>> kernels_against_features([2], bits=3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: an entry of the lengths is 2: give an integer of at least 4
    """
    s = integer(bits, "s", at_least=1)
    sizes = integers(lengths, "the lengths", at_least=s + 1)
    part = exact_parameter(error, "the error")
    if not 0 < part < 1:
        raise BadValue(f"the error is {part}: give a part of the variance between 0 and 1")
    chance = read_chance(Fraction(2 ** (-1 / s)).limit_denominator(100) if p is None else p)
    law, variance = Iid(1 - chance, chance), chance**s - chance ** (2 * s)
    rows = []
    for T in sizes:
        rows.append(
            Comparison(
                T,
                samples_needed(parity(s), length=T, error=part),
                samples_needed(conjunction(s), length=T, error=part * variance, law=law),
                samples_to_identify("parity", T, s),
                samples_to_identify("and", T, s, p=chance),
                arb(fmpq(Rational(T - s) / (s * part))).log(),
            )
        )
    return ComparisonTable(s, part, chance, tuple(rows))
