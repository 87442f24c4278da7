"""Appendix I: multilayer perceptrons trained by gradient descent fail on unseen symbols.

The second road trains by dual numbers: each derivative is that of the loss in the direction of one
weight, computed forwards. Initial weights are finite lists that permuting columns does not change,
in place of Gaussian ones: the proof uses nothing else of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import isqrt
from typing import Any

from symbench.certificates import Certificate
from symbench.exact import Matrix, Rational
from symbench.kernels.activations.exact import polynomial
from symbench.learning.mlp import Ensemble, Mlp, sign_networks
from symbench.learning.optimisers import Adam, Sgd
from symbench.papers._by_hand import Dual, Q, rational
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._ridge import is_wild, matches
from symbench.papers._templates import is_string, is_template_text
from symbench.registry import Fails, NearMiss, claim

# A word and its label.
Labelled = tuple[str, Fraction]
Data = tuple[Labelled, ...]
# Tokens; hidden widths; coefficients of the activation, none for relu; values of initial weights.
Model = tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
# Rates; momentum; decay; "sgd" or "adam"; samples in a step.
Training = tuple[tuple[Fraction, ...], Fraction, Fraction, str, int]

_QUARTER, _HALF, _ONE, _ZERO = Rational(1, 4), Rational(1, 2), Rational(1), Rational(0)
_SEVENTH = Rational(1, 7)
_PAGE = "proofs/boix2024/theorem-I.2.md"
_SIGNS = (-1, 1)
_PLAIN: Training = ((_QUARTER,), _ZERO, _ZERO, "sgd", 1)
_ADAM_BITS = 16


def _activation(coefficients: tuple[int, ...]) -> Any:
    return polynomial(coefficients) if coefficients else "relu"


def _optimiser(training: Training) -> Any:
    rates, momentum, decay, name, _ = training
    if name == "adam":
        return Adam(rates, decay=decay, bits=_ADAM_BITS)
    return Sgd(rates, momentum=momentum, decay=decay)


# --- by dual numbers ------------------------------------------------------------------------------
def _at(weights: Sequence[Dual], word: str, model: Model) -> Dual:
    """The output of (24): the weights are taken one after the other, layer by layer."""
    tokens, widths, coefficients, _ = model
    zero, left = Dual(Q(0), Q(0)), iter(weights)
    values = [Dual(Q(int(a == t)), Q(0)) for a in word for t in tokens]
    for n, width in enumerate((*widths, 1)):
        sums = []
        for _ in range(width):
            total = zero
            for value in values:
                weight = next(left)
                if value != zero:
                    total = total + weight * value
            sums.append(total)
        values = sums if n == len(widths) else [_applied(z, coefficients) for z in sums]
    return values[0]


def _applied(z: Dual, coefficients: tuple[int, ...]) -> Dual:
    zero = Dual(Q(0), Q(0))
    if not coefficients:
        return z if z.value > 0 else zero
    total, power = zero, Dual(Q(1), Q(0))
    for c in coefficients:
        total, power = total + Dual(Q(c), Q(0)) * power, power * z
    return total


def _output(weights: Iterable[Any], word: str, model: Model) -> Any:
    return _at([Dual(w, Q(0)) for w in weights], word, model).value


def _gradient(weights: Sequence[Any], batch: Data, model: Model) -> list[Any]:
    found = []
    for j in range(len(weights)):
        total = Q(0)
        for word, label in batch:
            f = _at([Dual(w, Q(int(i == j))) for i, w in enumerate(weights)], word, model)
            total += 2 * (f.value - rational(label)) * f.slope
        found.append(total / len(batch))
    return found


def _by_hand(start: Sequence[Any], data: Data, model: Model, training: Training) -> list[Any]:
    """All weights after training."""
    rates, momentum, decay, name, size = training
    w = [rational(Fraction(x)) for x in start]
    v, s = [Q(0)] * len(w), [Q(0)] * len(w)
    for t in range(len(data) // size):
        rate = rational(rates[min(t, len(rates) - 1)])
        slopes = _gradient(w, data[t * size : (t + 1) * size], model)
        for j, slope in enumerate(slopes):
            g = slope + rational(decay) * w[j]
            if name == "sgd":
                v[j] = rational(momentum) * v[j] + g
                w[j] = w[j] - rate * v[j]
                continue
            v[j], s[j] = (9 * v[j] + g) / 10, (999 * s[j] + g * g) / 1000
            square = s[j] / (1 - Q(999, 1000) ** (t + 1))
            top = int(square.p) * 4**_ADAM_BITS // int(square.q)
            root = Q(isqrt(top), 2**_ADAM_BITS)
            w[j] = w[j] - rate * v[j] / (1 - Q(9, 10) ** (t + 1)) / (root + Q(1, 10**8))
    return w


def _count(inputs: int, widths: Sequence[int]) -> int:
    """How many weights the layers have."""
    return sum(a * b for a, b in pairwise((inputs, *widths, 1)))


def _layers(weights: Iterable[Any], inputs: int, widths: Sequence[int]) -> list[list[list[Any]]]:
    """The weights taken one after the other, layer by layer and row by row."""
    left, sizes = iter(weights), pairwise((inputs, *widths, 1))
    return [[[next(left) for _ in range(a)] for _ in range(b)] for a, b in sizes]


def _starts(length: int, model: Model) -> Iterator[tuple[int, ...]]:
    """All weights among the values, those of the first layer first."""
    tokens, widths, _, values = model
    count = _count(length * len(tokens), widths)
    at_most(len(values) ** count, 600, "initial weights")
    return product(values, repeat=count)


def _laws(data: Data, model: Model, training: Training, words: Sequence[str]) -> list[Counter[Any]]:
    """The outputs at some words over all initial weights."""
    ends = [_by_hand(start, data, model, training) for start in _starts(len(words[0]), model)]
    return [Counter(_output(end, word, model) for end in ends) for word in words]


# --- what is asked of the library -----------------------------------------------------------------
def _ensemble(length: int, model: Model) -> Ensemble:
    tokens, widths, coefficients, values = model
    next(_starts(length, model))
    return sign_networks(
        tokens, length, widths, values=values, activation=_activation(coefficients)
    )


def _embedded(length: int, model: Model) -> Ensemble:
    """Networks with one embedding for all positions, of one coordinate, and sign weights."""
    tokens, widths, coefficients, values = model
    m, activation = len(tokens), _activation(coefficients)
    return Ensemble(
        [
            Mlp(_layers(w[m:], length, widths), tokens, activation=activation, embedding=[w[:m]])
            for w in product(values, repeat=m + _count(length, widths))
        ]
    )


def _coupled(length: int, tokens: str) -> Matrix:
    """The identity, and the last coordinate of each position adds the gradient of the first."""
    m = len(tokens)
    return Matrix(
        [
            [int(i == j) + int(i % m == 0 and j == i + m - 1) for j in range(length * m)]
            for i in range(length * m)
        ]
    )


_is_model = record(
    is_string, many(integer(1), 0), many(integer(), 0), many(integer()),
    where=lambda tokens, *_: len(set(tokens)) == len(tokens),
)  # fmt: skip
_is_training = record(
    many(number()), number(0, below=1), number(0), one_of("sgd", "adam"), integer(1)
)
_is_data = many(record(is_string, number()), 0)


def _fits(data: Data, model: Model, training: Training, *words: str) -> bool:
    """Whether all words are of one length over the tokens, and the batches of one size."""
    every = [*(word for word, _ in data), *words]
    return (
        len(set(map(len, every))) <= 1
        and all(set(word) <= set(model[0]) for word in every)
        and len(data) % training[4] == 0
    )


def _unseen(data: Data, *words: str) -> bool:
    seen = {a for word, _ in data for a in word}
    return not any(a in seen for word in words for a in word)


_SAME: Data = (("AA", _ONE), ("AA", -_ONE), ("AA", _HALF))
_PAIRS: Data = (("AA", _ONE), ("AB", -_ONE))
_RELU: Model = ("ABC", (1,), (), _SIGNS)
_SQUARE: Model = ("ABC", (1,), (0, 1, 1), _SIGNS)


# --- Definition I.1 -------------------------------------------------------------------------------
_WEIGHTS = (1, -2, 3, 2, 1, -1, 2, 1)


def _definitions() -> Iterator[Any]:
    for coefficients in ((), (0, 0, 1), (1, 2, 0, 1)):
        for tokens, widths, count in (("AB", (1,), 5), ("AB", (1, 1), 6), ("ABC", (), 6)):
            model = (tokens, widths, coefficients, (1,))
            yield model, _WEIGHTS[:count], _PAIRS, (_QUARTER, _SEVENTH)
    yield ("AB", (2, 1), (), (1,)), (*_WEIGHTS, 1, 2, 3), (*_PAIRS, ("BA", _HALF)), (_HALF,)


@claim(
    "boix2024.definition-I.1",
    source="Definition I.1, One-pass SGD training, and (24)",
    wording="reconstructed",
    category="definition",
    cases=_definitions,
    boundary=(("AB", (1,), (), (1,)), _WEIGHTS[:5], _PAIRS, (_QUARTER, _SEVENTH)),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from([("AB", (1,), (), (1,)), ("AB", (1,), (0, 1, 1), (1,))]),
            st.tuples(*[st.integers(-3, 3)] * 5),
            st.lists(
                st.tuples(st.sampled_from(["AA", "AB", "BA", "BB"]), st.fractions(-2, 2)),
                max_size=3,
            ).map(tuple),
            st.lists(st.fractions(-1, 1), min_size=1, max_size=3).map(tuple),
        )
    ),
    applies=record(
        _is_model,
        many(number()),
        _is_data,
        many(number()),
        where=lambda model, weights, data, _: _fits(data, model, _PLAIN) and len(data) > 0
        and len(weights) == _count(len(data[0][0]) * len(model[0]), model[1]),
    ),
    near_misses=[
        NearMiss(name, (("AB", (1,), (), (1,)), (1, 2, 1, 3, 2), _PAIRS, (_SEVENTH,)), changes)
        for name, changes in (
            ("momentum", {"momentum": "1/2"}),
            ("weight decay", {"decay": 1}),
            ("two samples in a step", {"batch": 2}),
            ("rounded weights", {"rounding": 0}),
        )
    ],
)  # fmt: skip
def definition_i1(
    case: Any, momentum: Any = 0, decay: Any = 0, batch: int = 1, rounding: int | None = None
) -> bool | Fails:
    r"""The learned weights $\theta^t$ after $t$ steps of SGD training are the random weights given
    by initializing $\theta^0$ so that each of $W_1, \dots, W_L$ has i.i.d. Gaussian entries, and
    then updating with $\theta^t = \theta^{t-1} - \eta_t \nabla_\theta (f_{MLP}(x^t; \theta) -
    y^t)^2|_{\theta = \theta^{t-1}}$ for samples $(x^t, y^t)$ and some step size $\eta_t > 0$.

    From given weights every step of `Mlp.trained` is this one: the derivatives are found once more
    by dual numbers, a weight at a time.
    """
    model, weights, data, rates = case
    at_most(len(weights) * len(data), 400, "weights times steps")
    tokens, widths, coefficients, _ = model
    layers = _layers(weights, len(data[0][0]) * len(tokens), widths)
    network = Mlp(layers, tokens, activation=_activation(coefficients))
    trained = network.trained(
        data, Sgd(rates, momentum=momentum, decay=decay), batch=batch, rounding=rounding
    )
    wanted = _by_hand(weights, data, model, (rates, _ZERO, _ZERO, "sgd", 1))
    found = [rational(x) for W in trained.weights for row in W.rows for x in row]
    if found != wanted:
        return Fails(f"the weights are {wanted}, not {found}")
    for word, _ in data:
        if rational(trained(word)) != _output(wanted, word, model):
            return Fails(f"the output at {word} is another")
    return True


# --- Lemma I.7 ------------------------------------------------------------------------------------
def _blind(
    case: tuple[Data, Model, Training, str, str],
    embedding: bool = False,
    coupled: bool = False,
    starts: int | None = None,
) -> Fails | Ensemble:
    """The trained networks, if the laws at two words are equal and as by dual numbers."""
    data, model, training, first, second = case
    at_most(len(data), 8, "samples")
    start = _embedded(len(first), model) if embedding else _ensemble(len(first), model)
    if starts is not None:
        start = Ensemble(start.networks[:starts])
    mixed = _coupled(len(first), model[0]) if coupled else None
    trained = start.trained(data, _optimiser(training), batch=training[4], preconditioner=mixed)
    laws = [trained.law(word) for word in (first, second)]
    if laws[0] != laws[1]:
        return Fails(
            f"the output has {len(laws[0])} values at {first} and {len(laws[1])} at {second}, or "
            "other probabilities"
        )
    for word, law, wanted in zip(
        (first, second), laws, _laws(data, model, training, (first, second)), strict=True
    ):
        total = sum(wanted.values())
        by_hand = {value: Q(n, total) for value, n in wanted.items()}
        if {rational(x): rational(p) for x, p in law.items()} != by_hand:
            return Fails(f"the law at {word} is another one by dual numbers")
    return trained


def _lemmas() -> Iterator[Any]:
    slow = ((_QUARTER, Rational(1, 8), -_QUARTER), _ZERO, _ZERO, "sgd", 1)
    yield _SAME, _RELU, _PLAIN, "BB", "BC"
    yield _SAME[:2], _SQUARE, _PLAIN, "BB", "BC"
    yield _SAME, ("ABC", (1,), (0, 1, 1), (1, 2)), slow, "BC", "CB"
    yield (("A", _ONE), ("A", -_ONE)), ("ABC", (1, 1), (), _SIGNS), _PLAIN, "B", "C"
    yield (("A", _ONE), ("B", -_ONE)), ("ABCD", (1,), (), (1, -2)), _PLAIN, "C", "D"
    yield (("AAA", _ONE),) * 2, ("ABC", (2,), (0, 1, 1), (1,)), _PLAIN, "BBB", "BCB"
    yield (), ("ABC", (), (), (0, 1)), _PLAIN, "BB", "BC"


def _drawn_lemma(st: Any) -> Any:
    rates = st.lists(st.fractions(-1, 1, max_denominator=8), min_size=1, max_size=3).map(tuple)
    data = st.lists(st.tuples(st.just("AA"), st.fractions(-2, 2, max_denominator=4)), max_size=3)
    models = st.sampled_from([_RELU, _SQUARE, ("ABC", (), (), (0, 1)), ("ABC", (1,), (), (0, 2))])
    words = st.sampled_from(["BB", "BC", "CB", "CC"])
    trainings = rates.map(lambda r: (r, _ZERO, _ZERO, "sgd", 1))
    return st.tuples(data.map(tuple), models, trainings, words, words)


_is_case = record(
    _is_data, _is_model, _is_training, is_string, is_string,
    where=lambda data, model, training, *words: (
        _fits(data, model, training, *words) and _unseen(data, *words)
    ),
)  # fmt: skip
_SEEN = (_PAIRS * 2, _RELU, _PLAIN, "AA", "AB")
_DROPPED = [
    NearMiss("tokens that training saw", _SEEN),
    NearMiss(
        "a shared embedding, which only a common renaming leaves alone",
        ((("AA", _ONE), ("AA", _HALF)), _RELU, _PLAIN, "BB", "BC"),
        {"embedding": True},
    ),
    NearMiss(
        "an optimiser that couples the weights of two tokens",
        (_SAME, _RELU, _PLAIN, "BB", "BC"),
        {"coupled": True},
    ),
    NearMiss(
        "initial weights that permuting columns changes",
        (_SAME, _RELU, _PLAIN, "BB", "BC"),
        {"starts": 5},
    ),
]


@claim(
    "boix2024.lemma-I.7",
    source="Lemma I.7 (Trained MLPs cannot distinguish unseen tokens)",
    wording="our reading",
    category="lemma",
    cases=_lemmas,
    boundary=(_SAME, _RELU, _PLAIN, "BB", "BC"),
    strategy=drawn(_drawn_lemma),
    applies=_is_case,
    proof=_PAGE,
    near_misses=_DROPPED,
)
def lemma_i7(case: Any, **dropped: Any) -> Certificate | bool | Fails:
    r"""For any number of SGD steps $t$, and any learning rate schedule $\eta_1, \dots, \eta_t$, the
    learned MLP estimator cannot distinguish between sequences of unseen tokens. Formally, for any
    $x_1, x_2 \in \mathcal X_{uns}^k$, we have $f_{MLP}(x_1; \theta^t) \stackrel d= f_{MLP}(x_2;
    \theta^t)$.

    Checked for initial laws that are uniform on all weights among some values, which permuting
    columns does not change: the laws of both outputs are found exactly, and again by dual numbers.
    """
    found = _blind(case, **dropped)
    if isinstance(found, Fails):
        return found
    data, model, training, first, second = case
    if len(training[0]) > 1:
        return True
    start = _ensemble(len(first), model)
    certificate = start.certificate(data, _optimiser(training), (first, 1), (second, -1))
    return certificate if certificate.check() else Fails("the certificate does not check")


# --- Theorem I.2 ----------------------------------------------------------------------------------
# templates with labels; tokens not seen; data; model; training
Failing = tuple[tuple[Labelled, ...], str, Data, Model, Training]
_TASK: Data = (("αα", _ONE), ("αβ", -_ONE))


def _failures() -> Iterator[Failing]:
    momentum = ((_QUARTER,), _HALF, _ZERO, "sgd", 1)
    for model in (_RELU, _SQUARE, ("ABC", (), (), (0,))):
        yield _TASK, "BC", _SAME, model, _PLAIN
    yield _TASK, "BC", (("AA", _ONE),) * 3, _RELU, momentum
    yield (("αα", Rational(3)), ("αβ", _HALF)), "BC", (("AA", Rational(3)),) * 2, _RELU, _PLAIN
    three = (("ααα", _ONE), ("ααβ", _ZERO), ("αβγ", -_ONE))
    yield three, "BCD", (("AAA", _ONE),) * 2, ("ABCD", (), (), (0,)), _PLAIN
    yield three, "BCD", (("AAA", _ONE),), ("ABCD", (1,), (), (1,)), _PLAIN


_is_failing = record(
    many(record(is_template_text, number()), 2), is_string, _is_data, _is_model, _is_training,
    where=lambda task, unseen, data, model, training: _fits(data, model, training)
    and len({len(z) for z, _ in task} | {len(word) for word, _ in data}) == 1
    and len({label for _, label in task}) > 1
    and all(is_wild(a) for z, _ in task for a in z)
    and set(unseen) <= set(model[0])
    and len(set(unseen)) == len(unseen) >= len(task[0][0])
    and _unseen(data, unseen),
)  # fmt: skip


@claim(
    "boix2024.theorem-I.2",
    source="Theorem I.2 (Failure of MLPs at generalizing on unseen symbols), with its constant",
    wording="our reading",
    category="theorem",
    cases=_failures,
    boundary=(_TASK, "BC", _SAME, ("ABC", (), (), (0,)), _PLAIN),
    strategy=drawn(
        lambda st: _drawn_lemma(st).map(lambda case: (_TASK, "BC", case[0], case[1], case[2]))
    ),
    applies=_is_failing,
    assumes=["boix2024.lemma-I.7"],
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "templates with regular tokens",
            (
                (("Aα", _ONE), ("Bα", -_ONE)),
                "D",
                (("AC", _ONE), ("BC", -_ONE)) * 2,
                ("ABCD", (), (), (0,)),
                _PLAIN,
            ),
            {"tests": ("AD", "BD")},
        ),
        NearMiss(
            "strings that training saw",
            (_TASK, "BC", _PAIRS * 2, ("ABC", (), (), (0,)), _PLAIN),
            {"tests": ("AA", "AB")},
        ),
        NearMiss(
            "a larger constant, (max - min)^2 / 3",
            (_TASK, "BC", (), ("ABC", (), (), (0,)), _PLAIN),
            {"part": 3},
        ),
    ],
)
def theorem_i2(case: Failing, tests: tuple[str, ...] | None = None, part: int = 4) -> bool | Fails:
    r"""Suppose that the label function $f_*$ is non-constant, and that all templates in the support
    of $\mu_{tmplt}$ consist only of wildcards: $z \in \mathcal W^k$ for all $z \in
    \mathrm{supp}(\mu_{tmplt})$. Then, for any SGD step $t$ there is a string $x \in
    \mathcal X_{uns}^k$ that matches a template $z$ such that $\mathbb E_{\theta^t}
    (f_{MLP}(x; \theta^t) - f_*(z))^2 \ge c$, where $c > 0$ is constant that depends only on
    $\mu_{tmplt}$ and $f_*$; here $|\mathcal X_{uns}| \ge k$.

    The best constant is $c = (\max f_* - \min f_*)^2 / 4$: a network that is constant there attains
    it. Initial weights are uniform on all weights among some values; expected errors are found
    exactly, and again by dual numbers.
    """
    task, unseen, data, model, training = case
    length = len(task[0][0])
    at_most(len(unseen) ** length, 100, "strings")
    strings = tests or ["".join(word) for word in product(unseen, repeat=length)]
    trained = _ensemble(length, model).trained(data, _optimiser(training), batch=training[4])
    ends = [_by_hand(start, data, model, training) for start in _starts(length, model)]
    worst = Fraction(0)
    for word in strings:
        label = next((y for z, y in task if matches(word, z)), None)
        if label is None:
            continue
        found = trained.error(word, label)
        wanted = sum(((_output(end, word, model) - rational(label)) ** 2 for end in ends), Q(0))
        if rational(found) != wanted / len(ends):
            return Fails(f"the expected error at {word} is {wanted / len(ends)}, not {found}")
        worst = max(worst, found)
    labels = [label for _, label in task]
    least = (max(labels) - min(labels)) ** 2 / part
    return worst >= least or Fails(f"no expected error is more than {worst}, less than {least}")


# --- the remarks ----------------------------------------------------------------------------------
def _five_units(codes: Sequence[Any]) -> Mlp:
    """1 - 2 [(v)+ + (-v)+ - (v - 1)+ - (-v - 1)+] with v the difference of the codes.

    A constant is a weight that all tokens of the first position have.
    """

    def unit(sign: int, bias: int) -> list[Any]:
        return [*(sign * c + bias for c in codes), *(-sign * c for c in codes)]

    rows = [unit(0, 1), unit(1, 0), unit(-1, 0), unit(1, -1), unit(-1, -1)]
    return Mlp([rows, [[1, -2, -2, 2, 2]]], len(codes))


# templates with labels, how many tokens, codes for same/different or none for a table
Solving = tuple[tuple[Labelled, ...], int, tuple[Any, ...]]


def _solved() -> Iterator[Solving]:
    for m in (2, 3, 6, 10):
        yield _TASK, m, tuple(range(m))
    yield _TASK, 4, (5, -1, 2, 100)
    yield _TASK, 3, ()
    three = ("ααα", "ααβ", "αβα", "αββ", "αβγ")
    yield tuple((z, Rational(n, 2)) for n, z in enumerate(three)), 3, ()
    yield (("αββα", _ONE), ("αβαβ", -_ONE), ("ααββ", Rational(5))), 3, ()


@claim(
    "boix2024.remark-I.3",
    source="Remark I.3: MLPs are universal approximators",
    wording="our reading",
    category="remark",
    cases=_solved,
    boundary=(_TASK, 2, (0, 1)),
    strategy=drawn(
        lambda st: st.lists(st.integers(-9, 9), min_size=2, max_size=5, unique=True).map(
            lambda codes: (_TASK, len(codes), tuple(codes))
        )
    ),
    applies=record(
        many(record(is_template_text, number())),
        integer(1),
        many(integer(), 0),
        where=lambda task, m, codes: (
            (not codes or (task == _TASK and len(codes) == m))
            and len(set(codes)) == len(codes)
            and len({len(z) for z, _ in task}) == 1
            and all(is_wild(a) for z, _ in task for a in z)
        ),
    ),
    near_misses=[
        NearMiss("two tokens with one code", (_TASK, 3, (0, 1, 1))),
        NearMiss("codes that are less than 1 apart", (_TASK, 3, (0, 1, _HALF))),
        NearMiss("a table without the words of a token", (_TASK, 3, ()), {"known": 2}),
    ],
)
def remark_i3(case: Solving, known: int | None = None) -> bool | Fails:
    r"""MLPs are universal approximators, so there are choices of weights such that $f_{MLP}(\cdot;
    \theta)$ has good generalization on unseen symbols.

    Two such choices, exact at all strings over $m$ tokens: a unit for each string, which any task
    has; and for same/different the five units of $1 - 2[(v)_+ + (-v)_+ - (v-1)_+ - (-v-1)_+]$,
    where $v$ is the difference of two integer codes. Outputs are compared with the labels of the
    templates that strings match.
    """
    task, m, codes = case
    length = len(task[0][0])
    at_most(m**length, 10_000, "strings")
    tokens = Mlp([[[1] * m]], m).tokens
    table = {}
    for letters in product(tokens, repeat=length):
        label = next((y for z, y in task if matches(letters, z)), None)
        if label is not None:
            table["".join(letters)] = label
    if codes:
        network = _five_units(codes)
    else:
        seen = set(tokens[:known])
        network = Mlp.from_table({w: y for w, y in table.items() if set(w) <= seen}, tokens)
    for word, label in table.items():
        if (found := network(word)) != label:
            return Fails(f"the output at {word} is {found}, the label {label}")
    return True


@claim(
    "boix2024.remark-I.4",
    source="Remark I.4: not only in the NTK regime",
    wording="our reading",
    category="remark",
    cases=[
        (_SAME, _RELU, _PLAIN, "BB", "BC"),
        (_SAME[:2], _SQUARE, _PLAIN, "BB", "BC"),
        ((("A", _ONE), ("A", -_ONE)), ("ABC", (1, 1), (), _SIGNS), _PLAIN, "B", "C"),
    ],
    boundary=(_SAME, _RELU, _PLAIN, "BB", "BC"),
    unhuntable="that training is not linear is a fact of the listed cases, not of all",
    applies=lambda case: _is_case(case) and bool(case[1][1]),
    proof=_PAGE,
    assumes=["boix2024.lemma-I.7"],
    near_misses=[
        NearMiss(
            "a network without hidden layers: its training is that of its tangent kernel",
            (_SAME, ("ABC", (), (), (0, 1)), _PLAIN, "BB", "BC"),
        ),
        NearMiss("tokens that training saw", _SEEN),
    ],
)
def remark_i4(case: Any) -> bool | Fails:
    r"""The theorem does not assume that training is in the NTK regime, i.e., it holds even for
    nonlinear training dynamics.

    In each case the outputs after training differ from those of the network that is linear in its
    weights at the start and trained alike; and all the same the laws at two strings of unseen
    tokens are equal.
    """
    found = _blind(case)
    if isinstance(found, Fails):
        return found
    data, model, training, first, second = case
    for start, network in zip(_starts(len(first), model), found, strict=True):
        w = [rational(Fraction(x)) for x in start]
        moved = [Q(0)] * len(w)

        def linear(word: str, w: list[Any] = w, moved: list[Any] = moved) -> Any:
            both = [Dual(a, b) for a, b in zip(w, moved, strict=True)]
            there = _at(both, word, model)
            return there.value + there.slope

        for t, (word, label) in enumerate(data):
            rate = rational(training[0][min(t, len(training[0]) - 1)])
            off = 2 * (linear(word) - rational(label))
            for j in range(len(w)):
                slope = _at([Dual(a, Q(int(i == j))) for i, a in enumerate(w)], word, model).slope
                moved[j] = moved[j] - rate * off * slope
        if any(rational(network(word)) != linear(word) for word in (data[0][0], first, second)):
            return True
    return Fails("every network is trained as its linearisation is")


def _optimised() -> Iterator[Any]:
    for name, momentum, decay, batch in (
        ("adam", _ZERO, _ZERO, 1),
        ("adam", _ZERO, Rational(1, 10), 2),
        ("sgd", _HALF, Rational(1, 10), 1),
        ("sgd", Rational(9, 10), Rational(1, 100), 3),
    ):
        data = _SAME[: 3 if batch == 3 else 2]
        yield data, _RELU, ((_QUARTER,), momentum, decay, name, batch), "BB", "BC"
    wide = ("ABC", (2,), (), _SIGNS)
    yield (("A", _ONE), ("A", -_ONE)), wide, ((_QUARTER,), _HALF, _ZERO, "sgd", 2), "B", "C"


@claim(
    "boix2024.remark-I.5",
    source="Remark I.5: training with Adam, gradient flow, and minibatch-SGD",
    wording="our reading",
    category="remark",
    cases=_optimised,
    boundary=(_SAME[:2], _RELU, ((_QUARTER,), _ZERO, _ZERO, "adam", 1), "BB", "BC"),
    strategy=drawn(
        lambda st: st.tuples(
            st.just(_SAME[:2]),
            st.sampled_from([("ABC", (1,), (), (0, 1)), ("ABC", (), (), (0, 1))]),
            st.tuples(
                st.lists(st.fractions(0, 1, max_denominator=8), min_size=1, max_size=2).map(tuple),
                st.fractions(0, Fraction(9, 10), max_denominator=10),
                st.fractions(0, 1, max_denominator=10),
                st.sampled_from(["sgd", "adam"]),
                st.sampled_from([1, 2]),
            ),
            st.sampled_from(["BB", "BC"]),
            st.sampled_from(["CB", "CC"]),
        )
    ),
    applies=_is_case,
    proof=_PAGE,
    assumes=["boix2024.lemma-I.7"],
    near_misses=[
        NearMiss(
            "an optimiser that couples the weights of two tokens",
            (_SAME, _RELU, ((_QUARTER,), _HALF, _ZERO, "sgd", 1), "BB", "BC"),
            {"coupled": True},
        ),
        NearMiss(
            "Adam on a shared embedding",
            (_SAME[:2], _RELU, ((_QUARTER,), _ZERO, _ZERO, "adam", 1), "BB", "BC"),
            {"embedding": True},
        ),
        NearMiss(
            "Adam, tokens that training saw",
            (_PAIRS, _RELU, ((_QUARTER,), _ZERO, _ZERO, "adam", 1), "AA", "AB"),
        ),
    ],
)
def remark_i5(case: Any, **dropped: Any) -> bool | Fails:
    r"""The theorem also holds for training with Adam, gradient flow, and minibatch-SGD, since the
    permutation-invariance property of MLP training also holds for these.

    Checked for Adam (square roots cut off after 16 binary digits, so that a step is one in rational
    numbers), momentum, weight decay and minibatches: each weight moves by its own gradients. Steps
    of gradient descent have gradient flow as their limit, which is not computed.
    """
    found = _blind(case, **dropped)
    return found if isinstance(found, Fails) else True
