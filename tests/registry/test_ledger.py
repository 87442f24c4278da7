"""A ledger goes on where a run was stopped, and nowhere else."""

import json
import subprocess
import sys
from contextlib import ExitStack
from threading import Thread

import attrs
import pytest

from symbench.decide.limits import Workers
from symbench.errors import BadType, BadValue
from symbench.registry import Fails, NearMiss, ledger, verify
from symbench.registry.ledger import Ledger
from symbench.registry.verdict import Verdict

from .plugin import started


def numbers(top: int = 3):
    return range(1, top + 1)


@pytest.fixture
def verdict(declare):
    def function(n):
        """Größer als nichts: α > 0."""
        return n > 0 or Fails("α ≤ 0")

    declare(function, cases=numbers, near_misses=[NearMiss("α = 0", 0)])
    return verify("test.claim")


@pytest.fixture
def path(tmp_path, verdict):
    path = tmp_path / "ledger.jsonl"
    Ledger(path).add(verdict)
    return path


SIZES = {"top": 3}


def test_resume(path, verdict):
    found = Ledger(path).find("test.claim", SIZES)
    assert found == verdict
    assert found.versions == verdict.versions
    assert found.seconds == pytest.approx(verdict.seconds, abs=1e-3)
    assert found.near_misses == verdict.near_misses
    assert Ledger(path).find("test.claim", {"top": 4}) is None
    assert Ledger(path).find("lavie2024.dimension", SIZES) is None


def test_one_verdict_a_line_written_as_it_happens(path, verdict):
    book = Ledger(path)
    for number in range(2, 5):
        book.add(verdict)
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) == number
        assert json.loads(lines[-1])["status"] == "holds"


@pytest.mark.parametrize("cut", [1, 5, 9, 10, 11, 40, -1, -2, -3, "greek"])
def test_half_a_last_line_is_skipped_and_left_alone(path, verdict, cut):
    whole = path.read_bytes()
    cut = whole.index("α".encode()) + 1 if cut == "greek" else cut  # in the midst of a letter
    half = whole.rstrip(b"\n")[:cut]
    path.write_bytes(whole + half)
    with pytest.warns(UserWarning, match="line 2: half a verdict"):
        book = Ledger(path)
    assert path.read_bytes() == whole + half  # another process may still be writing it
    assert book.find("test.claim", SIZES) == verdict
    book.add(verdict)
    assert path.read_bytes() == whole + half + b"\n" + whole
    with pytest.warns(UserWarning, match="line 2: half a verdict"):
        assert len(Ledger(path)._verdicts) == 2


def test_a_last_line_without_its_end_is_a_verdict(path, verdict):
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip(b"\n"))
    book = Ledger(path)
    assert book.find("test.claim", SIZES) == verdict
    book.add(verdict)
    assert path.read_bytes() == whole + whole


def test_any_text_can_be_kept(path, verdict):
    odd = attrs.evolve(verdict, notes=("a\nb\r\u2028\x00 \udc80 \\udc80",))
    Ledger(path).add(odd)
    assert Ledger(path)._verdicts == [verdict, odd]


WRITER = """
import sys
import attrs
from symbench.registry import verify
from symbench.registry.ledger import Ledger

verdict = verify("lavie2024.dimension", max_length=2)
sys.stdin.readline()  # so that all begin at once
for number in range(40):
    note = f"{sys.argv[2]} {number} " + "α" * 40_000  # more than one buffer
    Ledger(sys.argv[1]).add(attrs.evolve(verdict, notes=(note,)))
"""


def test_several_processes_write_one_ledger(tmp_path):
    path = tmp_path / "ledger.jsonl"
    names = ["first", "second", "third"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ExitStack() as stack:
        run = [sys.executable, "-W", "error", "-c", WRITER, str(path)]
        processes = [stack.enter_context(started([*run, name], **pipes)) for name in names]
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
    lines = path.read_text(encoding="utf-8").splitlines()
    notes = [json.loads(line)["notes"][0].rstrip("α") for line in lines]
    assert sorted(notes) == sorted(f"{name} {k} " for name in names for k in range(40))


SLOW_WRITER = """
import fcntl, sys
with open(sys.argv[1], "ab", buffering=0) as file:
    if sys.argv[2] == "locked":
        fcntl.flock(file, fcntl.LOCK_EX)
    line = open(sys.argv[3], "rb").read()
    file.write(line[:50])
    print("half", flush=True)
    sys.stdin.readline()
    file.write(line[50:])
"""


@pytest.fixture
def half_written(path, tmp_path):
    """A function that starts a process which has half a line written to the ledger."""
    line = tmp_path / "line"
    line.write_bytes(path.read_bytes())
    path.write_bytes(b"")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with ExitStack() as stack:

        def start(lock):
            run = [sys.executable, "-c", SLOW_WRITER, str(path), lock, str(line)]
            process = stack.enter_context(started(run, **pipes))
            assert process.stdout.readline() == "half\n"
            return process

        yield start


def test_a_line_that_another_process_is_writing(path, verdict, half_written):
    process = half_written("locked")
    waiting = Thread(target=lambda: Ledger(path).add(verdict))
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    process.communicate("go on\n", timeout=20)
    waiting.join(20)
    assert Ledger(path)._verdicts == [verdict, verdict]


def test_a_line_that_another_process_is_writing_without_a_lock(path, verdict, half_written):
    """An earlier symbench, or a drive without locks: opening costs the other one nothing."""
    process = half_written("unlocked")
    with pytest.warns(UserWarning, match="line 1: half a verdict"):
        Ledger(path)
    process.communicate("go on\n", timeout=20)
    assert Ledger(path)._verdicts == [verdict]


def test_a_worker_that_starts_meanwhile_does_not_keep_the_lock(path, verdict):
    with Workers() as workers:
        with path.open("ab") as file, ledger._locked(file):
            workers.run(pow, 2, 2)  # a child that has the file open as long as it lives
        adding = Thread(target=lambda: Ledger(path).add(verdict), daemon=True)
        adding.start()
        adding.join(10)
        assert not adding.is_alive()


@pytest.mark.parametrize(
    "garbage",
    [b"garbage", b"[]", b"{}", b'{"claim": "x"}', b"5", b"\xff\xfe", b"null", b"[" * 9999],
)
def test_garbage_in_the_middle(path, garbage):
    whole = path.read_bytes()
    path.write_bytes(whole + garbage + b"\n" + whole)
    with pytest.raises(BadValue, match="line 2: not a verdict"):
        Ledger(path)
    assert path.read_bytes() == whole + garbage + b"\n" + whole


@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"other": 1}', '{"claim": 5}\n'])
def test_a_file_of_something_else_is_left_alone(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(BadValue, match="line 1: not a verdict"):
        Ledger(path)
    assert path.read_text() == text


WRONG = {
    "claim": 5, "status": "true", "expected": "x", "scope": "some", "cases": "3", "failed": None,
    "errors": 1.5, "unfinished": True, "near_misses": [], "notes": "text", "parameters": 5,
    "seed": "0", "seconds": "1", "certificate": {}, "versions": "1", "certified": "1",
    "controls": [],
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_every_field_is_validated(verdict, name):
    data = verdict.to_json()
    assert Verdict.from_json(data) == verdict
    with pytest.raises(BadValue):
        Verdict.from_json({**data, name: WRONG[name]})
    if name not in ("certified", "controls"):  # verdicts of an earlier version have none
        with pytest.raises(BadValue):
            Verdict.from_json({k: v for k, v in data.items() if k != name})
    assert set(data) == set(WRONG)


@pytest.mark.parametrize("data", [None, 5, [], "x", {}])
def test_no_verdict(data):
    with pytest.raises(BadValue):
        Verdict.from_json(data)


@pytest.mark.parametrize("name", ["symbench", "python", "python-flint", "edition"])
def test_another_version_is_computed_again(path, verdict, name):
    other = attrs.evolve(verdict, versions={**verdict.versions, name: "0"})
    path.unlink()
    book = Ledger(path)
    book.add(other)
    assert book.find("test.claim", SIZES) is None
    assert Ledger(path).find("test.claim", SIZES) is None
    book.add(verdict)
    assert Ledger(path).find("test.claim", SIZES) == verdict


def test_what_was_not_as_expected_is_computed_again(path, verdict):
    path.unlink()
    for change in ({"status": "undecided"}, {"status": "fails"}, {"errors": 1}):
        Ledger(path).add(attrs.evolve(verdict, **change))
    assert Ledger(path).find("test.claim", SIZES) is None


@pytest.mark.parametrize("path", [None, 5, ["x"]])
def test_bad_paths(path):
    with pytest.raises(BadType):
        Ledger(path)


def test_a_ledger_that_cannot_be_written(tmp_path):
    for path in (tmp_path, tmp_path / "none" / "ledger.jsonl", "/dev/null", "a\0b"):
        with pytest.raises(BadValue, match="cannot write the ledger"):
            Ledger(path)
