"""A process that looks at cases of one claim, and can be stopped in the midst of one.

Wherever the cases of a sweep are sent, to a thread here or to a worker of a cluster, a child is
started there which does the work: a limit on time or memory holds inside FLINT, a crash costs one
case, and whoever sent them goes on. It is a program of its own and no fork: the workers of dask may
have no forked children, and a lock that a thread holds at a fork stays locked in the child.

What goes through its pipes is JSON, a line for each case as soon as it is answered. So the case at
which a child died or ran out of time is known, and those before it are not lost.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from symbench.decide.limits import end_with, restrain
from symbench.draw.progress import silence
from symbench.errors import BadClaim, BadExecutor

if TYPE_CHECKING:
    from symbench.registry.ledger import Examined

# What a child is told first: the claim, where it is declared, how much memory it may have.
Setup = dict[str, Any]
# What it is asked: ["case", its plain JSON], or ["near_misses" or "controls", a number].
Item = list[Any]
# The result, whether it has a certificate, its document; and how many seconds it took.
Answer = tuple[tuple[Any, bool, "dict[str, Any] | None"], float]

_IDLE = 120  # seconds after which a child that is asked nothing ends
_START = 600  # seconds within which it loads the claim: a network drive may be slow
_PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from symbench.sweeps.children import main; main()"
)


class Late(Exception):
    """The case at hand takes longer than it may."""


class Died(Exception):
    """The child ended without an answer; the code is minus the signal, if one ended it."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


class Child:
    """A child as whoever sends it cases sees it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        # A core each, as processes are many already; in a group of its own, which Ctrl-C spares.
        threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            process_group=0,
            env={**threads, **os.environ},
        )
        self._read = b""

    def begin(self) -> dict[str, str]:
        """Load the claim there; the versions of everything that computes."""
        self._send({**self.setup, "parent": os.getpid()})
        try:
            found = json.loads(self._line(_START))
        except Late:
            why = f"nothing in {_START} s"
            raise BadExecutor(f"a worker process did not start: {why}") from None
        if "error" in found:
            raise BadClaim(f"a worker cannot load {self.setup['id']}: {found['error']}")
        versions: dict[str, str] = found["versions"]
        return versions

    def answers(self, items: Sequence[Item], timeout: float | None) -> Iterator[Answer]:
        """The answers to all of these, one by one; the limit in seconds is for each."""
        self._send(items)
        for _ in items:
            result, certified, document, seconds = json.loads(self._line(timeout))
            yield (tuple(result), certified, document), seconds

    @property
    def alive(self) -> bool:
        """Whether it still waits for something to do."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it at once, whatever it is doing; whoever waits for an answer hears of it."""
        self._process.kill()

    def stop(self) -> None:
        """End it, and let go of what it had."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.stop()

    def _send(self, data: Any) -> None:
        assert self._process.stdin is not None
        waiting = memoryview(json.dumps(data).encode() + b"\n")
        try:
            while waiting:  # a pipe takes as much as it can
                waiting = waiting[self._process.stdin.write(waiting) or 0 :]
        except (OSError, ValueError):
            raise Died(self._code()) from None

    def _line(self, timeout: float | None) -> bytes:
        assert self._process.stdout is not None
        end = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._read:
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                if not select.select([self._process.stdout], [], [], left)[0]:
                    raise Late
                more = self._process.stdout.read(1 << 20)
            except (OSError, ValueError):  # closed by stop(), in another thread
                more = b""
            if not more:
                raise Died(self._code())
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _code(self) -> int:
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # it closed its end, and lives
            self._process.kill()
            return self._process.wait()


# --- the child itself ---------------------------------------------------------------------------
def main() -> None:
    """In the child: load the claim, then answer line by line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence()
    # What a claim reads or prints must not come between the questions and the answers.
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    code = 1
    try:
        # Whoever asks may be gone, or want nothing more.
        with suppress(Empty, BrokenPipeError):
            _answer(questions, answers)
        code = 0
    except BaseException:
        traceback.print_exc()
    os._exit(code)  # Python's own end would wait for the thread that listens, and abort


def _answer(questions: BinaryIO, answers: BinaryIO) -> None:
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(questions, lines), daemon=True).start()
    setup = json.loads(lines.get())
    end_with(setup["parent"])

    def say(data: Any) -> None:
        answers.write(json.dumps(data).encode() + b"\n")

    from symbench.certificates.plain import from_plain
    from symbench.registry.running import examined, look_at_special
    from symbench.sweeps.origins import declared

    try:
        claim, versions = declared(setup["id"], setup["origin"])
    except BaseException as error:  # a file may even call sys.exit()
        say({"error": f"{type(error).__name__}: {error}"})
        return
    if setup["memory"] is not None:
        restrain(setup["memory"])
    say({"versions": versions})
    while True:
        for what, which in json.loads(lines.get(timeout=_IDLE)):
            start = time.perf_counter()
            found: Examined
            try:
                if what == "case":
                    found = examined(claim, from_plain(which), True)
                else:
                    found = look_at_special(claim, what, which), False, None
            except BaseException as error:  # nobody interrupts a child: the claim raised it
                found = ("error", f"{type(error).__name__}: {error}"), False, None
            say((*found, time.perf_counter() - start))


def _listen(questions: BinaryIO, lines: SimpleQueue[bytes]) -> None:
    """Hand on what comes in; when whoever sends it is gone, end at once.

    A FLINT call keeps Python's lock, so where the system does not end the child (see end_with)
    this waits until that call returns.
    """
    for line in questions:
        lines.put(line)
    os._exit(0)
