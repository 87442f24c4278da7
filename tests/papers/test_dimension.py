"""lavie2024.dimension: the tableaux are listed one by one."""

from collections import Counter
from itertools import pairwise, permutations
from math import comb

import pytest

from symbench.registry import claims

CLAIM = claims["lavie2024.dimension"]


def tableaux(first, second):
    """Standard tableaux of two rows: each number goes to the end of a row, rows stay a shape."""
    if first < second:
        return
    stack = [((), ())]
    while stack:
        top, bottom = stack.pop()
        n = len(top) + len(bottom)
        if n == first + second:
            yield top, bottom
            continue
        if len(top) < first:
            stack.append(((*top, n + 1), bottom))
        if len(bottom) < second and len(bottom) < len(top):
            stack.append((top, (*bottom, n + 1)))


def is_standard(top, bottom):
    rows = all(a < b for row in (top, bottom) for a, b in pairwise(row))
    return rows and all(a < b for a, b in zip(top, bottom, strict=False))


def test_the_list_is_right():
    """Against all fillings of a small shape."""
    for first, second in ((2, 1), (2, 2), (3, 2), (3, 3)):
        fillings = permutations(range(1, first + second + 1))
        wanted = {(p[:first], p[first:]) for p in fillings if is_standard(p[:first], p[first:])}
        listed = list(tableaux(first, second))
        assert len(listed) == len(set(listed))
        assert set(listed) == wanted


def test_the_cases_are_all_there():
    cases = list(CLAIM.list_cases())
    wanted = {(n, m) for n in range(1, 25) for m in range(25) if 2 * m <= n}
    assert len(cases) == len(wanted) == sum(n // 2 + 1 for n in range(1, 25)) == 168
    assert set(cases) == wanted


def test_up_to_length_twelve():
    for length in range(1, 13):
        for m in range(length // 2 + 1):
            listed = sum(1 for _ in tableaux(length - m, m))
            assert listed == comb(length, m) - (comb(length, m - 1) if m else 0)
            assert CLAIM.look((length, m)) == ("holds", "")


@pytest.mark.parametrize("m", range(1, 9))
def test_squares_are_catalan_numbers(m):
    catalan = [1, 1, 2, 5, 14, 42, 132, 429, 1430]  # OEIS A000108
    assert sum(1 for _ in tableaux(m, m)) == catalan[m]
    assert comb(2 * m, m) - comb(2 * m, m - 1) == catalan[m]


def test_the_row_of_the_catalan_triangle():
    row = [1, 7, 20, 28, 14]  # OEIS A008315, n = 8: C(8, m) - C(8, m - 1)
    assert [sum(1 for _ in tableaux(8 - m, m)) for m in range(5)] == row


def test_the_dimensions_of_two_rows_squared():
    """Permutations without a descending run of three: Catalan again (Robinson-Schensted)."""
    for n, wanted in ((4, 14), (5, 42), (6, 132)):
        sizes = Counter(m for m in range(n // 2 + 1) for _ in tableaux(n - m, m))
        assert sum(k * k for k in sizes.values()) == wanted


def test_near_misses():
    bare, third = CLAIM.near_misses
    assert sum(1 for _ in tableaux(1, 1)) != comb(2, 1)
    assert CLAIM.look(bare.case, bare)[0] == "fails"
    # Six tableaux of shape (3, 1, 1), by the two numbers below 1 in the first column.
    assert "6 tableaux" in CLAIM.look(third.case, third)[1]
