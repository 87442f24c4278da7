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
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from symbench.kernels.softmax.contraction import Edges
from symbench.kernels.softmax.quadrature import Floats, Lattice

Integers = NDArray[np.int64]

# Beyond, the ellipsoid has too many points to be listed.
_MOST_TOKENS = 4

# Entries of the arrays that are worked on at once, and of a table's windows if they are copied.
_ENTRIES, _WINDOWS = 2**15, 2**16


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
        lattice, count = self.lattice, self.lattice.times.size
        half = lattice.spots.size // 2
        inside = (np.abs(self.points) <= half).all(axis=1)
        points, weights = self.points[inside] + half, self._weights[inside]
        # Windows that are needed many times are copied once.
        copied = len(points) > 4 * lattice.spots.size**2
        most = _WINDOWS // lattice.spots.size**2 if copied else _ENTRIES
        width = max(1, min(count, most // count))
        total = 0.0
        for first in range(0, count, width):
            times = slice(first, min(count, first + width))
            windows = {
                kind: [self._windows(table, times, copied=copied) for table in tables]
                for kind, tables in self._tables.items()
            }
            across = np.outer(lattice.time_weights[times], lattice.time_weights)
            batch = max(1, _ENTRIES // across.size)
            for start in range(0, len(points), batch):
                some = slice(start, start + batch)
                total += float(weights[some] @ self._at(points[some], windows, across))
        return total

    def _windows(self, table: Floats, times: slice, *, copied: bool) -> Floats:
        """The table at these left times and all right ones, for each two spots."""
        from numpy.lib.stride_tricks import as_strided

        lattice, stride = self.lattice, self.lattice.stride
        down, right = table.strides
        first = times.start * stride
        shape = (lattice.spots.size,) * 2 + (times.stop - times.start, lattice.times.size)
        steps = (down, right, down * stride, right * stride)
        found: Floats = as_strided(table[first:], shape, steps, writeable=False)
        return found.copy() if copied else found

    def _at(
        self, points: Integers, windows: dict[tuple[int, bool], list[Floats]], across: Floats
    ) -> Floats:
        """The sums over pairs of times at these points."""
        product: Any = 1.0
        pairs: Any = 0.0
        lefts: dict[int, Any] = dict.fromkeys(self._meeting, 0.0)
        rights: dict[int, Any] = dict.fromkeys(self._meeting, 0.0)
        for (a, b), n in self.edges:
            plain, left, right, both = windows[n, a == b]
            ends = points[:, a], points[:, b]
            product *= plain[ends]
            pairs += both[ends]
            if a in lefts:
                lefts[a] += left[ends]
            if b in rights:
                rights[b] += right[ends]
        for token, here in lefts.items():
            here *= rights[token]
            pairs += here
        product *= pairs
        found: Floats = product.reshape(len(points), -1) @ across.ravel()
        return found
