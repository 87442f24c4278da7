"""How many samples invariant kernel regression needs at least, whatever the kernel.

Average (gf) x (gf) over the permutations g of positions: an operator C_f on L2(p) with eigenvalues
c_1 >= c_2 >= ... that add up to |f|^2. Any predictor from N samples in the span of the kernel
sections at the samples, with coefficients that do not change when all samples are permuted at
once, has expected squared error at least c_(N+1) + c_(N+2) + ...: the span has N dimensions, and
it is the same for every gf. No spectrum, ridge or noise enters.

>>> from symbench.learning.targets import conjunction, parity
>>> lower_bound(parity(3), length=10, samples=30)
3/4
>>> samples_needed(parity(3), length=10**6, error="1/10")
149999550000300000
>>> samples_needed(conjunction(3), length=1000, error="1/100")
59820120
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, factorial, lcm, perm
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.draw.tables import columns_text
from symbench.errors import BadShape, BadType, TooLarge
from symbench.exact import Matrix, Rational
from symbench.exact.rational import fmpq, number_text
from symbench.exact.roots import eigenvalues
from symbench.laws.exchangeable import IidLaw, Law, MixtureLaw, read_law
from symbench.learning.injections import levels_by_places, most_places
from symbench.learning.orbit_average import OrbitLevel, OrbitSpectrum, positive_levels, read_error
from symbench.learning.targets import BitPolynomial, Target, WeightFunction, read_target
from symbench.young import Action, Partition, commuting_blocks

# Bounds on what is formed: words gone through in pairs, subsets of positions in pairs, terms.
_WORDS = 1_024
_SUBSETS = 1_500
_TERMS = 1 << 18
Places = tuple[int, ...]


def orbit_spectrum(target: Target, *, length: int, law: Law | None = None) -> OrbitSpectrum:
    """The eigenvalues of the average of (gf) x (gf) over the permutations g of L positions.

    The law is exchangeable, None for the uniform one. Functions of the weight of some bits have
    a closed form at any length, polynomials in few signs and functions of few tokens blocks of a
    few rows; anything else goes through all words.

    >>> from symbench.learning.targets import from_function, majority, polynomial
    >>> orbit_spectrum(majority(3), length=10**6).weights[Partition(10**6 - 3, 3)]
    999995/3999992
    >>> orbit_spectrum(polynomial({(1,): 1, (2,): -1}), length=5)
    OrbitSpectrum: 1 levels, 4 eigenvalues, sum 2
    >>> same = from_function(lambda w: w[0] == w[1], variables=2, vocabulary=3)
    >>> {str(p): str(w) for p, w in orbit_spectrum(same, length=3).weights.items()}
    {'3': '5/27', '2+1': '4/27'}
    >>> orbit_spectrum(same, length=10**6).rank
    499999500000
    """
    function = read_target(target)
    size = integer(length, "the length", at_least=1)
    if function.variables > size:
        raise BadShape(
            f"the target reads {function.variables} positions, the words have {number_text(size)}"
        )
    chosen = read_law(law, size, function.vocabulary)
    if isinstance(chosen, IidLaw) and isinstance(function, WeightFunction):
        found = _levels_of_weight(function, size, chosen.probabilities[1])
    elif isinstance(chosen, IidLaw) and isinstance(function, BitPolynomial):
        found = _levels_of_polynomial(function, size, chosen.probabilities[1])
    elif isinstance(chosen, (IidLaw, MixtureLaw)) and function.variables <= most_places(
        function.vocabulary
    ):
        found = levels_by_places(function, size, chosen)
    else:
        found = levels_by_words(function, size, chosen)
    return OrbitSpectrum(positive_levels(found))


def _levels_of_weight(target: WeightFunction, L: int, p: Rational) -> list[OrbitLevel]:
    """The closed form: one eigenvalue for each (L - m, m).

    In the variables x_a - p the coefficient h_k of a product depends on its degree k alone. The
    sum of all products of m of s variables has a harmonic part of squared norm
    dim C(s, m) C(L - s, m) / (C(L, m) C(L - m, m)), and the degrees k >= m are copies of it.
    """
    s, variance = target.variables, p * (1 - p)
    squares = [variance**k * h**2 for k, h in enumerate(_differences(target.values, p))]
    below = lcm(*(square.denominator for square in squares))
    whole = [int(square * below) for square in squares]
    found = []
    for m in range(min(s, L - s) + 1):
        part = Rational(comb(s, m) * comb(L - s, m), comb(L, m) * comb(L - m, m))
        # The sum over k of squares[k] C(s - m, k - m)^2 / C(L - 2m, k - m), by Horner's rule.
        top, bottom = whole[s], 1
        for k in range(s - 1, m - 1, -1):
            step = (k - m + 1) * (L - m - k)
            top, bottom = top * (s - k) ** 2 + whole[k] * bottom * step, bottom * step
        shape = Partition(L - m, m)
        found.append(OrbitLevel(shape, Rational(part * Rational(top, bottom * below)), shape.dim))
    return found


def _differences(values: tuple[Rational, ...], p: Rational) -> list[Fraction]:
    """The coefficient of each degree: the mean of the k-th difference over the other bits."""
    s, below = len(values) - 1, p.denominator
    scale = lcm(*(value.denominator for value in values))
    row = [int(value * scale) for value in values]
    ones = [p.numerator**j for j in range(s + 1)]
    zeros = [(below - p.numerator) ** j for j in range(s + 1)]
    found: list[Fraction] = []
    for rest in range(s, -1, -1):
        total, ways = 0, 1
        for j, value in enumerate(row):
            total += ways * ones[j] * zeros[rest - j] * value
            ways = ways * (rest - j) // (j + 1)
        found.append(Rational(total, scale * below**rest))
        row = [b - a for a, b in pairwise(row)]
    return found


def _levels_of_polynomial(target: BitPolynomial, L: int, p: Rational) -> list[OrbitLevel]:
    """One small matrix for each (L - m, m): a row for each degree k >= m that occurs.

    With U the sum over the ways to add a position, the part of degree k in (L - m, m) is
    U^(k-m) h_k with h_k harmonic of degree m, and |U^(k-m) h|^2 = n_k |h|^2,
    n_k = (k - m)! (L - 2m)! / (L - m - k)!. The block has entries n_k v^k <h_k, h_l>.
    """
    by_degree = _centred(target, p)
    found = []
    for m in range(min(target.degree, L // 2) + 1):
        degrees = [k for k in by_degree if m <= k <= L - m]
        if not degrees:
            continue
        sums = [_sums(by_degree[k], m) for k in degrees]
        subsets = sorted(set().union(*sums))
        if len(subsets) > _SUBSETS:
            raise TooLarge(
                f"the polynomial has {len(subsets):,} sets of {m} positions in its terms: give at "
                f"most {_SUBSETS:,}, or a function of the weight"
            )
        falling = [perm(L - 2 * m, k - m) for k in degrees]
        rows = [
            [
                fmpq(column.get(S, Fraction(0)) / fall)
                for column, fall in zip(sums, falling, strict=True)
            ]
            for S in subsets
        ]
        h = flint.fmpq_mat(rows)
        gram = h.transpose() * _harmonic_projector(subsets, L, m) * h
        norms = [
            fmpq(factorial(k - m) * fall * (p * (1 - p)) ** k)
            for k, fall in zip(degrees, falling, strict=True)
        ]
        size = range(len(degrees))
        block = Matrix([[gram[i, j] * norms[i] for j in size] for i in size])
        found += _of_block(Partition(L - m, m), block)
    return found


def _centred(target: BitPolynomial, p: Rational) -> dict[int, dict[Places, Fraction]]:
    """The coefficients in the variables x_a - p, by degree; a sign is 1 - 2p - 2 (x_a - p)."""
    mean = 1 - 2 * p
    if sum(2 ** len(places) for places, _ in target.terms) > _TERMS and mean:
        raise TooLarge(
            f"the terms of the polynomial have more than {_TERMS:,} subsets: give shorter terms, "
            "the uniform law or a function of the weight"
        )
    found: dict[int, dict[Places, Fraction]] = {}
    for places, coefficient in target.terms:
        lowest = 0 if mean else len(places)
        for k in range(lowest, len(places) + 1):
            factor = coefficient * mean ** (len(places) - k) * (-2) ** k
            level = found.setdefault(k, {})
            for chosen in combinations(places, k):
                level[chosen] = level.get(chosen, Fraction(0)) + factor
    return found


def _sums(coefficients: dict[Places, Fraction], m: int) -> dict[Places, Fraction]:
    """For each set of m positions the sum of the coefficients of the terms that contain it."""
    count = sum(comb(len(places), m) for places in coefficients)
    if count > _TERMS:
        raise TooLarge(
            f"the terms of the polynomial have {number_text(count)} sets of {m} positions: give "
            f"at most {_TERMS:,}, or a function of the weight"
        )
    found: dict[Places, Fraction] = {}
    for places, coefficient in coefficients.items():
        for chosen in combinations(places, m):
            found[chosen] = found.get(chosen, Fraction(0)) + coefficient
    return found


def _harmonic_projector(subsets: list[Places], L: int, m: int) -> Any:
    """The projector to (L - m, m) in the functions of m-subsets: dim/C(L, m) (-1)^i / C(L-m, i)."""
    share = Rational(Partition(L - m, m).dim, comb(L, m))
    at = [fmpq(share * Rational((-1) ** i, comb(L - m, i))) for i in range(m + 1)]
    sets = [frozenset(S) for S in subsets]
    return flint.fmpq_mat([[at[len(S - T)] for T in sets] for S in sets])


def _of_block(shape: Partition, block: Matrix) -> list[OrbitLevel]:
    """The levels of one irreducible, whose block acts on the multiplicity space."""
    dim = shape.dim
    scaled = block * Rational(1, dim)
    return [OrbitLevel(shape, value, times * dim) for value, times in eigenvalues(scaled)]


def levels_by_words(target: Target, length: int, law: Law) -> list[OrbitLevel]:
    """The levels for any target and exchangeable law, from all pairs of words."""
    tokens = target.vocabulary
    if length > _WORDS.bit_length() or tokens**length > _WORDS:
        raise TooLarge(
            f"there are {tokens}^{number_text(length)} words, and at most {_WORDS:,} are gone "
            "through in pairs: give independent tokens and a function of bits or one that reads at "
            f"most {most_places(tokens)} tokens, or shorter words"
        )
    words = list(product(range(tokens), repeat=length))
    means = _table_means(words, [target.value(word) for word in words], tokens)
    weight = {word: law.of_counts(tuple(map(word.count, range(tokens)))) for word in words}

    # The points of the action have tokens 1, ..., V.
    def entry(x: tuple[int, ...], y: tuple[int, ...]) -> Rational:
        table = sum((length + 1) ** ((a - 1) * tokens + b - 1) for a, b in zip(x, y, strict=True))
        return Rational(means[table] * weight[tuple(b - 1 for b in y)])

    found = []
    for shape, block in commuting_blocks(Action.words(length, tokens), entry).items():
        found += [
            OrbitLevel(shape, value, times * shape.dim) for value, times in eigenvalues(block)
        ]
    return found


def _table_means(
    words: list[tuple[int, ...]], values: list[Rational], tokens: int
) -> dict[int, Rational]:
    """The mean of f(x) f(y) over all pairs of words with each contingency table.

    A table is written as a number in base L + 1, one digit for each pair of tokens.
    """
    base = len(words[0]) + 1
    scale = lcm(*(value.denominator for value in values))
    whole = [int(value * scale) for value in values]
    sums: dict[int, int] = {}
    counts: dict[int, int] = {}
    digits = [[base ** (a * tokens + b) for b in range(tokens)] for a in range(tokens)]
    for x, fx in zip(words, whole, strict=True):
        rows = [digits[a] for a in x]
        for y, fy in zip(words, whole, strict=True):
            table = 0
            for row, b in zip(rows, y, strict=True):
                table += row[b]
            counts[table] = counts.get(table, 0) + 1
            sums[table] = sums.get(table, 0) + fx * fy
    return {table: Rational(sums[table], counts[table] * scale**2) for table in sums}


def lower_bound(target: Target, *, length: int, samples: int, law: Law | None = None) -> Rational:
    """The least expected squared error of invariant kernel regression with so many samples.

    It holds for every kernel with k(gx, gy) = k(x, y), every ridge and every label noise; it is
    the exact sum of the eigenvalues of `orbit_spectrum` after the first so many.

    >>> from symbench.learning.targets import parity
    >>> lower_bound(parity(2), length=5, samples=4)
    3/5
    >>> lower_bound(parity(2), length=5, samples=0.5)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: samples is 0.5, a float: give an integer
    """
    count = integer(samples, "samples", at_least=0)
    return orbit_spectrum(target, length=length, law=law).tail(count)


def samples_needed(
    target: Target,
    *,
    length: int,
    error: Any,
    law: Law | None = None,
    relative: bool = False,
) -> int:
    """The smallest number of samples for which `lower_bound` is at most the error.

    With fewer samples no invariant kernel regression reaches the error; with so many it may or
    may not. The error is the expected squared one, with relative=True a part of |f|^2.

    >>> from symbench.learning.targets import majority, parity
    >>> [samples_needed(parity(s), length=100, error="1/2") for s in range(4)]
    [1, 50, 2475, 80850]
    >>> samples_needed(majority(5), length=5, error=0)  # symmetric: one eigenvalue
    1
    """
    if not isinstance(relative, bool):
        raise BadType(f"relative is {shown(relative)}: give True or False")
    goal = read_error(error)
    spectrum = orbit_spectrum(target, length=length, law=law)
    return spectrum.samples(goal * spectrum.norm if relative else goal)


@attrs.frozen
class Threshold:
    """Samples needed to learn a function in one copy of (L - m, m): ceil((1 - error) dim).

    >>> Threshold(100, 2, 4850, 4365).samples
    4365
    """

    length: int
    m: int
    dimension: int
    samples: int


@attrs.frozen(repr=False)
class ThresholdTable:
    """The thresholds for some lengths and numbers m, for one relative error.

    >>> print(threshold_table([10, 1000, 10**6], [1, 2, 3], error="1/10"))
    L        m = 1   m = 2         m = 3
    10       9       32            68
    1000     900     448650        149100750
    1000000  900000  449998650000  149999100000750000
    """

    error: Rational
    rows: tuple[Threshold, ...]

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """As text: a row for each length; a dash where (L - m, m) is no partition."""
        lengths = sorted({row.length for row in self.rows})
        ms = sorted({row.m for row in self.rows})
        at = {(row.length, row.m): row.samples for row in self.rows}
        lines = [["L", *(f"m = {m}" for m in ms)]]
        lines += [[number_text(n), *(_short(at.get((n, m))) for m in ms)] for n in lengths]
        return columns_text(lines)


def threshold_table(lengths: Iterable[int], ms: Iterable[int], *, error: Any = 0) -> ThresholdTable:
    """The least number of samples for a function in one copy of (L - m, m), for all L and m given.

    The error is relative to |f|^2; pairs with 2m > L are left out.

    >>> table = threshold_table([4, 10], [2], error="1/2")
    >>> [(row.length, row.m, row.dimension, row.samples) for row in table.rows]
    [(4, 2, 2, 1), (10, 2, 35, 18)]
    """
    goal = read_error(error)
    sizes = _integers(lengths, "lengths", 1)
    numbers = _integers(ms, "ms", 0)
    rows = []
    for length, m in product(sizes, numbers):
        if 2 * m <= length:
            dim = Partition(length - m, m).dim
            least = -int((goal - 1) * dim // 1) if goal < 1 else 0
            rows.append(Threshold(length, m, dim, least))
    return ThresholdTable(goal, tuple(rows))


def _integers(values: Any, what: str, at_least: int) -> list[int]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadType(f"{what} is {shown(values)}: give a list of integers")
    return [integer(v, f"an entry of {what}", at_least=at_least) for v in values]


def _short(number: int | None) -> str:
    if number is None:
        return "-"
    digits = number_text(number)
    return digits if len(digits) <= 24 else f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
