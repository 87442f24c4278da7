"""Inner products: the kernels f(<x, y>) of fully connected networks on one-hot strings.

The inner product of two one-hot matrices counts the positions where the strings agree. With
`incidence=True` the input is X concatenated with X X^T, whose inner product with Y Y^T is the
number of pairs of positions that carry equal tokens in x and equal tokens in y.

>>> inner_product([0, 1, 10]).value("AB", "AC")
1
>>> inner_product().value("AB", "AC")
kappa1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Any

import attrs

from symbench._arguments import call, flag, sequence
from symbench.errors import BadValue
from symbench.exact import QQ, Exponential, Rational, Series
from symbench.exact.arrays import Integers
from symbench.exact.polynomials import POLYNOMIALS
from symbench.exact.rational import exact_parameter, number_source
from symbench.kernels.base import OnStrings
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.tables import Table, counts_of, occurring, one_hots, products_of
from symbench.young.position_groups import YoungSubgroup

Profile = tuple[Rational, ...] | Callable[[int], Any] | None


def _profile(f: Any) -> Profile:
    if f is None or callable(f):
        return f  # type: ignore[no-any-return]
    values = sequence(f, "f", "a list of values f(0), f(1), ..., a function of an int, or None")
    return tuple(exact_parameter(value, f"f({n})") for n, value in enumerate(values))


def _incidence(value: Any) -> bool:
    return flag(value, "incidence")


@attrs.frozen(repr=False)
class InnerProduct(OnStrings):
    """The kernel f(<x, y>) of one-hot strings; f None stands for kappa_0, kappa_1, ...

    f is a list of at least length + 1 exact values (with incidence: length + length^2 + 1), a
    function of an int with exact values, or None. With `incidence=True` the strings are
    concatenated with their matrices X X^T before the inner product is taken.

    >>> kernel = inner_product(incidence=True)
    >>> kernel, kernel.needs_cls, kernel.exactness, kernel.value("AA", "BB")
    (inner_product(incidence=True), False, 'exact', kappa4)
    >>> inner_product(lambda n: n**2, incidence=True).value("AAB", "CCA")
    25
    >>> inner_product([1, 0.5])
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: 0.5 is a float, not an exact number: write '1/2' or Fraction(1, 2)
    """

    f: Profile = attrs.field(default=None, converter=_profile)
    incidence: bool = attrs.field(default=False, converter=_incidence, kw_only=True)

    needs_cls = False
    exactness = "exact"

    def __repr__(self) -> str:
        given = ["incidence=True"] * self.incidence
        if isinstance(self.f, tuple):
            given.insert(0, f"[{', '.join(map(number_source, self.f))}]")
        elif self.f is not None:
            given.insert(0, getattr(self.f, "__name__", repr(self.f)))
        return f"inner_product({', '.join(given)})"

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions."""
        return YoungSubgroup(length)

    def largest(self, length: int) -> int:
        """The largest inner product of two strings of a length.

        >>> InnerProduct().largest(3), InnerProduct(incidence=True).largest(3)
        (3, 12)
        """
        return length + length**2 if self.incidence else length

    def on_diagram(self, diagram: Diagram) -> Any:
        """f of the inner product.

        >>> InnerProduct([5, 6, 7]).on_diagram(Diagram.of("AB", "AB"))
        7
        >>> InnerProduct([5, 6, 7]).on_diagram(Diagram.of("ABC", "ABC"))
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: f has 3 values; strings of length 3 need f(0), ..., f(3)
        """
        matches = check_diagram(diagram).matches
        pairs = diagram.pair_counts.values() if self.incidence else ()
        return self._at(matches, pairs, len(diagram))

    def on_table(self, table: Table) -> Any:
        """The value from a contingency table: f of its trace, with incidence and all its squares.

        >>> inner_product([5, 6, 7]).on_table(((1, 1), (0, 0)))
        6
        """
        _, matches, length = counts_of(table)
        return self._at(matches, (n for row in table for n in row), length)

    def grouped(self, left: Any, right: Any) -> tuple[Integers, dict[int, Any]]:
        """The inner products of all pairs of words of two arrays, and f of those that occur.

        >>> import numpy as np
        >>> words = np.array([[0, 1], [2, 1]])
        >>> products, values = inner_product().grouped(words, words)
        >>> products.tolist(), values
        ([[2, 1], [1, 2]], {1: kappa1, 2: kappa2})
        """
        x, y = one_hots(left, right)
        length = x.shape[1]
        products = products_of(x, y)
        if self.incidence:
            products += products_of(x @ x.transpose(0, 2, 1), y @ y.transpose(0, 2, 1))
        top = self.largest(length)
        return products, {n: self._known(n, top, length) for n in occurring(products)}

    def _at(self, matches: int, pairs: Iterable[int], length: int) -> Any:
        product = matches + (sum(n * n for n in pairs) if self.incidence else 0)
        return self._known(product, self.largest(length), length)

    @cached_property
    def _known(self) -> Callable[[int, int, int], Any]:
        """The value at a product, computed once for each."""
        return lru_cache(maxsize=4096)(self._of)

    def _of(self, product: int, top: int, length: int) -> Any:
        if self.f is None:
            return QQ[tuple(f"kappa{n}" for n in range(top + 1))].gens[product]
        if isinstance(self.f, tuple):
            if len(self.f) <= top:
                raise BadValue(
                    f"f has {len(self.f)} values; strings of length {length} "
                    f"need f(0), ..., f({top})"
                )
            return self.f[product]
        return _exact_value(self.f, product)


inner_product = InnerProduct


def _exact_value(f: Callable[[int], Any], argument: int) -> Any:
    """f(argument), a rational number or an element of one of the exact rings."""
    value = call(f, "the function f", argument)
    if isinstance(value, (*POLYNOMIALS, Exponential, Series)):
        return value
    return exact_parameter(value, f"f({argument})")
