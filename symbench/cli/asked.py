"""What several commands ask for: claims by id and pattern, files that declare them, a table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symbench.errors import UnknownName

if TYPE_CHECKING:
    from rich.console import Console

    from symbench.registry import Claim


def terminal() -> Console:
    """The console: as wide as the terminal, or 120 columns where there is none."""
    from rich.console import Console

    # Off a terminal (a pipe, a log) rich would fold ids at 80 columns. A source may have brackets.
    return Console(markup=False, width=None if sys.stdout.isatty() else 120)


def id_column(name: str) -> Any:
    """A column whose texts are copied into other commands: never folded."""
    from rich.table import Column

    return Column(name, no_wrap=True)


_OWN = "claims of your own are loaded by --module FILE.py"


def named(id: str) -> Claim:
    """The claim with this id."""
    from symbench.registry import claims

    try:
        return claims[id]
    except UnknownName as error:
        raise click.UsageError(f"{error}; {_OWN}") from None


def registered() -> Mapping[str, Claim]:
    """The book of claims, which is not empty: nothing to do is not the same as all is well."""
    from symbench.registry import claims

    if not claims:
        raise click.UsageError("no claims are registered: install symbench, with pip or the like")
    return claims


def of_paper(entries: Mapping[str, Any], paper: str | None) -> list[Any]:
    """The entries of a paper, or all of them."""
    chosen = [e for id, e in entries.items() if paper is None or id.split(".")[0] == paper]
    if not chosen:
        papers = sorted({id.split(".")[0] for id in entries})
        raise click.UsageError(f"nothing of {paper!r}: there are {', '.join(papers)}; {_OWN}")
    return chosen


def writable(_: Any, __: Any, path: Path | None) -> Path | None:
    """A file whose folder is there: said at once, for after minutes of work it is too late."""
    if path is not None and not path.parent.is_dir():
        raise click.UsageError(f"cannot write {str(path)!r}: there is no such folder")
    return path


def _load(_: Any, __: Any, paths: Sequence[Path]) -> None:
    """Run files of one's own, which declare claims."""
    import runpy

    for path in paths:
        try:
            runpy.run_path(str(path))
        except Exception as error:
            raise click.BadParameter(f"{path} does not run: {error!r}") from error


module_option = click.option(
    "--module",
    multiple=True,
    callback=_load,
    expose_value=False,
    is_eager=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Python file that declares claims of your own.",
)


def matching(texts: Iterable[str]) -> dict[str, bool]:
    """The ids that are meant by ids and patterns, and whether each was named itself."""
    from fnmatch import fnmatchcase

    from symbench.registry import claims

    found: dict[str, bool] = {}
    for text in texts:
        if any(letter in text for letter in "*?["):
            matching = [id for id in claims if fnmatchcase(id, text)]
            if not matching:
                raise click.UsageError(
                    f"no claim matches {text!r}: `symbench list` shows all; {_OWN}"
                )
            found = {**dict.fromkeys(matching, False), **found}
        elif found.get(text):
            raise click.UsageError(f"{text} is named twice")
        elif text in claims:
            found[text] = True
        else:
            named(text)
    return found
