"""symbench sweep and symbench export: what they take, print and refuse."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from symbench.cli import main
from symbench.registry import verify

ID = "mine.numbers"


def run(*arguments, code=0):
    found = CliRunner().invoke(main, [*map(str, arguments)])
    assert found.exit_code == code, found.output
    return found.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--grid", "top"), "'top' is not of the form name=3..7"),
        (("--grid", "=3"), "'=3' is not of the form name=3..7"),
        (("--grid", "top=1", "--grid", "top=2"), "'top=2' names a parameter twice"),
        (("--grid", "top=1..x"), "'top=1..x' has no range: give two integers"),
        (("--grid", "top=5..3"), "the grid has no value for top: give at least one"),
        (("--grid", "top="), "the grid has no value for top: give at least one"),
        (("--grid", "size=3"), "mine.numbers has no parameter 'size': it takes top, step"),
        (("--grid", "top=1..99999999999"), "the grid has 99,999,999,999 points"),
        (("--grid", f"top=1..{10**20}"), "the grid has 100,000,000,000,000,000,000 points"),
        (("--grid", "top=50", "--most", "20"), "has more than 20 cases: point 1"),
        (("--grid", "top=3", "--cluster", "2", "--scheduler", "tcp://x:1"), "give one of --jobs"),
        (("--grid", "top=3", "--cluster", "2", "--jobs", "2"), "give one of --jobs"),
        (("--grid", "top=3", "--timeout", "-1"), "timeout is -1.0: give more than 0"),
        ((), "Missing option '--grid'"),
    ],
)  # fmt: skip
def test_what_is_refused(mine, tmp_path, arguments, message):
    said = run("sweep", ID, "--ledger", tmp_path / "sweep.db", *arguments, code=2)
    assert message in " ".join(said.split())
    assert mine.log == []


def test_values_are_ranges_lists_and_texts(mine):
    from symbench.cli.sweep import read_grid

    read = read_grid(None, None, ["a=3..5", "b=7", "c=1,2,9", "d=x,y", "e=-2..-1"])
    assert {name: [*values] for name, values in read.items()} == {
        "a": [3, 4, 5], "b": [7], "c": [1, 2, 9], "d": ["x", "y"], "e": [-2, -1]
    }  # fmt: skip


def test_codes_counts_and_tables(mine, tmp_path):
    ledger = tmp_path / "sweep.db"
    mine.at(2, "raise ValueError('no')")
    sweep = ("sweep", ID, "--grid", "top=2,3", "--ledger", ledger, "--jobs", "1")
    found = json.loads(run(*sweep, "--json", code=3))
    assert (found["claim"], found["computed"]) == (ID, 3)
    assert [(p["holds"], p["error"], p["pending"]) for p in found["points"]] == [
        (1, 1, 0),
        (2, 1, 0),
    ]
    assert [v["status"] for v in found["verdicts"]] == ["undecided"] * 2
    (mine.folder / "at-2").unlink()
    said = run(*sweep, "--retry", "undecided")
    assert "1 cases looked at now" in said
    for form in ("csv", "jsonl", "parquet"):
        run("export", form, ledger, "-o", tmp_path / form)
    assert (tmp_path / "csv").read_bytes() == mine.table(ledger)
    assert run("export", "csv", ledger) == (tmp_path / "csv").read_text()
    assert not [*tmp_path.glob("*.part")]


def test_exports_that_are_refused(mine, tmp_path):
    ledger = tmp_path / "sweep.db"
    assert "there is no such file" in run("export", "csv", ledger, code=2)
    assert not ledger.exists()
    for id in (ID, "mine.hidden"):
        verify(id, top=2, ledger=ledger)
    assert "is not for a terminal" in run("export", "bundle", ledger, code=2)
    out = ("-o", tmp_path / "bundle")
    said = run("export", "bundle", ledger, *out, code=2)
    assert "has cases of mine.hidden, mine.numbers: name one" in said
    assert "has no cases of x.y" in run("export", "bundle", ledger, *out, "--claim", "x.y", code=2)
    assert not (tmp_path / "bundle").exists()
    run("export", "bundle", ledger, *out, "--claim", ID)
    assert "--claim belongs to a bundle" in run("export", "csv", ledger, "--claim", ID, code=2)
    for place in (tmp_path / "none" / "x.csv", ledger / "x.csv", "/dev/full"):
        assert "cannot write" in run("export", "csv", ledger, "-o", place, code=2)
    assert Path("/dev/full").is_char_device()


def test_an_export_is_written_through_a_link_and_a_pipe(mine, tmp_path):
    ledger, target, link, pipe = (tmp_path / name for name in ("sweep.db", "csv", "link", "pipe"))
    verify(ID, top=2, ledger=ledger)
    link.symlink_to(target)
    run("export", "csv", ledger, "-o", link)
    assert link.is_symlink()
    assert target.read_bytes() == mine.table(ledger)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    run("export", "csv", ledger, "-o", pipe)
    assert os.read(reader, 1 << 16) == mine.table(ledger)
    os.close(reader)
    run("export", "bundle", ledger, "-o", target)
    assert not [*tmp_path.glob("*.part")]
