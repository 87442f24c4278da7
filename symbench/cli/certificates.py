"""symbench check and symbench export: saved certificates."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from symbench._arguments import visible
from symbench.cli.asked import module_option
from symbench.errors import BadCertificate, CannotCheck

_TABLES = ("csv", "jsonl", "parquet")


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@module_option
def check(files: tuple[Path, ...]) -> None:
    """Re-check saved certificates and bundles.

    A line a file says one of: checked (without any search, and on which theorem it rests), re-run
    (a claim was run on its cases again), checked in part or not checked (a bundle some or all of
    whose cases have no certificate), BAD, or cannot be checked here (a claim of somebody else's).
    Exit code 0: all good; 1: one is bad; 3: none is bad, but one was not checked in full.
    """
    from symbench.recheck import recheck

    outcomes = set()
    for path in files:
        try:
            found = recheck(path)
            outcomes.add(0 if found.status in ("checked", "re-run") else 3)
            _say(f"{path}: {found}")
        except CannotCheck as error:
            outcomes.add(3)
            _say(str(error))
        except BadCertificate as error:
            outcomes.add(1)
            _say(f"{path}: BAD: {str(error).removeprefix(f'{path}: ')}")
    sys.exit(1 if 1 in outcomes else max(outcomes))


def _say(text: str) -> None:
    """One line: a text in a file that breaks lines could say that another file is checked."""
    click.echo(visible(text))


@click.command()
@click.argument("form", type=click.Choice(["coq", "ocaml", *_TABLES, "bundle"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--claim", help="For a bundle: the claim, where the ledger has several.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              help="Write here instead of standard output.")  # fmt: skip
def export(form: str, file: Path, claim: str | None, output: Path | None) -> None:
    """Write a certificate, or the cases of a ledger, in another form.

    \b
    coq      a file that coqc accepts if and only if the certificate is right
             (proofs/coq)
    ocaml    the input of the program extracted from there, for hundreds of rows
    csv, jsonl, parquet
             the table of a ledger: a row a case, the same to the byte however
             the sweep was run
    bundle   the certificates of a ledger's cases, for symbench check
    """  # noqa: D301
    if claim is not None and form != "bundle":
        raise click.UsageError("--claim belongs to a bundle")
    if output is None and form in ("parquet", "bundle"):
        raise click.UsageError(f"a {form} file is not for a terminal: name one (-o FILE)")
    if form in _TABLES:
        from symbench.sweeps import write_table

        write_table(file, output or sys.stdout.buffer, form)
        return
    if form == "bundle":
        from symbench.sweeps import write_bundle

        assert output is not None
        write_bundle(file, output, claim)
        return
    from symbench import export as instances
    from symbench.certificates.files import write

    text = instances.coq(file) if form == "coq" else instances.ocaml(file)
    if output is None:
        click.echo(text, nl=False)
        return
    write(output, text)
