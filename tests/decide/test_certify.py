"""certify itself: its arguments, and limits that hold inside FLINT."""

import random

import pytest

from symbench.certificates import Nonsingular, PositiveDefinite
from symbench.decide import certify
from symbench.decide.limits import Workers, megabytes, seconds
from symbench.errors import BadType, BadValue, NotExact, NotSupported, Undecided, UnknownName
from symbench.exact import Matrix


def long_question():
    """Seconds for the null vectors of a product: their entries have thousands of digits."""
    stream = random.Random(0)
    left = [[stream.randrange(10**9) for _ in range(395)] for _ in range(400)]
    right = [[stream.randrange(10**9) for _ in range(400)] for _ in range(395)]
    return Matrix(left) @ Matrix(right)


def test_a_time_limit_is_kept_twice_in_a_row():
    M = long_question()
    for _ in range(2):
        with pytest.raises(Undecided, match="out of time"):
            certify(M, question="rank", timeout=0.5)


def test_with_time_enough_the_answer_is_the_same():
    M = Matrix([[2, 1], [1, 2]])
    for question, kind in (("nonsingular", Nonsingular), ("positive-definite", PositiveDefinite)):
        limited = certify(M, question=question, timeout=60)
        assert isinstance(limited, kind)
        assert limited == certify(M, question=question)
        assert limited.subject == M
        assert limited.check()


def test_what_cannot_be_sent_to_a_process_is_said():
    with Workers() as workers, pytest.raises(NotSupported, match="at the top of a file"):
        workers.run(lambda: 1, timeout=60)


def test_errors_come_through_the_process():
    with pytest.raises(UnknownName):
        certify([[1]], question="beauty", timeout=60)
    with pytest.raises(BadValue, match="not symmetric"):
        certify([[1, 2], [3, 4]], question="positive-definite", timeout=60)


@pytest.mark.parametrize("question", [None, 5, [], {}, "", "Rank", ("rank",)], ids=repr)
def test_questions_that_are_none(question):
    with pytest.raises(UnknownName):
        certify([[1]], question=question)


@pytest.mark.parametrize("timeout", ["1", [], True, None.__class__], ids=repr)
def test_time_limits_of_the_wrong_type(timeout):
    with pytest.raises(BadType):
        certify([[1]], timeout=timeout)


@pytest.mark.parametrize("timeout", [0, -1, 0.0, float("nan"), float("-inf")], ids=repr)
def test_time_limits_of_the_wrong_value(timeout):
    with pytest.raises(BadValue):
        certify([[1]], timeout=timeout)


def test_limits():
    assert seconds(None) is None
    assert seconds(2) == 2.0
    assert 0 < seconds(10**5000) < float("inf")
    assert 0 < seconds(float("inf")) < float("inf")
    assert megabytes(None) is None
    for bad, error in ((0, BadValue), (1.5, NotExact), ("1", BadType), (True, BadType)):
        with pytest.raises(error):
            megabytes(bad)


@pytest.mark.parametrize("matrix", [None, 5, "x", [[0.5]], [[None]], ...], ids=repr)
def test_what_is_no_matrix(matrix):
    with pytest.raises((BadType, NotExact)):
        certify(matrix)


def test_a_worker_that_dies_or_fills_the_memory_is_undecided():
    import os

    with Workers() as workers:
        with pytest.raises(Undecided, match="died"):
            workers.run(os._exit, 3)
        assert workers.run(pow, 2, 10) == 1024
    with Workers(memory=600) as workers, pytest.raises(Undecided):
        workers.run(bytes, 10**10)
