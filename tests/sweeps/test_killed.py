"""Killed processes, a full disk, two sweeps at once: nothing is lost, and nothing there twice."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import dask
import distributed  # noqa: F401  # before its configuration is changed for a moment
import pytest

from symbench.errors import BadExecutor
from symbench.registry import verify
from symbench.registry.ledger import Ledger
from symbench.sweeps import scheduler, sweep
from tests.registry.plugin import PATIENCE, command, environment, started, until

from .conftest import HANG, alive, children

ID = "mine.numbers"
TOP = 30


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sweep.db"


@pytest.fixture
def expected(mine, tmp_path):
    """The table by another road: verify(), in this process, one case after the other."""
    verify(ID, top=TOP, ledger=tmp_path / "verified.db")
    mine.forget()
    for n in range(1, TOP + 1):
        mine.at(n, "time.sleep(0.03)")  # or one batch would have them all
    return mine.table(tmp_path / "verified.db")


def arguments(mine, path, *options, top=TOP):
    return command("sweep", ID, "--grid", f"top={top}", "--module", mine.path, "--ledger", path,
                   *options)  # fmt: skip


@contextmanager
def sweeping(mine, path, *options, **more):
    """The command in a process of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(arguments(mine, path, *options), env=environment(), **pipes, **more) as process:
        yield process


def known(path):
    """The cases that have an answer in the ledger."""
    return {int(row.case["int"]) for row in Ledger(path).rows() if row.outcome != "pending"}


def check_the_rest(mine, path, expected):
    """The sweep goes on from the ledger, runs nothing of it again, and has the same table."""
    before = known(path)
    assert len(before) < TOP
    mine.forget()
    assert sweep(ID, {"top": [TOP]}, ledger=path, jobs=2).as_expected
    assert before.isdisjoint(mine.log)
    assert sorted(before | {*mine.log}) == [*range(1, TOP + 1)]
    assert mine.table(path) == expected


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_parent_that_is_killed(mine, path, expected, number):
    mine.at(TOP, HANG)  # a child in the midst of a FLINT call
    with sweeping(mine, path, "--jobs", 2) as process:
        until(lambda: TOP in mine.log)
        until(lambda: len(children(process.pid)) == 2)
        below = children(process.pid)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
        until(lambda: not any(map(alive, below)))
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    if number == signal.SIGINT:
        assert f"interrupted; what was finished is in {path}" in errors
    mine.at(TOP, "")
    check_the_rest(mine, path, expected)


def test_dask_worker_and_client_are_killed(mine, path, expected):
    mine.allow(8)
    with sweeping(mine, path, "--cluster", 2) as process:
        until(lambda: len(mine.log) >= 8)
        # A worker of dask: it has a child that looks at cases.
        worker = Path(f"/proc/{max(mine.processes)}/stat").read_text().rsplit(")", 1)[1].split()[1]
        assert int(worker) != process.pid
        os.kill(int(worker), signal.SIGKILL)
        seen = len(known(path))
        mine.allow(TOP - 1)
        until(lambda: len(known(path)) > seen)
        below = children(process.pid)
        process.kill()
        process.communicate(timeout=PATIENCE)
        until(lambda: not any(map(alive, below)))
    mine.allow(2 * TOP)
    check_the_rest(mine, path, expected)


@pytest.mark.slow
def test_ctrl_c_of_a_terminal_reaches_the_workers_of_a_cluster_and_ends_them(mine, path, expected):
    mine.allow(8)
    with sweeping(mine, path, "--cluster", 2) as process:
        until(lambda: len(mine.log) >= 8)
        below = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all that run there
        mine.allow(2 * TOP)  # what is on its way comes to its end
        _, errors = process.communicate(timeout=PATIENCE)
        until(lambda: not any(map(alive, below)))
    assert process.returncode == 130
    assert errors.endswith(f"interrupted; what was finished is in {path}\n")
    assert "KeyboardInterrupt" not in errors
    mine.allow(2 * TOP)
    check_the_rest(mine, path, expected)


def test_a_disk_that_is_full(mine, path, expected):
    long = "raise ValueError('x' * 4000 + str(n))"
    for n in range(10, TOP):
        mine.at(n, long)
    run = [*arguments(mine, path, "--jobs", "1")]
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (61_000, 61_000)); "
        "from symbench.cli import main; main(sys.argv[1:])"
    )
    run[1:3] = ["-c", code]
    with started(run, env=environment(), stderr=subprocess.PIPE) as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "cannot use the ledger" in errors
    assert path.stat().st_size <= 61_000
    before = known(path)
    assert 0 < len(before) < TOP
    for n in range(10, TOP):
        mine.at(n, "")
    mine.forget()
    assert sweep(ID, {"top": [TOP]}, ledger=path, jobs=2, retry="undecided").as_expected
    assert mine.table(path) == expected


def test_two_processes_and_one_ledger(mine, path, tmp_path):
    top = 2 * TOP
    verify(ID, top=top, ledger=tmp_path / "verified.db")
    mine.forget()
    mine.allow(0)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()}
    run = arguments(mine, path, "--jobs", "1", "--json", top=top)
    with started(run, **pipes) as one, started(run, **pipes) as two:
        until(lambda: len(mine.processes) == 2)  # both are at it, or one may do it all
        for n in range(1, top + 1):
            mine.at(n, "time.sleep(0.03)")
        mine.allow(2 * top)
        found = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in (one, two)]
    assert (one.returncode, two.returncode) == (0, 0)
    assert mine.table(path) == mine.table(tmp_path / "verified.db")
    assert {*mine.log} == {*range(1, top + 1)}
    # What one has on its way, the other does not see: a few cases are looked at twice.
    assert all(run["computed"] > 0 for run in found)
    assert len(mine.log) < 2 * top


SCHEDULER = """
import asyncio, sys
from distributed import Scheduler, Worker

async def main():
    here = {"host": "127.0.0.1", "dashboard": False}
    async with Scheduler(port=0, **here) as scheduler:
        async with Worker(scheduler.address, nthreads=1, **here):
            print(scheduler.address, flush=True)
            await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_scheduler_that_is_killed(mine, path, expected):
    run = [sys.executable, "-c", SCHEDULER]
    with started(run, stdout=subprocess.PIPE, env=environment()) as process:
        address = process.stdout.readline().strip()

        def kill(done, total):
            if done >= 3:
                process.kill()

        gone = pytest.raises(BadExecutor, match=r"the executor is gone .*: what was finished is")
        quickly = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
        with quickly, scheduler(address) as executor, gone:
            sweep(ID, {"top": [TOP]}, ledger=path, executor=executor, progress=kill)
    check_the_rest(mine, path, expected)
