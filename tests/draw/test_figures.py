"""The frame of all plots: what is saved, and which paths are refused before anything is drawn."""

import sys
from pathlib import Path

import pytest

import symbench
from symbench import young
from symbench.draw.figures import plotted
from symbench.errors import BadType, BadValue, NotSupported


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.PDF"])
def test_a_figure_is_saved_when_the_block_ends(tmp_path, name):
    with plotted(tmp_path / name, 3, 2) as figure:
        figure.subplots().plot([1, 2])
        assert not (tmp_path / name).exists()
    assert (tmp_path / name).stat().st_size > 0


def test_nothing_is_saved_when_drawing_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), plotted(tmp_path / "a.png"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        (3, BadType, "the path is 3: give a file name"),
        ("a.xyz", BadValue, "ends in .*.png"),
        ("none/a.png", BadValue, "there is no 'none'"),
        ("a\0.png", BadValue, "null"),
        (".", BadValue, "a folder: give a file name"),
    ],
)
def test_a_bad_path_is_refused(tmp_path, monkeypatch, path, error, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=words), plotted(path):
        pass
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "symbench.draw.drawn_figure", raising=False)
    words = r"needs matplotlib: pip install 'symbench\[report\]'"
    with pytest.raises(NotSupported, match=words), plotted(None):
        pass
    # Pictures of symbench itself do without.
    assert "<svg" in young.bratteli_diagram(3)._repr_html_()


def test_every_plot_of_the_package_goes_through_the_frame():
    package = Path(symbench.__file__).parent
    files = [p for p in package.rglob("*.py") if p.parent.name != "draw"]
    assert [p.name for p in files if "savefig" in p.read_text(encoding="utf-8")] == []
    assert sum("with plotted(" in p.read_text(encoding="utf-8") for p in files) > 5
