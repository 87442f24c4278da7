"""A ledger goes on where a run was stopped, and nowhere else."""

import json
import sqlite3
import subprocess
import sys
from contextlib import ExitStack
from threading import Thread

import attrs
import pytest

from symbench.certificates.files import from_document
from symbench.certificates.plain import from_plain
from symbench.errors import BadClaim, BadLedger, BadType, BadValue, TooLarge, Undecided, UnknownName
from symbench.registry import Fails, NearMiss, claims, verify
from symbench.registry.ledger import Ledger
from symbench.registry.verdict import Verdict

from .plugin import PATIENCE, started


def numbers(top: int = 3):
    return range(1, top + 1)


@pytest.fixture
def calls():
    return []


@pytest.fixture
def known(declare, calls):
    """A claim that tells on which numbers it was run."""

    def function(n):
        """Größer als nichts: α > 0."""
        calls.append(n)
        return n > 0 or Fails("α ≤ 0")

    return declare(function, cases=numbers, near_misses=[NearMiss("α = 0", 0)])


@pytest.fixture
def verdict(known):
    return verify("test.claim")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


SIZES = {"top": 3}


def table(path):
    return [(row.parameters["top"], row.number, from_plain(row.case), row.outcome, row.reason)
            for row in Ledger(path).rows()]  # fmt: skip


def test_what_is_kept(known, path):
    verdict = verify("test.claim", ledger=path)
    found = Ledger(path).find("test.claim", SIZES)
    assert found == verdict
    assert found.versions == verdict.versions
    assert found.seconds == pytest.approx(verdict.seconds, abs=1e-3)
    assert found.near_misses == verdict.near_misses
    assert found.certificate == verdict.certificate
    assert found.certificate.check()
    assert Ledger(path).verdicts() == [verdict]
    assert Ledger(path).find("test.claim", {"top": 4}) is None
    assert Ledger(path).find("lavie2024.dimension", SIZES) is None
    assert table(path) == [(3, n, n, "holds", "") for n in (1, 2, 3)]


def test_cases_are_run_once_whatever_the_sizes(known, calls, path):
    for top, run in ((3, [1, 2, 3, 0]), (5, [4, 5, 0]), (4, [0]), (10, [6, 7, 8, 9, 10, 0])):
        calls.clear()
        assert verify("test.claim", top=top, ledger=path).cases == top
        assert calls == run  # the near-miss is part of every verdict
    # ordered by the sizes as numbers, whenever they came
    assert table(path) == [(top, n, n, "holds", "") for top in (3, 4, 5, 10)
                           for n in range(1, top + 1)]  # fmt: skip


def test_an_interrupted_claim_goes_on_by_case(declare, calls, path):
    def function(n):
        if n == 3 and calls.count(3) == 0:
            calls.append(n)
            raise KeyboardInterrupt
        calls.append(n)
        return n > 0

    declare(function, cases=numbers)
    with pytest.raises(KeyboardInterrupt):
        verify("test.claim", top=4, ledger=path)
    assert calls == [1, 2, 3]
    assert [row[2] for row in table(path)] == [1, 2]
    [count] = Ledger(path).counts()
    assert (count.listed, count.holds, count.pending) == (False, 2, 0)
    assert verify("test.claim", top=4, ledger=path).status == "holds"
    assert calls == [1, 2, 3, 3, 4, 0]
    [count] = Ledger(path).counts()
    assert (count.listed, count.holds) == (True, 4)


def test_cases_without_an_answer_are_run_again_when_asked(declare, calls, path):
    answers = {2: Undecided("too hard"), 3: ZeroDivisionError("broken")}

    def function(n):
        calls.append(n)
        if n in answers:
            raise answers[n]
        return n > 0

    declare(function, cases=numbers)
    first = verify("test.claim", ledger=path)
    assert (first.status, first.unfinished, first.errors) == ("undecided", 1, 1)
    answers.clear()
    calls.clear()
    assert verify("test.claim", ledger=path) == first
    assert calls == [0]
    again = verify("test.claim", ledger=path, retry="undecided")
    assert (again.status, calls) == ("holds", [0, 2, 3, 0])
    assert Ledger(path).verdicts() == [again]
    with pytest.raises(UnknownName, match="retry is 'all': give one of undecided"):
        verify("test.claim", ledger=path, retry="all")


def test_an_answer_is_never_replaced(declare, known, path):
    verify("test.claim", ledger=path)
    before = table(path)
    book = Ledger(path)
    run = book.point(known, SIZES).run
    [(id, outcome), *_] = book._execute("SELECT id, outcome FROM cases WHERE run = ?", (run,))
    assert outcome == "holds"
    book.record([(id, (("unfinished", "out of time"), False, None))])  # another process gave up
    book.record([(id, (("holds", ""), False, None))])
    assert table(path) == before
    with pytest.raises(BadClaim, match="changes its mind"):
        book.record([(id, (("fails", "no"), False, None))])
    assert table(path) == before


def test_certificates_are_kept(path):
    id = "boix2024.lemma-E.1"
    verdict = verify(id, ledger=path)
    documents = list(Ledger(path).certificates(id))
    assert len(documents) == verdict.certified > 5
    assert all(from_document(found).check() for found in documents)
    rows = list(Ledger(path).rows(id))
    assert [row.certificate for row in rows if row.certificate] == documents
    again = verify(id, ledger=path, keep=path.with_suffix(".jsonl"))  # from the ledger
    alone = verify(id, keep=path.with_suffix(".alone.jsonl"))
    assert again == alone
    assert path.with_suffix(".jsonl").read_bytes() == path.with_suffix(".alone.jsonl").read_bytes()


def test_workers_and_none_write_the_same(path, tmp_path):
    id = "lavie2024.dimension"
    verify(id, ledger=path, jobs=2)
    verify(id, ledger=tmp_path / "other.db")
    assert list(Ledger(path).rows()) == list(Ledger(tmp_path / "other.db").rows())


def test_any_text_can_be_kept(declare, path):
    odd = "a\nb\r\u2028\x00 \udc80 \\udc80"
    declare(lambda n: n == 1 or Fails(odd), cases=numbers, expected="fails",
            repaired_by="lavie2024.dimension")  # fmt: skip
    verify("test.claim", ledger=path)
    assert table(path)[1][4] == odd.replace("\udc80", "\\udc80")


WRITER = """
import sys
import attrs
from symbench.registry import claims, verify
from symbench.registry.ledger import Ledger

claim = claims["lavie2024.dimension"]
book = Ledger(sys.argv[1])
sys.stdin.readline()  # so that all begin at once
for number in range(40):
    point = book.point(claim, {"max_length": number})
    for k in range(1, 4):
        point.put(k, (number, k), (("holds", "α" * 40_000), False, None))  # more than a page
    point.flush()
    point.finish(3)
"""


def test_several_processes_write_one_ledger(path):
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ExitStack() as stack:
        run = [sys.executable, "-W", "error", "-c", WRITER, str(path)]
        processes = [stack.enter_context(started(run, **pipes)) for _ in range(3)]
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            _, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, errors
    rows = [(row.parameters["max_length"], row.number) for row in Ledger(path).rows()]
    assert rows == [(number, k) for number in range(40) for k in (1, 2, 3)]  # nothing twice


def test_a_writer_waits_for_another(known, path):
    book, other = Ledger(path), sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = Thread(target=lambda: book.add(verify("test.claim")))
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    other.execute("COMMIT")
    other.close()
    waiting.join(PATIENCE)
    assert len(book.verdicts()) == 1


@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"other": 1}', "\x00"])
def test_a_file_of_something_else_is_left_alone(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(BadLedger, match="it is not a ledger: it is left as it is"):
        Ledger(path)
    assert path.read_text() == text


def test_a_ledger_of_before_is_left_alone(known, path):
    line = json.dumps(verify("test.claim").to_json()) + "\n"
    path.write_text(line)
    with pytest.raises(BadLedger, match="a ledger of an earlier symbench"):
        verify("test.claim", ledger=path)
    assert path.read_text() == line


def test_a_database_of_something_else_is_left_alone(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE songs(title)")
    other.commit()
    other.close()
    whole = path.read_bytes()
    with pytest.raises(BadLedger, match="a database of something else"):
        Ledger(path)
    assert path.read_bytes() == whole


def test_a_later_format_is_left_alone(path):
    Ledger(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 7")
    other.close()
    with pytest.raises(BadLedger, match="its format is 7, this symbench writes 1"):
        Ledger(path)


def test_a_file_that_is_cut_is_an_error(known, path):
    verify("test.claim", top=500, ledger=path)
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(BadLedger, match="malformed"):
        verify("test.claim", top=500, ledger=path)


def test_a_closed_ledger_says_so(path):
    with Ledger(path) as book:
        pass
    with pytest.raises(BadLedger, match="it is closed"):
        book.verdicts()


def test_only_one_claim_of_one_version(known, path):
    book = Ledger(path)
    verdict = verify("test.claim", ledger=book)
    for name, value in verdict.versions.items():
        other = Ledger(":memory:")
        other.add(attrs.evolve(verdict, versions={**verdict.versions, name: "0"}))
        message = f"it is of {name} 0 and this is {value}: it is left"
        with pytest.raises(BadLedger, match=message):
            other.only(known)
    with pytest.raises(BadLedger, match=r"of test\.claim and not of lavie2024\.dimension"):
        book.only(claims["lavie2024.dimension"])


def test_a_plan_is_whole_or_not_at_all(known, path):
    book = Ledger(path)
    points = [{"top": top} for top in (3, 50)]
    message = (
        r"more than 20 cases: point 2 \(top=50\) has 18 and goes on, at about \d+ bytes a case"
    )
    with pytest.raises(TooLarge, match=message):
        book.plan(known, points, 20)
    assert (book.counts(), list(book.rows())) == ([], [])
    planned = book.plan(known, points, 53)
    assert len(book.pending(planned)) == 50  # the first three of them stand in both
    assert [count.pending for count in book.counts()] == [3, 50]
    assert {row.outcome for row in book.rows()} == {"pending"}


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
def test_another_version_is_computed_again(known, path, name):
    verdict = verify("test.claim")
    book = Ledger(path)
    other = attrs.evolve(verdict, versions={**verdict.versions, name: "0"})
    book.add(other)
    assert book.find("test.claim", SIZES) is None
    assert Ledger(path).find("test.claim", SIZES) is None
    book.add(verdict)
    assert Ledger(path).find("test.claim", SIZES) == verdict
    assert Ledger(path).verdicts() == [other, verdict]


def test_what_was_not_as_expected_is_concluded_again(known, path):
    verdict = verify("test.claim")
    for change in ({"status": "undecided"}, {"status": "fails"}, {"errors": 1}):
        Ledger(path).add(attrs.evolve(verdict, **change))
    assert Ledger(path).find("test.claim", SIZES) is None


@pytest.mark.parametrize("path", [None, 5, ["x"]])
def test_bad_paths(path):
    with pytest.raises(BadType):
        Ledger(path)


def test_a_ledger_that_cannot_be_used(tmp_path):
    for path in (tmp_path, tmp_path / "none" / "ledger.db", "/dev/null", "a\0b"):
        with pytest.raises(BadLedger, match="cannot use the ledger"):
            Ledger(path)
    with pytest.raises(BadLedger, match="there is no such file"):
        Ledger(tmp_path / "none.db", create=False)
    assert list(tmp_path.iterdir()) == []
