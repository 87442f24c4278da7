"""verify: run a claim over its cases and its near-misses, and say what came out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import function, instance, integer, shown
from symbench.certificates import Certificate, Counterexample, Exhausted
from symbench.certificates.bundles import BundleWriter
from symbench.certificates.claims import CaseDigest
from symbench.certificates.files import document
from symbench.certificates.plain import from_plain, to_plain
from symbench.decide.limits import Workers, megabytes, seconds
from symbench.errors import SymbenchError, Undecided
from symbench.registry.book import claims
from symbench.registry.hunting import SAMPLES, Sample, sample
from symbench.registry.statement import Claim, Result
from symbench.registry.verdict import Status, Verdict, versions

# Cases sent to a worker at once. A batch has the time limit of one case: if the batch is done
# by then, each of its cases was; if not, they are sent one by one.
_BATCH = 32
_SHOWN = 3  # notes of one sort that a verdict keeps

# The result of a case, whether it has a certificate, and its document if it is kept.
Examined = tuple[Result, bool, "dict[str, Any] | None"]


def verify(
    id: str,
    *,
    timeout: float | None = None,
    memory: int | None = None,
    jobs: int = 1,
    workers: Workers | None = None,
    progress: Callable[[int], None] | None = None,
    keep: str | Path | None = None,
    **parameters: Any,
) -> Verdict:
    """Verify the claim with this id; further keywords are its sizes.

    Without limits it runs in this process. With a timeout (seconds for one case), a memory
    limit (megabytes) or jobs > 1 the cases run in worker processes; one that runs out is
    undecided, and the rest goes on. progress is called with the number of cases done. keep names a
    file to which the certificate of each case is written as it comes: a bundle that
    `symbench.check` re-checks without the claim.

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
    count = integer(jobs, "jobs", at_least=1)
    if workers is not None:
        instance(workers, Workers, "workers", "Workers(...), or None for own ones")
    if progress is not None:
        function(progress, "progress", "a function of the number of cases done")
    if workers is not None or (limit is None and bound is None and count == 1):
        return _verify(claim, sizes, limit, count, workers, progress, keep)
    with Workers(jobs=count, memory=bound) as own:
        return _verify(claim, sizes, limit, count, own, progress, keep)


def _verify(
    claim: Claim,
    sizes: dict[str, Any],
    limit: float | None,
    jobs: int,
    workers: Workers | None,
    progress: Callable[[int], None] | None,
    keep: str | Path | None,
) -> Verdict:
    if keep is None:
        return _run(claim, sizes, limit, jobs, workers, _Tally(claim, progress, None))
    with BundleWriter(keep, claim.id, sizes) as bundle:
        verdict = _run(claim, sizes, limit, jobs, workers, _Tally(claim, progress, bundle))
        bundle.finish(verdict.status)
    return verdict


def _run(
    claim: Claim,
    sizes: dict[str, Any],
    limit: float | None,
    jobs: int,
    workers: Workers | None,
    tally: _Tally,
) -> Verdict:
    start = time.perf_counter()
    seed = 0 if claim.scope == "sampled" else None
    try:
        if seed is not None:
            tally.add_sample(_drawn(claim, seed, limit, workers))
        stream = claim.list_cases(**sizes)
        for case, examined in _results(claim, stream, limit, jobs, workers, tally.keeps):
            tally.add(case, *examined)
    except Undecided as error:
        tally.problem("unfinished", str(error))
    except SymbenchError as error:  # the cases cannot be drawn or listed
        tally.problem("error", str(error))
    near, controls = (
        {
            special.description: _one_special(claim.id, name, k, workers, limit)
            for k, special in enumerate(getattr(claim, name))
        }
        for name in ("near_misses", "controls")
    )
    status, notes = tally.conclude(near, controls)
    return Verdict(
        claim=claim.id,
        status=status,
        expected=claim.expected,
        scope=claim.scope,
        cases=tally.count,
        failed=tally.numbers["fails"],
        errors=tally.numbers["error"],
        unfinished=tally.numbers["unfinished"],
        near_misses={text: _as_it_must(result, "fails") for text, result in near.items()},
        controls={text: _as_it_must(result, "holds") for text, result in controls.items()},
        notes=notes,
        parameters=sizes,
        seed=seed,
        seconds=time.perf_counter() - start,
        certificate=tally.certificate(status, sizes),
        certified=tally.certified,
        versions=versions(claim.edition),
    )


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
    ) -> None:
        self.claim, self.progress, self._bundle = claim, progress, bundle
        self.count = self.certified = 0
        self.numbers = {"holds": 0, "fails": 0, "error": 0, "unfinished": 0}
        self.notes: list[str] = []
        self.counterexample: tuple[Any, str] | None = None
        self._cases = CaseDigest()

    @property
    def keeps(self) -> bool:
        """Whether the documents of certificates are asked for."""
        return self._bundle is not None

    def add(
        self,
        case: Any,
        result: Result,
        certified: bool = False,
        written: dict[str, Any] | None = None,
    ) -> None:
        outcome, reason = result
        self.count += 1
        self.certified += certified
        self.numbers[outcome] += 1
        self._cases.add(case)
        if self._bundle is not None:
            self._bundle.add(case, written)
        if outcome != "holds" and self.numbers[outcome] <= _SHOWN:
            self.notes.append(f"{outcome}: {case!r}: {reason}".rstrip(": "))
        if outcome == "fails" and self.counterexample is None:
            self.counterexample = (case, reason)
        if self.progress is not None:
            self.progress(self.count)

    def add_sample(self, drawn: Sample) -> None:
        held, others = drawn
        self.count += held
        self.numbers["holds"] += held
        for case, result in others:
            self.add(case, result)

    def problem(self, outcome: str, text: str) -> None:
        """Something that is no case went wrong: the run cannot be whole."""
        self.numbers[outcome] += 1
        self.notes.append(f"{outcome}: {text}")

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

    def certificate(self, status: Status, parameters: dict[str, Any]) -> Certificate | None:
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
    keep: bool,
) -> Iterator[tuple[Any, Examined]]:
    """Each case with its result, in order."""
    cases = iter(stream)
    if workers is None:
        for case in cases:
            yield case, _examined(claim, case, keep)
        return
    waiting: deque[tuple[list[Any], Any]] = deque()
    while True:
        while len(waiting) < 2 * jobs and (batch := list(islice(cases, _BATCH))):
            sent = [to_plain(case) for case in batch]
            waiting.append((batch, workers.submit(run_batch, claim.id, sent, keep, timeout=limit)))
        if not waiting:
            return
        batch, future = waiting.popleft()
        try:
            results: list[Examined] = workers.wait(future, timeout=limit)
        except Undecided as error:
            if len(batch) == 1:
                results = [(("unfinished", str(error)), False, None)]
            else:
                results = [_one_case(claim.id, to_plain(c), keep, workers, limit) for c in batch]
        yield from zip(batch, results, strict=True)


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
    return [_examined(claims[id], from_plain(case), keep) for case in cases]


def _examined(claim: Claim, case: Any, keep: bool) -> Examined:
    result, certificate = claim.examine(case)
    if certificate is None:
        return result, False, None
    about = {**certificate.about, "claim": claim.id, "case": shown(case)}
    named = attrs.evolve(certificate, about=about)
    return result, True, document(named) if keep else None


def run_special(id: str, name: str, index: int) -> Result:
    """In a worker: the result of a claim on one of its near_misses or controls."""
    claim = claims[id]
    special = getattr(claim, name)[index]
    return claim.look(special.case, special)
