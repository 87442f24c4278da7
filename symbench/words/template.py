"""Template: a string with wildcards (boix2024, Definition 3.1), and what it means to match it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

import attrs

from symbench._arguments import instance, sequence, shown
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadShape, BadValue, UnknownName
from symbench.words.latex import letters_latex, shown_latex
from symbench.words.letters import (
    CLS,
    GREEK,
    LATIN,
    Word,
    check_look_alikes,
    is_wildcard_name,
    new_letters,
    pattern_of,
    read,
    read_alphabet,
    show,
    source,
)
from symbench.words.substitution import Substitution, Substitutions


@attrs.frozen
class Match(Shown):
    """The answer of `Template.explain`: the substitution map, or the reason why there is none.

    It is true when the string matches.

    >>> answer = Template("ααβST").explain("QQRST")
    >>> bool(answer), answer.substitution
    (True, Substitution({'α': 'Q', 'β': 'R'}))
    >>> print(Template("ααβST").explain("QQSST"))
    β -> S, but S already stands in the template
    """

    substitution: Substitution | None
    reason: str

    def __bool__(self) -> bool:
        return self.substitution is not None

    def __str__(self) -> str:
        return self.reason if self.substitution is None else str(self.substitution)

    def _view(self) -> View:
        if self.substitution is None:
            return card("no match", self.reason, tone="bad")
        said = [(wildcard, self.substitution[wildcard]) for wildcard in self.substitution]
        return card("match", facts(said), tone="good")


@attrs.frozen(init=False, repr=False)
class Template:
    """A template: letters, some of them wildcards, the rest regular tokens.

    Greek letters are the wildcards, unless they are named; tokens that are words come in a list;
    ``[CLS]`` inside a string is the one token CLS.

    >>> t = Template("ααβST")
    >>> t.letters, t.wildcards, t.tokens
    (('α', 'α', 'β', 'S', 'T'), ('α', 'β'), ('S', 'T'))
    >>> t.matches("QQRST"), t.matches("QQQST"), t.matches("QQSST")
    (True, False, False)
    >>> Template("xxyST", wildcards="xy").is_equivalent(t)
    True
    >>> Template(["α", "=", "1"])
    Template('α=1')
    >>> Template(["print", "(", "α", ")"])
    Template(['print', '(', 'α', ')'])
    >>> Template("")
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: an empty template: give at least one letter
    """

    letters: tuple[str, ...]
    wildcards: tuple[str, ...]

    def __init__(self, letters: str | Iterable[str], *, wildcards: Any = None) -> None:
        found = read(letters, "a template")
        if not found:
            raise BadValue("an empty template: give at least one letter")
        distinct = tuple(dict.fromkeys(found))
        check_look_alikes(distinct)
        if wildcards is None:
            named = tuple(letter for letter in distinct if is_wildcard_name(letter))
        else:
            chosen = frozenset(read(wildcards, "the list of wildcards"))
            named = tuple(letter for letter in distinct if letter in chosen)
        self.__attrs_init__(found, named)

    @staticmethod
    def _of(letters: tuple[str, ...], wildcards: tuple[str, ...]) -> Template:
        """A template from parts known to be right: enumeration makes millions of them."""
        made = _new(Template)
        _set_letters(made, letters)
        _set_wildcards(made, wildcards)
        return made

    def __len__(self) -> int:
        return len(self.letters)

    def __str__(self) -> str:
        return show(self.letters)

    def __repr__(self) -> str:
        distinct = dict.fromkeys(self.letters)
        if tuple(filter(is_wildcard_name, distinct)) == self.wildcards:
            return f"Template({source(self.letters)})"
        return f"Template({source(self.letters)}, wildcards={source(self.wildcards)})"

    def latex(self) -> str:
        r"""The template as LaTeX, for math mode.

        >>> print(Template("ααβS").with_cls().latex())
        \alpha\alpha\beta\mathtt{S}\,\mathtt{[CLS]}
        """
        return letters_latex(self.letters, self.wildcards)

    def _repr_latex_(self) -> str:
        return shown_latex(self.letters, self.wildcards)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The regular tokens, each once, in order of appearance.

        >>> Template("αSTαS").tokens
        ('S', 'T')
        """
        return tuple(x for x in dict.fromkeys(self.letters) if x not in self.wildcards)

    @cached_property
    def pattern(self) -> tuple[int, ...]:
        """Which positions carry the same letter: letters numbered in order of appearance.

        A string matches exactly when it has this pattern and agrees with the regular tokens.

        >>> Template("ααβSα").pattern
        (0, 0, 1, 2, 0)
        """
        return pattern_of(self.letters)

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The positions (from 0) of each wildcard, in the order of `wildcards`.

        >>> Template("ααβSα").blocks
        ((0, 1, 4), (2,))
        """
        places = self._places()
        return tuple(tuple(places[wildcard]) for wildcard in self.wildcards)

    @property
    def token_positions(self) -> dict[str, tuple[int, ...]]:
        """The positions (from 0) of each regular token.

        >>> Template("ααβSα").token_positions
        {'S': (3,)}
        """
        places = self._places()
        return {token: tuple(places[token]) for token in self.tokens}

    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for position, letter in enumerate(self.letters):
            places.setdefault(letter, []).append(position)
        return places

    @cached_property
    def canonical(self) -> Template:
        """The same template with its wildcards named α, β, γ, ... in order of appearance.

        >>> Template("ββαS").canonical, Template("xxyS", wildcards="xy").canonical
        (Template('ααβS'), Template('ααβS'))
        """
        names = tuple(islice(new_letters(GREEK, avoid=self.tokens), len(self.wildcards)))
        if names == self.wildcards:
            return self
        new = dict(zip(self.wildcards, names, strict=True))
        return Template._of(tuple(new.get(letter, letter) for letter in self.letters), names)

    def is_equivalent(self, other: Template) -> bool:
        """Whether the two differ only in the names of their wildcards.

        Equivalent is neither equal (``==`` compares names too) nor the opposite of disjoint:
        αA and αβ are inequivalent, yet a string matches both.

        >>> Template("αβ").is_equivalent(Template("βα")), Template("αβ") == Template("βα")
        (True, False)
        >>> Template("αA").is_equivalent(Template("αβ")), Template("αA").is_disjoint(Template("αβ"))
        (False, False)
        """
        return self.canonical == check_template(other).canonical

    def is_disjoint(self, other: Template, *, alphabet: Any = None) -> bool:
        """Whether no string matches both (boix2024, Definition 4.1).

        The alphabet is unbounded, or given by its tokens or their number. `common_string` hands
        out the string when there is one.

        >>> Template("αα").is_disjoint(Template("αβ"))
        True
        >>> Template("αβ").is_disjoint(Template("βα"))
        False
        >>> Template("αβ").is_disjoint(Template("βα"), alphabet=1)
        True
        """
        from symbench.words.disjointness import common_string

        return common_string(self, other, alphabet=alphabet) is None

    def explain(self, string: Any) -> Match:
        """The substitution map that turns the template into the string, or why there is none.

        >>> t = Template("ααβST")
        >>> print(t.explain("QQRST"))
        α -> Q, β -> R
        >>> print(t.explain("QRSST"))
        α would be both Q and R
        >>> print(t.explain("QQQST"))
        α and β would both be Q
        >>> print(t.explain("QQRSS"))
        letter 5 of the template is T, of the string S
        >>> t.explain("QQβST")
        Traceback (most recent call last):
            ...
        symbench.errors.BadValue: the string has the wildcard β: give tokens only
        """
        letters = read(string)
        for letter in letters:
            if letter in self.wildcards or (letter not in self.tokens and is_wildcard_name(letter)):
                raise BadValue(f"the string has the wildcard {letter}: give tokens only")
        if len(letters) != len(self.letters):
            lengths = f"the template has {len(self)} letters, the string has {len(letters)}"
            return Match(None, lengths)
        image: dict[str, str] = {}
        origin: dict[str, str] = {}
        for position, (own, letter) in enumerate(zip(self.letters, letters, strict=True), start=1):
            if own not in self.wildcards:
                if own != letter:
                    where = f"letter {position} of the template is {own}, of the string {letter}"
                    return Match(None, where)
            elif image.setdefault(own, letter) != letter:
                return Match(None, f"{own} would be both {image[own]} and {letter}")
            elif letter in self.tokens:
                where = f"{own} -> {letter}, but {letter} already stands in the template"
                return Match(None, where)
            elif origin.setdefault(letter, own) != own:
                return Match(None, f"{origin[letter]} and {own} would both be {letter}")
        return Match(Substitution(image), "")

    def matches(self, string: Any) -> bool:
        """Whether the string comes from the template by a substitution with tokens new to it.

        >>> Template("αβα").matches("QRQ"), Template("αβα").matches(["go", "to", "go"])
        (True, True)
        """
        return bool(self.explain(string))

    def substitute(self, substitution: Mapping[str, str]) -> Word:
        """The string with tokens put for the wildcards.

        >>> print(Template("ααβST").substitute({"α": "Q", "β": "R"}))
        QQRST
        >>> Template("ααβST").substitute({"α": "Q"})
        Traceback (most recent call last):
            ...
        symbench.errors.UnknownName: nothing is given for the wildcard β of ααβST: give a token
        """
        if not isinstance(substitution, Substitution):
            substitution = Substitution(substitution)
        image = dict(substitution.pairs)
        for wildcard in self.wildcards:
            if wildcard not in image:
                raise UnknownName(
                    f"nothing is given for the wildcard {wildcard} of {self}: give a token"
                )
        return Word([image[x] if x in self.wildcards else x for x in self.letters])

    def substitutions(self, alphabet: Any) -> Substitutions:
        """All maps of the wildcards into an alphabet, without the template's own tokens.

        These are the maps whose strings match. A number is the size of the whole alphabet.

        >>> maps = Template("αβS").substitutions("PQS")
        >>> maps.count, [str(s) for s in maps]
        (2, ['α -> P, β -> Q', 'α -> Q, β -> P'])
        """
        holds = self.tokens if hasattr(alphabet, "__index__") else ()
        known = read_alphabet(alphabet, holds=holds, avoid=self.wildcards)
        return Substitutions(self.wildcards, [x for x in known if x not in self.tokens])

    def fresh(self, *, avoid: Collection[str] = ()) -> Substitution:
        """A substitution by tokens that are new: not in the template, not among those to avoid.

        >>> t = Template("ααβST")
        >>> s = t.fresh(avoid="AB")
        >>> s, t.fresh(avoid=s.image)
        (Substitution({'α': 'C', 'β': 'D'}), Substitution({'α': 'A', 'β': 'B'}))
        """
        known = read(sorted(avoid) if isinstance(avoid, (set, frozenset)) else avoid, "avoid")
        names = new_letters(LATIN, avoid={*self.letters, *known})
        return Substitution(dict(zip(self.wildcards, names, strict=False)))

    def with_cls(self) -> Template:
        """The template with the regular token CLS appended.

        >>> Template("αα").with_cls()
        Template('αα[CLS]')
        """
        if CLS in self.wildcards:
            raise BadValue(f"{CLS} is a wildcard of {self}: rename it first")
        return Template._of((*self.letters, CLS), self.wildcards)

    def to_json(self) -> dict[str, list[str]]:
        """The template as plain data.

        >>> Template("αS").to_json()
        {'letters': ['α', 'S'], 'wildcards': ['α']}
        """
        return {"letters": list(self.letters), "wildcards": list(self.wildcards)}

    @classmethod
    def from_json(cls, data: Any) -> Template:
        """The template that `to_json` wrote; anything else is refused.

        >>> Template.from_json({"letters": ["α", "S"], "wildcards": ["α"]})
        Template('αS')
        """
        if not isinstance(data, Mapping) or set(data) != {"letters", "wildcards"}:
            raise BadValue(f"the stored template is {shown(data)}: give letters and wildcards")
        for part in ("letters", "wildcards"):
            instance(data[part], list, f"{part} of a stored template", "a list")
        template = cls(data["letters"], wildcards=data["wildcards"])
        if list(template.wildcards) != data["wildcards"]:
            raise BadValue(
                f"the wildcards of a stored template are {shown(data['wildcards'])}, "
                f"those of its letters {list(template.wildcards)!r}: give these"
            )
        return template


# The slots themselves: frozen classes have no faster door.
_new = object.__new__
_set_letters = Template.__dict__["letters"].__set__
_set_wildcards = Template.__dict__["wildcards"].__set__


def check_template(value: object) -> Template:
    """The value itself, if it is a Template."""
    return instance(value, Template, "the template", "a Template such as Template('αβ')")


def check_templates(templates: Any) -> tuple[Template, ...]:
    """The templates as a tuple; each must be a `Template`, and there must be one."""
    found = sequence(templates, "the templates", "a list of Template(...)")
    for template in found:
        if not isinstance(template, Template):
            check_template(template)
    if not found:
        raise BadValue("there are no templates: give at least one")
    return found


def check_same_length(templates: Iterable[Template]) -> int:
    """The common length of some templates."""
    first: Template | None = None
    for template in templates:
        first = first or check_template(template)
        if len(check_template(template).letters) != len(first.letters):
            raise BadShape(
                f"unequal lengths: {first} has {len(first)} letters, "
                f"{template} has {len(template)}: make them equal"
            )
    return len(first) if first else 0
