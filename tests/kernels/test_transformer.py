"""A layer over a kernel: the covariance of a pair, its dual, and theorem 3's expansion."""

from __future__ import annotations

import math
import pickle
from math import factorial

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench.certifying import certify
from symbench.errors import BadType, NotSupported, SymbenchError, UnknownName
from symbench.exact import QQ, Balls, Exponentials, Matrix, Rational
from symbench.kernels.activations.exact import cos, polynomial
from symbench.kernels.activations.named import activation
from symbench.kernels.attention import attention
from symbench.kernels.diagram import Diagram
from symbench.kernels.generic import generic
from symbench.kernels.inner_product import inner_product
from symbench.kernels.linear_attention import linear_attention
from symbench.kernels.transformer import Transformer, transformer
from symbench.words import Template

BELOW = linear_attention("1/4", "1/8", readout="flatten")
words = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.text("ABC", min_size=k, max_size=k)] * 2)
)


@given(words)
@settings(max_examples=80, deadline=None)
def test_the_covariance_is_that_of_the_strings(pair: tuple[str, str]) -> None:
    x, y = pair
    kernel = transformer("identity", BELOW)
    expected = (BELOW.value(x, x), BELOW.value(y, y), BELOW.value(x, y))
    assert kernel.covariance(Diagram.of(x, y)) == expected
    assert kernel.value(x, y) == BELOW.value(x, y)
    A, B, C = expected
    # E[(1 + u^2)(1 + v^2)] by Isserlis.
    square = transformer(polynomial([1, 0, 1]), BELOW)
    assert square.value(x, y) == 1 + A + B + A * B + 2 * C * C
    assert square.value(x, y) == square.value(y, x)
    erf = transformer("erf", BELOW)
    assert erf.value(x, y).overlaps(activation("erf").dual(A, B, C))


@given(words)
@settings(max_examples=25, deadline=None)
def test_exactness_says_what_comes(pair: tuple[str, str]) -> None:
    for given_ in ("relu", "step", cos(1, 1)):
        kernel = transformer(given_, BELOW)
        assert kernel.exactness == "ball"
        assert isinstance(kernel.value(*pair), flint.arb)
    for given_, ring in ((cos(2, "pi/4"), Exponentials("q")), ("exp", Exponentials("q"))):
        kernel = transformer(given_, BELOW)
        assert kernel.exactness == "exact"
        assert Matrix([[kernel.value(*pair)]]).ring == ring
    assert Matrix([[transformer("identity", BELOW).value(*pair)]]).ring == QQ


def template_rows(kernel, templates):
    return [[kernel.on_diagram(Diagram.of_templates(z, w)) for w in templates] for z in templates]


def test_the_diagonal_uses_the_same_substitution_on_both_sides() -> None:
    """K(x, x) is not the template matrix's diagonal, where the substitutions differ."""
    z = Template("ααS")
    kernel = transformer("identity", BELOW)
    diagram = Diagram.of_templates(z, z)
    A, B, C = kernel.covariance(diagram)
    assert A == B == BELOW.value("PPS", "PPS")
    assert BELOW.value("PPS", "QQS") == C


def test_expansion_in_entrywise_powers() -> None:
    """beyond.md 3: K = sum (1/n!) D_n N^(o n) D_n, exactly for a polynomial."""
    templates = [Template(t) for t in ("ααS", "αβS", "Sαα", "αβγ")]
    phi = polynomial(["1/2", 1, 0, "-1/3"])
    N = Matrix(template_rows(BELOW, templates))
    diagonal = []
    for z in templates:
        x = z.substitute(z.fresh())
        diagonal.append(BELOW.value(x, x))
    total = Matrix([[0] * 4] * 4, QQ)
    for n in range(4):
        D = Matrix(
            [[phi.hermite(n, a) if i == j else 0 for j in range(4)] for i, a in enumerate(diagonal)]
        )
        total += D @ N.entrywise_power(n) @ D * Rational(1, factorial(n))
    assert Matrix(template_rows(transformer(phi, BELOW), templates)) == total


def test_cosine_template_matrix_is_certified() -> None:
    """The incidence kernel under a cosine tells all templates of length 3 apart."""
    templates = [Template(t) for t in ("ααα", "ααβ", "αβα", "βαα", "αβγ")]
    below = inner_product(lambda n: n, incidence=True)
    assert Matrix(template_rows(below, templates)).rank() == 4
    for phase in ("pi/4", 0, "pi/3"):
        M = Matrix(template_rows(transformer(cos("1/2", phase), below), templates))
        assert M.ring == Exponentials("q")
        assert certify(M).kind == "nonsingular"
    for name in ("relu", "gelu", "step", "erf", "sigmoid"):
        rows = template_rows(transformer(name, below), templates)
        assert certify(Matrix(rows, Balls(128))).check()
    constant = Matrix(template_rows(transformer(polynomial([2]), below), templates))
    assert constant.rank() == 1


def test_over_variables() -> None:
    kernel = transformer(polynomial([0, 1, 1]), linear_attention())
    value = Matrix([[kernel.value("AB", "CA")]])
    numbers = transformer(polynomial([0, 1, 1]), linear_attention(2, "1/3")).value("AB", "CA")
    assert value.evaluate({"alpha": 2, "beta": "1/3"})[0, 0] == numbers
    same = Matrix([[k.value("A", "B") for k in (transformer("identity", generic()), generic())]])
    assert same[0, 0] == same[0, 1]
    for name in ("relu", "exp", cos(1, 0)):
        with pytest.raises(NotSupported, match="needs rational values"):
            transformer(name, linear_attention()).value("A", "B")
    with pytest.raises(NotSupported, match="needs rational values"):
        transformer("relu", transformer("relu", BELOW)).value("A", "B")


def test_softmax_attention_is_the_default() -> None:
    """Products of series: a square over the kernel below is A B + 2 C^2."""
    kernel = transformer(polynomial([0, 0, 1]))
    assert kernel == transformer(activation=polynomial([0, 0, 1]), attention=attention())
    A, B, C = (attention().value(*pair) for pair in (("A*", "A*"), ("B*", "B*"), ("A*", "B*")))
    assert kernel.value("A*", "B*") == A * B + 2 * C * C
    with pytest.raises(NotSupported, match="needs rational values"):
        transformer("relu").value("A*", "B*")


def test_depth_through_exact_layers() -> None:
    inner = transformer(polynomial([0, 0, 1]), BELOW)
    deep = transformer("tanh", inner, bits=64)
    A, B, C = (inner.value(*pair) for pair in (("AB", "AB"), ("CA", "CA"), ("AB", "CA")))
    assert deep.value("AB", "CA").overlaps(activation("tanh").dual(A, B, C))


class Negative:
    """Not positive semidefinite: K(x, x) = -1."""

    needs_cls = True
    exactness = "exact"

    def on_diagram(self, diagram: Diagram) -> int:
        return -1


def test_a_users_kernel_and_its_faults() -> None:
    kernel = transformer("relu", Negative())
    assert kernel.needs_cls
    with pytest.raises(SymbenchError, match="no covariance"):
        kernel.value("A", "A")


def test_bad_arguments_and_values() -> None:
    with pytest.raises(UnknownName):
        transformer("swish2", BELOW)
    with pytest.raises(BadType, match="is not a kernel"):
        transformer("relu", 7)
    with pytest.raises(SymbenchError):
        transformer("relu", BELOW, bits=None)  # type: ignore[arg-type]
    with pytest.raises(BadType):
        transformer("relu", BELOW).on_diagram(None)  # type: ignore[arg-type]
    for kernel in (
        transformer("relu", BELOW),
        transformer(cos(1, "pi/4"), BELOW, bits=64),
        transformer(polynomial([1, 2]), transformer("identity", inner_product())),
    ):
        assert isinstance(kernel, Transformer)
        assert eval(repr(kernel)) == kernel
        assert pickle.loads(pickle.dumps(kernel)) == kernel
        hash(kernel)


def test_float_values_over_attention_at_finite_parameters():
    below = sb.kernels.attention(beta=1, gamma=1)
    plain = below.value("AA*", "BC*", digits=10)
    identity = sb.kernels.transformer("identity", below).value("AA*", "BC*")
    assert (identity.exactness, identity.digits) == ("float", 8)
    assert abs(float(identity) - float(plain)) < 1e-8
    # The arc-cosine kernel of degree one.
    a, b, c = (
        float(below.value(x, y)) for x, y in (("AA*", "AA*"), ("BC*", "BC*"), ("AA*", "BC*"))
    )
    relu = sb.kernels.transformer("relu", below).value("AA*", "BC*", digits=6)
    cosine = c / (a * b) ** 0.5
    angle = math.acos(cosine)
    closed = (a * b) ** 0.5 * (math.sin(angle) + (math.pi - angle) * cosine) / (2 * math.pi)
    assert abs(float(relu) - closed) < 1e-6
    matrix = sb.template_matrix(sb.tasks.same_different(), sb.kernels.transformer("relu", below))
    assert sb.certify(matrix).kind == "one-point"
