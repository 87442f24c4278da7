"""Plant errors in a copy of symbench, one at a time, and print which claims notice each."""

from __future__ import annotations

import argparse
import hashlib
import json
import queue
import re
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import attrs

from tests.mutations.changes import ROOMS, ROOT, Change, listed
from tests.mutations.random_changes import drawn
from tests.mutations.running import Baseline, Copy, Ledger, Outcome, Stopped, digest


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutations",
        description=__doc__,
        epilog="A claim notices when its verdict is not as expected. 'crash' says that it broke "
        "down instead of finding a wrong result, 'time' that it ran out of time. Interrupt with "
        "Ctrl-C: what is known is printed, and the same command goes on from there.",
    )
    add = parser.add_argument
    add("--only", metavar="PATTERN", default="",
        help="changes whose file, text or reason matches the regular expression")  # fmt: skip
    add("--claims", metavar="PATTERN", default="", help="claims whose id matches")
    add("--first", action="store_true", help="stop at the first claim that notices")
    add("--random", metavar="N", type=int, help="N changes drawn from the source, not the list")
    add("--seed", metavar="S", type=int, default=0, help="for --random (default 0)")
    add("--tests", action="store_true",
        help="for changes that no claim notices run the tests of the room touched")  # fmt: skip
    add("--survivors", action="store_true",
        help="only changes that no claim noticed when they were last tried, whatever the source "
        "was; for the others the old result counts")  # fmt: skip
    add("--show", action="store_true", help="run nothing: print the last results")
    add("--jobs", metavar="N", type=int, default=1, help="changes tried at once (default 1)")
    add("--folder", type=Path, default=ROOT / "build" / "mutations",
        help="where results are kept, as JSON lines (default build/mutations)")  # fmt: skip
    add("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown too")
    return parser.parse_args(words)


def chosen_changes(options: argparse.Namespace) -> list[Change]:
    changes = listed() if options.random is None else drawn(options.random, options.seed)
    pattern = re.compile(options.only)
    return [c for c in changes if pattern.search(f"{c.key} {c.why}")]


def baseline_of(folder: Path, edition: str, claims: str, copy: Copy) -> Baseline:
    """The claims without any change: measured once for each state of the source."""
    which = hashlib.sha256(claims.encode()).hexdigest()[:8] if claims else "all"
    path = folder / f"baseline-{edition}-{which}.json"
    if not path.exists():
        print("The claims run once without any change, to see what they call ...", file=sys.stderr)
        found = copy.measure(claims)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {
            "seconds": found.seconds,
            "reached": {k: sorted(v) for k, v in found.reached.items()},
        }
        path.write_text(json.dumps(data), encoding="utf-8")
    data = json.loads(path.read_text(encoding="utf-8"))
    return Baseline(data["seconds"], {k: set(v) for k, v in data["reached"].items()})


class Run:
    """Changes tried one after another in as many copies as there are jobs."""

    def __init__(self, options: argparse.Namespace, ledger: Ledger) -> None:
        self.options, self.ledger = options, ledger
        self._free: queue.Queue[Copy] = queue.Queue()
        self._copies: list[Copy] = []
        self.edition = ""
        self._start, self._done, self._total = time.monotonic(), 0, 0

    def __call__(self, changes: list[Change]) -> None:
        self.edition = digest()
        waiting = [change for change in changes if not self._known(change)]
        self._total = len(waiting)
        if not waiting:
            return
        try:
            for _ in range(self.options.jobs):
                self._copies.append(Copy())
                self._free.put(self._copies[-1])
            self._baseline = baseline_of(
                self.options.folder, self.edition, self.options.claims, self._copies[0]
            )
            self._start = time.monotonic()
            with ThreadPoolExecutor(self.options.jobs) as pool:
                self._wait([pool.submit(self._one, change) for change in waiting])
        finally:
            for copy in self._copies:
                copy.close()

    def _wait(self, futures: list[Future[None]]) -> None:
        try:
            running = set(futures)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            for copy in self._copies:
                copy.stop()
            raise

    def _known(self, change: Change) -> bool:
        edition = None if self.options.survivors else self.edition
        found = self.ledger.latest(change, self.options.claims, edition)
        if found is None:
            return False
        if self.options.survivors and not found.claims:
            found = self.ledger.latest(change, self.options.claims, self.edition)
        return found is not None and (
            bool(found.claims) or not self.options.tests or found.test is not None
        )

    def _one(self, change: Change) -> None:
        copy = self._free.get()
        try:
            outcome = self._outcome(copy, change)
        except Stopped:
            return
        finally:
            self._free.put(copy)
        self.ledger.add(outcome, self.edition, self.options.claims, self.options.first)
        self._done += 1
        spent = time.monotonic() - self._start
        left = spent / self._done * (self._total - self._done)
        seen = ", ".join(f"{id}{mark(how)}" for id, how in outcome.claims.items())
        text = seen or (f"test {outcome.test}" if outcome.test else "NOBODY")
        clock = f"{left // 60:.0f}:{left % 60:02.0f} left"
        line = f"[{self._done}/{self._total}, {clock}] {change.file}: {change.why}: {text}"
        print(line, file=sys.stderr, flush=True)

    def _outcome(self, copy: Copy, change: Change) -> Outcome:
        found = self.ledger.latest(change, self.options.claims, self.edition)
        if found is None:
            ids = self._baseline.reaching(change, copy.text(change.file))
            ids = [id for id in ids if re.search(self.options.claims, id)]
            if self.options.first:
                file, room = self.ledger.hits(change)
                seconds = self._baseline.seconds
                ids.sort(key=lambda id: (-file[id], -room[id], seconds[id]))
            found = copy.try_claims(change, ids, self._baseline, first=self.options.first)
        if self.options.tests and not found.claims:
            found = attrs.evolve(found, test=copy.try_tests(change))
        return found


def mark(how: str) -> str:
    return "" if how == "verdict" else f" ({how})"


def table(outcomes: Iterable[Outcome]) -> list[list[str]]:
    """One row for each change: its place, what is wrong, and who notices."""
    rows = []
    for outcome in outcomes:
        seen = [f"{id}{mark(how)}" for id, how in outcome.claims.items()]
        if not seen:
            seen = [f"test {outcome.test}" if outcome.test else "nobody"]
        rows.append([outcome.change.file, outcome.change.why, ", ".join(seen)])
    return rows


def totals(outcomes: list[Outcome]) -> list[list[str]]:
    """For each room: changes, noticed by claims (with crashes), by tests, by nobody."""
    rows = []
    for room in [*ROOMS, "all"]:
        here = [o for o in outcomes if room in (o.change.room, "all")]
        by = [o.noticed_by for o in here]
        crashes = sum(o.crash for o in here)

        def share(who: str, by: list[str] = by) -> str:
            number = by.count(who)
            return f"{number} ({100 * number / len(by):.0f}%)" if by else "0"

        rows.append(
            [room, str(len(here)), share("claims"), str(crashes), share("tests"), share("nobody")]
        )
    return rows


CHANGES = ["file", "error", "noticed by"]
TOTALS = ["room", "errors", "noticed by claims", "of these by a crash", "by tests", "by nobody"]


def markdown(outcomes: list[Outcome]) -> str:
    """The tables as Markdown, with what is known of the changes that no claim notices."""

    def lines(head: list[str], rows: list[list[str]]) -> list[str]:
        return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]

    text = ["# Errors planted, and who notices", "", *lines(TOTALS, totals(outcomes)), ""]
    text += ["## Noticed by no claim", ""]
    for room in ROOMS:
        here = [o for o in outcomes if o.change.room == room and not o.claims]
        text += [f"### {room}", ""] if here else []
        for outcome in here:
            change = outcome.change
            calls = ", ".join(outcome.reached[:12]) + ", ..." * (len(outcome.reached) > 12)
            text += [f"* `{change.file}`: {change.why}"]
            text += [f"  - was: `{' '.join(change.old.split())}`"]
            text += [f"  - now: `{' '.join(change.new.split()) or '(nothing)'}`"]
            text += [f"  - claims that call the function: {calls or 'none'}"]
            if outcome.test is not None:
                text += [f"  - test that notices: {outcome.test or 'none'}"]
        text += [""] if here else []
    text += ["## All", "", *lines(CHANGES, table(outcomes)), ""]
    return "\n".join(text)


def show(head: list[str], rows: list[list[str]]) -> None:
    """Print a table as text, its columns as wide as they need to be."""
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    for row in (head, ["-" * n for n in widths], *rows):
        print("  ".join(x.ljust(n) for x, n in zip(row, widths, strict=True)).rstrip())


def main(words: list[str] | None = None, say: Callable[[str], None] = print) -> list[Outcome]:
    """Run the command; the outcomes that are known at its end."""
    options = arguments(words)
    changes = chosen_changes(options)
    ledger = Ledger(options.folder / "results.jsonl")
    interrupted = False
    if not options.show:
        try:
            Run(options, ledger)(changes)
        except KeyboardInterrupt:
            interrupted = True
    edition = None if options.survivors or options.show else digest()
    known = [ledger.latest(change, options.claims, edition) for change in changes]
    outcomes = [outcome for outcome in known if outcome is not None]
    show(CHANGES, table(outcomes))
    say("")
    show(TOTALS, totals(outcomes))
    left = len(changes) - len(outcomes)
    if left:
        say(f"\n{left} of {len(changes)} changes were not tried" + " yet" * interrupted)
    if options.markdown is not None:
        options.markdown.write_text(markdown(outcomes), encoding="utf-8")
    return outcomes


if __name__ == "__main__":
    main()
