"""Every statement of the papers has a claim, and every claim of a paper is of a statement."""

import pytest

from symbench.papers.source_list import statements
from symbench.registry import claims

PAPERS = ("boix2024", "lavie2024", "edelman2022")
LATER = ("learning", "sparse")
EXPECTED = {"H": {"holds"}, "D": {"holds"}, "R": {"fails", "holds"}, "N": {"undecided"}}


@pytest.mark.parametrize("statement", statements(), ids=lambda s: s.id)
def test_has_its_claims(statement):
    if statement.later is not None:
        assert statement.later in LATER
        assert statement.id not in list(claims), "it has a claim now: name it in statements.txt"
        return
    assert set(statement.claims) <= set(claims)
    found = {claims[id].expected for id in statement.claims}
    assert found <= EXPECTED[statement.kind]
    if statement.kind == "R":
        assert "fails" in found


def test_ids_are_there_once():
    ids = [s.id for s in statements()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("id", [id for id in claims if id.split(".")[0] in PAPERS])
def test_a_papers_claim_is_of_a_statement(id):
    assert any(id in s.claims for s in statements())
