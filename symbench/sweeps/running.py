"""sweep(): every case of a claim at every point of a grid, into a ledger, on any executor."""

from __future__ import annotations

import json
import random
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import ExitStack, suppress
from functools import partial
from itertools import product, repeat
from math import prod
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import function, instance, integer, mapping, shown
from symbench.decide.limits import HEARD, megabytes, processes, seconds
from symbench.draw.progress import Progress
from symbench.draw.views import Shown, columns_text, sheet
from symbench.errors import BadExecutor, BadValue, NotSupported, SymbenchError, TooLarge
from symbench.registry.book import claims
from symbench.registry.ledger import Count, Examined, Ledger, Point
from symbench.registry.running import conclude, read_retry, specials_of
from symbench.registry.statement import Claim
from symbench.registry.verdict import Verdict, versions
from symbench.sweeps.batches import OwnPool, Pace, answer
from symbench.sweeps.children import Answer, Item
from symbench.sweeps.origins import origin

_MOST = 1_000_000  # cases, unless more are allowed
_TRIES = 2  # how often a batch is sent, if it comes back without answers
_AHEAD = 2  # batches that are on their way for each that is at work
_COLUMNS = ("cases", "holds", "fails", "error", "unfinished", "pending")


@attrs.frozen(kw_only=True, repr=False)
class Sweep(Shown):
    """What came of a sweep: a verdict and the counts for each point of the grid.

    `computed` says how many cases were looked at now; the others were in the ledger.

    >>> found = sb.sweep("lavie2024.dimension", {"max_length": range(1, 4)})
    >>> print(found)
    lavie2024.dimension
    max_length  cases  holds  fails  error  unfinished  pending  verdict
             1      2      2      0      0           0        0  holds
             2      3      3      0      0           0        0  holds
             3      5      5      0      0           0        0  holds
    >>> found.as_expected, found.computed
    (True, 5)
    """

    claim: str
    verdicts: tuple[Verdict, ...]
    counts: tuple[Count, ...]
    computed: int
    seconds: float = attrs.field(eq=False)

    @property
    def as_expected(self) -> bool:
        """Whether every verdict is the one that the claim announces."""
        return all(verdict.as_expected for verdict in self.verdicts)

    def __repr__(self) -> str:
        cases = sum(verdict.cases for verdict in self.verdicts)
        return f"<sweep of {self.claim}: {cases:,} cases at {len(self.verdicts):,} points>"

    def __str__(self) -> str:
        names = list(self.verdicts[0].parameters)
        rows = [[*names, *_COLUMNS, "verdict"]]
        for verdict, count in zip(self.verdicts, self.counts, strict=True):
            numbers = [getattr(count, name) for name in _COLUMNS[1:]]
            sizes = [str(value) for value in verdict.parameters.values()]
            rows.append([*sizes, *(f"{n:,}" for n in (sum(numbers), *numbers)), verdict.status])
        width = len(rows[0])
        return sheet(self.claim, columns_text(rows, right=range(width - 1)))


def sweep(
    claim: Claim | str,
    grid: Mapping[str, Iterable[int | str]],
    *,
    executor: Executor | None = None,
    ledger: Ledger | str | Path | None = None,
    retry: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    most: int = _MOST,
    progress: Callable[[int, int], None] | None = None,
    jobs: int | None = None,
) -> Sweep:
    """Look at every case of a claim at every point of a grid, many at once.

    grid has some values for each of some parameters of the claim; the others keep their defaults.
    Each case is kept in the ledger, a file, as it comes, with its certificate: a sweep that was
    stopped, however it was, goes on from there, and retry="undecided" takes up those without an
    answer too. The table in the ledger is the same to the byte wherever and in whatever order the
    cases were looked at (`symbench export csv LEDGER`), as long as none is near a limit.

    The executor is any of `concurrent.futures`, such as `client.get_executor()` of dask; without
    one, `jobs` processes of this machine are used. Wherever a batch of cases is sent, a process of
    its own looks at them: the timeout (seconds for one case) and the memory (megabytes) hold inside
    FLINT, a case that runs out is unfinished, and one at which the process dies twice is an error.
    More than `most` cases are refused before any is looked at. progress is called with the numbers
    of cases that are done and that there are; without it long work shows a bar on a terminal.

    >>> sweep("lavie2024.dimension", {"max_length": range(1, 4)}, ledger="sweep.db").computed
    5
    >>> sweep("lavie2024.dimension", {"max_length": range(1, 5)}, ledger="sweep.db").computed
    3
    >>> sweep("lavie2024.dimension", {"length": [3]})
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: lavie2024.dimension has no parameter 'length': it takes max_length
    >>> sweep("lavie2024.dimension", {"max_length": [60]}, most=500)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: the sweep of lavie2024.dimension has more than 500 cases: ...
    """
    found = claims[claim.id if isinstance(claim, Claim) else claim]
    points = read_grid(found, grid, most)
    limit, bound = seconds(timeout), megabytes(memory)
    again = read_retry(retry)
    if progress is not None:
        function(progress, "progress", "a function of two numbers of cases, done and in all")
    if executor is not None:
        instance(executor, Executor, "the executor", "one of concurrent.futures, or None for ours")
    if jobs is not None:
        integer(jobs, "jobs", at_least=1)
    start = time.perf_counter()
    with ExitStack() as stack:
        if not isinstance(ledger, Ledger):
            ledger = stack.enter_context(Ledger(":memory:" if ledger is None else ledger))
        ledger.only(found)
        setup = {"id": found.id, "origin": origin(found), "memory": bound}
        planned = ledger.plan(found, points, most)
        if executor is None:
            executor = OwnPool(processes(jobs or _cores()))
            stack.callback(executor.stop)
        send = partial(_send, executor, setup, versions(found.edition), limit)
        pending = ledger.pending(planned, retry=again)
        if progress is None:
            progress = stack.enter_context(Progress(found.id, at_once=False)).reached
        run = _Run(executor, ledger, pending, _specials(found), send, jobs, progress)
        run.finish()
        return _concluded(found, ledger, planned, run, time.perf_counter() - start)


def _specials(claim: Claim) -> list[tuple[str, int]]:
    """The near-misses and controls, by the name of their list and their place in it."""
    return [(name, k) for name, listed in specials_of(claim).items() for k in range(len(listed))]


def _concluded(
    claim: Claim, ledger: Ledger, points: Sequence[Point], run: _Run, took: float
) -> Sweep:
    """The verdicts, which go into the ledger, and the counts."""
    specials = {
        name: [run.specials[name, k] for k in range(len(listed))]
        for name, listed in specials_of(claim).items()
    }
    verdicts = [conclude(claim, point, specials, took) for point in points]
    for verdict in verdicts:
        ledger.add(verdict)
    with ledger.reading():
        counts = {frozenset(count.parameters.items()): count for count in ledger.counts()}
    return Sweep(
        claim=claim.id,
        verdicts=tuple(verdicts),
        counts=tuple(counts[frozenset(verdict.parameters.items())] for verdict in verdicts),
        computed=run.computed,
        seconds=took,
    )


def read_grid(
    claim: Claim, grid: Mapping[str, Iterable[int | str]], most: int = _MOST
) -> list[dict[str, Any]]:
    """The points of a grid, each with all parameters of the claim, in the order of the grid.

    >>> read_grid(claims["lavie2024.dimension"], {"max_length": [2, 5]})
    [{'max_length': 2}, {'max_length': 5}]
    >>> read_grid(claims["lavie2024.dimension"], {"max_length": []})
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the grid has no value for max_length: give at least one
    """
    most = integer(most, "most", at_least=1)
    if not claim.parameters:
        has = "is drawn at random" if claim.scope == "sampled" else "has no sizes"
        raise NotSupported(f"{claim.id} {has}: there is no grid to sweep; verify it")
    given = mapping(grid, "the grid", "a dictionary such as {'max_length': range(3, 8)}")
    if not given:
        names = ", ".join(claim.parameters)
        raise BadValue(f"the grid is empty: give values for one of the parameters, {names}")
    values: dict[str, Sequence[int | str]] = {}
    for name, listed in given.items():
        claim.sizes({name: claim.parameters.get(name)})  # whether there is such a parameter
        if isinstance(listed, (str, bytes, Mapping)) or not isinstance(listed, Iterable):
            raise BadValue(f"the grid has {shown(listed)} for {name}: give a list of values")
        values[name] = listed if isinstance(listed, Sequence) else tuple(listed)
        if not values[name]:
            raise BadValue(f"the grid has no value for {name}: give at least one")
    number = prod(map(_length, values.values()))
    if number > most:
        raise TooLarge(
            f"the grid has {number:,} points, each with a case at least: "
            "give a smaller one, or allow more cases (most=..., --most)"
        )
    points = [
        claim.sizes(dict(zip(values, point, strict=True))) for point in product(*values.values())
    ]
    if len({tuple(point.values()) for point in points}) < number:
        raise BadValue("the grid has the same point twice: give each value once")
    return points


def _length(listed: Sequence[Any]) -> int:
    # len() refuses ranges that are longer than memory.
    return (listed[-1] - listed[0]) // listed.step + 1 if isinstance(listed, range) else len(listed)


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _send(
    executor: Executor,
    setup: dict[str, Any],
    current: dict[str, str],
    timeout: float | None,
    items: tuple[Item, ...],
) -> Future[list[Answer]]:
    # For dask equal calls are one call, unless it is told that they are not.
    own: dict[str, Any] = {"pure": False} if hasattr(executor, "_client") else {}
    return executor.submit(answer, setup, current, items, timeout, **own)


def _places(executor: Executor, jobs: int | None) -> int:
    """How many batches an executor works on at once."""
    if jobs is not None:
        return jobs
    client: Any = getattr(executor, "_client", None)
    if client is not None:  # of dask: workers come and go
        try:
            threads: int = sum(client.nthreads().values())
        except (OSError, RuntimeError, TypeError) as error:  # TypeError: of a client that closed
            raise _broken(error) from None
        return max(1, threads)
    known = getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) else _cores()


@attrs.frozen
class _Batch:
    """Items on their way to a worker; those of cases, with their ids in the ledger."""

    items: tuple[Item, ...]
    ids: tuple[int, ...] = ()
    tries: int = 1


class _Run:
    """The near-misses and the pending cases of a sweep, on their way through an executor."""

    def __init__(
        self,
        executor: Executor,
        ledger: Ledger,
        pending: Sequence[tuple[int, str]],
        special: Sequence[tuple[str, int]],
        send: Callable[[tuple[Item, ...]], Future[list[Answer]]],
        jobs: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._executor, self._ledger, self._send, self._jobs = executor, ledger, send, jobs
        # In any order, so that two processes with one ledger seldom look at the same case.
        self._pending = deque(random.sample(pending, len(pending)))
        self._first = deque(_Batch((list(which),)) for which in special)
        self._flying: dict[Future[list[Answer]], _Batch] = {}
        self._pace = Pace()
        self._progress, self._total, self._done = progress, len(pending), 0
        self.computed = 0
        self.specials: dict[tuple[str, int], Any] = {}

    def finish(self) -> None:
        """Go on until nothing is left; what has come is in the ledger, whatever happens."""
        try:
            if self._progress is not None:
                self._progress(0, self._total)
            while self._first or self._pending or self._flying:
                self._fill()
                done, _ = wait(self._flying, timeout=HEARD, return_when=FIRST_COMPLETED)
                if not done:
                    _check_connection(self._executor)
                self._take(done)
        except BaseException:
            for future in self._flying:
                future.cancel()
            with suppress(Exception):
                self._take({future for future in self._flying if future.done()})
            raise

    def _fill(self) -> None:
        """Send as many batches as the executor can have at hand."""
        places = _places(self._executor, self._jobs)
        while len(self._flying) < _AHEAD * places and (batch := self._next(places)):
            try:
                future = self._send(batch.items)
            except Exception as error:  # it was shut down, or broke
                raise _broken(error) from None
            self._flying[instance(future, Future, "what the executor gives", "a Future")] = batch

    def _next(self, places: int) -> _Batch | None:
        if self._first:
            return self._first.popleft()
        while self._pending:
            size = self._pace.size(left=len(self._pending), places=places)
            taken = [self._pending.popleft() for _ in range(min(size, len(self._pending)))]
            known = self._ledger.answered([id for id, _ in taken])  # by another process
            found = [(id, written) for id, written in taken if id not in known]
            self._tell(known)
            if found:
                with self._ledger.reading():
                    items = tuple(["case", json.loads(written)] for _, written in found)
                return _Batch(items, tuple(id for id, _ in found))
        return None

    def _take(self, done: set[Future[list[Answer]]]) -> None:
        """Record what has come, in one transaction."""
        found: list[tuple[int, Examined]] = []
        try:
            for future in done:
                batch = self._flying.pop(future)
                answers = self._answers(future, batch)
                if answers and not batch.ids:
                    [[what, which]] = batch.items
                    self.specials[what, which] = answers[0][0][0]
                elif answers:
                    found += zip(batch.ids, (examined for examined, _ in answers), strict=True)
                    self._pace.learn([seconds for _, seconds in answers])
        finally:  # one that fails takes nothing from the others
            if found:
                self._ledger.record(found)
                self.computed += len(found)
                self._tell(found)

    def _answers(self, future: Future[list[Answer]], batch: _Batch) -> list[Answer]:
        """The answers of a batch; none if it is sent again, because its worker was lost."""
        try:
            found = future.result()
            if not isinstance(found, list) or len(found) != len(batch.items):
                raise BadExecutor(f"the executor gives {shown(found)} for a list of answers")
            return found
        except (CancelledError, BrokenExecutor) as error:
            raise _broken(error) from None
        except SymbenchError:
            raise
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # of dask, after several attempts
                raise BadExecutor(f"a worker of the executor fails: {error!r}") from error
        if len(batch.items) == 1 and batch.tries == _TRIES:
            result = "error", "the worker of the executor died again and again"
            return [((result, False, None), 0.0)]
        ids = ((id,) for id in batch.ids) if batch.ids else repeat(())
        self._first += [
            _Batch((item,), id, batch.tries + (len(batch.items) == 1))
            for item, id in zip(batch.items, ids, strict=False)
        ]
        return []

    def _tell(self, done: Collection[Any]) -> None:
        self._done += len(done)
        if self._progress is not None and done:
            self._progress(self._done, self._total)


def _broken(error: BaseException) -> BadExecutor:
    why = str(error) or type(error).__name__
    return BadExecutor(
        f"the executor is gone ({why}): what was finished is in the ledger; "
        "start it again, and the sweep goes on from there"
    )


def _check_connection(executor: Executor) -> None:
    """Whether the scheduler of dask, if it is one, is still there."""
    client = getattr(executor, "_client", None)
    if client is not None and client.status not in ("running", "newly-created"):
        raise _broken(ConnectionError(f"the connection to its scheduler is {client.status}"))
