"""The list of planted errors fits the source, and the tool finds who notices."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mutations.__main__ import main, markdown, totals
from tests.mutations.changes import ROOMS, ROOT, Change, DoesNotApply, Functions, listed
from tests.mutations.random_changes import drawn, sites_of
from tests.mutations.running import Copy, Ledger, Outcome

CHANGES = listed()
SOURCE = "def f(n):\n    return n + 1 if n < 3 else 0\n\n\nLEFT = 2\n"


@pytest.mark.parametrize("file", sorted({change.file for change in CHANGES}))
def test_each_listed_change_fits_the_source_in_one_place(file: str) -> None:
    text = (ROOT / "symbench" / file).read_text(encoding="utf-8")
    for change in (c for c in CHANGES if c.file == file):
        assert change.applied(text) != text


def test_the_list_has_every_room() -> None:
    count = Counter(change.room for change in CHANGES)
    there = [room for room in ROOMS if list((ROOT / "symbench").glob(f"{room}*"))]
    assert set(count) == set(there)
    assert len(CHANGES) == len({change.key for change in CHANGES}) >= 100
    assert all(count[room] >= 5 for room in there if room != "certifying")
    folders = {str(Path(change.file).parent) for change in CHANGES}
    assert {"kernels/activations", "kernels/softmax", "kernels/derivatives"} <= folders


class TestChanges:
    def test_a_text_must_stand_there_once(self) -> None:
        with pytest.raises(DoesNotApply, match="0 times"):
            Change("f.py", "n - 1", "n", "").applied(SOURCE)
        with pytest.raises(DoesNotApply, match="4 times"):
            Change("f.py", "n", "m", "").applied(SOURCE)
        with pytest.raises(DoesNotApply, match="no Python"):
            Change("f.py", "n + 1", "n +", "").applied(SOURCE)

    def test_the_function_around_a_place(self) -> None:
        functions = Functions(SOURCE)
        assert functions.first_line(SOURCE.index("n + 1")) == 1
        assert functions.first_line(SOURCE.index("LEFT")) is None

    def test_all_changes_that_could_be_drawn(self) -> None:
        found = {(c.old, c.new.strip()) for c in sites_of("f.py", SOURCE)}
        assert found == {("1", "2"), ("3", "4"), ("0", "1"), (" < ", "<="), ("n + 1", "n")}

    def test_drawn_changes_fit(self) -> None:
        found = drawn(30, 7)
        assert len(found) == 30
        assert found == drawn(30, 7) != drawn(30, 8)
        for change in found:
            change.applied((ROOT / "symbench" / change.file).read_text(encoding="utf-8"))


class TestOutcomes:
    def outcomes(self) -> list[Outcome]:
        here = [c for c in CHANGES if c.room == "young"][:4]
        return [
            Outcome(here[0], {"young.rsk": "verdict"}),
            Outcome(here[1], {"young.rsk": "crash"}),
            Outcome(here[2], reached=("young.rsk",), test="tests/young/test_rsk.py::test"),
            Outcome(here[3]),
        ]

    def test_totals(self) -> None:
        rows = {row[0]: row[1:] for row in totals(self.outcomes())}
        assert rows["young"] == rows["all"] == ["4", "2 (50%)", "1", "1 (25%)", "1 (25%)"]
        assert rows["exact"] == ["0", "0", "0", "0", "0"]

    def test_markdown(self) -> None:
        text = markdown(self.outcomes())
        assert "| young | 4 | 2 (50%) | 1 | 1 (25%) | 1 (25%) |" in text
        assert text.count("claims that call the function: none") == 1

    def test_an_interrupted_run_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "folder" / "results.jsonl"
        first, second, *_ = self.outcomes()
        Ledger(path).add(first, "old", "", True)
        Ledger(path).add(second, "new", "", True)
        ledger = Ledger(path)
        found = ledger.latest(first.change, "")
        assert found == first
        assert ledger.latest(first.change, "", "new") is None
        assert ledger.latest(second.change, "", "new") is not None
        assert ledger.hits(first.change)[1] == {"young.rsk": 2}
        assert [json.loads(line)["edition"] for line in path.read_text().splitlines()] == [
            "old", "new",
        ]  # fmt: skip


@pytest.mark.slow
def test_one_change_and_who_notices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--only", "sign of a class", "--claims", "young", "--folder", str(tmp_path)]
    (found,) = main(words)
    assert "young.orthogonality" in found.claims
    assert re.search(r"^young +1 +1 \(100%\)", capsys.readouterr().out, re.M)
    # The same command runs nothing again.
    assert main(words) == [found]
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 1


@pytest.mark.slow
def test_a_test_notices_and_the_copy_is_mended() -> None:
    copy = Copy()
    try:
        before = copy.text("young/partition.py")
        change = Change(
            "young/partition.py", "return -1 if (self.size", "return 1 if (self.size", ""
        )
        assert copy.try_tests(change).startswith("tests/young/")
        assert copy.text("young/partition.py") == before
    finally:
        copy.close()


@pytest.mark.slow
def test_the_whole_list(tmp_path: Path) -> None:
    outcomes = main(["--first", "--tests", "--jobs", "2", "--folder", str(tmp_path)])
    by_claims = sum(bool(outcome.claims) for outcome in outcomes)
    assert len(outcomes) == len(CHANGES)
    assert [o.change.key for o in outcomes if o.noticed_by == "nobody"] == []
    assert by_claims >= 0.95 * len(outcomes)
