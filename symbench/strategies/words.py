"""Strategies for templates, strings, substitution maps and tasks."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Any

from hypothesis import strategies as st

from symbench._arguments import flag
from symbench.errors import BadValue
from symbench.strategies._bounds import bounds
from symbench.words import Substitution, Task, Template, Word, count_templates
from symbench.words.letters import GREEK, new_letters, read_tokens


def position_partitions(
    *, min_size: int = 1, max_size: int = 6, max_blocks: int | None = None
) -> st.SearchStrategy[tuple[int, ...]]:
    """Partitions of positions, as restricted growth strings: equal numbers, same block.

    >>> from hypothesis import find
    >>> find(position_partitions(), lambda p: len(set(p)) == 2 and len(p) == 3)
    (0, 0, 1)
    """
    low, high = bounds(min_size, max_size, "size", floor=1)
    blocks = high if max_blocks is None else bounds(1, max_blocks, "blocks", floor=1)[1]
    letters = st.lists(st.integers(0, blocks - 1), min_size=low, max_size=high)
    return letters.map(_growth)


def _growth(numbers: list[int]) -> tuple[int, ...]:
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(number, len(seen)) for number in numbers)


def templates(
    *,
    min_length: int = 1,
    max_length: int = 6,
    min_wildcards: int = 0,
    max_wildcards: int | None = None,
    tokens: Any = "ST",
    canonical: bool = False,
) -> st.SearchStrategy[Template]:
    """Templates over some regular tokens; wildcards are named in any order unless canonical.

    >>> from hypothesis import find
    >>> find(templates(tokens="AB"), lambda t: "A" in t.tokens and len(t) == 2)
    Template('αA')
    >>> templates(min_length=2, max_length=1)
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: min_length=2 is greater than max_length=1; exchange them
    """
    low, high = bounds(min_length, max_length, "length", floor=1)
    most = high if max_wildcards is None else max_wildcards
    few, most = bounds(min_wildcards, most, "wildcards")
    if few > high:
        raise BadValue(f"min_wildcards={few} do not fit into max_length={high} letters")
    renamed = flag(canonical, "canonical")
    names = read_tokens(tokens)
    letters = [*islice(new_letters(GREEK, avoid=names), most), *names]
    if not letters:
        raise BadValue("no letters: allow wildcards (max_wildcards) or give tokens")
    found = st.lists(st.sampled_from(letters), min_size=low, max_size=high).map(Template)
    if few:
        # One copy of each wildcard that must occur, anywhere: filtering would reject too much.
        must = st.permutations(letters[:most]).map(lambda order: order[:few])
        free = st.lists(st.sampled_from(letters), min_size=max(low - few, 0), max_size=high - few)
        both = st.tuples(must, free).map(lambda parts: [*parts[0], *parts[1]])
        found = both.flatmap(st.permutations).map(Template)
    return found.map(lambda template: template.canonical) if renamed else found


def inequivalent_templates(
    *,
    min_size: int = 1,
    max_size: int = 5,
    min_length: int = 1,
    max_length: int = 5,
    tokens: Any = "ST",
    disjoint: bool = False,
) -> st.SearchStrategy[tuple[Template, ...]]:
    """Templates of one length, no two of them equivalent; they share no strings if disjoint.

    >>> from hypothesis import find
    >>> find(inequivalent_templates(min_size=2, tokens=""), lambda ts: True)
    (Template('αα'), Template('αβ'))
    >>> pairs = inequivalent_templates(min_size=2, max_size=2, disjoint=True)
    >>> one, two = find(pairs, lambda ts: True)
    >>> one.is_disjoint(two)
    True
    """
    few, many = bounds(min_size, max_size, "size", floor=1)
    low, high = bounds(min_length, max_length, "length", floor=1)
    names = read_tokens(tokens)
    apart = flag(disjoint, "disjoint")

    def kept(found: list[Template]) -> tuple[Template, ...]:
        chosen: list[Template] = []
        for template in found:
            if not apart or all(template.is_disjoint(other) for other in chosen):
                chosen.append(template)
        return tuple(chosen)

    def of_length(length: int) -> st.SearchStrategy[tuple[Template, ...]]:
        one = templates(min_length=length, max_length=length, tokens=names, canonical=True)
        lists = st.lists(one, min_size=few, max_size=many, unique=True)
        return lists.map(kept).filter(lambda chosen: len(chosen) >= few)

    # The shortest length that has enough templates: below it no list can be unique.
    while low <= high and count_templates(low, tokens=names) < few:
        low += 1
    if low > high:
        raise BadValue(f"no length up to {high} has {few} inequivalent templates; raise max_length")
    return st.integers(low, high).flatmap(of_length)


def strings(
    *, min_length: int = 1, max_length: int = 6, alphabet: Any = 4
) -> st.SearchStrategy[Word]:
    """Strings over an alphabet: its tokens, or how many.

    >>> from hypothesis import find
    >>> find(strings(), lambda x: len(set(x)) == 2)
    Word('AB')
    """
    low, high = bounds(min_length, max_length, "length")
    names = read_tokens(alphabet, "the alphabet")
    if not names and high:
        raise BadValue("the alphabet is empty; give tokens, or how many")
    return st.lists(st.sampled_from(names or ("A",)), min_size=low, max_size=high).map(Word)


def substitutions(
    wildcards: Any = None, *, alphabet: Any = 6, min_wildcards: int = 0, max_wildcards: int = 4
) -> st.SearchStrategy[Substitution]:
    """Substitution maps into an alphabet, of given wildcards (or those of a template), or of any.

    >>> from hypothesis import find
    >>> find(substitutions("αβ"), lambda s: True)
    Substitution({'α': 'A', 'β': 'B'})
    """
    closed: tuple[str, ...] = ()
    if isinstance(wildcards, Template):
        wildcards, closed = wildcards.wildcards, wildcards.letters
    names = tuple(x for x in read_tokens(alphabet, "the alphabet") if x not in closed)
    if wildcards is None:
        low, high = bounds(min_wildcards, max_wildcards, "wildcards")
        sizes = st.integers(low, min(high, len(names)))
        greek = tuple(islice(new_letters(GREEK), high))
    else:
        greek = Template(wildcards, wildcards=wildcards).wildcards if wildcards else ()
        low = len(greek)
        sizes = st.just(low)
    if low > len(names):
        raise BadValue(
            f"the alphabet is too small: {low} wildcards need as many tokens, "
            f"but {len(names)} are left"
        )

    def of_size(size: int) -> st.SearchStrategy[Substitution]:
        images = st.permutations(names)
        return images.map(lambda image: Substitution(dict(zip(greek[:size], image, strict=False))))

    return sizes.flatmap(of_size)


def tasks(
    *,
    min_size: int = 1,
    max_size: int = 5,
    min_length: int = 1,
    max_length: int = 5,
    tokens: Any = "ST",
    symbolic: bool = False,
) -> st.SearchStrategy[Task]:
    """Tasks: disjoint templates with small whole labels (or a letter of each) and weights.

    >>> from hypothesis import find
    >>> task = find(tasks(min_size=2, max_length=2, tokens=""), lambda task: True)
    >>> sorted(map(str, task.templates))
    ['αα', 'αβ']
    """
    letters = flag(symbolic, "symbolic")
    families = inequivalent_templates(
        min_size=min_size,
        max_size=max_size,
        min_length=min_length,
        max_length=max_length,
        tokens=tokens,
        disjoint=True,
    )

    def labelled(family: tuple[Template, ...]) -> st.SearchStrategy[Task]:
        choices: list[st.SearchStrategy[Any]] = [
            st.sampled_from(tuple(dict.fromkeys(t.letters))) if letters else st.integers(-3, 3)
            for t in family
        ]
        parts = st.lists(st.integers(1, 4), min_size=len(family), max_size=len(family))
        return st.builds(_weighted, st.just(family), st.tuples(*choices), parts)

    return families.flatmap(labelled)


def _weighted(family: tuple[Template, ...], labels: tuple[Any, ...], parts: list[int]) -> Task:
    weights = [Fraction(part, sum(parts)) for part in parts]
    return Task(family, labels=labels, weights=weights, wildcards="")
