"""Kernels of one's own: a function of two strings, made into a kernel on diagrams.

>>> def common_letters(x, y):
...     return len(set(x) & set(y))
>>> kernel = from_function(common_letters)
>>> kernel, kernel.value("ABB", "BCA")
(from_function(common_letters), 2)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

import attrs
import flint

from symbench._arguments import call, choice, flag, function
from symbench.draw.views import Shown
from symbench.errors import BadValue
from symbench.kernels.diagram import Codes, Diagram, check_diagram
from symbench.words import Word

EXACTNESS = ("exact", "ball", "float")


def _function(value: Any) -> Callable[[Word, Word], Any]:
    return function(value, "the kernel", "a function of two strings")


def needs_cls_of(value: Any) -> bool:
    """Whether the strings end in CLS, checked."""
    return flag(value, "needs_cls")


def _exactness(value: Any) -> str:
    return choice(value, "the exactness", EXACTNESS)


def function_source(name: str, kernel: Any) -> str:
    """How a kernel of a function is written, as far as the function has a name."""
    shown = [getattr(kernel.function, "__name__", repr(kernel.function))]
    if kernel.needs_cls:
        shown.append("needs_cls=True")
    if kernel.exactness != "exact":
        shown.append(f"exactness={kernel.exactness!r}")
    return f"{name}({', '.join(shown)})"


@attrs.frozen(repr=False)
class FunctionKernel(Shown):
    """The kernel of a function of two strings; it must not depend on the tokens' names.

    The function is given two Words, tuples of letters. `symbench.testing.check_kernel` runs the
    whole conformance suite on the result.

    >>> from_function(None)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the kernel is None: give a function of two strings
    """

    function: Callable[[Word, Word], Any] = attrs.field(converter=_function)
    needs_cls: bool = attrs.field(default=False, converter=needs_cls_of, kw_only=True)
    exactness: str = attrs.field(default="exact", converter=_exactness, kw_only=True)

    def __repr__(self) -> str:
        return function_source("from_function", self)

    def symmetry(self, length: int) -> None:
        """None: nothing is known about permutations of positions."""
        return

    def value(self, x: Any, y: Any) -> Any:
        """What the function says about two strings, as given."""
        left, right = Word(x), Word(y)
        if len(left) != len(right):
            Diagram.of(left, right)  # says so
        return call(self.function, repr(self), left, right)

    def on_diagram(self, diagram: Diagram) -> Any:
        """The function's value, asked twice: a kernel that sees names of tokens is refused.

        >>> from_function(lambda x, y: int("A" in x)).on_diagram(Diagram.of("AB", "AB"))
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: ... is not token-symmetric: it is 1 at (AB, AB) and 0 at ...
        """
        left, right = check_diagram(diagram).left, diagram.right
        value = call(self.function, repr(self), _word(left, ""), _word(right, ""))
        other = call(self.function, repr(self), _word(left, "'"), _word(right, "'"))
        if not same_value(value, other):
            first = representative(diagram, letters(diagram))
            fresh = {letter: f"{letter}'" for word in first for letter in word}
            problem = token_asymmetry(self, first, value, fresh)
            raise BadValue(f"{self!r} {problem or 'has two values for one pair of strings'}")
        return value


from_function = FunctionKernel


def letters(diagram: Diagram) -> list[str]:
    """One letter per token of a diagram: A, B, C, ... and after Z words such as A1."""
    return [_letter(n) for n in range(len({*diagram.left, *diagram.right}))]


def _letter(number: int) -> str:
    rounds, place = divmod(number, len(ascii_uppercase))
    return f"{ascii_uppercase[place]}{rounds or ''}"


@lru_cache(1 << 14)
def _word(codes: Codes, mark: str) -> Word:
    """One side of a diagram as a string, each of its letters with a mark."""
    return Word([_letter(code) + mark for code in codes])


def representative(diagram: Diagram, names: list[str]) -> tuple[Word, Word]:
    """A pair of strings with this diagram."""

    def word(codes: Codes) -> Word:
        return Word([names[code] for code in codes])

    return word(diagram.left), word(diagram.right)


def token_asymmetry(
    kernel: Any, pair: tuple[Word, Word], value: Any, permutation: dict[str, str]
) -> str | None:
    """What is wrong if the kernel changes under a renaming of tokens, else None."""
    moved = tuple(Word([permutation.get(letter, letter) for letter in word]) for word in pair)
    other = kernel.value(*moved)
    if same_value(value, other):
        return None
    changes = ", ".join(f"{a} -> {b}" for a, b in sorted(permutation.items()) if a != b)
    return (
        f"is not token-symmetric: it is {value} at ({pair[0]}, {pair[1]}) and {other} at "
        f"({moved[0]}, {moved[1]}), its image under {changes}"
    )


def plain_float(value: Any) -> Any:
    """The float inside a value that carries its digits with it; anything else as it is."""
    return value.value if getattr(value, "exactness", None) == "float" else value


def same_value(a: Any, b: Any) -> bool:
    """Equal exact values, overlapping balls, floats that agree to nine digits."""
    a, b = plain_float(a), plain_float(b)
    if isinstance(a, flint.arb) or isinstance(b, flint.arb):
        return isinstance(a, flint.arb) and isinstance(b, flint.arb) and bool(a.overlaps(b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    return bool(a == b)
