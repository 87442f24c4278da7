"""What is predicted at each word: by the equivalent kernel, exactly, and by regression on samples.

On L2 of the law of the samples the kernel is an operator K, and the equivalent kernel predicts
f_N = K (K + d/N)^-1 f, d the ridge: rational numbers, found by one exact solve. The kernel extends
f_N to all words, those outside the support of the law included, so its error is known exactly under
any test law. Beside it stands Gaussian-process regression on N samples: its mean over all
training sets, exactly where they are few, simulated with a seed where not.

>>> from symbench.learning.targets import majority
>>> found = equivalent_predictor(linear_attention(1, 1), majority(3), length=3, samples=10, ridge=8)
>>> found.value((0, 1, 1)), found.error(), found.error(IidLaw("1/8", "7/8"))
(345/706, 124801/498436, 57743/249218)
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.draw.figures import new_figure
from symbench.draw.tables import columns_text
from symbench.errors import BadShape, BadType, NotInvertible, TooLarge, UnknownName
from symbench.exact import Rational
from symbench.exact.rational import fmpq, rational
from symbench.laws.exchangeable import Law, read_word
from symbench.learning.regression import (
    Errors,
    Problem,
    errors_over_sets,
    float_ridge,
    read_noise,
    read_problem,
    ridge_for,
    solve_samples,
    training_sets,
)
from symbench.learning.simulation import (
    SimulatedErrors,
    drawn_predictions,
    errors_by_simulation,
)
from symbench.learning.targets import Target
from symbench.learning.theories import MOST
from symbench.learning.words import words_law

# More words are not solved for exactly unless that is asked for.
_EXACT = 256
_SETS = 5_000
_SINGULAR = "the kernel operator plus ridge/N is singular: is the kernel positive semidefinite?"
Number = Rational | float


@attrs.frozen(eq=False, repr=False)
class EquivalentPredictor:
    """The predictor of the equivalent kernel at all words, and its error under any law.

    `exactness` is 'exact', or 'float' with the number of `digits` to which two computations
    agree.

    >>> from symbench.learning.targets import parity
    >>> found = equivalent_predictor(lambda x, y: 1 + int(x == y), parity(1), length=1, samples=6,
    ...                              ridge=1, law=IidLaw(1, 0))
    >>> found.values, found.error(), found.error(IidLaw(0, 1))  # 1 is never seen
    ((12/13, 6/13), 1/169, 361/169)
    """

    problem: Problem
    samples: int
    ridge: Rational
    values: tuple[Number, ...]
    exactness: str = "exact"
    digits: int | None = None

    def __repr__(self) -> str:
        return (
            f"EquivalentPredictor: {len(self.values)} words, N = {self.samples}, "
            f"ridge {self.ridge}, {self.exactness}"
        )

    def value(self, word: Any) -> Number:
        """What is predicted at a word."""
        tokens = 1 + max(self.problem.words[-1])
        letters, size = read_word(word, tokens), len(self.problem.words[0])
        if len(letters) != size:
            raise BadShape(f"the word {letters} has length {len(letters)}, not {size}")
        place = 0
        for token in letters:
            place = place * tokens + token
        return self.values[place]

    def error(self, test_law: Law | None = None) -> Number:
        """The squared error against the target: under the law of the samples, or a test law."""
        if test_law is None:
            return self.error_under(self.problem.law)
        tokens = 1 + max(self.problem.words[-1])
        return self.error_under(words_law(test_law, self.problem.words, tokens))

    def error_under(self, chances: tuple[Rational, ...]) -> Number:
        """The squared error under a law that is given by the probabilities of the words."""
        total: Any = sum(
            p * (predicted - wanted) ** 2
            for p, predicted, wanted in zip(chances, self.values, self.problem.values, strict=True)
        )
        return Rational(total) if self.exactness == "exact" else float(total)


def equivalent_predictor(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: int,
    ridge: Any = None,
    law: Law | None = None,
    backend: str = "auto",
) -> EquivalentPredictor:
    """The predictor f_N = K (K + ridge/N)^-1 f of the equivalent kernel, exactly.

    ridge None is E k(x, x) / 20. backend is 'exact', 'float', or 'auto': exact up to 256 words.

    >>> from symbench.learning.targets import parity
    >>> def same(x, y):
    ...     return int(x == y)
    >>> found = equivalent_predictor(same, parity(1), length=1, samples=6, ridge=1)
    >>> found.value((0,)), found.error()
    (3/4, 1/16)
    >>> equivalent_predictor(same, parity(1), length=1, samples=6, ridge=1, backend="float")
    EquivalentPredictor: 2 words, N = 6, ridge 1, float
    """
    problem = Problem.of(kernel, target, length=length, law=law)
    return predictor_of(problem, samples, ridge, backend=backend)


def predictor_of(
    problem: Problem, samples: int, ridge: Any, *, backend: str = "auto"
) -> EquivalentPredictor:
    """The predictor of the equivalent kernel for a tabulated problem."""
    if not isinstance(backend, str) or backend not in ("auto", "exact", "float"):
        raise UnknownName(f"the backend is {shown(backend)}: give 'auto', 'exact' or 'float'")
    count, shift = integer(samples, "samples", at_least=0), ridge_for(read_problem(problem), ridge)
    if count == 0:
        return EquivalentPredictor(problem, 0, shift, (Rational(0),) * len(problem.words))
    if backend == "float" or (backend == "auto" and len(problem.words) > _EXACT):
        values, digits = _float_values(problem, count, float_ridge(shift))
        return EquivalentPredictor(problem, count, shift, values, "float", digits)
    return EquivalentPredictor(problem, count, shift, _exact_values(problem, count, shift))


def _exact_values(problem: Problem, count: int, ridge: Rational) -> tuple[Rational, ...]:
    """Solve (K p + ridge/N) g = f on the support of the law; then f_N = K p g everywhere."""
    K = problem.exact_kernel
    chances = {i: fmpq(p) for i, p in enumerate(problem.law) if p}
    shift = fmpq(ridge / count)
    system = flint.fmpq_mat(
        [[K[i, j] * p + (shift if i == j else 0) for j, p in chances.items()] for i in chances]
    )
    labels = flint.fmpq_mat([[fmpq(problem.values[i])] for i in chances])
    try:
        g = system.solve(labels)
    except ZeroDivisionError:
        raise NotInvertible(_SINGULAR) from None
    weighted = flint.fmpq_mat([[p * g[s, 0]] for s, p in enumerate(chances.values())])
    sections = flint.fmpq_mat([[K[i, j] for j in chances] for i in range(len(problem.words))])
    found = sections * weighted
    return tuple(rational(found[i, 0]) for i in range(len(problem.words)))


def _float_values(problem: Problem, count: int, ridge: float) -> tuple[tuple[float, ...], int]:
    """By one solve, and by eigenfunctions: the digits are what the two have in common."""
    import numpy as np

    K, f, p = problem.arrays()
    shift = ridge / integer(count, "samples", limit=MOST)
    try:
        solved = (K * p) @ np.linalg.solve(K * p + shift * np.eye(len(p)), f)
    except np.linalg.LinAlgError:
        raise NotInvertible(_SINGULAR) from None
    root = np.sqrt(p)
    values, vectors = np.linalg.eigh(root[:, None] * K * root[None, :])
    parts = vectors.T @ (root * f) / (np.maximum(values, 0) + shift)
    again = (K * root) @ (vectors @ parts)
    gap, size = float(np.abs(solved - again).max()), float(np.abs(solved).max())
    digits = 15 if gap == 0 or size == 0 else max(0, min(15, int(-np.log10(gap / size))))
    return tuple(map(float, solved)), digits


@attrs.frozen(eq=False, repr=False)
class PredictionComparison:
    """The equivalent kernel beside Gaussian-process regression, word by word.

    `mean` and `deviation` are those of the prediction over random training sets (floats);
    `exact_mean` is the mean over all of them, and `exact` the errors, where they are few.

    >>> from symbench.learning.targets import parity
    >>> found = compare_predictions(linear_attention(1, 1), parity(1), length=2, samples=1,
    ...     ridge=4, law=IidLaw("2/3", "1/3"), test_law=IidLaw("1/3", "2/3"), trials=20)
    >>> print(found.table())
    word  p    target  equivalent kernel  regression  deviation
    0 0   4/9  1       0.8485             0.4097      0.7...
    0 1   2/9  1       0.5163             0.2238      0.5...
    1 0   2/9  -1      -0.4249            0.0262      0.6...
    1 1   1/9  -1      -0.6454            -0.0764     0.5...
    <BLANKLINE>
    error               equivalent kernel  regression
    law of the samples  0.1497             0.9579 exactly
    test law            0.1839             1.0829 exactly
    """

    predictor: EquivalentPredictor
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    exact_mean: tuple[Rational, ...] | None
    simulated: SimulatedErrors
    exact: Errors | None
    exactness = "float"

    def __repr__(self) -> str:
        return self.table()

    @property
    def equivalent(self) -> tuple[Number, Number | None]:
        """The errors of the equivalent kernel under the law and under the test law."""
        problem = self.predictor.problem
        under = None if problem.test is None else self.predictor.error_under(problem.test)
        return self.predictor.error_under(problem.law), under

    def table(self, *, limit: int = 16) -> str:
        """Word by word, at most so many, then the errors under the two laws."""
        problem, most = self.predictor.problem, integer(limit, "limit", at_least=1)
        rows = [["word", "p", "target", "equivalent kernel", "regression", "deviation"]]
        for i, word in enumerate(problem.words[:most]):
            rows.append(
                [
                    " ".join(map(str, word)),
                    str(problem.law[i]),
                    str(problem.values[i]),
                    f"{float(self.predictor.values[i]):.4f}",
                    f"{self.mean[i] if self.exact_mean is None else float(self.exact_mean[i]):.4f}",
                    f"{self.deviation[i]:.4f}",
                ]
            )
        left = len(problem.words) - most
        lines = [columns_text(rows), *([f"... and {left} more words"] if left > 0 else [])]
        test, shifted = self.equivalent
        errors = [["error", "equivalent kernel", "regression"]]
        pairs = [("law of the samples", test, self.simulated.test, "test")]
        if shifted is not None and self.simulated.shifted is not None:
            pairs.append(("test law", shifted, self.simulated.shifted, "shifted"))
        for name, predicted, (drawn, spread), field in pairs:
            known = None if self.exact is None else getattr(self.exact, field)
            text = f"{drawn:.4f} ± {spread:.4f}" if known is None else f"{float(known):.4f} exactly"
            errors.append([name, f"{float(predicted):.4f}", text])
        return "\n".join([*lines, "", columns_text(errors)])

    def plot(self, path: Any = None) -> Any:
        """The mean of regression against the equivalent kernel, a point with a bar for each word.

        Words that the samples never show are drawn apart. Saved if a path is given.
        """
        if path is not None and not isinstance(path, (str, Path)):
            raise BadType(f"the path is {shown(path)}: give a file name")
        problem = self.predictor.problem
        figure = new_figure(5, 4.5)
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        seen: Callable[[int], bool]
        for label, seen in (
            ("words of the samples", lambda i: problem.law[i] > 0),
            ("words never sampled", lambda i: problem.law[i] == 0),
        ):
            chosen = [i for i in range(len(problem.words)) if seen(i)]
            if chosen:
                axes.errorbar(
                    [float(self.predictor.values[i]) for i in chosen],
                    [self.mean[i] for i in chosen],
                    yerr=[self.deviation[i] for i in chosen],
                    fmt="o",
                    label=label,
                )
        ends = [min(map(float, self.predictor.values)), max(map(float, self.predictor.values))]
        axes.plot(ends, ends, "k:", label="equal")
        axes.set(
            xlabel="equivalent kernel",
            ylabel="regression, mean and deviation",
            title=f"N = {self.predictor.samples}",
        )
        axes.legend(fontsize="small")
        if path is not None:
            figure.savefig(path)
        return figure


def compare_predictions(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: int,
    ridge: Any = None,
    law: Law | None = None,
    test_law: Law | None = None,
    noise: Any = 0,
    trials: int = 200,
    seed: int = 0,
) -> PredictionComparison:
    """The exact predictor of the equivalent kernel beside regression on N samples.

    The test law need not share words with the law. ridge None is E k(x, x) / 20; noise is the
    variance of the noise on the labels.

    >>> from symbench.learning.targets import majority
    >>> found = compare_predictions(linear_attention(1, 1), majority(3), length=3, samples=3,
    ...     law=IidLaw("2/3", "1/3"), test_law=IidLaw(0, 1), trials=20)
    >>> [type(error).__name__ for error in found.equivalent], found.exact is None
    (['Rational', 'Rational'], False)
    """
    import numpy as np

    problem = Problem.of(kernel, target, length=length, law=law, test_law=test_law)
    shift, variance = ridge_for(problem, ridge), read_noise(noise)
    predictor = predictor_of(problem, samples, shift)
    simulated = errors_by_simulation(
        problem, samples, shift, noise=variance, trials=trials, seed=seed
    )
    drawn = np.array(
        [
            predicted
            for _, _, predicted in drawn_predictions(
                problem, samples, shift, noise=variance, trials=trials, seed=seed
            )
        ]
    )
    try:
        exact: Errors | None = errors_over_sets(problem, samples, shift, noise=variance, most=_SETS)
        exact_mean = _mean_over_sets(problem, predictor.samples, shift)
    except TooLarge:
        exact = exact_mean = None
    return PredictionComparison(
        predictor,
        tuple(map(float, drawn.mean(axis=0))),
        tuple(map(float, drawn.std(axis=0, ddof=1))),
        exact_mean,
        simulated,
        exact,
    )


def _mean_over_sets(problem: Problem, count: int, ridge: Rational) -> tuple[Rational, ...]:
    """The mean prediction at every word, over all training sets; noise has mean 0."""
    K, size = problem.exact_kernel, len(problem.words)
    total = flint.fmpq_mat(size, 1)
    for points, times, chance in training_sets(problem, count, most=_SETS):
        if points:
            a, _ = solve_samples(problem, K, points, times, fmpq(ridge), inverse=False)
            sections = flint.fmpq_mat([[K[i, j] for j in points] for i in range(size)])
            total += chance * (sections * a)
    return tuple(rational(total[i, 0]) for i in range(size))
