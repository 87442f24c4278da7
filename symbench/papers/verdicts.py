"""What a verdict says (`registry.*`): claims are made up, and their verdicts compared with a table.

A claim that is made up does what its case says: it holds, holds with a certificate, fails, raises
an error, finds no answer, or hands out a certificate that does not check.
"""

from __future__ import annotations

from itertools import combinations_with_replacement as pairs_of
from itertools import product
from typing import Any

import attrs

from symbench.certificates import Nonsingular
from symbench.decide import certify
from symbench.errors import Undecided
from symbench.papers._cases import drawn, many, one_of, record
from symbench.registry import Claim, Fails, NearMiss, Verdict, claim, claims
from symbench.registry.hunting import sample
from symbench.registry.running import _Tally
from symbench.registry.statement import Control

# How claims behave, and the outcome that this is.
_OUTCOMES = {
    "holds": "holds",
    "proves": "holds",
    "fails": "fails",
    "raises": "error",
    "forges": "error",
    "gives up": "unfinished",
}
Behaviour = tuple[str, ...]
Case = tuple[Behaviour, Behaviour, Behaviour, str]
# The numbers of cases, near-misses and controls that are made up begin here.
_NEAR, _CONTROL = 100, 200


def _does(behaviour: str) -> Any:
    if behaviour == "proves":
        return certify([[2, 1], [1, 1]])
    if behaviour == "forges":
        return Nonsingular(prime=7, residue=1, subject=[[1, 1], [1, 1]])
    if behaviour == "raises":
        raise ZeroDivisionError
    if behaviour == "gives up":
        raise Undecided("no answer")
    return behaviour == "holds" or Fails("it is so")


def _made(cases: Behaviour, near: Behaviour, controls: Behaviour, expected: Any) -> Claim:
    """A claim whose cases, near-misses and controls behave so; it is in no book."""
    table: dict[int, str] = dict(enumerate(cases))
    table |= {_NEAR + k: name for k, name in enumerate(near)}
    table |= {_CONTROL + k: name for k, name in enumerate(controls)}
    return attrs.evolve(
        claims["registry.verdict"],
        id="registry.made-up",
        function=lambda n, **_: _does(table.get(n, "holds")),
        cases=tuple(range(len(cases))),
        boundary=0,
        applies=lambda n: type(n) is int and 0 <= n < _NEAR,
        near_misses=tuple(NearMiss(f"near {k}", _NEAR + k) for k in range(len(near))),
        controls=tuple(Control(f"control {k}", _CONTROL + k, {}) for k in range(len(controls))),
        expected=expected,
        strategy=drawn(lambda st: st.sampled_from(range(len(cases)))),
        why=None,
    )


def _cases() -> list[Case]:
    names = tuple(_OUTCOMES)
    found: list[Case] = [((a, b), ("fails",), (), "holds") for a, b in pairs_of(names, 2)]
    found += [(("holds",), (a, b), (), "holds") for a, b in pairs_of(names, 2)]
    found += [(("holds", a), (), (b,), "fails") for a, b in product(names, repeat=2)]
    found += [(("fails",), ("fails",), ("holds", a), "fails") for a in names]
    found += [
        (("fails", a), ("fails", b), ("holds",), "fails") for a, b in product(names, repeat=2)
    ]
    return found


_BEHAVIOUR = many(one_of(*_OUTCOMES), 0)


@claim(
    "registry.verdict",
    source="What holds, fails and undecided mean",
    category="definition",
    cases=_cases,
    boundary=(("holds",), (), (), "holds"),
    strategy=drawn(
        lambda st: st.tuples(
            st.lists(st.sampled_from(sorted(_OUTCOMES)), min_size=1, max_size=4).map(tuple),
            *[st.lists(st.sampled_from(sorted(_OUTCOMES)), max_size=2).map(tuple)] * 2,
            st.sampled_from(["holds", "fails"]),
        )
    ),
    applies=record(many(one_of(*_OUTCOMES)), _BEHAVIOUR, _BEHAVIOUR, one_of("holds", "fails")),
    near_misses=[
        NearMiss(
            "what has no answer holds", (("proves", "gives up"), (), (), "holds"), {"rest": "holds"}
        ),
        NearMiss("a near-miss may hold", (("proves",), ("holds",), (), "holds"), {"sharp": False}),
    ],
)
def verdict(case: Case, rest: str = "undecided", sharp: bool = True) -> bool | Fails:
    """A statement holds if there are cases, it holds in each, and each near-miss fails; it fails if
    it fails in one, and each control holds; otherwise it is undecided. A certificate that does not
    check, and a case outside of the hypotheses, are errors. A verdict is as expected if there were
    none, and every near-miss fails. The boundary is among the cases.
    """
    cases, near, controls, expected = case
    made = _made(*case)
    tally = _Tally(made, None, None)
    for n in made.list_cases():
        examined, proof = made.examine(n)
        if examined[0] != _OUTCOMES[cases[n]] or (proof is not None) != (cases[n] == "proves"):
            return Fails(f"a case that {cases[n]} gives {examined}")
        tally.add(n, examined)
    results = {miss.description: made.look(miss.case, miss) for miss in made.near_misses}
    held = {known.description: made.look(known.case, known) for known in made.controls}
    outcomes = [_OUTCOMES[name] for name in cases]
    clean = all(_OUTCOMES[name] == "fails" for name in near) or not sharp
    if "fails" in outcomes:
        wanted = "fails" if all(_OUTCOMES[name] == "holds" for name in controls) else "undecided"
    else:
        wanted = "holds" if set(outcomes) == {"holds"} and clean else rest
    status, _ = tally.conclude(results, held)
    if status != wanted:
        return Fails(f"it is {status}, and should be {wanted}")
    said = Verdict(
        claim=made.id, status=status, expected=made.expected, scope="all cases",
        cases=tally.count, failed=outcomes.count("fails"), errors=tally.numbers["error"],
        near_misses={text: outcome for text, (outcome, _) in results.items()},
    )  # fmt: skip
    if said.as_expected != (status == expected and "error" not in outcomes and clean):
        return Fails(f"{status}, expected {expected}: {said.as_expected}")
    return _edges(made)


def _edges(made: Claim) -> bool | Fails:
    """The boundary is looked at, what is outside of the hypotheses is not, near-misses are."""
    beyond = attrs.evolve(made, boundary=_NEAR - 1)
    if list(beyond.list_cases()) != [*made.list_cases(), _NEAR - 1]:
        return Fails("the boundary is not looked at")
    if made.look(_NEAR + 50)[0] != "error":
        return Fails("a case outside of the hypotheses is looked at")
    if made.look(1, NearMiss("a case", 1))[0] != "error":
        return Fails("a near-miss satisfies the hypotheses")
    return True


@claim(
    "registry.hunt",
    source="What a hunt finds",
    category="definition",
    cases=lambda: [(names, (), (), "holds") for names in _hunted()],
    boundary=(("holds",), (), (), "holds"),
    unhuntable="a hunt inside of a hunt",
    applies=record(many(one_of(*_OUTCOMES)), _BEHAVIOUR, _BEHAVIOUR, one_of("holds", "fails")),
    near_misses=[
        NearMiss("a certificate is no answer", (("proves",), (), (), "holds"), {"finds": "holds"}),
    ],
)
def hunt(case: Case, finds: str = "fails") -> bool | Fails:
    """A hunt among few cases finds one that fails, the first of them, if there is one, and says
    which cases had no answer.
    """
    outcomes = [_OUTCOMES[name] for name in case[0]]
    held, others = sample(_made(*case), seed=0, max_examples=60)
    found = [n for n, (outcome, _) in others if outcome == "fails"]
    if found != ([outcomes.index(finds)] if finds in outcomes else []):
        return Fails(f"it finds {found}")
    seen = {n for n, (outcome, _) in others if outcome != "fails"}
    without = {n for n, outcome in enumerate(outcomes) if outcome in ("error", "unfinished")}
    if finds not in outcomes and (seen != without or bool(held) != ("holds" in outcomes)):
        return Fails(f"it has no answer for {seen}")
    return True


def _hunted() -> list[Behaviour]:
    names = ("holds", "fails", "raises", "gives up")
    return [*product(names, repeat=2), ("holds", "holds", "holds", "fails"), ("proves", "holds")]
