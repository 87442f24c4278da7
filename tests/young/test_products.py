import itertools
from math import comb

import pytest
from hypothesis import strategies as st

from symbench.errors import BadType, BadValue, NotExact, TooLarge
from symbench.young import (
    CharacterTable,
    Partition,
    kostka,
    kostka_table,
    kronecker,
    kronecker_coefficient,
    littlewood_richardson,
    littlewood_richardson_coefficient,
    partitions,
    pieri,
    products,
    restriction,
)
from tests.young import oracles


@pytest.mark.parametrize("n", range(6))
def test_kostka_by_counting_tableaux(n):
    table = kostka_table(n)
    shapes = oracles.all_partitions(n)
    for i, lam in enumerate(shapes):
        weights = oracles.schur(lam, n)
        for j, mu in enumerate(shapes):
            count = weights.get((*mu, *([0] * (n - len(mu)))), 0)
            assert table[i, j] == count == kostka(Partition(lam), Partition(mu))
            assert (count > 0) == Partition(lam).dominates(Partition(mu))
            assert kostka(Partition(lam), mu[::-1]) == count  # weights in any order


def test_kostka_published():
    # Macdonald, section I.6, n = 4
    assert kostka_table(4).tolist() == [
        [1, 1, 1, 1, 1],
        [0, 1, 1, 2, 3],
        [0, 0, 1, 1, 2],
        [0, 0, 0, 1, 3],
        [0, 0, 0, 0, 1],
    ]


@pytest.mark.parametrize("n", [12, 17])  # steps as one dense matrix, and as sparse ones
def test_kostka_against_dimensions_and_permutation_characters(n):
    table = kostka_table(n).astype(object)
    assert table[:, -1].tolist() == partitions(n).dimensions()
    sizes = []
    for mu in partitions(n):
        size, left = 1, n
        for part in mu.parts:
            size *= comb(left, part)
            left -= part
        sizes.append(size)
    dims = partitions(n).dimensions()
    assert (table.T.dot(dims) == sizes).all()
    # the characters of M^mu at a transposition: fixed tabloids have both letters in one row
    transposition = CharacterTable(n).column(Partition(2, *[1] * (n - 2)))
    for mu, size, value in zip(partitions(n), sizes, table.T.dot(transposition), strict=True):
        same_row = sum(p * (p - 1) for p in mu.parts)
        assert value * n * (n - 1) == size * same_row


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 2), (3, 2), (3, 1)])
def test_littlewood_richardson_by_schur_polynomials(a, b):
    n = a + b
    for mu, nu in itertools.product(oracles.all_partitions(a), oracles.all_partitions(b)):
        product = oracles.multiply(oracles.schur(mu, n), oracles.schur(nu, n))
        expected = oracles.schur_expansion(product, n)
        found = littlewood_richardson(Partition(mu), Partition(nu))
        assert {p.parts: c for p, c in found.items()} == expected
        for lam in partitions(n):
            c = littlewood_richardson_coefficient(lam, Partition(mu), Partition(nu))
            assert c == expected.get(lam.parts, 0)


def test_littlewood_richardson_published():
    square = littlewood_richardson(Partition(2, 1), Partition(2, 1))
    assert {str(p): c for p, c in square.items()} == {
        "4+2": 1, "4+1+1": 1, "3+3": 1, "3+2+1": 2, "3+1+1+1": 1, "2+2+2": 1, "2+2+1+1": 1,
    }  # fmt: skip
    assert littlewood_richardson(Partition(), Partition(2)) == {Partition(2): 1}
    # multiplicity-free products of rectangles (Okada; Stanley)
    assert set(littlewood_richardson(Partition(4, 4), Partition(3, 3, 3)).values()) == {1}


@oracles.law(oracles.shapes(max_size=6), oracles.shapes(max_size=6), oracles.shapes(max_size=4))
def test_littlewood_richardson_laws(mu, nu, pi):
    product = littlewood_richardson(mu, nu)
    assert product == littlewood_richardson(nu, mu)
    dim = sum(c * lam.dim for lam, c in product.items())
    assert dim == comb(mu.size + nu.size, mu.size) * mu.dim * nu.dim
    flipped = littlewood_richardson(mu.conjugate, nu.conjugate)
    assert {lam.conjugate: c for lam, c in flipped.items()} == product

    def times(terms, shape):
        total = {}
        for lam, c in terms.items():
            for out, d in littlewood_richardson(lam, shape).items():
                total[out] = total.get(out, 0) + c * d
        return total

    assert times(product, pi) == times(littlewood_richardson(nu, pi), mu)


@oracles.law(oracles.shapes(max_size=7))
def test_pieri_is_the_product_with_a_row_or_column(mu):
    for k in range(5):
        assert pieri(mu, k) == littlewood_richardson(mu, Partition(k))
        column = Partition(*[1] * k)
        assert pieri(mu, k, vertical=True) == littlewood_richardson(mu, column)


@oracles.law(oracles.shapes(max_size=7), examples=40)
def test_restriction(lam):
    for a in range(lam.size + 1):
        found = restriction(lam, a)
        for mu, nu in itertools.product(partitions(a), partitions(lam.size - a)):
            c = littlewood_richardson(mu, nu).get(lam, 0)
            assert found.get((mu, nu), 0) == c
        assert sum(c * mu.dim * nu.dim for (mu, nu), c in found.items()) == lam.dim


@pytest.mark.parametrize("n", range(1, 6))
def test_kronecker_by_the_group(n):
    """Averages over all permutations of products of Frobenius' characters."""
    characters = oracles.frobenius_characters(n)
    for a, b in itertools.combinations_with_replacement(oracles.all_partitions(n), 2):
        found = kronecker(Partition(a), Partition(b))
        for c in oracles.all_partitions(n):
            total = sum(
                oracles.class_size(mu) * chi[a] * chi[b] * chi[c] for mu, chi in characters.items()
            )
            order = sum(map(oracles.class_size, characters))
            assert total % order == 0
            assert found.get(Partition(c), 0) == total // order
            assert kronecker_coefficient(Partition(a), Partition(b), Partition(c)) == total // order


def test_kronecker_published():
    # (3,2,1) squared in S_6 contains (3,2,1) five times
    square = kronecker(Partition(3, 2, 1), Partition(3, 2, 1))
    assert square[Partition(3, 2, 1)] == 5
    assert sum(c * p.dim for p, c in square.items()) == 256
    sign = Partition(1, 1, 1, 1, 1, 1)
    for p in partitions(6):
        assert kronecker(p, sign) == {p.conjugate: 1}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: kostka(Partition(3), Partition(2)), BadValue),
        (lambda: kostka(Partition(3), [4, -1]), BadValue),
        (lambda: kostka(3, [3]), BadType),
        (lambda: kostka(Partition(3), None), BadType),
        (lambda: kostka_table(1.0), NotExact),
        (lambda: kostka_table(99), TooLarge),
        (lambda: pieri(Partition(1), -1), BadValue),
        (lambda: pieri(None, 1), BadType),
        (lambda: littlewood_richardson(Partition(1), 1), BadType),
        (lambda: littlewood_richardson_coefficient("3", "1", "1"), BadValue),
        (lambda: restriction(Partition(2), 3), BadValue),
        (lambda: restriction(Partition(2), None), BadType),
        (lambda: kronecker(Partition(2), Partition(3)), BadValue),
        (lambda: kronecker_coefficient("2", "2", "3"), BadValue),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


@oracles.law(oracles.shapes(max_size=6), st.lists(st.integers(0, 3), max_size=4), examples=40)
def test_kostka_by_schur_polynomials(lam, weight):
    weight = [min(part, lam.size - sum(weight[:i])) for i, part in enumerate(weight)]
    weight = [max(part, 0) for part in weight]
    weight.append(lam.size - sum(weight))
    counted = oracles.schur(lam.parts, len(weight)).get(tuple(weight), 0)
    assert kostka(lam, weight) == counted


@pytest.mark.parametrize("few", [0, 100])
def test_kostka_of_many_equal_parts(monkeypatch, few):
    monkeypatch.setattr(products, "FEW_SHAPES", few)
    # Symmetrica's numbers, and a column of the table that sparse steps make
    assert kostka(Partition(20, 10, 10, 10), [5] * 10) == 702864120
    assert kostka(Partition(12, 8, 4), [2] * 12) == 1151975
    assert kostka(Partition(5, 4, 3, 2, 1), [1] * 15) == 292864
    column = kostka_table(17)[:, partitions(17).index(Partition(4, 3, 3, 2, 2, 2, 1))]
    assert [kostka(p, [1, 2, 3, 4, 3, 2, 2]) for p in partitions(17)] == column.tolist()
    assert kostka(Partition(4, 4), [5, 3]) == kostka(Partition(1, 1, 1), [2, 1]) == 0
    assert kostka(Partition(), []) == kostka(Partition(), [0]) == 1
    assert kostka(Partition(7), [3, 4]) == kostka(Partition(2**61, 1), [2**61 - 1, 2]) == 1


@pytest.mark.parametrize("few", [0, 100])
def test_kostka_past_a_machine_word(monkeypatch, few):
    monkeypatch.setattr(products, "FEW_SHAPES", few)
    expected = kostka(Partition(6, 5, 4, 3), [3] * 6)
    monkeypatch.setattr(products, "WORD", 10.0)
    assert kostka(Partition(6, 5, 4, 3), [3] * 6) == expected
    # two rows: ways to choose the second with so many of each letter, less those one cell shorter
    ways = [1]
    for _ in range(40):
        ways = [sum(ways[max(0, i - 3) : i + 1]) for i in range(len(ways) + 3)]
    assert kostka(Partition(60, 60), [3] * 40) == ways[60] - ways[59] > 2**64


def test_kostka_refuses_what_does_not_fit(monkeypatch):
    lam, weight = Partition(4, 3, 2, 1), [2] * 5
    monkeypatch.setattr(products, "FEW_SHAPES", 0)
    expected = kostka(lam, weight)
    inside = 4 * sum(1 for n in range(7) for p in partitions(n) if Partition(3, 2, 1).contains(p))
    monkeypatch.setattr(products, "MOST_ENTRIES", inside)
    assert kostka(lam, weight) == expected
    monkeypatch.setattr(products, "MOST_ENTRIES", inside - 1)
    with pytest.raises(TooLarge, match="more than 14 shapes lie inside"):
        kostka(lam, weight)
    monkeypatch.undo()
    monkeypatch.setattr(products, "FEW_SHAPES", 0)
    monkeypatch.setattr(products, "MOST_STEPS", 0)
    with pytest.raises(TooLarge, match="comparisons of shapes"):
        kostka(lam, weight)


def test_a_shape_beyond_machine_words_is_refused():
    with pytest.raises(TooLarge, match=r"fewer than 2\^62"):
        kostka(Partition(2**63 + 1), [2**63 - 4, 5])
