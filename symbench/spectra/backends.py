"""Which numbers a spectrum is computed in: those of the kernel's values, or those asked for."""

from __future__ import annotations

from typing import Any

from symbench._arguments import shown
from symbench.errors import NotExact, SymbenchError, TooLarge, UnknownName
from symbench.exact.rational import number_text
from symbench.spectra.float_values import has_float_values
from symbench.spectra.on_table import diagonal, is_ball, table_function, word_function

BACKENDS = ("exact", "ball", "float")
# The longest words on which a kernel is asked what its values are.
_LONGEST = 10**6


def choose_backend(backend: Any, kernel: Any, length: int, vocabulary: int, fixed: int) -> str:
    """The backend asked for, if the kernel's values allow it; None and 'auto' take the values'.

    >>> layer = transformer("relu", linear_attention(1, 1))
    >>> choose_backend(None, layer, 4, 2, 0), choose_backend("float", layer, 4, 2, 0)
    ('ball', 'float')
    >>> choose_backend("exact", layer, 4, 2, 0)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: the values of transformer('relu', linear_attention(1, 1, \
readout='sum')) are balls, not exact: take backend='ball', or leave the backend out
    """
    if backend is not None and (not isinstance(backend, str) or backend not in ("auto", *BACKENDS)):
        raise UnknownName(f"no backend {shown(backend)}: take auto, {', '.join(BACKENDS)}")
    if length > _LONGEST:
        raise TooLarge(f"words of length {number_text(length)}: ask for at most {_LONGEST:,}")
    kind = kind_of_values(kernel, length, vocabulary, fixed)
    if backend is None or backend == "auto":
        return kind
    asked = str(backend)
    if BACKENDS.index(asked) < BACKENDS.index(kind):
        what = "exact" if asked == "exact" else "proved by a radius"
        raise NotExact(
            f"the values of {kernel!r} are {kind}s, not {what}: take backend={kind!r}, or leave "
            "the backend out"
        )
    return asked


def kind_of_values(kernel: Any, length: int, vocabulary: int, fixed: int) -> str:
    """'float', 'ball' or 'exact': seen at one pair of words where the kernel does not say."""
    if has_float_values(kernel):
        return "float"
    end = (0,) * fixed
    try:
        on_table = table_function(kernel, length, vocabulary, fixed, _as_it_is)
        if on_table is not None:
            counts = (length - fixed,) + (0,) * (vocabulary - 1)
            value = on_table(diagonal(counts), end, end)
        else:
            value = word_function(kernel, _as_it_is)((0,) * length, (0,) * length)
    except SymbenchError:
        return "exact"  # and the exact way says what is wrong
    return "ball" if is_ball(value) else "exact"


def _as_it_is(value: Any, kernel: Any, x: Any, y: Any) -> Any:
    return value
