"""Every formula of the project becomes MathML that says the same; prose becomes honest HTML."""

import re
import subprocess
import sys
from contextlib import suppress
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import symbench as sb
from symbench.errors import BadType, BadValue
from symbench.report import highlighted, mathml, prose, stylesheet
from tests.documents import pages

TEXTS = {
    **{id: claim.statement for id, claim in sb.claims.items()},
    **{str(path): path.read_text(encoding="utf-8") for path in pages()},
}


class Page(HTMLParser):
    """What a reader meets: links, anchors, elements by name, and text outside of code."""

    def __init__(self, html):
        super().__init__()
        self.links, self.ids, self.names, self.text, self._code = [], [], [], "", 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("class") != "on":  # a formula that goes on, after a place for a line to end
            self.names.append(tag)
        self.links += [given["href"]] if "href" in given else []
        self.ids += [given["id"]] if "id" in given else []
        self._code += tag in ("code", "pre", "math")

    def handle_endtag(self, tag):
        self._code -= tag in ("code", "pre", "math")

    def handle_data(self, data):
        self.text += "" if self._code else data


@pytest.mark.parametrize("name", TEXTS)
def test_no_formula_is_left_over(name):
    page = Page(prose(TEXTS[name]).html)
    assert "$" not in page.text
    # The second road: formulas counted by their dollars, outside of code and escapes.
    text = re.sub(r"^ *```.*?^ *```", "", TEXTS[name], flags=re.S | re.M)
    text = re.sub(r"`[^`]+`|\\\$", "", text)
    assert page.names.count("math") == text.replace("$$", "$").count("$") / 2


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\mathcal N_{ij} \le \|x\|", "𝒩ij≤‖x‖"),
        (r"\Bigl\langle a, b \Bigr\rangle", "⟨a,b⟩"),
        (r"\Bigl\| a \Bigr\|", "‖a‖"),
        (r"\mathrm{Ind}\, \mathbf 1", "Ind𝟏"),
        (r"\mathbb{E} \binom{n}{k}", "𝔼(nk)"),
        (r"a < b \& c", "a<b&c"),
        (r"S \setminus T", "S∖T"),
        (r"\widehat{ab}\, \bar h", "ab\u0302h‾"),
    ],
)
def test_formulas_keep_their_letters(formula, shown):
    tree = ElementTree.fromstring(mathml(formula))
    assert "".join(tree.itertext()) == shown


def _letters(mathml_text):
    return "".join(ElementTree.fromstring(f"<all>{mathml_text}</all>").itertext())


def test_long_formulas_may_end_a_line_and_lose_nothing():
    for formula in re.findall(r"(?<![$`\\])\$([^$`\n]{30,})\$(?!\$)", "\n".join(TEXTS.values())):
        with suppress(BadValue):  # what stands between two formulas
            assert _letters(mathml(formula)) == _letters(mathml(formula, display=True))


def test_a_long_formula_is_several():
    pieces = re.split("(?=<math)", mathml(r"\kappa = \mathbb{E}[a + b] \le (c, d) + |x|"))[1:]
    assert [_letters(piece) for piece in pieces] == ["κ=𝔼[a+", "b]≤(c,", "d)+|x|"]
    assert len(re.findall("<math", mathml("a = b + c"))) == 1


def test_no_line_begins_with_a_comma():
    html = prose("Of $x$, ($y$) and $z$ w").html
    assert [_letters(part) for part in re.findall(r'joined">(.*?)</span>', html)] == ["x,", "(y)"]


@pytest.mark.parametrize(
    ("formula", "gaps"),
    [
        (r"m \ln(2)", [("ln", "0.167em", "0")]),
        (r"\log\log_2 T", [("log", "0", "0.167em"), ("log", "0", "0.167em")]),
        (r"(\max_i |x| - \dim)", [("max", "0", "0.167em"), ("dim", "0", "0")]),
        (
            r"\sin^2 x\, \operatorname{tr} A",
            [("sin", "0", "0.167em"), ("tr", "0.167em", "0.167em")],
        ),
        (r"\Pr = a", [("Pr", "0", "0")]),
    ],
)
def test_names_of_functions_do_not_touch_their_arguments(formula, gaps):
    found = ElementTree.fromstring(mathml(formula)).iter("mo")
    assert [(x.text, x.get("lspace"), x.get("rspace")) for x in found if x.text.isalpha()] == gaps


@pytest.mark.parametrize(
    ("formula", "forms"),
    [
        (r"-a - b", ["prefix", "infix"]),
        (r"\sigma(-\delta) = -\infty", ["prefix", "prefix"]),
        (r"(x)^2 - |y| + 1", ["infix", "infix"]),
        (r"a_1 - (-1)^{n - 1} b, -c", ["infix", "prefix", "infix", "prefix"]),
        (r"\infty - \partial f", ["infix"]),
        (r"f = \pm 1", []),  # a letter: without gaps
    ],
)
def test_signs_are_near_what_they_belong_to(formula, forms):
    for display in (False, True):
        tree = ElementTree.fromstring(f"<all>{mathml(formula, display=display)}</all>")
        found = [x.get("form") for x in tree.iter("mo") if x.text in ("+", "−", "±")]
        assert found == forms


def test_relations_are_no_letters():
    tree = ElementTree.fromstring(mathml(r"\{x \sim y; z : x \succeq S \setminus T\}"))
    assert [x.text for x in tree.iter("mi")] == list("xyzxST")


def test_indices_have_one_base():
    parts = {"msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
    formulas = re.findall(r"(?<![$`\\])\$([^$`\n]+)\$(?!\$)", "\n".join(TEXTS.values()))
    for formula in [r"\binom{n}{k}^2", *formulas]:
        with suppress(BadValue):  # what stands between two formulas
            for node in ElementTree.fromstring(mathml(formula, display=True)).iter():
                assert len(node) == parts.get(node.tag, len(node)), formula
    # Beside an index a fence is in a row, where it is as large as it is asked to be.
    fence = ElementTree.fromstring(mathml(r"\Bigl(a\Bigr)^2")).find(".//msup")[0]
    assert fence.tag == "mrow"


def test_limits_stand_below_in_displayed_formulas():
    for formula in (r"\min_x f", r"\bigoplus_x V", r"\lim_x f"):
        assert "<munder>" in mathml(formula, display=True)
        assert "<msub>" in mathml(formula)


def test_aligned_lines_are_rows():
    made = mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", display=True)
    assert made.count("<mtr>") == 2
    assert "&amp;" not in made


@pytest.mark.parametrize("formula", [r"\nosuchthing x", r"{", r"\begin{matrix}"])
def test_a_formula_that_cannot_be_shown_is_refused(formula):
    with pytest.raises(BadValue, match="the formula is"):
        mathml(formula)


def test_a_page():
    text = (
        "# One\n\nOf `boix2024.lemma-E.1`, boix2024.lemma-E.1. and no.claim\n\n## One\n\n## $x$\n"
    )
    page = prose(text, claim=lambda id: "#" + id if id in sb.claims else None)
    found = Page(page.html)
    assert page.title == "One"
    assert found.links == ["#boix2024.lemma-E.1"] * 2
    assert found.ids == [heading.anchor for heading in page.headings] == ["one", "one-1", "x"]


def test_dollars_that_open_nothing_are_dollars():
    assert Page(prose(r"It costs \$5 or $6, or $ 7 $.").html).text.strip() == (
        "It costs $5 or $6, or $ 7 $."
    )


def test_a_command_without_a_prompt_is_no_output():
    command, session = "pip install .\n", "$ symbench cite\n@software\n"
    assert 'class="go"' not in highlighted(command, "console")
    assert highlighted(session, "console").count('class="go"') == 1


def test_html_in_a_text_is_not_obeyed():
    page = Page(prose("<script>alert(1)</script> $a<b$ [x](javascript:alert)\n\n`<b>`").html)
    assert not {"script", "a", "b"} & set(page.names)
    linked = prose("`<b> boix2024.x`", claim=lambda id: '"><script>')
    assert "script" not in Page(linked.html).names
    assert "script" not in Page(highlighted("<script>", "html")).names


def test_a_formula_leads_nowhere():
    html = prose(r"A $\href{javascript:alert(1)}{x \href{javascript:alert(2)}{y}}$.").html
    assert Page(html).links == []
    assert "<mi>x</mi>" in html
    assert "javascript" not in html


def test_bad_arguments():
    with pytest.raises(BadType, match="the text is 3"):
        prose(3)


def test_style_has_both_themes_and_paper():
    style = stylesheet()
    assert style.count("{") == style.count("}")
    assert "@media print" in style
    assert style.count("prefers-color-scheme: dark") == 2
    assert "http" not in style  # nothing is fetched


@pytest.mark.parametrize("library", ["markdown_it", "latex2mathml", "pygments"])
def test_a_missing_library_is_named(library):
    code = f"""
import sys
sys.modules[{library!r}] = None
from symbench.errors import NotSupported
from symbench.report import prose
try:
    prose("$x$\\n\\n```python\\n1\\n```")
except NotSupported as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert library in done.stdout
    assert "pip install 'symbench[report]'" in done.stdout


def test_names_in_code_are_linked_and_methods_are_not():
    names = {"sb.verify()": "v", "sb.words": "w", "check()": "wrong", "Template": "t"}
    text = "Of `Template` and `x`.\n\n```python\n>>> sb.verify(sb.words.y).check()\n```\n"
    page = Page(prose(text, name=names.get).html)
    assert page.links == ["t", "v", "w"]


def test_claims_in_code_blocks_are_linked():
    text = '```python\n>>> sb.verify("boix2024.lemma-E.1", x="<no.claim>")\n```\n'
    page = Page(prose(text, claim=lambda id: "#" + id if id in sb.claims else None).html)
    assert page.links == ["#boix2024.lemma-E.1"]
    assert page.names.count("span") > 5


def test_words_stand_below_their_heading():
    page = prose(
        "Before.\n\n# One $x$\n\nA `b` *c*\nd.\n\n```\ncode\n```\n\n## Two\n\n| e | $f$ |\n|-|-|\n"
    )
    assert [heading.text for heading in page.headings] == ["One x", "Two"]
    assert [text.split() for text in page.words] == [
        ["Before."],
        ["A", "b", "c", "d.", "code"],
        ["e", "f"],
    ]
