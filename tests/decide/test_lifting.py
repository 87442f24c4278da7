"""Short solutions of integer systems, against elimination in fractions."""

import random
from fractions import Fraction

import flint
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symbench.decide.lifting import short_solutions


def solve(core, right):
    """The solution by Gauss-Jordan elimination in fractions, or None if the matrix is singular."""
    size = len(core)
    table = [[Fraction(x) for x in (*row, *more)] for row, more in zip(core, right, strict=True)]
    for j in range(size):
        pivot = next((i for i in range(j, size) if table[i][j]), None)
        if pivot is None:
            return None
        table[j], table[pivot] = table[pivot], table[j]
        table[j] = [x / table[j][j] for x in table[j]]
        for i in range(size):
            if i != j:
                table[i] = [x - table[i][j] * y for x, y in zip(table[i], table[j], strict=True)]
    return [row[size:] for row in table]


def agree(core, right):
    """Whether Y = X C for the solution X that elimination finds, and C is nonsingular."""
    expected = solve(core, right)
    seen = []
    for columns, short, combined in short_solutions(flint.fmpz_mat(core), flint.fmpz_mat(right)):
        seen += columns
        assert combined.det() != 0
        c = [[int(x) for x in row] for row in combined.table()]
        for row, found in zip(expected, short.table(), strict=True):
            part = [row[j] for j in columns]
            product = [sum(x * y[k] for x, y in zip(part, c, strict=True)) for k in range(len(c))]
            assert product == [int(x) for x in found]
    assert seen == list(range(len(right[0])))
    return True


entries = st.one_of(st.integers(-2, 2), st.integers(-(10**30), 10**30))


@given(st.data(), st.integers(1, 6), st.integers(1, 8))
def test_against_elimination(data, size, count):
    rows = st.lists(entries, min_size=size + count, max_size=size + count)
    table = data.draw(st.lists(rows, min_size=size, max_size=size))
    core, right = [row[:size] for row in table], [row[size:] for row in table]
    assume(solve(core, right) is not None)
    assert agree(core, right)


@pytest.mark.parametrize("count", [1, 2, 5, 7, 13])
def test_every_row_has_a_denominator_of_its_own(count):
    primes = [2, 3, 5, 7, 11, 13, 10**9 + 7, 2**61 - 1, 2**89 - 1]
    core = [[p if i == j else 0 for j in range(len(primes))] for i, p in enumerate(primes)]
    right = [[i**j + 1 for j in range(count)] for i in range(len(primes))]
    assert agree(core, right)


def test_a_matrix_that_the_largest_primes_divide():
    """The determinant vanishes modulo the first primes that are tried."""
    first, second = 2**63 - 25, 2**63 - 165
    assert agree([[first, 1], [0, second]], [[1, 0], [0, 1]])


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (1, 1, -1, -1), (1, -1, 1, 0, 0)], ids=str)
def test_rows_that_cancel_in_combinations(signs):
    """Combinations of rows may vanish where the rows themselves are long."""
    core = [[int(i == j) for j in range(len(signs))] for i in range(len(signs))]
    assert agree(core, [[sign * 10**60] for sign in signs])
    assert agree(core, [[sign * 10**60, sign * 3**200 + 1] for sign in signs])


def test_short_answers_of_large_matrices_stay_short():
    """A null vector of small numbers is found, however large the entries are."""
    core = [
        [(7 * i * i + j**i + 3 * i * j) % 10**20 + (i == j) for j in range(30)] for i in range(30)
    ]
    right = [[sum(row[:10]), sum(row[10:]) - row[3]] for row in core]
    ((_, short, combined),) = short_solutions(flint.fmpz_mat(core), flint.fmpz_mat(right))
    assert all(abs(int(x)) <= 1 for matrix in (short, combined) for x in matrix.entries())
    assert agree(core, right)


@pytest.mark.parametrize("count", [1, 3])
def test_determinants_far_beyond_the_entries(count):
    """Of signs alone the determinant has many digits: the bound has all entries of a row."""
    stream = random.Random(1)
    table = [stream.choices((-1, 1), k=32 + count) for _ in range(32)]
    core = [row[:32] for row in table]
    assert abs(flint.fmpz_mat(core).det()) > 2**40
    assert agree(core, [row[32:] for row in table])
