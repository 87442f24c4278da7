"""A user's distribution, made on the fly: claims that come in through the entry point."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

CLAIMS = '''
import os
import time

from symbench.registry import Fails, NearMiss, claim


def declare(id, **fields):
    fields = {"cases": [1, 2, 3], "boundary": 1, **fields}
    near = [NearMiss("zero", 0)]
    return claim(id, source="a user's page", category="lemma", near_misses=near, **fields)


def numbers(count: int = 5):
    return iter(range(1, count + 1))


def begin():
    """Tell whoever asked for it that work has begun."""
    if "DEMO_BEGUN" in os.environ:
        open(os.environ["DEMO_BEGUN"], "w").close()


@declare("demo.good", cases=numbers)
def good(n):
    """Every number is positive."""
    return n > 0


@declare("demo.wrong", cases=numbers)
def wrong(n):
    """Every positive number is less than four."""
    return 0 < n < 4 or Fails(f"{n} is not")


@declare("demo.false", cases=numbers, expected="fails", repaired_by="demo.good")
def false(n):
    """Every positive number is odd."""
    return n % 2 == 1


@declare("demo.open", expected="undecided", why="nobody knows")
def open_(n):
    """A riddle."""
    from symbench.errors import Undecided

    if n == 0:
        return False
    raise Undecided("too hard")


@declare("demo.broken")
def broken(n):
    """A claim that raises."""
    return 1 // (n - 2) != 0 and n > 0


def _strategy():
    from hypothesis import strategies as st

    return st.integers(min_value=1)


@declare("demo.small", cases=None, strategy=_strategy)
def small(n):
    """Every positive number is less than 50."""
    return 0 < n < 50


@declare("demo.fine", cases=None, strategy=_strategy)
def fine(n):
    """Every positive number is positive."""
    begin()
    return n > 0


@declare("demo.slow", cases=numbers)
def slow(n):
    """It takes its time."""
    if n > 1:
        time.sleep(0.05)
    return n > 0


def endless(count: int = 1):
    yield 1
    while count == 1:
        time.sleep(1)


@declare("demo.endless", cases=endless)
def unlisted(n):
    """Its cases are never listed to the end."""
    return n > 0


@declare("demo.flint", cases=numbers)
def hangs(n):
    """It factors a number in FLINT, which hears no signal."""
    from flint import fmpz

    if n == 2:
        begin()
        (fmpz(3) ** 400 + 2).factor()
    return n > 0
'''


# Seconds within which anything ends that ends at all: other tests run beside it, and what a test
# waits for in vain would take hours.
PATIENCE = 300


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def write_plugin(folder: Path, source: str = CLAIMS, name: str = "demo") -> Path:
    """A module with its entry point in a folder that is to be on PYTHONPATH."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[symbench.claims]\n{name} = {name}_claims\n")
    (folder / f"{name}_claims.py").write_text(source, encoding="utf-8")
    return folder


def environment(folder: Path | None = None, **more: str) -> dict[str, str]:
    """The environment of a process that finds the plugin."""
    path = {} if folder is None else {"PYTHONPATH": str(folder)}
    return {**os.environ, "COLUMNS": "80", **path, **more}


@contextmanager
def started(arguments: Sequence[str], **options: Any) -> Iterator[subprocess.Popen]:
    """A process in a session of its own, which Ctrl-C reaches; nothing of it outlives the block.

    Under nohup, or in the background of a script, Ctrl-C is ignored, and a child inherits that.
    """
    with subprocess.Popen(
        arguments,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # its workers, too


def finished(arguments: Sequence[str], **options: Any) -> subprocess.CompletedProcess:
    """What came out of a process that ends by itself."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(arguments, **pipes, **options) as process:
        output, errors = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def fresh(code: str, folder: Path | None = None, *arguments: str) -> subprocess.CompletedProcess:
    """Python code in a process of its own."""
    return finished([sys.executable, "-c", code, *arguments], env=environment(folder))


def command(*arguments: object) -> list[str]:
    """The symbench command of this Python."""
    return [sys.executable, "-m", "symbench.cli", *map(str, arguments)]


def symbench(*arguments: object, folder: Path | None = None, **more: str):
    """The command in a process of its own."""
    return finished(command(*arguments), env=environment(folder, **more))
