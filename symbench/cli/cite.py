"""symbench cite: how to cite symbench and the papers."""

from __future__ import annotations

from pathlib import Path

import click

from symbench.certificates.files import write
from symbench.report import citation


@click.command()
@click.option("--paper", "papers", multiple=True, type=click.Choice([*citation.PAPERS, "all"]),
              help="Add a paper; may be repeated.")  # fmt: skip
@click.option("--format", "style", type=click.Choice(["bibtex", "cff"]), default="bibtex",
              show_default=True, help="BibTeX entries, or a citation file.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              help="Write here instead of standard output.")  # fmt: skip
def cite(papers: tuple[str, ...], style: str, output: Path | None) -> None:
    """Print how to cite symbench, and the papers whose claims it verifies.

    A citation file (CFF) describes symbench; the papers that are asked for are its references.

    \b
    symbench cite --paper boix2024 >> references.bib
    symbench cite --format cff --paper all -o CITATION.cff
    """  # noqa: D301
    chosen = citation.PAPERS if "all" in papers else papers
    text = citation.bibtex(chosen) if style == "bibtex" else citation.cff(chosen)
    if output is None:
        click.echo(text, nl=False)
        return
    write(output, text)
