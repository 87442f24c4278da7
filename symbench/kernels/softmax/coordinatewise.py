"""Attention without normalisation at finite beta and gamma: closed forms and certified integrals.

If the weight of a position is a function f of its own logit alone, the kernel is a sum over pairs
of positions,

    K(x, y) = sum_ab c_ab E[f(beta u_a) f(beta v_b)],      c_ab = 1(x_a = y_b) + gamma^2 1(a = b),

and (u_a, v_b) is Gaussian with variances 1 + gamma^2 and covariance c_ab: each mean is the dual of
an activation, and only three of them occur. Linear weights give rational numbers, exponential ones
exponential polynomials in q = e, the sigmoid rigorous balls.

>>> pair = Diagram.of("AB*", "CB*")
>>> coordinatewise_value(pair, 1, "1/2", weights="linear")
51/16
>>> coordinatewise_value(pair, 1, "1/2", weights="exponential")
1/4*q^(3/2) + 5/2*q^(5/2)
>>> coordinatewise_value(pair, 1, "1/2", weights="sigmoid")
[0.81676484231110... +/- ...]
"""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from functools import reduce
from typing import Any

import flint

from symbench._arguments import choice, integer
from symbench.errors import BadValue, TooLarge, Undecided
from symbench.exact import Exponential, Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq
from symbench.kernels.activations.exact import enclosure
from symbench.kernels.activations.named import activation
from symbench.kernels.derivatives.attention_maps import attention_map
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.float_value import FloatValue, check_digits
from symbench.kernels.softmax.finite_values import SCALES, near_float, parameter

# The fewest bits of a ball: a template matrix of them can then be told from a singular one.
_BITS = 128
# Far beyond what an integral can be had to in reasonable time.
_MOST_BALL_DIGITS = 10_000


def coordinatewise_value(
    diagram: Diagram, beta: Any, gamma: Any, *, weights: str, digits: int = 10, scale: str = "main"
) -> Rational | Exponential | flint.arb | FloatValue:
    """The kernel with 'linear', 'exponential' or 'sigmoid' weights on pairs with this diagram.

    Exact parameters give an exact number or, for the sigmoid, a ball of at least these digits. A
    float among them stands for the rational number that it is, and gives a float whose digits a
    ball has proved.
    """
    pair = check_positions(diagram)
    b, g = parameter(beta, "beta"), parameter(gamma, "gamma")
    wanted = integer(digits, "digits", at_least=1)
    choice(scale, "the scale", SCALES)
    name = attention_map(weights).activation
    if name is None:
        raise BadValue(f"the weights {weights!r} see all positions at once: take attention_value")
    floating = isinstance(b, float) or isinstance(g, float)
    if floating:
        check_digits(wanted)
    if wanted > _MOST_BALL_DIGITS and activation(name).exactness == "ball":
        raise TooLarge(f"{wanted} digits of a ball: at most {_MOST_BALL_DIGITS} are tried")
    bits = max(_BITS, math.ceil(min(wanted, _MOST_BALL_DIGITS) * math.log2(10)) + 16)
    found = _mean(pair, Fraction(b) ** 2, Fraction(g) ** 2, name, scale, bits)
    return _rounded(found, wanted, bits) if floating else found


def _mean(pair: Diagram, beta: Fraction, gamma: Fraction, name: str, scale: str, bits: int) -> Any:
    """The kernel from the squares of beta and gamma."""
    phi = activation(name)
    own, across = Fraction(1), Fraction(1)
    if scale == "appendix-H":
        own = 1 + gamma
        across = own if pair.left[-1] == pair.right[-1] else gamma
    variance = beta * own * (1 + gamma)
    both = pair.matches
    # Pairs of positions by what they have in common: a token, their place, or both.
    kinds = ((pair.meetings - both, Fraction(1)), (len(pair) - both, gamma), (both, 1 + gamma))
    terms: list[Any] = []
    with working_precision(bits + 16):
        for count, common in kinds:
            if count and common:
                mean = phi.dual(variance, variance, beta * across * common, bits=bits)
                factor = Rational(count * common)
                terms.append(mean * (fmpq(factor) if isinstance(mean, flint.arb) else factor))
        # At gamma = 0 two strings may have nothing in common.
        return reduce(operator.add, terms) if terms else Rational(0)


def _rounded(value: Any, digits: int, bits: int) -> FloatValue:
    """The float next to a value that is known to more than the wanted digits."""
    ball = enclosure(value, bits)
    with working_precision(bits):
        # An infinite ball is no zero, though its middle is.
        error = flint.arb(0) if ball.is_zero() else flint.arb(ball.rad()) / abs(ball.mid())
        if not error < flint.arb(10) ** -digits:
            raise Undecided(f"the value {ball} is not known to {digits} digits: ask for fewer")
    return FloatValue(near_float(ball.mid()), digits)
