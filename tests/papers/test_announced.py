"""Every claim, on its default sizes: the verdict that it announces, sharp and clean."""

import pytest

from symbench.registry import claims, verify


@pytest.mark.parametrize("id", list(claims))
def test_runs_as_announced(id, capsys):
    claim = claims[id]
    verdict = verify(id)
    with capsys.disabled():  # a look at what takes long; nothing is asserted of it
        print(f"\n{id}: {verdict.status}, {verdict.cases} cases, {verdict.seconds:.2f} s")
    assert verdict.status == claim.expected, verdict.explain()
    assert verdict.as_expected, verdict.explain()
    assert verdict.sharp == len(claim.near_misses) >= int(claim.has_cases)
    if claim.expected == "holds":
        assert claim.look(claim.boundary) == ("holds", "")
    if claim.cases is not None:
        assert claim.boundary in list(claim.list_cases())
    if claim.expected == "fails":
        assert verdict.certificate.check()
