"""hunt: let Hypothesis look for a counterexample past the exhausted range, and shrink it."""

from __future__ import annotations

from typing import Any

from symbench.certificates import Counterexample
from symbench.errors import NotSupported, Undecided
from symbench.exact.rational import integer
from symbench.registry.book import claims
from symbench.registry.statement import Claim


def hunt(id: str, *, max_examples: int = 1000, seed: int = 0) -> Counterexample | None:
    """A counterexample to the claim, shrunk to a smallest one, or None if none was found.

    >>> hunt("lavie2024.dimension", max_examples=20) is None
    True
    """
    claim = claims[id]
    number = integer(max_examples, "max_examples", at_least=1)
    _, found, problem = sample(claim, seed=integer(seed, "seed"), max_examples=number)
    if problem:
        raise Undecided(f"the hunt for {claim.id} ended early: {problem}")
    if found is None:
        return None
    case, reason = found
    return Counterexample(claim=claim.id, case=case, reason=reason, subject=claim)


# How many cases a verdict draws; the count, a failing case with its reason, a problem.
SAMPLES = 100
Sample = tuple[int, tuple[Any, str] | None, str]


def sample_by_id(id: str, seed: int) -> Sample:
    """In a worker: sample the claim with this id."""
    return sample(claims[id], seed=seed)


def sample(claim: Claim, *, seed: int, max_examples: int = SAMPLES) -> Sample:
    """(how many cases were drawn, a shrunk failing one with its reason or None, a problem)."""
    import random

    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import NoSuchExample

    if claim.strategy is None:
        raise NotSupported(f"{claim.id} has no strategy to hunt with: declare strategy=...")
    drawn = 0

    def fails(case: Any) -> bool:
        nonlocal drawn
        drawn += 1
        return claim.fails(case) is not None

    options = settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        case = find(claim.strategy(), fails, settings=options, random=random.Random(seed))
    except NoSuchExample:
        return drawn, None, ""
    except Undecided as error:  # in the midst of it: neither found nor gone through
        return drawn, None, str(error)
    reason = claim.fails(case)
    assert reason is not None, "Hypothesis returns a case that fails"
    return drawn, (case, reason), ""
