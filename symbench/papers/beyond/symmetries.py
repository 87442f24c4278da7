"""Two symmetries of one matrix, tokens and positions; what is learned as fast as they allow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, permutations, product
from math import factorial, prod
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.errors import BadValue, TooLarge, Undecided
from symbench.exact import Matrix, Rational
from symbench.exact.rational import fmpq
from symbench.kernels import attention, linear_attention, softmax_attention
from symbench.kernels.generic import free_values
from symbench.ktau import coefficient_matrices, template_matrix
from symbench.ktau.isotypic import PositionSymmetry, position_symmetry
from symbench.papers._cases import at_most, drawn, number, record
from symbench.papers._second_roads import first_difference
from symbench.papers._templates import Templates, before_cls, every, templates
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import spectrum
from symbench.spectra.softmax_limit import softmax_tightness
from symbench.words import all_templates
from symbench.young import Partition, block_form

# All coefficients up to beta^4: gamma^6 is the highest power of gamma there.
_ORDERS = [(i, j) for i in range(5) for j in range(7)]


def _closed(cases: Any) -> bool:
    """Whether permuting the positions of these templates gives these templates."""
    if not before_cls(cases):
        return False
    try:
        position_symmetry(cases)
    except TooLarge:  # than an action that is written out; the claim says that it is undecided
        return True
    except BadValue:
        return False
    return True


def _unmoved(symmetry: PositionSymmetry, rows: Any, *, both: bool = True) -> bool | Fails:
    """Whether no entry changes when positions are exchanged, in both templates or in the first."""
    size = range(len(symmetry.templates))
    for k, table in enumerate(symmetry.action.generators.tolist(), start=1):
        for i, j in product(size, repeat=2):
            if rows[table[i]][table[j] if both else j] != rows[i][j]:
                z, w = symmetry.templates[i], symmetry.templates[j]
                return Fails(f"({k} {k + 1}) of the positions changes the entry of {z} and {w}")
    return True


def _orbits(cases: Templates) -> Fraction:
    """How many orbits of templates there are: the mean number of fixed ones (Burnside)."""
    length = len(cases[0])
    total = 0
    for g, z in product(permutations(range(length)), cases):
        moved = tuple(z.letters[a] for a in g)
        # Fixed up to the names of wildcards: equal letters stand at the same places.
        total += all(
            (z.letters[a] == z.letters[b]) == (moved[a] == moved[b])
            and (z.letters[a] == moved[a] or {z.letters[a], moved[a]} <= set(z.wildcards))
            for a, b in product(range(length), repeat=2)
        )
    return Fraction(total, factorial(length))


@claim(
    "symbench.two-symmetries",
    source="Theorem of symbench: boix2024 and lavie2024 meet in one matrix",
    category="theorem",
    cases=lambda max_length=4: (*map(every, range(1, max_length + 1)), every(2, "A")),
    boundary=templates("αα", "αβ"),
    applies=_closed,
    strategy=drawn(
        lambda st: st.sampled_from([every(1, "AB"), every(2), every(2, "A"), every(3)]).flatmap(
            lambda cases: st.permutations(cases).map(tuple)
        )
    ),
    proof="proofs/symbench/two-symmetries.md",
    near_misses=[
        NearMiss("positions of one template only", every(3), {"both": False}),
        NearMiss(
            "attention with a causal mask",
            every(2, "A"),
            {"kernel": linear_attention(1, 1, causal=True)},
        ),
        NearMiss("at gamma = 0 every block survives", every(3), {"survives": True}),
    ],
)
def two_symmetries(
    cases: Templates, kernel: Any = None, both: bool = True, survives: bool = False
) -> Certificate | bool | Fails:
    r"""Permuting the positions before CLS of all templates at once leaves the template matrix of
    softmax attention unchanged, so on templates closed under it the matrix is one block of size
    $m_\lambda$ for each irreducible, repeated $\dim \lambda$ times; at $\gamma = 0$ only the block
    of the trivial one is not zero, and it is as large as there are orbits. A token-symmetric kernel
    on strings of length $k$ is a function of diagrams, with
    $(\mathrm{Bell}(2k) + \#\text{flip-invariant})/2$ free values. Entries are those of the
    definition to order 4 in $\beta$, and the characteristic polynomial of each coefficient is the
    product of those of the blocks, repeated.
    """
    at_most(len(cases), 100, "templates")
    symmetry = position_symmetry(cases)
    if kernel is not None:
        return _unmoved(symmetry, template_matrix(cases, kernel).matrix.rows, both=both)
    length = len(cases[0])
    trivial = Partition(length)
    found = template_matrix(cases, attention(order=4))
    wrong = first_difference(found.templates, found.matrix.rows, 4, most=15)
    if wrong:
        return Fails(wrong)
    if symmetry.multiplicities[trivial] != _orbits(cases):
        return Fails("the trivial irreducible is not as frequent as there are orbits")
    last = Matrix([])
    for (i, j), matrix in coefficient_matrices(cases, _ORDERS):
        outcome = _unmoved(symmetry, matrix.rows, both=both)
        if isinstance(outcome, Fails):
            return Fails(f"beta^{i} gamma^{j}: {outcome.reason}")
        if not any(map(any, matrix.rows)):
            continue
        last = matrix
        blocks = symmetry.blocks(matrix)
        whole = flint.fmpq_poly([1])
        for shape, block in blocks.items():
            if block.shape[0] != symmetry.multiplicities[shape]:
                return Fails(f"the block of {shape} has size {block.shape[0]}")
            if j == 0 and shape != trivial and bool(block.rank()) != survives:
                return Fails(f"beta^{i} gamma^0 is {'' if survives else 'not '}zero on {shape}")
            whole *= _characteristic(block) ** shape.dim
        if whole != _characteristic(matrix):
            return Fails(f"beta^{i} gamma^{j}: the blocks, repeated, are not all of the matrix")
    if length <= 3 and len(_diagrams(length)) != free_values(length):
        return Fails("the diagrams up to exchanging the strings are not so many")
    return block_certificate(block_form(symmetry.action, last), last)


def _characteristic(matrix: Matrix) -> Any:
    """det(x - M), by FLINT."""
    rows = [[fmpq(x) for x in row] for row in matrix.rows]
    return flint.fmpq_mat(rows).charpoly()


def _diagrams(length: int) -> set[frozenset[tuple[str, ...]]]:
    """Equality patterns of pairs of strings up to exchanging the two, one by one."""
    found = set()
    for z in all_templates(2 * length):
        flipped = type(z)((*z.letters[length:], *z.letters[:length])).canonical
        found.add(frozenset((z.canonical.letters, flipped.letters)))
    return found


# --- as fast as the symmetry allows ---------------------------------------------------------------
# alpha, beta, scale
Case = tuple[Rational, Rational, Rational]
_BITS = (64, 256)
_LENGTHS = range(2, 8)
_LARGEST = 64  # of the variances for which the number is computed again
_TINY = 10  # the scale 2^-10 shows the leading coefficient of the number


def _case(*numbers: int) -> Any:
    return tuple(map(Rational, numbers))


def _scales(max_value: int = 2) -> Iterator[Case]:
    half, most = Rational(1, 2), Rational(max_value)
    yield from product((half, most), (Rational(0), Rational(1)), (half, Rational(1), most))


def _by_trapezoids(variance: Fraction, r: Fraction) -> Any:
    """A ball for E[sigmoid(u) sigmoid(v)]: sums over a lattice, whose error is known.

    u and v are s (sqrt(r) z + sqrt(1 - r) g) and the same z with another g. Up to pi / 2 above the
    real line the logistic function is at most 1 in modulus, so on a lattice of step h the
    trapezoidal sum of its mean is off by at most 2 e^{d^2/2} / (e^{2 pi d / h} - 1), d = pi / 2s.
    """
    spread = flint.arb(fmpq(variance)).sqrt()
    d = min(3.0, math.pi / 2.01 / math.sqrt(variance))
    step = Fraction(d / 2).limit_denominator(100)
    half = math.ceil(7 / step)  # beyond 7 the Gaussian has less than 10^-11
    lattice = [flint.arb(fmpq(n * step)) for n in range(-half, half + 1)]
    scale = flint.arb(fmpq(step)) / (2 * flint.arb.pi()).sqrt()
    weights = [(-x * x / 2).exp() * scale for x in lattice]
    a, b = (spread * flint.arb(fmpq(part)).sqrt() for part in (r, 1 - r))
    # The sum over the inner lattice for each point of the outer one; nothing is inside if r = 1.
    inner = [(0, 1)] if r == 1 else [(b * x, w) for x, w in zip(lattice, weights, strict=True)]
    off = flint.arb(0, 2 * math.exp(d * d / 2) / (math.exp(2 * math.pi * 1.9) - 1) + 1e-11)
    total = flint.arb(0)
    for x, w in zip(lattice, weights, strict=True):
        mean = sum((v / (1 + (-(a * x + y)).exp()) for y, v in inner), flint.arb(0))
        total += w * (mean + (off if r < 1 else 0)) ** 2
    return total + off


def _second_order(length: int, alpha: Any, beta: Any) -> tuple[Any, Any]:
    """(coefficient of scale^2 in the quotient of chi_1 - chi_2, trace at scale 0), exactly.

    To second order softmax is (1 + u_c + u_c^2 / 2 - mean(u^2) / 2) / L for centred logits u. All
    pairs of words are gone through by their tables of counts.
    """
    whole, places = alpha + beta, range(length)
    quotient = trace = flint.fmpq(0)
    for a, b, c in product(range(length + 1), repeat=3):
        d = length - a - b - c
        if d < 0:
            continue
        x, y = [0] * (a + b) + [1] * (c + d), [0] * a + [1] * b + [0] * c + [1] * d
        between = [[alpha * (x[i] == y[j]) + beta * (i == j) for j in places] for i in places]
        flat = sum(map(sum, between), flint.fmpq(0))
        own = [
            [[whole * (alpha * (w[i] == w[j]) + beta * (i == j)) for j in places] for i in places]
            for w in (x, y)
        ]
        squares = [[row[i] for i, row in enumerate(_centred(table))] for table in own]
        means = [sum(square, flint.fmpq(0)) / length for square in squares]
        shared = _centred([[whole * entry for entry in row] for row in between])
        alone = joint = flint.fmpq(0)
        for i, j in product(places, repeat=2):
            alone += between[i][j] * (squares[0][i] - means[0] + squares[1][j] - means[1]) / 2
            joint += between[i][j] * shared[i][j]
        same, other = a + d, b + c
        value = (same * (alone + joint) + other * (alone + joint * beta / whole)) / length**2
        ways = flint.fmpq(factorial(length), prod(map(factorial, (a, b, c, d))))
        agree, left, right = same - other, a + b - c - d, a + c - b - d
        mean = flint.fmpq(agree, length) - flint.fmpq(left * right - agree, length * (length - 1))
        quotient += ways / 4**length * value * mean
        if b == c == 0:
            trace += ways / 2**length * flat / length
    return quotient, trace


def _centred(table: list[list[Any]]) -> list[list[Any]]:
    """The covariances of variables less their mean."""
    size = len(table)
    rows = [sum(row, flint.fmpq(0)) / size for row in table]
    columns = [sum(column, flint.fmpq(0)) / size for column in zip(*table, strict=True)]
    mean = sum(rows, flint.fmpq(0)) / size
    return [
        [x - rows[i] - columns[j] + mean for j, x in enumerate(row)] for i, row in enumerate(table)
    ]


@lru_cache(maxsize=64)
def _limit(alpha: Rational, beta: Rational) -> Any:
    """The limit for long words of the coefficient of scale^2 in lambda dim / trace.

    Times L^4 the numerator is a polynomial of degree 4 in L: six lengths show that, and its
    leading coefficient. The trace divided by L is a polynomial in 1/L of degree one.
    """
    found = [_second_order(length, fmpq(alpha), fmpq(beta)) for length in _LENGTHS]
    values = [q * length**4 for (q, _), length in zip(found, _LENGTHS, strict=True)]
    for _ in range(4):
        values = [y - x for x, y in pairwise(values)]
    traces = [trace for _, trace in found]
    slopes = {y - x for x, y in pairwise(traces)}
    if len(set(values)) > 1 or len(slopes) > 1:
        raise Undecided("the coefficients are not polynomials of the degrees expected")
    return values[0] / 24 / slopes.pop()


@claim(
    "symbench.softmax-tight",
    source="Theorem of symbench; lavie2024 asks how tight the bound is",
    category="theorem",
    cases=_scales,
    boundary=_case(1, 0, 1),
    applies=record(number(above=0), number(0), number(above=0)),
    strategy=drawn(
        lambda st: st.tuples(
            *(
                st.fractions(least, 2, max_denominator=4).map(Rational)
                for least in (Fraction(1, 4), 0, Fraction(1, 4))
            )
        )
    ),
    proof="proofs/symbench/softmax-tight.md",
    near_misses=[
        NearMiss("tokens are not embedded: alpha = 0", _case(0, 1, 1)),
        NearMiss("uniform attention: scale = 0", _case(1, 1, 0)),
        NearMiss("twice the bound", _case(1, 1, 1), {"factor": 2}),
    ],
)
def softmax_tight(case: Case, factor: int = 1) -> bool | Fails:
    r"""One layer of softmax attention with $\alpha > 0$, $\beta \ge 0$, a scale $s > 0$ and an own
    readout for each position, on uniform words of two tokens: on the irreducible $(L-1, 1)$
    $\liminf_L \lambda \dim / \mathrm{tr} \ge (D(1) - D(\rho)) / (2 D(1)) > 0$, where
    $D(r) = \mathbb{E}[\sigma(u)\sigma(v)]$, $\sigma$ the logistic function, for Gaussians of
    variance $2 s^2 \alpha (\alpha + \beta)$ and correlation $r$, and
    $\rho = \beta/(\alpha + \beta)$. So the bound $\lambda \le \mathrm{tr} / \dim$ is tight there
    up to a constant. The number is enclosed twice and positive. At small scales it is that of the
    kernel: the coefficient of $s^2$ in the quotient of $\chi_1 - \chi_2$, exact for words of two to
    seven tokens, has it as its limit; at $s = 0$ the exact spectrum has the trace of that
    computation and the eigenvalue 0.
    """
    alpha, beta, scale = case
    variance = Fraction(2 * scale * scale * alpha * (alpha + beta))
    if variance > _LARGEST:
        raise Undecided(f"the variance {variance} is too large to be gone through")
    uniform = spectrum(
        softmax_attention(alpha, beta, readout="flatten", scale=0), length=4, vocabulary=2
    )
    _, trace = _second_order(4, fmpq(alpha), fmpq(beta))
    if uniform.numbers != "exact" or fmpq(uniform.trace) != trace:
        return Fails(f"the trace of uniform attention is {uniform.trace}, by definition {trace}")
    if any(x != 0 for x in uniform["3+1"].eigenvalues):
        return Fails("uniform attention tells single tokens apart")
    if variance == 0:
        return Fails("uniform attention, on tokens: D(1) = D(rho) = 1/4, and the bound is 0")
    tiny = flint.fmpq(1, 2**_TINY)
    small = softmax_tightness(alpha, beta, scale=Rational(1, 2**_TINY))
    size = Fraction(1 + alpha + beta) ** 4
    if not abs(factor * small / tiny**2 - _limit(alpha, beta)) < flint.arb(fmpq(size)) * tiny:
        return Fails(f"{factor} times the bound at scale 2^-{_TINY} is not the limit of the kernel")
    full, part = (_by_trapezoids(variance, r) for r in (Fraction(1), beta / (alpha + beta)))
    for bits in _BITS:
        try:
            found = softmax_tightness(alpha, beta, scale=scale, bits=bits)
        except TooLarge as error:
            raise Undecided(str(error)) from None
        if not found.overlaps((full - part) / (2 * full)):
            return Fails("the bound is not (D(1) - D(rho)) / (2 D(1))")
        if found > 0:
            return True
    raise Undecided(f"the bound is not seen to be positive with {_BITS[-1]} bits")
