"""Lists of templates and tasks, and samples of tasks (`words.*`), against all strings.

The other road writes down every string of letters: templates are strings up to the names of their
wildcards, tasks are sets of templates up to permutations, matches are maps of letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from symbench.papers._cases import at_most, drawn, integer, many, record
from symbench.registry import Fails, NearMiss, claim
from symbench.words import (
    Substitutions,
    Task,
    Template,
    all_tasks,
    all_templates,
    count_tasks,
    count_templates,
)

Codes = tuple[int, ...]
_WILD = "αβγδε"
_TOKENS = "ST"


# --- templates ------------------------------------------------------------------------------------
def _canonical(codes: Codes, tokens: int) -> Codes:
    """Wildcards, the numbers from `tokens` on, named in the order in which they come."""
    wild = [x for x in dict.fromkeys(codes) if x >= tokens]
    return tuple(x if x < tokens else tokens + wild.index(x) for x in codes)


def _all(length: int, tokens: int) -> list[Codes]:
    """All templates as numbers, in the order of the dictionary."""
    strings = product(range(tokens + length), repeat=length)
    return sorted({_canonical(codes, tokens) for codes in strings})


def _written(codes: Codes, tokens: int) -> Template:
    return Template("".join(_TOKENS[x] if x < tokens else _WILD[x - tokens] for x in codes))


def _blocks(codes: Codes, tokens: int) -> list[int]:
    return sorted((codes.count(x) for x in set(codes) if x >= tokens), reverse=True)


@claim(
    "words.templates",
    source="Templates of one length up to the names of their wildcards, counted and listed",
    category="count",
    cases=lambda max_length=4: product(range(1, max_length + 1), range(3)),
    boundary=(1, 0),
    strategy=drawn(lambda st: st.tuples(st.integers(1, 4), st.integers(0, 2))),
    applies=record(integer(1), integer(0), where=lambda n, q: q <= len(_TOKENS)),
    near_misses=[
        NearMiss("wildcards that keep their names", (2, 0), {"renamed": False}),
        NearMiss("all wildcards are different", (3, 1), {"largest": 1}),
    ],
)
def templates(
    case: tuple[int, int], renamed: bool = True, largest: int | None = None
) -> bool | Fails:
    """Templates are strings of tokens and wildcards up to the names of the wildcards. The list has
    each once, in the order of the dictionary, and knows their places; it can be cut down to those
    with few wildcards, with blocks of at least some size or of given sizes, and with a last token.
    """
    length, tokens = case
    at_most(length, 5, "letters")
    every = _all(length, tokens) if renamed else [*product(range(tokens + length), repeat=length)]
    every = [c for c in every if largest is None or max([0, *_blocks(c, tokens)]) <= largest]
    names = _TOKENS[:tokens]
    wanted: list[tuple[dict[str, Any], list[Codes]]] = [({}, every)]
    for most in range(length + 1):
        few = [c for c in every if len(_blocks(c, tokens)) <= most]
        wanted.append(({"max_wildcards": most}, few))
    for least in (1, 2):
        wide = [c for c in every if all(size >= least for size in _blocks(c, tokens))]
        wanted.append(({"min_block": least}, wide))
    for sizes in {tuple(_blocks(c, tokens)) for c in every if _blocks(c, tokens)}:
        exactly = [c for c in every if tuple(_blocks(c, tokens)) == sizes]
        wanted.append(({"block_sizes": sizes}, exactly))
    if tokens:
        wanted.append(({"last": names[0]}, [c for c in every if c[-1] == 0]))
    for options, codes in wanted:
        listed = all_templates(length, tokens=names, **options)
        right = [_written(c, tokens) for c in codes]
        if count_templates(length, tokens=names, **options) != len(codes) or listed.count != len(
            codes
        ):
            return Fails(f"{len(codes)} templates with {options}, not {listed.count}")
        if list(listed) != right:
            return Fails(f"the templates with {options} are others")
        for k, template in enumerate(right):
            if listed.rank(template) != k or listed[k] != template:
                return Fails(f"{template} is not number {k} of those with {options}")
    return True


# --- tasks ----------------------------------------------------------------------------------------
def _apart(one: Codes, two: Codes, tokens: int, letters: int) -> bool:
    """Whether no string over enough letters matches both."""
    return not any(
        _matches(x, one, tokens) and _matches(x, two, tokens)
        for x in product(range(letters), repeat=len(one))
    )


def _matches(string: Codes, template: Codes, tokens: int) -> bool:
    """Whether an injective map of the wildcards to tokens new to the template gives the string."""
    image: dict[int, int] = {}
    for own, letter in zip(template, string, strict=True):
        if own < tokens:
            if own != letter:
                return False
        elif image.setdefault(own, letter) != letter:
            return False
    taken = {own for own in template if own < tokens}
    return len(set(image.values())) == len(image) and not taken & set(image.values())


def _least(task: Any, length: int, tokens: int, colours: int, relabel: bool) -> Any:
    """The least image of a set of templates with labels under all symmetries."""
    moves = list(permutations(range(length)))
    names = list(permutations(range(tokens)))
    labels = list(permutations(range(colours))) if relabel else [tuple(range(colours))]
    found = []
    for move, name, label in product(moves, names, labels):
        turned = []
        for codes, colour in task:
            moved = tuple(codes[a] for a in move)
            new = tuple(name[x] if x < tokens else x for x in moved)
            turned.append((_canonical(new, tokens), label[colour]))
        found.append(tuple(sorted(turned)))
    return min(found)


def _task_cases() -> Iterator[tuple[int, int, int, int, bool]]:
    for length, tokens, size in ((2, 0, 1), (2, 0, 2), (2, 1, 1), (2, 1, 2), (3, 0, 1), (3, 0, 2),
                                 (3, 0, 3), (2, 2, 2), (4, 0, 2), (3, 1, 2)):  # fmt: skip
        yield length, tokens, size, 1, False
        if size == 2 and length < 4:
            yield length, tokens, size, 2, False
            yield length, tokens, size, 2, True
    yield 3, 0, 3, 2, True


@claim(
    "words.tasks",
    source="Sets of disjoint templates up to permutations of positions, tokens and labels",
    category="count",
    cases=_task_cases,
    boundary=(1, 0, 1, 1, False),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(1, 3), st.integers(0, 1), st.integers(1, 2), st.just(1), st.just(False)
        )
    ),
    applies=record(
        integer(1), integer(0), integer(1), integer(1), lambda x: type(x) is bool,
        where=lambda _, q, size, colours, __: q <= len(_TOKENS) and colours <= size,
    ),
    near_misses=[
        NearMiss("positions stay where they are", (3, 0, 2, 1, False), {"moved": False}),
        NearMiss("templates may share strings", (2, 1, 2, 1, False), {"disjoint": False}),
    ],
)  # fmt: skip
def tasks(
    case: tuple[int, int, int, int, bool], moved: bool = True, disjoint: bool = True
) -> bool | Fails:
    """Tasks are sets of pairwise disjoint templates, with labels that all occur, up to permutations
    of the positions, of the tokens, and of the labels where that is asked for. They are counted,
    and one of each kind is listed.
    """
    length, tokens, size, colours, relabel = case
    at_most(length, 4, "letters")
    every = _all(length, tokens)
    at_most(len(every) ** size, 5_000, "sets of templates")
    apart = {
        (one, two)
        for one, two in combinations(every, 2)
        if not disjoint or _apart(one, two, tokens, tokens + length)
    }
    kinds = set()
    for chosen in combinations(every, size):
        if all(pair in apart for pair in combinations(chosen, 2)):
            for labels in product(range(colours), repeat=size):
                if len(set(labels)) == colours:
                    task = tuple(zip(chosen, labels, strict=True))
                    kinds.add(
                        _least(task, length, tokens, colours, relabel)
                        if moved
                        else tuple(sorted(task))
                    )
    given: dict[str, Any] = {"size": size, "tokens": _TOKENS[:tokens]}
    if colours > 1:
        given |= {"labels": colours, "relabel": relabel}
    if count_tasks(length, **given) != len(kinds):
        return Fails(f"{len(kinds)} kinds of tasks, not {count_tasks(length, **given)}")
    found = []
    for listed in all_tasks(length, **given):
        own: Any = listed.labels or (0,) * len(listed)
        values = sorted(set(own))
        codes = [tuple(_code(z, a, tokens) for a in z.letters) for z in listed.templates]
        labelled = [
            (_canonical(c, tokens), values.index(y)) for c, y in zip(codes, own, strict=True)
        ]
        found.append(_least(labelled, length, tokens, colours, relabel))
    if sorted(found) != sorted(kinds):
        return Fails("the list has not one task of each kind")
    return True


def _code(template: Template, letter: str, tokens: int) -> int:
    if letter in template.wildcards:
        return tokens + template.wildcards.index(letter)
    return _TOKENS.index(letter)


# --- strings --------------------------------------------------------------------------------------
_SETS: tuple[tuple[str, ...], ...] = (
    ("αα", "αβ"),
    ("αα", "αS"),
    ("αSα", "αSβ", "ααS"),
    ("STα", "SαT", "αST"),
    ("ααβ", "αβα", "αββ", "ααα"),
    ("αβSα", "ααSβ"),
    ("αααβ", "αβγα"),
)


def _is_task(value: Any) -> bool:
    shape = many(lambda text: type(text) is str and bool(text))(value)
    return (
        shape and len({*map(len, value)}) == 1 and all(set(t) <= {*_WILD, *_TOKENS} for t in value)
    )


def _numbers(text: str) -> Codes:
    """Tokens 0, 1 and wildcards from 2 on."""
    return tuple(_TOKENS.index(x) if x in _TOKENS else 2 + _WILD.index(x) for x in text)


@claim(
    "words.matches",
    source="Which template of a task a string matches (boix2024, Definition 3.1)",
    category="definition",
    cases=_SETS,
    boundary=("α",),
    strategy=drawn(lambda st: st.sampled_from(_SETS)),
    applies=_is_task,
    near_misses=[
        NearMiss("two wildcards may get one token", ("αβ", "αα"), {"injective": False}),
        NearMiss("tokens are looked for in the first place", ("STα",), {"first": True}),
    ],
)
def matches(texts: tuple[str, ...], injective: bool = True, first: bool = False) -> bool | Fails:
    """A string matches a template if an injective map of its wildcards to tokens that do not stand
    in it makes the string of it. A task says which of its templates a string matches, one by one
    and for all strings at once; there are W!/(W - n)! maps of n wildcards to W tokens.
    """
    at_most(len(texts[0]), 4, "letters")
    task = Task([Template(text) for text in texts], allow_overlap=True, wildcards="")
    letters = range(2 + len(texts[0]))
    strings = list(product(letters, repeat=len(texts[0])))
    codes = {token: _TOKENS.index(token) for token in task.regular_tokens}
    found = task.classify_array(strings, codes=codes).tolist()
    for string, where in zip(strings, found, strict=True):
        hits = [
            k
            for k, text in enumerate(texts)
            if _matches(string, _numbers(text), 2)
            or (not injective and len(set(string)) == 1)
            or (first and string[0] == _numbers(text)[0])
        ]
        wanted = -1 if not hits else hits[0] if len(hits) == 1 else -2
        if where != wanted:
            return Fails(f"{string} is of template {where}, not {wanted}")
        plain = "".join("STQRUVW"[x] for x in string)
        one_by_one = [k for k, z in enumerate(task.templates) if z.matches(plain)]
        if one_by_one != [k for k, t in enumerate(texts) if _matches(string, _numbers(t), 2)]:
            return Fails(f"{plain} matches {one_by_one}")
    for size in range(5):
        maps = list(Substitutions(_WILD[:2], "PQRUV"[:size]))
        if Substitutions(_WILD[:2], "PQRUV"[:size]).count != len(maps) or len(
            {m.pairs for m in maps}
        ) != len(list(permutations(range(size), 2))):
            return Fails(f"there are {len(maps)} maps of two wildcards to {size} tokens")
    return True


@claim(
    "words.samples",
    source="The data of a task: training strings, and test strings over tokens not seen "
    "(boix2024, Definitions 3.2 and 3.3)",
    category="definition",
    cases=[*_SETS[:5], ("αααβ", "αβγα"), ("αβββ", "Sααα")],
    boundary=("α",),
    strategy=drawn(lambda st: st.sampled_from(_SETS[:5])),
    applies=_is_task,
    near_misses=[
        NearMiss("test strings over the tokens of the training", ("αα", "αβ"), {"unseen": False}),
        NearMiss("all strings of a length", ("αα", "αβ"), {"wild": True}),
    ],
)
def samples(texts: tuple[str, ...], unseen: bool = True, wild: bool = False) -> bool | Fails:
    """Each string of a sample comes from its template by a substitution; training strings have
    tokens of the first half of the alphabet, test strings of the second, so that they share no
    token but the regular ones. All templates and all substitutions come up among many strings.
    """
    at_most(len(texts[0]), 4, "letters")
    task = Task([Template(text) for text in texts], labels=range(len(texts)), allow_overlap=True,
                wildcards="")  # fmt: skip
    alphabet = "ABCDEFGH"
    halves = (alphabet[:4], alphabet[4:] if unseen else alphabet[:4])
    train, test = task.sample(600, 0, alphabet, test=600)
    for part, tokens in ((train, halves[0]), (test, halves[1])):
        strings, labels = part.strings(), part.labels()
        seen = {(str(s), label) for s, label in zip(strings, labels, strict=True)}
        known = {a for z in task.templates for a in z.tokens}
        wanted = set()
        for k, text in enumerate(texts):
            names = sorted({a for a in text if a in _WILD})
            pools = product(tokens, repeat=len(names)) if wild else permutations(tokens, len(names))
            for image in pools:
                to = dict(zip(names, image, strict=True))
                wanted.add(("".join(to.get(a, a) for a in text), Fraction(k)))
        if len(strings) != 600 or not seen <= wanted or (len(wanted) < 60 and seen != wanted):
            return Fails(f"the strings {sorted(seen ^ wanted)[:3]} do not belong there")
        if {a for s in strings for a in str(s)} - known - set(tokens):
            return Fails(f"there are tokens outside of {tokens}")
    return True
