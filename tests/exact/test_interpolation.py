"""Determinants of polynomials and images of rationals, against arithmetic entry by entry."""

import random
from fractions import Fraction

import pytest

from symbench.errors import NotInRing
from symbench.exact import QQ, Matrix
from symbench.exact.interpolation import _integer_determinant


def by_elimination(rows):
    rows, det = [[Fraction(x) for x in row] for row in rows], Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot], det = rows[pivot], rows[k], -det
        det *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return det


@pytest.mark.parametrize("size", [1, 19, 20, 24, 25])
@pytest.mark.parametrize("bits", [10, 5000])
def test_integer_determinants_on_both_sides_of_the_padding(size, bits):
    chance = random.Random(size)
    rows = [[chance.getrandbits(bits) - (1 << bits - 1) for _ in range(size)] for _ in range(size)]
    if bits > 4000 and size > 1:  # long entries, few of them: elimination in fractions is slow
        rows = [[x if abs(i - j) < 2 else 0 for j, x in enumerate(r)] for i, r in enumerate(rows)]
    assert _integer_determinant(size, [x for row in rows for x in row]) == by_elimination(rows)


@pytest.mark.parametrize("size", [19, 20, 24])
def test_determinants_in_two_variables(size):
    chance, ring = random.Random(1), QQ["x", "y"]
    x, y = ring.gens
    table = [
        [tuple(chance.randint(-3, 3) for _ in range(3)) for _ in range(size)] for _ in range(size)
    ]
    det = Matrix([[a + b * x + c * y for a, b, c in row] for row in table], ring).det()
    for s, t in [(0, 0), (1, -1), (2, 5)]:
        at = sum(int(c) * s ** int(i) * t ** int(j) for (i, j), c in det.to_dict().items())
        assert at == by_elimination([[a + b * s + c * t for a, b, c in row] for row in table])


@pytest.mark.parametrize("prime", [2, 7, 2**61 - 1])
def test_rationals_modulo_a_prime_entry_by_entry(prime):
    chance = random.Random(prime)
    below = [n for n in range(1, 60) if n % prime]
    rows = [
        [Fraction(chance.randint(-99, 99), chance.choice(below)) for _ in range(6)]
        for _ in range(5)
    ]
    image = Matrix(rows, QQ).reduce(prime, {})
    for row, residues in zip(rows, image.rows, strict=True):
        for x, residue in zip(row, residues, strict=True):
            assert (x.denominator * int(residue) - x.numerator) % prime == 0
            assert 0 <= int(residue) < prime
    with pytest.raises(NotInRing, match=f"1/{3 * prime} has no image modulo {prime}"):
        Matrix([[1, Fraction(1, 3 * prime)]], QQ).reduce(prime, {})
