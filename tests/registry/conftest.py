"""Claims of the tests are taken out of the book again."""

import pytest

from symbench.registry import NearMiss, claim, claims

from .plugin import write_plugin


@pytest.fixture
def declare(monkeypatch, tmp_path):
    """declare(function, **fields): a claim with sensible fields, gone after the test."""
    # Another test has another claim of the same name.
    monkeypatch.setenv("SYMBENCH_CACHE", str(tmp_path / "cache"))
    len(claims)  # the book is open now: what is added later is the test's
    before = dict(claims._claims)

    def add(function, id="test.claim", **fields):
        function.__doc__ = fields.pop("statement", function.__doc__ or "A statement.")
        fields.setdefault("source", "a test")
        fields.setdefault("category", "lemma")
        fields.setdefault("near_misses", [NearMiss("not positive", 0)])
        fields.setdefault("boundary", 1)
        if "strategy" not in fields:
            fields.setdefault("cases", [1, 2, 3])
        return claim(id, **fields)(function)

    yield add
    claims._claims.clear()
    claims._claims.update(before)
    claims._former.pop("test.before", None)


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    return write_plugin(tmp_path_factory.mktemp("plugin"))
