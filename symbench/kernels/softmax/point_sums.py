"""PointSum: a connected graph on few tokens, summed over the lattice point by point.

Attention does not change if a constant is added to all logits, so of n tokens only the n - 1
differences matter: the mean of the Gaussians may be put anywhere. The differences have a Gaussian
weight on the whole, and only the lattice points in an ellipsoid count. With three or four tokens
that are linked in many ways these are far fewer than the points of a product of lattices, which
`symbench.kernels.softmax.contraction` sums over; `finite_values` takes whichever has less to do.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from symbench.kernels.softmax.contraction import Edges
from symbench.kernels.softmax.quadrature import Floats, Lattice

Integers = NDArray[np.int64]

# Beyond, the ellipsoid has too many points to be listed.
_MOST_TOKENS = 4

# Entries of the arrays that are worked on at once.
_ENTRIES = 2**14


@attrs.frozen(eq=False)
class PointSum:
    """A graph that is all of a diagram, on one lattice; both strings see the same Gaussians."""

    edges: Edges
    lattice: Lattice

    @classmethod
    def applies(cls, edges: Edges, lattice: Lattice) -> bool:
        """Whether the points can be listed, and the strings' Gaussians are the same."""
        tokens = {token for edge, _ in edges for token in edge}
        return None not in tokens and lattice.law.shared == 1 and len(tokens) <= _MOST_TOKENS

    @property
    def _size(self) -> int:
        return 1 + max(token for edge, _ in self.edges for token in edge if token is not None)

    def cost(self) -> int:
        """Multiplications, roughly: the points in the ellipsoid times the pairs of times."""
        spots = math.sqrt(2 * self._depth) * self.lattice.law.token / self._fine
        n = self._size - 1
        ball = math.pi ** (n / 2) / math.gamma(n / 2 + 1) * spots**n * math.sqrt(n + 1)
        return int((1 + ball) * self.lattice.times.size**2 * (len(self.edges) + self._size))

    @property
    def _fine(self) -> float:
        return self.lattice.step / self.lattice.ratio

    @property
    def _depth(self) -> float:
        """-log of the smallest weight that counts, relative to the largest one."""
        return self.lattice.accuracy + 0.25 * (self._size - 1)

    @cached_property
    def points(self) -> Integers:
        """The tokens' Gaussians in fine steps, their mean near zero: one row per point."""
        n = self._size
        reach = math.sqrt(2 * self._depth) * self.lattice.law.token / self._fine
        # A difference of two tokens is at most sqrt(2) times as long as the whole vector.
        axis = np.arange(-math.ceil(math.sqrt(2) * reach), math.ceil(math.sqrt(2) * reach) + 1)
        rows = np.zeros((1, 1), dtype=np.int64)
        for _ in range(n - 1):
            new = np.tile(axis, len(rows))[:, None]
            rows = np.hstack([np.repeat(rows, axis.size, axis=0), new])
            # The part of the differences so far is no longer than all of them.
            rows = rows[self._squares(rows) <= reach**2]
        middle = np.rint(rows.mean(axis=1)).astype(np.int64)
        found: Integers = rows - middle[:, None]
        return found

    @cached_property
    def _meeting(self) -> tuple[int, ...]:
        """The tokens that both strings have."""
        left, right = ({edge[side] for edge, _ in self.edges} for side in (0, 1))
        return tuple(sorted(token for token in left & right if token is not None))

    @staticmethod
    def _squares(rows: Integers) -> Floats:
        """The squared length of the vectors without their means."""
        found: Floats = (rows**2).sum(axis=1) - rows.sum(axis=1) ** 2 / rows.shape[1]
        return found

    @cached_property
    def _weights(self) -> Floats:
        n, unit = self._size, self._fine / self.lattice.law.token
        scale = (unit / math.sqrt(2 * math.pi)) ** (n - 1) / math.sqrt(n)
        found: Floats = scale * np.exp(-self._squares(self.points) * unit**2 / 2)
        return found

    @cached_property
    def _tables(self) -> dict[tuple[int, bool], tuple[Floats, Floats, Floats, Floats]]:
        """For n positions, on a loop or not: plain^n and, over it, left, right and the pairs.

        Pairs at one position weigh gamma^2; on a loop they also meet at the token, where the
        product of left and right below counts them wrongly.
        """
        plain, left, right, both = self.lattice.tables
        # Where plain is zero nothing counts.
        safe = np.where(plain > 0, plain, 1.0)
        x, y, z = left / safe, right / safe, both / safe
        gamma = self.lattice.law.weight
        found = {}
        for (a, b), n in self.edges:
            pairs = n * ((1 + gamma) * z - x * y) if a == b else n * gamma * z
            tables = (plain**n, n * x, n * y, pairs)
            p, q, r, t = map(np.ascontiguousarray, tables)
            found[n, a == b] = (p, q, r, t)
        return found

    def value(self) -> float:
        """The sum over all points and times."""
        half = (self.lattice.spots.size - 1) // 2
        count = self.lattice.times.size
        inside = (np.abs(self.points) <= half).all(axis=1)
        points, weights = self.points[inside] + half, self._weights[inside]
        # Points that follow one another, with only the last token moved, are summed together.
        moves = np.diff(points, axis=0)
        breaks = 1 + np.flatnonzero((moves[:, :-1] != 0).any(axis=1) | (moves[:, -1] != 1))
        total = 0.0
        for begin, end in pairwise([0, *breaks.tolist(), len(points)]):
            run, heavy = points[begin:end], weights[begin:end]
            first, column = self._starts(run, float(heavy.max()))
            # Strips of rows that fit into a processor's cache.
            strip = max(1, _ENTRIES // (count - column))
            for row in range(first, count, strip):
                sums = self._at(run[0].tolist(), end - begin, row, min(count, row + strip), column)
                total += float(heavy @ sums)
        return total * self.lattice.step**2

    def _starts(self, run: Integers, weight: float) -> tuple[int, int]:
        """The first times that count: before, e^r times the sum over positions is too small."""
        lattice = self.lattice
        length = sum(n for _, n in self.edges)
        # What is left out adds up over all points.
        depth = lattice.accuracy + math.log(len(self.points))
        rest = -depth - math.log(weight) - math.log(length)
        highest = run.max(axis=0).tolist()
        starts = []
        for side in (0, 1):
            top = max(float(lattice.spots[highest[edge[side] or 0]]) for edge, _ in self.edges)
            low = rest - top - lattice.law.place**2 / 2
            first = math.floor((low - float(lattice.times[0])) / lattice.step)
            starts.append(min(max(0, first), lattice.times.size - 1))
        return starts[0], starts[1]

    def _at(self, point: list[int], moved: int, first: int, stop: int, column: int) -> Floats:
        """The sums at a point, and at those with the last token moved by 1, 2, ... steps.

        They are over the left times from first to stop and the right ones from column on.
        """
        stride, last = self.lattice.stride, self._size - 1
        shape = (stop - first, self.lattice.times.size - column)
        product: Any = 1.0
        pairs: Any = 0.0
        lefts: dict[int, Any] = {}
        rights: dict[int, Any] = {}
        # What the last token does not enter comes first: it is the same at all points.
        for (a, b), n in sorted(self.edges, key=lambda edge: last in edge[0]):
            assert a is not None
            assert b is not None

            def view(table: Floats, a: int = a, b: int = b) -> Floats:
                down, right = table.strides
                start = (point[a] + first * stride) * down + (point[b] + column * stride) * right
                steps: tuple[int, ...] = (stride * down, stride * right)
                if last not in (a, b):
                    return np.ndarray(shape, table.dtype, table, start, steps)
                move = (a == last) * down + (b == last) * right
                return np.ndarray((moved, *shape), table.dtype, table, start, (move, *steps))

            plain, left, right, both = self._tables[n, a == b]
            if last in (a, b) and np.ndim(product) == 3:
                # Arrays of our own, of full size: nothing is copied.
                product *= view(plain)
                pairs += view(both)
            else:
                product, pairs = product * view(plain), pairs + view(both)
            if a in self._meeting:
                here = view(left)
                lefts[a] = lefts[a] + here if a in lefts else here
            if b in self._meeting:
                here = view(right)
                rights[b] = rights[b] + here if b in rights else here
        for token, here in lefts.items():
            pairs += here * rights[token]
        found: Floats = np.einsum("mij,mij->m", product, pairs)
        return found
