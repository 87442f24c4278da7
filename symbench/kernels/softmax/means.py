"""Averages of two softmaxes where the fast road of `softmax_tables` does not go.

With rho = 0 the two strings are independent, and only the mean weights of each are needed: the
integral over its time of a product over its tokens. With three tokens or more the pair is a graph
on tokens, contracted along a tree for each table by itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from symbench.draw.progress import Report
from symbench.kernels.softmax.contraction import Component, Edge, Edges, components
from symbench.kernels.softmax.quadrature import Lattice, Law, gaussian_nodes, time_range
from symbench.kernels.softmax.tables import Logits, Table, counts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# How much longer a contraction takes than its multiplications, all marks together.
_MARKS = 10.0


def independent_values(
    tables: Iterable[Table], logits: Logits, *, accuracy: float, offset: float = 0.0
) -> list[float]:
    """H_0: the mean weights of each string by itself.

    >>> logits = Logits.of(1, 1, scale=1)
    >>> independent_values([((1, 0), (0, 1)), ((2, 0), (0, 0))], logits, accuracy=16.0)
    [0.99999..., 1.49999...]
    """
    known: dict[tuple[int, ...], list[float]] = {}

    def weights(counts: tuple[int, ...]) -> list[float]:
        """The mean weight of one position, by token."""
        key = tuple(sorted(n for n in counts if n))
        if key not in known:
            known[key] = _mean_weights(key, logits, accuracy, offset)
        return [known[key][key.index(n)] if n else 0.0 for n in counts]

    found = []
    for table in tables:
        left, right = counts_of(table)
        p, q = weights(left), weights(right)
        tokens = range(len(table))
        same = sum(left[v] * p[v] * right[v] * q[v] for v in tokens)
        places = sum(table[u][v] * p[u] * q[v] for u in tokens for v in tokens)
        found.append(logits.alpha * same + logits.beta * places)
    return found


def _mean_weights(
    counts: tuple[int, ...], logits: Logits, accuracy: float, offset: float
) -> list[float]:
    """E p_c for a position c of each token, in a string whose tokens occur so often."""
    import numpy as np

    law = Law(logits.token, logits.place, 0.0)
    goal = accuracy + 2.0
    low, high = time_range(law, goal, counts)
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
    """Tables over any number of tokens on one lattice, each contracted by itself.

    >>> logits = Logits.of(1, 1, scale=1)
    >>> sums = ContractedSums.fit([((1, 0), (0, 1))], logits, 0.5, accuracy=16.0)
    >>> [round(value, 6) for value in sums.values()]
    [1.236007]
    """

    tables: Sequence[Table]
    logits: Logits
    lattice: Lattice

    @classmethod
    def fit(
        cls,
        tables: Sequence[Table],
        logits: Logits,
        rho: float,
        *,
        accuracy: float,
        offset: float = 0.0,
    ) -> ContractedSums:
        """The coarsest lattice of the wanted accuracy; offset shifts it by a part of its step."""
        law = Law(logits.token, logits.place, logits.beta / logits.alpha, rho)
        types = {
            tuple(sorted(n for n in counts if n)) for table in tables for counts in counts_of(table)
        }
        lattice = Lattice.fit(law, accuracy=accuracy, types=types, offset=offset)
        return cls(tables, logits, lattice)

    @cached_property
    def pieces(self) -> list[tuple[Edges, ...]]:
        """The connected pieces of every table: one list for a table and its flip."""
        return [
            min((tuple(components(self._edges(t))) for t in (table, _flipped(table))), key=repr)
            for table in self.tables
        ]

    def _edges(self, table: Table) -> Counter[Edge]:
        edges: Counter[Edge] = Counter()
        if self.logits.place > 0:
            for u, row in enumerate(table):
                edges.update({(u, v): n for v, n in enumerate(row) if n})
            return edges
        # Without position Gaussians every token is alone.
        left, right = counts_of(table)
        edges.update({(u, None): n for u, n in enumerate(left) if n})
        edges.update({(None, v): n for v, n in enumerate(right) if n})
        return edges

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
        found: dict[tuple[Edges, ...], float] = {}
        for parts in self.pieces:
            if parts in found:
                continue
            total: tuple[Any, Any] = (1.0, 0.0)
            for edges in parts:
                plain, done = known[edges]
                total = total[0] * plain, total[0] * done + total[1] * plain
            found[parts] = float(total[1].sum()) * self.lattice.step**2 * self.logits.alpha
        return [found[parts] for parts in self.pieces]


def _flipped(table: Table) -> Table:
    return tuple(zip(*table, strict=True))
