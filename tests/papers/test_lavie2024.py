"""lavie2024 beyond its dimensions: each number again, from the definitions."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import comb, factorial

import pytest

from symbench.certificates import BlockDiagonal, Nonsingular
from symbench.exact import Matrix
from symbench.papers.lavie2024 import polynomials, vocabulary
from symbench.registry import claims, hunt, verify
from tests.registry.test_linters import STORED, stored_problems
from tests.young.oracles import cycle_type, frobenius_characters, group

THEOREM = claims["lavie2024.theorem"]
GROWTH = claims["lavie2024.dimension-growth"]
SCHUR_WEYL = claims["young.schur-weyl"]
VOCABULARY = claims["symbench.vocabulary"]
ONE_HOT = claims["lavie2024.one-hot"]
CATALAN = [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796]  # OEIS A000108


@cache
def characters(n):
    return frobenius_characters(n)


def multiplicities(n, trace):
    """The mean over the group of a trace times each irreducible character."""
    table = characters(n)
    totals = Counter()
    for g in group(n):
        value = trace(g)
        for shape, chi in table[cycle_type(g)].items():
            totals[shape] += value * chi
    found = {shape: Fraction(total) / factorial(n) for shape, total in totals.items() if total}
    assert all(times.denominator == 1 and times > 0 for times in found.values())
    return {shape: int(times) for shape, times in found.items()}


def act(g, word):
    """The letter at position a goes to position g(a)."""
    moved = [None] * len(word)
    for a, letter in enumerate(word):
        moved[g[a] - 1] = letter
    return tuple(moved)


def near(claim, number):
    miss = claim.near_misses[number]
    return claim.look(miss.case, miss)[0]


@pytest.mark.parametrize("claim", [THEOREM, GROWTH, SCHUR_WEYL, VOCABULARY, ONE_HOT])
def test_near_misses_fail(claim):
    assert [near(claim, k) for k in range(len(claim.near_misses))] == ["fails"] * len(
        claim.near_misses
    )


def test_the_stored_counterexample():
    id = ONE_HOT.id
    assert stored_problems(id, STORED / f"{id}.json") == []


@pytest.mark.parametrize("claim", [THEOREM, GROWTH, SCHUR_WEYL, VOCABULARY])
def test_no_counterexample_further_on(claim):
    assert hunt(claim.id, max_examples=15) is None


# --- the theorem --------------------------------------------------------------------------------
def monomials_fixed(length, degree):
    def trace(g):
        sets = combinations(range(1, length + 1), degree)
        return sum({g[a - 1] for a in chosen} == {*chosen} for chosen in sets)

    return trace


@pytest.mark.parametrize("length", range(1, 7))
def test_the_theorem_by_traces_over_the_whole_group(length):
    for degree in range(length + 1):
        found = multiplicities(length, monomials_fixed(length, degree))
        wanted = {
            tuple(filter(None, (length - m, m))): 1 for m in range(min(degree, length - degree) + 1)
        }
        assert found == wanted
        assert len(found) == min(degree + 1, length - degree + 1)
        for road in ("basis", "characters", "closed form"):
            assert THEOREM.look((road, length, degree)) == ("holds", "")


def test_the_cases_of_the_theorem():
    cases = list(THEOREM.list_cases(basis=4, characters=5, closed=6))
    for road, longest in (("basis", 4), ("characters", 5), ("closed form", 6)):
        found = {(n, d) for r, n, d in cases if r == road}
        assert found == {(n, d) for n in range(1, longest + 1) for d in range(n + 1)}
    assert len(cases) == len(set(cases)) == sum((n + 1) * (n + 2) // 2 - 1 for n in (4, 5, 6))


def test_the_certificate_is_that_of_the_basis():
    certificate = THEOREM.run(("basis", 5, 2))
    assert isinstance(certificate, Nonsingular)
    rows = certificate.subject.rows
    assert len(rows) == comb(5, 2)
    # The first row is the sum of all monomials; the others add up to zero on each orbit.
    assert set(rows[0]) == {1}
    assert all(sum(row) == 0 for row in rows[1:])


def polynomial(pairs, singles, degree, monomials):
    """prod (x_a - x_b) times the elementary symmetric polynomial of the rest, term by term."""
    terms = Counter()
    for ends in product((0, 1), repeat=len(pairs)):
        for rest in combinations(singles, degree - len(pairs)):
            chosen = frozenset([p[e] for p, e in zip(pairs, ends, strict=True)] + [*rest])
            terms[chosen] += (-1) ** sum(ends)
    return [terms[frozenset(m)] for m in monomials]


def test_the_basis_is_the_one_that_is_named():
    """The polynomials of (3, 2) in degree 2 and 3: pairs are the columns of standard tableaux."""
    listed = ["14 25", "13 25", "13 24", "12 35", "12 34"]
    for degree in (2, 3):
        monomials = list(combinations("12345", degree))
        wanted = set()
        for text in listed:
            singles = [k for k in "12345" if k not in text]
            wanted.add(tuple(polynomial(text.split(), singles, degree, monomials)))
        assert set(THEOREM.run(("basis", 5, degree)).subject.rows[5:]) == wanted


@pytest.mark.parametrize("broken", ["swapped", "dependent", "scaled"])
def test_a_wrong_basis_is_noticed(monkeypatch, broken):
    true = polynomials.multilinear_matrix

    def wrong(length, degree):
        rows = [list(row) for row in true(length, degree).rows]
        if broken == "swapped":  # still a basis, of something else
            rows[0], rows[1] = rows[1], rows[0]
        elif broken == "dependent":
            rows[-1] = rows[0]
        else:  # the span is right, the matrices are not those of the Specht module
            rows[-1] = [2 * x for x in rows[-1]]
        return Matrix(rows)

    monkeypatch.setattr(polynomials, "multilinear_matrix", wrong)
    assert THEOREM.look(("basis", 4, 2))[0] == "fails"


def test_the_theorem_further_on():
    verdict = verify("lavie2024.theorem", basis=8, characters=15, closed=80)
    assert verdict.status == "holds", verdict.explain()


# --- dimensions ---------------------------------------------------------------------------------
def ballots(length, m):
    """Words with m letters b, never more b than a: one for each standard tableau."""
    counts = {(0, 0): 1}
    for _ in range(length):
        grown = Counter()
        for (a, b), times in counts.items():
            grown[a + 1, b] += times
            if b < a:
                grown[a, b + 1] += times
        counts = grown
    return counts[length - m, m]


def test_no_constant_for_all_m():
    assert [(ballots(2 * m, m), (2 * m) ** m) for m in (1, 2, 5)] == [(1, 2), (2, 16), (42, 10**5)]
    assert [ballots(2 * m, m) for m in range(11)] == CATALAN
    # A constant that is large enough for one case is not refuted by it.
    for constant, outcome in ((2380, False), (2381, True)):
        low = Fraction(factorial(5), constant)
        found = GROWTH.function((10, 5), bounds=lambda length, m, low=low: (low, Fraction(1)))
        assert bool(found) is outcome


def test_the_bounds_of_the_growth():
    for length in range(1, 41):
        for m in range(length // 2 + 1):
            dim = ballots(length, m)
            scaled = 2 * factorial(m) * dim * length
            assert (2 * length - m * (m + 1)) * length**m <= scaled
            assert scaled <= 2 * (length - 2 * m + 1) * length**m
            assert GROWTH.look((length, m)) == ("holds", "")


def test_the_bounds_are_reached_for_one_and_two():
    for length in range(4, 30):
        for m in (1, 2):
            assert Fraction(factorial(m) * ballots(length, m), length**m) == 1 - Fraction(
                m * (m + 1), 2 * length
            )


@pytest.mark.parametrize("m", range(5))
def test_the_limit(m):
    length = 10**6
    ratio = Fraction(factorial(m) * ballots_closed(length, m), length**m)
    assert abs(1 - ratio) < Fraction(2 * m**2 + 1, length)


def ballots_closed(length, m):
    """L (L-1) ... (L-m+2) (L-2m+1) / m!, checked against the words."""

    def value(n, k):
        if k == 0:
            return 1
        top = n - 2 * k + 1
        for i in range(k - 1):
            top *= n - i
        return top // factorial(k)

    assert all(value(n, m) == ballots(n, m) for n in range(2 * m, 2 * m + 8))
    return value(length, m)


# --- Schur and Weyl -----------------------------------------------------------------------------
SMALL = [(1, 1), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2)]


def orbits_on_pairs(length, letters):
    """Pairs of words, each moved by every permutation: the smallest of an orbit is counted."""
    words = list(product(range(letters), repeat=length))
    seen = set()
    for x, y in product(words, repeat=2):
        seen.add(min((act(g, x), act(g, y)) for g in group(length)))
    return len(seen)


@pytest.mark.parametrize(("length", "letters"), SMALL)
def test_words_by_traces(length, letters):
    words = list(product(range(letters), repeat=length))
    found = multiplicities(length, lambda g: sum(act(g, w) == w for w in words))
    assert all(len(shape) <= letters for shape in found)
    squares = sum(times**2 for times in found.values())
    assert squares == comb(length + letters**2 - 1, letters**2 - 1)
    if letters ** (2 * length) * factorial(length) < 20_000:
        assert squares == orbits_on_pairs(length, letters)
    certificate = SCHUR_WEYL.run((length, letters))
    if letters**length <= 32:
        assert isinstance(certificate, BlockDiagonal)
        assert sorted(b.shape[0] for b in certificate.blocks) == sorted(found.values())
        assert certificate.subject.shape == (letters**length,) * 2
        assert len({x for row in certificate.subject.rows for x in row}) == squares


def test_published_numbers_of_words():
    # OEIS A000292 (tetrahedral numbers): orbits on pairs of binary words; s_(L)(1^V) = C(L+V-1, L)
    assert [orbits_on_pairs(n, 2) for n in range(1, 4)] == [4, 10, 20]


# --- more letters -------------------------------------------------------------------------------
def pure_trace(length, law, degree):
    """g -> the trace of g on functions of pure degree k, from the projectors of one position.

    E averages over a letter with the law, 1 - E removes the mean; the space is the sum, over the
    sets of k positions, of the images of products of these.
    """
    letters = range(len(law))
    words = list(product(letters, repeat=length))

    def entry(position_in, x, y):
        mean = law[y]
        return ((x == y) - mean) if position_in else mean

    def trace(g):
        total = Fraction(0)
        for chosen in combinations(range(length), degree):
            for x in words:
                # (g P)(x, x) = P(g^-1 x, x)
                back = tuple(x[g[a] - 1] for a in range(length))
                value = Fraction(1)
                for a in range(length):
                    value *= entry(a in chosen, back[a], x[a])
                    if not value:
                        break
                total += value
        return total

    return trace


@pytest.mark.parametrize(
    ("length", "law"),
    [
        (2, ["1/2", "1/2"]),
        (3, ["1/3", "2/3"]),
        (3, ["1/3", "1/3", "1/3"]),
        (3, ["1/2", "1/3", "1/6"]),
        (4, ["1/4", "3/4"]),
    ],
)
def test_pure_degrees_by_traces(length, law):
    law = [Fraction(p) for p in law]
    total = Counter()
    for degree in range(length + 1):
        found = multiplicities(length, pure_trace(length, law, degree))
        total.update(found)
        wanted = vocabulary.pure_decomposition(length, len(law), degree)
        assert found == {shape.parts: times for shape, times in wanted.items()}
    words = list(product(range(len(law)), repeat=length))
    assert total == multiplicities(length, lambda g: sum(act(g, w) == w for w in words))
    assert VOCABULARY.look((length, len(law))) == ("holds", "")


def test_the_example_with_three_letters():
    """L = 4, V = 3, degree 2, by traces: (4) 3 times, (3, 1) 4, (2, 2) 3, (2, 1, 1) once."""
    found = multiplicities(4, pure_trace(4, [Fraction(1, 3)] * 3, 2))
    assert found == {(4,): 3, (3, 1): 4, (2, 2): 3, (2, 1, 1): 1}


def determinant(x, places, u, v):
    rows = [[int(x[a - 1] == u), int(x[a - 1] == v), 1] for a in places]
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def test_the_polynomial_is_a_determinant():
    for x in product((1, 2, 3), repeat=4):
        for places in combinations(range(1, 5), 3):
            for u, v in permutations((1, 2, 3), 2):
                value = vocabulary.area(x, places, u, v)
                assert value == determinant(x, places, u, v)
                assert value == -vocabulary.area(x, places[1::-1] + places[2:], u, v)


def test_the_polynomial_has_mean_zero_given_one_letter():
    """Pure degree 2 on three positions: no part of degree 0 or 1, none of degree 3."""
    law = {1: Fraction(1, 2), 2: Fraction(1, 3), 3: Fraction(1, 6)}
    for a in (1, 2, 3):
        given = Counter()
        for x in product(law, repeat=3):
            weight = law[x[0]] * law[x[1]] * law[x[2]]
            given[x[a - 1]] += weight * vocabulary.area(x, (1, 2, 3), 1, 2)
        assert not any(given.values())
    third = sum(
        law[x[0]] * law[x[1]] * law[x[2]] * vocabulary.area(x, (1, 2, 3), 1, 2)
        * ((x[0] == u) - law[u]) * ((x[1] == v) - law[v]) * ((x[2] == w) - law[w])
        for x in product(law, repeat=3) for u, v, w in [(1, 2, 3)]
    )  # fmt: skip
    assert third == 0


def test_it_is_the_sign_of_three_positions():
    for g in permutations((1, 2, 3)):
        odd = sum(g[i] > g[j] for i, j in combinations(range(3), 2)) % 2
        for x in product((1, 2, 3), repeat=3):
            sign = -1 if odd else 1
            assert vocabulary.area(act(g, x), (1, 2, 3), 1, 2) == sign * vocabulary.area(
                x, (1, 2, 3), 1, 2
            )
    assert vocabulary.area((1, 2, 3), (1, 2, 3), 1, 2) == 1


@pytest.mark.parametrize(("length", "letters"), [(3, 3), (3, 4), (4, 3)])
def test_the_certificate_of_three_rows(length, letters):
    certificate = VOCABULARY.run((length, letters))
    assert isinstance(certificate, Nonsingular)
    copies, dim = comb(letters - 1, 2), comb(length - 1, 2)
    assert certificate.subject.shape == (copies * dim,) * 2
    words = list(product(range(1, letters + 1), repeat=length))
    first = [vocabulary.area(w, (1, 2, 3), 1, 2) for w in words]
    # The first entry of the Gram matrix is a sum of squares over words; rows may be in any order.
    diagonal = {certificate.subject[i, i] for i in range(copies * dim)}
    assert diagonal == {sum(x * x for x in first)}


def test_a_wrong_polynomial_is_noticed(monkeypatch):
    monkeypatch.setattr(
        vocabulary, "area", lambda x, c, u, v: int(x[c[0] - 1] == u and x[c[1] - 1] == v)
    )
    assert VOCABULARY.look((3, 3))[0] == "fails"


def test_where_one_hot_polynomials_have_three_rows():
    for length, letters, degree in ONE_HOT.list_cases():
        wanted = "fails" if min(length, letters) >= 3 and degree >= 2 else "holds"
        assert ONE_HOT.look((length, letters, degree))[0] == wanted
    assert verify("lavie2024.one-hot").certificate.case == (3, 3, 2)
