"""The whole path as one call: symmetry, decomposition, spectrum, and losses against samples.

>>> from symbench.learning.targets import polynomial
>>> found = analyse(linear_attention(1, 1, readout="flatten"), None,
...     polynomial({(1,): 1, (2,): -1}), length=4, samples=[1, 2, 8], trials=20)
>>> print(found.symmetry)
kernel: invariant, by construction
law: exchangeable, by construction
>>> {str(shape): str(weight) for shape, weight in found.weights.items()}
{'3+1': '2'}
>>> [str(value) for value in found.spectrum["3+1"].eigenvalues]
['14', '3/2', '0']
>>> [str(point.bound) for point in found.curve.points]
['4/3', '2/3', '0']
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.draw.figures import new_figure
from symbench.draw.tables import columns_text
from symbench.errors import BadType
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.exact.roots import Eigenvalue
from symbench.laws.exchangeable import Law
from symbench.learning.isotypic import parts_by_irrep
from symbench.learning.learning_curves import (
    LearningCurve,
    bounds_of,
    curve_of,
    read_samples,
)
from symbench.learning.orbit_average import OrbitAverage
from symbench.learning.regression import Problem, read_noise, ridge_for
from symbench.learning.symmetry import Symmetry, exchangeable_law, symmetry_of
from symbench.learning.targets import Target, read_target
from symbench.learning.theories import MOST, effective_ridge, kernel_levels
from symbench.spectra.decomposition import Spectrum, spectrum
from symbench.young import Partition

_SAMPLES = (1, 2, 4, 8, 16, 32, 64)
# Averages over all training sets are taken where they are at most so many: a second or so.
_SETS = 5_000


@attrs.frozen
class Meeting:
    """A part of the target that meets one eigenvalue of the kernel in one irreducible.

    `part` is how much of |f|^2 it is (a float). `bound` is proved: with fewer samples the error in
    the whole irreducible is above half of what the target has there. `equivalent` (ridge over
    eigenvalue) and `self_consistent` are where the theories predict half of the function; None
    for never, or beyond 10^18 samples.

    >>> Meeting(Partition(3, 1), Rational(14), 3, 2.0, 2, 0.5, 3).eigenvalue
    14
    """

    partition: Partition
    eigenvalue: Eigenvalue
    dimension: int
    part: float
    bound: int
    equivalent: float | None
    self_consistent: int | None
    exactness = "float"


@attrs.frozen(eq=False, repr=False)
class Analysis:
    """What `analyse` finds; `weights` and `spectrum` are exact, the curve says it for each number.

    Where the symmetry is missing, `symmetry` has the witness, `weights`, `spectrum` and the
    meetings are None or empty, and the curve has no lower bound.

    >>> from symbench.learning.targets import parity
    >>> found = analyse(linear_attention(1, 1, readout="flatten"), None, parity(1), length=3,
    ...                 samples=[1], ridge=1, trials=2)
    >>> [(str(x.partition), str(x.eigenvalue), round(x.part, 6)) for x in found.meetings]
    [('3', '33/2', 0.333333), ('2+1', '39/4', 0.666667)]
    """

    kernel: Any
    law: Any
    target: Target
    test_law: Any
    length: int
    symmetry: Symmetry
    weights: dict[Partition, Rational] | None
    spectrum: Spectrum | None
    meetings: tuple[Meeting, ...]
    curve: LearningCurve
    exactness = "float"

    def __repr__(self) -> str:
        return (
            f"<Analysis of {self.kernel!r} and {shown(self.target)}, length {self.length}: "
            f"{'symmetric' if self.symmetry else 'not symmetric'}>"
        )

    def __str__(self) -> str:
        return self.table()

    @property
    def ridge(self) -> Rational:
        """The ridge of the regression."""
        return self.curve.ridge

    def table(self) -> str:
        """The meetings of target and kernel, then the losses against the number of samples."""
        blocks = []
        if self.meetings:
            rows = [["irrep", "dim", "eigenvalue", "part of |f|^2"]]
            rows[0] += ["N proved", "N self-consistent", "N equivalent"]
            for x in self.meetings:
                rows.append(
                    [
                        str(x.partition),
                        number_text(x.dimension),
                        str(x.eigenvalue),
                        f"{x.part:.4f}",
                        str(x.bound),
                        "never" if x.self_consistent is None else str(x.self_consistent),
                        "never" if x.equivalent is None else f"{x.equivalent:.3g}",
                    ]
                )
            blocks.append(columns_text(rows))
        titles = {
            "test": "expected error",
            "train": "error on the samples",
            "shifted": "expected error under the test law",
        }
        for name in self.curve.names:
            blocks.append(f"{titles[name]}\n{self.curve.table(loss=name, spreads=True)}")
        return "\n\n".join(blocks)

    def explain(self) -> str:
        """In sentences: the symmetry, where the target is, what it meets, how many samples.

        >>> from symbench.learning.targets import parity
        >>> print(analyse(linear_attention(1, 1), None, parity(3), length=3, samples=[1],
        ...               trials=2).explain())
        The kernel is invariant (by construction), the law exchangeable (by construction).
        |f|^2 = 1: all of it is in the irrep 3.
        Irrep 3, dimension 1, 100% of |f|^2: half of it takes N >= 1 (proved).
          100% meets the eigenvalue 0 and is never learned.
        """
        if not self.symmetry:
            return (
                f"There is no symmetry: {self.symmetry.witness}.\nSo there is no decomposition by "
                "irrep and no lower bound; the curve is about regression on all words."
            )
        lines = [
            f"The kernel is invariant ({self.symmetry.kernel}), the law exchangeable "
            f"({self.symmetry.law})."
        ]
        norm = self.curve.norm
        if not norm or not self.weights:
            return "\n".join([*lines, "The target is 0."])
        shares = [f"{_percent(w / norm)} in {shape}" for shape, w in self.weights.items()]
        where = f"all of it is in the irrep {next(iter(self.weights))}"
        lines.append(f"|f|^2 = {norm}: {', '.join(shares) if len(shares) > 1 else where}.")
        for shape, weight in self.weights.items():
            own = [x for x in self.meetings if x.partition == shape]
            need = max((x.bound for x in own), default=0)
            lines.append(
                f"Irrep {shape}, dimension {number_text(shape.dim)}, {_percent(weight / norm)} of "
                f"|f|^2: half of it takes N >= {need} (proved)."
            )
            for x in own:
                start = f"  {_percent(x.part / float(norm))} meets the eigenvalue {x.eigenvalue}"
                if x.self_consistent is None or x.equivalent is None:
                    never = "is never learned" if x.eigenvalue == 0 else "takes over 10^18 samples"
                    lines.append(f"{start} and {never}.")
                else:
                    lines.append(
                        f"{start}, half learned at N = {x.self_consistent} (self-consistent "
                        f"theory), {x.equivalent:.3g} (equivalent kernel)."
                    )
        return "\n".join(lines)

    def plot(self, path: Any = None) -> Any:
        """The weights by irreducible, and a panel of curves for each loss (matplotlib)."""
        if path is not None and not isinstance(path, (str, Path)):
            raise BadType(f"the path is {shown(path)}: give a file name")
        names = self.curve.names
        panels = len(names) + bool(self.weights)
        figure = new_figure(5 * panels, 4)
        figure.set_layout_engine("constrained")
        axes = list(figure.subplots(1, panels, squeeze=False)[0])
        if self.weights:
            first = axes.pop(0)
            first.bar(
                [str(shape) for shape in self.weights], list(map(float, self.weights.values()))
            )
            first.set(xlabel="irrep", ylabel="part of |f|^2", title="where the target is")
            first.tick_params(axis="x", rotation=45)
        for one, name in zip(axes, names, strict=True):
            self.curve.draw(one, name)
        if path is not None:
            figure.savefig(path)
        return figure


def _percent(share: Fraction | float) -> str:
    return f"{100 * float(share):.3g}%"


def analyse(
    kernel: Any,
    law: Law | None,
    target: Target,
    *,
    length: int,
    samples: Sequence[int] = _SAMPLES,
    ridge: Any = None,
    noise: Any = 0,
    test_law: Law | None = None,
    trials: int = 100,
    seed: int = 0,
) -> Analysis:
    """What kernel regression with this kernel learns of a target from words of this law, and when.

    The symmetry is checked, the target decomposed by irreducible, the spectrum computed, and the
    losses on new words, on the samples and under the test law are given against N: by two
    theories, simulated, exactly where there are few training sets, and bounded from below. law
    None is uniform; ridge None is E k(x, x) / 20; noise is the variance of label noise. The words
    are at most 1,024.

    >>> from symbench.learning.targets import majority
    >>> found = analyse(linear_attention(1, 1, readout="flatten"), None, majority(3), length=3,
    ...     samples=[2, 8], ridge=2, test_law=IidLaw("1/10", "9/10"), trials=20)
    >>> found
    <Analysis of linear_attention(1, 1, readout='flatten') and WeightFunction([-1, -1, 1, 1]), \
length 3: symmetric>
    >>> found.curve.names
    ('test', 'train', 'shifted')
    >>> analyse(linear_attention(1, 1), None, "majority", length=3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the target is 'majority': give parity(3), majority(5), ...
    """
    function, _ = read_target(target, length)
    counts, variance = read_samples(samples), read_noise(noise)
    problem = Problem.of(kernel, function, length=length, law=law, test_law=test_law)
    size, tokens = len(problem.words[0]), function.vocabulary
    shift = ridge_for(problem, ridge)
    symmetry = symmetry_of(kernel, law, length=size, vocabulary=tokens, table=problem.kernel)
    levels = kernel_levels(problem)
    bounds = bounds_of(symmetry, function, (law,) if test_law is None else (law, test_law), size)
    curve = curve_of(
        problem,
        bounds,
        levels,
        counts,
        ridge=shift,
        noise=variance,
        trials=trials,
        most_sets=_SETS,
        seed=seed,
    )
    weights, found, orbit = None, None, bounds[0]
    meetings: tuple[Meeting, ...] = ()
    if orbit is not None:
        weights = orbit.weights
        chosen = exchangeable_law(law, length=size, vocabulary=tokens)
        found = spectrum(kernel, length=size, vocabulary=tokens, law=chosen)
        meetings = _meetings(problem, found, orbit, levels, shift)
    return Analysis(
        kernel, law, function, test_law, size, symmetry, weights, found, meetings, curve
    )


def _meetings(
    problem: Problem, found: Spectrum, orbit: OrbitAverage, levels: Any, ridge: Rational
) -> tuple[Meeting, ...]:
    rows = []
    for shape, value, part in parts_by_irrep(problem, found):
        own = orbit.part(shape)
        equivalent, half = None, None
        if value > 0:
            half = _half_learned(levels, float(value), ridge)
            equivalent = None if half is None else float(ridge) / float(value)
        rows.append(
            Meeting(
                shape,
                value,
                found[shape].dimension,
                part,
                own.samples(own.norm / 2),
                equivalent,
                half,
            )
        )
    return tuple(rows)


def _half_learned(levels: Any, value: float, ridge: Rational) -> int | None:
    """The least N with N times the eigenvalue at least the effective ridge, which falls with N."""

    def learned(count: int) -> bool:
        return count * value >= effective_ridge(levels, samples=count, ridge=ridge)

    high = 1
    while not learned(high):
        high *= 2
        if high > MOST:
            return None
    first = high // 2 + 1  # half of it was not enough
    return first + bisect_left(range(first, high), True, key=learned)
