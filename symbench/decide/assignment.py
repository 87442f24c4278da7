"""Search for certificates of assignments: scipy guesses a permutation, exact integers prove it.

With the columns put in the order of the assignment, dual numbers are potentials of the digraph
with lengths d_ij = W_jj - W_ij, found by Bellman-Ford. A negative cycle there is an improvement
of the assignment, which is carried out: the guess may be wrong, the result is not.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from math import lcm
from typing import Any

from symbench.certificates import TiedAssignment, UniqueAssignment
from symbench.errors import BadShape, NotSupported
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.exact.arrays import np


def decide_assignment(matrix: Matrix) -> UniqueAssignment | TiedAssignment:
    """Find a certificate that one permutation alone has the largest sum, or that two have it."""
    if matrix.ring not in (ZZ, QQ):
        raise NotSupported(f"assignments are decided over ZZ and QQ, not {matrix.ring!r}")
    if matrix.shape[0] != matrix.shape[1]:
        raise BadShape("an assignment needs a square matrix")
    table, scale = _integers(matrix)
    assignment = _guess(table)
    while True:
        potentials, cycle = _potentials(table[:, assignment])
        if cycle is None:
            break
        assignment = _turn(assignment, cycle)
    aligned = table[:, assignment]
    size = len(assignment)
    u = [int(x) for x in potentials]
    v = [0] * size
    for j, column in enumerate(assignment):
        v[column] = int(aligned[j, j]) - u[j]
    rows = Matrix([[Rational(x, scale) for x in u]], QQ)
    columns = Matrix([[Rational(x, scale) for x in v]], QQ)
    order = _order(aligned, u)
    if isinstance(order, list):
        other = _turn(assignment, order)
        return TiedAssignment(
            first=tuple(assignment), second=tuple(other), rows=rows, columns=columns, subject=matrix
        )
    return UniqueAssignment(
        assignment=tuple(assignment), rows=rows, columns=columns, order=order, subject=matrix
    )


def _integers(matrix: Matrix) -> tuple[Any, int]:
    """(integer array, scale): the entries times a common denominator, in 64 bits if they fit."""
    entries = matrix.rows
    scale = lcm(*(x.denominator for row in entries for x in row))
    table = [[int(x * scale) for x in row] for row in entries]
    largest = max((abs(x) for row in table for x in row), default=0)
    # A path adds up at most `size` differences of two entries.
    fits = 4 * (len(table) + 1) * largest < 1 << 62
    return np.array(table, dtype=np.int64 if fits else object).reshape(matrix.shape), scale


def _guess(table: Any) -> list[int]:
    """A good permutation, from scaled floats."""
    from scipy.optimize import linear_sum_assignment

    if not table.size:
        return []
    largest = max(int(abs(table).max()), 1)
    shift = max(largest.bit_length() - 900, 0)
    floats = np.array([[float(int(x) >> shift) for x in row] for row in table])
    return [int(j) for j in linear_sum_assignment(floats, maximize=True)[1]]


def _potentials(aligned: Any) -> tuple[Any, list[int] | None]:
    """(u, None) with u_i + v_j >= W_ij where v_j = W_jj - u_j, or (u, a cycle that gains)."""
    size = aligned.shape[0]
    if size == 0:
        return [], None
    lengths = aligned.diagonal()[None, :] - aligned  # i -> j costs W_jj - W_ij
    u = np.zeros(size, dtype=aligned.dtype)
    parents = np.full(size, -1)
    for _ in range(size + 1):
        reached = u[:, None] + lengths
        best = reached.argmin(axis=0)
        nearer = reached[best, np.arange(size)]
        better = nearer < u
        if not better.any():
            return u, None
        parents = np.where(better, best, parents)
        u = np.where(better, nearer, u)
        cycle = _cycle(parents)
        if cycle is not None:
            return u, cycle
    raise AssertionError("a potential that still falls after n rounds has a cycle of parents")


def _cycle(parents: Any) -> list[int] | None:
    """The nodes i_0 -> i_1 -> ... of a cycle among the parents, or None."""
    state = [0] * len(parents)
    for start in range(len(parents)):
        node, path = start, []
        while node != -1 and state[node] == 0:
            state[node] = 1
            path.append(node)
            node = int(parents[node])
        if node != -1 and state[node] == 1 and node in path:
            return path[path.index(node) :][::-1]
        for seen in path:
            state[seen] = 2
    return None


def _turn(assignment: list[int], cycle: list[int]) -> list[int]:
    """The assignment in which row i of the cycle takes the column of the next row."""
    turned = list(assignment)
    for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        turned[i] = assignment[j]
    return turned


def _order(aligned: Any, u: list[int]) -> tuple[int, ...] | list[int]:
    """A topological order of the tight entries off the assignment, or a cycle as a list."""
    size = len(u)
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(size), ()))
    v = [int(aligned[j, j]) - u[j] for j in range(size)]
    for i in range(size):
        row = aligned[i]
        for j in range(size):
            if j != i and u[i] + v[j] == row[j]:
                sorter.add(j, i)  # i before j
    try:
        return tuple(sorter.static_order())
    except CycleError as error:
        nodes: list[int] = error.args[1]
        return nodes[:-1]  # networkx-style closed walk: the last repeats the first
