"""How many samples invariant kernel regression needs, and what learned features save."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import ceil, comb, prod
from typing import Any

from symbench._arguments import shown
from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import linear_attention
from symbench.laws import Iid, Mixture
from symbench.learning.lower_bounds import lower_bound, samples_needed, threshold_table
from symbench.learning.orbit_average import levels_by_words, orbit_average
from symbench.learning.problem import Problem
from symbench.learning.targets import (
    BitPolynomial,
    Target,
    WeightFunction,
    WordFunction,
    conjunction,
    from_function,
    majority,
    parity,
    polynomial,
)
from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Q, Word, rational
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers.lavie2024._targets import (
    Terms,
    is_polynomial,
    is_two_rows,
    positions,
    two_rows,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.young import Action, Partition, YoungSubgroup, block_form

# kernel, length, terms of the target, probability of a one, samples, ridge
Regression = tuple[str, int, Terms, Fraction, int, Fraction]

_PAGE = "proofs/symbench/kernel-lower-bound.md"
_HALF, _THIRD = Rational(1, 2), Rational(1, 3)
_DIFFERENCE: Terms = (((1,), 1), ((2,), -1))
_INVARIANT = ("sum", "flatten", "equal")
_LONGEST = 6


def _kernel(name: str) -> Any:
    """A kernel by name; "first" reads the first position only, and is not invariant."""
    if name == "equal":
        return lambda x, y: int(x == y)
    if name == "first":
        return lambda x, y: (1 - 2 * x[0]) * (1 - 2 * y[0])
    return linear_attention(1, 1, readout=name)


def _value(name: str, x: Word, y: Word) -> Any:
    if name in ("sum", "flatten"):
        return by_hand.linear_attention_value(x, y, 1, 1, name)
    return _kernel(name)(x, y)


# --- the bound ------------------------------------------------------------------------------------
_TARGETS: tuple[Terms, ...] = (
    (((1,), 1),),
    _DIFFERENCE,
    (((1, 2), 1),),
    (((1, 2), 1), ((1,), 2), ((), -1)),
)


def _regressions(max_length: int = 3, max_samples: int = 2) -> Iterator[Regression]:
    for length in range(2, max_length + 1):
        for name, terms, p in product(_INVARIANT, _TARGETS, (_HALF, _THIRD)):
            for samples in range(max_samples + 1):
                yield name, length, terms, p, samples, Rational(1, 20) if samples < 2 else _HALF
    yield "flatten", 4, _DIFFERENCE, _HALF, 2, Rational(1, 20)
    yield "sum", 4, _TARGETS[3], _THIRD, 2, Rational(1)


def _drawn_regression(st: Any) -> Any:
    terms = st.dictionaries(
        st.sampled_from([(), (1,), (2,), (1, 2)]), st.integers(-3, 3), min_size=1, max_size=3
    )
    return st.tuples(
        st.sampled_from(_INVARIANT),
        st.integers(2, 3),
        terms.map(lambda d: tuple(d.items())),
        st.sampled_from([_HALF, _THIRD, Rational(1, 5)]),
        st.integers(0, 2),
        st.sampled_from([Rational(1, 50), Rational(1)]),
    )


@lru_cache(maxsize=64)
def _tails(length: int, terms: Terms, p: Fraction) -> list[Any]:
    """The eigenvalues of the orbit average of a polynomial, from all permutations."""
    words = by_hand.words_over(2, length)
    f, chances = by_hand.polynomial_values(terms, length), by_hand.independent((1 - p, p), length)
    return by_hand.orbit_eigenvalues(f, chances, words, by_hand.group_of((length,), length))


@claim(
    "symbench.kernel-lower-bound",
    source="Theorem of symbench: what replaces N ~ sigma^2 / lambda of lavie2024 at every N",
    category="theorem",
    cases=_regressions,
    boundary=("equal", 2, _DIFFERENCE, _HALF, 0, Rational(1)),
    strategy=drawn(_drawn_regression),
    applies=record(
        one_of(*_INVARIANT),
        integer(1),
        is_polynomial,
        number(above=0, below=1),
        integer(0),
        number(above=0),
        where=lambda _, length, terms, *__: positions(terms) <= length,
    ),
    proof=_PAGE,
    formerly=["lavie2024.lower-bound"],
    near_misses=[
        NearMiss(
            "a kernel that reads the first position only",
            ("first", 3, (((1,), 1),), _HALF, 1, Rational(1, 20)),
        ),
        NearMiss(
            "one sample fewer in the bound",
            ("equal", 2, (((), 1),), _HALF, 1, Rational(1, 20)),
            {"fewer": 1},
        ),
    ],
)
def kernel_lower_bound(case: Regression, fewer: int = 0) -> bool | Fails:
    r"""Let $p$ be exchangeable, $k(gx, gy) = k(x, y)$, $x_1, \dots, x_N$ iid from $p$, and
    $\hat f$ in the span of $k(\cdot, x_i)$ with coefficients that do not change when all $x_i$ are
    permuted alike (ridge regression, any ridge, any label noise). With $c_1 \ge c_2 \ge \dots$
    the eigenvalues of $\mathbb{E}_g\, gf \otimes gf$,
    $$\mathbb{E} |\hat f - f|^2 \ge \sum_{j > N} c_j.$$
    Both sides are found twice: the error over all sequences of samples and over all sets of them,
    the eigenvalues from all permutations of the target and from its blocks.
    """
    name, length, terms, p, samples, ridge = case
    at_most(length, _LONGEST, "positions")
    at_most(samples, 12, "samples")
    at_most(2 ** (length * samples), 5_000, "sequences of samples")
    words = by_hand.words_over(2, length)
    f, chances = by_hand.polynomial_values(terms, length), by_hand.independent((1 - p, p), length)
    K = by_hand.gram(lambda x, y: _value(name, x, y), words)
    error = Q(0)
    for weight, _, _, predicted in by_hand.with_noise(K, f, chances, samples, ridge, 0):
        error += weight * by_hand.apart(predicted, f, chances)
    target, law = polynomial(dict(terms)), Iid(1 - p, p)
    problem = Problem(_kernel(name), target, length=length, law=law)
    found = problem.errors(samples, ridge).test
    if rational(found) != error:
        return Fails(f"the expected error is {error}, not {found}")
    bound = lower_bound(target, length=length, samples=samples - fewer, law=law)
    if not by_hand.tail_agrees(bound, _tails(length, terms, p), samples - fewer):
        return Fails(f"the bound {bound} is not a sum of eigenvalues of the orbit average")
    if not fewer and problem.bound(samples) not in (None, bound):
        return Fails(f"the problem has the bound {problem.bound(samples)}, not {bound}")
    return found >= bound or Fails(f"the expected error is {shown(found)}, the bound {bound}")


# --- the orbit average ----------------------------------------------------------------------------
# kind of target, its data, length, probabilities of the tokens or a mixture of two such
Averaged = tuple[str, Any, int, Any]
_COIN, _DICE = (Rational(2, 3), _THIRD), (_HALF, _THIRD, Rational(1, 6))
_FAIR = (_HALF, _HALF)


def _target(kind: str, data: Any) -> Target:
    if kind == "weight":
        return WeightFunction(data)
    return polynomial(dict(data)) if kind == "polynomial" else WordFunction(data, vocabulary=3)


def _values(kind: str, data: Any, length: int) -> list[Q]:
    """The target at all words: a function of the ones among the first bits, or of the tokens."""
    if kind == "polynomial":
        return by_hand.polynomial_values(data, length)
    read = len(data) - 1 if kind == "weight" else {3: 1, 9: 2, 27: 3}[len(data)]
    found = []
    for word in by_hand.words_over(2 if kind == "weight" else 3, length):
        if kind == "weight":
            place = sum(word[:read])
        else:
            place = sum(token * 3 ** (read - 1 - a) for a, token in enumerate(word[:read]))
        found.append(rational(data[place]))
    return found


def _law(tokens: Any) -> Any:
    if isinstance(tokens[0], tuple):
        return Mixture([(_THIRD, Iid(*tokens[0])), (1 - _THIRD, Iid(*tokens[1]))])
    return Iid(*tokens)


def _chances(tokens: Any, length: int) -> list[Q]:
    if not isinstance(tokens[0], tuple):
        return by_hand.independent(tokens, length)
    first, second = (by_hand.independent(coin, length) for coin in tokens)
    return [p / 3 + q * Q(2, 3) for p, q in zip(first, second, strict=True)]


_SAME = tuple(int(u == v) for u, v in product(range(3), repeat=2))
_RISING = tuple(u + 2 * v * v for u, v in product(range(3), repeat=2))
_CHECKED: tuple[tuple[str, Any], ...] = (
    ("weight", (1, -1, 1, -1)),
    ("weight", (0, 0, 1)),
    ("weight", (-1, -1, 1, 1)),
    ("weight", (0, 1, 0, 0, 2)),
    ("polynomial", (((1, 2), 1), ((3,), 2), ((), -1))),
    ("polynomial", (((1, 2, 3), 1), ((1,), -2), ((4,), 1))),
)


def _averages(max_length: int = 5) -> Iterator[Averaged]:
    mixed = (_COIN, _FAIR)
    for (kind, data), tokens in product(_CHECKED, (_FAIR, _COIN, mixed)):
        yield kind, data, 4, tokens
    for length in range(5, max_length + 1):
        for kind, data in _CHECKED[:4]:
            yield kind, data, length, _COIN
    for data, tokens in product((_SAME, _RISING), (_DICE, (_THIRD,) * 3)):
        yield "tokens", data, 3, tokens
    yield "tokens", _SAME, 4, _DICE
    yield "tokens", tuple(u + 3 * v * w for u, v, w in product(range(3), repeat=3)), 4, _DICE
    yield "tokens", _RISING, 3, (_DICE, (_THIRD,) * 3)


def _drawn_average(st: Any) -> Any:
    small = st.integers(-3, 3)
    weights = st.tuples(st.just("weight"), st.lists(small, min_size=2, max_size=5).map(tuple))
    tables = st.tuples(st.just("tokens"), st.lists(small, min_size=9, max_size=9).map(tuple))
    return st.one_of(
        st.tuples(weights, st.integers(4, 5), st.sampled_from([_FAIR, _COIN, (_COIN, _FAIR)])),
        st.tuples(tables, st.integers(2, 4), st.sampled_from([_DICE, (_DICE, (_THIRD,) * 3)])),
    ).map(lambda t: (*t[0], *t[1:]))


_is_distribution = many(number(0), 2)


def _is_averaged(value: Any) -> bool:
    """Whether kind, data, length and law fit: the target reads no more than there is."""
    if not record(one_of("weight", "polynomial", "tokens"), lambda _: True, integer(1),
                  lambda _: True)(value):  # fmt: skip
        return False
    kind, data, length, tokens = value
    listed = tokens if many(_is_distribution)(tokens) else (tokens,)
    letters = 3 if kind == "tokens" else 2
    if not all(_is_distribution(one) and sum(one) == 1 and len(one) == letters for one in listed):
        return False
    if tokens is listed and len(listed) != 2:
        return False
    if kind == "polynomial":
        return is_polynomial(data) and positions(data) <= length
    if not many(number())(data):
        return False
    read = len(data) - 1 if kind == "weight" else {3: 1, 9: 2, 27: 3}.get(len(data), length + 1)
    return bool(read <= length)


@claim(
    "symbench.orbit-average",
    source="Lemma of symbench: the eigenvalues that the lower bound adds up",
    category="lemma",
    cases=_averages,
    boundary=("weight", (0, 1), 1, _FAIR),
    strategy=drawn(_drawn_average),
    applies=_is_averaged,
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "words shorter by one",
            ("weight", (0, 0, 1), 5, _COIN),
            {"shorter": 1},
        ),
        NearMiss(
            "the mean over rotations alone",
            ("polynomial", (((1, 2), 1),), 4, _FAIR),
            {"group": "cyclic"},
        ),
        NearMiss(
            "the law without its bias",
            ("tokens", _RISING, 3, _DICE),
            {"law": (_THIRD, _THIRD, _THIRD)},
        ),
    ],
)
def orbit_averages(
    case: Averaged, shorter: int = 0, group: str | None = None, law: Any = None
) -> bool | Fails:
    r"""The operator $C_f = \mathbb{E}_g\, gf \otimes gf$ on $L^2(p)$ has on the irreducible
    $\lambda$ the eigenvalues of a small block, each $\dim \lambda$ times. For a function of the
    weight of $s$ of $L$ independent bits there is one for each $(L-m, m)$, in closed form; for
    polynomials in few signs and functions of few tokens the blocks have a few rows at every $L$.
    Checked, with multiplicities, against the inner products of all $gf$.
    """
    kind, data, length, tokens = case
    letters = 3 if kind == "tokens" else 2
    at_most(length, 6, "positions")
    at_most(letters**length, 100, "words")
    words = by_hand.words_over(letters, length)
    moves = by_hand.group_of((length,) if group is None else group, length)
    wanted = by_hand.orbit_eigenvalues(
        _values(kind, data, length), _chances(tokens, length), words, moves
    )
    target, chosen = _target(kind, data), _law(tokens if law is None else law)
    found = orbit_average(target, length=length - shorter, law=chosen)
    nonzero = sum(not (isinstance(v, Q) and v == 0) for v in wanted)
    if found.rank != nonzero:
        return Fails(f"there are {nonzero} eigenvalues other than 0, not {found.rank}")
    for n in range(nonzero + 1):
        if not by_hand.tail_agrees(found.tail(n), wanted, n):
            return Fails(f"after {n} eigenvalues {shown(found.tail(n))} are not left")
    if rational(found.norm) != by_hand.square_under(
        _values(kind, data, length), _chances(tokens, length)
    ):
        return Fails(f"|f|^2 is not {found.norm}")
    dims = {Partition(length - m, m): by_hand.two_row_dimension(length, m)
            for m in range(length // 2 + 1)}  # fmt: skip
    for level in found.levels:
        if level.irrep in dims and level.multiplicity % dims[level.partition]:
            return Fails(f"{level.multiplicity} is no multiple of the dimension of {level.irrep}")
    if kind == "weight":
        read = len(data) - 1
        written = from_function(lambda word: data[sum(word)], variables=read)
        if [rational(written.value(word)) for word in words] != _values(kind, data, length):
            return Fails(f"as a polynomial the target is {written}")
    by_words = levels_by_words(target, YoungSubgroup(length), chosen)
    same = {x for x in by_words if x.eigenvalue != 0} == set(found.levels)
    return same or Fails("going through all words gives other levels")


# --- one copy of (L-m, m) -------------------------------------------------------------------------
def _alternating(m: int) -> BitPolynomial:
    """The product of chi_1 - chi_2, chi_3 - chi_4, ...: m differences, in (L-m, m)."""
    return polynomial(dict(_alternating_terms(m)))


def _alternating_terms(m: int) -> Terms:
    pairs = [((2 * j + 1, 1), (2 * j + 2, -1)) for j in range(m)]
    return tuple((tuple(a for a, _ in term), prod(s for _, s in term)) for term in product(*pairs))


_ERRORS = (Rational(0), Rational(1, 10), Rational(1, 2))


@claim(
    "symbench.two-row-samples",
    source="Corollary of symbench: lavie2024's N = Omega(L^m), for every L and m",
    category="corollary",
    cases=lambda max_length=12: (*two_rows(max_length, 4), (10**6, 3)),
    boundary=(2, 1),
    strategy=drawn(
        lambda st: st.integers(0, 3).flatmap(
            lambda m: st.tuples(st.integers(max(1, 2 * m), 10**4), st.just(m))
        )
    ),
    applies=is_two_rows,
    assumes=["symbench.kernel-lower-bound", "lavie2024.dimension"],
    proof=_PAGE,
    formerly=["lavie2024.omega-l-m-repaired"],
    near_misses=[
        NearMiss("C(L, m) samples", (4, 2), {"size": comb(4, 2)}),
        NearMiss(
            "a monomial, in several irreps: the dimension of one",
            (4, 1),
            {"target": lambda m: parity(m)},
        ),
    ],
)
def two_row_samples(
    case: tuple[int, int],
    size: int | None = None,
    target: Callable[[int], BitPolynomial | WeightFunction] = _alternating,
) -> Certificate | bool | Fails:
    r"""For $f$ in one copy of $(L-m, m)$ invariant kernel regression with expected error at most
    $\epsilon |f|^2$ has $N \ge (1 - \epsilon) [\binom{L}{m} - \binom{L}{m-1}]$ samples: the orbit
    average of $f$ has this number of equal eigenvalues. For every $L$ and $m$, with no constant; it
    is $\Omega(L^m)$ for fixed $m$ only.
    """
    length, m = case
    at_most(length, 10**7, "positions")
    at_most(m, 7, "positions in a term")
    dim = comb(length, m) - (comb(length, m - 1) if m else 0)
    if length <= 40 and dim != by_hand.two_row_dimension(length, m):
        return Fails(f"there are not {dim} standard tableaux")
    wanted = dim if size is None else size
    spectrum = orbit_average(target(m), length=length)
    for error in _ERRORS:
        found, least = spectrum.samples(error * spectrum.norm), ceil((1 - error) * wanted)
        if found != least:
            return Fails(f"an error of {error} |f|^2 needs {found} samples, not {least}")
        if found != samples_needed(target(m), length=length, error=error, relative=True):
            return Fails(f"relative to |f|^2 an error of {error} does not need {found} samples")
    if [level.partition for level in spectrum.levels] != [Partition(length - m, m)]:
        return Fails(f"the target is in {[str(x.partition) for x in spectrum.levels]}")
    row = threshold_table([length], [m], error=_HALF).rows[0]
    if (row.dimension, row.samples) != (dim, -(-dim // 2)):
        return Fails(f"the table has {row} for half of |f|^2")
    if length <= 5:
        words = by_hand.words_over(2, length)
        f = by_hand.polynomial_values(_alternating_terms(m), length)
        moves = by_hand.group_of((length,), length)
        values = by_hand.orbit_eigenvalues(f, by_hand.independent(_FAIR, length), words, moves)
        if [v for v in values if v != 0] != [Q(2**m, dim)] * dim:
            return Fails(f"the mean over all permutations has {values}, not {dim} equal ones")
    return _orbit_matrix(length, m, dim) if m and comb(length, m) <= 15 else True


def _orbit_matrix(length: int, m: int, size: int) -> Certificate | Fails:
    """The orbit average of f as a matrix over the monomials, block diagonal: one eigenvalue.

    Two monomials have the mean of the products of the coefficients of f, over all pairs with as
    many variables in common.
    """
    action = Action.subsets(length, m)
    totals = [Fraction(0)] * (m + 1)
    for (first, x), (second, y) in product(_alternating_terms(m), repeat=2):
        totals[len({*first} & {*second})] += x * y
    pairs = [comb(length, m) * comb(m, k) * comb(length - m, m - k) for k in range(m + 1)]

    def mean(first: tuple[int, ...], second: tuple[int, ...]) -> Fraction:
        common = len({*first} & {*second})
        return totals[common] / pairs[common]

    average = Matrix([[mean(x, y) for y in action.points] for x in action.points], QQ)
    form = block_form(action, average)
    for block in form.blocks:
        wanted = Fraction(2**m, size) if block.partition == Partition(length - m, m) else 0
        if block.matrix != Matrix([[wanted]], QQ):
            return Fails(f"on ({block.partition}) the orbit average is {block.matrix.rows}")
    return block_certificate(form, average)


# --- kernels against features ---------------------------------------------------------------------
def searched(variables: int, bits: int) -> int:
    """The least m for which (C(T, s) - 1) 2^-m is at most 1/5."""
    wrong, m = comb(variables, bits) - 1, 0
    while 5 * wrong > 2**m:
        m += 1
    return m


@lru_cache(maxsize=32)
def seen_spaces(variables: int, samples: int) -> dict[frozenset[int], int]:
    """The spans in F_2^T of all sequences of so many samples, and how many have each.

    A span is the set of its vectors, numbers with T bits.
    """
    spaces = {frozenset([0]): 1}
    for _ in range(samples):
        grown: dict[frozenset[int], int] = {}
        for space, times in spaces.items():
            inside = len(space)  # so many samples change nothing
            grown[space] = grown.get(space, 0) + times * inside
            for v in range(2**variables):
                if v not in space:
                    new = space | {v ^ w for w in space}
                    grown[new] = grown.get(new, 0) + times
        spaces = grown
    return spaces


def _agree(space: frozenset[int], first: int, second: int) -> bool:
    """Whether two parities, as sets of bits, have equal labels on all samples of a span."""
    return all((v & (first ^ second)).bit_count() % 2 == 0 for v in space)


def parities(variables: int, bits: int) -> list[int]:
    """The parities of some of the bits, as sets of bits."""
    return [sum(1 << a for a in chosen) for chosen in combinations(range(variables), bits)]


def _told_apart(variables: int, bits: int, samples: int) -> bool:
    """Whether the labels of some samples differ for all parities."""
    sets = parities(variables, bits)
    return any(
        not any(_agree(space, s, t) for s, t in combinations(sets, 2))
        for space in seen_spaces(variables, samples)
    )


def _survival(variables: int, bits: int, samples: int) -> Fraction:
    """The probability that a wrong parity agrees with the first one on all samples."""
    right, *wrong = parities(variables, bits)
    bad = sum(
        times
        for space, times in seen_spaces(variables, samples).items()
        if any(_agree(space, right, s) for s in wrong)
    )
    return Fraction(bad, 2 ** (variables * samples))


@claim(
    "symbench.kernel-versus-features",
    source="Theorem of symbench: lavie2024's kernels beside edelman2022's sparse functions",
    category="theorem",
    cases=lambda max_bits=3: (
        (variables, bits, error)
        for variables in (3, 4, 5, 10, 100, 300, 1100)
        for bits in range(1, min(max_bits, variables) + 1)
        for error in _ERRORS
    ),
    boundary=(3, 1, Rational(1, 2)),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(3, 5), st.integers(1, 3), st.fractions(0, _HALF, max_denominator=20)
        )
    ),
    applies=record(
        integer(1),
        integer(1),
        number(0, most=Fraction(1, 2)),
        where=lambda variables, bits, _: bits <= variables,
    ),
    assumes=["symbench.kernel-lower-bound"],
    proof=_PAGE,
    near_misses=[
        NearMiss("AND in place of parity", (100, 3, Rational(1, 2)), {"target": conjunction}),
        NearMiss("majority in place of parity", (100, 3, Rational(1, 2)), {"target": majority}),
        NearMiss("a search with two samples fewer", (4, 2, Rational(1, 2)), {"fewer": 2}),
    ],
)
def kernel_versus_features(
    case: tuple[int, int, Fraction],
    target: Callable[[int], WeightFunction] = parity,
    fewer: int = 0,
) -> bool | Fails:
    r"""Uniform bits, parity of $s$ of $T$: invariant kernel regression with expected error at most
    $\epsilon$, $\epsilon \le \frac12$, has $N \ge (1 - \epsilon) \binom{T}{s}$ samples. Labels of
    $m < \log_2 \binom{T}{s}$ samples cannot tell all $s$-parities apart, and with
    $(\binom{T}{s} - 1) 2^{-m} \le \frac15$ a search through them is right with probability at least
    $\frac45$. (About samples, not about the cost of the search.) For $T \le 5$ both are counted
    over all sequences of samples, by their spans.
    """
    variables, bits, error = case
    at_most(variables, 100_000, "variables")
    at_most(bits, 100, "bits of the parity")
    for name, made, wanted in (
        ("parity", parity, lambda ones: (-1) ** ones),
        ("AND", conjunction, lambda ones: int(ones == bits)),
        ("majority", majority, lambda ones: 1 if ones > bits - ones else -1),
    ):
        if name != "majority" or bits % 2:
            values = [made(bits).value((1,) * n + (0,) * (bits - n)) for n in range(bits + 1)]
            if values != [wanted(n) for n in range(bits + 1)]:
                return Fails(f"the {name} of {bits} bits has the values {values}")
    count = comb(variables, bits)
    found = samples_needed(target(bits), length=variables, error=error, relative=True)
    least = ceil((1 - error) * count)
    if found < least or (target is parity and found != least):
        return Fails(f"the bound asks for {found} samples, not {least}")
    m = searched(variables, bits) - fewer
    if variables <= 5:
        told = next(n for n in range(variables + 1) if _told_apart(variables, bits, n))
        if 2**told < count:
            return Fails(f"{told} labels tell {count} parities apart")
        survival = _survival(variables, bits, m)
        if survival > Fraction(1, 5):
            return Fails(f"after {m} samples a wrong parity is left with probability {survival}")
        # Each wrong parity by itself agrees on m samples with probability 2^-m.
        if survival > Fraction(count - 1, 2**m):
            return Fails(f"after {m} samples more than {count - 1} / 2^{m} are left")
        f = _values("weight", tuple((-1) ** w for w in range(bits + 1)), variables)
        words, moves = by_hand.words_over(2, variables), by_hand.group_of((variables,), variables)
        found_by_hand = by_hand.orbit_eigenvalues(
            f, by_hand.independent(_FAIR, variables), words, moves
        )
        if [v for v in found_by_hand if v != 0] != [Q(1, count)] * count:
            return Fails(f"the orbit average of a parity has {found_by_hand}")
    return count < 64 or found > m or Fails(f"{found} samples are no more than {m}")
