"""The command in this process, through click's runner."""

import itertools
import json

import attrs
import pytest
from click import Context
from click.testing import CliRunner
from rich.console import Console

import symbench
from symbench import certify
from symbench.certificates.bundles import BundleWriter
from symbench.certificates.files import document
from symbench.cli import listing, main
from symbench.cli.verify import exit_code
from symbench.errors import Undecided
from symbench.registry import Fails, NearMiss, claims, verify


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


COMMANDS = main.list_commands(Context(main))


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name):
    for flag in ("--help", "-h"):
        result = run(name, flag)
        assert result.exit_code == 0
        assert result.stdout.startswith("Usage:")
    command = main.get_command(Context(main), name)
    assert command.help
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert parameter.help, f"{name} {parameter.name}"


def test_main_help_names_every_command():
    result = run("--help")
    assert result.exit_code == 0
    assert all(name in result.stdout for name in COMMANDS)
    assert {"list", "show", "verify", "hunt", "check", "learnable", "export"} <= set(COMMANDS)
    assert symbench.__version__ in run("--version").stdout


def test_list():
    result = run("list")
    assert result.exit_code == 0
    assert all(id in result.stdout for id in claims)
    result = run("list", "--paper", "lavie2024")
    assert result.exit_code == 0
    assert "lavie2024.dimension" in result.stdout
    assert "boix2024" not in result.stdout
    result = run("list", "--paper", "nobody")
    assert result.exit_code == 2
    assert "boix2024" in result.stderr


def test_brackets_are_shown_as_they_are(declare):
    declare(lambda n: n > 0, source="[bold]p. 3[/nothing] [7]")
    result = run("list", "--paper", "test")
    assert result.exit_code == 0
    assert "[bold]p. 3[/nothing] [7]" in result.stdout


def test_show():
    result = run("show", "boix2024.lemma-E.1")
    assert result.exit_code == 0
    for near in claims["boix2024.lemma-E.1"].near_misses:
        assert near.description in result.stdout
    for part in ("condition (22)", "max_two=2", r"\det", "boundary:", "hunt:", "proof:"):
        assert part in result.stdout


def test_show_what_fails_or_is_open(declare):
    declare(lambda n: n == 1, expected="fails", repaired_by="test.better", assumes=["test.other"])
    shown = run("show", "test.claim").stdout
    assert "repaired by: test.better" in shown
    assert "test.other" in shown
    declare(lambda n: n == 1, id="test.open", expected="undecided", why="nobody knows")
    assert "nobody knows" in run("show", "test.open").stdout


@pytest.mark.parametrize("name", ["show", "verify", "hunt"])
def test_unknown_id(name):
    result = run(name, "lavie2024.dimensions")
    assert result.exit_code == 2
    assert "did you mean lavie2024.dimension" in result.stderr
    assert "Traceback" not in result.stderr


def test_usage():
    assert run("verify", "--size", "max_length=4").exit_code == 2
    assert run("verify", "lavie2024.dimension", "lavie2024.dimension").exit_code == 2
    assert run("check").exit_code == 2
    assert run("nothing").exit_code == 2
    for option in (
        ["--size", "max_length"], ["--size", "=4"], ["--size", "tops=4"],
        ["--size", "max_length=x"],
        ["--size", "max_length=--5"], ["--size", "max_length=²"], ["--size", "max_length=1.5"],
        ["--size", "max_length=4", "--size", "max_length=5"], ["--jobs", "1001"],
        ["--timeout", "0"], ["--timeout", "-1"], ["--timeout", "nan"], ["--timeout", "x"],
        ["--jobs", "0"], ["--jobs", "x"], ["--memory", "0"], ["--ledger", "/nowhere/ledger"],
    ):  # fmt: skip
        result = run("verify", "lavie2024.dimension", *option)
        assert result.exit_code == 2, option
        assert "Error" in result.stderr
        assert not isinstance(result.exception, (ValueError, TypeError, OSError)), option


def test_verify_prints_a_table():
    result = run("verify", "lavie2024.dimension", "--size", "max_length=6")
    assert result.exit_code == 0, result.output
    for part in ("lavie2024.dimension", "holds", "all cases", "15", "2/2"):
        assert part in result.stdout
    assert "1 of 1 verdicts as expected" in result.stdout
    assert "[1/1] lavie2024.dimension: holds" in result.stderr


def test_patterns_papers_and_modules(tmp_path):
    result = run("verify", "young.h*", "--json")
    assert {v["claim"] for v in json.loads(result.stdout)} == {
        id for id in claims if id.startswith("young.h")
    }
    assert "no claim matches" in run("verify", "nothing.*").stderr
    assert "nothing of 'nobody'" in run("verify", "--paper", "nobody").stderr
    asked = ("verify", "own.positive"), ("verify", "own.*"), ("verify", "--paper", "own")
    for words in (*asked, ("hunt", "own.*"), ("show", "own.positive"), ("list", "--paper", "own")):
        assert "--module FILE.py" in run(*words).stderr
    own = tmp_path / "own.py"
    own.write_text(
        "import symbench as sb\n"
        "@sb.claim('own.positive', source='here', category='lemma', cases=[1, 2], boundary=1,\n"
        "          near_misses=[sb.NearMiss('zero', 0)])\n"
        "def positive(n):\n    'Every number is positive.'\n    return n > 0\n"
    )
    try:
        result = run("verify", "--module", own, "--paper", "own")
        assert result.exit_code == 0, result.output
        assert "1 of 1 verdicts as expected: 1 hold" in result.stdout
        verify("own.positive").certificate.save(tmp_path / "list.json")
        words = (
            ("show", "own.positive"),
            ("list", "--paper", "own"),
            ("check", tmp_path / "list.json"),
        )
        for command, *rest in words:
            claims._claims.pop("own.positive")
            assert run(command, *rest).exit_code in (2, 3)
            result = run(command, "--module", own, *rest)
            assert result.exit_code == 0, result.output
    finally:
        claims._claims.pop("own.positive", None)
    own.write_text("1/0")
    result = run("verify", "--module", own)
    assert (result.exit_code, "ZeroDivisionError" in result.stderr) == (2, True)


def test_the_table_has_each_paper_once():
    asked = ("young.rsk", "texts.modes", "young.hook-length", "words.tasks", "texts.windows")
    lines = run("verify", *asked).stdout.splitlines()
    ids = [
        line.split()[0] for line in lines if line.split()[0] in ("young", "texts", "words", *asked)
    ]
    assert ids == ["young", asked[0], asked[2], "texts", asked[1], asked[4], "words", asked[3]]


def test_the_table_fits_eighty_columns():
    longest = max(claims, key=len)
    lines = run("verify", longest, "boix2024.lemma-G.1").stdout.splitlines()
    assert any(line.startswith(longest + " ") for line in lines)
    assert all(len(line) <= 80 for line in lines if longest in line or "lemma-G.1" in line)
    assert any("1 fail (refuted as printed)" in line for line in lines)


def test_verify_json():
    result = run("verify", "lavie2024.dimension", "boix2024.remark-I.6", "--json",
                 "--size", "max_length=3")  # fmt: skip
    assert result.exit_code == 0
    first, second = json.loads(result.stdout)  # in the order asked for
    assert (first["claim"], second["claim"]) == ("lavie2024.dimension", "boix2024.remark-I.6")
    assert (first["status"], first["cases"], first["parameters"]) == (
        "holds",
        4 + 1,
        {"max_length": 3},
    )
    assert second["cases"] == 12


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("function", "fields", "code"),
    [
        (lambda n: n > 0, {}, 0),
        (lambda n: n == 1, {}, 1),
        (lambda n: n > 0 or None, {}, 3),
        (lambda n: n == 1, {"expected": "fails", "repaired_by": "test.other"}, 0),
        (lambda n: n > 0, {"expected": "fails", "repaired_by": "test.other"}, 1),
        (lambda n: n > 0, {"expected": "undecided", "why": "open"}, 1),
        (lambda n: None, {"expected": "undecided", "why": "open"}, 3),
    ],
)
def test_exit_codes(declare, function, fields, code, jobs):
    declare(function, **fields)
    result = run("verify", "test.claim", "--jobs", jobs)
    assert result.exit_code == code, result.output


def test_exit_code_of_several():
    good = verify("lavie2024.dimension", max_length=4)
    bad = attrs.evolve(good, status="fails")
    open_ = attrs.evolve(good, status="undecided")
    assert [exit_code(v) for v in ([], [good], [good, bad], [good, open_], [bad, open_])] == [
        0, 0, 1, 3, 1,
    ]  # fmt: skip


def test_a_surprise_is_explained(declare):
    declare(lambda n: 0 < n < 3 or Fails(f"\x1b[1A{n} is too large"))
    result = run("verify", "test.claim")
    assert result.exit_code == 1
    assert "fails (expected holds)" in result.stdout
    assert r"\x1b[1A3 is too large" in result.stdout
    assert "0 of 1 verdicts as expected" in result.stdout


def test_one_broken_claim_does_not_stop_the_others(declare):
    def broken(top: int = 1):
        raise RuntimeError("no list")

    declare(lambda n: n > 0, id="test.broken", cases=broken)
    declare(lambda n: n > 0, id="test.fine")
    result = run("verify", "test.broken", "test.fine", "--json")
    assert result.exit_code == 3
    assert [v["status"] for v in json.loads(result.stdout)] == ["undecided", "holds"]


def test_a_time_out(declare):
    import time

    declare(lambda n: time.sleep(300) if n == 2 else n > 0)
    result = run("verify", "test.claim", "--timeout", "3", "--json")
    assert result.exit_code == 3
    [verdict] = json.loads(result.stdout)
    assert (verdict["unfinished"], verdict["cases"]) == (1, 3)


def test_ledger(declare, tmp_path):
    path = tmp_path / "ledger.db"
    calls = tmp_path / "calls"

    def function(n):
        with calls.open("a") as file:
            file.write(f"{n}\n")
        return n > 0

    def numbers(top: int = 3):
        return range(1, top + 1)

    declare(function, cases=numbers)
    ledger = ["--ledger", path]
    assert run("verify", "test.claim", *ledger).exit_code == 0
    first = calls.read_text()
    assert sorted(first.split()) == ["0", "1", "2", "3"]
    again = run("verify", "test.claim", *ledger)
    assert again.exit_code == 0
    assert "holds" in again.stdout
    assert calls.read_text() == first  # nothing ran
    assert run("verify", "test.claim", *ledger, "--size", "top=5").exit_code == 0
    assert sorted(calls.read_text()[len(first) :].split()) == ["0", "4", "5"]
    path.write_text("garbage\n")
    result = run("verify", "test.claim", *ledger)
    assert result.exit_code == 2
    assert "it is not a ledger" in result.stderr
    assert path.read_text() == "garbage\n"


class TestHunt:
    @staticmethod
    def declare_small(declare, **fields):
        from hypothesis import strategies as st

        declare(lambda n: 0 < n < 50, strategy=lambda: st.integers(1, 10**6), **fields)

    def test_found(self, declare, tmp_path):
        self.declare_small(declare)
        path = tmp_path / "found.json"
        result = run("hunt", "test.claim", "--save", path)
        assert result.exit_code == 1
        assert "test.claim fails for 50" in result.stdout
        assert run("check", path).exit_code == 0

    def test_found_as_announced_and_stored(self, declare, tmp_path, monkeypatch):
        (tmp_path / "empty").mkdir()
        monkeypatch.chdir(tmp_path / "empty")
        self.declare_small(declare, expected="fails", repaired_by="test.other")
        first = run("hunt", "test.claim")
        assert first.exit_code == 0
        (path,) = (tmp_path / "cache").rglob("counterexamples/test.claim/*.json")
        assert f"symbench check {path}" in first.stdout
        assert run("check", path).exit_code == 0
        again = run("hunt", "test.claim", "--seed", 7)
        assert (again.exit_code, again.stdout) == (0, first.stdout)
        assert list((tmp_path / "empty").iterdir()) == []

    def test_patterns(self, declare, tmp_path):
        self.declare_small(declare, id="test.one", expected="fails", repaired_by="test.other")
        self.declare_small(declare, id="test.two")
        declare(lambda n: n > 0, id="test.three", unhuntable="three printed numbers")
        result = run("hunt", "test.*", "--database", tmp_path / "base")
        assert result.exit_code == 1
        for text in ("test.one fails for 50", "test.two fails for 50", "1 of 2 hunts as expected",
                     "not hunted (three printed numbers): test.three"):  # fmt: skip
            assert text in result.stdout
        assert len(list((tmp_path / "base").rglob("*.json"))) == 2
        assert run("hunt", "test.o*").exit_code == 0
        assert run("hunt", "test.th*").exit_code == 0

    def test_what_is_hunted_must_be_said(self, declare, tmp_path):
        self.declare_small(declare)
        for wrong in ([], ["--all", "test.claim"], ["no.such*"], ["no.such"],
                      ["test.*", "--profile", "slow"], ["test.claim", "--jobs", "0"],
                      ["--all", "--save", "x.json"]):  # fmt: skip
            result = run("hunt", *wrong)
            assert result.exit_code == 2, wrong
            assert "Error" in result.stderr
        (tmp_path / "file").write_text("")
        result = run("hunt", "test.claim", "--database", tmp_path / "file" / "x")
        assert result.exit_code == 2
        assert "cannot write the database" in result.stderr

    def test_a_broken_strategy_does_not_end_the_others(self, declare):
        def broken():
            raise ZeroDivisionError

        self.declare_small(declare, id="test.small")
        declare(lambda n: n > 0, strategy=broken)
        result = run("hunt", "test.*")
        assert result.exit_code == 1
        assert "test.small fails for 50" in result.stdout
        assert "ZeroDivisionError" in result.stderr
        assert run("hunt", "test.claim").exit_code == 3

    def test_not_found(self):
        result = run("hunt", "lavie2024.dimension", "--max-examples", 20, "--seed", 3)
        assert result.exit_code == 0
        assert "no counterexample" in result.stdout
        assert "seed 3" in result.stdout

    def test_not_found_where_one_was_announced(self, declare):
        from hypothesis import strategies as st

        declare(lambda n: n > 0, strategy=lambda: st.integers(1, 9), expected="fails",
                repaired_by="test.other")  # fmt: skip
        assert run("hunt", "test.claim").exit_code == 3

    def test_without_an_answer(self, declare):
        from hypothesis import strategies as st

        def function(n):
            raise Undecided("too hard")

        declare(function, strategy=lambda: st.integers(1, 9))
        result = run("hunt", "test.claim", "--max-examples", 5)
        assert result.exit_code == 3
        assert "too hard" in result.stderr

    def test_usage(self, declare, tmp_path):
        declare(lambda n: n > 0)
        assert run("hunt", "test.claim").exit_code == 2  # no strategy
        self.declare_small(declare, id="test.small")
        assert run("hunt", "test.small", "--max-examples", 0).exit_code == 2
        result = run("hunt", "test.small", "--save", tmp_path / "none" / "x.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "there is no such folder" in result.stderr
        result = run("hunt", "test.small", "--save", "/dev/full")
        assert result.exit_code == 2
        assert "test.small fails for 50" in result.stdout  # the find is not lost
        assert "cannot write" in result.stderr


def test_check(declare, tmp_path):
    declare(lambda n: n == 1, cases=[1, 2], near_misses=[NearMiss("zero", 0)])
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    verify("test.claim").save(good)
    verify("lavie2024.dimension", max_length=4).save(tmp_path / "list.json")
    bad.write_text(good.read_text().replace('"2"', '"1"'))
    assert good.read_text() != bad.read_text()
    result = run("check", good, tmp_path / "list.json")
    assert result.exit_code == 0
    assert result.stdout.count(": re-run: ") == 2
    result = run("check", good, bad, tmp_path / "missing.json")
    assert result.exit_code == 1
    assert result.stdout.count(": re-run: ") == 1
    assert result.stdout.count("BAD:") == 2
    assert "Traceback" not in result.output


def test_a_file_says_nothing_of_others(tmp_path):
    other = "demo\x1b[2K\nother.json: checked: all"
    found = certify([[1, 1], [2, 2]])
    with BundleWriter(tmp_path / "bundle.jsonl", other, {}) as bundle:
        bundle.add(2, document(found))
        bundle.finish("holds")
    counterexample = verify("boix2024.lemma-G.1").certificate
    attrs.evolve(counterexample, reason=other).save(tmp_path / "reason.json")
    result = run("check", tmp_path / "bundle.jsonl", tmp_path / "reason.json")
    assert (result.exit_code, "\x1b" in result.stdout) == (1, False)
    [first, second] = result.stdout.splitlines()
    assert r"demo\x1b[2K\nother.json: checked: all holds in 1 case" in first
    assert "BAD" in second


def test_list_tasks():
    result = run("list", "tasks")
    assert result.exit_code == 0
    for name, templates in (("same_different", "2"), ("distribution_of_three", "144")):
        (line,) = [line for line in result.output.splitlines() if f" {name} " in line]
        assert line.split("│")[2].strip() == templates
    assert run("list", "theorems").exit_code == 2


def test_list_groups_by_paper_with_totals():
    listed = run("list", "--paper", "young")
    assert listed.exit_code == 0
    held = sum(id.startswith("young.") for id in claims)
    assert f"young, expected: {held} holds" in listed.stdout
    assert "boix2024" not in listed.stdout
    every = run("list").stdout
    places = [
        every.index(f"{paper}, expected:")
        for paper in dict.fromkeys(c.paper for c in claims.values())
    ]
    assert places == sorted(places)
    assert run("list", "--paper", "nobody").exit_code == 2


def test_list_statements():
    listed = run("list", "statements", "--paper", "lavie2024")
    assert listed.exit_code == 0
    assert "lavie2024.predictor" in listed.stdout
    assert "boix2024" not in listed.stdout


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_eighty_columns_and_nothing_is_cut(monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    result = run(*[name] * bool(name), "--help")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "\b" not in result.stdout
    assert "\\b" not in result.stdout
    if not name:  # each command with its whole first sentence
        said = " ".join(result.stdout.split())
        for each in COMMANDS:
            help = main.get_command(Context(main), each).help
            assert " ".join(help.strip().split("\n\n")[0].split()) in said


@pytest.mark.parametrize("width", [60, 80])
def test_show_wraps_once(monkeypatch, width):
    monkeypatch.setattr(listing, "terminal", lambda: Console(width=width))
    result = run("show", "boix2024.lemma-E.1")
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= width
    # No line is short because the docstring was wrapped there: the next word had no room.
    for here, there in itertools.pairwise(lines[: lines.index("")]):
        assert len(here) + 1 + len(there.split()[0]) > width
    statement = " ".join(claims["boix2024.lemma-E.1"].statement.split())
    assert " ".join(result.stdout.split()).startswith(statement)
