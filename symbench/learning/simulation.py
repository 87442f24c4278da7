"""Kernel ridge regression on random training sets, in floats.

>>> from symbench.learning.targets import parity
>>> mean, spread = simulated_error(linear_attention(1, 1), parity(1), length=2, samples=3, ridge=1)
>>> 0.3 < mean < 0.6, spread < 0.05
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any

import attrs

from symbench._arguments import integer
from symbench.errors import BadValue, NotInvertible
from symbench.laws.exchangeable import Law
from symbench.learning.regression import (
    Problem,
    as_float,
    float_ridge,
    read_noise,
    read_problem,
)
from symbench.learning.targets import Target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# More samples are not drawn at once.
DRAWN = 1_000_000
# Beside the trace of the kernel matrix a ridge below the first is lost in rounding; an eigenvalue
# below the second, beside the largest, is rounding.
_LOST, _NOTHING = 1e-10, 1e-13


@attrs.frozen
class SimulatedErrors:
    """The errors of `Errors` as means over random training sets, each with its standard error.

    >>> SimulatedErrors(train=None, test=(1.0, 0.1), shifted=None).exactness
    'float'
    """

    train: tuple[float, float] | None
    test: tuple[float, float]
    shifted: tuple[float, float] | None
    exactness = "float"


def simulated_error(
    kernel: Any,
    target: Target,
    *,
    length: int,
    samples: int,
    ridge: Any,
    law: Law | None = None,
    noise: Any = 0,
    trials: int = 200,
    seed: int = 0,
) -> tuple[float, float]:
    """The mean squared error over random training sets, and its standard error: floats.

    >>> from symbench.learning.targets import parity
    >>> mean, spread = simulated_error(
    ...     lambda x, y: int(x == y), parity(2), length=2, samples=1, ridge=1, trials=20)
    >>> round(mean, 6), spread < 1e-12
    (0.8125, True)
    """
    problem = Problem.of(kernel, target, length=length, law=law)
    return errors_by_simulation(problem, samples, ridge, noise=noise, trials=trials, seed=seed).test


def errors_by_simulation(
    problem: Problem, samples: int, ridge: Any, *, noise: Any = 0, trials: int, seed: int
) -> SimulatedErrors:
    """The simulated errors of a tabulated problem; the noise is Gaussian."""
    import numpy as np

    _, f, _ = read_problem(problem).arrays()
    laws = [np.array(law, dtype=float) for law in problem.laws()]
    rows = []
    for chosen, labels, predicted in drawn_predictions(
        problem, samples, ridge, noise=noise, trials=trials, seed=seed
    ):
        train = np.mean((predicted[chosen] - labels) ** 2) if len(chosen) else 0.0
        rows.append([train, *(law @ (predicted - f) ** 2 for law in laws)])
    errors, rounds = np.array(rows), len(rows)
    means, spreads = errors.mean(axis=0), errors.std(axis=0, ddof=1) / sqrt(rounds)
    pairs = [(float(m), float(s)) for m, s in zip(means, spreads, strict=True)]
    return SimulatedErrors(
        pairs[0] if samples else None, pairs[1], pairs[2] if len(pairs) > 2 else None
    )


def drawn_predictions(
    problem: Problem, samples: int, ridge: Any, *, noise: Any, trials: int, seed: int
) -> Iterator[tuple[Any, Any, Any]]:
    """Random training sets: the numbers of the words, their labels, the prediction at all words."""
    import numpy as np

    K, f, p = read_problem(problem).arrays()
    count = integer(samples, "samples", at_least=0, limit=DRAWN)
    rounds = integer(trials, "trials", at_least=2)
    shift, deviation = float_ridge(ridge), noise_deviation(noise)
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    for _ in range(rounds):
        chosen = generator.choice(len(p), size=count, p=p)
        labels = f[chosen]
        if deviation:
            labels = labels + deviation * generator.standard_normal(count)
        yield chosen, labels, predict(K, chosen, labels, shift)


def noise_deviation(noise: Any) -> float:
    """The standard deviation of the noise on the labels, from its variance."""
    return sqrt(as_float(read_noise(noise), "the noise"))


def predict(K: Floats, places: Any, labels: Floats, ridge: float) -> Floats:
    """What ridge regression on samples at these places, with these labels, predicts everywhere.

    A word that is drawn n times is one sample with the mean label and the n-th part of the ridge;
    written with the root of n on both sides of the kernel, the ridge is one number.
    """
    import numpy as np

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
                f"the kernel matrix of the words number {points.tolist()} has the eigenvalue "
                f"{values[0]:.6g}: give a kernel that is positive semidefinite, or a larger ridge"
            )
        kept = values > _NOTHING * values[-1]
        basis = vectors[:, kept]
        weights = basis @ ((basis.T @ sums) / (values[kept] + ridge))
    else:
        try:
            weights = np.linalg.solve(system + ridge * np.eye(len(points)), sums)
        except np.linalg.LinAlgError:
            raise NotInvertible(
                f"the kernel matrix of the words number {points.tolist()} plus the ridge is "
                "singular: is the kernel positive semidefinite?"
            ) from None
    found: Floats = (K[:, points] * root) @ weights
    return found
