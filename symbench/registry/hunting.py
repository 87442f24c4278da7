"""hunt: let Hypothesis look for a counterexample past the exhausted range, and shrink it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, Literal

import attrs

from symbench._arguments import choice, integer
from symbench.certificates import Counterexample
from symbench.decide.limits import Workers
from symbench.decide.limits import seconds as duration
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadClaim, NotSupported, SymbenchError, Undecided
from symbench.registry.book import claims
from symbench.registry.kept import UNSHRUNK, Kept, cache_folder, kept_in
from symbench.registry.statement import Claim, Expected, Result, as_written

SAMPLES = 100  # how many cases a verdict draws
# How many cases held, and those that did not with their results: at most one of them fails.
Sample = tuple[int, list[tuple[Any, Result]]]
# What a hunt may do by profile: how many cases it draws, and for how many seconds.
PROFILES: dict[str, tuple[int, float]] = {"quick": (300, 1.0), "deep": (100_000, 180.0)}
# Seconds for shrinking beside those for the search: a counterexample is worth them.
_SHRINKING = 10.0
# How many times as long a counterexample is looked for where there is one.
_REFUTED = 10


@attrs.frozen(kw_only=True)
class Hunt(Shown):
    """What a hunt has to say: a counterexample, none in `cases` cases, or no answer and why.

    `replayed` says that the counterexample was in the database, where `path` is its file.

    >>> found = search(claims["lavie2024.dimension"], max_examples=20)
    >>> found.status, found.as_expected, found.cases <= 20
    ('none found', True, True)
    """

    claim: str
    expected: Expected
    counterexample: Counterexample | None = attrs.field(default=None, eq=False)
    cases: int = 0
    open: tuple[str, ...] = ()  # what has no answer, the first few
    replayed: bool = False
    path: Path | None = None
    seconds: float = attrs.field(default=0.0, eq=False)

    @property
    def status(self) -> Literal["found", "none found", "undecided"]:
        """Whether a counterexample was found."""
        if self.counterexample is not None:
            return "found"
        return "undecided" if self.open or not self.cases else "none found"

    @property
    def as_expected(self) -> bool:
        """A counterexample for a statement that fails, and none for another."""
        return self.status == ("found" if self.expected == "fails" else "none found")

    def explain(self) -> str:
        """The outcome in a line."""
        if self.counterexample is not None:
            return self.counterexample.explain()
        if self.status == "none found":
            return f"{self.claim}: no counterexample in {self.cases:,} cases"
        reason = self.open[0] if self.open else "no case was looked at"
        return f"{self.claim}: undecided after {self.cases:,} cases: {reason}"

    def _view(self) -> View:
        tone = "open" if self.status == "undecided" else "good" if self.as_expected else "bad"
        said: list[tuple[str, Any]] = [("outcome", self.explain()), ("expected", self.expected)]
        said.append(("cases", f"{self.cases:,} in {self.seconds:.2f} s"))
        if self.counterexample is not None:
            found = "replayed from" if self.replayed else "kept in"
            said += [(found, str(self.path))] * (self.path is not None)
        return card(f"hunt: {self.claim}", facts(said), mark=self.status, tone=tone)


def hunt(
    id: str,
    *,
    max_examples: int | None = None,
    seed: int = 0,
    profile: str | None = None,
    seconds: float | None = None,
    database: str | Path | None = None,
) -> Counterexample | None:
    """A counterexample to the claim, shrunk to a smallest one, or None if none was found.

    At most max_examples cases are drawn (1,000), for so many seconds; profile 'quick' stands for
    about a second and 'deep' for minutes, and for ten times that where a statement is expected to
    fail. With a folder as the database what is found is stored there, and looked at first the next
    time.

    >>> hunt("lavie2024.dimension", max_examples=20) is None
    True
    >>> hunt("lavie2024.dimension", profile="slow")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the profile is 'slow': give one of quick, deep
    """
    claim = claims[id]
    number, limit = limits(max_examples, profile, seconds)
    found = search(claim, seed=seed, max_examples=number, seconds=limit, database=database)
    if found.status == "undecided":
        raise Undecided(f"the hunt for {found.explain()}")
    return found.counterexample


def limits(
    max_examples: int | None, profile: str | None, seconds: float | None
) -> tuple[int, float | None]:
    """How many cases, and for how long: what is said, else by the profile, else 1,000 cases.

    >>> limits(None, "quick", None), limits(5, "quick", None), limits(None, None, None)
    ((300, 1.0), (5, 1.0), (1000, None))
    """
    number: int = 1000
    limit = duration(seconds)
    if profile is not None:
        number, usual = PROFILES[choice(profile, "the profile", PROFILES)]
        limit = usual if limit is None else limit
    if max_examples is not None:
        number = integer(max_examples, "max_examples", at_least=1)
    return number, limit


def search(
    claim: Claim,
    *,
    seed: int = 0,
    max_examples: int = 1000,
    seconds: float | None = None,
    database: str | Path | None = None,
) -> Hunt:
    """Look at the stored counterexamples, then draw cases; what is found is stored at once."""
    start = time.perf_counter()
    kept = kept_in(database)
    number, limit = integer(max_examples, "max_examples", at_least=1), duration(seconds)
    if limit is not None and claim.expected == "fails":
        limit *= _REFUTED
    looked = 0

    def said(found: Counterexample | None, **more: Any) -> Hunt:
        path = None if found is None or kept is None else kept.path(found)
        return Hunt(
            claim=claim.id,
            expected=claim.expected,
            counterexample=found,
            path=path,
            seconds=time.perf_counter() - start,
            **more,
        )

    unshrunk = None
    for stored in kept.of(claim) if kept is not None else ():
        looked += 1
        outcome, reason = claim.look(stored.case)
        if outcome == "fails":
            again = attrs.evolve(stored, reason=reason)
            if stored.note != UNSHRUNK:
                return said(again, cases=looked, replayed=True)
            unshrunk = unshrunk or again
    found = _drawn(claim, integer(seed, "seed"), number, limit, kept)
    open_ = tuple(f"{case!r} ({outcome}: {reason})" for case, (outcome, reason) in found.others)
    if found.counterexample is not None:
        return said(found.counterexample, cases=looked + found.held + 1, open=open_)
    if unshrunk is not None:
        return said(unshrunk, cases=looked + found.held, replayed=True)
    return said(None, cases=looked + found.held, open=open_)


def hunt_all(
    ids: Iterable[str],
    *,
    max_examples: int | None = None,
    seed: int = 0,
    profile: str | None = None,
    seconds: float | None = None,
    database: str | Path | None = None,
    jobs: int = 1,
) -> Iterator[Hunt]:
    """The hunts for several claims in worker processes, as they end.

    A claim that cannot be drawn from, or that does not end in its time, is undecided, and the rest
    goes on. What a worker had found before it was stopped is in the database.

    >>> [found.status for found in hunt_all(["lavie2024.dimension"], max_examples=5)]
    ['none found']
    """
    number, limit = limits(max_examples, profile, seconds)
    first = integer(seed, "seed")
    chosen = [claims[id] for id in ids]
    kept = kept_in(database)
    # A case that never ends is none of Hypothesis' business.
    hard = None if limit is None else _REFUTED * limit + _SHRINKING + 60
    with Workers(jobs=jobs) as workers:
        waiting = {
            workers.submit(run_hunt, claim.id, first, number, limit, database, timeout=hard): claim
            for claim in chosen
        }
        while waiting:
            for future in wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED).done:
                claim = waiting.pop(future)
                try:
                    yield workers.wait(future, timeout=hard)
                except Undecided as error:
                    yield left_behind(claim, kept, str(error))


def run_hunt(
    id: str, seed: int, number: int, limit: float | None, database: str | Path | None
) -> Hunt:
    """In a worker: search, whatever the claim's strategy does."""
    claim = claims[id]
    try:
        return search(claim, seed=seed, max_examples=number, seconds=limit, database=database)
    except SymbenchError as error:
        return left_behind(claim, None, str(error))


def left_behind(claim: Claim, kept: Kept | None, reason: str) -> Hunt:
    """The hunt of a worker that was stopped: what it had stored, or no answer."""
    stored = [] if kept is None else [x for x in kept.of(claim) if x.note == UNSHRUNK]
    return Hunt(
        claim=claim.id,
        expected=claim.expected,
        counterexample=stored[0] if stored else None,
        path=kept.path(stored[0]) if stored and kept is not None else None,
        open=(reason,),
    )


def sample(claim: Claim, *, seed: int, max_examples: int = SAMPLES) -> Sample:
    """Cases drawn from the claim's strategy; a failing one is shrunk, the others are counted."""
    found = _drawn(claim, seed, max_examples, None, None)
    if found.counterexample is None:
        return found.held, found.others
    failed: Result = ("fails", found.counterexample.reason)
    return found.held, [(found.counterexample.case, failed), *found.others]


@attrs.define
class _Drawn:
    """The cases of a search: how many held, those without an answer, and the one that fails."""

    claim: Claim
    kept: Kept | None
    limit: float | None
    deadline: float = inf
    held: int = 0
    others: list[tuple[Any, Result]] = attrs.field(factory=list)
    counterexample: Counterexample | None = None

    def fails(self, drawn: Any) -> bool:
        """Whether the claim fails there; while it is shrunk, each that fails is a smaller one."""
        if time.perf_counter() > self.deadline:
            raise _TimeIsOver
        if self.limit is not None and self.deadline == inf:
            # From the first case on: Hypothesis takes a second to read the constants of our code.
            self.deadline = time.perf_counter() + self.limit
        case = as_written(drawn)
        outcome, reason = self.claim.look(case)
        self.held += outcome == "holds"
        if outcome in ("error", "unfinished"):
            self.others.append((case, (outcome, reason)))
        if outcome != "fails":
            return False
        if self.counterexample is None and self.limit is not None:
            self.deadline = time.perf_counter() + _SHRINKING
        self.counterexample = Counterexample(
            claim=self.claim.id, case=case, reason=reason, subject=self.claim, note=UNSHRUNK
        )
        if self.kept is not None:  # at once: nothing that is found is lost
            self.kept.add(self.counterexample)
        return True


class _TimeIsOver(BaseException):
    """Not an Exception: Hypothesis lets it through, and would shrink another."""


def _drawn(
    claim: Claim, seed: int, max_examples: int, limit: float | None, kept: Kept | None
) -> _Drawn:
    import random

    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import NoSuchExample

    if claim.strategy is None:
        reason = claim.unhuntable or claim.why or "declare strategy=..."
        raise NotSupported(f"{claim.id} has no strategy to hunt with: {reason}")
    found = _Drawn(claim, kept, limit)
    options = settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    with _no_folder_left():
        try:
            strategy = claim.strategy()
            if claim.applies is not None:
                strategy = strategy.filter(claim.applies)
            smallest = find(strategy, found.fails, settings=options, random=random.Random(seed))
        except (NoSuchExample, _TimeIsOver):
            return found
        except Exception as error:  # the strategy itself, or a claim that changes its mind
            raise BadClaim(f"{claim.id} cannot draw its cases: {error!r}") from error
    case = as_written(smallest)
    outcome, reason = claim.look(case)
    if outcome != "fails":
        raise BadClaim(f"{claim.id} changes its mind about {case!r}: it failed, now {outcome}")
    found.counterexample = Counterexample(claim=claim.id, case=case, reason=reason, subject=claim)
    if kept is not None:
        kept.add(found.counterexample)
    return found


@contextmanager
def _no_folder_left() -> Iterator[None]:
    """Hypothesis keeps its tables in the user's cache, not in `.hypothesis` where we happen to be.

    Where it has a folder of its own already, or is told one, that remains.
    """
    import os

    from hypothesis import configuration

    name = "__hypothesis_home_directory"
    if getattr(configuration, name, "") is not None or os.environ.get(
        "HYPOTHESIS_STORAGE_DIRECTORY"
    ):
        yield
        return
    configuration.set_hypothesis_home_dir(cache_folder() / "hypothesis")
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(None)
