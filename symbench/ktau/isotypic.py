"""The second symmetry of K_tau: permuting the positions of all templates at once.

Positions carry independent Gaussians of one law, so N does not change when the same permutation
moves the positions of every template (CLS, at the end, stays). If a set of templates is closed
under that, N commutes with the symmetric group: on the copies of an irreducible it is one small
block, repeated as often as the dimension says. At gamma = 0 exactly the part on which permutations
act trivially survives, so a labelling orthogonal to it is learned through positions only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import attrs

from symbench._arguments import instance, integer, sequence
from symbench.draw.progress import progress
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.exact.rational import exact_number
from symbench.kernels.base import check_templates
from symbench.kernels.diagram import Diagram
from symbench.kernels.float_value import FloatValue
from symbench.kernels.softmax.finite_values import agreement, attention_values
from symbench.ktau.matrix import ends_in_cls
from symbench.words import Task, Template
from symbench.young import Action, Partition, Permutation, commuting_blocks
from symbench.young.projectors import isotypic_projector, project

# The second computation of the entries asks for one digit less than the first.
_SPARE = 1


@attrs.frozen
class LabelledLevel(Shown):
    """An eigenvalue of N at finite parameters (float), and how much of a labelling meets it."""

    partition: Partition
    eigenvalue: FloatValue
    multiplicity: int
    weight: float
    exactness = "float"


@attrs.frozen(eq=False, repr=False, slots=False)
class PositionSymmetry(Shown):
    """Templates closed under permuting positions; `position_symmetry(templates)` makes one.

    >>> found = position_symmetry(all_templates(3))
    >>> found
    <PositionSymmetry of 5 templates under S_3: 3 x (3), 1 x (2, 1)>
    """

    templates: tuple[Template, ...]
    action: Action

    def __repr__(self) -> str:
        parts = (f"{n} x ({', '.join(map(str, p.parts))})" for p, n in self.multiplicities.items())
        size, degree = len(self.templates), self.action.degree
        return f"<PositionSymmetry of {size} templates under S_{degree}: {', '.join(parts)}>"

    @cached_property
    def multiplicities(self) -> dict[Partition, int]:
        """How often each irreducible occurs: the sizes of the blocks of N."""
        found: dict[Partition, int] = self.action.decompose()
        return found

    def weights(self, labels: Sequence[Any]) -> dict[Partition, Rational]:
        """The squared length of a labelling's part in each irreducible, exactly.

        >>> print(*all_templates(3))
        ααα ααβ αβα αββ αβγ
        >>> position_symmetry(all_templates(3)).weights([1, 1, -1, -1, 1])
        {Partition(3): 7/3, Partition(2, 1): 8/3}
        """
        numbers = self._labels(labels)
        return {
            shape: Rational(sum(x * x for x in project(self.action, shape, numbers)))
            for shape in self.multiplicities
        }

    def blocks(self, matrix: Matrix) -> dict[Partition, Matrix]:
        """The block of each irreducible, for a rational matrix that commutes with permutations.

        >>> (_, second), = coefficient_matrices(all_templates(3), [(2, 0)])
        >>> for shape, block in position_symmetry(all_templates(3)).blocks(second).items():
        ...     print(shape, block.shape, block.rank())
        3 (3, 3) 2
        2+1 (1, 1) 0
        """
        instance(matrix, Matrix, "the matrix", "a Matrix, such as one of coefficient_matrices(...)")
        found: dict[Partition, Matrix] = commuting_blocks(self.action, matrix)
        return found

    def levels(
        self, labels: Sequence[Any], *, beta: Any, gamma: Any, digits: int = 8
    ) -> tuple[LabelledLevel, ...]:
        """Eigenvalues of N of softmax attention at finite parameters, and a labelling's weights.

        Floats: an eigenvalue states the digits in which two computations of N agree on it. A
        labelling is hard if much of its weight lies on small eigenvalues.

        >>> task = position_symmetry(all_templates(3))
        >>> for level in task.levels([1, 1, -1, -1, 1], beta=1, gamma=1, digits=10):
        ...     print(level.partition, level.eigenvalue, level.multiplicity, f"{level.weight:.4f}")
        3 2.529295... 1 0.2040
        3 0.0027378... 1 0.1239
        3 2.76...e-06 1 2.0054
        2+1 0.0014786... 2 2.6667
        """
        vector = np.array(self._labels(labels), dtype=float)
        digits = integer(digits, "digits", at_least=2)
        rough, fine = (self._floats(beta, gamma, digits - extra) for extra in (_SPARE, 0))
        levels: list[LabelledLevel] = []
        for shape, copies in self.multiplicities.items():
            projector = np.array(isotypic_projector(self.action, shape).rows, dtype=float)
            basis = np.linalg.svd(projector)[0][:, : copies * shape.dim]
            values, vectors = np.linalg.eigh(basis.T @ fine @ basis)
            others = np.linalg.eigvalsh(basis.T @ rough @ basis)
            meets = (vectors.T @ (basis.T @ vector)) ** 2
            # Each eigenvalue comes dim times, in a run.
            for k in reversed(range(copies)):
                run = slice(k * shape.dim, (k + 1) * shape.dim)
                one, two = float(values[run].mean()), float(others[run].mean())
                # An eigenvalue far below the entries has fewer digits than they have.
                size = float(np.abs(fine).sum(axis=0).max())
                lost = max(0, math.ceil(math.log10(size / abs(one)))) if one else digits
                sure = min(agreement(two, one), digits - lost) if one else 0
                value = FloatValue(one, max(0, sure))
                levels.append(LabelledLevel(shape, value, shape.dim, float(meets[run].sum())))
        return tuple(levels)

    def _floats(self, beta: Any, gamma: Any, digits: int) -> Any:
        closed = [z.with_cls() for z in self.templates]
        size = len(closed)
        diagrams = [Diagram.of_templates(z, w) for z in closed for w in closed]
        values = attention_values(diagrams, beta, gamma, digits=digits)
        return np.array([float(value) for value in values]).reshape(size, size)

    def _labels(self, labels: Any) -> list[Rational]:
        given = sequence(labels, "the list of labels", "a list of numbers")
        found = [Rational(exact_number(x)) for x in given]
        if len(found) != len(self.templates):
            raise BadShape(f"{len(found)} labels for {len(self.templates)} templates")
        return found


def position_symmetry(task: Task | Iterable[Template]) -> PositionSymmetry:
    """How permutations of positions act on templates, which must be closed under them.

    A template may end in CLS, which then stays where it is.

    >>> position_symmetry([Template("ααβ"), Template("αβα")])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: s_1 of the positions moves αβα to αββ, which is not ...
    """
    given = check_templates(task.templates if isinstance(task, Task) else task)
    ended = all(map(ends_in_cls, given)) and len(given[0]) > 1
    found = tuple(type(z)(z.letters[:-1], wildcards=z.wildcards) if ended else z for z in given)
    known = {z.canonical for z in found}
    if len(known) < len(found):
        raise BadValue("two of the templates are equivalent: permutations act on the others alone")

    def act(g: Permutation, z: Template) -> Template:
        back = g.inverse
        letters = [z.letters[back(a) - 1] for a in range(1, len(z) + 1)]
        return type(z)(letters, wildcards=z.wildcards).canonical

    degree = len(found[0])
    with progress("templates, moved", max(degree - 1, 0) * len(found)) as report:
        for i in range(1, degree):
            for z in found:
                image = act(Permutation.adjacent(degree, i), z)
                if image not in known:
                    raise BadValue(
                        f"s_{i} of the positions moves {z} to {image}, which is not one of the "
                        "templates: give all of all_templates(...), or add what is missing"
                    )
                report(1)
    return PositionSymmetry(found, Action.of(degree, [z.canonical for z in found], act))
