"""The pictures of pages: what is noise, and what is noticed; the gallery is not stale."""

import re

import pytest

from symbench.draw.figures import plotted
from tests import pictures
from tests.documents import ROOT


@pytest.fixture
def curve(tmp_path):
    """A function that draws a curve, and returns its SVG."""

    def drawn(values, label="error", **options):
        with plotted(tmp_path / "curve.svg", 4, 3) as figure:
            axes = figure.subplots()
            axes.plot(values, label=label, **options)
            axes.legend()
        return (tmp_path / "curve.svg").read_text()

    return drawn


VALUES = [1, 0.5, 0.25, 0.125]


def test_the_same_curve_is_the_same_file(curve):
    assert curve(VALUES) == curve(VALUES)


def test_noise_is_none(curve):
    stored = curve(VALUES)
    assert pictures.difference(stored, curve([v * (1 + 1e-6) for v in VALUES])) is None
    renamed = re.sub(r'( id="|href="#|url\(#)', r"\1other-", stored)
    assert renamed != stored
    assert pictures.difference(stored, renamed) is None
    dated = stored.replace("</cc:Work>", "<dc:date>2000-01-01</dc:date></cc:Work>")
    assert dated != stored
    assert pictures.difference(stored, dated) is None


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([1, 0.5, 0.29, 0.125], {}, "d of <path>"),
        ([1, 0.5, 0.25], {}, "has become"),
        (VALUES, {"label": "rorer"}, "'error' has become 'rorer'"),
        (VALUES, {"color": "C1"}, "style of <path>"),
        (VALUES, {"linestyle": "--"}, "style of <path>"),
    ],
)
def test_a_change_is_noticed(curve, values, options, words):
    assert words in pictures.difference(curve(VALUES), curve(values, **options))


def test_a_point_less_is_noticed(curve):
    assert pictures.difference(curve([1, 2, 3], marker="o"), curve([1, 2, 3])) is not None


def test_the_gallery_is_not_stale():
    assert pictures.GALLERY.read_text(encoding="utf-8") == pictures.gallery()


def test_every_picture_belongs_to_one_page():
    stored = [p for folder in ("examples", "proofs") for p in ROOT.glob(f"{folder}/**/*.svg")]
    shown = [page.with_name(name) for page in pictures.drawing() for name in pictures.shown(page)]
    assert sorted(shown) == sorted(stored)
    others = [ROOT / name for name in pictures.shown(ROOT / "README.md")]
    assert others
    assert set(others) <= set(stored)
    assert {p.name: size for p in stored if (size := p.stat().st_size) > pictures.MOST_BYTES} == {}


def test_a_drawing_that_is_not_stored_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text('>>> f = curve.plot("a.png")\n>>> g = curve.plot()\n>>> h = x.plot("a.svg")\n')
    assert len(pictures.without_picture(page)) == 2
