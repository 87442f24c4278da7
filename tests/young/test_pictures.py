import xml.etree.ElementTree as ElementTree

import pytest

import symbench.young
from symbench.draw import boxes_svg, boxes_text, layers_svg, layers_text
from symbench.errors import BadType
from symbench.young import Partition, Tableau, bratteli_diagram, lattice_svg, lattice_text

SVG = "{http://www.w3.org/2000/svg}"


def parts(svg, tag):
    return ElementTree.fromstring(svg).findall(f".//{SVG}{tag}")


def test_diagrams_and_tableaux():
    assert len(parts(Partition(4, 2, 1)._view().svg, "rect")) == 7
    assert len(parts(Partition()._view().svg, "rect")) == 0
    svg = Tableau([[None, 1], [2]])._view().svg
    assert len(parts(svg, "rect")) == 2
    assert [t.text for t in parts(svg, "text")] == ["1", "2"]
    # English: the second row is drawn below the first
    tops = {r.get("y") for r in parts(Partition(1, 1)._view().svg, "rect")}
    assert sorted(map(float, tops)) == [1.0, 27.0]


def test_labels_are_escaped():
    assert parts(boxes_svg([["<&>"]]), "text")[0].text == "<&>"
    assert boxes_text([]) == ""


@pytest.mark.parametrize("rows", [None, 3, "ab", [3], [[3]], ["ab"]])
def test_bad_rows(rows):
    for draw in (boxes_text, boxes_svg):
        with pytest.raises(BadType):
            draw(rows)
    for draw in (layers_text, layers_svg):
        with pytest.raises(BadType):
            draw(rows, {})
        with pytest.raises(BadType):
            draw([["a"]], None)


def test_lattices():
    graph = bratteli_diagram(4)
    svg = lattice_svg(graph)
    assert len(parts(svg, "line")) == graph.number_of_edges()
    # Every node but the empty one is a Young diagram, and says its name to the pointer.
    assert {t.text for t in parts(svg, "title")} == {str(p) for p in graph if p.parts}
    assert len(parts(svg, "rect")) == sum(p.size for p in graph)
    text = lattice_text(graph)
    assert "│ 2+1 → 3+1, 2+2, 2+1+1" in text.splitlines()


def test_edges_with_labels():
    edges = {("a", "b"): "2", ("a", "c"): ""}
    assert layers_text([["a"], ["b", "c"]], edges).splitlines()[1] == "│ a → b (2), c"
    assert next(t.text for t in parts(layers_svg([["a"], ["b", "c"]], edges), "text")) == "2"
    assert layers_text([["a"], ["b"]], edges).splitlines()[1] == "│ (2)"


def test_public_names_have_sessions():
    for name in symbench.young.__all__:
        thing = getattr(symbench.young, name)
        assert ">>>" in (thing.__doc__ or ""), name
    assert set(symbench.young.__all__) <= set(dir(symbench.young))
    with pytest.raises(AttributeError):
        symbench.young.no_such_name  # noqa: B018


def test_importing_the_room_is_light():
    import subprocess
    import sys

    code = (
        "import sys, symbench.young as y; y.Partition(3, 1).dim; y.partitions(5)[3];"
        "heavy = {'numpy', 'scipy', 'networkx', 'sympy', 'hypothesis'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
