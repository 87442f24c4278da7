"""symbench atlas: which kernels solve which tasks."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from symbench.cli.asked import writable
from symbench.errors import BadValue


@click.command()
@click.argument("task", nargs=-1, metavar="[TASK...]")
@click.option("--kernel", "kernels", multiple=True, metavar="NAME",
              help="Only this kernel; may be given several times.")  # fmt: skip
@click.option("--wildcards", help="The letters that are wildcards, instead of the Greek ones.")
@click.option("--length", type=int, help="All templates of this length, found now if not shipped.")
@click.option("--tokens", type=int, default=0, show_default=True,
              help="Regular tokens of the templates of that length.")  # fmt: skip
@click.option("--from", "source", type=click.Path(dir_okay=False, path_type=Path),
              help="Ask this file instead of the atlas that is shipped.")  # fmt: skip
@click.option("--certificate", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the certificate of the answer, with one --kernel.")  # fmt: skip
@click.option("--export", "table", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the table of the catalogue as .csv or .jsonl.")  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path),
              help="Draw the table of the catalogue as .svg.")  # fmt: skip
@click.option("--build", type=click.Path(dir_okay=False, path_type=Path), callback=writable,
              help="Write the atlas to a file, what is shipped anew: minutes.")  # fmt: skip
@click.option("--check", is_flag=True,
              help="Compare all entries with matrices built anew; not the orders and costs of the "
              "catalogue.")  # fmt: skip
def atlas(
    task: tuple[str, ...],
    kernels: tuple[str, ...],
    wildcards: str | None,
    length: int | None,
    tokens: int,
    source: Path | None,
    certificate: Path | None,
    table: Path | None,
    plot: Path | None,
    build: Path | None,
    check: bool,
) -> None:
    """Say which kernels of the atlas learn a task, or show the tasks of the catalogue.

    TASK is a name of `symbench list tasks`, or templates with or without labels. Exit code 0: done,
    1: --check found a wrong entry.

    \b
    symbench atlas aabb_abab
    symbench atlas αβα αββ --kernel mlp --certificate mlp.json
    symbench atlas --check
    """  # noqa: D301
    from symbench.atlas import Atlas, shipped_anew
    from symbench.atlas import atlas as made
    from symbench.cli.learnable import read_task

    if (task and (table or plot)) or (certificate and not (task and len(kernels) == 1)):
        raise click.UsageError(
            "--certificate goes with a task and one --kernel, --export and --plot with no task"
        )
    if build is not None and length is None and source is None:
        found = shipped_anew()
    elif source is not None:
        found = Atlas.load(source)
    else:
        found = made(length, tokens=tokens)
    if kernels:
        found = found.filter(kernels=kernels)
    if build is not None:
        found.save(build)
        click.echo(f"{build}: {len(found.kernels)} kernels, {len(found.families)} families")
    if check:
        wrong = found.check()
        for entry in wrong:
            click.echo(f"wrong: {entry!r}")
        size = len(found.kernels) * len(found.families)
        click.echo(f"{size - len(wrong)} of {size} entries are right")
        sys.exit(1 if wrong else 0)
    if build is not None:
        return
    if task:
        answers = found[read_task(task, wildcards)]
        click.echo(repr(answers))
        if certificate is not None:
            proof = answers[kernels[0]].certificate
            if proof is None:
                raise BadValue("the answer is undecided: there is no certificate to save")
            proof.save(certificate)
        return
    shown = found.table()
    if table is not None:
        shown.export(table)
    if plot is not None:
        shown.picture.save(plot)
    if table is None and plot is None:
        click.echo(repr(shown))
