"""symbench docs: the documentation as an offline site."""

from __future__ import annotations

from pathlib import Path

import click

from symbench.draw.progress import Progress


@click.command()
@click.option("-o", "--output", "folder", required=True, metavar="DIR",
              type=click.Path(path_type=Path), help="The folder to write into.")  # fmt: skip
@click.option("--report", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="A page that `symbench report` wrote, or a ledger to make one of.")  # fmt: skip
@click.option("--force", is_flag=True,
              help="Write into a folder that has other files, over those in the way.")  # fmt: skip
@click.pass_context
def docs(context: click.Context, folder: Path, report: Path | None, force: bool) -> None:
    """Build the documentation as a site that needs no network: open DIR/index.html.

    It has the pages with their pictures, the proofs, every claim, the public names room by room
    with their source, this command, and a search. A folder that is not empty is refused, unless it
    is such a site: then the site is built anew.
    """
    from symbench.report.documentation import build

    root = context.find_root().command
    assert isinstance(root, click.Group)
    try:
        with Progress("documentation", every=10.0) as progress:
            count = build(folder, root, report=report, force=force, progress=progress.reached)
    except OSError as error:
        raise click.UsageError(f"cannot write {str(folder)!r}: {error.strerror}") from None
    click.echo(f"{folder / 'index.html'}: {count} files")
