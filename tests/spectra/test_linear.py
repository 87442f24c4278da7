"""Closed forms of linear attention against the spectra computed from blocks."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import errors
from symbench.exact import Matrix
from symbench.kernels import from_table, inner_product, linear_attention
from symbench.kernels.tangent import tangent
from symbench.laws import Counts, Iid, Mixture
from symbench.spectra import closed_forms, spectrum
from symbench.spectra.linear_forms import RING, Quotient
from symbench.young import Partition


def closed_spectrum(kernel, *, length, vocabulary, law=None):
    """The spectrum in closed form; closed forms in L where there is no length."""
    if length is None:
        return closed_forms(kernel, vocabulary=vocabulary, law=law)
    return spectrum(kernel, length=length, vocabulary=vocabulary, law=law, algorithm="closed-form")


numbers = st.fractions(min_value=0, max_value=5, max_denominator=7)
shapes = st.sampled_from(
    [(4, 1), (4, 2), (5, 2), (9, 2), (17, 2), (4, 3), (5, 3), (7, 3), (4, 4), (5, 4), (4, 5)]
)


@settings(max_examples=40, deadline=None)
@given(shapes, st.sampled_from(["sum", "flatten"]), numbers, numbers)
def test_all_nonzero_eigenvalues(shape, readout, alpha, beta):
    L, V = shape
    kernel = linear_attention(alpha, beta, readout=readout)
    closed = closed_spectrum(kernel, length=L, vocabulary=V)
    found = spectrum(kernel, length=L, vocabulary=V)
    wanted = [level for level in found.levels if level.eigenvalue != 0]
    assert list(closed.levels) == wanted
    assert closed.trace == found.trace


def test_closed_forms_are_taken_where_blocks_do_not_reach():
    kernel = linear_attention(1, 1, readout="flatten")
    for length, vocabulary, wanted in ((20, 2, "binary"), (300, 2, "closed-form")):
        assert spectrum(kernel, length=length, vocabulary=vocabulary).algorithm == wanted
    assert spectrum(kernel, length=12, vocabulary=40).algorithm == "closed-form"
    law = Mixture([("1/2", Iid("1/2", "1/2")), ("1/2", Iid("1/3", "2/3"))])
    with pytest.raises(errors.TooLarge):
        spectrum(kernel, length=300, vocabulary=2, law=law)


def test_very_long_words():
    """The first closed forms of symmetry.md A4, at a length that no block reaches."""
    L = 10**9
    found = closed_spectrum(linear_attention(1, 1), length=L, vocabulary=2)
    values = found[Partition(L - 1, 1)].eigenvalues
    assert values == (Fraction(L * (L + 2), 2), Fraction(L - 2, 2))
    assert found[Partition(L - 2, 2)].eigenvalues == ()
    total = sum(
        level.multiplicity * Fraction(level.eigenvalue)
        for level in found.levels
        if isinstance(level.eigenvalue, Fraction)
    )
    assert total < found.trace


@pytest.mark.parametrize("vocabulary", [2, 3, 50, 10**5])
@pytest.mark.parametrize("readout", ["sum", "flatten"])
def test_the_levels_add_up_to_the_trace(vocabulary, readout):
    """Conjugate roots come with their polynomial, whose coefficients give their sum."""
    kernel = linear_attention("2/3", "1/7", readout=readout)
    found = closed_spectrum(kernel, length=1000, vocabulary=vocabulary)
    total = Fraction(0)
    for level in found.levels:
        if isinstance(level.eigenvalue, Fraction):
            total += level.multiplicity * level.eigenvalue
        else:
            _, b, a = level.eigenvalue.polynomial
            total += level.multiplicity * Fraction(-b, 2 * a)
    assert total == found.trace


@pytest.mark.parametrize(
    ("kernel", "length", "error"),
    [
        (None, 4, errors.BadType),
        (inner_product(int), 4, errors.BadType),
        (linear_attention(), 4, errors.BadType),
        (linear_attention(1, 1, causal=True), 4, errors.NotSupported),
        (linear_attention(1, 1, readout="last"), 4, errors.NotSupported),
        (linear_attention(1, 1, layers=2), 4, errors.NotSupported),
        (linear_attention(1, 1), 3, errors.BadValue),
        (linear_attention(1, 1), 4.0, errors.NotExact),
        (linear_attention(1, 1), True, errors.BadType),
        (tangent(linear_attention(1, 1, layers=2)), 4, errors.NotSupported),
        (tangent(linear_attention(1)), 4, errors.BadType),
    ],
)
def test_bad_calls(kernel, length, error):
    with pytest.raises(error):
        closed_spectrum(kernel, length=length, vocabulary=2)


def test_unknown_partitions():
    found = closed_spectrum(linear_attention(1, 1), length=4, vocabulary=2)
    with pytest.raises(errors.UnknownName):
        found[Partition(3)]
    with pytest.raises(errors.BadType):
        found[None]


# --- other laws, and the tangent kernel -------------------------------------------------------
laws = st.sampled_from(
    [
        (4, ("1/3", "2/3")),
        (7, ("1/3", "2/3")),
        (4, ("1/2", "1/3", "1/6")),
        (5, ("1/7", "2/7", "4/7")),
        (4, ("2/5", "2/5", "1/5")),
        (4, ("1/2", "1/2", "0")),
        (6, ("1", "0")),
        (5, ("1/2", "1/2")),
        (4, ("1/3", "1/3", "1/3")),
    ]
)
rates = st.sampled_from([None, (1, 1), (1, 0), (0, 2), (Fraction(1, 3), 5)])


def with_rates(kernel, chosen):
    if chosen is None:
        return kernel
    return tangent(kernel, token_rate=chosen[0], position_rate=chosen[1])


def from_blocks(kernel, L, V, law):
    """All nonzero eigenvalues from values of the kernel, word by word or table by table."""
    given_on_tables = from_table(lambda table: kernel.on_table(table))
    return spectrum(
        given_on_tables if hasattr(kernel, "on_table") else kernel,
        length=L,
        vocabulary=V,
        law=law,
    )


@settings(max_examples=25, deadline=None)
@given(laws, st.sampled_from(["sum", "flatten"]), numbers, numbers, rates)
def test_other_laws(case, readout, alpha, beta, chosen):
    L, probabilities = case
    law, V = Iid(*probabilities), len(probabilities)
    kernel = with_rates(linear_attention(alpha, beta, readout=readout), chosen)
    closed = closed_spectrum(kernel, length=L, vocabulary=V, law=law)
    found = from_blocks(kernel, L, V, law)
    assert list(closed.levels) == [level for level in found.levels if level.eigenvalue != 0]
    assert closed.trace == found.trace


def test_four_tokens():
    law = Iid("1/2", "1/4", "1/8", "1/8")
    kernel = linear_attention(2, "1/3", readout="flatten")
    closed = closed_spectrum(kernel, length=4, vocabulary=4, law=law)
    found = spectrum(kernel, length=4, vocabulary=4, law=law)
    assert list(closed.levels) == [level for level in found.levels if level.eigenvalue != 0]


def test_a_million_tokens_of_a_skewed_law():
    """The levels add up to the trace, which no block was asked for."""
    L, law = 10**6, Iid("1/2", "1/3", "1/6")
    for readout in ("sum", "flatten"):
        kernel = linear_attention("1/2", 3, readout=readout)
        found = closed_spectrum(kernel, length=L, vocabulary=3, law=law)
        total, roots = Fraction(0), {}
        for level in found.levels:
            if isinstance(level.eigenvalue, Fraction):
                total += level.multiplicity * level.eigenvalue
            else:
                roots.setdefault(level.eigenvalue.polynomial, []).append(level.multiplicity)
        for polynomial, multiplicities in roots.items():
            assert len(set(multiplicities)) == 1
            assert len(multiplicities) == len(polynomial) - 1
            total += multiplicities[0] * Fraction(-polynomial[-2], polynomial[-1])
        assert total == found.trace


# --- closed forms in L, alpha and beta ---------------------------------------------------------
def at(polynomial, **point):
    return Matrix([[polynomial]], RING).evaluate(point)[0, 0]


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([(1, None), (2, None), (3, None), (5, None), (40, None), (2, ("1/3", "2/3")),
                     (3, ("1/2", "1/3", "1/6")), (3, ("2/5", "2/5", "1/5"))]),
    st.sampled_from(["sum", "flatten"]),
    st.integers(4, 30),
    numbers,
    numbers,
    rates,
)  # fmt: skip
def test_substituting_numbers(size, readout, L, alpha, beta, chosen):
    V, law = size[0], None if size[1] is None else Iid(*size[1])
    options = {"vocabulary": V, "law": law}
    family = closed_spectrum(
        with_rates(linear_attention(readout=readout), chosen), length=None, **options
    )
    wanted = closed_spectrum(
        with_rates(linear_attention(alpha, beta, readout=readout), chosen), length=L, **options
    )
    assert family.at(length=L, alpha=alpha, beta=beta) == wanted
    half = closed_spectrum(
        with_rates(linear_attention(alpha, readout=readout), chosen), length=None, **options
    )
    assert half.at(length=L, beta=beta) == wanted
    # The levels of the family, put in one by one.
    point = {"L": L, "alpha": alpha, "beta": beta}
    total = Fraction(0)
    dims = {(): 1, (1,): L - 1, (2,): L * (L - 3) // 2, (1, 1): (L - 1) * (L - 2) // 2}
    for level in family.levels:
        *_, before, lead = [at(c, **point) for c in level.polynomial]
        assert lead == 1
        total += -before * level.copies * dims[level.below]
        if level.eigenvalue is not None:
            value = at(level.eigenvalue, **point)
            shape = Partition(L - sum(level.below), *level.below)
            assert value == 0 or value in [x for x, _ in wanted[shape].values]
    assert total == wanted.trace == at(family.trace, **point)


def test_the_closed_forms_of_the_notes():
    """symmetry.md A4, sum pooling and two tokens, as polynomials."""
    L, alpha, beta = RING.gens
    family = closed_spectrum(linear_attention(), length=None, vocabulary=2)
    values = [level.eigenvalue for level in family[1]]
    assert values == [alpha * beta * L * (alpha * L + 2 * beta) / 2, alpha**2 * beta * (L - 2) / 2]
    trace = L**3 * alpha**3 + 2 * L**2 * alpha**3 + 6 * L**2 * alpha**2 * beta
    trace += 2 * L**2 * alpha * beta**2 + 3 * L * alpha**3 + 6 * L * alpha**2 * beta
    trace += 10 * L * alpha * beta**2 + 4 * L * beta**3 - 2 * alpha**3
    assert family.trace == trace * L / 4
    assert family[2] == family[1, 1] == ()
    flatten = linear_attention(readout="flatten")
    family = closed_spectrum(flatten, length=None, vocabulary=3)
    assert [level.eigenvalue for level in (*family[2], *family[1, 1])] == [
        4 * alpha**2 * beta / 9
    ] * 2
    assert [level.copies for level in (*family[2], *family[1, 1])] == [3, 1]


@pytest.mark.parametrize("readout", ["sum", "flatten"])
@pytest.mark.parametrize(("V", "law"), [(2, None), (3, None), (2, Iid("1/3", "2/3"))])
def test_limits(readout, V, law):
    """Exponents and limits against the largest eigenvalues at two very large lengths."""
    kernel = linear_attention(2, 3, readout=readout)
    family = closed_spectrum(kernel, length=None, vocabulary=V, law=law)
    seen = set()
    for row in family.tightness():
        level = row.level
        if level.below in seen:
            continue
        seen.add(level.below)
        parts = []
        for L in (10**6, 10**8):
            found = closed_spectrum(kernel, length=L, vocabulary=V, law=law)
            shape = Partition(L - sum(level.below), *level.below)
            top = found[shape].values[0][0]
            parts.append(float(top) * shape.dim / float(found.trace))
            if row.ratio is not None:
                point = {"L": L, "alpha": 0, "beta": 0}
                ratio = at(row.ratio.numerator, **point) / at(row.ratio.denominator, **point)
                assert ratio == top * shape.dim / found.trace
        slope = np.log(parts[1] / parts[0]) / np.log(100)
        assert float(row.exponent) == pytest.approx(slope, abs=1e-3)
        assert row.tight == (row.exponent == 0)
        if row.limit is not None:
            limit = at(row.limit.numerator, L=0, alpha=0, beta=0) / at(
                row.limit.denominator, L=0, alpha=0, beta=0
            )
            assert float(limit) == pytest.approx(
                parts[1] / 10 ** (8 * float(row.exponent)), rel=1e-3
            )
    assert any(row.limit is not None for row in family.tightness())


def test_tight_and_not():
    flatten, total = (
        {
            row.level.below: row
            for row in reversed(
                closed_spectrum(
                    linear_attention(readout=readout), length=None, vocabulary=2
                ).tightness()
            )
        }
        for readout in ("flatten", "sum")
    )
    _, alpha, beta = RING.gens
    assert flatten[1,].limit == Quotient.of(alpha, 2 * (alpha + beta))
    assert (flatten[1,].exponent, flatten[2,].exponent, total[1,].exponent) == (0, -1, -1)
    assert total[1,].limit == Quotient.of(2 * beta, alpha)
    assert flatten[1,].tight
    assert not total[1,].tight


def test_printing_a_family():
    family = closed_spectrum(linear_attention(), length=None, vocabulary=3)
    text = family.latex()
    assert text.startswith(r"\begin{tabular}")
    assert r"\frac{2}{9} L \alpha^{2} \beta" in text
    assert "= 0" in text
    assert len(set(family)) == len(family.levels)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda f: f.at(length=3, alpha=1, beta=1), errors.BadValue),
        (lambda f: f.at(length=4.0, alpha=1, beta=1), errors.NotExact),
        (lambda f: f.at(length=4, alpha=1), errors.BadType),
        (lambda f: f.at(length=4, alpha=0.5, beta=1), errors.NotExact),
        (lambda f: f.at(length=4, alpha=-1, beta=1), errors.BadValue),
        (lambda f: f[3], errors.UnknownName),
        (lambda f: f[None], errors.UnknownName),
        (lambda f: f[True], errors.UnknownName),
        (lambda f: f["1"], errors.UnknownName),
        (lambda f: f[[1]], errors.UnknownName),
    ],
)
def test_bad_points(call, error):
    family = closed_spectrum(linear_attention(), length=None, vocabulary=2)
    with pytest.raises(error):
        call(family)
    known = closed_spectrum(linear_attention(1, 1), length=None, vocabulary=2)
    with pytest.raises(errors.BadValue):
        known.at(length=4, alpha=1)


@pytest.mark.parametrize(
    ("law", "V", "error"),
    [
        ("uniform", 2, errors.BadType),
        (Iid("1/2", "1/2"), 3, errors.BadShape),
        (Mixture([("1/2", Iid(1, 0)), ("1/2", Iid(0, 1))]), 2, errors.NotSupported),
        (Counts.of(lambda n: "1/32", length=5, vocabulary=2), 2, errors.SymbenchError),
        (Iid(*[Fraction(k, 105) for k in range(1, 15)]), 14, errors.TooLarge),
    ],
)
def test_bad_laws(law, V, error):
    for length in (5, None):
        with pytest.raises(error):
            closed_spectrum(linear_attention(1, 1), length=length, vocabulary=V, law=law)


def test_roots_that_grow_alike_have_no_limit_of_their_own():
    """Two roots of one polynomial of the same power of L: the sum of both is no limit of one."""
    kernel = linear_attention(1, 0, readout="flatten")
    law = Iid("1/2", "1/3", "1/6")
    family = closed_spectrum(kernel, length=None, vocabulary=3, law=law)
    (row,) = [x for x in family.tightness() if x.level.below == (1,)]
    assert row.exponent == 0
    assert row.limit is None
