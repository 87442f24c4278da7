"""What every kernel says about itself: its symmetry, its values on tables, counts and arrays."""

from __future__ import annotations

import pickle

import attrs
import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, NotSupported
from symbench.exact import QQ, Matrix
from symbench.exact.rational import exact_number
from symbench.kernels import (
    Diagram,
    HardAttention,
    attention,
    from_function,
    from_table,
    generic,
    identity_attention,
    inner_product,
    linear_attention,
    polynomial,
    ring_attention,
    segment_attention,
    softmax_attention,
    tangent,
    transformer,
)
from symbench.kernels.base import symmetry_of
from symbench.kernels.positions import PositionalAttention
from symbench.young.position_groups import CyclicGroup, YoungSubgroup, elements

L = 4
LAST = {"readout": "last"}
_NEAR = [2, 1, 0, 1]


def _matches(table):
    return sum(row[u] for u, row in enumerate(table))


EXACT = [
    linear_attention(1, "1/2"),
    linear_attention(readout="flatten"),
    linear_attention("1/3", 2, readout="flatten", layers=2),
    linear_attention(1, 1, **LAST),
    tangent(linear_attention("1/2", 1), token_rate="1/3"),
    tangent(linear_attention(1, 1, readout="flatten", layers=2)),
    tangent(linear_attention(**LAST)),
    inner_product([1, 2, "1/2", 5, 7]),
    inner_product(lambda n: n**2, incidence=True),
    inner_product(),
    HardAttention(),
    identity_attention(q="1/2", gamma=1),
    attention(gamma="1/2", order=2),
    attention(order=2, softmax_scale="appendix-H"),
    attention(beta=1, gamma=1, weights="exponential"),
    attention(beta=1, gamma=1, weights="linear", softmax_scale="appendix-H"),
    softmax_attention(1, 2, scale=0),
    softmax_attention(1, 2, scale=0, **LAST),
    PositionalAttention("1/2", [[2, 1, 1, 1], [1, 2, 1, 1], [1, 1, 2, 1], [1, 1, 1, 2]]),
    segment_attention(1, "1/2", 1, segments=(3, 1)),
    segment_attention(1, 1, 2, segments=(2, 2), readout="flatten", layers=2),
    transformer(polynomial([1, 1, 2]), linear_attention(1, 1)),
    transformer("relu", linear_attention("1/2", 1, **LAST)),
    transformer("exp", segment_attention(1, 1, 1, segments=(1, 3))),
    transformer(polynomial([0, 1, 1]), attention(beta=1, gamma=1, weights="exponential")),
    from_table(_matches),
]
UNKNOWN = [
    generic(),
    from_function(lambda x, y: int(x == y)),
    linear_attention(1, 1, causal=True),
    tangent(linear_attention(1, 1, causal=True)),
    transformer("relu", generic()),
]
ROTATED = [
    ring_attention(1, 1, positions=_NEAR),
    ring_attention("1/2", "1/3", positions=_NEAR, readout="flatten", layers=2),
    transformer(polynomial([1, 2]), ring_attention(1, 1, positions=_NEAR)),
]
words = st.lists(st.integers(0, 2), min_size=L, max_size=L).map(tuple)


def segments(group, x, y, vocabulary=3):
    """The tables of two words, one for each segment, counted here."""
    found, start = [], 0
    for part in group.parts:
        rows = [[0] * vocabulary for _ in range(vocabulary)]
        for u, v in zip(x[start : start + part], y[start : start + part], strict=True):
            rows[u][v] += 1
        found.append(tuple(map(tuple, rows)))
        start += part
    return found


def number(value):
    return exact_number(value) if isinstance(value, flint.fmpq) else value


def same(a, b):
    return a.overlaps(b) if isinstance(a, flint.arb) else number(a) == number(b)


@pytest.mark.parametrize("kernel", EXACT, ids=repr)
@settings(max_examples=25, deadline=None)
@given(x=words, y=words)
def test_values_on_tables(kernel, x, y):
    group = kernel.symmetry(L)
    tables = segments(group, x, y)
    assert same(kernel.on_table(*tables), kernel.on_diagram(Diagram.from_codes(x + y)))


def changed(kernel, group, x, y):
    """A permutation of the group after which the kernel has another value."""
    here = kernel.on_diagram(Diagram.from_codes(x + y))
    for move in elements(group):
        gx, gy = tuple(x[a] for a in move), tuple(y[a] for a in move)
        if not same(here, kernel.on_diagram(Diagram.from_codes(gx + gy))):
            return move
    return None


@pytest.mark.parametrize("kernel", [*EXACT, *ROTATED], ids=repr)
@settings(max_examples=8, deadline=None)
@given(x=words, y=words)
def test_symmetry(kernel, x, y):
    assert symmetry_of(kernel, L) == kernel.symmetry(L)
    assert changed(kernel, kernel.symmetry(L), x, y) is None


@pytest.mark.parametrize("kernel", EXACT, ids=repr)
def test_a_larger_group_is_too_large(kernel):
    """Where fewer than all permutations are named, one of the others changes the kernel."""
    if kernel.symmetry(L) == YoungSubgroup(L) or getattr(kernel, "scale", 1) == 0:
        return  # uniform attention does not see which position is read
    x, y = (0, 1, 1, 2), (1, 1, 0, 2)
    assert changed(kernel, YoungSubgroup(L), x, y) is not None


@pytest.mark.parametrize("kernel", UNKNOWN, ids=repr)
def test_nothing_is_known(kernel):
    assert symmetry_of(kernel, L) is None


def test_groups():
    plain, last = linear_attention(1, 1), linear_attention(1, 1, **LAST)
    assert (plain.symmetry(1), last.symmetry(1)) == (YoungSubgroup(1), YoungSubgroup(1))
    assert last.symmetry(5) == softmax_attention(1, 1, **LAST).symmetry(5) == YoungSubgroup(4, 1)
    assert ROTATED[0].symmetry(4) == CyclicGroup(4)
    alike = ring_attention(1, 1, positions=[3, 1, 1, 1])
    assert alike.symmetry(4) == YoungSubgroup(4)
    assert segment_attention(1, 1, 1, segments=(1, 2, 1)).symmetry(4) == YoungSubgroup(1, 2, 1)
    # Two positions of variance 1 around one of variance 2: no neighbours are alike.
    assert PositionalAttention(1, [[1, 0, 0], [0, 2, 0], [0, 0, 1]]).symmetry(3).parts == (1, 1, 1)
    with pytest.raises(BadShape):
        ROTATED[0].symmetry(5)


def test_a_kernel_of_ones_own():
    class OnTable:
        def on_table(self, table):
            return _matches(table)

    class Plain:
        pass

    assert symmetry_of(OnTable(), 3) == YoungSubgroup(3)
    assert symmetry_of(OnTable, 3) is symmetry_of(Plain(), 3) is None


@pytest.mark.parametrize(
    "kernel", [k for k in EXACT if hasattr(k, "in_counts") and k.symmetry(L) == YoungSubgroup(L)]
)
@settings(max_examples=25, deadline=None)
@given(x=words, y=words)
def test_values_in_counts(kernel, x, y):
    M, h, n, alpha, beta = QQ["M", "h", "L", "alpha", "beta"].gens
    symbolic = kernel.in_counts(M, h, n, alpha=alpha, beta=beta)
    diagram = Diagram.from_codes(x + y)
    wanted = kernel.on_diagram(diagram)
    assert number(kernel.in_counts(diagram.meetings, diagram.matches, L)) == wanted
    point = {"M": diagram.meetings, "h": diagram.matches, "L": L, "alpha": 2, "beta": 3}
    found = Matrix([[symbolic]]).evaluate(point)[0, 0]
    if kernel.plain.alpha is None:
        wanted = attrs.evolve(kernel, alpha=2, beta=3).on_diagram(diagram)
    assert found == wanted


def test_no_polynomial_in_counts():
    for options in (LAST, {"causal": True}):
        assert linear_attention(1, 1, **options).in_counts(4, 2, 2) is None
        assert tangent(linear_attention(1, 1, **options)).in_counts(4, 2, 2) is None


_FAST = [
    *(k for k in EXACT if hasattr(k, "gram")),
    ring_attention("1/2", "1/3", positions=_NEAR, readout="flatten", layers=3),
    linear_attention("1/7", "1/5", layers=4),
]


@pytest.mark.parametrize("kernel", _FAST, ids=repr)
@settings(max_examples=15, deadline=None)
@given(left=st.lists(words, min_size=1, max_size=3), right=st.lists(words, min_size=1, max_size=3))
def test_gram(kernel, left, right):
    found = kernel.gram(np.array(left), np.array(right))
    if found is None:
        assert kernel.plain.alpha is None
        return
    values, below = found
    assert values.shape == (len(left), len(right))
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            wanted = kernel.on_diagram(Diagram.from_codes(x + y))
            assert exact_number(f"{values[i, j]}/{below}") == wanted


def test_gram_where_there_is_none():
    words = np.array([[0, 1], [1, 1]])
    assert linear_attention(1, 1, causal=True).gram(words, words) is None
    assert linear_attention(1).gram(words, words) is None
    assert ROTATED[0].gram(words, words) is None
    with pytest.raises(BadShape):
        linear_attention(1, 1).gram(words, words[:, :1])
    for bad in ([[0, 1]], np.array([0, 1]), np.array([[0.5, 1]])):
        with pytest.raises(BadType):
            linear_attention(1, 1).gram(bad, bad)


@pytest.mark.parametrize(
    "kernel",
    [
        attention(beta=1, gamma=1),
        attention(beta=1, gamma="1/2", softmax_scale="appendix-H"),
        softmax_attention(1, 1),
        softmax_attention(1, "1/2", **LAST),
        transformer("relu", attention(beta=1, gamma=1)),
        transformer("erf", softmax_attention(1, 1, **LAST)),
    ],
    ids=repr,
)
def test_float_values_on_tables(kernel):
    x, y = (0, 1, 0), (0, 0, 1)
    group = kernel.symmetry(3)
    tables = segments(group, x, y, 2)
    place = tables[0] if len(tables) == 1 else tuple(tables)
    one, two = kernel.on_tables([place, place], digits=5)
    wanted = float(kernel.on_diagram(Diagram.from_codes(x + y), digits=5))
    for value in (*one, *two):
        assert abs(value - wanted) < 1e-5 * abs(wanted)
    with pytest.raises(NotSupported):
        kernel.on_table(*tables)


def test_bad_tables():
    kernel = linear_attention(1, 1)
    for bad, error in [
        (None, BadType),
        ("AB", BadType),
        (((1, 0), (1,)), BadShape),
        (((1, 0),), BadShape),
        (((-1,),), BadValue),
        (((0.5,),), NotExact),
    ]:
        with pytest.raises(error):
            kernel.on_table(bad)
        with pytest.raises(error):
            inner_product().on_table(bad)
    assert kernel.on_table(np.array([[1, 0], [1, 0]])) == 24
    with pytest.raises(BadShape):
        kernel.on_table(((1,),), ((1, 0), (0, 0)))
    with pytest.raises(NotSupported, match="mask"):
        linear_attention(1, 1, causal=True).on_table(((1,),))
    with pytest.raises(NotExact):
        from_table(lambda table: 0.5).on_table(((1,),))
    with pytest.raises(BadShape, match="segments"):
        segment_attention(1, 1, 1, segments=(2, 1)).on_table(((3,),))


@pytest.mark.parametrize("kernel", [k for k in EXACT if not hasattr(k, "function")], ids=repr)
def test_kernels_travel(kernel):
    if kernel == EXACT[8]:
        return  # a lambda does not pickle
    kernel.on_diagram(Diagram.of("ABAB", "ABBA"))
    again = pickle.loads(pickle.dumps(kernel))
    assert again == kernel
    assert hash(again) == hash(kernel)
