"""The attention kernel's series against its definition, expanded without symbench."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.kernels import Diagram, HardAttention, attention
from symbench.kernels.attention import Attention
from symbench.kernels.derivatives.attention_maps import attention_map, stirling
from symbench.kernels.derivatives.workload import Workload
from tests.kernels import softmax_oracle as oracle


def diagrams(length: int) -> list[tuple[str, str]]:
    """A pair of strings for every equality pattern of 2 * length positions."""
    found = []
    for codes in product(range(2 * length), repeat=2 * length):
        if all(c <= max(codes[:n], default=-1) + 1 for n, c in enumerate(codes)):
            text = "".join("ABCDEFGH"[c] for c in codes)
            found.append((text[:length], text[length:]))
    return found


@pytest.mark.parametrize(("x", "y"), diagrams(1) + diagrams(2))
def test_every_diagram_of_length_two(x: str, y: str) -> None:
    assert attention().taylor(x, y, beta=4) == oracle.taylor(x, y, 4)


@settings(max_examples=8, deadline=None)
@given(st.text("ABC", min_size=3, max_size=3), st.text("ABCD", min_size=3, max_size=3))
def test_length_three(x: str, y: str) -> None:
    assert attention().taylor(x, y, beta=4) == oracle.taylor(x, y, 4)


def test_order_six() -> None:
    assert attention().taylor("AB", "AC", beta=6) == oracle.taylor("AB", "AC", 6)


# templates.md 1.6: Taylor coefficients in gamma^2, * = CLS.
@pytest.mark.parametrize(
    ("x", "y", "second"),
    [
        ("AA*", "BB*", ["8/81", "4/27", "2/9"]),
        ("AA*", "BC*", ["2/27", "4/27", "2/9"]),
        ("AB*", "CD*", ["4/81", "4/27", "2/9"]),
    ],
)
def test_spot_checks(x: str, y: str, second: list[str]) -> None:
    found = attention().taylor(x, y, beta=2)
    assert [found[0, 0], found[0, 2]] == [Fraction(1, 9), Fraction(1, 3)]
    assert [found[2, 2 * n] for n in range(3)] == list(map(Fraction, second))


def test_the_divergent_series() -> None:
    found = attention().taylor("12", "12", beta=10)
    expected = ["1/2", "1/4", "-1/4", "17/48", "-31/48", "691/480"]
    assert [found[2 * n, 0] for n in range(6)] == list(map(Fraction, expected))


def test_integers_beyond_64_bits() -> None:
    # kappa = 1/2 + 1/2 E tanh(beta g / sqrt 2)^2, and tanh' = 1 - tanh^2.
    tanh = [Fraction(0)] * 26
    square = [Fraction(0)] * 26
    for n in range(25):
        square[n] = sum(tanh[i] * tanh[n - i] for i in range(n + 1))
        tanh[n + 1] = (int(n == 0) - square[n]) / (n + 1)
    found = attention().taylor("AB", "AB", beta=24)
    for n in range(1, 13):
        moment = Fraction(factorial(2 * n), 2**n * factorial(n))  # of g^2n
        assert found[2 * n, 0] == square[2 * n] * moment / 2 ** (n + 1)


def test_order_ten_is_needed() -> None:
    pair = [sb.Template("ααββ"), sb.Template("αβαβ")]
    matrix = sb.template_matrix(pair, attention(order=6)).matrix
    gap = matrix[0, 0] + matrix[1, 1] - matrix[0, 1] - matrix[1, 0]
    terms = [sb.QQ["gamma"].terms(c) for c in gap.coefficients]
    assert terms == [{}, {}, {}, {}, {}, {}, {(4,): Fraction(8, 625)}]


def _scaled_oracle(x: str, y: str, order: int) -> dict[tuple[int, int], Fraction]:
    """(23) from independent Gaussians w(query part, key part), as the network has them."""
    k = len(x)
    parts = sorted({*x, *y}) + list(range(k))
    names = [(q, s) for q in [*sorted({x[-1], y[-1]}), None] for s in parts]

    def logit(string: str, r: int) -> dict[tuple[int, ...], Fraction]:
        f: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for query, a in ((string[-1], 0), (None, 1)):  # the last token, the last position
            for key, b in ((string[r], 0), (r, 1)):
                exponents = [0] * (len(names) + 1)
                exponents[names.index((query, key))] = 1
                exponents[-1] = a + b
                f[tuple(exponents)] += 1
        return f

    left = oracle.softmax([logit(x, r) for r in range(k)], order)
    right = oracle.softmax([logit(y, r) for r in range(k)], order)
    result: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for i in range(order + 1):
        for n in range(i + 1):
            for a, b in product(range(k), repeat=2):
                for j, value in oracle.mean(left[a][n], right[b][i - n]).items():
                    result[i, j] += value * (x[a] == y[b])
                    result[i, j + 2] += value * (a == b)
    return {key: value for key, value in result.items() if value}


@pytest.mark.parametrize(("x", "y"), diagrams(2))
def test_appendix_h_for_any_last_tokens(x: str, y: str) -> None:
    found = attention().with_softmax_scale("appendix-H").taylor(x, y, beta=4)
    assert found == _scaled_oracle(x, y, 4)


def test_appendix_h_of_templates_that_end_in_wildcards() -> None:
    kernel = attention(order=4).with_softmax_scale("appendix-H")
    found = kernel.template_entries([sb.Template("αα"), sb.Template("αβ"), sb.Template("αS")])
    left, right = ("AA", "AB", "AS"), ("CC", "CD", "CS")
    assert found == [[kernel.value(x, y) for y in right] for x in left]


def _coordinatewise_oracle(x: str, y: str, order: int, weights: list[Fraction]) -> dict:
    tokens = sorted({*x, *y})
    k = len(x)

    def logit(token: str, c: int) -> dict[tuple[int, ...], Fraction]:
        one, two = [0] * (len(tokens) + k + 1), [0] * (len(tokens) + k + 1)
        one[tokens.index(token)] = 1
        two[len(tokens) + c] = two[-1] = 1
        return {tuple(one): Fraction(1), tuple(two): Fraction(1)}

    def powers(string: str) -> list:
        rows = []
        for c, token in enumerate(string):
            u, f = logit(token, c), {(0,) * (len(tokens) + k + 1): Fraction(1)}
            row = []
            for n in range(order + 1):
                row.append({a: v * weights[n] / factorial(n) for a, v in f.items()})
                f = oracle.times(f, u)
            rows.append(row)
        return rows

    left, right = powers(x), powers(y)
    result: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for i in range(order + 1):
        for n in range(i + 1):
            for a, b in product(range(k), repeat=2):
                for j, value in oracle.mean(left[a][n], right[b][i - n]).items():
                    result[i, j] += value * (x[a] == y[b])
                    result[i, j + 2] += value * (a == b)
    return {key: value for key, value in result.items() if value}


SIGMOID = [Fraction(1, 2), Fraction(1, 4), 0, Fraction(-1, 8), 0]


@pytest.mark.parametrize(
    ("name", "derivatives"),
    [("exponential", [1] * 5), ("linear", [0, 1, 0, 0, 0]), ("sigmoid", SIGMOID)],
)
@pytest.mark.parametrize(("x", "y"), [("AB", "BA"), ("AA", "AB"), ("AB", "CD")])
def test_coordinatewise_attention(name: str, derivatives: list, x: str, y: str) -> None:
    kernel = attention(normalise=False, weights=name)
    expected = _coordinatewise_oracle(x, y, 4, [Fraction(d) for d in derivatives])
    assert kernel.taylor(x, y, beta=4) == expected


def test_stirling_numbers() -> None:  # A008277, rows 1 to 5
    rows = [[stirling(n, m) for m in range(1, n + 1)] for n in range(1, 6)]
    assert rows == [[1], [1, 1], [1, 3, 1], [1, 7, 6, 1], [1, 15, 25, 10, 1]]


def test_softmax_derivatives_of_length_one_vanish() -> None:
    softmax = attention_map("softmax")
    assert [softmax.derivative(1, n, ()) for n in range(5)] == [1, 0, 0, 0, 0]


@given(st.text("ABC", min_size=2, max_size=2), st.text("ABC", min_size=2, max_size=2))
@settings(max_examples=20, deadline=None)
def test_symmetry_and_token_symmetry(x: str, y: str) -> None:
    kernel = attention(order=4)
    assert kernel.value(x, y) == kernel.value(y, x)
    swap = str.maketrans("ABC", "CAB")
    assert kernel.value(x, y) == kernel.value(x.translate(swap), y.translate(swap))


def test_gamma_given() -> None:
    general, special = attention(order=4).value("AB*", "AC*"), attention(gamma="1/2", order=4)
    at_half = special.value("AB*", "AC*")
    for n, polynomial in enumerate(general.coefficients):
        terms = sb.QQ["gamma"].terms(polynomial)
        assert at_half.coefficients[n] == sum(c * Fraction(1, 2) ** j for (j,), c in terms.items())


def test_zero_as_a_float_is_no_exact_zero() -> None:
    kernel = attention(beta=0.0, gamma=3)
    assert kernel.exactness == "float"
    assert abs(float(kernel.value("AAB", "ABB")) - (4 / 9 + 3)) < 1e-9


def test_beta_zero_is_exact() -> None:
    kernel = attention(beta=0, gamma=3)
    assert kernel.exactness == "exact"
    # k^-2 * (pairs of equal tokens) + gamma^2 / k
    assert kernel.value("AAB", "ABB") == Fraction(4, 9) + Fraction(9, 3)


@pytest.mark.parametrize(
    "kernel",
    [
        attention(),
        attention(gamma=0, order=2),
        attention(order=8),
        attention(gamma="1/2"),
        attention(beta="1/3", gamma=-2),
        attention(beta=0.5, gamma=1.0),
        attention(normalise=False).with_softmax_scale("appendix-H"),
    ],
)
def test_repr_evaluates(kernel: Attention) -> None:
    again = eval(repr(kernel), {"attention": attention})
    assert again == kernel
    assert type(again.beta) is type(kernel.beta)
    assert type(again.gamma) is type(kernel.gamma)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: attention().taylor("AB", "A"), errors.BadShape),
        (lambda: attention().taylor(None, "A"), errors.BadType),
        (lambda: attention().taylor("A", "A", beta=None), errors.BadType),
        (lambda: attention().taylor("A", "A", beta=-2), errors.BadValue),
        (lambda: attention().taylor("A", "A", beta=2.0), errors.NotExact),
        (lambda: attention(gamma=0.5), errors.BadType),
        (lambda: attention(beta=1), errors.BadValue),
        (lambda: attention(order="x"), errors.BadType),
        (lambda: attention(normalise=1), errors.BadType),
        (lambda: attention(weights="hardmax"), errors.UnknownName),
        (lambda: attention(weights=""), errors.UnknownName),
        (lambda: attention(beta=float("nan"), gamma=1), errors.BadValue),
        (lambda: attention(beta=0.0, gamma=1).ring, errors.NotSupported),
        (lambda: attention().taylor("", ""), errors.BadValue),
        (lambda: attention().value("A", "A", digits=None), errors.BadType),
        (lambda: attention().taylor("AB", "AB", beta=200), errors.TooLarge),
        (lambda: attention().taylor("ABC", "ABC", beta=60), errors.TooLarge),
        (lambda: attention().taylor("AABBCC", "AABBCC", beta=20), errors.TooLarge),
        (lambda: attention(order=12).template_entries(sb.all_templates(7)), errors.TooLarge),
        (lambda: attention().template_features(None), errors.BadType),
        (lambda: attention().template_features([]), errors.BadShape),
        (lambda: attention().template_entries(["αα"]), errors.BadType),
        (
            lambda: attention().template_entries([sb.Template("α"), sb.Template("αβ")]),
            errors.BadShape,
        ),
        (lambda: HardAttention().value("", ""), errors.BadValue),
        (lambda: Diagram(None, None), errors.BadType),
        (lambda: Diagram((0, 1), (0,)), errors.BadShape),
        (lambda: Diagram((1, 0), (0, 1)), errors.BadValue),
        (lambda: Diagram((0.0,), (0,)), errors.BadValue),
        (lambda: Diagram.from_codes((1, 2, 3)), errors.BadShape),
        (lambda: Diagram.from_codes("AB"), errors.BadType),
        (lambda: Diagram.of_templates("αα", "αβ"), errors.BadType),
        (lambda: attention(normalise=False, weights="softmax"), errors.BadValue),
        (lambda: attention().with_softmax_scale("none"), errors.UnknownName),
        (lambda: attention().on_diagram("AB"), errors.BadType),
        (lambda: attention(order=40).value("ABCDEFGHIJ", "ABCDEFGHIJ"), errors.TooLarge),
        (lambda: attention(beta=1, gamma=1).ring, errors.NotSupported),
    ],
)
def test_bad_input(call, error) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, errors.SymbenchError)


def test_too_large_says_what_fits() -> None:
    with pytest.raises(
        errors.TooLarge, match=r"about [\d,]+ s and [\d,]+ MB: order (\d+)"
    ) as caught:
        attention().taylor("ABCDE", "ABCDE", beta=40)
    within = int(re.search(r"order (\d+) takes", str(caught.value))[1])
    layout = ("ABCDE", 5)
    assert Workload.of([layout] * 2, order=within).fits
    assert not Workload.of([layout] * 2, order=within + 2).fits
    more = [Workload.of([layout] * 2, order=n).seconds for n in range(0, 30, 2)]
    assert more == sorted(more)


@pytest.mark.parametrize(("x", "y"), [*diagrams(2), ("ABC", "ACD"), ("AAB", "CDE")])
def test_hard_attention_counts_orders(x: str, y: str) -> None:
    tokens = sorted({*x, *y})
    orders = list(permutations(tokens))
    same = sum(max(x, key=o.index) == max(y, key=o.index) for o in orders)
    assert HardAttention().value(x, y) == Fraction(same, len(orders))


def test_diagrams() -> None:
    assert Diagram.of("AB", "BC").flip() == Diagram.of("BC", "AB")
    z, w = sb.Template("αSβ"), sb.Template("ααS")
    fresh = Diagram.of(["p", "S", "q"], ["r", "r", "S"])
    assert Diagram.of_templates(z, w) == fresh
