"""What would take long is refused beforehand with an estimate: on either side of each limit."""

import itertools
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbench.errors import TooLarge
from symbench.young import (
    Action,
    AlgebraElement,
    ClassFunction,
    Partition,
    Permutation,
    Representation,
    Tableau,
    YoungSubgroup,
    action,
    enumeration,
    formal_decomposition,
    group_algebra,
    interval,
    jucys_murphy,
    lattice,
    lattice_words,
    littlewood_richardson,
    partitions,
    permutations,
    pieri,
    position_groups,
    products,
    representation,
    restriction,
    specht,
    specht_polynomial,
    word_decomposition,
    young_lattice,
)

STAIRCASE = Partition(5, 4, 3, 2, 1)

# What is asked, the limit, its largest value that refuses, and what the refusal says.
LIMITS = [
    (lambda: word_decomposition(6, 2), enumeration, "MOST", 3, "4 members, which would take about"),
    (lambda: formal_decomposition(9, 3, 4), enumeration, "MOST", 3, "4 members"),
    (lambda: ClassFunction.of(5, len), enumeration, "MOST", 6, "7 members"),
    (lambda: partitions(5, max_length=2).dimensions(), enumeration, "MOST", 2, "3 members"),
    (lambda: young_lattice(0, 4), lattice, "MOST", 11, "12 nodes, which would take about"),
    (lambda: interval(Partition(1), Partition(3, 2)), lattice, "MOST", 7, "8 partitions"),
    (lambda: specht_polynomial(Tableau([[1, 4], [2, 5], [3]])), specht, "LIMIT", 11, "12 terms"),
    (lambda: jucys_murphy(5, 4), group_algebra, "NUMBERS", 19, "3 transpositions in S_5"),
    (
        lambda: jucys_murphy(5, 4) * jucys_murphy(5, 3),
        group_algebra,
        "STEPS",
        5,
        "product of 3 by 2 terms would take about",
    ),
    (lambda: pieri(STAIRCASE, 2), products, "MOST_SHAPES", 15, "16 shapes of up to 6 rows"),
    (lambda: restriction(Partition(3, 3, 3), 2), products, "MOST_PAIRS", 3, "4 pairs of shapes"),
    (lambda: restriction(Partition(3, 3), 2), products, "MOST_INSIDE", 1, "than 1 shapes of 2 c"),
    (lambda: Representation(Partition(2, 1)).generators(), representation, "ENTRIES", 7, "2 matri"),
    (lambda: Action.subsets(5, 2), action, "LISTED", 9, "are 10 points, more than 9"),
    (lambda: Action.set_partitions(4), action, "LISTED", 14, "are 15 points"),
    (lambda: Action.words(3, 2), action, "LIMIT", 7, "are 8 points"),
    (lambda: YoungSubgroup(3, 2).irreps, position_groups, "MOST", 5, "6 irreducibles"),
]


@pytest.mark.parametrize(
    ("ask", "module", "limit", "most", "said"), LIMITS, ids=lambda x: x if type(x) is str else ""
)
def test_on_either_side_of_a_limit(monkeypatch, ask, module, limit, most, said):
    monkeypatch.setattr(module, limit, most + 1)
    ask()
    monkeypatch.setattr(module, limit, most)
    with pytest.raises(TooLarge, match=said):
        ask()


def test_a_step_of_a_product_is_foreseen(monkeypatch):
    """The steps of this product make 32, 398, 2,796, 5,658 and 5,391 states of 10 rows."""
    monkeypatch.setattr(lattice_words, "_lrcalc", lambda: None)
    monkeypatch.setattr(lattice_words, "DOUBT", 1)
    shape = Partition(5, 4, 3, 2, 1)
    monkeypatch.setattr(lattice_words, "LARGEST", 70_000)
    assert len(littlewood_richardson(shape, shape)) == 1433
    monkeypatch.setattr(lattice_words, "LARGEST", 28_000)
    with pytest.raises(TooLarge, match=r"strip 4 of 5 leads to about [4-7]\.?[0-9]*e\+03 state"):
        littlewood_richardson(shape, shape)


@given(st.integers(0, 12), st.integers(0, 6))
def test_partitions_are_counted_by_their_rows(n, rows):
    found = partitions(n, max_length=rows)
    assert found.count == sum(len(p) <= rows for p in partitions(n)) == len(list(found))


def test_many_partitions_of_few_rows_are_counted():
    assert partitions(10**5, max_length=2).count == 50_001
    assert partitions(1000, max_length=3).count == round(1003**2 / 12)
    assert word_decomposition(3000, 2)[Partition(1600, 1400)] == 201


@given(st.lists(st.integers(0, 4), max_size=5), st.integers(0, 8))
def test_ways_to_fill_rooms(room, size):
    choices = itertools.product(*(range(r + 1) for r in room))
    assert products._ways(room, size) == sum(sum(c) <= size for c in choices)


shapes = st.lists(st.integers(1, 4), max_size=4).map(lambda p: Partition(sorted(p, reverse=True)))


@given(shapes, shapes)
def test_partitions_between_two_are_counted(one, other):
    inner = Partition([min(a, b) for a, b in zip(one.parts, other.parts, strict=False)])
    assert lattice._between(inner, one) == len(interval(inner, one))


@given(shapes, st.integers(0, 5), st.booleans())
def test_pieri_adds_strips(shape, size, vertical):
    """From the definition: shapes with at most one new cell in a column, or in a row."""

    def is_strip(outer):
        if not outer.contains(shape):
            return False
        inner, outer = (x.conjugate if not vertical else x for x in (shape, outer))
        padded = (*inner.parts, *[0] * (len(outer) - len(inner)))
        return all(a - b <= 1 for a, b in zip(outer.parts, padded, strict=True))

    every = [p for p in partitions(shape.size + size) if is_strip(p)]
    assert list(pieri(shape, size, vertical=vertical)) == every


terms = st.dictionaries(st.sampled_from(list(permutations(3))), st.fractions(-2, 2), max_size=4)


@given(terms, terms)
def test_products_in_the_group_algebra_by_definition(left, right):
    expected = {}
    for (g, c), (h, d) in itertools.product(left.items(), right.items()):
        image = Permutation([g(h(i)) for i in (1, 2, 3)])
        expected[image] = expected.get(image, Fraction(0)) + c * d
    found = AlgebraElement(3, left) * AlgebraElement(3, right)
    assert found.terms == {g: c for g, c in expected.items() if c}


@pytest.mark.parametrize("degree", [0, 1])
def test_products_in_trivial_groups(degree):
    one = Permutation.identity(degree)
    found = AlgebraElement(degree, {one: 2}) * AlgebraElement(degree, {one: Fraction(1, 3)})
    assert found.terms == {one: Fraction(2, 3)}
    assert not (AlgebraElement(degree, {}) * AlgebraElement(degree, {one: 1})).items


def test_the_dimension_of_a_staircase_by_its_hooks():
    parts = range(40, 0, -1)
    hooks = 1
    for n, k in enumerate(parts):
        hooks *= (2 * n + 1) ** k
    size = comb(41, 2)
    top = 1
    for k in range(1, size + 1):
        top *= k
    assert Partition(*parts).dim == top // hooks
