import pickle
import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, TooLarge
from symbench.exact.rational import Rational
from symbench.kernels.derivatives.formulas import AttentionDerivative, attention_derivative
from symbench.kernels.derivatives.invariants import Component, Invariant
from symbench.kernels.derivatives.laurent import Laurent
from symbench.kernels.derivatives.series import joint_cumulant
from symbench.kernels.diagram import Diagram
from tests.kernels.softmax_oracle import odd_factorial, taylor


def each(names, coefficient):
    """The same coefficient for several invariants."""
    return dict.fromkeys(names, coefficient)


# --- the table of boix2024, appendix F.1: {product of invariants: {power of k: coefficient}} ----
TABLE = {
    (0, 0): {"a": {-2: 1}},
    (2, 2): {"a": {-3: -8}, "t": {-2: 8}},
    (4, 0): {
        "a": {-2: 12},
        **each(["p1", "p2"], {-3: -96}),
        **each(["q1", "q2", "q3"], {-4: 192}),
        **each(["a*x", "a^2", "a*y"], {-4: 36}),
        **each(["p1*x", "p2*y"], {-5: -144}),
        **each(["p2*x", "p1*y"], {-5: -48}),
        **each(["a*p1", "a*p2"], {-5: -168}),
        **each(["a*x^2", "a^2*x", "a^2*y", "a*y^2"], {-6: 72}),
        **each(["a*x3", "a*y3"], {-5: -72}),
        "a^3": {-6: 48},
        "a*x*y": {-6: 24},
    },
    (4, 2): {
        "a": {-3: -168},
        "t": {-2: 72},
        **each(["p1", "p2"], {-4: 576}),
        **each(["t1", "t2"], {-3: -336}),
        **each(["a*x", "a*y"], {-5: -432}),
        **each(["t*x", "t*y"], {-4: 96}),
        "a^2": {-5: -384},
        "a*t": {-4: 144},
        "o1": {-4: 144},
        **each(["o2", "o3"], {-4: 192}),
        "w": {-4: 48},
        "x*y": {-5: -48},
    },
    (6, 4): {
        "a": {-3: -34560, -4: 552960},
        "t": {-2: 17280, -3: -432000},
        **each(["p1", "p2"], {-4: 129600, -5: -1693440}),
        **each(["t1", "t2"], {-3: -86400, -4: 1313280}),
        **each(["a*x", "a*y"], {-5: -103680, -6: 1451520}),
        **each(["t*x", "t*y"], {-4: 25920, -5: -397440}),
        **each(["t*a", "o1"], {-4: 34560, -5: -587520}),
        "a^2": {-5: -86400, -6: 1226880},
        **each(["o2", "o3"], {-4: 51840, -5: -794880}),
        **each(["h", "t^2"], {-4: 34560}),
        "1": {-2: -17280},
        **each(["x", "y"], {-4: 60480}),
        **each(["x3", "y3"], {-5: -207360}),
        "w": {-4: 17280, -5: -241920},
        **each(["x^2", "y^2"], {-6: 155520}),
        "x*y": {-5: -17280, -6: 224640},
        "g": {-4: 17280},
    },
}


@pytest.mark.parametrize(("order", "size"), [*zip(TABLE, [1, 2, 23, 17, 27], strict=True)])
def test_the_published_table(order, size):
    printed = {Invariant(name): Laurent(c) for name, c in TABLE[order].items()}
    assert len(printed) == size
    assert dict(attention_derivative(*order).terms) == printed


# --- the definition ---------------------------------------------------------------------------
def taylor_of(order, pairs):
    scale = factorial(order[0]) * factorial(order[1])
    return [v / scale for v in attention_derivative(*order).evaluate_many(pairs)]


def even_orders(highest):
    return [(i, j) for i in range(0, highest + 1, 2) for j in range(0, i + 5, 2)]


def compare(diagrams, highest):
    expected = [taylor(d.left, d.right, highest) for d in diagrams]
    for found in expected:
        assert all(i % 2 == j % 2 == 0 and j <= i + 2 for i, j in found)
    for order in even_orders(highest):
        assert taylor_of(order, diagrams) == [e.get(order, 0) for e in expected], order


def test_the_definition_on_all_diagrams_of_length_two():
    diagrams = {Diagram.from_codes(codes) for codes in product(range(4), repeat=4)}
    assert len(diagrams) == 15
    compare(sorted(diagrams, key=repr), 6)


def test_the_definition_at_order_eight():
    compare([Diagram.of("AB", "AB"), Diagram.of("AB", "BC"), Diagram.of("AA", "AB")], 8)


def test_the_definition_at_length_one():
    compare([Diagram.of("A", "A"), Diagram.of("A", "B")], 6)


def test_the_definition_at_length_three():
    chance = random.Random(3)
    diagrams = {
        Diagram.from_codes(tuple(chance.randrange(size) for _ in range(6)))
        for size in (2, 3, 4, 6)
        for _ in range(2)
    }
    compare(sorted(diagrams, key=repr), 6)


def test_the_definition_at_length_four():
    compare([Diagram.of("AABC", "ACCB"), Diagram.of("ABCD", "BADC")], 4)


def test_spot_values():
    pairs = [("AA*", "BB*"), ("AA*", "BC*"), ("AB*", "CD*")]
    third = Fraction(1, 3)
    assert taylor_of((0, 0), pairs) == [Fraction(1, 9)] * 3
    assert taylor_of((0, 2), pairs) == [third] * 3
    assert taylor_of((2, 0), pairs) == [Fraction(n, 81) for n in (8, 6, 4)]
    assert taylor_of((2, 2), pairs) == [Fraction(4, 27)] * 3
    assert taylor_of((2, 4), pairs) == [Fraction(2, 9)] * 3


def test_the_series_of_a_squared_tangent():
    # x = y = AB, gamma = 0: 1/2 + 1/2 E tanh^2(beta g / sqrt 2), templates.md, E1.
    known = ["1/2", "1/4", "-1/4", "17/48", "-31/48", "691/480"]
    found = [taylor_of((2 * n, 0), [("AB", "AB")])[0] for n in range(6)]
    assert found == [Fraction(c) for c in known]
    # tanh^2 by its own recursion, up to order 14: (tanh)' = 1 - tanh^2.
    tanh = [Fraction(0), Fraction(1)]
    for n in range(1, 15):
        square = sum(tanh[m] * tanh[n - m] for m in range(n + 1))
        tanh.append(-square / (n + 1))
    for n in (12, 14):
        square = sum(tanh[m] * tanh[n - m] for m in range(n + 1))
        expected = square * odd_factorial(n) / 2 ** (n // 2) / 2
        assert taylor_of((n, 0), [("AB", "AB")]) == [expected]


def test_the_order_that_separates_three_templates():
    # {aabb, abab, abba} + CLS: the first gap is at beta^6 gamma^4, 8/625 when two are exchanged.
    left, right = ["AABB*", "ABAB*", "ABBA*"], ["CCDD*", "CDCD*", "CDDC*"]
    pairs = [(x, y) for x in left for y in right]
    for order in [o for o in even_orders(6) if o[1] <= o[0] + 2]:
        values = taylor_of(order, pairs)
        exchanged = values[0] + values[4] - values[1] - values[3]
        turned = values[0] + values[4] + values[8] - values[1] - values[5] - values[6]
        separates = order == (6, 4)
        assert exchanged == (Fraction(8, 625) if separates else 0), order
        assert turned == (Fraction(12, 625) if separates else 0), order


def test_both_strings_exchanged():
    chance = random.Random(5)
    pairs = [
        (
            tuple("ABCDE"[chance.randrange(5)] for _ in range(6)),
            tuple("ABCDE"[chance.randrange(5)] for _ in range(6)),
        )
        for _ in range(20)
    ]
    flipped = [(y, x) for x, y in pairs]
    for order in [(6, 2), (8, 6), (10, 0), (8, 4)]:
        f = attention_derivative(*order)
        assert f.evaluate_many(pairs) == f.evaluate_many(flipped)


@pytest.mark.parametrize(
    "order", [(6, 0), (6, 6), (8, 0), (8, 4), (8, 6), (10, 0), (6, 8), (8, 10)]
)
def test_one_letter_throughout(order):
    # Softmax does not see a shift of all logits: with one letter throughout the strings the
    # tokens drop out: K(AAAA, AAAA) = 1 + K(AAAA, BBBB) = 1 + gamma^2 times a series in beta gamma.
    same, other = taylor_of(order, [("AAAA", "AAAA"), ("AAAA", "BBBB")])
    assert same == other
    assert (same == 0) == (order[1] != order[0] + 2)


def test_odd_orders_vanish():
    for order in [(1, 0), (0, 1), (3, 2), (2, 3), (5, 5), (10**9 + 1, 0)]:
        f = attention_derivative(*order)
        assert f.terms == ()
        assert f.evaluate("AAB", "ABC") == 0
        assert str(f) == "0"
    assert attention_derivative(2, 6).terms == ()


# --- the object -------------------------------------------------------------------------------
def test_value_type():
    f = attention_derivative(4, 2)
    assert eval(repr(f)) == f == AttentionDerivative(4, 2)
    assert f != attention_derivative(2, 4)
    assert pickle.loads(pickle.dumps(f)) == f
    assert len({f, attention_derivative(4, 2)}) == 1
    assert f.order == (4, 2)
    for invariant, coefficient in f.terms:
        assert eval(repr(invariant)) == invariant
        assert eval(repr(coefficient)) == coefficient
        assert pickle.loads(pickle.dumps((invariant, coefficient))) == (invariant, coefficient)


def test_every_name_can_be_read_back():
    for order in [(8, 4), (6, 6), (8, 2)]:
        for invariant, _ in attention_derivative(*order).terms:
            assert Invariant(str(invariant)) == invariant
            assert Invariant(invariant.formula) == invariant


def test_evaluate_takes_strings_words_and_diagrams():
    f = attention_derivative(4, 0)
    value = f.evaluate("AAB", "ABC")
    assert type(value) is Rational
    assert value == f.evaluate(["A", "A", "B"], ("A", "B", "C"))
    assert value == f.evaluate(Diagram.of("PPQ", "PQR"))
    assert f.evaluate_many([("AAB", "ABC"), Diagram.of("AAB", "ABC")]) == [value, value]
    assert f.evaluate_many([]) == []


def test_large_counts_do_not_overflow():
    # k = 1000: a = k^2 / 2 and so on, far beyond 64 bits at degree 12.
    x, y = "A" * 500 + "B" * 500, "A" * 250 + "B" * 750
    f = attention_derivative(10, 0)
    assert f.evaluate(x, y) == sum(
        (c(1000) * by_hand(i, Diagram.of(x, y)) for i, c in f.terms), Fraction(0)
    )


def by_hand(invariant, diagram):
    value = 1
    for component, times in invariant.factors:
        total = 0
        for tokens in product(set(diagram.left + diagram.right), repeat=len(component.weights)):
            term = 1
            for s, (p, q) in zip(tokens, component.weights, strict=True):
                term *= diagram.left.count(s) ** p * diagram.right.count(s) ** q
            pairs = list(zip(diagram.left, diagram.right, strict=True))
            for s, t in component.edges:
                term *= pairs.count((tokens[s], tokens[t]))
            total += term
        value *= total**times
    return value


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=10).filter(lambda c: len(c) % 2 == 0))
def test_invariants_against_their_sums(codes):
    diagram = Diagram.from_codes(tuple(codes))
    chosen = [i for i, _ in attention_derivative(8, 4).terms][::7]
    for invariant in chosen:
        assert invariant.evaluate(diagram) == by_hand(invariant, diagram)


def test_the_papers_invariants_as_matrix_products():
    import numpy as np

    x, y = "AABCDA", "BACCAB"
    XX, XY, YY = (
        np.array([[int(a == b) for b in v] for a in u]) for u, v in [(x, x), (x, y), (y, y)]
    )
    YX, one = XY.T, np.ones(6, dtype=int)
    expected = {
        "a": one @ XY @ one,
        "x": one @ XX @ one,
        "y": one @ YY @ one,
        "t": np.trace(XY),
        "p1": one @ XX @ XY @ one,
        "p2": one @ XY @ YY @ one,
        "q1": one @ XX @ XX @ XY @ one,
        "q2": one @ XY @ YX @ XY @ one,
        "q3": one @ YX @ XY @ YY @ one,
        "x3": one @ XX @ XX @ one,
        "y3": one @ YY @ YY @ one,
        "t1": np.trace(XX @ XY),
        "t2": np.trace(XY @ YY),
        "o1": one @ XY @ XY @ one,
        "o2": one @ YX @ YY @ one,
        "o3": one @ XX @ YX @ one,
        "w": one @ XX @ YY @ one,
        "g": np.trace(XX @ YY),
        "h": np.trace(XY @ XY),
    }
    assert {name: Invariant(name).evaluate(x, y) for name in expected} == expected


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_normal_form_against_networkx(data):
    import networkx as nx

    size = data.draw(st.integers(1, 4))
    nodes = st.integers(0, size - 1)
    weights = st.lists(st.sampled_from([(1, 1), (2, 0), (0, 2)]), min_size=size, max_size=size)
    edges = st.lists(st.tuples(nodes, nodes), min_size=size, max_size=size + 1)

    def graph(w, e):
        g = nx.DiGraph()
        g.add_nodes_from((n, {"weight": pq}) for n, pq in enumerate(w))
        g.add_edges_from((s, t, {"times": times}) for (s, t), times in Counter(e).items())
        return g

    def connected(links):
        return nx.is_weakly_connected(graph([(1, 1)] * size, links))

    w, e = data.draw(weights), data.draw(edges.filter(connected))
    v, f = data.draw(weights), data.draw(edges.filter(connected))
    same = nx.is_isomorphic(
        graph(w, e),
        graph(v, f),
        node_match=lambda a, b: a == b,
        edge_match=lambda a, b: a == b,
    )
    assert (Component.of(w, e) == Component.of(v, f)) == same
    for order in permutations(range(size)):
        moved = [w[order.index(n)] for n in range(size)]
        links = [(order[s], order[t]) for s, t in e]
        assert Component.of(moved, links) == Component.of(w, e)


def test_joint_cumulants_by_moebius_inversion():
    def set_partitions(items):
        if not items:
            yield []
            return
        for rest in set_partitions(items[1:]):
            yield [[items[0]], *rest]
            for n, block in enumerate(rest):
                yield [*rest[:n], [items[0], *block], *rest[n + 1 :]]

    order = 5
    for charges in [(1,), (1, 1), (1, 2, 2), (1, 1, 1, 1), (3, 1, 2, 1)]:
        expected = [Fraction(0)] * (order + 1)
        for blocks in set_partitions(list(charges)):
            # A product of exponentials e^{v q}: q the sum of the blocks' variances.
            q = sum(Fraction(sum(block) ** 2, 2) for block in blocks)
            sign = (-1) ** (len(blocks) - 1) * factorial(len(blocks) - 1)
            for n in range(order + 1):
                expected[n] += sign * q**n / factorial(n)
        found = joint_cumulant(charges, order)
        assert [Fraction(int(c.p), int(c.q)) for c in found] == expected
        assert all(c == 0 for c in found[: len(charges) - 1])


def test_latex_lists_every_term_once():
    f = attention_derivative(4, 2)
    text = f.latex()
    body = text.split("\\hline")[1]
    assert body.count("&") == len({c for _, c in f.terms})
    assert body.count(" + ") + body.count("&") == len(f.terms)
    assert "o_{2} + o_{3}" in body
    assert r"w & \sum_{s,t} d_{s} e_{t} n_{st}" in text
    assert attention_derivative(1, 0).latex().count("0 &") == 1


def test_laurent():
    c = Laurent({0: 3, 1: -1, -2: "1/2"})
    assert str(c) == "-k + 3 + 1/2*k^-2"
    assert c(2) == Fraction(9, 8)
    assert Laurent({5: 0}) == Laurent({})
    assert str(Laurent({})) == "0"
    assert Laurent({})(3) == 0
    for bad, error in [(0, BadValue), (None, BadType), (1.5, NotExact)]:
        with pytest.raises(error):
            c(bad)
    for bad in (None, 3, {None: 1}):
        with pytest.raises(BadType):
            Laurent(bad)


# --- bad input --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("order", "error"),
    [
        ((None, 0), BadType),
        ((2.0, 0), NotExact),
        ((-2, 0), BadValue),
        ((True, 0), BadType),
        (("2", 0), BadType),
        ((40, 8), TooLarge),
        ((10**9, 0), TooLarge),
        ((10**9, 10**9), TooLarge),
    ],
)
def test_bad_orders(order, error):
    with pytest.raises(error):
        attention_derivative(*order)


def test_too_large_gives_an_estimate():
    with pytest.raises(TooLarge, match=r"about \de\+\d+ terms.*taylor"):
        attention_derivative(40, 8)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("AB", "ABC"), BadShape),
        (("AB",), BadType),
        ((None, None), BadType),
        ((None, "AB"), BadType),
        (("AB", 3), BadType),
        ((Diagram.of("A", "B"), "A"), BadType),
    ],
)
def test_bad_strings(arguments, error):
    with pytest.raises(error):
        attention_derivative(2, 2).evaluate(*arguments)
    with pytest.raises(error):
        Invariant("a").evaluate(*arguments)


def test_bad_pairs_and_empty_strings():
    f = attention_derivative(2, 2)
    for bad in (None, 3, "AB", [None], [("A", "B", "C")], [3]):
        with pytest.raises(BadType):
            f.evaluate_many(bad)
    with pytest.raises(BadValue):
        f.evaluate("", "")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, BadType),
        (3, BadType),
        ("", BadValue),
        ("z", BadValue),
        ("a**x", BadValue),
        ("sum()", BadValue),
        ("sum(d_s)", BadValue),
        ("sum(d_s^0)", BadValue),
        ("sum(d_s e_t)", BadValue),
        ("sum(d_s^2 e_t^2)", BadValue),
        ("sum(n_st d_t)", BadValue),
        ("sum(f_s)", BadValue),
        (["a"], BadType),
    ],
)
def test_bad_invariants(text, error):
    with pytest.raises(error):
        Invariant(text)


@pytest.mark.parametrize(
    ("graph", "error"),
    [
        ((None, None), BadType),
        (([(1,)], []), BadType),
        (([(1, 1.5)], []), BadType),
        (([(1, -1)], []), BadType),
        (([], []), BadValue),
        (([(2, 0)], [(0, 1)]), BadValue),
        (([(2, 0), (2, 0)], []), BadValue),
        (([(1, 0)], []), BadValue),
    ],
)
def test_bad_graphs(graph, error):
    with pytest.raises(error):
        Component.of(*graph)
    with pytest.raises(error):
        Component(*graph)


def test_a_component_is_in_normal_form():
    with pytest.raises(BadValue, match="normal form"):
        Component(((0, 1), (1, 0)), ((1, 0),))
    with pytest.raises(BadValue, match="normal form"):
        Component([(2, 0)], [])
