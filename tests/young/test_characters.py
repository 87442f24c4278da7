import itertools
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, TooLarge
from symbench.young import CharacterTable, ClassFunction, Partition, character, partitions
from symbench.young.characters import exact_product
from tests.young import oracles


@pytest.mark.parametrize("n", range(7))
def test_table_and_values_by_frobenius(n):
    """The coefficients of Vandermonde times power sums: no rim hooks anywhere."""
    expected = oracles.frobenius_characters(n)
    table = CharacterTable(n)
    for lam, mu in itertools.product(oracles.all_partitions(n), repeat=2):
        value = expected[mu][lam]
        assert character(Partition(lam), Partition(mu)) == value
        assert table[Partition(lam), Partition(mu)] == value
        assert Partition(lam).character(mu) == value


def test_convention_trivial_and_sign():
    for n in range(1, 7):
        for mu in partitions(n):
            assert Partition(n).character(mu) == 1
            assert Partition(*[1] * n).character(mu) == mu.sign


def test_published_tables():
    # S_4 and S_5 as in Sagan and in James-Kerber; columns in the order of partitions(n)
    assert CharacterTable(4).values.tolist() == [
        [1, 1, 1, 1, 1],
        [-1, 0, -1, 1, 3],
        [0, -1, 2, 0, 2],
        [1, 0, -1, -1, 3],
        [-1, 1, 1, -1, 1],
    ]
    assert CharacterTable(5).row("3+1+1") == (1, 0, 0, 0, -2, 0, 6)
    assert CharacterTable(6).row("3+2+1") == (0, 1, 0, 0, -2, 0, -2, 0, 0, 0, 16)


@pytest.mark.parametrize("n", [8, 11])
def test_columns_sums_count_square_roots(n):
    """The sum of all irreducible characters at g is the number of h with h h = g."""
    roots: dict[Partition, int] = {}
    for mu in partitions(n):
        square = []
        for part in mu.parts:
            square += [part] if part % 2 else [part // 2] * 2
        key = Partition(sorted(square, reverse=True))
        roots[key] = roots.get(key, 0) + mu.class_size
    sums = CharacterTable(n).values.sum(axis=0).tolist()
    for mu, total in zip(partitions(n), sums, strict=True):
        assert total * mu.class_size == roots.get(mu, 0)


@pytest.mark.parametrize("n", [0, 1, 2, 9, 12, 17])
def test_orthogonality_and_columns(n):
    table = CharacterTable(n)
    assert table.is_orthogonal()
    values = table.values.astype(object)
    gram = values.T.dot(values)
    expected = np.diag([mu.centralizer_order for mu in partitions(n)])
    assert (gram == expected).all()
    assert sum(table.class_sizes) == factorial(n)


@oracles.law(st.integers(0, 10**6), st.integers(0, 10**6), examples=60)
def test_single_values_agree_with_the_table(i, j):
    ps = partitions(17)
    lam, mu = ps[i % ps.count], ps[j % ps.count]
    assert character(lam, mu) == _table17()[lam, mu]


def _table17():
    return CharacterTable(17)


@oracles.law(st.integers(0, 10**6), st.integers(1, 6), examples=40)
def test_equal_parts_against_the_plain_rule(i, part):
    """The closed form for (k, ..., k) against removing one strip after the other."""
    ps = partitions(12)
    lam = ps[i % ps.count]
    mu = Partition(*[part] * (12 // part), *[1] * (12 % part))
    assert character(lam, mu) == _plain(lam, mu.parts)


def _plain(lam, mu):
    if not mu:
        return 1
    return sum((-1) ** h * _plain(rest, mu[1:]) for rest, h in lam.border_strips(mu[0]))


def test_large_values():
    n = 60
    hook = Partition(n - 3, 1, 1, 1)
    # exterior powers of the reflection representation: coefficients of prod (1 - (-t)^m) / (1 + t)
    mu = Partition(20, 15, 10, 6, 4, 2, 1, 1, 1)
    series = [1, 0, 0, 0]
    for part in mu.parts:
        for k in range(3, part - 1, -1):
            series[k] -= (-1) ** part * series[k - part]
    wedge = sum((-1) ** (3 - k) * series[k] for k in range(4))
    assert hook.character(mu) == wedge
    assert character(Partition(500_000, 500_000), Partition(*[1] * 10**6)).bit_length() > 900_000
    # near rectangles at involutions: orthogonality over two classes of S_60 cannot be listed, so
    # compare with the sign twist instead
    lam, mu = Partition(15, 13, 10, 8, 6, 4, 2, 2), Partition(4, 4, 4, 3, 3, *[2] * 16, *[1] * 10)
    assert lam.conjugate.character(mu) == mu.sign * lam.character(mu)


def test_class_functions():
    fixed = ClassFunction.of(5, lambda mu: mu.parts.count(1))
    assert fixed.decompose() == {Partition(5): 1, Partition(4, 1): 1}
    assert eval(repr(fixed)) == fixed
    regular = ClassFunction(5, [0] * 6 + [120])
    assert regular.decompose() == {p: p.dim for p in partitions(5)}
    assert (regular - fixed).decompose()[Partition(4, 1)] == 3
    assert (fixed - regular).decompose()[Partition(1, 1, 1, 1, 1)] == -1
    assert (2 * fixed).values == (fixed + fixed).values == (fixed * 2).values
    half = fixed * Fraction(1, 2)
    assert half.inner(fixed) == Fraction(2, 2) == 1
    assert half.inner(half) == Fraction(1, 2)
    with pytest.raises(BadValue, match="1/2 times"):
        half.decompose()


@oracles.law(oracles.shapes(min_size=1, max_size=7))
def test_branching(shape):
    chi = ClassFunction.irreducible(shape)
    assert chi.restrict().decompose() == dict.fromkeys(
        sorted(shape.down(), key=lambda p: p.parts, reverse=True), 1
    )
    assert chi.induce().decompose() == dict.fromkeys(shape.up(), 1)


def test_frobenius_reciprocity():
    for small, large in itertools.product(partitions(4), partitions(5)):
        a, b = ClassFunction.irreducible(small), ClassFunction.irreducible(large)
        assert a.induce().inner(b) == a.inner(b.restrict())


@oracles.law(
    st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3), max_size=4),
    st.lists(st.integers(-(10**40), 10**40), min_size=3, max_size=3),
)
def test_exact_product(rows, vector):
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 3)
    expected = [sum(a * b for a, b in zip(row, vector, strict=True)) for row in rows]
    assert exact_product(table, vector) == expected


def test_table_of_s20_spot_checks():
    table = CharacterTable(20)
    assert table.values.shape == (627, 627)
    assert table[Partition(10, 10), Partition(*[1] * 20)] == comb(20, 10) // 11
    assert (
        table["11+9", "11+9"]
        == Partition(11, 9).character("11+9")
        == _plain(Partition(11, 9), (11, 9))
    )
    assert "627 rows" in str(table)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: character(Partition(3), Partition(2)), BadValue),
        (lambda: character(None, Partition(2)), BadType),
        (lambda: character(Partition(2), 2), BadType),
        (lambda: CharacterTable(-1), BadValue),
        (lambda: CharacterTable(2.0), NotExact),
        (lambda: CharacterTable(60).values, TooLarge),
        (lambda: CharacterTable(3)["3"], BadType),
        (lambda: CharacterTable(3)["3", "4"], BadValue),
        (lambda: CharacterTable(3).row(None), BadType),
        (lambda: ClassFunction(3, [1, 2]), BadShape),
        (lambda: ClassFunction(3, [1, 2, 0.5]), NotExact),
        (lambda: ClassFunction(3, None), BadType),
        (lambda: ClassFunction.of(3, 7), BadType),
        (lambda: ClassFunction(0, [1]).restrict(), BadValue),
        (lambda: ClassFunction(1, [1]) + ClassFunction(0, [1]), BadValue),
        (lambda: ClassFunction(1, [1]) + 1, BadType),
        (lambda: ClassFunction(1, [1]) * 0.5, NotExact),
        (lambda: ClassFunction(1, [1]).inner(None), BadType),
        (lambda: ClassFunction(1, [1])(Partition(2)), BadValue),
        (lambda: ClassFunction.irreducible("x"), BadValue),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_too_large_says_what_to_ask():
    with pytest.raises(TooLarge, match=r"966467 x 966467 entries .*ask for columns"):
        _ = CharacterTable(60).values
    with pytest.raises(TooLarge, match="give at most n = 63"):
        CharacterTable(64).column([64])


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9, 14])
def test_columns_are_those_of_the_table(n):
    table = CharacterTable(n)
    for mu, column in zip(partitions(n), table.values.T.tolist(), strict=True):
        assert table.column(mu) == tuple(column)


@settings(max_examples=15)
@given(st.integers(15, 38), st.randoms(use_true_random=False))
def test_columns_beyond_the_table(n, stream):
    # Against single values, and the order of the centralizer; many ones make large numbers.
    size = stream.randint(2, n)
    mu = [*partitions(size).random(seed=stream.randrange(99)).parts, *[1] * (n - size)]
    mu = Partition(sorted(mu, reverse=True))
    column = CharacterTable(n).column(mu)
    assert sum(x * x for x in column) == mu.centralizer_order
    for _ in range(5):
        place = stream.randrange(len(column))
        assert column[place] == character(partitions(n)[place], mu)


@pytest.mark.parametrize("twos", [0, 1, 2])
def test_columns_of_numbers_beyond_a_word(twos):
    mu = Partition(*[2] * twos, *[1] * (38 - 2 * twos))
    column = CharacterTable(38).column(mu)
    assert sum(x * x for x in column) == mu.centralizer_order
    largest = max(range(len(column)), key=column.__getitem__)
    assert column[largest] == character(partitions(38)[largest], mu) > 2 ** (66 - 5 * twos)
