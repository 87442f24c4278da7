"""hunt finds, shrinks, and says the same with the same seed."""

import os
import re
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

from symbench.errors import BadClaim, NotSupported, SymbenchError, Undecided
from symbench.registry import Fails, NearMiss, claims, hunt, hunt_all, hunting, verify
from symbench.registry.hunting import search
from symbench.registry.kept import UNSHRUNK, Kept, cache_folder

from .plugin import CLAIMS, PATIENCE, command, environment, finished, started, until, write_plugin


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
    [{"max_examples": 0}, {"max_examples": 1.5}, {"max_examples": "9"}, {"seed": 1.5},
     {"seed": None}, {"seed": "x"}],
    ids=str,
)  # fmt: skip
def test_bad_options(declare, options):
    declare(small, strategy=lambda: st.integers(1, 10**9))
    with pytest.raises(SymbenchError):
        hunt("test.claim", **options)


class TestUnhuntable:
    def test_it_says_why(self, declare):
        claim = declare(small, unhuntable="three printed numbers")
        assert claim.unhuntable == "three printed numbers"
        with pytest.raises(NotSupported, match="three printed numbers"):
            hunt("test.claim")

    @pytest.mark.parametrize("text", ["", " ", 3, True])
    def test_a_reason_is_a_text(self, declare, text):
        with pytest.raises(BadClaim, match="unhuntable is"):
            declare(small, unhuntable=text)

    def test_not_with_a_strategy(self, declare):
        with pytest.raises(BadClaim, match="without a strategy"):
            declare(small, unhuntable="too long", strategy=lambda: st.integers(1, 9))


class TestLimits:
    def test_the_time_is_kept(self, declare):
        def slow(n):
            time.sleep(0.02)
            return n > 0

        declare(slow, strategy=lambda: st.integers(1))
        found = search(claims["test.claim"], max_examples=10**6, seconds=0.3)
        assert found.status == "none found"
        assert found.cases >= 1
        assert found.seconds < PATIENCE

    def test_a_counterexample_is_shrunk_after_its_time(self, declare, monkeypatch):
        seen = []
        # A clock that goes on by a tenth of a second for each number that is too large.
        monkeypatch.setattr(hunting, "time", SimpleNamespace(perf_counter=lambda: len(seen) / 10))

        def slow(n):
            seen.extend([n] * (n >= 50))
            return 0 < n < 50

        declare(slow, strategy=lambda: st.integers(1, 10**6))
        assert hunt("test.claim", seconds=0.3, seed=1).case == 50
        assert len(seen) > 4

    def test_profiles(self, declare):
        seen = []
        declare(lambda n: seen.append(n) is None, strategy=lambda: st.integers(1))
        assert hunt("test.claim", profile="quick", max_examples=7) is None
        assert len(seen) <= 7
        for bad in ({"profile": "slow"}, {"profile": 3}, {"seconds": 0}, {"seconds": "1"}):
            with pytest.raises(SymbenchError):
                hunt("test.claim", **bad)

    def test_no_case_is_no_answer(self, declare):
        declare(lambda n: n > 0, strategy=lambda: st.integers(1, 9), applies=lambda n: n > 99,
                boundary=100)  # fmt: skip
        with pytest.raises(SymbenchError):
            hunt("test.claim")


class TestTheDatabase:
    def test_what_is_found_is_looked_at_first(self, declare, tmp_path):
        seen = []

        def function(n):
            seen.append(n)
            return 0 < n < 50

        declare(function, strategy=lambda: st.integers(1, 10**6))
        assert hunt("test.claim", database=tmp_path).case == 50
        seen.clear()
        again = search(claims["test.claim"], database=tmp_path, seed=9)
        assert (again.replayed, again.counterexample.case, seen) == (True, 50, [50])
        assert again.path.is_file()

    def test_a_mended_claim_is_drawn_from_again(self, declare, tmp_path):
        limit = [50]
        declare(lambda n: 0 < n < limit[0], strategy=lambda: st.integers(1, 10**6))
        assert hunt("test.claim", database=tmp_path).case == 50
        limit[0] = 1000
        assert hunt("test.claim", database=tmp_path).case == 1000
        limit[0] = 10**7
        assert hunt("test.claim", database=tmp_path) is None
        assert len(Kept(tmp_path).of(claims["test.claim"])) == 2  # they may come back

    def test_one_that_was_not_shrunk_is_hunted_on(self, declare, tmp_path):
        declare(small, strategy=lambda: st.integers(1, 10**6))
        claim = claims["test.claim"]
        kept = Kept(tmp_path)
        first = search(claim).counterexample
        kept.add(type(first)(claim=claim.id, case=999, reason="999 is not", subject=claim,
                             note=UNSHRUNK))  # fmt: skip
        found = search(claim, database=tmp_path)
        assert (found.counterexample.case, found.replayed) == (50, False)
        assert [x.case for x in kept.of(claim)] == [50]

    def test_one_that_was_not_shrunk_is_not_lost(self, declare, tmp_path):
        declare(small, strategy=lambda: st.integers(1, 9))
        claim = claims["test.claim"]
        kept = Kept(tmp_path)
        made = declare(small, id="test.other", strategy=lambda: st.integers(1, 10**6))
        found = search(made).counterexample
        kept.add(type(found)(claim=claim.id, case=99, reason="99 is not", subject=claim,
                             note=UNSHRUNK))  # fmt: skip
        assert hunt("test.claim", database=tmp_path).case == 99

    def test_files_that_are_none_are_skipped(self, declare, tmp_path):
        declare(small, strategy=lambda: st.integers(1, 10**6))
        home = tmp_path / "test.claim"
        home.mkdir()
        (home / "junk.json").write_text("{}")
        with pytest.warns(UserWarning, match=r"junk\.json: .*: skipped"):
            assert hunt("test.claim", database=tmp_path).case == 50

    def test_a_place_that_cannot_be_written(self, declare, tmp_path):
        declare(small, strategy=lambda: st.integers(1, 10**6))
        (tmp_path / "file").write_text("")
        with pytest.raises(SymbenchError, match="cannot write the database"):
            hunt("test.claim", database=tmp_path / "file" / "x")
        with pytest.raises(SymbenchError, match="the database is 3"):
            hunt("test.claim", database=3)

    def test_where_it_is(self, monkeypatch):
        monkeypatch.delenv("SYMBENCH_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
        assert cache_folder() == Path("/somewhere/symbench")
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert cache_folder() == Path.home() / ".cache" / "symbench"


HUNT = (
    "import symbench as sb; from hypothesis import strategies as st; "
    "found = sb.hunt('demo.small'); assert found.case == 50; sb.verify('demo.small'); "
    "sb.hunt('demo.words')"
)
# Texts are what Hypothesis keeps tables for; and one that takes long to shrink.
MORE = '''

def _texts():
    from hypothesis import strategies as st

    return st.text()


@claim("demo.words", source="here", category="lemma", strategy=_texts, boundary="",
       near_misses=[NearMiss("no text", 0)])
def words(text):
    """Every text is a text."""
    return isinstance(text, str)


@declare("demo.long", cases=None, strategy=_strategy)
def long(n):
    """Every positive number is less than 50, and it takes long to say that one is not."""
    if n >= 50:
        time.sleep(0.3)
    return 0 < n < 50
'''


@pytest.fixture(scope="module")
def hunted(tmp_path_factory):
    """Claims to hunt in a process of its own: one may be hunted for ever."""
    return write_plugin(tmp_path_factory.mktemp("plugin"), CLAIMS + MORE)


def root(folder):
    """The environment of a process anywhere that finds this symbench and the plugin."""
    import symbench

    here = str(Path(symbench.__file__).parents[1])
    return {**environment(folder), "PYTHONPATH": os.pathsep.join([str(folder), here])}


def test_no_folder_is_left_behind(hunted, tmp_path):
    (tmp_path / "empty").mkdir()
    env = {**root(hunted), "SYMBENCH_CACHE": str(tmp_path / "cache")}
    for arguments in ([sys.executable, "-c", HUNT], command("hunt", "demo.words", "demo.fine"),
                      command("verify", "demo.fine", "demo.words")):  # fmt: skip
        run = finished(arguments, env=env, cwd=tmp_path / "empty")
        assert run.returncode == 0, run.stderr
        assert list((tmp_path / "empty").iterdir()) == []


def test_an_interrupted_hunt_keeps_what_it_found(hunted, tmp_path):
    env = {**root(hunted), "SYMBENCH_CACHE": str(tmp_path)}
    pipes = {"stdout": -1, "stderr": -1}
    run = command("hunt", "demo.fine", "demo.long", "--max-examples", 10**7, "--jobs", 2)
    with started(run, env=env, cwd=tmp_path, **pipes) as process:
        until(lambda: list(tmp_path.rglob("demo.long/*.json")))
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert re.search(r"demo\.long fails for \d+", output)
    assert "1 of 2 claims are left" in errors
    assert list(tmp_path.rglob("demo.long/*.json"))


def test_many(declare, tmp_path):
    declare(small, id="test.one", strategy=lambda: st.integers(1, 10**6))
    declare(lambda n: n > 0, id="test.two", strategy=lambda: st.integers(1, 10**6))
    declare(lambda n: os._exit(3), id="test.dies", strategy=lambda: st.integers(1, 10**6))
    ids = ["test.one", "test.two", "test.dies"]
    found = {x.claim: x for x in hunt_all(ids, max_examples=200, database=tmp_path, jobs=2)}
    assert {id: x.status for id, x in found.items()} == {
        "test.one": "found", "test.two": "none found", "test.dies": "undecided"
    }  # fmt: skip
    assert found["test.one"].counterexample.case == 50
    assert "died" in found["test.dies"].explain()
