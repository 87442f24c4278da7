"""What a kernel is here: a value for every diagram. A protocol; nothing is subclassed.

A user's own kernel is any object with the three required members; `symbench.testing.check_kernel`
runs the conformance suite on it. Optional members make it fast, and are the kernel's own:

* `symmetry(length)`: the permutations of positions that leave the kernel unchanged by
  construction, a `YoungSubgroup` or a `CyclicGroup`, or None where nothing is known;
* `on_table(*tables)`: the value, exact or a ball, from one contingency table for each segment of
  `symmetry(length)`: one table under all permutations, two for a readout of the last position (the
  table of the first positions, then that of the last);
* `on_tables(places, *, digits)`: two lists of floats from two different computations that aim at
  this number of digits; a place is a table, or a tuple of tables where there are several segments;
* `in_counts(meetings, matches, length)`: the value as a polynomial expression in ring elements
  that stand for these numbers, None where it is no polynomial;
* `gram(left, right)`: all values on two numpy arrays of words, as an array of integers and one
  denominator, None where there is no fast way;
* `grouped(left, right)`: the same as an array of integers, such that pairs with equal integers have
  equal values, and the value of each integer that occurs, in a dictionary;
* `template_entries(templates)`: the rows of the template matrix, all at once.

A kernel with `on_table` or `on_tables` and without `symmetry` is one of all permutations.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from symbench._arguments import sequence, shown
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType
from symbench.kernels.diagram import Diagram
from symbench.kernels.tables import diagram_of
from symbench.words import Template
from symbench.young.position_groups import CyclicGroup, YoungSubgroup


@runtime_checkable
class Kernel(Protocol):
    """A token-symmetric kernel.

    `needs_cls` says whether template_matrix appends the token CLS to every template;
    `exactness` is 'exact', 'ball' or 'float'; `on_diagram` is the value on a pair of strings,
    given by their equality pattern.
    """

    @property
    def needs_cls(self) -> bool:
        """Whether the strings are meant to end in the token CLS."""
        ...

    @property
    def exactness(self) -> str:
        """'exact', 'ball' or 'float'."""
        ...

    def on_diagram(self, diagram: Diagram) -> Any:
        """The value on every pair of strings with this diagram."""
        ...


class OnStrings(Shown):
    """What all kernels here share: a value on two strings, by their diagram."""

    __slots__ = ()

    def value(self: Any, x: Any, y: Any, **options: Any) -> Any:
        """The kernel of two strings, as given; kernels with float values take `digits`.

        >>> linear_attention(1, 1, causal=True).value("AB", "AA")
        19
        >>> linear_attention(1, 1).value("AB", "A")
        Traceback (most recent call last):
        ...
        symbench.errors.BadShape: the strings AB and A have lengths 2 and 1: give equal ones
        """
        return self.on_diagram(Diagram.of(x, y), **options)


def check_kernel_type(value: Any) -> Kernel:
    """value itself, if it has what a kernel has."""
    if not isinstance(value, Kernel) or isinstance(value, type):
        raise BadType(
            f"{shown(value)} is not a kernel: it needs needs_cls, exactness and "
            "on_diagram(diagram); sb.kernels has some"
        )
    return value


# --- permutations of positions ----------------------------------------------------------------
def symmetry_of(kernel: Any, length: int) -> YoungSubgroup | CyclicGroup | None:
    """The permutations of positions that leave a kernel unchanged by construction."""
    if isinstance(kernel, type):
        return None
    method = getattr(kernel, "symmetry", None)
    if callable(method):
        group: YoungSubgroup | CyclicGroup | None = method(length)
        return group
    on_tables = any(callable(getattr(kernel, name, None)) for name in ("on_table", "on_tables"))
    return YoungSubgroup(length) if on_tables else None


def last_apart(length: int) -> YoungSubgroup:
    """The permutations that fix the last position."""
    return YoungSubgroup(length - 1, 1) if length > 1 else YoungSubgroup(length)


def value_on_table(kernel: Any, *tables: Any) -> Any:
    """The value of a kernel on tables, by its own method or on a pair with these tables."""
    method = getattr(kernel, "on_table", None)
    return method(*tables) if callable(method) else kernel.on_diagram(diagram_of(*tables))


def check_templates(value: Any) -> tuple[Template, ...]:
    """The templates of value, at least one and all of one length."""
    found = sequence(value, "the task", "a task or a list of templates")
    for z in found:
        if not isinstance(z, Template):
            raise BadType(f"{shown(z)} is not a template: write Template('ααβ')")
    lengths = sorted({len(z) for z in found})
    if len(lengths) != 1:
        raise BadShape(
            f"the templates have lengths {lengths}: give at least one, all of one length"
        )
    return found
