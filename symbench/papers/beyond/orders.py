"""The orders in beta at which derivatives tell templates apart, and the smallest eigenvalue."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import flint

from symbench.atlas.orders import least_order
from symbench.certificates import Certificate
from symbench.errors import Undecided
from symbench.kernels import attention
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most
from symbench.papers._second_roads import at_gamma, first_difference, template_entry
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    template_sets,
    templates,
    with_cls,
)
from symbench.registry import Fails, NearMiss, claim

_LEAST = {1: 0, 2: 4, 3: 10, 4: 16}  # for all templates of a length
_MOST = 16
_DEFINED = 3  # the longest templates whose entries are computed from the definition to all orders
_KNOWN = 4  # the order to which the entries of longer ones are


def _cases(max_length: int = 3) -> Iterator[Templates]:
    at_most(max_length, max(_LEAST), "the length")
    yield from (every(length) for length in range(1, max_length + 1))
    yield templates("αβα", "αββ", "αβγ")
    yield templates("ααA", "αβA")
    yield templates("ααββ", "αβαβ")


@claim(
    "symbench.least-orders",
    source="Count of symbench: the orders in beta that tell all templates of a length apart",
    category="count",
    cases=_cases,
    boundary=templates("α"),
    applies=before_cls,
    strategy=template_sets(2, 3, 3, "A"),
    near_misses=[
        NearMiss("one order less", every(2), {"less": 2}),
        NearMiss("one order less, of three templates", templates("αβα", "αββ", "αβγ"), {"less": 2}),
        NearMiss("equivalent templates", templates("αβ", "βα")),
    ],
    assumes=["symbench.series-rank"],
    proof="proofs/symbench/series-rank.md",
)
def least_orders(case: Templates, less: int = 0) -> Certificate | Fails:
    r"""Let $N$ be the template matrix of softmax attention at $\gamma = 1$ as a power series in
    $\beta$, CLS appended. The least order $n$ such that the coefficients up to $\beta^n$ show that
    $N$ has full rank is the order of the last elementary divisor of $N$ over $\mathbb{Q}[[\beta]]$.
    For all templates of length $1, 2, 3, 4$ it is $0, 4, 10, 16$. The library counts divisors by
    ranks of block matrices; here they are found by elimination, up to length $3$ in entries that
    are computed from the definition (longer ones are compared with it to $\beta^4$).
    """
    at_most(len(case), 15, "templates")
    at_most(len(case[0]), 4, "positions")
    found = least_order(case, at_most=_MOST)
    if found.order is None or found.certificate is None:
        if len({z.canonical for z in case}) < len(case):
            return Fails("two of the templates are equivalent, and no order tells them apart")
        raise Undecided(f"no order up to {found.tried} tells the templates apart")
    order = found.order
    rows = _entries(case, order)
    if isinstance(rows, Fails):
        return rows
    if _seen(rows, order - less + 1) < len(case):
        return Fails(f"the coefficients up to beta^{order - less} do not show full rank")
    if order and _seen(rows, order - 1) == len(case):
        return Fails(f"the coefficients up to beta^{order - 2} show full rank")
    length = len(case[0])
    if set(case) == set(every(length)) and order != _LEAST[length]:
        return Fails(f"the order of all templates of length {length} is {order}")
    return found.certificate


def _entries(chosen: Templates, order: int) -> list[list[Any]] | Fails:
    """The template matrix at gamma = 1 as polynomials in beta."""
    closed = with_cls(chosen)
    if len(chosen[0]) <= _DEFINED:
        half = {
            (i, j): at_gamma(template_entry(z, w, order), Fraction(1), order)
            for (i, z), (j, w) in combinations_with_replacement(enumerate(closed), 2)
        }
        size = range(len(closed))
        return [[half[min(i, j), max(i, j)] for j in size] for i in size]
    matrix = template_matrix(chosen, attention(order=_KNOWN)).matrix
    wrong = first_difference(closed, matrix.rows, _KNOWN, most=10)
    if wrong:
        return Fails(wrong)
    rows = template_matrix(chosen, attention(gamma=1, order=order)).matrix.rows
    return [
        [flint.fmpq_poly([flint.fmpq(c.numerator, c.denominator) for c in x.coefficients])
         for x in row]
        for row in rows
    ]  # fmt: skip


def _seen(rows: list[list[Any]], precision: int) -> int:
    """How many pivots are not zero modulo x^precision, the lowest one taken in the whole block."""

    def cut(x: Any) -> Any:
        return flint.fmpq_poly(x.coeffs()[:precision])

    block = [[cut(x) for x in row] for row in rows]
    pivots = 0
    while True:
        places = [(_order(x), i, j) for i, row in enumerate(block) for j, x in enumerate(row) if x]
        if not places:
            return pivots
        pivots += 1
        low, i, j = min(places)
        pivot = block.pop(i)
        unit = flint.fmpq_series(pivot[j].coeffs()[low:], prec=precision).inv()
        inverse = flint.fmpq_poly([unit[n] for n in range(precision)])
        # All entries are divisible by x^low, so that no precision is lost.
        factors = [cut(flint.fmpq_poly(row[j].coeffs()[low:]) * inverse) for row in block]
        block = [
            [cut(x - factor * y) for k, (x, y) in enumerate(zip(row, pivot, strict=True)) if k != j]
            for row, factor in zip(block, factors, strict=True)
        ]


def _order(x: Any) -> int:
    return next(n for n, c in enumerate(x.coeffs()) if c != 0)


@claim(
    "symbench.least-order-of-all-templates",
    source="an open question of ours: a formula for the least orders",
    category="conjecture",
    expected="undecided",
    why="open: it holds for lengths 2, 3 and 4 (symbench.least-orders with max_length=4); at "
    "length 5 no order up to 14 is enough",
)
def least_order_of_all_templates(case: Any) -> None:
    r"""For every $n \ge 2$ the least order in $\beta$ at which the derivatives of softmax attention
    at $\beta = 0$, for $\gamma = 1$, tell all templates of length $n$ with CLS apart is $6 n - 8$.
    """


@claim(
    "symbench.smallest-eigenvalue",
    source="an open question of ours: how ill conditioned the template matrix is",
    category="conjecture",
    expected="undecided",
    why="open: at beta = gamma = 1 floats are 0.96, 1.6e-3, 2.8e-6, 5.6e-9 for lengths 1 to 4; on "
    "grids with beta from 1 to 16 and gamma from 1/2 to 4 they grew with beta, for length 2 with "
    "gamma, too, while for length 3 the largest were near gamma = 2",
)
def smallest_eigenvalue(case: Any) -> None:
    r"""For every $\beta, \gamma > 0$ the smallest eigenvalue of the template matrix of all
    wildcard-only templates of length $n$ with CLS, for softmax attention, falls with $n$; for every
    $n \ge 2$ and $\gamma$ it grows with $\beta$.
    """
