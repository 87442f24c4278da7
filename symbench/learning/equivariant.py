"""What a learner that cannot compare two positions needs on same/different: as many samples as m.

An MLP on one-hot words does not know that a coordinate of the first position and one of the second
belong to the same token: renaming the tokens of the two positions by different permutations changes
nothing for it. To such a learner "are the two tokens equal" is no easier than "is the second the
partner of the first" for a random matching of the tokens, which it has to learn pair by pair.

>>> [str(memorising_bound(4, n)) for n in (1, 5, 10)]
['3/16', '5/48', '0']
>>> [round(float(equivariant_bound(10, n)), 4) for n in (0, 5, 10, 20)]
[1.0, 0.4306, 0.2255, 0.0798]
>>> equivariant_bound(2, 1), matching_risk(2, 1)
(0, 0)
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb, exp, factorial

import flint

from symbench._arguments import integer, shown
from symbench.errors import BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import rational

# More are not gone through: it would take longer than about ten seconds.
_SAMPLES, _TOKENS = 24, 40
# Sets of samples, times matchings, that are gone through; about ten seconds.
_SETS = 3_000_000

State = tuple[int, int, int]


def memorising_bound(vocabulary: int, samples: int) -> Rational:
    """A lower bound on the error of a kernel that sees two positions apart, on 1[x_1 = x_2].

    Words of two tokens, uniform and independent; the kernel is invariant under permutations of the
    tokens at each position by itself (inner products of one-hot words: those of MLPs). By the orbit
    average of the target the expected squared error is at least (1 - (N - 1)/(m - 1)^2) Var f for
    N >= 1 samples, and the whole norm 1/m without any: the table of m^2 values is learned entry by
    entry, symbench.mlp-memorises.

    >>> memorising_bound(3, 0), memorising_bound(3, 2), memorising_bound(3, 5)
    (1/3, 1/6, 0)
    """
    m = integer(vocabulary, "the vocabulary", at_least=1)
    n = integer(samples, "samples", at_least=0)
    if n == 0:
        return Rational(1, m)
    left = max((m - 1) ** 2 - (n - 1), 0)
    return Rational(left, (m - 1) * m * m) if left else Rational(0)


def equivariant_bound(vocabulary: int, samples: int) -> Rational:
    """A lower bound on the risk of every learner that sees two positions apart, same/different.

    Labels are 1 for aa, a uniform, and -1 for ab, a != b uniform, with probability 1/2 each; the
    risk is the expected squared error at another such word, over N independent samples. Let R be
    the tokens of no positive sample. The bound is the mean of 2 P Q / (P + Q): P is the part of the
    tokens that are in R and in no negative sample of two tokens of R, Q the part of the ordered
    pairs a != b of R such that a is the first of no such sample and b the second of none. It holds
    for MLPs of any width trained by SGD or Adam for any time, symbench.equivariant-learner.

    >>> equivariant_bound(3, 1), equivariant_bound(3, 2)
    (19/45, 109/540)
    >>> equivariant_bound(1, 1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the vocabulary is 1: give an integer of at least 2
    """
    m = integer(vocabulary, "the vocabulary", at_least=2)
    n = integer(samples, "samples", at_least=0)
    if n > _SAMPLES or m > _TOKENS:
        raise TooLarge(
            f"{n} samples of {m} tokens: ask for at most {_SAMPLES} samples and {_TOKENS} tokens, "
            "or for `equivariant_limit`"
        )
    left = [[flint.fmpq(0)] * (n + 1) for _ in range(m + 1)]  # by |R| and how many samples in R
    for j, states in enumerate(_covers(n)):
        for state, ways in states.items():
            for r in range(sum(state), m + 1):
                left[r][j] += ways * _choices(r, state) * _uncertain(m, r, state)
    pairs, total = m * (m - 1), flint.fmpq(0)
    for positive in range(n + 1):
        negative = n - positive
        for r, ways in _missed(m, positive).items():
            inner = sum(
                (comb(negative, j) * (pairs - r * (r - 1)) ** (negative - j) * left[r][j]
                 for j in range(negative + 1)), flint.fmpq(0)
            )  # fmt: skip
            total += inner * comb(n, positive) * ways / (m**positive * pairs**negative)
    return rational(total / 2**n)


def _uncertain(m: int, r: int, state: State) -> flint.fmpq:
    """2 P Q / (P + Q) where the samples in R saw tokens at first, at second, at both positions."""
    first, second, both = state
    neither = r - first - second - both
    apart = (r - first - both) * (r - second - both) - neither
    if not neither or not apart:
        return flint.fmpq(0)
    p, q = flint.fmpq(neither, m), flint.fmpq(apart, m * (m - 1))
    return 2 * p * q / (p + q)


def _choices(r: int, state: State) -> int:
    """How many ways there are to choose the tokens of each kind."""
    first, second, both = state
    return comb(r, first) * comb(r - first, second) * comb(r - first - second, both)


def _missed(m: int, draws: int) -> dict[int, int]:
    """How many tokens were not drawn: the number of sequences of draws."""
    ways = {m: 1}
    for _ in range(draws):
        new: dict[int, int] = {}
        for r, count in ways.items():
            new[r] = new.get(r, 0) + count * (m - r)
            if r:
                new[r - 1] = new.get(r - 1, 0) + count * r
        ways = {r: count for r, count in new.items() if count}
    return ways


def _covers(steps: int) -> list[dict[State, int]]:
    """Sequences of ordered pairs of different tokens, by how many tokens are where, for j pairs.

    The number for a state (first only, second only, both) is for given tokens of each kind. The
    last pair (x, y) leaves x at the first position, y at the second: before, x was there or not.
    """
    found: list[dict[State, int]] = [{(0, 0, 0): 1}]
    for j in range(1, steps + 1):
        before, now = found[-1], dict[State, int]()
        for state in product(range(j + 1), range(j + 1), range(j + 1)):
            if sum(state) < 2 or state[0] + state[2] > j or state[1] + state[2] > j:
                continue
            counts = (0, *state)
            total = 0
            for x, y in ((1, 2), (1, 3), (3, 2), (3, 3)):
                places = counts[x] * (counts[y] - (x == y))
                if places > 0:
                    for was_x in (x, x & 2):
                        for was_y in (y, y & 1):
                            old = list(counts)
                            for kind, was in ((x, was_x), (y, was_y)):
                                old[kind] -= 1
                                old[was] += 1
                            total += places * before.get((old[1], old[2], old[3]), 0)
            if total:
                now[state] = total
        found.append(now)
    return found


def equivariant_limit(load: float) -> float:
    """The limit of `equivariant_bound` with N = load m as m grows: a limit, no bound at small m.

    With v = exp(-load/2) a token is in no positive sample with probability v, and then in no
    negative sample of such tokens with probability exp(-load v): so it is
    2 v^2 exp(-load v) / (1 + v). An error of eps takes N of about m ln(2/eps) samples.

    >>> round(equivariant_limit(1.0), 4), round(float(equivariant_bound(10, 10)), 4)
    (0.2497, 0.2255)
    >>> equivariant_limit("1")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the load is '1': give a number of at least 0
    """
    if isinstance(load, bool) or not isinstance(load, (int, float, Fraction)):
        raise BadType(f"the load is {shown(load)}: give a number of at least 0")
    if not load >= 0:
        raise BadValue(f"the load is {shown(load)}: give a number of at least 0")
    v = exp(-float(load) / 2)
    return 2 * v * v * exp(-float(load) * v) / (1 + v)


def matching_risk(vocabulary: int, samples: int) -> Rational:
    """The least risk of any learner for a matching of the tokens that is drawn at random.

    The positive words are (a, s(a)), s a uniform permutation, otherwise as in `equivariant_bound`;
    every set of samples and every matching that fits them is gone through. A learner that sees the
    positions apart has one and the same risk for all matchings, so at least this much for equality.

    >>> matching_risk(3, 1), matching_risk(3, 2)
    (29/45, 377/1080)
    >>> matching_risk(10, 3)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: 3 samples of 10 tokens: ask for at most 2 samples of 4 tokens or so
    """
    m = integer(vocabulary, "the vocabulary", at_least=2)
    n = integer(samples, "samples", at_least=0)
    if m > 8 or n > 30 or min(m ** (2 * n), 2 ** (m * m)) * factorial(m) > _SETS:
        raise TooLarge(f"{n} samples of {m} tokens: ask for at most 2 samples of 4 tokens or so")
    words = list(product(range(m), range(m)))
    # By symmetry the samples are drawn as if the matching were a = b.
    weight = {(a, b): m - 1 if a == b else 1 for a, b in words}
    whole = 2 * m * (m - 1)
    sets: dict[frozenset[tuple[int, int]], int] = {frozenset(): 1}
    for _ in range(n):
        new: dict[frozenset[tuple[int, int]], int] = {}
        for known, ways in sets.items():
            for word in words:
                grown = known | {word}
                new[grown] = new.get(grown, 0) + ways * weight[word]
        sets = new
    risk, matchings = Fraction(0), list(permutations(range(m)))
    for known, ways in sets.items():
        fitting = [s for s in matchings if all((s[a] == b) == (a == b) for a, b in known)]
        for a, b in words:
            q = Rational(sum(s[a] == b for s in fitting), len(fitting))
            same, different = q / (2 * m), (1 - q) / (2 * m * (m - 1))
            if same and different:
                risk += ways * 4 * same * different / (same + different)
    return Rational(risk / whole**n)
