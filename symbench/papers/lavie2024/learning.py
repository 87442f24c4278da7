"""How many samples a function needs: the printed estimates, and the bound that replaces them.

Also kernels against learned features: parity of a few bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, factorial, prod
from typing import Any

from symbench._arguments import shown
from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import linear_attention
from symbench.laws import Iid
from symbench.learning.lower_bounds import lower_bound, samples_needed
from symbench.learning.orbit_average import orbit_average
from symbench.learning.problem import Problem
from symbench.learning.targets import (
    BitPolynomial,
    WeightFunction,
    conjunction,
    majority,
    parity,
    polynomial,
)
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.papers.lavie2024._targets import (
    Terms,
    is_polynomial,
    is_two_rows,
    is_two_rows_bound,
    positions,
    two_rows,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.young import Action, Partition, block_form

# kernel, length, terms of the target, probability of a one, samples, ridge
Regression = tuple[str, int, Terms, Fraction, int, Fraction]

_PAGE = "proofs/lavie2024/lower-bound.md"
_HALF = Rational(1, 2)
_DIFFERENCE: Terms = (((1,), 1), ((2,), -1))
_INVARIANT = ("sum", "flatten", "equal")


def _kernel(name: str) -> Any:
    """A kernel by name; "first" reads the first position only, and is not invariant."""
    if name == "equal":
        return lambda x, y: int(x == y)
    if name == "first":
        return lambda x, y: (1 - 2 * x[0]) * (1 - 2 * y[0])
    return linear_attention(1, 1, readout=name)


_is_regression = record(
    one_of(*_INVARIANT),
    integer(1),
    is_polynomial,
    number(above=0, below=1),
    integer(0),
    number(above=0),
    where=lambda _, length, terms, *__: positions(terms) <= length,
)
_LONGEST = 6


def _can_be_gone_through(case: Regression) -> None:
    _, length, _, _, samples, _ = case
    at_most(length, _LONGEST, "positions")
    at_most(comb(2**length + samples - 1, samples), 200_000, "training sets")


def _problem(case: Regression) -> Problem:
    name, length, terms, p, _, _ = case
    target = polynomial(dict(terms))
    return Problem(_kernel(name), target, length=length, law=Iid(1 - p, p))


# --- N ~ sigma^2 / lambda -------------------------------------------------------------------------
def _eigenvalue(problem: Problem) -> Rational | None:
    """The eigenvalue of a target other than 0, if it is an eigenfunction of the kernel operator."""
    f, law = problem.values, problem.chances
    image = [sum(map(prod, zip(row, law, f, strict=True))) for row in problem.matrix.rows]
    ratio = Rational(next(a / b for a, b in zip(image, f, strict=True) if b))
    return ratio if image == [ratio * b for b in f] else None


def _enough_as_printed(case: Any) -> bool:
    """A target in an eigenspace, and N >= sigma^2 / lambda.

    Eigenspaces on longer words than are gone through are not computed.
    """
    if not _is_regression(case) or not any(coefficient for _, coefficient in case[2]):
        return False
    if case[1] > _LONGEST:
        return True
    value = _eigenvalue(_problem(case))
    return value is not None and value > 0 and case[4] * value >= case[5]


@claim(
    "lavie2024.sample-complexity",
    source="Poster: N* ~ sigma^2 / lambda, from the equivalent kernel",
    category="claim",
    cases=[
        (name, length, _DIFFERENCE, _HALF, samples, ridge)
        for name, length, samples in (("flatten", 3, 1), ("flatten", 4, 2), ("sum", 4, 2))
        for ridge in (Rational(1, 20), Rational(1))
    ],
    boundary=("flatten", 4, _DIFFERENCE, _HALF, 1, Rational(14)),
    applies=_enough_as_printed,
    expected="fails",
    repaired_by="lavie2024.lower-bound",
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "a thousand times as many samples as printed",
            ("flatten", 4, _DIFFERENCE, _HALF, 2, Rational(28, 1000)),
            {},
        ),
        NearMiss(
            "half of |f|^2 instead of a quarter",
            ("flatten", 4, _DIFFERENCE, _HALF, 1, Rational(14)),
            {"part": Fraction(1, 2)},
        ),
    ],
)
def sample_complexity(case: Regression, part: Fraction = Fraction(1, 4)) -> bool | Fails:
    r"""A target in the eigenspace of $\lambda$ is learned from $N \ge \sigma^2/\lambda$ samples:
    the equivalent kernel $\lambda/(\lambda + \sigma^2/N)$ leaves at most $\frac14 |f|^2$. Refuted
    by the exact error over all training sets for $f = \chi_1 - \chi_2$ and the kernel of linear
    attention: with $\sigma \to 0$ the formula promises everything from one sample.
    """
    _can_be_gone_through(case)
    problem = _problem(case)
    error = problem.errors(case[4], case[5]).test
    return error <= part * problem.norm or Fails(
        f"the expected error is {float(error / problem.norm):.3f} |f|^2: {shown(error)}"
    )


# --- the lower bound ------------------------------------------------------------------------------
_TARGETS: tuple[Terms, ...] = (
    (((1,), 1),),
    _DIFFERENCE,
    (((1, 2), 1),),
    (((1, 2), 1), ((1,), 2), ((), -1)),
)


def _regressions(max_length: int = 3, max_samples: int = 2) -> Iterator[Regression]:
    for length in range(2, max_length + 1):
        for name, terms, p in product(_INVARIANT, _TARGETS, (_HALF, Rational(1, 3))):
            for samples, ridge in product(range(max_samples + 1), (Rational(1, 20), Rational(1))):
                yield name, length, terms, p, samples, ridge
    yield "flatten", 4, _DIFFERENCE, _HALF, 2, Rational(1, 20)


def _drawn_regression(st: Any) -> Any:
    terms = st.dictionaries(
        st.sampled_from([(), (1,), (2,), (1, 2)]), st.integers(-3, 3), min_size=1, max_size=3
    )
    return st.tuples(
        st.sampled_from(_INVARIANT),
        st.integers(2, 3),
        terms.map(lambda d: tuple(d.items())),
        st.sampled_from([_HALF, Rational(1, 3), Rational(1, 5)]),
        st.integers(0, 2),
        st.sampled_from([Rational(1, 50), Rational(1)]),
    )


def _above(case: Regression, counted: int) -> bool | Fails:
    _, length, terms, p, samples, ridge = case
    error = _problem(case).errors(samples, ridge).test
    target, law = polynomial(dict(terms)), Iid(1 - p, p)
    bound = lower_bound(target, length=length, samples=counted, law=law)
    return error >= bound or Fails(f"the expected error is {shown(error)}, the bound {bound}")


@claim(
    "lavie2024.lower-bound",
    source="What replaces N ~ sigma^2 / lambda: a bound for every invariant kernel",
    category="theorem",
    cases=_regressions,
    boundary=("equal", 2, _DIFFERENCE, _HALF, 0, Rational(1)),
    strategy=drawn(_drawn_regression),
    applies=_is_regression,
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "a kernel that reads the first position only",
            ("first", 3, (((1,), 1),), _HALF, 1, Rational(1, 20)),
        ),
        NearMiss(
            "one sample fewer in the bound",
            ("equal", 2, (((), 1),), _HALF, 1, Rational(1, 20)),
            lambda case: _above(case, case[4] - 1),
        ),
    ],
)
def kernel_lower_bound(case: Regression) -> bool | Fails:
    r"""Let $p$ be exchangeable, $k(gx, gy) = k(x, y)$, $x_1, \dots, x_N$ iid from $p$, and
    $\hat f$ in the span of $k(\cdot, x_i)$ with coefficients that do not change when all $x_i$ are
    permuted alike (ridge regression, any ridge, any label noise). With $c_1 \ge c_2 \ge \dots$
    the eigenvalues of $\mathbb{E}_g\, gf \otimes gf$,
    $$\mathbb{E} |\hat f - f|^2 \ge \sum_{j > N} c_j.$$
    Checked against the exact mean error over all training sets.
    """
    _can_be_gone_through(case)
    return _above(case, case[4])


# --- N = Omega(L^m) -------------------------------------------------------------------------------
def _not_seen(length: int) -> Fraction:
    """A number above (1 - 2^-L)^(2^L), by L squarings that are rounded up."""
    part, unit = 1 - Fraction(1, 2**length), 2 ** (length + 64)
    for _ in range(length):
        part = Fraction(ceil(part * part * unit), unit)
    return part


def _needs(length: int, least: Fraction) -> bool | Fails:
    """Whether 2^L samples are not fewer than the least number for an error of |f|^2 / 2.

    With the kernel 1[x = y] and ridge r a word that was seen is left with at most r^2 f(x)^2.
    """
    samples, ridge = 2**length, Fraction(1, 100)
    if samples >= least:
        return True
    if _not_seen(length) + ridge**2 > Fraction(1, 2):
        raise Undecided(f"{samples} samples are not seen to leave less than |f|^2 / 2")
    return Fails(f"{samples} samples leave less than |f|^2 / 2, and {least} were said to be needed")


@claim(
    "lavie2024.omega-l-m",
    source="Poster: N = Omega(L^m) for the irrep (L-m, m)",
    category="claim",
    cases=[(6, 3, 1), (8, 4, 4), (10, 5, 50), (24, 12, 10**6), (100, 50, 10**50)],
    boundary=(6, 3, 1),
    applies=is_two_rows_bound,
    expected="fails",
    repaired_by="lavie2024.omega-l-m-repaired",
    proof=_PAGE,
    near_misses=[
        NearMiss("L^m / m! instead, still uniformly in m", (40, 20, 10), {"over": factorial})
    ],
)
def omega(case: tuple[int, int, int], over: Callable[[int], int] = lambda _: 1) -> bool | Fails:
    r"""$N = \Omega(L^m)$: for some constant $C$, learning a function in $(L-m, m)$ to half of
    $|f|^2$ takes at least $L^m / C$ samples, for all $0 \le m \le L/2$. A case $(L, m, C)$ refutes
    the constant $C$: at $m = L/2$ there are only $2^L = 4^m$ words of bits, a kernel that remembers
    them is invariant, and $2^L$ samples leave less than half; $L^m = (2m)^m$ is larger.
    """
    length, m, factor = case
    at_most(length, 1_000, "positions")
    return _needs(length, Fraction(length**m, factor * over(m)))


def _alternating(m: int) -> BitPolynomial:
    """The product of chi_1 - chi_2, chi_3 - chi_4, ...: m differences, in (L-m, m)."""
    pairs = [((2 * j + 1, 1), (2 * j + 2, -1)) for j in range(m)]
    return polynomial(
        {tuple(a for a, _ in term): prod(s for _, s in term) for term in product(*pairs)}
    )


_ERRORS = (Rational(0), Rational(1, 10), Rational(1, 2))


def _least(target: BitPolynomial | WeightFunction, length: int, size: int) -> bool | Fails:
    """Whether a relative error e needs at least ceil((1 - e) size) samples, and no more."""
    spectrum = orbit_average(target, length=length)
    for error in _ERRORS:
        found, wanted = spectrum.samples(error * spectrum.norm), ceil((1 - error) * size)
        if found != wanted:
            return Fails(f"an error of {error} |f|^2 needs {found} samples, not {wanted}")
    return True


@claim(
    "lavie2024.omega-l-m-repaired",
    source="The number of samples for the irrep (L-m, m), for every L and m",
    category="corollary",
    cases=lambda max_length=12: (*two_rows(max_length, 4), (10**6, 3)),
    boundary=(2, 1),
    applies=is_two_rows,
    assumes=["lavie2024.lower-bound", "lavie2024.dimension"],
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "C(L, m) samples",
            (4, 2),
            lambda case: _least(_alternating(case[1]), case[0], comb(*case)),
        ),
        NearMiss(
            "a monomial, in several irreps: the dimension of one",
            (4, 1),
            lambda case: _least(parity(case[1]), case[0], Partition(case[0] - 1, 1).dim),
        ),
    ],
)
def omega_repaired(case: tuple[int, int]) -> Certificate | bool | Fails:
    r"""For $f$ in one copy of $(L-m, m)$ invariant kernel regression with expected error at most
    $\epsilon |f|^2$ has $N \ge (1 - \epsilon) [\binom{L}{m} - \binom{L}{m-1}]$ samples: the orbit
    average of $f$ has this number of equal eigenvalues. For every $L$ and $m$, with no constant; it
    is $\Omega(L^m)$ for fixed $m$ only.
    """
    length, m = case
    at_most(length, 10**7, "positions")
    at_most(m, 7, "positions in a term")
    spectrum = orbit_average(_alternating(m), length=length)
    if [level.partition for level in spectrum.levels] != [Partition(length - m, m)]:
        return Fails(f"the target is in {[str(x.partition) for x in spectrum.levels]}")
    size = comb(length, m) - (comb(length, m - 1) if m else 0)
    outcome = _least(_alternating(m), length, size)
    small = m > 0 and comb(length, m) <= 15
    return _orbit_average(length, m, size) if outcome and small else outcome


def _orbit_average(length: int, m: int, size: int) -> Certificate | Fails:
    """The orbit average of f as a matrix over the monomials, block diagonal: one eigenvalue.

    Two monomials have the mean of the products of the coefficients of f, over all pairs with as
    many variables in common.
    """
    action = Action.subsets(length, m)
    totals = [Fraction(0)] * (m + 1)
    for (first, x), (second, y) in product(_alternating(m).terms, repeat=2):
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
def _searched(variables: int, bits: int) -> int:
    """The least m for which a wrong parity survives m samples with probability at most 1/5."""
    return (5 * (comb(variables, bits) - 1) - 1).bit_length() if comb(variables, bits) > 1 else 0


def _survival(variables: int, bits: int, samples: int) -> Fraction:
    """The probability that another parity agrees on all samples, over all of them."""
    sets = list(combinations(range(variables), bits))
    inputs = list(product((0, 1), repeat=variables))
    rows = [tuple(sum(x[a] for a in s) % 2 for x in inputs) for s in sets]
    differ = [[p != q for p, q in zip(row, rows[0], strict=True)] for row in rows[1:]]
    bad = 0
    for chosen in product(range(len(inputs)), repeat=samples):
        bad += any(not any(row[i] for i in chosen) for row in differ)
    return Fraction(bad, len(inputs) ** samples)


@claim(
    "symbench.kernel-versus-features",
    source="Theorem of symbench: lavie2024's kernels beside edelman2022's sparse functions",
    category="theorem",
    cases=lambda max_bits=3: (
        (variables, bits, error)
        for variables in (3, 10, 100, 300, 1100)
        for bits in range(1, min(max_bits, variables) + 1)
        for error in _ERRORS
    ),
    boundary=(3, 1, Rational(1, 2)),
    applies=record(
        integer(1),
        integer(1),
        number(0, most=Fraction(1, 2)),
        where=lambda variables, bits, _: bits <= variables,
    ),
    assumes=["lavie2024.lower-bound"],
    proof=_PAGE,
    near_misses=[
        NearMiss("AND in place of parity", (100, 3, Rational(1, 2)), {"target": conjunction}),
        NearMiss("majority in place of parity", (100, 3, Rational(1, 2)), {"target": majority}),
    ],
)
def kernel_versus_features(
    case: tuple[int, int, Fraction], target: Callable[[int], WeightFunction] = parity
) -> bool | Fails:
    r"""Uniform bits, parity of $s$ of $T$: invariant kernel regression with expected error at most
    $\epsilon$, $\epsilon \le \frac12$, has $N \ge (1 - \epsilon) \binom{T}{s}$ samples. Labels of
    $m < \lceil \log_2 \binom{T}{s} \rceil$ samples cannot tell all $s$-parities apart, and with
    $(\binom{T}{s} - 1) 2^{-m} \le \frac15$ a search through them is right with probability at least
    $\frac45$. (About samples, not about the cost of the search.)
    """
    variables, bits, error = case
    at_most(variables, 100_000, "variables")
    at_most(bits, 100, "bits of the parity")
    found = samples_needed(target(bits), length=variables, error=error, relative=True)
    wanted = ceil((1 - error) * comb(variables, bits))
    if found < wanted:
        return Fails(f"the bound asks for {found} samples, not {wanted}")
    count, searched = comb(variables, bits), _searched(variables, bits)
    told = (count - 1).bit_length()
    if 2**told < count or (told and 2 ** (told - 1) >= count):
        return Fails(f"{told} labels for {count} parities")
    if 5 * (count - 1) > 2**searched or searched < told:
        return Fails(f"{searched} samples leave {count - 1} wrong parities too likely")
    small = 2 ** (variables * searched) <= 5_000
    if small and _survival(variables, bits, searched) > Fraction(1, 5):
        return Fails(f"after {searched} samples a wrong parity is left too often")
    needed = samples_needed(parity(bits), length=variables, error=error)
    return count < 64 or needed > searched or Fails(f"{needed} is no more than {searched}")
