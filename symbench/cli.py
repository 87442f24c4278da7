"""The command: list, show, verify, hunt, check, learnable, export.

Exit codes: 0, every verdict as expected; 1, one is not; 2, usage, or a ledger that could not be
written; 3, undecided where a verdict was expected; 130, interrupted.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

import symbench
from symbench.errors import BadCertificate, BadValue, CannotCheck, SymbenchError, UnknownName

if TYPE_CHECKING:
    from rich.console import Console

    from symbench.registry import Claim, Hunt, Verdict
    from symbench.registry.ledger import Ledger

# Of verdicts as announced: that a printed statement is refuted is no alarm.
_STYLES = {"holds": "green", "fails": "cyan", "undecided": "yellow"}


class _Group(click.Group):
    """A group whose commands report symbench's own errors as usage, without a traceback."""

    def main(self, *args: Any, **extra: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a Greek letter on a terminal that has none
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SymbenchError as error:
            raise click.UsageError(str(error)) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(symbench.__version__, prog_name="symbench")
def main() -> None:
    """Verify claims about transformers, symmetry and abstract symbols in exact arithmetic.

    \b
    symbench verify                      every claim, on its default sizes
    symbench show boix2024.lemma-E.1     what a claim says and how it is checked
    symbench check certificate.json      re-check a saved certificate
    symbench learnable same_different    is a task learnable on unseen symbols?
    """  # noqa: D301


def _console() -> Console:
    from rich.console import Console

    # Off a terminal (a pipe, a log) rich would fold ids at 80 columns. A source may have brackets.
    return Console(markup=False, width=None if sys.stdout.isatty() else 120)


def _id_column(name: str) -> Any:
    """A column whose texts are copied into other commands: never folded."""
    from rich.table import Column

    return Column(name, no_wrap=True)


def _registered() -> Mapping[str, Claim]:
    """The book of claims, which is not empty: nothing to do is not the same as all is well."""
    from symbench.registry import claims

    if not claims:
        raise click.UsageError("no claims are registered: install symbench, with pip or the like")
    return claims


@main.command("list")
@click.argument("what", type=click.Choice(["claims", "statements", "tasks"]), default="claims")
@click.option("--paper", help="Only ids that start with this, e.g. boix2024.")
def list_things(what: str, paper: str | None) -> None:
    """List the registered claims, the statements of the papers, or the catalogue of tasks.

    Claims come paper by paper, each with the verdict that it announces, what the verdict covers
    and how near the statement is to the printed words, and with totals of these. The statements
    are the source list: what the papers say, and which claims answer to it.
    """
    from rich.table import Table

    if what == "tasks":
        from symbench.words import tasks

        table = Table(_id_column("task"), "templates", "length", "labels", "question", "source")
        for e in tasks.catalogue.values():
            table.add_row(e.name, str(e.templates), str(e.length), e.labels, e.statement, e.source)
        _console().print(table)
    elif what == "statements":
        from symbench.papers.source_list import statements

        table = Table(_id_column("statement"), "kind", "what it says", "claims")
        for s in _of_paper({s.id: s for s in statements()}, paper):
            table.add_row(s.id, s.kind, s.text, ", ".join(s.claims) or f"later: {s.later}")
        _console().print(table)
        _console().print("H holds; R refuted as printed; D a definition; N cannot be decided here")
    else:
        chosen = _of_paper(_registered(), paper)
        for name in dict.fromkeys(item.paper for item in chosen):
            _list_paper(name, [item for item in chosen if item.paper == name])


def _of_paper(entries: Mapping[str, Any], paper: str | None) -> list[Any]:
    """The entries of a paper, or all of them."""
    chosen = [e for id, e in entries.items() if paper is None or id.split(".")[0] == paper]
    if not chosen:
        papers = sorted({id.split(".")[0] for id in entries})
        raise click.UsageError(f"nothing of {paper!r}: there are {', '.join(papers)}")
    return chosen


def _list_paper(paper: str, chosen: Sequence[Claim]) -> None:
    """A table of the claims of one paper, and how many there are of each sort."""
    from collections import Counter

    from rich.table import Table

    table = Table(_id_column("claim"), "category", "expected", "scope", "wording", "source")
    for item in chosen:
        table.add_row(
            item.id,
            item.category,
            item.expected,
            item.scope,
            item.wording or "",
            item.source,
        )
    console = _console()
    console.print(table)
    for name in ("expected", "scope", "wording"):
        counts = Counter(getattr(item, name) for item in chosen)
        sorts = ", ".join(f"{n} {sort}" for sort, n in counts.most_common() if sort)
        if sorts:
            console.print(f"{paper}, {name}: {sorts}")


@main.command()
@click.argument("id")
def show(id: str) -> None:
    """Show what a claim says, where it is from and how it is checked."""
    from symbench.registry import claims

    item = claims[id]
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
    click.echo(item.statement + "\n")
    for name, text in lines:
        click.echo(f"{name + ':':<13}{text}")


def _one_line(case: Any) -> str:
    return " ".join(repr(case).split())


def _sizes(_: Any, __: Any, values: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE pairs; whole numbers become ints."""
    sizes: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not of the form name=value")
        try:
            sizes[name] = int(value)
        except ValueError:
            sizes[name] = value
    return sizes


def _load(_: Any, __: Any, paths: Sequence[Path]) -> None:
    """Run files of one's own, which declare claims."""
    import runpy

    for path in paths:
        try:
            runpy.run_path(str(path))
        except Exception as error:
            raise click.BadParameter(f"{path} does not run: {error!r}") from error


_MODULE = click.option("--module", multiple=True, callback=_load, expose_value=False, is_eager=True,
                       type=click.Path(exists=True, dir_okay=False, path_type=Path),
                       help="A Python file that declares claims of your own.")  # fmt: skip


def _matching(texts: Iterable[str]) -> dict[str, bool]:
    """The ids that are meant by ids and patterns, and whether each was named itself."""
    from fnmatch import fnmatchcase

    from symbench.registry import claims

    named: dict[str, bool] = {}
    for text in texts:
        if any(letter in text for letter in "*?["):
            matching = [id for id in claims if fnmatchcase(id, text)]
            if not matching:
                raise click.UsageError(f"no claim matches {text!r}: `symbench list` shows all")
            named = {**dict.fromkeys(matching, False), **named}
        elif named.get(text):
            raise click.UsageError(f"{text} is named twice")
        elif text in claims:
            named[text] = True
        else:
            try:
                claims[text]
            except UnknownName as error:
                more = "claims of your own are loaded by --module FILE.py"
                raise click.UsageError(f"{error}; {more}") from None
    return named


@main.command()
@click.argument("ids", nargs=-1, metavar="[ID or PATTERN]...")
@click.option("--paper", help="Every claim whose id starts with this, e.g. boix2024.")
@_MODULE
@click.option("--timeout", type=float, help="Seconds for one case; one that runs out is undecided.")
@click.option("--memory", type=int, help="Megabytes for a worker process.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default: the cores.")
@click.option("--size", "sizes", multiple=True, callback=_sizes, metavar="NAME=VALUE",
              help="A size of the claims named, e.g. --size max_length=6.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.option("--ledger", type=click.Path(dir_okay=False, path_type=Path),
              help="Append each verdict to this file; skip what is as expected in it.")  # fmt: skip
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
    keep: Path | None,
) -> None:
    """Verify the claims named, or all of them, on their default sizes.

    Patterns are such as 'boix2024.*'. Exit code 0: every verdict is as expected; 1: one is not;
    2: wrong usage; 3: undecided where a verdict was expected.
    """
    import os

    from symbench.decide.limits import Workers, megabytes, seconds
    from symbench.registry.ledger import Ledger

    book_of_claims = _registered()
    of_paper = [] if paper is None else [c.id for c in _of_paper(book_of_claims, paper)]
    named = _matching(ids) | dict.fromkeys(of_paper, False)
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
    unwritten: list[BadValue] = []  # why, for each verdict that the ledger did not take
    try:
        verdicts = _verify_all(chosen, sizes, limit, count, workers, book, keep, unwritten)
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


def _verify_all(
    ids: Sequence[str],
    sizes: dict[str, Any],
    timeout: float | None,
    jobs: int,
    workers: Any,
    ledger: Ledger | None,
    keep: Path | None,
    unwritten: list[BadValue],
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
    with _Progress(todo) as progress:

        def one(id: str) -> Verdict:
            counter = progress.counter(id)
            return run(
                id,
                timeout=timeout,
                jobs=jobs,
                workers=workers,
                progress=counter,
                keep=None if keep is None else _bundle(keep, id),
                **sizes,
            )

        for verdict in _in_threads(one, todo, jobs):
            verdicts[verdict.claim] = verdict
            if ledger is not None:
                try:
                    ledger.add(verdict)
                except BadValue as error:  # a full disk: the verdicts are shown all the same
                    unwritten.append(error)
            progress.finished(verdict)
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
        result = done.get()
        if isinstance(result, Exception):
            raise result
        yield result


class _Progress:
    """A bar on a terminal, a line a claim elsewhere; always on standard error."""

    def __init__(self, ids: Sequence[str], *, verb: str = "claims") -> None:
        self._total, self._verb = len(ids), verb
        self._done = 0
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> _Progress:
        if sys.stderr.isatty() and self._total:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("time left"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[detail]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._main = self._bar.add_task(self._verb, total=self._total, detail="")
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def counter(self, id: str) -> Callable[[int], None] | None:
        """What a running claim calls with the number of cases done."""
        if self._bar is None:
            return None
        return lambda n: self._bar.update(self._main, detail=f"{id}: {n:,} cases")

    def finished(self, result: Verdict | Hunt) -> None:
        """A claim is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._main, completed=self._done)
        else:
            head = f"[{self._done}/{self._total}] {result.claim}"
            click.echo(f"{head}: {result.status}, {result.seconds:.2f} s", err=True)


def _print_verdicts(verdicts: Sequence[Verdict]) -> None:
    from collections import Counter

    from rich.table import Table
    from rich.text import Text

    # Eighty columns: ids have up to 36 letters, and are never folded.
    table = Table(
        _id_column("claim"), "verdict", "scope", "cases", "cert.", "sharp", "sec", box=None,
        pad_edge=False, padding=(0, 1, 0, 0),
    )  # fmt: skip
    paper = None
    for v in verdicts:
        if (here := v.claim.split(".")[0]) != paper:
            table.add_row(Text(here, style="bold"))
            paper = here
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
    console = _console()
    console.print(table)
    for v in verdicts:
        if not v.as_expected:
            console.print(Text(v.explain()))
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


@main.command()
@click.argument("ids", nargs=-1, metavar="[ID or PATTERN]...")
@click.option("--all", "every", is_flag=True, help="Every claim that can be hunted.")
@_MODULE
@click.option("--profile", type=click.Choice(["quick", "deep"]),
              help="About a second a claim, or minutes; quick for several claims.")  # fmt: skip
@click.option("--max-examples", type=click.IntRange(min=1),
              help="How many cases may be tried; default: 1000, or by the profile.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same run.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default: the cores.")
@click.option("--database", type=click.Path(file_okay=False, path_type=Path),
              help="The folder of found counterexamples; default: in your cache.")  # fmt: skip
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path),
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

    _registered()
    chosen, skipped = _hunted(ids, every)
    if save is not None and len(chosen) != 1:
        raise click.UsageError("--save is for the counterexample of one claim: name it")
    if profile is None and max_examples is None and (every or len(chosen) > 1):
        profile = "quick"
    kept = Kept(database or cache_folder() / "counterexamples")
    found: dict[str, Hunt] = {}
    stopped = False
    with _Progress(chosen, verb="hunting") as progress:
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
                progress.finished(one)
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
    named = dict.fromkeys(claims, False) if every else _matching(ids)
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

    console = _console()
    if len(hunts) > 1:
        table = Table(_id_column("claim"), "expected", "hunt", "cases", "seconds")
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


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Re-check saved certificates and bundles.

    A line a file says one of: checked (without any search, and on which theorem it rests), re-run
    (a claim was run on its cases again), not checked (a bundle whose cases have no certificates),
    BAD, or cannot be checked here (a claim of somebody else's). Exit code 0: all good; 1: one is
    bad; 3: none is bad, but one was not or cannot be checked.
    """
    from symbench.recheck import recheck

    outcomes = set()
    for path in files:
        try:
            found = recheck(path)
            outcomes.add(3 if found.status == "not checked" else 0)
            click.echo(f"{path}: {found}")
        except CannotCheck as error:
            outcomes.add(3)
            click.echo(str(error))
        except BadCertificate as error:
            outcomes.add(1)
            click.echo(f"{path}: BAD: {str(error).removeprefix(f'{path}: ')}")
    sys.exit(1 if 1 in outcomes else max(outcomes))


@main.command()
@click.argument("task", nargs=-1, required=True, metavar="TASK...")
@click.option("--kernel", default="attention", show_default=True,
              help="A kernel, e.g. inner_product or 'attention(beta=1, gamma=1)'.")  # fmt: skip
@click.option("--wildcards", help="The letters that are wildcards, instead of the Greek ones.")
@click.option("--no-cls", is_flag=True, help="Do not append the token CLS to the templates.")
@click.option("--timeout", type=float, help="Seconds; an answer that takes longer is undecided.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path),
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
    answer = ask(_read_task(task, wildcards), chosen, cls=not no_cls, timeout=timeout)
    click.echo(answer.explain())
    if save is not None:
        if answer.certificate is None:
            raise click.UsageError("the answer is undecided: there is no certificate to save")
        answer.certificate.save(save)
    sys.exit({"learnable": 0, "not learnable": 1, "undecided": 3}[answer.status])


def _read_task(texts: Sequence[str], wildcards: str | None) -> Any:
    """A task of the catalogue, or one of templates as they are written."""
    from symbench.words import Task, Template, tasks

    if len(texts) == 1 and wildcards is None and texts[0].isascii() and texts[0].isidentifier():
        return tasks.catalogue[texts[0]].task()
    # The last sign of equality is the one before the label: templates may have others.
    pairs = [text.rpartition("=") if "=" in text else (text, "", "") for text in texts]
    templates = [Template(template, wildcards=wildcards) for template, _, _ in pairs]
    labels = [label for _, equals, label in pairs if equals]
    if labels and len(labels) < len(pairs):
        bare = next(text for text in texts if "=" not in text)
        raise click.UsageError(
            f"{bare!r} has no label: give all templates one, as in αα=1, or none"
        )
    return Task(templates, labels=list(map(_label, labels)) or None, allow_overlap=True)


def _label(text: str) -> Any:
    """A number, or else a letter."""
    from symbench.exact import Rational

    try:
        return Rational(text)
    except SymbenchError:
        return text


@main.command()
@click.argument("program", type=click.Choice(["coq", "ocaml"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              help="Write here instead of standard output.")  # fmt: skip
def export(program: str, file: Path, output: Path | None) -> None:
    """Write a certificate as an instance for the checker that is proved right in Coq.

    coq: a file that coqc accepts if and only if the certificate is right; see proofs/coq.
    ocaml: the input of the program extracted from there, for matrices of hundreds of rows.
    """
    from symbench import export as instances

    text = instances.coq(file) if program == "coq" else instances.ocaml(file)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {str(output)!r}: {error.strerror}") from None


if __name__ == "__main__":
    main()
