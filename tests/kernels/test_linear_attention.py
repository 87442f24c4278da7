"""Linear attention against expectations over Gaussian weights, monomial by monomial."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadType, BadValue, NotExact, SymbenchError, TooLarge, UnknownName
from symbench.exact import Matrix
from symbench.kernels.linear_attention import LinearAttention, linear_attention

Poly = dict[tuple[tuple[str, int], ...], Fraction]


def times(p: Poly, q: Poly) -> Poly:
    result: Counter = Counter()
    for (a, c), (b, d) in product(p.items(), q.items()):
        exponents: Counter = Counter(dict(a))
        exponents.update(dict(b))
        result[tuple(sorted(exponents.items()))] += c * d
    return dict(result)


def plus(*polys: Poly) -> Poly:
    result: Counter = Counter()
    for p in polys:
        result.update(p)
    return dict(result)


def expectation(p: Poly) -> Fraction:
    """Independent standard Gaussians: E[g^n] = (n - 1)!! for even n."""

    def moment(n: int) -> int:
        return 0 if n % 2 else prod(range(n - 1, 0, -2))

    return sum((c * prod(moment(n) for _, n in key) for key, c in p.items()), Fraction(0))


def embeddings(word: str, a: int, b: int, alphabet: str) -> list[list[int]]:
    """Vectors with inner products a^2 [x_a = y_b] + b^2 [a = b]."""
    return [
        [a * (letter == token) for token in alphabet] + [b * (i == j) for j in range(len(word))]
        for i, letter in enumerate(word)
    ]


def outputs(z: list[list[int]], width: int, causal: bool) -> list[Poly]:
    """One value channel of a layer: sum_c (W_Q z_a . W_K z_c) (w_V . z_c), not yet scaled."""

    def linear(name: str, vector: list[int]) -> Poly:
        return {((f"{name}{i}", 1),): Fraction(c) for i, c in enumerate(vector) if c}

    result = []
    for a in range(len(z)):
        total: Poly = {}
        for c in range(a + 1 if causal else len(z)):
            for i in range(width):
                logit = times(linear(f"q{i}_", z[a]), linear(f"k{i}_", z[c]))
                total = plus(total, times(logit, linear("v", z[c])))
        result.append(total)
    return result


def oracle(x: str, y: str, a: int, b: int, readout: str, *, width: int = 1, causal: bool = False):
    alphabet = "".join(sorted({*x, *y}))
    one, two = (outputs(embeddings(w, a, b, alphabet), width, causal) for w in (x, y))
    if readout == "sum":
        pairs = list(product(range(len(x)), repeat=2))
    elif readout == "flatten":
        pairs = [(i, i) for i in range(len(x))]
    else:
        pairs = [(len(x) - 1, len(x) - 1)]
    total = sum((expectation(times(one[i], two[j])) for i, j in pairs), Fraction(0))
    return total / width


@pytest.mark.parametrize("readout", ["sum", "flatten", "last"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("x", "y"), [("A", "A"), ("A", "B"), ("AB", "AA"), ("BA", "AA"), ("AB", "BA")]
)
def test_against_gaussian_weights(x: str, y: str, readout: str, causal: bool) -> None:
    a, b = 2, 3
    kernel = linear_attention(a * a, b * b, readout=readout, causal=causal)
    assert kernel.value(x, y) == oracle(x, y, a, b, readout, causal=causal)


def test_the_width_does_not_matter() -> None:
    for width in (1, 2):
        assert oracle("AB", "AA", 1, 1, "sum", width=width) == linear_attention(1, 1).value(
            "AB", "AA"
        )


def test_the_causal_mask_breaks_the_symmetry_of_positions() -> None:
    """symmetry.md A4: alpha = beta = 1, length 2."""
    masked = linear_attention(1, 1, causal=True)
    assert (masked.value("AB", "AA"), masked.value("BA", "AA")) == (19, 15)
    plain = linear_attention(1, 1)
    assert plain.value("AB", "AA") == plain.value("BA", "AA")


def brute_layers(
    x: str, y: str, alpha: Fraction, beta: Fraction, readout: str, layers: int, causal: bool
):
    """The recursion on matrices, four nested sums."""
    size = range(len(x))
    K = [[alpha * (x[a] == y[b]) + beta * (a == b) for b in size] for a in size]
    for _ in range(layers):
        K = [
            [
                K[a][b]
                * sum(K[c][d] ** 2 for c in size for d in size if not causal or (c <= a and d <= b))
                for b in size
            ]
            for a in size
        ]
    if readout == "sum":
        return sum(map(sum, K))
    return sum(K[a][a] for a in size) if readout == "flatten" else K[-1][-1]


@given(
    st.integers(1, 4).flatmap(lambda k: st.tuples(*[st.text("ABC", min_size=k, max_size=k)] * 2)),
    st.fractions(0, 3, max_denominator=4),
    st.fractions(0, 3, max_denominator=4),
    st.sampled_from(["sum", "flatten", "last"]),
    st.integers(1, 3),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_layers(pair, alpha, beta, readout, layers, causal) -> None:
    options = {"readout": readout, "layers": layers, "causal": causal}
    expected = brute_layers(*pair, alpha, beta, readout, layers, causal)
    assert linear_attention(alpha, beta, **options).value(*pair) == expected
    if layers < 3:
        symbolic = Matrix([[linear_attention(**options).value(*pair)]])
        point = {"alpha": alpha, "beta": beta}
        assert symbolic.evaluate(point)[0, 0] == expected
        half = Matrix([[linear_attention(alpha, **options).value(*pair)]])
        assert half.evaluate(point)[0, 0] == expected


@pytest.mark.parametrize(
    "kernel",
    [
        linear_attention(),
        linear_attention(1),
        linear_attention("1/2", 3, readout="flatten", layers=2, causal=True),
    ],
)
def test_values(kernel: LinearAttention) -> None:
    assert eval(repr(kernel)) == kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert kernel.value("", "") == 0


def test_bad_arguments() -> None:
    with pytest.raises(NotExact, match=r"0\.5"):
        linear_attention(0.5, 1)
    with pytest.raises(BadValue, match="beta is -1"):
        linear_attention(1, -1)
    with pytest.raises(BadType):
        linear_attention(True, 1)
    with pytest.raises(UnknownName, match="sum, flatten, last"):
        linear_attention(1, 1, readout=None)  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="at most 8"):
        linear_attention(1, 1, layers=9)
    for layers in (0, 1.0, None, True):
        with pytest.raises(SymbenchError):
            linear_attention(1, 1, layers=layers)  # type: ignore[arg-type]
    with pytest.raises(BadType):
        linear_attention(1, 1, causal=None)  # type: ignore[arg-type]
    with pytest.raises(SymbenchError):
        linear_attention(1, 1).value("AB", "A")
