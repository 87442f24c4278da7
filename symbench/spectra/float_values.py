"""Float values of kernels on contingency tables, each from two different computations.

Softmax attention at finite parameters has no closed form: its values are floats, which agree to the
digits asked for. A kernel says so by `on_tables(tables, digits=...)`, which gives two lists; the
attention kernel on strings does it by two pairs of lattices, and a layer over either applies its
activation to both lists.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from symbench._arguments import shown
from symbench.errors import BadShape, BadType, BadValue, NotSupported, SymbenchError
from symbench.kernels.activations.named import dual_float
from symbench.kernels.attention import Attention
from symbench.kernels.float_value import MOST_DIGITS
from symbench.kernels.softmax_attention import SoftmaxAttention
from symbench.kernels.transformer import Transformer
from symbench.spectra.on_table import Table, Word, completed, diagonal, pair_of

# The table of the positions that move, and the tokens of the two words at the fixed ones.
Place = tuple[Table, Word, Word]
Lists = tuple[list[float], list[float]]
# How many values are computed for the table and for its transpose, to see that they agree.
_BOTH_WAYS = 20


def has_float_values(kernel: Any) -> bool:
    """Whether the values of a kernel, or of the kernel under its layers, are floats.

    >>> has_float_values(attention(beta=1, gamma=1)), has_float_values(linear_attention(1, 1))
    (True, False)
    >>> has_float_values(transformer("relu", attention(beta=1, gamma=1)))
    True
    """
    while isinstance(kernel, Transformer):
        kernel = kernel.attention
    if isinstance(kernel, type):
        return False
    kind = getattr(kernel, "exactness", None)
    return kind == "float" or (kind is None and callable(getattr(kernel, "on_tables", None)))


def float_values(kernel: Any, places: Sequence[Place], *, digits: int) -> Lists:
    """The values at some places by two computations; some are computed both ways round.

    >>> pair = ((1, 1), (0, 0)), (), ()
    >>> first, second = float_values(attention(beta=1, gamma=1), [pair], digits=6)
    >>> abs(first[0] - second[0]) < 1e-6, round(second[0], 5)
    (True, 1.11263)
    """
    check_invariance(kernel, bool(places and places[0][1]))
    step = max(1, len(places) // _BOTH_WAYS)
    some = [(tuple(zip(*t, strict=True)), y, x) for t, x, y in places[::step]]
    one, two = _values(kernel, [*places, *some], digits)
    size = len(places)
    most = max((abs(v) for v in two), default=0.0)
    for k, place in enumerate(places[::step]):
        here, there = two[k * step], two[size + k]
        if abs(here - there) > 10.0 ** (1 - digits) * most:
            x, y = (word + end for word, end in zip(pair_of(place[0]), place[1:], strict=True))
            raise BadValue(
                f"{kernel!r} is not symmetric: k({x}, {y}) = {here} and k({y}, {x}) = {there}"
            )
    return one[:size], two[:size]


def check_invariance(kernel: Any, fixed: bool) -> None:
    """Refuse attention that reads the last token, unless the last position is fixed.

    >>> check_invariance(attention(beta=1, gamma=1).with_softmax_scale("appendix-H"), False)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: attention(beta=1, gamma=1, softmax_scale='appendix-H') reads the ...
    """
    while isinstance(kernel, Transformer):
        kernel = kernel.attention
    scaled = isinstance(kernel, Attention) and kernel.softmax_scale != "main"
    if (scaled or _reads_last(kernel)) and not fixed:
        raise BadValue(
            f"{kernel!r} reads the last token, so it is not invariant: take fixed=1, then the last "
            "position stays put"
        )


def _reads_last(kernel: Any) -> bool:
    return isinstance(kernel, SoftmaxAttention) and kernel.readout == "last"


def _values(kernel: Any, places: list[Place], digits: int) -> Lists:
    if isinstance(kernel, Transformer):
        return _layer(kernel, places, digits)
    if _reads_last(kernel) or isinstance(kernel, Attention):
        found: Lists = kernel.on_tables([_split(kernel, place) for place in places], digits=digits)
        return found
    method = getattr(kernel, "on_tables", None)
    if callable(method):
        tables = [completed(*place) for place in places]
        try:
            return _checked(kernel, method(tables, digits=digits), len(places))
        except SymbenchError:
            raise
        except Exception as error:
            raise BadValue(f"{kernel!r} fails on tables: {error!r}") from error
    raise NotSupported(
        f"{kernel!r} has float values and no method on_tables(tables, digits=...): give it one "
        "that returns two lists of floats, from two different computations"
    )


def _checked(kernel: Any, found: Any, size: int) -> Lists:
    """What on_tables returned, as two lists of finite floats."""
    if not isinstance(found, tuple) or len(found) != 2:
        raise BadType(f"on_tables of {kernel!r} returned {shown(found)}: return two lists")
    one, two = ([float(v) for v in values] for values in found)
    if len(one) != size or len(two) != size:
        raise BadShape(
            f"on_tables of {kernel!r} returned {len(one)} and {len(two)} values for {size} tables"
        )
    if not all(map(math.isfinite, (*one, *two))):
        raise BadValue(f"on_tables of {kernel!r} returned a value that is not finite")
    return one, two


def _split(kernel: Any, place: Place) -> Any:
    """The table of all positions, or those of the first ones and of the last."""
    full = completed(*place)
    if len(kernel.symmetry(sum(map(sum, full))).parts) == 1:
        return full
    table, left, right = place
    first, last = completed(table, left[:-1], right[:-1]), [[0] * len(table) for _ in table]
    last[left[-1]][right[-1]] = 1
    return first, tuple(map(tuple, last))


def _layer(kernel: Transformer, places: list[Place], digits: int) -> Lists:
    """The dual of the activation at K(x, x), K(y, y), K(x, y), from each of two lists."""
    wanted: dict[Place, int] = {}
    triples = []
    for table, left, right in places:
        rows, columns = map(sum, table), map(sum, zip(*table, strict=True))
        three = (
            (diagonal(tuple(rows)), left, left),
            (diagonal(tuple(columns)), right, right),
            (table, left, right),
        )
        triples.append([wanted.setdefault(place, len(wanted)) for place in three])
    lists = _values(kernel.attention, list(wanted), min(digits + 1, MOST_DIGITS))
    one, two = (
        [dual_float(kernel.activation, *(below[k] for k in three)) for three in triples]
        for below in lists
    )
    return one, two
