"""The process that runs claims in a changed copy: one forked child for each claim.

It reads a JSON object from standard input and writes one JSON line for each claim. The package is
imported once. A child starts without cached results of other claims, has limits of its own, and may
die without harm to the rest.
"""

from __future__ import annotations

import json
import os
import re
import resource
import select
import signal
import sys
import time
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

MEMORY = 6 << 30  # bytes of address space for a claim: an error may ask for any amount


class Trace:
    """The functions of symbench that are called, as file:line, while this is on."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._seen = str(folder) + "/", set[CodeType]()

    def __enter__(self) -> Trace:
        sys.setprofile(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _hear(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            self._seen.add(frame.f_code)

    def found(self) -> list[str]:
        here = [code for code in self._seen if code.co_filename.startswith(self._folder)]
        names = {
            (code.co_filename.removeprefix(self._folder), code.co_firstlineno) for code in here
        }
        return sorted(f"{name}:{line}" for name, line in names)


def verdict_on(id: str, trace: Trace | None) -> dict[str, Any]:
    """How one claim takes the change: in this process, whatever happens."""
    import symbench

    try:
        if trace is None:
            verdict = symbench.verify(id)
        else:
            with trace:
                verdict = symbench.verify(id)
    except BaseException as error:
        return {"how": "crash", "note": f"{type(error).__name__}: {error}"[:300]}
    if verdict.as_expected:
        return {"how": None, "reached": trace.found() if trace else None}
    clean = not verdict.errors or (verdict.failed and verdict.expected != "fails")
    how = "verdict" if clean else "crash"
    return {"how": how, "note": f"{verdict.status}: {'; '.join(verdict.notes)}"[:300]}


def in_a_child(id: str, seconds: float, folder: Path, tracing: bool) -> dict[str, Any]:
    """The same in a forked child, which has `seconds` of processor time."""
    start = time.perf_counter()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            answer = verdict_on(id, Trace(folder) if tracing else None)
            with os.fdopen(writing, "w") as pipe:
                json.dump(answer, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    data, late = _read(reading, time.monotonic() + 10 * seconds)
    if late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    out_of_time = late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU)
    if out_of_time:
        answer = {"how": "time", "note": f"not done after {seconds:.0f} s"}
    else:
        try:
            answer = json.loads(data)
        except ValueError:
            answer = {"how": "crash", "note": f"the process died (status {status})"}
    return {"claim": id, "seconds": round(time.perf_counter() - start, 3), **answer}


def _read(pipe: int, deadline: float) -> tuple[bytes, bool]:
    """What comes through the pipe, and whether the deadline passed first."""
    data = b""
    with os.fdopen(pipe, "rb", buffering=0) as reader:
        while select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
            part = reader.read(1 << 16)
            if not part:
                return data, False
            data += part
    return data, True


def main() -> None:
    """Run the claims that standard input asks for; the answers go to standard output."""
    asked = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a claim prints is no answer

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=out, flush=True)

    folder = Path.cwd() / "symbench"
    imports = Trace(folder)
    start = time.perf_counter()
    try:
        if asked["trace"]:
            with imports:
                import symbench

                ids = list(symbench.claims)
        else:
            import symbench

            ids = list(symbench.claims)
    except BaseException as error:
        say({"claim": "import", "how": "crash", "note": f"{type(error).__name__}: {error}"[:300]})
        return
    seconds = round(time.perf_counter() - start, 3)
    if not str(symbench.__file__).startswith(str(folder)):
        sys.exit(f"the wrong symbench was imported: {symbench.__file__}")
    say({"claim": "import", "how": None, "seconds": seconds, "reached": imports.found()})
    for id in asked["claims"] or [id for id in ids if re.search(asked["pattern"], id)]:
        if id not in ids:
            say({"claim": id, "how": "crash", "note": "the claim is not registered any more"})
            continue
        answer = in_a_child(id, asked["limits"].get(id, asked["limit"]), folder, asked["trace"])
        say(answer)
        if asked["first"] and answer["how"]:
            return


if __name__ == "__main__":
    main()
