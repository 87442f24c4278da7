"""Laws against sums over all words, roots against sympy and signs, and what is refused."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import errors
from symbench.exact import Matrix
from symbench.exact.roots import compare, eigenvalues
from symbench.kernels import attention, generic, inner_product, linear_attention
from symbench.laws import Counts, Iid, Mixture
from symbench.spectra import RealRoot, TableKernel, spectrum, subset_spectrum
from symbench.spectra.invariant import invariant_kernel
from symbench.young import Partition


# --- laws -----------------------------------------------------------------------------------
def polya(counts):
    """Drawing from an urn with one ball of each of two colours, returned with another one."""
    a, b = counts
    return Fraction(math.factorial(a) * math.factorial(b), math.factorial(a + b + 1))


LAWS = [
    Iid("1/3", "2/3"),
    Mixture([("1/4", Iid(1, 0)), ("3/4", Iid("1/5", "4/5"))]),
    Counts.of(polya, length=4, vocabulary=2),
]


@pytest.mark.parametrize("law", LAWS)
def test_laws_are_exchangeable_and_add_up(law):
    words = list(product(range(2), repeat=4))
    assert sum(law.probability(w) for w in words) == 1
    for w in words:
        assert {law.probability(g) for g in permutations(w)} == {law.probability(w)}
    table = Counts.of_words({w: law.probability(w) for w in words}, length=4, vocabulary=2)
    assert all(table.probability(w) == law.probability(w) for w in words)
    kernel = linear_attention(1, 1)
    assert (
        spectrum(kernel, length=4, vocabulary=2, law=law).levels
        == spectrum(kernel, length=4, vocabulary=2, law=table).levels
    )


@pytest.mark.parametrize("law", LAWS)
def test_laws_are_values(law):
    assert eval(repr(law)) == law
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    assert hash(again) == hash(law)


def test_polya_by_drawing():
    """The probability of a word, one draw after another."""
    law = Counts.of(polya, length=4, vocabulary=2)
    for word in product(range(2), repeat=4):
        urn, chance = [1, 1], Fraction(1)
        for token in word:
            chance *= Fraction(urn[token], sum(urn))
            urn[token] += 1
        assert law.probability(word) == chance


def test_a_law_that_is_not_exchangeable_shows_its_witness():
    def chance(word):
        steps = [Fraction(3, 4) if a == b else Fraction(1, 4) for a, b in pairwise(word)]
        return math.prod(steps, start=Fraction(1, 2))

    sticky = {w: chance(w) for w in product(range(2), repeat=3)}
    assert sum(sticky.values()) == 1
    witness = r"p\(0, 1, 0\) = 1/32, p\(1, 0, 0\) = 3/32"
    with pytest.raises(errors.BadValue, match=witness):
        Counts.of_words(sticky, length=3, vocabulary=2)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Iid("1/2", "1/3"), errors.BadValue),
        (lambda: Iid(), errors.BadValue),
        (lambda: Iid(2, -1), errors.BadValue),
        (lambda: Iid(0.5, 0.5), errors.NotExact),
        (lambda: Iid(None), errors.BadType),
        (lambda: Iid(True), errors.BadType),
        (lambda: Iid.uniform(0), errors.BadValue),
        (lambda: Iid.uniform(2.0), errors.NotExact),
        (lambda: Mixture(None), errors.BadType),
        (lambda: Mixture([]), errors.BadValue),
        (lambda: Mixture([(1, None)]), errors.BadType),
        (lambda: Mixture([Iid(1)]), errors.BadType),
        (lambda: Mixture([("1/2", Iid(1)), ("1/2", Iid(1, 0))]), errors.BadShape),
        (lambda: Counts(None), errors.BadType),
        (lambda: Counts((((1,), 1), ((1,), 1))), errors.BadShape),
        (lambda: Counts.of(None, length=2, vocabulary=2), errors.BadType),
        (lambda: Counts.of(lambda c: 1 / 0, length=2, vocabulary=2), errors.BadValue),
        (lambda: Counts.of(lambda c: 1, length=2, vocabulary=2), errors.BadValue),
        (lambda: Counts.of_words(None, length=2, vocabulary=2), errors.BadType),
        (lambda: Counts.of_words({"ab": 1}, length=2, vocabulary=2), errors.BadType),
        (lambda: Counts.of_words({(0, 7): 1}, length=2, vocabulary=2), errors.BadValue),
        (lambda: Counts.of_words({(0,): 1}, length=2, vocabulary=2), errors.BadShape),
        (lambda: Counts.of_words({}, length=60, vocabulary=2), errors.TooLarge),
        (lambda: Iid(1, 0).probability(None), errors.BadType),
        (lambda: Iid(1, 0).of_counts((1,)), errors.BadShape),
        (lambda: Iid(1, 0).of_counts((1, -1)), errors.BadValue),
    ],
)
def test_bad_laws(make, error):
    with pytest.raises(error):
        make()


# --- roots ----------------------------------------------------------------------------------
@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=6, max_size=6))
def test_eigenvalues_of_symmetric_matrices(entries):
    """Against sympy's polynomials: the same factors, and a change of sign at each interval."""
    import sympy

    a, b, c, d, e, f = entries
    matrix = [[a, b, c], [b, d, e], [c, e, f]]
    found = eigenvalues(Matrix(matrix))
    x = sympy.Symbol("x")
    polynomial = sympy.Matrix(matrix).charpoly(x).as_expr()
    assert sum(times for _, times in found) == 3
    assert sum(times * float(value) for value, times in found) == pytest.approx(a + d + f, abs=1e-9)
    for value, times in found:
        if not isinstance(value, RealRoot):
            for n in range(times):
                assert sympy.diff(polynomial, x, n).subs(x, sympy.Rational(str(value))) == 0
            continue
        low, high = value.interval()
        factor = sum(k * x**n for n, k in enumerate(value.polynomial))
        assert sympy.rem(polynomial, factor, x) == 0
        ends = [sum(k * end**n for n, k in enumerate(value.polynomial)) for end in (low, high)]
        assert ends[0] * ends[1] < 0
    values = [value for value, _ in found]
    assert all(u > v for u, v in pairwise(values))


def test_close_roots_are_told_apart():
    # x^2 - 2 and (10^20 x)^2 - 2 10^40 - 1: square roots that agree to forty digits
    near = RealRoot((-2 * 10**40 - 1, 0, 10**40), 1)
    root = RealRoot((-2, 0, 1), 1)
    assert root < near
    assert not near < root
    assert near != root
    assert compare(root, near) == -1
    assert float(root) == float(near) == 2**0.5
    assert root > Fraction(14142135623730950488, 10**19)
    assert root < Fraction(14142135623730950489, 10**19)


def test_roots_are_values():
    root = RealRoot((-1, -1, 1), 0)
    assert eval(repr(root)) == root
    assert pickle.loads(pickle.dumps(root)) == root
    assert len({root, RealRoot([-1, -1, 1], 0), RealRoot((-1, -1, 1), 1)}) == 2
    assert root.degree == 2
    assert sorted([RealRoot((-1, -1, 1), 1), root, Fraction(1)]) == [
        root, Fraction(1), RealRoot((-1, -1, 1), 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: RealRoot((1, 0, 1), 0), errors.BadValue),  # no real root
        (lambda: RealRoot((-2, 0, 1), 2), errors.BadValue),
        (lambda: RealRoot((-2, 0, 1), -1), errors.BadValue),
        (lambda: RealRoot((2, 0, -1), 0), errors.BadValue),
        (lambda: RealRoot((-4, 0, 2), 0), errors.BadValue),
        (lambda: RealRoot((1, 1), 0), errors.BadValue),
        (lambda: RealRoot(None, 0), errors.BadType),
        (lambda: RealRoot("x^2", 0), errors.BadType),
        (lambda: RealRoot((-2.0, 0, 1), 0), errors.NotExact),
        (lambda: RealRoot((-2, 0, 1), None), errors.BadType),
        (lambda: eigenvalues(None), errors.BadType),
        (lambda: eigenvalues(Matrix([[0, 1], [-1, 0]])), errors.BadValue),
    ],
)
def test_bad_roots(make, error):
    with pytest.raises(error):
        make()


# --- kernels that are refused ---------------------------------------------------------------
def first_position(x, y):
    return int(x[0] == y[0])


def test_a_kernel_that_is_not_invariant_shows_the_permutation():
    message = r"k\(\(0, 0\), \(0, 1\)\) = 1, and after the transposition \(1 2\)"
    with pytest.raises(errors.BadValue, match=message):
        spectrum(first_position, length=2, vocabulary=2)
    for length in (2, 12):  # every pair, and representatives
        with pytest.raises(errors.BadValue, match="not invariant"):
            spectrum(linear_attention(1, 1, causal=True), length=length, vocabulary=2)
        with pytest.raises(errors.BadValue, match="fixed=1"):
            spectrum(linear_attention(1, 1, readout="last"), length=length, vocabulary=2)


def test_how_invariance_is_known():
    def matches(x, y):
        return sum(u == v for u, v in zip(x, y, strict=True))

    class Own:
        def value(self, x, y):
            return matches(x, y)

    small = spectrum(matches, length=3, vocabulary=2)
    large = spectrum(Own(), length=9, vocabulary=2)
    closed = spectrum(inner_product(lambda n: n), length=9, vocabulary=2)
    assert small.invariance == "all pairs"
    assert large.invariance == "sampled pairs"
    assert closed.invariance == "by construction"
    assert large.levels == closed.levels
    on_pairs = spectrum(inner_product(lambda n: n, incidence=True), length=3, vocabulary=2)
    assert on_pairs.invariance == "all pairs"


def test_a_kernel_may_see_the_names_of_tokens():
    found = spectrum(lambda x, y: sum(x) * sum(y), length=3, vocabulary=3)
    # rank one: the function sum(x), of norm E sum(x)^2 = 3 * 2/3 + 9
    nonzero = [level for level in found.levels if level.eigenvalue != 0]
    assert [(level.partition, level.eigenvalue) for level in nonzero] == [(Partition(3), 11)]


def test_a_kernel_that_is_not_symmetric():
    with pytest.raises(errors.BadValue, match="not symmetric"):
        spectrum(TableKernel(lambda table: table[0][1]), length=2, vocabulary=2)


def test_a_kernel_that_is_not_semidefinite_shows_a_vector():
    found = spectrum(TableKernel(lambda t: t[0][1] + t[1][0]), length=3, vocabulary=2)
    with pytest.raises(errors.BadValue, match="not positive semidefinite"):
        found.trace_bounds()
    vector = found.negative_vector()
    words = list(product(range(2), repeat=3))
    square = sum(
        a * b * sum(u != v for u, v in zip(x, y, strict=True))
        for a, x in zip(vector, words, strict=True)
        for b, y in zip(vector, words, strict=True)
    )
    assert square < 0


def same(x, y):
    return int(x == y)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: spectrum(None, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(3, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(int, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(same, length=0, vocabulary=2), errors.BadValue),
        (lambda: spectrum(same, length=2.0, vocabulary=2), errors.NotExact),
        (lambda: spectrum(same, length=None, vocabulary=2), errors.BadType),
        (lambda: spectrum(same, length=True, vocabulary=2), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=0), errors.BadValue),
        (lambda: spectrum(same, length=2, vocabulary=2, law="uniform"), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2, law=Iid), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2, law=Iid(1)), errors.BadShape),
        (lambda: spectrum(same, length=3, vocabulary=2, law=LAWS[2]), errors.BadShape),
        (lambda: spectrum(same, length=2, vocabulary=2, fixed=2), errors.BadValue),
        (lambda: spectrum(same, length=2, vocabulary=2, fixed=None), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2, road="dense"), errors.UnknownName),
        (lambda: spectrum(same, length=2, vocabulary=2, road=3), errors.UnknownName),
        (lambda: spectrum(same, length=2, vocabulary=3, road="binary"), errors.BadValue),
        (lambda: spectrum(same, length=12, vocabulary=2, road="words"), errors.TooLarge),
        (lambda: spectrum(same, length=1000, vocabulary=2), errors.TooLarge),
        (lambda: spectrum(linear_attention(1, 1), length=40, vocabulary=4), errors.TooLarge),
        (lambda: spectrum(linear_attention(1, 1), length=12, vocabulary=40), errors.TooLarge),
        (lambda: spectrum(same, length=40, vocabulary=4), errors.TooLarge),
        (lambda: spectrum(lambda x, y: 0.5, length=2, vocabulary=2), errors.NotExact),
        (lambda: spectrum(lambda x, y: None, length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(lambda x, y: 1 // 0, length=2, vocabulary=2), errors.BadValue),
        (lambda: spectrum(lambda x: 1, length=2, vocabulary=2), errors.BadValue),
        (lambda: spectrum(linear_attention(), length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(generic(), length=2, vocabulary=2), errors.BadType),
        (lambda: spectrum(attention(), length=2, vocabulary=2), errors.BadType),
        (lambda: TableKernel(None), errors.BadType),
        (lambda: spectrum(TableKernel(lambda t: t[5]), length=2, vocabulary=2), errors.BadValue),
        (lambda: spectrum(TableKernel(lambda t: 0.5), length=2, vocabulary=2), errors.NotExact),
        (lambda: spectrum(same, length=2, vocabulary=2)[Partition(3)], errors.UnknownName),
        (lambda: spectrum(same, length=2, vocabulary=2)[None], errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2).block(2), errors.BadType),
        (lambda: spectrum(same, length=2, vocabulary=2).table(limit=0), errors.BadValue),
        (lambda: spectrum(same, length=2, vocabulary=2).plot(7), errors.BadType),
        (lambda: spectrum(inner_product(int), length=20, vocabulary=2).matrix(), errors.TooLarge),
        (lambda: subset_spectrum(None, points=3, size=1), errors.BadType),
        (lambda: subset_spectrum(lambda t: t, points=3, size=4), errors.BadValue),
        (lambda: subset_spectrum(lambda t: 0.5, points=3, size=1), errors.NotExact),
        (lambda: subset_spectrum(lambda t: 1 // 0, points=3, size=1), errors.BadValue),
        (lambda: subset_spectrum(lambda t: t, points=None, size=1), errors.BadType),
        (lambda: subset_spectrum(lambda t: t, points=4, size=2)[Partition(1)], errors.UnknownName),
    ],
)  # fmt: skip
def test_bad_calls(call, error):
    with pytest.raises(error):
        call()


def test_checked_kernels_pass_through():
    kernel = invariant_kernel(linear_attention(1, 1), 2, 2)
    assert invariant_kernel(kernel, 2, 2) is kernel
    assert len(list(kernel.tables())) == 10
