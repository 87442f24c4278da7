"""Which values are cases of a statement: predicates that answer for anything a file may hold.

A claim's `applies` is put together from these. None of them raises: what is no case at all is
just not one. How long a case may take is no hypothesis; a claim's function says `at_most`.

>>> pairs = record(integer(1), one_of("sum", "last"))
>>> pairs((3, "sum")), pairs((0, "sum")), pairs((3, "sum", 1)), pairs(None)
(True, False, False, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from symbench._arguments import shown
from symbench.errors import SymbenchError, Undecided
from symbench.words import CLS, Template, all_templates
from symbench.words.letters import is_wildcard_name

Predicate = Callable[[Any], bool]
Templates = tuple[Template, ...]


def at_most(size: int, most: int, what: str) -> None:
    """Undecided, if a case has more of something than is gone through here.

    >>> at_most(3, 2, "templates")
    Traceback (most recent call last):
    ...
    symbench.errors.Undecided: templates: 3 is more than the 2 that are gone through
    """
    if size > most:
        raise Undecided(f"{what}: {shown(size)} is more than the {most:,} that are gone through")


# --- shapes ---------------------------------------------------------------------------------------
def integer(least: int | None = None) -> Predicate:
    """Integers, of at least this much.

    >>> integer(0)(2), integer(0)(-1), integer(0)(True)
    (True, False, False)
    """
    return lambda value: type(value) is int and (least is None or value >= least)


def number(
    least: Any = None, *, most: Any = None, above: Any = None, below: Any = None
) -> Predicate:
    """Rational numbers between bounds; they are reached, `above` and `below` are not.

    >>> number(above=0)(Fraction(1, 2)), number(above=0)(0), number()("1/2")
    (True, False, False)
    """

    def check(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            return False
        return (
            (least is None or value >= least)
            and (most is None or value <= most)
            and (above is None or value > above)
            and (below is None or value < below)
        )

    return check


def one_of(*values: Any) -> Predicate:
    """These values alone: 1 is not True."""
    return lambda value: any(type(value) is type(known) and value == known for known in values)


def many(field: Predicate, least: int = 1) -> Predicate:
    """Tuples of such values, at least so many."""
    return lambda value: type(value) is tuple and len(value) >= least and all(map(field, value))


def record(*fields: Predicate, where: Callable[..., bool] | None = None) -> Predicate:
    """Tuples with these fields; `where` is asked of their values if they have this shape.

    >>> record(integer(), integer(), where=lambda n, m: m <= n)((1, 2))
    False
    """

    def check(value: Any) -> bool:
        if type(value) is not tuple or len(value) != len(fields):
            return False
        if not all(field(x) for field, x in zip(fields, value, strict=True)):
            return False
        return where is None or bool(where(*value))

    return check


def is_partition(value: Any) -> bool:
    """Whether this is the tuple of the parts of a partition of some n >= 1.

    >>> is_partition((3, 1)), is_partition((1, 3)), is_partition(())
    (True, False, False)
    """
    return many(integer(1))(value) and list(value) == sorted(value, reverse=True)


def is_polynomial(value: Any) -> bool:
    """Whether these are the terms of a polynomial in signs: (positions, coefficient), each once.

    >>> is_polynomial((((1, 2), 3), ((), -1))), is_polynomial((((1, 1), 1),))
    (True, False)
    """
    if not many(record(many(integer(1), 0), number()))(value):
        return False
    places = [tuple(sorted(term)) for term, _ in value]
    return len(set(places)) == len(places) and all(len(set(p)) == len(p) for p in places)


def positions(terms: tuple[tuple[tuple[int, ...], Any], ...]) -> int:
    """The last position that a polynomial reads, 0 for a constant."""
    return max((a for term, _ in terms for a in term), default=0)


# --- strings and templates ------------------------------------------------------------------------
def is_string(value: Any) -> bool:
    """Whether this is a text whose characters are regular tokens, each a letter of its own.

    >>> is_string("QQR"), is_string("Qα"), is_string(""), is_string("A[CLS]")
    (True, False, False, False)
    """
    return is_template_text(value) and not any(map(is_wildcard_name, value))


def is_template_text(value: Any) -> bool:
    """Whether this is a text that a template is written in, each character a letter.

    >>> is_template_text("ααST"), is_template_text("α[CLS]")
    (True, False)
    """
    try:
        return type(value) is str and Template(value).letters == tuple(value)
    except SymbenchError:  # empty, or a character that only looks like a Greek one
        return False


def templates(*texts: str) -> Templates:
    """Templates from their letters."""
    return tuple(map(Template, texts))


def are_templates(value: Any) -> bool:
    """Whether these are templates of one length, and no letter is a token in one, a wildcard in
    another.

    >>> are_templates(templates("αα", "αA")), are_templates(templates("αα", "α"))
    (True, False)
    >>> are_templates((Template("αα"), Template("αβ", wildcards="β")))
    False
    """
    if not many(lambda z: type(z) is Template)(value) or len(set(map(len, value))) > 1:
        return False
    tokens = {token for z in value for token in z.tokens}
    return not any(wildcard in tokens for z in value for wildcard in z.wildcards)


def inequivalent(value: Any) -> bool:
    """Whether these are templates of one length, no two of them equivalent.

    >>> inequivalent(templates("αα", "αβ")), inequivalent(templates("αβ", "βα"))
    (True, False)
    """
    return are_templates(value) and len({z.canonical for z in value}) == len(value)


def before_cls(value: Any) -> bool:
    """Whether these are inequivalent templates to which CLS can be appended: none has it.

    >>> before_cls(templates("αα", "αβ")), before_cls(templates("α[CLS]"))
    (True, False)
    """
    return inequivalent(value) and not any(CLS in z.letters for z in value)


def wildcards_only(value: Templates) -> bool:
    """Whether no template has a regular token."""
    return not any(z.tokens for z in value)


def with_cls(cases: Templates) -> Templates:
    """The templates with CLS appended."""
    return tuple(z.with_cls() for z in cases)


def every(length: int, tokens: str = "") -> Templates:
    """All templates of a length over some regular tokens: one matrix decides all their tasks."""
    return tuple(all_templates(length, tokens=tokens))


def all_at_once(max_length: int, max_tokens: int) -> Iterator[Templates]:
    """All templates of each length with each number of tokens that fit into the longest length."""
    for length in range(1, max_length + 1):
        for tokens in range(min(max_tokens, max_length - length) + 1):
            yield every(length, "ABC"[:tokens])


def subsets(max_length: int, *sizes: int, token_below: int = 0) -> Iterator[Templates]:
    """All sets of these sizes of templates of one length, with a token in the shorter ones."""
    for length in range(1, max_length + 1):
        for size in sizes:
            yield from combinations(every(length, "A"[: length < token_below]), size)


# --- shapes of two rows ---------------------------------------------------------------------------
def two_rows(max_length: int, most: int | None = None) -> Iterator[tuple[int, int]]:
    """All (L, m) with 0 <= 2m <= L <= max_length, m up to a bound if there is one."""
    for length in range(1, max_length + 1):
        for m in range(min(length // 2, length if most is None else most) + 1):
            yield length, m


is_two_rows = record(integer(1), integer(0), where=lambda length, m: 2 * m <= length)
# The same with a constant C of a bound.
is_two_rows_bound = record(
    integer(1), integer(0), integer(1), where=lambda length, m, _: 2 * m <= length
)


# --- strategies -----------------------------------------------------------------------------------
def drawn(build: Callable[[Any], Any]) -> Callable[[], Any]:
    """A claim's strategy, built of `hypothesis.strategies` when it is asked for."""

    def strategy() -> Any:
        from hypothesis import strategies

        return build(strategies)

    return strategy


def template_sets(
    min_size: int = 1, max_size: int = 6, max_length: int = 8, tokens: str = "AB"
) -> Callable[[], Any]:
    """A claim's strategy: a few inequivalent templates of one length."""

    def strategy() -> Any:
        from symbench.strategies import inequivalent_templates

        return inequivalent_templates(
            min_size=min_size, max_size=max_size, max_length=max_length, tokens=tokens
        )

    return strategy
