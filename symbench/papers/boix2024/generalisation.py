"""Sections 4.1 and 4.2, Appendices C.1 and D: kernel ridge regression and unseen symbols."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import flint

from symbench.exact import Matrix, Rational
from symbench.learning.task_problem import TaskProblem
from symbench.learning.task_ridge import TaskRidge
from symbench.learning.template_split import TemplateSplit
from symbench.papers import _ridge as by_hand
from symbench.papers._by_hand import Q, fraction, rational
from symbench.papers._cases import at_most, drawn, integer, is_text, many, number, one_of, record
from symbench.papers.beyond.template_residual import library_kernel, shrinkage, spread, task_of
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.words import Task, Template

_PAGE = "proofs/boix2024/theorem-4.4.md"
_ONE, _HALF, _ZERO = Rational(1), Rational(1, 2), Rational(0)
_SAME, _SIGNS = ("αα*", "αβ*"), (Rational(1), Rational(-1))
_TOKEN = ("αα*", "AB*")
_GREEK = "αβγδεζηθ"


# --- Proposition 4.3 ------------------------------------------------------------------------------
# kernel, training strings, labels, test string, ridge, steps
Flow = tuple[str, tuple[str, ...], tuple[Fraction, ...], str, Fraction, int]


def _flows() -> Iterator[Flow]:
    strings, labels = ("AA*", "AB*", "BB*", "CA*"), (_ONE, -_ONE, Rational(2), _HALF)
    for name in by_hand.NAMES:
        for x in ("XX*", "BA*", "AA*"):
            yield name, strings, labels, x, _ONE, 30
    yield "incidence", ("AA*", "AA*"), (_ONE, _ONE), "AA*", _HALF, 30
    yield "squared", ("ABC", "AAB", "CCC"), (_ONE, _ZERO, -_ONE), "ABA", Rational(3), 20


@claim(
    "boix2024.proposition-4.3",
    source="Proposition 4.3 (formula (4)), which the paper quotes from Welling 2013",
    wording="quoted",
    category="proposition",
    cases=_flows,
    boundary=("agreement", ("A*",), (_ONE,), "A*", _ONE, 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(by_hand.NAMES),
            st.lists(st.sampled_from(["AA*", "AB*", "BC*", "CC*"]), min_size=2, max_size=2).map(
                tuple
            ),
            st.tuples(*[st.fractions(-2, 2, max_denominator=2)] * 2),
            st.sampled_from(["AA*", "BA*", "XY*"]),
            st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(4)]),
            st.integers(1, 20),
        )
    ),
    applies=record(
        one_of(*by_hand.NAMES),
        many(is_text),
        many(number()),
        is_text,
        number(above=0),
        integer(1),
        where=lambda _, strings, labels, x, *rest: (
            len(strings) == len(labels) and {*map(len, strings)} == {len(x)}
        ),
    ),
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "the mean of the squared errors in the place of their sum",
            ("incidence", ("AA*", "AB*"), _SIGNS, "AA*", _ONE, 30),
            {"mean": True},
        ),
        NearMiss(
            "no weight decay",
            ("incidence", ("AA*", "AB*"), _SIGNS, "AA*", _ONE, 30),
            {"decay": False},
        ),
    ],
)
def gradient_flow(case: Flow, mean: bool = False, decay: bool = True) -> bool | Fails:
    r"""With the square loss and ridge-regularization of magnitude $\lambda$, kernel gradient flow
    with kernel $K$ converges to the solution $\hat f(x) = y^\top (\hat K + \lambda I)^{-1} k(x)$.

    The flow of the function is $\dot f = -K(\cdot, X)(f(X) - y) - \lambda f$, from $f = 0$. In
    steps of a size below $1 / \mathrm{tr}(\hat K + \lambda I)$ it is gone through exactly: on the
    training strings the square distance from the solution shrinks in each step by $(1 - \eta
    \lambda)^2$ at least, and off them the distance is $K(x, X)$ times a sum that converges.
    """
    name, strings, labels, x, ridge, steps = case
    at_most(len(strings) * steps, 400, "strings times steps")
    words = (*strings, x)
    K = by_hand.rows_of(by_hand.table(name, words, words))
    size, pull = len(strings), ridge if decay else Fraction(0)
    share = Fraction(1, size) if mean else Fraction(1)
    step = 1 / (sum(K[i][i] for i in range(size)) + size * ridge)
    # A task without regular tokens: every token is one of a wildcard.
    plain = Task([Template(_GREEK[: len(x)])], labels=[0])
    found = TaskRidge(plain, library_kernel(name), strings, labels, ridge=ridge)
    wanted = [Fraction(value) for value in found.predict(words)]  # type: ignore[arg-type]
    if wanted[size] != by_hand.prediction(name, strings, labels, x, ridge):
        return Fails(f"the solution at {x} is not {wanted[size]}")
    f = [Fraction(0)] * (size + 1)
    before = sum((a - b) ** 2 for a, b in zip(f[:size], wanted[:size], strict=True))
    for _ in range(steps):
        off = [share * (f[i] - labels[i]) for i in range(size)]
        f = [
            value - step * (sum(K[i][j] * off[j] for j in range(size)) + pull * value)
            for i, value in enumerate(f)
        ]
        # Rounded, so that numbers stay short: far less than what is asked for below.
        f = [Fraction(round(value * 2**64), 2**64) for value in f]
        after = sum((a - b) ** 2 for a, b in zip(f[:size], wanted[:size], strict=True))
        if after > (1 - step * ridge) ** 2 * before + Fraction(1, 2**40):
            return Fails(f"the flow goes away from the solution: {float(after):.4g}")
        before = after
    # The solution is where the flow stands still, at the test string too.
    stays = sum(K[size][j] * share * (wanted[j] - labels[j]) for j in range(size))
    if stays + pull * wanted[size] != 0:
        return Fails("the flow does not stand still at the solution")
    return True


# --- Lemma 4.5 = C.2 = D.1 ------------------------------------------------------------------------
# kernel, templates, labels, test string, ridge
Vanishing = tuple[str, tuple[str, ...], tuple[Fraction, ...], str, Fraction]


def is_task(name: str, templates: tuple[str, ...], labels: Any, x: str, ridge: Any) -> bool:
    """Disjoint templates with a nonsingular matrix, and a string that one of them matches."""
    if len(templates) != len(labels) or {*map(len, templates)} != {len(x)}:
        return False
    found = [Template(z) for z in templates]
    apart = all(z.is_disjoint(w) for i, z in enumerate(found) for w in found[:i])
    return (
        apart
        and sum(by_hand.matches(x, z) for z in templates) == 1
        and by_hand.template_matrix(name, templates).det() != 0
    )


_is_vanishing = record(
    one_of(*by_hand.NAMES), many(is_text), many(number()), is_text, number(above=0),
    where=is_task,
)  # fmt: skip


def _lemma() -> Iterator[Vanishing]:
    yield "incidence", _TOKEN, _SIGNS, "AA*", _ONE
    yield "squared", _TOKEN, _SIGNS, "AA*", _ONE
    yield "incidence", _SAME, _SIGNS, "XX*", _ONE
    yield "incidence", ("αβα*", "αββ*", "ABC*"), (_ONE, -_ONE, _HALF), "ABA*", _HALF


@claim(
    "boix2024.lemma-4.5",
    source="Lemma 4.5 = Lemma C.2 = Lemma D.1; that test tokens may be those of other templates is "
    "the reading of Definitions 3.1 and 3.3",
    wording="reconstructed",
    category="lemma",
    cases=_lemma,
    boundary=("incidence", _TOKEN, _SIGNS, "AA*", _ONE),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(["incidence", "squared"]),
            st.just(_TOKEN),
            st.tuples(*[st.fractions(-2, 2, max_denominator=2)] * 2),
            st.sampled_from(["AA*", "BB*", "XX*"]),
            st.just(Fraction(1)),
        )
    ),
    applies=_is_vanishing,
    expected="fails",
    repaired_by="boix2024.lemma-4.5-repaired",
    proof=_PAGE,
    near_misses=[
        NearMiss("a singular template matrix", ("agreement", _SAME, _SIGNS, "XX*", _ONE)),
        NearMiss(
            "unseen tokens of no template, with the limit at another template",
            ("incidence", _SAME, _SIGNS, "XX*", _ONE),
            {"matched": 1},
        ),
    ],
    controls=[
        Control("unseen tokens of no template", ("incidence", _TOKEN, _SIGNS, "XX*", _ONE)),
        Control("no regular token but CLS", ("squared", _SAME, _SIGNS, "XY*", _ONE)),
    ],
)
def vanishing(case: Vanishing, matched: int | None = None) -> bool | Fails:
    r"""If $K$ is a token-symmetric kernel, and $N$ is nonsingular, then kernel ridge regression
    achieves vanishing test loss: for any $x$ matching a template $z$,
    $|\hat f(x) - f_*(z)| \le C \sqrt{\log(1/\delta)/n} + C \sqrt{1/\rho}$ with probability at least
    $1 - \delta - e^{-cn}$, where the constants and $\lambda$ depend only on $K$, $\mu_{tmplt}$,
    $f_*$ and $\sigma$.

    For whatever constants, the error would vanish as $n \to \infty$ over training strings without
    common tokens, whose probability tends to 1 as $\rho \to \infty$. The limit of the predictions
    is found exactly; it does not depend on $\lambda$.
    """
    name, templates, labels, x, ridge = case
    at_most(len(templates), 4, "templates")
    task = task_of(templates, labels)
    split = TemplateSplit(task, library_kernel(name))
    j = next(i for i, z in enumerate(templates) if by_hand.matches(x, z))
    errors = []
    for n in range(1, 2 * len(templates) + 2):
        counts = [n] * len(templates)
        strings = by_hand.fresh_strings(templates, counts)
        given = [labels[i] for i in by_hand.classes(counts)]
        errors.append((n, by_hand.prediction(name, strings, given, x, ridge)))
    limit = by_hand.limit_ratio(errors, len(templates))
    written = ["".join(lettered(z, i)) for i, z in enumerate(templates)]
    found = TaskRidge(task, library_kernel(name), written, ridge=ridge).at(split.pattern(x))
    if found != errors[0][1]:
        return Fails(f"from one string each {errors[0][1]} is predicted, not {found}")
    nonsingular = by_hand.template_matrix(name, templates).det() != 0
    if nonsingular and split.at_infinity(split.pattern(x)) != limit:
        return Fails(f"the predictions tend to {limit}")
    wanted = labels[j if matched is None else matched]
    return limit == wanted or Fails(f"the predictions at {x} tend to {limit}, not to {wanted}")


def lettered(z: str, i: int) -> Iterator[str]:
    """The template with letters of its own for its wildcards."""
    for letter in z:
        yield chr(ord("P") + 5 * i + ord(letter) - ord("α")) if by_hand.is_wild(letter) else letter


# kernel, templates, labels, how many strings of each, symbols, ridge
Repaired = tuple[str, tuple[str, ...], tuple[Fraction, ...], int, int, Fraction]


def _repaired() -> Iterator[Repaired]:
    for name in ("incidence", "squared"):
        yield name, _SAME, _SIGNS, 1, 4, _ONE
        yield name, _SAME, _SIGNS, 2, 3, _ONE
    yield "incidence", _SAME, (Rational(2), _HALF), 1, 5, Rational(1, 10)
    yield "incidence", _TOKEN, _SIGNS, 2, 4, _ONE
    yield "incidence", ("αα*",), (_ONE,), 3, 5, _ONE


def _enough(name: str, templates: Any, labels: Any, n: int, symbols: int, ridge: Any) -> bool:
    wild = max(len({c for c in z if by_hand.is_wild(c)}) for z in templates)
    return (
        len(templates) == len(labels)
        and len({*map(len, templates)}) == 1
        and symbols >= wild
        and by_hand.template_matrix(name, templates).det() != 0
    )


@claim(
    "boix2024.lemma-4.5-repaired",
    source="Lemma 4.5 = C.2 = D.1, for test strings of unseen tokens that no template has, in the "
    "mean and with its constants",
    wording="our reading",
    category="lemma",
    cases=_repaired,
    boundary=("incidence", ("αα*",), (_ONE,), 1, 1, _ONE),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(["incidence", "squared"]),
            st.just(_SAME),
            st.tuples(*[st.fractions(-2, 2, max_denominator=2)] * 2),
            st.just(1),
            st.integers(2, 4),
            st.sampled_from([Fraction(1, 2), Fraction(1)]),
        )
    ),
    applies=record(
        one_of(*by_hand.NAMES),
        many(is_text),
        many(number()),
        integer(1),
        integer(1),
        number(above=0),
        where=_enough,
    ),
    assumes=["symbench.ridge-bound"],
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "a test string with a token of another template",
            ("incidence", _TOKEN, _SIGNS, 5, 5, Rational(1, 10)),
            {"string": "AA*", "apart": True},
        ),
        NearMiss("a singular template matrix", ("agreement", _SAME, _SIGNS, 1, 4, _ONE)),
    ],
)
def repaired(case: Repaired, string: str | None = None, apart: bool = False) -> bool | Fails:
    r"""Let $K$ be positive semidefinite and token-symmetric with nonsingular $N$, $\lambda > 0$
    fixed, labels without noise, and the training set have $n_i$ strings of $z_i$, by uniform
    substitution from $m$ tokens that no template has. For strings $x$ of $z_j$ over unseen tokens
    outside the templates,
    $$\mathbb{E}\,|\hat f(x) - f_j| \le \sqrt{\mathbb{E}\Omega_{jj}\, \min(\tfrac14, \mathrm{tr}\,
    N^{-1} \mathbb{E}\Omega)\, f^\top N^{-1} f},$$ and $\mathbb{E}\Omega$ is of the order of
    $\frac1n + \frac1\rho$, exactly a sum over the ways in which two strings share tokens. All
    training sets are gone through.
    """
    name, templates, labels, n, symbols, ridge = case
    tokens, counts = "GHIJKLMN"[:symbols], [n] * len(templates)
    size = 1
    for z in templates:
        size *= len(by_hand.strings_over(z, tokens)) ** n
    at_most(1 if apart else size, 700, "training sets")
    every: Any = by_hand.training_sets(templates, counts, tokens)
    if apart:
        every = [by_hand.fresh_strings(templates, counts)]
    N, kept = by_hand.template_matrix(name, templates), by_hand.regular(templates)
    given = [labels[i] for i in by_hand.classes(counts)]
    problem = TaskProblem(library_kernel(name), task_of(templates, labels), symbols=symbols)
    total, number_ = flint.fmpq_mat(len(templates), len(templates)), 0
    off = [Fraction(0)] * len(templates)
    tests = [string or by_hand.renewed(z, kept, "test") for z in templates]
    for strings in every:
        asked = (name, templates, labels, tuple(strings), (), ridge)
        total, number_ = total + spread(asked, N), number_ + 1
        for j, x in enumerate(tests):
            found = by_hand.prediction(name, strings, given, x, ridge)
            off[j] += abs(found - labels[j]) if string is None or j == 0 else 0
    mean = total / Q(number_)
    own = problem.expected_spread(n * len(templates), ridge)
    if not apart and (not isinstance(own, Matrix) or own.flint != mean):
        return Fails(f"the mean of Omega is {mean}, not {own}")
    if N.det() == 0:
        return Fails("there is no bound: the template matrix is singular")
    trace = sum((N.solve(mean)[i, i] for i in range(len(templates))), Q(0))
    f = flint.fmpq_mat([[rational(y)] for y in labels])
    norm = fraction((f.transpose() * N.solve(f))[0, 0])
    shrunk = min(Fraction(1, 4), fraction(trace))
    means = [error / number_ for error in off]
    for j, error in enumerate(means):
        bound = fraction(mean[j, j]) * shrunk * norm
        if error**2 > bound:
            return Fails(f"the mean error at {tests[j]} is {float(error):.4g}, above the bound")
    told = problem.bound(n * len(templates), ridge)
    each = float(by_hand.mean_of(means))
    if not apart and (told is None or each > told * (1 + 1e-9)):
        return Fails(f"the mean error is {each:.4g}, above {told}")
    return True


# --- a growing ridge ------------------------------------------------------------------------------
# kernel, templates, labels, root of the number of strings of each template
Growing = tuple[str, tuple[str, ...], tuple[Fraction, ...], int]


def _growing() -> Iterator[Growing]:
    for root in (1, 2, 3):
        yield "incidence", _SAME, _SIGNS, root
        yield "squared", _SAME, (Rational(2), _HALF), root
        yield "incidence", _TOKEN, _SIGNS, root
    yield "agreement", ("α*",), (_ZERO,), 5
    yield "agreement", ("α*",), (_ONE,), 9


@claim(
    "boix2024.theorem-4.4-growing-ridge",
    source="Theorem 4.4, with a ridge that grows as the root of the number of samples, for test "
    "strings without regular tokens of other templates; the rate is ours",
    wording="our reading",
    category="theorem",
    cases=_growing,
    boundary=("agreement", ("α*",), (_ONE,), 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(["incidence", "squared"]),
            st.just(_SAME),
            st.tuples(*[st.fractions(-2, 2, max_denominator=2)] * 2),
            st.integers(1, 3),
        )
    ),
    applies=record(
        one_of(*by_hand.NAMES),
        many(is_text),
        many(number()),
        integer(1),
        where=lambda name, templates, labels, _: (
            len(templates) == len(labels)
            and len({*map(len, templates)}) == 1
            and by_hand.template_matrix(name, templates).det() != 0
        ),
    ),
    assumes=["symbench.ridge-bound"],
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "a fixed ridge: noise at strings that were seen stays",
            ("agreement", ("α*",), (_ZERO,), 9),
            {"ridge": _ONE},
        ),
        NearMiss(
            "a test string with a token of another template",
            ("incidence", _TOKEN, (Rational(10), Rational(-10)), 6),
            {"string": "AA*"},
        ),
    ],
)
def growing_ridge(
    case: Growing, ridge: Fraction | None = None, string: str | None = None
) -> bool | Fails:
    r"""Let $\lambda = \sqrt n$ for $n$ strings of each template, no two with a common token, and
    $N$ positive definite. For every string $x$ of $z_j$ without regular tokens of other templates,
    its tokens seen or not, the bias is at most $\sqrt{Q h}\,(\sqrt{\Omega_{jj}} + \sqrt{K(x, x) -
    N_{jj}})$, where $h \le \omega$ and $\Omega_{jj} = (\lambda + K(x, x) - N_{jj})/n$ are of the
    order $n^{-1/2}$, and noise of variance $\sigma^2$ has a variance of at most $\sigma^2 K(x, x)/
    \lambda$: both vanish. (With common tokens $\Omega$ has the mean of $K_\perp$, of the order
    $\frac1\rho$, beside it.)
    """
    name, templates, labels, root = case
    n = root * root
    at_most(n * len(templates), 81, "strings")
    shift = Fraction(root) if ridge is None else ridge
    N, kept = by_hand.template_matrix(name, templates), by_hand.regular(templates)
    counts = [n] * len(templates)
    strings = by_hand.fresh_strings(templates, counts)
    given = [labels[i] for i in by_hand.classes(counts)]
    split = TemplateSplit(task_of(templates, labels), library_kernel(name))
    closed = split.predictions(counts, ridge=shift)
    omega = flint.fmpq_mat(len(templates), len(templates))
    for j, z in enumerate(templates):
        omega[j, j] = (rational(shift) + by_hand.value(name, z, z) - N[j, j]) / n
    _, h = shrinkage(N, omega)
    f = flint.fmpq_mat([[rational(y)] for y in labels])
    norm = fraction((f.transpose() * N.solve(f))[0, 0])
    for j, z in enumerate(templates):
        own = Fraction(by_hand.value(name, z, z)) - fraction(N[j, j])
        for x in (by_hand.renewed(z, kept, "test"), strings[j * n]):
            if string is not None and j == 0:
                x = tuple(string)
            found = by_hand.prediction(name, strings, given, x, shift)
            if x[0] == "test" and closed[j] != found:
                return Fails(f"the prediction at {z} is {found}, not {closed[j]}")
            square = (found - labels[j]) ** 2
            part = fraction(omega[j, j])
            # Against Q h (a + b + 2 sqrt(ab)), without the root.
            over = square - norm * h * (part + own)
            if over > 0 and over**2 > 4 * (norm * h) ** 2 * part * own:
                return Fails(f"the error at {z} is {float(found - labels[j]):.4g}")
            gain = sum(fraction(a) ** 2 for a in by_hand.weights(name, strings, x, shift))
            if gain > Fraction(by_hand.value(name, x, x), root):
                return Fails(f"noise of variance 1 becomes {float(gain):.4g} at {z}")
    told = split.noise_gain(counts, ridge=shift)
    for j, z in enumerate(templates):
        x = by_hand.renewed(z, kept, "test")
        gain = sum(fraction(a) ** 2 for a in by_hand.weights(name, strings, x, shift))
        if told[j] != gain:
            return Fails(f"noise of variance 1 becomes {gain} at {z}, not {told[j]}")
    return True
