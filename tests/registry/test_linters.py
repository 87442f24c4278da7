"""Linters over the registered claims as written, and tests of the linters themselves.

That they run as announced is looked at in tests/papers.
"""

import re
from pathlib import Path

import pytest

import symbench
from symbench.certificates import Counterexample
from symbench.registry import NearMiss, claims
from tests.documents import ROOT

from .plugin import fresh

STORED = Path(symbench.__file__).parent / "papers" / "counterexamples"
CHECK = "import sys, symbench as sb; print(sb.check(sys.argv[1]), sb.load(sys.argv[1]).claim)"


def problems_of(claim, *, book, root, stored):
    """What is wrong with a claim as it is written, without running it."""
    found = []
    if not re.fullmatch(r"[a-z][a-z0-9_]*\.[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", claim.id):
        found.append("the id is not paper.slug")
    if not claim.statement.strip():
        found.append("no statement")
    if not claim.source.strip():
        found.append("no place in the source")
    if claim.has_cases and not claim.near_misses:
        found.append("no near-miss")
    found += [
        f"assumes {other}, which is not there" for other in claim.assumes if other not in book
    ]
    if claim.repaired_by is not None and claim.repaired_by not in book:
        found.append(f"repaired by {claim.repaired_by}, which is not there")
    if claim.proof is not None and not (root / claim.proof).is_file():
        found.append(f"no proof page {claim.proof}")
    if claim.expected == "fails" and not (stored / f"{claim.id}.json").is_file():
        found.append("no stored counterexample")
    return found


def stored_problems(claim, path, folder=None):
    """What is wrong with a stored counterexample, looked at in a fresh process."""
    run = fresh(CHECK, folder, str(path))
    if run.returncode != 0:
        return [run.stderr.strip().splitlines()[-1]]
    return [] if run.stdout.split() == ["True", claim] else [run.stdout]


IDS = list(claims)


def test_there_are_claims():
    assert {"boix2024.lemma-E.1", "boix2024.remark-I.6", "lavie2024.dimension"} <= set(IDS)
    assert len(IDS) == len({id.lower() for id in IDS})


@pytest.mark.parametrize("id", IDS)
def test_written(id):
    assert problems_of(claims[id], book=claims, root=ROOT, stored=STORED) == []


@pytest.mark.parametrize("id", [id for id in IDS if claims[id].expected == "fails"])
def test_the_stored_counterexample_of_a_false_statement(id):
    assert stored_problems(id, STORED / f"{id}.json") == []


def test_no_stray_counterexamples():
    stored = {path.stem for path in STORED.glob("*.json")}
    assert stored == {id for id in IDS if claims[id].expected == "fails"}


class TestTheLinter:
    """A linter that cannot complain is none."""

    def lint(self, claim, tmp_path):
        return problems_of(claim, book=claims, root=tmp_path, stored=tmp_path)

    def test_good(self, declare, tmp_path):
        (tmp_path / "page.md").write_text("proof")
        claim = declare(lambda n: n > 0, proof="page.md", assumes=["lavie2024.dimension"])
        assert self.lint(claim, tmp_path) == []

    def test_bad(self, declare, tmp_path):
        claim = declare(
            lambda n: n == 1, expected="fails", repaired_by="no.such", assumes=["not.there"],
            proof="no-page.md", id="test.claim-",
        )  # fmt: skip
        assert self.lint(claim, tmp_path) == [
            "the id is not paper.slug",
            "assumes not.there, which is not there",
            "repaired by no.such, which is not there",
            "no proof page no-page.md",
            "no stored counterexample",
        ]

    def test_a_false_statement_and_its_counterexample(self, plugin, tmp_path):
        path = tmp_path / "demo.false.json"
        save = "import sys, symbench as sb; sb.verify('demo.false').save(sys.argv[1])"
        assert fresh(save, plugin, str(path)).returncode == 0
        assert stored_problems("demo.false", path, plugin) == []
        assert stored_problems("demo.other", path, plugin) != []
        path.write_text(path.read_text().replace('"2"', '"4"'))
        assert "BadCertificate" in stored_problems("demo.false", path, plugin)[0]
        assert stored_problems("demo.false", tmp_path / "none.json", plugin) != []

    def test_a_counterexample_stored_for_a_claim_that_holds(self, declare, tmp_path):
        claim = declare(lambda n: n > 0, near_misses=[NearMiss("zero", 0)])
        false = Counterexample(claim=claim.id, case=1, reason="so it is", subject=claim)
        assert not false.check()


def hunting_problem(claim):
    """Why a claim cannot be hunted, if nobody says so."""
    said = claim.strategy is not None or claim.unhuntable or not claim.has_cases
    return None if said else f"{claim.id} has neither strategy= nor unhuntable="


@pytest.mark.parametrize("id", IDS)
def test_it_can_be_hunted_or_says_why_not(id):
    assert hunting_problem(claims[id]) is None


def test_a_claim_that_cannot_be_hunted_is_noticed(declare):
    assert "test.claim has neither" in hunting_problem(declare(lambda n: n > 0))
    assert hunting_problem(declare(lambda n: n > 0, unhuntable="three numbers")) is None
