"""The orbit average of a target under a group of permutations: its eigenvalues, exactly.

For a function f of words, C_f is the average of (gf) x (gf) over the permutations g of positions
in a group, an operator on L2(p). It commutes with all g, so an eigenvalue belongs to an irreducible
and is repeated as often as its dimension says; all of them add up to |f|^2. The group is S_L where
no other is given.

Under the cyclic group C_f has the eigenvalues of the matrix <T^s f, T^t f> / L, a circulant: one
for each frequency, the power of f at that frequency.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, perm
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.draw.views import Shown, View, card, columns_text
from symbench.errors import BadType, TooLarge, Undecided
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, fmpq, number_text, rational
from symbench.exact.roots import Eigenvalue, RealRoot, eigenvalues
from symbench.kernels.tables import Tables, pair_of
from symbench.laws import Iid, Law, Mixture, read_law
from symbench.laws.base import Word
from symbench.learning.injections import blocks_by_places, most_places
from symbench.learning.numbers import number
from symbench.learning.targets import BitPolynomial, Target, WeightFunction, read_target
from symbench.learning.walsh import weight_coefficients, whole
from symbench.learning.words import pair_classes, words_of
from symbench.spectra.ring_blocks import Necklaces, RingBlock, reduced
from symbench.spectra.segment_blocks import chance_of, segment_blocks
from symbench.young import Partition
from symbench.young.position_groups import (
    CyclicGroup,
    Group,
    Irrep,
    YoungSubgroup,
    irrep_order,
    is_irrep,
    read_group,
)

Places = tuple[int, ...]
_MOST_BITS = 1 << 14
# Bounds on what is formed: words gone through, in pairs and on a ring; subsets of positions in
# pairs; terms of a polynomial.
_PAIRED, _ON_A_RING = 1_024, 10_000
_SUBSETS = 1_500
_TERMS = 1 << 18


@attrs.frozen
class OrbitLevel(Shown):
    """An eigenvalue of C_f, the irreducible that it belongs to and how often it occurs.

    >>> OrbitLevel(Partition(3, 1), Rational(1, 6), 3).weight
    1/2
    """

    irrep: Irrep
    eigenvalue: Eigenvalue
    multiplicity: int

    def __attrs_post_init__(self) -> None:
        if not is_irrep(self.irrep):
            raise BadType(
                f"the irrep is {shown(self.irrep)}: give a Partition, a tuple of them or a "
                "frequency"
            )
        if not isinstance(self.eigenvalue, RealRoot):
            object.__setattr__(self, "eigenvalue", Rational(exact_number(self.eigenvalue)))
        integer(self.multiplicity, "the multiplicity", at_least=1)

    @property
    def partition(self) -> Partition:
        """The irreducible, where the group is S_L."""
        if not isinstance(self.irrep, Partition):
            raise BadType(f"the irrep {shown(self.irrep)} is no partition: S_L has partitions")
        return self.irrep

    @property
    def weight(self) -> Rational | float:
        """Eigenvalue times multiplicity; a float where the eigenvalue is not rational."""
        if isinstance(self.eigenvalue, RealRoot):
            # A ball, since neither factor need fit in a float.
            with working_precision(64):
                return float(self.eigenvalue.enclosure(64) * self.multiplicity)
        return Rational(self.eigenvalue * self.multiplicity)


@attrs.frozen(repr=False)
class OrbitAverage(Shown):
    """The positive eigenvalues of the orbit average of a target, largest first.

    >>> print(orbit_average(targets.of_weight([0, 0, 1]), length=4).table())
    irrep  eigenvalue  multiplicity  weight
    4      13/96       1             13/96
    3+1    1/32        3             3/32
    2+2    1/96        2             1/48
    """

    levels: tuple[OrbitLevel, ...]
    group: Group

    def __attrs_post_init__(self) -> None:
        found = self.levels
        if not isinstance(found, tuple) or not all(isinstance(x, OrbitLevel) for x in found):
            raise BadType(f"the levels are {shown(found)}: give a tuple of OrbitLevels")

    def __repr__(self) -> str:
        return (
            f"OrbitAverage under {self.group!r}: {len(self.levels)} levels, "
            f"{number_text(self.rank)} eigenvalues, sum {self.norm}"
        )

    @property
    def exactness(self) -> str:
        """'exact' where all eigenvalues are rational, 'ball' where a bound is an enclosure."""
        irrational = any(isinstance(level.eigenvalue, RealRoot) for level in self.levels)
        return "ball" if irrational else "exact"

    @property
    def rank(self) -> int:
        """How many eigenvalues there are, with multiplicity: enough samples for no bound."""
        return sum(level.multiplicity for level in self.levels)

    @property
    def norm(self) -> Rational:
        """The sum of all eigenvalues, |f|^2."""
        return _add((level.eigenvalue, level.multiplicity) for level in self.levels)[0]

    @property
    def weights(self) -> dict[Any, Rational]:
        """How much of |f|^2 is in each irreducible: exact.

        >>> orbit_average(targets.of_weight([1, -1]), length=3).weights
        {Partition(3): 1/3, Partition(2, 1): 2/3}
        """
        parts: dict[Any, list[tuple[Eigenvalue, int]]] = {}
        for level in self.levels:
            parts.setdefault(level.irrep, []).append((level.eigenvalue, level.multiplicity))
        return {irrep: _add(parts[irrep])[0] for irrep in sorted(parts, key=irrep_order)}

    def part(self, irrep: Any) -> OrbitAverage:
        """What belongs to one irreducible: the orbit average of the part of the target in it."""
        name = self.group.irrep(irrep)
        own = (level for level in self.levels if self.group.irrep(level.irrep) == name)
        return attrs.evolve(self, levels=tuple(own))

    def tail(self, samples: int) -> Rational:
        """The sum of all eigenvalues but the N largest: the lower bound.

        Where the sum is not rational, what is returned is a rational number below it by less than
        2^-60.

        >>> orbit_average(targets.of_weight([0, 0, 1]), length=4).tail(2)
        1/12
        """
        count = integer(samples, "samples", at_least=0)
        total, rest = _add(self._after(count))
        if not rest:
            return total
        bits = 128
        while True:
            with working_precision(bits):
                ball = _ball_sum(rest, bits)
            radius = ball.rad().fmpq()
            if radius < flint.fmpq(1, 2**62):
                low = ball.mid().fmpq() - radius
                return Rational(max(Fraction(0), total + rational(low)))
            bits *= 2  # large eigenvalues need more bits before the point

    def samples(self, error: Any) -> int:
        """The smallest number of samples for which the bound is at most the error.

        >>> orbit_average(targets.of_weight([0, 0, 1]), length=4).samples("1/16")
        3
        """
        goal = number(error, "the error", at_least=0)
        low, high = -1, self.rank  # the bound is above the goal at low and not at high
        while high - low > 1:
            middle = (low + high) // 2
            if self._at_most(middle, goal):
                high = middle
            else:
                low = middle
        return high

    def table(self) -> str:
        """The levels as text."""
        rows = [["irrep", "eigenvalue", "multiplicity", "weight"]]
        for x in self.levels:
            weight = f"{x.weight:.10g}.." if isinstance(x.weight, float) else str(x.weight)
            name, times = self.group.text(x.irrep), number_text(x.multiplicity)
            rows.append([name, str(x.eigenvalue), times, weight])
        return columns_text(rows)

    def _view(self) -> View:
        return card(repr(self), self.table())

    def _after(self, count: int) -> Iterator[tuple[Eigenvalue, int]]:
        for level in self.levels:
            taken = min(count, level.multiplicity)
            count -= taken
            if taken < level.multiplicity:
                yield level.eigenvalue, level.multiplicity - taken

    def _at_most(self, count: int, goal: Fraction) -> bool:
        """Whether the tail after N eigenvalues is at most the goal: decided, not rounded."""
        total, rest = _add(self._after(count))
        if not rest:
            return total <= goal
        bits = 64
        while bits <= _MOST_BITS:
            with working_precision(bits):
                difference = _ball_sum(rest, bits) + flint.arb(fmpq(total - goal))
                if difference > 0:
                    return False
                if difference < 0:
                    return True
            bits *= 2
        raise Undecided(
            f"whether a sum of irrational eigenvalues is at most {goal}: {_MOST_BITS} bits do not "
            "tell; ask for a slightly different error"
        )


def _add(
    terms: Iterable[tuple[Eigenvalue, int]],
) -> tuple[Rational, list[tuple[RealRoot, int]]]:
    """A sum of multiples of eigenvalues: its rational part, and what is left over.

    The roots of one polynomial add up to a rational number, so whole sets of them are exact.
    """
    total = Fraction(0)
    roots: dict[tuple[int, ...], dict[RealRoot, int]] = {}
    for value, count in terms:
        if isinstance(value, RealRoot):
            found = roots.setdefault(value.polynomial, {})
            found[value] = found.get(value, 0) + count
        else:
            total += value * count
    rest = []
    for coefficients, found in roots.items():
        whole = min(found.values()) if len(found) == len(coefficients) - 1 else 0
        total += Rational(-coefficients[-2], coefficients[-1]) * whole
        rest += [(root, count - whole) for root, count in found.items() if count > whole]
    return Rational(total), rest


def _ball_sum(rest: list[tuple[RealRoot, int]], bits: int) -> Any:
    return sum((root.enclosure(bits) * count for root, count in rest), flint.arb(0))


# --- all targets, laws and groups ----------------------------------------------------------------
def orbit_average(
    target: Target, *, length: int, law: Any = None, group: Any = None
) -> OrbitAverage:
    """The average of (gf) x (gf) over the permutations g of a group: its eigenvalues.

    The group is None (all permutations), 'cyclic' or a Young subgroup such as (3, 2); the law is
    invariant under it, None for the uniform one. Under all permutations, functions of the weight
    of some bits have a closed form at any length, polynomials in few signs and functions of few
    tokens blocks of a few rows; anything else goes through all words.

    >>> orbit_average(targets.majority(3), length=10**6).weights[Partition(10**6 - 3, 3)]
    999995/3999992
    >>> same = targets.from_function(lambda w: w[0] == w[1], variables=2, vocabulary=3)
    >>> {str(p): str(w) for p, w in orbit_average(same, length=3).weights.items()}
    {'3': '5/27', '2+1': '4/27'}
    >>> orbit_average(same, length=10**6).rank
    499999500000
    >>> print(orbit_average(targets.parity(2), group=(3, 1), length=4).table())
    irrep    eigenvalue  multiplicity  weight
    3 x 1    1/3         1             1/3
    2+1 x 1  1/3         2             2/3
    >>> wave = targets.polynomial({(1,): 1, (2,): 0, (3,): -1})
    >>> print(orbit_average(wave, group="cyclic", length=4).table())
    irrep  eigenvalue  multiplicity  weight
    1      1           2             2
    """
    function, size = read_target(target, length)
    chosen = YoungSubgroup(size) if group is None else read_group(group, size)
    if isinstance(chosen, CyclicGroup):
        found = _on_ring(function, chosen, law)
    elif len(chosen.parts) > 1:
        found = levels_by_words(function, chosen, law)
    else:
        found = _under_all_permutations(function, size, law)
    kept = sorted((x for x in found if x.eigenvalue != 0), key=lambda x: x.eigenvalue, reverse=True)
    return OrbitAverage(tuple(kept), chosen)


def _under_all_permutations(target: Target, length: int, law: Any) -> list[OrbitLevel]:
    chosen = read_law(law, length, target.vocabulary, YoungSubgroup(length))
    if isinstance(chosen, Iid) and isinstance(target, WeightFunction):
        return _levels_of_weight(target, length, chosen.probabilities[1])
    if isinstance(chosen, Iid) and isinstance(target, BitPolynomial):
        return _levels_of_polynomial(target, length, chosen.probabilities[1])
    few = target.variables <= most_places(target.vocabulary)
    if isinstance(chosen, (Iid, Mixture)) and few:
        return levels_by_places(target, length, chosen)
    return levels_by_words(target, YoungSubgroup(length), chosen)


def levels_by_places(target: Target, length: int, law: Iid | Mixture) -> list[OrbitLevel]:
    """The levels of a target that reads few tokens, for tokens that are independent or mixed."""
    blocks = blocks_by_places(target, length, law)
    return [level for shape, block in blocks.items() for level in _of_block(shape, block)]


# --- functions of bits ----------------------------------------------------------------------------
def _levels_of_weight(target: WeightFunction, L: int, p: Rational) -> list[OrbitLevel]:
    """The closed form: one eigenvalue for each (L - m, m).

    In the variables x_a - p the coefficient h_k of a product depends on its degree k alone. The
    sum of all products of m of s variables has a harmonic part of squared norm
    dim C(s, m) C(L - s, m) / (C(L, m) C(L - m, m)), and the degrees k >= m are copies of it.
    """
    s, variance = target.variables, p * (1 - p)
    squares, below = whole(
        variance**k * h**2 for k, h in enumerate(weight_coefficients(target.values, p))
    )
    found = []
    for m in range(min(s, L - s) + 1):
        part = Rational(comb(s, m) * comb(L - s, m), comb(L, m) * comb(L - m, m))
        # The sum over k of squares[k] C(s - m, k - m)^2 / C(L - 2m, k - m), by Horner's rule.
        top, bottom = squares[s], 1
        for k in range(s - 1, m - 1, -1):
            step = (k - m + 1) * (L - m - k)
            top, bottom = top * (s - k) ** 2 + squares[k] * bottom * step, bottom * step
        shape = Partition(L - m, m)
        found.append(OrbitLevel(shape, Rational(part * Rational(top, bottom * below)), shape.dim))
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
        shape = Partition(L - m, m)
        # gram is that of the parts of f, and an eigenvalue is spread over the dimension
        block = Matrix([[gram[i, j] * norms[i] / shape.dim for j in size] for i in size])
        found += _of_block(shape, block)
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
    return [OrbitLevel(shape, value, times * shape.dim) for value, times in eigenvalues(block)]


# --- all words ------------------------------------------------------------------------------------
def levels_by_words(target: Target, group: YoungSubgroup, law: Any) -> list[OrbitLevel]:
    """The levels for any target and any law that fits, from all pairs of words.

    The mean of f(gx) f(gy) over the group is an invariant kernel, and these are its eigenvalues. It
    depends on the tables of the segments alone.
    """
    tokens = target.vocabulary
    words, (whole, scale), chosen = _tabulated(target, group, law, _PAIRED)
    keys, first = pair_classes(words, group.parts, tokens)
    if max(map(abs, whole)) ** 2 * len(words) ** 2 < 1 << 62:
        whole = whole.astype(np.int64)
    sums = np.zeros(len(first), dtype=whole.dtype)
    np.add.at(sums, keys.ravel(), np.multiply.outer(whole, whole).ravel())
    times = np.bincount(keys.ravel())
    means: list[flint.fmpq] = [
        flint.fmpq(int(s), int(n) * scale**2) for s, n in zip(sums, times, strict=True)
    ]
    place = {word: k for k, word in enumerate(words)}

    def mean(tables: Tables) -> flint.fmpq:
        x, y = pair_of(*tables)
        return means[int(keys[place[x], place[y]])]

    return [
        OrbitLevel(irrep, value, times * group.dimension(irrep))
        for irrep, block in segment_blocks(mean, group, tokens, chance_of(chosen)).items()
        for value, times in eigenvalues(block)
    ]


def _on_ring(target: Target, group: CyclicGroup, law: Any) -> list[OrbitLevel]:
    """One eigenvalue for each frequency: the transform of <f, T^t f> / L."""
    length = group.degree
    words, (values, scale), chosen = _tabulated(target, group, law, _ON_A_RING)
    chances, share = whole(map(chosen.probability, words))
    weighted, below = chances * values, scale**2 * share * length
    turned = Necklaces.rotations(length, target.vocabulary)
    powers = [np.array([[weighted @ values[turn]]], dtype=object) for turn in turned]
    orders = (d for d in range(1, length + 1) if length % d == 0)
    blocks = [RingBlock(group, d, reduced(powers, d), below, (Rational(1),)) for d in orders]
    return [
        OrbitLevel(irrep, value, times * group.dimension(irrep))
        for block in blocks
        for irrep, listed in block.eigenvalues.items()
        for value, times in listed
    ]


def _tabulated(
    target: Target, group: Group, law: Any, limit: int
) -> tuple[tuple[Word, ...], tuple[Any, int], Law]:
    """All words, the values of the target as whole numbers, and the law."""
    tokens, length = target.vocabulary, group.degree
    try:
        words = words_of(length, tokens, limit)
    except TooLarge as error:
        raise TooLarge(
            f"{error}; under all permutations also independent tokens and a function of bits or "
            f"one that reads at most {most_places(tokens)} tokens"
        ) from None
    return words, whole(map(target.value, words)), read_law(law, length, tokens, group)
