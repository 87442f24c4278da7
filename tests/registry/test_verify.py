"""What comes out of a run: a wrong 'holds' is the worst mistake."""

import io
import sys
import time

import pytest
from hypothesis import strategies as st

from symbench.certificates import Counterexample, Exhausted, Nonsingular
from symbench.decide import certify
from symbench.decide.limits import Workers
from symbench.draw import progress as draw_progress
from symbench.errors import BadType, BadValue, NotExact, SymbenchError, Undecided, UnknownName
from symbench.exact import Matrix
from symbench.registry import Fails, NearMiss, claims, verify


def positive(n):
    """Every case is positive."""
    return n > 0


def test_holds(declare):
    declare(positive)
    verdict = verify("test.claim")
    assert (verdict.status, verdict.scope, verdict.cases) == ("holds", "all cases", 3)
    assert (verdict.failed, verdict.errors, verdict.unfinished) == (0, 0, 0)
    assert bool(verdict) is True
    assert verdict.as_expected
    assert isinstance(verdict.certificate, Exhausted)
    assert verdict.certificate.count == 3
    assert verdict.certificate.check()
    assert verdict.near_misses == {
        "not positive": "fails, as it must (the statement is false in this case)"
    }


def test_fails_with_a_counterexample(declare):
    declare(lambda n: 0 < n < 3 or Fails(f"{n} is too large"), cases=[1, 2, 3, 4])
    verdict = verify("test.claim")
    assert (verdict.status, verdict.failed, verdict.cases) == ("fails", 2, 4)
    assert bool(verdict) is False
    assert not verdict.as_expected
    assert isinstance(verdict.certificate, Counterexample)
    assert (verdict.certificate.case, verdict.certificate.reason) == (3, "3 is too large")
    assert verdict.certificate.check()


class Chameleon:
    def __eq__(self, other):
        return True

    __hash__ = None


# What a function may do besides answering; none of it may pass for an answer.
def _stale():
    certificate = certify(Matrix([[1, 2], [3, 4]]))
    return Nonsingular(prime=certificate.prime, residue=certificate.residue + 1,
                       subject=certificate.subject)  # fmt: skip


def _own_counterexample():
    claim = claims["test.claim"]
    return Counterexample(claim=claim.id, case=0, reason=Fails().reason, subject=claim)


ODD = {
    "None": lambda: None,
    "one": lambda: 1,
    "a text": lambda: "holds",
    "something equal to True": Chameleon,
    "an unchecked certificate": _stale,
    "a certificate without its subject": lambda: Nonsingular(prime=7, residue=5),
    "a counterexample": _own_counterexample,
    "a class": lambda: Fails,
    "an error": lambda: 1 // 0,
    "an exit": sys.exit,
    "an error of symbench": lambda: Matrix([[1, 2], [3]]),
    "an assertion": lambda: (_ for _ in ()).throw(AssertionError("no")),
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_anything_else_is_an_error(declare, odd, jobs):
    declare(lambda n: odd() if n == 2 else n > 0)
    verdict = verify("test.claim", jobs=jobs)
    assert (verdict.status, verdict.errors, verdict.failed) == ("undecided", 1, 0)
    assert verdict.unfinished == 0
    assert verdict.certificate is None
    with pytest.raises(Undecided, match=r"test\.claim"):
        bool(verdict)
    with pytest.raises(BadValue, match="no certificate"):
        verdict.save("never-written.json")


def test_a_checked_certificate_is_an_answer(declare):
    def function(n):
        return certify(Matrix([[n]])) if n else Fails("zero")

    declare(function)
    assert verify("test.claim").status == "holds"


def test_failures_errors_and_the_unfinished_are_counted_apart(declare):
    def function(n):
        if n % 4 == 1:
            raise Undecided("precision too low")
        if n % 4 == 2:
            raise MemoryError
        if n % 4 == 3:
            raise ValueError("odd")
        return n > 8

    declare(function, cases=range(1, 13))
    verdict = verify("test.claim")
    assert (verdict.status, verdict.cases) == ("fails", 12)
    assert (verdict.failed, verdict.errors, verdict.unfinished) == (2, 3, 6)
    text = verdict.explain()
    assert "2 failed, 3 errors, 6 unfinished" in text
    assert "precision too low" in text
    assert "ValueError: odd" in text


def test_unfinished_alone_is_undecided(declare):
    def function(n):
        if n == 2:
            raise Undecided("precision too low")
        return n > 0

    declare(function)
    verdict = verify("test.claim")
    assert (verdict.status, verdict.unfinished, verdict.errors) == ("undecided", 1, 0)


NEAR = {
    "holds": (lambda n: True, "holds"),
    "raises": (lambda n: 1 / n > 0, "ZeroDivisionError"),
    "returns None": (lambda n: n > 0 or None, "BadClaim"),
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("function", "shown"), NEAR.values(), ids=NEAR)
def test_a_near_miss_that_does_not_fail(declare, function, shown, jobs):
    declare(function)
    verdict = verify("test.claim", jobs=jobs)
    assert (verdict.status, verdict.sharp, verdict.failed) == ("undecided", 0, 0)
    assert shown in verdict.near_misses["not positive"]
    assert verdict.certificate is None


def test_one_near_miss_of_two_does_not_fail(declare):
    near = [NearMiss("first", 0), NearMiss("second", 5, lambda n: n == 5)]
    declare(positive, near_misses=near)
    verdict = verify("test.claim")
    assert (verdict.status, verdict.sharp) == ("undecided", 1)
    assert "second" in " ".join(verdict.notes)
    assert "first" not in " ".join(verdict.notes)


def test_a_near_miss_with_a_variant_of_the_statement(declare):
    declare(positive, near_misses=[NearMiss("more than one", 1, lambda n: n > 1)])
    assert verify("test.claim").status == "holds"


class TestHypotheses:
    """applies(case) keeps what the claim does not speak of from deciding it."""

    @staticmethod
    def even(n):
        return n % 2 == 0

    @staticmethod
    def halves(n):
        """An even number is twice its half."""
        return 2 * (n // 2) == n

    def test_cases_inside_near_misses_outside(self, declare):
        declare(self.halves, cases=[2, 4], boundary=0, applies=self.even,
                near_misses=[NearMiss("odd", 3)])  # fmt: skip
        verdict = verify("test.claim")
        assert (verdict.status, verdict.cases) == ("holds", 3)

    def test_a_case_outside_is_an_error(self, declare):
        declare(self.halves, cases=[2, 5], boundary=2, applies=self.even,
                near_misses=[NearMiss("odd", 3)])  # fmt: skip
        verdict = verify("test.claim")
        assert (verdict.status, verdict.errors, verdict.failed) == ("undecided", 1, 0)

    def test_a_near_miss_inside_is_an_error(self, declare):
        declare(lambda n: n == 2, cases=[2], boundary=2, applies=self.even,
                near_misses=[NearMiss("four", 4)])  # fmt: skip
        assert verify("test.claim").status == "undecided"

    def test_applies_answers_with_a_bool(self, declare):
        declare(self.halves, cases=[2], boundary=2, applies=lambda n: None,
                near_misses=[NearMiss("odd", 3)])  # fmt: skip
        verdict = verify("test.claim")
        assert (verdict.status, verdict.errors) == ("undecided", 1)

    def test_a_counterexample_outside_does_not_check(self, declare):
        claim = declare(self.halves, cases=[2], boundary=2, applies=self.even,
                        near_misses=[NearMiss("odd", 3)])  # fmt: skip
        reason = Fails().reason
        for case in (3, 5):
            forged = Counterexample(claim=claim.id, case=case, reason=reason, subject=claim)
            assert forged.check() is False

    def test_a_near_miss_is_never_a_counterexample(self, declare):
        claim = declare(positive)
        forged = Counterexample(claim=claim.id, case=0, reason=Fails().reason, subject=claim)
        assert forged.check() is False


class TestExpected:
    def test_fails_as_announced(self, declare):
        declare(lambda n: n == 1, expected="fails", repaired_by="test.other")
        verdict = verify("test.claim")
        assert (verdict.status, verdict.as_expected) == ("fails", True)

    def test_holds_although_announced_to_fail(self, declare):
        declare(positive, expected="fails", repaired_by="test.other")
        verdict = verify("test.claim")
        assert (verdict.status, verdict.as_expected) == ("holds", False)
        assert "expected: fails" in verdict.explain()

    def test_undecided_as_announced(self, declare):
        def function(n):
            if n == 0:
                return False
            raise Undecided("an open problem")

        declare(function, expected="undecided", why="an open problem")
        verdict = verify("test.claim")
        assert (verdict.status, verdict.as_expected) == ("undecided", True)
        assert "an open problem" in verdict.explain()

    def test_broken_is_not_undecided_as_announced(self, declare):
        declare(lambda n: 1 // 0, expected="undecided", why="an open problem")
        verdict = verify("test.claim")
        assert (verdict.status, verdict.as_expected) == ("undecided", False)

    def test_nor_is_one_whose_near_miss_is_blunt(self, declare):
        def function(n):
            if n == 0:
                return True
            raise Undecided("an open problem")

        declare(function, expected="undecided", why="an open problem")
        assert not verify("test.claim").as_expected


class TestScope:
    def test_proved(self, declare):
        declare(positive, proves=True)
        verdict = verify("test.claim")
        assert verdict.scope == "proved"
        assert "covered" in verdict.explain()

    def test_undecided_is_never_called_covered(self, declare):
        declare(lambda n: n > 0 or None, proves=True)
        text = verify("test.claim").explain()
        assert "covered" not in text
        assert "every one" not in text

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_sampled(self, declare, jobs):
        from hypothesis import strategies as st

        declare(positive, strategy=lambda: st.integers(1, 10**6))
        verdict = verify("test.claim", jobs=jobs)
        assert (verdict.status, verdict.scope, verdict.seed) == ("holds", "sampled", 0)
        assert verdict.cases == 101  # and the boundary
        assert verdict.certificate is None
        assert "seed 0" in verdict.explain()

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_sampled_and_wrong(self, declare, jobs):
        from hypothesis import strategies as st

        declare(lambda n: 0 < n < 50, strategy=lambda: st.integers(1, 10**6))
        verdict = verify("test.claim", jobs=jobs)
        assert (verdict.status, verdict.failed) == ("fails", 1)
        assert verdict.certificate.case == 50
        assert verdict.certificate.check()

    def test_sampled_and_broken(self, declare):
        from hypothesis import strategies as st

        declare(lambda n: n > 0 if n < 5 else None, strategy=lambda: st.integers(1, 10**6))
        verdict = verify("test.claim")
        assert (verdict.status, verdict.unfinished) == ("undecided", 0)
        assert verdict.errors > 0
        assert "BadClaim" in verdict.explain()

    def test_sampled_from_nothing(self, declare):
        from hypothesis import strategies as st

        declare(positive, strategy=st.nothing)
        verdict = verify("test.claim")
        assert (verdict.status, verdict.errors) == ("undecided", 1)

    def test_sampled_from_no_strategy(self, declare):
        declare(positive, strategy=lambda: 5)
        assert verify("test.claim").status == "undecided"

    def test_a_sampled_claim_whose_boundary_fails(self, declare):
        from hypothesis import strategies as st

        declare(lambda n: 0 < n < 99, strategy=lambda: st.integers(1, 50), boundary=99)
        verdict = verify("test.claim")
        assert (verdict.status, verdict.certificate.case) == ("fails", 99)


class TestParameters:
    @staticmethod
    def sizes(top: int = 3, word: str = "a"):
        if word == "break":
            yield 1
            raise OSError("no such list")
        yield from range(1, top + 1)

    def test_given(self, declare):
        declare(positive, cases=self.sizes)
        verdict = verify("test.claim", top=7)
        assert verdict.cases == 7
        assert verdict.parameters == {"top": 7, "word": "a"}
        assert verdict.certificate.parameters == {"top": 7, "word": "a"}

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"tops": 3}, UnknownName),
            ({"top": "3"}, BadType),
            ({"top": None}, BadType),
            ({"top": True}, BadType),
            ({"top": 3.0}, NotExact),
            ({"top": [3]}, BadType),
            ({"word": 3}, BadType),
            ({"word": 3.5}, BadType),
        ],
    )
    def test_bad(self, declare, given, error):
        declare(positive, cases=self.sizes)
        with pytest.raises(error):
            verify("test.claim", **given)

    def test_none_for_a_list_or_a_sample(self, declare):
        from hypothesis import strategies as st

        declare(positive)
        with pytest.raises(UnknownName, match="it takes none"):
            verify("test.claim", top=3)
        declare(positive, id="test.sampled", strategy=lambda: st.integers(1, 5))
        with pytest.raises(UnknownName):
            verify("test.sampled", top=3)

    def test_no_cases(self, declare):
        declare(positive, cases=self.sizes)
        verdict = verify("test.claim", top=0)
        assert (verdict.status, verdict.cases) == ("undecided", 0)
        assert "no cases" in verdict.explain()

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_list_that_breaks_off(self, declare, jobs):
        declare(positive, cases=self.sizes)
        verdict = verify("test.claim", word="break", jobs=jobs)
        assert (verdict.status, verdict.errors) == ("undecided", 1)
        assert "no such list" in verdict.explain()
        assert verdict.certificate is None

    def test_a_case_that_files_do_not_hold(self, declare):
        declare(positive, cases=[1, 2.5])
        verdict = verify("test.claim")
        assert (verdict.status, verdict.errors) == ("undecided", 1)


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": 0}, {"timeout": -1}, {"timeout": "1"}, {"timeout": True},
        {"timeout": float("nan")}, {"memory": 0}, {"memory": 1.5}, {"memory": "1"},
        {"jobs": 0}, {"jobs": 10**6}, {"jobs": 1.5}, {"jobs": None}, {"jobs": "2"},
        {"workers": 5}, {"progress": 5},
    ],
    ids=str,
)  # fmt: skip
def test_bad_options(declare, options):
    declare(positive)
    with pytest.raises(SymbenchError):
        verify("test.claim", **options)


@pytest.mark.parametrize("id", [None, 5, b"x", ["test.claim"]])
def test_bad_ids(id):
    with pytest.raises(BadType):
        verify(id)
    with pytest.raises(BadType):
        claims[id]
    assert id not in claims


def test_an_unknown_id_comes_with_a_hint():
    with pytest.raises(UnknownName, match=r"did you mean lavie2024\.dimension"):
        verify("lavie2024.dimensoin")
    with pytest.raises(UnknownName, match="symbench list"):
        verify("###")


def test_progress_counts_the_cases(declare):
    declare(positive)
    seen = []
    verify("test.claim", progress=seen.append)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_workers_and_this_process_agree(declare, jobs):
    def function(n):
        if n % 7 == 5:
            raise Undecided("five")
        if n % 7 == 6:
            raise KeyError("six")
        return n % 7 not in (0, 3)

    declare(function, cases=range(1, 200))
    here = verify("test.claim")
    there = verify("test.claim", jobs=jobs, memory=4000)
    assert here == there
    assert here.notes == there.notes
    assert here.certificate == there.certificate
    with Workers(jobs=2) as own:
        assert verify("test.claim", workers=own) == here
        assert verify("test.claim", workers=own) == here


def test_cases_that_are_drawn_are_not_counted(declare):
    drawn = declare(positive, cases=None, strategy=lambda: st.integers(1, 9))
    assert drawn.scope == "sampled"
    assert drawn.count_cases() is None
    assert declare(positive, id="test.other", cases=[2, 3]).count_cases() == 3  # and the boundary


def test_slow_cases_are_told_of_before_all_are_done(declare):
    def slow(n):
        time.sleep(0.1)
        return n > 0

    declare(slow, cases=lambda max_n=9: range(1, max_n + 1))
    seen = []
    verify("test.claim", jobs=2, progress=lambda n: seen.append((n, time.monotonic())))
    assert [n for n, _ in seen] == list(range(1, 10))
    # In one batch of nine all would be told of at the same moment.
    assert seen[-1][1] - seen[0][1] > 0.1


def test_a_long_run_shows_a_bar_on_a_terminal(declare, monkeypatch):
    declare(positive, cases=lambda max_n=9: range(1, max_n + 1))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(draw_progress, "_AFTER", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    verify("test.claim")
    assert "test.claim" in sys.stderr.getvalue()
    assert "/9" in sys.stderr.getvalue()
