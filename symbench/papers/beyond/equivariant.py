"""Learners that see two positions apart on same/different: what they need, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.certifying import certify
from symbench.exact import QQ, Matrix, Rational
from symbench.learning.equivariant import equivariant_bound, matching_risk, memorising_bound
from symbench.learning.mlp import sign_networks
from symbench.learning.optimisers import Sgd
from symbench.learning.regression import Regression
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Q, Word, rational
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

_HALF, _QUARTER = Rational(1, 2), Rational(1, 4)
# Kernels by name, as functions of two words; the last three compare tokens of two positions.
_APART: dict[str, Callable[[Word, Word], int]] = {
    "linear": lambda x, y: _common(x, y),
    "quadratic": lambda x, y: 1 + _common(x, y) + _common(x, y) ** 2,
    "equal words": lambda x, y: int(x == y),
}
_KERNELS: dict[str, Callable[[Word, Word], int]] = {
    **_APART,
    "pattern": lambda x, y: int((x[0] == x[1]) == (y[0] == y[1])),
    "incidence": lambda x, y: 1 + _common(x, y) + 4 * int((x[0] == x[1]) == (y[0] == y[1])),
}


def _common(x: Word, y: Word) -> int:
    """The inner product of one-hot words."""
    return sum(a == b for a, b in zip(x, y, strict=True))


def _risks(
    name: str, m: int, samples: int, ridge: Fraction, chances: Sequence[Q], labels: Sequence[Q]
) -> tuple[Any, Q]:
    """The expected error of ridge regression: from the library, and over all ways to draw."""
    words, kernel = by_hand.words_over(m, 2), _KERNELS[name]
    rows = [[kernel(x, y) for y in words] for x in words]
    plain = [Rational(int(p.p), int(p.q)) for p in chances]
    values = [Rational(int(y.p), int(y.q)) for y in labels]
    found = Regression(words, rows, values, plain).errors(samples, ridge).test
    K = by_hand.gram(kernel, words)
    error = Q(0)
    for weight, _, predicted in by_hand.regressions(K, labels, chances, samples, ridge):
        error += weight * by_hand.apart(predicted, labels, chances)
    return found, error


# --- kernels --------------------------------------------------------------------------------------
# kernel, tokens, samples, ridge
Memorised = tuple[str, int, int, Fraction]


def _memorised(max_tokens: int = 3) -> Iterator[Memorised]:
    for m in range(2, max_tokens + 1):
        for name, samples in product(_APART, range(3)):
            yield name, m, samples, Rational(1, 20)
    yield "quadratic", 3, 2, Rational(1)
    yield "equal words", 4, 2, _QUARTER


def _orbit_eigenvalues(m: int) -> list[Q]:
    """The eigenvalues of the mean of gf x gf: the images of equality are all m! matchings."""
    listed = list(permutations(range(m)))
    matrix = flint.fmpq_mat(
        [[Q(sum(a == b for a, b in zip(s, t, strict=True)), m * m * len(listed)) for t in listed]
         for s in listed]
    )  # fmt: skip
    found = []
    for factor, times in matrix.charpoly().numer().factor()[1]:
        if factor.degree() > 1:
            raise AssertionError("an eigenvalue is not rational")
        found += [Q(-int(factor[0]), int(factor[1]))] * times
    return sorted(found, reverse=True)


@claim(
    "symbench.mlp-memorises",
    source="Theorem of symbench: MLP kernels (boix2024) learn same/different entry by entry",
    category="theorem",
    cases=_memorised,
    boundary=("linear", 2, 0, Rational(1, 20)),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(list(_APART)),
            st.integers(2, 3),
            st.integers(0, 2),
            st.sampled_from([Rational(1, 50), _QUARTER, Rational(2)]),
        )
    ),
    applies=record(one_of(*_APART), integer(2), integer(0), number(above=0)),
    assumes=["symbench.kernel-lower-bound"],
    proof="proofs/symbench/mlp-memorises.md",
    near_misses=[
        NearMiss("a kernel that sees which tokens are equal", ("pattern", 3, 2, Rational(1, 50))),
        NearMiss(
            "one sample fewer in the bound", ("equal words", 2, 1, Rational(1, 50)), {"fewer": 1}
        ),
    ],
)
def mlp_memorises(case: Memorised, fewer: int = 0) -> Certificate | bool | Fails:
    r"""Let $f = 1[x_1 = x_2]$ on $[m]^2$ with the uniform law, and $k$ invariant under permutations
    of the tokens at each position by itself, such as $\kappa(\langle x, y \rangle)$ on one-hot
    words. Regression from $N \ge 1$ independent samples has $$\mathbb E |\hat f - f|^2 \ge \Bigl(1
    - \frac{N - 1}{(m - 1)^2}\Bigr) \mathrm{Var} f, \qquad \mathrm{Var} f = \frac{m - 1}{m^2}.$$

    The error is found twice, over all sequences of samples and over all sets of them; the bound is
    the tail of the eigenvalues of the mean over all matchings.
    """
    name, m, samples, ridge = case
    at_most(m, 4, "tokens")
    at_most(m ** (2 * samples), 300, "sequences of samples")
    chances = [Q(1, m * m)] * (m * m)
    labels = [Q(int(a == b)) for a, b in by_hand.words_over(m, 2)]
    found, error = _risks(name, m, samples, ridge, chances, labels)
    if rational(found) != error:
        return Fails(f"the expected error is {error}, not {found}")
    bound = memorising_bound(m, samples - fewer)
    if rational(bound) != sum(_orbit_eigenvalues(m)[samples - fewer :], Q(0)):
        return Fails(f"the bound {bound} is not a sum of eigenvalues of the orbit average")
    if found < bound:
        return Fails(f"the expected error is {found}, the bound {bound}")
    average = _average(m)
    if average.rank() != (m - 1) ** 2 + 1:
        return Fails(f"the orbit of the target spans {average.rank()} dimensions")
    return certify(average, question="rank")


def _average(m: int) -> Matrix:
    """The mean of gf x gf over all matchings s: the chance that two words (a, s(a)) both fit."""
    words = by_hand.words_over(m, 2)

    def entry(x: Word, y: Word) -> Rational:
        if x == y:
            return Rational(1, m * m * m)
        apart = x[0] != y[0] and x[1] != y[1]
        return Rational(int(apart), m * (m - 1) * m * m)

    return Matrix([[entry(x, y) for y in words] for x in words], QQ)


# --- any learner ----------------------------------------------------------------------------------
# a kernel or "mlp", tokens, samples
Learned = tuple[str, int, int]


def _learned() -> Iterator[Learned]:
    for m, samples in product((2, 3), range(3)):
        for name in _APART:
            yield name, m, samples
    yield from (("mlp", 2, 0), ("mlp", 2, 2), ("mlp", 3, 1))
    yield "quadratic", 4, 1


def _sampled(m: int) -> list[tuple[Word, Q]]:
    """The words with their probabilities: equal tokens and different ones equally likely."""
    return [
        ((a, b), Q(1, 2 * m) if a == b else Q(1, 2 * m * (m - 1)))
        for a, b in by_hand.words_over(m, 2)
    ]


@lru_cache(maxsize=16)
def _bound_by_hand(m: int, samples: int) -> Q:
    """The mean of 2 P Q / (P + Q) over all sequences of samples."""
    total = Q(0)
    for drawn_words in product(_sampled(m), repeat=samples):
        weight, positive, negative = Q(1), set(), []
        for (a, b), p in drawn_words:
            weight *= p
            if a == b:
                positive.add(a)
            else:
                negative.append((a, b))
        left = set(range(m)) - positive
        told = [(a, b) for a, b in negative if a in left and b in left]
        firsts, seconds = left - {a for a, _ in told}, left - {b for _, b in told}
        p = Q(len(firsts & seconds), m)
        q = Q(sum(a != b for a in firsts for b in seconds), m * (m - 1))
        total += weight * 2 * p * q / (p + q) if p and q else 0
    return total


@lru_cache(maxsize=16)
def _bayes_by_hand(m: int, samples: int) -> Q:
    """The least risk for a random matching: all matchings, all sequences of labelled samples."""
    listed = list(permutations(range(m)))
    # How likely the data and a labelled word are together, by data.
    joint: dict[Any, dict[Any, Q]] = {}
    for s in listed:
        law = [
            ((word, s[word[0]] == word[1]), Q(1, 2 * m) if s[word[0]] == word[1]
             else Q(1, 2 * m * (m - 1)))
            for word in by_hand.words_over(m, 2)
        ]  # fmt: skip
        for data in product(law, repeat=samples):
            weight = Q(1, len(listed))
            for _, p in data:
                weight *= p
            here = joint.setdefault(tuple(sample for sample, _ in data), {})
            for sample, p in law:
                here[sample] = here.get(sample, Q(0)) + weight * p
    risk = Q(0)
    for table in joint.values():
        for word in {word for word, _ in table}:
            p, q = table.get((word, True), Q(0)), table.get((word, False), Q(0))
            risk += 4 * p * q / (p + q)
    return risk


def _mlp_risk(m: int, samples: int) -> Q:
    """The risk of networks with one unit, one step for each sample, from all signs."""
    start = sign_networks(m, 2, [1])
    tokens = start.networks[0].tokens
    law = [(tokens[a] + tokens[b], 1 if a == b else -1, p) for (a, b), p in _sampled(m)]
    risk = Q(0)
    for data in product(law, repeat=samples):
        weight = Q(1)
        for _, _, p in data:
            weight *= p
        trained = start.trained([(word, label) for word, label, _ in data], Sgd(_QUARTER))
        risk += weight * sum((p * rational(trained.error(w, y)) for w, y, p in law), Q(0))
    return risk


@claim(
    "symbench.equivariant-learner",
    source="Theorem of symbench: Theorem I.2 of boix2024 in numbers",
    category="theorem",
    cases=_learned,
    boundary=("linear", 2, 0),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(list(_APART)), st.sampled_from([2, 3]), st.integers(0, 2)
        )
    ),
    applies=record(one_of(*_APART, "mlp"), integer(2), integer(0)),
    proof="proofs/symbench/equivariant-learner.md",
    near_misses=[
        NearMiss("a learner that sees which tokens are equal", ("pattern", 4, 2)),
        NearMiss(
            "the limit of many tokens taken for a bound", ("quadratic", 2, 2), {"limit": True}
        ),
    ],
)
def equivariant_learner(case: Learned, limit: bool = False) -> bool | Fails:
    r"""Same/different with balanced labels $\pm 1$: $aa$ or $ab$, $a \ne b$, uniform on $m$ tokens.
    A learner whose law does not change when the tokens of the two positions are renamed by two
    permutations (an MLP on one-hot words, by SGD or Adam, of any width, for any time) has from $N$
    samples at least the least risk for a uniformly random matching, and that is at least
    $\mathbb E \frac{2PQ}{P + Q}$: with $R$ the tokens of no positive sample, $P$ is the part of
    the tokens that are in $R$ and in no negative sample of two tokens of $R$, and $Q$ that of the
    pairs $a \ne b$ of $R$, $a$ the first of no such sample and $b$ the second of none.

    All three are found twice or more: the bound by counting and over all sequences of samples, the
    least risk over sets and over all matchings, the risk of regression and of networks exactly.
    """
    name, m, samples = case
    at_most(m, 4, "tokens")
    at_most(m ** (2 * samples), 300, "sequences of samples")
    bound, least = equivariant_bound(m, samples), matching_risk(m, samples)
    if rational(bound) != _bound_by_hand(m, samples):
        return Fails(f"the bound is {_bound_by_hand(m, samples)}, not {bound}")
    if m < 4 and rational(least) != _bayes_by_hand(m, samples):
        return Fails(f"the least risk is {_bayes_by_hand(m, samples)}, not {least}")
    if name == "mlp":
        risk = _mlp_risk(m, samples)
    else:
        law = _sampled(m)
        labels = [Q(1 if a == b else -1) for (a, b), _ in law]
        found, risk = _risks(name, m, samples, _QUARTER, [p for _, p in law], labels)
        if rational(found) != risk:
            return Fails(f"the expected error is {risk}, not {found}")
    if limit:
        return _above_limit(rational(least), m, samples)
    if not bound <= least:
        return Fails(f"the bound {bound} is more than the least risk {least}")
    if risk < rational(least):
        return Fails(f"the risk is {risk}, less than {least}")
    return True


def _above_limit(risk: Q, m: int, samples: int) -> bool | Fails:
    """Whether the least risk is at least 2 v^2 / (1 + v), v = exp(-N / 2m), by an enclosure."""
    v = flint.arb(Q(-samples, 2 * m)).exp()
    wanted = 2 * v * v / (1 + v)
    return bool(flint.arb(risk) >= wanted) or Fails(f"the least risk is {risk}, the limit {wanted}")
