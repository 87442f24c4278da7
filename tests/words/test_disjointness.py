from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import strategies as sts
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.words import (
    Template,
    all_templates,
    common_string,
    disjointness,
    disjointness_graph,
    disjointness_svg,
    disjointness_table,
    maximal_tasks,
    overlaps,
)

from . import oracles

pairs = st.integers(1, 4).flatmap(
    lambda n: st.tuples(*[sts.templates(min_length=n, max_length=n, tokens="AB")] * 2)
)


@settings(max_examples=250, deadline=None)
@given(pairs, st.integers(2, 6))
def test_disjointness_against_brute_force(pair, size):
    t, u = pair
    strings = oracles.common_strings(t, u, "ABCDEF"[:size])
    for alphabet in (size, "ABCDEF"[:size]):
        found = common_string(t, u, alphabet=alphabet)
        assert (found is None) == (not strings)
        assert t.is_disjoint(u, alphabet=alphabet) == (not strings)
        if found is not None:
            assert len({*found, "A", "B"}) <= size
            assert oracles.matches(t, found)
            assert oracles.matches(u, found)


@settings(max_examples=100, deadline=None)
@given(pairs)
def test_the_unbounded_alphabet_is_a_large_one(pair):
    t, u = pair
    # A common string has at most as many letters as positions: 2 tokens and 4 more are enough.
    assert t.is_disjoint(u) == (not oracles.common_strings(t, u, "ABCDEF"))


def test_every_pair_of_short_templates():
    for length in (1, 2, 3):
        for t, u in combinations(all_templates(length, tokens="AB"), 2):
            assert t.is_disjoint(u) == (not oracles.common_strings(t, u, "ABCDE"))


def test_equivalent_distinct_and_disjoint_are_three_things():
    a, b, c = Template("αβ"), Template("βα"), Template("αA")
    assert a != b
    assert a.is_equivalent(b)
    assert not a.is_disjoint(b)
    assert a != c
    assert not a.is_equivalent(c)
    assert not a.is_disjoint(c)
    assert c.matches(common_string(a, c))
    # Without tokens, inequivalent and disjoint are the same.
    for t, u in combinations(all_templates(4), 2):
        assert t.is_disjoint(u)


def test_small_alphabets_make_templates_disjoint():
    t, u = Template("αβ*"), Template("βα*")
    assert not t.is_disjoint(u)
    assert not t.is_disjoint(u, alphabet=3)
    # Two wildcards need two tokens besides the star.
    assert t.is_disjoint(u, alphabet=2)
    assert t.is_disjoint(u, alphabet=1)
    assert t.is_equivalent(u)
    with pytest.raises(BadValue, match="too small"):
        t.is_disjoint(u, alphabet=0)
    with pytest.raises(BadValue, match=r"lacks the regular token '\*'"):
        t.is_disjoint(u, alphabet="PQ")


@settings(max_examples=60, deadline=None)
@given(sts.inequivalent_templates(max_size=8, max_length=3, tokens="AB"))
def test_graph_and_maximal_cliques_against_brute_force(family):
    graph = disjointness_graph(family)
    assert list(graph.nodes) == list(family)
    for t, u in combinations(family, 2):
        assert graph.has_edge(t, u) == (not oracles.common_strings(t, u, "ABCDE"))

    def is_task(chosen):
        return all(graph.has_edge(t, u) for t, u in combinations(chosen, 2))

    subsets = [set(c) for r in range(1, len(family) + 1) for c in combinations(family, r)]
    tasks = [s for s in subsets if is_task(s)]
    largest = [s for s in tasks if not any(s < other for other in tasks)]
    found = [set(task) for task in maximal_tasks(family)]
    assert len(found) == len(largest)
    assert all(s in largest for s in found)


@settings(max_examples=60, deadline=None)
@given(sts.inequivalent_templates(min_size=2, max_size=8, max_length=3, tokens="AB"))
def test_overlaps_are_the_missing_edges(family):
    found = {(i, j) for i, j, _ in overlaps(family)}
    missing = {
        (i, j)
        for i, j in combinations(range(len(family)), 2)
        if oracles.common_strings(family[i], family[j], "ABCDE")
    }
    assert found == missing


def test_pictures():
    family = list(all_templates(2, tokens="A"))
    table = disjointness_table(family)
    assert len(table.splitlines()) == len(family) + 1
    svg = disjointness_svg(family)
    svg = disjointness_svg(family)
    assert svg.count("<line") == disjointness_graph(family).number_of_edges()
    assert svg.count("<circle") == len(family)
    assert "no string matches both" in svg
    # Of 37 templates nearly all are disjoint: the others are drawn, and the picture says so.
    many = list(all_templates(3, tokens="AB"))
    svg = disjointness_svg(many)
    edges = disjointness_graph(many).number_of_edges()
    assert svg.count("<line") == 37 * 36 // 2 - edges < edges
    assert "a string matches both" in svg
    assert "&lt;α" in disjointness_svg([Template("<α")])
    with pytest.raises(TooLarge, match="203"):
        disjointness_table(all_templates(6))


def test_bad_arguments():
    with pytest.raises(BadShape, match="unequal lengths"):
        Template("αα").is_disjoint(Template("α"))
    with pytest.raises(BadShape, match="unequal lengths"):
        disjointness_graph([Template("αα"), Template("α")])
    with pytest.raises(BadValue, match="given twice"):
        disjointness_graph([Template("αα"), Template("αα")])
    with pytest.raises(BadValue, match="no templates"):
        disjointness_graph([])
    with pytest.raises(BadValue, match="wildcard in"):
        Template("xS", wildcards="x").is_disjoint(Template("xS", wildcards="S"))
    with pytest.raises(BadValue, match="a wildcard in one template"):
        list(overlaps([Template("xS", wildcards="x"), Template("xS", wildcards="S")]))
    for bad in (None, 3, "αα", Template("α"), ["αα"], [None]):
        with pytest.raises(BadType):
            disjointness_graph(bad)
        with pytest.raises(BadType):
            list(maximal_tasks(bad))
    for bad in (1.5, True, {"A"}, [1]):
        with pytest.raises(BadType):
            Template("αA").is_disjoint(Template("αA"), alphabet=bad)


def test_a_graph_of_too_many_pairs_is_refused_with_what_it_takes(monkeypatch):
    every = list(all_templates(3))
    monkeypatch.setattr(disjointness, "_PAIRS", 10)
    assert disjointness_graph(every).number_of_edges() == 10
    monkeypatch.setattr(disjointness, "_PAIRS", 9)
    for ask in (disjointness_graph, lambda found: next(maximal_tasks(found))):
        with pytest.raises(TooLarge, match=r"5 templates has 10 pairs, .* about 0.0001 s and"):
            ask(every)
