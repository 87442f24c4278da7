"""Symmetry-adapted bases, and the block form of matrices that commute with an action of S_n.

A commuting matrix acts on the copies of an irreducible of multiplicity m by one m x m block,
repeated dim times. For the tableau T0 of a shape that is filled row by row, v_T0 is fixed by the
Young subgroup of the rows. Among functions fixed by it only shapes that dominate lambda occur, and
dominance makes the sum of contents strictly larger; so the v_T0 of all copies are the kernel of
the sum of all transpositions minus the content sum, on the (few) orbits of the Young subgroup:
the blocks need nothing else. The other vectors follow by Young's seminormal formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import Any

import attrs
from flint import fmpq, fmpq_mat

from symbench._arguments import instance, integer, sequence, shown
from symbench.certificates import BlockDiagonal
from symbench.draw.views import Shown, View, columns_text, sheet
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Matrix
from symbench.exact.arrays import np
from symbench.exact.rational import exact_number, rational
from symbench.young.action import Action, as_action
from symbench.young.matrices import as_matrix, rational_matrix
from symbench.young.partition import Partition, as_partition
from symbench.young.representation import tree

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
    columns = list(zip(*vectors, strict=True))
    pivots = (
        next(i for i, v in enumerate(x) if v and sum(map(bool, columns[i])) == 1) for x in vectors
    )
    return Invariants(shape, labels, first, vectors, tuple(pivots))


@attrs.frozen(eq=False)
class AdaptedBasis(Shown):
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
                raise BadType(
                    f"the piece is {shown(piece)}: give a pair of a partition and a number"
                )
        instance(self.matrix, Matrix, "the basis", "a Matrix")


def adapted_basis(action: Action) -> AdaptedBasis:
    """The symmetry-adapted basis of the functions on the points of an action.

    >>> [(str(p), m) for p, m in adapted_basis(Action.words(3, 2)).pieces]
    [('3', 4), ('2+1', 2)]
    """
    as_action(action)
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
    parts = found.shape.parts
    tops: list[Any] = [None] * found.shape.dim
    bottoms = [1] * len(tops)
    tops[0] = np.array(found.vectors, dtype=object)[:, found.labels]
    for i, source, target, d in tree(parts):
        # v_S = (d s_i v_T + v_T) / (d - 1), from the formula for s_i v_T with r = -d
        vector = tops[source]
        moved = vector[:, action.generators[i - 1]] * d + vector
        bottom = bottoms[source] * (d - 1)
        factor = gcd(bottom, *moved.ravel().tolist())
        tops[target], bottoms[target] = moved // factor, bottom // factor
    return tops, bottoms


def _primitive(vector: Any) -> tuple[int, ...]:
    common = lcm(*(v.denominator for v in vector))
    integers = [int(v * common) for v in vector]
    factor = gcd(*integers)
    return tuple(v // factor for v in integers)


_SIDE = 4  # of a block that a notebook shows


@attrs.frozen
class Block(Shown):
    """One irreducible of a block form: its block, and how often the block is repeated.

    >>> Block(Partition(2, 1), Matrix([[3]]), 2).repeats
    2
    """

    partition: Partition
    matrix: Matrix
    repeats: int

    def __attrs_post_init__(self) -> None:
        as_partition(self.partition, "partition")
        if not isinstance(self.matrix, Matrix) or self.matrix.shape[0] != self.matrix.shape[1]:
            raise BadType(f"the block is {self.matrix!r}: give a square Matrix")
        integer(self.repeats, "repeats", at_least=1)


@attrs.frozen
class BlockForm(Shown):
    """A change of basis that makes a matrix block diagonal, with the blocks: plain data.

    The columns of `basis` belong to the blocks in order; within one irreducible they are
    grouped by copy, so that the matrix becomes the Kronecker product of the block and an
    identity of size `repeats`.

    >>> form = block_form(Action.subsets(3, 1), [[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    >>> [(str(b.partition), b.matrix.rows, b.repeats) for b in form.blocks]
    [('3', ((4,),), 1), ('2+1', ((1,),), 2)]
    >>> form.check([[2, 1, 1], [1, 2, 1], [1, 1, 2]]), form.check([[2, 1, 1], [1, 2, 1], [1, 1, 3]])
    (True, False)
    """

    basis: Matrix
    blocks: tuple[Block, ...]

    def __attrs_post_init__(self) -> None:
        instance(self.basis, Matrix, "the basis", "a Matrix")
        for block in instance(self.blocks, tuple, "the value of blocks", "a tuple of Blocks"):
            instance(block, Block, "a block", "a Block")

    def _view(self) -> View:
        rows = [["irrep", "block", "repeated"]]
        for block in self.blocks:
            size = block.matrix.shape[0]
            text = "; ".join(" ".join(map(str, row)) for row in block.matrix.rows[:_SIDE])
            text = text if size <= _SIDE else f"{size} x {size}"
            rows.append([str(block.partition), text, str(block.repeats)])
        size = self.basis.shape[0]
        return sheet(f"the block form of a {size} x {size} matrix", columns_text(rows, right=(2,)))

    def diagonal(self) -> Matrix:
        """The block diagonal matrix.

        >>> block_form(Action.subsets(2, 1), [[0, 1], [1, 0]]).diagonal().rows
        ((1, 0), (0, -1))
        """
        size = sum(block.matrix.shape[0] * block.repeats for block in self.blocks)
        table = fmpq_mat(size, size, [0] * size**2)
        start = 0
        for block in self.blocks:
            copies, source, repeats = block.matrix.shape[0], block.matrix.flint, block.repeats
            for i, j, t in product(range(copies), range(copies), range(start, start + repeats)):
                table[i * repeats + t, j * repeats + t] = fmpq(source[i, j])
            start += copies * repeats
        return Matrix(table)

    def certificate(self, matrix: Any) -> BlockDiagonal:
        """The certificate that this is the block form of the matrix, to be saved and re-checked.

        >>> K = [[2, 1, 1], [1, 2, 1], [1, 1, 2]]
        >>> block_form(Action.subsets(3, 1), K).certificate(K).check()
        True
        """
        from symbench.decide import block_certificate

        return block_certificate(self, matrix)

    def check(self, matrix: Any) -> bool:
        """Whether matrix * basis = basis * diagonal with an invertible basis, multiplied out."""
        try:
            given = as_matrix(matrix, "matrix")
        except (BadType, BadShape, BadValue):
            return False
        size = self.basis.shape[0]
        if given.shape != (size, size) or self.basis.shape[1] != size:
            return False
        diagonal = self.diagonal()
        if diagonal.shape != (size, size) or self.basis.rank() != size:
            return False
        return given @ self.basis == self.basis @ diagonal

    def charpoly(self) -> dict[Partition, tuple[Any, ...]]:
        """The characteristic polynomial of each block, constant term first."""
        return {block.partition: block.matrix.charpoly() for block in self.blocks}


def block_form(action: Action, matrix: Any) -> BlockForm:
    """The block form of a matrix over the points of an action, which must commute with it.

    >>> block_form(Action.subsets(2, 1), [[1, 0], [0, 2]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the matrix does not commute with the action: s_1 changes the entry \
at (0, 0)
    """
    found = commuting_blocks(action, matrix)
    basis = adapted_basis(action)
    blocks = tuple(Block(shape, found[shape], shape.dim) for shape, _ in basis.pieces)
    return BlockForm(basis.matrix, blocks)


def commuting_blocks(action: Action, matrix: Any) -> dict[Partition, Matrix]:
    """The block of each irreducible, without the change of basis.

    The matrix is a Matrix or rows, or a function of two points (then only the rows of orbit
    representatives are computed, and the function is trusted to be invariant).

    >>> def overlap(x, y):
    ...     return sum(a == b for a, b in zip(x, y))
    >>> {str(p): b.rows for p, b in commuting_blocks(Action.words(2, 2), overlap).items()}
    {'2': ((2, 2, 0), (1, 2, 1), (0, 2, 2)), '1+1': ((2,),)}
    """
    as_action(action)
    row = _row_function(action, matrix)
    cache: dict[int, list[Fraction]] = {}
    shapes = action.decompose()
    return {shape: _block(invariants(action, shape), row, cache) for shape in shapes}


def _block(
    found: Invariants, row: Callable[[int], list[Fraction]], cache: dict[int, list[Fraction]]
) -> Matrix:
    """The block on the first vectors: one row of the matrix for each pivot orbit."""
    labels = found.labels.tolist()
    orbits = len(found.first)
    rows = []
    for k, pivot in enumerate(found.pivots):
        point = int(found.first[pivot])
        if point not in cache:
            cache[point] = row(point)
        sums = [Fraction(0)] * orbits
        for label, value in zip(labels, cache[point], strict=True):
            if value:
                sums[label] += value
        own = found.vectors[k][pivot]
        rows.append(
            [
                sum((s * v for s, v in zip(sums, vector, strict=True) if v), Fraction(0)) / own
                for vector in found.vectors
            ]
        )
    return Matrix(rows)


def _row_function(action: Action, matrix: Any) -> Callable[[int], list[Fraction]]:
    if callable(matrix) and not isinstance(matrix, Mapping | Matrix):
        points = action.points
        return lambda i: [Fraction(exact_number(matrix(points[i], y))) for y in points]
    given = as_matrix(matrix, "matrix")
    if given.shape != (action.size, action.size):
        raise BadShape(
            f"the matrix has shape {given.shape}: give one on the {action.size} points of "
            f"{action!r}"
        )
    _need_commuting(action, given)
    flint = given.flint
    return lambda i: [rational(flint[i, j]) for j in range(action.size)]


def _need_commuting(action: Action, matrix: Matrix) -> None:
    numerators = fmpq_mat(matrix.flint).numer_denom()[0]
    table = np.array([[int(v) for v in row] for row in numerators.table()], dtype=object)
    table = table.reshape(matrix.shape)
    for i, move in enumerate(action.generators, 1):
        wrong = np.argwhere(table[np.ix_(move, move)] != table)
        if len(wrong):
            place = (int(wrong[0][0]), int(wrong[0][1]))
            raise BadValue(
                f"the matrix does not commute with the action: s_{i} changes the entry at {place}"
            )
