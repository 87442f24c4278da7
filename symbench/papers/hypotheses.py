"""Every hypothesis left out in turn: what goes wrong, on the smallest case that was found.

A theorem says what it needs. Here each hypothesis is dropped while the others are kept, and cases
are gone through, the smallest first, until the claim's own function fails on one. Where none
fails, the hypothesis may not be needed, and it is said how far was looked. The page is
proofs/hypotheses.md, written by `python -m tests.hypotheses`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from heapq import nsmallest
from itertools import combinations, product
from pathlib import Path
from typing import Any

import attrs

from symbench.certificates.plain import canonical, to_plain
from symbench.papers._templates import Templates, every, is_template_text, templates
from symbench.registry import Claim, NearMiss, claims
from symbench.registry.statement import as_written
from symbench.words import Template

THEOREMS = ("theorem", "lemma", "proposition", "corollary")
CASES = Path(__file__).with_name("hypotheses.jsonl")
_MOST = 150  # candidates that are gone through


@attrs.frozen
class Dropped:
    """A hypothesis of a claim left out, or changed by keywords of the claim's own function.

    `candidates` lists cases that satisfy the other hypotheses; `reach` says in words which.
    """

    claim: str
    hypothesis: str
    candidates: Callable[[], Iterable[Any]]
    reach: str
    variant: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Found:
    """What came out: the smallest counterexample and why, or None, after so many cases."""

    case: Any
    reason: str
    tried: int


def stored() -> list[dict[str, Any]]:
    """The rows of the page as they were found last, as plain data.

    >>> {"claim", "hypothesis", "case", "reason"} <= set(stored()[0])
    True
    """
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def _size(case: Any) -> int:
    return len(canonical(to_plain(case)))


def search(dropped: Dropped) -> Found:
    """The smallest candidate in which the claim fails without the hypothesis.

    One that the claim cannot be asked about, because its arguments are refused, is passed over.

    >>> pairs = Dropped("boix2024.lemma-E.1", "(22)", lambda: [sb.Matrix([[0, 0], [0, 0]])], "one")
    >>> search(pairs).tried
    1
    """
    claim = claims[dropped.claim]
    listed = [as_written(case) for case in dropped.candidates()]
    outside = [c for c in listed if dropped.variant or not _satisfies(claim, c)]
    # The first one listed is known to fail, if it is a near-miss: it comes last if it is large.
    chosen = list(dict.fromkeys([*nsmallest(_MOST, outside, key=_size), *outside[:1]]))
    for tried, case in enumerate(chosen, 1):
        near = NearMiss(dropped.hypothesis, case, dropped.variant)
        outcome, reason = claim.look(case, near)
        if outcome == "fails":
            return Found(case, reason, tried)
    return Found(None, "", len(chosen))


def _satisfies(claim: Claim, case: Any) -> bool:
    return claim.applies is not None and claim.applies(case)


def ablations() -> Iterator[Dropped]:
    """Every hypothesis of every theorem that holds: its near-misses, and what is added below.

    A near-miss with keywords is looked for among the claim's own cases. One that leaves the
    hypotheses is looked for among the cases that are listed for it, or stands as it is.
    """
    for claim in claims.values():
        if claim.expected != "holds" or claim.category not in THEOREMS:
            continue
        for near in claim.near_misses:
            if isinstance(near.check, Mapping):
                listed = partial(_own_cases, claim, near)
                yield Dropped(claim.id, near.description, listed, "its own cases", near.check)
            elif near.check is None:
                chosen, reach = _SMALLER.get(
                    (claim.id, near.description), (_only(near.case), "as it stands")
                )
                yield Dropped(claim.id, near.description, chosen, reach)
    yield from _UNNEEDED


def _own_cases(claim: Claim, near: NearMiss) -> list[Any]:
    return [near.case, *claim.list_cases()]


def _only(case: Any) -> Callable[[], list[Any]]:
    return lambda: [case]


# --- smaller cases outside of the hypotheses ------------------------------------------------------
def _template_pairs(letters: str = "αβA", most: int = 2) -> Iterator[Templates]:
    """All pairs of templates over some letters, equivalent ones too."""
    for length in range(1, most + 1):
        texts = ["".join(word) for word in product(letters, repeat=length)]
        for pair in combinations([t for t in texts if is_template_text(t)], 2):
            yield templates(*pair)


def _with(*rest: Any) -> Callable[[], Iterator[Any]]:
    return lambda: ((pair, *rest) for pair in _template_pairs())


_PAIRS = "pairs of templates to length 2"
_SMALLER: dict[tuple[str, str], tuple[Callable[[], Iterable[Any]], str]] = {
    ("symbench.every-activation", "equivalent templates"): (_with((0, 1)), _PAIRS),
    **{
        (f"symbench.{name}", "equivalent templates"): (_template_pairs, _PAIRS)
        for name in (
            "positive-definite", "one-point", "no-cls", "incidence", "series-rank",
            "pairwise-condition",
        )
    },
    ("boix2024.lemma-4.7", "equivalent templates"): (_template_pairs, _PAIRS),
}  # fmt: skip


# --- hypotheses that are not needed ---------------------------------------------------------------
def _not_disjoint() -> Iterator[Templates]:
    """Pairs of inequivalent templates that a string matches both."""
    for length in (1, 2, 3):
        for z, w in combinations(every(length, "A"), 2):
            if not z.is_disjoint(w):
                yield z, w


def _renamed() -> Iterator[Templates]:
    """Pairs of inequivalent templates that do not share the names of their wildcards."""
    for z, w in combinations(every(3), 2):
        yield z, Template("".join({"α": "δ", "β": "ε", "γ": "ζ"}.get(a, a) for a in w.letters))


_UNNEEDED = (
    Dropped(
        "boix2024.lemma-4.7",
        "disjoint templates (inequivalent ones are enough)",
        _not_disjoint,
        "pairs that are inequivalent and not disjoint, to length 3 with one token",
        {"stages": 5},
    ),
    Dropped(
        "boix2024.lemma-4.7",
        "one set of wildcards for all templates",
        _renamed,
        "pairs of length 3 with wildcards of their own",
        {"stages": 5},
    ),
)
