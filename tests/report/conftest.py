"""A small ledger with a verdict of each sort, and its page."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser

import pytest

from symbench.registry import verify
from symbench.registry.ledger import Ledger
from symbench.report import Report

from ..registry.conftest import declare

__all__ = ["declare"]

# Quick claims: holding ones with certificates of several kinds and without, one refuted with its
# repair, one undecided.
CLAIMS = {
    "lavie2024.dimension": {"max_length": 6},
    "boix2024.lemma-E.1": {"max_two": 1, "max_three": 0},
    "lavie2024.one-hot": {"max_length": 3, "max_letters": 3},
    "lavie2024.wikitext": {},
    "symbench.one-point": {},
    "symbench.vocabulary": {},
    "symbench.tangent-spectrum": {},
    "young.hook-length": {"max_size": 4},
}


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "verdicts.db"
    for id, sizes in CLAIMS.items():
        verify(id, ledger=path, **sizes)
    return path


@pytest.fixture(scope="session")
def page(ledger):
    return Report(Ledger(ledger)).html()


class Elements(HTMLParser):
    """The elements of a page with their attributes and text, and the text outside of scripts."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text, self._open = [], "", []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("dt", "dd", "td", "tr"):
            self.handle_data(" ")
        given = {"tag": tag, "text": "", **dict(attrs)}
        self.found.append(given)
        if tag not in ("meta", "input", "br", "img", "link"):
            self._open.append(given)

    def handle_endtag(self, tag):
        while self._open and self._open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for one in self._open:
            one["text"] += data
        if all(one["tag"] not in ("script", "style") for one in self._open):
            self.text += data

    def all(self, tag, **wanted):
        keys = {name.replace("_", "-").removesuffix("-"): value for name, value in wanted.items()}
        return [
            one
            for one in self.found
            if one["tag"] == tag
            and all(value in one.get(k, "").split() for k, value in keys.items())
        ]


def certificates(html):
    """The certificates on a page by claim: pairs of a case and a document."""
    found = {}
    for article in re.findall(r"<article.*?</article>", html, flags=re.S):
        packed = re.search(r'class="packed">(.*?)</script>', article, flags=re.S)
        if packed:
            id = re.search(r'id="(.*?)"', article)[1]
            text = zlib.decompress(base64.b64decode(packed[1]))
            found[id] = [(case, json.loads(document)) for case, document in json.loads(text)]
    return found
