"""symbench learnable: whether a task is learnable on unseen symbols."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from symbench.cli.asked import writable
from symbench.errors import SymbenchError


@click.command()
@click.argument("task", nargs=-1, required=True, metavar="TASK...")
@click.option("--kernel", default="attention", show_default=True,
              help="A kernel, e.g. inner_product or 'attention(beta=1, gamma=1)'.")  # fmt: skip
@click.option("--wildcards", help="The letters that are wildcards, instead of the Greek ones.")
@click.option("--no-cls", is_flag=True, help="Do not append the token CLS to the templates.")
@click.option("--timeout", type=float, help="Seconds; an answer that takes longer is undecided.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), callback=writable,
              help="Write the certificate to this file.")  # fmt: skip
def learnable(
    task: tuple[str, ...],
    kernel: str,
    wildcards: str | None,
    no_cls: bool,
    timeout: float | None,
    save: Path | None,
) -> None:
    """Say whether kernel regression learns a task on symbols that it has never seen.

    TASK is a name of `symbench list tasks`, or templates with their labels; without labels the
    question is about all of them. Exit code 0: learnable; 1: not; 3: undecided.

    \b
    symbench learnable same_different --kernel inner_product
    symbench learnable αα=1 αβ=-1 --kernel "attention(beta=1, gamma=1)"
    symbench learnable xyx xyy --wildcards xy
    """  # noqa: D301
    from symbench.kernels import from_text
    from symbench.learning import learnable as ask

    chosen = from_text(kernel)
    answer = ask(read_task(task, wildcards), chosen, cls=not no_cls, timeout=timeout)
    click.echo(answer.explain())
    if save is not None:
        if answer.certificate is None:
            raise click.UsageError("the answer is undecided: there is no certificate to save")
        answer.certificate.save(save)
    sys.exit({"learnable": 0, "not learnable": 1, "undecided": 3}[answer.status])


def read_task(texts: Sequence[str], wildcards: str | None) -> Any:
    """A task of the catalogue, or one of templates as they are written."""
    from symbench.words import Task, tasks

    if len(texts) == 1 and wildcards is None and texts[0].isascii() and texts[0].isidentifier():
        return tasks.catalogue[texts[0]].task()
    # The last sign of equality is the one before the label: templates may have others.
    pairs = [text.rpartition("=") if "=" in text else (text, "", "") for text in texts]
    templates = [template for template, _, _ in pairs]
    labels = [label for _, equals, label in pairs if equals]
    if labels and len(labels) < len(pairs):
        bare = next(text for text in texts if "=" not in text)
        raise click.UsageError(
            f"{bare!r} has no label: give all templates one, as in αα=1, or none"
        )
    numbers = list(map(_label, labels)) or None
    return Task(templates, labels=numbers, allow_overlap=True, wildcards=wildcards)


def _label(text: str) -> Any:
    """A number, or else a letter."""
    from symbench.exact import Rational

    try:
        return Rational(text)
    except SymbenchError:
        return text
