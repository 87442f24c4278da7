"""Time and memory limits hold inside FLINT, and what runs out does not stop the rest."""

import faulthandler
import os
import subprocess
import sys
import time

import pytest
from flint import fmpz

from symbench.decide.limits import Workers
from symbench.registry import NearMiss, verify

from .plugin import PATIENCE, started, until

ENOUGH = 3  # seconds, in which a quick case is done however busy the machine is


def factor():
    (fmpz(3) ** 400 + 2).factor()  # hours


def alive():
    """Our children that are still there, zombies included."""
    return {
        entry
        for entry in os.listdir("/proc")
        if entry.isdigit() and _parent(entry) == os.getpid()
    }  # fmt: skip


def _parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (OSError, ProcessLookupError):
        return None


@pytest.fixture(autouse=True)
def no_child_left():
    before = alive()
    yield
    until(lambda: not alive() - before)


def test_a_case_that_hangs_in_flint(declare):
    declare(lambda n: factor() if n == 2 else n > 0)
    verdict = verify("test.claim", timeout=ENOUGH)
    assert (verdict.status, verdict.cases, verdict.unfinished) == ("undecided", 3, 1)
    assert (verdict.failed, verdict.errors, verdict.sharp) == (0, 0, 1)
    assert "out of time after 3 s" in verdict.explain()


def test_a_case_that_hangs_does_not_hide_a_counterexample(declare):
    declare(lambda n: time.sleep(PATIENCE) if n == 2 else 0 < n < 3)
    verdict = verify("test.claim", timeout=ENOUGH)
    assert (verdict.status, verdict.unfinished) == ("fails", 1)
    assert verdict.certificate.case == 3


def test_a_near_miss_that_hangs(declare):
    declare(lambda n: n > 0 or time.sleep(PATIENCE))
    verdict = verify("test.claim", timeout=ENOUGH)
    assert (verdict.status, verdict.sharp, verdict.unfinished) == ("undecided", 0, 0)
    assert "out of time" in verdict.near_misses["not positive"]


def test_a_sample_that_hangs(declare):
    from hypothesis import strategies as st

    declare(lambda n: time.sleep(PATIENCE), strategy=lambda: st.integers(1, 5))
    verdict = verify("test.claim", timeout=0.005)
    assert (verdict.status, verdict.unfinished) == ("undecided", 1)


def test_a_limit_is_for_one_case_not_for_a_batch(declare):
    declare(lambda n: time.sleep(ENOUGH / 10) is None and n > 0, cases=range(1, 21))
    verdict = verify("test.claim", timeout=ENOUGH)
    assert (verdict.status, verdict.cases) == ("holds", 20)


def quietly(end):
    """pytest would print the stack of a dying worker."""
    faulthandler.disable()
    return end()


@pytest.mark.parametrize("end", [os.abort, lambda: os._exit(3)])
def test_a_worker_that_dies(declare, end):
    declare(lambda n: quietly(end) if n == 2 else n > 0)
    verdict = verify("test.claim", timeout=PATIENCE)
    assert (verdict.status, verdict.cases, verdict.unfinished) == ("undecided", 3, 1)
    assert (verdict.failed, verdict.errors) == (0, 0)


@pytest.mark.parametrize("eat", [lambda: bytearray(3 << 30), lambda: fmpz(1) << (8 * (3 << 30))])
def test_a_memory_limit(declare, eat, capfd):
    declare(lambda n: quietly(eat) is None if n == 2 else n > 0)
    verdict = verify("test.claim", memory=2000)
    assert (verdict.status, verdict.cases, verdict.unfinished) == ("undecided", 3, 1)
    assert (verdict.failed, verdict.errors) == (0, 0)


def test_more_memory_than_there_is(declare):
    declare(lambda n: n > 0)
    assert verify("test.claim", memory=10**20).status == "holds"


def test_no_more_memory_than_the_system_allows():
    code = """
import resource
from symbench.decide.limits import restrain
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
for memory in (16_000, 4_000, 1 << 40):
    restrain(memory)
    print(resource.getrlimit(resource.RLIMIT_AS)[0] >> 20)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["8192", "4000", "4000"]


def test_workers_are_used_again(declare, tmp_path):
    pids = tmp_path / "pids"

    def function(n):
        with pids.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return n > 0

    declare(function, cases=range(1, 200), near_misses=[NearMiss("zero", 0)])
    with Workers(jobs=1) as workers:
        verify("test.claim", workers=workers)
        verify("test.claim", workers=workers)
    seen = pids.read_text().split()
    assert len(seen) == 400
    assert len(set(seen)) == 1
    assert set(seen) != {str(os.getpid())}


def test_without_limits_it_runs_here(declare):
    seen = set()
    declare(lambda n: seen.add(os.getpid()) is None and n > 0)
    verify("test.claim")
    assert seen == {os.getpid()}


def test_claims_in_several_threads_share_the_workers(declare):
    from concurrent.futures import ThreadPoolExecutor

    for k in range(6):
        declare(lambda n, k=k: n > 0 and n != 10 + k, id=f"test.claim-{k}", cases=range(1, 100))
    with Workers(jobs=2) as workers, ThreadPoolExecutor(4) as threads:
        run = lambda k: verify(f"test.claim-{k}", workers=workers, jobs=2)  # noqa: E731
        verdicts = list(threads.map(run, range(6)))
    assert [v.claim for v in verdicts] == [f"test.claim-{k}" for k in range(6)]
    assert [v.certificate.case for v in verdicts] == [10 + k for k in range(6)]
    assert {v.cases for v in verdicts} == {99}


HANGS = """
from flint import fmpz
from symbench.decide.limits import Workers

def hang():
    print("begun", flush=True)
    (fmpz(3) ** 400 + 2).factor()

workers = Workers(jobs=2)
for _ in range(2):
    workers.submit(hang)
input()
"""


def test_workers_end_with_a_parent_that_is_killed():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started([sys.executable, "-c", HANGS], **pipes) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
        below = [
            pid for pid in os.listdir("/proc") if pid.isdigit() and _parent(pid) == process.pid
        ]
        assert len(below) == 2
        process.kill()
        process.wait()
        until(lambda: all(_parent(pid) is None for pid in below))
