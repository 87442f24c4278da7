"""Networks of finite width beside kernel (23)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symbench as sb
from symbench import errors
from symbench.kernels import Diagram
from symbench.learning import NetworkSize, feature_convergence
from symbench.learning.random_features import _kernel

SIZES = [(2, 3, 2)]


@pytest.mark.parametrize(("x", "y"), [("AA*", "BC*"), ("AB*", "AB*"), ("A", "B")])
def test_without_scores_the_mean_is_exact_at_every_width(x, y):
    """At beta = 0 attention is uniform, and the mean is 1^T (X Y^T + gamma^2 I) 1 / k^2."""
    found = feature_convergence(x, y, beta=0, gamma=1, sizes=SIZES, draws=3000)
    k = len(x)
    exact = (sum(s == t for s in x for t in y) + k) / k**2
    assert found.limit == pytest.approx(exact)
    mean, error = found.rows[0].kernel
    assert abs(mean - exact) < 5 * error


def test_wide_networks_are_near():
    sizes = [(4, 4, 4), (48, 48, 8)]
    found = feature_convergence("AA*", "BC*", beta=1, gamma=1, sizes=sizes, draws=100)
    narrow, wide = found.rows
    assert wide.distance < narrow.distance / 2
    assert abs(wide.kernel[0] - found.limit) < 5 * wide.kernel[1]
    # (23) is (3) at beta sqrt(1 + gamma^2).
    three = sb.kernels.attention(beta=2**0.5, gamma=1.0).value("AA*", "BC*")
    assert found.limit == pytest.approx(float(three), rel=1e-6)


class Kept:
    """A generator whose normal numbers are kept."""

    def __init__(self):
        self.random, self.arrays = np.random.default_rng(5), []

    def standard_normal(self, shape):
        self.arrays.append(self.random.standard_normal(shape))
        return self.arrays[-1]


def test_one_network_is_that_of_appendix_h():
    """Head by head, as (H.1) writes it, with the numbers that were drawn."""
    generator, size, beta, gamma = Kept(), NetworkSize(3, 4, 2, 5), 1.5, 0.5
    found = _kernel(Diagram.of("ABA*", "CAB*"), beta, gamma, size, generator)
    tokens, places, keys, queries, values, outs = generator.arrays
    outputs = []
    for codes in ((0, 1, 0, 2), (3, 0, 1, 2)):
        Z = np.array([tokens[t] + gamma * places[c] for c, t in enumerate(codes)]) / 2
        total = np.zeros(4)
        for K, Q, V, out in zip(keys, queries, values, outs, strict=True):
            row = np.exp(beta / 2**0.5 * (Z @ K.T @ Q @ Z[-1]))
            total += (row / row.sum()) @ Z @ V.T @ out / (3 * 5) ** 0.5
        outputs.append(total)
    assert found == pytest.approx(outputs[0] @ outputs[1] / 4)


def test_plot(tmp_path: Path):
    found = feature_convergence("A*", "B*", beta=1, gamma=1, sizes=[(2, 2, 2), (4, 4, 4)], draws=10)
    found.plot(tmp_path / "features.svg")
    assert "<svg" in (tmp_path / "features.svg").read_text()
    assert found.table().splitlines()[-1].startswith("(23)")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sizes": []}, errors.BadValue),
        ({"sizes": [(2, None, 2)]}, errors.BadValue),
        ({"sizes": [(2, 2)]}, errors.BadType),
        ({"sizes": 3}, errors.BadType),
        ({"beta": 0.5}, errors.NotExact),
        ({"draws": 1}, errors.BadValue),
        ({"sizes": [(10**4, 10**4, 10)]}, errors.TooLarge),
    ],
)
def test_bad_input(options, error):
    given = {"beta": 1, "gamma": 1, "sizes": SIZES, **options}
    with pytest.raises(error):
        feature_convergence("AA*", "BC*", **given)
    with pytest.raises(errors.BadShape):
        feature_convergence("AA*", "B*", beta=1, gamma=1, sizes=SIZES)
