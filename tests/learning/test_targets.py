"""Targets against their definitions, word by word."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.learning.orbit_average import orbit_average
from symbench.learning.targets import (
    BitPolynomial,
    WeightFunction,
    WordFunction,
    conjunction,
    from_function,
    from_task,
    majority,
    of_weight,
    parity,
    polynomial,
    truth_table,
)
from symbench.words import Task, Template

numbers = st.fractions(min_value=-3, max_value=3, max_denominator=5)


@pytest.mark.parametrize("bits", range(6))
def test_the_named_functions(bits):
    for word in product((0, 1), repeat=bits + 1):
        read = word[:bits]
        sign = 1
        for bit in read:
            sign *= 1 - 2 * bit
        assert parity(bits).value(word) == sign
        assert conjunction(bits).value(word) == int(all(read))
        if bits % 2:
            more = read.count(1) > read.count(0)
            assert majority(bits).value(word) == (1 if more else -1)


@settings(max_examples=40)
@given(st.integers(0, 4).flatmap(lambda n: st.lists(numbers, min_size=2**n, max_size=2**n)))
def test_a_truth_table_has_its_values(values):
    target = truth_table(values)
    bits = len(values).bit_length() - 1
    for word, value in zip(product((0, 1), repeat=bits), values, strict=True):
        assert target.value(word) == value
    assert eval(repr(target)) == target
    assert pickle.loads(pickle.dumps(target)) == target
    assert hash(eval(repr(target))) == hash(target)


@given(st.dictionaries(st.sets(st.integers(1, 5)).map(lambda s: tuple(sorted(s))), numbers))
def test_a_polynomial_is_its_terms(terms):
    target = polynomial(terms)
    for word in product((0, 1), repeat=5):
        signs = [None, *(1 - 2 * b for b in word)]
        total = Fraction(0)
        for places, c in terms.items():
            value = c
            for a in places:
                value *= signs[a]
            total += value
        assert target.value(word) == total


def test_functions_of_words():
    target = from_function(lambda w: 10 * w[0] + w[1], variables=2, vocabulary=3)
    assert isinstance(target, WordFunction)
    assert [target.value(w) for w in product(range(3), repeat=2)] == [
        10 * a + b for a in range(3) for b in range(3)
    ]
    assert target.value((2, 1, 0, 0)) == 21
    assert eval(repr(target)) == target
    assert isinstance(from_function(lambda w: w[0], variables=1), BitPolynomial)
    assert of_weight([1, "1/2"]) == WeightFunction([1, Fraction(1, 2)])


def test_degree_and_variables():
    assert polynomial({}).variables == polynomial({(): 3}).degree == 0
    assert polynomial({(2, 5): 1, (3,): 1}).variables == 5
    assert polynomial({(1,): 0}) == polynomial({})


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: parity(None), BadType),
        (lambda: parity(1.0), NotExact),
        (lambda: parity(True), BadType),
        (lambda: parity(-1), BadValue),
        (lambda: parity(10**9), TooLarge),
        (lambda: conjunction("3"), BadType),
        (lambda: majority(4), BadValue),
        (lambda: of_weight([]), BadShape),
        (lambda: of_weight([0.5]), NotExact),
        (lambda: of_weight(None), BadType),
        (lambda: of_weight("01"), BadType),
        (lambda: polynomial([1, 2]), BadType),
        (lambda: polynomial({1: 1}), BadType),
        (lambda: polynomial({(0,): 1}), BadValue),
        (lambda: polynomial({(1, 1): 1}), BadValue),
        (lambda: polynomial({(1, 2): 1, (2, 1): 1}), BadValue),
        (lambda: polynomial({(1,): 0.5}), NotExact),
        (lambda: truth_table([1, 2, 3]), BadShape),
        (lambda: truth_table(None), BadType),
        (lambda: WordFunction([1, 2], vocabulary=1), BadValue),
        (lambda: from_function(3, variables=1), BadType),
        (lambda: from_function(lambda w: w[5], variables=2), BadValue),
        (lambda: from_function(lambda w: None, variables=1), BadType),
        (lambda: from_function(lambda w: 0, variables=40), TooLarge),
        (lambda: from_function(lambda w: 0, variables=3, vocabulary=10**6), TooLarge),
        (lambda: parity(3).value((0, 1)), BadShape),
        (lambda: parity(1).value((2,)), BadValue),
        (lambda: parity(1).value(None), BadType),
        (lambda: parity(1).value((0.0,)), NotExact),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


# --- labels of tasks ----------------------------------------------------------------------------
TASKS = [
    (Task([Template("αα"), Template("αβ")], labels=[1, -1]), {}),
    (Task([Template("αβα"), Template("ααβ")], labels=[Fraction(1, 2), 3]), {}),
    (Task([Template("αSβ"), Template("TαS")], labels=[2, 5]), {"S": 1, "T": 0}),
    (Task([Template("SαS"), Template("αSα"), Template("STT")], labels=[1, 2, 4]), {"S": 2, "T": 1}),
]


@pytest.mark.parametrize(("task", "codes"), TASKS)
@pytest.mark.parametrize("vocabulary", [2, 3, 4])
def test_a_task_has_its_labels(task, codes, vocabulary):
    """Each word is spelled in letters and matched by hand: injective maps off regular tokens."""
    if any(code >= vocabulary for code in codes.values()):
        with pytest.raises(BadValue):
            from_task(task, vocabulary=vocabulary, tokens=codes)
        return
    target = from_task(task, vocabulary=vocabulary, tokens=codes, default="7/3")
    for word in product(range(vocabulary), repeat=task.length):
        found = Fraction(7, 3)
        for template, label in zip(task.templates, task.labels, strict=True):
            wild = {c: t for c, t in zip(template.letters, word, strict=True) if c not in codes}
            image = [wild.get(c, codes.get(c)) for c in template.letters]
            injective = len(set(wild.values())) == len(wild)
            used = {codes[c] for c in template.letters if c in codes}
            if image == list(word) and injective and not used & set(wild.values()):
                found = label
        assert target.value(word) == found


def test_a_task_of_bits_is_a_polynomial():
    task = Task([Template("αα"), Template("αβ")], labels=[1, -1])
    assert from_task(task, vocabulary=2) == polynomial({(1, 2): 1})
    assert from_task(task, vocabulary=5).vocabulary == 5
    assert orbit_average(from_task(task, vocabulary=2), length=6).rank == 15


ONE = Task([Template("αα")], labels=[1])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: from_task(None, vocabulary=3), BadType),
        (lambda: from_task([Template("α")], vocabulary=3), BadType),
        (lambda: from_task(ONE, vocabulary=None), BadType),
        (lambda: from_task(ONE, vocabulary=3.0), NotExact),
        (lambda: from_task(ONE, vocabulary=1), BadValue),
        (lambda: from_task(ONE, vocabulary=3, default=0.5), NotExact),
        (lambda: from_task(ONE, vocabulary=3, default=None), BadType),
        (lambda: from_task(ONE, vocabulary=3, tokens={"S": 0}), BadValue),
        (lambda: from_task(ONE, vocabulary=3, tokens=3), BadType),
        (lambda: from_task(ONE, vocabulary=10**6), TooLarge),
        (lambda: from_task(Task([Template("α")]), vocabulary=3), BadValue),
        (lambda: from_task(Task([Template("α")], labels=["α"]), vocabulary=3), BadValue),
        (lambda: from_task(TASKS[2][0], vocabulary=3), BadValue),
        (lambda: from_task(TASKS[2][0], vocabulary=3, tokens={"S": 0, "T": 0}), BadValue),
        (lambda: from_task(TASKS[2][0], vocabulary=3, tokens={"S": 0, "T": 0.5}), NotExact),
        (lambda: from_task(TASKS[2][0], vocabulary=3, tokens={"S": 0, 1: 1}), BadValue),
        (
            lambda: from_task(
                Task([Template("αS"), Template("αβ")], labels=[1, 2], allow_overlap=True),
                vocabulary=3,
                tokens={"S": 0},
            ),
            BadValue,
        ),
    ],
)
def test_bad_tasks(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SymbenchError)


def test_the_word_that_matches_twice_is_named():
    task = Task([Template("αS"), Template("αβ")], labels=[1, 2], allow_overlap=True)
    with pytest.raises(BadValue, match=r"\(1, 0\)"):
        from_task(task, vocabulary=3, tokens={"S": 0})
