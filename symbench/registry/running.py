"""verify: run a claim over its cases and its near-misses, and say what came out."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import choice, function, instance, shown
from symbench.certificates import Certificate, Counterexample, Exhausted
from symbench.certificates.bundles import BundleWriter
from symbench.certificates.claims import CaseDigest
from symbench.certificates.files import document
from symbench.certificates.plain import from_plain, to_plain
from symbench.decide.limits import Workers, megabytes, processes, seconds
from symbench.draw.progress import Progress
from symbench.errors import BadLedger, SymbenchError, Undecided
from symbench.registry.book import claims
from symbench.registry.hunting import SAMPLES, Sample, sample
from symbench.registry.ledger import Examined, Ledger, Point
from symbench.registry.statement import Claim, Control, NearMiss, Result
from symbench.registry.verdict import Status, Verdict, versions

# Cases sent to a worker at once: at most this many, and no more than are done in about so many
# seconds, so that workers share slow cases and progress is seen. A batch has the time limit of one
# case: if the batch is done by then, each of its cases was; if not, they are sent one by one.
_BATCH, _BATCH_SECONDS = 32, 0.5
_SHOWN = 3  # notes of one sort that a verdict keeps


def verify(
    id: str,
    *,
    timeout: float | None = None,
    memory: int | None = None,
    jobs: int = 1,
    workers: Workers | None = None,
    progress: Callable[[int], None] | None = None,
    keep: str | Path | None = None,
    ledger: Ledger | str | Path | None = None,
    retry: str | None = None,
    **parameters: Any,
) -> Verdict:
    """Verify the claim with this id; further keywords are its sizes.

    Without limits it runs in this process. With a timeout (seconds for one case), a memory
    limit (megabytes) or jobs > 1 the cases run in worker processes; one that runs out is
    undecided, and the rest goes on. progress is called with the number of cases done; without it
    long work shows a bar on a terminal. keep names a file to which the certificate of each case is
    written as it comes: a bundle that `symbench.check` re-checks without the claim. ledger names a
    file in which each case is kept as it comes, with its certificate, and last the verdict: a run
    that was stopped goes on from there, and cases that are in it are not run again, except with
    retry="undecided" those without an answer.

    >>> verdict = verify("lavie2024.dimension", max_length=6)
    >>> verdict.status, verdict.scope, verdict.cases
    ('holds', 'all cases', 15)
    >>> bool(verdict)
    True
    >>> verify("boix2024.lemma-E1")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: no claim 'boix2024.lemma-E1': did you mean boix2024.lemma-E.1, ...
    """
    claim = claims[id]
    sizes = claim.sizes(parameters)
    limit, bound = seconds(timeout), megabytes(memory)
    count = processes(jobs)
    if workers is not None:
        instance(workers, Workers, "workers", "Workers(...), or None for own ones")
    if progress is not None:
        function(progress, "progress", "a function of the number of cases done")
    again = read_retry(retry)
    with ExitStack() as stack:
        if ledger is not None and not isinstance(ledger, Ledger):
            ledger = stack.enter_context(Ledger(ledger))
        bundle = keep and stack.enter_context(BundleWriter(keep, claim.id, sizes))
        if workers is None and not (limit is None and bound is None and count == 1):
            workers = stack.enter_context(Workers(jobs=count, memory=bound))
        point = None if ledger is None else ledger.point(claim, sizes)
        if progress is None:
            counted = partial(claim.count_cases, **sizes)
            progress = stack.enter_context(Progress(claim.id, counted, at_once=False)).reached
        tally = _Tally(claim, progress, bundle or None, point)
        verdict = _run(claim, sizes, limit, count, workers, tally, again)
        if bundle:
            bundle.finish(verdict.status)
        if ledger is not None:
            ledger.add(verdict)
    return verdict


def read_retry(retry: Any) -> bool:
    """Whether cases without an answer are run again.

    >>> read_retry("undecided"), read_retry(None)
    (True, False)
    """
    return retry is not None and choice(retry, "retry", ("undecided",)) == "undecided"


def _run(
    claim: Claim,
    sizes: dict[str, Any],
    limit: float | None,
    jobs: int,
    workers: Workers | None,
    tally: _Tally,
    retry: bool,
) -> Verdict:
    start = time.perf_counter()
    seed = 0 if claim.scope == "sampled" else None
    try:
        if seed is not None:
            tally.add_sample(_drawn(claim, seed, limit, workers))
        stream = claim.list_cases(**sizes)
        for case, examined in _results(claim, stream, limit, jobs, workers, tally, retry):
            tally.add(case, *examined)
        tally.listed()
    except BadLedger:
        raise
    except Undecided as error:
        tally.problem("unfinished", str(error))
    except SymbenchError as error:  # the cases cannot be drawn or listed
        tally.problem("error", str(error))
    finally:
        tally.flush()
    specials = {
        name: [_one_special(claim.id, name, k, workers, limit) for k in range(len(listed))]
        for name, listed in specials_of(claim).items()
    }
    return tally.verdict(sizes, specials, seed=seed, seconds=time.perf_counter() - start)


def specials_of(claim: Claim) -> dict[str, tuple[NearMiss | Control, ...]]:
    """What has to come out in a certain way for a verdict: near-misses and controls, by name."""
    return {"near_misses": claim.near_misses, "controls": claim.controls}


def conclude(
    claim: Claim, point: Point, specials: Mapping[str, Sequence[Result]], seconds: float
) -> Verdict:
    """The verdict on a point all of whose cases have been looked at, from what the ledger has."""
    tally = _Tally(claim, None, None)
    for written, result, certified in point.examined():
        tally.add_written(written, result, certified)
    return tally.verdict(claim.sizes(point.sizes), specials, seed=None, seconds=seconds)


def _drawn(claim: Claim, seed: int, limit: float | None, workers: Workers | None) -> Sample:
    """Cases drawn from the claim's strategy; the limit is for their average."""
    if workers is None:
        return sample(claim, seed=seed)
    total = None if limit is None else limit * SAMPLES
    return workers.run(sample_by_id, claim.id, seed, timeout=total)


def sample_by_id(id: str, seed: int) -> Sample:
    """In a worker: sample the claim with this id."""
    return sample(claims[id], seed=seed)


class _Tally:
    """The counts and the first witnesses of a run."""

    def __init__(
        self,
        claim: Claim,
        progress: Callable[[int], None] | None,
        bundle: BundleWriter | None,
        point: Point | None = None,
    ) -> None:
        self.claim, self.progress, self._bundle, self.point = claim, progress, bundle, point
        self.count = self.certified = self._number = 0
        self.numbers = {"holds": 0, "fails": 0, "error": 0, "unfinished": 0}
        self.notes: list[str] = []
        self.counterexample: tuple[Any, str] | None = None
        self._cases = CaseDigest()

    @property
    def keeps(self) -> bool:
        """Whether the documents of certificates are asked for."""
        return self._bundle is not None or self.point is not None

    def known(self, case: Any, retry: bool) -> Examined | None:
        """What the ledger has for a case, if there is one."""
        return None if self.point is None else self.point.known(case, retry=retry)

    def flush(self) -> None:
        """Hand to the disk what waits."""
        if self.point is not None:
            self.point.flush()

    def listed(self) -> None:
        """The cases that are listed, not drawn, have come to an end."""
        self.flush()
        if self.point is not None:
            self.point.finish(self._number)

    def add(
        self,
        case: Any,
        result: Result,
        certified: bool = False,
        written: dict[str, Any] | None = None,
        *,
        drawn: bool = False,
    ) -> None:
        outcome, reason = result
        self.count += 1
        self.certified += certified
        self.numbers[outcome] += 1
        self._cases.add(case)
        if self._bundle is not None:
            self._bundle.add(case, written)
        if self.point is not None and not drawn:
            self._number += 1
            self.point.put(self._number, case, (result, certified, written))
        if outcome != "holds" and self.numbers[outcome] <= _SHOWN:
            self.notes.append(f"{outcome}: {case!r}: {reason}".rstrip(": "))
        if outcome == "fails" and self.counterexample is None:
            self.counterexample = (case, reason)
        if self.progress is not None:
            self.progress(self.count)

    def add_written(self, written: str, result: Result, certified: bool) -> None:
        """A case as the ledger has it; most are counted without being read."""
        if result[0] != "holds":
            self.add(from_plain(json.loads(written)), result, certified)
            return
        self.count += 1
        self.certified += certified
        self.numbers["holds"] += 1
        self._cases.add_written(written.encode())

    def add_sample(self, drawn: Sample) -> None:
        held, others = drawn
        self.count += held
        self.numbers["holds"] += held
        for case, result in others:
            self.add(case, result, drawn=True)

    def problem(self, outcome: str, text: str) -> None:
        """Something that is no case went wrong: the run cannot be whole."""
        self.numbers[outcome] += 1
        self.notes.append(f"{outcome}: {text}")

    def verdict(
        self,
        sizes: dict[str, Any],
        specials: Mapping[str, Sequence[Result]],
        *,
        seed: int | None,
        seconds: float,
    ) -> Verdict:
        """The verdict, with how the near-misses and the controls came out, each in its order."""
        claim = self.claim
        near, controls = (
            {case.description: found for case, found in zip(listed, specials[name], strict=True)}
            for name, listed in specials_of(claim).items()
        )
        status, notes = self.conclude(near, controls)
        return Verdict(
            claim=claim.id,
            status=status,
            expected=claim.expected,
            scope=claim.scope,
            cases=self.count,
            failed=self.numbers["fails"],
            errors=self.numbers["error"],
            unfinished=self.numbers["unfinished"],
            near_misses={text: _as_it_must(result, "fails") for text, result in near.items()},
            controls={text: _as_it_must(result, "holds") for text, result in controls.items()},
            notes=notes,
            parameters=sizes,
            seed=seed,
            seconds=seconds,
            certificate=self._certificate(status, sizes),
            certified=self.certified,
            versions=versions(claim.edition),
        )

    def conclude(
        self, near: dict[str, Result], controls: dict[str, Result]
    ) -> tuple[Status, tuple[str, ...]]:
        """The status: a wrong 'holds' is the worst mistake, so it needs everything.

        A counterexample counts only where the controls hold: a function that refutes them too
        refutes anything.
        """
        notes = list(self.notes)
        for name, must, results in ("near-miss", "fail", near), ("control", "hold", controls):
            for text, (outcome, reason) in results.items():
                if outcome != f"{must}s":
                    said = f"the {name} '{text}' does not {must} ({outcome} {reason})"
                    notes.append(said.rstrip())
        if self.claim.why:
            notes.append(self.claim.why)
        if self.counterexample is not None:
            clean = all(outcome == "holds" for outcome, _ in controls.values())
            return ("fails" if clean else "undecided"), tuple(notes)
        if self.count == 0 and self.claim.has_cases:
            notes.append("there are no cases for these parameters")
        whole = self.count > 0 and self.numbers["error"] == self.numbers["unfinished"] == 0
        sharp = all(outcome == "fails" for outcome, _ in near.values())
        return ("holds" if whole and sharp else "undecided"), tuple(notes)

    def _certificate(self, status: Status, parameters: dict[str, Any]) -> Certificate | None:
        """The counterexample, or the list that was gone through."""
        if status == "fails" and self.counterexample is not None:
            case, reason = self.counterexample
            return Counterexample(claim=self.claim.id, case=case, reason=reason, subject=self.claim)
        if status == "holds" and self.claim.cases is not None:
            return Exhausted(
                claim=self.claim.id,
                parameters=parameters,
                count=self.count,
                digest=self._cases.hexdigest(),
                subject=self.claim,
            )
        return None


def _as_it_must(result: Result, must: str) -> str:
    outcome, reason = result
    if outcome != must:
        return f"{outcome}: {reason}"
    return f"{must}, as it must{f' ({reason})' * bool(reason)}"


def _results(
    claim: Claim,
    stream: Iterable[Any],
    limit: float | None,
    jobs: int,
    workers: Workers | None,
    tally: _Tally,
    retry: bool,
) -> Iterator[tuple[Any, Examined]]:
    """Each case with its result, in order: what the ledger has, and the rest in the workers."""
    cases = iter(stream)
    if workers is None:
        for case in cases:
            yield case, tally.known(case, retry) or examined(claim, case, tally.keeps)
        return
    # Of each batch the cases, what is known of them, those that are not and their future.
    waiting: deque[tuple[list[Any], list[Examined | None], list[Any], Any]] = deque()
    start, size = time.perf_counter(), 1
    while True:
        while len(waiting) < 2 * jobs and (batch := list(islice(cases, size))):
            known = [tally.known(case, retry) for case in batch]
            open_ = [case for case, found in zip(batch, known, strict=True) if found is None]
            sent = [to_plain(case) for case in open_]
            future = (
                workers.submit(run_batch, claim.id, sent, tally.keeps, timeout=limit)
                if sent
                else None
            )
            waiting.append((batch, known, open_, future))
        if not waiting:
            return
        batch, known, open_, future = waiting.popleft()
        found = iter(_batch_results(claim, open_, future, limit, workers, tally.keeps))
        for case, before in zip(batch, known, strict=True):
            yield case, before or next(found)
        elapsed = time.perf_counter() - start
        size = max(1, min(_BATCH, 2 * size, int(tally.count / elapsed * _BATCH_SECONDS)))


def _batch_results(
    claim: Claim, batch: list[Any], future: Any, limit: float | None, workers: Workers, keep: bool
) -> list[Examined]:
    if future is None:
        return []
    try:
        found: list[Examined] = workers.wait(future, timeout=limit)
        return found
    except Undecided as error:
        if len(batch) == 1:
            return [(("unfinished", str(error)), False, None)]
        return [_one_case(claim.id, to_plain(case), keep, workers, limit) for case in batch]


def _one_case(id: str, case: Any, keep: bool, workers: Workers, limit: float | None) -> Examined:
    """One plain case, in a worker."""
    try:
        return workers.run(run_batch, id, [case], keep, timeout=limit)[0]
    except Undecided as error:
        return ("unfinished", str(error)), False, None


def _one_special(
    id: str, name: str, index: int, workers: Workers | None, limit: float | None
) -> Result:
    """One near-miss or control, in a worker if there are any."""
    if workers is None:
        return run_special(id, name, index)
    try:
        return workers.run(run_special, id, name, index, timeout=limit)
    except Undecided as error:
        return "unfinished", str(error)


def run_batch(id: str, cases: list[Any], keep: bool) -> list[Examined]:
    """In a worker: the results of a claim on plain cases."""
    return [examined(claims[id], from_plain(case), keep) for case in cases]


def examined(claim: Claim, case: Any, keep: bool) -> Examined:
    """The result of a claim in one case, and the document of its certificate if it is to be kept.

    >>> examined(claims["lavie2024.dimension"], (2, 1), False)
    (('holds', ''), True, None)
    """
    result, certificate = claim.examine(case)
    if certificate is None:
        return result, False, None
    about = {**certificate.about, "claim": claim.id, "case": shown(case)}
    named = attrs.evolve(certificate, about=about)
    return result, True, document(named) if keep else None


def run_special(id: str, name: str, index: int) -> Result:
    """In a worker: the result of the claim with this id on one of its near_misses or controls."""
    return look_at_special(claims[id], name, index)


def look_at_special(claim: Claim, name: str, index: int) -> Result:
    """The result of a claim on one of its near_misses or controls.

    >>> look_at_special(claims["lavie2024.dimension"], "near_misses", 0)[0]
    'fails'
    """
    special = getattr(claim, name)[index]
    return claim.look(special.case, special)
