"""Softmax attention with all queries: against Monte Carlo, quadrature and kernels (3), (23)."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotSupported,
    SymbenchError,
    TooLarge,
    Undecided,
    UnknownName,
)
from symbench.kernels.attention import attention
from symbench.kernels.diagram import Diagram
from symbench.kernels.softmax import averages
from symbench.kernels.softmax.averages import (
    BinarySums,
    ContractedSums,
    Logits,
    binary_form,
    independent_values,
)
from symbench.kernels.softmax_attention import SoftmaxAttention, softmax_attention
from symbench.kernels.tables import tables_with
from symbench.spectra import eigenvalue_scaling


# --- slow oracles, from the definition --------------------------------------------------------
def covariance(x, y, alpha, beta):
    return alpha * np.equal.outer(list(x), list(y)) + beta * np.eye(len(x))


def read_out(layer, readout):
    """What a readout makes of the covariance after the layer."""
    if readout == "sum":
        return layer.sum()
    return np.trace(layer) if readout == "flatten" else layer[-1, -1]


def softmax(scores):
    growth = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return growth / growth.sum(axis=-1, keepdims=True)


def embeddings(x, letters, alpha, beta):
    """Vectors whose inner products are exactly alpha 1[x_a = y_b] + beta 1[a = b]."""
    tokens = math.sqrt(alpha) * np.equal.outer(list(x), letters)
    return np.hstack([tokens, math.sqrt(beta) * np.eye(len(x))])


def monte_carlo(x, y, alpha, beta, scale, readout, samples, seed, inner=None):
    """Mean and standard error over random heads, scores of all queries in both strings.

    A head's scores are z_a^T G z_c with a Gaussian matrix G; with `inner` they are made of
    queries and keys of that width, which tends to the same as it grows.
    """
    generator = np.random.default_rng(seed)
    letters = sorted({*x, *y})
    zx, zy = (embeddings(w, letters, alpha, beta) for w in (x, y))
    width = zx.shape[1]
    if inner is None:
        heads = generator.standard_normal((samples, width, width))
    else:
        query, key = generator.standard_normal((2, samples, inner, width))
        heads = np.einsum("nki,nkj->nij", query, key, optimize=True) / math.sqrt(inner)
    px, py = (
        softmax(scale * np.einsum("ai,nij,cj->nac", z, heads, z, optimize=True)) for z in (zx, zy)
    )
    between = covariance(x, y, alpha, beta)
    if readout == "sum":
        found = np.einsum("nac,cd,nbd->n", px, between, py, optimize=True)
    elif readout == "flatten":
        found = np.einsum("nac,cd,nad->n", px, between, py, optimize=True)
    else:
        found = np.einsum("nc,cd,nd->n", px[:, -1], between, py[:, -1], optimize=True)
    return found.mean(), found.std() / math.sqrt(samples)


def gauss_hermite(x, y, alpha, beta, scale, readout, nodes):
    """The layer by quadrature over the joint law of the score differences, pair by pair."""
    length = len(x)
    inside = [covariance(w, w, alpha, beta) for w in (x, y)]
    between = covariance(x, y, alpha, beta)
    # Differences to the last key: softmax sees nothing else.
    minus = np.hstack([np.eye(length - 1), -np.ones((length - 1, 1))])
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    layer = np.zeros((length, length))
    for a, b in itertools.product(range(length), repeat=2):
        own = [inside[0][a, a] * inside[0], inside[1][b, b] * inside[1]]
        cross = between[a, b] * between
        joint = scale**2 * np.block([[own[0], cross], [cross.T, own[1]]])
        both = np.kron(np.eye(2), minus)
        values, vectors = np.linalg.eigh(both @ joint @ both.T)
        assert values.min() > -1e-12
        alive = values > 1e-12
        root = vectors[:, alive] * np.sqrt(values[alive])
        dimension = root.shape[1]
        grid = np.stack(np.meshgrid(*[points] * dimension, indexing="ij")).reshape(dimension, -1)
        weight = np.ones(1)
        for _ in range(dimension):
            weight = np.multiply.outer(weight, weights).ravel()
        scores = np.vstack([root @ grid, np.zeros((1, grid.shape[1]))])
        p = softmax(scores[[*range(length - 1), -1]].T)
        q = softmax(scores[[*range(length - 1, 2 * length - 2), -1]].T)
        layer[a, b] = weight @ np.einsum("nc,cd,nd->n", p, between, q, optimize=True)
    return read_out(layer, readout)


def table_of(x, y, letters="AB"):
    pairs = list(zip(x, y, strict=True))
    return tuple(tuple(pairs.count((u, v)) for v in letters) for u in letters)


def words(length, letters="AB"):
    return ["".join(w) for w in itertools.product(letters, repeat=length)]


def on_two_lattices(kind, *arguments, **options):
    """The mean of the sums on the two lattices of a pair."""
    return np.mean([sums.values() for sums in kind.pair(*arguments, **options)], axis=0)


READOUTS = ("sum", "flatten", "last")
tables = (
    st.lists(st.integers(0, 3), min_size=4, max_size=4)
    .filter(any)
    .map(lambda n: ((n[0], n[1]), (n[2], n[3])))
)


# --- against the oracles ------------------------------------------------------------------------
@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize(("x", "y"), [("AB", "AA"), ("AB", "BA"), ("AA", "BB"), ("AB", "AB")])
def test_length_two_by_direct_quadrature(x, y, readout):
    kernel = softmax_attention(1, "1/2", readout=readout, scale="3/4")
    expected = gauss_hermite(x, y, 1, 0.5, 0.75, readout, 60)
    assert float(kernel.value(x, y, digits=9)) == pytest.approx(expected, rel=3e-9)


@pytest.mark.parametrize(
    ("x", "y", "readout"),
    [
        ("AAB", "ABA", "sum"),
        ("AAB", "BBB", "sum"),
        ("ABB", "AAB", "flatten"),
        ("ABB", "BAB", "last"),
    ],
)
def test_length_three_by_direct_quadrature(x, y, readout):
    kernel = softmax_attention("1/2", 1, readout=readout, scale="1/2")
    expected = gauss_hermite(x, y, 0.5, 1, 0.5, readout, 16)
    assert float(kernel.value(x, y, digits=8)) == pytest.approx(expected, rel=3e-8)


def test_three_tokens_by_direct_quadrature():
    kernel = softmax_attention(1, 1, scale="1/2")
    expected = gauss_hermite("ABC", "ACA", 1, 1, 0.5, "sum", 16)
    assert float(kernel.value("ABC", "ACA", digits=5)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize(("x", "y"), [("AABBA", "ABABB"), ("AAAAA", "ABBBB")])
def test_all_queries_by_monte_carlo(x, y, readout):
    kernel = softmax_attention(1, "3/2", readout=readout, scale="4/5")
    mean, error = monte_carlo(x, y, 1, 1.5, 0.8, readout, 60_000, seed=3)
    assert abs(float(kernel.value(x, y, digits=4)) - mean) < 5 * error
    assert error < 0.01 * mean


def test_a_network_with_queries_and_keys():
    kernel = softmax_attention(1, 1)
    mean, _ = monte_carlo("AABA", "ABBA", 1, 1, 1, "sum", 8_000, seed=5, inner=128)
    assert float(kernel.value("AABA", "ABBA")) == pytest.approx(mean, rel=0.02)


def test_four_tokens_by_monte_carlo():
    kernel = softmax_attention(1, 1)
    mean, error = monte_carlo("ABCD", "ABDC", 1, 1, 1, "sum", 60_000, seed=1)
    assert abs(float(kernel.value("ABCD", "ABDC", digits=3)) - mean) < 5 * error + 0.002 * mean


# --- where something is known exactly -------------------------------------------------------------
@pytest.mark.parametrize("readout", READOUTS)
def test_without_scores_attention_is_uniform(readout):
    kernel = softmax_attention(2, "1/3", readout=readout, scale=0)
    near = softmax_attention(2, "1/3", readout=readout, scale="1/100")
    assert (kernel.exactness, near.exactness) == ("exact", "float")
    for x, y in [("AAB", "ABB"), ("ABC", "BCA"), ("AA", "BB")]:
        length = len(x)
        meetings = sum(a == b for a in x for b in y)
        mean = (2 * Fraction(meetings) + Fraction(length, 3)) / length**2
        pairs = {"sum": length**2, "flatten": length, "last": 1}[readout]
        assert kernel.value(x, y) == mean * pairs
        if "C" not in x:
            found = near.value(x, y, digits=4)
            assert float(found) == pytest.approx(float(mean * pairs), rel=1e-3)


def test_one_position_attends_to_itself():
    for readout in READOUTS:
        kernel = softmax_attention("1/2", "3/2", readout=readout)
        assert float(kernel.value("A", "A")) == pytest.approx(2, rel=1e-6)
        assert float(kernel.value("A", "B")) == pytest.approx(1.5, rel=1e-6)


def test_one_token_without_positions():
    value = softmax_attention(2, 0).value("AAAA", "AAAA", digits=7)
    assert float(value) == pytest.approx(2 * 16, rel=1e-7)
    assert float(softmax_attention(2, 0).value("AA", "BB")) == 0


def test_without_tokens_all_strings_are_alike():
    kernel = softmax_attention(0, 1, readout="flatten")
    values = {float(kernel.value(x, y)) for x, y in [("AAAA", "AAAA"), ("ABCD", "ABAB")]}
    assert len(values) == 1
    mean, error = monte_carlo("AAAA", "ABCD", 0, 1, 1, "flatten", 40_000, seed=0)
    assert abs(values.pop() - mean) < 5 * error


@pytest.mark.parametrize(("x", "y"), [("AAB", "BAB"), ("ABBA", "AABB"), ("ABC", "AAC")])
def test_equal_queries_are_kernel_three_of_boix2024(x, y):
    # H_1 = alpha K_attn(beta', gamma'), gamma'^2 = beta / alpha,
    # beta'^2 = scale^2 alpha (alpha + beta): here 15 / 15 = 1 and 16 / 9.
    ours = softmax_attention(9, 16, readout="last", scale="1/15").value(x, y[:-1] + x[-1])
    theirs = attention(beta=1, gamma="4/3").value(x, y[:-1] + x[-1], digits=6)
    assert float(ours) == pytest.approx(9 * float(theirs), rel=2e-6)


@pytest.mark.parametrize(("x", "y"), [("AAB", "BAA"), ("AAB", "BAB")])
def test_the_last_query_is_kernel_23_of_boix2024(x, y):
    # alpha K_attn(scale alpha, sqrt(beta / alpha)), equal and different last tokens alike.
    ours = softmax_attention(2, 8, readout="last", scale="1/4").value(x, y, digits=5)
    theirs = attention(beta="1/2", gamma=2).with_softmax_scale("appendix-H").value(x, y, digits=5)
    assert float(ours) == pytest.approx(2 * float(theirs), rel=2e-5)


# --- two engines ----------------------------------------------------------------------------------
@settings(max_examples=10, deadline=None)
@given(tables, st.sampled_from([1.0, 0.7, 0.3]), st.sampled_from([(1, 1), (2, 0.5), (0.3, 1)]))
def test_matrix_products_against_contraction(table, rho, variances):
    logits = Logits.of(*variances, scale=0.9)
    fast = on_two_lattices(BinarySums, [binary_form(table)], logits, rho, accuracy=13.0)
    slow = on_two_lattices(ContractedSums, [table], logits, rho, accuracy=13.0, offset=0.2)
    assert fast == pytest.approx(slow, rel=3e-5)


@settings(max_examples=8, deadline=None)
@given(tables)
def test_a_small_correlation_tends_to_independence(table):
    logits = Logits.of(1, 1, scale=1)
    near = on_two_lattices(BinarySums, [binary_form(table)], logits, 1e-7, accuracy=13.0)
    assert near == pytest.approx(independent_values([table], logits, accuracy=20.0), rel=3e-5)


@settings(max_examples=3, deadline=None)
@given(st.lists(tables, min_size=1, max_size=3), st.sampled_from(["sum", "flatten"]))
def test_many_tables_are_many_values(some, readout):
    kernel = softmax_attention(1, "1/2", readout=readout)
    one, two = kernel.on_tables(some, digits=4)
    for table, a, b in zip(some, one, two, strict=True):
        cells = [("AB"[u], "AB"[v]) for u in (0, 1) for v in (0, 1) for _ in range(table[u][v])]
        x, y = ("".join(side) for side in zip(*cells, strict=True))
        assert a == pytest.approx(b, rel=1e-4)
        assert float(kernel.value(x, y, digits=4)) == pytest.approx(b, rel=1e-4)


def test_the_two_lists_are_two_computations():
    one, two = softmax_attention(1, 1).on_tables([((2, 1), (0, 2))], digits=4)
    assert one != two
    nine = softmax_attention(1, 1).on_tables([((2, 1), (0, 2))], digits=9)
    assert nine[0] == pytest.approx(nine[1], rel=1e-9)
    assert two == pytest.approx(nine[1], rel=1e-4)


def test_lattices_that_disagree_are_told(monkeypatch):
    tables, logits = [((2, 1), (0, 2))], Logits.of(1, 1, scale=1)
    wanted = [(tables[0], {Fraction(1): 1})]
    coarse = [1.0, 1.5, 2.0, 2.5]
    monkeypatch.setattr(averages, "fineness", lambda digits, attempt: coarse[attempt])
    with pytest.raises(Undecided, match=r"two lattices agree in [0-3] digits, not 8"):
        averages.two_lattices(wanted, logits, digits=8)
    # One that is fine enough is not believed by itself: a second one must agree with it.
    fine = [1.0, 25.0, 27.0]
    monkeypatch.setattr(averages, "fineness", lambda digits, attempt: fine[attempt])
    one, two = averages.two_lattices(wanted, logits, digits=8)
    assert one == pytest.approx(two, rel=1e-8)


def test_later_lattices_are_shifted():
    logits = Logits.of(1, 1, scale=1)
    places = []
    for attempt in (0, 1, 2):
        (pair,) = averages._sums([((2, 1), (0, 2))], 0.5, logits, 6, attempt)
        one, two = (sums.lattice.times[0] / sums.lattice.step % 1 for sums in pair)
        assert abs(one - two) == pytest.approx(0.5)
        places.append(min(one, two))
    assert np.allclose(np.diff(places) % 0.5, 0.3)


# --- symmetries -----------------------------------------------------------------------------------
@settings(max_examples=5, deadline=None)
@given(tables, st.sampled_from(READOUTS[:2]))
def test_flips_and_renaming_change_nothing(table, readout):
    kernel = softmax_attention(1, "1/2", readout=readout)
    (a, b), (c, d) = table
    alike = [table, ((a, c), (b, d)), ((d, c), (b, a)), ((d, b), (c, a))]
    alike.append(((a, 0, b), (0, 0, 0), (c, 0, d)))
    one, two = kernel.on_tables(alike, digits=4)
    assert len(set(one)) == len(set(two)) == 1


def test_equivalent_tables_agree_though_they_are_summed_differently():
    # Not through the common form: each is a sum over other rows and columns.
    logits = Logits.of(1, 2, scale=1)
    for rho in (1.0, 1 / 3):
        alike = [((3, 1), (0, 1)), ((3, 0), (1, 1))]
        one, two = on_two_lattices(BinarySums, alike, logits, rho, accuracy=18.0)
        assert one == pytest.approx(two, rel=1e-9)


@settings(max_examples=4, deadline=None)
@given(
    st.permutations(range(4)), st.sampled_from(["AABB", "ABBB"]), st.sampled_from(["ABAB", "AAAA"])
)
def test_permuting_positions_changes_nothing(order, x, y):
    kernel = softmax_attention(1, 1)
    moved = ["".join(w[i] for i in order) for w in (x, y)]
    assert kernel.value(x, y, digits=4) == kernel.value(*moved, digits=4)


def test_the_last_position_is_seen_by_last():
    kernel = softmax_attention(1, 1, readout="last")
    assert abs(float(kernel.value("AAB", "ABB")) - float(kernel.value("ABA", "ABB"))) > 0.1


@pytest.mark.parametrize("readout", READOUTS)
def test_positive_semidefinite(readout):
    kernel = softmax_attention(1, "1/2", readout=readout)
    strings = words(3)
    pairs = list(itertools.product(strings, repeat=2))
    if readout == "last":
        known = {}
        for x, y in pairs:
            key = table_of(x, y), x[-1] == y[-1]
            if key not in known:
                known[key] = float(kernel.value(x, y, digits=4))
        values = [known[table_of(x, y), x[-1] == y[-1]] for x, y in pairs]
    else:
        values = kernel.on_tables([table_of(x, y) for x, y in pairs], digits=4)[1]
    found = np.linalg.eigvalsh(np.array(values).reshape(len(strings), -1))
    assert found.min() > -1e-4 * found.max()
    # Every query sees every key: no function of the string is lost, unlike in linear attention.
    if readout == "flatten":
        assert found.min() > 1e-3 * found.max()


# --- the object -----------------------------------------------------------------------------------
def test_the_object_is_a_kernel():
    kernel = softmax_attention(1, "1/2", readout="flatten", scale="3/2")
    assert eval(repr(kernel)) == kernel
    assert eval(repr(softmax_attention(1, 0))) == SoftmaxAttention(1, 0)
    assert repr(softmax_attention(1, 1)) == "softmax_attention(1, 1, readout='sum')"
    assert (kernel.needs_cls, kernel.exactness) == (False, "float")
    value = kernel.on_diagram(Diagram.of("AB", "AA"), digits=4)
    assert (value.digits, value.exactness) == (4, "float")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((None, 1), BadType),
        ((1, None), BadType),
        ((True, 1), BadType),
        ((0.5, 1), NotExact),
        (("x", 1), SymbenchError),
        ((-1, 1), BadValue),
        ((1, 10**400), BadValue),
        ((1, Fraction(1, 10**400)), BadValue),
        (([], 1), SymbenchError),
    ],
)
def test_bad_variances(arguments, error):
    with pytest.raises(error) as caught:
        softmax_attention(*arguments)
    assert isinstance(caught.value, SymbenchError)


@pytest.mark.parametrize("readout", [None, 1, "mean", ["sum"], b"sum"])
def test_bad_readouts(readout):
    with pytest.raises(UnknownName, match="sum, flatten, last"):
        softmax_attention(1, 1, readout=readout)


@pytest.mark.parametrize("scale", [None, True, 0.5, -1, "x", 10**50])
def test_bad_scales(scale):
    with pytest.raises(SymbenchError):
        softmax_attention(1, 1, scale=scale)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (None, BadType),
        ("ab", BadType),
        (3, BadType),
        ([None], BadType),
        ([3], BadType),
        ([(1, 2)], BadType),
        ([((1, 2),)], BadShape),
        ([((1,), (2,))], BadShape),
        ([((0, 0), (0, 0))], BadValue),
        ([()], BadValue),
        ([((1, -1), (0, 0))], BadValue),
        ([((1, 0.5), (0, 0))], SymbenchError),
        ([((1, "a"), (0, 0))], SymbenchError),
    ],
)
def test_bad_tables(wrong, error):
    with pytest.raises(error) as caught:
        softmax_attention(1, 1).on_tables(wrong)
    assert isinstance(caught.value, SymbenchError)


@pytest.mark.parametrize("readout", READOUTS)
def test_many_pairs_are_many_values(readout):
    words = [("AAB", "ABB"), ("ABA", "ABB"), ("AB", "BB")]
    places = [table_of(x, y) for x, y in words]
    if readout == "last":
        places = [(table_of(x[:-1], y[:-1]), table_of(x[-1], y[-1])) for x, y in words]
    kernel = softmax_attention(1, "1/2", readout=readout)
    one, two = kernel.on_tables(iter(places), digits=5)
    for pair, a, b in zip(words, one, two, strict=True):
        assert a == pytest.approx(b, rel=1e-5)
        assert float(kernel.value(*pair, digits=5)) == pytest.approx(b, rel=1e-5)
    uniform = softmax_attention(2, 1, readout=readout, scale=0)
    expected = [float(uniform.value(*pair)) for pair in words]
    assert uniform.on_tables(places) == (expected, expected)
    assert kernel.on_tables([]) == ([], [])


def test_bad_strings_and_digits():
    kernel = softmax_attention(1, 1)
    with pytest.raises(BadValue, match="empty"):
        kernel.value("", "")
    with pytest.raises(BadShape):
        kernel.value("A", "AB")
    with pytest.raises(BadType):
        kernel.on_diagram("AB")
    for digits in (0, -1, None, 2.5, "six"):
        with pytest.raises(SymbenchError):
            kernel.value("AB", "AB", digits=digits)
        with pytest.raises(SymbenchError):
            kernel.on_tables([((1, 0), (0, 1))], digits=digits)
    two = ((1, 0), (0, 1))
    with pytest.raises(NotSupported, match="last"):
        softmax_attention(1, 1, readout="last").on_tables([(two, two)])
    assert kernel.on_tables([], digits=4) == ([], [])


def test_what_is_out_of_reach_is_said_before_the_work():
    kernel = softmax_attention(1, 1)
    with pytest.raises(Undecided, match="13 can be had"):
        kernel.value("AB", "AA", digits=14)
    with pytest.raises(Undecided, match="can be had: ask for digits="):
        kernel.value("AAABBBCCC", "ABCABCABC", digits=12)
    with pytest.raises(Undecided, match="standard deviation"):
        softmax_attention(1, 1, scale=1000).value("AB", "AA")
    with pytest.raises(Undecided, match="too near to one"):
        softmax_attention(Fraction(1, 10**10), 1).value("AB", "BA")
    every = [
        ((a, b), (c, 60 - a - b - c))
        for a in range(0, 61, 2)
        for b in range(61 - a)
        for c in range(61 - a - b)
    ]
    with pytest.raises(TooLarge, match="tables would take about"):
        softmax_attention(1, 1, scale=10).on_tables(every, digits=1)


@pytest.mark.parametrize("length", [9, 16])
@pytest.mark.parametrize("readout", ["sum", "flatten", "last"])
def test_what_is_foreseen_is_nearly_the_cost_of_all_tables(monkeypatch, length, readout):
    """The estimate from some tables against that from every table of the length."""
    kernel = softmax_attention(1, "1/2", readout=readout)
    told = []
    monkeypatch.setattr(averages, "_PATIENCE", -1)
    monkeypatch.setattr(averages, "_SPEED", 1e6)
    monkeypatch.setattr(averages, "most_digits", lambda test, digits: 0)
    every = [t[0] for t in tables_with((length,), 2)]
    if readout == "last":
        one, two = ((1, 0), (0, 0)), ((0, 1), (0, 0))
        every = [(t[0], last) for t in tables_with((length - 1,), 2) for last in (one, two)]
    for ask in (
        lambda: kernel.foresee(length, 2, digits=4),
        lambda: kernel.on_tables(every, digits=4),
    ):
        with pytest.raises(TooLarge) as refused:
            ask()
        told.append(float(re.search(r"about (\d+) s", str(refused.value))[1]))
    monkeypatch.undo()
    assert kernel.foresee(length, 2, digits=4) is None
    assert told[1] > 100
    assert told[1] <= told[0] <= 1.1 * told[1]


def test_a_spectrum_that_would_take_hours_is_refused_at_once():
    listed = []

    class Listed(type(softmax_attention(1, 1))):
        def on_tables(self, places, *, digits):
            listed.append(places)
            return super().on_tables(places, digits=digits)

    with pytest.raises((TooLarge, Undecided), match="tables would take about"):
        eigenvalue_scaling(Listed(1, 1), lengths=[8, 256], digits=4)
    assert not listed
