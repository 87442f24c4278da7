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

from typing import TYPE_CHECKING, Any

import attrs
import flint

from symbench._arguments import integer
from symbench.errors import NotSupported, Undecided
from symbench.exact import Exponential, Exponentials, Rational, Series
from symbench.exact.polynomials import POLYNOMIALS
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number
from symbench.kernels.activations.exact import GUARD, Polynomial, precision
from symbench.kernels.activations.hermite import polynomial_dual
from symbench.kernels.activations.named import Activation, activation, activation_source, dual_float
from symbench.kernels.attention import Attention, attention
from symbench.kernels.base import Kernel, check_kernel_type
from symbench.kernels.coordinatewise import enclosure
from symbench.kernels.diagram import Diagram, check_diagram

if TYPE_CHECKING:
    from symbench.kernels.float_value import FloatValue

_EXACTNESS = ("exact", "ball", "float")


def _below(value: Any) -> Kernel:
    """The kernel under the layer: softmax attention unless another one is given."""
    if value is None:
        return attention()
    return check_kernel_type(value)


@attrs.frozen(repr=False)
class Transformer:
    """The kernel of a layer with an activation over the kernel `attention`.

    >>> kernel = Transformer("erf", linear_attention(1, 1))
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

    def covariance(self, diagram: Diagram) -> tuple[Any, Any, Any]:
        """K(x, x), K(y, y) and K(x, y) of the kernel below.

        >>> Transformer("erf", linear_attention(1, 1)).covariance(Diagram.of("AB", "CC"))
        (32, 60, 4)
        """
        left, right = check_diagram(diagram).left, diagram.right
        return (
            self.attention.on_diagram(Diagram.from_codes((*left, *left))),
            self.attention.on_diagram(Diagram.from_codes((*right, *right))),
            self.attention.on_diagram(diagram),
        )

    def on_diagram(self, diagram: Diagram) -> Any:
        """E[phi(u) phi(v)], exactly or as a ball.

        >>> Transformer("relu", generic()).value("A", "A")
        Traceback (most recent call last):
        ...
        symbench.errors.NotSupported: relu over generic() needs rational values, not K0_0: ...
        """
        if isinstance(self.attention, Attention) and self.attention.exactness == "float":
            return self._float(check_diagram(diagram), 8)
        entries = self.covariance(diagram)
        if isinstance(self.activation, Polynomial):
            if any(isinstance(entry, (Exponential, flint.arb)) for entry in entries):
                return self._polynomial(self.activation, entries)
            if all(map(_is_exact, entries)):
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
        """The value over attention at finite parameters, from two lattices that must agree."""
        from symbench.kernels.float_value import FloatValue

        left, right = diagram.left, diagram.right
        pairs = ((*left, *left), (*right, *right), (*left, *right))
        found = []
        for fine in (digits + 2, digits + 3):
            entries = [
                float(self.attention.on_diagram(Diagram.from_codes(pair), digits=fine))  # type: ignore[call-arg]
                for pair in pairs
            ]
            found.append(dual_float(self.activation, *entries))
        if abs(found[0] - found[1]) > 10.0**-digits * max(map(abs, found)):
            raise Undecided(f"the two lattices do not agree to {digits} digits: ask for fewer")
        return FloatValue(found[1], digits)

    def value(self, x: Any, y: Any, *, digits: int = 8) -> Any:
        """The kernel of two strings, as given; digits are those of float values.

        >>> Transformer("identity", linear_attention()).value("A", "B")
        beta^3
        """
        diagram = Diagram.of(x, y)
        if isinstance(self.attention, Attention) and self.attention.exactness == "float":
            return self._float(diagram, integer(digits, "digits", at_least=1))
        return self.on_diagram(diagram)


def _is_rational(entry: Any) -> bool:
    try:
        exact_number(entry)
    except (TypeError, ValueError):
        return False
    return not isinstance(entry, (bool, str))


def _is_exact(entry: Any) -> bool:
    return isinstance(entry, (*POLYNOMIALS, Series, Rational)) or _is_rational(entry)


def transformer(activation: Any, attention: Any = None, *, bits: int = 128) -> Transformer:
    """The kernel of a layer with an activation (a name or an object) over any kernel.

    Without a kernel it is the softmax attention kernel, as a series in beta.

    Cosines, exp and polynomials are exact, the others balls of about the given number of bits;
    the kernel below must have rational values (for polynomials any exact ones, or balls).

    >>> kernel = transformer("sign", inner_product(lambda n: n))
    >>> kernel.value("AB", "AC").overlaps(kernel.value("XY", "ZY"))
    True
    """
    return Transformer(activation, attention, bits=bits)
