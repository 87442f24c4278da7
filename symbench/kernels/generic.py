"""The generic kernel: one indeterminate per diagram and its flip.

Every token-symmetric kernel is a specialisation of it, so a vector that annihilates the generic
template matrix annihilates all of them.

>>> generic().value("AA", "BC"), generic().value("BC", "AA")
(K00_12, K00_12)
>>> free_values(2)
11
"""

from __future__ import annotations

from math import comb
from typing import Any

import attrs
from flint import fmpz

from symbench._arguments import integer
from symbench.exact import QQ
from symbench.kernels.base import OnStrings
from symbench.kernels.diagram import Diagram, check_diagram

# The recurrence takes quadratic time in numbers of thousands of digits.
_LONGEST = 500


@attrs.frozen(repr=False)
class Generic(OnStrings):
    """The token-symmetric kernel with independent values: on a diagram the variable of its name.

    >>> kernel = generic()
    >>> kernel, kernel.needs_cls, kernel.exactness
    (generic(), False, 'exact')
    >>> Matrix([[kernel.value(x, y) for y in ("BB", "BC")] for x in ("AA", "AD")]).det()
    K01_23*K00_11 - K00_12^2
    """

    needs_cls = False
    exactness = "exact"

    def __repr__(self) -> str:
        return "generic()"

    def on_diagram(self, diagram: Diagram) -> Any:
        """The variable of the diagram or of its flip, whichever comes first.

        >>> Generic().on_diagram(Diagram.of("AB", "BB"))
        K00_10
        """
        return QQ[variable_name(check_diagram(diagram))].gens[0]


generic = Generic


def variable_name(diagram: Diagram) -> str:
    """The name of a diagram's variable, the same for its flip."""
    flipped = diagram.flip()
    left, right = min((diagram.left, diagram.right), (flipped.left, flipped.right))
    # From ten tokens on the codes have two digits: x keeps them apart.
    separator = "x" if max((*left, *right), default=0) > 9 else ""
    return f"K{'_'.join(separator.join(map(str, codes)) for codes in (left, right))}"


def free_values(length: Any) -> int:
    """How many values a symmetric token-symmetric kernel on strings of a length may choose.

    These are the set partitions of the 2k positions up to exchanging the two strings:
    (Bell(2k) + number of partitions that the exchange leaves alone) / 2.

    >>> [free_values(k) for k in range(6)]
    [1, 2, 11, 117, 2152, 58487]
    """
    k = _length(length)
    return int(fmpz.bell_number(2 * k) + flip_invariant_diagrams(k)) // 2


def flip_invariant_diagrams(length: Any) -> int:
    """How many diagrams of a length are equal to their flip.

    A block is exchanged with another one or with itself, so the exponential generating
    function is exp((e^x - 1) + (e^2x - 1)/2): a block of either kind on the j positions chosen
    (j positions: one way to be its own image, 2^(j-1) ways to be one of an exchanged pair).
    """
    k = _length(length)
    counts = [1]
    for n in range(k):
        # The block of the last position takes j others.
        counts.append(sum(comb(n, j) * (1 + 2**j) * counts[n - j] for j in range(n + 1)))
    return counts[k]


def _length(value: Any) -> int:
    return integer(value, "the length", at_least=0, limit=_LONGEST)
