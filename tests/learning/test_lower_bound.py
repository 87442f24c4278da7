"""The lower bound: eigenvalues of the orbit average against the definition, over all g in S_L."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import ceil, comb

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.exact.roots import RealRoot
from symbench.laws import Counts, Iid, Mixture
from symbench.learning.lower_bounds import lower_bound, samples_needed, threshold_table
from symbench.learning.orbit_average import (
    OrbitAverage,
    OrbitLevel,
    levels_by_places,
    levels_by_words,
    orbit_average,
)
from symbench.learning.targets import (
    WordFunction,
    conjunction,
    from_function,
    majority,
    of_weight,
    parity,
    polynomial,
    truth_table,
)
from symbench.papers.beyond import lower_bounds
from symbench.papers.lavie2024 import data
from symbench.registry import claims, verify
from symbench.young import Partition
from symbench.young.position_groups import CyclicGroup, YoungSubgroup


def by_definition(value, vocabulary, length, probability):
    """The eigenvalues of the mean of (gf)(gf)^T in L2(p), by numpy, largest first."""
    words = list(product(range(vocabulary), repeat=length))
    root = np.sqrt([float(probability(w)) for w in words])
    total = np.zeros((len(words), len(words)))
    group = list(permutations(range(length)))
    for g in group:
        f = np.array([float(value(tuple(w[i] for i in g))) for w in words]) * root
        total += np.outer(f, f)
    return np.linalg.eigvalsh(total / len(group))[::-1]


def listed(levels):
    found = [float(x.eigenvalue) for x in levels for _ in range(x.multiplicity)]
    return np.array(sorted(found, reverse=True))


def agree(found, wanted):
    padded = np.zeros(len(wanted))
    padded[: len(found)] = found
    return np.allclose(padded, wanted, atol=1e-10)


laws = st.sampled_from(
    [
        Iid("1/2", "1/2"),
        Iid("1/3", "2/3"),
        Iid("5/6", "1/6"),
        Iid(0, 1),
        Mixture([("1/2", Iid("1/3", "2/3")), ("1/2", Iid("3/4", "1/4"))]),
    ]
)
values = st.integers(-3, 3)


@st.composite
def binary_cases(draw):
    length = draw(st.integers(1, 4))
    bits = draw(st.integers(0, length))
    if draw(st.booleans()):
        target = of_weight(draw(st.lists(values, min_size=bits + 1, max_size=bits + 1)))
    else:
        target = truth_table(draw(st.lists(values, min_size=2**bits, max_size=2**bits)))
    return target, length, draw(laws)


@settings(max_examples=60, deadline=None)
@given(binary_cases())
def test_eigenvalues_by_definition(case):
    target, length, law = case
    wanted = by_definition(target.value, 2, length, law.probability)
    spectrum = orbit_average(target, length=length, law=law)
    assert agree(listed(spectrum.levels), wanted)
    assert agree(listed(levels_by_words(target, YoungSubgroup(length), law)), wanted)
    words = product((0, 1), repeat=length)
    assert spectrum.norm == sum(law.probability(w) * target.value(w) ** 2 for w in words)
    assert sum(spectrum.weights.values()) == spectrum.norm


def test_each_level_belongs_to_its_irrep():
    """The weights of x_1 x_2 x_3 + x_1 at L = 5, from characters summed over the group."""
    length, target = 5, polynomial({(1, 2, 3): 1, (1,): 2})
    words = list(product((0, 1), repeat=length))
    f = {w: target.value(w) for w in words}
    for shape, weight in orbit_average(target, length=length).weights.items():
        total = Fraction(0)
        for g in permutations(range(length)):
            seen, cycles = set(), []
            for i in range(length):
                size = 0
                while i not in seen:
                    seen.add(i)
                    i, size = g[i], size + 1
                if size:
                    cycles.append(size)
            chi = shape.character(tuple(sorted(cycles, reverse=True)))
            total += chi * sum(f[w] * f[tuple(w[i] for i in g)] for w in words)
        assert weight == total * shape.dim / (120 * len(words))


def test_three_tokens():
    rng = np.random.default_rng(0)
    for length, law in ((3, Iid("1/2", "1/3", "1/6")), (4, Iid.uniform(3))):
        table = [int(v) for v in rng.integers(-2, 3, size=9)]
        target = WordFunction(table, vocabulary=3)
        wanted = by_definition(target.value, 3, length, law.probability)
        assert agree(listed(orbit_average(target, length=length, law=law).levels), wanted)


@st.composite
def word_cases(draw):
    vocabulary, places, length = draw(
        st.sampled_from(
            [(2, 2, 4), (3, 0, 2), (3, 1, 3), (3, 2, 2), (3, 2, 4), (3, 3, 3), (3, 3, 4), (4, 2, 3)]
        )
    )
    table = draw(st.lists(values, min_size=vocabulary**places, max_size=vocabulary**places))
    skewed = Iid(*[Fraction(2 * i + 1, vocabulary**2) for i in range(vocabulary)])
    law = draw(
        st.sampled_from(
            [
                Iid.uniform(vocabulary),
                skewed,
                Mixture([("1/3", skewed), ("2/3", Iid.uniform(vocabulary))]),
                Iid(*[int(i == 0) for i in range(vocabulary)]),
            ]
        )
    )
    return WordFunction(table, vocabulary=vocabulary), length, law


@settings(max_examples=40, deadline=None)
@given(word_cases())
def test_blocks_by_places(case):
    """Against the average over the whole group, and against the blocks from all words."""
    target, length, law = case
    wanted = by_definition(target.value, target.vocabulary, length, law.probability)
    found = levels_by_places(target, length, law)
    assert agree(listed(found), wanted)
    kept = [x for x in levels_by_words(target, YoungSubgroup(length), law) if x.eigenvalue != 0]
    assert sorted(map(repr, kept)) == sorted(repr(x) for x in found if x.eigenvalue != 0)


@pytest.mark.parametrize("length", [5, 6, 9, 1000, 10**6])
def test_places_and_polynomials_agree_for_bits(length):
    """The same functions of bits by the road of polynomials in signs, at any length."""
    table = [0, 1, 3, -2, 5, 1, 1, 0, 2, 2, -1, 0, 4, 0, 1, 7]
    for law in (Iid.uniform(2), Iid("1/3", "2/3")):
        by_places = levels_by_places(WordFunction(table, vocabulary=2), length, law)
        found = [x for x in by_places if x.eigenvalue != 0]
        wanted = orbit_average(truth_table(table), length=length, law=law).levels
        assert sorted(map(repr, found)) == sorted(map(repr, wanted))


def test_three_tokens_of_ten():
    """59,049 words: the norm by the definition, the irreducibles by how many can occur."""
    target = from_function(
        lambda w: (w[0] == w[1]) - 2 * (w[1] == w[2]) + w[0], variables=3, vocabulary=3
    )
    spectrum = orbit_average(target, length=10)
    words = list(product(range(3), repeat=3))
    assert spectrum.norm == Fraction(sum(target.value(w) ** 2 for w in words), len(words))
    mean = Fraction(sum(target.value(w) for w in words), len(words))
    assert spectrum.weights[Partition(10)] >= mean**2
    assert all(10 - x.partition.parts[0] <= 3 for x in spectrum.levels)
    assert spectrum.samples(0) == spectrum.rank


def test_a_position_that_is_not_read_costs_nothing():
    short = from_function(lambda w: w[0] == w[1], variables=2, vocabulary=3)
    long = from_function(lambda w: w[1] == w[3], variables=5, vocabulary=3)
    assert orbit_average(short, length=50) == orbit_average(long, length=50)


def test_what_fits_is_said():
    target = from_function(lambda w: sum(w), variables=6, vocabulary=3)
    with pytest.raises(TooLarge, match="reads at most 5 tokens"):
        orbit_average(target, length=12)
    law = Counts.of(lambda n: Fraction(1, 3**7), length=7, vocabulary=3)
    with pytest.raises(TooLarge):
        orbit_average(from_function(lambda w: w[0], variables=1, vocabulary=3), length=7, law=law)


def test_a_law_on_counts():
    law = Counts.of(lambda n: "1/6" if n == (2, 2) else 0, length=4, vocabulary=2)
    target = conjunction(2)
    wanted = by_definition(target.value, 2, 4, law.probability)
    assert agree(listed(orbit_average(target, length=4, law=law).levels), wanted)


@pytest.mark.parametrize(("length", "bits"), [(6, 2), (9, 3), (10, 7), (50, 4), (10**6, 5)])
def test_parity(length, bits):
    spectrum = orbit_average(parity(bits), length=length)
    assert spectrum.rank == comb(length, bits)
    assert {x.eigenvalue for x in spectrum.levels} == {Fraction(1, comb(length, bits))}
    for m, weight in enumerate(spectrum.weights.values()):
        assert weight == Fraction(Partition(length - m, m).dim, comb(length, bits))
    for error in (Fraction(0), Fraction(1, 7), Fraction(1)):
        wanted = ceil((1 - error) * comb(length, bits))
        assert samples_needed(parity(bits), length=length, error=error) == wanted


def test_conjunction_as_in_the_notes():
    """L = 1000, s = 3, p^3 = 1/2 to four digits: the weights, and what N = L samples leave."""
    p = Fraction(7937, 10000)
    spectrum = orbit_average(conjunction(3), length=1000, law=Iid(1 - p, p))
    weights = [round(float(w), 4) for w in spectrum.weights.values()]
    assert weights == [0.2506, 0.1946, 0.0505, 0.0044]
    assert spectrum.norm == p**3
    variance = p**3 - p**6
    assert round(float(spectrum.tail(1000) / variance), 3) == 0.219
    assert spectrum.samples(variance * Fraction(175, 10000)) > 1000**2 // 2


def test_the_sum_over_distances_of_the_notes():
    """The weights of AND by Eberlein polynomials, term by term, against the closed form."""

    def eberlein(L, k, i, m):
        return sum(
            (-1) ** j * comb(m, j) * comb(k - m, i - j) * comb(L - k - m, i - j)
            for j in range(min(i, m) + 1)
            if k - m >= 0
        )

    for L, s, p in ((7, 2, Fraction(1, 3)), (9, 3, Fraction(1, 2)), (12, 4, Fraction(3, 4))):
        weights = orbit_average(conjunction(s), length=L, law=Iid(1 - p, p)).weights
        for m in range(s + 1):
            dim = Partition(L - m, m).dim
            wanted = sum(
                p ** (2 * (s - k))
                * (p * (1 - p)) ** k
                * comb(s, k)
                * comb(k, i)
                * comb(s - k, i)
                * Fraction(dim * eberlein(L, k, i, m), comb(L, k) * comb(k, i) * comb(L - k, i))
                for k in range(m, s + 1)
                for i in range(min(k, s - k) + 1)
            )
            assert weights[Partition(L - m, m)] == wanted


def test_majority_of_everything_is_symmetric():
    spectrum = orbit_average(majority(9), length=9)
    assert spectrum.rank == 1
    assert samples_needed(majority(9), length=9, error="1/2") == 1
    assert samples_needed(majority(9), length=10, error=0) == 1 + 9


def test_polynomial_and_weight_roads_agree_at_large_length():
    table = truth_table([bin(i).count("1") ** 2 for i in range(16)])
    for length in (4, 5, 7, 1000, 10**6):
        a = orbit_average(of_weight([0, 1, 4, 9, 16]), length=length, law=Iid("1/3", "2/3"))
        b = orbit_average(table, length=length, law=Iid("1/3", "2/3"))
        assert a == b


IRRATIONAL = polynomial({(1, 2): 1, (3,): 1, (1, 4): 2})


def test_irrational_eigenvalues():
    spectrum = orbit_average(IRRATIONAL, length=5, law=Iid("1/3", "2/3"))
    assert spectrum.exactness == "ball"
    assert any(isinstance(x.eigenvalue, RealRoot) for x in spectrum.levels)
    wanted = by_definition(IRRATIONAL.value, 2, 5, Iid("1/3", "2/3").probability)
    for n in range(spectrum.rank + 2):
        tail = spectrum.tail(n)
        assert isinstance(tail, Fraction)
        assert abs(float(tail) - max(0, wanted[n:].sum())) < 1e-9
        if tail > 0:
            # Just above the bound n samples are enough for it, just below they are not.
            assert spectrum.samples(tail + Fraction(1, 10**9)) <= n
            assert spectrum.samples(tail - tail / 10**9) > n
    assert spectrum.samples(spectrum.norm) == 0
    assert spectrum.samples(0) == spectrum.rank
    rounded = [n for n in range(spectrum.rank) if spectrum.tail(n).denominator > 2**100]
    assert rounded
    for n in rounded:  # below the irrational sum, and by very little
        assert spectrum.samples(spectrum.tail(n)) == n + 1
        assert spectrum.samples(spectrum.tail(n) + Fraction(1, 2**60)) == n


@settings(max_examples=60, deadline=None)
@given(binary_cases(), st.fractions(min_value=0, max_value=12, max_denominator=50))
def test_samples_is_the_smallest(case, error):
    target, length, law = case
    spectrum = orbit_average(target, length=length, law=law)
    if spectrum.exactness != "exact":
        return
    eigenvalues = sorted(
        (x.eigenvalue for x in spectrum.levels for _ in range(x.multiplicity)), reverse=True
    )
    wanted = next(n for n in range(len(eigenvalues) + 1) if sum(eigenvalues[n:]) <= error)
    assert spectrum.samples(error) == wanted
    for n in range(len(eigenvalues) + 1):
        assert lower_bound(target, length=length, samples=n, law=law) == sum(eigenvalues[n:])


def test_relative_error():
    target = of_weight([0, 0, 4])
    norm = orbit_average(target, length=6).norm
    assert norm == 4
    for error in (Fraction(1, 10), Fraction(1, 2)):
        assert samples_needed(target, length=6, error=error, relative=True) == samples_needed(
            target, length=6, error=error * norm
        )


def test_thresholds():
    table = threshold_table([4, 10, 1000], [0, 1, 2, 500], error="1/3")
    found = {(x.length, x.m): (x.dimension, x.samples) for x in table.rows}
    assert (4, 500) not in found
    for (length, m), (dim, samples) in found.items():
        assert dim == comb(length, m) - (comb(length, m - 1) if m else 0)
        assert samples == ceil(Fraction(2, 3) * dim)
    assert threshold_table([9], [2], error=1).rows[0].samples == 0
    assert threshold_table([9], [2], error=3).rows[0].samples == 0
    assert "1000" in str(table)
    assert threshold_table([10**6], [12], error=0).rows[0].dimension == comb(10**6, 12) - comb(
        10**6, 11
    )


def test_printing():
    spectrum = orbit_average(parity(1), length=3)
    assert "2+1" in spectrum.table()
    assert isinstance(spectrum, OrbitAverage)
    assert OrbitAverage((), YoungSubgroup(3)).norm == 0
    assert orbit_average(of_weight([0]), length=3).samples(0) == 0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: orbit_average(None, length=3), BadType),
        (lambda: orbit_average(parity, length=3), BadType),
        (lambda: orbit_average(parity(3), length=2), BadShape),
        (lambda: orbit_average(parity(1), length=None), BadType),
        (lambda: orbit_average(parity(1), length=2.0), NotExact),
        (lambda: orbit_average(parity(0), length=0), BadValue),
        (lambda: orbit_average(parity(1), length=2, law=Iid.uniform(3)), BadShape),
        (lambda: orbit_average(parity(1), length=2, law="uniform"), BadType),
        (
            lambda: orbit_average(parity(7), length=99, law=Mixture([(1, Iid(1, 0))])),
            TooLarge,
        ),
        (
            lambda: orbit_average(
                from_function(lambda w: w[0], variables=8, vocabulary=3), length=40
            ),
            TooLarge,
        ),
        (lambda: orbit_average(polynomial({tuple(range(1, 60)): 1}), length=99), TooLarge),
        (lambda: lower_bound(parity(1), length=3, samples=-1), BadValue),
        (lambda: lower_bound(parity(1), length=3, samples=1.5), NotExact),
        (lambda: lower_bound(parity(1), length=3, samples=True), BadType),
        (lambda: samples_needed(parity(1), length=3, error=0.1), NotExact),
        (lambda: samples_needed(parity(1), length=3, error=None), BadType),
        (lambda: samples_needed(parity(1), length=3, error=-1), BadValue),
        (lambda: samples_needed(parity(1), length=3, error=0, relative=1), BadType),
        (lambda: threshold_table(None, [1], error=0), BadType),
        (lambda: threshold_table("12", [1], error=0), BadType),
        (lambda: threshold_table([0], [1], error=0), BadValue),
        (lambda: threshold_table([3], [-1], error=0), BadValue),
        (lambda: threshold_table([3], [1], error=0.5), NotExact),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


@pytest.mark.parametrize(
    "id",
    [
        "lavie2024.sample-complexity",
        "symbench.kernel-lower-bound",
        "symbench.orbit-average",
        "lavie2024.omega-l-m",
        "symbench.two-row-samples",
        "lavie2024.exchangeability",
        "symbench.kernel-versus-features",
    ],
)
def test_the_claims(id):
    verdict = verify(id)
    assert verdict.as_expected
    assert verdict.near_misses


@pytest.mark.parametrize("scale", [1, 10**15, 10**60])
def test_tails_of_large_eigenvalues(scale):
    """A bound that is not rational is known to 2^-60, however large the target is."""
    terms = {(1,): 1, (2,): -1, (1, 2): 3, (2, 3): 1, (1, 3): -2, (1, 2, 3): 1}
    small = orbit_average(polynomial(terms), length=6)
    assert small.exactness == "ball"
    large = orbit_average(polynomial({k: scale * c for k, c in terms.items()}), length=6)
    for samples in range(12):
        below = large.tail(samples)
        with flint.ctx.workprec(2000):
            exact, left = flint.arb(0), samples
            for level in small.levels:
                taken = min(left, level.multiplicity)
                left -= taken
                value = level.eigenvalue
                ball = value.enclosure(2000) if isinstance(value, RealRoot) else None
                ball = flint.arb(flint.fmpq(*value.as_integer_ratio())) if ball is None else ball
                exact += ball * (level.multiplicity - taken)
            gap = exact * scale**2 - flint.arb(flint.fmpq(*below.as_integer_ratio()))
            assert gap < flint.arb(2) ** -60
            assert gap > -(flint.arb(2) ** -100)


def test_labels_of_other_groups():
    """A level may belong to an irreducible of any group; a spectrum sorts and adds them alike."""
    levels = (OrbitLevel(2, 3, 2), OrbitLevel(0, 1, 1), OrbitLevel(1, 1, 2))
    found = OrbitAverage(levels, CyclicGroup(5))
    assert found.weights == {0: 1, 1: 2, 2: 6}
    assert list(found.weights) == [0, 1, 2]
    assert found.tail(2) == 3
    with pytest.raises(BadType, match="is no partition"):
        _ = levels[0].partition
    for wrong in (None, "2+1", (), (1, 2), True):
        with pytest.raises(BadType):
            OrbitLevel(wrong, 1, 1)


def test_weights_beyond_floats():
    """An eigenvalue of 10^-300 that is not rational, and 10^310 of it: the weight is a float."""
    root = RealRoot((-1, 0, 2 * 10**600), 1)  # 1 / (sqrt(2) 10^300)
    assert OrbitLevel(Partition(1), root, 10**310).weight == pytest.approx(0.5**0.5 * 1e10)


def test_functions_of_many_bits():
    """The closed form at hundreds of bits adds up to |f|^2, and takes no time."""
    p = Fraction(1, 3)
    spectrum = orbit_average(majority(301), length=700, law=Iid(1 - p, p))
    assert spectrum.norm == 1
    assert len(spectrum.levels) == 302
    with pytest.raises(TooLarge):
        parity(1001)


def test_the_claims_are_sharp():
    """A bound one eigenvalue too large is noticed by the exact error of some regression."""
    case = ("equal", 2, (((), 1),), Fraction(1, 2), 1, Fraction(1, 20))
    assert lower_bounds.kernel_lower_bound.function(case) is True
    assert not lower_bounds.kernel_lower_bound.function(case, fewer=1)
    assert claims["symbench.kernel-lower-bound"].look(case) == ("holds", "")


def test_modes_in_complex_numbers():
    """C_k of a sticky chain by numpy: what the exact check in cyclotomic numbers refuses."""
    law = data._sticky(4)
    assert sum(law.values()) == 1
    C = []
    for k in range(4):
        total = np.zeros((2, 2), dtype=complex)
        for word, p in law.items():
            mode = np.exp(2j * np.pi * k * np.arange(4) / 4) @ np.eye(2)[list(word)] / 2
            total += float(p) * np.outer(mode, mode.conj())
        C.append(total)
    assert not np.allclose(C[1], C[2])
    assert not data._modes_agree(law)
    assert data._modes_agree(data._word_law(3, ((Fraction(1), (Fraction(1, 3), Fraction(2, 3))),)))


def test_search_finds_parities():
    """Published sizes: 20, 25 and 31 samples for T = 100, 300, 1100, s = 3; at least 18, 23, 28."""
    assert [lower_bounds.searched(T, 3) for T in (100, 300, 1100)] == [20, 25, 31]
    assert [(comb(T, 3) - 1).bit_length() for T in (100, 300, 1100)] == [18, 23, 28]
    assert lower_bounds._survival(3, 1, 1) == Fraction(3, 4)
    assert lower_bounds._survival(2, 1, 2) == Fraction(1, 4)
