"""Templates for the claims of this folder."""

from __future__ import annotations

from symbench.words import Template

Templates = tuple[Template, ...]


def templates(*texts: str) -> Templates:
    """Templates from their letters."""
    return tuple(map(Template, texts))


def with_cls(cases: Templates) -> Templates:
    """The templates with CLS appended."""
    return tuple(z.with_cls() for z in cases)
