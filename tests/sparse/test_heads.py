"""Heads against matrices multiplied out and all inputs gone through."""

from __future__ import annotations

import random
import time
from fractions import Fraction
from itertools import product

import attrs
import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    SymbenchError,
    TooCoherent,
    TooLarge,
    UnknownName,
)  # fmt: skip

sparse = sb.sparse
F = Fraction


def layer(head, word):
    """The head as a layer of attention: tokens, W_Q, W_K, W_V, W_C written out, softmax taken.

    Vectors are integers divided by a square root, so scores are computed from products of rows;
    exp(R/D) is the base, and a score r is the power r D of it.
    """
    encoding, bag = head.encoding, head.construction == "bag"
    T, s = head.length, head.sparsity
    rows = (
        np.eye(T, dtype=np.int64) if encoding.vectors is None and encoding.coherence == 0
        else encoding.vectors
    )  # fmt: skip
    d = rows.shape[1]
    # Coordinates: those of the positions, CLS, E_0, E_1.
    tokens = []
    for t, bit in enumerate(word):
        token = [F(int(x)) for x in rows[t]] + [F(0), F(0), F(0)]
        if bag and not bit:
            token = [F(0)] * (d + 3)
        if not bag:
            token[d + 1 + bit] = F(1)
        tokens.append(token)
    tokens.append([F(0)] * d + [F(1), F(0), F(0)])
    u = [F(0)] * d
    for c, place in zip(head.key, head.positions, strict=True):
        u = [x + F(c) * int(y) / encoding.norm for x, y in zip(u, rows[place - 1], strict=True)]
    W_K = [*u, F(int(bag)), F(0), F(0)]
    W_V = [*u, F(-s), F(0), F(0)] if bag else [F(0)] * d + [F(0), F(-1), F(1)]

    def dot(a, b):
        return sum((x * y for x, y in zip(a, b, strict=True)), F(0))

    scores = [dot(W_K, token) for token in tokens]
    powers = [F(head.base) ** int(r * head.denominator) for r in scores]
    assert all((r * head.denominator).denominator == 1 for r in scores)
    return sum((p * dot(W_V, t) for p, t in zip(powers, tokens, strict=True)), F(0)) / sum(powers)


CASES = [
    ("mean", None, 5, (2, 4), 9),
    ("mean", None, 4, (1, 2, 3, 4), "7/2"),
    ("mean", "flipped_simplex(4)", 8, (1, 2), 3),
    ("mean", "from_vectors([['3/5', '4/5'], [1, 0], [0, 1]])", 3, (2,), 2),
    ("mean", "random_signs(7, 40, seed=8)", 7, (1, 5), 2),
    ("bag", None, 5, (2, 4), 50),
    ("bag", "flipped_simplex(4)", 8, (1, 2), 3),
]


@pytest.mark.parametrize(("construction", "encoding", "T", "places", "base"), CASES)
def test_a_head_is_a_layer_of_attention(construction, encoding, T, places, base):
    chosen = None if encoding is None else eval(f"sparse.{encoding}")
    head = sparse.head(
        sparse.parity(1), T, construction=construction, encoding=chosen, positions=places, base=base
    )
    worst = F(0)
    for word in product((0, 1), repeat=T):
        found = layer(head, word)
        assert head.value(word) == found
        ones = sum(word[a - 1] for a in places)
        goal = F(ones - len(places), ones + 1) if construction == "bag" else sum(
            (F(2 * word[a - 1] - 1, len(places)) for a in places), F(0))  # fmt: skip
        assert goal == head.goal(ones)
        worst = max(worst, abs(found - goal))
    assert head.error == worst
    if construction == "mean":
        outputs, below = head.outputs()
        words = product((0, 1), repeat=T)
        assert all(F(int(x), below) == head.value(w) for x, w in zip(outputs, words, strict=True))
        assert head.certificate().check()


def test_the_vectors_of_the_notes():
    assert sparse.head(sparse.conjunction(3), 16, base=60).error == F(27, 194)
    pair = sparse.hadamard(2)
    for base, error in ((3, F(181, 577)), (4, F(1, 9))):
        head = sparse.head(sparse.parity(1), 32, encoding=pair, positions=(1, 17), base=base)
        assert (head.error, head.scores) == (error, ((F(1, 5), 30),))
        assert head.norms.key_squared == F(8, 5)
    found = sparse.network(sparse.from_anf([(1, 2), (3,)]), 10)
    for T, s, base, error in ((8, 3, 280, F(1, 12)), (6, 2, 90, F(1, 8))):
        bag = sparse.head(sparse.conjunction(s), T, construction="bag")
        assert (bag.base, bag.error) == (base, error)
    assert [h.base for h in found.heads] == [40, 40, 40]
    single = sparse.head(sparse.parity(1), 10, base=30)
    assert single.error == F(19, 40)


def test_all_2_to_the_16_inputs():
    head = sparse.head(sparse.moved(sparse.conjunction(3), (2, 7, 11)), 16, base=60)
    start = time.process_time()
    outputs, below = head.outputs()
    words = np.arange(1 << 16)
    ones = sum((words >> (16 - a)) & 1 for a in (2, 7, 11))
    largest = np.abs(3 * outputs - (2 * ones - 3) * below).max()
    assert time.process_time() - start < 1
    assert F(int(largest), 3 * below) == head.error == F(27, 194)


@settings(max_examples=30)
@given(st.integers(1, 5), st.integers(0, 10**9), st.fractions("1/50", 2, max_denominator=50))
def test_the_error_is_at_most_a_quarter_of_gamma(s, more, gamma):
    T = s + more
    head = sparse.head(sparse.conjunction(s), T, gamma=gamma)
    n = T + 1 - s
    assert head.error <= gamma / 4
    assert head.error == (1 - head.mass) * (2 - F(1, n))
    # The least base with this error.
    least = ((2 * n - 1) * 4 / gamma - n) / s
    if least > 1:
        assert attrs.evolve(head, base=sb.rings.Rational(least)).error == gamma / 4


@settings(max_examples=20)
@given(st.integers(1, 4), st.integers(0, 10**6))
def test_bags_and_trainable_positions(s, more):
    T = s + more
    bag = sparse.head(sparse.conjunction(s), T, construction="bag")
    assert bag.error == F(1, 4 * s)
    assert bag.base == T * (4 * s * s - 1)
    trained = sparse.head(sparse.conjunction(s), T, construction="trainable")
    plain = sparse.head(sparse.conjunction(s), T)
    assert (trained.error, trained.base) == (plain.error, plain.base)
    assert (trained.norms.key_squared, plain.norms.key_squared) == (1, s)
    assert trained.certificate().check()


@pytest.mark.parametrize(
    "encoding", ["hadamard(3)", "unbiased(2)", "unbiased(3)", "equiangular(276)"]
)
def test_coherent_encodings(encoding):
    chosen = eval(f"sparse.{encoding}")
    dice = random.Random(1)
    for s in (1, 2, 3):
        if chosen.coherence * (2 * s - 1) >= 1:
            continue
        places = dice.sample(range(1, chosen.length + 1), s)
        head = sparse.head(sparse.parity(1), chosen.length, encoding=chosen, positions=places)
        d = chosen.coherence
        assert head.leak <= s * d / (1 - (s - 1) * d)
        assert head.norms.key_squared <= s / (1 - (s - 1) * d)
        assert head.error <= F(1, 2 * s)
        assert head.certificate().check()


def test_bags_of_coherent_positions():
    head = sparse.head(
        sparse.parity(2), 144, construction="bag", encoding=sparse.unbiased(2), positions=(1, 30)
    )
    assert head.error <= F(1, 8)
    assert len(head.scores) > 1


def test_too_coherent():
    with pytest.raises(TooCoherent, match=r"1/2 v_1 \+ 1/2 v_2 = 1/2 v_3 \+ 1/2 v_4") as caught:
        sparse.head(sparse.parity(2), 4, encoding=sparse.flipped_simplex(2))
    assert caught.value.certificate.check(sparse.flipped_simplex(2))
    twice = sparse.from_vectors([[1, 0], [1, 0], [0, 1]])
    with pytest.raises(TooCoherent):
        sparse.head(sparse.parity(2), 3, encoding=twice)
    with pytest.raises(TooCoherent) as caught:
        sparse.head(sparse.parity(1), 3, encoding=twice)
    assert caught.value.certificate.check(twice)


@pytest.mark.parametrize("construction", ["mean", "trainable"])
@pytest.mark.parametrize("T", [3, 10])
def test_networks_output_the_function(construction, T):
    for f in (
        sparse.boolean([0, 1, 1, 0, 1, 0, 0, 0]),
        sparse.truth_table([3, "1/2", 0, -7]),
        sparse.majority(3),
        sparse.moved(sparse.parity(2), (1, 3)),
        sparse.from_anf([(1, 2), (3,)]),
    ):
        found = sparse.network(f, T, construction=construction)
        assert found.exact
        assert found.outputs() == [f.value(w) for w in product((0, 1), repeat=T)]


def test_networks_of_bags():
    found = sparse.network(sparse.threshold(3, 2), 6, construction="bag")
    assert found.exact
    for word in product((0, 1), repeat=6):
        assert found.value(word) == int(sum(word[:3]) >= 2)


def test_another_delta_is_not_exact():
    good = sparse.network(sparse.conjunction(2), 8)
    assert good.exact
    for delta, exact in (("1/8", False), ("1/4", True), ("3/8", True), ("7/16", False)):
        assert sparse.network(sparse.conjunction(2), 8, delta=delta).exact is exact


def test_the_memoriser_in_its_layers():
    net = sparse.memoriser({(0, 0): 2, (0, 1): 3, (1, 0): -5}, gamma=1, delta="3/8")
    W1, b1, W2, b2, w = net.layers()
    dice = random.Random(4)
    for _ in range(50):
        x = [F(dice.randrange(-16, 32), 16) for _ in range(2)]
        hidden = [max(sum(a * y for a, y in zip(row, x, strict=True)) + b, 0)
                  for row, b in zip(W1, b1, strict=True)]  # fmt: skip
        second = [max(sum(a * y for a, y in zip(row, hidden, strict=True)) + b, 0)
                  for row, b in zip(W2, b2, strict=True)]  # fmt: skip
        assert net.value(x) == sum(a * y for a, y in zip(w, second, strict=True))
        for point, value in zip(net.points, net.values, strict=True):
            if max(abs(a - b) for a, b in zip(point, x, strict=True)) <= F(1, 4):
                assert net.value(x) == value
    assert net.norms["w"] == 5


def test_fast_at_a_million():
    sparse.head(sparse.conjunction(3), 10**6).certificate().check()
    start = time.process_time()
    for _ in range(10):
        assert sparse.head(sparse.conjunction(3), 10**6).certificate().check()
    assert time.process_time() - start < 0.5
    assert sparse.head(sparse.conjunction(3), 10**9).certificate().check()


def test_norms_and_gaps():
    head = sparse.head(sparse.conjunction(3), 10**6)
    assert head.norms.query.overlaps(flint.arb(3999992).log())
    assert abs(float(head.logit_gap) - 15.2018) < 1e-4
    assert head.norms.value_squared == 2


def test_pictures(tmp_path):
    head = sparse.head(sparse.conjunction(3), 50)
    figure = head.plot(tmp_path / "head.svg")
    assert (tmp_path / "head.svg").stat().st_size > 0
    assert sum(bar.get_height() for bar in figure.axes[0].patches) == pytest.approx(1)
    assert sum(head.weights().values()) == 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: sparse.head(sparse.parity(5), 4), BadShape),
        (lambda: sparse.head(sparse.of_weight([1, 1]), 4), BadValue),
        (lambda: sparse.network(sparse.of_weight([1, 1]), 4), BadValue),
        (lambda: sparse.head([0, 1], 4), BadType),
        (lambda: sparse.head(sparse.parity(2), 4, construction="sum"), UnknownName),
        (lambda: sparse.head(sparse.parity(2), 4, encoding=sparse.hadamard(1)), BadShape),
        (lambda: sparse.head(sparse.parity(2), 4, encoding=[[1]]), BadType),
        (lambda: sparse.head(sparse.parity(2), 8, encoding=sparse.hadamard(1),
                             construction="trainable"), BadValue),
        (lambda: sparse.head(sparse.parity(2), 4, base=1), BadValue),
        (lambda: sparse.head(sparse.parity(2), 4, base=2.5), NotExact),
        (lambda: sparse.head(sparse.parity(2), 4, gamma=0), BadValue),
        (lambda: sparse.head(sparse.parity(2), 4, positions=(1, 5)), BadShape),
        (lambda: sparse.head(sparse.parity(2), 4).value((0, 1, 2, 0)), BadValue),
        (lambda: sparse.head(sparse.parity(2), 4).value((0, 1)), BadShape),
        (lambda: sparse.head(sparse.parity(2), 10**6).value((0, 1)), BadShape),
        (lambda: sparse.head(sparse.parity(2), 30).outputs(), TooLarge),
        (lambda: sparse.head(sparse.parity(2), 4, construction="bag").certificate(), BadValue),
        (lambda: sparse.head(sparse.parity(2), 4, construction="bag").weights(), BadValue),
        (lambda: sparse.network(sparse.from_anf([(1, 2), (3,)]), 4, construction="bag"), BadValue),
        (lambda: sparse.memoriser({(0,): 1, (1,): 2}, gamma=2), BadValue),
        (lambda: sparse.memoriser({(0,): 1}, gamma=0), BadValue),
        (lambda: sparse.memoriser({}, gamma=1), BadShape),
        (lambda: sparse.memoriser([], gamma=1), BadType),
        (lambda: sparse.memoriser({(0,): 1}, gamma=1).value([1, 2]), BadShape),
        (lambda: sparse.bump(0, delta=0), BadValue),
    ],
)  # fmt: skip
def test_bad_input(call, error):
    with pytest.raises(SymbenchError) as caught:
        call()
    assert type(caught.value) is error
