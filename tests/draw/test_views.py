"""Views: the HTML says what the text says, whatever it is; what is large is cut, and says so."""

from __future__ import annotations

import copy
import pickle
import re
from fractions import Fraction
from xml.etree import ElementTree

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbench as sb
from symbench.draw import Shown, View, boxes_svg, card, columns_text, facts, layers_svg, sheet
from symbench.draw.views import as_html, fact, typeset
from symbench.exact.latex import cut_formula, in_latex

# Anything but what XML cannot hold, and line ends, which a table has none of.
LETTERS = st.characters(
    exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufffe\uffff"
)
TEXTS = st.text(LETTERS | st.sampled_from("<>&\"'$\\"), max_size=12)


def cells(html: str) -> list[list[str]]:
    """The texts of the cells of the tables."""
    rows = ElementTree.fromstring(html).iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def html(view: View) -> str:
    return view.bundle()["text/html"]


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), min_size=1, max_size=6)
    )
)
def test_a_table_has_its_cells(rows: list[list[str]]) -> None:
    assert cells(html(columns_text(rows))) == rows


@given(TEXTS, TEXTS, TEXTS)
def test_cards_and_facts_have_their_texts(title: str, name: str, value: str) -> None:
    view = card(title, sheet(value, facts([(name, value)])), mark=name)
    assert cells(html(view)) == [[name, value]] * bool(value)
    tree = ElementTree.fromstring(html(view))
    assert [part.text or "" for part in tree.iter("strong")] == [title, *[name] * bool(name)]
    # Nothing outside of formulas is taken for one.
    assert "mathjax_ignore" in tree.attrib["class"]


@given(TEXTS)
def test_pictures_have_their_labels(label: str) -> None:
    for svg in (boxes_svg([[label or "x"]]), layers_svg([[label or "x"]], {})):
        (text,) = ElementTree.fromstring(html(svg)).findall(".//{*}text")
        assert text.text == (label or "x")


def test_a_large_table_is_cut_in_a_notebook_and_says_so() -> None:
    rows = [[f"{i}.{j}" for j in range(40)] for i in range(301)]
    view = columns_text(rows)
    assert len(view.splitlines()) == 301
    shown = cells(html(view))
    assert [row[:24] for row in rows[:61]] == shown
    assert "... and 240 more rows, 16 more columns" in html(view)


@pytest.mark.parametrize(
    "value",
    [
        sb.Matrix([[10**50] * 300] * 300),
        sb.rings.Rational(10**5000 + 1, 7**3000),
        sb.words.Word("A" * 10**5),
        sb.Template("α" * 10**4),
        sb.Task(list(sb.all_templates(7)), labels=range(877)),
        sb.all_templates(12),
        sb.partitions(400),
        sb.Permutation(*range(2000, 0, -1)),
        sb.young.CharacterTable(14),
        sb.young.young_lattice(0, 16),
        sb.words.disjointness_graph(list(sb.all_templates(5, tokens="A"))),
        sb.spectrum(sb.kernels.inner_product(lambda n: 2**n), length=60, vocabulary=2),
        sb.rings.PowerSeries(sb.QQ, "b", 9000).series(range(9000)),
        sb.young.AlgebraElement(5, {g: i + 1 for i, g in enumerate(sb.young.permutations(5))}),
        sb.laws.Words.of(
            {tuple(map(int, f"{n:010b}")): "1/1024" for n in range(1024)}, length=10, vocabulary=2
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_view_of_a_large_value_is_small(value: object) -> None:
    shown = getattr(value, "_repr_mimebundle_", dict)()
    if hasattr(value, "_repr_latex_"):
        shown["text/latex"] = value._repr_latex_()
    assert shown
    assert sum(map(len, shown.values())) < 40_000
    for text in shown.values():
        assert re.search(r"\.\.\.|\\[lcvd]dots|in all|more|too large|A picture is drawn of", text)


@attrs.frozen
class Example(Shown):
    """A value of a class without a view of its own; `x` is a number."""

    x: object
    _hidden: int = 0


def test_a_class_without_a_view_shows_its_fields() -> None:
    assert cells(Example(3)._repr_html_() or "") == [["x", "3"]]
    assert "A value of a class without a view of its own; x is a number." in str(Example(3)._view())
    assert cells(Example(sb.Partition(2, 1))._repr_html_() or "") == [["x", "2+1"]]


def test_facts_are_short() -> None:
    assert fact([[1, 2], (3,)]) == "(1, 2), (3)"
    assert fact(lambda x: x) == "<lambda>"
    assert fact(sb.Matrix([[1, 2], [3, 4]])) == "Matrix([[1, 2], [3, 4]])"
    assert fact(1 / 3) == "0.333333"
    assert fact(()) == "none"
    assert len(cells(html(facts([("n", 10**6000)])))[0][1]) < 100
    assert len(cells(html(facts([("text", "x" * 10**6)])))[0][1]) < 300


def test_views_travel() -> None:
    table = columns_text([["a"], ["b"]])
    for other in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert other == table
        assert other.html == table.html


def test_a_statement_is_set_and_its_card_is_not() -> None:
    tree = ElementTree.fromstring(html(card("$5", typeset("is $x^2 < 3$"))))
    (process,) = [part for part in tree.iter() if "mathjax_process" in part.get("class", "")]
    assert "".join(process.itertext()) == "is $x^2 < 3$"
    assert "a b\n\nc\n- d" in html(card("lines", typeset("a\nb\n\nc\n- d")))


# --- formulas -------------------------------------------------------------------------------------
RING = sb.QQ["alpha", "x"]


def evaluated(latex: str, point: dict[str, Fraction]) -> Fraction:
    """The value of a polynomial from its LaTeX, read by rules of its own."""
    text = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"Fraction(\1,\2)", latex)
    text = text.replace("\\alpha", "alpha").replace("^{", "**(").replace("}", ")")
    text = re.sub(r"(?<=[\w)]) (?=[\wF])", "*", text)
    return Fraction(eval(text, {"Fraction": Fraction, **point}))


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 12), st.integers(0, 3)),
        st.fractions(-20, 20, max_denominator=30),
        max_size=5,
    ),
    st.fractions(-3, 3, max_denominator=5),
    st.fractions(-3, 3, max_denominator=5),
)
def test_latex_of_a_polynomial_says_the_polynomial(
    terms: dict[tuple[int, int], Fraction], alpha: Fraction, x: Fraction
) -> None:
    a, b = RING.gens
    element = sum((a**i * b**j * RING.coerce(c) for (i, j), c in terms.items()), RING.coerce(0))
    expected = sum(c * alpha**i * x**j for (i, j), c in terms.items())
    assert evaluated(RING.latex(element), {"alpha": alpha, "x": x}) == expected
    # In HTML the same letters, digits and signs stand in the same order.
    plain = "".join(ElementTree.fromstring(f"<p>{as_html(str(element)).html}</p>").itertext())
    assert plain == re.sub(r"[*]", "\u2009", str(element)).replace("^", "").replace("alpha", "α")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("2e-05", r"2 \cdot 10^{-5}"),
        ("[1.5 +/- 3e+10]", r"[1.5 \pm 3 \cdot 10^{10}]"),
        ("q^(1/3)", r"q^{\frac{1}{3}}"),
        ("-3/2√5", r"-\frac{3}{2}\sqrt{5}"),
        ("kappa*foo", r"\kappa \mathit{foo}"),
    ],
)
def test_latex_of_other_texts(text: str, latex: str) -> None:
    assert in_latex(text) == latex


@given(st.integers(-(10**60), 10**60), st.integers(50, 120))
def test_a_cut_number_keeps_both_ends(number: int, most: int) -> None:
    text = str(number)
    found = cut_formula(text, most)
    assert found == text or (
        len(found) < len(text) and found[:6] == text[:6] and found[-6:] == text[-6:]
    )
