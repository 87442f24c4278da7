"""Hypothesis strategies for the objects of symbench.

Names are plural nouns, bounds are ``min_`` and ``max_``, and examples shrink to the smallest
object: the template α, the string A.

>>> from hypothesis import find
>>> find(templates(), lambda t: True)
Template('α')
>>> find(templates(), lambda t: len(t.wildcards) == 2 and "S" not in t.tokens)
Template('αβ')
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product
from typing import Any

from hypothesis import strategies as st

from symbench import _hypothesis
from symbench._arguments import flag, integer, shown
from symbench.errors import BadValue, TooLarge
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.dense import PrimeField
from symbench.kernels import Kernel, inner_product, linear_attention
from symbench.laws import HiddenMarkov, Iid, Law, Mixture, Words
from symbench.learning.targets import BitPolynomial, Target, WeightFunction
from symbench.words import Substitution, Task, Template, Word, count_templates
from symbench.words.letters import GREEK, new_letters, read_tokens
from symbench.young import CyclicGroup, Partition, Permutation, Tableau, YoungSubgroup, rsk
from symbench.young.position_groups import Group

_MOST = 1000
# One more than the longest strings of which inner products are taken.
_FEW = 9


def _bounds(least: Any, most: Any, what: str, *, floor: int = 0) -> tuple[int, int]:
    low = integer(least, f"min_{what}", at_least=floor)
    high = integer(most, f"max_{what}", at_least=floor)
    if low > high:
        raise BadValue(
            f"min_{what}={shown(low)} is greater than max_{what}={shown(high)}; exchange them"
        )
    if high > _MOST:
        raise TooLarge(f"max_{what}={shown(high)} is too much for an example; take {_MOST} at most")
    return low, high


def position_partitions(
    *, min_size: int = 1, max_size: int = 6, max_blocks: int | None = None
) -> st.SearchStrategy[tuple[int, ...]]:
    """Partitions of positions, as restricted growth strings: equal numbers, same block.

    >>> from hypothesis import find
    >>> find(position_partitions(), lambda p: len(set(p)) == 2 and len(p) == 3)
    (0, 0, 1)
    """
    low, high = _bounds(min_size, max_size, "size", floor=1)
    blocks = high if max_blocks is None else _bounds(1, max_blocks, "blocks", floor=1)[1]
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
    low, high = _bounds(min_length, max_length, "length", floor=1)
    most = high if max_wildcards is None else max_wildcards
    few, most = _bounds(min_wildcards, most, "wildcards")
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
    few, many = _bounds(min_size, max_size, "size", floor=1)
    low, high = _bounds(min_length, max_length, "length", floor=1)
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
    low, high = _bounds(min_length, max_length, "length")
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
        low, high = _bounds(min_wildcards, max_wildcards, "wildcards")
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
    return Task(family, labels=labels, weights=weights)


def partitions(*, min_size: int = 1, max_size: int = 8) -> st.SearchStrategy[Partition]:
    """Partitions of the numbers between two.

    >>> from hypothesis import find
    >>> find(partitions(), lambda p: len(p.parts) == 2 and p.size == 3) == Partition(2, 1)
    True
    """
    low, high = _bounds(min_size, max_size, "size")

    def of_size(size: int) -> st.SearchStrategy[Partition]:
        if not size:
            return st.just(Partition())
        growing = st.lists(st.booleans(), min_size=size - 1, max_size=size - 1)
        return growing.map(_parts)

    return st.integers(low, high).flatmap(of_size)


def _parts(cuts: list[bool]) -> Partition:
    """The partition whose parts are the stretches between the cuts."""
    parts = [1]
    for cut in cuts:
        if cut:
            parts.append(1)
        else:
            parts[-1] += 1
    return Partition(sorted(parts, reverse=True))


def permutations(*, min_size: int = 1, max_size: int = 6) -> st.SearchStrategy[Permutation]:
    """Permutations of 1..n.

    >>> from hypothesis import find
    >>> find(permutations(), lambda g: g(1) == 2)(1)
    2
    """
    low, high = _bounds(min_size, max_size, "size")
    sizes = st.integers(low, high)
    return sizes.flatmap(lambda n: st.permutations(range(1, n + 1))).map(Permutation)


def tableaux(*, min_size: int = 1, max_size: int = 8) -> st.SearchStrategy[Tableau]:
    """Standard tableaux: the recording tableaux of permutations, so each shape is met.

    >>> from hypothesis import find
    >>> len(find(tableaux(), lambda t: len(t.shape.parts) == 2).rows)
    2
    """
    return permutations(min_size=min_size, max_size=max_size).map(lambda g: rsk(g)[1])


def groups(*, length: int) -> st.SearchStrategy[Group]:
    """Groups of permutations of some positions: Young subgroups and the rotations.

    >>> from hypothesis import find
    >>> find(groups(length=3), lambda group: group.order > 3).order
    6
    """
    size = integer(length, "length", at_least=1)
    young = partitions(min_size=size, max_size=size).flatmap(
        lambda p: st.permutations(p.parts).map(YoungSubgroup)
    )
    return young | st.just(CyclicGroup(size))


def matrices(
    *,
    ring: Any = ZZ,
    min_size: int = 1,
    max_size: int = 4,
    square: bool = False,
) -> st.SearchStrategy[Matrix]:
    """Matrices over ZZ, QQ or GF(p) with small entries.

    >>> from hypothesis import find
    >>> find(matrices(square=True), lambda M: M.det() == 1).det()
    1
    >>> matrices(ring=Balls(64))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the ring is Balls(64): give ZZ, QQ or GF(p)
    """
    low, high = _bounds(min_size, max_size, "size", floor=1)
    same = flag(square, "square")
    if ring not in (ZZ, QQ) and not isinstance(ring, PrimeField):
        raise BadValue(f"the ring is {shown(ring)}: give ZZ, QQ or GF(p)")
    entries: st.SearchStrategy[Any] = st.integers(-9, 9)
    if ring == QQ:
        entries = st.fractions(-9, 9, max_denominator=9)

    def of_shape(shape: tuple[int, int]) -> st.SearchStrategy[Matrix]:
        rows, columns = shape
        line = st.lists(entries, min_size=columns, max_size=columns)
        table = st.lists(line, min_size=rows, max_size=rows)
        return table.map(lambda found: Matrix(found, ring))

    sizes = st.integers(low, high)
    shapes = sizes.map(lambda n: (n, n)) if same else st.tuples(sizes, sizes)
    return shapes.flatmap(of_shape)


def laws(
    *, vocabulary: int = 2, length: int = 3, exchangeable: bool = False
) -> st.SearchStrategy[Law]:
    """Laws of words of a length: independent tokens, mixtures, Markov chains, any law of words.

    >>> from hypothesis import find
    >>> find(laws(vocabulary=2), lambda law: law.probability((0, 0, 1)) == 0).vocabulary
    2
    """
    tokens = integer(vocabulary, "vocabulary", at_least=1)
    size = integer(length, "length", at_least=1)
    symmetric = flag(exchangeable, "exchangeable")
    row = _distributions(tokens)
    iid = row.map(Iid)

    def mixed(weights: list[Fraction]) -> st.SearchStrategy[Mixture]:
        parts = st.tuples(*[iid] * len(weights))
        return parts.map(lambda found: Mixture(list(zip(weights, found, strict=True))))

    def hidden(states: int) -> st.SearchStrategy[HiddenMarkov]:
        moves = st.lists(_distributions(states), min_size=states, max_size=states)
        rows = st.lists(row, min_size=states, max_size=states)
        return st.builds(HiddenMarkov, _distributions(states), moves, rows)

    found: st.SearchStrategy[Law] = iid | st.integers(1, 3).flatmap(_distributions).flatmap(mixed)
    if symmetric:
        return found
    every = list(product(range(tokens), repeat=size))
    by_word = _distributions(len(every)).map(
        lambda values: Words.of(
            dict(zip(every, values, strict=True)), length=size, vocabulary=tokens
        )
    )
    return found | st.integers(1, 2).flatmap(hidden) | by_word


def _distributions(size: int) -> st.SearchStrategy[list[Fraction]]:
    """Probabilities of a list of things, the first of them certain where that will do."""
    parts = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    raised = parts.map(lambda found: found if any(found) else [1, *found[1:]])
    return raised.map(lambda found: [Fraction(part, sum(found)) for part in found])


def kernels() -> st.SearchStrategy[Kernel]:
    """Kernels of `sb.kernels` with small exact parameters.

    >>> from hypothesis import find
    >>> find(kernels(), lambda kernel: kernel.value("AB", "AB") == 4).value("AB", "AB")
    4
    """
    number = st.fractions(0, 2, max_denominator=3)
    attention = st.builds(
        linear_attention,
        number,
        number,
        readout=st.sampled_from(["sum", "flatten", "last"]),
        layers=st.integers(1, 2),
    )
    values = st.lists(number, min_size=1, max_size=3)
    powers = values.map(lambda a: [sum(c * n**k for k, c in enumerate(a)) for n in range(_FEW)])
    return attention | powers.map(inner_product)


def targets(*, max_variables: int = 3) -> st.SearchStrategy[Target]:
    """Functions of bits to be learned: of how many are one, and polynomials in signs.

    >>> from hypothesis import find
    >>> find(targets(), lambda target: target.value((0, 1, 1)) == 1).value((0, 1, 1))
    1
    """
    most = integer(max_variables, "max_variables", at_least=1, at_most=20)
    number = st.integers(-3, 3)
    places = st.sets(st.integers(1, most), max_size=most).map(sorted).map(tuple)
    polynomials = st.dictionaries(places, number, min_size=1, max_size=4).map(BitPolynomial)
    return polynomials | st.lists(number, min_size=1, max_size=most + 1).map(WeightFunction)


def register() -> None:
    """Tell Hypothesis how to build the types of symbench: `st.from_type(Template)` works.

    Importing this module does so, and the installed package has Hypothesis do so when it is
    imported, through the entry point group ``hypothesis``; types are registered as they are loaded.

    >>> from hypothesis import find
    >>> from hypothesis import strategies as st
    >>> register()
    >>> find(st.from_type(Template), lambda t: len(t) == 2)
    Template('αα')
    """
    _hypothesis.register()


register()
