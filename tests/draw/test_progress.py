"""Bars: what they say, when they are shown, and that there is one display at a time."""

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbench.decide.limits import Workers
from symbench.draw import progress
from symbench.draw.progress import Progress
from symbench.registry import claims


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_of(monkeypatch):
    """A terminal of 80 columns as standard error, bars at once; to be called in the test."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "_AFTER", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return sys.stderr


def test_a_part_shows_its_cases_rate_and_time_left_in_eighty_columns(monkeypatch):
    terminal = terminal_of(monkeypatch)
    id = "symbench." + "x" * 27  # the longest ids
    with Progress("claims", 12) as whole:
        whole.advance(5, line="said elsewhere")
        with whole.part(id, lambda: 12_000) as reached:
            reached(4_321)
            whole._bars.refresh()
        assert len(whole._bars.tasks) == 1  # the part's bar goes with it
    written = terminal.getvalue()
    assert id in written
    assert "4,321/12,000" in written
    assert "5/12" in written
    assert written.count(" left") >= 2
    assert "said elsewhere" not in written


def test_work_inside_shows_no_bar_of_its_own(monkeypatch):
    terminal = terminal_of(monkeypatch)
    with Progress("outer", 2) as whole, progress.progress("inner", 10) as report:
        report(5)
        whole.advance()
    assert "outer" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()


def test_without_a_terminal_there_are_lines_and_no_totals_are_asked(capsys):
    with Progress("claims", 2) as whole:
        with whole.part("first", lambda: pytest.fail("counted for nobody")) as reached:
            reached(1)
        whole.advance(line="first: holds")
        whole.advance()
    assert capsys.readouterr().err == "[1/2] first: holds\n"


def test_a_bar_is_shown_while_its_first_part_goes_on(monkeypatch):
    """The work inside has no bar of its own, but says that time goes by."""
    terminal = terminal_of(monkeypatch)
    monkeypatch.setattr(progress, "_AFTER", 60.0)
    with Progress("outer", 4, at_once=False) as whole, progress.progress("inner", 10) as report:
        report(1)
        assert terminal.getvalue() == ""
        whole._start -= 60
        report(1)
        assert "outer" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()


@given(st.integers(1, 10**6), st.integers(2, 10**6), st.floats(0.01, 1e6))
def test_figures_count_and_the_time_left_is_that_of_the_rest(done, total, elapsed):
    count, _, rest = progress._figures(done, total, elapsed).partition(" ")
    assert count.replace(",", "") == f"{done}/{max(done, total)}"
    if elapsed < 20 and done < total / 100:  # nothing can be said yet
        assert "left" not in rest
        return
    *_, clock, left = rest.split()
    assert left == "left"
    seconds = 0
    for part in clock.split(":"):
        seconds = 60 * seconds + int(part)
    # By proportion: all of it takes elapsed * total / done.
    assert seconds == pytest.approx(max(elapsed * total / done - elapsed, 0), abs=0.51, rel=1e-9)


@pytest.mark.parametrize("id", ["young.hook-length", "boix2024.lemma-E.1", "boix2024.remark-I.6"])
def test_cases_are_counted_as_they_are_listed(id):
    claim = claims[id]
    assert claim.count_cases() == len(list(claim.list_cases()))
    assert claim.count_cases(within=-1) is None


def test_every_so_often_a_line_says_how_far_it_is_and_the_total_may_come_late(capsys, monkeypatch):
    with Progress("mine.claim", every=10.0) as whole:
        whole.reached(1, 400)
        assert capsys.readouterr().err == ""
        whole._start, whole._told = whole._start - 20, whole._told - 20
        whole.reached(100, 400)
        whole.reached(101, 400)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mine.claim: 100/400 5.0/s ")


def test_the_rate_is_that_of_the_work_and_not_of_finding_out_how_much_there_is(capsys):
    with Progress("mine.claim", every=10.0) as whole:
        whole._start, whole._told = whole._start - 3600, whole._told - 3600
        whole.reached(0, 400)
        whole._start, whole._told = whole._start - 20, whole._told - 20
        whole.reached(100, 400)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "mine.claim: 0/400"
    assert second.startswith("mine.claim: 100/400 5.0/s ")


def _shows_a_bar():
    sys.stderr = Terminal()
    return Progress("inner", 2)._shows


def test_a_worker_process_shows_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert _shows_a_bar()
    with Workers(jobs=1) as workers:
        assert workers.run(_shows_a_bar) is False
