"""A ledger goes on where a run was stopped, and nowhere else."""

import json

import attrs
import pytest

from symbench.errors import BadType, BadValue
from symbench.registry import Fails, NearMiss, verify
from symbench.registry.ledger import Ledger
from symbench.registry.verdict import Verdict


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
def test_half_a_last_line_is_dropped(path, verdict, cut):
    whole = path.read_bytes()
    cut = whole.index("α".encode()) + 1 if cut == "greek" else cut  # in the midst of a letter
    path.write_bytes(whole + whole.rstrip(b"\n")[:cut])
    book = Ledger(path)
    assert path.read_bytes() == whole
    assert book.find("test.claim", SIZES) == verdict
    book.add(verdict)
    assert path.read_bytes() == whole + whole


def test_a_last_line_without_its_end_is_half_a_line(path, verdict):
    whole = path.read_bytes()
    path.write_bytes(whole + whole.rstrip(b"\n"))
    Ledger(path).add(verdict)
    assert path.read_bytes() == whole + whole
    Ledger(path)


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
    "seed": "0", "seconds": "1", "certificate": {}, "versions": "1",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_every_field_is_validated(verdict, name):
    data = verdict.to_json()
    assert Verdict.from_json(data) == verdict
    with pytest.raises(BadValue):
        Verdict.from_json({**data, name: WRONG[name]})
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
    for path in (tmp_path, tmp_path / "none" / "ledger.jsonl"):
        with pytest.raises(BadValue, match="cannot write the ledger"):
            Ledger(path)
