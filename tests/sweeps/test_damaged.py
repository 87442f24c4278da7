"""A ledger that was changed by hand or by a disk is not believed, and is said in a line."""

import json
import shutil
import sqlite3
import zlib
from contextlib import suppress

import pytest
from click.testing import CliRunner

import symbench as sb
from symbench.certificates.files import document
from symbench.cli import main
from symbench.errors import BadLedger
from symbench.registry import verify
from symbench.registry.ledger import Ledger
from symbench.sweeps import sweep, write_bundle, write_table

ID, GRID = "lavie2024.dimension", {"max_length": [1, 3]}
REFUTED = "boix2024.lemma-G.1"


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "sweep.db"
    assert sweep(ID, GRID, ledger=path, jobs=1).as_expected
    return path


@pytest.fixture
def path(good, tmp_path):
    return shutil.copy(good, tmp_path / "sweep.db")


def change(path, statement, *values):
    with sqlite3.connect(path) as database:
        assert database.execute(statement, values).rowcount > 0


def command(*words):
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def everything(path, folder):
    """All that reads a ledger: the commands by their exit codes, and the methods."""
    sizes = ["--grid", "max_length=1,3", "--jobs", 1, "--ledger", path]
    runs = {
        "csv": command("export", "csv", path, "-o", folder / "a.csv"),
        "bundle": command("export", "bundle", path, "-o", folder / "a.jsonl"),
        "report": command("report", path, "-o", folder / "a.html"),
        "verify": command("verify", ID, "--size", "max_length=3", "--ledger", path),
        "sweep": command("sweep", ID, *sizes),
    }
    for read in (Ledger.rows, Ledger.counts, Ledger.verdicts, str, Ledger._repr_html_,
                 lambda book: book.certificates(ID)):  # fmt: skip
        with Ledger(path) as book, suppress(BadLedger):
            list(read(book))
    return {name for name, run in runs.items() if run.exit_code == 2}


@pytest.mark.parametrize(
    ("statement", "values", "noticed"),
    [
        ("UPDATE cases SET outcome = ? WHERE id = 1", ["hol}s"], {"csv", "bundle", "sweep"}),
        ("UPDATE runs SET versions = ?", ['"x"'], {"csv", "bundle", "report", "sweep"}),
        ("UPDATE runs SET versions = ?", ["{"], {"csv", "bundle", "report", "sweep"}),
        ("UPDATE runs SET claim = CAST(? AS TEXT)", [b"\xff"], {"csv", "bundle", "report"}),
        ("UPDATE points SET verdict = ?", ["{"], {"bundle", "report", "verify"}),
        ("UPDATE points SET certificate = ?", [b"x"], {"bundle", "report", "verify"}),
        ("UPDATE points SET certificate = ?", [zlib.compress(b"[1]")], {"report", "verify"}),
        ("UPDATE points SET parameters = '[' || id || ']'", [], {"csv", "bundle", "report"}),
        ("UPDATE points SET total = 'many'", [], {"csv", "bundle", "report", "sweep"}),
        ("UPDATE cases SET written = ? WHERE id = 1", ["{"], {"csv", "bundle", "sweep"}),
        ("UPDATE cases SET written = ? WHERE id = 1", ['{"int":"7"}'], {"sweep"}),
        ("UPDATE cases SET written = ?, outcome = NULL WHERE id = 1", ["7"], {"sweep"}),
        ("UPDATE certificates SET document = ?", [b"x"], {"csv", "bundle", "report"}),
        ("UPDATE certificates SET document = ?", [zlib.compress(b"{}")], {"csv", "report"}),
        (
            "UPDATE listed SET number = 'x' WHERE number = 2",
            [],
            {"csv", "bundle", "report", "sweep"},
        ),
        ("DELETE FROM listed WHERE point = 2 AND number = 4", [], {"sweep"}),
        ("DELETE FROM listed WHERE point = 2 AND number = 5", [], {"sweep"}),
    ],
)
def test_damage_is_noticed(path, tmp_path, statement, values, noticed):
    change(path, statement, *values)
    assert noticed <= everything(path, tmp_path)


def test_nothing_is_wrong_with_the_good_one(path, tmp_path):
    assert everything(path, tmp_path) == set()


@pytest.mark.parametrize(
    ("number", "said"), [(4, "case 4 is missing"), (5, "of 5 cases 4 are there")]
)
def test_a_missing_case_is_no_verdict(path, number, said):
    change(path, "DELETE FROM listed WHERE point = 2 AND number = ?", number)
    with pytest.raises(BadLedger, match=f"it is damaged: {said}"):
        sweep(ID, GRID, ledger=path, jobs=1)


def test_an_answer_to_another_case_is_no_verdict(path):
    change(path, "UPDATE cases SET written = ? WHERE id = 1", '{"tuple":[{"int":"9"}]}')
    with pytest.raises(BadLedger, match="it is damaged: ValueError: a case was changed to"):
        sweep(ID, GRID, ledger=path, jobs=1)


def forged(path, id):
    """A ledger in which a refuted claim holds, is expected to, and has good certificates."""
    verify(REFUTED, ledger=path)
    pack = zlib.compress(json.dumps(document(sb.certify([[1]]))).encode())
    with sqlite3.connect(path) as database:
        [[text]] = database.execute("SELECT verdict FROM points")
        verdict = json.loads(text) | {"claim": id, "status": "holds", "expected": "holds"}
        verdict |= {"failed": 0, "notes": [], "certificate": None}
        database.execute("UPDATE points SET certificate = NULL, verdict = ?", [json.dumps(verdict)])
        database.execute("UPDATE cases SET outcome = 'holds', reason = ''")
        database.execute("INSERT OR REPLACE INTO certificates SELECT id, ? FROM cases", [pack])
        database.execute("UPDATE runs SET claim = ?", [id])
    return path


def test_what_is_expected_the_claim_says(tmp_path):
    path = forged(tmp_path / "g.db", REFUTED)
    [verdict] = Ledger(path).verdicts()
    assert (verdict.status, verdict.expected, verdict.as_expected) == ("holds", "fails", False)
    page = command("report", path, "-o", tmp_path / "g.html")
    assert "1 is other than expected" in page.stderr
    assert 'class="packed"' not in (tmp_path / "g.html").read_text(encoding="utf-8")
    result = command("verify", REFUTED, "--ledger", path)
    assert result.exit_code == 1, result.output
    assert "as expected: 1 hold" not in result.output


def test_of_an_unknown_claim_the_ledger_says_what_is_expected(tmp_path):
    [verdict] = Ledger(forged(tmp_path / "own.db", "mine.own")).verdicts()
    assert (verdict.status, verdict.expected, verdict.as_expected) == ("holds", "holds", True)


def test_a_verdict_on_another_claim_is_not_believed(path):
    verify(REFUTED, ledger=path)
    change(path, "UPDATE points SET verdict = (SELECT verdict FROM points LIMIT 1)")
    with pytest.raises(BadLedger, match=f"a verdict on {ID} is among those on {REFUTED}"):
        Ledger(path).verdicts()


def test_tables_and_bundles_raise_it_too(path, tmp_path):
    change(path, "UPDATE cases SET written = ? WHERE id = 1", '{"type": 5}')
    write_table(path, tmp_path / "a.csv", "csv")
    with pytest.raises(BadLedger, match="cannot read the ledger"):
        write_bundle(path, tmp_path / "a.jsonl")
