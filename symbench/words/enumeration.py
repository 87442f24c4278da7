"""Enumeration: `all_templates` and `count_templates`, the doors to a family of templates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

from symbench._arguments import shown
from symbench.errors import BadType
from symbench.words.arrays import code_arrays
from symbench.words.family import Templates
from symbench.words.letters import read_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@overload
def all_templates(
    length: int,
    *,
    tokens: Any = ...,
    max_wildcards: int | None = ...,
    min_block: int = ...,
    block_sizes: Any = ...,
    last: str | None = ...,
    as_arrays: Literal[False] = ...,
) -> Templates: ...
@overload
def all_templates(
    length: int,
    *,
    tokens: Any = ...,
    max_wildcards: int | None = ...,
    min_block: int = ...,
    block_sizes: Any = ...,
    last: str | None = ...,
    as_arrays: Literal[True],
    chunk: int = ...,
) -> Iterator[NDArray[np.unsignedinteger[Any]]]: ...
def all_templates(
    length: int,
    *,
    tokens: Any = "",
    max_wildcards: int | None = None,
    min_block: int = 1,
    block_sizes: Any = None,
    last: str | None = None,
    as_arrays: bool = False,
    chunk: int = 65536,
) -> Templates | Iterator[NDArray[np.unsignedinteger[Any]]]:
    """The templates of a length, one per equivalence class, in lexicographic order of their codes.

    `tokens` are the regular tokens (a string, a list of words, or how many). Restrictions: at most
    `max_wildcards` wildcards; each wildcard at least `min_block` times; `block_sizes`, how often
    the wildcards occur, in any order; `last`, a token that ends every template. The result is a
    lazy sequence with `count`, `rank`, indexing by rank and `random`; with ``as_arrays=True`` it
    comes as numpy arrays of codes, at most `chunk` rows at a time.

    >>> [str(t) for t in all_templates(2, tokens="AB")]
    ['AA', 'AB', 'Aα', 'BA', 'BB', 'Bα', 'αA', 'αB', 'αα', 'αβ']
    >>> [str(t) for t in all_templates(4, min_block=2)]
    ['αααα', 'ααββ', 'αβαβ', 'αββα']
    >>> [str(t) for t in all_templates(3, tokens=["CLS"], last="CLS", block_sizes=(1, 1))]
    ['αβ[CLS]']
    >>> for codes in all_templates(3, as_arrays=True):
    ...     print(codes)
    [[0 0 0]
     [0 0 1]
     [0 1 0]
     [0 1 1]
     [0 1 2]]
    >>> list(all_templates(15))
    Traceback (most recent call last):
        ...
    symbench.errors.TooLarge: all_templates(15): 1382958545 cannot be listed; iterate or use .count
    """
    family = Templates(
        length,
        tokens=tokens,
        max_wildcards=max_wildcards,
        min_block=min_block,
        block_sizes=block_sizes,
        last=last,
    )
    if not isinstance(as_arrays, bool):
        raise BadType(f"as_arrays is True or False, not {shown(as_arrays)}")
    if not as_arrays:
        return family
    return code_arrays(family, read_size(chunk, "chunk", least=1))


def count_templates(
    length: int,
    *,
    tokens: Any = 0,
    max_wildcards: int | None = None,
    min_block: int = 1,
    block_sizes: Any = None,
    last: str | None = None,
) -> int:
    """The number of templates of a length up to equivalence, by formula; see `all_templates`.

    Without tokens it is a Bell number, with q tokens an r-Bell number (r = q).

    >>> [count_templates(n) for n in range(1, 8)]
    [1, 2, 5, 15, 52, 203, 877]
    >>> count_templates(3, tokens="AB"), count_templates(3, tokens=2)
    (37, 37)
    >>> count_templates(12, max_wildcards=2), count_templates(12, min_block=2)
    (2048, 580317)
    """
    return Templates(
        length,
        tokens=tokens,
        max_wildcards=max_wildcards,
        min_block=min_block,
        block_sizes=block_sizes,
        last=last,
    ).count
