"""Kernels on words against their values on strings, and symmetries against all permutations."""

from fractions import Fraction
from functools import cache
from itertools import permutations, product

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadValue
from symbench.kernels import (
    inner_product,
    linear_attention,
    polynomial,
    ring_attention,
    segment_attention,
    tangent,
    transformer,
)
from symbench.kernels.on_words import WordKernel
from symbench.young.position_groups import CyclicGroup, YoungSubgroup

L, V = 4, 2
WORDS = list(product(range(V), repeat=L))
KERNELS = [
    linear_attention(1, "1/2"),
    linear_attention("2/3", 1, readout="last"),
    linear_attention(1, 1, readout="flatten", causal=True),
    tangent(linear_attention(1, 2, readout="flatten"), position_rate=0),
    inner_product([0, 1, 4, 9, "1/3"]),
    transformer(polynomial([0, 1, 1]), linear_attention(1, 1, readout="last")),
    ring_attention(1, 1, positions=[2, 1, 0, 1]),
    segment_attention(1, 1, "1/2", segments=(2, 2)),
]
GROUPS = [
    YoungSubgroup(4),
    YoungSubgroup(3, 1),
    YoungSubgroup(2, 2),
    YoungSubgroup(1, 2, 1),
    YoungSubgroup(2, 1, 1),
    CyclicGroup(4),
]


@cache
def on_strings(kernel):
    """The kernel from its values on strings of letters, all pairs of words."""
    text = ["".join("AB"[t] for t in word) for word in WORDS]
    found = [[Fraction(str(kernel.value(x, y))) for y in text] for x in text]
    return {(a, b): found[i][j] for i, a in enumerate(WORDS) for j, b in enumerate(WORDS)}


def elements(group):
    """All permutations of a group, from its description."""
    if isinstance(group, CyclicGroup):
        return [tuple((a + t) % L for a in range(L)) for t in range(L)]
    label = [k for k, part in enumerate(group.parts) for _ in range(part)]
    return [g for g in permutations(range(L)) if all(label[a] == label[b] for a, b in enumerate(g))]


def tables(x, y, parts):
    """One table for each segment, counted pair by pair."""
    found, start = [], 0
    for part in parts:
        here = list(zip(x, y, strict=True))[start : start + part]
        found.append(tuple(tuple(here.count((u, v)) for v in range(V)) for u in range(V)))
        start += part
    return tuple(found)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_values_tables_and_arrays(kernel):
    wanted, found = on_strings(kernel), WordKernel(kernel, L, V)
    array = np.array(WORDS)
    whole, below = found.gram(array, array)
    for i, x in enumerate(WORDS):
        for j, y in enumerate(WORDS):
            value = found.value(x, y)
            assert Fraction(int(value.p), int(value.q)) == wanted[x, y]
            assert Fraction(int(whole[i, j]), below) == wanted[x, y]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("group", GROUPS, ids=repr)
def test_invariance_is_found_iff_it_is_there(kernel, group):
    values, found = on_strings(kernel), WordKernel(kernel, L, V)
    moves = elements(group)
    true = all(
        value == values[tuple(x[a] for a in g), tuple(y[a] for a in g)]
        for (x, y), value in values.items()
        for g in moves
    )
    assert (found.invariance(group).known is not None) == true
    if not true:
        with pytest.raises(BadValue, match="not invariant"):
            found.require(group)
    elif isinstance(group, YoungSubgroup):
        by_tables = found.by_tables(group)
        for (x, y), value in values.items():
            seen = by_tables(tables(x, y, group.parts))
            assert Fraction(int(seen.p), int(seen.q)) == value


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 15), st.integers(0, 15), st.integers(1, 9))
def test_one_wrong_value_among_all_pairs_is_seen(i, j, change):
    """A kernel that is the number of matches but at one pair of words, and the pair exchanged."""

    def kernel(x, y):
        off = {x, y} == {WORDS[i], WORDS[j]} and (i != j or x == y)
        return sum(u == v for u, v in zip(x, y, strict=True)) + change * off

    # Only a pair in which all positions are alike has no other image.
    constant = len(set(zip(WORDS[i], WORDS[j], strict=True))) == 1
    known = WordKernel(kernel, L, V).invariance(YoungSubgroup(L)).known
    assert (known == "all pairs") == constant


def test_asymmetry_is_refused():
    with pytest.raises(BadValue, match="not symmetric"):
        WordKernel(lambda x, y: sum(x), 2, 2).invariance(YoungSubgroup(2))


def test_long_words_are_sampled_where_tokens_are_rare_too():
    """The kernel changes only on words of one token that all but agree: seen among drawn pairs."""

    def kernel(x, y):
        return int(sum(x) + sum(y) <= 2) * (x[0] + y[0]) * 10 + flint.fmpq(1, 3)

    found = WordKernel(kernel, 12, 2).invariance(YoungSubgroup(12))
    assert found.known is None
