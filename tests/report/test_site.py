"""The documentation: every link, anchor, formula, claim and name; and a browser that reads it."""

from __future__ import annotations

import ast
import os
import posixpath
import re
import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

import symbench as sb
from symbench.cli import _COMMANDS, main
from symbench.errors import BadValue
from symbench.report import documentation, sources
from symbench.report.site import Page, Site
from tests.registry.plugin import until
from tests.report.browser import chromium
from tests.test_public import PUBLIC, SPACES, names_of

ROOT = Path(sb.__file__).parent.parent


# In this process other tests may have declared claims of their own.
CLAIMS = {id: c for id, c in sb.claims.items() if c.function.__module__.startswith("symbench.")}


def built(folder, seed):
    """The site as the command makes it, in a process with this order of sets."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-m", "symbench.cli", "docs", "-o", str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(folder / "index.html"))
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return built(tmp_path_factory.mktemp("docs") / "site", 1)


@pytest.fixture(scope="module")
def pages(site):
    """The text of every page, by its path."""
    return {p.relative_to(site).as_posix(): p.read_text("utf-8") for p in site.rglob("*.html")}


def values(html, attribute):
    """The values of an attribute, in tags: what looks like one in the text is text."""
    tags = "".join(re.findall("<[a-z][^>]*>", html))
    return [unescape(found) for found in re.findall(rf'\s{attribute}="([^"]*)"', tags)]


@pytest.fixture(scope="module")
def anchors(pages):
    return {path: values(html, "id") for path, html in pages.items()}


# --- what stands in the folder ------------------------------------------------------------------
def test_every_link_leads_somewhere(site, pages, anchors):
    ids = {path: set(found) for path, found in anchors.items()}
    broken, looked_at = [], 0
    for path, html in pages.items():
        for target in {*values(html, "href"), *values(html, "src")}:
            if target.startswith(("https://arxiv.org/", "data:,")):
                continue
            file, _, anchor = unquote(target).partition("#")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
            place = path if not file else place
            looked_at += 1
            if not (site / place).is_file() or (anchor and anchor not in ids.get(place, ())):
                broken.append(f"{path}: {target}")
    assert not broken
    assert looked_at > 10_000


def test_an_anchor_occurs_once(anchors):
    twice = [path for path, found in anchors.items() if len(found) != len(set(found))]
    assert not twice


def test_nothing_is_asked_of_the_network(site, pages):
    for path, html in pages.items():
        assert not re.search(r'(?:src|action)="(?!data:)[a-z]+:', html), path
        assert not re.search(r'<link[^>]*href="https?:', html), path
    for name in ("style.css", "site.js"):
        assert "http" not in (site / name).read_text("utf-8")


def test_no_formula_is_left_as_it_was_written(pages):
    for path, html in pages.items():
        text = re.sub(r"<(pre|code|math)\b.*?</\1>", "", html, flags=re.S)
        text = re.sub(r"<[^>]*>", "", text)
        assert not re.search(r"\$|\\[a-z]+", text), path
    assert sum(html.count("<math") for html in pages.values()) > 5_000


def test_pictures_exist_and_are_shown(site, pages):
    pictures = {p.name for p in (ROOT / "examples").glob("*.svg")} if ROOT.exists() else set()
    shown = {posixpath.basename(src) for html in pages.values() for src in values(html, "src")}
    assert {name for name in pictures if f"({name})" in "".join(_markdown())} <= shown
    assert shown >= {"site.js"}


def _markdown():
    return [sources.read(path).decode() for path in sources.pages()]


def test_every_page_of_the_checkout_has_one(site):
    for path in sources.pages():
        name = re.sub(r"README\.md$", "index.md", path).removesuffix(".md")
        assert (site / f"{name}.html").is_file()
        title = re.search(r"^# (.*)", sources.read(path).decode(), flags=re.M)[1]
        plain = re.sub(r"<[^>]*>", "", (site / f"{name}.html").read_text("utf-8"))
        assert unescape(title.replace("`", "")) in unescape(plain)


def test_every_claim_has_a_card(pages):
    for id, claim in CLAIMS.items():
        html = pages[f"claims/{claim.paper}.html"]
        start = html.index(f'<section class="card" id="{id}">')
        card = html[start : html.index("</section>", start)]
        text = unescape(re.sub(r"<[^>]*>", "", card))
        assert f"symbench verify {id}" in text
        for special in (*claim.near_misses, *claim.controls):
            assert special.description.replace("`", "") in text or "$" in special.description
        for other in (*claim.assumes, *([claim.repaired_by] if claim.repaired_by else [])):
            assert re.search(rf'href="[^"]*#{re.escape(other)}"', card)
        if claim.proof:
            assert f'href="../{claim.proof.removesuffix(".md")}.html"' in card


def test_claims_are_linked_where_they_are_named(pages):
    for path, html in pages.items():
        if path.endswith(".py.html"):
            continue
        links = {target.partition("#")[2] for target in values(html, "href")}
        for id in set(re.findall(r"\b(?:boix2024|lavie2024|edelman2022)\.[\w.-]*\w", _words(html))):
            now = FORMER.get(id, id)
            if now in CLAIMS:
                assert now in links, (path, id)


FORMER = {old: id for id, claim in CLAIMS.items() for old in claim.formerly}


def _words(html):
    main_part = html.partition("<main")[2].partition("</main>")[0]
    return unescape(re.sub(r"<[^>]*>", "", main_part))


@pytest.mark.parametrize("space", ["", *SPACES])
def test_every_public_name_has_an_anchor(space, anchors):
    found = set(anchors[f"api/{space or 'symbench'}.html"])
    names = names_of(space) if space else [n for n in dir(sb) if not n.startswith("__")]
    rooms = {*SPACES, "errors"}
    assert [name for name in names if name not in found and name not in rooms] == []


def test_no_summary_breaks_off_before_what_it_announces(pages):
    rooms = [page for path, page in pages.items() if path.startswith("api/")]
    cells = [_words(f"<main{cell}") for page in rooms for cell in re.findall("<td>.*?</td>", page)]
    assert len(cells) > 400
    assert [cell for cell in cells if cell.endswith(":")] == []


def test_source_links_lead_to_the_definition(pages):
    linked, written = {}, {}
    for room in ["symbench", *SPACES]:
        for part in pages[f"api/{room}.html"].split('<section class="name" id="')[1:]:
            source = re.search(r'<a class="source" href="\.\./([^"#]*)\.html#L(\d+)"', part)
            linked[room, part.partition('"')[0]] = source
    checked = 0
    for place, value in PUBLIC.items():
        room, _, name = place.rpartition(".")
        found = linked.get((room or "symbench", name))
        if found is None:  # documented on the page of another room
            continue
        file, line = found[1], int(found[2])
        if file not in written:
            written[file] = {
                line: node.name
                for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
                if isinstance(node, ast.ClassDef | ast.FunctionDef)
                for line in (node.lineno, *(d.lineno for d in node.decorator_list))
            }
        assert written[file][line] == value.__name__
        checked += 1
    assert checked > 250


def test_every_command_has_its_help(pages):
    text = _words(pages["command.html"])
    for name in _COMMANDS:
        assert f"symbench {name} [OPTIONS]" in text
    assert "--force" in text


def test_errors_are_shown_with_what_raises_them(pages):
    text = " ".join(_words(pages["api/errors.html"]).split())
    assert "Matrix([[1, 2], [3]])" in text
    assert "row 1 has 1 entries, row 0 has 2: all rows must be of one length" in text


def test_two_builds_are_the_same(site, tmp_path):
    built(tmp_path / "site", 7)
    again = {p.relative_to(tmp_path / "site"): p for p in (tmp_path / "site").rglob("*.*")}
    first = {p.relative_to(site): p for p in site.rglob("*.*")}
    assert first.keys() == again.keys()
    assert [str(n) for n in first if first[n].read_bytes() != again[n].read_bytes()] == []


# --- the folder that is written into ------------------------------------------------------------
@pytest.fixture(scope="module")
def small():
    """A site of one page."""
    site = Site(main)
    site.files.clear()
    site.add(Page("index.html", "Start", "One", "<h1>One</h1>"))
    return site


def test_a_folder_of_somebody_else_is_left_alone(small, tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(BadValue, match="is not empty, and no site of symbench: give another"):
        small.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    small.write(tmp_path, force=True)
    assert (tmp_path / "mine.txt").read_text() == "precious"
    assert (tmp_path / "index.html").is_file()


def test_a_file_is_no_folder(small, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadValue, match="is a file: give a folder"):
        small.write(tmp_path / "file")


def test_pages_of_a_former_build_go_and_other_files_stay(small, tmp_path):
    site, outside = tmp_path / "deep" / "site", tmp_path / "outside.txt"
    outside.write_text("precious")
    small.add(Page("claims/old.html", "Claims", "Old", ""))
    assert small.write(site) == 5
    del small.pages["claims/old.html"]
    (site / "mine.txt").write_text("precious")
    manifest = site / "site.txt"
    manifest.write_text(manifest.read_text() + "../../outside.txt\n")  # nothing outside is touched
    assert small.write(site) == 4
    left = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    assert left == {"index.html", "mine.txt", "search.js", "site.js", "site.txt", "style.css"}
    assert outside.read_text() == "precious"


def test_the_command_says_what_is_wrong(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    done = CliRunner().invoke(main, ["docs", "-o", str(tmp_path)])
    assert done.exit_code == 2
    assert "--force" in done.stderr
    missing = CliRunner().invoke(main, ["docs", "-o", str(tmp_path / "x"), "--report", "no.html"])
    assert missing.exit_code == 2


def test_a_formula_that_cannot_be_shown_is_named_with_page_and_line(tmp_path, monkeypatch):
    read = sources.read

    def with_error(path):
        return b"# Page\n\nGood $x$.\nBad $\\nosuch$.\n" if path == PLANTED else read(path)

    monkeypatch.setattr(sources, "read", with_error)
    with pytest.raises(BadValue, match=rf"{PLANTED}, line 4: the formula is .*nosuch"):
        documentation.build(tmp_path / "site", main)
    assert not (tmp_path / "site").exists()


PLANTED = sources.pages()[1]


def test_a_ledger_becomes_the_report_of_the_site(site, tmp_path):
    """Its links to proofs lead into the site."""
    ledger = tmp_path / "verdicts.db"
    sb.verify("boix2024.lemma-E.1", ledger=ledger)
    html = documentation._report(Site(main), ledger).decode()
    targets = [t for t in values(html, "href") if "proofs/" in t]
    assert targets
    assert all((site / target).is_file() for target in targets)


def test_a_missing_library_is_named(tmp_path):
    code = (
        "import sys; sys.modules['markdown_it'] = None\n"
        "from symbench.cli import main\n"
        f"main(['docs', '-o', {str(tmp_path / 'site')!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'symbench[report]'" in done.stderr


def test_the_wheel_has_the_pages():
    """What an installed symbench makes the site of is what a checkout has beside the package."""
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("symbench is installed: its pages are what the other tests read")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    inside = f"symbench/report/{sources._INSTALLED.name}"
    parts = ("README.md", "examples", "proofs")
    assert wheel["force-include"] == {name: f"{inside}/{name}" for name in parts}
    assert sources.folder() == ROOT


# --- in a browser -------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


# One page of each sort, and those with the widest formulas, tables and names.
LOOKED_AT = [
    "index.html",
    "examples/index.html",
    "examples/why_an_mlp_cannot.html",
    "claims/index.html",
    "claims/lavie2024.html",
    "claims/symbench.html",
    "proofs/certificates.html",
    "proofs/symbench/gram.html",
    "proofs/symbench/block-size-profile.html",
    "api/index.html",
    "api/errors.html",
    "api/ktau.html",
    "command.html",
    "changes.html",
    "symbench/certificates/check_certificate.js.html",
]

# Elements wider than the window, unless they scroll by themselves.
WIDE = """
const room = document.documentElement.clientWidth;
const wide = [...document.querySelectorAll("main *")].filter(
    e => e.getBoundingClientRect().right > room + 1 && !e.closest("pre, .wide, .formula"));
return [document.documentElement.scrollWidth - room, wide.length];
"""
FORMULAS = """
const empty = [...document.querySelectorAll("math")].filter(
    e => e.getBoundingClientRect().width < 2 || e.getBoundingClientRect().height < 4);
return [document.querySelectorAll("math").length, empty.length];
"""
PICTURES = """
return [...document.images].filter(i => !i.complete || i.naturalWidth < 50).map(i => i.src)
"""


def look(browser, site, paths):
    formulas = 0
    for path in paths:
        browser.open(site / path, width=390, dark=True)
        assert browser.run("return window.scrollY") == 0, path  # it begins at its beginning
        assert browser.run(WIDE) == [0, 0], path
        assert browser.run(PICTURES) == [], path
        found, empty = browser.run(FORMULAS)
        assert empty == 0, path
        formulas += found
    assert browser.messages() == []
    assert {url.partition(":")[0] for url in browser.requests()} <= {"file", "data", "about"}
    return formulas


def test_pages_on_a_phone(browser, site):
    assert look(browser, site, LOOKED_AT) > 500


@pytest.mark.slow
def test_every_page_on_a_phone(browser, site, pages):
    assert look(browser, site, pages) > 5_000


def find(browser, query):
    """What the search shows for a query: titles and addresses, best first."""
    script = """
    const [query, done] = arguments, input = document.querySelector(".search input");
    input.value = query;
    input.dispatchEvent(new Event("input"));  // loads the index, whether or not there is a focus
    const show = () => {
        if (typeof SYMBENCH_INDEX === "undefined") return setTimeout(show, 20);
        input.dispatchEvent(new Event("input"));
        setTimeout(() => done([...document.querySelectorAll("#found a")].map(
            a => [a.querySelector("b").textContent, a.href.split("/site/")[1], a.innerText])), 0);
    };
    show();"""
    return browser.driver.execute_async_script(script, query)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("boix2024.lemma-E.1", "claims/boix2024.html#boix2024.lemma-E.1"),
        ("LEMMA-e.1", "claims/boix2024.html#boix2024.lemma-E.1"),
        ("Template", "api/words.html#Template"),
        ("sb.certify", "api/symbench.html#certify"),
        ("is my task learnable", "examples/is_my_task_learnable.html"),
        ("symbench verify", "command.html#symbench-verify"),
        ("NotExact", "api/errors.html#NotExact"),
    ],
)
def test_the_search_ranks_titles_first(browser, site, query, first):
    browser.open(site / "proofs/certificates.html")
    found = find(browser, query)
    assert found[0][1] == first


def test_the_search_finds_greek_letters_in_both_spellings(browser, site):
    browser.open(site / "index.html")
    letters, names = find(browser, "κ β"), find(browser, "kappa beta")
    assert letters
    assert [found[1] for found in letters] == [found[1] for found in names]
    assert any("ααβST" in text for _, _, text in find(browser, "ααβst"))


def test_the_search_needs_every_word(browser, site, pages):
    browser.open(site / "index.html")
    both = {found[1] for found in find(browser, "Hypothesis pytest plugin")}
    assert both
    for target in both:
        html = _words(pages[target.partition("#")[0]]).lower()
        assert all(word in html for word in ("hypothesis", "pytest", "plugin"))
    assert find(browser, "nosuchwordanywhere") == []
    assert "Nothing found" in browser.run("return document.getElementById('found').innerText")


def test_the_search_by_keyboard(browser, site):
    from selenium.webdriver.common.keys import Keys

    browser.open(site / "claims/index.html")
    driver = browser.driver
    found = find(browser, "semistandard")
    assert len(found) > 1
    browser.open(site / "claims/index.html")
    driver.find_element("css selector", "body").send_keys("/")
    box = driver.switch_to.active_element
    assert box.get_attribute("type") == "search"
    box.send_keys("semistandard")
    chosen = '#found a[aria-selected="true"]'
    until(lambda: driver.find_elements("css selector", chosen))
    box.send_keys(Keys.ARROW_DOWN)
    target = driver.find_element("css selector", chosen).get_attribute("href")
    assert target.endswith(found[1][1])
    box.send_keys(Keys.ESCAPE)
    assert not driver.find_element("id", "found").is_displayed()
    box.send_keys(" ", Keys.ARROW_DOWN, Keys.ENTER)
    assert driver.current_url == target
    assert browser.messages() == []
