"""Combinations of softmax averages on many tables, each number by two different lattices.

The work is estimated before it starts: what would take too long is refused, with the digits that
can be had. Long work shows a bar on a terminal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from symbench.draw.progress import Report, progress
from symbench.errors import TooLarge, Undecided
from symbench.kernels.float_value import MOST_DIGITS
from symbench.kernels.softmax.finite_values import agreement, most_digits
from symbench.kernels.softmax.means import ContractedSums, independent_values
from symbench.kernels.softmax.tables import (
    BinarySums,
    Logits,
    Table,
    binary_form,
    used_tokens,
)

# How much of H_rho, for each rho.
Combination = Mapping[Fraction, int]
# The tables that each rho is needed on.
Needed = Mapping[Fraction, Sequence[Table]]
# H_rho on a table.
Found = dict[tuple[Fraction, Table], float]

# Multiplications a second, on one slow core: an order of magnitude.
_SPEED = 4e9
# Seconds that may be spent, and entries of tables that may be held.
_PATIENCE, _MEMORY = 900, 2**26
# Standard deviations of a logit, and 1 - rho, for which lattices are not too large.
_SPREAD, _APART = 64, 1e-9
# How often a finer lattice is tried.
_ATTEMPTS = 3


def two_lattices(
    wanted: Sequence[tuple[Table, Combination]], logits: Logits, *, digits: int
) -> tuple[list[float], list[float]]:
    """The sum over rho of a factor times H_rho, for each table, on two different lattices.

    They agree in so many digits, or Undecided is raised.

    >>> logits = Logits.of(1, 1, scale=1)
    >>> whole = {Fraction(1): 2, Fraction(1, 2): 2}
    >>> for values in two_lattices([(((1, 0), (0, 1)), whole)], logits, digits=6):
    ...     print([round(value, 5) for value in values])
    [5.51197]
    [5.51197]
    >>> two_lattices([(((1, 0), (0, 1)), whole)], logits, digits=20)
    Traceback (most recent call last):
    ...
    symbench.errors.Undecided: 20 digits are out of reach of doubles: 13 can be had
    """
    if digits > MOST_DIGITS:
        raise Undecided(f"{digits} digits are out of reach of doubles: {MOST_DIGITS} can be had")
    forms = [_form(table, logits) for table, _ in wanted]
    needed: dict[Fraction, dict[Table, None]] = {}
    for form, (_, factors) in zip(forms, wanted, strict=True):
        for rho, factor in factors.items():
            if factor:
                needed.setdefault(rho, {})[form] = None
    plan = {rho: list(tables) for rho, tables in needed.items()}
    estimate = _check_cost(plan, logits, digits)

    def combined(attempt: int, report: Report) -> list[float]:
        found = _values(plan, logits, digits, attempt, report)
        return [
            sum(factor * found[rho, form] for rho, factor in factors.items() if factor)
            for form, (_, factors) in zip(forms, wanted, strict=True)
        ]

    with progress("softmax averages", estimate) as report:
        old = combined(0, report)
        for attempt in range(1, _ATTEMPTS + 1):
            new = combined(attempt, report)
            agreed = min(map(agreement, old, new), default=digits)
            if agreed >= digits:
                return old, new
            old = new
    raise Undecided(f"two lattices agree in {agreed} digits, not {digits}: ask for fewer digits")


def _form(table: Table, logits: Logits) -> Table:
    """The table that stands for this one and all that have its values."""
    if logits.alpha == 0:  # Tokens are not seen.
        return binary_form(((sum(map(sum, table)),),))
    used = used_tokens(table)
    return binary_form(used) if len(used) <= 2 else used


def _sums(
    tables: Sequence[Table], rho: float, logits: Logits, digits: int, attempt: int
) -> Iterator[BinarySums | ContractedSums]:
    """The sums on one lattice each: tables over two tokens by length, others all together.

    Later attempts are finer, wider and shifted.
    """
    groups: dict[int, list[Table]] = {}
    for table in tables:
        groups.setdefault(sum(map(sum, table)) if len(table) == 2 else 0, []).append(table)
    accuracy, offset = _accuracy(digits, attempt), 0.3 * attempt
    for length, group in groups.items():
        kind = BinarySums if length else ContractedSums
        yield kind.fit(group, logits, rho, accuracy=accuracy, offset=offset)


def _accuracy(digits: int, attempt: int) -> float:
    return digits * math.log(10) + 3.0 + 2.0 * attempt


def _values(plan: Needed, logits: Logits, digits: int, attempt: int, report: Report) -> Found:
    found: Found = {}
    for rho, tables in plan.items():
        if rho == 0:
            accuracy, offset = _accuracy(digits, attempt), 0.3 * attempt
            values = independent_values(tables, logits, accuracy=accuracy, offset=offset)
            found.update(zip(((rho, table) for table in tables), values, strict=True))
            continue
        for sums in _sums(tables, float(rho), logits, digits, attempt):
            cost = sums.cost()[0] / _SPEED

            def part(share: float, cost: float = cost) -> None:
                report(share * cost)

            keys = [(rho, table) for table in sums.tables]
            found.update(zip(keys, sums.values(part), strict=True))
    return found


def _check_cost(plan: Needed, logits: Logits, digits: int) -> float:
    """The seconds that two lattices take, roughly; refused if they are too many."""
    if logits.spread > _SPREAD:
        raise Undecided(
            f"scores of standard deviation {logits.spread:.3g} need larger tables than fit in "
            f"memory: no digits can be had beyond {_SPREAD}; take a smaller scale or variances"
        )
    apart = min((1 - float(rho) for rho in plan if rho != 1), default=1.0)
    if 0 < apart < _APART:
        raise Undecided(
            f"the correlation of two queries is 1 - {apart:.1g}, too near to one for a lattice: "
            "take alpha = 0 or beta = 0, or variances of one size"
        )

    def needs(count: int) -> tuple[float, float]:
        """Seconds and entries: twice the work of the finer one of two lattices."""
        work = memory = 0.0
        for rho, tables in plan.items():
            if rho == 0:
                continue
            for sums in _sums(tables, float(rho), logits, count, 1):
                cost, entries = sums.cost()
                work, memory = work + 2 * cost, max(memory, entries)
        return work / _SPEED, memory

    def affordable(estimate: float, memory: float) -> bool:
        return estimate <= _PATIENCE and memory <= _MEMORY

    estimate, memory = needs(digits)
    if affordable(estimate, memory):
        return estimate
    count = len({table for tables in plan.values() for table in tables})
    wide = max(len(table) for tables in plan.values() for table in tables)
    many = f" with up to {wide} tokens (slow from three on)" if wide > 2 else ""
    trouble = (
        f"{digits} digits on {count} tables{many} would take about {estimate:.0f} s and "
        f"{8 * memory / 2**30:.1f} GiB"
    )
    fewer = most_digits(lambda count: affordable(*needs(count)), digits)
    if fewer:
        raise Undecided(f"{trouble}; {fewer} can be had: ask for digits={fewer}")
    raise TooLarge(f"{trouble}: take shorter strings, fewer tokens or a smaller scale")
