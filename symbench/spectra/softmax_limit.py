"""Softmax attention on long words of two tokens: how tight the trace bound is on (L - 1, 1).

With a readout of its own for each position, lambda dim / trace on the irreducible (L - 1, 1) does
not go to zero: its lower limit is at least (D(1) - D(rho)) / (2 D(1)), where
D(r) = E[sigmoid(u) sigmoid(v)] for Gaussians of variance 2 scale^2 alpha (alpha + beta) with
correlation r, and rho = beta / (alpha + beta). The proof is in proofs/symbench/softmax-tight.md.
"""

from __future__ import annotations

from typing import Any

from flint import arb

from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.exact.rational import exact_parameter
from symbench.kernels.activations.exact import precision
from symbench.kernels.activations.sigmoids import Sigmoid


def softmax_tightness(alpha: Any, beta: Any, *, scale: Any = 1, bits: int = 64) -> arb:
    """A lower bound of lim inf lambda dim / trace on (L - 1, 1), as a ball: positive.

    For `softmax_attention(alpha, beta, readout="flatten", scale=scale)` on uniform words of two
    tokens; alpha, the variance of the tokens, must be positive, and scale not zero.

    >>> print(softmax_tightness(1, 1).str(10, radius=False))
    0.07457896399
    >>> softmax_tightness(0, 1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: alpha is 0: tokens are not seen, so nothing is learned of them
    """
    a = exact_parameter(alpha, "alpha", at_least=0)
    b = exact_parameter(beta, "beta", at_least=0)
    s = exact_parameter(scale, "scale")
    if a == 0:
        raise BadValue("alpha is 0: tokens are not seen, so nothing is learned of them")
    if s == 0:
        raise BadValue("scale is 0: attention is uniform and does not see tokens")
    variance = Rational(2 * s * s * a * (a + b))
    full, part = (
        Sigmoid().dual(variance, variance, Rational(variance * r), bits=precision(bits))
        for r in (Rational(1), Rational(b / (a + b)))
    )
    return (full - part) / (2 * full)
