from collections import Counter
from itertools import combinations

import pytest

from symbench.errors import BadType, BadValue, TooLarge, Undecided, UnknownName
from symbench.words import Task, Template, common_string, count_templates, tasks


@pytest.mark.parametrize("name", list(tasks.catalogue))
def test_every_entry_is_what_it_says(name):
    entry = tasks.catalogue[name]
    task = entry.task()
    assert entry.name == name
    assert len(task) == entry.templates
    assert task.length == entry.length
    assert entry.labels == ("symbolic" if task.is_symbolic else "real")
    assert entry.source
    assert entry.statement.endswith((".", "?"))
    assert entry.latex().count(r"\mapsto") == len(task)
    assert eval(repr(task)) == task
    for t, u in combinations(task.templates, 2):
        assert common_string(t, u) is None
        assert not t.is_equivalent(u)
    for template, label in zip(task.templates, task.labels, strict=True):
        s = template.fresh()
        answer = task.classify(template.substitute(s))
        assert answer.template == template
        assert answer.label == (s.get(label, label) if task.is_symbolic else label)


def test_the_catalogue_names_every_builder():
    import inspect

    builders = {
        name
        for name, value in vars(tasks).items()
        if inspect.isfunction(value)
        and value.__module__ == tasks.__name__
        and not name.startswith("_")
    }
    assert builders | {"raven_41"} == set(tasks.catalogue)


def test_distribution_of_three():
    task = tasks.distribution_of_three()
    assert len(task) == 144
    assert Counter(task.labels) == {1: 36, 2: 36, 3: 36, 4: 36}
    for template, label in zip(task.templates, task.labels, strict=True):
        row, shown, options = template.letters[:3], template.letters[3:5], template.letters[5:]
        assert row == tuple("αβγ")
        (missing,) = set(row) - set(shown)
        assert options[int(label) - 1] == missing
        assert sorted(options) == list("αβγδ")


def test_relational_match_to_sample():
    task = tasks.relational_match_to_sample()
    assert Counter(task.labels) == {1: 20, 2: 20}
    for template, label in zip(task.templates, task.labels, strict=True):
        rows = [template.letters[i : i + 3] for i in (0, 3, 6)]
        patterns = [Template(row).pattern for row in rows]
        assert patterns[int(label)] == patterns[0]
        assert patterns[3 - int(label)] != patterns[0]
        for one, other in combinations(rows, 2):
            assert not set(one) & set(other)


def test_raven():
    for distinct, number in ((True, 37), (False, 41)):
        task = tasks.raven(distinct_rows=distinct)
        assert len(task) == number
        constant = 0
        for template, label in zip(task.templates, task.labels, strict=True):
            full = (*template.letters, label)
            rows = [full[i : i + 3] for i in (0, 3, 6)]
            if all(len(set(row)) == 1 for row in rows):
                constant += 1
                assert not distinct or len({row[0] for row in rows}) == 3
            else:
                assert all(sorted(row) == list("αβγ") for row in rows)
        assert constant == number - 36
    assert set(tasks.raven().templates) < set(tasks.raven(distinct_rows=False).templates)


@pytest.mark.parametrize("length", [2, 3, 4, 5, 6])
def test_majority_and_its_tie_rule(length):
    task = tasks.majority(length)
    assert len(task) == 2 ** (length - 1)
    for template, label in zip(task.templates, task.labels, strict=True):
        rest = template.letters[1:]
        assert template.letters[0] == "α"
        assert label == (1 if rest.count("α") > rest.count("β") else -1)
    every = tasks.majority_all_patterns(length)
    assert len(every) == count_templates(length)
    for template, label in zip(every.templates, every.labels, strict=True):
        first = template.letters[0]
        others = sum(letter != first for letter in template.letters)
        assert label == (1 if template.letters.count(first) > others else -1)


def test_the_two_majorities_differ():
    # One alpha of two in the rest is a tie; two of three positions are a majority.
    one, two = tasks.majority(3), tasks.majority_all_patterns(3)
    assert one.classify("PPQ").label == -1
    assert two.classify("PPQ").label == 1
    assert {str(t) for t, y in zip(two.templates, two.labels, strict=True) if y == 1} == {
        "ααα",
        "ααβ",
        "αβα",
    }


@pytest.mark.parametrize("length", [1, 3, 5, 7])
def test_symbolic_majority(length):
    task = tasks.symbolic_majority(length)
    assert len(task) == 2 ** (length - 1)
    for template, label in zip(task.templates, task.labels, strict=True):
        assert 2 * template.letters.count(label) > length
    paper = {Template(t).canonical for t in ("ααα", "ααβ", "αβα", "βαα")}
    assert set(tasks.symbolic_majority(3).templates) == paper


def words(text):
    return text.split()


def test_programs_and_problems():
    task = tasks.two_programs()
    assert task.classify(words("x = 1 ; y = -1 ; print ( y )")).label == -1
    task = tasks.two_programs_symbolic()
    assert task.classify(words('x = " p " ; y = " q " ; print ( y )')).label == "q"
    string = words("If Ann gives Bob 5 pears , how many pears does Bob have ?")
    assert tasks.word_problem().classify(string).label == 5
    string[4] = "seven"
    assert not tasks.word_problem().classify(string)
    assert tasks.word_problem_symbolic().classify(string).label == "seven"
    assert tasks.print_symbol().classify(["print", "(", '"', "Z", '"', ")"]).label == "Z"
    assert tasks.copy().classify("Z").label == "Z"


def test_random_tasks():
    task = tasks.random_task(5, size=12, seed=9, tokens="AB")
    assert isinstance(task, Task)
    assert len(task) == 12
    assert task == tasks.random_task(5, size=12, seed=9, tokens="AB")
    assert len({tasks.random_task(5, size=3, seed=s, tokens=2) for s in range(20)}) > 15
    with pytest.raises(BadValue, match="at most 5"):
        tasks.random_task(3, size=6, seed=0)
    with pytest.raises(Undecided, match="pairwise disjoint"):
        tasks.random_task(1, size=3, seed=0, tokens="AB")
    with pytest.raises(BadType):
        tasks.random_task(3, size=2, seed=None)


def test_bad_input():
    with pytest.raises(UnknownName, match="near: raven"):
        tasks.catalogue["ravn"]
    with pytest.raises(UnknownName, match="there are: same_different"):
        tasks.catalogue[None]
    with pytest.raises(TooLarge, match="ask for at most 10"):
        tasks.majority_all_patterns(20)
    with pytest.raises(TooLarge, match="length is 30"):
        tasks.majority(30)
    with pytest.raises(BadValue, match="odd length"):
        tasks.symbolic_majority(4)
    with pytest.raises(BadValue):
        tasks.majority(1)
    with pytest.raises(BadType):
        tasks.raven(distinct_rows=None)
    with pytest.raises(BadType):
        tasks.word_problem(numbers=5)
    for bad in (None, 2.0, True, "3"):
        for build in (tasks.majority, tasks.majority_all_patterns, tasks.symbolic_majority):
            with pytest.raises(BadType):
                build(bad)


def test_a_task_that_is_not_there():
    with pytest.raises(AttributeError, match="did you mean same_different"):
        _ = tasks.same_diferent
    with pytest.raises(AttributeError, match="there are same_different, "):
        _ = tasks.nope
