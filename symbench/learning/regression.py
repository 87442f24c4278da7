"""Kernel ridge regression on words: its expected error over all training sets, exactly.

The predictor from samples x_1, ..., x_N, drawn independently from the law, with labels f(x_i) and
perhaps independent noise, is sum a_i k(., x_i), (K + ridge I) a = y. Its error is measured against
f under the law, against f under another law, and against the labels on the samples themselves. The
expectation goes through all multisets of samples.

>>> from symbench.learning.targets import polynomial
>>> flatten = linear_attention(1, 1, readout="flatten")
>>> expected_error(flatten, polynomial({(1,): 1, (2,): -1}), length=2, samples=1, ridge=1)
2254/1089
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, groupby
from math import comb, inf
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.errors import BadType, BadValue, NotExact, NotInvertible, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, fmpq, rational
from symbench.laws.exchangeable import Law
from symbench.learning.targets import Target, read_target
from symbench.learning.words import Word, kernel_table, words_law, words_of

# More training sets are not gone through, nor more samples in all of them than so many for each.
_SETS, _SAMPLES_EACH = 200_000, 100
# Numbers outside are not computed with as floats: their squares must not overflow.
_SMALLEST, _LARGEST = 1e-100, 1e100


@attrs.frozen(eq=False, repr=False, slots=False)
class Problem:
    """A kernel, a target and a law on all words of one length, as tables of exact numbers.

    `test` is the law of the words that are predicted, where it is another one.

    >>> from symbench.learning.targets import parity
    >>> Problem.of(linear_attention(1, 1), parity(1), length=2)
    Problem: 4 words of length 2, |f|^2 = 1
    """

    words: tuple[Word, ...]
    kernel: tuple[tuple[Rational, ...], ...]
    values: tuple[Rational, ...]
    law: tuple[Rational, ...]
    test: tuple[Rational, ...] | None = None

    def __repr__(self) -> str:
        return (
            f"Problem: {len(self.words)} words of length {len(self.words[0])}, |f|^2 = {self.norm}"
        )

    @classmethod
    def of(
        cls,
        kernel: Any,
        target: Target,
        *,
        length: int,
        law: Law | None = None,
        test_law: Law | None = None,
    ) -> Problem:
        """The tables; the kernel is one of sb.kernels or a function of two tuples of tokens.

        A law is None (uniform), a law of sb, or anything with a vocabulary and the probability
        of each word, such as a hidden Markov model.
        """
        function, size = read_target(target, length)
        tokens = function.vocabulary
        words = words_of(size, tokens)
        chances = words_law(law, words, tokens)
        others = None if test_law is None else words_law(test_law, words, tokens)
        return cls(
            words,
            kernel_table(kernel, words, tokens),
            tuple(map(function.value, words)),
            chances,
            others,
        )

    @property
    def norm(self) -> Rational:
        """The mean of f^2 under the law."""
        return self.norm_under(self.law)

    def norm_under(self, law: tuple[Rational, ...]) -> Rational:
        """The mean of f^2 under a law that is given by the probabilities of the words."""
        return Rational(sum(p * v * v for p, v in zip(law, self.values, strict=True)))

    @property
    def trace(self) -> Rational:
        """The mean of k(x, x) under the law."""
        return Rational(sum(p * self.kernel[i][i] for i, p in enumerate(self.law)))

    @cached_property
    def _arrays(self) -> tuple[Any, Any, Any]:
        import numpy as np

        kernel = [[as_float(k, "a value of the kernel") for k in row] for row in self.kernel]
        values = [as_float(v, "a value of the target") for v in self.values]
        return np.array(kernel), np.array(values), np.array(self.law, dtype=float)

    def arrays(self) -> tuple[Any, Any, Any]:
        """The kernel, the values and the law as numpy arrays of floats."""
        return self._arrays

    def laws(self) -> tuple[tuple[Rational, ...], ...]:
        """The law, and the test law where there is one."""
        return (self.law,) if self.test is None else (self.law, self.test)

    @cached_property
    def exact_kernel(self) -> Any:
        """The kernel as a FLINT matrix."""
        return flint.fmpq_mat([[fmpq(k) for k in row] for row in self.kernel])

    @cached_property
    def sections(self) -> tuple[tuple[Any, Any], ...]:
        """For each law the inner products of two kernel sections, and of one with f."""
        K, size = self.exact_kernel, len(self.words)
        f = flint.fmpq_mat([[fmpq(v)] for v in self.values])
        found = []
        for law in self.laws():
            weighted = flint.fmpq_mat(
                [[fmpq(p) * K[i, j] for j in range(size)] for i, p in enumerate(law)]
            )
            found.append((K.transpose() * weighted, weighted.transpose() * f))
        return tuple(found)


@attrs.frozen
class Errors:
    """Expected squared errors of regression, all of them exact.

    `train` is the mean over the samples against their labels, None without samples; `test` is
    against the target under the law of the samples, `shifted` under the test law, None where
    there is no other.

    >>> Errors(train=None, test=Rational(1), shifted=None).test
    1
    """

    train: Rational | None
    test: Rational
    shifted: Rational | None
    exactness = "exact"


def expected_error(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: int,
    ridge: Any,
    law: Law | None = None,
    noise: Any = 0,
) -> Rational:
    """The exact expected squared error, over all training sets of so many samples.

    The labels may have independent noise of this variance; the error is against the target.

    >>> from symbench.learning.targets import parity
    >>> def same(x, y):  # remembers the samples, and nothing else
    ...     return int(x == y)
    >>> expected_error(same, parity(2), length=2, samples=1, ridge=1)
    13/16
    >>> expected_error(same, parity(2), length=2, samples=1, ridge=0.1)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: the ridge: 0.1 is a float, not an exact number: write '1/10' or \
Fraction(1, 10)
    """
    problem = Problem.of(kernel, target, length=length, law=law)
    return error_over_sets(problem, samples, ridge, noise=noise)


def error_over_sets(problem: Problem, samples: int, ridge: Any, *, noise: Any = 0) -> Rational:
    """The exact expected squared error of a tabulated problem under its law."""
    return errors_over_sets(problem, samples, ridge, noise=noise).test


def errors_over_sets(
    problem: Problem, samples: int, ridge: Any, *, noise: Any = 0, most: int = _SETS
) -> Errors:
    """The exact expected errors of a tabulated problem: train, test and shifted.

    noise is the variance of independent noise on the labels. With G = K + ridge I on the
    samples it adds noise E tr(G^-1 Q G^-1) to the test error, Q the inner products of the
    kernel sections at the samples; the training error is ridge^2 / N times |G^-1 y|^2. More
    than `most` training sets are refused.

    >>> from symbench.learning.targets import parity
    >>> problem = Problem.of(lambda x, y: int(x == y), parity(1), length=1)
    >>> errors_over_sets(problem, 1, 1, noise="1/2")
    Errors(train=3/8, test=11/16, shifted=None)
    """
    read_problem(problem)
    count = integer(samples, "samples", at_least=0)
    shift, variance = fmpq(read_ridge(ridge)), fmpq(read_noise(noise))
    sets = training_sets(problem, count, most=most)
    K, sections = problem.exact_kernel, problem.sections
    train, sums = flint.fmpq(0), [flint.fmpq(0) for _ in sections]
    for points, times, chance in sets:
        if not points:
            break
        a, inverse = solve_samples(problem, K, points, times, shift, inverse=bool(variance))
        size = range(len(points))
        for place, (square, overlap) in enumerate(sections):
            inner = flint.fmpq_mat([[square[i, j] for j in points] for i in points])
            heights = flint.fmpq_mat([[2 * overlap[i, 0]] for i in points])
            here = (a.transpose() * (inner * a - heights))[0, 0]
            if variance:
                spread = inverse * inner * inverse
                here += variance * sum((spread[i, i] / times[i] for i in size), flint.fmpq(0))
            sums[place] += chance * here
        # A word drawn n times has n residuals of ridge a / n each, noise apart.
        loss = sum((a[i, 0] ** 2 / times[i] for i in size), flint.fmpq(0))
        if variance:
            loss += variance * (count - len(points)) / shift**2
            for i in size:
                for j in size:
                    loss += variance * inverse[i, j] ** 2 / (times[i] * times[j])
        train += chance * loss * shift**2 / count
    errors = [
        Rational(problem.norm_under(law) + rational(x))
        for law, x in zip(problem.laws(), sums, strict=True)
    ]
    return Errors(
        rational(train) if count else None, errors[0], errors[1] if len(errors) > 1 else None
    )


def training_sets(
    problem: Problem, count: int, *, most: int = _SETS
) -> Iterator[tuple[list[int], list[int], Any]]:
    """All multisets of so many samples: the different words, how often, and the probability."""
    support = [i for i, p in enumerate(problem.law) if p]
    sets = comb(len(support) + count - 1, count)
    limit = integer(most, "most", at_least=0)
    if sets > limit or sets * count > limit * _SAMPLES_EACH:
        raise TooLarge(
            f"{shown(sets)} sets of {shown(count)} samples from {len(support):,} words: at most "
            f"{limit:,} sets with {limit * _SAMPLES_EACH:,} samples in all are gone through; "
            "simulate instead"
        )
    return (_multiset(problem, chosen) for chosen in combinations_with_replacement(support, count))


def _multiset(problem: Problem, chosen: tuple[int, ...]) -> tuple[list[int], list[int], Any]:
    groups = [(i, len(list(group))) for i, group in groupby(chosen)]
    chance, left = flint.fmpq(1), len(chosen)
    for i, n in groups:
        chance *= comb(left, n) * fmpq(problem.law[i]) ** n
        left -= n
    return [i for i, _ in groups], [n for _, n in groups], chance


def solve_samples(
    problem: Problem, K: Any, points: list[int], times: list[int], ridge: Any, *, inverse: bool
) -> tuple[Any, Any]:
    """The coefficients of the predictor without noise, and the inverse matrix if it is wanted.

    A word that is drawn n times is one sample with the n-th part of the ridge.
    """
    gram = flint.fmpq_mat(
        [
            [K[i, j] + (ridge / n if i == j else 0) for j in points]
            for i, n in zip(points, times, strict=True)
        ]
    )
    labels = flint.fmpq_mat([[fmpq(problem.values[i])] for i in points])
    try:
        if not inverse:
            return gram.solve(labels), None
        inverted = gram.inv()
        return inverted * labels, inverted
    except ZeroDivisionError:
        raise NotInvertible(
            f"the kernel matrix of the words number {points} plus the ridge is singular: is the "
            "kernel positive semidefinite?"
        ) from None


def read_ridge(value: Any) -> Rational:
    """A ridge: an exact positive number."""
    try:
        number = Rational(exact_number(value))
    except NotExact as error:
        raise NotExact(f"the ridge: {error}") from None
    if number <= 0:
        raise BadValue(f"the ridge is {number}: give a positive one, as small as you like")
    return number


def as_float(value: Fraction, what: str, *, at_least: float | None = None) -> float:
    """A number as a float, or an error that names it where floats cannot hold its square."""
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if abs(number) > _LARGEST or (at_least is not None and number < at_least):
        raise BadValue(
            f"{what} is {shown(value)}: the part in floats takes numbers from 1e-100 to 1e100; "
            "multiply the kernel and the ridge, or the target, by a number"
        )
    return number


def float_ridge(ridge: Any) -> float:
    """A ridge as a float, which is not 0."""
    return as_float(read_ridge(ridge), "the ridge", at_least=_SMALLEST)


def read_problem(problem: Any) -> Problem:
    """A tabulated problem, or an error."""
    if not isinstance(problem, Problem):
        raise BadType(f"{shown(problem)} is no Problem: build one by Problem.of(kernel, target)")
    return problem


def ridge_for(problem: Problem, ridge: Any) -> Rational:
    """The ridge, None for a twentieth of E k(x, x): a choice that does not depend on scales."""
    if ridge is not None:
        return read_ridge(ridge)
    return Rational(problem.trace / 20) if problem.trace > 0 else Rational(1)


def read_noise(value: Any) -> Rational:
    """The variance of the noise on the labels: an exact number of at least 0."""
    try:
        number = Rational(exact_number(value))
    except NotExact as error:
        raise NotExact(f"the noise: {error}") from None
    if number < 0:
        raise BadValue(f"the noise is {number}: a variance is at least 0")
    return number
