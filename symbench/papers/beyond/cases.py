"""Templates for the claims of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symbench.words import Template, all_templates

Templates = tuple[Template, ...]


def templates(*texts: str) -> Templates:
    """Templates from their letters."""
    return tuple(map(Template, texts))


def inequivalent(cases: Templates) -> bool:
    """Whether these are templates of one length, no two of them equivalent."""
    return (
        all(isinstance(z, Template) for z in cases)
        and len({len(z) for z in cases}) == 1
        and len({z.canonical for z in cases}) == len(cases)
    )


def with_cls(cases: Templates) -> Templates:
    """The templates with CLS appended."""
    return tuple(z.with_cls() for z in cases)


def all_at_once(max_length: int, max_tokens: int) -> Iterator[Templates]:
    """All templates of a length over some regular tokens: one matrix decides all their tasks."""
    for length in range(1, max_length + 1):
        for tokens in range(max_tokens + 1):
            if length + tokens <= max_length:
                yield tuple(all_templates(length, tokens="ABC"[:tokens]))


def template_sets() -> Any:
    """Strategy for a few inequivalent templates of one length."""
    from symbench.strategies import inequivalent_templates

    return inequivalent_templates(min_size=1, max_size=6, max_length=8, tokens="AB")
