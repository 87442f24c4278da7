"""The report without a browser: what it says is what the ledger says, and nothing is obeyed."""

import hashlib
import json
import os
import random
import re
import sqlite3
import stat
import subprocess
import sys
import zlib
from base64 import b64encode
from collections import Counter
from html import escape, unescape

import attrs
import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

import symbench as sb
from symbench._arguments import shown
from symbench.certificates.files import document
from symbench.certificates.plain import digest, from_plain
from symbench.cli import main
from symbench.errors import BadLedger, BadType, BadValue
from symbench.registry.ledger import Ledger
from symbench.report import Report, Section
from symbench.report.embedded import embed
from symbench.report.entries import case_text, entries
from symbench.report.pictures import of_document

from .conftest import CLAIMS, Elements, certificates


def run(*arguments):
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def answers(path):
    """The verdicts as they stand in the file."""
    with sqlite3.connect(path) as database:
        found = [json.loads(text) for [text] in database.execute("SELECT verdict FROM points")]
    return {one["claim"]: one for one in found}


# --- what it says -------------------------------------------------------------------------------
def test_a_card_for_each_claim_says_what_the_ledger_says(ledger, page):
    elements, verdicts = Elements(page), answers(ledger)
    cards = {card["id"]: card for card in elements.all("article")}
    assert set(cards) == set(verdicts) == set(CLAIMS)
    for id, verdict in verdicts.items():
        said, card = " ".join(cards[id]["text"].split()), cards[id]
        assert card["data-verdict"] == verdict["status"]
        assert card["data-scope"] == verdict["scope"]
        assert card["data-paper"] == id.split(".")[0]
        assert " ".join(sb.claims[id].source.split()) in said
        for text, result in verdict["near_misses"].items():
            assert text in said
            assert result in said
        for near in sb.claims[id].near_misses:
            assert " ".join(repr(near.case).split())[:200] in said
        if verdict["cases"]:
            assert f"{verdict['cases']:,} case" in said
            assert f"{verdict['certified']:,} of them with a certificate" in said
        sizes = sb.claims[id].parameters
        changed = [f"--size {k}={v}" for k, v in verdict["parameters"].items() if sizes[k] != v]
        assert " ".join(["symbench verify", id, *changed]) in said


def test_the_table_counts(ledger, page):
    verdicts = answers(ledger)
    rows = re.search(r'<table class="counts">(.*?)</table>', page, flags=re.S)[1].split("<tr")
    counts = Counter((id.split(".")[0], v["status"]) for id, v in verdicts.items())
    seen = 0
    for row in rows[2:-1]:
        cells = [
            unescape(re.sub("(?s)<.*?>", "", cell)) for cell in re.findall("(?s)<td>.*?</td>", row)
        ]
        paper, total, *by_status, unexpected, _, certified = [cell.strip() for cell in cells]
        statuses = [counts[paper, status] for status in ("holds", "fails", "undecided")]
        assert [int(number or 0) for number in by_status] == statuses
        assert int(total) == sum(statuses)
        assert unexpected == "0"
        mine = [v["certified"] for id, v in verdicts.items() if id.split(".")[0] == paper]
        assert int(certified.replace(",", "")) == sum(mine)
        seen += int(total)
    assert seen == len(verdicts)


def test_the_refuted_statement_has_its_counterexample_and_its_repair(page):
    [card] = Elements(page).all("article", id="lavie2024.one-hot")
    said = " ".join(card["text"].split())
    assert "Refuted: in the case (3, 3, 2) (1+1+1) occurs, with multiplicity 1" in said
    assert "repaired by symbench.vocabulary" in said
    [repair] = Elements(page).all("article", id="symbench.vocabulary")
    assert "repairs lavie2024.one-hot" in " ".join(repair["text"].split())


def test_every_certificate_of_the_ledger_is_on_the_page(ledger, page):
    with sqlite3.connect(ledger) as database:
        stored = database.execute(
            'SELECT runs.claim, document FROM certificates JOIN cases ON "case" = cases.id '
            "JOIN runs ON runs.id = run"
        ).fetchall()
    wanted, found = Counter(), Counter()
    for id, packed in stored:
        wanted[id, json.loads(zlib.decompress(packed))["digest"]] += 1
    for id, pairs in certificates(page).items():
        for _, one in pairs:
            found[id, one["digest"]] += 1
    assert found == wanted
    assert found.total() > 50


def test_pictures_and_the_graph(page):
    elements = Elements(page)
    captions = [figure["text"] for figure in elements.all("figure", class_="drawn")]
    assert any("The exponents of" in caption for caption in captions)
    assert any("The spectrum of" in caption for caption in captions)
    assert any("Shapes of" in caption for caption in captions)
    linked = {a["href"] for a in elements.all("a") if a.get("href", "").startswith("#lavie")}
    assert "#lavie2024.one-hot" in linked
    graph = re.search(r'<div class="graphs">.*?</section>', page, flags=re.S)[0]
    # An edge is an arc and its head.
    assert graph.count('class="repaired"') == graph.count('class="repaired head"') == 1
    # The arrow ends at the repair, which stands below what it repairs.
    dots = dict(re.findall(r'href="#(.*?)"><circle .*? cy="(.*?)"', graph))
    tip = re.search(r'class="repaired head" d="M\S+ (\S+?)l7 4', graph)[1]
    assert float(tip) + 4 == float(dots["symbench.vocabulary"]) > float(dots["lavie2024.one-hot"])
    anchors = {one["id"] for one in elements.found if "id" in one}
    assert {a["href"][1:] for a in elements.all("a") if a["href"].startswith("#")} - anchors == {
        a["href"][1:] for a in elements.all("a") if "=" in a["href"]
    }


def test_the_graph_is_the_same_in_every_process():
    code = (
        "from types import SimpleNamespace as Entry\n"
        "from symbench.registry import claims\n"
        "from symbench.report.pictures import graphs\n"
        "print(graphs([Entry(id=c.id, claim=c, status='holds') for c in claims.values()]))"
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in "123"
    }  # fmt: skip
    assert len(drawn) == 1
    assert drawn.pop().count("repaired head") > 10


def test_controls_have_their_cases(page):
    card = re.search(r'<article[^>]* id="lavie2024.one-hot".*?</article>', page, flags=re.S)[0]
    controls = sb.claims["lavie2024.one-hot"].controls
    assert controls
    for control in controls:
        assert f"<code>{escape(repr(control.case))}</code>" in card
    assert "<code></code>" not in page


def test_pictures_are_of_what_the_certificate_holds():
    def drawn(rows):
        return of_document(document(sb.certify(rows)))

    checks = [[(i + j) % 2 for j in range(5)] for i in range(5)]
    cells = re.findall(r"M(\d) (\d)h1v1h-1z", drawn(checks).svg)
    assert {(int(i), int(j)) for j, i in cells} == {
        (i, j) for i, row in enumerate(checks) for j, x in enumerate(row) if x
    }
    assert drawn([[-1, 0, 0], [0, 0, 0], [0, 0, 2]]).svg.count('<path fill="#') == 2
    assert drawn([[1] * 3] * 3) is None  # one colour
    assert drawn([[1, 2], [3, 4]]) is None  # too small to show anything
    assert drawn([[10**200, 1, 1], [1, 2, 1], [1, 1, 3]]) is None  # beyond floats
    # Equal eigenvalues are one stem: 0 twice, 3 once.
    blocks = sb.certificates.BlockDiagonal(
        basis=sb.Matrix([[1, 1, 0], [1, -1, 1], [1, 0, -1]]), blocks=(sb.Matrix([[3]]),
        sb.Matrix([[0]])), repeats=(1, 2), prime=7, residue=3, subject=sb.Matrix([[1] * 3] * 3)
    )  # fmt: skip
    assert blocks.check()
    found = of_document(document(blocks))
    assert found.svg.count("<circle") == 2
    assert "multiplicity: up to 2" in found.svg


def test_every_hypothesis_of_its_claims_is_listed(page):
    from symbench.papers.hypotheses import CASES

    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    wanted = [row for row in rows if row["claim"] in CLAIMS]
    section = re.search(r'<section id="hypotheses">.*?</section>', page, flags=re.S)[0]
    assert section.count("<tr>") == len(wanted) + 1 > 5
    text = unescape(section)
    assert all(row["hypothesis"] in text for row in wanted)


def test_the_policy_allows_its_own_script_and_no_network(page):
    elements = Elements(page)
    [policy] = [m["content"] for m in elements.all("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none'; ")
    [script] = [s["text"] for s in elements.all("script") if "type" not in s]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert not [one for one in elements.found if "src" in one or one["tag"] == "link"]


def test_a_further_section(ledger):
    made = Report(Ledger(ledger)).html(more=[Section("atlas", "The atlas", "<p>A map.</p>")])
    assert '<section id="atlas">\n<h2>The atlas</h2>\n<p>A map.</p>' in made
    assert '<a href="#atlas">The atlas</a>' in made


def test_links_to_proofs_lead_where_the_documentation_is(ledger):
    page = Report(Ledger(ledger), documentation=lambda path: f"docs/{path[:-3]}.html").html()
    assert (
        '<a href="docs/proofs/lavie2024/vocabulary.html">proofs/lavie2024/vocabulary.md</a>' in page
    )


def test_another_run_and_a_sweep_without_a_verdict(tmp_path, declare):
    claim = declare(lambda n: n > 0, cases=lambda size=3: range(1, size + 1), id="test.swept")
    book = Ledger(tmp_path / "swept.db")
    points = book.plan(claim, [{"size": 2}, {"size": 4}], 100)
    book.record([(id, (("holds", ""), False, None)) for id, _ in book.pending(points)[:3]])
    [entry] = Report(book).entries
    assert (entry.status, entry.scope, entry.with_certificate) == ("no verdict", "some cases", 0)
    text = " ".join(Elements(Report(book).html()).text.split())
    assert "size=2 2 hold" in text
    assert "size=4 3 hold, 1 pending" in text
    sb.verify("test.swept", size=5, ledger=book)
    sb.verify("test.swept", ledger=book)
    sb.verify("test.swept", size=1, ledger=book)
    [entry] = Report(book).entries
    assert dict(entry.verdict.parameters) == {"size": 3}  # the default sizes
    assert [dict(v.parameters) for v in entry.earlier] == [{"size": 5}, {"size": 1}]
    assert [row.case for row in entry.cases] == [{"int": "1"}, {"int": "2"}, {"int": "3"}]


def test_what_is_not_as_expected_is_said(tmp_path, declare):
    declare(lambda n: n < 3, id="test.surprise", boundary=3)
    sb.verify("test.surprise", ledger=tmp_path / "x.db")
    page = Report(Ledger(tmp_path / "x.db")).html()
    said = " ".join(Elements(page).text.split())
    assert "1 is other than expected" in said
    assert "refuted as printed, not as expected" in said
    assert "Expected: holds. Found: fails." in said
    assert "1 near-miss did not fail, as each must." in said
    assert "Refuted: in the case 3 the statement is false in this case" in said
    assert '<span class="badge bad">' in page


def test_no_more_certificates_than_there_is_room_for(ledger):
    found = entries(Ledger(ledger))
    everything = embed(found)
    assert not any(made.left_out for made in everything.values())
    room = sum(len(made.packed) for made in everything.values()) // 3
    some = embed(found, room=room)
    assert 0 < sum(len(made.packed) for made in some.values()) <= room
    for entry in found:
        assert some[entry.id].count + some[entry.id].left_out == everything[entry.id].count
    assert sum(made.left_out for made in some.values()) > 0
    assert all(made.count == 0 for made in embed(found, room=0).values())
    # One that is large is left out, and does not push out the others.
    large = attrs.evolve(found[0].certified[0], document=random.Random(1).randbytes(90_000).hex())
    heavy = attrs.evolve(found[0], certified=(large, *found[0].certified))
    kept = embed([heavy, *found[1:]])
    assert kept[found[0].id].count == everything[found[0].id].count
    assert kept[found[0].id].left_out == 1


def test_a_certificate_of_something_else_is_left_out(ledger, tmp_path):
    """Good ones, but of another claim, of another case, or of nothing that is said."""
    target, id = tmp_path / "strays.db", "symbench.vocabulary"
    for claim, case in (("symbench.one-point", None), (id, "(9, 9)"), (None, None)):
        target.write_bytes(ledger.read_bytes())
        good = document(sb.certify([[1]]))
        about = {"claim": claim, "case": case or shown((3, 3))}
        good |= {"about": about if claim else {}}
        good["digest"] = digest({k: v for k, v in good.items() if k != "digest"})
        with sqlite3.connect(target) as database:
            database.execute(
                'UPDATE certificates SET document = ? WHERE "case" IN '
                "(SELECT cases.id FROM cases JOIN runs ON run = runs.id WHERE claim = ?)",
                (zlib.compress(json.dumps(good).encode()), id),
            )
        made = Report(Ledger(target)).html()
        assert id not in certificates(made)
        assert (
            certificates(made).keys() | {id} == certificates(Report(Ledger(ledger)).html()).keys()
        )
        [card] = Elements(made).all("article", id=id)
        said = " ".join(card["text"].split())
        assert "Left out: 3 certificates of another claim or case." in said


def test_cases_of_another_edition_are_not_shown(tmp_path, declare):
    declare(lambda n: n > 0, id="test.edited")
    path = tmp_path / "editions.db"
    sb.verify("test.edited", ledger=path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE runs SET versions = json_set(versions, '$.edition', '0000')")
        database.execute("UPDATE cases SET outcome = 'fails', reason = 'long ago'")
        database.execute(
            "UPDATE points SET verdict = json_set(verdict, '$.versions.edition', '0000')"
        )
    sb.verify("test.edited", ledger=path)
    [entry] = Report(Ledger(path)).entries
    assert [row.outcome for row in (*entry.cases, *entry.others)] == ["holds"] * 3
    assert [v.versions["edition"] for v in entry.earlier] == ["0000"]


# --- tables -------------------------------------------------------------------------------------
def test_markdown_table(ledger):
    lines = Report(Ledger(ledger)).table("markdown").splitlines()
    verdicts = answers(ledger)
    assert lines[1].count("---") == lines[0].count("|") - 1 == 7
    assert len(lines) == 2 + len(verdicts)
    for line in lines[2:]:
        cells = [re.sub(r"\\(.)", r"\1", c.strip()) for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        verdict = verdicts[cells[0]]
        assert cells[1] == sb.claims[cells[0]].source
        assert cells[3:6] == [verdict["scope"], str(verdict["cases"]), str(verdict["certified"])]
        assert cells[6] == f"{len(verdict['near_misses'])}/{len(verdict['near_misses'])}"


def test_markdown_table_escapes(tmp_path, declare):
    declare(lambda n: n > 0, id="test.md-1", source="a|b <i> &lt; & ~~c~~ *d* `e` [f](g)")
    sb.verify("test.md-1", ledger=tmp_path / "x.db")
    row = Report(Ledger(tmp_path / "x.db")).table("markdown").splitlines()[2]
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    read = reader.render("|a|b|c|d|e|f|g|\n|-|-|-|-|-|-|-|\n" + row)
    cells = re.findall("<td>(.*?)</td>", read)
    assert unescape(cells[1]) == "a|b <i> &lt; & ~~c~~ *d* `e` [f](g)"


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_a_source_of_several_lines_is_one_cell(tmp_path, declare, style):
    declare(lambda n: n > 0, id="test.lines", source="a book,\n\n  page 7 \x1b[31m\x00")
    sb.verify("test.lines", ledger=tmp_path / "x.db")
    table = Report(Ledger(tmp_path / "x.db")).table(style)
    [row] = [line for line in table.splitlines() if "test." in line]
    assert "a book, page 7" in row
    assert "holds" in row
    assert table.replace("\n", "").isprintable()


def test_latex_table_escapes(tmp_path, declare):
    source = r'50% & $x_1$ of {A_b} \ ~ ^ # <q> $\frac{1$ or $5 to $6 a|b `c` "d" e'
    declare(lambda n: n > 0, id="test.tex-1", source=source)
    sb.verify("test.tex-1", ledger=tmp_path / "x.db")
    table = Report(Ledger(tmp_path / "x.db")).table("latex")
    row = next(line for line in table.splitlines() if line.startswith(r"\texttt"))
    shown = (
        r"50\% \& $x_1$ of \{A\_b\} \textbackslash{} \textasciitilde{} \textasciicircum{} \# "
        r"\textless{}q\textgreater{} \$\textbackslash{}frac\{1\$ or \$5 to \$6 a\textbar{}b "
        r"\textasciigrave{}c\textasciigrave{} ``d'' e"
    )
    assert row == (
        r"\texttt{test.\allowbreak{}tex-\allowbreak{}1} & " + shown
        + r" & holds & all cases & 3 & 0 & 1/1 \\"
    )  # fmt: skip
    assert table.count("longtable}") == 3  # the packages, the beginning, the end
    with pytest.raises(BadValue, match="give latex or markdown"):
        Report(Ledger(tmp_path / "x.db")).table("rtf")


# --- ledgers of strangers -----------------------------------------------------------------------
EVIL = "</script><script>document.title='gone'</script><img src=x onerror=alert(1)>\"'`{{7*7}}&amp;"


def forge(source, target):
    """A copy of a ledger in which every text that may be anything is hostile."""
    target.write_bytes(source.read_bytes())
    target.chmod(stat.S_IRUSR | stat.S_IWUSR)
    with sqlite3.connect(target) as database:
        for id, text in database.execute("SELECT id, verdict FROM points").fetchall():
            verdict = json.loads(text)
            for name in ("near_misses", "controls", "parameters", "versions"):
                verdict[name] = {**verdict[name], EVIL: EVIL}
            verdict["notes"].append(EVIL)
            verdict["scope"] = "sampled"
            change = (
                "UPDATE points SET verdict = ?, parameters = ?, certificate = NULL WHERE id = ?"
            )
            sizes = json.dumps(verdict["parameters"], sort_keys=True, separators=(",", ":"))
            database.execute(change, (json.dumps(verdict), sizes, id))
        for id, written in database.execute("SELECT id, written FROM cases").fetchall():
            changed = json.dumps({"tuple": [EVIL, json.loads(written)]})
            change = "UPDATE cases SET written = ?, outcome = 'fails', reason = ? WHERE id = ?"
            database.execute(change, (changed, EVIL, id))
        for id, packed in database.execute('SELECT "case", document FROM certificates').fetchall():
            one = json.loads(zlib.decompress(packed))
            one["title"] = one["kind"] = one["about"][EVIL] = EVIL
            [[case]] = database.execute("SELECT written FROM cases WHERE id = ?", (id,))
            one["about"]["case"] = shown(from_plain(json.loads(case)))
            change = 'UPDATE certificates SET document = ? WHERE "case" = ?'
            database.execute(change, (zlib.compress(json.dumps(one).encode()), id))
    return target


def test_a_hostile_ledger_is_text(ledger, page, tmp_path):
    forged = Report(Ledger(forge(ledger, tmp_path / "evil.db"))).html()
    plain, elements = Elements(page), Elements(forged)
    assert elements.text.count(EVIL) > 50
    assert not elements.all("img")
    # The page's own two programs and its script, and a list of certificates a claim; no more.
    kinds = [Counter(one.get("class", "own") for one in e.all("script")) for e in (plain, elements)]
    assert kinds[0] == kinds[1]
    names = {name for one in elements.found for name in one}
    assert not [name for name in names if name.startswith("on")]
    assert {one["id"] for one in elements.found if "id" in one} <= {
        one["id"] for one in plain.found if "id" in one
    }
    assert "49" not in re.findall(r"\d+&amp;amp;", forged)  # templates in texts are not run
    for style in ("markdown", "latex"):
        assert "<script" not in Report(Ledger(tmp_path / "evil.db")).table(style)


def test_an_id_that_is_none_is_refused(ledger, tmp_path):
    target = tmp_path / "ids.db"
    for id in (EVIL, "search", "a.b\n", "checker"):
        target.write_bytes(ledger.read_bytes())
        with sqlite3.connect(target) as database:
            database.execute("UPDATE runs SET claim = ? WHERE id = 1", (id,))
        with pytest.raises(BadLedger, match=r"is no id|cannot read"):
            Report(Ledger(target))


def test_a_claim_that_is_not_known_here(ledger, tmp_path):
    target = tmp_path / "own.db"
    target.write_bytes(ledger.read_bytes())
    with sqlite3.connect(target) as database:
        database.execute("UPDATE runs SET claim = 'mine.own' WHERE claim = 'young.hook-length'")
        [[text]] = database.execute(
            "SELECT verdict FROM points JOIN runs ON run = runs.id WHERE claim = 'mine.own'"
        )
        database.execute(
            "UPDATE points SET verdict = ? WHERE verdict = ?",
            (text.replace("young.hook-length", "mine.own"), text),
        )
    [card] = Elements(Report(Ledger(target)).html()).all("article", id="mine.own")
    said = " ".join(card["text"].split())
    assert "No claim with this id is registered here" in said
    assert "symbench verify mine.own --module FILE.py --size max_size=4" in said


def test_whatever_is_wrong_in_a_ledger_is_bad_ledger(ledger, tmp_path):
    """Cells are replaced at random by nonsense: the page is made, or BadLedger says why not."""
    choices = random.Random(20260607)
    columns = {
        "runs": ("claim", "versions"), "points": ("parameters", "verdict", "certificate", "total"),
        "cases": ("written", "outcome", "reason"), "certificates": ("document",),
    }  # fmt: skip
    deep = "[" * 5000 + "]" * 5000
    nonsense = [
        "", "{}", "[]", "null", "7", 7, b"\xff\x00", EVIL, deep, '{"a": NaN}', "\ud800".encode(
            errors="surrogatepass"), zlib.compress(b"[1]"), zlib.compress(b"{}"),
        zlib.compress(b'{"kind": 5}'), zlib.compress(deep.encode()), zlib.compress(b"{}")[:-3],
    ]  # fmt: skip
    outcomes = Counter()
    target = tmp_path / "broken.db"
    for _ in range(25):
        target.write_bytes(ledger.read_bytes())
        table = choices.choice(list(columns))
        column, value = choices.choice(columns[table]), choices.choice(nonsense)
        with sqlite3.connect(target) as database:
            number = f"(SELECT rowid FROM {table} ORDER BY random() LIMIT 1)"
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = {number}", (value,))
        try:
            made = Report(Ledger(target)).html()
        except BadLedger as error:
            made = str(error)
        outcomes["page" if "<article" in made else made[:7]] += 1
    assert set(outcomes) == {"page", "cannot "}
    assert min(outcomes.values()) >= 3


def test_a_small_blob_does_not_become_gigabytes(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr("symbench.registry.ledger._LARGEST", 10_000)
    target = tmp_path / "bomb.db"
    target.write_bytes(ledger.read_bytes())
    with sqlite3.connect(target) as database:
        bomb = zlib.compress(b'{"kind": "' + b"x" * 20_000 + b'"}')
        database.execute("UPDATE certificates SET document = ?", (bomb,))
    with pytest.raises(BadLedger, match="more than 10,000 bytes"):
        Report(Ledger(target))


def test_a_ledger_that_cannot_be_written_is_read(ledger, tmp_path):
    target = tmp_path / "fixed.db"
    target.write_bytes(ledger.read_bytes())
    before = target.read_bytes()
    with sqlite3.connect(target) as other:
        other.execute("BEGIN IMMEDIATE")  # somebody else writes meanwhile
        assert len(Report(Ledger(target, create=False)).entries) == len(CLAIMS)
    assert target.read_bytes() == before


def test_case_texts():
    assert case_text({"tuple": [{"int": "1"}, {"rational": "1/2"}]}) == "(1, 1/2)"
    assert case_text({"type": "somebody's", "data": {}}) == '{"type": "somebody\'s", "data": {}}'
    assert len(case_text({"tuple": ["a" * 100_000]})) <= 240
    assert case_text("half \ud800 a pair") == "'half \\ud800 a pair'"


# --- the command --------------------------------------------------------------------------------
def test_the_command_writes_what_the_ending_says(ledger, tmp_path):
    before = ledger.read_bytes()
    for name, begin in (
        ("a.html", "<!DOCTYPE html>"),
        ("a.md", "| claim |"),
        ("a.tex", r"% \usepackage{array,longtable}"),
    ):
        result = run(ledger, "-o", tmp_path / name)
        assert result.exit_code == 0, result.output
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
        assert "8 claims: 6 hold, 1 refuted as printed, 1 undecided." in result.stderr
    printed = run(ledger, "--format", "markdown", "--paper", "lavie2024")
    assert printed.exit_code == 0
    assert printed.stdout.count("| lavie2024.") == 3
    assert "boix2024" not in printed.stdout
    assert ledger.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"a.html", "a.md", "a.tex"}


def test_the_command_says_what_is_wrong(ledger, tmp_path):
    (tmp_path / "text.db").write_text("not a ledger", encoding="utf-8")
    (tmp_path / "empty.db").touch()
    for arguments, said in (
        ([ledger, "-o", tmp_path / "a.pdf"], "end it in .html, .tex or .md"),
        ([ledger, "-o", tmp_path / "none" / "a.html"], "there is no such folder"),
        ([tmp_path / "none.db", "-o", tmp_path / "a.html"], "there is no such file"),
        ([tmp_path / "text.db", "-o", tmp_path / "a.html"], "it is not a ledger"),
        ([tmp_path / "empty.db", "-o", tmp_path / "a.html"], "it is empty"),
        ([ledger, "--paper", "nobody2024", "-o", tmp_path / "a.html"], "no claims of 'nobody2024'"),
        (["--paper", "nobody2024", "-o", tmp_path / "a.html"], "nothing of 'nobody2024'"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert said in " ".join(result.stderr.split()), result.stderr
    assert not list(tmp_path.glob("a*"))


def test_without_a_ledger_the_claims_are_verified(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    result = run("--paper", "frames", "--jobs", "1", "-o", tmp_path / "frames.html")
    assert result.exit_code == 0, result.output
    assert "[1/1] frames.coherence: holds" in result.stderr
    assert 'id="frames.coherence"' in (tmp_path / "frames.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["frames.html"]  # and nothing is left over


MINE = '''
from symbench.registry import NearMiss, claim
@claim("mine.square", source="$x^2$ & <b>", category="example", cases=[1], boundary=1,
       near_misses=[NearMiss("zero", 0)])
def square(n):
    r"""The square is positive: $\\nosuchthing n$ <b>."""
    return n * n > 0
'''


def test_claims_of_ones_own(tmp_path, declare):  # which takes them out of the book again
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    runner = CliRunner()
    own = ["--module", str(tmp_path / "mine.py")]
    ledger, output = str(tmp_path / "mine.db"), str(tmp_path / "mine.html")
    assert runner.invoke(main, ["verify", "mine.*", *own, "--ledger", ledger]).exit_code == 0
    sb.claims._claims.pop("mine.square")
    assert run(ledger, *own, "-o", output).exit_code == 0
    [card] = Elements((tmp_path / "mine.html").read_text(encoding="utf-8")).all("article")
    said = " ".join(card["text"].split())
    assert "symbench verify mine.square --module mine.py" in said
    # What is no LaTeX is shown as it was written, and nothing is HTML.
    assert r"The square is positive: $\nosuchthing n$ <b>." in said
    assert "source $x^2$ & <b>" in said


def test_what_is_no_ledger():
    with pytest.raises(BadType, match=r"give symbench\.registry"):
        Report("verdicts.db")


@pytest.mark.slow
def test_all_claims_are_less_than_three_megabytes(tmp_path):
    result = run("-o", tmp_path / "all.html")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert os.path.getsize(tmp_path / "all.html") < 3_000_000
    assert {card["id"] for card in Elements(page).all("article")} == set(sb.claims)
    assert "left" not in Elements(page).text or "more are in the ledger" not in page
