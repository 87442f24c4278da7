"""Block-diagonalisation of matrices that commute with an action of S_n.

A commuting matrix acts on the copies of an irreducible of multiplicity m by one m x m block,
repeated dim times. The blocks need only the few orbits of a Young subgroup; the block form
holds the change of basis as well, and re-multiplies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
from flint import fmpq, fmpq_mat

from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import Matrix
from symbench.young._check import exact, integer
from symbench.young._matrices import as_matrix, fraction, from_flint
from symbench.young.action import Action
from symbench.young.adapted import Invariants, adapted_basis, invariants
from symbench.young.partition import Partition, as_partition

if TYPE_CHECKING:
    from symbench.certificates import BlockDiagonal


@attrs.frozen
class Block:
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
            raise BadType(f"the block is {self.matrix!r}, expected a square Matrix")
        integer(self.repeats, "repeats", minimum=1)


@attrs.frozen
class BlockForm:
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
        if not isinstance(self.basis, Matrix):
            raise BadType(f"the basis is {self.basis!r}, expected a Matrix")
        if not isinstance(self.blocks, tuple) or not all(isinstance(b, Block) for b in self.blocks):
            raise BadType(f"the blocks are {self.blocks!r}, expected a tuple of Blocks")

    def diagonal(self) -> Matrix:
        """The block diagonal matrix.

        >>> block_form(Action.subsets(2, 1), [[0, 1], [1, 0]]).diagonal().rows
        ((1, 0), (0, -1))
        """
        size = sum(block.matrix.shape[0] * block.repeats for block in self.blocks)
        table = fmpq_mat(size, size, [0] * size**2)
        start = 0
        for block in self.blocks:
            copies, source = block.matrix.shape[0], block.matrix.flint
            for i in range(copies):
                for j in range(copies):
                    entry = fmpq(source[i, j])
                    for t in range(block.repeats):
                        row, column = i * block.repeats + t, j * block.repeats + t
                        table[start + row, start + column] = entry
            start += copies * block.repeats
        return from_flint(table)

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
    if not isinstance(action, Action):
        raise BadType(f"expected an Action, given {action!r}")
    row = _row_function(action, matrix)
    cache: dict[int, list[Fraction]] = {}
    blocks = {}
    for shape in action.decompose():
        found = invariants(action, shape)
        blocks[shape] = _block(found, row, cache)
    return blocks


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

        def computed(i: int) -> list[Fraction]:
            return [exact(matrix(points[i], y), "a value of the kernel") for y in points]

        return computed
    given = as_matrix(matrix, "matrix")
    if given.shape != (action.size, action.size):
        raise BadShape(f"a matrix of shape {given.shape} on the {action.size} points of {action!r}")
    _need_commuting(action, given)
    flint = given.flint

    def stored(i: int) -> list[Fraction]:
        return [fraction(flint[i, j]) for j in range(action.size)]

    return stored


def _need_commuting(action: Action, matrix: Matrix) -> None:
    import numpy as np

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
