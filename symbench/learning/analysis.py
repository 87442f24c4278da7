"""The whole path as one call: symmetry, decomposition, spectrum, and losses against samples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.draw.figures import Figure, panels
from symbench.draw.views import Shown, columns_text, sheet
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.laws.base import exchangeable_law
from symbench.learning.learning_curves import TITLES, LearningCurve
from symbench.learning.meetings import Meeting, meetings
from symbench.learning.predictions import FEW_SETS
from symbench.learning.problem import Problem, Symmetry
from symbench.learning.targets import Target
from symbench.spectra._search import spectrum
from symbench.spectra._spectrum import Spectrum
from symbench.young import Partition

_SAMPLES = (1, 2, 4, 8, 16, 32, 64)


@attrs.frozen(eq=False, repr=False)
class Analysis(Shown):
    """What `analyse` finds; `weights` and `spectrum` are exact, the curve says it for each number.

    Where the symmetry is missing, `symmetry` has the witness, `weights`, `spectrum` and the
    meetings are None or empty, and the curve has no lower bound.

    >>> found = analyse(linear_attention(1, 1, readout="flatten"), targets.parity(1), length=3,
    ...                 samples=[1], ridge=1, trials=2)
    >>> [(str(x.partition), str(x.eigenvalue), round(x.part, 6)) for x in found.meetings]
    [('3', '33/2', 0.333333), ('2+1', '39/4', 0.666667)]
    """

    problem: Problem
    weights: dict[Partition, Rational] | None
    spectrum: Spectrum | None
    meetings: tuple[Meeting, ...]
    curve: LearningCurve
    exactness = "float"

    def __repr__(self) -> str:
        found, word = self.problem, "symmetric" if self.symmetry else "not symmetric"
        target = shown(found.target)
        return f"<Analysis of {found.kernel!r} and {target}, length {found.length}: {word}>"

    def __str__(self) -> str:
        return self.table()

    @property
    def symmetry(self) -> Symmetry:
        """How the symmetry of kernel and law is known, or what shows that it is missing."""
        return self.problem.symmetry

    @property
    def ridge(self) -> Rational:
        """The ridge of the regression."""
        return self.curve.ridge

    def table(self) -> str:
        """The meetings of target and kernel, then the losses against the number of samples."""
        blocks = list[str]()
        if self.meetings:
            rows = [["irrep", "dim", "eigenvalue", "part of |f|^2"]]
            rows[0] += ["N proved", "N self-consistent", "N equivalent"]
            for x in self.meetings:
                half = "never" if x.self_consistent is None else str(x.self_consistent)
                promised = "never" if x.equivalent is None else f"{x.equivalent:.3g}"
                size, part = number_text(x.dimension), f"{x.part:.4f}"
                met = [str(x.partition), size, str(x.eigenvalue), part]
                rows.append([*met, str(x.bound), half, promised])
            blocks += [columns_text(rows), ""]
        for name in self.curve.names:
            blocks += [TITLES[name], self.curve.table(loss=name, spreads=True), ""]
        return sheet(*blocks[:-1])

    def explain(self) -> str:
        """In sentences: the symmetry, where the target is, what it meets, how many samples.

        >>> print(analyse(linear_attention(1, 1), targets.parity(3), length=3, samples=[1],
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
        kernel, law = self.symmetry.kernel, self.symmetry.law
        lines = [f"The kernel is invariant ({kernel}), the law exchangeable ({law})."]
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

    def plot(self, path: str | Path | None = None) -> Figure:
        """The weights by irreducible, and a panel of curves for each loss (matplotlib)."""
        names = self.curve.names
        with panels(path, len(names) + bool(self.weights)) as (figure, axes):
            if self.weights:
                first, shapes = axes.pop(0), list(map(str, self.weights))
                norm = sum(self.weights.values()) or 1
                first.bar(shapes, [float(w / norm) for w in self.weights.values()], width=0.6)
                first.set(xlabel="irrep", ylabel="part of $|f|^2$", ylim=(0, 1))
                first.tick_params(axis="x", rotation=45)
                first.grid(False, axis="x")
            for one, name in zip(axes, names, strict=True):
                self.curve.draw(one, name)
        return figure


def _percent(share: Fraction | float) -> str:
    return f"{100 * float(share):.3g}%"


def analyse(
    kernel: Any,
    target: Target,
    *,
    length: int,
    law: Any = None,
    test_law: Any = None,
    samples: Sequence[int] = _SAMPLES,
    ridge: Any = None,
    noise: Any = 0,
    trials: int = 100,
    seed: int = 0,
) -> Analysis:
    """What kernel regression with this kernel learns of a target from words of this law, and when.

    The symmetry is checked, the target decomposed by irreducible, the spectrum computed, and the
    losses on new words, on the samples and under the test law are given against N: by two
    theories, simulated, exactly where there are few training sets, and bounded from below. law
    None is uniform; ridge None is E k(x, x) / 20; noise is the variance of label noise. The words
    are at most 1,024.

    >>> found = analyse(linear_attention(1, 1, readout="flatten"), targets.majority(3), length=3,
    ...     samples=[2, 8], ridge=2, test_law=Iid("1/10", "9/10"), trials=20)
    >>> found
    <Analysis of linear_attention(1, 1, readout='flatten') and WeightFunction([-1, -1, 1, 1]), \
length 3: symmetric>
    >>> found.curve.names
    ('test', 'train', 'shifted')
    >>> analyse(linear_attention(1, 1), "majority", length=3)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the target is 'majority': give parity(3), majority(5), ...
    """
    problem = Problem(kernel, target, length=length, law=law, test_law=test_law)
    curve = problem.curve(samples, ridge, noise=noise, trials=trials, most_sets=FEW_SETS, seed=seed)
    average = problem.averages[0]
    if average is None:
        return Analysis(problem, None, None, (), curve)
    law = exchangeable_law(problem.law, problem.length, problem.target.vocabulary)
    found = spectrum(kernel, length=problem.length, vocabulary=law.vocabulary, law=law)
    met = meetings(problem, found, average, curve.ridge)
    return Analysis(problem, average.weights, found, met, curve)
