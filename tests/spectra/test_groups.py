"""Spectra by irreps of Young subgroups and of the cyclic group, against all words at once.

The oracle writes the operator down over all words, and projects it by the characters of the group:
exactly where they are rational, in floats where they are cosines.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import cos, factorial, gcd, pi, prod

import flint
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    SymbenchError,
    TooLarge,
    UnknownName,
)
from symbench.exact.roots import RealRoot
from symbench.kernels import (
    from_table,
    inner_product,
    linear_attention,
    softmax_attention,
    transformer,
)
from symbench.kernels.float_value import FloatValue
from symbench.kernels.positions import (
    PositionalAttention,
    ring_attention,
    segment_attention,
)
from symbench.laws import Iid, Mixture, Words, ring_chain, segments
from symbench.learning.lower_bounds import lower_bound
from symbench.learning.orbit_average import levels_by_words, orbit_average
from symbench.learning.targets import from_function, parity, polynomial
from symbench.papers.beyond import groups as claims_of_groups
from symbench.registry import verify
from symbench.spectra import spectrum
from symbench.young import Partition, partitions
from symbench.young.position_groups import (
    CyclicGroup,
    YoungSubgroup,
    contains,
    elements,
    read_group,
)
from tests.spectra import oracles

HALF = Fraction(1, 2)


# --- the oracle ----------------------------------------------------------------------------------
def permutations_of(group, length):
    """All permutations of a group, from its description."""
    if group == "cyclic":
        return [tuple((a + t) % length for a in range(length)) for t in range(length)]
    label = [k for k, part in enumerate(group) for _ in range(part)]
    return [
        g for g in permutations(range(length)) if all(label[a] == label[b] for a, b in enumerate(g))
    ]


def act(word, g):
    return tuple(word[a] for a in g)


def averaged(values, group, length, vocabulary):
    """An invariant symmetric kernel: the mean of a table of values over the group."""
    words = oracles.words(length, vocabulary)
    place = {w: k for k, w in enumerate(words)}
    moves = permutations_of(group, length)
    raw = np.array([values[k % len(values)] for k in range(len(words) ** 2)], dtype=object)
    raw = raw.reshape(len(words), len(words))
    raw = raw + raw.T
    total = 0 * raw
    for g in moves:
        image = [place[act(w, g)] for w in words]
        total = total + raw[np.ix_(image, image)]
    total = total * Fraction(1, len(moves))
    return lambda x, y: total[place[x], place[y]]


def law_of(weights, group, length, vocabulary):
    """An invariant law: weights averaged over orbits, made to add up to 1."""
    words = oracles.words(length, vocabulary)
    moves = permutations_of(group, length)
    raw = {w: Fraction(weights[k % len(weights)]) for k, w in enumerate(words)}
    total = {w: sum(raw[act(w, g)] for g in moves) for w in words}
    whole = sum(total.values())
    return Words.of({w: p / whole for w, p in total.items()}, length=length, vocabulary=vocabulary)


def cycle_types(g, group):
    """The cycle type of a permutation on each segment."""
    found, start = [], 0
    for part in group:
        left, cycles = set(range(start, start + part)), []
        while left:
            a, size = min(left), 0
            while a in left:
                left.remove(a)
                a, size = g[a], size + 1
            cycles.append(size)
        found.append(Partition(*sorted(cycles, reverse=True)))
        start += part
    return found


def projector(group, irrep, length, vocabulary):
    """The projector to an irrep, from its character; exact for Young subgroups."""
    words = oracles.words(length, vocabulary)
    place = {w: k for k, w in enumerate(words)}
    moves = permutations_of(group, length)
    total = np.zeros((len(words), len(words)), dtype=object)
    for t, g in enumerate(moves):
        if group == "cyclic":
            both = 1 if 2 * irrep % length == 0 else 2
            value = both * cos(2 * pi * irrep * t / length)
        else:
            shapes = zip(irrep, cycle_types(g, group), strict=True)
            value = prod(shape.dim * shape.character(kind) for shape, kind in shapes)
        for w in words:
            total[place[w], place[act(w, g)]] += value
    if group == "cyclic":
        return total.astype(float) / len(moves)
    return total * Fraction(1, len(moves))


def polynomial_of(levels):
    """The product of (x - eigenvalue)^multiplicity; whole sets of conjugate roots."""
    total = flint.fmpq_poly([1])
    roots = {}
    for value, times in levels:
        if isinstance(value, RealRoot):
            counts = roots.setdefault(value.polynomial, {})
            counts[value] = counts.get(value, 0) + times
        else:
            factor = flint.fmpq_poly([-flint.fmpq(value.numerator, value.denominator), 1])
            total *= factor**times
    for coefficients, counts in roots.items():
        assert len(counts) == len(coefficients) - 1, "a root without its conjugates"
        assert len(set(counts.values())) == 1, "conjugates with different multiplicities"
        factor = flint.fmpq_poly(list(coefficients)) / coefficients[-1]
        total *= factor ** next(iter(counts.values()))
    return total


def chance(law):
    return (lambda w: HALF ** len(w)) if law is None else law.probability


def agree_with_words(found, kernel, law, group):
    """Everything that a spectrum says, against the operator over all words."""
    length, V = found.length, found.vocabulary
    whole = oracles.operator(kernel, law, length, V)
    size = V**length
    assert sum(level.multiplicity for level in found.levels) == found.dimension == size
    pairs = [(level.eigenvalue, level.multiplicity) for level in found.levels]
    assert polynomial_of(pairs) == whole.charpoly()
    trace = sum((whole[k, k] for k in range(size)), flint.fmpq(0))
    assert flint.fmpq(found.trace.numerator, found.trace.denominator) == trace
    if group == "cyclic":
        frequencies_agree(found, whole, law)
    else:
        partitions_agree(found, whole, group)


def partitions_agree(found, whole, group):
    seen = set()
    for shapes in product(*map(partitions, group)):
        P = projector(group, shapes, found.length, found.vocabulary)
        irrep = shapes if len(shapes) > 1 else shapes[0]  # those of S_L are partitions
        table = [[flint.fmpq(v.numerator, v.denominator) for v in row] for row in P]
        restricted = (flint.fmpq_mat(table) * whole).charpoly()
        if irrep not in found.irreps:
            assert not P.any()
            continue
        seen.add(irrep)
        piece = found[irrep]
        pairs = [(level.eigenvalue, level.multiplicity) for level in found if level.irrep == irrep]
        rest = whole.nrows() - piece.copies * piece.dimension
        assert polynomial_of([*pairs, (Fraction(0), rest)]) == restricted
        assert piece.dimension == prod(shape.dim for shape in shapes)
        assert found.block(irrep).shape == (piece.copies, piece.copies)
    assert seen == set(found.irreps)


def frequencies_agree(found, whole, law):
    """In floats: the operator made symmetric by the law, projected to each frequency."""
    words = oracles.words(found.length, found.vocabulary)
    p = np.array([float(law(w)) for w in words])
    alive = p > 0
    root = np.sqrt(p[alive])
    kernel = np.array([[float(v.p) / float(v.q) for v in row] for row in whole.table()])
    kernel = kernel[np.ix_(alive, alive)] / p[alive] * np.outer(root, root)
    for j in found.irreps:
        P = projector("cyclic", j, found.length, found.vocabulary)
        assert round(P.trace()) == found[j].copies * found[j].dimension
        P = P[np.ix_(alive, alive)]
        wanted = np.linalg.eigvalsh(P @ ((kernel + kernel.T) / 2) @ P)
        mine = [float(v) for v in found[j].eigenvalues for _ in range(found[j].dimension)]
        # Everything outside of the frequency, and words of probability 0, are zeros.
        wanted, mine = (sorted(abs(v) for v in values) for values in (wanted, mine))
        size = max(len(wanted), len(mine))
        wanted, mine = ([0.0] * (size - len(v)) + v for v in (wanted, mine))
        assert np.allclose(wanted, mine, atol=1e-7 * max(1, max(mine)))


NUMBERS = st.lists(st.integers(-5, 5), min_size=3, max_size=40)
WEIGHTS = st.lists(st.integers(0, 4), min_size=2, max_size=20).filter(lambda w: w[0] > 0)
SIZES = [
    ((2, 1), 3, 2),
    ((2, 2), 4, 2),
    ((3, 1), 4, 2),
    ((1, 2, 1), 4, 2),
    ((2, 1), 3, 3),
    ((4,), 4, 2),
]


# --- random kernels ------------------------------------------------------------------------------
@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SIZES), NUMBERS, WEIGHTS)
def test_young_subgroups(case, values, weights):
    group, length, V = case
    kernel, law = averaged(values, group, length, V), law_of(weights, group, length, V)
    found = spectrum(kernel, length=length, vocabulary=V, law=law, group=group)
    assert found.invariance == "all pairs"
    agree_with_words(found, kernel, law.probability, group)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (3, 3), (2, 4)]), NUMBERS, WEIGHTS)
@example((5, 2), [1, 2, -3, 5, 0, 4, -1], [1])
@example((5, 2), [1, 2, -3], [3, 0, 1])
def test_cyclic_groups(case, values, weights):
    length, V = case
    kernel = averaged(values, "cyclic", length, V)
    law = law_of(weights, "cyclic", length, V)
    found = spectrum(kernel, length=length, vocabulary=V, law=law, group="cyclic")
    agree_with_words(found, kernel, law.probability, "cyclic")


@pytest.mark.parametrize("length", [6, 7])
def test_longer_rings(length):
    """Frequencies that are conjugate over the rationals are told apart."""
    values = [(7 * k * k + 3 * k) % 11 for k in range(13)]
    kernel = averaged(values, "cyclic", length, 2)
    found = spectrum(kernel, length=length, vocabulary=2, group="cyclic")
    whole = oracles.operator(kernel, lambda w: HALF**length, length, 2)
    frequencies_agree(found, whole, lambda w: HALF**length)
    if length == 7:
        tops = [found[j].eigenvalues[0] for j in (1, 2, 3)]
        assert len({top.polynomial for top in tops}) == 1  # one orbit of the Galois group
        assert len(set(tops)) == 3


# --- kernels of sb -------------------------------------------------------------------------------
@pytest.mark.parametrize(("length", "readout"), [(5, "sum"), (5, "flatten"), (8, "flatten")])
def test_attention_on_a_ring(length, readout):
    positions = [3, 1, *[0] * (length - 3), 1]
    kernel = ring_attention("1/2", 2, positions=positions, readout=readout)
    law = ring_chain([["3/4", "1/4"], ["1/2", "1/2"]], length=length)
    found = spectrum(kernel, length=length, vocabulary=2, law=law, group="cyclic")
    assert found.invariance == "by construction"
    words = oracles.words(length, 2)
    X = np.array(words)
    # Twice the covariance, so that it is whole: eight times the kernel.
    C = np.array([[4 * positions[a - b] for b in range(length)] for a in range(length)])
    K = (X[:, None, :, None] == X[None, :, None, :]) + C
    read = K.sum((2, 3)) if readout == "sum" else np.trace(K, axis1=2, axis2=3)
    values = read * (K**2).sum((2, 3))
    place = {w: k for k, w in enumerate(words)}

    def by_definition(x, y):
        return Fraction(int(values[place[x], place[y]]), 8)

    whole = oracles.operator(by_definition, law.probability, length, 2)
    frequencies_agree(found, whole, law.probability)
    trace = sum((whole[k, k] for k in range(2**length)), flint.fmpq(0))
    assert flint.fmpq(found.trace.numerator, found.trace.denominator) == trace


def major_index(tableau):
    row = {entry: k for k, line in enumerate(tableau.rows) for entry in line}
    return sum(i for i in range(1, len(row)) if row[i + 1] > row[i])


@pytest.mark.parametrize(("length", "V"), [(4, 2), (5, 2), (6, 2), (4, 3)])
def test_restriction_from_the_symmetric_group(length, V):
    """S^lambda has the frequency j once for each tableau of major index j mod L.

    Kraskiewicz and Weyman, "Algebra of coinvariants and the action of a Coxeter element".
    """
    kernel = linear_attention(1, 2, readout="flatten")
    law = Iid(*[Fraction(k + 1, V * (V + 1) // 2) for k in range(V)])
    large = spectrum(kernel, length=length, vocabulary=V, law=law)
    small = spectrum(kernel, length=length, vocabulary=V, law=law, group="cyclic")
    wanted = {j: {} for j in range(length // 2 + 1)}
    for shape in large.partitions:
        majors = [major_index(t) % length for t in shape.standard_tableaux()]
        for j, counts in wanted.items():
            times = majors.count(j)
            assert times == majors.count(-j % length)
            for value in large[shape].eigenvalues if times else ():
                counts[value] = counts.get(value, 0) + times
    for j, counts in wanted.items():
        mine = {}
        for value in small[j].eigenvalues:
            mine[value] = mine.get(value, 0) + 1
        assert mine == counts


def test_number_of_necklaces():
    counts = [2, 3, 4, 6, 8, 14, 20, 36]  # OEIS A000031
    kernel = inner_product(lambda n: n)
    for length, count in enumerate(counts, 1):
        found = spectrum(kernel, length=length, vocabulary=2, group="cyclic")
        assert found[0].copies == count
        assert found.dimension == 2**length
        aperiodic = sum(
            1 for w in oracles.words(length, 2)
            if w == min(w[t:] + w[:t] for t in range(length))
            and len({w[t:] + w[:t] for t in range(length)}) == length
        )  # fmt: skip
        if length > 1:
            assert found[1].copies == aperiodic


@pytest.mark.parametrize("fixed", [0, 1, 2])
@pytest.mark.parametrize("readout", ["sum", "last"])
def test_fixed_positions_are_segments_of_one(fixed, readout):
    if readout == "last" and not fixed:
        return
    kernel, law = linear_attention(1, "1/2", readout=readout), Iid("1/3", "2/3")
    group = (4 - fixed, *[1] * fixed)
    old = spectrum(kernel, length=4, vocabulary=2, law=law, fixed=fixed)
    new = spectrum(kernel, length=4, vocabulary=2, law=law, group=group)
    assert new.trace == old.trace
    assert len(new.irreps) == len(old.partitions)
    for shape in old.partitions:
        irrep = (shape, *[Partition(1)] * fixed)
        assert new[irrep].eigenvalues == old[shape].eigenvalues
        assert new[irrep].dimension == old[shape].dimension


def test_causal_attention_read_at_the_last_position():
    """One layer does not see the order of the others; with a sum over positions it does."""
    kernel = linear_attention(1, 1, readout="last", causal=True)
    found = spectrum(kernel, length=4, vocabulary=2, group=(3, 1))
    plain = spectrum(linear_attention(1, 1, readout="last"), length=4, vocabulary=2, group=(3, 1))
    assert found.levels == plain.levels
    assert (found.invariance, plain.invariance) == ("all pairs", "by construction")
    with pytest.raises(BadValue, match=r"not invariant under YoungSubgroup\(3, 1\)"):
        spectrum(linear_attention(1, 1, causal=True), length=4, vocabulary=2, group=(3, 1))
    for group in ((1, 3), (2, 2), "cyclic"):
        with pytest.raises(BadValue, match="not invariant under"):
            spectrum(linear_attention(1, 1, readout="last"), length=4, vocabulary=2, group=group)


def test_two_segments():
    kernel = segment_attention(1, "1/2", 2, segments=(3, 2), readout="flatten")
    law = segments((3, Iid("1/4", "3/4")), (2, None))
    found = spectrum(kernel, length=5, vocabulary=2, law=law, group=(3, 2))

    def by_definition(x, y):
        label, size = (0, 0, 0, 1, 1), range(5)
        K = [
            [(x[a] == y[b]) + HALF * (a == b) + 2 * (label[a] == label[b]) for b in size]
            for a in size
        ]
        return sum(K[a][a] for a in size) * sum(v * v for row in K for v in row)

    agree_with_words(found, by_definition, law.probability, (3, 2))
    with pytest.raises(BadValue, match=r"after the transposition \(3 4\) of positions"):
        spectrum(kernel, length=5, vocabulary=2, group=(5,))


def test_table_kernels_and_every_road_of_segments():
    """The longest segment by itself, or all segments transformed: more than 64 tuples of tables."""
    kernel = from_table(lambda t: t[0][0] * 3 + t[1][1] ** 2 + t[0][1] * t[1][0])
    for group in ((4, 4), (7, 1), (8,)):
        found = spectrum(kernel, length=8, vocabulary=2, group=group)
        counts = {}
        for level in found.levels:
            value = level.eigenvalue
            counts[value] = counts.get(value, 0) + level.multiplicity
        if group == (4, 4):
            first = counts
        assert counts == first
        assert sum(counts.values()) == 256


# --- kernels of positions ------------------------------------------------------------------------
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_values_of_positional_attention(data):
    length = data.draw(st.integers(1, 5))
    entries = st.fractions(-2, 2, max_denominator=3)
    root = [[data.draw(entries) for _ in range(2)] for _ in range(length)]
    C = [[sum(a * b for a, b in zip(u, v, strict=True)) for v in root] for u in root]
    alpha = data.draw(st.fractions(0, 3, max_denominator=4))
    readout, layers = data.draw(st.sampled_from(["sum", "flatten"])), data.draw(st.integers(1, 2))
    kernel = PositionalAttention(alpha, C, readout=readout, layers=layers)
    words = st.tuples(*[st.integers(0, 2)] * length)
    x, y = data.draw(words), data.draw(words)
    K = [
        [alpha * (s == t) + c for t, c in zip(y, row, strict=True)]
        for s, row in zip(x, C, strict=True)
    ]
    for _ in range(layers):
        square = sum(v * v for row in K for v in row)
        K = [[v * square for v in row] for row in K]
    wanted = sum(map(sum, K)) if readout == "sum" else sum(K[a][a] for a in range(length))
    assert kernel.value("".join("ABC"[t] for t in x), "".join("ABC"[t] for t in y)) == wanted
    table, denominator = kernel.gram(np.array([x, y]), np.array([y]))
    assert Fraction(int(table[0, 0]), denominator) == wanted
    assert Fraction(int(table[1, 0]), denominator) == kernel.on_tokens(y, y)


def test_a_ring_without_neighbours_is_linear_attention():
    for readout, layers in product(("sum", "flatten"), (1, 2)):
        old = linear_attention("2/3", "1/5", readout=readout, layers=layers)
        new = ring_attention("2/3", "1/5", positions=[1, 0, 0], readout=readout, layers=layers)
        for x, y in product(product("AB", repeat=3), repeat=2):
            assert old.value("".join(x), "".join(y)) == new.value("".join(x), "".join(y))
    words = np.array(list(product(range(2), repeat=3)))
    table, denominator = old.gram(words, words)
    assert Fraction(int(table[1, 2]), denominator) == old.value("AAB", "ABA")
    huge = ring_attention(10**9, 1, positions=[1, 0, 0])
    assert huge.gram(words, words)[0][0, 0] == huge.value("AAA", "AAA")


# --- laws ----------------------------------------------------------------------------------------
def test_a_chain_on_a_ring():
    P = [[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 3), Fraction(2, 3)], [1, 0, 0]]
    law = ring_chain(P, length=4)
    matrix = np.array(P, dtype=object)
    whole = sum(matrix.dot(matrix).dot(matrix).dot(matrix)[k][k] for k in range(3))
    for w in oracles.words(4, 3):
        wanted = prod((P[w[a]][w[(a + 1) % 4]] for a in range(4)), start=Fraction(1)) / whole
        assert law.probability(w) == wanted == law.probability(w[1:] + w[:1])


def test_laws_that_are_not_invariant():
    law = Words.of({(0, 1, 1): HALF, (1, 0, 1): HALF}, length=3, vocabulary=2)
    kernel = linear_attention(1, 1)
    with pytest.raises(BadValue, match=r"CyclicGroup\(3\): p\(0, 1, 1\) = 1/2, p\(1, 1, 0\) = 0"):
        spectrum(kernel, length=3, vocabulary=2, law=law, group="cyclic")
    with pytest.raises(BadValue, match=r"\(1, 2\): p\(1, 0, 1\) = 1/2, p\(1, 1, 0\) = 0"):
        spectrum(kernel, length=3, vocabulary=2, law=law, group=(1, 2))
    spectrum(kernel, length=3, vocabulary=2, law=law, group=(2, 1))


# --- lower bounds --------------------------------------------------------------------------------
def orbit_operator(values, group, law, length, vocabulary):
    """The mean of (gf)(x) (gf)(y) p(y), from the definition."""
    words = oracles.words(length, vocabulary)
    f = dict(zip(words, values, strict=True))
    moves = permutations_of(group, length)

    def kernel(x, y):
        return sum(f[act(x, g)] * f[act(y, g)] for g in moves) / Fraction(len(moves))

    return oracles.operator(kernel, law, length, vocabulary)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(
        [("cyclic", 3), ("cyclic", 4), ("cyclic", 5), ((2, 1), 3), ((2, 2), 4), ((4,), 4)]
    ),
    st.lists(st.integers(-3, 3), min_size=32, max_size=32),
    WEIGHTS,
)
def test_orbit_averages(case, numbers, weights):
    group, length = case
    values = numbers[: 2**length]
    law = law_of(weights, group, length, 2)
    target = from_function(lambda w: values[int("".join(map(str, w)), 2)], variables=length)
    found = orbit_average(target, group=group, length=length, law=law)
    whole = orbit_operator(values, group, law.probability, length, 2)
    pairs = [(x.eigenvalue, x.multiplicity) for x in found.levels]
    zeros = 2**length - sum(times for _, times in pairs)
    assert polynomial_of([*pairs, (Fraction(0), zeros)]) == whole.charpoly()
    assert found.norm == sum(
        law.probability(w) * v**2 for w, v in zip(oracles.words(length, 2), values, strict=True)
    )
    falling = [x.eigenvalue for x in found.levels]
    assert all(a >= b > 0 for a, b in zip(falling, falling[1:] or falling, strict=False))
    if group == "cyclic":
        # One eigenvalue for each frequency: the power spectrum of f.
        words = oracles.words(length, 2)
        f, p = dict(zip(words, values, strict=True)), law.probability
        r = [sum(p(w) * f[w] * f[w[t:] + w[:t]] for w in words) for t in range(length)]
        power = [
            sum(float(r[t]) * cos(2 * pi * j * t / length) for t in range(length)) / length
            for j in range(length)
        ]
        for j in range(length // 2 + 1):
            mine = [float(x.eigenvalue) for x in found.levels if x.irrep == j] or [0.0]
            assert len(mine) == 1
            assert abs(mine[0] - power[j]) < 1e-9


@pytest.mark.parametrize("length", [3, 4, 5])
def test_the_whole_symmetric_group_from_all_words(length):
    target = polynomial({(1, 2): 1, (3,): -2, (): 1})
    law = Mixture([("1/3", Iid("1/2", "1/2")), ("2/3", Iid("1/4", "3/4"))])
    short = orbit_average(target, length=length, law=law)
    assert short == orbit_average(target, group=(length,), length=length, law=law)
    every = levels_by_words(target, YoungSubgroup(length), law)
    assert {x for x in every if x.eigenvalue != 0} == set(short.levels)


def test_one_frequency_needs_two_samples():
    wave = polynomial({(1,): 1, (2,): 1, (4,): -1, (5,): -1})  # cos and its shift, on 6 places
    found = orbit_average(wave, group="cyclic", length=6)
    assert [(x.irrep, x.multiplicity) for x in found.levels] == [(1, 2)]
    assert lower_bound(wave, group="cyclic", length=6, samples=2) == 0
    assert lower_bound(wave, group=(6,), length=6, samples=2) > 0


# --- groups --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("group", "length"), [("cyclic", 1), ("cyclic", 6), ((2, 3), 5), ((1, 1), 2)]
)
def test_groups(group, length):
    found = read_group(group, length)
    moves = elements(found)
    assert sorted(moves) == sorted(permutations_of(group, length))
    assert len(moves) == found.order
    if group == "cyclic":
        assert sum(found.dimension(j) for j in found.irreps) == length
        assert [found.turn(j) for j in found.irreps] == [
            length // gcd(j, length) for j in found.irreps
        ]
    else:
        assert sum(found.dimension(irrep) ** 2 for irrep in found.irreps) == found.order
        assert found.order == prod(map(factorial, group))


def test_containment():
    groups = ["cyclic", (4,), (3, 1), (2, 2), (1, 3), (2, 1, 1), (1, 1, 1, 1)]
    for big, small in product(groups, repeat=2):
        wanted = set(permutations_of(small, 4)) <= set(permutations_of(big, 4))
        assert contains(big, small, 4) == wanted


@pytest.mark.parametrize("group", ["cyclic", (2, 2)])
def test_a_third_of_a_target(group):
    """Eigenvalues are quadratic in the target, and a law with denominators changes nothing."""
    terms = {(1,): 1, (1, 2): 2, (): -1}
    law = Iid(Fraction(2, 5), Fraction(3, 5))
    whole, third = (
        orbit_average(
            polynomial({k: c * scale for k, c in terms.items()}), group=group, length=4, law=law
        )
        for scale in (1, Fraction(1, 3))
    )
    assert third.norm == whole.norm / 9
    for n in range(3):
        assert abs(third.tail(n) - whole.tail(n) / 9) <= Fraction(1, 2**59)


# --- what it looks like --------------------------------------------------------------------------
def test_faces(tmp_path):
    kernel = ring_attention(1, 1, positions=[2, 1, 0, 0, 1])
    found = spectrum(kernel, length=5, vocabulary=2, group="cyclic")
    assert str(found) == found.table()
    assert "frequency" not in found.table()
    assert found.table(limit=1).endswith(f"... and {len(found) - 1} more levels")
    assert found.latex().count(r"\\") == len(found) + 1
    assert found[4] == found[1]
    assert next(iter(found)) == found.levels[0]
    found.plot(tmp_path / "ring.svg")
    assert (tmp_path / "ring.svg").stat().st_size > 1000
    with pytest.raises(BadType, match="give a file name"):
        found.plot(3)
    bounds = found.trace_bounds()
    assert all(bound.holds for bound in bounds)
    assert len(bounds) == sum(found[j].copies for j in found.irreps)
    assert bounds[0].bound == found.trace
    low = from_table(lambda t: -t[0][0] - t[1][1])
    with pytest.raises(BadValue, match="not positive semidefinite"):
        spectrum(low, length=2, vocabulary=2, group=(1, 1)).trace_bounds()


def test_faces_of_large_numbers():
    """Long numbers are cut in a table as those of S_L are, and what is no float is not drawn."""
    for size in (10**400, Fraction(1, 10**400)):
        found = spectrum(lambda x, y, s=size: s * (x == y), **{**RING, "length": 2})
        with pytest.raises(BadValue, match="cannot be drawn"):
            found.plot()
        assert max(map(len, found.table().splitlines()[1:])) < 70
    zero = spectrum(lambda x, y: 0, **RING)
    assert zero.plot() is not None


def test_a_plot_has_the_bound():
    found = spectrum(KERNEL, length=3, vocabulary=2, group="cyclic")
    (axes,) = found.plot().axes
    points, line, zero = axes.get_lines()
    assert [points.get_label(), line.get_label()] == ["eigenvalues", "trace / dim"]
    # A logarithmic axis has no zero: the legend counts them, in words and irreps.
    count = sum(x.multiplicity for x in found if x.eigenvalue == 0)
    places = [float(j) for j in found.irreps if 0 in found[j].eigenvalues]
    assert f"zero: {count} of the eigenvalues, on {len(places)} of " in zero.get_label()
    assert (list(zero.get_xdata()), count > 0) == (places, True)
    assert list(line.get_ydata()) == [float(found.trace), float(found.trace) / 2]
    assert len(points.get_xdata()) == sum(x.eigenvalue > 0 for x in found)


@pytest.mark.parametrize("group", ["cyclic", (2, 2), (3, 1), (1, 2, 1)])
@pytest.mark.parametrize("backend", ["ball", "float"])
def test_balls_and_floats_under_every_group(group, backend):
    """A layer of neurons, against the operator over all words projected to each irrep."""
    kernel = transformer("erf", linear_attention("1/3", "1/2", readout="flatten"))
    law = Iid("1/3", "2/3")
    found = spectrum(kernel, length=4, vocabulary=2, law=law, group=group, backend=backend)
    assert (found.exactness, found.invariance) == (backend, "by construction")
    words = oracles.words(4, 2)
    roots = np.sqrt([float(law.probability(w)) for w in words])
    text = ["".join("AB"[t] for t in w) for w in words]
    matrix = np.array([[float(kernel.value(x, y)) for y in text] for x in text])
    matrix *= np.outer(roots, roots)
    whole = sorted(float(x.eigenvalue) for x in found for _ in range(x.multiplicity))
    assert whole == pytest.approx(np.linalg.eigvalsh(matrix).tolist(), abs=1e-12)
    assert float(found.trace) == pytest.approx(matrix.trace())
    for piece in found.pieces:
        P = np.array(projector(group, piece.irrep, 4, 2), dtype=float)
        total = sum(map(float, piece.eigenvalues)) * piece.dimension
        assert total == pytest.approx(np.trace(P @ matrix), abs=1e-12)
        for value in piece.eigenvalues:
            assert backend == "float" or value.rad() < flint.arb("1e-30")
            assert backend == "ball" or (value.digits >= 5 or abs(float(value)) < 1e-8)


@pytest.mark.parametrize("group", ["cyclic", (2, 1)])
def test_softmax_attention_under_smaller_groups(group):
    """Float values from two computations: the levels of S_L, sorted anew."""
    kernel = softmax_attention(1, 1)
    large = spectrum(kernel, length=3, vocabulary=2, digits=5)
    small = spectrum(kernel, length=3, vocabulary=2, digits=5, group=group)
    one, two = (
        sorted(float(x.eigenvalue) for x in found for _ in range(x.multiplicity))
        for found in (large, small)
    )
    assert one == pytest.approx(two, rel=1e-4, abs=1e-6)
    assert small.exactness == "float"
    assert all(x.eigenvalue.digits >= 2 for x in small if float(x.eigenvalue) > 1e-3)


def test_values_that_are_floats_without_a_second_computation():
    for group in ("cyclic", (2, 1)):
        with pytest.raises(SymbenchError):
            spectrum(lambda x, y: FloatValue(0.5, 3), length=3, vocabulary=2, group=group)


def test_one_token_and_long_segments():
    """Nothing goes through all partitions of the length: 200 has 4 * 10^12."""
    found = spectrum(KERNEL, length=200, vocabulary=1, group=(200,))
    assert [(x.irrep, x.multiplicity) for x in found] == [(Partition(200), 1)]
    order = spectrum(KERNEL, length=6, vocabulary=2, group=(4, 2)).irreps
    assert list(order) == [x for x in YoungSubgroup(4, 2).irreps if x in order]
    ring = spectrum(KERNEL, length=20, vocabulary=1, group="cyclic")
    assert [(x.irrep, x.multiplicity) for x in ring] == [(0, 1)]


KERNEL = linear_attention(1, 1)
RING = {"length": 3, "vocabulary": 2, "group": "cyclic"}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: spectrum(None, **RING), BadType),
        (lambda: spectrum(KERNEL, **{**RING, "group": 3}), BadType),
        (lambda: spectrum(KERNEL, **{**RING, "group": "dihedral"}), UnknownName),
        (lambda: spectrum(KERNEL, **{**RING, "group": (2, 2)}), BadShape),
        (lambda: spectrum(KERNEL, **{**RING, "group": (2, True)}), BadType),
        (lambda: spectrum(KERNEL, **{**RING, "group": ()}), BadShape),
        (lambda: spectrum(KERNEL, **{**RING, "length": 3.0}), NotExact),
        (lambda: spectrum(KERNEL, **{**RING, "length": 40}), TooLarge),
        (lambda: spectrum(KERNEL, **{**RING, "length": 10**15}), TooLarge),
        (lambda: spectrum(KERNEL, length=40, vocabulary=2, group=(20, 20)), TooLarge),
        (lambda: spectrum(KERNEL, length=10**6, vocabulary=2, group=(10**6 - 3, 3)), TooLarge),
        (lambda: spectrum(KERNEL, **RING, law="uniform"), BadType),
        (lambda: spectrum(KERNEL, **RING, law=ring_chain([[1]], length=3)), BadShape),
        (lambda: spectrum(lambda x, y: 0.5, **RING), NotExact),
        (lambda: spectrum(lambda x, y: x[9], **RING), BadValue),
        (
            lambda: spectrum(lambda x, y: x[0] - y[0], length=1, vocabulary=2, group="cyclic"),
            BadValue,
        ),
        (lambda: spectrum(lambda x, y: x[0] * y[0], **RING), BadValue),
        (lambda: spectrum(linear_attention(), **RING), BadType),
        (lambda: spectrum(ring_attention(1, 1, positions=[1, 0]), **RING), BadShape),
        (lambda: spectrum(KERNEL, **RING)["3"], UnknownName),
        (lambda: spectrum(KERNEL, **RING)[None], BadType),
        (lambda: spectrum(KERNEL, length=3, vocabulary=2, group=(2, 1))[3], SymbenchError),
        (lambda: spectrum(KERNEL, length=3, vocabulary=2, group=(3,))["1+1+1"], UnknownName),
        (lambda: spectrum(KERNEL, **RING).table(limit=0), SymbenchError),
        (lambda: CyclicGroup(0), SymbenchError),
        (lambda: CyclicGroup("3"), BadType),
        (lambda: YoungSubgroup(2, None), BadType),
        (lambda: Words.of(None, length=2, vocabulary=2), BadType),
        (lambda: Words.of({(0,): 1}, length=2, vocabulary=2), BadShape),
        (lambda: Words.of({(0, 2): 1}, length=2, vocabulary=2), BadValue),
        (lambda: Words.of({(0, 0): 2, (0, 1): -1}, length=2, vocabulary=2), BadValue),
        (lambda: Words.of(lambda w: 0.25, length=2, vocabulary=2), NotExact),
        (lambda: Words.of(lambda w: w[7], length=2, vocabulary=2), BadValue),
        (lambda: Words.of({}, length=99, vocabulary=2), TooLarge),
        (lambda: Words.of(lambda w: 1, length=10**9, vocabulary=1), TooLarge),
        (lambda: Words(2, 2, (((0, 0), 1), ((0, 0), 0))), BadValue),
        (lambda: Words(2, 2, None), BadType),
        (lambda: ring_chain(None, length=2), BadType),
        (lambda: ring_chain([[1, 2]], length=2), BadShape),
        (lambda: ring_chain([[-1]], length=2), BadValue),
        (lambda: segments(3), BadType),
        (lambda: segments((2, None)), BadShape),
        (lambda: segments((2, HALF)), BadShape),
        (lambda: orbit_average(None, group="cyclic", length=3), BadType),
        (lambda: orbit_average(parity(4), group="cyclic", length=3), BadShape),
        (lambda: orbit_average(parity(1), group="cyclic", length=60), TooLarge),
        (lambda: orbit_average(parity(1), group=(10, 1), length=11), TooLarge),
        (lambda: lower_bound(parity(1), group="cyclic", length=3, samples=0.5), NotExact),
        (lambda: ring_attention(1, 1, positions=None), BadType),
        (lambda: ring_attention(1, 1, positions=[]), BadShape),
        (lambda: ring_attention(1, 1, positions=[1, 0.5, 0.5]), NotExact),
        (lambda: ring_attention(1, 1, positions=[1, 0, 1]), BadValue),
        (lambda: ring_attention(1, 1, positions=[0, 1]), BadValue),
        (lambda: ring_attention(None, 1, positions=[1]), BadType),
        (lambda: ring_attention(1, 1, positions=[1], readout="last"), UnknownName),
        (lambda: ring_attention(1, 1, positions=[1], layers=99), TooLarge),
        (lambda: ring_attention(1, 1, positions=[1] * 10**5), TooLarge),
        (lambda: segment_attention(1, 1, 1, segments=[200] * 1000), TooLarge),
        (lambda: segment_attention(1, 1, 1, segments=None), BadType),
        (lambda: PositionalAttention(1, [[1, 0]]), BadShape),
        (lambda: PositionalAttention(1, [[1, 1], [0, 1]]), BadValue),
        (lambda: PositionalAttention(1, [[1]]).value("AB", "AB"), BadShape),
        (lambda: PositionalAttention(1, [[1]]).on_diagram(None), BadType),
        (lambda: PositionalAttention(1, [[1]]).on_tokens((0,), None), BadType),
        (lambda: PositionalAttention(1, [[1]]).on_tokens((0,), (0, 1)), BadShape),
    ],
)
def test_bad_arguments(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
    assert len(str(caught.value)) > 20


# --- claims --------------------------------------------------------------------------------------
def test_claims():
    for claim in (claims_of_groups.stationary_bound, claims_of_groups.smaller_group):
        verdict = verify(claim.id)
        assert (verdict.status, verdict.scope) == ("holds", "all cases")
        assert all(text.startswith("fails, as it must") for text in verdict.near_misses.values())


def test_the_bound_of_all_permutations_fails_on_a_ring():
    """On three bits, two samples: the error is below the bound of S_3, and above that of C_3.

    The words that are not constant; f of frequency 1; the kernel sum over t of f(T^t x) f(T^t y).
    """
    words = [w for w in oracles.words(3, 2) if 0 < sum(w) < 3]

    def f(w):
        a, b, c = (1 - 2 * t for t in w)
        return Fraction(a - b - a * b + b * c)

    def kernel(x, y):
        return sum(f(x[t:] + x[:t]) * f(y[t:] + y[:t]) for t in range(3))

    total, ridge = Fraction(0), Fraction(1, 50)
    for x, y in product(words, repeat=2):
        a, b, c = kernel(x, x) + ridge, kernel(x, y), kernel(y, y) + ridge
        det = a * c - b * b
        u, v = (c * f(x) - b * f(y)) / det, (a * f(y) - b * f(x)) / det
        total += sum((f(w) - u * kernel(w, x) - v * kernel(w, y)) ** 2 for w in words)
    error = total / 36 / 6
    law = Words.of(dict.fromkeys(words, Fraction(1, 6)), length=3, vocabulary=2)
    target = from_function(f, variables=3)
    bounds = [lower_bound(target, group=g, length=3, samples=2, law=law) for g in ("cyclic", (3,))]
    assert bounds == [0, Fraction(4, 3)]
    assert bounds[0] < error < Fraction(1, 2) < bounds[1]
