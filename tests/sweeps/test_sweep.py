"""What a sweep finds, whoever looks at the cases."""

import gc
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from symbench.certificates.plain import from_plain
from symbench.draw.progress import within
from symbench.errors import (
    BadClaim,
    BadExecutor,
    BadLedger,
    BadType,
    BadValue,
    NotSupported,
    TooLarge,
    Undecided,
    UnknownName,
)
from symbench.registry import claims, verify
from symbench.registry.ledger import Ledger
from symbench.registry.running import conclude
from symbench.sweeps import cluster, scheduler, sweep, write_bundle, write_table
from tests.registry.conftest import declare as declare
from tests.registry.plugin import PATIENCE, started

from .conftest import HANG, KILL

ID = "mine.numbers"
GRID = {"top": [4, 12, 9]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sweep.db"


@pytest.fixture
def expected(mine, tmp_path):
    """The table by another road: verify(), in this process, one case after the other."""
    for top in GRID["top"]:
        verify(ID, top=top, ledger=tmp_path / "verified.db")
    mine.forget()
    return mine.table(tmp_path / "verified.db")


@pytest.fixture(scope="module")
def dask():
    with cluster(2) as executor:
        yield executor


def test_the_table_is_the_same_wherever_it_is_run(mine, expected, tmp_path, dask):
    assert expected.count(b"\n") == 1 + 4 + 12 + 9
    processes = ProcessPoolExecutor(2, mp_context=get_context("forkserver"))
    with processes, ThreadPoolExecutor(1) as threads:
        for k, executor in enumerate((None, threads, processes, dask)):
            path = tmp_path / f"{k}.db"
            found = sweep(ID, GRID, ledger=path, executor=executor, jobs=k or None)
            assert mine.table(path) == expected
            assert found.as_expected
            assert found.computed == 12
            assert [verdict.parameters["top"] for verdict in found.verdicts] == GRID["top"]
            assert [(c.holds, c.pending) for c in found.counts] == [(4, 0), (12, 0), (9, 0)]
            assert sorted(mine.log) == [*range(1, 13)]
            mine.forget()


def test_a_verdict_of_a_sweep_is_that_of_verify(mine, path):
    found = sweep(ID, {"top": [6]}, ledger=path, jobs=1)
    [verdict] = found.verdicts
    assert verdict == verify(ID, top=6)
    assert verdict.certificate == verify(ID, top=6).certificate
    assert Ledger(path).verdicts() == [verdict]
    assert str(found) == (
        "mine.numbers\n"
        "top  step  cases  holds  fails  error  unfinished  pending  verdict\n"
        "  6     1      6      6      0      0           0        0  holds"
    )


def test_cases_are_run_once_whatever_the_grid(mine, path):
    assert sweep(ID, {"top": [3]}, ledger=path, jobs=1).computed == 3
    assert sweep(ID, {"top": [3, 5]}, ledger=path, jobs=1).computed == 2
    assert sweep(ID, {"top": [5], "step": [1, 2]}, ledger=path, jobs=1).computed == 0
    assert sorted(mine.log) == [1, 2, 3, 4, 5]


def test_progress_begins_when_the_cases_are_listed(mine, path):
    told = []
    for computed in (9, 0):
        tell = lambda done, total: told.append((done, total, len(mine.log)))  # noqa: E731
        assert sweep(ID, {"top": [9]}, ledger=path, jobs=1, progress=tell).computed == computed
    assert told[0] == (0, 9, 0)
    assert [done for done, _, _ in told[1:-1]] == sorted({done for done, _, _ in told[1:-1]})
    assert told[-2:] == [(9, 9, 9), (0, 0, 9)]


def test_interrupted_it_goes_on(mine, expected, path):
    def stop(done, total):
        assert total == 12
        if done >= 3:
            raise KeyboardInterrupt

    for n in range(1, 13):
        mine.at(n, "time.sleep(0.05)")
    with pytest.raises(KeyboardInterrupt):
        sweep(ID, GRID, ledger=path, jobs=1, progress=stop)
    before = [row for row in Ledger(path).rows() if row.outcome != "pending"]
    assert 3 <= len({str(row.case) for row in before}) < 12
    mine.forget()
    found = sweep(ID, GRID, ledger=path, jobs=1)
    assert not {from_plain(row.case) for row in before} & set(mine.log)
    assert found.computed == len(mine.log)
    assert mine.table(path) == expected


def test_a_worker_that_is_killed_loses_nothing(mine, expected, path):
    for n in (1, 5, 12):
        mine.at(n, KILL, once=True)
    found = sweep(ID, GRID, ledger=path, jobs=2)
    assert (found.as_expected, mine.table(path)) == (True, expected)
    assert sorted(mine.log) == sorted([*range(1, 13), 1, 5, 12])
    assert len(mine.processes) >= 4


def test_a_worker_that_is_killed_while_it_starts(mine, path):
    mine.at("start", KILL, once=True)
    assert sweep(ID, {"top": [3]}, ledger=path, jobs=1).as_expected
    mine.at("start", KILL)
    with pytest.raises(BadExecutor, match="a worker process did not start: exit code -9"):
        sweep(ID, {"top": [4]}, ledger=path, jobs=1)
    assert [row.outcome for row in Ledger(path).rows()] == ["holds"] * 6 + ["pending"]


def test_a_case_that_kills_is_an_error_and_the_others_are_not(mine, path):
    mine.at(3, KILL)
    mine.at(4, "raise ZeroDivisionError('broken')")
    mine.at(5, HANG)
    mine.at(6, "bytearray(3 << 30)")
    mine.at(7, "from flint import fmpz\nfmpz(1) << (8 * (3 << 30))")
    found = sweep(ID, {"top": [8]}, ledger=path, jobs=2, timeout=5, memory=2000)
    rows = {from_plain(row.case): (row.outcome, row.reason) for row in Ledger(path).rows()}
    assert rows == {
        **dict.fromkeys((1, 2, 8), ("holds", "")),
        3: ("error", f"the worker process died twice (exit code {-signal.SIGKILL})"),
        4: ("error", "ZeroDivisionError: broken"),
        5: ("unfinished", "out of time after 5 s"),
        6: ("unfinished", "out of memory"),
        7: ("unfinished", "out of memory, with 2000 MB"),
    }
    assert mine.log.count(3) == 2
    [count] = found.counts
    assert (count.holds, count.error, count.unfinished) == (3, 2, 3)
    assert found.verdicts[0].status == "undecided"
    for n in range(3, 8):
        (mine.folder / f"at-{n}").unlink()
    mine.forget()
    assert sweep(ID, {"top": [8]}, ledger=path, jobs=1).computed == 0
    again = sweep(ID, {"top": [8]}, ledger=path, jobs=1, retry="undecided")
    assert (again.as_expected, sorted(mine.log)) == (True, [3, 4, 5, 6, 7])


def test_little_memory_is_no_error(mine, path):
    mine.at(2, "os._exit(1)")  # as OpenBLAS does, where numpy is loaded with too little
    sweep(ID, {"top": [3]}, ledger=path, jobs=1, memory=2000)
    out = ("unfinished", "out of memory, with 2000 MB")
    assert [(row.outcome, row.reason) for row in Ledger(path).rows()][1] == out
    sweep(ID, {"top": [3]}, ledger=path, jobs=1, retry="undecided")
    died = ("error", "the worker process died twice (exit code 1)")
    assert [(row.outcome, row.reason) for row in Ledger(path).rows()][1] == died


def test_limits_hold_in_a_worker_of_dask(mine, path, dask):
    mine.at(2, HANG)
    mine.at(3, KILL)
    sweep(ID, {"top": [6]}, ledger=path, executor=dask, timeout=5)
    assert [row.outcome for row in Ledger(path).rows()] == [
        "holds", "unfinished", "error", "holds", "holds", "holds"
    ]  # fmt: skip


def test_certificates_come_along(tmp_path):
    path, grid = tmp_path / "sweep.db", {"max_length": [3, 5]}
    sweep("lavie2024.dimension", grid, ledger=path, jobs=1)
    verified = tmp_path / "verified.db"
    for size in grid["max_length"]:
        verify("lavie2024.dimension", max_length=size, ledger=verified)
    for form in ("csv", "jsonl", "parquet"):
        for ledger in (path, verified):
            write_table(ledger, ledger.with_suffix(f".{form}"), form)
        whole = path.with_suffix(f".{form}").read_bytes()
        assert whole == verified.with_suffix(f".{form}").read_bytes()
    rows = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
    assert [(row["parameters"]["max_length"], row["number"]) for row in rows] == [
        *((3, n) for n in range(1, 6)), *((5, n) for n in range(1, 12))
    ]  # fmt: skip
    import pyarrow.parquet

    columns = pyarrow.parquet.read_table(path.with_suffix(".parquet")).to_pydict()
    assert columns["outcome"] == ["holds"] * 16
    assert [json.loads(case) for case in columns["case"]] == [row["case"] for row in rows]
    assert columns["certificate"] == [row["certificate"] for row in rows]
    write_bundle(path, tmp_path / "bundle.jsonl")
    from symbench.recheck import recheck

    found = str(recheck(tmp_path / "bundle.jsonl"))
    certified = sum(row["certificate"] is not None for row in rows[5:])
    rest = f"{certified} certificates, {11 - certified} cases to re-run"
    assert found.startswith(f"checked in part: {rest}")
    assert certified > 3


def test_what_nobody_looked_at_does_not_hold(mine, path, tmp_path):
    found = sweep(ID, {"top": [2]}, ledger=path, jobs=1)
    with Ledger(path) as book:
        [point] = book.plan(claims[ID], [{"top": 3, "step": 1}], 10)
        last = ("unfinished", "nobody looked at it")
        assert [result for _, result, _ in point.examined()] == [("holds", "")] * 2 + [last]
        verdict = conclude(claims[ID], point, {"near_misses": [("fails", "")], "controls": []}, 0)
        assert (verdict.status, verdict.unfinished) == ("undecided", 1)
    assert found.as_expected
    write_bundle(path, tmp_path / "bundle.jsonl")  # a point has no verdict
    assert json.loads((tmp_path / "bundle.jsonl").read_text().splitlines()[-1])["status"] == (
        "undecided"
    )


# --- what is refused ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("grid", "error", "message"),
    [
        ({}, BadValue, "the grid is empty: give values for one of the parameters, top, step"),
        ({"top": []}, BadValue, "the grid has no value for top"),
        ({"top": range(5, 3)}, BadValue, "the grid has no value for top"),
        ({"size": [3]}, UnknownName, "no parameter 'size': it takes top, step"),
        ({"top": "345"}, BadValue, "the grid has '345' for top: give a list of values"),
        ({"top": 3}, BadValue, "the grid has 3 for top: give a list of values"),
        ({"top": ["x"]}, BadType, "parameter top is 'x': give an integer"),
        ({"top": [3, 3]}, BadValue, "the same point twice"),
        ([("top", 3)], BadType, "the grid is"),
        ({"top": range(10**7)}, TooLarge, "the grid has 10,000,000 points, each"),
        ({"top": [10, 2 * 10**6]}, TooLarge, "more than 2,000 cases: point 2"),
    ],
)  # fmt: skip
def test_a_bad_grid(mine, path, grid, error, message):
    with pytest.raises(error, match=message):
        sweep(ID, grid, ledger=path, most=2000)
    assert not path.exists() or list(Ledger(path).rows()) == []
    assert mine.log == []


def test_bad_arguments(mine, path):
    for options, error, message in (
        ({"executor": 3}, BadType, "the executor is 3"),
        ({"retry": "all"}, UnknownName, "retry is 'all'"),
        ({"timeout": 0}, BadValue, "timeout is 0"),
        ({"memory": 0}, BadValue, "memory in megabytes is 0"),
        ({"jobs": 0}, BadValue, "jobs is 0"),
        ({"most": 0}, BadValue, "most is 0"),
        ({"progress": 3}, BadType, "progress is 3"),
        ({"ledger": path / "none" / "x.db"}, BadLedger, "no such folder"),
    ):
        with pytest.raises(error, match=message):
            sweep(ID, GRID, **options)
    with pytest.raises(UnknownName, match=r"no claim 'mine\.number'"):
        sweep("mine.number", GRID)
    with pytest.raises(NotSupported, match="has no sizes: there is no grid to sweep; verify it"):
        sweep("boix2024.observation-1.2", {"top": [3]})


def test_a_ledger_of_another_claim_is_left_alone(mine, path):
    verify("mine.hidden", ledger=path)
    before = path.read_bytes()
    with pytest.raises(BadLedger, match=r"it is of mine\.hidden and not of mine\.numbers"):
        sweep(ID, GRID, ledger=path)
    assert path.read_bytes() == before


def test_a_ledger_of_another_edition_is_left_alone(mine, path):
    verify(ID, ledger=path)
    before = path.read_bytes()
    mine.path.write_text(mine.path.read_text() + "\n")
    with pytest.raises(BadLedger, match="it is of edition"):
        sweep(ID, GRID, ledger=path)
    assert path.read_bytes() == before


def test_a_claim_that_workers_cannot_know(path, mine, declare):
    declare(lambda n: n > 0, cases=lambda top=3: range(1, top + 1))
    with pytest.raises(BadClaim, match=r"does not declare test\.claim when it is loaded"):
        sweep("test.claim", {"top": [3]}, ledger=path, jobs=1)
    typed = {}
    exec(mine.path.read_text().replace("mine.", "typed."), {"__name__": "__main__"}, typed)
    with pytest.raises(BadClaim, match=r"typed\.numbers is declared in no file"):
        sweep("typed.numbers", {"top": [3]}, jobs=1)


def test_workers_of_another_version_are_refused(mine, path, monkeypatch):
    monkeypatch.setattr("symbench.sweeps.running.versions", lambda _: {"symbench": "0"})
    with pytest.raises(BadExecutor, match=r"a worker has symbench .*, and here it is 0: install"):
        sweep(ID, GRID, ledger=path, jobs=1)
    assert {row.outcome for row in Ledger(path).rows()} == {"pending"}


def test_an_executor_that_is_gone(mine, path):
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(BadExecutor, match=r"the executor is gone .*shutdown.*: what was finished"):
        sweep(ID, GRID, ledger=path, executor=executor)


class Odd(Executor):
    """An executor whose submit is whatever it is given."""

    def __init__(self, submit):
        self.submit = submit


def done(result):
    future = Future()
    future.set_result(result)
    return future


@pytest.mark.parametrize(
    ("submit", "message"),
    [
        (lambda *_: 1 // 0, r"the executor is gone \(.*zero\): what was finished is in the ledger"),
        (lambda *_: 5, "what the executor gives is 5: give a Future"),
        (lambda *_: done("x"), "the executor gives 'x' for a list of answers"),
        (lambda *_: done([]), r"the executor gives \[\] for a list of answers"),
    ],
)
def test_executors_that_are_none(mine, path, submit, message):
    with pytest.raises((BadExecutor, BadType), match=message):
        sweep(ID, GRID, ledger=path, executor=Odd(submit))


def test_what_came_with_a_broken_batch_is_kept(mine, path):
    class Half(ThreadPoolExecutor):
        """After five batches, one that is answered and one that is not, both at once."""

        def submit(self, *arguments):
            future = super().submit(*arguments)
            future.exception()
            self.sent = getattr(self, "sent", 0) + 1
            if self.sent == 6:
                broken = Future()
                broken.set_exception(OSError("lost"))
                return broken
            return future

    for n in range(1, 13):
        mine.at(n, "time.sleep(0.05)")
    with Half(3) as executor, pytest.raises(BadExecutor, match=r"fails: OSError\('lost'\)"):
        sweep(ID, GRID, ledger=path, executor=executor)
    kept = {from_plain(row.case) for row in Ledger(path).rows() if row.outcome == "holds"}
    assert len(kept) == 4


@pytest.mark.parametrize("memory", [None, 2000])
def test_whatever_a_case_raises_and_reads(mine, path, memory):
    mine.at(2, "raise KeyboardInterrupt('no')")
    mine.at(3, "raise GeneratorExit")
    mine.at(4, "input()")
    sweep(ID, {"top": [5]}, ledger=path, memory=memory, jobs=1)
    assert [(row.outcome, row.reason) for row in Ledger(path).rows()] == [
        ("holds", ""),
        ("error", "KeyboardInterrupt: no"),
        ("error", "GeneratorExit: "),
        ("error", "EOFError: EOF when reading a line"),
        ("holds", ""),
    ]
    assert len(mine.processes) == 1


def test_a_sweep_leaves_no_pipe_open(mine, path):
    def pipes():
        return {link for fd in os.listdir("/proc/self/fd")
                if (link := read_link(f"/proc/self/fd/{fd}")).startswith("pipe:")}  # fmt: skip

    def read_link(name):
        try:
            return os.readlink(name)
        except OSError:  # of the listing itself
            return ""

    gc.collect()
    before = pipes()
    gc.disable()  # which closes them some time, with a warning or without
    try:
        sweep(ID, GRID, ledger=path, jobs=2)
        assert pipes() <= before
    finally:
        gc.enable()


def test_a_child_that_is_asked_nothing_ends():
    code = "from symbench.sweeps import children; children._IDLE = 0.1; children.main()"
    setup = {"id": "lavie2024.dimension", "memory": None, "parent": os.getpid(),
             "origin": {"module": "symbench.papers.lavie2024.polynomials"}}  # fmt: skip
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started([sys.executable, "-c", code], **pipes) as process:
        process.stdin.write(json.dumps(setup) + "\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""


def test_a_scheduler_that_does_not_answer():
    with pytest.raises(BadExecutor, match=r"no scheduler answers at 'tcp://127.0.0.1:1' within"):
        scheduler("tcp://127.0.0.1:1", timeout=0.2).__enter__()
    with pytest.raises(BadExecutor, match="no scheduler answers at 'nonsense'"):
        scheduler("nonsense", timeout=0.2).__enter__()


def test_listing_the_cases_says_how_far_it_is():
    # What tells a bar how far it is can be ended.
    with pytest.raises(Undecided, match="out of time"), within(1e-9):
        sweep("lavie2024.dimension", {"max_length": [5]})
