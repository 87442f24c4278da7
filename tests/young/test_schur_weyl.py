import itertools
from fractions import Fraction
from math import comb

import pytest
from hypothesis import strategies as st

from symbench.errors import BadType, BadValue, NotExact, TooLarge
from symbench.exact import Matrix
from symbench.young import (
    Action,
    Partition,
    formal_character,
    formal_decomposition,
    formal_multiplicity,
    isotypic_projector,
    johnson_eigenvalue,
    johnson_projector,
    johnson_spectrum,
    multilinear_basis,
    multilinear_matrix,
    orbits_on_pairs,
    partitions,
    pure_character,
    pure_decomposition,
    pure_multiplicity,
    specht_polynomial,
    word_character,
    word_decomposition,
    word_multiplicity,
)
from tests.young import oracles


@pytest.mark.parametrize(("L", "V"), list(itertools.product(range(6), range(1, 4))))
def test_characters_by_counting_fixed_points(L, V):
    """Words, and monomials (partial words of k letters), that each permutation leaves alone."""

    def fixed(g, k, letters):
        count = 0
        for places in itertools.combinations(range(L), k):
            for word in itertools.product(range(letters), repeat=k):
                monomial = dict(zip(places, word, strict=True))
                count += {g[a] - 1: v for a, v in monomial.items()} == monomial
        return count

    for mu in partitions(L):
        g = next(g for g in oracles.group(L) if oracles.cycle_type(g) == mu.parts)
        assert word_character(L, V)(mu) == fixed(g, L, V)
        for k in range(L + 1):
            assert formal_character(L, V, k)(mu) == fixed(g, k, V)
            assert pure_character(L, V, k)(mu) == fixed(g, k, V - 1)


@oracles.law(st.integers(0, 9), st.integers(1, 5), examples=40)
def test_closed_forms_by_characters(L, V):
    words = word_decomposition(L, V)
    assert words == word_character(L, V).decompose()
    assert sum(m * p.dim for p, m in words.items()) == V**L
    assert sum(m * m for m in words.values()) == orbits_on_pairs(L, V)
    totals = {}
    for k in range(L + 1):
        pure, formal = pure_decomposition(L, V, k), formal_decomposition(L, V, k)
        assert pure == pure_character(L, V, k).decompose()
        assert formal == formal_character(L, V, k).decompose()
        for p in partitions(L):
            assert pure.get(p, 0) == pure_multiplicity(p, V, k)
            assert formal.get(p, 0) == formal_multiplicity(p, V, k)
        assert sum(m * p.dim for p, m in pure.items()) == comb(L, k) * (V - 1) ** k
        for p, m in pure.items():
            totals[p] = totals.get(p, 0) + m
    assert totals == words


def test_example_of_the_notes():
    assert {str(p): m for p, m in pure_decomposition(4, 3, 2).items()} == {
        "4": 3, "3+1": 4, "2+2": 3, "2+1+1": 1,
    }  # fmt: skip


def test_pairs_of_words_by_orbits():
    for L, V in [(3, 2), (4, 2), (3, 3)]:
        points = list(itertools.product(range(V), repeat=L))
        tables = {
            tuple(sorted(zip(x, y, strict=True))) for x, y in itertools.product(points, repeat=2)
        }
        assert orbits_on_pairs(L, V) == len(tables)


@pytest.mark.parametrize("L", range(9))
def test_multilinear_polynomials(L):
    """Degree d is the sum of (L - m, m), m <= min(d, L - d), once each, with an explicit basis."""
    for d in range(L + 1):
        top = min(d, L - d)
        assert formal_decomposition(L, 1, d) == {Partition(L - m, m): 1 for m in range(top + 1)}
        basis = multilinear_basis(L, d)
        assert len(basis) == comb(L, d)
        assert multilinear_matrix(L, d).rank() == comb(L, d)
        assert len({v.partition for v in basis}) == min(d + 1, L - d + 1)


def test_multilinear_vectors_span_their_irreducible():
    """The projector of the irreducible fixes each vector, and kills those of the others."""
    L, d = 6, 3
    action = Action.subsets(L, d)
    projectors = {p: isotypic_projector(action, p) for p in action.decompose()}
    for vector in multilinear_basis(L, d):
        column = Matrix([[c] for c in vector.coefficients])
        for shape, projector in projectors.items():
            image = projector @ column
            assert image == (column if shape == vector.partition else column * 0)


def test_multilinear_lowest_degree_is_the_specht_polynomial():
    L, m = 5, 2
    monomials = list(itertools.combinations(range(1, L + 1), m))
    for vector in multilinear_basis(L, m):
        if vector.partition != Partition(L - m, m):
            continue
        terms = {tuple(map(int, e)): int(c) for e, c in specht_polynomial(vector.tableau).terms()}
        for places, c in zip(monomials, vector.coefficients, strict=True):
            key = tuple(int(a in places) for a in range(1, L + 1))
            assert terms.get(key, 0) == c


@pytest.mark.parametrize(("L", "d"), [(0, 0), (4, 2), (5, 2), (6, 2), (6, 4), (7, 3)])
def test_johnson_by_eigenvectors_and_projectors(L, d):
    points = list(itertools.combinations(range(1, L + 1), d))

    def phi(overlap):
        return Fraction(overlap**2 + 1, overlap + 2)

    rows = [[phi(len(set(a) & set(b))) for b in points] for a in points]
    spectrum = johnson_spectrum(L, d, phi)
    assert set(spectrum) == {Partition(L - m, m) for m in range(min(d, L - d) + 1)}
    for shape, value in spectrum.items():
        m = shape.parts[1] if len(shape) > 1 else 0
        # the function prod (1[a_j in A] - 1[b_j in A]) for m disjoint pairs
        pairs = [(2 * j + 1, 2 * j + 2) for j in range(m)]
        function = []
        for A in points:
            entry = 1
            for a, b in pairs:
                entry *= (a in A) - (b in A)
            function.append(entry)
        assert any(function)
        image = [sum(r * f for r, f in zip(row, function, strict=True)) for row in rows]
        assert image == [value * f for f in function]
        entries = johnson_projector(L, d, m)
        projector = isotypic_projector(Action.subsets(L, d), shape)
        for (i, A), (j, B) in itertools.product(enumerate(points), repeat=2):
            assert projector[i, j] == entries[d - len(set(A) & set(B))]
    assert sum(p.dim * e for p, e in spectrum.items()) == phi(d) * len(points)  # the trace


@pytest.mark.parametrize(("L", "d"), [(40, 11), (40, 29), (12, 6), (10**6, 9)])
def test_johnson_by_distances(L, d):
    top, phi = min(d, L - d), lambda overlap: Fraction(3**overlap - overlap, overlap + 1)
    for m, (shape, value) in enumerate(johnson_spectrum(L, d, phi).items()):
        assert shape == Partition(L - m, m)
        sums = (phi(d - i) * johnson_eigenvalue(L, d, i, m) for i in range(top + 1))
        assert value == sum(sums)


def test_petersen_graph():
    # 2-subsets of 5 points at distance 2: eigenvalues 3, -2, 1 with multiplicities 1, 4, 5
    found = [(johnson_eigenvalue(5, 2, 2, m), Partition(5 - m, m).dim) for m in range(3)]
    assert found == [(3, 1), (-2, 4), (1, 5)]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: word_multiplicity(Partition(2), 0), BadValue),
        (lambda: word_multiplicity(None, 2), BadType),
        (lambda: pure_multiplicity(Partition(2), 2, 3), BadValue),
        (lambda: formal_multiplicity(Partition(2), 2.0, 1), NotExact),
        (lambda: word_decomposition(-1, 2), BadValue),
        (lambda: pure_decomposition(3, 2, 4), BadValue),
        (lambda: formal_decomposition(3, None, 1), BadType),
        (lambda: word_character("3", 2), BadType),
        (lambda: pure_character(3, 2, -1), BadValue),
        (lambda: formal_character(40, 2, 1).decompose(), TooLarge),
        (lambda: orbits_on_pairs(3, 0), BadValue),
        (lambda: multilinear_basis(3, 4), BadValue),
        (lambda: multilinear_basis(40, 20), TooLarge),
        (lambda: multilinear_matrix(None, 1), BadType),
        (lambda: johnson_eigenvalue(4, 5, 0, 0), BadValue),
        (lambda: johnson_eigenvalue(4, 2, 1, 3), BadValue),
        (lambda: johnson_projector(4, 2, 3), BadValue),
        (lambda: johnson_spectrum(4, 2, 3), BadType),
        (lambda: johnson_spectrum(4, 2, lambda t: 0.5), NotExact),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
