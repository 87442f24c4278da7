"""Any kernel on words over the tokens 0, ..., V - 1, and how it behaves when positions move.

A kernel may know by construction which permutations of positions leave it unchanged; it then sees
of a pair of words only the contingency table of each segment: at how many positions the first word
has token u and the second token v. Any other kernel is compared with its images: on all pairs of
words where these are few, on some of them otherwise.

>>> last = WordKernel(linear_attention(1, 1, readout="last"), 3, 2)
>>> last.value((0, 0, 1), (0, 1, 1))
22
>>> last.invariance(YoungSubgroup(2, 1)).known
'by construction'
>>> last.require(YoungSubgroup(3))
Traceback (most recent call last):
...
symbench.errors.BadValue: linear_attention(1, 1, readout='last') is not invariant under \
YoungSubgroup(3): k((0, 0, 0), (0, 0, 1)) = 13, and after the transposition (2 3) of positions \
k((0, 0, 0), (0, 1, 0)) = 26; with fixed=1 the last position stays put
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from math import lcm, prod
from typing import Any

import attrs
import flint

from symbench._arguments import call, shown
from symbench.draw.progress import progress
from symbench.errors import BadShape, BadType, BadValue, NotExact, NotSupported, SymbenchError
from symbench.exact import Exponential
from symbench.exact.arrays import Integers, np
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, fmpq
from symbench.kernels.activations.exact import enclosure
from symbench.kernels.base import Kernel, symmetry_of
from symbench.kernels.diagram import Diagram
from symbench.kernels.from_table import TableKernel
from symbench.kernels.tables import (
    Table,
    Tables,
    diagonal,
    flipped,
    merging,
    pair_of,
    tables_of,
    tables_with,
)
from symbench.laws.base import Word
from symbench.young import orbits_on_pairs
from symbench.young.position_groups import Group, Move, YoungSubgroup, contains, moved

Number = flint.fmpq | flint.arb

# Pairs of words that are all compared with their images; beyond that, 3,000 are drawn.
_EVERY_PAIR = 70_000
_DRAWN = 3_000
# What is taken to be wrong at most with a float of a user's function, relative to it or to the
# value at a word of one token: some hundred roundings.
_FLOAT_ERROR = 2.0**-44
# The most tokens of the table at which a kernel is asked what its values are.
_PROBED = 64
# How many float values are computed both ways round, to see that they agree.
_BOTH_WAYS = 20


@attrs.frozen
class Invariance:
    """How the invariance of a kernel is known, or what shows that it fails.

    `known` is 'by construction', 'all pairs' or 'sampled pairs' (of words that were compared), the
    last two with ', within balls' if values were balls or floats: then no two of them were seen to
    differ, and that they are equal is not proved. It is None for a kernel that is not invariant;
    `witness` is the sentence that shows it.
    """

    known: str | None
    witness: str | None = None


@attrs.frozen(eq=False, repr=False, slots=False)
class WordKernel:
    """A kernel on words of one length, with values as FLINT rationals (or balls, with balls=True).

    The source is one of `sb.kernels`, an object with on_table, on_tables or value(x, y), or a
    function of two words (tuples of tokens). With floats=True the floats of a function are read as
    balls that are 2^-44 of the value wide on either side, which is an assumption and no proof.

    >>> def agreements(x, y):
    ...     return sum(u == v for u, v in zip(x, y, strict=True))
    >>> WordKernel(agreements, 2, 2).invariance(YoungSubgroup(2)).known
    'all pairs'
    """

    source: Any
    length: int
    vocabulary: int
    balls: bool = attrs.field(default=False, kw_only=True)
    floats: bool = attrs.field(default=False, kw_only=True)

    # --- values -------------------------------------------------------------------------------
    @cached_property
    def symmetry(self) -> Group | None:
        """The permutations of positions that leave the kernel unchanged by construction."""
        group = symmetry_of(self.source, self.length)
        if not callable(self._own("symmetry")) and callable(self._own("on_table")):
            # A kernel that says nothing of symmetry may say that a table is not enough.
            try:
                self.source.on_table(self._one_token(self.length))
            except NotSupported:
                return None
            except Exception:  # it is told again where the value is needed
                return group
        return group

    @cached_property
    def segments(self) -> tuple[int, ...] | None:
        """The segments whose tables are all that the kernel sees; None where it sees words."""
        group = self.symmetry
        if isinstance(group, YoungSubgroup) and callable(self._own("on_table")):
            return group.parts
        return None

    def _one_token(self, length: int) -> Table:
        """The table of a word of one token with itself, without rows for very many others."""
        return diagonal((length,) + (0,) * (min(self.vocabulary, _PROBED) - 1))

    def _own(self, name: str) -> Any:
        """A method of the source; a class is no kernel, and its methods are none."""
        return None if isinstance(self.source, type) else getattr(self.source, name, None)

    def value(self, x: Word, y: Word) -> Number:
        """The kernel on a pair of words."""
        if self.segments is not None:
            return self._known(tables_of(x, y, self.segments, self.vocabulary))
        return self._read(self._on_words(x, y), lambda: (x, y))

    @cached_property
    def _on_words(self) -> Callable[[Word, Word], Any]:
        source = self.source
        if isinstance(source, type) or source is None:
            raise BadType(f"{shown(source)} is no kernel: sb.kernels has some")
        if isinstance(source, Kernel):
            return lambda x, y: source.on_diagram(Diagram.from_codes(x + y))
        function = getattr(source, "value", source)
        if not callable(function):
            raise BadType(
                f"{shown(source)} is no kernel: give one of sb.kernels, a function of two tuples "
                "of tokens 0, ..., V - 1, or an object with value(x, y) or on_table(table)"
            )
        return lambda x, y: call(function, shown(source), x, y)

    @cached_property
    def _table_values(self) -> dict[Tables, Number]:
        return {}

    def _known(self, tables: Tables) -> Number:
        """The value on the tables of the kernel's own segments, computed once."""
        found = self._table_values.get(tables)
        if found is None:
            found = self._table_values[tables] = self._on_tables(tables)
        return found

    def _on_tables(self, tables: Tables) -> Number:
        try:
            value = self.source.on_table(*tables)
        except SymbenchError:
            raise
        except Exception as error:  # of a kernel that is not ours
            raise BadValue(f"{self.source!r} fails at the tables {tables}: {error!r}") from error
        return value if type(value) is flint.fmpq else self._read(value, lambda: pair_of(*tables))

    def on_every_table(self, group: YoungSubgroup) -> Callable[[Integers], Any] | None:
        """The kernel's own function of arrays of tables, if the group's only segment is its own."""
        own, one = self._own("on_every_table"), np.array([[[self.length]]])
        if not callable(own) or self.segments != group.parts or len(group.parts) > 1 or self.balls:
            return None
        return own if own(one) is not None else None

    def by_tables(self, group: YoungSubgroup) -> Callable[[Tables], Number]:
        """The kernel as a function of the tables of a group's segments."""
        own = self.segments
        if own is None or not contains(self.symmetry, group, self.length):
            return lambda tables: self.value(*pair_of(*tables))
        if own == group.parts:
            return self._on_tables
        merged = merging(own, group.parts)
        return lambda tables: self._known(merged(tables))

    @property
    def has_gram(self) -> bool:
        """Whether the kernel computes all values on arrays of words at once."""
        own, word = self._own("gram"), np.zeros((1, self.length), dtype=np.int64)
        return callable(own) and own(word, word) is not None

    def gram(self, left: Any, right: Any) -> tuple[Any, int]:
        """All values on two arrays of words, as integers over one denominator."""
        if self.has_gram:
            table: tuple[Any, int] = self.source.gram(left, right)
            return table
        others = [tuple(word) for word in right.tolist()]
        rows = [[self.value(tuple(x), y) for y in others] for x in left.tolist()]
        return whole_numbers(np.array(rows, dtype=object).reshape(len(left), len(right)))

    def _read(self, value: Any, where: Callable[[], tuple[Word, Word]]) -> Number:
        """A value as a FLINT rational or ball, or an error that says where it is none."""
        if type(value) is flint.fmpq:
            return value

        def said() -> str:
            x, y = where()
            return f"{self.source!r} is {shown(value)} at {x}, {y}"

        if isinstance(value, (flint.arb, Exponential)) and not self.balls:
            raise NotExact(f"{said()}, no rational: take backend='ball'")
        if isinstance(value, Exponential):
            return enclosure(value, getattr(self.source, "bits", 128))
        if self.floats and _is_float(value):
            number = float(value)
            value = flint.arb(number, max(abs(number), self._scale) * _FLOAT_ERROR)
        if isinstance(value, flint.arb):
            if not value.is_finite():
                raise BadValue(f"{said()}: give a finite number")
            return value
        try:
            return fmpq(exact_number(value))
        except NotExact as error:
            raise NotExact(
                f"{said()}: {error}, or take backend='float' for a spectrum in floats"
            ) from None
        except SymbenchError:
            raise BadType(
                f"{said()}: a spectrum needs rational values, so give the kernel all of its "
                "parameters as exact numbers"
            ) from None

    @cached_property
    def _scale(self) -> float:
        """How large the values are: the first of them, a float of a user's function."""
        value = self._first()
        return abs(float(value)) if _is_float(value) and math.isfinite(value) else 0.0

    def _first(self) -> Any:
        """The value at a word of one token and itself, as the kernel gives it."""
        if self.segments is not None:
            return self.source.on_table(*map(self._one_token, self.segments))
        word = (0,) * self.length
        return self._on_words(word, word)

    # --- what kind of numbers -----------------------------------------------------------------
    @cached_property
    def exactness(self) -> str:
        """'float', 'ball' or 'exact': seen at one pair of words where the kernel does not say."""
        kind = self._own("exactness")
        if kind == "float" or (kind is None and callable(self._own("on_tables"))):
            return "float"
        try:
            value = self._first()
        except Exception:
            return "exact"  # and the exact way says what is wrong
        return "ball" if isinstance(value, (flint.arb, Exponential)) else "exact"

    @cached_property
    def has_lists(self) -> bool:
        """Whether float values come from on_tables, not one by one from a function."""
        if self.exactness != "float":
            return False
        if self._own("on_tables") is None:
            with suppress(Exception):  # it is told again where the value is needed
                return not _is_float(self._first())
        return True

    def foresee(self, *, digits: int) -> None:
        """Let the kernel refuse what would take it too long, before its tables are listed."""
        method = self._own("foresee")
        if callable(method):
            method(self.length, self.vocabulary, digits=digits)

    def two_lists(
        self, places: Sequence[Tables], *, digits: int
    ) -> dict[Tables, tuple[float, float]]:
        """Float values from two computations, on tables of the kernel's own segments.

        Some are computed both ways round; a kernel that is not symmetric is refused.
        """
        group, method = self.symmetry, self._lists_method()
        back = [flipped(place) for place in places[:: max(1, len(places) // _BOTH_WAYS)]]
        every = [*places, *back]
        given = every if group != YoungSubgroup(self.length) else [place[0] for place in every]
        one, two = self._checked(
            call(lambda: method(given, digits=digits), f"on_tables of {self.source!r}"), len(every)
        )
        found = dict(zip(every, zip(one, two, strict=True), strict=True))
        most = max(map(abs, two), default=0.0)
        for place in back:
            here, there = found[flipped(place)][1], found[place][1]
            if abs(here - there) > 10.0 ** (1 - digits) * most:
                (x, y) = pair_of(*flipped(place))
                raise BadValue(_asymmetry(self.source, x, y, here, there))
        return found

    def _lists_method(self) -> Callable[..., Any]:
        method = self._own("on_tables")
        if not callable(method) or not isinstance(self.symmetry, YoungSubgroup):
            raise NotSupported(
                f"{self.source!r} has float values and no method on_tables(tables, digits=...): "
                "give it one that returns two lists of floats, from two different computations"
            )
        return method  # type: ignore[no-any-return]

    def _checked(self, found: Any, size: int) -> tuple[list[float], list[float]]:
        """What on_tables returned, as two lists of finite floats."""
        name = f"on_tables of {self.source!r}"
        if not isinstance(found, tuple) or len(found) != 2:
            raise BadType(f"{name} returned {shown(found)}: return two lists")
        one, two = ([float(v) for v in values] for values in found)
        if len(one) != size or len(two) != size:
            raise BadShape(f"{name} returned {len(one)} and {len(two)} values for {size} tables")
        if not all(map(math.isfinite, (*one, *two))):
            raise BadValue(f"{name} returned a value that is not finite")
        return one, two

    # --- symmetries ---------------------------------------------------------------------------
    def require(self, group: Group) -> str:
        """How the invariance under a group is known; a kernel without it is refused."""
        found = self.invariance(group)
        if found.known is None:
            raise BadValue(f"{found.witness}{self._remedy(group)}")
        return found.known

    def _remedy(self, group: Group) -> str:
        if not isinstance(group, YoungSubgroup) or len(group.parts) > 1:
            return ""
        if isinstance(self.symmetry, YoungSubgroup) and self.symmetry.parts[1:] == (1,):
            return "; with fixed=1 the last position stays put"
        return "; with fixed=k the last k positions stay put"

    def invariance(self, group: Group) -> Invariance:
        """Whether k(gx, gy) = k(x, y) for all g of the group, and k(x, y) = k(y, x)."""
        if self.symmetry is not None and contains(self.symmetry, group, self.length):
            if not _is_symmetric(self.source):
                self._check_tables()
            return Invariance("by construction")
        if self.has_lists:
            self._lists_method()
            return Invariance(
                None,
                f"{self.source!r} is not known to be invariant under {group!r}: its own symmetry "
                f"is {self.symmetry!r}",
            )
        every = self.vocabulary ** (2 * self.length) <= _EVERY_PAIR
        pairs = self._every_pair() if every else self._drawn_pairs()
        witness, within = self._compared(pairs, every, group)
        how = f"{'all' if every else 'sampled'} pairs{', within balls' if within else ''}"
        return Invariance(None, witness) if witness is not None else Invariance(how)

    def _compared(
        self, pairs: Iterable[tuple[Word, Word]], every: bool, group: Group
    ) -> tuple[str | None, bool]:
        """What shows that the kernel changes, if it does, and whether a value was a ball."""
        known: dict[tuple[Word, Word], Number] = {}
        moves: Sequence[tuple[str, Move]] = group.generators

        def value(x: Word, y: Word) -> Number:
            if not every:
                return self.value(x, y)
            if (x, y) not in known:
                known[x, y] = self.value(x, y)
            return known[x, y]

        within = False
        count = self.vocabulary ** (2 * self.length) if every else _DRAWN
        with progress("pairs of words, moved", count * len(moves)) as report:
            for x, y in pairs:
                here = value(x, y)
                within = within or not isinstance(here, flint.fmpq)
                for name, move in moves:
                    report(1)
                    gx, gy = moved(x, move), moved(y, move)
                    if (gx, gy) != (x, y) and differ(here, there := value(gx, gy)):
                        return (
                            f"{self.source!r} is not invariant under {group!r}: k({x}, {y}) = "
                            f"{here}, and after {name} k({gx}, {gy}) = {there}"
                        ), within
                if differ(here, back := value(y, x)):
                    raise BadValue(_asymmetry(self.source, x, y, here, back))
        return None, within

    def _every_pair(self) -> Iterator[tuple[Word, Word]]:
        words = list(itertools.product(range(self.vocabulary), repeat=self.length))
        return itertools.product(words, words)

    def _drawn_pairs(self) -> Iterator[tuple[Word, Word]]:
        """Pairs of words in which some pairs of tokens are frequent and others rare."""
        generator = random.Random(0)
        cells = list(itertools.product(range(self.vocabulary), repeat=2))
        for _ in range(_DRAWN):
            weights = [generator.random() ** 4 for _ in cells]
            pairs = generator.choices(cells, weights, k=self.length)
            yield tuple(u for u, _ in pairs), tuple(v for _, v in pairs)

    def _check_tables(self) -> None:
        """A function of tables is invariant as it is, but need not be symmetric."""
        if self.has_lists or self.segments is None:
            return
        count = prod(orbits_on_pairs(part, self.vocabulary) for part in self.segments)
        with progress("values on pairs of words", count) as report:
            for tables in tables_with(self.segments, self.vocabulary):
                report(1)
                back = flipped(tables)
                if back < tables:
                    continue
                here, there = self._known(tables), self._known(back)
                if differ(here, there):
                    raise BadValue(_asymmetry(self.source, *pair_of(*tables), here, there))


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def _is_symmetric(kernel: Any) -> bool:
    """Whether k(x, y) = k(y, x) by construction: our own kernels but those of a user's function."""
    # By the name of the module, so that a spectrum of something else does not load transformers.
    while type(kernel).__module__ == "symbench.kernels.transformer":
        kernel = kernel.attention
    ours = type(kernel).__module__.startswith("symbench.kernels.")
    return ours and not isinstance(kernel, TableKernel)


def _asymmetry(kernel: Any, x: Word, y: Word, here: Any, there: Any) -> str:
    return f"{kernel!r} is not symmetric: k({x}, {y}) = {here} and k({y}, {x}) = {there}"


def whole_numbers(values: Any) -> tuple[Any, int]:
    """An array of FLINT rationals as integers over one denominator, in 64 bits where they fit."""
    denominator = lcm(*{int(v.q) for v in values.flat})
    whole = [int(v.p) * (denominator // int(v.q)) for v in values.flat]
    small = max(map(abs, whole), default=0) < 1 << 62
    return np.array(whole, np.int64 if small else object).reshape(values.shape), denominator


def differ(a: Number, b: Number) -> bool:
    """Whether two numbers are surely different: rationals, or balls that do not overlap."""
    if isinstance(a, flint.fmpq) and isinstance(b, flint.fmpq):
        return bool(a != b)
    with working_precision():
        return not flint.arb(a).overlaps(flint.arb(b))
