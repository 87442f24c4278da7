"""Laws of substitution maps: how the map of a template is drawn (boix2024, Definition 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from symbench._arguments import sequence, shown
from symbench.draw.views import Shown
from symbench.errors import BadType, BadValue
from symbench.exact import Rational
from symbench.exact.rational import stored_number
from symbench.words.letters import read_tokens, source
from symbench.words.substitution import Substitution
from symbench.words.template import Template, check_templates


@attrs.frozen(init=False, repr=False)
class UniformSubstitutions(Shown):
    """The uniform law: every injective map into an alphabet without the template's own tokens.

    >>> law = UniformSubstitutions("PQRS")
    >>> law.probability("Q", Template("αα")), law.probability("Q", Template("αβS"))
    (1/4, 2/3)
    """

    alphabet: tuple[str, ...]

    def __init__(self, alphabet: Any) -> None:
        self.__attrs_init__(read_tokens(alphabet, "the alphabet"))

    def __repr__(self) -> str:
        return f"UniformSubstitutions({source(self.alphabet)})"

    def check(self, template: Template) -> None:
        """Refuse an alphabet in which the template has no substitution map.

        >>> UniformSubstitutions("P").check(Template("αβ"))
        Traceback (most recent call last):
            ...
        symbench.errors.BadValue: the alphabet is too small: αβ needs 2 tokens, 1 are left for it
        """
        check_templates([template])
        room = len(self.open_to(template))
        if len(template.wildcards) > room:
            raise BadValue(
                f"the alphabet is too small: {template} needs {len(template.wildcards)} tokens, "
                f"{room} are left for it"
            )

    def open_to(self, template: Template) -> tuple[str, ...]:
        """The tokens that may be put for wildcards of the template: all but its own letters.

        >>> UniformSubstitutions("PQS").open_to(Template("αS"))
        ('P', 'Q')
        """
        closed = {*template.tokens, *template.wildcards}
        return tuple(token for token in self.alphabet if token not in closed)

    def peak(self, template: Template) -> Fraction:
        """The largest probability with which any token is put for a wildcard of the template.

        >>> UniformSubstitutions("PQS").peak(Template("αS"))
        1/2
        """
        self.check(template)
        if not template.wildcards:
            return Rational(0)
        return Rational(len(template.wildcards), len(self.open_to(template)))

    def probability(self, token: str, template: Template) -> Fraction:
        """The probability that a token is put for a wildcard of the template.

        >>> UniformSubstitutions("PQS").probability("S", Template("αS"))
        0
        """
        likely = self.peak(template)
        return likely if token in self.open_to(template) else Rational(0)

    def to_json(self) -> dict[str, Any]:
        """The law as plain data.

        >>> UniformSubstitutions("PQ").to_json()
        {'uniform': ['P', 'Q']}
        """
        return {"uniform": list(self.alphabet)}


@attrs.frozen(init=False, repr=False)
class FiniteSubstitutions(Shown):
    """An explicit law: finitely many substitution maps with their probabilities.

    The same maps serve every template of the task, so each maps all wildcards of the task.

    >>> from fractions import Fraction
    >>> law = FiniteSubstitutions([(Substitution({"α": "P", "β": "Q"}), Fraction(1, 3)),
    ...                  (Substitution({"α": "Q", "β": "R"}), Fraction(2, 3))])
    >>> law.probability("Q", Template("αβ")), law.probability("Q", Template("αα"))
    (1, 2/3)
    """

    outcomes: tuple[tuple[Substitution, Fraction], ...]

    def __init__(self, outcomes: Any) -> None:
        if isinstance(outcomes, Mapping):
            outcomes = outcomes.items()
        found: dict[Substitution, Fraction] = {}
        for outcome in sequence(outcomes, "the law", "a list of (substitution, weight)"):
            if not isinstance(outcome, (tuple, list)) or len(outcome) != 2:
                raise BadType(
                    f"an outcome of the law is {shown(outcome)}: give a pair (substitution, weight)"
                )
            substitution = outcome[0]
            if not isinstance(substitution, Substitution):
                substitution = Substitution(substitution)
            weight = Rational(outcome[1])
            if weight <= 0:
                raise BadValue(f"the probability of {substitution} is {weight}: leave it out")
            if substitution in found:
                raise BadValue(f"{substitution} is given twice: add up its probabilities")
            found[substitution] = weight
        if sum(found.values()) != 1:
            raise BadValue(f"the probabilities add up to {sum(found.values())}: make it 1")
        self.__attrs_init__(tuple(found.items()))

    def __repr__(self) -> str:
        return f"FiniteSubstitutions({[(s, typed(p)) for s, p in self.outcomes]!r})"

    def __iter__(self) -> Iterator[tuple[Substitution, Fraction]]:
        return iter(self.outcomes)

    def check(self, template: Template) -> None:
        """Refuse maps that leave out a wildcard of the template or use one of its tokens.

        >>> FiniteSubstitutions([({"α": "S"}, 1)]).check(Template("αS"))
        Traceback (most recent call last):
            ...
        symbench.errors.BadValue: α -> S does not suit αS: the string would not match it
        """
        check_templates([template])
        for substitution, _ in self.outcomes:
            if not template.matches(template.substitute(substitution)):
                raise BadValue(
                    f"{substitution} does not suit {template}: the string would not match it"
                )

    def peak(self, template: Template) -> Fraction:
        """The largest probability with which any token is put for a wildcard of the template.

        >>> FiniteSubstitutions([({"α": "P", "β": "Q"}, 1)]).peak(Template("αα"))
        1
        """
        self.check(template)
        found = {s[w] for s, _ in self.outcomes for w in template.wildcards}
        return max((self.probability(token, template) for token in found), default=Rational(0))

    def probability(self, token: str, template: Template) -> Fraction:
        """The probability that a token is put for a wildcard of the template.

        >>> FiniteSubstitutions([({"α": "P"}, 1)]).probability("P", Template("αα"))
        1
        """
        self.check(template)
        return sum(
            (p for s, p in self.outcomes if any(s[w] == token for w in template.wildcards)),
            Rational(0),
        )

    def to_json(self) -> dict[str, Any]:
        """The law as plain data.

        >>> FiniteSubstitutions([({"α": "P"}, 1)]).to_json()
        {'finite': [[{'α': 'P'}, '1']]}
        """
        return {"finite": [[s.to_json(), str(p)] for s, p in self.outcomes]}


SubstitutionLaw = UniformSubstitutions | FiniteSubstitutions


def read_law(law: Any) -> SubstitutionLaw:
    """A law from itself, from an alphabet (uniform) or from maps with probabilities (finite)."""
    if isinstance(law, (UniformSubstitutions, FiniteSubstitutions)):
        return law
    listed = isinstance(law, (list, tuple)) and not all(isinstance(item, str) for item in law)
    if listed or isinstance(law, Mapping):
        return FiniteSubstitutions(law)
    return UniformSubstitutions(law)


def law_from_json(data: Any) -> SubstitutionLaw:
    """The law that `to_json` wrote; anything else is refused."""
    match data:
        case {"uniform": [*alphabet], **rest} if not rest:
            return UniformSubstitutions(alphabet)
        case {"finite": [*outcomes], **rest} if not rest:
            if all(isinstance(item, list) and len(item) == 2 for item in outcomes):
                return FiniteSubstitutions([(s, stored_number(p)) for s, p in outcomes])
    raise BadValue(f"the stored law is {shown(data)}: give a uniform or finite one")


def typed(number: Fraction) -> int | Fraction:
    """The number as a repr writes it: an int, or a Fraction that evaluates to it."""
    return number.numerator if number.denominator == 1 else Fraction(number)
