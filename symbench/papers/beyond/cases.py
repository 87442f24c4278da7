"""Templates for the claims of this folder."""

from __future__ import annotations

from symbench.words import Template

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
