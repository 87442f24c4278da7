"""Spectra against the whole operator over all words, road against road, and published values."""

from fractions import Fraction
from functools import cache
from math import comb, prod

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.exact import Matrix, Rational
from symbench.kernels import from_table, inner_product, linear_attention
from symbench.laws import Counts, Iid, Mixture
from symbench.spectra import RealRoot, TraceBound, spectrum, subset_spectrum
from symbench.young import Partition, word_decomposition
from tests.spectra import oracles

SIZES = [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (1, 3), (2, 3), (3, 3), (2, 4), (3, 1)]


def whole(found):
    """The characteristic polynomial of the operator, from blocks and dimensions."""
    product = flint.fmpq_poly([1])
    for piece in found.pieces:
        product *= flint.fmpq_mat(piece.block.flint).charpoly() ** piece.dimension
    return product


def trace_of(matrix):
    total = sum(matrix[i, i] for i in range(matrix.nrows()))
    return Fraction(int(total.p), int(total.q))


def random_kernel(numbers):
    """A symmetric function of tables with the next number for each new table."""
    seen = {}

    def function(table):
        key = min(table, tuple(zip(*table, strict=True)))
        return seen.setdefault(key, numbers[len(seen) % len(numbers)])

    return function


def on_words(function, vocabulary):
    def kernel(x, y):
        table = [[0] * vocabulary for _ in range(vocabulary)]
        for u, v in zip(x, y, strict=True):
            table[u][v] += 1
        return function(tuple(map(tuple, table)))

    return kernel


laws = st.sampled_from(["uniform", "iid", "mixture"])


def both_laws(name, V):
    """The law of the room, and its probabilities of words from the definition."""
    weights = [Fraction(v + 1, V * (V + 1) // 2) for v in range(V)]
    first = [Fraction(int(v == 0)) for v in range(V)]
    if name == "uniform":
        return None, oracles.uniform(V)
    if name == "iid":
        return Iid(*weights), oracles.iid(*weights)
    law = Mixture([("1/3", Iid(*weights)), ("2/3", Iid(*first))])
    one, two = oracles.iid(*weights), oracles.iid(*first)
    return law, lambda word: one(word) / 3 + two(word) * 2 / 3


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(SIZES),
    st.lists(st.fractions(-50, 50, max_denominator=9), min_size=1, max_size=30),
    laws,
)
def test_any_kernel_against_the_whole_operator(size, numbers, name):
    L, V = size
    function = random_kernel(numbers)
    law, probability = both_laws(name, V)
    matrix = oracles.operator(on_words(function, V), probability, L, V)
    for road in ("binary", "tableaux", "words") if V == 2 else ("tableaux", "words"):
        found = spectrum(from_table(function), length=L, vocabulary=V, law=law, algorithm=road)
        assert whole(found) == matrix.charpoly()
        assert found.dimension == V**L == sum(level.multiplicity for level in found.levels)
        assert found.trace == trace_of(matrix)
        assert {b.irrep: b.block.shape[0] for b in found.pieces} == word_decomposition(L, V)


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from([(3, 2), (4, 2), (3, 3), (4, 1)]),
    st.lists(st.integers(-9, 9), min_size=3, max_size=20),
    laws,
)
def test_blocks_belong_to_their_irreducibles(size, numbers, name):
    """Powers of the operator, seen through the projector made of characters."""
    L, V = size
    function = random_kernel(numbers)
    law, probability = both_laws(name, V)
    matrix = oracles.operator(on_words(function, V), probability, L, V)
    found = spectrum(from_table(function), length=L, vocabulary=V, law=law)
    for piece in found.pieces:
        power, small = matrix, flint.fmpq_mat(piece.block.flint)
        small_power = small
        for _ in range(3):
            trace = sum(small_power[i, i] for i in range(small.nrows()))
            assert oracles.isotypic_trace(power, piece.irrep, L, V) == piece.dimension * trace
            power, small_power = power * matrix, small_power * small


PRIME = 2**31 - 1


@cache
def modulo(x):
    """A fraction modulo the prime."""
    return int(x.numerator) * pow(int(x.denominator), -1, PRIME) % PRIME


def moments(matrix, times=6):
    """The traces of the powers of a matrix, modulo the prime."""
    found, power = [], matrix
    for _ in range(times):
        found.append(sum(int(power[i, i]) for i in range(power.nrows())) % PRIME)
        power = power * matrix
    return found


@pytest.mark.parametrize(("length", "vocabulary"), [(8, 2), (6, 3), (4, 4), (3, 5)])
def test_moments_of_longer_words(length, vocabulary):
    """Shapes with several columns of each height, against all words, with values of 40 digits."""
    L, V = length, vocabulary
    function = random_kernel(
        [Fraction(10**40 // (7 + n), 1 + n % 5) * (-1) ** n for n in range(97)]
    )
    kernel = on_words(lambda table: modulo(function(table)), V)
    law, probability = both_laws("iid", V)
    words = oracles.words(L, V)
    chances = [modulo(probability(y)) for y in words]
    rows = [[kernel(x, y) * p for y, p in zip(words, chances, strict=True)] for x in words]
    whole = moments(flint.nmod_mat(rows, PRIME))
    total = [0] * len(whole)
    found = spectrum(from_table(function), length=L, vocabulary=V, law=law, algorithm="tableaux")
    for piece in found.pieces:
        block = [[modulo(x) for x in row] for row in piece.block.rows]
        for k, moment in enumerate(moments(flint.nmod_mat(block, PRIME))):
            total[k] += piece.dimension * moment
    assert [x % PRIME for x in total] == whole


@pytest.mark.parametrize(("length", "vocabulary"), [(7, 2), (5, 3), (4, 4)])
def test_tableaux_and_words_agree_on_each_irreducible(length, vocabulary):
    function = random_kernel([10**30 // (3 + n) for n in range(50)])
    law, _ = both_laws("mixture", vocabulary)
    one, two = (
        spectrum(
            from_table(function), length=length, vocabulary=vocabulary, law=law, algorithm=road
        )
        for road in ("tableaux", "words")
    )
    for irrep in two.irreps:
        charpoly = one.block(irrep).charpoly()
        assert charpoly == two.block(irrep).charpoly()


@pytest.mark.parametrize(("length", "vocabulary"), [(9, 3), (6, 4), (4, 5)])
def test_products_over_positions_act_as_schur_functors(length, vocabulary):
    """The kernel that is a product of A[x_a, y_a] is A on the Schur functors of Q^V."""
    L, V = length, vocabulary
    roots = [2, 3, 5, 7, 11][:V]
    # A reflection I - 2 v v^T / |v|^2 makes a full matrix of the diagonal one.
    v = [1, 2, 3, 1, 4][:V]
    norm = sum(n * n for n in v)
    turn = flint.fmpq_mat(
        [
            [flint.fmpq(int(a == b)) - flint.fmpq(2 * v[a] * v[b], norm) for b in range(V)]
            for a in range(V)
        ]
    )
    A = (
        turn
        * flint.fmpq_mat([[r * int(a == b) for b in range(V)] for a, r in enumerate(roots)])
        * turn
    )
    powers = [[[A[a, b] ** n for n in range(L + 1)] for b in range(V)] for a in range(V)]

    def function(table):
        return prod(
            (powers[a][b][n] for a, row in enumerate(table) for b, n in enumerate(row) if n),
            start=flint.fmpq(1),
        )

    found = spectrum(from_table(function), length=L, vocabulary=V, algorithm="tableaux")
    assert set(found.irreps) == set(word_decomposition(L, V))
    share = modulo(Fraction(1, V**L))
    for piece in found.pieces:
        expected = flint.nmod_poly([1], PRIME)
        for tableau in piece.irrep.semistandard_tableaux(V):
            value = share * prod(roots[u - 1] for u in tableau.entries)
            expected *= flint.nmod_poly([-value, 1], PRIME)
        block = flint.nmod_mat([[modulo(x) for x in row] for row in piece.block.rows], PRIME)
        assert block.charpoly() == expected


def test_tableaux_of_more_words_than_a_float_counts():
    """There are 2^60 words, so numbers of words are beyond what floats show exactly."""
    kernel = inner_product(lambda n: 3**n)
    one, two = (
        spectrum(kernel, length=60, vocabulary=2, algorithm=road) for road in ("tableaux", "binary")
    )
    for m in (0, 1, 7, 20, 29, 30):
        shape = Partition(60 - m, m)
        assert one.block(shape).charpoly() == two.block(shape).charpoly()


@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_schrijver_coefficients(length):
    """A. Schrijver, IEEE Trans. Inform. Theory 51 (2005): the coefficients beta^t_ijm."""

    def binomial(n, k):
        return comb(n, k) if n >= 0 and k >= 0 else 0

    L = length
    function = random_kernel([7, -3, 11, 2, 5, -8, 13])
    law = Mixture([("1/3", Iid("1/4", "3/4")), ("2/3", Iid("1/2", "1/2"))])
    found = spectrum(from_table(function), length=L, vocabulary=2, law=law)
    for m in range(L // 2 + 1):
        block = found.block(Partition(L - m, m))
        for i in range(m, L - m + 1):
            for j in range(m, L - m + 1):
                total = Fraction(0)
                for t in range(max(0, i + j - L), min(i, j) + 1):
                    beta = sum(
                        (-1) ** (u - t) * comb(u, t) * binomial(L - 2 * m, u - m)
                        * binomial(L - m - u, i - u) * binomial(L - m - u, j - u)
                        for u in range(t, L + 1)
                    )  # fmt: skip
                    total += beta * function(((L - i - j + t, j - t), (i - t, t)))
                chance = law.of_counts((L - j, j))
                assert block[i - m, j - m] == total * chance / comb(L - 2 * m, i - m)


# --- linear attention -----------------------------------------------------------------------
@pytest.mark.parametrize(("length", "vocabulary"), [(2, 2), (4, 2), (3, 3)])
@pytest.mark.parametrize("readout", ["sum", "flatten"])
@pytest.mark.parametrize("layers", [1, 2])
def test_linear_attention(length, vocabulary, readout, layers):
    alpha, beta = Fraction(2, 3), Fraction(1, 2)
    kernel = oracles.linear_attention(alpha, beta, readout, layers)
    law = both_laws("iid", vocabulary)
    matrix = oracles.operator(kernel, law[1], length, vocabulary)
    found = spectrum(
        linear_attention(alpha, beta, readout=readout, layers=layers),
        length=length,
        vocabulary=vocabulary,
        law=law[0],
    )
    assert whole(found) == matrix.charpoly()


def test_full_parity_has_eigenvalue_zero():
    """A7: for L = 4 parity is invariant, and learned last; chi_1 - chi_2 has 12 and 14."""
    for readout, wanted in (("sum", 12), ("flatten", 14)):
        found = spectrum(linear_attention(1, 1, readout=readout), length=4, vocabulary=2)
        rows = oracles.operator(oracles.linear_attention(1, 1, readout), oracles.uniform(2), 4, 2)
        words = oracles.words(4, 2)
        parity = flint.fmpq_mat([[(-1) ** sum(w)] for w in words])
        single = flint.fmpq_mat([[(-1) ** w[0] - (-1) ** w[1]] for w in words])
        assert rows * parity == parity * 0
        assert rows * single == single * wanted
        assert found[Partition(3, 1)].eigenvalues[0] == wanted
        assert found[Partition(4)].eigenvalues.count(0) == 2


@pytest.mark.parametrize("length", [4, 7, 12, 30])
@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (Fraction(2, 3), Fraction(5, 7))])
def test_closed_forms_of_sum_pooling(length, alpha, beta):
    L = length
    found = spectrum(linear_attention(alpha, beta), length=L, vocabulary=2)
    top = found[Partition(L - 1, 1)].eigenvalues
    pair = [alpha * beta * L * (alpha * L + 2 * beta) / 2, alpha**2 * beta * (L - 2) / 2]
    assert list(top[:2]) == sorted(pair, reverse=True)
    assert set(top[2:]) <= {0}
    assert set(found[Partition(L - 2, 2)].eigenvalues) == {0}
    a, b = alpha, beta
    trace = Fraction(L, 4) * (
        L**3 * a**3 + 2 * L**2 * a**3 + 6 * L**2 * a**2 * b + 2 * L**2 * a * b**2 + 3 * L * a**3
        + 6 * L * a**2 * b + 10 * L * a * b**2 + 4 * L * b**3 - 2 * a**3
    )  # fmt: skip
    assert found.trace == trace


@pytest.mark.parametrize(("length", "vocabulary"), [(4, 2), (5, 3), (4, 4), (9, 2), (6, 3)])
def test_closed_forms_of_flatten(length, vocabulary):
    L, V, alpha, beta = length, vocabulary, Fraction(3, 2), Fraction(1, 5)
    kernel = linear_attention(alpha, beta, readout="flatten")
    found = spectrum(kernel, length=L, vocabulary=V)
    value = 4 * alpha**2 * beta / V**2
    # The copies of pure degree two: symmetric and alternating pairs of mean-zero functions.
    for shape, copies in (((L - 2, 2), V * (V - 1) // 2), ((L - 2, 1, 1), (V - 1) * (V - 2) // 2)):
        if copies:
            values = found[Partition(*shape)].eigenvalues
            assert values.count(value) == copies
            assert values.count(0) == len(values) - copies
    meetings = L + Fraction(L * (L - 1), V)
    assert found.trace == L * (alpha + beta) * (
        alpha**2 * meetings + 2 * alpha * beta * L + L * beta**2
    )


def test_sixty_positions():
    """symmetry.md A4: lambda dim / trace for m = 0, 1, 2."""
    found = spectrum(linear_attention(1, 1, readout="flatten"), length=60, vocabulary=2)
    assert sum(level.multiplicity for level in found.levels) == 2**60
    ratios = [
        float(found[Partition(60 - m, m)].eigenvalues[0]) * Partition(60 - m, m).dim / found.trace
        for m in range(3)
    ]
    assert ratios == pytest.approx([0.717, 0.257, 0.0071], abs=5e-4)


def test_twelve_positions_three_tokens():
    found = spectrum(linear_attention(1, 1, readout="flatten"), length=12, vocabulary=3)
    assert found.dimension == sum(level.multiplicity for level in found.levels) == 3**12
    blocks = sum(
        piece.dimension * sum(piece.block[i, i] for i in range(piece.copies))
        for piece in found.pieces
    )
    assert blocks == found.trace
    assert found[Partition(10, 1, 1)].eigenvalues[:2] == (Fraction(4, 9), 0)


def test_floats_agree():
    import numpy as np

    found = spectrum(linear_attention(1, 2, readout="flatten", layers=2), length=5, vocabulary=2)
    values = sorted(
        float(level.eigenvalue) for level in found.levels for _ in range(level.multiplicity)
    )
    rows = oracles.operator(oracles.linear_attention(1, 2, "flatten", 2), oracles.uniform(2), 5, 2)
    floats = np.array([[float(x.p) / float(x.q) for x in row] for row in rows.table()])
    assert values == pytest.approx(np.linalg.eigvalsh(floats).tolist(), rel=1e-9, abs=1e-3)
    assert any(isinstance(level.eigenvalue, RealRoot) for level in found.levels)


# --- fixed positions ------------------------------------------------------------------------
@pytest.mark.parametrize("road", [None, "tableaux", "words"])
@pytest.mark.parametrize(("length", "vocabulary"), [(2, 2), (4, 2), (3, 3)])
def test_the_last_position_fixed(length, vocabulary, road):
    law, probability = both_laws("mixture", vocabulary)
    matrix = oracles.operator(
        oracles.linear_attention(1, 2, "last"), probability, length, vocabulary
    )
    found = spectrum(
        linear_attention(1, 2, readout="last"),
        length=length,
        vocabulary=vocabulary,
        law=law,
        fixed=1,
        algorithm=road,
    )
    assert whole(found) == matrix.charpoly()
    assert found.trace == trace_of(matrix)


def test_fewer_symmetries_see_the_same_operator():
    kernel = from_table(random_kernel([3, 1, 4, 1, 5, 9, 2, 6]))
    polynomials = {
        str(whole(spectrum(kernel, length=4, vocabulary=2, fixed=k))) for k in (0, 1, 2, 3)
    }
    assert len(polynomials) == 1


# --- subsets --------------------------------------------------------------------------------
@pytest.mark.parametrize(("points", "size"), [(4, 2), (6, 2), (7, 4), (5, 0)])
def test_subsets_are_binary_words_of_one_weight(points, size):
    def overlap(t):
        return t**3 - 2 * t + 1

    law = Counts.of(
        lambda counts: Fraction(int(counts[1] == size), comb(points, size)),
        length=points,
        vocabulary=2,
    )
    kernel = from_table(lambda table: overlap(table[1][1]))
    words = spectrum(kernel, length=points, vocabulary=2, law=law)
    found = subset_spectrum(overlap, points=points, size=size)
    assert sum(level.multiplicity for level in found.levels) == comb(points, size)
    assert found.trace == words.trace
    assert found.trace == sum(level.eigenvalue * level.multiplicity for level in found.levels)
    for level in found.levels:
        values = [v for v in words[level.partition].eigenvalues if v != 0]
        assert values == [level.eigenvalue] * int(level.eigenvalue != 0)


def test_a_million_points():
    L, d = 10**6, 12
    found = subset_spectrum(lambda t: t, points=L, size=d)
    assert found[Partition(L)].eigenvalues == (Fraction(d * d, L),)
    # sum over B of |A n B| f(B) for f = 1[1 in B] - 1[2 in B], A with 1 and not 2
    assert found[Partition(L - 1, 1)].eigenvalues == (Fraction(comb(L - 2, d - 1), comb(L, d)),)
    assert [level.eigenvalue for level in found.levels[2:]] == [0] * 11


# --- what hangs on a spectrum ---------------------------------------------------------------
@pytest.mark.parametrize(("length", "vocabulary"), [(4, 2), (3, 3)])
@pytest.mark.parametrize("readout", ["sum", "flatten"])
def test_trace_bounds(length, vocabulary, readout):
    found = spectrum(
        linear_attention(1, "1/3", readout=readout), length=length, vocabulary=vocabulary
    )
    bounds = found.trace_bounds()
    assert len(bounds) == sum(word_decomposition(length, vocabulary).values())
    assert all(bound.holds for bound in bounds)
    assert all(0 <= float(bound.ratio) <= 1 for bound in bounds)
    first = {bound.partition: bound for bound in bounds if bound.place == 1}
    for partition, bound in first.items():
        assert bound.bound == found.trace / partition.dim


def test_certificates():
    found = spectrum(linear_attention(1, 1), length=3, vocabulary=2, law=Iid("1/3", "2/3"))
    certificate = found.certificate()
    matrix = oracles.operator(
        oracles.linear_attention(1, 1, "sum"), oracles.iid("1/3", "2/3"), 3, 2
    )
    assert certificate.check(Matrix(matrix))
    other = spectrum(linear_attention(1, 1), length=3, vocabulary=2)
    assert not certificate.check(other.matrix())


def test_text_latex_and_plot(tmp_path):
    found = spectrum(inner_product(lambda n: 2**n), length=5, vocabulary=2)
    assert len(found.table(limit=2).splitlines()) == 5
    assert found.latex().count(r"\\") == len(found.levels) + 1
    target = tmp_path / "plot.svg"
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    found.plot(target)
    assert "<svg" in target.read_text()


def test_values_are_values():
    import pickle

    found = spectrum(linear_attention(1, 1), length=3, vocabulary=2)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert hash(again) == hash(found)
    assert again.levels == found.levels


def test_ratios_of_numbers_outside_doubles() -> None:
    shape, zero = Partition(1), Rational(0)
    small, large = Rational(1, 10**401), Rational(10**400)
    assert TraceBound(shape, 1, small, small * 10).ratio == Rational(1, 10)
    assert TraceBound(shape, 1, large, large * 4).ratio == Rational(1, 4)
    assert TraceBound(shape, 1, zero, zero).ratio == 1
    assert TraceBound(shape, 1, flint.arb(0), flint.arb(0)).ratio == 1
