"""young.*: the identities again, from definitions and published tables."""

from collections import Counter
from itertools import permutations, product
from math import factorial, prod

import pytest

from symbench.papers import textbook
from symbench.papers._symmetric_groups import (
    character_by_bins,
    of_cycle_type,
    partitions_of,
)
from symbench.papers._symmetric_groups import class_size as counted
from symbench.registry import claims, hunt
from symbench.young import Partition, Permutation, Tableau
from tests.young.oracles import (
    all_partitions,
    class_size,
    cycle_type,
    frobenius_characters,
    grows,
    longest_union,
    specht_matrix,
    standard,
)

SQUARES = claims["young.dimension-squares"]
HOOKS = claims["young.hook-length"]
ORTHOGONALITY = claims["young.orthogonality"]
RULE = claims["young.murnaghan-nakayama"]
BRANCHING = claims["young.branching"]
RSK = claims["young.rsk"]
MODULES = [
    claims[f"young.{slug}"]
    for slug in (
        "schur-weyl", "young-rule", "littlewood-richardson", "kronecker", "jucys-murphy",
        "projectors", "johnson",
    )
]  # fmt: skip
ALL = [SQUARES, HOOKS, ORTHOGONALITY, RULE, BRANCHING, RSK, *MODULES]

PARTITIONS = [1, 1, 2, 3, 5, 7, 11, 15, 22, 30]  # OEIS A000041
INVOLUTIONS = [1, 1, 2, 4, 10, 26, 76]  # OEIS A000085: the sum of the dimensions
CATALAN = [1, 1, 2, 5, 14, 42, 132]  # OEIS A000108: permutations without a fall of three
# The character table of S_4 as printed in the textbooks: columns 1^4, 2 1^2, 2^2, 3 1, 4.
S4 = {
    (4,): (1, 1, 1, 1, 1),
    (3, 1): (3, 1, -1, 0, -1),
    (2, 2): (2, 0, 2, -1, 0),
    (2, 1, 1): (3, -1, -1, 0, 1),
    (1, 1, 1, 1): (1, -1, 1, 1, -1),
}
CLASSES = ((1, 1, 1, 1), (2, 1, 1), (2, 2), (3, 1), (4,))


@pytest.mark.parametrize("claim", ALL, ids=lambda c: c.id)
def test_near_misses_fail_and_the_boundary_holds(claim):
    for miss in claim.near_misses:
        assert claim.look(miss.case, miss)[0] == "fails"
    assert claim.look(claim.boundary) == ("holds", "")
    assert claim.boundary in list(claim.list_cases())


@pytest.mark.parametrize("claim", ALL, ids=lambda c: c.id)
def test_no_counterexample_further_on(claim):
    assert hunt(claim.id, max_examples=8) is None


def test_characters_and_classes_of_the_second_road():
    for n in range(7):
        assert set(partitions_of(n)) == set(all_partitions(n))
        table = frobenius_characters(n) if n else {}
        for mu, row in table.items():
            assert counted(mu) == class_size(mu)
            assert row == {shape: character_by_bins(shape, mu) for shape in row}


# --- dimensions ---------------------------------------------------------------------------------
def test_dimensions_by_listing_fillings():
    for n in range(7):
        dims = {shape: len(standard(shape)) if shape else 1 for shape in all_partitions(n)}
        assert len(dims) == PARTITIONS[n]
        assert sum(d * d for d in dims.values()) == factorial(n)
        assert sum(dims.values()) == INVOLUTIONS[n]
        assert sum(d * d for shape, d in dims.items() if len(shape) <= 2) == CATALAN[n]
        assert SQUARES.look(n) == ("holds", "")


def test_the_cases_of_shapes():
    assert len(list(HOOKS.list_cases())) == sum(PARTITIONS[1:9])
    assert set(HOOKS.list_cases(max_size=5)) == {p for n in range(1, 6) for p in all_partitions(n)}
    assert set(BRANCHING.list_cases(max_size=4)) == {
        p for n in range(2, 5) for p in all_partitions(n)
    }
    assert len(list(RULE.list_cases())) == sum(k * k for k in PARTITIONS[1:6])


def hook(shape, i, j):
    arm = shape[i] - j - 1
    leg = sum(part > j for part in shape[i + 1 :])
    return arm + leg + 1


def test_hooks_cell_by_cell():
    for n in range(1, 7):
        for shape in all_partitions(n):
            hooks = prod(hook(shape, i, j) for i, part in enumerate(shape) for j in range(part))
            assert len(standard(shape)) * hooks == factorial(n)
            assert HOOKS.look(shape) == ("holds", "")
    assert len(standard((2, 2), (1,))) == 2  # the skew near-miss: 3!/(2 * 2 * 1) is no integer


@pytest.mark.parametrize("broken", ["missing", "repeated", "not standard"])
def test_a_wrong_list_is_noticed(monkeypatch, broken):
    true = textbook.StandardTableaux

    def wrong(shape, *, inner):
        found = list(true(shape, inner=inner))
        if broken == "missing":
            return found[1:]
        last = found[0] if broken == "repeated" else Tableau([[1, 2], [4, 3]])
        return [*found[:-1], last]

    monkeypatch.setattr(textbook, "StandardTableaux", wrong)
    assert HOOKS.look((2, 2))[0] == "fails"


# --- characters ---------------------------------------------------------------------------------
def test_the_published_table():
    table = frobenius_characters(4)
    for shape, values in S4.items():
        for mu, value in zip(CLASSES, values, strict=True):
            assert table[mu][shape] == value
            assert textbook._recursion(Partition(*shape), mu) == value
            assert RULE.look((shape, mu)) == ("holds", "")


def test_orthogonality_by_frobenius():
    for n in range(1, 6):
        table, shapes = frobenius_characters(n), all_partitions(n)
        for a, b in product(shapes, repeat=2):
            rows = sum(class_size(mu) * table[mu][a] * table[mu][b] for mu in shapes)
            columns = sum(table[a][shape] * table[b][shape] for shape in shapes)
            assert rows == (factorial(n) if a == b else 0)
            assert columns == (factorial(n) // class_size(a) if a == b else 0)
        certificate = ORTHOGONALITY.run(n)
        assert certificate.kind == "nonsingular"
        entries = sorted(x for row in certificate.subject.rows for x in row)
        assert entries == sorted(table[mu][shape] for mu in shapes for shape in shapes)


def test_a_wrong_table_is_noticed(monkeypatch):
    class Wrong:
        def __init__(self, n):
            self.values = CharacterTable(n).values.copy()
            self.values[0, 1] += 1

    CharacterTable = textbook.CharacterTable
    monkeypatch.setattr(textbook, "CharacterTable", Wrong)
    assert ORTHOGONALITY.look(3)[0] == "fails"


def test_the_rule_against_specht_polynomials():
    """Traces of the action on Specht polynomials, expanded by linear algebra."""
    for n in range(1, 5):
        for shape in all_partitions(n):
            tableaux = [Tableau([list(row) for row in rows]) for rows in sorted(standard(shape))]
            for g in permutations(range(1, n + 1)):
                matrix = specht_matrix(shape, g, tableaux)
                trace = sum(matrix[i][i] for i in range(len(tableaux)))
                assert textbook._recursion(Partition(*shape), cycle_type(g)) == trace


def test_a_permutation_of_each_cycle_type():
    for n in range(1, 7):
        for mu in all_partitions(n):
            assert cycle_type(tuple(a + 1 for a in of_cycle_type(mu))) == mu


# --- branching ----------------------------------------------------------------------------------
def without_corner(shape):
    for i, part in enumerate(shape):
        if i + 1 == len(shape) or shape[i + 1] < part:
            yield tuple(p for p in (*shape[:i], part - 1, *shape[i + 1 :]) if p)


def test_branching_by_frobenius():
    for n in range(2, 6):
        large, small = frobenius_characters(n), frobenius_characters(n - 1)
        for shape in all_partitions(n):
            for mu in all_partitions(n - 1):
                below = sum(small[mu][other] for other in without_corner(shape))
                assert large[tuple(sorted((*mu, 1), reverse=True))][shape] == below
            assert BRANCHING.look(shape) == ("holds", "")


@pytest.mark.parametrize("broken", ["mixed", "another block"])
def test_matrices_that_do_not_branch_are_noticed(monkeypatch, broken):
    true = textbook.Representation

    def wrong(shape):
        # The natural matrices have the right characters, and no blocks.
        if broken == "mixed" or shape.size < 4:
            return true(shape, form="natural")
        return true(shape)

    monkeypatch.setattr(textbook, "Representation", wrong)
    assert BRANCHING.look((3, 1))[0] == "fails"


# --- insertion ----------------------------------------------------------------------------------
def test_the_number_of_pairs_by_listing():
    for n in range(1, 5):
        pairs = sum(len(standard(shape)) ** 2 for shape in all_partitions(n))
        assert pairs == factorial(n)
        assert RSK.look((n, 0)) == ("holds", "")


def test_schensted_by_all_subsequences():
    for word in product((1, 2, 3), repeat=4):
        assert textbook._longest_increasing(word) == longest_union(word, 1)


def test_the_textbook_example():
    """Sagan's permutation 4 2 3 6 5 1 7, with its two tableaux."""
    p, q = textbook.rsk(Permutation(4, 2, 3, 6, 5, 1, 7))
    assert p.rows == ((1, 3, 5, 7), (2, 6), (4,))
    assert q.rows == ((1, 3, 4, 7), (2, 5), (6,))
    assert grows(p.rows)


@pytest.mark.parametrize("broken", ["swapped", "constant", "strict"])
def test_a_wrong_insertion_is_noticed(monkeypatch, broken):
    true, inverse = textbook.rsk, textbook.rsk_inverse
    first = true((1, 2, 1))

    def wrong(word):
        if broken == "constant":
            return first
        if broken == "swapped":
            return true(word)[::-1]
        return true(tuple(reversed(word.images if isinstance(word, Permutation) else word)))

    monkeypatch.setattr(textbook, "rsk", wrong)
    if broken == "strict":  # an inverse that fits it: words come back, Schensted fails
        monkeypatch.setattr(textbook, "rsk_inverse", lambda p, q: inverse(p, q)[::-1])
    assert RSK.look((3, 2))[0] == "fails"


def test_words_are_all_there():
    assert Counter(len(list(textbook._words(3, v))) for v in range(4)) == {6: 1, 1: 1, 8: 1, 27: 1}
