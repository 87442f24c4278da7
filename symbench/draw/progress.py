"""Bars for long work, on standard error and only on a terminal: total, rate and time left.

What tells a bar how far it is can also be ended: `within` sets the time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID

from symbench.errors import Undecided

# Told how much of the total has been done since it was last told.
Report = Callable[[float], None]
# How much there is to do; a function is asked when the bar is shown. None: nobody knows.
Total = float | Callable[[], float | None] | None

# Seconds after which the bar of a part, or of a computation on its own, is shown.
_AFTER = 2.0
_SETTLED = 20.0  # seconds after which a rate is that of the work, not of its start

# Work inside of work that already has a bar shows none of its own.
_open: list[Progress] = []
_silent = False
# When the time of the work ends, and how long it was; the earliest counts.
_ends: list[tuple[float, float]] = []


def silence() -> None:
    """Show no bars in this process: a worker leaves the terminal to its parent."""
    global _silent
    _silent = True


class Progress:
    """A bar for the whole of some work and one for each part that takes long.

    `advance` says that a part of the total is done, with a line that is written where there is no
    terminal. `part` gives a part of the work its bar: a function to be told how far the part is.
    at_once=False waits with the bar for two seconds; every= so many seconds a line says how far the
    work is, where there is no terminal.

    >>> with Progress("claims", 2) as whole:
    ...     for id in "first", "second":
    ...         with whole.part(id, 100) as reached:
    ...             reached(50)
    ...         whole.advance()
    """

    def __init__(
        self,
        title: str,
        total: Total = None,
        *,
        at_once: bool = True,
        every: float | None = None,
    ) -> None:
        self._title, self._total, self._every = title, total, every
        self._after = 0.0 if at_once else _AFTER
        self._done = 0.0
        self._start = self._told = time.monotonic()
        self._shows = not (_open or _silent) and sys.stderr.isatty()
        self._bars: Bars | None = None
        self._lock = Lock()  # parts are told of by several threads

    def __enter__(self) -> Progress:
        _open.append(self)
        if not self._after:
            self._show()
        return self

    def __exit__(self, *exception: object) -> None:
        _open.remove(self)
        if self._bars is not None:
            self._bars.stop()

    def reached(self, done: float, total: float | None = None) -> None:
        """So much is done, from the beginning, of what is now known to be the total.

        The time counts from when the total is known: to find it out was no part of the work.
        """
        if total is not None:
            if self._total is None:
                self._start = time.monotonic()
            self._total = total
        self.advance(done - self._done)

    def advance(self, part: float = 1, *, line: str | None = None) -> None:
        """So much more of the total is done; the line says it where there is no terminal."""
        self._done += part
        now = time.monotonic()
        if _ends and now > min(_ends)[0]:
            raise Undecided(f"out of time after {min(_ends)[1]:g} s")
        if _open and _open[0] is not self:
            _open[0].waited(now)
        if self._shows:
            if now - self._start >= self._after:
                self._show()
        elif line is not None:
            self._say(f"[{self._done:,.0f}/{_asked(self._total) or 0:,.0f}] {line}")
        elif self._every is not None and now - self._told >= self._every:
            self._told = now
            figures = _figures(self._done, _asked(self._total), now - self._start)
            self._say(f"{self._title}: {figures}")

    def waited(self, now: float) -> None:
        """Show the bar, if it is time, though only a part inside has said that it goes on."""
        if self._shows and now - self._start >= self._after:
            self._show()

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    @contextmanager
    def part(self, title: str, total: Total = None) -> Iterator[Report]:
        """A function to call with how much of a part is done, from its beginning."""
        start = time.monotonic()
        task: TaskID | None = None

        def reached(done: float) -> None:
            nonlocal task
            if time.monotonic() - start < _AFTER or (bars := self._show()) is None:
                return
            if task is None:
                task = bars.add_task(f"  {title}", total=_asked(total), since=start)
            bars.update(task, completed=int(done))

        try:
            yield reached
        finally:
            if task is not None and self._bars is not None:
                with suppress(KeyError):
                    self._bars.remove_task(task)

    def _show(self) -> Bars | None:
        """The bars on the terminal, if there is one; that of the whole with what is done."""
        if not self._shows:
            return None
        with self._lock:
            if self._bars is None:
                self._bars = _bars()
                self._whole = self._bars.add_task(
                    self._title, total=_asked(self._total), since=self._start
                )
                self._bars.start()
            known = None if callable(self._total) else self._total
            self._bars.update(self._whole, completed=self._done, total=known, since=self._start)
        return self._bars


@contextmanager
def progress(title: str, total: Total) -> Iterator[Report]:
    """A function to call with each part of the total that is done; long work shows a bar.

    >>> with progress("short work", 2) as report:
    ...     report(1)
    ...     report(1)
    """
    with Progress(title, total, at_once=False) as whole:
        yield whole.advance


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """End work that takes longer, with Undecided, when it next says how far it is.

    For work that no other process can do, because it calls functions that cannot be sent there.

    >>> with within(1e-9), progress("long work", 2) as report:
    ...     report(1)
    Traceback (most recent call last):
    ...
    symbench.errors.Undecided: out of time after 1e-09 s
    """
    if seconds is None:
        yield
        return
    limit = time.monotonic() + seconds, seconds
    _ends.append(limit)
    try:
        yield
    finally:
        _ends.remove(limit)


def _asked(total: Total) -> float | None:
    return total() if callable(total) else total


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column
    from rich.text import Text

    class Figures(ProgressColumn):
        """What is done of what, how fast, and the time left."""

        def render(self, task: Task) -> Text:
            return Text(
                _figures(task.completed, task.total, time.monotonic() - task.fields["since"])
            )

    # Eighty columns: an id of 36 letters and the figures are never cut, the bar takes the rest.
    return Bars(
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None, table_column=Column(ratio=1, min_width=4)),
        Figures(table_column=Column(no_wrap=True, justify="right")),
        console=Console(stderr=True),
        transient=True,
        expand=True,
        refresh_per_second=4,
    )


def _figures(done: float, total: float | None, elapsed: float) -> str:
    """What a bar says beside itself.

    >>> _figures(1200, 4800, 60), _figures(3, 10, 60), _figures(0.5, 1, 3), _figures(7, None, 1)
    ('1,200/4,800 20/s 3:00 left', '3/10 20 s each 2:20 left', '50% 0:03 left', '7 7.0/s')
    >>> _figures(2, 4800, 6)
    '2/4,800 3 s each'
    """
    if not done:
        return f"0/{total:,.0f}" if total is not None and total > 1 else ""
    left = ""
    if total is not None:
        # At first the time is that of starting, which would be taken for that of every part.
        if elapsed >= _SETTLED or done >= total / 100:
            seconds = round(elapsed * (max(total, done) - done) / done)
            minutes, rest = divmod(seconds, 60)
            hours, minutes = divmod(minutes, 60)
            clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
            left = f" {clock} left"
        if done != int(done) or total != int(total) or total <= 1:  # shares of an estimate
            return f"{done / max(total, done):.0%}{left}"
    rate = done / elapsed
    speed = (
        f"{rate:,.0f}/s"
        if rate >= 10
        else f"{rate:.1f}/s"
        if rate >= 0.5
        else f"{1 / rate:,.0f} s each"
    )
    count = f"{done:,.0f}" if total is None else f"{done:,.0f}/{max(total, done):,.0f}"
    return f"{count} {speed}{left}"
