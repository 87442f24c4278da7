"""Symmetry-adapted bases: where the group acts by one matrix per irreducible, copy by copy.

For the tableau T0 of a shape that is filled row by row, v_T0 is fixed by the Young subgroup of
the rows. Among functions fixed by it only shapes that dominate lambda occur, and dominance makes
the sum of contents strictly larger; so the v_T0 of all copies are the kernel of the sum of all
transpositions minus the content sum, on the (few) orbits of the Young subgroup. The other
vectors follow by Young's seminormal formula.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import Any

import attrs

from symbench.errors import BadType, TooLarge
from symbench.exact import Matrix
from symbench.young._check import sequence
from symbench.young._matrices import rational_matrix
from symbench.young.action import Action
from symbench.young.partition import Partition
from symbench.young.seminormal import structure

SMALL = 2000


@attrs.frozen(eq=False)
class Invariants:
    """The functions that a row-by-row tableau's vectors live on: constant on some orbits."""

    shape: Partition
    labels: Any  # the orbit of each point
    first: Any  # one point of each orbit
    vectors: tuple[tuple[int, ...], ...]  # for each copy, integer values on the orbits
    pivots: tuple[int, ...]  # orbit k where only the k-th vector is not zero


def invariants(action: Action, shape: Partition) -> Invariants:
    """The first vectors of all copies of an irreducible in the functions on the points."""
    import numpy as np

    ends = set(np.cumsum(shape.parts).tolist())
    labels = action.labels([i for i in range(1, action.degree) if i not in ends])
    _, first = np.unique(labels, return_index=True)
    count = len(first)
    if count > SMALL:
        raise TooLarge(
            f"{shape!r} needs the kernel of a matrix of {count} x {count} on {action!r}: ask for "
            "its multiplicity by decompose() instead"
        )
    table = np.zeros((count, count), dtype=np.int64)
    rows = np.arange(count)
    for move in action.transpositions().values():
        np.add.at(table, (rows, labels[move[first]]), 1)
    table[rows, rows] -= shape.content_sum
    kernel = Matrix(table.tolist()).nullspace() if count else ()
    vectors = tuple(_primitive(vector) for vector in kernel)
    pivots = []
    for k, vector in enumerate(vectors):
        rest = vectors[:k] + vectors[k + 1 :]
        pivots.append(
            next(i for i, v in enumerate(vector) if v and not any(other[i] for other in rest))
        )
    return Invariants(shape, labels, first, vectors, tuple(pivots))


@attrs.frozen(eq=False)
class AdaptedBasis:
    """A basis of the functions on the points: one column per irreducible, copy and tableau.

    Column (lambda, j, T) is v_T of the j-th copy: on the columns of one copy each permutation
    acts by its seminormal matrix.

    >>> basis = adapted_basis(Action.subsets(3, 1))
    >>> basis.pieces
    ((Partition(3), 1), (Partition(2, 1), 1))
    >>> basis.matrix.rows
    ((1, -1, -3), (1, -1, 3), (1, 2, 0))
    """

    pieces: tuple[tuple[Partition, int], ...]
    matrix: Matrix

    def __attrs_post_init__(self) -> None:
        for piece in sequence(self.pieces, "pieces"):
            if not isinstance(piece, tuple) or len(piece) != 2:
                raise BadType(f"the piece {piece!r} is not a pair of a partition and a number")
        if not isinstance(self.matrix, Matrix):
            raise BadType(f"the basis is {self.matrix!r}, expected a Matrix")


def adapted_basis(action: Action) -> AdaptedBasis:
    """The symmetry-adapted basis of the functions on the points of an action.

    >>> [(str(p), m) for p, m in adapted_basis(Action.words(3, 2)).pieces]
    [('3', 4), ('2+1', 2)]
    """
    import numpy as np

    if not isinstance(action, Action):
        raise BadType(f"expected an Action, given {action!r}")
    if action.size > SMALL:
        raise TooLarge(
            f"a basis of the functions on {action!r} is a matrix of {action.size} x {action.size}: "
            "ask for the blocks alone: commuting_blocks(action, kernel)"
        )
    pieces, columns, bottoms = [], [], []
    for shape, copies in action.decompose().items():
        found = invariants(action, shape)
        # Two roads to a multiplicity: the character, and the kernel just computed.
        assert len(found.vectors) == copies
        pieces.append((shape, copies))
        tops, scale = _spread(action, found)
        for copy in range(copies):
            for top, bottom in zip(tops, scale, strict=True):
                columns.append(top[copy])
                bottoms.append(bottom)
    common = lcm(*bottoms)
    scaled = [column * (common // bottom) for column, bottom in zip(columns, bottoms, strict=True)]
    table = np.array(scaled, dtype=object).reshape(len(scaled), action.size).T
    return AdaptedBasis(tuple(pieces), rational_matrix(table, common))


def _spread(action: Action, found: Invariants) -> tuple[list[Any], list[int]]:
    """For each tableau, the vectors of all copies: integer numerators and one denominator."""
    import numpy as np

    parts = found.shape.parts
    tableaux = structure(parts)
    dim = len(tableaux.words)
    tops: list[Any] = [None] * dim
    bottoms = [1] * dim
    tops[0] = np.array(found.vectors, dtype=object)[:, found.labels]
    for i, source, target, d in _tree(parts):
        # v_S = (d s_i v_T + v_T) / (d - 1), from the formula for s_i v_T with r = -d
        vector = tops[source]
        moved = vector[:, action.generators[i - 1]] * d + vector
        bottom = bottoms[source] * (d - 1)
        factor = gcd(bottom, *moved.ravel().tolist())
        tops[target], bottoms[target] = moved // factor, bottom // factor
    return tops, bottoms


def _tree(parts: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """Steps (i, T, s_i T, |r|) that reach every tableau from the first one."""
    tableaux = structure(parts)
    edges: dict[int, list[tuple[int, int, int]]] = {}
    for i in range(1, sum(parts)):
        first, second, d, _ = tableaux.pairs(i)
        for a, b, r in zip(first.tolist(), second.tolist(), d.tolist(), strict=True):
            edges.setdefault(a, []).append((i, b, r))
    steps, reached, waiting = [], {0}, [0]
    for a in waiting:
        for i, b, r in edges.get(a, ()):
            if b not in reached:
                reached.add(b)
                waiting.append(b)
                steps.append((i, a, b, r))
    return steps


def _primitive(vector: Any) -> tuple[int, ...]:
    common = lcm(*(v.denominator for v in vector))
    integers = [int(v * common) for v in vector]
    factor = gcd(*integers)
    return tuple(v // factor for v in integers)
