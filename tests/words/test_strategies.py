import subprocess
import sys
from random import Random

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import strategies as sts
from symbench.errors import BadType, BadValue
from symbench.words import Substitution, Task, Template, Word


def find(strategy, condition):
    """Few examples are enough where almost all satisfy the condition."""
    few = settings(max_examples=100, database=None)
    return hypothesis.find(strategy, condition, settings=few, random=Random(0))


def test_shrinks_to_the_smallest():
    assert find(sts.templates(), lambda t: True) == Template("α")
    assert find(sts.templates(min_length=3), lambda t: True) == Template("ααα")
    assert find(sts.templates(), lambda t: len(set(t.letters)) == 3) == Template("αβγ")
    assert find(sts.strings(), lambda x: True) == Word("A")
    assert find(sts.tasks(), lambda t: True) == Task([Template("α")], labels=[0])
    assert find(sts.position_partitions(), lambda p: max(p) == 2) == (0, 1, 2)
    least = find(sts.inequivalent_templates(min_size=3, tokens=""), lambda ts: True)
    assert sorted(map(str, least)) == ["ααα", "ααβ", "αβα"]


def test_from_type():
    sts.register()
    for kind in (Template, Substitution, Task, Word):
        assert isinstance(find(st.from_type(kind), lambda x: True), kind)


@pytest.mark.parametrize("first", ["hypothesis", "symbench.strategies"])
def test_registration_in_either_order_of_import(first):
    program = (
        f"import {first}, symbench.strategies\n"
        "from hypothesis import find, strategies as st\n"
        "from symbench.words import Template\n"
        "assert find(st.from_type(Template), lambda t: len(t) == 2) == Template('αα')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@given(sts.templates(min_length=2, max_length=5, min_wildcards=2, max_wildcards=3, tokens="XY"))
def test_bounds_of_templates(template):
    assert 2 <= len(template) <= 5
    assert 2 <= len(template.wildcards) <= 3
    assert set(template.tokens) <= {"X", "Y"}


@given(sts.templates(canonical=True))
def test_canonical_templates(template):
    assert template == template.canonical


@settings(max_examples=40)
@given(
    sts.inequivalent_templates(min_size=2, max_size=4),
    sts.inequivalent_templates(min_size=2, disjoint=True),
)
def test_families(family, disjoint):
    assert 2 <= len(family) <= 4
    assert len({t.canonical for t in family}) == len(family)
    assert len({len(t) for t in family}) == 1
    for i, t in enumerate(disjoint):
        assert all(t.is_disjoint(u) for u in disjoint[:i])


@given(sts.substitutions(Template("αβS"), alphabet="PQRS"), sts.substitutions(min_wildcards=1))
def test_substitutions(one, other):
    assert set(one) == {"α", "β"}
    assert "S" not in one.image
    assert 1 <= len(other) <= 4


def test_impossible_bounds_say_why():
    with pytest.raises(BadValue, match="exchange them"):
        sts.templates(min_length=3, max_length=2)
    with pytest.raises(BadValue, match="do not fit"):
        sts.templates(min_wildcards=3, max_wildcards=3, max_length=2)
    with pytest.raises(BadValue, match="no letters"):
        sts.templates(max_wildcards=0, tokens="")
    with pytest.raises(BadValue, match="no length up to 2"):
        sts.inequivalent_templates(min_size=4, max_length=2, tokens="")
    with pytest.raises(BadValue, match="too small"):
        sts.substitutions("αβ", alphabet="P")
    with pytest.raises(BadValue, match="empty"):
        sts.strings(alphabet=0)
    for bad in (None, 1.5, True, "3"):
        with pytest.raises(BadType):
            sts.templates(min_length=bad)
        with pytest.raises(BadType):
            sts.position_partitions(max_size=bad)
    with pytest.raises(BadType):
        sts.templates(canonical=1)
    with pytest.raises(BadType):
        sts.tasks(symbolic=None)
