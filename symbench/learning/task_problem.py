"""TaskProblem: a task learned from random strings by ridge regression, `Problem(kernel, task)`.

For each number of training strings, every template with its share of them, there are four answers
beside each other: the exact error if no two strings have a common token, a proved bound of the mean
error over random training sets, the error of random training sets, and the limit. All errors are
absolute errors, averaged over the templates.

>>> task = Task([Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1])
>>> problem = Problem(inner_product(lambda n: n, incidence=True), task, symbols=1000)
>>> problem
TaskProblem: 2 templates of length 3, exact, 1000 symbols
>>> problem.fresh(4, 1), problem.fresh(400, 1), problem.cost(1)
(63/101, 5409/326009, (6, 15/2))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erf, exp, inf, isqrt, pi, sqrt
from typing import Any

import attrs

from symbench._arguments import flag, function, instance, integer, integers, shown
from symbench.draw.progress import progress
from symbench.draw.views import Shown
from symbench.errors import BadValue, NotInvertible
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import Floats, np
from symbench.kernels.base import Kernel
from symbench.learning.learning_curves import LearningCurve, TaskLosses, TaskPoint
from symbench.learning.numbers import as_float, number
from symbench.learning.regression import Pair, mean_of
from symbench.learning.task_ridge import TaskRidge
from symbench.learning.template_split import Number, TemplateSplit
from symbench.words import FiniteSubstitutions, Sample, Task
from symbench.words.letters import MOST_TOKENS

# What a ridge may be: a number, a function of the number of samples, or its name.
Ridge = Any


@attrs.frozen(init=False, repr=False, eq=False, slots=False)
class TaskProblem(Shown):
    """A kernel and a task with numbers as labels, learned from strings over a number of symbols.

    `symbols` is how many tokens are put for wildcards in training: a number, or a function of the
    number of samples; by default the alphabet of the task's own law. CLS is appended to all strings
    where the kernel asks for it.

    >>> Problem(attention(beta=1, gamma=1), tasks.raven())
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the labels are not numbers: give one number for each template
    >>> Problem(attention(beta=1, gamma=1), tasks.same_different())
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the number of symbols is not known: give symbols=, or a ...
    """

    kernel: Kernel
    task: Task
    split: TemplateSplit
    _symbols: Callable[[int], int]

    def __init__(
        self,
        kernel: Kernel,
        target: Task,
        *,
        symbols: int | Callable[[int], int] | None = None,
        cls: bool = True,
        digits: int = 8,
    ) -> None:
        instance(target, Task, "the target", "a Task")
        target.need_numbers()
        split = TemplateSplit(target, kernel, flag(cls, "cls"), digits=digits)
        self.__attrs_init__(kernel, target, split, _read_symbols(target, symbols))

    def __repr__(self) -> str:
        size, length = len(self.split), len(self.split.templates[0])
        said = f"{size} template{'s' * (size > 1)} of length {length}, {self.split.exactness}"
        fixed = {self._symbols(1), self._symbols(2)}
        return f"TaskProblem: {said}" + (f", {fixed.pop()} symbols" if len(fixed) == 1 else "")

    @property
    def labels(self) -> tuple[Rational, ...]:
        """The labels of the templates."""
        return self.split.read_labels()

    @property
    def norm(self) -> Rational:
        """The mean of the squared labels."""
        return Rational(
            sum(w * y * y for w, y in zip(self.split.weights, self.labels, strict=True))
        )

    def counts(self, samples: int) -> tuple[int, ...]:
        """How many strings of each template there are: its share, rounded so that the sum is right.

        >>> problem = Problem(attention(beta=1, gamma=1), tasks.same_different(), symbols=9)
        >>> problem.counts(5)
        (3, 2)
        """
        count = integer(samples, "samples", at_least=0, limit=1_000_000)
        shares = [w * count for w in self.split.weights]
        found = [int(share) for share in shares]
        order = sorted(range(len(found)), key=lambda i: (found[i] - shares[i], i))
        for i in order[: count - sum(found)]:
            found[i] += 1
        return tuple(found)

    def ridge(self, ridge: Ridge, samples: int) -> Rational:
        """The ridge for so many samples: a number, a function, or 'sqrt', their root's floor."""
        if callable(ridge):
            return number(ridge(samples), "the ridge", at_least=0)
        if isinstance(ridge, str) and ridge == "sqrt":
            return Rational(isqrt(samples))
        return number(1 if ridge is None else ridge, "the ridge", at_least=0)

    # --- without common tokens ----------------------------------------------------------------
    def fresh(self, samples: int, ridge: Ridge = None, *, noise: Any = 0) -> Rational | float:
        """The mean error at the templates, if no two strings have a common token.

        An exact number for an exact kernel without noise; noise, Gaussian of this variance, makes
        the predictions Gaussian and the error a float.
        """
        counts, shift = self.counts(samples), self.ridge(ridge, samples)
        variance = number(noise, "the noise", at_least=0)
        found = self.split.errors(counts, ridge=shift)
        if not variance:
            return self._mean(found)
        gains = self.split.noise_gain(counts, ridge=shift)
        deviation = sqrt(as_float(variance, "the noise"))
        folded = [
            _folded(float(b), deviation * sqrt(float(g))) for b, g in zip(found, gains, strict=True)
        ]
        return float(self._mean(folded))

    def cost(self, ridge: Ridge = 0) -> tuple[Number, ...]:
        """The numbers c_j: n strings without common tokens have an error of about c_j / n."""
        return self.split.cost(ridge=self.ridge(ridge, 1))

    def limit(self, ridge: Ridge = None) -> Rational | float:
        """Where the mean error goes as strings without common tokens become many."""
        return self._mean(self.split.limit(ridge=self.ridge(ridge, 1)))

    def _mean(self, values: Sequence[Any]) -> Rational | float:
        """The mean over the templates: exact, or a float where one is."""
        weights = self.split.weights
        if all(isinstance(value, Fraction) for value in values):
            return Rational(sum(w * v for w, v in zip(weights, values, strict=True)))
        return float(sum(float(w) * float(v) for w, v in zip(weights, values, strict=True)))

    # --- with common tokens -------------------------------------------------------------------
    def symbols(self, samples: int) -> int:
        """How many tokens are put for wildcards in training with so many strings."""
        return integer(
            self._symbols(samples), "the number of symbols", at_least=1, limit=MOST_TOKENS // 2
        )

    def expected_spread(self, samples: int, ridge: Ridge = None) -> Matrix | Floats:
        """The mean of Omega over random training sets with these counts: exact for exact kernels.

        >>> problem = Problem(inner_product(lambda n: n, incidence=True), Task(
        ...     [Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1]), symbols=8)
        >>> problem.expected_spread(4, 1)
        Matrix([['13/8', '1/4'],
                ['1/4', '13/8']])
        """
        counts, shift = self.counts(samples), self.ridge(ridge, samples)
        if not all(counts):
            raise BadValue(f"{samples} samples leave out a template: give more")
        met = self._expected_residual(samples)
        exact = isinstance(met, Matrix)
        rows = [list(row) for row in (met.rows if isinstance(met, Matrix) else met.tolist())]
        for i, (n, own) in enumerate(zip(counts, self.split.residual, strict=True)):
            left = own if isinstance(own, Rational) else own.value
            part = Fraction(1, n) if exact else 1 / n
            rows[i][i] = (1 - part) * rows[i][i] + part * (
                (shift if exact else float(shift)) + left
            )
        return Matrix(rows) if exact else np.array(rows)

    def _expected_residual(self, samples: int) -> Matrix | Floats:
        if not isinstance(self.task.substitution, FiniteSubstitutions):
            return self.split.expected_residual(self.symbols(samples))
        raise BadValue(
            "the bound is for uniform substitution maps and the task has a law of its own: give "
            "Task(..., substitution=<alphabet>)"
        )

    def bound(
        self, samples: int, ridge: Ridge = None, *, noise: Any = 0, seen: bool = False
    ) -> float | None:
        """A proved bound of the mean error over random training sets: a float, None without one.

        With E Omega exact, the mean of |f(x) - f_j| on unseen tokens is at most
        (E Omega_jj tr(N^-1 E Omega) Q)^(1/2), and noise adds sigma (E Omega_jj / ridge)^(1/2).
        With seen=True the bound is for strings over seen symbols, without noise. None stands where
        N is singular, the ridge is 0 or a template has no sample.
        """
        shift, variance = self.ridge(ridge, samples), number(noise, "the noise", at_least=0)
        if not shift or not all(self.counts(samples)) or (seen and variance):
            return None
        f = np.array([float(y) for y in self.labels])
        N = np.array([[float(x) for x in row] for row in self.split.lists[-1][0]])
        met = self.expected_spread(samples, ridge)
        omega = np.array(met.rows if isinstance(met, Matrix) else met, dtype=float)
        try:
            dual, spread = np.linalg.solve(N, f), np.trace(np.linalg.solve(N, omega))
        except np.linalg.LinAlgError:
            return None
        Q = float(f @ dual)
        if Q < 0 or np.linalg.matrix_rank(N) < len(N):
            return None
        # h <= 1/4 and h <= omega, both before the mean is taken.
        shrunk = min(0.25, float(spread))
        found = np.sqrt(Q * shrunk * np.diag(omega))
        found += np.sqrt(float(variance) * np.diag(omega) / float(shift))
        if seen:
            found += np.sqrt(Q * shrunk * np.array([float(x) for x in self.split.residual]))
        return float(self._mean(found.tolist()))

    def rate(self, samples: int) -> float:
        """n^(-1/2) + rho^(-1/2): the rate of Theorem 4.4 of boix2024 without its constant."""
        most = max(len(z.wildcards) for z in self.split.templates)
        rho = self.symbols(samples) / most if most else inf
        return 1 / sqrt(samples) + 1 / sqrt(rho) if samples else inf

    def simulate(
        self,
        samples: int,
        ridge: Ridge = None,
        *,
        noise: Any = 0,
        trials: int = 20,
        tests: int = 200,
        seed: int = 0,
    ) -> tuple[Pair, Pair]:
        """Mean errors over random training sets, on unseen and on seen symbols: floats.

        Each has its standard error. On unseen symbols all strings of a template have one
        prediction; on seen ones `tests` strings are drawn for each training set.
        """
        counts, shift = self.counts(samples), self.ridge(ridge, samples)
        deviation = sqrt(as_float(number(noise, "the noise", at_least=0), "the noise"))
        rounds = integer(trials, "trials", at_least=2)
        asked = integer(tests, "tests", at_least=1, limit=100_000)
        generator = np.random.default_rng(integer(seed, "seed", at_least=0))
        alphabet = None if self.task.substitution is not None else 2 * self.symbols(samples)
        f = np.array([float(y) for y in self.labels])
        unseen, seen = [], []
        # Drawn at once: the names of many symbols are made once then.
        every, _ = self.task.sample(
            [rounds * n for n in counts], generator, alphabet, test=0, noise=deviation
        )
        others, _ = self.task.sample(rounds * asked, generator, alphabet, test=0)
        starts = rounds * np.cumsum([0, *counts[:-1]])
        with progress("training sets", rounds) as report:
            for k in range(rounds):
                rows = [
                    np.arange(s + k * n, s + k * n + n) for s, n in zip(starts, counts, strict=True)
                ]
                train = _part(every, np.concatenate(rows))
                test = _part(others, np.arange(k * asked, k * asked + asked))
                if not samples:
                    unseen.append(self._mean(np.abs(f).tolist()))
                    seen.append(float(np.abs(f[test.indices]).mean()))
                    continue
                found = TaskRidge(
                    self.task,
                    self.kernel,
                    train,
                    ridge=shift,
                    cls=len(self.split.templates[0]) > self.task.length,
                    backend="float",
                    digits=self.split.digits or 8,
                )
                new = [abs(float(p) - y) for p, y in zip(found.unseen, f, strict=True)]
                unseen.append(self._mean(new))
                old = np.array([float(p) for p in found.predict(test)])
                seen.append(float(np.abs(old - f[test.indices]).mean()))
                report(1)
        return mean_of(map(float, unseen)), mean_of(seen)

    def curve(
        self,
        samples: Sequence[int],
        ridge: Ridge = None,
        *,
        noise: Any = 0,
        trials: int = 20,
        tests: int = 200,
        seed: int = 0,
    ) -> LearningCurve:
        """The errors on unseen and on seen symbols against the number of training strings.

        The ridge is a number (None: 1), 'sqrt' for the integer part of the root of the number of
        samples, or a function of it; noise is the variance of Gaussian noise on the labels.

        >>> problem = Problem(inner_product(lambda n: n, incidence=True), Task(
        ...     [Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1]),
        ...     symbols=lambda n: n)
        >>> curve = problem.curve([50, 200], trials=5)
        >>> [str(point.unseen.fresh) for point in curve.points], curve.names
        (['684/5759', '2709/83009'], ('unseen', 'seen'))
        >>> all(x.unseen.simulated < x.unseen.bound for x in curve.points)
        True
        """
        counts = integers(samples, "samples", at_least=0)
        if not counts:
            raise BadValue("samples is empty: give at least one number of samples")
        variance = number(noise, "the noise", at_least=0)
        points = []
        for count in counts:
            both = self.simulate(
                count, ridge, noise=variance, trials=trials, tests=tests, seed=seed
            )
            rows = []
            for seen, (mean, spread) in zip((False, True), both, strict=True):
                rows.append(
                    TaskLosses(
                        None if seen else self.fresh(count, ridge, noise=variance),
                        self._bound(count, ridge, variance, seen),
                        mean,
                        spread,
                        None if seen else self._limit(ridge),
                        self.rate(count),
                    )
                )
            points.append(TaskPoint(samples=count, unseen=rows[0], seen=rows[1]))
        growth = shown(ridge) if callable(ridge) else "sqrt" if ridge == "sqrt" else ""
        first = self.ridge(ridge, counts[0])
        return LearningCurve(tuple(points), first, self.norm, variance, growth)

    def _bound(self, samples: int, ridge: Ridge, noise: Rational, seen: bool) -> float | None:
        if isinstance(self.task.substitution, FiniteSubstitutions) or not samples:
            return None
        return self.bound(samples, ridge, noise=noise, seen=seen)

    def _limit(self, ridge: Ridge) -> Rational | float | None:
        try:
            return self.limit(ridge)
        except NotInvertible:
            return None


def _part(sample: Sample, rows: Any) -> Sample:
    """Some rows of a sample."""
    noise = None if sample.noise is None else sample.noise[rows]
    return attrs.evolve(sample, array=sample.array[rows], indices=sample.indices[rows], noise=noise)


def _folded(mean: float, deviation: float) -> float:
    """The mean of |X| for a Gaussian X."""
    if not deviation:
        return abs(mean)
    part = deviation * sqrt(2 / pi) * exp(-(mean**2) / (2 * deviation**2))
    return part + abs(mean) * erf(abs(mean) / (deviation * sqrt(2)))


def _read_symbols(task: Task, symbols: Any) -> Callable[[int], int]:
    """How many tokens there are for so many samples."""
    law = task.substitution
    if law is not None:
        if symbols is not None:
            raise BadValue(f"symbols is {shown(symbols)} and the task has a law: give one of them")
        if isinstance(law, FiniteSubstitutions):
            size = len({token for s, _ in law for token in s.image})
            return lambda _: size
        both = [token for token in law.alphabet if token in task.regular_tokens]
        if both:
            raise BadValue(
                f"the alphabet holds {shown(both[0])}, a regular token of a template: give symbols "
                "that no template has"
            )
        return lambda _: len(law.alphabet)
    if symbols is None:
        raise BadValue(
            "the number of symbols is not known: give symbols=, or a task with a law of its "
            "substitution maps"
        )
    if callable(symbols):
        return function(symbols, "symbols")
    most = max(len(z.wildcards) for z in task.templates)
    fixed = integer(symbols, "the number of symbols", at_least=most, limit=MOST_TOKENS // 2)
    return lambda _: fixed
