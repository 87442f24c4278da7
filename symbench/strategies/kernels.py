"""Strategies for activations and for token-symmetric kernels: each class of `sb.kernels`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from symbench._arguments import integer
from symbench.exact import Rational
from symbench.kernels import (
    ACTIVATIONS,
    Attention,
    Diagram,
    HardAttention,
    Kernel,
    activation,
    cos,
    from_function,
    from_table,
    generic,
    identity_attention,
    inner_product,
    linear_attention,
    polynomial,
    ring_attention,
    segment_attention,
    softmax_attention,
    tangent,
    transformer,
)
from symbench.strategies._bounds import bounds, chosen
from symbench.strategies.matrices import rationals
from symbench.strategies.words import position_partitions
from symbench.strategies.young import stretches

# The values of inner products reach to strings of this length.
_LONGEST = 8
_READOUTS = ("sum", "flatten", "last")


def diagrams(*, min_length: int = 1, max_length: int = 4) -> st.SearchStrategy[Diagram]:
    """Diagrams: equality patterns of two strings of one length.

    >>> from hypothesis import find
    >>> find(diagrams(), lambda diagram: diagram.left != diagram.right)
    Diagram((0,), (1,))
    """
    low, high = bounds(min_length, max_length, "length", floor=1)
    sizes = st.integers(low, high)
    patterns = sizes.flatmap(lambda n: position_partitions(min_size=2 * n, max_size=2 * n))
    return patterns.map(Diagram.from_codes)


def activations(*, exact: bool = False) -> st.SearchStrategy[Any]:
    """Activations of a layer: the named ones, cosines and polynomials; or those with exact values.

    >>> from hypothesis import find
    >>> find(activations(exact=True), lambda f: not f.is_constant).is_constant
    False
    """
    small = rationals(min_value=-2, max_value=2, max_denominator=2)
    polynomials = st.lists(small, min_size=1, max_size=4).map(polynomial)
    waves = st.builds(cos, small.filter(bool), st.sampled_from(["0", "pi/4", "pi/2"]))
    plain: st.SearchStrategy[Any] = polynomials | waves
    return plain if exact else plain | st.sampled_from(sorted(ACTIVATIONS)).map(activation)


def kernels(*, kinds: Any = None) -> st.SearchStrategy[Kernel]:
    """Token-symmetric kernels with small exact parameters, for strings of up to 8 letters.

    Without kinds they are exact, rational and positive semidefinite on strings of any letters:
    inner products and linear attention. kinds is a class of `sb.kernels` or several.

    >>> from hypothesis import find
    >>> find(kernels(), lambda kernel: kernel.value("A", "A") == 1).value("A", "A")
    1
    >>> find(kernels(kinds=softmax_attention), lambda kernel: kernel.scale == 2).scale
    2
    >>> kernels(kinds=[Template])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the kinds have Template: give some of InnerProduct, ...
    """
    default = (linear_attention, inner_product)
    return st.one_of([_OF_KIND[kind]() for kind in chosen(kinds, _OF_KIND, default)])


def positional_kernels(*, length: int) -> st.SearchStrategy[Kernel]:
    """Linear attention on words of one length whose positions are not alike: rings and segments.

    >>> from hypothesis import find
    >>> find(positional_kernels(length=3), lambda kernel: kernel.symmetry(3).order == 6).needs_cls
    False
    """
    size = integer(length, "length", at_least=1, at_most=_LONGEST)
    number = _numbers()
    readout = st.sampled_from(_READOUTS[:2])
    half = st.lists(number, min_size=size // 2, max_size=size // 2)
    rings = half.map(lambda c: _ring_covariance(size, c))
    cuts = st.lists(st.booleans(), min_size=size - 1, max_size=size - 1).map(stretches)
    return st.builds(ring_attention, number, number, positions=rings, readout=readout) | st.builds(
        segment_attention, number, number, number, segments=cuts, readout=readout
    )


def _ring_covariance(size: int, c: list[Rational]) -> list[Rational]:
    """c(0), c(1), ... with c(0) so large that no Fourier coefficient is negative."""
    sides = [c[min(t, size - t) - 1] for t in range(1, size)]
    return [Rational(1 + sum(sides)), *sides]


def _numbers(most: int = 2) -> st.SearchStrategy[Rational]:
    return rationals(min_value=0, max_value=most, max_denominator=3)


def _linear() -> st.SearchStrategy[Any]:
    number, readout = _numbers(), st.sampled_from(_READOUTS)
    return st.builds(linear_attention, number, number, readout=readout, layers=st.integers(1, 2))


def _powers() -> st.SearchStrategy[Any]:
    """f(<x, y>) for a polynomial f without negative coefficients."""

    def values(c: list[Rational]) -> list[Rational]:
        return [sum((a * n**k for k, a in enumerate(c)), Rational(0)) for n in range(_LONGEST + 1)]

    return st.lists(_numbers(), min_size=1, max_size=3).map(values).map(inner_product)


def _attention() -> st.SearchStrategy[Any]:
    beta, gamma = st.none() | _numbers(), _numbers()
    series = st.builds(Attention, gamma=st.none() | gamma, order=st.integers(0, 4))
    numbers = st.builds(Attention, beta=_numbers(), gamma=gamma)
    others = st.builds(
        Attention, beta=beta, gamma=gamma, weights=st.sampled_from(["linear", "exponential"])
    )
    return series | numbers | others


def _layers() -> st.SearchStrategy[Any]:
    return st.builds(transformer, activations(), _powers())


def _tangents() -> st.SearchStrategy[Any]:
    rate = st.integers(0, 2)
    return st.builds(tangent, _linear(), token_rate=rate, position_rate=rate)


def _softmax() -> st.SearchStrategy[Any]:
    # A value at beta = scale = 2 takes seconds.
    number, readout = _numbers(1), st.sampled_from(_READOUTS)
    return st.builds(softmax_attention, number, number, readout=readout, scale=st.integers(1, 2))


def _identity() -> st.SearchStrategy[Any]:
    return st.builds(identity_attention, q=_numbers(), gamma=st.integers(-2, 2))


def common_letters(x: Any, y: Any) -> int:
    """How many letters two strings have in common."""
    return len(set(x) & set(y))


def equal_places(x: Any, y: Any) -> int:
    """At how many places two strings agree."""
    return sum(a == b for a, b in zip(x, y, strict=True))


def diagonal_sum(table: Any) -> int:
    """At how many places two words agree, from their contingency table."""
    return sum(table[v][v] for v in range(len(table)))


def sum_of_squares(table: Any) -> int:
    """The pairs of places that carry equal tokens in both words."""
    return sum(n * n for row in table for n in row)


_OF_KIND: dict[type, Callable[[], st.SearchStrategy[Any]]] = {
    inner_product: _powers,
    linear_attention: _linear,
    tangent: _tangents,
    transformer: _layers,
    softmax_attention: _softmax,
    Attention: _attention,
    HardAttention: lambda: st.just(HardAttention()),
    generic: lambda: st.just(generic()),
    identity_attention: _identity,
    from_function: lambda: st.sampled_from([common_letters, equal_places]).map(from_function),
    from_table: lambda: st.sampled_from([diagonal_sum, sum_of_squares]).map(from_table),
}
