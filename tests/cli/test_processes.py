"""The command in processes of its own: pipes, terminals, Ctrl-C."""

import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest

from ..registry.plugin import command, environment, symbench

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
    assert symbench("check", path).returncode == 1  # where nobody knows the claim


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


@pytest.mark.parametrize("columns", [30, 60, 100])
def test_a_terminal(plugin, columns):
    """On a terminal the table fits, however narrow it is."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("verify", "demo.good", "lavie2024.dimension"),
        env=environment(plugin, COLUMNS=str(columns), TERM="xterm"),
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    text = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # the end of a terminal
            break
        if not block:
            break
        text += block
    os.close(ours)
    assert process.wait(30) == 0
    screen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    table = [
        line for line in screen.replace("\r", "\n").split("\n") if line.startswith(("┏", "│", "└"))
    ]
    assert table
    assert max(map(len, table)) <= columns
    assert "2 of 2 verdicts as expected" in " ".join(screen.split())


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.mark.parametrize(
    "slow", [("demo.slow", "count=100000"), ("demo.endless", "count=1")], ids=str
)
def test_ctrl_c(plugin, tmp_path, slow):
    id, size = slow
    path = tmp_path / "ledger.jsonl"
    run = ["verify", "demo.good", id, "--jobs", "2", "--ledger", path, "--size"]
    process = subprocess.Popen(
        command(*run, size), env=environment(plugin), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    if id == "demo.slow":  # demo.good takes its time with so many cases
        time.sleep(2)
    else:
        wait_for(lambda: path.exists() and path.read_text().count("\n") == 1)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - start < 10  # a few seconds; the machine may be busy
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    wait_for(lambda: not members(process.pid), 10)
    if id == "demo.endless":
        kept = path.read_text()
        assert [json.loads(line)["claim"] for line in kept.splitlines()] == ["demo.good"]
        # and running again goes on from there
        again = symbench("verify", "demo.good", "demo.slow", "--json", "--ledger", path,
                         "--size", "count=1", folder=plugin)  # fmt: skip
        assert again.returncode == 0, again.stderr
        assert "[1/1] demo.slow" in again.stderr
        assert path.read_text().startswith(kept)
        assert len(path.read_text().splitlines()) == 2


def test_ctrl_c_while_flint_computes(plugin):
    process = subprocess.Popen(
        command("verify", "demo.flint", "--jobs", "1"), env=environment(plugin),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_for(lambda: len(members(process.pid)) == 2)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    wait_for(lambda: not members(process.pid), 10)


def test_ctrl_c_in_a_hunt(plugin):
    process = subprocess.Popen(
        command("hunt", "demo.fine", "--max-examples", 10**8), env=environment(plugin),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_for(lambda: len(members(process.pid)) == 2)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    wait_for(lambda: not members(process.pid), 10)


def test_nothing_stays_behind(plugin):
    process = subprocess.Popen(
        command("verify", "demo.good", "--timeout", "5"), env=environment(plugin),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.wait(30) == 0
    wait_for(lambda: not members(process.pid), 10)
