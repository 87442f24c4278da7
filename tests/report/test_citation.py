"""Citations, read back by readers that share nothing with what wrote them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import symbench
from symbench.cli import main
from symbench.errors import UnknownName
from symbench.report.citation import bibtex, cff

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# What the README says of each paper: family names, title, address.
ROWS = re.findall(r"^\| (\w+) \| ([^\[]+), \[([^]]+)\]\((https:[^)]+)\)", README, flags=re.M)


def read_bibtex(text: str) -> dict[str, dict[str, str]]:
    """A small reader of BibTeX: entries by key, the values without their outer braces."""
    entries: dict[str, dict[str, str]] = {}
    place = 0
    while match := re.compile(r"\s*@(\w+)\{([^,\s]+),").match(text, place):
        fields, place = {"type": match[1]}, match.end()
        while field := re.compile(r"\s*(\w+)\s*=\s*\{").match(text, place):
            depth, start = 1, field.end()
            place = start
            while depth:
                depth += {"{": 1, "}": -1}.get(text[place], 0)
                place += 1
            assert field[1] not in fields
            fields[field[1]] = text[start : place - 1]
            place = re.compile(r"\s*,?").match(text, place).end()
        end = re.compile(r"\s*\}").match(text, place)
        assert end, f"the entry {match[2]} does not end at {text[place : place + 20]!r}"
        assert match[2] not in entries
        entries[match[2]], place = fields, end.end()
    assert not text[place:].strip()
    return entries


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["cite", *arguments])


def test_the_papers_are_those_of_the_readme() -> None:
    entries = read_bibtex(run("--paper", "all").stdout)
    assert [row[0] for row in ROWS] == list(entries)[1:]
    for id, families, title, url in ROWS:
        entry = entries[id]
        assert entry["type"] == "inproceedings"
        people = [name.split(", ")[0] for name in entry["author"].split(" and ")]
        assert people == families.split(", ")
        assert entry["title"] == f"{{{title}}}"
        assert entry["url"] == url
        assert url.endswith(entry["eprint"])
        assert entry["year"] == re.sub(r"\D", "", id)
        assert entry["booktitle"]


def test_symbench_itself() -> None:
    (entry,) = read_bibtex(run().stdout).values()
    assert entry["author"] == "{symbench contributors}"
    assert entry["year"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert entry["note"] == f"Version {symbench.__version__}"
    assert entry["title"].startswith("{symbench: ")


def test_one_paper_is_added_once() -> None:
    assert list(read_bibtex(bibtex(["boix2024", "boix2024"]))) == ["symbench", "boix2024"]


def test_citation_file() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the citation file (it is not needed)")
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert text == run("--format", "cff", "--paper", "all").stdout
    read = yaml.safe_load(text)
    # What the schema of CFF 1.2.0 requires of a file, of an entity, of a reference, of a person.
    assert {"cff-version", "message", "title", "authors"} <= read.keys()
    assert read["cff-version"] == "1.2.0"
    assert (read["type"], read["license"]) == ("software", "BSD-3-Clause")
    assert read["version"] == symbench.__version__
    assert read["authors"] == [{"name": "symbench contributors"}]
    assert len(read["references"]) == len(ROWS)
    for paper, (_, families, title, url) in zip(read["references"], ROWS, strict=True):
        assert {"type", "title", "authors"} <= paper.keys()
        assert (paper["title"], paper["url"]) == (title, url)
        assert ", ".join(person["family-names"] for person in paper["authors"]) == families
        assert all(person["given-names"] for person in paper["authors"])
        assert isinstance(paper["year"], int)
        assert re.fullmatch(r"10\.\d{4,9}(\.\d+)?/\S+", paper["doi"])
    assert "references" not in yaml.safe_load(cff())


def test_written_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "references.bib"
    assert run("--paper", "lavie2024", "-o", str(file)).exit_code == 0
    assert list(read_bibtex(file.read_text(encoding="utf-8"))) == ["symbench", "lavie2024"]
    missing = run("-o", str(tmp_path / "missing" / "file"))
    assert missing.exit_code == 2
    assert "cannot write" in missing.stderr


def test_bad_arguments() -> None:
    assert run("--paper", "nobody2024").exit_code == 2
    with pytest.raises(UnknownName, match="boix2024"):
        bibtex(["nobody2024"])
