import itertools
import pickle

import pytest
from hypothesis import strategies as st

from symbench.errors import BadType, BadValue, NotExact
from symbench.young import Partition, Permutation, permutations
from tests.young import oracles


@st.composite
def pairs(draw):
    n = draw(st.integers(0, 7))
    return (
        draw(oracles.perms(degree=n)),
        draw(oracles.perms(degree=n)),
        draw(oracles.perms(degree=n)),
    )


@oracles.law(pairs())
def test_group_laws_and_left_action(triple):
    g, h, k = triple
    n = g.degree
    one = Permutation.identity(n)
    for i in range(1, n + 1):
        assert (g * h)(i) == g(h(i))
    assert (g * h) * k == g * (h * k)
    assert g * g.inverse == one == g.inverse * g
    word = tuple(f"w{i}" for i in range(n))
    assert g.act(h.act(word)) == (g * h).act(word)
    assert all(g.act(word)[g(a) - 1] == word[a - 1] for a in range(1, n + 1))
    assert (g * h).sign == g.sign * h.sign
    assert (h * g * h.inverse).cycle_type == g.cycle_type
    assert eval(repr(g)) == g == pickle.loads(pickle.dumps(g))


@oracles.law(oracles.perms(), st.integers(-7, 7))
def test_powers_order_cycles(g, k):
    power = Permutation.identity(g.degree)
    for _ in range(abs(k)):
        power = power * (g if k > 0 else g.inverse)
    assert g**k == power
    assert g**g.order == Permutation.identity(g.degree)
    assert all(g**d != Permutation.identity(g.degree) for d in range(1, g.order))
    assert Permutation.from_cycles(g.degree, *g.cycles) == g
    assert g.cycle_type.parts == oracles.cycle_type(g.images)
    inversions = sum(a > b for a, b in itertools.combinations(g.images, 2))
    assert g.length == inversions
    assert g.sign == (-1) ** inversions


@oracles.law(oracles.perms(max_degree=5))
def test_reduced_words(g):
    def product(word):
        found = Permutation.identity(g.degree)
        for i in word:
            found = found * Permutation.adjacent(g.degree, i)
        return found

    word = g.reduced_word()
    assert product(word) == g
    assert len(word) == g.length
    words = list(g.reduced_words())
    assert word in words
    assert len(set(words)) == len(words)
    assert all(product(w) == g and len(w) == g.length for w in words)


def test_number_of_reduced_words_of_the_longest():
    # A005118 (Stanley): 1, 1, 2, 16, 768
    for n, count in [(1, 1), (2, 1), (3, 2), (4, 16), (5, 768)]:
        assert sum(1 for _ in Permutation(*range(n, 0, -1)).reduced_words()) == count


@oracles.law(pairs())
def test_sympy(triple):
    g, h, _ = triple
    assert Permutation.from_sympy(g.to_sympy()) == g
    # sympy composes from left to right
    assert Permutation.from_sympy(h.to_sympy() * g.to_sympy()) == g * h


def test_all_and_types():
    for n in range(6):
        assert [g.images for g in permutations(n)] == oracles.group(n)
    for parts in oracles.all_partitions(6):
        mu = Partition(parts)
        assert Permutation.of_type(mu).cycle_type == mu
        members = [g for g in oracles.group(6) if oracles.cycle_type(g) == parts]
        assert mu.class_size == len(members)
        assert mu.sign == Permutation.of_type(mu).sign
        assert mu.centralizer_order * mu.class_size == 720
    assert str(Permutation(2, 1, 3)) == "(1 2)"
    assert Permutation(2, 3, 1).descents == (2,)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Permutation(1, 1), BadValue),
        (lambda: Permutation(0, 1), BadValue),
        (lambda: Permutation(1.0), NotExact),
        (lambda: Permutation("12"), BadType),
        (lambda: Permutation(None), BadType),
        (lambda: Permutation(2, 1) * Permutation(1), BadValue),
        (lambda: Permutation(2, 1) * 3, BadType),
        (lambda: Permutation(2, 1)(3), BadValue),
        (lambda: Permutation(2, 1)(0), BadValue),
        (lambda: Permutation(2, 1)(None), BadType),
        (lambda: Permutation(2, 1) ** 0.5, NotExact),
        (lambda: Permutation(2, 1).act("abc"), BadValue),
        (lambda: Permutation(2, 1).act(7), BadType),
        (lambda: Permutation.from_cycles(3, (1, 4)), BadValue),
        (lambda: Permutation.from_cycles(3, (1, 2), (2, 3)), BadValue),
        (lambda: Permutation.from_cycles(3, 5), BadType),
        (lambda: Permutation.adjacent(3, 3), BadValue),
        (lambda: Permutation.identity(-1), BadValue),
        (lambda: Permutation.from_sympy(3), BadType),
        (lambda: Permutation.of_type(3), BadType),
        (lambda: permutations("x"), BadType),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
