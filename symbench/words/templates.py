"""All templates of a length, one per equivalence class, as one lazy sequence.

A template up to equivalence is a sequence of codes: 0, ..., q - 1 for the regular tokens in the
order given, then q, q + 1, ... for the wildcards in order of first appearance. A code is at most
one more than what has appeared (a restricted growth string); without tokens these are the set
partitions of the positions. The order is the lexicographic one of the codes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from math import comb, factorial, prod
from typing import Any, ClassVar
from warnings import warn

import attrs
from flint import fmpz

from symbench._arguments import integer, integers, shown
from symbench._listing import Listing
from symbench.errors import BadValue, TooLarge
from symbench.exact.arrays import Array, np
from symbench.words.letters import GREEK, new_letters, read, read_tokens
from symbench.words.template import Template, check_template

# The numbers of wildcards that have occurred once, twice, ...: they decide the completions.
_Shape = tuple[int, ...]

_MOST_LETTERS = 400
LISTABLE = 50_000_000  # objects that a list can hold
_MOST_SHAPES = 300_000
_PIECE = 4  # letters of a template that are looked up at once: 12^4 ways for 12 letters


class _Pieces(dict[bytes, tuple[str, ...]]):
    """Letters by the bytes of a few codes: few are different, so each tuple is made once."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __missing__(self, key: bytes) -> tuple[str, ...]:
        if len(self) > 1 << 16:
            self.clear()
        letters = tuple(self.names[code] for code in np.frombuffer(key, dtype=np.uint16).tolist())
        self[key] = letters
        return letters


class _AsArrays:
    """The old spelling: all_templates(n, as_arrays=True, chunk=c) is all_templates(n).arrays(c)."""

    __slots__ = ()

    def __new__(cls, *given: Any, as_arrays: bool = False, chunk: int = 65536, **more: Any) -> Any:
        if not as_arrays:
            return object.__new__(cls)
        warn("as_arrays=True is now .arrays(chunk): use that", DeprecationWarning, stacklevel=2)
        return all_templates(*given, **more).arrays(chunk)


@attrs.frozen(init=False, repr=False)
class Templates(_AsArrays, Listing[Template]):
    """The templates of a length, one per equivalence class, in lexicographic order of their codes.

    `tokens` are the regular tokens (a string, a list of words, or how many). Restrictions: at most
    `max_wildcards` wildcards; each wildcard at least `min_block` times; `block_sizes`, how often
    the wildcards occur, in any order; `last`, a token that ends every template. The result is a
    lazy sequence with `count`, `rank`, indexing by rank, `random` and `arrays`.

    >>> family = all_templates(3)
    >>> family.count, [str(t) for t in family]
    (5, ['ααα', 'ααβ', 'αβα', 'αββ', 'αβγ'])
    >>> family[3], family.rank(Template("βαα")), family.random(2) in family
    (Template('αββ'), 3, True)
    >>> [str(t) for t in all_templates(2, tokens="AB")]
    ['AA', 'AB', 'Aα', 'BA', 'BB', 'Bα', 'αA', 'αB', 'αα', 'αβ']
    >>> [str(t) for t in all_templates(4, min_block=2)]
    ['αααα', 'ααββ', 'αβαβ', 'αββα']
    >>> [str(t) for t in all_templates(3, tokens=["CLS"], last="CLS", block_sizes=(1, 1))]
    ['αβ[CLS]']
    >>> list(all_templates(15))
    Traceback (most recent call last):
        ...
    symbench.errors.TooLarge: all_templates(15) has 1382958545 members, too many to list: ...
    """

    _longest: ClassVar[int] = LISTABLE

    length: int
    tokens: tuple[str, ...]
    max_wildcards: int | None
    min_block: int
    block_sizes: tuple[int, ...] | None
    last: str | None

    def __init__(
        self,
        length: int,
        *,
        tokens: Any = "",
        max_wildcards: int | None = None,
        min_block: int = 1,
        block_sizes: Any = None,
        last: str | None = None,
    ) -> None:
        length = integer(length, "the length of a template", at_least=1, limit=_MOST_LETTERS)
        names = read_tokens(tokens)
        if max_wildcards is not None:
            max_wildcards = integer(max_wildcards, "max_wildcards", at_least=0)
        min_block = integer(min_block, "min_block", at_least=1)
        if last is not None and read([last], "last")[0] not in names:
            raise BadValue(f"last is {shown(last)}: give one of the tokens {list(names)!r}")
        sizes = None
        if block_sizes is not None:
            sizes = _read_sizes(block_sizes, length - (last is not None), bool(names))
        self.__attrs_init__(length, names, max_wildcards, min_block, sizes, last)

    def __repr__(self) -> str:
        given = [f"{self.length}"]
        usual = {"tokens": (), "min_block": 1}
        for field in attrs.fields(Templates)[1:]:
            value = getattr(self, field.name)
            if value != usual.get(field.name):
                value = list(value) if isinstance(value, tuple) else value
                given.append(f"{field.name}={value!r}")
        return f"all_templates({', '.join(given)})"

    @cached_property
    def count(self) -> int:
        """The number of templates, by formula.

        >>> all_templates(60).count
        976939307467007552986994066961675455550246347757474482558637
        """
        free, q = self._free, len(self.tokens)
        return sum(
            comb(free, wild) * q ** (free - wild) * self._partitions(wild)
            for wild in range(free if q == 0 else 0, free + 1)
        )

    def _partitions(self, n: int) -> int:
        """The set partitions of n positions into wildcards as allowed."""
        most = n if self.max_wildcards is None else min(n, self.max_wildcards)
        if self.block_sizes is not None:
            sizes = self.block_sizes
            if sum(sizes) != n or len(sizes) > most or min(sizes, default=n + 1) < self.min_block:
                return int(n == 0 and not sizes)
            symmetry = prod(factorial(m) for m in Counter(sizes).values())
            return factorial(n) // (prod(map(factorial, sizes)) * symmetry)
        if self.min_block == 1:
            if most == n:
                return int(fmpz.bell_number(n))
            return sum(int(fmpz.stirling_s2(n, k)) for k in range(most + 1))
        return sum(self._large_blocks[n][: most + 1])

    @cached_property
    def _large_blocks(self) -> list[list[int]]:
        """The set partitions of n into k blocks of at least `min_block` elements, as [n][k]."""
        least, size = self.min_block, self.length
        rows = [[1] + [0] * size]
        for n in range(1, size + 1):
            # The element n joins one of k blocks, or is in a block of exactly `least` elements.
            small = rows[n - least] if n >= least else [0] * (size + 1)
            ways = comb(n - 1, least - 1)
            rows.append([0] + [k * rows[-1][k] + ways * small[k - 1] for k in range(1, size + 1)])
        return rows

    # The number of completions, by position and shape.

    @property
    def _free(self) -> int:
        return self.length - (self.last is not None)

    @property
    def _cap(self) -> int:
        """The size from which on blocks are not told apart by size."""
        if self.block_sizes is not None:
            return max(self.block_sizes, default=1)
        return min(self.min_block, self.length + 1)

    def _steps(self, shape: _Shape) -> Iterator[tuple[int | None, int, _Shape]]:
        """What the next letter can be: (size of its block, how many such letters, new shape).

        The size is None for a token, 0 for a new wildcard.
        """
        if self.tokens:
            yield None, len(self.tokens), shape
        for size, blocks in enumerate(shape, start=1):
            if blocks:
                if size < self._cap:
                    yield size, blocks, _moved(shape, size)
                elif self.block_sizes is None:
                    yield size, blocks, shape
        most = self.length if self.max_wildcards is None else self.max_wildcards
        if self.block_sizes is not None:
            most = min(most, len(self.block_sizes))
        if sum(shape) < most:
            yield 0, 1, (shape[0] + 1, *shape[1:])

    def _is_complete(self, shape: _Shape) -> bool:
        if self.block_sizes is not None:
            wanted = Counter(self.block_sizes)
            if any(blocks != wanted[size] for size, blocks in enumerate(shape, start=1)):
                return False
            return min(self.block_sizes, default=self.min_block) >= self.min_block
        return not any(shape[: self.min_block - 1])

    @cached_property
    def _completions(self) -> list[dict[_Shape, int]]:
        """For each position the reachable shapes, and in how many ways each can be completed."""
        layers: list[dict[_Shape, int]] = [{(0,) * self._cap: 0}]
        for place in range(self._free):
            if sum(map(len, layers)) > _MOST_SHAPES:
                raise TooLarge(
                    f"the block sizes in {self!r} can grow in more than {_MOST_SHAPES:,} ways up "
                    f"to position {place}: ask for .count, these are too many to rank or to list"
                )
            layers.append({new: 0 for shape in layers[-1] for _, _, new in self._steps(shape)})
        layers[-1] = {shape: int(self._is_complete(shape)) for shape in layers[-1]}
        for here, after in zip(layers[-2::-1], layers[:0:-1], strict=True):
            for shape in here:
                here[shape] = sum(ways * after[new] for _, ways, new in self._steps(shape))
        return layers

    def _choices(
        self, place: int, sizes: tuple[int, ...], shape: _Shape
    ) -> list[tuple[int, _Shape]]:
        """For each code, in order: completions after it (0 if it cannot stand here), new shape."""
        after = self._completions[place + 1]
        by_size = {size: (after[new], new) for size, _, new in self._steps(shape)}
        nothing = (0, shape)
        found = [by_size.get(None, nothing)] * len(self.tokens)
        found += [by_size.get(min(size, self._cap), nothing) for size in sizes]
        return [*found, by_size.get(0, nothing)]

    def _template(self, codes: list[int]) -> Template:
        """The template of these codes, the last position included."""
        letters = tuple(map(self._names.__getitem__, codes))
        return Template._of(letters, self._wildcards[max(codes)])

    @cached_property
    def _names(self) -> list[str]:
        return [*self.tokens, *islice(new_letters(GREEK, avoid=self.tokens), self.length)]

    @cached_property
    def _wildcards(self) -> list[tuple[str, ...]]:
        """The wildcards of a template, by its largest code."""
        q = len(self.tokens)
        return [tuple(self._names[q : code + 1]) for code in range(q + self.length)]

    def __iter__(self) -> Iterator[Template]:
        pieces = range(0, self.length, _PIECE)
        known = _Pieces(self._names)
        for block in self.arrays(4096):
            codes = block.astype(np.uint16)
            letters: Iterator[tuple[str, ...]] = iter([()] * len(codes))
            for start in pieces:
                piece = np.ascontiguousarray(codes[:, start : start + _PIECE])
                keys = piece.view(f"V{2 * piece.shape[1]}").ravel().tolist()
                letters = map(tuple.__add__, letters, map(known.__getitem__, keys))
            largest = codes.max(axis=1).tolist()
            yield from map(Template._of, letters, map(self._wildcards.__getitem__, largest))

    def _codes(self) -> Iterator[list[int]]:
        """The codes of the free positions, in order; each list is new."""
        start = (0,) * self._cap
        # Depth first, the smallest code on top of the stack.
        stack: list[tuple[tuple[int, ...], tuple[int, ...], _Shape]] = [((), (), start)]
        while stack and self._completions[0][start]:
            codes, sizes, shape = stack.pop()
            if len(codes) == self._free:
                yield list(codes)
                continue
            menu = self._choices(len(codes), sizes, shape)
            for code in range(len(menu) - 1, -1, -1):
                if menu[code][0]:
                    stack.append(((*codes, code), self._grown(sizes, code), menu[code][1]))

    def _grown(self, sizes: tuple[int, ...], code: int) -> tuple[int, ...]:
        """The sizes of the blocks after a letter with this code."""
        block = code - len(self.tokens)
        if block < 0:
            return sizes
        if block == len(sizes):
            return (*sizes, 1)
        return (*sizes[:block], sizes[block] + 1, *sizes[block + 1 :])

    def __contains__(self, template: object) -> bool:
        try:
            return isinstance(template, Template) and self.rank(template) >= 0
        except BadValue:
            return False

    def _at(self, rank: int) -> Template:
        codes: list[int] = []
        sizes: tuple[int, ...] = ()
        shape: _Shape = (0,) * self._cap
        for place in range(self._free):
            menu = self._choices(place, sizes, shape)
            code = 0
            while rank >= menu[code][0]:
                rank -= menu[code][0]
                code += 1
            codes.append(code)
            sizes, shape = self._grown(sizes, code), menu[code][1]
        return self._template(codes + [self.tokens.index(x) for x in (self.last,) if x])

    def rank(self, template: Template) -> int:
        """The index of the template that is equivalent to the one given.

        >>> all_templates(3, tokens="AB").rank(Template("Aγγ"))
        8
        >>> all_templates(3).rank(Template("Aαα"))
        Traceback (most recent call last):
            ...
        symbench.errors.BadValue: Aαα is not in all_templates(3)
        """
        check_template(template)
        refusal = BadValue(f"{template} is not in {self!r}")
        letters = template.letters
        if len(template) != self.length or not set(template.tokens) <= set(self.tokens):
            raise refusal
        if self.last is not None and (letters[-1] != self.last or self.last in template.wildcards):
            raise refusal
        code_of = {token: code for code, token in enumerate(self.tokens)}
        code_of |= {w: len(self.tokens) + i for i, w in enumerate(template.wildcards)}
        sizes: tuple[int, ...] = ()
        shape: _Shape = (0,) * self._cap
        total = 0
        for place, letter in enumerate(letters[: self._free]):
            menu = self._choices(place, sizes, shape)
            code = code_of[letter]
            ways, shape = menu[code]
            if not ways:
                raise refusal
            total += sum(before for before, _ in menu[:code])
            sizes = self._grown(sizes, code)
        return total

    def arrays(self, chunk: int = 65536) -> Iterator[Array]:
        """The codes of all templates as numpy arrays, in order, at most `chunk` rows at a time.

        >>> for codes in all_templates(3).arrays():
        ...     print(codes)
        [[0 0 0]
         [0 0 1]
         [0 1 0]
         [0 1 1]
         [0 1 2]]
        >>> [block.shape for block in all_templates(4).arrays(chunk=10)]
        [(10, 4), (5, 4)]
        """
        chunk = min(integer(chunk, "chunk", at_least=1), self.count)
        return _code_arrays(self, integer(chunk, "chunk", limit=LISTABLE))


all_templates = Templates


def count_templates(length: int, **restrictions: Any) -> int:
    """The number of templates of a length up to equivalence, by formula; see `all_templates`.

    Without tokens it is a Bell number, with q tokens an r-Bell number (r = q).

    >>> [count_templates(n) for n in range(1, 8)]
    [1, 2, 5, 15, 52, 203, 877]
    >>> count_templates(3, tokens="AB"), count_templates(3, tokens=2)
    (37, 37)
    >>> count_templates(12, max_wildcards=2), count_templates(12, min_block=2)
    (2048, 580317)
    """
    return Templates(length, **restrictions).count


def _read_sizes(block_sizes: Any, room: int, has_tokens: bool) -> tuple[int, ...]:
    found = integers(block_sizes, "block_sizes", at_least=1)
    sizes = tuple(sorted(found, reverse=True))
    if sum(sizes) > room or (sum(sizes) < room and not has_tokens):
        raise BadValue(
            f"the block sizes {sizes} add up to {sum(sizes)}: give sizes for {room} positions, "
            "exactly without tokens, at most with tokens"
        )
    return sizes


def _moved(shape: _Shape, size: int) -> _Shape:
    """The shape after one block of this size has grown by one."""
    counts = list(shape)
    counts[size - 1] -= 1
    counts[size] += 1
    return tuple(counts)


_TABLE_ROWS = 16384


def _code_arrays(family: Templates, chunk: int) -> Iterator[Array]:
    top = len(family.tokens) + family.length
    dtype = np.dtype(np.uint8 if top <= 256 else np.uint16 if top <= 65536 else np.uint32)
    blocks: Iterator[Array]
    if family.block_sizes is not None or family.min_block > 1:
        # What may follow depends on the size of every block: no tables to share.
        codes = family._codes()
        lists = iter(lambda: list(islice(codes, chunk)), [])
        blocks = (np.array(rows, dtype=dtype).reshape(len(rows), -1) for rows in lists)
    else:
        blocks = _pieces(family, dtype)
    last = None if family.last is None else family.tokens.index(family.last)
    yield from _rechunked(blocks, family.length, chunk, dtype, last)


def _rechunked(
    blocks: Iterator[Array], length: int, chunk: int, dtype: np.dtype[Any], last: int | None
) -> Iterator[Array]:
    """The blocks, put one below the other and cut every `chunk` rows."""

    def new() -> Array:
        # Columns are contiguous: the tables are copied in long runs.
        out: Array = np.empty((chunk, length), dtype=dtype, order="F")
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


def _pieces(family: Templates, dtype: np.dtype[Any]) -> Iterator[Array]:
    """Blocks of rows that share a prefix; what follows it comes from tables, made once."""
    q, free = len(family.tokens), family._free
    most = free if family.max_wildcards is None else min(free, family.max_wildcards)
    completions = [{shape[0]: n for shape, n in layer.items()} for layer in family._completions]
    tables: dict[tuple[int, int], Array] = {}

    def table(rest: int, used: int) -> Array:
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
            block: Array = np.empty((rows, free), dtype=dtype, order="F")
            block[:, : len(prefix)] = np.array(prefix, dtype=dtype)
            block[:, len(prefix) :] = table(rest, used)
            yield block
            continue
        if used < most:
            stack.append(((*prefix, q + used), used + 1))
        stack.extend(((*prefix, code), used) for code in range(q + used - 1, -1, -1))
