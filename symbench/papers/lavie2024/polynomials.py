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
from symbench.papers.lavie2024._targets import is_two_rows, is_two_rows_bound, two_rows
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


_drawn_rows = drawn(
    lambda st: st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n // 2)))
)


def _formula(length: int, m: int) -> int:
    return comb(length, m) - (comb(length, m - 1) if m else 0)


def _paths(first: int, second: int) -> int:
    """How many standard tableaux have rows of these lengths, by filling in the largest entry."""
    counts = [1] * (first + 1)  # rows (a, 0)
    for b in range(1, second + 1):
        below = counts
        counts = [0] * (first + 1)
        for a in range(b, first + 1):
            counts[a] = below[a] + (counts[a - 1] if a > b else 0)
    return counts[first]


def _without_subtraction(case: tuple[int, int]) -> bool | Fails:
    length, m = case
    count = len(list(Partition(length - m, m).standard_tableaux()))
    return comb(length, m) == count or Fails(f"C(L, m) = {comb(length, m)}, {count} tableaux")


@claim(
    "lavie2024.dimension",
    source="Section on the irreps of S_L, dim of (L-m, m); poster, Theorem",
    category="count",
    cases=lambda max_length=24: two_rows(max_length),
    boundary=(2, 1),
    strategy=_drawn_rows,
    applies=is_two_rows,
    proof="proofs/lavie2024/multilinear-polynomials.md",
    near_misses=[
        NearMiss("m beyond L/2: not a partition", (2, 2)),
        NearMiss("without the subtraction: dim = C(L, m)", (2, 1), _without_subtraction),
    ],
)
def dimension(case: tuple[int, int]) -> Certificate | bool | Fails:
    r"""The irrep $(L-m, m)$ of $S_L$, $0 \le m \le L/2$, has dimension
    $\binom{L}{m} - \binom{L}{m-1}$: that many standard Young tableaux have this shape.
    """
    length, m = case
    at_most(length, 2_000, "positions")
    wanted = _formula(length, m)
    if 2 * m > length:
        return Fails(f"({length - m}, {m}) is not a partition, and the formula gives {wanted}")
    shape = Partition(length - m, m)
    hooks = factorial(length) // prod(h for row in shape.hooks for h in row)
    found = {"paths": _paths(length - m, m), "hook lengths": hooks, "closed form": shape.dim}
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
@claim(
    "lavie2024.dimension-growth",
    source="Poster: dim (L-m, m) ~ L^m, hence N = Omega(L^m)",
    category="claim",
    cases=[(2, 1, 1), (4, 2, 4), (10, 5, 1000), (20, 10, 10**8), (200, 100, 10**100)],
    boundary=(2, 1, 1),
    applies=is_two_rows_bound,
    expected="fails",
    repaired_by="lavie2024.dimension-growth-repaired",
    proof="proofs/lavie2024/multilinear-polynomials.md",
    near_misses=[
        NearMiss("L^m / m! instead, still uniformly in m", (20, 10, 100), {"over": factorial}),
        # Then the ratio is above 3/4 for large L.
        NearMiss(
            "dim / L^m tends to one for m = 2", (10**6, 2, 1), {"over": lambda _: Fraction(4, 3)}
        ),
    ],
)
def dimension_growth(
    case: tuple[int, int, int], over: Callable[[int], int | Fraction] = lambda _: 1
) -> bool | Fails:
    r"""$\dim (L-m, m) \sim L^m$: for some constant $C$, $L^m \le C \dim (L-m, m)$ for all
    $0 \le m \le L/2$. A case $(L, m, C)$ refutes the constant $C$: at $m = L/2$ the dimension is a
    Catalan number, below $4^m$, while $L^m = (2m)^m$.
    """
    length, m, factor = case
    at_most(m * length.bit_length(), _BITS, "bits of L^m")
    least, dim = length**m // over(m), Partition(length - m, m).dim
    return least <= factor * dim or Fails(f"dim ({length - m}, {m}) = {dim} < {least} / {factor}")


def _between(case: tuple[int, int], low: Fraction, high: Fraction) -> bool | Fails:
    length, m = case
    ratio = Fraction(factorial(m) * _formula(length, m), length**m)
    return low <= ratio <= high or Fails(f"m! dim / L^m = {ratio}, not in [{low}, {high}]")


@claim(
    "lavie2024.dimension-growth-repaired",
    source="The growth of dim (L-m, m), with both bounds explicit",
    category="proposition",
    cases=lambda max_length=24: two_rows(max_length),
    boundary=(2, 1),
    strategy=_drawn_rows,
    applies=is_two_rows,
    assumes=["lavie2024.dimension"],
    proof="proofs/lavie2024/multilinear-polynomials.md",
    near_misses=[
        NearMiss("m beyond L/2", (4, 3)),
        NearMiss(
            "the lower bound of C(L, m) alone",
            (2, 1),
            lambda case: _between(case, 1 - Fraction(comb(case[1], 2), case[0]), Fraction(1)),
        ),
        NearMiss(
            "at least half of L^m / m!, uniformly in m",
            (10, 5),
            lambda case: _between(case, Fraction(1, 2), Fraction(1)),
        ),
    ],
)
def dimension_growth_repaired(case: tuple[int, int]) -> bool | Fails:
    r"""For all $L \ge 2m \ge 0$, $L \ge 1$,
    $$1 - \frac{m(m+1)}{2L} \;\le\; \frac{m!\, \dim (L-m, m)}{L^m} \;\le\; 1 - \frac{2m-1}{L},$$
    so for fixed $m$, and as long as $m^2/L \to 0$, $\dim (L-m, m)$ is asymptotic to $L^m/m!$.
    """
    length, m = case
    at_most(m * length.bit_length(), _BITS, "bits of L^m")
    low = 1 - Fraction(m * (m + 1), 2 * length)
    return _between(case, low, 1 - Fraction(2 * m - 1, length))


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
