import pickle
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbench import strategies as sts
from symbench.errors import BadType, BadValue, TooLarge, UnknownName
from symbench.words import Substitution, Substitutions, Template


def test_a_substitution_is_an_injective_mapping():
    s = Substitution({"β": "R", "α": "Q"})
    assert dict(s) == {"α": "Q", "β": "R"}
    assert s == Substitution({"α": "Q", "β": "R"})
    assert len(s) == 2
    assert "α" in s
    assert "γ" not in s
    assert s.image == {"Q", "R"}
    assert eval(repr(s)) == s
    assert pickle.loads(pickle.dumps(s)) == s
    assert Substitution.from_json(s.to_json()) == s
    with pytest.raises(UnknownName, match="γ"):
        s["γ"]
    with pytest.raises(BadValue, match="not injective: α and β both go to Q"):
        Substitution({"α": "Q", "β": "Q"})
    with pytest.raises(BadValue, match="goes to tokens"):
        Substitution({"α": "β"})


@pytest.mark.parametrize("bad", [None, 3, "αQ", [("α", "Q")], {"α": 1}, {1: "Q"}, {"α": None}])
def test_bad_substitutions(bad):
    with pytest.raises(BadType):
        Substitution(bad)


@given(sts.templates(max_wildcards=3), st.permutations("ABCDEF"), st.data())
def test_compose_is_first_this_then_the_renaming(template, order, data):
    s = data.draw(sts.substitutions(template, alphabet="ABCDEF"))
    renaming = dict(zip("ABCDEF", order, strict=True))
    x = template.substitute(s)
    renamed = tuple(renaming.get(a, a) if a in s.image else a for a in x)
    assert template.substitute(s.compose(renaming)) == renamed
    assert s.compose({}) == s


@pytest.mark.parametrize(("w", "m"), [(0, 0), (0, 3), (1, 4), (2, 4), (3, 4), (4, 4), (3, 2)])
def test_all_maps_against_brute_force(w, m):
    wildcards, alphabet = "αβγδ"[:w], "PQRS"[:m]
    maps = Substitutions(wildcards, alphabet)
    brute = [image for image in product(alphabet, repeat=w) if len(set(image)) == w]
    assert maps.count == len(maps) == len(brute)
    assert [tuple(s[x] for x in wildcards) for s in maps] == brute
    assert [maps.rank(s) for s in maps] == list(range(len(brute)))
    assert [maps[i] for i in range(len(brute))] == list(maps)


def test_large_alphabets_cost_nothing():
    maps = Substitutions("αβγ", 1000)
    assert maps.count == 1000 * 999 * 998
    assert maps.rank(maps[123456789]) == 123456789
    with pytest.raises(TooLarge, match="997002000 members, too many to list"):
        list(maps)


def test_random_maps_are_uniform():
    maps = Substitutions("αβ", "PQR")
    rng = np.random.default_rng(5)
    seen = Counter(maps.random(rng) for _ in range(3000))
    assert len(seen) == 6
    # Five standard deviations of a binomial with n = 3000, p = 1/6.
    assert all(abs(n - 500) < 5 * (3000 * 5 / 36) ** 0.5 for n in seen.values())
    assert maps.random(7) == maps.random(7)


def test_the_maps_of_a_template_avoid_its_tokens():
    t = Template("αβS")
    maps = t.substitutions(4)
    assert maps.count == 6
    assert all(t.matches(t.substitute(s)) for s in maps)
    assert t.substitutions("PQS").count == 2
    assert t.substitutions("PQ").count == 2
    with pytest.raises(BadValue, match="too small"):
        t.substitutions(0)


def test_bad_collections():
    maps = Substitutions("αβ", "PQR")
    with pytest.raises(BadValue, match="has 6 members"):
        maps[6]
    assert maps[-1] == maps[5]
    for bad in (-7, None, 1.0, True, "0"):
        with pytest.raises((BadType, BadValue)):
            maps[bad]
    with pytest.raises(BadValue, match="not a map"):
        maps.rank(Substitution({"α": "P"}))
    with pytest.raises(BadType):
        maps.rank({"α": "P", "β": "Q"})
    with pytest.raises(BadType):
        maps.random(0.5)
    with pytest.raises(BadValue, match="is empty"):
        Substitutions("αβ", "P").random(0)
    with pytest.raises(BadValue, match="twice"):
        Substitutions("αβ", "PP")
    with pytest.raises(BadValue, match="wildcard"):
        Substitutions("αβ", "Pα")
    for bad in (None, 1.5, True):
        with pytest.raises(BadType):
            Substitutions("αβ", bad)
        with pytest.raises(BadType):
            Substitutions(bad, "PQ")
