"""Kernels given on contingency tables: invariant under all permutations of positions as they are.

>>> matches = from_table(lambda table: sum(table[v][v] for v in range(len(table))))
>>> matches.on_table(((1, 0), (1, 1))), matches.value("ABB", "AAB")
(2, 2)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import flint

from symbench._arguments import call, choice, function
from symbench.draw.views import Shown
from symbench.errors import BadValue
from symbench.exact import Exponential
from symbench.exact.rational import exact_number
from symbench.kernels.diagram import Diagram, check_diagram
from symbench.kernels.from_function import EXACTNESS, function_source, needs_cls_of, same_value
from symbench.kernels.tables import Table, of_diagram, table_of
from symbench.young.position_groups import YoungSubgroup


def _function(value: Any) -> Callable[[Table], Any]:
    return function(value, "the kernel", "a function of a contingency table")


def _exactness(value: Any) -> str:
    return choice(value, "the exactness", EXACTNESS[:2])


@attrs.frozen(repr=False)
class TableKernel(Shown):
    """The kernel of a function of a contingency table.

    The function takes a V x V tuple of tuples; entry [u][v] says at how many positions the
    first word has token u and the second token v. Its values are exact numbers, or balls (FLINT's
    arb) and then `exactness` is 'ball'. It may tell tokens apart, as long as no value on strings
    is asked for.

    >>> from_table(lambda table: table[0][0] / 2).on_table(((1, 0), (0, 1)))
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: 0.5 is a float, not an exact number: write '1/2' or Fraction(1, 2)
    >>> from_table(lambda table: table[0][0]).value("AAB", "AAB")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: from_table(<lambda>) is not token-symmetric: it is 2 at ...
    """

    function: Callable[[Table], Any] = attrs.field(converter=_function)
    needs_cls: bool = attrs.field(default=False, converter=needs_cls_of, kw_only=True)
    exactness: str = attrs.field(default="exact", converter=_exactness, kw_only=True)

    def __repr__(self) -> str:
        return function_source("from_table", self)

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions."""
        return YoungSubgroup(length)

    def on_table(self, table: Table) -> Any:
        """The kernel on a pair of words with this table."""
        value = call(self.function, repr(self), table)
        if not isinstance(value, (flint.fmpq, flint.arb, Exponential)):
            exact_number(value)
        return value

    def on_diagram(self, diagram: Diagram) -> Any:
        """The kernel on the table of a pair, asked again for the tokens in another order."""
        table = of_diagram(check_diagram(diagram))
        order = [*range(1, len(table)), 0][: len(table)]
        renamed = tuple(tuple(table[u][v] for v in order) for u in order)
        value, other = self.on_table(table), self.on_table(renamed)
        if not same_value(value, other):
            raise BadValue(
                f"{self!r} is not token-symmetric: it is {value} at {table} and {other} at "
                f"{renamed}, the same with tokens renamed"
            )
        return value

    def value(self, x: Any, y: Any, *, vocabulary: int | None = None) -> Any:
        """The kernel of two strings, or of two words over the tokens 0, ..., V - 1.

        >>> from_table(lambda table: table[0][0]).value((0, 1, 1), (0, 0, 1), vocabulary=2)
        1
        """
        if vocabulary is None:
            return self.on_diagram(Diagram.of(x, y))
        return self.on_table(table_of(x, y, vocabulary))


from_table = TableKernel
