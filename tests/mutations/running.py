"""A copy of the repository in which changes are planted, and who notices them there.

What a run costs: importing all papers takes about a second, all claims about half a minute. So the
claims are run once without any change, and it is written down how long each takes and which
functions of the library it calls. A claim that never calls the changed function cannot notice and
is not run; with `first`, those that noticed changes of the same file or room before are tried
first, and the rest is left out as soon as one notices.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from tests.mutations.changes import ROOT, Change, Functions

# What the claims and the tests read; the rest of the repository is not copied.
COPIED = ["symbench", "tests", "proofs", "examples", "README.md", "pyproject.toml"]
LEAST_LIMIT = 20  # seconds of processor time that any claim has
TEST_LIMIT = 900  # seconds for the tests of one room

# Tests of a module that has no folder of its own.
TESTS = {"certifying": ["tests/decide", "tests/ktau", "tests/young/test_certificates.py"]}


@attrs.frozen
class Outcome:
    """Who noticed a change: claims with how they did, a test, or nobody."""

    change: Change
    claims: dict[str, str] = attrs.field(factory=dict)  # id -> verdict, crash or time
    reached: tuple[str, ...] = ()  # the claims that call the changed function
    test: str | None = None  # the first test that fails, "" if none does, None if none was run
    note: str = ""

    @property
    def crash(self) -> bool:
        """Whether no claim saw a wrong result: all broke down."""
        return bool(self.claims) and "verdict" not in self.claims.values()

    @property
    def noticed_by(self) -> str:
        return "claims" if self.claims else "tests" if self.test else "nobody"


def digest(folder: Path = ROOT) -> str:
    """A digest of the package and its data: results of another source are not these."""
    files = sorted(path for path in (folder / "symbench").rglob("*") if path.suffix != ".pyc")
    state = hashlib.sha256()
    for path in files:
        if path.is_file():
            state.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


@attrs.define
class Baseline:
    """How the claims do without any change: seconds, and the functions each calls."""

    seconds: dict[str, float]
    reached: dict[str, set[str]]  # file:line of a function -> claims

    def limits(self) -> dict[str, float]:
        return {id: LEAST_LIMIT + 10 * spent for id, spent in self.seconds.items()}

    def reaching(self, change: Change, text: str) -> list[str]:
        """The claims that could notice: all of them if the change is outside of functions."""
        line = Functions(text).first_line(change.start(text))
        where = f"{change.file}:{line}"
        if line is None or "import" in self.reached.get(where, ()):
            return list(self.seconds)
        return [id for id in self.seconds if id in self.reached.get(where, ())]


class Stopped(Exception):
    """The run was interrupted while a change was tried."""


class Copy:
    """A copy of the repository in a temporary folder, for one change at a time."""

    def __init__(self) -> None:
        self._holder = tempfile.TemporaryDirectory(prefix="symbench-mutations-")
        self.folder = Path(self._holder.name).resolve()
        for name in COPIED:
            place, copy = ROOT / name, self.folder / name
            if place.is_dir():
                shutil.copytree(place, copy)
            elif place.exists():
                shutil.copy2(place, copy)
        self._running: subprocess.Popen[str] | None = None

    def close(self) -> None:
        self.stop()
        self._holder.cleanup()

    def stop(self) -> None:
        """End the process that runs in this copy, and its children."""
        running = self._running
        if running is not None and running.poll() is None:
            running.kill()

    def plant(self, change: Change) -> None:
        path = self.folder / "symbench" / change.file
        self._mended = path.with_suffix(".mended")
        path.rename(self._mended)
        path.write_text(change.applied(self._mended.read_text("utf-8")), encoding="utf-8")
        os.utime(path, (0, 0))  # compiled files go by the time: this one was never compiled

    def mend(self) -> None:
        self._mended.rename(self._mended.with_suffix(".py"))

    def text(self, file: str) -> str:
        """A file of the package as it was when the copy was made."""
        return (self.folder / "symbench" / file).read_text(encoding="utf-8")

    def python(
        self, *arguments: str, given: str = "", limit: float | None = None
    ) -> tuple[int, str]:
        """Run Python in the copy: the exit code and what it printed."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        self._running = process = subprocess.Popen(
            [sys.executable, *arguments], cwd=self.folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the run, which ends this process itself
        )  # fmt: skip
        try:
            printed, _ = process.communicate(given, timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            printed, _ = process.communicate()
            return -1, printed
        return process.returncode, printed

    def claims(
        self,
        ids: Iterable[str],
        limits: dict[str, float],
        *,
        first: bool,
        trace: bool = False,
        pattern: str = "",
    ) -> list[dict[str, Any]]:
        """The answers of the claims in this copy, or of all that match; the import's is first."""
        asked = {
            "claims": list(ids), "limits": limits, "limit": 600, "first": first, "trace": trace,
            "pattern": pattern,
        }  # fmt: skip
        code, printed = self.python("-m", "tests.mutations.worker", given=json.dumps(asked))
        answers: list[dict[str, Any]] = [json.loads(line) for line in printed.splitlines()]
        if not answers or code != 0:
            note = f"the process died (status {code})"
            answers.append({"claim": "import", "how": "crash", "note": note})
        return answers

    def measure(self, pattern: str = "") -> Baseline:
        """The baseline; every claim must be as expected before anything is planted."""
        answers = self.claims([], {}, first=False, trace=True, pattern=pattern)
        wrong = [f"{a['claim']}: {a['note']}" for a in answers if a["how"]]
        if wrong:
            raise SystemExit("not as expected without any change:\n" + "\n".join(wrong))
        reached: dict[str, set[str]] = {}
        for answer in answers:
            for place in answer["reached"]:
                reached.setdefault(place, set()).add(answer["claim"])
        seconds = {a["claim"]: a["seconds"] for a in answers if a["claim"] != "import"}
        return Baseline(seconds, reached)

    def try_claims(
        self, change: Change, ids: list[str], baseline: Baseline, *, first: bool
    ) -> Outcome:
        """Which of the claims notice the change."""
        self.plant(change)
        try:
            answers = self.claims(ids, baseline.limits(), first=first) if ids else []
        finally:
            self.mend()
        if any(answer["note"].endswith("(status -9)") for answer in answers if answer["how"]):
            raise Stopped
        noticed = {a["claim"]: a["how"] for a in answers if a["how"]}
        note = next((a["note"] for a in answers if a["how"]), "")
        return Outcome(change, noticed, tuple(ids), note=note)

    def try_tests(self, change: Change) -> str:
        """The first test that notices the change: of its room, or a session of its file."""
        folder = f"tests/{change.room}"
        places = TESTS.get(change.room, [folder] if (ROOT / folder).exists() else [])
        sessions = ["tests/test_documents.py", "-k", f"symbench/{change.file}"]
        self.plant(change)
        try:
            for chosen in ([*places], sessions):
                command = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no"]
                code, printed = self.python(*command, *chosen, limit=TEST_LIMIT)
                failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", printed, re.M)
                if failed:
                    return str(failed[0])
                if code not in (0, 5):  # 5: no test was chosen
                    return f"{chosen[0]} (exit {code})"
        finally:
            self.mend()
        return ""


class Ledger:
    """The outcomes so far: a file of JSON lines, so that an interrupted run goes on."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._lines: list[dict[str, Any]] = []
        if path.exists():
            self._lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def add(self, outcome: Outcome, edition: str, claims: str, first: bool) -> None:
        line = {
            "key": outcome.change.key, "edition": edition, "pattern": claims, "first": first,
            "claims": outcome.claims, "reached": outcome.reached, "test": outcome.test,
            "note": outcome.note,
        }  # fmt: skip
        with self._lock:
            self._lines.append(line)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def latest(self, change: Change, claims: str, edition: str | None = None) -> Outcome | None:
        """The last outcome for the change, of this edition of the source if one is given."""
        for line in reversed(self._lines):
            # What some of the claims noticed, all of them do.
            same = line["pattern"] == claims or (claims == "" and line["claims"])
            if line["key"] == change.key and same and edition in (None, line["edition"]):
                reached = tuple(line["reached"])
                return Outcome(change, line["claims"], reached, line["test"], line["note"])
        return None

    def hits(self, change: Change) -> tuple[Counter[str], Counter[str]]:
        """How often each claim noticed changes of the same file, and of the same room."""
        file, room = Counter[str](), Counter[str]()
        with self._lock:
            for line in self._lines:
                name = line["key"].partition(":")[0].partition("@")[0]
                if name.partition("/")[0] == change.file.partition("/")[0]:
                    room.update(list(line["claims"]))
                    file.update(list(line["claims"]) if name == change.file else ())
        return file, room
