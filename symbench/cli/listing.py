"""symbench list and symbench show: what there is."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from symbench.cli.asked import id_column, module_option, named, of_paper, registered, terminal

if TYPE_CHECKING:
    from symbench.registry import Claim


@click.command("list")
@click.argument("what", type=click.Choice(["claims", "statements", "tasks"]), default="claims")
@click.option("--paper", help="Only ids that start with this, e.g. boix2024.")
@module_option
def list_things(what: str, paper: str | None) -> None:
    """List the registered claims, the statements of the papers, or the catalogue of tasks.

    Claims come paper by paper, each with the verdict that it announces, what the verdict covers
    and how near the statement is to the printed words, and with totals of these. The statements
    are the source list: what the papers say, and which claims answer to it.
    """
    from rich.table import Table

    if what == "tasks":
        from symbench.words import tasks

        table = Table(id_column("task"), "templates", "length", "labels", "question", "source")
        for e in tasks.catalogue.values():
            table.add_row(e.name, str(e.templates), str(e.length), e.labels, e.statement, e.source)
        terminal().print(table)
    elif what == "statements":
        from symbench.papers.source_list import statements

        table = Table(id_column("statement"), "kind", "what it says", "claims")
        for s in of_paper({s.id: s for s in statements()}, paper):
            table.add_row(s.id, s.kind, s.text, ", ".join(s.claims) or f"later: {s.later}")
        terminal().print(table)
        terminal().print("H holds; R refuted as printed; D a definition; N cannot be decided here")
    else:
        chosen = of_paper(registered(), paper)
        for name in dict.fromkeys(item.paper for item in chosen):
            _list_paper(name, [item for item in chosen if item.paper == name])


def _list_paper(paper: str, chosen: Sequence[Claim]) -> None:
    """A table of the claims of one paper, and how many there are of each sort."""
    from collections import Counter

    from rich.table import Table

    table = Table(id_column("claim"), "category", "expected", "scope", "wording", "source")
    for item in chosen:
        table.add_row(
            item.id,
            item.category,
            item.expected,
            item.scope,
            item.wording or "",
            item.source,
        )
    console = terminal()
    console.print(table)
    for name in ("expected", "scope", "wording"):
        counts = Counter(getattr(item, name) for item in chosen)
        sorts = ", ".join(f"{n} {sort}" for sort, n in counts.most_common() if sort)
        if sorts:
            console.print(f"{paper}, {name}: {sorts}")


@click.command()
@click.argument("id")
@module_option
def show(id: str) -> None:
    """Show what a claim says, where it is from and how it is checked."""
    item = named(id)
    sizes = ", ".join(f"{k}={v}" for k, v in item.parameters.items())
    lines = [
        ("claim", f"{item.id} ({item.category}), expected: {item.expected}"),
        ("source", item.source),
        *[("wording", item.wording)] * bool(item.wording),
        ("parameters", sizes or "none"),
        *[("boundary", _one_line(item.boundary))] * item.has_cases,
        *[("near-miss", f"{n.description}: {_one_line(n.case)}") for n in item.near_misses],
        *[("control", f"{c.description}: {_one_line(c.case)}") for c in item.controls],
        ("hunt", "yes" if item.strategy else item.unhuntable or "no strategy"),
        *[("assumes", other) for other in item.assumes],
        *[("repaired by", item.repaired_by)] * bool(item.repaired_by),
        *[("undecided", item.why)] * bool(item.why),
        *[("proof", item.proof)] * bool(item.proof),
        *[("formerly", old) for old in item.formerly],
    ]
    width = terminal().width
    for paragraph in item.statement.split("\n\n"):
        click.echo(_filled(paragraph, width) + "\n")
    for name, text in lines:
        click.echo(_filled(text or "", width, f"{name + ':':<13}", " " * 13))


def _filled(text: str, width: int, first: str = "", others: str = "") -> str:
    """A text wrapped once, for this terminal: a formula is not broken at its hyphens."""
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=others,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _one_line(case: Any) -> str:
    return " ".join(repr(case).split())
