"""A claim is validated when it is declared: nothing incomplete gets into the book."""

from fractions import Fraction

import pytest

from symbench.errors import BadClaim, BadType
from symbench.registry import Claim, Fails, NearMiss, claim, claims
from symbench.registry.statement import as_written


def positive(n):
    """Every case is positive."""
    return n > 0


def sizes(top: int = 3, word: str = "a"):
    return range(1, top + 1)


def no_default(top):
    return range(top)


def float_default(top=1.5):
    return [1]


def bool_default(flag=True):
    return [1]


def many_sizes(**sizes):
    return [1]


def only_by_place(top=1, /):
    return [1]


def hides_timeout(timeout=3):
    return [1]


def hides_id(id=3):
    return [1]


NEAR = NearMiss("zero", 0)
BAD = {
    "id without a paper": {"id": "claim"},
    "id with a capital paper": {"id": "Test.claim"},
    "id with a space": {"id": "test.my claim"},
    "id with a line": {"id": "test.claim\n"},
    "id empty after the dot": {"id": "test."},
    "id None": {"id": None},
    "id a number": {"id": 3},
    "no statement": {"statement": "   "},
    "source empty": {"source": " "},
    "source None": {"source": None},
    "category unknown": {"category": "guess"},
    "category a list": {"category": ["lemma"]},
    "expected unknown": {"expected": "true"},
    "expected True": {"expected": True},
    "no cases at all": {"cases": None},
    "cases empty": {"cases": []},
    "cases a number": {"cases": 7},
    "cases a string": {"cases": "123"},
    "cases a dict": {"cases": {1: 2}},
    "cases a generator, which runs once": {"cases": (n for n in [1])},
    "a size without a default": {"cases": no_default},
    "a float size": {"cases": float_default},
    "a bool size": {"cases": bool_default},
    "any sizes": {"cases": many_sizes},
    "sizes by place": {"cases": only_by_place},
    "a size that hides timeout": {"cases": hides_timeout},
    "a size that hides id": {"cases": hides_id},
    "no boundary": {"boundary": None},
    "a boundary that files do not hold": {"boundary": 1.5},
    "no near-misses": {"near_misses": []},
    "near-misses None": {"near_misses": None},
    "near-misses a number": {"near_misses": 5},
    "near-misses a generator, which runs once": {"near_misses": (n for n in [NEAR])},
    "a near-miss of another type": {"near_misses": [("zero", 0)]},
    "a near-miss without a text": {"near_misses": [NearMiss(" ", 0)]},
    "a near-miss whose text is a number": {"near_misses": [NearMiss(1, 0)]},
    "a near-miss whose check is no function": {"near_misses": [NearMiss("zero", 0, 5)]},
    "a near-miss with keywords that the claim has not": {
        "near_misses": [NearMiss("zero", 0, {"strictly": True})]
    },
    "a near-miss that files do not hold": {"near_misses": [NearMiss("zero", 0.0)]},
    "two near-misses of one description": {"near_misses": [NEAR, NearMiss("zero", 1)]},
    "strategy not a function": {"strategy": 5},
    "applies not a function": {"applies": True},
    "expected to fail, without a repair": {"expected": "fails"},
    "a repair of what holds": {"repaired_by": "test.other"},
    "a repair that is no id": {"expected": "fails", "repaired_by": "better"},
    "repaired by itself": {"expected": "fails", "repaired_by": "test.claim"},
    "expected undecided, without a reason": {"expected": "undecided"},
    "an empty reason": {"expected": "undecided", "why": ""},
    "a reason that is no text": {"expected": "undecided", "why": 5},
    "assumes a string": {"assumes": "test.other"},
    "assumes no id": {"assumes": ["other"]},
    "assumes a number": {"assumes": [1]},
    "assumes itself": {"assumes": ["test.claim"]},
    "proof empty": {"proof": ""},
    "proof a number": {"proof": 1},
    "proves not a bool": {"proves": 1},
    "a sample that proves": {"cases": None, "strategy": lambda: None, "proves": True},
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_bad_field(declare, change):
    before = list(claims)
    with pytest.raises(BadClaim):
        declare(lambda n: n > 0, **change)
    assert list(claims) == before


def test_the_bad_fields_are_changes_of_a_good_claim(declare):
    new = declare(positive)
    assert claims["test.claim"] is new
    assert isinstance(new, Claim)
    assert new.statement == "Every case is positive."


@pytest.mark.parametrize("thing", [5, None, "text", int])
def test_what_is_decorated_is_a_function(thing):
    with pytest.raises(BadClaim):
        claim("test.claim", source="x", category="lemma", cases=[1], boundary=1,
              near_misses=[NEAR])(thing)  # fmt: skip
    assert "test.claim" not in claims


def test_every_missing_statement_is_missed(declare):
    with pytest.raises(BadClaim, match="docstring"):
        claim("test.claim", source="x", category="lemma", cases=[1], boundary=1,
              near_misses=[NEAR])(lambda n: True)  # fmt: skip


def test_an_id_is_taken_once_but_a_module_may_be_reloaded(declare):
    def other(n):
        """Another statement."""
        return True

    first = declare(positive)
    second = declare(positive)
    assert claims["test.claim"] is second is not first
    with pytest.raises(BadClaim, match="twice"):
        declare(other)
    assert claims["test.claim"] is second


def test_cases_are_what_a_file_gives_back(declare):
    assert as_written([1, [Fraction(1, 2)]]) == (1, (Fraction(1, 2),))
    seen = []

    def function(case):
        """The case is a tuple."""
        seen.append(type(case))
        return len(case) > 0

    new = declare(function, cases=[[1], [2]], boundary=[1], near_misses=[NearMiss("none", [])])
    assert list(new.list_cases()) == [(1,), (2,)]
    for case in new.list_cases():
        new.run(case)
    new.run(new.near_misses[0].case, new.near_misses[0])
    assert set(seen) == {tuple}


def test_a_near_miss_may_call_the_claim_with_other_keywords(declare):
    def at_least(case, *, above=0):
        """The number is at least 0."""
        return case >= above

    new = declare(
        at_least, cases=[1, 2], boundary=1, near_misses=[NearMiss("two and more", 1, {"above": 2})]
    )
    assert not isinstance(new.run(1), Fails)
    assert isinstance(new.run(1, new.near_misses[0]), Fails)


def test_the_boundary_is_always_looked_at(declare):
    listed = declare(positive, id="test.listed", cases=[1, 2], boundary=1)
    beyond = declare(positive, id="test.beyond", cases=[1, 2], boundary=7)
    none = declare(positive, id="test.none", cases=lambda top=0: range(top), boundary=7)
    assert list(listed.list_cases()) == [1, 2]
    assert list(beyond.list_cases()) == [1, 2, 7]
    assert list(none.list_cases()) == []  # no cases: a boundary alone shows nothing
    assert list(none.list_cases(top=1)) == [0, 7]


def test_a_claim_is_known_by_its_id(declare):
    import pickle

    new = declare(positive)
    assert repr(new) == "claims['test.claim']"
    assert eval(repr(new)) is new
    assert pickle.loads(pickle.dumps(new)) is new
    assert pickle.loads(pickle.dumps(claims)) is claims
    assert hash(new) == hash(eval(repr(new)))
    assert new.parameters == {}
    assert declare(positive, cases=sizes).parameters == {"top": 3, "word": "a"}


@pytest.mark.parametrize("reason", [None, 5, ["x"]])
def test_a_reason_is_a_text(reason):
    with pytest.raises(BadType):
        Fails(reason)
    assert Fails("x") == eval(repr(Fails("x")))
    assert NearMiss("x", 1) == eval(repr(NearMiss("x", 1)))
