"""Two layers with a I: the kernel beside softmax multiplied out, in fractions and in floats."""

from __future__ import annotations

import pickle
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.kernels import Diagram, identity_attention, transformer
from symbench.testing import check_kernel

WORDS = st.integers(1, 5).flatmap(
    lambda n: st.tuples(*[st.text("ABC", min_size=n, max_size=n)] * 2)
)
Q = st.fractions(min_value=Fraction(1, 5), max_value=5, max_denominator=5)


def multiplied_out(x, y, power, gamma2):
    """c^T (X Y^T + gamma^2 I) c' / k^2 with c from the softmax matrices; power(e) is e^(a e)."""
    k, columns = len(x), []
    for word in (x, y):
        rows = [[power((s == t) + gamma2 * (i == j)) for j, t in enumerate(word)]
                for i, s in enumerate(word)]  # fmt: skip
        columns.append([sum(row[j] / sum(row) for row in rows) for j in range(k)])
    c, d = columns
    return sum(
        c[i] * d[j] * ((x[i] == y[j]) + gamma2 * (i == j)) for i in range(k) for j in range(k)
    ) / k**2  # fmt: skip


@settings(max_examples=60)
@given(WORDS, Q, st.integers(0, 2))
def test_exact_values(words, q, gamma):
    found = identity_attention(q=q, gamma=gamma).value(*words)
    assert found == multiplied_out(*words, lambda e: q**e, gamma**2)


@settings(max_examples=40)
@given(WORDS, st.fractions(-2, 2, max_denominator=4), st.fractions(0, 2, max_denominator=4))
def test_balls(words, a, gamma):
    found = identity_attention(a=a, gamma=gamma).value(*words)
    wanted = multiplied_out(*words, lambda e: np.exp(float(a * e)), float(gamma**2))
    assert float(found) == pytest.approx(wanted, rel=1e-12)
    if a:
        assert isinstance(found, flint.arb)
        assert found.rel_accuracy_bits() > 100


@given(WORDS)
def test_q_zero_is_the_limit(words):
    limit = identity_attention(q=0, gamma=1).value(*words)
    near = identity_attention(q=Fraction(1, 10**12), gamma=1).value(*words)
    assert abs(limit - near) < Fraction(1, 10**10)


def test_conforms():
    for kernel in (
        identity_attention(q=2, gamma=1),
        identity_attention(q=0, gamma="1/2"),
        identity_attention(a=-1, gamma="1/2"),
        identity_attention(q="1/2", gamma="1/2"),
    ):
        check_kernel(kernel)
        assert eval(repr(kernel)) == kernel
        assert pickle.loads(pickle.dumps(kernel)) == kernel


@given(Q, st.integers(1, 3))
def test_same_different(q, gamma):
    """L6 (c): the determinant in closed form."""
    p = q ** (1 + gamma**2)
    delta = (q - 1) / ((p + q + 1) * (p + 2))
    found = sb.template_matrix(sb.tasks.same_different(), identity_attention(q=q, gamma=gamma))
    assert found.matrix.det() == Fraction(2, 9) * gamma**2 * (1 + gamma**2) * delta**2


@pytest.mark.parametrize("gamma", [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5, 3)])
def test_the_cost_as_a_goes_to_minus_infinity(gamma):
    """L6 (c): 6 at gamma = 1, from 2 x 2 matrices written down here."""
    g2 = gamma**2
    half = Fraction(1, 2)
    same, different = (half, half, 2), (1, 1, 1)

    def entry(c, d):
        return Fraction(c[2] * d[2] + g2 * sum(x * y for x, y in zip(c, d, strict=True))) / 9

    n11, n12, n22 = entry(same, same), entry(same, different), entry(different, different)
    det = n11 * n22 - n12**2
    # K(x, x) - N: the two equal symbols together have the weight 1, the two others 1 each.
    costs = 2 * (n22 + n12) / det / 9, 2 * (n11 + n12) / det * 2 / 9
    assert max(costs) == (16 + 20 * g2) / (3 * g2 * (1 + g2))
    split = sb.learning.TemplateSplit(
        sb.tasks.same_different(), identity_attention(q=0, gamma=gamma)
    )
    assert split.cost([1, -1]) == costs
    if gamma == 1:
        assert max(costs) == 6


@pytest.mark.parametrize("q", [0, "1/3", 2, 7])
def test_never_separated(q):
    for x, y in (("ααββ", "αβαβ"), ("αβαβ", "αββα"), ("ααβββγ", "αβγγγγ")):
        alike = [*map(x.count, x)] == [*map(y.count, y)]
        pair = [sb.Template(x), sb.Template(y)]
        matrix = sb.template_matrix(pair, identity_attention(q=q, gamma=1)).matrix
        assert matrix.rank() == (1 if alike else 2)
    for phi in ("relu", "tanh"):
        kernel = transformer(phi, identity_attention(q=q, gamma=1))
        values = {
            str(kernel.on_diagram(Diagram.of_templates(z.with_cls(), w.with_cls())))
            for z in map(sb.Template, ("ααββ", "αβαβ"))
            for w in map(sb.Template, ("ααββ", "αβαβ"))
        }
        assert len(values) == 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: identity_attention(gamma=1), errors.BadType),
        (lambda: identity_attention(a=1, q=2, gamma=1), errors.BadType),
        (lambda: identity_attention(q=-1, gamma=1), errors.BadValue),
        (lambda: identity_attention(q=0.5, gamma=1), errors.NotExact),
        (lambda: identity_attention(a="x", gamma=1), errors.NotInRing),
        (lambda: identity_attention(q=2, gamma=None), errors.BadType),
        (lambda: identity_attention(q=2, gamma=1).value("", ""), errors.BadValue),
        (lambda: identity_attention(q=2, gamma=1).value("AB", "A"), errors.BadShape),
        (lambda: identity_attention(q=2, gamma=1, bits=0), errors.BadValue),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
