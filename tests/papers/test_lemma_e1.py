"""boix2024.lemma-E.1 by the Leibniz formula on dictionaries exponent -> coefficient."""

from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.exact import Matrix, exponential_matrix
from symbench.registry import claims

CLAIM = claims["boix2024.lemma-E.1"]


def sign(p):
    return (-1) ** sum(p[i] > p[j] for i in range(len(p)) for j in range(i + 1, len(p)))


def leibniz(rows):
    """det [q^C] as {exponent: coefficient}, zeros left out."""
    terms = Counter()
    for p in permutations(range(len(rows))):
        terms[sum(rows[i][p[i]] for i in range(len(rows)))] += sign(p)
    return {e: c for e, c in terms.items() if c}


def alone(rows):
    """Condition (22)."""
    sums = [sum(rows[i][p[i]] for i in range(len(rows))) for p in permutations(range(len(rows)))]
    return sums.count(sums[0]) == 1  # the first permutation is the identity


def squares(size, top):
    for entries in product(range(top + 1), repeat=size * size):
        yield [list(entries[i * size : (i + 1) * size]) for i in range(size)]


def ints(matrix):
    return [[int(x) for x in row] for row in matrix.rows]


def test_the_cases_are_all_there():
    wanted = [r for size, top in ((1, 1), (2, 2), (3, 1)) for r in squares(size, top) if alone(r)]
    cases = [ints(c) for c in CLAIM.list_cases()]
    assert cases == wanted
    # 2 x 2: 81 less the 1 + 4 + 9 + 4 + 1 with a + d = b + c
    assert [sum(len(c) == n for c in cases) for n in (1, 2, 3)] == [2, 81 - 19, 80]
    larger = [ints(c) for c in CLAIM.list_cases(max_two=3, max_three=0)]
    assert larger == [r for n, t in ((1, 1), (2, 3), (3, 0)) for r in squares(n, t) if alone(r)]


def test_every_case_by_leibniz():
    for case in CLAIM.list_cases():
        rows = ints(case)
        terms = leibniz(rows)
        assert terms[sum(rows[i][i] for i in range(len(rows)))] == 1
        assert CLAIM.look(case) == ("holds", "")


def test_what_the_function_says_of_all_small_matrices():
    """Hypothesis or not: it fails exactly where the determinant is zero for every phase.

    Of the 19 matrices with a tie those of rank one are left: equal rows, or equal columns.
    """
    answers = Counter()
    for rows in squares(2, 2):
        outcome = CLAIM.function(Matrix(rows))
        equal = rows[0] == rows[1] or [r[0] for r in rows] == [r[1] for r in rows]
        assert bool(outcome) == (not equal)
        answers[alone(rows), bool(outcome)] += 1
    assert answers == {(True, True): 62, (False, True): 4, (False, False): 15}
    assert [leibniz(ints(n.case)) for n in CLAIM.near_misses[:3]] == [{}, {}, {}]


def test_the_near_miss_of_a_maximum_that_is_not_unique():
    rows = ints(CLAIM.near_misses[2].case)
    sums = [sum(rows[i][p[i]] for i in range(3)) for p in permutations(range(3))]
    assert sums[0] == max(sums)
    assert sums.count(max(sums)) > 1


exponents = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=n, max_size=n)
)


@settings(max_examples=60, deadline=None)
@given(exponents)
def test_the_determinant(rows):
    determinant = exponential_matrix(Matrix(rows)).det()
    assert {int(e): int(c) for e, c in dict(determinant.terms).items()} == leibniz(rows)


@settings(max_examples=60, deadline=None)
@given(exponents.filter(alone))
def test_beyond_the_cases(rows):
    assert CLAIM.look(Matrix(rows)) == ("holds", "")
    assert leibniz(rows)[sum(rows[i][i] for i in range(len(rows)))] == 1


@pytest.mark.parametrize("bad", [Matrix([[1, 2, 3], [4, 5, 6]]), "text", None, 5])
def test_no_answer_for_what_is_no_case(bad):
    assert CLAIM.look(bad)[0] == "error"
