"""The book: entry points, broken plugins, threads."""

import json
import threading

import pytest

from symbench.registry import claims, verify
from symbench.registry.book import Claims

from .plugin import CLAIMS, fresh, symbench, write_plugin

LIST = "import json, symbench as sb; print(json.dumps(list(sb.claims)))"


def test_a_plugin_comes_in_after_the_papers(plugin):
    run = fresh(LIST, plugin)
    assert run.returncode == 0, run.stderr
    ids = json.loads(run.stdout)
    assert "demo.good" in ids
    assert ids.index("lavie2024.dimension") < ids.index("demo.good")
    assert run.stderr == ""


BROKEN = ["import nothing_of_the_kind", "def f(:", "raise SystemExit(0)", "exit()",
          "raise GeneratorExit", "class Own(BaseException): pass\nraise Own"]  # fmt: skip


@pytest.mark.parametrize("source", BROKEN)
def test_a_broken_plugin_only_warns(tmp_path, source):
    run = fresh(LIST, write_plugin(tmp_path, source))
    assert run.returncode == 0, run.stderr
    assert "lavie2024.dimension" in json.loads(run.stdout)
    assert "UserWarning: claims of demo_claims not loaded" in run.stderr


def test_ctrl_c_while_a_plugin_loads_is_not_a_broken_plugin(tmp_path):
    run = fresh(LIST, write_plugin(tmp_path, "raise KeyboardInterrupt"))
    assert run.returncode != 0
    assert run.stderr.endswith("KeyboardInterrupt\n")


def test_a_plugin_that_exits_does_not_silence_the_command(tmp_path):
    folder = write_plugin(tmp_path, "raise SystemExit(0)")
    certificate = tmp_path / "lavie2024.dimension.json"
    verify("lavie2024.dimension", max_length=4).save(certificate)
    for arguments in (
        ["list"],
        ["show", "lavie2024.dimension"],
        ["verify", "lavie2024.dimension", "--size", "max_length=4"],
        ["check", certificate],
    ):
        run = symbench(*arguments, folder=folder)
        assert run.returncode == 0, run.stderr
        assert "lavie2024.dimension" in run.stdout
        assert "claims of demo_claims not loaded: SystemExit(0)" in run.stderr


def test_a_plugin_cannot_take_an_id_of_a_paper(tmp_path):
    source = CLAIMS.replace('"demo.good"', '"lavie2024.dimension"')
    run = fresh(LIST + "; print(sb.claims['lavie2024.dimension'].source)",
                write_plugin(tmp_path, source))  # fmt: skip
    assert "registered twice" in run.stderr
    assert "a user's page" not in run.stdout


def test_a_plugin_may_bear_the_name_of_symbench(tmp_path):
    folder = write_plugin(tmp_path, "1 / 0")
    entry = folder / "demo-1.0.dist-info" / "entry_points.txt"
    entry.write_text("[symbench.claims]\nsymbench = demo_claims\n")
    run = fresh(LIST, folder)
    assert run.returncode == 0, run.stderr
    assert "not loaded" in run.stderr


def test_the_mapping():
    assert set(claims) == set(claims.keys()) == {c.id for c in claims.values()}
    assert len(claims) == len(list(claims))
    assert claims.get("no.such") is None
    assert "no.such" not in claims
    assert repr(claims).startswith(f"<{len(claims)} claims: ")


def test_nobody_reads_a_half_opened_book(monkeypatch):
    started, go_on = threading.Event(), threading.Event()

    class Entry:
        value = "symbench.papers"

        def load(self):
            started.set()
            go_on.wait(10)
            book._claims["late.claim"] = next(iter(claims.values()))

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry()])
    book = Claims()
    seen = []
    first = threading.Thread(target=lambda: seen.append(len(book)))
    second = threading.Thread(target=lambda: seen.append(len(book)))
    first.start()
    started.wait(10)
    second.start()
    second.join(0.2)
    go_on.set()
    first.join(10)
    second.join(10)
    assert seen == [1, 1]


def test_a_book_that_did_not_open_is_tried_again(monkeypatch):
    class Entry:
        value = "symbench.papers"
        tries = 0

        def load(self):
            Entry.tries += 1
            if Entry.tries == 1:
                raise ImportError("not now")

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry()])
    book = Claims()
    try:
        len(book)
    except ImportError:
        pass
    else:
        raise AssertionError("the papers of symbench must load")
    assert len(book) == 0
    assert Entry.tries == 2
