"""symbench hunt: Hypothesis looks for counterexamples."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symbench.cli.asked import id_column, matching, module_option, registered, terminal, writable
from symbench.draw.progress import Progress

if TYPE_CHECKING:
    from symbench.registry import Hunt


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID or PATTERN]...")
@click.option("--all", "every", is_flag=True, help="Every claim that can be hunted.")
@module_option
@click.option("--profile", type=click.Choice(["quick", "deep"]),
              help="About a second a claim, or minutes; quick for several claims.")  # fmt: skip
@click.option("--max-examples", type=click.IntRange(min=1),
              help="How many cases may be tried; default: 1000, or by the profile.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same run.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default: the cores.")
@click.option("--database", type=click.Path(file_okay=False, path_type=Path),
              help="The folder of found counterexamples; default: in your cache.")  # fmt: skip
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), callback=writable,
              help="Write the counterexample of one claim here as a certificate, too.")  # fmt: skip
def hunt(
    ids: tuple[str, ...],
    every: bool,
    profile: str | None,
    max_examples: int | None,
    seed: int,
    jobs: int | None,
    database: Path | None,
    save: Path | None,
) -> None:
    """Look for counterexamples past the exhausted range, and shrink them.

    Patterns are such as 'boix2024.*'. Counterexamples that were found before are looked at first.
    Exit code 0: found for the statements that fail, and for no other; 1: found for one that should
    hold; 3: not found where one was expected, or no answer.
    """
    import os

    from symbench.registry import claims, hunt_all
    from symbench.registry.hunting import left_behind
    from symbench.registry.kept import Kept, cache_folder

    registered()
    chosen, skipped = _hunted(ids, every)
    if save is not None and len(chosen) != 1:
        raise click.UsageError("--save is for the counterexample of one claim: name it")
    if profile is None and max_examples is None and (every or len(chosen) > 1):
        profile = "quick"
    kept = Kept(database or cache_folder() / "counterexamples")
    found: dict[str, Hunt] = {}
    stopped = False
    with Progress("hunting", len(chosen)) as progress:
        try:
            for one in hunt_all(
                chosen,
                max_examples=max_examples,
                seed=seed,
                profile=profile,
                database=kept.folder,
                jobs=min(jobs or os.cpu_count() or 1, max(len(chosen), 1)),
            ):
                found[one.claim] = one
                progress.advance(line=f"{one.claim}: {one.status}, {one.seconds:.2f} s")
        except KeyboardInterrupt:
            stopped = True
    if stopped:  # what the workers had found and were shrinking
        rest = [left_behind(claims[id], kept, "interrupted") for id in chosen if id not in found]
        found.update({one.claim: one for one in rest if one.counterexample is not None})
    ordered = [found[id] for id in chosen if id in found]
    _print_hunts(ordered, skipped, seed)
    if stopped:
        click.echo(
            f"interrupted: {len(chosen) - len(found)} of {len(chosen)} claims are left; "
            f"what was found is in {kept.folder}",
            err=True,
        )
        sys.exit(130)
    if save is not None and ordered[0].counterexample is not None:
        try:
            ordered[0].counterexample.save(save)
        except OSError as error:
            raise click.UsageError(f"cannot write {str(save)!r}: {error.strerror}") from None
        click.echo(f"saved to {save}: re-check with `symbench check {save}`")
    surprises = [one for one in ordered if not one.as_expected]
    sys.exit(1 if any(one.status == "found" for one in surprises) else 3 if surprises else 0)


def _hunted(ids: Sequence[str], every: bool) -> tuple[list[str], dict[str, str]]:
    """The claims that are hunted, and those that cannot be with the reason."""
    from symbench.registry import claims

    if bool(ids) == every:
        raise click.UsageError("name claims or patterns such as 'boix2024.*', or give --all")
    named = dict.fromkeys(claims, False) if every else matching(ids)
    skipped = {}
    for id, asked in named.items():
        item = claims[id]
        if item.strategy is None:
            skipped[id] = item.unhuntable or item.why or "it has no strategy: declare strategy=..."
            if asked:
                raise click.UsageError(f"{id} cannot be hunted: {skipped[id]}")
    return [id for id in claims if id in named and id not in skipped], skipped


def _print_hunts(hunts: Sequence[Hunt], skipped: Mapping[str, str], seed: int) -> None:
    from rich.table import Table
    from rich.text import Text

    console = terminal()
    if len(hunts) > 1:
        table = Table(id_column("claim"), "expected", "hunt", "cases", "seconds")
        for one in hunts:
            status = one.status + (" (stored)" if one.replayed else "")
            style = "green" if one.as_expected else "bold red"
            row = (Text(status, style=style), f"{one.cases:,}", f"{one.seconds:.2f}")
            table.add_row(one.claim, one.expected, *row)
        console.print(table)
    for reason in dict.fromkeys(skipped.values()):
        named = [id for id, other in skipped.items() if other == reason]
        console.print(Text(f"not hunted ({reason}): {', '.join(named)}"))
    for one in hunts:
        if one.counterexample is not None:
            click.echo(one.explain())
            if one.counterexample.note:
                click.echo(f"  {one.counterexample.note}")
            if one.path is not None:
                click.echo(f"  stored: re-check with `symbench check {one.path}`")
        elif one.status == "undecided":
            click.echo(one.explain(), err=True)
        elif not one.as_expected or len(hunts) == 1:
            click.echo(f"{one.explain()} (seed {seed})")
    if len(hunts) > 1:
        expected = sum(one.as_expected for one in hunts)
        console.print(f"{expected} of {len(hunts)} hunts as expected, {len(skipped)} not hunted")
