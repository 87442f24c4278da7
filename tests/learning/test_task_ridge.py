"""Ridge regression on tasks, against whole kernel matrices and quadratures made here by hand."""

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import sqrt

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotInvertible,
    SymbenchError,
    TooLarge,
    Undecided,
)
from symbench.kernels import Diagram, attention, from_function, inner_product, linear_attention
from symbench.learning import (
    Problem,
    TaskRidge,
    TemplateSplit,
    cost_map,
    cost_table,
    learning_curve,
)
from symbench.words import Task, Template

INCIDENCE = inner_product(lambda n: n, incidence=True)
SAME = Task([Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1])
TOKEN = Task([Template("αα").with_cls(), Template("AB").with_cls()], labels=[1, -1])
FIVE = ["AA", "AB", "BB", "BC", "CA"]


# --- the second road ------------------------------------------------------------------------------
def incidence(x, y):
    """<XX^T, YY^T> + <X, Y>, pair by pair."""
    size = range(len(x))
    equal = sum(x[a] == x[b] and y[a] == y[b] for a, b in product(size, size))
    return equal + sum(s == t for s, t in zip(x, y, strict=True))


def squared(x, y):
    return incidence(x, y) ** 2


def elimination(matrix, right):
    rows = [[*map(Fraction, row), Fraction(b)] for row, b in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def regression(kernel, strings, labels, x, ridge, end="*"):
    """y^T (K + ridge)^-1 k(x) with the whole matrix."""
    words = [s + end for s in strings]
    K = [[Fraction(kernel(s, t)) + (Fraction(ridge) if i == j else 0) for j, t in enumerate(words)]
         for i, s in enumerate(words)]  # fmt: skip
    dual = elimination(K, labels)
    return sum(c * kernel(s, x + end) for c, s in zip(dual, words, strict=True))


def labels_of(strings):
    return [1 if s[0] == s[1] else -1 for s in strings]


# --- vectors --------------------------------------------------------------------------------------
def test_the_matrix_of_incidences():
    split = TemplateSplit(SAME, INCIDENCE)
    fresh = [["AA*", "AB*"], ["CC*", "CD*"]]
    assert (
        split.matrix.rows
        == tuple(tuple(incidence(x, y) for y in fresh[1]) for x in fresh[0])
        == ((6, 4), (4, 4))
    )
    assert split.kappa == tuple(incidence(x, x) for x in fresh[0]) == (8, 6)
    assert split.residual == (2, 2)


@pytest.mark.parametrize(
    ("counts", "ridge", "values"),
    [
        ((1, 1), 1, (Fraction(14, 47), Fraction(-8, 47))),
        ((2, 2), 1, (Fraction(44, 101), Fraction(-32, 101))),
        ((2, 2), 0, (Fraction(10, 19), Fraction(-8, 19))),
    ],
)
def test_predictions_without_collisions(counts, ridge, values):
    strings = ["AA", "BB"][: counts[0]] + ["CD", "EF"][: counts[1]]
    for found, x in zip(values, ("XX", "XY"), strict=True):
        assert regression(incidence, strings, labels_of(strings), x, ridge) == found
    assert TemplateSplit(SAME, INCIDENCE).predictions(counts, ridge=ridge) == values
    assert TaskRidge(SAME, INCIDENCE, strings, ridge=ridge).unseen == values


def test_predictions_with_collisions():
    found = TaskRidge(SAME, INCIDENCE, FIVE, ridge=1)
    assert found.exactness == "exact"
    assert found.gram == ((1, Fraction(-2, 3)), (Fraction(-2, 3), Fraction(13, 9)))
    # B^-1 Z by hand: the residual kernel is what is above N.
    words, N = [f"{s}*" for s in FIVE], {(0, 0): 6, (0, 1): 4, (1, 0): 4, (1, 1): 4}
    which = [int(s[0] != s[1]) for s in FIVE]
    B = [[incidence(s, t) - N[i, j] + (s == t) for t, j in zip(words, which, strict=True)]
         for s, i in zip(words, which, strict=True)]  # fmt: skip
    for j in (0, 1):
        column = elimination(B, [int(i == j) for i in which])
        sums = [sum(c for c, k in zip(column, which, strict=True) if k == i) for i in (0, 1)]
        assert sums == [found.gram[i][j] for i in (0, 1)]
    tests = {
        "XX": Fraction(86, 139),
        "XY": Fraction(-88, 139),
        "AA": Fraction(191, 278),
        "CC": Fraction(23, 139),
        "AX": Fraction(-181, 278),
    }
    for x, value in tests.items():
        assert regression(incidence, FIVE, labels_of(FIVE), x, 1) == value
        assert found.predict([x]) == (value,)
    assert found.unseen == (Fraction(86, 139), Fraction(-88, 139))


def test_a_token_of_another_template():
    for n, value in ((1, Fraction(1, 47)), (2, Fraction(22, 131))):
        strings = ["EE", "FF"][:n] + ["AB"] * n
        labels = [1] * n + [-1] * n
        assert regression(incidence, strings, labels, "AA", 1) == value
        assert TaskRidge(TOKEN, INCIDENCE, strings).predict(["AA"]) == (value,)
    split = TemplateSplit(TOKEN, INCIDENCE)
    assert split.matrix.rows == ((6, 4), (4, 6))
    assert split.at_infinity(Template("AA").with_cls()) == Fraction(1, 2)
    assert split.at_infinity(split.pattern("EE")) == 1


def test_expected_collisions():
    for m in (3, 4, 7):
        tokens = [chr(ord("a") + k) for k in range(m)]
        sets = [[t + t for t in tokens], ["".join(p) for p in permutations(tokens, 2)]]
        N = [[6, 4], [4, 4]]
        found = TemplateSplit(SAME, INCIDENCE).expected_residual(m)
        bad = TemplateSplit(SAME, INCIDENCE).meeting_probability(m)
        for i, j in product((0, 1), repeat=2):
            pairs = [(x, y) for x in sets[i] for y in sets[j]]
            mean = Fraction(
                sum(incidence(x + "*", y + "*") - N[i][j] for x, y in pairs), len(pairs)
            )
            assert found[i, j] == mean == Fraction(2, m)
            assert bad[i, j] == Fraction(sum(bool({*x} & {*y}) for x, y in pairs), len(pairs))


def hermite(x, y, beta, gamma, count=32):
    """K_attn of strings of two tokens and CLS: a Gram matrix of smoothed softmaxes.

    Given s_a = gamma (p_a - p_3) - zeta_CLS the logits of two strings without common tokens are
    independent, so both are averaged by themselves.
    """
    nodes, masses = np.polynomial.hermite_e.hermegauss(count)
    masses = masses / masses.sum()
    root = np.linalg.cholesky(
        np.array([[2 * gamma**2 + 1, gamma**2 + 1], [gamma**2 + 1, 2 * gamma**2 + 1]])
    )
    outer = np.array(list(product(nodes, repeat=2))) @ root.T
    weights = np.outer(masses, masses).ravel()

    def smoothed(word):
        total = np.zeros((len(outer), 3))
        for (i, a), (j, b) in product(enumerate(nodes), repeat=2):
            if word[0] == word[1] and j:
                continue
            mass = masses[i] * (1 if word[0] == word[1] else masses[j])
            shift = np.array([a, a if word[0] == word[1] else b])
            logits = np.concatenate([beta * (outer + shift), np.zeros((len(outer), 1))], axis=1)
            top = np.exp(logits - logits.max(axis=1, keepdims=True))
            total += mass * top / top.sum(axis=1, keepdims=True)
        return total

    one, two = smoothed(x), smoothed(y)
    return float(weights @ (gamma**2 * (one * two).sum(axis=1) + one[:, 2] * two[:, 2]))


def test_attention_at_one():
    split = TemplateSplit(sb.tasks.same_different(), attention(beta=1, gamma=1), digits=12)
    printed = [[0.679842921843, 0.660334317185], [0.660334317185, 0.644561117409]]
    for (i, x), (j, y) in product(enumerate(("AA", "AB")), enumerate(("CC", "CD"))):
        assert hermite(x, y, 1.0, 1.0) == pytest.approx(printed[i][j], rel=1e-5)
    assert np.allclose(split.matrix, printed, rtol=1e-11)
    assert [float(k) for k in split.kappa] == pytest.approx([1.239806862486, 1.118770951709])
    fresh = split.predictions([500, 500], ridge=1)
    assert [round(float(v), 8) for v in fresh] == [0.34012344, -0.35949334]
    # The same number from a whole kernel matrix of a thousand strings without common tokens.
    N, kappa = np.array(printed), np.array([1.239806862486, 1.118770951709])
    which = np.repeat([0, 1], 500)
    K = N[np.ix_(which, which)] + np.diag(kappa[which] - N[which, which] + 1)
    dense = np.linalg.solve(K, np.where(which == 0, 1.0, -1.0)) @ N[which]
    assert np.allclose(dense, [0.34012344, -0.35949334], atol=1e-8)


def test_costs_of_attention():
    cost = {(1, 1): 676.9, (2, 1): 204.4, (8, 1): 86.1}
    for (beta, gamma), value in cost.items():
        split = TemplateSplit(sb.tasks.same_different(), attention(beta=beta, gamma=gamma))
        found = split.cost()
        assert max(map(float, found)) == pytest.approx(value, abs=0.05)
        assert all(c.exactness == "float" for c in found)
    assert max(TemplateSplit(SAME, INCIDENCE).cost()) == 5


def both(a, b):
    """P(X < a, Y < b) for Gaussians of variance 1 and correlation 1/sqrt 2, by Owen's function."""
    cdf, owens_t = scipy.special.ndtr, scipy.special.owens_t
    found = (cdf(a) + cdf(b)) / 2
    for u, v in ((a, b), (b, a)):
        found = found - owens_t(u, (v - u / sqrt(2)) * sqrt(2) / u)
    return found - (a * b < 0) / 2


def hard_cost(gamma, count=24):
    """The cost of same and different at beta = infinity, where the largest logit has all weight.

    Let s_a = gamma (p_a - p_3) - zeta_CLS, as above. Given s, AA* chooses the larger s_a if it is
    above -zeta_A, and AB* chooses among zeta_A + s_1, zeta_B + s_2 and 0. Positions 1 and 2 may be
    exchanged, so that s_1 > s_2 is half of it.
    """
    nodes, masses = np.polynomial.legendre.leggauss(count)
    cdf, pdf = scipy.stats.norm.cdf, scipy.stats.norm.pdf

    def panels(edges):
        pairs = [(low, high) for low, high in pairwise(sorted(edges)) if high - low > 1e-9]
        points = [(high + low) / 2 + (high - low) / 2 * nodes for low, high in pairs]
        weights = [(high - low) / 2 * masses for low, high in pairs]
        return np.concatenate(points), np.concatenate(weights)

    wide, deep = sqrt(2) * gamma, sqrt(1.5 * gamma**2 + 1)
    total = np.zeros((2, 2))
    for d, dm in zip(*panels([0, 1, 3, 6, 12, 3 * wide, 9 * wide]), strict=True):
        near = [x + y for x in (0, d) for y in (-8, -3, -1, 0, 1, 3, 8)]
        ends = [d / 2 - 9 * deep, d / 2 + 9 * deep]
        t, tm = panels([*(x for x in near if ends[0] < x < ends[1]), *ends])
        choices = [
            (cdf(t), 0 * t, cdf(-t)),
            (both(t, 0 * t + d / sqrt(2)), both(t - d, 0 * t - d / sqrt(2)), cdf(-t) * cdf(d - t)),
        ]
        mass = 2 * dm * tm * pdf(d / wide) / wide * pdf((t - d / 2) / deep) / deep
        for (i, x), (j, y) in product(enumerate(choices), repeat=2):
            meet = gamma**2 * sum(a * b for a, b in zip(x, y, strict=True)) + x[2] * y[2]
            total[i, j] += mass @ meet
    own = 1 + gamma**2 - np.diag(total)
    return max(2 * np.abs(np.linalg.solve(total, [1, -1])) * own)


def test_the_cost_where_the_largest_logit_takes_all():
    costs = {1: 68.02, 8: 28.01, 32: 24.448}
    for gamma, value in costs.items():
        assert hard_cost(gamma) == pytest.approx(value, abs=0.006)
    # The library comes near it from above, and the limit is 12 + 8 sqrt 2.
    split = TemplateSplit(sb.tasks.same_different(), attention(beta=16, gamma=1), digits=6)
    assert 68.02 < max(map(float, split.cost())) < 86
    assert abs(hard_cost(256) - (12 + 8 * sqrt(2))) < 0.2


# --- any training set -----------------------------------------------------------------------------
KERNELS = {
    "incidence": (INCIDENCE, incidence),
    "squared": (inner_product(lambda n: n * n, incidence=True), squared),
}
STRINGS = st.lists(
    st.sampled_from(["".join(p) for p in product("ABCD", repeat=2)]), min_size=1, max_size=6
)


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(KERNELS)),
    STRINGS,
    STRINGS,
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(4)]),
)
def test_any_strings(name, strings, tests, ridge):
    kernel, by_hand = KERNELS[name]
    found = TaskRidge(SAME, kernel, strings, ridge=ridge)
    floats = TaskRidge(SAME, kernel, strings, ridge=ridge, backend="float")
    tests = [*tests, "XX", "XY"]
    wanted = [regression(by_hand, strings, labels_of(strings), x, ridge) for x in tests]
    assert list(found.predict(tests)) == wanted
    assert list(found.unseen) == wanted[-2:]
    near = floats.predict(tests)
    for value, exact in zip(near, wanted, strict=True):
        assert float(value) == pytest.approx(float(exact), abs=1e-10)
        assert abs(float(value) - float(exact)) <= 10.0**-value.digits * abs(float(exact)) + 1e-14
    certificate = found.certificate(tests[0])
    assert certificate.check()
    assert certificate.prediction == wanted[0]
    if len({s[0] == s[1] for s in strings}) == 2:
        for j, (bound, seen) in enumerate(zip(found.bound(), found.bound(seen=True), strict=True)):
            assert abs(float(wanted[-2:][j]) - (1, -1)[j]) <= bound + 1e-9
            for x, value in zip(tests, wanted, strict=True):
                if (x[0] != x[1]) == j:
                    assert abs(float(value) - (1, -1)[j]) <= seen + 1e-9
        for x, gain in zip(("XX", "XY"), found.noise_gain, strict=True):
            units = [
                regression(by_hand, strings, [int(i == k) for k in range(len(strings))], x, ridge)
                for i in range(len(strings))
            ]
            assert gain == sum(u * u for u in units)


def test_longer_templates_and_regular_tokens():
    task = Task([Template("αSβα"), Template("αTββ"), Template("SαβT")], labels=[1, 2, 5])
    strings = ["ASBA", "BTCC", "SABT", "CSAC", "ATBB", "SCAT"]
    labels = [1, 2, 5, 1, 2, 5]
    tests = ["XSYX", "ATAA", "SCBT", "SSST", "ABCD"]
    found = TaskRidge(task, INCIDENCE, strings, ridge=2)
    for x, value in zip(tests, found.predict(tests), strict=True):
        assert value == regression(incidence, strings, labels, x, 2, end="")


def test_the_float_road_beside_a_dense_one():
    kernel = attention(beta=1, gamma=1)
    task = sb.tasks.same_different()
    train, test = task.sample(60, 3, 40, test=10)
    found = TaskRidge(task, kernel, train, ridge="1/2")
    known = {}

    def value(x, y):
        diagram = Diagram.of([*x, "CLS"], [*y, "CLS"])
        if diagram not in known:
            known[diagram] = float(kernel.on_diagram(diagram, digits=8))
        return known[diagram]

    words, y = train.strings(), np.array([float(v) for v in train.labels()])
    K = np.array([[value(s, t) for t in words] for s in words])
    for strings in (test.strings(), words[:10]):
        k = np.array([[value(s, t) for t in strings] for s in words])
        dense = y @ np.linalg.solve(K + np.eye(60) / 2, k)
        own = [float(v) for v in found.predict(strings)]
        assert np.allclose(own, dense, atol=1e-6)
    assert found.predict(test) == found.predict(test.strings())


def test_a_sample_of_the_task_and_its_strings_are_one():
    train, _ = SAME.sample(12, 5, 8, noise=1)
    found = TaskRidge(SAME, INCIDENCE, train)
    again = TaskRidge(SAME, INCIDENCE, train.strings(), train.labels())
    assert found.exactness == again.exactness == "float"
    assert [float(v) for v in found.unseen] == pytest.approx([float(v) for v in again.unseen])


def test_how_many_of_each_template():
    train, _ = SAME.sample([3, 1], 0, 8)
    assert train.indices.tolist() == [0, 0, 0, 1]
    with pytest.raises(BadShape, match="one for each of 2 templates"):
        SAME.sample([3], 0, 8)


# --- costs and limits -----------------------------------------------------------------------------
def test_the_cost_is_what_is_left():
    split = TemplateSplit(SAME, INCIDENCE)
    for ridge in (0, 1):
        cost = split.cost(ridge=ridge)
        n = 10**6
        errors = split.errors([n, n], ridge=ridge)
        for c, error in zip(cost, errors, strict=True):
            assert abs(2 * n * error - c) < Fraction(1, 1000)


def test_weights_of_templates_change_the_cost():
    task = Task(SAME.templates, labels=[1, -1], weights=[Fraction(1, 4), Fraction(3, 4)])
    n = 10**6
    errors = TemplateSplit(SAME, INCIDENCE).errors([n, 3 * n])
    for c, error in zip(TemplateSplit(task, INCIDENCE).cost(), errors, strict=True):
        assert abs(4 * n * error - c) < Fraction(1, 1000)


def test_labels_that_a_singular_matrix_learns():
    pair = [Template("αβA"), Template("ααA"), Template("αβB")]
    split = TemplateSplit(pair, inner_product([0, 1, 2, 3]))
    cost = split.cost([1, 1, 2], ridge=1)
    n = 10**6
    for c, error in zip(cost, split.errors([n] * 3, [1, 1, 2], ridge=1), strict=True):
        assert abs(3 * n * error - c) < Fraction(1, 1000)
    errors = split.errors([n] * 3, [1, 0, 2], ridge=1)
    for limit, error in zip(split.limit([1, 0, 2], ridge=1), errors, strict=True):
        assert abs(limit - error) < Fraction(1, 1000)
        assert limit in (0, Fraction(1, 2))
    with pytest.raises(NotInvertible, match="not learned"):
        split.cost([1, 0, 2])


def test_table_and_map():
    table = cost_table({"inc": INCIDENCE, "mlp": inner_product(lambda n: n)}, {"same": SAME})
    assert table.costs["same"]["inc"] == (4, 5)
    assert table.costs["same"]["mlp"] is None
    assert table.notes["same"]["mlp"] == "never"
    found = cost_map(sb.tasks.same_different(), [1, 2], [1])
    assert found.best == (2.0, 1.0)
    assert found.costs.shape == (2, 1)
    assert found.heat_map() is not None
    for wrong in (lambda: cost_table({}), lambda: cost_map(SAME, [], [1])):
        with pytest.raises(BadValue):
            wrong()


def test_the_whole_catalogue():
    table = cost_table({"incidence": INCIDENCE})
    assert {"same_different", "majority", "relational_match_to_sample"} <= set(table.costs)


# --- curves ---------------------------------------------------------------------------------------
def test_a_curve_of_a_task(tmp_path):
    options = {"symbols": lambda n: n, "samples": [50, 200, 800], "ridge": 1, "trials": 6}
    curve = learning_curve(INCIDENCE, SAME, **options)
    for point, measured in zip(curve.points, (0.118, 0.032, 0.008), strict=True):
        assert point.unseen.fresh == pytest.approx(measured, rel=0.1)
        assert point.unseen.simulated < point.unseen.bound
        assert point.seen.simulated < point.seen.bound
        assert point.unseen.limit == 0
    assert curve.names == ("unseen", "seen")
    assert (curve.ridge, curve.norm) == (1, 1)
    assert "printed rate" in curve.table(loss="seen", spreads=True)
    curve.plot(tmp_path / "curve.svg", logarithmic=True)
    assert (tmp_path / "curve.svg").stat().st_size > 1000


def test_noise_on_seen_symbols_stays_at_a_fixed_ridge():
    task = Task([Template("α").with_cls()], labels=[0], substitution=200)
    agreement = inner_product(lambda n: n)
    fixed = Problem(agreement, task).simulate(200, 1, noise=1, trials=30)
    assert fixed[1][0] > 0.2 > fixed[0][0]
    growing = Problem(agreement, task).simulate(200, "sqrt", noise=1, trials=30)
    assert growing[1][0] < 0.15


def test_the_folded_error_of_noise():
    problem = Problem(INCIDENCE, SAME, symbols=4000)
    fresh = problem.fresh(40, 1, noise=1)
    mean, spread = problem.simulate(40, 1, noise=1, trials=150)[0]
    assert abs(fresh - mean) < 4 * spread


def test_a_law_of_the_task_gives_the_symbols():
    task = Task(SAME.templates, labels=[1, -1], substitution=12)
    assert Problem(INCIDENCE, task).symbols(5) == 12
    curve = learning_curve(INCIDENCE, task, samples=[0, 4], trials=2)
    assert curve.points[0].unseen.simulated == 1
    assert curve.points[0].unseen.bound is None


def test_words_are_learned_as_before():
    problem = Problem(lambda x, y: int(x == y), sb.targets.parity(1), length=2)
    assert type(problem) is Problem
    assert problem.curve([1], 1, trials=2).names == ("test", "train")


# --- what is refused ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: TemplateSplit(SAME, attention()), NotExact),
        (lambda: TemplateSplit(SAME, "attention"), BadType),
        (lambda: TemplateSplit(SAME, inner_product(lambda n: -n, incidence=True)), BadValue),
        (lambda: TemplateSplit(SAME, INCIDENCE).predictions([1]), BadShape),
        (lambda: TemplateSplit(SAME, INCIDENCE).predictions([1, -1]), BadValue),
        (lambda: TemplateSplit(SAME, INCIDENCE).predictions([1, 1], ridge=-1), BadValue),
        (lambda: TemplateSplit(SAME, INCIDENCE).predictions([1, 1], ridge=0.5), NotExact),
        (lambda: TemplateSplit(SAME, INCIDENCE).cost(["a", "b"]), SymbenchError),
        (lambda: TemplateSplit(SAME, INCIDENCE).cost([1]), BadShape),
        (lambda: TemplateSplit(sb.tasks.symbolic_majority(3), INCIDENCE).cost(), BadValue),
        (lambda: TemplateSplit(SAME, INCIDENCE).expected_residual(1), BadValue),
        (lambda: TemplateSplit(SAME, INCIDENCE).read("ABCDE"), BadShape),
        (lambda: TemplateSplit(SAME, INCIDENCE).at_infinity(Template("α")), BadShape),
        (lambda: TaskRidge(SAME, INCIDENCE, []), BadValue),
        (lambda: TaskRidge(SAME, INCIDENCE, 3), BadType),
        (lambda: TaskRidge(SAME.templates, INCIDENCE, ["AA"]), BadType),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA"], [1, 2]), BadShape),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA"], ["one"]), SymbenchError),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA"], [float("nan")]), BadValue),
        (lambda: TaskRidge(TOKEN, INCIDENCE, ["AC"]), BadValue),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA", "AA"], ridge=0), NotInvertible),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA", "AA"], ridge=0, backend="float"), NotInvertible),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA"], [0.5], backend="exact"), TooLarge),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA"], backend="float").certificate("AA"), NotExact),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA"]).bound(), BadValue),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA", "AB"], [1, 5]).bound(), BadValue),
        (lambda: TaskRidge(SAME, INCIDENCE, ["AA", "BC"], ridge=0).bound(), BadValue),
        (lambda: Problem(INCIDENCE, SAME), BadValue),
        (lambda: Problem(INCIDENCE, SAME, symbols=1), BadValue),
        (lambda: Problem(INCIDENCE, SAME, symbols=9, length=3), BadType),
        (lambda: Problem(INCIDENCE, SAME, symbols=9).curve([]), BadValue),
        (lambda: Problem(INCIDENCE, SAME, symbols=9).expected_spread(1), BadValue),
        (lambda: Problem(INCIDENCE, sb.tasks.raven(), symbols=9), BadValue),
        (lambda: learning_curve(INCIDENCE, sb.targets.parity(1), samples=[1]), BadType),
        (
            lambda: Problem(
                INCIDENCE, Task(TOKEN.templates, labels=[1, -1], substitution="ACD")
            ),
            BadValue,
        ),
    ],
)  # fmt: skip
def test_refused(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


def test_a_kernel_that_is_not_positive_semidefinite_is_named():
    with pytest.raises(BadValue, match="not positive semidefinite"):
        TemplateSplit(SAME, inner_product([9, 9, 0, 0]))


def test_floats_do_not_decide_singularity():
    equal = [Template("αβ").with_cls(), Template("βα").with_cls()]
    split = TemplateSplit(equal, attention(beta=1, gamma=1))
    with pytest.raises(Undecided, match="do not tell it from 0"):
        split.cost([1, -1])


def test_a_kernel_of_ones_own_in_floats():
    kernel = from_function(lambda x, y: 1.0 + incidence(x, y), exactness="float")
    split = TemplateSplit(SAME, kernel)
    assert split.digits == 8
    assert np.allclose(split.matrix, [[7, 5], [5, 5]])


def test_linear_attention_does_not_learn_it():
    split = TemplateSplit(SAME, linear_attention(1, 1))
    assert max(split.limit()) > 0


@pytest.mark.parametrize("strings", [FIVE, ["AA", "BC"], [*"ABCDEFGH"]])
def test_the_bound_by_hand(strings):
    words = [s if len(s) == 2 else s + s for s in strings] + ["XY", "ZW"]
    found = TaskRidge(SAME, INCIDENCE, words, ridge=1)
    N, which = np.array([[6.0, 4], [4, 4]]), np.array([int(s[0] != s[1]) for s in words])
    K = np.array([[incidence(s + "*", t + "*") for t in words] for s in words], dtype=float)
    B = K - N[np.ix_(which, which)] + np.eye(len(words))
    Z = (which[:, None] == np.arange(2)) / np.bincount(which)
    omega = Z.T @ B @ Z
    assert np.allclose(np.array(found.spread, dtype=float), omega)
    largest = max(np.linalg.eigvals(np.linalg.solve(N, omega)).real)
    h = largest / (1 + largest) ** 2 if largest <= 1 else 0.25
    f = np.array([1, -1])
    wanted = np.sqrt(np.diag(omega) * (f @ np.linalg.solve(N, f)) * h)
    assert np.allclose(found.bound(), wanted)


def test_the_mean_spread_over_all_training_sets():
    tokens, ridge = "abc", 1
    same, different = [t + t for t in tokens], ["".join(p) for p in permutations(tokens, 2)]
    total, count = np.zeros((2, 2), dtype=object), 0
    for words in product(same, same, different, different):
        found = TaskRidge(SAME, INCIDENCE, words, ridge=ridge)
        total, count = total + np.array(found.spread, dtype=object), count + 1
    own = Problem(INCIDENCE, SAME, symbols=3).expected_spread(4, ridge)
    assert [[total[i, j] / count for j in (0, 1)] for i in (0, 1)] == [list(r) for r in own.rows]
