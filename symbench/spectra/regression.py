"""Kernel ridge regression on words: its expected error, exactly for few samples, or simulated.

The predictor from samples x_1, ..., x_N, drawn independently from the law, with labels f(x_i), is
sum a_i k(., x_i), (K + ridge I) a = y. The exact expectation goes through all multisets of
samples; the simulation draws some with a seed.

>>> from symbench.kernels import linear_attention
>>> from symbench.spectra.regression import expected_error
>>> from symbench.spectra.targets import polynomial
>>> flatten = linear_attention(1, 1, readout="flatten")
>>> expected_error(flatten, polynomial({(1,): 1, (2,): -1}), length=2, samples=1, ridge=1)
2254/1089
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, sqrt
from typing import Any

import attrs
import flint

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotInvertible,
    SymbenchError,
    TooLarge,
)
from symbench.exact import Rational
from symbench.exact.rational import exact_number, fmpq, integer, number_text, rational, shown
from symbench.kernels.base import Kernel
from symbench.kernels.diagram import Diagram
from symbench.spectra.invariant import TableKernel
from symbench.spectra.law import Law, read_law
from symbench.spectra.targets import Target, read_target

Word = tuple[int, ...]
# More words are not put into a matrix; more training sets are not gone through.
_WORDS = 1_024
_SETS = 200_000


@attrs.frozen(eq=False, repr=False)
class Problem:
    """A kernel, a target and a law on all words of one length, as tables of exact numbers.

    >>> from symbench.kernels import linear_attention
    >>> from symbench.spectra.targets import parity
    >>> Problem.of(linear_attention(1, 1), parity(1), length=2)
    Problem: 4 words of length 2, |f|^2 = 1
    """

    words: tuple[Word, ...]
    kernel: tuple[tuple[Rational, ...], ...]
    values: tuple[Rational, ...]
    law: tuple[Rational, ...]

    def __repr__(self) -> str:
        return (
            f"Problem: {len(self.words)} words of length {len(self.words[0])}, |f|^2 = {self.norm}"
        )

    @classmethod
    def of(cls, kernel: Any, target: Target, *, length: int, law: Law | None = None) -> Problem:
        """The tables; the kernel is one of sb.kernels or a function of two tuples of tokens."""
        function, on_words = read_target(target), kernel_on_words(kernel, read_target(target))
        size = integer(length, "the length", at_least=1)
        if function.variables > size:
            raise BadShape(
                f"the target reads {function.variables} positions, the words have {size}"
            )
        tokens = function.vocabulary
        chosen = read_law(law, size, tokens)
        if size > _WORDS.bit_length() or tokens**size > _WORDS:
            raise TooLarge(
                f"there are {tokens}^{number_text(size)} words, and a kernel matrix has at most "
                f"{_WORDS:,} rows here: give shorter words"
            )
        words = tuple(product(range(tokens), repeat=size))
        rows = [[on_words(x, y) for y in words[: i + 1]] for i, x in enumerate(words)]
        full = tuple(
            tuple(rows[max(i, j)][min(i, j)] for j in range(len(words))) for i in range(len(words))
        )
        return cls(
            words,
            full,
            tuple(map(function.value, words)),
            tuple(chosen.of_counts(tuple(map(word.count, range(tokens)))) for word in words),
        )

    @property
    def norm(self) -> Rational:
        """The mean of f^2."""
        return Rational(sum(p * v * v for p, v in zip(self.law, self.values, strict=True)))

    def arrays(self) -> tuple[Any, Any, Any]:
        """The kernel, the values and the law as numpy arrays of floats."""
        import numpy as np

        return (
            np.array(self.kernel, dtype=float),
            np.array(self.values, dtype=float),
            np.array(self.law, dtype=float),
        )


def kernel_on_words(kernel: Any, target: Target) -> Callable[[Word, Word], Rational]:
    """The kernel as a function of two words over 0, ..., V - 1 with exact values."""
    tokens = target.vocabulary
    if isinstance(kernel, type) or kernel is None:
        raise BadType(f"{shown(kernel)} is no kernel: sb.kernels has some")
    if isinstance(kernel, Kernel):

        def function(x: Word, y: Word) -> Any:
            return kernel.on_diagram(Diagram.from_codes(x + y))

    elif isinstance(kernel, TableKernel):

        def function(x: Word, y: Word) -> Any:
            return kernel.value(x, y, vocabulary=tokens)

    else:
        function = getattr(kernel, "value", kernel)
        if not callable(function):
            raise BadType(
                f"{shown(kernel)} is no kernel: give one of sb.kernels or a function of two words"
            )

    def value(x: Word, y: Word) -> Rational:
        try:
            return Rational(exact_number(function(x, y)))
        except NotExact as error:
            raise NotExact(f"the kernel at {x}, {y}: {error}") from None
        except SymbenchError as error:
            raise BadValue(f"the kernel at {x}, {y} is no rational number: {error}") from None
        except Exception as error:
            raise BadValue(f"the kernel fails at {x}, {y}: {error!r}") from error

    return value


def expected_error(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: int,
    ridge: Any,
    law: Law | None = None,
) -> Rational:
    """The exact expected squared error, over all training sets of so many samples.

    >>> from symbench.spectra.targets import parity
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
    return error_over_sets(problem, samples, ridge)


def error_over_sets(problem: Problem, samples: int, ridge: Any) -> Rational:
    """The exact expected squared error of a tabulated problem."""
    count = integer(samples, "samples", at_least=0)
    shift = read_ridge(ridge)
    support = [i for i, p in enumerate(problem.law) if p]
    sets = comb(len(support) + count - 1, count)
    if sets > _SETS:
        raise TooLarge(
            f"there are {number_text(sets)} sets of {number_text(count)} samples from "
            f"{len(support):,} words: at most {_SETS:,} are gone through; simulate instead"
        )
    K = flint.fmpq_mat([[fmpq(k) for k in row] for row in problem.kernel])
    size = len(problem.words)
    weighted = flint.fmpq_mat(
        [[fmpq(p) * K[i, j] for j in range(size)] for i, p in enumerate(problem.law)]
    )
    square = K.transpose() * weighted  # the inner products of two kernel sections
    f = flint.fmpq_mat([[fmpq(v)] for v in problem.values])
    overlap = weighted.transpose() * f
    total = flint.fmpq(0)
    for chosen in combinations_with_replacement(support, count):
        points = sorted(set(chosen))
        times = [chosen.count(i) for i in points]
        chance = Fraction(factorial(count))
        for i, n in zip(points, times, strict=True):
            chance *= problem.law[i] ** n / factorial(n)
        total += fmpq(chance) * _learned(K, square, overlap, f, points, times, fmpq(shift))
    return Rational(problem.norm + rational(total))


def _learned(
    K: Any, square: Any, overlap: Any, f: Any, points: list[int], times: list[int], ridge: Any
) -> Any:
    """|f^|^2 - 2 <f^, f>; a point drawn n times is one point with the n-th part of the ridge."""
    size = len(points)
    if not size:
        return flint.fmpq(0)
    gram = flint.fmpq_mat(
        [
            [K[i, j] + (ridge / n if i == j else 0) for j in points]
            for i, n in zip(points, times, strict=True)
        ]
    )
    labels = flint.fmpq_mat([[f[i, 0]] for i in points])
    try:
        a = gram.solve(labels)
    except ZeroDivisionError:
        raise NotInvertible(
            f"the kernel matrix of the words number {points} plus the ridge is singular: is the "
            "kernel positive semidefinite?"
        ) from None
    total = flint.fmpq(0)
    for s, i in enumerate(points):
        inner = sum((a[t, 0] * square[i, j] for t, j in enumerate(points)), flint.fmpq(0))
        total += a[s, 0] * (inner - 2 * overlap[i, 0])
    return total


def simulated_error(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: int,
    ridge: Any,
    law: Law | None = None,
    trials: int = 200,
    seed: int = 0,
) -> tuple[float, float]:
    """The mean squared error over random training sets, and its standard error: floats.

    >>> from symbench.spectra.targets import parity
    >>> mean, spread = simulated_error(
    ...     lambda x, y: int(x == y), parity(2), length=2, samples=1, ridge=1, trials=20)
    >>> round(mean, 6), spread < 1e-12
    (0.8125, True)
    """
    problem = Problem.of(kernel, target, length=length, law=law)
    return error_by_simulation(problem, samples, ridge, trials=trials, seed=seed)


def error_by_simulation(
    problem: Problem, samples: int, ridge: Any, *, trials: int, seed: int
) -> tuple[float, float]:
    """The simulated error of a tabulated problem, and its standard error."""
    import numpy as np

    count = integer(samples, "samples", at_least=0)
    rounds = integer(trials, "trials", at_least=2)
    shift = float(read_ridge(ridge))
    K, f, p = problem.arrays()
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    errors = np.empty(rounds)
    for t in range(rounds):
        chosen = generator.choice(len(p), size=count, p=p)
        gram = K[np.ix_(chosen, chosen)] + shift * np.eye(count)
        predicted = K[:, chosen] @ np.linalg.solve(gram, f[chosen])
        errors[t] = p @ (predicted - f) ** 2
    return float(errors.mean()), float(errors.std(ddof=1)) / sqrt(rounds)


def read_ridge(value: Any) -> Rational:
    """A ridge: an exact positive number."""
    try:
        number = Rational(exact_number(value))
    except NotExact as error:
        raise NotExact(f"the ridge: {error}") from None
    if number <= 0:
        raise BadValue(f"the ridge is {number}: give a positive one, as small as you like")
    return number
