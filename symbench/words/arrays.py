"""Arrays: templates in bulk, as rows of codes, a bounded number of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from symbench.errors import TooLarge
from symbench.words.chance import LISTABLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symbench.words.family import Templates

    Codes = NDArray[np.unsignedinteger[Any]]

_TABLE_ROWS = 16384


def code_arrays(family: Templates, chunk: int) -> Iterator[Codes]:
    """The codes of a family of templates, in its order, at most `chunk` rows at a time.

    >>> [block.shape for block in code_arrays(all_templates(4), 10)]
    [(10, 4), (5, 4)]
    """
    import numpy as np

    chunk = min(chunk, family.count)
    if chunk > LISTABLE:
        raise TooLarge(f"an array of {chunk} rows cannot be held; take chunk=65536")
    top = len(family.tokens) + family.length
    dtype = np.dtype(np.uint8 if top <= 256 else np.uint16 if top <= 65536 else np.uint32)
    if family.block_sizes is not None or family.min_block > 1:
        # What may follow depends on the size of every block: no tables to share.
        blocks: Iterator[Codes] = _listed(family, chunk, dtype)
    else:
        blocks = _pieces(family, dtype)
    last = None if family.last is None else family.tokens.index(family.last)
    yield from _rechunked(blocks, family.length, chunk, dtype, last)


def _listed(family: Templates, chunk: int, dtype: np.dtype[Any]) -> Iterator[Codes]:
    import numpy as np

    codes = family._codes()
    while rows := list(islice(codes, chunk)):
        yield np.array(rows, dtype=dtype).reshape(len(rows), -1)


def _rechunked(
    blocks: Iterator[Codes], length: int, chunk: int, dtype: np.dtype[Any], last: int | None
) -> Iterator[Codes]:
    """The blocks, put one below the other and cut every `chunk` rows."""
    import numpy as np

    def new() -> Codes:
        # Columns are contiguous: the tables are copied in long runs.
        out: Codes = np.empty((chunk, length), dtype=dtype, order="F")
        if last is not None:
            out[:, -1] = last
        return out

    out, filled = new(), 0
    width = length - (last is not None)
    for block in blocks:
        start = 0
        while start < len(block):
            take = min(chunk - filled, len(block) - start)
            out[filled : filled + take, :width] = block[start : start + take]
            filled += take
            start += take
            if filled == chunk:
                yield out
                out, filled = new(), 0
    if filled:
        yield out[:filled]


def _pieces(family: Templates, dtype: np.dtype[Any]) -> Iterator[Codes]:
    """Blocks of rows that share a prefix; what follows it comes from tables, made once."""
    import numpy as np

    q = len(family.tokens)
    free = family.length - (family.last is not None)
    most = free if family.max_wildcards is None else min(free, family.max_wildcards)
    completions = [{shape[0]: n for shape, n in layer.items()} for layer in family._completions]
    tables: dict[tuple[int, int], Codes] = {}

    def table(rest: int, used: int) -> Codes:
        """All ways to go on for `rest` positions when `used` wildcards have appeared."""
        found = tables.get((rest, used))
        if found is None:
            rows = completions[free - rest][used]
            found = np.empty((rows, rest), dtype=dtype, order="F")
            end = 0
            if rest and q + used:
                same = table(rest - 1, used)
                end = (q + used) * len(same)
                for code in range(q + used):
                    rows_here = slice(code * len(same), (code + 1) * len(same))
                    found[rows_here, 0] = code
                    found[rows_here, 1:] = same
            if rest and used < most:
                found[end:, 0] = q + used
                found[end:, 1:] = table(rest - 1, used + 1)
            tables[rest, used] = found
        return found

    # Depth first, smallest code on top of the stack.
    stack: list[tuple[tuple[int, ...], int]] = [((), 0)]
    while stack:
        prefix, used = stack.pop()
        rest = free - len(prefix)
        rows = completions[len(prefix)].get(used, 0)
        if rows <= _TABLE_ROWS:
            block: Codes = np.empty((rows, free), dtype=dtype, order="F")
            block[:, : len(prefix)] = np.array(prefix, dtype=dtype)
            block[:, len(prefix) :] = table(rest, used)
            yield block
            continue
        if used < most:
            stack.append(((*prefix, q + used), used + 1))
        stack.extend(((*prefix, code), used) for code in range(q + used - 1, -1, -1))
