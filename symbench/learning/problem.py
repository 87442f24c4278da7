"""A problem: learn a target from words of a law by regression with a kernel.

The kernel is tabulated once, on all words of the length; the law is read once, and how the two are
symmetric under permutations of positions is found once. Everything else is asked of the problem:
the exact errors over all training sets, simulated ones, what theories predict, a lower bound, the
predictor of the equivalent kernel, a learning curve, finite networks.

>>> def same(x, y):  # remembers the samples, and nothing else
...     return int(x == y)
>>> problem = Problem(same, targets.parity(2), length=2)
>>> problem, problem.errors(1, 1).test
(Problem: 4 words of length 2, |f|^2 = 1, 13/16)
>>> problem.errors(1, 0.1)
Traceback (most recent call last):
...
symbench.errors.NotExact: the ridge: 0.1 is a float, not an exact number: write '1/10' or ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from math import sqrt
from typing import Any

import attrs
import flint

from symbench._arguments import choice, integer, integers, sequence, shown
from symbench.draw.progress import progress
from symbench.draw.views import Shown
from symbench.errors import BadType, BadValue, TooLarge
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.kernels.on_words import WordKernel
from symbench.laws import Law, read_law
from symbench.laws.base import ExchangeableLaw, Word, read_word, word_table
from symbench.learning.learning_curves import FIELDS, TITLES, CurvePoint, LearningCurve, Losses
from symbench.learning.networks import (
    NetworkComparison,
    NetworkRow,
    NetworkSize,
    read_network_kernel,
    read_size,
    units,
)
from symbench.learning.numbers import as_float, number
from symbench.learning.orbit_average import OrbitAverage, orbit_average
from symbench.learning.predictions import (
    FEW_SETS,
    EquivalentPredictor,
    PredictionComparison,
    exact_values,
    float_values,
    mean_over_sets,
)
from symbench.learning.regression import DRAWN, SETS, Errors, Regression, mean_of, predict
from symbench.learning.targets import Target, read_target
from symbench.learning.task_problem import TaskProblem
from symbench.learning.theories import Level, read_levels
from symbench.learning.words import pair_classes, words_of
from symbench.words import Task
from symbench.young.position_groups import YoungSubgroup, contains, moved

# At most this many words are rows of a kernel matrix; up to the second number the equivalent
# kernel is solved exactly unless floats are asked for.
_WORDS, _EXACT = 1_024, 256


@attrs.frozen
class Symmetry(Shown):
    """How the invariance of a kernel and the exchangeability of a law are known, or a witness.

    `kernel` is 'by construction' or 'all pairs' (of words, which were compared), None for one that
    is not invariant; `law` is 'by construction' or 'all words', None for one that is not
    exchangeable; `witness` says what shows that one of them fails.

    >>> last = linear_attention(1, 1, readout="last")
    >>> found = Problem(last, targets.parity(1), length=2).symmetry
    >>> found.holds, found.kernel, found.law
    (False, None, 'by construction')
    """

    kernel: str | None
    law: str | None
    witness: str | None = None
    exactness = "exact"

    @property
    def holds(self) -> bool:
        """Whether both have the symmetry."""
        return self.kernel is not None and self.law is not None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        lines = [
            f"kernel: {f'invariant, {self.kernel}' if self.kernel else 'not invariant'}",
            f"law: {f'exchangeable, {self.law}' if self.law else 'not exchangeable'}",
        ]
        return "\n".join(lines + ([self.witness] if self.witness else []))


@attrs.frozen(init=False, eq=False, repr=False, slots=False)
class Problem(Regression):
    """A kernel, a target and a law on all words of one length; at most 1,024 words.

    The kernel is one of sb.kernels, an object with on_table, or a function of two words (tuples of
    tokens). A law is None (uniform), one of sb.laws, or anything with a vocabulary and the
    probability of each word; `test_law` is the law of the words that are predicted, where it is
    another one. With a Task as its target the problem is one on strings of its templates,
    a `TaskProblem`.

    >>> difference = targets.polynomial({(1,): 1, (2,): -1})
    >>> problem = Problem(linear_attention(1, 1, readout="flatten"), difference, length=3)
    >>> problem.errors(1, 1).test, problem.bound(1)
    (16634/7225, 1)
    >>> print(problem.symmetry)
    kernel: invariant, by construction
    law: exchangeable, by construction
    """

    kernel: Any = attrs.field(kw_only=True)
    target: Target = attrs.field(kw_only=True)
    length: int = attrs.field(kw_only=True)
    law: Law = attrs.field(kw_only=True)
    test_law: Law | None = attrs.field(kw_only=True)

    def __new__(cls, *given: Any, **options: Any) -> Any:
        """A problem on the words of one length, or, where the target is a Task, on its strings."""
        target = given[1] if len(given) > 1 else options.get("target")
        if not isinstance(target, Task):
            return super().__new__(cls)
        known = ("kernel", "target", "symbols", "cls", "digits")
        for name in options:
            if name not in known:
                raise BadType(
                    f"{name} is given and the target is a task: its templates and symbols= say all"
                )
        return TaskProblem(*given, **options)

    def __init__(
        self,
        kernel: Any,
        target: Target | Task,
        *,
        length: int | None = None,
        law: Any = None,
        test_law: Any = None,
        **options: Any,
    ) -> None:
        for name in options:
            raise BadType(f"{name} is given and the target is on words: it is for tasks")
        if length is None:
            raise BadType("length is not given: give that of the words, or a Task as the target")
        function, size = read_target(target, length)
        tokens = function.vocabulary
        words = words_of(size, tokens, _WORDS)
        laws = [read_law(law, size, tokens)]
        laws += [] if test_law is None else [read_law(test_law, size, tokens)]
        chances = [tuple(word_table(one, size).values()) for one in laws]
        object.__setattr__(self, "kernel", kernel)  # an error may speak of it
        self.__attrs_init__(
            words,
            _matrix_of(WordKernel(kernel, size, tokens), words),
            tuple(map(function.value, words)),
            *chances,
            kernel=kernel,
            target=function,
            length=size,
            law=laws[0],
            test_law=None if test_law is None else laws[1],
        )

    def __repr__(self) -> str:
        return f"Problem: {len(self.points)} words of length {self.length}, |f|^2 = {self.norm}"

    @property
    def _source(self) -> str:
        return shown(self.kernel)

    def place(self, point: Any) -> int:
        """The place of a word in the list."""
        found = 0
        for token in read_word(point, self.target.vocabulary, self.length):
            found = found * self.target.vocabulary + token
        return found

    def chances_under(self, law: Any) -> tuple[Rational, ...]:
        """The probabilities of the words under another law."""
        if isinstance(law, tuple):
            return Regression.chances_under(self, law)
        chosen = read_law(law, self.length, self.target.vocabulary)
        return tuple(word_table(chosen, self.length).values())

    # --- symmetry -----------------------------------------------------------------------------
    @cached_property
    def symmetry(self) -> Symmetry:
        """Whether the kernel and the law are unchanged by all permutations of positions."""
        known, moves = "by construction", None
        own = WordKernel(self.kernel, self.length, self.target.vocabulary).symmetry
        if own is None or not contains(own, (self.length,), self.length):
            known, moves = "all pairs", self._moved()
        _, how, order = _exchangeable(self.law, self.length)
        witnesses = [text for text in (moves, order) if text is not None]
        return Symmetry(known if moves is None else None, how, "; ".join(witnesses) or None)

    def _moved(self) -> str | None:
        """What shows that the kernel is not invariant: all its values are compared."""
        entries, group = self.matrix.flint.entries(), YoungSubgroup(self.length)
        # Equal numbers get one name, and the names are compared.
        names: dict[flint.fmpq, int] = {}
        size = len(self.points)
        named = np.array([names.setdefault(v, len(names)) for v in entries]).reshape(size, size)
        for name, move in group.generators:
            to = np.array([self.place(moved(word, move)) for word in self.points])
            wrong = np.argwhere(named[np.ix_(to, to)] != named)
            if len(wrong):
                i, j = wrong[0]
                x, y, gx, gy = (self.points[k] for k in (i, j, to[i], to[j]))
                return (
                    f"{self._source} is not invariant under {group!r}: k({x}, {y}) = "
                    f"{self.matrix[i, j]}, and after {name} k({gx}, {gy}) = "
                    f"{self.matrix[to[i], to[j]]}"
                )
        return None

    @cached_property
    def averages(self) -> tuple[OrbitAverage | None, OrbitAverage | None]:
        """The orbit averages of the target under the law and the test law; None where no bound is.

        The bound of the samples' law holds under any other exchangeable law of the words that are
        predicted: the samples and the predictor are permuted together, and the error under such a
        law does not change.
        """
        return self._average(self.law), self._average(self.test_law)

    def _average(self, law: Law | None) -> OrbitAverage | None:
        if law is None or not self.symmetry:
            return None
        chosen, _, _ = _exchangeable(law, self.length)
        if chosen is None:
            return None
        return orbit_average(self.target, length=self.length, law=chosen)

    def bound(self, samples: int, *, shifted: bool = False) -> Rational | None:
        """A proved bound below the expected error under the law, or shifted, under the test law.

        None where the kernel is not invariant or a law not exchangeable.
        """
        average = self.averages[int(shifted)]
        return None if average is None else average.tail(samples)

    # --- what is learned ----------------------------------------------------------------------
    def predictor(
        self, samples: int, ridge: Any = None, *, backend: str = "auto"
    ) -> EquivalentPredictor:
        """The predictor f_N = K (K + ridge/N)^-1 f of the equivalent kernel, exactly.

        backend is 'exact', 'float', or 'auto': exact up to 256 words.

        >>> found = Problem(linear_attention(1, 1), targets.majority(3), length=3).predictor(10, 8)
        >>> found.value((0, 1, 1)), found.error(), found.error(Iid("1/8", "7/8"))
        (345/706, 124801/498436, 57743/249218)
        """
        choice(backend, "the backend", ("auto", "exact", "float"))
        count, shift = integer(samples, "samples", at_least=0), self.ridge(ridge)
        if count == 0:
            return EquivalentPredictor(self, 0, shift, (Rational(0),) * len(self.points))
        if backend == "float" or (backend == "auto" and len(self.points) > _EXACT):
            values, digits = float_values(self, count, shift)
            return EquivalentPredictor(self, count, shift, values, "float", digits)
        return EquivalentPredictor(self, count, shift, exact_values(self, count, shift))

    def predictions(
        self, samples: int, ridge: Any = None, *, noise: Any = 0, trials: int = 200, seed: int = 0
    ) -> PredictionComparison:
        """The exact predictor of the equivalent kernel beside regression on N samples.

        The test law need not share words with the law.

        >>> found = Problem(linear_attention(1, 1), targets.majority(3), length=3,
        ...     law=Iid("2/3", "1/3"), test_law=Iid(0, 1)).predictions(3, trials=20)
        >>> [type(error).__name__ for error in found.equivalent], found.exact is None
        (['Rational', 'Rational'], False)
        """
        predictor = self.predictor(samples, ridge)
        count, shift = predictor.samples, predictor.ridge
        draws = list(self.draws(count, shift, noise=noise, trials=trials, seed=seed))
        drawn = np.array([predicted for _, _, predicted in draws])
        exact, exact_mean = None, None
        with suppress(TooLarge):
            exact = self.errors(count, shift, noise=noise, most_sets=FEW_SETS)
            exact_mean = mean_over_sets(self, count, shift)
        return PredictionComparison(
            predictor,
            tuple(map(float, drawn.mean(axis=0))),
            tuple(map(float, drawn.std(axis=0, ddof=1))),
            exact_mean,
            self.errors_of(draws),
            exact,
        )

    def curve(
        self,
        samples: Sequence[int],
        ridge: Any = None,
        *,
        noise: Any = 0,
        levels: Iterable[Level] | None = None,
        trials: int = 200,
        most_sets: int = SETS,
        seed: int = 0,
    ) -> LearningCurve:
        """The errors against the number of samples: bounded, exact, simulated and predicted.

        With a test law the errors under it are there too. The levels of the kernel may be given;
        by default numpy computes them. Averages over all training sets are taken where there are
        at most `most_sets`. There is a bound where the kernel is invariant and the laws are
        exchangeable.

        >>> curve = Problem(lambda x, y: int(x == y), targets.parity(1), length=2).curve([1, 2], 1)
        >>> [(str(x.bound), str(x.exact), str(x.train.exact)) for x in curve.points]
        [('1/2', '13/16', '1/4'), ('0', '191/288', '31/144')]
        """
        counts = integers(samples, "samples", at_least=0)
        if not counts:
            raise BadValue("samples is empty: give at least one number of samples")
        shift, variance = self.ridge(ridge), number(noise, "the noise", at_least=0)
        known = self.levels() if levels is None else read_levels(levels)
        points = []
        for count in counts:
            theory = self.theories(count, shift, noise=variance, levels=known)
            drawn = self.simulate(count, shift, noise=variance, trials=trials, seed=seed)
            exact: Errors[Any] = Errors(None, None, None)
            with suppress(TooLarge):
                exact = self.errors(count, shift, noise=variance, most_sets=most_sets)
            bounds = {"test": self.bound(count), "shifted": self.bound(count, shifted=True)}
            rows: dict[str, dict[str, Any]] = {}
            for name in TITLES:
                if (pair := getattr(theory, name)) is not None:
                    found = (*pair, *getattr(drawn, name), getattr(exact, name), bounds.get(name))
                    rows[name] = dict(zip(FIELDS, found, strict=True))
            point = rows.pop("test")
            point |= {name: Losses(**row) for name, row in rows.items()}
            points.append(CurvePoint(**point, samples=count))
        return LearningCurve(tuple(points), shift, self.norm, variance)

    def networks(
        self,
        samples: int,
        ridge: Any = None,
        *,
        sizes: Sequence[Any] = ((1, None, 8), (4, None, 8), (16, None, 8), (64, None, 8)),
        noise: Any = 0,
        draws: int = 20,
        seed: int = 0,
    ) -> NetworkComparison:
        """Regression with the hidden units of random networks beside the Gaussian process.

        The kernel is that of one layer of linear attention. All weights but the readout are drawn
        and kept, so that a network is ridge regression with its own kernel. For each draw all
        sizes and the Gaussian process see the same samples. A size is (heads, width, key_width),
        width None for the limit of wide embeddings.

        >>> problem = Problem(linear_attention(1, 1), targets.majority(3), length=3)
        >>> found = problem.networks(6, sizes=[(1, None, 4), (64, None, 4)], draws=10)
        >>> found.rows[1].distance[0] < found.rows[0].distance[0], found.exactness
        (True, 'float')
        """
        kernel = read_network_kernel(self.kernel)
        if not kernel.alpha and not kernel.beta:
            raise BadValue(f"{self._source} is 0: there is nothing to compare")
        listed = sequence(sizes, "sizes", "a list of (heads, width, key_width)")
        shapes: list[NetworkSize] = [read_size(size) for size in listed]
        if not shapes:
            raise BadValue("sizes is empty: give at least one (heads, width, key_width)")
        count = integer(samples, "samples", at_least=1, limit=DRAWN)
        rounds = integer(draws, "draws", at_least=2)
        shift = as_float(self.ridge(ridge), "the ridge", divides=True)
        deviation = sqrt(as_float(number(noise, "the noise", at_least=0), "the noise"))
        K, f, p = self.arrays
        words, tokens = np.array(self.points), self.target.vocabulary
        streams = np.random.default_rng(integer(seed, "seed", at_least=0)).spawn(1 + len(shapes))
        sets = []
        for _ in range(rounds):
            places = streams[0].choice(len(p), size=count, p=p)
            sets.append((places, f[places] + deviation * streams[0].standard_normal(count)))
        process = [predict(K, *one, shift) for one in sets]
        rows = []
        with progress("networks", rounds * len(shapes)) as report:
            for shape, stream in zip(shapes, streams[1:], strict=True):
                off, apart, errors, total = [], [], [], np.zeros_like(K)
                for one, expected in zip(sets, process, strict=True):
                    hidden = units(kernel, words, shape, tokens, stream)
                    gram = hidden @ hidden.T
                    total += gram
                    off.append(np.linalg.norm(gram - K) / np.linalg.norm(K))
                    predicted = predict(gram, *one, shift)
                    apart.append(p @ (predicted - expected) ** 2)
                    errors.append(p @ (predicted - f) ** 2)
                    report(1)
                mean = float(np.linalg.norm(total / rounds - K) / np.linalg.norm(K))
                rows.append(NetworkRow(shape, mean_of(off), mean, mean_of(apart), mean_of(errors)))
        gaussian = mean_of(p @ (predicted - f) ** 2 for predicted in process)
        return NetworkComparison(tuple(rows), gaussian, self.norm, count, rounds)


def learning_curve(
    kernel: Any,
    target: Target | Task,
    *,
    samples: Sequence[int],
    ridge: Any = None,
    length: int | None = None,
    law: Any = None,
    test_law: Any = None,
    symbols: Any = None,
    **options: Any,
) -> LearningCurve:
    """The learning curve of a problem; the other options are those of its `curve`.

    A target on words needs their length and may have laws; a task needs to know how many symbols
    are put for its wildcards, by its own law or by symbols=.

    >>> curve = learning_curve(linear_attention(1, 1, readout="flatten"),
    ...     targets.polynomial({(1,): 1, (2,): -1}), length=3, samples=[0, 1, 2], ridge="1/20")
    >>> [str(x.bound) for x in curve.points], all(x.bound <= x.exact for x in curve.points)
    (['2', '1', '0'], True)
    >>> curve = learning_curve(attention(beta=2, gamma=1), tasks.same_different(), symbols=500,
    ...     samples=[100, 200], trials=5)
    >>> print(curve.table())
    N    without collisions  bound   simulated  limit   printed rate, C = 1
    100  0.8...
    200  0.7...
    """
    shape = {"length": length, "law": law, "test_law": test_law, "symbols": symbols}
    given = {name: value for name, value in shape.items() if value is not None}
    problem = Problem(kernel, target, **given)
    return problem.curve(samples, ridge, **options)


def _matrix_of(kernel: WordKernel, words: tuple[Word, ...]) -> Matrix:
    """The kernel on all pairs of words; where it sees tables only, each of these once."""
    size = len(words)
    if kernel.segments is None:
        whole, below = kernel.gram(np.array(words), np.array(words))
        return Matrix(flint.fmpq_mat(flint.fmpz_mat(whole.tolist())) / below)
    keys, first = pair_classes(words, kernel.segments, kernel.vocabulary)
    values = [kernel.value(words[k // size], words[k % size]) for k in first.tolist()]
    return Matrix(flint.fmpq_mat(size, size, [values[k] for k in keys.ravel().tolist()]))


def _exchangeable(law: Law, length: int) -> tuple[ExchangeableLaw | None, str | None, str | None]:
    """The law by its token counts, how that is known, and what shows it where it is not so."""
    try:
        found = read_law(law, length, law.vocabulary, YoungSubgroup(length))
    except BadValue as error:
        return None, None, str(error)
    assert isinstance(found, ExchangeableLaw)
    return found, "by construction" if isinstance(law, ExchangeableLaw) else "all words", None
