"""Claim: a statement registered where it is written, validated when it is declared.

The decorated function looks at one case and returns True, a certificate (which is checked), or
False or Fails("why"). Anything else it returns or raises is an error, never a verdict.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import attrs

from symbench.certificates import Certificate
from symbench.certificates.plain import to_plain
from symbench.errors import BadClaim, BadType, SymbenchError, Undecided, UnknownName

Category = Literal[
    "claim",
    "conjecture",
    "corollary",
    "count",
    "definition",
    "example",
    "lemma",
    "observation",
    "proposition",
    "remark",
    "theorem",
]
Expected = Literal["holds", "fails", "undecided"]
_ID = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z0-9][A-Za-z0-9.\-]*\Z")
# Keywords of verify() that a claim's own parameters must not hide.
_RESERVED = {"timeout", "memory", "jobs", "workers", "progress", "max_examples", "seed"}


@attrs.frozen
class Fails:
    """What a claim's function returns for a case that refutes it: false, with the reason.

    >>> bool(Fails("1 is not 2"))
    False
    """

    reason: str = "the statement is false in this case"

    def __bool__(self) -> bool:
        return False


@attrs.frozen
class NearMiss:
    """A hypothesis dropped or changed: a case in which the claim must fail.

    With `check` the statement itself is the variant: a function of the case like a claim's.
    """

    description: str
    case: Any
    check: Callable[[Any], Any] | None = None


@attrs.frozen(kw_only=True)
class Claim:
    """A statement with its cases, its near-misses and what is expected of it.

    `sb.claims[id]` has one for every registered statement; `@claim` makes them.
    """

    id: str
    statement: str
    source: str
    category: Category
    function: Callable[[Any], Any] = attrs.field(repr=False)
    cases: Any = attrs.field(repr=False)
    boundary: Any = attrs.field(repr=False)
    near_misses: tuple[NearMiss, ...] = attrs.field(repr=False)
    strategy: Callable[[], Any] | None = attrs.field(repr=False)
    expected: Expected
    repaired_by: str | None
    assumes: tuple[str, ...]
    proof: str | None
    proves: bool
    why: str | None

    @property
    def parameters(self) -> dict[str, Any]:
        """The sizes that verify() takes for this claim, with their defaults."""
        if not callable(self.cases):
            return {}
        return {p.name: p.default for p in inspect.signature(self.cases).parameters.values()}

    def list_cases(self, **parameters: Any) -> Iterator[Any]:
        """The cases for the given sizes, lazily."""
        unknown = set(parameters) - set(self.parameters)
        if unknown:
            raise UnknownName(
                f"{self.id} has no parameter {', '.join(sorted(unknown))}: "
                f"it takes {', '.join(self.parameters) or 'none'}"
            )
        return iter(self.cases(**parameters) if callable(self.cases) else self.cases)

    def run(self, case: Any, near_miss: NearMiss | None = None) -> Certificate | Fails | None:
        """The outcome in one case: Fails, or a checked certificate, or None where it just holds."""
        function = self.function if near_miss is None else near_miss.check or self.function
        outcome = function(case)
        if outcome is True:
            return None
        if outcome is False:
            return Fails()
        if isinstance(outcome, Fails):
            return outcome
        if isinstance(outcome, Certificate):
            if not outcome.check():
                raise BadClaim(f"{self.id}: the certificate for {case!r} does not check")
            return outcome
        raise BadClaim(
            f"{self.id} returned {outcome!r} for {case!r}: "
            "return True, False, Fails(reason) or a certificate"
        )

    def fails(self, case: Any) -> str | None:
        """Why the claim fails in this case, or None where it holds; errors are Undecided."""
        try:
            outcome = self.run(case)
        except SymbenchError:
            raise
        except Exception as error:  # a case from a file may be anything
            raise Undecided(f"{self.id} cannot look at {case!r}: {error!r}") from error
        return outcome.reason if isinstance(outcome, Fails) else None


def _check(condition: bool, id: Any, problem: str) -> None:
    if not condition:
        raise BadClaim(f"claim {id!r}: {problem}")


def claim(
    id: str,
    *,
    source: str,
    category: Category,
    cases: Sequence[Any] | Callable[..., Iterable[Any]] | None = None,
    boundary: Any = None,
    near_misses: Sequence[NearMiss],
    strategy: Callable[[], Any] | None = None,
    expected: Expected = "holds",
    repaired_by: str | None = None,
    assumes: Sequence[str] = (),
    proof: str | None = None,
    proves: bool = False,
    why: str | None = None,
) -> Callable[[Callable[[Any], Any]], Claim]:
    """Register the function below as a claim; its docstring is the statement.

    cases is a list, or a function of sizes with defaults that yields cases (all of them are
    gone through), or absent: then they are drawn from `strategy`, a function that returns a
    Hypothesis strategy, which `hunt` also searches. boundary is a case at the edge of the
    hypotheses, always looked at. proves=True says that the listed cases cover the statement.
    A statement expected to fail names the claim that repairs it; one expected to stay
    undecided says why.
    """

    def declare(function: Callable[[Any], Any]) -> Claim:
        statement = inspect.getdoc(function) or ""
        _check(isinstance(id, str) and bool(_ID.match(id)), id, "an id is paper.slug")
        _check(bool(statement.strip()), id, "the docstring is the statement; it is missing")
        _check(isinstance(source, str) and bool(source.strip()), id, "say where it is printed")
        _check(category in get_args(Category), id, f"category is one of {get_args(Category)}")
        _check(expected in get_args(Expected), id, f"expected is one of {get_args(Expected)}")
        _check(cases is not None or strategy is not None, id, "give cases or a strategy")
        _check(strategy is None or callable(strategy), id, "strategy is a function returning one")
        _check(boundary is not None, id, "name a boundary case")
        _check(
            bool(near_misses) and all(isinstance(n, NearMiss) for n in near_misses),
            id,
            "give at least one NearMiss(description, case)",
        )
        _check(expected != "fails" or repaired_by is not None, id, "name the claim that repairs it")
        _check(expected != "undecided" or bool(why), id, "say why it is undecided")
        new = Claim(
            id=id,
            statement=statement,
            source=source,
            category=category,
            function=function,
            cases=tuple(cases) if cases is not None and not callable(cases) else cases,
            boundary=boundary,
            near_misses=tuple(near_misses),
            strategy=strategy,
            expected=expected,
            repaired_by=repaired_by,
            assumes=tuple(assumes),
            proof=proof,
            proves=proves,
            why=why,
        )
        _check_parameters(new)
        for near in new.near_misses:
            to_plain(near.case)
        to_plain(boundary)
        from symbench.registry.book import claims

        claims.add(new)
        return new

    return declare


def _check_parameters(new: Claim) -> None:
    for name, default in new.parameters.items():
        _check(default is not inspect.Parameter.empty, new.id, f"parameter {name} needs a default")
        _check(name not in _RESERVED, new.id, f"{name} is a keyword of verify(): rename it")


def check_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as plain values, so that a ledger and a certificate can hold them."""
    for name, value in parameters.items():
        if not isinstance(value, (int, str)):
            raise BadType(f"parameter {name} is {value!r}: give an integer or a string")
    return dict(parameters)
