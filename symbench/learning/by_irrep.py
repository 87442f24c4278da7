"""What a labelling costs, irreducible by irreducible: positions permuted in all templates at once.

Templates that are closed under permuting positions have a template matrix N that commutes with
these permutations, if the kernel does not tell positions apart. A labelling f is a sum of parts
f_lambda, N^-1 f_lambda is of the same kind, and so is what each part adds to the cost c_j of
`TemplateSplit.cost`.

>>> kernel = inner_product(lambda s: (1 + s) ** 2, incidence=True)
>>> found = labelling_by_irrep(tasks.majority_all_patterns(3), kernel)
>>> print(found)
irrep  dimension  copies  weight  share  eigenvalue  cost
3      1          3       7/3     46.7%  4.70588     70.8125
2+1    2          1       8/3     53.3%  20          15
all                       5                          70.8125
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from symbench.draw.views import Shown, columns_text
from symbench.errors import BadType, BadValue, NotInvertible, NotSupported, Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.arrays import Floats, np
from symbench.exact.rational import exact_number
from symbench.kernels.base import Kernel
from symbench.kernels.diagram import Diagram
from symbench.kernels.float_value import FloatValue
from symbench.kernels.softmax.finite_values import agreement
from symbench.ktau.isotypic import PositionSymmetry, position_symmetry
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.words import Task
from symbench.young import Partition
from symbench.young.projectors import project

# More templates than these are solved for in floats: 203 exactly take a few seconds.
_EXACT = 250
# Fewer digits than these are none.
_LEAST = 2

Number = Rational | FloatValue


@attrs.frozen
class LabellingPart(Shown):
    """The part of a labelling in one irreducible: its squared length, and what it costs.

    `eigenvalue` is the harmonic mean of the eigenvalues of N that the part meets, weighted by how
    much of it does, and `cost` the largest number in absolute value that it adds to the c_j. Both
    are None where the part is zero.

    >>> kernel = inner_product(lambda s: s**2, incidence=True)
    >>> labelling_by_irrep(tasks.same_different(), kernel).parts[0]
    LabellingPart(partition=Partition(2), copies=2, weight=2, eigenvalue=24/7, cost=10)
    """

    partition: Partition
    copies: int
    weight: Rational
    eigenvalue: Number | None
    cost: Number | None


@attrs.frozen(eq=False, repr=False)
class LabellingByIrrep(Shown):
    """A labelling by irreducible; `labelling_by_irrep(task, kernel)` makes one.

    `cost` is the largest c_j of the whole labelling: parts may cancel at a template.

    >>> kernel = inner_product(lambda s: s**2, incidence=True)
    >>> found = labelling_by_irrep(tasks.same_different(), kernel)
    >>> found[Partition(2)].weight, found.cost, found.exactness
    (2, 10, 'exact')
    """

    task: Task
    kernel: Kernel
    parts: tuple[LabellingPart, ...]
    cost: Number
    exactness: str

    def __getitem__(self, partition: Partition) -> LabellingPart:
        return next(part for part in self.parts if part.partition == partition)

    def __repr__(self) -> str:
        total = sum(part.weight for part in self.parts)
        rows = [["irrep", "dimension", "copies", "weight", "share", "eigenvalue", "cost"]]
        for part in self.parts:
            if part.weight:
                share = f"{float(part.weight / total):.1%}"
                numbers = [_short(part.eigenvalue), _short(part.cost)]
                sizes = [str(part.partition.dim), str(part.copies)]
                rows.append([str(part.partition), *sizes, str(part.weight), share, *numbers])
        rows.append(["all", "", "", str(total), "", "", _short(self.cost)])
        return columns_text(rows)

    __str__ = __repr__


def labelling_by_irrep(task: Task, kernel: Kernel) -> LabellingByIrrep:
    """What each irreducible of the permutations of positions adds to the cost of a task.

    The templates must be closed under permuting positions, the labels numbers, and the kernel must
    not tell positions apart. With rational values and up to 250 templates all is exact; beyond, and
    for the floats of attention, numbers state their digits. 4,140 templates, all of length 8, take
    some seconds.

    >>> labelling_by_irrep(tasks.aba_abb(), inner_product(lambda s: s, incidence=True))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: s_2 of the positions moves αβα to ααβ, which is not ...
    >>> labelling_by_irrep(tasks.same_different(), inner_product([1, 2, 3]))
    Traceback (most recent call last):
    ...
    symbench.errors.NotInvertible: the template matrix is singular: ask learnable(task, kernel)
    """
    if not isinstance(task, Task) or task.labels is None or task.is_symbolic:
        raise BadType("the task has no labels that are numbers: give a Task with labels")
    symmetry = position_symmetry(task)
    labels = [Rational(exact_number(label)) for label in task.labels]
    shapes = symmetry.multiplicities
    columns = [project(symmetry.action, shape, labels) for shape in shapes]
    matrix = template_matrix(task, kernel)
    solved = _solved(matrix, symmetry, columns)
    size = len(labels)
    scale: list[Any] = [
        rest / Rational(weight) if solved.exact else float(rest) / float(weight)
        for rest, weight in zip(solved.residual, task.weights, strict=True)
    ]
    parts = []
    for shape, f, lists in zip(shapes, columns, solved.duals, strict=True):
        weight = Rational(sum(x * x for x in f))
        if not weight:
            parts.append(LabellingPart(shape, shapes[shape], weight, None, None))
            continue
        meets = [sum(_kind(x, solved.exact) * g for x, g in zip(f, dual, strict=True))
                 for dual in lists]  # fmt: skip
        costs = [max(abs(g * s) for g, s in zip(dual, scale, strict=True)) for dual in lists]
        eigenvalue = _value([_kind(weight, solved.exact) / x for x in meets])
        parts.append(LabellingPart(shape, shapes[shape], weight, eigenvalue, _value(costs)))
    whole = [
        max(abs(sum(lists[which][i] for lists in solved.duals) * scale[i]) for i in range(size))
        for which in range(1 if solved.exact else 2)
    ]
    kind = "exact" if solved.exact else "float"
    return LabellingByIrrep(task, kernel, tuple(parts), _value(whole), kind)


@attrs.frozen(eq=False)
class _Solved:
    """N^-1 of each part, exactly in one list, or in two lists of floats; and the residuals."""

    exact: bool
    duals: tuple[tuple[Any, ...], ...]
    residual: tuple[Any, ...]


def _solved(matrix: TemplateMatrix, symmetry: PositionSymmetry, columns: Any) -> _Solved:
    if matrix.kernel.exactness == "float":
        from symbench.learning.template_split import TemplateSplit

        split = TemplateSplit(matrix.templates, matrix.kernel, False)
        residual = [float(x) for x in split.residual]
        return _in_floats(np.array(split.matrix, dtype=float), columns, residual)
    numbers, values, ring = matrix.grouped
    if not all(isinstance(value, (int, Fraction)) for value in values.values()):
        raise NotSupported(f"{matrix.kernel!r} has values in {ring!r}: give it numbers")
    for table in symmetry.action.generators:
        if not np.array_equal(numbers[np.ix_(table, table)], numbers) and any(
            values[int(a)] != values[int(b)]
            for a, b in {*zip(numbers[np.ix_(table, table)].ravel().tolist(),
                              numbers.ravel().tolist(), strict=True)}
        ):  # fmt: skip
            raise BadValue(f"{matrix.kernel!r} tells positions apart: give one that does not")
    own = [matrix.kernel.on_diagram(Diagram.from_codes(z.letters * 2)) for z in matrix.templates]
    diagonal = [values[n] for n in numbers.diagonal().tolist()]
    rest: list[Any] = [Rational(k) - Rational(n) for k, n in zip(own, diagonal, strict=True)]
    if len(matrix) > _EXACT:
        known = np.zeros(max(values) + 1)
        for n, value in values.items():
            known[n] = float(value)
        return _in_floats(known[numbers], columns, rest)
    try:
        right = Matrix([list(row) for row in zip(*columns, strict=True)], QQ)
        found = Matrix._of(matrix.matrix.rows, matrix.matrix.shape, QQ).solve(right)
    except NotInvertible:
        raise NotInvertible(
            "the template matrix is singular: ask learnable(task, kernel)"
        ) from None
    return _Solved(True, tuple((dual,) for dual in zip(*found.rows, strict=True)), tuple(rest))


def _in_floats(N: Floats, columns: Any, residual: Any) -> _Solved:
    """A solution by Cholesky, and one that is refined with the remainder in longer floats."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    right = np.array([[float(x) for x in f] for f in columns]).T
    try:
        factor = cho_factor(N)
    except LinAlgError:
        raise Undecided(
            "the template matrix is not positive definite in double precision: it may be singular"
        ) from None
    one = cho_solve(factor, right)
    rest = np.array(right, dtype=np.longdouble)
    for start in range(0, len(N), 256):  # longer floats for all of N at once take too much memory
        rest[start : start + 256] -= N[start : start + 256].astype(np.longdouble) @ one
    two = one + cho_solve(factor, rest.astype(float))
    duals = tuple(zip(one.T.tolist(), two.T.tolist(), strict=True))
    return _Solved(False, duals, tuple(residual))


def _kind(x: Any, exact: bool) -> Any:
    return x if exact else float(x)


def _value(found: list[Any]) -> Number:
    """An exact number, or a float with the digits in which two computations agree."""
    if len(found) == 1:
        return Rational(found[0])
    digits = agreement(*found)
    if digits < _LEAST:
        raise Undecided("two computations in floats do not agree: the matrix is ill conditioned")
    return FloatValue(found[1], min(digits, 12))


def _short(x: Number | None) -> str:
    return "" if x is None else f"{float(x):.6g}"
