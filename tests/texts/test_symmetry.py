"""The moments of windows against loops over positions, and laws that are known."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotSupported,
    SymbenchError,
    TooLarge,
    UnknownName,
)
from symbench.laws import HiddenMarkov, Iid, Mixture
from symbench.laws.moments import hidden_triple, moment_residual, moment_witness
from symbench.texts.symmetry import (
    TextComparison,
    compare_texts,
    permutation_symmetry,
)
from symbench.texts.windows import exact_residual, moments


def by_definition(law, order):
    """|S - PS|^2 / |S|^2, P the average of S over all permutations of positions."""
    length = len(next(iter(law)))
    letters = sorted({t for w in law for t in w})
    S = {}
    for places in product(range(length), repeat=order):
        for tokens in product(letters, repeat=order):
            S[places, tokens] = sum(
                (p for w, p in law.items() if tuple(w[a] for a in places) == tokens), Fraction(0)
            )
    group = list(permutations(range(length)))
    lost = Fraction(0)
    for (places, tokens), value in S.items():
        moved = sum(S[tuple(g[a] for a in places), tokens] for g in group)
        lost += (value - moved / len(group)) ** 2
    return lost / sum(v * v for v in S.values())


@st.composite
def texts(draw):
    length = draw(st.integers(1, 4))
    token = st.integers(0, 2)
    return draw(
        st.lists(
            st.lists(token, min_size=length, max_size=length).map(tuple), min_size=1, max_size=6
        )
    )


def as_law(windows):
    law = {}
    for w in windows:
        law[w] = law.get(w, Fraction(0)) + Fraction(1, len(windows))
    return law


@settings(max_examples=40, deadline=None)
@given(texts(), st.integers(1, 2))
@example([(0, 1), (1, 2), (2, 0)], 2)  # one pair of positions, of which the order matters
@example([(0, 1, 2), (1, 2, 0), (2, 0, 1)], 2)
def test_the_residual(windows, order):
    law = as_law(windows)
    wanted = by_definition(law, order)
    assert moment_residual(law, order=order) == wanted
    report = permutation_symmetry(windows, order=order, resamples=2)
    assert report.residual_squared == wanted
    assert report.residual == pytest.approx(float(wanted) ** 0.5)
    witness = moment_witness(law, order=order)
    assert (witness is None) == (wanted == 0)
    if witness:
        one, other, tokens, p, q = witness
        assert p != q
        for places, chance in ((one, p), (other, q)):
            assert chance == sum(
                c for w, c in law.items() if tuple(w[a - 1] for a in places) == tokens
            )


@pytest.mark.parametrize(
    ("window", "order"),
    [((3, 3, 1, 0, 3), 1), ((1, 2, 2, 3, 2, 3), 2), ((0, 0, 1, 1, 2), 2), ((0, 1, 2), 3)],
)
def test_one_window_is_as_symmetric_as_its_shuffles(window, order):
    """All shuffles of one window have the same residual, to the last bit: p = 1."""
    report = permutation_symmetry([window], order=order, resamples=5)
    assert set(report.null) == set(report.bootstrap) == {report.residual}
    assert report.symmetric
    assert report.p_value == 1


def test_residuals_of_large_counts():
    """Counts whose squares do not fit in 64 bits: the same part of many more windows."""
    few = moments(np.array([[0, 1], [1, 1], [0, 0], [0, 1]]), 2, 2, np.ones(4))
    wanted = exact_residual(few, 2)
    assert wanted == by_definition(as_law([(0, 1), (1, 1), (0, 0), (0, 1)]), 2)
    for times in (2.0**31, 2.0**40):
        assert exact_residual(few * times, 2) == wanted


def test_a_token_with_the_name_of_the_rest():
    report = permutation_symmetry(["(other)", "(other)", "a", "b"], length=2, vocabulary=1)
    assert report.data.tolist() == [[0, 0], [1, 1]]
    assert permutation_symmetry("abca", length=2, vocabulary=3).tokens == ("a", "b", "c")


@settings(max_examples=10, deadline=None)
@given(texts())
def test_the_residual_of_order_three(windows):
    law = as_law(windows)
    wanted = by_definition(law, 3)
    assert permutation_symmetry(windows, order=3, resamples=1).residual_squared == wanted
    assert moment_residual(law, order=3) == wanted


def test_the_hidden_triple():
    law = hidden_triple()
    assert len(law) == 8
    assert sum(law.values()) == 1
    sign = {w: [1 - 2 * b for b in w] for w in law}
    for a, b in product(range(4), repeat=2):
        assert sum(p * sign[w][a] * sign[w][b] for w, p in law.items()) == int(a == b)
    assert sum(p * sign[w][0] * sign[w][1] * sign[w][2] for w, p in law.items()) == 1
    assert sum(p * sign[w][0] * sign[w][1] * sign[w][3] for w, p in law.items()) == 0
    assert [by_definition(law, k) for k in (1, 2)] == [0, 0]
    assert by_definition(law, 3) == moment_residual(law, order=3) == Fraction(9, 236)


def test_the_test_sees_only_its_order():
    words = list(hidden_triple()) * 50
    assert permutation_symmetry(words, order=2).residual_squared == 0
    third = permutation_symmetry(words, order=3, resamples=50)
    assert third.residual_squared == Fraction(9, 236)
    assert not third.symmetric
    assert third.p_value == pytest.approx(1 / 51)


def test_exchangeable_laws_pass_and_chains_do_not():
    law = Mixture([("1/2", Iid("1/4", "3/4")), ("1/2", Iid("3/4", "1/4"))])
    words = {w: law.probability(w) for w in product((0, 1), repeat=4)}
    assert [moment_residual(words, order=k) for k in (1, 2, 3)] == [0, 0, 0]
    sticky = HiddenMarkov(["1/2", "1/2"], [["9/10", "1/10"], ["1/10", "9/10"]], [[1, 0], [0, 1]])
    windows = sticky.sample(6, count=1000, seed=3)
    report = permutation_symmetry(windows, resamples=40)
    assert not report.symmetric
    assert report.residual > 3 * report.null_residual
    shuffled = [
        tuple(np.random.default_rng(i).permutation(w).tolist()) for i, w in enumerate(windows)
    ]
    assert permutation_symmetry(shuffled, resamples=40).residual < report.residual / 3


def test_modes_of_an_exchangeable_law():
    """C_0 = D + (L-1) O and C_k = D - O, for all words weighted by whole numbers."""
    windows = []
    for w in product((0, 1, 2), repeat=4):  # each word as often as a function of its counts says
        windows += [w] * (1 + w.count(0) * w.count(1))
    report = permutation_symmetry(windows, resamples=1)
    assert report.residual_squared == 0
    n = len(windows)
    order = [report.tokens.index(t) for t in range(3)]
    D = np.diag([sum(w[0] == t for w in windows) / n for t in range(3)])
    off = np.array(
        [[sum(w[0] == s and w[1] == t for w in windows) / n for t in range(3)] for s in range(3)]
    )
    for k in range(4):
        found = report.mode(k)[np.ix_(order, order)]
        wanted = D + 3 * off if k == 0 else D - off
        assert np.allclose(found, wanted)
        assert report.eigenvalues(k) == pytest.approx(
            sorted(np.linalg.eigvalsh(wanted))[::-1], abs=1e-9
        )


def test_modes_by_the_definition():
    windows = [(0, 1, 1), (0, 0, 1), (1, 0, 0), (0, 1, 0)]
    report = permutation_symmetry(windows, resamples=1)
    assert report.tokens == (0, 1)
    for k in range(3):
        total = np.zeros((2, 2), dtype=complex)
        for w in windows:
            x = np.eye(2)[list(w)]
            mode = sum(np.exp(2j * np.pi * k * a / 3) * x[a] for a in range(3)) / 3**0.5
            total += np.outer(mode, mode.conj()) / 4
        assert np.allclose(report.mode(k), total)
        assert np.allclose(report.mode(k + 3), total)


def test_vocabulary_and_windows():
    report = permutation_symmetry("aaabbc" * 3 + "z", length=3, vocabulary=2, resamples=1)
    assert report.tokens == ("a", "b", "(other)")
    assert report.windows == 6  # the last letter is left over
    assert permutation_symmetry(np.array([[0, 1], [1, 0]]), resamples=1).residual_squared == 0
    assert permutation_symmetry("ab" * 4, length=2, vocabulary=9, resamples=1).vocabulary == 2


def test_the_bootstrap():
    windows = [(0, 1)] * 30 + [(1, 0)] * 10
    report = permutation_symmetry(windows, resamples=200, seed=5)
    again = permutation_symmetry(windows, resamples=200, seed=5)
    assert report.bootstrap == again.bootstrap
    assert report.null == again.null
    assert len(report.bootstrap) == len(report.null) == 200
    # The residual of a fraction q of (0, 1) is |2q - 1| / sqrt(4 q^2 - 4 q + 2), over sqrt(2).
    q = np.random.default_rng(0).binomial(40, 0.75, size=4000) / 40
    wanted = np.array([permutation_symmetry_of(x) for x in q]).std()
    assert report.spread == pytest.approx(wanted, rel=0.25)
    assert permutation_symmetry([(0, 1)], resamples=1).spread == 0


def permutation_symmetry_of(q):
    """The residual for words 01 with probability q and 10 with 1 - q."""
    law = {(0, 1): q, (1, 0): 1 - q}
    S = np.zeros((2, 2, 2, 2))
    for w, p in law.items():
        for a, b in product(range(2), repeat=2):
            S[a, b, w[a], w[b]] += p
    P = (S + S[::-1, ::-1]) / 2
    return np.linalg.norm(S - P) / np.linalg.norm(S)


def test_side_by_side_and_plot(tmp_path):
    reports = compare_texts({"one": "ab" * 30, "two": "abba" * 15}, length=4, resamples=5)
    text = reports.table()
    assert repr(reports) == text
    assert [line.split()[0] for line in text.splitlines()] == ["text", "one", "two"]
    assert repr(reports[0]).splitlines()[1].split() == text.splitlines()[1].split()
    (axes,) = reports[0].plot(tmp_path / "modes.png").axes
    assert len(axes.get_legend().get_texts()) == 3
    assert (tmp_path / "modes.png").exists()
    with pytest.raises(BadType):
        reports[0].plot(b"x")
    # The error bars of the CDFs are those of the bootstrap, around the eigenvalues.
    bars = [c for c in axes.containers if c.has_xerr]
    assert len(bars) == 3
    for k, bar in enumerate(bars):
        segments = bar.lines[2][0].get_segments()
        found = [(seg[0, 0], seg[1, 0]) for seg in segments]
        values, errors = reports[0].eigenvalues(k)[::-1], reports[0].eigenvalue_spread(k)[::-1]
        wanted = [(v - e, v + e) for v, e in zip(values, errors, strict=True)]
        assert np.allclose(found, wanted)


def test_the_comparison_and_its_plot(tmp_path):
    texts = {"one": "ab" * 30, "two": "abba" * 15, "three": "aab" * 20}
    found = compare_texts(texts, length=4, resamples=7)
    assert [report.name for report in found] == list(texts)
    assert found["two"] is found[1]
    assert len(found) == 3
    for report in found:
        alone = permutation_symmetry(texts[report.name], length=4, resamples=7, name=report.name)
        assert (alone.residual, alone.null) == (report.residual, report.null)
    figure = found.plot(str(tmp_path / "texts.svg"))
    assert (tmp_path / "texts.svg").exists()
    first, *rest = figure.axes
    assert [text.get_text() for text in first.get_xticklabels()] == list(texts)
    assert [axes.get_legend().get_title().get_text() for axes in rest] == list(texts)
    (points,) = (c for c in first.containers if c.has_yerr)
    assert np.allclose(points.lines[0].get_ydata(), [report.residual for report in found])
    assert len(compare_texts(texts, length=4, resamples=2, order=3).plot().axes) == 1


@settings(max_examples=25, deadline=None)
@given(texts(), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))
def test_similar_components(windows, k, j, count):
    """Against projectors to the leading eigenvectors, from moments by the definition."""
    report = permutation_symmetry(windows, resamples=1)
    V, L = report.vocabulary, len(windows[0])
    count = min(count, V)
    projectors = []
    for n in (k, j):
        C = np.zeros((V, V), dtype=complex)
        for w in windows:
            x = np.eye(V)[[report.tokens.index(t) for t in w]]
            mode = sum(np.exp(2j * np.pi * n * a / L) * x[a] for a in range(L))
            C += np.outer(mode, mode.conj())
        values, vectors = np.linalg.eigh(C)
        if count < V and abs(values[-count] - values[-count - 1]) < 1e-6:
            return  # the space is not determined
        leading = vectors[:, -count:]
        projectors.append(leading @ leading.conj().T)
    wanted = np.trace(projectors[0] @ projectors[1]).real / count
    assert report.component_similarity(k, j, components=count) == pytest.approx(wanted, abs=1e-6)
    assert report.component_similarity(k, k, components=count) == pytest.approx(1)
    assert report.component_similarity(k, j, components=V) == pytest.approx(1)


def test_the_spread_of_eigenvalues():
    """C_0 of words 00 and 01, half of each: its eigenvalues have a known bootstrap law."""
    windows = [(0, 0)] * 30 + [(0, 1)] * 30
    report = permutation_symmetry(windows, resamples=400, seed=2)
    drawn = np.random.default_rng(1).binomial(60, 0.5, size=4000) / 60
    values = []
    for q in drawn:  # q of 00, whose mode is (2, 0), the rest with mode (1, 1), over the root of 2
        C = (q * np.array([[4, 0], [0, 0]]) + (1 - q) * np.array([[1, 1], [1, 1]])) / 2
        values.append(np.linalg.eigvalsh(C)[::-1])
    assert report.eigenvalue_spread(0) == pytest.approx(np.std(values, axis=0), rel=0.15)
    assert report.eigenvalue_spread(0) == report.eigenvalue_spread(2)
    assert permutation_symmetry([(0, 1)], resamples=3).eigenvalue_spread(0) == pytest.approx([0, 0])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: permutation_symmetry(None), BadType),
        (lambda: permutation_symmetry(3), BadType),
        (lambda: permutation_symmetry("abc"), BadValue),
        (lambda: permutation_symmetry("abc", length=5), BadShape),
        (lambda: permutation_symmetry("", length=5), BadShape),
        (lambda: permutation_symmetry([[]]), BadShape),
        (lambda: permutation_symmetry([[1], [1, 2]]), BadShape),
        (lambda: permutation_symmetry([[1, 2]], length=2), BadValue),
        (lambda: permutation_symmetry("abc", length=1.5), NotExact),
        (lambda: permutation_symmetry("abc", length=0), BadValue),
        (lambda: permutation_symmetry([{}, {}], length=1), BadType),
        (lambda: permutation_symmetry("abab", length=2, vocabulary=0), BadValue),
        (lambda: permutation_symmetry("abab", length=2, order=0), BadValue),
        (lambda: permutation_symmetry("abab", length=2, order=None), BadType),
        (lambda: permutation_symmetry("abab", length=2, resamples=0), BadValue),
        (lambda: permutation_symmetry("abab", length=2, seed=None), BadType),
        (lambda: permutation_symmetry("abab", length=2, name=3), BadType),
        (lambda: permutation_symmetry("abcd" * 500, length=1000), TooLarge),
        (
            lambda: permutation_symmetry("abab", length=2, order=3, resamples=1).mode(0),
            SymbenchError,
        ),
        (lambda: permutation_symmetry("abab", length=2, resamples=1).mode(0.5), NotExact),
        (lambda: compare_texts("abc"), BadType),
        (lambda: compare_texts({}), BadType),
        (lambda: TextComparison([None]), BadType),
        (lambda: TextComparison((None,)), BadType),
        (lambda: compare_texts({"a": "abab"}, length=2, resamples=1)[1], UnknownName),
        (lambda: compare_texts({"a": "abab"}, length=2, resamples=1)[None], UnknownName),
        (lambda: compare_texts({"a": "abab"}, length=2, resamples=1).plot(3), BadType),
        (lambda: permutation_symmetry("abab", length=2).component_similarity(0.5), NotExact),
        (lambda: permutation_symmetry("abab", length=2).component_similarity(1, None), BadType),
        (
            lambda: permutation_symmetry("abab", length=2).component_similarity(1, components=3),
            BadValue,
        ),
        (lambda: permutation_symmetry("abab", length=2).eigenvalue_spread(None), BadType),
        (
            lambda: permutation_symmetry("ababab", length=2, order=3).eigenvalue_spread(0),
            NotSupported,
        ),
        (lambda: moment_residual(None, order=2), BadType),
        (lambda: moment_residual({}, order=2), BadType),
        (lambda: moment_residual({"ab": 1}, order=2), BadType),
        (lambda: moment_residual({(0,): 1, (0, 1): 0}, order=2), BadShape),
        (lambda: moment_residual({(0,): "1/2"}, order=1), BadValue),
        (lambda: moment_residual({(0,): 0.5, (1,): 0.5}, order=1), NotExact),
        (lambda: moment_residual({(0,) * 200: 1}, order=3), TooLarge),
        (lambda: moment_residual({(0,): 1}, order=10**9), TooLarge),
        (lambda: moment_residual({(0, 1): 1}, order=10**9), TooLarge),
        (lambda: moment_witness({(0,): 1}, order=0), BadValue),
        (lambda: permutation_symmetry("abab", length=2, order=10**9), TooLarge),
        (lambda: permutation_symmetry("aaaa", length=1, order=40), TooLarge),
        (lambda: TextComparison(()).plot(), BadShape),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)
