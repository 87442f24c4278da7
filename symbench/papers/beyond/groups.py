"""The lower bound under a smaller symmetry: stationary data on a ring, words of two segments."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

from symbench._arguments import shown
from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.kernels.positions import ring_attention
from symbench.laws import Words, ring_chain
from symbench.laws.base import Word
from symbench.learning.orbit_average import OrbitAverage, orbit_average
from symbench.learning.regression import Regression
from symbench.learning.targets import polynomial
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Q, rational
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers.lavie2024._targets import Terms, is_polynomial, positions
from symbench.registry import Fails, NearMiss, claim
from symbench.young.position_groups import contains

# kernel, length, terms of the target, law, samples, ridge
Asked = tuple[str, int, Terms, str, int, Fraction]
GroupName = str | tuple[int, ...]
# length, terms of the target, law, a group, a group inside of it
Nested = tuple[int, Terms, str, GroupName, GroupName]

_SMALL = Rational(1, 50)
# Two copies of (2, 1), of degrees 1 and 2, both of frequency 1 on a ring of three.
_TWIST: Terms = (((1,), 1), ((2,), -1), ((1, 2), -1), ((2, 3), 1))
_TARGETS: tuple[Terms, ...] = (
    (((1,), 1),),
    (((1,), 1), ((2,), -1)),
    (((1, 2), 1), ((3,), 2), ((), -1)),
    _TWIST,
)
_RINGS = ("ring", "equal", "orbit")
_LONGEST = 6


@lru_cache(maxsize=64)
def _law(name: str, length: int) -> Words:
    """'uniform', 'sticky' (a chain on the ring), or 'mixed': all words that are not constant."""
    if name == "sticky":
        return ring_chain([[3, 1], [1, 2]], length=length)
    low = int(name == "mixed")
    count = 2**length - 2 * low

    def chance(word: Word) -> Rational:
        return Rational(int(low <= sum(word) <= length - low), count)

    return Words.of(chance, length=length, vocabulary=2)


def _chances(name: str, length: int) -> list[Q]:
    """The same laws word by word: the weights around the ring, then divided by their sum."""
    weights, total = [], 0
    for word in by_hand.words_over(2, length):
        weight = int(name != "mixed" or 0 < sum(word) < length)
        if name == "sticky":
            for a in range(length):
                weight *= ((3, 1), (1, 2))[word[a]][word[(a + 1) % length]]
        weights.append(weight)
        total += weight
    return [Q(weight, total) for weight in weights]


def _fits(length: int, terms: Terms, law: str) -> bool:
    """Whether the target is one of words of this length, and the law has words."""
    return positions(terms) <= length and (law != "mixed" or length >= 2)


@lru_cache(maxsize=64)
def _problem(name: str, length: int, terms: Terms, law: str) -> Regression:
    """The tables of a regression; "first" reads the first position, and is not invariant."""
    target, chosen = polynomial(dict(terms)), _law(law, length)
    words = tuple(product(range(2), repeat=length))
    values = {word: target.value(word) for word in words}
    near = [2 if t == 0 else int(t in (1, length - 1)) for t in range(length)]
    ring = ring_attention(1, 1, positions=near)

    def kernel(x: Word, y: Word) -> Any:
        if name == "ring":
            return ring.on_tokens(x, y)
        if name == "equal":
            return int(x == y)
        if name == "first":
            return (1 - 2 * x[0]) * (1 - 2 * y[0])
        turns = range(length)
        return sum(values[x[t:] + x[:t]] * values[y[t:] + y[:t]] for t in turns)

    # All four kernels are symmetric.
    table = {(x, y): Rational(kernel(x, y)) for x in words for y in words if x <= y}
    return Regression(
        words,
        [[table[min(x, y), max(x, y)] for y in words] for x in words],
        values.values(),
        map(chosen.probability, words),
    )


@lru_cache(maxsize=64)
def _error(
    name: str, length: int, terms: Terms, law: str, samples: int, ridge: Fraction
) -> tuple[Q, Q]:
    """The expected error and the mean of f^2, from all sequences of samples."""
    f, chances = by_hand.polynomial_values(terms, length), _chances(law, length)
    near = [2 if t == 0 else int(t in (1, length - 1)) for t in range(length)]
    words = by_hand.words_over(2, length)
    value = dict(zip(words, f, strict=True))

    def kernel(x: Word, y: Word) -> Any:
        if name == "ring":
            K = [[int(s == t) + near[(a - b) % length] for b, t in enumerate(y)]
                 for a, s in enumerate(x)]  # fmt: skip
            return by_hand.read_out(by_hand.attention_layer(K), "sum")
        if name == "equal":
            return int(x == y)
        if name == "first":
            return 1 if x[0] == y[0] else -1
        return sum((value[x[t:] + x[:t]] * value[y[t:] + y[:t]] for t in range(length)), Q(0))

    K = by_hand.gram(kernel, words)
    total = Q(0)
    for weight, _, _, predicted in by_hand.with_noise(K, f, chances, samples, ridge, 0):
        total += weight * by_hand.apart(predicted, f, chances)
    return total, by_hand.square_under(f, chances)


@lru_cache(maxsize=256)
def _eigenvalues(length: int, terms: Terms, law: str, group: GroupName) -> list[Any]:
    """Those of the orbit average, from all permutations in the group."""
    return by_hand.orbit_eigenvalues(
        by_hand.polynomial_values(terms, length),
        _chances(law, length),
        by_hand.words_over(2, length),
        by_hand.group_of(group, length),
    )


@lru_cache(maxsize=64)
def _spectrum(length: int, terms: Terms, law: str, group: GroupName) -> OrbitAverage:
    target = polynomial(dict(terms))
    return orbit_average(target, group=group, length=length, law=_law(law, length))


def _regressions(max_length: int = 3, max_samples: int = 2) -> Iterator[Asked]:
    for length in range(3, max_length + 1):
        for name, terms, law in product(_RINGS, _TARGETS, ("sticky", "mixed")):
            for samples in range(1, max_samples + 1):
                yield name, length, terms, law, samples, _SMALL
    yield "ring", 4, _TARGETS[1], "sticky", 2, Rational(1)
    yield "orbit", 4, (((1,), 1), ((3,), -1)), "sticky", 2, _SMALL


def _drawn_regression(st: Any) -> Any:
    places = st.sampled_from([(), (1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3)])
    return st.tuples(
        st.sampled_from(_RINGS),
        st.just(3),
        st.dictionaries(places, st.integers(-3, 3), min_size=1, max_size=4).map(
            lambda d: tuple(d.items())
        ),
        st.sampled_from(["uniform", "sticky", "mixed"]),
        st.integers(0, 2),
        st.sampled_from([_SMALL, Rational(1)]),
    )


@claim(
    "symbench.stationary-bound",
    source="Corollary of symbench: the lower bound for stationary data instead of exchangeable",
    category="corollary",
    cases=_regressions,
    boundary=("orbit", 3, _TWIST, "mixed", 2, _SMALL),
    strategy=drawn(_drawn_regression),
    applies=record(
        one_of(*_RINGS),
        integer(1),
        is_polynomial,
        one_of("uniform", "sticky", "mixed"),
        integer(0),
        number(above=0),
        where=lambda _, length, terms, law, *__: _fits(length, terms, law),
    ),
    assumes=["symbench.kernel-lower-bound"],
    proof="proofs/symbench/smaller-group-weaker-bound.md",
    formerly=["lavie2024.stationary-bound"],
    near_misses=[
        NearMiss(
            "the bound of S_L, for a kernel that is invariant under rotations only",
            ("orbit", 3, _TWIST, "mixed", 2, _SMALL),
            {"group": (3,)},
        ),
        NearMiss(
            "a kernel that is not invariant under rotations",
            ("first", 3, (((1,), 1),), "uniform", 1, _SMALL),
            {},
        ),
    ],
)
def stationary_bound(case: Asked, group: GroupName = "cyclic") -> bool | Fails:
    r"""For a law and a kernel that do not change under rotation, kernel regression from $N$ samples
    has expected error at least $\sum_{j > N} c_j$, where $c$ has, for each of the $L$ frequencies
    $j$, the power $\frac1L \sum_t \langle f, T^t f \rangle e^{2\pi i j t/L}$ of the target, largest
    first. A target of one frequency needs at most two samples by this bound, and $L$ samples are
    enough for no bound: rotations say much less than all permutations do.
    """
    name, length, terms, law, samples, ridge = case
    at_most(length, _LONGEST, "positions")
    at_most(samples, 12, "samples")
    at_most(2 ** (length * samples), 5_000, "sequences of samples")
    rank = _spectrum(length, terms, law, "cyclic").rank
    if rank > length:
        return Fails(f"{rank} eigenvalues for {length} frequencies")
    bound = _spectrum(length, terms, law, group).tail(samples)
    if not by_hand.tail_agrees(bound, _eigenvalues(length, terms, law, group), samples):
        return Fails(f"{shown(bound)} is no sum of eigenvalues of the mean over the group")
    problem = _problem(name, length, terms, law)
    error = problem.errors(samples, ridge).test
    if (rational(error), rational(problem.norm)) != _error(
        name, length, terms, law, samples, ridge
    ):
        return Fails(f"the expected error over all sequences of samples is not {shown(error)}")
    return error >= bound or Fails(f"the expected error is {shown(error)}, below {shown(bound)}")


# --- subgroups -----------------------------------------------------------------------------------
def _at_most(small: OrbitAverage, large: OrbitAverage, samples: int, more: int) -> bool:
    """Whether one tail is at most the other; irrational ones are known from below to 2^-60."""
    first, second = small.tail(samples), large.tail(samples + more)
    slack = Fraction(0) if small.exactness == large.exactness == "exact" else Fraction(1, 2**60)
    if first + slack <= second or first == second == 0:
        return True
    if first > second + slack:
        return False
    # Both have the same sum, so tails are equal where what is left out is.
    if more == 0 and _first(small, samples) == _first(large, samples):
        return True
    raise Undecided(f"two bounds that agree to 2^-60, for {samples} samples")


def _first(found: OrbitAverage, samples: int) -> list[Any]:
    """The largest eigenvalues, as often as they come."""
    listed = (level.eigenvalue for level in found.levels for _ in range(level.multiplicity))
    return list(islice(listed, samples))


_PAIRS: tuple[tuple[int, GroupName, GroupName], ...] = (
    (3, (3,), "cyclic"),
    (3, (3,), (2, 1)),
    (3, (2, 1), (1, 1, 1)),
    (4, (4,), "cyclic"),
    (4, (4,), (2, 2)),
    (4, (3, 1), (2, 1, 1)),
)
_ALTERNATING: Terms = (((1,), 1), ((2,), -1), ((3,), 1), ((4,), -1))


def _nested(max_length: int = 4) -> Iterator[Nested]:
    for (length, large, small), terms in product(_PAIRS, _TARGETS):
        if length <= max_length:
            yield length, terms, "uniform" if length > 3 else "mixed", large, small
    if max_length >= 4:
        yield 4, _ALTERNATING, "uniform", (4,), "cyclic"


def _drawn_nested(st: Any) -> Any:
    places = st.sampled_from([(), (1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3)])
    terms = st.dictionaries(places, st.integers(-3, 3), min_size=1, max_size=4)
    return st.tuples(terms, st.sampled_from(_PAIRS), st.sampled_from(["uniform", "mixed"])).map(
        lambda t: (t[1][0], tuple(t[0].items()), t[2], *t[1][1:])
    )


def _is_group(value: Any) -> bool:
    return one_of("cyclic")(value) or many(integer(1))(value)


def _is_nested(length: int, terms: Terms, law: str, large: GroupName, small: GroupName) -> bool:
    """Whether both are groups of these positions, one inside of the other.

    Groups of more positions than are gone through are not compared.
    """
    groups = [group for group in (large, small) if not isinstance(group, str)]
    if not _fits(length, terms, law) or any(sum(group) != length for group in groups):
        return False
    return length > _LONGEST or contains(large, small, length)


@claim(
    "symbench.smaller-group-weaker-bound",
    source="Theorem of symbench: the lower bound of lavie2024's kernels, by group",
    category="theorem",
    cases=_nested,
    boundary=(3, _TWIST, "mixed", (3,), "cyclic"),
    strategy=drawn(_drawn_nested),
    proof="proofs/symbench/smaller-group-weaker-bound.md",
    applies=record(
        integer(1),
        is_polynomial,
        one_of("uniform", "mixed"),
        _is_group,
        _is_group,
        where=_is_nested,
    ),
    near_misses=[
        NearMiss(
            "two groups, none inside of the other",
            (4, _ALTERNATING, "uniform", "cyclic", (3, 1)),
            {},
        ),
        NearMiss(
            "strictly weaker: a target that all permutations fix",
            (3, (((1,), 1), ((2,), 1), ((3,), 1)), "uniform", (3,), "cyclic"),
            {"strictly": True},
        ),
        NearMiss(
            "the larger group with one sample more",
            (3, _TARGETS[0], "uniform", (3,), "cyclic"),
            {"more": 1},
        ),
    ],
)
def smaller_group(case: Nested, strictly: bool = False, more: int = 0) -> bool | Fails:
    r"""For $H \subseteq G$ and a law that is invariant under $G$, the lower bound
    $\sum_{j > N} c_j$ of $H$ is at most that of $G$, for every target and every $N$.
    $C_f^G = \mathbb{E}_g\, g C_f^H g^{-1}$, the $g$ are orthogonal, and the sum of the $N$ largest
    eigenvalues is a convex function (Ky Fan) that does not change under conjugation, so it is at
    most that of $C_f^H$; both have the trace $|f|^2$.
    """
    at_most(case[0], _LONGEST, "positions")
    large, small = (_spectrum(*case[:3], group) for group in case[3:])
    for samples in range(large.rank + small.rank + 1):
        for group, found in zip(case[3:], (large, small), strict=True):
            if not by_hand.tail_agrees(
                found.tail(samples), _eigenvalues(*case[:3], group), samples
            ):
                return Fails(f"{shown(found.tail(samples))} is not the bound of {group}")
        if not _at_most(small, large, samples, more):
            return Fails(
                f"with {samples} samples {shown(small.tail(samples))} for {case[4]}, more than "
                f"{shown(large.tail(samples + more))} for {case[3]}"
            )
    if strictly and all(large.tail(n) <= small.tail(n) for n in range(large.rank)):
        return Fails("the two bounds are equal for every number of samples")
    return True
