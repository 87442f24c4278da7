"""Activations: what a layer of neurons does to Gaussians, exactly or in rigorous balls.

An activation phi has `dual(A, B, C)` = E[phi(u) phi(v)] for Gaussians u, v with variances A, B
and covariance C; `hermite(n, a)` = a^(-n/2) E[phi(sqrt(a) g) He_n(g)]; `is_constant`; and
`exactness`, 'exact' or 'ball'. Any object with these four members is one; the names below give
those that are built in.

>>> cos(1, "pi/4").dual(2, 2, 1)
1/2*q^(-1)
>>> polynomial([0, 0, 1]).dual(1, 1, "1/2")
3/2
>>> print(activation("relu").dual(1, 1, 0).str(20, radius=False))
0.15915494309189533577
"""

from __future__ import annotations

import difflib
import math
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import flint

from symbench.errors import BadType, BadValue, NotSupported, UnknownName
from symbench.exact import Exponential
from symbench.kernels.activations.closed_forms import Erf, Gelu, Relu, Sign, Step
from symbench.kernels.activations.exact import Exp, cos, enclosure, polynomial
from symbench.kernels.activations.sigmoids import Sigmoid, Tanh


@runtime_checkable
class Activation(Protocol):
    """What an activation needs; nothing is subclassed."""

    @property
    def exactness(self) -> str:
        """'exact' or 'ball': what dual returns."""
        ...

    @property
    def is_constant(self) -> bool:
        """Whether the function is constant (almost everywhere)."""
        ...

    def dual(self, A: Any, B: Any, C: Any, *, bits: int = 128) -> Any:
        """E[phi(u) phi(v)], u and v Gaussian with variances A, B and covariance C."""
        ...

    def hermite(self, n: int, a: Any, *, bits: int = 128) -> Any:
        """c_n(a), exactly or as a ball."""
        ...


ACTIVATIONS: dict[str, Activation] = {
    "cos": cos(1, 0),
    "erf": Erf(),
    "exp": Exp(),
    "gelu": Gelu(),
    "identity": polynomial([0, 1]),
    "relu": Relu(),
    "sigmoid": Sigmoid(),
    "sign": Sign(),
    "sin": cos(1, "-pi/2"),
    "step": Step(),
    "tanh": Tanh(),
}


def activation(given: Any) -> Activation:
    """The activation of a name, or given itself if it is one.

    >>> activation("gelu")
    Gelu()
    >>> activation("rellu")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: no activation 'rellu': did you mean relu? There are cos, erf, ...
    """
    if isinstance(given, str):
        if given in ACTIVATIONS:
            return ACTIVATIONS[given]
        near = difflib.get_close_matches(given, ACTIVATIONS, n=1)
        hint = f" did you mean {near[0]}?" if near else ""
        raise UnknownName(
            f"no activation {given!r}:{hint} There are {', '.join(ACTIVATIONS)}, "
            "cos(b1, b2) and polynomial(coefficients)"
        )
    if isinstance(given, type) or not isinstance(given, Activation):
        raise BadType(
            f"{given!r} is no activation: give a name such as 'relu', or an object with "
            "exactness, is_constant, dual(A, B, C, bits=...) and hermite(n, a, bits=...)"
        )
    return given


def activation_source(given: Activation) -> str:
    """The activation as a Python expression: its name where it has one."""
    for name, known in ACTIVATIONS.items():
        if known == given:
            return repr(name)
    return repr(given)


# A covariance computed in floats may miss the Cauchy-Schwarz inequality by its rounding errors.
_SLACK = 1e-6


def dual_float(given: Any, A: float, B: float, C: float) -> float:
    """E[phi(u) phi(v)] at variances and a covariance that are floats: a float, never a proof.

    The floats are taken as the rational numbers that they are, so only the rounding of A, B, C
    themselves goes into the result; C a little past sqrt(A B) is taken as sqrt(A B).
    """
    phi = activation(given)
    a, b, c = (_fraction(x, name) for x, name in ((A, "A"), (B, "B"), (C, "C")))
    if a < 0 or b < 0 or c * c > a * b * Fraction(1 + _SLACK):
        raise BadValue(f"A = {A}, B = {B}, C = {C} is no covariance: A, B >= 0 and C^2 <= A B")
    if c * c > a * b:
        a, b = _stretched(a, b, c)
    return _as_float(phi.dual(a, b, c, bits=64))


def _fraction(value: Any, name: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise BadType(f"{name} is {value!r}: give a number")
    if not math.isfinite(value):
        raise BadValue(f"{name} is {value!r}: give a finite number")
    return Fraction(value)


def _stretched(a: Fraction, b: Fraction, c: Fraction) -> tuple[Fraction, Fraction]:
    """Variances with a b = c^2, as near as can be: the larger one is changed."""
    return (a, c * c / a) if a <= b else (c * c / b, b)


def _as_float(value: Any) -> float:
    if isinstance(value, Exponential):
        return float(enclosure(value))
    if isinstance(value, (flint.arb, Fraction, int, float)):
        return float(value)
    raise NotSupported(f"{value!r} has no float: the activation's dual must be a number")
