"""Pictures of what certificates and cases are about: K_tau in shades, spectra, Young diagrams.

A picture is for looking at and proves nothing: its numbers are floats, those of the certificate are
exact.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from symbench.certificates import Certificate
from symbench.certificates.files import from_document
from symbench.certificates.plain import from_plain
from symbench.certificates.templates import Templates
from symbench.draw.charts import arcs_svg, shades_svg, stems_svg
from symbench.draw.pictures import boxes_svg
from symbench.errors import SymbenchError
from symbench.exact import Matrix
from symbench.exact.arrays import np
from symbench.registry.ledger import Row
from symbench.report.entries import Certified, Entry, short

_LARGEST = 16  # rows of a matrix that is drawn,
_LEAST = 3  # and how many it must have to show anything
_POINTS = 40  # exponents on one line
_LONGEST = 60_000  # characters of a document that is drawn
_DIAGRAMS = 5
_BOXES = 24  # of a Young diagram


@attrs.frozen
class Picture:
    """A picture as SVG with the sentence below it."""

    svg: str
    caption: str


def pictures(entry: Entry) -> list[Picture]:
    """The pictures of a claim: of one certificate, and of its cases where they are shapes."""
    return [drawn for drawn in (_largest(entry.certified), _diagrams(entry)) if drawn is not None]


def _largest(certified: Iterable[Certified]) -> Picture | None:
    """A picture of the largest certificate that can be drawn."""
    short = [c for c in certified if len(c.document) <= _LONGEST]
    for c in sorted(short, key=lambda c: -len(c.document))[:12]:
        try:
            drawn = of_document(json.loads(c.document))
        except (SymbenchError, ArithmeticError, LookupError, TypeError, ValueError):
            continue  # the checker says what is wrong with it
        if drawn is not None:
            return attrs.evolve(drawn, caption=f"{drawn.caption} Case: {c.case}")
    return None


def of_document(document: Any) -> Picture | None:
    """A certificate's subject: exponents on a line, the spectrum of blocks, a matrix in shades.

    >>> from symbench.certificates.files import document
    >>> found = of_document(document(certify([[2, 1, 0], [1, 2, 1], [0, 1, 2]])))
    >>> found.caption
    'The matrix, 3 x 3.'
    """
    certificate = from_document(document)
    subject, kind = certificate.subject, certificate.kind
    if isinstance(subject, Templates):
        if kind not in ("one-point", "template-rank") or len(subject.rows) > _POINTS:
            return None
        written: Any = certificate
        found = subject.exponents(written.xi, written.y)
        values = sorted(set(found))
        if len(values) < _LEAST or max(map(abs, values)) > 10**12:
            return None
        svg = stems_svg(values, [found.count(x) for x in values], names=("exponent", "templates"))
        return Picture(svg, f"The exponents of {len(found)} templates at the point.")
    if not isinstance(subject, Matrix) or not _LEAST <= subject.shape[0] <= _LARGEST:
        return None
    if kind == "block-form":
        return _spectrum(certificate)
    rows = _numbers(subject)
    if rows is None or subject.shape[1] > 2 * _LARGEST:
        return None
    if len({x for row in rows for x in row}) < 2:  # a block of one colour
        return None
    return Picture(
        shades_svg(rows), f"{_name(certificate)}, {' x '.join(map(str, subject.shape))}."
    )


def _name(certificate: Certificate) -> str:
    """What the matrix is, as far as the certificate says it."""
    about = certificate.about
    if "coefficient" in about:
        return f"The coefficient of {short(about['coefficient'], 60)} of K_tau"
    if "kernel" in about:
        return f"K_tau for {short(about['kernel'], 60)}"
    return "The matrix"


def _numbers(matrix: Matrix) -> list[list[float]] | None:
    """The entries as floats, None where they are no numbers or too large for a picture."""
    if not all(isinstance(x, (int, Fraction)) for row in matrix.rows for x in row):
        return None
    if any(abs(x) > 10**100 for row in matrix.rows for x in row):
        return None
    return [[float(x) for x in row] for row in matrix.rows]


def _spectrum(certificate: Any) -> Picture | None:
    """The eigenvalues of the blocks, each as often as its block is repeated."""
    tally: dict[float, int] = {}
    for block, repeats in zip(certificate.blocks, certificate.repeats, strict=True):
        rows = _numbers(block)
        if rows is None:
            return None
        for value in np.linalg.eigvals(np.array(rows)):
            if abs(value.imag) > 1e-6 * (1 + abs(value)):
                return None
            place = float(f"{value.real:.6g}") if abs(value) > 1e-9 else 0.0
            tally[place] = tally.get(place, 0) + repeats
    values = sorted(tally)
    if len(values) < 2 or sum(tally.values()) != certificate.subject.shape[0]:
        return None
    svg = stems_svg(values, [tally[x] for x in values], names=("eigenvalue", "multiplicity"))
    return Picture(svg, f"The spectrum of the {certificate.subject.shape[0]} rows, by its blocks.")


# The claims whose cases are shapes, and the shapes of a case.
def _one(case: Any) -> Sequence[Any]:
    return [case]


def _two_rows(case: Any) -> Sequence[Any]:
    return [(case[0] - case[1], case[1])]


_SHAPES: dict[str, Callable[[Any], Sequence[Any]]] = {
    **dict.fromkeys(
        (
            "young.branching",
            "young.evacuation",
            "young.forms",
            "young.hook-length",
            "young.jucys-murphy",
            "young.reciprocity",
            "young.specht-polynomials",
            "young.young-rule",
        ),
        _one,
    ),
    **dict.fromkeys(("young.dominance", "young.kronecker", "young.littlewood-richardson"), list),
    "lavie2024.dimension": _two_rows,
}


def _diagrams(entry: Entry) -> Picture | None:
    read = _SHAPES.get(entry.id)
    found: list[tuple[int, ...]] = []
    for row in entry.cases if read is not None else ():
        assert read is not None
        found += [shape for shape in _shapes(row, read) if shape not in found]
    if not found:
        return None
    drawn = [boxes_svg([[""] * part for part in shape]) for shape in found[-_DIAGRAMS:]]
    return Picture("".join(drawn), f"Shapes of {len(drawn)} of the cases.")


def _shapes(row: Row, read: Callable[[Any], Sequence[Any]]) -> list[tuple[int, ...]]:
    try:
        shapes = [tuple(part for part in shape if part) for shape in read(from_plain(row.case))]
        fits = [
            0 < sum(shape) <= _BOXES and min(shape) > 0 and list(shape) == sorted(shape)[::-1]
            for shape in shapes
        ]
    except (SymbenchError, LookupError, TypeError, ValueError):
        return []  # of an older version of the claim
    return shapes if all(fits) else []


# --- the graph ----------------------------------------------------------------------------------
def graphs(entries: Sequence[Entry]) -> list[str]:
    """The claims that assume others or are repaired by them, a picture for each connected group.

    >>> graphs([])
    []
    """
    import networkx as nx

    known = {entry.id: entry for entry in entries}
    graph: Any = nx.DiGraph()
    for entry in entries:
        if entry.claim is None:
            continue
        for other in entry.claim.assumes:
            if other in known:
                graph.add_edge(other, entry.id, kind="assumes")
        if entry.claim.repaired_by in known:
            graph.add_edge(entry.id, entry.claim.repaired_by, kind="repaired")
    place = {id: n for n, id in enumerate(known)}
    groups = sorted(
        nx.weakly_connected_components(graph), key=lambda group: (-len(group), min(group))
    )
    drawn = []
    for group in groups:
        part = graph.subgraph(group)
        order = _sorted(part, place)
        number = {id: n for n, id in enumerate(order)}
        edges = sorted((number[a], number[b], kind) for a, b, kind in part.edges(data="kind"))
        marks = [known[id].status.replace(" ", "-") for id in order]
        drawn.append(arcs_svg(order, edges, links=[f"#{id}" for id in order], marks=marks))
    return drawn


def _sorted(graph: Any, place: dict[str, int]) -> list[str]:
    """What is assumed stands above, where that is possible."""
    import networkx as nx

    if not nx.is_directed_acyclic_graph(graph):
        return sorted(graph, key=place.__getitem__)
    return list(nx.lexicographical_topological_sort(graph, key=place.__getitem__))
