"""Strings and templates as cases: which are, all of a length, and strategies for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from symbench.errors import SymbenchError
from symbench.papers._cases import many
from symbench.registry import Fails
from symbench.words import CLS, Template, all_templates
from symbench.words.letters import is_wildcard_name

Templates = tuple[Template, ...]


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
    return inequivalent(value) and without_cls(value)


def without_cls(value: Any) -> bool:
    """Whether these are templates of one length, equivalent ones too, none of them with CLS."""
    return are_templates(value) and not any(CLS in z.letters for z in value)


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


def full_rank(rank: Callable[[Templates], int]) -> Callable[[Templates], bool | Fails]:
    """A near-miss: the statement that the matrix of templates, of this rank, has full rank."""
    return lambda cases: (
        rank(cases) == len(cases) or Fails(f"rank {rank(cases)} of {len(cases)}: equal rows")
    )


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
