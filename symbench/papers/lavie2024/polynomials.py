"""How multilinear polynomials split under permutations of their variables, and into what sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod

from symbench.certificates import Certificate
from symbench.decide import certify
from symbench.exact import Matrix
from symbench.papers._cases import at_most, drawn, integer, one_of, record
from symbench.papers._symmetric_groups import partitions_of
from symbench.papers.lavie2024._targets import is_two_rows, two_rows
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

# More tableaux than this are counted and not listed; matrices over more subsets are not formed.
_LISTED, _SUBSETS = 3_000, 60
# Powers with more bits than this are not computed.
_BITS = 10_000
# Monomials that a permutation keeps are counted for so many variables.
_COUNTED = 10
PROOF = "proofs/lavie2024/multilinear-polynomials.md"

_drawn_rows = drawn(
    lambda st: st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n // 2)))
)


def _paths(first: int, second: int) -> int:
    """How many standard tableaux have rows of these lengths, by filling in the largest entry."""
    counts = [1] * (first + 1)  # rows (a, 0)
    for b in range(1, second + 1):
        below = counts
        counts = [0] * (first + 1)
        for a in range(b, first + 1):
            counts[a] = below[a] + (counts[a - 1] if a > b else 0)
    return counts[first]


@claim(
    "lavie2024.dimension",
    source='Poster, Theorem: "The (L-m,m) irrep has dimension dim_R ~ L^m", with the exact number',
    wording="our reading",
    category="count",
    cases=lambda max_length=24: two_rows(max_length),
    boundary=(2, 1),
    strategy=_drawn_rows,
    applies=is_two_rows,
    proof=PROOF,
    near_misses=[
        NearMiss("without the subtraction: dim = C(L, m)", (2, 1), {"subtract": False}),
        NearMiss("a cell of the first row in a third row", (5, 1), {"third": 1}),
    ],
)
def dimension(
    case: tuple[int, int], subtract: bool = True, third: int = 0
) -> Certificate | bool | Fails:
    r"""The irrep $(L-m, m)$ of $S_L$, $0 \le m \le L/2$, has dimension
    $\binom{L}{m} - \binom{L}{m-1}$: that many standard Young tableaux have this shape.
    """
    length, m = case
    at_most(length, 2_000, "positions")
    wanted = comb(length, m) - (comb(length, m - 1) if m and subtract else 0)
    shape = Partition([part for part in (length - m - third, m, third) if part])
    hooks = factorial(length) // prod(h for row in shape.hooks for h in row)
    found = {"hook lengths": hooks, "closed form": shape.dim}
    if not third:
        found["paths"] = _paths(length - m, m)
    if wanted <= _LISTED:
        found["list"] = len(set(shape.standard_tableaux()))
    for road, number in found.items():
        if number != wanted:
            return Fails(f"the formula gives {wanted}, the {road} {number} tableaux")
    return _kernel_dimension(length, m) if m and comb(length, m) <= _SUBSETS else True


def _kernel_dimension(length: int, m: int) -> Certificate | Fails:
    """The irrep as the kernel of the map that takes subsets of size m to those inside of them.

    (James: the Specht module of two rows.) The rank certificate has a basis of the kernel.
    """
    large, small = (list(combinations(range(length), size)) for size in (m, m - 1))
    inside = Matrix([[int(set(s) < set(t)) for t in large] for s in small])
    rank = inside.rank()
    if rank != len(small):
        return Fails(f"the kernel has dimension {len(large) - rank}")
    return certify(inside, question="rank")


# --- how it grows -------------------------------------------------------------------------------
def _of_fixed_m(length: int, m: int) -> tuple[Fraction, Fraction]:
    """Both bounds of m! dim / L^m; for fixed m they go to one."""
    return 1 - Fraction(m * (m + 1), 2 * length), 1 - Fraction(2 * m - 1, length)


def _growing(max_length: int = 24) -> Iterator[tuple[int, int]]:
    yield from two_rows(max_length)
    yield from ((10**k, m) for k in (2, 4, 9) for m in range(7))


@claim(
    "lavie2024.dimension-growth",
    source='Poster, Theorem: "The (L-m,m) irrep has dimension dim_R ~ L^m"',
    wording="quoted",
    category="theorem",
    cases=_growing,
    boundary=(2, 1),
    strategy=_drawn_rows,
    applies=is_two_rows,
    assumes=["lavie2024.dimension"],
    proof=PROOF,
    formerly=["lavie2024.dimension-growth-repaired"],
    near_misses=[
        NearMiss(
            "read uniformly in m: at least L^m / (2 m!) for every m up to L/2",
            (10, 5),
            {"bounds": lambda length, m: (Fraction(1, 2), Fraction(1))},
        ),
        NearMiss(
            "read uniformly in m: L^m is at most 10^8 times the dimension",
            (20, 10),
            {"bounds": lambda length, m: (Fraction(factorial(m), 10**8), Fraction(1))},
        ),
        NearMiss(
            "dim / L^m itself tends to one, not m! dim / L^m",
            (10**6, 2),
            {"bounds": lambda length, m: (Fraction(3 * factorial(m), 4), Fraction(factorial(m)))},
        ),
        NearMiss(
            "the lower bound of C(L, m), nothing subtracted",
            (2, 1),
            {"bounds": lambda length, m: (1 - Fraction(comb(m, 2), length), Fraction(1))},
        ),
        NearMiss(
            "without the factor 2 in the lower bound's remainder",
            (40, 3),
            {"bounds": lambda length, m: (1 - Fraction(m * (m + 1), 4 * length), Fraction(1))},
        ),
    ],
)
def dimension_growth(
    case: tuple[int, int],
    bounds: Callable[[int, int], tuple[Fraction, Fraction]] = _of_fixed_m,
) -> bool | Fails:
    r"""$\dim (L-m, m) \sim L^m$ as $L$ grows, for fixed $m$ and up to the constant $1/m!$: for all
    $L \ge 2m \ge 0$, $L \ge 1$,
    $$1 - \frac{m(m+1)}{2L} \;\le\; \frac{m!\, \dim (L-m, m)}{L^m} \;\le\; 1 - \frac{2m-1}{L}.$$
    So $\dim (L-m, m)$ is asymptotic to $L^m/m!$ as long as $m^2/L \to 0$. It is not of the order
    $L^m$ uniformly in $m$: at $m = L/2$ it is a Catalan number, below $4^m$, while $L^m = (2m)^m$.
    """
    length, m = case
    at_most(m * length.bit_length(), _BITS, "bits of L^m")
    ratio = Fraction(factorial(m) * Partition(length - m, m).dim, length**m)
    low, high = bounds(length, m)
    return low <= ratio <= high or Fails(f"m! dim / L^m = {ratio}, not in [{low}, {high}]")


# --- the theorem ----------------------------------------------------------------------------------
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


def _same(found: dict[Partition, int] | Fails, wanted: list[Partition]) -> bool | Fails:
    if isinstance(found, Fails):
        return found
    if found == dict.fromkeys(wanted, 1):
        return True
    return Fails("it is " + " + ".join(f"{times} ({shape})" for shape, times in found.items()))


def _moved(length: int, degree: int, i: int) -> list[int]:
    """For each monomial, in order, the place of the monomial that s_i moves to it."""
    swap = {i: i + 1, i + 1: i}
    monomials = list(combinations(range(1, length + 1), degree))
    place = {monomial: k for k, monomial in enumerate(monomials)}
    return [place[tuple(sorted(swap.get(a, a) for a in monomial))] for monomial in monomials]


def _by_basis(length: int, degree: int, wanted: list[Partition]) -> Certificate | Fails:
    """An explicit basis, on which the permutations act as on Specht modules."""
    basis = multilinear_matrix(length, degree)
    certificate = certify(basis)
    if certificate.kind != "nonsingular":
        return Fails("the polynomials are dependent")
    columns, start = list(range(comb(length, degree))), 0
    for shape in wanted:
        piece = basis.submatrix(range(start, start + shape.dim), columns)
        for i, matrix in enumerate(Representation(shape, form="natural").generators(), 1):
            moved = piece.submatrix(range(shape.dim), _moved(length, degree, i))
            if moved != matrix.transpose() @ piece:
                return Fails(
                    f"s_{i} does not act on the polynomials of ({shape}) as on S^({shape})"
                )
        start += shape.dim
    return certificate if start == len(columns) else Fails(f"{start} polynomials")


# What the near-misses put in place of the homogeneous multilinear polynomials.
def _with_powers(length: int, degree: int) -> dict[Partition, int]:
    """All homogeneous polynomials: monomials with repeated variables."""

    def move(g: Permutation, monomial: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(map(g, monomial)))

    monomials = combinations_with_replacement(range(1, length + 1), degree)
    return Action.of(length, monomials, move).decompose()


def _up_to_degree(length: int, degree: int) -> dict[Partition, int]:
    """All multilinear polynomials of degree at most d."""
    first, *others = (formal_character(length, 1, k) for k in range(degree + 1))
    return sum(others, first).decompose()


def _by_characters(length: int, degree: int) -> dict[Partition, int] | Fails:
    """How often each irrep occurs; the values of the character are counted once more."""
    character = formal_character(length, 1, degree)
    for mu in partitions_of(length) if length <= _COUNTED else ():
        # A permutation keeps a monomial if it is a product over whole cycles.
        kept = sum(
            sum(chosen) == degree for k in range(len(mu) + 1) for chosen in combinations(mu, k)
        )
        if character(Partition(*mu)) != kept:
            return Fails(f"permutations of cycle type {mu} keep {kept} monomials")
    return character.decompose()


@claim(
    "lavie2024.theorem",
    source='Poster, Theorem: "The space of homogeneous multilinear polynomials in n variables of '
    "degree d can be fully decomposed into min{d+1, L-d+1} unique irreps of the symmetric group "
    'S_L labeled by the partitions (L-m,m) for 0 <= m <= d, n-d" (n is L)',
    wording="quoted",
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
    proof=PROOF,
    near_misses=[
        NearMiss(
            "m beyond L - d, up to L/2",
            ("characters", 4, 3),
            {"last": lambda length, degree: min(degree, length // 2)},
        ),
        NearMiss(
            "m up to d - 1 only",
            ("basis", 5, 2),
            {"last": lambda length, degree: min(degree - 1, length - degree)},
        ),
        NearMiss("powers of variables allowed", ("characters", 3, 2), {"space": _with_powers}),
        NearMiss("degree at most d", ("characters", 2, 1), {"space": _up_to_degree}),
    ],
)
def theorem(
    case: Case,
    last: Callable[[int, int], int] = lambda length, degree: min(degree, length - degree),
    space: Callable[[int, int], dict[Partition, int] | Fails] = _by_characters,
) -> Certificate | bool | Fails:
    r"""The homogeneous multilinear polynomials of degree $d$ in $L$ variables are, under the
    permutations of the variables, $\bigoplus_m S^{(L-m, m)}$, $0 \le m \le \min(d, L-d)$, each
    once: $\min\{d+1, L-d+1\}$ irreps. Shown by a basis of Specht polynomials times elementary
    symmetric ones, on which $S_L$ acts by the integer matrices of the Specht modules; by
    characters; by the closed form and the sum of the dimensions.
    """
    road, length, degree = case
    at_most(length, _LONGEST[road], "variables")
    wanted = [Partition(length - m, m) for m in range(last(length, degree) + 1)]
    if road == "basis":
        return _by_basis(length, degree, wanted)
    if road == "characters":
        return _same(space(length, degree), wanted)
    total = sum(shape.dim for shape in wanted)
    if total != comb(length, degree):
        return Fails(
            f"the dimensions add up to {total}, there are {comb(length, degree)} monomials"
        )
    return _same(formal_decomposition(length, 1, degree), wanted)
