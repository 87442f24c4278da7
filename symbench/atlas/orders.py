"""The least order in beta at which derivatives of softmax attention at zero tell templates apart.

The matrix of a task is known as a series N = N_0 + N_2 beta^2 + ..., and the features of templates
are series, too. They are independent to an order n if the elementary divisors of N over the power
series, which are powers of beta, are all seen there: beta^e with e <= n. How many there are up to
2k is the rank of the block matrix T_k with N_(2 (i - j)) at place (i, j), less that of T_(k-1).

>>> [least_order(all_templates(n)).order for n in (1, 2, 3)]
[0, 4, 10]
>>> found = least_order(tasks.aabb_abab())
>>> found.order, found.certificate.check()
(6, True)
>>> least_order(tasks.aabb_abab(), at_most=4)
LeastOrder(order=None, tried=4, certificate=None)
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import Any

import attrs
import flint

from symbench._arguments import integer
from symbench.certificates import Certificate
from symbench.draw.views import Shown
from symbench.errors import TooLarge
from symbench.exact import Matrix
from symbench.exact.rational import exact_parameter
from symbench.kernels.attention import attention
from symbench.ktau import template_matrix
from symbench.words import Task, Template


@attrs.frozen
class LeastOrder(Shown):
    """The least order that tells all templates apart, None if no order up to `tried` does.

    The certificate shows that the order is enough.
    """

    order: int | None
    tried: int
    certificate: Certificate | None = None


def least_order(
    task: Task | Iterable[Template], *, gamma: Any = 1, at_most: int = 12
) -> LeastOrder:
    """The least order in beta at which the templates of a task are told apart, at this gamma.

    A series that is cut off can show that a task is learnable for small beta, never that it is
    not: softmax attention learns all of them at every beta.

    >>> least_order([Template("αα"), Template("αα")], at_most=2).order is None
    True
    """
    number = exact_parameter(gamma, "gamma")
    most = integer(at_most, "the largest order", at_least=0)
    templates = task.templates if isinstance(task, Task) else tuple(task)
    tried, before = -1, 0
    for order in range(0, most + 1, 2):
        try:
            found = template_matrix(templates, attention(gamma=number, order=order))
            rank = _toeplitz_rank(found.matrix, order)
        except TooLarge:
            break
        if rank - before == len(templates):
            return LeastOrder(order, order, found.certify(algorithm="matrix"))
        tried, before = order, rank
    return LeastOrder(None, max(tried, 0))


def _toeplitz_rank(series: Matrix, order: int) -> int:
    """The rank of T_k, k = order / 2."""
    size, blocks = series.shape[0], order // 2 + 1
    values = [[entry.coefficients[::2] for entry in row] for row in series.rows]
    # One denominator for all entries of an order does not change which elementary divisors.
    scale = lcm(*(int(c.denominator) for row in values for cs in row for c in cs))
    table = [[0] * (size * blocks) for _ in range(size * blocks)]
    for i, row in enumerate(values):
        for j, coefficients in enumerate(row):
            scaled = [int(c * scale) for c in coefficients]
            for a in range(blocks):
                for b in range(a + 1):
                    table[a * size + i][b * size + j] = scaled[a - b]
    return int(flint.fmpz_mat(table).rank())
