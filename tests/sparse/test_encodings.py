"""Encodings against the inner products of their vectors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import symbench as sb
from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge

sparse = sb.sparse

ALL = {
    "hadamard(1)": (8, 4, Fraction(1, 2)),
    "hadamard(2)": (32, 16, Fraction(1, 4)),
    "unbiased(1)": (12, 4, Fraction(1, 2)),
    "unbiased(2)": (144, 16, Fraction(1, 4)),
    "equiangular(28)": (28, 7, Fraction(1, 3)),
    "equiangular(276)": (276, 23, Fraction(1, 5)),
    "flipped_simplex(3)": (6, 5, Fraction(1, 5)),
    "orthonormal(5)": (5, 5, Fraction(0)),
    "random_signs(20, 32, seed=5)": (20, 32, None),
}


def gram(encoding):
    rows = [encoding.column(a).tolist() for a in range(1, encoding.length + 1)]
    return [[Fraction(x, encoding.norm) for x in row] for row in rows]


@pytest.mark.parametrize("name", ALL)
def test_products_make_a_gram_matrix(name):
    encoding = eval(f"sparse.{name}")
    length, dimension, coherence = ALL[name]
    G = gram(encoding)
    assert repr(encoding).startswith(name)
    assert (encoding.length, encoding.dimension) == (length, dimension)
    assert all(G[i][i] == 1 and G[i] == [row[i] for row in G] for i in range(length))
    largest = max(abs(x) for i, row in enumerate(G) for j, x in enumerate(row) if i != j)
    assert encoding.coherence == largest == (largest if coherence is None else coherence)
    floats = np.array(G, dtype=float)
    eigenvalues = np.linalg.eigvalsh(floats)
    assert eigenvalues[0] > -1e-9
    assert sum(eigenvalues > 1e-9) == min(dimension, length)
    inside, outside = encoding.classes((2, 4))
    assert inside == [[G[1][1], G[1][3]], [G[3][1], G[3][3]]]
    rest = sorted([row[1], row[3]] for i, row in enumerate(G) if i not in (1, 3))
    assert sorted(row for row, count in outside for _ in range(count)) == rest


def test_lines_have_one_angle():
    for encoding in (sparse.equiangular(28), sparse.equiangular(276)):
        G = gram(encoding)
        off = {abs(x) for i, row in enumerate(G) for x in row[:i]}
        assert off == {encoding.coherence}


def test_vectors_are_those_of_the_products():
    for encoding in (sparse.unbiased(2), sparse.equiangular(276), sparse.flipped_simplex(4)):
        rows = encoding.vectors
        assert (rows @ rows.T).tolist() == [
            [x * encoding.norm for x in row] for row in gram(encoding)
        ]
    assert sparse.unbiased(3).coherence == Fraction(1, 8)


def test_many_positions():
    encoding = sparse.hadamard(9)
    inside, outside = encoding.classes((1, 4**9 + 1))
    small = Fraction(1, 2**9)
    assert inside == [[1, small], [small, 1]]
    assert sorted(outside) == [([0, small], 4**9 - 1), ([small, 0], 4**9 - 1)]
    assert sparse.orthonormal(10**9).classes((7,)) == ([[1]], [([0], 10**9 - 1)])


def test_what_cannot_be_told_apart():
    for s in range(2, 7):
        found = sparse.inseparable(sparse.flipped_simplex(s), range(1, s + 1))
        assert found.alpha == dict.fromkeys(range(1, s + 1), Fraction(1, s))
        assert found.beta == dict.fromkeys(range(s + 1, 2 * s + 1), Fraction(1, s))
    lines = sparse.equiangular(28)
    # {1, 2} and {3, 4} against {1, 3} and {2, 4}: critical, for s = 2
    found = sparse.inseparable(lines, (1, 14))
    assert found is not None
    assert found.check(lines)
    assert sparse.inseparable(lines, (1, 2)) is None
    assert sparse.inseparable(sparse.orthonormal(4), (1, 2)) is None
    assert sparse.inseparable(sparse.hadamard(1), range(1, 9)) is None


def test_a_forged_reason_does_not_check():
    encoding = sparse.flipped_simplex(2)
    half = sb.rings.Rational(1, 2)
    for alpha, beta in (
        ({1: half, 2: half}, {3: half, 4: -half}),
        ({1: half, 2: half}, {3: half, 2: half}),
        ({1: 2 * half}, {3: 2 * half}),
        ({1: half, 2: half}, {3: half}),
        ({1: half}, {3: half, 4: half}),
        ({1: half, 9: half}, {3: half, 4: half}),
    ):
        assert not sparse.Inseparable(alpha, beta).check(encoding)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: sparse.from_vectors([[1, 1]]), BadValue),
        (lambda: sparse.from_vectors([[0.6, 0.8]]), NotExact),
        (lambda: sparse.from_vectors([[1, 0], [1]]), BadShape),
        (lambda: sparse.from_vectors([]), BadShape),
        (lambda: sparse.from_vectors("ab"), BadType),
        (lambda: sparse.equiangular(27), BadValue),
        (lambda: sparse.hadamard(0), BadValue),
        (lambda: sparse.hadamard(12), BadValue),
        (lambda: sparse.unbiased(4), BadValue),
        (lambda: sparse.orthonormal(0), BadValue),
        (lambda: sparse.random_signs(10**5, 8, seed=1), TooLarge),
        (lambda: sparse.orthonormal(10**9).column(1), TooLarge),
        (lambda: sparse.orthonormal(4).product(1, 5), BadShape),
        (lambda: sparse.orthonormal(4).classes((1, 1)), BadShape),
        (lambda: sparse.inseparable("x", (1,)), BadType),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(SymbenchError) as caught:
        call()
    assert type(caught.value) is error
