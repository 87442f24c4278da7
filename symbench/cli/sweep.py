"""symbench sweep: all cases of a claim at many sizes, on one machine or many."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symbench.cli.asked import module_option, named
from symbench.draw.progress import Progress

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from symbench.sweeps import Sweep


def read_grid(_: Any, __: Any, values: Sequence[str]) -> dict[str, Iterable[int | str]]:
    """NAME=3..7 or NAME=1,2,5 or NAME=text,text for each name."""
    grid: dict[str, Iterable[int | str]] = {}
    for text in values:
        name, equals, listed = text.partition("=")
        if not equals or not name or name in grid:
            why = "names a parameter twice" if name in grid else "is not of the form name=3..7"
            raise click.BadParameter(f"{text!r} {why}")
        low, dots, high = listed.partition("..")
        try:
            if dots:
                grid[name] = range(int(low), int(high) + 1)
                continue
        except ValueError:
            raise click.BadParameter(f"{text!r} has no range: give two integers") from None
        grid[name] = [_value(part) for part in listed.split(",") if part]
    return grid


def _value(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


@click.command()
@click.argument("id")
@click.option("--grid", multiple=True, required=True, callback=read_grid, metavar="NAME=3..7",
              help="The values of a parameter, or NAME=1,2,5; others keep theirs.")  # fmt: skip
@module_option
@click.option("--ledger", type=click.Path(dir_okay=False, path_type=Path),
              help="Keep each case in this file as it comes, and go on from there.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default: the cores.")
@click.option("--cluster", type=click.IntRange(min=1), metavar="N",
              help="Use N dask workers of this machine.")  # fmt: skip
@click.option("--scheduler", metavar="URL", help="Use the workers of this dask scheduler.")
@click.option("--timeout", type=float, help="Seconds for one case; one that runs out is undecided.")
@click.option("--memory", type=int, help="Megabytes for a process that looks at cases.")
@click.option("--retry", type=click.Choice(["undecided"]),
              help="Look again at the cases that have no answer in the ledger.")  # fmt: skip
@click.option("--most", type=click.IntRange(min=1), default=1_000_000, show_default=True,
              help="Refuse to begin with more cases than this.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print counts and verdicts as JSON.")
def sweep(
    id: str,
    grid: dict[str, Iterable[int | str]],
    ledger: Path | None,
    jobs: int | None,
    cluster: int | None,
    scheduler: str | None,
    timeout: float | None,
    memory: int | None,
    retry: str | None,
    most: int,
    as_json: bool,
) -> None:
    """Look at every case of a claim at every point of a grid, and go on where it was stopped.

    \b
    symbench sweep lavie2024.dimension --grid max_length=3..12 --ledger sweep.db
    symbench export csv sweep.db -o table.csv

    Exit code 0: every verdict is as expected; 1: one is not; 2: wrong usage, or a ledger or cluster
    that cannot be used; 3: undecided where a verdict was expected; 130: interrupted.
    """  # noqa: D301
    from symbench import sweeps
    from symbench.cli.verify import exit_code

    if sum(given is not None for given in (jobs, cluster, scheduler)) > 1:
        raise click.UsageError("give one of --jobs, --cluster and --scheduler")
    sweeps.read_grid(named(id), grid, most)  # before a cluster is started
    try:
        with _executor(cluster, scheduler) as executor, Progress(id, every=10.0) as progress:
            found = sweeps.sweep(
                id,
                grid,
                executor=executor,
                ledger=ledger,
                retry=retry,
                timeout=timeout,
                memory=memory,
                most=most,
                progress=progress.reached,
                jobs=jobs,
            )
    except KeyboardInterrupt:
        click.echo(f"interrupted{f'; what was finished is in {ledger}' * bool(ledger)}", err=True)
        sys.exit(130)
    if as_json:
        click.echo(json.dumps(_plain(found), indent=1, ensure_ascii=False))
    else:
        click.echo(found)
        for verdict in found.verdicts:
            if not verdict.as_expected:
                click.echo(verdict.explain())
        click.echo(f"{found.computed:,} cases looked at now in {found.seconds:.1f} s")
    sys.exit(exit_code(found.verdicts))


@contextmanager
def _executor(cluster: int | None, scheduler: str | None) -> Iterator[Executor | None]:
    from symbench import sweeps

    if cluster is not None:
        with sweeps.cluster(cluster) as executor:
            yield executor
    elif scheduler is not None:
        with sweeps.scheduler(scheduler) as executor:
            yield executor
    else:
        yield None


def _plain(found: Sweep) -> dict[str, Any]:
    import attrs

    return {
        "claim": found.claim,
        "computed": found.computed,
        "seconds": round(found.seconds, 3),
        "points": [attrs.asdict(count) for count in found.counts],
        "verdicts": [verdict.to_json() for verdict in found.verdicts],
    }
