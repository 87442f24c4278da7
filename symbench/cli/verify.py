"""symbench verify: claims, their verdicts, and what the exit code says of them."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from symbench._arguments import visible
from symbench.cli.asked import id_column, matching, module_option, of_paper, registered, terminal
from symbench.decide.limits import HEARD
from symbench.draw.progress import Progress
from symbench.errors import BadLedger

if TYPE_CHECKING:
    from symbench.registry import Verdict
    from symbench.registry.ledger import Ledger

# Of verdicts as announced: that a printed statement is refuted is no alarm.
_STYLES = {"holds": "green", "fails": "cyan", "undecided": "yellow"}


def read_sizes(_: Any, __: Any, values: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE pairs; whole numbers become ints."""
    sizes: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name or name in sizes:
            why = "names a size twice" if name in sizes else "is not of the form name=value"
            raise click.BadParameter(f"{text!r} {why}")
        try:
            sizes[name] = int(value)
        except ValueError:
            sizes[name] = value
    return sizes


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID or PATTERN]...")
@click.option("--paper", help="Every claim whose id starts with this, e.g. boix2024.")
@module_option
@click.option("--timeout", type=float, help="Seconds for one case; one that runs out is undecided.")
@click.option("--memory", type=int, help="Megabytes for a worker process.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default: the cores.")
@click.option("--size", "sizes", multiple=True, callback=read_sizes, metavar="NAME=VALUE",
              help="A size of the claims named, e.g. --size max_length=6.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.option("--ledger", type=click.Path(dir_okay=False, path_type=Path),
              help="Keep each case in this file as it comes, and go on from there.")  # fmt: skip
@click.option("--retry", type=click.Choice(["undecided"]),
              help="Run the cases again that have no answer in the ledger.")  # fmt: skip
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path),
              help="Write the cases' certificates to this folder, a bundle a claim.")  # fmt: skip
def verify(
    ids: tuple[str, ...],
    paper: str | None,
    timeout: float | None,
    memory: int | None,
    jobs: int | None,
    sizes: dict[str, Any],
    as_json: bool,
    ledger: Path | None,
    retry: str | None,
    keep: Path | None,
) -> None:
    """Verify the claims named, or all of them, on their default sizes.

    Patterns are such as 'boix2024.*'. Exit code 0: every verdict is as expected; 1: one is not;
    2: wrong usage; 3: undecided where a verdict was expected.
    """
    import os

    from symbench.decide.limits import Workers, megabytes, seconds
    from symbench.registry.ledger import Ledger

    book_of_claims = registered()
    of_one = [] if paper is None else [c.id for c in of_paper(book_of_claims, paper)]
    named = matching(ids) | dict.fromkeys(of_one, False)
    # Those that are named, in the order of their names; all others in that of the book.
    chosen = [id for id in ids if id in named]
    chosen += [id for id in named or book_of_claims if id not in chosen]
    if sizes and not ids:
        raise click.UsageError("--size belongs to claims: name them")
    limit = seconds(timeout)
    count = jobs or os.cpu_count() or 1
    book = Ledger(ledger) if ledger is not None else None
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.UsageError(f"cannot make {str(keep)!r}: {error.strerror}") from None
    workers = Workers(jobs=count, memory=megabytes(memory))
    unwritten: list[BadLedger] = []  # why, for each verdict that the ledger did not take
    try:
        verdicts = verify_all(chosen, sizes, limit, count, workers, book, retry, keep, unwritten)
    except KeyboardInterrupt:
        kept = f"; what was finished is in {ledger}" if ledger and not unwritten else ""
        click.echo(f"interrupted{kept}", err=True)
        sys.exit(130)
    finally:
        workers.stop()
    ordered = [verdicts[id] for id in chosen]
    if as_json:
        click.echo(json.dumps([v.to_json() for v in ordered], indent=1, ensure_ascii=False))
    else:
        _print_verdicts(ordered)
    if unwritten:
        click.echo(f"Error: {unwritten[0]}; verdicts not in it: {len(unwritten)}", err=True)
    sys.exit(exit_code(ordered) or (2 if unwritten else 0))


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """0: all as expected; 1: a decided one is not; 3: only undecided ones are not."""
    surprises = [v for v in verdicts if not v.as_expected]
    if not surprises:
        return 0
    return 3 if all(v.status == "undecided" for v in surprises) else 1


def verify_all(
    ids: Sequence[str],
    sizes: dict[str, Any],
    timeout: float | None,
    jobs: int,
    workers: Any,
    ledger: Ledger | None,
    retry: str | None,
    keep: Path | None,
    unwritten: list[BadLedger],
) -> dict[str, Verdict]:
    """The verdicts by id; several claims at a time, their cases in the worker processes."""
    from symbench.registry import claims
    from symbench.registry import verify as run

    verdicts: dict[str, Verdict] = {}
    for id in ids:
        known = ledger.find(id, claims[id].sizes(sizes)) if ledger is not None else None
        # With --keep a claim whose bundle is not there is run, whatever the ledger says.
        if known is not None and (keep is None or _bundle(keep, id).exists()):
            verdicts[id] = known
    todo = [id for id in ids if id not in verdicts]
    with Progress("claims", len(todo)) as progress:

        def one(id: str) -> Verdict:
            def verdict(into: Ledger | None) -> Verdict:
                cases = partial(claims[id].count_cases, **sizes)
                with progress.part(id, cases) as reached:
                    return run(
                        id,
                        timeout=timeout,
                        jobs=jobs,
                        workers=workers,
                        progress=reached,
                        keep=None if keep is None else _bundle(keep, id),
                        ledger=into,
                        retry=retry,
                        **sizes,
                    )

            if ledger is not None and not unwritten:
                try:
                    return verdict(ledger)
                except BadLedger as error:  # a full disk: the verdicts are shown all the same
                    unwritten.append(error)
            elif ledger is not None:
                unwritten.append(unwritten[0])
            return verdict(None)

        for verdict in _in_threads(one, todo, jobs):
            verdicts[verdict.claim] = verdict
            said = f"{verdict.claim}: {verdict.status}, {verdict.seconds:.2f} s"
            progress.advance(line=said)
    return verdicts


def _bundle(folder: Path, id: str) -> Path:
    return folder / f"{id}.jsonl"


def _in_threads(one: Callable[[str], Verdict], ids: Sequence[str], count: int) -> Iterator[Verdict]:
    """one(id) for each id, as they are finished.

    Daemon threads, which concurrent.futures does not have: after Ctrl-C nobody waits for them,
    though the workers that they wait for are gone.
    """
    waiting = deque(ids)
    done: SimpleQueue[Verdict | Exception] = SimpleQueue()

    def work() -> None:
        while True:
            try:
                id = waiting.popleft()
            except IndexError:
                return
            try:
                done.put(one(id))
            except Exception as error:  # raised where the verdicts are read
                done.put(error)

    for _ in range(min(count, len(ids))):
        Thread(target=work, daemon=True).start()
    for _ in ids:
        result = None
        while result is None:
            with suppress(Empty):
                result = done.get(timeout=HEARD)
        if isinstance(result, Exception):
            raise result
        yield result


def _print_verdicts(verdicts: Sequence[Verdict]) -> None:
    from collections import Counter

    from rich.table import Table
    from rich.text import Text

    # Eighty columns: ids have up to 36 letters, and are never folded.
    table = Table(
        id_column("claim"), "verdict", "scope", "cases", "cert.", "sharp", "sec", box=None,
        pad_edge=False, padding=(0, 1, 0, 0),
    )  # fmt: skip
    papers: dict[str, list[Verdict]] = {}
    for v in verdicts:
        papers.setdefault(v.claim.split(".")[0], []).append(v)
    verdicts = list(chain.from_iterable(papers.values()))
    for v in verdicts:
        paper = v.claim.split(".")[0]
        if v is papers[paper][0]:
            table.add_row(Text(paper, style="bold"))
        surprise = f" (expected {v.expected})" if v.status != v.expected else " (broken)"
        status = v.status if v.as_expected else v.status + surprise
        table.add_row(
            v.claim,
            Text(status, style=_STYLES[v.status] if v.as_expected else "bold red"),
            v.scope,
            f"{v.cases:,}",
            f"{v.certified:,}",
            f"{v.sharp}/{len(v.near_misses)}",
            f"{v.seconds:.1f}",
        )
    console = terminal()
    console.print(table)
    for v in verdicts:
        if not v.as_expected:
            console.print(Text("\n".join(map(visible, v.explain().splitlines()))))
    counts = Counter[str](v.status for v in verdicts if v.as_expected)
    texts = {
        "holds": "hold",
        "fails": "fail (refuted as printed)",
        "undecided": "undecided",
    }
    sorts = [f"{counts[sort]} {text}" for sort, text in texts.items() if counts[sort]]
    console.print(f"{counts.total()} of {len(verdicts)} verdicts as expected: {', '.join(sorts)}")
    cases, certified = sum(v.cases for v in verdicts), sum(v.certified for v in verdicts)
    console.print(
        f"cert.: {certified:,} of {cases:,} cases have a certificate that stands alone (--keep)\n"
        "sharp: near-misses, a hypothesis left out, that fail as they must"
    )
