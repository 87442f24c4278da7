import json
import math
import pickle
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench.words
from symbench import strategies as sts
from symbench.errors import BadShape, BadType, BadValue, NotExact, UnknownName
from symbench.words import (
    FiniteSubstitutions,
    Substitution,
    Task,
    Template,
    UniformSubstitutions,
    all_templates,
    tasks,
)

from . import oracles

AA, AB = Template("αα"), Template("αβ")


def test_a_task_and_its_parts():
    task = Task(
        [AA, AB],
        labels={AB: -1, AA: Fraction(1, 2)},
        weights=[Fraction(1, 3), Fraction(2, 3)],
    )
    assert task.labels == (Fraction(1, 2), Fraction(-1))
    assert task.weights == (Fraction(1, 3), Fraction(2, 3))
    assert (len(task), task.length, task.regular_tokens) == (2, 2, ())
    assert not task.is_symbolic
    assert task.ambiguous == ()
    assert str(task) == "αα -> 1/2\nαβ -> -1"


laws = st.sampled_from([None, UniformSubstitutions(9), UniformSubstitutions("PQRSTUVW")])


@settings(max_examples=60)
@given(sts.tasks(max_length=4), laws)
def test_values_print_pickle_and_store(task, law):
    task = Task(
        task.templates, labels=task.labels, weights=task.weights, substitution=law, wildcards=""
    )
    assert eval(repr(task)) == task
    assert hash(eval(repr(task))) == hash(task)
    assert pickle.loads(pickle.dumps(task)) == task
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


@given(sts.tasks(symbolic=True))
def test_symbolic_tasks_come_back(task):
    assert eval(repr(task)) == task
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_finite_laws_come_back():
    law = FiniteSubstitutions(
        {
            Substitution({"α": "P", "β": "Q"}): Fraction(1, 3),
            Substitution({"α": "Q", "β": "R"}): Fraction(2, 3),
        }
    )
    task = Task([AA, AB], substitution=law, labels=[1, 2])
    assert eval(repr(task)) == task
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_validation():
    with pytest.raises(BadShape, match="unequal lengths"):
        Task([AA, Template("α")])
    with pytest.raises(BadValue, match="equivalent templates"):
        Task([AB, Template("βα")])
    with pytest.raises(BadValue, match="equivalent templates"):
        Task([AB, Template("βα")], allow_overlap=True)
    with pytest.raises(BadValue, match="not disjoint: BA matches both"):
        Task([AB, Template("αA")])
    with pytest.raises(BadValue, match="no templates"):
        Task([])
    with pytest.raises(BadShape, match="2 templates have 1 labels"):
        Task([AA, AB], labels=[1])
    with pytest.raises(BadValue, match="not a template of the task"):
        Task([AA], labels={AA: 1, AB: 2})
    with pytest.raises(BadValue, match="not given for αβ"):
        Task([AA, AB], labels={AA: 1})
    with pytest.raises(BadValue, match="neither one of its wildcards"):
        Task([AA, AB], labels=["β", "β"])
    with pytest.raises(BadType, match="all numbers, all classes or all letters"):
        Task([AA, AB], labels=["α", 1])
    with pytest.raises(NotExact, match=r"Fraction\(1, 2\)"):
        Task([AA, AB], labels=[0.5, 1])
    with pytest.raises(NotExact):
        Task([AA, AB], weights=[0.5, 0.5])
    with pytest.raises(NotExact):
        Task([AA, AB], labels=[float("nan"), 1j])
    with pytest.raises(BadType):
        Task([AA, AB], labels=[True, False])
    with pytest.raises(BadValue, match="add up to 3/4"):
        Task([AA, AB], weights=[Fraction(1, 2), Fraction(1, 4)])
    with pytest.raises(BadValue, match="never occurs"):
        Task([AA, AB], weights=[1, 0])
    with pytest.raises(BadValue, match="too small: αβ needs 2 tokens, 1 are left"):
        Task([AA, AB], substitution="P")
    with pytest.raises(BadValue, match="would not match"):
        Task([Template("αS")], substitution={Substitution({"α": "S"}): 1})
    with pytest.raises(BadValue, match="add up to 1/2"):
        Task([AA], substitution=[({"α": "P"}, Fraction(1, 2))])
    with pytest.raises(BadValue, match="given twice"):
        FiniteSubstitutions([({"α": "P"}, Fraction(1, 2)), ({"α": "P"}, Fraction(1, 2))])
    with pytest.raises(BadType):
        Task([AA, AB], allow_overlap=1)
    for bad in (None, 3, "αα", [3], [AA, ["α"]], AA):
        with pytest.raises(BadType):
            Task(bad)
    for bad in (3, "ab", None):
        if bad is not None:
            with pytest.raises(BadType):
                Task([AA, AB], labels=bad)
            with pytest.raises(BadType):
                Task([AA, AB], weights=bad)
    for bad in (1.5, True, [1, 2], [("α", "P", 1)]):
        with pytest.raises(BadType):
            Task([AA], substitution=bad)


def test_overlap_on_request():
    task = Task([AB, Template("αA"), AA], labels=[1, 2, 3], allow_overlap=True)
    ((t, u, x),) = task.ambiguous
    assert (t, u) == (AB, Template("αA"))
    assert oracles.matches(t, x)
    assert oracles.matches(u, x)
    assert not task.classify(x)
    assert "ambiguous" in str(task.classify(x))
    assert task.classify("PQ").label == 1
    rows = [[5, 6], [5, 0], [0, 5], [5, 5]]
    assert task.classify_array(rows, codes={"A": 0}).tolist() == [0, -2, 0, 2]
    assert eval(repr(task)) == task


@settings(max_examples=60, deadline=None)
@given(sts.tasks(max_length=4, tokens="AB"))
def test_classification_against_brute_force(task):
    rows = list(product(range(5), repeat=task.length))
    expected = []
    for row in rows:
        string = ["ABCDE"[code] for code in row]
        hits = [i for i, t in enumerate(task.templates) if oracles.matches(t, string)]
        answer = task.classify(string)
        assert bool(answer) == bool(hits)
        if hits:
            assert answer.template == task.templates[hits[0]]
            assert answer.label == task.labels[hits[0]]
            assert answer.template.substitute(answer.substitution) == tuple(string)
        expected.append(hits[0] if hits else -1)
    assert task.classify_array(rows, codes={"A": 0, "B": 1}).tolist() == expected


def test_bulk_classification_of_many_patterns():
    task = Task(list(all_templates(6)))
    rng = np.random.default_rng(3)
    rows = rng.integers(7, size=(200_000, 6), dtype=np.int32)
    found = task.classify_array(rows)
    for row, index in list(zip(rows.tolist(), found.tolist(), strict=True))[:2000]:
        numbers = {}
        pattern = tuple(numbers.setdefault(x, len(numbers)) for x in row)
        assert task.templates[index].pattern == pattern
    assert (found >= 0).all()


def test_bulk_classification_takes_any_integers():
    task = Task([Template("αSα"), Template("αTα")])
    codes = {"S": 10**12, "T": 3}
    rows = np.array([[-5, 10**12, -5], [10**12, 3, 10**12], [3, 3, 3], [7, 8, 7]])
    assert task.classify_array(rows, codes=codes).tolist() == [0, 1, -1, -1]
    assert task.classify_array(np.empty((0, 3), dtype=int), codes=codes).tolist() == []
    with pytest.raises(BadValue, match="no integer is given for the regular token 'S'"):
        task.classify_array(rows)
    with pytest.raises(BadValue, match="same code"):
        task.classify_array(rows, codes={"S": 3, "T": 3})
    with pytest.raises(BadShape):
        task.classify_array([[1, 2]], codes=codes)
    with pytest.raises(BadShape):
        task.classify_array([[1, 2], [3]], codes=codes)
    for bad in ([[1.0, 2.0, 3.0]], [["a", "b", "c"]], "abc", None, [[True, False, True]]):
        with pytest.raises((BadType, BadShape)):
            task.classify_array(bad, codes=codes)
    with pytest.raises(BadType):
        task.classify_array(rows, codes=[1, 2])


def brute_diversity(task, outcomes):
    """Definition 4.2, by walking through all maps: outcomes(template) gives (map, probability)."""
    best = None
    for template in task.templates:
        chance = Counter()
        for s, p in outcomes(template):
            for token in {s[w] for w in template.wildcards}:
                chance[token] += p
        for p in chance.values():
            best = 1 / p if best is None else min(best, 1 / p)
    return math.inf if best is None else best


@settings(max_examples=60, deadline=None)
@given(sts.tasks(max_length=3, max_size=3, tokens="AB"), st.integers(5, 6))
def test_uniform_diversity_against_brute_force(task, m):
    alphabet = "ABCDEF"[:m]
    task = Task(task.templates, substitution=alphabet, wildcards="")

    def outcomes(template):
        images = [
            image
            for image in permutations(alphabet, len(template.wildcards))
            if not set(image) & set(template.tokens)
        ]
        maps = [dict(zip(template.wildcards, image, strict=True)) for image in images]
        return [(s, Fraction(1, len(maps))) for s in maps]

    rho = task.diversity()
    assert rho == brute_diversity(task, outcomes)
    # rho <= m / |W| for the template with the most wildcards, with equality without tokens.
    most = max(len(t.wildcards) for t in task.templates)
    if most:
        assert rho <= Fraction(m, most)
        if not task.regular_tokens:
            assert rho == Fraction(m, most)
    else:
        assert rho == math.inf


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(sts.substitutions("αβγ", alphabet=5), st.integers(1, 5)),
        min_size=1,
        max_size=4,
        unique_by=lambda pair: pair[0],
    )
)
def test_finite_diversity_against_brute_force(parts):
    total = sum(n for _, n in parts)
    law = [(s, Fraction(n, total)) for s, n in parts]
    task = Task(list(all_templates(3)), substitution=law)
    assert task.diversity() == brute_diversity(task, lambda _: law)
    image = {token for s, _ in law for token in s.image}
    assert task.diversity() <= Fraction(len(image), 3)


def test_diversity_needs_a_law():
    with pytest.raises(BadValue, match="law of the substitution maps"):
        Task([AA]).diversity()


@settings(max_examples=40, deadline=None)
@given(sts.tasks(max_length=4), st.integers(0, 10**6))
def test_samples_match_their_templates(task, seed):
    train, test = task.sample(30, seed, 9, test=20)
    seen = set().union(*train.strings()) - set(task.regular_tokens)
    unseen = set().union(*test.strings()) - set(task.regular_tokens)
    assert not seen & unseen
    for sample, n in ((train, 30), (test, 20)):
        assert len(sample) == n
        for string, label, index in zip(
            sample.strings(), sample.labels(), sample.indices, strict=True
        ):
            assert oracles.matches(task.templates[index], string)
            assert label == task.labels[index]
        codes = {token: sample.tokens.index(token) for token in task.regular_tokens}
        found = task.classify_array(sample.array, codes=codes)
        assert (found == sample.indices).all()
    again, _ = task.sample(30, seed, 9, test=20)
    assert (again.array == train.array).all()


def test_samples_follow_weights_and_laws():
    task = Task([AA, AB], labels=[1, -1], weights=[Fraction(1, 4), Fraction(3, 4)])
    train, _ = task.sample(40_000, 1, "PQRSTU")
    n = int((train.indices == 0).sum())
    assert abs(n - 10_000) < 5 * (40_000 * 3 / 16) ** 0.5
    pairs = Counter(str(x) for x, i in zip(train.strings(), train.indices, strict=True) if i)
    assert set(pairs) == {"PQ", "PR", "QP", "QR", "RP", "RQ"}
    total = sum(pairs.values())
    assert all(abs(c - total / 6) < 5 * (total * 5 / 36) ** 0.5 for c in pairs.values())
    law = [({"α": "P", "β": "Q"}, Fraction(1, 5)), ({"α": "Q", "β": "X"}, Fraction(4, 5))]
    train, test = Task([AB], labels=["β"], substitution=law).sample(10_000, 2)
    seen = Counter(map(str, train.strings()))
    assert set(seen) == {"PQ", "QX"}
    assert abs(seen["PQ"] - 2000) < 5 * (10_000 * 4 / 25) ** 0.5
    assert not set().union(*test.strings()) & set("PQX")
    assert train.labels() == [x[1] for x in train.strings()]


def string_law(template, alphabet):
    """The uniform law of Definition 3.2, by walking through all injective maps."""
    maps = [
        dict(zip(template.wildcards, image, strict=True))
        for image in permutations(alphabet, len(template.wildcards))
        if not set(image) & {*template.tokens, *template.wildcards}
    ]
    chance = Counter()
    for s in maps:
        chance["".join(s.get(x, x) for x in template.letters)] += Fraction(1, len(maps))
    return chance


UNIFORM = [
    ([AA, AB], "PQR"),
    ([Template("αβγ")], "PQRS"),
    # A regular token of one template may be put for a wildcard of another.
    ([Template("αS"), Template("ββ")], "PQS"),
    ([Template("Sα"), Template("βT")], "PST"),
    ([AB, Template("SS")], "PQS"),
    ([Template("SS")], "P"),
]


@pytest.mark.parametrize(("templates", "alphabet"), UNIFORM)
def test_samples_use_the_whole_law_of_the_task(templates, alphabet):
    task = Task(templates, substitution=alphabet, allow_overlap=True, wildcards="")
    train, test = task.sample(6000, 5)
    fresh = set().union(*test.strings()) - set(task.regular_tokens)
    assert not fresh & {*alphabet, *(x for t in templates for x in t.letters)}
    for index, template in enumerate(templates):
        law = string_law(template, alphabet)
        drawn = [str(x) for x, i in zip(train.strings(), train.indices, strict=True) if i == index]
        seen, total = Counter(drawn), len(drawn)
        assert set(seen) == set(law)
        for string, chance in law.items():
            spread = (total * chance * (1 - chance)) ** 0.5
            assert abs(seen[string] - total * chance) <= 5 * spread
    # The diversity of Definition 4.2, from the same law of strings.
    likely = max(
        sum(p for string, p in string_law(t, alphabet).items() if token in
            [x for x, letter in zip(string, t.letters, strict=True) if letter in t.wildcards])
        for t in templates for token in alphabet
    )  # fmt: skip
    assert task.diversity() == (1 / likely if likely else math.inf)


class EveryDraw:
    """A generator whose n draws go through all of them: the first column changes slowest."""

    def __init__(self, sizes):
        self.columns = iter(np.array(list(product(*map(range, sizes)))).T)

    def integers(self, top, size):
        column = next(self.columns).copy()
        assert (len(column), set(column.tolist())) == (size, set(range(top)))
        return column


@pytest.mark.parametrize(("wildcards", "codes"), [(1, [7]), (2, [4, 0, 9]), (3, [5, 2, 1, 8])])
def test_every_injection_is_drawn_as_often(wildcards, codes):
    """Exactly: over all that the generator may say, not over what it said once."""
    from symbench.words.sample import _injections

    sizes = [len(codes) - k for k in range(wildcards)]
    drawn = _injections(wildcards, np.array(codes), math.prod(sizes), EveryDraw(sizes))
    assert sorted(map(tuple, drawn.tolist())) == sorted(permutations(codes, wildcards))


def test_label_noise():
    task = Task([AA, AB], labels=[1, -1])
    train, test = task.sample(20_000, 4, 10, noise=Fraction(1, 2))
    assert (train.exactness, test.exactness) == ("float", "exact")
    clean = np.array([float(task.labels[i]) for i in train.indices])
    noise = np.array(train.labels()) - clean
    assert abs(noise.mean()) < 5 * 0.5 / 20_000**0.5
    assert abs(noise.std() - 0.5) < 0.02
    assert set(test.labels()) == {1, -1}
    with pytest.raises(BadValue, match="real labels"):
        Task([AB], labels=["α"]).sample(2, 0, 8, noise=1)
    with pytest.raises(BadValue, match="at least 0"):
        task.sample(2, 0, 8, noise=-1)
    with pytest.raises(BadValue, match="at least 0"):
        task.sample(2, 0, 8, noise=float("nan"))
    assert task.sample(2, 0, 8, noise="1/2")[0].exactness == "float"
    with pytest.raises(BadType):
        task.sample(2, 0, 8, noise=None)


def test_bad_samples():
    task = Task([AB, AA], labels=[1, -1])
    with pytest.raises(BadValue, match="give at least 4"):
        task.sample(2, 0, "PQR")
    with pytest.raises(BadValue, match="no alphabet"):
        task.sample(2, 0)
    with pytest.raises(BadValue, match="a letter of the templates"):
        Task([Template("αS")]).sample(2, 0, "PQRS")
    with pytest.raises(BadValue, match="no labels"):
        Task([AB]).sample(2, 0, 8)[0].labels()
    for bad in (None, 1.5, True, "3"):
        with pytest.raises(BadType):
            task.sample(bad, 0, 8)
    for bad in (None, 1.5, True, "3"):
        with pytest.raises(BadType):
            task.sample(2, bad, 8)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": {"real": ["0.5", "1"]}},
        {"labels": {"real": ["1"]}},
        {"labels": {"real": [1, 2]}},
        {"labels": {"float": ["1", "2"]}},
        {"labels": ["1", "2"]},
        {"labels": {"symbolic": ["γ", "α"]}},
        {"weights": ["1/0", "1"]},
        {"weights": ["1", "1"]},
        {"weights": "11"},
        {"templates": []},
        {"templates": [{"letters": ["α"], "wildcards": ["α"]}] * 2},
        {"substitution": {"uniform": "PQ"}},
        {"substitution": {"finite": [["α", "1"]]}},
        {"substitution": {"finite": [[{"α": "P", "β": "Q"}, 1]]}},
        {"allow_overlap": "no"},
        {"extra": 1},
    ],
)
def test_bad_stored_tasks(change):
    data = Task([AA, AB], labels=[1, -1]).to_json() | change
    with pytest.raises((BadType, BadValue)):
        Task.from_json(data)
    with pytest.raises(BadValue):
        Task.from_json(None)


def test_symbolic_labels_are_substituted():
    task = tasks.raven()
    for template, label in zip(task.templates, task.labels, strict=True):
        s = template.fresh()
        assert task.classify(template.substitute(s)).label == s[label]
    token = Task([Template("αS"), Template("αT")], labels=["T", "α"])
    assert token.classify("PS").label == "T"
    assert token.classify("PT").label == "P"


@pytest.mark.parametrize(
    ("old", "new"), [("UniformLaw", UniformSubstitutions), ("FiniteLaw", FiniteSubstitutions)]
)
def test_former_names_of_the_laws(old, new):
    with pytest.warns(DeprecationWarning, match=new.__name__):
        assert getattr(symbench.words, old) is new


def test_plain_strings_and_mappings():
    task = Task([AA, AB], labels=[1, -1])
    assert Task({"αα": 1, "αβ": -1}) == task == Task(["αα", AB], labels=[1, -1])
    named = Task({"xx": 1, "xy": -1}, wildcards="xy")
    assert [t.canonical for t in named.templates] == [t.canonical for t in task.templates]
    assert str(named).splitlines() == ["xx -> 1", "xy -> -1", "wildcards: x, y"]
    assert eval(repr(named)) == named
    with pytest.raises(BadValue, match="given twice"):
        Task({"αα": 1}, labels=[1])


def test_a_task_without_wildcards_is_asked_for():
    with pytest.raises(BadValue, match="xx, xy have no wildcards"):
        Task([Template("xx"), Template("xy")])
    for names in ("z", ["z"], iter("z")):  # none of them occurs
        with pytest.raises(BadValue, match="xx, xy have no wildcards"):
            Task(["xx", "xy"], wildcards=names)
    assert Task(["xx", "xy"], wildcards=iter("xyz")).wildcards == ("x", "y")
    fixed = Task(["xx", "xy"], wildcards="")
    assert fixed.classify("xx").template == Template("xx")
    assert eval(repr(fixed)) == fixed


@pytest.mark.parametrize("letters", ["ΑA", "BΒ", "οo"])
def test_letters_that_look_alike(letters):
    with pytest.raises(BadValue, match="looks like"):
        Template(letters)
    with pytest.raises(BadValue, match="looks like"):
        Task(list(letters))


def test_names_of_classes(tmp_path):
    task = Task([AA, AB], labels=["ok", "not so good_1"])
    assert (task.classes, task.numbers) == (("ok", "not so good_1"), (1, -1))
    assert not task.is_symbolic
    assert str(task) == "αα -> ok\nαβ -> not so good_1"
    assert r"\text{not so good\_1}" in task.latex()
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task
    assert eval(repr(task), {"Task": Task, "Template": Template}) == task
    assert task.classify("QQ").label == "ok"
    assert task != Task([AA, AB], labels=[1, -1])
    # A word that is a letter of the task is that letter, and numbers in strings are numbers.
    assert Task([AA, AB], labels=["α", "α"]).is_symbolic
    assert Task([AA, AB], labels=["1/2", "-0.5"]).labels == (Fraction(1, 2), Fraction(-1, 2))
    assert Task([AA, AB], labels=["1/2", "half"]).classes == ("1/2", "half")
    for bad, words in (
        (["ok", "ok"], "at least two classes"),
        (["ok", "α"], "neither one of its wildcards"),
        (["ok", "γ"], "neither one of its wildcards"),
        (["ok", " "], "names no class"),
        (["ok", "a\nb"], "names no class"),
    ):
        with pytest.raises(BadValue, match=words):
            Task([AA, AB], labels=bad)
    with pytest.raises(BadType, match="a label is 1"):
        Task([AA, AB], labels=["ok", 1])
    with pytest.raises(BadValue, match="are no classes"):
        Task([AA, AB], labels=[1, -1]).one_vs_rest("ok")
    with pytest.raises(UnknownName, match="give one of ok, not so good_1"):
        task.one_vs_rest("bad")
    stored = task.to_json()
    stored["labels"] = {"symbolic": ["ok", "bad"]}
    with pytest.raises(BadValue, match="are classes"):
        Task.from_json(stored)
