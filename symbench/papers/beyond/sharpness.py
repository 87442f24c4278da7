"""What each hypothesis of the theorem buys: gamma = 0, beta = 0, beta = infinity, normalisation."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise, permutations, product
from math import comb, factorial, prod
from typing import Any

import flint

from symbench.certificates import Certificate, Nonsingular, TypeRank
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import HardAttention, attention
from symbench.ktau import template_matrix
from symbench.ktau.sharpness import gamma_zero_rank, lognormal_moments, moment_matrix, type_of
from symbench.papers._by_hand import fraction
from symbench.papers._cases import at_most, drawn, number, one_of, record
from symbench.papers._second_roads import first_difference, fresh, is_seen, rank
from symbench.papers._templates import (
    Templates,
    are_templates,
    before_cls,
    every,
    template_sets,
    templates,
    wildcards_only,
    with_cls,
    without_cls,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

# --- gamma = 0: types -----------------------------------------------------------------------------
Moments = dict[int, int]  # exponent of q = e^{beta^2/2} -> coefficient
_ORDER = 4  # in beta, to which all rows are compared
_ORDERS = (6, 12)  # in beta, at which full rank is looked for
_FEW = 4  # types whose rank is computed from entries


def _moments(sizes: tuple[int, ...], count: int) -> list[Moments]:
    """E[S^j], S = sum_B |B| e^{beta g_B}: one block after the other, by the binomial theorem."""
    found: list[Moments] = [{0: 1}, *[{} for _ in range(count - 1)]]
    for size in sizes:
        new: list[Moments] = [{} for _ in range(count)]
        for j in range(count):
            for a in range(j + 1):
                for e, c in found[j - a].items():
                    place = e + a * a
                    new[j][place] = new[j].get(place, 0) + comb(j, a) * size**a * c
        found = new
    return found


def _exponential(e: Fraction, order: int) -> Any:
    """q^e = e^{e b / 2} as a polynomial in b = beta^2, to an order in beta."""
    half = flint.fmpq(e.numerator, 2 * e.denominator)
    return flint.fmpq_poly([half**n / factorial(n) for n in range(order // 2 + 1)])


@lru_cache(maxsize=256)
def _inverse_total(z: Template, tokens: tuple[str, ...], order: int) -> dict[tuple[int, ...], Any]:
    """The mean over the wildcards of 1 / T, T = sum_rho d_rho tau_rho + S, by powers of tau.

    T - k is of order beta, so 1 / T is a finite sum of powers of T - k to any order in beta.
    """
    length, count = len(z), order + 1
    sizes = tuple(z.letters.count(a) for a in z.wildcards)
    means = [
        sum((_exponential(Fraction(e), order) * c for e, c in m.items()), flint.fmpq_poly([0]))
        for m in _moments(sizes, count)
    ]
    found: dict[tuple[int, ...], Any] = {}
    for m in range(count):
        for n in range(m + 1):  # (T - k)^m is the sum of C(m, n) T^n (-k)^(m - n)
            share = flint.fmpq((-1) ** m * comb(m, n) * (-length) ** (m - n), length ** (m + 1))
            for powers in product(range(n + 1), repeat=len(tokens)):
                j = n - sum(powers)
                if j < 0:
                    continue
                ways = factorial(n) // (factorial(j) * prod(map(factorial, powers)))
                ways *= prod(z.letters.count(t) ** a for t, a in zip(tokens, powers, strict=True))
                if ways:
                    part = means[j] * (share * ways)
                    found[powers] = found[powers] + part if powers in found else part
    return found


def _from_moments(z: Template, w: Template, tokens: tuple[str, ...], order: int) -> Any:
    """An entry of N at gamma = 0 as a polynomial in beta^2, from the moments alone.

    It is the sum over the tokens of the mean of d tau / T times d' tau / T', where the mean of
    tau^a is q^{a^2}.
    """
    one, two = (_inverse_total(u, tokens, order) for u in (z, w))
    total = flint.fmpq_poly([0])
    for k, token in enumerate(tokens):
        weight = z.letters.count(token) * w.letters.count(token)
        for (a, f), (b, g) in product(one.items(), two.items()) if weight else ():
            charges = [x + y + 2 * (n == k) for n, (x, y) in enumerate(zip(a, b, strict=True))]
            shift = _exponential(Fraction(sum(x * x for x in charges)), order)
            total += f * g % flint.fmpq_poly([0] * (order // 2 + 1) + [1]) * shift * weight
    return flint.fmpq_poly(total.coeffs()[: order // 2 + 1])


def _seen_by(z: Template) -> Any:
    """What is left of a template without positions: its tokens, and the sizes of its blocks."""
    letters = sorted(a if a in z.tokens else "" for a in z.letters)
    return tuple(letters), tuple(sorted(z.letters.count(a) for a in z.wildcards))


def _by_types(closed: Templates, gamma: int) -> tuple[int, Certificate | None] | Fails:
    """The number of types with a token, which is the rank, and a certificate of that."""
    kernel = attention(gamma=gamma, order=_ORDER)
    rows = template_matrix(closed, kernel, cls=False).matrix.rows
    first: dict[Any, int] = {}
    for n, z in enumerate(closed):
        if not z.tokens and any(any(entry.coefficients) for entry in rows[n]):
            return Fails(f"{z} has no token and a row that is not zero")
        other = first.setdefault(_seen_by(z), n)
        if rows[n] != rows[other]:
            return Fails(f"{z} and {closed[other]} have equal type, different rows")
    wrong = first_difference(closed, rows, _ORDER, most=20, positions=False)
    if wrong:
        return Fails(wrong)
    chosen = tuple(closed[n] for n in first.values() if closed[n].tokens)
    if len({type_of(z) for z in closed}) != len(first):
        return Fails("the types are not as many as multisets of tokens and sizes")
    matrix = template_matrix(closed, attention(gamma=0), cls=False)
    by_theorem = certify(matrix, question="rank")
    answers = {len(chosen), gamma_zero_rank(closed)}
    if isinstance(by_theorem, TypeRank) and by_theorem.check():
        answers.add(by_theorem.rank)
    if len(answers) > 1:
        return Fails(f"the rank is {sorted(answers)}, of {len(chosen)} types with a token")
    if not chosen:
        return 0, None
    problem = _not_independent(chosen, rows, [first[_seen_by(z)] for z in chosen])
    if problem:
        return Fails(problem)
    certificate = certify(moment_matrix(chosen))
    if not isinstance(certificate, Nonsingular):
        raise Undecided("the moments that were looked at do not tell the types apart")
    return len(chosen), certificate


def _not_independent(chosen: Templates, rows: Any, places: list[int]) -> str | None:
    """Why the types are not seen to be independent: by their moments, and by the entries of N."""
    tokens = tuple(sorted({token for z in chosen for token in z.tokens}))
    count = 2 * len(chosen) + 2
    table = []
    for z in chosen:
        sizes = tuple(z.letters.count(a) for a in z.wildcards)
        moments = _moments(sizes, count)
        found = [{int(e): c for e, c in m.terms} for m in lognormal_moments(sizes, count)]
        if found != moments:
            return f"the moments of {z} are not those of the sum of its blocks"
        values = [sum(c * 2**e for e, c in m.items()) for m in moments]  # at q = 2
        table.append(
            [
                Fraction(z.letters.count(token) * value, _scale(z, tokens, n) ** (j + 1))
                for token in tokens
                for n in range(len(chosen))
                for j, value in enumerate(values)
            ]
        )
    if rank(table) < len(chosen):
        raise Undecided("the moments at q = 2 do not tell the types apart")
    for i, j in combinations_with_replacement(range(min(4, len(chosen))), 2):
        series = _from_moments(chosen[i], chosen[j], tokens, _ORDER).coeffs()
        known = [Fraction(c) for c in rows[places[i]][places[j]].coefficients]
        expected = [fraction(c) for c in series]
        if known[::2] != [*expected, *[0] * (len(known[::2]) - len(expected))]:
            return f"the moments do not give the entry of {chosen[i]} and {chosen[j]}"
    if len(chosen) > _FEW or len(tokens) > 2:
        return None
    for order in _ORDERS:
        series_rows = [[_from_moments(z, w, tokens, order) for w in chosen] for z in chosen]
        if is_seen(series_rows, order // 2 + 1):
            return None
    raise Undecided(f"the rank {len(chosen)} is not seen to order {order}")


def _scale(z: Template, tokens: tuple[str, ...], n: int) -> int:
    """<d, omega> in a direction omega of small numbers."""
    return sum(z.letters.count(t) * (n + 2) ** k for k, t in enumerate(tokens))


@claim(
    "symbench.gamma-zero-rank",
    source="Theorem of symbench: what is left of the template matrix without positions",
    category="theorem",
    cases=lambda max_length=4: (
        *(every(n) for n in range(1, max_length + 1)),
        every(2, "A"),
        every(1, "AB"),
        templates("αβ", "βα", "ββ"),
    ),
    boundary=templates("α"),
    proof="proofs/symbench/gamma-zero-rank.md",
    applies=without_cls,
    strategy=template_sets(max_size=4, max_length=3, tokens="A"),
    near_misses=[
        NearMiss("full rank at gamma = 0", templates("ααβ", "αβα"), {"full": True}),
        NearMiss("gamma = 1", templates("ααβ", "αβα"), {"gamma": 1}),
    ],
)
def gamma_zero(cases: Templates, gamma: int = 0, full: bool = False) -> Certificate | Fails:
    r"""At $\gamma = 0$, $\beta \neq 0$ the template matrix of templates ending in CLS depends on
    the types only (how often each regular token occurs, the sizes of the wildcard blocks), and its
    rank is the number of types; over all set partitions of $[n]$ it is $p(n)$, the number of
    integer partitions. The moments of $\sum_B |B| e^{\beta g_B}$, exponential polynomials in
    $q = e^{\beta^2/2}$, show the independence for every $\beta$ with $q$ transcendental; they give
    the entries of $N$, whose series shows the rank of up to four types by itself. That rows of
    equal type are equal is looked at to order 4 in $\beta$.
    """
    at_most(len(cases), 200, "templates")
    found = _by_types(with_cls(cases), gamma)
    if isinstance(found, Fails):
        return found
    number_of_types, certificate = found
    assert certificate is not None  # CLS is a token
    if full and number_of_types < len(cases):
        return Fails(f"the rank is {number_of_types}, of {len(cases)} templates")
    return certificate


@claim(
    "symbench.no-cls-types",
    source="Theorem of symbench: neither CLS nor positions",
    category="theorem",
    cases=lambda max_length=4: (
        *(every(n, "A") for n in range(1, max_length)),
        *(every(n, "AB") for n in range(1, max_length - 1)),
        every(max_length, "A")[::7],
    ),
    boundary=templates("Aα", "αα"),
    applies=are_templates,
    strategy=template_sets(max_size=4, max_length=3, tokens="A"),
    proof="proofs/symbench/no-cls.md",
    near_misses=[
        NearMiss("types without a token count too", templates("Aα", "αα"), {"counted": "types"}),
        NearMiss("full rank", templates("Aα", "αA"), {"counted": "templates"}),
        NearMiss("gamma = 1", templates("Aα", "αA"), {"gamma": 1}),
    ],
)
def no_cls_types(
    cases: Templates, gamma: int = 0, counted: str = "types with a token"
) -> Certificate | bool | Fails:
    r"""At $\gamma = 0$, $\beta \neq 0$ the rank of the template matrix of templates as they are is
    the number of types that have a regular token; the others have rows of zeros. The moments of
    $\sum_B |B| e^{\beta g_B}$ show the independence for every $\beta$ with $q = e^{\beta^2/2}$
    transcendental, and give the entries of $N$; rows are compared to order 4 in $\beta$.
    """
    at_most(len(cases), 200, "templates")
    found = _by_types(cases, gamma)
    if isinstance(found, Fails):
        return found
    expected = {"types": len(set(map(type_of, cases))), "templates": len(cases)}.get(counted)
    if expected is not None and expected != found[0]:
        return Fails(f"the rank is {found[0]}, and {counted} are {expected}")
    return found[1] if found[1] is not None else True  # rows of zeros, all of them


# --- beta = 0: uniform attention ------------------------------------------------------------------
_GAMMAS = (Rational(0), Rational(1), Rational(2), Rational(1, 3))


@claim(
    "symbench.beta-zero-rank",
    source="Theorem of symbench: uniform attention",
    category="theorem",
    cases=lambda max_length=3: (
        (every(n, "AB"[:t]), gamma)
        for n in range(1, max_length + 1)
        for t in (0, 1, 2)
        for gamma in _GAMMAS[: 2 + 2 * (n < 3)]
    ),
    boundary=(templates("αα", "αβ"), Rational(2)),
    applies=record(without_cls, number()),
    strategy=drawn(
        lambda st: st.tuples(
            template_sets(max_size=5, max_length=4)(),
            st.fractions(-3, 3, max_denominator=4).map(Rational),
        )
    ),
    proof="proofs/symbench/beta-zero-rank.md",
    near_misses=[
        NearMiss("gamma in place of gamma^2", (templates("αα", "αβ"), Rational(2)), {"power": 1}),
        NearMiss("full rank", (templates("αα", "αβ"), Rational(1)), {"full": True}),
    ],
)
def beta_zero(
    case: tuple[Templates, Rational], power: int = 2, full: bool = False
) -> Certificate | Fails:
    r"""At $\beta = 0$, $N = k^{-2} D D^\top + (\gamma^2/k) 1 1^\top$ with $D_{i\rho}$ the number of
    occurrences of token $\rho$ in template $i$, CLS among them; its rank is that of
    $[D | \gamma 1]$, and one on wildcard-only tasks. Attention is uniform there: an entry is the
    mean of $1[x_a = y_b] + \gamma^2 1[a = b]$ over all pairs of positions, which are gone through.
    """
    cases, gamma = case
    at_most(len(cases), 500, "templates")
    closed = with_cls(cases)
    matrix = template_matrix(cases, attention(beta=0, gamma=gamma)).matrix
    length, g = len(closed[0]), Fraction(gamma)
    for i, j in product(range(len(cases)), repeat=2):
        x, y = fresh(closed[i], "left"), fresh(closed[j], "right")
        pairs = product(range(length), repeat=2)
        total = sum((x[a] == y[b]) + g**power * (a == b) for a, b in pairs)
        if matrix[i, j] != Fraction(total) / length**2:
            return Fails(f"the entry of {closed[i]} and {closed[j]} is {matrix[i, j]}")
    tokens = sorted({t for z in closed for t in z.tokens})
    counts = [[z.letters.count(t) for t in tokens] for z in closed]
    expected = len(cases) if full else rank([[*row, g] for row in counts])
    if matrix.rank() != expected or rank(matrix.rows) != expected:
        return Fails(f"rank {matrix.rank()}, not {expected}")
    return certify(matrix, question="rank")


# --- beta = infinity, gamma = 0: hard attention ---------------------------------------------------
_BETA = 100  # so large that softmax is hard up to a few hundredths
_TOKENS = 6  # whose orders are gone through


def _winners(x: Any, y: Any) -> Fraction:
    """How often the token of the largest logit is the same: all orders are equally likely."""
    letters = sorted({*x, *y}, key=str)
    total = 0
    for order in permutations(range(len(letters))):
        height = dict(zip(letters, order, strict=True))
        total += max(set(x), key=height.__getitem__) == max(set(y), key=height.__getitem__)
    return Fraction(total, factorial(len(letters)))


def _at_finite_beta(x: Any, y: Any) -> Any:
    """A ball for softmax attention at beta = 100, gamma = 0, on strings over two tokens.

    The attention on the first token is 1 / (1 + r e^{-beta d}) with the quotient r of the numbers
    of tokens and d = sqrt(2) g. Beyond 12 the integrand is below e^{-70}.
    """
    one, two = sorted({*x, *y}, key=str)

    def share(string: Any, d: Any) -> Any:
        first, second = string.count(one), string.count(two)
        if not first or not second:
            return flint.acb(int(bool(first)))
        t = (-d * _BETA).exp() * flint.fmpq(second, first)
        return 1 / (1 + t)

    def integrand(g: Any, _: Any) -> Any:
        d = g * flint.arb(2).sqrt()
        p, q = share(x, d), share(y, d)
        return (p * q + (1 - p) * (1 - q)) * (-g * g / 2).exp()

    # Cut at zero, where the weights jump.
    parts = [flint.arb(end) for end in (-12, "-0.2", 0, "0.2", 12)]
    total = sum((flint.acb.integral(integrand, a, b) for a, b in pairwise(parts)), flint.acb(0))
    return (total / (2 * flint.acb.pi()).sqrt()).real + flint.arb(0, "1e-30")


@claim(
    "symbench.hard-attention",
    source="Theorem of symbench: beta = infinity, gamma = 0",
    category="theorem",
    cases=lambda max_length=5: (
        *map(every, range(1, max_length + 1)),
        every(2, "AB"),
        every(3, "A"),
        templates("AAB", "ABB", "BBB", "BAα"),
    ),
    boundary=templates("α"),
    applies=without_cls,
    strategy=template_sets(max_size=4, max_length=4),
    proof="proofs/symbench/hard-attention.md",
    near_misses=[
        NearMiss("the rank is that of finite beta, p(n)", every(4), {"finite": True}),
    ],
)
def hard_attention(cases: Templates, finite: bool = False) -> Certificate | Fails:
    r"""At $\beta = \infty$, $\gamma = 0$ all attention is on the token of the largest logit, and
    the kernel is the Jaccard similarity of the two sets of tokens. On wildcard-only templates with
    CLS it is $1/(b_i + b_j + 1)$, $b$ the numbers of blocks, so over all set partitions of $[n]$
    its rank is $n$. Entries of up to six tokens are the share of all orders of the logits in which
    the two winners agree; where strings have two tokens, softmax at $\beta = 100$ is enclosed in a
    ball, and within the bound of the page.
    """
    at_most(len(cases), 1_000, "templates")
    closed = with_cls(cases)
    kernel = HardAttention()
    matrix = template_matrix(cases, kernel).matrix
    known: dict[Any, Fraction] = {}
    for (i, z), (j, w) in product(enumerate(closed), repeat=2):
        x, y = fresh(z, "left"), fresh(w, "right")
        sizes = (len({*x} & {*y}), len({*x}), len({*y}))
        if sum(sizes[1:]) - sizes[0] <= _TOKENS:
            if sizes not in known:
                known[sizes] = _winners(x, y)
            if matrix[i, j] != known[sizes]:
                return Fails(f"the entry of {z} and {w} is {matrix[i, j]}, not {known[sizes]}")
        elif wildcards_only(cases) and matrix[i, j] != Fraction(1, sizes[1] + sizes[2] - 1):
            return Fails(f"the entry of {z} and {w} is not 1/(b_i + b_j + 1)")
    problem = _off_the_limit(kernel, closed)
    if problem:
        return Fails(problem)
    found = rank(matrix.rows)
    if wildcards_only(cases):
        expected = len({len(z.wildcards) for z in cases})
        if finite:
            expected = gamma_zero_rank(closed)
        if found != expected or matrix.rank() != expected:
            return Fails(f"the rank is {found}, not {expected}")
    return certify(matrix, question="rank")


def _off_the_limit(kernel: HardAttention, closed: Templates) -> str | None:
    """A pair of strings over two tokens whose softmax at large beta is far from the limit."""
    strings = [z.letters for z in closed if len(z.tokens) <= 2 and not z.wildcards][:4]
    for x, y in combinations_with_replacement(strings, 2):
        if len({*x, *y}) == 2:
            # Twice the mean of 1 - (weight of the winner), see the page.
            bound = flint.fmpq(2 * len(x), _BETA)
            limit = kernel.value(list(x), list(y))
            near = _at_finite_beta(x, y) - flint.fmpq(limit.numerator, limit.denominator)
            if not abs(near) < flint.arb(bound):
                return f"softmax at beta = {_BETA} on {x}, {y} is not near {limit}"
    return None


# --- normalisation --------------------------------------------------------------------------------
_COORDINATEWISE = ("exponential", "linear", "sigmoid")
_SQUARE = 8  # null vectors of larger matrices of polynomials take long


def _truncated(series: Any) -> Any:
    """A series in beta over polynomials in gamma as the polynomial that is known of it."""
    terms: dict[tuple[int, ...], Any] = {
        (i, j): c
        for i, coefficient in enumerate(series.coefficients)
        for (j,), c in QQ["gamma"].terms(coefficient).items()
    }
    return QQ["beta", "gamma"].from_terms(terms)


@claim(
    "symbench.normalisation-needed",
    source="Theorem of symbench: coordinatewise attention is blind to equality",
    category="theorem",
    cases=lambda max_length=4: product(map(every, range(1, max_length + 1)), _COORDINATEWISE),
    boundary=(templates("αα", "αβ"), "exponential"),
    proof="proofs/symbench/normalisation-needed.md",
    applies=record(before_cls, one_of(*_COORDINATEWISE), where=lambda z, _: wildcards_only(z)),
    strategy=drawn(
        lambda st: st.tuples(
            template_sets(max_size=4, max_length=4, tokens="")(), st.sampled_from(_COORDINATEWISE)
        )
    ),
    near_misses=[
        NearMiss("softmax", (templates("αα", "αβ"), "softmax")),
        NearMiss("templates with regular tokens", (templates("Aα", "αA"), "exponential")),
    ],
)
def normalisation_needed(case: tuple[Templates, str]) -> Certificate | bool | Fails:
    r"""If the weight of a position is a function of its own logit alone (exponential, linear,
    sigmoid: no normalisation), the features of wildcard-only templates of one length are all the
    same, so the template matrix has rank at most one. Equal rows are checked to order 4 in $\beta$,
    and entries are those of the definition.
    """
    cases, weights = case
    at_most(len(cases), 200, "templates")
    kernel = attention(normalise=weights == "softmax", weights=weights, order=_ORDER)
    found = template_matrix(cases, kernel)
    rows = found.matrix.rows
    # Rank at most one where all rows are equal: the features do not see the partition.
    if any(row != rows[0] for row in rows):
        return Fails(f"{weights}: rows differ")
    wrong = first_difference(found.templates, rows, _ORDER, most=6, weights=weights)
    if wrong:
        return Fails(wrong)
    if len(cases) > _SQUARE:
        return True
    return certify(Matrix([list(map(_truncated, row)) for row in rows]), question="rank")
