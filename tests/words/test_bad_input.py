"""Any argument replaced by nonsense gives an answer or an error of symbench, never a raw one."""

from contextlib import suppress

import pytest

from symbench import strategies as sts
from symbench.errors import SymbenchError, TooLarge
from symbench.words import (
    FiniteSubstitutions,
    Substitution,
    Substitutions,
    Task,
    Template,
    Templates,
    UniformSubstitutions,
    Word,
    all_tasks,
    all_templates,
    common_string,
    count_tasks,
    count_templates,
    disjointness_graph,
    disjointness_svg,
    disjointness_table,
    maximal_tasks,
    overlaps,
    tasks,
)

T, U = Template("αα"), Template("αβ")
TASK = Task([T, U], labels=[1, -1], substitution="PQRS")
MAPS = Substitutions("αβ", "PQR")
FAMILY = Templates(3, tokens="A")

# Each: a function, and arguments with which it works.
CALLS = [
    (Template, ["αα"], {"wildcards": "α"}),
    (Word, ["QQ"], {}),
    (T.matches, ["QQ"], {}),
    (T.explain, ["QQ"], {}),
    (T.is_equivalent, [U], {}),
    (T.is_disjoint, [U], {"alphabet": 3}),
    (T.substitute, [{"α": "Q"}], {}),
    (T.substitutions, ["PQ"], {}),
    (T.fresh, [], {"avoid": "AB"}),
    (Template.from_json, [T.to_json()], {}),
    (Substitution, [{"α": "Q"}], {}),
    (Substitution.from_json, [{"α": "Q"}], {}),
    (Substitution({"α": "Q"}).__getitem__, ["α"], {}),
    (Substitution({"α": "Q"}).compose, [{"Q": "R"}], {}),
    (Substitutions, ["αβ", "PQ"], {}),
    (MAPS.__getitem__, [0], {}),
    (MAPS.rank, [MAPS[0]], {}),
    (MAPS.random, [0], {}),
    (common_string, [T, U], {"alphabet": 3}),
    (lambda *a, **k: list(overlaps(*a, **k)), [[T, U]], {"alphabet": 3}),
    (disjointness_graph, [[T, U]], {"alphabet": 3}),
    (lambda *a, **k: list(maximal_tasks(*a, **k)), [[T, U]], {"alphabet": 3}),
    (disjointness_table, [[T, U]], {}),
    (disjointness_svg, [[T, U]], {}),
    (
        all_templates,
        [3],
        {"tokens": "A", "max_wildcards": 2, "min_block": 1, "block_sizes": [1], "last": "A"},
    ),
    (
        lambda *a, chunk, **k: next(all_templates(*a, **k).arrays(chunk), None),
        [4],
        {"tokens": "A", "chunk": 3, "min_block": 2},
    ),
    (count_templates, [3], {"tokens": 1, "max_wildcards": 2, "min_block": 1}),
    (FAMILY.__getitem__, [0], {}),
    (FAMILY.rank, [FAMILY[0]], {}),
    (FAMILY.random, [0], {}),
    (count_tasks, [2], {"size": 2, "tokens": 1, "labels": 2, "relabel": True}),
    (
        lambda *a, **k: next(all_tasks(*a, **k), None),
        [2],
        {"size": 2, "tokens": 1, "labels": 2, "relabel": True},
    ),
    (
        Task,
        [[T, U]],
        {"labels": [1, 2], "weights": None, "substitution": 5, "allow_overlap": False},
    ),
    (Task.from_json, [TASK.to_json()], {}),
    (TASK.classify, ["PQ"], {}),
    (TASK.classify_array, [[[1, 2]]], {"codes": {}}),
    (TASK.sample, [2, 0, "PQRS"], {"test": 1, "noise": 1}),
    (UniformSubstitutions, ["PQ"], {}),
    (UniformSubstitutions("PQ").check, [T], {}),
    (UniformSubstitutions("PQ").peak, [T], {}),
    (UniformSubstitutions("PQ").probability, ["P", T], {}),
    (FiniteSubstitutions, [[({"α": "P"}, 1)]], {}),
    (FiniteSubstitutions([({"α": "P"}, 1)]).check, [T], {}),
    (FiniteSubstitutions([({"α": "P"}, 1)]).peak, [T], {}),
    (FiniteSubstitutions([({"α": "P"}, 1)]).probability, ["P", T], {}),
    (tasks.majority, [3], {}),
    (tasks.majority_all_patterns, [3], {}),
    (tasks.symbolic_majority, [3], {}),
    (tasks.raven, [], {"distinct_rows": True}),
    (tasks.word_problem, [], {"numbers": [5]}),
    (tasks.random_task, [3], {"size": 2, "seed": 0, "tokens": 1}),
    (tasks.catalogue.__getitem__, ["raven"], {}),
    (
        sts.templates,
        [],
        {"min_length": 1, "max_length": 2, "min_wildcards": 0, "max_wildcards": 2, "tokens": ""},
    ),
    (sts.inequivalent_templates, [], {"min_size": 1, "max_length": 3, "tokens": 1}),
    (sts.inequivalent_templates, [], {"disjoint": True, "min_length": 1}),
    (sts.substitutions, ["α"], {"alphabet": 3}),
    (sts.substitutions, [], {"min_wildcards": 0, "max_wildcards": 3}),
    (sts.strings, [], {"min_length": 0, "max_length": 2, "alphabet": 2}),
    (sts.position_partitions, [], {"min_size": 1, "max_size": 3, "max_blocks": 2}),
    (sts.tasks, [], {"symbolic": False}),
]

NONSENSE = [
    None,
    True,
    0,
    -1,
    10**30,
    10**6000,
    1.5,
    float("nan"),
    1j,
    "",
    "Q",
    "α",
    "µ",
    b"Q",
    [],
    [None],
    [[]],
    ["", "Q"],
    {},
    {"α": 1},
    {1: "Q"},
    {"Q"},
    T,
    [T, T],
    [T, Template("α")],
    Template,
    len,
    object(),
]


@pytest.mark.parametrize(("call", "arguments", "options"), CALLS)
def test_nonsense(call, arguments, options):
    call(*arguments, **options)
    for bad in NONSENSE:
        for place in range(len(arguments)):
            changed = [*arguments[:place], bad, *arguments[place + 1 :]]
            attempt(call, changed, options)
        for name in options:
            attempt(call, arguments, {**options, name: bad})


def attempt(call, arguments, options):
    with suppress(SymbenchError):
        call(*arguments, **options)


def test_too_large_says_how_much_and_what_to_do():
    for ask in (
        lambda: list(all_templates(15)),
        lambda: all_templates(10**9),
        lambda: all_templates(3, tokens=10**9),
        lambda: all_templates(400, min_block=2)[0],
        lambda: next(all_templates(30).arrays(chunk=10**9)),
        lambda: list(Substitutions("αβγδ", 1000)),
        lambda: Substitutions("α", 10**9),
        lambda: count_tasks(12, size=2),
        lambda: count_tasks(5, size=20, labels=20),
        lambda: all_tasks(9, size=2),
        lambda: tasks.majority(100),
        lambda: tasks.majority_all_patterns(50),
        lambda: TASK.sample(10**12, 0, 10),
        lambda: disjointness_svg(all_templates(7)),
    ):
        with pytest.raises(TooLarge, match=r"\d"):
            ask()
