"""Batches of cases: how they are answered where an executor sends them, and how large they are."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from math import ceil

import attrs

from symbench.errors import BadExecutor
from symbench.sweeps.children import Answer, Child, Died, Item, Late, Setup

_LEAST, _USUAL = 0.05, 0.25  # seconds of work in a batch
_MOST = 5_000  # cases in a batch
_TRIES = 2


class _Here(threading.local):
    """What a thread that answers batches has: its child, and the pool that it belongs to."""

    child: Child | None = None
    pool: OwnPool | None = None


_here = _Here()


def answer(
    setup: Setup, versions: dict[str, str], items: Sequence[Item], timeout: float | None
) -> list[Answer]:
    """In a worker of any executor: the answers to these items, from a child that is kept.

    A case at which the child dies is tried once more, in a new one; then it is an error. One that
    takes longer than the limit is unfinished, and its child is ended.
    """
    found: list[Answer] = []
    deaths: Counter[int] = Counter()
    while len(found) < len(items):
        try:
            child = _child(setup, versions)
            for one in child.answers(items[len(found) :], timeout):
                found.append(one)
        except Late:
            _end()
            found.append(_without_answer("unfinished", f"out of time after {timeout:g} s"))
        except Died as error:
            _end()
            deaths[len(found)] += 1
            if setup["memory"] is not None and error.code in (-signal.SIGABRT, 1):
                # So FLINT ends where it cannot allocate, and so does OpenBLAS.
                text = f"out of memory, with {setup['memory']} MB"
                found.append(_without_answer("unfinished", text))
            elif deaths[len(found)] == _TRIES:
                text = f"the worker process died twice (exit code {error.code})"
                found.append(_without_answer("error", text))
    return found


def _without_answer(outcome: str, reason: str) -> Answer:
    return ((outcome, reason), False, None), 0.0


def _child(setup: Setup, versions: dict[str, str]) -> Child:
    """The child of this thread, a new one if it has none for this claim."""
    child = _here.child
    if child is not None and child.setup == setup and child.alive:
        return child
    _end()
    child, found = _started(setup)
    for name, ours in versions.items():
        if found.get(name) != ours:
            raise BadExecutor(
                f"a worker has {name} {found.get(name)}, and here it is {ours}: "
                "install the same everywhere, and restart the workers"
            )
    _here.child = child
    return child


def _started(setup: Setup) -> tuple[Child, dict[str, str]]:
    """A child that has loaded the claim, and its versions; one that dies on the way has a second.

    What kills it, such as a lack of memory for a moment, need not be there any more.
    """
    why = ""
    for _ in range(_TRIES):
        child = Child(setup)
        if _here.pool is not None:
            _here.pool.adopt(child)
        try:
            return child, child.begin()
        except Died as error:
            why = str(error)
            child.stop()
    raise BadExecutor(f"a worker process did not start: {why}")


def _end() -> None:
    child, _here.child = _here.child, None
    if child is not None:
        child.stop()


class OwnPool(ThreadPoolExecutor):
    """Threads here, each with a child; stop() ends them in the midst of whatever they do."""

    def __init__(self, jobs: int) -> None:
        self._children: list[Child] = []
        self._closing = threading.Lock()
        self._closed = False
        super().__init__(jobs, "sweep", initializer=self._enter)

    def _enter(self) -> None:
        _here.pool = self

    def adopt(self, child: Child) -> None:
        """A thread of the pool has started a child."""
        with self._closing:
            self._children = [known for known in self._children if known.alive]
            self._children.append(child)
            if not self._closed:
                return
        child.stop()
        raise CancelledError

    def stop(self) -> None:
        """End every child and every thread."""
        with self._closing:
            self._closed = True
            for child in self._children:
                child.kill()
        self.shutdown(cancel_futures=True)
        for child in self._children:  # nobody reads from them any more
            child.stop()


@attrs.define
class Pace:
    """How many cases to send at once: work of a quarter of a second, as far as is known.

    The executor's own cost for a batch is some milliseconds. Towards the end batches are smaller,
    so that nobody waits for the last one, but never less than 50 ms.

    >>> pace = Pace()
    >>> pace.size(left=1000, places=2)
    1
    >>> pace.learn([0.001] * 4)
    >>> [pace.size(left=left, places=2) for left in (100_000, 400, 9)]
    [250, 100, 50]
    """

    _mean: float | None = None

    def learn(self, seconds: Sequence[float]) -> None:
        """Take in how long the cases of a batch took."""
        if not seconds:
            return
        now = max(sum(seconds) / len(seconds), 1e-6)
        # Later cases are usually larger: what came last counts as much as all before.
        self._mean = now if self._mean is None else (self._mean + now) / 2

    def size(self, *, left: int, places: int) -> int:
        """The number of cases in the next batch, of so many that are left."""
        if self._mean is None:
            return 1
        usual = min(ceil(_USUAL / self._mean), ceil(left / (2 * places)))
        return min(max(ceil(_LEAST / self._mean), usual), _MOST)
