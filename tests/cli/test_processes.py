"""The command in processes of its own: pipes, terminals, Ctrl-C."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from symbench.cli.verify import _in_threads
from symbench.decide.limits import Workers
from symbench.registry.ledger import Ledger

from ..registry.plugin import (
    CLAIMS,
    PATIENCE,
    command,
    environment,
    finished,
    started,
    symbench,
    until,
    write_plugin,
)

CODES = re.compile(r"\x1b\[")


def members(session):
    """The processes of a session that are still running."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat") as file:
                state, _, _, leader = file.read().rsplit(")", 1)[1].split()[:4]
        except (OSError, ValueError):
            continue
        if int(leader) == session and state != "Z":
            found.append(int(entry))
    return found


def test_exit_codes(plugin, tmp_path):
    ids = {"demo.good": 0, "demo.wrong": 1, "demo.broken": 3}
    result = symbench("verify", *ids, "demo.false", "demo.open", "--json", folder=plugin)
    assert result.returncode == 1
    statuses = [v["status"] for v in json.loads(result.stdout)]
    assert statuses == ["holds", "fails", "undecided", "fails", "undecided"]
    assert symbench("verify", "demo.good", "demo.false", "demo.open", folder=plugin).returncode == 0
    assert symbench("verify", "demo.good", "demo.broken", folder=plugin).returncode == 3
    assert symbench("verify", "demo.goood", folder=plugin).returncode == 2
    path = tmp_path / "small.json"
    assert symbench("hunt", "demo.small", "--save", path, folder=plugin).returncode == 1
    assert symbench("check", path, folder=plugin).returncode == 0
    assert symbench("check", path).returncode == 3  # where nobody knows the claim


def test_a_ledger_knows_refuted_and_open_claims_too(plugin, tmp_path):
    run = ["verify", "demo.good", "demo.false", "demo.open", "--json", "--ledger",
           tmp_path / "ledger.db"]  # fmt: skip
    first, second = symbench(*run, folder=plugin), symbench(*run, folder=plugin)
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert (len(first.stderr.splitlines()), second.stderr) == (3, "")
    statuses = [[v["status"] for v in json.loads(r.stdout)] for r in (first, second)]
    assert statuses == [["holds", "fails", "undecided"]] * 2


def test_a_full_disk_costs_the_ledger_and_not_the_table(plugin, tmp_path):
    path = tmp_path / "ledger.db"
    run = ["verify", "demo.good", "demo.false", "--jobs", "1", "--ledger", path, "--size"]
    # A disk on which a file has room for the tables and some hundred cases.
    size = 90_000
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"
    full = finished(
        [sys.executable, "-c", f"{code}; from symbench.cli import main; main()",
         *map(str, run), "count=2000"],
        env=environment(plugin, PYTHONDONTWRITEBYTECODE="1"),
    )  # fmt: skip
    assert full.returncode == 2, full.stderr
    assert "2 of 2 verdicts as expected" in full.stdout
    assert re.search(rf"Error: cannot use the ledger '{path}': .*; verdicts not in it: 2",
                     full.stderr)  # fmt: skip
    assert "Traceback" not in full.stderr
    # With room again the ledger is whole, and goes on from what it has.
    kept = list(Ledger(path).rows())
    assert {row.outcome for row in kept} <= {"holds", "fails"}
    again = symbench(*run, "count=2000", folder=plugin)
    assert again.returncode == 0, again.stderr
    assert "[2/2]" in again.stderr
    assert len(list(Ledger(path).rows())) == 4000
    assert symbench(*run, "count=2000", folder=plugin).stderr == ""


@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
def test_a_ledger_that_is_no_file(plugin, tmp_path, kind):
    path = {"device": "/dev/full", "pipe": tmp_path / "pipe", "folder": tmp_path}[kind]
    if kind == "pipe":
        os.mkfifo(path)
    run = symbench("verify", "demo.good", "--ledger", path, folder=plugin)
    assert run.returncode == 2
    assert "[1/1]" not in run.stderr  # before any work
    assert "Traceback" not in run.stderr


def test_a_pipe_has_no_terminal_codes(plugin):
    result = symbench("verify", "demo.good", "demo.wrong", folder=plugin)
    assert "demo.wrong" in result.stdout
    assert "fails (expected holds)" in result.stdout
    assert not CODES.search(result.stdout + result.stderr)
    assert "\r" not in result.stderr
    assert re.search(r"^\[2/2\] demo", result.stderr, re.M)
    listed = symbench("list", folder=plugin)
    assert not CODES.search(listed.stdout)
    assert any("lavie2024.dimension" in line and "count" in line
               for line in listed.stdout.splitlines())  # fmt: skip


COMMANDS = {
    "list": ["list"],
    "show": ["show", "demo.greek"],
    "verify": ["verify", "demo.greek"],
    "json": ["verify", "demo.greek", "--json"],
    "hunt": ["hunt", "demo.greek", "--save"],
    "check": ["check"],
    "error": ["show", "demo.γ"],
}


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "C locale"])
@pytest.mark.parametrize("name", COMMANDS)
def test_greek_letters_on_any_terminal(tmp_path, name, encoding):
    source = CLAIMS.replace("demo.small", "demo.greek").replace("Every positive", "Jedes α ≥ 1, é:")
    source = source.replace("0 < n < 50", 'n != 0 and (n < 50 or Fails(f"α = {n} ∉ ℕ é"))')
    folder = write_plugin(tmp_path, source.replace('"zero"', '"ψ → é"'))
    found = [tmp_path / "found.json"] * (name in ("hunt", "check"))
    if name == "check":
        assert symbench("hunt", "demo.greek", "--save", *found, folder=folder).returncode == 1
    mode = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    if encoding == "C locale":
        mode = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    environ = environment(folder, **mode)
    run = finished(command(*COMMANDS[name], *found), env=environ, encoding="latin-1")
    output = run.stdout + run.stderr
    assert "Traceback" not in output, output
    assert run.returncode == {"verify": 1, "json": 1, "hunt": 1, "error": 2}.get(name, 0), output
    assert run.stderr if name == "error" else run.stdout
    if name == "show":
        for letter in "αéψ":
            text = letter.encode("latin-1", "backslashreplace")
            # Click takes an ASCII terminal for a mistake and writes UTF-8.
            text = text if encoding == "latin-1" else letter.encode()
            assert text in run.stdout.encode("latin-1")


EMPTY = "import importlib.metadata as m; m.entry_points = lambda group: []"


@pytest.mark.parametrize("run", [["list"], ["list", "--paper", "boix2024"], ["verify"],
                                 ["verify", "--json"], ["verify", "lavie2024.dimension"],
                                 ["show", "lavie2024.dimension"],
                                 ["hunt", "lavie2024.dimension"]], ids=str)  # fmt: skip
def test_an_empty_book_is_an_error(run):
    code = f"{EMPTY}; from symbench.cli import main; main()"
    empty = finished([sys.executable, "-c", code, *run], env=environment())
    assert empty.returncode == 2
    assert empty.stdout == ""
    assert re.search("Error: no claim", empty.stderr)
    assert "Traceback" not in empty.stderr


@pytest.mark.parametrize("columns", [30, 60, 100])
def test_a_terminal(plugin, columns):
    """On a terminal the table fits, however narrow it is."""
    ours, theirs = pty.openpty()
    text = b""
    with started(
        command("verify", "demo.good", "lavie2024.dimension"),
        env=environment(plugin, COLUMNS=str(columns), TERM="xterm"),
        stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # the end of a terminal
                break
            if not block:
                break
            text += block
        os.close(ours)
        assert process.wait(PATIENCE) == 0
    screen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    lines = screen.replace("\r", "\n").split("\n")
    table = [line.rstrip() for line in lines if line.startswith(("claim", "demo", "lavie2024"))]
    assert len(table) >= 3
    assert max(map(len, table)) <= columns
    assert "2 of 2 verdicts as expected" in " ".join(screen.split())


PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def interrupt(process):
    """Ctrl-C: what it wrote to standard error; it is gone, with all its workers."""
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    until(lambda: not members(process.pid))
    return errors


@pytest.mark.parametrize(
    "slow", [("demo.slow", "count=100000"), ("demo.endless", "count=1")], ids=str
)
def test_ctrl_c(plugin, tmp_path, slow):
    id, size = slow
    path = tmp_path / "ledger.db"
    run = ["verify", "demo.good", id, "--jobs", "2", "--ledger", path, "--size"]
    with started(command(*run, size), env=environment(plugin), **PIPES) as process:
        if id == "demo.slow":  # demo.good takes its time with so many cases
            until(lambda: kept("demo.slow", path) > 40)  # of the claim that is not finished
        else:
            until(lambda: finished_claims(path) == ["demo.good"])
        assert "interrupted" in interrupt(process)
    number = kept(id, path)
    if id == "demo.slow":
        assert number > 40  # and running again goes on from there
        with started(command(*run, size), env=environment(plugin), **PIPES) as process:
            until(lambda: kept("demo.slow", path) > number)
            interrupt(process)
        assert [row.number for row in Ledger(path).rows(id)] == [
            *range(1, kept("demo.slow", path) + 1)
        ]
    else:
        again = symbench("verify", "demo.good", "demo.slow", "--json", "--ledger", path,
                         "--size", "count=1", folder=plugin)  # fmt: skip
        assert again.returncode == 0, again.stderr
        assert "[1/1] demo.slow" in again.stderr
        assert finished_claims(path) == ["demo.good", "demo.slow"]


def begun(path):
    """Whether the ledger is more than an empty file by now."""
    return path.exists() and path.stat().st_size > 0


def kept(id, path):
    """How many cases of a claim are in the ledger by now."""
    return sum(1 for _ in Ledger(path).rows(id)) if begun(path) else 0


def finished_claims(path):
    """The claims whose verdicts are in the ledger by now."""
    return [verdict.claim for verdict in Ledger(path).verdicts()] if begun(path) else []


@pytest.mark.parametrize(
    "run",
    [
        ["verify", "demo.flint", "--jobs", "1"],  # while FLINT computes
        ["hunt", "demo.fine", "--max-examples", 10**8],
    ],
    ids=["flint", "hunt"],
)
def test_ctrl_c_while_a_worker_is_busy(plugin, tmp_path, run):
    begun = tmp_path / "begun"
    environ = environment(plugin, DEMO_BEGUN=str(begun))
    with started(command(*run), env=environ, **PIPES) as process:
        until(begun.exists)
        interrupt(process)


@pytest.mark.parametrize("run", [["list"], ["verify"], ["sweep", "demo.good", "--grid", "count=3"]])
def test_ctrl_c_while_the_claims_are_loaded(tmp_path, run):
    begun = tmp_path / "begun"
    source = f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep({PATIENCE})\n"
    folder = write_plugin(tmp_path, source)
    with started(command(*run), env=environment(folder), **PIPES) as process:
        until(begun.exists)
        assert interrupt(process) == "interrupted\n"


def test_ctrl_c_just_before_it_waits():
    """A signal that another thread takes wakes nobody, as one that comes a moment too early."""
    waited = []

    def one(id):
        time.sleep(0.3)  # it waits by now
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        threading.Event().wait(20)
        waited.append(id)

    with pytest.raises(KeyboardInterrupt):
        list(_in_threads(one, ["a"], 1))
    with Workers() as workers:
        future = workers.submit(time.sleep, 20)
        threading.Thread(target=one, args=["b"], daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            workers.wait(future)
    assert waited == []


def test_ctrl_c_reaches_the_child_of_a_runner_that_ignores_it():
    """As under nohup, or in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = "import time; print('up', flush=True); time.sleep(60)"
        with started([sys.executable, "-c", code], **PIPES) as process:
            assert process.stdout.readline() == "up\n"
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.returncode == -signal.SIGINT


def test_a_test_that_fails_leaves_no_process(plugin):
    run = command("verify", "demo.flint")
    with suppress(ZeroDivisionError), started(run, env=environment(plugin), **PIPES) as process:
        until(lambda: len(members(process.pid)) > 1)
        raise ZeroDivisionError
    until(lambda: not members(process.pid))


def test_nothing_stays_behind(plugin):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = command("verify", "demo.good", "--timeout", "5")
    with started(run, env=environment(plugin), **quiet) as process:
        assert process.wait(PATIENCE) == 0
        until(lambda: not members(process.pid))
