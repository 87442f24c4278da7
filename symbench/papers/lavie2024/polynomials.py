"""The theorem: how multilinear polynomials split under permutations of their variables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb

from symbench.certificates import Certificate
from symbench.decide import certify
from symbench.papers._cases import at_most, drawn, integer, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young import (
    Action,
    Partition,
    Permutation,
    Representation,
    formal_character,
    formal_decomposition,
    multilinear_matrix,
)

# (road, number of variables L, degree d)
Case = tuple[str, int, int]


ROADS = ("basis", "characters", "closed form")
_LONGEST = {"basis": 9, "characters": 30, "closed form": 2_000}


def _cases(basis: int = 6, characters: int = 12, closed: int = 40) -> Iterator[Case]:
    """Every (L, d), 0 <= d <= L, by each road as far as it is asked to go."""
    for road, longest in zip(ROADS, (basis, characters, closed), strict=True):
        for length in range(1, longest + 1):
            for degree in range(length + 1):
                yield road, length, degree


def _shapes(length: int, degree: int) -> list[Partition]:
    return [Partition(length - m, m) for m in range(min(degree, length - degree) + 1)]


def _same(found: dict[Partition, int], wanted: list[Partition]) -> bool | Fails:
    if found == dict.fromkeys(wanted, 1):
        return True
    return Fails("it is " + " + ".join(f"{times} ({shape})" for shape, times in found.items()))


def _moved(length: int, degree: int, i: int) -> list[int]:
    """For each monomial, in order, the place of the monomial that s_i moves to it."""
    swap = {i: i + 1, i + 1: i}
    monomials = list(combinations(range(1, length + 1), degree))
    place = {monomial: k for k, monomial in enumerate(monomials)}
    return [place[tuple(sorted(swap.get(a, a) for a in monomial))] for monomial in monomials]


def _by_basis(length: int, degree: int) -> Certificate | Fails:
    """An explicit basis, on which the permutations act as on Specht modules."""
    basis = multilinear_matrix(length, degree)
    certificate = certify(basis)
    if certificate.kind != "nonsingular":
        return Fails("the polynomials are dependent")
    columns, start = list(range(comb(length, degree))), 0
    for shape in _shapes(length, degree):
        piece = basis.submatrix(range(start, start + shape.dim), columns)
        for i, matrix in enumerate(Representation(shape, form="natural").generators(), 1):
            moved = piece.submatrix(range(shape.dim), _moved(length, degree, i))
            if moved != matrix.transpose() @ piece:
                return Fails(
                    f"s_{i} does not act on the polynomials of ({shape}) as on S^({shape})"
                )
        start += shape.dim
    return certificate if start == len(columns) else Fails(f"{start} polynomials")


def _to_degree(case: Case) -> bool | Fails:
    """The variant in which m goes up to d."""
    _, length, degree = case
    wrong = [m for m in range(degree + 1) if 2 * m > length]
    return not wrong or Fails(f"({length - wrong[0]}, {wrong[0]}) is not a partition")


def _not_multilinear(case: Case) -> bool | Fails:
    """The variant for all homogeneous polynomials: monomials with repeated variables."""
    _, length, degree = case

    def move(g: Permutation, monomial: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(map(g, monomial)))

    monomials = combinations_with_replacement(range(1, length + 1), degree)
    return _same(Action.of(length, monomials, move).decompose(), _shapes(length, degree))


def _up_to_degree(case: Case) -> bool | Fails:
    """The variant for all multilinear polynomials of degree at most d."""
    _, length, degree = case
    first, *others = (formal_character(length, 1, k) for k in range(degree + 1))
    character = sum(others, first)
    return _same(character.decompose(), _shapes(length, degree))


@claim(
    "lavie2024.theorem",
    source="Theorem on multilinear polynomials (poster: Theorem)",
    category="theorem",
    cases=_cases,
    boundary=("basis", 4, 3),
    strategy=drawn(
        lambda st: st.integers(1, 300).flatmap(
            lambda n: st.tuples(st.just("closed form"), st.just(n), st.integers(0, n))
        )
    ),
    applies=record(
        one_of(*ROADS), integer(1), integer(0), where=lambda _, length, degree: degree <= length
    ),
    assumes=["lavie2024.dimension"],
    proof="proofs/lavie2024/multilinear-polynomials.md",
    near_misses=[
        NearMiss("m up to d, beyond L - d", ("basis", 4, 3), _to_degree),
        NearMiss("powers of variables allowed", ("characters", 2, 2), _not_multilinear),
        NearMiss("degree at most d", ("characters", 2, 1), _up_to_degree),
    ],
)
def theorem(case: Case) -> Certificate | bool | Fails:
    r"""The homogeneous multilinear polynomials of degree $d$ in $L$ variables are, under the
    permutations of the variables, $\bigoplus_m S^{(L-m, m)}$, $0 \le m \le \min(d, L-d)$, each
    once: $\min\{d+1, L-d+1\}$ irreps. Shown by a basis of Specht polynomials times elementary
    symmetric ones, on which $S_L$ acts by the integer matrices of the Specht modules; by
    characters; by the closed form and the sum of the dimensions.
    """
    road, length, degree = case
    at_most(length, _LONGEST[road], "variables")
    wanted = _shapes(length, degree)
    if len(wanted) != min(degree + 1, length - degree + 1):
        return Fails(f"there are {len(wanted)} irreps")
    if road == "basis":
        return _by_basis(length, degree)
    if road == "characters":
        return _same(formal_character(length, 1, degree).decompose(), wanted)
    total = sum(shape.dim for shape in wanted)
    if total != comb(length, degree):
        return Fails(
            f"the dimensions add up to {total}, there are {comb(length, degree)} monomials"
        )
    return _same(formal_decomposition(length, 1, degree), wanted)
