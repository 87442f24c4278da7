"""hunt: let Hypothesis look for a counterexample past the exhausted range, and shrink it."""

from __future__ import annotations

from typing import Any

from symbench._arguments import integer
from symbench.certificates import Counterexample
from symbench.errors import BadClaim, NotSupported, Undecided
from symbench.registry.book import claims
from symbench.registry.statement import Claim, Result, as_written

SAMPLES = 100  # how many cases a verdict draws
# How many cases held, and those that did not with their results: at most one of them fails.
Sample = tuple[int, list[tuple[Any, Result]]]


def hunt(id: str, *, max_examples: int = 1000, seed: int = 0) -> Counterexample | None:
    """A counterexample to the claim, shrunk to a smallest one, or None if none was found.

    >>> hunt("lavie2024.dimension", max_examples=20) is None
    True
    """
    claim = claims[id]
    number = integer(max_examples, "max_examples", at_least=1)
    _, others = sample(claim, seed=integer(seed, "seed"), max_examples=number)
    for case, (outcome, reason) in others:
        if outcome == "fails":
            return Counterexample(claim=claim.id, case=case, reason=reason, subject=claim)
    if others:
        case, (outcome, reason) = others[0]
        raise Undecided(
            f"the hunt for {claim.id} found no counterexample, but {len(others)} cases without "
            f"an answer, such as {case!r} ({outcome}: {reason})"
        )
    return None


def sample(claim: Claim, *, seed: int, max_examples: int = SAMPLES) -> Sample:
    """Cases drawn from the claim's strategy; a failing one is shrunk, the others are counted."""
    import random

    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import NoSuchExample

    if claim.strategy is None:
        raise NotSupported(f"{claim.id} has no strategy to hunt with: declare strategy=...")
    held = 0
    others: list[tuple[Any, Result]] = []

    def fails(drawn: Any) -> bool:
        nonlocal held
        case = as_written(drawn)
        result = claim.look(case)
        held += result[0] == "holds"
        if result[0] in ("error", "unfinished"):
            others.append((case, result))
        return result[0] == "fails"

    options = settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        strategy = claim.strategy()
        if claim.applies is not None:
            strategy = strategy.filter(claim.applies)
        found = as_written(find(strategy, fails, settings=options, random=random.Random(seed)))
    except NoSuchExample:
        return held, others
    except Exception as error:  # the strategy itself, or a claim that changes its mind
        raise BadClaim(f"{claim.id} cannot draw its cases: {error!r}") from error
    result = claim.look(found)
    if result[0] != "fails":
        raise BadClaim(f"{claim.id} changes its mind about {found!r}: it failed, now {result}")
    return held, [(found, result), *others]
