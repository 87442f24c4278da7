"""Kernel ridge regression on a list of points: its expected error over training sets.

The predictor from samples x_1, ..., x_N, drawn independently from the law, with labels f(x_i) and
perhaps independent noise, is sum a_i k(., x_i), (K + ridge I) a = y. Its error is measured against
f under the law, against f under another law, and against the labels on the samples themselves:
exactly, over all multisets of samples, or in floats, over random ones. Nothing is asked of the
points but the kernel matrix, the values of f and the probabilities.

>>> coin = Regression([0, 1], [[1, 0], [0, 1]], [1, -1], ["1/2", "1/2"])
>>> coin.errors(1, 1), coin.errors(1, 1, noise="1/2")
(Errors(train=1/4, test=5/8, shifted=None), Errors(train=3/8, test=11/16, shifted=None))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import combinations_with_replacement, groupby
from math import comb, sqrt
from typing import Any, Generic, TypeVar

import attrs
import flint

from symbench._arguments import integer, sequence, shown
from symbench.draw.progress import Report, progress
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue, NotInvertible, TooLarge
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.arrays import Floats, np
from symbench.exact.rational import fmpq, rational
from symbench.learning.numbers import as_float, number, numbers
from symbench.learning.theories import (
    Level,
    equivalent_kernel,
    error_of_labels,
    read_setting,
    self_consistent,
    solved_ridge,
)

T = TypeVar("T")
Pair = tuple[float, float]
# At most this many training sets are gone through, and this many samples for each of them.
SETS, _SAMPLES_EACH = 200_000, 100
# At most this many samples are drawn at once.
DRAWN = 1_000_000
# Beside the trace of the kernel matrix a ridge below the first is lost in rounding; an eigenvalue
# below the second, beside the largest, is rounding; eigenvalues closer than the third part of the
# largest are taken as one level.
_LOST, _NOTHING, _CLOSE = 1e-10, 1e-13, 1e-9


@attrs.frozen
class Errors(Shown, Generic[T]):
    """Expected squared errors of regression.

    `train` is the mean over the samples against their labels, None without samples; `test` is
    against the target under the law of the samples, `shifted` under the test law, None where
    there is no other. Each is an exact number, or a pair of floats: a mean over random training
    sets with its standard error, or what two theories predict.

    >>> Errors(train=None, test=Rational(1), shifted=None).exactness
    'exact'
    """

    train: T | None
    test: T
    shifted: T | None
    exactness: str = attrs.field(default="exact", repr=False)


def _points(values: Any) -> tuple[Any, ...]:
    return sequence(values, "points")


def _matrix(rows: Any) -> Matrix:
    return Matrix(rows, QQ)


def _values(values: Any) -> tuple[Rational, ...]:
    return numbers(values, "values")


def _chances(values: Any) -> tuple[Rational, ...]:
    found = numbers(values, "the law")
    if sum(found) != 1 or min(found) < 0:
        raise BadValue(f"the law is {shown(values)}: give numbers of at least 0 with the sum 1")
    return found


@attrs.frozen(eq=False, repr=False, slots=False)
class Regression(Shown):
    """A kernel matrix, a target and a law on a list of points, all of them exact numbers.

    `test_chances` are the probabilities of the points that are predicted, where these have a law
    of their own. A ridge of None is a twentieth of E k(x, x), a choice that does not depend on
    scales; noise is the variance of independent noise on the labels.

    >>> Regression([0, 1], [[1, 2], [3, 4]], [1, -1], ["1/2", "1/2"])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the kernel is not symmetric: k(0, 1) = 2 and k(1, 0) = 3
    """

    points: tuple[Any, ...] = attrs.field(converter=_points)
    matrix: Matrix = attrs.field(converter=_matrix)
    values: tuple[Rational, ...] = attrs.field(converter=_values)
    chances: tuple[Rational, ...] = attrs.field(converter=_chances)
    test_chances: tuple[Rational, ...] | None = attrs.field(
        default=None, converter=attrs.converters.optional(_chances)
    )

    def __attrs_post_init__(self) -> None:
        size = len(self.points)
        tables = [self.values, *self._laws]
        if not size or self.matrix.shape != (size, size) or {*map(len, tables)} != {size}:
            raise BadShape(f"there are {size} points: give one at least, and tables of this size")
        if not self.matrix.is_symmetric():
            K = self.matrix.flint
            i, j = next((i, j) for i in range(size) for j in range(size) if K[i, j] != K[j, i])
            x, y = self.points[i], self.points[j]
            raise BadValue(
                f"{self._source} is not symmetric: k({x!r}, {y!r}) = {K[i, j]} and "
                f"k({y!r}, {x!r}) = {K[j, i]}"
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {len(self.points)} points, |f|^2 = {self.norm}"

    @property
    def _source(self) -> str:
        return "the kernel"

    # --- tables -------------------------------------------------------------------------------
    @cached_property
    def norm(self) -> Rational:
        """The mean of f^2 under the law."""
        return self._norm_under(self.chances)

    def _norm_under(self, chances: tuple[Rational, ...]) -> Rational:
        return Rational(sum(p * v * v for p, v in zip(chances, self.values, strict=True)))

    @cached_property
    def trace(self) -> Rational:
        """The mean of k(x, x) under the law."""
        K = self.matrix.flint
        return Rational(sum(p * rational(K[i, i]) for i, p in enumerate(self.chances)))

    @cached_property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The kernel matrix, the values and the probabilities as numpy arrays of floats."""
        entries = self.matrix.flint.entries()
        as_float(rational(max(map(abs, entries))), "a value of the kernel")
        K = np.array([int(v.p) / int(v.q) for v in entries]).reshape(self.matrix.shape)
        values = [as_float(v, "a value of the target") for v in self.values]
        return K, np.array(values), np.array(self.chances, dtype=float)

    @property
    def _laws(self) -> list[tuple[Rational, ...]]:
        """The probabilities, and those of the test law where there is one."""
        return [law for law in (self.chances, self.test_chances) if law is not None]

    def place(self, point: Any) -> int:
        """The place of a point in the list."""
        try:
            return self.points.index(point)
        except ValueError:
            raise BadValue(f"the point is {shown(point)}: give one of the problem") from None

    def chances_under(self, law: Any) -> tuple[Rational, ...]:
        """The probabilities of the points under another law, here a list of them."""
        found, size = _chances(law), len(self.points)
        if len(found) != size:
            raise BadShape(f"the law has {len(found)} probabilities: give one for each of {size}")
        return found

    def ridge(self, value: Any = None) -> Rational:
        """The ridge that is meant: an exact positive number, None for E k(x, x) / 20."""
        if value is not None:
            return number(value, "the ridge", above=0)
        return Rational(self.trace / 20) if self.trace > 0 else Rational(1)

    # --- all training sets --------------------------------------------------------------------
    def errors(
        self, samples: int, ridge: Any = None, *, noise: Any = 0, most_sets: int = SETS
    ) -> Errors[Rational]:
        """The exact expected errors, over all training sets of N samples.

        With G = K + ridge I on the samples, noise adds noise E tr(G^-1 Q G^-1) to the test error,
        Q the inner products of the kernel sections at the samples; the training error is
        ridge^2 / N times |G^-1 y|^2. More than `most_sets` training sets are refused.

        >>> Regression([0, 1], [[1, 0], [0, 1]], [1, -1], [1, 0]).errors(10**9, 1)
        Traceback (most recent call last):
        ...
        symbench.errors.TooLarge: 1 sets of 1000000000 samples from 1 points: at most ...
        """
        count = integer(samples, "samples", at_least=0)
        shift = fmpq(self.ridge(ridge))
        variance = fmpq(number(noise, "the noise", at_least=0))
        train, sums = flint.fmpq(0), [flint.fmpq(0) for _ in self._laws]
        for points, times, chance in self.training_sets(count, most_sets):
            if not points:
                break
            a, inverse = self.solve(points, times, shift, inverse=bool(variance))
            size = range(len(points))
            for place, (square, overlap) in enumerate(self._sections):
                inner = flint.fmpq_mat([[square[i, j] for j in points] for i in points])
                heights = flint.fmpq_mat([[2 * overlap[i, 0]] for i in points])
                here = (a.transpose() * (inner * a - heights))[0, 0]
                if variance:
                    spread = inverse * inner * inverse
                    here += variance * sum((spread[i, i] / times[i] for i in size), flint.fmpq(0))
                sums[place] += chance * here
            # A point drawn n times has n residuals of ridge a / n each, noise apart.
            loss = sum((a[i, 0] ** 2 / times[i] for i in size), flint.fmpq(0))
            if variance:
                loss += variance * (count - len(points)) / shift**2
                for i in size:
                    for j in size:
                        loss += variance * inverse[i, j] ** 2 / (times[i] * times[j])
            train += chance * loss * shift**2 / count
        test, *shifted = (
            Rational(self._norm_under(law) + rational(x))
            for law, x in zip(self._laws, sums, strict=True)
        )
        return Errors(rational(train) if count else None, test, shifted[0] if shifted else None)

    @cached_property
    def _sections(self) -> list[tuple[Any, Any]]:
        """For each law the inner products of two kernel sections, and of one with f."""
        K, f = self.matrix.flint, flint.fmpq_mat([[fmpq(v)] for v in self.values])
        found = []
        for law in self._laws:
            rows = zip(map(fmpq, law), K.tolist(), strict=True)
            weighted = flint.fmpq_mat([[p * k for k in row] for p, row in rows])
            found.append((K * weighted, weighted.transpose() * f))
        return found

    def training_sets(
        self, count: int, most_sets: int = SETS
    ) -> Iterator[tuple[list[int], list[int], flint.fmpq]]:
        """All multisets of samples: the different points, how often, and the probability."""
        support = [i for i, p in enumerate(self.chances) if p]
        sets = comb(len(support) + count - 1, count)
        limit = integer(most_sets, "most_sets", at_least=0)
        if sets > limit or sets * count > limit * _SAMPLES_EACH:
            raise TooLarge(
                f"{shown(sets)} sets of {shown(count)} samples from {len(support):,} points: at "
                f"most {limit:,} sets with {limit * _SAMPLES_EACH:,} samples in all are gone "
                "through; simulate instead"
            )
        return map(self._multiset, combinations_with_replacement(support, count))

    def _multiset(self, chosen: tuple[int, ...]) -> tuple[list[int], list[int], flint.fmpq]:
        groups = [(i, len(list(group))) for i, group in groupby(chosen)]
        chance, left = flint.fmpq(1), len(chosen)
        for i, n in groups:
            chance *= comb(left, n) * fmpq(self.chances[i]) ** n
            left -= n
        return [i for i, _ in groups], [n for _, n in groups], chance

    def solve(
        self, points: list[int], times: list[int], ridge: flint.fmpq, *, inverse: bool = False
    ) -> tuple[Any, Any]:
        """The coefficients of the predictor without noise, and the inverse matrix if it is wanted.

        A point that is drawn n times is one sample with the n-th part of the ridge.
        """
        K = self.matrix.flint
        gram = flint.fmpq_mat(
            [
                [K[i, j] + (ridge / n if i == j else 0) for j in points]
                for i, n in zip(points, times, strict=True)
            ]
        )
        labels = flint.fmpq_mat([[fmpq(self.values[i])] for i in points])
        try:
            if not inverse:
                return gram.solve(labels), None
            inverted = gram.inv()
            return inverted * labels, inverted
        except ZeroDivisionError:
            raise _singular(points) from None

    # --- random training sets -----------------------------------------------------------------
    def simulate(
        self, samples: int, ridge: Any = None, *, noise: Any = 0, trials: int = 200, seed: int = 0
    ) -> Errors[Pair]:
        """The mean errors over random training sets, each with its standard error: floats.

        >>> coin = Regression([0, 1], [[1, 0], [0, 1]], [1, -1], ["1/2", "1/2"])
        >>> mean, spread = coin.simulate(1, 1, trials=20).test
        >>> round(mean, 6), spread < 1e-12
        (0.625, True)
        """
        drawn = self.draws(samples, ridge, noise=noise, trials=trials, seed=seed)
        with progress("training sets", integer(trials, "trials", at_least=2)) as report:
            return self.errors_of(drawn, report)

    def draws(
        self, samples: int, ridge: Any, *, noise: Any, trials: int, seed: int
    ) -> Iterator[tuple[Any, Floats, Floats]]:
        """Random training sets: the places of the points, their labels, the prediction everywhere.

        The noise is Gaussian.
        """
        K, f, p = self.arrays
        count = integer(samples, "samples", at_least=0, limit=DRAWN)
        rounds = integer(trials, "trials", at_least=2)
        shift = as_float(self.ridge(ridge), "the ridge", divides=True)
        deviation = sqrt(as_float(number(noise, "the noise", at_least=0), "the noise"))
        generator = np.random.default_rng(integer(seed, "seed", at_least=0))
        for _ in range(rounds):
            chosen = generator.choice(len(p), size=count, p=p)
            labels = f[chosen]
            if deviation:
                labels = labels + deviation * generator.standard_normal(count)
            yield chosen, labels, predict(K, chosen, labels, shift)

    def errors_of(
        self, draws: Iterable[tuple[Any, Floats, Floats]], report: Report | None = None
    ) -> Errors[Pair]:
        """The mean errors of some draws, each with its standard error; each may be reported."""
        f, rows, count = self.arrays[1], [], 0
        laws = [np.array(law, dtype=float) for law in self._laws]
        for chosen, labels, predicted in draws:
            count = len(chosen)
            train = np.mean((predicted[chosen] - labels) ** 2) if count else 0.0
            rows.append([train, *(law @ (predicted - f) ** 2 for law in laws)])
            if report is not None:
                report(1)
        train, test, *shifted = (mean_of(column) for column in zip(*rows, strict=True))
        return Errors(train if count else None, test, shifted[0] if shifted else None, "float")

    # --- theories -----------------------------------------------------------------------------
    @cached_property
    def eigenfunctions(self) -> tuple[Floats, Floats, Floats]:
        """The root of the law, the eigenvalues of the kernel, rising, and their vectors: floats."""
        K, _, p = self.arrays
        root = np.sqrt(p)
        values, vectors = np.linalg.eigh(root[:, None] * K * root[None, :])
        return root, values, vectors

    def _positive(self) -> tuple[Floats, Floats, Floats]:
        """The same, without rounding errors around 0; a negative eigenvalue is refused."""
        root, values, vectors = self.eigenfunctions
        if values[0] < -_CLOSE * np.abs(values).max():
            raise BadValue(
                f"{self._source} has the eigenvalue {values[0]:.6g}: give one that is positive "
                "semidefinite"
            )
        return root, np.where(values > _NOTHING * values[-1], values, 0.0), vectors

    def levels(self) -> tuple[Level, ...]:
        """Eigenvalues of the kernel, multiplicities and parts of |f|^2, by numpy: floats.

        >>> ones = Regression([0, 1], [[1, 1], [1, 1]], [3, 1], ["1/2", "1/2"])
        >>> [(round(v, 6), n, round(part, 6)) for v, n, part in ones.levels()]
        [(1.0, 1, 4.0), (0.0, 1, 1.0)]
        """
        return self._levels

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        root, values, vectors = self._positive()
        parts = (vectors.T @ (root * self.arrays[1])) ** 2
        found: list[Level] = []
        for value, part in zip(map(float, values[::-1]), map(float, parts[::-1]), strict=True):
            if found and found[-1].eigenvalue - value <= _CLOSE * values[-1]:
                last = found.pop()
                found.append(Level(last.eigenvalue, last.multiplicity + 1, last.part + part))
            else:
                found.append(Level(value, 1, part))
        return tuple(found)

    def theories(
        self, samples: int, ridge: Any = None, *, noise: Any = 0, levels: Any = None
    ) -> Errors[Pair]:
        """What the equivalent kernel and the self-consistent theory predict: pairs of floats.

        The levels of the kernel may be given; by default numpy computes them. Under the test law
        the eigenfunctions are extended by the kernel to all points.

        >>> ones = Regression([0, 1], [[1, 0], [0, 1]], [1, -1], [1, 0], [0, 1])
        >>> ones.theories(100, 1).shifted  # what was never seen is predicted 0
        (1.0, 1.0)
        """
        known = self.levels() if levels is None else tuple(levels)
        setting = {"samples": samples, "ridge": self.ridge(ridge), "noise": noise}
        count, shift, variance = read_setting(samples, setting["ridge"], noise)

        def both(train: bool) -> Pair:
            return (
                equivalent_kernel(known, **setting, train=train),
                self_consistent(known, **setting, train=train),
            )

        shifted = self._shifted(count, shift, variance) if self.test_chances else None
        return Errors(both(True) if count else None, both(False), shifted, "float")

    def _shifted(self, count: int, shift: float, variance: float) -> Pair:
        """The errors under the test law; see `symbench.learning.theories`."""
        law = np.array(self.test_chances, dtype=float)
        K, f, _ = self.arrays
        if count == 0:
            start = float(law @ f**2)
            return start, start
        root, values, vectors = self._positive()
        parts = vectors.T @ (root * f)
        # l_i phi_i, on all points: a positive semidefinite kernel has 0 where l_i is 0.
        sections = (K * root[None, :]) @ vectors * (values > 0)

        def error(q: float, against_labels: float) -> float:
            taken = sections * (count / (count * values + q))[None, :]
            bias = law @ (taken @ parts - f) ** 2
            return float(bias + against_labels / count * (law @ (taken**2).sum(axis=1)))

        levels = [Level(float(v), 1, float(g) ** 2) for v, g in zip(values, parts, strict=True)]
        q = solved_ridge(levels, count, shift)
        return error(shift, variance), error(q, error_of_labels(levels, count, shift, q, variance))

    # --- bounds -------------------------------------------------------------------------------
    def bound(self, samples: int, *, shifted: bool = False) -> Rational | None:
        """A number below the expected error under the law, or under the test law, if one is known.

        None here: a bound comes from a symmetry, and points have none.
        """
        return None


def mean_of(values: Iterable[Any]) -> Pair:
    """The mean of some floats, and its standard error.

    >>> mean_of([1.0, 3.0])
    (2.0, 1.0)
    """
    found = np.array(list(values), dtype=float)
    return float(found.mean()), float(found.std(ddof=1)) / sqrt(len(found))


def predict(K: Floats, places: Any, labels: Floats, ridge: float) -> Floats:
    """What ridge regression on samples at these places, with these labels, predicts everywhere.

    A point that is drawn n times is one sample with the mean label and the n-th part of the ridge;
    written with the root of n on both sides of the kernel, the ridge is one number.
    """
    weights: Any
    drawn = np.bincount(places, minlength=len(K))
    points = np.flatnonzero(drawn)
    root = np.sqrt(drawn[points])
    sums = np.bincount(places, weights=labels, minlength=len(K))[points] / root
    system = root[:, None] * K[np.ix_(points, points)] * root[None, :]
    if ridge <= _LOST * np.trace(system):
        # Where a positive semidefinite kernel is 0 there is nothing to predict with.
        values, vectors = np.linalg.eigh(system)
        if values[0] < -_LOST * values[-1]:
            raise BadValue(
                f"the kernel matrix of the points number {points.tolist()} has the eigenvalue "
                f"{values[0]:.6g}: give a kernel that is positive semidefinite, or a larger ridge"
            )
        kept = values > _NOTHING * values[-1]
        basis = vectors[:, kept]
        weights = basis @ ((basis.T @ sums) / (values[kept] + ridge))
    else:
        try:
            weights = np.linalg.solve(system + ridge * np.eye(len(points)), sums)
        except np.linalg.LinAlgError:
            raise _singular(points.tolist()) from None
    found: Floats = (K[:, points] * root) @ weights
    return found


def _singular(points: list[int]) -> NotInvertible:
    return NotInvertible(
        f"the kernel matrix of the points number {points} plus the ridge is singular: is the "
        "kernel positive semidefinite?"
    )
