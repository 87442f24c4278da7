"""The page on hypotheses left out says what is so, and leaves out none."""

import pytest

from symbench.certificates.plain import from_plain
from symbench.papers.hypotheses import Dropped, ablations, search, stored
from symbench.registry import Fails, NearMiss, claims
from tests.hypotheses import PAGE, page, row

ROWS = {(r["claim"], r["hypothesis"]): r for r in stored()}
DROPPED = {(d.claim, d.hypothesis): d for d in ablations()}


def test_every_hypothesis_has_a_row():
    assert set(ROWS) == set(DROPPED), "run `python -m tests.hypotheses`"


def test_the_page_is_that_of_the_rows():
    assert PAGE.read_text(encoding="utf-8") == page(stored())


@pytest.mark.parametrize("key", [k for k in ROWS if ROWS[k]["reason"]], ids=" without ".join)
def test_a_counterexample_is_run_again(key):
    r, dropped = ROWS[key], DROPPED[key]
    case = from_plain(r["case"])
    near = NearMiss(r["hypothesis"], case, dropped.variant)
    assert claims[r["claim"]].look(case, near) == ("fails", r["reason"])


@pytest.mark.slow
@pytest.mark.parametrize("key", list(ROWS), ids=" without ".join)
def test_it_is_the_smallest_that_is_found(key):
    assert row(DROPPED[key]) == ROWS[key]


def test_a_search(tmp_path):
    found = search(Dropped("boix2024.lemma-E.1", "(22)", lambda: [_zeros(3), _zeros(2)], "zeros"))
    assert found.case == _zeros(2)
    assert found.tried == 1
    none = search(Dropped("boix2024.lemma-E.1", "(22)", list, "nothing"))
    assert (none.case, none.tried) == (None, 0)
    assert not Fails()


def _zeros(size):
    from symbench.exact import Matrix

    return Matrix([[0] * size] * size)
