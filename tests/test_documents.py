"""What is documented is executed."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import symbench as sb
from tests import pictures
from tests.benchmarks.written import expected
from tests.documents import ROOT, docstrings, markdown, modules, pages, room_names
from tests.proof_certificates import PAGES, made


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", pages(), ids=_name)
def test_page(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = markdown().parse(path)
    monkeypatch.chdir(tmp_path)
    document.namespace["folder"] = tmp_path
    examples = list(document.examples())
    for example in examples:
        example.evaluate()
    # Only these two languages are run, so a page may hold no other: nothing is shown untested.
    languages = re.findall(r"^```(\w*)", path.read_text(encoding="utf-8"), flags=re.M)
    assert {language for language in languages if language} <= {"python", "console"}
    assert examples or path == pictures.GALLERY, "a page that runs nothing"
    # What the page draws is stored beside it and shown, and nothing else is; the gallery shows
    # what pages have drawn.
    assert pictures.without_picture(path) == [], "a drawing that is not stored as .svg"
    drawn = pictures.written(tmp_path)
    for name, svg in drawn.items():
        beside = path.with_name(name)
        assert beside.exists(), f"{name} is not stored: run python -m tests.pictures {path}"
        reason = pictures.difference(beside.read_text(encoding="utf-8"), svg)
        assert reason is None, f"{name} is stale (run python -m tests.pictures): {reason}"
    if path not in (pictures.GALLERY, ROOT / "README.md"):
        assert sorted(drawn) == sorted(pictures.shown(path))


@pytest.mark.parametrize("path", modules(), ids=_name)
def test_docstrings(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = docstrings().parse(path)
    monkeypatch.chdir(tmp_path)
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    document.namespace.update(room_names())
    document.namespace.update(vars(importlib.import_module(name)))
    for example in document.examples():
        example.evaluate()


def test_a_wrong_session_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    (example,) = markdown().parse(page).examples()
    with pytest.raises(Exception, match="Expected"):
        example.evaluate()


def test_the_tables_of_speeds_are_of_the_stored_run() -> None:
    for path, text in expected().items():
        assert path.read_text(encoding="utf-8") == text, "python -m tests.benchmarks --write"


PROOFS = sorted(ROOT.glob("proofs/**/*.md"))


@pytest.mark.parametrize("path", PROOFS, ids=_name)
def test_certificate_beside_the_proof(path: Path) -> None:
    beside = path.with_name(path.name.removesuffix(".md") + ".json")
    assert sb.check(beside)
    stored = sb.load(beside)
    anew = made(str(path.relative_to(ROOT / "proofs")).removesuffix(".md"))
    assert stored == anew
    assert stored.explain() == anew.explain()
    assert stored.title == anew.title


def test_most_stored_certificates_stand_alone() -> None:
    kinds = [sb.load(ROOT / "proofs" / f"{page}.json").kind for page in PAGES]
    re_run = [kind for kind in kinds if kind in ("exhausted", "counterexample")]
    assert 3 * len(re_run) < len(kinds)
