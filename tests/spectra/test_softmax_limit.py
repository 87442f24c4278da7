"""The limit of softmax attention on (L - 1, 1) against Monte Carlo and longer and longer words."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, sqrt

import numpy as np
import pytest

import symbench as sb
from symbench import errors


def by_drawing(alpha: float, beta: float, scale: float) -> tuple[float, float]:
    """(D(1) - D(rho)) / (2 D(1)) from drawn Gaussians, and its standard error."""
    generator = np.random.default_rng(3)
    n, rho = 400_000, beta / (alpha + beta)
    deviation = scale * sqrt(2 * alpha * (alpha + beta))
    u, fresh = generator.standard_normal((2, n))
    v = rho * u + sqrt(1 - rho * rho) * fresh
    one = 1 / (1 + np.exp(-deviation * u))
    two = 1 / (1 + np.exp(-deviation * v))
    full = (one**2).mean()
    values = (one**2 - one * two) / (2 * full)
    return float(values.mean()), float(values.std() / sqrt(n))


@pytest.mark.parametrize(
    ("alpha", "beta", "scale"), [(1, 1, 1), (1, 0, 1), ("1/2", 3, 2), (2, 1, "1/2"), (1, 1, -1)]
)
def test_against_drawing(alpha, beta, scale) -> None:
    found = float(sb.spectra.softmax_tightness(alpha, beta, scale=scale))
    numbers = [float(Fraction(x)) for x in (alpha, beta, scale)]
    mean, error = by_drawing(*numbers)
    assert abs(found - mean) < 5 * error


def rayleigh(kernel, length: int) -> float:
    """The quotient of chi_1 - chi_2 times dim / trace, from all tables."""
    tables = [
        ((a, b), (c, length - a - b - c))
        for a in range(length + 1)
        for b in range(length + 1 - a)
        for c in range(length + 1 - a - b)
    ]
    _, values = kernel.on_tables(tables, digits=3)
    quotient = trace = 0.0
    for ((a, b), (c, d)), value in zip(tables, values, strict=True):
        ways = factorial(length) // (factorial(a) * factorial(b) * factorial(c) * factorial(d))
        matches, left, right = a + d - b - c, a + b - c - d, a + c - b - d
        mean = matches / length - (left * right - matches) / (length * (length - 1))
        quotient += ways / 4**length * value * mean
        if b == c == 0:
            trace += comb(length, a) / 2**length * value
    return quotient * (length - 1) / trace


def test_longer_words_come_down_to_it() -> None:
    kernel = sb.kernels.softmax_attention(1, 1, readout="flatten")
    limit = float(sb.spectra.softmax_tightness(1, 1))
    found = [rayleigh(kernel, length) for length in (8, 12, 16)]
    assert limit < found[2] < found[1] < found[0]
    (point,) = [
        p
        for p in sb.spectra.eigenvalue_scaling(kernel, lengths=[8], max_m=1, digits=3).points
        if p.m == 1
    ]
    assert float(point.ratio) >= found[0] * (1 - 1e-2)


def test_more_scale_sees_more() -> None:
    values = [float(sb.spectra.softmax_tightness(1, 1, scale=s)) for s in ("1/4", "1/2", 1, 2)]
    assert values == sorted(values)
    assert all(0 < value < 0.25 for value in values)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"alpha": 0, "beta": 1}, errors.BadValue),
        ({"alpha": 1, "beta": 1, "scale": 0}, errors.BadValue),
        ({"alpha": -1, "beta": 1}, errors.SymbenchError),
        ({"alpha": 0.5, "beta": 1}, errors.NotExact),
        ({"alpha": None, "beta": 1}, errors.BadType),
        ({"alpha": 1, "beta": 1, "bits": "many"}, errors.BadType),
    ],
)
def test_bad_arguments(arguments: dict, error: type) -> None:
    with pytest.raises(error):
        sb.spectra.softmax_tightness(**arguments)
