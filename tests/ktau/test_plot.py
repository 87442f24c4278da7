"""The picture of a template matrix: cells have one colour exactly where entries are equal."""

import pytest

import symbench as sb
from symbench.errors import NotSupported, TooLarge

TEMPLATES = list(sb.all_templates(3, tokens="A"))
LARGE = sb.kernels.inner_product(lambda n: 10 ** (400 * n), incidence=True)
KERNELS = [
    sb.kernels.inner_product(),
    sb.kernels.inner_product(incidence=True),
    sb.kernels.inner_product(lambda n: n % 2),
    sb.kernels.linear_attention(1, "1/3"),
    LARGE,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_colours_are_equal_exactly_where_entries_are(kernel):
    found = sb.template_matrix(TEMPLATES, kernel)
    (axes,) = found.plot().axes
    (mesh,) = axes.collections
    colours = [int(x) for x in mesh.get_array().ravel()]
    entries = [str(x) for row in found.matrix.rows for x in row]
    pairs = set(zip(colours, entries, strict=True))
    assert len(pairs) == len(set(colours)) == len(set(entries))
    assert axes.yaxis_inverted()


def test_larger_numbers_have_higher_colours():
    (axes,) = sb.template_matrix(TEMPLATES, LARGE).plot().axes
    colours = axes.collections[0].get_array().ravel()
    entries = [x for row in sb.template_matrix(TEMPLATES, LARGE).matrix.rows for x in row]
    order = sorted(range(len(entries)), key=lambda k: (entries[k], colours[k]))
    assert sorted(colours) == [colours[k] for k in order]
    assert all(len(text.get_text()) < 30 for text in axes.texts)


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(TooLarge, match="203 templates cannot be read: give at most 40"):
        sb.template_matrix(sb.all_templates(6), sb.kernels.inner_product()).plot()
    with pytest.raises(NotSupported, match="floats"):
        sb.template_matrix(TEMPLATES, sb.kernels.attention(beta=1, gamma=1)).plot()
    target = tmp_path / "matrix.svg"
    sb.template_matrix(TEMPLATES, sb.kernels.inner_product()).plot(target)
    assert "αβγ" in target.read_text(encoding="utf-8")
