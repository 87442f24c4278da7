"""A bar for long work: on standard error, only on a terminal, after the first seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

# Told how much of the total has been done since it was last told.
Report = Callable[[float], None]

# Seconds after which a bar is shown.
_AFTER = 2.0

# Work inside of work that already has a bar shows none of its own.
_bars: list[str] = []


@contextmanager
def progress(title: str, total: float) -> Iterator[Report]:
    """A function to call with each part of the total that is done; long work shows a bar.

    >>> with progress("short work", 2) as report:
    ...     report(1)
    ...     report(1)
    """
    if _bars or not sys.stderr.isatty():
        yield lambda part: None
        return
    start, done = time.monotonic(), 0.0
    advance: Report | None = None
    with ExitStack() as stack:
        _bars.append(title)
        stack.callback(_bars.remove, title)

        def report(part: float) -> None:
            nonlocal done, advance
            done += part
            if advance is not None:
                advance(part)
            elif time.monotonic() - start >= _AFTER:
                advance = stack.enter_context(_bar(title, total))
                advance(done)

        yield report


@contextmanager
def _bar(title: str, total: float) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda part: bar.advance(task, part)
