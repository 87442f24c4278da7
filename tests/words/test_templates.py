from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import strategies as sts
from symbench.errors import BadType, BadValue, TooLarge
from symbench.words import Template, Templates, all_templates, count_templates

from . import oracles

A000110 = (1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975, 678570, 4213597, 27644437)
A005493 = (1, 3, 10, 37, 151, 674, 3263, 17007, 94828, 562595)  # 2-Bell numbers
A005494 = (1, 4, 17, 77, 372, 1915, 10481, 60814, 372939)  # 3-Bell numbers
A000296 = (1, 0, 1, 1, 4, 11, 41, 162, 715, 3425, 17722)  # no singletons
A007051 = (1, 2, 5, 14, 41, 122, 365)  # at most three blocks, from n = 1


def test_published_counts():
    assert [count_templates(n) for n in range(1, 14)] == list(A000110[1:])
    assert [count_templates(n, tokens=1) for n in range(1, 13)] == list(A000110[2:])
    assert [count_templates(n, tokens=2) for n in range(1, 10)] == list(A005493[1:])
    assert [count_templates(n, tokens="XYZ") for n in range(1, 9)] == list(A005494[1:])
    assert [count_templates(n, min_block=2) for n in range(1, 11)] == list(A000296[1:])
    assert [count_templates(n, max_wildcards=3) for n in range(1, 8)] == list(A007051)


restrictions = st.fixed_dictionaries(
    {},
    optional={
        "max_wildcards": st.integers(0, 4),
        "min_block": st.integers(1, 3),
        "with_last": st.booleans(),
        "sizes": st.lists(st.integers(1, 3), max_size=4),
    },
)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2), restrictions, st.integers(1, 40))
def test_families_against_brute_force(length, q, asked, chunk):
    kept = []
    sizes = asked.get("sizes")
    last = asked.get("with_last", False) and q > 0
    for word in oracles.codes(length, q):
        blocks = oracles.block_sizes(word, q)
        if len(blocks) > asked.get("max_wildcards", length):
            continue
        if min(blocks, default=9) < asked.get("min_block", 1):
            continue
        if last and word[-1] != q - 1:
            continue
        if sizes is not None and blocks != sorted(sizes):
            continue
        kept.append(word)
    options = {key: asked[key] for key in ("max_wildcards", "min_block") if key in asked}
    if last:
        options["last"] = "AB"[q - 1]
    if sizes is not None:
        room = length - last
        if sum(sizes) > room or (sum(sizes) < room and q == 0):
            with pytest.raises(BadValue, match="add up to"):
                all_templates(length, tokens=q, block_sizes=sizes, **options)
            return
        options["block_sizes"] = sizes
    family = all_templates(length, tokens=q, **options)
    names = "AB"[:q] + "αβγδε"
    expected = [Template([names[code] for code in word]) for word in kept]
    assert list(family) == expected
    assert family.count == len(expected) == count_templates(length, tokens=q, **options)
    assert [family[i] for i in range(len(expected))] == expected
    assert [family.rank(t) for t in expected] == list(range(len(expected)))
    chunks = list(all_templates(length, tokens=q, **options).arrays(chunk))
    assert [tuple(row) for block in chunks for row in block.tolist()] == kept
    assert all(len(block) == chunk for block in chunks[:-1])
    everything = {Template([names[code] for code in word]) for word in oracles.codes(length, q)}
    assert {t for t in everything if t in family} == set(expected)
    assert eval(repr(family)) == family


def test_arrays_of_a_longer_length_are_all_the_set_partitions():
    blocks = list(all_templates(11).arrays(chunk=50_000))
    assert max(map(len, blocks)) <= 50_000
    rows = np.concatenate(blocks)
    assert rows.shape == (A000110[11], 11)
    assert rows.dtype == np.uint8
    # Restricted growth: each entry is at most one more than all before it.
    top = np.maximum.accumulate(rows, axis=1).astype(int)
    assert (rows[:, 0] == 0).all()
    assert (rows[:, 1:] <= top[:, :-1] + 1).all()
    # Strictly increasing in lexicographic order, so no row comes twice.
    step = np.diff(rows.astype(int), axis=0)
    first = np.argmax(step != 0, axis=1)
    assert (step[np.arange(len(step)), first] > 0).all()


def test_chunks_do_not_share_memory():
    one, two = list(all_templates(4).arrays(chunk=8))
    before = two.copy()
    one[:] = 99
    assert (two == before).all()


@given(st.integers(0, 10**80), st.integers(40, 60), st.integers(0, 3))
def test_long_templates_rank_and_unrank(number, length, q):
    family = all_templates(length, tokens=q)
    rank = number % family.count
    template = family[rank]
    assert family.rank(template) == rank
    assert template.canonical == template


@settings(deadline=None)
@given(st.integers(0, 10**30), st.sampled_from([{"min_block": 2}, {"block_sizes": (5, 4, 4, 3)}]))
def test_long_restricted_templates_rank_and_unrank(number, options):
    family = Templates(20, tokens="A", **options)
    rank = number % family.count
    assert family.rank(family[rank]) == rank


def test_neighbours_at_length_60():
    family = all_templates(60)
    assert [str(t) for t in islice(family, 2)] == [str(family[0]), str(family[1])]
    assert (
        family[family.count - 1]
        == Template([str(i) for i in range(60)], wildcards=[str(i) for i in range(60)]).canonical
    )


@given(sts.templates(max_length=5, tokens="ST"))
def test_rank_takes_any_naming(template):
    family = all_templates(len(template), tokens="ST")
    assert family[family.rank(template)].is_equivalent(template)


def test_random_templates_are_uniform():
    import random

    family = all_templates(3, tokens="A")
    rng = random.Random(11)
    seen = Counter(family.random(rng) for _ in range(3000))
    assert set(seen) == set(family)
    p = 1 / 15
    assert all(abs(n - 3000 * p) < 5 * (3000 * p * (1 - p)) ** 0.5 for n in seen.values())


def test_the_longest():
    family = all_templates(400, tokens="A")
    assert family.rank(family[family.count - 5]) == family.count - 5
    # Counting goes further than ranking; A000296 has a(0) = 1 and a(n) + a(n + 1) = Bell(n).
    expected = 1
    for n in range(400):
        expected = (count_templates(n) if n else 1) - expected
    assert count_templates(400, min_block=2) == expected


def test_bad_input():
    for bad in (None, 1.0, True, "3"):
        with pytest.raises(BadType):
            all_templates(bad)
        with pytest.raises(BadType):
            all_templates(3, max_wildcards=bad if bad is not None else "x")
        with pytest.raises(BadType):
            all_templates(3, min_block=bad)
    for bad in (None, 1.5, True, {"A"}):
        with pytest.raises(BadType):
            all_templates(3, tokens=bad)
    with pytest.raises(BadValue, match="at least 1"):
        all_templates(0)
    with pytest.raises(BadValue, match="at least 0"):
        count_templates(3, tokens=-1)
    with pytest.raises(BadValue, match="not Greek"):
        all_templates(3, tokens="Aα")
    with pytest.raises(BadValue, match="twice"):
        all_templates(3, tokens="AA")
    with pytest.raises(BadValue, match="one of the tokens"):
        all_templates(3, last="A")
    with pytest.raises(BadType):
        all_templates(3, tokens="A", last=1)
    with pytest.raises(BadType):
        all_templates(3, block_sizes=3)
    with pytest.raises(BadType):
        all_templates(3, block_sizes=[1.5, 1.5])
    with pytest.raises(BadType):
        all_templates(3).arrays(chunk="8")
    with pytest.raises(BadValue):
        all_templates(3).arrays(chunk=0)
    with pytest.raises(TooLarge, match="1382958545 members, too many to list"):
        list(all_templates(15))
    family = all_templates(3, tokens="A")
    with pytest.raises(BadValue, match="has 15 members"):
        family[15]
    with pytest.raises(BadType):
        family["0"]
    with pytest.raises(BadType):
        family.rank("ααα")
    with pytest.raises(BadValue, match="is not in"):
        family.rank(Template("αα"))
    with pytest.raises(BadValue, match="is not in"):
        family.rank(Template("ααB"))
    assert "ααα" not in family
    with pytest.raises(BadType):
        family.random("0")
    with pytest.raises(BadValue, match="is empty"):
        all_templates(1, min_block=2).random(0)


def test_arrays_by_their_old_keywords() -> None:
    with pytest.warns(DeprecationWarning, match="arrays"):
        blocks = list(all_templates(4, tokens="A", as_arrays=True, chunk=10))
    wanted = all_templates(4, tokens="A").arrays(chunk=10)
    assert [b.tolist() for b in blocks] == [b.tolist() for b in wanted]


@pytest.mark.parametrize(
    "family",
    [
        all_templates(1),
        all_templates(4),
        all_templates(5, tokens=["print", "1", "CLS"], last="CLS"),
        all_templates(9, max_wildcards=2),
    ],
    ids=repr,
)
def test_iteration_and_ranks_agree(family):
    """One goes by pieces of arrays of codes, the other letter by letter."""
    listed = list(family)
    assert listed == [family[rank] for rank in range(family.count)]
    assert all(z == Template(list(z.letters), wildcards=list(z.wildcards)) for z in listed)
