"""Markdown with $formulas$ as HTML: MathML, highlighted code, anchors, links to claims.

The pages of the report and of the documentation are written with it. Nothing here asks the
network for anything: browsers show MathML by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from html import escape, unescape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import attrs

from symbench._arguments import instance, shown
from symbench.errors import BadValue, NotSupported

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

# Given an id such as "boix2024.lemma-E.1", its address, or None if it is no claim.
ClaimLink = Callable[[str], str | None]
# Given code such as "sb.spectrum" or "Template(...)", where it is documented, or None.
NameLink = Callable[[str], str | None]

_ID = re.compile(r"\b[a-z][a-z0-9]*\.[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*")


@contextmanager
def extra(what: str) -> Iterator[None]:
    """A library of the extra `report` is imported in this block; missing ones are said plainly.

    >>> with extra("the report"):
    ...     import a_library_that_is_missing
    Traceback (most recent call last):
    ...
    symbench.errors.NotSupported: the report needs a_library_that_is_missing: ...
    """
    try:
        yield
    except ImportError as error:
        raise NotSupported(f"{what} needs {error.name}: pip install 'symbench[report]'") from None


@attrs.frozen
class Heading:
    """A heading of a page: its level (1 is the title), its anchor and its text."""

    level: int
    anchor: str
    text: str


@attrs.frozen
class Prose:
    r"""A text as HTML, with its headings in order.

    >>> page = prose("# Sums\n\nThe sum is $n^2$.")
    >>> page.title, page.headings
    ('Sums', (Heading(level=1, anchor='sums', text='Sums'),))
    >>> page.html.count("<math")
    1
    """

    html: str
    headings: tuple[Heading, ...]
    # The words before the first heading, and those below each: what a search looks at.
    words: tuple[str, ...] = attrs.field(default=("",), repr=False)

    @property
    def title(self) -> str:
        """The first heading, or nothing."""
        return self.headings[0].text if self.headings else ""


def prose(
    text: str,
    *,
    claim: ClaimLink | None = None,
    name: NameLink | None = None,
    address: Callable[[str], str] | None = None,
    inline: bool = False,
) -> Prose:
    """Markdown as HTML.

    claim gives the address of a claim by its id: ids in the text, in code too, become links; name
    does the same for code in backticks and for `sb.` names in blocks of Python. address is asked
    where links and pictures of the text lead now. inline leaves out the paragraph around a single
    line. HTML in the text is shown as text, not obeyed.

    >>> prose("See boix2024.lemma-E.1.", claim=lambda id: "#" + id, inline=True).html
    'See <a class="claim" href="#boix2024.lemma-E.1">boix2024.lemma-E.1</a>.'
    >>> prose("`sb.verify`", name=lambda code: "api.html", inline=True).html
    '<a class="name" href="api.html"><code>sb.verify</code></a>'
    >>> prose("[a page](other.md)", address=lambda old: old[:-2] + "html", inline=True).html
    '<a href="other.html">a page</a>'
    """
    instance(text, str, "the text", "a string of Markdown")
    _check_formulas(text)
    markdown = _markdown()
    whole = _SPANS.sub(lambda m: m[0] if m[1] is None else " ".join(m[1].split("\n")), text)
    tokens = markdown.parseInline(whole) if inline else markdown.parse(whole)
    headings, words = _headings(tokens), tuple(_words(tokens))
    links = Links(claim, name, address)
    for token in tokens:
        if token.children:
            token.children = list(links.of_line(token.children))
    html = markdown.renderer.render(tokens, markdown.options, {"links": links})
    return Prose(_JOINED.sub(_join, html), headings, words)


# A formula with the brackets and marks that touch it: no line begins with a comma.
_JOINED = re.compile(
    r"([(\[]*)(<math[^>]*>(?:[^<]|<(?!/math>))*</math>)((?:[,.;:!?)\]]|'s?|-\w*)*)"
)


def _join(match: re.Match[str]) -> str:
    return f'<span class="joined">{match[0]}</span>' if match[1] or match[3] else match[0]


@cache
def _markdown() -> Any:
    with extra("a page"):
        from markdown_it import MarkdownIt

    found = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    found.inline.ruler.before("escape", "formula", _inline_formula)
    found.block.ruler.before(
        "fence", "formula", _block_formula, {"alt": ["paragraph", "reference", "blockquote"]}
    )
    found.add_render_rule("formula", _render_formula)
    found.add_render_rule("fence", _render_code)
    found.add_render_rule("table_open", _render_table_open)
    found.add_render_rule("table_close", _render_table_close)
    return found


# Code, which stays as it is, and formulas: a line of one that begins with + would be a list.
_SPANS = re.compile(
    r"^ *(?:```|~~~).*?^ *(?:```|~~~)|`[^`]+`|\\\$"
    r"|(\$\$.*?\$\$|\$(?!\s)(?:[^$\n]|\n(?!\s*\n))+?(?<!\s)\$)",
    re.S | re.M,
)


def _check_formulas(text: str) -> None:
    """A formula that cannot be shown is named with its line."""
    for match in _SPANS.finditer(text) if "$" in text else ():
        if match[1] is not None:
            mark = "$$" if match[1].startswith("$$") else "$"
            formula = " ".join(match[1].split("\n")).removeprefix(mark).removesuffix(mark)
            try:
                mathml(formula, display=mark == "$$")
            except BadValue as error:
                line = text.count("\n", 0, match.start()) + 1
                raise BadValue(f"line {line}: {error}") from None


# --- formulas -----------------------------------------------------------------------------------
def _inline_formula(state: StateInline, silent: bool) -> bool:
    """$...$ or $$...$$ inside of a line; a dollar that opens nothing is a dollar."""
    if state.src[state.pos] != "$":
        return False
    mark = "$$" if state.src.startswith("$$", state.pos) else "$"
    start = state.pos + len(mark)
    end = state.src.find(mark, start)
    inside = state.src[start:end]
    if end < 0 or end >= state.posMax or not inside.strip():
        return False
    if mark == "$" and (inside[0].isspace() or inside[-1].isspace()):
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content, token.markup = inside, mark
    state.pos = end + len(mark)
    return True


def _block_formula(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """$$ at the beginning of a line, to the $$ that ends one."""
    begin = state.bMarks[first] + state.tShift[first]
    if not state.src.startswith("$$", begin):
        return False
    for line in range(first, last):
        text = state.src[begin + 2 : state.eMarks[line]].rstrip()
        if text.endswith("$$"):
            break
    else:
        return False
    if "$$" in text[:-2]:  # two formulas, or one with words after it: a paragraph
        return False
    if not silent:
        state.line = line + 1
        token = state.push("formula", "math", 0)
        token.block, token.map, token.markup = True, [first, state.line], "$$"
        token.content = text[:-2]
    return True


def _render_formula(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    token = tokens[index]
    drawn = mathml(token.content, display=token.markup == "$$")
    if token.block:
        return f'<div class="formula">{drawn}</div>\n'
    return f'<span class="formula">{drawn}</span>' if token.markup == "$$" else drawn


# What latex2mathml does not know, in words that it knows.
_ALPHABETS = re.compile(r"\\(mathcal|mathbb|mathbf|mathrm)\s*([A-Za-z0-9])")
_FENCES = {r"\|": "‖", r"\Vert": "‖", r"\langle": "⟨", r"\rangle": "⟩", r"\lfloor": "⌊",
           r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\{": "{", r"\}": "}"}  # fmt: skip
_UNDER = {"min", "max", "lim", "sup", "inf", "lim\u2006inf", "lim\u2006sup", "⨁", "⨂"}
# What latex2mathml takes for letters, or writes as no font has it.
_RELATIONS = {"~": "∼", "⧵": "∖", "⪰": "⪰", "±": "±", ":": ":", ";": ";"}
_WIDE = {"¯": "‾", "^": "\u0302"}  # over letters that have a wide hat or a bar
# How many parts each has.
_SCRIPTS = {"msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
_SIGNS, _CLOSING, _BARS, _LETTERS = "+−±∓", ")]}⟩⌋⌉|‖!…", "|‖", "∞∂∅∇"
_FENCED = set("⟨⟩⌈⌉⌊⌋")
_THIN = "0.167em"
# Browsers know one variant of letters, upright ones: the other ones are letters of their own.
_DIGITS = {"bold": 0x1D7CE, "double-struck": 0x1D7D8}


@cache
def mathml(formula: str, *, display: bool = False) -> str:
    r"""A formula of LaTeX as MathML.

    >>> mathml("n^2")
    '<math><mrow><msup><mi>n</mi><mn>2</mn></msup></mrow></math>'
    >>> mathml(r"\nosuchthing")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the formula is '\\nosuchthing': \nosuchthing cannot be shown...
    """
    with extra("a formula"):
        from latex2mathml.converter import convert

    text = _ALPHABETS.sub(r"\\\1{\2}", formula.strip())
    text = text.replace(r"\begin{aligned}", r"\begin{array}{rlrlrlrl}")
    text = text.replace(r"\end{aligned}", r"\end{array}")
    try:
        made = convert(text, display="block" if display else "inline")
        made = re.sub(r"&(?!#|[a-z]+;)", "&amp;", made).replace(
            ' xmlns="http://www.w3.org/1998/Math/MathML"', ""
        )
        tree = ElementTree.fromstring(made)
    except Exception as error:  # of many kinds, all of them about the text
        reason = str(error) or type(error).__name__
        raise BadValue(f"the formula is {shown(formula)}: it is no LaTeX ({reason})") from None
    if not display:
        del tree.attrib["display"]
    _mend(tree)
    left = re.search(r"\\[A-Za-z]+|\\.", "".join(tree.itertext()))
    if left:
        raise BadValue(
            f"the formula is {shown(formula)}: {left[0]} cannot be shown; write it otherwise"
        )
    pieces = [tree] if display else list(_pieces(tree))
    return "".join(
        ElementTree.tostring(piece, encoding="unicode", short_empty_elements=False)
        for piece in pieces
    )


# Browsers break no line within a formula: a long one is several, with a break after one of these.
_BREAKS = set("=<>≤≥≲≳≪≫≠≈≡∈→⇒⟹⟺⇔↦≺≻⪰∼+−,;")
_PIECE = 4  # letters that stay together


def _pieces(tree: Any) -> Iterator[Any]:
    """A formula as one that is short, or as several in a row."""
    row = tree[0] if len(tree) == 1 and tree[0].tag == "mrow" else tree
    left = sum(len(text) for text in row.itertext())
    if left <= 4 * _PIECE:
        yield tree
        return
    piece, size = ElementTree.Element("math"), 0
    for child in row:
        length = sum(len(text) for text in child.itertext())
        piece.append(child)
        size, left = size + length, left - length
        breaks = child.tag == "mo" and child.text in _BREAKS and child.get("form") != "prefix"
        if size >= _PIECE and left >= 3 and breaks:
            child.set("form", "infix")
            yield piece
            piece, size = ElementTree.Element("math", {"class": "on"}), 0
    yield piece


def _mend(tree: Any) -> None:
    """What browsers would show wrongly is written as they know it."""
    for node in list(tree.iter()):
        node.attrib.pop("href", None)  # a formula leads nowhere: the address may be a script
        text = node.text or ""
        node.text = _FENCES.get(text, text) if node.tag == "mo" else text
        if node.tag == "mo" and node.text in ("|", "‖", "/"):
            node.attrib.update(lspace="0", rspace="0")  # a relation is \\mid
        if node.tag == "mi" and text in _FENCED:
            node.tag, node.attrib = "mo", {"stretchy": "false"}
        if node.tag in ("mi", "mn", "mo") and text in ("⨁", "⨂"):
            node.tag, node.attrib = "mo", {"largeop": "true", "movablelimits": "true"}
        variant = node.get("mathvariant")
        if variant in _DIGITS and text.isdigit():
            node.text = "".join(chr(_DIGITS[variant] + int(digit)) for digit in text)
            del node.attrib["mathvariant"]
        under = node.tag == "msub" and node[0].text in _UNDER
        if under and tree.get("display") == "block":
            node.tag = "munder"
        if node.tag in _SCRIPTS:
            parts = len(node) - _SCRIPTS[node.tag] + 1  # a binomial is written as three
            if parts > 1 or "minsize" in node[0].attrib:  # a fence alone would not be as large
                node[:parts] = [_row(*node[:parts])]
        if node.tag == "mover" and "accent" not in node.attrib and node[1].text in _WIDE:
            node[1].text = _WIDE[node[1].text]
        _join_letters(node)
    for node in tree.iter():
        if node.tag in ("math", "mrow", "mtd", "msqrt"):
            _space(node)


def _row(*nodes: Any) -> Any:
    made = ElementTree.Element("mrow")
    made.extend(nodes)
    return made


def _space(row: Any) -> None:
    """Signs, relations and names of functions stand as far from their neighbours as in TeX."""
    before = False  # whether there is something before that a sign could be added to
    for place, child in enumerate(row):
        core = child[0] if child.tag in _SCRIPTS else child
        text = core.text or ""
        if core.tag == "mo" and text in _LETTERS:
            core.tag = "mi"
        if core is child and text in _RELATIONS and place and (before or text != "±"):
            core.tag, core.text, core.attrib = "mo", _RELATIONS[text], {}
        elif core.tag == "mo" and text in _SIGNS:
            core.set("form", "infix" if before else "prefix")
        elif core.tag in ("mi", "mo") and len(row) > 1 and _is_name(text):
            core.tag = "mo"
            core.set("form", "prefix")
            core.set("lspace", _THIN if before else "0")
            core.set("rspace", _THIN if _is_argument(row[place + 1 :]) else "0")
            before = False
            continue
        before = child.tag != "mo" or child.text in _CLOSING


def _is_name(text: str) -> bool:
    return len(text) > 1 and text.replace("\u2006", "").isalpha()


def _is_argument(rest: Sequence[Any]) -> bool:
    """Whether the name of a function is followed by something that it would touch."""
    if not rest:
        return False
    core = rest[0]
    while core.tag in ("mrow", *_SCRIPTS) and len(core):
        core = core[0]
    return core.tag != "mo" or core.text in _BARS or core.text in _LETTERS or _is_name(core.text)


def _join_letters(row: Any) -> None:
    """Upright letters one after the other are a name: letters without gaps."""
    for i in range(len(row) - 1, 0, -1):
        before, after = row[i - 1], row[i]
        upright = {"mathvariant": "normal"}
        letters = row.tag == "mrow" and before.tag == after.tag == "mi"
        if letters and before.attrib == after.attrib == upright:
            before.text += after.text
            row.remove(after)
    for child in row:
        if child.tag == "mi" and len(child.text or "") > 1:
            child.attrib.pop("mathvariant", None)  # a name is upright by itself


# --- code, tables, headings ---------------------------------------------------------------------
def highlighted(code: str, language: str = "") -> str:
    """Code as HTML with the classes of `stylesheet()`.

    >>> highlighted("x = 1", "python").startswith('<div class="highlight"><pre>')
    True
    """
    if language in ("python", "py") and code.lstrip().startswith(">>>"):
        language = "pycon"
    if language == "console" and not code.startswith("$ "):  # a command alone, no session
        language = "bash"
    with extra("code on a page"):
        from pygments import highlight
    made: str = highlight(code, _lexer(language), _formatter())
    return made


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language or "text")
    except ClassNotFound:
        return get_lexer_by_name("text")


@cache
def _formatter() -> Any:
    from pygments.formatters import HtmlFormatter

    return HtmlFormatter()


def _render_code(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    language = tokens[index].info.split()
    made = highlighted(tokens[index].content, language[0] if language else "")
    links: Links = env["links"]
    return links.of_code(made)


def _render_table_open(*_: Any) -> str:
    return '<div class="wide"><table>\n'


def _render_table_close(*_: Any) -> str:
    return "</table></div>\n"


def _headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """The headings, each with an anchor that occurs once, which is written into its token."""
    found: list[Heading] = []
    for token, content in pairwise(tokens):
        if token.type != "heading_open":
            continue
        text = _plain(content)
        written = "".join(child.content for child in content.children or ()) or text
        name = re.sub(r"[^\w-]+", "", written.lower().replace(" ", "-")) or "section"
        taken = {heading.anchor for heading in found}
        anchor, number = name, 0
        while anchor in taken:
            number += 1
            anchor = f"{name}-{number}"
        token.attrSet("id", anchor)
        found.append(Heading(int(token.tag[1:]), anchor, text))
    return tuple(found)


def _plain(line: Token) -> str:
    """The words of a line, and the letters of its formulas."""
    parts = []
    for child in line.children or ():
        if child.type == "formula":
            drawn = mathml(child.content, display=child.markup == "$$")
            parts.append(unescape(re.sub("<[^>]*>", "", drawn)))
        else:
            parts.append(" " if child.type == "softbreak" else child.content)
    return "".join(parts) or line.content


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    """The words before the first heading, and those below each."""
    found: list[str] = []
    heading = False
    for token in tokens:
        if token.type == "heading_open":
            yield " ".join(found)
            found, heading = [], True
        elif token.content and not heading:
            found.append(_plain(token))
        heading = heading and token.type != "heading_close"
    yield " ".join(found)


# --- links --------------------------------------------------------------------------------------
# In highlighted code: a name with its dots, perhaps called; and what stands between tags.
_PART = r'<span class="n[bden]?">@?(\w+)</span>'
_CHAIN = re.compile(rf'(?<!<span class="o">\.</span>){_PART}(?:<span class="o">\.</span>{_PART})*')
_CALL = re.compile(r'<span class="p">\(')
_BETWEEN = re.compile(r"(?<=>)[^<>]+(?=<)")


@attrs.frozen
class Links:
    """Where the claims, names and links of a text lead; None leaves them as they are."""

    claim: ClaimLink | None = None
    name: NameLink | None = None
    address: Callable[[str], str] | None = None

    def of_line(self, children: Sequence[Token]) -> Iterator[Token]:
        """The tokens of a line, with their links."""
        from markdown_it.token import Token

        inside = 0
        for token in children:
            inside += token.nesting if token.type in ("link_open", "link_close") else 0
            place = {"link_open": "href", "image": "src"}.get(token.type)
            if place is not None and self.address is not None:
                token.attrSet(place, self.address(str(token.attrs[place])))
            if token.type == "image" and str(token.attrs["src"]).endswith(".svg"):
                token.attrJoin("class", "drawn")
            linked = None
            if not inside and token.type == "text":
                linked = self._ids(token.content)
            elif not inside and token.type == "code_inline":
                linked = self._inline_code(token.content)
            yield token if linked is None else Token("html_inline", "", 0, content=linked)

    def _inline_code(self, code: str) -> str | None:
        ids = self._ids(code)
        if ids is not None:
            return f"<code>{ids}</code>"
        target = None if self.name is None else self.name(code)
        if target is None:
            return None
        shown_code = escape(code, quote=False)
        return f'<a class="name" href="{escape(target)}"><code>{shown_code}</code></a>'

    def of_code(self, html: str) -> str:
        """Highlighted code, with links of its claims and names."""
        if self.claim is not None:
            html = _BETWEEN.sub(lambda m: self._ids(unescape(m[0])) or m[0], html)
        return html if self.name is None else _CHAIN.sub(self._chain, html)

    def _chain(self, match: re.Match[str]) -> str:
        """A dotted name: the longest beginning of it that is documented becomes a link."""
        assert self.name is not None
        parts = list(re.finditer(_PART, match[0]))
        called = "()" if _CALL.match(match.string, match.end()) else ""
        for count in range(len(parts), 0, -1):
            text = ".".join(part[1] for part in parts[:count])
            target = self.name(text + (called if count == len(parts) else ""))
            if target is not None:
                end = parts[count - 1].end()
                head = f'<a class="name" href="{escape(target)}">{match[0][:end]}</a>'
                return head + match[0][end:]
        return match[0]

    def of_text(self, text: str) -> str:
        """Plain text as HTML, with links of its claims."""
        return self._ids(text) or escape(text, quote=False)

    def _ids(self, text: str) -> str | None:
        """The text as HTML with its claims linked, None if there are none."""
        if self.claim is None:
            return None
        parts, end = [], 0
        for match in _ID.finditer(text):
            target = self.claim(match[0])
            if target is None:
                continue
            parts.append(escape(text[end : match.start()], quote=False))
            parts.append(f'<a class="claim" href="{escape(target)}">{match[0]}</a>')
            end = match.end()
        return "".join([*parts, escape(text[end:], quote=False)]) if parts else None


# --- style --------------------------------------------------------------------------------------
@cache
def stylesheet() -> str:
    """The style of every page: page.css, and the colours of code, light and dark."""
    with extra("a page"):
        from pygments.formatters import HtmlFormatter

    own = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    light = _of_code(HtmlFormatter(style="default"))
    dark = _of_code(HtmlFormatter(style="github-dark"))
    return f"{own}\n{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def _of_code(formatter: Any) -> str:
    """The rules for code, without backgrounds, which page.css gives, and without comments."""
    rules = formatter.get_style_defs(".highlight").splitlines()
    wanted = [rule for rule in rules if rule.startswith(".highlight .")]
    return "\n".join(re.sub(r"\s*/\*.*?\*/", "", re.sub(r"background-color: [^;}]+;? ?", "", rule))
                     for rule in wanted)  # fmt: skip
