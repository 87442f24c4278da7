"""boix2024.remark-I.6 by real strings: fresh tokens substituted, one-hot, multiplied out."""

from fractions import Fraction
from itertools import count, permutations, product
from math import comb, prod
from random import Random

import pytest

from symbench.registry import claims

CLAIM = claims["boix2024.remark-I.6"]
GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
BELL = [1, 1, 2, 5, 15, 52]  # OEIS A000110


def texts(case):
    return ["".join(getattr(t, "letters", t)) for t in case]


def one_hot(string, alphabet):
    return [[int(token == letter) for letter in alphabet] for token in string]


def overlaps(templates):
    """<x, y> for strings x, y that match with tokens that occur nowhere else."""
    fresh = count()
    rows = []
    for z in templates:
        row = []
        for w in templates:
            first, second = ({c: f"t{next(fresh)}" for c in GREEK} for _ in "xy")
            x = [first.get(c, c) for c in z]
            y = [second.get(c, c) for c in w]
            alphabet = sorted({*x, *y})
            pairs = zip(one_hot(x, alphabet), one_hot(y, alphabet), strict=True)
            row.append(sum(a * b for u, v in pairs for a, b in zip(u, v, strict=True)))
        rows.append(row)
    return rows


def det(rows):
    """Over the rationals, by elimination."""
    rows = [[Fraction(x) for x in row] for row in rows]
    value = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            value = -value
        value *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return value


def generic_det(table):
    """det [kappa_(overlap)] for kappa chosen at random: zero or not, whatever the kernel."""
    random = Random(1)
    kappa = [random.randrange(1, 10**9) for _ in range(9)]
    return det([[kappa[n] for n in row] for row in table])


def test_the_elimination_against_leibniz():
    random = Random(2)
    for _ in range(20):
        m = [[random.randrange(-3, 4) for _ in range(4)] for _ in range(4)]
        total = 0
        for p in permutations(range(4)):
            turns = sum(p[i] > p[j] for i in range(4) for j in range(i + 1, 4))
            total += (-1) ** turns * prod(m[i][p[i]] for i in range(4))
        assert det(m) == total


def patterns(length):
    """Partitions of the positions, as strings in which letters come in order: by brute force."""
    found = set()
    for word in product(GREEK[:length], repeat=length):
        names = {}
        found.add("".join(names.setdefault(c, GREEK[len(names)]) for c in word))
    return found


def pattern(text):
    names = {}
    return "".join(names.setdefault(c, GREEK[len(names)]) for c in text)


def test_the_cases_are_all_there():
    cases = [texts(case) for case in CLAIM.list_cases()]
    wanted = [frozenset(patterns(n)) for n in (2, 3, 4)]
    assert [len(w) for w in wanted] == BELL[2:5]
    sets = [frozenset(map(pattern, case)) for case in cases]
    assert all(len(s) == len(case) for s, case in zip(sets, cases, strict=True))
    assert len(set(sets)) == len(sets) == sum(comb(b, 2) + (b > 2) for b in BELL[2:5]) == 118
    for whole in wanted:
        assert sum(len(s) == 2 and s <= whole for s in sets) == comb(len(whole), 2)
        assert whole in sets


def test_every_case_is_singular_for_any_kernel():
    for case in CLAIM.list_cases():
        table = overlaps(texts(case))
        assert {n for row in table for n in row} == {0}
        assert generic_det(table) == 0
        assert CLAIM.look(case) == ("holds", "")


def test_the_certificate_annihilates_the_matrix_of_ones():
    for case in CLAIM.list_cases(max_length=3):
        certificate = CLAIM.run(case)
        assert certificate.kind == "singular"
        rows = certificate.subject.rows
        assert all(x == rows[0][0] for row in rows for x in row)
        vector = certificate.vector
        zero = certificate.subject.ring.coerce(0)
        assert sum(vector, zero) == zero
        assert any(x != zero for x in vector)


@pytest.mark.parametrize("number", range(3))
def test_near_misses(number):
    case = CLAIM.near_misses[number].case
    table = overlaps(texts(case))
    constant = {n for row in table for n in row} == {0}
    assert not (constant and generic_det(table) == 0)
    wanted = [[[1, 0], [0, 1]], [[0]], [[1, 1], [1, 1]]][number]
    assert table == wanted
    assert CLAIM.look(case, CLAIM.near_misses[number])[0] == "fails"


def test_the_single_template_is_nonsingular():
    assert generic_det(overlaps(["αα"])) != 0
