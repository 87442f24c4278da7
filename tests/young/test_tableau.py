import itertools
import pickle
from math import factorial

import numpy as np
import pytest
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, TooLarge, UnknownName
from symbench.young import (
    Partition,
    Permutation,
    SemistandardTableaux,
    StandardTableaux,
    Tableau,
    partitions,
    permutations,
    rsk,
    rsk_inverse,
)
from tests.young import oracles


@st.composite
def standard_tableaux(draw, max_size=9):
    shape = draw(oracles.shapes(max_size=max_size))
    ts = shape.standard_tableaux()
    return ts[draw(st.integers(0, ts.count - 1))]


SKEW = [((3, 2), (1,)), ((3, 3, 1), (2,)), ((2, 2, 2), (1, 1)), ((4, 1), (4,)), ((3, 2), (3, 2))]


@pytest.mark.parametrize("shape", [p for n in range(7) for p in oracles.all_partitions(n)])
def test_standard_listing_is_complete_ordered_and_ranked(shape):
    _check_listing(StandardTableaux(Partition(shape)), oracles.standard(shape))


@pytest.mark.parametrize(("shape", "inner"), SKEW)
def test_skew_listings(shape, inner):
    outer, hole = Partition(shape), Partition(inner)
    _check_listing(StandardTableaux(outer, inner=hole), oracles.standard(shape, inner))
    for letters in (0, 1, 3):
        expected = oracles.semistandard(shape, letters, inner)
        _check_listing(SemistandardTableaux(outer, letters, inner=hole), expected)


@pytest.mark.parametrize("shape", [p for n in range(6) for p in oracles.all_partitions(n)])
@pytest.mark.parametrize("letters", [0, 1, 3])
def test_semistandard_listing(shape, letters):
    expected = oracles.semistandard(shape, letters)
    _check_listing(SemistandardTableaux(Partition(shape), letters), expected)


def _check_listing(ts, expected):
    listed = list(ts)
    assert {t.rows for t in listed} == expected
    assert len(listed) == len(expected) == ts.count == len(ts)
    assert [ts[k] for k in range(len(ts))] == listed
    assert [ts.index(t) for t in listed] == list(range(len(ts)))
    assert all(t in ts for t in listed)
    array = ts.array()
    assert [tuple(row) for row in array.tolist()] == [t.entries for t in listed]
    for chunk in (1, 2, 5):
        pieces = list(ts.arrays(chunk=chunk))
        assert all(len(piece) <= chunk for piece in pieces)
        if pieces:
            assert (np.concatenate(pieces) == array).all()
    assert eval(repr(ts)) == ts
    if listed:
        assert ts.random(seed=3) in ts


def test_order_of_the_list():
    ts = StandardTableaux(Partition(3, 2))
    assert ts[0] == Tableau([[1, 2, 3], [4, 5]])
    # the last letter order: n in a lower row comes first, then n - 1, ...
    rows = [[t.cells[k][0] for k in range(5, 0, -1)] for t in ts]
    assert rows == sorted(rows, reverse=True)


def test_words_say_the_rows():
    ts = StandardTableaux(Partition(4, 2, 1))
    for t, word in zip(ts, ts.array(form="word").tolist(), strict=True):
        assert [t.cells[k][0] - 1 for k in range(1, 8)] == word


def test_blocks_beyond_what_is_kept():
    """A shape whose list is longer than the lists of small shapes that are kept."""
    ts = StandardTableaux(Partition(5, 4, 3, 2, 1))
    assert ts.count == 292864
    total, last = 0, None
    for chunk in ts.arrays(chunk=50_000):
        assert (np.sort(chunk, axis=1) == np.arange(1, 16)).all()
        for a, b in [(0, 1), (3, 4), (5, 6), (9, 10), (12, 13)]:
            assert (chunk[:, a] < chunk[:, b]).all()
        for a, b in [(0, 5), (1, 6), (5, 9), (9, 12), (12, 14), (10, 13)]:
            assert (chunk[:, a] < chunk[:, b]).all()
        total += len(chunk)
        last = chunk[-1]
    assert total == 292864
    assert len(np.unique(ts.array(), axis=0)) == 292864
    assert ts[-1].entries == tuple(last.tolist())
    assert ts[123456].entries == tuple(ts.array()[123456].tolist())


def test_rank_far_out():
    ts = StandardTableaux(Partition(20, 20, 20, 20, 20))
    k = ts.count // 3
    assert ts.index(ts[k]) == k
    assert ts.random(seed=1).is_standard
    with pytest.raises(TooLarge):
        len(ts)
    with pytest.raises(TooLarge):
        ts.array()


@pytest.mark.parametrize(
    "ts",
    [
        StandardTableaux(Partition(3, 2)),
        StandardTableaux(Partition(3, 2), inner=Partition(1)),
        SemistandardTableaux(Partition(2, 1), 3),
    ],
    ids=repr,
)
def test_random_is_uniform_enough(ts):
    draws = 400 * len(ts)
    counts = dict.fromkeys(ts, 0)
    for seed in range(draws):
        counts[ts.random(seed=seed)] += 1
    chi_square = sum((c - 400) ** 2 / 400 for c in counts.values())
    assert chi_square < 40  # at most 7 degrees of freedom


@oracles.law(standard_tableaux())
def test_notation_path_and_vectors(t):
    assert eval(repr(t)) == t == pickle.loads(pickle.dumps(t))
    assert Tableau.from_path(t.path) == t
    assert t.path[-1] == t.shape
    assert t.path[0] == Partition()
    assert t.conjugate.conjugate == t
    assert t.conjugate.shape == t.shape.conjugate
    for k, c in enumerate(t.content_vector, 1):
        assert c == t.cells[k][1] - t.cells[k][0]
    for k in range(1, t.size):
        assert (k in t.descents) == (t.cells[k + 1][0] > t.cells[k][0])
    assert t.major_index == sum(t.descents)
    assert rsk(t.reading_word)[0] == t == rsk(t.column_word)[0]


def test_major_index_is_the_q_hook_formula():
    """The sum of q^maj is q^n(lambda) [n]! / prod [hook]: Stanley."""
    import flint

    q = flint.fmpz_poly([0, 1])

    def bracket(n):
        return flint.fmpz_poly([1] * n)

    for shape in partitions(6):
        left = sum((q**t.major_index for t in shape.standard_tableaux()), flint.fmpz_poly([]))
        top, bottom = q ** sum(i * p for i, p in enumerate(shape.parts)), flint.fmpz_poly([1])
        for k in range(1, 7):
            top *= bracket(k)
        for row in shape.hooks:
            for h in row:
                bottom *= bracket(h)
        assert left * bottom == top


@oracles.law(standard_tableaux())
def test_evacuation_and_promotion(t):
    n = t.size
    e = t.evacuation()
    assert e.is_standard
    assert e.shape == t.shape
    assert e.evacuation() == t
    assert e.descents == tuple(sorted(n - d for d in t.descents))
    p = t.promotion()
    assert p.is_standard
    assert p.shape == t.shape
    # Schützenberger: e p e is the inverse of p
    assert e.promotion().evacuation().promotion() == t


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 3), (2, 4)])
def test_promotion_of_rectangles_has_order_n(rows, columns):
    for t in Partition(*[columns] * rows).standard_tableaux():
        moved = t
        for _ in range(rows * columns):
            moved = moved.promotion()
        assert moved == t


@pytest.mark.parametrize("n", range(6))
def test_rsk_is_a_bijection(n):
    images = set()
    for g in permutations(n):
        P, Q = rsk(g)
        assert P.is_standard
        assert Q.is_standard
        assert P.shape == Q.shape
        assert rsk(g.inverse) == (Q, P)
        assert rsk_inverse(P, Q) == g.images
        assert Q.descents == g.descents
        images.add((P, Q))
    assert len(images) == factorial(n) == sum(p.dim**2 for p in partitions(n))
    for shape in partitions(n):
        for P, Q in itertools.product(shape.standard_tableaux(), repeat=2):
            assert rsk(rsk_inverse(P, Q)) == (P, Q)


@oracles.law(st.lists(st.integers(1, 4), max_size=7), examples=60)
def test_rsk_of_words_by_greene(word):
    P, Q = rsk(word)
    assert P.is_semistandard
    assert Q.is_standard
    assert sorted(P.entries) == sorted(word)
    assert rsk_inverse(P, Q) == tuple(word)
    for k in range(1, len(P.rows) + 1):
        assert sum(P.shape.parts[:k]) == oracles.longest_union(word, k)
    for k in range(1, len(P.shape.conjugate) + 1):
        assert sum(P.shape.conjugate.parts[:k]) == oracles.longest_union(word, k, decreasing=True)


def test_rsk_example_of_the_book():
    # Sagan, section 3.1: pi = 4236517
    P, Q = rsk([4, 2, 3, 6, 5, 1, 7])
    assert Tableau([[1, 3, 5, 7], [2, 6], [4]]) == P
    assert Tableau([[1, 3, 4, 7], [2, 5], [6]]) == Q


@oracles.law(st.permutations(range(1, 7)))
def test_evacuation_through_rsk(images):
    g = Permutation(*images)
    turned = tuple(7 - x for x in reversed(g.images))
    P, Q = rsk(g)
    assert rsk(turned) == (P.evacuation(), Q.evacuation())


def test_action_on_entries_and_text():
    t = Tableau([[1, 2], [3]])
    g = Permutation(2, 3, 1)
    assert t.act(g) == Tableau([[2, 3], [1]])
    assert t.explain() == "standard"
    assert Tableau([[1, 1]]).explain().startswith("semistandard, not standard")
    assert Tableau([[2, 1]]).explain() == "not semistandard: row 1 has 2 before 1"
    assert str(Tableau([[None, 10], [2]])) == " · 10\n 2"
    assert Tableau([[1, 1, 2], [3]]).weight == (2, 1, 1)
    assert t.latex() == r"\begin{ytableau} 1 & 2 \\ 3 \end{ytableau}"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Tableau([[1], [2, 3]]), BadShape),
        (lambda: Tableau([[1, None]]), BadShape),
        (lambda: Tableau([[1], [None]]), BadShape),
        (lambda: Tableau([[]]), BadShape),
        (lambda: Tableau([[1.5]]), NotExact),
        (lambda: Tableau([[0]]), BadValue),
        (lambda: Tableau([["1"]]), BadType),
        (lambda: Tableau(3), BadType),
        (lambda: Tableau([3]), BadType),
        (lambda: Tableau(None), BadType),
        (lambda: Tableau([[2, 1]]).descents, BadValue),
        (lambda: Tableau([[1, 1]]).content_vector, BadValue),
        (lambda: Tableau([[1, 1]]).cells, BadValue),
        (lambda: Tableau([[None, 1]]).promotion(), BadValue),
        (lambda: Tableau([[1, 3]]).evacuation(), BadValue),
        (lambda: Tableau([[2, 1]]).restrict(1), BadValue),
        (lambda: Tableau([[1, 2]]).act(Permutation(1)), BadValue),
        (lambda: Tableau([[1, 2]]).act(None), BadType),
        (lambda: Tableau.from_path([]), BadValue),
        (lambda: Tableau.from_path([Partition(1), Partition(3)]), BadValue),
        (lambda: Tableau.from_path([1, 2]), BadValue),
        (lambda: StandardTableaux(Partition(2), inner=Partition(3)), BadValue),
        (lambda: StandardTableaux(None), BadType),
        (lambda: StandardTableaux(Partition(2, 1))[2], BadValue),
        (lambda: StandardTableaux(Partition(2, 1))[0.0], NotExact),
        (lambda: StandardTableaux(Partition(2, 1)).index(Tableau([[1]])), BadValue),
        (lambda: StandardTableaux(Partition(2, 1)).index(None), BadValue),
        (lambda: StandardTableaux(Partition(2, 1)).arrays(chunk=0), BadValue),
        (lambda: StandardTableaux(Partition(2, 1)).arrays(chunk=10**12), TooLarge),
        (lambda: StandardTableaux(Partition(2, 1)).arrays(form="rows"), UnknownName),
        (lambda: SemistandardTableaux(Partition(2, 1), 2).arrays(form="word"), UnknownName),
        (lambda: SemistandardTableaux(Partition(2, 1), -1), BadValue),
        (lambda: SemistandardTableaux(Partition(2, 1), 1).random(), BadValue),
        (lambda: SemistandardTableaux(Partition(2, 1), None), BadType),
        (lambda: rsk([0, 1]), BadValue),
        (lambda: rsk("abc"), BadType),
        (lambda: rsk(None), BadType),
        (lambda: rsk_inverse(Tableau([[1, 2]]), Tableau([[1], [2]])), BadValue),
        (lambda: rsk_inverse(Tableau([[2, 1]]), Tableau([[1, 2]])), BadValue),
        (lambda: rsk_inverse(Tableau([[1, 1]]), Tableau([[1, 1]])), BadValue),
        (lambda: rsk_inverse(1, 2), BadType),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
