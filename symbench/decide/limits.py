"""Limits on time and memory that hold even inside FLINT, by working in child processes.

A FLINT call keeps Python's lock until it returns: no thread, no signal and no Ctrl-C gets
through. Only a process of its own can be stopped. Workers are kept and used again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, TypeVar

from symbench._arguments import integer, shown
from symbench.draw.progress import silence
from symbench.errors import BadType, BadValue, NotSupported, Undecided

T = TypeVar("T")

# More than a machine lives; and a float, which is what pebble takes.
_LONGEST = 1e9
_LARGEST = 1 << 40  # megabytes; as bytes they are a number of 64 bits
# Seconds of one wait: a Ctrl-C that comes just before it begins is heard when it ends.
HEARD = 0.2


def seconds(timeout: Any) -> float | None:
    """A positive number of seconds, or None for no limit."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise BadType(f"timeout is {shown(timeout)}: give seconds, or None for no limit")
    if not timeout > 0:
        raise BadValue(
            f"timeout is {shown(timeout)}: give more than 0 seconds, or None for no limit"
        )
    return float(min(timeout, _LONGEST))


class Clock:
    """The seconds that the parts of one search share; None for no limit.

    >>> Clock(None).left(), 59 < Clock(60).left() <= 60
    (None, True)
    """

    def __init__(self, timeout: Any) -> None:
        self._seconds, self._start = seconds(timeout), time.monotonic()

    def left(self) -> float | None:
        """The seconds that are left; Undecided if there are none."""
        if self._seconds is None:
            return None
        left = self._start + self._seconds - time.monotonic()
        if left <= 0:
            raise Undecided(f"out of time after {self._seconds:g} s")
        return left

    def reason(self, error: Exception) -> str:
        """Why there is no answer: the time that was given, or what the error says."""
        try:
            self.left()
        except Undecided as over:
            return str(over)
        return str(error)


def megabytes(memory: Any) -> int | None:
    """A positive whole number of megabytes, or None for no limit."""
    if memory is None:
        return None
    return min(integer(memory, "memory in megabytes", at_least=1), _LARGEST)


def processes(jobs: Any) -> int:
    """A number of worker processes, all of which are started.

    >>> processes(10**6)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: jobs is 1000000: ask for at most 1,000
    """
    return integer(jobs, "jobs", at_least=1, limit=1000)


def restrain(memory: int) -> None:
    """Give this process so many megabytes, and never more than the system lets it have."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory << 20 if most == resource.RLIM_INFINITY else min(memory << 20, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class Workers:
    """A pool of worker processes whose tasks can be stopped.

    >>> with Workers(jobs=1) as workers:
    ...     workers.run(pow, 2, 10, timeout=60)
    1024
    """

    def __init__(self, *, jobs: int = 1, memory: int | None = None) -> None:
        from pebble import ProcessPool

        self._pool = ProcessPool(
            max_workers=processes(jobs), initializer=_set_up, initargs=(memory, os.getpid())
        )
        # Forked now, before the caller has threads: a lock that a thread holds at a fork stays
        # locked in the child for ever.
        self._pool.schedule(int).result()

    def run(self, function: Callable[..., T], *args: Any, timeout: float | None = None) -> T:
        """function(*args) in a worker; Undecided if it runs out of time or memory."""
        found: T = self.wait(self.submit(function, *args, timeout=timeout), timeout=timeout)
        return found

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None = None) -> Any:
        """The future of function(*args) in a worker; the limit counts from its start there."""
        return self._pool.schedule(function, args=args, timeout=timeout)

    def wait(self, future: Any, *, timeout: float | None = None) -> Any:
        """The result of a future; Undecided if it ran out of time or memory."""
        from concurrent import futures
        from pickle import PicklingError

        from pebble import ProcessExpired

        while not futures.wait([future], timeout=HEARD).done:
            pass
        try:
            return future.result()
        except (PicklingError, AttributeError, TypeError) as error:
            if "pickle" not in str(error):
                raise
            raise NotSupported(
                f"a limit needs another process, and something cannot be sent there ({error}): "
                "define functions at the top of a file, or leave the limit out"
            ) from None
        except FutureTimeout:
            raise Undecided(f"out of time after {timeout:g} s") from None
        except MemoryError:
            raise Undecided("out of memory") from None
        except ProcessExpired as error:
            # FLINT aborts the process when it cannot allocate.
            raise Undecided(f"the worker process died (exit code {error.exitcode})") from None

    def stop(self) -> None:
        """End every worker at once, whatever it is doing."""
        self._pool.stop()
        self._pool.join()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()


def _set_up(memory: int | None, parent: int) -> None:
    """In a worker: who may end it, how much memory it has, no lock that it inherited, no bar."""
    import signal

    _unlock()
    silence()
    end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to decide
    # At once, also inside FLINT, where a Python handler would wait for the call to return.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if memory is not None:
        restrain(memory)


def end_with(parent: int) -> None:
    """Have the system end this process with its parent, also in the midst of a FLINT call.

    Only Linux does; elsewhere a worker notices when it looks for more to do.
    """
    import signal

    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before
        os._exit(0)


def _unlock() -> None:
    """New locks for cached properties, each of which has one before Python 3.12.

    A worker that replaces one that died is forked while other threads run, and may find them taken.
    """
    import gc
    from functools import cached_property
    from threading import RLock

    for found in gc.get_objects():
        if type(found) is cached_property and hasattr(found, "lock"):
            found.lock = RLock()
