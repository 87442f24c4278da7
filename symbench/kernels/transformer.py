"""A layer of neurons over a kernel: the kernel of a transformer with one hidden layer on top.

If K is the kernel of what enters the layer, what leaves it has the kernel E[phi(u) phi(v)],
where (u, v) is Gaussian with covariance [[K(x, x), K(x, y)], [K(y, x), K(y, y)]].

>>> below = linear_attention("1/4", "1/4", readout="last")
>>> transformer(cos(1, "pi/4"), below).value("AB", "CB")
1/2*q^(-3/32)
>>> transformer("relu", below)
transformer('relu', linear_attention('1/4', '1/4', readout='last'))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import attrs
import flint

from symbench._arguments import integer, sequence
from symbench.errors import NotSupported, Undecided
from symbench.exact import Exponential, Exponentials, Rational, Series
from symbench.exact.polynomials import POLYNOMIALS
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number
from symbench.kernels.activations.exact import GUARD, Polynomial, enclosure, precision
from symbench.kernels.activations.hermite import polynomial_dual
from symbench.kernels.activations.named import Activation, activation, activation_source, dual_float
from symbench.kernels.attention import Attention, attention
from symbench.kernels.base import Kernel, OnStrings, check_kernel_type, symmetry_of, value_on_table
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.float_value import MOST_DIGITS, FloatValue
from symbench.kernels.softmax_attention import SoftmaxAttention
from symbench.kernels.tables import Table, column_sums, diagonal, row_sums
from symbench.young.position_groups import CyclicGroup, YoungSubgroup

_EXACTNESS = ("exact", "ball", "float")
# Triples of values whose dual is remembered, and values K(x, x).
_KNOWN = 1 << 16
_PLAIN = (int, Fraction, flint.fmpq)
_EXACT = (*POLYNOMIALS, Series, Rational)


def _below(value: Any) -> Kernel:
    """The kernel under the layer: softmax attention unless another one is given."""
    if value is None:
        return attention()
    return check_kernel_type(value)


@attrs.frozen(repr=False)
class Transformer(OnStrings):
    """The kernel of a layer with an activation (a name or an object) over the kernel `attention`.

    Without a kernel below it is softmax attention, as a series in beta. Cosines, exp and
    polynomials are exact, the others balls of about the given number of bits; the kernel below
    must have rational values (for polynomials any exact ones, or balls).

    >>> kernel = transformer("sign", inner_product(lambda n: n))
    >>> kernel.value("AB", "AC").overlaps(kernel.value("XY", "ZY"))
    True
    >>> kernel.needs_cls, kernel.exactness
    (False, 'ball')
    """

    activation: Activation = attrs.field(converter=activation)
    attention: Kernel = attrs.field(default=None, converter=_below)
    bits: int = attrs.field(default=128, converter=precision, kw_only=True)

    def __repr__(self) -> str:
        more = "" if self.bits == 128 else f", bits={self.bits}"
        return f"transformer({activation_source(self.activation)}, {self.attention!r}{more})"

    @property
    def needs_cls(self) -> bool:
        """What the kernel below says."""
        return self.attention.needs_cls

    @property
    def exactness(self) -> str:
        """The less exact of the activation's and the kernel's below."""
        kinds = (self.activation.exactness, self.attention.exactness)
        return max(kinds, key=_EXACTNESS.index)

    def symmetry(self, length: int) -> YoungSubgroup | CyclicGroup | None:
        """That of the kernel below."""
        return symmetry_of(self.attention, length)

    def covariance(self, diagram: Diagram) -> tuple[Any, Any, Any]:
        """K(x, x), K(y, y) and K(x, y) of the kernel below.

        >>> transformer("erf", linear_attention(1, 1)).covariance(Diagram.of("AB", "CC"))
        (32, 60, 4)
        """
        below = self.attention.on_diagram
        first, second, third = map(below, _three(diagram))
        return first, second, third

    def on_diagram(self, diagram: Diagram, *, digits: int = 8) -> Any:
        """E[phi(u) phi(v)], exactly or as a ball; digits are those of float values.

        >>> transformer("identity", linear_attention()).value("A", "B")
        beta^3
        >>> transformer("relu", generic()).value("A", "A")
        Traceback (most recent call last):
        ...
        symbench.errors.NotSupported: relu over generic() needs rational values, not K0_0: ...
        """
        below = self.attention
        if below.exactness == "float" and isinstance(below, (Attention, SoftmaxAttention)):
            return self._float(check_diagram(diagram), integer(digits, "digits", at_least=1))
        return self._dual(self.covariance(diagram))

    def on_table(self, *tables: Table) -> Any:
        """The value from the tables of the kernel below.

        K(x, x) and K(y, y) are its values on the diagonal tables of row sums and of column sums.

        >>> kernel = transformer("identity", linear_attention(1, 1))
        >>> kernel.on_table(((1, 0), (1, 0)))
        24
        """
        entries = (
            self._variance(*map(row_sums, tables)),
            self._variance(*map(column_sums, tables)),
            value_on_table(self.attention, *tables),
        )
        if not all(isinstance(entry, _PLAIN) for entry in entries):
            return self._dual(entries)
        # Integers hash much faster than rational numbers.
        return self._known(*(int(part) for entry in entries for part in _parts(entry)))

    @cached_property
    def _variance(self) -> Callable[..., Any]:
        """K(x, x) of the kernel below from token counts, segment by segment."""
        return lru_cache(maxsize=_KNOWN)(
            lambda *counts: value_on_table(self.attention, *map(diagonal, counts))
        )

    @cached_property
    def _known(self) -> Callable[..., Any]:
        """The value at the numerators and denominators of three rational numbers."""
        return lru_cache(maxsize=_KNOWN)(
            lambda a, p, b, q, c, r: self._dual((Rational(a, p), Rational(b, q), Rational(c, r)))
        )

    def on_tables(
        self, places: Iterable[Any], *, digits: int = 8
    ) -> tuple[list[float], list[float]]:
        """Float values on many tables, from each of the two lists of the kernel below.

        >>> kernel = transformer("relu", attention(beta=1, gamma=1))
        >>> one, two = kernel.on_tables([((1, 1), (0, 0))], digits=4)
        >>> round(two[0], 4)
        0.5874
        """
        method = getattr(self.attention, "on_tables", None)
        if not callable(method):
            raise NotSupported(f"{self.attention!r} has no method on_tables: give it one")
        wanted: dict[Any, int] = {}
        triples = []
        for place in sequence(places, "the places", "a list of tables"):
            several = bool(place) and bool(place[0]) and not isinstance(place[0][0], int)
            tables = place if several else (place,)
            three = (
                tuple(diagonal(row_sums(table)) for table in tables),
                tuple(diagonal(column_sums(table)) for table in tables),
                tuple(tables),
            )
            triples.append([wanted.setdefault(t if several else t[0], len(wanted)) for t in three])
        lists = method(list(wanted), digits=min(digits + 1, MOST_DIGITS))
        one, two = (
            [dual_float(self.activation, *(below[k] for k in three)) for three in triples]
            for below in lists
        )
        return one, two

    def _dual(self, entries: tuple[Any, Any, Any]) -> Any:
        if isinstance(self.activation, Polynomial):
            if any(isinstance(entry, (Exponential, flint.arb)) for entry in entries):
                return self._polynomial(self.activation, entries)
            if all(isinstance(entry, _EXACT) or _is_rational(entry) for entry in entries):
                return self.activation.dual(*entries, bits=self.bits)
        for entry in entries:
            if not _is_rational(entry):
                name = activation_source(self.activation).strip("'")
                raise NotSupported(
                    f"{name} over {self.attention!r} needs rational values, not {entry!r}: give "
                    "the kernel below numbers for its parameters (attention has floats if one of "
                    "them is a float), or take a polynomial activation"
                )
        return self.activation.dual(*entries, bits=self.bits)

    def _polynomial(self, phi: Polynomial, entries: tuple[Any, ...]) -> Any:
        """The value over exponential polynomials, or over balls and then with their radii."""
        if not any(isinstance(entry, flint.arb) for entry in entries):
            ring = Exponentials("q")
            return polynomial_dual(phi.coefficients, *map(ring.coerce, entries))
        balls = [enclosure(entry, self.bits) for entry in entries]
        with working_precision(self.bits + GUARD):
            return polynomial_dual(phi.coefficients, *balls)

    def _float(self, diagram: Diagram, digits: int) -> FloatValue:
        """The value over a kernel of floats, from two lattices that must agree."""
        found = []
        for fine in (digits + 2, digits + 3):
            below = (self.attention.on_diagram(pair, digits=fine) for pair in _three(diagram))  # type: ignore[call-arg]
            found.append(dual_float(self.activation, *map(float, below)))
        if abs(found[0] - found[1]) > 10.0**-digits * max(map(abs, found)):
            raise Undecided(f"the two lattices do not agree to {digits} digits: ask for fewer")
        return FloatValue(found[1], digits)


transformer = Transformer


def _three(diagram: Diagram) -> tuple[Diagram, Diagram, Diagram]:
    """The diagrams of (x, x), of (y, y) and of (x, y)."""
    left, right = check_diagram(diagram).left, diagram.right
    return Diagram.from_codes(left + left), Diagram.from_codes(right + right), diagram


def _parts(entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, flint.fmpq):
        return entry.p, entry.q
    return entry.numerator, entry.denominator


def _is_rational(entry: Any) -> bool:
    try:
        exact_number(entry)
    except (TypeError, ValueError):
        return False
    return not isinstance(entry, (bool, str))
