"""symbench report: the verdicts of a ledger as a page that checks itself, or as a table."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symbench.cli.asked import module_option, of_paper, registered, writable

if TYPE_CHECKING:
    from symbench.errors import BadLedger
    from symbench.registry.ledger import Ledger

_FORMATS = {".html": "html", ".htm": "html", ".tex": "latex", ".md": "markdown"}


@click.command()
@click.argument("ledger", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              callback=writable,
              help="Write here; default: report.html, and standard output for tables.")  # fmt: skip
@click.option("--format", "style", type=click.Choice(["html", "latex", "markdown"]),
              help="A page, or a table for an appendix; default: as the output ends.")  # fmt: skip
@click.option("--paper", help="Only claims whose id starts with this, e.g. boix2024.")
@module_option
@click.option("--documentation", metavar="ADDRESS",
              help="Where the folder of `symbench docs` is, seen from the page: links to proofs "
              "lead there.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1),
              help="Worker processes, if claims are verified; default: the cores.")  # fmt: skip
def report(
    ledger: Path | None,
    output: Path | None,
    style: str | None,
    paper: str | None,
    documentation: str | None,
    jobs: int | None,
) -> None:
    """Write a report on the verdicts in LEDGER: one HTML file that checks its certificates.

    LEDGER is a file of `symbench verify --ledger`; nothing of it is run again. Without one the
    claims are verified first, all of them or those of --paper, which takes a minute or two. Exit
    code 0: the report is written; 2: wrong usage; 130: interrupted.

    \b
    symbench verify --ledger verdicts.db
    symbench report verdicts.db -o report.html
    symbench report verdicts.db --paper boix2024 -o table.tex
    """  # noqa: D301
    from symbench.certificates.files import write
    from symbench.registry.ledger import Ledger
    from symbench.report.page import Report

    style = style or _FORMATS.get(output.suffix.lower() if output else ".html", "")
    if not style:
        raise click.UsageError(
            f"the output is {output}: end it in .html, .tex or .md, or give --format"
        )
    if output is None and style == "html":
        output = Path("report.html")
    if ledger is not None:
        made = Report(
            Ledger(ledger, create=False), paper=paper, documentation=_pages(documentation)
        )
    else:
        with _verified(paper, jobs) as book:
            made = Report(book, documentation=_pages(documentation))
        shutil.rmtree(book.path.parent)
    text = made.html() if style == "html" else made.table(style)
    if output is None:
        click.echo(text, nl=False)
        return
    write(output, text)
    click.echo(f"{output}: {len(text.encode()) / 1e6:.2f} MB. {made.summary}", err=True)


def _verified(paper: str | None, jobs: int | None) -> Ledger:
    """A new ledger in a folder of its own with the verdicts; what is interrupted stays there."""
    from symbench.cli.verify import verify_all
    from symbench.decide.limits import Workers, megabytes
    from symbench.registry.ledger import Ledger

    ids = [claim.id for claim in of_paper(registered(), paper)]
    count = jobs or os.cpu_count() or 1
    folder = Path(tempfile.mkdtemp(prefix="symbench-"))
    book = Ledger(folder / "verdicts.db")
    workers = Workers(jobs=count, memory=megabytes(None))
    unwritten: list[BadLedger] = []
    try:
        verify_all(ids, {}, None, count, workers, book, None, None, unwritten)
    except KeyboardInterrupt:
        of = f" --paper {paper}" if paper else ""
        click.echo(f"interrupted; what was finished is in {book.path}, to go on:\n"
                   f"symbench verify{of} --ledger {book.path}\n"
                   f"symbench report {book.path}", err=True)  # fmt: skip
        sys.exit(130)
    finally:
        workers.stop()
    if unwritten:
        raise unwritten[0]
    return book


def _pages(address: str | None) -> Callable[[str], str] | None:
    """Where the documentation has a page of a checkout."""
    if address is None:
        return None
    return lambda path: f"{address.rstrip('/')}/{path.removesuffix('.md')}.html"
