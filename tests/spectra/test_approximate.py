"""Spectra in balls and floats against dense matrices over all words, and against exact spectra."""

import pickle
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import comb

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotSupported,
    TooLarge,
    Undecided,
    UnknownName,
)
from symbench.exact import Matrix
from symbench.exact.roots import eigenvalues
from symbench.kernels import (
    attention,
    from_table,
    inner_product,
    linear_attention,
    polynomial,
    transformer,
)
from symbench.kernels.float_value import FloatValue
from symbench.kernels.softmax_attention import softmax_attention
from symbench.laws import Iid, Mixture
from symbench.spectra import RealRoot, TraceBound, spectrum
from symbench.spectra.enclosures import _components, enclosures
from symbench.spectra.floats import shared_digits
from symbench.spectra.hahn import hahn_vectors
from symbench.spectra.picture import value_text
from symbench.young import Partition, word_decomposition
from tests.spectra import oracles


# --- oracles --------------------------------------------------------------------------------
def dense(kernel, probability, length, vocabulary):
    """sqrt(p(x)) k(x, y) sqrt(p(y)) over all words, in floats, from the kernel on words."""
    words = oracles.words(length, vocabulary)
    roots = np.sqrt([float(probability(word)) for word in words])
    values = np.array([[float(kernel(x, y)) for y in words] for x in words])
    return values * np.outer(roots, roots)


def isotypic(matrix, partition, length, vocabulary):
    """tr(M P) with the projector P = dim/L! sum chi(g) g of an irreducible, in floats."""
    words = oracles.words(length, vocabulary)
    place = {word: k for k, word in enumerate(words)}
    total, group = 0.0, 0
    for g in permutations(range(length)):
        group += 1
        seen, cycles = set(), []
        for a in range(length):
            n = 0
            while a not in seen:
                seen.add(a)
                a, n = g[a], n + 1
            if n:
                cycles.append(n)
        chi = partition.character(sorted(cycles, reverse=True))
        total += chi * sum(
            matrix[k, place[tuple(w[g[a]] for a in range(length))]] for w, k in place.items()
        )
    return total * partition.dim / group


def repeated(found):
    return sorted(
        float(level.eigenvalue) for level in found.levels for _ in range(level.multiplicity)
    )


def laws(name, V):
    """The law of the room, and its probabilities of words from the definition."""
    weights = [Fraction(v + 1, V * (V + 1) // 2) for v in range(V)]
    first = [Fraction(int(v == 0)) for v in range(V)]
    if name == "uniform":
        return None, oracles.uniform(V)
    if name == "iid":
        return Iid(*weights), oracles.iid(*weights)
    one, two = oracles.iid(*weights), oracles.iid(*first)
    law = Mixture([("1/3", Iid(*weights)), ("2/3", Iid(*first))])
    return law, lambda word: one(word) / 3 + two(word) * 2 / 3


def letters(kernel):
    """A kernel of sb.kernels as a function of two tuples of tokens."""
    return lambda x, y: _number(kernel.value("".join("ABC"[u] for u in x), _word(y)))


def renamed(x, y):
    """The two words with their tokens named by appearance: equal patterns, equal strings."""
    names = {}
    both = "".join(names.setdefault(token, "ABC"[len(names)]) for token in (*x, *y))
    return both[: len(x)], both[len(x) :]


def _word(y):
    return "".join("ABC"[v] for v in y)


def _number(value):
    """An exponential polynomial in q = e, a ball, or a number, as a float."""
    if hasattr(value, "terms"):
        return sum(float(c) * np.exp(float(e)) for e, c in value.terms)
    return float(value)


def random_kernel(numbers):
    """A symmetric function of tables with the next number for each new table."""
    seen = {}

    def function(table):
        key = min(table, tuple(zip(*table, strict=True)))
        return seen.setdefault(key, numbers[len(seen) % len(numbers)])

    return function


def contains(ball, value):
    """Whether a ball holds an exact eigenvalue."""
    if isinstance(value, RealRoot):
        low, high = value.interval(400)
    else:
        low = high = value
    low, high = (flint.fmpq(x.numerator, x.denominator) for x in (low, high))
    return ball.lower().fmpq() <= low and high <= ball.upper().fmpq()


# --- balls against dense matrices -----------------------------------------------------------
@pytest.mark.parametrize(("length", "vocabulary"), [(1, 2), (4, 2), (5, 2), (3, 3), (2, 1)])
@pytest.mark.parametrize("activation", ["relu", "erf", "gelu", "cos", "sign"])
@pytest.mark.parametrize(("readout", "name"), [("sum", "iid"), ("flatten", "mixture")])
def test_layers_against_dense_matrices(length, vocabulary, activation, readout, name):
    kernel = transformer(activation, linear_attention("1/3", "1/2", readout=readout))
    law, probability = laws(name, vocabulary)
    matrix = dense(letters(kernel), probability, length, vocabulary)
    found = spectrum(kernel, length=length, vocabulary=vocabulary, law=law)
    assert (found.exactness, found.invariance) == ("ball", "by construction")
    assert found.dimension == sum(x.multiplicity for x in found.levels) == vocabulary**length
    scale = np.abs(matrix).max()
    values = np.linalg.eigvalsh(matrix).tolist()
    assert repeated(found) == pytest.approx(values, abs=1e-12 * scale, rel=1e-10)
    assert float(found.trace) == pytest.approx(np.trace(matrix), rel=1e-10, abs=1e-14)
    assert {p: found[p].copies for p in found.partitions} == word_decomposition(length, vocabulary)
    for partition in found.partitions:
        piece = found[partition]
        total = sum(map(float, piece.eigenvalues)) * piece.dimension
        trace = isotypic(matrix, partition, length, vocabulary)
        assert total == pytest.approx(trace, abs=1e-12 * scale, rel=1e-9)


def test_the_last_position_fixed():
    kernel = transformer("relu", linear_attention(1, 2, readout="last"))
    with pytest.raises(BadValue, match="fixed=1"):
        spectrum(kernel, length=3, vocabulary=2)
    law, probability = laws("iid", 2)
    matrix = dense(letters(kernel), probability, 4, 2)
    for backend in (None, "float"):
        found = spectrum(kernel, length=4, vocabulary=2, law=law, fixed=1, backend=backend)
        assert repeated(found) == pytest.approx(np.linalg.eigvalsh(matrix).tolist(), rel=1e-9)
        assert float(found.trace) == pytest.approx(np.trace(matrix))


def test_a_masked_layer_is_refused():
    kernel = transformer("relu", linear_attention(1, 1, causal=True))
    with pytest.raises(BadValue, match="not invariant"):
        spectrum(kernel, length=2, vocabulary=2)


@pytest.mark.parametrize("road", ["binary", "tableaux", "words"])
def test_roads_agree(road):
    kernel = transformer("erf", linear_attention(1, 1))
    found = spectrum(kernel, length=4, vocabulary=2, algorithm=road)
    other = spectrum(kernel, length=4, vocabulary=2)
    for a, b in zip(found.levels, other.levels, strict=True):
        assert a.eigenvalue.overlaps(b.eigenvalue)
        assert a.eigenvalue.rad() < flint.arb("1e-40")


# --- balls against exact spectra ------------------------------------------------------------
@pytest.mark.parametrize(("length", "vocabulary"), [(5, 2), (3, 3)])
@pytest.mark.parametrize("coefficients", [[0, 1], [1, 2, 1], [0, 0, 0, 1]])
def test_polynomial_layers_are_exact_and_balls_hold_them(length, vocabulary, coefficients):
    kernel = transformer(polynomial(coefficients), linear_attention(1, "1/2", readout="flatten"))
    exact = spectrum(kernel, length=length, vocabulary=vocabulary)
    assert exact.exactness == "exact"
    values = dense(letters(kernel), oracles.uniform(vocabulary), length, vocabulary)
    assert float(exact.trace) == pytest.approx(np.trace(values))
    balls = spectrum(kernel, length=length, vocabulary=vocabulary, backend="ball")
    assert balls.radius == 0
    for partition in exact.partitions:
        pairs = zip(balls[partition].eigenvalues, exact[partition].eigenvalues, strict=True)
        assert all(contains(ball, value) for ball, value in pairs)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([(2, 2), (3, 2), (4, 2), (2, 3), (3, 3)]),
    st.lists(st.fractions(-20, 20, max_denominator=7), min_size=2, max_size=12),
    st.lists(st.integers(-8, 8), min_size=2, max_size=12),
    st.sampled_from(["uniform", "iid", "mixture"]),
)
def test_every_kernel_within_the_radius_has_its_eigenvalues_in_the_balls(
    size, numbers, shifts, name
):
    """Weyl: the true values are anywhere in the balls, at their ends included."""
    L, V = size
    law, _ = laws(name, V)
    middle, shift = random_kernel(numbers), random_kernel(shifts)
    true = spectrum(
        from_table(lambda table: middle(table) + Fraction(shift(table), 64)),
        length=L,
        vocabulary=V,
        law=law,
    )

    def ball(table):
        with flint.ctx.workprec(300):
            value = Fraction(middle(table))
            return flint.arb(flint.fmpq(value.numerator, value.denominator), 0.125)

    found = spectrum(from_table(ball), length=L, vocabulary=V, law=law)
    assert Fraction(1, 8) <= found.radius < Fraction(1, 7)
    for partition in true.partitions:
        pairs = zip(found[partition].eigenvalues, true[partition].eigenvalues, strict=True)
        assert all(contains(ball, value) for ball, value in pairs)
    with flint.ctx.workprec(300):
        assert found.trace.contains(flint.fmpq(true.trace.numerator, true.trace.denominator))


def test_the_radius_is_needed():
    """Values off by r everywhere move the eigenvalue of the constants by r, and no less."""
    kernel = from_table(lambda table: flint.arb(1, 0.25))
    top = spectrum(kernel, length=3, vocabulary=2)[Partition(3)].eigenvalues[0]
    for corner in (Fraction(3, 4), Fraction(5, 4)):
        moved = spectrum(from_table(lambda table, c=corner: c), length=3, vocabulary=2)
        assert moved[Partition(3)].eigenvalues[0] == corner
        assert contains(top, corner)
    assert not contains(top, Fraction(131, 100))


def test_rounded_midpoints_are_paid_for_by_the_radius():
    """1/3 is moved to a short number: the ball still holds both ends of 1/3 +- 1/4."""

    def third(table):
        with flint.ctx.workprec(200):
            return flint.arb(1) / 3 + flint.arb(0, 0.25)

    top = spectrum(from_table(third), length=2, vocabulary=2)[Partition(2)].eigenvalues[0]
    assert contains(top, Fraction(1, 12))
    assert contains(top, Fraction(7, 12))


def test_circles_that_meet_share_their_eigenvalues():
    def spans(*ends):
        return [tuple(map(flint.fmpq, pair)) for pair in ends]

    assert _components(spans((5, 6), (1, 3), (0, 2))) == spans((0, 3), (0, 3), (5, 6))
    assert _components(spans((3, 4), (0, 10), (1, 2))) == spans(*[(0, 10)] * 3)
    assert _components(spans((0, 1), (1, 2))) == spans((0, 2), (0, 2))


def test_mixed_values_and_kernels_on_words():
    def value(x, y):
        return flint.arb(2).sqrt() * sum(u == v for u, v in zip(x, y, strict=True))

    found = spectrum(value, length=3, vocabulary=2)
    assert (found.exactness, found.invariance) == ("ball", "all pairs, within balls")
    exact = spectrum(from_table(lambda t: t[0][0] + t[1][1]), length=3, vocabulary=2)
    for a, b in zip(found.levels[:4], exact["3"].eigenvalues, strict=True):
        number = flint.arb(2).sqrt() * flint.arb(flint.fmpq(b.numerator, b.denominator))
        assert a.eigenvalue.overlaps(number)
    # Exact on the diagonal, a ball elsewhere: the remedy is named, and works.
    mixed = from_table(lambda t: 1 if t[0][1] + t[1][0] == 0 else flint.arb(1) / 3)
    with pytest.raises(NotExact, match="backend='ball'"):
        spectrum(mixed, length=2, vocabulary=2)
    assert spectrum(mixed, length=2, vocabulary=2, backend="ball").dimension == 4
    with pytest.raises(BadValue, match="not symmetric"):
        spectrum(from_table(lambda t: flint.arb(t[0][1])), length=2, vocabulary=2)
    with pytest.raises(BadValue, match="finite"):
        spectrum(from_table(lambda t: flint.arb("nan")), length=2, vocabulary=2)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5), st.data())
def test_enclosures_of_any_symmetric_matrix(diagonal, data):
    size = len(diagonal)
    rows = [[0] * size for _ in range(size)]
    for i in range(size):
        rows[i][i] = diagonal[i]
        for j in range(i):
            rows[i][j] = rows[j][i] = data.draw(st.integers(-1, 1))
    matrix = Matrix(rows)
    values = [value for value, times in eigenvalues(matrix) for _ in range(times)]
    for ball, value in zip(enclosures(matrix, radius=0), values, strict=True):
        assert contains(ball, value)
        assert ball.rad() < flint.arb("1e-30")


# --- which irreducibles are reached ---------------------------------------------------------
@pytest.mark.parametrize(("length", "vocabulary"), [(7, 2), (4, 3)])
@pytest.mark.parametrize("activation", ["relu", "erf"])
def test_a_layer_reaches_every_irreducible(length, vocabulary, activation):
    linear = linear_attention(1, 1, readout="flatten")
    plain = spectrum(linear, length=length, vocabulary=vocabulary)
    layer = spectrum(transformer(activation, linear), length=length, vocabulary=vocabulary)
    assert all(length - partition.parts[0] <= 2 for partition in plain.reached)
    assert layer.reached == layer.partitions
    # A polynomial layer of degree two doubles the degree, and no more.
    square = transformer(polynomial([0, 0, 1]), linear)
    reached = spectrum(square, length=length, vocabulary=vocabulary).reached
    assert max(length - partition.parts[0] for partition in reached) <= 4


# --- floats against exact spectra -----------------------------------------------------------
def check_digits(found, exact):
    for partition in exact.partitions:
        pairs = zip(found[partition].eigenvalues, exact[partition].eigenvalues, strict=True)
        for value, true in pairs:
            off = abs(float(value) - float(true))
            assert off <= found[partition].error
            assert value.digits <= found.digits
            if value.digits:
                assert off <= 10.0**-value.digits * abs(float(value))


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([(1, 2), (2, 2), (5, 2), (6, 2), (3, 3), (2, 4)]),
    st.lists(st.fractions(-50, 50, max_denominator=9), min_size=2, max_size=30),
    st.sampled_from(["uniform", "iid", "mixture"]),
    st.integers(0, 1),
)
def test_floats_of_any_kernel(size, numbers, name, fixed):
    L, V = size
    fixed = min(fixed, L - 1)
    law, _ = laws(name, V)
    kernel = from_table(random_kernel([Fraction(1, 3), *numbers]))
    exact = spectrum(kernel, length=L, vocabulary=V, law=law, fixed=fixed)
    found = spectrum(kernel, length=L, vocabulary=V, law=law, fixed=fixed, backend="float")
    assert found.dimension == V**L
    assert found.partitions == exact.partitions
    check_digits(found, exact)
    assert float(found.trace) == pytest.approx(float(exact.trace), rel=1e-12, abs=1e-12)


def test_floats_of_long_words():
    kernel = linear_attention(1, 1, readout="flatten", layers=2)
    exact = spectrum(kernel, length=40, vocabulary=2, law=Iid("1/3", "2/3"))
    found = spectrum(kernel, length=40, vocabulary=2, law=Iid("1/3", "2/3"), backend="float")
    assert sum(level.multiplicity for level in found.levels) == 2**40
    check_digits(found, exact)
    assert [found[Partition(40 - m, m)].eigenvalues[0].digits for m in range(4)] == [8] * 4
    assert found[Partition(30, 10)].eigenvalues[0].digits == 0  # zero: the degree is 8
    assert str(found[Partition(40)].eigenvalues[0]) == f"{float(exact.levels[0].eigenvalue):.8g}"


def test_floats_of_a_kernel_of_full_degree():
    kernel = inner_product(lambda n: Fraction(5, 4) ** n)
    exact = spectrum(kernel, length=17, vocabulary=2)
    found = spectrum(kernel, length=17, vocabulary=2, backend="float")
    assert min(found[p].eigenvalues[0].digits for p in found.partitions) == 8
    check_digits(found, exact)


@pytest.mark.parametrize("alpha", [Fraction(10) ** 6, Fraction(1, 10**80), Fraction(2, 3)])
def test_floats_of_arrays_of_tables_are_those_of_single_ones(alpha):
    kernel = linear_attention(alpha, alpha / 7, readout="flatten")
    single = spectrum(from_table(kernel.on_table), length=30, vocabulary=2, backend="float")
    found = spectrum(kernel, length=30, vocabulary=2, backend="float")
    for level, other in zip(found.levels, single.levels, strict=True):
        off = abs(float(level.eigenvalue) - float(other.eigenvalue))
        assert off <= found[level.irrep].error + single[level.irrep].error
    assert found["28+2"].eigenvalues[0].digits == single["28+2"].eigenvalues[0].digits == 8
    for size, error in ((Fraction(10) ** 110, BadValue), (Fraction(1, 10**110), Undecided)):
        with pytest.raises(error):
            spectrum(linear_attention(size, size), length=4, vocabulary=2, backend="float")


@pytest.mark.parametrize(("length", "weight"), [(9, 4), (30, 15), (41, 13), (300, 110)])
def test_hahn_polynomials_are_orthonormal_and_positive_at_the_top(length, weight):
    L, i = length, weight
    for j, u in zip(range(i, L - i + 1), hahn_vectors(L, i, range(i, L - i + 1)), strict=True):
        assert np.abs(u @ u.T - np.eye(i + 1)).max() < 1e-13
        law = [comb(i, t) * comb(L - i, j - t) / comb(L, j) for t in range(i + 1)]
        assert (u[0] ** 2).tolist() == pytest.approx(law, rel=1e-11, abs=1e-300)
        assert np.all(u[: i // 2, i] >= 0)
        # The mean is i j / L, and the first polynomial is t less its mean, up to a factor.
        first = np.arange(i + 1) - i * j / L
        first = first * np.sqrt(law) / np.sqrt(np.sum(first**2 * law))
        assert u[1].tolist() == pytest.approx(first.tolist(), abs=1e-12)


def test_digits_at_the_ends_of_the_floats():
    assert shared_digits(5e-324, 1e10, 8) == shared_digits(1.0, float("inf"), 8) == 0
    assert shared_digits(1e300, 5e-324, 8) == 8
    assert (shared_digits(0.0, 1e-300, 8), shared_digits(1.0, 0.09, 8)) == (0, 1)


# --- floats with two lists ------------------------------------------------------------------
class Noisy:
    """An exact kernel as two lists of floats, the first one off by so much."""

    exactness = "float"

    def __init__(self, noise):
        self.noise = noise

    def on_tables(self, tables, *, digits):
        exact = [self.exact(table) for table in tables]
        first = [v + self.noise * self.wave(t) for v, t in zip(exact, tables, strict=True)]
        return first, exact

    @staticmethod
    def wave(table):
        """Between -1 and 1, and symmetric."""
        cells = ((u, v, n) for u, row in enumerate(table) for v, n in enumerate(row))
        return np.sin(sum(n * n * (u * v + u + v + 1) for u, v, n in cells))

    @staticmethod
    def exact(table):
        return 3.0 * sum(row[u] for u, row in enumerate(table)) ** 2 + 0.5


@pytest.mark.parametrize(("length", "vocabulary"), [(5, 2), (3, 3)])
def test_stated_digits_follow_the_two_computations(length, vocabulary):
    exact = spectrum(
        from_table(lambda t: 3 * sum(r[u] for u, r in enumerate(t)) ** 2 + Fraction(1, 2)),
        length=length,
        vocabulary=vocabulary,
    )
    before = None
    for noise in (0.0, 1e-9, 1e-6, 1e-3):
        found = spectrum(Noisy(noise), length=length, vocabulary=vocabulary, digits=12)
        check_digits(found, exact)
        digits = [level.eigenvalue.digits for level in found.levels]
        if before is not None:
            assert all(a <= b for a, b in zip(digits, before, strict=True))
            assert sum(digits) < sum(before)
        before = digits
    with pytest.raises(Undecided, match="not one digit"):
        spectrum(Noisy(1e9), length=length, vocabulary=vocabulary)
    nothing = from_table(lambda table: 0)
    zero = spectrum(nothing, length=length, vocabulary=vocabulary, backend="float")
    assert {level.eigenvalue for level in zero.levels} == {FloatValue(0.0, 8)}


@pytest.mark.parametrize("vocabulary", [2, 3])
def test_lists_that_differ_by_a_constant_move_one_eigenvalue_by_it(vocabulary):
    class Shifted(Noisy):
        @staticmethod
        def wave(table):
            return 1.0

    found = spectrum(Shifted(1e-4), length=2, vocabulary=vocabulary, digits=12)
    assert found.errors[Partition(2)] == pytest.approx(1e-4, rel=0.01)
    assert found.errors[Partition(1, 1)] < 1e-10


@pytest.mark.parametrize(("length", "vocabulary"), [(4, 2), (2, 3)])
@pytest.mark.parametrize("radius", [1e-4, 1e-9])
def test_floats_of_balls_state_no_digit_that_the_radius_leaves_open(length, vocabulary, radius):
    """The true values are at an end of the balls, all on one side."""

    def matches(table):
        return 1 + sum(row[u] for u, row in enumerate(table))

    true = spectrum(
        from_table(lambda t: matches(t) + Fraction(radius) * 99 / 100),
        length=length,
        vocabulary=vocabulary,
    )
    found = spectrum(
        from_table(lambda t: flint.arb(matches(t), radius)),
        length=length,
        vocabulary=vocabulary,
        backend="float",
        digits=13,
    )
    check_digits(found, true)
    top = found.levels[0].eigenvalue
    assert 0 < top.digits <= -np.log10(0.9 * radius / float(top))
    assert 0 < found.trace.digits <= -np.log10(0.9 * radius / float(found.trace))
    assert found.errors[Partition(length)] < 3 * radius
    dim = Partition(length - 1, 1).dim
    assert found.errors[Partition(length - 1, 1)] == pytest.approx(radius / dim**0.5, rel=0.1)


@pytest.mark.parametrize("vocabulary", [2, 3])
def test_numbers_without_room_in_doubles(vocabulary):
    """Sizes that doubles cannot hold are refused, not called zero; balls and tables show them."""

    def scaled(factor):
        kernel = from_table(lambda t: factor * (1 + sum(row[u] for u, row in enumerate(t))))
        return lambda backend: spectrum(kernel, length=3, vocabulary=vocabulary, backend=backend)

    large, small = scaled(Fraction(10) ** 400), scaled(Fraction(1, 10**400))
    with pytest.raises(BadValue, match=r"10\^300"):
        large("float")
    with pytest.raises(Undecided, match="not one digit"):
        small("float")
    plain = scaled(Fraction(1))("float")
    for factor in (Fraction(10) ** 250, Fraction(1, 10**250)):
        other = scaled(factor)("float")
        for a, b in zip(other.levels, plain.levels, strict=True):
            if b.eigenvalue.digits:
                assert a.eigenvalue.digits == 8
                near = pytest.approx(float(b.eigenvalue), rel=1e-8)
                assert float(Fraction(float(a.eigenvalue)) / factor) == near
    for make, power in ((large, "e+400.. ± "), (small, "e-400.. ± ")):
        text = make("ball").table().splitlines()[2]
        assert power in text
        assert "± 0" not in text
        for backend in ("exact", "ball"):
            with pytest.raises(BadValue, match="drawn"):
                make(backend).plot()


def test_texts_of_balls_that_no_float_holds():
    with flint.ctx.workprec(200):
        huge, tiny = flint.arb(10) ** 400, flint.arb(10) ** -400
        assert value_text(-3 * huge / 2).startswith("-1.5e+400.. ± ")
        assert value_text(flint.arb(0, 3 * tiny)) == "0 ± 4e-400"
        assert value_text(flint.arb(0, 3 * huge)) == "0 ± 4e+400"
        assert value_text(7 * tiny + flint.arb(0, tiny)).startswith("7e-400.. ± ")


def test_many_fixed_positions_are_refused_before_the_work():
    with pytest.raises(TooLarge, match="fixed"):
        spectrum(linear_attention(1, 1), length=150, vocabulary=2, fixed=5, backend="float")
    two_layers = linear_attention(1, 1, layers=2)
    for kernel in (two_layers, transformer("relu", linear_attention(1, 1))):
        with pytest.raises(TooLarge):
            spectrum(kernel, length=10**30, vocabulary=2)


def test_a_trace_of_large_numbers_that_cancel_states_fewer_digits():
    """E k(x, x) is tiny beside k(x, x): what rounding leaves of it is all that is stated."""
    step = Fraction(1, 10**12)
    kernel = from_table(lambda t: (1 if t[0][0] + t[0][1] else -1) + step / 3)
    signed = from_table(lambda t: kernel.function(t) if t[0][1] == t[1][0] == 0 else 0)
    found = spectrum(signed, length=1, vocabulary=2, backend="float", digits=13)
    exact = spectrum(signed, length=1, vocabulary=2)
    assert exact.trace == step / 3
    assert abs(float(found.trace) - float(exact.trace)) <= 10.0**-found.trace.digits * float(
        found.trace
    )
    assert found.trace.digits < 5


class Meetings(Noisy):
    """A covariance whose variances differ from word to word: n(x).n(y) + matches."""

    needs_cls = False

    def on_diagram(self, diagram):
        raise AssertionError("its values come in lists")

    @staticmethod
    def exact(table):
        columns = map(sum, zip(*table, strict=True))
        meetings = sum(sum(row) * n for row, n in zip(table, columns, strict=True))
        return float(meetings + sum(row[u] for u, row in enumerate(table)))


def arc_cosine(x, y):
    """E[relu(u) relu(v)] for the covariance of Meetings, from the words."""

    def below(a, b):
        return sum(s == t for s in a for t in b) + sum(s == t for s, t in zip(a, b, strict=True))

    variances, covariance = below(x, x) * below(y, y), below(x, y)
    angle = np.arccos(min(1.0, covariance / np.sqrt(variances)))
    root = np.sqrt(max(0.0, variances - covariance**2))
    return (root + covariance * (np.pi - angle)) / (2 * np.pi)


@pytest.mark.parametrize(("length", "vocabulary", "fixed"), [(4, 2, 0), (4, 2, 1), (3, 3, 1)])
def test_layers_over_float_values(length, vocabulary, fixed):
    law, probability = laws("iid", vocabulary)
    matrix = dense(arc_cosine, probability, length, vocabulary)
    found = spectrum(
        transformer("relu", Meetings(1e-12)),
        length=length,
        vocabulary=vocabulary,
        law=law,
        fixed=fixed,
    )
    assert found.exactness == "float"
    assert repeated(found) == pytest.approx(np.linalg.eigvalsh(matrix).tolist(), abs=1e-9)
    assert float(found.trace) == pytest.approx(np.trace(matrix))
    assert min(level.eigenvalue.digits for level in found.levels) >= 5


def test_kernels_with_a_method_on_tables():
    class Matches:
        """Sees tables only where it says so."""

        def __init__(self, enough):
            self.enough, self.asked = enough, 0

        def on_table(self, table):
            if not self.enough:
                raise NotSupported("positions matter")
            self.asked += 1
            return table[0][0] + table[1][1]

        def value(self, x, y):
            return sum(u == v for u, v in zip(x, y, strict=True))

    by_tables = Matches(True)
    found = spectrum(by_tables, length=3, vocabulary=2)
    assert (found.exactness, found.invariance) == ("exact", "by construction")
    assert by_tables.asked > 0
    other = spectrum(Matches(False), length=3, vocabulary=2)
    assert other.invariance == "all pairs"
    assert other.levels == found.levels
    # Under a layer it needs what a kernel needs, and is seen on tables as well.
    layer = transformer(polynomial([0, 0, 1]), linear_attention(1, 1, layers=2))
    assert spectrum(layer, length=3, vocabulary=2).invariance == "by construction"


def test_bad_lists_are_refused():
    class Bad:
        exactness = "float"

        def __init__(self, answer):
            self.answer = answer

        def on_tables(self, tables, *, digits):
            return self.answer(tables)

    cases = [
        (lambda tables: [1.0] * len(tables), BadType),
        (lambda tables: ([1.0], [1.0]), BadShape),
        (lambda tables: ([float("nan")] * len(tables),) * 2, BadValue),
        (lambda tables: 1 / 0, BadValue),
        (lambda tables: ([float(t[0][1]) for t in tables],) * 2, BadValue),  # not symmetric
    ]
    for answer, error in cases:
        with pytest.raises(error):
            spectrum(Bad(answer), length=3, vocabulary=2)

    class Silent:
        exactness = "float"

    with pytest.raises(NotSupported, match="on_tables"):
        spectrum(Silent(), length=3, vocabulary=2)


def test_softmax_attention_against_a_dense_matrix():
    kernel = attention(beta=1, gamma=1)
    for layer in (kernel, transformer("relu", kernel)):
        law, probability = laws("iid", 2)
        found = spectrum(layer, length=2, vocabulary=2, law=law, digits=5)
        assert (found.exactness, found.invariance) == ("float", "by construction")
        value = cache(lambda x, y, k=layer: float(k.value(x, y, digits=6)))
        matrix = dense(lambda x, y, f=value: f(*renamed(x, y)), probability, 2, 2)
        assert repeated(found) == pytest.approx(np.linalg.eigvalsh(matrix).tolist(), abs=1e-5)
        assert all(level.eigenvalue.digits >= 3 for level in found.levels)
        assert found.levels[0].eigenvalue.digits == 5
    with pytest.raises(NotSupported, match="softmax"):
        spectrum(attention(beta=1.0, gamma=1, normalise=False), length=2, vocabulary=2)
    with pytest.raises(BadValue, match="fixed=1"):
        spectrum(kernel.with_softmax_scale("appendix-H"), length=2, vocabulary=2)


@pytest.mark.parametrize(("activation", "fixed"), [(None, 1), ("relu", 2)])
def test_all_queries_read_at_the_last_position(activation, fixed):
    below = softmax_attention(1, "1/2", readout="last")
    kernel = below if activation is None else transformer(activation, below)
    with pytest.raises(BadValue, match="fixed=1"):
        spectrum(kernel, length=3, vocabulary=2)
    law, probability = laws("iid", 2)
    value = cache(lambda x, y: float(below.value(x, y, digits=6)))

    def layer(x, y):
        a, b, c = (value(*renamed(u, v)) for u, v in ((x, x), (y, y), (x, y)))
        if activation is None:
            return c
        root = np.sqrt(max(0.0, a * b - c * c))
        return (root + c * (np.pi - np.arccos(min(1.0, c / np.sqrt(a * b))))) / (2 * np.pi)

    matrix = dense(layer, probability, 3, 2)
    found = spectrum(kernel, length=3, vocabulary=2, law=law, fixed=fixed, digits=5)
    assert repeated(found) == pytest.approx(np.linalg.eigvalsh(matrix).tolist(), abs=1e-5)
    assert float(found.trace) == pytest.approx(np.trace(matrix), rel=1e-5)


def test_what_is_said_of_invariance_within_balls():
    """A kernel that is not invariant, and whose balls hide it, is not called proved."""

    def near(x, y):
        return flint.arb(1, 0.5) + flint.arb(x[0] * y[0]) / 10

    found = spectrum(near, length=2, vocabulary=2)
    assert found.invariance == "all pairs, within balls"
    assert spectrum(near, length=9, vocabulary=2).invariance == "sampled pairs, within balls"
    exact = spectrum(lambda x, y: 1, length=2, vocabulary=2, backend="ball")
    assert exact.invariance == "all pairs"
    with pytest.raises(BadValue, match="not invariant"):
        spectrum(lambda x, y: flint.arb(1, 0.01) + flint.arb(x[0] * y[0]), length=2, vocabulary=2)


def test_a_layer_over_balls_is_refused_with_what_to_do():
    twice = transformer("relu", transformer("relu", linear_attention(1, 1)))
    for backend in (None, "ball", "float"):
        with pytest.raises(NotSupported, match="polynomial activation"):
            spectrum(twice, length=3, vocabulary=2, backend=backend)


def test_attention_without_normalisation_has_balls():
    """Exponential weights have exact values in q = e, the sigmoid balls."""
    for weights in ("exponential", "sigmoid"):
        kernel = attention(beta="1/2", gamma=1, normalise=False, weights=weights)
        found = spectrum(kernel, length=2, vocabulary=2)
        assert (found.exactness, found.invariance) == ("ball", "by construction")
        matrix = dense(letters(kernel), oracles.uniform(2), 2, 2)
        assert repeated(found) == pytest.approx(np.linalg.eigvalsh(matrix).tolist(), rel=1e-9)


# --- what hangs on a spectrum ---------------------------------------------------------------
def test_trace_bounds_of_balls_and_floats():
    layer = transformer("relu", linear_attention(1, 1))
    for backend, proved in (("ball", True), ("float", False)):
        bounds = spectrum(layer, length=4, vocabulary=2, backend=backend).trace_bounds()
        assert len(bounds) == 9
        assert {bound.status for bound in bounds} == {"holds"}
        assert {bound.proved for bound in bounds} == {proved}
        assert all(bound.holds and 0 < float(bound.ratio) <= 1 for bound in bounds)
        assert {bound.exactness for bound in bounds} == {backend}
    # One eigenvalue is the whole trace: balls and floats cannot tell.
    constant = from_table(lambda table: flint.arb(1) / 3)
    for backend in ("ball", "float"):
        first = spectrum(constant, length=2, vocabulary=2, backend=backend).trace_bounds()[0]
        assert (first.status, first.proved) == ("undecided", False)
        with pytest.raises(Undecided):
            first.holds  # noqa: B018
    assert TraceBound(Partition(1), 1, flint.arb(3), flint.arb(2)).status == "fails"
    assert TraceBound(Partition(1), 1, FloatValue(3.0, 5), FloatValue(2.0, 5)).status == "fails"
    unequal = from_table(lambda table: flint.arb(2).sqrt() * (table[0][1] + table[1][0]))
    for backend in ("ball", "float"):
        with pytest.raises(BadValue, match="semidefinite"):
            spectrum(unequal, length=2, vocabulary=2, backend=backend).trace_bounds()


def test_backends_refuse_with_the_remedy():
    layer = transformer("relu", linear_attention(1, 1))
    softmax = attention(beta=1, gamma=1)
    with pytest.raises(NotExact, match="backend='ball'"):
        spectrum(layer, length=3, vocabulary=2, backend="exact")
    for backend in ("exact", "ball"):
        with pytest.raises(NotExact, match="backend='float'"):
            spectrum(softmax, length=3, vocabulary=2, backend=backend)
    for bad in ("Float", 3, None, True):
        if bad is not None:
            with pytest.raises(UnknownName):
                spectrum(layer, length=3, vocabulary=2, backend=bad)
    for bad in (None, 0, 2.5, "8", True, 99):
        with pytest.raises((BadType, BadValue)):
            spectrum(layer, length=3, vocabulary=2, digits=bad)
    auto = spectrum(layer, length=3, vocabulary=2, backend="auto")
    assert auto == spectrum(layer, length=3, vocabulary=2)
    for backend in ("ball", "float"):
        found = spectrum(layer, length=3, vocabulary=2, backend=backend)
        with pytest.raises(NotExact, match="backend='exact'"):
            found.certificate()
        with pytest.raises(UnknownName):
            found[Partition(4)]
        with pytest.raises(UnknownName):
            found.block(Partition(4))
    assert auto.block(Partition(2, 1)).shape == (2, 2)
    with pytest.raises(NotSupported, match="blocks"):
        found.block(Partition(2, 1))
    with pytest.raises(TooLarge, match="backend='float'"):
        spectrum(layer, length=200, vocabulary=2)
    with pytest.raises(TooLarge):
        spectrum(layer, length=401, vocabulary=2, backend="float")


def test_text_latex_and_plot(tmp_path):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    linear = linear_attention(1, 1, readout="flatten")
    kernels = (linear, transformer("relu", linear))
    found = [spectrum(kernel, length=4, vocabulary=2) for kernel in kernels]
    found.append(spectrum(kernels[0], length=4, vocabulary=2, backend="float"))
    for each in found:
        assert len(each.table(limit=2).splitlines()) == 5
        assert each.latex().count(r"\\") == len(each.levels) + 1
    found[1].plot(tmp_path / "one.svg")
    assert "nothing proved" in found[2].table()
    assert r"\pm" in found[1].latex()
    assert "0 ± " in found[2].table()
    with pytest.raises(BadType):
        found[1].plot(3)


def test_values_are_values():
    layer = transformer("relu", linear_attention(1, 1))
    for backend in ("ball", "float"):
        found = spectrum(layer, length=3, vocabulary=2, backend=backend)
        assert len(found.levels) == 6
        again = pickle.loads(pickle.dumps(found))
        assert again == found
        assert hash(again) == hash(found)
        assert list(map(repr, again.levels)) == list(map(repr, found.levels))
