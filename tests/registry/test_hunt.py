"""hunt finds, shrinks, and says the same with the same seed."""

import pytest
from hypothesis import strategies as st

from symbench.errors import BadClaim, NotSupported, SymbenchError, Undecided
from symbench.registry import Fails, NearMiss, hunt, verify


def small(n):
    """A positive number is less than 50."""
    return 0 < n < 50 or Fails(f"{n} is not")


def pairs(case):
    """A list of numbers has a sum below 100."""
    return sum(case) < 100


@pytest.mark.parametrize("seed", [0, 1, 2, -5, 10**20])
def test_shrinks_to_the_smallest(declare, seed):
    claim = declare(small, strategy=lambda: st.integers(1, 10**9))
    found = hunt("test.claim", seed=seed)
    assert (found.case, found.reason) == (50, "50 is not")
    assert found.subject is claim
    assert found.check()


def test_shrinks_structures(declare):
    declare(pairs, strategy=lambda: st.lists(st.integers(0, 1000)), boundary=[],
            near_misses=[NearMiss("too large", [101])])  # fmt: skip
    found = hunt("test.claim")
    assert found.case == (100,)  # a tuple, as a file gives it back
    assert found.check()


def test_same_seed_same_result(declare):
    declare(lambda n: n <= 0 or n % 997 > 3, strategy=lambda: st.integers(1, 10**9), boundary=5)
    assert hunt("test.claim", seed=3) == hunt("test.claim", seed=3)


def test_draws_the_same_cases_again(declare):
    seen = []
    declare(lambda n: seen.append(n) is None, strategy=lambda: st.integers(1, 10**9))
    hunt("test.claim", max_examples=30, seed=1)
    first, seen[:] = list(seen), []
    hunt("test.claim", max_examples=30, seed=1)
    assert first == seen
    seen.clear()
    hunt("test.claim", max_examples=30, seed=2)
    assert first != seen


def test_past_the_exhausted_range(declare):
    declare(small, cases=range(1, 40), strategy=lambda: st.integers(1, 10**6))
    assert verify("test.claim").status == "holds"
    assert hunt("test.claim").case == 50


def test_not_found_is_none_and_bounded(declare):
    seen = []
    declare(lambda n: seen.append(n) is None and n > 0, strategy=lambda: st.integers(1))
    assert hunt("test.claim", max_examples=17) is None
    assert 1 <= len(seen) <= 17


def test_hypotheses_filter_what_is_drawn(declare):
    declare(lambda n: n % 2 == 0, strategy=lambda: st.integers(1, 100), boundary=2,
            applies=lambda n: n % 2 == 0, near_misses=[NearMiss("odd", 3)])  # fmt: skip
    assert hunt("test.claim", max_examples=50) is None


def test_an_error_is_not_found_nothing(declare):
    declare(lambda n: n > 0 if n < 1000 else None, strategy=lambda: st.integers(1, 10**9))
    with pytest.raises(Undecided, match="BadClaim"):
        hunt("test.claim", max_examples=50)


def test_an_error_does_not_hide_a_counterexample(declare):
    declare(lambda n: 0 < n < 50 if n % 2 == 0 else None, strategy=lambda: st.integers(1, 10**6))
    assert hunt("test.claim").case == 50


def test_a_claim_that_changes_its_mind(declare):
    calls = []

    def fickle(n):
        calls.append(n)
        return len(calls) != 3

    declare(fickle, strategy=lambda: st.integers(1, 10**6))
    with pytest.raises(BadClaim):
        hunt("test.claim")
    assert verify("test.claim").cases > 0


def test_a_fickle_claim_does_not_hold(declare):
    calls = []

    def fickle(n):
        calls.append(n)
        return len(calls) != 3

    declare(fickle, strategy=lambda: st.integers(1, 10**6))
    assert verify("test.claim").status != "holds"


def test_nothing_to_hunt_with(declare):
    declare(small)
    with pytest.raises(NotSupported, match="strategy"):
        hunt("test.claim")


@pytest.mark.parametrize(
    "options",
    [{"max_examples": 0}, {"max_examples": 1.5}, {"max_examples": None}, {"seed": 1.5},
     {"seed": None}, {"seed": "x"}],
    ids=str,
)  # fmt: skip
def test_bad_options(declare, options):
    declare(small, strategy=lambda: st.integers(1, 10**9))
    with pytest.raises(SymbenchError):
        hunt("test.claim", **options)
