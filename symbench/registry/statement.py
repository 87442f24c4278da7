"""Claim: a statement, its cases and its near-misses, and what it says of one case.

The decorated function looks at one case and returns True, a certificate (which is checked), or
False or Fails("why"). Anything else it returns or raises is an error, never a verdict.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from operator import getitem
from time import monotonic
from typing import Any, Literal

import attrs

from symbench._arguments import instance, integer
from symbench.certificates import Certificate
from symbench.certificates.claims import ReRun
from symbench.certificates.plain import from_plain, register_type, to_plain
from symbench.draw.views import Shown, View, card, facts, typeset
from symbench.errors import BadClaim, Undecided, UnknownName
from symbench.registry.edition import edition_of
from symbench.words import Substitution, Task, Template

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
# How near a statement is to the printed words: they are quoted; their content is known and the
# sentence is not; or it is how we read something that is printed less precisely.
Wording = Literal["quoted", "reconstructed", "our reading"]
# What a verdict covers: the statement; a finite list of cases; cases drawn at random; nothing.
Scope = Literal["proved", "all cases", "sampled", "no cases"]
Outcome = Literal["holds", "fails", "error", "unfinished"]
Result = tuple[Outcome, str]  # with the reason

# So that claims may have them as cases.
register_type("Template", Template, Template.to_json, Template.from_json)
register_type("Substitution", Substitution, Substitution.to_json, Substitution.from_json)
register_type("Task", Task, Task.to_json, Task.from_json)


@attrs.frozen
class Fails(Shown):
    """What a claim's function returns for a case that refutes it: false, with the reason.

    >>> bool(Fails("1 is not 2"))
    False
    """

    reason: str = attrs.field(default="the statement is false in this case")

    @reason.validator
    def _check_reason(self, _: Any, value: Any) -> None:
        instance(value, str, "the reason", "a string")

    def __bool__(self) -> bool:
        return False

    def _view(self) -> View:
        return card("fails", self.reason, tone="bad")


@attrs.frozen
class NearMiss(Shown):
    """A hypothesis dropped or changed: a case in which the claim must fail.

    With `check` the statement itself is the variant: a function of the case like a claim's, or
    keywords with which the claim's own function is called.

    >>> NearMiss("equal rows", ((1, 1), (1, 1)))
    NearMiss(description='equal rows', case=((1, 1), (1, 1)), check=None)
    """

    description: str
    case: Any
    check: Callable[[Any], Any] | Mapping[str, Any] | None = None


@attrs.frozen
class Control(Shown):
    """A case in which a statement that is expected to fail must hold.

    The claim's own function looks at it, with keywords if `check` has some. Without controls a
    function that refutes everything would refute the statement too.

    >>> Control("the first odd number", 1)
    Control(description='the first odd number', case=1, check=None)
    """

    description: str
    case: Any
    check: Mapping[str, Any] | None = None


def as_written(case: Any) -> Any:
    """The case as a file gives it back (a list is a tuple then): what every run looks at.

    >>> as_written([1, [2, 3]])
    (1, (2, 3))
    """
    return from_plain(to_plain(case))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Claim(Shown):
    """A statement with its cases, its near-misses and what is expected of it.

    `sb.claims[id]` has one for every registered statement; `@claim` makes them.

    >>> claims["lavie2024.dimension"].category
    'count'
    """

    id: str
    statement: str
    source: str
    wording: Wording | None
    category: Category
    function: Callable[[Any], Any]
    cases: Any
    boundary: Any
    near_misses: tuple[NearMiss, ...]
    controls: tuple[Control, ...]
    strategy: Callable[[], Any] | None
    unhuntable: str | None
    applies: Callable[[Any], Any] | None
    expected: Expected
    repaired_by: str | None
    assumes: tuple[str, ...]
    proof: str | None
    proves: bool
    why: str | None
    formerly: tuple[str, ...]

    def __repr__(self) -> str:
        return f"claims[{self.id!r}]"

    def __reduce__(self) -> Any:
        # The functions of a claim do not pickle; its id finds it again in any process.
        from symbench.registry.book import claims

        return getitem, (claims, self.id)

    def _view(self) -> View:
        said: list[tuple[str, Any]] = [("source", self.source)]
        if self.wording is not None:
            said.append(("wording", self.wording))
        said.append(("expected", self.expected))
        said.append(("a verdict covers", self.scope))
        if self.parameters:
            said.append(("parameters", self.parameters))
        said += [("near-miss", near.description) for near in self.near_misses]
        said += [("control", control.description) for control in self.controls]
        for name in ("assumes", "repaired_by", "proof", "why", "unhuntable"):
            if getattr(self, name):
                said.append((name.replace("_", " "), getattr(self, name)))
        return card(self.id, typeset(self.statement), facts(said), mark=self.category)

    @property
    def parameters(self) -> dict[str, Any]:
        """The sizes that verify() takes for this claim, with their defaults."""
        if not callable(self.cases):
            return {}
        return {p.name: p.default for p in inspect.signature(self.cases).parameters.values()}

    @property
    def paper(self) -> str:
        """Where the statement is from: the first part of its id."""
        return self.id.split(".")[0]

    @property
    def scope(self) -> Scope:
        """What a verdict covers."""
        if not self.has_cases:
            return "no cases"
        if self.cases is None:
            return "sampled"
        return "proved" if self.proves else "all cases"

    @property
    def has_cases(self) -> bool:
        """Whether anything of the statement can be looked at: not where it needs, say, GPT-2."""
        return self.cases is not None or self.strategy is not None

    @property
    def edition(self) -> str:
        """A digest of the source that the claim can reach: it changes with any of it."""
        return edition_of(self.function)

    def sizes(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """All sizes of a run, those given checked against the defaults of the others."""
        defaults = self.parameters
        unknown = [name for name in parameters if name not in defaults]
        if unknown:
            raise UnknownName(
                f"{self.id} has no parameter {', '.join(map(repr, unknown))}: "
                f"it takes {', '.join(defaults) or 'none'}"
            )
        given = {
            name: integer(value, f"parameter {name}")
            if isinstance(defaults[name], int)
            else instance(value, str, f"parameter {name}", "a string")
            for name, value in parameters.items()
        }
        return {**defaults, **given}

    def list_cases(self, **parameters: Any) -> Iterator[Any]:
        """The cases for the given sizes, lazily, and last the boundary if it was not among them."""
        return self._listed(self.sizes(parameters))

    def count_cases(self, *, within: float = 0.5, **parameters: Any) -> int | None:
        """How many cases are listed; None if they are drawn, or not counted in so many seconds.

        >>> claims["lavie2024.dimension"].count_cases(max_length=6)
        15
        """
        if self.cases is None:
            return None
        number, end = 0, monotonic() + within
        for _ in self.list_cases(**parameters):
            number += 1
            if monotonic() > end:
                return None
        return number

    def _listed(self, sizes: dict[str, Any]) -> Iterator[Any]:
        if self.cases is None:
            if self.has_cases:
                yield self.boundary
            return
        empty, edge = True, False
        try:
            for case in self.cases(**sizes) if callable(self.cases) else self.cases:
                written = as_written(case)
                empty, edge = False, edge or written == self.boundary
                yield written
        except Exception as error:
            raise BadClaim(f"{self.id} cannot list its cases for {sizes}: {error!r}") from error
        if not (empty or edge):
            yield self.boundary

    def run(
        self, case: Any, special: NearMiss | Control | None = None
    ) -> Certificate | Fails | None:
        """The outcome in one case: Fails, or a checked certificate, or None where it just holds."""
        variant = special.check if special is not None else None
        if variant is None:
            self._check_hypotheses(case, special)
        if callable(variant):
            outcome = variant(case)
        else:
            outcome = self.function(case, **(variant or {}))
        if outcome is True:
            return None
        if outcome is False:
            return Fails()
        if isinstance(outcome, Fails):
            return outcome
        if isinstance(outcome, Certificate) and not isinstance(outcome, ReRun):
            if not outcome.check():
                raise BadClaim(f"{self.id}: the certificate for {case!r} does not check")
            return outcome
        raise BadClaim(
            f"{self.id} returned {outcome!r} for {case!r}: "
            "return True, False, Fails(reason) or a certificate"
        )

    def _check_hypotheses(self, case: Any, special: NearMiss | Control | None) -> None:
        """A case satisfies the hypotheses, and so does a control; a near-miss does not."""
        outside = isinstance(special, NearMiss)
        if not outside and any(n.check is None and n.case == case for n in self.near_misses):
            raise BadClaim(f"{self.id} does not speak of {case!r}: it is one of its near-misses")
        if self.applies is None:
            return
        inside = self.applies(case)
        if not isinstance(inside, bool):
            raise BadClaim(f"{self.id}: applies returned {inside!r}: return True or False")
        if not outside and not inside:
            raise BadClaim(
                f"{self.id} does not speak of {case!r}: its hypotheses are not satisfied"
            )
        if outside and inside:
            raise BadClaim(f"{self.id}: the near-miss {case!r} satisfies the hypotheses")

    def examine(
        self, case: Any, special: NearMiss | Control | None = None
    ) -> tuple[Result, Certificate | None]:
        """What came out in one case, and why, with its certificate if it has one.

        Whatever the function does, this returns.
        """
        try:
            outcome = self.run(case, special)
        except Undecided as error:
            return ("unfinished", str(error)), None
        except MemoryError:
            return ("unfinished", "out of memory"), None
        except (Exception, SystemExit) as error:
            return ("error", f"{type(error).__name__}: {error}"), None
        if isinstance(outcome, Fails):
            return ("fails", outcome.reason), None
        return ("holds", ""), outcome

    def look(self, case: Any, special: NearMiss | Control | None = None) -> Result:
        """What came out in one case, and why; whatever the function does, this returns."""
        return self.examine(case, special)[0]

    def fails(self, case: Any) -> str | None:
        """Why the claim fails in this case, None where it holds, Undecided without an answer."""
        outcome, reason = self.look(case)
        if outcome in ("error", "unfinished"):
            raise Undecided(f"{self.id} has no answer for {case!r}: {reason}")
        return reason if outcome == "fails" else None
