"""Controls of refuted claims, the wording of a statement, former ids, statements without cases."""

import pytest

from symbench.certificates import Counterexample
from symbench.errors import BadClaim
from symbench.registry import Control, Fails, NearMiss, claims, verify


def is_odd(n, base=2):
    return n % base == 1 or Fails(f"{n} is even")


def refuted(declare, function=is_odd, **fields):
    fields.setdefault("controls", [Control("one", 1)])
    fields.setdefault("near_misses", [NearMiss("zero", 0)])
    return declare(function, expected="fails", repaired_by="other.claim", **fields)


def test_a_control_holds(declare):
    refuted(declare)
    verdict = verify("test.claim")
    assert (verdict.status, verdict.as_expected) == ("fails", True)
    assert verdict.controls == {"one": "holds, as it must"}
    assert "control: one: holds, as it must" in verdict.explain()


def test_a_function_that_refutes_everything_is_noticed(declare):
    refuted(declare, lambda n: Fails("no"))
    verdict = verify("test.claim")
    assert (verdict.status, verdict.as_expected) == ("undecided", False)
    assert "the control 'one' does not hold (fails no)" in verdict.notes


def test_a_control_that_raises_is_noticed(declare):
    refuted(declare, lambda n: n % 2 == 1 and 1 // (n - 1) >= 0)
    verdict = verify("test.claim")
    assert verdict.status == "undecided"
    assert verdict.controls["one"].startswith("error: ZeroDivisionError")


def test_keywords_of_a_control(declare):
    refuted(declare, controls=[Control("modulo three", 4, {"base": 3})])
    assert verify("test.claim").as_expected
    refuted(declare, controls=[Control("modulo three", 5, {"base": 3})])
    assert not verify("test.claim").as_expected


def test_a_control_satisfies_the_hypotheses(declare):
    refuted(declare, applies=lambda n: 0 < n < 4, controls=[Control("outside", 5)])
    verdict = verify("test.claim")
    assert verdict.status == "undecided"
    assert "its hypotheses are not satisfied" in verdict.controls["outside"]


def test_in_workers(declare):
    refuted(declare)
    assert verify("test.claim", timeout=20).controls == {"one": "holds, as it must"}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"controls": ["one"]}, "not a Control"),
        ({"controls": [NearMiss("one", 1)]}, "not a Control"),
        ({"controls": [Control(" ", 1)]}, "says what it is"),
        ({"controls": [Control("one", 1, lambda n: True)]}, "keywords of the claim's"),
        ({"controls": [Control("one", 1, {"other": 1})]}, "calls it with"),
        ({"controls": [Control("one", 1), Control("one", 3)]}, "two controls"),
        ({"wording": "printed"}, "wording is one of"),
        ({"formerly": ["test.claim"]}, "replaces itself"),
        ({"formerly": ["no id"]}, "no claim's id"),
    ],
)
def test_bad_fields(declare, fields, problem):
    with pytest.raises(BadClaim, match=problem):
        refuted(declare, **fields)


def test_controls_are_for_claims_that_fail(declare):
    with pytest.raises(BadClaim, match="controls are for claims that fail"):
        declare(lambda n: n > 0, controls=[Control("one", 1)])


def test_a_former_id(declare, tmp_path):
    claim = refuted(declare, formerly=["test.before"], wording="quoted")
    with pytest.warns(DeprecationWarning, match=r"test\.before is test\.claim now"):
        assert claims["test.before"] is claim
    assert "test.before" in claims
    assert "test.before" not in list(claims)
    old = Counterexample(claim="test.before", case=2, reason="2 is even", subject=claim)
    assert old.check()
    other = Counterexample(claim="test.another", case=2, reason="2 is even", subject=claim)
    assert not other.check()


def test_nothing_to_look_at(declare):
    claim = declare(
        lambda case: None, cases=None, strategy=None, boundary=None, near_misses=[],
        expected="undecided", why="it needs the trained network",
    )  # fmt: skip
    assert not claim.has_cases
    verdict = verify("test.claim")
    assert (verdict.status, verdict.cases, verdict.as_expected) == ("undecided", 0, True)
    assert verdict.notes == ("it needs the trained network",)
    assert "nothing of it can be looked at here" in verdict.explain()


def test_without_cases_no_near_misses(declare):
    with pytest.raises(BadClaim, match="without cases there are no near-misses"):
        declare(lambda case: None, cases=None, strategy=None, expected="undecided", why="?")
