"""What the strategies draw is what it is said to be, by predicates written from definitions."""

import inspect
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

import hypothesis
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import strategies as sts
from symbench.errors import BadShape, BadType, BadValue, NotSupported, SymbenchError, TooLarge
from symbench.exact import GF, QQ, ZZ, Balls, Exponentials, PowerSeries
from symbench.strategies.by_type import _BY_PLACE, strategy_of
from tests.test_public import PUBLIC

FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def find(strategy, condition=lambda value: True):
    few = settings(max_examples=400, database=None, deadline=None)
    return hypothesis.find(strategy, condition, settings=few, random=Random(0))


# --- every public value -----------------------------------------------------------------------
CLASSES = {
    place: value
    for place, value in PUBLIC.items()
    if inspect.isclass(value) and not issubclass(value, BaseException)
}


@pytest.mark.parametrize("place", CLASSES)
def test_every_public_class_is_drawn_from_its_type(place):
    """A class that is new has its line in symbench/strategies/by_type.py."""
    cls, seen = CLASSES[place], []

    @seed(0)
    @settings(max_examples=6, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.from_type(cls))
    def draw(value):
        assert isinstance(value, cls)
        seen.append(value)

    draw()
    assert seen


def test_no_strategy_is_for_a_class_that_is_gone():
    public = {
        f"{c.__module__}.{c.__qualname__}".removeprefix("symbench.") for c in CLASSES.values()
    }
    # Both modules of targets show the same classes.
    assert set(_BY_PLACE) <= public


def test_a_class_without_a_strategy_says_so():
    with pytest.raises(NotSupported, match=r"no strategy for .*Counter"):
        strategy_of(Counter)


def test_unions_of_ours_are_drawn():
    from symbench.learning.targets import Target

    assert isinstance(find(st.from_type(Target)), Target)


# A class that is three steps deep, and one that is public in another room than its own.
DEEP = (
    "import hypothesis, symbench as sb; from hypothesis import strategies as st; "
    "from symbench._hypothesis import register; register(); "
    "hypothesis.find(st.from_type(sb.kernels.AttentionDerivative), lambda x: True); "
    "hypothesis.find(st.from_type(sb.spectra.RealRoot), lambda x: True)"
)


def test_a_class_is_known_however_deep_it_lies():
    subprocess.run([sys.executable, "-c", DEEP], check=True)


# --- the symmetric group ----------------------------------------------------------------------
@given(sts.partitions(min_size=2, max_size=7), sts.partitions(max_size=9, max_parts=2))
def test_partitions(one, two):
    for partition, least, most in ((one, 2, 7), (two, 1, 9)):
        parts = list(partition.parts)
        assert parts == sorted(parts, reverse=True)
        assert min(parts) >= 1
        assert least <= sum(parts) <= most
    assert len(two.parts) <= 2


def test_every_partition_is_met():
    seen = set()

    @seed(0)
    @settings(max_examples=500, database=None, deadline=None)
    @given(sts.partitions(min_size=5, max_size=5))
    def collect(partition):
        seen.add(partition.parts)

    collect()
    assert len(seen) == 7


@given(sts.permutations(min_size=2, max_size=5))
def test_permutations(g):
    size = len({g(i) for i in range(1, g.degree + 1)})
    assert size == g.degree
    assert 2 <= size <= 5


def cells(tableau):
    return {(i, j): x for i, row in enumerate(tableau.rows) for j, x in enumerate(row)}


@given(sts.tableaux(max_size=6), sts.semistandard_tableaux(max_size=6, max_letter=3))
def test_tableaux(standard, semistandard):
    assert sorted(cells(standard).values()) == list(range(1, len(cells(standard)) + 1))
    for tableau in (standard, semistandard):
        table = cells(tableau)
        for (i, j), x in table.items():
            assert x <= table.get((i, j + 1), x)
            assert x < table.get((i + 1, j), x + 1)
    assert set(cells(semistandard).values()) <= {1, 2, 3}


@given(sts.groups(length=4))
def test_groups(group):
    from symbench.young.position_groups import elements

    moves = {tuple(move) for move in elements(group)}
    assert len(moves) == group.order
    assert all(tuple(a[b[i]] for i in range(4)) in moves for a in moves for b in moves)


# --- matrices ---------------------------------------------------------------------------------
def leibniz(rows):
    """The determinant by its definition."""
    total = 0
    for order in permutations(range(len(rows))):
        sign = (-1) ** sum(a > b for a, b in combinations(order, 2))
        term = sign
        for i, j in enumerate(order):
            term = term * rows[i][j]
        total = total + term
    return total


RINGS = [ZZ, QQ, GF(7), QQ["x"], ZZ["x", "y"], Exponentials("q"), PowerSeries(QQ, "b", 3)]


@pytest.mark.parametrize("ring", [*RINGS, Balls(64)], ids=repr)
def test_matrices_over_each_ring(ring):
    @FEW
    @given(
        sts.matrices(ring=ring, min_size=2, max_size=3),
        sts.matrices(ring=ring, shape=(2, 3)),
        sts.matrices(ring=ring, symmetric=True, max_size=3),
    )
    def draw(matrix, shaped, mirrored):
        assert matrix.ring == shaped.ring == mirrored.ring == ring
        assert {len(row) for row in matrix.rows} <= {2, 3}
        assert [len(row) for row in shaped.rows] == [3, 3]
        size = len(mirrored.rows)
        assert all(
            str(mirrored[i, j]) == str(mirrored[j, i]) for i, j in product(range(size), repeat=2)
        )

    draw()


@pytest.mark.parametrize("ring", RINGS, ids=repr)
@pytest.mark.parametrize("symmetric", [False, True])
def test_singular_matrices(ring, symmetric):
    @FEW
    @given(sts.matrices(ring=ring, singular=True, symmetric=symmetric, max_size=3))
    def draw(matrix):
        determinant = leibniz(matrix.rows)
        if isinstance(ring, PowerSeries):  # zero as far as the series is known
            assert not any(ring.coerce(determinant).coefficients)
        else:
            assert ring.is_zero(ring.coerce(determinant))
        assert not symmetric or matrix.is_symmetric()

    draw()


@given(sts.matrices(positive_definite=True), sts.matrices(positive_definite=True, ring=QQ))
def test_positive_definite_matrices(one, two):
    for matrix in (one, two):
        for size in range(1, len(matrix.rows) + 1):
            assert leibniz([row[:size] for row in matrix.rows[:size]]) > 0


@given(sts.rationals(min_value="1/3", max_value=2, max_denominator=6), sts.rings())
def test_rationals_and_rings(number, ring):
    assert Fraction(1, 3) <= number <= 2
    assert number.denominator <= 6
    assert type(number) is sb.rings.Rational
    assert sb.Matrix([[0]], ring).ring == ring


# --- laws ---------------------------------------------------------------------------------------
LAWS = [
    sb.laws.Iid,
    sb.laws.Mixture,
    sb.laws.Counts,
    sb.laws.Subsets,
    sb.laws.HiddenMarkov,
    sb.laws.MarkovMixture,
    sb.laws.Words,
]


@pytest.mark.parametrize("kind", LAWS)
def test_laws_of_each_class(kind):
    @FEW
    @given(sts.laws(kinds=kind, vocabulary=2, length=3))
    def draw(law):
        assert type(law) is kind
        assert sum(law.probability(word) for word in product(range(2), repeat=3)) == 1

    draw()


@FEW
@given(sts.laws(vocabulary=3, length=2, exchangeable=True), sts.laws(length=2, positive=True))
def test_exchangeable_and_positive_laws(symmetric, full):
    words = product(range(3), repeat=2)
    assert all(symmetric.probability(w) == symmetric.probability(w[::-1]) for w in words)
    assert all(full.probability(word) > 0 for word in product(range(2), repeat=2))


@given(sts.distributions(4), sts.distributions(3, positive=True))
def test_distributions(chances, full):
    assert sum(chances) == sum(full) == 1
    assert min(chances) >= 0 < min(full)


def test_long_words_are_not_listed():
    assert find(sts.laws(length=60), lambda law: type(law) is sb.laws.HiddenMarkov)
    with pytest.raises(hypothesis.errors.NoSuchExample):
        find(sts.laws(length=60), lambda law: type(law) in (sb.laws.Words, sb.laws.Counts))


# --- kernels ------------------------------------------------------------------------------------
KERNELS = [sb.kernels.inner_product, sb.kernels.linear_attention, sb.kernels.tangent,
           sb.kernels.transformer, sb.kernels.softmax_attention, sb.kernels.Attention,
           sb.kernels.HardAttention, sb.kernels.generic, sb.kernels.from_function,
           sb.kernels.from_table, sb.kernels.identity_attention]  # fmt: skip


@pytest.mark.parametrize("kind", KERNELS)
def test_kernels_of_each_class_are_token_symmetric(kind):
    @settings(FEW, max_examples=8)
    @given(sts.kernels(kinds=kind), st.sampled_from(["AB*", "AA*", "AC*"]))
    def draw(kernel, word):
        assert type(kernel) is kind
        renamed = word.translate(str.maketrans("ABC", "CAB"))
        value, other = kernel.value(word, "AB*"), kernel.value(renamed, "CA*")
        assert str(value) == str(other)

    draw()


@FEW
@given(
    sts.kernels(), st.lists(st.sampled_from(list(product("AB", repeat=2))), min_size=1, max_size=3)
)
def test_kernels_are_positive_semidefinite(kernel, words):
    gram = [[kernel.value(x, y) for y in words] for x in words]
    for size in range(1, len(words) + 1):
        for chosen in combinations(range(len(words)), size):
            assert leibniz([[gram[i][j] for j in chosen] for i in chosen]) >= 0


@FEW
@given(sts.positional_kernels(length=4))
def test_positional_kernels(kernel):
    words = [tuple("AABB"), tuple("ABAB"), tuple("AAAB")]
    for size in (1, 2, 3):
        rows = [[kernel.value(x, y) for y in words[:size]] for x in words[:size]]
        assert leibniz(rows) >= 0


# --- targets, sizes, spectra, certificates ------------------------------------------------------
@FEW
@given(sts.targets(max_variables=2), sts.targets(vocabulary=3, max_variables=2))
def test_targets(bits, tokens):
    for target, size in ((bits, 2), (tokens, 3)):
        assert target.vocabulary == size
        # What comes after the variables does not matter.
        for word in product(range(size), repeat=2):
            assert len({target.value((*word, last)) for last in range(size)}) == 1


@given(sts.spectrum_sizes(min_length=2, max_length=9, max_words=100))
def test_sizes(size):
    length, vocabulary = size
    assert length >= 2
    assert vocabulary**length <= 100


@settings(FEW, max_examples=8)
@given(sts.spectra(max_length=3))
def test_spectra(found):
    total = 0
    for word in product(range(found.vocabulary), repeat=found.length):
        letters = ["ABC"[token] for token in word]
        total += found.law.probability(word) * found.kernel.value(letters, letters)
    assert found.trace == total


@FEW
@given(sts.sparse_functions(max_sparsity=3), sts.encodings(max_length=30))
def test_sparse_functions_and_encodings(f, encoding):
    values = {f.value(word) for word in product(range(2), repeat=3)}
    assert values in ({0, 1}, {-1, 1})
    places = range(1, min(encoding.length, 6) + 1)
    for a, b in product(places, repeat=2):
        product_ = encoding.product(a, b)
        assert product_ == 1 if a == b else abs(product_) <= encoding.coherence


@settings(FEW, max_examples=10)
@given(sts.heads(max_length=6, max_sparsity=2))
def test_heads_keep_their_error(found):
    """The output on each word by the definition, against the error that is promised."""
    worst = 0
    for word in product(range(2), repeat=found.length):
        ones = sum(word[p - 1] for p in found.positions)
        worst = max(worst, abs(found.value(word) - found.goal(ones)))
    assert worst == found.error


CERTIFICATES = [value for value in CLASSES.values()
                if issubclass(value, sb.certificates.Certificate)
                and value is not sb.certificates.Certificate]  # fmt: skip


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_certificates_of_each_kind_check(kind):
    @settings(FEW, max_examples=5)
    @given(sts.certificates(kinds=kind))
    def draw(certificate):
        assert type(certificate) is kind
        assert certificate.check()

    draw()


@given(sts.plain_values())
def test_plain_values_come_back(value):
    from symbench.certificates.plain import from_plain, to_plain

    assert from_plain(to_plain(value)) == value


# --- shrinking ----------------------------------------------------------------------------------
def test_shrinks_to_the_smallest():
    assert find(sts.partitions()) == sb.Partition(1)
    assert find(sts.permutations()) == sb.Permutation(1)
    assert find(sts.tableaux()) == sb.Tableau([[1]])
    assert find(sts.semistandard_tableaux(min_size=2)) == sb.Tableau([[1, 1]])
    assert find(sts.matrices()) == sb.Matrix([[0]])
    assert find(sts.matrices(positive_definite=True)) == sb.Matrix([[1]])
    assert find(sts.matrices(singular=True, min_size=2)) == sb.Matrix([[0, 0], [0, 0]])
    assert find(sts.laws(kinds=sb.laws.Iid)) == sb.laws.Iid(1, 0)
    assert find(sts.targets()).value((1,)) == 0
    assert find(sts.spectrum_sizes()) == (1, 2)
    assert find(sts.rationals()) == 0
    assert find(sts.partitions(), lambda p: p.size >= 4) == sb.Partition(4)
    assert find(sts.matrices(square=True), lambda m: m.rank() == 2) in [
        sb.Matrix([[0, 1], [1, 0]]), sb.Matrix([[1, 0], [0, 1]])
    ]  # fmt: skip


# --- bad arguments ------------------------------------------------------------------------------
BAD = [
    (lambda: sts.partitions(min_size=3, max_size=2), BadValue, "exchange them"),
    (lambda: sts.partitions(max_parts=0), BadValue, "max_parts is 0"),
    (lambda: sts.permutations(max_size=10**6), TooLarge, "take 1000 at most"),
    (lambda: sts.tableaux(max_size="3"), BadType, "max_size is '3'"),
    (lambda: sts.semistandard_tableaux(max_letter=1.5), BadType, "a float"),
    (lambda: sts.groups(length=0), BadValue, "length is 0"),
    (lambda: sts.matrices(ring="ZZ"), BadType, "the ring is 'ZZ'"),
    (lambda: sts.matrices(shape=3), BadType, "the shape is 3"),
    (lambda: sts.matrices(shape=(2, 0)), BadValue, "max_size is 0"),
    (lambda: sts.matrices(shape=(2, 3, 4)), BadShape, r"give \(rows, columns\)"),
    (lambda: sts.matrices(shape=(2, 3), square=True), BadShape, "are square"),
    (lambda: sts.matrices(ring=GF(5), positive_definite=True), BadValue, "over ZZ or QQ"),
    (lambda: sts.matrices(ring=Balls(64), singular=True), BadValue, "no enclosure"),
    (lambda: sts.matrices(symmetric=1), BadType, "True or False"),
    (lambda: sts.rationals(min_value="1/20"), BadValue, "raise it"),
    (lambda: sts.rationals(min_value=0.5), BadType, "0.5"),
    (lambda: sts.elements(None), BadType, "the ring is None"),
    (lambda: sts.distributions(10**5), TooLarge, "at most 1,024"),
    (lambda: sts.plain_values(max_leaves=None), BadType, "max_leaves is None"),
    (lambda: sts.young_subgroups(min_size=None), BadType, "min_size is None"),
    (lambda: sts.laws(kinds=[]), BadValue, "kinds is empty"),
    (lambda: sts.laws(kinds="Iid"), BadType, "kinds is 'Iid'"),
    (lambda: sts.laws(kinds=["Iid"]), BadType, "a kind is 'Iid'"),
    (lambda: sts.laws(kinds=dict), BadValue, "give some of Iid"),
    (lambda: sts.laws(kinds=sb.laws.Words, exchangeable=True), BadValue, "not exchangeable"),
    (lambda: sts.laws(kinds=sb.laws.Words, length=30), TooLarge, r"2\^30"),
    (lambda: sts.laws(kinds=sb.laws.Subsets, positive=True), BadValue, "one weight only"),
    (lambda: sts.hidden_markov_laws(min_states=0), BadValue, "min_states is 0"),
    (lambda: sts.kernels(kinds=sb.Template), BadValue, "give some of InnerProduct"),
    (lambda: sts.positional_kernels(length=99), BadValue, "at most 8"),
    (lambda: sts.diagrams(min_length=0), BadValue, "min_length is 0"),
    (lambda: sts.targets(max_variables=0), BadValue, "max_variables is 0"),
    (lambda: sts.targets(vocabulary=9, max_variables=9), TooLarge, r"9\^9 values"),
    (lambda: sts.spectrum_sizes(max_words=0), BadValue, "max_words is 0"),
    (lambda: sts.spectrum_sizes(min_length=6, min_vocabulary=3), BadValue, r"3\^6 words"),
    (lambda: sts.certificates(kinds=sb.certificates.Certificate), BadValue, "give some of"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text) as raised:
        call()
    assert isinstance(raised.value, SymbenchError)
