"""Null spaces of template matrices, and entries of many words at once."""

import time

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import decide, errors
from symbench.kernels import (
    Diagram,
    attention,
    from_function,
    generic,
    inner_product,
    linear_attention,
    tangent,
)
from symbench.ktau import null_space, template_matrix
from symbench.words.letters import pattern_of

T = sb.Template

GROUPED = [
    inner_product(),
    inner_product([3, 3, 1, 0]),
    inner_product(incidence=True),
    inner_product(lambda n: n * n, incidence=True),
    linear_attention("1/2", "2/3"),
    linear_attention(readout="flatten", layers=2),
    linear_attention(1, 1, readout="last"),
    tangent(linear_attention(1, 2, readout="last")),
]

words = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=4)


@pytest.mark.parametrize("kernel", GROUPED, ids=repr)
@settings(max_examples=20)
@given(left=words, right=words)
def test_grouped_values_are_those_on_diagrams(kernel, left, right):
    numbers, values = kernel.grouped(np.array(left), np.array(right))
    assert numbers.shape == (len(left), len(right))
    assert set(values) == set(numbers.ravel().tolist())
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            assert values[int(numbers[i, j])] == kernel.on_diagram(Diagram.from_codes(x + y))


def test_grouped_where_there_is_none():
    some = np.array([[0, 1]])
    assert linear_attention(1, 1, causal=True).grouped(some, some) is None
    for kernel in (inner_product(), linear_attention(1, 1)):
        with pytest.raises(errors.BadShape):
            kernel.grouped(some, np.array([[0]]))
        with pytest.raises(errors.BadType):
            kernel.grouped([[0, 1]], some)


templates = st.text("ABαβγ", min_size=3, max_size=3).map(T)


@pytest.mark.parametrize(
    "kernel", [*GROUPED, generic(), attention(order=2), linear_attention(causal=True)], ids=repr
)
@settings(max_examples=15)
@given(some=st.lists(templates, min_size=1, max_size=4))
def test_entries_are_those_on_diagrams(kernel, some):
    matrix = template_matrix(some, kernel, cls=False)
    wanted = [[kernel.on_diagram(Diagram.of_templates(z, w)) for w in some] for z in some]
    assert matrix.matrix == sb.Matrix(wanted, matrix.matrix.ring)


def test_a_letter_may_be_a_token_and_a_wildcard():
    some = [T("ab", wildcards="a"), T("ab", wildcards="b"), T("ba", wildcards="a")]
    space = null_space(template_matrix(some, inner_product([0, 1, 2])))
    assert [[int(x) for x in row] for row in space.matrix.matrix.rows] == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ]
    assert space.is_zero is True
    assert space.rank == 3
    assert space.vectors == ()


@settings(max_examples=40)
@given(st.lists(templates, min_size=1, max_size=5), st.sampled_from(GROUPED[:6]))
def test_null_spaces(some, kernel):
    matrix = template_matrix(some, kernel)
    space = null_space(matrix)
    assert space.rank == matrix.matrix.rank()
    assert len(space.vectors) == len(some) - space.rank
    assert space.is_zero == (space.rank == len(some))
    rows = matrix.matrix.rows
    for members in space.classes:
        assert all(rows[i] == rows[members[0]] for i in members)
    assert len({str(rows[members[0]]) for members in space.classes}) == len(space.classes)
    assert sorted(i for members in space.classes for i in members) == list(range(len(some)))
    for vector in space.vectors:
        assert space.certificate(vector).check()
    assert space.proof.check()


def test_no_null_vector():
    space = null_space(template_matrix([T("αα"), T("αβ")], inner_product()))
    with pytest.raises(errors.Undecided, match="no null vector"):
        space.certificate((1, 0))
    with pytest.raises(errors.BadType, match="the matrix is None"):
        null_space(None)


def test_what_is_not_known():
    kernel = from_function(lambda x, y: 1.0, exactness="float")
    space = null_space(template_matrix([T("αα"), T("αβ")], kernel))
    assert space.is_zero is space.rank is space.relations is space.proof is None
    assert "floats" in space.reason
    assert "rank not known" in repr(space)
    # Equivalent templates are confused by every kernel.
    space = null_space(template_matrix([T("αβ"), T("βα")], kernel))
    assert space.is_zero is False
    assert space.confused == ((T("αβ"), T("βα")),)
    # Series that are equal to some order need not be equal.
    space = null_space(template_matrix([T("αβA"), T("Aαβ")], attention(weights="linear", order=0)))
    assert space.is_zero is None
    assert "order" in space.reason


# --- limits of time ------------------------------------------------------------------------------
def test_the_time_of_the_entries_counts(monkeypatch):
    """On either side of the limit, by a clock that goes on by a second for each entry asked for."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def slow(x, y):
        now[0] += 0.5  # it is asked twice
        return sum(a == b for a in x for b in y)

    matrix = template_matrix(
        [T("αα"), T("αβ"), T("ββ"), T("αA"), T("Aα"), T("AB")], from_function(slow)
    )
    whole = null_space(matrix)
    needed, asked = now[0], []

    def decided(matrix, *, question, timeout):
        asked.append(timeout)
        return decide.certify(matrix, question=question)

    monkeypatch.setattr(sb.ktau.matrix, "certify", decided)
    found = null_space(attrs.evolve(matrix), timeout=needed + 1)
    assert (found.classes, found.relations) == (whole.classes, whole.relations)
    # The search has the rest of the time: its entries are there.
    assert asked
    assert set(asked) == {1}
    now[0] = 0.0
    late = null_space(attrs.evolve(matrix), timeout=needed - 1)
    assert now[0] <= needed
    # What every kernel confuses is still known: two of the templates are the same.
    assert late.classes == ((0, 2), (1,), (3,), (4,), (5,))
    assert (late.rank, late.relations) == (None, None)
    assert late.reason == f"out of time after {needed - 1:g} s"


def test_a_kernel_that_was_not_asked_in_time_is_not_judged():
    """learnable() with a limit that is over at once asks only for one entry."""
    asked = []

    def slow(x, y):
        asked.append((x, y))
        return 1

    answer = sb.learnable([T("αα"), T("αβ"), T("αA")], from_function(slow), timeout=1e-9)
    assert (answer.status, answer.certificate, len(asked)) == ("undecided", None, 0)
    assert "out of time" in answer.explain()


def test_the_part_of_a_matrix_has_its_entries():
    task = [T("αα"), T("αβ"), T("αA"), T("AB")]
    asked = []

    def kernel(x, y):
        asked.append((x, y))
        return sum(a == b for a in x for b in y)

    whole = template_matrix(task, from_function(kernel))
    fresh = whole.part([2, 0]).matrix.rows
    assert not whole.is_listed
    before = whole.matrix.rows and len(asked)
    part = whole.part([2, 0])
    assert part.matrix.rows == fresh == whole.matrix.submatrix([2, 0], [2, 0]).rows
    assert len(asked) == before


def test_a_limit_of_time_after_the_entries_have_been_seen():
    """Entries that are polynomials cannot be sent to another process: the kernel goes instead."""
    matrix = template_matrix([T("αα"), T("αβ"), T("αA")], generic())
    before = matrix.certify(question="rank", timeout=60).kind
    assert matrix.matrix.ring.variables
    assert matrix.certify(question="rank", timeout=60).kind == before
    lam = template_matrix([T("αα"), T("αA")], from_function(lambda x, y: len(set(x) & set(y))))
    assert lam.matrix.rows == ((0, 0), (0, 1))
    assert lam.certify(timeout=60).kind == "singular"


WORDS = st.lists(st.integers(0, 5), min_size=4, max_size=4)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=4))
def test_patterns_are_those_of_diagrams(word, others):
    found = sb.ktau.matrix._patterns(np.array(word), np.array(others))
    assert found.tolist() == [list(pattern_of((*word, *other))) for other in others]
