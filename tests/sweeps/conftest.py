"""Claims of a file, whose cases do what a test wants of them, in whatever process they are."""

import os
import runpy
from pathlib import Path

import pytest

from symbench.registry import claims
from symbench.sweeps import write_table

SOURCE = '''
import os, signal, time
from pathlib import Path
from symbench.registry import Fails, NearMiss, claim

HERE = Path({folder!r})


def log_lines():
    return (HERE / "log").read_text().splitlines()


def numbers(top: int = 5, step: int = 1):
    yield from range(1, top + 1, step)


@claim("mine.numbers", source="a test", category="lemma", cases=numbers, boundary=1,
       near_misses=[NearMiss("zero", 0)])
def look(n):
    """Every positive number is positive."""
    print("noise among the answers")
    with open(HERE / "log", "a") as log:
        log.write(f"{{n}} {{os.getpid()}}\\n")
    allowed = HERE / "allowed"
    while allowed.exists() and len(log_lines()) > int(allowed.read_text()):
        time.sleep(0.01)
    act = HERE / f"at-{{n}}"
    if act.exists():
        exec(act.read_text())
    return n > 0


@claim("mine.hidden", source="a test", category="lemma", cases=numbers, boundary=1,
       near_misses=[NearMiss("zero", 0)])
def hidden(n):
    """Another one."""
    return n > 0


act = HERE / "at-start"
if act.exists():
    exec(act.read_text())
'''

KILL = "os.kill(os.getpid(), signal.SIGKILL)"
HANG = "from flint import fmpz\n    (fmpz(3) ** 400 + 2).factor()".replace("\n    ", "\n")


class Mine:
    """The file, its log, and what its cases do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "mine.py"
        self.path.write_text(SOURCE.format(folder=str(folder)))

    def at(self, n: int | str, code: str, *, once: bool = False) -> None:
        """What case n does, or "start"; if once, only the first process that comes there."""
        before = "act.unlink()\n" if once else ""
        (self.folder / f"at-{n}").write_text(before + code)

    def allow(self, number: int) -> None:
        """Let cases go on until so many are begun, the near-miss among them; the next ones wait."""
        part = self.folder / "allowed.part"
        part.write_text(str(number))
        part.replace(self.folder / "allowed")

    @property
    def _lines(self) -> list[tuple[int, int]]:
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [(int(n), int(process)) for n, process in map(str.split, lines)]

    @property
    def log(self) -> list[int]:
        """The cases that were begun, in the order of time; the near-miss, 0, is left out."""
        return [n for n, _ in self._lines if n != 0]

    @property
    def processes(self) -> set[int]:
        """Which processes looked at them."""
        return {process for _, process in self._lines}

    def forget(self) -> None:
        """Begin the log again."""
        (self.folder / "log").unlink()

    def table(self, ledger: Path) -> bytes:
        """The table of a ledger, as CSV."""
        write_table(ledger, self.folder / "table", "csv")
        return (self.folder / "table").read_bytes()


@pytest.fixture
def mine(tmp_path):
    len(claims)
    before = dict(claims._claims)
    file = Mine(tmp_path)
    runpy.run_path(str(file.path))
    yield file
    claims._claims.clear()
    claims._claims.update(before)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid: int) -> set[int]:
    """All processes below a process."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(entry)] = int(stat[1])
    found: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found
