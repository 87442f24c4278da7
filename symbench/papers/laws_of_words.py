"""Laws of words (`laws.*`): their probabilities and symmetries, against their definitions.

The other road writes the law down word by word: products for independent tokens, sums over all
paths of hidden states, all permutations of a group of positions one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise, permutations, product
from math import prod
from typing import Any

from symbench.errors import BadValue
from symbench.exact import Rational
from symbench.laws import (
    Counts,
    HiddenMarkov,
    Iid,
    MarkovMixture,
    Mixture,
    Words,
    ring_chain,
    segments,
)
from symbench.laws.base import (
    Law,
    asymmetry,
    compositions,
    count_tokens,
    number_of_words,
    read_law,
    word_table,
)
from symbench.laws.counts import Subsets
from symbench.papers._cases import at_most, drawn, integer, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young import CyclicGroup, YoungSubgroup

Word = tuple[int, ...]
Row = tuple[Fraction, ...]
# A law as plain data: its kind, and what the kind needs.
Plain = tuple[Any, ...]
_KINDS = ("iid", "mixture", "subsets", "counts", "words", "ring", "segments", "chain", "chains")
_MOST_WORDS, _WRITTEN = 1_000, 10_000
_HALF, _THIRD, _QUARTER = Rational(1, 2), Rational(1, 3), Rational(1, 4)


# --- laws, written down ---------------------------------------------------------------------------
def _made(law: Plain, length: int) -> Any:
    """The law of the library."""
    kind, *rest = law
    if kind == "iid":
        return Iid(*rest[0])
    if kind == "mixture":
        return Mixture([(weight, Iid(*row)) for weight, row in rest[0]])
    if kind == "subsets":
        return Subsets(length, rest[0])
    if kind == "counts":
        return Counts(rest[0])
    if kind == "words":
        return Words(length, rest[0], rest[1])
    if kind == "ring":
        return ring_chain(rest[0], length=length)
    if kind == "segments":
        return segments(*((n, _made(part, n)) for n, part in rest[0]))
    if kind == "chain":
        return HiddenMarkov(*rest)
    return MarkovMixture([(weight, HiddenMarkov(*chain)) for weight, *chain in rest[0]])


def _letters(law: Plain) -> int:
    kind, *rest = law
    if kind in ("iid", "ring"):
        return len(rest[0])
    if kind == "mixture":
        return len(rest[0][0][1])
    if kind == "counts":
        return len(rest[0][0][0])
    if kind == "segments":
        return _letters(rest[0][0][1])
    if kind == "chain":
        return len(rest[2][0])
    if kind == "chains":
        return len(rest[0][0][3][0])
    return 2 if kind == "subsets" else int(rest[0])


def _all_words(length: int, letters: int) -> Iterator[Word]:
    return product(range(letters), repeat=length)


def _count(word: Word, letters: int) -> Word:
    return tuple(sum(t == u for t in word) for u in range(letters))


def _path_sums(length: int, start: Row, transition: Any, emission: Any) -> dict[Word, Fraction]:
    """For each word the sum over all paths of hidden states: emit, then move."""
    states = range(len(start))
    reached: dict[Word, list[Fraction]] = {(): [Fraction(p) for p in start]}
    for _ in range(length):
        grown = {}
        for word, here in reached.items():
            for token in range(len(emission[0])):
                emitted = [here[i] * emission[i][token] for i in states]
                grown[*word, token] = [
                    sum((emitted[i] * transition[i][j] for i in states if emitted[i]), Fraction(0))
                    for j in states
                ]
        reached = grown
    return {word: sum(here, Fraction(0)) for word, here in reached.items()}


def _defined(
    law: Plain, length: int, *, closed: bool = True, one_by_one: bool = False
) -> dict[Word, Fraction]:
    """The probability of each word, from the definition of the law.

    A ring that is not closed is cut open; a mixture drawn one by one draws its component anew for
    every token.
    """
    kind, *rest = law
    words = list(_all_words(length, _letters(law)))
    if kind == "iid":
        return {w: prod((rest[0][t] for t in w), start=Fraction(1)) for w in words}
    if kind == "mixture" and one_by_one:
        rows = rest[0]
        means = [sum(weight * row[t] for weight, row in rows) for t in range(len(rows[0][1]))]
        return {w: prod((means[t] for t in w), start=Fraction(1)) for w in words}
    if kind == "mixture":
        return {
            w: sum(
                (c * prod((row[t] for t in w), start=Fraction(1)) for c, row in rest[0]),
                Fraction(0),
            )
            for w in words
        }
    if kind == "subsets":
        chosen = [w for w in words if sum(w) == rest[0]]
        return {w: Fraction(int(sum(w) == rest[0]), len(chosen)) for w in words}
    if kind == "counts":
        known = dict(rest[0])
        return {w: Fraction(known[_count(w, _letters(law))]) for w in words}
    if kind == "words":
        return {w: Fraction(dict(rest[1]).get(w, 0)) for w in words}
    if kind == "ring":
        steps = {
            w: [*pairwise(w), (w[-1], w[0])][: length if closed else length - 1] for w in words
        }
        weights = {
            w: prod((rest[0][a][b] for a, b in pairs), start=Fraction(1))
            for w, pairs in steps.items()
        }
        return {w: weight / sum(weights.values()) for w, weight in weights.items()}
    if kind == "segments":
        ends = [*accumulate(n for n, _ in rest[0])]
        parts = [_defined(part, n) for n, part in rest[0]]
        cut = list(zip([0, *ends], ends, parts, strict=False))
        return {w: prod((table[w[a:b]] for a, b, table in cut), start=Fraction(1)) for w in words}
    chains = [(Rational(1), *rest)] if kind == "chain" else rest[0]
    tables = [(weight, _path_sums(length, *chain)) for weight, *chain in chains]
    return {w: sum((weight * table[w] for weight, table in tables), Fraction(0)) for w in words}


_UNEQUAL = (Rational(1, 6), _THIRD, _HALF)
_TWO = ((_THIRD, (_QUARTER, Rational(3, 4))), (Rational(2, 3), (_THIRD, Rational(2, 3))))
_THREE = ((_QUARTER, _UNEQUAL), (Rational(3, 4), (_HALF, _QUARTER, _QUARTER)))
_URN = tuple(
    ((n, 3 - n), p) for n, p in enumerate((_QUARTER, _THIRD / 6, _THIRD / 6, Rational(5, 12)))
)
_BALLS = tuple(((a, b, 3 - a - b), Rational(1 + a, 54)) for a in range(4) for b in range(4 - a))
_MOVES = ((_HALF, _HALF), (_QUARTER, Rational(3, 4)))
_SHOWS = ((_THIRD, Rational(2, 3)), (Rational(3, 4), _QUARTER))
_SHOWS_THREE = ((_HALF, _QUARTER, _QUARTER), (_THIRD, _THIRD, _THIRD))
# Three fair tokens, and from then on always the first: no exchange of the first three shows it.
_DELAYED = (
    (1, 0, 0, 0),
    ((0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 1)),
    ((_HALF, _HALF), (_HALF, _HALF), (_HALF, _HALF), (1, 0)),
)
_ONE_STATE = ((1,), ((1,),))
_LAWS: tuple[Plain, ...] = (
    ("iid", (_HALF, _HALF)),
    ("iid", _UNEQUAL),
    ("mixture", _TWO),
    ("mixture", _THREE),
    ("subsets", 2),
    ("ring", _MOVES),
    ("ring", ((1, 2, 3), (1, 1, 1), (5, 1, 2))),
    ("chain", (_THIRD, Rational(2, 3)), _MOVES, _SHOWS),
    ("chain", (_HALF, _HALF), _MOVES, _SHOWS_THREE),
    ("chain", *_DELAYED),
    (
        "chains",
        ((_QUARTER, (1, 0), _MOVES, _SHOWS), (Rational(3, 4), (_HALF, _HALF), _MOVES, _MOVES)),
    ),
    ("chains", tuple((c, *_ONE_STATE, (row,)) for c, row in _THREE)),
)


def _cases(max_length: int = 4) -> Iterator[tuple[Plain, int]]:
    yield ("counts", _URN), 3
    yield ("counts", _BALLS), 3
    yield ("segments", ((2, ("iid", _UNEQUAL)), (1, ("iid", (_THIRD, _THIRD, _THIRD))))), 3
    yield ("segments", ((2, ("mixture", _TWO)), (2, ("iid", (_QUARTER, Rational(3, 4)))))), 4
    yield ("words", 2, (((0, 0, 1), _HALF), ((0, 1, 0), _THIRD), ((1, 1, 1), Rational(1, 6)))), 3
    for law in _LAWS:
        for length in range(2, max_length + 1):
            if _letters(law) ** length <= 81:
                yield law, length


def _rows(st: Any, size: int, total: int = 12) -> Any:
    """Probabilities with a denominator."""
    cuts = st.lists(st.integers(0, total), min_size=size - 1, max_size=size - 1).map(sorted)
    return cuts.map(lambda c: tuple(Rational(b - a, total) for a, b in pairwise([0, *c, total])))


def _drawn_laws(st: Any) -> Any:
    def of(letters: int) -> Any:
        row = _rows(st, letters)
        pair = _rows(st, 2)
        chain = st.tuples(pair, st.tuples(pair, pair), st.tuples(row, row))
        two = st.tuples(pair, row, row).map(lambda c: tuple(zip(c[0], c[1:], strict=True)))
        return st.one_of(
            row.map(lambda r: ("iid", r)),
            two.map(lambda rows: ("mixture", rows)),
            chain.map(lambda c: ("chain", *c)),
            st.tuples(pair, chain, chain).map(
                lambda c: ("chains", tuple((w, *x) for w, x in zip(c[0], c[1:], strict=True)))
            ),
        )

    return st.tuples(st.integers(2, 3).flatmap(of), st.integers(1, 4))


def _is_law(value: Any) -> bool:
    """Whether this is a law of words of this length, in plain data."""
    if not record(_named, integer(1))(value):
        return False
    law, length = value
    try:
        if _letters(law) ** min(length, 20) > _WRITTEN:  # too many words to be written down here
            length = 1
        table = _defined(law, length).values()
        return sum(table) == 1 and min(table) >= 0
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def _named(value: Any) -> bool:
    return type(value) is tuple and bool(value) and one_of(*_KINDS)(value[0])


# --- probabilities --------------------------------------------------------------------------------
@claim(
    "laws.probability",
    source="The definitions of the laws: independent tokens, mixtures, urns, rings, hidden chains",
    category="definition",
    cases=_cases,
    boundary=(("iid", (Rational(1),)), 1),
    strategy=drawn(_drawn_laws),
    applies=_is_law,
    near_misses=[
        NearMiss("a ring that is cut open", (("ring", _MOVES), 3), {"closed": False}),
        NearMiss(
            "a mixture whose component is drawn for every token",
            (("mixture", _TWO), 3),
            {"one_by_one": True},
        ),
    ],
)
def probability(case: tuple[Plain, int], **variant: bool) -> bool | Fails:
    r"""The probability of a word is $\prod_a p(x_a)$ for independent tokens, the weighted sum of
    these for a mixture, $1/\binom{L}{d}$ for a subset, a product of steps around a ring divided by
    the sum of all, the product of its segments' probabilities, and $\sum_h s(h_1) \prod_a e(x_a
    \mid h_a)\, t(h_{a+1} \mid h_a)$ over all paths of hidden states. An exchangeable law gives it
    from the counts of the tokens alone, and $L! / \prod_u n_u!$ words have the counts $n$.
    """
    law, length = case
    letters = _letters(law)
    at_most(letters**length, _MOST_WORDS, "words")
    made, wanted = _made(law, length), _defined(law, length, **variant)
    found = word_table(made, length)
    for word, p in wanted.items():
        if found[word] != p or made.probability(word) != p:
            return Fails(f"p{word} = {found[word]}, not {p}")
    by_counts = getattr(made, "of_counts", None)
    listed: dict[Word, list[Word]] = {}
    for word in wanted:
        listed.setdefault(_count(word, letters), []).append(word)
    if sorted(listed) != sorted(compositions(length, letters)):
        return Fails(f"these are not all counts of {length} tokens")
    for counts, words in listed.items():
        if number_of_words(counts) != len(words) or count_tokens(words[0], letters) != counts:
            return Fails(f"{len(words)} words have the counts {counts}")
        if by_counts is not None and any(by_counts(counts) != wanted[word] for word in words):
            return Fails(f"a word with the counts {counts} has p = {by_counts(counts)}")
    return True


# --- symmetries -----------------------------------------------------------------------------------
@lru_cache(maxsize=64)
def _group(parts: tuple[int, ...]) -> tuple[Word, ...]:
    """All permutations of positions inside of segments."""
    if not parts:
        return ((),)
    *rest, last = parts
    start = sum(rest)
    here = [tuple(start + a for a in move) for move in permutations(range(last))]
    return tuple((*one, *two) for one in _group(tuple(rest)) for two in here)


def _rotations(length: int) -> tuple[Word, ...]:
    return tuple(tuple((a + t) % length for a in range(length)) for t in range(length))


def _moves(group: YoungSubgroup | CyclicGroup) -> tuple[Word, ...]:
    return _rotations(group.degree) if isinstance(group, CyclicGroup) else _group(group.parts)


def _invariant(table: dict[Word, Fraction], moves: tuple[Word, ...]) -> bool:
    return all(table[w] == table[tuple(w[a] for a in move)] for w in table for move in moves)


def _accepted(law: Law, length: int, letters: int, group: Any) -> bool:
    """Whether the library takes the law for one with this symmetry."""
    try:
        read_law(law, length, letters, group)
    except BadValue:
        return False
    return True


def _uniform(*words: Word) -> Plain:
    return "words", 1 + max(map(max, words)), tuple((w, Rational(1, len(words))) for w in words)


def _symmetry_cases() -> Iterator[tuple[Plain, int]]:
    for law in _LAWS:
        yield law, 3 if _letters(law) == 3 else 4
    yield _uniform((0, 0, 1), (0, 1, 0), (1, 0, 0)), 3
    yield _uniform((0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 1)), 4  # rotations
    yield _uniform((0, 1, 2), (1, 0, 2)), 3  # the first two
    yield _uniform((0, 1, 2), (0, 2, 1)), 3  # the last two
    yield _uniform((0, 1, 0, 1), (1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 1, 0)), 4  # two pairs
    yield _uniform((0, 1, 0, 0), (1, 0, 0, 0)), 4  # segments of 2, 1 and 1
    yield _uniform((0, 1, 2)), 3
    parts = (1, ("iid", (_HALF, _HALF))), (1, ("iid", (_THIRD, Rational(2, 3))))
    yield ("segments", (*parts, (2, ("iid", (_QUARTER, Rational(3, 4)))))), 4


@claim(
    "laws.symmetry",
    source="A law is invariant under permutations of positions",
    category="definition",
    cases=_symmetry_cases,
    boundary=(("iid", (Rational(1),)), 1),
    strategy=drawn(_drawn_laws),
    applies=_is_law,
    near_misses=[
        NearMiss(
            "one exchange stands for all", (_uniform((0, 1, 2), (0, 2, 1)), 3), {"generators": 1}
        ),
        NearMiss(
            "stationary is exchangeable",
            (_uniform((0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 1)), 4),
            {"rotations": True},
        ),
    ],
)
def symmetry(
    case: tuple[Plain, int], generators: int | None = None, rotations: bool = False
) -> bool | Fails:
    """A law has a symmetry if no permutation of it changes the probability of a word: all of them
    for an exchangeable law, those inside of segments, or the rotations of a ring. A law says of
    itself which neighbours may be exchanged, and one that has not the symmetry asked for is refused
    with two words that show it.
    """
    law, length = case
    letters = _letters(law)
    at_most(letters**length, 300, "words")
    at_most(length, 5, "positions")
    made, table = _made(law, length), _defined(law, length)
    exact = {word: Rational(p) for word, p in table.items()}
    groups: list[Any] = [YoungSubgroup(length), CyclicGroup(length)]
    groups += [YoungSubgroup(a, length - a) for a in range(1, length)]
    groups += [YoungSubgroup(*[1] * length)]
    for group in groups:
        moves = _rotations(length) if rotations else _moves(group)
        holds = _invariant(table, moves if generators is None else moves[: generators + 1])
        pair = asymmetry(exact, group)
        if (pair is None) != holds:
            return Fails(f"{group!r}: {'invariant' if holds else 'not invariant'}, found {pair}")
        if pair is not None and (table[pair[0]] == table[pair[1]]):
            return Fails(f"{group!r}: {pair} have one probability")
        if _accepted(made, length, letters, group) != holds:
            return Fails(f"{group!r} is {'refused' if holds else 'accepted'}")
    return _own_symmetry(made, table, length)


def _own_symmetry(made: Any, table: dict[Word, Fraction], length: int) -> bool | Fails:
    """What a law says of itself: the neighbours that may be exchanged, or rotations."""
    known = made.symmetry(length)
    if isinstance(known, CyclicGroup):
        right = _invariant(table, _rotations(length))
        return right or Fails("it is not invariant under rotations")
    parts = [1]
    for a in range(length - 1):
        swap = (*range(a), a + 1, a, *range(a + 2, length))
        if _invariant(table, (swap,)):
            parts[-1] += 1
        else:
            parts.append(1)
    if known is None or known.parts != tuple(parts):
        return Fails(f"it says {known!r}: the segments are {tuple(parts)}")
    return True


# --- chains ---------------------------------------------------------------------------------------
def _longest(law: Plain) -> int:
    """Words of twice as many letters as there are states show whether a chain is exchangeable."""
    kind, *rest = law
    return 2 * (len(rest[0]) if kind == "chain" else sum(len(chain[1]) for chain in rest[0]))


_CHAINS = tuple(law for law in _LAWS if law[0] in ("chain", "chains"))
_COINS = ((_HALF, _HALF), (_HALF, _HALF))
# The second and the third token change places, the first never does.
_LATE = ("chain", (1, 0), ((0, 1), (1, 0)), ((_HALF, _QUARTER, _QUARTER), (_HALF, _HALF, 0)))
_SAME = ("chain", (_THIRD, Rational(2, 3)), _MOVES, _COINS)


def _is_chain(value: Any) -> bool:
    return _is_law(value) and one_of("chain", "chains")(value[0][0])


@claim(
    "laws.chains",
    source="When a hidden Markov chain is exchangeable, at one length and at all",
    category="theorem",
    cases=[(law, 3) for law in (*_CHAINS, _LATE, _SAME)],
    boundary=(("chain", (1,), ((1,),), ((1,),)), 1),
    strategy=drawn(lambda st: _drawn_laws(st).filter(lambda c: c[0][0] in ("chain", "chains"))),
    applies=_is_chain,
    near_misses=[
        NearMiss("words of three letters stand for all", (("chain", *_DELAYED), 3), {"longest": 3}),
        NearMiss("it shows at once, or never", (_SAME, 2), {"wanted": False}),
    ],
)
def chains(
    case: tuple[Plain, int], longest: int | None = None, wanted: bool | None = None
) -> bool | Fails:
    """A hidden Markov chain, or a mixture of some, is exchangeable at a length if no permutation of
    a word of this length changes its probability, and at all lengths if it is for words of at most
    twice as many letters as it has states. Otherwise two words that differ by an exchange of
    neighbours show it.
    """
    law, length = case
    letters = _letters(law)
    top = _longest(law) if longest is None else longest
    at_most(letters ** max(top, length), 7_000, "words")
    made = _made(law, length)
    seen = [_by_counts(_defined(law, n), letters) for n in range(1, top + 1)]
    for n, holds in ((length, seen[length - 1] if length <= top else None), (None, all(seen))):
        holds = holds if wanted is None else wanted
        found = made.exchangeability(length=n)
        if holds is not None and bool(found) != holds:
            return Fails(f"at length {n} it is {'' if holds else 'not '}exchangeable")
        if not found:
            first, second = found.words
            table = _defined(law, len(first))
            differ = [a for a, (t, u) in enumerate(zip(first, second, strict=True)) if t != u]
            swapped = len(differ) == 2 and differ[1] - differ[0] == 1
            if not swapped or sorted(first) != sorted(second) or table[first] == table[second]:
                return Fails(f"{found.words} show nothing")
            if found.probabilities != (table[first], table[second]):
                return Fails(f"{found.words} do not have the probabilities {found.probabilities}")
    return True


def _by_counts(table: dict[Word, Fraction], letters: int) -> bool:
    known: dict[Word, Fraction] = {}
    return all(known.setdefault(_count(word, letters), p) == p for word, p in table.items())
