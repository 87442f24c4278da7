"""What a kernel is here: a value for every diagram. A protocol; nothing is subclassed.

A user's own kernel is any object with these three members; `symbench.testing.check_kernel` runs
the conformance suite on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from symbench._arguments import shown
from symbench.errors import BadShape, BadType
from symbench.kernels.diagram import Diagram
from symbench.words import Template


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


def check_kernel_type(value: Any) -> Kernel:
    """value itself, if it has what a kernel has."""
    if not isinstance(value, Kernel) or isinstance(value, type):
        raise BadType(
            f"{value!r} is not a kernel: it needs needs_cls, exactness and on_diagram(diagram); "
            "sb.kernels has some"
        )
    return value


def check_templates(value: Any) -> tuple[Template, ...]:
    """The templates of value, at least one and all of one length.

    >>> check_templates([Template("αα"), Template("α")])
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: the templates have lengths [1, 2]: give at least one, ...
    """
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise BadType(f"{shown(value)} is neither a task nor a list of templates")
    found = tuple(value)
    for z in found:
        if not isinstance(z, Template):
            raise BadType(f"{z!r} is not a template: write Template('ααβ')")
    lengths = sorted({len(z) for z in found})
    if len(lengths) != 1:
        raise BadShape(
            f"the templates have lengths {lengths}: give at least one, all of one length"
        )
    return found
