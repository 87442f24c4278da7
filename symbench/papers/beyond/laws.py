"""Laws of words and the permutations of positions that leave them unchanged, word by word."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import Any

from symbench.errors import BadValue
from symbench.laws import HiddenMarkov, Iid, MarkovMixture, Subsets, read_law, ring_chain, segments
from symbench.learning.problem import Problem
from symbench.learning.targets import parity
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Word
from symbench.papers._cases import at_most, drawn, integer, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young.position_groups import elements

Model = tuple[Fraction, tuple[Any, Any, Any]]
_HALF, _THIRD = Fraction(1, 2), Fraction(1, 3)
_NAMES = ("subsets", "ring", "segments", "hidden", "sticky", "coins", "late", "three tokens")
_RING = ((3, 1), (1, 2))
_COIN, _BIASED = (_HALF, _HALF), (_THIRD, 1 - _THIRD)
# Start, transition, emission of hidden Markov models, with weights.
_MODELS: dict[str, tuple[Model, ...]] = {
    "hidden": (
        (_THIRD, (_COIN, (_BIASED, _COIN), (_BIASED, (Fraction(1, 4), Fraction(3, 4))))),
        (1 - _THIRD, ((1, 0), (_COIN, _BIASED), (_COIN, _COIN))),
    ),
    "sticky": ((Fraction(1), (_COIN, ((Fraction(3, 4), Fraction(1, 4)),
                                      (Fraction(1, 4), Fraction(3, 4))), ((1, 0), (0, 1)))),),
    "coins": ((_HALF, ((1,), ((1,),), (_COIN,))), (_HALF, ((1,), ((1,),), (_BIASED,)))),
    # A token of its own comes in the third place, so two places do not tell.
    "late": ((Fraction(1), ((1, 0, 0), ((0, 1, 0), (0, 0, 1), (0, 0, 1)),
                            (_COIN, _COIN, (Fraction(1), Fraction(0))))),),
    # Tokens 0 and 1 may change places, and 2 does not with them.
    "three tokens": ((Fraction(1), (_COIN, ((Fraction(3, 4), Fraction(1, 4)),
                                            (Fraction(1, 4), Fraction(3, 4))),
                                    ((_HALF, _HALF, 0), (0, 0, 1)))),),
}  # fmt: skip


def _law(name: str, length: int) -> Any:
    if name == "subsets":
        return Subsets(length, length // 2)
    if name == "ring":
        return ring_chain(_RING, length=length)
    if name == "segments":
        return segments((length - 1, Iid(*_COIN)), (1, Iid(*_BIASED)))
    return MarkovMixture([(weight, HiddenMarkov(*model)) for weight, model in _MODELS[name]])


def _chances(name: str, length: int) -> dict[Word, Fraction]:
    """The same, word by word and, for hidden states, path by path."""
    tokens = 3 if name == "three tokens" else 2
    found: dict[Word, Fraction] = {}
    for word in by_hand.words_over(tokens, length):
        p = Fraction(0)
        if name == "subsets":
            p = Fraction(int(sum(word) == length // 2))
        elif name == "ring":
            p = Fraction(1)
            for a in range(length):
                p *= _RING[word[a]][word[(a + 1) % length]]
        elif name == "segments":
            p = Fraction(1, 2 ** (length - 1)) * _BIASED[word[-1]]
        else:
            for weight, (start, steps, emits) in _MODELS[name]:
                for path in product(range(len(start)), repeat=length):
                    here = weight * start[path[0]] * emits[path[0]][word[0]]
                    for a in range(1, length):
                        here *= steps[path[a - 1]][path[a]] * emits[path[a]][word[a]]
                    p += here
        found[word] = p
    total = sum(found.values())
    return {word: p / total for word, p in found.items()}


def _unchanged(chances: dict[Word, Fraction], moves: Any) -> bool:
    return all(chances[tuple(w[a] for a in g)] == p for g in moves for w, p in chances.items())


@claim(
    "symbench.laws",
    source="symbench: what is asked of the laws that bounds and spectra are computed for",
    category="definition",
    cases=lambda max_length=4: (
        (name, length) for name in _NAMES for length in range(2, max_length + 1)
    ),
    boundary=("subsets", 1),
    strategy=drawn(lambda st: st.tuples(st.sampled_from(_NAMES), st.integers(2, 4))),
    applies=record(
        one_of(*_NAMES), integer(1), where=lambda name, length: name != "segments" or length > 1
    ),
    near_misses=[
        NearMiss("a sticky chain is exchangeable", ("sticky", 3), {"exchangeable": True}),
        NearMiss("a law on a ring is exchangeable", ("ring", 4), {"exchangeable": True}),
    ],
)
def laws(case: tuple[str, int], exchangeable: bool = False) -> bool | Fails:
    """A law gives every word its probability, for hidden states the sum over all paths. The
    permutations of positions that it is said to have leave it unchanged, and a law is taken for
    exchangeable, unchanged by rotations or by permutations within segments exactly where comparing
    all words says so.
    """
    name, length = case
    at_most(length, 4, "positions")
    law, chances = _law(name, length), _chances(name, length)
    tokens = 3 if name == "three tokens" else 2
    for word, p in chances.items():
        if law.probability(word) != p:
            return Fails(f"p{word} = {p}, not {law.probability(word)}")
    own = law.symmetry(length)
    if own is not None and not _unchanged(chances, elements(own)):
        return Fails(f"{own} is said to leave it unchanged")
    everything = _unchanged(chances, permutations(range(length)))
    if exchangeable and not everything:
        return Fails(f"{law} is not exchangeable")
    if isinstance(law, MarkovMixture) and bool(law.exchangeability(length=length)) != everything:
        return Fails(f"exchangeable at length {length}: {everything}, and it is said otherwise")
    groups: list[Any] = ["cyclic", (length,)]
    groups += [(1, length - 1), (length - 1, 1)] if length > 1 else []
    for group in groups:
        wanted = _unchanged(chances, by_hand.group_of(group, length))
        try:
            read_law(law, length, tokens, group)
            accepted = True
        except BadValue:
            accepted = False
        if accepted != wanted:
            return Fails(f"the law is unchanged by {group}: {wanted}, and it is said otherwise")
    return _symmetry_of_a_problem(law, length, tokens, everything)


def _symmetry_of_a_problem(law: Any, length: int, tokens: int, everything: bool) -> bool | Fails:
    """Whether a problem knows the symmetry of its law, and of kernels that are plain functions."""
    if tokens > 2:
        return True
    kernels = {True: lambda x, y: int(x == y), False: lambda x, y: int(x[0] == y[0])}
    for invariant, kernel in kernels.items():
        found = Problem(kernel, parity(1), length=length, law=law).symmetry
        if (found.law is not None) != everything:
            return Fails(f"the problem takes the law for {found.law}")
        if length > 1 and (found.kernel is not None) != invariant:
            return Fails(f"the problem takes the kernel for {found.kernel}")
    return True
