"""Linters that every claim must pass: it would notice a library that is wrong.

A claim is run with its function replaced by one that says True to everything, and by one that says
Fails: either must change its verdict. Its near-misses are traced: one that fails without asking
the library anything is hard-coded, one that fails because an argument is refused shows nothing.
"""

import functools
import gc
import sys
from contextlib import contextmanager

import attrs
import pytest

from symbench.errors import SymbenchError, Undecided
from symbench.registry import Control, Fails, NearMiss, claims, verify

PAPERS = ("boix2024", "lavie2024", "edelman2022")
IDS = list(claims)
WITH_CASES = [id for id in IDS if claims[id].has_cases]
# Modules that decide nothing: what a near-miss may call without having asked the library.
IDLE = (
    "symbench.papers",
    "symbench.registry",
    "symbench.errors",
    "symbench._arguments",
    "symbench._lazy",
    "symbench.certificates.plain",
)


@contextmanager
def replaced(id, function):
    """The book with another function for this claim."""
    claim = claims[id]
    claims._claims[id] = attrs.evolve(claim, function=function)
    try:
        yield
    finally:
        claims._claims[id] = claim


def says_true(case, **variant):
    return True


def says_fails(case, **variant):
    return Fails("whatever it is")


def notices(id, function):
    """Whether the verdict is not the announced one any more."""
    with replaced(id, function):
        return not verify(id).as_expected


def forget():
    """Clear what symbench has computed before: a cached answer asks the library nothing."""
    for found in gc.get_objects():
        cache = isinstance(found, functools._lru_cache_wrapper)
        if cache and str(found.__module__).startswith("symbench"):
            found.cache_clear()


def traced(claim, near):
    """Whether the library was asked anything, and which of its errors came up to the claim."""
    asked, refused = set(), []

    def inside(frame, event, value):
        here = frame.f_globals["__name__"].startswith("symbench.papers")
        if event == "exception" and here and issubclass(value[0], SymbenchError):
            refused.extend([f"{value[0].__name__}: {value[1]}"] * (value[0] is not Undecided))
        return inside

    def outside(frame, event, value):
        name = frame.f_globals.get("__name__", "")
        if not name.startswith("symbench."):
            return None
        if not name.startswith(IDLE):
            asked.add(name)
        frame.f_trace_lines = False
        return inside

    forget()
    before = sys.gettrace()
    sys.settrace(outside)
    try:
        outcome, _ = claim.look(near.case, near)
    finally:
        sys.settrace(before)
    assert outcome == "fails"
    return asked, refused


@pytest.mark.parametrize("id", WITH_CASES)
def test_a_function_that_is_always_true_is_noticed(id):
    assert notices(id, says_true)


@pytest.mark.parametrize("id", WITH_CASES)
def test_a_function_that_refutes_everything_is_noticed(id):
    assert notices(id, says_fails)


@pytest.mark.parametrize(
    ("id", "k"), [(id, k) for id in IDS for k in range(len(claims[id].near_misses))]
)
def test_a_near_miss_is_looked_at(id, k):
    claim = claims[id]
    asked, refused = traced(claim, claim.near_misses[k])
    assert asked, "it fails without having asked the library anything"
    assert not refused, "it fails because its arguments are refused"


@pytest.mark.parametrize("id", [id for id in IDS if claims[id].expected == "fails"])
def test_a_refuted_claim_has_a_control(id):
    assert claims[id].controls


@pytest.mark.parametrize("id", [id for id in IDS if id.split(".")[0] in PAPERS])
def test_a_papers_claim_says_how_near_it_is_to_the_printed_words(id):
    assert claims[id].wording is not None


class TestTheLinters:
    """A linter that cannot complain is none."""

    @staticmethod
    def positive(n):
        from symbench.young import Partition

        return Partition(max(n, 1)).dim == n**0 and n > 0

    def test_a_near_miss_of_its_own(self, declare):
        declare(self.positive, near_misses=[NearMiss("zero", 0, lambda n: n > 0)])
        assert not notices("test.claim", says_true)
        declare(self.positive, near_misses=[NearMiss("zero", 0)])
        assert notices("test.claim", says_true)
        assert notices("test.claim", says_fails)

    def test_a_refuted_claim(self, declare):
        fields = {"expected": "fails", "repaired_by": "other.claim"}
        declare(lambda n: n % 2 == 1, **fields)
        assert not notices("test.claim", says_fails)
        declare(lambda n: n % 2 == 1, controls=[Control("one", 1)], **fields)
        assert notices("test.claim", says_fails)

    def test_hard_coded(self, declare):
        claim = declare(lambda n: n > 0, near_misses=[NearMiss("zero", 0)])
        assert traced(claim, claim.near_misses[0]) == (set(), [])
        claim = declare(self.positive, id="test.asks", near_misses=[NearMiss("zero", 0)])
        assert "symbench.young.partition" in traced(claim, claim.near_misses[0])[0]

    def test_a_refusal(self, declare):
        from symbench.young import Partition

        def refuses(n):
            try:
                return Partition(n).dim > 0
            except SymbenchError as error:
                return Fails(str(error))

        # As if it stood in a module of papers: the linter does not look at others.
        source = {"__name__": "symbench.papers.demo", "Partition": Partition, "Fails": Fails,
                  "SymbenchError": SymbenchError}  # fmt: skip
        asked = type(refuses)(refuses.__code__, source, closure=refuses.__closure__)
        claim = declare(asked, near_misses=[NearMiss("minus one", -1)])
        (refusal,) = traced(claim, claim.near_misses[0])[1]
        assert refusal.startswith("BadValue")
