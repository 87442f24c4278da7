import pickle
from itertools import combinations
from math import comb, factorial

import pytest
from hypothesis import strategies as st

from symbench.errors import BadType, BadValue, NotExact, TooLarge
from symbench.young import Partition, dimensions, interval, lattice_text, partitions, young_lattice
from tests.young import oracles


@oracles.law(oracles.shapes())
def test_notation_is_constructor_is_repr(p):
    assert eval(repr(p)) == p == Partition(str(p)) == Partition(list(p.parts))
    assert hash(p) == hash(Partition(*p.parts))
    assert pickle.loads(pickle.dumps(p)) == p


def test_convention_english_diagrams():
    p = Partition(4, 2, 1)
    assert p.diagram().splitlines() == ["□□□□", "□□", "□"]
    assert p.cells[:5] == ((1, 1), (1, 2), (1, 3), (1, 4), (2, 1))
    assert p.contents == ((0, 1, 2, 3), (-1, 0), (-2,))
    assert p.hooks == ((6, 4, 2, 1), (3, 1), (1,))  # Sagan, section 3.10 conventions


@oracles.law(oracles.shapes(max_size=7))
def test_conjugate_hooks_dim_against_cells(p):
    cells = {(i, j) for i, part in enumerate(p.parts, 1) for j in range(1, part + 1)}
    assert set(p.cells) == cells
    assert set(p.conjugate.cells) == {(j, i) for i, j in cells}
    for (i, j), hook in zip(p.cells, (h for row in p.hooks for h in row), strict=True):
        assert hook == 1 + sum((i == a and b > j) or (b == j and a > i) for a, b in cells)
    assert p.content_sum == sum(j - i for i, j in cells)
    assert p.dim == len(oracles.standard(p.parts))


@oracles.law(oracles.shapes(max_size=7))
def test_covers_and_corners(p):
    below = (
        {q for q in oracles.all_partitions(p.size - 1) if _inside(q, p.parts)} if p.size else set()
    )
    above = {q for q in oracles.all_partitions(p.size + 1) if _inside(p.parts, q)}
    assert {q.parts for q in p.down()} == below
    assert len(p.down()) == len(p.corners)
    assert {q.parts for q in p.up()} == above
    assert len(p.up()) == len(p.outer_corners)
    for q in map(Partition, below):
        (cell,) = set(p.cells) - set(q.cells)
        assert cell in p.corners
        assert cell in q.outer_corners
        assert p.contains(q)
        assert not q.contains(p)


def _inside(small, large):
    return len(small) <= len(large) and all(a <= b for a, b in zip(small, large, strict=False))


@oracles.law(oracles.shapes(min_size=1, max_size=9), st.integers(1, 9))
def test_border_strips_are_connected_rims_without_squares(p, k):
    found = {}
    for q in map(Partition, oracles.all_partitions(p.size - k) if k <= p.size else []):
        if not p.contains(q):
            continue
        strip = set(p.cells) - set(q.cells)
        square = any({(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)} <= strip for i, j in strip)
        if not square and _connected(strip):
            found[q] = len({i for i, _ in strip}) - 1
    assert dict(p.border_strips(k)) == found


def _connected(cells):
    seen, waiting = set(), [min(cells)]
    while waiting:
        i, j = waiting.pop()
        if (i, j) in cells and (i, j) not in seen:
            seen.add((i, j))
            waiting += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return seen == cells


@oracles.law(oracles.shapes(max_size=5), st.integers(0, 4))
def test_count_semistandard(p, letters):
    assert p.count_semistandard(letters) == len(oracles.semistandard(p.parts, letters))


def test_count_semistandard_wide_and_tall():
    # one row: multisets; one column: subsets; far beyond listing
    assert Partition(10**6).count_semistandard(3) == comb(10**6 + 2, 2)
    assert Partition(*[1] * 50).count_semistandard(1000) == comb(1000, 50)


@oracles.law(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(*[st.sampled_from(oracles.all_partitions(n))] * 2)
    )
)
def test_dominance(pair):
    a, b = pair
    sums = [(sum(a[:k]), sum(b[:k])) for k in range(1, 8)]
    assert Partition(a).dominates(Partition(b)) == all(x >= y for x, y in sums)


def test_dim_two_rows_closed_form_and_large():
    for L in range(12):
        for m in range(L // 2 + 1):
            assert Partition(L - m, m).dim == comb(L, m) - (comb(L, m - 1) if m else 0)
    # Catalan numbers, A000108, at a size where factorials would be felt
    assert Partition(3000, 3000).dim == comb(6000, 3000) // 3001
    p = Partition(400, 300, 200, 7)
    assert p.dim == p.conjugate.dim
    product = 1
    for row in p.hooks:
        for h in row:
            product *= h
    assert p.dim == factorial(p.size) // product
    assert Partition(10**9, 1, 1).dim == comb(10**9 + 1, 2)


def test_published_dimensions():
    # A005118: standard tableaux of staircase shape
    assert [Partition(*range(k, 0, -1)).dim for k in range(1, 6)] == [1, 2, 16, 768, 292864]
    # A003040: the largest dimension, n = 1..16
    largest = [1, 1, 2, 3, 6, 16, 35, 90, 216, 768, 2310, 7700, 21450, 69498, 292864, 1153152]
    assert [max(dimensions(n)) for n in range(1, 17)] == largest
    # A000085: involutions
    involutions = [1, 1, 2, 4, 10, 26, 76, 232, 764, 2620, 9496]
    assert [sum(dimensions(n)) for n in range(11)] == involutions


@pytest.mark.parametrize("n", [0, 1, 2, 5, 11, 27, 33])
def test_bulk_dimensions(n):
    dims = dimensions(n)
    assert sum(d * d for d in dims) == factorial(n)
    assert dims[:300] == [p.dim for p, _ in zip(partitions(n), range(300), strict=False)]
    assert partitions(n).dimensions() == dims


@pytest.mark.parametrize("n", range(10))
def test_partitions_listed_ranked_counted(n):
    expected = oracles.all_partitions(n)
    ps = partitions(n)
    assert [p.parts for p in ps] == expected
    assert ps.count == len(ps) == len(expected)
    assert [ps[k].parts for k in range(len(ps))] == expected
    assert [ps.index(Partition(p)) for p in expected] == list(range(len(expected)))
    assert [tuple(x for x in row if x) for row in ps.array().tolist()] == expected
    for rows in range(n + 1):
        few = partitions(n, max_length=rows)
        wanted = [p for p in expected if len(p) <= rows]
        assert [p.parts for p in few] == wanted
        assert few.count == len(wanted)
        assert [few[k].parts for k in range(len(wanted))] == wanted
        assert [few.index(Partition(p)) for p in wanted] == list(range(len(wanted)))
        assert [tuple(x for x in row if x) for row in few.array().tolist()] == wanted


def test_partition_numbers():
    # A000041
    assert [partitions(n).count for n in (10, 50, 100, 200)] == [
        42,
        204226,
        190569292,
        3972999029388,
    ]
    assert len(partitions(50).array()) == 204226


@oracles.law(st.integers(1, 60), st.integers(0, 10**9))
def test_rank_of_unrank(n, k):
    ps = partitions(n)
    rank = k % ps.count
    assert ps.index(ps[rank]) == rank
    assert eval(repr(ps)) == ps


def test_random_is_uniform_enough():
    counts = {}
    for seed in range(2000):
        p = partitions(5).random(seed=seed)
        counts[p] = counts.get(p, 0) + 1
    assert len(counts) == 7
    # chi-square with 6 degrees of freedom: 40 has probability below 1e-6
    assert sum((c - 2000 / 7) ** 2 / (2000 / 7) for c in counts.values()) < 40


def test_lattice():
    import networkx as nx

    G = young_lattice(0, 6)
    assert len(G) == sum(len(oracles.all_partitions(n)) for n in range(7))
    for low, high in combinations(G, 2):
        if high.size == low.size + 1:
            assert G.has_edge(low, high) == _inside(low.parts, high.parts)
    for shape in partitions(6):
        paths = list(nx.all_simple_paths(G, Partition(), shape))
        assert len(paths) == shape.dim == G.nodes[shape]["dim"]
    part = interval(Partition(1), Partition(3, 2))
    assert set(part) == {
        p for p in young_lattice(1, 5) if p.contains(Partition(1)) and Partition(3, 2).contains(p)
    }
    assert lattice_text(interval(Partition(2), Partition(2))) == "2"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Partition(1, 2), BadValue),
        (lambda: Partition(2, -1), BadValue),
        (lambda: Partition(2, 0, 1), BadValue),
        (lambda: Partition(2.0), NotExact),
        (lambda: Partition(None), BadType),
        (lambda: Partition(True), BadType),
        (lambda: Partition("3-1"), BadValue),
        (lambda: Partition("x"), BadValue),
        (lambda: Partition(["3"]), BadType),
        (lambda: Partition(3).dominates(Partition(2)), BadValue),
        (lambda: Partition(3).dominates(None), BadType),
        (lambda: Partition(3).contains(3), BadType),
        (lambda: Partition(3).border_strips(0), BadValue),
        (lambda: Partition(3).count_semistandard(-1), BadValue),
        (lambda: Partition(3).count_semistandard(1.5), NotExact),
        (lambda: Partition(10**12, 10**12).dim, TooLarge),
        (lambda: partitions(-1), BadValue),
        (lambda: partitions(None), BadType),
        (lambda: partitions(5)[7], BadValue),
        (lambda: partitions(5)["a"], BadType),
        (lambda: partitions(5).index(Partition(4)), BadValue),
        (lambda: partitions(5).random(seed="x"), BadType),
        (lambda: partitions(3, max_length=0).random(), BadValue),
        (lambda: partitions(100).array(), TooLarge),
        (lambda: partitions(5000)[3], TooLarge),
        (lambda: len(partitions(1000)), TooLarge),
        (lambda: list(partitions(200)), TooLarge),
        (lambda: young_lattice(3, 2), BadValue),
        (lambda: young_lattice(0, 100), TooLarge),
        (lambda: interval(Partition(2), Partition(1)), BadValue),
        (lambda: lattice_text(3), BadType),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("digits", [30, 5000])
def test_dimensions_of_rows_longer_than_a_machine_word(digits):
    n = 10**digits
    assert Partition(n).dim == 1
    assert Partition(n - 1, 1).dim == n - 1
    assert Partition(n - 2, 2).dim == n * (n - 3) // 2
    assert Partition(n - 2, 1, 1).dim == (n - 1) * (n - 2) // 2
    assert Partition(n - 3, 2, 1).dim == n * (n - 2) * (n - 4) // 3
    with pytest.raises(TooLarge, match="hooks"):
        _ = Partition(n, n).dim
