"""What is on the axes of plots: ticks at counts, legends beside the data, zeros that are said."""

from itertools import pairwise

import numpy as np
import pytest

from symbench.draw.axes import counted, legend, logarithm, tags, zeros
from symbench.draw.figures import heat_map, plotted


@pytest.fixture
def axes():
    with plotted(None, 6, 4) as figure:
        yield figure.subplots()


def extents(axes, artists):
    axes.figure.draw_without_rendering()
    return [artist.get_window_extent() for artist in artists]


def names(axes):
    axes.figure.draw_without_rendering()
    return [tick.get_text() for tick in axes.get_xticklabels()]


def test_counts_far_apart_are_on_a_logarithmic_axis(axes):
    axes.plot([1, 16, 256], [1, 2, 3])
    counted(axes, [256, 1, 16, 16])
    assert (axes.get_xscale(), names(axes)) == ("log", ["256", "16", "1"])


@pytest.mark.parametrize("counts", [[1, 2, 3], [0, 1, 256], [], [5]])
def test_other_counts_are_on_a_linear_one(axes, counts):
    counted(axes, counts)
    assert axes.get_xscale() == "linear"


def test_of_many_counts_some_are_ticks_and_no_two_names_touch(axes):
    counts = [2**k for k in range(20)]
    axes.plot(counts, counts)
    counted(axes, counts)
    assert names(axes)[0] == "524,288"
    boxes = sorted(extents(axes, axes.get_xticklabels()), key=lambda box: box.x0)
    assert all(one.x1 < two.x0 for one, two in pairwise(boxes))


@pytest.mark.parametrize("title", ["", "a title " * 12])
@pytest.mark.parametrize("count", [1, 3, 7])
def test_no_legend_is_over_the_data_or_outside_the_figure(axes, title, count):
    for k in range(count):
        axes.errorbar([1, 2], [1, 2], yerr=[5, 5], label=f"the curve of number {k}")
    legend(axes, title)
    (box,) = extents(axes, [axes.get_legend()])
    assert box.y0 >= axes.get_window_extent().y1
    assert box.x1 <= axes.figure.bbox.x1
    assert box.y1 <= axes.figure.bbox.y1 + 1


@pytest.mark.parametrize(("values", "plain"), [([0.02, 0.7], True), ([1e-9, 1], False)])
def test_a_few_decades_have_plain_numbers(axes, values, plain):
    axes.plot([1, 2], values)
    logarithm(axes)
    axes.figure.draw_without_rendering()
    low, high = axes.get_ylim()
    shown = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    found = [text.get_text() for place, text in shown if low <= place <= high]
    assert len(found) >= 2
    assert all("$" not in text for text in found) == plain


def test_zeros_are_marks_on_the_lower_edge(axes):
    axes.semilogy([1, 2], [1, 10])
    zeros(axes, [1.0, 2.0], "zero: 7")
    zeros(axes, [], "none")
    *_, line = axes.get_lines()
    assert (line.get_label(), len(axes.get_lines())) == ("zero: 7", 2)
    path = line.get_transform().transform(line.get_xydata())
    assert path[:, 1].tolist() == [axes.bbox.y0] * 2


def test_no_tag_hides_another(axes):
    points = [(1.0, 1.0, "a"), (1.01, 1.01, "b"), (100.0, 100.0, "c"), (1e6, 1e6, "d")]
    axes.loglog([x for x, _, _ in points], [y for _, y, _ in points])
    tags(axes, points)
    assert [text.get_text() for text in axes.texts] == ["a", "c", "d"]


def test_a_heat_map_has_its_numbers_and_its_whole_title():
    values = np.array([[1.0, np.nan], [-2.345, 4.0], [0.0, 1.0]])
    title = "log10 of a quantity with a long name"
    figure = heat_map(None, values, [1, 2, 4], [0.5, 1], names=("rows", "columns"), title=title)
    (axes,) = figure.axes
    assert [t.get_text() for t in axes.texts] == ["1", "-", "-2.35", "4", "0", "1"]
    assert [t.get_position() for t in axes.texts][:3] == [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5)]
    (box,) = extents(axes, [axes.title if axes.title.get_text() else axes._left_title])
    assert axes._left_title.get_text().replace("\n", " ") == title
    assert box.x1 <= figure.bbox.x1
