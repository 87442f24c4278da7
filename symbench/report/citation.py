"""How to cite symbench and the papers whose claims it verifies: BibTeX and CFF."""

from __future__ import annotations

import json
from collections.abc import Iterable

import attrs

import symbench
from symbench._arguments import choice

_TITLE = "symbench"
_SUBTITLE = "exact algebra for the theory of transformers, symmetry and abstract symbols"
_CONTRIBUTORS = "symbench contributors"
_YEAR = 2026  # of this version, as in LICENSE
_CONFERENCES = {
    "ICLR": "International Conference on Learning Representations",
    "ICML": "International Conference on Machine Learning",
}


@attrs.frozen
class Paper:
    """A paper: the first part of its claims' ids, who wrote it, and where it appeared.

    >>> PAPERS["edelman2022"].year
    2022
    """

    id: str
    authors: tuple[tuple[str, str], ...]  # given and family names
    title: str
    conference: str
    year: int
    arxiv: str

    @property
    def url(self) -> str:
        """Where it can be read."""
        return f"https://arxiv.org/abs/{self.arxiv}"

    def bibtex(self) -> str:
        """The entry of the paper.

        >>> print(PAPERS["lavie2024"].bibtex())
        @inproceedings{lavie2024,
          author = {Lavie, Itay and Gur-Ari, Guy and Ringel, Zohar},
          title = {{Towards Understanding Inductive Bias in Transformers: A View From Infinity}},
          booktitle = {International Conference on Machine Learning},
          year = {2024},
          eprint = {2402.05173},
          archiveprefix = {arXiv},
          url = {https://arxiv.org/abs/2402.05173},
        }
        """
        return _entry(
            f"inproceedings{{{self.id}",
            author=" and ".join(f"{family}, {given}" for given, family in self.authors),
            title=f"{{{self.title}}}",
            booktitle=_CONFERENCES[self.conference],
            year=str(self.year),
            eprint=self.arxiv,
            archiveprefix="arXiv",
            url=self.url,
        )

    def cff(self) -> str:
        """The paper as an item of `references` in a CFF file."""
        people = "".join(
            f"      - family-names: {_quoted(family)}\n        given-names: {_quoted(given)}\n"
            for given, family in self.authors
        )
        return (
            "  - type: conference-paper\n"
            f"    title: {_quoted(self.title)}\n"
            f"    authors:\n{people}"
            f"    year: {self.year}\n"
            "    conference:\n"
            f"      name: {_quoted(_CONFERENCES[self.conference])}\n"
            f"    doi: {_quoted(f'10.48550/arXiv.{self.arxiv}')}\n"
            f"    url: {_quoted(self.url)}\n"
        )


PAPERS = {
    paper.id: paper
    for paper in (
        Paper(
            "boix2024",
            (
                ("Enric", "Boix-Adsera"),
                ("Omid", "Saremi"),
                ("Emmanuel", "Abbe"),
                ("Samy", "Bengio"),
                ("Etai", "Littwin"),
                ("Joshua", "Susskind"),
            ),
            "When can transformers reason with abstract symbols?",
            "ICLR",
            2024,
            "2310.09753",
        ),
        Paper(
            "lavie2024",
            (("Itay", "Lavie"), ("Guy", "Gur-Ari"), ("Zohar", "Ringel")),
            "Towards Understanding Inductive Bias in Transformers: A View From Infinity",
            "ICML",
            2024,
            "2402.05173",
        ),
        Paper(
            "edelman2022",
            (
                ("Benjamin L.", "Edelman"),
                ("Surbhi", "Goel"),
                ("Sham", "Kakade"),
                ("Cyril", "Zhang"),
            ),
            "Inductive Biases and Variable Creation in Self-Attention Mechanisms",
            "ICML",
            2022,
            "2110.10090",
        ),
    )
}


def bibtex(papers: Iterable[str] = ()) -> str:
    """BibTeX entries of symbench and of these papers.

    >>> print(bibtex())
    @misc{symbench,
      author = {{symbench contributors}},
      title = {{symbench: exact algebra for the theory of transformers, symmetry and abstract ...}},
      year = {2026},
      note = {Version ...},
    }
    <BLANKLINE>
    """
    own = _entry(
        "misc{symbench",
        author=f"{{{_CONTRIBUTORS}}}",
        title=f"{{{_TITLE}: {_SUBTITLE}}}",
        year=str(_YEAR),
        note=f"Version {symbench.__version__}",
    )
    return "\n".join([own, *(paper.bibtex() for paper in _chosen(papers)), ""])


def cff(papers: Iterable[str] = ()) -> str:
    """The citation file (CFF 1.2.0) of symbench, with these papers as its references.

    >>> print(cff(["boix2024"]).splitlines()[0])
    cff-version: 1.2.0
    """
    references = "".join(paper.cff() for paper in _chosen(papers))
    return (
        "cff-version: 1.2.0\n"
        'message: "If you use symbench, please cite it, and the paper whose claims you use."\n'
        "type: software\n"
        f"title: {_quoted(_TITLE)}\n"
        f"abstract: {_quoted(_SUBTITLE[0].upper() + _SUBTITLE[1:])}\n"
        "authors:\n"
        f"  - name: {_quoted(_CONTRIBUTORS)}\n"
        f"version: {_quoted(symbench.__version__)}\n"
        "license: BSD-3-Clause\n"
        f"{f'references:{chr(10)}{references}' if references else ''}"
    )


def _chosen(papers: Iterable[str]) -> list[Paper]:
    names = [choice(name, "the paper", PAPERS) for name in papers]
    return [PAPERS[name] for name in dict.fromkeys(names)]


def _entry(head: str, **fields: str) -> str:
    lines = [f"@{head},", *(f"  {name} = {{{text}}}," for name, text in fields.items()), "}"]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """The text as YAML reads it: a JSON string is one."""
    return json.dumps(text, ensure_ascii=False)
