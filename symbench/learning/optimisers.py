"""Optimisers in exact numbers: each weight moves by its own gradients, and by nothing else.

An optimiser has `memory`, what it remembers of a weight before the first step, and
`step(weight, gradient, memory, time)`, the weight and the memory after a step; time counts from
1. That it sees one weight at a time is the hypothesis of boix2024, Remark I.5: then training does
not know in which order the inputs come. Any object with these two is one.

>>> Sgd("1/2").step(flint.fmpq(3), flint.fmpq(4), (), 1)
(1, ())
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import attrs
import flint

from symbench._arguments import integer, sequence
from symbench.draw.views import Shown
from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.exact.rational import fmpq
from symbench.learning.numbers import number, numbers

Memory = tuple[flint.fmpq, ...]
# More binary digits of a square root are not asked for.
_BITS = 4096


@runtime_checkable
class Optimiser(Protocol):
    """What an optimiser needs; nothing is subclassed."""

    @property
    def memory(self) -> Memory:
        """What is remembered of a weight at the start."""
        ...

    def step(
        self, weight: flint.fmpq, gradient: flint.fmpq, memory: Memory, time: int
    ) -> tuple[flint.fmpq, Memory]:
        """The weight and what is remembered of it after the step number `time`."""
        ...


def _rates(given: Any) -> tuple[Rational, ...]:
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        return (number(given, "the rate"),)
    found = numbers(sequence(given, "the rate"), "the rate")
    if not found:
        raise BadValue("the rate is an empty list: give a number, or one for each step")
    return found


def _rate(rates: tuple[Rational, ...], time: int) -> flint.fmpq:
    """The rate of a step: the last one stays."""
    return fmpq(rates[min(time, len(rates)) - 1])


def _part(value: Any, what: str) -> Rational:
    found = number(value, what, at_least=0)
    if found >= 1:
        raise BadValue(f"{what} is {found}: give a number below 1")
    return found


def _momentum(value: Any) -> Rational:
    return _part(value, "the momentum")


def _beta1(value: Any) -> Rational:
    return _part(value, "beta1")


def _beta2(value: Any) -> Rational:
    return _part(value, "beta2")


def _decay(value: Any) -> Rational:
    return number(value, "the decay", at_least=0)


def _epsilon(value: Any) -> Rational:
    return number(value, "epsilon", above=0)


def _bits(value: Any) -> int:
    return integer(value, "bits", at_least=1, limit=_BITS)


@attrs.frozen
class Sgd(Shown):
    """Stochastic gradient descent, with momentum and weight decay if they are asked for.

    With g the gradient and w the weight, v becomes momentum v + g + decay w, and then w becomes
    w - rate v. A list of rates has one for each step, and its last one stays.

    >>> Sgd("1/4", momentum="1/2")
    Sgd(rate=(1/4,), momentum=1/2, decay=0)
    >>> Sgd(0.1)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: the rate: 0.1 is a float, not an exact number: write '1/10' or ...
    >>> Sgd(1, momentum=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the momentum is 1: give a number below 1
    """

    rate: tuple[Rational, ...] = attrs.field(converter=_rates)
    momentum: Rational = attrs.field(default=Rational(0), kw_only=True, converter=_momentum)
    decay: Rational = attrs.field(default=Rational(0), kw_only=True, converter=_decay)

    @property
    def memory(self) -> Memory:
        """A velocity of 0, where there is momentum."""
        return (flint.fmpq(0),) if self.momentum else ()

    def step(
        self, weight: flint.fmpq, gradient: flint.fmpq, memory: Memory, time: int
    ) -> tuple[flint.fmpq, Memory]:
        """One step of one weight."""
        moved = gradient + fmpq(self.decay) * weight if self.decay else gradient
        if self.momentum:
            moved += fmpq(self.momentum) * memory[0]
        after = weight - _rate(self.rate, time) * moved
        return after, (moved,) if self.momentum else ()


@attrs.frozen
class Adam(Shown):
    """Adam (Kingma and Ba 2015) with square roots cut off after `bits` binary digits.

    m and s are running means of the gradient and of its square, corrected as if they had not
    begun at 0; the weight w becomes w - rate m / (root + epsilon), where root is the largest
    multiple of 2^-bits whose square is at most s. So every step is one in rational numbers, and a
    function of the weight's own gradients: what Remark I.5 needs of it holds exactly.

    >>> weight, memory = Adam("1/10").step(flint.fmpq(1), flint.fmpq(-3), Adam(1).memory, 1)
    >>> round(float(weight.p) / float(weight.q), 6)
    1.1
    >>> Adam(1, epsilon=0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: epsilon is 0: give a number above 0
    """

    rate: tuple[Rational, ...] = attrs.field(converter=_rates)
    beta1: Rational = attrs.field(default=Rational(9, 10), kw_only=True, converter=_beta1)
    beta2: Rational = attrs.field(default=Rational(999, 1000), kw_only=True, converter=_beta2)
    epsilon: Rational = attrs.field(default=Rational(1, 10**8), kw_only=True, converter=_epsilon)
    decay: Rational = attrs.field(default=Rational(0), kw_only=True, converter=_decay)
    bits: int = attrs.field(default=64, kw_only=True, converter=_bits)

    @property
    def memory(self) -> Memory:
        """Both running means at 0."""
        return (flint.fmpq(0), flint.fmpq(0))

    def step(
        self, weight: flint.fmpq, gradient: flint.fmpq, memory: Memory, time: int
    ) -> tuple[flint.fmpq, Memory]:
        """One step of one weight."""
        moved = gradient + fmpq(self.decay) * weight if self.decay else gradient
        first, second = fmpq(self.beta1), fmpq(self.beta2)
        mean = first * memory[0] + (1 - first) * moved
        square = second * memory[1] + (1 - second) * moved * moved
        root = self._root(square / (1 - second**time))
        up = mean / (1 - first**time)
        after = weight - _rate(self.rate, time) * up / (root + fmpq(self.epsilon))
        return after, (mean, square)

    def _root(self, value: flint.fmpq) -> flint.fmpq:
        """The largest multiple of 2^-bits whose square is at most the value."""
        whole = (value * flint.fmpq(1 << (2 * self.bits))).floor()
        return flint.fmpq(whole.isqrt(), 1 << self.bits)
