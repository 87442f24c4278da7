"""learnable(): against kernels from their definition on concrete strings, and sympy's ranks."""

import time
from fractions import Fraction
from itertools import count
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import symbench as sb
from symbench import errors
from symbench.kernels import (
    attention,
    from_function,
    generic,
    inner_product,
    linear_attention,
    transformer,
)

T = sb.Template


# --- the second road: strings of concrete tokens, kernels from their definition --------
def matches(x, y):
    return sum(a == b for a, b in zip(x, y, strict=True))


def incidence(x, y):
    places = range(len(x))
    return matches(x, y) + sum(x[a] == x[b] and y[a] == y[b] for a in places for b in places)


def linear(x, y):
    table = [[int(s == t) + int(a == b) for b, t in enumerate(y)] for a, s in enumerate(x)]
    return sum(map(sum, table)) * sum(entry**2 for row in table for entry in row)


def string(z, fresh):
    """The template with new numbers for its wildcards."""
    new = {}
    return tuple(
        new.setdefault(a, next(fresh)) if a in z.wildcards else a
        for a in z.letters
    )  # fmt: skip


def by_definition(templates, kernel):
    fresh = count()
    return sympy.Matrix(
        [[kernel(string(z, fresh), string(w, fresh)) for w in templates] for z in templates]
    )


def rows_alike(matrix):
    found = {}
    for i in range(matrix.rows):
        found.setdefault(tuple(matrix.row(i)), []).append(i)
    return sorted(members for members in found.values() if len(members) > 1)


def least_error_by_lp(matrix, labels):
    """The smallest largest error of any prediction that K_tau allows, in floats."""
    size = matrix.rows
    span = np.array(matrix.tolist(), dtype=float) / max(1, max(map(abs, matrix)))
    one = np.ones((size, 1))
    f = np.array([float(y) for y in labels])
    found = linprog(
        [0.0] * size + [1.0],
        A_ub=np.vstack([np.hstack([span, -one]), np.hstack([-span, -one])]),
        b_ub=np.concatenate([f, -f]),
        bounds=[(None, None)] * size + [(0, None)],
    )
    return found.fun


@st.composite
def tasks(draw, *, labelled=True):
    """Up to six inequivalent templates over two tokens and three wildcards, with small labels."""
    length = draw(st.integers(1, 3))
    letters = st.text("ABαβγ", min_size=length, max_size=length)
    found = {}
    for text in draw(st.lists(letters, min_size=1, max_size=6)):
        found.setdefault(T(text).canonical, T(text))
    templates = list(found.values())
    few = st.lists(st.integers(0, 2), min_size=len(templates), max_size=len(templates))
    labels = draw(few) if labelled else None
    return sb.Task(templates, labels=labels, allow_overlap=True, wildcards="")


PROFILES = {
    "linear": lambda n: n,
    "shifted": lambda n: n + 1,
    "square": lambda n: n * n,
    "power": lambda n: 2**n,
}


@st.composite
def kernels(draw):
    """A kernel of symbench, and the same from its definition."""
    if draw(st.integers(0, 3)) == 0:
        return linear_attention(1, 1), linear
    f, added = PROFILES[draw(st.sampled_from(sorted(PROFILES)))], draw(st.booleans())
    product = incidence if added else matches
    return inner_product(f, incidence=added), lambda x, y: f(product(x, y))


@given(tasks(), kernels())
def test_answers_are_those_of_the_definition(task, pair):
    kernel, defined = pair
    answer = sb.learnable(task, kernel)
    N = by_definition(task.templates, defined)
    f = sympy.Matrix([int(y) for y in task.labels])
    assert answer.rank == N.rank()
    assert answer.every_labelling == (N.rank() == len(task))
    learned = N.row_join(f).rank() == N.rank()
    assert answer.labels_learned == learned == bool(answer)
    assert answer.status == ("learnable" if learned else "not learnable")
    assert [[task.templates.index(z) for z in members] for members in answer.confused] == (
        rows_alike(N)
    )
    for vector in answer.null_space.vectors:
        assert not any(N * sympy.Matrix([sympy.Rational(str(x)) for x in vector]))
    assert len(answer.null_space.vectors) == len(task) - N.rank()
    assert answer.certificate.check()
    assert answer.exactness == "exact"
    assert answer.explain() == str(answer)


@given(tasks(), kernels())
def test_the_least_error_is_a_bound(task, pair):
    kernel, defined = pair
    answer = sb.learnable(task, kernel)
    best = least_error_by_lp(by_definition(task.templates, defined), task.labels)
    assert (answer.least_error == 0) == bool(answer)
    assert float(answer.least_error) <= best + 1e-6
    spread = [
        max(task.labels[i] for i in members) - min(task.labels[i] for i in members)
        for members in answer.null_space.classes
    ]
    assert answer.least_error >= max(spread) / 2


def ridge_predictions(strings, labels, asked, kernel, ridge):
    """f(x) = y^T (K + ridge)^-1 k(x), in sympy's rationals."""
    K = sympy.Matrix([[kernel(x, y) for y in strings] for x in strings])
    dual = (K + ridge * sympy.eye(len(strings))).LUsolve(sympy.Matrix(labels))
    return [sum(c * kernel(x, y) for c, y in zip(dual, strings, strict=True)) for x in asked]


@settings(max_examples=40)
@given(tasks(), kernels(), st.lists(st.integers(0, 5), min_size=1, max_size=5), st.data())
def test_confused_templates_get_one_prediction(task, pair, chosen, data):
    kernel, defined = pair
    answer = sb.learnable(task, kernel)
    # Any training set: templates in any number, symbols that may be shared.
    strings, labels = [], []
    for n in chosen:
        z = task.templates[n % len(task)]
        pool = iter(data.draw(st.permutations(range(4))))
        strings.append(string(z, pool))
        labels.append(int(task.labels[n % len(task)]))
    fresh = count(100)
    asked = [string(z, fresh) for z in task.templates]
    found = ridge_predictions(strings, labels, asked, defined, 1)
    for members in answer.null_space.classes:
        assert len({found[i] for i in members}) == 1
    for vector in answer.null_space.vectors:
        assert sum(sympy.Rational(str(x)) * p for x, p in zip(vector, found, strict=True)) == 0


@settings(max_examples=30)
@given(tasks(labelled=False), st.booleans(), st.data())
def test_open_profiles_are_about_almost_all(task, added, data):
    answer = sb.learnable(task, inner_product(incidence=added))
    top = 12 if added else 3
    big = st.integers(10**6, 10**9)
    values = data.draw(st.lists(big, min_size=top + 1, max_size=top + 1, unique=True))
    product = incidence if added else matches
    N = by_definition(task.templates, lambda x, y: values[product(x, y)])
    # Different numbers: equal rows there are equal rows for every profile, and the other way round.
    assert [[task.templates.index(z) for z in m] for m in answer.confused] == rows_alike(N)
    assert N.rank() <= answer.rank
    again = sb.learnable(task, inner_product(values, incidence=added)) if _definite(N) else None
    if again is not None:
        assert again.rank == N.rank()
    if answer.status == "learnable":
        assert answer.certificate.valid_for == "generic"
        assert "for generic parameters" in str(answer)


def _definite(matrix):
    values = np.linalg.eigvalsh(np.array(matrix.tolist(), dtype=float))
    return values[0] >= -1e-12 * values[-1]


def test_rank_of_open_profiles_is_reached():
    every = sb.all_templates(2, tokens="AB")
    answer = sb.learnable(every, inner_product())
    N = by_definition(list(every), lambda x, y: (3, 17, 1009)[matches(x, y)])
    assert answer.rank == N.rank() < len(every)


@given(tasks())
def test_attention_learns_everything(task):
    answer = sb.learnable(task, attention())
    assert answer.status == "learnable"
    assert answer.certificate.valid_for == "every beta, gamma != 0"
    assert answer.certificate.check()
    assert "for every beta, gamma != 0" in answer.explain()
    assert sb.learnable(task, attention(beta=0.5, gamma=2)).exactness == "exact"


@given(tasks())
def test_without_positions_attention_counts(task):
    def seen(z):
        """How often each token occurs, and each wildcard without its name."""
        times = {a: z.letters.count(a) for a in z.letters}
        tokens = sorted((a, n) for a, n in times.items() if a not in z.wildcards)
        return tokens, sorted(n for a, n in times.items() if a in z.wildcards)

    answer = sb.learnable(task, attention(gamma=0))
    groups = {}
    for z, y in zip(task.templates, task.labels, strict=True):
        groups.setdefault(str(seen(z)), []).append((z, y))
    wanted = [tuple(z for z, _ in group) for group in groups.values() if len(group) > 1]
    assert list(answer.confused) == wanted
    assert answer.rank == len(groups)
    assert bool(answer) == all(len({y for _, y in group}) == 1 for group in groups.values())
    assert answer.certificate.check()


def test_a_template_without_tokens_is_not_seen_without_cls():
    task = sb.Task([T("αα"), T("Aα")], labels=[0, 1], allow_overlap=True)
    answer = sb.learnable(task, attention(gamma=0), cls=False)
    assert (answer.every_labelling, answer.labels_learned, answer.rank) == (False, True, 1)
    other = sb.Task([T("αα"), T("Aα")], labels=[1, 1], allow_overlap=True)
    answer = sb.learnable(other, attention(gamma=0), cls=False)
    assert (answer.status, answer.least_error) == ("not learnable", 1)
    assert answer.certificate.check()
    assert "f(αα) = 0, the labels have 1" in str(answer)


def test_large_tasks():
    task = sb.tasks.distribution_of_three()
    mlp = sb.learnable(task, inner_product())
    assert (mlp.status, mlp.rank, mlp.least_error) == ("not learnable", 1, Fraction(3, 2))
    assert mlp.confused == (task.templates,)
    assert sb.learnable(task, attention()).status == "learnable"
    assert sb.learnable(task, inner_product(incidence=True)).rank == 144
    every = sb.all_templates(7)
    assert [len(m) for m in sb.learnable(every, inner_product()).confused] == [877]
    assert sb.learnable(every, attention()).certificate.check()
    assert "877 templates" in str(sb.learnable(every, attention()))


# --- what it costs ------------------------------------------------------
@settings(max_examples=40)
@given(tasks(), st.sampled_from(sorted(PROFILES)))
def test_costs_of_the_definition(task, name):
    f = PROFILES[name]
    answer = sb.learnable(task, inner_product(f, incidence=True))
    N = by_definition(task.templates, lambda x, y: f(incidence(x, y)))
    if not answer.every_labelling:
        return
    fresh, size = count(), len(task)
    own = [string(z, fresh) for z in task.templates]
    dual = N.LUsolve(sympy.Matrix([int(y) for y in task.labels]))
    wanted = [
        size * abs(dual[i]) * (f(incidence(x, x)) - N[i, i]) for i, x in enumerate(own)
    ]  # fmt: skip
    assert list(map(str, answer.cost())) == list(map(str, wanted))
    assert "Cost: n training strings" in answer.explain()


def test_published_costs():
    task = sb.Task([T("αα[CLS]"), T("αβ[CLS]")], labels=[1, -1])
    assert sb.learnable(task, inner_product(lambda n: n, incidence=True)).cost() == (4, 5)
    answer = sb.learnable(sb.tasks.same_different(), attention(beta=1, gamma=1))
    costs = answer.cost()
    assert max(map(float, costs)) == pytest.approx(676.9, abs=0.05)
    assert all(c.exactness == "float" and c.digits >= 6 for c in costs)
    assert "c = 676.91" in str(answer)
    assert "about 6,770 strings for an error of 1/10" in str(answer)


def test_a_long_cost_is_rounded_and_a_large_one_is_asked_for():
    text = str(sb.learnable(sb.tasks.majority(5), inner_product(lambda n: n**3, incidence=True)))
    assert "(exactly in cost())" in text
    kernel = attention(beta=1, gamma=1)
    assert "ask for cost()" in str(sb.learnable(sb.tasks.distribution_of_three(), kernel))


# --- labels of every kind ------------------------------------------------------
@given(tasks(labelled=False), kernels(), st.data())
def test_classes_are_learned_if_each_is_against_the_rest(task, pair, data):
    if len(task) < 2:
        return
    kernel, defined = pair
    size = len(task)
    chosen = data.draw(st.lists(st.sampled_from("opqr"), min_size=size, max_size=size))
    if len(set(chosen)) < 2:
        return
    named = sb.Task(task.templates, labels=chosen, allow_overlap=True, wildcards="")
    answer = sb.learnable(named, kernel)
    N = by_definition(named.templates, defined)
    targets = [sympy.Matrix([1 if y == name else -1 for y in chosen]) for name in set(chosen)]
    learned = all(N.row_join(f).rank() == N.rank() for f in targets)
    assert answer.labels_learned == bool(answer) == learned
    assert answer.certificate.check()
    # Some prediction of some class is off by as much: the smallest errors by linear programming.
    best = max(least_error_by_lp(N, list(f)) for f in targets)
    assert float(answer.least_error) <= best + 1e-6
    assert (answer.least_error == 0) == learned
    if len(named.classes) > 2:
        assert set(answer.targets) == {tuple(f) for f in targets}
        each = [sb.learnable(named.one_vs_rest(name), kernel) for name in named.classes]
        assert answer.least_error == max(one.least_error for one in each)
    groups = [{chosen[i] for i in members} for members in rows_alike(N)]
    mixed = {frozenset(group) for group in groups if len(group) > 1}
    assert {frozenset(group) for group in answer.confused_classes} == mixed
    for group in mixed:
        assert all(name in str(answer) for name in group)


def test_of_several_classes_the_worst_missed_is_told():
    f, names = PROFILES["linear"], "abbbc"
    task = sb.Task(dict(zip(sb.all_templates(3), names, strict=True)))
    (null,) = by_definition(task.templates, lambda x, y: f(incidence(x, y))).nullspace()
    sizes = [abs(sum(x if y == name else -x for x, y in zip(null, names, strict=True)))
             for name in "abc"]  # fmt: skip
    assert [3 * size / sum(map(abs, null)) for size in sizes] == [1, 3, 2]
    assert sb.learnable(task, inner_product(f, incidence=True)).least_error == 1


def test_two_classes_are_learned_as_numbers():
    named = sb.Task({"xx": "ok", "xy": "bad"}, wildcards="xy")
    plain = sb.Task({"xx": 1, "xy": -1}, wildcards="xy")
    kernel = inner_product(lambda n: n, incidence=True)
    ours, theirs = sb.learnable(named, kernel), sb.learnable(plain, kernel)
    assert ours.cost() == theirs.cost()
    train, test = named.sample([3, 4], 5, 12, test=6)
    other, _ = plain.sample([3, 4], 5, 12, test=6)
    assert train.labels() == ["ok"] * 3 + ["bad"] * 4
    assert train.numbers() == other.labels() == other.numbers()
    predicted = sb.learning.TaskRidge(named, kernel, train, ridge=1).predict(test)
    assert predicted == sb.learning.TaskRidge(plain, kernel, other, ridge=1).predict(test)
    noisy, _ = named.sample([3, 4], 5, 12, test=6, noise=1)
    assert (
        noisy.labels()
        == noisy.numbers()
        == plain.sample([3, 4], 5, 12, test=6, noise=1)[0].labels()
    )
    answer = sb.learnable(named, inner_product())
    assert "classes are confused: ok and bad" in str(answer)
    assert answer.confused_classes == (("ok", "bad"),)
    assert answer.least_error == 1


def test_more_than_two_classes_have_no_numbers():
    task = sb.Task({"ααα": "same", "αβγ": "new", "ααβ": "pair"})
    for ask in (
        lambda: sb.learning.Problem(attention(beta=1, gamma=1), task, symbols=9),
        lambda: sb.learning.targets.from_task(task, vocabulary=3),
        lambda: task.need_numbers(),
    ):
        with pytest.raises(errors.BadValue, match=r"3 classes: ask about task.one_vs_rest\('same'"):
            ask()
    with pytest.raises(errors.BadValue, match="no real labels"):
        task.sample(3, 0, 9, noise=1)
    assert "one_vs_rest" in str(sb.learnable(task, attention()))
    for name in task.classes:
        assert sb.learnable(task.one_vs_rest(name), attention())


def test_letters_for_labels():
    task = sb.tasks.two_programs_symbolic()
    for kernel, status in ((attention(), "learnable"), (inner_product(), "not learnable")):
        answer = sb.learnable(task, kernel)
        assert (answer.status, answer.labels, answer.labels_learned) == (status, None, None)
        assert answer.least_error is None
        assert "they are letters" in str(answer)
        assert "Cost" not in str(answer)
    with pytest.raises(errors.BadValue, match="the labels are not numbers"):
        sb.learnable(task, inner_product(lambda n: n)).cost()


def test_no_labels():
    answer = sb.learnable([T("αα"), T("αβ")], attention())
    assert bool(answer)
    assert answer.templates == (T("αα"), T("αβ"))
    assert answer.matrix.templates[0] == T("αα[CLS]")
    assert "Labels" not in str(answer)
    assert "Cost" not in str(answer)
    # A list may name a template twice.
    answer = sb.learnable([T("αβ"), T("βα"), T("αα")], attention())
    assert answer.confused == ((T("αβ"), T("βα")),)
    assert answer.rank == 2
    assert answer.certificate.check()


def test_labels_may_be_orthogonal_to_relations():
    four = [T("AA"), T("Aα"), T("αA"), T("αβ")]
    kernel = inner_product([1, 2, 3])
    learned = sb.learnable(sb.Task(four, labels=[3, 2, 1, 0], allow_overlap=True), kernel)
    assert learned.status == "learnable"
    assert learned.every_labelling is False
    assert learned.certificate.kind == "rank"
    assert learned.certificate.check()
    assert learned.least_error == 0
    assert learned.confused == ()
    missed = sb.learnable(sb.Task(four, labels=[-1, 1, 1, -1], allow_overlap=True), kernel)
    assert (missed.status, missed.least_error) == ("not learnable", 1)
    assert "f(AA) + (-1) f(Aα) + (-1) f(αA) + f(αβ) = 0, the labels have -4" in str(missed)


def test_relations_with_parameters():
    every = sb.all_templates(2, tokens="A")
    task = sb.Task(every, labels=[1, 0, 0, 0, 0], allow_overlap=True)
    answer = sb.learnable(task, linear_attention())
    at = sb.learnable(task, linear_attention(1, 1))
    assert answer.rank == at.rank == by_definition(list(every), linear).rank()
    assert answer.status == at.status
    assert answer.certificate.check()


# --- kernels of every kind ------------------------------------------------------
def same(x, y):
    return int(len(set(x)) == 1 and len(set(y)) == 1) + int(len(set(x)) > 1 and len(set(y)) > 1)


@pytest.mark.parametrize(
    ("kernel", "status", "exactness"),
    [
        (from_function(same), "learnable", "exact"),
        (from_function(lambda x, y: 1), "not learnable", "exact"),
        (from_function(lambda x, y: float(same(x, y)), exactness="float"), "undecided", "float"),
        (generic(), "learnable", "exact"),
        (transformer("relu", attention()), "learnable", "exact"),
        (transformer(sb.kernels.polynomial([1]), attention()), "not learnable", "exact"),
        (attention(weights="linear"), "not learnable", "exact"),
        (attention(beta=1, gamma=1, weights="sigmoid"), "not learnable", "exact"),
        (attention(beta=0, gamma=1), "not learnable", "exact"),
        (linear_attention(1, 1, readout="last"), "not learnable", "exact"),
    ],
    ids=str,
)
def test_kernels(kernel, status, exactness):
    answer = sb.learnable(sb.tasks.same_different(), kernel)
    assert (answer.status, answer.exactness) == (status, exactness)
    assert status.capitalize() in str(answer)
    assert (answer.certificate is None) == (status == "undecided")
    if answer.certificate is not None:
        assert answer.certificate.check()


def test_balls_and_series():
    task = sb.Task([T("Aα"), T("αA")], labels=[1, -1], allow_overlap=True)
    balls = sb.learnable(task, attention(beta=1, gamma=1, weights="sigmoid"))
    assert (balls.status, balls.exactness) == ("learnable", "ball")
    series = sb.learnable(task, attention(weights="sigmoid"))
    assert series.status == "learnable"
    assert series.certificate.valid_for == "generic"


def test_undecided_is_neither():
    kernel = from_function(lambda x, y: float(same(x, y)), exactness="float")
    answer = sb.learnable(sb.tasks.same_different(), kernel)
    with pytest.raises(errors.Undecided, match="floats, which prove nothing"):
        bool(answer)
    assert "look like 1 to 1" in str(answer)
    assert answer.rank is None
    assert answer.labels_learned is None
    assert answer.least_error is None


def test_a_time_limit(monkeypatch):
    """That a search stops in time is tested with the search; here it always runs out."""

    def late(self, *, timeout, **question):
        wait_until = time.monotonic() + timeout
        while time.monotonic() <= wait_until:
            pass
        raise errors.Undecided(f"no answer within {timeout} seconds")

    monkeypatch.setattr(sb.ktau.TemplateMatrix, "certify", late)
    every = sb.all_templates(3, tokens="AB")
    constant = sb.Task(every, labels=[1] * len(every), allow_overlap=True)
    answer = sb.learnable(constant, linear_attention(layers=2), timeout=0.01)
    assert answer.status == "undecided"
    assert answer.confused
    assert "out of time after 0.01 s" in str(answer)


# --- showing and refusing ------------------------------------------------------
def test_notebook_view():
    task = sb.Task([T(["<b>", "α"]), T(["α", "<b>"])], labels=[1, -1], allow_overlap=True)
    for kernel in (attention(), inner_product([1, 1, 1]), inner_product([1, 2, 3])):
        answer = sb.learnable(task, kernel)
        view = answer._repr_html_()
        ElementTree.fromstring(view)
        assert "<b>" not in view
        # The first line is the answer, the others are rows.
        assert view.count("<tr>") == len(str(answer).splitlines()) - 1
    assert repr(answer).startswith("<Learnable: learnable, 2 templates of length 2")


def test_certificates_travel(tmp_path):
    for kernel in (attention(), inner_product(), inner_product([1, 2, 3])):
        path = tmp_path / "answer.json"
        sb.learnable(sb.tasks.same_different(), kernel).certificate.save(path)
        assert sb.check(path)
        assert "αα" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sb.learnable("αα", attention()), errors.BadType, "give a task"),
        (lambda: sb.learnable([T("αα")], None), errors.BadType, "is not a kernel"),
        (lambda: sb.learnable([], attention()), errors.BadShape, "at least one"),
        (lambda: sb.learnable([T("αα")], attention(), cls=1), errors.BadType, "cls"),
        (lambda: sb.learnable([T("αα")], attention(), timeout=0), errors.BadValue, "seconds"),
        (
            lambda: sb.learnable([T("αα"), T("αβ")], from_function(lambda x, y: -same(x, y))),
            errors.BadValue,
            "is not positive semidefinite: its template matrix has the eigenvalue -1",
        ),
        (
            lambda: sb.learnable(
                [T("αα"), T("αβ")], from_function(lambda x, y: len(set(x)) + 2 * len(set(y)))
            ),
            errors.BadValue,
            "is not symmetric",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
