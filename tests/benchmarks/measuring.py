"""One row of the table of speeds: symbench beside its peers, interleaved, in CPU seconds.

A row has the least CPU time of a few rounds, in each of which symbench and then every peer runs; a
peer that needs more than a moment runs once. A peer that is not installed is a sentence that says
so. Beside the peers stands what is none: a limit, which does only a part of the work, and another
road or program of our own. What both found is compared where a test says how. Peak memory is that
of one more run of ours in a fork, above what the process held before.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs

from symbench.draw import columns_text

_PATIENCE = 3  # seconds; who takes longer runs once
_SHORT = 0.01  # seconds; who takes less runs three times in a row
_MEMORY_PATIENCE = 30  # seconds; longer operations are not run again for their memory


@attrs.frozen
class External:
    """What a program measured of itself, and what it found, if that can be read."""

    seconds: float
    found: Any = None


Peer = Callable[[], Any] | str


@attrs.frozen(kw_only=True)
class Row:
    """One operation at one size."""

    group: str
    operation: str
    size: str
    seconds: float
    megabytes: float | None
    peers: dict[str, float | str]
    beside: dict[str, float | str]

    @property
    def best(self) -> tuple[str, float] | None:
        """The fastest peer that ran."""
        ran = [(took, name) for name, took in self.peers.items() if not isinstance(took, str)]
        return (min(ran)[1], min(ran)[0]) if ran else None

    @property
    def ratio(self) -> float | None:
        """The seconds of the fastest peer over ours."""
        return None if self.best is None else self.best[1] / max(self.seconds, 1e-9)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds of this process for some work, or what a program says of itself."""
    start = time.process_time()
    found = work()
    if isinstance(found, External):
        return found.seconds, found.found
    return time.process_time() - start, found


def child(*command: str | Path) -> Peer:
    """What runs a command and says the CPU time of its process, start included."""
    if shutil.which(command[0]) is None:
        return "(not installed)"

    def work() -> External:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*map(str, command)], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return External(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    return work


def measure(
    ours: Callable[[], Any],
    peers: Mapping[str, Peer],
    *,
    rounds: int = 3,
    first: Callable[[Callable[[], Any]], Any] = lambda work: work(),
    before: Callable[[], Any] = lambda: None,
    agrees: Callable[[Any, Any], bool] | None = None,
) -> tuple[Any, float, dict[str, float | str]]:
    """(what ours found, its seconds, those of each peer).

    `before` runs before each round of ours; `first` runs the first one.
    """
    before()
    least, found = cpu(lambda: first(ours))
    slow, best = least > _PATIENCE, {}
    for name, peer in peers.items():
        if isinstance(peer, str):
            best[name] = peer
            continue
        best[name], answer = cpu(peer)
        if agrees is not None and answer is not None:
            assert agrees(found, answer), f"{name} finds something else"
    for _ in range(rounds - 1):
        # A program is asked three times in a row, too: its run in between cools our caches.
        for _ in range(0 if slow else 3 if least < _SHORT else 1):
            before()
            least = min(least, cpu(ours)[0])
        for name, peer in peers.items():
            took = best[name]
            if not isinstance(peer, str) and not isinstance(took, str) and took < _PATIENCE:
                best[name] = min(took, cpu(peer)[0])
    return found, least, best


def peak_megabytes(work: Callable[[], Any]) -> float | None:
    """How far the memory of a fork grows while it does some work."""
    if not hasattr(os, "fork"):
        return None
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            work()
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            os.write(writer, str(grown).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    kilo = 1 if platform.system() == "Linux" else 1024  # elsewhere the unit is a byte
    return round(int(text) / 1024 / kilo, 1) if text else None


def row(
    group: str,
    operation: str,
    size: str,
    ours: Callable[[], Any],
    peers: Mapping[str, Peer],
    beside: Mapping[str, Peer],
    **options: Any,
) -> tuple[Any, Row]:
    """(what ours found, the row)."""
    found, seconds, best = measure(ours, {**peers, **beside}, **options)
    options.get("before", lambda: None)()
    grown = peak_megabytes(ours) if seconds < _MEMORY_PATIENCE else None
    return found, Row(
        group=group,
        operation=operation,
        size=size,
        seconds=seconds,
        megabytes=grown,
        peers={name: best[name] for name in peers},
        beside={name: best[name] for name in beside},
    )


def table(rows: Iterable[Row]) -> list[tuple[str, ...]]:
    """The rows as texts, in the order of HEADS."""
    return [
        (
            r.operation,
            r.size,
            duration(r.seconds),
            "" if r.megabytes is None else f"{r.megabytes:.0f} MB",
            _others(r.peers) or "none",
            "" if r.ratio is None else f"{r.ratio:.3g}",
            _others(r.beside),
        )
        for r in rows
    ]


def _others(times: Mapping[str, float | str]) -> str:
    """Names and times."""
    return "; ".join(
        f"{name} {took if isinstance(took, str) else duration(took)}"
        for name, took in times.items()
    )


HEADS = ("operation", "size", "symbench", "memory", "peers", "ratio", "limit, or our other road")


def as_text(rows: Iterable[Row]) -> str:
    """The table for a terminal."""
    return str(columns_text([HEADS, *table(rows)]))


def as_markdown(rows: Iterable[Row]) -> str:
    """The table for a page."""
    lines = [HEADS, ("---",) * len(HEADS), *table(rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def save(rows: Iterable[Row], path: Path) -> None:
    """The rows as JSON, with the versions and the machine that they were measured on."""
    data = {"machine": machine(), "versions": versions(), "rows": [attrs.asdict(r) for r in rows]}
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def stored(path: Path) -> list[Row]:
    """The rows of a file."""
    return [Row(**r) for r in json.loads(path.read_text(encoding="utf-8"))["rows"]]


def machine() -> str:
    """The processor and how many cores there are."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        name = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), name)
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, {sys.platform}"


def versions() -> dict[str, str]:
    """symbench and the libraries here; the peers of other environments say theirs themselves."""
    from tests.benchmarks.peers import others

    found = {}
    for name in ("symbench", "python-flint", "sympy", "networkx", "numpy", "scipy", "lrcalc",
                 "scikit-learn"):  # fmt: skip
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found | others()


def duration(seconds: float) -> str:
    """One number with its unit."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError
