"""The tangent kernel against the Jacobian of a finite network, and against plain recursions."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, NotSupported, SymbenchError
from symbench.exact import Matrix
from symbench.exact.rational import rational
from symbench.kernels.base import Kernel
from symbench.kernels.linear_attention import linear_attention
from symbench.kernels.tangent import tangent
from symbench.papers.beyond import tangent as claims
from symbench.registry import claims as registered
from symbench.registry import verify


# --- an actual layer: forward, and backward by hand -------------------------------------------
def weights(features, width, heads, rng):
    """Standard Gaussian weights; every product carries one over the root of what it adds up."""
    square = (heads, width, width)
    return {
        "below": rng.standard_normal((features, width)),
        **{name: rng.standard_normal(square) for name in ("query", "key", "value", "output")},
        "readout": rng.standard_normal(width),
    }


def forward(W, phi, causal):
    """The layer on inputs phi @ below, one row for each position."""
    heads, width, _ = W["query"].shape
    z = phi @ W["below"]
    q, k, v = (np.einsum("hij,aj->hai", W[n], z) / width**0.5 for n in ("query", "key", "value"))
    A = np.einsum("hai,hci->hac", q, k) / width**0.5
    if causal:
        A = A * np.tril(np.ones((len(phi), len(phi))))
    y = np.einsum("hac,hci->hai", A, v)
    out = np.einsum("hij,haj->ai", W["output"], y) / (heads * width) ** 0.5
    return z, q, k, v, A, y, out


def last(W, phi, causal):
    """The network's number: the readout at the last position."""
    return forward(W, phi, causal)[-1][-1] @ W["readout"] / len(W["readout"]) ** 0.5


def jacobian(W, phi, causal):
    """The derivative of `last` by every weight."""
    heads, width, _ = W["query"].shape
    z, q, k, v, A, y, out = forward(W, phi, causal)
    G = np.zeros_like(out)
    G[-1] = W["readout"] / width**0.5
    dy = np.einsum("ai,hij->haj", G, W["output"]) / (heads * width) ** 0.5
    dA = np.einsum("hai,hci->hac", dy, v)
    if causal:
        dA = dA * np.tril(np.ones((len(phi), len(phi))))
    inner = {
        "query": np.einsum("hac,hci->hai", dA, k) / width**0.5,
        "key": np.einsum("hac,hai->hci", dA, q) / width**0.5,
        "value": np.einsum("hac,hai->hci", A, dy),
    }
    found = {
        "output": np.einsum("ai,haj->hij", G, y) / (heads * width) ** 0.5,
        "readout": out[-1] / width**0.5,
    }
    dz = np.zeros_like(z)
    for name, d in inner.items():
        found[name] = np.einsum("hai,aj->hij", d, z) / width**0.5
        dz += np.einsum("hai,hij->aj", d, W[name]) / width**0.5
    found["below"] = phi.T @ dz
    return found


@pytest.mark.parametrize("causal", [False, True])
def test_the_jacobian_is_the_derivative(causal):
    rng = np.random.default_rng(0)
    W = weights(3, 2, 2, rng)
    phi = rng.standard_normal((3, 3))
    found = jacobian(W, phi, causal)
    for name, matrix in W.items():
        for place in np.ndindex(matrix.shape):
            step = np.zeros_like(matrix)
            step[place] = 1e-5
            up, down = (last({**W, name: matrix + s * step}, phi, causal) for s in (1, -1))
            assert found[name][place] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-8)


# (x, y, alpha, beta, token rate, position rate, causal)
NETWORKS = [
    ("AB", "AA", 1, 1, 1, 1, False),
    ("AAB", "ABB", 1, 2, 3, 0, False),
    ("ABA", "AAB", 2, 1, 1, 4, True),
]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_wide_network(network):
    """Weight by weight: each matrix of the layer gives the covariance once, which is the 4."""
    x, y, alpha, beta, token, place, causal = network
    size = len(x)
    letters = sorted({*x, *y})

    def features(word):
        by_token = [[alpha**0.5 * (c == u) for u in letters] for c in word]
        by_place = [[beta**0.5 * (a == b) for b in range(size)] for a in range(size)]
        return np.hstack([by_token, by_place])

    phi, psi = features(x), features(y)
    rates = np.array([token] * len(letters) + [place] * size)
    theta = (phi * rates) @ psi.T

    def limit(K):
        """What each of the layer's matrices gives, and what the weights below give together."""
        norm = (K**2).sum()  # at the last position a mask hides nothing
        return K[-1, -1] * norm, norm * theta[-1, -1] + 2 * (K * theta).sum() * K[-1, -1]

    rng = np.random.default_rng(1)
    width, draws, total, wanted = 64, 30, {}, np.zeros(2)
    for _ in range(draws):
        W = weights(phi.shape[1], width, 64, rng)
        one, two = jacobian(W, phi, causal), jacobian(W, psi, causal)
        # At this width the covariance of the inputs is still random: compare at the one drawn.
        wanted += np.array(limit((phi @ W["below"]) @ (psi @ W["below"]).T / width)) / draws
        for name in one:
            scale = rates[:, None] if name == "below" else 1
            total[name] = total.get(name, 0) + (scale * one[name] * two[name]).sum() / draws
    for name in ("query", "key", "value", "output"):
        assert total[name] == pytest.approx(wanted[0], rel=0.1), name
    # The product of two outputs, which share the attention of all heads: the noisiest.
    assert total["readout"] == pytest.approx(wanted[0], rel=0.25)
    assert total["below"] == pytest.approx(wanted[1], rel=0.1)
    covariance, below = limit(phi @ psi.T)
    exact = tangent(
        linear_attention(alpha, beta, readout="last", causal=causal),
        token_rate=token,
        position_rate=place,
    )
    assert float(exact.value(x, y)) == pytest.approx(5 * covariance + below)


# --- the recursion, with plain sums -----------------------------------------------------------
def brute(x, y, alpha, beta, token, place, readout, layers, causal):
    size = range(len(x))
    K = [[alpha * (x[a] == y[b]) + beta * (a == b) for b in size] for a in size]
    T = [[token * alpha * (x[a] == y[b]) + place * beta * (a == b) for b in size] for a in size]
    for _ in range(layers):
        seen = {
            (a, b): [(c, d) for c in size for d in size if not causal or (c <= a and d <= b)]
            for a in size
            for b in size
        }
        norm = {p: sum(K[c][d] ** 2 for c, d in found) for p, found in seen.items()}
        inner = {p: sum(K[c][d] * T[c][d] for c, d in found) for p, found in seen.items()}
        T = [
            [2 * inner[a, b] * K[a][b] + norm[a, b] * (T[a][b] + 4 * K[a][b]) for b in size]
            for a in size
        ]
        K = [[norm[a, b] * K[a][b] for b in size] for a in size]
    pairs = {
        "sum": [(a, b) for a in size for b in size],
        "flatten": [(a, a) for a in size],
        "last": [(len(x) - 1, len(x) - 1)],
    }[readout]
    return sum(K[a][b] + T[a][b] for a, b in pairs)


words = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.text("ABC", min_size=k, max_size=k)] * 2)
)
numbers = st.fractions(0, 3, max_denominator=4)
options = st.fixed_dictionaries(
    {
        "readout": st.sampled_from(["sum", "flatten", "last"]),
        "layers": st.integers(1, 3),
        "causal": st.booleans(),
    }
)


@settings(max_examples=150, deadline=None)
@given(words, numbers, numbers, numbers, numbers, options)
def test_values(pair, alpha, beta, token, place, chosen):
    rates = {"token_rate": token, "position_rate": place}
    wanted = brute(*pair, alpha, beta, token, place, **chosen)
    kernel = tangent(linear_attention(alpha, beta, **chosen), **rates)
    assert kernel.value(*pair) == wanted
    assert kernel.value(*reversed(pair)) == wanted
    if chosen["layers"] < 3:
        symbolic = tangent(linear_attention(**chosen), **rates)
        found = Matrix([[symbolic.value(*pair)]]).evaluate({"alpha": alpha, "beta": beta})
        assert found[0, 0] == wanted
        half = tangent(linear_attention(None, beta, **chosen), **rates)
        found = Matrix([[half.value(*pair)]]).evaluate({"alpha": alpha, "beta": beta})
        assert found[0, 0] == wanted
    if not chosen["causal"] and chosen["readout"] != "last":
        x, y = pair
        table = tuple(
            tuple(sum(a == u and b == v for a, b in zip(x, y, strict=True)) for v in "ABC")
            for u in "ABC"
        )
        assert rational(kernel.on_table(table)) == wanted


@pytest.mark.parametrize("rate", [0, 1, Fraction(2, 3)])
def test_equal_rates_only_multiply(rate):
    factor = rate
    for layers in (1, 2, 3):
        factor = 3 * factor + 4
        for readout, causal in product(("sum", "flatten", "last"), (False, True)):
            plain = linear_attention(1, 2, readout=readout, layers=layers, causal=causal)
            kernel = tangent(plain, token_rate=rate, position_rate=rate)
            assert kernel.value("AAB", "ABA") == (factor + 1) * plain.value("AAB", "ABA")


def test_frozen_positions_are_no_multiple():
    plain = linear_attention(1, 1)
    kernel = tangent(plain, position_rate=0)
    ratios = {kernel.value("AB", y) / plain.value("AB", y) for y in ("AA", "BB", "AB", "BA", "CC")}
    assert len(ratios) > 1


def test_frozen_embeddings_leave_the_layer():
    """Rates 0: four matrices and the readout, each with the covariance."""
    plain = linear_attention("1/2", 3, readout="flatten")
    kernel = tangent(plain, token_rate=0, position_rate=0)
    assert kernel.value("ABCA", "AACA") == 5 * plain.value("ABCA", "AACA")


@pytest.mark.parametrize(
    "kernel",
    [
        tangent(linear_attention()),
        tangent(linear_attention(1, 2), token_rate="1/2"),
        tangent(linear_attention(1, readout="last", layers=2, causal=True), position_rate=0),
    ],
)
def test_a_value_type(kernel):
    assert isinstance(kernel, Kernel)
    assert eval(repr(kernel)) == kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert hash(eval(repr(kernel))) == hash(kernel)
    assert kernel.value("", "") == 0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tangent(None), BadType),
        (lambda: tangent(tangent(linear_attention())), BadType),
        (lambda: tangent(linear_attention(), token_rate=0.5), NotExact),
        (lambda: tangent(linear_attention(), token_rate=None), BadType),
        (lambda: tangent(linear_attention(), position_rate=-1), BadValue),
        (lambda: tangent(linear_attention(), position_rate=True), BadType),
        (lambda: tangent(linear_attention()).value("A", "AB"), BadShape),
        (lambda: tangent(linear_attention()).on_diagram("A"), BadType),
        (lambda: tangent(linear_attention()).on_table(None), BadType),
        (lambda: tangent(linear_attention()).on_table(((1, 0), (1,))), BadShape),
        (lambda: tangent(linear_attention()).on_table(((-1,),)), BadValue),
        (lambda: tangent(linear_attention()).on_table(((0.5,),)), NotExact),
        (lambda: tangent(linear_attention(causal=True)).on_table(((1,),)), NotSupported),
        (lambda: tangent(linear_attention(readout="last")).on_table(((2,),)), NotSupported),
    ],
)
def test_bad_calls(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


@pytest.mark.parametrize("id", ["tangent-kernel", "tangent-spectrum", "tangent-frozen"])
def test_the_claims(id):
    assert claims.__name__.endswith("tangent")
    verdict = verify(f"symbench.{id}")
    assert verdict.as_expected
    assert verdict.near_misses


@pytest.mark.parametrize(
    ("id", "case"),
    [
        ("tangent-kernel", ("sum", 1, False, 2, Fraction(-1), Fraction(-1))),
        ("tangent-kernel", ("sum", 1, False, 2, Fraction(1), Fraction(2))),
        ("tangent-spectrum", ("sum", 1, 2, 2, Fraction(0), Fraction(1))),
        ("tangent-frozen", (3, Fraction(1), Fraction(1), Fraction(1), Fraction(1))),
        ("tangent-frozen", (4, Fraction(-1), Fraction(1), Fraction(1), Fraction(1))),
        ("tangent-frozen", (4, Fraction(1), Fraction(1), Fraction(1), Fraction(-1))),
    ],
)
def test_what_the_claims_do_not_speak_of(id, case):
    outcome, reason = registered[f"symbench.{id}"].look(case)
    assert outcome == "error"
    assert "its hypotheses are not satisfied" in reason


def test_the_largest_eigenvalues_at_the_edge():
    """Rates and variances that are 0 or far apart: the same formula."""
    numbers = (Fraction(0), Fraction(1, 1000), Fraction(1000))
    for case in product((4,), numbers, numbers, numbers[:2], numbers[::2]):
        assert registered["symbench.tangent-frozen"].look(case) == ("holds", "")
