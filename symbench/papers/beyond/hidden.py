"""Lower bounds from orbits: a hidden pair of positions, and a token among many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from typing import Any

import flint

from symbench.exact import Rational
from symbench.kernels import inner_product, linear_attention
from symbench.laws import Iid
from symbench.learning.lower_bounds import lower_bound, token_bound
from symbench.learning.problem import Problem
from symbench.learning.targets import from_function
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Q, Word, fraction, rational
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

# kernel, tokens, length, samples, ridge
Asked = tuple[str, int, int, int, Fraction]
_PAGE = "proofs/symbench/hidden-pair.md"
_SMALL, _ONE = Rational(1, 100), Rational(1)
_KERNELS = ("sum", "flatten", "equal", "incidence")


def _pairs(length: int) -> Callable[[Word, Word], int]:
    """How many pairs among the first positions carry equal tokens in both words."""
    places = list(combinations(range(length), 2))
    return lambda x, y: sum(x[i] == x[j] and y[i] == y[j] for i, j in places)


def _kernel(name: str) -> Any:
    """A kernel by name; the last two are not symmetric, one in the positions, one in the tokens."""
    if name == "equal":
        return lambda x, y: int(x == y)
    if name == "first pair":
        return _pairs(2)
    if name == "first token":
        return lambda x, y: 1 if (x[0] == 0) == (y[0] == 0) else -1
    if name == "incidence":
        return inner_product(lambda n: n, incidence=True)
    return linear_attention(1, 1, readout=name)


def _value(name: str, x: Word, y: Word) -> Any:
    """The same from the definition."""
    if name in ("sum", "flatten"):
        return by_hand.linear_attention_value(x, y, 1, 1, name)
    if name == "incidence":
        size = range(len(x))
        both = sum(x[i] == x[j] and y[i] == y[j] for i in size for j in size)
        return both + sum(s == t for s, t in zip(x, y, strict=True))
    return _kernel(name)(x, y)


def _error(case: Asked, f: list[Q], chances: list[Q]) -> Fraction:
    """The expected error of regression, over all sequences of samples."""
    name, tokens, length, samples, ridge = case
    at_most(tokens, 6, "tokens")
    at_most(tokens**length, 64, "words")
    at_most(samples, 12, "samples")
    at_most(tokens ** (length * samples), 5_000, "sequences of samples")
    words = by_hand.words_over(tokens, length)
    K = by_hand.gram(lambda x, y: _value(name, x, y), words)
    error = Q(0)
    for weight, _, _, predicted in by_hand.with_noise(K, f, chances, samples, ridge, 0):
        error += weight * by_hand.apart(predicted, f, chances)
    return fraction(error)


def _drawn_case(st: Any) -> Any:
    sizes = [(2, 2, 2), (2, 3, 1), (2, 3, 2), (3, 2, 1), (3, 2, 2), (4, 2, 1), (2, 3, 0)]
    return st.tuples(
        st.sampled_from(_KERNELS),
        st.sampled_from(sizes),
        st.sampled_from([Fraction(1, 100), Fraction(1)]),
    ).map(lambda t: (t[0], *t[1], t[2]))


# --- a pair of positions --------------------------------------------------------------------------
def _hidden() -> Iterator[Asked]:
    for name in _KERNELS:
        yield name, 2, 3, 2, _SMALL
        yield name, 3, 2, 1, _ONE
        yield name, 3, 3, 1, _SMALL
    yield "incidence", 2, 4, 2, _SMALL
    yield "flatten", 2, 4, 1, _ONE
    yield "equal", 2, 2, 0, _ONE
    yield "incidence", 4, 3, 1, _SMALL


@claim(
    "symbench.hidden-pair",
    source="Theorem of symbench: same/different of boix2024 at positions that nobody tells, under "
    "the symmetry of lavie2024",
    category="theorem",
    cases=_hidden,
    boundary=("equal", 2, 2, 0, _ONE),
    strategy=drawn(_drawn_case),
    applies=record(one_of(*_KERNELS), integer(2), integer(2), integer(0), number(above=0)),
    assumes=["symbench.kernel-lower-bound"],
    proof=_PAGE,
    near_misses=[
        NearMiss("a kernel that reads the first two positions", ("first pair", 2, 4, 2, _SMALL)),
        NearMiss(
            "a token that is more likely than others",
            ("incidence", 3, 3, 1, _SMALL),
            {"first": Rational(1, 2)},
        ),
    ],
)
def hidden_pair(case: Asked, first: Fraction | None = None) -> bool | Fails:
    r"""Let $x$ be uniform on $[m]^k$, $f = 1[x_i = x_j]$ for a pair of positions, and the kernel
    invariant under all permutations of positions. Regression from $N$ samples has
    $$\mathbb{E}\,|\hat f - f|^2 \ge \Bigl(1 - \frac{N}{\binom{k}{2}}\Bigr) \mathrm{Var} f, \qquad
    \mathrm{Var} f = \frac{m - 1}{m^2}:$$
    the functions $1[x_i = x_j] - \frac1m$ of different pairs are orthogonal, and of one norm. For
    $N \ge 1$ this is the bound of all invariant kernels, exactly.
    Errors are found over all sequences of samples, and over all sets of them.
    """
    name, tokens, length, samples, ridge = case
    # The chance of the first token; the others share the rest.
    chance = Fraction(1, tokens) if first is None else first
    law = (chance, *[(1 - chance) / (tokens - 1)] * (tokens - 1))
    words, chances = by_hand.words_over(tokens, length), by_hand.independent(law, length)
    pairs = [
        [Q(int(word[i] == word[j])) for word in words] for i, j in combinations(range(length), 2)
    ]
    error = _error(case, pairs[0], chances)
    target = from_function(lambda w: w[0] == w[1], variables=2, vocabulary=tokens)
    problem = Problem(_kernel(name), target, length=length, law=Iid(*law))
    if problem.errors(samples, ridge).test != error:
        return Fails(f"the expected error is {error}")
    mean, count = sum((p * p for p in law), Fraction(0)), comb(length, 2)
    variance = mean * (1 - mean)
    for i, j in combinations_with_replacement(range(count), 2):
        terms = zip(chances, pairs[i], pairs[j], strict=True)
        product = sum((p * a * b for p, a, b in terms), Q(0)) - rational(mean**2)
        if product != (rational(variance) if i == j else 0):
            return Fails(f"the covariance of the pairs {i} and {j} is {product}")
    # The first eigenvalue has the constant functions and the sum of all pairs.
    levels = [variance / count + mean**2] + [variance / count] * (count - 1)
    tail = lower_bound(target, length=length, samples=samples, law=Iid(*law))
    if tail != sum(levels[samples:]):
        return Fails(f"the bound by symmetry is {tail}")
    bound = (1 - Fraction(samples, count)) * variance
    if tail < bound:
        return Fails(f"the bound by symmetry is {tail}, below {bound}")
    return error >= bound or Fails(f"the expected error is {float(error):.4g}, the bound {bound}")


# --- a token --------------------------------------------------------------------------------------
# The same, with the label of all other tokens and what the token adds to it.
Labelled = tuple[str, int, int, int, Fraction, tuple[Fraction, Fraction]]
_SIGNS, _INDICATOR = (Rational(-1), Rational(2)), (Rational(0), _ONE)


def _vocabularies() -> Iterator[Labelled]:
    for name in _KERNELS:
        yield name, 3, 2, 2, _SMALL, _SIGNS
        yield name, 4, 1, 3, _ONE, _INDICATOR
        yield name, 4, 2, 1, _SMALL, _SIGNS
    yield "equal", 5, 1, 3, _SMALL, (_ONE, Rational(3))
    yield "flatten", 2, 3, 2, _ONE, _SIGNS
    yield "equal", 3, 1, 0, _ONE, _INDICATOR
    yield "incidence", 3, 3, 1, _SMALL, _SIGNS


def _drawn_labels(st: Any) -> Any:
    value = st.integers(-3, 3).map(Fraction)
    return st.tuples(_drawn_case(st), st.tuples(value, value)).map(lambda t: (*t[0], t[1]))


@claim(
    "symbench.token-costs-vocabulary",
    source="Theorem of symbench: a regular token of a template of boix2024, under the symmetry of "
    "tokens",
    category="theorem",
    cases=_vocabularies,
    boundary=("equal", 3, 1, 0, _ONE, _INDICATOR),
    strategy=drawn(_drawn_labels),
    applies=record(
        one_of(*_KERNELS),
        integer(2),
        integer(1),
        integer(0),
        number(above=0),
        record(number(), number()),
    ),
    proof=_PAGE,
    near_misses=[
        NearMiss("a kernel that knows the token", ("first token", 4, 1, 1, _SMALL, _SIGNS)),
        NearMiss(
            "one sample fewer in the bound", ("equal", 4, 1, 1, _SMALL, _INDICATOR), {"fewer": 1}
        ),
        NearMiss(
            "one sample more is free, whatever the labels are",
            ("equal", 2, 1, 1, _SMALL, _SIGNS),
            {"free": 1},
        ),
    ],
)
def token_costs_vocabulary(case: Labelled, fewer: int = 0, free: int = 0) -> bool | Fails:
    r"""Let $x$ be uniform on $[m]^k$, $f = u + w\,1[x_1 = A]$ for a token $A$, and the kernel
    token-symmetric. Regression from $N$ samples has $$\mathbb{E}\,|\hat f - f|^2 \ge \Bigl(1 -
    \frac{N}{m - 1}\Bigr) \mathrm{Var} f, \qquad \mathrm{Var} f = w^2\, \frac{m - 1}{m^2}:$$ a
    regular token costs as many samples as there are tokens. The orbit average of $f$ under the
    permutations of tokens has the eigenvalues $(u + \frac wm)^2$, once, and $\frac{w^2}{m^2}$,
    $m - 1$ times; all but the $N$ largest are the bound, for $u = 0$ it is $\frac{m-N}{m^2} w^2$.

    Errors are found over all sequences of samples, and over all sets of them; the orbit is averaged
    over all permutations.
    """
    name, tokens, length, samples, ridge, (u, w) = case
    words = by_hand.words_over(tokens, length)
    f = [rational(u + w * int(word[0] == 0)) for word in words]
    error = _error(case[:5], f, [Q(1, len(words))] * len(words))
    average = flint.fmpq_mat(len(words), len(words))
    moves = list(permutations(range(tokens)))
    for move in moves:
        moved = flint.fmpq_mat([[rational(u + w * int(move[word[0]] == 0))] for word in words])
        average = average + moved * moved.transpose()
    average = average / Q(len(moves) * len(words))
    constant, other = (
        rational((u + Fraction(w) / tokens) ** 2),
        rational((Fraction(w) / tokens) ** 2),
    )
    x = flint.fmpq_poly([0, 1])
    zeros = x ** (len(words) - tokens)
    if average.charpoly() != zeros * (x - constant) * (x - other) ** (tokens - 1):
        return Fails("the orbit average has other eigenvalues")
    target = from_function(lambda v: u + w * int(v[0] == 0), variables=1, vocabulary=tokens)
    problem = Problem(_kernel(name), target, length=length)
    if problem.errors(samples, ridge).test != error:
        return Fails(f"the expected error is {error}")
    levels = sorted([constant, *[other] * (tokens - 1)], key=fraction, reverse=True)
    bound = token_bound(tokens, max(samples - fewer, 0), labels=(u, u + w))
    if bound != fraction(sum(levels[max(samples - fewer, 0) :], Q(0))):
        return Fails(f"the bound {bound} is no sum of eigenvalues")
    short = (1 - Fraction(samples - free, tokens - 1)) * fraction(other) * (tokens - 1)
    if bound < short:
        return Fails(f"the sum of the eigenvalues is {bound}, below {short}")
    return error >= bound or Fails(f"the expected error is {float(error):.4g}, the bound {bound}")
