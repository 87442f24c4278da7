"""@claim: a statement is registered where it is written, and validated at once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_args

import attrs

from symbench.errors import BadClaim, SymbenchError
from symbench.registry.book import claims
from symbench.registry.statement import (
    Category,
    Claim,
    Control,
    Expected,
    NearMiss,
    Wording,
    as_written,
)

_ID = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z0-9][A-Za-z0-9.\-]*\Z")
# Keywords of verify() that a claim's own parameters must not hide.
_RESERVED = {
    "id",
    "timeout",
    "memory",
    "jobs",
    "workers",
    "progress",
    "keep",
    "ledger",
    "retry",
    "max_examples",
    "seed",
}


_Special = TypeVar("_Special", NearMiss, Control)


def _check(condition: bool, id: Any, problem: str) -> None:
    if not condition:
        raise BadClaim(f"claim {id!r}: {problem}")


def claim(
    id: str,
    *,
    source: str,
    category: Category,
    wording: Wording | None = None,
    cases: Sequence[Any] | Callable[..., Iterable[Any]] | None = None,
    boundary: Any = None,
    near_misses: Sequence[NearMiss] = (),
    controls: Sequence[Control] = (),
    strategy: Callable[[], Any] | None = None,
    unhuntable: str | None = None,
    applies: Callable[[Any], Any] | None = None,
    expected: Expected = "holds",
    repaired_by: str | None = None,
    assumes: Sequence[str] = (),
    proof: str | None = None,
    proves: bool = False,
    why: str | None = None,
    formerly: Sequence[str] = (),
) -> Callable[[Callable[[Any], Any]], Claim]:
    """Register the function below as a claim; its docstring is the statement.

    cases is a list, or a function of sizes with defaults that yields cases (all of them are
    gone through), or absent: then they are drawn from `strategy`, a function that returns a
    Hypothesis strategy, which `hunt` also searches. boundary is a case at the edge of the
    hypotheses, always looked at. applies(case) says whether the hypotheses are satisfied:
    without it a counterexample in a file is taken to satisfy them. proves=True says that the
    listed cases cover the statement. A statement expected to fail names the claim that repairs
    it and has controls, cases in which it must hold; one expected to stay undecided says why, and
    if nothing of it can be looked at it has no cases and a function that is only its docstring.
    wording says how near the statement is to the words of its source, formerly which ids it had;
    unhuntable why there is no strategy, such as "a list of three printed numbers".

    >>> @claim("demo.Square", source="here", category="example", cases=[2], boundary=2,
    ...        near_misses=[])
    ... def square(n):
    ...     "The square of n is positive."
    ...     return n * n > 0
    Traceback (most recent call last):
    ...
    symbench.errors.BadClaim: claim 'demo.Square': give at least one NearMiss(description, case)
    """

    def declare(function: Callable[[Any], Any]) -> Claim:
        new = Claim(
            id=id,
            statement=(inspect.getdoc(function) or "").strip(),
            source=source,
            wording=wording,
            category=category,
            function=function,
            cases=cases if cases is None or callable(cases) else _listed(cases, id, "cases"),
            boundary=_written(boundary, id, "the boundary"),
            near_misses=tuple(
                _special(n, NearMiss, id) for n in _listed(near_misses, id, "near_misses")
            ),
            controls=tuple(_special(c, Control, id) for c in _listed(controls, id, "controls")),
            strategy=strategy,
            unhuntable=unhuntable,
            applies=applies,
            expected=expected,
            repaired_by=repaired_by,
            assumes=_listed(assumes, id, "assumes"),
            proof=proof,
            proves=proves,
            why=why,
            formerly=_listed(formerly, id, "formerly"),
        )
        _check_texts(new)
        _check_cases(new)
        claims.add(new)
        return new

    return declare


def _listed(values: Any, id: Any, name: str) -> tuple[Any, ...]:
    # A string is a sequence too, and a dict or a generator would be read as something else.
    fits = isinstance(values, Sequence) and not isinstance(values, (str, bytes))
    _check(fits, id, f"{name} is {values!r}: give a list")
    return tuple(values)


def _written(case: Any, id: Any, name: str) -> Any:
    try:
        return as_written(case)
    except SymbenchError as error:
        raise BadClaim(f"claim {id!r}: {name} cannot be written to a file: {error}") from None


def _special(given: Any, kind: type[_Special], id: Any) -> _Special:
    """A near-miss or a control, its case as a file gives it back."""
    if not isinstance(given, kind):
        raise BadClaim(f"claim {id!r}: {given!r} is not a {kind.__name__}(description, case)")
    text, check, near = given.description, given.check, kind is NearMiss
    name = "near-miss" if near else "control"
    _check(isinstance(text, str) and bool(text.strip()), id, f"a {name} says what it is")
    fits = check is None or isinstance(check, Mapping) or (near and callable(check))
    _check(fits, id, f"the check of a {name} is {'a function, or ' * near}keywords of the claim's")
    return attrs.evolve(given, case=_written(given.case, id, f"the {name} {text!r}"))


def _check_texts(new: Claim) -> None:
    id = new.id
    _check(isinstance(id, str) and bool(_ID.match(id)), id, "an id is paper.slug")
    _check(inspect.isroutine(new.function), id, f"{new.function!r} is not a function")
    specials: tuple[NearMiss | Control, ...] = (*new.near_misses, *new.controls)
    for special in specials:
        if isinstance(special.check, Mapping):
            try:
                inspect.signature(new.function).bind(special.case, **special.check)
            except TypeError as error:
                raise BadClaim(
                    f"claim {id!r}: {special.description!r} calls it with "
                    f"{dict(special.check)!r}: {error}"
                ) from None
    _check(bool(new.statement), id, "the docstring is the statement; it is missing")
    _check(isinstance(new.source, str) and bool(new.source.strip()), id, "say where it is printed")
    _check(new.category in get_args(Category), id, f"category is one of {get_args(Category)}")
    _check(new.expected in get_args(Expected), id, f"expected is one of {get_args(Expected)}")
    wordings = (None, *get_args(Wording))
    _check(new.wording in wordings, id, f"wording is one of {wordings}")
    for name in ("repaired_by", "proof", "why", "unhuntable"):
        value = getattr(new, name)
        text = isinstance(value, str) and bool(value.strip())
        _check(value is None or text, id, f"{name} is {value!r}: give a text")
    for other in (*new.assumes, *new.formerly, new.repaired_by or "paper.slug"):
        _check(isinstance(other, str) and bool(_ID.match(other)), id, f"{other!r} is no claim's id")
        _check(other != id, id, "a claim neither assumes, repairs nor replaces itself")
    fails = new.expected == "fails"
    _check(fails == (new.repaired_by is not None), id, "name the claim that repairs it" if fails
           else "repaired_by is for claims expected to fail")  # fmt: skip
    _check(new.expected != "undecided" or new.why is not None, id, "say why it is undecided")


def _check_cases(new: Claim) -> None:
    id = new.id
    if new.expected == "undecided" and not new.has_cases:
        _check(not new.near_misses, id, "without cases there are no near-misses")
        return
    _check(new.cases is not None or new.strategy is not None, id, "give cases or a strategy")
    _check(new.cases != (), id, "the list of cases is empty")
    _check(
        new.strategy is None or callable(new.strategy), id, "strategy is a function returning one"
    )
    _check(new.applies is None or callable(new.applies), id, "applies is a function of the case")
    hunted = new.strategy is not None and new.unhuntable is not None
    _check(not hunted, id, "unhuntable is for claims without a strategy")
    _check(new.boundary is not None, id, "name a boundary case")
    _check(bool(new.near_misses), id, "give at least one NearMiss(description, case)")
    for name in ("near_misses", "controls"):
        texts = [special.description for special in getattr(new, name)]
        _check(len({*texts}) == len(texts), id, f"two {name} have the same description")
    _check(new.expected == "fails" or not new.controls, id, "controls are for claims that fail")
    _check(isinstance(new.proves, bool), id, f"proves is {new.proves!r}: give True or False")
    _check(not new.proves or new.cases is not None, id, "a sample proves nothing: list the cases")
    if not callable(new.cases):
        return
    try:
        sizes = inspect.signature(new.cases).parameters.values()
    except (TypeError, ValueError):
        raise BadClaim(f"claim {id!r}: {new.cases!r} does not say its parameters") from None
    for size in sizes:
        by_name = size.kind in (size.POSITIONAL_OR_KEYWORD, size.KEYWORD_ONLY)
        _check(by_name and type(size.default) in (int, str), id,
               f"parameter {size.name} needs a default, an integer or a string")  # fmt: skip
        _check(size.name not in _RESERVED, id, f"{size.name} is a keyword of verify(): rename it")
