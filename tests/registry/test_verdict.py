"""A verdict is a value that says what it is."""

import pickle

import attrs
import pytest

from symbench.errors import BadValue, Undecided
from symbench.recheck import check
from symbench.registry import Verdict, verify


@pytest.fixture(scope="module")
def verdict():
    return verify("lavie2024.dimension", max_length=6)


def test_value(verdict):
    assert eval(repr(verdict)) == verdict
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    assert pickle.loads(pickle.dumps(verdict)).certificate.check()
    assert hash(verdict) == hash(eval(repr(verdict)))
    assert verify("lavie2024.dimension", max_length=6) == verdict
    assert verify("lavie2024.dimension", max_length=5) != verdict
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        verdict.status = "fails"


def test_undecided_is_neither(verdict):
    undecided = attrs.evolve(verdict, status="undecided", notes=("out of time",))
    with pytest.raises(Undecided, match="out of time"):
        bool(undecided)
    with pytest.raises(Undecided):
        assert not undecided


def test_explain(verdict):
    text = verdict.explain()
    for part in ("lavie2024.dimension: holds", "15 cases", "max_length=6", "near-miss", "symbench"):
        assert part in text
    assert max(map(len, text.splitlines())) < 200


def test_save(verdict, tmp_path):
    verdict.save(tmp_path / "v.json")
    assert check(tmp_path / "v.json") is True
    with pytest.raises(BadValue, match="no certificate"):
        attrs.evolve(verdict, certificate=None).save(tmp_path / "w.json")


def test_fields():
    names = [field.name for field in attrs.fields(Verdict)]
    assert {"status", "scope", "certificate", "cases", "seconds", "versions"} <= set(names)
