"""Inner-product kernels against one-hot matrices multiplied out."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadType, BadValue, NotExact, SymbenchError
from symbench.exact import QQ, Exponentials, Matrix
from symbench.kernels.diagram import Diagram
from symbench.kernels.inner_product import InnerProduct, inner_product
from symbench.words import Template


def one_hot(word: str, alphabet: str) -> np.ndarray:
    return np.array([[int(letter == token) for token in alphabet] for letter in word])


def oracle(x: str, y: str, incidence: bool) -> int:
    """The inner product of the vectors themselves."""
    X, Y = (one_hot(word, "ABCDEF") for word in (x, y))
    total = int((X * Y).sum())
    if incidence:
        total += int(((X @ X.T) * (Y @ Y.T)).sum())
    return total


words = st.integers(0, 5).flatmap(
    lambda k: st.tuples(*[st.text("ABCDEF", min_size=k, max_size=k)] * 2)
)


@given(words, st.booleans())
@settings(max_examples=150, deadline=None)
def test_against_one_hot_matrices(pair: tuple[str, str], incidence: bool) -> None:
    kernel = inner_product(lambda n: 7 * n + 1, incidence=incidence)
    expected = oracle(*pair, incidence)
    assert kernel.value(*pair) == 7 * expected + 1
    top = kernel.largest(len(pair[0]))
    assert expected <= top
    assert inner_product(range(top + 1), incidence=incidence).value(*pair) == expected
    symbolic = inner_product(incidence=incidence).value(*pair)
    assert symbolic == QQ[tuple(f"kappa{n}" for n in range(top + 1))].gens[expected]


def test_the_largest_product_is_reached() -> None:
    for k in range(1, 5):
        for incidence in (False, True):
            found = max(oracle("A" * k, y, incidence) for y in ("A" * k, "B" * k))
            assert found == InnerProduct(None, incidence=incidence).largest(k)


def test_wildcards_alone_are_invisible() -> None:
    """Section 4.3 and Remark I.6: every entry is kappa_0, with CLS kappa_1: rank one."""
    templates = [Template(t) for t in ("αα", "αβ")]
    for tail, variable in (("", "kappa0"), ("*", "kappa1")):
        rows = [
            [
                inner_product().on_diagram(
                    Diagram.of_templates(Template(str(z) + tail), Template(str(w) + tail))
                )
                for w in templates
            ]
            for z in templates
        ]
        assert {str(entry) for row in rows for entry in row} == {variable}
        assert Matrix(rows).rank() == 1


def test_with_incidence_all_templates_of_length_three_are_told_apart() -> None:
    templates = [Template(t) for t in ("ααα", "ααβ", "αβα", "βαα", "αβγ")]
    diagrams = [[Diagram.of_templates(z, w) for w in templates] for z in templates]
    assert Matrix([[inner_product().on_diagram(d) for d in row] for row in diagrams]).rank() == 1
    with_incidence = inner_product(incidence=True)
    assert Matrix([[with_incidence.on_diagram(d) for d in row] for row in diagrams]).rank() == 5
    # A linear f sees only the span of the incidence matrices, which has dimension 4:
    # aab + aba + baa = aaa + 2 abc.
    linear = inner_product(lambda n: n, incidence=True)
    M = Matrix([[linear.on_diagram(d) for d in row] for row in diagrams])
    assert M.rank() == 4
    assert (M @ Matrix([[1], [-1], [-1], [-1], [2]])).rank() == 0


def test_further_values_are_unused_and_missing_ones_named() -> None:
    assert inner_product([4, 5, 6, 99]).value("AB", "AC") == 5
    with pytest.raises(BadValue, match=r"2 values; strings of length 2 need f\(0\), ..., f\(2\)"):
        inner_product([4, 5]).value("AB", "CD")
    with pytest.raises(BadValue, match=r"need f\(0\), ..., f\(6\)"):
        inner_product([1] * 6, incidence=True).value("AB", "CD")


def test_a_function_may_give_elements_of_a_ring() -> None:
    q = Exponentials("q").monomial(1)
    assert inner_product(lambda n: q**n).value("AB", "AB") == q * q


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (7, BadType),
        ("12", BadType),
        ([None], BadType),
        ([True, 1], BadType),
        ([0.5], NotExact),
        (["x"], SymbenchError),
    ],
)
def test_bad_profiles(f: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        inner_product(f)


def test_bad_arguments() -> None:
    with pytest.raises(BadType, match="incidence is 1"):
        inner_product([1], incidence=1)  # type: ignore[arg-type]
    with pytest.raises(NotExact):
        inner_product(lambda n: n / 2).value("A", "A")
    with pytest.raises(BadValue, match="fails at 1"):
        inner_product(lambda n: 1 // 0).value("A", "A")
    with pytest.raises(BadType):
        inner_product([1, 2]).on_diagram("AB")  # type: ignore[arg-type]
    with pytest.raises(SymbenchError):
        inner_product([1, 2]).value("A", None)


@pytest.mark.parametrize(
    "kernel", [inner_product(), inner_product([1, "1/2"]), inner_product(incidence=True)]
)
def test_values(kernel: InnerProduct) -> None:
    assert eval(repr(kernel)) == kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert len({kernel, eval(repr(kernel))}) == 1


def test_symmetric_and_token_symmetric_on_all_short_pairs() -> None:
    kernel = inner_product(incidence=True)
    swap = str.maketrans("AB", "BA")
    for x, y in product(map("".join, product("ABC", repeat=2)), repeat=2):
        assert kernel.value(x, y) == kernel.value(y, x)
        assert kernel.value(x, y) == kernel.value(x.translate(swap), y.translate(swap))
