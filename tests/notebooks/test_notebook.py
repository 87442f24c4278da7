"""A notebook goes through a value of every public class, in a real kernel; its outputs are read."""

from __future__ import annotations

import ast
import re
import string
import sys
import types
import typing
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from latex2mathml.converter import convert
from nbclient import NotebookClient

import symbench as sb
from tests.notebooks.values import PICTURES, VALUES
from tests.test_public import PUBLIC, _parts

ROOT = Path(__file__).resolve().parent.parent.parent

# Public classes without values of their own, and values that need no view.
NO_VIEW = {
    "certificates.Certificate": "the base of all kinds",
    "kernels.Kernel": "a protocol",
    "laws.Law": "a protocol",
    "laws.ExchangeableLaw": "a protocol",
    "symbench.draw.views.View": "what views are made of: seen with the pictures",
    "symbench.exact.dense.DenseRing": "the base of ZZ, QQ and GF(p)",
    "symbench.exact.ring.Ring": "the base of all rings",
    "symbench.kernels.activations.named.Activation": "a protocol",
    "symbench.learning.copying.Slopes": "a named tuple of a few numbers",
    "symbench.learning.theories.Level": "a named tuple of a few numbers",
}


def _leaves(hint: Any) -> Iterator[type]:
    """The classes in a type hint."""
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        yield hint
    for part in (typing.get_origin(hint), *typing.get_args(hint)):
        if part is not None:
            yield from _leaves(part)


def _hints(value: object) -> Iterator[Any]:
    """What a function, or each public method of a class, returns."""
    for _, part in _parts(value):
        if not isinstance(part, type):
            yield typing.get_type_hints(part).get("return")


def _fields(value: object) -> Iterator[Any]:
    """What the public attributes of a class hold."""
    if isinstance(value, type):
        listed = typing.get_type_hints(value).items()
        yield from (hint for name, hint in listed if not name.startswith("_"))


def _reached(values: list[Any], *roads: Callable[[object], Iterator[Any]]) -> list[Any]:
    """The values and all classes of ours that are reached from them."""
    found = list(values)
    for value in found:  # which grows
        for road in roads:
            for cls in chain.from_iterable(map(_leaves, road(value))):
                if cls.__module__.startswith("symbench.") and cls not in found:
                    found.append(cls)
    return found


def _classes() -> dict[str, type]:
    """Every public class, and every class of ours that public functions and methods return."""
    places = {id(value): place for place, value in PUBLIC.items()}
    return {
        places.get(id(value), f"{value.__module__}.{value.__name__}"): value
        for value in _reached(list(PUBLIC.values()), _hints)
        if isinstance(value, type) and not issubclass(value, BaseException)
    }


CLASSES = _classes()


@pytest.fixture(scope="module")
def outputs() -> dict[str, dict[str, str]]:
    """What the notebook shows of every expression, by MIME type."""
    start = (
        "from tests.documents import room_names\nglobals().update(room_names())\n"
        "from symbench.testing import *\n"
        "_ledger = sb.sweeps.Ledger(':memory:')\n"
        "sb.verify('lavie2024.dimension', max_length=3, ledger=_ledger)\nNone"
    )
    expressions = {**VALUES, **{expression: expression for expression in PICTURES}}
    # Last, which types the values have.
    end = "[[c.__module__ + '.' + c.__name__ for c in type(v).__mro__] for v in Out.values()]"
    texts = (start, *expressions.values(), end)
    cells = [nbformat.v4.new_code_cell(text) for text in texts]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(notebook, kernel_name="python3", timeout=120, allow_errors=True)
    client.create_kernel_manager()
    # The kernel is this Python, whatever is installed for notebooks on this machine.
    client.km.kernel_spec.argv[0] = sys.executable
    client.execute(cwd=str(ROOT))
    found = {}
    for place, cell in zip([*expressions, _TYPES], cells[1:], strict=True):
        shown = [out for out in cell["outputs"] if out["output_type"] != "stream"]
        assert [out["output_type"] for out in shown] == ["execute_result"], (place, shown)
        found[place] = dict(shown[0]["data"])
    return found


_TYPES = "types"


def test_the_values_are_of_their_classes(outputs: dict[str, dict[str, str]]) -> None:
    listed = ast.literal_eval(outputs[_TYPES]["text/plain"])
    for place, names in zip(VALUES, listed, strict=False):
        cls = CLASSES.get(place)
        assert cls is None or f"{cls.__module__}.{cls.__name__}" in names, (place, names)


def test_the_list_is_that_of_the_public_classes() -> None:
    missing = set(CLASSES) - set(VALUES) - set(NO_VIEW)
    assert not missing, f"give tests/notebooks/values.py a value of {sorted(missing)}"
    extra = (set(VALUES) | set(NO_VIEW)) - set(CLASSES)
    # Classes of values that are no types of their own, such as the catalogue of tasks.
    assert extra <= {"symbench.registry.book.Claims", "tasks.Catalogue", "tasks.Entry"}, extra
    assert not set(VALUES) & set(NO_VIEW)


def test_what_public_values_are_made_of_has_a_view_too() -> None:
    none = [
        cls.__name__
        for cls in _reached(list(CLASSES.values()), _hints, _fields)
        if not issubclass(cls, (tuple, BaseException))
        and not getattr(cls, "_is_protocol", False)
        and not any(hasattr(cls, f"_repr_{kind}_") for kind in ("html", "latex"))
    ]
    assert none == []


@pytest.mark.parametrize("place", VALUES)
def test_it_has_a_rich_view(outputs: dict[str, dict[str, str]], place: str) -> None:
    shown = outputs[place]
    assert {"text/html", "text/latex"} & set(shown), shown
    for kind, text in shown.items():
        _READERS[kind](text)
    # A page is no place for a value without end.
    assert max(map(len, shown.values())) < 60_000


@pytest.mark.parametrize("expression", PICTURES)
def test_a_picture_is_seen(outputs: dict[str, dict[str, str]], expression: str) -> None:
    shown = outputs[expression]
    assert PICTURES[expression] in shown
    for kind, text in shown.items():
        _READERS[kind](text)


def test_text_of_users_is_text(outputs: dict[str, dict[str, str]]) -> None:
    assert "1 is &lt;not&gt; 2" in outputs["Fails"]["text/html"]


# --- readers of outputs -------------------------------------------------------------------------
_ALONE = {"br", "hr", "img"}


class _Page(HTMLParser):
    """HTML whose elements are closed in order, without scripts and without colours of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "iframe", "object", "style"}
        given = dict(attributes)
        assert not [name for name in given if name.startswith("on") or name in {"src", "href"}]
        style = given.get("style") or ""
        assert not re.search(r"(?<!-)\b(background|color):\s*(#fff|#000|white|black)", style)
        assert not {given.get("fill"), given.get("stroke")} & {"black", "white", "#000", "#fff"}
        if tag not in _ALONE:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _read_html(text: str) -> None:
    page = _Page()
    page.feed(text)
    page.close()
    assert page.open == []
    # Entities that XML does not know would be a fault of the escaping.
    tree = ElementTree.fromstring(text)
    assert "".join(tree.itertext()).strip() or tree.findall(".//{*}rect")


# The commands and environments of MathJax 3 without extensions that views may use.
_COMMANDS = re.compile(
    r"\\(alpha|beta|gamma|delta|(var)?epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|"
    r"tau|upsilon|(var)?phi|chi|psi|omega|math(tt|it|bb|rm)|text|t?frac|sqrt|sum|begin|end|mapsto|"
    r"emptyset|cdots?|vdots|ddots|ldots|pm|backslash|hat|tilde|bigl|bigr)"
)
_ENVIRONMENTS = {"array", "pmatrix", "matrix", "aligned"}


def _read_latex(text: str) -> None:
    assert text[0] == text[-1] == "$"
    body = text.strip("$")
    assert all(map(_COMMANDS.fullmatch, re.findall(r"\\[A-Za-z]+", body))), body
    assert set(re.findall(r"\\begin\{(\w+)\}", body)) <= _ENVIRONMENTS
    assert body.count("{") - body.count("}") == body.count(r"\{") - body.count(r"\}")
    tree = ElementTree.fromstring(convert(body))
    # A command that latex2mathml does not know is left as text.
    assert "\\" not in "".join(tree.itertext()).replace("\\", "", body.count(r"\backslash"))
    assert not tree.findall(".//{*}merror")


def _read_svg(text: str) -> None:
    tree = ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", text))
    assert tree.tag.endswith("svg")
    assert len(list(tree.iter())) > 3


_READERS = {
    "text/plain": len,
    "text/html": _read_html,
    "text/latex": _read_latex,
    "image/svg+xml": _read_svg,
}


@pytest.mark.parametrize("token", [*string.punctuation, "é", "漢", "a_b^c", "\\frac", "$x$"])
def test_tokens_of_any_letters_are_formulas(token: str) -> None:
    for value in (sb.Template(["α", token]), sb.words.Word([token]), sb.Substitution({"β": token})):
        text = value._repr_latex_()
        _read_latex(text)
        # The letters are there, as letters.
        shown = "".join(ElementTree.fromstring(convert(text.strip("$"))).itertext())
        for letter in set(token) - set("\\^~\"'-"):
            assert letter in shown
