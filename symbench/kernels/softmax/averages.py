"""Averages of two softmaxes on many contingency tables at once: the numbers behind a float kernel.

The logits of a string x are a Gaussian per token plus one per position; those of y are a copy of
them with correlation rho. Wanted, for weights p of x and q of y, is

    H_rho = E[sum over c, d of p_c (alpha 1[x_c = y_d] + beta 1[c = d]) q_d].

There are three roads. With two tokens (`BinarySums`) softmax does not see a common shift, so one
Gaussian per string is left, the difference of the two. As in `quadrature`, the two denominators
become integrals over times, and positions integrate out one by one. Write a_0, a_1 for the left
time plus the token's Gaussian, and b_0, b_1 on the right: a position with tokens u, v contributes a
function of a_u and b_v alone. So given a_0, a_1 the sum over b_0, b_1 is, for all tables together,
a product of matrices: positions where y has token 0, times the Gaussian weights of b_1 - b_0, times
positions where y has token 1. With three tokens or more (`ContractedSums`) the pair is a graph on
tokens, contracted along a tree for each table by itself. With rho = 0 (`independent_values`) only
the mean weights of each string are needed.

Every number is computed twice, on two different pairs of lattices. The work is estimated before it
starts: what would take too long is refused, with the digits that can be had. Long work shows a bar
on a terminal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from symbench.draw.progress import Report, progress
from symbench.errors import TooLarge, Undecided
from symbench.kernels.float_value import check_digits
from symbench.kernels.softmax.contraction import Component, Edges, joined, pieces_of
from symbench.kernels.softmax.finite_values import fineness, in_agreement, most_digits
from symbench.kernels.softmax.quadrature import (
    Floats,
    Lattice,
    Law,
    exponential_reach,
    gaussian_nodes,
    last_time,
)
from symbench.kernels.tables import Table, column_sums, row_sums, transposed

# How much of H_rho, for each rho.
Combination = Mapping[Fraction, int]
# The tables that each rho is needed on.
Needed = Mapping[Fraction, Sequence[Table]]
# H_rho on a table.
Found = dict[tuple[Fraction, Table], float]

# Entries of the arrays held at once (doubles).
_ENTRIES = 2**20
# How much longer a contraction takes than its multiplications, all marks together.
_MARKS = 10.0
# Multiplications a second, on one slow core: an order of magnitude.
_SPEED = 4e9
# Seconds that may be spent, and entries of tables that may be held.
_PATIENCE, _MEMORY = 300, 2**26
# Standard deviations of a logit, and 1 - rho, for which lattices are not too large.
_SPREAD, _APART = 64, 1e-9


@attrs.frozen
class Logits:
    """The Gaussian logits of a string: the deviations of a token's and of a position's part."""

    token: float
    place: float
    alpha: float
    beta: float

    @classmethod
    def of(cls, alpha: float, beta: float, *, scale: float) -> Logits:
        """Covariances scale^2 (alpha + beta) (alpha 1[x_c = x_d] + beta 1[c = d])."""
        whole = scale * math.sqrt(alpha + beta)
        return cls(whole * math.sqrt(alpha), whole * math.sqrt(beta), float(alpha), float(beta))

    @property
    def spread(self) -> float:
        """The standard deviation of one logit."""
        return math.hypot(self.token, self.place)


# --- tables -----------------------------------------------------------------------------------
def used_tokens(table: Table) -> Table:
    """The table without the tokens that neither string has."""
    V = range(len(table))
    used = [v for v in V if any(table[v]) or any(table[u][v] for u in V)]
    return tuple(tuple(table[u][v] for v in used) for u in used)


def binary_form(table: Table) -> Table:
    """The one of the equivalent tables over two tokens on which values are computed.

    Exchanging the strings, or the tokens in both, changes no value. The right string of the form
    has token 1 in at most half of its positions.
    """
    if len(table) < 2:
        n = table[0][0] if table else 0
        return ((n, 0), (0, 0))
    (a, b), (c, d) = table
    same = [((a, b), (c, d)), ((a, c), (b, d)), ((d, c), (b, a)), ((d, b), (c, a))]
    return min((t[0][1] + t[1][1], t) for t in same)[1]


# --- two tokens -------------------------------------------------------------------------------
@attrs.frozen(eq=False, slots=False)
class BinarySums:
    """Tables in binary form, all of one length, on one lattice for the tokens' difference."""

    tables: Sequence[Table]
    logits: Logits
    lattice: Lattice
    # Between these times a position counts; below the first it has no weight to be marked.
    low: float
    high: float

    @classmethod
    def pair(
        cls, tables: list[Table], logits: Logits, rho: float, *, accuracy: float, offset: float = 0
    ) -> tuple[BinarySums, BinarySums]:
        """The sums on two lattices whose mean has the wanted accuracy, as `Lattice.pair`."""
        length = sum(map(sum, tables[0]))
        # A value is at least about 1 / length times its terms' size.
        goal = accuracy + math.log(length)
        # Without token Gaussians (alpha = 0) the strings are constant: any difference will do.
        difference = Law(math.sqrt(2) * logits.token or 1.0, logits.place, 0.0, rho)
        types = [(1,), (length,)]
        one, two = Lattice.pair(difference, accuracy=goal, types=types, offset=offset)
        # Where the first times stand for earlier ones, none of them is left out.
        low = -exponential_reach(logits.place, goal) - math.log(length)
        low = -math.inf if one.orders else low
        high = last_time(Law(0.0, logits.place, 0.0), goal, (1,))
        return cls(tables, logits, one, low, high), cls(tables, logits, two, low, high)

    @property
    def length(self) -> int:
        return sum(map(sum, self.tables[0]))

    @cached_property
    def left_rows(self) -> list[tuple[int, int]]:
        """(n_00, n_10) of every table, once: positions where the right string has token 0."""
        return sorted({(t[0][0], t[1][0]) for t in self.tables}, key=lambda n: (sum(n), n))

    @cached_property
    def right_rows(self) -> list[tuple[int, int]]:
        """(n_01, n_11) of every table, once."""
        return sorted({(t[0][1], t[1][1]) for t in self.tables}, key=lambda n: (-sum(n), n))

    def _columns(self) -> tuple[Any, int]:
        """Where the right times stand among the sums, and how many are used.

        The right string has token 0, so that later times than `high` have no weight.
        """
        lattice = self.lattice
        count = int(np.count_nonzero(lattice.times <= self.high))
        return np.arange(count) * lattice.stride + lattice.spots.size // 2, count

    def _live(self, spot: float) -> Any:
        """The left times that matter where the tokens differ by this much."""
        times = self.lattice.times
        near = (times >= self.low) & (times <= self.high)
        shifted = (times + spot >= self.low) & (times + spot <= self.high)
        return np.nonzero(near | shifted)[0]

    def cost(self) -> tuple[float, float]:
        """Multiplications, and the entries of the tables of powers; both rough."""
        sums = self.lattice.sums.size
        columns = self._columns()[1]
        pairs = sum(self._live(float(spot)).size for spot in self.lattice.spots)
        left, right = len(self.left_rows), len(self.right_rows)
        identical = self.lattice.law.shared == 1
        across = 0.0 if identical else 4.0 * right * sums * columns
        blocks = sum((f.stop - f.start) * (g.stop - g.start) for f, g in self._rows().values())
        # Arrays that are made entry by entry are slower than matrix products.
        made = 120.0 * (left * columns + right * (columns if identical else sums))
        return pairs * (across + 4.0 * blocks * columns + made), sums**2 * (self.length + 9.0)

    def values(self, report: Report | None = None) -> list[float]:
        """H_rho of every table."""
        lattice = self.lattice
        rows, columns = self._rows(), self._columns()[0]
        blocks = {k: np.zeros((f.stop - f.start, g.stop - g.start)) for k, (f, g) in rows.items()}
        local = _Local(lattice, self.length)
        first, second = np.array(self.left_rows), np.array(self.right_rows)
        wide = 4 * (len(first) * columns.size + 2 * len(second) * lattice.sums.size)
        width = max(1, _ENTRIES // wide)
        for j, spot in enumerate(lattice.spots.tolist()):
            live = self._live(spot)
            into, across = self._across(j, columns.size)
            for start in range(0, live.size, width):
                times = live[start : start + width] * lattice.stride
                here, there = times + lattice.spots.size // 2, times + j
                left = self._side(0, local, first, here, there, columns)
                right = across(self._side(1, local, second, here, there, into))
                right *= lattice.time_weights[live[start : start + width], None]
                for k, (f, g) in rows.items():
                    a, b = left[f], right[g]
                    blocks[k] += a.reshape(len(a), -1) @ b.reshape(len(b), -1).T
            if report is not None:
                report(1 / lattice.spots.size)
        where_left = {n: i for i, n in enumerate(self.left_rows)}
        where_right = {n: i for i, n in enumerate(self.right_rows)}
        found = []
        for (n00, n01), (n10, n11) in self.tables:
            f, g = rows[n00 + n10]
            place = where_left[n00, n10] - f.start, where_right[n01, n11] - g.start
            found.append(float(blocks[n00 + n10][place]))
        return found

    def _rows(self) -> dict[int, tuple[slice, slice]]:
        """For each number of zeros of the right string: the rows on the left and on the right."""
        left, right = Counter(map(sum, self.left_rows)), Counter(map(sum, self.right_rows))
        found, start, begin = {}, 0, 0
        for k in sorted(left):
            more = right[self.length - k]
            found[k] = slice(start, start + left[k]), slice(begin, begin + more)
            start, begin = start + left[k], begin + more
        return found

    def _across(self, j: int, count: int) -> tuple[slice, Callable[[Floats], Floats]]:
        """The b_1 needed if a_1 - a_0 is spot j, and the sum over them: weights of b_1 - b_0."""
        lattice = self.lattice
        stride, spots, weights = lattice.stride, lattice.spots.size, lattice.time_weights[:count]
        if lattice.law.shared == 1:
            weights, stop = lattice.weights[j] * weights, j + (count - 1) * stride + 1
            return slice(j, stop, stride), lambda array: weights * array
        matrix = np.zeros((lattice.sums.size, count))
        places = np.arange(count)[None, :] * stride + np.arange(spots)[:, None]
        np.put_along_axis(matrix, places, lattice.pair_weights[j][:, None], axis=0)
        matrix *= weights
        return slice(None), lambda array: array @ matrix

    def _side(
        self, token: int, local: _Local, rows: Any, here: Any, there: Any, columns: Any
    ) -> Floats:
        """What positions where y has this token contribute: four parts, by their marks.

        Each part of token 0 goes with one of token 1, which has the marks that are missing in it.
        """
        alpha, beta = self.logits.alpha, self.logits.beta
        plain, zero, one = local.product(rows, here, there, columns)
        n0, n1 = rows[:, :1].astype(float), rows[:, 1:].astype(float)
        m, n, own, other = (n1, n0, one, zero) if token else (n0, n1, zero, one)
        both = [
            (m, (alpha + beta) * own.both),
            (n, beta * other.both),
            (m * (m - 1), alpha * own.left * own.right),
            (m * n, alpha * own.left * other.right),
        ]
        # The factor alpha of a pair of marks at two positions is that of token 0.
        weight = 1.0 if token else alpha
        right = [(weight * m, own.right), (weight * n, other.right)]
        parts = [both, right, [(weight * n, other.left)], []]
        return _parts(plain, parts[::-1] if token else parts)


@attrs.frozen
class _Marks:
    """How much larger a position's contribution is with a mark on the left, right or both."""

    left: Floats
    right: Floats
    both: Floats


@attrs.frozen(eq=False, slots=False)
class _Local:
    """The contributions of positions on one lattice, and all of their powers."""

    lattice: Lattice
    length: int

    @cached_property
    def powers(self) -> Floats:
        plain = self.lattice.tables[0]
        found = np.ones((self.length + 1, *plain.shape))
        for n in range(self.length):
            np.multiply(found[n], plain, out=found[n + 1])
        return found

    @cached_property
    def marks(self) -> _Marks:
        plain, *marked = self.lattice.tables
        # Where a position's contribution underflows nothing is left of the product.
        parts = [np.divide(m, plain, out=np.zeros_like(m), where=plain > 0) for m in marked]
        return _Marks(*parts)

    def product(
        self, rows: Any, here: Any, there: Any, columns: Any
    ) -> tuple[Floats, _Marks, _Marks]:
        """Powers (n_0, n_1) at (a_0, b) and (a_1, b) for all b of the columns; marks there."""
        marks = self.marks
        factors, near = [], []
        for counts, places in zip(rows.T, (here, there), strict=True):
            needed, index = np.unique(counts, return_inverse=True)
            factors.append(self.powers[np.ix_(needed, places)][..., columns][index])
            parts = (marks.left, marks.right, marks.both)
            near.append(_Marks(*(part[places][:, columns] for part in parts)))
        plain = np.multiply(factors[0], factors[1], out=factors[0])
        return plain, near[0], near[1]


def _parts(plain: Floats, sums: list[list[tuple[Floats, Floats]]]) -> Floats:
    """plain times each sum of (factor of the row) x (array); an empty sum stands for one."""
    rows, *shape = plain.shape
    found = np.empty((rows, len(sums), *shape))
    for i, terms in enumerate(sums):
        if not terms:
            found[:, i] = plain
            continue
        factors = np.hstack([factor for factor, _ in terms])
        arrays = np.stack([array.ravel() for _, array in terms])
        np.multiply(plain, (factors @ arrays).reshape(plain.shape), out=found[:, i])
    return found


# --- three tokens or more, or independent strings ----------------------------------------------
def independent_values(
    tables: Iterable[Table], logits: Logits, *, accuracy: float, offset: float = 0.0
) -> list[float]:
    """H_0: the mean weights of each string by itself."""
    known: dict[tuple[int, ...], list[float]] = {}

    def weights(counts: tuple[int, ...]) -> list[float]:
        """The mean weight of one position, by token."""
        key = tuple(sorted(n for n in counts if n))
        if key not in known:
            known[key] = _mean_weights(key, logits, accuracy, offset)
        return [known[key][key.index(n)] if n else 0.0 for n in counts]

    found = []
    for table in tables:
        left, right = row_sums(table), column_sums(table)
        p, q = weights(left), weights(right)
        tokens = range(len(table))
        same = sum(left[v] * p[v] * right[v] * q[v] for v in tokens)
        places = sum(table[u][v] * p[u] * q[v] for u in tokens for v in tokens)
        found.append(logits.alpha * same + logits.beta * places)
    return found


def _mean_weights(
    counts: tuple[int, ...], logits: Logits, accuracy: float, offset: float
) -> list[float]:
    """E p_c for a position c of each token, in a string with these token counts."""
    law = Law(logits.token, logits.place, 0.0)
    goal = accuracy + 2.0
    low = -exponential_reach(law.spread, goal) - math.log(sum(counts))
    high = last_time(law, goal, counts)
    step = math.pi**2 / goal
    times = (np.arange(math.floor(low / step), math.ceil(high / step) + 1) + offset) * step
    spots, weights = gaussian_nodes(law.token, goal)
    places, place_weights = gaussian_nodes(law.place, goal)
    plain, marked = np.zeros((2, times.size, spots.size))
    for place, weight in zip(places.tolist(), place_weights.tolist(), strict=True):
        growth = np.exp(np.minimum(times[:, None] + spots + place, 700.0))
        part = weight * np.exp(-growth)
        plain += part
        marked += growth * part
    whole = np.array([plain**n @ weights for n in counts])
    one = np.array([(marked * plain ** (n - 1)) @ weights for n in counts])
    others = [np.prod(np.delete(whole, i, axis=0), axis=0) for i in range(len(counts))]
    return [float(step * (one[i] @ others[i])) for i in range(len(counts))]


@attrs.frozen(eq=False, slots=False)
class ContractedSums:
    """Tables over any number of tokens on one lattice, each contracted by itself."""

    tables: Sequence[Table]
    logits: Logits
    lattice: Lattice

    @classmethod
    def pair(
        cls, tables: list[Table], logits: Logits, rho: float, *, accuracy: float, offset: float = 0
    ) -> tuple[ContractedSums, ContractedSums]:
        """The sums on two lattices whose mean has the wanted accuracy, as `Lattice.pair`."""
        law = Law(logits.token, logits.place, logits.beta / logits.alpha, rho)
        types = {
            tuple(sorted(filter(None, counts(table))))
            for table in tables
            for counts in (row_sums, column_sums)
        }
        one, two = Lattice.pair(law, accuracy=accuracy, types=types, offset=offset)
        return cls(tables, logits, one), cls(tables, logits, two)

    @cached_property
    def pieces(self) -> list[tuple[Edges, ...]]:
        """The connected pieces of every table: one list for a table and its flip."""
        positions = self.logits.place > 0
        return [pieces_of((t, transposed(t)), positions=positions) for t in self.tables]

    @cached_property
    def _parts(self) -> list[Component]:
        distinct = dict.fromkeys(part for parts in self.pieces for part in parts)
        return [Component.cheapest(part, self.lattice) for part in distinct]

    def cost(self) -> tuple[float, float]:
        """Multiplications, and the entries of the lattice's tables; both rough."""
        work = sum(float(part.cost()[0]) for part in self._parts)
        return _MARKS * work, 4.0 * self.lattice.sums.size**2

    def values(self, report: Report | None = None) -> list[float]:
        """H_rho of every table."""
        known: dict[Edges, tuple[Floats, Floats]] = {}
        whole = self.cost()[0]
        for part in self._parts:
            known[part.edges] = part.contract()
            if report is not None:
                report(_MARKS * part.cost()[0] / whole)
        found = {
            parts: joined(parts, known, self.lattice) * self.logits.alpha
            for parts in dict.fromkeys(self.pieces)
        }
        return [found[parts] for parts in self.pieces]


# --- two lattices --------------------------------------------------------------------------------
def two_lattices(
    wanted: Sequence[tuple[Table, Combination]], logits: Logits, *, digits: int
) -> tuple[list[float], list[float]]:
    """The sum over rho of a factor times H_rho, for each table, on two different lattices.

    They agree in the digits asked for, or Undecided is raised.
    """
    check_digits(digits)
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
        return in_agreement(lambda attempt: combined(attempt, report), digits)


def foresee(length: int, logits: Logits, rhos: Iterable[Fraction], *, digits: int) -> None:
    """Refuse all tables of two tokens and a length, if they would take too long.

    The cost is that of the rows that occur, all of them in far fewer tables.
    """
    check_digits(digits)
    # With the right string's token 1 at r places, every row of the form occurs: (n_00, n_10) beside
    # (n_01, n_11), in which the left string has token 1 at r places or more.
    some = (
        ((length - r - n, min(n, r)), (n, max(0, r - n)))
        for r in range(length // 2 + 1)
        for n in range(length - r + 1)
    )
    tables = list(dict.fromkeys(_form(table, logits) for table in some))
    _check_cost(dict.fromkeys(rhos, tables), logits, digits, count=math.comb(length + 3, 3))


def _form(table: Table, logits: Logits) -> Table:
    """The table that stands for this one and all that have its values."""
    if logits.alpha == 0:  # Tokens are not seen.
        return binary_form(((sum(map(sum, table)),),))
    used = used_tokens(table)
    return binary_form(used) if len(used) <= 2 else used


def _sums(
    tables: Sequence[Table], rho: float, logits: Logits, digits: int, attempt: int
) -> Iterator[tuple[BinarySums, BinarySums] | tuple[ContractedSums, ContractedSums]]:
    """The sums on two lattices each: tables over two tokens by length, others all together.

    Later attempts are finer, wider and shifted.
    """
    groups: dict[int, list[Table]] = {}
    for table in tables:
        groups.setdefault(sum(map(sum, table)) if len(table) == 2 else 0, []).append(table)
    accuracy, offset = fineness(digits, attempt), 0.3 * attempt
    for length, group in groups.items():
        kind = BinarySums if length else ContractedSums
        yield kind.pair(group, logits, rho, accuracy=accuracy, offset=offset)


def _values(plan: Needed, logits: Logits, digits: int, attempt: int, report: Report) -> Found:
    found: Found = {}
    for rho, tables in plan.items():
        if rho == 0:
            accuracy, offset = fineness(digits, attempt), 0.3 * attempt
            values = independent_values(tables, logits, accuracy=accuracy, offset=offset)
            found.update(zip(((rho, table) for table in tables), values, strict=True))
            continue
        for pair in _sums(tables, float(rho), logits, digits, attempt):
            cost = pair[0].cost()[0] / _SPEED

            def part(share: float, cost: float = cost) -> None:
                report(share * cost)

            keys = [(rho, table) for table in pair[0].tables]
            one, two = (sums.values(part) for sums in pair)
            means = [(a + b) / 2 for a, b in zip(one, two, strict=True)]
            found.update(zip(keys, means, strict=True))
    return found


def _check_cost(plan: Needed, logits: Logits, digits: int, *, count: int | None = None) -> float:
    """The seconds that all lattices take, roughly; refused if they are too many."""
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
        """Seconds and entries: four times the work of the finest one of four lattices."""
        work = memory = 0.0
        for rho, tables in plan.items():
            if rho == 0:
                continue
            for sums, _ in _sums(tables, float(rho), logits, count, 1):
                cost, entries = sums.cost()
                work, memory = work + 4 * cost, max(memory, entries)
        return work / _SPEED, memory

    def affordable(estimate: float, memory: float) -> bool:
        return estimate <= _PATIENCE and memory <= _MEMORY

    estimate, memory = needs(digits)
    if affordable(estimate, memory):
        return estimate
    count = count or len({table for tables in plan.values() for table in tables})
    wide = max(len(table) for tables in plan.values() for table in tables)
    many = f" with up to {wide} tokens (slow from three on)" if wide > 2 else ""
    trouble = (
        f"{digits} digits on {count:,} tables{many} would take about {estimate:.0f} s and "
        f"{8 * memory / 2**30:.1f} GiB"
    )
    fewer = most_digits(lambda count: affordable(*needs(count)), digits)
    if fewer:
        raise Undecided(f"{trouble}; {fewer} can be had: ask for digits={fewer}")
    raise TooLarge(f"{trouble}: take shorter strings, fewer tokens or a smaller scale")
