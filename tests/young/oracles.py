"""Slow answers straight from the definitions; only value types are imported."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import factorial

import flint
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.young import Partition, Permutation, Tableau


def all_partitions(n: int) -> list[tuple[int, ...]]:
    """Compositions by cutting a row of n cells, those that do not increase, largest first."""
    if n == 0:
        return [()]
    found = set()
    for cuts in itertools.product((0, 1), repeat=n - 1):
        parts, run = [], 1
        for cut in cuts:
            if cut:
                parts.append(run)
                run = 1
            else:
                run += 1
        found.add(tuple(sorted([*parts, run], reverse=True)))
    return sorted(found, reverse=True)


def fillings(shape, letters, inner=()):
    """All fillings of a (skew) shape, as rows with None."""
    holes = [*inner, *([0] * (len(shape) - len(inner)))]
    size = sum(shape) - sum(holes)
    for word in itertools.product(letters, repeat=size):
        rest = iter(word)
        yield tuple(
            (None,) * hole + tuple(next(rest) for _ in range(part - hole))
            for part, hole in zip(shape, holes, strict=True)
        )


def grows(rows) -> bool:
    """Rows weakly, columns strictly."""
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if cell is None:
                continue
            if j and row[j - 1] is not None and row[j - 1] > cell:
                return False
            if i and rows[i - 1][j] is not None and rows[i - 1][j] >= cell:
                return False
    return True


def semistandard(shape, letters, inner=()):
    return {rows for rows in fillings(shape, range(1, letters + 1), inner) if grows(rows)}


def standard(shape, inner=()):
    size = sum(shape) - sum(inner)
    holes = [*inner, *([0] * (len(shape) - len(inner)))]
    found = set()
    for word in itertools.permutations(range(1, size + 1)):
        rest = iter(word)
        rows = tuple(
            (None,) * hole + tuple(next(rest) for _ in range(part - hole))
            for part, hole in zip(shape, holes, strict=True)
        )
        if grows(rows):
            found.add(rows)
    return found


def frobenius_characters(n: int) -> dict[tuple[int, ...], dict[tuple[int, ...], int]]:
    """chi[mu][lambda]: the coefficient of x^(lambda + delta) in Vandermonde times p_mu."""
    ring = flint.fmpz_mpoly_ctx.get([f"x{i}" for i in range(max(n, 1))], flint.Ordering.lex)
    x = ring.gens()
    vandermonde = ring.constant(1)
    for i, j in itertools.combinations(range(n), 2):
        vandermonde *= x[i] - x[j]
    shapes = all_partitions(n)
    found = {}
    for mu in shapes:
        product = vandermonde
        for part in mu:
            product *= sum((v**part for v in x), ring.constant(0))
        terms = {tuple(map(int, m)): int(c) for m, c in product.terms()}
        found[mu] = {}
        for shape in shapes:
            padded = [*shape, *([0] * (n - len(shape)))]
            monomial = tuple(p + n - 1 - i for i, p in enumerate(padded)) or (0,)
            found[mu][shape] = terms.get(monomial, 0)
    return found


def schur(shape, variables: int):
    """The Schur polynomial as the sum over semistandard tableaux: a dict of exponents."""
    found: dict[tuple[int, ...], int] = {}
    for rows in semistandard(shape, variables):
        entries = [cell for row in rows for cell in row]
        key = tuple(entries.count(k) for k in range(1, variables + 1))
        found[key] = found.get(key, 0) + 1
    return found


def schur_expansion(polynomial, variables: int) -> dict[tuple[int, ...], int]:
    """Peel off leading terms of a symmetric polynomial, given by exponents."""
    left = dict(polynomial)
    found = {}
    while left:
        top = max(left)
        coefficient = left[top]
        shape = tuple(part for part in top if part)
        found[shape] = coefficient
        for key, value in schur(shape, variables).items():
            left[key] = left.get(key, 0) - coefficient * value
            if not left[key]:
                del left[key]
    return found


def multiply(a, b):
    found: dict[tuple[int, ...], int] = {}
    for (k, c), (m, d) in itertools.product(a.items(), b.items()):
        key = tuple(map(sum, zip(k, m, strict=True)))
        found[key] = found.get(key, 0) + c * d
    return found


def group(n: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(1, n + 1)))


def cycle_type(images) -> tuple[int, ...]:
    seen, lengths = set(), []
    for start in range(1, len(images) + 1):
        length, point = 0, start
        while point not in seen:
            seen.add(point)
            point = images[point - 1]
            length += 1
        if length:
            lengths.append(length)
    return tuple(sorted(lengths, reverse=True))


def longest_union(word, k: int, decreasing: bool = False) -> int:
    """Greene: the largest union of k weakly increasing (or strictly decreasing) subsequences."""
    best = 0
    for size in range(len(word), 0, -1):
        for chosen in itertools.combinations(range(len(word)), size):
            if _chains(tuple(word[i] for i in chosen), decreasing) <= k:
                best = size
                break
        if best:
            return best
    return best


def _chains(word, decreasing: bool) -> int:
    """The least number of subsequences that cover the word: the longest antichain (Dilworth)."""
    longest: list[int] = []
    for i, x in enumerate(word):
        breaks = (longest[j] for j in range(i) if (word[j] <= x if decreasing else word[j] > x))
        longest.append(1 + max(breaks, default=0))
    return max(longest, default=0)


def specht_matrix(shape, images, tableaux) -> list[list[Fraction]]:
    """The action on Specht polynomials, expanded by linear algebra over the rationals."""
    n = sum(shape)
    polynomials = [_specht(t, n) for t in tableaux]
    moved = [
        _specht(
            Tableau([[images[c - 1] for c in row] for row in t.rows]),
            n,
        )
        for t in tableaux
    ]
    monomials = sorted({m for p in polynomials + moved for m in p})
    rows = [[p.get(m, 0) for p in polynomials] for m in monomials]
    right = [[p.get(m, 0) for p in moved] for m in monomials]
    a, b = flint.fmpq_mat(rows), flint.fmpq_mat(right)
    solution = (a.transpose() * a).solve(a.transpose() * b)
    assert a * solution == b
    return [[Fraction(int(x.p), int(x.q)) for x in row] for row in solution.table()]


def _specht(tableau, n: int) -> dict[tuple[int, ...], int]:
    found = {(0,) * n: 1}
    width = len(tableau.rows[0]) if tableau.rows else 0
    for j in range(width):
        column = [row[j] for row in tableau.rows if j < len(row)]
        for a, b in itertools.combinations(column, 2):
            grown: dict[tuple[int, ...], int] = {}
            for key, c in found.items():
                for variable, sign in ((a, 1), (b, -1)):
                    new = list(key)
                    new[variable - 1] += 1
                    grown[tuple(new)] = grown.get(tuple(new), 0) + sign * c
            found = {k: c for k, c in grown.items() if c}
    return found


def class_size(mu) -> int:
    size = factorial(sum(mu))
    for part in set(mu):
        size //= part ** mu.count(part) * factorial(mu.count(part))
    return size


def law(*arguments, examples=100):
    """A property checked by Hypothesis; timings decide nothing, so there is no deadline."""

    def wrap(test):
        return settings(deadline=None, max_examples=examples)(given(*arguments)(test))

    return wrap


# --- strategies ------------------------------------------------------------------------------


@st.composite
def shapes(draw, min_size=0, max_size=8):
    n = draw(st.integers(min_size, max_size))
    return Partition(*draw(st.sampled_from(all_partitions(n))))


@st.composite
def perms(draw, min_degree=0, max_degree=7, degree=None):
    n = draw(st.integers(min_degree, max_degree)) if degree is None else degree
    return Permutation(*draw(st.permutations(range(1, n + 1))))
