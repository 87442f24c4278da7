"""The report in a real browser: it can be read, searched and printed, and it checks itself."""

import base64
import json
import re
import subprocess
import zlib

import pytest
from click.testing import CliRunner

import symbench as sb
from symbench.certificates.files import document
from symbench.certificates.plain import digest
from symbench.cli import main
from symbench.registry.ledger import Ledger
from symbench.report import Report

from .browser import chromium
from .conftest import CLAIMS, certificates
from .test_page import EVIL, forge

SHOWN = "return Array.from(document.querySelectorAll('article:not([hidden])'), (x) => x.id)"
READY = "return document.body.dataset.ready === 'yes'"
WIDE = "return document.documentElement.scrollWidth - window.innerWidth"


@pytest.fixture(scope="module")
def window():
    with chromium() as one:
        yield one


@pytest.fixture
def browser(window):
    """The browser, and what it saw before is forgotten."""
    window.messages(), window.requests()
    return window


@pytest.fixture(scope="module")
def file(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


def choose(browser, name, value):
    browser.run(
        "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
        "box.dispatchEvent(new Event(box.tagName === 'SELECT' ? 'change' : 'input'))",
        "search" if name == "search" else f"filter-{name}", value,
    )  # fmt: skip
    return browser.run(SHOWN)


def check_all(browser, seconds=120):
    browser.run("document.getElementById('check-all').click()")
    return browser.wait(
        "const said = document.getElementById('all'); "
        "return /^(all|stopped)|checked, and/.test(said.textContent) "
        "&& [said.textContent, said.className]",
        seconds,
    )


def test_formulas_have_size(browser, file):
    browser.open(file)
    sizes = browser.run(
        "return Array.from(document.querySelectorAll('math'), (m) => {"
        " const box = m.getBoundingClientRect(); return [box.width, box.height]; })"
    )
    assert len(sizes) > 20
    assert min(map(min, sizes)) > 3
    # A formula that is not laid out would be as wide as its letters side by side.
    assert browser.run(
        "const math = Array.from(document.querySelectorAll('#boix2024\\\\.lemma-E\\\\.1 mtd'), "
        "(cell) => cell.getBoundingClientRect()); return math[0].top < math[2].top"
    )


def test_indices_stand_below_their_letters(browser, file):
    fonts = subprocess.run(["fc-list"], capture_output=True, text=True, check=False).stdout
    if "DejaVu Math TeX Gyre" not in fonts:
        pytest.skip("the font for formulas that this test is about is not installed")
    browser.open(file)
    drops = browser.run(
        "return Array.from(document.querySelectorAll('msub'), (one) => "
        "one.children[1].getBoundingClientRect().bottom"
        " - one.children[0].getBoundingClientRect().bottom)"
    )
    assert len(drops) > 20
    assert min(drops) > 1


def test_pictures_are_light_on_dark(browser, file):
    browser.open(file, dark=True)
    inks = browser.run(  # which a filter turns over
        "return Array.from(document.querySelectorAll('figure svg'), "
        "(svg) => getComputedStyle(svg).color + getComputedStyle(svg).filter.slice(0, 6))"
    )
    assert set(inks) == {"rgb(0, 0, 0)invert"}
    # Those that are not turned over are drawn in the colour of the page's own text.
    fills = browser.run(
        "return Array.from(document.querySelectorAll('svg text'))"
        ".filter((text) => !text.closest('.drawn')).map((text) => getComputedStyle(text).fill)"
    )
    assert len(fills) > 100
    assert set(fills) == {browser.run("return getComputedStyle(document.body).color")}


def test_no_word_of_a_table_is_cut(browser, file):
    browser.open(file)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    lines = browser.run(
        "return Array.from(document.querySelectorAll('table.texts td'))"
        ".filter((cell) => /^[a-z]+$/.test(cell.textContent)).map((cell) => {"
        " const range = document.createRange(); range.selectNodeContents(cell);"
        " return range.getClientRects().length; })"
    )
    assert len(lines) > 20
    assert set(lines) == {1}


def test_filters_are_in_the_address_and_survive_a_reload(browser, file):
    browser.open(file)
    assert len(browser.run(SHOWN)) == len(CLAIMS)
    lavie = [id for id in CLAIMS if id.startswith("lavie2024.")]
    assert sorted(choose(browser, "paper", "lavie2024")) == sorted(lavie)
    assert choose(browser, "verdict", "fails") == ["lavie2024.one-hot"]
    browser.driver.refresh()
    browser.wait(READY)
    assert browser.run(SHOWN) == ["lavie2024.one-hot"]
    assert browser.run("return document.getElementById('shown').textContent") == "1 of 8 claims"
    assert browser.run("return location.hash") == "#paper=lavie2024&verdict=fails"
    # A link to a view that was filtered works, and so does one to a claim outside of it.
    browser.run("location.hash = '#paper=symbench&certificate=one-point'")
    browser.wait("return document.querySelectorAll('article:not([hidden])').length === 1")
    assert browser.run(SHOWN) == ["symbench.one-point"]
    browser.run("location.hash = '#young.hook-length'")
    browser.wait("return document.querySelectorAll('article:not([hidden])').length === 8")
    assert browser.run("return document.querySelector('article:target').id") == "young.hook-length"
    browser.driver.back()
    browser.wait("return document.querySelectorAll('article:not([hidden])').length === 1")
    browser.open(file, "#search=hook%20lengths&scope=all+cases")
    assert browser.run(SHOWN) == ["young.hook-length"]
    browser.run("document.getElementById('reset').click()")
    assert len(browser.run(SHOWN)) == len(CLAIMS)
    assert browser.messages() == []


def test_every_filter_shows_what_the_ledger_has(browser, file, ledger):
    browser.open(file)
    entries = Report(Ledger(ledger)).entries
    for name, of in (
        ("paper", lambda e: [e.id.split(".")[0]]),
        ("verdict", lambda e: [e.verdict.status]),
        ("scope", lambda e: [e.verdict.scope]),
        ("certificate", lambda e: [c.kind for c in e.certified] or ["none"]),
    ):
        values = {value for entry in entries for value in of(entry)}
        for value in values:
            wanted = {entry.id for entry in entries if value in of(entry)}
            assert set(choose(browser, name, value)) == wanted, (name, value)
        choose(browser, name, "")
    assert choose(browser, "certificate", "any kind") == [e.id for e in entries if e.certified]
    assert browser.run(
        "return document.querySelectorAll('select option').length"
    ) == 4 + 4 + 3 + 2 + (2 + len({c.kind for e in entries for c in e.certified}))
    choose(browser, "certificate", "")
    assert choose(browser, "search", "no such words") == []


def test_every_certificate_turns_green_after_it_has_run(browser, file, page):
    browser.open(file)
    green = (
        "return document.querySelectorAll('button.checked, output.checked, .mark.checked').length"
    )
    assert browser.run(green) == 0
    count = sum(map(len, certificates(page).values()))
    assert check_all(browser) == [f"all {count} checked in this browser", "checked"]
    marks = browser.run("return Array.from(document.querySelectorAll('.mark'), (x) => x.className)")
    assert marks == ["mark checked"] * count
    assert browser.run("return document.querySelectorAll('button.run.checked').length") == len(
        certificates(page)
    )
    assert browser.run("return getComputedStyle(document.querySelector('button.run')).color") == (
        "rgb(23, 105, 46)"
    )
    assert browser.messages() == []
    # Nothing but the file itself and the worker that it makes of itself.
    assert {re.sub("blob:.*", "blob:", url) for url in browser.requests()} == {
        f"file://{file}",
        "blob:",
    }


def test_one_claim_is_checked_by_its_own_button(browser, file):
    browser.open(file)
    card = "document.getElementById('symbench.vocabulary')"
    browser.run(f"{card}.querySelector('.run').click()")
    said = browser.wait(f"return {card}.querySelector('output.checked')?.textContent")
    assert re.fullmatch(r"3 checked in this browser, [\d.]+ s", said)
    items = browser.run(
        f"return Array.from({card}.querySelectorAll('li'), (item) => item.textContent)"
    )
    assert len(items) == 3
    assert all("checked: nonsingular" in item for item in items)
    others = "return document.querySelectorAll('article .checked').length"
    assert browser.run(others) == 1 + 1 + 3


def signed(text, key, value):
    """The certificate with another value and the digest that belongs to it."""
    changed = {**json.loads(text), key: value}
    del changed["digest"]
    return json.dumps({**changed, "digest": digest(changed)})


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"residue": "', '"residue": "1'),
        lambda text: text.replace('"nonsingular', '"singular'),
        lambda text: text[:-2],
        lambda text: text.replace('"writer"', '"Writer"'),
        lambda text: signed(text, "statement", "nonsingular, and more"),
        lambda text: signed(text, "exactness", "float"),
        lambda text: signed(text, "theorems", [{"claim": "symbench.gram", "page": ""}]),
    ],
)
def test_a_tampered_certificate_turns_red(browser, file, page, change, tmp_path):
    id = "symbench.vocabulary"
    pairs = [[case, json.dumps(document)] for case, document in certificates(page)[id]]
    assert change(pairs[1][1]) != pairs[1][1]
    pairs[1][1] = change(pairs[1][1])
    broken = base64.b64encode(zlib.compress(json.dumps(pairs).encode())).decode()
    before = re.search(rf'id="{re.escape(id)}".*?class="packed">(.*?)</script>', page, re.S)[1]
    path = tmp_path / "tampered.html"
    path.write_text(page.replace(before, broken), encoding="utf-8")
    browser.open(path)
    said, colour = check_all(browser)
    count = sum(map(len, certificates(page).values()))
    assert said == f"{count - 1} checked, and some are not right: see the red ones"
    assert colour == "wrong"
    card = f"document.getElementById('{id}')"
    assert browser.run(f"return {card}.querySelector('output').className") == "wrong"
    assert "1 of 3 not right" in browser.run(f"return {card}.querySelector('output').textContent")
    marks = browser.run(f"return Array.from({card}.querySelectorAll('.mark'), (x) => x.className)")
    assert marks == ["mark checked", "mark wrong", "mark checked"]
    assert browser.run("return document.querySelectorAll('button.run.wrong').length") == 1


def test_a_certificate_of_another_claim_is_not_green(browser, page, tmp_path):
    mine, other = (certificates(page)[id] for id in ("symbench.vocabulary", "symbench.one-point"))
    pairs = [[case, json.dumps(document)] for case, document in [*mine[:2], other[0]]]
    packed = base64.b64encode(zlib.compress(json.dumps(pairs).encode())).decode()
    before = re.search(r'id="symbench.vocabulary".*?class="packed">(.*?)</script>', page, re.S)[1]
    path = tmp_path / "other.html"
    path.write_text(page.replace(before, packed), encoding="utf-8")
    browser.open(path)
    card = "document.getElementById('symbench.vocabulary')"
    browser.run(f"{card}.querySelector('.run').click()")
    said = browser.wait(f"return {card}.querySelector('output.wrong')?.textContent")
    assert said.startswith("1 of 3 not right.")
    assert said.endswith("checked, but of another claim: symbench.one-point")


def test_what_can_only_be_re_run_is_not_green(browser, page, tmp_path):
    id = "lavie2024.dimension"
    listed = sb.verify(id, max_length=3).certificate
    pairs = [["all", json.dumps(document(listed))]]
    packed = base64.b64encode(zlib.compress(json.dumps(pairs).encode())).decode()
    before = re.search(rf'id="{re.escape(id)}".*?class="packed">(.*?)</script>', page, re.S)[1]
    path = tmp_path / "re-run.html"
    path.write_text(page.replace(before, packed), encoding="utf-8")
    browser.open(path)
    card = f"document.getElementById('{id}')"
    browser.run(f"{card}.querySelector('.run').click()")
    said = browser.wait(f"return {card}.querySelector('output.wrong')?.textContent")
    assert said.startswith("1 of 1 not right. all: re-run: ")
    assert browser.run(f"return {card}.querySelectorAll('.checked').length") == 0


def test_packed_data_that_is_cut_is_said(browser, page, tmp_path):
    path = tmp_path / "cut.html"
    cut = re.sub(r'(class="packed">.{40}).*?(</script>)', r"\1\2", page, count=1, flags=re.S)
    path.write_text(cut, encoding="utf-8")
    browser.open(path)
    said, colour = check_all(browser)
    assert (colour, "some are not right" in said) == ("wrong", True)
    texts = browser.run(
        "return Array.from(document.querySelectorAll('output.wrong'), (x) => x.textContent)"
    )
    assert any(text.startswith("cannot be checked here: ") for text in texts)


def test_checking_can_be_stopped(browser, file):
    browser.open(file)
    browser.run(
        "const all = document.getElementById('check-all'); all.click();"
        "new MutationObserver((_, self) => { self.disconnect(); all.click(); })"
        ".observe(document.getElementById('cards'), {childList: true, subtree: true})"
    )
    said = browser.wait(
        "const said = document.getElementById('all').textContent; "
        "return said.startsWith('stopped') && said"
    )
    assert int(re.search(r"\d+", said)[0]) < 20
    assert browser.run("return document.getElementById('all').className") == ""


def ask(browser, text, wildcards="", cls=True):
    browser.run(
        "document.getElementById('answer').hidden = true;"
        "document.getElementById('task').value = arguments[0];"
        "document.getElementById('wildcards').value = arguments[1];"
        "document.getElementById('cls').checked = arguments[2];"
        "document.getElementById('ask').click()",
        text, wildcards, cls,
    )  # fmt: skip
    return browser.wait(
        "const box = document.getElementById('answer'); "
        "return !box.hidden && [box.className, box.textContent, box.querySelectorAll('td').length]"
    )


def test_a_task_of_ones_own(browser, file):
    browser.open(file)
    colour, said, cells = ask(browser, "xx=1 xy=-1", wildcards="xy")
    assert colour == "answer yes"
    assert "Learnable by softmax attention for every beta, gamma ≠ 0" in said
    assert "checked K_tau of softmax attention is positive definite" in said
    assert cells == 6
    colour, said, _ = ask(browser, "αβ=1 βα=2")
    assert colour == "answer no"
    assert "αβ and βα are equivalent" in said
    assert "their labels are 1 and 2" in said
    colour, said, _ = ask(browser, "αβ=1 βα=1 αα=0", cls=False)
    assert colour == "answer yes"
    assert "Learnable with these labels" in said
    for text, why in (("xx xy", "no wildcards"), ("", "no templates"), ("αα=1 αβ", "no label")):
        colour, said, _ = ask(browser, text)
        assert colour == "answer error"
        assert why in said
    colour, said, _ = ask(browser, "α<img/src=x/onerror=alert(1)>=<b>1</b>")
    assert colour == "answer yes"
    assert browser.run("return document.querySelectorAll('img, #answer b').length") == 0
    assert browser.messages() == []


def test_the_certificate_of_ones_own_task_is_saved(browser, file, tmp_path):
    settings = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", settings)
    browser.open(file)
    ask(browser, "ααβ=1 αβα=0 βαα=7")
    browser.run("document.querySelector('#answer a').click()")
    path = tmp_path / "certificate.json"
    for _ in range(200):
        if path.exists():
            break
        browser.wait("return true")
    assert sb.check(path)
    assert sb.load(path).subject.labels == ("1", "0", "7")


@pytest.mark.parametrize("width", range(390, 1300, 70))
def test_the_search_box_says_what_it_finds(browser, file, width):
    browser.open(file, width=width)
    room, needed = browser.run(
        "const box = document.getElementById('search'), style = getComputedStyle(box);"
        "const pen = document.createElement('canvas').getContext('2d'); pen.font = style.font;"
        "return [box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),"
        " pen.measureText(box.placeholder).width]"
    )
    assert room >= needed


@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_screen(browser, file, dark):
    browser.open(file, width=390, dark=dark)
    ask(browser, "ααβ=1 αβα=0 βαα=7")
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.wait("return document.querySelectorAll('.mark').length > 50")
    assert browser.run(WIDE) <= 0
    assert browser.run("return document.querySelector('h1').getBoundingClientRect().width") > 300
    # Letters stand out from the paper: a ratio of 4.5 is what WCAG asks for.
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    for what in ("body", "a", ".badge.holds", ".badge.fails", ".soft", "figcaption", "dt"):
        style = f"getComputedStyle(document.querySelector('{what}'))"
        ink, own = browser.run(f"return [{style}.color, {style}.backgroundColor]")
        assert contrast(ink, paper if own == "rgba(0, 0, 0, 0)" else own) > 4.5, what


def contrast(one, two):
    def light(colour):
        parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([light(one), light(two)])
    return (high + 0.05) / (low + 0.05)


def test_paper(browser, file):
    browser.open(file)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    hidden = browser.run(
        "return Array.from(document.querySelectorAll('button, select, input, nav'), "
        "(one) => one.offsetParent === null)"
    )
    assert all(hidden)
    assert browser.run(
        "return Array.from(document.querySelectorAll('.on-paper table'), (t) => t.offsetHeight)"
        ".every((height) => height > 0)"
    )
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.querySelectorAll('details[open]').length") == 0
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    pdf = base64.b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF")


def test_a_hostile_ledger_does_nothing(browser, ledger, tmp_path):
    path = tmp_path / "evil.html"
    made = Report(Ledger(forge(ledger, tmp_path / "evil.db"))).html()
    path.write_text(made, encoding="utf-8")
    browser.open(path)
    browser.wait(READY)
    said, colour = check_all(browser)
    assert (said, colour) == ("0 checked, and some are not right: see the red ones", "wrong")
    assert browser.run("return document.title") == "Claims and their verdicts"
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert EVIL[:60] in browser.run("return document.body.innerText")
    assert browser.messages() == []
    assert all(url.startswith(("file://", "blob:")) for url in browser.requests())


def test_the_policy_stops_scripts_and_the_network(browser, page, tmp_path):
    """If something did get through, the browser would not obey it."""
    path = tmp_path / "worse.html"
    bad = (
        "<script>document.title = 'gone'</script><img src=x onerror=\"document.title = 'gone'\">"
        "<img src='https://example.org/x.png'>"
    )
    path.write_text(page.replace("</h1>", f"</h1>{bad}", 1), encoding="utf-8")
    browser.open(path)
    browser.wait(READY)
    assert browser.run("return document.title") == "Claims and their verdicts"
    assert not [url for url in browser.requests() if url.startswith("http")]
    assert any("Content Security Policy" in message for message in browser.messages())


@pytest.mark.slow
def test_all_claims(browser, tmp_path):
    """Every certificate of every claim turns green, and nothing is too wide."""
    path = tmp_path / "all.html"
    result = CliRunner().invoke(main, ["report", "-o", str(path)])
    assert result.exit_code == 0, result.output
    assert path.stat().st_size < 3_000_000
    browser.open(path)
    count = sum(map(len, certificates(path.read_text(encoding="utf-8")).values()))
    assert count > 1500
    assert check_all(browser, 600) == [f"all {count:,} checked in this browser", "checked"]
    assert browser.run("return document.querySelectorAll('.mark:not(.checked)').length") == 0
    assert browser.messages() == []
    for width in (390, 1280):
        browser.open(path, width=width)
        assert browser.run(WIDE) <= 0
    sizes = browser.run(
        "return Array.from(document.querySelectorAll('math'), "
        "(m) => m.getBoundingClientRect().height)"
    )
    assert min(sizes) > 3
