"""Irreducible representations as matrices: seminormal, orthogonal, natural."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from symbench.errors import BadType, BadValue
from symbench.young import seminormal as _seminormal
from symbench.young._check import choice, integer
from symbench.young._matrices import integer_matrix, rational_matrix
from symbench.young.natural import natural
from symbench.young.partition import Partition, as_partition
from symbench.young.permutation import Permutation, as_permutation
from symbench.young.surd import SurdMatrix
from symbench.young.tableaux import StandardTableaux

FORMS = ("seminormal", "orthogonal", "natural")


@attrs.frozen(init=False)
class Representation:
    """An irreducible representation of S_n: call it with a permutation for its matrix.

    The basis is indexed by the standard tableaux in their order. "seminormal" is rational and
    diagonalises the Jucys-Murphy elements; "orthogonal" is the same with vectors of length one,
    its entries rational multiples of square roots; "natural" is by integers, on polytabloids.

    >>> rho = Representation(Partition(2, 1))
    >>> rho(Permutation(1, 3, 2)).rows
    ((-1/2, 3/2), (1/2, 1/2))
    >>> Representation(Partition(2, 1), form="orthogonal")(Permutation(1, 3, 2)).tolist()[0][1]
    Surd(coefficient=Fraction(1, 2), radicand=3)
    >>> rho(Permutation(2, 1))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: Permutation(2, 1) permutes 1..2, expected a permutation of 1..3
    """

    partition: Partition
    form: str

    def __init__(self, partition: Partition, form: str = "seminormal") -> None:
        object.__setattr__(self, "partition", as_partition(partition, "partition"))
        object.__setattr__(self, "form", choice(form, "form", FORMS))

    @property
    def degree(self) -> int:
        """The n of S_n."""
        return self.partition.size

    @property
    def dim(self) -> int:
        """The number of rows and columns."""
        return self.partition.dim

    @property
    def basis(self) -> StandardTableaux:
        """The standard tableaux that index rows and columns."""
        return self.partition.standard_tableaux()

    def __call__(self, permutation: Permutation) -> Any:
        g = as_permutation(permutation, self.degree)
        parts = self.partition.parts
        if self.form == "natural":
            return integer_matrix(natural(parts, g))
        rows = _seminormal.seminormal(parts, g)
        rows.reduce()
        common = _seminormal.common_denominator(rows)
        scale: Any = common // rows.bottom
        if rows.top.dtype != object and int(rows.bits.max()) + common.bit_length() > 62:
            rows.top, scale = rows.top.astype(object), scale.astype(object)
        matrix = rational_matrix(rows.top * scale[:, None], common)
        if self.form == "seminormal":
            return matrix
        norms = [Fraction(p, q) for p, q in _seminormal.norms(parts)]
        return SurdMatrix(matrix, norms)

    def generators(self) -> tuple[Any, ...]:
        """The matrices of s_1, ..., s_(n-1).

        >>> [g.rows for g in Representation(Partition(1, 1)).generators()]
        [((-1,),)]
        """
        return tuple(self(Permutation.adjacent(self.degree, i)) for i in range(1, self.degree))

    def jucys_murphy(self, k: int) -> tuple[int, ...]:
        """The eigenvalues of X_k = (1 k) + ... + (k-1 k), tableau by tableau: contents of k.

        In the seminormal and orthogonal forms X_k is the diagonal matrix of these.

        >>> Representation(Partition(2, 1)).jucys_murphy(3)
        (-1, 1)
        """
        k = integer(k, "k", minimum=1)
        if k > self.degree:
            raise BadValue(f"k is {k}, expected at most the degree {self.degree}")
        contents = _seminormal.structure(self.partition.parts).contents
        return tuple(contents[:, k - 1].tolist())


def check_representation(rho: Any, *, trials: int = 5, seed: int = 0) -> bool:
    """Whether a user's own rho is a representation of S_n; raises and says where it is not.

    rho has `.degree` and maps permutations to matrices with `@` and `==`. Checked are the
    Coxeter relations (which prove that the generators make a representation), products of
    random pairs and, for an irreducible of this room, the character.

    >>> check_representation(Representation(Partition(3, 2)))
    True
    """
    degree = getattr(rho, "degree", None)
    if not callable(rho) or degree is None:
        raise BadType(f"{rho!r} is not a representation: expected .degree and rho(permutation)")
    one = rho(Permutation.identity(degree))
    s = [rho(Permutation.adjacent(degree, i)) for i in range(1, degree)]
    for i, a in enumerate(s, 1):
        _need(a @ a == one, f"s_{i} s_{i} is not the identity")
        for j, b in enumerate(s[i:], i + 1):
            if j == i + 1:
                _need(a @ b @ a == b @ a @ b, f"s_{i} and s_{j} break the braid relation")
            else:
                _need(a @ b == b @ a, f"s_{i} and s_{j} do not commute")
    for trial in range(integer(trials, "trials", minimum=0)):
        g = Permutation.random(degree, seed=seed + 2 * trial)
        h = Permutation.random(degree, seed=seed + 2 * trial + 1)
        _need(rho(g) @ rho(h) == rho(g * h), f"rho({g}) rho({h}) is not rho({g * h})")
        shape = getattr(rho, "partition", None)
        if isinstance(shape, Partition):
            value = shape.character(g.cycle_type)
            _need(trace(rho(g)) == value, f"the trace at {g} is not the character {value}")
    return True


def trace(matrix: Any) -> Any:
    """The sum of the diagonal of a Matrix or a SurdMatrix."""
    if isinstance(matrix, SurdMatrix):
        return matrix.trace()
    return sum(matrix[i, i] for i in range(matrix.shape[0]))


def _need(holds: bool, problem: str) -> None:
    if not holds:
        raise BadValue(f"not a representation: {problem}")
