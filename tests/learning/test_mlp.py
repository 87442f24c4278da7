"""MLPs trained in exact numbers: the vectors of the theory, and training by dual numbers."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench.errors import BadShape, BadType, BadValue, NotExact, NotSupported, TooLarge
from symbench.learning import Adam, Ensemble, Mlp, Sgd, sign_networks
from tests.certificates.training import output, trained

DATA = [("AA", 1), ("AB", -1), ("BB", 1), ("BA", -1)]
SMALL = st.fractions(-2, 2, max_denominator=4)


def one_hot(word, tokens):
    return [Fraction(int(a == t)) for a in word for t in tokens]


def flat(network):
    return [Fraction(x) for W in network.weights for row in W.rows for x in row]


def by_dual_numbers(network, data, *, rate, momentum=0, decay=0, batch=1, phi=None):
    """All weights after training, by the derivative in the direction of each weight."""
    widths = [str(n) for n in network.widths]
    fields = {"rate": rate, "momentum": momentum, "decay": decay, "widths": widths, "batch": batch}
    rows = [[*one_hot(word, network.tokens), Fraction(y)] for word, y in data]
    return trained(flat(network), rows, fields, phi)


# --- the vector of the theory ---------------------------------------------------------------------
@pytest.fixture(scope="module")
def signs():
    return sign_networks("ABCD", 2, [1]).trained(DATA, Sgd("1/4"))


def test_the_vector(signs):
    law = signs.law("CC")
    assert len(signs) == 2**9
    assert law == signs.law("CD")
    assert len(law) == 11
    assert sum(law.values()) == 1
    assert signs.error("CC", 1) == Fraction(302179153, 2**27)
    assert signs.law("AA") != signs.law("AB")


def test_the_vector_by_dual_numbers(signs):
    values = {"CC": [], "CD": []}
    for start in product((-1, 1), repeat=9):
        rows = [[*one_hot(word, "ABCD"), Fraction(y)] for word, y in DATA]
        fields = {"rate": "1/4", "momentum": 0, "decay": 0, "widths": [1], "batch": 1}
        end = trained([Fraction(x) for x in start], rows, fields, None)
        for word, found in values.items():
            dual = output([(w, Fraction(0)) for w in end], one_hot(word, "ABCD"), [1], None)
            found.append(dual[0])
    for word, found in values.items():
        counts = {x: Fraction(n, 512) for x, n in Counter(found).items()}
        assert counts == {Fraction(x): Fraction(p) for x, p in signs.law(word).items()}
    assert sum((x - 1) ** 2 for x in values["CC"]) / 512 == Fraction(302179153, 2**27)


# --- training -------------------------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(
    widths=st.sampled_from([(), (1,), (2,), (1, 2)]),
    phi=st.sampled_from([None, [0, 0, 1], [1, 2, 0, 1]]),
    momentum=st.fractions(0, Fraction(9, 10), max_denominator=10),
    decay=st.fractions(0, 1, max_denominator=4),
    rate=SMALL,
    batch=st.sampled_from([1, 2]),
    data=st.data(),
)
def test_a_step_is_the_derivative(widths, phi, momentum, decay, rate, batch, data):
    sizes = [4, *widths, 1]
    layers = [
        [[data.draw(st.integers(-3, 3)) for _ in range(a)] for _ in range(b)]
        for a, b in pairwise(sizes)
    ]
    samples = data.draw(
        st.lists(st.tuples(st.sampled_from(["AA", "AB", "BB"]), SMALL), min_size=2, max_size=2)
    )
    activation = "relu" if phi is None else sb.kernels.polynomial(phi)
    network = Mlp(layers, "AB", activation=activation)
    coefficients = None if phi is None else [Fraction(c) for c in phi]
    wanted = by_dual_numbers(
        network, samples, rate=rate, momentum=momentum, decay=decay, batch=batch, phi=coefficients
    )
    found = network.trained(samples, Sgd(rate, momentum=momentum, decay=decay), batch=batch)
    assert flat(found) == wanted
    dual = output([(w, Fraction(0)) for w in wanted], one_hot("BA", "AB"), widths, coefficients)
    assert found("BA") == dual[0]


def test_rates_for_each_step():
    network = Mlp([[[1, 2]]], "AB")
    one = network.trained([("A", 0)], Sgd("1/2")).trained([("B", 1)] * 2, Sgd("1/4"))
    assert network.trained([("A", 0), ("B", 1), ("B", 1)], Sgd(["1/2", "1/4"])) == one


def test_adam_is_near_adam_in_floats():
    network = Mlp([[[1, 2, -1, -2], [1, 0, 1, 0]], [[3, -1]]], "AB")
    exact = network.trained(DATA, Adam("1/10", decay="1/100"))
    w = [float(x) for x in flat(network)]
    m, s = [0.0] * len(w), [0.0] * len(w)
    for t, (word, y) in enumerate(DATA, 1):
        rows = [[*one_hot(word, "AB"), Fraction(y)]]
        fields = {"rate": 1, "momentum": 0, "decay": 0, "widths": [2], "batch": 1}
        here = [Fraction(x) for x in w]
        moved = trained(here, rows, fields, None)
        for j in range(len(w)):
            g = float(here[j] - moved[j]) + 0.01 * w[j]
            m[j], s[j] = 0.9 * m[j] + 0.1 * g, 0.999 * s[j] + 0.001 * g * g
            w[j] -= 0.1 * (m[j] / (1 - 0.9**t)) / ((s[j] / (1 - 0.999**t)) ** 0.5 + 1e-8)
    assert [float(x) for x in flat(exact)] == pytest.approx(w, abs=1e-9)


@given(SMALL.filter(bool), st.integers(1, 60))
def test_the_root_of_adam_is_cut_off(value, bits):
    root = Adam(1, bits=bits)._root(flint.fmpq(abs(value).numerator, value.denominator))
    step = flint.fmpq(1, 2**bits)
    square = flint.fmpq(abs(value).numerator, value.denominator)
    assert root * root <= square < (root + step) * (root + step)


def test_rounding():
    network = Mlp([[[1, 2]]], "AB")
    found = network.trained([("A", "1/3")], Sgd("1/7"), rounding=3)
    exact = network.trained([("A", "1/3")], Sgd("1/7"))
    assert found.weights[0][0, 0] * 8 == round(exact.weights[0][0, 0] * 8)
    long = network.trained([("A", "1/3"), ("B", 2)] * 100, Sgd("1/7"), rounding=20)
    assert abs(long("A") - Fraction(1, 3)) < Fraction(1, 1000)


def test_an_embedding_is_shared():
    """The network with W = V E for each position: the derivative by E, by differences."""
    E, V, u = [[1, 2], [3, -1]], [[1, 2, -1, 1]], [[2]]
    network = Mlp([V, u], "AB", embedding=E, activation=sb.kernels.polynomial([0, 0, 1]))
    plain = Mlp(
        [[[sum(V[0][2 * a + r] * E[r][t] for r in range(2)) for a in range(2) for t in range(2)]],
         u], "AB", activation=sb.kernels.polynomial([0, 0, 1]),
    )  # fmt: skip
    assert all(network(w) == plain(w) for w in ("AA", "AB", "BA", "BB"))
    moved = network.trained([("AB", 5)], Sgd(1))
    for r, t in product(range(2), repeat=2):

        def loss(x, r=r, t=t):
            changed = [list(row) for row in E]
            changed[r][t] = x
            f = Mlp([V, u], "AB", embedding=changed, activation=network.activation)
            return (f("AB") - 5) ** 2

        # The loss is of degree 4 in one entry: five values give its derivative exactly.
        at = [loss(E[r][t] + k) for k in (-2, -1, 1, 2)]
        slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / Fraction(12)
        assert E[r][t] - moved.embedding[r, t] == slope


# --- symmetry -------------------------------------------------------------------------------------
@settings(max_examples=30, deadline=None)
@given(
    weights=st.lists(st.integers(-3, 3), min_size=13, max_size=13),
    first=st.sampled_from(["CC", "CD", "DC"]),
    second=st.sampled_from(["CC", "DD", "DC"]),
    optimiser=st.sampled_from(
        [Sgd("1/4"), Sgd("1/4", momentum="1/2", decay="1/10"), Adam("1/10", bits=8)]
    ),
)
def test_training_commutes_with_the_exchange(weights, first, second, optimiser):
    network = Mlp([[weights[:8]], [weights[8:9]]], "ABCD")
    images = network.exchange(first, second)
    one = network.trained(DATA, optimiser, rounding=30)
    other = network.moved(images).trained(DATA, optimiser, rounding=30)
    assert one.moved(images) == other
    assert one(first) == other(second)


def test_unions_of_orbits():
    every = sign_networks("ABC", 1, [1])
    assert every.is_union_of_orbits("B", "C")
    assert not Ensemble(every.networks[:3]).is_union_of_orbits("B", "C")


def test_a_preconditioner_couples():
    start = sign_networks("ABC", 1, [1])
    mixed = sb.Matrix([[1, 0, 1], [0, 1, 0], [0, 0, 1]])
    law = start.trained([("A", 1), ("A", 2)], Sgd("1/4"), preconditioner=mixed).law
    assert law("B") != law("C")
    plain = start.trained([("A", 1)], Sgd("1/4"), preconditioner=sb.Matrix.identity(3))
    assert plain == start.trained([("A", 1)], Sgd("1/4"))


def test_weights_that_solve_any_table():
    for labels in product((-1, 2), repeat=4):
        table = dict(zip(("AA", "AB", "BA", "BB"), labels, strict=True))
        network = Mlp.from_table(table, "AB")
        assert {word: network(word) for word in table} == table


# --- the certificate ------------------------------------------------------------------------------
@settings(max_examples=15, deadline=None)
@given(label=SMALL, rate=st.fractions(0, 1, max_denominator=4), tests=st.permutations(["B", "C"]))
def test_certificates_hold_for_unseen_tokens_alone(label, rate, tests):
    start = sign_networks("ABC", 1, [1], values=[0, 1])
    data = [("A", label), ("A", 1)]
    good = start.certificate(data, Sgd(rate), (tests[0], 1), (tests[1], -1))
    assert good.check()
    assert good.error >= 1
    assert not start.certificate(data, Sgd(rate), ("A", 1), (tests[1], -1)).check()
    images = start.networks[0].exchange("B", "C")
    twice = next(n for n in start if n.moved(images) != n)
    for uneven in (start.networks[:3], [*start, twice]):
        certificate = Ensemble(uneven).certificate(data, Sgd(rate), (tests[0], 1), (tests[1], -1))
        assert not certificate.check()


# --- bounds ---------------------------------------------------------------------------------------
def least_risk(m, n):
    """The least risk for a random matching, from all matchings and all labelled samples."""
    joint = {}
    words = list(product(range(m), repeat=2))
    for s in permutations(range(m)):
        law = [(w, s[w[0]] == w[1]) for w in words]
        chance = {x: Fraction(1, 2 * m) if x[1] else Fraction(1, 2 * m * (m - 1)) for x in law}
        for data in product(law, repeat=n):
            p = Fraction(1)
            for x in data:
                p *= chance[x]
            for x in law:
                key = data, x[0]
                pair = joint.setdefault(key, [Fraction(0), Fraction(0)])
                pair[x[1]] += p * chance[x]
    count = Fraction(len(list(permutations(range(m)))))
    return sum(4 * a * b / (a + b) for a, b in joint.values()) / count


def counted_bound(m, n):
    """The mean of 2 P Q / (P + Q), over all sequences of samples of same/different."""
    words, total = list(product(range(m), repeat=2)), Fraction(0)
    for data in product(words, repeat=n):
        p = Fraction(1)
        for a, b in data:
            p *= Fraction(1, 2 * m) if a == b else Fraction(1, 2 * m * (m - 1))
        left = {a for a in range(m) if (a, a) not in data}
        told = [w for w in data if w[0] != w[1] and {*w} <= left]
        one = [a for a in left if all(w[0] != a for w in told)]
        two = [a for a in left if all(w[1] != a for w in told)]
        P = Fraction(len({*one} & {*two}), m)
        Q = Fraction(sum(a != b for a in one for b in two), m * (m - 1))
        total += p * 2 * P * Q / (P + Q) if P and Q else 0
    return total


@pytest.mark.parametrize(("m", "n"), [*product((2, 3), (0, 1, 2)), (3, 3), (4, 2), (5, 2)])
def test_the_bound_is_counted(m, n):
    assert sb.learning.equivariant_bound(m, n) == counted_bound(m, n)


@pytest.mark.parametrize(("m", "n"), [*product((2, 3), (0, 1, 2)), (4, 1)])
def test_the_least_risk_and_the_bound(m, n):
    found = sb.learning.matching_risk(m, n)
    assert found == least_risk(m, n)
    assert sb.learning.equivariant_bound(m, n) <= found


def test_a_network_is_above_the_least_risk():
    """All sign networks of one unit, m = 2 and 3: exact risks over all samples."""
    for m, n in ((2, 1), (2, 2), (3, 1)):
        tokens = "ABC"[:m]
        start = sign_networks(tokens, 2, [1])
        law = [
            (a + b, 1 if a == b else -1, Fraction(1, 2 * m) / (1 if a == b else m - 1))
            for a in tokens for b in tokens
        ]  # fmt: skip
        risk = Fraction(0)
        for data in product(law, repeat=n):
            p = Fraction(1)
            for _, _, q in data:
                p *= q
            after = start.trained([(w, y) for w, y, _ in data], Sgd("1/4"))
            risk += p * sum(q * after.error(w, y) for w, y, q in law)
        assert risk >= sb.learning.matching_risk(m, n) >= sb.learning.equivariant_bound(m, n)


def test_the_bound_tends_to_its_limit():
    gaps = [
        abs(float(sb.learning.equivariant_bound(m, m)) - sb.learning.equivariant_limit(1))
        for m in (4, 8, 16)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.02


@pytest.mark.parametrize("m", [2, 3, 5, 10])
def test_the_table_is_memorised(m):
    variance = Fraction(m - 1, m * m)
    assert sb.learning.memorising_bound(m, 0) == Fraction(1, m)
    for n in range(1, (m - 1) ** 2 + 3):
        wanted = max(Fraction(0), (1 - Fraction(n - 1, (m - 1) ** 2)) * variance)
        assert sb.learning.memorising_bound(m, n) == wanted


# --- the demonstration in floats ------------------------------------------------------------------
def test_the_float_demonstration():
    kernel = sb.kernels.inner_product(lambda n: n, incidence=True)
    found = sb.learning.compare_unseen(
        sb.tasks.same_different(), kernel, [20, 200], symbols=16, width=16, steps=200, trials=2
    )
    last = found.points[-1]
    assert last.network_train < 0.2
    assert last.network_unseen > 0.5 > last.kernel_unseen
    assert found.exactness == "float"
    assert found.table().count("\n") == 2
    figure = found.plot()
    assert len(figure.axes[0].lines) == 5
    again = sb.learning.compare_unseen(
        sb.tasks.same_different(), kernel, [20], symbols=16, width=16, steps=200, trials=2
    )
    assert again.points[0] == found.points[0]


def test_the_gradient_of_the_demonstration():
    import numpy as np

    from symbench.learning import unseen

    rng = np.random.default_rng(0)
    inputs, labels = rng.uniform(size=(5, 4)), rng.normal(size=5)
    start = unseen._trained(inputs, labels, 3, 0, np.random.default_rng(1), lambda part: None)
    one = unseen._trained(inputs, labels, 3, 1, np.random.default_rng(1), lambda part: None)

    def loss(network):
        return np.mean((unseen._forward(network, inputs)[1] - labels) ** 2)

    for k, W in enumerate(start):
        for place in np.ndindex(W.shape):
            near = [V.copy() for V in start]
            near[k][place] += 1e-6
            slope = (loss(near) - loss(start)) / 1e-6
            # The first step of Adam has the size of the rate, against the slope's sign.
            if abs(slope) > 1e-3:
                assert one[k][place] - W[place] == pytest.approx(-0.01 * np.sign(slope), abs=1e-4)


# --- bad input ------------------------------------------------------------------------------------
NETWORK = Mlp([[[1, 2, -1, -2]], [[3]]], "AB")
LINEAR = Mlp([[[1, 2, -1, -2]], [[3]]], "AB", activation="identity")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Mlp([], "AB"), BadValue, "empty list"),
        (lambda: Mlp([[[1, 2]], [[1, 2]]], "AB"), BadShape, "followed by one of 2"),
        (lambda: Mlp([[[1, 2], [3, 4]]], "AB"), BadShape, "a single row"),
        (lambda: Mlp([[[1, 2, 3]]], "AB"), BadShape, "a column for each position"),
        (lambda: Mlp([[[0.5, 2]]], "AB"), NotExact, "0.5"),
        (lambda: Mlp([[[1, 2]]], ""), BadShape, "column"),
        (lambda: Mlp([[[1, 2]]], "AB", activation="tanh"), NotSupported, "irrational"),
        (lambda: Mlp([[[1, 2]]], "AB", embedding=[[1]]), BadShape, "a column for each"),
        (lambda: NETWORK("A"), BadValue, "give one of 2"),
        (lambda: NETWORK("AC"), BadValue, "reads A, B"),
        (lambda: NETWORK(3), BadType, "the word"),
        (lambda: NETWORK.trained("AA", Sgd(1)), BadType, "samples"),
        (lambda: NETWORK.trained([("AA",)], Sgd(1)), BadValue, "a pair"),
        (lambda: NETWORK.trained([("AA", "yes")], Sgd(1)), BadValue, "the label of 'AA'"),
        (lambda: NETWORK.trained([("AA", 0.5)], Sgd(1)), NotExact, "the label of 'AA'"),
        (lambda: NETWORK.trained([("AA", 1)], "sgd"), BadType, "the optimiser is 'sgd'"),
        (lambda: NETWORK.trained([("AA", 1)], Sgd(1), batch=2), BadValue, "a divisor"),
        (lambda: NETWORK.trained([("AA", 1)], Sgd(1), rounding=-1), BadValue, "rounding"),
        (
            lambda: NETWORK.trained([("AA", 1)], Sgd(1), preconditioner=[[1]]),
            BadShape,
            "a square matrix of 4",
        ),
        (lambda: LINEAR.trained([("BA", "1/3")] * 40, Sgd("1/100")), TooLarge, "rounding=64"),
        (lambda: NETWORK.moved([0, 1]), BadValue, "images of 0 to 3"),
        (lambda: NETWORK.exchange("AA", "B"), BadValue, "give one of 2"),
        (lambda: Mlp.from_table({"A": 1, "AB": 1}, "AB"), BadValue, "one length"),
        (lambda: Mlp.from_table({}, "AB"), BadValue, "one length"),
        (lambda: Ensemble([]), BadValue, "at least one"),
        (lambda: Ensemble([NETWORK, Mlp([[[1, 2]]], "AB")]), BadValue, "one kind"),
        (lambda: Ensemble([3]), BadType, "an Mlp"),
        (lambda: sign_networks("AB", 0, [1]), BadValue, "the length"),
        (lambda: sign_networks("AB", 1, [0]), BadValue, "widths"),
        (lambda: sign_networks("AB", 1, [1], values=[]), BadValue, "no values"),
        (lambda: Sgd([]), BadValue, "empty list"),
        (lambda: Sgd(1, decay=-1), BadValue, "the decay"),
        (lambda: Adam(1, beta2=1), BadValue, "beta2"),
        (lambda: Adam(1, bits=0), BadValue, "bits"),
        (
            lambda: Ensemble([NETWORK]).certificate([], Adam(1), ("AA", 1), ("AB", 1)),
            BadType,
            "no square roots",
        ),
        (
            lambda: Ensemble([NETWORK]).certificate([], Sgd([1, 2]), ("AA", 1), ("AB", 1)),
            NotSupported,
            "one for all steps",
        ),
        (lambda: sb.learning.equivariant_bound(100, 2), TooLarge, "ask for at most"),
        (lambda: sb.learning.equivariant_limit(-1), BadValue, "at least 0"),
        (lambda: sb.learning.matching_risk(1, 2), BadValue, "at least 2"),
        (lambda: sb.learning.memorising_bound(0, 2), BadValue, "at least 1"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
