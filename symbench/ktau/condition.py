"""Condition (9)/(22) of boix2024 for the attention kernel, by derivatives at zero."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from symbench._arguments import integers, sequence, shown
from symbench.certificates import Stage
from symbench.draw.progress import progress
from symbench.errors import BadType, Undecided
from symbench.exact import QQ, Matrix
from symbench.exact.arrays import Integers
from symbench.kernels.attention import attention
from symbench.ktau.matrix import template_matrix
from symbench.words import Task, Template

# The orders (of beta, of gamma) that boix2024 uses, in Claims F.2 to F.6.
PAPER_ORDERS = ((0, 0), (2, 2), (4, 0), (4, 2), (6, 4))
_PAIRS = "pairs of integers, such as [(2, 2), (4, 0)]"


def coefficient_matrices(
    task: Task | Iterable[Template], orders: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], Matrix]]:
    """The matrices of [beta^i gamma^j] K_tau, for the orders given, from one expansion.

    >>> dict(coefficient_matrices(tasks.same_different(), [(2, 0)]))[2, 0]
    Matrix([['8/81', '2/27'],
            ['2/27', '4/81']])
    """
    wanted = _orders(orders)
    highest = max((i for i, _ in wanted), default=0)
    series = template_matrix(task, attention(order=highest)).grouped
    return ((order, _coefficient(*series[:2], order)) for order in wanted)


def _orders(orders: Any) -> list[tuple[int, int]]:
    found = []
    for given in sequence(orders, "the list of orders", _PAIRS):
        pair = integers(given, "a pair of orders", at_least=0)
        if len(pair) != 2:
            raise BadType(f"a pair of orders is {shown(given)}: give {_PAIRS}")
        found.append((pair[0], pair[1]))
    return found


def _coefficient(numbers: Integers, series: dict[int, Any], order: tuple[int, int]) -> Matrix:
    i, j = order
    terms = QQ["gamma"].terms
    # Few entries are different, and each of these is read once.
    known = {n: terms(entry.coefficients[i]).get((j,), 0) for n, entry in series.items()}
    return Matrix([[known[n] for n in row] for row in numbers.tolist()], QQ)


def stages(
    task: Task | Iterable[Template], orders: Iterable[tuple[int, int]] = PAPER_ORDERS
) -> list[Stage]:
    """One certificate per derivative, until every template is told apart from every other.

    Together they prove condition (9) for almost every beta, gamma: for a permutation other than the
    identity the first stage that it does not respect has a positive difference of sums.

    >>> found = stages([Template("ααββ"), Template("αβαβ"), Template("ααβS")])
    >>> for stage in found:
    ...     print(stage.about["coefficient"], stage.explain())
    beta^0 gamma^0 separates 1 groups of templates into 2
    beta^6 gamma^4 separates 2 groups of templates into 3
    >>> all(stage.check() for stage in found)
    True
    >>> stages([Template("αβ"), Template("βα")])
    Traceback (most recent call last):
    ...
    symbench.errors.Undecided: 1 groups of 2 templates are left: equivalent, or try higher orders
    """
    found: list[Stage] = []
    groups: tuple[int, ...] | None = None
    wanted = _orders(orders)
    with progress("orders of the series", len(wanted)) as report:
        for order, matrix in coefficient_matrices(task, wanted):
            size = matrix.shape[0]
            before = groups if groups is not None else (0,) * size
            after = _refine(matrix, before)
            if len(set(after)) > len(set(before)):
                stage = Stage(
                    before=before,
                    after=after,
                    subject=matrix,
                    about={"coefficient": f"beta^{order[0]} gamma^{order[1]}"},
                )
                if not stage.check():
                    raise Undecided(
                        f"the gaps at beta^{order[0]} gamma^{order[1]} are not those of a stage"
                    )
                found.append(stage)
                groups = after
            else:
                groups = before
            if len(set(groups)) == size:
                return found
            report(1)
    if groups is None:
        raise Undecided("no orders are given, so nothing is told apart: give some")
    raise Undecided(
        f"{len(set(groups))} groups of {len(groups)} templates are left: equivalent, or try "
        "higher orders"
    )


def _refine(matrix: Matrix, before: tuple[int, ...]) -> tuple[int, ...]:
    """Groups of templates of one group before whose gaps vanish."""
    rows = matrix.rows
    after: list[int] = []
    first: list[int] = []  # a member of each new group
    for i, group in enumerate(before):
        for number, j in enumerate(first):
            gap = rows[i][i] + rows[j][j] - 2 * rows[i][j]
            if before[j] == group and gap == 0:
                after.append(number)
                break
        else:
            after.append(len(first))
            first.append(i)
    return tuple(after)
