"""Specht polynomials, and the explicit bases of multilinear polynomials made of them."""

from __future__ import annotations

import itertools
from math import comb, factorial, prod

import attrs
from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx

from symbench._arguments import integer, integers, shown
from symbench.draw.views import Shown
from symbench.errors import TooLarge
from symbench.exact import Matrix
from symbench.exact.arrays import np
from symbench.young.group_algebra import LIMIT, bijective
from symbench.young.matrices import integer_matrix
from symbench.young.partition import Partition, as_partition
from symbench.young.tableau import Tableau, as_tableau


def specht_polynomial(tableau: Tableau) -> fmpz_mpoly:
    """The product over the columns of (x_a - x_b), a above b, as a FLINT polynomial.

    The polynomials of the standard tableaux of a shape are a basis of its Specht module.

    >>> specht_polynomial(Tableau([[1, 2], [3, 4]]))
    x1*x2 - x1*x4 - x2*x3 + x3*x4
    """
    t = bijective(tableau)
    terms = prod(factorial(len(column)) for column in t.columns)
    if terms > LIMIT:
        raise TooLarge(
            f"the Specht polynomial has {shown(terms)} terms: give a tableau whose columns have "
            f"at most {LIMIT:,} permutations in all"
        )
    names = [f"x{i}" for i in range(1, t.size + 1)]
    ring = fmpz_mpoly_ctx.get(names, Ordering.lex)
    x = ring.gens()
    product = ring.constant(1)
    for column in t.columns:
        for a, b in itertools.combinations(column, 2):
            product *= x[a - 1] - x[b - 1]
    return product


@attrs.frozen
class MultilinearVector(Shown):
    """One vector of the basis: its irreducible, its tableau and its coefficients on monomials.

    >>> multilinear_basis(2, 1)[1]
    MultilinearVector(partition=Partition(1, 1), tableau=Tableau([[1], [2]]), coefficients=(1, -1))
    """

    partition: Partition
    tableau: Tableau
    coefficients: tuple[int, ...]

    def __attrs_post_init__(self) -> None:
        as_partition(self.partition, "partition")
        as_tableau(self.tableau)
        integers(self.coefficients, "coefficients")


def multilinear_basis(variables: int, degree: int) -> tuple[MultilinearVector, ...]:
    """An explicit basis of the multilinear polynomials of degree d in L variables.

    For each m <= min(d, L - d) and each standard tableau of shape (L - m, m): its Specht
    polynomial times the elementary symmetric polynomial of degree d - m in the variables of its
    columns of length one. The monomials are ordered as by `itertools.combinations`.

    >>> [(str(v.partition), v.coefficients) for v in multilinear_basis(3, 2)]
    [('3', (1, 1, 1)), ('2+1', (1, 0, -1)), ('2+1', (0, 1, -1))]
    """
    L = integer(variables, "variables", at_least=0)
    d = integer(degree, "degree", at_least=0, at_most=L)
    if comb(L, d) > 5000:
        raise TooLarge(
            f"the basis has {comb(L, d)} vectors of {comb(L, d)} coefficients: ask for the "
            "multiplicities or the closed Johnson forms instead"
        )
    place = {monomial: k for k, monomial in enumerate(itertools.combinations(range(1, L + 1), d))}
    found = []
    for m in range(min(d, L - d) + 1):
        shape = Partition(L - m, m)
        for tableau in shape.standard_tableaux():
            pairs = [column for column in tableau.columns if len(column) == 2]
            single = [column[0] for column in tableau.columns if len(column) == 1]
            coefficients = [0] * len(place)
            for chosen in itertools.product((0, 1), repeat=m):
                ends = [pair[k] for pair, k in zip(pairs, chosen, strict=True)]
                for rest in itertools.combinations(single, d - m):
                    monomial = tuple(sorted((*ends, *rest)))
                    coefficients[place[monomial]] = -1 if sum(chosen) % 2 else 1
            found.append(MultilinearVector(shape, tableau, tuple(coefficients)))
    return tuple(found)


def multilinear_matrix(variables: int, degree: int) -> Matrix:
    """The basis as the rows of one integer Matrix, square and of full rank.

    >>> multilinear_matrix(4, 2).rank()
    6
    """
    rows = [vector.coefficients for vector in multilinear_basis(variables, degree)]
    return integer_matrix(np.array(rows, dtype=np.int64))
